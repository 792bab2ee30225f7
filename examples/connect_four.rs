//! Connect Four: how to teach the library a game of one's own, and a yardstick for its speed.
//!
//! ```console
//! $ cargo run --release --example connect_four                  # the search plays itself
//! $ cargo run --release --example connect_four -- bench --json  # how fast it is
//! ```
//!
//! A game is a type that implements [`Game`]: who decides, what is legal, what an action does, how it ended. Everything else follows.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a program")]

use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

use watershed::{
    bits::select,
    game::{ActionSet, Game, Outcome, Seat, Turn},
    rng::{Purpose, Rng, below, stream},
    search::{
        mcts::{Guide, Search, Settings},
        playout::Uniform,
    },
};

const COLUMNS: u32 = 7;
const ROWS: u32 = 6;
/// A column of bits has one more than it has rows, always empty, so that a line never runs from one column into the next.
const HEIGHT: u32 = ROWS + 1;
/// The lowest place of each column.
const BOTTOM: u64 = 0x0000_0408_1020_4081;
const TOP: u64 = BOTTOM << (ROWS - 1);

/// The rules need no data.
struct ConnectFour;

/// Discs as sets of bits: bit r + 7c is row r of column c, from below and from the left.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Board {
    /// The discs of the seat that moves next.
    own: u64,
    /// The discs of both seats.
    all: u64,
    moves: u8,
    over: bool,
}

impl Board {
    const EMPTY: Self = Self { own: 0, all: 0, moves: 0, over: false };

    /// The discs of the seat that moved last.
    fn others(&self) -> u64 {
        self.own ^ self.all
    }

    /// The columns that are not full, bit c for column c.
    fn open_columns(&self) -> u8 {
        /// Moves the lowest bit of each column to bit 36 + c.
        const GATHER: u64 = 0x0000_0010_4104_1041;
        let open = (!self.all & TOP) >> (ROWS - 1);
        (open.wrapping_mul(GATHER) >> 36) as u8 & 0x7f
    }

    fn drop_disc(&mut self, column: u8) {
        // Adding to the lowest place carries up to the first empty one.
        let disc = (self.all + (1 << (HEIGHT * u32::from(column)))) & !self.all;
        let mover = self.own | disc;
        self.own = self.others();
        self.all |= disc;
        self.moves += 1;
        self.over = four_in_a_line(mover) || self.all & TOP == TOP;
    }
}

/// Whether a set has four in a line: up, across, or along a diagonal.
fn four_in_a_line(discs: u64) -> bool {
    let along = |step: u32| {
        let pairs = discs & discs >> step;
        pairs & pairs >> (2 * step)
    };
    along(1) | along(HEIGHT) | along(HEIGHT - 1) | along(HEIGHT + 1) != 0
}

/// The legal actions: an action is a column, bit c for column c.
#[derive(Clone, Copy, Debug)]
struct Columns(u8);

impl ActionSet for Columns {
    type Action = u8;

    fn len(&self) -> usize {
        self.0.count_ones() as usize
    }

    fn nth(&self, index: usize) -> u8 {
        select(self.0.into(), index as u32) as u8
    }

    fn contains(&self, column: u8) -> bool {
        self.0 >> column & 1 == 1
    }

    fn remove(&mut self, column: u8) {
        self.0 &= !(1 << column);
    }

    fn kinds(&self) -> u32 {
        1
    }

    fn of_kind(&self, _kind: u32) -> Self {
        *self
    }
}

impl Game for ConnectFour {
    type State = Board;
    type Action = u8;
    type Actions = Columns;

    fn seats(&self) -> usize {
        2
    }

    fn sources(&self) -> &'static [&'static str] {
        &[]
    }

    fn action_kinds(&self) -> &'static [&'static str] {
        &["drop"]
    }

    fn initial(&self) -> Board {
        Board::EMPTY
    }

    fn turn(&self, board: &Board) -> Turn {
        if board.over { Turn::Over } else { Turn::Seat(Seat::new(usize::from(board.moves % 2))) }
    }

    fn legal_actions(&self, board: &Board) -> Columns {
        Columns(board.open_columns())
    }

    fn chance_outcomes(&self, _board: &Board) -> Vec<(u8, u32)> {
        Vec::new()
    }

    fn sample_chance(&self, _board: &Board, _rng: &mut Rng) -> u8 {
        unreachable!("nothing is left to chance")
    }

    fn apply(&self, board: &mut Board, column: u8) {
        board.drop_disc(column);
    }

    fn round(&self, board: &Board) -> u32 {
        board.moves.into()
    }

    fn outcome(&self, board: &Board) -> Outcome {
        // A full board without a line is shared.
        let last = usize::from((board.moves + 1) % 2);
        let winners = if four_in_a_line(board.others()) { 1 << last } else { 0b11 };
        let scores = std::array::from_fn(|seat| if seat < 2 { (winners >> seat & 1).into() } else { 0 });
        Outcome { scores, winners, rounds: board.moves.into(), capped: false }
    }

    /// Nothing is hidden.
    fn determinize(&self, board: &Board, _seat: Seat, _rng: &mut Rng) -> Board {
        *board
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => play_itself(),
        ["bench"] => {
            let speeds = bench();
            println!("bare: {:.0} playouts/s, UCT: {:.0} iterations/s, ratio {:.3}", speeds.bare, speeds.mcts, speeds.mcts / speeds.bare);
        }
        ["bench", "--json"] => {
            let speeds = bench();
            println!("{{\"bare_playouts_per_s\": {:.0}, \"mcts_iterations_per_s\": {:.0}}}", speeds.bare, speeds.mcts);
        }
        _ => {
            eprintln!("error: expected no argument, `bench` or `bench --json`");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

const ITERATIONS: u32 = 10_000;

/// The column that the search chooses, and what it thinks the seat's chance to win is.
fn best_column(search: &mut Search<u8>, board: Board, rng: &mut Rng) -> Option<(u8, f32)> {
    search.run(&ConnectFour, &Guide::playouts(&Uniform), rng, |_| board);
    let best = search.root_actions().iter().max_by_key(|node| node.visits)?;
    Some((best.action, best.value(search.seat())))
}

fn play_itself() {
    let mut search = Search::new(Settings::uct(ITERATIONS, 1.0));
    let mut rng = stream(1, 0, 0, Purpose::Playout);
    let mut board = Board::EMPTY;
    while let Turn::Seat(seat) = ConnectFour.turn(&board) {
        let Some((column, value)) = best_column(&mut search, board, &mut rng) else { return };
        board.drop_disc(column);
        println!("{} drops into column {} and wins {:.0} % of the iterations", ["x", "o"][seat.index()], column + 1, 100.0 * value);
    }
    let [x, o] = if board.moves.is_multiple_of(2) { [board.own, board.others()] } else { [board.others(), board.own] };
    for row in (0..ROWS).rev() {
        let places = (0..COLUMNS).map(|column| 1_u64 << (row + HEIGHT * column));
        let line: Vec<_> = places
            .map(|place| {
                if x & place != 0 {
                    "x"
                } else if o & place != 0 {
                    "o"
                } else {
                    "."
                }
            })
            .collect();
        println!("{}", line.join(" "));
    }
}

/// Per second, the median of the trials.
struct Speeds {
    bare: f64,
    mcts: f64,
}

const TRIALS: usize = 7;
const TRIAL: Duration = Duration::from_millis(300);

/// Measures by turns, so that a change of the machine's speed meets both.
fn bench() -> Speeds {
    let mut rng = stream(1, 0, 0, Purpose::Playout);
    let mut search = Search::new(Settings::uct(ITERATIONS, 1.0));
    let (mut bare, mut mcts) = (Vec::new(), Vec::new());
    for _ in 0..TRIALS {
        let mut winners = 0_u64;
        bare.push(per_second(|| {
            winners += (0..ITERATIONS).map(|_| u64::from(bare_playout(&mut rng))).sum::<u64>();
        }));
        std::hint::black_box(winners);
        mcts.push(per_second(|| search.run(&ConnectFour, &Guide::playouts(&Uniform), &mut rng, |_| Board::EMPTY)));
    }
    bare.sort_by(f64::total_cmp);
    mcts.sort_by(f64::total_cmp);
    Speeds { bare: bare[TRIALS / 2], mcts: mcts[TRIALS / 2] }
}

/// How many times a second something can be done that is done [`ITERATIONS`] times in a call.
fn per_second(mut call: impl FnMut()) -> f64 {
    let started = Instant::now();
    let mut done = 0.0;
    while started.elapsed() < TRIAL {
        call();
        done += f64::from(ITERATIONS);
    }
    done / started.elapsed().as_secs_f64()
}

/// A uniform playout from the empty board without the library: who wins, 2 for nobody.
fn bare_playout(rng: &mut Rng) -> u8 {
    let (mut own, mut other) = (0_u64, 0_u64);
    for moves in 0..(COLUMNS * ROWS) as u8 {
        let open = (BOTTOM + (own | other)) & !(own | other);
        // Of a full column the place above the top is open; it is no place.
        let open = open & !(BOTTOM << ROWS);
        own |= 1 << select(open, below(rng, open.count_ones()));
        if four_in_a_line(own) {
            return moves % 2;
        }
        (own, other) = (other, own);
    }
    2
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many games of so many moves there are.
    fn perft(board: Board, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        if board.over {
            return 0;
        }
        let after = |column| {
            let mut after = board;
            after.drop_disc(column);
            perft(after, depth - 1)
        };
        ConnectFour.legal_actions(&board).iter().map(after).sum()
    }

    #[test]
    fn the_rules_count_what_others_count() {
        let known = [7, 49, 343, 2401, 16_807, 117_649, 823_536, 5_673_234];
        for (depth, known) in (1..).zip(known) {
            assert_eq!(perft(Board::EMPTY, depth), known, "depth {depth}");
        }
    }

    fn after(columns: &[u8]) -> Board {
        let mut board = Board::EMPTY;
        for &column in columns {
            board.drop_disc(column);
        }
        board
    }

    #[test]
    fn lines_run_in_all_directions_and_not_round_the_edge() {
        for line in [
            vec![0, 1, 0, 1, 0, 1, 0],
            vec![0, 0, 1, 1, 2, 2, 3],
            vec![0, 1, 1, 2, 2, 3, 2, 3, 3, 5, 3],
            vec![6, 5, 5, 4, 4, 3, 4, 3, 3, 1, 3],
        ] {
            let [before @ .., last] = &line[..] else { panic!("a line has discs") };
            let mut board = after(before);
            assert!(!board.over, "{line:?}");
            board.drop_disc(*last);
            assert!(board.over, "{line:?}");
            assert_eq!(ConnectFour.outcome(&board).winners, 0b01, "{line:?}");
        }
        assert!(!four_in_a_line(0b1011_1000), "from the top of one column to the bottom of the next");
    }

    #[test]
    fn the_search_wins_and_parries() {
        let mut search = Search::new(Settings::uct(ITERATIONS, 1.0));
        let mut rng = stream(1, 0, 0, Purpose::Playout);
        let three_up = after(&[0, 1, 0, 1, 0, 2]);
        assert_eq!(best_column(&mut search, three_up, &mut rng).map(|(column, _)| column), Some(0), "wins");
        let threatened = after(&[0, 1, 0, 1, 0]);
        assert_eq!(best_column(&mut search, threatened, &mut rng).map(|(column, _)| column), Some(0), "parries");
    }

    #[test]
    fn playouts_through_the_library_and_without_it_are_alike() {
        let mut rng = stream(1, 0, 0, Purpose::Playout);
        let bare = (0..20_000).filter(|_| bare_playout(&mut rng) == 0).count() as f64 / 20_000.0;
        let mut through = || {
            let mut board = Board::EMPTY;
            watershed::search::playout::play_out(&ConnectFour, &mut board, &Uniform, &mut rng);
            ConnectFour.outcome(&board).winners == 0b01
        };
        let through = (0..20_000).filter(|_| through()).count() as f64 / 20_000.0;
        // The first seat wins about 55.5 %; five standard errors are 1.8 percentage points.
        assert!((bare - through).abs() < 0.025, "{bare} {through}");
        assert!((bare - 0.555).abs() < 0.018, "{bare}");
    }
}
