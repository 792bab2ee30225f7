//! The command that repeats a run.

use std::{fmt, sync::OnceLock};

use super::{arguments::GameSelection, shell::shell_quote};

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

/// A command of the program with the arguments that decide its results.
///
/// [`Display`](fmt::Display) quotes it for a POSIX shell. Output folders, threads and messages are
/// left out, because results do not depend on them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RepeatCommand {
    kind: &'static str,
    /// The arguments without the name of the program.
    arguments: Vec<String>,
}

impl RepeatCommand {
    /// Creates a command without arguments. `kind` is its name, such as `balance sweep`.
    pub(crate) fn new(kind: &'static str) -> Self {
        Self { kind, arguments: kind.split(' ').map(str::to_owned).collect() }
    }

    /// Reads back a command that was quoted for a shell.
    pub(crate) fn parse(kind: &'static str, text: &str) -> Self {
        Self { kind, arguments: shlex::Shlex::new(text).skip(1).collect() }
    }

    /// Adds the flags that select the game, its data and the number of players.
    #[must_use]
    pub(crate) fn game(self, selection: &GameSelection) -> Self {
        self.option("--game", selection.game.id)
            .option_if("--config", selection.config.as_ref().map(|path| path.display()))
            .option("--players", selection.players)
    }

    /// Adds a positional argument.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "callers pass temporary values")]
    pub(crate) fn argument(mut self, value: impl ToString) -> Self {
        self.arguments.push(value.to_string());
        self
    }

    /// Adds a flag with a value.
    #[must_use]
    pub(crate) fn option(self, flag: &str, value: impl ToString) -> Self {
        self.argument(flag).argument(value)
    }

    /// Adds a flag with a value, if there is one.
    #[must_use]
    pub(crate) fn option_if(self, flag: &str, value: Option<impl ToString>) -> Self {
        match value {
            Some(value) => self.option(flag, value),
            None => self,
        }
    }

    /// Adds a flag once for each value.
    #[must_use]
    pub(crate) fn options<T: ToString>(
        self,
        flag: &str,
        values: impl IntoIterator<Item = T>,
    ) -> Self {
        values.into_iter().fold(self, |command, value| command.option(flag, value))
    }

    /// Adds a flag with its value.
    #[must_use]
    pub(crate) fn flag_and_value(self, [flag, value]: [String; 2]) -> Self {
        self.option(&flag, value)
    }

    /// Adds a flag without a value, if it is set.
    #[must_use]
    pub(crate) fn flag_if(self, flag: &str, is_set: bool) -> Self {
        if is_set { self.argument(flag) } else { self }
    }

    /// Returns the name of the command.
    pub(crate) const fn kind(&self) -> &'static str {
        self.kind
    }

    /// Returns the arguments without the name of the program.
    pub(crate) fn arguments(&self) -> &[String] {
        &self.arguments
    }
}

impl fmt::Display for RepeatCommand {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(program_name())?;
        self.arguments.iter().try_for_each(|word| write!(formatter, " {}", shell_quote(word)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_quoted_and_read_back() {
        let command = RepeatCommand::new("balance ablate")
            .option("--games", 2000)
            .options("--item", ["a b", "it's"])
            .option_if("--baseline", None::<&str>)
            .flag_if("--legal", true);
        let text = r"watershed balance ablate --games 2000 --item 'a b' --item 'it'\''s' --legal";
        assert_eq!(command.to_string(), text);
        assert_eq!(RepeatCommand::parse("balance ablate", text), command);
    }
}
