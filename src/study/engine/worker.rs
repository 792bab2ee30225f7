//! The analysis of one request.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{
    EngineArguments,
    answer::{AnalysisAnswer, TerminationAnswer, send},
    open_games::{OpenGames, OpenedGame},
    queue::{RequestQueue, RunningRequest},
    refusal::Refusal,
    request::EngineRequest,
};
use crate::{
    analysis::{
        judge::{Analyst, PositionAnalysis},
        named::NamedAction,
        watch::AnalysisWatch,
    },
    bots::{BotFactory, profile::BotLibrary},
    run::{
        arguments::{DEFAULT_SEED, RecordedRules},
        programs::ensure_no_program,
    },
    study::shared::{
        analysis_report::{AnalysisReport, action_reasons},
        decision::{DecisionPosition, PositionSource, read_legal_action},
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
            let RunningRequest { request, watch, .. } = &running;
            // A mistake of the program costs one request.
            let result = catch_unwind(AssertUnwindSafe(|| self.analyse(request, watch)));
            self.queue.finish(&running);
            let refusal = match result {
                Ok(Ok(())) => continue,
                Ok(Err(refusal)) => refusal,
                Err(_) => Refusal::new("the analysis failed by an error of the program"),
            };
            send(&refusal.of_request(request.id.clone()));
        }
    }

    /// Analyses a request and answers it.
    fn analyse(&self, request: &EngineRequest, watch: &AnalysisWatch) -> Result<(), Refusal> {
        let source = read_source(request)?;
        let field = if request.record.is_some() { "record" } else { "position" };
        let opened = match &source {
            PositionSource::Text { game, players, .. } => self.games.open(game, *players),
            PositionSource::Record { record, .. } => {
                self.games.of_record(RecordedRules::from(&**record))
            }
        };
        let opened = opened.map_err(in_field(field))?;
        let decision = source.position(&opened.game).map_err(in_field(field))?;
        let library = opened.game.library();
        let search = self.read_search(library, request)?;
        let policy = read_policy(library, request)?;
        let task = AnalysisTask { request, opened: &opened, decision, search, policy };
        task.run(watch)
    }

    /// Reads the bot that searches.
    fn read_search(
        &self,
        library: &BotLibrary,
        request: &EngineRequest,
    ) -> Result<BotFactory, Refusal> {
        let max = self.arguments.max_iterations;
        if let Some(bot) = &request.bot {
            ensure_no_file(bot).map_err(in_field("bot"))?;
        }
        let field = if request.iterations.is_some() { "iterations" } else { "bot" };
        let bot = request.bot.as_ref().unwrap_or(&self.arguments.bot);
        ensure_searches(library, bot).map_err(in_field("bot"))?;
        if request.iterations.is_some() && has_own_budget(bot) {
            return Err(Refusal::new("expected none beside the budget of the bot").of_field(field));
        }
        let search = library.read(&with_iterations(bot, request.iterations));
        let search = search.map_err(|error| in_field("bot")(error.into()))?;
        let iterations = search.parameters()["iterations"].as_u64();
        if iterations.is_none_or(|iterations| iterations > max) {
            let message = format!("expected a search with at most {max} iterations");
            return Err(Refusal::new(message).of_field(field));
        }
        Ok(search)
    }
}

/// Returns the position of a request.
fn read_source(request: &EngineRequest) -> Result<PositionSource, Refusal> {
    match (&request.record, request.move_index, &request.position) {
        (Some(record), Some(events), _) => {
            PositionSource::from_record("record".to_owned(), record.clone(), events, "move")
                .map_err(in_field("move"))
        }
        (_, _, position) => {
            PositionSource::from_text("position", position.clone().unwrap_or_default())
                .map_err(in_field("position"))
        }
    }
}

/// Reads the bot that plays the rollouts.
fn read_policy(library: &BotLibrary, request: &EngineRequest) -> Result<BotFactory, Refusal> {
    let name = request.policy.as_deref().unwrap_or(library.default_bot());
    let read = || {
        ensure_no_file(name)?;
        if library.profiles.find(name).is_ok_and(|profile| profile.kind().searches()) {
            anyhow::bail!("expected a bot that does not search, found {name}");
        }
        Ok(library.read(name)?)
    };
    read().map_err(in_field("policy"))
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

/// Returns a function that makes an error about a field.
fn in_field(field: &'static str) -> impl Fn(anyhow::Error) -> Refusal {
    move |error| Refusal::new(format!("{error:#}")).of_field(field)
}

/// A request with everything that it names.
struct AnalysisTask<'a> {
    request: &'a EngineRequest,
    opened: &'a OpenedGame,
    decision: DecisionPosition<'a>,
    search: BotFactory,
    policy: BotFactory,
}

impl AnalysisTask<'_> {
    fn run(&self, watch: &AnalysisWatch) -> Result<(), Refusal> {
        let Self { request, decision, search, policy, .. } = self;
        let position = &decision.position;
        let legal = position.legal_actions();
        let read = |text: &String| read_legal_action(position, &legal, text);
        let named = request.also.iter().map(read).collect::<anyhow::Result<Vec<_>>>();
        let mut named = named.map_err(in_field("also"))?;
        named.extend(decision.played.clone());
        let analyst = Analyst {
            search,
            compares: request.rollouts.is_none_or(|rollouts| rollouts > 0),
            policy,
            rollouts: request.rollouts.unwrap_or(DEFAULT_ROLLOUTS),
            candidates: request.candidates.unwrap_or(DEFAULT_CANDIDATES),
            seed: request.seed.unwrap_or(DEFAULT_SEED),
        };
        let on_report = |found: &PositionAnalysis<NamedAction>| self.answer(found.clone(), true);
        let found = position.analyse_watched(&analyst, decision.seat, &named, watch, &on_report);
        match found {
            Some(found) => self.answer(found, false),
            None => send(&TerminationAnswer::of_request(&request.id)),
        }
        Ok(())
    }

    /// Writes the analysis of the position.
    fn answer(&self, analysis: PositionAnalysis<NamedAction>, is_during_search: bool) {
        let Self { request, opened, decision, search, policy } = self;
        let position = &decision.position;
        let report = AnalysisReport {
            players: opened.game.seats(),
            title: opened.selection.game.title,
            document: &opened.selection.document,
            provenance: &opened.selection.provenance,
            search,
            policy,
            seed: request.seed.unwrap_or(DEFAULT_SEED),
            position: position.view_text(decision.seat),
            round: position.round(),
            reasons: action_reasons(position, &analysis),
            analysis,
            played: decision.played.clone(),
        };
        let analysis = report.analyzed_position();
        send(&AnalysisAnswer { id: &request.id, is_during_search, analysis });
    }
}
