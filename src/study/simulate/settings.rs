//! The settings of a run, from its flags.

use anyhow::{Context as _, bail, ensure};

use super::{
    KIND, SimulateArguments,
    playtest_file::PlaytestFile,
    setup::{RunSetup, SimulateSetup},
    tables::games_header,
};
use crate::{
    arena::{
        schedule::{Rotations, Shard},
        tally::MAX_OPENING_DEPTH,
    },
    bots::{BotFactory, profile::BotLibrary},
    bound::BoundGame,
    config::Document,
    games::GameList,
    run::{
        arguments::{GameSelection, read_bots},
        command::RepeatCommand,
        growing_files::{GrowingFileKind, NewFile},
        lineups::bot_names,
        manifest::{DataSource, RunIdentity},
        names::find_family,
        panel::{PanelEntry, PanelFactory, PanelMember, default_panel, read_panel},
        study_run::StudyExtras,
    },
    stats::confidence_sequence::StoppingCriterion,
};

/// The table of games, to which a run appends.
pub(super) const GAMES: &str = "games.csv";

const DEFAULT_GAMES: u64 = 20_000;
/// Default maximum of games of runs with a stopping criterion.
const DEFAULT_MAX_GAMES: u64 = 1_000_000;
const DEFAULT_OPENING_DEPTH: usize = 2;

/// The bots in the seats, and the bots of the panel.
type LineupAndPanel = (Vec<BotFactory>, Vec<PanelFactory>);

/// The settings of a run: those of the flags, else the defaults.
pub(crate) struct SimulateSettings {
    pub(crate) selection: GameSelection,
    pub(crate) bots: Option<Vec<String>>,
    /// The bots of the panel; `None` if `bots` are named, or for the default panel.
    pub(crate) panel: Option<Vec<PanelEntry>>,
    pub(crate) games: u64,
    pub(crate) seed: u64,
    pub(crate) opening_depth: usize,
    pub(crate) goal: Option<StoppingCriterion>,
    /// Number of looks at equal distances.
    pub(crate) looks: Option<u64>,
    /// The families of items that are shown; all if it is empty.
    pub(crate) only: Vec<String>,
    /// The file with games of people.
    pub(crate) playtests: Option<Document>,
}

impl SimulateSettings {
    /// Reads the data file, and checks the flags.
    ///
    /// # Errors
    /// If a file can't be read, or a setting is out of range.
    pub(crate) fn new(games: GameList, arguments: &SimulateArguments) -> anyhow::Result<Self> {
        let significance = arguments.until_significant.then_some(StoppingCriterion::Significance);
        let goal = arguments.precision.map(StoppingCriterion::Precision).or(significance);
        let default_games = if goal.is_some() { DEFAULT_MAX_GAMES } else { DEFAULT_GAMES };
        let games_planned = arguments.games.unwrap_or(default_games);
        let opening_depth = arguments.opening_depth.unwrap_or(DEFAULT_OPENING_DEPTH);
        ensure!(
            opening_depth <= MAX_OPENING_DEPTH,
            "--opening-depth: expected 0 to {MAX_OPENING_DEPTH}, found {opening_depth}"
        );
        if let Some(path) = arguments.records.as_ref().filter(|path| path.to_str().is_none()) {
            // The checkpoint has the name, as JSON.
            bail!("--records: expected a name in UTF-8, found {}", path.display());
        }
        ensure_looks(goal, arguments.looks, arguments.parts.shard)?;
        let selection = arguments.game.resolve(games)?;
        let playtests = arguments.playtests.as_deref();
        Ok(Self {
            playtests: playtests.map(Document::read).transpose()?,
            selection,
            bots: arguments.bots.clone(),
            panel: arguments.budgets.entries(games_planned).or_else(|| arguments.panel.clone()),
            games: games_planned,
            seed: arguments.output.run.seed(),
            opening_depth,
            goal,
            looks: arguments.looks,
            only: arguments.only.clone(),
        })
    }

    /// Reads the bots in the seats, and the panel; the first bot of a panel has all seats.
    ///
    /// # Errors
    /// If there is no such bot, or not one for each seat.
    pub(crate) fn read_bots(&self, library: &BotLibrary) -> anyhow::Result<LineupAndPanel> {
        let players = self.selection.players;
        if let Some(names) = &self.bots {
            return Ok((read_bots(library, players, names, "--bots")?, Vec::new()));
        }
        let default = || default_panel(library);
        let entries = self.panel.clone().unwrap_or_else(default);
        let panel = read_panel(library, &entries, "--panel")?;
        Ok((vec![panel[0].bot.clone(); players], panel))
    }

    /// Returns the setup of the run.
    ///
    /// # Errors
    /// If there are too many games, or the goal does not suit the bots.
    pub(crate) fn setup(
        &self,
        game: &BoundGame,
        bots: &[BotFactory],
        panel: &[PanelFactory],
        arguments: &SimulateArguments,
    ) -> anyhow::Result<RunSetup> {
        let (selection, rotations) = (&self.selection, Rotations::new(bots));
        let games_per_block = rotations.games_per_block();
        for family in &self.only {
            find_family(game.catalog(), family).context("--only")?;
        }
        let blocks = rotations.blocks_for_games(self.games);
        let Some(games_planned) = blocks.checked_mul(games_per_block) else {
            let max = u64::MAX - games_per_block;
            bail!("--games: expected fewer than {max}, found {}", self.games);
        };
        let playtests = self.playtests.as_ref();
        let playtests = playtests.map(|file| PlaytestFile::read(file, game)).transpose()?;
        let setup = RunSetup {
            identity: RunIdentity::new(selection.game.id, selection.players, self.seed),
            question: SimulateSetup {
                data: DataSource::new(&selection.document, &selection.provenance),
                data_sha256: selection.document.values_sha256()?,
                bots: bots.iter().map(Into::into).collect(),
                panel: panel.iter().map(|bot| bot.member(games_planned)).collect(),
                opening_depth: self.opening_depth,
                games_planned,
                games_per_block,
                shard: arguments.parts.shard,
                goal: self.goal,
                looks: self.looks,
                only: self.only.clone(),
                playtests,
            },
        };
        ensure!(
            setup.question.playtests.is_none() || setup.distinct_bots().len() == 1,
            "--playtests: expected one bot for all seats, found {}",
            bot_names(bots)
        );
        if self.goal == Some(StoppingCriterion::Significance) {
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

    /// Returns the files to which the run appends, and the settings that its command does not have.
    pub(crate) fn extras(&self, arguments: &SimulateArguments) -> StudyExtras<'_> {
        let SimulateArguments { records, trace, .. } = arguments;
        let header = games_header(self.selection.players);
        let files = [
            ("--records", records.clone().map(GrowingFileKind::Named)),
            ("--trace", trace.clone().map(GrowingFileKind::Unsaved)),
            (GAMES, arguments.games_csv.then_some(GrowingFileKind::Table(header))),
        ];
        let files = files.into_iter().filter_map(|(key, kind)| Some(NewFile { key, kind: kind? }));
        let records = records.as_ref().map(|path| path.display().to_string().into());
        let legal = arguments.legal.then_some(true.into());
        let outputs = [("--records", records), ("--legal", legal)];
        let outputs =
            outputs.into_iter().filter_map(|(flag, value)| Some((flag.to_owned(), value?)));
        StudyExtras {
            files: files.collect(),
            outputs: outputs.collect(),
            data: Some(&self.selection.document),
        }
    }

    /// Returns the command that repeats the run.
    pub(crate) fn command(
        &self,
        bots: &[BotFactory],
        panel: &[PanelMember],
        arguments: &SimulateArguments,
    ) -> RepeatCommand {
        let precision = arguments.precision.map(|points| format!("{points}pp"));
        let lineup = match panel {
            [] => ["--bots".to_owned(), bot_names(bots)],
            [first, others @ ..] => {
                let others = others.iter().map(PanelMember::entry);
                let entries = std::iter::once(first.bot.name.clone()).chain(others);
                ["--panel".to_owned(), entries.collect::<Vec<_>>().join(",")]
            }
        };
        RepeatCommand::new(KIND)
            .game(&self.selection)
            .flag_and_value(lineup)
            .option("--games", self.games)
            .option("--seed", self.seed)
            .option("--opening-depth", self.opening_depth)
            .option_if("--precision", precision)
            .flag_if("--until-significant", arguments.until_significant)
            .option_if("--looks", arguments.looks)
            .flag_if("--games-csv", arguments.games_csv)
            .options("--only", &self.only)
            .option_if("--playtests", arguments.playtests.as_ref().map(|file| file.display()))
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
