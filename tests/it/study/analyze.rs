//! `watershed analyze`.

use serde_json::Value;

use crate::support::Folder;

/// Returns the analysis as JSON.
fn analysis(folder: &Folder, arguments: &str) -> Value {
    serde_json::from_str(&folder.succeeds(&format!("analyze --json {arguments}"))).unwrap()
}

fn record(folder: &Folder, game: &str, players: usize) {
    folder.succeeds(&format!(
        "simulate --game {game} --players {players} --bots random --games 1 --records {game}.jsonl \
         --quiet --out {game}"
    ));
}

#[test]
fn positions_of_all_games_are_analysed_from_records_and_from_text() {
    let folder = Folder::new();
    for (game, players) in [("the_river", 3), ("glassworks", 2), ("common_river", 3)] {
        record(&folder, game, players);
        let record: Value = serde_json::from_str(&folder.read(format!("{game}.jsonl"))).unwrap();
        let events = record["events"].as_array().unwrap();
        let decisions = (0..events.len()).filter(|&event| events[event][0].is_number());
        let wanted: Vec<_> = decisions.step_by(1 + events.len() / 3).collect();
        assert!(wanted.len() >= 2, "{game}");
        for event in wanted {
            let budget = "--iterations 100 --rollouts 40 --policy random";
            let from_record =
                analysis(&folder, &format!("--record {game}.jsonl --move {event} {budget}"));
            assert_eq!(from_record["format"], "watershed.analysis/3");
            assert_eq!(from_record["decider"], events[event][0]);
            assert_eq!(from_record["played"], events[event][1]);
            assert_eq!(from_record["seats"].as_array().unwrap().len(), players);
            let actions = from_record["actions"].as_array().unwrap();
            let played = actions.iter().find(|action| action["action"] == events[event][1]);
            let n = played.unwrap()["n"].as_u64().unwrap();
            assert!(n >= 4, "the played action is a candidate");
            for action in actions {
                let number = |key: &str| action[key].as_f64();
                match (number("low"), number("value"), number("high")) {
                    (Some(low), Some(value), Some(high)) => {
                        assert!(low <= value && value <= high, "{action}");
                        assert!(action["n"].as_u64() >= Some(4), "{action}");
                    }
                    (low, _, high) => assert_eq!((low, high), (None, None), "{action}"),
                }
            }
            let mut command = folder.command(&format!(
                "analyze --json --iterations 100 --rollouts 40 --policy random --also {}",
                events[event][1].as_str().unwrap()
            ));
            let position = from_record["position"].as_str().unwrap();
            let output = command.args(["--position", position]).output().unwrap();
            let mut from_text: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(from_text["played"].take(), Value::Null);
            from_text["played"] = from_record["played"].clone();
            assert_eq!(from_text, from_record);
        }
    }
}

#[test]
fn text_leads_with_the_best_action_and_fits_80_columns() {
    let folder = Folder::new();
    record(&folder, "the_river", 2);
    let arguments = "--record the_river.jsonl --move 31 --iterations 300 --rollouts 60";
    let text = folder.succeeds(&format!("analyze {arguments}"));
    let json = analysis(&folder, arguments);
    assert!(text.starts_with("The River, 2 players, round "), "{text}");
    let best = json["actions"][0]["action"].as_str().unwrap();
    let unwrapped = text.replace('\n', " ");
    let answer = text.lines().nth(1).unwrap();
    assert!(answer.starts_with("Best: ") || answer.starts_with("Not sure: "), "{text}");
    assert!(unwrapped.contains(&format!(" ({best})")), "{text}");
    assert!(unwrapped.contains(" Player 2 wins "), "{text}");
    assert!(text.contains("chances calibrated on"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert_eq!(folder.succeeds(&format!("analyze {arguments} --threads 1")), text);
    let without = "--record the_river.jsonl --move 31 --iterations 100 --rollouts 0";
    let without = analysis(&folder, without);
    assert_eq!(without["rollouts"], 0);
    let actions = without["actions"].as_array().unwrap();
    assert!(actions.iter().all(|action| action["low"].is_null() && action["n"] == 0));
    assert!(actions[0]["value"].as_f64().unwrap() > 0.0);
}

#[test]
fn analyses_until_stable_say_so_and_are_the_same_for_any_number_of_threads() {
    let folder = Folder::new();
    record(&folder, "glassworks", 2);
    let record: Value = serde_json::from_str(&folder.read("glassworks.jsonl")).unwrap();
    let events = record["events"].as_array().unwrap();
    let decision = events.iter().rposition(|event| event[0].is_number()).unwrap();
    let arguments = format!(
        "--record glassworks.jsonl --move {decision} --iterations 50 --rollouts 20 --until-stable"
    );
    let [one, two] =
        [1, 2].map(|threads| analysis(&folder, &format!("{arguments} --threads {threads}")));
    assert_eq!(one, two);
    let close = one["actions"].as_array().unwrap().iter().filter(|one| one["verdict"] == "close");
    assert!(one["stable"] == true || close.count() > 1, "{one}");
}

#[test]
fn boards_are_printed_and_drawn() {
    let folder = Folder::new();
    record(&folder, "glassworks", 2);
    let record: Value = serde_json::from_str(&folder.read("glassworks.jsonl")).unwrap();
    let events = record["events"].as_array().unwrap();
    let decision = events.iter().position(|event| event[0].is_number()).unwrap();
    let position = format!("analyze --record glassworks.jsonl --move {decision} --rollouts 0");
    let answer = folder.succeeds(&format!("{position} --iterations 20"));
    let with_board =
        folder.succeeds(&format!("{position} --iterations 20 --board --svg board.svg"));
    let (board, rest) = with_board.split_at(with_board.len() - answer.len());
    assert_eq!(rest, answer);
    assert!(board.starts_with("River Valley Glassworks, 2 players, round 1\n"), "{board}");
    assert!(board.contains("(decides)\n") && board.ends_with("\n\n"), "{board}");
    assert!(board.lines().all(|line| line.chars().count() <= 80), "{board}");
    let picture = folder.read("board.svg");
    assert!(picture.starts_with("<svg ") && picture.contains("width=\"728\""), "{picture}");
    let narrow = "--svg narrow.svg --svg-width 360 --iterations 20 --json";
    folder.succeeds(&format!("{position} {narrow}"));
    let narrow = folder.read("narrow.svg");
    assert!(narrow.contains("class=\"scene-sheet\" width=\"360\""), "{narrow}");
}
