//! Hints of searches.

use watershed::{
    BuiltInGame, Game as _, GameDefinition as _,
    analysis::{
        hint::{Advisor, Hint, Measure},
        watch::AnalysisWatch,
    },
    game::{ActionSet as _, FullGame, Notation as _, Seat},
    games::{common_river::CommonRiver, glassworks::Glassworks, the_river::TheRiver},
    rng::{Purpose, random_below, stream},
};

use super::decisions;

/// Returns a hint for the decision of a seat.
fn hint<G: FullGame>(
    advisor: &Advisor,
    game: &G,
    state: &G::State,
    seat: Seat,
    seed: u64,
) -> Hint<G::Action> {
    advisor.hint(game, state, seat, None, (seed, &AnalysisWatch::new(None))).unwrap()
}

/// Checks that the rows of a hint are legal, distinct, searched, and in order.
#[track_caller]
fn check<G: FullGame>(game: &G, state: &G::State, hint: &Hint<G::Action>) {
    let legal = game.legal_actions(state);
    assert_eq!(hint.legal, legal.len());
    assert!((1..=3).contains(&hint.rows.len()), "{hint:?}");
    for (index, row) in hint.rows.iter().enumerate() {
        assert!(legal.contains(row.action), "{hint:?}");
        assert!(hint.rows[..index].iter().all(|other| other.action != row.action), "{hint:?}");
        assert_eq!(row.number.is_some(), hint.legal > 1, "{hint:?}");
    }
    assert!(hint.rows.is_sorted_by(|one, other| one.number >= other.number), "{hint:?}");
    assert_eq!(hint.verdict().contains("only"), hint.legal == 1, "{hint:?}");
    assert_eq!(hint.method("mcts").is_none(), hint.legal == 1, "{hint:?}");
}

/// Checks the hints of some decisions of random games, and returns those that rank by points.
fn hints<G: BuiltInGame>(players: usize, games: u64) -> usize {
    let game = G::bind(&G::default_document(), players).unwrap();
    let advisor = Advisor::read(&game.bot_library(), "mcts:iterations=100").unwrap();
    let mut by_points = 0;
    for seed in 0..games {
        let mut rng = stream(seed, 0, 0, Purpose::Playout);
        let decisions = decisions(&game, &mut rng);
        for (state, seat) in decisions.iter().step_by(decisions.len() / 4) {
            let hint = hint(&advisor, &game, state, *seat, seed);
            check(&game, state, &hint);
            by_points += usize::from(hint.measure == Measure::Margin);
        }
    }
    by_points
}

#[test]
fn rows_are_searched_and_in_the_order_of_their_numbers() {
    let by_points = [
        hints::<TheRiver>(2, 6),
        hints::<TheRiver>(4, 3),
        hints::<Glassworks>(3, 6),
        hints::<CommonRiver>(3, 3),
        hints::<CommonRiver>(5, 1),
    ];
    assert!(by_points.iter().sum::<usize>() > 0, "decided games are ranked by points");
}

/// A position whose best action has one visit of 2,000 iterations.
const OVERLOOKED: &str = "\
    the_river/2 phase:place round:6 turn:1 pawn:1 end:0 cursor:0 returning:wood places:food,\
    reserve,swap tiles:desert_store2,desert_store2,badlands_clay2,forest_wood_store \
    discarded:badlands_clay2*4,badlands_clay_store,desert_store2*3,forest_wood_store,\
    meadow_swap,mixed_badlands_desert,mixed_forest_mountain,mountain_stone2 \
    removed:meadow_per_mountain buildings:w2c2s3,w3c2,w3c2s1 seat:0 board:black \
    spots:mountain_stone2,meadow_income_clay,meadow_per_token,desert_store2,desert_store2,\
    meadow_per_meadow held:c1f1 tokens:3 token_points:9 boat:2 pioneers:4 claims:0 framed:0 \
    built:w1c3s2,w1s2,w2s1 reserved:- seat:1 board:green spots:meadow_per_badlands,\
    meadow_take_wood,desert_store2,meadow_income_stone,forest_wood_store,desert_store2,\
    meadow_per_forest,forest_wood_store,meadow_income_wood held:w2c1s1 tokens:3 \
    token_points:12 boat:1 pioneers:3 claims:1 framed:0 built:c3,w1c2,w1s3 reserved:c1s2";

/// Brief searches after all actions find what the search of the position overlooks.
#[test]
fn overlooked_actions_are_proposed() {
    let game = TheRiver::bind(&TheRiver::default_document(), 2).unwrap();
    let advisor = Advisor::read(&game.bot_library(), "mcts:iterations=1000").unwrap();
    let state = game.parse_position(OVERLOOKED).unwrap();
    let hint = hint(&advisor, &game, &state, Seat::new(1), 1);
    assert_eq!(game.action_text(hint.rows[0].action), "first");
    assert!(hint.rows[0].number > Some(0.9), "{hint:?}");
}

/// Opponents by their names, the largest budget, and bots without a number of iterations, too.
#[test]
fn bots_of_any_budget_advise() {
    let game = TheRiver::bind(&TheRiver::default_document(), 2).unwrap();
    for name in ["Pike", "mcts:iterations=4194303", "mcts:time_ms=1", "expert"] {
        Advisor::read(&game.bot_library(), name).unwrap();
    }
}

/// Where all seats win or lose together and the chance is low, the points tell actions apart.
#[test]
fn numbers_of_cooperative_games_differ() {
    let game = CommonRiver::bind(&CommonRiver::default_document(), 2).unwrap();
    let advisor = Advisor::read(&game.bot_library(), "mcts:iterations=300").unwrap();
    let (mut games, mut by_points) = (0, 0);
    for seed in 0.. {
        if games == 20 {
            break;
        }
        let mut rng = stream(seed, 0, 0, Purpose::Playout);
        let decisions = decisions(&game, &mut rng);
        let Some((state, seat)) = decisions.get(20) else { continue };
        if !game.is_shared(state) {
            continue;
        }
        games += 1;
        let hint = hint(&advisor, &game, state, *seat, seed);
        check(&game, state, &hint);
        assert_eq!(hint.chances.len(), 1, "one chance for both seats");
        assert!(hint.is_calibrated);
        let numbers: Vec<_> = hint.rows.iter().map(|row| hint.number(row)).collect();
        let is_one = numbers.len() == 1;
        assert!(is_one || numbers.iter().any(|one| *one != numbers[0]), "game {seed}: {numbers:?}");
        by_points += usize::from(hint.measure == Measure::SharedPoints);
        let points = |points: f64| (-100.0..=1000.0).contains(&points);
        let is_points = hint.measure == Measure::SharedPoints;
        let in_range = hint.rows.iter().all(|row| row.number.is_some_and(points));
        assert!(in_range || !is_points, "{hint:?}");
    }
    assert!(by_points > 0);
}

/// A search whose value has no expected scores ranks by chances alone.
#[test]
fn heuristics_have_no_points() {
    let game = CommonRiver::bind(&CommonRiver::default_document(), 5).unwrap();
    let advisor = Advisor::read(&game.bot_library(), "mcts:iterations=100").unwrap();
    let mut rng = stream(1, 0, 0, Purpose::Playout);
    let decisions = decisions(&game, &mut rng);
    let (state, seat) = decisions[random_below(&mut rng, decisions.len() as u32) as usize];
    let hint = hint(&advisor, &game, &state, seat, 1);
    assert_eq!(hint.measure, Measure::WinChance);
    assert_eq!(hint.chances.len(), 5);
}

/// Every game that people can play has maps of its own.
#[test]
fn searches_are_calibrated_for_every_number_of_players_and_mode() {
    fn check<G: BuiltInGame>(players: std::ops::RangeInclusive<usize>) {
        for players in players {
            let game = G::bind(&G::default_document(), players).unwrap();
            let search = game.bot_library().read("mcts:iterations=2000").unwrap();
            let mut modes: Vec<_> = game.modes().iter().map(|&(mode, _)| Some(mode)).collect();
            if modes.is_empty() {
                modes.push(None);
            }
            for mode in modes {
                let calibration = search.calibration().of_mode(mode);
                for iterations in [200, 1000] {
                    let fitted = calibration.nearest(iterations);
                    assert!(!fitted.is_empty(), "{} {players} {mode:?}", G::ID);
                    assert!(fitted.iter().all(|fitted| fitted.games >= 50), "{fitted:?}");
                }
            }
        }
    }
    check::<TheRiver>(2..=4);
    check::<Glassworks>(2..=5);
    check::<CommonRiver>(1..=5);
}
