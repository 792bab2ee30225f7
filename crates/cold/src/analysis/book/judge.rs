//! The win chances after a round, as a search sees them: a second measure of an opening, with less
//! chance in it than the result.

use crate::{
    analysis::searched_position::SearchedPosition,
    arena::play::Decision,
    bots::{Bot, BotFactory, View},
    game::{ActionSet as _, FullGame, Outcome, PerSeat, UNITS_PER_WIN},
    rng::{Purpose, stream},
};

/// Units of a win chance for each unit of a win share.
pub(super) const CHANCE_SCALE: i64 = 20;

/// The search that judges the games of a book, and when.
#[derive(Clone, Copy, Debug)]
pub struct JudgePlan<'a> {
    /// The search.
    pub search: &'a BotFactory,
    /// The round after which it is asked, from 1.
    pub round: u32,
}

/// The judge of a worker.
pub(super) struct Judge<'a, G: FullGame> {
    plan: JudgePlan<'a>,
    bot: Box<dyn Bot<G>>,
}

/// Win chances of the seats, in units of 1 / ([`CHANCE_SCALE`] · [`UNITS_PER_WIN`]).
pub(super) type Chances = PerSeat<i64>;

impl<'a, G: FullGame> Judge<'a, G> {
    pub(super) fn new(plan: JudgePlan<'a>) -> Self {
        Self { plan, bot: plan.search.build() }
    }

    /// Returns true if the judge is asked after a position, and not before it.
    pub(super) fn is_after(&self, game: &G, state: &G::State) -> bool {
        game.round(state) <= self.plan.round
    }

    /// Fills `chances` at the first decision after the round at which there is a choice. All
    /// continuations of a game are searched with the same random numbers.
    pub(super) fn watch(
        &mut self,
        game: &G,
        decision: &Decision<'_, G>,
        [seed, block]: [u64; 2],
        chances: &mut Option<Chances>,
    ) {
        let &Decision { state, seat, legal, .. } = decision;
        if chances.is_some() || legal.len() < 2 || self.is_after(game, state) {
            return;
        }
        self.bot.reset();
        let view = View::new(game, state, seat);
        let mut rng = stream(seed, block, 0, Purpose::Determinization);
        let chosen = self.bot.choose_by_search(&view, legal, &mut rng);
        let result = self.bot.last_search();
        let searched = SearchedPosition::describe(self.plan.search, game, state, chosen, result);
        let units = (CHANCE_SCALE * UNITS_PER_WIN) as f64;
        *chances = Some(searched.chances().map(|chance| (chance * units).round() as i64));
    }
}

/// Returns the chances at the end of a game that ended before the round did.
pub(super) fn chances_at_end(outcome: &Outcome, seats: usize) -> Chances {
    outcome.win_shares(seats).map(|share| CHANCE_SCALE * share)
}
