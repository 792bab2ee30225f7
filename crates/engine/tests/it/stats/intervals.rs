//! The coverage of intervals for simulated data with known true values.

use rand::RngExt;
use watershed::{
    game::UNITS_PER_WIN,
    rng::{Purpose, Rng, stream},
    stats::{
        confidence_sequence::{
            ConfidenceSequence, FIRST_LOOK, StoppingCriterion, WinRates, look_schedule,
        },
        mean::MeanSums,
        paired::PairedSums,
        ratio::{Estimate, Products, Ratio},
        spread::RateSums,
        subset,
    },
};

/// A block of games in which a bot has the win rate `rate`.
#[derive(Clone, Copy, Debug)]
enum Block {
    /// Independent games.
    Independent,
    /// In every second block the bot wins all games or none.
    Together,
    /// In 6 of 10 blocks the bot wins the same number of games up to rounding, as if the seat
    /// decided.
    Balanced,
}

impl Block {
    fn wins(self, rng: &mut Rng, games: u32, rate: f64) -> i64 {
        let decided = match self {
            Self::Independent => false,
            Self::Together => rng.random_bool(0.5),
            Self::Balanced => rng.random_bool(0.6),
        };
        if !decided {
            return (0..games).map(|_| i64::from(rng.random_bool(rate))).sum();
        }
        if matches!(self, Self::Together) {
            return i64::from(games) * i64::from(rng.random_bool(rate));
        }
        let expected = f64::from(games) * rate;
        expected as i64 + i64::from(rng.random_bool(expected.fract()))
    }
}

/// The win rates are those of a fair share with 200 blocks, and of 1 in 50 won or lost with 1000
/// blocks.
#[test]
fn intervals_of_rates_have_their_nominal_coverage() {
    const TRIALS: u32 = 10_000;
    for games in 2..=4 {
        let fair = 1.0 / f64::from(games);
        for (number, (rate, blocks)) in
            [(0.02, 1000), (fair, 200), (0.98, 1000)].into_iter().enumerate()
        {
            for block in [Block::Independent, Block::Together, Block::Balanced] {
                let mut rng =
                    stream(3, u64::from(games), 3 * number as u64 + block as u64, Purpose::Playout);
                let held = (0..TRIALS).filter(|_| {
                    let mut ratio = Ratio::default();
                    (0..blocks).for_each(|_| {
                        ratio.add_block(games.into(), block.wins(&mut rng, games, rate));
                    });
                    let estimate = ratio.rate(1);
                    (estimate.low..=estimate.high).contains(&rate)
                });
                let coverage = 100.0 * held.count() as f64 / f64::from(TRIALS);
                assert!(
                    (94.0..=96.0).contains(&coverage),
                    "{coverage} %: {blocks} blocks of {games} games, {block:?}, rate {rate}"
                );
            }
        }
    }
}

/// Equal bots of which the first mover wins more often; it is another bot in each of the 2 games of
/// a block.
const EQUAL: [f64; 2] = [0.6, 0.4];

/// Returns the wins of a bot in a block of 2 games with these win probabilities.
fn wins(rng: &mut Rng, chances: [f64; 2]) -> i64 {
    chances.map(|chance| i64::from(rng.random_bool(chance))).iter().sum()
}

/// Returns true if an interval at one of the looks of a run of 10,000 blocks misses the true value.
fn misses(rng: &mut Rng, chances: [f64; 2], interval: impl Fn(&Ratio) -> Estimate) -> bool {
    let looks = look_schedule().take_while(|&look| look <= 10_000);
    misses_at(looks, rng, chances, interval)
}

/// Returns true if an interval at one of these looks misses the true value.
fn misses_at(
    mut looks: impl Iterator<Item = u64>,
    rng: &mut Rng,
    chances: [f64; 2],
    interval: impl Fn(&Ratio) -> Estimate,
) -> bool {
    let truth = f64::midpoint(chances[0], chances[1]);
    let mut ratio = Ratio::default();
    looks.any(|look| {
        while ratio.blocks < look {
            ratio.add_block(2, wins(rng, chances));
        }
        let estimate = interval(&ratio);
        estimate.high < truth || estimate.low > truth
    })
}

#[test]
fn confidence_sequences_cover_all_looks_together() {
    for (number, chances) in
        [EQUAL, [0.7, 0.5], [0.99, 0.79], [0.98, 0.98], [0.02, 0.06]].into_iter().enumerate()
    {
        for tightest in [100.0, 1000.0, 10_000.0] {
            let intervals = ConfidenceSequence::narrowest_after(tightest, 0.05);
            let mut rng = stream(5, number as u64, tightest as u64, Purpose::Playout);
            let missed = (0..2000)
                .filter(|_| misses(&mut rng, chances, |ratio| intervals.rate(ratio, 1)))
                .count();
            assert!(
                (5..=100).contains(&missed),
                "{missed} of 2000 runs with chances {chances:?}, tightest after {tightest}"
            );
        }
    }
}

#[test]
fn a_sequence_with_a_last_look_is_hardly_wider_there_than_one_interval() {
    const LAST: u64 = 500;
    let intervals = ConfidenceSequence::up_to(LAST);
    assert!((2.05..2.07).contains(&intervals.critical_value(LAST)));
    assert!([100, 250, 499].iter().all(|&look| intervals.critical_value(look) < 3.7));
    for (number, chances) in [EQUAL, [0.7, 0.5], [0.98, 0.9]].into_iter().enumerate() {
        let mut rng = stream(7, number as u64, 0, Purpose::Playout);
        let mut missed = |last: Option<u64>| {
            let looks = || look_schedule().take_while(|&look| look < LAST).chain(last);
            (0..2000)
                .filter(|_| misses_at(looks(), &mut rng, chances, |wins| intervals.rate(wins, 1)))
                .count()
        };
        let [early, all] = [None, Some(LAST)].map(&mut missed);
        assert!(early <= 30, "{early} of 2000 runs with chances {chances:?} before the last look");
        assert!((50..=120).contains(&all), "{all} of 2000 runs with chances {chances:?}");
    }
}

fn rates_of_two_bots(rate: Ratio) -> WinRates {
    WinRates { rates: vec![rate], split_rates: vec![rate], unit: 1, players: 2, games_per_block: 2 }
}

#[test]
fn runs_that_stop_at_a_precision_have_their_nominal_coverage() {
    let goal = StoppingCriterion::Precision(2.5);
    let mut rng = stream(7, 0, 0, Purpose::Playout);
    let (mut missed, mut blocks) = (0, Vec::new());
    for _ in 0..2000 {
        let mut ratio = Ratio::default();
        for look in look_schedule() {
            while ratio.blocks < look {
                ratio.add_block(2, wins(&mut rng, [0.8, 0.6]));
            }
            if goal.is_reached(&rates_of_two_bots(ratio)) {
                break;
            }
        }
        let estimate = goal.confidence_sequence(&rates_of_two_bots(ratio)).rate(&ratio, 1);
        assert!(estimate.high - estimate.low <= 0.05);
        missed += u32::from(estimate.high < 0.7 || estimate.low > 0.7);
        blocks.push(ratio.blocks);
    }
    assert!(missed <= 100, "{missed} of 2000");
    // The variance of the mean of a block is 0.08, and about 2.9 standard errors must be 0.025.
    blocks.sort_unstable();
    assert!((900..1700).contains(&blocks[1000]), "{}", blocks[1000]);
}

#[test]
fn equal_players_rarely_differ_significantly_and_others_always() {
    let mut rng = stream(8, 0, 0, Purpose::Playout);
    let mut differ = |chances| {
        let mut ratio = Ratio::default();
        look_schedule().take_while(|&look| look <= 10_000).any(|look| {
            while ratio.blocks < look {
                ratio.add_block(2, wins(&mut rng, chances));
            }
            StoppingCriterion::Significance.is_reached(&rates_of_two_bots(ratio))
        })
    };
    let false_alarms = (0..2000).filter(|_| differ(EQUAL)).count();
    assert!((10..=100).contains(&false_alarms), "{false_alarms} of 2000");
    assert!((0..200).all(|_| differ([0.65, 0.45])));
}

/// Returns the win rates in blocks of 3 games of 3 seats, half of which have no winner, of a bot
/// that wins `share` of the others and of its 2 equal opponents.
#[derive(Default)]
struct GamesWithoutWinner {
    rates: [Ratio; 3],
    split_rates: [Ratio; 3],
}

impl GamesWithoutWinner {
    fn add_block(&mut self, rng: &mut Rng, share: f64) {
        let (mut wins, mut split) = ([0; 3], [0; 3]);
        for _ in 0..3 {
            if rng.random_bool(0.5) {
                split = split.map(|split| split + UNITS_PER_WIN / 3);
                continue;
            }
            let winner =
                if rng.random_bool(share) { 0 } else { 1 + usize::from(rng.random_bool(0.5)) };
            wins[winner] += UNITS_PER_WIN;
            split[winner] += UNITS_PER_WIN;
        }
        for bot in 0..3 {
            self.rates[bot].add_block(3, wins[bot]);
            self.split_rates[bot].add_block(3, split[bot]);
        }
    }

    fn is_significant_by(&mut self, blocks: u64, rng: &mut Rng, share: f64) -> bool {
        look_schedule().take_while(|&look| look <= blocks).any(|look| {
            while self.rates[0].blocks < look {
                self.add_block(rng, share);
            }
            let [rates, split_rates] = [self.rates, self.split_rates].map(|rates| rates.to_vec());
            StoppingCriterion::Significance.is_reached(&WinRates {
                rates,
                split_rates,
                unit: UNITS_PER_WIN,
                players: 3,
                games_per_block: 3,
            })
        })
    }
}

#[test]
fn equal_players_rarely_differ_significantly_if_half_of_the_games_have_no_winner() {
    let mut rng = stream(13, 0, 0, Purpose::Playout);
    let false_alarms = (0..1000)
        .filter(|_| GamesWithoutWinner::default().is_significant_by(5000, &mut rng, 1.0 / 3.0))
        .count();
    assert!((1..=50).contains(&false_alarms), "{false_alarms} of 1000");
    // A bot that wins 1.3 times as often as each of its opponents.
    let found = (0..100)
        .filter(|_| GamesWithoutWinner::default().is_significant_by(10_000, &mut rng, 1.3 / 3.3))
        .count();
    assert_eq!(found, 100);
}

#[test]
fn the_pilot_predicts_the_number_of_blocks_for_a_precision() {
    let mut rng = stream(9, 0, 0, Purpose::Playout);
    let mut ratio = Ratio::default();
    (0..FIRST_LOOK).for_each(|_| ratio.add_block(2, wins(&mut rng, EQUAL)));
    let goal = StoppingCriterion::Precision(1.0);
    let expected = goal.expected_blocks(&rates_of_two_bots(ratio), u64::MAX).unwrap_or(0);
    // The variance of the mean of a block is 0.12; the pilot estimates it within 30 %.
    assert!((6000..18_000).contains(&expected), "{expected}");
    assert_eq!(goal.expected_blocks(&rates_of_two_bots(ratio), 5000), None);
    assert!(look_schedule().any(|look| look == expected));
}

/// Returns a block of 3 games with two rules whose deal changes the win probability with both.
fn paired_block(rng: &mut Rng, rates: [f64; 2]) -> [(i64, i64); 2] {
    let luck = rng.random_range(-0.25..0.25);
    rates.map(|rate| (3, (0..3).map(|_| i64::from(rng.random_bool(rate + luck))).sum()))
}

/// The 95 % intervals of differences have their coverage, and the test has its error rate.
#[test]
fn intervals_of_differences_have_their_nominal_coverage() {
    const TRIALS: u32 = 5000;
    for (number, rates) in [[0.5, 0.5], [0.3, 0.4], [0.7, 0.3]].into_iter().enumerate() {
        let mut rng = stream(10, number as u64, 0, Purpose::Playout);
        let (mut held, mut refuted) = (0, 0);
        for _ in 0..TRIALS {
            let mut paired = PairedSums::default();
            for _ in 0..100 {
                let [a, b] = paired_block(&mut rng, rates);
                paired.add_block(a, b);
            }
            let difference = paired.difference(1);
            let estimate = difference.estimate();
            held += u32::from((estimate.low..=estimate.high).contains(&(rates[1] - rates[0])));
            refuted += u32::from(difference.p_value() < 0.05);
        }
        let percent = |count: u32| 100.0 * f64::from(count) / f64::from(TRIALS);
        assert!((94.0..=96.0).contains(&percent(held)), "{} % with rates {rates:?}", percent(held));
        let expected = if number == 0 { 4.0..=6.0 } else { 70.0..=100.0 };
        assert!(
            expected.contains(&percent(refuted)),
            "{} % with rates {rates:?}",
            percent(refuted)
        );
    }
}

/// Metrics with few observations per block: seats that took an item, in blocks that may have none.
#[test]
fn intervals_of_differences_of_ratios_have_their_nominal_coverage() {
    let mut rng = stream(11, 0, 0, Purpose::Playout);
    let held = (0..5000).filter(|_| {
        let mut paired = PairedSums::default();
        for _ in 0..200 {
            let takers = rng.random_range(0..4);
            let strong = rng.random_bool(0.5);
            let side = |rng: &mut Rng, takers: i64| {
                let rate = if strong { 0.7 } else { 0.3 };
                (takers, (0..takers).map(|_| i64::from(rng.random_bool(rate))).sum())
            };
            let a = side(&mut rng, takers);
            paired.add_block(a, side(&mut rng, (takers + 1) % 4));
        }
        let estimate = paired.difference(1).estimate();
        (estimate.low..=estimate.high).contains(&0.0)
    });
    let coverage = 100.0 * held.count() as f64 / 5000.0;
    assert!((94.0..=96.0).contains(&coverage), "{coverage} %");
}

/// Rare and frequent, good and bad openings: the share of games with one, their win rate and that
/// of the other games.
#[test]
fn intervals_of_subset_differences_have_their_nominal_coverage() {
    const TRIALS: u32 = 2000;
    const BLOCKS: u32 = 500;
    for (number, (share, rate, others)) in
        [(0.02, 0.9, 0.6), (0.05, 0.6, 0.6), (0.5, 0.7, 0.4), (0.1, 0.1, 0.4)]
            .into_iter()
            .enumerate()
    {
        let truth = rate - (share * rate + (1.0 - share) * others);
        let mut rng = stream(9, number as u64, 0, Purpose::Playout);
        let held = (0..TRIALS).filter(|_| {
            let (mut own, mut all, mut products) =
                (Ratio::default(), Ratio::default(), Products::default());
            for _ in 0..BLOCKS {
                let is_in = rng.random_bool(share);
                let won = i64::from(rng.random_bool(if is_in { rate } else { others }));
                let (subset, game) = ((i64::from(is_in), if is_in { won } else { 0 }), (1, won));
                own.add_block(subset.0, subset.1);
                all.add_block(game.0, game.1);
                products.add_block(subset, game);
            }
            let difference = subset::difference_from_whole(&own, &all, &products, 1);
            difference.low <= truth && truth <= difference.high
        });
        let coverage = 100.0 * held.count() as f64 / f64::from(TRIALS);
        // With about 10 games of a subset the interval is conservative.
        assert!(
            (93.5..=98.5).contains(&coverage),
            "{coverage} %: share {share}, rates {rate} and {others}"
        );
    }
}

/// Distributions of skewed counts.
#[derive(Clone, Copy, Debug)]
enum Count {
    /// Failures before a success with this probability.
    Geometric(f64),
    /// Events with this rate.
    Poisson(f64),
    /// 10 times e^z rounded, where z is standard normal.
    LogNormal,
    /// 1 to 4 correlated observations per block of another distribution.
    Shared,
}

impl Count {
    /// Returns the number of observations of a block and their sum.
    fn block(self, rng: &mut Rng) -> (i64, i64) {
        let mut uniform = || 1.0 - rng.random_range(0.0..1.0_f64);
        match self {
            Self::Geometric(chance) => (1, (uniform().ln() / (1.0 - chance).ln()) as i64),
            Self::Poisson(rate) => {
                let (mut product, mut events) = (uniform(), 0);
                while product > (-rate).exp() {
                    (product, events) = (product * uniform(), events + 1);
                }
                (1, events)
            }
            Self::LogNormal => (1, (10.0 * normal(uniform(), uniform()).exp()).round() as i64),
            Self::Shared => {
                let luck = uniform().ln() / 0.5_f64.ln();
                let observations = rng.random_range(1..=4);
                (
                    observations,
                    (0..observations).map(|_| (20.0 * luck) as i64 + rng.random_range(0..10)).sum(),
                )
            }
        }
    }
}

/// Returns a standard normal number from two uniform ones (Box and Muller).
fn normal(one: f64, other: f64) -> f64 {
    (-2.0 * one.ln()).sqrt() * (std::f64::consts::TAU * other).cos()
}

/// Means of skewed counts with the minimum number of blocks and more. The coverage is 93 % or more;
/// that of Student's interval for log-normal counts is 88 % with 30 blocks.
#[test]
fn intervals_of_means_of_skewed_counts_have_their_nominal_coverage() {
    const TRIALS: u64 = 5000;
    let counts = [
        Count::Geometric(0.7),
        Count::Geometric(1.0 / 3.0),
        Count::Poisson(0.1),
        Count::Poisson(1.0),
        Count::LogNormal,
        Count::Shared,
    ];
    for (number, count) in counts.into_iter().enumerate() {
        let mut rng = stream(20, number as u64, 0, Purpose::Playout);
        let mut all = Ratio::default();
        (0..2_000_000).for_each(|_| {
            let (n, x) = count.block(&mut rng);
            all.add_block(n, x);
        });
        let truth = all.value(1);
        for blocks in [30, 100] {
            let (mut held, mut printed) = (0, 0);
            for _ in 0..TRIALS {
                let mut sums = MeanSums::default();
                for _ in 0..blocks {
                    let (n, x) = count.block(&mut rng);
                    sums.add_block(n, x);
                }
                let Estimate { low, high, .. } = sums.mean();
                printed += u64::from(low.is_finite());
                held += u64::from(low.is_finite() && (low..=high).contains(&truth));
            }
            let coverage = 100.0 * held as f64 / printed as f64;
            // The standard error is 0.3 to 0.4.
            assert!(
                (92.0..=99.5).contains(&coverage),
                "{coverage} % of {printed}: {blocks} blocks of {count:?}"
            );
            // Of 30 Poisson counts at a rate of 0.1, 1 run in 20 has only zeros and no interval.
            assert!(printed > TRIALS * 93 / 100, "{printed}: {blocks} blocks of {count:?}");
        }
    }
}

/// Returns games of 4 seats with these win probabilities; some have no winner.
fn seats(rng: &mut Rng, games: u32, chances: [f64; 4]) -> RateSums {
    let mut sums = RateSums::default();
    for _ in 0..games {
        let mut block = [(0, 0); 5];
        let mut left = rng.random_range(0.0..1.0);
        for (cell, chance) in block.iter_mut().zip(chances) {
            *cell = (1, i64::from(left >= 0.0 && left < chance));
            left -= chance;
        }
        sums.add_block(&block);
    }
    sums
}

/// The estimated spread is 0 on average for equal seats and unbiased for others, and its interval
/// has its coverage.
#[test]
fn the_spread_of_seats_is_unbiased() {
    const RUNS: u32 = 2000;
    let deviation = |chances: [f64; 4]| {
        let mean = chances.iter().sum::<f64>() / 4.0;
        (chances.iter().map(|chance| (chance - mean).powi(2)).sum::<f64>() / 4.0).sqrt()
    };
    for (number, chances) in [[0.25; 4], [0.2; 4], [0.4, 0.25, 0.2, 0.15], [0.28, 0.25, 0.25, 0.22]]
        .into_iter()
        .enumerate()
    {
        let mut rng = stream(21, number as u64, 0, Purpose::Playout);
        let truth = deviation(chances);
        let (mut sum, mut squares, mut held) = (0.0, 0.0, 0);
        for _ in 0..RUNS {
            let Estimate { value, low, high, .. } =
                seats(&mut rng, 200, chances).standard_deviation(4, 1).unwrap();
            let square = value * value.abs();
            (sum, squares) = (sum + square, squares + square * square);
            held += u32::from(low <= truth && truth <= high);
        }
        let runs = f64::from(RUNS);
        let mean = sum / runs;
        let error = ((squares / runs - mean * mean) / runs).sqrt();
        assert!(
            (mean - truth * truth).abs() < 3.0 * error,
            "{chances:?}: {mean} ± {error}, in truth {}",
            truth * truth
        );
        if number == 0 {
            assert!(mean.abs() < 2.0 * error, "{mean} ± {error}");
        }
        let coverage = 100.0 * f64::from(held) / runs;
        assert!((93.0..=98.5).contains(&coverage), "{coverage} %: {chances:?}");
    }
}
