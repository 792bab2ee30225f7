//! Puzzles as a page: each answer opens by a click and shows what it costs.

use maud::{Markup, PreEscaped, html};

use super::{
    arguments::PuzzleHtmlArguments,
    file::{pose, read, select_game},
};
use crate::{
    analysis::puzzle::line::{Posed, PuzzleLine},
    bound::BoundGame,
    games::GameList,
    report::html::{Section, format_count, render_page},
    run::{ExitStatus, append_file::PartialFile},
    scene::SvgSheet,
};

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
    let mut sheet = SvgSheet::default();
    let mut puzzle_sections: Vec<(String, Markup)> = Vec::new();
    for (index, posed) in posed.iter().enumerate() {
        let mut scene = posed.scene.clone();
        // The board of the decider first: areas stand one below the other on a phone.
        scene.areas.sort_by_key(|area| (!area.is_active, area.seat.is_some()));
        let board = sheet.figure(&scene);
        let markup = puzzle_markup(posed, &board);
        puzzle_sections.push((format!("Puzzle {}", index + 1), markup));
    }
    let first = &puzzles[0];
    let heading = format!("{title}: {}", format_count(puzzles.len() as u64, "puzzle"));
    let head = html! {
        p.kicker { "Watershed · " (title) " · " (first.players) " players" }
        h1 { (heading) }
        p.lead {
            "In each position one action is clearly best. Choose one, and open it to see whether \
             it "
            "is, or what it costs."
        }
        p.note {
            "Data: " q { (first.provenance) } ". Losses are differences of win shares between "
            "rollouts of " code { (first.policies[0]) } " on the same chance, with 95 % intervals; "
            "rollouts of " code { (first.policies[1]) } " confirm each solution."
        }
        (PreEscaped(sheet.definitions()))
    };
    let sections: Vec<_> =
        puzzle_sections.iter().map(|(title, markup)| Section::new(title, markup.clone())).collect();
    Ok(render_page(&heading, &head, &sections))
}

fn puzzle_markup(posed: &Posed<'_>, board: &str) -> Markup {
    let line = posed.line;
    html! {
        p { (posed.question()) }
        (PreEscaped(board))
        div.answers {
            // In the order of the rules, which says nothing of the solution.
            @for answer in &posed.answers {
                details {
                    summary { (answer.action.label) }
                    @match &answer.refutation {
                        None => { p { strong { "Right." } } }
                        Some(refutation) => { p { strong { "Wrong. " } (refutation) } }
                    }
                }
            }
        }
        p.note { "Game " (line.index) ", event " (line.event) "." }
    }
}
