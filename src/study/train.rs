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
            opponent::FrozenBot,
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
    let selection = &arguments.game.resolve(games)?;
    let (entry, out) = (selection.game, &arguments.out);
    if out.extension().is_none_or(|extension| extension != "toml") {
        bail!("--out: expected a name that ends in .toml, found {}", out.display());
    }
    let weights = &out.with_extension("network");
    let players = arguments.game.one_number()?;
    let range = match players {
        Some(players) => players..=players,
        None => entry.player_range(&selection.document)?,
    };
    let opened = range.map(|players| entry.open(&selection.document, players));
    let opened = opened.collect::<Result<Vec<_>, _>>()?;
    let games: Vec<&BoundGame> = opened.iter().collect();
    ensure_facts(games[0])?;
    let against = arguments.read_against(&games)?;
    let start_name = FrozenBot::start_name(arguments.start.as_deref(), &against);
    let start = arguments.read_start(&games, start_name.as_deref())?;
    let library = games[0].library();
    let start_bot = start_name.as_deref().or(library.profiles.default_heuristic);
    let start_bot = start_bot.filter(|&name| name != "none").map(|name| library.read(name));
    let frozen = against.iter().map(|frozen| frozen.bot.clone());
    let bots: Vec<_> = start_bot.transpose()?.into_iter().chain(frozen).collect();
    let edited = arguments.edited(selection)?;
    let ranges = edited.as_ref().map(|edited| edited.file.clone());
    let training = TrainingPlan {
        data: &selection.document,
        start_name,
        against,
        edited,
        parameters: arguments.parameters(&start),
        start,
        seed: arguments.run.seed,
        is_quiet: arguments.run.quiet,
        games,
    };
    // The generations are not part of the question: a training may have more or fewer of them.
    let generations = training.parameters.generations;
    let command = &command
        .with("--generations", None::<u32>)
        .with("--games", Some(training.parameters.games));
    let output = &arguments.output();
    // A shard decides nothing: it plays some of the games.
    let parts = &PartArguments { resume: arguments.resume, ..PartArguments::default() };
    let inputs = vec![("--config", selection.config.as_deref())];
    let folder = parts.lock_folder(output, training.games[0], &inputs)?;
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
    let training = NetworkTraining::new(training, storage, stop_on_interrupt()?);
    if let Some(shard) = arguments.shard {
        training.chunks_of(shard)?;
    }
    let plan = PlannedStudy {
        parts,
        output,
        game: training.plan.games[0],
        players: players.unwrap_or(0),
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
    plan.begin(|mut study, bots| {
        study.claim_folder()?;
        study.set_flag("--generations", generations);
        let pool = study.pool();
        if let Some(shard) = arguments.shard {
            return pool.install(|| training.play_shard(shard));
        }
        study.plan_games(training.plan.games_of(0..=generations));
        study.set_incomplete(true);
        let report = TrainingReport { selection, training: &training, bots };
        let trained = pool.install(|| {
            training.run(|results| study.write_results(&report.results(&study, results)))
        })?;
        study.set_incomplete(training.is_stopped());
        let Some((network, results)) = trained else {
            print_info("interrupted before the first network; no profile written");
            let results = report.results(&study, &TrainingResults::default());
            return study.finish(results);
        };
        let command = study.command().with("--generations", Some(results.best()));
        let profile = report.profile_text(weights, &command, results.best());
        let contents = [&network.to_bytes()[..], profile.as_bytes()];
        training.storage.write_outputs(contents, false)?;
        for (file, bytes) in files.into_iter().zip(contents) {
            file.finish_with(bytes)?;
        }
        training.storage.write_outputs(contents, true)?;
        let mut answer = report.results(&study, &results);
        answer.text += &format!("written to {}\n", out.display());
        study.finish(answer)
    })
}

/// What a training shows of its generations.
struct TrainingReport<'a> {
    selection: &'a GameSelection,
    training: &'a NetworkTraining<'a>,
    bots: &'a [BotDescription],
}

impl<'a> TrainingReport<'a> {
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
        let (text, body, tables) = page.report(provenance).render(provenance);
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
        StudyResults { question, games, tables, text, page }
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
        network_profile(self.selection, &command.to_string(), &description, &file)
    }
}
