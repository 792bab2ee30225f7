//! Output goes nowhere else than it should, input may be as large and as odd as it likes, and
//! messages stay one line.

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use flate2::{Compression, write::GzEncoder};
use tempfile::TempDir;

use super::resume::saved_blocks;
use crate::support::{command, refuses, start, succeeds, watershed};

const SHORT: [&str; 6] = ["simulate", "--quiet", "--bots", "random,random", "--games", "2"];
/// A run that nobody waits for.
const LONG: [&str; 8] =
    ["simulate", "--quiet", "--bots", "random,random", "--games", "100000000", "--threads", "1"];

/// Returns the message of a command that is refused in one line.
#[track_caller]
fn refusal(folder: &Path, arguments: &[&str]) -> String {
    let output = watershed(folder, arguments);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        (output.status.code(), message.lines().count()),
        (Some(2), 1),
        "{arguments:?}: {message}"
    );
    message
}

#[cfg(unix)]
#[test]
fn records_and_traces_do_not_overwrite_files() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    succeeds(folder.path(), &[&SHORT[..], &["--out", "other"]].concat());
    fs::copy("configs/the_river.toml", path("mine.toml")).unwrap();
    fs::write(path("notes.txt"), "mine").unwrap();
    fs::write(path("experiment.toml"), "games = 2\n").unwrap();
    fs::create_dir(path("run")).unwrap();
    fs::create_dir(path("run/sub")).unwrap();
    for (target, link) in
        [("run", "run_link"), ("notes.txt", "link.jsonl"), ("nothing", "dangling.jsonl")]
    {
        std::os::unix::fs::symlink(target, path(link)).unwrap();
    }
    assert!(Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
    let run = |more: &[&'static str]| [&SHORT[..], &["--out", "run"], more].concat();
    let of_run = "has the name of a file that the run writes";
    let cases: [(&[&'static str], &str); 18] = [
        (
            &["--config", "mine.toml", "--records", "mine.toml", "--force"],
            "--records: mine.toml is also the file of --config",
        ),
        (
            &["experiment.toml", "--trace", "./experiment.toml", "--force"],
            "--trace: ./experiment.toml is also the file of EXPERIMENT",
        ),
        (
            &["--records", "new.jsonl", "--trace", "sub/../new.jsonl"],
            "--trace: sub/../new.jsonl is also the file of --records",
        ),
        (&["--records", "notes.txt"], "notes.txt: exists"),
        (&["--trace", "link.jsonl"], "link.jsonl: exists"),
        (&["--records", "other/win_rates.csv"], "other/win_rates.csv: exists"),
        (&["--records", "run/run.json", "--force"], of_run),
        (&["--records", "run_link/win_rates.csv", "--force"], of_run),
        (&["--records", "run/sub/../tally.json", "--force"], of_run),
        (&["--records", "run/new/../report.html", "--force"], of_run),
        (&["--records", "run/games.csv", "--games-csv"], of_run),
        (&["--trace", "run/tiles.csv"], of_run),
        (&["--records", "run/run.json.partial"], "expected another ending than .partial"),
        (&["--records", "notes.partial", "--force"], "expected another ending than .partial"),
        (&["--records", "pipe", "--force"], "pipe: is not a regular file"),
        (&["--trace", "pipe"], "pipe: is not a regular file"),
        (&["--records", "dangling.jsonl", "--force"], "dangling.jsonl: is not a regular file"),
        (&["--records", "deep/down/new.jsonl", "--trace", "notes.txt"], "notes.txt: exists"),
    ];
    fs::create_dir(path("sub")).unwrap();
    for (more, part) in cases {
        let arguments = run(more);
        // A pipe can't be read like the other files below the folder.
        let before = names_below(folder.path());
        assert!(
            refusal(folder.path(), &arguments).contains(part),
            "{more:?}: {part} is not in {}",
            refusal(folder.path(), &arguments)
        );
        assert_eq!(names_below(folder.path()), before, "{more:?}");
    }
    assert_eq!(fs::read_to_string(path("notes.txt")).unwrap(), "mine");
    assert_eq!(fs::read_to_string(path("experiment.toml")).unwrap(), "games = 2\n");

    succeeds(folder.path(), &run(&["--records", "link.jsonl", "--force"]));
    assert!(
        path("link.jsonl").is_symlink()
            && fs::read_to_string(path("notes.txt")).unwrap().starts_with("{\"format\"")
    );
}

/// All names below a folder.
fn names_below(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        names.push(path.display().to_string());
        if path.is_dir() && !path.is_symlink() {
            names.extend(names_below(&path));
        }
    }
    names.sort();
    names
}

#[test]
fn unrelated_files_are_not_overwritten() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("mine")).unwrap();
    fs::copy("configs/the_river.toml", folder.path().join("mine/tiles.csv")).unwrap();
    fs::write(folder.path().join("mine/notes.txt"), "mine").unwrap();
    refuses(
        folder.path(),
        &[&SHORT[..], &["--out", "mine"]].concat(),
        &["mine/tiles.csv: exists", "--force"],
    );
    refuses(
        folder.path(),
        &["match", "--bots", "random,balanced", "--games", "2", "--out", "mine"],
        &["mine/tiles.csv: exists"],
    );
    let over_its_data = ["--config", "mine/tiles.csv", "--out", "mine", "--force"];
    refuses(
        folder.path(),
        &[&SHORT[..], &over_its_data].concat(),
        &["--config: mine/tiles.csv has the name of a file that the run writes"],
    );
    succeeds(folder.path(), &[&SHORT[..], &["--out", "mine", "--force"]].concat());
    assert!(fs::read_to_string(folder.path().join("mine/tiles.csv")).unwrap().starts_with("tile,"));
    assert_eq!(fs::read_to_string(folder.path().join("mine/notes.txt")).unwrap(), "mine");

    refuses(
        folder.path(),
        &["train", "--config", "mine.toml", "--out", "mine.toml", "--force"],
        &["mine.toml"],
    );
    fs::copy("configs/the_river.toml", folder.path().join("data.toml")).unwrap();
    let train = ["train", "--config", "data.toml", "--out", "./data.toml", "--force"];
    refuses(folder.path(), &train, &["--out: ./data.toml is also the file of --config"]);
}

/// Whatever writes to the folder of a run that goes on is refused at once, and so is whatever reads
/// it as a part.
#[test]
fn a_folder_is_locked_by_one_run() {
    let folder = TempDir::new().unwrap();
    let mut running = start(folder.path(), &[&LONG[..], &["--out", "run"]].concat());
    while saved_blocks(&folder.path().join("run")) == 0 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let short = &SHORT[1..];
    let others: [&[&str]; 7] = [
        &[&["simulate"], short, &["--force"]].concat(),
        &[&LONG[..], &["--resume"]].concat(),
        &["match", "--bots", "random,balanced", "--games", "2", "--force"],
        &["tune", "--profile", "balanced", "--games", "2", "--force"],
        &["tune", "--profile", "balanced", "--games", "2", "--resume"],
        &["balance", "luck", "--games", "2", "--force"],
        &["merge", "run", "--force"],
    ];
    for other in others {
        let message = refusal(folder.path(), &[other, &["--out", "run"]].concat());
        assert!(message.contains("run: another run is writing it"), "{message}");
    }
    assert!(running.try_wait().unwrap().is_none(), "the run goes on");
    running.kill().unwrap();
    running.wait().unwrap();
    succeeds(folder.path(), &[&SHORT[..], &["--out", "run"]].concat());
}

#[test]
fn a_run_is_not_resumed_with_the_records_of_another() {
    let folder = TempDir::new().unwrap();
    let records = folder.path().join("r.jsonl.partial");
    let run = [&LONG[..], &["--out", "one", "--records", "r.jsonl", "--resume"]].concat();
    let mut killed = start(folder.path(), &run);
    while saved_blocks(&folder.path().join("one")) == 0 {
        std::thread::sleep(Duration::from_millis(5));
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
    let other = [&SHORT[..], &["--seed", "7", "--out", "two", "--records", "r.jsonl"]].concat();
    refuses(folder.path(), &other, &["r.jsonl.partial: exists", "--force"]);
    // The records that were saved, with one letter changed near their end.
    let tally: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.path().join("one/tally.json")).unwrap()).unwrap();
    let saved = tally["records"]["end"]["length"].as_u64().unwrap() as usize;
    let contents = fs::read(&records).unwrap();
    let mut changed = contents.clone();
    changed[saved - 100] ^= 1;
    fs::write(&records, changed).unwrap();
    refuses(folder.path(), &run, &["r.jsonl", "not as the interrupted run left it"]);
    succeeds(folder.path(), &[&other[..], &["--force"]].concat());
    refuses(folder.path(), &run, &["r.jsonl", "not as the interrupted run left it"]);
}

#[test]
fn large_files_are_refused() {
    let folder = TempDir::new().unwrap();
    let spaces = vec![b' '; 1 << 20];
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    for _ in 0..65 {
        packed.write_all(&spaces).unwrap();
    }
    let packed = packed.finish().unwrap();
    assert!(packed.len() < 500_000);
    fs::write(folder.path().join("long.jsonl.gz"), packed).unwrap();
    assert!(
        refusal(folder.path(), &["replay", "long.jsonl.gz"])
            .contains("long.jsonl.gz:1: can't be read: expected a line of at most 64 MiB")
    );

    fs::write(folder.path().join("large.toml"), spaces.repeat(17)).unwrap();
    let large = "large.toml: can't be read: expected at most 16 MiB";
    let readers: [&[&str]; 5] = [
        &["simulate", "--config", "large.toml"],
        &["simulate", "--bots", "large.toml,random"],
        &["simulate", "large.toml"],
        &["tune", "--out", "run", "--profile", "large.toml"],
        &["balance", "compare", "large.toml", "large.toml"],
    ];
    for reader in readers {
        assert!(refusal(folder.path(), reader).contains(large), "{reader:?}");
    }
}

#[test]
fn messages_fit_on_one_short_line() {
    let folder = TempDir::new().unwrap();
    succeeds(folder.path(), &[&SHORT[..], &["--out", "run", "--records", "games.jsonl"]].concat());
    let records = fs::read_to_string(folder.path().join("games.jsonl")).unwrap();
    let (before, after) = records.split_once("[\"chance\",\"").unwrap();
    let odd = [
        "\\u001b[31mred\\nline two\\u0007".to_owned(),
        "\u{202e}".to_owned(),
        "x".repeat(10_000_000),
    ];
    for text in odd {
        fs::write(folder.path().join("odd.jsonl"), format!("{before}[\"chance\",\"{text}{after}"))
            .unwrap();
        check_message(&watershed(folder.path(), &["replay", "odd.jsonl"]), Some(1));
        fs::write(folder.path().join("odd.jsonl"), format!("{{\"{text}\": 1}}\n")).unwrap();
        check_message(&watershed(folder.path(), &["replay", "odd.jsonl"]), Some(2));
    }
    let long = "x".repeat(100_000);
    for name in ["q\nw\u{1b}\u{9b}.toml", "mcts:a\u{2028}\n=1", &long] {
        check_message(&watershed(folder.path(), &["simulate", "--bots", name]), Some(2));
        check_message(
            &watershed(folder.path(), &["simulate", "--bots", &format!("{name},random")]),
            Some(2),
        );
        check_message(&watershed(folder.path(), &["simulate", "--games", name]), Some(2));
    }
    // A bot's name stands in tables, too.
    if cfg!(unix) {
        fs::write(folder.path().join("q\nw\u{1b}.toml"), "kind = \"random\"\n").unwrap();
        let run = [
            "simulate",
            "--quiet",
            "--bots",
            "q\nw\u{1b}.toml,random",
            "--games",
            "2",
            "--out",
            "odd",
        ];
        let table = succeeds(folder.path(), &run);
        assert!(!table.contains('\u{1b}') && table.contains("\nq\\nw\\u{1… "), "{table}");
    }
}

#[track_caller]
fn check_message(output: &std::process::Output, code: Option<i32>) {
    let message = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!((output.status.code(), message.lines().count()), (code, 1), "{message}");
    assert!(message.chars().count() < 1020, "{message}");
    let is_odd = |letter: char| letter.is_control() || ['\u{202e}', '\u{2028}'].contains(&letter);
    assert!(!message.trim_end_matches('\n').contains(is_odd), "{message:?}");
}

/// A number of threads is never refused for being great, and nothing but the time depends on it.
#[test]
fn the_number_of_threads_is_limited_by_the_number_of_blocks() {
    let folder = TempDir::new().unwrap();
    let run = [
        "simulate",
        "--bots",
        "random,random-kind",
        "--out",
        "run",
        "--force",
        "--threads",
        "100000",
    ];
    let threads = || {
        let text = fs::read(folder.path().join("run/run.json")).unwrap();
        serde_json::from_slice::<serde_json::Value>(&text).unwrap()["timing"]["threads"]
            .as_u64()
            .unwrap()
    };
    let messages = |games: &str, more: &[&str]| {
        let output = watershed(folder.path(), &[&run[..], &["--games", games], more].concat());
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stderr).unwrap()
    };
    let one = messages("2", &[]);
    assert!(one.contains("--threads: using 1 instead of 100000, 1 for each block"), "{one}");
    assert_eq!(threads(), 1);
    let most = 4 * std::thread::available_parallelism().unwrap().get() as u64;
    let many = messages("5000", &[]);
    assert!(
        many.contains(&format!("--threads: using {most} instead of 100000, 4 for each core")),
        "{many}"
    );
    assert_eq!(threads(), most);
    assert_eq!(messages("5000", &["--quiet"]), "");
    let luck = [
        "balance",
        "luck",
        "--games",
        "20",
        "--bots",
        "random,random",
        "--threads",
        "100000",
        "--out",
        "luck",
    ];
    assert_eq!(watershed(folder.path(), &luck).status.code(), Some(0));
}

/// Part 1 of 2^64 - 2 parts ends, and so does the last.
#[test]
fn the_last_possible_block_is_played() {
    let folder = TempDir::new().unwrap();
    let most = (u64::MAX - 1).to_string();
    succeeds(
        folder.path(),
        &[
            "simulate",
            "--quiet",
            "--bots",
            "random,random",
            "--games",
            &most,
            "--shard",
            &format!("{most}/{most}"),
        ],
    );
}

/// A path in an experiment file is relative to that file, wherever the program is started.
#[test]
fn paths_in_an_experiment_file_are_relative_to_it() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("study")).unwrap();
    fs::copy("configs/glassworks.toml", folder.path().join("study/own.toml")).unwrap();
    let experiment = "game = \"glassworks\"\nconfig = \"own.toml\"\ngames = 2\nbots = [\"random\", \
        \"random\"]\n";
    fs::write(folder.path().join("study/experiment.toml"), experiment).unwrap();
    let printed =
        succeeds(folder.path(), &["simulate", "study/experiment.toml", "--quiet", "--out", "run"]);
    assert!(printed.contains(" --config study/own.toml "), "{printed}");
}

/// A full disk is no success; a reader that has gone away is none of the program's business.
#[cfg(target_os = "linux")]
#[test]
fn unwritable_standard_output_is_an_error() {
    let folder = TempDir::new().unwrap();
    let commands: [&[&str]; 5] = [
        &["completions", "bash"],
        &["--help"],
        &["-V"],
        &["perft", "--depth", "2"],
        &[&SHORT[..], &["--out", "run"]].concat(),
    ];
    for arguments in commands {
        let run = |stdout: Stdio| {
            let mut command = command(folder.path(), arguments);
            command.stdout(stdout).stderr(Stdio::piped()).spawn().unwrap()
        };
        let output = run(fs::OpenOptions::new().write(true).open("/dev/full").unwrap().into())
            .wait_with_output()
            .unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(
            message.starts_with("error: stdout: cannot be written: ")
                && message.lines().count() == 1,
            "{message}"
        );
        fs::remove_dir_all(folder.path().join("run")).ok();
        let mut without_reader = run(Stdio::piped());
        drop(without_reader.stdout.take());
        let output = without_reader.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()), "{arguments:?}");
    }
}
