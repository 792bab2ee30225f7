//! Books of openings: effects of actions in situations, by forks of the same past.
//!
//! All seats are played by one bot, the *policy*. At an opening decision, each *plausible* action
//! is played on from the same position with the same chance and the same random streams of the
//! bots. The **effect of an action in a situation** is
//!
//! > the mean, over the decisions of the situation at which the action is plausible, of
//! > W(action) − Σ p(b) W(b),
//!
//! where the sum is over the plausible actions b of the decision. W(b) is the win share of the seat
//! that decides, if it chooses b now and the policy plays everything after it. The weights p(b) are
//! the priors of the policy, divided by their sum, so Σ p(b) W(b) is the mean over what the policy
//! would choose. It is the same for all actions of a decision: the difference of two effects at one
//! decision is W(one) − W(other). The decisions are those of games that the policy plays with
//! itself, so an effect is a statement about play by this policy.
//!
//! An *action* is an opening step, such as "claim this kind of tile" or "reserve a building". Where
//! a step comprises several legal actions, the policy chooses among them. An action is plausible if
//! the policy chose it, or if its prior is at least [`BookPlan::min_prior`]; of many, those
//! with the highest priors are played. If a decision has at most [`BookPlan::max_actions`] actions,
//! all are plausible. Where a single action is plausible, its effect is 0. The prior is the share
//! of the visits of a search, else the prior of the heuristic or network of the bot, else uniform
//! over the legal actions.
//!
//! A *situation* is the turn position and the opening step of a seat, and from coarse to fine its
//! starter and what lies open ([`Situation`](crate::game::Situation)). The seat number is no part
//! of it. A seat is at most once in a game in a situation, so games are independent observations.
//!
//! A book grows in epochs. In the first, every opening decision is forked, or one in
//! [`BookPlan::thin`] after the first step of the seat. Later, decisions of a
//! settled group of situations ([`Allocation`]) are forked with probability 1/[`SETTLED_WEIGHT`]
//! and count [`SETTLED_WEIGHT`] times, which leaves all means unbiased. The allocation of an epoch
//! depends on the sums over the games of the epochs before it and on nothing else.

mod advice;
mod decision;
mod estimate;
mod experiment;
mod file;
mod shrinkage;
mod tally;

pub use advice::policy_text;
pub use decision::BookDecision;
pub use estimate::{BookRow, BookVerdict, PairRow, PairVerdict, TOLERANCE, pair_rows, rows};
pub use experiment::{Allocation, BookExperiment, BookPlan, SETTLED_WEIGHT};
pub use file::{ActionName, Book, BookData, BookHeader, BookIdentity, BookPolicy};
pub use tally::{
    ActionSums, BookTally, EFFECT_UNIT, EXAMPLE_GAMES, PRIOR_UNITS, SituationKey, SituationSums,
};
