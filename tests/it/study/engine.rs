//! `watershed engine`: requests and answers in JSON lines.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, Stdio},
    sync::OnceLock,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::schema::problem;
use crate::support::{Folder, peak_memory};

/// Number of hostile lines.
const HOSTILE: usize = 300;

/// Returns a position of each game, and the record of a game of The River, which is written to the
/// folder. They are found once for all tests.
fn positions(folder: &Folder) -> (Vec<String>, Value) {
    static FOUND: OnceLock<(Vec<String>, Value)> = OnceLock::new();
    let found = FOUND.get_or_init(|| find_positions(&Folder::new()));
    folder.write("the_river.jsonl", format!("{}\n", found.1));
    found.clone()
}

fn find_positions(folder: &Folder) -> (Vec<String>, Value) {
    let position = |game: &str| {
        let records = format!("{game}.jsonl");
        let run = format!("simulate --game {game} --games 2 --bots random --out {game}");
        folder.succeeds_quietly(&format!("{run} --records {records}"));
        let record = first_record(folder, &records);
        let events = record["events"].as_array().unwrap();
        let decision = |event: &&Value| event[0].is_number();
        let number = events.iter().skip(20).position(|event| decision(&event)).unwrap() + 20;
        let analyze = format!("analyze --record {records} --move {number} --rollouts 0 --json");
        let answer = folder.succeeds(&format!("{analyze} --iterations 1"));
        serde_json::from_str::<Value>(&answer).unwrap()["position"].as_str().unwrap().to_owned()
    };
    let positions = ["the_river", "glassworks", "common_river"].map(position).to_vec();
    (positions, first_record(folder, "the_river.jsonl"))
}

fn first_record(folder: &Folder, file: &str) -> Value {
    serde_json::from_str(folder.read(file).lines().next().unwrap()).unwrap()
}

/// Passes lines to the engine and returns its answers.
fn answers(folder: &Folder, flags: &str, lines: &[Value]) -> Vec<Value> {
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let output = folder.run_with_input(&format!("engine {flags}"), &input);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    let printed = String::from_utf8(output.stdout).unwrap();
    let found: Vec<Value> =
        printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // The schemas describe requests and answers.
    for answer in &found {
        assert_eq!(problem("engine_answer.json", answer), None);
    }
    if found.iter().all(|answer| answer["error"].is_null()) {
        for request in lines {
            assert_eq!(problem("engine_request.json", request), None);
        }
    }
    found
}

#[test]
fn many_requests_have_the_answers_of_analyze() {
    let folder = Folder::new();
    let (positions, record) = positions(&folder);
    let mut requests: Vec<_> = positions
        .iter()
        .enumerate()
        .map(|(id, position)| {
            let budget = json!({ "iterations": 60, "rollouts": 4, "seed": 5 });
            let mut request = json!({ "id": id, "position": position });
            request.as_object_mut().unwrap().extend(budget.as_object().unwrap().clone());
            request
        })
        .collect();
    requests.push(json!({
        "id": "r\u{e9}cord", "record": record, "move": [31], "bot": "mcts:exploration=0.5",
        "iterations": 50, "also": ["food"], "candidates": 2,
    }));
    let mut found = answers(&folder, "--threads 2 --quiet", &requests);
    found.sort_by_key(|answer| answer["id"].to_string());
    assert_eq!(found.len(), 4);
    for (index, mut answer) in found.into_iter().enumerate() {
        let request = &requests[if index == 0 { 3 } else { index - 1 }];
        assert_eq!(answer["id"], request["id"]);
        assert_eq!(answer["is_during_search"], false);
        let fields = answer.as_object_mut().unwrap();
        fields.remove("id");
        fields.remove("is_during_search");
        assert_eq!(fields.remove("move"), request["move"].as_array().map(|moves| moves[0].clone()));
        let analyze = match request["position"].as_str() {
            Some(position) => folder.run_with_input(
                "analyze --iterations 60 --rollouts 4 --seed 5 --quiet --json",
                position,
            ),
            None => folder.run(
                "analyze --record the_river.jsonl --move 31 --bot mcts:exploration=0.5 \
                 --iterations 50 --also food --candidates 2 --quiet --json",
            ),
        };
        let expected: Value = serde_json::from_slice(&analyze.stdout).unwrap();
        assert_eq!(answer, expected);
        assert!(expected["actions"].as_array().unwrap().len() > 1);
    }
}

/// Each position of a game is answered by itself, whether it is a decision or not.
#[test]
fn several_moves_of_a_game_are_one_request() {
    let folder = Folder::new();
    let (_, record) = positions(&folder);
    let request = |moves: Value| {
        json!({
            "id": "g", "record": record, "move": moves, "iterations": 20, "rollouts": 0,
        })
    };
    let mut found = answers(&folder, "--threads 2", &[request(json!([31, 0, 99_999]))]);
    found.sort_by_key(|answer| answer["move"].as_u64());
    let found: [Value; 3] = found.try_into().unwrap();
    let [first, decision, beyond] = found;
    assert_eq!((&first["move"], &first["field"]), (&json!(0), &json!("record")));
    assert_eq!((&beyond["move"], &beyond["field"]), (&json!(99_999), &json!("move")));
    assert_eq!(answers(&folder, "", &[request(json!(31))]), [decision]);
    let mut named = request(json!(null));
    named["moves"] = json!([31]);
    // Some terminals begin their output with a byte-order mark.
    let output = folder.run_with_input("engine", &format!("\u{feff}{named}\r\n"));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["move"], 31);
}

#[test]
fn higher_priorities_are_analysed_first() {
    let folder = Folder::new();
    let (positions, _) = positions(&folder);
    let request = |id: i64, priority: i64, iterations: u64| {
        let position = &positions[0];
        json!({
            "id": id, "position": position, "priority": priority, "iterations": iterations,
            "rollouts": 0,
        })
    };
    // The others are read before the first one is finished.
    let mut requests = vec![request(0, 100, 20_000)];
    requests.extend([(1, 0), (2, -5), (3, 7), (4, 0), (5, 7)].map(|(id, p)| request(id, p, 2)));
    let order = answers(&folder, "--threads 1", &requests);
    let order: Vec<_> = order.iter().map(|answer| answer["id"].as_i64().unwrap()).collect();
    assert_eq!(order, [0, 3, 5, 1, 4, 2]);
}

#[test]
fn reports_show_the_progress_and_do_not_change_the_result() {
    let folder = Folder::new();
    let (positions, _) = positions(&folder);
    let position = &positions[0];
    let mut request = json!({ "id": 1, "position": position, "iterations": 3000, "rollouts": 100 });
    let alone = answers(&folder, "", &[request.clone()]);
    request["report_during_search_every"] = json!(0.01);
    let mut found = answers(&folder, "", &[request]);
    assert_eq!(found.pop(), alone.into_iter().next());
    assert!(found.len() > 3, "{}", found.len());
    assert!(found.iter().all(|report| report["is_during_search"] == true));
    let iterations: Vec<_> =
        found.iter().map(|report| report["iterations"].as_u64().unwrap()).collect();
    assert!(iterations.is_sorted() && iterations[0] < 3000, "{iterations:?}");
    // After the search, the searches after the candidates are counted.
    assert!(found.last().unwrap()["actions"][0]["n"].as_u64().unwrap() > 0);
}

/// An engine that is asked step by step.
struct Dialogue {
    engine: Child,
    input: Option<ChildStdin>,
    output: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Dialogue {
    fn start(folder: &Folder, flags: &str) -> Self {
        let mut command = folder.command(&format!("engine {flags}"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut engine = command.spawn().unwrap();
        let output = BufReader::new(engine.stdout.take().unwrap()).lines();
        Self { input: engine.stdin.take(), engine, output }
    }

    fn send(&mut self, request: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{request}").unwrap();
    }

    fn receive(&mut self) -> Value {
        serde_json::from_str(&self.output.next().unwrap().unwrap()).unwrap()
    }
}

#[test]
fn requests_are_terminated_whether_they_wait_or_run() {
    let folder = Folder::new();
    let (positions, _) = positions(&folder);
    let mut dialogue = Dialogue::start(&folder, "--threads 1 --max-iterations 4e6");
    let request = |id: &str| json!({ "id": id, "position": positions[0], "iterations": 4_000_000 });
    for id in ["a", "b", "a", "c"] {
        dialogue.send(&request(id));
    }
    dialogue.send(&json!({ "id": 1, "action": "query_version" }));
    let version = dialogue.receive();
    assert_eq!(problem("engine_answer.json", &version), None);
    assert_eq!(version["engine"], "watershed.engine/1");
    assert_eq!(version["record"], "watershed.record/1");
    let ended = |id: &str| json!({ "id": id, "action": "analyze", "terminated": true });
    let answer = |id: u64, action: &str, requests: u64| {
        let answer = json!({ "id": id, "action": action, "terminated": false });
        let mut answer = answer.as_object().unwrap().clone();
        answer.insert("requests".to_owned(), requests.into());
        Value::Object(answer)
    };
    let mut found = Vec::new();
    dialogue.send(&json!({ "id": 2, "action": "terminate", "terminate_id": "a" }));
    found.extend((0..3).map(|_| dialogue.receive()));
    assert_eq!(found.iter().filter(|one| **one == ended("a")).count(), 2, "{found:?}");
    assert!(found.contains(&answer(2, "terminate", 2)), "{found:?}");
    dialogue.send(&json!({ "id": 3, "action": "terminate", "terminate_id": "none" }));
    assert_eq!(dialogue.receive(), answer(3, "terminate", 0));
    dialogue.send(&json!({ "id": 4, "action": "terminate_all" }));
    let found: Vec<_> = (0..3).map(|_| dialogue.receive()).collect();
    for expected in [ended("b"), ended("c"), answer(4, "terminate_all", 2)] {
        assert!(found.contains(&expected), "{found:?}");
    }
    // The engine goes on, and ends after the last answer.
    dialogue.send(&json!({ "id": "d", "position": positions[1], "iterations": 5 }));
    dialogue.input = None;
    assert_eq!(dialogue.receive()["id"], "d");
    assert!(dialogue.output.next().is_none());
    assert_eq!(dialogue.engine.wait().unwrap().code(), Some(0));
}

#[test]
fn the_engine_ends_when_nobody_reads_its_answers() {
    let folder = Folder::new();
    let (positions, _) = positions(&folder);
    let mut dialogue = Dialogue::start(&folder, "--threads 1 --queue 1");
    let request = json!({ "id": 1, "position": positions[0], "iterations": 1000, "rollouts": 0 });
    dialogue.send(&request);
    dialogue.receive();
    let Dialogue { mut engine, input, output } = dialogue;
    drop(output);
    let mut input = input.unwrap();
    let started = Instant::now();
    // The pipe breaks when the engine ends.
    while writeln!(input, "{request}").is_ok() {
        assert!(started.elapsed() < Duration::from_mins(1));
    }
    assert_eq!(engine.wait().unwrap().code(), Some(0));
}

#[test]
fn a_mistake_is_answered_with_its_field() {
    let folder = Folder::new();
    let (positions, record) = positions(&folder);
    let position = &positions[0];
    let check = |request: Value, field: Option<&str>, part: &str| {
        let found = answers(&folder, "", std::slice::from_ref(&request));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0]["id"], request["id"], "{found:?}");
        assert_eq!(found[0]["field"], json!(field), "{found:?}");
        assert!(found[0]["error"].as_str().unwrap().contains(part), "{found:?}");
    };
    check(json!([1, 2]), None, "expected one JSON object");
    check(json!({ "id": null, "position": position }), Some("id"), "expected an id");
    check(json!({ "id": 1 }), Some("position"), "expected a position");
    check(json!({ "id": 1, "action": "analyse" }), Some("action"), "`analyze`, `terminate`");
    check(json!({ "id": 1, "iteration": 5 }), Some("iteration"), "did you mean `iterations`?");
    check(json!({ "id": 1, "position": position, "iterations": -5 }), Some("iterations"), "from 0");
    let many = json!({ "id": 1, "position": position, "iterations": 1_000_001 });
    check(many, Some("iterations"), "at most 1000000 iterations");
    let timed = json!({ "id": 1, "position": position, "bot": "mcts:time_ms=5" });
    check(timed, Some("bot"), "at most 1000000 iterations");
    let twice =
        json!({ "id": 1, "position": position, "bot": "mcts:iterations=5", "iterations": 5 });
    check(twice, Some("iterations"), "beside the budget");
    for (bot, problem) in [
        ("exec:touch made", "no bot that is a program"),
        ("bots/the_river/expert.toml", "without a file"),
        ("network:weights=x", "without a file"),
        ("a.toml", "without a file"),
    ] {
        let request = json!({ "id": 1, "position": position, "bot": bot });
        check(request, Some("bot"), problem);
        let request = json!({ "id": 1, "position": position, "policy": bot });
        check(request, Some("policy"), problem);
    }
    assert!(!folder.path("made").exists());
    check(json!({ "id": 1, "position": position, "bot": "expert" }), Some("bot"), "that searches");
    let policy = json!({ "id": 1, "position": position, "policy": "mcts" });
    check(policy, Some("policy"), "does not search");
    check(json!({ "id": 1, "position": "the_river/9 x" }), Some("position"), "2 to 4 players");
    check(json!({ "id": 1, "position": "chess/2 x" }), Some("position"), "the_river");
    check(json!({ "id": 1, "position": position, "also": ["fod"] }), Some("also"), "`food`");
    check(json!({ "id": 1, "record": record }), Some("move"), "number of its move");
    check(json!({ "id": 1, "record": record, "move": [] }), Some("move"), "expected 1 to");
    check(json!({ "id": 1, "record": record, "move": "x" }), Some("move"), "a list of them");
    check(json!({ "id": 1, "record": record, "move": 0 }), Some("record"), "chance is next");
    check(json!({ "id": 1, "record": record, "move": 99_999 }), Some("move"), "found 99999");
    check(json!({ "id": 1, "record": {}, "move": 1 }), Some("record"), "whole record");
    check(json!({ "id": 1, "action": "terminate" }), Some("terminate_id"), "only for it");
    let often = json!({ "id": 1, "position": position, "report_during_search_every": 0 });
    check(often, Some("report_during_search_every"), "0.01 to 3600");
    folder.copy_with("configs/the_river.toml", "mine.toml", "trade_in = 3", "trade_in = 2");
    let request = json!({ "id": 1, "record": record, "move": 31 });
    let found = answers(&folder, "--config mine.toml", &[request]);
    assert!(found[0]["error"].as_str().unwrap().contains("mine.toml"), "{found:?}");
}

/// Lines with extreme values, many times. Changed bytes are in `fuzz`.
#[test]
fn hostile_lines_get_one_answer_each_in_bounded_memory() {
    let folder = Folder::new();
    let (positions, record) = positions(&folder);
    let request = |changes: Value| {
        let position = &positions[0];
        let mut request = json!({ "id": 1, "position": position, "iterations": 2, "rollouts": 0 });
        request.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        request.to_string()
    };
    let of_record =
        json!({ "id": 1, "record": record, "move": 31, "iterations": 3, "rollouts": 0 });
    let lines = [
        "[".repeat(100_000),
        "{\"id\":".repeat(10_000),
        of_record.to_string(),
        request(json!({ "id": "\u{202e}\u{1b}[2J", "iterations": u64::MAX })),
        request(json!({ "id": 1e300, "priority": i64::MIN })),
        request(json!({ "also": vec!["food"; 5000] })),
        request(json!({ "bot": "mcts:trees=1024:iterations=9" })),
        request(json!({ "bot": "uct:nodes=64" })),
        request(json!({ "policy": "random", "rollouts": 1 })),
        request(json!({ "seed": u64::MAX })),
    ];
    let mut input = format!("{}\n", lines.join("\n")).repeat(HOSTILE / lines.len());
    // Lines that are too long.
    input += &format!("{}\n", "{".repeat(30 << 20)).repeat(3);
    input += &json!({ "id": "last", "action": "list_games" }).to_string();
    folder.write("hostile", &input);
    let file = |name: &str| fs::File::open(folder.path(name)).unwrap();
    folder.write("answers", "");
    let answers = fs::File::create(folder.path("answers")).unwrap();
    let mut command = folder.command("engine --quiet --threads 2 --queue 50");
    command.stdin(file("hostile")).stdout(answers).stderr(Stdio::piped());
    let mut engine = command.spawn().unwrap();
    let (mut peak, started) = (0, Instant::now());
    let status = loop {
        peak = peak.max(peak_memory(engine.id()).unwrap_or_default());
        if let Some(status) = engine.try_wait().unwrap() {
            break status;
        }
        assert!(started.elapsed() < Duration::from_mins(10), "the engine hangs");
        thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(status.code(), Some(0));
    let mut messages = String::new();
    std::io::Read::read_to_string(&mut engine.stderr.take().unwrap(), &mut messages).unwrap();
    assert!(messages.is_empty(), "{messages}");
    let answers = folder.read("answers");
    let answers: Vec<Value> =
        answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), HOSTILE + 4);
    let count = |key: &str| answers.iter().filter(|answer| !answer[key].is_null()).count();
    assert!(count("actions") > HOSTILE / 20, "{} analyses", count("actions"));
    assert!(count("error") > HOSTILE / 4, "{} errors", count("error"));
    let failed = |answer: &&Value| {
        answer["error"].as_str().is_some_and(|error| error.contains("error of the program"))
    };
    assert_eq!(answers.iter().find(failed), None);
    assert!(answers.iter().any(|answer| answer["games"].is_array()));
    // Linux only; elsewhere it is not known.
    assert!(peak < 500, "{peak} MiB");
}

/// The schemas refuse what the program refuses.
#[test]
fn the_schemas_refuse_other_values() {
    let folder = Folder::new();
    let (positions, record) = positions(&folder);
    assert_eq!(problem("record.json", &record), None);
    let request = json!({ "id": 1, "position": positions[0] });
    assert_eq!(problem("engine_request.json", &request), None);
    for (file, value, key, wrong) in [
        ("engine_request.json", &request, "id", json!(true)),
        ("engine_request.json", &request, "iteration", json!(5)),
        ("engine_request.json", &request, "iterations", json!(-5)),
        ("engine_request.json", &request, "action", json!("analyse")),
        ("record.json", &record, "players", json!("2")),
        ("record.json", &record, "events", json!([["nobody", "x"]])),
    ] {
        let mut value = value.clone();
        value[key] = wrong;
        assert!(problem(file, &value).is_some(), "{file}: {value}");
    }
    let mut answer = answers(&folder, "", &[request]).remove(0);
    for key in ["actions", "is_during_search", "format"] {
        let value = answer[key].take();
        assert!(problem("engine_answer.json", &answer).is_some(), "{key}");
        answer[key] = value;
    }
}
