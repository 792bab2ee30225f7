//! Logs of play-tests: finished games as rows of the table that `simulate --playtests` reads.

use std::fs::OpenOptions;

use crate::{
    arena::record::replay,
    game::{Game as _, ItemEvent, Statistics as _, Turn},
    study::shared::prelude::*,
};

/// The columns of a log.
const COLUMNS: [&str; 4] = ["seats", "scores", "winner", "items"];
/// Separates the entries of a cell, one for each seat.
const SEPARATOR: &str = ";";

/// Appends a finished game to a log, and begins the log if there is none.
///
/// # Errors
/// If the record differs from the rules, or the file is no log or can't be written.
pub(crate) fn append(path: &Path, game: &BoundGame, record: &Record) -> anyhow::Result<()> {
    let name = || path.display().to_string();
    let row = row(game, record).map_err(|difference| anyhow!("{}: {difference}", name()))?;
    let header = CsvFormat::Plain.lines([COLUMNS.map(str::to_owned).to_vec()]);
    let mut lines = CsvFormat::Plain.lines([row]);
    if path.exists() {
        let found = fs::read(path).with_context(name)?;
        ensure!(found.starts_with(&header), "{}: expected a log with {COLUMNS:?}", name());
    } else {
        lines = [header, lines].concat();
    }
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(&lines)).with_context(name)
}

/// Returns the row of a game. Seats are in turn order.
fn row(game: &BoundGame, record: &Record) -> Result<Vec<String>, String> {
    let (rules, catalog, seats) = (game.rules(), game.catalog(), game.seats());
    let (mut first, mut taken) = (Seat::default(), vec![Vec::new(); seats]);
    let mut add = |event| {
        if let ItemEvent::Taken(seat, item) = event
            && catalog.table(item).reported_seats != ReportedSeats::None
        {
            taken[seat.index()].push(item);
        }
    };
    let end = replay(rules, record, |_, state, action| {
        if let Turn::Seat(seat) = rules.turn(state) {
            rules.decision_events(state, seat, &rules.legal_actions(state), action, &mut add);
        } else {
            first = rules.first_player(action).unwrap_or(first);
            rules.item_events(state, action, &mut add);
        }
    })?;
    rules.final_events(&end, &mut add);
    let item_name = |item: ItemId| {
        let name = &catalog.item(item).name;
        let is_unique = catalog.named(name).count() == 1;
        if is_unique { name.clone() } else { catalog.full_name(item) }
    };
    let items = |seat: usize| {
        let mut names: Vec<_> = taken[seat].iter().map(|&item| item_name(item)).collect();
        names.retain(|name| !name.contains(char::is_whitespace));
        names.dedup();
        names.join(" ")
    };
    let name = |seat: usize| {
        let same = record.bots[..seat].iter().filter(|bot| **bot == record.bots[seat]).count();
        let number = if same == 0 { String::new() } else { format!(" {}", same + 1) };
        record.bots[seat].replace(SEPARATOR, ",") + &number
    };
    let scores = record.scores.iter().flatten().map(i32::to_string).collect::<Vec<_>>();
    let in_turn_order = |text: &dyn Fn(usize) -> String| {
        let order = (0..seats).map(|steps| text(first.clockwise(steps, seats).index()));
        order.collect::<Vec<_>>().join(SEPARATOR)
    };
    let winners = record.winners.iter().flatten().map(|&seat| name(seat));
    Ok(vec![
        in_turn_order(&name),
        in_turn_order(&|seat| scores.get(seat).cloned().unwrap_or_default()),
        winners.collect::<Vec<_>>().join(SEPARATOR),
        in_turn_order(&items),
    ])
}
