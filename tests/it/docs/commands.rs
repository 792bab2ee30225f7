//! The commands on the pages run and print what the pages show.
//!
//! In a block ```` ```console ````, each line `$ command` is run by a shell, in one folder for the
//! whole page with copies of `configs` and `bots`. `watershed` and `cargo run --release --` are the
//! program. The command must succeed. Lines below it are compared with its stdout; a line `...`
//! stands for any number of lines. Without lines below it, nothing is compared. Set the environment
//! variable `UPDATE_DOCS` to write the output into the pages, and review the difference.
//!
//! Only `.ci/full` runs the commands in a block ```` ```console slow ````, and no test runs those
//! in a block ```` ```console no_run ````. Their arguments are parsed by the program, and the
//! files that they name below the root must exist.
#![cfg(unix)]

use std::{
    env, fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    process::{Command, Stdio},
};

use super::page::{BlockMark, CommandBlock, Page, markdown_files};
use crate::support::Folder;

const PROGRAM: &str = env!("CARGO_BIN_EXE_watershed");

/// The command that runs the program from the sources.
const RUN_FROM_SOURCES: [&str; 4] = ["cargo", "run", "--release", "--"];

/// Stand-in for cargo, which would compile the program again.
const CARGO: &str = "#!/bin/sh
if [ \"$1 $2 $3\" = 'run --release --' ]; then shift 3; exec watershed \"$@\"; fi
echo \"cargo $*: expected a block with the mark no_run\" >&2
exit 2
";

/// A folder in which the commands of a page run.
struct Shell(Folder);

impl Shell {
    fn new() -> Self {
        let folder = Folder::new();
        for name in ["configs", "bots"] {
            copy_folder(Path::new(name), &folder.path(name));
        }
        fs::create_dir(folder.path(".bin")).unwrap();
        symlink(PROGRAM, folder.path(".bin/watershed")).unwrap();
        folder.write(".bin/cargo", CARGO);
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(folder.path(".bin/cargo"), executable).unwrap();
        Self(folder)
    }

    /// Runs a command, expects success, and returns its stdout.
    fn run(&self, command: &str) -> Result<String, String> {
        let path = format!("{}:{}", self.0.path(".bin").display(), env::var("PATH").unwrap());
        let output = Command::new("sh")
            .args(["-c", command])
            .current_dir(self.0.path(""))
            .env("PATH", path)
            .env_remove("COLUMNS")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        if output.status.success() {
            Ok(text(output.stdout))
        } else {
            Err(format!("{}: {}", output.status, text(output.stderr)))
        }
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).unwrap();
        if path.is_dir() {
            copy_folder(&path, &to.join(name));
        } else {
            fs::copy(&path, to.join(name)).unwrap();
        }
    }
}

/// Returns true if the printed lines are those that a page shows.
fn matches(shown: &[&str], printed: &[&str]) -> bool {
    match shown {
        [] => printed.is_empty(),
        ["...", rest @ ..] => (0..=printed.len()).any(|start| matches(rest, &printed[start..])),
        [line, rest @ ..] => {
            printed.first().is_some_and(|first| first.trim_end() == line.trim_end())
                && matches(rest, &printed[1..])
        }
    }
}

/// Returns the words of a line without its numbers, or the first number if there are no words.
fn label(line: &str) -> Vec<&str> {
    let words = line.split_whitespace().filter(|word| word.contains(char::is_alphabetic));
    let words: Vec<_> = words.collect();
    if words.is_empty() { line.split_whitespace().take(1).collect() } else { words }
}

/// Returns the lines to show of new output: those with the labels of the lines shown before, or all
/// if no lines were omitted.
fn update_shown(shown: &[String], printed: &str) -> Vec<String> {
    let omits = shown.iter().any(|line| line == "...");
    let labels: Vec<_> = shown.iter().map(|line| label(line)).collect();
    let mut updated: Vec<String> = Vec::new();
    for line in printed.trim_end().lines() {
        let is_shown = !omits || (!line.is_empty() && labels.contains(&label(line)));
        if is_shown {
            updated.push(line.trim_end().to_owned());
        } else if updated.last().is_none_or(|last| last != "...") {
            updated.push("...".to_owned());
        }
    }
    let end = shown.iter().rposition(|line| !line.trim().is_empty()).map_or(0, |last| last + 1);
    updated.extend_from_slice(&shown[end..]);
    updated
}

/// Compares the output of a command.
fn check_output(printed: &str, shown: &[String]) -> Result<(), String> {
    let lines: Vec<_> = printed.trim_end().lines().collect();
    let shown: Vec<_> = shown.iter().map(String::as_str).collect();
    let end = shown.iter().rposition(|line| !line.trim().is_empty()).map_or(0, |last| last + 1);
    if end == 0 || matches(&shown[..end], &lines) {
        Ok(())
    } else {
        Err(format!("expected\n{}\nfound\n{}", shown[..end].join("\n"), lines.join("\n")))
    }
}

/// Parses the arguments of a command without running it, and looks for the files it names.
fn check_arguments(command: &str) -> Result<(), String> {
    let line = command.replace("\\\n", " ");
    let words = shlex::split(&line).ok_or("expected closed quotes")?;
    for part in words.split(|word| ["|", "&&", ";"].contains(&word.as_str())) {
        let part: Vec<_> = part.iter().map(String::as_str).collect();
        let is_variable = |word: &&str| word.contains('=') && !word.starts_with('-');
        let start = part.iter().position(|word| !is_variable(word)).unwrap_or(part.len());
        match &part[start..] {
            ["watershed", arguments @ ..] => check_flags(arguments)?,
            [first, second, third, fourth, arguments @ ..]
                if [*first, *second, *third, *fourth] == RUN_FROM_SOURCES =>
            {
                check_flags(arguments)?;
            }
            ["cargo", arguments @ ..] => check_targets(arguments)?,
            [script, ..] if script.contains('/') && !Path::new(script).exists() => {
                return Err(format!("expected the file {script}"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Parses arguments of the program. With `--help` it parses those before it and does nothing else.
fn check_flags(arguments: &[&str]) -> Result<(), String> {
    let redirection =
        arguments.iter().position(|word| word.starts_with(['>', '2']) && word.contains('>'));
    let arguments = &arguments[..redirection.unwrap_or(arguments.len())];
    let output = Command::new(PROGRAM).args(arguments).arg("--help").output().unwrap();
    if output.status.success() { Ok(()) } else { Err(String::from_utf8(output.stderr).unwrap()) }
}

/// Looks for the examples, benchmarks and tests that cargo is asked for.
fn check_targets(arguments: &[&str]) -> Result<(), String> {
    for pair in arguments.windows(2) {
        let path = match pair {
            ["--example", name] => format!("examples/{name}.rs"),
            ["--bench", name] => format!("benches/{name}.rs"),
            ["--test", name] => format!("tests/{name}"),
            _ => continue,
        };
        if !Path::new(&path).exists() && !Path::new(path.trim_end_matches(".rs")).is_dir() {
            return Err(format!("expected {path}"));
        }
    }
    Ok(())
}

/// Runs the commands of the blocks with one of these marks, each page in its own folder, and parses
/// all others. Returns the number of commands that ran.
fn check_pages(run: &[BlockMark]) -> usize {
    let mut pages = vec!["README.md".to_owned(), "CONTRIBUTING.md".to_owned()];
    pages.extend(markdown_files("docs"));
    let mut failures = Vec::new();
    let mut commands_run = 0;
    for page in pages.iter().map(|path| Page::read(path)) {
        let mut blocks = page.command_blocks();
        let shell = Shell::new();
        for block in &mut blocks {
            let runs = run.contains(&block.mark);
            commands_run += if runs { block.commands.len() } else { 0 };
            failures.extend(check_block(block, runs.then_some(&shell), &page.path));
        }
        if env::var_os("UPDATE_DOCS").is_some() {
            fs::write(&page.path, page.text_with(&blocks)).unwrap();
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    commands_run
}

/// Runs or parses the commands of a block. Returns those that fail, with the error.
fn check_block(block: &mut CommandBlock, shell: Option<&Shell>, path: &str) -> Vec<String> {
    let mut failures = Vec::new();
    for (command, shown) in &mut block.commands {
        let checked = match shell {
            None => check_arguments(command),
            Some(shell) => shell.run(command).and_then(|printed| {
                let differs = check_output(&printed, shown).is_err();
                if differs && env::var_os("UPDATE_DOCS").is_some() {
                    *shown = update_shown(shown, &printed);
                }
                check_output(&printed, shown)
            }),
        };
        if let Err(error) = checked {
            failures.push(format!("{path}:{}: {command}\n{error}", block.line));
        }
    }
    failures
}

#[test]
fn commands_print_what_the_pages_show() {
    let commands = check_pages(&[BlockMark::None]);
    assert!(commands >= 10, "{commands} commands");
}

#[test]
#[ignore = "minutes: games of the strongest bots; .ci/full runs it"]
fn slow_commands_print_what_the_pages_show() {
    let commands = check_pages(&[BlockMark::None, BlockMark::Slow]);
    assert!(commands >= 60, "{commands} commands");
}

#[test]
fn differences_between_page_and_program_are_found() {
    let shell = Shell::new();
    let check = |command: &str, shown: &[&str]| {
        let shown: Vec<_> = shown.iter().map(|line| (*line).to_owned()).collect();
        check_output(&shell.run(command)?, &shown)
    };
    assert_eq!(check("printf 'a\\nb\\nc\\n'", &["a", "...", "c", ""]), Ok(()));
    assert_eq!(check("cargo run --release -- perft --depth 1", &["depth 1: 3", "..."]), Ok(()));
    assert!(check("printf 'a\\nb\\n'", &["a"]).is_err());
    assert!(check("printf 'a\\nb\\n'", &["a", "...", "c"]).is_err());
    assert!(check("watershed perft --depht 1", &[]).is_err());
    assert!(check("cargo build", &[]).unwrap_err().contains("no_run"));

    let shown = ["...", "b: win rate 50 %", "3 1.5", "...", ""].map(str::to_owned);
    let updated = update_shown(&shown, "a: win rate 1 %\nb: win rate 2 %\n3 2.5\n4 2.5\n");
    assert_eq!(updated, ["...", "b: win rate 2 %", "3 2.5", "...", ""]);
    assert_eq!(update_shown(&["old".to_owned()], "new 1\n\nnew 2\n"), ["new 1", "", "new 2"]);

    assert_eq!(check_arguments("watershed simulate --games 1M --out a > b"), Ok(()));
    assert_eq!(check_arguments("A=1 cargo test --release --test it games"), Ok(()));
    assert!(check_arguments("watershed simulate --gamez 5").unwrap_err().contains("--gamez"));
    assert!(check_arguments("cd a && watershed simulate --games many").is_err());
    assert!(check_arguments("cargo run --release -- simulat").is_err());
    assert!(check_arguments("cargo bench --bench none").is_err());
    assert!(check_arguments(".ci/none").is_err());
}
