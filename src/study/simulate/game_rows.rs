//! `games.csv`: one row for each game.

use super::setup::RunSetup;
use crate::{arena::run::GameRow, study::shared::prelude::*};

/// A game of a run.
type GameOfRun<'a> = (&'a RunSetup, &'a GameRow);

pub(super) fn games_columns<'a>(players: usize) -> Columns<GameOfRun<'a>> {
    let title = "One row for each game; the last columns are repeated for each seat.";
    let capped = "1 if the round limit ended the game.";
    let columns = Columns::<GameOfRun<'_>>::new("games", title)
        .integer("index", "Index of the game in the run.", |(_, game)| game.index)
        .integer("block", "Block of the game.", |(_, game)| game.block)
        .integer("rotation", "Rotation of the bots in the block.", |(_, game)| game.rotation)
        .integer("rounds", "Rounds played.", |(_, game)| game.outcome.rounds)
        .integer("events", "Events, chance and decisions.", |(_, game)| game.events)
        .integer("capped", capped, |(_, game)| game.outcome.hit_round_limit);
    let seats = (0..players).fold(columns, |columns, seat| {
        let of_seat = |title: &str| format!("{title} {seat}");
        columns
            .integer(
                of_seat("turn position"),
                "Turn position of the seat at the start, 0 for the first player.",
                move |(_, game)| game.turn_position(Seat::new(seat), players) as u64,
            )
            .text(of_seat("bot"), "Bot in the seat.", move |(setup, game)| {
                &setup.question.bots[game.bot_in[seat]].name
            })
            .integer(of_seat("score"), "Final score.", move |(_, game)| game.outcome.scores[seat])
            .measured_in("points")
            .number(of_seat("win share"), 4, "Share of the win.", move |(_, game)| {
                game.outcome.win_share(Seat::new(seat)) as f64 / UNITS_PER_WIN as f64
            })
    });
    seats.provenance()
}

/// Returns the beginning of `games.csv` with its header line.
pub(super) fn games_header(players: usize, format: CsvFormat) -> Vec<u8> {
    games_columns(players).schema().csv_header(format)
}

/// Returns the lines of `games.csv` for these games.
pub(super) fn games_lines(setup: &RunSetup, rows: &[GameRow]) -> Vec<u8> {
    let provenance = &setup.question.data.provenance;
    let rows = rows.iter().map(|game| (setup, game));
    games_columns(setup.identity.players)
        .table(provenance, rows)
        .csv_rows(setup.question.rows_format)
}
