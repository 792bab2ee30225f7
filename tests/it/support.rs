//! Helpers that run the program and read its files.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Child, Command, Output, Stdio},
};

use serde_json::Value;

/// A row of a table: each field under the heading of its column.
pub(crate) type Row = BTreeMap<String, String>;

/// The program with these arguments, to be run in a folder.
pub(crate) fn command(folder: impl AsRef<Path>, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_watershed"));
    command.current_dir(folder).args(arguments).stdin(Stdio::null());
    command
}

/// Runs the program in a folder.
pub(crate) fn watershed(folder: impl AsRef<Path>, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

/// Starts the program in a folder and does not wait for its end.
pub(crate) fn start(folder: impl AsRef<Path>, arguments: &[&str]) -> Child {
    let mut command = command(folder, arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

/// Runs the program, expects this exit code, and returns what it printed.
#[track_caller]
pub(crate) fn exits_with(code: i32, folder: impl AsRef<Path>, arguments: &[&str]) -> String {
    let output = watershed(folder, arguments);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {message}");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs the program, expects success, and returns what it printed.
#[track_caller]
pub(crate) fn succeeds(folder: impl AsRef<Path>, arguments: &[&str]) -> String {
    exits_with(0, folder, arguments)
}

/// Runs the program and expects a usage error: exit code 2, one line on stderr that contains all
/// of `parts`, nothing on stdout, and a folder with the same files as before.
#[track_caller]
pub(crate) fn refuses(folder: impl AsRef<Path>, arguments: &[&str], parts: &[&str]) {
    let folder = folder.as_ref();
    let before = tree(folder);
    let output = watershed(folder, arguments);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    assert_eq!(message.lines().count(), 1, "{arguments:?}: {message}");
    for part in parts {
        assert!(message.contains(part), "{arguments:?}: {part:?} is not in {message}");
    }
    assert!(output.stdout.is_empty(), "{arguments:?} printed something");
    assert!(tree(folder) == before, "{arguments:?} changed files");
}

/// Sends a signal to a running program, and returns its exit code.
#[cfg(unix)]
#[track_caller]
pub(crate) fn interrupt(mut run: Child, signal: &str) -> Option<i32> {
    let signal = format!("-{signal}");
    let sent = Command::new("kill").args([&signal, &run.id().to_string()]).status().unwrap();
    assert!(sent.success());
    run.wait().unwrap().code()
}

/// The names of the files in a folder, sorted.
pub(crate) fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The paths of all files below a folder, with their contents, sorted.
pub(crate) fn tree(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(tree(&path));
        } else {
            found.push((path.display().to_string(), fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

/// The manifest of a run.
pub(crate) fn manifest(folder: &Path, out: &str) -> Value {
    serde_json::from_slice(&fs::read(folder.join(out).join("run.json")).unwrap()).unwrap()
}

/// The manifest of a run without `timing`, the only part that differs between equal runs.
pub(crate) fn manifest_without_timing(folder: &Path, out: &str) -> Value {
    let mut manifest = manifest(folder, out);
    assert!(manifest["timing"]["wall_seconds"].as_f64().unwrap() > 0.0);
    manifest["timing"].take();
    manifest
}

/// The rows of a table.
pub(crate) fn rows(folder: &Path, out: &str, table: &str) -> Vec<Row> {
    read_rows(&fs::read_to_string(folder.join(out).join(table)).unwrap())
}

/// The rows of a table in CSV.
pub(crate) fn read_rows(text: &str) -> Vec<Row> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().map(|row| row.unwrap()).collect()
}

/// A number in a row.
#[track_caller]
pub(crate) fn number(row: &Row, column: &str) -> f64 {
    row[column].parse().unwrap()
}
