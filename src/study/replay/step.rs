//! `watershed replay --step`: steps through a game by commands on standard input.
//!
//! Input and output are plain lines, so that it works with pipes and screen readers.

use std::io::stdin;

use super::{ReplayArguments, select_game};
use crate::{
    arena::record::Decider,
    bound::GamePosition,
    protocol::review::player,
    report::{
        terminal::{is_stdout_closed, print_error},
        text::{action_words, wrap},
    },
    run::lines::read_entered,
    study::shared::prelude::*,
};

/// The commands, with the letters of `play`.
const COMMANDS: &str = "Enter: next event; u: back; a number: that event; b: all boards; q: quit.";

/// Steps through a game until the input ends.
pub(super) fn run(
    games: GameList,
    arguments: &ReplayArguments,
    record: &Record,
) -> anyhow::Result<ExitStatus> {
    let selection = select_game(games, arguments, record)?;
    let (title, index) = (selection.game.title, record.index);
    let game = selection.open()?;
    let positions = match game.recorded_positions(record) {
        Ok(positions) => positions,
        Err(disagreement) => {
            let file = arguments.file.display();
            print_error(&format!("{file}: game {index}: {disagreement}"));
            return Ok(ExitStatus::Negative);
        }
    };
    let last = positions.len() - 1;
    let game = Stepped { record, positions };
    let events = format_count(last, "event");
    print(&paragraph(&format!("{title}, game {index}, {events}. {COMMANDS}")));
    let mut at = 0;
    print(&game.text(at, false));
    let mut input = stdin().lock();
    while !is_stdout_closed()
        && let Some(line) = read_entered(&mut input)?
    {
        let wanted = match &*line {
            "" => Some(at + 1),
            "u" => at.checked_sub(1),
            number => number.parse().ok(),
        };
        let text = match (&*line, wanted.filter(|&event| event <= last)) {
            ("q" | "quit", _) => break,
            ("b" | "boards", _) => game.text(at, true),
            ("", None) => paragraph("This is the end of the game."),
            ("u", None) => paragraph("This is the first event."),
            (_, Some(event)) => {
                at = event;
                game.text(at, false)
            }
            (_, None) => paragraph(&format!(
                "Expected Enter, u, b, q, or an event from 0 to {last}, found {line:?}."
            )),
        };
        print(&text);
    }
    Ok(ExitStatus::Success)
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
            Some((decider, action)) => {
                let decider = match decider {
                    Decider::Seat(seat) => player(*seat),
                    Decider::Chance(_) => "chance".to_owned(),
                };
                let label = match position.parse_action(action) {
                    Ok(action) => position.name(action).label,
                    Err(_) => action.clone(),
                };
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
        let of_seat =
            |(seat, score): (usize, &i32)| format!("{} ({}) {score}", player(seat), bots[seat]);
        let scores = scores.iter().enumerate().map(of_seat);
        let winners: Vec<_> = winners.iter().map(|&seat| player(seat)).collect();
        let won = match &winners[..] {
            [] => "nobody has won".to_owned(),
            [one] => format!("{one} has won"),
            several => format!("{} have won", join_with_and(several)),
        };
        format!("End: {}; {won}.", join_with_and(scores))
    }
}
