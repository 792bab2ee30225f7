//! Puzzles as a page: each answer opens by a click and shows whether it is right.

use maud::PreEscaped;

use super::{
    arguments::PuzzleHtmlArguments,
    file::{pose, read, select_game},
};
use crate::{analysis::puzzle::line::PuzzleLine, scene::SvgSheet, study::shared::prelude::*};

pub(super) fn run(games: GameList, arguments: &PuzzleHtmlArguments) -> anyhow::Result<ExitStatus> {
    let puzzles = read(&arguments.file)?;
    let selection = select_game(games, &puzzles[0], arguments.config.as_deref(), &arguments.file)?;
    let page = page(&selection.open()?, &puzzles, selection.game.title)?;
    PartialFile::write_for_user(&arguments.out, &page, arguments.force)?;
    Ok(ExitStatus::Success)
}

/// Renders the page of puzzles.
fn page(game: &BoundGame, puzzles: &[PuzzleLine], title: &str) -> anyhow::Result<Vec<u8>> {
    let posed = pose(game, puzzles)?;
    let first = &puzzles[0];
    let count = format_count(puzzles.len(), "puzzle");
    let mut report = StudyReport::new(format!("{title}: {count}"));
    report.answer(
        "In each position one action is clearly best. Choose one, and open it to see whether it \
         is.",
    );
    let mut sheet = SvgSheet::default();
    for (index, posed) in posed.iter().enumerate() {
        let mut scene = posed.scene.clone();
        // The board of the decider first: areas stand one below the other on a phone.
        scene.areas.sort_by_key(|area| (!area.is_active, area.seat.is_some()));
        report.section(&format!("Puzzle {}", index + 1));
        report.explanation(&posed.question());
        report.page(PreEscaped(sheet.figure(&scene)));
        // In the order of the rules, which says nothing of the solution.
        let answers = posed.answers.iter().map(|answer| {
            let verdict = if answer.is_solution { "**Right.**" } else { "**Wrong.**" };
            (answer.action.label.clone(), verdict.to_owned())
        });
        report.disclosures(&answers.collect::<Vec<_>>());
        report.explanation(&format!("Game {}, event {}.", posed.line.index, posed.line.event));
    }
    report.page(PreEscaped(sheet.definitions()));
    let note = format!(
        "Data: “{}”. Found in games of self-play; `watershed puzzles solve` and the page of \
         `watershed serve` judge each answer by a search.",
        first.provenance
    );
    Ok(report.render_alone(&format!("{title} · {} players", first.players), &note).1)
}
