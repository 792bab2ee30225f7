//! Search on a game that is solved: take 1 to 3 stones, whoever takes the last one wins.

use watershed::{
    game::{ActionSet, Game, MAX_SEATS, Outcome, Seat, Source, Turn},
    rng::{Purpose, Rng, stream},
    search::{
        mcts::{Search, Settings},
        playout::Uniform,
        reward::Reward,
    },
};

/// The players sit in a circle; only the one who takes the last stone wins.
struct Nim {
    seats: usize,
    stones: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Position {
    stones: u8,
    turn: Seat,
}

/// Taking 1 to 3 stones, bit n for n stones.
#[derive(Clone, Copy, Debug)]
struct Takes(u32);

impl ActionSet for Takes {
    type Action = u8;

    fn len(&self) -> usize {
        self.0.count_ones() as usize
    }

    fn nth(&self, index: usize) -> u8 {
        (1..=3).filter(|&stones| self.contains(stones)).nth(index).unwrap()
    }

    fn contains(&self, action: u8) -> bool {
        self.0 >> action & 1 == 1
    }

    fn remove(&mut self, action: u8) {
        self.0 &= !(1 << action);
    }

    fn kinds(&self) -> u32 {
        1
    }

    fn of_kind(&self, _kind: u32) -> Self {
        *self
    }
}

impl Game for Nim {
    type State = Position;
    type Action = u8;
    type Actions = Takes;

    fn seats(&self) -> usize {
        self.seats
    }

    fn sources(&self) -> &'static [&'static str] {
        &["seats"]
    }

    fn action_kinds(&self) -> &'static [&'static str] {
        &["take"]
    }

    fn initial(&self) -> Position {
        Position { stones: self.stones, turn: Seat::new(0) }
    }

    fn turn(&self, state: &Position) -> Turn {
        if state.stones == 0 { Turn::Over } else { Turn::Seat(state.turn) }
    }

    fn legal_actions(&self, state: &Position) -> Takes {
        Takes((1..=state.stones.min(3)).fold(0, |set, stones| set | 1 << stones))
    }

    fn chance_outcomes(&self, _state: &Position) -> Vec<(u8, u32)> {
        Vec::new()
    }

    fn sample_chance(&self, _state: &Position, _rng: &mut Rng) -> u8 {
        unreachable!("nothing is left to chance, not even to {:?}", Source(0))
    }

    fn apply(&self, state: &mut Position, action: u8) {
        state.stones -= action;
        if state.stones > 0 {
            state.turn = state.turn.clockwise(1, self.seats);
        }
    }

    fn outcome(&self, state: &Position) -> Outcome {
        let mut scores = [0; MAX_SEATS];
        scores[state.turn.index()] = 1;
        Outcome { scores, winners: 1 << state.turn.index(), rounds: 1, capped: false }
    }

    fn determinize(&self, state: &Position, _seat: Seat, _rng: &mut Rng) -> Position {
        *state
    }
}

fn search(seats: usize, stones: u8, iterations: u32) -> Search<u8> {
    let game = Nim { seats, stones };
    let reward = Reward { margin_weight: 0.0, margin_scale: 1.0 };
    let mut search = Search::new(Settings { iterations, exploration: 0.7, depth: u32::MAX, reward });
    search.run(&game, &Uniform, &mut stream(1, 0, 0, Purpose::Playout), |_| game.initial());
    search
}

/// With two players, leaving a multiple of four wins, and from a multiple of four every action loses.
#[test]
fn search_finds_the_winning_take() {
    for stones in [5, 6, 7, 9, 10, 11] {
        let search = search(2, stones, 20_000);
        assert_eq!(search.best_action(), Some(stones % 4), "{stones} stones");
        assert!(search.root().value[0] > 0.9, "{stones} stones: {:?}", search.root().value);
    }
    for stones in [4, 8] {
        assert!(search(2, stones, 20_000).root().value[0] < 0.15, "{stones} stones are lost");
    }
}

/// The values of all seats add up to one win, and each seat plays for itself: with three players and four stones, the first can't win.
/// Whatever it takes, the second takes the rest if it can.
#[test]
fn every_seat_plays_for_itself() {
    let search = search(3, 4, 20_000);
    let value = search.root().value;
    assert!((value.iter().sum::<f32>() - 1.0).abs() < 1e-3, "{value:?}");
    assert!(value[1] > 0.95, "{value:?}");
}

#[test]
fn every_iteration_is_one_visit() {
    let search = search(2, 10, 500);
    assert_eq!(search.root().visits, 500);
    assert_eq!(search.root_actions().map(|node| node.visits).sum::<u32>(), 500);
}
