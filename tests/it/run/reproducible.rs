//! Same binary, data and seed: same bytes, whatever the number of threads.

use std::{
    convert::Infallible,
    fs,
    path::Path,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
};

use tempfile::TempDir;
use watershed::{
    arena::run::{BlockBatch, Experiment},
    bots::profile::BotLibrary,
    game::FullGame,
    games::{GameName, GameTask},
};

use crate::support::{manifest_without_timing, succeeds, watershed};

fn simulate(folder: &Path, out: &str, arguments: &[&str]) {
    let records = format!("{out}.jsonl");
    let run = ["simulate", "--quiet", "--games-csv", "--out", out, "--records", &records];
    succeeds(folder, &[&run[..], arguments].concat());
}

#[track_caller]
fn same_runs(folder: &Path, one: &str, other: &str) {
    for table in [
        "win_rates.csv",
        "turn_order.csv",
        "buildings.csv",
        "tiles.csv",
        "openings.csv",
        "health.csv",
        "games.csv",
        "report.html",
    ] {
        let read = |out: &str| fs::read(folder.join(out).join(table)).unwrap();
        assert!(read(one) == read(other), "{table} differs between {one} and {other}");
    }
    let read = |out: &str| fs::read(folder.join(format!("{out}.jsonl"))).unwrap();
    assert!(read(one) == read(other), "records differ between {one} and {other}");
    assert_eq!(manifest_without_timing(folder, one), manifest_without_timing(folder, other));
}

#[test]
fn the_number_of_threads_does_not_change_a_run() {
    let folder = TempDir::new().unwrap();
    for (players, bots) in [
        ("2", "balanced,random"),
        ("3", "settler,random-kind,mcts:iterations=20"),
        ("4", "random*"),
    ] {
        let arguments = ["--players", players, "--bots", bots, "--games", "300", "--seed", "7"];
        for threads in ["1", "2", "5"] {
            let out = format!("{players}-{threads}");
            simulate(folder.path(), &out, &[&arguments[..], &["--threads", threads]].concat());
        }
        same_runs(folder.path(), &format!("{players}-1"), &format!("{players}-2"));
        same_runs(folder.path(), &format!("{players}-1"), &format!("{players}-5"));
    }
}

/// Also when trees search side by side on the same threads, and when much is kept from decision to
/// decision.
#[test]
fn the_number_of_threads_does_not_change_searches() {
    let folder = TempDir::new().unwrap();
    let searches = [
        "mcts:iterations=30:trees=3,mcts:iterations=30:trees=3:worlds=true",
        "mcts:iterations=30:reuse=1:trees=2,mcts:iterations=30:final_choice=halving",
        "mcts:iterations=30:selection=puct:prior=balanced:chance_nodes=2,mcts:steps=1500:branching=per-seat:trees=2",
        "mcts:iterations=30:playout=mast:cut_off=2:value=balanced,flat:iterations=30:branching=own-moves:opponents=paranoid",
    ];
    for (index, bots) in searches.iter().enumerate() {
        let arguments = ["--bots", bots, "--games", "12", "--seed", "5"];
        for threads in ["1", "2"] {
            simulate(
                folder.path(),
                &format!("{index}-{threads}"),
                &[&arguments[..], &["--threads", threads]].concat(),
            );
        }
        same_runs(folder.path(), &format!("{index}-1"), &format!("{index}-2"));
    }
}

/// Plays until it has heard of 30 games and then interrupts the run.
struct Interrupted;

impl GameTask for Interrupted {
    /// Games played and games that came back.
    type Output = (u64, u64);

    fn run<G: FullGame>(self, game: &G, library: &BotLibrary<'_>) -> (u64, u64) {
        let bots = [library.read("balanced").unwrap(), library.read("random").unwrap()];
        let experiment =
            Experiment { game_rows: true, ..Experiment::new(game, &bots, 1, 0..10_000) };
        let (stop, played) = (AtomicBool::new(false), AtomicU64::new(0));
        let hear = |games| {
            if played.fetch_add(games, Ordering::Relaxed) >= 30 {
                stop.store(true, Ordering::Relaxed);
            }
        };
        let mut merged = 0;
        let merge = |batch: BlockBatch| {
            for line in batch.game_rows {
                assert_eq!(line.index, merged);
                merged += 1;
            }
            Ok::<_, Infallible>(())
        };
        experiment.run(&stop, &hear, merge).unwrap();
        (played.into_inner(), merged)
    }
}

#[test]
fn an_interrupt_loses_no_finished_game() {
    let game = GameName::TheRiver;
    for threads in [1, 2, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (played, merged) =
            pool.install(|| game.bind_and_run(&game.default_document(), 2, Interrupted)).unwrap();
        assert_eq!(played, merged);
        assert!((30..10_000).contains(&merged), "{merged}");
    }
}

#[test]
fn another_seed_changes_the_games() {
    let folder = TempDir::new().unwrap();
    simulate(folder.path(), "one", &["--games", "20", "--seed", "1"]);
    simulate(folder.path(), "two", &["--games", "20", "--seed", "2"]);
    let read = |out: &str| fs::read(folder.path().join(out).join("games.csv")).unwrap();
    assert!(read("one") != read("two"));
}

/// In the games of a block, chance is the same: its k-th tile is the same tile whatever the bots
/// do.
#[test]
fn a_block_plays_one_deal() {
    let folder = TempDir::new().unwrap();
    simulate(folder.path(), "run", &["--bots", "balanced,random-kind", "--games", "40"]);
    let records = fs::read_to_string(folder.path().join("run.jsonl")).unwrap();
    let chance: Vec<[Vec<String>; 2]> = records
        .lines()
        .map(|line| {
            let record: serde_json::Value = serde_json::from_str(line).unwrap();
            let outcomes = |source: &str| {
                let events = record["events"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .filter(|event| event[0] == "chance");
                let texts = events.map(|event| event[1].as_str().unwrap().to_owned());
                // Until the first reshuffle: what is discarded depends on the bots.
                texts
                    .take_while(|text| text != "reshuffle")
                    .filter(|text| text.starts_with(source))
                    .collect()
            };
            [outcomes("tile:"), outcomes("building:")]
        })
        .collect();
    assert_eq!(chance.len(), 40);
    for block in chance.chunks(2) {
        for (one, other) in block[0].iter().zip(&block[1]) {
            let both = one.len().min(other.len());
            assert!(both >= 4);
            assert_eq!(one[..both], other[..both]);
        }
    }
}

#[test]
fn the_signature_is_the_recorded_one() {
    let output = watershed(".", &["bench", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["signature"], include_str!("../../signature.txt").trim());
    assert!(report["games"]["the_river"]["playout_ns_per_event"].as_f64().unwrap() > 0.0);
}
