//! Random data files of The River, for which the library agrees with the reference model.

use std::rc::Rc;

use proptest::{
    prelude::*,
    sample::{select, subsequence},
    test_runner::RngSeed,
};
use watershed_engine::{
    config::Document,
    games::GameDefinition,
    rng::{Purpose, stream},
    search::playout::{Uniform, UniformKind},
};
use watershed_the_river::TheRiver;

use super::{
    reference::{ModelData, RiverModel},
    variants::altered,
};
use crate::rules::conformance::{Conformance, Situations};

proptest! {
    // The seed is fixed and failures are not saved, so that a run depends on the sources only.
    // `.ci/full` sets the number of cases.
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]
    #[test]
    fn random_data_agrees_with_the_reference_model((players, overlay) in file(), seed: u64) {
        let file = altered(&overlay);
        let game = TheRiver::bind(&Document::embedded("random", &file), players).unwrap();
        let data = Rc::new(ModelData::read(&file));
        let conformance = Conformance::<RiverModel>::new(&overlay, &game, &data);
        let mut situations = Situations::new::<RiverModel>();
        let mut rng = stream(seed, 0, 0, Purpose::Playout);
        conformance.check_game(&Uniform, &mut rng, &mut situations);
        conformance.check_game(&UniformKind, &mut rng, &mut situations);
    }
}

/// Returns a number of players and the replaced keys of the default file.
fn file() -> impl Strategy<Value = (usize, String)> {
    (2..=4_usize).prop_flat_map(|players| {
        let parts = (
            rules(),
            river(),
            setup(players),
            boards(),
            components("tile", tile(), 2..9),
            components("building", card(), 1..13),
        );
        let file = parts.prop_map(move |(rules, river, setup, boards, tiles, cards)| {
            format!(
                "players = {{ min = {players}, max = {players} \
                }}\n{rules}{river}{setup}{boards}{tiles}{cards}"
            )
        });
        (Just(players), file)
    })
}

fn rules() -> impl Strategy<Value = String> {
    let rules = (0..=3, 0..=3, 0..=4, 1..=4, 1..=4, 1..=6, 0..=4, 1..=12).prop_map(
        |(claims, hand, discount, trade_in, per_resources, pioneers, extra, rounds)| {
            format!(
                "rules = {{ claim_tile_per_player = {claims}, reserve_hand_limit = {hand}, \
                 reserve_discount = {discount}, trade_in = {trade_in}, per_resources = \
                 {per_resources}, start_pioneers = {pioneers}, extra_pioneer_on_bonus_spot = \
                 {extra}, max_rounds = {rounds} }}\n"
            )
        },
    );
    let spots = (0..=3, 0..=3).prop_map(|(build, first)| {
        format!("spots = {{ build = {build}, first_player = {first} }}\n")
    });
    (rules, spots).prop_map(|(rules, spots)| rules + &spots)
}

fn river() -> impl Strategy<Value = String> {
    let places: Vec<_> = (1..=3).flat_map(|row| (1..=4).map(move |column| [row, column])).collect();
    let framed = subsequence((1..=12).collect::<Vec<_>>(), 0..=12);
    (Just(places).prop_shuffle(), framed)
        .prop_map(|(path, framed)| format!("river = {{ path = {path:?}, framed = {framed:?} }}\n"))
}

fn setup(players: usize) -> impl Strategy<Value = String> {
    let board = (players..=players + 1, 0..=12, 0..=5, 0..=2, 1..=7);
    let spots = prop::array::uniform4(0..=3);
    let tokens = prop::collection::vec(0..=9_u32, 0..=16);
    let stock = prop::array::uniform4(0..=12);
    (board, spots, stock, tokens).prop_map(move |(board, spots, stock, mut tokens)| {
        let (draft, tiles, buildings, bonus, bonus_spots) = board;
        let [production_spots, food_spots, swap_spots, reserve_spots] = spots;
        let [wood, clay, stone, food] = stock;
        tokens.sort_unstable_by_key(|&token| std::cmp::Reverse(token));
        format!(
            "[setup.{players}]\ndraft_tiles = {draft}\nface_up_tiles = {tiles}\nface_up_buildings \
             = {buildings}\nfirst_pioneer_bonus = {bonus}\nproduction_spots = \
             {production_spots}\nfood_spots = {food_spots}\nswap_spots = \
             {swap_spots}\nreserve_spots = {reserve_spots}\nstock = {{ wood = {wood}, clay = \
             {clay}, stone = {stone}, food = {food} }}\nbonus_spots = {bonus_spots}\nbonus_tokens \
             = {tokens:?}\n"
        )
    })
}

fn boards() -> impl Strategy<Value = String> {
    let spots = || subsequence((1..=12).collect::<Vec<_>>(), 0..=4);
    let board = (spots(), spots(), resource(), 1..=3).prop_map(
        |(production, storage, resource, amount)| {
            let production: Vec<_> =
                production.iter().map(|spot| format!("{spot} = \"{resource}\"")).collect();
            let storage: Vec<_> = storage.iter().map(|spot| format!("{spot} = {amount}")).collect();
            format!(
                "production = {{ {} }}\nstorage = {{ {} }}\n",
                production.join(", "),
                storage.join(", ")
            )
        },
    );
    components("board", board, 4..7)
}

fn tile() -> impl Strategy<Value = String> {
    let terrains = subsequence(TERRAINS.to_vec(), 1..=2);
    (terrains, 3..=8, resource(), 0..=2, 0..=3, effect()).prop_map(
        |(terrains, copies, resource, production, storage, effect)| {
            format!(
                "terrain = {terrains:?}\ncopies = {copies}\nproduction.{resource} = \
            {production}\nstorage = {storage}\n{effect}"
            )
        },
    )
}

const TERRAINS: [&str; 5] = ["desert", "badlands", "forest", "meadow", "mountain"];

fn resource() -> impl Strategy<Value = &'static str> {
    select(vec!["wood", "clay", "stone"])
}

fn effect() -> impl Strategy<Value = String> {
    let terrain = select(TERRAINS.to_vec());
    let words = prop_oneof![
        (terrain, 0..=3).prop_map(|(terrain, points)| format!(
            "kind = \"points_per_terrain\", \
            terrain = \"{terrain}\", points = {points}"
        )),
        (resource(), 0..=3, 0..=9).prop_map(|(resource, points, cap)| {
            format!(
                "kind = \"points_per_production\", resource = \"{resource}\", points = \
                {points}, cap = {cap}"
            )
        }),
        (resource(), 0..=3, 0..=3).prop_map(|(resource, amount, points)| {
            format!(
                "kind = \"income\", resource = \"{resource}\", amount = {amount}, points = \
                {points}"
            )
        }),
        (resource(), 0..=9).prop_map(|(resource, amount)| format!(
            "kind = \"take\", resource = \
            \"{resource}\", amount = {amount}"
        )),
        (1..=4).prop_map(|times| format!("kind = \"swap\", times = {times}")),
        (0..=3).prop_map(|points| format!("kind = \"points_per_pioneer\", points = {points}")),
        (0..=3).prop_map(|points| format!("kind = \"points_per_token\", points = {points}")),
    ];
    prop_oneof![Just(String::new()), words.prop_map(|words| format!("effect = {{ {words} }}\n"))]
}

fn card() -> impl Strategy<Value = String> {
    let cost = prop::array::uniform3(prop_oneof![4 => 0..=2, 1 => 3..=6]);
    (cost, 0..=9).prop_map(|([wood, clay, stone], points)| {
        format!("cost = {{ wood = {wood}, clay = {clay}, stone = {stone} }}\npoints = {points}\n")
    })
}

/// Names the components of a list by their position.
fn components(
    list: &'static str,
    one: impl Strategy<Value = String>,
    number: std::ops::Range<usize>,
) -> impl Strategy<Value = String> {
    prop::collection::vec(one, number).prop_map(move |all| {
        let named = all
            .iter()
            .enumerate()
            .map(|(index, component)| format!("[[{list}]]\nid = \"{list}{index}\"\n{component}"));
        named.collect::<String>()
    })
}
