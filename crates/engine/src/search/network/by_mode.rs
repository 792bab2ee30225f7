//! Networks by mode of the game.

use std::sync::Arc;

use super::BoundNetwork;
use crate::game::Game;

/// The networks of a bot: one for all positions, or one for each mode of the game.
#[derive(Clone, PartialEq, Debug)]
pub struct NetworksByMode {
    /// Names of modes, in the order of `networks`; empty if there is one network for all.
    modes: Vec<&'static str>,
    networks: Vec<Arc<BoundNetwork>>,
}

impl From<Arc<BoundNetwork>> for NetworksByMode {
    fn from(network: Arc<BoundNetwork>) -> Self {
        Self { modes: Vec::new(), networks: vec![network] }
    }
}

impl NetworksByMode {
    /// Creates the networks of modes; `None` without any.
    pub fn new(networks: Vec<(&'static str, Arc<BoundNetwork>)>) -> Option<Self> {
        let (modes, networks): (Vec<_>, Vec<_>) = networks.into_iter().unzip();
        (!networks.is_empty()).then_some(Self { modes, networks })
    }

    /// Returns the network of a position, the first one before a mode is chosen.
    #[inline]
    pub fn at<G: Game>(&self, game: &G, state: &G::State) -> &BoundNetwork {
        let [first, others @ ..] = &self.networks[..] else { unreachable!("never empty") };
        if others.is_empty() {
            return first;
        }
        let mode = game.mode(state).map(|mode| mode.name);
        let index = self.modes.iter().position(|&other| Some(other) == mode);
        &self.networks[index.unwrap_or(0)]
    }

    /// Returns the only network; `None` if there are several.
    pub fn only(&self) -> Option<&BoundNetwork> {
        match &self.networks[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Returns true if the networks are the same in memory.
    pub fn are_those_of(&self, other: &Self) -> bool {
        let mut pairs = self.networks.iter().zip(&other.networks);
        self.modes == other.modes
            && self.networks.len() == other.networks.len()
            && pairs.all(|(one, other)| Arc::ptr_eq(one, other))
    }
}
