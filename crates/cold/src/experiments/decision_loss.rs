//! The games of `loss`: what the decisions of bots lose, as a deep search judges them.

use rand::seq::index;
use serde::{Deserialize, Serialize};

use crate::{
    analysis::{
        searched_position::SearchedPosition,
        successors::{ChancesAfter, Successors},
    },
    arena::{
        block_experiment::{BlockExperiment, play_by_block},
        play::{Event, Observer},
        run::{Experiment, JobPlayer, Seating},
    },
    bots::{Bot, BotFactory},
    game::{ActionSet as _, FullGame, Game, MAX_SEATS, Seat},
    rng::{Purpose, random_below, stream},
    stats::Merge,
};

/// Units of a win share in a [`JudgedDecision`].
pub const LOSS_UNITS: i64 = 1_000_000;
/// Sets the searches of a position apart, whose seeds are otherwise near each other.
const SEED_STEP: u64 = 1 << 32;

/// The choices of all judged bots in a position, and last the choice of the judge with another
/// seed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct JudgedDecision {
    /// Win share after the choice of the judge less that after each choice, in units of
    /// 1 / [`LOSS_UNITS`]; negative if the judge finds the other choice better.
    pub losses: Vec<i64>,
    /// True for each choice that is that of the judge.
    pub is_same: Vec<bool>,
    /// The importance of the decision.
    pub stake: Stake,
}

/// The importance of a decision: what another legal action, drawn uniformly, loses in comparison
/// with the choice of the judge. Win shares are in units of 1 / [`LOSS_UNITS`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Stake {
    /// The round.
    pub round: u32,
    /// The first kind of the choice of the judge.
    pub kind: u32,
    /// Win share of the seat after the choice of the judge.
    pub share: i64,
    /// Win share that the other action loses, in the first half of the samples and in the others;
    /// twice the same with one sample.
    pub losses: [i64; 2],
    /// The sum over the other seats of the products of what they gain by it in both halves: with
    /// two samples or more, an unbiased estimate of the sum of squares.
    pub gains_of_others: i64,
}

/// The judged decisions of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct JudgedGame {
    /// Index of the block.
    pub block: u64,
    /// True if the round limit ended the game.
    pub is_capped: bool,
    /// The decisions.
    pub decisions: Vec<JudgedDecision>,
}

/// The games of contiguous blocks, in their order.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct JudgedGames(pub Vec<JudgedGame>);

impl Merge for JudgedGames {
    fn merge(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
    }
}

/// Bots, and how their decisions are judged.
#[derive(Clone, Copy, Debug)]
pub struct LossSettings<'a> {
    /// Bots that are judged.
    pub bots: &'a [BotFactory],
    /// Search that judges them.
    pub judge: &'a BotFactory,
    /// Maximum number of decisions of a game.
    pub decisions: usize,
    /// Searches after each choice.
    pub samples: u64,
}

/// The experiment: games of a lineup, and decisions of other bots in random positions of them.
#[derive(Debug)]
pub struct LossExperiment<'a, G: FullGame> {
    /// The game.
    pub game: &'a G,
    /// The games.
    pub experiment: Experiment<'a>,
    /// Bots and judge.
    pub settings: LossSettings<'a>,
}

/// Observer that keeps the positions in which a seat has a choice.
struct Choices<'p, G: Game>(&'p mut Vec<(G::State, Seat)>);

impl<G: Game> Observer<G> for Choices<'_, G> {
    fn on_event(&mut self, _game: &G, state: &G::State, event: &Event<'_, G>) {
        if let Event::Decision { seat, legal, .. } = *event
            && legal.len() > 1
        {
            self.0.push((*state, seat));
        }
    }
}

impl<G: FullGame> LossExperiment<'_, G> {
    fn judge_game(&self, bots: &mut [Box<dyn Bot<G>>], block: u64, rotation: u64) -> JudgedGame {
        let (game, experiment) = (self.game, &self.experiment);
        let bot_in = experiment.bot_in(&experiment.rotations(), rotation);
        let mut choices = Vec::new();
        let seating = Seating { block, rotation, bot_in };
        let observer = Choices::<G>(&mut choices);
        let end = experiment.play_one(game, bots, &seating, &mut (), observer, None);
        let mut rng = stream(experiment.seed, block, rotation, Purpose::Fork);
        let count = self.settings.decisions.min(choices.len());
        let decisions = index::sample(&mut rng, choices.len(), count).into_iter().map(|index| {
            let (state, seat) = &choices[index];
            let place = (block * experiment.rotations().games_per_block() + rotation) << 16;
            self.judge(state, *seat, place + index as u64)
        });
        let is_capped = game.outcome(&end).hit_round_limit;
        JudgedGame { block, is_capped, decisions: decisions.collect() }
    }

    fn judge(&self, state: &G::State, seat: Seat, place: u64) -> JudgedDecision {
        let (game, experiment) = (self.game, &self.experiment);
        let LossSettings { bots, judge, samples, .. } = self.settings;
        let seed = |number: u64| {
            experiment.seed.wrapping_add(place).wrapping_add((1 + number).wrapping_mul(SEED_STEP))
        };
        let choice = |bot: &BotFactory, number: u64| {
            SearchedPosition::search(bot, game, state, seat, seed(number)).chosen()
        };
        let best = choice(judge, 0);
        let own = (2..).zip(bots).map(|(number, bot)| choice(bot, number));
        let choices: Vec<_> = own.chain([choice(judge, 1)]).collect();
        let mut actions = vec![best];
        for &action in &choices {
            if !actions.contains(&action) {
                actions.push(action);
            }
        }
        let legal = game.legal_actions(state);
        let mut rng = stream(seed(0), 0, 0, Purpose::Fork);
        let others: Vec<_> = legal.iter().filter(|action| *action != best).collect();
        let other = others[random_below(&mut rng, others.len() as u32) as usize];
        if !actions.contains(&other) {
            actions.push(other);
        }
        // Independent of the searches that choose: the choice of the judge has no advantage.
        let successors =
            Successors { game, state, seat, bot: judge, seed: seed(u64::from(u32::MAX)) };
        let after = successors.search(&actions, 0..samples);
        let after = |action: &G::Action| {
            &after[actions.iter().position(|other| other == action).unwrap_or(0)]
        };
        let loss = |action: &G::Action| units(after(&best).of(seat) - after(action).of(seat));
        let kinds = 0..game.action_kinds().len() as u32;
        let is_of_kind = |kind: &u32| legal.subset_of_kind(*kind).contains(best);
        let (losses, gains_of_others) = self.changes(seat, after(&best), after(&other));
        let stake = Stake {
            round: game.round(state),
            kind: kinds.into_iter().find(is_of_kind).unwrap_or(0),
            share: units(after(&best).of(seat)),
            losses,
            gains_of_others,
        };
        JudgedDecision {
            losses: choices.iter().map(loss).collect(),
            is_same: choices.iter().map(|&action| action == best).collect(),
            stake,
        }
    }

    /// Returns [`Stake::losses`] and [`Stake::gains_of_others`] of an action in place of the best.
    fn changes(&self, seat: Seat, best: &ChancesAfter, other: &ChancesAfter) -> ([i64; 2], i64) {
        let middle = best.samples.len() / 2;
        let lost = [0..middle.max(1), middle..best.samples.len()].map(|half| {
            let [best, other] = [best, other]
                .map(|after| ChancesAfter { samples: after.samples[half.clone()].to_vec() }.mean());
            std::array::from_fn::<f64, MAX_SEATS, _>(|seat| best[seat] - other[seat])
        });
        let others = (0..self.game.seats()).filter(|&other| other != seat.index());
        let products = others.map(|other| lost[0][other] * lost[1][other]).sum();
        (lost.map(|lost| units(lost[seat.index()])), units(products))
    }
}

/// Returns a win share in units of 1 / [`LOSS_UNITS`].
fn units(share: f64) -> i64 {
    (share * LOSS_UNITS as f64).round() as i64
}

impl<G: FullGame> BlockExperiment for LossExperiment<'_, G> {
    type Tally = JudgedGames;

    fn experiment(&self) -> &Experiment<'_> {
        &self.experiment
    }

    fn player(&self) -> JobPlayer<'_, JudgedGames> {
        let mut bots = self.experiment.build_bots();
        play_by_block(self, move |block, on_games_finished, games| {
            for rotation in 0..self.games_per_block() {
                games.0.push(self.judge_game(&mut bots, block, rotation));
                on_games_finished(1);
            }
        })
    }
}
