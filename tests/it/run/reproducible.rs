//! The same program, data and seed give the same bytes for any number of threads.

use crate::task::{GameTask, bind_and_run};
use std::{
    convert::Infallible,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
};

use watershed::BuiltInGame;
use watershed::{
    arena::run::{BlockBatch, Experiment},
    bots::profile::BotLibrary,
    games::{GameDefinition as _, the_river::TheRiver},
};

use crate::support::Folder;

fn simulate(folder: &Folder, out: &str, arguments: &str) {
    let run = "simulate --quiet --games-csv";
    folder.succeeds(&format!("{run} {arguments} --out {out} --records {out}.jsonl"));
}

#[track_caller]
fn same_runs(folder: &Folder, one: &str, other: &str) {
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
        let read = |out: &str| folder.read(format!("{out}/{table}"));
        assert!(read(one) == read(other), "{table} differs between {one} and {other}");
    }
    let read = |out: &str| folder.read(format!("{out}.jsonl"));
    assert!(read(one) == read(other), "records differ between {one} and {other}");
    assert_eq!(folder.manifest_without_timing(one), folder.manifest_without_timing(other));
}

/// Among the searches are some with several trees and some that reuse their tree.
#[test]
fn the_number_of_threads_does_not_change_searches() {
    let folder = Folder::new();
    let searches = [
        "mcts:iterations=30:trees=3,mcts:iterations=30:trees=3:worlds=true",
        "mcts:iterations=30:reuse=1:trees=2,mcts:iterations=30:final_choice=halving",
        "mcts:iterations=30:selection=puct:prior=balanced:chance_nodes=2,\
         mcts:steps=1500:branching=per-seat:trees=2",
        "mcts:iterations=30:playout=mast:cut_off=2:value=balanced,\
         flat:iterations=30:branching=own-moves:opponents=paranoid",
    ];
    for (index, bots) in searches.iter().enumerate() {
        for threads in ["1", "2"] {
            let arguments = format!("--bots {bots} --games 6 --seed 5 --threads {threads}");
            simulate(&folder, &format!("{index}-{threads}"), &arguments);
        }
        same_runs(&folder, &format!("{index}-1"), &format!("{index}-2"));
    }
}

/// Interrupts a run after 30 games.
struct Interrupted;

impl GameTask for Interrupted {
    /// The number of games played, and of games returned.
    type Output = (u64, u64);

    fn run<G: BuiltInGame>(self, game: &G, library: &BotLibrary) -> (u64, u64) {
        let bots = [library.read("balanced").unwrap(), library.read("random").unwrap()];
        let experiment = Experiment { game_rows: true, ..Experiment::new(&bots, 1, 0..10_000) };
        let (stop, played) = (AtomicBool::new(false), AtomicU64::new(0));
        let on_games = |games| {
            if played.fetch_add(games, Ordering::Relaxed) >= 30 {
                stop.store(true, Ordering::Relaxed);
            }
        };
        let mut merged = 0;
        let merge = |batch: BlockBatch| {
            for row in batch.game_rows {
                assert_eq!(row.index, merged);
                merged += 1;
            }
            Ok::<_, Infallible>(())
        };
        experiment.run(game, &stop, &on_games, merge).unwrap();
        (played.into_inner(), merged)
    }
}

#[test]
fn an_interrupt_loses_no_finished_game() {
    let document = &TheRiver::default_document();
    for threads in [1, 2, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (played, merged) =
            pool.install(|| bind_and_run(TheRiver::ID, document, 2, Interrupted)).unwrap();
        assert_eq!(played, merged);
        assert!((30..10_000).contains(&merged), "{merged}");
    }
}

#[test]
fn another_seed_changes_the_games() {
    let folder = Folder::new();
    simulate(&folder, "one", "--bots random --games 20 --seed 1");
    simulate(&folder, "two", "--bots random --games 20 --seed 2");
    let read = |out: &str| folder.read(format!("{out}/games.csv"));
    assert!(read("one") != read("two"));
}

/// In all games of a block the k-th tile is the same.
#[test]
fn a_block_plays_one_deal() {
    let folder = Folder::new();
    simulate(&folder, "run", "--bots balanced,random-kind --games 40");
    let records = folder.read("run.jsonl");
    let outcomes = |line: &str, source: &str| -> Vec<String> {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let events = record["events"].as_array().unwrap().iter();
        let texts = events.filter(|event| event[0] == "chance").map(|event| &event[1]);
        // After the first reshuffle the tiles depend on the bots.
        let texts =
            texts.map(|text| text.as_str().unwrap()).take_while(|text| *text != "reshuffle");
        texts.filter(|text| text.starts_with(source)).map(str::to_owned).collect()
    };
    let chance: Vec<_> = records
        .lines()
        .map(|line| ["tile:", "building:"].map(|source| outcomes(line, source)))
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
