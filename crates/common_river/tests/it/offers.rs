//! Offers of bots that search: one decision, which partners accept.

use watershed_common_river::{CommonRiver, state::State};
use watershed_engine::{
    arena::play::{Event, Observer, play_game},
    bots::{Bot, BotFactory, View},
    game::{ActionSet as _, Game, Notation as _},
    games::GameDefinition,
    rng::{ChanceStreams, Purpose, stream},
};

use crate::bots::FILES;

/// Plays games of searches and returns the texts of all choices between several actions.
fn choices(game: &CommonRiver, games: u64) -> Vec<String> {
    let bot = BotFactory::from(FILES.profile_library(game).read("mcts:iterations=16").unwrap());
    let mut choices = Vec::new();
    for number in 0..games {
        let mut bots: Vec<Box<dyn Bot<CommonRiver>>> =
            (0..game.seats()).map(|_| bot.build()).collect();
        let mut rng = stream(1, number, 0, Purpose::Bot(0));
        let mut chance = ChanceStreams::new(1, number, game.chance_sources().len());
        let choose = |view: &View<'_, CommonRiver>, legal: &_| {
            let action = bots[view.seat().index()].choose(view, legal, &mut rng);
            if legal.len() > 1 {
                choices.push(game.action_text(action));
            }
            action
        };
        play_game(game, &mut chance, choose, ());
    }
    choices
}

#[test]
fn partners_accept_a_third_of_the_offers_and_talk_is_a_small_part_of_the_game() {
    let game = CommonRiver::bind(&FILES.default_document(), 3).unwrap();
    let choices = choices(&game, 12);
    let count = |words: &[&str]| {
        let is_one = |choice: &&String| words.contains(&choice.split(':').next().unwrap());
        choices.iter().filter(is_one).count() as f64
    };
    let (accepted, refused) = (count(&["accept"]), count(&["refuse"]));
    assert!(accepted > 10.0, "{accepted} of {} offers", accepted + refused);
    assert!(accepted >= 0.3 * (accepted + refused), "{accepted} of {}", accepted + refused);
    let talk = count(&["offer", "give", "for", "get", "send", "accept", "refuse"]);
    assert!(talk <= 0.2 * choices.len() as f64, "{talk} of {} choices", choices.len());
}

#[test]
fn offers_are_exchanges_unless_all_win_together() {
    for (players, shares) in [(2, true), (3, false)] {
        let game = CommonRiver::bind(&FILES.default_document(), players).unwrap();
        let (mut exchanges, mut gifts) = (0, 0);
        let mut rng = stream(2, 0, 0, Purpose::Playout);
        let mut chance = ChanceStreams::new(2, 0, game.chance_sources().len());
        let observer = Decisions(|state: &State| {
            for offer in game.offers(state) {
                let is_exchange = ["give", "get"].iter().all(|word| {
                    offer.actions.iter().any(|&action| game.action_text(action).starts_with(word))
                });
                let is_shared = game.is_shared(state);
                assert!(is_exchange || is_shared && shares, "{offer:?}");
                exchanges += usize::from(is_exchange);
                gifts += usize::from(!is_exchange);
            }
        });
        play_game(&game, &mut chance, |_, legal| legal.sample(&mut rng), observer);
        assert!(exchanges > 20, "{exchanges} {gifts}");
    }
}

/// Calls a function with each position in which a seat decides.
struct Decisions<F>(F);

impl<F: FnMut(&State)> Observer<CommonRiver> for Decisions<F> {
    fn on_event(&mut self, _: &CommonRiver, state: &State, event: &Event<'_, CommonRiver>) {
        if matches!(event, Event::Decision { .. }) {
            (self.0)(state);
        }
    }
}
