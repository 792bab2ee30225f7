//! Interventions offer a bot a part of its legal actions.

use crate::{
    bots::every_bot::bot_names,
    task::{GameTask, bind_and_run},
};
use watershed::BuiltInGame;
use watershed::{
    arena::intervention::{Intervention, RestrictedSeat, Restriction, RestrictionTarget},
    bots::{View, profile::BotLibrary},
    game::{ActionSet, Game, Notation, Seat, Turn},
    games::{GameDefinition, built_in_games, the_river::TheRiver},
    rng::{Purpose, random_below, stream},
};

/// Returns a position of the draft, in which a seat claims one of 3 tiles.
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
fn a_restricted_seat_always_has_a_legal_action() {
    let (game, state, seat) = draft();
    let legal = game.legal_actions(&state);
    let never = [Restriction::Never(RestrictionTarget::Notation("claim:".to_owned()))];
    assert_eq!(
        RestrictedSeat::new(seat, &never).filter_actions(&game, seat, &legal),
        legal,
        "no other action is legal"
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
        "the other seat is not restricted"
    );

    let rules = [Restriction::Always(RestrictionTarget::Kind(0)), Restriction::Never(one)];
    let offered = RestrictedSeat::new(seat, &rules).filter_actions(&game, seat, &legal);
    assert!(offered.len() == legal.len() - 1 && !offered.contains(first));
}

/// Also if the offered actions are a part of the legal ones, and with a tree of an earlier search
/// after which chance events occurred.
#[test]
fn every_bot_chooses_among_the_actions_left() {
    struct Offers;
    impl GameTask for Offers {
        type Output = ();
        fn run<G: BuiltInGame>(self, game: &G, library: &BotLibrary) {
            for name in bot_names(library) {
                let bot = library.read(&name).unwrap_or_else(|error| panic!("{error}"));
                let mut bot = bot.build();
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
    for game in built_in_games().all() {
        bind_and_run(game.id, &game.default_document(), 2, Offers).unwrap();
    }
}
