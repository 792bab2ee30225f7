//! The games of a book and their forks.

use std::{collections::BTreeSet, mem};

use super::{
    estimate::is_settled,
    tally::{ActionSums, BookTally, EXAMPLE_GAMES, PRIOR_UNITS, SituationKey},
};
use crate::{
    arena::{
        block_experiment::{BlockExperiment, play_by_block},
        intervention::without_actions,
        play::{Decision, Event, FirstPlayer, Observer, play_from},
        players::{Players, SavedGame},
        run::{Experiment, JobPlayer, Seating},
    },
    bots::View,
    game::{ActionSet as _, FullGame, MAX_SEATS, Outcome, Seat, SituationPart, Turn},
    rng::{Purpose, random_below, stream},
    stats::Merge as _,
};

/// Weight of a fork in a settled group, of whose decisions one in this number is forked.
pub const SETTLED_WEIGHT: i64 = 4;

/// Number of codes of actions.
const CODES: usize = 1 << u8::BITS;

/// The decisions that an epoch forks less often.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Allocation {
    settled: BTreeSet<SituationKey>,
}

impl Allocation {
    /// Returns the allocation after the games of the epochs before. A group of the second level is
    /// settled if its best action is significantly better than each other one.
    pub fn after(tally: &BookTally) -> Self {
        let groups = tally.situations.iter().filter(|(key, _)| key.level() == 2);
        let settled = groups.filter(|(_, sums)| is_settled(sums));
        Self { settled: settled.map(|(key, _)| key.clone()).collect() }
    }

    /// Returns the number of settled groups.
    pub fn settled_groups(&self) -> usize {
        self.settled.len()
    }

    /// Returns the weight of a fork in a situation, the finest group.
    fn weight(&self, key: &SituationKey) -> i64 {
        let mut ancestors = key.clone().ancestors();
        let is_settled = ancestors.any(|group| group.level() == 2 && self.settled.contains(&group));
        if is_settled { SETTLED_WEIGHT } else { 1 }
    }
}

/// An epoch of a book: games of one policy in all seats, with forks at opening decisions.
#[derive(Debug)]
pub struct BookExperiment<'a, G> {
    /// The game.
    pub game: &'a G,
    /// The settings.
    pub plan: BookPlan<'a>,
}

/// The settings of an epoch of a book, for any game.
#[derive(Clone, Debug)]
pub struct BookPlan<'a> {
    /// The games: a bot in all seats. Game k is game k of `simulate` with this seed and bot.
    pub experiment: Experiment<'a>,
    /// Number of opening steps of each seat.
    pub steps: usize,
    /// Maximum number of actions of a fork.
    pub max_actions: usize,
    /// Smallest prior of a plausible action, if a decision has more than `max_actions`.
    pub min_prior: f64,
    /// One decision in this number is forked after the first opening step of a seat.
    pub thin: u32,
    /// The decisions that are forked less often.
    pub allocation: &'a Allocation,
}

/// A decision of a game, and the outcomes of its fork.
struct OpeningDecision {
    seat: Seat,
    key: SituationKey,
    chosen: u8,
    /// Weight of the fork; 0 if the decision is not forked.
    weight: i64,
    /// The plausible actions, in ascending order of their codes.
    arms: Vec<ForkArm>,
}

/// A plausible action of a fork.
struct ForkArm {
    code: u8,
    /// Its prior, in units of 1/[`PRIOR_UNITS`]; the priors of a fork add up to 1.
    prior: i64,
    /// The outcome with the action; `None` if it is that of the game itself, because the policy
    /// chose the action.
    played_on: Option<Outcome>,
}

impl<G: FullGame> BlockExperiment for BookExperiment<'_, G> {
    type Tally = BookTally;

    fn experiment(&self) -> &Experiment<'_> {
        &self.plan.experiment
    }

    fn player(&self) -> JobPlayer<'_, BookTally> {
        let mut bots = self.plan.experiment.build_bots();
        play_by_block(self, move |block, on_games_finished, tally| {
            let (game, experiment) = (self.game, &self.plan.experiment);
            let seating = Seating { block, rotation: 0, bot_in: std::array::from_fn(|seat| seat) };
            let mut players = experiment.seat_players(&mut bots, &seating);
            let mut chance = experiment.chance_streams(game, block);
            let mut forks =
                Forks { block, next_step: [0; MAX_SEATS], decisions: Vec::new(), tally };
            let mut first_player = FirstPlayer::default();
            let mut record =
                (block < EXAMPLE_GAMES).then(|| experiment.empty_record(block, &seating.bot_in));
            // Chance determines the first player before the first decision.
            let mut state = game.initial();
            while let Turn::Chance(source) = game.turn(&state) {
                let outcome = game.draw_chance(&state, source, &mut chance);
                let mut observers = (Some(&mut first_player), record.as_mut());
                observers.on_event(game, &state, &Event::Chance(outcome));
                game.apply(&mut state, outcome);
            }
            let first = first_player.0;
            let choose = |decision: &Decision<'_, G>| {
                let action = self.choose(&mut forks, &mut players, decision, first);
                players.observe(decision.seat, action);
                action
            };
            let end = play_from(game, state, &mut chance, choose, record.as_mut());
            let free = game.outcome(&end);
            let decisions = mem::take(&mut forks.decisions);
            tally.games += 1;
            tally.capped += u64::from(free.hit_round_limit);
            for decision in decisions {
                add_decision(tally, block, &decision, &free);
            }
            if let Some(record) = record {
                // All keys are text, which is all that JSON demands.
                let line = serde_json::to_string(&record).unwrap_or_default();
                tally.records.insert(block, line);
            }
            on_games_finished(1);
        })
    }

    fn max_blocks_per_job(&self) -> u64 {
        64
    }
}

impl<G: FullGame> BookExperiment<'_, G> {
    /// Asks the bot that decides, and plays the fork if this is an opening decision.
    fn choose(
        &self,
        forks: &mut Forks<'_>,
        players: &mut Players<'_, G>,
        decision: &Decision<'_, G>,
        first_player: Seat,
    ) -> G::Action {
        let &Self { game, .. } = self;
        let &Decision { state, seat, legal, .. } = decision;
        let step = forks.next_step[seat.index()];
        if step >= self.plan.steps {
            return players.choose(game, decision, legal);
        }
        let saved = players.save(decision);
        let action = players.choose(game, decision, legal);
        let Some(chosen) = game.book_action(state, action) else { return action };
        forks.next_step[seat.index()] += 1;
        if game.book_step_name(step).is_empty() {
            return action;
        }
        let seats = game.seats();
        let situation = game.situation(state, seat);
        let key = SituationKey::new(seat.turn_position(first_player, seats), step, &situation);
        for SituationPart { id, label } in situation.starter.into_iter().chain(situation.open) {
            forks.tally.labels.entry(id).or_insert(label);
        }
        let weight = self.plan.allocation.weight(&key);
        let mut rng =
            stream(self.plan.experiment.seed, forks.block, fork_index(seat, step), Purpose::Fork);
        // Thinning is the same for all decisions of a step, so it needs no weight.
        let thin = if step == 0 { 1 } else { self.plan.thin };
        let is_forked = random_below(&mut rng, weight as u32 * thin) == 0;
        let mut arms =
            if is_forked { self.plausible(players, decision, chosen) } else { Vec::new() };
        // A single action has the effect 0: it is what the policy would choose.
        let weight = if arms.is_empty() { 0 } else { weight };
        if arms.len() > 1 {
            forks.tally.forks += 1;
            for arm in arms.iter_mut().filter(|arm| arm.code != chosen) {
                let played_on = self.play_on(&saved, decision, arm.code);
                forks.tally.continuations += 1;
                forks.tally.capped += u64::from(played_on.hit_round_limit);
                arm.played_on = Some(played_on);
            }
        }
        forks.decisions.push(OpeningDecision { seat, key, chosen, weight, arms });
        action
    }

    /// Returns the plausible actions of a decision with their priors.
    fn plausible(
        &self,
        players: &Players<'_, G>,
        decision: &Decision<'_, G>,
        chosen: u8,
    ) -> Vec<ForkArm> {
        let game = self.game;
        let &Decision { state, seat, legal, .. } = decision;
        let mut priors = [0.0_f64; CODES];
        let mut legal_codes = BTreeSet::new();
        legal.iter().for_each(|action| legal_codes.extend(game.book_action(state, action)));
        let mut add = |action, prior: f64| {
            if let Some(code) = game.book_action(state, action) {
                priors[usize::from(code)] += prior;
            }
        };
        let bot = &players.bots[players.bot_in[seat.index()]];
        if let Some(search) = bot.last_search() {
            for result in &search.actions {
                add(result.action, result.visits as f64);
            }
        } else {
            let view = View::new(game, state, seat);
            let mut rng = players.streams[seat.index()].clone();
            let mut receive = |action, prior: f32| add(action, prior.into());
            if !bot.priors(&view, legal, &mut rng, &mut receive) {
                legal.iter().for_each(|action| add(action, 1.0));
            }
        }
        let total: f64 = priors.iter().sum();
        let are_few = legal_codes.len() <= self.plan.max_actions;
        let is_plausible = |code: &u8| {
            let prior = priors[usize::from(*code)];
            are_few || *code == chosen || prior >= self.plan.min_prior * total
        };
        let mut codes: Vec<u8> = legal_codes.into_iter().filter(is_plausible).collect();
        // The chosen action is always one of them, then those with the highest priors.
        codes.sort_by(|&one, &other| {
            let of_other = priors[usize::from(other)].total_cmp(&priors[usize::from(one)]);
            (other == chosen).cmp(&(one == chosen)).then(of_other).then(one.cmp(&other))
        });
        codes.truncate(self.plan.max_actions);
        codes.sort_unstable();
        let of_codes: Vec<_> = codes.iter().map(|&code| priors[usize::from(code)]).collect();
        let weights = in_units(&of_codes);
        let arm = |(code, prior)| ForkArm { code, prior, played_on: None };
        codes.into_iter().zip(weights).map(arm).collect()
    }

    /// Plays the game on from a decision at which the seat chooses this action of the book.
    fn play_on(&self, saved: &SavedGame<G>, decision: &Decision<'_, G>, code: u8) -> Outcome {
        let &Self { game, .. } = self;
        let offered = without_actions(decision.legal, |action| {
            game.book_action(decision.state, action) != Some(code)
        });
        let mut is_first = true;
        let end = saved.play(game, |players, decision| {
            let offered = if mem::take(&mut is_first) { &offered } else { decision.legal };
            players.choose(game, decision, offered)
        });
        game.outcome(&end)
    }
}

/// The forks of a game in progress.
struct Forks<'a> {
    block: u64,
    /// For each seat, the index of its next opening step.
    next_step: [usize; MAX_SEATS],
    decisions: Vec<OpeningDecision>,
    tally: &'a mut BookTally,
}

/// Returns the index of the stream that decides if a decision is forked.
const fn fork_index(seat: Seat, step: usize) -> u64 {
    (seat.index() + MAX_SEATS * step) as u64
}

/// Returns numbers as integers in proportion to them that add up to [`PRIOR_UNITS`].
fn in_units(priors: &[f64]) -> Vec<i64> {
    let total: f64 = priors.iter().sum();
    let share = |prior: &f64| if total > 0.0 { prior / total } else { 1.0 / priors.len() as f64 };
    let mut units: Vec<i64> =
        priors.iter().map(|prior| (share(prior) * PRIOR_UNITS as f64).floor() as i64).collect();
    let rest = PRIOR_UNITS - units.iter().sum::<i64>();
    let largest = (0..units.len()).max_by_key(|&index| (units[index], std::cmp::Reverse(index)));
    if let Some(largest) = largest {
        units[largest] += rest;
    }
    units
}

/// Adds a decision of a finished game to the sums of all groups of its situation.
fn add_decision(tally: &mut BookTally, block: u64, decision: &OpeningDecision, free: &Outcome) {
    let OpeningDecision { seat, key, chosen, weight, arms } = decision;
    let own = free.win_share(*seat);
    let share_of = |arm: &ForkArm| arm.played_on.as_ref().unwrap_or(free).win_share(*seat);
    let shares: Vec<_> = arms.iter().map(|arm| (arm.code, share_of(arm))).collect();
    let mean: i64 = arms.iter().map(|arm| arm.prior * share_of(arm)).sum();
    for group in key.clone().ancestors() {
        let sums = tally.situations.entry(group).or_default();
        sums.wins.add_block(1, own);
        let mut of_choice = ActionSums::default();
        of_choice.chosen.add_block(1, own);
        if block < EXAMPLE_GAMES {
            of_choice.examples.insert(block);
        }
        sums.actions.entry(*chosen).or_default().merge(&of_choice);
        if *weight == 0 {
            continue;
        }
        for &(code, share) in &shares {
            let action = sums.actions.entry(code).or_default();
            let effect = PRIOR_UNITS * share - mean;
            action.effect[(block % 2) as usize].add_block(*weight, weight * effect);
            action.with_action.add_block(*weight, weight * share);
        }
        for (index, &(one, share)) in shares.iter().enumerate() {
            for &(other, other_share) in &shares[index + 1..] {
                let pair = sums.pairs.entry((one, other)).or_default();
                pair.add_block(*weight, weight * (share - other_share));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priors_add_up_to_their_units() {
        assert_eq!(in_units(&[1.0, 1.0, 1.0]), [334, 333, 333]);
        assert_eq!(in_units(&[0.2, 0.6]), [250, 750]);
        assert_eq!(in_units(&[0.0, 0.0]), [500, 500]);
    }
}
