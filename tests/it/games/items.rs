//! Checks that a game reports items consistently.

use std::collections::{BTreeMap, BTreeSet};

use watershed::game::{ActionSet, FullGame, ItemEvent, ItemId, Seat};

/// The items of some games with the same data.
#[derive(Default)]
pub(crate) struct ItemChecks {
    /// Items that an action chose.
    chosen: BTreeSet<ItemId>,
    /// Items that were available while no legal action chose them, with such a position.
    only_available: BTreeMap<ItemId, String>,
}

impl ItemChecks {
    /// Checks that every item that a legal action takes or chooses is available.
    pub(crate) fn check_decision<G: FullGame>(
        &mut self,
        game: &G,
        state: &G::State,
        legal: &G::Actions,
    ) {
        let mut available = BTreeSet::new();
        game.items_available(legal, |item| _ = available.insert(item));
        let mut chosen = BTreeSet::new();
        for action in legal.iter() {
            let mut chosen_by_action = BTreeSet::new();
            game.items_chosen(legal, action, |item| _ = chosen_by_action.insert(item));
            game.items_taken(legal, action, |item| {
                let name = game.catalog().full_name(item);
                assert!(chosen_by_action.contains(&item), "{name} is taken and not chosen");
            });
            chosen.extend(chosen_by_action);
        }
        if let Some(&item) = chosen.difference(&available).next() {
            let (name, text) = (game.catalog().full_name(item), game.position_text(state));
            panic!("{name} is not available: {text}");
        }
        for &item in available.difference(&chosen) {
            self.only_available.entry(item).or_insert_with(|| game.position_text(state));
        }
        self.chosen.extend(chosen);
    }

    /// Checks that the events of a decision contain the events of its items once.
    pub(crate) fn check_decision_events<G: FullGame>(
        game: &G,
        state: &G::State,
        seat: Seat,
        legal: &G::Actions,
        action: G::Action,
    ) {
        let mut taken = BTreeSet::new();
        game.items_taken(legal, action, |item| _ = taken.insert(item));
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
        });
        assert!(by_seat.is_superset(&taken), "{}", game.action_text(action));
    }

    /// Checks that the item of an event is in a table with such events.
    pub(crate) fn check_event<G: FullGame>(game: &G, event: ItemEvent) {
        let (ItemEvent::Offered(item)
        | ItemEvent::Reserved(_, item)
        | ItemEvent::Taken(_, item)
        | ItemEvent::Scored(_, item, _)) = event;
        let table = game.catalog().table(item);
        match event {
            ItemEvent::Offered(_) => assert!(table.offered, "{}", table.name),
            ItemEvent::Reserved(..) => assert!(table.reservable, "{}", table.name),
            ItemEvent::Taken(..) => {}
            ItemEvent::Scored(..) => assert!(table.scoring, "{}", table.name),
        }
    }

    /// Checks that in tables with chosen items every available item is chosen by some legal action.
    pub(crate) fn check_tables<G: FullGame>(&self, game: &G) {
        let catalog = game.catalog();
        let tables: BTreeSet<_> =
            self.chosen.iter().map(|&item| catalog.table_index(item)).collect();
        for (item, position) in &self.only_available {
            let table = catalog.table_index(*item);
            assert!(!tables.contains(&table), "{}: {position}", catalog.full_name(*item));
        }
    }
}
