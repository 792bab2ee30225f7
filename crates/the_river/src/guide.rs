//! Explanations for a person who plays: the rules in short, the rule of a place, and the automatic
//! steps of the rules.

use super::{
    TheRiver,
    components::{Income, Resource, SPOTS},
    state::{Phase, Place, State},
};
use watershed_engine::{
    game::Seat,
    games::labels::{count, player, verb_of},
};

impl TheRiver {
    /// Returns the goal, the course, the end and the scoring of a game.
    pub(super) fn rules_in_short(&self) -> Vec<String> {
        let rules = &self.data.rules;
        let bonus = match self.first_pioneer_bonus {
            0 => String::new(),
            bonus => format!("; who is first there in a round takes {bonus} more"),
        };
        let pioneer = match rules.extra_pioneer_on_bonus_spot.get() {
            0 => String::new(),
            spot => format!(" Token {spot} brings a pioneer."),
        };
        let claims = count(rules.claim_tile_per_player.get(), "tile");
        vec![
            "Goal: the most points when the game ends.".to_owned(),
            "In turn each player moves one pioneer from the boat to a place and does what it says. \
             Most places have room for few pioneers a round. When all boats are empty, the round \
             ends and the pioneers return."
                .to_owned(),
            format!(
                "Wood, clay and stone: take as many as you see symbols of it on your board and \
                 tiles{bonus}."
            ),
            "Each warehouse stores one resource. Return what you cannot store.".to_owned(),
            format!(
                "Food: take 1, which pays for any resource of a building. {} other resources can \
                 be traded for 1 food before you place a pioneer.",
                rules.trade_in.get()
            ),
            format!(
                "Open tiles: claim one, up to {claims} a round. It goes to your next spot along \
                 the river and covers what is printed there. A tile on a framed spot makes a \
                 pioneer settle for good."
            ),
            format!(
                "Reserve: keep an open building, which then costs {} less. Build: pay for a \
                 building, open or reserved, and take the next bonus token; the earlier, the more \
                 it is worth.{pioneer}",
                rules.reserve_discount.get()
            ),
            "Pawn: be first from the next round on. Swap: exchange two of your tiles.".to_owned(),
            format!(
                "End: the round in which somebody has {} or {SPOTS} tiles is the last.",
                count(self.bonus_spots, "bonus token")
            ),
            format!(
                "Points: bonus tokens, buildings, 1 for each {} resources, {} for a column of \
                 three tiles of one terrain, {} if only its upper two match, and what your \
                 Meadows say.",
                rules.per_resources.get(),
                rules.column_all_three.get(),
                rules.column_top_two.get()
            ),
        ]
    }

    /// Returns the rule of a place.
    pub(super) fn place_rule(&self, place: Place) -> String {
        let what = match place {
            Place::Wood | Place::Clay | Place::Stone => {
                return match self.first_pioneer_bonus {
                    0 => "take one for each symbol of yours".to_owned(),
                    bonus => format!(
                        "take one for each symbol of yours, and {bonus} more if you are the first \
                         here in this round"
                    ),
                };
            }
            Place::Food => "take 1 food, or another resource if there is none",
            Place::Reserve => "keep an open building, which then costs less",
            Place::Build => "pay for a building and take the next bonus token",
            Place::First => "be the first player from the next round on",
            Place::Swap => "exchange two of your tiles",
        };
        what.to_owned()
    }

    /// Returns the automatic steps of the rules after an event: bonus tokens, pioneers, income and
    /// the beginning of a round. `person` is addressed as you.
    pub(super) fn rule_steps(
        &self,
        before: &State,
        after: &State,
        person: Option<Seat>,
    ) -> Vec<String> {
        let mut steps = Vec::new();
        let mut taken: u32 = self.all_seats().map(|seat| before.tokens(seat)).sum();
        let is_paid = before.phase() == Phase::IncomeOverflow;
        let has_ended = matches!(after.phase(), Phase::IncomeOverflow | Phase::Over);
        let is_new_round = after.round() > before.round();
        let is_cleanup = before.round() > 0 && (is_new_round || has_ended);
        for seat in self.all_seats() {
            for _ in before.tokens(seat)..after.tokens(seat) {
                let points = count(self.tokens.get(taken as usize).copied().unwrap_or(0), "point");
                steps.push(format!("{} a bonus token of {points}.", verb_of(seat, person, "take")));
                taken += 1;
            }
            let [pioneers, now] = [before, after].map(|state| state.pioneers(seat));
            if now > pioneers && before.round() > 0 {
                let what = count(now - pioneers, "more pioneer");
                steps.push(format!("{} {what}.", verb_of(seat, person, "get")));
            }
            if now < pioneers && !is_paid {
                let what = count(pioneers - now, "pioneer");
                steps.push(format!("{} {what} for good.", verb_of(seat, person, "settle")));
            }
        }
        if is_cleanup {
            for seat in self.all_seats() {
                let income = self.income_of(before, after, seat);
                if !income.is_empty() {
                    steps.push(format!("{} {income}.", verb_of(seat, person, "receive")));
                }
            }
        }
        if is_new_round {
            steps.push(format!(
                "Round {} begins with {}.",
                after.round(),
                match after.pawn_holder() {
                    seat if Some(seat) == person => "you".to_owned(),
                    seat => player(seat),
                }
            ));
        }
        if after.is_end_triggered() && !before.is_end_triggered() {
            let reason = self.all_seats().find_map(|seat| {
                let tiles = after.tiles(seat).iter().count();
                let what = match () {
                    () if after.tokens(seat) >= self.bonus_spots => {
                        count(after.tokens(seat), "bonus token")
                    }
                    () if tiles >= SPOTS => count(tiles as u32, "tile"),
                    () => return None,
                };
                Some(if Some(seat) == person {
                    format!(": you have {what}")
                } else {
                    format!(": {} has {what}", player(seat))
                })
            });
            steps.push(format!("This round is the last{}.", reason.unwrap_or_default()));
        }
        steps
    }

    /// Returns the resources that a seat with income has more after an event, in words. The last
    /// decision of a round can bring resources of its own, of which no more count than the income.
    fn income_of(&self, before: &State, after: &State, seat: Seat) -> String {
        let income = after
            .tiles(seat)
            .iter()
            .fold(Income::default(), |sum, kind| sum.plus(self.income(kind)));
        let gained = Resource::PRODUCED.into_iter().filter_map(|resource| {
            let [now, then] = [after, before].map(|state| state.bag(seat).get(resource));
            let gained = now.saturating_sub(then).min(income.get(resource));
            (gained > 0).then(|| format!("{gained} {}", resource.name()))
        });
        gained.collect::<Vec<_>>().join(" and ")
    }
}
