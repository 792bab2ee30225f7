//! Two books of openings with different seeds.

use std::{collections::HashMap, path::Path};

use crate::Fallible;

/// Smallest number of forks of a row.
const MIN_FORKS: u64 = 100;
/// Number of the best rows of the first book that are compared.
const TOP: usize = 20;
/// Share of them whose difference may be 0.
const MARK: f64 = 0.9;
/// Half-width of a 95 % interval in standard errors.
const CRITICAL_VALUE: f64 = 1.96;

/// A row of `book.csv`: the situation with the action, forks, and mean effect with its interval.
struct Row {
    name: String,
    forks: u64,
    effect: f64,
    low: f64,
    high: f64,
}

impl Row {
    fn standard_error(&self) -> f64 {
        (self.high - self.low) / (2.0 * CRITICAL_VALUE)
    }
}

/// Compares the best rows of one book, by the lower ends of their intervals, with those of another.
/// Returns true if the 95 % interval of the difference contains 0 for enough of them.
pub(crate) fn check(one: &Path, other: &Path) -> Fallible<bool> {
    let mut rows = read(one)?;
    rows.retain(|row| row.forks >= MIN_FORKS);
    rows.sort_by(|one, other| other.low.total_cmp(&one.low));
    let others: HashMap<_, _> =
        read(other)?.into_iter().map(|row| (row.name.clone(), row)).collect();
    let (mut agree, mut compared, mut fall) = (0, 0, 0.0);
    for row in rows.iter().take(TOP) {
        let Some(other) = others.get(&row.name) else { continue };
        let difference = row.effect - other.effect;
        let error = row.standard_error().hypot(other.standard_error());
        let is_equal = difference.abs() <= CRITICAL_VALUE * error;
        compared += 1;
        agree += usize::from(is_equal);
        fall += difference;
        println!(
            "{:<58} {:>+6.1} {:>+6.1}  {:>+5.1} ± {:.1}{}",
            row.name,
            100.0 * row.effect,
            100.0 * other.effect,
            100.0 * difference,
            100.0 * CRITICAL_VALUE * error,
            if is_equal { "" } else { "  differ" }
        );
    }
    println!(
        "{agree} of the {compared} best rows agree; their mean effect falls by {:.2} points",
        100.0 * fall / f64::from(u32::try_from(compared)?)
    );
    Ok(compared == TOP && agree as f64 >= MARK * TOP as f64)
}

/// Reads the rows of the coarsest level of a book.
fn read(folder: &Path) -> Fallible<Vec<Row>> {
    let mut reader = csv::Reader::from_path(folder.join("book.csv"))?;
    let mut rows = Vec::new();
    for record in reader.deserialize() {
        let record: HashMap<String, String> = record?;
        let field = |key: &str| {
            record.get(key).map(String::as_str).ok_or_else(|| format!("book.csv: no column {key}"))
        };
        // A row without an interval has too few forks.
        if field("level")? != "1" || field("mean_ci_low")?.is_empty() {
            continue;
        }
        rows.push(Row {
            name: format!("place {}, {}, {}", field("place")?, field("step")?, field("action")?),
            forks: field("n")?.parse()?,
            effect: field("mean")?.parse()?,
            low: field("mean_ci_low")?.parse()?,
            high: field("mean_ci_high")?.parse()?,
        });
    }
    Ok(rows)
}
