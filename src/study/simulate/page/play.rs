//! Items by round, and win rates by lead.

use std::cmp::Reverse;

use maud::html;

use super::RunPage;
use crate::{
    arena::play_statistics::{LEADS, lead_limits},
    bound::BoundGame,
    game::{ItemId, UNITS_PER_WIN},
    report::{
        chart::{CurveChart, HeatMap, MIN_OBSERVATIONS, ReferenceLine},
        data_table::Value,
        html::{Section, Unit, format_percent, group_digits},
    },
    stats::{
        Merge as _,
        ratio::{Estimate, Ratio},
    },
};

/// Largest number of items in the map by round: those with enough takers in most rounds.
const MAX_ITEMS_IN_MAP: usize = 24;
/// Largest number of rounds in the maps.
const MAX_ROUNDS: usize = 8;

impl RunPage<'_> {
    /// Returns the section on items by round; `None` if there are none.
    pub(super) fn items_by_round(&self, game: &BoundGame) -> Option<Section> {
        let table = self.tables.items_by_round.as_ref().filter(|table| !table.rows().is_empty())?;
        let is_frequent = |row: &[Value]| {
            row.iter().any(|value| match value {
                Value::Estimate(estimate) => estimate.n >= MIN_OBSERVATIONS,
                _ => false,
            })
        };
        let columns = ["item", "round", "n", "taken", "with_win_rate", "difference"];
        let view = table.view().filter(is_frequent).select(&columns);
        let body = html! {
            p {
                "An item counts in each round in which a seat could take it: the share that took \
                 it then, and the win rates of the seats that did and that did not."
            }
            (self.items_by_round_map(game))
            (view.html("All items by round"))
            p.note {
                "These are associations, not effects. " code { "items_by_round.csv" }
                " has the same numbers, and those of items that were available to fewer than "
                (MIN_OBSERVATIONS) " seats."
            }
        };
        Some(Section::new("When to take", body).folded_if(true))
    }

    /// Returns the win rates of the takers of the items by round, of the items of which most rounds
    /// have enough takers.
    fn items_by_round_map(&self, game: &BoundGame) -> HeatMap {
        let tallies = &self.analysis.tally.play.items;
        let catalog = game.catalog();
        let rate = |item: ItemId, round: usize| {
            let wins = &tallies[round].get(item.index())?.wins.treatment;
            (wins.n >= MIN_OBSERVATIONS).then(|| wins.rate(UNITS_PER_WIN))
        };
        let rounds: Vec<_> = (0..tallies.len().min(1 + MAX_ROUNDS))
            .filter(|&round| catalog.ids().any(|item| rate(item, round).is_some()))
            .collect();
        let mut rows: Vec<_> = catalog
            .ids()
            .map(|item| (item, rounds.iter().map(|&round| rate(item, round)).collect::<Vec<_>>()))
            .collect();
        let known = |cells: &[Option<Estimate>]| cells.iter().flatten().count();
        rows.sort_by_key(|(_, cells)| Reverse(known(cells)));
        rows.truncate(MAX_ITEMS_IN_MAP);
        rows.retain(|(_, cells)| known(cells) > 0);
        rows.sort_by_key(|&(item, _)| item);
        let heading = |&round: &usize| match round {
            0 => "setup".to_owned(),
            _ => format!("round {round}"),
        };
        HeatMap {
            sentence: html! {
                "Win rate of the seats that took an item, by the round in which they took it."
            },
            reference: ReferenceLine {
                value: self.analysis.expected_share.value,
                name: "a fair share".to_owned(),
            },
            headings: ["item".to_owned()].into_iter().chain(rounds.iter().map(heading)).collect(),
            rows: rows
                .into_iter()
                .map(|(item, cells)| (html! { (catalog.item(item).label) }, cells))
                .collect(),
        }
    }

    /// Returns the section on win rates by lead; `None` for a single player.
    pub(super) fn leads(&self) -> Option<Section> {
        let all = &self.analysis.tally.play.leads;
        let max_n = all.first()?.iter().map(|wins| wins.n).sum::<i64>();
        // Rounds that few games reach are not like the others.
        let is_frequent = |classes: &&[Ratio; LEADS]| {
            classes.iter().map(|wins| wins.n).sum::<i64>() * 10 >= max_n
        };
        let rounds: Vec<_> = all.iter().take_while(is_frequent).take(MAX_ROUNDS).collect();
        let middle = rounds.len().div_ceil(2);
        let classes: Vec<_> = (0..LEADS)
            .rev()
            .filter(|&class| rounds.iter().any(|wins| wins[class].n >= MIN_OBSERVATIONS))
            .collect();
        let leading = LEADS / 2 + 2;
        let example = rounds.get(middle.checked_sub(1)?)?[leading];
        let row = |&class: &usize| {
            let cell = |wins: &&[Ratio; LEADS]| {
                (wins[class].n >= MIN_OBSERVATIONS).then(|| wins[class].rate(UNITS_PER_WIN))
            };
            (html! { (lead_name(class)) }, rounds.iter().map(cell).collect())
        };
        let headings = (1..=rounds.len()).map(|round| format!("after round {round}"));
        let fair = self.analysis.expected_share.value;
        let map = HeatMap {
            sentence: html! { "Win rates by lead and round." },
            reference: ReferenceLine { value: fair, name: "a fair share".to_owned() },
            headings: ["lead".to_owned()].into_iter().chain(headings).collect(),
            rows: classes.iter().map(row).collect(),
        };
        let body = html! {
            @if example.n >= MIN_OBSERVATIONS {
                p {
                    "After round " (middle) ", a seat that leads by "
                    (lead_name(leading).replace('+', "")) " points wins "
                    (format_percent(example.rate(UNITS_PER_WIN))) " of the games (n "
                    (group_digits(example.n)) ")."
                }
            }
            (map)
            @if let Some(chart) = comebacks(&rounds, fair) { (chart) }
            p.note {
                "The lead is the score if the game ended then, minus the best score of the \
                 others, in points. Fields with fewer than " (MIN_OBSERVATIONS) " seats are empty. "
                code { "leads.csv" } " has the numbers of seats."
            }
        };
        Some(Section::new("Win chance by lead", body))
    }
}

/// Returns the curve of the win rates of the seats that are behind after each round.
fn comebacks(rounds: &[&[Ratio; LEADS]], fair: f64) -> Option<CurveChart> {
    let behind = |wins: &&[Ratio; LEADS]| {
        let mut sum = Ratio::default();
        let classes = (0..LEADS).filter(|&class| lead_limits(class)[1].is_some_and(|to| to < 0));
        classes.for_each(|class| sum.merge(&wins[class]));
        sum.rate(UNITS_PER_WIN)
    };
    let points = (1_u32..).map(f64::from).zip(rounds.iter().map(behind));
    let points: Vec<_> = points.filter(|(_, rate)| rate.n >= MIN_OBSERVATIONS).collect();
    let (last, rate) = *points.last().filter(|_| points.len() > 1)?;
    let sentence = format!(
        "Comebacks: of the seats that are behind after round {last}, {} win (n {}).",
        format_percent(rate),
        group_digits(rate.n)
    );
    Some(CurveChart {
        sentence: html! { (sentence) },
        x_label: "round".to_owned(),
        y_label: "win rate of seats behind".to_owned(),
        unit: Unit::Percent,
        reference: Some(ReferenceLine { value: fair, name: "a fair share".to_owned() }),
        points,
    })
}

/// Returns a range of leads for people.
fn lead_name(class: usize) -> String {
    let signed = |lead: i32| match lead {
        0 => "0".to_owned(),
        lead if lead > 0 => format!("+{lead}"),
        lead => format!("−{}", -lead),
    };
    match lead_limits(class) {
        [Some(from), Some(to)] if from == to => signed(from),
        [Some(from), Some(to)] => format!("{} to {}", signed(from), signed(to)),
        [Some(from), None] => format!("{} or more", signed(from)),
        [None, Some(to)] => format!("{} or less", signed(to)),
        [None, None] => String::new(),
    }
}
