//! A session as lines of text.

use std::{collections::BTreeSet, fmt::Write as _, sync::atomic::AtomicBool};

use super::commands::{ConsoleCommand, HELP};
use crate::{
    analysis::{hint::Advisor, named::NamedAction, review_searches::ReviewSearches},
    bound::GameSession,
    protocol::{
        analysis::{SuggestedAction, Suggestions},
        review::{ReviewedEvent, Reviewer},
    },
    report::text::{pad, text_width, wrap},
    run::command::program_name,
    scene::{Scene, capitalize},
    session::{Next, Player, Setup},
    study::shared::prelude::*,
    web::{
        answer::DecidingPart,
        names::PlayerNames,
        view::{event_text, only_person, results_sentence},
    },
};

/// Iterations of the searches of each decision of a review, which takes some seconds.
const REVIEW_ITERATIONS: u32 = 100;
/// Maximum number of lines of a list of actions that was not asked for.
const LIST_LINES: usize = 12;
/// Number of events that the log shows.
const LOG_EVENTS: usize = 40;

/// A session with what the terminal has shown of it.
pub(super) struct Console<'a> {
    pub(super) session: GameSession,
    names: PlayerNames,
    advisor: Advisor,
    game: &'a BoundGame,
    title: &'a str,
    provenance: &'a Claim,
    /// Number of columns of the terminal, at least [`TEXT_WIDTH`].
    pub(super) width: usize,
    /// Number of events that have been shown.
    shown: usize,
    /// True if the actions have been listed since the last event.
    is_listed: bool,
    /// True after the command to quit.
    pub(super) is_closed: bool,
}

/// An answer to a line.
#[derive(Default)]
pub(super) struct ConsoleAnswer {
    pub(super) text: String,
    /// The file to write.
    pub(super) save: Option<PathBuf>,
}

impl<'a> Console<'a> {
    pub(super) fn new(
        session: GameSession,
        advisor: Advisor,
        game: &'a BoundGame,
        title: &'a str,
        provenance: &'a Claim,
    ) -> Self {
        let shown = session.events();
        // People may take turns at one terminal, so that nobody is addressed.
        let names = PlayerNames::new(session.setup(), None);
        let (width, is_listed, is_closed) = (TEXT_WIDTH, false, false);
        Self {
            session,
            names,
            advisor,
            game,
            title,
            provenance,
            width,
            shown,
            is_listed,
            is_closed,
        }
    }

    /// Returns numbers that change with every event, and with every one that is taken back.
    pub(super) fn changes(&self) -> (usize, u32) {
        (self.session.events(), self.session.record().undo)
    }

    /// Returns the first lines.
    pub(super) fn opening(&self) -> String {
        let setup = self.session.setup();
        let players: Vec<_> = setup
            .players
            .iter()
            .enumerate()
            .map(|(seat, player)| match player {
                Player::Person => format!("player {} is a person", seat + 1),
                Player::Bot(bot) => {
                    let title = player.title().map(str::to_owned);
                    let name = title.unwrap_or_else(|| format!("the bot {}", bot.name()));
                    format!("player {} is {name}", seat + 1)
                }
            })
            .collect();
        let text = format!(
            "{}, {} players, seed {}: {}. Data: {}. Type ? for help.",
            self.title,
            setup.players.len(),
            setup.seed,
            join_with_and(&players),
            self.provenance
        );
        paragraph(&text)
    }

    /// Makes the events that no person decides, and returns them with the question that comes next.
    pub(super) fn proceed(&mut self) -> String {
        self.session.advance();
        let mut text = self.new_events();
        match self.session.next() {
            Next::Over => {
                if !self.is_listed {
                    text += &self.results();
                }
            }
            Next::Person(_) | Next::EnteredChance if self.is_listed => {}
            Next::Person(seat) => {
                if !text.is_empty() || self.session.events() == 0 {
                    let mut scene = self.scene();
                    if Scene::seats_beside(self.width) < self.game.seats() {
                        scene = scene.of_decider();
                    }
                    let _ = write!(text, "\n{}\n", scene.text(self.width));
                }
                let _ = writeln!(text, "Player {}:", seat.index() + 1);
                text += &self.list(&self.session.actions(), Some(LIST_LINES), false);
            }
            Next::EnteredChance => {
                text += &paragraph(&self.scene().turn);
                text += &self.list(&self.session.actions(), Some(LIST_LINES), false);
            }
            Next::Bot(_) | Next::DrawnChance => {}
        }
        self.is_listed = true;
        text
    }

    /// Carries a line out. `save` is the file of `--save`.
    pub(super) fn answer(&mut self, line: &str, save: Option<&Path>) -> ConsoleAnswer {
        let text = match ConsoleCommand::parse(line) {
            ConsoleCommand::Help => HELP.to_owned(),
            ConsoleCommand::Quit => {
                self.is_closed = true;
                String::new()
            }
            ConsoleCommand::Boards => self.scene().text(self.width),
            ConsoleCommand::Log => self.log(),
            ConsoleCommand::Rules => {
                let rules = self.session.rules_in_short();
                rules.iter().map(|rule| entry("- ", rule)).collect()
            }
            ConsoleCommand::Hint => self.hint(),
            ConsoleCommand::Review => self.review(),
            ConsoleCommand::Actions => self.list(&self.session.actions(), None, true),
            ConsoleCommand::Undo => {
                self.go(|session| session.undo(), "There is no decision to take back.")
            }
            ConsoleCommand::Redo => {
                self.go(|session| session.redo(), "There is no decision to make again.")
            }
            ConsoleCommand::Save(file) => match file.or_else(|| save.map(Path::to_path_buf)) {
                Some(file) => {
                    return ConsoleAnswer { save: Some(file), ..ConsoleAnswer::default() };
                }
                None => "Name a file, as in: w game.jsonl\n".to_owned(),
            },
            ConsoleCommand::Numbers(numbers) => self.act_in_succession(&numbers),
            ConsoleCommand::Text(text) => self.find(&text),
        };
        ConsoleAnswer { text, ..ConsoleAnswer::default() }
    }

    /// Takes the actions with these numbers, from 1: one, or several of a combination.
    fn act_in_succession(&mut self, numbers: &[usize]) -> String {
        let actions = self.session.actions();
        let chosen: Option<Vec<_>> =
            numbers.iter().map(|number| actions.get(number.checked_sub(1)?)).collect();
        let Some(chosen) = chosen else {
            return match actions.len() {
                0 => "The game is over.\n".to_owned(),
                count => format!("Expected a number from 1 to {count}.\n"),
            };
        };
        let mut text = String::new();
        for action in chosen {
            text = match self.act(&action.notation) {
                Ok(text) => text,
                Err(_) => return paragraph(&format!("Not possible after that: {}.", action.label)),
            };
        }
        text
    }

    /// Takes an action and returns what follows from it.
    fn act(&mut self, notation: &str) -> Result<String, String> {
        self.session.act(notation)?;
        // The person knows the decision, but not the steps that follow from it.
        let made = self.shown..self.session.events();
        let steps = made.flat_map(|event| self.session.rule_steps(event, None));
        let mut text: String = steps.map(|step| entry("  ", &step)).collect();
        self.shown = self.session.events();
        self.is_listed = false;
        let chosen = self.session.pending();
        if !chosen.is_empty() {
            text += &paragraph(&format!("Chosen: {}.", chosen.join(", ")));
        }
        Ok(text)
    }

    fn go(&mut self, step: fn(&mut GameSession) -> bool, failure: &str) -> String {
        if !step(&mut self.session) {
            return format!("{failure}\n");
        }
        self.shown = self.session.events();
        self.is_listed = false;
        format!("After event {}:\n", self.shown)
    }

    /// Takes the action with this notation, or lists the actions that contain the text.
    fn find(&mut self, text: &str) -> String {
        if let Ok(text) = self.act(text) {
            return text;
        }
        let actions = self.session.actions();
        let wanted = text.to_lowercase();
        let is_named = |action: &NamedAction| {
            action.label.to_lowercase().contains(&wanted) || action.notation.contains(&wanted)
        };
        let found: Vec<_> = actions.into_iter().filter(is_named).collect();
        if found.is_empty() {
            return paragraph(&format!("No action contains {text:?}; type ? for help."));
        }
        self.list(&found, None, true)
    }

    /// Lists actions with their numbers among all, in columns unless they have their notation.
    fn list(&self, listed: &[NamedAction], max_lines: Option<usize>, with_text: bool) -> String {
        let actions = self.session.actions();
        let lines: Vec<_> = listed
            .iter()
            .map(|action| {
                let number = actions.iter().position(|one| one == action).unwrap_or_default() + 1;
                let NamedAction { notation, label } = action;
                let text = if with_text { format!("{label}  [{notation}]") } else { label.clone() };
                format!("{number:>3}  {text}")
            })
            .collect();
        let widest = lines.iter().map(|line| text_width(line)).max().unwrap_or_default();
        let columns = if with_text { 1 } else { (self.width / (widest + 2)).max(1) };
        let rows = lines.len().div_ceil(columns);
        let shown = max_lines.map_or(rows, |max| rows.min(max));
        let mut text = String::new();
        for row in 0..shown {
            let cells = (0..columns).filter_map(|column| lines.get(row + column * rows));
            let line: String = cells.map(|cell| pad(cell, widest + 2)).collect();
            match lines.get(row).filter(|_| columns == 1) {
                Some(line) => text += &entry(&line[..5], &line[5..]),
                None => text = text + line.trim_end() + "\n",
            }
        }
        if shown < rows {
            let hidden = lines.len() - shown * columns;
            let _ = writeln!(text, "  … {hidden} more; a lists all, a part of a name finds some");
        }
        text
    }

    /// Returns the events that have not been shown.
    fn new_events(&mut self) -> String {
        let events = self.shown..self.session.events();
        let text: String = events.map(|event| self.event_lines("", event)).collect();
        if self.shown < self.session.events() {
            self.is_listed = false;
        }
        self.shown = self.session.events();
        text
    }

    /// Returns an event, and below it the automatic steps of the rules.
    fn event_lines(&self, start: &str, index: usize) -> String {
        let (indent, viewer) = (" ".repeat(start.chars().count() + 2), self.session.viewer());
        let mut steps = self.session.rule_steps(index, None);
        self.names.insert_into_all(&mut steps);
        let steps = steps.iter().map(|step| entry(&indent, step));
        let event = event_text(&self.session, index, viewer, &self.names);
        entry(start, &event) + &steps.collect::<String>()
    }

    fn log(&self) -> String {
        let events = self.session.events();
        let first = events.saturating_sub(LOG_EVENTS);
        let mut text = match first {
            0 => String::new(),
            first => format!("… {first} earlier events\n"),
        };
        text.extend((first..events).map(|event| self.event_lines(&format!("{event:>4} "), event)));
        text
    }

    /// Suggests actions by a search, with the chances of all players.
    fn hint(&self) -> String {
        let Next::Person(seat) = self.session.next() else {
            return "A hint needs a decision.\n".to_owned();
        };
        if !self.session.pending().is_empty() {
            return "Choose the rest of the combination first.\n".to_owned();
        }
        let watch = AnalysisWatch::new(None);
        let Some(hint) = self.session.hint(&self.advisor, seat, None, &watch) else {
            return String::new();
        };
        let Suggestions { verdict, chances, method, actions, .. } =
            Suggestions::new(self.session.game(), hint, &self.advisor);
        let sentences = chances.iter().chain(&method).map(String::as_str);
        let mut text = paragraph(&sentences.collect::<Vec<_>>().join(" "));
        let _ = writeln!(text, "{verdict}:");
        let all = self.session.actions();
        let width = actions.iter().map(|one| one.number.len()).max().unwrap_or_default();
        for SuggestedAction { action, label, number, reason, .. } in actions {
            let index = all.iter().position(|one| one.notation == action).unwrap_or_default();
            let mut words = label;
            words.extend(reason.map(|reason| format!(": {reason}")));
            text += &entry(&format!("{:>3}  {number:>width$}  ", index + 1), &words);
        }
        text
    }

    fn results(&self) -> String {
        let Some(results) = self.session.results() else { return String::new() };
        let names = self.names_at_end();
        let mut sentences = format!("The game is over. {}", results_sentence(&results, &names));
        if let Some(DecidingPart { part, points }) = DecidingPart::of(&results, names.person) {
            let part = capitalize(&part.replace('_', " "));
            let _ = write!(sentences, " {part} made the difference: {points}.");
        }
        let score = if results.are_scores_progress { "goals reached, %" } else { "score" };
        let seats = 0..results.scores.len();
        let heads: Vec<_> = seats.map(|seat| capitalize(names.of(seat))).collect();
        let parts: BTreeSet<_> = results.breakdown.iter().flat_map(BTreeMap::keys).collect();
        let of_part = |part: &String| {
            let points = results.breakdown.iter().map(|parts| parts.get(part).unwrap_or(&0));
            (part.replace('_', " "), points.map(ToString::to_string).collect())
        };
        let scores = results.scores.iter().map(ToString::to_string).collect();
        let width = heads.iter().map(|head| head.len() + 2).max().unwrap_or(0);
        let mut rows: Vec<(String, Vec<_>)> = vec![("part".to_owned(), heads)];
        rows.extend(parts.into_iter().map(of_part).chain([(score.to_owned(), scores)]));
        let first = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let mut text = paragraph(&sentences);
        for (name, values) in rows {
            let values: String = values.iter().map(|value| format!("{value:>width$}")).collect();
            let _ = writeln!(text, "  {:first$}{values}", capitalize(&name));
        }
        let Setup { game, players, .. } = self.session.setup();
        let mut bots: Vec<_> =
            players.iter().map(|player| player.title().unwrap_or(player.name())).collect();
        // The last one is for all further seats.
        while let [.., one, other] = bots[..]
            && one == other
        {
            bots.pop();
        }
        text += &paragraph(
            "v reviews the game and names its turning point, u takes the last decision back, \
             w FILE saves the game, q quits. Rematch:",
        );
        let program = program_name();
        let (count, bots) = (players.len(), bots.join(","));
        text + &format!("  {program} play --game {game} --players {count} --bots {bots}\n")
    }

    /// Returns the names in texts about a finished game, which address the only person.
    fn names_at_end(&self) -> PlayerNames {
        PlayerNames::new(self.session.setup(), only_person(&self.session))
    }

    /// Judges the decisions of the finished game by searches, and names its turning point.
    fn review(&self) -> String {
        if self.session.next() != Next::Over || self.session.is_set_up() {
            return "Only a finished game is reviewed.\n".to_owned();
        }
        let names = self.names_at_end();
        let review = || -> Result<String, String> {
            let searches = &ReviewSearches::new(self.game.library(), REVIEW_ITERATIONS)
                .map_err(|error| error.to_string())?;
            let (game, provenance) = (self.game, self.provenance.as_str());
            let reviewer = Reviewer { game, provenance, searches, seed: 1, hinted: &[] };
            let stop = AtomicBool::new(false);
            let (review, _) = reviewer.review(&self.session.record(), &stop, &|| {})?;
            let seat = names.person.map_or(0, Seat::index);
            let whose = match names.person {
                Some(_) => "your win chance".to_owned(),
                None => "the win chance of player 1".to_owned(),
            };
            let size = |event: &ReviewedEvent| event.change[seat].abs();
            let turn = review.events.iter().max_by(|one, other| size(one).total_cmp(&size(other)));
            let turn = turn.map(|event| {
                let ReviewedEvent { round, change, label, .. } = event;
                let (decider, change) = (event.decider(), 100.0 * change[seat]);
                format!(
                    "Turning point: in round {round}, {decider}: {label}; it changed {whose} by \
                     {change:+.0} points."
                )
            });
            Ok([review.answer]
                .into_iter()
                .chain(turn)
                .map(|text| paragraph(&names.insert_into(&text)))
                .collect())
        };
        review().unwrap_or_else(|problem| paragraph(&format!("Not reviewed: {problem}.")))
    }

    pub(super) fn scene(&self) -> Scene {
        self.names.insert_into_scene(self.session.scene(self.session.viewer()))
    }
}

/// Returns an entry of a list: further lines begin below the words, and are about equally long.
fn entry(start: &str, words: &str) -> String {
    let indent = start.chars().count();
    let count = wrap(words, TEXT_WIDTH - indent).len();
    let narrow = (1..=TEXT_WIDTH - indent).map(|width| wrap(words, width));
    let lines = narrow.into_iter().find(|lines| lines.len() == count).unwrap_or_default();
    start.to_owned() + &lines.join(&format!("\n{:indent$}", "")) + "\n"
}
