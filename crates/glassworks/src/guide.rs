//! Explanations for a person who plays: the rules in short, the rule of a river tile, and the
//! automatic steps of the rules.

use super::{
    Glassworks,
    data::{ColourEntry, EndVariant},
    state::{EndStage, State},
};
use watershed_engine::{
    game::Seat,
    games::labels::{count, verb_of},
};

/// The rule of a river tile.
pub(super) const TILE_RULE: &str =
    "place a piece of this shape, or any two pieces of one shape; then collect a neighbouring tile";

impl Glassworks {
    /// Returns the goal, the course, the end and the scoring of a game.
    pub(super) fn rules_in_short(&self) -> Vec<String> {
        let (values, play) = (&self.data.glassworks, &self.data.play);
        let last_turns = match play.end_variant {
            EndVariant::Rulebook => "",
            EndVariant::Bga => " Before, satchels are filled, and nobody draws from the lake.",
        };
        vec![
            "Goal: the most points when the game ends.".to_owned(),
            "On your turn either place glass of your satchel on the river or draw from the lake."
                .to_owned(),
            "Place one piece on the river tile of its shape, or two pieces of one shape on any \
             tile. Then collect all pieces of a tile beside it; that tile moves to the far end of \
             the river and is filled again."
                .to_owned(),
            format!(
                "Draw: take {} pieces from the lake, or all if it has fewer. Your satchel \
                 holds {}; what is too much goes into the overflow.",
                play.lake_take.get(),
                play.satchel_limit.get()
            ),
            format!(
                "Glass that you collect goes into the column of its colour. A new colour takes \
                 the next column from the left; you choose the order of several new colours. \
                 There are {} columns of {} spaces; what finds no space goes into the overflow.",
                self.columns, self.rows
            ),
            format!(
                "End: when a player has {} pieces in the columns, the round is finished, and \
                 everybody has one more turn.{last_turns}",
                values.end_trigger.get()
            ),
            "Rows score by how many spaces are filled from the left without a gap.".to_owned(),
            format!(
                "The {} tallest columns score by their height, and more the farther right they \
                 are.",
                self.scored_columns
            ),
            format!(
                "Each piece in the overflow costs {}.",
                count(values.overflow_penalty.get(), "point")
            ),
            "So early colours make long rows, and tall columns belong to the right.".to_owned(),
        ]
    }

    /// Returns the automatic steps of the rules after an event: glass that went into columns or the
    /// overflow, and the beginning of a round. `person` is addressed as you.
    pub(super) fn rule_steps(
        &self,
        before: &State,
        after: &State,
        person: Option<Seat>,
    ) -> Vec<String> {
        let mut steps = Vec::new();
        for seat in self.all_seats() {
            let [then, now] = [before, after].map(|state| state.columns(seat));
            let gained = (0..self.columns).filter_map(|column| {
                let gained = now.height(column).saturating_sub(then.height(column));
                (gained > 0).then(|| {
                    let colour = usize::from(now.colour(column).0);
                    let colour = self.data.colours(self.players).nth(colour);
                    let name = colour.map(ColourEntry::label).unwrap_or_default();
                    format!("{gained} {}", name.to_lowercase())
                })
            });
            let gained: Vec<_> = gained.collect();
            if !gained.is_empty() {
                steps.push(format!("{} {}.", verb_of(seat, person, "add"), gained.join(", ")));
            }
            let lost = now.overflow().saturating_sub(then.overflow());
            if lost > 0 {
                let what = count(lost, "piece");
                let who = verb_of(seat, person, "put");
                steps.push(format!("{who} {what} into the overflow."));
            }
        }
        if after.round > before.round {
            steps.push(format!("Round {} begins.", after.round));
        }
        if after.end_stage != before.end_stage && after.end_stage == EndStage::Triggered {
            steps.push("After this round everybody has one more turn.".to_owned());
        }
        steps
    }
}
