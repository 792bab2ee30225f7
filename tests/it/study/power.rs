//! `watershed balance power`: the numbers of games that it names suffice, and its output.

use rand::RngExt as _;
use watershed::{
    rng::{Purpose, stream},
    stats::{
        equivalence::{Equivalence, PowerGoal, tost_p},
        joint::JointSums,
        paired::Effect,
    },
};

use crate::support::{Folder, number};

/// Variance of a block's difference in [`difference`].
const VARIANCE: f64 = 0.1;

/// Returns the estimated difference of two rates over blocks with one game each. A tenth of the
/// blocks differ, in favour of the second with a true difference of `size`.
fn difference(seed: u64, blocks: u64, size: f64) -> Effect {
    let mut rng = stream(seed, 0, 0, Purpose::Playout);
    let mut sums = JointSums::default();
    for _ in 0..blocks {
        let (mut one, mut other) = (rng.random_range(0..2), 0);
        if rng.random_bool(VARIANCE) {
            other = i64::from(rng.random_bool(0.5 + size / VARIANCE / 2.0));
            one = 1 - other;
        } else {
            other += one;
        }
        sums.add_block(&[(1, one), (1, other)]);
    }
    sums.estimates(1).difference(1, 0)
}

fn share(runs: u64, is_true: impl Fn(u64) -> bool) -> f64 {
    (0..runs).filter(|&seed| is_true(seed)).count() as f64 / runs as f64
}

#[test]
fn planned_games_find_a_planted_difference_and_show_equality() {
    let blocks = |goal: PowerGoal| goal.blocks(VARIANCE, 0.9, 1).ceil() as u64;
    let verdict = |effect: Effect, margin: f64| {
        Equivalence::decide(effect.p_value(), tost_p(&effect, margin))
    };
    let planned = blocks(PowerGoal::Detect(0.02));
    // (1.96 + 1.2816)² · 0.1 / 0.02².
    assert!((2600..2660).contains(&planned), "{planned}");
    let found = share(300, |seed| difference(seed, planned, 0.02).p_value() < 0.05);
    assert!((0.86..0.94).contains(&found), "{found}");
    let different =
        share(300, |seed| verdict(difference(seed, planned, 0.02), 0.01) == Equivalence::Different);
    assert!(different >= 0.8, "{different}");
    let planned = blocks(PowerGoal::Equivalence(0.02));
    let equal =
        share(300, |seed| verdict(difference(seed, planned, 0.0), 0.02) == Equivalence::Equal);
    assert!((0.86..0.94).contains(&equal), "{equal}");
}

/// (1.645 + 1.645)² · 0.96 / 0.01² is about 104,000 games.
#[test]
fn the_turn_order_of_two_players_needs_about_100_000_games() {
    let folder = Folder::new();
    let asked = "power --question turn-order --bots balanced --margin 1pp --blocks 400";
    let printed = folder.balance("turn", asked);
    assert!(printed.lines().skip(1).all(|line| line.chars().count() <= 80), "{printed}");
    let row = &folder.rows("turn/power.csv")[0];
    let [low, games, high] =
        ["games_needed_ci_low", "games_needed", "games_needed_ci_high"].map(|end| number(row, end));
    assert!(low < games && games < high && high < 1.4 * low, "{row:?}");
    assert!((94_000.0..109_000.0).contains(&games), "{games}");
    assert_eq!(folder.files("turn"), ["power.csv", "run.json"]);
    // Half the size needs four times the games.
    let asked = "power --question turn-order --bots balanced --margin 0.5pp --blocks 400";
    folder.balance("half", asked);
    let half = number(&folder.rows("half/power.csv")[0], "games_needed");
    assert!((half / games - 4.0).abs() < 0.01, "{half}");
}
