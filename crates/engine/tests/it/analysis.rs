//! The analysis of positions, compared with exact values and with many rollouts.

mod hints;
mod ledger;

use watershed::BuiltInGame;
use watershed::{
    analysis::{
        judge::Analyst,
        rollout::{Rollouts, difference},
    },
    bots::{BotFactory, calibration::CalibrationFile},
    game::{ActionSet as _, Game, Notation, Seat, Turn},
    games::{GameDefinition, common_river::CommonRiver, the_river::TheRiver},
    rng::{Purpose, Rng, random_below, stream},
};

use crate::search::expectimax::{Oracle, small_glassworks, small_river};

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

/// Returns the analyst that searches a position once.
fn searching(search: &BotFactory) -> Analyst<'_> {
    Analyst { search, after: None, policy: search, rollouts: 0, candidates: 5, seed: 1 }
}

/// Compares the chances of the best action, and of all actions with many visits, with exact values.
/// Returns the number of positions.
fn compare_with_exact<G: BuiltInGame>(game: &G, games: u64) -> u32 {
    let mut library = game.bot_library();
    // The maps from mean rewards to chances were fitted to the games of the built-in data.
    library.profiles.calibration = CalibrationFile::default();
    let search = library.read("mcts:iterations=20000").unwrap();
    let analyst = searching(&search);
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
        let chance = analysis.chances().unwrap()[seat.index()];
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

/// The best action is that of the search, or one that searches after both find better by more than
/// 2 points; every candidate has the visits for it, and none is better than the best by more.
#[test]
fn searches_after_the_candidates_decide() {
    let game = TheRiver::bind(&TheRiver::default_document(), 2).unwrap();
    let search = game.bot_library().read("mcts:iterations=100").unwrap();
    let first = searching(&search);
    let analyst = Analyst { after: Some(&search), ..first };
    let mut rng = stream(1, 0, 0, Purpose::Playout);
    let [mut rejected, mut compared] = [0, 0];
    for (state, seat) in decisions(&game, &mut rng).iter().step_by(2) {
        let searched = first.analyse(&game, state, *seat, &[]);
        let analysis = analyst.analyse(&game, state, *seat, &[]);
        let chance = |index: usize| {
            let judged = &analysis.actions[index];
            judged.after.as_ref().map(|after| after.of(*seat))
        };
        let candidates = (0..analysis.actions.len()).filter(|&index| chance(index).is_some());
        for index in candidates.clone().skip(1) {
            compared += 1;
            assert!(analysis.actions[index].visits >= 10);
            assert!(index < 2 || chance(index) <= chance(index - 1));
        }
        assert_eq!(analysis.leaders().len() + analysis.worse().len(), candidates.count());
        let best = analysis.actions[0].action;
        assert_eq!(analysis.rejected.is_some(), best != searched.actions[0].action);
        if analysis.rejected.is_some() {
            rejected += 1;
            let old = searched.actions[0].action;
            let old = analysis.actions.iter().find(|judged| judged.action == old).unwrap();
            assert!(analysis.difference(old).unwrap().value < -0.02);
        }
    }
    assert!(compared >= 20 && rejected >= 1, "{compared} {rejected}");
}

/// Both analyses agree in most positions, or several actions are within 2 points.
#[test]
fn analyses_until_stable_agree_or_find_close_actions() {
    let game = TheRiver::bind(&TheRiver::default_document(), 2).unwrap();
    let library = game.bot_library();
    let searches = [50, 100, 200, 400]
        .map(|iterations: u32| library.read(&format!("mcts:iterations={iterations}")).unwrap());
    let analyst = searching(&searches[0]);
    let decisions =
        (3..6).flat_map(|seed| decisions(&game, &mut stream(seed, 0, 0, Purpose::Playout)));
    let decisions: Vec<_> = decisions.step_by(6).collect();
    let mut deepened = 0;
    for (state, seat) in &decisions {
        let stable = Analyst::analyse_until_stable;
        let (analysis, level) = stable(&analyst, &searches, &game, state, *seat, &[], &|_| ());
        deepened += usize::from(level > 0);
        let is_answered = analysis.is_stable == Some(true) || analysis.leaders().len() > 1;
        assert!(is_answered || level == searches.len() - 1);
        let samples = analysis.actions[0].after.as_ref().unwrap().samples.len();
        assert!(samples >= 4, "{samples}");
    }
    assert!(deepened >= 1);
}

/// Rollouts of other blocks estimate the same differences: of the intervals of 100 blocks, about 95
/// % contain the difference of 800 others.
#[test]
#[ignore = "some seconds: many rollouts; .ci/full runs it"]
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
    let game = CommonRiver::bind(&CommonRiver::default_document(), 3).unwrap();
    let library = game.bot_library();
    let search = library.read("mcts:iterations=50").unwrap();
    let policy = library.read("random").unwrap();
    let analyst = Analyst {
        after: Some(&search),
        policy: &policy,
        rollouts: 40,
        candidates: 3,
        ..searching(&search)
    };
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
