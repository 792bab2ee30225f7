//! `watershed tune`: optimises parameters of a profile by self-play and confirms the result on new
//! deals.

mod analysis;
pub(crate) mod arguments;
mod evolution;
mod space;

use std::slice;

use arguments::TuneArguments;
use evolution::Evolution;
use space::ParameterSpace;

use crate::{
    rng::{Purpose, stream},
    run::arguments::read_bots,
    stats::paired::PairedSums,
    study::shared::{
        planned_study::{OpenedStudy, StudyAnswer},
        prelude::*,
    },
};

pub(super) const BEST: &str = "best.toml";

/// Name of the bot that is tuned. No profile has this name, so that it is distinct from all
/// opponents.
const CANDIDATE: &str = "the candidate";

/// Weight of the mean score in games that can end without a winner. It is so low that wins dominate
/// once there are some.
const POINT_VALUE: f64 = 0.001;

/// Returns the descriptions of the tables.
pub(crate) fn schemas() -> Vec<Schema> {
    vec![analysis::confirmation_columns().schema(), analysis::parameter_columns().schema()]
}

/// Runs the command.
pub(crate) fn run(opened: &OpenedStudy<'_, TuneArguments>) -> anyhow::Result<ExitStatus> {
    let OpenedStudy { arguments, selection, game, .. } = opened;
    let own = &arguments.own;
    if arguments.parts.shard.is_some() {
        bail!("--shard: expected none; each generation depends on the games of the one before");
    }
    let library = game.library();
    let profile = &library.read(&own.profile).context("--profile")?;
    let space = &ParameterSpace::new(&library.profiles, &own.profile, &own.keys)?;
    let against = if own.against.is_empty() { slice::from_ref(&own.profile) } else { &own.against };
    let opponents = &read_bots(library, selection.players - 1, against, "--against")?;
    let tuning = Tuning { own, seed: arguments.seed(), game, space, profile, opponents };
    let (name, bots) = (profile.name(), opponents.iter().chain([profile]));
    let blocks = tuning.blocks(own.games.max(own.confirmation_games));
    opened.plan(bots, blocks).run(|study| {
        let (confirmed, tallies) = tuning.play(study)?;
        let bots = |tally: &ComparisonTally| tally.differences.len() as u64 + 1;
        let played = tallies.iter().map(|one| [one.blocks, one.games * bots(one), one.capped]);
        let counts = GameCounts::sum(study.games_planned(), played);
        let is_conclusive = study.is_conclusive(counts.games);
        let better = confirmed
            .as_ref()
            .filter(|(_, wins)| is_conclusive && analysis::difference(wins).low > 0.0);
        if let Some((values, _)) = better {
            let description = format!("{name}, tuned by self-play");
            let text = selection.profile_header(&study.command().to_string())
                + &space.profile_text(values, &description);
            study.write_file(BEST, text.as_bytes())?;
        }
        let report =
            analysis::report(name, &space.parameters, confirmed.as_ref(), &selection.provenance);
        let own = BTreeMap::from([("improved", better.is_some())]);
        let is_negative = better.is_none();
        Ok(StudyAnswer { own, counts, report, is_negative })
    })
}

/// The values of the result, and the wins of the initial profile and of the result on new deals.
type Confirmed = (Vec<f64>, PairedSums);

/// The tuning of a profile.
struct Tuning<'a> {
    own: &'a TuneArguments,
    seed: u64,
    game: &'a BoundGame,
    space: &'a ParameterSpace<'a>,
    profile: &'a BotFactory,
    /// Bots in the other seats.
    opponents: &'a [BotFactory],
}

impl Tuning<'_> {
    /// Returns the number of blocks with at least this number of games. The candidate differs from
    /// all other bots, so that a block has one game per seat.
    fn blocks(&self, games: u64) -> u64 {
        games.div_ceil(self.game.seats() as u64)
    }

    /// Plays all generations, and then the result on new deals. Returns the result, if it was not
    /// interrupted, and the tallies of all games.
    fn play(
        &self,
        study: &mut StudyRun<'_>,
    ) -> anyhow::Result<(Option<Confirmed>, Vec<ComparisonTally>)> {
        let blocks = self.blocks(self.own.games);
        let candidates = Evolution::population_size(self.space.parameters.len());
        let generations = self.own.evaluations.div_ceil(candidates as u64);
        let point_value = if self.game.wins_are_independent() { POINT_VALUE } else { 0.0 };
        let rng = stream(self.seed, 0, 0, Purpose::Candidates);
        let mut evolution = Evolution::new(self.space.start_point(), self.own.step_size, rng);
        let mut tallies = Vec::new();
        for generation in 0..generations {
            let points = evolution.ask();
            let deals = generation * blocks..(generation + 1) * blocks;
            let text = format!("generation {}/{generations}", generation + 1);
            let tally = self.play_points(study, &points, deals, &text)?;
            let objective = |sums: &Vec<PairedSums>| {
                let [wins, scores] = [0, 1].map(|metric| sums[metric].treatment);
                wins.value(UNITS_PER_WIN) + point_value * scores.value(1)
            };
            evolution.tell(&points, &tally.differences.iter().map(objective).collect::<Vec<_>>());
            tallies.push(tally);
            if !study.is_complete() {
                return Ok((None, tallies));
            }
        }
        let (first, mean) = (generations * blocks, evolution.mean);
        let deals = first..first + self.blocks(self.own.confirmation_games);
        let tally = self.play_points(study, slice::from_ref(&mean), deals, "confirmation")?;
        let wins = tally.differences[0][0];
        tallies.push(tally);
        Ok((study.is_complete().then(|| (self.space.values(&mean), wins)), tallies))
    }

    /// Plays the same deals with the initial profile and the bot of each point in the first seat.
    fn play_points(
        &self,
        study: &mut StudyRun<'_>,
        points: &[Vec<f64>],
        deals: Range<u64>,
        text: &str,
    ) -> anyhow::Result<ComparisonTally> {
        let lineup = |bot: BotFactory| [&[bot], self.opponents].concat();
        let mut lineups = vec![lineup(self.profile.clone().with_name(CANDIDATE))];
        for point in points {
            let values = self.space.values(point);
            lineups.push(lineup(self.space.read(CANDIDATE, self.space.named(&values))?.into()));
        }
        let experiments =
            lineups.iter().map(|lineup| Experiment::new(lineup, self.seed, deals.clone()));
        let variants = vec![self.game; points.len()];
        let metrics = &ComparedMetrics::of_first_bot();
        let experiment = self.game.comparison(&variants, experiments.collect(), metrics);
        Ok(study.play(&[experiment], |_, _| text.to_owned())?.remove(0))
    }
}
