//! `watershed bench`.

use serde_json::{Value, json};
use watershed::games::{
    BuiltInGame as _, GameDefinition as _, built_in_games, common_river::CommonRiver,
    glassworks::Glassworks, the_river::TheRiver,
};

use crate::support::Folder;

/// A run that takes a moment.
const QUICK: &str = "bench --scale 0.002";
/// Workloads whose speeds are measured; `network` only in games that have one.
const WORKLOADS: [&str; 9] = [
    "expert",
    "heuristic",
    "kind_playouts",
    "mcts",
    "mcts_games",
    "network",
    "playouts",
    "simulate",
    "uct",
];

fn report(folder: &Folder, arguments: &str) -> Value {
    serde_json::from_str(&folder.succeeds(&format!("{arguments} --json"))).unwrap()
}

#[track_caller]
fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

/// Checks that a value and the ends of its range are in order.
#[track_caller]
fn check_range(summary: &Value) {
    let [min, median, max] = ["min", "median", "max"].map(|key| number(&summary[key]));
    assert!(0.0 < min && min <= median && median <= max && max.is_finite(), "{summary}");
}

#[test]
fn the_report_has_all_fields_and_the_recorded_signature() {
    let folder = Folder::new();
    let report = report(&folder, &format!("{QUICK} --repetitions 3"));
    let signature = include_str!("../../signature.txt").trim();
    assert_eq!(report["signature"], signature);
    assert_eq!(report["format"], "watershed.bench/1");
    assert_eq!((&report["repetitions"], &report["work"]), (&json!(3), &json!(0.002)));
    let (machine, build) = (&report["machine"], &report["build"]);
    assert!(machine["cores"].as_u64().unwrap() >= 1);
    for (value, expected) in [
        (&machine["os"], std::env::consts::OS),
        (&machine["arch"], std::env::consts::ARCH),
        (&build["source_sha256"], watershed::identity::SOURCE_SHA256),
    ] {
        assert_eq!(value, expected);
    }
    assert!(build["rustc"].as_str().unwrap().starts_with("rustc 1."), "{build}");
    let profile = build["profile"].as_str().unwrap();
    assert!(["release", "debug", "dist", "ci"].contains(&profile), "{build}");
    assert!(machine["instruction_sets"].is_array() && build["target_features"].is_array());

    let games = report["games"].as_object().unwrap();
    assert_eq!(games.len(), built_in_games().all().len());
    let networks =
        [TheRiver::FILES.networks, Glassworks::FILES.networks, CommonRiver::FILES.networks];
    for (game, networks) in built_in_games().all().iter().zip(networks) {
        let report = &games[game.id];
        assert_eq!(report["players"], game.min_players);
        assert_eq!(report["signature"].as_str().unwrap().len(), 16);
        let workloads = report["workloads"].as_object().unwrap();
        let mut expected = WORKLOADS.to_vec();
        expected.retain(|&name| name != "network" || !networks.is_empty());
        assert_eq!(workloads.keys().collect::<Vec<_>>(), expected);
        for (name, workload) in workloads {
            check_range(&workload["per_s"]);
            let units = number(&workload["units"]);
            for seconds in ["cpu_seconds", "wall_seconds"] {
                let seconds: Vec<_> =
                    workload[seconds].as_array().unwrap().iter().map(number).collect();
                assert_eq!(seconds.len(), 3, "{name}");
                let best = units / seconds.into_iter().fold(f64::INFINITY, f64::min);
                assert!(best > 0.0, "{name}");
            }
        }
        let [playouts, uct] = ["playouts", "uct"].map(|name| &workloads[name]);
        let per_playout = number(&playouts["events"]) / number(&playouts["units"]);
        assert_eq!(report["events_per_playout"], per_playout);
        assert_eq!(report["playouts_per_s"], playouts["per_s"]["median"]);
        assert_eq!(report["mcts_iterations_per_s"], uct["per_s"]["median"]);
        if !networks.is_empty() {
            let network = &workloads["network"];
            let bot = if game.id == CommonRiver::ID { "expert1" } else { "expert" };
            assert_eq!((&network["units"], &network["bot"]), (&json!(100), &json!(bot)));
            assert_eq!(report["network_evaluations_per_s"], network["per_s"]["median"]);
        }
        let ns = 1e9 / number(&report["playouts_per_s"]) / per_playout;
        assert!((number(&report["playout_ns_per_event"]) / ns - 1.0).abs() < 1e-9, "{report:#}");
        // 0.08 searches are rounded up to one, of 1,000 iterations by default.
        assert_eq!(workloads["mcts"]["units"], 1000);
        assert_eq!(workloads["mcts"]["bot"], "mcts");
    }
}

#[test]
fn work_is_equal_in_every_run_and_can_be_selected() {
    let folder = Folder::new();
    let arguments = "bench --game glassworks --players 3 --workload playouts,heuristic --scale \
                     0.01 --repetitions 1";
    let work = |report: &Value| {
        let game = &report["games"]["glassworks"];
        assert_eq!(game["players"], 3);
        assert!(game.get("signature").is_none() && report.get("signature").is_none());
        assert!(game.get("mcts_iterations_per_s").is_none());
        let workloads = game["workloads"].as_object().unwrap();
        let work: Vec<_> = workloads
            .iter()
            .map(|(name, workload)| json!([name, workload["units"], workload["events"]]))
            .collect();
        assert_eq!(work.len(), 2);
        work
    };
    let found = work(&report(&folder, arguments));
    assert_eq!(found, work(&report(&folder, arguments)));
    assert_eq!((&found[0][1], &found[1][1]), (&json!(10), &json!(200)));

    let printed = folder.succeeds(arguments);
    assert!(printed.starts_with("Median speeds of one thread by "), "{printed}");
    assert!(printed.contains("ns/event"), "{printed}");
    assert!(printed.lines().all(|line| line.chars().count() <= 80), "{printed}");
}

#[test]
fn all_numbers_of_players_can_be_measured() {
    let folder = Folder::new();
    let arguments = "bench --players all --workload signature,network --scale 0.01 --repetitions 1";
    let report = report(&folder, arguments);
    let river = &report["games"]["the_river"];
    assert_eq!(river["players"], 2);
    let others = river["by_players"].as_object().unwrap();
    assert_eq!(others.keys().collect::<Vec<_>>(), ["3", "4"]);
    for (players, other) in others {
        assert_eq!(other["players"].to_string(), *players);
        assert_eq!(other["workloads"]["network"]["units"], 500);
        assert!(number(&other["network_evaluations_per_s"]) > 0.0, "{other}");
    }
    // We All Take from the River has networks for one to three players.
    let alone = &report["games"]["common_river"];
    assert_eq!(alone["workloads"]["network"]["bot"], "expert1");
    assert_eq!(alone["by_players"]["3"]["workloads"]["network"]["bot"], "expert3");
    assert_eq!(alone["by_players"]["4"]["workloads"], json!({}));
    // The signature is of the smallest numbers of players.
    assert_eq!(report["signature"], include_str!("../../signature.txt").trim());
    let arguments = arguments.replace("signature,", "");
    let printed = folder.succeeds(&arguments);
    assert!(printed.contains("the_river 2") && printed.contains("the_river 4"), "{printed}");
    assert!(printed.lines().all(|line| line.chars().count() <= 80), "{printed}");
}

/// Multiplies the times of a workload.
fn slow_down(report: &mut Value, workload: &str, factor: f64) {
    let workload = &mut report["games"]["the_river"]["workloads"][workload];
    for clock in ["cpu_seconds", "wall_seconds"] {
        for seconds in workload[clock].as_array_mut().unwrap() {
            *seconds = json!(number(seconds) * factor);
        }
    }
}

#[test]
fn planted_slowdowns_are_found_and_equal_speeds_are_not() {
    let folder = Folder::new();
    let run = "bench --game the_river --workload playouts,kind_playouts --scale 0.01";
    let old = report(&folder, run);
    // The old speed of playouts is a hundredth of the new one, or a hundred times as high, which no
    // load of the machine imitates.
    let mut slower = old.clone();
    slow_down(&mut slower, "playouts", 100.0);
    folder.write("slower.json", slower.to_string());
    let mut faster = old;
    slow_down(&mut faster, "playouts", 0.01);
    folder.write("faster.json", faster.to_string());

    let found = report(&folder, &format!("{run} --compare slower.json --max-slowdown 90"));
    let comparison = &found["comparison"];
    let [playouts, kinds] = [0, 1].map(|index| &comparison["workloads"][index]);
    assert_eq!(
        (&playouts["workload"], &kinds["workload"]),
        (&json!("playouts"), &json!("kind_playouts"))
    );
    assert_eq!(playouts["verdict"], "faster");
    assert_ne!(kinds["verdict"], "too_slow");
    let [low, ratio, high] =
        ["ratio_ci_low", "ratio", "ratio_ci_high"].map(|key| number(&playouts[key]));
    assert!(low <= ratio && ratio <= high && (20.0..500.0).contains(&ratio), "{playouts}");

    let compare = format!("{run} --compare faster.json");
    let (printed, _) = folder.exits_with(1, &format!("{compare} --max-slowdown 90"));
    let lead = "1 of 2 workloads are slower than in faster.json by more than 90 %.";
    assert!(printed.contains(lead) && printed.contains("too slow"), "{printed}");
    assert!(printed.lines().all(|line| line.chars().count() <= 80), "{printed}");
    // Without a limit, a slower workload is reported and accepted.
    let printed = folder.succeeds(&compare);
    assert!(printed.contains("slower") && !printed.contains("too slow"), "{printed}");
}

#[test]
fn reports_that_cannot_be_compared_are_refused() {
    let folder = Folder::new();
    let run = "bench --game the_river --workload playouts --scale 0.002";
    let good = report(&folder, &format!("{run} --repetitions 4"));
    let refuses = |name: &str, text: &str, flags: &str, parts: &[&str]| {
        folder.write(name, text);
        let arguments = format!("{run} --compare {name} {flags}");
        folder.refuses(&arguments, &[&["--compare", name], parts].concat());
    };
    let expected = "expected a report of `watershed bench --json`";
    refuses("text.json", "not JSON", "", &[expected]);
    refuses("other.json", "{}", "", &[expected, "format"]);
    refuses("run.json", r#"{"format": "watershed.run/2"}"#, "", &[expected, "watershed.run/2"]);
    let mut broken = good.clone();
    broken["games"] = json!(3);
    refuses("broken.json", &broken.to_string(), "", &[expected]);
    let mut zero = good.clone();
    slow_down(&mut zero, "playouts", 0.0);
    refuses("zero.json", &zero.to_string(), "", &[expected, "above 0"]);
    let good = good.to_string();
    refuses(
        "good.json",
        &good,
        "--scale 0.004",
        &["playouts", "size of 80", "found 40", "--scale"],
    );
    refuses("good.json", &good, "--players 3", &["the_river", "3 players", "found 2"]);
    refuses("good.json", &good, "--game glassworks", &["glassworks", "expected this game"]);
    refuses("good.json", &good, "--workload uct", &["uct", "expected this workload"]);
    let arguments = format!("{run} --compare good.json --repetitions 3");
    folder.refuses(&arguments, &["--repetitions", "at least 4", "found 3"]);
    folder.write("few.json", report(&folder, &format!("{run} --repetitions 3")).to_string());
    folder.refuses(&format!("{run} --compare few.json"), &["few.json", "at least 4", "found 3"]);
    folder.refuses(&format!("{run} --compare missing.json"), &["missing.json", "can't be read"]);

    folder.refuses("bench --max-slowdown 5", &["--compare"]);
    folder.refuses("bench --players 2", &["--players", "--game"]);
    folder.refuses("bench --players some", &["--players", "or `all`"]);
    folder.refuses(&format!("{run} --players all --compare good.json"), &["--players", "a number"]);
    folder.refuses("bench --game the_river --players 5", &["--players", "2 to 4", "found 5"]);
    folder.refuses("bench --scale 0", &["--scale", "0.001"]);
    folder.refuses("bench --work 0", &["--scale", "0.001"]);
    folder.refuses("bench --repetitions 0", &["--repetitions", "at least 1"]);
    folder.refuses("bench --workload speed", &["--workload", "playouts"]);
}
