//! Situations and actions of books of openings of River Valley Glassworks: the spaces of the river,
//! counted from the one nearest to the lake, and the lake.

use super::{
    Glassworks,
    action::Action,
    components::MAX_SHAPES,
    state::{Phase, State},
};
use watershed_engine::{
    game::{Seat, Situation, SituationPart},
    games::labels::count,
};

// The first code of each kind of action: placements and pairs by space.
const PLACE: u8 = 1;
const PAIR: u8 = PLACE + MAX_SHAPES as u8;
const DRAW: u8 = PAIR + MAX_SHAPES as u8;
const PASS: u8 = DRAW + 1;

impl Glassworks {
    /// Returns the code of an action of a turn. The shape of a tile says little, because the order
    /// of the tiles is drawn; its space decides which tiles can be collected.
    pub(super) fn space_action(&self, state: &State, action: Action) -> Option<u8> {
        if state.phase != Phase::Turn {
            return None;
        }
        let space = |shape| {
            let river = state.river();
            (river.len() - 1 - river.index_of(shape)) as u8
        };
        match action {
            Action::Place(piece) => Some(PLACE + space(self.piece(piece).shape)),
            Action::Pair(_, _, shape) => Some(PAIR + space(shape)),
            Action::Draw(_) | Action::DrawAll => Some(DRAW),
            Action::Pass => Some(PASS),
            _ => None,
        }
    }

    pub(super) fn space_action_text(code: u8) -> String {
        match code {
            PLACE..PAIR => format!("place:space{}", code - PLACE + 1),
            PAIR..DRAW => format!("pair:space{}", code - PAIR + 1),
            DRAW => "draw".to_owned(),
            _ => "pass".to_owned(),
        }
    }

    pub(super) fn space_action_label(code: u8) -> String {
        match code {
            PLACE..PAIR => format!("Place one piece on space {}", code - PLACE + 1),
            PAIR..DRAW => format!("Place a pair on space {}", code - PAIR + 1),
            DRAW => "Draw from the lake".to_owned(),
            _ => "Pass".to_owned(),
        }
    }

    /// Returns the situation of a turn: the size of the lake, then the number of different colours
    /// on each space of the river, from the one nearest to the lake.
    pub(super) fn opening_situation(&self, state: &State, _seat: Seat) -> Situation {
        let lake = state.lake().len() as u32;
        let colours = |shape| self.tile_colours(state, shape).count().to_string();
        let mut colours: Vec<_> = state.river().iter().map(colours).collect();
        colours.reverse();
        let lake = SituationPart::named(format!("{} in the lake", count(lake, "piece")));
        let colours = format!("colours on the spaces {}", colours.join("-"));
        Situation { starter: None, open: vec![lake, SituationPart::named(colours)] }
    }
}
