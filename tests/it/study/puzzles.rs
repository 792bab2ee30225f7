//! Puzzles.

use std::sync::OnceLock;

use serde_json::Value;

use crate::support::Folder;
#[cfg(unix)]
use crate::support::interrupt;

/// Flags of a search for puzzles that takes little time, with a margin that many positions have.
const CHEAP: &str = "--obvious random --iterations 20 --judge-iterations 40 --margin 5pp --quiet";

/// Plays 5 games, of which 2 have puzzles.
fn games(folder: &Folder) {
    let play = "simulate --games 5 --seed 8 --bots builder --quiet --out run";
    folder.succeeds(&format!("{play} --records games.jsonl"));
}

/// Returns two puzzles of these games, which are found once for all tests.
fn puzzles() -> &'static str {
    static FOUND: OnceLock<String> = OnceLock::new();
    FOUND.get_or_init(|| {
        let folder = Folder::new();
        games(&folder);
        folder.succeeds(&format!(
            "puzzles find games.jsonl --count 2 --threads 2 --out two.jsonl {CHEAP}"
        ));
        folder.read("two.jsonl")
    })
}

#[test]
fn puzzles_have_one_best_action_and_are_the_same_for_any_number_of_threads() {
    let folder = Folder::new();
    games(&folder);
    let find = "puzzles find games.jsonl --count 2 --threads 1 --out one.jsonl";
    folder.succeeds(&format!("{find} {CHEAP}"));
    let text = folder.read("one.jsonl");
    assert_eq!(text, puzzles());
    assert_eq!(text.lines().count(), 2, "{text}");
    for line in text.lines() {
        let puzzle: Value = serde_json::from_str(line).unwrap();
        let steps = puzzle["steps"].as_array().unwrap();
        assert!((1..=3).contains(&steps.len()), "{line}");
        for step in steps {
            assert!(step["wrong"].as_array().unwrap().len() >= 3);
            assert!(step["lead"].as_f64().unwrap() >= 0.05, "{line}");
        }
        assert!((0.0..3000.0).contains(&puzzle["rating"].as_f64().unwrap()), "{line}");
        // The position is that of the record.
        let record = folder.read("games.jsonl");
        let index = puzzle["index"].as_u64().unwrap() as usize;
        let record: Value = serde_json::from_str(record.lines().nth(index).unwrap()).unwrap();
        let event = puzzle["event"].as_u64().unwrap() as usize;
        assert_eq!(record["events"][event][0], puzzle["seat"]);
    }
    folder.refuses(&format!("puzzles find games.jsonl --out one.jsonl {CHEAP}"), &["--force"]);
}

#[test]
fn interrupted_search_for_puzzles_goes_on_after_its_last_puzzle() {
    let folder = Folder::new();
    games(&folder);
    let find =
        |name: &str, flags: &str| format!("puzzles find games.jsonl --out {name} {CHEAP} {flags}");
    let all = puzzles();
    let first = all.lines().next().unwrap();
    // A file that was interrupted, and one that was killed while it wrote its second line.
    folder.write("stopped.jsonl", format!("{first}\n"));
    folder.write("killed.jsonl.partial", format!("{first}\n{{\"format\":\"water"));
    for name in ["stopped.jsonl", "killed.jsonl"] {
        folder.succeeds(&find(name, "--count 2 --resume"));
        assert_eq!(folder.read(name), all, "{name}");
    }
    assert!(!folder.path("killed.jsonl.partial").exists());
    folder.write("other.jsonl", format!("{first}\n"));
    let other = find("other.jsonl", "--count 2 --resume --judge-iterations 41");
    folder.refuses(&other, &["other.jsonl", "games.jsonl", "--force"]);
    // Without an earlier file the search begins. A puzzle of a later game is not kept.
    folder.succeeds(&find("none.jsonl", "--count 1 --resume"));
    assert_eq!(folder.read("none.jsonl"), format!("{first}\n"));
}

/// An interrupt ends the search between two positions of a game, and what was found is written.
#[cfg(unix)]
#[test]
fn search_for_puzzles_stops_within_a_game() {
    let folder = Folder::new();
    games(&folder);
    // Seconds for a game, and less than a tenth of it for a position.
    let find = "puzzles find games.jsonl --out found.jsonl --iterations 3k --quiet";
    let run = folder.start_until(find, || folder.path("found.jsonl.partial").exists());
    assert_eq!(interrupt(run, "INT"), Some(1));
    // Without a puzzle in all games, there would be no file.
    assert_eq!(folder.read("found.jsonl"), "");
}

#[test]
fn search_that_finds_no_puzzle_ends_with_code_1() {
    let folder = Folder::new();
    folder.succeeds("simulate --games 2 --bots builder --quiet --out run --records games.jsonl");
    let find = format!("puzzles find games.jsonl --out none.jsonl {CHEAP} --margin 80pp");
    let (printed, message) = folder.exits_with(1, &find);
    assert!(printed.is_empty() && message.contains("no puzzle in 2 games"), "{message}");
    assert_eq!(folder.files("."), ["games.jsonl", "run"]);
}

#[test]
fn puzzles_are_solved_in_the_terminal() {
    let folder = Folder::new();
    let first = puzzles().lines().next().unwrap();
    folder.write("one.jsonl", format!("\u{feff}{first}\r\n\n"));
    let solve = |input: &str| {
        let output = folder.run_with_input("puzzles solve one.jsonl", input);
        assert_eq!(output.status.code(), Some(0));
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        text
    };
    let shown = solve("s\n");
    assert!(shown.contains("Solution: ") && shown.contains("0 of 1 solved."), "{shown}");
    let label = shown.split_once("Solution: ").unwrap().1.split_once('.').unwrap().0;
    let is_of = |number: &usize, label: &str| shown.contains(&format!("\n{number:>3}  {label}"));
    let count = (1..100).take_while(|number| is_of(number, "")).count();
    assert!(count >= 4, "{shown}");
    let solution = (1..=count).find(|number| is_of(number, label)).expect("it is an action");
    let wrong = if solution == 1 { 2 } else { 1 };
    assert!(solve(&format!("{solution}\n")).contains("Right."), "action {solution}");
    let text = solve(&format!("0\nx\n{wrong}\n"));
    assert!(
        text.contains("Expected 1 to ") && text.contains("Wrong. ") && text.contains("costs"),
        "{text}"
    );
}

/// Limits keep puzzles of other rounds and kinds only.
#[test]
fn puzzles_keep_the_limits_of_rounds_and_kinds() {
    let folder = Folder::new();
    folder.succeeds(
        "simulate --games 12 --seed 8 --bots builder --quiet --out run --records games.jsonl",
    );
    folder.succeeds(&format!(
        "puzzles find games.jsonl --out few.jsonl --per-round 1 --per-kind 1 {CHEAP}"
    ));
    let text = folder.read("few.jsonl");
    let puzzles = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let puzzles: Vec<_> = puzzles.collect();
    assert!(!puzzles.is_empty());
    for keys in [["round", ""], ["kind", "steps"]] {
        let value = |puzzle: &Value| match keys {
            [key, ""] => puzzle[key].to_string(),
            [key, _] => puzzle["steps"][0][key].to_string(),
        };
        let mut values: Vec<_> = puzzles.iter().map(value).collect();
        values.sort();
        values.dedup();
        assert_eq!(values.len(), puzzles.len(), "{text}");
    }
}
