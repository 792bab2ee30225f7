//! `--adapt`: trains the networks of the bots on each data file of a comparison before it is
//! played.

use crate::{
    bots::{network::LoadedNetwork, profile::ProfileLibrary},
    run::lineups::lineup_label,
    study::shared::{
        prelude::*,
        training::{Start, TrainingPlan, parameters::NetworkTrainingParameters},
    },
};

/// Folder of the trainings in the folder of the run.
const FOLDER: &str = "adapted";
/// Maximum number of games of the test of a generation: changed data is a matter of minutes.
const MAX_TEST_GAMES: u64 = 400;

/// Flags of comparisons of data files for bots that learn the data first.
#[derive(Args, Debug)]
pub(crate) struct AdaptationArguments {
    /// Before the games, train the networks of the bots on each data file, all equally long, and
    /// play each data file with its own networks
    #[arg(long, conflicts_with = "shard")]
    pub(crate) adapt: bool,
    /// Set the number of generations of --adapt [default: 3]
    #[arg(long, value_name = "N", default_value_if("adapt", "true", "3"),
        requires = "adapt", value_parser = count::<u32>(1..=1000))]
    adapt_generations: Option<u32>,
    /// Set the number of games per generation of --adapt [default: 1000]
    #[arg(long, value_name = "N", default_value_if("adapt", "true", "1000"),
        requires = "adapt", value_parser = count::<u64>(1..=10_000_000))]
    adapt_games: Option<u64>,
}

/// Bots of a comparison.
pub(crate) struct ComparedBots {
    /// Lineups of each data file.
    pub(crate) lineups_by_file: Vec<Vec<Vec<BotFactory>>>,
    /// Trainings by --adapt, if there were any.
    pub(crate) adaptation: Option<Adaptation>,
}

/// Trainings of the networks of the bots, as manifests and pages describe them.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Adaptation {
    generations: u32,
    games_per_generation: u64,
    networks: Vec<AdaptedNetwork>,
}

/// Network that was trained on a data file.
#[derive(Clone, Debug, Serialize)]
struct AdaptedNetwork {
    /// Name of the data file.
    config: String,
    /// SHA-256 of the file of the network from which the training continued.
    from_sha256: String,
    /// SHA-256 of the trained network.
    sha256: String,
    /// Generation that plays; 0 is the network from which the training continued.
    generation: u32,
}

impl ComparedBots {
    /// Reads the lineups for each data file without a training.
    pub(crate) fn read(
        lineups: &LineupArguments,
        files: &[(&BoundGame, &Document)],
        library: &BotLibrary,
    ) -> anyhow::Result<Self> {
        let read = |(game, _): &(&BoundGame, &Document)| {
            read_lineups(lineups, game, library, Arc::default())
        };
        let lineups_by_file = files.iter().map(read).collect::<anyhow::Result<_>>()?;
        Ok(Self { lineups_by_file, adaptation: None })
    }
}

impl AdaptationArguments {
    /// Returns the numbers of generations and of games per generation.
    fn size(&self) -> (u32, u64) {
        (self.adapt_generations.unwrap_or_default(), self.adapt_games.unwrap_or_default())
    }

    /// Reads the lineups for each data file, with networks that were trained on it if the flag is
    /// set. Trainings that are complete in the folder are not repeated. Returns `None` if a
    /// training was interrupted.
    pub(crate) fn read_bots(
        &self,
        lineups: &LineupArguments,
        files: &[(&BoundGame, &Document)],
        library: &BotLibrary,
        run: &RunArguments,
        folder: &RunFolder,
    ) -> anyhow::Result<Option<ComparedBots>> {
        if !self.adapt {
            return Ok(Some(ComparedBots::read(lineups, files, library)?));
        }
        let mut lineups_by_file = Vec::new();
        let mut trained = Vec::new();
        for (index, &(game, document)) in files.iter().enumerate() {
            // A library of its own, which reads the networks of the lineups and no others.
            let own = game.library();
            let unadapted = lineups.read_lineups(own, game.seats())?;
            let networks = own.profiles.networks.loaded();
            if networks.is_empty() {
                let names: Vec<_> = unadapted.iter().map(|lineup| lineup_label(lineup)).collect();
                bail!("--adapt: expected a bot with a network, found {}", names.join(","));
            }
            // A bot has a note on each file with values that it has not learned.
            let bots = read_lineups(lineups, game, library, Arc::default())?;
            let mut bots = bots.into_iter().flatten();
            if index == 0 && !run.quiet && bots.all(|bot| bot.notes().is_empty()) {
                print_info("note: the bots have learned such edits, so --adapt is seldom needed");
            }
            if !run.quiet {
                let number = format!("{} of {}", index + 1, files.len());
                print_info(&format!("adapting to {} ({number})", document.name));
            }
            let mut adapted = BTreeMap::new();
            for network in &networks {
                let Some((record, content)) = self.train(game, document, network, run, folder)?
                else {
                    print_info("interrupted while adapting; the same command continues");
                    return Ok(None);
                };
                trained.push(record);
                adapted.insert(network.sha256.clone(), content);
            }
            lineups_by_file.push(read_lineups(lineups, game, library, Arc::new(adapted))?);
        }
        let (generations, games_per_generation) = self.size();
        let adaptation = Adaptation { generations, games_per_generation, networks: trained };
        Ok(Some(ComparedBots { lineups_by_file, adaptation: Some(adaptation) }))
    }

    /// Trains a network on a data file, or reads it if it was trained before; `None` if
    /// interrupted.
    fn train(
        &self,
        game: &BoundGame,
        data: &Document,
        network: &LoadedNetwork,
        run: &RunArguments,
        folder: &RunFolder,
    ) -> anyhow::Result<Option<(AdaptedNetwork, Vec<u8>)>> {
        let (generations, games) = self.size();
        let defaults = NetworkTrainingParameters::default();
        let plan = TrainingPlan {
            data,
            games: vec![game],
            start_name: None,
            start: Start::Network(network.network.source().clone()),
            against: Vec::new(),
            edited: None,
            parameters: NetworkTrainingParameters {
                generations,
                games,
                test_games: MAX_TEST_GAMES.min(games),
                ..defaults
            },
            seed: run.seed,
            is_quiet: run.quiet,
        };
        let trained = plan.train_inside(folder, FOLDER, run.threads)?;
        Ok(trained.map(|(_, trained, results)| {
            let content = trained.to_bytes();
            let record = AdaptedNetwork {
                config: data.name.clone(),
                from_sha256: network.sha256.clone(),
                sha256: sha256(&content),
                generation: results.best(),
            };
            (record, content)
        }))
    }
}

/// Reads the lineups for a game, whose networks are bound to its data file. `library` has the bots
/// that a program adds, and the data files for notes.
pub(crate) fn read_lineups(
    lineups: &LineupArguments,
    game: &BoundGame,
    library: &BotLibrary,
    adapted_networks: Arc<BTreeMap<String, Vec<u8>>>,
) -> anyhow::Result<Vec<Vec<BotFactory>>> {
    let data = library.profiles.data.clone();
    let profiles = ProfileLibrary { data, adapted_networks, ..game.library().profiles.clone() };
    let added_bots = library.added_bots.clone();
    lineups.read_lineups(&BotLibrary { profiles, added_bots, programs: None }, game.seats())
}

impl Adaptation {
    /// Returns a line of terminal text.
    pub(crate) fn text(&self) -> String {
        let generations = format_count(self.generations, "generation");
        let games = group_digits(self.games_per_generation);
        format!("networks adapted to each data file: {generations} of {games} games\n")
    }

    /// Adds the section of the page.
    pub(crate) fn add_section(&self, report: &mut StudyReport) {
        report.section("Adapted networks");
        report.explanation(&format!(
            "Before the games, the networks of the bots were trained on each data file, by {} of \
             {} games of self-play with the seed of the run. Each data file was played with its \
             own networks. A generation replaces the last one if it wins a test against it.",
            format_count(self.generations, "generation"),
            group_digits(self.games_per_generation)
        ));
        let networks = self.networks.iter().map(|network| match network.generation {
            0 => format!(
                "{}: no generation won its test, so the network is unchanged.",
                network.config
            ),
            generation => format!(
                "{}: generation {generation}, SHA-256 `{}`…",
                network.config,
                &network.sha256[..16]
            ),
        });
        report.page_list(&networks.collect::<Vec<_>>());
    }
}
