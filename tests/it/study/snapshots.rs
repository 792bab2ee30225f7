//! The runs of `tests/snapshots/runs.txt`, of every command that writes tables, compared with the
//! snapshots beside it: the printed text, the manifest, the first rows and a hash of each table,
//! and hashes of the pages and of the tables in JSON. A change of the code that is meant to change
//! nothing changes no snapshot. The files are the same with one thread and with two, and follow
//! the rules for all tables and pages.
//!
//! Set the environment variable `UPDATE_SNAPSHOTS` to write the snapshots.

use std::{collections::BTreeSet, env, fmt::Write as _, fs, thread};

use watershed::config::sha256;

use crate::{
    report::{page::check_page, tables::check_table},
    run::resume::same_files,
    support::Folder,
};

/// Returns the runs by name of snapshot. Each writes to the folder `run`.
fn runs() -> impl Iterator<Item = (&'static str, &'static str)> {
    let runs = include_str!("../../snapshots/runs.txt").lines();
    runs.map(|line| line.split_once(": ").unwrap())
}

/// Maximum number of characters of the answer of a page.
const MAX_LEAD: usize = 320;

/// Runs at the same time.
const WORKERS: usize = 4;

/// Rows of a table that a snapshot shows. The hash covers the others.
const ROWS: usize = 2;

#[test]
fn outputs_equal_their_snapshots() {
    let outdated: Vec<_> = thread::scope(|scope| {
        let parts = (0..WORKERS).map(|part| scope.spawn(move || outdated_snapshots(part)));
        let parts: Vec<_> = parts.collect();
        parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
    });
    let advice = "if the change is intended, set UPDATE_SNAPSHOTS=1";
    assert!(outdated.is_empty(), "{advice}\n{}", outdated.join("\n"));
}

/// Compares or writes the snapshots of one of [`WORKERS`] parts of the runs, and returns the first
/// line that differs in each.
fn outdated_snapshots(part: usize) -> Vec<String> {
    let folder = Folder::new();
    let (data, cost) = ("configs/the_river.toml", "cost = { wood = 3, clay = 2, stone = 1 }");
    folder.copy(data, "data.toml");
    folder.write("goals.toml", "first_player = [0.3, 0.4]\n[item.w3c2s1]\ntaken = [0, 1]\n");
    folder.write("people.csv", "seats,scores,items\nAnn;Ben,41;30,w2c1;w3\nBen;Ann,20;35,;w2c1\n");
    folder.copy_with(data, "third.toml", cost, "cost = { wood = 4, clay = 1 }");
    folder.copy_with(data, "altered.toml", cost, "cost = { wood = 2, clay = 1 }");
    for shard in [1, 2] {
        let run = "simulate --quiet --bots balanced,random --games 60 --games-csv";
        folder.succeeds(&format!("{run} --shard {shard}/2 --out shard{shard}"));
    }
    let mut outdated = Vec::new();
    for (name, command) in runs().skip(part).step_by(WORKERS) {
        let found = snapshot(&folder, command);
        let path = format!("tests/snapshots/{name}.txt");
        let expected = fs::read_to_string(&path).unwrap_or_default();
        if env::var_os("UPDATE_SNAPSHOTS").is_some() {
            fs::write(&path, found).unwrap();
        } else if expected != found {
            let mut lines = found.lines().zip(expected.lines());
            let first = lines.find(|(found, expected)| found != expected);
            outdated.push(format!("{path}: {first:#?}"));
        }
    }
    outdated
}

/// `docs/output.md` has all tables of all commands, which a unit test of `src/study.rs` checks.
#[test]
fn every_table_has_a_snapshot() {
    let text = fs::read_to_string("docs/output.md").unwrap();
    let (_, reference) = text.split_once("<!-- begin tables -->").unwrap();
    let sections: Vec<_> = reference.split("\n## ").skip(1).collect();
    assert!(sections.len() > 10, "{sections:?}");
    for section in sections {
        let heading = section.lines().next().unwrap();
        let mut shown = BTreeSet::new();
        for command in heading.split('`').skip(1).step_by(2) {
            let is_of_command = |run: &str| run.starts_with(&format!("{command} "));
            let runs: Vec<_> = runs().filter(|(_, run)| is_of_command(run)).collect();
            assert!(!runs.is_empty(), "{command} has no snapshot");
            for (name, _) in runs {
                let path = format!("tests/snapshots/{name}.txt");
                let snapshot = fs::read_to_string(&path).expect(&path);
                let titles = snapshot.lines().filter_map(|line| line.strip_prefix("== "));
                shown.extend(titles.map(|title| title.split(':').next().unwrap().to_owned()));
            }
        }
        let headings = section.lines().filter_map(|line| line.strip_prefix("### `"));
        let tables: BTreeSet<_> = headings.map(|line| line.replace('`', "")).collect();
        assert!(!tables.is_empty(), "{heading}");
        let other = shown
            .difference(&tables)
            .filter(|name| name.rsplit_once('.').is_some_and(|(_, kind)| kind == "csv"))
            .count();
        for table in &tables {
            // A name such as `<items>.csv` stands for tables that the game names.
            let is_shown = shown.contains(table) || table.starts_with('<') && other > 0;
            assert!(is_shown, "{heading}: {table} is in no snapshot");
        }
    }
}

/// Runs a command and describes its output.
fn snapshot(folder: &Folder, command: &str) -> String {
    let is_training = command.starts_with("train");
    let (out, results) = if is_training { ("run.toml", "run.training") } else { ("run", "run") };
    let mut text = run(folder, command, 1, out);
    // The command is not wrapped, so that it can be copied.
    let is_long = |line: &&str| line.chars().count() > 80 && !line.starts_with("watershed ");
    assert_eq!(text.lines().find(is_long), None, "{command}: a line over 80 columns");
    if is_training {
        write!(text, "\n== {out}\n{}", folder.read(out)).unwrap();
    }
    if folder.path(results).exists() {
        for file in folder.files(results) {
            describe_file(folder, results, &file, &mut text);
        }
    }
    if !is_training {
        describe_other_forms(folder, command, &mut text);
    }
    text
}

/// Runs a command into a folder or file, expects an answer, and returns what it printed.
fn run(folder: &Folder, command: &str, threads: u32, out: &str) -> String {
    let output = folder.run(&line(command, threads, out));
    assert!(output.status.code().is_some_and(|code| code < 2), "{command}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns a command with its output. `merge` plays no games, and has no threads.
fn line(command: &str, threads: u32, out: &str) -> String {
    let threads =
        if command.starts_with("merge") { String::new() } else { format!(" -j {threads}") };
    format!("{command}{threads} --quiet --force --out {out}")
}

/// Appends a file of the results to a description, unless it is a checkpoint or a network.
fn describe_file(folder: &Folder, results: &str, file: &str, text: &mut String) {
    let path = format!("{results}/{file}");
    match file.rsplit_once('.') {
        Some(("run", "json")) => {
            let mut manifest = folder.manifest_without_timing(results);
            for key in ["build", "version", "config_sha256", "arguments", "bots"] {
                manifest[key].take();
            }
            write!(text, "\n== {file}\n{manifest:#}\n").unwrap();
        }
        Some((_, "csv")) => {
            check_table(&folder.path(&path), "reconstruction");
            let content = folder.read(path);
            let (rows, hash) = (content.lines().count() - 1, hash(&content));
            write!(text, "\n== {file}: {rows} rows, sha256 {hash}\n").unwrap();
            content.lines().take(1 + ROWS).for_each(|line| writeln!(text, "{line}").unwrap());
        }
        Some(("book", "json") | (_, "html" | "jsonl")) => {
            let content = folder.read(path);
            ensure_short_lead(&content);
            if file == "report.html" && folder.path(format!("{results}/run.json")).exists() {
                check_page(folder, results, &content);
            }
            describe_text(file, &content, text);
        }
        _ => {}
    }
}

/// Ensures that the answer with which a page opens is read at a glance.
fn ensure_short_lead(page: &str) {
    let lead = page.split_once("<p class=\"lead\">").and_then(|(_, rest)| rest.split_once("</p>"));
    let parts = lead.map_or("", |(lead, _)| lead).split('<');
    let text: String =
        parts.map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect();
    assert!(text.chars().count() <= MAX_LEAD, "{text}");
}

/// Appends the same results in other forms to a description: as JSON, and as a page of one sheet.
/// Commands without one of the forms refuse it. Ensures that two threads write the same files.
fn describe_other_forms(folder: &Folder, command: &str, text: &mut String) {
    let json = folder.run(&format!("{} --json", line(command, 2, "again")));
    if json.status.code().is_some_and(|code| code < 2) {
        describe_text("--json", &String::from_utf8(json.stdout).unwrap(), text);
    } else {
        run(folder, command, 2, "again");
    }
    if folder.path("run").exists() {
        same_files(folder, "run", "again");
    }
    let brief = folder.run("report run --brief --quiet --force --out brief.html");
    if brief.status.success() {
        describe_text("report --brief", &folder.read("brief.html"), text);
    }
}

/// Appends the size and the hash of a text to a description.
fn describe_text(title: &str, content: &str, text: &mut String) {
    let content = without_build(content);
    let (lines, hash) = (content.lines().count(), hash(&content));
    write!(text, "\n== {title}: {lines} lines, sha256 {hash}\n").unwrap();
}

/// Removes the version of the program and the identity of its sources from a page or a book.
fn without_build(content: &str) -> String {
    let mut content = content.to_owned();
    for (begin, end) in [("<dt>program</dt><dd>", "</dd>"), ("{\"version\":", "\"game\":")] {
        if let Some((head, rest)) = content.split_once(begin) {
            content = format!("{head}{}", rest.split_once(end).unwrap().1);
        }
    }
    content
}

/// Returns the first digits of the SHA-256 of a text.
fn hash(content: &str) -> String {
    sha256(content.as_bytes())[..16].to_owned()
}
