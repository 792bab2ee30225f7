//! Runs that are interrupted and resumed, or played as shards and merged, end with the same bytes
//! as a run in one go.

use std::{fs, path::Path, time::Duration};

use watershed::rng::{self, Purpose};

use crate::support::{Folder, interrupt, tree};

/// A run of some seconds that writes all files.
const RUN: &str = "simulate --quiet --bots balanced,random --seed 7 --games-csv";

/// Returns an edited `tally.json` with the hash that belongs to it.
pub(super) fn with_hash(text: &str) -> String {
    let (json, _) = text.rsplit_once(",\"sha256\":\"").unwrap();
    format!("{json},\"sha256\":\"{}\"}}", watershed::config::sha256(json.as_bytes()))
}

/// Returns the files of a run, without the parts of its manifest that may differ between equal
/// runs.
fn files(folder: &Folder, out: &str) -> Vec<(String, Vec<u8>)> {
    let run = folder.path(out);
    let mut files = tree(&run);
    // It has the wall time.
    files.retain(|(name, _)| !name.ends_with("tally.json"));
    for (name, contents) in &mut files {
        *name = Path::new(name).strip_prefix(&run).unwrap().display().to_string();
        if let Some(inner) = name.strip_suffix("run.json") {
            let mut manifest = folder.manifest_without_timing(&format!("{out}/{inner}"));
            manifest["arguments"].take();
            *contents = manifest.to_string().into_bytes();
        }
    }
    files
}

#[track_caller]
pub(crate) fn same_files(folder: &Folder, one: &str, other: &str) {
    let (one, other) = (files(folder, one), files(folder, other));
    let names =
        |files: &[(String, _)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&one), names(&other));
    for ((name, contents), (_, others)) in one.iter().zip(&other) {
        assert!(contents == others, "{name} differs");
    }
}

/// Kills a run up to 6 times, each time after a random delay, and resumes it. Two of 3 delays begin
/// when the run has saved more blocks.
#[test]
fn a_run_that_is_killed_repeatedly_ends_with_the_same_files() {
    let folder = Folder::new();
    let games = "--games 7000 --game glassworks";
    let run = |out: &str| format!("{RUN} {games} --out {out} --records {out}.jsonl.gz");
    let (whole, killed) = (run("whole"), format!("{} --resume", run("killed")));
    let table = folder.succeeds(&whole);
    let mut rng = rng::stream(1, 0, 0, Purpose::Playout);
    let (mut with_progress, mut of_resumed) = (0, 0);
    let mut ended = None;
    for kill in 0..6 {
        let before = folder.saved_blocks("killed");
        let mut run = folder.start(&killed);
        let waits_for_progress = kill % 3 < 2;
        while waits_for_progress
            && folder.saved_blocks("killed") == before
            && run.try_wait().unwrap().is_none()
        {
            std::thread::sleep(Duration::from_millis(2));
        }
        std::thread::sleep(Duration::from_millis(rng::random_below(&mut rng, 60).into()));
        run.kill().unwrap();
        let output = run.wait_with_output().unwrap();
        if folder.path("killed/run.json").exists() {
            ended = Some(output);
            break;
        }
        let after = folder.saved_blocks("killed");
        assert!(after >= before, "what was saved is not lost");
        with_progress += u32::from(after > before);
        of_resumed += u32::from(after > before && before > 0);
    }
    assert!(
        with_progress >= 2 && of_resumed >= 1,
        "{with_progress} kills after progress, {of_resumed} of them of a resumed run"
    );
    match ended {
        // The last kill came during or after the output of the results.
        Some(output) if output.status.code().is_none() => drop(folder.succeeds(&killed)),
        Some(output) => assert_eq!(String::from_utf8(output.stdout).unwrap(), table),
        None => assert_eq!(folder.succeeds(&killed), table),
    }
    same_files(&folder, "whole", "killed");
    let read = |name| fs::read(folder.path(format!("{name}.jsonl.gz"))).unwrap();
    assert!(read("whole") == read("killed"), "the records differ");

    // Resuming a finished run changes nothing.
    let before = tree(&folder.path(""));
    folder.succeeds(&killed);
    assert!(tree(&folder.path("")) == before);
}

/// An interrupted run writes the tables of the games so far.
#[cfg(unix)]
#[test]
fn an_interrupted_run_can_be_resumed() {
    let folder = Folder::new();
    let run = |out| format!("{RUN} --games 4000 --out {out} --records {out}.jsonl.gz");
    let (whole, resumed) = (run("whole"), format!("{} --resume", run("resumed")));
    let table = folder.succeeds(&whole);
    let run = folder.start_and_wait(&resumed, "resumed", 1);
    assert_eq!(interrupt(run, "INT"), Some(1), "the run was interrupted before its end");
    let stopped = folder.saved_blocks("resumed");
    assert!(stopped > 0 && folder.manifest("resumed")["complete"] == false);
    let replayed = folder.succeeds("replay resumed.jsonl.gz");
    assert_eq!(replayed, format!("{} games agree with the rules\n", 2 * stopped));

    let other = format!("{resumed} --seed 8");
    let is_other = ["resumed: holds another run", "`--seed` is \"7\", not \"8\""];
    folder.refuses(&other, &is_other);
    let games = fs::read(folder.path("resumed/games.csv")).unwrap();
    folder.write("resumed/games.csv", &games[..games.len() / 2]);
    folder.refuses(&resumed, &["resumed/games.csv", "was changed after the run was interrupted"]);
    folder.write("resumed/games.csv", &games);

    assert_eq!(folder.succeeds(&resumed), table);
    same_files(&folder, "whole", "resumed");
    let read = |name: &str| fs::read(folder.path(name)).unwrap();
    assert!(read("whole.jsonl.gz") == read("resumed.jsonl.gz"));
    folder.refuses(&other, &is_other);
}

/// Plays the shards of a run.
fn play_shards(folder: &Folder, number: usize, run: &str) -> Vec<String> {
    let shards: Vec<_> = (1..=number).map(|index| format!("part{index}")).collect();
    for (index, out) in (1..).zip(&shards) {
        let output = format!("--out {out} --records {out}.jsonl");
        folder.succeeds(&format!("{run} --shard {index}/{number} {output}"));
    }
    shards
}

#[test]
fn merged_shards_equal_the_whole_run() {
    for (number, more) in [
        (2, "--games 301 --threads 1 --opening-depth 4 --bots balanced,random"),
        // The second bot plays fewer games than the others.
        (3, "--games 60 --panel balanced,random@30,random-kind"),
    ] {
        let folder = Folder::new();
        let run = format!("simulate --quiet --seed 3 --games-csv {more}");
        let table = folder.succeeds(&format!("{run} --out whole --records whole.jsonl"));
        let mut shards = play_shards(&folder, number, &run);
        let records: String =
            shards.iter().map(|shard| folder.read(format!("{shard}.jsonl"))).collect();
        assert!(records == folder.read("whole.jsonl"));
        shards.reverse();
        let merged = folder.succeeds(&format!("merge --quiet {} --out merged", shards.join(" ")));
        assert_eq!(merged, table);
        same_files(&folder, "whole", "merged");
    }
}

/// The number of games does not depend on the number of threads.
#[test]
fn a_run_stops_when_its_precision_is_reached() {
    let folder = Folder::new();
    let goal = "simulate --bots balanced,random-kind --seed 5 --precision 1pp";
    let run = |out: &str, more: &str| folder.exits_with(0, &format!("{goal} --out {out} {more}"));
    let (table, messages) = run("one", "--threads 1");
    assert!(messages.lines().next().unwrap().contains("expected to need about"), "{messages}");
    assert!(
        table.contains("--games 1000000")
            && table.contains("--precision 1pp")
            && table.contains("valid at every look"),
        "{table}"
    );
    assert_eq!(folder.manifest("one")["goal_reached"], true);
    let rates = folder.read("one/win_rates.csv");
    let mut half_widths = rates.lines().filter(|row| row.contains(",all,")).map(|row| {
        let column = |index| row.split(',').nth(index).unwrap().parse::<f64>().unwrap();
        (column(6) - column(5)) / 2.0
    });
    assert!(half_widths.all(|half_width| (0.004..=0.01).contains(&half_width)), "{rates}");

    assert_eq!(run("two", "--threads 2 --quiet"), (table.clone(), String::new()));
    same_files(&folder, "one", "two");

    let (few, messages) = run("few", "--games 600");
    assert!(
        few.contains("600 games in 300 blocks") && messages.contains("more than --games 600"),
        "{messages}"
    );
    assert_eq!(folder.manifest("few")["goal_reached"], false);
}

/// A run of which only the shards up to the look are played at which it ends.
#[test]
fn shards_up_to_a_look_equal_the_run_that_stops_there() {
    let folder = Folder::new();
    let run = "simulate --quiet --bots balanced,builder --games 4000 --precision 3.5pp \
               --looks 5 --games-csv";
    let table = folder.succeeds(&format!("{run} --out whole"));
    assert!(table.contains("1600 games in 800 blocks"), "the second of five looks: {table}");
    for index in 1..=6 {
        folder.succeeds(&format!("{run} --shard {index}/10 --out {index}"));
    }
    let (none, message) = folder.exits_with(1, "merge 1 2 --out merged");
    assert_eq!(none, "");
    assert!(
        message.contains("800 games do not reach the stopping criterion")
            && message.contains("play the shards 3 to 4 of 10"),
        "{message}"
    );
    assert!(!folder.path("merged/run.json").exists());
    let merged = folder.succeeds("merge 1 2 3 4 --out merged --quiet");
    assert_eq!(merged, table);
    same_files(&folder, "whole", "merged");
    folder.refuses("merge 1 2 3 --out other", &["3: is shard 3/10", "4/10 is missing"]);
    let more = "merge 1 2 3 4 5 6 --out other";
    folder.refuses(more, &["the run ends with shard 4: expected the first 4 shards"]);
}
