//! The analysis of positions, compared with exact values and with many rollouts.

mod hints;
mod ledger;

use watershed::BuiltInGame;
use watershed::{
    analysis::{
        judge::Analyst,
        rollout::{Rollouts, difference},
        successors::SuccessorVerdict,
    },
    bots::calibration::CalibrationFile,
    game::{ActionSet as _, Game, Notation, Seat, Turn},
    games::{GameDefinition, common_river::CommonRiver, the_river::TheRiver},
    rng::{Purpose, Rng, random_below, stream},
};

use crate::{
    games::{common_river::variants::altered, data_variant::DataVariant},
    search::expectimax::{Oracle, small_glassworks, small_river},
};

/// Maximum number of solved positions of a game.
const MAX_POSITIONS: usize = 4000;

/// Returns the positions of a random game in which a seat has several legal actions.
fn decisions<G: Game>(game: &G, rng: &mut Rng) -> Vec<(G::State, Seat)> {
    let mut state = game.initial();
    let mut decisions = Vec::new();
    loop {
        let action = match game.turn(&state) {
            Turn::Over => return decisions,
            Turn::Chance(_) => game.sample_chance(&state, rng),
            Turn::Seat(seat) => {
                let legal = game.legal_actions(&state);
                if legal.len() > 1 {
                    decisions.push((state, seat));
                }
                legal.nth(random_below(rng, legal.len() as u32) as usize)
            }
        };
        game.apply(&mut state, action);
    }
}

/// Compares the chances of the best action, and of all actions with many visits, with exact values.
/// Returns the number of positions.
fn compare_with_exact<G: BuiltInGame>(game: &G, games: u64) -> u32 {
    let mut library = game.bot_library();
    // The maps from mean rewards to chances were fitted to the games of the built-in data.
    library.profiles.calibration = CalibrationFile::default();
    let search = library.read("mcts:iterations=20000").unwrap();
    let analyst = Analyst { search: &search, policy: &search, rollouts: 0, candidates: 5, seed: 1 };
    let mut compared = 0;
    for seed in 0..games {
        let mut oracle = Oracle::new(game, MAX_POSITIONS);
        let mut rng = stream(seed, 0, 0, Purpose::Playout);
        let decisions = decisions(game, &mut rng);
        let Some((state, seat)) = decisions.last() else { continue };
        let exact =
            |action| oracle_value(&mut Oracle::new(game, MAX_POSITIONS), state, action, *seat);
        let analysis = analyst.analyse(game, state, *seat, &[]);
        let best = &analysis.actions[0];
        let Some(of_best) = oracle_value(&mut oracle, state, best.action, *seat) else { continue };
        let highest = game.legal_actions(state).iter().map(exact).collect::<Option<Vec<_>>>();
        let Some(highest) = highest else { continue };
        let highest = highest.into_iter().fold(f64::NEG_INFINITY, f64::max);
        assert!(of_best > highest - 0.01, "{}: {of_best} {highest}", game.position_text(state));
        let chance = analysis.chances.unwrap()[seat.index()];
        assert!(
            (chance - of_best).abs() < 0.01,
            "{}: {} {chance} {of_best}",
            game.position_text(state),
            game.action_text(best.action)
        );
        compared += 1;
    }
    compared
}

fn oracle_value<G: Game>(
    oracle: &mut Oracle<'_, G>,
    state: &G::State,
    action: G::Action,
    seat: Seat,
) -> Option<f64> {
    Some(oracle.after(state, action)?.shares[seat.index()])
}

#[test]
fn chances_in_tiny_games_are_exact_within_a_point() {
    let one_round = "rules = { max_rounds = 1, start_pioneers = 1 }\n";
    let compared = compare_with_exact(&small_river(2, one_round), 60);
    assert!(compared >= 20, "{compared}");
    let one_round = "play = { max_rounds = 1, lake_size = 2, lake_take = 1, satchel_start = 2 }\n";
    let compared = compare_with_exact(&small_glassworks(2, one_round), 60);
    assert!(compared >= 20, "{compared}");
}

/// Rollouts of a bot that plays at random prefer other actions than the search. They never decide:
/// the best action is that of the search, or the one that searches after both prefer.
#[test]
fn rollouts_of_a_weak_bot_do_not_overrule_the_search() {
    let game = TheRiver::bind(&TheRiver::default_document(), 2).unwrap();
    let library = game.bot_library();
    let search = library.read("mcts:iterations=200").unwrap();
    let policy = library.read("random").unwrap();
    let analyst =
        Analyst { search: &search, policy: &policy, rollouts: 200, candidates: 5, seed: 1 };
    let mut rng = stream(1, 0, 0, Purpose::Playout);
    let [mut confirmed, mut doubts] = [0, 0];
    for (state, seat) in decisions(&game, &mut rng).iter().step_by(3) {
        let searched = Analyst { rollouts: 0, ..analyst }.analyse(&game, state, *seat, &[]);
        let analysis = analyst.analyse(&game, state, *seat, &[]);
        let [of_search, best] = [&searched, &analysis].map(|one| one.actions[0].action);
        let Some(check) = analysis.check else {
            assert_eq!(best, of_search);
            continue;
        };
        doubts += 1;
        assert_eq!(check.actions[0], of_search);
        let [first, other] = check.chances;
        assert_eq!(best == check.actions[1], other > first + 0.02, "{check:?}");
        confirmed += u32::from(check.verdict() == SuccessorVerdict::Confirmed);
    }
    // A search of 200 iterations is seldom wrong where random play is right.
    assert!(doubts >= 5 && 2 * confirmed > doubts, "{confirmed} of {doubts}");
}

/// Rollouts of other blocks estimate the same differences: of the intervals of 100 blocks, about 95
/// % contain the difference of 800 others.
#[test]
fn intervals_of_differences_contain_the_difference_of_many_rollouts() {
    let game = TheRiver::bind(&TheRiver::default_document(), 2).unwrap();
    let policy = game.bot_library().read("random").unwrap();
    let (mut contained, mut intervals) = (0, 0);
    for seed in 0..120 {
        let mut rng = stream(seed, 0, 0, Purpose::Playout);
        let decisions = decisions(&game, &mut rng);
        let (state, seat) = &decisions[random_below(&mut rng, decisions.len() as u32) as usize];
        let legal = game.legal_actions(state);
        let actions = [legal.nth(0), legal.nth(legal.len() - 1)];
        let rollouts = Rollouts { game: &game, state, seat: *seat, policy: &policy, seed };
        let [few, many] = [0..100, 100..900].map(|blocks| {
            let results = rollouts.play(&actions, blocks);
            difference(&results[0], &results[1], *seat)
        });
        if !few.is_testable() {
            continue;
        }
        // The variance of the many rollouts, an eighth of that of the few, widens the interval.
        let few = few.estimate();
        let half_width = (few.high - few.low) / 2.0 * (1.0_f64 + 0.125).sqrt();
        intervals += 1;
        contained += u32::from((few.value - many.value).abs() < half_width);
    }
    let share = f64::from(contained) / f64::from(intervals);
    assert!(intervals >= 90, "{intervals}");
    assert!((0.88..=1.0).contains(&share), "{contained} of {intervals}");
}

/// The roles of the other seats are hidden from the seat that decides.
#[test]
fn hidden_roles_change_no_analysis() {
    let variant = DataVariant::new("default", altered(""));
    let game = CommonRiver::bind(&variant.document(), 3).unwrap();
    let library = game.bot_library();
    let search = library.read("mcts:iterations=50").unwrap();
    let policy = library.read("random").unwrap();
    let analyst =
        Analyst { search: &search, policy: &policy, rollouts: 40, candidates: 3, seed: 1 };
    let (state, seat) = {
        let mut rng = stream(3, 0, 0, Purpose::Playout);
        decisions(&game, &mut rng)[4]
    };
    let text = game.view_text(&state, seat);
    assert_eq!(text.matches("role:?").count(), 2, "{text}");
    let mut rng = stream(4, 0, 0, Purpose::Playout);
    let analyses: Vec<_> = (0..4)
        .map(|_| {
            let dealt = game.determinize(&state, seat, &mut rng);
            assert_eq!(game.view_text(&dealt, seat), text);
            format!("{:?}", analyst.analyse(&game, &dealt, seat, &[]))
        })
        .collect();
    assert!(analyses.windows(2).all(|pair| pair[0] == pair[1]));
    let read = game.parse_view(&text).unwrap();
    assert_eq!(format!("{:?}", analyst.analyse(&game, &read, seat, &[])), analyses[0]);
    let own = game.view_text(&state, Seat::new((seat.index() + 1) % 3));
    let message = game.parse_view(&own).unwrap_err().to_string();
    assert!(message.contains(&format!("the role of seat {seat}")), "{message}");
}
