//! The same program, data and seed give the same bytes for any number of threads.

use super::resume::same_files;
use crate::support::Folder;

fn simulate(folder: &Folder, out: &str, arguments: &str) {
    let run = "simulate --quiet --games-csv";
    folder.succeeds(&format!("{run} {arguments} --out {out} --records {out}.jsonl"));
}

/// Among the searches are some with several trees and some that reuse their tree.
#[test]
fn the_number_of_threads_does_not_change_searches() {
    let folder = Folder::new();
    let searches = [
        "mcts:iterations=12:trees=3,mcts:iterations=12:trees=3:worlds=true",
        "mcts:iterations=12:reuse=1:trees=2,mcts:iterations=12:final_choice=halving",
        "mcts:iterations=12:selection=puct:prior=balanced:chance_nodes=2,\
         mcts:steps=600:branching=per-seat:trees=2",
        "mcts:iterations=12:playout=mast:cut_off=2:value=balanced,\
         flat:iterations=12:branching=own-moves:opponents=paranoid",
    ];
    for (index, bots) in searches.iter().enumerate() {
        for threads in ["1", "2"] {
            let arguments = format!("--bots {bots} --games 2 --seed 5 --threads {threads}");
            simulate(&folder, &format!("{index}-{threads}"), &arguments);
        }
        let [one, two] = [1, 2].map(|threads| format!("{index}-{threads}"));
        same_files(&folder, &one, &two);
        let records = [one, two].map(|out| folder.read(format!("{out}.jsonl")));
        assert!(records[0] == records[1], "{bots}");
    }
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
