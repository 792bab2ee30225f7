//! The notation of actions of We All Take from the River.

use super::{
    CommonRiver,
    action::{Action, all_decisions},
    components::{Structure, Tile, Token},
    data::MAX_DIE,
    phases::Mode,
    position, scene,
    state::State,
};
use watershed_engine::{
    game::{Gain, Notation, NotationError, Seat},
    games::position_text::{name_of, write_position},
    scene::Scene,
};

/// The actions that are a single word.
const WORDS: [(&str, Action); 11] = [
    ("done", Action::Done),
    ("stop", Action::Stop),
    ("enough", Action::Enough),
    ("pass", Action::Pass),
    ("for", Action::EndGive),
    ("send", Action::Send),
    ("settle", Action::Settle),
    ("dredge", Action::Dredge),
    ("bid", Action::Bid),
    ("accept", Action::Accept),
    ("refuse", Action::Refuse),
];

impl Notation for CommonRiver {
    fn action_text(&self, action: Action) -> String {
        let placed =
            |kind: Structure, tile: Tile| format!("{}@{}", kind.name(), self.tile_names.get(tile));
        let tile = |tile: Tile| self.tile_names.get(tile).to_owned();
        let (verb, object) = match action {
            Action::Camp(slot) => ("camp", tile(slot)),
            Action::Use(kind, place) => ("use", placed(kind, place)),
            Action::Harvest(token) => ("harvest", token.name().to_owned()),
            Action::Take(from) => ("take", tile(from)),
            Action::Plant(token) => ("plant", token.name().to_owned()),
            Action::Build(kind) => ("build", kind.name().to_owned()),
            Action::BuildNet(slot) => ("build", placed(Structure::Net, slot)),
            Action::Remove(kind, place) => ("remove", placed(kind, place)),
            Action::Move(to) => ("move", tile(to)),
            Action::Ferry(kind, from) => ("ferry", placed(kind, from)),
            Action::Sell(token) => ("sell", token.name().to_owned()),
            Action::Propose(policy) => ("propose", policy.name().to_owned()),
            Action::Tile(chosen) => ("tile", tile(chosen)),
            Action::Vote(yes) => ("vote", if yes { "yes" } else { "no" }.to_owned()),
            Action::Salvage(kind, place) => ("salvage", placed(kind, place)),
            Action::City(token) => ("city", token.name().to_owned()),
            Action::Buy(token) => ("buy", token.name().to_owned()),
            Action::Offer(seat) => ("offer", seat.to_string()),
            Action::Give(token) => ("give", token.name().to_owned()),
            Action::Get(token) => ("get", token.name().to_owned()),
            Action::Mode(mode) => ("mode", mode.name().to_owned()),
            Action::FirstPlayer(seat) => ("first", seat.to_string()),
            Action::Weather(card) => ("weather", self.data.weather_name(card.into()).to_owned()),
            Action::Role(role) => ("role", self.data.role_name(role.into()).to_owned()),
            Action::Die(eyes) => ("d6", eyes.to_string()),
            Action::Net(token) => ("net", token.name().to_owned()),
            word => return name_of(&WORDS, &word).to_owned(),
        };
        format!("{verb}:{object}")
    }

    fn action_label(&self, action: Action) -> String {
        self.action_words(action)
    }

    fn shortfall(&self, state: &State) -> Option<String> {
        self.missing_words(state)
    }

    fn combined_words(&self) -> &'static [&'static str] {
        &["take", "build", "sell", "salvage", "city", "buy", "give", "get"]
    }

    fn parse_action(&self, text: &str) -> Result<Action, NotationError> {
        let expected = "the notation of We All Take from the River, such as `harvest:<token>` or \
                        `move:<tile>`";
        self.action_texts.parse(self, || self.all_outcomes().collect(), text, expected)
    }

    fn all_decisions(&self) -> Vec<Action> {
        all_decisions().filter(|&action| self.can_occur(action)).collect()
    }

    fn position_text(&self, state: &State) -> String {
        write_position(self, state)
    }

    fn view_text(&self, state: &State, seat: Seat) -> String {
        position::view_text(self, state, seat)
    }

    fn parse_view(&self, text: &str) -> Result<State, NotationError> {
        position::parse(self, text, true)
    }

    fn parse_position(&self, text: &str) -> Result<State, NotationError> {
        position::parse(self, text, false)
    }

    fn rules_in_short(&self) -> Vec<String> {
        self.rules_in_short()
    }

    fn rule_steps(&self, before: &State, after: &State, person: Option<Seat>) -> Vec<String> {
        self.rule_steps(before, after, person)
    }

    fn scene(&self, state: &State, viewer: Option<Seat>) -> Scene {
        scene::scene(self, state, viewer)
    }

    fn action_cells(&self, state: &State, action: Action) -> Vec<String> {
        self.cells_of(state, action)
    }

    fn gains(&self, state: &State, action: Action) -> Vec<Gain> {
        self.gains_of(state, action)
    }

    fn score_breakdown(&self, state: &State, seat: Seat) -> Vec<(&'static str, i32)> {
        self.breakdown(state, seat, self.completed_objectives(state)).to_vec()
    }
}

impl CommonRiver {
    /// Returns true if a decision is possible on this map with this number of players.
    fn can_occur(&self, action: Action) -> bool {
        match action {
            Action::Harvest(Token::Gold)
            | Action::Sell(Token::Gold)
            | Action::Plant(Token::Gold | Token::Pollution)
            | Action::Buy(Token::Gold | Token::Pollution)
            | Action::Build(Structure::Camp | Structure::Net) => false,
            Action::Take(tile) => tile != Tile::river(tile.row()) && tile.row() < self.map.rows,
            Action::Camp(tile)
            | Action::Use(_, tile)
            | Action::BuildNet(tile)
            | Action::Remove(_, tile)
            | Action::Move(tile)
            | Action::Ferry(_, tile)
            | Action::Tile(tile)
            | Action::Salvage(_, tile) => tile.row() < self.map.rows,
            Action::Offer(seat) => seat.index() < self.players,
            _ => true,
        }
    }

    /// Returns all outcomes of chance, in no particular order.
    fn all_outcomes(&self) -> impl Iterator<Item = Action> {
        Mode::ALL
            .map(Action::Mode)
            .into_iter()
            .chain(self.all_seats().map(Action::FirstPlayer))
            .chain((0..self.data.weather.len()).map(|card| Action::Weather(card as u8)))
            .chain((0..self.roles.len()).map(|role| Action::Role(role as u8)))
            .chain((1..=MAX_DIE).map(Action::Die))
            .chain(Token::ALL.map(Action::Net))
    }
}
