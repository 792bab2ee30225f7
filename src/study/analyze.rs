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
        named::NamedAction,
        reason::{ScoreReason, score_reasons},
    },
    bots::{BotFactory, profile::BotLibrary},
    bound::{BoundGame, GamePosition},
    config::{Document, nearest_name},
    game::{ActionEffects, Seat},
    games::GameList,
    report::{
        provenance::Claim,
        terminal::{print, print_lines},
        text::TEXT_WIDTH,
    },
    run::{
        ExitStatus,
        append_file::PartialFile,
        arguments::{GameArguments, RecordedRules, build_thread_pool, find_game},
    },
};
pub(crate) use arguments::AnalyzeArguments;
use first_answer::first_answer;
use source::{DecisionPosition, PositionSource};

/// Number of alternatives that get reasons.
const EXPLAINED_ALTERNATIVES: usize = 2;

pub(crate) fn run(games: GameList, arguments: &AnalyzeArguments) -> anyhow::Result<ExitStatus> {
    let source = PositionSource::read(arguments)?;
    let name = source.name();
    let selection = match &source {
        PositionSource::Record { record, .. } => {
            RecordedRules::from(&**record).select(games, arguments.config.as_deref(), &name)?
        }
        PositionSource::Text { game, players, .. } => {
            find_game(games, game).with_context(|| name.clone())?;
            let selected = GameArguments {
                game: Some(game.clone()),
                config: arguments.config.clone(),
                players: None,
            };
            selected.resolve_with_players(games, Some(*players), Some(&name))?
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
    let game = selection.open()?;
    pool.install(|| task.run(&*game))
}

struct AnalyzeTask<'a> {
    arguments: &'a AnalyzeArguments,
    source: &'a PositionSource,
    document: &'a Document,
    title: &'a str,
    provenance: &'a Claim,
}

/// An analysis with everything that its text and JSON show.
struct AnalysisReport<'a> {
    players: usize,
    title: &'a str,
    document: &'a Document,
    provenance: &'a Claim,
    search: &'a BotFactory,
    policy: &'a BotFactory,
    seed: u64,
    position: String,
    round: u32,
    analysis: PositionAnalysis<NamedAction>,
    /// The action that was played, in a record.
    played: Option<NamedAction>,
    reasons: Vec<Reason>,
}

/// Reasons for an action.
struct Reason {
    action: NamedAction,
    /// Its consequences that not all explained actions share.
    effects: ActionEffects,
    /// Parts of the final scores, less those after the best action.
    scores: Vec<ScoreReason>,
}

/// A decision with the actions that are candidates in any case.
struct NamedDecision<'a> {
    position: &'a dyn GamePosition,
    seat: Seat,
    named: &'a [NamedAction],
}

impl AnalyzeTask<'_> {
    fn run(self, game: &dyn BoundGame) -> anyhow::Result<ExitStatus> {
        let library = game.library();
        let Self { arguments, source, .. } = &self;
        let DecisionPosition { position, seat, played } = source.position(game)?;
        let position = &*position;
        let scene = position.scene(Some(seat));
        let legal = position.legal_actions();
        let named = named_actions(arguments, position, &legal, played.as_ref())?;
        // Before the budget is added, which other bots do not have.
        ensure_searches(library, &arguments.bot)?;
        let search = library.read(&arguments.search_name()?).context("--bot")?;
        let policy = arguments.policy.as_deref().unwrap_or(library.default_bot());
        let policy = library.read(policy).context("--policy")?;
        // The picture is created before the work, so that a path that cannot be written is refused
        // at once.
        let picture = arguments.svg.as_ref();
        let picture = picture.map(|path| PartialFile::create_for_user(path, arguments.force));
        let picture = picture.transpose()?;
        let decision = NamedDecision { position, seat, named: &named };
        let (analysis, search) = self.analyse(library, &decision, search, &policy)?;
        if analysis.search.is_none() && legal.len() > 1 {
            bail!("--bot: expected a bot that searches, as in `mcts:iterations=2000`");
        }
        let reasons = reasons(position, &analysis);
        let report = AnalysisReport {
            players: game.seats(),
            title: self.title,
            document: self.document,
            provenance: self.provenance,
            search: &search,
            policy: &policy,
            seed: arguments.seed,
            position: position.view_text(seat),
            round: position.round(),
            analysis,
            played,
            reasons,
        };
        if let Some(output) = picture {
            write_picture(output, &scene.svg(arguments.svg_width))?;
        }
        if arguments.board {
            print(&format!("{}\n", scene.text(TEXT_WIDTH)));
        }
        print(&if arguments.json { report.json()? } else { report.text() });
        Ok(ExitStatus::Success)
    }

    /// Analyses a decision, after a first answer on a terminal. Returns the bot whose budget
    /// decided, too.
    fn analyse(
        &self,
        library: &BotLibrary,
        decision: &NamedDecision<'_>,
        search: BotFactory,
        policy: &BotFactory,
    ) -> anyhow::Result<(PositionAnalysis<NamedAction>, BotFactory)> {
        let Self { arguments, .. } = *self;
        let NamedDecision { position, seat, named } = *decision;
        let analyst = Analyst {
            search: &search,
            compares: arguments.rollouts > 0,
            policy,
            rollouts: arguments.rollouts,
            candidates: arguments.candidates,
            seed: arguments.seed,
        };
        let is_watched = io::stderr().is_terminal() && !arguments.quiet;
        let print_first = |analysis: &PositionAnalysis<NamedAction>| {
            if is_watched && let Some(text) = first_answer(analysis) {
                print_lines(&text);
            }
        };
        let has_first = match arguments.first_search_name().filter(|_| is_watched) {
            Some(name) => {
                let search = library.read(&name).context("--bot")?;
                let first = Analyst { search: &search, compares: false, rollouts: 0, ..analyst };
                print_first(&position.analyse(&first, seat, named, &mut |_| ()));
                true
            }
            None => !analyst.compares,
        };
        Ok(if arguments.until_stable {
            let names = arguments.search_names();
            let searches = names.iter().map(|name| library.read(name).context("--bot"));
            let searches = searches.collect::<anyhow::Result<Vec<_>>>()?;
            let (analysis, level) = position.analyse_until_stable(&analyst, &searches, seat, named);
            (analysis, searches[level].clone())
        } else {
            let analysis = position.analyse(&analyst, seat, named, &mut |found| {
                if !has_first {
                    print_first(found);
                }
            });
            (analysis, search)
        })
    }
}

/// Returns the actions that are analysed besides those that the search prefers: those of `--also`,
/// then the one that was played.
fn named_actions(
    arguments: &AnalyzeArguments,
    position: &dyn GamePosition,
    legal: &[NamedAction],
    played: Option<&NamedAction>,
) -> anyhow::Result<Vec<NamedAction>> {
    let mut named = Vec::new();
    for text in &arguments.also {
        named.push(read_legal_action(position, legal, text).context("--also")?);
    }
    named.extend(played.cloned());
    Ok(named)
}

/// Returns an error if a profile of this name exists and does not search.
fn ensure_searches(library: &BotLibrary, bot: &str) -> anyhow::Result<()> {
    if let Ok(profile) = library.profiles.find(bot)
        && !profile.kind().searches()
    {
        bail!("--bot: expected a bot that searches, as in `mcts:iterations=2000`, found {bot}");
    }
    Ok(())
}

/// Writes a picture to the file of `--svg`.
fn write_picture(mut output: PartialFile, svg: &str) -> anyhow::Result<()> {
    let written = output.file().write_all(svg.as_bytes());
    written.map_err(|error| output.unwritable(error))?;
    Ok(output.finish()?)
}

/// Reads a legal action. An error suggests the most similar one.
fn read_legal_action(
    position: &dyn GamePosition,
    legal: &[NamedAction],
    text: &str,
) -> anyhow::Result<NamedAction> {
    let hint = || {
        let nearest = nearest_name(text, legal.iter().map(|action| action.notation.as_str()));
        nearest.map(|nearest| format!("; did you mean `{nearest}`?")).unwrap_or_default()
    };
    let action = position.parse_action(text).map_err(|error| anyhow!("{error}{}", hint()))?;
    ensure!(legal.contains(&action), "{text} is not legal in this position{}", hint());
    Ok(action)
}

/// Returns the reasons for the best action and its first alternatives.
fn reasons(position: &dyn GamePosition, analysis: &PositionAnalysis<NamedAction>) -> Vec<Reason> {
    let explained: Vec<_> = analysis.ranked().take(1 + EXPLAINED_ALTERNATIVES).collect();
    let actions: Vec<_> = explained.iter().map(|judged| judged.action.clone()).collect();
    let effects = position.reasons(&actions);
    let best = explained.first().and_then(|judged| judged.rollouts.as_ref());
    let reason = |(judged, effects): (&&JudgedAction<NamedAction>, ActionEffects)| Reason {
        action: judged.action.clone(),
        effects,
        scores: match (&judged.rollouts, best) {
            (Some(rollouts), Some(best)) if judged.action != actions[0] => {
                score_reasons(rollouts, best)
            }
            _ => Vec::new(),
        },
    };
    explained.iter().zip(effects).map(reason).collect()
}
