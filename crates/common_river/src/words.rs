//! Actions of We All Take from the River in words.

use super::{
    CommonRiver,
    action::Action,
    components::{Structure, Tile},
    phases::PolicyKind,
};
use watershed_engine::games::labels::{player, words_of};

impl CommonRiver {
    /// Returns an action as an instruction, as in `Move to R2`, and a chance outcome as a
    /// statement.
    pub(super) fn action_words(&self, action: Action) -> String {
        let place = |tile: Tile| self.tile_names.get(tile);
        let on = |kind: Structure, tile: Tile| format!("the {} on {}", kind.name(), place(tile));
        match action {
            Action::Done => "Done".to_owned(),
            Action::Stop => "End the turn of this structure".to_owned(),
            Action::Enough => "Take no more tokens".to_owned(),
            Action::Pass => "Pass".to_owned(),
            Action::EndGive => "Offer no more; choose what to ask for".to_owned(),
            Action::Send => "Send the offer".to_owned(),
            Action::Settle => "End bidding".to_owned(),
            Action::Camp(tile) => format!("Pitch the camp on {}", place(tile)),
            Action::Use(kind, tile) => format!("Use {}", on(kind, tile)),
            Action::Harvest(token) => format!("Harvest {}", token.name()),
            Action::Dredge => "Dredge gravel".to_owned(),
            Action::Take(tile) => format!("Take from {}", place(tile)),
            Action::Plant(token) => format!("Put back {}", token.name()),
            Action::Build(kind) => format!("Build {}", kind.name()),
            Action::BuildNet(tile) => format!("Build a net below {}", place(tile)),
            Action::Remove(kind, tile) => format!("Remove {}", on(kind, tile)),
            Action::Move(tile) => format!("Move to {}", place(tile)),
            Action::Ferry(kind, tile) => format!("Ferry {}", on(kind, tile)),
            Action::Sell(token) => format!("Sell {}", token.name()),
            Action::Propose(policy) => format!("Propose {}", proposal(policy)),
            Action::Tile(tile) => format!("Choose {}", place(tile)),
            Action::Vote(true) => "Vote yes".to_owned(),
            Action::Vote(false) => "Vote no".to_owned(),
            Action::Bid => "Pay for one more vote".to_owned(),
            Action::Salvage(kind, tile) => format!("Take back {}", on(kind, tile)),
            Action::City(token) => format!("Give {} to the City", token.name()),
            Action::Buy(token) => format!("Buy {} from the City", token.name()),
            Action::Offer(seat) => format!("Make an offer to {}", player(seat)),
            Action::Give(token) => format!("Offer {}", token.name()),
            Action::Get(token) => format!("Ask for {}", token.name()),
            Action::Accept => "Accept the offer".to_owned(),
            Action::Refuse => "Refuse the offer".to_owned(),
            Action::Mode(mode) => format!("Mode: {}", mode.name()),
            Action::FirstPlayer(seat) => format!("First player: {}", player(seat)),
            Action::Weather(card) => {
                format!("Weather: {}", words_of(self.data.weather_name(card.into())))
            }
            Action::Role(role) => format!("Role: {}", self.data.role_label(role.into())),
            Action::Die(eyes) => format!("The die shows {eyes}"),
            Action::Net(token) => format!("The net collects {}", token.name()),
        }
    }
}

/// Returns the object of a proposal in words.
const fn proposal(policy: PolicyKind) -> &'static str {
    match policy {
        PolicyKind::City => "to found the City",
        PolicyKind::Protect => "to protect a tile",
        PolicyKind::Subsidy => "to subsidize pollution",
        PolicyKind::Unprotect => "to end the protection of a tile",
        PolicyKind::Unsubsidy => "to end the subsidy of pollution",
    }
}
