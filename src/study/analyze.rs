//! `watershed analyze`: win chances and the best actions of a position.

mod arguments;
mod first_answer;
mod text;

use std::io::{self, BufRead as _, IsTerminal as _, Read as _};

use anyhow::{Context as _, bail};

use crate::{
    analysis::{
        judge::{Analyst, PositionAnalysis},
        named::NamedAction,
    },
    bots::{BotFactory, profile::BotLibrary},
    bound::{BoundGame, GamePosition},
    config::Document,
    game::Seat,
    games::GameList,
    report::{
        provenance::Claim,
        terminal::{print, print_lines},
        text::TEXT_WIDTH,
    },
    run::{
        ExitStatus,
        append_file::PartialFile,
        arguments::{
            GameArguments, RecordedRules, build_thread_pool, find_game, read_recorded_game,
        },
        programs::ensure_no_forfeits,
    },
    study::shared::{
        analysis_report::{AnalysisReport, action_reasons},
        decision::{DecisionPosition, PositionSource, read_legal_action},
        search_names::ensure_searches,
    },
};
pub(crate) use arguments::AnalyzeArguments;
use first_answer::first_answer;

/// Largest length of a position, so that no input can exhaust the memory.
const MAX_POSITION_BYTES: u64 = 1 << 16;

pub(crate) fn run(games: GameList, arguments: &AnalyzeArguments) -> anyhow::Result<ExitStatus> {
    let source = read_source(arguments)?;
    let name = source.name();
    let selection = match &source {
        PositionSource::Record { record, .. } => {
            RecordedRules::from(&**record).select(games, arguments.config.as_deref(), &name)?
        }
        PositionSource::Text { game, players, .. } => {
            find_game(games, game).with_context(|| name.clone())?;
            let selected = GameArguments {
                game: Some(game.clone()),
                config: arguments.config.clone(),
                players: None,
            };
            selected.resolve_with_players(games, Some(*players), Some(&name))?
        }
    };
    let pool = build_thread_pool(arguments.threads, u64::MAX, arguments.quiet)?;
    let task = AnalyzeTask {
        arguments,
        source: &source,
        document: &selection.document,
        title: selection.game.title,
        provenance: &selection.provenance,
    };
    let game = selection.open()?;
    pool.install(|| task.run(&game))
}

struct AnalyzeTask<'a> {
    arguments: &'a AnalyzeArguments,
    source: &'a PositionSource,
    document: &'a Document,
    title: &'a str,
    provenance: &'a Claim,
}

/// A decision with the actions that are candidates in any case.
struct NamedDecision<'a> {
    position: &'a GamePosition<'a>,
    seat: Seat,
    named: &'a [NamedAction],
}

impl AnalyzeTask<'_> {
    fn run(self, game: &BoundGame) -> anyhow::Result<ExitStatus> {
        let library = game.library();
        let Self { arguments, source, .. } = &self;
        let DecisionPosition { position, seat, played } = source.position(game)?;
        let position = &position;
        let scene = position.scene(Some(seat));
        let legal = position.legal_actions();
        let named = named_actions(arguments, position, &legal, played.as_ref())?;
        // Before the budget is added, which other bots do not have.
        ensure_searches(library, &arguments.bot).context("--bot")?;
        let search = library.read(&arguments.search_name()?).context("--bot")?;
        let policy = arguments.policy.as_deref().unwrap_or(library.default_bot());
        let policy = library.read(policy).context("--policy")?;
        // The picture is created before the work, so that a path that cannot be written is refused
        // at once.
        let picture = arguments.svg.as_ref();
        let picture = picture.map(|path| PartialFile::create_for_user(path, arguments.force));
        let picture = picture.transpose()?;
        let decision = NamedDecision { position, seat, named: &named };
        let (analysis, search) = self.analyse(library, &decision, search, &policy)?;
        if analysis.search.is_none() && legal.len() > 1 {
            bail!("--bot: expected a bot that searches, as in `mcts:iterations=2000`");
        }
        // Before anything is printed, because the answer would be invalid.
        ensure_no_forfeits()?;
        let reasons = action_reasons(position, &analysis);
        let report = AnalysisReport {
            players: game.seats(),
            title: self.title,
            document: self.document,
            provenance: self.provenance,
            search: &search,
            policy: &policy,
            seed: arguments.seed,
            position: position.view_text(seat),
            round: position.round(),
            analysis,
            played,
            reasons,
        };
        if let Some(output) = picture {
            output.write(scene.svg(arguments.svg_width).as_bytes())?;
        }
        if arguments.board {
            print(&format!("{}\n", scene.text(TEXT_WIDTH)));
        }
        print(&if arguments.json { report.json()? } else { report.text() });
        Ok(ExitStatus::Success)
    }

    /// Analyses a decision, after a first answer on a terminal. Returns the bot whose budget
    /// decided, too.
    fn analyse(
        &self,
        library: &BotLibrary,
        decision: &NamedDecision<'_>,
        search: BotFactory,
        policy: &BotFactory,
    ) -> anyhow::Result<(PositionAnalysis<NamedAction>, BotFactory)> {
        let Self { arguments, .. } = *self;
        let NamedDecision { position, seat, named } = *decision;
        let analyst = Analyst {
            search: &search,
            compares: arguments.rollouts > 0,
            policy,
            rollouts: arguments.rollouts,
            candidates: arguments.candidates,
            seed: arguments.seed,
        };
        let is_watched = io::stderr().is_terminal() && !arguments.quiet;
        let print_first = |analysis: &PositionAnalysis<NamedAction>| {
            if is_watched && let Some(text) = first_answer(analysis) {
                print_lines(&text);
            }
        };
        let has_first = match arguments.first_search_name().filter(|_| is_watched) {
            Some(name) => {
                let search = library.read(&name).context("--bot")?;
                let first = Analyst { search: &search, compares: false, rollouts: 0, ..analyst };
                print_first(&position.analyse(&first, seat, named, &mut |_| ()));
                true
            }
            None => !analyst.compares,
        };
        Ok(if arguments.until_stable {
            let names = arguments.search_names();
            let searches = names.iter().map(|name| library.read(name).context("--bot"));
            let searches = searches.collect::<anyhow::Result<Vec<_>>>()?;
            let (analysis, level) = position.analyse_until_stable(&analyst, &searches, seat, named);
            (analysis, searches[level].clone())
        } else {
            let analysis = position.analyse(&analyst, seat, named, &mut |found| {
                if !has_first {
                    print_first(found);
                }
            });
            (analysis, search)
        })
    }
}

/// Returns the actions that are analysed besides those that the search prefers: those of `--also`,
/// then the one that was played.
fn named_actions(
    arguments: &AnalyzeArguments,
    position: &GamePosition<'_>,
    legal: &[NamedAction],
    played: Option<&NamedAction>,
) -> anyhow::Result<Vec<NamedAction>> {
    let mut named = Vec::new();
    for text in &arguments.also {
        named.push(read_legal_action(position, legal, text).context("--also")?);
    }
    named.extend(played.cloned());
    Ok(named)
}

/// Reads the source that the flags select.
fn read_source(arguments: &AnalyzeArguments) -> anyhow::Result<PositionSource> {
    let Some(path) = &arguments.record else {
        return match arguments.position.as_deref() {
            None | Some("-") => PositionSource::from_text("standard input", read_line()?),
            Some(text) => PositionSource::from_text("--position", text.to_owned()),
        };
    };
    let record = read_recorded_game(path, arguments.game_index, Some("--record"))?;
    let name = format!("{}: game {}", path.display(), record.index);
    let events = arguments.move_index.unwrap_or_default();
    PositionSource::from_record(name, record, events, "--move")
}

/// Reads the first line of standard input.
fn read_line() -> anyhow::Result<String> {
    let mut line = String::new();
    io::stdin()
        .lock()
        .take(MAX_POSITION_BYTES)
        .read_line(&mut line)
        .context("standard input: can't be read")?;
    Ok(line)
}
