//! `watershed replay --step`: steps through a game by commands on standard input.
//!
//! Input and output are plain lines, so that it works with pipes and screen readers.

use std::io::{BufRead as _, Read as _, stdin};

use anyhow::Context as _;

use super::{ReplayArguments, select_game};
use crate::{
    arena::record::Record,
    bound::{BoundGame, GamePosition},
    game::Turn,
    games::GameList,
    report::{
        html::{format_count, join_with_and},
        terminal::{is_stdout_closed, print, print_error},
        text::{TEXT_WIDTH, action_words, escape_name, paragraph, wrap},
    },
    run::ExitStatus,
};

/// Maximum length of a line of input, so that no input can exhaust the memory.
const MAX_LINE: u64 = 1 << 12;
/// The commands, with the letters of `play`.
const COMMANDS: &str = "Enter: next event; u: back; a number: that event; b: all boards; q: quit.";

/// Steps through a game until the input ends.
pub(super) fn run(
    games: GameList,
    arguments: &ReplayArguments,
    record: &Record,
) -> anyhow::Result<ExitStatus> {
    let selection = select_game(games, arguments, record)?;
    let file = arguments.file.display().to_string();
    let task = StepTask { record, title: selection.game.title, file: &file };
    task.run(&selection.open()?)
}

struct StepTask<'a> {
    record: &'a Record,
    title: &'a str,
    file: &'a str,
}

/// A command of the user.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum StepCommand {
    Next,
    Back,
    Event(usize),
    AllBoards,
    Quit,
}

impl StepCommand {
    fn parse(line: &str) -> Option<Self> {
        match line.trim() {
            "" => Some(Self::Next),
            "u" => Some(Self::Back),
            "b" | "boards" => Some(Self::AllBoards),
            "q" | "quit" => Some(Self::Quit),
            number => number.parse().ok().map(Self::Event),
        }
    }
}

impl StepTask<'_> {
    fn run(self, game: &BoundGame) -> anyhow::Result<ExitStatus> {
        let Self { record, title, file } = self;
        let positions = match game.recorded_positions(record) {
            Ok(positions) => positions,
            Err(disagreement) => {
                print_error(&format!("{file}: game {}: {disagreement}", record.index));
                return Ok(ExitStatus::Negative);
            }
        };
        let game = Stepped { record, positions };
        let events = format_count(record.events.len() as u64, "event");
        print_lines(&format!("{title}, game {}, {events}. {COMMANDS}", record.index));
        let mut at = 0;
        print(&game.text(at, false));
        let mut input = stdin().lock();
        while !is_stdout_closed() {
            let mut line = String::new();
            let length = input.by_ref().take(MAX_LINE).read_line(&mut line);
            if length.context("standard input")? == 0 {
                break;
            }
            let last = game.positions.len() - 1;
            match StepCommand::parse(&line) {
                Some(StepCommand::Quit) => break,
                Some(StepCommand::Next) if at < last => at += 1,
                Some(StepCommand::Next) => {
                    print_lines("This is the end of the game.");
                    continue;
                }
                Some(StepCommand::Back) if at > 0 => at -= 1,
                Some(StepCommand::Back) => {
                    print_lines("This is the first event.");
                    continue;
                }
                Some(StepCommand::Event(event)) if event <= last => at = event,
                Some(StepCommand::AllBoards) => {
                    print(&game.text(at, true));
                    continue;
                }
                Some(StepCommand::Event(_)) | None => {
                    print_lines(&format!(
                        "Expected Enter, u, b, q, or an event from 0 to {last}, found {:?}.",
                        line.trim()
                    ));
                    continue;
                }
            }
            print(&game.text(at, false));
        }
        Ok(ExitStatus::Success)
    }
}

fn print_lines(text: &str) {
    print(&paragraph(text));
}

/// A replayed game.
struct Stepped<'a> {
    record: &'a Record,
    /// The position before each event, and the final one.
    positions: Vec<GamePosition<'a>>,
}

impl Stepped<'_> {
    /// Returns the boards before an event and the event, or the final boards and the result.
    fn text(&self, at: usize, all_boards: bool) -> String {
        let position = &self.positions[at];
        let scene = position.scene(None);
        let scene =
            if all_boards || at == self.record.events.len() { scene } else { scene.of_decider() };
        let event = match self.record.events.get(at) {
            Some((_, action)) => {
                let decider = match position.turn() {
                    Turn::Seat(seat) => format!("player {}", seat.index() + 1),
                    _ => "chance".to_owned(),
                };
                let named = position.parse_action(action);
                let label = named.map_or_else(|_| action.clone(), |named| named.label);
                format!("Event {at}: {decider}: {}", escape_name(&action_words(&label, action)))
            }
            None => self.result(),
        };
        format!("\n{}\n{}\n", scene.text(TEXT_WIDTH), wrap(&event, TEXT_WIDTH).join("\n"))
    }

    fn result(&self) -> String {
        let Record { scores, winners, bots, .. } = self.record;
        let (Some(scores), Some(winners)) = (scores, winners) else {
            return "The game was left here.".to_owned();
        };
        let player = |seat: usize| format!("player {} ({})", seat + 1, bots[seat]);
        let scores: Vec<_> = scores
            .iter()
            .enumerate()
            .map(|(seat, score)| format!("{} {score}", player(seat)))
            .collect();
        let winners: Vec<_> = winners.iter().map(|seat| format!("player {}", seat + 1)).collect();
        let won = match winners.len() {
            0 => "nobody has won".to_owned(),
            1 => format!("{} has won", winners[0]),
            _ => format!("{} have won", join_with_and(&winners)),
        };
        format!("End: {}; {won}.", join_with_and(&scores))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_parsed() {
        for (line, command) in [
            ("\n", Some(StepCommand::Next)),
            ("u\n", Some(StepCommand::Back)),
            (" 12 \r\n", Some(StepCommand::Event(12))),
            ("b", Some(StepCommand::AllBoards)),
            ("q\n", Some(StepCommand::Quit)),
            ("-1\n", None),
            ("next\n", None),
        ] {
            assert_eq!(StepCommand::parse(line), command, "{line:?}");
        }
    }
}
