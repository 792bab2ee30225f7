//! Search in a solved game: take 1 to 3 stones; the player who takes the last one wins.

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use watershed::{
    game::{ActionSet as _, BitActions, Game as _, PerSeat, Seat},
    rng::{Purpose, stream},
    search::{
        Evaluator, KeptPolicy,
        clock::thread_cpu_time,
        ensemble::{Ensemble, SearchResult},
        mcts::{
            Branching, Budget, FinalChoice, Opponents, Search, SearchModel, Settings, Widening,
        },
        playout::Uniform,
        reward::RewardFunction,
        select::{ChildSelection, SelectionRule},
        tree::MAX_VISITS,
    },
};

use super::heap::{Heap, Position};

/// An evaluator without knowledge: all actions and all seats are equal.
struct NoKnowledge;

impl Evaluator<Heap> for NoKnowledge {
    fn win_probabilities(&self, game: &Heap, _state: &Position) -> PerSeat<f32> {
        std::array::from_fn(|seat| if seat < game.seats { 1.0 / game.seats as f32 } else { 0.0 })
    }

    fn action_priors(
        &self,
        _game: &Heap,
        _state: &Position,
        _seat: Seat,
        actions: &BitActions,
        _legal: &BitActions,
        _kept: &mut Option<KeptPolicy>,
        receive: &mut dyn FnMut(u8, f32),
    ) {
        actions.iter().for_each(|action| receive(action, 1.0));
    }
}

/// An evaluator without knowledge that counts how often the policy of a leaf is asked for.
#[derive(Default)]
struct LeafPolicies(AtomicU32);

impl Evaluator<Heap> for LeafPolicies {
    fn win_probabilities(&self, game: &Heap, state: &Position) -> PerSeat<f32> {
        NoKnowledge.win_probabilities(game, state)
    }

    fn win_probabilities_and_policy(
        &self,
        game: &Heap,
        state: &Position,
        _seat: Seat,
    ) -> (PerSeat<f32>, Option<KeptPolicy>) {
        self.0.fetch_add(1, Ordering::Relaxed);
        (self.win_probabilities(game, state), None)
    }

    fn action_priors(
        &self,
        game: &Heap,
        state: &Position,
        seat: Seat,
        actions: &BitActions,
        legal: &BitActions,
        kept: &mut Option<KeptPolicy>,
        receive: &mut dyn FnMut(u8, f32),
    ) {
        NoKnowledge.action_priors(game, state, seat, actions, legal, kept, receive);
    }
}

/// Every decision is a round, so a playout of one round always leaves the position of the leaf.
#[test]
fn the_policy_of_a_leaf_is_that_of_its_position() {
    let policies_with_cut_off = |cut_off| {
        let evaluator = LeafPolicies::default();
        let game = Heap::nim(2, 11);
        let model = SearchModel {
            prior: Some(&evaluator as &dyn Evaluator<Heap>),
            evaluator: Some(&evaluator),
            shares_policy: true,
            ..SearchModel::playouts_only(&Uniform)
        };
        let selection =
            ChildSelection { rule: SelectionRule::Puct, ..Settings::uct(1, 0.3).selection };
        let settings = Settings {
            selection,
            cut_off: Some(cut_off),
            policy_refresh: 4.0,
            ..Settings::uct(200, 0.3)
        };
        let mut rng = stream(1, 0, 0, Purpose::Playout);
        Search::new(settings).run(&game, &model, &mut rng, |_| game.initial());
        evaluator.0.into_inner()
    };
    assert!(policies_with_cut_off(0) > 0);
    assert_eq!(policies_with_cut_off(1), 0);
}

fn uct(iterations: u32) -> Settings {
    Settings::uct(iterations, 0.7)
}

fn search(
    seats: usize,
    stones: u8,
    settings: Settings,
    trees: u32,
) -> (Option<u8>, SearchResult<u8>) {
    let game = Heap::nim(seats, stones);
    let mut ensemble = Ensemble::new(settings, trees, false);
    let guide = SearchModel {
        playout_policy: &Uniform,
        prior: Some(&NoKnowledge as &dyn Evaluator<Heap>),
        evaluator: Some(&NoKnowledge),
        shares_policy: false,
        legal_at_root: None,
        on_progress: None,
    };
    let guide = if settings.selection.uses_prior() || settings.widening.is_some() {
        guide
    } else {
        SearchModel { prior: None, ..guide }
    };
    ensemble.run(&game, &guide, &mut stream(1, 0, 0, Purpose::Playout), |_| game.initial(), None);
    (ensemble.best_action(), ensemble.result())
}

/// Returns searches with every option by itself.
fn variants(iterations: u32) -> Vec<(&'static str, Settings)> {
    let plain = uct(iterations);
    let bound = |selection, bias| ChildSelection { rule: selection, bias, ..plain.selection };
    let widening = Some(Widening { factor: 1.0, exponent: 0.5 });
    vec![
        ("plain", plain),
        ("tuned", Settings { selection: bound(SelectionRule::Ucb1Tuned, 0.0), ..plain }),
        ("puct", Settings { selection: bound(SelectionRule::Puct, 0.0), ..plain }),
        ("bias", Settings { selection: bound(SelectionRule::Ucb1, 1.0), ..plain }),
        ("widening", Settings { widening, ..plain }),
        ("chance nodes", Settings { chance_nodes: widening, ..plain }),
        ("a tree per seat", Settings { branching: Branching::PerSeat, ..plain }),
        ("paranoid", Settings { opponents: Opponents::Paranoid, ..plain }),
        (
            "margin",
            Settings {
                reward: RewardFunction { margin_weight: 1.0, ..RewardFunction::WIN },
                ..plain
            },
        ),
        (
            "rank",
            Settings {
                reward: RewardFunction { rank_weight: 1.0, ..RewardFunction::WIN },
                ..plain
            },
        ),
        ("cut-off", Settings { cut_off: Some(2), ..plain }),
        ("mast", Settings { mast_epsilon: Some(0.3), ..plain }),
        ("by value", Settings { final_choice: FinalChoice::Value, ..plain }),
        ("by bound", Settings { final_choice: FinalChoice::Bound, ..plain }),
        ("halving", Settings { final_choice: FinalChoice::Halving, ..plain }),
        (
            "halving among the best priors",
            Settings {
                selection: bound(SelectionRule::Puct, 0.0),
                final_choice: FinalChoice::Halving,
                candidates: 3,
                ..plain
            },
        ),
        (
            "by deviation",
            Settings { selection: bound(SelectionRule::Puct, 0.0), deviation_share: 1.0, ..plain },
        ),
        ("few nodes", Settings { max_nodes: 500, ..plain }),
    ]
}

/// With 2 players, leaving a multiple of 4 stones wins, and every action at a multiple of 4 loses.
#[test]
fn every_search_option_finds_the_winning_move() {
    for (name, settings) in variants(20_000) {
        let is_halving = settings.final_choice == FinalChoice::Halving;
        for trees in if is_halving { 1..4 } else { 1..2 } {
            for stones in [5, 6, 7, 9, 10, 11] {
                let (best, result) = search(2, stones, settings, trees);
                assert_eq!(best, Some(stones % 4), "{name}, {stones} stones: {result:?}");
            }
        }
    }
    for stones in [4, 8] {
        let (_, result) = search(2, stones, uct(20_000), 1);
        assert!(result.values[0] < 0.15, "{stones} stones are lost: {result:?}");
    }
}

/// Without the moves of the opponents in its tree, a seat learns to leave itself the last stones.
#[test]
fn a_tree_of_own_moves_finds_the_last_move() {
    let (best, _) = search(2, 3, Settings { branching: Branching::OwnMoves, ..uct(2000) }, 1);
    assert_eq!(best, Some(3));
}

/// The values of all seats sum to one win, and each seat plays for itself: with 3 players and 4
/// stones the first cannot win, because the second takes the rest if it can.
#[test]
fn every_seat_maximizes_its_own_result() {
    let value = search(3, 4, uct(20_000), 1).1.values;
    assert!((value.iter().sum::<f64>() - 1.0).abs() < 1e-3, "{value:?}");
    assert!(value[1] > 0.95, "{value:?}");
}

#[test]
fn every_iteration_is_one_visit() {
    for (name, settings) in variants(500) {
        for trees in [1, 3] {
            let (_, result) = search(2, 10, settings, trees);
            let expected = u64::from(500_u32.div_ceil(trees) * trees);
            assert_eq!(result.iterations, expected, "{name}");
            assert_eq!(
                result.actions.iter().map(|action| action.visits).sum::<u64>(),
                expected,
                "{name}"
            );
        }
    }
}

#[test]
fn a_budget_of_steps_ends_a_search() {
    let budget = Budget { steps: 1000, ..Budget::iterations(1_000_000) };
    let (_, result) = search(2, 20, Settings { budget, ..uct(1) }, 1);
    assert!((40..1000).contains(&result.iterations), "{result:?}");
}

/// The results of several trees are added in a fixed order.
#[test]
fn parallel_trees_do_not_depend_on_the_number_of_threads() {
    let with_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let halving = Settings { final_choice: FinalChoice::Halving, ..uct(900) };
        pool.install(|| [uct(900), halving].map(|settings| search(2, 11, settings, 4).1))
    };
    let one = with_threads(1);
    assert_eq!(one, with_threads(2));
    assert_eq!(one, with_threads(5));
}

fn after_three(game: &Heap) -> Position {
    let mut state = game.initial();
    game.apply(&mut state, 3);
    state
}

/// A search that reuses a tree starts with its results, whatever its limit is.
#[test]
fn a_subtree_is_reused() {
    for budget in
        [Budget::iterations(3000), Budget { steps: 20_000, ..Budget::iterations(MAX_VISITS) }]
    {
        check_reuse(Settings { budget, ..uct(1) });
    }
}

#[track_caller]
fn check_reuse(settings: Settings) {
    let game = Heap::nim(2, 11);
    let mut search = Search::new(settings);
    let mut rng = stream(1, 0, 0, Purpose::Playout);
    let guide = SearchModel::playouts_only(&Uniform);
    search.run(&game, &guide, &mut rng, |_| game.initial());
    let kept = search.root_children().iter().find(|node| node.action == 3).unwrap().visits;
    assert!(kept > 1000, "{kept}");
    let next = after_three(&game);
    search.continue_from(&game, &guide, &mut rng, |_| next, &[(Seat::new(0), 3)], 1.0);
    assert_eq!(search.root().unwrap().visits, kept + search.iterations());
    search.continue_from(
        &game,
        &guide,
        &mut rng,
        |_| next,
        &[(Seat::new(0), 1), (Seat::new(1), 3), (Seat::new(0), 3)],
        0.5,
    );
    assert!(search.root().unwrap().visits >= search.iterations(), "it searches on");
}

/// Also without a limit of iterations.
#[test]
fn sequential_halving_drops_actions_as_its_budget_is_spent() {
    for budget in [Budget::iterations(600), Budget { steps: 3000, ..Budget::iterations(1_000_000) }]
    {
        let settings = Settings { budget, final_choice: FinalChoice::Halving, ..uct(1) };
        let game = Heap::nim(2, 11);
        let mut search = Search::new(settings);
        search.run(
            &game,
            &SearchModel::playouts_only(&Uniform),
            &mut stream(1, 0, 0, Purpose::Playout),
            |_| game.initial(),
        );
        assert_eq!(search.candidates(), [3]);
        let mut visits: Vec<_> = search.root_children().iter().map(|node| node.visits).collect();
        visits.sort_unstable();
        // Of 3 actions one is dropped after half the budget; the others share the rest.
        let share = |part: f64| (part * f64::from(search.iterations())) as u32;
        assert!(visits[0].abs_diff(share(1.0 / 6.0)) <= search.iterations() / 20, "{visits:?}");
        assert!(visits[1].abs_diff(share(5.0 / 12.0)) <= search.iterations() / 20, "{visits:?}");
    }
}

/// With a uniform prior and no exploration, the value of an untried action is that of the position
/// for the seat that decides: the worse it is for the searching seat, the better for the others.
#[test]
fn paranoid_opponents_expect_the_worst_of_untried_actions() {
    let bound = ChildSelection { rule: SelectionRule::Puct, exploration: 0.05, bias: 0.0 };
    let settings = |opponents| Settings {
        selection: bound,
        opponents,
        first_play_reduction: 0.2,
        ..uct(3000)
    };
    let max_n = search(2, 9, settings(Opponents::MaxN), 1).1;
    assert_eq!(
        max_n,
        search(2, 9, settings(Opponents::Paranoid), 1).1,
        "with two players there is no difference"
    );
}

#[test]
fn cpu_time_limits_each_tree() {
    if thread_cpu_time().is_none() {
        return;
    }
    let limit = Duration::from_millis(20);
    let budget = Budget { cpu_time: Some(limit), ..Budget::iterations(MAX_VISITS) };
    let started = thread_cpu_time().unwrap_or_default();
    let (best, result) = search(2, 10, Settings { budget, ..uct(0) }, 1);
    let used = thread_cpu_time().unwrap_or_default().checked_sub(started).unwrap();
    assert_eq!(best, Some(2));
    assert!(used >= limit, "{used:?}");
    assert!(result.iterations < u64::from(MAX_VISITS), "{}", result.iterations);
    let (_, result) = search(2, 10, Settings { budget, ..uct(0) }, 3);
    assert!(result.iterations > 3 && result.iterations < 3 * u64::from(MAX_VISITS).div_ceil(3));
}
