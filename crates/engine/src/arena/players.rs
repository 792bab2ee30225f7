//! The bots of a game in progress, and copies of a game from which it is continued.

use super::play::{Decision, play_from};
use crate::{
    bots::Bot,
    game::{Game, MAX_SEATS, PerSeat, Seat},
    rng::{ChanceStreams, Rng},
};

/// The bots in the seats of a game in progress, with their random streams.
pub struct Players<'a, G: Game> {
    /// The bots of the lineup.
    pub bots: &'a mut [Box<dyn Bot<G>>],
    /// The bot in each seat, as an index into `bots`.
    pub bot_in: PerSeat<usize>,
    /// The random stream of each seat.
    pub streams: [Rng; MAX_SEATS],
}

impl<G: Game> Players<'_, G> {
    /// Asks the bot of the seat that decides for one of the offered actions.
    pub fn choose(
        &mut self,
        game: &G,
        decision: &Decision<'_, G>,
        offered: &G::Actions,
    ) -> G::Action {
        let seat = decision.seat.index();
        let bot = &mut self.bots[self.bot_in[seat]];
        bot.choose(&decision.view(game), offered, &mut self.streams[seat])
    }

    /// Tells all bots of a decision.
    pub fn observe(&mut self, seat: Seat, action: G::Action) {
        for bot in self.bots.iter_mut() {
            bot.observe(seat, action);
        }
    }

    /// Copies the game before a decision.
    pub fn save(&self, decision: &Decision<'_, G>) -> SavedGame<G> {
        SavedGame {
            state: *decision.state,
            chance: decision.chance.clone(),
            bots: self.bots.to_vec(),
            bot_in: self.bot_in,
            streams: self.streams.clone(),
        }
    }
}

/// A copy of a game before a decision: position, chance, and bots with their random streams.
pub struct SavedGame<G: Game> {
    state: G::State,
    chance: ChanceStreams,
    bots: Vec<Box<dyn Bot<G>>>,
    bot_in: PerSeat<usize>,
    streams: [Rng; MAX_SEATS],
}

impl<G: Game> SavedGame<G> {
    /// Plays the game from here to its end and returns the final position. `choose`
    /// returns the action of the seat that decides, usually by [`Players::choose`].
    pub fn play(
        &self,
        game: &G,
        mut choose: impl FnMut(&mut Players<'_, G>, &Decision<'_, G>) -> G::Action,
    ) -> G::State {
        let mut bots = self.bots.clone();
        let (bot_in, streams) = (self.bot_in, self.streams.clone());
        let mut players = Players { bots: &mut bots, bot_in, streams };
        let choose = |decision: &Decision<'_, G>| {
            let action = choose(&mut players, decision);
            players.observe(decision.seat, action);
            action
        };
        play_from(game, self.state, &mut self.chance.clone(), choose, ())
    }
}
