//! Output files that exist, locks, and large input.

use std::{fs, io::Write as _, process::Command};

use flate2::{Compression, write::GzEncoder};

use crate::support::{Folder, interrupt};

const SHORT: &str = "simulate --quiet --bots random,random --games 2";
/// A run that is killed before its end.
const LONG: &str = "simulate --quiet --bots random,random --games 100000000 --threads 1";

#[cfg(unix)]
#[test]
fn records_and_traces_do_not_overwrite_files() {
    let folder = Folder::new();
    folder.write("notes.txt", "mine");
    fs::create_dir(folder.path("run")).unwrap();
    for (target, link) in
        [("run", "run_link"), ("notes.txt", "link.jsonl"), ("nothing", "dangling.jsonl")]
    {
        std::os::unix::fs::symlink(target, folder.path(link)).unwrap();
    }
    assert!(Command::new("mkfifo").arg(folder.path("pipe")).status().unwrap().success());
    let of_run = "has the name of a file that the run writes";
    let cases = [
        ("--trace link.jsonl", "link.jsonl: exists"),
        ("--records run_link/win_rates.csv --force", of_run),
        ("--records pipe --force", "pipe: is not a regular file"),
        ("--trace pipe", "pipe: is not a regular file"),
        ("--records dangling.jsonl --force", "dangling.jsonl: is not a regular file"),
    ];
    let run = format!("{SHORT} --out run");
    for (more, part) in cases {
        folder.refuses(&format!("{run} {more}"), &[part]);
    }
    folder.succeeds(&format!("{run} --records link.jsonl --force"));
    assert!(folder.path("link.jsonl").is_symlink());
    assert!(folder.read("notes.txt").starts_with("{\"format\""));
}

/// While a run writes to a folder, other commands can neither write to it nor merge it.
#[test]
fn a_folder_is_locked_by_one_run() {
    let folder = Folder::new();
    let mut running = folder.start_and_wait(&format!("{LONG} --out run"), "run", 1);
    let others = [
        &format!("{SHORT} --force"),
        &format!("{LONG} --resume"),
        "match --bots random,balanced --games 2 --force",
        "tune --profile balanced --games 2 --force",
        "tune --profile balanced --games 2 --resume",
        "calibrate --games 2 --force",
        "balance turn-order --games 2 --force",
        "merge run --force",
    ];
    for other in others {
        let message = folder.exits_with(2, &format!("{other} --out run")).1;
        assert!(message.contains("run: another run is writing it"), "{message}");
    }
    assert!(running.try_wait().unwrap().is_none(), "the run goes on");
    running.kill().unwrap();
    running.wait().unwrap();
    folder.succeeds(&format!("{SHORT} --out run --force"));
}

/// A forgotten `--resume` does not replace an interrupted run.
#[test]
fn an_interrupted_run_is_kept() {
    let folder = Folder::new();
    let mut running = folder.start_and_wait(&format!("{LONG} --out run"), "run", 1);
    running.kill().unwrap();
    running.wait().unwrap();
    let checkpoint = fs::read(folder.path("run/tally.json")).unwrap();
    for other in [
        SHORT,
        "match --bots random,balanced --games 2",
        "tune --profile balanced --games 2",
        "calibrate --games 2",
        "balance ablate --games 2",
        "openings grow --games 2",
    ] {
        folder.refuses(
            &format!("{other} --out run"),
            &["run: holds an interrupted run", "--resume", "--force"],
        );
        assert_eq!(fs::read(folder.path("run/tally.json")).unwrap(), checkpoint, "{other}");
    }
    folder.refuses(&format!("{LONG} --game glassworks --out run --resume"), &["`--game` is"]);
    folder.succeeds(&format!("{SHORT} --out run --force"));
    assert_eq!(folder.manifest("run")["games"], 2);

    // The default folder is overwritten, with a note.
    let mut running = folder.start_and_wait(LONG, "results/latest", 1);
    running.kill().unwrap();
    running.wait().unwrap();
    let (_, message) = folder.exits_with(0, SHORT);
    assert!(message.contains("the interrupted run in results/latest is discarded"), "{message}");
}

/// A run does not write to a folder that took the place of its own, and its records do not replace
/// a file that appeared meanwhile.
#[cfg(unix)]
#[test]
fn a_run_writes_only_to_its_own_folder_and_files() {
    let folder = Folder::new();
    let mut running = folder.start_and_wait(&format!("{LONG} --out run"), "run", 1);
    fs::rename(folder.path("run"), folder.path("moved")).unwrap();
    fs::create_dir(folder.path("run")).unwrap();
    assert_eq!(running.wait().unwrap().code(), Some(2));
    assert!(!folder.path("run/tally.json").exists());
    assert!(folder.path("moved/tally.json").exists());

    let run = format!("{LONG} --records games.jsonl --out other");
    let running = folder.start_and_wait(&run, "other", 1);
    folder.write("games.jsonl", "mine");
    assert_eq!(interrupt(running, "INT"), Some(2));
    assert_eq!(folder.read("games.jsonl"), "mine");
}

#[cfg(unix)]
#[test]
fn records_have_a_name_in_utf_8() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = Folder::new();
    let name = std::ffi::OsStr::from_bytes(b"r\xff.jsonl");
    let run = folder.command(&format!("{SHORT} --out run --records")).arg(name).output().unwrap();
    assert_eq!(run.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&run.stderr).contains("--records: expected a name in UTF-8"));
    assert!(folder.files("").is_empty());
}

#[test]
fn a_run_is_not_resumed_with_the_records_of_another() {
    let folder = Folder::new();
    let records = folder.path("r.jsonl.partial");
    let run = format!("{LONG} --out one --records r.jsonl --resume");
    let mut killed = folder.start_and_wait(&run, "one", 1);
    killed.kill().unwrap();
    killed.wait().unwrap();
    let other = format!("{SHORT} --seed 7 --out two --records r.jsonl");
    folder.refuses(&other, &["r.jsonl.partial: exists", "--force"]);
    // The records that were saved, with one letter changed near their end.
    let tally = folder.json("one/tally.json");
    let saved = tally["files"][0]["end"]["length"].as_u64().unwrap() as usize;
    let contents = fs::read(&records).unwrap();
    let mut changed = contents.clone();
    changed[saved - 100] ^= 1;
    fs::write(&records, changed).unwrap();
    folder.refuses(&run, &["r.jsonl", "was changed after the run was interrupted"]);
    folder.succeeds(&format!("{other} --force"));
    folder.refuses(&run, &["r.jsonl", "was changed after the run was interrupted"]);
}

#[test]
fn large_files_are_refused() {
    let folder = Folder::new();
    let spaces = vec![b' '; 1 << 20];
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    for _ in 0..65 {
        packed.write_all(&spaces).unwrap();
    }
    let packed = packed.finish().unwrap();
    assert!(packed.len() < 500_000);
    folder.write("long.jsonl.gz", packed);
    let long = "long.jsonl.gz:1: can't be read: expected a line of at most 64 MiB";
    folder.refuses("replay long.jsonl.gz", &[long]);

    folder.write("large.toml", spaces.repeat(17));
    let large = "large.toml: can't be read: expected at most 16 MiB";
    let readers = [
        "simulate --config large.toml",
        "simulate --bots large.toml,random",
        "run large.toml",
        "tune --out run --profile large.toml",
        "balance compare large.toml large.toml",
    ];
    for reader in readers {
        folder.refuses(reader, &[large]);
    }
}

/// A large number of threads is accepted; only the time depends on it.
#[test]
fn the_number_of_threads_is_limited_by_the_number_of_blocks() {
    let folder = Folder::new();
    let run = "simulate --bots random,random-kind --out run --force --threads 100000";
    let messages = |more: &str| folder.exits_with(0, &format!("{run} {more}")).1;
    let threads = || folder.manifest("run")["timing"]["threads"].as_u64().unwrap();
    let one = messages("--games 2");
    assert!(one.contains("--threads: using 1 instead of 100000, 1 per block"), "{one}");
    assert_eq!(threads(), 1);
    let most = 4 * std::thread::available_parallelism().unwrap().get() as u64;
    let many = messages("--games 500");
    assert!(
        many.contains(&format!("--threads: using {most} instead of 100000, 4 per core")),
        "{many}"
    );
    assert_eq!(threads(), most);
    assert_eq!(messages("--games 500 --quiet"), "");
    folder.succeeds("balance turn-order --games 20 --bots random --threads 100000 --out order");
}

#[test]
fn paths_in_an_experiment_file_are_relative_to_it() {
    let folder = Folder::new();
    fs::create_dir(folder.path("study")).unwrap();
    folder.copy("configs/glassworks.toml", "study/own.toml");
    let experiment = "game = \"glassworks\"\nconfig = \"own.toml\"\ngames = 2\nbots = [\"random\", \
        \"random\"]\n";
    folder.write("study/experiment.toml", experiment);
    folder.succeeds("run study/experiment.toml --quiet --out run");
    let command = folder.manifest("run")["command"].to_string();
    assert!(command.contains(" --config study/own.toml "), "{command}");
}

/// Files that no run wrote stay.
#[test]
fn a_run_of_another_game_removes_the_tables_of_the_old_run() {
    let folder = Folder::new();
    let run = |more: &str| {
        folder.succeeds(&format!(
            "simulate --bots random --games 4 --quiet --out run --force {more}"
        ));
        folder.files("run")
    };
    assert!(run("--games-csv").contains(&"games.csv".to_owned()));
    folder.write("run/notes.csv", "mine");
    let written = run("--game glassworks");
    assert!(
        written.contains(&"colours.csv".to_owned()) && written.contains(&"notes.csv".to_owned()),
        "{written:?}"
    );
    for stale in ["buildings.csv", "tiles.csv", "games.csv"] {
        assert!(!written.contains(&stale.to_owned()), "{written:?}");
    }
}
