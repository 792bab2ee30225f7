//! Search compared with exact values: in small versions of the games every position can be solved.

use std::collections::HashMap;

use watershed::{
    game::{ActionSet, Game, MAX_SEATS, PerSeat, Seat, Turn, UNITS_PER_WIN},
    games::{GameDefinition, glassworks::Glassworks, the_river::TheRiver},
    rng::{Purpose, random_below, stream},
    search::{
        ensemble::Ensemble,
        mcts::{Branching, SearchModel, Settings, Widening},
        playout::{Policy, Uniform},
    },
};

use crate::games::altered;

/// The value of a position if every seat maximises its own win share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exact {
    pub(crate) shares: PerSeat<f64>,
    /// True if a seat has a choice from here on.
    choice: bool,
    /// True if no choice follows a chance event, so that a fixed plan has the value of the best
    /// policy.
    open: bool,
}

/// A solver by expectimax over all decisions and chance outcomes, with a cache.
pub(crate) struct Oracle<'a, G: Game> {
    game: &'a G,
    known: HashMap<G::State, Option<Exact>>,
    max_positions: usize,
}

/// The maximum number of solved positions for one root.
const MAX_POSITIONS: usize = 30_000;

impl<'a, G: Game> Oracle<'a, G> {
    pub(crate) fn new(game: &'a G, max_positions: usize) -> Self {
        Self { game, known: HashMap::new(), max_positions }
    }

    pub(crate) fn after(&mut self, state: &G::State, action: G::Action) -> Option<Exact> {
        let mut after = *state;
        self.game.apply(&mut after, action);
        self.solve(&after)
    }

    /// Returns `None` if there are too many positions, or if a seat is indifferent between actions
    /// that differ for another seat, because then the value is not unique.
    fn solve(&mut self, state: &G::State) -> Option<Exact> {
        if let Some(&known) = self.known.get(state) {
            return known;
        }
        if self.known.len() >= self.max_positions {
            return None;
        }
        let exact = match self.game.turn(state) {
            Turn::Over => {
                let outcome = self.game.outcome(state);
                let share = |seat| outcome.win_share(Seat::new(seat)) as f64 / UNITS_PER_WIN as f64;
                let shares =
                    std::array::from_fn(
                        |seat| if seat < self.game.seats() { share(seat) } else { 0.0 },
                    );
                Some(Exact { shares, choice: false, open: true })
            }
            Turn::Chance(_) => self.mean(state),
            Turn::Seat(seat) => self.best(state, seat),
        };
        self.known.insert(*state, exact);
        exact
    }

    fn mean(&mut self, state: &G::State) -> Option<Exact> {
        let outcomes = self.game.chance_outcomes(state);
        let total: u32 = outcomes.iter().map(|(_, weight)| weight).sum();
        let mut mean = Exact { shares: [0.0; MAX_SEATS], choice: false, open: true };
        for &(outcome, weight) in &outcomes {
            let after = self.after(state, outcome)?;
            for (sum, share) in mean.shares.iter_mut().zip(after.shares) {
                *sum += share * f64::from(weight) / f64::from(total);
            }
            mean.choice |= after.choice;
            mean.open &= after.open && (outcomes.len() == 1 || !after.choice);
        }
        Some(mean)
    }

    fn best(&mut self, state: &G::State, seat: Seat) -> Option<Exact> {
        let legal = self.game.legal_actions(state);
        let mut best: Option<Exact> = None;
        let mut open = true;
        let mut clear = true;
        for action in legal.iter() {
            let after = self.after(state, action)?;
            open &= after.open;
            let Some(other) = best else {
                best = Some(after);
                continue;
            };
            let gain = after.shares[seat.index()] - other.shares[seat.index()];
            if gain > EQUAL {
                (best, clear) = (Some(after), true);
            } else if gain > -EQUAL {
                clear &= after
                    .shares
                    .iter()
                    .zip(other.shares)
                    .all(|(one, other)| (one - other).abs() < EQUAL);
            }
        }
        let choice = legal.len() > 1 || best.is_some_and(|best| best.choice);
        best.filter(|_| clear).map(|best| Exact { choice, open, ..best })
    }
}

/// The difference below which values are equal.
pub(super) const EQUAL: f64 = 1e-9;

/// The minimum difference between the best action and the next for a position to be used.
const CLEAR: f64 = 0.1;

/// A position of a small game with the exact value of every action.
struct Position<G: Game> {
    state: G::State,
    seat: Seat,
    actions: Vec<(G::Action, Exact)>,
    best: G::Action,
}

/// Returns solvable positions after random decisions, in which one action is clearly the best.
fn positions<G: Game>(game: &G, open: bool, wanted: usize) -> Vec<Position<G>> {
    let mut found = Vec::new();
    for seed in 0..4000 {
        let mut rng = stream(seed, 0, 0, Purpose::Playout);
        let mut state = game.initial();
        let mut decisions = random_below(&mut rng, 8);
        let seat = loop {
            let action = match game.turn(&state) {
                Turn::Chance(_) => game.sample_chance(&state, &mut rng),
                Turn::Seat(seat) if decisions == 0 => break Some(seat),
                Turn::Seat(seat) => {
                    decisions -= u32::from(game.round(&state) > 0);
                    Uniform.choose(game, &state, seat, &game.legal_actions(&state), &mut rng)
                }
                Turn::Over => break None,
            };
            game.apply(&mut state, action);
        };
        if let Some(seat) = seat
            && found.iter().all(|known: &Position<G>| known.state != state)
        {
            found.extend(position(game, state, seat, open));
        }
        if found.len() == wanted {
            return found;
        }
    }
    panic!("only {} of {wanted} positions", found.len());
}

fn position<G: Game>(game: &G, state: G::State, seat: Seat, open: bool) -> Option<Position<G>> {
    let mut oracle = Oracle::new(game, MAX_POSITIONS);
    let actions = game
        .legal_actions(&state)
        .iter()
        .map(|action| Some((action, oracle.after(&state, action)?)))
        .collect::<Option<Vec<_>>>()?;
    let share = |exact: &Exact| exact.shares[seat.index()];
    let (best, greatest) =
        actions.iter().max_by(|(_, one), (_, other)| share(one).total_cmp(&share(other)))?;
    let near = actions.iter().filter(|(_, exact)| share(exact) > share(greatest) - CLEAR).count();
    let wanted = near == 1
        && actions.len() > 1
        && greatest.choice
        && actions.iter().all(|(_, exact)| exact.open) == open;
    wanted.then_some(Position { state, seat, best: *best, actions })
}

/// The tolerance of values. UCB1 tries an action that costs d about (c / d)² ln n times in n
/// iterations, so that all means have errors of about ln n / n for each action of each decision on
/// the best line, and a random error of 1 / √n. 2 % and 4 standard errors separate wrong from right
/// values: with 4 times the iterations the largest errors fall from 0.07 to 0.02 to 0.002.
fn tolerance(visits: u64) -> f64 {
    0.02 + 4.0 * 0.5 / (visits as f64).sqrt()
}

/// Search finds the best action and its exact value. The values of rarely tried actions are not
/// checked.
fn check_convergence<G: Game>(game: &G, settings: Settings, position: &Position<G>) {
    let mut ensemble = Ensemble::new(settings, 1, false);
    let mut rng = stream(3, 0, 0, Purpose::Playout);
    ensemble.run(game, &SearchModel::playouts_only(&Uniform), &mut rng, |_| position.state, None);
    let result = ensemble.result();
    assert_eq!(
        ensemble.best_action(),
        Some(position.best),
        "{result:#?}\n{:#?}\n{:?}",
        position.actions,
        position.state
    );
    assert_eq!(result.seat, position.seat);
    assert_eq!(result.actions.len(), position.actions.len());
    for action in result.actions.iter().filter(|action| action.visits > result.iterations / 4) {
        let (_, exact) =
            position.actions.iter().find(|(other, _)| *other == action.action).unwrap();
        for (value, share) in action.values.iter().zip(exact.shares) {
            let error = (value - share).abs();
            assert!(error < tolerance(action.visits), "{error}: {action:?} {exact:?}");
        }
    }
}

fn open_loop() -> Settings {
    Settings::uct(40_000, 0.7)
}

/// Searches with a node for each chance outcome.
fn with_chance_nodes() -> Settings {
    Settings {
        chance_nodes: Some(Widening { factor: 1000.0, exponent: 0.0 }),
        ..Settings::uct(240_000, 0.7)
    }
}

pub(crate) fn small_river(players: usize, overlay: &str) -> TheRiver {
    let document = altered::<TheRiver>("small", &format!("{overlay}{SMALL_RIVER}"));
    TheRiver::bind(&document, players).unwrap()
}

/// A game with few spots, tiles, buildings and resources.
const SMALL_RIVER: &str = r#"
spots = { build = 1, first_player = 1 }
tile = [
    { id = "poor", terrain = ["desert"], copies = 8, storage = 1 },
    { id = "rich", terrain = ["meadow"], copies = 6, production = { wood = 1 }, storage = 1,
      effect = { kind = "points_per_pioneer", points = 2 } },
]
building = [
    { id = "hut", cost = { wood = 1 }, points = 2 },
    { id = "house", cost = { wood = 1, clay = 1 }, points = 4 },
    { id = "hall", cost = { clay = 2 }, points = 3 },
]
[setup.each]
face_up_tiles = 3
face_up_buildings = 2
stock = { wood = 3, clay = 3, stone = 0, food = 1 }
production_spots = 1
food_spots = 1
swap_spots = 1
reserve_spots = 1
bonus_tokens = [3, 1]
"#;

pub(crate) fn small_glassworks(players: usize, overlay: &str) -> Glassworks {
    let document = altered::<Glassworks>("small", &format!("{overlay}{SMALL_GLASSWORKS}"));
    Glassworks::bind(&document, players).unwrap()
}

/// A game with 2 colours, 3 tiles and a small lake.
const SMALL_GLASSWORKS: &str = r#"
glassworks.columns = 2
glassworks.rows = 3
glassworks.scored_columns = 1
glassworks.end_trigger = 9
glassworks.row_points = [0, 1, 3]
glassworks.column_points = [[0, 1, 2, 3], [0, 2, 4, 6]]
shape = [
    { id = "triangle", stones = 1 },
    { id = "heart", stones = 1 },
    { id = "circle", stones = 1 },
]
color = [
    { id = "white", pieces = [3, 2, 2] },
    { id = "purple", pieces = [2, 3, 3] },
]
"#;

/// In these positions a fixed plan is optimal, so that the open loop converges to the exact values.
#[test]
fn open_loop_search_converges_without_choices_after_chance() {
    let one_round =
        "rules = { max_rounds = 1, start_pioneers = 2, extra_pioneer_on_bonus_spot = 0 }\n";
    for players in [2, 3] {
        let game = small_river(players, one_round);
        for position in positions(&game, true, 4) {
            check_convergence(&game, open_loop(), &position);
            check_convergence(
                &game,
                Settings { branching: Branching::PerSeat, ..open_loop() },
                &position,
            );
            check_convergence(&game, with_chance_nodes(), &position);
        }
    }
    let game = small_glassworks(
        2,
        "play = { max_rounds = 1, lake_size = 2, lake_take = 1, satchel_start = 2 }\n",
    );
    for position in positions(&game, true, 4) {
        check_convergence(&game, open_loop(), &position);
        check_convergence(&game, with_chance_nodes(), &position);
    }
}

/// If later choices can depend on chance, the open loop underestimates the value; search with a
/// node for each outcome finds it.
#[test]
fn chance_nodes_converge_with_choices_after_chance() {
    let game = small_river(
        2,
        "rules = { max_rounds = 2, start_pioneers = 1, extra_pioneer_on_bonus_spot = 0 }\n",
    );
    for position in positions(&game, false, 4) {
        check_convergence(&game, with_chance_nodes(), &position);
    }
    for (players, rounds) in [(2, 1), (2, 2), (3, 1)] {
        let game = small_glassworks(
            players,
            &format!(
                "play = {{ max_rounds = {rounds}, lake_size = 2, lake_take = 1, satchel_start = 1 \
                    }}\n"
            ),
        );
        for position in positions(&game, false, 3) {
            check_convergence(&game, with_chance_nodes(), &position);
        }
    }
}
