//! Examples of the rulebooks, and rules of The River that are easy to get wrong, in one small
//! position each.

use watershed::{
    config::Document,
    game::{ActionSet, Game, Notation, Seat, Turn},
    games::{
        GameDefinition,
        the_river::{
            TheRiver,
            components::{Resource, TileKind},
            state::State,
        },
    },
};

use super::variants::altered;

/// Simple components: every board has 3 warehouses until spot 5 is covered.
const COMPONENTS: &str = r#"
rules = { claim_tile_per_player = 2, reserve_hand_limit = 2, reserve_discount = 1, trade_in = 3, per_resources = 3, max_rounds = 9 }
spots = { build = 0, food = 0, swap = 0, first_player = 1 }
[setup.each]
face_up_tiles = 3
face_up_buildings = 2
stock = { wood = 13, clay = 13, stone = 13, food = 5 }
first_pioneer_bonus = 1
production_spots = 2
reserve_spots = 2
bonus_spots = 5
bonus_tokens = [4, 3, 0, 0]
[river]
path = [[1,1],[1,2],[1,3],[1,4],[2,4],[2,3],[2,2],[2,1],[3,1],[3,2],[3,3],[3,4]]
framed = [4, 12]
[[board]]
id = "a"
storage = { 5 = 1, 8 = 1, 11 = 1 }
[[board]]
id = "b"
storage = { 5 = 1, 8 = 1, 11 = 1 }
[[board]]
id = "c"
storage = { 5 = 1, 8 = 1, 11 = 1 }
[[board]]
id = "d"
storage = { 5 = 1, 8 = 1, 11 = 1 }
[[tile]]
id = "desert"
terrain = ["desert"]
copies = 12
storage = 2
[[tile]]
id = "clay2"
terrain = ["badlands"]
copies = 6
production = { clay = 2 }
[[tile]]
id = "clay_store"
terrain = ["badlands"]
copies = 4
production = { clay = 1 }
storage = 1
[[tile]]
id = "forest"
terrain = ["forest"]
copies = 6
[[tile]]
id = "mountain"
terrain = ["mountain"]
copies = 6
[[tile]]
id = "mixed"
terrain = ["forest", "mountain"]
copies = 2
[[tile]]
id = "per_clay"
terrain = ["meadow"]
copies = 1
production = { clay = 1 }
effect = { kind = "points_per_production", resource = "clay", points = 1, cap = 3 }
[[tile]]
id = "income"
terrain = ["meadow"]
copies = 2
effect = { kind = "income", resource = "wood", amount = 1, points = 2 }
[[tile]]
id = "take"
terrain = ["meadow"]
copies = 1
effect = { kind = "take", resource = "wood", amount = 4 }
[[tile]]
id = "swap"
terrain = ["meadow"]
copies = 2
effect = { kind = "swap", times = 2 }
[[tile]]
id = "plain"
terrain = ["meadow"]
copies = 4
[[building]]
id = "w2"
cost = { wood = 2 }
points = 9
[[building]]
id = "w1c1"
cost = { wood = 1, clay = 1 }
points = 8
[[building]]
id = "s1"
cost = { stone = 1 }
points = 6
[[building]]
id = "s6"
cost = { stone = 6 }
points = 1
"#;

fn table(players: usize) -> TheRiver {
    table_with(players, "", "")
}

/// Returns the same game with one part of the components replaced.
fn table_with(players: usize, from: &str, to: &str) -> TheRiver {
    let components = COMPONENTS.replacen(from, to, 1);
    TheRiver::bind(&Document::embedded("examples", &altered(&components)), players).unwrap()
}

/// The words of a position: the shared ones, then those of each seat.
struct Parts(Vec<Vec<(String, String)>>);

impl Parts {
    fn value(&self, part: usize, key: &str) -> &str {
        &self.0[part].iter().find(|(other, _)| other == key).unwrap().1
    }

    /// Sets a word; `?` is a value to be completed.
    fn set(&mut self, part: usize, key: &str, value: String) {
        self.0[part].iter_mut().find(|(other, _)| other == key).unwrap().1 = value;
    }

    fn complete(&mut self, part: usize, key: &str, value: String) {
        if self.value(part, key) == "?" {
            self.set(part, key, value);
        }
    }

    fn number(&self, part: usize, key: &str) -> u32 {
        self.value(part, key).parse().unwrap()
    }

    fn entries(&self, part: usize, key: &str) -> Vec<String> {
        let value = self.value(part, key);
        if ["-", "?"].contains(&value) {
            Vec::new()
        } else {
            value.split(',').map(str::to_owned).collect()
        }
    }

    /// Completes a position: the pioneers that the tiles of a seat leave, minus those of the
    /// decision under way, and full rows.
    fn complete_all(&mut self, game: &TheRiver) {
        let phase = self.value(0, "phase").to_owned();
        let is_over = phase == "over";
        let is_cleanup = ["tiles", "buildings"].contains(&phase.as_str());
        let framed_spots = |tiles: u32| {
            game.data().river.framed.iter().filter(|spot| spot.index() < tiles as usize).count()
                as u32
        };
        let start = game.data().rules.start_pioneers.get();
        let mut claims = 0;
        for part in 1..self.0.len() {
            let tiles = self.entries(part, "spots").len() as u32;
            let own_claims = self.number(part, "claims");
            claims += own_claims as usize;
            let framed = framed_spots(tiles) - framed_spots(tiles.saturating_sub(own_claims));
            let extra = u32::from(self.number(part, "tokens") >= 2);
            let pioneers = (start + extra + framed).saturating_sub(framed_spots(tiles));
            let acting = part == 1 && !["place", "over"].contains(&phase.as_str());
            let spent = if is_over {
                0
            } else if is_cleanup {
                pioneers
            } else {
                own_claims.max(acting.into())
            };
            self.complete(part, "framed", framed.to_string());
            self.complete(part, "pioneers", pioneers.to_string());
            self.complete(part, "boat", pioneers.saturating_sub(spent).to_string());
        }
        if phase == "tiles" {
            self.complete(0, "tiles", "-".to_owned());
        } else {
            let mut tiles = self.entries(0, "tiles");
            tiles.resize(tiles.len().max(3_usize.saturating_sub(claims)), "mountain".to_owned());
            self.set(0, "tiles", list(&tiles));
        }
        let mut buildings = self.entries(0, "buildings");
        let taken: Vec<_> = (1..self.0.len())
            .flat_map(|part| ["built", "reserved"].map(|key| self.entries(part, key)))
            .flatten()
            .collect();
        for other in ["s6", "s1", "w1c1", "w2"].map(str::to_owned) {
            if buildings.len() < 2 && !buildings.contains(&other) && !taken.contains(&other) {
                buildings.push(other);
            }
        }
        self.set(0, "buildings", list(&buildings));
    }
}

fn list(entries: &[String]) -> String {
    if entries.is_empty() { "-".to_owned() } else { entries.join(",") }
}

/// Returns a position of round 6 in which seat 0 decides, with these words replaced; `2.held:w1` is
/// a word of seat 2.
fn position_text(game: &TheRiver, changes: &[&str]) -> String {
    let shared = "phase:place round:6 turn:0 pawn:0 end:0 cursor:0 returning:wood places:- tiles:? \
        discarded:- removed:mountain buildings:?";
    let seat = "spots:plain held:- tokens:0 token_points:0 boat:? pioneers:? claims:0 framed:? \
        built:- reserved:-";
    let words = |text: &str| {
        text.split(' ')
            .map(|word| word.split_once(':').unwrap())
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect()
    };
    let mut parts = Parts(vec![words(shared)]);
    parts.0.extend(
        (0..game.seats()).map(|index| {
            words(&format!("seat:{index} board:{} {seat}", ["a", "b", "c", "d"][index]))
        }),
    );
    for change in changes {
        let (part, change) = match change.split_once('.') {
            Some((seat, change)) => (1 + seat.parse::<usize>().unwrap(), change),
            None => (0, *change),
        };
        let (key, value) = change.split_once(':').unwrap();
        parts.set(part, key, value.to_owned());
    }
    parts.complete_all(game);
    let words = parts.0.iter().flatten().map(|(key, value)| format!(" {key}:{value}"));
    format!("the_river/{}{}", game.seats(), words.collect::<String>())
}

fn position(game: &TheRiver, changes: &[&str]) -> State {
    game.parse_position(&position_text(game, changes)).unwrap()
}

/// Applies events and checks that each is legal.
fn follow(game: &TheRiver, state: &mut State, events: &[&str]) {
    for event in events {
        let possible = match game.turn(state) {
            Turn::Chance(_) => outcomes(game, state),
            _ => legal(game, state),
        };
        assert!(possible.iter().any(|text| text == event), "{event} is not among {possible:?}");
        game.apply(state, game.parse_action(event).unwrap());
    }
}

fn legal(game: &TheRiver, state: &State) -> Vec<String> {
    let mut texts: Vec<_> =
        game.legal_actions(state).iter().map(|action| game.action_text(action)).collect();
    texts.sort();
    texts
}

/// Returns the legal actions with this prefix.
fn legal_of(game: &TheRiver, state: &State, beginning: &str) -> Vec<String> {
    legal(game, state).into_iter().filter(|text| text.starts_with(beginning)).collect()
}

fn outcomes(game: &TheRiver, state: &State) -> Vec<String> {
    game.chance_outcomes(state).iter().map(|&(action, _)| game.action_text(action)).collect()
}

fn decides(seat: usize) -> Turn {
    Turn::Seat(Seat::new(seat))
}

/// Returns the wood, clay, stone and food of a seat.
fn held(state: &State, seat: usize) -> [u32; 4] {
    Resource::ALL.map(|resource| state.bag(Seat::new(seat)).get(resource))
}

// §9: the rulebooks' examples.

#[test]
fn the_scoring_example_totals_45_with_both_readings_of_its_picture() {
    let game = table(2);
    let rest = ["phase:over", "round:9", "0.tokens:3", "0.token_points:7", "0.built:w2,w1c1,s1"];
    let third_column =
        "0.spots:desert,income,clay2,forest,mixed,clay_store,desert,desert,desert,per_clay";
    let state = position(&game, &[&rest[..], &[third_column]].concat());
    let expected = [
        ("tokens", 7),
        ("buildings", 23),
        ("resources", 0),
        ("columns", 6 + 2 + 2),
        ("meadows", 2 + 3),
    ];
    assert_eq!(game.score_breakdown(&state, Seat::new(0)), expected);
    assert_eq!(game.outcome(&state).scores[0], 45);

    let six_resources = [
        "0.spots:desert,income,clay2,forest,take,clay_store,desert,desert,desert,per_clay",
        "0.held:w3f3",
    ];
    let state = position(&game, &[&rest[..], &six_resources].concat());
    let expected = [
        ("tokens", 7),
        ("buildings", 23),
        ("resources", 2),
        ("columns", 6 + 2),
        ("meadows", 2 + 3),
    ];
    assert_eq!(game.score_breakdown(&state, Seat::new(0)), expected);
    assert_eq!(game.outcome(&state).scores[0], 45);
}

#[test]
fn the_first_pioneer_on_an_island_with_three_symbols_produces_four() {
    let game = table(4);
    let three_symbols = ["0.spots:clay2,clay_store"];
    let mut state = position(&game, &three_symbols);
    follow(&game, &mut state, &["produce:clay"]);
    assert_eq!((held(&state, 0), game.turn(&state)), ([0, 4, 0, 0], decides(1)));

    let one_stone = [three_symbols[0], "0.held:s1"];
    for (returned, kept) in [("discard:clay", [0, 3, 1, 0]), ("discard:stone", [0, 4, 0, 0])] {
        let mut state = position(&game, &one_stone);
        follow(&game, &mut state, &["produce:clay", returned]);
        assert_eq!((held(&state, 0), game.turn(&state)), (kept, decides(1)));
    }
}

// §2 Setup.

#[test]
fn the_draft_runs_counterclockwise_and_ends_with_the_first_player() {
    let game = table(3);
    let mut state = game.initial();
    follow(&game, &mut state, &["first:1", "board:d", "board:b", "board:a"]);
    follow(
        &game,
        &mut state,
        &["tile:desert", "tile:desert", "tile:take", "tile:swap", "building:w2", "building:s1"],
    );
    assert_eq!(
        (game.turn(&state), legal(&game, &state)),
        (decides(0), vec!["claim:desert".into(), "claim:swap".into(), "claim:take".into()])
    );
    // With one tile on the board a swap effect has no choice.
    follow(&game, &mut state, &["claim:swap"]);
    assert_eq!(game.turn(&state), decides(2));
    // The effect precedes the return: 4 wood, 3 warehouses.
    follow(&game, &mut state, &["claim:take"]);
    assert_eq!(
        (game.turn(&state), legal(&game, &state)),
        (decides(2), vec!["discard:wood".to_owned()])
    );
    follow(&game, &mut state, &["discard:wood"]);
    assert_eq!(game.turn(&state), decides(1));
    follow(&game, &mut state, &["claim:desert"]);
    assert_eq!((state.removed_tile(), state.face_up_tiles().len()), (TileKind(1), 0));
    follow(&game, &mut state, &["tile:clay2", "tile:clay2", "tile:forest"]);
    assert_eq!((state.round(), game.turn(&state), state.claims(Seat::new(1))), (1, decides(1), 0));
}

#[test]
fn the_tile_left_over_from_the_draft_never_returns() {
    let game = table(2);
    let all_but_take = "discarded:desert*12,clay2*6,clay_store*4,forest*6,mountain*6,mixed*2,per_clay,income*2,swap*2,plain*2";
    let mut state = position(&game, &["phase:tiles", "removed:take", all_but_take]);
    follow(&game, &mut state, &["reshuffle"]);
    let kinds = [
        "desert",
        "clay2",
        "clay_store",
        "forest",
        "mountain",
        "mixed",
        "per_clay",
        "income",
        "swap",
        "plain",
    ];
    assert_eq!(outcomes(&game, &state), kinds.map(|kind| format!("tile:{kind}")));
}

// §3 A turn.

#[test]
fn a_trade_keeps_the_turn_and_never_takes_food() {
    let game = table(2);
    let mut state = position(&game, &["0.spots:desert,desert,desert", "0.held:w2c1s1f2"]);
    assert_eq!(legal_of(&game, &state, "trade"), ["trade:w1c1s1", "trade:w2c1", "trade:w2s1"]);
    follow(&game, &mut state, &["trade:w2c1"]);
    assert_eq!((held(&state, 0), game.turn(&state)), ([0, 0, 1, 3], decides(0)));
    let out_of_food = position(
        &game,
        &["0.spots:desert,desert,desert", "0.held:w3", "1.spots:desert", "1.held:f5"],
    );
    assert!(legal_of(&game, &out_of_food, "trade").is_empty());
}

#[test]
fn seats_with_empty_boats_are_skipped() {
    let game = table(4);
    let mut state = position(&game, &["1.boat:0", "2.boat:0"]);
    follow(&game, &mut state, &["food"]);
    assert_eq!(game.turn(&state), decides(3));
}

// §4 Placements.

#[test]
fn two_face_up_tiles_of_one_kind_are_one_claim() {
    let game = table(2);
    let mut state = position(&game, &["tiles:forest,desert,forest"]);
    assert_eq!(legal_of(&game, &state, "claim"), ["claim:desert", "claim:forest"]);
    follow(&game, &mut state, &["claim:forest"]);
    assert_eq!(state.face_up_tiles().len(), 2);
    let spent = position(&game, &["tiles:forest", "0.spots:plain,desert,desert", "0.claims:2"]);
    assert!(legal_of(&game, &spent, "claim").is_empty());
}

#[test]
fn only_the_first_pioneer_on_an_island_gets_the_bonus() {
    let game = table(2);
    let mut state = position(&game, &["1.spots:clay_store"]);
    assert_eq!(
        legal_of(&game, &state, "produce"),
        ["produce:clay", "produce:stone", "produce:wood"]
    );
    follow(&game, &mut state, &["produce:clay"]);
    assert_eq!(held(&state, 0), [0, 1, 0, 0]);
    follow(&game, &mut state, &["produce:clay"]);
    assert_eq!(held(&state, 1), [0, 1, 0, 0]);
    // Both places are occupied. The second place of an island without a symbol produces nothing.
    assert_eq!(legal_of(&game, &state, "produce"), ["produce:stone", "produce:wood"]);
    let second = position(&game, &["places:wood", "1.spots:clay2", "1.boat:3"]);
    assert_eq!(legal_of(&game, &second, "produce"), ["produce:clay", "produce:stone"]);
}

#[test]
fn other_resources_come_from_the_food_island_only_when_food_is_out() {
    let game = table(3);
    let all_storage =
        ["1.spots:desert,desert,desert,desert", "2.spots:desert,desert,desert,desert"];
    let one_left = position(&game, &[all_storage[0], all_storage[1], "1.held:f4"]);
    assert_eq!(legal_of(&game, &one_left, "food"), ["food"]);
    let mut none_left =
        position(&game, &[all_storage[0], all_storage[1], "1.held:c4f5", "2.held:c9"]);
    assert_eq!(legal_of(&game, &none_left, "food"), ["food:stone", "food:wood"]);
    follow(&game, &mut none_left, &["food:stone"]);
    assert_eq!(held(&none_left, 0), [0, 0, 1, 0]);
}

#[test]
fn a_gap_in_the_building_row_stays_until_cleanup() {
    let game = table(2);
    let mut state = position(&game, &["buildings:w2,s1", "0.boat:1", "1.boat:1", "1.held:s1"]);
    follow(&game, &mut state, &["reserve:w2"]);
    assert_eq!(legal_of(&game, &state, "build"), ["build:s1"]);
    follow(&game, &mut state, &["build:s1", "pay:s1", "tile:desert", "tile:desert", "tile:desert"]);
    assert_eq!(outcomes(&game, &state), ["building:w1c1", "building:s6"]);
    follow(&game, &mut state, &["building:s6", "building:w1c1"]);
    assert_eq!((state.round(), game.turn(&state)), (7, decides(0)));
}

#[test]
fn food_stands_in_for_anything_and_the_discount_is_for_reserved_buildings() {
    let game = table(2);
    let storage = "0.spots:desert,desert";
    let choose = |changes: &[&str], building: &str| {
        let mut state = position(&game, &[&[storage], changes].concat());
        follow(&game, &mut state, &[building]);
        legal(&game, &state)
    };
    assert_eq!(
        choose(&["buildings:w1c1", "0.held:w1c1f2"], "build:w1c1"),
        ["pay:c1f1", "pay:f2", "pay:w1c1", "pay:w1f1"]
    );
    assert_eq!(choose(&["buildings:w2", "0.held:w2"], "build:w2"), ["pay:w2"]);
    assert_eq!(choose(&["0.reserved:w1c1", "0.held:w1c1"], "build:w1c1"), ["pay:c1", "pay:w1"]);
    assert_eq!(choose(&["0.reserved:s1"], "build:s1"), ["pay:-"]);
}

#[test]
fn the_second_token_brings_a_pioneer_that_plays_this_round_from_an_empty_boat() {
    let game = table(2);
    let ready =
        ["buildings:w2", "0.held:w2", "0.boat:1", "0.built:s1", "0.tokens:1", "0.token_points:4"];
    let mut alone = position(&game, &[&ready[..], &["1.boat:0"]].concat());
    follow(&game, &mut alone, &["build:w2", "pay:w2"]);
    let seat = Seat::new(0);
    assert_eq!(
        (
            game.turn(&alone),
            alone.boat_pioneers(seat),
            alone.pioneers(seat),
            alone.token_points(seat)
        ),
        (decides(0), 1, 5, 7)
    );
    let mut in_turn = position(&game, &[&ready[..], &["1.boat:1"]].concat());
    follow(&game, &mut in_turn, &["build:w2", "pay:w2"]);
    assert_eq!(game.turn(&in_turn), decides(1));
    follow(&game, &mut in_turn, &["food"]);
    assert_eq!(game.turn(&in_turn), decides(0));
}

#[test]
fn a_building_without_a_token_left_still_counts() {
    let game = table_with(2, "bonus_tokens = [4, 3, 0, 0]", "bonus_tokens = [4]");
    let mut state = position(
        &game,
        &["buildings:w2", "0.held:w2", "1.built:s1", "1.tokens:1", "1.token_points:4"],
    );
    follow(&game, &mut state, &["build:w2", "pay:w2"]);
    assert_eq!((state.tokens(Seat::new(0)), game.outcome(&state).scores[0]), (0, 9));
}

#[test]
fn a_seat_may_take_its_own_pawn_without_changing_the_order_of_the_round() {
    let game = table(3);
    let mut state = position(&game, &["0.boat:1", "1.boat:1", "2.boat:1"]);
    assert_eq!(legal_of(&game, &state, "first"), ["first"]);
    follow(&game, &mut state, &["food", "first"]);
    assert_eq!(game.turn(&state), decides(2));
    assert!(legal_of(&game, &state, "first").is_empty());
    follow(&game, &mut state, &["food", "tile:desert", "tile:desert", "tile:desert"]);
    assert_eq!((state.round(), game.turn(&state)), (7, decides(1)));
}

#[test]
fn only_one_of_the_swaps_without_effect_is_listed() {
    let game = table(2);
    let state = position(&game, &["0.spots:forest,desert,forest,desert"]);
    assert_eq!(
        legal_of(&game, &state, "swap"),
        ["swap:1-2", "swap:1-3", "swap:1-4", "swap:2-3", "swap:3-4"]
    );
    // The lower first spot is compared before the lower second spot.
    let state = position(&game, &["0.spots:desert,forest,forest,desert"]);
    assert_eq!(
        legal_of(&game, &state, "swap"),
        ["swap:1-2", "swap:1-3", "swap:1-4", "swap:2-4", "swap:3-4"]
    );
    let state = position(&game, &["0.spots:desert,desert,desert"]);
    assert_eq!(legal_of(&game, &state, "swap"), ["swap:1-2"]);
}

// §5 Claiming a tile.

#[test]
fn a_swap_effect_may_be_skipped_at_any_time() {
    let game = table(2);
    let claim = |events: &[&str]| {
        let mut state = position(&game, &["tiles:swap", "0.spots:desert,forest"]);
        follow(&game, &mut state, &["claim:swap"]);
        follow(&game, &mut state, events);
        state
    };
    assert_eq!(legal(&game, &claim(&[])), ["skip", "swap:1-2", "swap:1-3", "swap:2-3"]);
    assert_eq!(game.turn(&claim(&["skip"])), decides(1));
    assert_eq!(game.turn(&claim(&["swap:1-2"])), decides(0));
    assert_eq!(game.turn(&claim(&["swap:1-2", "skip"])), decides(1));
    assert_eq!(game.turn(&claim(&["swap:1-2", "swap:1-2"])), decides(1));
    let alike = position(&game, &["phase:swaps", "cursor:1", "0.spots:swap,swap", "0.claims:1"]);
    assert_eq!(legal(&game, &alike), ["skip", "swap:1-2"]);
}

#[test]
fn a_tile_covers_its_spot_and_may_take_more_than_can_be_stored() {
    let game = table(2);
    let mut state =
        position(&game, &["tiles:take", "0.spots:forest,forest,forest,forest", "0.held:s3"]);
    follow(&game, &mut state, &["claim:take"]);
    // 7 resources, 2 warehouses.
    assert_eq!(legal(&game, &state), ["discard:wood"]);
    follow(
        &game,
        &mut state,
        &["discard:wood", "discard:wood", "discard:stone", "discard:stone", "discard:stone"],
    );
    assert_eq!((held(&state, 0), game.turn(&state)), ([2, 0, 0, 0], decides(1)));
}

// §6 Too much to store.

#[test]
fn resources_are_returned_in_order_if_the_rest_suffices() {
    let game = table(2);
    let mut state = position(&game, &["phase:overflow", "0.held:w2c1s1f1"]);
    assert_eq!(legal(&game, &state), ["discard:clay", "discard:stone", "discard:wood"]);
    follow(&game, &mut state, &["discard:clay"]);
    assert_eq!(legal(&game, &state), ["discard:food", "discard:stone"]);
    follow(&game, &mut state, &["discard:food"]);
    assert_eq!((held(&state, 0), game.turn(&state)), ([2, 0, 1, 0], decides(1)));
    let scarce = position(&game, &["phase:overflow", "0.held:w4f1"]);
    assert_eq!(legal(&game, &scarce), ["discard:wood"]);
}

// §7 Cleanup.

#[test]
fn discards_return_only_when_a_further_tile_must_be_drawn() {
    let game = table(2);
    let boards = [
        "0.spots:desert,desert,desert,desert,desert,desert",
        "1.spots:desert,desert,desert,desert,desert,desert",
    ];
    let others =
        "clay2*6,clay_store*4,forest*5,mountain*5,mixed*2,per_clay,income*2,swap*2,take,plain*4";
    let last_draw = |row: &str, discarded: &str| {
        let words = ["phase:tiles", "buildings:w2,s1", row, discarded, boards[0], boards[1]];
        position(&game, &words)
    };
    let mut enough = last_draw(
        "tiles:clay2,clay2",
        &format!("discarded:{}", others.replace("clay2*6", "clay2*4")),
    );
    follow(&game, &mut enough, &["tile:forest"]);
    assert_eq!(game.turn(&enough), decides(0));
    let mut too_few =
        last_draw("tiles:clay2", &format!("discarded:{}", others.replace("clay2*6", "clay2*5")));
    follow(&game, &mut too_few, &["tile:forest", "reshuffle", "tile:take"]);
    assert_eq!(game.turn(&too_few), decides(0));
}

#[test]
fn framed_spots_remove_pioneers_at_cleanup() {
    let game = table(2);
    let mut state = position(
        &game,
        &[
            "tiles:forest",
            "0.boat:1",
            "1.boat:0",
            "0.spots:desert,desert,desert",
            "buildings:w2,s1",
        ],
    );
    follow(&game, &mut state, &["claim:forest"]);
    assert_eq!(state.pioneers(Seat::new(0)), 4);
    follow(&game, &mut state, &["tile:forest", "tile:forest", "tile:forest"]);
    assert_eq!(
        (
            state.pioneers(Seat::new(0)),
            state.boat_pioneers(Seat::new(0)),
            state.boat_pioneers(Seat::new(1))
        ),
        (3, 3, 4)
    );
}

#[test]
fn each_income_meadow_overflows_by_itself() {
    let game = table(2);
    // 3 warehouses, 2 wood and a stone: each wood is stored before the next arrives.
    let mut state = position(
        &game,
        &[
            "phase:tiles",
            "pawn:1",
            "0.spots:income,income",
            "0.held:w2s1",
            "tiles:forest,forest",
            "buildings:w2,s1",
        ],
    );
    follow(&game, &mut state, &["tile:forest", "discard:stone"]);
    assert_eq!((held(&state, 0), game.turn(&state)), ([4, 0, 0, 0], decides(0)));
    follow(&game, &mut state, &["discard:wood"]);
    assert_eq!((held(&state, 0), game.turn(&state)), ([3, 0, 0, 0], decides(1)));
}

#[test]
fn the_last_cleanup_settles_and_pays_income_without_new_tiles() {
    let game = table(2);
    let eleven =
        "0.spots:desert,desert,desert,desert,desert,clay2,clay2,clay2,clay2,mountain,mountain";
    let mut state = position(
        &game,
        &[
            "round:9",
            "tiles:forest,forest",
            eleven,
            "0.claims:1",
            "0.boat:1",
            "1.boat:0",
            "1.spots:income",
        ],
    );
    follow(&game, &mut state, &["claim:forest"]);
    assert_eq!(game.turn(&state), Turn::Over);
    assert_eq!(
        (state.pioneers(Seat::new(0)), held(&state, 1), state.face_up_tiles().len()),
        (2, [1, 0, 0, 0], 1)
    );
    // The round limit is reached too, but the rules end this game.
    assert!(!game.outcome(&state).hit_round_limit);
}

#[test]
fn a_game_without_pioneers_ends_after_a_whole_cleanup() {
    let game = table_with(2, "max_rounds = 9", "max_rounds = 9, start_pioneers = 1");
    let last = [
        "tiles:forest",
        "buildings:w2,s1",
        "0.spots:desert,desert,desert",
        "1.spots:desert,desert,desert,desert",
    ];
    let mut state = position(&game, &last);
    follow(&game, &mut state, &["claim:forest", "tile:forest", "tile:forest", "tile:take"]);
    assert_eq!((game.turn(&state), game.outcome(&state).hit_round_limit), (Turn::Over, false));
}

// §8 Scoring.

#[test]
fn a_mixed_tile_has_both_its_terrains_in_a_column() {
    let game = table(2);
    // Spots 4, 5 and 12 are the fourth column; the other columns score nothing.
    let column = |top: &str, middle: &str, bottom: &str| {
        let others = ["desert,clay2,desert", "clay2,desert,clay2,clay_store,clay_store,clay_store"];
        let spots = format!("0.spots:{},{top},{middle},{},{bottom}", others[0], others[1]);
        let state = position(&game, &["phase:over", "end:1", &spots]);
        game.score_breakdown(&state, Seat::new(0))[3]
    };
    assert_eq!(column("mixed", "mixed", "mountain"), ("columns", 6));
    assert_eq!(column("forest", "mixed", "forest"), ("columns", 6));
    assert_eq!(column("forest", "mixed", "mountain"), ("columns", 2));
    assert_eq!(column("mixed", "mountain", "forest"), ("columns", 2));
    assert_eq!(column("forest", "mountain", "mixed"), ("columns", 0));
    assert_eq!(column("forest", "mountain", "mountain"), ("columns", 0));
}

#[test]
fn impossible_positions_are_refused() {
    let game = table(2);
    let possible: [&[&str]; 6] = [
        &[],
        &["tiles:forest,desert", "0.spots:plain,desert", "0.claims:1"],
        &["phase:pay", "cursor:0", "buildings:w2,s1", "0.held:w2", "places:build"],
        &["phase:income", "pawn:1", "cursor:65", "0.spots:income", "0.held:w4", "0.boat:4"],
        &[
            "phase:draft",
            "round:0",
            "turn:1",
            "tiles:take,swap,desert",
            "removed:-",
            "0.spots:-",
            "1.spots:-",
            "0.boat:4",
        ],
        &[
            "0.built:s1",
            "0.tokens:1",
            "0.token_points:4",
            "1.built:w2",
            "1.tokens:1",
            "1.token_points:3",
        ],
    ];
    for changes in possible {
        game.parse_position(&position_text(&game, changes)).unwrap();
    }
    let refused: &[(&[&str], &str)] = &[
        (
            &["0.token_points:255", "0.built:s1", "0.tokens:1"],
            "`token_points:` with the values of the tokens taken so far",
        ),
        (
            &[
                "0.built:s1",
                "0.tokens:1",
                "0.token_points:2",
                "1.built:w2",
                "1.tokens:1",
                "1.token_points:5",
            ],
            "`token_points:` that the seat's number of tokens can be worth",
        ),
        (&["0.built:s1"], "`tokens:` with one for each building, while there are any"),
        (
            &["0.tokens:1", "0.token_points:4"],
            "`tokens:` with one for each building, while there are any",
        ),
        (&["0.framed:7"], "`framed:` with the framed spots covered in this round"),
        (
            &["0.claims:7", "0.framed:0", "0.boat:0"],
            "`claims:` within the limit of a round, and 0 outside one",
        ),
        (
            &["0.pioneers:7"],
            "`pioneers:` with those of the start and the bonus spot, less those settled",
        ),
        (&["0.boat:5"], "`boat:` with as many pioneers as this phase allows"),
        (&["0.boat:0"], "a pioneer on the deciding seat's boat"),
        (&["1.board:a"], "`board:` with a board of its own for each seat"),
        (&["end:1"], "`end:1` with a full board or all bonus tokens of a seat, and only then"),
        (&["places:wood*4,clay*4,stone*4,food*4"], "no more pioneers on a place than it takes"),
        (
            &["places:wood*2,clay*2,stone*2,food*4", "0.boat:1", "1.boat:0"],
            "no more pioneers on places than seats have spent",
        ),
        (
            &["round:1", "0.spots:plain,desert,desert,desert,desert,desert,desert", "0.framed:1"],
            "as many tiles on boards as draft and rounds allow",
        ),
        (&["0.spots:-"], "as many tiles on boards as draft and rounds allow"),
        (
            &["tiles:desert,desert,desert,desert"],
            "`tiles:` with as many tiles as this phase asks for",
        ),
        (
            &["phase:tiles", "tiles:desert,desert,desert"],
            "`tiles:` with as many tiles as this phase asks for",
        ),
        (&["buildings:w2,s1,s6"], "`buildings:` with as many buildings as this phase asks for"),
        (&["0.reserved:w2,s1,s6"], "no more reserved buildings than a hand holds"),
        (&["removed:-"], "`removed:` with the tile left over from the draft, from then on"),
        (&["round:1", "discarded:desert"], "no discarded tiles before the first cleanup"),
        (&["cursor:200"], "`cursor:0` in this phase"),
        (&["returning:clay"], "`returning:wood` in this phase"),
        (&["round:0", "0.spots:-", "1.spots:-"], "`round:0` in setup and nowhere else"),
        (&["phase:over"], "a game that has ended"),
        (&["phase:first"], "nothing laid out yet but the boards of the seats before `turn:`"),
        (&["phase:boards"], "nothing laid out yet but the boards of the seats before `turn:`"),
        (
            &["phase:pay", "0.held:w2"],
            "`cursor:` with the index of a building the seat can pay in this phase",
        ),
        (
            &["phase:swaps", "cursor:3", "0.spots:swap,swap", "0.claims:1"],
            "`cursor:` with the swaps left, and two tiles to swap in this phase",
        ),
        (
            &["phase:income", "pawn:1", "cursor:66", "0.spots:income", "0.held:w4", "0.boat:4"],
            "`cursor:` behind the income that the seat took last",
        ),
        (&["0.held:w4"], "no more resources than the seat can store"),
        (&["0.held:w14"], "another value than \"w14\" for `held:`"),
        (&["0.held:w02"], "`held:w2`, the only notation of this word"),
        (&["round:06"], "`round:6`, the only notation of this word"),
        (&["turn:+0"], "`turn:0`, the only notation of this word"),
        (&["buildings:w2*2,s1"], "`buildings:w2,s1`, the only notation of this word"),
        (&["discarded:desert,desert"], "`discarded:desert`, the only notation of this word"),
        (&["discarded:desert*4294967295"], "at most 12 of tile desert"),
    ];
    for (changes, expected) in refused {
        let text = position_text(&game, changes);
        let error = game.parse_position(&text).unwrap_err();
        assert_eq!(error.expected, *expected, "{changes:?} in {text}");
    }
    // Rows that cannot be filled, which the completion of positions would hide.
    let text = position_text(&game, &[]);
    for (from, to, expected) in [
        (
            "tiles:mountain,mountain,mountain",
            "tiles:-",
            "`tiles:` with as many tiles as this phase asks for",
        ),
        (
            "buildings:s6,s1",
            "buildings:-",
            "`buildings:` with as many buildings as this phase asks for",
        ),
    ] {
        assert!(text.contains(from), "{from} in {text}");
        assert_eq!(
            game.parse_position(&text.replacen(from, to, 1)).unwrap_err().expected,
            expected
        );
    }
    // Setup with face-up buildings before the draft row, in which no seat could move.
    let setup = [
        "phase:buildings",
        "round:0",
        "removed:-",
        "tiles:desert",
        "0.spots:-",
        "1.spots:-",
        "0.boat:4",
        "1.boat:4",
    ];
    let text = position_text(&game, &setup)
        .replace("tiles:desert,mountain,mountain", "tiles:desert")
        .replace("buildings:s6,s1", "buildings:-");
    assert_eq!(
        game.parse_position(&text).unwrap_err().expected,
        "`tiles:` with as many tiles as this phase asks for"
    );
}

#[test]
fn a_payment_has_one_notation() {
    let game = table(2);
    for text in ["pay:w2", "pay:-", "pay:f10", "trade:w2c1"] {
        assert!(game.parse_action(text).is_ok(), "{text}");
    }
    for text in
        ["pay:w02", "pay:w0", "pay:c01", "pay:f010", "trade:c03", "trade:w2c01", "pay:", "pay:w+2"]
    {
        assert!(game.parse_action(text).is_err(), "{text}");
    }
}
