//! Bots that are programs of their own.

use std::{fs, os::unix::fs::PermissionsExt as _};

use serde_json::Value;

use crate::{
    study::schema::problem,
    support::{Folder, find_row, number},
};

/// A program that reads requests and writes the lines that the body yields for each, in Python.
fn script(body: &str) -> String {
    format!(
        "#!/usr/bin/env python3\nimport json, os, random, sys, time\n\
         def answer(request, **changes):\n    \
         rng = random.Random(request['seed'])\n    \
         whole = {{'id': request['id'], 'action': rng.choice(request['actions']), **changes}}\n    \
         print(json.dumps(whole), flush=True)\n\
         for number, line in enumerate(sys.stdin):\n    request = json.loads(line)\n    {}\n",
        body.replace('\n', "\n    ")
    )
}

/// Writes an executable program in Python.
fn write_program(folder: &Folder, name: &str, body: &str) {
    folder.write(name, script(body));
    fs::set_permissions(folder.path(name), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_program_in_python_plays_and_wins_games() {
    let folder = Folder::new();
    write_program(&folder, "bot.py", "answer(request)");
    let games = "--games 40 --games-csv --records games.jsonl --force";
    let run = |threads: u32| {
        let run = format!("simulate --bots exec:./bot.py,random {games} --out {threads}");
        folder.succeeds_quietly(&format!("{run} --threads {threads}"));
        let names = ["win_rates.csv", "games.csv", "turn_order.csv"];
        names.map(|name| folder.read(format!("{threads}/{name}")))
    };
    // The program answers equal requests equally, so the number of processes does not matter.
    assert_eq!(run(1), run(2));
    let rows = folder.rows("1/win_rates.csv");
    for bot in ["exec:./bot.py", "random"] {
        let row = find_row(&rows, &[("bot", bot), ("seat", "all")]);
        assert_eq!(row["games"], "40");
        let win_rate = number(row, "win_rate");
        assert!((0.25..=0.75).contains(&win_rate), "{bot} {win_rate}");
    }
    let manifest = folder.manifest("1");
    assert!(manifest["forfeits"].is_null(), "{manifest}");
    let program = &manifest["bots"][0];
    assert_eq!(program["name"], "exec:./bot.py");
    let parameters = &program["parameters"];
    assert_eq!(parameters["command"], serde_json::json!(["./bot.py"]));
    assert_eq!(parameters["time_seconds"], 10.0);
    assert_eq!(parameters["sha256"]["./bot.py"].as_str().unwrap().len(), 64);
    let statement = parameters["reproducibility"].as_str().unwrap();
    assert!(statement.contains("only if the program gives equal answers"), "{statement}");
    folder.succeeds("replay games.jsonl");
    // Another seed of the requests gives other games.
    folder.succeeds_quietly(&format!(
        "simulate --bots exec:./bot.py,random {games} --seed 2 --out other"
    ));
    assert_ne!(folder.read("1/games.csv"), folder.read("other/games.csv"));
}

#[test]
fn the_example_plays_all_games() {
    let folder = Folder::new();
    folder.copy("examples/bot.py", "bot.py");
    fs::set_permissions(folder.path("bot.py"), fs::Permissions::from_mode(0o755)).unwrap();
    for game in ["the_river --players 3", "glassworks", "common_river --players 4"] {
        let run = format!("match --game {game} --bots exec:./bot.py,random --games 2 --force");
        let printed = folder.succeeds_quietly(&run);
        assert!(printed.contains("exec:./bot.py") && !printed.contains("failure"), "{printed}");
    }
}

/// The requests have what the seat sees, and nothing else.
#[test]
fn a_program_sees_the_view_of_its_seat_only() {
    let folder = Folder::new();
    let body = "open('requests', 'a').write(line)\nanswer(request)";
    write_program(&folder, "bot.py", body);
    let game = "--game common_river --players 3 --games 3";
    let run = format!("simulate {game} --bots exec:./bot.py,random,random --threads 1");
    folder.succeeds_quietly(&format!("{run} --records games.jsonl --out out"));
    let requests = folder.read("requests");
    let mut hidden = 0;
    for line in requests.lines() {
        let request: Value = serde_json::from_str(line).unwrap();
        assert_eq!(problem("bot_request.json", &request), None);
        let keys: Vec<_> = request.as_object().unwrap().keys().map(String::as_str).collect();
        let expected = "actions format game id new_game players position round seat seed \
                        time_seconds";
        let mut sorted = keys.clone();
        sorted.sort_unstable();
        assert_eq!(sorted.join(" "), expected);
        assert!(request["actions"].as_array().unwrap().len() > 1, "a forced action is not asked");
        // The roles of the other seats are `?`; analyze reads the position as a view.
        hidden += request["position"].as_str().unwrap().matches('?').count();
    }
    assert!(requests.lines().count() > 20 && hidden > 20, "{hidden}");
    let one = requests.lines().next().unwrap();
    let position = serde_json::from_str::<Value>(one).unwrap()["position"].clone();
    let analyze = "analyze --iterations 2 --rollouts 0 --json";
    let output = folder.run_with_input(analyze, position.as_str().unwrap());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn a_program_that_fails_loses_its_own_games_only() {
    let folder = Folder::new();
    let cases = [
        ("hangs", "time.sleep(1000)", "did not answer within 0.2 s"),
        ("lies", "answer(request, action='nothing')", "chose \"nothing\", which is not among"),
        ("babbles", "print('{}', flush=True)", "cannot be read, \"{}\"; expected"),
        ("confuses", "answer(request, id=77)", "with the id of the request"),
        ("dies", "sys.exit('out of ideas')", "exit status: 1: out of ideas"),
        ("deaf", "os.close(1)\ntime.sleep(1000)", "it closed its output"),
        ("floods", "print('x' * 10000000, flush=True)", "more than 65536 bytes"),
    ];
    for (name, body, message) in cases {
        write_program(&folder, name, body);
        let bot = format!("exec:time=0.2:start=5:./{name}");
        let run = format!("simulate --bots {bot},random --games 4 --records {name}.jsonl");
        let (printed, messages) =
            folder.exits_with(3, &format!("{run} --games-csv --out {name}-out --quiet"));
        let rows = folder.rows(format!("{name}-out/win_rates.csv"));
        let row = find_row(&rows, &[("bot", &bot), ("seat", "all")]);
        assert_eq!((row["games"].as_str(), row["wins"].as_str()), ("4", "0.0000"), "{name}");
        assert!(number(row, "mean_rank") > 1.999, "{name}");
        let other = find_row(&rows, &[("bot", "random"), ("seat", "all")]);
        assert_eq!(other["wins"], "4.0000", "{name}");
        // Each kind of failure is told once.
        assert_eq!(messages.lines().count(), 1, "{messages}");
        assert!(messages.contains(message) && messages.contains(&bot), "{messages}");
        let sentence = format!("Lost by a failure of the program: {bot} 4 games.");
        let unwrapped = printed.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(unwrapped.contains(&sentence), "{printed}");
        let sentence = format!("{bot} did not play: 4 of 4 games failed.");
        assert!(unwrapped.contains(&sentence), "{printed}");
        assert_eq!(folder.manifest(&format!("{name}-out"))["forfeits"][&bot], 4);
    }
    // The records have the forfeits and follow the rules.
    folder.succeeds("replay lies.jsonl");
    let records = folder.read("lies.jsonl");
    assert_eq!(records.matches("\"forfeits\":[").count(), 4);
    let without = records.replace("\"forfeits\":[0],", "").replace("\"forfeits\":[1],", "");
    let elsewhere = records.replace("\"forfeits\":[0]", "\"forfeits\":[2]");
    for (changed, expected) in
        [(without, "scores, winners"), (elsewhere, "forfeits: expected seats")]
    {
        folder.write("false.jsonl", changed);
        let (_, error) = folder.exits_with(1, "replay false.jsonl");
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn a_greeting_is_skipped_once() {
    let folder = Folder::new();
    let greeting =
        "print('\\ufeffmy bot 1.0\\n{\"name\": \"my bot\"}\\nready', flush=True)\nfor number";
    write_program(&folder, "bot.py", "answer(request)");
    folder.write("bot.py", folder.read("bot.py").replace("for number", greeting));
    let run = "match --bots exec:./bot.py,random --games 4 --threads 2 --quiet --out out";
    let (printed, messages) = folder.exits_with(0, run);
    let warning = "lines before the first answer are skipped: \"my bot 1.0\"\n";
    assert!(messages.ends_with(warning) && messages.lines().count() == 1, "{messages}");
    assert!(printed.contains("36 more games are needed"), "{printed}");
}

#[test]
fn a_program_that_fails_at_times_keeps_its_other_games() {
    let folder = Folder::new();
    // Every process dies at its 100th request.
    write_program(&folder, "bot.py", "if number == 99: os._exit(3)\nanswer(request)");
    let run = "match --bots exec:./bot.py,random --games 40 --out out";
    let (printed, messages) = folder.exits_with(1, &format!("{run} --quiet"));
    assert_eq!(messages.lines().count(), 1, "{messages}");
    assert!(messages.contains("ended before its answer: exit status: 3"), "{messages}");
    let lost = folder.manifest("out")["forfeits"]["exec:./bot.py"].as_u64().unwrap();
    assert!((3..30).contains(&lost), "{lost}");
    assert!(printed.contains("No valid result: programs failed"), "{printed}");
    let rows = folder.rows("out/crosstable.csv");
    let row = find_row(&rows, &[("bot", "exec:./bot.py"), ("opponent", "random")]);
    assert!(number(row, "win_rate") > 0.0, "{row:?}");
}

#[test]
fn a_program_that_cannot_be_started_ends_the_command() {
    let folder = Folder::new();
    folder.write("bot.py", "");
    for command in ["match", "simulate", "balance turn-order"] {
        let run = format!("{command} --bots exec:./bot.py,random --games 40 --quiet --out out");
        let (_, message) = folder.exits_with(2, &run);
        assert!(message.contains("exec:./bot.py: the program cannot be started: "), "{message}");
    }
}

#[test]
fn a_program_is_started_20_times_at_most_and_leaves_no_processes() {
    let folder = Folder::new();
    folder.write(
        "bot.sh",
        "#!/bin/sh\necho >> starts\n(sleep 2; touch left) > /dev/null 2>&1 &\nexit 1\n",
    );
    fs::set_permissions(folder.path("bot.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    let run = "match --bots exec:./bot.sh,random --games 60 --threads 1 --quiet --out out";
    folder.exits_with(3, run);
    assert_eq!(folder.read("starts").lines().count(), 20);
    std::thread::sleep(std::time::Duration::from_secs(3));
    assert!(!folder.path("left").exists());
}

/// With a program that fails, every study prints that its results are invalid, and other commands
/// end with an error.
#[test]
fn other_commands_play_with_programs_that_do_not_fail() {
    let folder = Folder::new();
    write_program(&folder, "good.py", "answer(request)");
    write_program(&folder, "bad.py", "answer(request, action='')");
    folder.succeeds_quietly("balance turn-order --bots exec:./good.py --games 4 --out good");
    let sprt = "match --sprt 0,10,0.05,0.05 --bots exec:./bad.py,random --games 8";
    for study in ["balance turn-order --bots exec:./bad.py --games 4", sprt] {
        let run = format!("{study} --out bad --force --quiet");
        let (printed, _) = folder.exits_with(3, &run);
        assert!(printed.contains("\nexec:./bad.py did not play: "), "{printed}");
        assert!(!printed.contains('%') && printed.lines().count() <= 9, "{printed}");
        assert_eq!(folder.manifest("bad")["exit_code"], 3);
        assert!(folder.read("bad/report.html").contains("class=\"lead\">exec:./bad.py did not"));
        folder.exits_with(3, &format!("{study} --out bad --resume --quiet"));
    }
    let random = "simulate --bots random --games 1 --records game.jsonl --quiet --out random";
    folder.succeeds(random);
    let analyze = "analyze --record game.jsonl --move 31 --iterations 20 --rollouts 2 --quiet";
    let analyze = format!("{analyze} --svg board.svg --policy exec:./bad.py");
    let (printed, message) = folder.exits_with(2, &analyze);
    assert!(printed.is_empty() && message.contains("a program failed in"), "{printed}{message}");
    assert!(!folder.path("board.svg").exists());
}

#[test]
fn people_play_against_programs() {
    let folder = Folder::new();
    write_program(&folder, "good.py", "answer(request)");
    write_program(&folder, "bad.py", "answer(request, action='')");
    let play = |bot: &str| {
        let flags = format!("play --bots exec:./{bot},random --save {bot}.jsonl --quiet --force");
        folder.run_with_input(&flags, "")
    };
    let good = play("good.py");
    assert_eq!(good.status.code(), Some(0), "{good:?}");
    assert!(good.stderr.is_empty(), "{good:?}");
    let record: Value = serde_json::from_str(&folder.read("good.py.jsonl")).unwrap();
    assert!(record["forfeits"].is_null() && record["winners"].is_array(), "{record}");
    let bad = play("bad.py");
    let messages = String::from_utf8(bad.stderr).unwrap();
    assert!(messages.contains("chose \"\", which is not among"), "{messages}");
    let record: Value = serde_json::from_str(&folder.read("bad.py.jsonl")).unwrap();
    assert_eq!(record["forfeits"], serde_json::json!([0]));
    assert_eq!(record["winners"], serde_json::json!([1]));
    folder.succeeds("replay bad.py.jsonl");
    // A file cannot start a program.
    let refused = "play --load good.py.jsonl";
    folder.refuses(refused, &["--load", "expected --bots", "exec:./good.py"]);
}

/// A program that plays otherwise on one machine, as if that machine computed wrongly.
#[test]
fn a_shard_that_deviates_is_named() {
    let folder = Folder::new();
    let program = "answer(request, **({'action': request['actions'][0]} if \
                   os.path.exists('wrong') else {}))";
    write_program(&folder, "bot.py", program);
    let run = "simulate --quiet --bots exec:./bot.py,random --games 240";
    for index in 1..=3 {
        if index == 2 {
            folder.write("wrong", "");
        } else if index == 3 {
            fs::remove_file(folder.path("wrong")).unwrap();
        }
        folder.succeeds(&format!("{run} --shard {index}/3 --out {index}"));
    }
    let expected = ["2: deviates from the other shards: ", "standard errors", "another machine"];
    folder.refuses("merge 1 2 3 --out merged", &expected);
    folder.succeeds("merge 1 2 3 --out merged --quiet --allow-deviations");
    folder.succeeds(&format!("{run} --shard 2/3 --out 2 --force"));
    folder.succeeds("merge 1 2 3 --out merged --quiet --force");
}
