//! Additive shares of the variance of win shares, by source.
//!
//! Let V(t) be the expected win share of a seat, given the game up to its random event t. Events
//! change V step by step from its mean over all deals to the result, and the steps are
//! uncorrelated, so the variance of the result is the sum of the variances of the steps. The share
//! of a source is that of the steps at its events. The first step is that from the mean over all
//! seats to that of the seat: the share of the *player*, by the bot and by what the rules give to
//! the seat.
//!
//! No value function is needed. The game is continued from before each event with new random
//! numbers, `CONTINUATIONS` times. Any two games with the same past are independent given this
//! past, so the mean product of their results is an unbiased estimate of V²; the difference between
//! two successive events is the variance of the step. Decisions that draw no random numbers do not
//! change V, and events of one source in succession are one step.

use std::{array, cell::RefCell};

use rand::RngExt as _;

use crate::{
    arena::{
        metric::SeatMetric,
        play::{Decision, Event, Observer, play_from},
    },
    bots::Bot,
    game::{ActionSet as _, Game, MAX_SEATS, PerSeat, Seat, Turn},
    rng::{ChanceStreams, Purpose, Rng, stream},
    stats::ratio::Ratio,
};

/// Number of games that continue from each event, besides the game itself.
const CONTINUATIONS: usize = 2;
/// Number of games with the same past.
const GAMES: usize = CONTINUATIONS + 1;

/// Plays games and their continuations.
#[derive(Clone, Copy, Debug)]
pub(super) struct SharePlayer<'a, G> {
    /// The game.
    pub(super) game: &'a G,
    /// The master seed.
    pub(super) seed: u64,
}

/// The moment before an event, from which a game can be continued.
struct Moment<G: Game> {
    state: G::State,
    bots: Vec<Box<dyn Bot<G>>>,
    /// Source of the event; the bots' choices are the last one.
    source: usize,
}

/// A game in progress.
struct Recorder<'a, G: Game> {
    bots: &'a mut Vec<Box<dyn Bot<G>>>,
    moments: Vec<Moment<G>>,
}

impl<G: Game> Recorder<'_, G> {
    fn is_new(&self, source: usize) -> bool {
        self.moments.last().is_none_or(|moment| moment.source != source)
    }
}

struct Shared<'a, 'b, G: Game>(&'a RefCell<Recorder<'b, G>>);

impl<G: Game> Observer<G> for Shared<'_, '_, G> {
    fn on_event(&mut self, game: &G, state: &G::State, event: &Event<'_, G>) {
        let (Event::Chance(_), Turn::Chance(source)) = (event, game.turn(state)) else { return };
        let mut recorder = self.0.borrow_mut();
        let source = source.0.into();
        if recorder.is_new(source) {
            let bots = recorder.bots.clone();
            recorder.moments.push(Moment { state: *state, bots, source });
        }
    }
}

impl<G: Game> SharePlayer<'_, G> {
    /// Plays a deal and adds its parts to the shares of all sources and to that of the player, the
    /// last.
    pub(super) fn add_deals(
        &self,
        bots: &mut Vec<Box<dyn Bot<G>>>,
        deals: [u64; 2],
        shares: &mut [Ratio],
    ) {
        let mut parts = vec![0; shares.len()];
        for deal in deals {
            self.add_deal(bots, deal, &mut parts);
        }
        let variance = parts.iter().sum();
        for (share, part) in shares.iter_mut().zip(parts) {
            share.add_block(variance, part);
        }
    }

    fn add_deal(&self, bots: &mut Vec<Box<dyn Bot<G>>>, deal: u64, parts: &mut [i64]) {
        let Some((of_player, of_sources)) = parts.split_last_mut() else { return };
        let (result, moments) = self.play_original(bots, deal);
        let with_past = |moment: &Moment<G>| {
            array::from_fn(|game| match game {
                0 => result,
                _ => self.continue_game(moment, deal, game as u64),
            })
        };
        let games: Vec<[PerSeat<i64>; GAMES]> =
            moments.iter().map(with_past).chain([[result; GAMES]]).collect();
        let seats = self.game.seats() as i64;
        let square = |games: &[PerSeat<i64>; GAMES]| {
            seats * products(games, |one, other| one.iter().zip(other).map(|(a, b)| a * b).sum())
        };
        for (moment, pair) in moments.iter().zip(games.windows(2)) {
            of_sources[moment.source] += square(&pair[1]) - square(&pair[0]);
        }
        let squared_mean =
            products(&games[0], |one, other| one.iter().sum::<i64>() * other.iter().sum::<i64>());
        *of_player += square(&games[0]) - squared_mean;
    }

    /// Plays the deal of a block. Returns the win shares and the moments before its events.
    fn play_original(
        &self,
        bots: &mut Vec<Box<dyn Bot<G>>>,
        deal: u64,
    ) -> (PerSeat<i64>, Vec<Moment<G>>) {
        let sources = self.game.chance_sources().len();
        let mut chance = ChanceStreams::new(self.seed, deal, sources);
        let mut dice = bot_streams(self.seed, deal);
        for bot in bots.iter_mut() {
            bot.reset();
        }
        let recorder = RefCell::new(Recorder { bots, moments: Vec::new() });
        let choose = |decision: &Decision<'_, G>| {
            let recorder = &mut *recorder.borrow_mut();
            let index = decision.seat.index();
            let copies = (decision.legal.len() > 1 && recorder.is_new(sources))
                .then(|| (recorder.bots.clone(), dice[index].clone()));
            let action = choose(self.game, recorder.bots, decision, &mut dice);
            if let Some((bots, dice_before)) = copies
                && dice_before != dice[index]
            {
                recorder.moments.push(Moment { state: *decision.state, bots, source: sources });
            }
            action
        };
        let end = play_from(self.game, self.game.initial(), &mut chance, choose, Shared(&recorder));
        (win_shares(self.game, &end), recorder.into_inner().moments)
    }

    /// Returns the win shares if the game continues with the random numbers of continuation
    /// `number`. They are the same for all moments, so that fewer games differ.
    fn continue_game(&self, moment: &Moment<G>, deal: u64, number: u64) -> PerSeat<i64> {
        let seed = stream(self.seed, deal, number, Purpose::Playout).random();
        let sources = self.game.chance_sources().len();
        let mut chance = ChanceStreams::new(seed, deal, sources);
        let mut dice = bot_streams(seed, deal);
        let mut bots = moment.bots.clone();
        let choose = |decision: &Decision<'_, G>| choose(self.game, &mut bots, decision, &mut dice);
        win_shares(self.game, &play_from(self.game, moment.state, &mut chance, choose, ()))
    }
}

/// Returns the sum of a product over all pairs of games.
fn products(
    games: &[PerSeat<i64>; GAMES],
    product: impl Fn(&PerSeat<i64>, &PerSeat<i64>) -> i64,
) -> i64 {
    let pairs = (0..GAMES).flat_map(|one| (0..one).map(move |other| (one, other)));
    pairs.map(|(one, other)| product(&games[one], &games[other])).sum()
}

/// Returns the streams of the bots' random choices in a game.
fn bot_streams(seed: u64, deal: u64) -> [Rng; MAX_SEATS] {
    array::from_fn(|seat| stream(seed, deal, 0, Purpose::Bot(seat as u8)))
}

fn choose<G: Game>(
    game: &G,
    bots: &mut [Box<dyn Bot<G>>],
    decision: &Decision<'_, G>,
    dice: &mut [Rng; MAX_SEATS],
) -> G::Action {
    let index = decision.seat.index();
    let action = bots[index].choose(&decision.view(game), decision.legal, &mut dice[index]);
    for bot in bots.iter_mut() {
        bot.observe(decision.seat, action);
    }
    action
}

/// Returns the win share of each seat in units; 0 for seats that nobody has.
fn win_shares<G: Game>(game: &G, end: &G::State) -> PerSeat<i64> {
    let outcome = game.outcome(end);
    array::from_fn(|seat| {
        if seat < game.seats() {
            SeatMetric::WinShare.scaled_value(&outcome, Seat::new(seat))
        } else {
            0
        }
    })
}
