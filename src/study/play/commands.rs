//! The lines that a player enters.

use std::path::PathBuf;

/// A line of input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ConsoleCommand {
    /// Take the actions with these numbers, from 1.
    Numbers(Vec<usize>),
    /// Explain the commands.
    Help,
    /// List all actions.
    Actions,
    /// Show all boards.
    Boards,
    /// Show the events of the game.
    Log,
    /// State the rules of the game.
    Rules,
    /// Suggest an action.
    Hint,
    /// Judge the decisions of the finished game.
    Review,
    /// Take the last own decision back.
    Undo,
    /// Make a decision that was taken back again.
    Redo,
    /// Save the game, in the file of `--save` if none is named.
    Save(Option<PathBuf>),
    /// End the program.
    Quit,
    /// Take the action with this notation, or list the actions with this text.
    Text(String),
}

/// Help, in lines of at most 80 characters.
pub(super) const HELP: &str = "\
NUMBER    take the action with this number; several of a combination, as in: 2 1
ACTION    take an action by its notation, such as food or claim:desert_store2
TEXT      list the actions that contain this text
a         list all actions, with their notation
b         show all boards
l         show the events of the game
rules     the goal, the end and the scoring, in ten points
h         suggest an action, with win chances
v         review the finished game
u, r      take your last decision back; make it again
w [FILE]  save the game
q         quit
";

impl ConsoleCommand {
    /// Reads a line.
    pub(super) fn parse(line: &str) -> Self {
        let line = line.trim();
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (word, rest.trim()) {
            ("" | "?" | "help", "") => Self::Help,
            ("a" | "actions", "") => Self::Actions,
            ("b" | "boards", "") => Self::Boards,
            ("l" | "log", "") => Self::Log,
            ("rules", "") => Self::Rules,
            ("h" | "hint", "") => Self::Hint,
            ("v" | "review", "") => Self::Review,
            ("u" | "undo", "") => Self::Undo,
            ("r" | "redo", "") => Self::Redo,
            ("q" | "quit" | "exit", "") => Self::Quit,
            ("w" | "save", "") => Self::Save(None),
            ("w" | "save", file) => Self::Save(Some(file.into())),
            _ => match line.split_whitespace().map(str::parse).collect() {
                Ok(numbers) => Self::Numbers(numbers),
                Err(_) => Self::Text(line.to_owned()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        for (line, expected) in [
            ("3", ConsoleCommand::Numbers(vec![3])),
            ("2 1", ConsoleCommand::Numbers(vec![2, 1])),
            (" u ", ConsoleCommand::Undo),
            ("", ConsoleCommand::Help),
            ("w", ConsoleCommand::Save(None)),
            ("w my game.jsonl", ConsoleCommand::Save(Some("my game.jsonl".into()))),
            ("claim:desert_store2", ConsoleCommand::Text("claim:desert_store2".to_owned())),
            ("b 2", ConsoleCommand::Text("b 2".to_owned())),
            ("-1", ConsoleCommand::Text("-1".to_owned())),
        ] {
            assert_eq!(ConsoleCommand::parse(line), expected, "{line}");
        }
        assert!(HELP.lines().all(|line| line.len() <= 80));
    }
}
