//! Random games of We All Take from the River, followed by the reference model.

use std::rc::Rc;

use watershed_common_river::{
    CommonRiver,
    action::{Action, Actions},
    state::State,
};
use watershed_engine::{
    game::{ActionSet, Game, Notation, Seat},
    rng::{Rng, random_below},
    search::playout::{Policy, Uniform},
};

use super::{
    expected_words::expected_words,
    reference::{CommonRiverModel, ModelData, Status, Step, Turn as ModelTurn, row_of},
    variants,
};
use crate::rules::conformance::{
    Decider, ModelOutcome, ReferenceGame, Situations, assert_same, compare_rare_situations,
    model_methods, play_and_compare, reference_tests,
};

const SITUATIONS: &str = "\
    solo, competitive, coop, roles, win of one, win of several, win of all in coop, win of nobody, \
    death of the river, charity for charity, Storm, carry, negative water, Storm on the last day, \
    almanac that shrinks, tile that floods, tile that erodes and floods, City's tile that floods, \
    pollution on land, pollution loose at night, loose pollution that passes an empty slot, City \
    that pollutes a dry row, canal that feeds a farm, net in a Storm, two nets on a line, net that \
    collects pollution, choice of a structure, structure used with privilege, privileged structure \
    before the camp, sole structure that stops at once, done with structures left, harvest of \
    loose tokens, harvest on a protected tile, harvest of pollution on land, dredge, second take, \
    enough, take from a half tile, take across a bridge, plant on land, plant of a fish, second \
    build, net on the line above, last piece built, canal dug by an excavator, removal of a \
    bridge, removal of a stick, camp that jumps over a tile, camp that crosses a bridge, ferry of \
    a camp, ferry of a closed excavator, move off a flooded tile, sale of pollution, unfinished \
    bundle, second sale before the last day, policy revoked, City proposed, policy that failed \
    before, vote turned by a bid, seat asked again after it settled, vote lost in spite of bids, \
    salvage of a net, salvage of a mill, salvage of a canal, City completed, purchase, offer \
    refused, gift, second round of offers";

reference_tests!(FloodedModel, 3, 80, 6, &[&Busy]);

/// A policy that ends turns and passes less often than a uniform one, so that structures are built
/// and tokens traded.
struct Busy;

impl Policy<CommonRiver> for Busy {
    fn choose(
        &self,
        game: &CommonRiver,
        state: &State,
        seat: Seat,
        legal: &Actions,
        rng: &mut Rng,
    ) -> Action {
        let mut busy = *legal;
        for closing in [Action::Done, Action::Stop, Action::Pass, Action::Settle, Action::Enough] {
            if random_below(rng, 6) > 0 {
                busy.remove(closing);
            }
        }
        Uniform.choose(game, state, seat, if busy.is_empty() { legal } else { &busy }, rng)
    }
}

/// The reference model and the number of tiles that were flooded before the last event.
struct FloodedModel {
    model: CommonRiverModel,
    flooded_before: usize,
}

impl ReferenceGame for FloodedModel {
    type Game = CommonRiver;
    type Data = ModelData;
    const SITUATIONS: &'static str = SITUATIONS;

    model_methods!(self, self.model, ModelData);

    fn begin(game: &CommonRiver, data: &Rc<ModelData>) -> Self {
        Self { model: CommonRiverModel::new(data, game.seats()), flooded_before: 0 }
    }

    fn apply(&mut self, event: &str) {
        self.flooded_before = self.model.flooded.len();
        self.model.apply(event);
    }

    fn outcome(&self) -> ModelOutcome {
        let seats = 0..self.model.seats.len();
        ModelOutcome {
            breakdowns: seats.map(|seat| self.model.breakdown(seat)).collect(),
            winners: self.model.winners(),
            rounds: usize::try_from(self.model.day).unwrap(),
            hit_round_limit: false,
        }
    }

    /// Compares by the notation of positions, and checks that no token disappears.
    fn compare_position(&self, game: &CommonRiver, state: &State, context: &dyn Fn() -> String) {
        let text = game.position_text(state);
        let words = text.split(' ').skip(1).filter_map(|word| word.split_once(':'));
        let mut found: Vec<(&str, String)> =
            words.map(|(key, value)| (key, value.to_owned())).collect();
        let expected = expected_words(&self.model);
        found.retain(|(key, _)| expected.iter().any(|(other, _)| other == key));
        assert_same!(found, expected, context);
        assert!(
            self.model.all_tokens().values().all(|&sum| sum == 0),
            "{:?}\n{}",
            self.model.all_tokens(),
            context()
        );
    }

    fn note_event(&self, event: &str, situations: &mut Situations) {
        let model = &self.model;
        let mut note = |situation, holds| situations.note(situation, holds);
        let (verb, object) = event.split_once(':').unwrap_or((event, ""));
        match model.step().unwrap() {
            Step::Die => note_die(model, &mut note),
            Step::Nets(slots) => {
                note("net in a Storm", model.is_storm());
                note("two nets on a line", slots.len() == 2);
                note("net that collects pollution", object == "pollution");
            }
            Step::Group(seat, place, _, privileged) => {
                note("choice of a structure", true);
                note("done with structures left", verb == "done");
                let elsewhere = verb == "use" && object.split('@').nth(1) != Some(place);
                note("structure used with privilege", elsewhere && *privileged == Some(true));
                note(
                    "privileged structure before the camp",
                    elsewhere && model.camp(*seat) == *place,
                );
            }
            Step::Turn(turn) => {
                note_turn(model, turn, event, &mut note);
                note_movement(model, turn, event, &mut note);
                note_take(model, &turn.place, verb, object, &mut note);
            }
            Step::Take(..) => {
                note("second take", verb == "take");
                note("enough", verb == "enough");
            }
            Step::Sell(seat, sold, _) => note_sale(model, *seat, *sold, event, &mut note),
            Step::Policies(..) => {
                note("policy revoked", object.starts_with("un"));
                note("City proposed", object == "city");
                note("policy that failed before", verb == "propose" && !model.failed.is_empty());
            }
            Step::Bid(bid) => {
                let turned = verb == "bid"
                    && (bid.yes - bid.no == 0 && !bid.passes() || bid.yes - bid.no == 1);
                note("vote turned by a bid", turned && !bid.settled.is_empty());
                let bids = bid.yes + bid.no > model.players as i64;
                note(
                    "seat asked again after it settled",
                    verb == "settle" && bids && bid.settled.is_empty() && bid.sides.len() > 2,
                );
                note("vote lost in spite of bids", verb == "settle" && bids);
            }
            Step::Salvage(..) => {
                note("salvage of a net", object.starts_with("net"));
                note("salvage of a mill", object.starts_with("mill"));
                note("salvage of a canal", object.starts_with("canal"));
            }
            Step::Site(..) => note_contribution(model, verb, &mut note),
            Step::Buy(..) => note("purchase", verb == "buy"),
            Step::Answer(_, _, given, got) => {
                note("offer refused", verb == "refuse");
                note("gift", verb == "accept" && (got.is_empty() || given.is_empty()));
            }
            Step::Offers(..) => {
                let round = model.agenda.iter().rev().find_map(|step| {
                    if let Step::Round(round, _) = step { Some(*round) } else { None }
                });
                note("second round of offers", round == Some(2));
            }
            _ => {}
        }
    }

    fn note_position(&self, situations: &mut Situations) {
        let model = &self.model;
        let flooded_before = self.flooded_before;
        let mut note = |situation, holds| situations.note(situation, holds);
        note("negative water", model.water < 0);
        note("tile that floods", model.flooded.len() > flooded_before);
        note(
            "tile that erodes and floods",
            model.eroded.intersection(&model.flooded).next().is_some(),
        );
        note(
            "City's tile that floods",
            model
                .city
                .as_ref()
                .is_some_and(|city| city.complete && model.flooded.contains(&city.tile)),
        );
        let land = model.slots.iter().filter(|(tile, _)| tile.starts_with(['L', 'R']));
        note(
            "pollution on land",
            land.flat_map(|(_, slots)| slots)
                .any(|slot| slot.holds.as_deref() == Some("pollution")),
        );
        let feeds = |seat: &super::reference::ModelSeat| {
            seat.pieces
                .iter()
                .any(|piece| piece.kind == "farm" && seat.count("canal", &piece.place) > 0)
        };
        note("canal that feeds a farm", model.water >= 0 && model.seats.iter().any(feeds));
    }

    fn note_end(&self, situations: &mut Situations) {
        let model = &self.model;
        let mut note = |situation, holds| situations.note(situation, holds);
        for mode in ["solo", "competitive", "coop", "roles"] {
            note(mode, model.mode == mode);
        }
        let winners = model.winners();
        note("win of one", winners.len() == 1);
        note("win of several", winners.len() > 1 && model.mode == "roles");
        note("win of all in coop", winners.len() == 2 && model.mode == "coop");
        note("win of nobody", winners.is_empty());
        note("death of the river", model.died);
        note("loose pollution that passes an empty slot", model.slots_passed_by_pollution > 0);
        note("City that pollutes a dry row", model.dry_rows_polluted > 0);
        // A seat whose only completed objective is charity counts for the charity of another seat.
        let completed = model.completed();
        let only_charity = |seat: usize| {
            let own = model.objectives(seat);
            let mut done = own.iter().filter(|objective| completed[seat].contains(*objective));
            done.next().is_some_and(|objective| objective == "charity") && done.next().is_none()
        };
        let charities = (0..model.players).filter(|&seat| {
            completed[seat].contains("charity")
                && model.objectives(seat).contains(&"charity".to_owned())
        });
        note(
            "charity for charity",
            model.players > 1 && charities.count() > 1 && (0..model.players).any(only_charity),
        );
    }
}

/// Notes the weather of a day.
fn note_die(model: &CommonRiverModel, note: &mut impl FnMut(&'static str, bool)) {
    note("Storm", model.is_storm());
    note("carry", model.carry != 0);
    note("almanac that shrinks", (model.almanac.len() as i64) < model.data.rule("almanac"));
    note("Storm on the last day", model.is_storm() && model.day >= model.data.rule("days"));
    note(
        "pollution loose at night",
        model.loose.values().any(|loose| loose.get("pollution").is_some_and(|&count| count > 0)),
    );
}

/// Notes what a structure harvests, plants, builds or removes.
fn note_turn(
    model: &CommonRiverModel,
    turn: &ModelTurn,
    event: &str,
    note: &mut impl FnMut(&'static str, bool),
) {
    let (verb, object) = event.split_once(':').unwrap_or((event, ""));
    let began = turn.harvested || turn.built || turn.building.is_some();
    let seat = &model.seats[turn.seat];
    let on_river = turn.place.starts_with('W');
    note("sole structure that stops at once", verb == "stop" && !began);
    let loose = |token: &str| {
        model.loose[&format!("W{}", model.row)].get(token).is_some_and(|&count| count > 0)
    };
    note("harvest of loose tokens", verb == "harvest" && on_river && loose(object));
    note("harvest on a protected tile", verb == "harvest" && model.protected.contains(&turn.place));
    note("harvest of pollution on land", event == "harvest:pollution" && !on_river);
    note("dredge", verb == "dredge");
    note("plant on land", verb == "plant" && !on_river);
    note("plant of a fish", event == "plant:fish");
    note("second build", verb == "build" && turn.building.is_some());
    note("net on the line above", object.starts_with("net@") && row_of(&object[4..]) < model.row);
    let built = seat.pieces.iter().filter(|piece| piece.kind == object).count() as i64;
    let owned = ["boat", "excavator", "mill", "farm"].contains(&object) && verb == "build";
    note("last piece built", owned && built + 1 == model.data.pieces(object));
    note("canal dug by an excavator", event == "build:canal" && turn.kind == "excavator");
    note("removal of a bridge", event.starts_with("remove:bridge"));
    note("removal of a stick", verb == "remove" && !object.starts_with("bridge"));
}

/// Notes how a structure moves, or is moved by a ferry.
fn note_movement(
    model: &CommonRiverModel,
    turn: &ModelTurn,
    event: &str,
    note: &mut impl FnMut(&'static str, bool),
) {
    let (verb, object) = event.split_once(':').unwrap_or((event, ""));
    let seat = &model.seats[turn.seat];
    let camp_moves = verb == "move" && turn.kind == "camp";
    note(
        "camp that jumps over a tile",
        camp_moves && row_of(&turn.place).abs_diff(row_of(object)) > 1,
    );
    note("camp that crosses a bridge", camp_moves && row_of(&turn.place) == row_of(object));
    note("ferry of a camp", event.starts_with("ferry:camp"));
    let closed = seat.pieces.iter().any(|piece| {
        piece.kind == "excavator"
            && piece.status == Status::Closed
            && object.ends_with(&piece.place)
    });
    note("ferry of a closed excavator", event.starts_with("ferry:excavator") && closed);
    note("move off a flooded tile", verb == "move" && model.flooded.contains(&turn.place));
}

/// Notes a sale, after tokens of an unfinished bundle were `sold`.
fn note_sale(
    model: &CommonRiverModel,
    seat: usize,
    sold: i64,
    event: &str,
    note: &mut impl FnMut(&'static str, bool),
) {
    let (verb, object) = event.split_once(':').unwrap_or((event, ""));
    note("sale of pollution", object == "pollution");
    let left: i64 =
        ["fish", "gravel", "tree"].iter().map(|token| model.seats[seat].has(token)).sum();
    let second = !model.agenda.iter().any(|step| matches!(step, Step::Policies(..)));
    note("second sale before the last day", verb == "sell" && second && !model.is_last_day());
    note("unfinished bundle", verb == "done" && sold == 0 && left > 0);
}

/// Notes a token for the site of the City.
fn note_contribution(
    model: &CommonRiverModel,
    verb: &str,
    note: &mut impl FnMut(&'static str, bool),
) {
    let city = model.city.as_ref().unwrap();
    let cost: i64 = model.data.city_cost().iter().map(|(_, count)| count).sum();
    note("City completed", verb == "city" && city.tokens.values().sum::<i64>() + 1 == cost);
}

fn note_take(
    model: &CommonRiverModel,
    place: &str,
    verb: &str,
    object: &str,
    note: &mut impl FnMut(&'static str, bool),
) {
    let is_half = verb == "take" && model.half_row(object).is_some();
    note("take from a half tile", is_half);
    note("take across a bridge", verb == "take" && !is_half && place[..1] != object[..1]);
}
