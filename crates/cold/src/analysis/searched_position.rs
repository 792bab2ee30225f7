//! One search of a position, with the win chances of its actions.

use super::endgame;
use crate::{
    bots::{BotFactory, View},
    game::{ActionSet as _, FullGame, PerSeat, Seat},
    rng::{Purpose, stream},
    search::ensemble::{ActionResult, SearchResult, SearchWatch},
};

/// A position after a search.
#[derive(Clone, Debug)]
pub struct SearchedPosition<A> {
    /// The result of the search; `None` if there is only one legal action.
    pub result: Option<SearchResult<A>>,
    /// True if the chances are calibrated: mapped to the results of games of this search.
    pub is_calibrated: bool,
    /// The action that the search chooses, and the others that it visited in descending order of
    /// their visits.
    pub actions: Vec<SearchedAction<A>>,
}

/// An action with what a search found.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SearchedAction<A> {
    /// The action.
    pub action: A,
    /// Number of visits.
    pub visits: u64,
    /// Win chance of each seat; `None` without visits.
    pub chances: Option<PerSeat<f64>>,
}

impl<A: Copy + PartialEq> SearchedPosition<A> {
    /// Searches a position in which a seat decides, as this seat sees it.
    pub fn search<G: FullGame<Action = A>>(
        bot: &BotFactory,
        game: &G,
        state: &G::State,
        seat: Seat,
        seed: u64,
    ) -> Self {
        Self::search_watched(bot, game, state, seat, seed, None)
    }

    /// Searches a position, as [`SearchedPosition::search`], under a watch.
    pub fn search_watched<G: FullGame<Action = A>>(
        bot: &BotFactory,
        game: &G,
        state: &G::State,
        seat: Seat,
        seed: u64,
        watch: Option<&SearchWatch<'_, A>>,
    ) -> Self {
        let legal = game.legal_actions(state);
        let mut player = bot.build();
        player.reset();
        let mut rng = stream(seed, 0, 0, Purpose::Bot(seat.index() as u8));
        let view = View::new(game, state, seat).with_watch(watch);
        let chosen = player.choose_by_search(&view, &legal, &mut rng);
        let result = player.last_search().filter(|_| legal.len() > 1);
        let mut searched = Self::describe(bot, game, state, chosen, result);
        if searched.result.is_some()
            && let Some(solved) = endgame::solve(game, state, seat)
        {
            searched.set_exact(&solved, seat);
        }
        searched
    }

    /// Replaces the chances by exact ones. The choice of the search remains if it is a best action.
    fn set_exact(&mut self, solved: &[(A, PerSeat<f64>)], seat: Seat) {
        let chances =
            |action| solved.iter().find(|(other, _)| *other == action).map(|(_, chances)| *chances);
        for &(action, _) in solved {
            if self.actions.iter().all(|one| one.action != action) {
                self.actions.push(SearchedAction { action, visits: 0, chances: None });
            }
        }
        for one in &mut self.actions {
            one.chances = chances(one.action).or(one.chances);
        }
        let own = |one: &SearchedAction<A>| one.chances.map_or(0.0, |all| all[seat.index()]);
        let best = self.actions.iter().map(own).fold(0.0, f64::max);
        if let Some(place) = self.actions.iter().position(|one| own(one) >= best) {
            self.actions[..=place].rotate_right(1);
        }
    }

    /// Describes the result of a search by a bot that chose an action.
    pub fn describe<G: FullGame<Action = A>>(
        bot: &BotFactory,
        game: &G,
        state: &G::State,
        chosen: A,
        result: Option<SearchResult<A>>,
    ) -> Self {
        let seat = result.as_ref().map_or(0, |result| result.seat.index());
        let calibration = result.as_ref().and_then(|result| {
            // Notes say that the networks were adapted to other data, for which there are no maps.
            let is_known = bot.notes().is_empty();
            let calibration = bot.calibration().of_mode(game.mode(state));
            calibration.at(result.iterations).filter(|_| is_known)
        });
        let has_one_winner = game.mode(state).is_some_and(|mode| mode.has_one_winner);
        let chances_of = |values: &PerSeat<f64>| {
            let values = &values[..game.seats()];
            let mut chances = match calibration {
                Some(maps) => maps.action.chances(values, seat),
                None => std::array::from_fn(|seat| values.get(seat).copied().unwrap_or_default()),
            };
            chances[game.seats()..].fill(0.0);
            let total: f64 = chances.iter().sum();
            if has_one_winner && total > 1.0 {
                // Independent estimates of events of which only one can happen.
                chances = chances.map(|chance| chance / total);
            }
            if game.is_shared(state) {
                // All win together, with the chance that the seat to move sees.
                let shared = chances[seat];
                chances[..game.seats()].fill(shared);
            }
            chances
        };
        let searched = |one: &ActionResult<A>| SearchedAction {
            action: one.action,
            visits: one.visits,
            chances: Some(chances_of(&one.values)),
        };
        let visited = result.iter().flat_map(|result| &result.actions);
        let mut actions: Vec<_> = visited.map(searched).collect();
        if actions.iter().all(|one| one.action != chosen) {
            actions.push(SearchedAction { action: chosen, visits: 0, chances: None });
        }
        actions.sort_by_key(|one| (one.action != chosen, std::cmp::Reverse(one.visits)));
        Self { is_calibrated: calibration.is_some(), result, actions }
    }

    /// Returns the action that the search chooses.
    pub fn chosen(&self) -> A {
        self.actions[0].action
    }

    /// Returns the win chances with the action that the search chooses; 0 if nothing was searched.
    pub fn chances(&self) -> PerSeat<f64> {
        self.actions[0].chances.unwrap_or_default()
    }
}
