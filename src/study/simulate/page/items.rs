//! The items of a table: the win rates of the seats that took an item, and of those that took as
//! many others.

use std::iter;

use maud::{Markup, html};

use super::RunPage;
use crate::{
    arena::tally::ItemTally,
    game::{Item, ItemTable, ReportedSeats, UNITS_PER_WIN},
    report::{
        chart::{IntervalChart, IntervalRow, MIN_OBSERVATIONS, elide_middle},
        data_table::DataTable,
        html::{HtmlTable, Section, TableCell, Unit, format_percent, group_digits},
        origin::{item_badge, marks_badge},
        study_page::significance_summary,
    },
    stats::ratio::Estimate,
    study::simulate::{
        columns::POINTS,
        items::{OwnerComparison, ShownItems},
    },
};

/// Number of items with too few owners that a sentence names.
const MAX_NAMED: usize = 10;

/// An item of a chart.
struct ChartItem<'a> {
    item: &'a Item,
    with: Estimate,
    owners: Option<&'a OwnerComparison>,
}

impl ChartItem<'_> {
    /// Returns the difference from the others, or −∞ without one.
    fn rank(&self) -> f64 {
        self.owners.map_or(f64::NEG_INFINITY, OwnerComparison::rank)
    }
}

impl RunPage<'_> {
    /// Returns the section of an item table; `None` if none of its items was ever seen.
    pub(super) fn items(&self, shown: &ShownItems, table: &DataTable) -> Option<Section> {
        let ShownItems { items, tallies, comparisons } = shown;
        let is_unseen =
            |tally: &ItemTally| tally.taken.n == 0 && tally.times_taken == 0 && tally.reserved == 0;
        if tallies.iter().all(is_unseen) {
            return None;
        }
        let is_compared = items.reported_seats != ReportedSeats::None;
        let name = items.name.replace('_', " ");
        let body = html! {
            @if is_compared {
                (self.win_rate_chart(items, tallies, comparisons))
            } @else {
                (self.points_chart(items, tallies))
            }
            (self.items_table(items, table))
            p.note {
                @if is_compared {
                    "These are associations, not effects: seats that take an item differ in other \
                     ways from seats that do not. "
                }
                @if !comparisons.is_empty() {
                    "The others took as many " (name) ", but not this one. "
                }
                code { (items.name) ".csv" } " has the same numbers."
            }
        };
        // Groups of components, which the other tables have one by one.
        Some(Section::new(name, body).folded_if(items.data_key.is_none()))
    }

    /// Returns the chart of the points of items, for a table whose items nearly every seat takes.
    fn points_chart(&self, items: &ItemTable, tallies: &[ItemTally]) -> Markup {
        let rows = items.items.iter().zip(tallies).map(|(item, tally)| IntervalRow {
            label: item.label.clone(),
            badge: item_badge(item, self.provenance),
            estimates: vec![tally.points.mean()],
        });
        let mut rows: Vec<_> = rows.filter(|row| row.estimates[0].n >= MIN_OBSERVATIONS).collect();
        rows.sort_by(|one, other| other.estimates[0].value.total_cmp(&one.estimates[0].value));
        let Some(best) = rows.first() else { return html! {} };
        let best_points = best.estimates[0];
        let sentence = format!(
            "{} scores most: {} points for a seat that scored with it (n {}). Seats with and \
             without a {} are not compared, because nearly all seats have nearly all of them.",
            best.label,
            POINTS.format_estimate(best_points),
            group_digits(best_points.n),
            items.singular
        );
        html! { (IntervalChart::new(&sentence, POINTS, "mean points".to_owned(), rows)) }
    }

    /// Returns the chart of the win rates of the seats with each item and of those that took as
    /// many others.
    fn win_rate_chart(
        &self,
        items: &ItemTable,
        tallies: &[ItemTally],
        comparisons: &[OwnerComparison],
    ) -> Markup {
        let all = items.items.iter().zip(tallies).enumerate();
        let all = all.map(|(index, (item, tally))| ChartItem {
            item,
            with: tally.wins_with.rate(UNITS_PER_WIN),
            owners: comparisons.get(index),
        });
        let (mut shown, few): (Vec<_>, Vec<_>) =
            all.partition(|item| item.with.n >= MIN_OBSERVATIONS);
        let taken = items.taken_label;
        if shown.is_empty() {
            return html! {
                p {
                    "No " (items.singular) " was " (taken) " by " (MIN_OBSERVATIONS) " seats or \
                     more."
                }
            };
        }
        shown.sort_by(|one, other| {
            let by_rank = other.rank().total_cmp(&one.rank());
            let by_rate = other.with.value.total_cmp(&one.with.value);
            by_rank.then(by_rate).then(one.item.name.cmp(&other.item.name))
        });
        let mut sentence = self.owners_sentence(items, &shown) + &few_owners_sentence(taken, &few);
        sentence += &elide_middle(&mut shown);
        let others = |item: &ChartItem<'_>| item.owners.map(|owners| owners.rates.others);
        let row = |item: &ChartItem<'_>| IntervalRow {
            label: item.item.label.clone(),
            badge: item_badge(item.item, self.provenance),
            estimates: iter::once(item.with).chain(others(item)).collect(),
        };
        let mut series = vec![format!("win rate of seats with it {taken}")];
        if !comparisons.is_empty() {
            series.push(format!("win rate of seats with as many others {taken}"));
        }
        let chart = IntervalChart {
            sentence: html! { (sentence) },
            unit: Unit::Percent,
            rows: shown.iter().map(row).collect(),
            series,
            reference: self.is_competitive().then(|| self.analysis.expected_share.reference_line()),
        };
        html! { (chart) }
    }

    /// Returns the sentence on the item whose owners win most, compared with those of the others.
    fn owners_sentence(&self, items: &ItemTable, shown: &[ChartItem<'_>]) -> String {
        let Some(best) = shown.first() else { return String::new() };
        let (taken, singular, name) =
            (items.taken_label, items.singular, items.name.replace('_', " "));
        let Some(owners) = best.owners.filter(|_| best.rank().is_finite()) else {
            let rates: Vec<_> =
                shown.iter().map(|item| (item.item.label.clone(), item.with)).collect();
            let comparison = self.comparison(&rates);
            let (rate, n) = (format_percent(best.with), group_digits(best.with.n));
            let label = &best.item.label;
            return format!("Seats with {label} {taken} win {rate} (n {n}), the most.{comparison}");
        };
        let difference = owners.rates.difference.estimate();
        format!(
            "Compared with seats that have as many {name} {taken}, but not this {singular}, those \
             with {} win most: {} % (n {}) and the others {} %, {}. {}",
            best.item.label,
            Unit::Percent.format_number(owners.rates.own, 1),
            group_digits(difference.n),
            Unit::Percent.format_number(owners.rates.others.value, 1),
            Unit::PercentagePoints.format_estimate(difference),
            significance_summary(shown.iter().filter_map(|item| Some(&item.owners?.tested))),
        )
    }

    fn items_table(&self, items: &ItemTable, table: &DataTable) -> HtmlTable {
        let caption = format!("All {} {}", items.items.len(), items.name.replace('_', " "));
        let marks = items.items.iter().map(|Item { name, properties, .. }| {
            TableCell::text(marks_badge(self.provenance.marks_of_item(name, properties)))
        });
        // The first five columns are shown at first.
        let per_offer = format!("{}_per_offer", items.taken_label);
        let main = ["with_win_rate", "above_others", &per_offer, "mean_own_points"];
        let html = table.view().with_first(&main).html(caption);
        let index = html.headings.len().min(5);
        html.with_column(index, "data", marks)
    }
}

/// Names the items that too few seats took for a chart.
fn few_owners_sentence(taken: &str, few: &[ChartItem<'_>]) -> String {
    if few.is_empty() {
        return String::new();
    }
    let more = few.len().saturating_sub(MAX_NAMED);
    let mut names: Vec<_> =
        few.iter().take(MAX_NAMED).map(|item| item.item.label.clone()).collect();
    if more > 0 {
        names.push(format!("{more} more"));
    }
    format!(" Hardly ever {taken}, by fewer than {MIN_OBSERVATIONS} seats: {}.", names.join("; "))
}
