//! Plays the same deals under two data files in lockstep, to see whether a change of the data
//! changes any choice of the bots.

use std::{collections::HashMap, ops::Range, sync::atomic::AtomicBool};

use super::{
    play::Decision,
    run::{Experiment, Seating, run_and_merge},
};
use crate::{
    bots::Bot,
    game::{ActionSet, FullGame, Turn},
    stats::tally,
};

/// Games of a baseline and of a variant with the same seed, blocks and number of bots, each
/// followed until they differ in a choice or in a chance outcome.
#[derive(Clone, Debug)]
pub struct Lockstep<'a, G> {
    /// The games of the baseline and of the variant.
    pub games: [&'a G; 2],
    /// The baseline.
    pub baseline: Experiment<'a>,
    /// The variant.
    pub variant: Experiment<'a>,
}

tally! {
    /// Counts of games in lockstep.
    #[derive(Copy)]
    pub struct LockstepTally {
        /// Games, one of each block.
        pub games: u64,
        /// Decisions at which both files had the same past.
        pub decisions: u64,
        /// Decisions of these with different legal actions.
        pub legal_differs: u64,
        /// Games in which a bot made another choice.
        pub choice_differs: u64,
        /// Games in which a chance outcome, or the seat to move, was another one.
        pub chance_differs: u64,
        /// Games with the same choices to the end and another outcome.
        pub outcome_differs: u64,
        /// Games with the same choices and outcome.
        pub same: u64,
    }
}

/// Number of games of which at most one has another choice if the bots hardly use the change.
const GAMES_PER_USE: u64 = 100;

/// The use that the bots of a lineup make of a change of the data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UseOfChange {
    /// Choices differ.
    Used,
    /// A choice differs in at most 1 game of 100.
    HardlyUsed,
    /// Legal actions differ, and no choice does.
    Unused,
    /// Outcomes differ, and no choice does.
    Unseen,
    /// Nothing differs.
    WithoutEffect,
    /// The deals themselves differ, so choices cannot be compared.
    OtherDeals,
}

impl UseOfChange {
    /// Returns true if the bots played as if the data had not changed, or nearly so.
    pub const fn is_blind(self) -> bool {
        matches!(self, Self::HardlyUsed | Self::Unused | Self::Unseen | Self::WithoutEffect)
    }
}

impl LockstepTally {
    /// Returns the use that the bots made of the change.
    pub const fn use_of_change(&self) -> UseOfChange {
        if self.choice_differs * GAMES_PER_USE > self.games {
            UseOfChange::Used
        } else if self.choice_differs > 0 && self.chance_differs == 0 {
            UseOfChange::HardlyUsed
        } else if self.chance_differs > 0 || self.games == 0 {
            UseOfChange::OtherDeals
        } else if self.outcome_differs > 0 {
            UseOfChange::Unseen
        } else if self.legal_differs > 0 {
            UseOfChange::Unused
        } else {
            UseOfChange::WithoutEffect
        }
    }
}

/// The bots of both sides, and the notations of the actions of both games met so far.
struct Sides<G: FullGame> {
    bots: [Vec<Box<dyn Bot<G>>>; 2],
    texts: [HashMap<G::Action, String>; 2],
}

/// Returns true if an action of each game have the same notation.
fn has_same_text<G: FullGame>(
    [one, other]: [&G; 2],
    [texts, other_texts]: &mut [HashMap<G::Action, String>; 2],
    [action, other_action]: [G::Action; 2],
) -> bool {
    let text = texts.entry(action).or_insert_with(|| one.action_text(action));
    let other_text =
        other_texts.entry(other_action).or_insert_with(|| other.action_text(other_action));
    text == other_text
}

impl<G: FullGame> Lockstep<'_, G> {
    /// Plays the first game of each block on the threads of the current pool.
    pub fn run(&self, stop: &AtomicBool) -> LockstepTally {
        let sides = || Sides {
            bots: [self.baseline.build_bots(), self.variant.build_bots()],
            texts: [HashMap::new(), HashMap::new()],
        };
        let play = |sides: &mut Sides<G>, job: Range<u64>| {
            let mut tally = LockstepTally::default();
            job.for_each(|block| self.play_game(sides, block, &mut tally));
            tally
        };
        let blocks = self.baseline.blocks.clone();
        run_and_merge(LockstepTally::default(), blocks, stop, sides, play)
    }

    fn play_game(&self, sides: &mut Sides<G>, block: u64, tally: &mut LockstepTally) {
        let [one, other] = self.games;
        let Sides { bots: [bots_of_one, bots_of_other], texts } = sides;
        let seating = |experiment: &Experiment<'_>| {
            let bot_in = experiment.bot_in(&experiment.rotations(), 0);
            Seating { block, rotation: 0, bot_in }
        };
        let mut players = self.baseline.seat_players(bots_of_one, &seating(&self.baseline));
        let mut other_players = self.variant.seat_players(bots_of_other, &seating(&self.variant));
        let mut chance = self.baseline.chance_streams(one, block);
        let mut other_chance = self.variant.chance_streams(other, block);
        let [mut state, mut other_state] = [one.initial(), other.initial()];
        let mut is_same =
            |action, other_action| has_same_text(self.games, texts, [action, other_action]);
        tally.games += 1;
        loop {
            match (one.turn(&state), other.turn(&other_state)) {
                (Turn::Chance(source), Turn::Chance(other_source)) => {
                    let outcome = one.draw_chance(&state, source, &mut chance);
                    let other_outcome =
                        other.draw_chance(&other_state, other_source, &mut other_chance);
                    if !is_same(outcome, other_outcome) {
                        tally.chance_differs += 1;
                        return;
                    }
                    one.apply(&mut state, outcome);
                    other.apply(&mut other_state, other_outcome);
                }
                (Turn::Seat(seat), Turn::Seat(other_seat)) if seat == other_seat => {
                    let legal = one.legal_actions(&state);
                    let other_legal = other.legal_actions(&other_state);
                    tally.decisions += 1;
                    let has_same_actions = legal.len() == other_legal.len()
                        && legal
                            .iter()
                            .zip(other_legal.iter())
                            .all(|(action, other_action)| is_same(action, other_action));
                    tally.legal_differs += u64::from(!has_same_actions);
                    let decision = Decision { state: &state, seat, legal: &legal, chance: &chance };
                    let action = players.choose(one, &decision, &legal);
                    let decision = Decision {
                        state: &other_state,
                        seat,
                        legal: &other_legal,
                        chance: &other_chance,
                    };
                    let other_action = other_players.choose(other, &decision, &other_legal);
                    if !is_same(action, other_action) {
                        tally.choice_differs += 1;
                        return;
                    }
                    players.observe(seat, action);
                    other_players.observe(seat, other_action);
                    one.apply(&mut state, action);
                    other.apply(&mut other_state, other_action);
                }
                (Turn::Over, Turn::Over) => {
                    if one.outcome(&state) == other.outcome(&other_state) {
                        tally.same += 1;
                    } else {
                        tally.outcome_differs += 1;
                    }
                    return;
                }
                _ => {
                    tally.chance_differs += 1;
                    return;
                }
            }
        }
    }
}
