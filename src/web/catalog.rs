//! The games that a page offers.

use super::{answer::GameOffer, assets::LIBRARY, bots};
use crate::{
    config::Document,
    games::{GameEntry, GameList},
};

/// Returns all games with their numbers of players and bots.
pub(super) fn offers(games: GameList) -> Vec<GameOffer> {
    games.all().iter().map(offer).collect()
}

fn offer(game: &GameEntry) -> GameOffer {
    let document = game.default_document();
    let players = (game.min_players..=game.max_players).filter_map(|players| {
        // The file of a game need not allow all numbers of players.
        Some(bots::offers(&game.open(&document, players).ok()?))
    });
    GameOffer {
        id: game.id.to_owned(),
        title: game.title.to_owned(),
        description: game.description.to_owned(),
        provenance: provenance(&document),
        players: players.collect(),
        files: LIBRARY.iter().filter(|(of, _)| *of == game.id).map(|(_, file)| *file).collect(),
    }
}

/// Returns the provenance that a data file claims.
pub(super) fn provenance(document: &Document) -> String {
    let table = document.table().unwrap_or_default();
    let claim = table.get("provenance").and_then(toml::Value::as_str);
    claim.unwrap_or("unknown").to_owned()
}
