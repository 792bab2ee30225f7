//! `remedy.csv`, and the text and the section of a remedy.

use maud::html;

use super::{FILE, Remedy, RemedyTrial, Target};
use crate::{
    report::{
        chart::IntervalRow,
        data_table::{Column, DataTable, Schema, Value},
        html::{Section, Unit, format_count, group_digits, join_with_and},
        provenance::Claim,
        study_page::{ReportBody, difference_chart, effect_estimate},
        text::{paragraph, truncate},
    },
    run::margin::margin_words,
};

/// Maximum width of a lineup in terminal text.
const LINEUP_WIDTH: usize = 20;

/// Describes `remedy.csv`.
pub(crate) fn schema() -> Schema {
    let taken = "Share of the forks whose seat takes the item.";
    let verdict = "`within`: the interval of the distance lies within the limit. `near`: the \
                   estimate does. `off`: neither.";
    Schema::new("remedy", "Access to the item of a key at each value that was tried.")
        .column(Column::text("item", "item", "Item of the key."))
        .column(Column::text("key", "key", "Key of the data file."))
        .column(Column::label("value", "value", "Value of the key."))
        .column(Column::word(
            "deals",
            "deals",
            &["search", "fresh"],
            "`search`: the deals by which the value was found. `fresh`: other deals.",
        ))
        .column(Column::text("lineup", "lineup", "Bots in the seats."))
        .column(Column::integer("blocks", "blocks", "Number of blocks."))
        .column(Column::estimate("taken_share", "taken", Unit::Percent, taken).n("forks", "forks"))
        .column(
            Column::estimate("access", "access", Unit::PercentagePoints, "As in `forks.csv`.")
                .n("access_n", "n"),
        )
        .column(
            Column::estimate(
                "distance",
                "distance",
                Unit::PercentagePoints,
                "Access minus the target.",
            )
            .n("distance_n", "n"),
        )
        .column(Column::word("verdict", "verdict", &["within", "near", "off"], verdict))
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

    /// Opens a page with the value found, adds the section, and returns the rows of `remedy.csv`.
    pub(crate) fn report(&self, page: &mut ReportBody, provenance: &Claim) -> DataTable {
        let table = self.table(provenance);
        page.lead = html! { (self.sentence()) " " (self.panel_sentence()) " " (page.lead) };
        page.sections.insert(0, self.section(&table));
        table
    }

    /// Returns the rows of `remedy.csv`.
    fn table(&self, provenance: &Claim) -> DataTable {
        let mut table = DataTable::new(schema(), provenance);
        for trial in &self.trials {
            table.push([
                Value::Item(self.name.clone(), self.label.clone()),
                Value::from(&self.plan.scalar.key),
                Value::from(&self.plan.values[trial.value]),
                if trial.is_confirmation { "fresh" } else { "search" }.into(),
                trial.lineup.as_str().into(),
                trial.blocks.into(),
                trial.taken.into(),
                trial.access.estimate().into(),
                trial.distance.estimate().into(),
                self.verdict(trial).into(),
            ]);
        }
        table
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
        let access = |trial: &RemedyTrial| {
            Unit::PercentagePoints.format_estimate(effect_estimate(trial.access))
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
        format!("{}: on fresh deals the access is {access}.", self.verdict_of_panel().label())
    }

    /// Returns the sentence and the values tried for the terminal.
    pub(crate) fn text(&self) -> String {
        let mut text = "\n".to_owned();
        let sentences = [self.sentence(), self.panel_sentence()];
        for sentence in sentences.iter().filter(|sentence| !sentence.is_empty()) {
            text += &paragraph(sentence);
        }
        let schema = Schema::new("", "")
            .column(Column::label("", "value", ""))
            .column(Column::text("", "deals", ""))
            .column(Column::text("", "bots", ""))
            .column(Column::number("", "taken %", 2, "").unit(Unit::Percent))
            .column(Column::estimate("", "access", Unit::PercentagePoints, ""))
            .column(Column::text("", "", ""));
        let mut table = DataTable::new(schema, "");
        for trial in &self.trials {
            table.push([
                Value::from(&self.plan.values[trial.value]),
                if trial.is_confirmation { "fresh" } else { "search" }.into(),
                truncate(&trial.lineup, LINEUP_WIDTH).into(),
                Value::Number(trial.taken.value),
                trial.access.estimate().into(),
                self.verdict(trial).into(),
            ]);
        }
        text + "\n" + &table.view().text()
    }

    /// Returns the section of the page.
    fn section(&self, table: &DataTable) -> Section {
        let row = |trial: &RemedyTrial| IntervalRow {
            label: format!("{} = {}", self.plan.scalar.key, self.plan.values[trial.value]),
            badge: html! {
                small { @if trial.is_confirmation { "fresh deals, " (trial.lineup) } }
            },
            estimates: vec![effect_estimate(trial.access)],
        };
        let series = ["access".to_owned()];
        let rows = self.trials.iter().map(row).collect();
        let keys =
            ["value", "deals", "lineup", "taken_share", "access", "distance", "forks", "verdict"];
        let body = html! {
            (difference_chart(&self.sentence(), Unit::PercentagePoints, &series, rows))
            (table.view().select(&keys).html("All values"))
            p.note { code { (table.schema().file_name()) } " has the same numbers." }
        };
        Section::new(format!("Remedy: {}", self.label), body)
    }
}
