//! Playouts: games from a position to the end, played by one policy.

use rand::RngExt as _;

use crate::{
    game::{ActionSet, Game, Seat, Turn},
    rng::{Rng, random_below},
};

/// Rule that picks an action from a complete (determinized) position. Bots and playouts use
/// policies.
pub trait Policy<G: Game>: Sync {
    /// Returns one of the legal actions of `seat`.
    fn choose(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        legal: &G::Actions,
        rng: &mut Rng,
    ) -> G::Action;

    /// Passes the prior of each legal action of `seat` to `receive`, in any order: a positive
    /// number in proportion to its probability. Returns false if the policy has no priors, which
    /// is the default.
    fn priors(
        &self,
        _game: &G,
        _state: &G::State,
        _seat: Seat,
        _legal: &G::Actions,
        _receive: &mut dyn FnMut(G::Action, f32),
    ) -> bool {
        false
    }
}

/// Uniform over the legal actions.
#[derive(Clone, Copy, Debug)]
pub struct Uniform;

impl<G: Game> Policy<G> for Uniform {
    #[inline]
    fn choose(
        &self,
        _game: &G,
        _state: &G::State,
        _seat: Seat,
        legal: &G::Actions,
        rng: &mut Rng,
    ) -> G::Action {
        legal.sample(rng)
    }
}

impl Uniform {
    /// Returns a uniformly random action with probability `epsilon`, and otherwise `None`.
    #[inline]
    pub(super) fn choose_with_probability<S: ActionSet>(
        epsilon: f64,
        legal: &S,
        rng: &mut Rng,
    ) -> Option<S::Action> {
        (epsilon > 0.0 && rng.random::<f64>() < epsilon).then(|| legal.sample(rng))
    }
}

/// Uniform over the kinds of legal action, then over the actions of that kind.
#[derive(Clone, Copy, Debug)]
pub struct UniformKind;

impl<G: Game> Policy<G> for UniformKind {
    #[inline]
    fn choose(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        legal: &G::Actions,
        rng: &mut Rng,
    ) -> G::Action {
        let kinds = u64::from(legal.kinds());
        let kind = crate::bits::select(kinds, random_below(rng, kinds.count_ones()));
        Uniform.choose(game, state, seat, &legal.subset_of_kind(kind), rng)
    }
}

/// Plays a position to the end and returns the number of events, chance included.
#[inline]
pub fn play_out<G: Game>(
    game: &G,
    state: &mut G::State,
    policy: &impl Policy<G>,
    rng: &mut Rng,
) -> u64 {
    let mut events = 0;
    // A local copy, to which no other reference exists, can stay in registers.
    let mut current = *state;
    loop {
        let action = match game.turn(&current) {
            Turn::Chance(_) => game.sample_chance(&current, rng),
            Turn::Seat(seat) => {
                policy.choose(game, &current, seat, &game.legal_actions(&current), rng)
            }
            Turn::Over => break,
        };
        game.apply(&mut current, action);
        events += 1;
    }
    *state = current;
    events
}
