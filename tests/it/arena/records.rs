//! Records and traces of games.

use std::{fs, io::Read as _};

use flate2::read::MultiGzDecoder;
use serde_json::Value;

use crate::support::Folder;

#[test]
fn damaged_records_are_refused() {
    let folder = Folder::new();
    folder.succeeds(
        "simulate --bots random --games 4 --quiet --out run --records games.jsonl --legal",
    );
    assert_eq!(folder.succeeds("replay games.jsonl"), "4 games agree with the rules\n");

    let text = folder.read("games.jsonl");
    folder.write("half.jsonl", &text[..text.len() / 2]);
    folder.refuses("replay half.jsonl", &["half.jsonl:", "expected a whole record"]);

    // The lists of legal actions must be complete.
    let first = text.lines().next().unwrap();
    let nulls = r#""legal":[null,null,null,null,null,null,null,null,null,null,"#;
    let (before, legal) = first.split_once(&format!("{nulls}[")).unwrap();
    let (_, after) = legal.split_once(']').unwrap();
    folder.write("unlisted.jsonl", format!("{before}{nulls}null{after}"));
    let (_, message) = folder.exits_with(1, "replay unlisted.jsonl");
    assert!(message.contains("game 0: event 10 (claim:"), "{message}");

    // A well-formed record that is false is a negative answer and no usage error.
    folder.write("false.jsonl", text.replacen("\"rounds\":", "\"rounds\":1", 1));
    let (_, message) = folder.exits_with(1, "replay false.jsonl");
    let expected = "game 0: scores, winners, rounds, capped: expected";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn unfinished_games_are_replayed() {
    let folder = Folder::new();
    folder.succeeds("simulate --bots random --games 1 --quiet --out run --records games.jsonl");
    let mut record: Value = serde_json::from_str(&folder.read("games.jsonl")).unwrap();
    record["events"].as_array_mut().unwrap().truncate(20);
    record["rounds"] = 1.into();
    record["unfinished"] = true.into();
    folder.write("mixed.jsonl", format!("{record}\n"));
    let results = "expected `scores`, `winners` and `breakdown`, or `\"unfinished\": true`";
    folder.refuses("replay mixed.jsonl", &["mixed.jsonl:1", results]);

    for key in ["scores", "winners", "breakdown"] {
        record.as_object_mut().unwrap().remove(key);
    }
    folder.write("part.jsonl", format!("{record}\n"));
    assert_eq!(folder.succeeds("replay part.jsonl"), "1 games agree with the rules\n");
    assert!(folder.succeeds("replay part.jsonl --game-index 0").contains("\nunfinished\n"));
    folder.refuses("replay part.jsonl --game-index 0 --annotate", &["game 0 is unfinished"]);

    let position = folder
        .succeeds("analyze --record part.jsonl --move 19 --iterations 50 --rollouts 0 --json");
    assert!(position.contains("\"seats\""), "{position}");
}

#[test]
fn compressed_records_contain_the_same_games() {
    let folder = Folder::new();
    for name in ["games.jsonl", "games.jsonl.gz"] {
        folder.succeeds(&format!(
            "simulate --bots random --games 6 --quiet --out run --force --records {name}"
        ));
    }
    let plain = fs::read(folder.path("games.jsonl")).unwrap();
    let packed = fs::read(folder.path("games.jsonl.gz")).unwrap();
    assert!(packed.len() < plain.len() / 2);
    let text = String::from_utf8(plain).unwrap();
    folder.write("packed.jsonl", packed);
    folder.write("spaced.jsonl", format!("\u{feff}\r\n{}\n\n", text.replace('\n', "\r\n\n")));
    folder.write("later.jsonl", text.replace("{\"format\"", "{\"b\":[],\"a\":{},\"format\""));
    let unknown = "warning: later.jsonl: unknown fields are ignored: `a`, `b`\n";
    for (name, warning) in [
        ("games.jsonl.gz", ""),
        ("packed.jsonl", ""),
        ("spaced.jsonl", ""),
        ("later.jsonl", unknown),
    ] {
        let (printed, messages) = folder.exits_with(0, &format!("replay {name}"));
        assert_eq!(
            (printed.as_str(), messages.as_str()),
            ("6 games agree with the rules\n", warning)
        );
    }
}

/// A forced decision has no line. The visits of the actions add up to the number of iterations.
#[test]
fn a_trace_has_a_line_for_every_search() {
    let folder = Folder::new();
    let trace = |threads: &str, name: &str| {
        let run = "simulate --bots mcts:iterations=20,random --games 4 --quiet";
        let output = format!("--out {threads} --trace {name}");
        folder.succeeds(&format!("{run} --threads {threads} {output}"));
        fs::read(folder.path(name)).unwrap()
    };
    let one = String::from_utf8(trace("1", "one.jsonl")).unwrap();
    assert_eq!(one.as_bytes(), trace("2", "two.jsonl"));
    let packed = trace("3", "three.jsonl.gz");
    assert_eq!(packed, trace("4", "four.jsonl.gz"));
    let mut unpacked = String::new();
    MultiGzDecoder::new(packed.as_slice()).read_to_string(&mut unpacked).unwrap();
    assert_eq!(unpacked, one);
    let lines: Vec<Value> = one.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.len() > 40, "{}", lines.len());
    for line in &lines {
        let actions = line["actions"].as_array().unwrap();
        let visits: u64 = actions.iter().map(|action| action["visits"].as_u64().unwrap()).sum();
        assert_eq!((line["iterations"].as_u64(), visits), (Some(20), 20), "{line}");
        assert_eq!(
            line["line"][0][0], line["seat"],
            "the line begins with the seat that decides: {line}"
        );
        assert_eq!(line["values"].as_array().unwrap().len(), 2);
        // The chances of a map add up to 1; values are rounded to 4 decimals.
        for printed in actions.iter().chain([line]) {
            let chances = printed["win_chances"].as_array().unwrap();
            let sum: f64 = chances.iter().map(|chance| chance.as_f64().unwrap()).sum();
            assert!(chances.len() == 2 && (sum - 1.0).abs() < 2e-4, "{line}");
        }
    }
}

/// A search with other options than a calibrated one prints its mean rewards only.
#[test]
fn a_trace_has_no_chances_of_a_search_without_a_map() {
    let folder = Folder::new();
    let run = "simulate --bots uct:iterations=20 --games 1 --quiet --trace trace.jsonl --out run";
    folder.succeeds(run);
    let trace = folder.read("trace.jsonl");
    assert!(trace.contains("\"values\":") && !trace.contains("win_chances"), "{trace}");
}
