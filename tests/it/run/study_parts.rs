//! Studies and matches that are interrupted and resumed, or played as shards and merged, end with
//! the same bytes as a study in one go.

use std::{fs, thread, time::Duration};

use super::resume::{same_files, with_hash};
use crate::support::{Folder, interrupt, tree};

/// A study of each kind, with its number of shards.
const STUDIES: [(u64, &str); 9] = [
    // The second bot plays fewer games than the first.
    (3, "balance turn-order --games 60 --panel random,balanced@10"),
    (2, "balance restrict --never swap --always food --games 20 --bot random"),
    (2, "balance ablate --item w2c1 --games 12 --bots random,balanced --remove w2c1"),
    (2, "balance compare old.toml new.toml --games 40 --bots balanced"),
    (2, "balance sweep --key building.w2c1.cost.wood --values 1..3 --games 30 --bots random"),
    (2, "balance power --question match --bots random,balanced --detect 2pp --blocks 40"),
    (2, "match --mode ladder --bots random,random-kind,balanced@10 --games 20"),
    (2, "calibrate --game glassworks --bots mcts:iterations=5,random --games 12"),
    (2, "loss --bots random --played-by random --judge mcts:iterations=5 --games 12"),
];

/// Returns a folder with the data files of the studies.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.copy("configs/the_river.toml", "old.toml");
    folder.copy_with("configs/the_river.toml", "new.toml", "copies = 12", "copies = 11");
    folder
}

/// Plays the shards of a study and returns their folders.
fn play_shards(folder: &Folder, number: u64, study: &str) -> Vec<String> {
    let play = |index| {
        let out = format!("part{index}");
        folder.succeeds_quietly(&format!("{study} --shard {index}/{number} --out {out}"));
        out
    };
    (1..=number).map(play).collect()
}

/// Returns the numbers after a key in the text of a checkpoint.
fn numbers_after<'a>(text: &'a str, key: &str) -> Vec<&'a str> {
    let rests = text.match_indices(key).map(|(start, _)| &text[start + key.len()..]);
    rests.map(|rest| &rest[..rest.find(|letter: char| !letter.is_numeric()).unwrap()]).collect()
}

/// Turns the first shard of a study into a study that was interrupted at the end of the shard.
fn interrupt_after_first(folder: &Folder, last: &str, out: &str) {
    let [first, last] = ["part1", last].map(|shard| folder.read(format!("{shard}/tally.json")));
    let ends = numbers_after(&last, "\"end\":");
    let mut pieces = first.split("\"end\":");
    let mut text = pieces.next().unwrap().to_owned();
    for (piece, end) in pieces.zip(&ends) {
        let rest = piece.trim_start_matches(char::is_numeric);
        text += &format!("\"end\":{end}{rest}");
    }
    let shard = format!("\"shard\":{}", folder.json("part1/tally.json")["setup"]["shard"]);
    assert!(text.contains(&shard) && text.contains("\"complete\":true"));
    let text = text.replacen(&shard, "\"shard\":null", 1);
    let text = text.replacen("\"complete\":true", "\"complete\":false", 1);
    fs::create_dir(folder.path(out)).unwrap();
    folder.write(format!("{out}/tally.json"), with_hash(&text));
}

#[test]
fn merged_shards_and_resumed_studies_equal_the_whole_study() {
    for (number, study) in STUDIES {
        let folder = folder();
        let printed = folder.succeeds_quietly(&format!("{study} --out whole"));
        let mut shards = play_shards(&folder, number, study);
        interrupt_after_first(&folder, shards.last().unwrap(), "resumed");
        shards.rotate_left(1);
        let merge = format!("merge {} --out merged", shards.join(" "));
        assert_eq!(folder.succeeds_quietly(&merge), printed, "{study}");
        same_files(&folder, "whole", "merged");

        let saved = folder.saved_blocks("resumed");
        assert!(saved > 0, "{study}");
        let resume = format!("{study} --resume --out resumed");
        assert_eq!(folder.succeeds_quietly(&resume), printed, "{study}");
        same_files(&folder, "whole", "resumed");

        // Resuming a finished study changes nothing.
        let before = tree(&folder.path(""));
        for out in ["resumed", "part1 --shard 1/"] {
            let of_shard = if out == "resumed" { String::new() } else { number.to_string() };
            let (_, message) =
                folder.exits_with(0, &format!("{study} --resume --out {out}{of_shard}"));
            assert!(message.contains("holds this run, and it is finished"), "{message}");
        }
        assert!(tree(&folder.path("")) == before, "{study}");
    }
}

/// A finished run with more games ends with the bytes of a run in one go.
#[test]
fn finished_studies_grow() {
    for study in [
        "simulate --games-csv --panel random,balanced@10",
        "match --bots random,balanced --margin 2pp",
        "balance turn-order --panel random,balanced@10",
        "balance restrict --never swap --bot random",
        "balance compare old.toml new.toml --bots random",
        "balance ablate --only meadow --players 3 --bots random",
        "loss --bots random --played-by random --judge mcts:iterations=5",
        "calibrate --game glassworks --bots mcts:iterations=5,random",
    ] {
        let folder = folder();
        let has_records = study.starts_with("simulate");
        let run = |out: &str, games: u64| {
            let records = if has_records { format!("--records {out}.gz") } else { String::new() };
            format!("{study} --out {out} --games {games} {records}")
        };
        let printed = folder.succeeds_quietly(&run("whole", 30));
        folder.succeeds_quietly(&run("grown", 12));
        let resume = format!("{} --resume", run("grown", 30));
        assert_eq!(folder.succeeds_quietly(&resume), printed, "{study}");
        same_files(&folder, "whole", "grown");
        if has_records {
            let [whole, grown] = ["whole.gz", "grown.gz"].map(|name| folder.path(name));
            assert!(fs::read(whole).unwrap() == fs::read(grown).unwrap());
        }
        folder.refuses(&resume.replace("30", "20"), &["`--games` is \"30\", not \"20\""]);
    }
}

/// The pages of shards name the shard, and those of whole studies do not.
#[test]
fn a_shard_says_which_one_it_is() {
    let folder = folder();
    let study = "balance turn-order --games 70 --bots random";
    play_shards(&folder, 2, study);
    let page = folder.read("part2/report.html");
    assert!(page.contains("This is a shard of a study.") && page.contains("Shard 2/2"));
    assert!(!page.contains("is not complete"));
    let manifest = folder.manifest("part2");
    assert!(manifest["command"].as_str().unwrap().ends_with("--shard 2/2"));
    assert_eq!(manifest["complete"], true);
    folder.succeeds_quietly("merge part1 part2 --out merged");
    assert!(!folder.read("merged/report.html").contains("shard"));
}

/// Studies with a stage that depends on the results of an earlier one, a sequential test, and a
/// goal, with their exit codes.
const KILLED: [(i32, &str); 5] = [
    (1, "balance ablate --remedy building.w2c1.cost.wood --within 50 --games 300 --bots random"),
    (1, "match --bots mcts:iterations=2,mcts:iterations=3 --sprt=-20,-10,0.05,0.05 --games 9k"),
    (0, "match --bots mcts:iterations=2,mcts:iterations=3"),
    (0, "balance restrict --never swap --games 2000 --panel random,random-kind"),
    (
        1,
        "balance search --keys building.*.points+=1 --goal goals.toml --games 400 --bots random \
         --max-edits 1",
    ),
];

#[cfg(unix)]
#[test]
fn killed_and_interrupted_studies_can_be_resumed() {
    kill_and_interrupt(&KILLED[..1], &["KILL", "INT"]);
}

#[cfg(unix)]
#[test]
#[ignore = "half a minute: more studies; .ci/full runs it"]
fn all_killed_and_interrupted_studies_can_be_resumed() {
    kill_and_interrupt(&KILLED, &["KILL", "INT", "KILL", "INT"]);
}

/// Ends each study by each signal, and resumes it.
#[cfg(unix)]
fn kill_and_interrupt(studies: &[(i32, &str)], signals: &[&str]) {
    for &(code, study) in studies {
        let folder = folder();
        folder.write("goals.toml", "rounds = [30, 31]\n");
        let study = format!("{study} --seed 3 --quiet");
        let (printed, _) = folder.exits_with(code, &format!("{study} --out whole"));
        let resume = format!("{study} --out resumed --resume");
        let mut saved = 0;
        for &signal in signals {
            let mut run = folder.start(&resume);
            while folder.saved_blocks("resumed") < saved + 8 && run.try_wait().unwrap().is_none() {
                thread::sleep(Duration::from_millis(2));
            }
            if run.try_wait().unwrap().is_some() {
                break;
            }
            let ended = interrupt(run, signal);
            if folder.path("resumed/run.json").exists() && ended == Some(code) {
                break;
            }
            assert!(folder.saved_blocks("resumed") >= saved + 8, "{study}: {signal}");
            saved = folder.saved_blocks("resumed");
            if signal == "INT" {
                assert_eq!(folder.manifest("resumed")["complete"], false, "{study}");
            }
        }
        assert!(saved > 0, "{study}: it ended before it could be interrupted");
        let left = fs::read_to_string(folder.path("resumed/tally.json")).ok();
        if folder.path("resumed/tally.json").exists() {
            assert_eq!(folder.exits_with(code, &resume).0, printed, "{study}");
        }
        same_files(&folder, "whole", "resumed");
        // A kill may leave the checkpoint of a finished study.
        if let Some(left) = left {
            let left = left.replacen("\"complete\":false", "\"complete\":true", 1);
            folder.write("resumed/tally.json", with_hash(&left));
        }
        let (_, message) = folder.exits_with(code, &resume.replace(" --quiet", ""));
        assert!(message.contains("holds this run, and it is finished"), "{message}");
        same_files(&folder, "whole", "resumed");
    }
}

/// Checkpoints of other builds or with other contents.
#[test]
fn changed_checkpoints_are_refused() {
    let folder = folder();
    let study = "balance compare old.toml new.toml --games 40 --bots random";
    play_shards(&folder, 2, study);
    interrupt_after_first(&folder, "part2", "run");
    let saved = folder.read("run/tally.json");
    let refused_with = |text: &str, parts: &[&str]| {
        folder.write("run/tally.json", text);
        folder.refuses(&format!("{study} --resume --out run"), parts);
    };
    let with = |from: &str, to: &str| {
        assert!(saved.contains(from), "{from}");
        saved.replacen(from, to, 1)
    };
    let changed = "run/tally.json: was changed since the run saved it";
    refused_with(&saved[..saved.len() / 2], &[changed, "--force"]);
    refused_with(&with("\"completed\":2", "\"completed\":3"), &[changed]);
    let other = "run: holds another run";
    let version = format!("\"version\":\"{}\"", env!("CARGO_PKG_VERSION"));
    let older = with(&version, "\"version\":\"0.0.1\"");
    refused_with(&with_hash(&older), &[other, "`version` is \"0.0.1\""]);
    let sources = watershed::identity::SOURCE_SHA256;
    let other_sources = with(sources, &sources.replace(|_| true, "0"));
    let expected = [other, "`build.source_sha256` is \"0000", sources];
    refused_with(&with_hash(&other_sources), &expected);
    let format = "run/tally.json: expected the format watershed.study/4";
    let old_format = with("watershed.study/4", "watershed.tally/3");
    refused_with(&old_format, &[&format!("{format}, found \"watershed.tally/3\""), "--force"]);
    for (from, to) in [
        ("\"completed\":", "\"completed\":1000"),
        ("\"start\":0", "\"start\":1"),
        ("\"differences\":", "\"sums\":"),
        ("\"parts\":[{", "\"parts\":[1,{"),
    ] {
        let unexpected = format!("{format} as this version writes it");
        refused_with(&with_hash(&with(from, to)), &[&unexpected]);
    }
    folder.write("run/tally.json", &saved);
    folder.succeeds_quietly(&format!("{study} --resume --out run"));

    let refused_with = |from: &str, to: &str, part: &str| {
        let text = folder.read("part2/tally.json");
        assert!(text.contains(from), "{from}");
        folder.write("part2/tally.json", with_hash(&text.replacen(from, to, 1)));
        folder.refuses("merge part1 part2 --out merged", &[part]);
        folder.write("part2/tally.json", text);
    };
    refused_with("\"complete\":true", "\"complete\":false", "part2: is not complete: ");
    let other_build = "part2: was played by another build, of the sources 0";
    refused_with(sources, "0", other_build);
    refused_with("\"start\":", "\"start\":1", "as this version writes it");
}
