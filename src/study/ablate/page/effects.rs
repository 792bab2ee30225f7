//! The flagged items, and a section for each lineup and item table.

use maud::{Markup, html};

use crate::{
    arena::metric::SeatMetric,
    game::{Item, ItemTable},
    report::{
        chart::{IntervalRow, elide_middle},
        data_table::DataTable,
        html::{Cell, HtmlTable, Section, capitalize, format_count, join_with_and},
        origin::marks_badge,
        provenance::Provenance,
        study_page::{
            ReportBody, difference_chart, effect_estimate, metric_label, significance_summary,
        },
    },
    run::lineups::{LineupResult, lineup_suffix},
    stats::flags::{Flag, TestedEffect},
    study::ablate::analysis::{ItemEffectsAnalysis, ItemRow, MIN_SEATS},
};

const SERIES: [&str; 3] = [
    "forced pick (must take it now minus may never take it)",
    "adjusted association (by regression)",
    "association (took it minus did not)",
];
/// Metrics of charts and of the list of flagged items. The tables have all metrics.
const CHARTED: [SeatMetric; 2] = [SeatMetric::WinShare, SeatMetric::Score];
/// Maximum number of items that are only named in a line of flagged items.
const MAX_NAMED: usize = 5;

/// The listed flags with title and explanation.
const LISTED: [(Flag, &str, &str); 5] = [
    (
        Flag::Strong,
        "Forced pick above the other items",
        "The effect of a forced pick is above the mean of the other items of the table. This \
         compares forced picks; it does not show that the item is too good.",
    ),
    (
        Flag::Weak,
        "Forced pick below the other items",
        "The effect of a forced pick is below the mean of the other items of the table. It does \
         not show that the item is too weak: a player who may choose takes it only when it is \
         useful.",
    ),
    (
        Flag::Opposite,
        "Association with the opposite sign",
        "Association and effect of a forced pick are both significant, with opposite signs.",
    ),
    (
        Flag::Disagree,
        "Association and forced pick differ",
        "The difference between association and effect of a forced pick is significant. They \
         answer different questions: seats that choose an item differ from those that do not, and \
         choose the moment.",
    ),
    (
        Flag::Flips,
        "Opposite sign for another lineup",
        "The effect of a forced pick is significant with opposite signs for two lineups.",
    ),
];

/// Returns the value by which the items with a flag are sorted, the highest first.
fn rank(flag: Flag, row: &ItemRow) -> f64 {
    let [association, _, forced_now] = row.tested.effects.map(|tested| tested.effect.value);
    match flag {
        Flag::Strong => forced_now,
        Flag::Weak => -forced_now,
        Flag::Opposite | Flag::Disagree => (forced_now - association).abs(),
        _ => forced_now.abs(),
    }
}

impl ItemEffectsAnalysis<'_> {
    /// Returns the body of the page without the section of removed items.
    pub(crate) fn report_body(&self, table: &DataTable, provenance: &Provenance) -> ReportBody {
        let items = (0..self.results.len())
            .flat_map(|lineup| self.catalog.tables().iter().map(move |items| (lineup, items)));
        let sections = items.map(|(lineup, items)| self.section(lineup, items, table, provenance));
        ReportBody {
            title: "Effects of forced picks".to_owned(),
            lead: self.lead(),
            sections: std::iter::once(self.flagged_section()).chain(sections).collect(),
        }
    }

    fn lead(&self) -> Markup {
        let sentence = |(index, LineupResult { lineup, .. }): (usize, &LineupResult<_>)| {
            let is_tested = |row: &&ItemRow| {
                (row.lineup, row.metric) == (index, SeatMetric::WinShare)
                    && row.tested.effects[2].effect.is_testable()
            };
            let tested: Vec<_> = self.rows.iter().filter(is_tested).collect();
            let count = |flag| tested.iter().filter(|row| row.tested.flags.contains(&flag)).count();
            format!(
                "With lineup {lineup}, the effect of a forced pick on the win share is above the \
                 mean of the other items of the table for {} of {} and below it for {} \
                 (Holm-adjusted p < 0.05).",
                count(Flag::Strong),
                format_count(tested.len() as u64, "item"),
                count(Flag::Weak),
            )
        };
        html! {
            @for result in self.results.iter().enumerate() { (sentence(result)) " " }
            "A forced pick compares seats that must take an item at the first offer with seats \
             that may never take it. It is not the value of the item to a player who may choose."
        }
    }

    fn flagged_section(&self) -> Section {
        let body = html! {
            @let flagged = LISTED.map(|(flag, ..)| self.flagged_items(flag));
            @if flagged.iter().all(Vec::is_empty) { p { "No item is flagged." } }
            @for ((flag, title, explanation), lines) in LISTED.iter().zip(&flagged) {
                @if !lines.is_empty() {
                    h3 { (title) }
                    p.note {
                        (explanation) " Flag " code { (flag.as_str()) } ", Holm-adjusted p < 0.05."
                    }
                    ul { @for line in lines { li { (line) } } }
                }
            }
            h3 { "Three estimates" }
            p {
                "When an item was first offered to a seat, a random choice sometimes forced the \
                 seat to take it at once, or forbade it for the rest of the game. The difference \
                 between these seats is the " strong { "effect of a forced pick" } " ("
                code { "forced_now" } "). " strong { "Association" } " compares seats that took the item with seats that \
                 could have and did not, which may differ in other ways. "
                strong { "Adjusted association" } " is the coefficient of taking the item at the \
                 first offer in a linear regression on seat, turn position, bot, round and the \
                 value of the position."
            }
        };
        Section::new("Flagged items", body)
    }

    /// Returns a line for each lineup, table and metric that has items with a flag.
    fn flagged_items(&self, flag: Flag) -> Vec<Markup> {
        let mut lines = Vec::new();
        for lineup in 0..self.results.len() {
            for items in self.catalog.tables() {
                for metric in CHARTED {
                    let mut rows = self.rows_of(lineup, items, metric);
                    rows.retain(|(_, row)| row.tested.flags.contains(&flag));
                    rows.sort_by(|(_, one), (_, other)| {
                        rank(flag, other).total_cmp(&rank(flag, one))
                    });
                    if let Some(line) = self.flagged_line(flag, metric, &rows) {
                        let title = capitalize(&self.title(lineup, items));
                        let metric = metric_label(metric).0;
                        lines.push(html! { strong { (title) ", " (metric) ": " } (line) });
                    }
                }
            }
        }
        lines
    }

    /// States the effect on the first of these items and names the others.
    fn flagged_line(
        &self,
        flag: Flag,
        metric: SeatMetric,
        rows: &[(usize, &ItemRow)],
    ) -> Option<String> {
        let ((_, first), others) = rows.split_first()?;
        let [association, _, forced_now] = first.tested.effects.map(|tested| {
            let estimate = effect_estimate(tested.effect);
            let seats = format_count(estimate.n as u64, "seat");
            format!("{} over {seats}", metric_label(metric).1.format_estimate(estimate))
        });
        let mut line = format!("{}, {forced_now}", self.item(first).name);
        if matches!(flag, Flag::Opposite | Flag::Disagree) {
            line += &format!(", association {association}");
        }
        let mut names: Vec<_> =
            others.iter().take(MAX_NAMED).map(|(_, row)| self.item(row).name.clone()).collect();
        if others.len() > MAX_NAMED {
            names.push(format!("{} more", others.len() - MAX_NAMED));
        }
        if !names.is_empty() {
            line += &format!("; also {}", join_with_and(&names));
        }
        Some(line + ".")
    }

    /// Returns the name of an item table, with the lineup if there are several.
    fn title(&self, lineup: usize, items: &ItemTable) -> String {
        items.name.replace('_', " ")
            + &lineup_suffix(&self.results[lineup].lineup, self.results.len())
    }

    fn section(
        &self,
        lineup: usize,
        items: &ItemTable,
        table: &DataTable,
        provenance: &Provenance,
    ) -> Section {
        let body = html! {
            @for metric in CHARTED { (self.chart(lineup, items, metric, provenance)) }
            @for metric in SeatMetric::ALL {
                (self.html_table(&self.rows_of(lineup, items, metric), items, table, provenance))
            }
            p.note {
                code { (table.schema().file_name()) } " has the same numbers, with all p-values."
            }
        };
        Section::new(self.title(lineup, items), body)
    }

    fn chart(
        &self,
        lineup: usize,
        items: &ItemTable,
        metric: SeatMetric,
        provenance: &Provenance,
    ) -> Markup {
        let (name, unit) = metric_label(metric);
        let all = self.rows_of(lineup, items, metric);
        let is_estimated = |TestedEffect { effect, .. }: TestedEffect| {
            effect.n >= MIN_SEATS && (effect.is_testable() || effect.is_constant())
        };
        // Forced pick, adjusted association, association.
        let effects = |row: &ItemRow| {
            let [association, adjusted, forced_now] = row.tested.effects;
            [forced_now, adjusted, association]
        };
        let has_forced_picks = all.iter().any(|(_, row)| is_estimated(effects(row)[0]));
        let first = if has_forced_picks { 0 } else { 2 };
        let mut rows: Vec<_> = all.iter().map(|&(_, row)| (row, effects(row)[first])).collect();
        let summary = significance_summary(rows.iter().map(|(_, tested)| tested));
        rows.retain(|&(_, tested)| is_estimated(tested));
        rows.sort_by(|(one_row, one), (other_row, other)| {
            let by_value = other.effect.value.total_cmp(&one.effect.value);
            by_value.then_with(|| self.item(one_row).name.cmp(&self.item(other_row).name))
        });
        let Some((highest, tested)) = rows.first() else {
            return html! {
                p {
                    "No " (items.singular) " has enough seats with and without it for an estimate ("
                    (name) ")."
                }
            };
        };
        let subject = if has_forced_picks {
            "Effect of a forced pick on the"
        } else {
            "There are too few forced picks for an estimate. Association with the"
        };
        let estimate = effect_estimate(tested.effect);
        let mut sentence = format!(
            "{subject} {name}. {summary} Highest: {}, {} over {}. The highest of many estimates is \
             biased upwards.",
            self.item(highest).name,
            unit.format_estimate(estimate),
            format_count(estimate.n as u64, "seat"),
        );
        let few = all.len() - rows.len();
        if few > 0 {
            sentence += &format!(" Left out: {few} with fewer than {MIN_SEATS} seats.");
        }
        sentence += &elide_middle(&mut rows);
        let chart_row = |&(row, _): &(&ItemRow, TestedEffect)| {
            let Item { name, properties } = self.item(row);
            let effects = effects(row).map(|tested| effect_estimate(tested.effect));
            IntervalRow {
                label: name.clone(),
                badge: html! {
                    (marks_badge(provenance.marks_of_item(name, properties))) " "
                    small { (row.tested.flag_text()) }
                },
                estimates: effects[first..].to_vec(),
            }
        };
        let series = SERIES[first..].iter().map(|&series| series.to_owned()).collect::<Vec<_>>();
        difference_chart(&sentence, unit, &series, rows.iter().map(chart_row).collect())
    }

    fn html_table(
        &self,
        rows: &[(usize, &ItemRow)],
        items: &ItemTable,
        table: &DataTable,
        provenance: &Provenance,
    ) -> HtmlTable {
        let keys = [
            "item",
            "properties",
            "forced_now_estimate",
            "granted",
            "refused",
            "forced_now_p_holm",
            "adjusted_estimate",
            "adjusted_n",
            "association_estimate",
            "association_n",
            "flag",
        ];
        let metric = rows.first().map_or("", |(_, row)| metric_label(row.metric).0);
        let caption =
            format!("All {} {}: {metric}", items.items.len(), items.name.replace('_', " "));
        let view = table.view().select(&keys).rows(rows.iter().map(|&(index, _)| index));
        let mut html = view.html(caption);
        html.headings.insert(1, "data".to_owned());
        for (cells, (_, row)) in html.rows.iter_mut().zip(rows) {
            let Item { name, properties } = self.item(row);
            cells.insert(1, Cell::text(marks_badge(provenance.marks_of_item(name, properties))));
        }
        html
    }
}
