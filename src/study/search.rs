//! `watershed balance search`: searches for the fewest and smallest edits of the data file with
//! which figures of the game lie in given ranges.

pub(crate) mod arguments;
mod edits;
pub(crate) mod fix;
mod goal_file;
mod goals;
mod race;
mod tables;

use arguments::BalanceSearchArguments;
use goals::Goals;
use race::SearchGames;
use tables::{SearchAnalysis, SearchVerdict};

use crate::study::shared::{
    adaptation::Adaptation,
    key_values::KeyValues,
    planned_study::{OpenedStudy, StudyAnswer, StudyArguments, max_blocks},
    prelude::*,
};

/// Name of the data file with the edits that meet all goals.
pub(crate) const PROPOSAL: &str = "proposal.toml";

/// Name of the data file with the edits that come nearest to the goals, if none meet all.
pub(crate) const NEAREST: &str = "nearest.toml";

/// Maximum number of values of all keys.
const MAX_VALUES: usize = 400;

/// Describes all tables that the command can write.
pub(crate) fn schemas() -> Vec<Schema> {
    vec![tables::goals_columns().schema(), tables::edits_columns().schema()]
}

/// The part of the manifest that only this study has.
#[derive(Serialize)]
struct BalanceSearchQuestion {
    /// SHA-256 of the file of `--goal`, by which `--resume` knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    goal_sha256: Option<String>,
    verdict: SearchVerdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    proposal: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    adaptation: Option<Adaptation>,
}

/// Runs the command.
pub(crate) fn run(opened: &OpenedStudy<'_, BalanceSearchArguments>) -> anyhow::Result<ExitStatus> {
    let OpenedStudy { arguments, selection, game, .. } = opened;
    let StudyArguments { own, output, parts, .. } = arguments;
    if parts.shard.is_some() {
        bail!("--shard: expected none; the search decides by all games which edits it plays next");
    }
    let keys = KeyValues::read_all("--keys", &own.keys, selection, MAX_VALUES)?;
    let (goals, goal_file) = match &own.goal {
        Some(path) => {
            let document = Document::read(path)?;
            (Goals::parse(&document, game)?, Some(document))
        }
        None => (Goals::of_data(&selection.document, game)?, None),
    };
    let is_forked = goals.forked_items(game.catalog());
    let library = &game.library().with_data([&selection.document])?;
    let lineups = own.lineups.read_lineups(library, selection.players)?;
    ensure!(
        !own.adaptation.adapt || !library.profiles.networks.loaded().is_empty(),
        "--adapt: expected a bot with a network"
    );
    let lineup_games = own.lineups.games_by_lineup(library, own.games);
    let inputs = [("--config", selection.config.as_deref()), ("--goal", own.goal.as_deref())];
    let folder = parts.lock_folder(output, game, &inputs)?;
    let max_blocks = max_blocks(&lineups, &lineup_games);
    let mut plan = opened.plan(lineups.iter().flatten(), max_blocks);
    plan.documents.extend(&goal_file);
    plan.folder = Some(folder.clone());
    plan.run(|study| {
        let search = SearchGames {
            selection,
            library,
            lineups: &own.lineups,
            adaptation: Some((&own.adaptation, &folder)),
            run: &output.run,
            games: &lineup_games,
            keys: &keys,
            goals: &goals,
            is_forked: &is_forked,
            max_edits: own.max_edits,
        };
        let found = search.search(study)?;
        let is_complete = study.is_complete();
        let analysis = SearchAnalysis::new(&keys, &goals, &found, own.max_edits, is_complete);
        answer(study, selection, &analysis, goal_file.as_ref().map(Document::sha256))
    })
}

/// Writes the proposed data file, and returns the answer.
fn answer(
    study: &mut StudyRun<'_>,
    selection: &GameSelection,
    analysis: &SearchAnalysis<'_>,
    goal_sha256: Option<String>,
) -> anyhow::Result<StudyAnswer<BalanceSearchQuestion>> {
    let &SearchAnalysis { keys, found, .. } = analysis;
    let (verdict, proposal) = (analysis.verdict(), analysis.proposal());
    let planned = study.games_planned();
    let counts = GameCounts::sum(planned, [analysis.count_games()]);
    if let Some((name, edits)) = analysis.written_edits()
        && study.invalid_sentence(counts.games).is_none()
    {
        let text = edits.marked_text(keys, &selection.document)?;
        study.write_file(name, text.as_bytes())?;
    }
    let own = BalanceSearchQuestion {
        goal_sha256,
        verdict,
        proposal: proposal.map(|edits| edits.text(keys)),
        adaptation: found.adaptation.clone(),
    };
    let is_negative = matches!(verdict, SearchVerdict::NotFound | SearchVerdict::NotConfirmed);
    let report = analysis.report(&selection.provenance);
    Ok(StudyAnswer { own, counts, report, is_negative })
}
