//! The sections of a report on the components of the game and the course of the games.

use super::{
    analysis::RankedOpening, columns::POINTS, items::ShownItems, play_tables, report::RunReport,
    tables,
};
use crate::{
    arena::{
        play_statistics::{LEADS, lead_limits},
        tally::opening_steps,
    },
    game::RoundMetric,
    report::{
        chart::{BarChart, CurveChart, MIN_OBSERVATIONS},
        data_table::Value,
        origin::with_marks,
    },
    study::shared::{judged::percentile, prelude::*},
};

/// Number of openings on the page.
const MAX_OPENINGS: usize = 50;
/// Rounds that were reached by fewer than 1 game in this number are left out of the curves, because
/// the games that last so long are not like the others.
const MAX_GAMES_PER_REACHED: i64 = 10;
/// Widths of the bars of a histogram, and the maximum number of bars.
const BIN_WIDTHS: [i64; 8] = [1, 2, 5, 10, 20, 50, 100, 200];
const MAX_BINS: i64 = 14;

impl RunReport<'_> {
    /// Adds the items of a table; nothing if none of its items was ever seen. Win rates of owners
    /// are associations and no order.
    pub(super) fn add_items(&self, shown: &ShownItems, report: &mut StudyReport) {
        let ShownItems { items, tallies, comparisons } = shown;
        let table = tables::items(self.analysis, shown);
        let is_unseen =
            |tally: &ItemTally| tally.taken.n == 0 && tally.times_taken == 0 && tally.reserved == 0;
        if tallies.iter().all(is_unseen) {
            report.file_only(table);
            return;
        }
        let is_compared = items.reported_seats != ReportedSeats::None;
        let name = items.name.replace('_', " ");
        let key = if is_compared { "with_win_rate" } else { "mean_own_points" };
        let n = if is_compared { "with_n" } else { "mean_own_points_n" };
        let columns = [Some(items.singular), items.offered.then_some("offered")];
        let columns = columns.into_iter().flatten().chain([items.taken_label, n, key]);
        let view = table.view().select(&columns.collect::<Vec<_>>());
        report.terminal(&format!("\n{name}\n{}", view.text()));
        report.section(&name).is_folded = true;
        // The first five columns are shown at first.
        let per_offer = format!("{}_per_offer", items.taken_label);
        let main = ["with_win_rate", "above_others", &per_offer, "mean_own_points"];
        let html = table.view().with_first(&main).html(format!("All {} {name}", items.items.len()));
        report.page(with_marks(html, items.items.iter(), &self.marks));
        if is_compared {
            report.explanation(
                "These are associations, not effects: seats that take an item differ in other \
                 ways from seats that do not.",
            );
        }
        let others = if comparisons.is_empty() { "" } else { "; others took as many items" };
        report.file(table, others);
    }

    /// Adds the metrics of each round, for a game that has any.
    pub(super) fn add_rounds(&self, report: &mut StudyReport) {
        let metrics = self.game.round_metrics();
        if metrics.is_empty() {
            return;
        }
        let table = tables::rounds(self.analysis, metrics);
        let at_end = table.view().filter(|row| row.contains(&Value::from("end")));
        let at_end = at_end.select(&["metric", "n", "mean"]);
        report.terminal(&format!("\nat the end\n{}", at_end.text()));
        let ends = metrics.iter().zip(&self.analysis.tally.round_metrics.end).enumerate();
        let observed = ends.filter(|(_, (_, end))| end.ratio.n > 0);
        let curves = observed.map(|(index, (metric, end))| self.round_curve(index, *metric, end));
        report.section("Round by round").is_folded = true;
        report.explanation(&format!(
            "Means before the last decision of a round, over the games that reached it, with 95 % \
             intervals as a band. Rounds that fewer than 1 game in {MAX_GAMES_PER_REACHED} \
             reached are in the table only."
        ));
        report.curves(&curves.collect::<Vec<_>>());
        let view = table.view().select(&["metric", "round", "when", "mean", "n"]);
        report.page_table(&view, "All rounds");
        report.file(table, "");
    }

    fn round_curve(&self, index: usize, metric: RoundMetric, end: &MeanSums) -> CurveChart {
        let estimate = |sums: &MeanSums| -> Estimate {
            if metric.is_share { sums.ratio.rate(1) } else { sums.mean() }
        };
        let unit = if metric.is_share { Unit::Percent } else { POINTS };
        let name = metric.name.replace('_', " ");
        let end = estimate(end);
        let rounds = self.analysis.tally.round_metrics.rounds.iter().zip(1_u32..);
        let rounds = rounds.map(|(sums, round)| (f64::from(round), estimate(&sums[index])));
        let rounds: Vec<_> = rounds.filter(|(_, estimate)| estimate.n > 0).collect();
        let max_n = rounds.iter().map(|(_, estimate)| estimate.n).max().unwrap_or(0);
        let is_frequent =
            |(_, estimate): &(f64, Estimate)| estimate.n * MAX_GAMES_PER_REACHED >= max_n;
        CurveChart {
            sentence: format!(
                "{}: {} at the end of the game (n {}).",
                capitalize(&name),
                unit.format_estimate(end),
                group_digits(end.n)
            ),
            x_label: "round".to_owned(),
            y_label: name,
            unit,
            reference: None,
            points: rounds.into_iter().filter(is_frequent).collect(),
        }
    }

    /// Adds the distributions of scores and rounds, and the metrics of whole games.
    pub(super) fn add_health(&self, report: &mut StudyReport) {
        let health = &self.analysis.tally.health;
        let rounds = health.games_by_rounds.iter().map(|(&rounds, &n)| (rounds as i64, n));
        report.section("Game health").is_folded = true;
        let charts = [
            histogram(&health.seats_by_score, "points", "final scores", "Number of seats by score"),
            histogram(&rounds.collect(), "rounds", "games", "Number of games by length"),
        ];
        for chart in charts.into_iter().flatten() {
            report.page(chart);
        }
        let table = tables::health(self.game, self.analysis);
        let remark = "; percentiles, minimum and maximum have no interval";
        report.data(table, &["metric", "value"], "Metrics of the games", remark);
    }

    /// Adds the items and kinds of action to which an event never happened.
    pub(super) fn add_never(&self, report: &mut StudyReport) {
        let table = tables::never(self.game, self.analysis);
        report.section("What never happened").is_folded = true;
        if table.rows().is_empty() {
            report.explanation("Every counted event happened at least once.");
        }
        let view = table.view().select(&["name", "kind", "never"]);
        report.page_table(&view, format!("All {}", table.rows().len()));
        report.file(table, "");
    }

    /// Adds the openings, ranked by the win rate of the seats that play them.
    pub(super) fn add_openings(&self, report: &mut StudyReport) {
        let is_frequent = |ranked: &RankedOpening<'_>| {
            ranked.results.wins.n >= MIN_OBSERVATIONS && ranked.difference.low.is_finite()
        };
        let openings = self.analysis.rank_openings();
        let frequent = openings.iter().enumerate().filter(|(_, ranked)| is_frequent(ranked));
        let frequent: Vec<_> = frequent.map(|(row, _)| row).collect();
        let table = tables::openings(self.game, self.analysis);
        let reference = if self.is_competitive() { "their turn position" } else { "all games" };
        report.section("Openings").is_folded = true;
        report.explanation(&format!(
            "{} were played, {} of them by {MIN_OBSERVATIONS} seats or more, of which the table \
             has the {MAX_OPENINGS} with the highest lower ends of the difference from the win \
             rate of {reference}. The best of many estimates tends to be too high; repeat \
             the run with another seed. Steps that depend on lucky draws, such as an early build, \
             bias the difference upwards{}.",
            format_count(openings.len(), "opening"),
            group_digits(frequent.len()),
            if self.analysis.tally.bots.len() > 1 {
                ", and so do stronger bots, because the openings of all bots are pooled"
            } else {
                ""
            }
        ));
        let steps = opening_steps(self.analysis.setup.question.opening_depth);
        let mut columns: Vec<_> = (1..=steps).map(|step| format!("step_{step}")).collect();
        columns.extend(self.is_competitive().then(|| "turn_position".to_owned()));
        columns.extend(["n", "above_turn_position", "win_rate", "mean_score"].map(str::to_owned));
        let columns: Vec<_> = columns.iter().map(String::as_str).collect();
        let shown = frequent.into_iter().take(MAX_OPENINGS);
        report.page_table(&table.view().select(&columns).rows(shown), "The best openings");
        report.file(table, " of all openings");
    }

    /// Adds the items by round, for a game whose items are compared.
    pub(super) fn add_items_by_round(&self, report: &mut StudyReport) {
        let Some(table) = play_tables::items_by_round(self.game, self.analysis) else { return };
        let is_frequent = |row: &[Value]| {
            row.iter().any(|value| match value {
                Value::Estimate(estimate) => estimate.n >= MIN_OBSERVATIONS,
                _ => false,
            })
        };
        let columns = ["item", "round", "n", "taken", "with_win_rate", "difference"];
        report.section("When to take").is_folded = true;
        report.explanation(
            "An item counts in each round in which a seat could take it: the share that took it \
             then, and the win rates of the seats that did and that did not. These are \
             associations, not effects.",
        );
        let view = table.view().filter(is_frequent).select(&columns);
        report.page_table(&view, "All items by round");
        report.file(table, ", and those of items that were available to few seats");
    }

    /// Adds the flow of resources, and those that nobody lacks.
    pub(super) fn add_resources(&self, report: &mut StudyReport) {
        let Some(table) = play_tables::resources(self.game, self.analysis) else { return };
        report.section("Flow of resources").is_folded = true;
        if let Some(sentence) = play_tables::never_short(self.game, self.analysis) {
            report.paragraph(&sentence);
        }
        let all = table.view().filter(|row| row[3..5].iter().all(|cell| *cell == "".into()));
        report.page_table(&all, "Of all seats in all rounds");
        report.file(table, ", by seat and by round too");
    }

    /// Adds the win rates by lead, except for a single player.
    pub(super) fn add_leads(&self, report: &mut StudyReport) {
        let Some(table) = play_tables::leads(self.analysis) else { return };
        let all = &self.analysis.tally.play.leads;
        let seats = |classes: &[Ratio; LEADS]| classes.iter().map(|wins| wins.n).sum::<i64>();
        let max_n = all.first().map_or(0, seats);
        // Rounds that few games reach are not like the others.
        let rounds = all.iter().take_while(|classes| seats(classes) * 10 >= max_n);
        let comebacks = (1..).zip(rounds).map(|(round, classes)| {
            let mut wins = Ratio::default();
            let behind = (0..LEADS).filter(|&class| lead_limits(class)[1].is_some_and(|to| to < 0));
            behind.for_each(|class| wins.merge(&classes[class]));
            (round, wins.rate(UNITS_PER_WIN))
        });
        let comebacks: Vec<_> = comebacks.filter(|(_, rate)| rate.n >= MIN_OBSERVATIONS).collect();
        report.section("Win chance by lead").is_folded = true;
        if let Some((round, rate)) = comebacks.get(comebacks.len() / 2) {
            report.explanation(&format!(
                "Of the seats that are behind after round {round}, {} win (n {}).",
                format_percent(*rate),
                group_digits(rate.n)
            ));
        }
        report.explanation(
            "The lead is the score if the game ended then, minus the best score of the others, in \
             points.",
        );
        report.data(table, &[], "All rounds and leads", "");
    }
}

/// Draws numbers of observations by value; `None` without any.
fn histogram(
    counts: &BTreeMap<i64, u64>,
    unit: &str,
    things: &str,
    title: &str,
) -> Option<BarChart> {
    let (&min, &max) = (counts.keys().next()?, counts.keys().next_back()?);
    let width = BIN_WIDTHS.into_iter().find(|width| (max - min) / width < MAX_BINS);
    let width = width.unwrap_or(max - min + 1);
    let bin = |value: i64| value.div_euclid(width);
    let rows = (bin(min)..=bin(max)).map(|index| {
        let (first, last) = (index * width, (index + 1) * width - 1);
        let to = if first < last { format!(" to {last}") } else { String::new() };
        let n = counts.range(first..=last).map(|(_, count)| count).sum();
        (format!("{first}{to} {unit}"), n)
    });
    let [low, median, high] =
        [25, 50, 75].map(|percent| percentile(counts, percent).copied().unwrap_or(max));
    Some(BarChart {
        sentence: format!(
            "The middle half of the {things} has {low} to {high} {unit}; the median is {median}. \
             {title}:"
        ),
        rows: rows.collect(),
    })
}
