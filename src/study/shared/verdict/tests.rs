//! Each rule with the numbers of real runs: edited files on which it must speak, and null runs on
//! which it must not.

use super::*;

const fn value(value: f64, error: f64, n: i64) -> MeasuredValue {
    MeasuredValue { value, error, n }
}

/// The River for 2 players as it is, with 8 meadows and 6 buildings.
fn river() -> RatedGame {
    let figures = [
        (GameFigure::Capped, 0.0, 0.0),
        (GameFigure::Rounds, 4.6, 0.01),
        (GameFigure::Decisions, 54.0, 0.1),
        (GameFigure::LeaderAtHalf, 70.0, 0.7),
        (GameFigure::FirstPlayer, 61.0, 0.6),
        (GameFigure::WinningScore, 34.0, 0.1),
    ];
    let figures: BTreeMap<_, _> = figures
        .into_iter()
        .map(|(figure, mean, error)| (figure, value(mean, error, 4000)))
        .collect();
    let item = |table: usize, index: usize, worth: f64, error: f64, taken: f64| {
        let now = ItemFigures {
            owners: Some(value(50.0, 1.5, 1200)),
            taken: Some(value(taken, 1.0, 1500)),
            worth: Some(value(worth, error, [400, 140][table])),
            points: None,
        };
        let kind = ["meadow", "building"][table];
        RatedItem {
            table,
            id: format!("{kind}_{index}"),
            name: format!("{kind} {index}"),
            now,
            before: now,
            above_others: Some(value(1.0, 3.0, 1200)),
            ..RatedItem::default()
        }
    };
    let meadows = [12.0, 9.0, 5.0, 3.0, 2.0, 2.0, 1.0, 0.0];
    let buildings = [32.0, 29.0, 24.0, 22.0, 20.0, 17.0];
    let meadows = meadows.into_iter().enumerate().map(|(i, worth)| item(0, i, worth, 1.3, 72.0));
    let buildings =
        buildings.into_iter().enumerate().map(|(i, worth)| item(1, i, worth, 4.3, 60.0));
    let table = |plural: &str| RatedTable {
        plural: plural.to_owned(),
        singular: plural.trim_end_matches('s').to_owned(),
    };
    RatedGame {
        players: 2,
        games: 4000,
        smallest: SmallestEffects::new(2, 10.0),
        is_edited: false,
        compared_with: "the built-in game".to_owned(),
        before: Some(figures.clone()),
        figures,
        seats: vec![value(61.0, 0.6, 4000), value(39.0, 0.6, 4000)],
        targets: Vec::new(),
        tables: vec![table("tiles"), table("buildings")],
        items: meadows.chain(buildings).collect(),
    }
}

/// The game with other values in its data file: items with these indices, or rules if there are
/// none.
fn edited(items: &[usize]) -> RatedGame {
    let mut game = RatedGame { is_edited: true, ..river() };
    for &item in items {
        game.items[item].is_edited = true;
    }
    game
}

fn set(game: &mut RatedGame, figure: GameFigure, mean: f64, error: f64) {
    game.figures.insert(figure, value(mean, error, 4000));
}

fn first_sentence(game: &RatedGame) -> String {
    game.verdict().first_sentence(game)
}

#[test]
fn a_null_edit_names_nothing() {
    let mut game = edited(&[2, 3]);
    set(&mut game, GameFigure::FirstPlayer, 60.2, 0.8);
    set(&mut game, GameFigure::LeaderAtHalf, 71.0, 0.8);
    game.items[2].now.taken = Some(value(74.0, 1.0, 1500));
    let verdict = game.verdict();
    assert!(verdict.changes.is_empty() && verdict.blind.is_empty(), "{verdict:?}");
    assert_eq!(first_sentence(&game), "No change that matters against the built-in game.");
    assert_eq!(verdict.cards(), VerdictWord::Good);
}

#[test]
fn the_built_in_game_is_judged_by_levels() {
    let game = river();
    let verdict = game.verdict();
    assert_eq!(verdict.first_sentence(&game), "The first player wins 61 of 100 games; 50 is fair.");
    assert_eq!(game.fairness(), Some(VerdictWord::Bad));
    assert_eq!(verdict.typical, [Some(2.5), Some(23.0)]);
    assert!(verdict.rated(ItemWord::Strong).is_empty());
    assert_eq!(verdict.rated(ItemWord::Fine).first(), Some(&1), "meadow 1, 6.5 above the median");
}

#[test]
fn planted_items_lead() {
    // 16 points: owners win 81 instead of 42; the bot takes it at 13 % of offers.
    let mut game = edited(&[13]);
    let item = &mut game.items[13];
    item.name = "3 wood 2 clay 2 stone → 16".to_owned();
    item.now.owners = Some(value(81.0, 2.2, 300));
    item.before.owners = Some(value(42.0, 2.0, 600));
    item.now.taken = Some(value(13.0, 0.7, 2200));
    item.above_others = Some(value(22.0, 4.5, 300));
    item.now.worth = Some(value(70.0, 6.0, 46));
    item.before.worth = Some(value(22.0, 3.0, 900));
    let verdict = game.verdict();
    assert_eq!(
        verdict.first_sentence(&game),
        "3 wood 2 clay 2 stone → 16: owners now win 81 of 100, not 42."
    );
    assert_eq!(
        verdict.blind_sentence(&game).as_deref(),
        Some("It is taken at 13 % of offers: the bot may not see it.")
    );
    assert_eq!(verdict.rated(ItemWord::Strong), [13], "by few forks too");
    assert_eq!(verdict.cards(), VerdictWord::Bad);
    // Without a reference, the level of the item leads.
    game.before = None;
    game.items[13].before = ItemFigures::default();
    let sentence = game.verdict().first_sentence(&game);
    assert!(sentence.starts_with("3 wood 2 clay 2 stone → 16 is too strong: "), "{sentence}");
}

#[test]
fn a_bot_is_blind_for_one_of_four_reasons() {
    let check = |edit: &dyn Fn(&mut RatedGame), expected: bool| {
        let mut game = edited(&[13]);
        game.items[13].now.taken = Some(value(30.0, 0.7, 2200));
        game.items[13].before.taken = game.items[13].now.taken;
        edit(&mut game);
        assert_eq!(game.verdict().blind == [13], expected, "{:?}", game.items[13]);
    };
    check(&|_| (), false);
    // (a) The largest lower end in null runs was 10.3.
    check(&|game| game.items[13].above_others = Some(value(25.0, 5.0, 300)), true);
    check(&|game| game.items[13].above_others = Some(value(20.0, 5.0, 300)), false);
    // (b) mixed3: owners win 75 instead of 52, the advantage is uncertain.
    let changed = |game: &mut RatedGame| {
        game.items[13].now.owners = Some(value(75.0, 4.0, 150));
        game.items[13].above_others = Some(value(18.0, 6.0, 150));
    };
    check(&changed, true);
    check(
        &|game| {
            changed(game);
            game.items[13].is_edited = false;
        },
        false,
    );
    // (c) network2 takes the planted building at 52 % of offers.
    let second = |advantage| {
        move |game: &mut RatedGame| {
            game.items[13].taken_by_second = Some(value(52.0, 2.0, 900));
            game.items[13].above_others = Some(value(advantage, 3.0, 300));
        }
    };
    check(&second(12.0), true);
    check(&second(8.0), false);
    // (d) Forks show that it is too strong.
    check(&|game| game.items[13].now.worth = Some(value(70.0, 4.0, 60)), true);
    // An item that is taken is seen, and one that is dealt is not chosen.
    check(
        &|game| {
            game.items[13].above_others = Some(value(40.0, 5.0, 300));
            game.items[13].now.taken = Some(value(55.0, 1.0, 900));
        },
        false,
    );
    check(
        &|game| {
            game.items[13].above_others = Some(value(40.0, 5.0, 300));
            game.items[13].is_dealt = true;
        },
        false,
    );
}

#[test]
fn changes_of_figures_lead_by_their_size() {
    // 7 bonus spots.
    let mut game = edited(&[]);
    set(&mut game, GameFigure::Rounds, 10.9, 0.05);
    set(&mut game, GameFigure::Decisions, 128.0, 0.5);
    set(&mut game, GameFigure::FirstPlayer, 55.0, 0.8);
    assert_eq!(first_sentence(&game), "Games now last 10.9 rounds, not 4.6.");
    assert_eq!(game.length(&game.verdict()), VerdictWord::Look);
    // 4 points for the second player.
    let mut game = edited(&[]);
    set(&mut game, GameFigure::FirstPlayer, 32.0, 0.7);
    assert_eq!(first_sentence(&game), "The first player now wins 32 of 100 games, not 61.");
    // Flat bonus tokens: near ties have a fixed order.
    let mut game = edited(&[]);
    set(&mut game, GameFigure::FirstPlayer, 54.0, 0.7);
    set(&mut game, GameFigure::LeaderAtHalf, 64.0, 0.7);
    assert_eq!(first_sentence(&game), "The leader at half time now wins 64 of 100, not 70.");
    // Games that do not end come first.
    set(&mut game, GameFigure::Capped, 7.0, 0.4);
    assert_eq!(first_sentence(&game), "7 of 100 games never end by themselves.");
    assert_eq!(game.length(&game.verdict()), VerdictWord::Bad);
}

#[test]
fn edited_items_of_a_table_are_a_family() {
    let mut game = edited(&[0, 1, 2, 3]);
    for item in &mut game.items[..4] {
        item.now.taken = Some(value(79.0, 1.0, 1500));
    }
    assert_eq!(
        first_sentence(&game),
        "The 4 edited meadows are taken at 79 % of offers, not 72 %."
    );
    // Two edited items are not.
    let mut pair = edited(&[0, 1]);
    for item in &mut pair.items[..2] {
        item.now.taken = Some(value(79.0, 1.0, 1500));
    }
    assert!(pair.verdict().changes.is_empty());
    // A member with twice the score goes first.
    game.items[0].now.owners = Some(value(90.0, 1.5, 1200));
    assert_eq!(first_sentence(&game), "meadow 0: owners now win 90 of 100, not 50.");
}

#[test]
fn items_that_no_edit_touches_count_half() {
    let mut game = edited(&[0]);
    game.items[0].now.taken = Some(value(99.0, 0.1, 1500));
    game.items[0].before.taken = Some(value(60.0, 1.0, 1500));
    game.items[1].now.taken = Some(value(20.0, 1.0, 1500));
    assert_eq!(first_sentence(&game), "meadow 0: now taken at 99 % of offers, not 60 %.");
    assert_eq!(game.verdict().changes.len(), 2);
}

#[test]
fn roles_and_seats_have_the_reference_of_the_bot() {
    // We All Take, 3 players: several or no winners.
    let mut game = RatedGame { players: 3, smallest: SmallestEffects::new(3, 10.0), ..river() };
    game.seats = vec![value(38.0, 0.8, 2000), value(38.0, 0.8, 2000), value(37.0, 0.8, 2000)];
    for (item, wins) in [(8, 69.0), (9, 11.0), (10, 36.0)] {
        let item = &mut game.items[item];
        item.is_dealt = true;
        item.name = format!("role {wins}");
        item.now.owners = Some(value(wins, 1.5, 700));
    }
    let verdict = game.verdict();
    assert_eq!(verdict.first_sentence(&game), "role 69 wins 69 of 100, the mean role 38.");
    assert_eq!(game.fairness(), Some(VerdictWord::Good));
    assert_eq!(game.roles(), VerdictWord::Bad);
    assert_eq!(game.tension(), (VerdictWord::Unjudged, None), "without one winner a game");
    assert_eq!(river().tension(), (VerdictWord::Good, Some(75.0)));
    let mut glassworks = river();
    set(&mut glassworks, GameFigure::LeaderAtHalf, 60.0, 0.8);
    assert_eq!(glassworks.tension().0, VerdictWord::Look);
    glassworks.seats = vec![value(44.0, 0.7, 5000), value(56.0, 0.7, 5000)];
    assert_eq!(glassworks.fairness(), Some(VerdictWord::Look));
}

#[test]
fn targets_are_met_or_missed() {
    let mut game = river();
    game.targets = vec![(GameFigure::Rounds, TargetRange { low: 4.0, high: 5.0 })];
    assert_eq!(game.length(&game.verdict()), VerdictWord::Good);
    game.targets[0].1 = TargetRange { low: 6.0, high: 7.0 };
    let verdict = game.verdict();
    assert_eq!(game.length(&verdict), VerdictWord::Bad);
    assert_eq!(verdict.first_sentence(&game), "Games last 4.6 rounds; the target is 6 to 7.");
}

#[test]
fn few_games_name_no_card() {
    let mut game = RatedGame { games: 200, ..river() };
    game.seats = vec![value(52.0, 3.5, 200), value(48.0, 3.5, 200)];
    for item in &mut game.items {
        item.now.worth = item.now.worth.map(|worth| MeasuredValue { error: 9.0, n: 12, ..worth });
    }
    let verdict = game.verdict();
    assert_eq!(
        verdict.first_sentence(&game),
        "200 games are too few to judge; nothing stands out so far."
    );
    assert_eq!(game.fairness(), Some(VerdictWord::Unsure));
    assert_eq!(verdict.cards(), VerdictWord::Unsure);
}

#[test]
fn hardly_used_items_are_those_below_15_per_cent_for_sure() {
    let mut game = river();
    game.items[12].now.taken = Some(value(14.5, 1.0, 1500));
    game.items[13].now.taken = Some(value(5.0, 1.0, 1500));
    game.items[11].now.taken = Some(value(2.0, 1.0, 20));
    assert_eq!(game.verdict().unused, [13]);
}
