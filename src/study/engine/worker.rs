//! The analysis of one position.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{
    EngineArguments,
    answer::{AnswerContent, AnsweredPosition},
    queue::{RequestQueue, RunningRequest},
    request::EngineRequest,
};
use crate::{
    analysis::{judge::PositionAnalysis, reason::Reasoner},
    games::open_games::OpenGames,
    protocol::problem::Problem,
    run::programs::ensure_no_program,
    study::shared::{
        analysis_report::AnalysisTask,
        decision::PositionSource,
        prelude::*,
        search_names::{ensure_searches, has_own_budget, with_iterations},
    },
};

/// Rollouts and candidates of a request that names none, as in `analyze`.
const DEFAULT_ROLLOUTS: u64 = 100;
const DEFAULT_CANDIDATES: usize = 5;

/// A thread that analyses requests.
pub(super) struct RequestWorker<'a> {
    pub(super) games: &'a OpenGames,
    pub(super) queue: &'a RequestQueue,
    pub(super) arguments: &'a EngineArguments,
}

impl RequestWorker<'_> {
    /// Analyses requests until there are no more.
    pub(super) fn work(&self) {
        while let Some(running) = self.queue.pop() {
            // A mistake of the program costs one request.
            let result = catch_unwind(AssertUnwindSafe(|| self.analyse(&running)));
            self.queue.finish(&running);
            let problem = match result {
                Ok(Ok(())) => continue,
                Ok(Err(problem)) => problem,
                Err(_) => "the analysis failed by an error of the program".into(),
            };
            AnswerContent::Problem(problem).send(&running.of);
        }
    }

    /// Analyses a position and answers its request.
    fn analyse(&self, running: &RunningRequest) -> Result<(), Problem> {
        let RunningRequest { request, of, watch, .. } = running;
        let source = read_source(request, of.move_index)?;
        let field = if request.record.is_some() { "record" } else { "position" };
        let rules = source.rules().map_err(in_field(field))?;
        let opened = self.games.open(rules).map_err(in_field(field))?;
        let decision = source.position(&opened.game).map_err(in_field(field))?;
        let library = opened.game.library();
        let task = AnalysisTask {
            document: &opened.document,
            provenance: &opened.provenance,
            named: decision.named_actions(&request.also).map_err(in_field("also"))?,
            decision,
            search: self.read_search(library, request)?,
            policy: read_policy(library, request).map_err(in_field("policy"))?,
            rollouts: request.rollouts.unwrap_or(DEFAULT_ROLLOUTS),
            candidates: request.candidates.unwrap_or(DEFAULT_CANDIDATES),
            reasoner: Reasoner::read(library)?,
            seed: request.seed.unwrap_or(DEFAULT_SEED),
        };
        run(&task, of, watch);
        Ok(())
    }

    /// Reads the bot that searches.
    fn read_search(
        &self,
        library: &BotLibrary,
        request: &EngineRequest,
    ) -> Result<BotFactory, Problem> {
        let max = self.arguments.max_iterations;
        if let Some(bot) = &request.bot {
            ensure_no_file(bot).map_err(in_field("bot"))?;
        }
        let field = if request.iterations.is_some() { "iterations" } else { "bot" };
        let bot = request.bot.as_ref().unwrap_or(&self.arguments.bot);
        ensure_searches(library, bot).map_err(in_field("bot"))?;
        if request.iterations.is_some() && has_own_budget(bot) {
            return Err(Problem::from("expected none beside the budget of the bot").of_field(field));
        }
        let search = library.read(&with_iterations(bot, request.iterations));
        let search = search.map_err(in_field("bot"))?;
        let iterations = search.parameters()["iterations"].as_u64();
        if iterations.is_none_or(|iterations| iterations > max) {
            let message = format!("expected a search with at most {max} iterations");
            return Err(Problem::from(message).of_field(field));
        }
        Ok(search)
    }
}

/// Returns a position of a request: the one before the event with this number, or the text.
fn read_source(request: &EngineRequest, events: Option<usize>) -> Result<PositionSource, Problem> {
    if let (Some(record), Some(events)) = (&request.record, events) {
        return PositionSource::from_record("record".to_owned(), record.clone(), events, "move")
            .map_err(in_field("move"));
    }
    let text = request.position.clone().unwrap_or_default();
    Ok(PositionSource::from_text("position", text))
}

/// Reads the bot that plays the rollouts.
fn read_policy(library: &BotLibrary, request: &EngineRequest) -> anyhow::Result<BotFactory> {
    let name = request.policy.as_deref().unwrap_or(library.default_bot());
    ensure_no_file(name)?;
    if library.profiles.find(name).is_ok_and(|profile| profile.kind().searches()) {
        anyhow::bail!("expected a bot that does not search, found {name}");
    }
    Ok(library.read(name)?)
}

/// Returns an error if a bot of a request would read a file or start a program: requests may come
/// from elsewhere.
fn ensure_no_file(bot: &str) -> anyhow::Result<()> {
    let names_file = bot.contains(['/', '\\']) || bot.contains(".toml");
    let reads_file = bot.split(':').any(|option| option.starts_with("weights="));
    anyhow::ensure!(
        !names_file && !reads_file,
        "expected the name of a profile or a kind with options, without a file, found {bot}"
    );
    ensure_no_program(bot)
}

/// Returns a function that makes the problem of a field.
fn in_field<E: Into<Problem>>(field: &'static str) -> impl Fn(E) -> Problem {
    move |error| error.into().of_field(field)
}

/// Carries an analysis out and answers.
fn run(task: &AnalysisTask<'_>, of: &AnsweredPosition, watch: &AnalysisWatch) {
    let answer = |analysis: PositionAnalysis<AnyAction>, is_during_search: bool| {
        let watch = (!is_during_search).then_some(watch);
        let analysis = Box::new(task.report(analysis, watch).to_protocol());
        AnswerContent::Analysis { is_during_search, analysis }.send(of);
    };
    let (position, seat) = (&task.decision.position, task.decision.seat);
    let on_report = |found: &PositionAnalysis<AnyAction>| answer(found.clone(), true);
    match position.analyse_watched(&task.analyst(), seat, &task.named, watch, &on_report) {
        Some(found) => answer(found, false),
        None => AnswerContent::TERMINATED.send(of),
    }
}
