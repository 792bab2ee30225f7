//! `watershed balance ablate`: effects of items in a game with known effects and of planted items.

use std::{
    collections::BTreeMap,
    fs,
    sync::{LazyLock, atomic::AtomicBool},
};

use watershed::{
    arena::run::Experiment,
    bots::{
        BotFactory,
        profile::{BotSpec, EvaluatorSpec, Profile},
    },
    game::{
        ActionSet, ChanceSource, FeatureVector, Features, Game, Item, ItemCatalog, ItemId,
        ItemTable, MAX_FEATURES, MAX_SEATS, Notation, NotationError, Outcome, Seat, Statistics,
        Turn, highest_scoring_seats,
    },
    report::provenance::Claim,
    rng::{Rng, random_below},
    run::lineups::LineupResult,
    search::{calibration::Calibration, heuristic::Heuristic},
    study::ablate::{
        analysis::ItemEffectsAnalysis,
        experiment::{ItemEffectsExperiment, ItemEffectsTally},
    },
};

use crate::support::{Folder, Row, number, read_rows};

/// A game in which each of 2 seats is dealt a strength from 0 to 3, may take a charm, and is dealt
/// luck. The score is 4 times the strength, plus the luck, plus the points of the charm.
struct Charms {
    points: i32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Table {
    events: u8,
    strength: [u8; 2],
    charmed: [bool; 2],
    luck: [u8; 2],
}

const TAKE: u8 = 10;
const LEAVE: u8 = 11;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Choices(u32);

impl ActionSet for Choices {
    type Action = u8;

    fn len(&self) -> usize {
        self.0.count_ones() as usize
    }

    fn nth(&self, index: usize) -> u8 {
        [TAKE, LEAVE].into_iter().filter(|&action| self.contains(action)).nth(index).unwrap()
    }

    fn contains(&self, action: u8) -> bool {
        self.0 >> action & 1 == 1
    }

    fn remove(&mut self, action: u8) {
        self.0 &= !(1 << action);
    }

    fn kinds(&self) -> u32 {
        self.0 >> TAKE
    }

    fn subset_of_kind(&self, kind: u32) -> Self {
        Self(self.0 & 1 << (u32::from(TAKE) + kind))
    }
}

impl Game for Charms {
    type State = Table;
    type Action = u8;
    type Actions = Choices;

    fn seats(&self) -> usize {
        2
    }

    fn chance_sources(&self) -> &'static [&'static str] {
        &["strength", "luck"]
    }

    fn action_kinds(&self) -> &'static [&'static str] {
        &["take", "leave"]
    }

    fn initial(&self) -> Table {
        Table::default()
    }

    fn turn(&self, state: &Table) -> Turn {
        match state.events {
            0 | 1 => Turn::Chance(ChanceSource(0)),
            seat @ (2 | 3) => Turn::Seat(Seat::new(usize::from(seat) - 2)),
            4 | 5 => Turn::Chance(ChanceSource(1)),
            _ => Turn::Over,
        }
    }

    fn legal_actions(&self, _state: &Table) -> Choices {
        Choices(1 << TAKE | 1 << LEAVE)
    }

    fn chance_outcomes(&self, state: &Table) -> Vec<(u8, u32)> {
        (0..if state.events < 2 { 4 } else { 10 }).map(|outcome| (outcome, 1)).collect()
    }

    fn sample_chance(&self, state: &Table, rng: &mut Rng) -> u8 {
        random_below(rng, if state.events < 2 { 4 } else { 10 }) as u8
    }

    fn apply(&self, state: &mut Table, action: u8) {
        let seat = usize::from(state.events % 2);
        match state.events {
            0 | 1 => state.strength[seat] = action,
            2 | 3 => state.charmed[seat] = action == TAKE,
            _ => state.luck[seat] = action,
        }
        state.events += 1;
    }

    fn round(&self, _state: &Table) -> u32 {
        1
    }

    fn outcome(&self, state: &Table) -> Outcome {
        let mut scores = [0; MAX_SEATS];
        for (seat, score) in scores.iter_mut().enumerate().take(2) {
            let charm = if state.charmed[seat] { self.points } else { 0 };
            *score = 4 * i32::from(state.strength[seat]) + i32::from(state.luck[seat]) + charm;
        }
        Outcome {
            scores,
            winners: highest_scoring_seats(&scores, 2),
            rounds: 1,
            hit_round_limit: false,
        }
    }

    fn determinize(&self, state: &Table, _seat: Seat, _rng: &mut Rng) -> Table {
        *state
    }
}

impl Notation for Charms {
    fn action_text(&self, action: u8) -> String {
        action.to_string()
    }

    fn parse_action(&self, text: &str) -> Result<u8, NotationError> {
        text.parse().map_err(|_| NotationError::new(text, "action", "a number"))
    }

    fn all_decisions(&self) -> Vec<u8> {
        vec![TAKE, LEAVE]
    }

    fn position_text(&self, state: &Table) -> String {
        format!("{state:?}")
    }

    fn parse_position(&self, text: &str) -> Result<Table, NotationError> {
        Err(NotationError::new(text, "position", "nothing"))
    }

    fn score_breakdown(&self, state: &Table, seat: Seat) -> Vec<(&'static str, i32)> {
        vec![("all", self.outcome(state).scores[seat.index()])]
    }
}

impl Features for Charms {
    fn feature_names(&self) -> &'static [&'static str] {
        &["charm_of_the_strong", "strength"]
    }

    fn features(&self, state: &Table, seat: Seat) -> FeatureVector {
        let strength = f64::from(state.strength[seat.index()]);
        let mut features = [0.0; MAX_FEATURES];
        features[0] = if state.charmed[seat.index()] { strength - 1.5 } else { 0.0 };
        features[1] = strength;
        features
    }

    fn progress(&self, _state: &Table) -> f64 {
        0.0
    }
}

static CATALOG: LazyLock<ItemCatalog> = LazyLock::new(|| {
    let mut catalog = ItemCatalog::new();
    catalog.add(ItemTable::new(["charms", "charm", "taken"], &[], [Item::new("charm", [])]));
    catalog
});

impl Statistics for Charms {
    fn catalog(&self) -> &ItemCatalog {
        &CATALOG
    }

    fn items_taken(&self, _legal: &Choices, action: u8, report: impl FnMut(ItemId)) {
        CATALOG.ids().filter(|_| action == TAKE).for_each(report);
    }
}

/// Returns a heuristic with these weights of the first features.
fn heuristic(weights: [f64; 2]) -> Heuristic {
    let mut all = [0.0; MAX_FEATURES];
    all[..2].copy_from_slice(&weights);
    Heuristic {
        weights: all,
        drift: None,
        hidden: None,
        considers_opponents: false,
        temperature: 1.0,
        epsilon: 0.0,
    }
}

/// Plays games of charms between such bots.
fn charm_effects(points: i32, spec: BotSpec) -> ItemEffectsTally {
    let game = Charms { points };
    let bots = vec![
        BotFactory::from(Profile {
            name: "bot".to_owned(),
            spec,
            parameters: serde_json::Value::Null,
            parts: Vec::new(),
            notes: Vec::new(),
            calibration: Calibration::default(),
        });
        2
    ];
    let experiment = Experiment::new(&game, &bots, 1, 0..4000);
    let evaluator = &EvaluatorSpec::Heuristic(Box::new(heuristic([0.0, 1.0])));
    let experiment = ItemEffectsExperiment { experiment: &experiment, evaluator, rate: 0.5 };
    experiment.run(&AtomicBool::new(false), &|_| ())
}

/// Returns the rows of `values.csv` of several such experiments.
fn charm_rows(effects: impl IntoIterator<Item = ItemEffectsTally>) -> Vec<Row> {
    let result =
        |tally| LineupResult { lineup: "bot".to_owned(), bots: vec!["bot".to_owned()], tally };
    let results: Vec<_> = effects.into_iter().map(result).collect();
    let table = ItemEffectsAnalysis::new(&CATALOG, &results).table(&Claim::new("invented"));
    read_rows(&String::from_utf8(table.csv()).unwrap())
}

/// Returns the rows of `values.csv` of games of charms by metric.
fn charm_values(points: i32, spec: BotSpec) -> BTreeMap<String, Row> {
    charm_rows([charm_effects(points, spec)])
        .into_iter()
        .map(|row| (row["metric"].clone(), row))
        .collect()
}

/// Returns the ends of an interval.
fn interval(row: &Row, kind: &str) -> [f64; 2] {
    ["ci_low", "ci_high"].map(|end| number(row, &format!("{kind}_{end}")))
}

/// Checks that the interval, wider by half because several are checked, contains the true value.
#[track_caller]
fn assert_holds(row: &Row, kind: &str, truth: f64) {
    let [low, high] = interval(row, kind);
    let slack = 0.25 * (high - low);
    assert!(low - slack < truth && truth < high + slack, "{kind}: {row:?}");
}

/// Returns true if an item is flagged as better or worse than the others of its table.
fn is_strong_or_weak(row: &Row) -> bool {
    has_flag(row, "strong") || has_flag(row, "weak")
}

fn has_flag(row: &Row, flag: &str) -> bool {
    row["flag"].split('+').any(|one| one == flag)
}

/// The charm has no points, and only strong seats take it. They win more often.
#[test]
fn an_item_that_only_strong_seats_take_has_no_effect() {
    let rows = charm_values(0, BotSpec::Heuristic(Box::new(heuristic([1.0, 0.0]))));
    for metric in ["win_share", "score"] {
        let row = &rows[metric];
        assert_holds(row, "forced_now", 0.0);
        assert_eq!(row["flag"], "disagree", "{row:?}");
        assert!(
            number(row, "association_p_holm") < 1e-9 && number(row, "association_estimate") > 0.3,
            "{row:?}"
        );
        assert!(
            number(row, "adjusted_estimate").abs() < 0.25 * number(row, "association_estimate"),
            "{row:?}"
        );
    }
    // 2 of 4 equally frequent strengths take it: 4 × (2.5 − 0.5) points.
    let [low, high] = interval(&rows["score"], "association");
    assert!(low < 8.0 && 8.0 < high && high - low < 0.5, "{:?}", rows["score"]);
    let [granted, refused] = ["granted", "refused"].map(|column| number(&rows["score"], column));
    assert!(
        (granted + refused - 4000.0).abs() < 200.0 && (granted - refused).abs() < 250.0,
        "half of 8000, by a fair coin"
    );
}

/// The charm is taken at random, so that all estimates agree.
#[test]
fn a_planted_effect_is_found() {
    for row in
        [&charm_values(3, BotSpec::Random)["score"], &charm_values(-2, BotSpec::Random)["score"]]
    {
        let truth = if number(row, "forced_now_estimate") > 0.0 { 3.0 } else { -2.0 };
        for kind in ["association", "adjusted", "forced_now"] {
            assert_holds(row, kind, truth);
            let [low, high] = interval(row, kind);
            assert!(high - low < 1.5, "{kind}: {row:?}");
        }
        assert_eq!(row["flag"], "", "{row:?}");
    }
}

/// The charm costs points, and only strong seats take it.
#[test]
fn association_and_effect_of_opposite_signs_are_flagged() {
    let strong = || BotSpec::Heuristic(Box::new(heuristic([1.0, 0.0])));
    let row = &charm_values(-2, strong())["score"];
    assert_eq!(row["flag"], "disagree+opposite", "{row:?}");
    assert_holds(row, "association", 6.0);
    assert_holds(row, "forced_now", -2.0);
    let row = &charm_values(2, strong())["score"];
    assert_eq!(row["flag"], "disagree", "{row:?}");
}

#[test]
fn an_effect_that_changes_sign_between_lineups_is_flagged() {
    let flags = |points_of: [i32; 2]| {
        let rows = charm_rows(points_of.map(|points| charm_effects(points, BotSpec::Random)));
        rows.into_iter()
            .filter(|row| row["metric"] == "score")
            .map(|row| row["flag"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(flags([3, -3]), ["flips", "flips"]);
    assert_eq!(flags([3, 2]), ["", ""]);
    assert_eq!(flags([3, 0]), ["", ""], "no effect has no sign");
}

/// Returns the rows of an item in `values.csv` by metric.
fn item(folder: &Folder, out: &str, item: &str) -> BTreeMap<String, Row> {
    let rows = folder.rows(format!("{out}/values.csv")).into_iter();
    let rows = rows.filter(|row| row["item"] == item);
    rows.map(|row| (row["metric"].clone(), row)).collect()
}

/// Writes the data of The River with texts replaced.
fn planted(folder: &Folder, name: &str, changes: &[(&str, &str)]) {
    let mut data = fs::read_to_string("configs/the_river.toml").unwrap();
    for (from, to) in changes {
        assert_eq!(data.matches(from).count(), 1, "{from:?}");
        data = data.replace(from, to);
    }
    folder.write(name, data);
}

/// Bots that ignore points play the same games, so that only the score changes.
#[test]
fn an_effect_of_five_points_is_estimated_as_five() {
    let folder = Folder::new();
    let income = |points| {
        format!("{{ kind = \"income\", resource = \"wood\", amount = 1, points = {points} }}")
    };
    planted(&folder, "planted.toml", &[(&income(2), &income(7))]);
    let arguments = "ablate --bots random* --games 2000 --rate 0.3";
    folder.balance("before", arguments);
    folder.balance("after", &format!("{arguments} --config planted.toml"));
    let [before, after] = ["before", "after"].map(|out| item(&folder, out, "meadow_income_wood"));
    let gain = number(&after["score"], "forced_now_estimate")
        - number(&before["score"], "forced_now_estimate");
    assert!((gain - 5.0).abs() < 1e-5, "{gain}");
    assert_eq!(after["score"]["forced_now_n"], before["score"]["forced_now_n"]);
    assert!(number(&after["win_share"], "forced_now_ci_low") > 0.0);
    assert!(
        ["score", "win_share"].iter().all(|&metric| has_flag(&after[metric], "strong")),
        "{after:?}"
    );
    let controls =
        ["c2", "meadow_prod_clay"].map(|control| item(&folder, "after", control)["score"].clone());
    assert!(!controls.iter().any(is_strong_or_weak), "{controls:?}");
}

#[test]
fn a_cheap_and_a_useless_building_are_flagged() {
    let folder = Folder::new();
    let bargain =
        ("cost = { wood = 2, clay = 1, stone = 3 }", "cost = { wood = 1, clay = 1, stone = 1 }");
    planted(&folder, "planted.toml", &[bargain, ("copies = 12\nstorage = 2", "copies = 12")]);
    let arguments = "ablate --games 4000 --rate 0.3";
    folder.balance("before", arguments);
    folder.balance("after", &format!("{arguments} --config planted.toml"));
    let value = |out: &str, name: &str| item(&folder, out, name)["score"].clone();

    // It costs 3 resources instead of 6 and has 8 points.
    let [before, after] = ["before", "after"].map(|out| value(out, "w2c1s3"));
    assert!(
        has_flag(&after, "strong")
            && number(&after, "forced_now_n") > 1.5 * number(&before, "forced_now_n"),
        "{before:?} {after:?}"
    );
    assert!(
        number(&after, "forced_now_ci_low") > 1.0 && number(&after, "forced_now_ci_high") < 10.0,
        "{after:?}"
    );

    let [before, after] = ["before", "after"].map(|out| value(out, "desert_store2"));
    assert!(!has_flag(&before, "weak") && has_flag(&after, "weak"), "{after:?}");
    assert!(
        number(&after, "forced_now_ci_high") < number(&before, "forced_now_ci_low") - 1.0,
        "{before:?} {after:?}"
    );

    for control in ["c2", "w2c2", "meadow_prod_clay"] {
        let row = value("after", control);
        assert!(!is_strong_or_weak(&row), "{row:?}");
    }
}

#[test]
fn removing_or_replacing_an_item_is_compared_on_the_same_deals() {
    let folder = Folder::new();
    let metrics = |out: &str, item: &str| -> BTreeMap<String, Row> {
        let rows = folder.rows(format!("{out}/removed_items.csv")).into_iter();
        let rows = rows.filter(|row| row["item"] == item);
        let name = |row: &Row| format!("{} {}", row["metric"], row["of"]).trim_end().to_owned();
        rows.map(|row| (name(&row), row)).collect()
    };
    let arguments = "ablate --bots random* --games 400";
    let items = "--item desert_store2 --item building:w2";
    folder.balance("removed", &format!("{arguments} {items}"));
    let deserts = metrics("removed", "desert_store2");
    assert_eq!(
        (deserts["rounds"]["change"].as_str(), deserts["rounds"]["variant_n"].as_str()),
        ("removed", "400")
    );
    assert!(number(&deserts["score"], "p") < 0.05, "12 of 65 tiles: {deserts:?}");
    let shares = ["win_share seat 0", "win_share seat 1"]
        .map(|metric| number(&deserts[metric], "difference"));
    assert!((shares[0] + shares[1]).abs() < 1e-5, "what one seat loses the other wins");
    assert_eq!(metrics("removed", "w2").len(), 15);

    let items = "--item meadow_income_wood --baseline meadow_income_wood";
    folder.balance("itself", &format!("{arguments} {items}"));
    let same = metrics("itself", "meadow_income_wood");
    assert!(
        same.values().all(|row| number(row, "difference") == 0.0),
        "replacing an item by itself changes nothing: {same:?}"
    );
    assert!(
        same.values().all(|row| row["p"].is_empty()
            && (row["difference_ci_low"].is_empty() || number(row, "difference_ci_low") < 0.0)),
        "{same:?}"
    );
}

#[test]
fn the_number_of_threads_does_not_change_a_study() {
    let folder = Folder::new();
    let arguments = "ablate --ladder random,mcts:iterations=10 --games 60 --players 3";
    folder.check_threads(arguments, "values.csv");
}

#[test]
fn invalid_arguments_are_refused() {
    let folder = Folder::new();
    folder.refuses("balance ablate --rate 2", &["--rate", "above 0 and at most 1", "2"]);
    folder.refuses("balance ablate --rate nan", &["--rate", "above 0 and at most 1"]);
    folder.refuses("balance ablate --games 0", &["--games", "0"]);
    folder.refuses("balance ablate --ladder random,random", &["--ladder", "`random` twice"]);
    folder.refuses("balance ablate --bots oracle*", &["--bots", "`oracle`"]);
    folder.refuses("balance ablate --value random", &["--value", "a network", "`random`"]);
    folder.refuses("balance ablate --item w2c9", &["--item", "`w2c9`", "nearest is `building:w2c"]);
    folder
        .refuses("balance ablate --item effect:take", &["--item", "by its `id`", "`effect:take`"]);
    // A kind of effect that a single tile has is that tile.
    folder.refuses("balance ablate --item effect:swap", &["--item", "`effect:swap`", "nearest"]);
    folder.refuses(
        "balance ablate --item w2 --baseline meadow_swap",
        &["--baseline", "same list as `w2`", "`meadow_swap`"],
    );
}

#[test]
fn too_few_deals_have_no_interval() {
    let folder = Folder::new();
    for (out, arguments) in [
        ("restrict", "restrict --never swap --games 10"),
        ("ablate", "ablate --players 4 --rate 1 --games 19 --item w2"),
        ("luck", "luck --games 12"),
    ] {
        let text = folder.balance(out, arguments);
        assert!(!text.contains("inf") && !text.contains("NaN"), "{text}");
    }
}
