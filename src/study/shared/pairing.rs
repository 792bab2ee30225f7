//! The pairings of a match and their results.
//!
//! A pairing is a bot in a single seat against copies of an opponent in all other seats, in every
//! rotation. With 2 players, a pairing and its reverse are the same games; with more they are not.

pub(crate) mod schedule;

use crate::{
    arena::{forfeit::ForfeitedSeats, run::GameRow},
    game::Outcome,
    stats::{
        Fixed,
        elo::elo,
        paired::PairedSums,
        pairs,
        rating::{RankedGames, Ranking},
        tally,
    },
    study::shared::prelude::*,
};

/// The selection of pairings of a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum MatchMode {
    /// Each bot against each other
    RoundRobin,
    /// The first bot against each other
    Gauntlet,
    /// Each bot against the one before it, from weak to strong
    Ladder,
}

impl MatchMode {
    /// Returns the pairings of this many bots in games of this many players.
    pub(crate) fn pairings(self, bots: usize, players: usize) -> Vec<Pairing> {
        let is_played = |&Pairing { bot, opponent }: &Pairing| match self {
            Self::RoundRobin if players == 2 => bot < opponent,
            Self::RoundRobin => bot != opponent,
            Self::Gauntlet => bot == 0 && opponent != 0,
            Self::Ladder => bot == opponent + 1,
        };
        let of_bot = |bot| (0..bots).map(move |opponent| Pairing { bot, opponent });
        (0..bots).flat_map(of_bot).filter(is_played).collect()
    }
}

/// A bot against copies of an opponent, as indices into the bots of the match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pairing {
    /// The bot in the single seat, which is the first seat of the lineup.
    pub bot: usize,
    /// The bot in all other seats.
    pub opponent: usize,
}

impl Pairing {
    /// Returns the bots in the seats of the first game of a block.
    pub(crate) fn lineup(self, bots: &[BotFactory], players: usize) -> Vec<BotFactory> {
        let bot_in = |seat| &bots[if seat == 0 { self.bot } else { self.opponent }];
        (0..players).map(|seat| bot_in(seat).clone()).collect()
    }

    /// Returns true if it is decided which of the bots is stronger: the interval of the difference
    /// of their win rates excludes 0.
    pub(crate) fn is_decided(self, sequence: &ConfidenceSequence, tally: &MatchTally) -> bool {
        tally.results.get(&(self.bot, self.opponent)).is_some_and(|results| {
            let rate = |wins: &Ratio| sequence.rate(wins, UNITS_PER_WIN);
            let Estimate { low, high, .. } = results.difference_with(tally.players.0, rate);
            low > 0.0 || high < 0.0
        })
    }
}

tally! {
    /// Results of a bot against copies of an opponent.
    #[derive(Copy)]
    pub(crate) struct PairingTally {
        /// Win shares of each opponent seat (control) and of the bot (treatment).
        seats: PairedSums,
        /// Win shares of the bot in the games with a winner.
        in_won_games: Ratio,
        /// Win shares of the bot, with games without a winner divided among all seats.
        split_wins: Ratio,
    }
}

impl PairingTally {
    /// Adds the games of a block with the win shares of the bot and of the opponents.
    fn add_block(&mut self, players: usize, games: i64, [wins, losses]: [i64; 2]) {
        self.seats.add_block((games * (players as i64 - 1), losses), (games, wins));
        self.in_won_games.add_block((wins + losses) / UNITS_PER_WIN, wins);
        let not_won = games * UNITS_PER_WIN - wins - losses;
        self.split_wins.add_block(games, wins + not_won / players as i64);
    }

    /// Returns the win shares of the bot per game.
    pub(crate) const fn win_shares(&self) -> &Ratio {
        &self.seats.treatment
    }

    /// Returns the win rate of the bot minus the mean win rate of the opponent seats, with the
    /// number of games.
    pub(crate) fn difference(&self) -> Effect {
        let games = self.seats.treatment.n;
        Effect { n: games, ..self.seats.difference_of_rates(UNITS_PER_WIN) }
    }

    /// Returns the mean win rate of all seats, which is the win rate of equal bots: 1 / players if
    /// every game has a winner.
    pub(crate) fn mean_win_rate(&self) -> f64 {
        self.in_won_games.n as f64 / (self.seats.control.n + self.seats.treatment.n) as f64
    }

    /// Returns the share of the games with a winner that the opponents win.
    pub(crate) fn losses(&self) -> Estimate {
        self.in_won_games.rate(UNITS_PER_WIN).complement()
    }

    /// Returns the Elo difference `elo_wins` between the bot and its opponent; see [`elo()`].
    pub(crate) fn elo_wins(&self, players: usize) -> Estimate {
        self.elo_wins_with(players, |wins| wins.rate(UNITS_PER_WIN))
    }

    /// Returns [`PairingTally::elo_wins`] from the win rate with an interval that `rate` returns.
    pub(crate) fn elo_wins_with(
        &self,
        players: usize,
        rate: impl Fn(&Ratio) -> Estimate,
    ) -> Estimate {
        elo(rate(&self.in_won_games), players)
    }

    /// Returns [`PairingTally::difference`] from the win rate with an interval that `rate` returns.
    pub(crate) fn difference_with(
        &self,
        players: usize,
        rate: impl Fn(&Ratio) -> Estimate,
    ) -> Estimate {
        let seats = players as f64;
        rate(&self.split_wins).map(|rate| (rate * seats - 1.0) / (seats - 1.0))
    }
}

tally! {
    /// Results of a match.
    pub(crate) struct MatchTally {
        /// Number of players of a game.
        pub players: Fixed,
        /// Results by bot and opponent; with 2 players, each pairing has an entry for both bots.
        #[serde(with = "pairs")]
        pub results: BTreeMap<(usize, usize), PairingTally>,
        /// The rankings of all games.
        pub rankings: RankedGames,
        /// Number of blocks by the win shares of the bot in the single seat and those of all seats.
        #[serde(with = "pairs")]
        pub scores: BTreeMap<(i64, i64), u64>,
        /// Completed blocks.
        pub blocks: u64,
        /// Games.
        pub games: u64,
        /// Games that the round limit ended.
        pub capped: u64,
        /// Games that several seats won.
        pub shared_wins: u64,
        /// Games without a winner.
        pub nobody_won: u64,
        /// Number of forfeited games by bot; empty if there are none.
        pub forfeits: BTreeMap<usize, u64>,
        /// Number of chance outcomes and decisions.
        pub events: u64,
        /// Rounds played.
        pub rounds: MeanSums,
    }
}

impl MatchTally {
    /// Returns the numbers of games planned and played.
    pub(crate) fn counts(&self, games_planned: u64) -> GameCounts {
        GameCounts::sum(games_planned, [[self.blocks, self.games, self.capped]])
    }

    /// Creates an empty tally.
    pub(crate) fn new(bots: usize, players: usize) -> Self {
        Self { players: Fixed(players), rankings: RankedGames::new(bots), ..Self::default() }
    }

    /// Adds the games of a block.
    pub(crate) fn add_block(&mut self, pairing: Pairing, games: &[GameRow]) {
        let Pairing { bot, opponent } = pairing;
        let n = games.len() as i64;
        let shares = |in_single_seat: bool| -> i64 {
            let seats =
                games.iter().flat_map(|game| (0..self.players.0).map(move |seat| (game, seat)));
            let seats = seats.filter(|(game, seat)| (game.bot_in[*seat] == 0) == in_single_seat);
            seats.map(|(game, seat)| game.outcome.win_share(Seat::new(seat))).sum()
        };
        let (wins, losses) = (shares(true), shares(false));
        let ranking = |game: &GameRow| {
            let bots = game.bot_in.map(|index| if index == 0 { bot } else { opponent });
            ranking(&game.outcome, game.forfeits, &bots[..self.players.0])
        };
        self.rankings.add_block(games.iter().map(ranking).collect());
        let mut add = |pair, shares| {
            self.results.entry(pair).or_default().add_block(self.players.0, n, shares);
        };
        add((bot, opponent), [wins, losses]);
        if self.players.0 == 2 {
            add((opponent, bot), [losses, wins]);
        }
        for game in games {
            for seat in game.forfeits.iter() {
                let forfeiting = if game.bot_in[seat.index()] == 0 { bot } else { opponent };
                *self.forfeits.entry(forfeiting).or_default() += 1;
            }
        }
        let count = |is_counted: fn(&Outcome) -> bool| {
            games.iter().filter(|game| is_counted(&game.outcome)).count() as u64
        };
        self.blocks += 1;
        self.games += games.len() as u64;
        self.capped += count(|outcome| outcome.hit_round_limit);
        self.shared_wins += count(|outcome| outcome.winners.count_ones() > 1);
        self.nobody_won += count(|outcome| outcome.winners == 0);
        self.events += games.iter().map(|game| game.events).sum::<u64>();
        self.rounds.add_block(n, games.iter().map(|game| i64::from(game.outcome.rounds)).sum());
        *self.scores.entry((wins, wins + losses)).or_default() += 1;
    }
}

/// Returns the ranking of the bots of a game: the winners, then the other seats by score, then
/// those that forfeit. In a game without a winner the others are tied.
fn ranking(outcome: &Outcome, forfeits: ForfeitedSeats, bots: &[usize]) -> Ranking {
    let mut groups: BTreeMap<(bool, bool, i32), Vec<usize>> = BTreeMap::new();
    for (seat, &bot) in bots.iter().enumerate() {
        let lost = outcome.winners != 0 && outcome.winners >> seat & 1 == 0;
        let negative_score = if lost { -outcome.scores[seat] } else { 0 };
        let has_forfeited = forfeits.contains(Seat::new(seat));
        groups.entry((has_forfeited, lost, negative_score)).or_default().push(bot);
    }
    Ranking::new(groups.into_values().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::MAX_SEATS;

    fn outcome(scores: &[i32], winners: u8) -> Outcome {
        let scores = std::array::from_fn(|seat| scores.get(seat).copied().unwrap_or(0));
        Outcome { scores, winners, wins_are_independent: false, rounds: 7, hit_round_limit: false }
    }

    #[test]
    fn losers_are_ranked_by_score_below_the_winners() {
        let none = ForfeitedSeats::default();
        let rank =
            |scores: &[i32], winners| ranking(&outcome(scores, winners), none, &[0, 1, 2, 3]);
        let check = |scores: &[i32], winners, groups: &[&[usize]]| {
            let expected = Ranking::new(groups.iter().map(|group| group.to_vec()).collect());
            assert_eq!(rank(scores, winners), expected);
        };
        check(&[5, -3, 9, 5], 0b0100, &[&[2], &[0, 3], &[1]]);
        check(&[9, 9, 9, 5], 0b0010, &[&[1], &[0, 2], &[3]]);
        check(&[9, 8, 7, 6], 0b1001, &[&[0, 3], &[1], &[2]]);
        check(&[9, 8, 7, 6], 0, &[&[0, 1, 2, 3]]);
        let forfeits = [1].map(Seat::new).into_iter().collect();
        let ranked = ranking(&outcome(&[9, 8, 7, 6], 0b0001), forfeits, &[0, 1, 2, 3]);
        assert_eq!(ranked, Ranking::new(vec![vec![0], vec![2], vec![3], vec![1]]));
    }

    #[test]
    fn round_robin_has_both_directions_with_more_than_two_players() {
        let pairs = |mode: MatchMode, players| -> Vec<_> {
            let pairings = mode.pairings(3, players).into_iter();
            pairings.map(|Pairing { bot, opponent }| (bot, opponent)).collect()
        };
        let both = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)];
        assert_eq!(pairs(MatchMode::RoundRobin, 2), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(pairs(MatchMode::RoundRobin, 3), both);
        assert_eq!(pairs(MatchMode::Gauntlet, 2), [(0, 1), (0, 2)]);
        assert_eq!(pairs(MatchMode::Gauntlet, 4), [(0, 1), (0, 2)]);
        assert_eq!(pairs(MatchMode::Ladder, 2), [(1, 0), (2, 1)]);
    }

    #[test]
    fn win_shares_are_credited_to_the_bot_in_the_single_seat() {
        let game = |rotation: usize, winners| GameRow {
            index: rotation as u64,
            block: 0,
            rotation: rotation as u64,
            bot_in: std::array::from_fn(|seat| if seat < 3 { (seat + rotation) % 3 } else { 0 }),
            first_player: Seat::new(0),
            outcome: outcome(&[0; MAX_SEATS], winners),
            forfeits: ForfeitedSeats::default(),
            events: 10,
        };
        // The bot has seat 0, 2 and 1 in turn. It wins the first game, shares the second and loses
        // the third.
        let mut tally = MatchTally::new(2, 3);
        let pairing = Pairing { bot: 1, opponent: 0 };
        tally.add_block(pairing, &[game(0, 0b001), game(1, 0b101), game(2, 0b101)]);
        assert_eq!(tally.scores, BTreeMap::from([((60 + 30, 180), 1)]));
        assert_eq!(tally.results.keys().collect::<Vec<_>>(), [&(1, 0)]);
        let wins = tally.results[&(1, 0)].win_shares();
        assert_eq!(
            (wins.n, wins.x, tally.shared_wins, tally.nobody_won, tally.events),
            (3, 90, 2, 0, 30)
        );
        assert!((tally.results[&(1, 0)].mean_win_rate() - 1.0 / 3.0).abs() < 1e-12);

        // It wins one more game, and two games have no winner: 2.5 wins in 4 games with a winner.
        tally.add_block(pairing, &[game(0, 0b001), game(1, 0), game(2, 0)]);
        assert_eq!(tally.scores[&(60, 60)], 1);
        let result = &tally.results[&(1, 0)];
        assert_eq!(
            (result.win_shares().n, result.win_shares().x, result.in_won_games.n, tally.nobody_won),
            (6, 150, 4, 2)
        );
        assert!((result.mean_win_rate() - 4.0 / 18.0).abs() < 1e-12);
        assert!((result.in_won_games.value(UNITS_PER_WIN) - 2.5 / 4.0).abs() < 1e-12);
        assert!((result.difference().value - (2.5 / 6.0 - 1.5 / 12.0)).abs() < 1e-12);
        let difference = result.difference_with(3, |wins| wins.rate(UNITS_PER_WIN));
        assert!((difference.value - result.difference().value).abs() < 1e-12);
        assert!(
            (result.elo_wins(3).value - 400.0 * (2.0 * 0.625 / 0.375_f64).log10()).abs() < 1e-9
        );
    }
}
