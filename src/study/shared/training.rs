//! The flow of a training from generation to generation.

mod chunks;
pub(crate) mod edited;
mod learning;
pub(crate) mod opponent;
pub(crate) mod parameters;
pub(crate) mod results;
pub(crate) mod storage;
pub(crate) mod test_match;

use std::{borrow::Cow, sync::atomic::Ordering};

use chunks::GAMES_PER_CHUNK;
use edited::EditedFiles;
use opponent::FrozenBot;
use parameters::NetworkTrainingParameters;
use results::TrainingResults;
use storage::Storage;

use crate::{
    bots::spec::BotSpec,
    game::facts::FactTable,
    rng::{Purpose, stream},
    search::{
        heuristic::Heuristic,
        mcts::{Branching, Settings},
        select::{ChildSelection, SelectionRule},
    },
    study::shared::prelude::*,
    training::{
        model::Model,
        self_play::{GameRecord, SelfPlaySearch},
    },
};

/// The games, the beginning and the parameters of a training.
pub(crate) struct TrainingPlan<'a> {
    pub(crate) data: &'a Document,
    /// The game for each number of players.
    pub(crate) games: Vec<&'a BoundGame>,
    /// Name of the bot with which the training begins; none for the default.
    pub(crate) start_name: Option<String>,
    pub(crate) start: Start,
    /// The bot in all seats except that of the learner, for each number of players; empty for
    /// self-play.
    pub(crate) against: Vec<FrozenBot>,
    /// The edited files of the games; `None` if all games are on the data file.
    pub(crate) edited: Option<EditedFiles>,
    pub(crate) parameters: NetworkTrainingParameters,
    pub(crate) seed: u64,
    /// True if there is no progress and no message.
    pub(crate) is_quiet: bool,
}

/// Beginning of a training.
pub(crate) enum Start {
    /// A network without knowledge.
    Nothing,
    /// Games of a heuristic for each number of players.
    Heuristics(Vec<Heuristic>),
    /// A network, from which the first generation continues.
    Network(Network),
}

/// Returns an error if a game has no inputs for networks.
pub(crate) fn ensure_facts(game: &BoundGame) -> anyhow::Result<()> {
    ensure!(!game.fact_table().is_empty(), "--game: {} has no facts for networks", game.id());
    Ok(())
}

/// A training in progress.
pub(crate) struct NetworkTraining<'a> {
    pub(crate) plan: TrainingPlan<'a>,
    pub(crate) storage: Storage,
    pub(crate) search: SelfPlaySearch,
    pub(crate) stop: &'a AtomicBool,
}

impl Start {
    /// Reads the bot of this name, or without a name the default heuristic of the game.
    pub(crate) fn read(games: &[&BoundGame], name: Option<&str>) -> anyhow::Result<Self> {
        let mut heuristics = Vec::new();
        for game in games {
            let library = &game.library().profiles;
            // Without a heuristic to begin with, the first games are those of a new network.
            let name = name.or(library.default_heuristic).filter(|&name| name != "none");
            let Some(name) = name else { return Ok(Self::Nothing) };
            match library.read(name).context("--start")?.spec {
                BotSpec::Heuristic(heuristic) => heuristics.push(*heuristic),
                BotSpec::Network(bot) => {
                    let several = "--start: expected a single network; a data file with one mode \
                                   has one";
                    let network = bot.networks.only().context(several)?;
                    return Ok(Self::Network(network.source().clone()));
                }
                _ => bail!("--start: expected a heuristic or a network, found {name}"),
            }
        }
        Ok(Self::Heuristics(heuristics))
    }
}

impl TrainingPlan<'_> {
    /// Returns the name of the frozen bot; `None` for self-play.
    pub(crate) fn opponent(&self) -> Option<&str> {
        self.against.first().map(|frozen| frozen.bot.name())
    }

    /// Returns the facts of a game with the inputs that are learned from.
    fn learned_facts<'t>(&self, table: &'t FactTable) -> Cow<'t, FactTable> {
        if self.parameters.no_crossings {
            Cow::Owned(table.without_crossings())
        } else {
            Cow::Borrowed(table)
        }
    }

    /// Returns a name for all that decides the result, except the number of generations.
    fn key(&self) -> String {
        let players: Vec<usize> = self.games.iter().map(|game| game.seats()).collect();
        let against = self.against.iter().map(|frozen| BotDescription::from(&frozen.bot));
        let parameters = NetworkTrainingParameters { generations: 0, ..self.parameters };
        let mut settings = serde_json::json!(parameters);
        settings["game"] = self.games[0].id().into();
        settings["data"] = self.data.sha256().into();
        settings["players"] = players.into();
        settings["start"] = self.start_name.clone().into();
        settings["against"] = serde_json::json!(against.collect::<Vec<_>>());
        settings["seed"] = self.seed.into();
        if let Some(edited) = &self.edited {
            settings["edits"] = edited.count.into();
            settings["edit_share"] = edited.share.into();
            settings["edit_ranges_sha256"] = edited.file.sha256().into();
        }
        if let Start::Network(network) = &self.start {
            settings["start_sha256"] = sha256(&network.to_bytes()).into();
        }
        sha256(settings.to_string().as_bytes())[..16].to_owned()
    }

    /// Returns the number of new games of a generation; none in generation 0 if the first network
    /// needs no games.
    pub(crate) fn new_games(&self, generation: u32) -> Option<u64> {
        match (&self.start, generation) {
            (Start::Nothing | Start::Network(_), 0) => None,
            (_, 0) => Some(self.parameters.start_games),
            _ => Some(self.parameters.games),
        }
    }

    /// Returns the number of new games of generations.
    pub(crate) fn games_of(&self, generations: impl IntoIterator<Item = u32>) -> u64 {
        generations.into_iter().filter_map(|generation| self.new_games(generation)).sum()
    }
}

impl<'a> TrainingPlan<'a> {
    /// Trains in the folder of a run, where trainings with other settings are beside each other, or
    /// reads the network if it was trained before; `None` if interrupted.
    pub(crate) fn train_inside(
        self,
        folder: &RunFolder,
        name: &str,
        threads: Option<usize>,
    ) -> anyhow::Result<Option<(NetworkTraining<'a>, Network, TrainingResults)>> {
        let path = folder.path().join(name).join(self.key());
        fs::create_dir_all(&path).with_context(|| path.display().to_string())?;
        let storage = Storage::new(&path);
        let training = NetworkTraining::new(self, storage, stop_on_interrupt()?);
        let pool = build_thread_pool(threads, u64::MAX, true)?;
        let trained = pool.install(|| training.run(|_| Ok(())))?;
        let trained = trained.filter(|_| !training.is_stopped());
        Ok(trained.map(|(network, results)| (training, network, results)))
    }
}

impl<'a> NetworkTraining<'a> {
    /// Prepares a training, whose files are those of `storage`.
    pub(crate) fn new(plan: TrainingPlan<'a>, storage: Storage, stop: &'a AtomicBool) -> Self {
        let parameters = &plan.parameters;
        let own_moves = plan.games[0].library().profiles.search.own_moves;
        let settings = Settings {
            selection: ChildSelection {
                rule: SelectionRule::Puct,
                exploration: parameters.exploration as f32,
                bias: 0.0,
            },
            first_play_reduction: 0.2,
            branching: if own_moves { Branching::OwnMoves } else { Branching::Shared },
            cut_off: Some(0),
            policy_refresh: 4.0,
            ..Settings::uct(parameters.iterations, 0.0)
        };
        let search = SelfPlaySearch {
            settings,
            iterations: parameters.iterations,
            fast_iterations: parameters.fast_iterations,
            full_share: parameters.full_share,
            root_noise: parameters.root_noise as f32,
            temperature: parameters.temperature,
            random_moves: parameters.random_moves,
            explored_share: parameters.explored_share,
            siblings: parameters.siblings,
        };
        Self { plan, storage, search, stop }
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(crate) fn print(&self, message: &str) {
        if !self.plan.is_quiet {
            print_info(message);
        }
    }

    /// Returns the network before the first generation.
    fn initial_model(&self) -> Model {
        let mut rng = stream(self.plan.seed, 0, 0, Purpose::Training);
        let game = self.plan.games[0];
        let table = game.fact_table();
        let table = self.plan.learned_facts(&table);
        if let Start::Network(network) = &self.plan.start {
            return Model::from_network(&network.clone().with_inputs(&table));
        }
        Model::new(game.id(), &table, &mut rng)
    }

    /// Trains all generations, and returns the best network with the results of all generations;
    /// `None` if there is no network because of an interrupt. `on_generation` receives the results
    /// after each generation.
    pub(crate) fn run(
        &self,
        mut on_generation: impl FnMut(&TrainingResults) -> anyhow::Result<()>,
    ) -> anyhow::Result<Option<(Network, TrainingResults)>> {
        let mut model = self.initial_model();
        let mut best: Option<(Network, u32)> = None;
        let mut results = TrainingResults::default();
        let mut window: Vec<Vec<GameRecord>> = Vec::new();
        let has_start_games = matches!(self.plan.start, Start::Heuristics(_));
        for generation in 0..=self.plan.parameters.generations {
            let started = Instant::now();
            let Some(games) = self.plan.new_games(generation) else {
                best = Some((model.quantized(), 0));
                continue;
            };
            let network = best.as_ref().map(|(network, _)| network);
            let chunks = 0..games.div_ceil(GAMES_PER_CHUNK);
            let Some(records) = self.play_chunks(generation, games, chunks, network)? else {
                break;
            };
            window.push(records);
            let first = window.len().saturating_sub(self.plan.parameters.window as usize);
            window.drain(..first);
            // The games of the bot --start help as long as there are few others.
            if generation > 0 && generation < self.plan.parameters.window && has_start_games {
                let searched = window[1..].iter().map(Vec::len).sum();
                window[0].truncate(searched);
            }
            let stored = self.storage.read_result(generation)?;
            if let (Some(result), Some(network)) = (stored, self.storage.read_network(generation)?)
            {
                model = Model::from_network(&network);
                if result.is_promoted {
                    best = Some((network, generation));
                }
                results.generations.push(result);
                continue;
            }
            if results.generations.is_empty() && !matches!(self.plan.start, Start::Network(_)) {
                model.header.score_scale = self.score_scale(window.last().expect("a generation"));
            }
            let Some(mut result) = self.learn(generation, &window, &mut model)? else { break };
            let network = model.quantized();
            model = Model::from_network(&network);
            self.storage.write_network(generation, &network)?;
            let is_against = self.plan.opponent().is_some();
            if self.plan.parameters.test_games > 0 && (is_against || best.is_some()) {
                let best = best.as_ref().map(|(best, _)| best);
                let Some(test) = self.test(generation, &network, best)? else { break };
                // Against a frozen bot every generation plays the next games, so that they are
                // those of the network that learns from them.
                result.is_promoted = is_against || test.is_promoted();
                result.test = Some(test);
            }
            result.best = match &best {
                _ if is_against => results.best_in_test(&result),
                Some((_, best)) if !result.is_promoted => *best,
                _ => generation,
            };
            self.storage.write_result(&result)?;
            if result.is_promoted {
                best = Some((network, generation));
            }
            let messages = result.messages(started.elapsed().as_secs_f64());
            for message in &messages {
                self.print(message);
            }
            results.generations.push(result);
            on_generation(&results)?;
        }
        if !results.generations.is_empty() {
            on_generation(&results)?;
        }
        let Some((promoted, _)) = best else { return Ok(None) };
        let network = self.storage.read_network(results.best())?.unwrap_or(promoted);
        Ok(Some((network, results)))
    }

    /// Returns the generation after the stored ones, the number of its games, and the chunks of a
    /// shard.
    ///
    /// # Errors
    /// If all generations are stored, or there are more shards than chunks.
    pub(crate) fn chunks_of(&self, shard: Shard) -> anyhow::Result<(u32, u64, Range<u64>)> {
        let is_next = |&generation: &u32| {
            self.plan.new_games(generation).is_some() && !self.storage.has_generation(generation)
        };
        let next = (0..=self.plan.parameters.generations).find(is_next).with_context(|| {
            let folder = self.storage.folder().display();
            format!("--shard: {folder} has all generations; expected more --generations")
        })?;
        let games = self.plan.new_games(next).unwrap_or_default();
        let chunks = games.div_ceil(GAMES_PER_CHUNK);
        ensure!(
            shard.count <= chunks,
            "--shard: expected at most {chunks} for {games} games in chunks of {GAMES_PER_CHUNK}, \
             found {shard}"
        );
        Ok((next, games, shard.blocks(chunks)))
    }

    /// Plays a shard of the games of the next generation.
    pub(crate) fn play_shard(&self, shard: Shard) -> anyhow::Result<ExitStatus> {
        let (generation, games, chunks) = self.chunks_of(shard)?;
        let begins_with_network = self.plan.new_games(0).is_none();
        let mut best = begins_with_network.then(|| self.initial_model().quantized());
        for earlier in 0..generation {
            if self.storage.read_result(earlier)?.is_some_and(|result| result.is_promoted) {
                best = self.storage.read_network(earlier)?;
            }
        }
        let Some(records) = self.play_chunks(generation, games, chunks, best.as_ref())? else {
            return Ok(ExitStatus::Negative);
        };
        self.print(&format!(
            "shard {shard} of generation {generation}: {} in {}",
            format_count(records.len(), "game"),
            self.storage.folder().display()
        ));
        Ok(ExitStatus::Success)
    }
}
