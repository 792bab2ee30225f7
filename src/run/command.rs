//! The command that repeats a run.

use std::{any::Any, fmt, sync::OnceLock};

use clap::{Arg, ArgAction, ArgMatches, parser::ValueSource};

use super::{run_identity::RunIdentity, shell::shell_quote};

/// The flags that decide where a command writes and how it is played, not what it finds. No command
/// that repeats a run has them.
pub(crate) const FLAGS_OF_OUTPUT: [&str; 16] = [
    "csv", "force", "full", "help", "json", "legal", "note", "out", "quiet", "records", "resume",
    "shard", "threads", "trace", "work", "write",
];

/// Name of the program in commands, if it is not that of this crate.
static PROGRAM_NAME: OnceLock<&str> = OnceLock::new();

/// Sets the name of the program in commands that repeat a run. Only the first call has an effect.
pub(crate) fn set_program_name(name: &'static str) {
    // The name is part of the files of runs, so it does not change.
    let _ = PROGRAM_NAME.set(name);
}

/// Returns the name of the program.
pub(crate) fn program_name() -> &'static str {
    PROGRAM_NAME.get().copied().unwrap_or("watershed")
}

/// A command of the program with the arguments that decide its results, in the order in which they
/// are declared, those without a flag first.
///
/// [`Display`](fmt::Display) quotes it for a POSIX shell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RepeatCommand {
    /// Its name, such as `balance sweep`.
    kind: String,
    arguments: Vec<RecordedArgument>,
}

/// An argument with its values, given or default.
#[derive(Clone, PartialEq, Eq, Debug)]
struct RecordedArgument {
    /// The flag with its hyphens; empty for values without a flag.
    flag: String,
    /// The words that set it; none if it has no value.
    words: Vec<String>,
}

impl RepeatCommand {
    /// Records the subcommand that was parsed. `program` is the definition of the command line.
    pub(crate) fn new(program: &clap::Command, matches: &ArgMatches) -> Self {
        let (mut command, mut matches, mut kind) = (program, matches, Vec::new());
        while let Some((name, inner)) = matches.subcommand()
            && let Some(subcommand) = command.find_subcommand(name)
        {
            kind.push(name);
            (command, matches) = (subcommand, inner);
        }
        let mut recorded: Vec<_> = command
            .get_arguments()
            .filter(|argument| !FLAGS_OF_OUTPUT.contains(&argument.get_id().as_str()))
            .collect();
        recorded.sort_by_key(|argument| !argument.is_positional());
        let source = |argument: &Arg| matches.value_source(argument.get_id().as_str());
        let arguments = recorded.iter().map(|&argument| {
            // A command that sets both would be refused.
            let is_replaced = source(argument) == Some(ValueSource::DefaultValue)
                && recorded.iter().any(|&other| {
                    source(other) == Some(ValueSource::CommandLine)
                        && are_exclusive(command, argument, other)
                });
            let words = if is_replaced { Vec::new() } else { words(argument, matches) };
            RecordedArgument { flag: flag_of(argument), words }
        });
        Self { kind: kind.join(" "), arguments: arguments.collect() }
    }

    /// Sets the flags of the game, the number of players and the seed.
    #[must_use]
    pub(crate) fn with_identity(
        &self,
        RunIdentity { game, players, seed, .. }: &RunIdentity,
    ) -> Self {
        let players = (*players > 0).then_some(players);
        self.with("--game", Some(game)).with("--players", players).with("--seed", Some(seed))
    }

    /// Sets the value of a flag, or removes it.
    #[must_use]
    pub(crate) fn with(&self, flag: &str, value: Option<impl ToString>) -> Self {
        let mut command = self.clone();
        let words = value.map(|value| vec![flag.to_owned(), value.to_string()]).unwrap_or_default();
        match command.arguments.iter_mut().find(|argument| argument.flag == flag) {
            Some(argument) => argument.words = words,
            None => command.arguments.push(RecordedArgument { flag: flag.to_owned(), words }),
        }
        command
    }

    /// Returns the name of the command.
    pub(crate) fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns the arguments without the name of the program.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let words = self.arguments.iter().flat_map(|argument| &argument.words).cloned();
        self.kind.split(' ').map(str::to_owned).chain(words).collect()
    }
}

impl fmt::Display for RepeatCommand {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(program_name())?;
        self.arguments().iter().try_for_each(|word| write!(formatter, " {}", shell_quote(word)))
    }
}

/// Returns true if a command accepts only one of two arguments.
pub(crate) fn are_exclusive(command: &clap::Command, one: &Arg, other: &Arg) -> bool {
    let excludes = |one, other| command.get_arg_conflicts_with(one).contains(&other);
    excludes(one, other) || excludes(other, one)
}

fn flag_of(argument: &Arg) -> String {
    argument.get_long().map(|long| format!("--{long}")).unwrap_or_default()
}

/// Returns the words that set an argument.
fn words(argument: &Arg, matches: &ArgMatches) -> Vec<String> {
    let (id, flag) = (argument.get_id().as_str(), flag_of(argument));
    if matches!(argument.get_action(), ArgAction::SetTrue) {
        return if matches.get_flag(id) { vec![flag] } else { Vec::new() };
    }
    let mut values = values(id, matches);
    if let Some(delimiter) = argument.get_value_delimiter().filter(|_| !values.is_empty()) {
        values = vec![values.join(&delimiter.to_string())];
    }
    if flag.is_empty() {
        return values;
    }
    values.into_iter().flat_map(|value| [flag.clone(), value]).collect()
}

/// Returns the values of an argument as text. Counts are written in one way: `20k` is `20000`.
fn values(id: &str, matches: &ArgMatches) -> Vec<String> {
    fn counts<T: Any + Clone + Send + Sync + ToString>(
        id: &str,
        matches: &ArgMatches,
    ) -> Option<Vec<String>> {
        Some(matches.try_get_many::<T>(id).ok()??.map(ToString::to_string).collect())
    }
    let given = || matches.get_raw(id).into_iter().flatten();
    counts::<u64>(id, matches)
        .or_else(|| counts::<u32>(id, matches))
        .or_else(|| counts::<usize>(id, matches))
        .unwrap_or_else(|| given().map(|text| text.to_string_lossy().into_owned()).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step ends the test")]
mod tests {
    use super::*;
    use crate::run::count::count;

    #[test]
    fn commands_record_what_decides_their_results() {
        let arguments = [
            Arg::new("games").long("games").default_value("1").value_parser(count(1..=9999_u64)),
            Arg::new("mode").long("mode").default_value("first"),
            Arg::new("test").long("test").conflicts_with("mode"),
            Arg::new("item").long("item").action(ArgAction::Append),
            Arg::new("all").long("all").action(ArgAction::SetTrue),
            Arg::new("out").long("out"),
            Arg::new("file"),
        ];
        let inner = clap::Command::new("ablate").args(arguments);
        let mut program =
            clap::Command::new("p").subcommand(clap::Command::new("balance").subcommand(inner));
        let mut record = |words: &str| {
            let words = shlex::split(words).unwrap();
            let matches = program.try_get_matches_from_mut(words).unwrap();
            RepeatCommand::new(&program, &matches)
        };
        let command = record("p balance ablate --item 'a b' --games 2k --item it --out x f");
        let text = "watershed balance ablate f --games 2000 --mode first --item 'a b' --item it";
        assert_eq!(command.to_string(), text);
        assert_eq!(shlex::split(text).unwrap()[1..], command.arguments());
        let command = record("p balance ablate --all --test y");
        let with = command.with("--games", Some(3)).with("--seed", Some(4));
        let text = "watershed balance ablate --games 3 --test y --all --seed 4";
        assert_eq!(with.to_string(), text);
    }
}
