//! `watershed balance turn-order`: verdicts on games with known win rates, and the output of the
//! program.

use std::array;

use rand::RngExt as _;
use watershed::{
    experiments::turn_order::TurnOrderTally,
    game::{MAX_SEATS, Outcome, Seat, UNITS_PER_WIN},
    rng::{Purpose, stream},
    stats::{equal_rates::EqualRates, equivalence::Equivalence},
    study::turn_order::points::EvenPoints,
};

use crate::support::{Folder, number};

const MARGIN: f64 = 0.01;

/// Games in which every seat scores 0 to 99, and the first player `advantage` points more. Seats
/// begin in turn.
fn planted(seed: u64, seats: usize, games: u64, advantage: i32) -> TurnOrderTally {
    let mut rng = stream(seed, 0, 0, Purpose::Playout);
    let mut tally = TurnOrderTally::default();
    for block in 0..games {
        let first = Seat::new(block as usize % seats);
        let mut scores = [0; MAX_SEATS];
        scores[..seats].fill_with(|| rng.random_range(0..100));
        scores[first.index()] += advantage;
        tally.add_block(block, seats, &[(Outcome::highest_score_wins(scores, seats, 1), first)]);
    }
    tally
}

fn tested(tally: &TurnOrderTally, seats: usize, margin: f64) -> EqualRates {
    EqualRates::new(&tally.joint_wins(), &tally.halves, seats, UNITS_PER_WIN, margin)
}

/// Returns the win rate of the first of 2 players with this advantage.
fn exact_win_rate(advantage: i32) -> f64 {
    let scores = || (0..100).flat_map(|one| (0..100).map(move |other| (one + advantage, other)));
    let wins = scores().filter(|(one, other)| one > other).count();
    let ties = scores().filter(|(one, other)| one == other).count();
    (wins as f64 + ties as f64 / 2.0) / 10_000.0
}

#[test]
fn symmetric_games_are_rarely_unfair() {
    for seats in [2, 4] {
        let unfair = (0..1000).filter(|&seed| {
            let order = tested(&planted(seed, seats, 200, 0), seats, MARGIN);
            order.verdict == Equivalence::Different
        });
        // 5 % of 1000, and 2 standard errors.
        let unfair = unfair.count();
        assert!((30..=64).contains(&unfair), "{unfair} of 1000 with {seats} players");
    }
}

#[test]
fn a_planted_advantage_is_found_with_its_size() {
    let expected = exact_win_rate(10);
    assert!((expected - 0.595).abs() < 0.001, "{expected}");
    let (mut covered, mut unfair) = (0, 0);
    for seed in 0..200 {
        let order = tested(&planted(seed, 2, 1000, 10), 2, MARGIN);
        unfair += u32::from(order.verdict == Equivalence::Different);
        let interval = order.largest_difference;
        let difference = 2.0 * expected - 1.0;
        covered += u32::from((interval.low..interval.high).contains(&difference));
    }
    assert!(unfair > 195, "{unfair} of 200");
    assert!((182..=198).contains(&covered), "{covered} of 200 intervals");
    let points = EvenPoints::find(&planted(1, 2, 40_000, 10), 2).unwrap();
    let points = points.best.points;
    assert!(points[0] == 0 && (9..=11).contains(&points[1]), "{points:?}");
    let points = EvenPoints::find(&planted(2, 4, 40_000, 10), 4).unwrap();
    let points = points.best.points;
    assert!(points[1..].iter().all(|points| (8..=12).contains(points)), "{points:?}");
}

#[test]
fn an_equal_game_is_fair_with_the_games_that_are_named() {
    let short = tested(&planted(1, 2, 2000, 0), 2, 0.02);
    assert_eq!(short.verdict, Equivalence::Open);
    // A block is a game.
    let games = short.blocks_needed().unwrap() as u64;
    // (1.645 + 1.645)² · 1 / 0.02².
    assert!((26_000..28_000).contains(&games), "{games}");
    let fair = (10..50).filter(|&seed| {
        let order = tested(&planted(seed, 2, games, 0), 2, 0.02);
        order.verdict == Equivalence::Equal
    });
    // 90 % of 40, less 2 standard errors.
    let fair = fair.count();
    assert!(fair >= 32, "{fair} of 40");
}

#[test]
fn a_game_that_the_first_player_always_wins_is_unfair() {
    let always = tested(&planted(1, 2, 100, 100), 2, MARGIN);
    assert_eq!((always.verdict, always.blocks_needed()), (Equivalence::Different, None));
    assert!(always.equality.p.is_nan());
    let few = tested(&planted(1, 2, 10, 100), 2, MARGIN);
    assert_eq!(few.verdict, Equivalence::Open);
}

#[test]
fn the_program_states_its_verdict() {
    let folder = Folder::new();
    let printed = folder.balance("one", "turn-order --bots balanced --games 3000 --seed 5");
    let positions = folder.rows("one/turn_positions.csv");
    let rates: [f64; 2] = array::from_fn(|position| number(&positions[position], "win_rate"));
    assert!((rates[0] + rates[1] - 1.0).abs() < 2e-6 && rates[0] > 0.55, "{rates:?}");
    let verdicts = folder.rows("one/verdicts.csv");
    assert_eq!((verdicts.len(), verdicts[0]["verdict"].as_str()), (1, "unfair"));
    let answer = format!("Unfair: the first of 2 players wins {:.1} % [", 100.0 * rates[0]);
    let words = printed.replace('\n', " ");
    assert!(words.contains(&answer) && words.contains("(p < 0.0001)"), "{printed}");
    // The same deals, bots and turn positions as those of `simulate`.
    let simulate = "simulate --quiet --bots balanced --games 3000 --seed 5 --games-csv";
    folder.succeeds(&format!("{simulate} --out simulated"));
    let simulated = folder.rows("simulated/turn_order.csv");
    for (one, other) in positions.iter().zip(&simulated) {
        for column in ["win_rate", "mean_score"] {
            assert!((number(one, column) - number(other, column)).abs() < 1e-6, "{column}");
        }
    }
    // The rows of games.csv alone give the same win rates.
    let games = folder.rows("simulated/games.csv");
    for (position, row) in simulated.iter().enumerate() {
        let shares = games.iter().map(|game| {
            let is_seat =
                |seat: &usize| game[&format!("turn_position_{seat}")] == position.to_string();
            let seat = (0..2).find(is_seat).unwrap();
            number(game, &format!("win_share_{seat}"))
        });
        let rate = shares.sum::<f64>() / games.len() as f64;
        assert!((rate - number(row, "win_rate")).abs() < 1e-6, "{rate} {row:?}");
    }
}

#[test]
fn games_without_a_winner_lower_the_mean() {
    let folder = Folder::new();
    let asked = "turn-order --game common_river --players 3 --bots balanced --games 100";
    let printed = folder.balance("common", asked);
    let row = &folder.rows("common/verdicts.csv")[0];
    let mean = number(row, "mean_win_rate");
    let positions = folder.rows("common/turn_positions.csv");
    let expected = positions.iter().map(|row| number(row, "win_rate")).sum::<f64>() / 3.0;
    // Games with several winners raise the mean above the share of games with one, divided by 3.
    let of_one_win = (1.0 - number(row, "without_winner") / 100.0) / 3.0;
    assert!((mean - expected).abs() < 1e-6 && mean > of_one_win && mean < 0.3, "{mean}");
    assert!(printed.contains("Nobody wins"), "{printed}");
    assert_eq!(folder.rows("common/turn_positions.csv")[0]["even_points"], "");
}

/// Points at the start are played, so the scores are those of the file without them and the points.
#[test]
fn points_at_the_start_are_played() {
    let folder = Folder::new();
    for (game, text, points) in [
        ("the_river", "[setup.2]\nstart = [{}, { points = 2 }] # variant\n", 2.0),
        ("glassworks", "\n[setup.2]\nstart = [{}, { points = 7 }]\n", 7.0),
    ] {
        let data = std::fs::read_to_string(format!("configs/{game}.toml")).unwrap();
        let changed = match game {
            "the_river" => data.replacen("[setup.2]\n", text, 1),
            _ => data + text,
        };
        folder.write("points.toml", changed);
        let run = |out: &str, config: &str| {
            folder.balance(
                out,
                &format!("turn-order --game {game} --bots random --games 60{config}"),
            );
            let rows = folder.rows(format!("{out}/turn_positions.csv"));
            [0, 1].map(|position| number(&rows[position], "mean_score"))
        };
        let [first, second] = run(&format!("{game}_plain"), "");
        let [same, more] = run(&format!("{game}_points"), " --config points.toml");
        // Random bots do not look at points, so all else is the same.
        assert!((same - first).abs() < 1e-9, "{game}: {first} {same}");
        assert!((more - second - points).abs() < 1e-9, "{game}: {second} {more}");
    }
}
