//! Connect Four: how to teach the library a game of one's own, and a yardstick for its speed.
//!
//! ```console
//! $ cargo run --release --example connect_four                  # the search plays itself
//! $ cargo run --release --example connect_four -- bench --json  # how fast it is
//! ```
//!
//! A game is a type that implements [`Game`]: who decides, what is legal, what an action does, how
//! it ended. Everything else follows.

#![expect(clippy::print_stderr, reason = "it is a program")]

use std::{
    io::Write,
    process::ExitCode,
    time::{Duration, Instant},
};

use watershed::{
    bits::{select, select_bit},
    game::{ActionSet, Game, Outcome, Seat, Turn},
    rng::{Purpose, Rng, random_below, stream},
    search::{
        mcts::{Search, SearchModel, Settings},
        playout::Uniform,
    },
};

const COLUMNS: u32 = 7;
const ROWS: u32 = 6;
/// A column of bits has one more than it has rows, always empty, so that a line never runs from one
/// column into the next.
const HEIGHT: u32 = ROWS + 1;
/// The lowest place of each column.
const BOTTOM: u64 = 0x0000_0408_1020_4081;
const TOP: u64 = BOTTOM << (ROWS - 1);

/// Nobody can have four in a line before these moves are made.
const MOVES_WITHOUT_LINE: u8 = 6;

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

    /// Where a disc can come to lie: the lowest free place of each column that is not full.
    fn open_places(&self) -> u64 {
        // Adding to the lowest place carries up to the first free one; in a full column that is
        // above the top.
        (BOTTOM + self.all) & !self.all & !(BOTTOM << ROWS)
    }

    fn put_disc(&mut self, place: u8) {
        let disc = 1 << place;
        let mover = self.own | disc;
        self.own = self.others();
        self.all |= disc;
        self.over =
            self.moves >= MOVES_WITHOUT_LINE && four_in_a_line(mover) || self.all & TOP == TOP;
        self.moves += 1;
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

/// The legal actions: an action is the place where the disc comes to lie, the number of its bit.
#[derive(Clone, Copy, Debug)]
struct Places(u64);

impl ActionSet for Places {
    type Action = u8;

    fn len(&self) -> usize {
        self.0.count_ones() as usize
    }

    fn nth(&self, index: usize) -> u8 {
        select(self.0, index as u32) as u8
    }

    fn contains(&self, place: u8) -> bool {
        self.0 >> place & 1 == 1
    }

    fn remove(&mut self, place: u8) {
        self.0 &= !(1 << place);
    }

    fn kinds(&self) -> u32 {
        1
    }

    fn subset_of_kind(&self, _kind: u32) -> Self {
        *self
    }
}

impl Game for ConnectFour {
    type State = Board;
    type Action = u8;
    type Actions = Places;

    fn seats(&self) -> usize {
        2
    }

    fn chance_sources(&self) -> &'static [&'static str] {
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

    fn legal_actions(&self, board: &Board) -> Places {
        Places(board.open_places())
    }

    fn chance_outcomes(&self, _board: &Board) -> Vec<(u8, u32)> {
        Vec::new()
    }

    fn sample_chance(&self, _board: &Board, _rng: &mut Rng) -> u8 {
        unreachable!("nothing is left to chance")
    }

    fn apply(&self, board: &mut Board, place: u8) {
        board.put_disc(place);
    }

    fn round(&self, board: &Board) -> u32 {
        board.moves.into()
    }

    fn outcome(&self, board: &Board) -> Outcome {
        // A full board without a line is shared.
        let last = usize::from((board.moves + 1) % 2);
        let winners = if four_in_a_line(board.others()) { 1 << last } else { 0b11 };
        let scores =
            std::array::from_fn(|seat| if seat < 2 { (winners >> seat & 1).into() } else { 0 });
        Outcome { scores, winners, rounds: board.moves.into(), hit_round_limit: false }
    }

    /// Nothing is hidden.
    fn determinize(&self, board: &Board, _seat: Seat, _rng: &mut Rng) -> Board {
        *board
    }
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    match arguments.iter().map(|argument| argument.to_str().unwrap_or_default()).collect::<Vec<_>>()
        [..]
    {
        [] => play_itself(),
        ["bench"] => {
            let speeds = bench();
            print(&format!(
                "bare: {:.0} playouts/s, UCT: {:.0} iterations/s, ratio {:.3}",
                speeds.bare,
                speeds.mcts,
                speeds.mcts / speeds.bare
            ));
        }
        ["bench", "--json"] => {
            let speeds = bench();
            print(&format!(
                "{{\"bare_playouts_per_s\": {:.0}, \"mcts_iterations_per_s\": {:.0}}}",
                speeds.bare, speeds.mcts
            ));
        }
        _ => {
            eprintln!("error: expected no argument, `bench` or `bench --json`");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// Writes a line to stdout. A reader that has gone away is no error.
fn print(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

const ITERATIONS: u32 = 10_000;

/// The place that the search chooses, and what it thinks the seat's chance to win is.
fn best_place(search: &mut Search<u8>, board: Board, rng: &mut Rng) -> Option<(u8, f32)> {
    search.run(&ConnectFour, &SearchModel::playouts_only(&Uniform), rng, |_| board);
    let best = search.root_children().iter().max_by_key(|node| node.visits)?;
    Some((best.action, best.value(search.seat())))
}

fn play_itself() {
    let mut search = Search::new(Settings::uct(ITERATIONS, 1.0));
    let mut rng = stream(1, 0, 0, Purpose::Playout);
    let mut board = Board::EMPTY;
    while let Turn::Seat(seat) = ConnectFour.turn(&board) {
        let Some((place, value)) = best_place(&mut search, board, &mut rng) else { return };
        board.put_disc(place);
        let column = u32::from(place) / HEIGHT + 1;
        print(&format!(
            "{} drops into column {column} and wins {:.0} % of the iterations",
            ["x", "o"][seat.index()],
            100.0 * value
        ));
    }
    let [x, o] = if board.moves.is_multiple_of(2) {
        [board.own, board.others()]
    } else {
        [board.others(), board.own]
    };
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
        print(&line.join(" "));
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
        mcts.push(per_second(|| {
            search.run(&ConnectFour, &SearchModel::playouts_only(&Uniform), &mut rng, |_| {
                Board::EMPTY
            })
        }));
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
        own |= select_bit(open, random_below(rng, open.count_ones()));
        if moves >= MOVES_WITHOUT_LINE && four_in_a_line(own) {
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
        let after = |place| {
            let mut after = board;
            after.put_disc(place);
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

    /// The place where a disc that drops into a column comes to lie.
    fn place_in(board: &Board, column: u32) -> u8 {
        let places = ((1 << HEIGHT) - 1) << (HEIGHT * column);
        (board.open_places() & places).trailing_zeros() as u8
    }

    fn after(columns: &[u32]) -> Board {
        let mut board = Board::EMPTY;
        for &column in columns {
            board.put_disc(place_in(&board, column));
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
            board.put_disc(place_in(&board, *last));
            assert!(board.over, "{line:?}");
            assert_eq!(ConnectFour.outcome(&board).winners, 0b01, "{line:?}");
        }
        // The top two of one column and the lowest two of the next are not four in a line.
        let mut board = after(&[0, 0, 0, 0, 1, 2, 0, 2, 0, 2]);
        board.put_disc(place_in(&board, 1));
        assert!(!board.over);
    }

    #[test]
    fn the_search_wins_and_parries() {
        let mut search = Search::new(Settings::uct(ITERATIONS, 1.0));
        let mut rng = stream(1, 0, 0, Purpose::Playout);
        let three_up = after(&[0, 1, 0, 1, 0, 2]);
        assert_eq!(
            best_place(&mut search, three_up, &mut rng).map(|(place, _)| place),
            Some(place_in(&three_up, 0)),
            "wins"
        );
        let threatened = after(&[0, 1, 0, 1, 0]);
        assert_eq!(
            best_place(&mut search, threatened, &mut rng).map(|(place, _)| place),
            Some(place_in(&threatened, 0)),
            "parries"
        );
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
