//! `watershed analyze`: win chances and the best actions of a position.

mod arguments;
mod first_answer;
mod json;
mod source;
mod text;

use std::io::{self, IsTerminal as _, Write as _};

use anyhow::{Context as _, anyhow, bail, ensure};

use crate::{
    analysis::{
        judge::{Analyst, JudgedAction, PositionAnalysis},
        reason::{FeatureChange, ScoreReason, feature_changes, score_reasons},
    },
    bots::{
        BotFactory,
        profile::{BotLibrary, BotSpec},
    },
    config::{Document, nearest_name},
    game::{ActionSet as _, FullGame, Seat},
    games::{GameList, GameTask},
    report::{
        provenance::Claim,
        terminal::{print, print_lines},
    },
    run::{
        ExitStatus,
        append_file::PartialFile,
        arguments::{GameArguments, RecordedRules, build_thread_pool, find_game},
    },
};
pub(crate) use arguments::Arguments;
use first_answer::first_answer;
use source::PositionSource;

/// Width of the boards in text.
const TEXT_WIDTH: usize = 80;
/// Number of alternatives that get reasons.
const EXPLAINED_ALTERNATIVES: usize = 2;

/// Runs the command.
pub(crate) fn run<L: GameList>(arguments: &Arguments) -> anyhow::Result<ExitStatus> {
    let source = PositionSource::read(arguments)?;
    let name = source.name();
    let selection = match &source {
        PositionSource::Record { record, .. } => {
            RecordedRules::from(&**record).select::<L>(arguments.config.as_deref(), &name)?
        }
        PositionSource::Text { game, players, .. } => {
            find_game::<L>(game).with_context(|| name.clone())?;
            let selected = GameArguments {
                game: Some(game.clone()),
                config: arguments.config.clone(),
                players: None,
            };
            selected.resolve_with_players::<L>(Some(*players), Some(&name))?
        }
    };
    let pool = build_thread_pool(arguments.threads, u64::MAX, arguments.quiet)?;
    let task = AnalyzeTask {
        arguments,
        source: &source,
        document: &selection.document,
        title: selection.game.title,
        provenance: &selection.provenance,
    };
    pool.install(|| selection.run_on_this_thread::<L, _>(task))
}

struct AnalyzeTask<'a> {
    arguments: &'a Arguments,
    source: &'a PositionSource,
    document: &'a Document,
    title: &'a str,
    provenance: &'a Claim,
}

/// An analysis with everything that its text and JSON show.
struct Report<'a, G: FullGame> {
    game: &'a G,
    title: &'a str,
    document: &'a Document,
    provenance: &'a Claim,
    search: &'a BotFactory<G>,
    policy: &'a BotFactory<G>,
    seed: u64,
    position: String,
    round: u32,
    analysis: PositionAnalysis<G::Action>,
    /// The action that was played, in a record.
    played: Option<G::Action>,
    reasons: Vec<Reason<G::Action>>,
}

/// Reasons for an action.
struct Reason<A> {
    action: A,
    /// The features that it changes at once, by the heuristic of this name.
    features: Option<(String, Vec<FeatureChange>)>,
    /// Parts of the final scores, less those after the best action.
    scores: Vec<ScoreReason>,
}

impl GameTask for AnalyzeTask<'_> {
    type Output = anyhow::Result<ExitStatus>;

    fn run<G: FullGame>(self, game: &G, library: &BotLibrary<G>) -> anyhow::Result<ExitStatus> {
        let Self { arguments, source, .. } = self;
        let position = source.position(game)?;
        let (state, seat) = (position.state, position.seat);
        let scene = game.scene(&state, Some(seat));
        let legal = game.legal_actions(&state);
        let mut named = Vec::new();
        for text in &arguments.also {
            named.push(read_legal_action(game, &legal, text).context("--also")?);
        }
        named.extend(position.played);
        // Before the budget is added, which other bots do not have.
        if let Ok(bot) = library.profiles.find(&arguments.bot)
            && !bot.kind().searches()
        {
            bail!(
                "--bot: expected a bot that searches, as in `mcts:iterations=2000`, found {}",
                arguments.bot
            );
        }
        let search = library.read(&arguments.search_name()).context("--bot")?;
        let policy = arguments.policy.as_deref().unwrap_or(library.default_bot());
        let policy = library.read(policy).context("--policy")?;
        let analyst = Analyst {
            search: &search,
            policy: &policy,
            rollouts: arguments.rollouts,
            candidates: arguments.candidates,
            seed: arguments.seed,
        };
        // The picture is created before the work, so that a path that cannot be written is refused
        // at once.
        let picture = arguments.svg.as_ref();
        let picture = picture.map(|path| PartialFile::create_for_user(path, arguments.force));
        let picture = picture.transpose()?;
        let is_watched = io::stderr().is_terminal() && !arguments.quiet;
        let print_first = |analysis: &PositionAnalysis<G::Action>| {
            if is_watched && let Some(text) = first_answer(game, analysis) {
                print_lines(&text);
            }
        };
        let has_first = match arguments.first_search_name().filter(|_| is_watched) {
            Some(name) => {
                let search = library.read(&name).context("--bot")?;
                let first = Analyst { search: &search, rollouts: 0, ..analyst };
                print_first(&first.analyse(game, &state, seat, &named));
                true
            }
            None => analyst.rollouts == 0,
        };
        let analysis = analyst.analyse_in_steps(game, &state, seat, &named, |found| {
            if !has_first {
                print_first(found);
            }
        });
        if analysis.search.is_none() && legal.len() > 1 {
            bail!("--bot: expected a bot that searches, as in `mcts:iterations=2000`");
        }
        let reasons = reasons(game, library, &state, seat, &analysis)?;
        let report = Report {
            game,
            title: self.title,
            document: self.document,
            provenance: self.provenance,
            search: &search,
            policy: &policy,
            seed: arguments.seed,
            position: game.view_text(&state, seat),
            round: game.round(&state),
            analysis,
            played: position.played,
            reasons,
        };
        if let Some(mut output) = picture {
            let written = output.file().write_all(scene.svg(arguments.svg_width).as_bytes());
            written.map_err(|error| output.unwritable(error))?;
            output.finish()?;
        }
        if arguments.board {
            print(&format!("{}\n", scene.text(TEXT_WIDTH)));
        }
        print(&if arguments.json { report.json()? } else { report.text() });
        Ok(ExitStatus::Success)
    }
}

/// Reads a legal action. An error suggests the most similar one.
fn read_legal_action<G: FullGame>(
    game: &G,
    legal: &G::Actions,
    text: &str,
) -> anyhow::Result<G::Action> {
    let hint = || {
        let notations: Vec<_> = legal.iter().map(|action| game.action_text(action)).collect();
        let nearest = nearest_name(text, notations.iter().map(String::as_str));
        nearest.map(|nearest| format!("; did you mean `{nearest}`?")).unwrap_or_default()
    };
    let action = game.parse_action(text).map_err(|error| anyhow!("{error}{}", hint()))?;
    ensure!(legal.contains(action), "{text} is not legal in this position{}", hint());
    Ok(action)
}

/// Returns the reasons for the best action and its first alternatives.
fn reasons<G: FullGame>(
    game: &G,
    library: &BotLibrary<G>,
    state: &G::State,
    seat: Seat,
    analysis: &PositionAnalysis<G::Action>,
) -> anyhow::Result<Vec<Reason<G::Action>>> {
    let heuristic = match library.profiles.default_heuristic {
        Some(name) => match library.profiles.read(name)?.spec {
            BotSpec::Heuristic(heuristic) => Some((name, heuristic)),
            _ => None,
        },
        None => None,
    };
    let Some(best) = analysis.actions.first() else { return Ok(Vec::new()) };
    let compared = analysis.actions.iter().filter(|judged| judged.rollouts.is_some());
    let explained: Vec<_> = if best.rollouts.is_some() {
        compared.take(1 + EXPLAINED_ALTERNATIVES).collect()
    } else {
        vec![best]
    };
    let reason = |judged: &&JudgedAction<G::Action>| Reason {
        action: judged.action,
        features: heuristic.as_ref().map(|(name, heuristic)| {
            let changes = feature_changes(game, heuristic, state, seat, judged.action);
            ((*name).to_owned(), changes)
        }),
        scores: match (&judged.rollouts, &best.rollouts) {
            (Some(rollouts), Some(of_best)) if judged.action != best.action => {
                score_reasons(rollouts, of_best)
            }
            _ => Vec::new(),
        },
    };
    Ok(explained.iter().map(reason).collect())
}
