//! Puzzles.

use std::sync::OnceLock;

use serde_json::Value;

use crate::support::Folder;
#[cfg(unix)]
use crate::support::interrupt;

/// Flags of a search for puzzles that takes little time: a cheap policy, and a margin that many
/// positions have.
const CHEAP: &str = "--policy balanced --second random-kind --obvious random --rollouts 100 \
                     --iterations 20 --margin 5pp --quiet";

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
        let wrong = puzzle["wrong"].as_array().unwrap();
        assert!(wrong.len() >= 3);
        for (rank, answer) in wrong.iter().enumerate() {
            let difference = &answer["difference"];
            let high = difference["high"].as_f64().unwrap();
            assert!(high <= if rank < 3 { -0.05 } else { 0.0 }, "{line}");
        }
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
    let other = find("other.jsonl", "--count 2 --resume --second builder");
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
    let find = "puzzles find games.jsonl --out found.jsonl --policy balanced --second random-kind \
                --iterations 3k --rollouts 100 --quiet";
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
fn puzzles_are_solved_in_the_terminal_and_on_a_page() {
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
    let count = (1..100).take_while(|number| shown.contains(&format!("\n{number:>3}  "))).count();
    assert!(count >= 4, "{shown}");
    let right: Vec<_> = (1..=count)
        .filter(|number| solve(&format!("{number}\n")).contains("1 of 1 solved."))
        .collect();
    assert_eq!(right.len(), 1, "one action solves the puzzle");
    let wrong = if right[0] == 1 { 2 } else { 1 };
    let text = solve(&format!("0\nx\n{wrong}\n"));
    assert!(
        text.contains("Expected 1 to ") && text.contains("Wrong. ") && text.contains("costs"),
        "{text}"
    );

    folder.succeeds("puzzles html one.jsonl --out page.html");
    let page = folder.read("page.html");
    assert_eq!(page.matches("<strong>Right.</strong>").count(), 1);
    assert!(page.contains("role=\"img\""));
    folder.refuses("puzzles html one.jsonl --out page.html", &["page.html", "--force"]);
}
