//! Reasons for a difference between actions, by the expected lines after both.
//!
//! A line is played from the position after an action by a quick search in all seats. All actions
//! are played in the same samples: determinizations for the seat that decides, and streams of
//! chance. What most of the lines after one action have and those after the other have not, or have
//! later, is a reason, the larger the more points it is worth. Where nothing differs that much,
//! there is no reason.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, Ordering},
};

use rayon::prelude::*;

use super::searched_position::SearchedPosition;
use crate::{
    bots::{BotFactory, profile::BotLibrary},
    config::ConfigError,
    game::{ActionSet as _, FullGame, Gain, Seat, Turn, enumerate},
    games::labels::player,
    rng::{ChanceStreams, Purpose, stream},
};

/// The bot that plays the lines.
const LINE_BOT: &str = "mcts:iterations=30";
/// Lines after each action.
const SAMPLES: u64 = 6;
/// Maximum number of decisions of a line.
const MAX_DECISIONS: usize = 40;
/// Difference of the shares of lines from which a gain is one of an action alone.
const SHARE: f64 = 0.6;
/// Share of the lines that must agree on a difference of amounts or of turns, less those that
/// contradict it.
const AGREEMENT: f64 = 0.5;
/// Worth of one of an amount from which that of an opponent is a reason.
const RIVAL_WORTH: f64 = 2.0;
/// Points of an objective for each point of a score.
const OBJECTIVE_SCALE: f64 = 10.0;
/// Points of an objective from which it is the difference itself.
const OBJECTIVE: f64 = 50.0;
/// Smallest worth of a reason, in points.
const MIN_WORTH: f64 = 1.0;
/// Share of the worth of a gain that each turn by which it comes later costs.
const TURN_SHARE: f64 = 0.15;
/// Share of the worth of the first reason that the second one must have.
const SECOND_SHARE: f64 = 0.4;

/// Plays expected lines, and compares them in words.
#[derive(Clone, Debug)]
pub struct Reasoner {
    bot: BotFactory,
}

/// The expected lines after an action.
#[derive(Clone, Debug)]
struct ExpectedLines {
    seat: Seat,
    seats: usize,
    is_shared: bool,
    /// True if the parts of scores are points; else shares of objectives, which others may hide.
    has_points: bool,
    lines: Vec<Line>,
}

#[derive(Clone, Debug)]
struct Line {
    /// The gains, each with the number of turns that its seat had begun before, and true if the
    /// action itself has it.
    gains: Vec<(Gain, usize, bool)>,
    /// The parts of the score of each seat at the end of the line: points, or shares of objectives.
    parts: Vec<Vec<(&'static str, i32)>>,
}

impl Reasoner {
    /// Reads the bot that plays the lines.
    ///
    /// # Errors
    /// Returns an error if the library has no search.
    pub fn read(library: &BotLibrary) -> Result<Self, ConfigError> {
        Ok(Self { bot: library.read(LINE_BOT)? })
    }

    /// Returns the reason for the best action against the first of some worse ones, and then the
    /// reasons against each of these, in sentences that begin with `it`.
    pub fn explain<G: FullGame>(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        (best, worse): (G::Action, &[G::Action]),
        search: (u64, &AtomicBool),
    ) -> Vec<Option<String>> {
        let actions: Vec<_> = [best].iter().chain(worse).copied().collect();
        let lines = match worse {
            [] => Vec::new(),
            _ => self.play(game, state, seat, &actions, search),
        };
        let [best, worse @ ..] = &lines[..] else { return vec![None] };
        let reason = sentence(best.advantages(&worse[0]), 0);
        let drawbacks = worse.iter().map(|other| sentence(best.advantages(other), 1));
        [reason].into_iter().chain(drawbacks).collect()
    }

    /// Plays the lines after each of several actions of a seat, on the threads of the current pool.
    /// If `stop` becomes true, they end soon, and mean nothing.
    fn play<G: FullGame>(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        actions: &[G::Action],
        (seed, stop): (u64, &AtomicBool),
    ) -> Vec<ExpectedLines> {
        let played: Vec<_> = actions
            .par_iter()
            .flat_map(|&action| (0..SAMPLES).into_par_iter().map(move |sample| (action, sample)))
            .map(|(action, sample)| {
                let mut hidden = stream(seed, sample, 0, Purpose::Determinization);
                let start = game.determinize(state, seat, &mut hidden);
                self.play_line(game, start, action, (seed, sample), stop)
            })
            .collect();
        let lines = played.chunks(SAMPLES as usize);
        let expected = lines.map(|lines| ExpectedLines {
            seat,
            seats: game.seats(),
            is_shared: game.is_shared(state),
            has_points: !game.wins_are_independent(),
            lines: lines.to_vec(),
        });
        expected.collect()
    }

    /// Plays a line from an action on.
    fn play_line<G: FullGame>(
        &self,
        game: &G,
        mut state: G::State,
        action: G::Action,
        (seed, sample): (u64, u64),
        stop: &AtomicBool,
    ) -> Line {
        let mut chance = ChanceStreams::new(seed, sample, game.chance_sources().len());
        let (mut gains, mut decisions) = (Vec::new(), 0);
        let mut turns = vec![0; game.seats()];
        let (mut next, mut last, first_round) = (Some(action), None, game.round(&state));
        loop {
            let action = match game.turn(&state) {
                Turn::Over => break,
                Turn::Chance(source) => game.draw_chance(&state, source, &mut chance),
                Turn::Seat(seat) => {
                    if decisions == MAX_DECISIONS || stop.load(Ordering::Relaxed) {
                        break;
                    }
                    decisions += 1;
                    turns[seat.index()] += usize::from(last != Some(seat));
                    last = Some(seat);
                    let legal = game.legal_actions(&state);
                    let is_first = next.is_some();
                    let action = next.take().unwrap_or_else(|| match legal.len() {
                        1 => legal.nth(0),
                        _ => SearchedPosition::search(&self.bot, game, &state, seat, seed ^ sample)
                            .chosen(),
                    });
                    let is_now = game.round(&state) == first_round;
                    for gain in game.gains(&state, action) {
                        if is_now || !gain.is_brief {
                            let turns = turns[gain.seat.index()];
                            gains.push((gain, turns, is_first));
                        }
                    }
                    action
                }
            };
            game.apply(&mut state, action);
        }
        let seats = (0..game.seats()).map(Seat::new);
        let parts = seats.map(|seat| game.score_breakdown(&state, seat));
        Line { gains, parts: parts.collect() }
    }
}

/// An advantage of the lines after an action.
struct Advantage {
    /// The seat and the part of the score.
    topic: (usize, &'static str),
    /// The worth in points.
    worth: f64,
    /// The advantage as one of the action, and as a disadvantage of the other one.
    phrases: [String; 2],
}

/// The mean difference of an amount over pairs of lines, and the share of the pairs in which the
/// difference has the sign of the mean, less that of the other sign.
struct AmountPair {
    difference: f64,
    agreement: f64,
}

impl AmountPair {
    fn new(pairs: &[(f64, f64)]) -> Self {
        let count = pairs.len() as f64;
        let difference = pairs.iter().map(|(one, other)| one - other).sum::<f64>() / count;
        let sign = |difference: f64| if difference == 0.0 { 0.0 } else { difference.signum() };
        let signs: f64 = pairs.iter().map(|(one, other)| sign(one - other)).sum();
        Self { difference, agreement: signs * sign(difference) / count }
    }
}

/// Returns the first two advantages, of different kinds, in a sentence: as those of the action, as
/// in `it keeps the bonus token of 6 points from player 2`, with the phrase 0, and as disadvantages
/// of the other one, as in `it leaves the bonus token of 6 points to player 2`, with the phrase 1;
/// `None` if there are none.
fn sentence(advantages: Vec<Advantage>, phrase: usize) -> Option<String> {
    let first = advantages.first()?.worth;
    let mut topics: Vec<(usize, &str)> = Vec::new();
    let mut phrases = Vec::new();
    for Advantage { topic, worth, phrases: [gain, loss] } in advantages {
        if !topics.contains(&topic) && phrases.len() < 2 && worth >= SECOND_SHARE * first {
            topics.push(topic);
            phrases.push(if phrase == 0 { gain } else { loss });
        }
    }
    Some(format!("it {}", enumerate(phrases.into_iter())))
}

impl ExpectedLines {
    /// Returns the advantages over another action, the largest first.
    fn advantages(&self, other: &Self) -> Vec<Advantage> {
        let mut advantages = self.things(other);
        advantages.extend(self.amounts(other));
        advantages.retain(|advantage| advantage.worth >= MIN_WORTH);
        advantages.sort_by(|one, other| other.worth.total_cmp(&one.worth));
        advantages
    }

    /// Returns a seat's place in sentences: that of the decider for all that win together.
    fn owner(&self, seat: Seat) -> usize {
        if self.is_shared { self.seat.index() } else { seat.index() }
    }

    /// Returns the first turn in which a seat has each single thing in each line.
    fn first_turns(&self) -> BTreeMap<(usize, &str), FirstTurns<'_>> {
        let mut first: BTreeMap<_, FirstTurns<'_>> = BTreeMap::new();
        for (index, line) in self.lines.iter().enumerate() {
            for (gain, turn, is_first) in &line.gains {
                if gain.amount.is_some() {
                    continue;
                }
                let entry = first.entry((self.owner(gain.seat), gain.name.as_str()));
                let entry = entry.or_insert_with(|| FirstTurns {
                    gain,
                    turns: vec![None; self.lines.len()],
                    is_action: false,
                });
                entry.turns[index].get_or_insert(*turn);
                entry.is_action |= is_first;
            }
        }
        first
    }

    /// Returns the single things that come earlier, or to nobody else.
    fn things(&self, other: &Self) -> Vec<Advantage> {
        let (ours, theirs) = (self.first_turns(), other.first_turns());
        let own = self.seat.index();
        let share = |lines: &BTreeMap<_, FirstTurns<'_>>, key: &(usize, &str)| {
            lines.get(key).map_or(0.0, FirstTurns::share)
        };
        // The opponent that has a thing in most of the other lines more often than in these.
        let taker = |name: &str| {
            let more = |&seat: &usize| share(&theirs, &(seat, name)) - share(&ours, &(seat, name));
            let others = (0..self.seats).filter(|&seat| seat != own && !self.is_shared);
            others.filter(|seat| more(seat) >= SHARE).max_by(|a, b| more(a).total_cmp(&more(b)))
        };
        let mut advantages = Vec::new();
        for (&(seat, name), first) in ours.iter().filter(|((seat, _), _)| *seat == own) {
            let (gain, worth) = (first.gain, f64::from(first.gain.worth));
            let (with, without) = (first.share(), share(&theirs, &(seat, name)));
            let topic = (own, gain.part);
            if with - without >= SHARE {
                let taker = taker(name).map(|seat| player(Seat::new(seat)));
                let phrases = match taker {
                    Some(taker) => [
                        format!("takes {name} ahead of {taker}"),
                        format!("leaves {name} to {taker}"),
                    ],
                    // The action says so itself.
                    None if first.is_action => continue,
                    None => [format!("leads to {name}"), format!("gives up {name}")],
                };
                advantages.push(Advantage { topic, worth: worth * (with - without), phrases });
            } else if let Some(then) = theirs.get(&(seat, name)).filter(|_| !first.is_action) {
                let pairs = first.turns.iter().zip(&then.turns);
                let pairs =
                    pairs.filter_map(|(one, other)| Some(((*other)? as f64, (*one)? as f64)));
                let pairs: Vec<_> = pairs.collect();
                let later = AmountPair::new(&pairs);
                let is_usual = pairs.len() as f64 >= AGREEMENT * self.lines.len() as f64;
                if is_usual && later.difference >= 1.0 && later.agreement >= AGREEMENT {
                    let turns = match later.difference.round() as u32 {
                        1 => "a turn".to_owned(),
                        turns => format!("{turns} turns"),
                    };
                    let worth = worth * TURN_SHARE * later.difference.min(4.0);
                    let phrases = [
                        format!("brings {name} {turns} sooner"),
                        format!("brings {name} {turns} later"),
                    ];
                    advantages.push(Advantage { topic, worth, phrases });
                }
            }
        }
        for (&(seat, name), then) in theirs.iter().filter(|((seat, _), _)| *seat != own) {
            let lost = then.share() - share(&ours, &(seat, name));
            let is_taken = share(&ours, &(own, name)) - share(&theirs, &(own, name)) >= SHARE;
            if lost >= SHARE && !is_taken {
                let rival = player(Seat::new(seat));
                advantages.push(Advantage {
                    topic: (seat, then.gain.part),
                    worth: f64::from(then.gain.worth) * lost * self.rival_share(),
                    phrases: [
                        format!("keeps {name} from {rival}"),
                        format!("leaves {name} to {rival}"),
                    ],
                });
            }
        }
        advantages
    }

    /// Returns the parts of scores and the amounts that are larger, or smaller for an opponent.
    fn amounts(&self, other: &Self) -> Vec<Advantage> {
        let own = self.seat.index();
        let mut keys: BTreeMap<(usize, &str), (&'static str, f64, bool)> = BTreeMap::new();
        for line in self.lines.iter().chain(&other.lines) {
            for (seat, parts) in line.parts.iter().enumerate() {
                let seat_parts = parts.iter().filter(|_| self.has_points || seat == own);
                for &(part, _) in seat_parts {
                    keys.insert((self.owner(Seat::new(seat)), part), (part, 1.0, true));
                }
            }
            for (gain, ..) in line.gains.iter().filter(|(gain, ..)| gain.amount.is_some()) {
                let owner = (self.owner(gain.seat), gain.name.as_str());
                keys.insert(owner, (gain.part, f64::from(gain.worth), false));
            }
        }
        let amount = |line: &Line, owner: usize, name: &str| {
            let is_own = |seat| self.owner(seat) == owner;
            let parts = line.parts.iter().enumerate();
            let parts = parts.filter(|(seat, _)| is_own(Seat::new(*seat)));
            let parts = parts.flat_map(|(_, parts)| parts).filter(|(part, _)| *part == name);
            let gains = line.gains.iter().map(|(gain, ..)| gain);
            let gains = gains.filter(|gain| is_own(gain.seat) && gain.name == name);
            let sum = parts.map(|(_, points)| *points).sum::<i32>();
            f64::from(sum + gains.filter_map(|gain| gain.amount).sum::<i32>())
        };
        let advantage = |(&(owner, name), &(part, worth, is_points)): (&(usize, &str), &_)| {
            let pairs = self.lines.iter().zip(&other.lines);
            let pairs: Vec<_> = pairs
                .map(|(one, other)| (amount(one, owner, name), amount(other, owner, name)))
                .collect();
            let AmountPair { difference, agreement } = AmountPair::new(&pairs);
            let is_own = owner == own;
            let number = difference.abs().round();
            let is_told = is_own || is_points || worth >= RIVAL_WORTH;
            if !is_told || agreement < AGREEMENT || number < 1.0 || is_own != (difference > 0.0) {
                return None;
            }
            if is_points && !self.has_points {
                let phrases = if number >= OBJECTIVE {
                    ["leads to", "gives up"].map(|verb| format!("{verb} the objective of {name}"))
                } else {
                    [
                        format!("brings the objective of {name} closer"),
                        format!("sets the objective of {name} back"),
                    ]
                };
                let worth = difference / OBJECTIVE_SCALE;
                return Some(Advantage { topic: (owner, part), worth, phrases });
            }
            let noun = if number > 1.0 { "points" } else { "point" };
            let [more, amount] = match (is_points, number) {
                (true, _) => [
                    format!("about {number} more {noun} for {name}"),
                    format!("about {number} {noun} for {name}"),
                ],
                (false, 1.0) => [format!("more {name}"), name.to_owned()],
                _ => [format!("about {number} more {name}"), format!("about {number} {name}")],
            };
            let rival = player(Seat::new(owner));
            let (worth, phrases) = if is_own {
                (worth, [format!("brings {more}"), format!("costs {amount}")])
            } else {
                let phrases = [format!("costs {rival} {amount}"), format!("brings {rival} {more}")];
                (worth * self.rival_share(), phrases)
            };
            Some(Advantage { topic: (owner, part), worth: worth * difference.abs(), phrases })
        };
        keys.iter().filter_map(advantage).collect()
    }

    /// Returns the worth of a point of one opponent, in own points.
    fn rival_share(&self) -> f64 {
        1.0 / self.seats.saturating_sub(1).max(1) as f64
    }
}

/// The first turns of the lines in which a seat has a thing.
struct FirstTurns<'a> {
    gain: &'a Gain,
    /// The turn in each line; `None` if the seat has it never.
    turns: Vec<Option<usize>>,
    /// True if the action itself has it.
    is_action: bool,
}

impl FirstTurns<'_> {
    /// Returns the share of the lines in which the seat has it.
    fn share(&self) -> f64 {
        self.turns.iter().flatten().count() as f64 / self.turns.len() as f64
    }
}
