//! A table of items: what those won who took an item, and those who could have.

use maud::{Markup, html};

use crate::{
    arena::tally::ItemTally,
    game::{Item, ItemTable, ReportedSeats, UNITS_PER_WIN},
    report::{
        chart::{IntervalChart, IntervalRow},
        html::{Cell, HtmlTable, Section, Unit, format_percent, group_digits},
        provenance::{Mark, Marks},
    },
    stats::ratio::Estimate,
    study::simulate::page::{MIN_OBSERVATIONS, RunPage},
};

/// More rows than this make no chart; then it has the first and the last of them.
const MOST_ROWS: usize = 40;

/// An item as the chart shows it.
struct Shown<'a> {
    name: &'a str,
    marks: Marks,
    with: Estimate,
    without: Estimate,
}

impl Shown<'_> {
    /// How much more often those won who took it than those who did not, or than nobody if all took
    /// it.
    fn effect(&self) -> f64 {
        self.with.value - if self.without.n > 0 { self.without.value } else { 0.0 }
    }
}

impl RunPage<'_> {
    /// The section of a table; nothing if none of its items was ever seen.
    pub(crate) fn items(&self, table: &ItemTable, tallies: &[ItemTally]) -> Option<Section> {
        if tallies
            .iter()
            .all(|tally| tally.taken.n == 0 && tally.times_taken == 0 && tally.reserved == 0)
        {
            return None;
        }
        let compared = table.reported_seats != ReportedSeats::None;
        let body = html! {
            @if compared { (self.items_chart(table, tallies)) } @else { (self.points_chart(table, tallies)) }
            (self.items_table(table, tallies))
            p.note {
                @if compared { "Who takes an item differs in other ways from who does not, so \
                    these are associations and not what the item is worth. " }
                code { (table.name) ".csv" }
                " has the same numbers."
            }
        };
        Some(Section::new(table.name.replace('_', " "), body))
    }

    /// The points that items scored, for a table whose items nearly every seat takes.
    fn points_chart(&self, table: &ItemTable, tallies: &[ItemTally]) -> Markup {
        let points =
            table.items.iter().zip(tallies).map(|(Item { name, properties }, tally)| IntervalRow {
                label: name.clone(),
                badge: marks_badge(self.provenance.marks_of_item(name, properties)),
                estimates: vec![tally.points.mean()],
            });
        let mut rows: Vec<_> =
            points.filter(|row| row.estimates[0].n >= MIN_OBSERVATIONS).collect();
        rows.sort_by(|one, other| other.estimates[0].value.total_cmp(&one.estimates[0].value));
        let Some(best) = rows.first() else { return html! {} };
        let unit = Unit::Decimals(2);
        let sentence = format!(
            "Most points: {} scored {} for a seat that scored with it, over {} seats. Nearly every \
                seat takes nearly every {}, so win rates of seats with and without one are not \
                compared.",
            best.label,
            unit.format_estimate(best.estimates[0]),
            group_digits(best.estimates[0].n),
            table.singular
        );
        let series = vec!["mean points".to_owned()];
        let chart =
            IntervalChart { sentence: html! { (sentence) }, unit, series, reference: None, rows };
        html! { (chart) }
    }

    fn items_chart(&self, table: &ItemTable, tallies: &[ItemTally]) -> Markup {
        let all = table.items.iter().zip(tallies).map(|(Item { name, properties }, tally)| Shown {
            name,
            marks: self.provenance.marks_of_item(name, properties),
            with: tally.wins_with.rate(UNITS_PER_WIN),
            without: tally.wins_without.rate(UNITS_PER_WIN),
        });
        let all: Vec<_> = all.filter(|item| item.with.n >= MIN_OBSERVATIONS).collect();
        let both: Vec<_> = all.iter().filter(|item| item.without.n >= MIN_OBSERVATIONS).collect();
        let compared = !both.is_empty();
        let mut shown = if compared { both } else { all.iter().collect() };
        shown.sort_by(|one, other| {
            other.effect().total_cmp(&one.effect()).then(one.name.cmp(other.name))
        });
        let Some(best) = shown.first() else {
            return html! { p { "No " (table.singular) " was " (table.taken_label) " by " (MIN_OBSERVATIONS) " seats or more, which is too few to tell anything of it." } };
        };
        let mut sentence = if compared {
            compared_in_words(table, best, &shown)
        } else {
            self.highest_in_words(table, best, &shown)
        };
        let few = table.items.len() - shown.len();
        if few > 0 {
            sentence += &format!(
                " Left out here: {few} with fewer than {MIN_OBSERVATIONS} seats on a side."
            );
        }
        sentence += &elide_middle(&mut shown);
        let mut series = vec![format!("win rate of the seats with it {}", table.taken_label)];
        if compared {
            series.push("win rate of those that could have and did not".to_owned());
        }
        let chart = IntervalChart {
            sentence: html! { (sentence) },
            unit: Unit::Percent,
            rows: shown
                .iter()
                .map(|item| IntervalRow {
                    label: item.name.to_owned(),
                    badge: marks_badge(item.marks),
                    estimates: vec![item.with, item.without][..series.len()].to_vec(),
                })
                .collect(),
            series,
            reference: (self.setup.identity.players > 1).then(|| self.expected.reference_line()),
        };
        html! { (chart) }
    }

    fn highest_in_words(
        &self,
        table: &ItemTable,
        best: &Shown<'_>,
        shown: &[&Shown<'_>],
    ) -> String {
        let rates: Vec<_> = shown.iter().map(|item| (item.name.to_owned(), item.with)).collect();
        let beside = if self.setup.identity.players > 1 {
            self.expected.compare_rates(&rates)
        } else {
            String::new()
        };
        let (rate, n) = (format_percent(best.with), group_digits(best.with.n));
        format!(
            "Highest: seats with {} {} won {rate} of {n} games. {beside}",
            best.name, table.taken_label
        )
        .trim_end()
        .to_owned()
    }

    fn items_table(&self, table: &ItemTable, tallies: &[ItemTally]) -> HtmlTable {
        let taken = table.taken_label;
        let mut headings = vec![table.singular.to_owned(), "data".to_owned()];
        headings.extend(table.properties.iter().map(|&property| property.to_owned()));
        headings.extend(["offered", "reserved", taken].map(str::to_owned));
        headings.extend([
            format!("{taken} per offer"),
            format!("mean round {taken}"),
            format!("mean position {taken}"),
        ]);
        headings.extend(
            [
                "n with",
                "win rate with",
                "n without",
                "win rate without",
                "mean score with",
                "mean own points",
            ]
            .map(str::to_owned),
        );
        let rows = table.items.iter().zip(tallies).map(|(Item { name, properties }, tally)| {
            let mut row = vec![
                Cell::text(name),
                Cell::text(marks_badge(self.provenance.marks_of_item(name, properties))),
            ];
            row.extend(properties.iter().map(|property| Cell::text_or_number(property)));
            row.push(if tally.taken.n > 0 { Cell::count(tally.taken.n) } else { Cell::empty() });
            row.push(if table.reservable { Cell::count(tally.reserved) } else { Cell::empty() });
            row.push(Cell::count(tally.times_taken));
            row.push(Cell::estimate(tally.taken.rate(1), Unit::Percent));
            row.extend(
                [&tally.rounds, &tally.positions]
                    .map(|sums| Cell::estimate(sums.mean(), Unit::Decimals(2))),
            );
            let compared = table.reported_seats != ReportedSeats::None;
            for wins in [&tally.wins_with, &tally.wins_without] {
                row.push(if compared && wins.n > 0 { Cell::count(wins.n) } else { Cell::empty() });
                row.push(if compared {
                    Cell::estimate(wins.rate(UNITS_PER_WIN), Unit::Percent)
                } else {
                    Cell::empty()
                });
            }
            row.push(if compared {
                Cell::estimate(tally.scores_with.mean(), Unit::Decimals(2))
            } else {
                Cell::empty()
            });
            row.push(if table.scoring {
                Cell::estimate(tally.points.mean(), Unit::Decimals(2))
            } else {
                Cell::empty()
            });
            row
        });
        HtmlTable {
            caption: format!(
                "All {} {} in numbers",
                table.items.len(),
                table.name.replace('_', " ")
            ),
            headings,
            rows: rows.collect(),
        }
    }
}

fn compared_in_words(table: &ItemTable, best: &Shown<'_>, shown: &[&Shown<'_>]) -> String {
    let above = shown.iter().filter(|item| item.with.low > item.without.high).count();
    let below = shown.iter().filter(|item| item.with.high < item.without.low).count();
    let [(with, n_with), (without, n_without)] =
        [best.with, best.without].map(|rate| (format_percent(rate), group_digits(rate.n)));
    format!(
        "The greatest lead of those who did: seats with {} {} won {with} of {n_with} games, and \
         those that could have and did not {without} of {n_without}. Of {} such pairs of \
         intervals, {above} lie apart with more wins for those who did and {below} with fewer; {} \
         overlap, by which no difference shows.",
        best.name,
        table.taken_label,
        shown.len(),
        shown.len() - above - below,
    )
}

/// Shortens what is to be the rows of a chart, and says so.
pub(crate) fn elide_middle<T>(rows: &mut Vec<T>) -> String {
    let Some(between) = rows.len().checked_sub(MOST_ROWS + 1).map(|more| more + 1) else {
        return String::new();
    };
    rows.drain(MOST_ROWS / 2..MOST_ROWS / 2 + between);
    format!(" The {between} between the highest and the lowest are in the table alone.")
}

/// Where an item's data comes from.
pub(crate) fn marks_badge(marks: Marks) -> Markup {
    let letters: Vec<_> = marks.iter().map(|mark| mark.letter().to_string()).collect();
    let names: Vec<_> = marks.iter().map(Mark::name).collect();
    let title = format!(
        "data: {}{}",
        names.join(", "),
        if names.len() > 1 { ", each in part" } else { "" }
    );
    let doubtful = marks.least_certain() == Some(Mark::Reconstructed);
    html! { @if !marks.is_empty() { abbr.mark.doubtful[doubtful] title=(title) { (letters.join(" ")) } } }
}
