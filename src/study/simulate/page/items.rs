//! The items of a table: the win rates of the seats that took an item, and of those that did not.

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
    },
    stats::ratio::Estimate,
    study::simulate::{analysis::ShownItems, tables::POINTS},
};

/// An item of a chart.
struct ChartItem<'a> {
    item: &'a Item,
    with: Estimate,
    without: Estimate,
}

impl ChartItem<'_> {
    /// Returns the win rate of the seats that took the item, minus that of the others if there are
    /// any.
    fn difference(&self) -> f64 {
        self.with.value - if self.without.n > 0 { self.without.value } else { 0.0 }
    }
}

impl RunPage<'_> {
    /// Returns the section of an item table; `None` if none of its items was ever seen.
    pub(super) fn items(&self, shown: &ShownItems, table: &DataTable) -> Option<Section> {
        let ShownItems { items, tallies } = shown;
        let is_unseen =
            |tally: &ItemTally| tally.taken.n == 0 && tally.times_taken == 0 && tally.reserved == 0;
        if tallies.iter().all(is_unseen) {
            return None;
        }
        let is_compared = items.reported_seats != ReportedSeats::None;
        let body = html! {
            @if is_compared {
                (self.win_rate_chart(items, tallies))
            } @else {
                (self.points_chart(items, tallies))
            }
            (self.items_table(items, table))
            p.note {
                @if is_compared {
                    "These are associations, not effects: seats that take an item differ in other \
                     ways from seats that do not. "
                }
                code { (items.name) ".csv" } " has the same numbers."
            }
        };
        Some(Section::new(items.name.replace('_', " "), body))
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

    /// Returns the chart of the win rates of the seats with and without each item.
    fn win_rate_chart(&self, items: &ItemTable, tallies: &[ItemTally]) -> Markup {
        let all = items.items.iter().zip(tallies).map(|(item, tally)| ChartItem {
            item,
            with: tally.wins_with.rate(UNITS_PER_WIN),
            without: tally.wins_without.rate(UNITS_PER_WIN),
        });
        let all: Vec<_> = all.filter(|item| item.with.n >= MIN_OBSERVATIONS).collect();
        let both: Vec<_> = all.iter().filter(|item| item.without.n >= MIN_OBSERVATIONS).collect();
        let is_compared = !both.is_empty();
        let mut shown = if is_compared { both } else { all.iter().collect() };
        shown.sort_by(|one, other| {
            other
                .difference()
                .total_cmp(&one.difference())
                .then(one.item.name.cmp(&other.item.name))
        });
        let Some(best) = shown.first() else {
            return html! {
                p {
                    "No " (items.singular) " was " (items.taken_label) " by " (MIN_OBSERVATIONS)
                    " seats or more."
                }
            };
        };
        let mut sentence = if is_compared {
            comparison_sentence(items, best, &shown)
        } else {
            self.win_rate_sentence(items, best, &shown)
        };
        let few = items.items.len() - shown.len();
        if few > 0 {
            sentence +=
                &format!(" Left out: {few} with fewer than {MIN_OBSERVATIONS} seats on a side.");
        }
        sentence += &elide_middle(&mut shown);
        let taken = items.taken_label;
        let mut series = vec![format!("win rate of seats with it {taken}")];
        if is_compared {
            series.push(format!("win rate of seats with it available and not {taken}"));
        }
        let row = |item: &&ChartItem<'_>| IntervalRow {
            label: item.item.label.clone(),
            badge: item_badge(item.item, self.provenance),
            estimates: vec![item.with, item.without][..series.len()].to_vec(),
        };
        let chart = IntervalChart {
            sentence: html! { (sentence) },
            unit: Unit::Percent,
            rows: shown.iter().map(row).collect(),
            series,
            reference: self.is_competitive().then(|| self.analysis.expected_share.reference_line()),
        };
        html! { (chart) }
    }

    fn win_rate_sentence(
        &self,
        items: &ItemTable,
        best: &ChartItem<'_>,
        shown: &[&ChartItem<'_>],
    ) -> String {
        let rates: Vec<_> = shown.iter().map(|item| (item.item.label.clone(), item.with)).collect();
        let comparison = self.comparison(&rates);
        let n = group_digits(best.with.n);
        let (taken, rate) = (items.taken_label, format_percent(best.with));
        format!("Seats with {} {taken} win {rate} (n {n}), the most.{comparison}", best.item.label)
    }

    fn items_table(&self, items: &ItemTable, table: &DataTable) -> HtmlTable {
        let caption = format!("All {} {}", items.items.len(), items.name.replace('_', " "));
        let marks = items.items.iter().map(|Item { name, properties, .. }| {
            TableCell::text(marks_badge(self.provenance.marks_of_item(name, properties)))
        });
        // The first five columns are shown at first.
        let per_offer = format!("{}_per_offer", items.taken_label);
        let main = ["with_win_rate", "without_win_rate", &per_offer, "mean_own_points"];
        let html = table.view().with_first(&main).html(caption);
        let index = html.headings.len().min(5);
        html.with_column(index, "data", marks)
    }
}

fn comparison_sentence(
    items: &ItemTable,
    best: &ChartItem<'_>,
    shown: &[&ChartItem<'_>],
) -> String {
    let above = shown.iter().filter(|item| item.with.low > item.without.high).count();
    let below = shown.iter().filter(|item| item.with.high < item.without.low).count();
    let [with, without] = [best.with, best.without]
        .map(|rate| format!("{} (n {})", format_percent(rate), group_digits(rate.n)));
    format!(
        "The win rates of seats with and without an item differ most for {}: {with} with it {} and \
         {without} without. Of {} items, seats with the item win more often for {above} and less \
         often for {below} (95 % intervals do not overlap).",
        best.item.label,
        items.taken_label,
        shown.len(),
    )
}
