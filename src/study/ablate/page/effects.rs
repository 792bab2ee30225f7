//! The answer, and sections for each lineup and item table: effects and rounds.

use maud::{Markup, html};

use crate::{
    arena::{
        item_effects::{Estimand, Stratum},
        metric::SeatMetric,
    },
    game::{Item, ItemTable},
    report::{
        chart::{IntervalRow, elide_middle},
        data_table::DataTable,
        html::{HtmlTable, Section, TableCell},
        origin::{item_badge, marks_badge},
        provenance::Provenance,
        study_page::{
            ReportBody, difference_chart, effect_estimate, metric_label, significance_summary,
        },
    },
    run::lineups::lineup_suffix,
    stats::flags::Flag,
    study::ablate::analysis::{EffectRow, ItemEffectsAnalysis},
};

const SERIES: [&str; 3] = [
    "access (free minus never): being allowed to take it",
    "worth (free minus gone): the item itself",
    "denial (gone minus never): keeping it from the others",
];
/// Metrics of charts. The tables have all metrics.
const CHARTED: [SeatMetric; 2] = [SeatMetric::WinShare, SeatMetric::Score];

impl ItemEffectsAnalysis<'_> {
    /// Returns the body of the page without the section of removed items.
    pub(crate) fn report_body(&self, forks: &DataTable, provenance: &Provenance) -> ReportBody {
        let mut sections = Vec::new();
        for lineup in 0..self.results.len() {
            for items in self.item_tables() {
                sections.push(self.effects_section(lineup, items, forks, provenance));
            }
        }
        sections.push(Self::reading_section());
        let lead = html! {
            @for (index, sentence) in self.verdict_sentences().iter().enumerate() {
                @if index > 0 { " " } (sentence)
            }
        };
        let picture = self.verdict_charts();
        ReportBody { picture, ..ReportBody::new("Effects of items", lead, sections) }
    }

    /// Returns the name of an item table, with the lineup if there are several.
    fn title(&self, lineup: usize, items: &ItemTable) -> String {
        items.name.replace('_', " ")
            + &lineup_suffix(&self.results[lineup].lineup, self.results.len())
    }

    fn effects_section(
        &self,
        lineup: usize,
        items: &ItemTable,
        forks: &DataTable,
        provenance: &Provenance,
    ) -> Section {
        let body = html! {
            p { (self.answer(lineup, items)) }
            @for metric in CHARTED { (self.chart(lineup, items, metric, provenance)) }
            @for metric in SeatMetric::ALL {
                (self.html_table(lineup, items, metric, forks, provenance))
            }
            (self.rounds(lineup, items, forks))
            p.note {
                code { (forks.schema().file_name()) }
                " has the same numbers with all p-values, and rows for each round and turn \
                 position."
            }
        };
        Section::new(self.title(lineup, items), body).folded_if(true)
    }

    fn reading_section() -> Section {
        let body = html! {
            p {
                "The fork of a seat and an item is the first decision at which the seat can take \
                 the item and can also do something else. From there the same game is continued \
                 with the same bots, the same deal and the same random choices in several arms: \
                 free; never (the seat never takes the item); gone (no seat takes it); must (the \
                 seat takes it now); not now. "
                strong { "Access" } " is the mean of free minus never. Seats that do not take the \
                 item count as 0. " strong { "Takers" } " is the same over the seats that take it. "
                strong { "Worth" } " (free minus gone) and " strong { "denial" }
                " (gone minus never) add up to access. " strong { "Now" }
                " (must minus not now) says how well the bot times the item: above 0, it takes the \
                 item too late or too seldom."
            }
        };
        Section::new("How to read the effects", body).folded_if(true)
    }

    fn chart(
        &self,
        lineup: usize,
        items: &ItemTable,
        metric: SeatMetric,
        provenance: &Provenance,
    ) -> Markup {
        let (name, unit) = metric_label(metric);
        let rows: Vec<_> =
            self.ranking(lineup, items, metric).into_iter().map(|(_, row)| row).collect();
        let access = |row: &EffectRow| *row.effect(Estimand::Access);
        let tested: Vec<_> = rows.iter().map(|row| access(row)).collect();
        let summary = significance_summary(tested.iter());
        let has_interval = |row: &&EffectRow| access(row).effect.is_testable();
        let (mut rows, left_out): (Vec<_>, Vec<_>) = rows.into_iter().partition(has_interval);
        if rows.is_empty() {
            return html! {
                p {
                    "No " (items.singular) " is taken in enough deals for an estimate (" (name) ")."
                }
            };
        }
        let mut sentence =
            format!("Access of {}, effect on the {name}. {summary}", items.name.replace('_', " "));
        if !left_out.is_empty() {
            let names = self.all_names(&left_out);
            sentence += &format!(" Left out, because they are taken in too few deals: {names}.");
        }
        sentence += &elide_middle(&mut rows);
        let chart_row = |row: &&EffectRow| {
            let item = self.item(row.item);
            let estimands = [Estimand::Access, Estimand::Worth, Estimand::Denial];
            IntervalRow {
                label: item.label.clone(),
                badge: html! {
                    (item_badge(item, provenance)) " "
                    small { (row.flag_text()) }
                },
                estimates: estimands
                    .map(|estimand| effect_estimate(row.effect(estimand).effect))
                    .to_vec(),
            }
        };
        let series = SERIES.map(str::to_owned);
        difference_chart(&sentence, unit, &series, rows.iter().map(chart_row).collect())
    }

    fn html_table(
        &self,
        lineup: usize,
        items: &ItemTable,
        metric: SeatMetric,
        forks: &DataTable,
        provenance: &Provenance,
    ) -> HtmlTable {
        let keys = [
            "item",
            "taken_share",
            "access_estimate",
            "flag",
            "worth_estimate",
            "denial_estimate",
            "properties",
            "access_p_holm",
            "takers_estimate",
            "takers_n",
            "now_estimate",
            "heterogeneity_p_holm",
            "equal_independent_games",
        ];
        let rows = self.ranking(lineup, items, metric);
        let caption = format!(
            "All {} {} by access: {}",
            rows.len(),
            items.name.replace('_', " "),
            metric_label(metric).0
        );
        let view = forks.view().select(&keys).rows(rows.iter().map(|&(index, _)| index));
        let mut html = view.html(caption);
        // The first five columns are shown at first.
        html.headings.insert(5, "data".to_owned());
        for (cells, (_, row)) in html.rows.iter_mut().zip(rows) {
            let Item { name, properties, .. } = self.item(row.item);
            cells.insert(
                5,
                TableCell::text(marks_badge(provenance.marks_of_item(name, properties))),
            );
        }
        html
    }

    /// Returns the access by round of the items whose access depends on the round.
    fn rounds(&self, lineup: usize, items: &ItemTable, forks: &DataTable) -> Markup {
        let metric = SeatMetric::WinShare;
        let varies = |row: &EffectRow| {
            [Flag::Varies, Flag::SignByRound].iter().any(|flag| row.flags().contains(flag))
        };
        let varying: Vec<_> = self
            .ranking(lineup, items, metric)
            .into_iter()
            .filter(|(_, row)| varies(row))
            .map(|(_, row)| row.item)
            .collect();
        let is_included = |row: &EffectRow| {
            (row.lineup, row.metric) == (lineup, metric)
                && matches!(row.stratum, Stratum::Round(_))
                && varying.contains(&row.item)
        };
        let rows = self.rows.iter().enumerate().filter(|(_, row)| is_included(row));
        let keys = ["item", "round", "forks", "taken_share", "access_estimate", "access_p_holm"];
        let view = forks.view().select(&keys).rows(rows.map(|(index, _)| index));
        html! {
            @if !varying.is_empty() {
                (view.html(format!(
                    "Access by round of the {} whose access depends on it: win share",
                    items.name.replace('_', " ")
                )))
            }
        }
    }
}
