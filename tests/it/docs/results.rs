//! Sentences of published results and the tables beside them.

use std::{fs, path::Path};

use crate::support::Folder;

/// The published results whose sentences are checked.
const PAGE: &str = "results/balance/README.md";

/// Returns the words between backticks.
fn names(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// Returns the estimates with intervals, as in `+1.2 [0.3, 2.1]`.
fn estimates(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (start, _) in text.match_indices(" [") {
        let value = text[..start].rsplit([' ', '(']).next().unwrap();
        let Some((interval, _)) = text[start + 2..].split_once(']') else { continue };
        if value.parse::<f64>().is_ok() && interval.contains(", ") {
            found.push(format!("{value} [{interval}]"));
        }
    }
    found
}

/// Returns the estimates in sentences that no row of a table has whose first cell the paragraph, or
/// the list item, names. Other tests compare the output in blocks with that of its command.
fn unsupported(page: &str) -> Vec<String> {
    let page: String = page.split("```").step_by(2).collect();
    let is_row = |line: &&str| line.starts_with('|');
    let rows: Vec<_> = page.lines().filter(is_row).collect();
    let mut paragraphs = vec![String::new()];
    for line in page.lines().filter(|line| !is_row(line)) {
        let is_item = line.starts_with("- ")
            || line.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
        if line.is_empty() || is_item {
            paragraphs.push(String::new());
        }
        let paragraph = paragraphs.last_mut().unwrap();
        *paragraph += line.trim();
        paragraph.push(' ');
    }
    let mut missing = Vec::new();
    for paragraph in &paragraphs {
        let names = names(paragraph);
        for estimate in estimates(paragraph) {
            let supports = |row: &&str| {
                let item = row.split('|').nth(1).unwrap().trim().trim_matches('`');
                names.contains(&item) && row.contains(&estimate)
            };
            if !rows.iter().any(supports) {
                missing.push(format!("{estimate}: {paragraph}"));
            }
        }
    }
    missing
}

#[test]
fn every_estimate_in_a_sentence_is_in_a_row_of_its_item() {
    let page = fs::read_to_string(PAGE).unwrap();
    let sentences = page.lines().filter(|line| !line.starts_with('|'));
    let count = estimates(&sentences.collect::<Vec<_>>().join(" ")).len();
    assert!(count >= 10, "{count} estimates");
    assert_eq!(unsupported(&page), Vec::<String>::new());
}

#[test]
fn sentences_without_a_row_are_found() {
    let page = |sentence: &str| {
        format!("{sentence}\n\n| `a` | +1.0 [0.1, 1.9] |\n| `b` | -2 [-3, -1] |\n")
    };
    assert!(unsupported(&page("The value of `a` is +1.0 [0.1,\n1.9].")).is_empty());
    for wrong in ["`a` is +1.1 [0.1, 1.9].", "`a` is -2 [-3, -1].", "It is +1.0 [0.1, 1.9]."] {
        assert_eq!(unsupported(&page(wrong)).len(), 1, "{wrong}");
    }
}

/// A rate with the command in parentheses after it that gives it, as in
/// ``94.2 % [91.8, 96.0] of 400 games (`match …`)``.
#[derive(PartialEq, Debug)]
struct StatedRate {
    /// The rate and the ends of its interval, in percent as printed.
    rate: [String; 3],
    command: String,
}

/// Returns the rates of a page whose commands can be run as they are: without a capital letter,
/// which stands for a value, and without a file.
fn stated_rates(page: &str) -> Vec<StatedRate> {
    let text = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut found = Vec::new();
    for (start, _) in text.match_indices(" games (`") {
        let command = text[start..].split('`').nth(1).unwrap();
        let is_placeholder = |word: &str| word.chars().all(char::is_uppercase) && !word.is_empty();
        let is_complete = !command.contains(".toml")
            && !command.split([' ', '=', ':', ',', '/']).any(is_placeholder);
        let is_study = command.starts_with("match ") || command.starts_with("simulate ");
        let Some((before, interval)) = text[..start].rsplit_once(" % [") else { continue };
        let Some((interval, rest)) = interval.split_once(']') else { continue };
        let Some((low, high)) = interval.split_once(", ") else { continue };
        let rate = before.rsplit(' ').next().unwrap();
        if is_complete && is_study && rest.starts_with(" of ") && rest.split(' ').count() == 3 {
            let rate = [rate, low, high].map(str::to_owned);
            found.push(StatedRate { rate, command: command.to_owned() });
        }
    }
    found
}

/// Runs the command of a rate, and returns the rates with intervals in the tables that it writes.
fn written_rates(command: &str) -> Vec<[String; 3]> {
    let folder = Folder::new();
    folder.succeeds(&format!("{command} --quiet --out out"));
    let table = if command.starts_with("match") { "crosstable.csv" } else { "win_rates.csv" };
    let percent = |cell: &String| format!("{:.1}", 100.0 * cell.parse::<f64>().unwrap());
    let rows = folder.rows(Path::new("out").join(table));
    let rows = rows.iter().filter(|row| !row["ci_low"].is_empty());
    rows.map(|row| ["win_rate", "ci_low", "ci_high"].map(|column| percent(&row[column]))).collect()
}

#[test]
fn rates_with_their_commands_are_found() {
    let page = "It wins 94.2 % [91.8,\n96.0] of 400 games (`match --bots a,b --games 400`), \
        1.0 % [0.5, 2.0] of 60 games (`match --bots a,b --games G`) and 5 % of 9 games \
        (`simulate`).";
    let rate = ["94.2", "91.8", "96.0"].map(str::to_owned);
    let command = "match --bots a,b --games 400".to_owned();
    assert_eq!(stated_rates(page), [StatedRate { rate, command }]);
}

#[test]
#[ignore = "minutes: games of searches; .ci/full runs it"]
fn commands_give_the_rates_that_the_results_state() {
    let mut checked = 0;
    for page in fs::read_dir("results").unwrap() {
        let Ok(page) = fs::read_to_string(page.unwrap().path().join("README.md")) else { continue };
        for StatedRate { rate, command } in stated_rates(&page) {
            let written = written_rates(&command);
            assert!(written.contains(&rate), "{command}: {rate:?} stated, {written:?} found");
            checked += 1;
        }
    }
    assert!(checked >= 4, "{checked} commands");
}
