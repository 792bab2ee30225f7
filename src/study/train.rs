//! `train`: learns a network from self-play by search (expert iteration: Anthony, Tian and Barber
//! 2017; Silver et al. 2017) and writes it as a profile.

pub(crate) mod arguments;
mod model;
mod network_search;
mod page;
mod results;
mod samples;
mod self_play;
mod storage;
mod tables;
mod test_match;

use std::{
    fs,
    io::Write as _,
    ops::Range,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use anyhow::{Context as _, bail};
use arguments::{Arguments, TrainingParameters};
use indicatif::ProgressBar;
use model::{BATCH_SIZE, Losses, Model, Trainer};
use rand::seq::SliceRandom as _;
use rayon::prelude::*;
use results::{GenerationResult, TrainingResults};
use samples::SampleSet;
use self_play::{GameRecord, Sampling, SelfPlaySearch, Teacher};
use storage::Storage;
use test_match::{TestMatch, TestResult};

use crate::{
    arena::schedule::Shard,
    bots::profile::{BotLibrary, BotSpec},
    game::facts::FactTable,
    games::{GameDefinition, GameList, GameTask},
    report::{
        data_table::Schema,
        html::{format_count, join_with_and},
        terminal::{print, print_info},
    },
    rng::{Purpose, stream},
    run::{
        ExitStatus,
        append_file::PartialFile,
        arguments::{GameSelection, RunArguments, StudyTask},
        command::RepeatCommand,
        files::resolve_path,
        page::FILE as PAGE,
        progress_bar::{progress_bar, stop_on_interrupt},
    },
    search::{
        Evaluator,
        heuristic::Heuristic,
        mcts::{Branching, Settings},
        network::{BoundNetwork, Network, NetworkEvaluator},
        select::{ChildSelection, SelectionRule},
    },
};

/// Games that are stored together. An interrupted training loses at most the games of one chunk.
const GAMES_PER_CHUNK: u64 = 500;
/// Blocks of a generation: the numbers of blocks of different generations do not overlap.
const BLOCKS_PER_GENERATION: u64 = 1 << 32;
/// Games from which the scale of the scores of a new network is computed.
const SCORED_GAMES: usize = 1000;
/// One of this many games is held out of the training. A prime, so that all numbers of players are
/// among them.
const HELD_OUT: u64 = 19;

/// Returns the descriptions of the tables.
pub(crate) fn schemas() -> Vec<Schema> {
    vec![tables::training_schema(), tables::tests_schema()]
}

pub(crate) fn run<L: GameList>(arguments: &Arguments) -> anyhow::Result<ExitStatus> {
    let selection = arguments.game.resolve::<L>()?;
    let out = &arguments.out;
    if out.extension().is_none_or(|extension| extension != "toml") {
        bail!("--out: expected a name that ends in .toml, found {}", out.display());
    }
    let config = selection.config.as_ref();
    if config.is_some_and(|config| resolve_path(config) == resolve_path(out)) {
        bail!("--out: {} is also the file of --config; expected another file", out.display());
    }
    let RunArguments { threads, quiet, .. } = arguments.run;
    selection.run_on_threads::<L, _>(threads, quiet, StudyTask { arguments, selection: &selection })
}

impl GameTask for StudyTask<'_, Arguments> {
    type Output = anyhow::Result<ExitStatus>;

    fn run<G: GameDefinition>(
        self,
        game: &G,
        library: &BotLibrary<G>,
    ) -> anyhow::Result<ExitStatus> {
        let Self { arguments, selection } = self;
        if game.fact_table().is_empty() {
            bail!("--game: {} has no facts for networks", G::ID);
        }
        let range = match arguments.game.players {
            Some(players) => players..=players,
            None => crate::games::GameData::player_range(&selection.document.parse::<G::Data>()?),
        };
        let mut games = Vec::new();
        for players in range {
            games.push(G::bind(&selection.document, players)?);
        }
        let stop = stop_on_interrupt()?;
        if let Some(shard) = arguments.shard {
            let training = Training::new(arguments, selection, &games, library, stop)?;
            return training.play_shard(shard);
        }
        let weights = arguments.out.with_extension("network");
        let create = |path: &Path| PartialFile::create_for_user(path, arguments.force);
        let (mut profile, mut network_file) = (create(&arguments.out)?, create(&weights)?);
        let training = Training::new(arguments, selection, &games, library, stop)?;
        let Some((network, results)) = training.run()? else {
            print_info("interrupted before the first network; no profile written");
            return Ok(ExitStatus::Negative);
        };
        let command = training.repeat_command(results.best());
        let text = training.profile_text(&weights, &command, results.best());
        for (file, bytes) in
            [(&mut network_file, &network.to_bytes()[..]), (&mut profile, text.as_bytes())]
        {
            file.file().write_all(bytes).map_err(|error| file.unwritable(error))?;
        }
        network_file.finish()?;
        profile.finish()?;
        print(&format!(
            "{command}\n\n{}\nwritten to {}\n",
            results.summary(),
            arguments.out.display()
        ));
        Ok(if stop.load(Ordering::Relaxed) { ExitStatus::Negative } else { ExitStatus::Success })
    }
}

/// Player of the games before the first generation.
enum Start {
    /// No games.
    Nothing,
    /// A heuristic for each number of players.
    Heuristics(Vec<Heuristic>),
    /// No games: the first generation continues from a network.
    Network(Network),
}

/// A training in progress.
struct Training<'a, G> {
    arguments: &'a Arguments,
    parameters: TrainingParameters,
    selection: &'a GameSelection,
    games: &'a [G],
    /// Different tables of facts, and the index of the table of each game.
    tables: Vec<FactTable>,
    table_of: Vec<usize>,
    start: Start,
    storage: Storage,
    search: SelfPlaySearch,
    stop: &'a AtomicBool,
}

impl<'a, G: GameDefinition> Training<'a, G> {
    fn new(
        arguments: &'a Arguments,
        selection: &'a GameSelection,
        games: &'a [G],
        library: &BotLibrary<G>,
        stop: &'a AtomicBool,
    ) -> anyhow::Result<Self> {
        let parameters = arguments.parameters;
        let mut tables: Vec<FactTable> = Vec::new();
        let mut table_of = Vec::new();
        for game in games {
            let table = game.fact_table();
            let known = tables.iter().position(|other| *other == table);
            table_of.push(known.unwrap_or_else(|| {
                tables.push(table);
                tables.len() - 1
            }));
        }
        let mut start_name = arguments.start.clone().unwrap_or_default();
        let start = if start_name == "none" || parameters.start_games == 0 {
            Start::Nothing
        } else {
            let mut heuristics = Vec::new();
            let mut network = None;
            for game in games {
                let library = game.profile_library();
                // Without a heuristic to begin with, the first games are those of a new network.
                let Some(name) = arguments.start.as_deref().or(library.default_heuristic) else {
                    break;
                };
                match library.read(name).context("--start")?.spec {
                    BotSpec::Heuristic(heuristic) => heuristics.push(*heuristic),
                    BotSpec::Network(bot) => network = Some(bot.network.source().clone()),
                    _ => bail!("--start: expected a heuristic or a network, found {name}"),
                }
            }
            match network {
                Some(network) => Start::Network(network),
                None if heuristics.len() < games.len() => Start::Nothing,
                None => Start::Heuristics(heuristics),
            }
        };
        if start_name.is_empty() {
            "default".clone_into(&mut start_name);
        }
        let own_moves = library.profiles.search.own_moves;
        let settings = Settings {
            selection: ChildSelection {
                rule: SelectionRule::Puct,
                exploration: parameters.exploration as f32,
                bias: 0.0,
            },
            first_play_reduction: 0.2,
            branching: if own_moves { Branching::OwnMoves } else { Branching::Shared },
            cut_off: Some(0),
            ..Settings::uct(parameters.iterations, 0.0)
        };
        let search = SelfPlaySearch {
            settings,
            iterations: parameters.iterations,
            fast_iterations: parameters.fast_iterations,
            full_share: parameters.full_share,
            root_noise: parameters.root_noise as f32,
            temperature: parameters.temperature,
        };
        let work = arguments.work.clone();
        let work = work.unwrap_or_else(|| arguments.out.with_extension("training"));
        let players: Vec<usize> = games.iter().map(G::seats).collect();
        let settings = serde_json::json!({
            "game": G::ID,
            "data": selection.document.sha256(),
            "players": players,
            "start": start_name,
            "seed": arguments.run.seed(),
            "parameters": TrainingParameters { generations: 0, ..parameters },
        });
        let storage = Storage::open(&work, &format!("{settings:#}\n"), arguments.resume)?;
        Ok(Self {
            arguments,
            parameters,
            selection,
            games,
            tables,
            table_of,
            start,
            storage,
            search,
            stop,
        })
    }

    fn seed(&self) -> u64 {
        self.arguments.run.seed()
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn print(&self, message: &str) {
        if !self.arguments.run.quiet {
            print_info(message);
        }
    }

    /// Returns the network before the first generation.
    fn initial_model(&self) -> Model {
        let mut rng = stream(self.seed(), 0, 0, Purpose::Training);
        match &self.start {
            Start::Network(network) => Model::from_network(network),
            _ => Model::new(G::ID, &self.tables[0], &mut rng),
        }
    }

    /// Returns the number of new games of a generation; none in generation 0 if the first network
    /// needs no games.
    fn new_games(&self, generation: u32) -> Option<u64> {
        match (&self.start, generation) {
            (Start::Nothing | Start::Network(_), 0) => None,
            (_, 0) => Some(self.parameters.start_games),
            _ => Some(self.parameters.games),
        }
    }

    /// Trains all generations, and returns the best network with the results of all generations;
    /// `None` if there is no network because of an interrupt.
    fn run(&self) -> anyhow::Result<Option<(Network, TrainingResults)>> {
        self.storage.write_settings()?;
        let mut model = self.initial_model();
        let mut best: Option<(Network, u32)> = None;
        let mut results = TrainingResults::default();
        let mut window: Vec<Vec<GameRecord>> = Vec::new();
        let has_start_games = matches!(self.start, Start::Heuristics(_));
        for generation in 0..=self.parameters.generations {
            let started = Instant::now();
            let Some(games) = self.new_games(generation) else {
                best = Some((model.quantized(), 0));
                continue;
            };
            let network = best.as_ref().map(|(network, _)| network);
            let chunks = 0..games.div_ceil(GAMES_PER_CHUNK);
            let Some(records) = self.play_chunks(generation, games, chunks, network)? else {
                break;
            };
            window.push(records);
            let first = window.len().saturating_sub(self.parameters.window as usize);
            window.drain(..first);
            // The games of the bot --start help as long as there are few others.
            if generation > 0 && generation < self.parameters.window && has_start_games {
                let searched = window[1..].iter().map(Vec::len).sum();
                window[0].truncate(searched);
            }
            let stored = self.read_result(generation)?;
            if let (Some(result), Some(network)) = (stored, self.storage.read_network(generation)?)
            {
                model = Model::from_network(&network);
                if result.is_promoted {
                    best = Some((network, generation));
                }
                results.generations.push(result);
                continue;
            }
            if results.generations.is_empty() && !matches!(self.start, Start::Network(_)) {
                model.header.score_scale = self.score_scale(window.last().expect("a generation"));
            }
            let Some(mut result) = self.learn(generation, &window, &mut model) else { break };
            let network = model.quantized();
            model = Model::from_network(&network);
            storage::write(&self.storage.network_file(generation), &network.to_bytes())?;
            if let Some((best, _)) = best.as_ref().filter(|_| self.parameters.test_games > 0) {
                let Some(test) = self.test(generation, &network, best)? else { break };
                result.is_promoted = test.is_promoted();
                result.test = Some(test);
            }
            result.best = match &best {
                Some((_, best)) if !result.is_promoted => *best,
                _ => generation,
            };
            let text = serde_json::to_string_pretty(&result)?;
            storage::write(&self.storage.result_file(generation), text.as_bytes())?;
            if result.is_promoted {
                best = Some((network, generation));
            }
            let messages = result.messages(started.elapsed().as_secs_f64());
            for message in &messages {
                self.print(message);
            }
            results.generations.push(result);
            self.write_report(&results)?;
        }
        if !results.generations.is_empty() {
            self.write_report(&results)?;
        }
        Ok(best.map(|(network, _)| (network, results)))
    }

    /// Plays a shard of the games of the generation after the stored ones.
    fn play_shard(&self, shard: Shard) -> anyhow::Result<ExitStatus> {
        let mut best = None;
        for generation in 0..=self.parameters.generations {
            let Some(games) = self.new_games(generation) else {
                best = Some(self.initial_model().quantized());
                continue;
            };
            let stored = self.read_result(generation)?;
            if let (Some(result), Some(network)) = (stored, self.storage.read_network(generation)?)
            {
                if result.is_promoted {
                    best = Some(network);
                }
                continue;
            }
            let chunks = games.div_ceil(GAMES_PER_CHUNK);
            if shard.count > chunks {
                bail!(
                    "--shard: expected at most {chunks} for {games} games in chunks of \
                     {GAMES_PER_CHUNK}, found {shard}"
                );
            }
            self.storage.write_settings()?;
            let chunks = shard.blocks(chunks);
            let Some(records) = self.play_chunks(generation, games, chunks, best.as_ref())? else {
                return Ok(ExitStatus::Negative);
            };
            self.print(&format!(
                "shard {shard} of generation {generation}: {} in {}",
                format_count(records.len() as u64, "game"),
                self.storage.folder().display()
            ));
            return Ok(ExitStatus::Success);
        }
        bail!(
            "--shard: {} has all generations; expected more --generations",
            self.storage.folder().display()
        )
    }

    /// Writes the tables and the page of the generations so far.
    fn write_report(&self, results: &TrainingResults) -> anyhow::Result<()> {
        let provenance = &self.selection.provenance;
        let tables = [results.training_table(provenance), results.tests_table(provenance)];
        let players: Vec<usize> = self.games.iter().map(G::seats).collect();
        let generations = 0..=self.parameters.generations;
        let page = page::TrainingPage {
            results,
            tables: &tables,
            game: self.selection.game,
            data: &self.selection.document,
            provenance,
            players: &players,
            seed: self.seed(),
            planned: generations.filter(|&number| self.new_games(number).is_some()).count(),
            command: &self.repeat_command(results.best()).to_string(),
        };
        let write =
            |name: &str, bytes: &[u8]| storage::write(&self.storage.folder().join(name), bytes);
        for table in &tables {
            write(&table.schema().file_name(), &table.csv())?;
        }
        write(PAGE, &page.render())
    }

    fn read_result(&self, generation: u32) -> anyhow::Result<Option<GenerationResult>> {
        let path = self.storage.result_file(generation);
        let Ok(text) = fs::read_to_string(&path) else { return Ok(None) };
        let result = serde_json::from_str(&text);
        Ok(Some(result.with_context(|| path.display().to_string())?))
    }

    /// Plays the games of chunks of a generation that are not stored, and returns the games of
    /// these chunks; `None` if interrupted.
    fn play_chunks(
        &self,
        generation: u32,
        games: u64,
        chunks: Range<u64>,
        network: Option<&Network>,
    ) -> anyhow::Result<Option<Vec<GameRecord>>> {
        let bound = network.map(|network| self.bind_all(network)).transpose()?;
        let range_of =
            |chunk: u64| chunk * GAMES_PER_CHUNK..games.min((chunk + 1) * GAMES_PER_CHUNK);
        let planned = chunks.clone().map(|chunk| range_of(chunk).count() as u64).sum();
        let bar = progress_bar(planned, "games", self.arguments.run.quiet);
        bar.set_message(format!("generation {generation}: self-play"));
        let mut all = Vec::new();
        for chunk in chunks {
            let records = if let Some(records) = self.storage.read_games(generation, chunk)? {
                bar.set_position((all.len() + records.len()) as u64);
                // Stored games say nothing about the speed.
                bar.reset_eta();
                records
            } else {
                let range = range_of(chunk);
                let records = self.play_chunk(generation, range, bound.as_deref(), &bar);
                if self.is_stopped() {
                    bar.finish_and_clear();
                    return Ok(None);
                }
                self.storage.write_games(generation, chunk, &records)?;
                records
            };
            all.extend(records);
        }
        bar.finish_and_clear();
        Ok(Some(all))
    }

    /// Plays games in parallel.
    fn play_chunk(
        &self,
        generation: u32,
        games: Range<u64>,
        networks: Option<&[NetworkEvaluator]>,
        bar: &ProgressBar,
    ) -> Vec<GameRecord> {
        let play = |index: u64| {
            if self.is_stopped() {
                return GameRecord { block: 0, words: Vec::new() };
            }
            let block = u64::from(generation) * BLOCKS_PER_GENERATION + index;
            let players = self.players_of(block);
            let teacher = match (&self.start, networks) {
                (Start::Heuristics(heuristics), None) => Teacher::Priors {
                    evaluator: &heuristics[players] as &dyn Evaluator<G>,
                    epsilon: self.parameters.epsilon,
                },
                (_, Some(networks)) => {
                    Teacher::Search { network: &networks[players], search: &self.search }
                }
                (Start::Nothing | Start::Network(_), None) => {
                    unreachable!("games of these begin with a network")
                }
            };
            let record = self_play::play(&self.games[players], &teacher, self.seed(), block);
            bar.inc(1);
            record
        };
        games.into_par_iter().map(play).collect()
    }

    /// Returns the index of the game that is played in a block: all in turn.
    fn players_of(&self, block: u64) -> usize {
        (block % BLOCKS_PER_GENERATION % self.games.len() as u64) as usize
    }

    /// Binds a network to each number of players.
    fn bind_all(&self, network: &Network) -> anyhow::Result<Vec<NetworkEvaluator>> {
        let mut bound = Vec::new();
        for table in &self.tables {
            let network = BoundNetwork::new("network", network, G::ID, table)?;
            bound.push(NetworkEvaluator::new(Arc::new(network), 1.0));
        }
        Ok(self.table_of.iter().map(|&table| bound[table].clone()).collect())
    }

    /// Returns the scale of the scores for a new network: their standard deviation in some games,
    /// in whole points, so that the errors of the scores are neither lost beside those of the win
    /// shares nor outweigh them.
    fn score_scale(&self, records: &[GameRecord]) -> f32 {
        let scores: Vec<f64> = records
            .iter()
            .take(SCORED_GAMES)
            .flat_map(|record| {
                let game = &self.games[self.players_of(record.block)];
                let scores = self_play::final_scores(game, record, self.seed());
                scores.into_iter().take(game.seats()).map(f64::from)
            })
            .collect();
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        let squares: f64 = scores.iter().map(|score| (score - mean).powi(2)).sum();
        (squares / scores.len() as f64).sqrt().round().max(1.0) as f32
    }

    /// Trains the model on the games of the window; `None` if interrupted.
    fn learn(
        &self,
        generation: u32,
        window: &[Vec<GameRecord>],
        model: &mut Model,
    ) -> Option<GenerationResult> {
        let parameters = &self.parameters;
        let newest = window.last()?;
        let sampling = Sampling {
            lambda: parameters.lambda as f32,
            value_share: parameters.sample,
            policy_share: 1.0,
            score_scale: model.header.score_scale,
            seed: self.seed(),
        };
        let sample = |records: &[&GameRecord]| {
            let sets: Vec<SampleSet> = records
                .par_chunks(64)
                .map(|records| {
                    let mut set = SampleSet::default();
                    for record in records {
                        let players = self.players_of(record.block);
                        let table = self.table_of[players];
                        self_play::add_samples(
                            &self.games[players],
                            table,
                            record,
                            &sampling,
                            &mut set,
                        );
                    }
                    set
                })
                .collect();
            let mut all = SampleSet::default();
            for set in &sets {
                all.append(set);
            }
            all
        };
        let is_held_out = |record: &&GameRecord| record.block % HELD_OUT == HELD_OUT - 1;
        let held_out = sample(&newest.iter().filter(is_held_out).collect::<Vec<_>>());
        let training: Vec<&GameRecord> =
            window.iter().flatten().filter(|record| !is_held_out(record)).collect();
        let samples = sample(&training);
        let mut trainer = Trainer::new(&self.tables, model.layout());
        let held_out_indices: Vec<u32> = (0..held_out.len() as u32).collect();
        let before = model.losses(&mut trainer, &held_out, &held_out_indices).means();
        let mut order: Vec<u32> = (0..samples.len() as u32).collect();
        let mut rng = stream(self.seed(), generation.into(), 1, Purpose::Training);
        let batches = samples.len().div_ceil(BATCH_SIZE);
        let steps = batches * parameters.epochs as usize;
        let bar = progress_bar(steps as u64, "batches", self.arguments.run.quiet);
        bar.set_message(format!("generation {generation}: learning"));
        let mut step = 0;
        for epoch in 0..parameters.epochs {
            order.shuffle(&mut rng);
            let mut losses = Losses::default();
            for batch in order.chunks(BATCH_SIZE) {
                if self.is_stopped() {
                    return None;
                }
                // Half a cosine from the learning rate to a tenth of it.
                let progress = f64::from(step) / steps as f64;
                let factor = 0.55 + 0.45 * (std::f64::consts::PI * progress).cos();
                let rate = (parameters.learning_rate * factor) as f32;
                losses.add(&model.train_batch(&mut trainer, &samples, batch, rate));
                step += 1;
                bar.inc(1);
            }
            let [win, policy, _] = losses.means();
            bar.set_message(format!(
                "generation {generation}: epoch {}, loss {win:.4}, policy {policy:.4}",
                epoch + 1
            ));
        }
        bar.finish_and_clear();
        let after = model.losses(&mut trainer, &held_out, &held_out_indices).means();
        Some(GenerationResult {
            generation,
            games: training.len() as u64,
            samples: samples.len(),
            losses_before: before,
            losses_after: after,
            test: None,
            is_promoted: true,
            best: generation,
        })
    }

    /// Tests a network against the best one; `None` if interrupted.
    fn test(
        &self,
        generation: u32,
        candidate: &Network,
        best: &Network,
    ) -> anyhow::Result<Option<TestResult>> {
        let networks = [self.bind_all(candidate)?, self.bind_all(best)?];
        let test = TestMatch {
            games: self.games,
            networks: &networks,
            settings: Settings {
                budget: crate::search::mcts::Budget::iterations(self.parameters.fast_iterations),
                ..self.search.settings
            },
            max_games: self.parameters.test_games,
            seed: self.seed().wrapping_add(1 + u64::from(generation)),
        };
        let result = test.run(self.stop);
        Ok((!self.is_stopped()).then_some(result))
    }

    /// Returns the command that trains the network of a generation.
    fn repeat_command(&self, generation: u32) -> RepeatCommand {
        let TrainingParameters {
            generations: _,
            games,
            start_games,
            iterations,
            fast_iterations,
            full_share,
            root_noise,
            temperature,
            exploration,
            epsilon,
            lambda,
            sample,
            window,
            epochs,
            learning_rate,
            test_games,
        } = self.parameters;
        // Without --players, the network is trained for all numbers of players.
        RepeatCommand::new("train")
            .option("--game", G::ID)
            .option_if("--config", self.selection.config.as_ref().map(|path| path.display()))
            .option_if("--players", self.arguments.game.players)
            .option_if("--start", self.arguments.start.as_ref())
            .option("--start-games", start_games)
            .option("--generations", generation)
            .option("--games", games)
            .option("--iterations", iterations)
            .option("--fast-iterations", fast_iterations)
            .option("--full-share", full_share)
            .option("--root-noise", root_noise)
            .option("--temperature", temperature)
            .option("--exploration", exploration)
            .option("--epsilon", epsilon)
            .option("--lambda", lambda)
            .option("--sample", sample)
            .option("--window", window)
            .option("--epochs", epochs)
            .option("--learning-rate", learning_rate)
            .option("--test-games", test_games)
            .option("--seed", self.seed())
    }

    /// Returns the text of the profile.
    fn profile_text(&self, weights: &Path, command: &RepeatCommand, generation: u32) -> String {
        let file = weights.file_name().map(|name| name.display().to_string()).unwrap_or_default();
        let players: Vec<_> = self.games.iter().map(|game| game.seats().to_string()).collect();
        let generations = match generation {
            1 => "1 generation".to_owned(),
            generation => format!("{generation} generations"),
        };
        let description = format!(
            "Network of {generations} of self-play by search, for {} players.",
            join_with_and(&players)
        );
        format!(
            "{}kind = \"network\"\ndescription = \"{description}\"\nweights = {file:?}\n\
             data = \"{}\"\n",
            self.selection.profile_header(&command.to_string()),
            self.selection.document.values_sha256().unwrap_or_default(),
        )
    }
}
