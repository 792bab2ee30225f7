//! The ledger of a game: it adds up, and finds the blunders of a weak bot.
#![allow(clippy::float_cmp, reason = "chances of one position are the same number")]

use std::sync::atomic::AtomicBool;

use watershed::BuiltInGame;
use watershed::{
    Experiment, Seat,
    analysis::{
        ledger::{AnnotatedEvent, Annotation, Annotator, LedgerRow, LedgerSource, Mistake, Skill},
        pair_search::PairedSearches,
        reason::Reasoner,
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

/// Annotates a game with searches of some iterations, and of twice as many where they differ.
fn annotate<G: BuiltInGame>(
    game: &G,
    record: &Record,
    iterations: u32,
) -> Annotation<G::State, G::Action> {
    annotate_hinted(game, record, iterations, &[])
}

/// Annotates a game in which hints were given for the decisions of some events.
fn annotate_hinted<G: BuiltInGame>(
    game: &G,
    record: &Record,
    iterations: u32,
    hinted: &[usize],
) -> Annotation<G::State, G::Action> {
    let library = game.bot_library();
    let read = |iterations: u32| library.read(&format!("mcts:iterations={iterations}")).unwrap();
    let searches = [read(iterations), read(2 * iterations)];
    let luck_search = read(10);
    let searches = PairedSearches { bots: &searches };
    let annotator = Annotator {
        searches,
        luck_search: &luck_search,
        seed: 1,
        hinted,
        reasoner: &Reasoner::read(&library).unwrap(),
        stop: &AtomicBool::new(false),
    };
    annotator.annotate(game, record, || ()).unwrap()
}

/// Start, luck, decisions and revisions add up to the end for each seat, each event begins where
/// the one before ended, and only chance events with several outcomes have luck.
fn check_sums<G: BuiltInGame>(game: &G, record: &Record) {
    let annotation = annotate(game, record, 20);
    assert_eq!(annotation.events.len(), record.events.len());
    let mut before = annotation.start;
    for (event, (_, text)) in annotation.events.iter().zip(&record.events) {
        assert_eq!(event.before, before, "{text}");
        assert_eq!(&game.action_text(event.action), text);
        before = event.after;
        for seat in (0..game.seats()).map(Seat::new) {
            let is_alone = event.choices == 1;
            assert!(!is_alone || event.change(seat).abs() < 1e-9, "{text}");
            let is_luck = matches!(event.turn, Turn::Chance(_));
            assert!(!is_luck || event.revision(seat).abs() < 1e-9, "{text}");
            if event.turn == Turn::Seat(seat) {
                let loss = event.cost.map_or(0.0, |cost| cost.loss);
                assert!((event.change(seat) + loss).abs() < 1e-9, "{text}");
                assert!(loss >= 0.0);
            }
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

/// Returns the skill of a seat.
fn skill<S, A>(annotation: &Annotation<S, A>, seat: Seat) -> f64 {
    let own = annotation.events.iter().filter(|event| event.turn == Turn::Seat(seat));
    let decision = |event: &AnnotatedEvent<S, A>| {
        (event.cost.as_ref().map_or(0.0, |cost| cost.loss), event.stake)
    };
    let mut skill = Skill::default();
    skill.add_block(&own.map(decision).collect::<Vec<_>>());
    skill.estimate().unwrap().value
}

/// `balanced` never reserves a building, which costs it much against the search; the search against
/// itself makes few mistakes.
#[test]
fn blunders_of_a_weak_bot_are_found_and_the_search_has_more_skill() {
    let game = TheRiver::bind(&TheRiver::default_document(), 2).unwrap();
    let review = |bot: &str| {
        let annotation = annotate(&game, &record(&game, bot, 5), 200);
        let costs = annotation.events.iter().filter_map(|event| event.cost.as_ref());
        let blunders = costs.filter(|cost| cost.mistake == Some(Mistake::Blunder));
        let skills = [0, 1].map(|seat| skill(&annotation, Seat::new(seat)));
        (blunders.count(), skills[0].min(skills[1]))
    };
    let (of_weak, skill_of_weak) = review("balanced");
    let (of_search, skill_of_search) = review("mcts:iterations=400");
    assert!(of_weak >= 2 && of_weak > 5 * of_search, "{of_weak} {of_search}");
    assert!(skill_of_search > skill_of_weak, "{skill_of_search} {skill_of_weak}");
}

/// A mistake exceeds its threshold, and the best action is another one. After a hint, fewer
/// mistakes are named, but those of random play are certain.
#[test]
fn losses_of_mistakes_exceed_their_thresholds() {
    let game = TheRiver::bind(&TheRiver::default_document(), 2).unwrap();
    let record = record(&game, "random", 7);
    let all: Vec<_> = (0..record.events.len()).collect();
    let mistakes = [&[], &*all].map(|hinted| {
        let mut mistakes = 0;
        for event in &annotate_hinted(&game, &record, 100, hinted).events {
            let Some(cost) = event.cost.filter(|cost| cost.mistake.is_some()) else { continue };
            assert!(cost.loss > cost.mistake.unwrap().threshold(), "{cost:?}");
            assert_ne!(cost.best, event.action);
            mistakes += 1;
        }
        mistakes
    });
    assert!(mistakes[1] > 5 && mistakes[1] < mistakes[0], "{mistakes:?}");
}
