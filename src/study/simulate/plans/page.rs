//! Plans on the page and in the terminal.

use maud::html;

use super::{
    PlanAnalysis, PlanMatrix,
    clusters::MAX_ITEMS,
    matrix::{LEAST_SHARE, Viability},
    tables::PlanTables,
};
use crate::{
    game::UNITS_PER_WIN,
    report::{
        chart::{HeatMap, MIN_OBSERVATIONS, ReferenceLine},
        html::{Section, Unit, format_count, format_percent, group_digits, join_with_and},
    },
    stats::ratio::{Estimate, Ratio},
};

impl PlanAnalysis {
    /// Says how many plans are viable, whether one counters another, and whether the bot without a
    /// plan beats them.
    pub(crate) fn sentence(&self, bot: &str) -> Option<String> {
        let matrix = self.matrix.as_ref()?;
        let number = matrix.mixture.len() - 1;
        let count = |viability: Viability| {
            (1..=number).filter(|&plan| matrix.viability(plan) == viability).count()
        };
        let (viable, open) = (count(Viability::Viable), count(Viability::Open));
        let viable = match open {
            0 => format!("{viable} of {number}"),
            _ => format!("{viable} to {} of {number}", viable + open),
        };
        let won = |rate: Estimate| format!("{} (n {})", format_percent(rate), group_digits(rate.n));
        let counter = match matrix.counters()[..] {
            [] => "None is shown to beat another.".to_owned(),
            [(plan, other), ref others @ ..] => {
                let more = match others.len() {
                    0 => String::new(),
                    more => format!("; {} more", format_count(more as u64, "pair")),
                };
                let (winner, loser) = (self.name(plan), self.name(other));
                format!("“{winner}” beats “{loser}”: {}{more}.", won(matrix.rates[plan][other]))
            }
        };
        let beaten = matrix.beaten_by_free_play();
        let free = match beaten[..] {
            [] => "Free play is shown to beat none.".to_owned(),
            [least, ..] => {
                let all = if beaten.len() == number { "all " } else { "" };
                let (or_more, each) =
                    if beaten.len() == 1 { ("", "") } else { (" or more", " each") };
                let Estimate { n, .. } = matrix.rates[0][least];
                let (rate, n) = (format_percent(matrix.rates[0][least]), group_digits(n));
                format!("Free play beats {all}{}: {rate}{or_more} (n {n}{each}).", beaten.len())
            }
        };
        Some(format!(
            "Plans of the winners, played by {bot}: {viable} are viable, at most 2 points behind \
             {}. {counter} {free}",
            self.mixture_text(matrix)
        ))
    }

    /// Names the plans of the mixture.
    fn mixture_text(&self, matrix: &PlanMatrix) -> String {
        let is_mixed = |plan: &usize| matrix.mixture[*plan] >= LEAST_SHARE;
        let mixed: Vec<_> = (1..matrix.mixture.len()).filter(is_mixed).collect();
        if let [best] = mixed[..] {
            return format!("“{}”", self.name(best));
        }
        let part = |&plan: &usize| {
            let share = Unit::Percent.format_number(matrix.mixture[plan], 0);
            format!("“{}” ({share} %)", self.name(plan))
        };
        let parts = join_with_and(&mixed.iter().map(part).collect::<Vec<_>>());
        format!("the mixture that none beats, {parts}")
    }

    /// Returns the section on plans.
    pub(crate) fn section(&self, tables: &PlanTables, bot: &str) -> Section {
        let body = html! {
            @if let Some(sentence) = self.sentence(bot) { p { (sentence) } }
            @if let Some(map) = self.matrix_map(bot) { (map) }
            @if let Some(table) = &tables.plans {
                @let columns = ["plan", "n", "win_rate", "mixture", "viability"];
                (table.view().select(&columns).html("Plans against the mixture"))
            }
            (self.number_map())
            (tables.clusters.view().html("What the winners took"))
            p.note {
                "A plan is what a cluster of winners took more of in the first half of the game \
                 than all winners. A bot that follows it takes these items before anything else \
                 unless it thinks little of them. What winners took is an association, what a plan \
                 wins is its effect with this bot. " code { "plans.csv" } ", "
                code { "plan_matrix.csv" } ", " code { "plan_clusters.csv" } " and "
                code { "family_numbers.csv" } " have the numbers."
            }
        };
        Section::new("Plans", body)
    }

    fn matrix_map(&self, bot: &str) -> Option<HeatMap> {
        let matrix = self.matrix.as_ref()?;
        let plans = 0..matrix.rates.len();
        let row = |plan: usize| {
            let cell = |&rate: &Estimate| (rate.n > 0).then_some(rate);
            let name = html! { (plan + 1) ". " (self.name(plan)) };
            (name, matrix.rates[plan].iter().map(cell).collect())
        };
        let columns = plans.clone().map(|plan| format!("{}.", plan + 1));
        Some(HeatMap {
            sentence: html! {
                "Win rate of one seat with the plan of the row while the others have that of the \
                 column, all by " (bot) "."
            },
            reference: ReferenceLine { value: matrix.fair, name: "a fair share".to_owned() },
            headings: ["plan".to_owned()].into_iter().chain(columns).collect(),
            rows: plans.map(row).collect(),
        })
    }

    fn number_map(&self) -> HeatMap {
        let clusters = &self.clusters;
        let rate = |wins: &Ratio| (wins.n >= MIN_OBSERVATIONS).then(|| wins.rate(UNITS_PER_WIN));
        let rows: Vec<_> = clusters
            .families
            .iter()
            .zip(&clusters.by_number)
            .map(|(family, numbers)| {
                (html! { (family.labels[1]) }, numbers.iter().map(rate).collect::<Vec<_>>())
            })
            .collect();
        let is_shown = |number: usize| rows.iter().any(|(_, cells)| cells[number].is_some());
        let shown = (0..=MAX_ITEMS).rev().find(|&number| is_shown(number)).unwrap_or(0);
        let heading = |number: usize| match number {
            MAX_ITEMS => format!("{MAX_ITEMS}+"),
            _ => number.to_string(),
        };
        let (n, wins) = clusters
            .clusters
            .iter()
            .fold((0, 0), |(n, wins), cluster| (n + cluster.wins.n, wins + cluster.wins.x));
        HeatMap {
            sentence: html! {
                "Win rate by the number of items of each family that a seat took, of "
                (group_digits(n)) " seats."
            },
            reference: ReferenceLine {
                value: wins as f64 / (n * UNITS_PER_WIN) as f64,
                name: "the mean of all seats".to_owned(),
            },
            headings: ["family".to_owned()].into_iter().chain((0..=shown).map(heading)).collect(),
            rows: rows
                .into_iter()
                .map(|(name, mut cells)| {
                    cells.truncate(shown + 1);
                    (name, cells)
                })
                .collect(),
        }
    }
}
