//! Experiment files of all commands: the flags of a command as keys of a TOML file.

use std::{
    collections::BTreeSet,
    error::Error as _,
    ffi::OsString,
    path::{Component, Path, PathBuf},
};

use anyhow::{Context as _, bail, ensure};
use clap::{
    Arg, ArgAction, Args, ValueHint,
    error::{ContextKind, ContextValue, ErrorKind},
    parser::ValueSource,
};
use toml::Value;

use crate::{
    bots::program::PREFIX,
    config::{ConfigError, Document, nearest_name, unknown_key},
    run::command::are_exclusive,
};

/// Key of the name of the command.
const COMMAND: &str = "command";
/// Key of a text for people.
const DESCRIPTION: &str = "description";
/// Command of a file that names none.
const DEFAULT_COMMAND: &str = "simulate";
/// The flag without which a file starts no programs; no file sets it.
const ALLOW: &str = "allow-programs";
/// Flags whose one value may be a list of values with commas.
const LISTS: [&str; 3] = ["budgets", "players", "values"];

/// Flags of `watershed run`.
#[derive(Args, Debug)]
#[command(
    after_help = "The key `command` names the command, as in \"balance ablate\"; without it, it is \
`simulate`. The other keys are the flags of that command without the hyphens in front, and with _ \
or - between words: `only = [\"meadow\"]` is `--only meadow`, `until_significant = true` is \
`--until-significant`. `description` is a text for people. A data file that the file names is \
relative to its folder. Flags after the name of the file override its keys.

Without --allow-programs, a file with a bot `exec:COMMAND`, with the command `serve`, or with an \
output that is an absolute path or has `..` is refused. Add it only for files that you trust.

Values without a flag have these keys:
  baseline, variant  the data files of `balance compare`
  book  the book of `openings show`
  file  the file of `replay`, `data check` and `puzzles solve`
  source, tables  the data file of `data export`, and the tables of `data import`
  game  the game of `data`
  records  the records of `puzzles find`
  runs  a list of folders, of `report` and `verify`
  shards  a list of folders, of `merge`
  shell  the shell of `completions`

Examples:
  watershed run configs/experiments/meadows.toml
  watershed run configs/experiments/plans.toml --games 1k --out results/plans"
)]
pub(super) struct ExperimentArguments {
    /// Read the command and its flags from an experiment file
    #[arg(value_name = "EXPERIMENT.toml")]
    pub(super) experiment: PathBuf,
    /// Let the file start programs (`exec:` and `serve`) and write outside of this folder
    #[arg(long)]
    allow_programs: bool,
    /// Add these flags of the command
    #[arg(value_name = "FLAGS", trailing_var_arg = true, allow_hyphen_values = true)]
    flags: Vec<OsString>,
}

/// The arguments of the command of an experiment file.
pub(super) struct Expansion {
    /// The arguments, without the name of the program.
    pub(super) arguments: Vec<OsString>,
    document: Document,
    /// The keys whose values are in the arguments, with the names of their flags.
    keys: Vec<(String, String)>,
}

impl ExperimentArguments {
    /// Returns the arguments of the command. Values that the flags after the file replace are left
    /// out. `program` is the definition of the command line.
    ///
    /// # Errors
    /// If the file can't be read, or if a key is not a flag of the command.
    pub(super) fn expand(&self, program: &clap::Command) -> anyhow::Result<Expansion> {
        let document = Document::read(&self.experiment)?;
        let table = document.table()?;
        // Every data file states its provenance.
        if table.contains_key("provenance") {
            let name = &document.name;
            bail!("{name}: this is a data file, not an experiment; use --config {name}");
        }
        let name = match table.get(COMMAND) {
            None => DEFAULT_COMMAND,
            Some(Value::String(name)) => name,
            Some(_) => return Err(document.error(COMMAND, "expected a string").into()),
        };
        let command =
            find_command(program, name).with_context(|| document.key_location(COMMAND))?;
        let is_allow = |flag: &OsString| *flag == *format!("--{ALLOW}");
        let (allow, flags): (Vec<_>, Vec<_>) = self.flags.iter().cloned().partition(is_allow);
        let is_allowed = self.allow_programs || !allow.is_empty();
        ensure!(
            is_allowed || name != "serve",
            "{}: expected --{ALLOW} on the command line, as `serve` starts a server",
            document.key_location(COMMAND)
        );
        let given = given_arguments(command, &flags);
        let is_replaced = |argument: &Arg| {
            given.contains(argument.get_id().as_str())
                || arguments(command).any(|other| {
                    given.contains(other.get_id().as_str())
                        && are_exclusive(command, argument, other)
                })
        };
        let folder = self.experiment.parent().unwrap_or(Path::new(""));
        let mut expanded: Vec<OsString> = name.split_whitespace().map(OsString::from).collect();
        // Values without a flag follow each other as the command defines them.
        let mut positional = Vec::new();
        let mut keys = Vec::new();
        for (key, value) in &table {
            if [COMMAND, DESCRIPTION].contains(&key.as_str()) {
                continue;
            }
            let argument = find_argument(command, key)
                .ok_or_else(|| document.error(key, unknown_argument(command, key)))?;
            let values =
                KeyArgument { document: &document, key, argument, folder }.values(value)?;
            if is_replaced(argument) {
                continue;
            }
            if !is_allowed {
                ensure_harmless(argument, &values).with_context(|| document.key_location(key))?;
            }
            keys.push((key.clone(), name_of(argument).to_owned()));
            match argument.get_long() {
                Some(long) if is_switch(argument) => {
                    expanded.extend(values.iter().map(|_| format!("--{long}").into()));
                }
                Some(long) => {
                    expanded.extend(values.iter().map(|value| format!("--{long}={value}").into()));
                }
                None => positional.push((argument.get_index(), values)),
            }
        }
        positional.sort_by_key(|(index, _)| *index);
        expanded.extend(positional.into_iter().flat_map(|(_, values)| values).map(Into::into));
        expanded.extend(flags);
        Ok(Expansion { arguments: expanded, document, keys })
    }
}

impl Expansion {
    /// Returns the message of an error of the command. A flag that the file sets is named by its
    /// line and key.
    pub(super) fn locate(&self, message: &str) -> String {
        let flag = message.strip_prefix("--").and_then(|rest| rest.split_once(':'));
        flag.and_then(|(flag, rest)| Some(format!("{}:{rest}", self.key_location(flag)?)))
            .unwrap_or_else(|| message.to_owned())
    }

    /// Returns the message of an error of the command line.
    pub(super) fn locate_usage(&self, error: &clap::Error) -> Option<String> {
        let context = |kind| match error.get(kind) {
            Some(ContextValue::String(text)) => Some(text.as_str()),
            _ => None,
        };
        let flag_of = |kind| context(kind)?.split_whitespace().next()?.strip_prefix("--");
        let flag = flag_of(ContextKind::InvalidArg)?;
        if error.kind() == ErrorKind::ArgumentConflict {
            let other = flag_of(ContextKind::PriorArg)?;
            // Both may be keys of the file.
            let located = |(key, flag)| Some((self.key_location(key)?, flag));
            let (location, other) = [(other, flag), (flag, other)].into_iter().find_map(located)?;
            return Some(format!("{location}: cannot be used with `--{other}`"));
        }
        let location = self.key_location(flag)?;
        let found = context(ContextKind::InvalidValue)?;
        let problem = match (error.source(), error.get(ContextKind::ValidValue)) {
            (Some(source), _) => source.to_string(),
            (None, Some(ContextValue::Strings(values))) => {
                format!("expected one of {}", values.join(", "))
            }
            _ => return None,
        };
        let is_complete = problem.contains("found");
        let found = if is_complete { String::new() } else { format!(", found {found:?}") };
        Some(format!("{location}: {problem}{found}"))
    }

    /// Returns the file, line and key that set a flag.
    fn key_location(&self, flag: &str) -> Option<String> {
        let (key, _) = self.keys.iter().find(|(_, name)| name == flag)?;
        Some(self.document.key_location(key))
    }
}

/// Returns the identifiers of the arguments that are given, whether they are valid or not.
fn given_arguments(command: &clap::Command, given: &[OsString]) -> BTreeSet<String> {
    let lenient = command.clone().no_binary_name(true).ignore_errors(true);
    let Ok(matches) = lenient.try_get_matches_from(given) else { return BTreeSet::new() };
    let ids = arguments(command).map(|argument| argument.get_id().as_str());
    ids.filter(|id| matches.value_source(id) == Some(ValueSource::CommandLine))
        .map(str::to_owned)
        .collect()
}

/// Returns the command with a name such as `balance ablate`.
fn find_command<'a>(program: &'a clap::Command, name: &str) -> anyhow::Result<&'a clap::Command> {
    let mut words = name.split_whitespace();
    let found = words.try_fold(program, |command, word| command.find_subcommand(word));
    let is_complete = |command: &&clap::Command| {
        !command.is_subcommand_required_set() && command.get_name() != "run"
    };
    found.filter(is_complete).with_context(|| {
        let names = command_names(program);
        let nearest = nearest_name(name, names.iter().map(String::as_str));
        let hint = nearest.map(|nearest| format!("; did you mean `{nearest}`?"));
        format!(
            "expected the name of a command, as in `match` or `balance ablate`, found `{name}`{}",
            hint.unwrap_or_default()
        )
    })
}

/// Returns the names of all commands that a file can name.
fn command_names(command: &clap::Command) -> Vec<String> {
    let mut names = Vec::new();
    for subcommand in command.get_subcommands().filter(|command| command.get_name() != "run") {
        let name = subcommand.get_name();
        if !subcommand.is_subcommand_required_set() {
            names.push(name.to_owned());
        }
        names.extend(command_names(subcommand).iter().map(|inner| format!("{name} {inner}")));
    }
    names
}

/// Returns the arguments of a command, without those for help.
fn arguments(command: &clap::Command) -> impl Iterator<Item = &Arg> {
    command
        .get_arguments()
        .filter(|argument| argument.get_id() != "help" && argument.get_id() != "version")
}

fn find_argument<'a>(command: &'a clap::Command, key: &str) -> Option<&'a Arg> {
    let name = key.replace('_', "-");
    arguments(command).find(|argument| {
        let aliases = argument.get_all_aliases().unwrap_or_default();
        let names = [name_of(argument), argument.get_id().as_str()];
        aliases.contains(&name.as_str()) || names.iter().any(|own| own.replace('_', "-") == name)
    })
}

/// Returns the message about a key that is not an argument of a command.
fn unknown_argument(command: &clap::Command, key: &str) -> String {
    let known: Vec<_> =
        arguments(command).map(|argument| name_of(argument).replace('-', "_")).collect();
    unknown_key(key, &known.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Returns the name of a flag without the hyphens in front, or of a value without a flag.
fn name_of(argument: &Arg) -> &str {
    argument.get_long().unwrap_or(argument.get_id().as_str())
}

/// Returns true if an argument has no value.
fn is_switch(argument: &Arg) -> bool {
    matches!(argument.get_action(), ArgAction::SetTrue)
}

/// Returns true if an argument names a data file, whose path is relative to the experiment file: it
/// has the hint of a file, which other paths do not have.
fn is_data_file(argument: &Arg) -> bool {
    argument.get_value_hint() == ValueHint::FilePath
}

/// Returns an error if the values start a program or can write outside of the current folder.
fn ensure_harmless(argument: &Arg, values: &[String]) -> anyhow::Result<()> {
    if let Some(value) = values.iter().find(|value| value.contains(PREFIX)) {
        bail!("expected --{ALLOW} on the command line, as {value:?} starts a program");
    }
    let is_path = |name: &clap::builder::Str| {
        ["FILE", "DIR", ".toml", "BOOK"].iter().any(|part| name.contains(part))
    };
    // Values without a flag are read only.
    let is_output = argument.get_long().is_some()
        && !is_data_file(argument)
        && argument.get_value_names().unwrap_or_default().iter().any(is_path);
    let is_inside = |value: &&String| {
        Path::new(value)
            .components()
            .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
    };
    match values.iter().find(|value| is_output && !is_inside(value)) {
        Some(value) => bail!(
            "expected a path inside of the current folder, or --{ALLOW} on the command line, \
             found {value:?}"
        ),
        None => Ok(()),
    }
}

/// A key with the argument that it sets.
struct KeyArgument<'a> {
    document: &'a Document,
    key: &'a str,
    argument: &'a Arg,
    folder: &'a Path,
}

impl KeyArgument<'_> {
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
        let Value::Array(entries) = value else { return Ok(vec![self.text(self.key, value)?]) };
        let entries = entries.iter().enumerate();
        let texts =
            entries.map(|(index, entry)| self.text(&format!("{}[{index}]", self.key), entry));
        let texts = texts.collect::<Result<Vec<_>, _>>()?;
        match (argument.get_value_delimiter(), argument.get_action()) {
            (Some(delimiter), _) => Ok(vec![texts.join(&delimiter.to_string())]),
            (None, ArgAction::Append) => Ok(texts),
            _ if LISTS.contains(&name_of(argument)) => Ok(vec![texts.join(",")]),
            _ if texts.len() == 1 => Ok(texts),
            _ => Err(self.error("expected one value, found a list")),
        }
    }

    /// Returns a value, or an entry of a list, as the flag takes it.
    fn text(&self, key: &str, value: &Value) -> Result<String, ConfigError> {
        match value {
            Value::String(path) if is_data_file(self.argument) => {
                Ok(self.folder.join(path).display().to_string())
            }
            Value::String(text) => Ok(text.clone()),
            Value::Integer(number) => Ok(number.to_string()),
            // As it is written: `10.000` may stand for ten thousand.
            Value::Float(number) => {
                let text = self.document.value_text(key).map(|text| text.replace(['_', '+'], ""));
                Ok(text.unwrap_or_else(|| number.to_string()))
            }
            _ => Err(self.error("expected a string, a number or a list of them")),
        }
    }

    fn error(&self, message: &str) -> ConfigError {
        self.document.error(self.key, message)
    }
}
