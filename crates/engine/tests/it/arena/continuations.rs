//! Games that are continued from copies of a decision.

use crate::task::{GameTask, bind_and_run};
use watershed::BuiltInGame;
use watershed::{
    arena::play::{Decision, play_from, play_game},
    bots::{Bot, View, profile::BotLibrary},
    game::{FullGame, MAX_SEATS},
    games::built_in_games,
    rng::{ChanceStreams, Purpose, Rng, stream},
};

/// The decisions before which the game is copied.
const COPIED: [usize; 3] = [0, 7, 20];

/// The bots of a game with their streams.
struct Table<G: FullGame> {
    bots: Vec<Box<dyn Bot<G>>>,
    streams: Vec<Rng>,
}

impl<G: FullGame> Clone for Table<G> {
    fn clone(&self) -> Self {
        Self { bots: self.bots.clone(), streams: self.streams.clone() }
    }
}

impl<G: FullGame> Table<G> {
    fn choose(&mut self, game: &G, decision: &Decision<'_, G>) -> G::Action {
        let seat = decision.seat.index();
        let view = View::new(game, decision.state, decision.seat);
        let action = self.bots[seat].choose(&view, decision.legal, &mut self.streams[seat]);
        self.bots.iter_mut().for_each(|bot| bot.observe(decision.seat, action));
        action
    }
}

struct Continue;

impl GameTask for Continue {
    type Output = ();

    fn run<G: BuiltInGame>(self, game: &G, library: &BotLibrary) {
        for name in [
            "random",
            "balanced",
            "mcts:iterations=20",
            "mcts:iterations=20:reuse=0.5",
            "mcts:iterations=20:trees=2:worlds=true",
            "mcts:iterations=20:branching=per-seat",
        ] {
            let bot = library.read(name).unwrap_or_else(|error| panic!("{error}"));
            let mut table = Table {
                bots: (0..game.seats()).map(|_| bot.build()).collect(),
                streams: (0..MAX_SEATS)
                    .map(|seat| stream(5, 0, 0, Purpose::Bot(seat as u8)))
                    .collect(),
            };
            table.bots.iter_mut().for_each(|bot| bot.reset());
            let mut copies = Vec::new();
            let mut choices = Vec::new();
            let mut chance = ChanceStreams::new(5, 0, game.chance_sources().len());
            let choose = |decision: &Decision<'_, G>| {
                if COPIED.contains(&choices.len()) {
                    copies.push((*decision.state, decision.chance.clone(), table.clone()));
                }
                let action = table.choose(game, decision);
                choices.push(action);
                action
            };
            let end = play_from(game, game.initial(), &mut chance, choose, ());
            assert_eq!(copies.len(), COPIED.len(), "{name}");
            for (first, (state, mut chance, mut table)) in COPIED.into_iter().zip(copies) {
                let mut again = Vec::new();
                let choose = |decision: &Decision<'_, G>| {
                    again.push(table.choose(game, decision));
                    again[again.len() - 1]
                };
                assert!(play_from(game, state, &mut chance, choose, ()) == end, "{name}");
                assert_eq!(again, choices[first..], "{name}");
            }
            let mut chance = ChanceStreams::new(5, 0, game.chance_sources().len());
            let mut choices = choices.into_iter();
            let replayed = play_game(game, &mut chance, |_, _| choices.next().unwrap(), ());
            assert!(replayed == end, "{name}");
        }
    }
}

#[test]
fn a_game_continued_from_a_copy_of_any_decision_is_the_same_game() {
    for game in built_in_games().all() {
        bind_and_run(game.id, &game.default_document(), 2, Continue).unwrap();
    }
}
