//! Messages of one line, and errors of stdout.

use std::{
    fs,
    io::Write as _,
    process::{Command, Stdio},
};

use crate::support::Folder;

const RUN: &str = "simulate --quiet --bots random,random --games 2 --out run";

#[test]
fn messages_fit_on_one_short_line() {
    let folder = Folder::new();
    folder.succeeds(&format!("{RUN} --records games.jsonl"));
    let records = folder.read("games.jsonl");
    let (before, after) = records.split_once("[\"chance\",\"").unwrap();
    let odd = [
        "\\u001b[31mred\\nline two\\u0007".to_owned(),
        "\u{202e}".to_owned(),
        "x".repeat(10_000_000),
    ];
    for text in odd {
        folder.write("odd.jsonl", format!("{before}[\"chance\",\"{text}{after}"));
        check_message(folder.command("replay odd.jsonl"), Some(1));
        folder.write("odd.jsonl", format!("{{\"{text}\": 1}}\n"));
        check_message(folder.command("replay odd.jsonl"), Some(2));
    }
    let simulate = |flag: &str, value: &str| {
        let mut command = folder.command("simulate --quiet --games 2 --out odd");
        command.args([flag, value]);
        command
    };
    let long = "x".repeat(100_000);
    for name in ["q\nw\u{1b}\u{9b}.toml", "mcts:a\u{2028}\n=1", &long] {
        check_message(simulate("--bots", name), Some(2));
        check_message(simulate("--bots", &format!("{name},random")), Some(2));
        check_message(simulate("--games", name), Some(2));
    }
    // Tables have names of bots, too.
    if cfg!(unix) {
        folder.write("q\nw\u{1b}.toml", "kind = \"random\"\n");
        let output = simulate("--bots", "q\nw\u{1b}.toml,random").output().unwrap();
        let table = String::from_utf8(output.stdout).unwrap();
        assert!(!table.contains('\u{1b}') && table.contains("\nq\\nw\\u{1… "), "{table}");
    }
}

/// Checks that a command exits with this code and prints one short line without control characters.
#[track_caller]
fn check_message(mut command: Command, code: Option<i32>) {
    let output = command.output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), message.lines().count()), (code, 1), "{message}");
    assert!(message.chars().count() < 1020, "{message}");
    let is_odd = |letter: char| letter.is_control() || ['\u{202e}', '\u{2028}'].contains(&letter);
    assert!(!message.trim_end_matches('\n').contains(is_odd), "{message:?}");
}

/// A full disk is an error; a closed pipe is not.
#[cfg(target_os = "linux")]
#[test]
fn unwritable_standard_output_is_an_error() {
    let folder = Folder::new();
    let run = format!("{RUN}");
    let commands = ["completions bash", "--help", "-V", "perft --depth 2 --quiet", &run];
    for arguments in commands {
        let run = |stdout: Stdio| {
            let mut command = folder.command(arguments);
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
        fs::remove_dir_all(folder.path("run")).ok();
        let mut without_reader = run(Stdio::piped());
        drop(without_reader.stdout.take());
        let output = without_reader.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()), "{arguments:?}");
    }
}

/// A command that asks questions ends when nobody reads them, although its input goes on.
#[cfg(unix)]
#[test]
fn interactive_commands_end_if_standard_output_is_closed() {
    let folder = Folder::new();
    folder.succeeds(&format!("{RUN} --records games.jsonl"));
    for arguments in ["play --bots human,random", "replay games.jsonl --step"] {
        let mut command = folder.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut without_reader = command.spawn().unwrap();
        drop(without_reader.stdout.take());
        let mut input = without_reader.stdin.take().unwrap();
        // The input is never at its end; the command no longer reads it.
        while input.write_all(b"1\n").is_ok() {}
        let output = without_reader.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()), "{arguments:?}");
    }
}
