//! The Elo scale: 400 points are odds of 10 to 1.

use super::ratio::Estimate;

/// Elo points per unit of log odds.
pub const ELO_PER_NAT: f64 = 400.0 / std::f64::consts::LN_10;

/// Returns the probability that a player ranks first among `players`, if its strength exceeds that
/// of the others, which are equal, by `strength` in units of log odds.
pub(super) fn first_rank_probability(strength: f64, players: usize) -> f64 {
    1.0 / (1.0 + (players as f64 - 1.0) * (-strength).exp())
}

/// Returns the expected share of the games with a winner for a bot that is `elo` points stronger
/// than its opponents, which are equal.
pub fn expected_score(elo: f64, players: usize) -> f64 {
    first_rank_probability(elo / ELO_PER_NAT, players)
}

/// Returns the Elo difference `elo_wins` between a bot and its opponents, which are equal:
/// 400·log10((players - 1)·p / (1 - p)), where p, the `rate`, is the bot's share of the games with
/// a winner. Inverse of [`expected_score`]. Infinite if p is 0 or 1.
pub fn elo(rate: Estimate, players: usize) -> Estimate {
    let elo = |score: f64| ELO_PER_NAT * ((players as f64 - 1.0) * score / (1.0 - score)).ln();
    Estimate { n: rate.n, value: elo(rate.value), low: elo(rate.low), high: elo(rate.high) }
}

#[cfg(test)]
mod tests {
    use super::{super::assert_close, *};

    #[test]
    fn elo_is_the_inverse_of_the_expected_score() {
        assert_close(expected_score(0.0, 4), 0.25, 1e-12);
        assert_close(expected_score(400.0, 2), 10.0 / 11.0, 1e-12);
        let rate = Estimate { n: 9, value: expected_score(120.0, 3), low: 0.0, high: 1.0 };
        let elo = elo(rate, 3);
        assert_close(elo.value, 120.0, 1e-9);
        assert_eq!((elo.n, elo.low, elo.high), (9, f64::NEG_INFINITY, f64::INFINITY));
    }
}
