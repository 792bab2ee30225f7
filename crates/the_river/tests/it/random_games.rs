//! Random games of The River, followed by the reference model.

use std::rc::Rc;

use watershed_engine::game::{Game, Seat};
use watershed_the_river::{
    TheRiver,
    components::{Bag, Resource, TileKind, TileRow},
    state::State,
};

use super::{
    reference::{Amounts, ModelData, RiverModel, Step},
    variants,
};
use crate::rules::conformance::{
    Decider, ModelOutcome, ReferenceGame, Situations, assert_same, compare_rare_situations,
    highest_totals, model_methods, play_and_compare, reference_tests,
};

const SITUATIONS: &str = "\
    reshuffle, fewer tiles than places, no tiles at all, fewer buildings than places, pass, pass \
    with a trade at hand, food:wood, own pawn taken, trade-in of 1, trade-in of 2, trade-in of 3, \
    trade-in of 4, trade-in of 7, pay:-, payment of 6, payment with a discount, second token with \
    the last pioneer, no token left, no bonus spot left, swap with too much to store, skip, last \
    swap of an effect, overflow in the draft, overflow in a round, overflow of income, overflow \
    with more income to come, a choice of what to return, clay returned after clay, end by the \
    round limit, end without pioneers, end by bonus tokens, end by twelve tiles, shared win";

reference_tests!(RiverModel, 30, 150, 30, &[]);

/// Compares everything that a seat has.
fn compare_seat(
    model: &RiverModel,
    game: &TheRiver,
    state: &State,
    seat: Seat,
    context: &dyn Fn() -> String,
) {
    let (own, data) = (&model.seats[seat.index()], &model.data);
    assert_same!(amounts(state.bag(seat)), own.held, context);
    assert_same!(tile_names(data, state.tiles(seat)), own.tiles, context);
    assert_same!(card_names(game, state.built_buildings(seat)), sorted(&own.built), context);
    assert_same!(card_names(game, state.reserved_buildings(seat)), sorted(&own.reserved), context);
    let numbers = [
        state.tokens(seat),
        state.token_points(seat),
        state.boat_pioneers(seat),
        state.pioneers(seat),
        state.claims(seat),
    ];
    let points = own.start_points + own.tokens.iter().sum::<usize>();
    let expected = [own.tokens.len(), points, own.boat, own.pioneers, own.claims];
    assert_same!(numbers.map(|number| number as usize), expected, context);
}

impl ReferenceGame for RiverModel {
    type Game = TheRiver;
    type Data = ModelData;
    const SITUATIONS: &'static str = SITUATIONS;

    model_methods!(self, self, ModelData);

    fn begin(game: &TheRiver, data: &Rc<ModelData>) -> Self {
        Self::new(data, game.seats())
    }

    fn apply(&mut self, event: &str) {
        self.apply(event);
    }

    fn outcome(&self) -> ModelOutcome {
        let breakdowns: Vec<_> = (0..self.seats.len()).map(|seat| self.breakdown(seat)).collect();
        ModelOutcome {
            winners: highest_totals(&breakdowns),
            breakdowns,
            rounds: self.round,
            hit_round_limit: self.capped(),
        }
    }

    /// The model counts all components, so that none can disappear.
    fn compare_position(&self, game: &TheRiver, state: &State, context: &dyn Fn() -> String) {
        let (model, data) = (self, &self.data);
        let in_setup = model.seats.len() < game.seats();
        assert_same!(amounts(game.supply(state)), model.supply, context);
        assert_same!(state.round() as usize, model.round, context);
        assert_same!(tile_names(data, state.face_up_tiles()), model.face_up, context);
        assert_same!(
            card_names(game, state.face_up_buildings()),
            sorted(&model.cards_face_up),
            context
        );
        for seat in (0..model.seats.len()).map(Seat::new) {
            compare_seat(model, game, state, seat, context);
        }
        for (index, stocked) in stock(game).into_iter().enumerate() {
            let held: usize = model.seats.iter().map(|seat| seat.held[index]).sum();
            assert_same!(model.supply[index] + held, stocked, context);
        }
        for (index, tile) in data.tiles.iter().enumerate() {
            let count = |names: &[String]| names.iter().filter(|name| **name == tile.id).count();
            let on_boards: usize = model.seats.iter().map(|seat| count(&seat.tiles)).sum();
            let (unseen, discarded) = (count(&model.unseen), count(&model.discarded));
            assert_same!(
                on_boards + count(&model.face_up) + unseen + discarded + count(&model.removed),
                tile.copies,
                context
            );
            let kind = TileKind(index as u8 + 1);
            let piles =
                [game.unseen_tiles(state, kind), game.discarded_tiles(state)[usize::from(kind.0)]];
            assert_same!(piles.map(|count| count as usize), [unseen, discarded], context);
        }
        let cards: usize =
            model.seats.iter().map(|seat| seat.built.len() + seat.reserved.len()).sum();
        assert_same!(
            cards + model.cards_face_up.len() + model.cards_unseen.len(),
            game.data().building.len(),
            context
        );
        let tokens: usize = model.seats.iter().map(|seat| seat.tokens.len()).sum();
        assert_same!(
            tokens + model.tokens_left.len(),
            game.data().setup(game.seats()).unwrap().bonus_tokens.len(),
            context
        );
        assert!(in_setup || model.pawn == state.pawn_holder().index(), "{}", context());
    }

    fn note_event(&self, event: &str, situations: &mut Situations) {
        let model = self;
        let mut note = |situation, holds| situations.note(situation, holds);
        note("reshuffle", event == "reshuffle");
        match &model.step {
            Step::Turn(seat) => {
                let begins = model.seats.iter().all(|seat| seat.boat == seat.pioneers);
                let missing_tiles = model.setup("face_up_tiles") - model.face_up.len();
                note("fewer tiles than places", begins && missing_tiles > 0);
                note("no tiles at all", begins && model.face_up.is_empty());
                note(
                    "fewer buildings than places",
                    begins && model.cards_face_up.len() < model.setup("face_up_buildings"),
                );
                note("pass", event == "pass");
                note("pass with a trade at hand", event == "pass" && model.legal().len() > 1);
                note("food:wood", event == "food:wood");
                note("own pawn taken", event == "first" && model.pawn == *seat);
                let traded = event
                    .strip_prefix("trade:")
                    .map(|paid| paid.chars().filter_map(|letter| letter.to_digit(10)).sum::<u32>());
                note("trade-in of 1", traded == Some(1));
                note("trade-in of 2", traded == Some(2));
                note("trade-in of 3", traded == Some(3));
                note("trade-in of 4", traded == Some(4));
                note("trade-in of 7", traded == Some(7));
            }
            Step::Pay(seat, building) => {
                let own = &model.seats[*seat];
                let has_spot = own.tokens.len() < model.setup("bonus_spots");
                note("pay:-", event == "pay:-");
                note("payment of 6", event.contains('6'));
                note("payment with a discount", own.reserved.contains(building));
                note(
                    "second token with the last pioneer",
                    own.boat == 0 && own.tokens.len() == 1 && !model.tokens_left.is_empty(),
                );
                note("no token left", has_spot && model.tokens_left.is_empty());
                note("no bonus spot left", !has_spot);
            }
            Step::Swaps(seat, left) => {
                note("swap with too much to store", model.overflow(*seat) > 0);
                note("skip", event == "skip");
                note("last swap of an effect", event != "skip" && *left == 1);
            }
            Step::Discard { seat, first, income } => {
                note("overflow in the draft", model.round == 0);
                note("overflow in a round", model.round > 0 && !income);
                note("overflow of income", *income);
                note(
                    "overflow with more income to come",
                    *income && model.incomes.iter().any(|(receiver, ..)| receiver == seat),
                );
                note("a choice of what to return", model.legal().len() > 1);
                note("clay returned after clay", *first == 1 && event == "discard:clay");
            }
            _ => {}
        }
    }

    fn note_end(&self, situations: &mut Situations) {
        let model = self;
        let mut note = |situation, holds| situations.note(situation, holds);
        note("end by the round limit", model.capped());
        note(
            "end without pioneers",
            model.no_pioneers() && !model.capped() && !model.end_triggered(),
        );
        note(
            "end by bonus tokens",
            model.seats.iter().any(|seat| seat.tokens.len() == model.setup("bonus_spots")),
        );
        note("end by twelve tiles", model.seats.iter().any(|seat| seat.tiles.len() == 12));
        note("shared win", model.outcome().winners.len() > 1);
    }
}

/// Returns the stock of the resources.
fn stock(game: &TheRiver) -> Amounts {
    let stock = &game.data().setup(game.seats()).unwrap().stock;
    [stock.wood.get(), stock.clay.get(), stock.stone.get(), stock.food.get()]
        .map(|amount| amount as usize)
}

fn tile_names(data: &ModelData, tiles: TileRow) -> Vec<String> {
    tiles.iter().map(|kind| data.tiles[usize::from(kind.0) - 1].id.clone()).collect()
}

/// Returns the names of a set of buildings, sorted.
fn card_names(game: &TheRiver, set: u64) -> Vec<String> {
    let cards = game.data().building.iter().enumerate();
    let cards = cards.filter(|&(index, _)| set >> index & 1 == 1);
    let mut names: Vec<_> = cards.map(|(_, card)| card.id.as_str().to_owned()).collect();
    names.sort();
    names
}

fn amounts(bag: Bag) -> Amounts {
    Resource::ALL.map(|resource| bag.get(resource) as usize)
}

fn sorted(names: &[String]) -> Vec<String> {
    let mut names = names.to_vec();
    names.sort();
    names
}
