//! Stages of a tuning: the restarts of the evolution strategy, the play-off, the confirmation.

use std::{ops::Range, sync::atomic::AtomicBool};

use anyhow::bail;
use indicatif::ProgressBar;
use rand::RngExt;

use super::{
    TuneSetup,
    evolution::Evolution,
    log::EvaluationLog,
    space::ParameterSpace,
    tables::{evaluations_columns, parse_results, playoff_columns},
};
use crate::{
    arena::{
        compared_metrics::ComparedMetrics,
        run::Experiment,
        tally::{ALL_SEATS, BotTally},
    },
    bots::{BotFactory, profile::ProfileLibrary},
    bound::BoundGame,
    game::UNITS_PER_WIN,
    report::data_table::DataTable,
    rng::{Purpose, stream},
    stats::{
        paired::PairedSums,
        ratio::{Estimate, Ratio},
    },
};

/// Name of the bot in the candidate's seat. No profile has this name, so that the candidate is
/// distinct from all opponents.
const CANDIDATE: &str = "the candidate";

/// Tuning of a profile.
pub(super) struct Tuning<'a> {
    pub(super) game: &'a BoundGame,
    pub(super) library: &'a ProfileLibrary,
    pub(super) setup: &'a TuneSetup,
    pub(super) space: &'a ParameterSpace,
    pub(super) profile: &'a BotFactory,
    /// Bots in the other seats.
    pub(super) opponents: &'a [BotFactory],
    pub(super) log: EvaluationLog,
    pub(super) stop: &'a AtomicBool,
    pub(super) bar: &'a ProgressBar,
    /// Highest win rate of a candidate so far.
    pub(super) best_win_rate: f64,
}

/// Interruption of a tuning by the user.
#[derive(Debug, thiserror::Error)]
#[error("interrupted: all finished evaluations are saved; continue with --resume")]
pub(super) struct Interrupted;

/// Results of the last stages.
pub(super) struct PlayOff {
    /// Results of all finalists.
    pub(super) table: DataTable,
    /// Stage, bot and win rate of each row of the table.
    pub(super) rates: Vec<(String, String, Estimate)>,
    /// Best finalist of the play-off; `None` if that is the initial profile.
    pub(super) winner: Option<Winner>,
}

/// Best finalist of the play-off, with its confirmation.
pub(super) struct Winner {
    values: Vec<f64>,
    /// Wins of the initial profile and of the finalist, on the same deals.
    wins: PairedSums,
}

/// Returns a lineup of a bot and its opponents.
fn lineup_of(bot: BotFactory, opponents: &[BotFactory]) -> Vec<BotFactory> {
    std::iter::once(bot).chain(opponents.iter().cloned()).collect()
}

impl Tuning<'_> {
    /// Returns the number of blocks with at least this number of games. The candidate differs from
    /// all other bots, so that a block has one game per seat.
    pub(super) fn blocks(&self, games: u64) -> u64 {
        games.div_ceil(self.game.seats() as u64)
    }

    /// Returns the number of games in whole blocks.
    fn whole_games(&self, games: u64) -> u64 {
        self.blocks(games) * self.game.seats() as u64
    }

    /// Returns the seed of the games of a stage: a restart, then the play-off, then the
    /// confirmation.
    fn stage_seed(&self, stage: u64) -> u64 {
        stream(self.setup.seed, stage, 0, Purpose::GameSeed).random()
    }

    /// Runs all restarts and returns the final mean of each.
    ///
    /// # Errors
    /// Returns an error if the log is not of this tuning or cannot be written, or [`Interrupted`].
    pub(super) fn run_restarts(&mut self) -> anyhow::Result<Vec<Vec<f64>>> {
        let TuneSetup { restarts, generations, candidates_per_generation, .. } = *self.setup;
        let candidates = restarts * generations * candidates_per_generation as u64;
        let games = candidates * self.whole_games(self.setup.games_per_candidate)
            + (restarts + 3) * self.whole_games(self.setup.playoff_games);
        self.bar.set_length(games);
        let blocks = self.blocks(self.setup.games_per_candidate);
        let mut finalists = Vec::new();
        for restart in 0..restarts {
            let rng = stream(self.setup.seed, restart, 0, Purpose::Candidates);
            let mut evolution = Evolution::new(self.space.start_point(), self.setup.step, rng);
            for generation in 0..generations {
                let candidates = evolution.ask();
                let mut objectives = Vec::new();
                for (index, candidate) in candidates.iter().enumerate() {
                    let position = [restart, generation, index as u64];
                    let deals = generation * blocks..(generation + 1) * blocks;
                    let values = self.space.values(candidate);
                    objectives.push(self.evaluate(position, &values, deals)?);
                }
                evolution.tell(&candidates, &objectives);
            }
            finalists.push(self.space.values(evolution.mean()));
        }
        Ok(finalists)
    }

    /// Returns the objective of a candidate, from the log if it has the evaluation.
    fn evaluate(
        &mut self,
        position: [u64; 3],
        values: &[f64],
        blocks: Range<u64>,
    ) -> anyhow::Result<f64> {
        let values_text = values.iter().map(f64::to_string);
        let start: Vec<String> = position.iter().map(u64::to_string).chain(values_text).collect();
        let fields = if let Some(fields) = self.log.read_next() {
            self.bar.inc(self.whole_games(self.setup.games_per_candidate));
            self.bar.reset_eta();
            fields
        } else {
            let candidate = self.space.profile(self.library, CANDIDATE, values)?;
            let lineup = lineup_of(candidate.into(), self.opponents);
            let tally = self.play(&lineup, self.stage_seed(position[0]), blocks)?;
            let provenance = &self.setup.data.provenance;
            let values = values.iter().copied().map(Some).collect();
            let row = (position, values, tally.wins, Some(tally.scores.ratio));
            let line = evaluations_columns(self.space).table(provenance, [row]).csv_rows();
            self.log.append(&line)?
        };
        let results = fields.strip_prefix(&start[..]).and_then(parse_results);
        let Some([win_rate, mean_score]) = results else {
            bail!(
                "{}: expected an evaluation of {}; expected the log of this run, or no --resume",
                self.log.location(),
                start.join(",")
            );
        };
        self.best_win_rate = self.best_win_rate.max(win_rate);
        let [restart, generation, _] = position.map(|number| number + 1);
        self.bar.set_message(format!(
            "best {:.1} %, generation {generation}/{}, restart {restart}/{}",
            100.0 * self.best_win_rate,
            self.setup.generations,
            self.setup.restarts
        ));
        Ok(win_rate + self.setup.point_value * mean_score)
    }

    /// Plays the last stages, each on new deals. In the play-off, the finalists and the initial
    /// profile play against the opponents. In the confirmation, the best finalist and the initial
    /// profile take the same seats against copies of the initial profile.
    ///
    /// # Errors
    /// Returns an error if the values of a finalist contradict each other, or [`Interrupted`].
    pub(super) fn play_off(&self, finalists: &[Vec<f64>]) -> anyhow::Result<PlayOff> {
        let restarts = self.setup.restarts;
        let mut rows = Vec::new();
        let mut rates = Vec::new();
        let mut push = |stage: &'static str,
                        finalist: Option<(usize, &[f64])>,
                        wins: &Ratio,
                        scores: Option<&Ratio>| {
            let name = finalist.map_or("start".to_owned(), |(index, _)| format!("restart {index}"));
            let values = self.space.parameters.iter().enumerate().map(|(index, parameter)| {
                finalist.map_or(parameter.start, |(_, values)| Some(values[index]))
            });
            rates.push((stage.to_owned(), name.clone(), wins.rate(UNITS_PER_WIN)));
            rows.push(((stage, name), values.collect(), *wins, scores.copied()));
        };

        self.bar.set_message("play-off");
        let blocks = 0..self.blocks(self.setup.playoff_games);
        let initial = self.profile.clone().with_name(CANDIDATE);
        let bot = |finalist: Option<(usize, &[f64])>| match finalist {
            Some((_, values)) => {
                self.space.profile(self.library, CANDIDATE, values).map(BotFactory::from)
            }
            None => Ok(initial.clone()),
        };
        let seed = self.stage_seed(restarts);
        let all = finalists.iter().enumerate().map(|(index, values)| Some((index, &values[..])));
        let mut best = (None, f64::NEG_INFINITY);
        for finalist in std::iter::once(None).chain(all) {
            let lineup = lineup_of(bot(finalist)?, self.opponents);
            let tally = self.play(&lineup, seed, blocks.clone())?;
            push("play-off", finalist, &tally.wins, Some(&tally.scores.ratio));
            let win_rate = tally.wins.value(UNITS_PER_WIN);
            if win_rate > best.1 {
                best = (finalist, win_rate);
            }
        }

        let mut winner = None;
        if let (Some((index, values)), _) = best {
            self.bar.set_message("confirmation");
            let copies = vec![self.profile.clone(); self.opponents.len()];
            let lineups = [lineup_of(bot(None)?, &copies), lineup_of(bot(best.0)?, &copies)];
            let wins = self.play_paired(&lineups, self.stage_seed(restarts + 1), blocks)?;
            push("confirmation", None, &wins.control, None);
            push("confirmation", Some((index, values)), &wins.treatment, None);
            winner = Some(Winner { values: values.to_owned(), wins });
        }
        let table = playoff_columns(self.space).table(&self.setup.data.provenance, rows);
        Ok(PlayOff { table, rates, winner })
    }

    /// Plays games and returns the results of the first bot.
    fn play(
        &self,
        lineup: &[BotFactory],
        seed: u64,
        blocks: Range<u64>,
    ) -> Result<BotTally, Interrupted> {
        let expected = blocks.end - blocks.start;
        let experiment = Experiment::new(lineup, seed, blocks);
        let tally = self.game.tally(&experiment, self.stop, &|games| self.bar.inc(games));
        if tally.blocks == expected { Ok(tally.bots[0][ALL_SEATS]) } else { Err(Interrupted) }
    }

    /// Plays games of two lineups on the same deals and returns the wins of their first bots.
    fn play_paired(
        &self,
        lineups: &[Vec<BotFactory>; 2],
        seed: u64,
        blocks: Range<u64>,
    ) -> Result<PairedSums, Interrupted> {
        let expected = blocks.end - blocks.start;
        let experiments =
            lineups.iter().map(|lineup| Experiment::new(lineup, seed, blocks.clone()));
        let metrics = &ComparedMetrics::first_bot_win_rate();
        let experiment = self.game.comparison(&[self.game], experiments.collect(), metrics);
        let tally = experiment.play_all(self.stop, &|games| self.bar.inc(games));
        if tally.blocks == expected { Ok(tally.differences[0][0]) } else { Err(Interrupted) }
    }
}

impl PlayOff {
    /// Returns the values of the best finalist, if it is not the initial profile.
    pub(super) fn winner_values(&self) -> Option<&[f64]> {
        self.winner.as_ref().map(|winner| &winner.values[..])
    }

    /// Returns the values of the winner if its improvement is statistically significant.
    pub(super) fn improvement(&self) -> Option<&[f64]> {
        let Winner { values, wins } = self.winner.as_ref()?;
        let difference = wins.difference_of_rates(UNITS_PER_WIN).estimate();
        (difference.low > 0.0).then_some(values)
    }

    /// Returns a sentence with the result of the confirmation.
    pub(super) fn describe(&self, profile: &str, players: usize) -> String {
        let Some(Winner { wins, .. }) = &self.winner else {
            return format!("{profile} itself has the highest win rate in the play-off");
        };
        let Estimate { value, low, high, .. } = wins.difference_of_rates(UNITS_PER_WIN).estimate();
        let others = match players {
            1 => String::new(),
            _ => format!(" against {profile} in all other seats"),
        };
        let own = wins.treatment.rate(UNITS_PER_WIN);
        format!(
            "wins {:.1} % [{:.1}, {:.1}] of {} games on new deals{others}; {profile} in the same \
             seats wins {:.1} %; difference {:+.1} percentage points [{:.1}, {:.1}]",
            100.0 * own.value,
            100.0 * own.low,
            100.0 * own.high,
            own.n,
            100.0 * wins.control.value(UNITS_PER_WIN),
            100.0 * value,
            100.0 * low,
            100.0 * high
        )
    }
}
