//! The parts of a game that statistics observe: items, openings and metrics of each round.

use super::{ActionSet, Game, ItemCatalog, ItemEvent, ItemId, Seat, Situation};

/// A number observed in positions, whose mean is estimated for each round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RoundMetric {
    /// Name in tables.
    pub name: &'static str,
    /// True if every observation is 0 or 1, so that the mean is a share.
    pub is_share: bool,
    /// True if a seat that does not fulfil it at the end of the game does not win. The observations
    /// are then the seats that need it.
    pub is_condition: bool,
}

impl RoundMetric {
    /// Creates a metric with any integer values.
    pub const fn number(name: &'static str) -> Self {
        Self { name, is_share: false, is_condition: false }
    }

    /// Creates a metric with values 0 and 1.
    pub const fn share(name: &'static str) -> Self {
        Self { name, is_share: true, is_condition: false }
    }

    /// Creates a metric of a condition of winning, with value 1 for a seat that fulfils it.
    pub const fn condition(name: &'static str) -> Self {
        Self { name, is_share: true, is_condition: true }
    }
}

/// Maximum number of kinds of resources.
pub const MAX_RESOURCES: usize = 15;

/// Amounts of the resources of a seat. Entries beyond the kinds of the game are 0.
pub type ResourceAmounts = [i32; MAX_RESOURCES];

/// The resources of seats whose flow is counted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ResourceFlow {
    /// Names of the kinds, at most [`MAX_RESOURCES`].
    pub kinds: Vec<String>,
    /// Names of the sources of changes. The first has the resources at the beginning and all
    /// changes of the setup, the second one later changes, both except those that
    /// [`Statistics::resource_changes`] reports.
    pub sources: &'static [&'static str],
    /// The source that takes resources for nothing; none if it is empty.
    pub loss: &'static str,
}

/// Maximum number of reasons for which games end.
pub const MAX_END_REASONS: usize = 4;

/// A game with items, openings and metrics for statistics. By default there are none.
///
/// An item is *offered* when it is placed where seats can take it, *available* to a seat while one
/// of its legal actions takes it, and *taken* when a seat takes it.
pub trait Statistics: Game {
    /// Returns the items.
    fn catalog(&self) -> &ItemCatalog {
        static EMPTY: ItemCatalog = ItemCatalog::new();
        &EMPTY
    }

    /// Reports the items that `action`, one of the `legal` ones, takes. An item whose taking also
    /// depends on the position is reported by [`Statistics::item_events`] instead.
    fn items_taken(&self, _legal: &Self::Actions, _action: Self::Action, _: impl FnMut(ItemId)) {}

    /// Reports the items that `action` takes or, if it may fail, tries to take.
    fn items_chosen(
        &self,
        legal: &Self::Actions,
        action: Self::Action,
        report: impl FnMut(ItemId),
    ) {
        self.items_taken(legal, action, report);
    }

    /// Reports the items available to the seat with these legal actions, each at least once: those
    /// that one of the actions chooses. A game may report them faster, and may add items that the
    /// seat will take in a later part of its turn.
    fn items_available(&self, legal: &Self::Actions, mut report: impl FnMut(ItemId)) {
        if let Some(bits) = self.available_bits(legal) {
            return self.items_of_bits(bits, report);
        }
        for action in legal.iter() {
            self.items_chosen(legal, action, &mut report);
        }
    }

    /// Returns a set of bits for which [`Statistics::items_of_bits`] reports the items available to
    /// the seat with these legal actions. The meaning of a bit does not depend on the position. A
    /// game with such bits is counted faster, because each bit is looked up once in a game. By
    /// default there are none.
    fn available_bits(&self, _legal: &Self::Actions) -> Option<u128> {
        None
    }

    /// Reports the items of each bit of [`Statistics::available_bits`].
    fn items_of_bits(&self, _bits: u128, _report: impl FnMut(ItemId)) {}

    /// Reports the effects of a decision or chance outcome on items, except those that
    /// [`Statistics::items_taken`] reports. `state` is the position before it.
    fn item_events(&self, _state: &Self::State, _action: Self::Action, _: impl FnMut(ItemEvent)) {}

    /// Reports all effects of a decision of `seat` on items.
    #[inline]
    fn decision_events(
        &self,
        state: &Self::State,
        seat: Seat,
        legal: &Self::Actions,
        action: Self::Action,
        mut report: impl FnMut(ItemEvent),
    ) {
        self.items_taken(legal, action, |item| report(ItemEvent::Taken(seat, item)));
        self.item_events(state, action, report);
    }

    /// Reports the items that are taken and scored at the end of a game.
    fn final_events(&self, _state: &Self::State, _report: impl FnMut(ItemEvent)) {}

    /// Returns the first player if this chance outcome determines it. By default it is seat 0.
    fn first_player(&self, _outcome: Self::Action) -> Option<Seat> {
        None
    }

    /// Returns the code, at least 1, of the opening step that a decision in this position makes, if
    /// it makes one.
    fn opening_step(&self, _state: &Self::State, _action: Self::Action) -> Option<u8> {
        None
    }

    /// Returns the notation of an opening step.
    fn opening_step_text(&self, _step: u8) -> String {
        String::new()
    }

    /// Returns the code of the action that a decision in this position is in a book of openings, if
    /// it is one. By default it is the opening step.
    fn book_action(&self, state: &Self::State, action: Self::Action) -> Option<u8> {
        self.opening_step(state, action)
    }

    /// Returns the notation of an action of a book of openings. By default it is that of the
    /// opening step.
    fn book_action_text(&self, code: u8) -> String {
        self.opening_step_text(code)
    }

    /// Returns the name of an action of a book of openings for people. By default it is the
    /// notation.
    fn book_action_label(&self, code: u8) -> String {
        self.book_action_text(code)
    }

    /// Returns the name of the opening decision of a seat with this index, from 0, such as `first
    /// placement`; an empty text if books of openings leave it out. By default they leave out all.
    fn book_step_name(&self, _index: usize) -> String {
        String::new()
    }

    /// Returns the situation in which a seat makes an opening decision.
    fn situation(&self, _state: &Self::State, _seat: Seat) -> Situation {
        Situation::default()
    }

    /// Returns the names in tables of the reasons for which games end, such as `ends_by_tiles`, at
    /// most [`MAX_END_REASONS`]; empty if there is only one. By default it is empty.
    fn end_reasons(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the reasons for which a game ended in this final position, bit r for reason r.
    /// Several may hold.
    fn ended_by(&self, _state: &Self::State) -> u8 {
        0
    }

    /// Returns the metrics that are observed at the end of each round.
    fn round_metrics(&self) -> &'static [RoundMetric] {
        &[]
    }

    /// Reports the metrics of a position: index, number of observations (one for the game, one for
    /// each seat, …) and their sum.
    fn observe_round_metrics(&self, _state: &Self::State, _report: impl FnMut(usize, i64, i64)) {}

    /// Returns the resources whose flow is counted, and the sources of their changes. By default
    /// there are none.
    fn resource_flow(&self) -> ResourceFlow {
        ResourceFlow::default()
    }

    /// Returns the resources of a seat.
    fn held_resources(&self, _state: &Self::State, _seat: Seat) -> ResourceAmounts {
        [0; MAX_RESOURCES]
    }

    /// Reports the changes of resources by a decision or chance outcome: seat, kind, source and
    /// amount, negative for a payment. `state` is the position before it. Changes that are not
    /// reported are known by [`Statistics::held_resources`], and have the source that
    /// [`ResourceFlow::sources`] states.
    fn resource_changes(
        &self,
        _state: &Self::State,
        _action: Self::Action,
        _report: impl FnMut(Seat, usize, usize, i32),
    ) {
    }
}
