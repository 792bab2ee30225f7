//! Books of openings as a page shows them.

use std::collections::BTreeMap;

use super::{
    answer::{BookAction, BookEffect, BookSituation, BookSource, BookView, OpeningView},
    game::GameInProgress,
};
use crate::{
    analysis::book::{Book, BookHeader, BookRow, SituationKey, policy_text, rows},
    game::MAX_SEATS,
    protocol::problem::Problem,
};

/// Maximum number of books side by side.
const MAX_BOOKS: usize = 8;

/// Describes books of the same game, data and number of players. The rows are those of the first
/// one; actions without an interval are left out.
pub(super) fn show(texts: &[String]) -> Result<BookView, Problem> {
    if texts.is_empty() || texts.len() > MAX_BOOKS {
        return Err(format!("expected 1 to {MAX_BOOKS} books, found {}", texts.len()).into());
    }
    let books = texts.iter().map(|text| Book::<BookHeader>::parse(text.as_bytes()));
    let books = books.collect::<Result<Vec<_>, _>>()?;
    let first = &books[0].settings;
    for book in &books {
        check(first, book)?;
    }
    let all_rows: Vec<Vec<BookRow>> = books.iter().map(|book| rows(&book.tally)).collect();
    let effects: Vec<_> = all_rows.iter().map(|rows| effects(rows)).collect();
    let groups = all_rows[0].chunk_by(|one, other| one.key == other.key);
    let situations = groups.filter_map(|group| {
        let actions = group.iter().filter(|row| row.has_interval()).map(|row| {
            let label = books[0].action(row.code).label;
            let of_book = effects.iter().map(|of_book| of_book.get(&(&row.key, row.code)).copied());
            BookAction { label, effects: of_book.collect() }
        });
        let actions: Vec<_> = actions.collect();
        let key = &group[0].key;
        (!actions.is_empty()).then(|| BookSituation {
            decision: books[0].decision_name(key),
            detail: books[0].detail_name(key),
            level: key.level(),
            actions,
        })
    });
    let policy = policy_text(&first.policy.name, &first.policy.parameters);
    Ok(BookView {
        game: first.identity.game.clone(),
        title: first.title.clone(),
        advice: books[0].advice(&all_rows[0], &policy),
        players: first.identity.players,
        provenance: first.data.provenance.clone(),
        situations: situations.collect(),
        books: books.iter().map(source).collect(),
    })
}

/// Returns the effects of the actions of the present decision in a book; `None` if it has too few
/// games.
pub(super) fn opening(game: &GameInProgress, text: &str) -> Result<Option<OpeningView>, Problem> {
    let book = Book::<BookHeader>::parse(text.as_bytes())?;
    let (settings, setup) = (&book.settings, game.session.setup());
    if (&settings.identity.game, settings.identity.players, &settings.data.config_sha256)
        != (&setup.game, setup.players.len(), &setup.config_sha256)
    {
        let (title, players) = (game.opened.entry.title, setup.players.len());
        return Err(format!(
            "expected a book of {title} with {players} players and the data file of the game"
        )
        .into());
    }
    let Some(decision) = game.session.book_decision() else { return Ok(None) };
    let all_rows = rows(&book.tally);
    let known = decision.rows(&all_rows);
    let Some(first) = known.first() else { return Ok(None) };
    let row_of = |code: &Option<u8>| known.iter().position(|row| Some(row.code) == *code);
    let action = |row: &&BookRow| BookAction {
        label: book.action(row.code).label,
        effects: vec![Some(effect(row))],
    };
    Ok(Some(OpeningView {
        decision: book.decision_name(&first.key),
        detail: book.detail_name(&first.key),
        rows: known.iter().map(action).collect(),
        row_of: decision.codes.iter().map(row_of).collect(),
    }))
}

/// Checks that a book is of the game of the first one.
fn check(first: &BookHeader, book: &Book<BookHeader>) -> Result<(), Problem> {
    let settings = &book.settings;
    let game = |of: &BookHeader| {
        (of.identity.game.clone(), of.identity.players, of.data.config_sha256.clone())
    };
    if game(first) != game(settings) {
        return Err(format!(
            "expected books of the same game, number of players and data file, found {} with {} \
             players and {} with {}",
            first.title, first.identity.players, settings.title, settings.identity.players
        )
        .into());
    }
    let places = book.tally.situations.keys().map(|key| usize::from(key.turn_position));
    if places.max().is_some_and(|place| place >= MAX_SEATS) {
        return Err(format!("expected at most {MAX_SEATS} turn positions").into());
    }
    Ok(())
}

/// Returns the effects of a book by group and action.
fn effects(rows: &[BookRow]) -> BTreeMap<(&SituationKey, u8), BookEffect> {
    let known = rows.iter().filter(|row| row.has_interval());
    known.map(|row| ((&row.key, row.code), effect(row))).collect()
}

fn effect(row: &BookRow) -> BookEffect {
    BookEffect {
        forks: row.effect.n,
        effect: row.effect.estimate().into(),
        win: row.with_action.into(),
        chosen: row.chosen.n,
        decisions: row.decisions,
        verdict: row.verdict.name(),
    }
}

fn source(book: &Book<BookHeader>) -> BookSource {
    let Book { settings, tally, .. } = book;
    BookSource {
        bot: settings.policy.name.clone(),
        seed: settings.identity.seed.to_string(),
        games: tally.games,
        forks: tally.forks,
        continuations: tally.continuations,
    }
}
