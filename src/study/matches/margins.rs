//! Verdicts on differences within a margin, with `--margin`.

use crate::{
    stats::{
        equivalence::{DEFAULT_POWER, Equivalence, PowerGoal, beyond_p, tost_p},
        ratio::MIN_BLOCKS_OF_MEAN,
    },
    study::shared::{prelude::*, verdict::VerdictWord},
};

/// The names in tables of differences that are smaller than the margin, larger, and neither.
const VERDICTS: [&str; 3] = ["within", "beyond", "open"];

/// A difference that is compared with the margin.
#[derive(Clone, Debug)]
pub(super) struct MarginSubject {
    /// The bots in the seats.
    pub(super) lineup: String,
    pub(super) name: String,
    /// The difference.
    pub(super) effect: Effect,
    /// Games from which it is estimated.
    pub(super) games: u64,
}

#[derive(Clone, Debug)]
pub(super) struct MarginRow {
    subject: MarginSubject,
    p_within: f64,
    p_beyond: f64,
    pub(super) verdict: Equivalence,
}

/// Verdicts on all differences of a run.
#[derive(Clone, Debug)]
pub(super) struct MarginVerdicts {
    margin: f64,
    pub(super) rows: Vec<MarginRow>,
}

/// Returns the columns of `margins.csv`.
pub(super) fn columns<'a>() -> Columns<(&'a MarginVerdicts, &'a MarginRow)> {
    let title = "A difference compared with the margin.";
    let difference = "Access to the item, win rate of a bot minus that of the other seats, or \
                      variant minus baseline.";
    let p_within = "Two one-sided tests that the difference is smaller than the margin, adjusted \
                    by Holm's method for all rows.";
    let p_beyond = "Test that the difference is larger than the margin, adjusted in the same way.";
    let verdict = "`within`: smaller than the margin. `beyond`: larger. `open`: neither is shown.";
    let games_needed = "Games that show `within` with a probability of 90 % if there is no \
                        difference; empty unless the verdict is `open`.";
    Columns::<(&MarginVerdicts, &MarginRow)>::new("margins", title)
        .text("lineup", "Bots in the seats.", |(_, row)| &row.subject.lineup)
        .text(("name", "difference of"), "Metric, item or bots that are compared.", |(_, row)| {
            &row.subject.name
        })
        .percentage_points("difference", difference, |(_, row)| row.subject.effect.estimate())
        .n_after(("difference_n", "n"))
        .number("margin", 6, "The margin.", |(all, _)| all.margin)
        .p_value(("p_within", "p (within)"), p_within, |(_, row)| row.p_within)
        .p_value(("p_beyond", "p (beyond)"), p_beyond, |(_, row)| row.p_beyond)
        .word("verdict", &VERDICTS, verdict, |(_, row)| VERDICTS[row.verdict as usize])
        .integer("games needed", games_needed, |(all, row)| all.games_needed(row))
        .provenance()
}

impl MarginVerdicts {
    /// Compares differences with a margin. The tests of all differences are one family.
    pub(super) fn new(subjects: Vec<MarginSubject>, margin: f64) -> Self {
        let adjusted = |p: fn(&Effect, f64) -> f64| {
            holm_adjust(&subjects.iter().map(|row| p(&row.effect, margin)).collect::<Vec<_>>())
        };
        let (within, beyond) = (adjusted(tost_p), adjusted(beyond_p));
        let rows = subjects.into_iter().zip(within.into_iter().zip(beyond));
        let row = |(subject, (p_within, p_beyond)): (MarginSubject, (f64, f64))| {
            let verdict = if subject.effect.is_constant() {
                constant_verdict(&subject.effect, margin)
            } else {
                Equivalence::decide(p_beyond, p_within)
            };
            MarginRow { subject, p_within, p_beyond, verdict }
        };
        Self { margin, rows: rows.map(row).collect() }
    }

    /// Returns the games that decide a row if there is no difference; none unless it is open.
    fn games_needed(&self, row: &MarginRow) -> Option<u64> {
        let MarginSubject { effect, games, .. } = &row.subject;
        let blocks = effect.degrees_of_freedom + 1.0;
        let variance = effect.standard_error.powi(2) * blocks;
        let goal = PowerGoal::Equivalence(self.margin);
        let needed = goal.blocks(variance, DEFAULT_POWER, self.rows.len());
        let needed = needed.max(MIN_BLOCKS_OF_MEAN as f64) * *games as f64 / blocks;
        let is_open = row.verdict == Equivalence::Open && effect.is_testable();
        is_open.then(|| needed.ceil() as u64)
    }

    /// Returns `margins.csv`.
    pub(super) fn table(&self, provenance: &Claim) -> DataTable {
        columns().table(provenance, self.rows.iter().map(|row| (self, row)))
    }

    /// States the numbers of verdicts, and the games that decide the open ones.
    pub(super) fn sentence(&self) -> String {
        let count = |verdict| self.rows.iter().filter(|row| row.verdict == verdict).count();
        let [within, beyond, open] =
            [Equivalence::Equal, Equivalence::Different, Equivalence::Open].map(count);
        let games = self.rows.iter().filter_map(|row| self.games_needed(row)).max();
        let games = games.filter(|_| open > 0).map(|games| {
            format!(
                " {} show all that are open to be within the margin, with a probability of 90 % \
                 each, if there is no difference.",
                group_digits(games as i64) + " games"
            )
        });
        format!(
            "With a margin of {}, {within} of {} {} within it, {beyond} beyond it, and {open} \
             open.{}",
            margin_words(self.margin),
            format_count(self.rows.len(), "difference"),
            if within == 1 { "is" } else { "are" },
            games.unwrap_or_default()
        )
    }

    /// Adds the sentence, and the table as a section of the page.
    pub(super) fn add_to(&self, report: &mut StudyReport, provenance: &Claim) {
        let keys = ["name", "difference", "verdict", "games_needed", "lineup"];
        let table = self.table(provenance);
        let count = |verdict| self.rows.iter().filter(|row| row.verdict == verdict).count();
        let word = match (count(Equivalence::Different), count(Equivalence::Open)) {
            (0, 0) => VerdictWord::Good,
            (0, _) => VerdictWord::Unsure,
            _ => VerdictWord::Bad,
        };
        let (within, all) = (count(Equivalence::Equal), self.rows.len());
        let text = format!("{within} of {all} differences within {}", margin_words(self.margin));
        report.figure("MARGIN", word.name(), text);
        report.section("Margin");
        report.paragraph(&self.sentence());
        report.page_table(&table.view().with_first(&keys), "Differences and the margin");
        report.file(table, "");
    }
}

/// Returns the verdict on a difference that is the same in all blocks.
fn constant_verdict(effect: &Effect, margin: f64) -> Equivalence {
    let interval = effect.estimate();
    if -margin < interval.low && interval.high < margin {
        Equivalence::Equal
    } else if interval.low > margin || interval.high < -margin {
        Equivalence::Different
    } else {
        Equivalence::Open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_margin_is_compared_with_the_whole_family() {
        let subject = |value: f64, standard_error: f64| MarginSubject {
            lineup: "bot".to_owned(),
            name: "rate".to_owned(),
            effect: Effect::new(1000, value, standard_error, 999.0),
            games: 2000,
        };
        let verdicts = |values: &[f64]| -> Vec<_> {
            let subjects = values.iter().map(|&value| subject(value, 0.002)).collect();
            let verdicts = MarginVerdicts::new(subjects, 0.01);
            verdicts.rows.iter().map(|row| VERDICTS[row.verdict as usize]).collect()
        };
        assert_eq!(verdicts(&[0.0, 0.02, -0.02, 0.009]), ["within", "beyond", "beyond", "open"]);
        // 2 standard errors from the margin are enough for one test and too few for 10.
        assert_eq!(verdicts(&[0.006]), ["within"]);
        assert!(verdicts(&[0.006; 10]).iter().all(|verdict| *verdict == "open"));
        let open = MarginVerdicts::new(vec![subject(0.009, 0.002)], 0.01);
        // (1.645 + 1.645)² · 0.004 / 0.01² = 433 blocks of 2 games.
        assert_eq!(open.games_needed(&open.rows[0]), Some(866));
        assert!(
            open.sentence().contains("0 beyond it, and 1 open. 866 games"),
            "{}",
            open.sentence()
        );
    }
}
