//! The bots of a game in progress.

use super::play::Decision;
use crate::{
    bots::Bot,
    game::{Game, MAX_SEATS, PerSeat, Seat},
    rng::Rng,
};

/// The bots in the seats of a game in progress, with their random streams.
pub(crate) struct Players<'a, G: Game> {
    /// The bots of the lineup.
    pub(crate) bots: &'a mut [Box<dyn Bot<G>>],
    /// The bot in each seat, as an index into `bots`.
    pub(crate) bot_in: PerSeat<usize>,
    /// The random stream of each seat.
    pub(crate) streams: [Rng; MAX_SEATS],
}

impl<G: Game> Players<'_, G> {
    /// Asks the bot of the seat that decides for one of the offered actions.
    pub(crate) fn choose(
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
    pub(crate) fn observe(&mut self, seat: Seat, action: G::Action) {
        for bot in self.bots.iter_mut() {
            bot.observe(seat, action);
        }
    }
}
