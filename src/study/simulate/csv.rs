//! The CSV tables of a run. One row a thing; every rate beside its n and the ends of its 95 %
//! interval.

use crate::{
    arena::{
        rounds::RoundsTally,
        run::GameRow,
        tally::{ALL_SEATS, BotTally, Opening, OpeningTally, Tally},
    },
    game::{ItemTable, ReportedSeats, RoundMetric, Seat, Statistics, UNITS_PER_WIN},
    report::{origin::BotDescription, provenance::Claim},
    stats::{
        confidence_sequence::ConfidenceSequence,
        ratio::{Estimate, Ratio},
    },
    study::simulate::even,
};

/// What the tables need to know of a run.
#[derive(Clone, Copy, Debug)]
pub struct TableContext<'a> {
    /// The bots in the seats of a block's first game.
    pub bots: &'a [BotDescription],
    /// The different bots, each as the index of its first seat.
    pub distinct_bots: &'a [usize],
    /// The provenance mark of the data.
    pub provenance: &'a Claim,
    /// The intervals of win rates, if they are to hold at every look.
    pub intervals: Option<ConfidenceSequence>,
}

impl TableContext<'_> {
    /// A bot's win rate with its interval.
    pub fn win_rate(&self, wins: &Ratio) -> Estimate {
        self.intervals.map_or_else(
            || wins.rate(UNITS_PER_WIN),
            |intervals| intervals.rate(wins, UNITS_PER_WIN),
        )
    }
}

/// A table as bytes.
pub(crate) struct CsvTable(csv::Writer<Vec<u8>>);

impl CsvTable {
    pub(crate) fn new(heading: &[String]) -> Self {
        let mut table = Self(csv::Writer::from_writer(Vec::new()));
        table.row(heading);
        table
    }

    pub(crate) fn row<T: AsRef<[u8]>>(&mut self, fields: &[T]) {
        self.0
            .write_record(fields)
            .expect("memory takes every record, and all rows of a table have the same length");
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0.into_inner().expect("memory can always be flushed")
    }
}

pub(crate) fn number(value: f64, decimals: usize) -> String {
    if value.is_finite() { format!("{value:.decimals$}") } else { String::new() }
}

/// A p-value with four significant digits, as in `2.171e-10`; nothing if there is no test.
pub(crate) fn format_p_value(p: f64) -> String {
    let rounded = format!("{p:.3e}").parse().unwrap_or(p);
    if p.is_nan() { String::new() } else { format!("{rounded:e}") }
}

pub(crate) fn rate(estimate: Estimate) -> [String; 3] {
    if estimate.n == 0 {
        Default::default()
    } else {
        [estimate.value, estimate.low, estimate.high].map(|value| number(value, 6))
    }
}

fn mean(estimate: Estimate) -> [String; 3] {
    [estimate.value, estimate.low, estimate.high].map(|value| number(value, 4))
}

/// The mean rank: ranks are counted in halves.
pub(crate) fn mean_rank(tally: &BotTally) -> Estimate {
    let Estimate { n, value, low, high } = tally.ranks.mean();
    Estimate { n, value: value / 2.0, low: low / 2.0, high: high / 2.0 }
}

/// The headings of an estimate and the ends of its interval.
fn with_interval(name: &str) -> [String; 3] {
    ["", "_ci_low", "_ci_high"].map(|end| format!("{name}{end}"))
}

/// The standard deviation of scores, in points; not a number with fewer than two.
pub fn score_standard_deviation(tally: &BotTally) -> f64 {
    let n = tally.scores.ratio.n as f64;
    if n < 2.0 {
        return f64::NAN;
    }
    let mean = tally.scores.value();
    ((tally.squared_scores as f64 / n - mean * mean) * n / (n - 1.0)).max(0.0).sqrt()
}

pub(crate) fn words(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// `win_rates.csv`: bot × seat, and each bot overall with its difference from the mean of the other
/// seats at its table. A single player has no rank and no margin.
pub fn win_rates(context: &TableContext<'_>, tally: &Tally) -> Vec<u8> {
    let players = context.bots.len();
    let mut table = CsvTable::new(&words(&[
        "bot",
        "seat",
        "games",
        "wins",
        "win_rate",
        "ci_low",
        "ci_high",
        "mean_score",
        "sd_score",
        "mean_rank",
        "mean_margin",
        "scope",
        "mean_score_ci_low",
        "mean_score_ci_high",
        "mean_rank_ci_low",
        "mean_rank_ci_high",
        "mean_margin_ci_low",
        "mean_margin_ci_high",
        "difference",
        "difference_ci_low",
        "difference_ci_high",
        "provenance",
    ]));
    for (&bot, cells) in context.distinct_bots.iter().zip(&tally.bots) {
        let seats = (0..players).map(|seat| (seat.to_string(), "seat", &cells[seat]));
        for (seat, scope, cell) in
            std::iter::once(("all".to_owned(), "overall", &cells[ALL_SEATS])).chain(seats)
        {
            if cell.wins.n == 0 {
                continue;
            }
            let mut row = vec![
                context.bots[bot].name.clone(),
                seat,
                cell.wins.n.to_string(),
                number(cell.wins.x as f64 / UNITS_PER_WIN as f64, 4),
            ];
            row.extend(rate(context.win_rate(&cell.wins)));
            let compared =
                |estimate: Estimate| if players > 1 { mean(estimate) } else { Default::default() };
            let (score, rank, margin) = (
                mean(cell.scores.mean()),
                compared(mean_rank(cell)),
                compared(cell.margins.mean()),
            );
            row.extend([
                score[0].clone(),
                number(score_standard_deviation(cell), 4),
                rank[0].clone(),
                margin[0].clone(),
                scope.to_owned(),
            ]);
            for [_, low, high] in [score, rank, margin] {
                row.extend([low, high]);
            }
            let difference = if scope == "overall" {
                even::difference_from_others(context, tally, cell)
            } else {
                None
            };
            row.extend(difference.map(rate).unwrap_or_default());
            row.push(context.provenance.to_string());
            table.row(&row);
        }
    }
    table.into_bytes()
}

/// `turn_order.csv`: each bot by its place in the turn order, 0 for the first player.
pub fn turn_order(context: &TableContext<'_>, tally: &Tally) -> Vec<u8> {
    let heading = [
        "bot",
        "place",
        "n",
        "win_rate",
        "ci_low",
        "ci_high",
        "mean_score",
        "mean_score_ci_low",
        "mean_score_ci_high",
        "provenance",
    ];
    let mut table = CsvTable::new(&words(&heading));
    for (&bot, places) in context.distinct_bots.iter().zip(&tally.turn_order) {
        for (place, results) in places.iter().enumerate().filter(|(_, results)| results.wins.n > 0)
        {
            let mut row =
                vec![context.bots[bot].name.clone(), place.to_string(), results.wins.n.to_string()];
            row.extend(rate(results.wins.rate(UNITS_PER_WIN)));
            row.extend(mean(results.scores.mean()));
            row.push(context.provenance.to_string());
            table.row(&row);
        }
    }
    table.into_bytes()
}

/// A table of items, named after it.
pub fn items(context: &TableContext<'_>, items: &ItemTable, tally: &Tally) -> Vec<u8> {
    let taken = items.taken_label;
    let mut heading = vec![items.singular.to_owned()];
    heading.extend(words(items.properties));
    if items.offered {
        heading.push("offered".to_owned());
    }
    if items.reservable {
        heading.push("reserved".to_owned());
    }
    heading.push(taken.to_owned());
    if items.offered {
        heading.extend(with_interval(&format!("{taken}_per_offer")));
    }
    heading.extend(with_interval(&format!("mean_round_{taken}")));
    heading.extend(with_interval(&format!("mean_position_{taken}")));
    let groups = match items.reported_seats {
        ReportedSeats::TakersAndNonTakers => &["with", "without"][..],
        ReportedSeats::Takers => &["with"],
        ReportedSeats::None => &[],
    };
    for group in groups {
        heading.extend(
            ["n", "win_rate", "ci_low", "ci_high"].map(|column| format!("{group}_{column}")),
        );
    }
    if !groups.is_empty() {
        heading.extend(with_interval("with_mean_score"));
    }
    if items.scoring {
        heading.push("mean_own_points_n".to_owned());
        heading.extend(with_interval("mean_own_points"));
    }
    heading.push("provenance".to_owned());
    let mut table = CsvTable::new(&heading);
    for (item, tally) in items.items.iter().zip(&tally.items[items.ids().range()]) {
        let mut row = vec![item.name.clone()];
        row.extend(item.properties.iter().cloned());
        if items.offered {
            row.push(tally.taken.n.to_string());
        }
        if items.reservable {
            row.push(tally.reserved.to_string());
        }
        row.push(tally.times_taken.to_string());
        if items.offered {
            row.extend(rate(tally.taken.rate(1)));
        }
        row.extend(mean(tally.rounds.mean()));
        row.extend(mean(tally.positions.mean()));
        for wins in &[&tally.wins_with, &tally.wins_without][..groups.len()] {
            row.push(wins.n.to_string());
            row.extend(rate(wins.rate(UNITS_PER_WIN)));
        }
        if !groups.is_empty() {
            row.extend(mean(tally.scores_with.mean()));
        }
        if items.scoring {
            row.push(tally.points.ratio.n.to_string());
            row.extend(mean(tally.points.mean()));
        }
        row.push(context.provenance.to_string());
        table.row(&row);
    }
    table.into_bytes()
}

/// `rounds.csv`: the gauges before the last decision of each round (`when` is `round`), and as
/// games ended (`end`, which has no round).
pub fn rounds(context: &TableContext<'_>, gauges: &[RoundMetric], tally: &RoundsTally) -> Vec<u8> {
    let mut table = CsvTable::new(&words(&[
        "round",
        "when",
        "gauge",
        "n",
        "mean",
        "ci_low",
        "ci_high",
        "provenance",
    ]));
    let rounds = tally
        .rounds
        .iter()
        .zip(1..)
        .map(|(ratios, round): (_, u32)| (round.to_string(), "round", ratios));
    for (round, when, ratios) in rounds.chain([(String::new(), "end", &tally.end)]) {
        for (gauge, sums) in gauges.iter().zip(ratios).filter(|(_, sums)| sums.ratio.n > 0) {
            let mut row = vec![
                round.clone(),
                when.to_owned(),
                gauge.name.to_owned(),
                sums.ratio.n.to_string(),
            ];
            row.extend(if gauge.is_share { rate(sums.ratio.rate(1)) } else { mean(sums.mean()) });
            row.push(context.provenance.to_string());
            table.row(&row);
        }
    }
    table.into_bytes()
}

/// Openings with the difference of their win rate to that of their turn position, the greatest
/// lower end first.
pub(crate) fn rank_openings(tally: &Tally) -> Vec<(&Opening, &OpeningTally, Estimate)> {
    let compared = tally.openings.iter().map(|(opening, results)| {
        let above = tally.opening_difference(opening.turn_position(), results);
        (opening, results, above)
    });
    let mut openings: Vec<_> = compared.collect();
    let key = |opening: &Opening| (opening.turn_position(), *opening.steps());
    openings.sort_unstable_by(|one, other| {
        other.2.low.total_cmp(&one.2.low).then_with(|| key(one.0).cmp(&key(other.0)))
    });
    openings
}

/// `openings.csv`: per turn position and opening, sorted by the lower end of the difference to the
/// rate of the turn position.
pub fn openings<G: Statistics>(
    context: &TableContext<'_>,
    game: &G,
    steps: usize,
    tally: &Tally,
) -> Vec<u8> {
    let mut heading = words(&["turn_position"]);
    heading.extend((1..=steps).map(|step| format!("step_{step}")));
    heading.extend(words(&["n", "win_rate", "ci_low", "ci_high", "expected_from_turn_position_n"]));
    heading.extend(
        ["expected_from_turn_position", "above_turn_position", "mean_score"]
            .map(with_interval)
            .concat(),
    );
    heading.push("provenance".to_owned());
    let mut table = CsvTable::new(&heading);
    let mut line =
        |position: usize, names: Vec<String>, results: &OpeningTally, above: Estimate| {
            let expected = &tally.turn_positions[position];
            let mut row = vec![position.to_string()];
            row.extend(names);
            row.push(results.wins.n.to_string());
            row.extend(rate(results.wins.rate(UNITS_PER_WIN)));
            row.push(expected.n.to_string());
            row.extend(rate(expected.rate(UNITS_PER_WIN)));
            row.extend(rate(above));
            row.extend(mean(results.scores.mean()));
            row.push(context.provenance.to_string());
            table.row(&row);
        };
    for (opening, results, above) in rank_openings(tally) {
        let names = opening.steps()[..steps]
            .iter()
            .map(|&step| if step == 0 { String::new() } else { game.opening_step_text(step) });
        line(opening.turn_position(), names.collect(), results, above);
    }
    for (position, results) in
        tally.other_openings.iter().enumerate().filter(|(_, results)| results.wins.n > 0)
    {
        line(
            position,
            vec!["other".to_owned(); steps],
            results,
            tally.opening_difference(position, results),
        );
    }
    table.into_bytes()
}

/// The heading of `games.csv`, for this many players.
pub fn games_heading(players: usize) -> Vec<u8> {
    let mut heading = words(&["index", "block", "rotation", "rounds", "events", "capped"]);
    for seat in 0..players {
        heading.extend(["bot", "score", "win_share"].map(|column| format!("{column}_{seat}")));
    }
    heading.push("provenance".to_owned());
    CsvTable::new(&heading).into_bytes()
}

/// Lines of `games.csv`, one a game.
pub fn games(context: &TableContext<'_>, lines: &[GameRow]) -> Vec<u8> {
    let mut table = CsvTable(csv::Writer::from_writer(Vec::new()));
    for line in lines {
        let mut row =
            [line.index, line.block, line.rotation, line.outcome.rounds.into(), line.events]
                .map(|value| value.to_string())
                .to_vec();
        row.push(u8::from(line.outcome.hit_round_limit).to_string());
        for seat in 0..context.bots.len() {
            row.push(context.bots[line.bot_in[seat]].name.clone());
            row.push(line.outcome.scores[seat].to_string());
            row.push(number(
                line.outcome.win_share(Seat::new(seat)) as f64 / UNITS_PER_WIN as f64,
                4,
            ));
        }
        row.push(context.provenance.to_string());
        table.row(&row);
    }
    table.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::format_p_value;

    #[test]
    fn p_values_are_never_rounded_to_nothing() {
        for (p, expected) in
            [(2.170_9e-10, "2.171e-10"), (0.05, "5e-2"), (0.123_456, "1.235e-1"), (1.0, "1e0")]
        {
            assert_eq!(format_p_value(p), expected);
        }
        assert_eq!(format_p_value(f64::NAN), "");
    }
}
