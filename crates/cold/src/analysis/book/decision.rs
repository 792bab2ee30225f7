//! Opening decisions of a game in progress, as a book groups them.

use super::{BookRow, SituationKey};
use crate::game::{FullGame, Seat, Turn};

/// Smallest number of forks of an action in a group that answers for a position.
const MIN_FORKS: i64 = 100;

/// An opening decision.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BookDecision {
    /// The finest group of situations that contains the position.
    pub key: SituationKey,
    /// The code of each action; `None` for actions that are no opening step.
    pub codes: Vec<Option<u8>>,
}

impl BookDecision {
    /// Returns the decision between `actions` in the last of `states`, which are those before each
    /// of `events` and after the last one; `None` if books have no such decision.
    pub fn of_game<G: FullGame>(
        game: &G,
        states: &[G::State],
        events: &[G::Action],
        actions: &[G::Action],
    ) -> Option<Self> {
        let state = states.get(events.len())?;
        let Turn::Seat(seat) = game.turn(state) else { return None };
        let (mut first_player, mut step) = (Seat::new(0), 0);
        for (state, &action) in states.iter().zip(events) {
            match game.turn(state) {
                Turn::Seat(other) if other == seat => {
                    step += usize::from(game.book_action(state, action).is_some());
                }
                Turn::Chance(_) => first_player = game.first_player(action).unwrap_or(first_player),
                Turn::Seat(_) | Turn::Over => {}
            }
        }
        let codes: Vec<_> = actions.iter().map(|&action| game.book_action(state, action)).collect();
        let is_known = codes.iter().any(Option::is_some) && !game.book_step_name(step).is_empty();
        let turn_position = seat.turn_position(first_player, game.seats());
        is_known.then(|| Self {
            key: SituationKey::new(turn_position, step, &game.situation(state, seat)),
            codes,
        })
    }

    /// Returns the rows of the actions, of the finest group in which two of them have enough forks
    /// for an estimate; none if there is no such group. The best action is first.
    pub fn rows<'a>(&self, rows: &'a [BookRow]) -> Vec<&'a BookRow> {
        let of_group = |key: &SituationKey| {
            let known = rows.iter().filter(|row| {
                row.key == *key
                    && row.effect.n >= MIN_FORKS
                    && row.has_interval()
                    && self.codes.contains(&Some(row.code))
            });
            let mut known: Vec<_> = known.collect();
            known.sort_by(|one, other| other.effect.value.total_cmp(&one.effect.value));
            known
        };
        let groups = self.key.clone().ancestors().map(|key| of_group(&key));
        groups.into_iter().find(|rows| rows.len() > 1).unwrap_or_default()
    }
}
