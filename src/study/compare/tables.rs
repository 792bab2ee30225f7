//! What a comparison of data files writes: figures under each, and how they differ.

use std::fmt::Write;

use crate::{
    arena::{
        compared_metrics::{ComparedMetric, ComparedMetrics, Subject},
        comparison::ComparisonTally,
        metric::Metric,
    },
    game::{ItemId, ItemTable},
    report::text::{format_with_interval, truncate},
    run::lineups::SIGN_FLIP_MARK,
    stats::{
        holm::{SIGNIFICANCE_LEVEL, holm_adjust, sign_differs_by_bot},
        paired::{Effect, PairedSums},
        ratio::Estimate,
    },
    study::simulate::csv::{CsvTable, format_p_value, number, words},
};

/// How many items are shown of each figure.
const SHOWN: usize = 5;
/// The columns of 80 that the numbers of a line leave.
const NAME_WIDTH: usize = 32;

/// A comparison as its tables show it.
#[derive(Clone, Copy, Debug)]
pub struct ComparisonReport<'a> {
    /// What was compared.
    pub figures: &'a ComparedMetrics,
    /// How the tables are laid out.
    pub layout: Layout<'a>,
    /// What was counted, for each set of bots.
    pub results: &'a [LineupComparison],
    /// The provenance marks of the data.
    pub provenance: &'a str,
}

/// How the data files are called and stand in the tables.
#[derive(Clone, Copy, Debug)]
pub enum Layout<'a> {
    /// Two files side by side, A and B.
    SideBySide,
    /// Each value of a key in rows of its own; the first is that of the data file.
    ByValue(&'a [String]),
}

/// Bots that play under all data files.
#[derive(Clone, Debug)]
pub struct LineupComparison {
    /// The bots in the seats, by names with commas between them.
    pub lineup: String,
    /// The different bots.
    pub distinct_bots: Vec<String>,
    /// What was counted.
    pub tally: ComparisonTally,
}

/// A figure under the first data file and under another one.
pub(crate) struct Row<'a> {
    pub(crate) rung: &'a LineupComparison,
    /// The other file, 0 being the second of all.
    pub(crate) variant: usize,
    pub(crate) figure: ComparedMetric,
    pub(crate) paired: &'a PairedSums,
    pub(crate) difference: Effect,
    /// The p-value adjusted for all rows of the table that are of the same bots.
    pub(crate) p_holm: f64,
    pub(crate) sign_differs: bool,
}

impl Row<'_> {
    pub(crate) fn is_significant(&self) -> bool {
        self.p_holm < SIGNIFICANCE_LEVEL
    }

    fn flag(&self) -> &'static str {
        match (self.sign_differs, self.is_significant(), self.difference.is_constant()) {
            (true, ..) => "flips",
            (_, true, _) => "significant",
            (.., true) => "constant",
            _ => "",
        }
    }
}

impl ComparisonReport<'_> {
    /// The tables by the names of their files.
    pub fn csv_files(&self) -> Vec<(String, Vec<u8>)> {
        let game = (self.game_file_name().to_owned(), self.csv(None));
        let items = self
            .figures
            .catalog
            .tables()
            .iter()
            .map(|table| (format!("{}.csv", table.name), self.csv(Some(table))));
        std::iter::once(game).chain(items).collect()
    }

    /// The name of the file of the game's figures.
    pub(crate) const fn game_file_name(&self) -> &'static str {
        match self.layout {
            Layout::SideBySide => "differences.csv",
            Layout::ByValue(_) => "sweep.csv",
        }
    }

    /// The rows of a table of items, or of the game's table, each set of bots after the other and
    /// in it each data file.
    pub(crate) fn rows(&self, table: Option<&ItemTable>) -> Vec<Row<'_>> {
        let figures = self.figures_of(table);
        let mut rows = Vec::new();
        for rung in self.results {
            let first = rows.len();
            for (other, differences) in rung.tally.differences.iter().enumerate() {
                rows.extend(figures.iter().map(|&index| {
                    let (figure, paired) = (self.figures.metrics[index], &differences[index]);
                    let difference = figure.metric.difference(paired);
                    Row {
                        rung,
                        variant: other,
                        figure,
                        paired,
                        difference,
                        p_holm: f64::NAN,
                        sign_differs: false,
                    }
                }));
            }
            let p: Vec<_> = rows[first..].iter().map(|row| row.difference.p_value()).collect();
            rows[first..]
                .iter_mut()
                .zip(holm_adjust(&p))
                .for_each(|(row, adjusted)| row.p_holm = adjusted);
        }
        let effects: Vec<_> = rows.iter().map(|row| (row.difference.value, row.p_holm)).collect();
        rows.iter_mut()
            .zip(sign_differs_by_bot(&effects, self.results.len()))
            .for_each(|(row, flips)| row.sign_differs = flips);
        rows
    }

    /// The figures of a table of items, or of the game's table, as indices.
    fn figures_of(&self, table: Option<&ItemTable>) -> Vec<usize> {
        let of_table = |figure: ComparedMetric| match (figure.item(), table) {
            (Some(item), Some(table)) => table.ids().contains(item),
            (item, table) => item.is_none() && table.is_none(),
        };
        (0..self.figures.metrics.len())
            .filter(|&index| of_table(self.figures.metrics[index]))
            .collect()
    }

    fn csv(&self, table: Option<&ItemTable>) -> Vec<u8> {
        let mut heading: Vec<_> =
            table.map(|table| table.singular.to_owned()).into_iter().collect();
        if let Layout::ByValue(_) = self.layout {
            heading.push("value".to_owned());
        }
        heading.extend(words(&["bots", "figure"]));
        if table.is_none() {
            heading.push("of".to_owned());
        }
        match self.layout {
            Layout::SideBySide => heading.extend(words(&[
                "a_n",
                "a",
                "a_ci_low",
                "a_ci_high",
                "b_n",
                "b",
                "b_ci_low",
                "b_ci_high",
                "n",
                "difference",
                "ci_low",
                "ci_high",
            ])),
            Layout::ByValue(_) => heading.extend(words(&[
                "n",
                "estimate",
                "ci_low",
                "ci_high",
                "difference_n",
                "difference",
                "difference_ci_low",
                "difference_ci_high",
            ])),
        }
        heading.extend(words(&["p", "p_holm", "flag", "provenance"]));
        let mut csv = CsvTable::new(&heading);
        let mut by_value = Vec::new();
        let figures = self.figures_of(table).len().max(1);
        for (index, row) in self.rows(table).into_iter().enumerate() {
            let names = |value: Option<&String>| {
                let mut names: Vec<String> = row
                    .figure
                    .item()
                    .map(|item| self.item_name(item).to_owned())
                    .into_iter()
                    .collect();
                names.extend(value.cloned());
                names.extend([row.rung.lineup.clone(), row.figure.metric.as_str().to_owned()]);
                if table.is_none() {
                    names.push(metric_subject(row.figure, row.rung));
                }
                names
            };
            let [a, b] = row.figure.metric.estimates(row.paired).map(interval);
            let difference = interval(row.difference.estimate());
            let p = [row.difference.p_value(), row.p_holm].map(format_p_value);
            let last = [self.flag(&row).to_owned(), self.provenance.to_owned()];
            match self.layout {
                Layout::SideBySide => {
                    csv.row(&[&names(None)[..], &a, &b, &difference, &p, &last].concat())
                }
                Layout::ByValue(values) => {
                    let order = ranks(values);
                    let rung = self.results.iter().position(|rung| std::ptr::eq(rung, row.rung));
                    if row.variant == 0 {
                        let nothing: [String; 7] = Default::default();
                        let fields =
                            [&names(values.first())[..], &a, &nothing, &last[1..]].concat();
                        by_value.push(((rung, index % figures, order[0]), fields));
                    }
                    let fields =
                        [&names(values.get(row.variant + 1))[..], &b, &difference, &p, &last]
                            .concat();
                    by_value.push(((rung, index % figures, order[row.variant + 1]), fields));
                }
            }
        }
        // A figure and its values one after another read as a curve.
        by_value.sort_by_key(|(place, _)| *place);
        for (_, fields) in &by_value {
            csv.row(fields);
        }
        csv.into_bytes()
    }

    pub(crate) fn item_name(&self, item: ItemId) -> &str {
        &self.figures.catalog.item(item).name
    }

    pub(crate) fn flag(&self, row: &Row<'_>) -> &'static str {
        let has = |file| row.figure.item().is_none_or(|item| self.figures.has_item(file, item));
        match (has(0), has(row.variant + 1)) {
            (true, true) => row.flag(),
            (true, false) => "removed",
            (false, true) => "added",
            (false, false) => "",
        }
    }

    /// The comparison in a short table for the terminal, at most 80 columns wide.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let (game, items) = (
            self.rows(None),
            self.figures
                .catalog
                .tables()
                .iter()
                .map(|table| (table, self.rows(Some(table))))
                .collect::<Vec<_>>(),
        );
        for rung in self.results {
            let ComparisonTally { blocks, games, .. } = rung.tally;
            let bots = truncate(&rung.lineup, 2 * NAME_WIDTH);
            let _ = writeln!(text, "\nbots: {bots}\n{games} games in {blocks} blocks under each\n");
            let [a, b] = if matches!(self.layout, Layout::SideBySide) {
                ["A", "B"]
            } else {
                ["file", "value"]
            };
            let _ = writeln!(text, "{:<NAME_WIDTH$}{a:>9}{b:>9}  {b} - {a} [95 % interval]", "");
            let of_rung = |row: &&Row<'_>| std::ptr::eq(row.rung, rung);
            let mut rows: Vec<_> = game.iter().filter(of_rung).collect();
            self.lines(&mut text, &mut rows);
            for (table, rows) in &items {
                let rows: Vec<_> = rows.iter().filter(of_rung).collect();
                self.item_lines(&mut text, table, &rows);
            }
        }
        text + &format!(
            "\n* Holm-adjusted p < 0.05; {SIGN_FLIP_MARK} also, with the opposite sign for another \
                bot\n"
        )
    }

    /// The figures of the game, each with all values beneath it if there are several.
    fn lines(&self, text: &mut String, rows: &mut [&Row<'_>]) {
        match self.layout {
            Layout::SideBySide => {
                for row in rows {
                    line(text, &metric_title(row.figure, row.rung), row);
                }
            }
            Layout::ByValue(values) => {
                let figures = rows.iter().filter(|row| row.variant == 0).count();
                for first in 0..figures {
                    let _ =
                        writeln!(text, "{}", metric_title(rows[first].figure, rows[first].rung));
                    for row in rows.iter().skip(first).step_by(figures) {
                        line(text, &format!("  {}", values[row.variant + 1]), row);
                    }
                }
            }
        }
    }

    /// The items that differ most surely, by figure.
    fn item_lines(&self, text: &mut String, table: &ItemTable, rows: &[&Row<'_>]) {
        let mut flagged: Vec<_> = rows.iter().filter(|row| row.is_significant()).collect();
        let tested = rows.iter().filter(|row| !row.p_holm.is_nan()).count();
        let name = table.name.replace('_', " ");
        let _ = match tested {
            0 => writeln!(text, "\n{name}: no figure to test (too few games, or no variation)"),
            _ => writeln!(text, "\n{name}: {} of {tested} figures differ", flagged.len()),
        };
        for (file, flag) in [("the first file", "removed"), ("another file", "added")] {
            let rows = rows
                .iter()
                .filter(|row| self.flag(row) == flag && row.figure.metric == Metric::TakenPerGame);
            for item in rows.filter_map(|row| row.figure.item()) {
                let _ = writeln!(
                    text,
                    "  {} is in {file} only",
                    truncate(self.item_name(item), 2 * NAME_WIDTH)
                );
            }
        }
        flagged
            .sort_by(|one, other| one.difference.p_value().total_cmp(&other.difference.p_value()));
        let mut names: Vec<&str> = Vec::new();
        for row in &flagged {
            if !names.contains(&row.figure.metric.as_str()) {
                names.push(row.figure.metric.as_str());
            }
        }
        for name in names {
            let rows: Vec<_> =
                flagged.iter().filter(|row| row.figure.metric.as_str() == name).collect();
            let _ = writeln!(text, "{}", metric_title(rows[0].figure, rows[0].rung));
            for row in rows.iter().take(SHOWN) {
                let item = row.figure.item().map_or("", |item| self.item_name(item));
                let name = match self.layout {
                    Layout::SideBySide => format!("  {item}"),
                    Layout::ByValue(values) => format!("  {item} at {}", values[row.variant + 1]),
                };
                line(text, &name, row);
            }
            if rows.len() > SHOWN {
                let _ = writeln!(text, "  and {} more", rows.len() - SHOWN);
            }
        }
    }
}

/// The place of each value in the order of the tables: numbers by size, others as they were given.
fn ranks(values: &[String]) -> Vec<usize> {
    let numbers: Option<Vec<f64>> = values
        .iter()
        .map(|value| value.parse().ok().filter(|number: &f64| number.is_finite()))
        .collect();
    let mut order: Vec<usize> = (0..values.len()).collect();
    if let Some(numbers) = numbers {
        order.sort_by(|&one, &other| numbers[one].total_cmp(&numbers[other]));
    }
    let mut ranks = vec![0; values.len()];
    order.into_iter().enumerate().for_each(|(rank, value)| ranks[value] = rank);
    ranks
}

/// Which seat, place or bot a figure of the game is of.
pub(crate) fn metric_subject(figure: ComparedMetric, rung: &LineupComparison) -> String {
    match figure.subject {
        Subject::Seat(seat) => format!("seat {seat}"),
        Subject::TurnPosition(position) => format!("turn position {position}"),
        Subject::Bot(bot) => rung.distinct_bots[bot].clone(),
        _ => String::new(),
    }
}

/// A figure as people call it.
pub(crate) fn metric_title(figure: ComparedMetric, rung: &LineupComparison) -> String {
    let mut title = figure.metric.title().to_owned();
    if figure.metric.is_rate() {
        title += " %";
    }
    let of = metric_subject(figure, rung);
    if of.is_empty() { title } else { format!("{title}, {of}") }
}

/// The n, the value and the ends of its interval.
fn interval(estimate: Estimate) -> [String; 4] {
    let [value, low, high] =
        [estimate.value, estimate.low, estimate.high].map(|value| number(value, 6));
    if value.is_empty() {
        [estimate.n.to_string(), value.clone(), value.clone(), value]
    } else {
        [estimate.n.to_string(), value, low, high]
    }
}

fn line(text: &mut String, name: &str, row: &Row<'_>) {
    let scale = if row.figure.metric.is_rate() { 100.0 } else { 1.0 };
    let decimals = if row.figure.metric == Metric::TakenPerGame { 4 } else { 2 };
    let shown = |value: f64| {
        if value.is_finite() { format!("{:.decimals$}", scale * value) } else { "-".to_owned() }
    };
    let [a, b] = row.figure.metric.estimates(row.paired).map(|side| shown(side.value));
    let difference =
        format_with_interval(row.difference.estimate(), decimals, |value, decimals| {
            format!("{:+.decimals$}", scale * value)
        });
    let mark = match row.flag() {
        "flips" => format!(" {SIGN_FLIP_MARK}"),
        "significant" => " *".to_owned(),
        _ => String::new(),
    };
    let _ = writeln!(
        text,
        "{:<NAME_WIDTH$}{a:>9}{b:>9}  {difference}{mark}",
        truncate(name, NAME_WIDTH)
    );
}
