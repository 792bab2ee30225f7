//! The notation of actions of River Valley Glassworks.

use super::{Glassworks, action::Action, cells, scene, state::State};
use watershed_engine::{
    game::{Gain, Notation, NotationError, Seat},
    games::position_text::{read_position, write_position},
    scene::Scene,
};

impl Notation for Glassworks {
    fn action_text(&self, action: Action) -> String {
        match action {
            Action::Place(piece) => format!("place:{}", self.names.piece(piece)),
            Action::Pair(first, second, shape) => {
                let [first, second] = [first, second].map(|piece| self.names.piece(piece));
                format!("pair:{first}+{second}@{}", self.names.shape(shape))
            }
            Action::Draw(piece) => format!("draw:{}", self.names.piece(piece)),
            Action::DrawAll => "draw:all".to_owned(),
            Action::Pass => "pass".to_owned(),
            Action::Collect(shape) => format!("collect:{}", self.names.shape(shape)),
            Action::Column(colour) => format!("column:{}", self.names.colour(colour)),
            Action::Overflow(piece) => format!("overflow:{}", self.names.piece(piece)),
            Action::FirstPlayer(seat) => format!("first:{seat}"),
            Action::Tile(shape) => format!("river:{}", self.names.shape(shape)),
            Action::Glass(piece) => format!("glass:{}", self.names.piece(piece)),
        }
    }

    fn action_label(&self, action: Action) -> String {
        self.action_words(action)
    }

    fn combined_words(&self) -> &'static [&'static str] {
        &["overflow"]
    }

    fn parse_action(&self, text: &str) -> Result<Action, NotationError> {
        let outcomes = || {
            let pieces = self.names.pieces().map(Action::Glass);
            let tiles = self.names.shapes().map(Action::Tile);
            pieces.chain(tiles).chain(self.all_seats().map(Action::FirstPlayer)).collect()
        };
        let expected = "the notation of River Valley Glassworks, such as `place:<piece>` or \
                        `collect:<shape>`";
        self.action_texts.parse(self, outcomes, text, expected)
    }

    fn all_decisions(&self) -> Vec<Action> {
        let mut actions = vec![Action::DrawAll, Action::Pass];
        actions.extend(self.names.pieces().flat_map(|piece| {
            [Action::Place(piece), Action::Draw(piece), Action::Overflow(piece)]
        }));
        actions.extend(self.names.shapes().map(Action::Collect));
        actions.extend(self.names.colours().map(Action::Column));
        let shape_of = |piece| self.piece(piece).shape;
        for first in self.names.pieces() {
            let partners = self
                .names
                .pieces()
                .filter(|&second| first <= second && shape_of(first) == shape_of(second));
            actions.extend(partners.flat_map(|second| {
                self.names.shapes().map(move |shape| Action::Pair(first, second, shape))
            }));
        }
        actions
    }

    fn position_text(&self, state: &State) -> String {
        write_position(self, state)
    }

    fn parse_position(&self, text: &str) -> Result<State, NotationError> {
        read_position(self, text, State::default())
    }

    fn rules_in_short(&self) -> Vec<String> {
        self.rules_in_short()
    }

    fn rule_steps(&self, before: &State, after: &State, person: Option<Seat>) -> Vec<String> {
        self.rule_steps(before, after, person)
    }

    fn scene(&self, state: &State, _viewer: Option<Seat>) -> Scene {
        scene::scene(self, state)
    }

    fn action_cells(&self, state: &State, action: Action) -> Vec<String> {
        cells::action_cells(state, action, |piece| self.piece(piece).shape)
    }

    fn gains(&self, state: &State, action: Action) -> Vec<Gain> {
        self.gains_of(state, action)
    }

    fn score_breakdown(&self, state: &State, seat: Seat) -> Vec<(&'static str, i32)> {
        let score = self.score(state.columns(seat));
        let mut parts =
            vec![("rows", score.rows), ("columns", score.columns), ("overflow", score.overflow)];
        if self.has_start_points() {
            parts.push(("start", self.start_points(state, seat)));
        }
        parts
    }
}
