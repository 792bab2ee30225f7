//! The games of `turn-order`: the same deals under one or several data files, with the results of
//! each turn position.

use serde::{Deserialize, Serialize};

use crate::{
    arena::{
        block_experiment::{BlockExperiment, play_by_block},
        run::{Experiment, JobPlayer},
    },
    erased::AnyGame,
    game::{Outcome, PerSeat, Seat, UNITS_PER_WIN, highest_scoring_seats},
    stats::{
        Merge,
        joint::JointSums,
        mean::MeanSums,
        ratio::{Estimate, Ratio},
        spread::RateSums,
        tally,
    },
};

/// Maximum number of games whose final scores are kept.
const MAX_SCORED_GAMES: usize = 200_000;

tally! {
    /// The results of a lineup under one data file. The unit of win shares is
    /// 1/[`UNITS_PER_WIN`](crate::game::UNITS_PER_WIN).
    pub struct TurnOrderTally {
        /// Completed blocks.
        pub blocks: u64,
        /// Games.
        pub games: u64,
        /// Games that the round limit ended.
        pub capped: u64,
        /// Games without a winner.
        pub without_winner: u64,
        /// Games whose winners are not the seats with the highest score.
        pub not_won_by_score: u64,
        /// Win shares by turn position.
        pub wins: PerSeat<Ratio>,
        /// Win shares of all turn positions together.
        pub all_wins: Ratio,
        /// Final scores by turn position.
        pub scores: PerSeat<MeanSums>,
        /// Rounds of a game.
        pub rounds: MeanSums,
        /// Win shares by turn position with their covariances, of blocks with even and odd numbers.
        pub halves: [RateSums; 2],
        /// Final scores of each game.
        pub final_scores: FinalScores,
    }
}

impl TurnOrderTally {
    /// Returns the win shares by turn position with their covariances, of all blocks.
    pub fn joint_wins(&self) -> RateSums {
        let [mut sums, odd] = self.halves;
        sums.merge(&odd);
        sums
    }

    /// Returns the win rate of a turn position.
    pub fn win_rate(&self, position: usize) -> Estimate {
        self.wins[position].rate(UNITS_PER_WIN)
    }

    /// Returns the mean win rate of all turn positions. It is known if every game is won.
    pub fn mean_win_rate(&self) -> Estimate {
        let mean = self.all_wins.rate(UNITS_PER_WIN);
        let is_known = self.without_winner == 0;
        if is_known { Estimate::unbounded(mean.n, mean.value) } else { mean }
    }
}

/// Final scores by turn position of consecutive games, in the order of play. Those of the first
/// games are kept if there are too many.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FinalScores(Vec<PerSeat<i32>>);

impl FinalScores {
    /// Returns the scores of each game.
    pub fn games(&self) -> &[PerSeat<i32>] {
        &self.0
    }

    /// Adds a game.
    pub fn add_game(&mut self, scores: PerSeat<i32>) {
        if self.0.len() < MAX_SCORED_GAMES {
            self.0.push(scores);
        }
    }
}

/// Appends the scores of later games.
impl Merge for FinalScores {
    fn merge(&mut self, other: &Self) {
        let room = MAX_SCORED_GAMES - self.0.len();
        self.0.extend(other.0.iter().take(room));
    }
}

tally! {
    /// The results of a lineup under all data files.
    pub struct TurnOrderTallies {
        /// Results under each data file.
        pub files: Vec<TurnOrderTally>,
        /// Win share of the first player minus the mean of all, times the number of players, under
        /// each data file.
        pub first_player: JointSums,
    }
}

/// An experiment that plays the same deals under one or several data files.
#[derive(Clone, Debug)]
pub struct TurnOrderExperiment<'a> {
    /// The experiment, the same with each data file. The output switches are ignored.
    pub experiment: Experiment<'a>,
    /// The game with each data file.
    pub games: Vec<&'a AnyGame>,
}

impl BlockExperiment for TurnOrderExperiment<'_> {
    type Tally = TurnOrderTallies;

    fn experiment(&self) -> &Experiment<'_> {
        &self.experiment
    }

    fn games_per_block(&self) -> u64 {
        self.experiment.rotations().games_per_block() * self.games.len() as u64
    }

    fn empty_tally(&self) -> TurnOrderTallies {
        TurnOrderTallies {
            files: vec![TurnOrderTally::default(); self.games.len()],
            ..TurnOrderTallies::default()
        }
    }

    fn player(&self) -> JobPlayer<'_, TurnOrderTallies> {
        let experiment = Experiment { game_rows: true, ..self.experiment.clone() };
        let players = self.games.iter().map(|game| game.hot().block_player(experiment.clone()));
        let mut players: Vec<_> = players.collect();
        play_by_block(self, move |block, on_games_finished, tallies| {
            let seats = self.experiment.lineup.len();
            let files = players.iter_mut().zip(&mut tallies.files);
            let differences: Vec<_> = files
                .map(|(player, tally)| {
                    let rows = player(block..block + 1, on_games_finished).game_rows.into_iter();
                    let games: Vec<_> = rows.map(|row| (row.outcome, row.first_player)).collect();
                    tally.add_block(block, seats, &games)
                })
                .collect();
            tallies.first_player.add_block(&differences);
        })
    }
}

impl TurnOrderTally {
    /// Adds the games of a block: their outcomes and first players. Returns the number of games,
    /// and the sum over them of the win share of the first player minus the mean, times the number
    /// of seats.
    pub fn add_block(&mut self, block: u64, seats: usize, games: &[(Outcome, Seat)]) -> (i64, i64) {
        let mut wins: PerSeat<i64> = PerSeat::default();
        let mut scores: PerSeat<i64> = PerSeat::default();
        let mut rounds = 0;
        for (outcome, first) in games {
            let mut final_scores: PerSeat<i32> = PerSeat::default();
            for position in 0..seats {
                let seat = first.clockwise(position, seats);
                let score = outcome.scores[seat.index()];
                wins[position] += outcome.win_share(seat);
                scores[position] += i64::from(score);
                final_scores[position] = score;
            }
            rounds += i64::from(outcome.rounds);
            self.final_scores.add_game(final_scores);
            self.capped += u64::from(outcome.hit_round_limit);
            self.without_winner += u64::from(outcome.winners == 0);
            let highest = highest_scoring_seats(&outcome.scores, seats);
            self.not_won_by_score += u64::from(outcome.winners != highest);
        }
        let n = games.len() as i64;
        for position in 0..seats {
            self.wins[position].add_block(n, wins[position]);
            self.scores[position].add_block(n, scores[position]);
        }
        let all_wins = wins.iter().sum();
        self.all_wins.add_block(n * seats as i64, all_wins);
        self.rounds.add_block(n, rounds);
        let observed = |position| if position < seats { (n, wins[position]) } else { (0, 0) };
        self.halves[(block % 2) as usize].add_block(&std::array::from_fn(observed));
        self.blocks += 1;
        self.games += games.len() as u64;
        (n, seats as i64 * wins[0] - all_wins)
    }
}
