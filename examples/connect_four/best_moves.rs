//! Share of positions in which a bot finds a best move, compared with the exact solver.
//!
//! Positions are reached by random moves and are undecided: nobody has four in a line, and neither
//! seat could complete a line with the next disc. The values of the legal moves differ; positions
//! in which every move has the same result are left out, because any choice is right there. A best
//! move keeps the result of perfect play (win, draw or loss), in any number of moves.

use rayon::prelude::*;
use watershed::{
    bits::select_bit,
    bots::{BotFactory, View},
    game::{Game as _, Seat},
    rng::{Purpose, Rng, random_below, stream},
    stats::ratio::Ratio,
};

use crate::{
    Board, ConnectFour,
    solver::{Solver, Value},
    winning_squares,
};

/// Smallest number of discs of a position.
const MIN_DISCS: u32 = 14;
/// Number of different numbers of discs, up to 22.
const DISC_COUNTS: u32 = 9;

/// A position with its best moves.
pub(crate) struct Puzzle {
    pub(crate) board: Board,
    /// Result of perfect play.
    pub(crate) value: Value,
    /// Set of the squares that keep it.
    pub(crate) best: u64,
}

/// Positions with equally many of each number of discs.
pub(crate) struct PuzzleSet {
    pub(crate) puzzles: Vec<Puzzle>,
    /// Number of undecided positions that were left out because all moves have the same value.
    pub(crate) left_out: u64,
}

impl PuzzleSet {
    pub(crate) fn new(count: u32, seed: u64) -> Self {
        let found: Vec<(Puzzle, u64)> = (0..count)
            .into_par_iter()
            .map_init(Solver::new, |solver, index| {
                let mut rng = stream(seed, index.into(), 0, Purpose::Playout);
                let discs = MIN_DISCS + index % DISC_COUNTS;
                find_puzzle(discs, solver, &mut rng)
            })
            .collect();
        let left_out = found.iter().map(|(_, left_out)| left_out).sum();
        Self { puzzles: found.into_iter().map(|(puzzle, _)| puzzle).collect(), left_out }
    }

    /// Measures a bot.
    pub(crate) fn measure(&self, bot: &BotFactory) -> BestMoves {
        let is_best = |(index, puzzle): (usize, &Puzzle)| {
            let seat = Seat::new(usize::from(puzzle.board.moves % 2));
            let mut rng = stream(1, index as u64, 0, Purpose::Bot(0));
            let legal = ConnectFour.legal_actions(&puzzle.board);
            let view = View::new(&ConnectFour, &puzzle.board, seat);
            let square = bot.build().choose(&view, &legal, &mut rng);
            puzzle.best >> square & 1 == 1
        };
        let is_best: Vec<bool> = self.puzzles.par_iter().enumerate().map(is_best).collect();
        let mut result = BestMoves::default();
        for (puzzle, is_best) in self.puzzles.iter().zip(is_best) {
            result.all.add_block(1, is_best.into());
            let sums = if puzzle.value == Value::Win { &mut result.won } else { &mut result.drawn };
            sums.add_block(1, is_best.into());
        }
        result
    }
}

/// Numbers of positions, and in which of them a bot chose a best move. No position is lost, because
/// then every move has the same result.
#[derive(Default)]
pub(crate) struct BestMoves {
    pub(crate) all: Ratio,
    /// Positions that the seat wins by perfect play.
    pub(crate) won: Ratio,
    /// Positions that are drawn by perfect play.
    pub(crate) drawn: Ratio,
}

/// Draws undecided positions until the values of their moves differ. Returns the position with the
/// number of those before it.
fn find_puzzle(discs: u32, solver: &mut Solver, rng: &mut Rng) -> (Puzzle, u64) {
    let mut left_out = 0;
    loop {
        let Some(board) = random_board(discs, rng) else { continue };
        let winning = [board.own, board.others()].map(|discs| winning_squares(discs, board.all));
        if (winning[0] | winning[1]) & board.open_squares() != 0 {
            continue;
        }
        let values = solver.square_values(&board);
        let Some(&(_, value)) = values.iter().max_by_key(|(_, value)| *value) else { continue };
        if values.iter().all(|(_, other)| *other == value) {
            left_out += 1;
            continue;
        }
        let best = values.iter().filter(|(_, other)| *other == value);
        let best = best.fold(0, |set, (square, _)| set | 1 << square);
        return (Puzzle { board, value, best }, left_out);
    }
}

/// Returns a position after random moves, or nothing if the game ends earlier.
pub(crate) fn random_board(discs: u32, rng: &mut Rng) -> Option<Board> {
    let mut board = Board::EMPTY;
    for _ in 0..discs {
        if board.over {
            return None;
        }
        let open = board.open_squares();
        let square = select_bit(open, random_below(rng, open.count_ones())).trailing_zeros();
        board.put_disc(square as u8);
    }
    (!board.over).then_some(board)
}
