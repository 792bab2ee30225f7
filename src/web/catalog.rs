//! The games that a page offers.

use super::{answer::GameOffer, assets::LIBRARY, bots};
use crate::games::{GameEntry, GameList, open_games::claimed_provenance};

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
        provenance: claimed_provenance(&document),
        players: players.collect(),
        files: LIBRARY.iter().filter(|(of, _)| *of == game.id).map(|(_, file)| *file).collect(),
    }
}
