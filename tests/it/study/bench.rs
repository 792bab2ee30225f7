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
