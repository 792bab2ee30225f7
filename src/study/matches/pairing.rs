//! Who meets whom in a match between bots, and what came of it.
//!
//! A pairing is a bot in one seat against copies of another in all others, once in each rotation.
//! With two players that is the same seen from either side; with more it is not.

use std::collections::BTreeMap;

use crate::{
    arena::run::GameRow,
    bots::profile::Profile,
    game::{Outcome, Seat, UNITS_PER_WIN},
    stats::{
        paired::{Effect, PairedSums},
        rating::{RankedGames, Ranking},
        ratio::{Estimate, MeanSums, Ratio},
        sprt,
    },
};

/// Which pairings a match has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum MatchMode {
    /// Each bot against each other
    #[default]
    RoundRobin,
    /// The first bot against each other
    Gauntlet,
}

impl MatchMode {
    /// The name on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RoundRobin => "round-robin",
            Self::Gauntlet => "gauntlet",
        }
    }

    /// The pairings of this many bots at tables of this many players.
    pub fn pairings(self, bots: usize, players: usize) -> Vec<Pairing> {
        let meet = |&Pairing { bot: one, opponent: other }: &Pairing| match self {
            Self::RoundRobin if players == 2 => one < other,
            Self::RoundRobin => one != other,
            Self::Gauntlet => one == 0 && other != 0,
        };
        (0..bots)
            .flat_map(|one| (0..bots).map(move |other| Pairing { bot: one, opponent: other }))
            .filter(meet)
            .collect()
    }
}

/// One bot against copies of another, each by its index among the bots of the match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pairing {
    /// The bot in one seat, the first of the experiment.
    pub bot: usize,
    /// The bot in all other seats.
    pub opponent: usize,
}

impl Pairing {
    /// The bots in the seats of a block's first game.
    pub fn lineup(self, bots: &[Profile], players: usize) -> Vec<Profile> {
        (0..players)
            .map(|seat| bots[if seat == 0 { self.bot } else { self.opponent }].clone())
            .collect()
    }
}

/// Results of one bot against another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PairingTally {
    /// Win shares of each of the other seats, and of the bot.
    seats: PairedSums,
    /// Win shares of the bot in the games that somebody won.
    of_won_games: Ratio,
}

impl PairingTally {
    fn add_block(&mut self, players: usize, games: i64, [wins, losses]: [i64; 2]) {
        self.seats.add_block((games * (players as i64 - 1), losses), (games, wins));
        self.of_won_games.add_block((wins + losses) / UNITS_PER_WIN, wins);
    }

    /// Win shares of the bot per game.
    pub const fn win_shares(&self) -> &Ratio {
        &self.seats.treatment
    }

    /// The bot's share of the games that somebody won.
    pub fn share_of_won_games(&self) -> Estimate {
        self.of_won_games.rate(UNITS_PER_WIN)
    }

    /// The games that somebody won.
    pub const fn won_games(&self) -> i64 {
        self.of_won_games.n
    }

    /// The bot's win rate minus the mean of the other seats at its table.
    pub fn difference(&self) -> Effect {
        self.seats.difference_of_rates(UNITS_PER_WIN)
    }

    /// The mean win rate of all seats, which is that of equal bots; 1 / players unless some games
    /// were won by nobody.
    pub fn table_mean(&self) -> f64 {
        self.of_won_games.n as f64 / (self.seats.control.n + self.seats.treatment.n) as f64
    }

    /// The Elo difference `elo_wins` between the bot and the other.
    pub fn elo_wins(&self, players: usize) -> Estimate {
        sprt::elo(self.share_of_won_games(), players)
    }
}

/// Everything a match counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatchTally {
    /// Players at a table.
    pub players: usize,
    /// Results of one bot against another: of the bot in one seat, and with two players of the
    /// other as well.
    pub results: BTreeMap<(usize, usize), PairingTally>,
    /// The rankings of all games.
    pub rankings: RankedGames,
    /// Whole blocks.
    pub blocks: u64,
    /// Games.
    pub games: u64,
    /// Games that the round limit ended.
    pub capped: u64,
    /// Games that several seats won.
    pub shared_wins: u64,
    /// Games that nobody won.
    pub nobody_won: u64,
    /// Events, chance and decisions together.
    pub events: u64,
    /// Rounds played.
    pub rounds: MeanSums,
}

impl MatchTally {
    /// A tally of nothing.
    pub fn new(bots: usize, players: usize) -> Self {
        Self {
            players,
            results: BTreeMap::new(),
            rankings: RankedGames::new(bots),
            blocks: 0,
            games: 0,
            capped: 0,
            shared_wins: 0,
            nobody_won: 0,
            events: 0,
            rounds: MeanSums::default(),
        }
    }

    /// Adds the games of a block and returns the win shares of the bot in one seat and those of all
    /// seats.
    pub fn add_block(&mut self, pairing: Pairing, games: &[GameRow]) -> (i64, i64) {
        let Pairing { bot: one, opponent: other } = pairing;
        let n = games.len() as i64;
        let seats = || (0..self.players).map(Seat::new);
        let shares = |in_one_seat: bool| -> i64 {
            let of_game = |game: &GameRow| -> i64 {
                seats()
                    .filter(|seat| (game.bot_in[seat.index()] == 0) == in_one_seat)
                    .map(|seat| game.outcome.win_share(seat))
                    .sum()
            };
            games.iter().map(of_game).sum()
        };
        let (wins, losses) = (shares(true), shares(false));
        let bots_of = |game: &GameRow| game.bot_in.map(|bot| if bot == 0 { one } else { other });
        self.rankings.add_block(
            games
                .iter()
                .map(|game| ranking(&game.outcome, &bots_of(game)[..self.players]))
                .collect(),
        );
        self.results.entry((one, other)).or_default().add_block(self.players, n, [wins, losses]);
        if self.players == 2 {
            self.results.entry((other, one)).or_default().add_block(
                self.players,
                n,
                [losses, wins],
            );
        }
        self.blocks += 1;
        self.games += games.len() as u64;
        self.capped += games.iter().filter(|game| game.outcome.hit_round_limit).count() as u64;
        self.shared_wins +=
            games.iter().filter(|game| game.outcome.winners.count_ones() > 1).count() as u64;
        self.nobody_won += games.iter().filter(|game| game.outcome.winners == 0).count() as u64;
        self.events += games.iter().map(|game| game.events).sum::<u64>();
        self.rounds.add_block(n, games.iter().map(|game| i64::from(game.outcome.rounds)).sum());
        (wins, wins + losses)
    }
}

/// The bots of a game best first: the winners, then the others by their scores. Where nobody won,
/// nobody was better.
fn ranking(outcome: &Outcome, bots: &[usize]) -> Ranking {
    let mut groups: BTreeMap<(bool, i32), Vec<usize>> = BTreeMap::new();
    for (seat, &bot) in bots.iter().enumerate() {
        let behind = outcome.winners != 0 && outcome.winners >> seat & 1 == 0;
        let below = if behind { -outcome.scores[seat] } else { 0 };
        groups.entry((behind, below)).or_default().push(bot);
    }
    Ranking::new(groups.into_values().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::MAX_SEATS;

    fn outcome(scores: &[i32], winners: u8) -> Outcome {
        let scores = std::array::from_fn(|seat| scores.get(seat).copied().unwrap_or(0));
        Outcome { scores, winners, rounds: 7, hit_round_limit: false }
    }

    #[test]
    fn winners_are_ahead_of_the_others_by_score() {
        let of = |scores: &[i32], winners| ranking(&outcome(scores, winners), &[0, 1, 2, 3]);
        let groups =
            |groups: &[&[usize]]| Ranking::new(groups.iter().map(|group| group.to_vec()).collect());
        assert_eq!(of(&[5, -3, 9, 5], 0b0100), groups(&[&[2], &[0, 3], &[1]]));
        assert_eq!(of(&[9, 9, 9, 5], 0b0010), groups(&[&[1], &[0, 2], &[3]]));
        assert_eq!(of(&[9, 8, 7, 6], 0b1001), groups(&[&[0, 3], &[1], &[2]]));
        assert_eq!(of(&[9, 8, 7, 6], 0), groups(&[&[0, 1, 2, 3]]));
    }

    #[test]
    fn a_round_robin_has_each_pairing_once_and_at_larger_tables_both_ways() {
        let of = |mode: MatchMode, players| {
            mode.pairings(3, players)
                .iter()
                .map(|pairing| (pairing.bot, pairing.opponent))
                .collect::<Vec<_>>()
        };
        assert_eq!(of(MatchMode::RoundRobin, 2), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(of(MatchMode::RoundRobin, 3), [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]);
        assert_eq!(of(MatchMode::Gauntlet, 2), [(0, 1), (0, 2)]);
        assert_eq!(of(MatchMode::Gauntlet, 4), [(0, 1), (0, 2)]);
    }

    #[test]
    fn win_shares_go_to_the_bot_in_one_seat() {
        let line = |rotation: usize, winners| GameRow {
            index: rotation as u64,
            block: 0,
            rotation: rotation as u64,
            bot_in: std::array::from_fn(|seat| if seat < 3 { (seat + rotation) % 3 } else { 0 }),
            outcome: outcome(&[0; MAX_SEATS], winners),
            events: 10,
        };
        // The bot in one seat sits in seats 0, 2 and 1; it wins the first game, shares the second
        // and loses the third.
        let mut tally = MatchTally::new(2, 3);
        let pairing = Pairing { bot: 1, opponent: 0 };
        assert_eq!(
            tally.add_block(pairing, &[line(0, 0b001), line(1, 0b101), line(2, 0b101)]),
            (60 + 30, 180)
        );
        assert_eq!(tally.results.keys().collect::<Vec<_>>(), [&(1, 0)]);
        let wins = tally.results[&(1, 0)].win_shares();
        assert_eq!(
            (wins.n, wins.x, tally.shared_wins, tally.nobody_won, tally.events),
            (3, 90, 2, 0, 30)
        );
        assert!((tally.results[&(1, 0)].table_mean() - 1.0 / 3.0).abs() < 1e-12);

        // It wins one more game, and two are won by nobody: 2.5 of 4 games that were won.
        assert_eq!(tally.add_block(pairing, &[line(0, 0b001), line(1, 0), line(2, 0)]), (60, 60));
        let result = &tally.results[&(1, 0)];
        assert_eq!(
            (result.win_shares().n, result.win_shares().x, result.won_games(), tally.nobody_won),
            (6, 150, 4, 2)
        );
        assert!(
            (result.table_mean() - 4.0 / 18.0).abs() < 1e-12
                && (result.share_of_won_games().value - 2.5 / 4.0).abs() < 1e-12
        );
        assert!((result.difference().value - (2.5 / 6.0 - 1.5 / 12.0)).abs() < 1e-12);
        assert!(
            (result.elo_wins(3).value - 400.0 * (2.0 * 0.625 / 0.375_f64).log10()).abs() < 1e-9
        );
    }
}
