//! The ledger of a game: it adds up, and finds the blunders of a weak bot.
#![allow(clippy::float_cmp, reason = "chances of one position are the same number")]

use watershed::BuiltInGame;
use watershed::{
    Experiment, Seat,
    analysis::{
        judge::Analyst,
        ledger::{Annotation, Annotator, LedgerRow, LedgerSource, Mistake::Blunder},
    },
    arena::record::Record,
    game::Turn,
    games::{
        GameDefinition, common_river::CommonRiver, glassworks::Glassworks, the_river::TheRiver,
    },
};

/// Returns the record of a game between copies of a bot.
fn record<G: BuiltInGame>(game: &G, bot: &str, seed: u64) -> Record {
    let lineup = vec![game.bot_library().read(bot).unwrap(); game.seats()];
    let experiment = Experiment { records: true, ..Experiment::new(&lineup, seed, 0..1) };
    let mut lines = String::new();
    let add = |batch: watershed::arena::run::BlockBatch| {
        lines += &batch.records.concat();
        Ok::<_, watershed::ConfigError>(())
    };
    experiment.run(game, &false.into(), &|_| (), add).unwrap();
    serde_json::from_str(&lines).unwrap()
}

/// Annotates a game with small budgets. The costs without the chances of positions are the same.
fn annotate<G: BuiltInGame>(
    game: &G,
    record: &Record,
    policy: &str,
) -> Annotation<G::State, G::Action> {
    let library = game.bot_library();
    let [evaluator, search, policy] =
        ["mcts:iterations=10", "mcts:iterations=100", policy].map(|bot| library.read(bot).unwrap());
    let analyst =
        Analyst { search: &search, policy: &policy, rollouts: 40, candidates: 3, seed: 1 };
    let annotator = Annotator { evaluator: &evaluator, analyst, confirmation: 400 };
    let annotation = annotator.annotate(game, record, || ()).unwrap();
    let events = annotation.events.iter().enumerate();
    let costs: Vec<_> = events.filter_map(|(event, one)| Some((event, one.cost?))).collect();
    assert_eq!(format!("{costs:?}"), format!("{:?}", annotator.costs(game, record).unwrap()));
    annotation
}

/// Start, luck, decisions and revisions add up to the end for each seat, each event begins where
/// the one before ended, and only chance events with several outcomes have luck.
fn check_sums<G: BuiltInGame>(game: &G, record: &Record) {
    let annotation = annotate(game, record, "random");
    assert_eq!(annotation.events.len(), record.events.len());
    let mut before = annotation.start;
    for (event, (_, text)) in annotation.events.iter().zip(&record.events) {
        assert_eq!(event.before, before, "{text}");
        assert_eq!(&game.action_text(event.action), text);
        before = event.after;
        for seat in (0..game.seats()).map(Seat::new) {
            let is_alone = event.choices == 1;
            assert!(!is_alone || event.change(seat).abs() < 1e-9, "{text}");
            let sum = event.change(seat) + event.revision(seat);
            let change = event.after[seat.index()] - event.before[seat.index()];
            assert!((sum - change).abs() < 1e-9, "{text}");
        }
    }
    assert_eq!(annotation.end, before);
    for seat in 0..game.seats() {
        let changes: f64 = annotation.ledger().iter().map(|row| row.changes[seat]).sum();
        let total = annotation.start[seat] + changes;
        assert!((total - annotation.end[seat]).abs() < 1e-9, "{total} {:?}", annotation.end);
    }
    let luck = |row: &&LedgerRow| matches!(row.source, LedgerSource::Luck(_));
    let is_chance = |turn| matches!(turn, Turn::Chance(_));
    let chances = annotation.events.iter().filter(|event| is_chance(event.turn)).count();
    let events: u64 = annotation.ledger().iter().filter(luck).map(|row| row.events).sum();
    assert_eq!(events, chances as u64);
}

#[test]
fn start_luck_decisions_and_revisions_add_up_to_the_end() {
    let river = TheRiver::bind(&TheRiver::default_document(), 3).unwrap();
    check_sums(&river, &record(&river, "random", 1));
    let glassworks = Glassworks::bind(&Glassworks::default_document(), 2).unwrap();
    check_sums(&glassworks, &record(&glassworks, "random", 2));
    let common = CommonRiver::bind(&CommonRiver::default_document(), 1).unwrap();
    check_sums(&common, &record(&common, "random", 3));
}

/// `balanced` never reserves a building, which costs it much against the search; the search against
/// itself makes no blunder.
#[test]
fn blunders_of_a_weak_bot_are_found_and_the_search_makes_none() {
    let game = TheRiver::bind(&TheRiver::default_document(), 2).unwrap();
    let mistakes = |bot: &str| {
        let annotation = annotate(&game, &record(&game, bot, 5), "learned2");
        let mistakes = annotation.mistakes().map(|(_, _, cost)| cost.mistake);
        mistakes.collect::<Vec<_>>()
    };
    let of_weak = mistakes("balanced").iter().filter(|size| **size == Some(Blunder)).count();
    assert!(of_weak >= 2, "{of_weak}");
    let of_search = mistakes("mcts:iterations=200");
    assert!(!of_search.contains(&Some(Blunder)), "{of_search:?}");
}
