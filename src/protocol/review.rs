//! Reviews of games: the win chances before and after each event, luck, and mistakes.

use std::sync::atomic::AtomicBool;

use serde::Serialize;

use super::words::join_with_and;
use crate::{
    analysis::{
        ledger::{AnnotatedEvent, Annotation, LedgerSource, Merit, Mistake, Skill},
        named::NamedAction,
        review_searches::ReviewSearches,
    },
    arena::record::Record,
    bots::{opponents::Opponent, profile::ProfileLibrary},
    bound::BoundGame,
    erased::{AnyAction, AnyState},
    game::{Notation as _, Seat, Turn},
    scene::capitalize,
    stats::ratio::Estimate,
};

/// The name and version of the format.
const FORMAT: &str = "watershed.review/2";

/// The review of a finished game. Chances are written exactly, so that they add up.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GameReview {
    /// The name and version of the format.
    pub format: &'static str,
    /// The game.
    pub game: String,
    /// SHA-256 of the data file.
    pub config_sha256: String,
    /// The provenance of the data.
    pub provenance: String,
    /// Number of players.
    pub players: usize,
    /// The player of each seat: `human` or a bot.
    pub bots: Vec<String>,
    /// Index of the game in its run.
    pub index: u64,
    /// The seed of the searches.
    pub seed: u64,
    /// The answer in sentences: who won, the skill of each player, the luck of the winner, and the
    /// costliest decision.
    pub answer: String,
    /// True if the win chances are calibrated.
    pub calibrated: bool,
    /// Iterations of the searches of each decision; more where two of them differed.
    pub iterations: u32,
    /// The skill of each seat; null without decisions that matter.
    pub skill: Vec<Option<SeatSkill>>,
    /// By how much chance changed the win chance of each seat, from -1 to 1.
    pub luck: Vec<f64>,
    /// Win chance of each seat before the first event.
    pub start: Vec<f64>,
    /// Win share of each seat.
    pub end: Vec<f64>,
    /// The events.
    pub events: Vec<ReviewedEvent>,
    /// The sums of the changes by their sources.
    pub ledger: Vec<SourceChanges>,
}

/// The skill of a seat in the decisions that matter, with a 95 % interval over these.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SeatSkill {
    /// The skill: 1 if decisions cost nothing, halved with each 5 percentage points that one costs.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Number of decisions that matter: a random action, or the one played, loses 1 percentage
    /// point or more.
    pub decisions: i64,
    /// Mean win chance that these cost.
    pub lost: f64,
    /// The opponent whose measured skill is the nearest, with its rating; null if none is.
    pub like: Option<String>,
}

/// An event of a reviewed game.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReviewedEvent {
    /// Its number, from 0.
    pub n: usize,
    /// The seat that decided; null for chance.
    pub seat: Option<usize>,
    /// Round of the position before the event.
    pub round: u32,
    /// The action or outcome.
    pub action: String,
    /// The action or outcome in words.
    pub label: String,
    /// `luck` or `decision`.
    pub kind: &'static str,
    /// Number of legal actions or outcomes.
    pub choices: usize,
    /// Win chance of each seat before the event.
    pub before: Vec<f64>,
    /// Win chance of each seat after the event.
    pub after: Vec<f64>,
    /// Change of each win chance by luck or by the cost of the decision.
    pub change: Vec<f64>,
    /// Change of each win chance because the searches changed their mind.
    pub revision: Vec<f64>,
    /// The best action, if it is better than a decision.
    pub best: Option<String>,
    /// The best action in words.
    pub best_label: Option<String>,
    /// Win chance that the decision costs the seat that decided.
    pub loss: Option<f64>,
    /// Win chance that a random action of the decision loses.
    pub stake: f64,
    /// The size of a mistake: `inaccuracy`, `mistake` or `blunder`.
    pub mistake: Option<&'static str>,
    /// The merit of the best decision: `only move` or `best move`.
    pub merit: Option<&'static str>,
    /// Why another action is better than a mistake, as in `because it keeps the place to produce
    /// stone from player 2`.
    pub reason: Option<String>,
    /// True if the action or the best one is a part of a combination, which could begin with other
    /// parts.
    pub is_combined: bool,
}

/// The changes of the win chances by a source.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SourceChanges {
    /// The source.
    pub source: String,
    /// Number of events.
    pub events: u64,
    /// Sum of the changes of each win chance.
    pub changes: Vec<f64>,
}

/// The searches that review games.
#[derive(Clone, Copy, Debug)]
pub struct Reviewer<'a> {
    /// The game with its rules.
    pub game: &'a BoundGame,
    /// The provenance of the data.
    pub provenance: &'a str,
    /// The searches.
    pub searches: &'a ReviewSearches,
    /// The seed of the searches.
    pub seed: u64,
    /// The events of decisions for which a hint was given.
    pub hinted: &'a [usize],
}

/// The annotation of a game, with its positions.
pub type GameAnnotation = Annotation<AnyState, AnyAction>;

impl GameReview {
    /// Returns the mistakes.
    pub fn mistakes(&self) -> impl Iterator<Item = &ReviewedEvent> {
        self.events.iter().filter(|event| event.mistake.is_some())
    }

    /// Returns the loss and the stake of the decisions of a seat between several actions.
    pub fn decisions(&self, seat: usize) -> impl Iterator<Item = (f64, f64)> {
        let own = self.events.iter().filter(move |event| event.seat == Some(seat));
        own.filter(|event| event.choices > 1).map(|event| (event.cost(), event.stake))
    }

    /// Returns the skill of a seat; `None` without decisions that matter.
    fn skill(&self, seat: usize, bots: &ProfileLibrary) -> Option<SeatSkill> {
        let mut skill = Skill::default();
        self.decisions(seat).for_each(|decision| skill.add_block(&[decision]));
        let Estimate { n, value, low, high } = skill.estimate()?;
        Some(SeatSkill {
            value,
            low,
            high,
            decisions: n,
            lost: skill.lost()?.value,
            like: bots.opponent_of_skill(value).and_then(|Opponent { title, rating, .. }| {
                Some(format!("{title} ({:.0})", rating.as_ref()?.value))
            }),
        })
    }

    /// Returns the answer in sentences.
    fn answer(&self, winners: &[usize]) -> String {
        let names: Vec<_> = winners.iter().map(|&seat| player(seat)).collect();
        let mut sentence = match &names[..] {
            [] => "Nobody won.".to_owned(),
            names => format!("{} won.", capitalize(&join_with_and(names))),
        };
        for (seat, skill) in self.skill.iter().enumerate() {
            let Some(SeatSkill { value, low, high, decisions, lost, like }) = skill else {
                continue;
            };
            let like = like.as_ref().map(|name| format!(" like {name}")).unwrap_or_default();
            let [value, low, high, lost] = [value, low, high, lost].map(|share| 100.0 * share);
            sentence += &format!(
                " {} decided{like}: skill {value:.0} of 100 [{low:.0}, {high:.0}], {lost:.1} \
                 points lost a decision ({decisions}).",
                capitalize(&player(seat)),
            );
        }
        if let &[winner] = winners {
            let luck = 100.0 * self.luck[winner];
            sentence += &format!(" Luck changed the chance of the winner by {luck:+.0} points.");
        }
        sentence + &self.mistakes_sentence()
    }

    /// Returns the number of mistakes and the costliest one, after a space.
    fn mistakes_sentence(&self) -> String {
        let counts = Mistake::ALL.iter().rev().filter_map(|&size| {
            let name = size.as_str();
            let count = self.mistakes().filter(|event| event.mistake == Some(name)).count();
            match (count, size) {
                (0, _) => None,
                (1, _) => Some(format!("1 {name}")),
                (_, Mistake::Inaccuracy) => Some(format!("{count} inaccuracies")),
                _ => Some(format!("{count} {name}s")),
            }
        });
        let counts: Vec<_> = counts.collect();
        let costliest = self.mistakes().max_by(|one, other| one.cost().total_cmp(&other.cost()));
        let Some(event) = costliest else {
            return " No decision is shown to be a mistake.".to_owned();
        };
        let (counts, decider) = (capitalize(&join_with_and(&counts)), event.decider());
        let round = match event.round {
            0 => "the setup".to_owned(),
            round => format!("round {round}"),
        };
        let cost = event.cost_text();
        format!(" {counts}; the costliest, by {decider} in {round}, {cost}.")
    }
}

impl ReviewedEvent {
    /// Returns the cost of a decision; 0 if no better action was found.
    pub fn cost(&self) -> f64 {
        self.loss.unwrap_or_default()
    }

    /// Returns the cost of a decision in words.
    pub fn cost_text(&self) -> String {
        format!("costs {:.1} points", 100.0 * self.cost())
    }

    /// Returns who decided.
    pub fn decider(&self) -> String {
        self.seat.map_or_else(|| "chance".to_owned(), player)
    }
}

impl Reviewer<'_> {
    /// Reviews the game of a record on the threads of the current pool, as
    /// [`BoundGame::annotate`]. Fails soon after `stop` becomes true.
    ///
    /// # Errors
    /// Returns the first difference of the record from the rules, or that the review was stopped.
    pub fn review(
        &self,
        record: &Record,
        stop: &AtomicBool,
        on_event: &(dyn Fn() + Sync),
    ) -> Result<(GameReview, GameAnnotation), String> {
        let annotator = self.searches.annotator(self.seed, self.hinted, stop);
        let annotation = self.game.annotate(&annotator, record, on_event)?;
        Ok((self.describe(record, &annotation), annotation))
    }

    fn describe(&self, record: &Record, annotation: &GameAnnotation) -> GameReview {
        let Self { game, searches, .. } = self;
        let ledger = annotation.ledger();
        let chances = |values: &[f64]| values[..annotation.seats].to_vec();
        let luck = |seat: usize| -> f64 {
            let rows = ledger.iter().filter(|row| matches!(row.source, LedgerSource::Luck(_)));
            rows.map(|row| row.changes[seat]).sum()
        };
        let rows = ledger.iter().map(|row| SourceChanges {
            source: match row.source {
                LedgerSource::Luck(index) => {
                    format!("luck: {}", game.chance_sources()[usize::from(index)])
                }
                LedgerSource::Decisions(seat) => format!("decisions of {}", player(seat.index())),
                LedgerSource::Revisions => "revisions".to_owned(),
            },
            events: row.events,
            changes: chances(&row.changes),
        });
        let events = annotation.events.iter().enumerate();
        let review = GameReview {
            format: FORMAT,
            game: record.game.clone(),
            config_sha256: record.config_sha256.clone(),
            provenance: self.provenance.to_owned(),
            players: annotation.seats,
            bots: record.bots.clone(),
            index: record.index,
            seed: self.seed,
            answer: String::new(),
            calibrated: searches.calibration().is_some(),
            iterations: searches.iterations(),
            skill: Vec::new(),
            luck: (0..annotation.seats).map(luck).collect(),
            start: chances(&annotation.start),
            end: chances(&annotation.end),
            events: events.map(|(number, event)| self.event(number, event)).collect(),
            ledger: rows.collect(),
        };
        let bots = &game.library().profiles;
        let skill = (0..annotation.seats).map(|seat| review.skill(seat, bots)).collect();
        let review = GameReview { skill, ..review };
        let winners = record.winners.as_deref().unwrap_or_default();
        GameReview { answer: review.answer(winners), ..review }
    }

    fn event(&self, number: usize, event: &AnnotatedEvent<AnyState, AnyAction>) -> ReviewedEvent {
        let seats = self.game.seats();
        let rules = self.game.rules();
        let cost = event.cost.as_ref();
        let NamedAction { notation, label } = NamedAction::new(rules, event.action);
        let (best, best_label) = match cost.map(|cost| NamedAction::new(rules, cost.best)) {
            Some(NamedAction { notation, label }) => (Some(notation), Some(label)),
            None => (None, None),
        };
        let is_combined = |notation: &String| {
            rules.combined_words().contains(&notation.split(':').next().unwrap_or_default())
        };
        let seat = match event.turn {
            Turn::Seat(seat) => Some(seat.index()),
            _ => None,
        };
        ReviewedEvent {
            n: number,
            seat,
            round: event.round,
            is_combined: is_combined(&notation) || best.iter().any(is_combined),
            action: notation,
            label,
            kind: if seat.is_some() { "decision" } else { "luck" },
            choices: event.choices,
            before: event.before[..seats].to_vec(),
            after: event.after[..seats].to_vec(),
            change: (0..seats).map(|seat| event.change(Seat::new(seat))).collect(),
            revision: (0..seats).map(|seat| event.revision(Seat::new(seat))).collect(),
            best,
            best_label,
            loss: cost.map(|cost| cost.loss),
            stake: event.stake,
            mistake: cost.and_then(|cost| cost.mistake.map(Mistake::as_str)),
            merit: event.merit.map(Merit::as_str),
            reason: event.reason.clone(),
        }
    }
}

/// Returns a seat as people count them.
pub fn player(seat: usize) -> String {
    format!("player {}", seat + 1)
}
