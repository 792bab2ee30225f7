//! Rules for all CSV tables of all commands, so that a program can read any table.

use std::{fs, path::Path};

use crate::support::Folder;

/// The type of the fields of a column.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Type {
    Empty,
    Integer,
    Decimal,
    Text,
}

fn type_of(field: &str) -> Type {
    match field {
        "" => Type::Empty,
        _ if field.parse::<i64>().is_ok() => Type::Integer,
        _ if field.parse::<f64>().is_ok_and(f64::is_finite) => Type::Decimal,
        _ => Type::Text,
    }
}

/// Text columns whose values may look like numbers: a value of a sweep, `all` or a seat, and a kind
/// of decision or a round.
const NAMES: [&str; 3] = ["value", "seat", "name"];

/// Decimal columns without an interval, with the reason.
const WITHOUT_INTERVAL: [(&str, &str, &str); 25] = [
    ("added_points.csv", "sd_", "a description of the win rates of the rows"),
    ("*", "wins", "a sum of win shares"),
    ("book.csv", "shrunk", "a prediction; the effect beside it has the interval"),
    ("*", "sd_score", "a description of the scores, not an estimate of the table"),
    ("figures.csv", "", "each value has its standard error beside it"),
    ("games.csv", "win_share_", "an observation"),
    ("calibration.csv", "mean_chance", "the mean of what was printed, which describes the row"),
    ("chance_maps.csv", "mover", "a parameter of the map"),
    ("chance_maps.csv", "nobody", "a parameter of the map"),
    ("chance_maps.csv", "log_loss", "a description of the fit"),
    ("chance_maps.csv", "calibrated_log_loss", "a description of the fit"),
    ("parameters.csv", "", "the parameters themselves"),
    ("*", "margin", "an argument"),
    ("margins.csv", "p_", "a test statistic"),
    ("power.csv", "size", "an argument"),
    ("power.csv", "power", "an argument"),
    ("verdicts.csv", "q", "a test statistic"),
    ("convergence.csv", "games_factor", "a multiple of the games that were played"),
    ("edits.csv", "distance", "a description of the goals that are missed"),
    ("goals.csv", "goal_", "an intended value"),
    ("training.csv", "win_loss_", "a loss of the network before or after it learns"),
    ("training.csv", "policy_loss_", "a loss of the network before or after it learns"),
    ("training.csv", "score_loss_", "a loss of the network before or after it learns"),
    ("training.csv", "llr", "a test statistic"),
    ("health.csv", "value", "has its interval in `ci_low` and `ci_high`"),
];

/// Checks the rules for one table.
#[track_caller]
pub(crate) fn check_table(path: &Path, provenance: &str) {
    let file = path.file_name().unwrap().to_str().unwrap();
    let mut reader = csv::ReaderBuilder::new().flexible(false).from_path(path).unwrap();
    let headings: Vec<_> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let rows: Vec<csv::StringRecord> = reader
        .records()
        .map(|row| row.unwrap_or_else(|error| panic!("{file}: not rectangular: {error}")))
        .collect();
    for (column, heading) in headings.iter().enumerate() {
        assert!(
            !heading.is_empty() && !headings[..column].contains(heading),
            "{file}: `{heading}` is a heading twice"
        );
    }
    let column = |name: &str| headings.iter().position(|heading| heading == name);
    let marks = column("provenance").unwrap_or_else(|| panic!("{file}: no provenance"));
    assert!(rows.iter().all(|row| &row[marks] == provenance), "{file}: {provenance}");

    for (index, heading) in headings.iter().enumerate() {
        let mut types: Vec<_> = rows
            .iter()
            .map(|row| type_of(&row[index]))
            .filter(|kind| *kind != Type::Empty)
            .collect();
        types.sort_unstable();
        types.dedup();
        let is_number = types.iter().all(|kind| *kind != Type::Text);
        assert!(
            is_number || types.len() == 1 || NAMES.contains(&heading.as_str()),
            "{file}: `{heading}` is of the types {types:?}"
        );
        if ["p", "p_line"].contains(&&**heading)
            || heading.ends_with("_p")
            || heading.ends_with("p_holm")
        {
            for p in rows.iter().map(|row| &row[index]).filter(|p| !p.is_empty()) {
                assert!(
                    p.parse::<f64>()
                        .is_ok_and(|value| (value > 0.0 || !p.starts_with("0.0")) && value <= 1.0),
                    "{file}: `{heading}` is {p}"
                );
                assert!(
                    p.contains('e'),
                    "{file}: `{heading}` is {p}, in another notation than elsewhere"
                );
            }
            continue;
        }
        let is_end = heading.ends_with("ci_low") || heading.ends_with("ci_high");
        let excused = WITHOUT_INTERVAL
            .iter()
            .any(|(of, name, _)| (*of == "*" || *of == file) && heading.starts_with(name));
        if types.contains(&Type::Decimal) && is_number && !is_end && !excused {
            has_an_interval_and_an_n(file, &headings, index, &rows);
        }
    }
    intervals_have_a_width(file, &headings, &rows);
}

/// Returns the prefixes that the columns of an interval or n may have, the longest first; the empty
/// prefix is that of the row.
fn prefixes(heading: &str) -> Vec<String> {
    let words: Vec<_> = heading.split('_').collect();
    let mut prefixes: Vec<_> =
        (1..=words.len()).rev().map(|length| format!("{}_", words[..length].join("_"))).collect();
    prefixes.push(String::new());
    prefixes
}

/// Returns the columns of the interval of an estimate.
fn interval_of(headings: &[String], heading: &str) -> Option<[usize; 2]> {
    let column = |name: String| headings.iter().position(|other| *other == name);
    prefixes(heading).into_iter().find_map(|prefix| {
        Some([column(format!("{prefix}ci_low"))?, column(format!("{prefix}ci_high"))?])
    })
}

fn has_an_interval_and_an_n(
    file: &str,
    headings: &[String],
    index: usize,
    rows: &[csv::StringRecord],
) {
    let heading = &headings[index];
    assert!(interval_of(headings, heading).is_some(), "{file}: `{heading}` has no interval");
    let counts = rows.iter().all(|row| row.iter().any(|field| type_of(field) == Type::Integer));
    assert!(counts, "{file}: `{heading}` has no n");
}

/// Checks that the lower end of every interval is below the upper end.
fn intervals_have_a_width(file: &str, headings: &[String], rows: &[csv::StringRecord]) {
    for (low, heading) in
        headings.iter().enumerate().filter(|(_, heading)| heading.ends_with("ci_low"))
    {
        let prefix = heading.strip_suffix("ci_low").unwrap();
        let high = headings.iter().position(|other| *other == format!("{prefix}ci_high"));
        let high = high.unwrap_or_else(|| panic!("{file}: `{heading}` has no other end"));
        for row in rows {
            // The rating of the first bot of a match is 0 by definition.
            if file == "ratings.csv" && &row[low - 1] == "0.00" && &row[low] == "0.00" {
                continue;
            }
            match [low, high].map(|end| row[end].parse::<f64>().ok()) {
                [Some(low), Some(high)] => assert!(low < high, "{file}: {heading}: {row:?}"),
                // An open end is empty.
                [_, _] => assert!(
                    [low, high]
                        .iter()
                        .all(|&end| row[end].is_empty() || row[end].parse::<f64>().is_ok()),
                    "{file}: {row:?}"
                ),
            }
        }
    }
}

#[test]
fn tables_that_break_the_format_are_found() {
    let folder = Folder::new();
    let path = folder.path("table.csv");
    let fails = |text: &str| {
        fs::write(&path, text).unwrap();
        std::panic::catch_unwind(|| check_table(&path, "stated")).is_err()
    };
    for (rule, table) in [
        ("a heading twice", "a,a,provenance\n1,2,stated\n"),
        ("not rectangular", "a,provenance\n1,2,stated\n"),
        ("two types", "a,provenance\n1,stated\nend,stated\n"),
        ("p of zero", "p,provenance\n0.000000,stated\n"),
        ("two notations of p", "p,provenance\n0.034512,stated\n"),
        ("no provenance", "a\n1\n"),
        ("another provenance", "a,provenance\n1,derived\n"),
        ("no interval", "n,rate,provenance\n5,0.5,stated\n"),
        ("no n", "rate,ci_low,ci_high,provenance\n0.5,0.4,0.6,stated\n"),
        ("an interval without a width", "n,rate,ci_low,ci_high,provenance\n5,0.5,0.5,0.5,stated\n"),
        ("ends the wrong way round", "n,rate,ci_low,ci_high,provenance\n5,0.5,0.6,0.4,stated\n"),
        ("half an interval", "n,rate,ci_low,provenance\n5,0.5,0.4,stated\n"),
    ] {
        assert!(fails(table), "{rule}");
    }
    assert!(!fails(
        "name,n,rate,ci_low,ci_high,p,provenance\na,5,0.5,0.4,0.6,1.234e-5,stated\nb,0,,,,,stated\n"
    ));
}
