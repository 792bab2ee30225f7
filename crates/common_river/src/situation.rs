//! Situations of opening decisions of We All Take from the River: the mode and the own role, then
//! the next weather.

use super::{
    CommonRiver,
    components::{Structure, Tile},
    items::{BUILD, CAMP},
    state::State,
};
use watershed_engine::{
    game::{Seat, Situation, SituationPart},
    games::labels::{name_or_id, words_of},
};

impl CommonRiver {
    /// Returns the situation of a camp or of a structure that is built.
    pub(super) fn opening_situation(&self, state: &State, seat: Seat) -> Situation {
        let mode = state.mode.name();
        let role = match state.role(seat).map(|role| &self.data.role[role]) {
            Some(role) => SituationPart::new(
                format!("role:{}", role.id.as_str()),
                format!("role {}", name_or_id(role.name.as_ref(), &role.id)),
            ),
            None => SituationPart::new(format!("mode:{mode}"), format!("{mode} game")),
        };
        let weather = state.almanac_card(0).map(|card| self.data.weather[card].id.as_str());
        let weather = weather.unwrap_or("unknown");
        let weather = SituationPart::new(
            format!("weather:{weather}"),
            format!("next weather {}", weather.replace('_', " ")),
        );
        Situation { starter: None, open: vec![role, weather] }
    }

    /// Returns the name of an opening step for people.
    pub(super) fn opening_label(&self, code: u8) -> String {
        if let CAMP..BUILD = code {
            format!("Camp on {}", self.tile_names.get(Tile(code - CAMP)))
        } else {
            let kind = usize::from(code - BUILD) % Structure::ALL.len();
            format!("Build: {}", words_of(Structure::ALL[kind].name()).to_lowercase())
        }
    }
}
