//! Actions of River Valley Glassworks in words.

use super::{
    Glassworks,
    action::Action,
    components::{Colour, Piece, Shape},
};
use watershed_engine::games::labels::player;

impl Glassworks {
    /// Returns an action as an instruction, as in `Place the red circle`, and a chance outcome as a
    /// statement.
    pub(super) fn action_words(&self, action: Action) -> String {
        let piece = |piece: Piece| self.names.piece(piece).replace(['_', '-'], " ");
        let shape = |shape: Shape| self.names.shape(shape).replace('_', " ");
        let colour = |colour: Colour| self.names.colour(colour).replace('_', " ");
        match action {
            Action::Place(placed) => format!("Place {}", piece(placed)),
            Action::Pair(first, second, tile) => {
                format!("Place {} and {} onto the {}", piece(first), piece(second), shape(tile))
            }
            Action::Draw(kept) => format!("Draw from the lake and leave {}", piece(kept)),
            Action::DrawAll => "Draw the whole lake".to_owned(),
            Action::Pass => "Pass".to_owned(),
            Action::Collect(tile) => format!("Collect the pieces on the {}", shape(tile)),
            Action::Column(new) => format!("Give the next column to {}", colour(new)),
            Action::Overflow(spilled) => format!("Put {} into the overflow", piece(spilled)),
            Action::FirstPlayer(seat) => format!("First player: {}", player(seat)),
            Action::Tile(tile) => format!("River tile laid out: {}", shape(tile)),
            Action::Glass(drawn) => format!("Drawn from the bag: {}", piece(drawn)),
        }
    }
}
