//! `watershed balance ablate` and `restrict`: they find what was planted, and nothing where nothing
//! is.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::{LazyLock, atomic::AtomicBool},
};

use tempfile::TempDir;
use watershed::{
    arena::{
        intervention::{
            AssignedItem, Intervention, RandomAssignment, RestrictedSeat, Restriction,
            RestrictionTarget,
        },
        run::Experiment,
    },
    bots::{
        self, View,
        profile::{BotLibrary, BotSpec, Profile},
    },
    game::{
        ActionSet, ChanceSource, FeatureVector, Features, FullGame, Game, Item, ItemCatalog,
        ItemId, ItemTable, MAX_FEATURES, MAX_SEATS, Notation, NotationError, Outcome, Seat,
        Statistics, Turn, highest_scoring_seats,
    },
    games::{GameDefinition, GameName, GameTask, the_river::TheRiver},
    report::provenance::Claim,
    rng::{Purpose, Rng, random_below, stream},
    run::lineups::LineupResult,
    search::heuristic::Heuristic,
    study::{
        ablate::{
            experiment::{ItemEffectsExperiment, ItemEffectsTally},
            values::{ItemEffectsReport, LineupEffects},
        },
        restrict::{
            analysis::RestrictAnalysis,
            experiment::{RestrictTally, RestrictionTally},
        },
    },
};

use crate::support::{Row, number, read_rows, refuses, watershed};

/// Each of two seats is dealt a strength from 0 to 3, then may take a charm or leave it, then has
/// luck. The score is four times the strength, the luck, and what the charm is worth.
struct Charms {
    worth: i32,
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
            let charm = if state.charmed[seat] { self.worth } else { 0 };
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

/// One-ply choice by these weights of the first features.
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

/// What is counted of games of charms between such bots.
fn charm_appraisal(worth: i32, spec: BotSpec) -> ItemEffectsTally {
    let game = Charms { worth };
    let bots =
        vec![Profile { name: "bot".to_owned(), spec, parameters: serde_json::Value::Null }; 2];
    let experiment = Experiment::new(&game, &bots, 1, 0..4000);
    let appraiser = ItemEffectsExperiment {
        experiment: &experiment,
        evaluator: &heuristic([0.0, 1.0]),
        rate: 0.5,
    };
    appraiser.run(&AtomicBool::new(false), &|_| ())
}

/// The rows of `values.csv` of such games, those of each after those of the one before.
fn charm_rows(appraisals: &[ItemEffectsTally]) -> Vec<Row> {
    let rungs =
        appraisals.iter().map(|appraisal| LineupEffects { lineup: "bot*".to_owned(), appraisal });
    let report = ItemEffectsReport::new(&CATALOG, rungs.collect(), "invented");
    read_rows(&String::from_utf8(report.csv()).unwrap())
}

/// The rows of `values.csv` of games of charms, by measure.
fn charm_values(worth: i32, spec: BotSpec) -> BTreeMap<String, Row> {
    charm_rows(&[charm_appraisal(worth, spec)])
        .into_iter()
        .map(|row| (row["measure"].clone(), row))
        .collect()
}

/// The ends of the interval of one kind of value.
fn interval(row: &Row, kind: &str) -> [f64; 2] {
    ["ci_low", "ci_high"].map(|end| number(row, &format!("{kind}_{end}")))
}

/// The truth lies within the interval made half as wide again, since several are looked at.
#[track_caller]
fn assert_holds(row: &Row, kind: &str, truth: f64) {
    let [low, high] = interval(row, kind);
    let slack = 0.25 * (high - low);
    assert!(low - slack < truth && truth < high + slack, "{kind}: {row:?}");
}

/// Whether an item is told to be worth more or less than the others of its table.
fn stands_out(row: &Row) -> bool {
    has(row, "strong") || has(row, "weak")
}

fn has(row: &Row, flag: &str) -> bool {
    row["flag"].split('+').any(|one| one == flag)
}

/// A charm that does nothing, taken by the strong only: who takes it wins, and it is not because of
/// the charm.
#[test]
fn an_item_that_only_strong_seats_take_has_no_effect() {
    let rows = charm_values(0, BotSpec::Heuristic(Box::new(heuristic([1.0, 0.0]))));
    for measure in ["win_share", "score"] {
        let row = &rows[measure];
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
    // Of four equally frequent strengths, two take it: 4 × (2.5 − 0.5) points.
    let [low, high] = interval(&rows["score"], "association");
    assert!(low < 8.0 && 8.0 < high && high - low < 0.5, "{:?}", rows["score"]);
    let [granted, refused] = ["granted", "refused"].map(|column| number(&rows["score"], column));
    assert!(
        (granted + refused - 4000.0).abs() < 200.0 && (granted - refused).abs() < 250.0,
        "half of 8000, by a fair coin"
    );
}

/// A charm that is worth something, whoever takes it and why: all three kinds of value agree when
/// it is taken at random.
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

/// A burden that only the strong take on: who takes it wins all the same.
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

/// Good in some hands and bad in others.
#[test]
fn an_effect_that_changes_sign_between_lineups_is_flagged() {
    let flags = |worths: [i32; 2]| {
        let rows = charm_rows(&worths.map(|worth| charm_appraisal(worth, BotSpec::Random)));
        rows.into_iter()
            .filter(|row| row["measure"] == "score")
            .map(|row| row["flag"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(flags([3, -3]), ["flips", "flips"]);
    assert_eq!(flags([3, 2]), ["", ""]);
    assert_eq!(flags([3, 0]), ["", ""], "no effect is no other sign");
}

/// A position of the draft, in which a seat claims one of three tiles.
fn draft() -> (TheRiver, <TheRiver as Game>::State, Seat) {
    let game = TheRiver::bind(&TheRiver::default_document(), 2).unwrap();
    let mut state = game.initial();
    let mut rng = stream(1, 0, 0, Purpose::Playout);
    loop {
        if let Turn::Seat(seat) = game.turn(&state) {
            return (game, state, seat);
        }
        let outcome = game.sample_chance(&state, &mut rng);
        game.apply(&mut state, outcome);
    }
}

#[test]
fn an_assigned_item_is_the_only_choice_or_none() {
    let (game, state, seat) = draft();
    let legal = game.legal_actions(&state);
    let (mut granted, mut refused) = (0_u32, 0_u32);
    for block in 0..200 {
        let mut assignment =
            RandomAssignment::new(200, 1.0, stream(2, block, 0, Purpose::Assignment));
        let offered = assignment.filter_actions(&game, seat, &legal);
        let &[AssignedItem { item, granted: is_granted, .. }] = assignment.assigned() else {
            panic!("one is enrolled at a time")
        };
        for action in offered.iter() {
            let mut takes = false;
            game.items_chosen(&legal, action, |other| takes |= other == item);
            assert!(legal.contains(action) && takes == is_granted);
        }
        let again = assignment.filter_actions(&game, seat, &legal);
        assert_eq!(
            again,
            if is_granted { legal } else { offered },
            "what is refused stays so, and nothing is assigned twice"
        );
        granted += u32::from(is_granted);
        refused += u32::from(!is_granted);
    }
    assert!(granted.abs_diff(refused) < 60, "{granted} to {refused}: the coin is fair");
}

#[test]
fn a_restricted_seat_always_has_a_legal_action() {
    let (game, state, seat) = draft();
    let legal = game.legal_actions(&state);
    let never = [Restriction::Never(RestrictionTarget::Notation("claim:".to_owned()))];
    assert_eq!(
        RestrictedSeat::new(seat, &never).filter_actions(&game, seat, &legal),
        legal,
        "there is nothing else to do"
    );

    let first = legal.nth(0);
    let one = RestrictionTarget::Notation(game.action_text(first));
    let rules = [Restriction::Always(one.clone())];
    let mut always = RestrictedSeat::new(seat, &rules);
    let offered = always.filter_actions(&game, seat, &legal);
    assert_eq!((offered.len(), offered.nth(0), always.binding_decisions), (1, first, 1));
    assert_eq!(
        always.filter_actions(&game, seat.clockwise(1, 2), &legal),
        legal,
        "the other seat keeps no rule"
    );

    let rules = [Restriction::Always(RestrictionTarget::Kind(0)), Restriction::Never(one)];
    let offered = RestrictedSeat::new(seat, &rules).filter_actions(&game, seat, &legal);
    assert!(offered.len() == legal.len() - 1 && !offered.contains(first));
}

/// Every bot chooses among what it is offered, be it a part of what is legal, and again where its
/// search goes on from the one before.
#[test]
fn every_bot_chooses_among_the_actions_left() {
    struct Offers;
    impl GameTask for Offers {
        type Output = ();
        fn run<G: FullGame>(self, game: &G, library: &BotLibrary<'_>) {
            let searches = [
                "",
                ":final_choice=halving",
                ":reuse=0.5",
                ":trees=3:worlds=true",
                ":branching=per-seat",
                ":branching=own-moves",
            ];
            let searches = searches.map(|keys| format!("mcts:iterations=30{keys}"));
            let names = [
                "random",
                "random-kind",
                "balanced",
                "flat:iterations=30",
                "uct:iterations=30",
                "mcts:iterations=30:widening=1:prior=balanced",
            ];
            for name in names.into_iter().map(str::to_owned).chain(searches) {
                let spec = library.read(&name).unwrap_or_else(|error| panic!("{error}")).spec;
                let mut bot = bots::build::<G>(&spec);
                let mut rng = stream(3, 0, 0, Purpose::Playout);
                let mut state = game.initial();
                bot.reset();
                for _ in 0..200 {
                    let action = match game.turn(&state) {
                        Turn::Over => break,
                        Turn::Chance(_) => game.sample_chance(&state, &mut rng),
                        Turn::Seat(seat) => {
                            let legal = game.legal_actions(&state);
                            let mut offered = legal;
                            let keep = random_below(&mut rng, legal.len() as u32) as usize;
                            for (_, action) in legal
                                .iter()
                                .enumerate()
                                .filter(|(index, _)| *index != keep && index % 3 != 0)
                            {
                                offered.remove(action);
                            }
                            let action =
                                bot.choose(&View::new(game, &state, seat), &offered, &mut rng);
                            assert!(
                                offered.contains(action),
                                "{name} chose {} of {offered:?}",
                                game.action_text(action)
                            );
                            bot.observe(seat, action);
                            action
                        }
                    };
                    game.apply(&mut state, action);
                }
            }
        }
    }
    for game in GameName::ALL {
        game.bind_and_run(&game.default_document(), 2, Offers).unwrap();
    }
}

#[track_caller]
fn study(folder: &Path, out: &str, arguments: &[&str]) -> String {
    let output = watershed(folder, &[&["balance"], arguments, &["--quiet", "--out", out]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The rows of an item's values by measure.
fn item(folder: &Path, out: &str, item: &str) -> BTreeMap<String, Row> {
    let rows = read_rows(&fs::read_to_string(folder.join(out).join("values.csv")).unwrap());
    rows.into_iter()
        .filter(|row| row["item"] == item)
        .map(|row| (row["measure"].clone(), row))
        .collect()
}

/// The data of The River with texts replaced.
fn planted(folder: &Path, name: &str, changes: &[(&str, &str)]) {
    let mut data = fs::read_to_string("configs/the_river.toml").unwrap();
    for (from, to) in changes {
        assert_eq!(data.matches(from).count(), 1, "{from:?}");
        data = data.replace(from, to);
    }
    fs::write(folder.join(name), data).unwrap();
}

/// With bots that don't look at points, five points more are five points more: the same games are
/// played, and only the score differs.
#[test]
fn an_effect_of_five_points_is_estimated_as_five() {
    let folder = TempDir::new().unwrap();
    let income = |points| {
        format!("{{ kind = \"income\", resource = \"wood\", amount = 1, points = {points} }}")
    };
    planted(folder.path(), "planted.toml", &[(&income(2), &income(7))]);
    let arguments = ["ablate", "--bots", "random*", "--games", "2000", "--rate", "0.3"];
    study(folder.path(), "before", &arguments);
    study(folder.path(), "after", &[&arguments[..], &["--config", "planted.toml"]].concat());
    let [before, after] =
        ["before", "after"].map(|out| item(folder.path(), out, "meadow_income_wood"));
    let gain = number(&after["score"], "forced_now_estimate")
        - number(&before["score"], "forced_now_estimate");
    assert!((gain - 5.0).abs() < 1e-5, "{gain}");
    assert_eq!(after["score"]["forced_now_n"], before["score"]["forced_now_n"]);
    assert!(number(&after["win_share"], "forced_now_ci_low") > 0.0);
    assert!(
        ["score", "win_share"].iter().all(|&measure| has(&after[measure], "strong")),
        "{after:?}"
    );
    let controls = ["c2", "meadow_prod_clay"]
        .map(|control| item(folder.path(), "after", control)["score"].clone());
    assert!(!controls.iter().any(stands_out), "{controls:?}");
}

/// A building at half its cost and a tile that does nothing, with bots that play for points.
#[test]
fn a_cheap_and_a_useless_building_are_flagged() {
    let folder = TempDir::new().unwrap();
    let bargain =
        ("cost = { wood = 2, clay = 1, stone = 3 }", "cost = { wood = 1, clay = 1, stone = 1 }");
    planted(folder.path(), "planted.toml", &[bargain, ("copies = 12\nstorage = 2", "copies = 12")]);
    let arguments = ["ablate", "--games", "4000", "--rate", "0.3"];
    study(folder.path(), "before", &arguments);
    study(folder.path(), "after", &[&arguments[..], &["--config", "planted.toml"]].concat());
    let value = |out: &str, name: &str| item(folder.path(), out, name)["score"].clone();

    // Eight points for three resources instead of six.
    let [before, after] = ["before", "after"].map(|out| value(out, "w2c1s3"));
    assert!(
        has(&after, "strong")
            && number(&after, "forced_now_n") > 1.5 * number(&before, "forced_now_n"),
        "{before:?} {after:?}"
    );
    assert!(
        number(&after, "forced_now_ci_low") > 1.0 && number(&after, "forced_now_ci_high") < 10.0,
        "{after:?}"
    );

    let [before, after] = ["before", "after"].map(|out| value(out, "desert_store2"));
    assert!(!has(&before, "weak") && has(&after, "weak"), "{after:?}");
    assert!(
        number(&after, "forced_now_ci_high") < number(&before, "forced_now_ci_low") - 1.0,
        "{before:?} {after:?}"
    );

    for control in ["c2", "w2c2", "meadow_prod_clay"] {
        let row = value("after", control);
        assert!(!stands_out(&row), "{row:?}");
    }
}

/// Taken out of the data, or with another's effect in its place: figures of whole games, on the
/// same deals.
#[test]
fn removing_or_replacing_an_item_is_compared_on_the_same_deals() {
    let folder = TempDir::new().unwrap();
    let figures = |out: &str, item: &str| -> BTreeMap<String, Row> {
        let rows = read_rows(
            &fs::read_to_string(folder.path().join(out).join("neutralised.csv")).unwrap(),
        );
        rows.into_iter()
            .filter(|row| row["item"] == item)
            .map(|row| ([&row["figure"], " ", &row["of"]].concat().trim_end().to_owned(), row))
            .collect()
    };
    let arguments = ["ablate", "--bots", "random*", "--games", "400"];
    let items = ["--item", "desert_store2", "--item", "building:w2"];
    study(folder.path(), "removed", &[&arguments[..], &items].concat());
    let deserts = figures("removed", "desert_store2");
    assert_eq!(
        (deserts["rounds"]["change"].as_str(), deserts["rounds"]["after_n"].as_str()),
        ("removed", "400")
    );
    assert!(number(&deserts["score"], "p") < 0.05, "twelve of 65 tiles: {deserts:?}");
    let shares = ["win_share seat 0", "win_share seat 1"]
        .map(|figure| number(&deserts[figure], "difference"));
    assert!((shares[0] + shares[1]).abs() < 1e-5, "what one seat loses the other wins");
    assert_eq!(figures("removed", "w2").len(), 15);

    let items = ["--item", "meadow_income_wood", "--baseline", "meadow_income_wood"];
    study(folder.path(), "itself", &[&arguments[..], &items].concat());
    let same = figures("itself", "meadow_income_wood");
    assert!(
        same.values().all(|row| number(row, "difference") == 0.0),
        "in its own place it changes nothing: {same:?}"
    );
    assert!(
        same.values()
            .all(|row| row["p"].is_empty()
                && (row["ci_low"].is_empty() || number(row, "ci_low") < 0.0)),
        "{same:?}"
    );
}

#[test]
fn the_number_of_threads_does_not_change_a_study() {
    let folder = TempDir::new().unwrap();
    for (name, arguments) in [
        (
            "values",
            &["ablate", "--ladder", "random,mcts:iterations=10", "--games", "60", "--players", "3"]
                [..],
        ),
        (
            "plans",
            &[
                "restrict",
                "--never",
                "swap",
                "--always",
                "w2",
                "--always",
                "claim:meadow",
                "--games",
                "300",
            ][..],
        ),
    ] {
        let [one, two] = ["1", "2"].map(|threads| {
            let out = format!("{name}-{threads}");
            let text = study(folder.path(), &out, &[arguments, &["--threads", threads]].concat());
            let read = |file: &str| {
                fs::read_to_string(folder.path().join(&out).join(file)).unwrap_or_default()
            };
            let mut manifest: serde_json::Value = serde_json::from_str(&read("run.json")).unwrap();
            manifest["timing"].take();
            assert_eq!(manifest["complete"], true);
            (text, read("values.csv"), read("restricted.csv"), manifest)
        });
        assert_eq!(one, two);
        assert!(one.0.lines().skip(1).all(|line| line.chars().count() <= 80), "{}", one.0);
        assert!(one.1.len() + one.2.len() > 500);
    }
}

#[test]
fn invalid_arguments_are_refused() {
    let folder = TempDir::new().unwrap();
    refuses(
        &folder,
        &["balance", "ablate", "--rate", "2"],
        &["--rate", "above 0 and at most 1", "2"],
    );
    refuses(&folder, &["balance", "ablate", "--rate", "nan"], &["--rate", "above 0 and at most 1"]);
    refuses(&folder, &["balance", "ablate", "--games", "0"], &["--games", "0"]);
    refuses(
        &folder,
        &["balance", "ablate", "--ladder", "random,random"],
        &["--ladder", "`random` twice"],
    );
    refuses(&folder, &["balance", "ablate", "--bots", "oracle*"], &["--bots", "`oracle`"]);
    refuses(
        &folder,
        &["balance", "ablate", "--value", "random"],
        &["--value", "`heuristic`", "`random`"],
    );
    refuses(
        &folder,
        &["balance", "ablate", "--item", "w2c9"],
        &["--item", "`w2c9`", "nearest is `building:w2c"],
    );
    refuses(
        &folder,
        &["balance", "ablate", "--item", "effect:take"],
        &["--item", "by its `id`", "`effect:take`"],
    );
    // A kind of effect that a single tile has is that tile.
    refuses(
        &folder,
        &["balance", "ablate", "--item", "effect:swap"],
        &["--item", "`effect:swap`", "nearest"],
    );
    refuses(
        &folder,
        &["balance", "ablate", "--item", "w2", "--baseline", "meadow_swap"],
        &["--baseline", "same list as `w2`", "`meadow_swap`"],
    );
    refuses(&folder, &["balance", "restrict"], &["--never", "--always"]);
    refuses(
        &folder,
        &["balance", "restrict", "--never", "w2c9"],
        &["--never", "`w2c9`", "nearest is `building:w2c"],
    );
    refuses(
        &folder,
        &["balance", "restrict", "--always", "bilud"],
        &["--always", "`bilud`", "nearest is `build`"],
    );
    refuses(
        &folder,
        &["balance", "restrict", "--never", "claim:nosuch"],
        &["--never", "found `claim:nosuch`", "nearest is `claim:"],
    );
    refuses(
        &folder,
        &["balance", "restrict", "--always", "claim:meadow_swop"],
        &["--always", "nearest is `claim:meadow_swap`"],
    );
    refuses(
        &folder,
        &["balance", "restrict", "--never", "pay:f31"],
        &["--never", "nearest is `pay:f"],
    );
    refuses(
        &folder,
        &["balance", "restrict", "--never", "one_pebble", "--game", "glassworks"],
        &["--never", "`one_pebble`"],
    );
    refuses(
        &folder,
        &["balance", "restrict", "--never", "swap", "--bot", "oracle"],
        &["--bot", "`oracle`"],
    );
    refuses(
        &folder,
        &["balance", "restrict", "--never", "swap", "--ladder", "random,random"],
        &["--ladder", "`random` twice"],
    );
    refuses(
        &folder,
        &["balance", "restrict", "--never", "swap", "--ladder", "random", "--bot", "random"],
        &["--ladder", "--bot"],
    );
}

/// A bot that may not build loses the points of its buildings; one that may not do what it never
/// does loses nothing at all.
#[test]
fn a_restriction_costs_its_known_loss() {
    let folder = TempDir::new().unwrap();
    let text = study(
        folder.path(),
        "plans",
        &["restrict", "--never", "build", "--always", "building:w3c2s2", "--games", "600"],
    );
    let rows = read_rows(&fs::read_to_string(folder.path().join("plans/restricted.csv")).unwrap());
    let row = |plan: &str, measure: &str| {
        rows.iter().find(|row| row["restriction"] == plan && row["metric"] == measure).unwrap()
    };
    assert!(number(row("never build", "score"), "difference_ci_high") < -5.0, "{text}");
    assert!(number(row("never build", "win_share"), "difference_ci_high") < -0.25, "{text}");
    assert_eq!(row("never build", "score")["n"], "600");
    assert_eq!(
        row("all together", "score")["difference"],
        row("never build", "score")["difference"],
        "what is forbidden can't be wanted"
    );

    study(
        folder.path(),
        "nothing",
        &["restrict", "--bot", "random", "--never", "pay", "--games", "50"],
    );
    let rows =
        read_rows(&fs::read_to_string(folder.path().join("nothing/restricted.csv")).unwrap());
    for row in &rows {
        assert!(
            number(row, "difference") == 0.0
                && row["binding_decisions"] == "0"
                && row["flag"] == "constant",
            "{row:?}"
        );
        assert!(row["p"].is_empty() && row["p_holm"].is_empty(), "{row:?}");
        // What a seat wins differs by 1 at most, and of 25 blocks none does; of scores there is no
        // such limit.
        let ends = ["difference_ci_low", "difference_ci_high"].map(|end| row[end].clone());
        let limit = 1.0 - 0.05_f64.powf(1.0 / 25.0);
        let expected = if row["metric"] == "win_share" {
            [-limit, limit].map(|end| format!("{end:.6}"))
        } else {
            Default::default()
        };
        assert_eq!(ends, expected, "{row:?}");
    }
}

#[test]
fn too_few_deals_have_no_interval() {
    let folder = TempDir::new().unwrap();
    for arguments in [
        &["restrict", "--never", "swap", "--games", "10"][..],
        &["ablate", "--players", "4", "--rate", "1", "--games", "19", "--item", "w2"],
        &["luck", "--games", "12"],
    ] {
        let text = study(folder.path(), arguments[0], arguments);
        assert!(!text.contains("inf") && !text.contains("NaN"), "{text}");
    }
}

/// Every rung of a ladder is the run of its bot alone.
#[test]
fn a_ladder_equals_separate_runs_of_its_bots() {
    let folder = TempDir::new().unwrap();
    let rows = |out: &str, bots: [&str; 2]| {
        study(
            folder.path(),
            out,
            &[
                "restrict", "--never", "swap", "--always", "build", "--games", "100", bots[0],
                bots[1],
            ],
        );
        let text = fs::read_to_string(folder.path().join(out).join("restricted.csv")).unwrap();
        read_rows(&text)
            .into_iter()
            .map(|row| {
                ((row["lineup"].clone(), row["metric"].clone(), row["restriction"].clone()), row)
            })
            .collect()
    };
    let ladder: BTreeMap<_, _> = rows("ladder", ["--ladder", "random,balanced"]);
    let alone = [rows("random", ["--bot", "random"]), rows("balanced", ["--bot", "balanced"])];
    assert!(alone.iter().all(|rows| rows.len() == 9));
    let alone: BTreeMap<_, _> = alone.into_iter().flatten().collect();
    assert_eq!(ladder.len(), alone.len());
    for (key, row) in &alone {
        assert!(
            row.iter().all(|(column, value)| column == "flag" || *value == ladder[key][column]),
            "{row:?} {:?}",
            ladder[key]
        );
    }
    let page = fs::read_to_string(folder.path().join("ladder/report.html")).unwrap();
    for bot in ["random", "balanced"] {
        assert!(page.contains(&format!("All restrictions: score, by {bot}")), "{bot}");
    }
}

/// A plan that helps one bot and harms another flips, with both and for no third that it does not
/// change.
#[test]
fn a_restriction_that_changes_sign_between_bots_is_flagged() {
    let result = |bot: &str, change: i64| {
        let mut restriction =
            RestrictionTally { binding_decisions: 1, ..RestrictionTally::default() };
        for sums in &mut restriction.sums {
            (0..30).for_each(|block| sums.add_block((2, 10), (2, 10 + change * (1 + block % 2))));
        }
        let restrictions = vec![restriction];
        let tally = RestrictTally { blocks: 30, restrictions, ..RestrictTally::default() };
        LineupResult { lineup: bot.to_owned(), bots: vec![bot.to_owned()], tally }
    };
    let names = ["never swap".to_owned()];
    let flags = |results: &[LineupResult<RestrictTally>]| -> Vec<String> {
        let analysis = RestrictAnalysis::new(&names, results);
        let table = analysis.table(&Claim::new("invented"));
        let text = analysis.text(&table);
        let flips = text.contains("] ") && text.contains("flips\n");
        assert_eq!(flips, text.contains("[+") && text.contains("[-"), "{text}");
        let rows = read_rows(&String::from_utf8(table.csv()).unwrap());
        rows.into_iter()
            .filter(|row| row["metric"] == "score")
            .map(|row| row["flag"].clone())
            .collect()
    };
    assert_eq!(
        flags(&[result("one", 3), result("two", -3), result("three", 0)]),
        ["flips", "flips", "constant"]
    );
    assert_eq!(flags(&[result("one", 3), result("two", 2)]), ["", ""]);
}
