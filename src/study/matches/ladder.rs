//! The steps of a ladder, from each bot to the next stronger one: how often the weaker bot wins,
//! and the games until the better one is known.

use super::analysis::{PairingResult, Standings};
use crate::{
    stats::{Fixed, student},
    study::shared::{pairing::MatchTally, prelude::*},
};

/// A bot against the one before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step<'a> {
    pairing: PairingResult<'a>,
    bot: &'a str,
    opponent: &'a str,
    /// Share of the games with a winner that the bot does not win.
    upset_share: Estimate,
    /// Games until the better bot is ahead with a probability of 95 %, in whole blocks; without
    /// observations if the bot is not shown to be better.
    games_to_know: Estimate,
}

/// Describes the columns of `ladder.csv`.
pub(super) fn columns<'a>() -> Columns<&'a Step<'a>> {
    let upset_share = "Share of the games with a winner that the bot does not win. With more than \
                       2 players several weaker bots share these games.";
    let games_to_know_95 = "Games after which the better bot is ahead with a probability of 95 %; \
                            empty if the bot is not shown to be better.";
    Columns::<&Step<'_>>::new(
        "ladder",
        "A bot of a ladder in one seat against copies of the bot before it.",
    )
    .text("bot", "Bot in one seat.", |step| step.bot)
    .text("opponent", "Bot in all other seats.", |step| step.opponent)
    .integer("games", "Games of the pairing.", |step| step.pairing.win_rate.n)
    .percent(("upset_share", "weaker wins"), upset_share, |step| step.upset_share)
    .estimate(("games_to_know_95", "games to know"), Unit::Decimals(0), games_to_know_95, |step| {
        step.games_to_know
    })
    .provenance()
}

impl Standings<'_> {
    /// Returns the steps of a ladder from the weakest bot up.
    pub(super) fn steps(&self) -> Vec<Step<'_>> {
        self.played().into_iter().map(|pairing| Step::new(self, pairing)).collect()
    }
}

impl<'a> Step<'a> {
    fn new(standings: &'a Standings<'_>, pairing: PairingResult<'a>) -> Self {
        let [bot, opponent] = [pairing.bot, pairing.opponent].map(|bot| standings.bots[bot]);
        let MatchTally { results, players: Fixed(players), .. } = standings.tally;
        let result = &results[&(pairing.bot, pairing.opponent)];
        let games_to_know = games_to_know(&result.difference(), *players as f64);
        Self { pairing, bot, opponent, upset_share: result.losses(), games_to_know }
    }

    /// States how often the weaker bot wins, and after how many games the better one is known.
    pub(super) fn sentence(&self, players: usize) -> String {
        let Self { bot, opponent, upset_share, .. } = self;
        let weaker = match players {
            2 => (*opponent).to_owned(),
            players => format!("one of {} copies of {opponent}", players - 1),
        };
        let Estimate { n, value, low, high } = self.games_to_know;
        let games = |value: f64| group_digits(value as i64);
        let interval = if high.is_finite() {
            format!(" [{}, {}]", games(low), games(high))
        } else {
            String::new()
        };
        let known = match n {
            0 if self.disorder().is_some() => String::new(),
            0 => {
                let missing = self.pairing.missing_games();
                let missing = missing.unwrap_or_else(|| "it is not shown which".to_owned());
                format!("; {missing} bot is better")
            }
            _ => format!(
                "; the better bot is ahead with a probability of 95 % after {}{interval}",
                format_count(value as u64, "game")
            ),
        };
        format!(
            "Against {bot}, {weaker} wins {} of {} with a winner{known}.",
            format_percent(*upset_share),
            format_count(upset_share.n, "game")
        )
    }

    /// Names the bots if the one that should be weaker is stronger.
    pub(super) fn disorder(&self) -> Option<String> {
        let Self { pairing, bot, opponent, .. } = self;
        (pairing.difference.high < 0.0).then(|| format!("{bot} is weaker than {opponent}"))
    }
}

/// Returns `ladder.csv`.
pub(super) fn table(steps: &[Step<'_>], provenance: &Claim) -> DataTable {
    columns().table(provenance, steps)
}

/// Returns the steps for the terminal.
pub(super) fn text(table: &DataTable) -> String {
    let keys = ["bot", "games", "upset_share", "games_to_know_95"];
    let text = table.view().select(&keys).text();
    format!("\neach bot against the one before it [95 %]\n{text}")
}

/// Adds the section of the page and the table.
pub(super) fn add_section(table: DataTable, report: &mut StudyReport) {
    report.section("Ladder");
    report.page_table(&table.view(), "From the weakest bot up");
    report.explanation(
        "Each bot plays in one seat against copies of the bot before it, in all seats in turn. \
         Both numbers measure the game by these bots: a stronger bot may find more to decide.",
    );
    report.file(table, "");
}

/// Returns the games after which the mean of a block's result is above 0 with a probability of
/// 95 %: (1.645·s/δ)² blocks, at least one, with the mean δ and the standard deviation s of a
/// block. The interval is that of δ. There is no value unless δ is shown to be above 0.
fn games_to_know(difference: &Effect, games_per_block: f64) -> Estimate {
    let mean = difference.estimate();
    if mean.low.is_nan() || mean.low <= 0.0 {
        return Estimate::unbounded(0, f64::NAN);
    }
    let blocks = difference.degrees_of_freedom + 1.0;
    let sd = difference.standard_error * blocks.sqrt();
    let z = student::quantile(0.95, f64::INFINITY);
    let needed = |mean: f64| (z * sd / mean).powi(2).ceil().max(1.0) * games_per_block;
    let [low, high] = [mean.high, mean.low].map(needed);
    let value = needed(mean.value);
    if low < high {
        Estimate { n: mean.n, value, low, high }
    } else {
        Estimate::unbounded(mean.n, value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With 60 % of the games of 2 players, s² = 0.96 and δ = 0.2 for one game a block: 64.9 games.
    #[test]
    fn games_to_know_follow_the_formula() {
        let blocks = 1000.0_f64;
        let effect = Effect::new(1000, 0.2, (0.96 / blocks).sqrt(), blocks - 1.0);
        let games = games_to_know(&effect, 1.0);
        assert!((games.value - 65.0).abs() < 1e-9, "{games:?}");
        assert!(games.low < games.value && games.value < games.high, "{games:?}");
        // A bot that wins both games of a block with probability 0.2 and else one is ahead after
        // 11 blocks with probability 0.91, and level with the rest.
        let pairs = Effect::new(2000, 0.2, (0.16 / blocks).sqrt(), blocks - 1.0);
        assert!((games_to_know(&pairs, 2.0).value - 22.0).abs() < 1e-9);
        assert!((1.0 - 0.8_f64.powi(11) / 2.0 - 0.95).abs() < 0.01);
        let unknown = Effect { value: 0.04, ..effect };
        assert_eq!(games_to_know(&unknown, 1.0).n, 0);
        // A bot that wins every game is known after one block.
        let always = Effect { limits: [-1.0, 1.0], ..Effect::new(100, 1.0, 0.0, 49.0) };
        let games = games_to_know(&always, 2.0);
        assert_eq!((games.n, games.value, games.high), (100, 2.0, f64::INFINITY));
    }
}
