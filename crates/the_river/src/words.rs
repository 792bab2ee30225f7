//! Actions of The River in words.

use super::{
    TheRiver,
    action::Action,
    components::{Bag, Building, Resource},
    labels::building_label,
};
use watershed_engine::games::labels::{enumerate, name_or_id, player};

impl TheRiver {
    /// Returns an action as an instruction, as in `Reserve 2 wood → 2 points`, and a chance outcome
    /// as a statement.
    pub(super) fn action_words(&self, action: Action) -> String {
        let building =
            |building: Building| building_label(&self.data.building[usize::from(building.0)]);
        match action {
            Action::Claim(kind) => format!("Claim {}", self.tile_label(kind)),
            Action::Produce(resource) => format!("Produce {}", resource.name()),
            Action::Food => "Take 1 food".to_owned(),
            Action::FoodSubstitute(resource) => {
                format!("Take 1 {} from the food island", resource.name())
            }
            Action::Reserve(card) => format!("Reserve {}", building(card)),
            Action::Build(card) => format!("Build {}", building(card)),
            Action::TakePawn => "Take the first-player pawn".to_owned(),
            Action::Swap(one, other) => {
                format!("Swap the tiles on spots {} and {}", one + 1, other + 1)
            }
            Action::Trade(payment) => format!("Trade {} for 1 food", amounts(payment.bag())),
            Action::Pay(payment) => format!("Pay {}", amounts(payment.bag())),
            Action::Discard(resource) => format!("Return 1 {}", resource.name()),
            Action::Skip => "Make no further swap".to_owned(),
            Action::Pass => "Use a pioneer for nothing".to_owned(),
            Action::FirstPlayer(seat) => format!("First player: {}", player(seat)),
            Action::Board(board) => {
                let board = &self.data.board[usize::from(board)];
                format!("Board: {}", name_or_id(None, &board.id))
            }
            Action::RevealTile(kind) => format!("Tile laid out: {}", self.tile_label(kind)),
            Action::RevealBuilding(card) => format!("Building laid out: {}", building(card)),
            Action::Reshuffle => "The discarded tiles become the draw pile".to_owned(),
        }
    }
}

/// Returns the amounts of a bag, as in `1 wood and 2 food`.
pub(super) fn amounts(bag: Bag) -> String {
    let amounts = Resource::ALL.map(|resource| (bag.get(resource), resource.name()));
    let amounts = amounts.iter().filter(|(amount, _)| *amount > 0);
    let text = enumerate(amounts.map(|(amount, name)| format!("{amount} {name}")));
    if text.is_empty() { "nothing".to_owned() } else { text }
}
