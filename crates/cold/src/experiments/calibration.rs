//! The games of `calibrate`: the searches behind all decisions, with the results.

use serde::{Deserialize, Serialize};

use crate::{
    arena::{
        block_experiment::{BlockExperiment, play_by_block},
        play::{DecisionSearch, SearchObserver},
        run::{Experiment, JobPlayer, Seating},
    },
    bots::Bot,
    game::{ActionSet as _, FullGame, PerSeat, Seat, Turn},
    stats::Merge,
};

/// Search behind a decision.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct SearchedDecision {
    /// The bot, as an index into the lineup.
    pub bot: usize,
    /// Seat to move.
    pub mover: usize,
    /// Kind of the chosen action.
    pub kind: u32,
    /// Rank of the chosen action in the prior, from 0.
    pub rank: usize,
    /// Iterations.
    pub iterations: u64,
    /// Mean reward of each seat in all iterations.
    pub position: PerSeat<f64>,
    /// Mean reward of each seat in the iterations that start with the chosen action.
    pub action: PerSeat<f64>,
}

/// A game with the searches behind its decisions.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SearchedGame {
    /// Index of the block.
    pub block: u64,
    /// Win share of each seat, in units of [`UNITS_PER_WIN`](crate::game::UNITS_PER_WIN).
    pub win_shares: PerSeat<i64>,
    /// True if the round limit ended the game.
    pub is_capped: bool,
    /// Searches in the order of the decisions.
    pub decisions: Vec<SearchedDecision>,
}

/// The games of contiguous blocks, in their order.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SearchedGames(pub Vec<SearchedGame>);

impl Merge for SearchedGames {
    fn merge(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
    }
}

/// The experiment: games of the bots of a lineup, of which the searches are kept.
#[derive(Debug)]
pub struct CalibrationExperiment<'a, G: FullGame> {
    /// The game.
    pub game: &'a G,
    /// The games.
    pub experiment: Experiment<'a>,
    /// The mode of the games that are played; those for which chance draws another one are left
    /// out. `None` for all games.
    pub mode: Option<String>,
}

impl<G: FullGame> CalibrationExperiment<'_, G> {
    /// Returns true if the games of a block are played: chance draws the mode for them.
    fn is_played(&self, block: u64) -> bool {
        let Some(mode) = &self.mode else { return true };
        let (game, initial) = (self.game, self.game.initial());
        let Turn::Chance(source) = game.turn(&initial) else { return false };
        let drawn =
            game.draw_chance(&initial, source, &mut self.experiment.chance_streams(game, block));
        game.modes().iter().any(|(known, outcome)| known.name == mode && *outcome == drawn)
    }
}

impl<G: FullGame> BlockExperiment for CalibrationExperiment<'_, G> {
    type Tally = SearchedGames;

    fn experiment(&self) -> &Experiment<'_> {
        &self.experiment
    }

    fn player(&self) -> JobPlayer<'_, SearchedGames> {
        let mut bots = self.experiment.build_bots();
        play_by_block(self, move |block, on_games_finished, games| {
            if self.is_played(block) {
                let rotations = 0..self.games_per_block();
                let play =
                    |rotation| play_one(self.game, &self.experiment, &mut bots, block, rotation);
                games.0.extend(rotations.map(play));
                on_games_finished(self.games_per_block());
            }
        })
    }
}

fn play_one<G: FullGame>(
    game: &G,
    experiment: &Experiment<'_>,
    bots: &mut [Box<dyn Bot<G>>],
    block: u64,
    rotation: u64,
) -> SearchedGame {
    let bot_in = experiment.bot_in(&experiment.rotations(), rotation);
    let mut decisions = Vec::new();
    let mut on_search = |search: DecisionSearch<'_, G>| {
        let DecisionSearch { bot, legal, action, result, .. } = search;
        // The actions are in descending order of their priors.
        let chosen = result.actions.iter().enumerate().find(|(_, one)| one.action == action);
        let Some((rank, chosen)) = chosen else { return };
        let is_kind = |&kind: &u32| legal.subset_of_kind(kind).contains(action);
        decisions.push(SearchedDecision {
            bot,
            mover: result.seat.index(),
            kind: (0..game.action_kinds().len() as u32).find(is_kind).unwrap_or(0),
            rank,
            iterations: result.iterations,
            position: result.values,
            action: chosen.values,
        });
    };
    let seating = Seating { block, rotation, bot_in };
    let on_search = &mut on_search as &mut SearchObserver<'_, G>;
    let end = experiment.play_one(game, bots, &seating, &mut (), (), Some(on_search));
    let outcome = game.outcome(&end);
    SearchedGame {
        block,
        win_shares: std::array::from_fn(|seat| {
            if seat < game.seats() { outcome.win_share(Seat::new(seat)) } else { 0 }
        }),
        is_capped: outcome.hit_round_limit,
        decisions,
    }
}
