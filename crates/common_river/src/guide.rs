//! Explanations for a person who plays: the rules in short, and the automatic steps of the rules.

use super::{
    CommonRiver,
    components::{Objective, Tile, Token, Tokens},
    phases::Phase,
    state::State,
};
use watershed_engine::{
    game::{Game as _, Seat, Turn},
    games::labels::{count, verb_of},
};

impl CommonRiver {
    /// Returns the goal, the course, the end and the scoring of a game.
    pub(super) fn rules_in_short(&self) -> Vec<String> {
        let rules = &self.data.rules;
        let goals = Objective::ALL.map(|objective| match objective {
            Objective::Conservation => "conservation: no pollution on the map".to_owned(),
            Objective::Agriculture => {
                format!("agriculture: {} fish of your own", rules.agriculture_fish.get())
            }
            Objective::Development => "development: the City complete and dry".to_owned(),
            Objective::Capital => "capital: more gold than anybody else".to_owned(),
            Objective::Charity => "charity: everybody else completes a goal".to_owned(),
        });
        let winners = match self.players {
            1 => "Alone you have all of the first three goals below.",
            2 => "With two players you win together or compete, as the mode says.",
            _ => "Each role has two; several players can win, or nobody.",
        };
        let trade = match self.held_windows {
            [false, false, false] => "Tokens are not traded.",
            _ if self.players == 1 => "Alone you trade with nobody.",
            _ => "You may trade tokens with each other several times a day.",
        };
        vec![
            format!(
                "Goal: have completed your goals at the end of day {}, or of the next day without \
                 a Storm. {winners}",
                rules.days.get()
            ),
            format!("The goals are {}.", goals.join("; ")),
            "Everybody loses as soon as pollution fills the last tile of the river.".to_owned(),
            "Each day the die and the weather card give the water level, and the rows act one \
             after the other down the river; on the day of a Storm, up the river."
                .to_owned(),
            "Water above the elevation of a land tile first takes a tree, and without trees \
             floods the tile. Wetlands and canals lower the water. If water is left, trees grow \
             and fish come."
                .to_owned(),
            "Then the structures of the row act, from the higher bank to the lower one, and boats \
             last, on the day of a Storm the other way round: each may harvest, build and move \
             once."
                .to_owned(),
            format!(
                "Excavators take gravel and mills take trees, up to {} at once, and so pollute \
                 the river. Farms bring fish and pollute, too. What is loose in the river flows \
                 down, into nets or into the next row.",
                rules.take_max.get()
            ),
            format!(
                "Build: each building action costs {} fish and the tokens of what you build.",
                rules.build_fish.get()
            ),
            format!(
                "In the evening you sell {} for 1 gold, propose and vote on policies (the City, \
                 protected tiles, a subsidy for pollution), and give tokens to the City.",
                count(rules.tokens_per_gold.get(), "token")
            ),
            trade.to_owned(),
        ]
    }

    /// Returns the automatic steps of the rules after an event: water, floods, growth of pollution,
    /// tokens that came to others, and the beginning of a row. `person` is addressed as you.
    pub(super) fn rule_steps(
        &self,
        before: &State,
        after: &State,
        person: Option<Seat>,
    ) -> Vec<String> {
        let mut steps = Vec::new();
        if after.day > before.day {
            steps.push(format!("Day {} begins.", after.day));
        }
        if after.row != before.row && after.day == before.day && before.phase != Phase::Die {
            steps.push(format!("Row {} acts.", after.row + 1));
        }
        if after.water != before.water && after.phase != Phase::Die {
            steps.push(format!("The water stands at {}.", after.water));
        }
        let land = (0..self.map.rows).flat_map(|row| [Tile::land(0, row), Tile::land(1, row)]);
        let is_new = |tile: &Tile| after.is_flooded(*tile) && !before.is_flooded(*tile);
        let flooded: Vec<_> = land.filter(is_new).map(|tile| self.tile_names.get(tile)).collect();
        if !flooded.is_empty() {
            steps.push(format!("Flooded: {}.", flooded.join(", ")));
        }
        if after.pollution() > before.pollution() {
            steps.push(format!("Pollution on the map: {}.", after.pollution()));
        }
        for seat in self.all_seats() {
            // Within a row, what the seat that decided has now comes from its action.
            let is_same_row = after.row == before.row && after.day == before.day;
            if is_same_row && self.turn(before) == Turn::Seat(seat) {
                continue;
            }
            let [then, now] = [before, after].map(|state| state.stock(seat));
            for (verb, from, to) in [("receive", then, now), ("give", now, then)] {
                let tokens = difference(from, to);
                if !tokens.is_empty() {
                    steps.push(format!("{} {tokens}.", verb_of(seat, person, verb)));
                }
            }
        }
        // Alone, a proposal passes at once.
        let is_decided = before.proposal.is_some() && after.proposal.is_none();
        if is_decided || before.subsidized != after.subsidized && after.day == before.day {
            steps.push(self.policy_step(before, after));
        }
        if after.city_complete && !before.city_complete {
            steps.push("The City is complete.".to_owned());
        }
        steps
    }

    /// Describes the result of the proposal in the position `before`.
    fn policy_step(&self, before: &State, after: &State) -> String {
        let mut tiles = (0..Tile::COUNT).map(|tile| Tile(tile as u8));
        let changed = tiles.find(|&tile| after.is_protected(tile) != before.is_protected(tile));
        match (after.city, changed) {
            (Some(tile), _) if after.city != before.city => {
                format!("The City is founded on {}.", self.tile_names.get(tile))
            }
            (_, Some(tile)) => {
                let name = self.tile_names.get(tile);
                let is_protected = after.is_protected(tile);
                let word = if is_protected { "protected now" } else { "no longer protected" };
                format!("{name} is {word}.")
            }
            _ if after.subsidized && !before.subsidized => "Pollution can be sold now.".to_owned(),
            _ if before.subsidized && !after.subsidized => {
                "Pollution can no longer be sold.".to_owned()
            }
            _ => "The proposal is rejected.".to_owned(),
        }
    }
}

/// Returns the tokens that a stockpile has beyond another one, in words.
fn difference(from: &Tokens, to: &Tokens) -> String {
    let gained = Token::ALL.into_iter().filter_map(|token| {
        let gained = to.get(token).saturating_sub(from.get(token));
        (gained > 0).then(|| format!("{gained} {}", token.name()))
    });
    gained.collect::<Vec<_>>().join(" and ")
}
