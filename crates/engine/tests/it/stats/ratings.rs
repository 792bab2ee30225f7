//! The coverage of ratings and the error rates of the sequential test for simulated data.

use rand::RngExt;
use watershed::{
    game::UNITS_PER_WIN,
    rng::{Purpose, Rng, stream},
    stats::{
        elo::{ELO_PER_NAT, expected_score},
        rating::{RankedGames, Ranking},
        sprt::{Hypotheses, Sprt, SprtVerdict},
    },
};

/// Returns a ranking by the Plackett-Luce model; each group has equal members.
fn ranking(rng: &mut Rng, seats: &[usize], elo: &[f64]) -> Ranking {
    let mut left = seats.to_vec();
    let mut groups = Vec::new();
    while !left.is_empty() {
        let chances: Vec<f64> =
            left.iter().map(|&player| (elo[player] / ELO_PER_NAT).exp()).collect();
        let mut draw = rng.random::<f64>() * chances.iter().sum::<f64>();
        let chosen = chances.iter().position(|chance| {
            draw -= chance;
            draw < 0.0
        });
        groups.push(vec![left.remove(chosen.unwrap_or(0))]);
    }
    Ranking::new(groups)
}

/// Returns games of 3 bots, one against 2 copies of another. In half of the blocks all games end
/// alike, so that the games of a block are dependent.
#[test]
fn intervals_of_ratings_have_their_nominal_coverage() {
    const MATCHES: u64 = 400;
    let truth = [0.0, 90.0, -60.0];
    let (mut rating_holds, mut difference_holds) = (0, 0);
    for seed in 0..MATCHES {
        let mut games = RankedGames::new(truth.len());
        for block in 0..240 {
            let mut rng = stream(seed, block, 0, Purpose::Playout);
            let (one, other) = [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)][block as usize % 6];
            let seats = [one, other, other];
            let first = ranking(&mut rng, &seats, &truth);
            let alike = rng.random::<bool>();
            let mut of_block = vec![first.clone()];
            of_block.extend(
                (1..3).map(
                    |_| {
                        if alike { first.clone() } else { ranking(&mut rng, &seats, &truth) }
                    },
                ),
            );
            games.add_block(of_block);
        }
        let ratings = games.ratings();
        let (rating, difference) = (ratings.rating(1), ratings.difference(1, 2));
        rating_holds += i32::from(rating.low <= truth[1] && truth[1] <= rating.high);
        difference_holds += i32::from(
            difference.low <= truth[1] - truth[2] && truth[1] - truth[2] <= difference.high,
        );
    }
    // 95 % of 400 is 380, with a standard deviation of 4.4. Intervals for independent games would
    // have a coverage of 83 %.
    for holds in [rating_holds, difference_holds] {
        assert!((366..=394).contains(&holds), "{rating_holds} and {difference_holds} of {MATCHES}");
    }
}

/// Returns how many of 400 tests end with H1 if the bot is `elo` stronger. A block has one game per
/// rotation; a tenth of the games is shared.
fn accepted(hypotheses: &Hypotheses, players: usize, elo: f64) -> u64 {
    let (mean, shared) = (expected_score(elo, players), 0.1);
    let even = 1.0 / players as f64;
    let wins = (mean - shared * even) / (1.0 - shared);
    let won = 60_i64;
    let mut accepted = 0;
    for seed in 0..400 {
        let mut test = Sprt::new(hypotheses, players, won * players as i64);
        let mut rng = stream(seed, players as u64, elo as u64, Purpose::Playout);
        let verdict = loop {
            let game = |rng: &mut Rng| {
                if rng.random_bool(shared) {
                    won / players as i64
                } else {
                    won * i64::from(rng.random_bool(wins))
                }
            };
            test.add_block((0..players).map(|_| game(&mut rng)).sum(), won * players as i64);
            if let Some(verdict) = test.verdict() {
                break verdict;
            }
        };
        accepted += u64::from(verdict == SprtVerdict::H1);
    }
    accepted
}

/// Returns the win shares of the bot and of all seats in a block of one game per rotation, half of
/// which have no winner: in every second block all of them, otherwise independently. The bot wins
/// `share` of the others.
fn block_with_games_without_winner(rng: &mut Rng, players: i64, share: f64) -> (i64, i64) {
    let dead = rng.random_bool(0.25);
    (0..players).fold((0, 0), |(score, won), _| {
        if dead || rng.random_bool(1.0 / 3.0) {
            return (score, won);
        }
        (score + UNITS_PER_WIN * i64::from(rng.random_bool(share)), won + UNITS_PER_WIN)
    })
}

/// Returns how many of 400 tests end with H1 and with H0 if half of the games have no winner.
fn verdicts_with_games_without_winner(hypotheses: &str, players: usize, share: f64) -> [u64; 2] {
    let hypotheses: Hypotheses = hypotheses.parse().unwrap();
    let mut verdicts = [0; 2];
    for seed in 0..400 {
        let mut test = Sprt::new(&hypotheses, players, UNITS_PER_WIN * players as i64);
        let mut rng = stream(seed, players as u64, 7, Purpose::Playout);
        let verdict = (0..5000).find_map(|_| {
            // Fewer looks save time and do not increase the error rate.
            for _ in 0..8 {
                let (score, won) = block_with_games_without_winner(&mut rng, players as i64, share);
                test.add_block(score, won);
            }
            test.verdict()
        });
        verdicts[0] += u64::from(verdict == Some(SprtVerdict::H1));
        verdicts[1] += u64::from(verdict == Some(SprtVerdict::H0));
    }
    verdicts
}

#[test]
fn equal_bots_have_equal_ratings_if_half_of_the_games_have_no_winner() {
    for players in [2, 3, 5] {
        let [h1, h0] =
            verdicts_with_games_without_winner("0,60,0.05,0.05", players, 1.0 / players as f64);
        assert!(
            (1..=20).contains(&h1) && h0 == 400 - h1,
            "{players} players: H1 in {h1}, H0 in {h0} of 400"
        );
        // A bot that wins 1.3 times as often as each opponent is 400 log10 1.3 = 45.6 Elo points
        // stronger.
        let [h1, h0] = verdicts_with_games_without_winner(
            "0,45.6,0.05,0.05",
            players,
            1.3 / (0.3 + players as f64),
        );
        assert!(
            (380..400).contains(&h1) && h0 == 400 - h1,
            "{players} players: H1 in {h1}, H0 in {h0} of 400"
        );
    }
}

#[test]
fn sequential_tests_have_their_nominal_error_rates() {
    let hypotheses: Hypotheses = "10,60,0.1,0.05".parse().unwrap();
    for players in [2, 3] {
        let (under_h0, under_h1) =
            (accepted(&hypotheses, players, 10.0), accepted(&hypotheses, players, 60.0));
        // 40 and 380 are the limits, with standard deviations of 6 and 4.4. A test errs slightly
        // less, because it overshoots its bounds by a step.
        assert!((15..=55).contains(&under_h0), "{under_h0} of 400 at {players} players");
        assert!((368..=396).contains(&under_h1), "{under_h1} of 400 at {players} players");
    }
}
