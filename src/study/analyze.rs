//! `watershed analyze`: win chances and the best actions of a position.

mod arguments;
mod first_answer;
mod text;

use std::{io::IsTerminal as _, sync::atomic::Ordering};

use first_answer::first_answer;

use crate::{
    analysis::{judge::PositionAnalysis, reason::Reasoner, watch::AnalysisWatch},
    report::terminal::print_lines,
    run::{lines::read_entered, programs::ensure_no_forfeits, records::read_recorded_game},
    study::shared::{
        analysis_report::AnalysisTask,
        decision::{DecisionPosition, PositionSource},
        prelude::*,
        search_names::ensure_searches,
    },
};

pub(crate) use arguments::AnalyzeArguments;

/// Time after which the answer so far is shown on a terminal.
const FIRST_ANSWER: Duration = Duration::from_secs(1);

pub(crate) fn run(games: GameList, arguments: &AnalyzeArguments) -> anyhow::Result<ExitStatus> {
    let source = read_source(arguments)?;
    let selection = source.rules()?.select(games, arguments.config.as_deref(), &source.name)?;
    let pool = build_thread_pool(arguments.threads, u64::MAX, arguments.quiet)?;
    let game = selection.open()?;
    pool.install(|| analyze(arguments, &selection, &game, &source))
}

/// Analyses the position of a source, and prints the answer.
fn analyze(
    arguments: &AnalyzeArguments,
    selection: &GameSelection,
    game: &BoundGame,
    source: &PositionSource,
) -> anyhow::Result<ExitStatus> {
    let library = game.library();
    let decision = source.position(game)?;
    let scene = decision.position.scene(Some(decision.seat));
    let named = decision.named_actions(&arguments.also).context("--also")?;
    // Before the budget is added, which other bots do not have.
    ensure_searches(library, &arguments.bot).context("--bot")?;
    let search = library.read(&arguments.search_name()?).context("--bot")?;
    let policy = arguments.policy.as_deref().unwrap_or(library.default_bot());
    let policy = library.read(policy).context("--policy")?;
    // The picture is created before the work, so that a path that cannot be written is refused at
    // once.
    let picture = arguments.svg.as_ref();
    let picture = picture.map(|path| PartialFile::create_for_user(path, arguments.force));
    let picture = picture.transpose()?;
    let mut task = AnalysisTask {
        document: &selection.document,
        provenance: selection.provenance.as_str(),
        decision,
        named,
        search,
        policy,
        rollouts: arguments.rollouts,
        candidates: arguments.candidates,
        reasoner: Reasoner::read(library)?,
        seed: arguments.seed,
    };
    let (analysis, search) = analysis(arguments, library, &task)?;
    if analysis.search.is_none() && analysis.legal > 1 {
        bail!("--bot: expected a bot that searches, as in `mcts:iterations=2000`");
    }
    // Before anything is printed, because the answer would be invalid.
    ensure_no_forfeits()?;
    task.search = search;
    let report = task.report(analysis, Some(&AnalysisWatch::new(None)));
    if let Some(output) = picture {
        output.finish_with(scene.svg(arguments.svg_width).as_bytes())?;
    }
    if arguments.board {
        print(&format!("{}\n", scene.text(TEXT_WIDTH)));
    }
    print(&if arguments.json {
        serde_json::to_string(&report.to_protocol())? + "\n"
    } else {
        report.text(selection.game.title, &selection.provenance)
    });
    Ok(ExitStatus::Success)
}

/// Analyses a decision, after a first answer on a terminal. Returns the bot whose budget decided,
/// too.
fn analysis(
    arguments: &AnalyzeArguments,
    library: &BotLibrary,
    task: &AnalysisTask<'_>,
) -> anyhow::Result<(PositionAnalysis<AnyAction>, BotFactory)> {
    let AnalysisTask { decision: DecisionPosition { position, seat, .. }, named, .. } = task;
    let analyst = task.analyst();
    let is_watched = io::stderr().is_terminal() && !arguments.quiet;
    let has_answered = AtomicBool::new(!is_watched);
    let on_report = |analysis: &PositionAnalysis<AnyAction>| {
        if !has_answered.swap(true, Ordering::Relaxed)
            && let Some(text) = first_answer(position, analysis)
        {
            print_lines(&text);
        }
    };
    if arguments.until_stable {
        let names = arguments.search_names();
        let searches = names.iter().map(|name| library.read(name).context("--bot"));
        let searches = searches.collect::<anyhow::Result<Vec<_>>>()?;
        let (analysis, level) =
            position.analyse_until_stable(&analyst, &searches, *seat, named, &on_report);
        return Ok((analysis, searches[level].clone()));
    }
    let watch = AnalysisWatch::new(is_watched.then_some(FIRST_ANSWER));
    let analysis = position.analyse_watched(&analyst, *seat, named, &watch, &on_report);
    Ok((analysis.context("the analysis was stopped")?, task.search.clone()))
}

/// Reads the source that the flags select.
fn read_source(arguments: &AnalyzeArguments) -> anyhow::Result<PositionSource> {
    let Some(path) = &arguments.record else {
        return match arguments.position.as_deref() {
            None | Some("-") => {
                let line = read_entered(&mut io::stdin().lock())?;
                Ok(PositionSource::from_text("standard input", line.unwrap_or_default()))
            }
            Some(text) => Ok(PositionSource::from_text("--position", text.to_owned())),
        };
    };
    let record = read_recorded_game(path, arguments.game_index, Some("--record"))?;
    let name = format!("{}: game {}", path.display(), record.index);
    let events = arguments.move_index.unwrap_or_default();
    PositionSource::from_record(name, record.into(), events, "--move")
}
