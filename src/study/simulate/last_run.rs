//! The run that a new one replaces in its folder: another version of the data file is compared with
//! it. Only the terminal says so. Tables and page follow from the command alone, so that it can be
//! repeated anywhere.

use super::setup::RunSetup;
use crate::{
    run::files::read_finished_run,
    study::shared::{
        prelude::*,
        reference::{self, ReferenceFigures},
        verdict::RatedGame,
    },
};

/// Reads the figures of the finished run of a folder; `None` unless it played another version of
/// the data file with the same players and bots.
fn read(folder: &Path, setup: &RunSetup) -> Option<ReferenceFigures> {
    let manifest = read_finished_run(folder).ok()?;
    let RunSetup { identity, question } = setup;
    let bots = manifest["bots"].as_array()?.iter();
    let is_same = manifest["kind"] == "simulate"
        && manifest["game"] == identity.game
        && manifest["players"] == identity.players
        && bots
            .map(|bot| bot["name"].as_str())
            .eq(question.bots.iter().map(|bot| Some(&*bot.name)));
    if !is_same || manifest["data_sha256"] == *question.data_sha256 {
        return None;
    }
    let file = folder.join(reference::schema().file_name());
    ReferenceFigures::from_csv(&fs::read_to_string(file).ok()?)
}

/// States the largest change since the finished run that the folder holds, if it can be compared.
pub(super) fn change_since(folder: &Path, setup: &RunSetup, rated: &RatedGame) -> Option<String> {
    let last = read(folder, setup)?;
    let mut game = RatedGame {
        is_edited: true,
        compared_with: "the last run in this folder".to_owned(),
        before: Some(last.figures.clone()),
        targets: Vec::new(),
        ..rated.clone()
    };
    for item in &mut game.items {
        item.before = last.item(&game.tables[item.table].plural, &item.id);
    }
    let verdict = game.verdict();
    let sentence = verdict.first_sentence(&game);
    let is_change = !verdict.changes.is_empty();
    Some(if is_change { format!("Since the last run: {sentence}") } else { sentence })
}
