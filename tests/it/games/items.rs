//! Checks that the games report items consistently: in random games, every item that an action
//! takes is available before, and every available item of a table with such items is taken by one
//! of the legal actions.

use std::collections::{BTreeMap, BTreeSet};

use watershed::{
    bots::profile::BotLibrary,
    game::{ActionSet, FullGame, ItemEvent, ItemId, Seat, Turn},
    games::{GameName, GameTask},
    rng::{Purpose, stream},
    search::playout::{Policy, UniformKind},
};

const GAMES: u64 = 30;

struct Conformance;

impl GameTask for Conformance {
    type Output = ();

    fn run<G: FullGame>(self, game: &G, _library: &BotLibrary<'_>) {
        let mut checks = Checks::default();
        for index in 0..GAMES {
            checks.play_game(game, index);
        }
        let catalog = game.catalog();
        let tables: BTreeSet<_> =
            checks.chosen.iter().map(|&item| catalog.table_index(item)).collect();
        for (item, position) in checks.only_available {
            let table = catalog.table_index(item);
            assert!(!tables.contains(&table), "{}: {position}", catalog.full_name(item));
        }
        for event in checks.events {
            let (ItemEvent::Offered(item)
            | ItemEvent::Reserved(_, item)
            | ItemEvent::Taken(_, item)
            | ItemEvent::Scored(_, item, _)) = event;
            let table = catalog.table(item);
            match event {
                ItemEvent::Offered(_) => assert!(table.offered, "{}", table.name),
                ItemEvent::Reserved(..) => assert!(table.reservable, "{}", table.name),
                ItemEvent::Taken(..) => {}
                ItemEvent::Scored(..) => assert!(table.scoring, "{}", table.name),
            }
        }
    }
}

#[derive(Default)]
struct Checks {
    /// Items that an action chose.
    chosen: BTreeSet<ItemId>,
    /// Items that were available where no legal action chose them, with such a position.
    only_available: BTreeMap<ItemId, String>,
    events: Vec<ItemEvent>,
}

impl Checks {
    fn play_game<G: FullGame>(&mut self, game: &G, index: u64) {
        let mut rng = stream(index, 0, 0, Purpose::Playout);
        let mut state = game.initial();
        loop {
            let action = match game.turn(&state) {
                Turn::Chance(_) => {
                    let outcome = game.sample_chance(&state, &mut rng);
                    game.item_events(&state, outcome, |event| self.events.push(event));
                    outcome
                }
                Turn::Seat(seat) => {
                    let legal = game.legal_actions(&state);
                    self.check_decision(game, &state, &legal);
                    let action = UniformKind.choose(game, &state, seat, &legal, &mut rng);
                    self.check_events(game, &state, seat, &legal, action);
                    action
                }
                Turn::Over => break,
            };
            game.apply(&mut state, action);
        }
        game.final_events(&state, |event| self.events.push(event));
    }

    fn check_decision<G: FullGame>(&mut self, game: &G, state: &G::State, legal: &G::Actions) {
        let mut available = BTreeSet::new();
        game.items_available(legal, |item| {
            available.insert(item);
        });
        for action in legal.iter() {
            game.items_taken(legal, action, |item| {
                let mut is_chosen = false;
                game.items_chosen(legal, action, |chosen| is_chosen |= chosen == item);
                assert!(is_chosen, "{} is taken", game.catalog().full_name(item));
            });
            game.items_chosen(legal, action, |item| {
                let (name, text) = (game.catalog().full_name(item), game.position_text(state));
                assert!(available.contains(&item), "{name} is not available: {text}");
                self.chosen.insert(item);
            });
        }
        let mut chosen = BTreeSet::new();
        for action in legal.iter() {
            game.items_chosen(legal, action, |item| {
                chosen.insert(item);
            });
        }
        for &item in available.difference(&chosen) {
            self.only_available.entry(item).or_insert_with(|| game.position_text(state));
        }
    }

    /// Checks that the events of a decision are those of its items and no others of their tables.
    fn check_events<G: FullGame>(
        &mut self,
        game: &G,
        state: &G::State,
        seat: Seat,
        legal: &G::Actions,
        action: G::Action,
    ) {
        let mut taken = BTreeSet::new();
        game.items_taken(legal, action, |item| {
            taken.insert(item);
        });
        game.item_events(state, action, |event| {
            let is_repeated = matches!(event, ItemEvent::Taken(_, item) if taken.contains(&item));
            assert!(!is_repeated, "{event:?} is reported twice");
        });
        let mut by_seat = BTreeSet::new();
        game.decision_events(state, seat, legal, action, |event| {
            if let ItemEvent::Taken(taker, item) = event
                && taker == seat
            {
                by_seat.insert(item);
            }
            self.events.push(event);
        });
        assert!(by_seat.is_superset(&taken), "{}", game.action_text(action));
    }
}

#[test]
fn items_taken_are_available_and_reported_once() {
    for game in GameName::ALL {
        for players in game.min_players()..=game.max_players() {
            game.bind_and_run(&game.default_document(), players, Conformance).unwrap();
        }
    }
}
