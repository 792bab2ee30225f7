//! The settings of a run, from its flags.

use clap::ValueEnum as _;

use super::{
    SimulateArguments,
    game_rows::games_header,
    playtest_file::PlaytestFile,
    setup::{RunSetup, SimulateSetup},
};
use crate::{
    game::MAX_SEATS,
    run::{
        growing_files::{GrowingFileKind, NewFile},
        lineups::bot_names,
        new_study::StudyExtras,
        panel::{LimitedBot, PanelMember},
        spreadsheet::Spreadsheet,
    },
    stats::confidence_sequence::StoppingCriterion,
    study::shared::{planned_study::StudyArguments, prelude::*},
};

/// Games with forks without --forks, from 1 player to 5.
const FORK_GAMES: [u64; MAX_SEATS] = [900, 900, 300, 150, 80];

/// The table of games, to which a run appends.
pub(super) const GAMES: &str = "games.csv";

impl StudyArguments<SimulateArguments> {
    /// Checks the flags that need no game.
    ///
    /// # Errors
    /// If a setting does not suit another one.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        if let Some(path) = self.own.records.as_ref().filter(|path| path.to_str().is_none()) {
            // The checkpoint has the name, as JSON.
            bail!("--records: expected a name in UTF-8, found {}", path.display());
        }
        ensure_looks(self.own.goal(), self.own.looks, self.parts.shard)
    }

    /// Returns the setup of the run. `playtests` is the file with games of people.
    ///
    /// # Errors
    /// If there are too many games, or the goal does not suit the bots.
    pub(super) fn setup(
        &self,
        selection: &GameSelection,
        game: &BoundGame,
        bots: &[BotFactory],
        panel: &[LimitedBot],
        playtests: Option<&Spreadsheet>,
    ) -> anyhow::Result<RunSetup> {
        let own = &self.own;
        let rotations = Rotations::new(bots);
        let games_per_block = rotations.games_per_block();
        for family in &own.only {
            find_family(game.catalog(), family).context("--only")?;
        }
        let blocks = rotations.blocks_for_games(own.games);
        let Some(games_planned) = blocks.checked_mul(games_per_block) else {
            let max = u64::MAX - games_per_block;
            bail!("--games: expected fewer than {max}, found {}", own.games);
        };
        let playtests = playtests.map(|log| PlaytestFile::read(log, game)).transpose()?;
        let fork_games = own.fork_games(selection.players, bots)?.min(games_planned);
        let setup = RunSetup {
            identity: RunIdentity::new(selection.game.id, selection.players, self.output.run.seed)
                .with_data(&[&selection.document], game.library().profiles.built_in),
            question: SimulateSetup {
                data: DataSource::new(&selection.document, &selection.provenance),
                data_sha256: selection.document.values_sha256()?,
                bots: bots.iter().map(Into::into).collect(),
                panel: panel.iter().map(|bot| PanelMember::new(bot, games_planned)).collect(),
                opening_depth: own.opening_depth,
                games_planned,
                games_per_block,
                fork_games,
                shard: self.parts.shard,
                goal: own.goal(),
                looks: own.looks,
                only: own.only.clone(),
                playtests,
                // `merge` appends the rows of shards.
                rows_format: self.parts.shard.map_or(self.output.csv, |_| CsvFormat::Plain),
            },
        };
        ensure!(
            setup.question.playtests.is_none() || setup.distinct_bots().len() == 1,
            "--playtests: expected one bot for all seats, found {}",
            bot_names(bots)
        );
        if own.goal() == Some(StoppingCriterion::Significance) {
            ensure!(
                setup.distinct_bots().len() > 1,
                "--until-significant: expected at least 2 different bots, found {}",
                bots[0].name()
            );
            ensure!(
                !game.is_cooperative(),
                "--until-significant: expected a competitive game; in {} all seats win or lose \
                 together",
                selection.document.name
            );
        }
        Ok(setup)
    }
}

impl SimulateArguments {
    /// Returns the number of games from which forks are played: by default [`FORK_GAMES`], which
    /// take about two fifths of the time of a run, and none with bots that search.
    fn fork_games(&self, players: usize, bots: &[BotFactory]) -> anyhow::Result<u64> {
        let is_one_bot = bots.iter().all(|bot| bot.name() == bots[0].name());
        match self.forks {
            Some(games) => {
                ensure!(
                    games == 0 || is_one_bot,
                    "--forks: expected one bot for all seats, found {}",
                    bot_names(bots)
                );
                Ok(games)
            }
            None if is_one_bot && bots[0].is_quick() && self.position.is_none() => {
                Ok(FORK_GAMES[players - 1])
            }
            None => Ok(0),
        }
    }

    /// Returns the stopping criterion.
    fn goal(&self) -> Option<StoppingCriterion> {
        let significance = self.until_significant.then_some(StoppingCriterion::Significance);
        self.precision.map(StoppingCriterion::Precision).or(significance)
    }

    /// Returns the files to which the run appends, and the settings that its command does not have.
    pub(super) fn extras<'a>(
        &self,
        selection: &'a GameSelection,
        format: CsvFormat,
    ) -> StudyExtras<'a> {
        let Self { records, trace, .. } = self;
        let header = games_header(selection.players, format);
        let files = [
            ("--records", records.clone().map(GrowingFileKind::Named)),
            ("--trace", trace.clone().map(GrowingFileKind::Unsaved)),
            (GAMES, self.games_csv.then_some(GrowingFileKind::Table(header))),
        ];
        let files = files.into_iter().filter_map(|(key, kind)| Some(NewFile { key, kind: kind? }));
        let records = records.as_ref().map(|path| path.display().to_string().into());
        let legal = self.legal.then_some(true.into());
        let is_table = self.games_csv && format != CsvFormat::Plain;
        let format = format.to_possible_value().filter(|_| is_table);
        let format = format.map(|format| format.get_name().into());
        let outputs = [("--records", records), ("--legal", legal), ("--csv", format)];
        let outputs =
            outputs.into_iter().filter_map(|(flag, value)| Some((flag.to_owned(), value?)));
        StudyExtras {
            files: files.collect(),
            outputs: outputs.collect(),
            data: Some(&selection.document),
            ..StudyExtras::default()
        }
    }
}

/// Checks that shards of a run that may stop early end at its looks.
fn ensure_looks(
    goal: Option<StoppingCriterion>,
    looks: Option<u64>,
    shard: Option<Shard>,
) -> anyhow::Result<()> {
    let Some(looks) = looks else {
        ensure!(
            goal.is_none() || shard.is_none(),
            "--shard: expected --looks with --precision and --until-significant"
        );
        return Ok(());
    };
    ensure!(goal.is_some(), "--looks: expected --precision or --until-significant");
    if let Some(Shard { count, .. }) = shard {
        ensure!(
            count.is_multiple_of(looks),
            "--shard: expected a multiple of --looks, which is {looks}, found {count} shards"
        );
    }
    Ok(())
}

/// Parses percentage points, such as `0.5pp`.
pub(crate) fn parse_percentage_points(text: &str) -> Result<f64, String> {
    let points = text.strip_suffix("pp").and_then(|points| points.parse().ok());
    points
        .filter(|points| (0.001..50.0).contains(points))
        .ok_or_else(|| "expected percentage points from 0.001 to 50, as in 0.5pp".to_owned())
}
