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

/// Kills a run up to 9 times, each time after a random delay, and resumes it. Two of 3 delays begin
/// when the run has saved more blocks.
fn kill_and_resume(records: &str, more: &str) {
    let folder = Folder::new();
    let run = |out: &str| format!("{RUN} {more} --out {out} --records {out}.{records}");
    let (whole, killed) = (run("whole"), format!("{} --resume", run("killed")));
    let table = folder.succeeds(&whole);
    let mut rng = rng::stream(1, 0, 0, Purpose::Playout);
    let (mut with_progress, mut of_resumed) = (0, 0);
    let mut ended = None;
    for kill in 0..9 {
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
        with_progress >= 3 && of_resumed >= 2,
        "{with_progress} kills after progress, {of_resumed} of them of a resumed run"
    );
    match ended {
        // The last kill came during or after the output of the results.
        Some(output) if output.status.code().is_none() => drop(folder.succeeds(&killed)),
        Some(output) => assert_eq!(String::from_utf8(output.stdout).unwrap(), table),
        None => assert_eq!(folder.succeeds(&killed), table),
    }
    same_files(&folder, "whole", "killed");
    let read = |name| fs::read(folder.path(format!("{name}.{records}"))).unwrap();
    assert!(read("whole") == read("killed"), "the records differ");

    // Resuming a finished run changes nothing.
    let before = tree(&folder.path(""));
    folder.succeeds(&killed);
    assert!(tree(&folder.path("")) == before);
}

#[test]
fn a_run_that_is_killed_repeatedly_ends_with_the_same_files() {
    kill_and_resume("jsonl", "--games 20000");
}

#[test]
fn a_run_with_compressed_records_that_is_killed_repeatedly_ends_with_the_same_files() {
    kill_and_resume("jsonl.gz", "--games 9000 --game glassworks");
}

/// An interrupted run writes the tables of the games so far.
#[cfg(unix)]
#[test]
fn an_interrupted_run_can_be_resumed() {
    let folder = Folder::new();
    let run = |out| format!("{RUN} --games 8000 --out {out} --records {out}.jsonl.gz");
    let (whole, resumed) = (run("whole"), format!("{} --resume", run("resumed")));
    let table = folder.succeeds(&whole);
    let run = folder.start_and_wait(&resumed, "resumed", 1);
    assert_eq!(interrupt(run, "INT"), Some(1), "the run was interrupted before its end");
    let stopped = folder.saved_blocks("resumed");
    assert!(stopped > 0 && folder.manifest("resumed")["complete"] == false);
    let replayed = folder.succeeds("replay resumed.jsonl.gz");
    assert_eq!(replayed, format!("{} games agree with the rules\n", 2 * stopped));

    let other = |more: &str| format!("{resumed} {more}");
    let out = "resumed: holds another run";
    folder.refuses(&other("--seed 8"), &[out, "`--seed` is \"7\", not \"8\""]);
    folder.refuses(&other("--games 7998"), &[out, "`--games` is \"8000\", not \"7998\""]);
    folder.refuses(&other("--bots balanced,builder"), &[out, "`--bots` is"]);
    folder.refuses(&other("--legal"), &[out, "`--legal` is unset, not true"]);
    folder.refuses(&other("--records others.jsonl"), &[out, "`--records` is \"resumed.jsonl.gz\""]);
    folder.refuses(&other("--opening-depth 1"), &[out, "`--opening-depth` is \"2\", not \"1\""]);
    folder.refuses(&other("--shard 1/2"), &[out, "`--shard` is unset"]);
    folder.refuses(&other("--force"), &["--force", "--resume"]);
    folder.copy_with("configs/the_river.toml", "mine.toml", "copies = 12", "copies = 11");
    folder.refuses(&other("--config mine.toml"), &[out, "`data_sha256` is"]);
    let tally = "resumed/tally.json";
    let saved = folder.read(tally);
    let refused_with = |text: &str, parts: &[&str]| {
        folder.write(tally, text);
        folder.refuses(&resumed, parts);
    };
    let changed = "resumed/tally.json: was changed since the run saved it";
    let version = format!("\"version\":\"{}\"", env!("CARGO_PKG_VERSION"));
    let older = saved.replacen(&version, "\"version\":\"0.0.1\"", 1);
    refused_with(&older, &[changed, "--force"]);
    refused_with(&with_hash(&older), &[out, "`version` is \"0.0.1\""]);
    let sources = watershed::identity::SOURCE_SHA256;
    let other_sources = saved.replacen(sources, &sources.replace(|_| true, "0"), 1);
    let expected = [out, "`build.source_sha256` is \"0000", sources];
    refused_with(&with_hash(&other_sources), &expected);
    let format = "resumed/tally.json: expected the format watershed.study/3";
    let old_format = saved.replacen("watershed.study/3", "watershed.tally/3", 1);
    refused_with(&old_format, &[&format!("{format}, found \"watershed.tally/3\""), "--force"]);
    let too_many = saved.replacen("\"completed\":", "\"completed\":1000", 1);
    refused_with(&with_hash(&too_many), &[&format!("{format} as this version writes it")]);
    refused_with(&saved[..saved.len() / 2], &[changed]);
    folder.write(tally, &saved);
    let games = fs::read(folder.path("resumed/games.csv")).unwrap();
    folder.write("resumed/games.csv", &games[..games.len() / 2]);
    folder.refuses(&resumed, &["resumed/games.csv", "was changed after the run was interrupted"]);
    folder.write("resumed/games.csv", &games);

    assert_eq!(folder.succeeds(&resumed), table);
    same_files(&folder, "whole", "resumed");
    let read = |name: &str| fs::read(folder.path(name)).unwrap();
    assert!(read("whole.jsonl.gz") == read("resumed.jsonl.gz"));
    folder.refuses(&other("--seed 8"), &[out, "`--seed` is \"7\", not \"8\""]);
}

/// The run is interrupted while the second bot of the panel plays.
#[cfg(unix)]
#[test]
fn an_interrupted_panel_can_be_resumed() {
    let folder = Folder::new();
    let run = |out| {
        format!("simulate --quiet --panel random,uct:iterations=30@50 --games 600 --out {out}")
    };
    let (whole, resumed) = (run("whole"), format!("{} --resume", run("resumed")));
    let table = folder.succeeds(&whole);
    let run = folder.start_and_wait(&resumed, "resumed", 600);
    assert_eq!(interrupt(run, "INT"), Some(1), "the run was interrupted before its end");
    assert_eq!(folder.manifest("resumed")["complete"], false);
    folder.refuses(&format!("{resumed} --panel random,uct:iterations=30@49"), &["`--panel` is"]);
    assert_eq!(folder.succeeds(&resumed), table);
    same_files(&folder, "whole", "resumed");
}

#[test]
fn resume_starts_a_run_that_does_not_exist() {
    let folder = Folder::new();
    let table = folder.succeeds("simulate --bots random --games 20 --quiet --out run");
    assert_eq!(
        folder.succeeds("simulate --bots random --games 20 --quiet --out resumed --resume"),
        table
    );
    same_files(&folder, "run", "resumed");
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
        (5, "--games 300 --players 3 --bots balanced,random,random"),
        (3, "--games 40 --game glassworks --bots balanced*"),
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

#[test]
fn incompatible_shards_are_refused() {
    let folder = Folder::new();
    let basis = "simulate --quiet --games 40 --bots balanced,random";
    let run = format!("{basis} --games-csv");
    play_shards(&folder, 4, &run);
    let all = "part1 part2 part3 part4";
    let refused = |shards: &str, parts: &[&str]| {
        folder.refuses(&format!("merge --quiet {shards} --out merged"), parts)
    };
    refused("part1 part2 part4", &["part4: is shard 4/4", "shard 3/4 is missing"]);
    refused("part2 part3 part4", &["part2: is shard 2/4", "shard 1/4 is missing"]);
    refused("part3 part1 part2", &["part3: is shard 3/4", "shard 4/4 is missing"]);
    refused("part1 part2 part3 part3 part4", &["part3 and part3: are the same shard, 3/4"]);
    folder.succeeds(&format!("{run} --seed 2 --shard 3/4 --out seed2"));
    let expected = "seed2: is not a shard of the run of part1";
    refused("part1 part2 seed2 part4", &[expected, "`--seed` is \"2\", not \"1\""]);
    folder.succeeds(&format!("{run} --shard 2/3 --out thirds"));
    let expected = "thirds: is shard 2/3, and part1 is shard 1/4";
    refused("part1 part2 thirds part4", &[expected]);
    folder.succeeds(&format!("{basis} --shard 3/4 --out tableless"));
    let expected = "tableless: is not a shard of the run of part1";
    refused("part1 part2 tableless part4", &[expected, "`--games-csv` is unset, not true"]);
    folder.succeeds(&format!("{basis} --out whole"));
    refused("part1 whole", &["whole: holds no shard of a run"]);
    refused("missing", &["missing: holds no shard of a run"]);
    folder.refuses(&format!("merge {all} --out part2 --force"), &["--out", "part2"]);
    let expected = ["whole: holds a finished run", "--force"];
    folder.refuses(&format!("merge {all} --out whole"), &expected);
    folder.refuses(&format!("{run} --shard 0/3"), &["--shard", "from 1 to n"]);
    folder.refuses(&format!("{run} --shard 1/21"), &["--shard", "at most 20 shards for 20 blocks"]);

    let refused_with = |name: &str, edit: &dyn Fn(&str) -> String, part: &str| {
        let text = folder.read(name);
        folder.write(name, edit(&text));
        refused(all, &[part]);
        folder.write(name, text);
    };
    let replace =
        |from: &'static str, to: &'static str| move |text: &str| text.replacen(from, to, 1);
    let manifest = "part3/run.json";
    let incomplete = replace("\"complete\": true", "\"complete\": false");
    refused_with(manifest, &incomplete, "part3: is not complete");
    let other_seed = replace("\"seed\": 1", "\"seed\": 2");
    refused_with(manifest, &other_seed, "part3: run.json and tally.json are of different runs");
    let games = "part2/games.csv";
    let shorter = |text: &str| text[..text.len() - 1].to_owned();
    refused_with(games, &shorter, "part2: games.csv was changed");
    refused_with(games, &replace("random", "rindom"), "part2: games.csv was changed");
    let other_seed = replace("\"seed\":1", "\"seed\":2");
    let changed = "part4/tally.json: was changed since the run saved it";
    refused_with("part4/tally.json", &other_seed, changed);
    let other_sources =
        |text: &str| with_hash(&text.replacen(watershed::identity::SOURCE_SHA256, "0", 1));
    let other_build = "part4: was played by another build, of the sources 0";
    refused_with("part4/tally.json", &other_sources, other_build);
    folder.succeeds(&format!("merge --quiet {all} --out merged"));
    fs::remove_file(folder.path(manifest)).unwrap();
    folder
        .refuses(&format!("merge {all} --out again"), &["part3: has no run.json of this version"]);
}

/// The number of games depends neither on the number of threads nor on interruptions.
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
    let manifest = folder.manifest("one");
    assert_eq!((&manifest["complete"], &manifest["goal_reached"]), (&true.into(), &true.into()));
    assert!(manifest["win_rate_intervals"].as_str().unwrap().contains("at all looks together"));
    let rates = folder.read("one/win_rates.csv");
    let mut half_widths = rates.lines().filter(|row| row.contains(",all,")).map(|row| {
        let column = |index| row.split(',').nth(index).unwrap().parse::<f64>().unwrap();
        (column(6) - column(5)) / 2.0
    });
    assert!(half_widths.all(|half_width| (0.006..=0.01).contains(&half_width)), "{rates}");

    assert_eq!(run("two", "--threads 2 --quiet"), (table.clone(), String::new()));
    same_files(&folder, "one", "two");

    let resumed = "simulate --bots balanced,builder --seed 5 --precision 1pp --quiet --resume";
    let mut killed = folder.start_and_wait(&format!("{resumed} --out killed"), "killed", 200);
    killed.kill().unwrap();
    assert_eq!(killed.wait().unwrap().code(), None, "the run was killed before its end");
    for out in ["killed", "whole"] {
        folder.succeeds(&format!("{resumed} --out {out}"));
    }
    same_files(&folder, "killed", "whole");

    let (few, messages) = run("few", "--games 600");
    assert!(
        few.contains("600 games in 300 blocks") && messages.contains("more than --games 600"),
        "{messages}"
    );
    assert_eq!(folder.manifest("few")["goal_reached"], false);
}

#[test]
fn a_run_until_significant_stops_at_a_significant_difference() {
    let folder = Folder::new();
    let run = "simulate --quiet --until-significant --out run --bots";
    let table = folder.succeeds(&format!("{run} balanced,random"));
    assert!(table.contains("200 games in 100 blocks"), "the first look shows it: {table}");
}

/// A run of which only the shards up to the look are played at which it ends.
#[test]
fn shards_up_to_a_look_equal_the_run_that_stops_there() {
    let folder = Folder::new();
    let run = "simulate --quiet --bots balanced,builder --games 4000 --precision 3.5pp \
               --looks 5 --games-csv";
    let table = folder.succeeds(&format!("{run} --out whole"));
    assert!(table.contains("1600 games in 800 blocks"), "the second of five looks: {table}");
    for index in 1..=10 {
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
