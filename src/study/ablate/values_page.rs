//! The effects of forced picks: the flagged items, and a section for each table and set of bots.

use maud::{Markup, html};

use crate::{
    arena::metric::SeatMetric,
    game::Item,
    report::{
        chart::{IntervalChart, IntervalRow as ChartRow, ReferenceLine},
        html::{Cell, HtmlTable, Section, capitalize, format_count, join_with_and},
        provenance::Provenance,
        study_page::{ReportBody, effect_estimate, metric_label, significance_summary},
    },
    report::{
        chart::{MIN_OBSERVATIONS, elide_middle},
        origin::marks_badge,
    },
    run::lineups::lineup_suffix,
    stats::{flags::Flag, paired::Effect, ratio::Estimate},
    study::ablate::{
        experiment::ItemEffects,
        removed_items::RemovedItemsReport,
        values::{ItemEffectsReport, Row},
    },
};

const SERIES: [&str; 3] = [
    "forced pick (must take it now less may never take it)",
    "adjusted (by regression)",
    "association (took it less did not)",
];
/// What items are drawn and judged by. How long they make the game is in tables.
const CHARTED: [SeatMetric; 2] = [SeatMetric::WinShare, SeatMetric::Score];
/// How many more items of a table are named in the list of what stands out.
const MOST_NAMED: usize = 5;

/// The flags that have a list of their own.
const LISTED: [Flag; 5] = [Flag::Strong, Flag::Weak, Flag::Opposite, Flag::Disagree, Flag::Flips];

const fn flag_name(flag: Flag) -> &'static str {
    match flag {
        Flag::Strong => "forced pick above the other items",
        Flag::Weak => "forced pick below the other items",
        Flag::Opposite => "association has the opposite sign",
        Flag::Disagree => "association and forced pick differ",
        Flag::Flips => "other sign by other bots",
        Flag::Constant => "does not vary",
        Flag::Significant | Flag::Removed | Flag::Added => flag.as_str(),
    }
}

/// The meaning of a flag.
const fn flag_meaning(flag: Flag) -> &'static str {
    match flag {
        Flag::Strong => {
            "The effect of a forced pick lies above the mean of the other items of the table \
             (Holm-adjusted p < 0.05). It compares forced picks and does not say that the item is \
             too good."
        }
        Flag::Weak => {
            "The effect of a forced pick lies below the mean of the other items (Holm-adjusted p < \
             0.05). It does not say that the item is too weak: a player who may choose takes it \
             only when it suits."
        }
        Flag::Opposite => {
            "Association and the effect of a forced pick both differ from 0, with opposite signs \
                (Holm-adjusted p < 0.05 for each)."
        }
        Flag::Disagree => {
            "Association and the effect of a forced pick differ (Holm-adjusted p < 0.05 for the \
             difference). They answer different questions: seats that take an item by choice \
             differ from those that do not, and choose the moment."
        }
        Flag::Flips => {
            "The effect of a forced pick lies above 0 with one bot and below 0 with another \
                (Holm-adjusted p < 0.05 with both). It depends on who plays."
        }
        Flag::Constant => "The blocks do not vary, so there is no test.",
        Flag::Significant | Flag::Removed | Flag::Added => flag.as_str(),
    }
}

/// The key by which items that have a flag are sorted, the greatest first.
fn rank(flag: Flag, row: &Row) -> f64 {
    let ItemEffects { forced_now, association, .. } = row.tested.effects;
    match flag {
        Flag::Strong => forced_now.value,
        Flag::Weak => -forced_now.value,
        Flag::Opposite | Flag::Disagree => (forced_now.value - association.value).abs(),
        _ => forced_now.value.abs(),
    }
}

impl ItemEffectsReport<'_> {
    /// The report for people, with what became of the games without some items if that was asked.
    pub fn report_body(
        &self,
        neutralised: Option<&RemovedItemsReport<'_>>,
        provenance: &Provenance,
    ) -> ReportBody {
        let mut sections = vec![self.standing_out()];
        for rung in 0..self.rungs.len() {
            sections.extend(
                (0..self.catalog.tables().len()).map(|table| self.section(rung, table, provenance)),
            );
        }
        sections.extend(neutralised.map(RemovedItemsReport::section));
        ReportBody { title: "Effect of a forced pick".to_owned(), lead: self.lead(), sections }
    }

    fn lead(&self) -> Markup {
        let of_rung = |index: usize, bots: &str| {
            let judged = || {
                self.rows.iter().filter(move |row| {
                    (row.lineup, row.measure) == (index, SeatMetric::WinShare)
                        && row.tested.effects.forced_now.is_testable()
                })
            };
            let count =
                |flag: Flag| judged().filter(|row| row.tested.flags.contains(&flag)).count();
            let (strong, weak) = (count(Flag::Strong), count(Flag::Weak));
            format!(
                "With {bots} in the seats, the effect of a forced pick on the share of the win was \
                 tested for {}: {strong} above and {weak} below the mean of the other items of the \
                 same table (Holm-adjusted p < 0.05). A seat that must take an item at the first \
                 offer is compared with one that may never take it; this is not what the item is \
                 worth to a player who may choose.",
                format_count(judged().count() as u64, "item"),
            )
        };
        let sentences: Vec<_> = self
            .rungs
            .iter()
            .enumerate()
            .map(|(index, rung)| of_rung(index, &rung.lineup))
            .collect();
        html! { (sentences.join(" ")) }
    }

    fn standing_out(&self) -> Section {
        let body = html! {
            @if LISTED.iter().all(|&flag| self.flagged(flag).is_empty()) { p { "No item is \
                flagged." } }
            @for flag in LISTED {
                @let lists = self.flagged(flag);
                @if !lists.is_empty() {
                    h3 { (capitalize(flag_name(flag))) }
                    p.note { (flag_meaning(flag)) }
                    ul { @for list in lists { li { (list) } } }
                }
            }
            h3 { "Three kinds of evidence" }
            p {
                "When an item was first offered to a seat, a coin sometimes forced the seat to \
                    take it at once, or forbade it for the rest of the game. The difference \
                    between these seats is the "
                "effect of a " strong { "forced pick" } " (" code { "forced_now" } " in the \
                    table). It is not what the item is worth to a player who may choose whether \
                    and when to take it. "
                strong { "Association" } " compares seats that took it with those that could have \
                    and did not, who may differ in other ways. " strong { "Adjusted" } " is the \
                        coefficient of the "
                "first choice in a regression on seat, place, bot, round and the value of the \
                    position."
            }
        };
        Section::new("What stands out", body)
    }

    /// The items with a flag, a sentence for each set of bots, table and measure.
    fn flagged(&self, flag: Flag) -> Vec<Markup> {
        let mut lists = Vec::new();
        for (rung, table, measure) in self.kinds() {
            let (name, unit) = metric_label(measure);
            let mut rows: Vec<_> = self
                .of(rung, table, measure)
                .filter(|row| row.tested.flags.contains(&flag))
                .collect();
            rows.sort_by(|one, other| rank(flag, other).total_cmp(&rank(flag, one)));
            let Some((first, others)) = rows.split_first() else { continue };
            let [forced_now, association] =
                [first.tested.effects.forced_now, first.tested.effects.association].map(|effect| {
                    let shown = effect_estimate(effect);
                    format!(
                        "{} over {}",
                        unit.format_estimate(shown),
                        format_count(shown.n as u64, "seat")
                    )
                });
            let beside = if matches!(flag, Flag::Opposite | Flag::Disagree) {
                format!(", but by association {association}")
            } else {
                String::new()
            };
            let mut names: Vec<_> =
                others.iter().take(MOST_NAMED).map(|row| self.name(row).to_owned()).collect();
            if others.len() > MOST_NAMED {
                names.push(format!("{} more", others.len() - MOST_NAMED));
            }
            let others = if names.is_empty() {
                String::new()
            } else {
                format!("; also {}", join_with_and(&names))
            };
            lists.push(html! {
                strong { (capitalize(&self.title(rung, table))) ", " (name) ": " } (self.name(first)) ", " (forced_now) (beside) (others) "."
            });
        }
        lists
    }

    /// All charts: sets of bots, tables and measures.
    fn kinds(&self) -> impl Iterator<Item = (usize, usize, SeatMetric)> + '_ {
        let tables = (0..self.rungs.len())
            .flat_map(|rung| (0..self.catalog.tables().len()).map(move |table| (rung, table)));
        tables.flat_map(|(rung, table)| CHARTED.map(|measure| (rung, table, measure)))
    }

    fn of(&self, rung: usize, table: usize, measure: SeatMetric) -> impl Iterator<Item = &Row> {
        self.rows
            .iter()
            .filter(move |row| (row.lineup, row.table, row.measure) == (rung, table, measure))
    }

    fn name(&self, row: &Row) -> &str {
        &self.catalog.tables()[row.table].items[row.item].name
    }

    /// A table of items, and by which bots if there are several.
    fn title(&self, rung: usize, table: usize) -> String {
        self.catalog.tables()[table].name.replace('_', " ")
            + &lineup_suffix(&self.rungs[rung].lineup, self.rungs.len())
    }

    fn section(&self, rung: usize, table: usize, provenance: &Provenance) -> Section {
        let body = html! {
            @for measure in CHARTED {
                (self.chart(rung, table, measure, provenance))
            }
            @for measure in SeatMetric::ALL { (self.numbers(rung, table, measure, provenance)) }
            p.note { code { "values.csv" } " has the same numbers, with all p-values." }
        };
        Section::new(self.title(rung, table), body)
    }

    fn chart(
        &self,
        rung: usize,
        table: usize,
        measure: SeatMetric,
        provenance: &Provenance,
    ) -> Markup {
        let (measured, unit) = metric_label(measure);
        let items = &self.catalog.tables()[table];
        let all: Vec<_> = self.of(rung, table, measure).collect();
        let is_estimated = |effect: Effect| {
            effect.n >= FEWEST_SEATS && (effect.is_testable() || effect.is_constant())
        };
        let experiment = all.iter().any(|row| is_estimated(row.tested.effects.forced_now));
        let shown_by = |row: &Row| {
            if experiment { row.tested.effects.forced_now } else { row.tested.effects.association }
        };
        let mut shown: Vec<_> =
            all.iter().copied().filter(|row| is_estimated(shown_by(row))).collect();
        shown.sort_by(|one, other| {
            shown_by(other)
                .value
                .total_cmp(&shown_by(one).value)
                .then(self.name(one).cmp(self.name(other)))
        });
        let Some(best) = shown.first() else {
            return html! { p { "Of no " (items.singular) " were there enough seats with and \
            without it for an estimate (" (measured) ")." } };
        };
        let kind = usize::from(!experiment) * 2;
        let greatest = effect_estimate(shown_by(best));
        let what = if experiment {
            "The effect of a forced pick on the"
        } else {
            "No action takes one by itself, so there is only association. The"
        };
        let mut sentence = format!(
            "{what} {measured}: {} Greatest: {}, {} over {}. The greatest of many estimates tends \
                to be too great.",
            significance_summary(
                all.iter().map(|row| (shown_by(row).value, row.tested.p_holm[2 - kind]))
            ),
            self.name(best),
            unit.format_estimate(greatest),
            format_count(greatest.n as u64, "seat"),
        );
        let few = all.len() - shown.len();
        if few > 0 {
            sentence += &format!(" Left out here: {few} with fewer than {FEWEST_SEATS} seats.");
        }
        sentence += &elide_middle(&mut shown);
        let of_row = |row: &Row| estimates(row)[kind..].to_vec();
        let rows = shown.iter().map(|row| ChartRow {
            label: self.name(row).to_owned(),
            badge: html! { (marks_badge(self.marks(row, provenance))) " " small { (in_words(row)) } },
            estimates: of_row(row),
        });
        let chart = IntervalChart {
            sentence: html! { (sentence) },
            unit,
            series: SERIES[kind..].iter().map(|&name| name.to_owned()).collect(),
            reference: Some(ReferenceLine { value: 0.0, name: "no effect".to_owned() }),
            rows: rows.collect(),
        };
        html! { (chart) }
    }

    fn marks(&self, row: &Row, provenance: &Provenance) -> crate::report::provenance::Marks {
        let Item { name, properties } = &self.catalog.tables()[row.table].items[row.item];
        provenance.marks_of_item(name, properties)
    }

    fn numbers(
        &self,
        rung: usize,
        table: usize,
        measure: SeatMetric,
        provenance: &Provenance,
    ) -> HtmlTable {
        let (measured, unit) = metric_label(measure);
        let items = &self.catalog.tables()[table];
        let mut headings = vec![items.singular.to_owned(), "data".to_owned()];
        headings.extend(items.properties.iter().map(|&property| property.to_owned()));
        headings.extend(
            [
                "forced pick",
                "n forced",
                "n refused",
                "p (Holm)",
                "adjusted",
                "n adjusted",
                "association",
                "n association",
                "flags",
            ]
            .map(str::to_owned),
        );
        let rows = self.of(rung, table, measure).map(|row| {
            let [forced_now, adjusted, association] = estimates(row);
            let count = |n: i64| if n > 0 { Cell::count(n) } else { Cell::empty() };
            let mut cells = vec![
                Cell::text(self.name(row)),
                Cell::text(marks_badge(self.marks(row, provenance))),
            ];
            cells.extend(
                items.items[row.item]
                    .properties
                    .iter()
                    .map(|property| Cell::text_or_number(property)),
            );
            let p = row.tested.p_holm[2];
            cells.extend([
                Cell::estimate(forced_now, unit),
                count(row.granted[0]),
                count(row.granted[1]),
                Cell::p_value(p),
            ]);
            cells.extend([
                Cell::estimate(adjusted, unit),
                count(adjusted.n),
                Cell::estimate(association, unit),
                count(association.n),
            ]);
            cells.push(Cell::text(in_words(row)));
            cells
        });
        HtmlTable {
            caption: format!(
                "All {} {} in numbers: {measured}",
                items.items.len(),
                items.name.replace('_', " ")
            ),
            headings,
            rows: rows.collect(),
        }
    }
}

/// Fewer seats with and without an item together say little of it.
const FEWEST_SEATS: i64 = 2 * MIN_OBSERVATIONS;

/// The three estimates of a row, in the order of [`SERIES`].
fn estimates(row: &Row) -> [Estimate; 3] {
    let ItemEffects { association, adjusted, forced_now, .. } = row.tested.effects;
    [forced_now, adjusted, association].map(effect_estimate)
}

/// The flags of a row.
fn in_words(row: &Row) -> String {
    let words = row.tested.flags.iter().map(|&flag| match (flag, row.measure) {
        (Flag::Strong, SeatMetric::Rounds) => "more rounds than with the others",
        (Flag::Weak, SeatMetric::Rounds) => "fewer rounds than with the others",
        _ => flag_name(flag),
    });
    words.collect::<Vec<_>>().join(", ")
}
