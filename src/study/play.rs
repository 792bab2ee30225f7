//! `watershed play`: a game in the terminal, in plain lines.

mod arguments;
mod commands;
mod console;
mod pager;
mod paint;

use std::io::IsTerminal as _;

use terminal_size::{Height, Width, terminal_size};

use self::{console::Console, pager::Pager, paint::NameColours};
use crate::{
    analysis::hint::Advisor,
    arena::record::HUMAN,
    bound::GameSession,
    report::{
        terminal::{has_colours, is_stdout_closed, print_styled},
        text::escape_text,
    },
    run::{programs::ensure_no_program, records::read_recorded_game},
    session::{ChanceOrigin, Next, Player, Setup},
    study::shared::{modes::check_mode, playtest_writer, prelude::*},
};

pub(crate) use self::arguments::PlayArguments;

pub(crate) fn run(games: GameList, arguments: &PlayArguments) -> anyhow::Result<ExitStatus> {
    let record = arguments.load.as_deref();
    let record = record.map(|path| read_recorded_game(path, arguments.game_index, Some("--load")));
    let record = record.transpose()?;
    let selection = match (&record, &arguments.load) {
        (Some(record), Some(path)) => select_game(games, arguments, record, path)?,
        _ => arguments.game.resolve(games)?,
    };
    if let Some(path) = &arguments.save {
        // A path that cannot be written is refused before the game; the file is removed again.
        let is_own = arguments.load.as_ref() == Some(path);
        drop(PartialFile::create_for_user(path, is_own || arguments.force).context("--save")?);
    }
    let task = PlayTask { arguments, selection: &selection, record: record.as_ref() };
    task.run()
}

/// Reads the data file of a record.
fn select_game(
    games: GameList,
    arguments: &PlayArguments,
    record: &Record,
    path: &Path,
) -> anyhow::Result<GameSelection> {
    let name = format!("{}: game {}", path.display(), record.index);
    for (flag, is_given) in
        [("--game", arguments.game.game.is_some()), ("--players", arguments.game.players.is_some())]
    {
        ensure!(!is_given, "{flag}: expected none with --load, because {name} has its own");
    }
    RecordedRules::from(record).select(games, arguments.game.config.as_deref(), &name)
}

struct PlayTask<'a> {
    arguments: &'a PlayArguments,
    selection: &'a GameSelection,
    record: Option<&'a Record>,
}

impl PlayTask<'_> {
    fn run(&self) -> anyhow::Result<ExitStatus> {
        let Self { arguments, selection, record } = *self;
        let game = &selection.open()?;
        let library = game.library();
        let setup = Setup {
            game: selection.game.id.to_owned(),
            config_sha256: selection.document.sha256(),
            players: self.read_players(library)?,
            seed: record.map_or_else(|| arguments.seed(), |record| record.seed),
            chance: if arguments.enter_chance {
                ChanceOrigin::Entered
            } else {
                ChanceOrigin::Drawn
            },
        };
        let session = self.open_session(game, setup)?;
        let advisor = Advisor::read(library, &arguments.hint_bot).context("--hint-bot")?;
        let mut console =
            Console::new(session, advisor, game, selection.game.title, &selection.provenance);
        let save = |path: &Path, console: &Console<'_>| -> anyhow::Result<()> {
            let line = serde_json::to_string(&console.session.record())?;
            Ok(PartialFile::write_for_user(path, format!("{line}\n").as_bytes(), true)?)
        };
        let is_terminal = io::stdin().is_terminal();
        let mut pager = Pager::new(io::stdin().lock(), print_styled);
        let mut text = if arguments.quiet { String::new() } else { console.opening() };
        // The game is saved after every decision, so that nothing that ends the program loses more
        // than the decision that is being made.
        let mut saved = None;
        let mut save_change = |console: &Console<'_>| match &arguments.save {
            Some(path) if saved != Some(console.changes()) => {
                saved = Some(console.changes());
                save(path, console).err().map(|error| format!("Not saved: {error:#}\n"))
            }
            _ => None,
        };
        while !console.is_closed && !is_stdout_closed() {
            let size = terminal_columns_and_rows();
            pager.set_rows(size.map(|[_, rows]| rows).filter(|_| is_terminal));
            console.width = size.map_or(TEXT_WIDTH, |[columns, _]| columns.max(TEXT_WIDTH));
            text += &console.proceed();
            text.extend(save_change(&console));
            let line = match pager.print(&styled(&text, &console))? {
                Some(line) => Some(line),
                None => pager.ask("> ")?,
            };
            let Some(line) = line else {
                print("\n");
                break;
            };
            if !is_terminal {
                print(&format!("{line}\n"));
            }
            let answer = console.answer(&line, arguments.save.as_deref());
            text = answer.text;
            text.extend(save_change(&console));
            if let Some(path) = &answer.save {
                match save(path, &console) {
                    Ok(()) => text += &saved_text(path, &console),
                    // The game goes on, and can be saved elsewhere.
                    Err(error) => text += &format!("Not saved: {error:#}\n"),
                }
            }
        }
        if let Some(path) = &arguments.save {
            save(path, &console)?;
            print(&saved_text(path, &console));
        }
        let is_over = console.session.next() == Next::Over;
        if let Some(log) = arguments.playtests.as_deref().filter(|_| is_over) {
            let logged = playtest_writer::append(log, game, &console.session.record());
            logged.context("--playtests")?;
        }
        Ok(ExitStatus::Success)
    }

    /// Begins the game, or continues that of the record.
    fn open_session(&self, game: &BoundGame, setup: Setup) -> anyhow::Result<GameSession> {
        if let Some(record) = self.record {
            let session = game.load_session(setup, record);
            let index = record.index;
            return session.map_err(|difference| anyhow!("--load: game {index}: {difference}"));
        }
        let mut session = game.new_session(setup);
        if let Some(mode) = &self.arguments.mode {
            check_mode(game, mode)?;
            session.choose_mode(mode).map_err(|message| anyhow!("--mode: {message}"))?;
        }
        Ok(session)
    }

    /// Reads the player of each seat. The last name is for all further seats.
    fn read_players(&self, library: &BotLibrary) -> anyhow::Result<Vec<Player>> {
        let seats = self.selection.players;
        let names = match (&self.arguments.bots, self.record) {
            (Some(names), _) => names.clone(),
            (None, Some(record)) => record.bots.clone(),
            (None, None) => {
                let opponent = library.profiles.first_opponent();
                let bot = opponent.map_or_else(|| "mcts".to_owned(), |one| one.bot.clone());
                vec![HUMAN.to_owned(), bot]
            }
        };
        ensure!(
            names.len() <= seats || self.arguments.bots.is_none(),
            "--bots: expected at most {seats} names for {seats} players, found {}",
            names.len()
        );
        let read = |name: &String| {
            if self.arguments.bots.is_none() {
                ensure_no_program(name).context("--load: expected --bots")?;
            }
            let player = if name == HUMAN {
                Player::Person
            } else {
                let flag = if self.arguments.bots.is_some() { "--bots" } else { "--load" };
                Player::Bot(library.read(name).with_context(|| format!("{flag}: {name}"))?)
            };
            anyhow::Ok(player)
        };
        let last = names.last().into_iter().cycle();
        names.iter().chain(last).take(seats).map(read).collect()
    }
}

/// States the file of the game, and how a finished one is reviewed.
fn saved_text(path: &Path, console: &Console<'_>) -> String {
    let path = path.display();
    let review = match console.session.next() {
        Next::Over => format!("Review it: watershed replay {path} --annotate\n"),
        _ => String::new(),
    };
    format!("Saved as {path}.\n{review}")
}

/// Returns a text as the terminal shows it.
fn styled(text: &str, console: &Console<'_>) -> String {
    let text = escape_text(text);
    if has_colours() { NameColours::of(&console.scene()).colour(&text) } else { text.into_owned() }
}

/// Returns the size of the terminal, if the output goes to one.
fn terminal_columns_and_rows() -> Option<[usize; 2]> {
    let (Width(columns), Height(rows)) = terminal_size().filter(|_| io::stdout().is_terminal())?;
    Some([columns.into(), rows.into()])
}
