//! The share of the games that the better player wins, from a run of `balance skill`.

use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::{
    run::{arguments::GameSelection, files::read_manifest, manifest},
    stats::ratio::Estimate,
};

/// Name of the command in manifests.
const KIND: &str = "balance skill";
/// Name of its table.
const TABLE: &str = "skill.csv";

/// A better bot in one seat against copies of a weaker one in the others.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct SkillFigure {
    /// Name of the better bot.
    pub better: String,
    /// Name of the weaker bot.
    pub weaker: String,
    /// Games.
    pub games: i64,
    /// Share of the games that the better bot wins, with its 95 % interval.
    pub share: [f64; 3],
}

/// The part of the manifest that says if the run belongs to the same game.
#[derive(Deserialize)]
struct SkillRun {
    kind: String,
    game: String,
    players: usize,
    config_sha256: String,
    complete: bool,
}

/// A row of the table.
#[derive(Deserialize)]
struct SkillRow {
    rung: String,
    against: String,
    comparison: String,
    games: i64,
    win_share: f64,
    ci_low: f64,
    ci_high: f64,
    above_even_ci_low: Option<f64>,
}

impl SkillFigure {
    /// Reads the answer of a run of `balance skill`: a search against the search with a tenth of
    /// its iterations, or else the highest rung against the one below.
    ///
    /// # Errors
    /// If the folder holds no finished run on the same data with as many players, or if no bot is
    /// shown to be the better one.
    pub(crate) fn read(folder: &Path, selection: &GameSelection) -> anyhow::Result<Self> {
        let shown = folder.display();
        let run = read_manifest::<SkillRun>(&folder.join(manifest::FILE));
        let Some(run) = run.filter(|run| run.kind == KIND && run.complete) else {
            bail!("--skill: {shown}: expected the folder of a finished run of `{KIND}`");
        };
        let (game, players) = (selection.game.id, selection.players);
        ensure!(
            run.game == game && run.players == players,
            "--skill: {shown}: expected a run of {game} with {players} players, found {} with {}",
            run.game,
            run.players
        );
        ensure!(
            run.config_sha256 == selection.document.sha256(),
            "--skill: {shown}: expected a run with the data of {}, found other data",
            selection.document.name
        );
        let path = folder.join(TABLE);
        let unreadable = || format!("--skill: {}", path.display());
        let rows = csv::Reader::from_path(&path).with_context(unreadable)?.into_deserialize();
        let rows = rows.collect::<Result<Vec<SkillRow>, _>>().with_context(unreadable)?;
        let is_better = |row: &&SkillRow| row.above_even_ci_low.is_some_and(|low| low > 0.0);
        let is_tenth = |row: &&SkillRow| row.comparison.split('+').any(|word| word == "tenth");
        let headline = rows.iter().rev().find(is_tenth).or(rows.last()).filter(is_better);
        let Some(row) = headline else {
            bail!("--skill: {shown}: does not show which bot is better; play more games");
        };
        Ok(Self {
            better: row.rung.clone(),
            weaker: row.against.clone(),
            games: row.games,
            share: [row.win_share, row.ci_low, row.ci_high],
        })
    }

    /// Returns the share of the games that the better bot wins.
    pub(crate) fn estimate(&self) -> Estimate {
        let [value, low, high] = self.share;
        Estimate { n: self.games, value, low, high }
    }

    /// Names the bots.
    pub(crate) fn bots(&self) -> String {
        format!("{} against {}", self.better, self.weaker)
    }
}
