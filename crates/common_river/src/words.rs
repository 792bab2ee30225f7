//! Actions of We All Take from the River in words.

use super::{
    CommonRiver,
    action::Action,
    components::{Objective, Structure, Tile, Token},
    phases::{Mode, PolicyKind},
    state::State,
};
use watershed_engine::{
    game::Game as _,
    games::labels::{player, words_of},
};

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
            Action::Build(kind) => format!("Build {}{}", kind.name(), self.cost_words(kind)),
            Action::BuildNet(tile) => {
                format!("Build a net below {}{}", place(tile), self.cost_words(Structure::Net))
            }
            Action::Remove(kind, tile) => format!("Remove {}", on(kind, tile)),
            Action::Move(tile) => format!("Move to {}", place(tile)),
            Action::Ferry(kind, tile) => format!("Ferry {}", on(kind, tile)),
            Action::Sell(token) => format!("Sell {}", token.name()),
            Action::Propose(policy) => match self.data.rules.proposal_gold.get() {
                0 => format!("Propose {}", proposal(policy)),
                gold => format!("Propose {} ({gold} gold)", proposal(policy)),
            },
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

impl CommonRiver {
    /// Returns the tokens that a structure costs, as in ` (2 gravel)`; empty if it is free. The
    /// fish of the building action come once, with its first structure.
    fn cost_words(&self, kind: Structure) -> String {
        let cost = self.data.cost.tokens(kind);
        let paid = Token::ALL.into_iter().filter(|&token| cost.get(token) > 0);
        let word = |token: Token| match (token, cost.get(token)) {
            (Token::Tree, number @ 2..) => format!("{number} trees"),
            (_, number) => format!("{number} {}", token.name()),
        };
        let paid: Vec<_> = paid.map(word).collect();
        if paid.is_empty() { String::new() } else { format!(" ({})", paid.join(", ")) }
    }

    /// Returns what a lost game that all win or lose together lacks, as in `28 of 30 fish`.
    pub(super) fn missing_words(&self, state: &State) -> Option<String> {
        if !matches!(state.mode, Mode::Solo | Mode::Coop) || self.outcome(state).winners != 0 {
            return None;
        }
        if self.is_river_dead(state) {
            return Some("the river is dead".to_owned());
        }
        let completed = self.completed_objectives(state);
        let is_missing = |objective: &Objective| {
            let bit = objective.bit();
            self.all_seats()
                .any(|seat| self.objectives(state, seat) & !completed[seat.index()] & bit != 0)
        };
        let needed = self.data.rules.agriculture_fish.get();
        let fish = self.all_seats().map(|seat| state.stock(seat).get(Token::Fish).min(needed));
        let fish: u32 = fish.sum();
        let words = |objective| match objective {
            Objective::Agriculture => {
                format!("{} of {} fish", fish, needed * self.players as u32)
            }
            Objective::Conservation => format!("{} pollution on the map", state.pollution()),
            Objective::Development if state.city_complete => "the City is flooded".to_owned(),
            Objective::Development => "the City is not complete".to_owned(),
            other => other.name().replace('_', " "),
        };
        let missing: Vec<_> = Objective::ALL.into_iter().filter(is_missing).map(words).collect();
        (!missing.is_empty()).then(|| missing.join(", "))
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
