//! The steps of a ladder: the win share of each rung, and the games until the better bot is known.

use super::ladder::{Ladder, RungComparison};
use crate::{
    bots::BotFactory,
    game::UNITS_PER_WIN,
    stats::{elo::ELO_PER_NAT, paired::Effect, ratio::Estimate},
    study::shared::pairing::{MatchTally, Pairing, PairingTally},
};

/// Quantile of the normal distribution with a probability of 95 % below it.
const Z_95: f64 = 1.644_853_627;

/// Odds of winning against one opponent that make a step clear: 60 % with 2 players.
const CLEAR_ODDS: f64 = 1.5;

/// The size of the step from one rung to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// The interval lies above the threshold.
    Clear,
    /// The interval lies below the threshold.
    Small,
    /// The interval includes the threshold.
    Open,
}

impl Step {
    /// The words in tables.
    pub(super) const WORDS: [&str; 3] = ["clear", "small", "open"];

    /// Returns the word in tables.
    pub(super) const fn as_str(self) -> &'static str {
        Self::WORDS[self as usize]
    }

    fn new(elo_wins: Estimate) -> Self {
        let clear = ELO_PER_NAT * CLEAR_ODDS.ln();
        if elo_wins.low >= clear {
            Self::Clear
        } else if elo_wins.high < clear {
            Self::Small
        } else {
            Self::Open
        }
    }
}

/// Returns the win share of a clear step with this many players, where every game has a winner.
pub(super) fn clear_win_share(players: usize) -> f64 {
    CLEAR_ODDS / (CLEAR_ODDS + players as f64 - 1.0)
}

/// Results of a rung against copies of a lower one.
#[derive(Clone, Debug)]
pub(super) struct RungResult<'a> {
    pub(super) rung: &'a str,
    pub(super) against: &'a str,
    pub(super) comparison: RungComparison,
    pub(super) win_share: Estimate,
    /// Win share minus the mean of all seats.
    pub(super) above_even: Estimate,
    /// Share of the games with a winner that the rung does not win.
    pub(super) upset_share: Estimate,
    /// Games until the better bot is ahead with a probability of 95 %, in whole blocks; without
    /// observations if the rung is not shown to be better.
    pub(super) games_to_know: Estimate,
    pub(super) elo_wins: Estimate,
    pub(super) step: Step,
}

/// Results of a ladder.
#[derive(Clone, Debug)]
pub(super) struct SkillAnalysis<'a> {
    pub(super) players: usize,
    /// The rungs from weak to strong.
    pub(super) rungs: Vec<&'a str>,
    pub(super) results: Vec<RungResult<'a>>,
}

impl<'a> SkillAnalysis<'a> {
    /// Analyses the games of a ladder.
    pub(super) fn new(ladder: &'a Ladder, tally: &MatchTally) -> Self {
        let players = tally.players;
        let rungs: Vec<_> = ladder.bots.iter().map(BotFactory::name).collect();
        let result = |(pairing, comparison, _)| {
            let Pairing { bot, opponent } = pairing;
            let played = tally.results.get(&(bot, opponent)).copied().unwrap_or_default();
            RungResult::new(&played, players, [rungs[bot], rungs[opponent]], comparison)
        };
        let results = ladder.pairings().into_iter().map(result).collect();
        Self { players, rungs, results }
    }

    /// Returns the steps between neighbouring rungs.
    pub(super) fn steps(&self) -> impl Iterator<Item = &RungResult<'a>> {
        self.results.iter().filter(|result| result.comparison.is_below)
    }

    /// Returns the number of steps of this size.
    pub(super) fn count(&self, step: Step) -> usize {
        self.steps().filter(|result| result.step == step).count()
    }

    /// Returns the search with the most iterations that also played a tenth of them, or else the
    /// highest rung.
    pub(super) fn headline(&self) -> Option<&RungResult<'a>> {
        let tenth = self.results.iter().rev().find(|result| result.comparison.is_tenth);
        tenth.or(self.results.last())
    }
}

impl<'a> RungResult<'a> {
    fn new(
        played: &PairingTally,
        players: usize,
        [rung, against]: [&'a str; 2],
        comparison: RungComparison,
    ) -> Self {
        let elo_wins = played.elo_wins(players);
        // With the mean q of the other seats, p − (p + (n − 1) q) / n = (p − q) (n − 1) / n.
        let seats = players as f64;
        let above_even = played.difference().in_units_of(seats / (seats - 1.0));
        let games = played.win_shares().n;
        Self {
            rung,
            against,
            comparison,
            win_share: played.win_shares().rate(UNITS_PER_WIN),
            above_even: Estimate { n: games, ..above_even.estimate() },
            upset_share: played.losses(),
            games_to_know: games_to_know(&above_even, games, players as f64),
            elo_wins,
            step: Step::new(elo_wins),
        }
    }
}

/// Returns the games after which the mean of a block's result is above 0 with a probability of
/// 95 %: (1.645·s/δ)² blocks, at least one, with the mean δ and the standard deviation s of a
/// block. The interval is that of δ. There is no value unless δ is shown to be above 0.
fn games_to_know(above_even: &Effect, games: i64, games_per_block: f64) -> Estimate {
    let mean = above_even.estimate();
    if mean.low.is_nan() || mean.low <= 0.0 {
        return Estimate::unbounded(0, f64::NAN);
    }
    let blocks = above_even.degrees_of_freedom + 1.0;
    let sd = above_even.standard_error * blocks.sqrt();
    let needed = |mean: f64| (Z_95 * sd / mean).powi(2).ceil().max(1.0) * games_per_block;
    let [low, high] = [mean.high, mean.low].map(needed);
    let value = needed(mean.value);
    if low < high {
        Estimate { n: games, value, low, high }
    } else {
        Estimate::unbounded(games, value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With 60 % of the games of 2 players, s² = 0.24 and δ = 0.1 for one game a block: 64.9 games.
    #[test]
    fn games_to_know_follow_the_formula() {
        let blocks = 1000.0_f64;
        let effect = Effect::new(1000, 0.1, (0.24 / blocks).sqrt(), blocks - 1.0);
        let games = games_to_know(&effect, 1000, 1.0);
        assert!((games.value - 65.0).abs() < 1e-9, "{games:?}");
        assert!(games.low < games.value && games.value < games.high, "{games:?}");
        let unknown = Effect { value: 0.02, ..effect };
        assert_eq!(games_to_know(&unknown, 1000, 1.0).n, 0);
        // A rung that wins every game is known after one block.
        let always = Effect { limits: [-0.5, 0.5], ..Effect::new(100, 0.5, 0.0, 49.0) };
        let games = games_to_know(&always, 100, 2.0);
        assert_eq!((games.n, games.value, games.high), (100, 2.0, f64::INFINITY));
    }

    #[test]
    fn steps_have_the_same_odds_with_any_number_of_players() {
        for (players, share) in [(2, 0.6), (3, 1.5 / 3.5), (4, 1.0 / 3.0)] {
            assert!((clear_win_share(players) - share).abs() < 1e-12);
        }
        let elo = |low: f64, high: f64| Estimate { n: 9, value: 80.0, low, high };
        assert_eq!(Step::new(elo(70.5, 90.0)), Step::Clear);
        assert_eq!(Step::new(elo(70.4, 90.0)), Step::Open);
        assert_eq!(Step::new(elo(10.0, 70.4)), Step::Small);
    }
}
