//! Combinations that people choose in any order.

use std::sync::Arc;

use watershed::{
    BuiltInGame,
    games::{common_river::CommonRiver, glassworks::Glassworks, the_river::TheRiver},
    rng::{Purpose, Rng, random_below, stream},
    session::{Next, Player, Session, Setup},
};

fn begin<G: BuiltInGame>(players: usize, seed: u64) -> Session<G> {
    let setup = Setup {
        game: G::ID.to_owned(),
        config_sha256: String::new(),
        players: vec![Player::Person; players],
        seed,
        chance: watershed::session::ChanceOrigin::Drawn,
    };
    let game = G::bind(&G::default_document(), players).unwrap();
    let mut session = Session::new(Arc::new(game), setup);
    session.advance();
    session
}

/// Takes actions in an order; `None` if one of them is not offered.
fn choose<G: BuiltInGame>(session: &Session<G>, order: [G::Action; 2]) -> Option<Session<G>> {
    let mut session = session.clone();
    for action in order {
        session.advance();
        session.act(action).ok()?;
    }
    session.pending().is_empty().then_some(session)
}

/// Plays random games in which two parts of each combination are chosen in both orders, and
/// returns how often both lead to the same game, and how often a choice was pending.
fn combine<G: BuiltInGame>(players: usize, word: &str, games: u64) -> [usize; 2] {
    let mut found = [0; 2];
    for seed in 0..games {
        let mut session: Session<G> = begin(players, seed);
        let mut rng: Rng = stream(seed, 0, 0, Purpose::Playout);
        while let Next::Person(seat) = session.next() {
            let actions = session.actions();
            let text = |action| session.game().action_text(action);
            let parts = actions.iter().filter(|&&action| text(action).starts_with(word));
            let parts: Vec<_> = parts.copied().collect();
            if parts.len() > 1 && session.pending().is_empty() {
                let one = parts[random_below(&mut rng, parts.len() as u32) as usize];
                let other = parts[random_below(&mut rng, parts.len() as u32) as usize];
                let both = [[one, other], [other, one]].map(|order| choose(&session, order));
                // A sale or an offer ends when nothing that is later in the order can follow, and
                // discards end when the rest fits; the second action is then part of another
                // combination, or not offered.
                let by_same = |game: &Session<G>| {
                    game.events().last().map(|event| event.seat) == Some(Some(seat))
                };
                let both = both.map(|game| game.filter(by_same));
                let is_same = both[0].is_some() == both[1].is_some();
                assert!(
                    !["overflow:", "build:"].contains(&word) || is_same,
                    "{one:?} {other:?} {:?}",
                    session.record()
                );
                if let [Some(straight), Some(reversed)] = &both {
                    // The two can be parts of two combinations in succession.
                    let events = [straight, reversed].map(|session| {
                        let mut events = session.record().events;
                        events.sort_by(|one, other| one.1.cmp(&other.1));
                        events
                    });
                    assert_eq!(events[0], events[1]);
                    assert_eq!(straight.record().undo, session.record().undo);
                    found[0] += usize::from(one != other);
                }
            }
            let action = actions[random_below(&mut rng, actions.len() as u32) as usize];
            let before = session.record();
            session.act(action).unwrap();
            if !session.pending().is_empty() {
                found[1] += 1;
                assert_eq!(session.record(), before, "a pending choice is no event");
                let mut back = session.clone();
                assert!(back.undo() && back.record() == before);
            }
            session.advance();
        }
        assert_eq!(session.next(), Next::Over);
        let game = Arc::clone(session.game());
        let setup = session.setup().clone();
        let loaded = Session::load(game, setup, &session.record()).unwrap();
        assert_eq!(loaded.record(), session.record());
    }
    found
}

#[test]
fn both_orders_lead_to_the_same_game() {
    let found = [
        combine::<TheRiver>(2, "discard:", 300),
        combine::<Glassworks>(2, "overflow:", 30),
        combine::<CommonRiver>(2, "sell:", 10),
        combine::<CommonRiver>(3, "give:", 3),
        combine::<CommonRiver>(2, "build:", 3),
    ];
    assert!(found.iter().all(|[combined, _]| *combined > 2), "{found:?}");
    assert!(found[..3].iter().all(|[_, pending]| *pending > 2), "{found:?}");
}
