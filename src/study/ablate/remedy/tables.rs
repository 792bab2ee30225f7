//! `remedy.csv`, and the text and the section of a remedy.

use super::{FILE, Remedy, RemedyTrial, Target};
use crate::{report::data_table::Value, study::shared::prelude::*};

/// Maximum width of a lineup in terminal text.
const LINEUP_WIDTH: usize = 20;

/// A remedy with one of its trials.
type TrialOf<'a> = (&'a Remedy, &'a RemedyTrial);

/// Returns the columns of `remedy.csv`.
pub(crate) fn columns<'a>() -> Columns<TrialOf<'a>> {
    let title = "Access to the item of a key at each value that was tried.";
    let deals = "`search`: the deals by which the value was found. `fresh`: other deals.";
    let taken = "Share of the forks whose seat takes the item.";
    let verdict = "`within`: the interval of the distance lies within the limit. `near`: the \
                   estimate does. `off`: neither.";
    Columns::<TrialOf<'_>>::new("remedy", title)
        .text("item", "Item of the key.", |(remedy, _)| {
            Value::Item(remedy.name.clone(), remedy.label.clone())
        })
        .text("key", "Key of the data file.", |(remedy, _)| &remedy.plan.scalar.key)
        .text_or_number("value", "Value of the key.", |(remedy, trial)| {
            &remedy.plan.values[trial.value]
        })
        .word("deals", &["search", "fresh"], deals, |(_, trial)| trial.deals())
        .text("lineup", "Bots in the seats.", |(_, trial)| &trial.lineup)
        .integer("blocks", "Number of blocks.", |(_, trial)| trial.blocks)
        .percent(("taken_share", "taken"), taken, |(_, trial)| trial.taken)
        .n("forks")
        .percentage_points("access", "As in `forks.csv`.", |(_, trial)| trial.access.estimate())
        .n(("access_n", "n"))
        .percentage_points("distance", "Access minus the target.", |(_, trial)| {
            trial.distance.estimate()
        })
        .n(("distance_n", "n"))
        .word("verdict", &["within", "near", "off"], verdict, |(remedy, trial)| {
            remedy.verdict(trial)
        })
        .provenance()
        .label()
}

impl Remedy {
    fn verdict(&self, trial: &RemedyTrial) -> &'static str {
        let within = self.plan.within;
        match (trial.is_within(within), trial.is_near(within)) {
            (true, _) => "within",
            (false, true) => "near",
            (false, false) => "off",
        }
    }

    /// Opens the answer with the value found, and adds the section and the table.
    pub(crate) fn add_to(&self, report: &mut StudyReport, provenance: &Claim) {
        let table = columns().table(provenance, self.trials.iter().map(|trial| (self, trial)));
        report.answer(&self.sentence());
        report.answer(&self.panel_sentence());
        report.terminal(&self.trials_text());
        self.add_section(&table, report);
        report.file(table, "");
    }

    /// States the value found and its confirmation.
    fn sentence(&self) -> String {
        let plan = &self.plan;
        let (key, file) = (&plan.scalar.key, &plan.scalar.value);
        let target = match plan.target {
            Target::Zero => "0",
            Target::Mean => "the mean of the other items",
        };
        let goal = format!("{} of {target}", margin_words(plan.within));
        let points =
            |effect: Effect| Unit::PercentagePoints.format_estimate(effect_estimate(effect));
        let access = |trial: &RemedyTrial| match plan.target {
            Target::Zero => points(trial.access),
            Target::Mean => {
                format!("{}, {} from the mean", points(trial.access), points(trial.distance))
            }
        };
        let tried = self.trials.iter().filter(|trial| !trial.is_confirmation);
        let Some(trial) = self.confirmation() else {
            let nearest =
                tried.filter(|trial| trial.distance.is_testable()).min_by(|one, other| {
                    one.distance.value.abs().total_cmp(&other.distance.value.abs())
                });
            let nearest = nearest.map_or("no value has a test".to_owned(), |trial| {
                format!(
                    "the nearest is {}, with an access of {}",
                    plan.values[trial.value],
                    access(trial)
                )
            });
            return format!(
                "{}: no value of {key} brings the access within {goal}; {nearest} ({}).",
                self.label, self.lineup
            );
        };
        let value = &plan.values[trial.value];
        let deals = group_digits(trial.blocks);
        if value == file {
            return format!(
                "{}: with {key} = {file}, as in the data file, the access is within {goal}; on \
                 {deals} fresh deals it is {} ({}).",
                self.label,
                access(trial),
                self.lineup
            );
        }
        if self.is_confirmed() {
            return format!(
                "{}: {key} {file} → {value} brings the access within {goal}: {} on {deals} fresh \
                 deals ({}). {FILE} is the data file with this value.",
                self.label,
                access(trial),
                self.lineup
            );
        }
        format!(
            "{}: {key} {file} → {value} is not confirmed: on {deals} fresh deals \
             the access is {}, and its interval is not within {goal} ({}). More --games narrow it.",
            self.label,
            access(trial),
            self.lineup
        )
    }

    /// States the access with the other bots of the panel; empty if there is no other, or if there
    /// was nothing to confirm.
    fn panel_sentence(&self) -> String {
        let others: Vec<_> = self
            .confirmations()
            .skip(1)
            .map(|trial| {
                let access = Unit::PercentagePoints.format_estimate(effect_estimate(trial.access));
                let deals = format_count(trial.blocks, "deal");
                format!("{access} with {} ({deals}, {})", trial.lineup, self.verdict(trial))
            })
            .collect();
        if others.is_empty() {
            return String::new();
        }
        let access = join_with_and(&others);
        format!("With other bots, the access on fresh deals is {access}.")
    }

    /// Returns the values tried for the terminal.
    fn trials_text(&self) -> String {
        let is_mean = self.plan.target == Target::Mean;
        let heading = if is_mean { "from the mean" } else { "access" };
        let table = Columns::<TrialOf<'_>>::new("", "")
            .text_or_number("value", "", |(remedy, trial)| &remedy.plan.values[trial.value])
            .text("deals", "", |(_, trial)| trial.deals())
            .text("bots", "", |(_, trial)| truncate(&trial.lineup, LINEUP_WIDTH))
            .number("taken %", 2, "", |(_, trial)| trial.taken.value)
            .unit(Unit::Percent)
            .number("access pp", 2, "", |(_, trial)| trial.access.value)
            .unit(Unit::PercentagePoints)
            .only_if(is_mean)
            .percentage_points(("", heading), "", |(_, trial)| trial.distance.estimate())
            .text("", "", |(remedy, trial)| remedy.verdict(trial))
            .table("", self.trials.iter().map(|trial| (self, trial)));
        format!("\n{}", table.view().text())
    }

    fn add_section(&self, table: &DataTable, report: &mut StudyReport) {
        let row = |trial: &RemedyTrial| {
            let label = format!("{} = {}", self.plan.scalar.key, self.plan.values[trial.value]);
            let note = format!("fresh deals, {}", trial.lineup);
            let note = if trial.is_confirmation { &note } else { "" };
            IntervalRow::new((label, effect_estimate(trial.access))).with_note(note)
        };
        let rows = self.trials.iter().map(row);
        let keys =
            ["value", "deals", "lineup", "taken_share", "access", "distance", "forks", "verdict"];
        report.section(&format!("Remedy: {}", self.label));
        report.page(difference_chart(self.sentence(), Unit::PercentagePoints, &["access"], rows));
        report.page_table(&table.view().select(&keys), "All values");
    }
}
