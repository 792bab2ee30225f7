//! Runs that last: interrupted and resumed, or played in parts and merged, they end with the bytes
//! of a run in one go.

use std::{fs, path::Path, time::Duration};

use tempfile::TempDir;
use watershed::rng::{self, Purpose};

use crate::support::{interrupt, refuses, start, succeeds, tree, watershed};

/// A run of some seconds, with every file there is.
const RUN: [&str; 7] =
    ["simulate", "--quiet", "--bots", "balanced,random", "--seed", "7", "--games-csv"];

/// A `tally.json` that was changed, with the hash that belongs to it.
fn sealed(text: &str) -> String {
    let (json, _) = text.rsplit_once(",\"sha256\":\"").unwrap();
    format!("{json},\"sha256\":\"{}\"}}", watershed::config::sha256(json.as_bytes()))
}

/// The files of a run, its manifest without what may differ between equal runs.
fn files(run: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = tree(run);
    for (name, contents) in &mut files {
        *name = Path::new(name).strip_prefix(run).unwrap().display().to_string();
        if name == "run.json" {
            let text = String::from_utf8(contents.clone()).unwrap();
            let without = |text: &str, begin: &str, end: char| {
                let (before, rest) = text.split_once(begin).unwrap();
                format!("{before}{}", rest.split_once(end).unwrap().1)
            };
            let text = without(&text, "  \"timing\": {", '}');
            *contents = without(&text, "  \"arguments\": [", ']').into_bytes();
        }
    }
    files
}

#[track_caller]
fn same_files(one: &Path, other: &Path) {
    let (one, other) = (files(one), files(other));
    let names = |files: &[(String, Vec<u8>)]| {
        files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&one), names(&other));
    for ((name, contents), (_, others)) in one.iter().zip(&other) {
        assert!(contents == others, "{name} differs");
    }
}

/// Whole blocks that a run which was stopped can go on from.
pub(crate) fn saved_blocks(run: &Path) -> u64 {
    let Ok(bytes) = fs::read(run.join("tally.json")) else { return 0 };
    let progress: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    progress["tally"]["blocks"].as_u64().unwrap()
}

/// Kills a run up to twenty times, each time a random while after it was started again, and lets it
/// end then.
fn kill_and_resume(records: &str, more: &[&str]) {
    let folder = TempDir::new().unwrap();
    let of_run = |out: &str| {
        [&RUN, more, &["--out", out, "--records"]]
            .concat()
            .iter()
            .map(|&part| part.to_owned())
            .collect::<Vec<_>>()
    };
    let whole = [of_run("whole"), vec![format!("whole.{records}")]].concat();
    let killed =
        [of_run("killed"), vec![format!("killed.{records}"), "--resume".to_owned()]].concat();
    let [whole, killed] =
        [&whole, &killed].map(|arguments| arguments.iter().map(String::as_str).collect::<Vec<_>>());

    let table = succeeds(folder.path(), &whole);
    let mut rng = rng::stream(1, 0, 0, Purpose::Playout);
    let (mut progressed, mut went_on) = (0, 0);
    let mut ended = None;
    for _ in 0..20 {
        let before = saved_blocks(&folder.path().join("killed"));
        let mut run = start(folder.path(), &killed);
        std::thread::sleep(Duration::from_millis(u64::from(20 + rng::random_below(&mut rng, 230))));
        run.kill().unwrap();
        let output = run.wait_with_output().unwrap();
        if folder.path().join("killed/run.json").exists() {
            ended = Some(output);
            break;
        }
        let after = saved_blocks(&folder.path().join("killed"));
        assert!(after >= before, "what was saved is not lost");
        progressed += u32::from(after > before);
        went_on += u32::from(after > before && before > 0);
    }
    assert!(
        progressed >= 3 && went_on >= 2,
        "{progressed} kills came after some blocks were saved, {went_on} of them in a run that was \
            resumed"
    );
    match ended {
        // The last kill came while the results were written, or when they had been.
        Some(output) if output.status.code().is_none() => drop(succeeds(folder.path(), &killed)),
        Some(output) => assert_eq!(String::from_utf8(output.stdout).unwrap(), table),
        None => assert_eq!(succeeds(folder.path(), &killed), table),
    }
    same_files(&folder.path().join("whole"), &folder.path().join("killed"));
    let read = |name: &str| fs::read(folder.path().join(format!("{name}.{records}"))).unwrap();
    assert!(read("whole") == read("killed"), "the records differ");

    // And once it is finished, there is nothing to go on with.
    let before = tree(folder.path());
    succeeds(folder.path(), &killed);
    assert!(tree(folder.path()) == before);
}

#[test]
fn a_run_that_is_killed_repeatedly_ends_with_the_same_files() {
    kill_and_resume("jsonl", &["--games", "30000"]);
}

#[test]
fn a_run_with_compressed_records_that_is_killed_repeatedly_ends_with_the_same_files() {
    kill_and_resume("jsonl.gz", &["--games", "12000", "--game", "glassworks"]);
}

/// An interrupt by hand writes the tables of what there is; going on makes them whole.
#[cfg(unix)]
#[test]
fn an_interrupted_run_can_be_resumed() {
    let folder = TempDir::new().unwrap();
    let of_run = |out: &'static str, records: &'static str| {
        [&RUN[..], &["--games", "20000", "--out", out, "--records", records]].concat()
    };
    let whole = of_run("whole", "whole.jsonl.gz");
    let resumed = [&of_run("resumed", "resumed.jsonl.gz")[..], &["--resume"]].concat();
    let table = succeeds(folder.path(), &whole);
    let run = start(folder.path(), &resumed);
    while saved_blocks(&folder.path().join("resumed")) == 0 {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(interrupt(run, "INT"), Some(1), "the run was interrupted before its end");
    let stopped = saved_blocks(&folder.path().join("resumed"));
    assert!(
        stopped > 0
            && fs::read_to_string(folder.path().join("resumed/run.json"))
                .unwrap()
                .contains("\"complete\": false")
    );
    let replayed = succeeds(folder.path(), &["replay", "resumed.jsonl.gz"]);
    assert_eq!(replayed, format!("{} games agree with the rules\n", 2 * stopped));

    let other = |more: &[&'static str]| {
        let mut flags = resumed.clone();
        match resumed.iter().position(|&flag| flag == more[0]) {
            Some(at) => flags[at + 1] = more[1],
            None => flags.extend(more),
        }
        flags
    };
    let out = "resumed: holds another run";
    refuses(folder.path(), &other(&["--seed", "8"]), &[out, "`seed` is 7, not 8"]);
    refuses(
        folder.path(),
        &other(&["--games", "20002"]),
        &[out, "`games_planned` is 20000, not 20002"],
    );
    refuses(folder.path(), &other(&["--bots", "balanced,builder"]), &[out, "`bots` is"]);
    refuses(folder.path(), &other(&["--legal"]), &[out, "`legal` is false, not true"]);
    refuses(
        folder.path(),
        &other(&["--records", "others.jsonl"]),
        &[out, "`records` is \"resumed.jsonl.gz\""],
    );
    refuses(
        folder.path(),
        &other(&["--opening-depth", "1"]),
        &[out, "`opening_depth` is 2, not 1"],
    );
    refuses(folder.path(), &other(&["--shard", "1/2"]), &[out, "`shard` is null"]);
    refuses(folder.path(), &other(&["--force"]), &["--force", "--resume"]);
    let data = fs::read_to_string("configs/the_river.toml").unwrap().replacen(
        "copies = 12",
        "copies = 11",
        1,
    );
    fs::write(folder.path().join("mine.toml"), data).unwrap();
    refuses(folder.path(), &other(&["--config", "mine.toml"]), &[out, "`data_sha256` is"]);
    let tally = folder.path().join("resumed/tally.json");
    let saved = fs::read_to_string(&tally).unwrap();
    let version = format!("\"version\":\"{}\"", env!("CARGO_PKG_VERSION"));
    let older = saved.replacen(&version, "\"version\":\"0.0.1\"", 1);
    fs::write(&tally, &older).unwrap();
    refuses(
        folder.path(),
        &resumed,
        &["resumed/tally.json: was changed since the run saved it", "--force"],
    );
    fs::write(&tally, sealed(&older)).unwrap();
    refuses(folder.path(), &resumed, &[out, "`version` is \"0.0.1\""]);
    let sources = watershed::identity::SOURCE_SHA256;
    fs::write(&tally, sealed(&saved.replacen(sources, &sources.replace(|_| true, "0"), 1)))
        .unwrap();
    refuses(folder.path(), &resumed, &[out, "`build.source_sha256` is \"0000", sources]);
    fs::write(&tally, saved.replacen("watershed.tally/3", "watershed.tally/1", 1)).unwrap();
    refuses(
        folder.path(),
        &resumed,
        &["resumed/tally.json: expected the format watershed.tally/3, found \"watershed.tally/1\""],
    );
    fs::write(&tally, sealed(&saved.replacen("\"games\":", "\"games\":1", 1))).unwrap();
    refuses(
        folder.path(),
        &resumed,
        &["resumed/tally.json: expected the format watershed.tally/3 as this version writes it"],
    );
    fs::write(&tally, &saved[..saved.len() / 2]).unwrap();
    refuses(folder.path(), &resumed, &["resumed/tally.json: was changed since the run saved it"]);
    fs::write(&tally, &saved).unwrap();
    let games = fs::read(folder.path().join("resumed/games.csv")).unwrap();
    fs::write(folder.path().join("resumed/games.csv"), &games[..games.len() / 2]).unwrap();
    refuses(folder.path(), &resumed, &["resumed/games.csv", "not as the interrupted run left it"]);
    fs::write(folder.path().join("resumed/games.csv"), &games).unwrap();

    assert_eq!(succeeds(folder.path(), &resumed), table);
    same_files(&folder.path().join("whole"), &folder.path().join("resumed"));
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    assert!(read("whole.jsonl.gz") == read("resumed.jsonl.gz"));
    refuses(folder.path(), &other(&["--seed", "8"]), &[out, "`seed` is 7, not 8"]);
}

#[test]
fn resume_starts_a_run_that_does_not_exist() {
    let folder = TempDir::new().unwrap();
    let table = succeeds(folder.path(), &["simulate", "--games", "20", "--quiet", "--out", "run"]);
    assert_eq!(
        succeeds(
            folder.path(),
            &["simulate", "--games", "20", "--quiet", "--out", "resumed", "--resume"]
        ),
        table
    );
    same_files(&folder.path().join("run"), &folder.path().join("resumed"));
}

/// Plays a run in `of` parts, each on its own.
fn play_parts(folder: &Path, of: u64, arguments: &[&str]) -> Vec<String> {
    let parts: Vec<_> = (1..=of).map(|index| format!("part{index}")).collect();
    for (index, part) in (1..).zip(&parts) {
        let (shard, records) = (format!("{index}/{of}"), format!("{part}.jsonl"));
        succeeds(
            folder,
            &[arguments, &["--shard", &shard, "--out", part, "--records", &records]].concat(),
        );
    }
    parts
}

fn merge<'a>(parts: impl IntoIterator<Item = &'a String>, more: &[&'a str]) -> Vec<&'a str> {
    ["merge", "--quiet"]
        .into_iter()
        .chain(parts.into_iter().map(String::as_str))
        .chain(more.iter().copied())
        .collect()
}

#[test]
fn merged_shards_equal_the_whole_run() {
    for (of, more) in [
        (
            2,
            &[
                "--games",
                "301",
                "--threads",
                "1",
                "--opening-depth",
                "4",
                "--bots",
                "balanced,random",
            ][..],
        ),
        (5, &["--games", "300", "--players", "3", "--bots", "balanced,random,random"]),
        (3, &["--games", "40", "--game", "glassworks", "--bots", "balanced*"]),
    ] {
        let folder = TempDir::new().unwrap();
        let run = [&["simulate", "--quiet", "--seed", "3", "--games-csv"], more].concat();
        let table = succeeds(
            folder.path(),
            &[&run[..], &["--out", "whole", "--records", "whole.jsonl"]].concat(),
        );
        let parts = play_parts(folder.path(), of, &run);
        // In any order.
        let merged = succeeds(folder.path(), &merge(parts.iter().rev(), &["--out", "merged"]));
        assert_eq!(merged, table);
        same_files(&folder.path().join("whole"), &folder.path().join("merged"));
        let records: Vec<u8> = parts
            .iter()
            .flat_map(|part| fs::read(folder.path().join(format!("{part}.jsonl"))).unwrap())
            .collect();
        assert!(records == fs::read(folder.path().join("whole.jsonl")).unwrap());
    }
}

#[test]
fn incompatible_shards_are_refused() {
    let folder = TempDir::new().unwrap();
    let run = ["simulate", "--quiet", "--games", "40", "--bots", "balanced,random", "--games-csv"];
    let parts = play_parts(folder.path(), 4, &run);
    let out = &["--out", "merged"];
    let refused = |parts: &[&String], expected: &[&str]| {
        refuses(folder.path(), &merge(parts.iter().copied(), out), expected)
    };
    let [one, two, three, four] = [&parts[0], &parts[1], &parts[2], &parts[3]];
    refused(&[one, two, four], &["part4: is shard 4/4", "shard 3/4 is missing"]);
    refused(&[two, three, four], &["part2: is shard 2/4", "shard 1/4 is missing"]);
    refused(&[three, one, two], &["part3: is shard 3/4", "shard 4/4 is missing"]);
    refused(&[one, two, three, three, four], &["part3 and part3: are the same shard, 3/4"]);
    let other = |name: &'static str, more: &[&str]| {
        succeeds(folder.path(), &[&["simulate", "--quiet", "--out", name], more].concat());
        name.to_owned()
    };
    let stranger = other(
        "stranger",
        &[
            "--games",
            "40",
            "--bots",
            "balanced,random",
            "--games-csv",
            "--seed",
            "2",
            "--shard",
            "3/4",
        ],
    );
    refused(
        &[one, two, &stranger, four],
        &["stranger: is not a shard of the run of part1", "`seed` is 2, not 1"],
    );
    let thirds = other(
        "thirds",
        &["--games", "40", "--bots", "balanced,random", "--games-csv", "--shard", "2/3"],
    );
    refused(&[one, two, &thirds, four], &["thirds: is shard 2/3, and part1 is shard 1/4"]);
    let tableless =
        other("tableless", &["--games", "40", "--bots", "balanced,random", "--shard", "3/4"]);
    refused(
        &[one, two, &tableless, four],
        &["tableless: is not a shard of the run of part1", "`games_csv` is false, not true"],
    );
    let whole = other("whole", &["--games", "40", "--bots", "balanced,random"]);
    refused(&[one, &whole], &["whole: holds no shard of a run"]);
    refused(&[&"missing".to_owned()], &["missing: holds no shard of a run"]);
    refuses(folder.path(), &merge(&parts, &["--out", "part2", "--force"]), &["--out", "part2"]);
    refuses(
        folder.path(),
        &merge(&parts, &["--out", "whole"]),
        &["whole: holds a finished run", "--force"],
    );
    refuses(folder.path(), &[&run[..], &["--shard", "0/3"]].concat(), &["--shard", "from 1 to n"]);
    refuses(
        folder.path(),
        &[&run[..], &["--shard", "1/21"]].concat(),
        &["--shard", "at most 20 shards for 20 blocks"],
    );

    let manifest = folder.path().join("part3/run.json");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replacen("\"complete\": true", "\"complete\": false", 1)).unwrap();
    refused(&[one, two, three, four], &["part3: is not complete"]);
    fs::remove_file(&manifest).unwrap();
    refused(&[one, two, three, four], &["part3: has no run.json of this version"]);
    fs::write(&manifest, text.replacen("\"seed\": 1", "\"seed\": 2", 1)).unwrap();
    refused(&[one, two, three, four], &["part3: run.json and tally.json are of different runs"]);
    fs::write(&manifest, text).unwrap();
    let games = folder.path().join("part2/games.csv");
    let text = fs::read(&games).unwrap();
    fs::write(&games, &text[..text.len() - 1]).unwrap();
    refused(&[one, two, three, four], &["part2: games.csv was changed"]);
    fs::write(&games, String::from_utf8(text.clone()).unwrap().replacen("random", "rindom", 1))
        .unwrap();
    refused(&[one, two, three, four], &["part2: games.csv was changed"]);
    fs::write(&games, text).unwrap();
    let tally = folder.path().join("part4/tally.json");
    let text = fs::read_to_string(&tally).unwrap();
    fs::write(&tally, text.replacen("\"seed\":1", "\"seed\":2", 1)).unwrap();
    refused(&[one, two, three, four], &["part4/tally.json: was changed since the run saved it"]);
    fs::write(&tally, sealed(&text.replacen(watershed::identity::SOURCE_SHA256, "0", 1))).unwrap();
    refused(&[one, two, three, four], &["part4: was played by another build, of the sources 0"]);
    fs::write(&tally, text).unwrap();
    assert_eq!(watershed(folder.path(), &merge(&parts, out)).status.code(), Some(0));
}

/// A run to a goal stops at the same block whatever the threads, also when it was interrupted in
/// between.
#[test]
fn a_run_stops_when_its_precision_is_reached() {
    let folder = TempDir::new().unwrap();
    let run = |out: &str, more: &[&str]| {
        let goal = [
            "simulate",
            "--bots",
            "balanced,random-kind",
            "--seed",
            "5",
            "--precision",
            "0.5pp",
            "--out",
            out,
        ];
        let output = watershed(folder.path(), &[&goal, more].concat());
        assert_eq!(output.status.code(), Some(0));
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (table, messages) = run("one", &["--threads", "1"]);
    assert!(
        messages.lines().next().unwrap().contains("expected to need about"),
        "{messages}"
    );
    assert!(
        table.contains("--games 1000000")
            && table.contains("--precision 0.5pp")
            && table.contains("any look"),
        "{table}"
    );
    let manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.path().join("one/run.json")).unwrap()).unwrap();
    assert_eq!((&manifest["complete"], &manifest["goal_reached"]), (&true.into(), &true.into()));
    assert!(manifest["win_rate_intervals"].as_str().unwrap().contains("at all looks together"));
    let rates = fs::read_to_string(folder.path().join("one/win_rates.csv")).unwrap();
    let mut half_widths = rates.lines().filter(|row| row.contains(",all,")).map(|row| {
        let column = |index| row.split(',').nth(index).unwrap().parse::<f64>().unwrap();
        (column(6) - column(5)) / 2.0
    });
    assert!(half_widths.all(|half_width| (0.003..=0.005).contains(&half_width)), "{rates}");

    assert_eq!(run("two", &["--threads", "2", "--quiet"]), (table.clone(), String::new()));
    same_files(&folder.path().join("one"), &folder.path().join("two"));

    let resumed = [
        "simulate",
        "--bots",
        "balanced,builder",
        "--seed",
        "5",
        "--precision",
        "0.6pp",
        "--quiet",
        "--resume",
        "--out",
    ];
    let mut killed = start(folder.path(), &[&resumed[..], &["killed"]].concat());
    while saved_blocks(&folder.path().join("killed")) < 200 {
        std::thread::sleep(Duration::from_millis(1));
    }
    killed.kill().unwrap();
    assert_eq!(killed.wait().unwrap().code(), None, "the run was killed before its end");
    for out in ["killed", "whole"] {
        succeeds(folder.path(), &[&resumed[..], &[out]].concat());
    }
    same_files(&folder.path().join("killed"), &folder.path().join("whole"));

    let (few, messages) = run("few", &["--games", "2000"]);
    assert!(
        few.contains("2000 games in 1000 blocks") && messages.contains("more than --games 2000"),
        "{messages}"
    );
    assert!(
        fs::read_to_string(folder.path().join("few/run.json"))
            .unwrap()
            .contains("\"goal_reached\": false")
    );
}

#[test]
fn a_run_until_significant_stops_at_a_significant_difference() {
    let folder = TempDir::new().unwrap();
    let run = ["simulate", "--quiet", "--until-significant", "--out", "run", "--bots"];
    let table = succeeds(folder.path(), &[&run[..], &["balanced,random"]].concat());
    assert!(table.contains("200 games in 100 blocks"), "the first look shows it: {table}");
    refuses(
        folder.path(),
        &[&run[..], &["balanced*", "--force"]].concat(),
        &["--until-significant", "at least 2 different bots"],
    );
    refuses(
        folder.path(),
        &[&run[..], &["balanced,random", "--shard", "1/2"]].concat(),
        &["--until-significant", "--shard"],
    );
    for wrong in ["0.5", "0pp", "60pp", "xpp"] {
        refuses(
            folder.path(),
            &["simulate", "--precision", wrong],
            &["--precision", "as in 0.5pp"],
        );
    }
}
