//! The program in a temporary folder, and its files.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::Duration,
};

use serde_json::Value;
use tempfile::TempDir;

/// A row of a table: each field under the heading of its column.
pub(crate) type Row = BTreeMap<String, String>;

/// A temporary folder in which the program runs.
///
/// Arguments are separated by spaces. Names of files are relative to the folder.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    /// Returns the path of a file.
    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    /// Returns the content of a file.
    #[track_caller]
    pub(crate) fn read(&self, name: impl AsRef<Path>) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Returns the content of a file in JSON.
    #[track_caller]
    pub(crate) fn json(&self, name: impl AsRef<Path>) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// Writes a file.
    pub(crate) fn write(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    /// Copies a file of the crate.
    pub(crate) fn copy(&self, from: &str, name: &str) {
        fs::copy(from, self.path(name)).unwrap();
    }

    /// Copies a file of the crate with the first occurrence of a text replaced.
    #[track_caller]
    pub(crate) fn copy_with(&self, from: &str, name: &str, old: &str, new: &str) {
        let text = fs::read_to_string(from).unwrap();
        assert!(text.contains(old), "{old:?} is not in {from}");
        self.write(name, text.replacen(old, new, 1));
    }

    /// Returns the names of the files in the folder of a run, sorted.
    pub(crate) fn files(&self, out: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(out)).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Returns the manifest of a run.
    pub(crate) fn manifest(&self, out: &str) -> Value {
        self.json(format!("{out}/run.json"))
    }

    /// Returns the manifest of a run without `timing`, the only part that differs between equal
    /// runs.
    pub(crate) fn manifest_without_timing(&self, out: &str) -> Value {
        let mut manifest = self.manifest(out);
        assert!(manifest["timing"]["wall_seconds"].as_f64().unwrap() > 0.0);
        manifest["timing"].take();
        manifest
    }

    /// Returns the rows of a table.
    #[track_caller]
    pub(crate) fn rows(&self, name: impl AsRef<Path>) -> Vec<Row> {
        read_rows(&self.read(name))
    }

    /// Returns the program with these arguments.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_watershed"));
        let arguments = arguments.split_whitespace();
        command.current_dir(&self.0).args(arguments).stdin(Stdio::null());
        command
    }

    /// Runs the program.
    pub(crate) fn run(&self, arguments: &str) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs the program with this standard input.
    pub(crate) fn run_with_input(&self, arguments: &str, input: &str) -> Output {
        self.write("input", input);
        let mut command = self.command(arguments);
        command.stdin(Stdio::from(fs::File::open(self.path("input")).unwrap())).output().unwrap()
    }

    /// Starts the program and does not wait for its end.
    pub(crate) fn start(&self, arguments: &str) -> Child {
        let mut command = self.command(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Runs a line in which `watershed` is the program in a shell, and expects that it finds an
    /// answer.
    #[cfg(unix)]
    #[track_caller]
    pub(crate) fn run_in_shell(&self, line: &str) {
        let program = env!("CARGO_BIN_EXE_watershed");
        let script = format!("watershed() {{ '{program}' \"$@\"; }}; {line}");
        let output =
            Command::new("sh").current_dir(&self.0).args(["-c", &script]).output().unwrap();
        assert!(output.status.code().is_some_and(|code| code < 2), "{line}: {output:?}");
    }

    /// Starts the program and waits until a condition is met, which must be before it ends.
    #[track_caller]
    pub(crate) fn start_until(&self, arguments: &str, condition: impl Fn() -> bool) -> Child {
        let mut run = self.start(arguments);
        while !condition() {
            let status = run.try_wait().unwrap();
            assert!(status.is_none(), "{arguments:?} ended early with {status:?}");
            thread::sleep(Duration::from_millis(2));
        }
        run
    }

    /// Starts the program and waits until its run has saved this number of blocks, which must be
    /// before it ends.
    #[track_caller]
    pub(crate) fn start_and_wait(&self, arguments: &str, out: &str, blocks: u64) -> Child {
        self.start_until(arguments, || self.saved_blocks(out) >= blocks)
    }

    /// Returns the number of blocks in the checkpoint of a run.
    pub(crate) fn saved_blocks(&self, out: &str) -> u64 {
        let name = format!("{out}/tally.json");
        if !self.path(&name).exists() {
            return 0;
        }
        let parts = self.json(&name)["parts"].take();
        parts.as_array().unwrap().iter().map(|part| part["completed"].as_u64().unwrap()).sum()
    }

    /// Runs the program, expects this exit code, and returns its stdout and stderr.
    #[track_caller]
    pub(crate) fn exits_with(&self, code: i32, arguments: &str) -> (String, String) {
        // Studies print all tables before their screen.
        let is_full = code != 2 && has_screen(arguments) && !arguments.contains("--json");
        let full = if is_full { " --full" } else { "" };
        let output = self.run(&format!("{arguments}{full}"));
        let [printed, message] =
            [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        // The page has another path in each folder.
        let is_kept = |line: &&str| !line.starts_with("PAGE ");
        let printed = printed.split_inclusive('\n').filter(is_kept).collect();
        assert_eq!(output.status.code(), Some(code), "{arguments}: {message}");
        (printed, message)
    }

    /// Runs the program, expects success, and returns its stdout.
    #[track_caller]
    pub(crate) fn succeeds(&self, arguments: &str) -> String {
        self.exits_with(0, arguments).0
    }

    /// Runs the program with `--quiet`, expects success and an empty stderr, and returns its
    /// stdout.
    #[track_caller]
    pub(crate) fn succeeds_quietly(&self, arguments: &str) -> String {
        let (printed, messages) = self.exits_with(0, &format!("{arguments} --quiet"));
        assert!(messages.is_empty(), "{arguments}: {messages}");
        printed
    }

    /// Runs a `balance` study into `out` and returns its stdout.
    #[track_caller]
    pub(crate) fn balance(&self, out: &str, arguments: &str) -> String {
        self.succeeds_quietly(&format!("balance {arguments} --out {out}"))
    }

    /// Runs the program and expects a usage error: exit code 2, one line on stderr that contains
    /// all of `parts`, nothing on stdout, and the same files as before. Returns the line.
    #[track_caller]
    pub(crate) fn refuses(&self, arguments: &str, parts: &[&str]) -> String {
        let before = tree(self.0.path());
        let (printed, message) = self.exits_with(2, arguments);
        assert_eq!(message.lines().count(), 1, "{arguments}: {message}");
        for part in parts {
            assert!(message.contains(part), "{arguments}: {part:?} is not in {message}");
        }
        assert!(printed.is_empty(), "{arguments} printed {printed}");
        assert!(tree(self.0.path()) == before, "{arguments} changed files");
        message
    }
}

/// Returns true if a command is a study that ends with a screen.
fn has_screen(arguments: &str) -> bool {
    let studies = ["balance", "calibrate", "exploit", "loss", "match", "merge", "simulate", "tune"];
    let first = arguments.split_whitespace().next();
    first.is_some_and(|first| studies.contains(&first)) || arguments.starts_with("openings grow ")
}

/// Sends a signal to a running program and returns its exit code.
#[cfg(unix)]
#[track_caller]
pub(crate) fn interrupt(mut run: Child, signal: &str) -> Option<i32> {
    let signal = format!("-{signal}");
    let sent = Command::new("kill").args([&signal, &run.id().to_string()]).status().unwrap();
    assert!(sent.success());
    run.wait().unwrap().code()
}

/// Returns the paths of all files below a folder with their contents, sorted. A file that is not a
/// regular file has no content.
pub(crate) fn tree(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(tree(&path));
        } else {
            let content = if path.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
            found.push((path.display().to_string(), content));
        }
    }
    found.sort();
    found
}

/// Returns the largest memory of a process so far, in MiB; `None` if the system does not say it.
pub(crate) fn peak_memory(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? / 1024)
}

/// Returns the rows of a table in CSV.
pub(crate) fn read_rows(text: &str) -> Vec<Row> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().map(|row| row.unwrap()).collect()
}

/// Returns the only row with these values in these columns.
#[track_caller]
pub(crate) fn find_row<'a>(rows: &'a [Row], columns: &[(&str, &str)]) -> &'a Row {
    let is_match = |row: &&Row| columns.iter().all(|(column, value)| row[*column] == *value);
    let found: Vec<_> = rows.iter().filter(is_match).collect();
    assert_eq!(found.len(), 1, "{columns:?}");
    found[0]
}

/// Returns a number in a row.
#[track_caller]
pub(crate) fn number(row: &Row, column: &str) -> f64 {
    row[column].parse().unwrap()
}
