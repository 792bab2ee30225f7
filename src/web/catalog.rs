//! The games that a page offers.

use super::{
    answer::{GameOffer, PlayersOffer},
    assets::LIBRARY,
    bots,
};
use crate::{
    bots::profile::BotLibrary,
    config::Document,
    games::{GameDefinition, GameInfo, GameList, GameTask},
};

/// Returns all games with their numbers of players and bots.
pub(super) fn offers<L: GameList>() -> Vec<GameOffer> {
    L::GAMES.iter().map(offer::<L>).collect()
}

fn offer<L: GameList>(game: &GameInfo) -> GameOffer {
    let document = game.default_document();
    let players = (game.min_players..=game.max_players).filter_map(|players| {
        // The file of a game need not allow all numbers of players.
        L::bind_and_run(game.id, &document, players, OfferTask).ok()
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
    let table = document.parse::<toml::Table>().unwrap_or_default();
    let claim = table.get("provenance").and_then(toml::Value::as_str);
    claim.unwrap_or("unknown").to_owned()
}

/// Lists the bots for a number of players.
struct OfferTask;

impl GameTask for OfferTask {
    type Output = PlayersOffer;

    fn run<G: GameDefinition>(self, _: &G, library: &BotLibrary<G>) -> PlayersOffer {
        bots::offers(library)
    }
}
