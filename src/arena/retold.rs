//! The same deals played by two versions of a game's data: figures of every block, to be compared block by block.

use std::{ops::Range, sync::atomic::AtomicBool};

use super::{
    play::Observer,
    run::{Experiment, Table, in_order},
};
use crate::{
    bots::Bot,
    game::{FullGame, MAX_SEATS, Outcome, Seat, Source, WIN},
    stats::difference::Difference,
};

/// The figures of a game: their names, and how many units of a count make one.
const FIGURES: [(&str, f64); FIGURE_COUNT] = [
    ("rounds", 1.0),
    ("decisions", 1.0),
    ("mean_score", SHARES as f64),
    ("winning_margin", 1.0),
    ("capped", 1.0),
    ("win_share_seat_0", WIN as f64),
    ("win_share_seat_1", WIN as f64),
    ("win_share_seat_2", WIN as f64),
    ("win_share_seat_3", WIN as f64),
    ("win_share_seat_4", WIN as f64),
];

/// The figure of the first seat's win share.
const FIRST_SEAT: usize = 5;

/// How many figures there are.
pub const FIGURE_COUNT: usize = FIRST_SEAT + MAX_SEATS;

/// The figure that counts games that the round limit ended.
pub const CAPPED: usize = 4;

/// A mean over 1 to 5 seats is a whole number of these parts.
const SHARES: i64 = 60;

/// Sums over the games of a block.
pub type BlockFigures = [i64; FIGURE_COUNT];

/// The names of the figures of a game with this many seats, each with how many units of a count make one.
pub fn figures(seats: usize) -> &'static [(&'static str, f64)] {
    &FIGURES[..FIRST_SEAT + seats]
}

/// The figures of all blocks in their order. When `stop` becomes true, the blocks in flight are finished.
pub fn play<G: FullGame>(experiment: &Experiment<'_, G>, stop: &AtomicBool, played: &(dyn Fn(u64) + Sync)) -> Vec<BlockFigures> {
    let mut all = Vec::new();
    let merge = |mut part: Vec<BlockFigures>| {
        all.append(&mut part);
        Ok::<_, std::convert::Infallible>(())
    };
    let play = |bots: &mut Vec<_>, job| play_job(experiment, bots, job, played);
    let Ok(()) = in_order(experiment.blocks.clone(), MOST_BLOCKS, stop, || experiment.bots_of_thread(), play, merge);
    all
}

/// The difference of every figure, `after` less `before`, over the blocks that both have; `games` is how many a block has.
pub fn differences(after: &[BlockFigures], before: &[BlockFigures], games: u64) -> [Difference; FIGURE_COUNT] {
    std::array::from_fn(|figure| {
        let mut difference = Difference::default();
        for (after, before) in after.iter().zip(before) {
            difference.add_block([games as i64, after[figure], games as i64, before[figure]]);
        }
        difference
    })
}

/// The most blocks of a job.
const MOST_BLOCKS: u64 = 1024;

fn play_job<G: FullGame>(
    experiment: &Experiment<'_, G>,
    bots: &mut [Box<dyn Bot<G>>],
    job: Range<u64>,
    played: &(dyn Fn(u64) + Sync),
) -> Vec<BlockFigures> {
    let rotations = experiment.rotations();
    let play_block = |block| {
        let mut game = GameFigures { figures: [0; FIGURE_COUNT] };
        for rotation in 0..rotations.len() {
            let table = Table { block, rotation, bot_in: experiment.bot_in(&rotations, rotation) };
            experiment.play_one(bots, &table, (), &mut game, None);
        }
        played(rotations.len());
        game.figures
    };
    job.map(play_block).collect()
}

/// Adds up the figures of games.
struct GameFigures {
    figures: BlockFigures,
}

impl GameFigures {
    fn add(&mut self, outcome: &Outcome, seats: usize) {
        let scores = &outcome.scores[..seats];
        let mut descending = scores.to_vec();
        descending.sort_unstable_by(|one, other| other.cmp(one));
        let margin = descending.first().zip(descending.get(1)).map_or(0, |(best, second)| best - second);
        self.figures[0] += i64::from(outcome.rounds);
        self.figures[2] += scores.iter().map(|&score| i64::from(score)).sum::<i64>() * (SHARES / seats as i64);
        self.figures[3] += i64::from(margin);
        self.figures[CAPPED] += i64::from(outcome.capped);
        for seat in 0..seats {
            self.figures[FIRST_SEAT + seat] += outcome.win_share(Seat::new(seat));
        }
    }
}

impl<G: FullGame> Observer<G> for GameFigures {
    fn chance(&mut self, _game: &G, _state: &G::State, _source: Source, _outcome: G::Action) {}

    fn decision(&mut self, _game: &G, _state: &G::State, _seat: Seat, _legal: &G::Actions, _action: G::Action) {
        self.figures[1] += 1;
    }

    fn end(&mut self, game: &G, state: &G::State) {
        self.add(&game.outcome(state), game.seats());
    }
}
