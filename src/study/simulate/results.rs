//! The results of a run: its tables, page, manifest and terminal text.

use serde::Serialize;

use super::{
    KIND,
    analysis::RunAnalysis,
    card::HealthCard,
    page::RunPage,
    panel::{PanelAnalysis, PanelQuestion},
    tables::RunTables,
    text::terminal_text,
};
use crate::{
    bound::BoundGame,
    report::provenance::Provenance,
    run::{
        checkpoint::{Checkpoint, GAMES},
        command::RepeatCommand,
        files::{OutputError, RunFolder},
        finish::{print_results, write_tables_and_page},
        manifest::{self, Manifest, MeanEstimate, SimulateSetup, Timing},
        sealed,
    },
};

/// Description of the intervals of win rates in a run with a goal.
const CONFIDENCE_SEQUENCE: &str =
    "95 % at all looks together (asymptotic confidence sequence, Waudby-Smith et al. 2024)";

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
    rounds_per_game: MeanEstimate,
    events: u64,
    decisions: i64,
}

/// Writes tables and page of a run, complete or not, then its manifest, and prints the main
/// results. Removes the checkpoint unless it is needed to resume the run or to merge a shard.
///
/// # Errors
/// If a file can't be written.
pub(crate) fn write_results(
    game: &dyn BoundGame,
    folder: &RunFolder,
    checkpoint: &Checkpoint,
    json: bool,
) -> Result<(), OutputError> {
    let Checkpoint { setup, tally, games_csv, threads, seconds, .. } = checkpoint;
    let shard = setup.question.shard;
    let command = RepeatCommand::parse(KIND, &checkpoint.command).option_if("--shard", shard);
    let analysis = RunAnalysis::new(checkpoint);
    let panel = PanelAnalysis::new(checkpoint, PanelQuestion::of(game));
    let card = HealthCard::new(game, &analysis, &checkpoint.data);
    let items = analysis.shown_items(game.catalog());
    let tables = RunTables::new(game, &analysis, panel.as_ref(), &card, &items);
    let page = RunPage {
        checkpoint,
        analysis: &analysis,
        panel: panel.as_ref(),
        card: &card,
        tables: &tables,
        items: &items,
        command: &command.to_string(),
        provenance: &Provenance::read(&checkpoint.data),
    };
    let html = page.render(game);
    let text = terminal_text(game, &page, &tables);
    let tables = tables.into_tables();
    let mut files = write_tables_and_page(folder, &tables, Some(&html))?;
    files.extend(games_csv.as_ref().map(|_| GAMES.to_owned()));
    let question = SimulateQuestion {
        setup: &setup.question,
        goal_reached: checkpoint.goal_reached(),
        win_rate_intervals: setup.question.goal.map(|_| CONFIDENCE_SEQUENCE),
        blocks: tally.blocks,
        games: tally.games,
        capped_games: tally.health.capped.x,
        shared_wins: tally.health.shared_wins.x,
        rounds_per_game: (&tally.health.rounds).into(),
        events: tally.events,
        decisions: tally.health.decisions.ratio.x,
    };
    let complete = checkpoint.is_complete();
    let manifest = Manifest {
        complete,
        files,
        timing: Some(Timing::new(*threads, *seconds, checkpoint.games_played())),
        ..Manifest::new(&command, setup.identity.clone(), question)
    };
    folder.write(manifest::FILE, &manifest.to_json())?;
    if complete && shard.is_none() {
        folder.remove(sealed::FILE)?;
    }
    print_results(json, &tables, &command, &text);
    Ok(())
}
