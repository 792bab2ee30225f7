//! Gains of actions of The River in words.

use super::{
    TheRiver,
    action::Action,
    labels::building_phrase,
    state::{Place, State},
};
use watershed_engine::game::Gain;

/// Worth of a tile in points, about.
const TILE: u32 = 3;
/// Worth of a turn in points, about.
const TURN: u32 = 2;
/// Worth of a pioneer in points, about.
const PIONEER: u32 = 4;

impl TheRiver {
    /// Returns what the seat that decides gets by an action.
    pub(super) fn gains_of(&self, state: &State, action: Action) -> Vec<Gain> {
        let seat = state.decider();
        let gain = |name: String, part, worth| Gain::new(seat, name, part, worth);
        match action {
            Action::Build(card) => {
                let card = &self.data.building[usize::from(card.0)];
                let mut gains = vec![gain(building_phrase(card), "buildings", card.points.get())];
                if let Some(points) = self.next_token(state, seat) {
                    if points > 0 {
                        let token = format!("the bonus token of {points} points");
                        gains.push(gain(token, "tokens", points));
                    }
                    let tokens = state.tokens(seat) + 1;
                    if tokens == self.data.rules.extra_pioneer_on_bonus_spot.get() {
                        gains.push(gain("another pioneer".into(), "pioneers", PIONEER));
                    }
                }
                gains
            }
            Action::Reserve(card) => {
                let card = building_phrase(&self.data.building[usize::from(card.0)]);
                vec![gain(card, "reserved", TILE)]
            }
            Action::Claim(kind) => {
                vec![gain(format!("the tile “{}”", self.tile_label(kind)), "tiles", TILE)]
            }
            Action::Produce(resource) => {
                let is_open = self.place_limits[Place::production(resource) as usize] > 1;
                let place = if is_open { "a place" } else { "the place" };
                let name = format!("{place} to produce {}", resource.name());
                let amount = self.production(state, seat, resource);
                vec![gain(name, "production", amount).brief()]
            }
            Action::TakePawn => {
                let name = "the first turn of the next round".to_owned();
                vec![gain(name, "pawn", TURN).brief()]
            }
            _ => Vec::new(),
        }
    }
}
