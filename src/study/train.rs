//! `train`: learns a network from self-play by search (expert iteration: Anthony, Tian and Barber
//! 2017; Silver et al. 2017) and writes it as a profile.

pub(crate) mod arguments;
mod page;
mod tables;

use std::sync::atomic::Ordering;

use arguments::TrainArguments;

use crate::{
    run::{page::FILE as PAGE, paths::resolve_path},
    study::shared::{
        prelude::*,
        training::{
            NetworkTraining, TrainingPlan, ensure_facts,
            opponent::FrozenBot,
            results::{TrainingResults, network_profile},
            storage::{self, Storage},
        },
    },
};

/// Returns the descriptions of the tables.
pub(crate) fn schemas() -> Vec<Schema> {
    vec![tables::training_columns().schema(), tables::tests_columns().schema()]
}

pub(crate) fn run(
    games: GameList,
    arguments: &TrainArguments,
    command: &RepeatCommand,
) -> anyhow::Result<ExitStatus> {
    let (selection, numbers) = arguments.game.resolve_all(games)?;
    let out = &arguments.out;
    if out.extension().is_none_or(|extension| extension != "toml") {
        bail!("--out: expected a name that ends in .toml, found {}", out.display());
    }
    let config = selection.config.as_ref();
    if config.is_some_and(|config| resolve_path(config) == resolve_path(out)) {
        bail!("--out: {} is also the file of --config; expected another file", out.display());
    }
    let RunArguments { threads, quiet, .. } = arguments.run;
    build_thread_pool(threads, u64::MAX, quiet)?
        .install(|| train(arguments, &selection, &numbers, command))
}

/// Trains for these numbers of players, in the current pool of threads.
fn train(
    arguments: &TrainArguments,
    selection: &GameSelection,
    numbers: &[usize],
    command: &RepeatCommand,
) -> anyhow::Result<ExitStatus> {
    let open = |&players: &usize| selection.game.open(&selection.document, players);
    let opened = numbers.iter().map(open);
    let opened = opened.collect::<Result<Vec<_>, _>>()?;
    let games: Vec<&BoundGame> = opened.iter().collect();
    ensure_facts(games[0])?;
    let against = arguments.read_against(&games)?;
    let start_name = FrozenBot::start_name(arguments.start.as_deref(), &against);
    let start = arguments.read_start(&games, start_name.as_deref())?;
    let plan = TrainingPlan {
        data: &selection.document,
        games,
        start_name: start_name.as_deref().unwrap_or("default"),
        against,
        edited: arguments.edited(selection)?,
        parameters: arguments.parameters(&start),
        start,
        seed: arguments.run.seed,
        is_quiet: arguments.run.quiet,
    };
    let stop = stop_on_interrupt()?;
    let work = arguments.work.clone();
    let work = work.unwrap_or_else(|| arguments.out.with_extension("training"));
    let storage = Storage::open(&work, &plan.settings(), arguments.resume)?;
    if let Some(shard) = arguments.shard {
        return NetworkTraining::new(plan, storage, stop).play_shard(shard);
    }
    let weights = arguments.out.with_extension("network");
    let create = |path: &Path| {
        let is_own = arguments.resume && storage.has_written(path);
        PartialFile::create_for_user(path, arguments.force || is_own)
    };
    let (mut profile, mut network_file) = (create(&arguments.out)?, create(&weights)?);
    let training = NetworkTraining::new(plan, storage, stop);
    let report = TrainingReport { command, selection, training: &training };
    let Some((network, results)) = training.run(|results| report.write(results))? else {
        print_info("interrupted before the first network; no profile written");
        return Ok(ExitStatus::Negative);
    };
    let command = report.repeat_command(results.best());
    let text = report.profile_text(&weights, &command, results.best());
    let files = [(&mut network_file, &network.to_bytes()[..]), (&mut profile, text.as_bytes())];
    let contents = files.each_ref().map(|(_, bytes)| *bytes);
    training.storage.write_outputs(contents, false)?;
    for (file, bytes) in files {
        file.file().write_all(bytes).map_err(|error| file.unwritable(error))?;
    }
    network_file.finish()?;
    profile.finish()?;
    training.storage.write_outputs(contents, true)?;
    print(&format!("{command}\n\n{}\nwritten to {}\n", results.summary(), arguments.out.display()));
    if !stop.load(Ordering::Relaxed) {
        return Ok(ExitStatus::Success);
    }
    print_info(&format!(
        "interrupted: {} has generation {}; continue with --resume",
        arguments.out.display(),
        results.best()
    ));
    Ok(ExitStatus::Negative)
}

/// Report and profile of a training.
struct TrainingReport<'a> {
    /// The command as it was given.
    command: &'a RepeatCommand,
    selection: &'a GameSelection,
    training: &'a NetworkTraining<'a>,
}

impl TrainingReport<'_> {
    /// Writes the tables and the page of the generations so far.
    fn write(&self, results: &TrainingResults) -> anyhow::Result<()> {
        let provenance = &self.selection.provenance;
        let tables = [results.training_table(provenance), results.tests_table(provenance)];
        let NetworkTraining { plan, storage, .. } = self.training;
        let players: Vec<usize> = plan.games.iter().map(|game| game.seats()).collect();
        let generations = 0..=plan.parameters.generations;
        let page = page::TrainingPage {
            results,
            tables: &tables,
            game: self.selection.game,
            data: &self.selection.document,
            provenance,
            players: &players,
            seed: plan.seed,
            planned: generations.filter(|&number| plan.new_games(number).is_some()).count(),
            against: plan.opponent(),
            command: &self.repeat_command(results.best()).to_string(),
        };
        let write = |name: &str, bytes: &[u8]| storage::write(&storage.folder().join(name), bytes);
        for table in &tables {
            write(&table.schema().file_name(), &table.csv())?;
        }
        write(PAGE, &page.render())
    }

    /// Returns the command that trains the network of a generation.
    fn repeat_command(&self, generation: u32) -> RepeatCommand {
        let TrainingPlan { parameters, games, seed, .. } = &self.training.plan;
        // Without --players, the network is trained for all numbers of players.
        self.command
            .with("--game", Some(games[0].id()))
            .with("--seed", Some(seed))
            .with("--generations", Some(generation))
            .with("--games", Some(parameters.games))
    }

    /// Returns the text of the profile.
    fn profile_text(&self, weights: &Path, command: &RepeatCommand, generation: u32) -> String {
        let file = weights.file_name().map(|name| name.display().to_string()).unwrap_or_default();
        let players: Vec<_> =
            self.training.plan.games.iter().map(|game| game.seats().to_string()).collect();
        let generations = match generation {
            1 => "1 generation".to_owned(),
            generation => format!("{generation} generations"),
        };
        let played = match self.training.plan.opponent() {
            Some(bot) => format!("games against {bot}"),
            None => "self-play".to_owned(),
        };
        let players = join_with_and(&players);
        let description =
            format!("Network of {generations} of {played} by search, for {players} players.");
        let profile = network_profile(self.selection, &command.to_string(), &description, &file);
        let edits = self.training.plan.edited.as_ref().map_or("", |_| "edits = true\n");
        profile + edits
    }
}
