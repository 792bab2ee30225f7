//! Gains of actions of River Valley Glassworks in words.

use super::{
    Glassworks,
    action::Action,
    components::{Columns, Shape},
    state::State,
};
use watershed_engine::game::{Gain, Seat};

/// Worth of the next column for a colour in points, about.
const COLUMN: u32 = 2;

impl Glassworks {
    /// Returns what the seat that decides gets by an action.
    pub(super) fn gains_of(&self, state: &State, action: Action) -> Vec<Gain> {
        let seat = state.decider;
        match action {
            Action::Collect(shape) => {
                let worth = self.points_on(state, seat, shape).max(0) as u32;
                let name = self.names.shape(shape).replace('_', " ");
                vec![Gain::new(seat, format!("the pieces on the {name}"), "pieces", worth).brief()]
            }
            Action::Column(colour) => {
                let name = self.names.colour(colour).replace('_', " ");
                let column = state.columns(seat).len() + 1;
                let name = format!("{name} in column {column}");
                vec![Gain::new(seat, name, "columns", COLUMN)]
            }
            _ => Vec::new(),
        }
    }

    /// Returns the points that a seat would score by collecting a tile, with new colours in the
    /// best order.
    fn points_on(&self, state: &State, seat: Seat, shape: Shape) -> i32 {
        let columns = state.columns(seat);
        let (added, new) = self.add_to_columns(columns, state.tile(shape));
        self.best_score(added, new) - self.score(columns).total()
    }

    /// Returns the best score after pieces of new colours are added in any order.
    fn best_score(&self, columns: Columns, new: u64) -> i32 {
        let with = |(colour, count)| {
            let mut columns = columns;
            self.add_new_colour(&mut columns, colour, count);
            self.best_score(columns, new & !self.lane(colour).mask)
        };
        let best = self.colour_counts(new).map(with).max();
        best.unwrap_or_else(|| self.score(columns).total())
    }
}
