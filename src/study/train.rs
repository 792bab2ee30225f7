//! `train`: learns a network from self-play by search (expert iteration: Anthony, Tian and Barber
//! 2017; Silver et al. 2017) and writes it as a profile.

pub(crate) mod arguments;
mod page;
mod tables;

use arguments::TrainArguments;
use page::TrainingPage;

use crate::{
    run::{finish::StudyResults, new_study::StudyExtras, page::StudyPage},
    study::shared::{
        planned_study::PlannedStudy,
        prelude::*,
        training::{
            NetworkTraining, TrainingPlan, ensure_facts,
            results::{TrainingResults, network_profile},
            storage::Storage,
        },
    },
};

/// Returns the descriptions of the tables.
pub(crate) fn schemas() -> Vec<Schema> {
    vec![tables::training_columns().schema(), tables::tests_columns().schema()]
}

/// The part of the manifest that only this command has.
#[derive(Serialize)]
struct TrainQuestion<'a> {
    #[serde(flatten)]
    data: DataSource,
    /// The bot with which the training begins, and the one that it is against.
    bots: &'a [BotDescription],
    games_planned: u64,
    games: u64,
    /// The best generation.
    generation: u32,
}

/// Runs the command.
pub(crate) fn run(
    games: GameList,
    arguments: &TrainArguments,
    command: &RepeatCommand,
) -> anyhow::Result<ExitStatus> {
    let (selection, numbers) = &arguments.game.resolve_all(games)?;
    let out = &arguments.out;
    if out.extension().is_none_or(|extension| extension != "toml") {
        bail!("--out: expected a name that ends in .toml, found {}", out.display());
    }
    let weights = &out.with_extension("network");
    let open = |&players: &usize| selection.game.open(&selection.document, players);
    let opened = numbers.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let game = &opened[0];
    ensure_facts(game)?;
    let plan = arguments.plan(selection, opened.iter().collect())?;
    let bots = described_bots(&plan)?;
    let ranges = plan.edited.as_ref().map(|edited| edited.file.clone());
    // The generations are not part of the question: a training may have more or fewer of them.
    let command =
        &command.with("--generations", None::<u32>).with("--games", Some(plan.parameters.games));
    let output = &arguments.output();
    // A shard decides nothing: it plays some of the games.
    let parts = &PartArguments { resume: arguments.resume, ..PartArguments::default() };
    let inputs = vec![("--config", selection.config.as_deref())];
    let folder = parts.lock_folder(output, game, &inputs)?;
    let storage = Storage::new(folder.path());
    let create = |path: &Path| {
        let is_own = arguments.resume && storage.has_written(path);
        PartialFile::create_for_user(path, arguments.force || is_own)
    };
    let files = match arguments.shard {
        Some(_) => Vec::new(),
        None => vec![create(weights)?, create(out)?],
    };
    if arguments.force && !arguments.resume {
        storage.clear()?;
    }
    let training = &NetworkTraining::new(plan, storage, stop_on_interrupt()?);
    if let Some(shard) = arguments.shard {
        training.chunks_of(shard)?;
    }
    let study = PlannedStudy {
        parts,
        output,
        game,
        players: arguments.game.players.as_ref().and_then(|all| all.one().ok()).unwrap_or(0),
        command,
        documents: [&selection.document].into_iter().chain(&ranges).collect(),
        shown: Vec::new(),
        provenance: &selection.provenance,
        inputs,
        outputs: vec![("--out", Some(out)), ("--out", Some(weights))],
        extras: StudyExtras { reopens: true, ..StudyExtras::default() },
        folder: Some(folder),
        bots: bots.iter().collect(),
        max_blocks: u64::MAX,
        grows: false,
    };
    study.begin(|mut study, bots| {
        study.claim_folder()?;
        match arguments.shard {
            Some(shard) => study.pool().install(|| training.play_shard(shard)),
            None => TrainingReport { selection, training, bots }.train(study, out, weights, files),
        }
    })
}

/// Returns the bot with which a training begins, and the one that it is against.
fn described_bots(plan: &TrainingPlan<'_>) -> Result<Vec<BotFactory>, ConfigError> {
    let library = plan.games[0].library();
    let start = plan.start_name.as_deref().or(library.profiles.default_heuristic);
    let start = start.filter(|&name| name != "none").map(|name| library.read(name)).transpose()?;
    Ok(start.into_iter().chain(plan.against.iter().map(|frozen| frozen.bot.clone())).collect())
}

/// What a training shows of its generations.
struct TrainingReport<'a> {
    selection: &'a GameSelection,
    training: &'a NetworkTraining<'a>,
    bots: &'a [BotDescription],
}

impl<'a> TrainingReport<'a> {
    /// Trains all generations, and writes the best network to the last of these files, the profile,
    /// and the one before. The results so far are written after each generation.
    fn train(
        &self,
        mut study: StudyRun<'_>,
        out: &Path,
        weights: &Path,
        files: Vec<PartialFile>,
    ) -> anyhow::Result<ExitStatus> {
        let (training, plan) = (self.training, &self.training.plan);
        let generations = plan.parameters.generations;
        study.set_flag("--generations", generations);
        study.plan_games(plan.games_of(0..=generations));
        study.set_incomplete(true);
        let trained = study.pool().install(|| {
            training.run(|results| study.write_results(&self.results(&study, results)))
        })?;
        study.set_incomplete(training.is_stopped());
        let Some((network, results)) = trained else {
            print_info("interrupted before the first network; no profile written");
            let results = self.results(&study, &TrainingResults::default());
            return study.finish(results);
        };
        let command = study.command().with("--generations", Some(results.best()));
        let profile = self.profile_text(weights, &command, results.best());
        let contents = [&network.to_bytes()[..], profile.as_bytes()];
        training.storage.write_outputs(contents, false)?;
        for (file, bytes) in files.into_iter().zip(contents) {
            file.finish_with(bytes)?;
        }
        training.storage.write_outputs(contents, true)?;
        let mut answer = self.results(&study, &results);
        answer.text += &format!("written to {}\n", out.display());
        study.finish(answer)
    }

    /// Returns the results of the generations so far.
    fn results(
        &self,
        study: &StudyRun<'_>,
        results: &TrainingResults,
    ) -> StudyResults<TrainQuestion<'a>> {
        let Self { selection, training: NetworkTraining { plan, .. }, bots } = *self;
        let provenance = &selection.provenance;
        let players = plan.games.iter().map(|game| game.seats()).collect();
        let page = TrainingPage { results, players, against: plan.opponent() };
        let RenderedReport { text, page: body, tables, screen } =
            page.report(provenance).render(provenance);
        let games = plan.games_of(results.generations.iter().map(|result| result.generation));
        let counts = GameCounts::sum(study.games_planned(), [[games, games, 0]]);
        let data = &[("", &selection.document)];
        let page =
            body.map(|body| StudyPage { body, bots, data, provenance }.render(study, counts));
        let question = TrainQuestion {
            data: DataSource::new(&selection.document, provenance),
            bots,
            games_planned: study.games_planned(),
            games,
            generation: results.best(),
        };
        StudyResults { question, games, tables, text, page, screen }
    }

    /// Returns the text of the profile.
    fn profile_text(&self, weights: &Path, command: &RepeatCommand, generation: u32) -> String {
        let file = weights.file_name().map(|name| name.display().to_string()).unwrap_or_default();
        let plan = &self.training.plan;
        let players = join_with_and(plan.games.iter().map(|game| game.seats().to_string()));
        let played = match plan.opponent() {
            Some(bot) => format!("games against {bot}"),
            None => "self-play".to_owned(),
        };
        let description = format!(
            "Network of {} of {played} by search, for {players} players.",
            format_count(generation, "generation")
        );
        let profile = network_profile(self.selection, &command.to_string(), &description, &file);
        let edits = self.training.plan.edited.as_ref().map_or("", |_| "edits = true\n");
        profile + edits
    }
}
