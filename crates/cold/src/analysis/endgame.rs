//! Ends of games that are searched completely, so that their win chances are exact.

use std::ops::ControlFlow;

use crate::{
    game::{ActionSet as _, FullGame, MAX_SEATS, PerSeat, Seat, Turn, UNITS_PER_WIN},
    rng::{Purpose, stream},
};

/// Maximum number of positions that are searched.
const MAX_POSITIONS: u32 = 4000;
/// Maximum number of events to the end of the game with the first action of each decision: with
/// more, there are too many positions.
const MAX_EVENTS: u32 = 12;
/// Deals of what is hidden that must be equal: then nothing is.
const DEALS: u64 = 4;
/// Rounding of sums of probabilities.
const ROUNDING: f64 = 1e-9;

/// Returns the win chance of each seat after each legal action of a seat, with the best decisions
/// of all seats for themselves; `None` if there are too many lines to the end of the game, or if
/// something is hidden from the seat.
pub(super) fn solve<G: FullGame>(
    game: &G,
    state: &G::State,
    seat: Seat,
) -> Option<Vec<(G::Action, PerSeat<f64>)>> {
    if !is_near_end(game, *state) || (0..DEALS).any(|deal| is_hidden(game, state, seat, deal)) {
        return None;
    }
    let mut search = EndSearch { game, left: MAX_POSITIONS };
    let after = |action| match search.chances_after(state, action) {
        ControlFlow::Continue(chances) => Some((action, chances)),
        ControlFlow::Break(()) => None,
    };
    game.legal_actions(state).iter().map(after).collect()
}

fn is_hidden<G: FullGame>(game: &G, state: &G::State, seat: Seat, deal: u64) -> bool {
    let mut rng = stream(deal, 0, 0, Purpose::Determinization);
    game.determinize(state, seat, &mut rng) != *state
}

fn is_near_end<G: FullGame>(game: &G, mut state: G::State) -> bool {
    for _ in 0..MAX_EVENTS {
        let action = match game.turn(&state) {
            Turn::Over => return true,
            Turn::Chance(_) => game.chance_outcomes(&state)[0].0,
            Turn::Seat(_) => game.legal_actions(&state).nth(0),
        };
        game.apply(&mut state, action);
    }
    false
}

/// A search of all lines, which breaks off if there are too many positions.
struct EndSearch<'a, G> {
    game: &'a G,
    left: u32,
}

impl<G: FullGame> EndSearch<'_, G> {
    fn chances_after(
        &mut self,
        state: &G::State,
        action: G::Action,
    ) -> ControlFlow<(), PerSeat<f64>> {
        let mut after = *state;
        self.game.apply(&mut after, action);
        self.chances(&after)
    }

    fn chances(&mut self, state: &G::State) -> ControlFlow<(), PerSeat<f64>> {
        let Some(left) = self.left.checked_sub(1) else { return ControlFlow::Break(()) };
        self.left = left;
        match self.game.turn(state) {
            Turn::Over => ControlFlow::Continue(result(self.game, state)),
            Turn::Chance(_) => {
                let outcomes = self.game.chance_outcomes(state);
                let total: f64 = outcomes.iter().map(|&(_, weight)| f64::from(weight)).sum();
                let mut mean = PerSeat::<f64>::default();
                for (outcome, weight) in outcomes {
                    let chances = self.chances_after(state, outcome)?;
                    for (mean, chance) in mean.iter_mut().zip(chances) {
                        *mean += f64::from(weight) / total * chance;
                    }
                }
                ControlFlow::Continue(mean.map(exact))
            }
            Turn::Seat(seat) => {
                let mut found: Option<PerSeat<f64>> = None;
                for action in self.game.legal_actions(state).iter() {
                    let chances = self.chances_after(state, action)?;
                    let own = chances[seat.index()];
                    // Nobody knows how a seat chooses between others that it does not beat.
                    match found {
                        Some(best) if own < best[seat.index()] - ROUNDING => {}
                        Some(best) if own > best[seat.index()] + ROUNDING => {
                            found = Some(chances);
                        }
                        Some(best) if is_same(chances, best) => {}
                        Some(_) => return ControlFlow::Break(()),
                        None => found = Some(chances),
                    }
                    if own >= 1.0 && self.game.is_shared(state) {
                        break;
                    }
                }
                ControlFlow::Continue(found.unwrap_or_default())
            }
        }
    }
}

fn is_same(one: PerSeat<f64>, other: PerSeat<f64>) -> bool {
    one.iter().zip(other).all(|(one, other)| (one - other).abs() < ROUNDING)
}

/// Returns a chance without the rounding of sums of probabilities.
fn exact(chance: f64) -> f64 {
    if chance < ROUNDING {
        0.0
    } else if chance > 1.0 - ROUNDING {
        1.0
    } else {
        chance
    }
}

/// Returns the win share of each seat in a final position.
pub(super) fn result<G: FullGame>(game: &G, state: &G::State) -> PerSeat<f64> {
    let outcome = game.outcome(state);
    let mut shares = [0.0; MAX_SEATS];
    for (seat, share) in shares.iter_mut().enumerate().take(game.seats()) {
        *share = outcome.win_share(Seat::new(seat)) as f64 / UNITS_PER_WIN as f64;
    }
    shares
}
