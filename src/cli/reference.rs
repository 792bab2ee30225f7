//! The reference of the command line in docs/commands.md, made from the definitions of the flags.
#![allow(clippy::unwrap_used, reason = "a failed step ends the test")]

use std::{env, fs, path::Path};

use clap::{Arg, Command, builder::PossibleValue};

use super::definition::{FURTHER, GROUPS, definition};
use crate::games::built_in_games;

/// Width of the paragraphs and examples.
const WIDTH: usize = 100;

const HEAD: &str = "\
# Commands

Every command with its arguments, flags and examples, as `watershed COMMAND --help` prints them.
`watershed --help` lists the main ones, and `watershed --version` names the version, the build, the
processor features and the signature. A number may be written `20000`, `20k`, `20_000` or `2e4`. If
a flag that takes one value is given twice, the last value counts. [Runs](runs.md) describes exit
codes and streams.
";

/// Returns the reference of all commands as Markdown.
fn reference() -> String {
    let mut root = definition("watershed", built_in_games().all());
    root.build();
    let mut tables = HEAD.to_owned();
    let mut sections = String::new();
    for (heading, names) in GROUPS.into_iter().chain([("Further commands", FURTHER)]) {
        tables += &format!("\n| {} | |\n|---|---|\n", heading.to_lowercase());
        let commands = names.iter().map(|name| root.find_subcommand(name).unwrap());
        for command in commands.flat_map(leaf_commands) {
            let name = name(command);
            let anchor = name.replace(' ', "-");
            tables += &format!("| [`{name}`](#{anchor}) | {} |\n", command.get_about().unwrap());
            sections += &format!("\n{}", section(&name, command));
        }
    }
    tables + &sections
}

/// Returns a command if it has no subcommands, else those of its subcommands that have none, in the
/// order of the help.
fn leaf_commands(command: &Command) -> Vec<&Command> {
    if !command.has_subcommands() {
        return vec![command];
    }
    let inner = command.get_subcommands().filter(|command| command.get_name() != "help");
    inner.flat_map(leaf_commands).collect()
}

/// Returns the name of a command without the name of the program.
fn name(command: &Command) -> String {
    command.get_bin_name().unwrap().trim_start_matches("watershed ").to_owned()
}

/// Returns the description of a command.
fn section(name: &str, command: &Command) -> String {
    let usage = command.clone().render_usage().to_string().replace("Usage: ", "");
    let about = command.get_about().unwrap();
    let mut text = format!("## {name}\n\n{about}.\n\n```text\n{usage}\n```\n\n");
    let help = command.clone().render_long_help().to_string();
    let mut arguments: Vec<_> =
        command.get_arguments().filter(|argument| argument.get_id() != "help").collect();
    arguments.sort_by_key(|argument| argument.get_long().map(|long| help_line(&help, long)));
    if !arguments.is_empty() {
        text += "| argument | description | default |\n|---|---|---|\n";
        text.extend(arguments.into_iter().map(argument_row));
        text += "\n";
    }
    text += &notes(&command.get_after_help().unwrap().to_string());
    text
}

/// Returns the line of a help text that describes a flag.
fn help_line(help: &str, long: &str) -> usize {
    let is_flag = |word: &str| word.strip_prefix("--") == Some(long);
    // A short form stands before the long one.
    let begins = |line: &str| {
        let mut words = line.split_whitespace().skip_while(|word| word.ends_with(','));
        line.trim_start().starts_with('-') && words.next().is_some_and(is_flag)
    };
    help.lines().position(begins).unwrap()
}

fn argument_row(argument: &Arg) -> String {
    let names = argument.get_value_names().filter(|_| argument.get_action().takes_values());
    let value = names.map(|names| names.join(" "));
    let short = argument.get_short().map(|short| format!("-{short}`, `")).unwrap_or_default();
    let name = match (argument.get_long(), value) {
        (Some(long), Some(value)) => format!("{short}--{long} <{value}>"),
        (Some(long), None) => format!("{short}--{long}"),
        (None, value) => format!("<{}>", value.unwrap()),
    };
    let help = argument.get_long_help().or(argument.get_help()).unwrap().to_string();
    let help = help.split("\n\n").map(sentence).collect::<Vec<_>>().join(" ");
    let (mut help, mut default) = match help.split_once(" [default: ") {
        Some((before, rest)) => {
            let (default, after) = rest.split_once(']').unwrap();
            (before.to_owned() + after.trim_end_matches('.'), default.to_owned())
        }
        None => (help, String::new()),
    };
    help = sentence(&help);
    if let [value] = argument.get_default_values()
        && argument.get_action().takes_values()
        && !argument.is_hide_default_value_set()
    {
        default = value.to_str().unwrap().to_owned();
    }
    let values = argument.get_possible_values();
    let shown = values.iter().filter(|value| !value.is_hide_set());
    let values: Vec<_> = shown.map(value_text).collect();
    if !values.is_empty() && argument.get_action().takes_values() {
        help += &format!(" One of {}.", values.join(", "));
    }
    if argument.is_required_set() {
        "required".clone_into(&mut default);
    }
    format!("| `{name}` | {} | {} |\n", escape(&help), escape(&default))
}

/// Returns a text on one line that ends with a full stop.
fn sentence(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.ends_with('.') { line } else { line + "." }
}

/// Returns a possible value with its description.
fn value_text(value: &PossibleValue) -> String {
    let help = value.get_help().map(|help| format!(" ({help})")).unwrap_or_default();
    format!("`{}`{help}", value.get_name())
}

/// Escapes the characters outside code that are special in Markdown.
fn escape(text: &str) -> String {
    let parts = text.split('`').enumerate().map(|(index, part)| match index % 2 {
        0 => part.replace('<', "\\<").replace('*', "\\*").replace('|', "\\|"),
        _ => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("`")
}

/// Returns the text below the flags of a help text: paragraphs, lists and examples.
fn notes(help: &str) -> String {
    let mut text = String::new();
    for part in help.split("\n\n") {
        let (paragraph, indented): (Vec<_>, Vec<_>) =
            part.lines().partition(|line| !line.starts_with("  "));
        let paragraph = paragraph.join(" ");
        if paragraph.starts_with("Example") {
            text += &format!("{paragraph}\n\n```console no_run\n");
            for line in indented {
                // The second line of an example has two more levels of indentation.
                let is_first = !line.starts_with("    ");
                text += if is_first { "$ " } else { "    " };
                text += line.trim();
                text += "\n";
            }
            text += "```\n\n";
            continue;
        }
        if !paragraph.is_empty() {
            text += &format!("{}\n\n", fill(&escape(&paragraph), ""));
        }
        // A list has a name and its meaning on the first line; other indented lines are a file.
        if indented.first().is_some_and(|line| !line.trim_start().contains("  ")) {
            let lines: Vec<_> = indented.iter().map(|line| &line[2..]).collect();
            text += &format!("```toml\n{}\n```\n\n", lines.join("\n"));
            continue;
        }
        let mut items: Vec<String> = Vec::new();
        for line in indented {
            match line.trim_start().split_once("  ") {
                Some((name, meaning)) => {
                    items.push(format!("- `{name}`: {}", escape(meaning.trim())));
                }
                None => *items.last_mut().unwrap() += &format!(" {}", escape(line.trim())),
            }
        }
        if !items.is_empty() {
            let items: Vec<_> = items.iter().map(|item| fill(item, "  ")).collect();
            text += &format!("{}\n\n", items.join("\n"));
        }
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}

/// Breaks a paragraph into lines of which all but the first begin with `indent`.
fn fill(text: &str, indent: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().unwrap();
        if line.chars().count() + word.chars().count() >= WIDTH {
            lines.push(format!("{indent}{word}"));
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join("\n")
}

/// Set the environment variable `UPDATE_DOCS` to write the reference.
#[test]
fn reference_of_commands_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/commands.md");
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, reference()).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap();
    assert!(found == reference(), "docs/commands.md is outdated: set UPDATE_DOCS=1");
}
