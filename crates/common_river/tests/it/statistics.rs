//! Statistics of We All Take from the River, compared with the records of the same games.

use std::sync::atomic::AtomicBool;

use watershed_common_river::{CommonRiver, state::State};
use watershed_engine::{
    arena::{
        play::{Event, Observer},
        record::Record,
        rounds::RoundsCounter,
        run::Experiment,
        tally::{ItemTally, Tally},
    },
    game::{ActionSet, Game, Notation, Seat, Statistics, Turn},
    games::GameDefinition,
    rng::{Purpose, random_below, stream},
    stats::Merge,
};

use crate::bots::FILES;

type Items = Vec<(String, String)>;

/// Plays with these bots and returns the tally, the items by table and name, and the records.
fn play(bots: &[&str]) -> (Tally, Items, Vec<Record>) {
    let game = CommonRiver::bind(&FILES.default_document(), bots.len()).unwrap();
    let library = FILES.bot_library(&game);
    let bots: Vec<_> = bots.iter().map(|bot| library.read(bot).unwrap()).collect();
    let experiment = Experiment { records: true, ..Experiment::new(&bots, 5, 0..6) };
    let mut tally = Tally::for_game(game.catalog(), experiment.distinct_bots().0.len());
    let mut records = Vec::new();
    let merged = experiment.run(&game, &AtomicBool::new(false), &|_| {}, |batch| {
        tally.merge(&batch.tally);
        let lines = batch.records.iter().flat_map(|lines| lines.lines());
        records.extend(lines.map(|line| serde_json::from_str(line).unwrap()));
        Ok::<_, std::convert::Infallible>(())
    });
    merged.unwrap();
    let catalog = game.catalog();
    let items = catalog
        .ids()
        .map(|item| (catalog.table(item).name.to_owned(), catalog.item(item).name.clone()));
    (tally, items.collect(), records)
}

fn item<'a>(tally: &'a Tally, items: &Items, table: &str, name: &str) -> &'a ItemTally {
    &tally.items
        [items.iter().position(|item| *item == (table.to_owned(), name.to_owned())).unwrap()]
}

fn count(records: &[Record], wanted: impl Fn(&str) -> bool) -> i64 {
    records.iter().flat_map(|record| &record.events).filter(|(_, action)| wanted(action)).count()
        as i64
}

#[test]
fn trades_proposals_and_role_pairs_match_the_records() {
    let (tally, items, records) = play(&["balanced", "helper", "random-kind"]);
    let games = records.len() as i64;
    assert_eq!((tally.games as i64, tally.blocks), (games, 6));
    let any = item(&tally, &items, "trades", "any");
    assert_eq!(any.times_taken, count(&records, |action| action == "accept"));
    assert_eq!(any.taken.n, count(&records, |action| action == "accept" || action == "refuse"));
    assert!(any.times_taken > 0 && any.taken.n > any.times_taken);
    let policies: Vec<_> = ["city", "protect", "subsidy", "unprotect", "unsubsidy"]
        .map(|policy| {
            let policies = item(&tally, &items, "policies", policy);
            assert_eq!(
                policies.taken.n,
                count(&records, |action| action == format!("propose:{policy}")),
                "{policy}"
            );
            (policies.taken.n, policies.times_taken)
        })
        .to_vec();
    assert!(
        policies.iter().all(|(proposed, passed)| passed <= proposed)
            && policies.iter().any(|(proposed, passed)| passed < proposed)
    );
    assert!(
        policies.iter().all(|(proposed, passed)| *proposed > 0 || *passed == 0)
            && policies[0].1 > 0
    );
    // Each seat makes a pair with each of the 2 others.
    let pairs: Vec<_> =
        items.iter().zip(&tally.items).filter(|((table, _), _)| table == "role_pairs").collect();
    assert_eq!(
        (pairs.len(), pairs.iter().map(|(_, pair)| pair.wins_with.n).sum::<i64>()),
        (90, 6 * games)
    );
    for ((_, name), pair) in pairs {
        let (role, other) = name.split_once('+').unwrap();
        assert_eq!(
            pair.wins_with.n,
            item(&tally, &items, "role_pairs", &format!("{other}+{role}")).wins_with.n
        );
    }
}

/// Returns the same position with this pollution.
fn polluted(game: &CommonRiver, state: &State, pollution: u32) -> State {
    let loose = match pollution {
        0 => "loose:-".to_owned(),
        1 => "loose:W2=pollution".to_owned(),
        _ => format!("loose:W2=pollution*{pollution}"),
    };
    let text = game.position_text(state);
    let words: Vec<_> = text
        .split(' ')
        .map(|word| if word.starts_with("loose:") { &loose } else { word })
        .collect();
    game.parse_position(&words.join(" ")).unwrap()
}

/// In 3 days the pollution changes at every decision. A day is measured at its last decision, and
/// the last day at the end of the game.
#[test]
fn round_metrics_are_read_after_the_last_decision_of_a_day() {
    let game = CommonRiver::bind(&FILES.default_document(), 1).unwrap();
    let mut state = game.initial();
    let mut rng = stream(1, 0, 0, Purpose::Playout);
    let mut counter = RoundsCounter::new(game.round_metrics().len()).unwrap();
    let pollution = |day: u32, decisions: u32| 10 * day + decisions;
    let mut decisions = [0; 4];
    loop {
        let day = game.round(&state);
        if let Turn::Chance(_) = game.turn(&state) {
            let outcome = game.sample_chance(&state, &mut rng);
            game.apply(&mut state, outcome);
            continue;
        }
        let legal = game.legal_actions(&state);
        if day > 0 {
            decisions[day as usize] += 1;
            let seen = polluted(&game, &state, pollution(day, decisions[day as usize]));
            let seat = Seat::new(0);
            let decision = Event::Decision { seat, legal: &legal, action: legal.nth(0) };
            Observer::<CommonRiver>::on_event(&mut counter, &game, &seen, &decision);
        }
        if day == 3 {
            break;
        }
        game.apply(&mut state, legal.nth(random_below(&mut rng, legal.len() as u32) as usize));
    }
    Observer::<CommonRiver>::on_end(&mut counter, &game, &polluted(&game, &state, 1));
    counter.end_block();
    let tally = counter.into_tally();
    let curve: Vec<_> =
        tally.rounds.iter().map(|ratios| (ratios[0].ratio.n, ratios[0].ratio.x)).collect();
    let last = |day: u32| i64::from(pollution(day, decisions[day as usize]));
    assert_eq!(game.round_metrics()[0].name, "pollution");
    assert_eq!(
        (curve, (tally.end[0].ratio.n, tally.end[0].ratio.x)),
        (vec![(1, last(1)), (1, last(2)), (1, 1)], (1, 1))
    );
}
