//! Sentences of published results and the tables beside them.

use std::fs;

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
