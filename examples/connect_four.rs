//! Connect Four: a game of one's own, a benchmark of the search, and all commands of the program.
//!
//! ```console
//! $ cargo run --release --example connect_four                  # self-play of the search
//! $ cargo run --release --example connect_four -- bench --json  # speed beside bare playouts
//! $ cargo run --release --example connect_four -- simulate --bots mcts:iterations=200 --games 100
//! $ cargo run --release --example connect_four -- perft --depth 7
//! $ cargo run --release --example connect_four -- best-moves    # bots beside an exact solver
//! $ cargo run --release --example connect_four -- train --start none --out mine.toml
//! $ cargo run --release --example connect_four -- best-moves mcts:value=mine.toml:prior=mine.toml
//! ```
//!
//! A game is a type that implements [`Game`]: turns, legal actions, effects of actions, outcome.
//! The search needs no more. [`Notation`] and [`GameDefinition`] are for the commands, and the
//! facts of [`Features`] for networks. `train` has learned the network `expert` from nothing; the
//! command is at the head of `connect_four/expert.toml`.

#[path = "connect_four/best_moves.rs"]
mod best_moves;
#[path = "connect_four/boards.rs"]
mod boards;
#[path = "connect_four/facts.rs"]
mod facts;
#[path = "connect_four/solver.rs"]
mod solver;

use std::{
    io::Write,
    ops::RangeInclusive,
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use best_moves::{BestMoves, PuzzleSet};
use facts::FACTS;
use watershed::{
    bits::select_bit,
    cli,
    config::{ConfigError, DisplayName, Document},
    game::{
        BitActions, Features, Game, Notation, NotationError, Outcome, Seat, Statistics, Turn,
        facts::{FactList, FactTable, PositionFacts},
    },
    games::{GameData, GameDefinition, GameEntry, GameFiles, GameList, player_range::PlayerRange},
    keys,
    rng::{Purpose, Rng, random_below, stream},
    scene::Scene,
    search::{
        mcts::{Search, SearchModel, Settings},
        playout::Uniform,
    },
};

const COLUMNS: u32 = 7;
const ROWS: u32 = 6;
/// Bits per column: one more than rows, and always 0, so that no line continues in the next column.
const HEIGHT: u32 = ROWS + 1;
/// Lowest square of each column.
const BOTTOM: u64 = 0x0000_0408_1020_4081;
/// Highest square of each column.
const TOP: u64 = BOTTOM << (ROWS - 1);
/// All squares.
const BOARD: u64 = BOTTOM * ((1 << ROWS) - 1);

/// Number of moves after which no seat can have four in a line yet.
const MOVES_WITHOUT_LINE: u8 = 6;

/// Squares, with one above each column.
const SQUARES: usize = (COLUMNS * HEIGHT) as usize;
/// Lines of four squares.
const LINES: usize = 69;

/// The rules, which need no data.
#[derive(Clone)]
struct ConnectFour;

/// A position. Discs are sets of bits: bit r + 7c is row r of column c, from below and from the
/// left.
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

    /// Returns the lowest free square of each column that is not full.
    fn open_squares(&self) -> u64 {
        // The addition carries from the lowest square to the first free one. In a full column
        // that is the bit above the top.
        (BOTTOM + self.all) & !self.all & !(BOTTOM << ROWS)
    }

    /// Returns the discs of the seat that moves first, then those of the other.
    fn discs(&self) -> [u64; 2] {
        if self.moves.is_multiple_of(2) {
            [self.own, self.others()]
        } else {
            [self.others(), self.own]
        }
    }

    fn put_disc(&mut self, square: u8) {
        let disc = 1 << square;
        let mover = self.own | disc;
        self.own = self.others();
        self.all |= disc;
        self.over =
            self.moves >= MOVES_WITHOUT_LINE && four_in_a_line(mover) || self.all & TOP == TOP;
        self.moves += 1;
    }
}

/// Returns true if a set has four in a line: vertical, horizontal or diagonal.
fn four_in_a_line(discs: u64) -> bool {
    let along = |step: u32| {
        let pairs = discs & discs >> step;
        pairs & pairs >> (2 * step)
    };
    along(1) | along(HEIGHT) | along(HEIGHT - 1) | along(HEIGHT + 1) != 0
}

/// Returns the empty squares, reachable or not, where a disc completes four in a line.
fn winning_squares(discs: u64, all: u64) -> u64 {
    let mut winning = 0;
    for step in [1, HEIGHT, HEIGHT - 1, HEIGHT + 1] {
        let below = discs << step & discs << (2 * step);
        let above = discs >> step & discs >> (2 * step);
        winning |= below & (discs << (3 * step) | discs >> step);
        winning |= above & (discs >> (3 * step) | discs << step);
    }
    winning & BOARD & !all
}

impl Game for ConnectFour {
    type State = Board;
    /// The square where the disc lands, as the number of its bit.
    type Action = u8;
    type Actions = BitActions;

    fn seats(&self) -> usize {
        2
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

    fn legal_actions(&self, board: &Board) -> BitActions {
        BitActions::new(board.open_squares())
    }

    fn apply(&self, board: &mut Board, square: u8) {
        board.put_disc(square);
    }

    fn round(&self, board: &Board) -> u32 {
        board.moves.into()
    }

    fn outcome(&self, board: &Board) -> Outcome {
        // A draw is a shared win.
        let last = usize::from((board.moves + 1) % 2);
        let winners = if four_in_a_line(board.others()) { 1 << last } else { 0b11 };
        let scores = std::array::from_fn(|seat| if seat < 2 { winners >> seat & 1 } else { 0 });
        Outcome::highest_score_wins(scores, 2, board.moves.into())
    }
}

/// Returns the name of a square: the letter of its column and the number of its row.
fn square_name(square: u8) -> String {
    let (column, row) = (u32::from(square) / HEIGHT, u32::from(square) % HEIGHT);
    format!("{}{}", char::from(b'a' + column as u8), row + 1)
}

impl Notation for ConnectFour {
    fn action_text(&self, square: u8) -> String {
        format!("drop:{}", square_name(square))
    }

    fn parse_action(&self, text: &str) -> Result<u8, NotationError> {
        let found = self.all_decisions().into_iter().find(|&drop| self.action_text(drop) == text);
        found.ok_or_else(|| NotationError::new(text, "action", "`drop:` and a square, as in d1"))
    }

    fn all_decisions(&self) -> Vec<u8> {
        let squares = 0..(COLUMNS * HEIGHT) as u8;
        squares.filter(|&square| u32::from(square) % HEIGHT < ROWS).collect()
    }

    /// The discs of each column from below; `x` moves first.
    fn position_text(&self, board: &Board) -> String {
        let [x, _] = board.discs();
        let columns = (0..COLUMNS).map(|column| {
            let squares = (0..ROWS).map(|row| 1_u64 << (row + HEIGHT * column));
            let discs = squares.take_while(|square| board.all & square != 0);
            discs.map(|square| if x & square != 0 { 'x' } else { 'o' }).collect::<String>()
        });
        columns.collect::<Vec<_>>().join("|")
    }

    fn parse_position(&self, text: &str) -> Result<Board, NotationError> {
        let expected = "7 columns of up to 6 discs `x` and `o`, as many or one `x` more, \
                        separated by `|`";
        let error = || NotationError::new(text, "position", expected);
        let columns: Vec<_> = text.split('|').collect();
        let is_column = |column: &&str| {
            column.len() <= ROWS as usize && column.bytes().all(|disc| b"xo".contains(&disc))
        };
        if columns.len() != COLUMNS as usize || !columns.iter().all(is_column) {
            return Err(error());
        }
        let mut discs = [0_u64; 2];
        for (column, start) in columns.iter().zip((0..).step_by(HEIGHT as usize)) {
            for (disc, square) in column.bytes().zip(start..) {
                discs[usize::from(disc == b'o')] |= 1 << square;
            }
        }
        let [x, o] = discs.map(u64::count_ones);
        let all = discs[0] | discs[1];
        let lines = discs.map(four_in_a_line);
        // A line ends the game, so it is of the seat that moved last.
        if x.wrapping_sub(o) > 1 || lines[usize::from(x > o)] {
            return Err(error());
        }
        let over = lines[0] || lines[1] || all & TOP == TOP;
        Ok(Board { own: discs[usize::from(x > o)], all, moves: (x + o) as u8, over })
    }

    fn scene(&self, board: &Board, _viewer: Option<Seat>) -> Scene {
        boards::scene(board)
    }
}

/// The squares of each line.
const ALL_LINES: [u64; LINES] = {
    let steps = [1, HEIGHT, HEIGHT - 1, HEIGHT + 1];
    let mut lines = [0; LINES];
    let (mut count, mut index) = (0, 0);
    while index < 4 * COLUMNS * HEIGHT {
        let (start, step) = (index / 4, steps[index as usize % 4]);
        let line = 1_u64 | 1 << step | 1 << (2 * step) | 1 << (3 * step);
        // A line that leaves the board has a square above a column or beyond the last one.
        if start + 3 * step < u64::BITS && line << start & !BOARD == 0 {
            lines[count] = line << start;
            count += 1;
        }
        index += 1;
    }
    lines
};

/// Facts for networks, and no features: heuristics of this game value all positions equally.
impl Features for ConnectFour {
    fn fact_table(&self) -> Arc<FactTable> {
        Arc::clone(&FACTS.table)
    }

    fn position_facts(&self, board: &Board, facts: &mut PositionFacts) {
        FACTS.of_position(board, facts);
    }

    fn action_lister<'a>(&'a self, board: &'a Board, _: Seat) -> impl FnMut(u8, &mut FactList) {
        |square, facts| FACTS.of_action(board, square, facts)
    }
}

impl Statistics for ConnectFour {
    fn opening_step(&self, _: &Board, square: u8) -> Option<u8> {
        Some(square + 1)
    }

    fn opening_step_text(&self, step: u8) -> String {
        square_name(step - 1)
    }
}

keys! {
    /// The data file.
    struct Data {
        name: DisplayName,
        provenance: DisplayName,
        players: PlayerRange<2, 2>,
    }
}

impl GameData for Data {
    fn player_range(&self) -> RangeInclusive<usize> {
        self.players.range()
    }

    fn check(&self, _: &Document) -> Result<(), ConfigError> {
        Ok(())
    }
}

/// The data file and the bots.
const FILES: GameFiles = GameFiles {
    profiles: &[("expert", include_str!("connect_four/expert.toml"))],
    networks: &[("expert.network", include_bytes!("connect_four/expert.network"))],
    bot_defaults: include_str!("connect_four/defaults.toml"),
    ..GameFiles::new(ConnectFour::ID, include_str!("connect_four.toml"))
};

/// Returns the games of the program.
fn games() -> GameList {
    GameList::new(vec![GameEntry::new::<ConnectFour>(FILES)])
}

impl GameDefinition for ConnectFour {
    const ID: &'static str = "connect_four";
    const TITLE: &'static str = "Connect Four";
    const PLAYERS: RangeInclusive<usize> = 2..=2;
    type Data = Data;

    fn from_data(_: Data, _: &Document, _: usize) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

/// Plays a game without arguments, compares speeds with `bench` alone, and else runs a command.
fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    let words: Vec<_> = arguments.iter().skip(1).filter_map(|word| word.to_str()).collect();
    match words[..] {
        [] => self_play(),
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
        ["best-moves", ref bots @ ..] => return print_best_moves(bots),
        _ => return cli::run_games("connect_four", games(), arguments),
    }
    ExitCode::SUCCESS
}

/// Writes a line to stdout. A closed pipe is not an error.
fn print(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// Bots that `best-moves` measures if none is named.
const MEASURED_BOTS: [&str; 2] = ["mcts:iterations=1000", "uct:iterations=1000"];
/// Number of positions that `best-moves` draws.
const MEASURED_POSITIONS: u32 = 2000;

/// Prints the share of random undecided positions in which each bot chooses a best move.
fn print_best_moves(bots: &[&str]) -> ExitCode {
    let library = FILES.bot_library(&ConnectFour);
    let names = if bots.is_empty() { &MEASURED_BOTS } else { bots };
    let read: Result<Vec<_>, _> = names.iter().map(|name| library.read(name)).collect();
    let bots = match read {
        Ok(bots) => bots,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error}");
            return ExitCode::from(2);
        }
    };
    let set = PuzzleSet::new(MEASURED_POSITIONS, 1);
    print(&format!(
        "{MEASURED_POSITIONS} undecided positions of 14 to 22 discs; {} others, in which all moves \
         have the same value, were left out",
        set.left_out
    ));
    for (name, bot) in names.iter().zip(&bots) {
        let BestMoves { all, won, drawn } = set.measure(bot);
        let [all, won, drawn] = [all, won, drawn].map(|share| {
            let share = share.rate(1);
            let [value, low, high] =
                [share.value, share.low, share.high].map(|share| 100.0 * share);
            format!("{value:.1} % [{low:.1}, {high:.1}] of {}", share.n)
        });
        print(&format!("{name}: {all}, won {won}, drawn {drawn}"));
    }
    ExitCode::SUCCESS
}

const ITERATIONS: u32 = 10_000;

/// Returns the square that the search chooses, and its estimate of the win probability.
fn best_square(search: &mut Search<u8>, board: Board, rng: &mut Rng) -> Option<(u8, f32)> {
    search.run(&ConnectFour, &SearchModel::playouts_only(&Uniform), rng, |_| board);
    let best = search.root_children().iter().max_by_key(|node| node.visits)?;
    Some((best.action, best.value(search.seat())))
}

fn self_play() {
    let mut search = Search::new(Settings::uct(ITERATIONS, 1.0));
    let mut rng = stream(1, 0, 0, Purpose::Playout);
    let mut board = Board::EMPTY;
    while let Turn::Seat(seat) = ConnectFour.turn(&board) {
        let Some((square, value)) = best_square(&mut search, board, &mut rng) else { return };
        board.put_disc(square);
        let column = u32::from(square) / HEIGHT + 1;
        print(&format!(
            "{} drops into column {column} and wins {:.0} % of the iterations",
            ["x", "o"][seat.index()],
            100.0 * value
        ));
    }
    let [x, o] = board.discs();
    for row in (0..ROWS).rev() {
        let squares = (0..COLUMNS).map(|column| 1_u64 << (row + HEIGHT * column));
        let line: Vec<_> = squares
            .map(|square| {
                if x & square != 0 {
                    "x"
                } else if o & square != 0 {
                    "o"
                } else {
                    "."
                }
            })
            .collect();
        print(&line.join(" "));
    }
}

/// Medians of the trials, per second.
struct Speeds {
    bare: f64,
    mcts: f64,
}

const TRIALS: usize = 7;
const TRIAL: Duration = Duration::from_millis(300);

/// Measures both speeds alternately, so that a change of the machine's speed affects both.
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
            });
        }));
    }
    bare.sort_by(f64::total_cmp);
    mcts.sort_by(f64::total_cmp);
    Speeds { bare: bare[TRIALS / 2], mcts: mcts[TRIALS / 2] }
}

/// Returns the number of operations per second of a call that does [`ITERATIONS`] of them.
fn per_second(mut call: impl FnMut()) -> f64 {
    let started = Instant::now();
    let mut done = 0.0;
    while started.elapsed() < TRIAL {
        call();
        done += f64::from(ITERATIONS);
    }
    done / started.elapsed().as_secs_f64()
}

/// Plays a uniform playout from the empty board without the library. Returns the winner, 2 for a
/// draw.
fn bare_playout(rng: &mut Rng) -> u8 {
    let (mut own, mut other) = (0_u64, 0_u64);
    for moves in 0..(COLUMNS * ROWS) as u8 {
        let open = (BOTTOM + (own | other)) & !(own | other);
        // In a full column the bit above the top is set, which is not a square.
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
#[allow(clippy::unwrap_used, reason = "a failed step ends the test")]
mod tests {
    use std::fs;

    use watershed::{
        bits::ones,
        game::{ActionSet, conformance},
        run::ExitStatus,
    };

    use super::{best_moves::random_board, *};

    #[test]
    fn the_contract_is_kept() {
        conformance::check(&ConnectFour, 200, 1).unwrap();
    }

    #[test]
    fn impossible_positions_are_refused() {
        for text in ["", "x|o|x|o|x|o", "xx||||||", "o||||||", "xxxxoo|xxx|ooo||||", "x|o|z||||"] {
            assert!(ConnectFour.parse_position(text).is_err(), "{text}");
        }
        let board = ConnectFour.parse_position("x|o|||||").unwrap();
        assert_eq!((board.moves, board.over), (2, false));
    }

    #[test]
    fn all_commands_run() {
        let folder = tempfile::tempdir().unwrap();
        let run = |line: &str| {
            let line = line.replace("DIR", &folder.path().display().to_string());
            let status = cli::run_command(games(), line.split(' '));
            let status = status.map_err(|error| format!("{line}: {error:#}"));
            assert_eq!(status, Ok(ExitStatus::Success));
        };
        let read = |file: &str| fs::read_to_string(folder.path().join(file)).unwrap();
        run("simulate --bots random --games 2000 --quiet --records DIR/games.jsonl --out DIR/run");
        // The first of two random players wins 55.6 % and draws 0.3 %.
        let order = read("run/turn_order.csv");
        assert!(order.lines().nth(1).unwrap().contains(",0.5"), "{order}");
        assert!(read("run/report.html").contains("Connect Four"));
        run("replay DIR/games.jsonl");
        run("match --bots uct:iterations=100,random --games 100 --quiet --out DIR/match");
        assert!(read("match/ratings.csv").contains("uct:iterations=100"));
        run("perft --depth 4");
        run("bench --game connect_four --scale 0.001 --repetitions 3");
        run("balance turn-order --bots random --games 40 --quiet --out DIR/order");
        assert!(read("order/report.html").contains("Connect Four"));
    }

    /// A best move keeps the result of perfect play. A random move does so in 41 % of the
    /// positions.
    #[test]
    fn searches_find_best_moves() {
        check_best_moves(90);
    }

    #[test]
    #[ignore = "half a minute: searches from many positions; .ci/full runs it"]
    fn searches_find_best_moves_in_many_positions() {
        check_best_moves(MEASURED_POSITIONS);
    }

    fn check_best_moves(positions: u32) {
        let set = PuzzleSet::new(positions, 1);
        assert_eq!(set.puzzles.len(), positions as usize);
        let library = FILES.bot_library(&ConnectFour);
        for name in MEASURED_BOTS {
            let share = set.measure(&library.read(name).unwrap()).all.rate(1);
            assert!(share.value > 0.8, "{name}: {share:?}");
        }
        let random = set.measure(&library.read("random").unwrap()).all.rate(1);
        assert!(random.value < 0.5, "{random:?}");
    }

    /// Returns the number of games of `depth` moves.
    fn perft(board: Board, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        if board.over {
            return 0;
        }
        let after = |square| {
            let mut after = board;
            after.put_disc(square);
            perft(after, depth - 1)
        };
        ConnectFour.legal_actions(&board).iter().map(after).sum()
    }

    #[test]
    fn perft_counts_are_those_published() {
        let known = [7, 49, 343, 2401, 16_807, 117_649, 823_536, 5_673_234];
        for (depth, known) in (1..).zip(known) {
            assert_eq!(perft(Board::EMPTY, depth), known, "depth {depth}");
        }
    }

    /// Returns the square where a disc lands in a column.
    fn square_in(board: &Board, column: u32) -> u8 {
        let squares = ((1 << HEIGHT) - 1) << (HEIGHT * column);
        (board.open_squares() & squares).trailing_zeros() as u8
    }

    pub(crate) fn after(columns: &[u32]) -> Board {
        let mut board = Board::EMPTY;
        for &column in columns {
            board.put_disc(square_in(&board, column));
        }
        board
    }

    #[test]
    fn lines_are_found_in_all_directions_and_do_not_wrap() {
        for line in [
            vec![0, 1, 0, 1, 0, 1, 0],
            vec![0, 0, 1, 1, 2, 2, 3],
            vec![0, 1, 1, 2, 2, 3, 2, 3, 3, 5, 3],
            vec![6, 5, 5, 4, 4, 3, 4, 3, 3, 1, 3],
        ] {
            let [before @ .., last] = &line[..] else { panic!("a line has discs") };
            let mut board = after(before);
            assert!(!board.over, "{line:?}");
            board.put_disc(square_in(&board, *last));
            assert!(board.over, "{line:?}");
            assert_eq!(ConnectFour.outcome(&board).winners, 0b01, "{line:?}");
        }
        // The top two of one column and the lowest two of the next are not four in a line.
        let mut board = after(&[0, 0, 0, 0, 1, 2, 0, 2, 0, 2]);
        board.put_disc(square_in(&board, 1));
        assert!(!board.over);
    }

    #[test]
    fn search_wins_at_once_and_blocks_threats() {
        let mut search = Search::new(Settings::uct(ITERATIONS, 1.0));
        let mut rng = stream(1, 0, 0, Purpose::Playout);
        let three_up = after(&[0, 1, 0, 1, 0, 2]);
        assert_eq!(
            best_square(&mut search, three_up, &mut rng).map(|(square, _)| square),
            Some(square_in(&three_up, 0)),
            "wins"
        );
        let threatened = after(&[0, 1, 0, 1, 0]);
        assert_eq!(
            best_square(&mut search, threatened, &mut rng).map(|(square, _)| square),
            Some(square_in(&threatened, 0)),
            "blocks"
        );
    }

    #[test]
    fn playouts_with_and_without_the_library_have_equal_win_rates() {
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

    #[test]
    fn winning_squares_are_those_that_complete_a_line() {
        let mut rng = stream(2, 0, 0, Purpose::Playout);
        for index in 0..2000 {
            let Some(board) = random_board(7 + index % 35, &mut rng) else { continue };
            let free = ones(BOARD & !board.all);
            let winning = free.filter(|square| four_in_a_line(board.own | 1 << square));
            let winning = winning.fold(0, |set, square| set | 1 << square);
            assert_eq!(winning_squares(board.own, board.all), winning, "{board:?}");
        }
    }
}
