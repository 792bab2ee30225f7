//! What plans cost: `restricted.csv` and its short table.

use std::fmt::Write;

use crate::{
    arena::metric::SeatMetric,
    report::text::{format_with_interval, truncate},
    run::lineups::SIGN_FLIP_MARK,
    stats::{
        holm::{holm_adjust, sign_differs_by_bot},
        paired::{Effect, PairedSums},
        ratio::Estimate,
    },
    study::{
        restrict::experiment::{RestrictTally, RestrictionTally},
        simulate::csv::{CsvTable, format_p_value, number, words},
    },
};

/// What was counted with one bot.
#[derive(Clone, Debug)]
pub struct BotRestrictions {
    /// The name of the bot, which is in all seats and keeps the plans in one.
    pub bot: String,
    /// What was counted.
    pub tally: RestrictTally,
}

/// Plans as tables show them.
#[derive(Clone, Copy, Debug)]
pub struct RestrictionsReport<'a> {
    /// Their names.
    pub names: &'a [String],
    /// What was counted, for each bot.
    pub results: &'a [BotRestrictions],
    /// The provenance mark of the data.
    pub provenance: &'a str,
}

/// What a plan changes of a measure for a bot.
pub(crate) struct Row<'a> {
    pub(crate) bot: &'a str,
    pub(crate) restriction: &'a str,
    pub(crate) measure: SeatMetric,
    pub(crate) tally: &'a RestrictionTally,
    pub(crate) paired: &'a PairedSums,
    pub(crate) difference: Effect,
    /// The p-value adjusted for all plans of the same bot.
    pub(crate) p_holm: f64,
    /// True if it has the other sign with another bot, significant with both.
    pub(crate) sign_differs: bool,
}

const NAME_WIDTH: usize = 18;

impl RestrictionsReport<'_> {
    /// What the plans change of a measure, each bot after the other.
    pub(crate) fn rows(&self, measure: SeatMetric) -> Vec<Row<'_>> {
        let mut rows = Vec::new();
        for BotRestrictions { bot, tally } in self.results {
            let paired: Vec<_> =
                tally.restrictions.iter().map(|plan| &plan.sums[measure as usize]).collect();
            let differences: Vec<_> =
                paired.iter().map(|paired| measure.difference(paired)).collect();
            let adjusted =
                holm_adjust(&differences.iter().map(Effect::p_value).collect::<Vec<_>>());
            for (index, plan) in self.names.iter().enumerate() {
                let (tally, paired) = (&tally.restrictions[index], paired[index]);
                let (difference, adjusted) = (differences[index], adjusted[index]);
                rows.push(Row {
                    bot,
                    restriction: plan,
                    measure,
                    tally,
                    paired,
                    difference,
                    p_holm: adjusted,
                    sign_differs: false,
                });
            }
        }
        let effects: Vec<_> = rows.iter().map(|row| (row.difference.value, row.p_holm)).collect();
        rows.iter_mut()
            .zip(sign_differs_by_bot(&effects, self.results.len()))
            .for_each(|(row, flips)| row.sign_differs = flips);
        rows
    }

    /// `restricted.csv`: a row per bot, measure and plan. p-values are also given by Holm's method,
    /// over the plans.
    pub fn csv(&self) -> Vec<u8> {
        let heading = [
            "bot",
            "plan",
            "applied",
            "measure",
            "n",
            "free",
            "free_ci_low",
            "free_ci_high",
            "restricted",
            "restricted_ci_low",
            "restricted_ci_high",
            "difference",
            "ci_low",
            "ci_high",
            "p",
            "p_holm",
            "flag",
            "provenance",
        ];
        let mut table = CsvTable::new(&words(&heading));
        for row in SeatMetric::ALL.into_iter().flat_map(|measure| self.rows(measure)) {
            let Row {
                bot,
                restriction: plan,
                measure,
                tally,
                paired,
                difference,
                p_holm: adjusted,
                sign_differs: flips,
            } = row;
            let Estimate { value, low, high, .. } = difference.estimate();
            let [n, applied] =
                [paired.treatment.n.to_string(), tally.binding_decisions.to_string()];
            let PairedSums { control: free, treatment: restricted, .. } = paired;
            let sides = if measure == SeatMetric::WinShare {
                [free, restricted].map(|side| side.rate(measure.unit()))
            } else {
                paired.means()
            };
            let sides = sides
                .map(|side| [side.value, side.low, side.high].map(|value| number(value, 6)))
                .concat();
            let difference_and_p = [value, low, high]
                .map(|value| number(value, 6))
                .into_iter()
                .chain([difference.p_value(), adjusted].map(format_p_value));
            let first = [bot.to_owned(), plan.to_owned(), applied, measure.as_str().to_owned(), n];
            let last = [flag(flips, difference), self.provenance].map(str::to_owned);
            table.row(
                &first
                    .into_iter()
                    .chain(sides)
                    .chain(difference_and_p)
                    .chain(last)
                    .collect::<Vec<_>>(),
            );
        }
        table.into_bytes()
    }

    /// What each plan costs in win share and score, for the terminal.
    pub fn text(&self) -> String {
        let provenance = self.provenance.lines().next().unwrap_or_default();
        let mut text = format!(
            "data: {} (the data file marks its values)\n",
            truncate(provenance, 2 * NAME_WIDTH)
        );
        let [wins, scores] =
            [SeatMetric::WinShare, SeatMetric::Score].map(|measure| self.rows(measure));
        let rows: Vec<_> = wins.iter().zip(&scores).collect();
        for (BotRestrictions { bot, tally }, rows) in
            self.results.iter().zip(rows.chunks(self.names.len().max(1)))
        {
            let RestrictTally { games, blocks, capped, .. } = tally;
            let bot = truncate(bot, 4 * NAME_WIDTH);
            let _ = writeln!(
                text,
                "\n{bot}\n{games} games in {blocks} blocks; {capped} capped by the round limit"
            );
            let _ = writeln!(
                text,
                "{:<NAME_WIDTH$} {:>8}  {:<25} more score [95 %]",
                "plan", "applied", "more wins, in % [95 %]"
            );
            for (wins, score) in rows {
                let name = truncate(wins.restriction, NAME_WIDTH);
                let _ = writeln!(
                    text,
                    "{name:<NAME_WIDTH$} {:>8}  {:<25} {}",
                    wins.tally.binding_decisions,
                    cell(wins, 100.0),
                    cell(score, 1.0)
                );
            }
            for (row, _) in rows.iter().filter(|(row, _)| row.tally.binding_decisions == 0) {
                let _ = writeln!(
                    text,
                    "{}: never made a difference to what could be chosen",
                    row.restriction
                );
            }
        }
        if self.results.len() > 1 {
            text += &format!(
                "\n{SIGN_FLIP_MARK} Holm-adjusted p < 0.05, with the opposite sign for another \
                    bot\n"
            );
        }
        text
    }
}

fn flag(flips: bool, difference: Effect) -> &'static str {
    match (flips, difference.is_constant()) {
        (true, _) => "flips",
        (_, true) => "constant",
        _ => "",
    }
}

fn cell(row: &Row<'_>, factor: f64) -> String {
    let difference = format_with_interval(row.difference.estimate(), 2, |value, decimals| {
        format!("{:+.decimals$}", factor * value)
    });
    if row.sign_differs { format!("{difference} {SIGN_FLIP_MARK}") } else { difference }
}
