//! The results of a run: its tables, page, manifest and terminal text.

use super::{
    analysis::RunAnalysis,
    experiment::PlayedRun,
    last_run::change_since,
    levels::level_sentences,
    panel::{PanelAnalysis, PanelQuestion},
    playtests::PlaytestComparison,
    report::RunReport,
    setup::{RunSetup, SimulateSetup},
};
use crate::{
    run::{
        finish::StudyResults,
        manifest::{CONFIDENCE_SEQUENCE, MeanEstimate},
        page::StudyPage,
    },
    study::shared::{comparison::edits::Edit, judged::JudgedRun, prelude::*},
};

/// The part of the manifest that only this command has.
#[derive(Serialize)]
struct SimulateQuestion<'a> {
    #[serde(flatten)]
    setup: &'a SimulateSetup,
    /// True if the stopping criterion was reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    goal_reached: Option<bool>,
    /// The kind of the intervals of win rates, if the run has a goal.
    #[serde(skip_serializing_if = "Option::is_none")]
    win_rate_intervals: Option<&'static str>,
    blocks: u64,
    games: u64,
    /// Games ended by the round limit.
    capped_games: i64,
    shared_wins: i64,
    /// Games that bots lost by failures, by bot.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    forfeits: BTreeMap<&'a str, u64>,
    rounds_per_game: MeanEstimate,
    events: u64,
    decisions: i64,
}

/// Writes tables and page of a run, complete or not, then its manifest, and prints the main
/// results.
///
/// # Errors
/// If a file can't be written.
pub(super) fn write_results(
    mut study: StudyRun<'_>,
    game: &BoundGame,
    setup: &RunSetup,
    selection: &GameSelection,
    bots: &[BotDescription],
    PlayedRun { tallies, levels, forks }: &PlayedRun,
) -> anyhow::Result<ExitStatus> {
    let (tally, data) = (&tallies[0], &selection.document);
    let analysis = RunAnalysis::new(setup, tally);
    let panel = PanelAnalysis::new(setup, tallies, PanelQuestion::of(game));
    let edits = Edit::of_built_in(data, game);
    // A bot of the panel decides the answer too.
    let failures = |tally: &Tally| {
        let of_bots = tally.bots.iter().map(|bot| bot[ALL_SEATS].forfeits);
        (of_bots.sum::<u64>(), tally.games)
    };
    let share = |&(forfeits, games): &(u64, u64)| forfeits as f64 / games.max(1) as f64;
    let failures = tallies.iter().map(failures);
    let (forfeits, of_games) =
        failures.max_by(|one, other| share(one).total_cmp(&share(other))).unwrap_or_default();
    study.set_forfeits(forfeits);
    let file = setup
        .question
        .playtests
        .as_ref()
        .filter(|_| !levels.is_empty() && levels.iter().all(|tally| tally.blocks > 0));
    let level =
        file.map(|file| level_sentences(game, file, levels, study.command())).transpose()?;
    let report = RunReport {
        game,
        invalid: study.invalid_sentence(of_games),
        judged: JudgedRun {
            game,
            selection,
            tally,
            bot: analysis.bot_name(0),
            second: tallies.get(1).filter(|tally| tally.games > 0),
            forks: forks.as_ref(),
            edits: &edits,
        },
        analysis: &analysis,
        panel: panel.as_ref(),
        playtests: PlaytestComparison::new(game, &analysis, level),
        marks: Provenance::read(&data.text),
    };
    let provenance = &setup.question.data.provenance;
    let rated = (tally.games > 0 && analysis.has_equal_bots()).then(|| report.judged.rated_game());
    let RenderedReport { text, page, tables, mut screen } = report.build().render(provenance);
    let change = rated.and_then(|rated| change_since(study.folder().path(), setup, &rated));
    screen.answer.splice(0..0, change);
    let question = SimulateQuestion {
        setup: &setup.question,
        goal_reached: setup.goal_reached(tally),
        win_rate_intervals: setup.question.goal.map(|_| CONFIDENCE_SEQUENCE),
        blocks: tally.blocks,
        games: tally.games,
        capped_games: tally.health.capped.x,
        shared_wins: tally.health.shared_wins.x,
        forfeits: analysis.forfeits().filter(|&(_, games)| games > 0).collect(),
        rounds_per_game: (&tally.health.rounds).into(),
        events: tally.events,
        decisions: tally.health.decisions.ratio.x,
    };
    let played = tallies.iter();
    let played = played.map(|tally| [tally.blocks, tally.games, tally.health.capped.x as u64]);
    let counts = GameCounts::sum(setup.question.games_planned, played);
    let data = &[("", data)];
    let page = page.map(|body| StudyPage { body, bots, data, provenance }.render(&study, counts));
    study.finish(StudyResults { question, games: counts.games, tables, text, page, screen })
}
