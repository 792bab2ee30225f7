//! Games in the terminal.

use std::{
    fs,
    io::Write as _,
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::support::{Folder, interrupt};

/// Runs the program with this input and returns its output.
fn play(folder: &Folder, arguments: &str, input: &str) -> String {
    let output = folder.run_with_input(&format!("play {arguments}"), input);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{arguments}: {text}");
    assert!(output.stderr.is_empty(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    let long = text.lines().find(|line| line.chars().count() > 80);
    assert_eq!(long, None, "{arguments}");
    text
}

fn record(folder: &Folder, name: &str) -> Value {
    serde_json::from_str(&folder.read(name)).unwrap()
}

#[test]
fn the_same_decision_after_taking_it_back_leads_to_the_same_game() {
    let folder = Folder::new();
    let game = |name: &str, input: &str| {
        play(&folder, &format!("--bots human,balanced --seed 2 --save {name}"), input);
        record(&folder, name)
    };
    let straight = game("straight.jsonl", "1\n2\n1\n1\n");
    let back = game("back.jsonl", "1\n2\nu\nu\n1\n2\n1\nu\nr\n1\n");
    assert_eq!(straight["unfinished"], true);
    // The position in which the game was left is the next one to analyse.
    let events = straight["events"].as_array().unwrap().len();
    let analyze = "analyze --record straight.jsonl --iterations 20 --rollouts 0 --move";
    assert!(folder.succeeds(&format!("{analyze} {events}")).contains("player 1 decides"));
    folder.refuses(&format!("{analyze} {}", events + 1), &["--move", &format!("0 to {events}")]);
    assert_eq!(straight["events"], back["events"]);
    assert_eq!((&straight["undo"], back["undo"].as_u64()), (&Value::Null, Some(2)));
    let other = game("other.jsonl", "1\n2\nu\n1\n1\n1\n");
    assert_ne!(straight["events"], other["events"]);
}

#[test]
fn a_saved_game_continues_as_if_it_had_not_been_left() {
    let folder = Folder::new();
    let bots = "--bots human,mcts:iterations=30";
    play(&folder, &format!("{bots} --seed 9 --save whole.jsonl"), "1\n1\n2\n1\n1\n");
    play(&folder, &format!("{bots} --seed 9 --save part.jsonl"), "1\n1\nq\n");
    play(&folder, "--load part.jsonl --save part.jsonl", "2\n1\n1\n");
    assert_eq!(folder.read("whole.jsonl"), folder.read("part.jsonl"));

    folder.refuses("play --load part.jsonl --players 2", &["--players", "expected none"]);
    folder.refuses("play --save part.jsonl", &["--save", "part.jsonl: exists", "--force"]);
}

#[test]
fn opponents_play_by_their_names() {
    let folder = Folder::new();
    let text = play(&folder, "--bots human,heron --seed 9 --save game.jsonl", "1\n1\n1\n");
    assert!(text.contains("player 2 is Heron."), "{text}");
    assert!(text.contains("\nHeron: "), "{text}");
    assert!(!text.contains("Player 2"), "{text}");
    let record: Value = serde_json::from_str(&folder.read("game.jsonl")).unwrap();
    assert_eq!(record["bots"], serde_json::json!(["human", "expert"]));
    folder.refuses("play --bots human,oter", &["--bots: oter", "Otter"]);
    for (bot, out) in [("Beaver", "named"), ("builder", "same")] {
        folder.succeeds_quietly(&format!("simulate --bots {bot} --games 8 --out {out}"));
    }
    assert_eq!(folder.read("named/turn_order.csv"), folder.read("same/turn_order.csv"));
}

/// Every decision is saved when it is made, so that nothing that ends the program loses the game.
#[cfg(unix)]
#[test]
fn a_game_that_is_ended_by_a_signal_is_saved() {
    let input = "1\n1\n2\n1\n";
    let whole = Folder::new();
    play(&whole, "--bots human,random --seed 9 --save game.jsonl", input);
    for signal in ["INT", "KILL"] {
        let folder = Folder::new();
        let mut program = folder
            .command("play --bots human,random --seed 9 --save game.jsonl")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        program.stdin.as_mut().unwrap().write_all(input.as_bytes()).unwrap();
        let file = folder.path("game.jsonl");
        let expected = whole.read("game.jsonl");
        let deadline = Instant::now() + Duration::from_mins(1);
        while fs::read_to_string(&file).is_ok_and(|text| text != expected) || !file.exists() {
            assert!(Instant::now() < deadline, "not saved");
            thread::sleep(Duration::from_millis(20));
        }
        interrupt(program, signal);
        assert_eq!(folder.read("game.jsonl"), expected, "{signal}");
        assert_eq!(folder.files(""), ["game.jsonl"], "{signal}");
    }
}

#[test]
fn commands_are_answered() {
    let folder = Folder::new();
    let text = play(
        &folder,
        "--bots human,balanced --seed 4 --hint-bot mcts:iterations=50",
        "?\nb\nh\na\nl\n999\nnonsense\nmeadow\nu\nr\nw\nw saved.jsonl\nq\n",
    );
    for expected in [
        "NUMBER    take the action with this number",
        "Player 2",
        "Chances by mcts:iterations=200,",
        "[claim:",
        "Expected a number from 1 to ",
        "No action contains \"nonsense\"",
        "There is no decision to take back.",
        "There is no decision to make again.",
        "Name a file, as in: w game.jsonl",
        "Saved as saved.jsonl.",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert_eq!(folder.succeeds("replay saved.jsonl"), "1 games agree with the rules\n");
}

/// The roles of the others are hidden until the end.
#[test]
fn hidden_information_is_not_shown() {
    let folder = Folder::new();
    let setup = "--game common_river --players 3 --bots human,random --seed 3";
    let text = play(&folder, setup, "l\nb\nq\n");
    assert_eq!(text.matches("Chance: hidden").count() % 2, 0, "{text}");
    assert!(text.contains("Chance: hidden"), "{text}");
    assert!(text.contains("Role:"), "{text}");
}

#[test]
fn chance_is_entered_as_at_a_table() {
    let folder = Folder::new();
    let bots = "--bots human --enter-chance --seed 1";
    let text = play(&folder, &format!("{bots} --save table.jsonl"), "first:1\nboard:blue\nu\n");
    assert!(text.contains("First player: player 2"), "{text}");
    let record = record(&folder, "table.jsonl");
    assert_eq!(record["events"][0], serde_json::json!(["chance", "first:1"]));
    assert_eq!(record["events"].as_array().unwrap().len(), 1);
}

#[test]
fn bots_play_alone() {
    let folder = Folder::new();
    let text = play(&folder, "--bots balanced --seed 1 --save bots.jsonl", "v\n");
    assert!(text.contains("The game is over. The winner is player "), "{text}");
    assert!(text.contains("\nTurning point: in round "), "{text}");
    let again = "watershed play --game the_river --players 2 --bots balanced\n";
    assert!(text.contains(again), "{text}");
    assert_eq!(folder.succeeds("replay bots.jsonl"), "1 games agree with the rules\n");
}

#[test]
fn the_mode_can_be_chosen() {
    let folder = Folder::new();
    let game = "--game common_river --players 2 --bots human";
    for seed in 0..3 {
        let text = play(&folder, &format!("{game} --mode coop --seed {seed}"), "l\nq\n");
        assert!(text.contains("   0 Chance: Mode: coop\n"), "{text}");
    }
    play(&folder, &format!("{game} --mode competitive --seed 1 --save game.jsonl"), "1\nq\n");
    let lost = play(&folder, &format!("{game} --mode coop --seed 1"), &"1\n".repeat(2000));
    assert!(lost.contains("Nobody wins. Not enough: "), "{lost}");
    assert_eq!(record(&folder, "game.jsonl")["events"][0][1], "mode:competitive");
    assert_eq!(folder.succeeds("replay game.jsonl"), "1 games agree with the rules\n");
    folder.refuses("play --load game.jsonl --mode coop", &["--load", "--mode"]);
}

/// No line of a list is too short to be read as a part of its entry.
#[test]
fn long_entries_are_broken_into_equal_lines() {
    let folder = Folder::new();
    let input = "1\n".repeat(30) + "l\na\nh\n";
    let text = play(&folder, "--bots human,random --seed 11 --hint-bot mcts:iterations=50", &input);
    let is_continued = |line: &&str| line.starts_with("     ") && !line.contains('|');
    let lines: Vec<_> = text.lines().filter(is_continued).collect();
    assert!(!lines.is_empty(), "{text}");
    assert!(lines.iter().all(|line| line.trim().len() >= 20), "{lines:?}");
}

/// Numbers of a combination can be given in one line, in any order.
#[test]
fn several_numbers_are_a_combination() {
    let folder = Folder::new();
    let text = play(&folder, "--bots human,random --seed 4", "1 999\n1 1\nq\n");
    assert!(text.contains("Expected a number from 1 to "), "{text}");
    assert!(text.contains("Not possible after that: "), "{text}");
}
