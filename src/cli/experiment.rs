//! Experiment files of all commands: the flags of a command as keys of a TOML file.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use clap::{Arg, ArgAction, Args};
use toml::Value;

use crate::config::{ConfigError, Document, unknown_key};

/// Key of the name of the command.
const COMMAND: &str = "command";
/// Key of a text for people.
const DESCRIPTION: &str = "description";
/// Command of a file that names none.
const DEFAULT_COMMAND: &str = "simulate";
/// Keys of data files, whose paths are relative to the folder of the experiment file.
const DATA_FILES: [&str; 3] = ["config", "baseline", "variant"];

/// Flags of `watershed run`.
#[derive(Args, Debug)]
#[command(
    after_help = "The key `command` names the command, as in \"balance ablate\"; without it, it is \
`simulate`. The other keys are the flags of that command without the hyphens in front, and with _ or - \
between words: `only = [\"meadow\"]` is `--only meadow`, `until_significant = true` is \
`--until-significant`. `description` is a text for people. A data file that the file names is relative \
to its folder. Flags after the name of the file override its keys.

Examples:
  watershed run configs/experiments/meadows.toml
  watershed run configs/experiments/plans.toml --games 1k --out results/plans"
)]
pub(super) struct Arguments {
    /// Read the command and its flags from an experiment file
    #[arg(value_name = "EXPERIMENT.toml")]
    pub(super) experiment: PathBuf,
    /// Add these flags of the command
    #[arg(value_name = "FLAGS", trailing_var_arg = true, allow_hyphen_values = true)]
    flags: Vec<OsString>,
}

impl Arguments {
    /// Returns the arguments of the command, without the name of the program. `program` is the
    /// definition of the command line.
    ///
    /// # Errors
    /// If the file can't be read, or if a key is not a flag of the command.
    pub(super) fn expand(&self, program: &clap::Command) -> anyhow::Result<Vec<OsString>> {
        let document = Document::read(&self.experiment)?;
        let table: toml::Table = document.parse()?;
        let name = match table.get(COMMAND) {
            None => DEFAULT_COMMAND,
            Some(Value::String(name)) => name,
            Some(_) => return Err(document.error(COMMAND, "expected a string").into()),
        };
        let command =
            find_command(program, name).with_context(|| document.key_location(COMMAND))?;
        let folder = self.experiment.parent().unwrap_or(Path::new(""));
        let mut arguments: Vec<OsString> = name.split_whitespace().map(OsString::from).collect();
        // Values without a flag follow each other as the command defines them.
        let mut positional = Vec::new();
        for (key, value) in &table {
            if [COMMAND, DESCRIPTION].contains(&key.as_str()) {
                continue;
            }
            let argument = find_argument(command, key)
                .ok_or_else(|| document.error(key, unknown_key(key, &known_keys(command))))?;
            let values = Flag { document: &document, key, argument, folder }.values(value)?;
            match argument.get_long() {
                Some(long) if is_switch(argument) => {
                    arguments.extend(values.iter().map(|_| format!("--{long}").into()));
                }
                Some(long) => {
                    arguments.extend(values.iter().map(|value| format!("--{long}={value}").into()));
                }
                None => positional.push((argument.get_index(), values)),
            }
        }
        positional.sort_by_key(|(index, _)| *index);
        arguments.extend(positional.into_iter().flat_map(|(_, values)| values).map(Into::into));
        arguments.extend(self.flags.iter().cloned());
        Ok(arguments)
    }
}

/// Returns the command with a name such as `balance ablate`.
fn find_command<'a>(program: &'a clap::Command, name: &str) -> anyhow::Result<&'a clap::Command> {
    let mut words = name.split_whitespace();
    let found = words.try_fold(program, |command, word| command.find_subcommand(word));
    found.filter(|command| !command.has_subcommands() && command.get_name() != "run").with_context(
        || {
            format!(
                "expected the name of a command, as in `match` or `balance ablate`, found `{name}`"
            )
        },
    )
}

/// Returns the arguments that a file can set.
fn arguments(command: &clap::Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|argument| {
        !matches!(
            argument.get_action(),
            ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong
        )
    })
}

fn find_argument<'a>(command: &'a clap::Command, key: &str) -> Option<&'a Arg> {
    let id = key.replace('-', "_");
    arguments(command).find(|argument| argument.get_id().as_str() == id)
}

fn known_keys(command: &clap::Command) -> Vec<&str> {
    arguments(command).map(|argument| argument.get_id().as_str()).collect()
}

/// Returns true if an argument has no value.
fn is_switch(argument: &Arg) -> bool {
    matches!(argument.get_action(), ArgAction::SetTrue)
}

/// A key with the argument that it sets.
struct Flag<'a> {
    document: &'a Document,
    key: &'a str,
    argument: &'a Arg,
    folder: &'a Path,
}

impl Flag<'_> {
    /// Returns the values of the argument, each for one occurrence of its flag.
    fn values(&self, value: &Value) -> Result<Vec<String>, ConfigError> {
        let Self { argument, .. } = self;
        if is_switch(argument) {
            return match value {
                Value::Boolean(true) => Ok(vec![String::new()]),
                Value::Boolean(false) => Ok(Vec::new()),
                _ => Err(self.error("expected true or false")),
            };
        }
        let Value::Array(entries) = value else { return Ok(vec![self.text(value)?]) };
        let texts = entries.iter().map(|entry| self.text(entry));
        let texts = texts.collect::<Result<Vec<_>, _>>()?;
        match (argument.get_value_delimiter(), argument.get_action()) {
            (Some(delimiter), _) => Ok(vec![texts.join(&delimiter.to_string())]),
            (None, ArgAction::Append) => Ok(texts),
            _ => Err(self.error("expected one value, found a list")),
        }
    }

    fn text(&self, value: &Value) -> Result<String, ConfigError> {
        match value {
            Value::String(path) if DATA_FILES.contains(&self.key) => {
                Ok(self.folder.join(path).display().to_string())
            }
            Value::String(text) => Ok(text.clone()),
            Value::Integer(number) => Ok(number.to_string()),
            Value::Float(number) => Ok(number.to_string()),
            _ => Err(self.error("expected a string, a number or a list of them")),
        }
    }

    fn error(&self, message: &str) -> ConfigError {
        self.document.error(self.key, message)
    }
}
