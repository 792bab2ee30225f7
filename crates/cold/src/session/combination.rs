//! Combinations: choices in succession whose order has no meaning.
//!
//! The rules offer each combination in one order only, that of the notation
//! ([`Notation::combined_words`]). People choose in any order: what the order forbids is offered
//! too, and the events of the combination are written in the order of the rules.
//!
//! [`Notation::combined_words`]: crate::game::Notation::combined_words

use super::{Next, Session};
use crate::game::{ActionSet as _, FullGame, Seat, Turn};

/// Maximum number of choices that must still be made so that a choice fits.
const MAX_FURTHER: usize = 4;
/// Maximum number of positions that are tried for the choices of a combination.
const MAX_TRIED: usize = 1500;

/// The choices of a person in one combination so far.
struct Combination<A> {
    seat: Seat,
    /// The first word of their notations.
    word: &'static str,
    /// The number of events before them.
    start: usize,
    /// The choices: first those that are events, then the pending ones.
    chosen: Vec<A>,
}

/// Receiver of a sequence and of the actions that it does not contain. False ends the search.
type SequenceReceiver<'a, A> = dyn FnMut(&[A], &[A]) -> bool + 'a;

impl<G: FullGame> Session<G> {
    /// Returns the choices of a combination that are not events yet, because the rules ask for
    /// another one first.
    pub fn pending(&self) -> &[G::Action] {
        &self.pending
    }

    /// Returns the actions of the present combination that only its order forbids.
    pub(super) fn forbidden_by_order(&self, legal: &[G::Action]) -> Vec<G::Action> {
        let mut found = Vec::new();
        for combination in self.combinations(legal) {
            let first_state = self.states[combination.start];
            for further in [1, MAX_FURTHER] {
                let mut tried = 0;
                let mut search = |sequence: &[G::Action], left: &[G::Action]| {
                    tried += 1;
                    if left.is_empty() {
                        let mut rest = sequence.to_vec();
                        combination.chosen.iter().for_each(|action| remove(&mut rest, *action));
                        found.extend(rest);
                    }
                    tried < MAX_TRIED
                };
                let chosen = &combination.chosen;
                self.try_orders(
                    &combination,
                    first_state,
                    &mut vec![],
                    chosen,
                    further,
                    &mut search,
                );
            }
        }
        let mut new: Vec<G::Action> = Vec::new();
        for action in found {
            if !new.contains(&action) && (!self.pending.is_empty() || !legal.contains(&action)) {
                new.push(action);
            }
        }
        new
    }

    /// Adds an action that only the order forbids to its combination, and writes as events what
    /// the rules allow now. Returns the number of events that did not change.
    pub(super) fn combine(&mut self, legal: &[G::Action], action: G::Action) -> Option<usize> {
        let word = self.word_of(action)?;
        let mut combinations = self.combinations(legal).into_iter();
        let mut combination = combinations.find(|combination| combination.word == word)?;
        combination.chosen.push(action);
        let mut ordered = None;
        let first_state = self.states[combination.start];
        let chosen = combination.chosen.clone();
        let mut keep = |sequence: &[G::Action], left: &[G::Action]| {
            if left.is_empty() {
                ordered = Some(sequence.to_vec());
            }
            ordered.is_none()
        };
        self.try_orders(&combination, first_state, &mut vec![], &chosen, 0, &mut keep);
        let Some(ordered) = ordered else {
            self.pending.push(action);
            return Some(self.position);
        };
        self.pending.clear();
        self.position = combination.start;
        for action in ordered {
            self.push(action);
        }
        Some(combination.start)
    }

    /// Returns the combinations to which the next choice can belong: that of the last events, and
    /// those that begin now.
    fn combinations(&self, legal: &[G::Action]) -> Vec<Combination<G::Action>> {
        let Next::Person(seat) = self.next() else { return Vec::new() };
        let last = self.events().last().filter(|event| event.seat == Some(seat));
        let last = last.map(|event| event.action);
        let possible: Vec<G::Action> = match self.pending.first() {
            Some(&pending) => vec![pending],
            None => last.into_iter().chain(legal.iter().copied()).collect(),
        };
        let mut words: Vec<_> = possible.iter().filter_map(|&one| self.word_of(one)).collect();
        words.dedup();
        let combination = |word| {
            let is_own = |action| self.word_of(action) == Some(word);
            let events = self.events().iter().rev();
            let own = events.take_while(|one| one.seat == Some(seat) && is_own(one.action));
            let start = self.position - own.count();
            let chosen = self.events[start..self.position].iter().map(|event| event.action);
            let chosen = chosen.chain(self.pending.iter().copied()).collect();
            Combination { seat, word, start, chosen }
        };
        words.into_iter().map(combination).collect()
    }

    /// Returns the first word of an action of a combination.
    fn word_of(&self, action: G::Action) -> Option<&'static str> {
        let words = self.game.combined_words();
        if words.is_empty() {
            return None;
        }
        let text = self.game.action_text(action);
        words.iter().find(|word| text.split(':').next() == Some(word)).copied()
    }

    /// Passes all legal sequences of a combination to `receive`, each with those of the actions
    /// `left` that it does not contain, until it returns false. A sequence has at most `further`
    /// actions that are not among them.
    fn try_orders(
        &self,
        combination: &Combination<G::Action>,
        state: G::State,
        sequence: &mut Vec<G::Action>,
        left: &[G::Action],
        further: usize,
        receive: &mut SequenceReceiver<'_, G::Action>,
    ) -> bool {
        if !receive(sequence, left) {
            return false;
        }
        if self.game.turn(&state) != Turn::Seat(combination.seat) || left.is_empty() && further == 0
        {
            return true;
        }
        for action in self.game.legal_actions(&state).iter() {
            let mut rest = left.to_vec();
            remove(&mut rest, action);
            let is_further = rest.len() == left.len();
            if is_further && further == 0 || self.word_of(action) != Some(combination.word) {
                continue;
            }
            let mut after = state;
            self.game.apply(&mut after, action);
            sequence.push(action);
            let further = further - usize::from(is_further);
            let goes_on = self.try_orders(combination, after, sequence, &rest, further, receive);
            sequence.pop();
            if !goes_on {
                return false;
            }
        }
        true
    }
}

/// Removes an action from a list once.
fn remove<A: PartialEq + Copy>(list: &mut Vec<A>, action: A) {
    if let Some(index) = list.iter().position(|&one| one == action) {
        list.remove(index);
    }
}
