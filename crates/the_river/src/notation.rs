//! The notation of actions of The River.

use std::collections::BTreeSet;

use super::{
    TheRiver,
    action::{Action, Payment},
    cells,
    components::{Building, MAX_COST, Resource, SPOTS},
    lookup::amounts_below,
    scene,
    state::State,
};
use watershed_engine::{
    game::{Gain, Game as _, Notation, NotationError, Seat},
    games::position_text::{read_position, write_position},
    scene::Scene,
};

impl Notation for TheRiver {
    fn action_text(&self, action: Action) -> String {
        match action {
            Action::Claim(kind) => format!("claim:{}", self.data.tile_name(kind)),
            Action::Produce(resource) => format!("produce:{}", resource.name()),
            Action::Food => "food".to_owned(),
            Action::FoodSubstitute(resource) => format!("food:{}", resource.name()),
            Action::Reserve(building) => format!("reserve:{}", self.data.building_name(building)),
            Action::Build(building) => format!("build:{}", self.data.building_name(building)),
            Action::TakePawn => "first".to_owned(),
            Action::Swap(one, other) => format!("swap:{}-{}", one + 1, other + 1),
            Action::Trade(payment) => format!("trade:{}", payment.bag().text()),
            Action::Pay(payment) => format!("pay:{}", payment.bag().text()),
            Action::Discard(resource) => format!("discard:{}", resource.name()),
            Action::Skip => "skip".to_owned(),
            Action::Pass => "pass".to_owned(),
            Action::FirstPlayer(seat) => format!("first:{seat}"),
            Action::Board(board) => {
                format!("board:{}", self.data.board[usize::from(board)].id.as_str())
            }
            Action::RevealTile(kind) => format!("tile:{}", self.data.tile_name(kind)),
            Action::RevealBuilding(building) => {
                format!("building:{}", self.data.building_name(building))
            }
            Action::Reshuffle => "reshuffle".to_owned(),
        }
    }

    fn action_label(&self, action: Action) -> String {
        self.action_words(action)
    }

    fn combined_words(&self) -> &'static [&'static str] {
        &["discard"]
    }

    fn parse_action(&self, text: &str) -> Result<Action, NotationError> {
        let outcomes = || {
            let boards = (0..self.boards.len()).map(|board| Action::Board(board as u8));
            let buildings = 0..self.buildings.len();
            let buildings =
                buildings.map(|building| Action::RevealBuilding(Building(building as u8)));
            let tiles = self.tile_kinds().map(Action::RevealTile);
            let seats = self.all_seats().map(Action::FirstPlayer);
            boards.chain(buildings).chain(tiles).chain(seats).chain([Action::Reshuffle]).collect()
        };
        let expected = "the notation of The River, such as `claim:<tile>` or `pay:w1f1`";
        self.action_texts.parse(self, outcomes, text, expected)
    }

    fn all_decisions(&self) -> Vec<Action> {
        let spots = SPOTS as u8;
        let mut actions = vec![Action::Food, Action::TakePawn, Action::Skip, Action::Pass];
        actions.extend(self.tile_kinds().map(Action::Claim));
        for building in (0..self.buildings.len() as u8).map(Building) {
            actions.extend([Action::Reserve(building), Action::Build(building)]);
        }
        for resource in Resource::PRODUCED {
            actions.extend([Action::Produce(resource), Action::FoodSubstitute(resource)]);
        }
        actions.extend(Resource::ALL.map(Action::Discard));
        for one in 0..spots {
            actions.extend((one + 1..spots).map(|other| Action::Swap(one, other)));
        }
        let trade_in = self.trades.trade_in;
        for wood in 0..=trade_in {
            actions
                .extend((0..=trade_in - wood).map(|clay| {
                    Action::Trade(Payment::new(wood, clay, trade_in - wood - clay, 0))
                }));
        }
        let discount = self.data.rules.reserve_discount.get();
        let mut payments = BTreeSet::new();
        for building in &self.buildings {
            let full: u32 = building.cost.iter().sum();
            for amounts in amounts_below(MAX_COST + 1) {
                let within_cost =
                    (0..3).all(|resource| amounts[resource] <= building.cost[resource]);
                let [wood, clay, stone] = amounts;
                for total in
                    [full, full.saturating_sub(discount)].into_iter().filter(|_| within_cost)
                {
                    let food = total.checked_sub(wood + clay + stone);
                    payments.extend(food.map(|food| Payment::new(wood, clay, stone, food)));
                }
            }
        }
        actions.extend(payments.into_iter().map(Action::Pay));
        actions
    }

    fn position_text(&self, state: &State) -> String {
        write_position(self, state)
    }

    fn parse_position(&self, text: &str) -> Result<State, NotationError> {
        read_position(self, text, self.initial())
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
        cells::action_cells(state, action)
    }

    fn gains(&self, state: &State, action: Action) -> Vec<Gain> {
        self.gains_of(state, action)
    }

    fn score_breakdown(&self, state: &State, seat: Seat) -> Vec<(&'static str, i32)> {
        self.score(state, seat).parts().to_vec()
    }
}
