//! Everything a run or a part of it found, written to its folder.

use serde::Serialize;

use crate::{
    arena::tally::opening_steps,
    game::FullGame,
    report::study_page,
    run::{
        checkpoint::Checkpoint,
        command::RepeatCommand,
        files::{OutputError, RunFolder},
        manifest::{self, Manifest, MeanEstimate, SimulateSetup, Timing},
    },
    study::simulate::{
        KIND,
        csv::{self, TableContext},
        health, page, text,
    },
};

/// The table with a line for each game.
pub const GAMES: &str = "games.csv";

/// What the intervals of win rates are in a run with a goal.
const CONFIDENCE_SEQUENCE: &str =
    "95 % at all looks together (asymptotic confidence sequence, Waudby-Smith et al. 2024)";

/// The part of the manifest that only this command has.
#[derive(Serialize)]
struct Question<'a> {
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

/// What has been counted of a game between these bots.
#[derive(Clone, Copy, Debug)]
pub struct Results<'a, G> {
    /// The rules.
    pub game: &'a G,
    /// What was asked for and what has been counted.
    pub progress: &'a Checkpoint,
}

impl<G: FullGame> Results<'_, G> {
    /// Writes the tables, then the manifest: beside it, every file is of its run.
    ///
    /// # Errors
    /// If a file can't be written.
    pub fn write(&self, folder: &RunFolder) -> Result<(), OutputError> {
        let tables = self.tables();
        for (name, contents) in &tables {
            folder.write(name, contents)?;
        }
        let Checkpoint { setup, tally, games_csv, threads, seconds, .. } = self.progress;
        let command = self.command();
        let question = Question {
            setup: &setup.question,
            goal_reached: self.progress.goal_reached(),
            win_rate_intervals: setup.question.goal.map(|_| CONFIDENCE_SEQUENCE),
            blocks: tally.blocks,
            games: tally.games,
            capped_games: tally.health.capped.x,
            shared_wins: tally.health.shared_wins.x,
            rounds_per_game: (&tally.health.rounds).into(),
            events: tally.events,
            decisions: tally.health.decisions.ratio.x,
        };
        let manifest = Manifest {
            complete: self.progress.is_complete(),
            files: tables
                .iter()
                .map(|(name, _)| name.clone())
                .chain(games_csv.as_ref().map(|_| GAMES.to_owned()))
                .collect(),
            timing: Some(Timing::new(*threads, *seconds, tally.games)),
            ..Manifest::new(&command, setup.identity.clone(), question)
        };
        folder.write(manifest::FILE, &manifest.to_json())
    }

    /// The command that makes the run again and the short table, for the terminal.
    pub fn text(&self) -> String {
        let different = self.progress.setup.distinct_bots();
        format!(
            "{}\n{}",
            self.command(),
            text::text(&self.context(&different), self.game, &self.progress.tally)
        )
    }

    fn command(&self) -> RepeatCommand {
        let Checkpoint { command, setup, .. } = self.progress;
        RepeatCommand::parse(KIND, command).option_if("--shard", setup.question.shard)
    }

    fn context<'a>(&'a self, different: &'a [usize]) -> TableContext<'a> {
        let SimulateSetup { bots, data, .. } = &self.progress.setup.question;
        TableContext {
            bots,
            distinct_bots: different,
            provenance: &data.provenance,
            intervals: self.progress.confidence_sequence(),
        }
    }

    /// The tables and the report of them by the names of their files.
    fn tables(&self) -> Vec<(String, Vec<u8>)> {
        let tally = &self.progress.tally;
        let different = self.progress.setup.distinct_bots();
        let context = self.context(&different);
        let mut tables = vec![("win_rates.csv".to_owned(), csv::win_rates(&context, tally))];
        if context.bots.len() > 1 {
            tables.push(("turn_order.csv".to_owned(), csv::turn_order(&context, tally)));
        }
        for items in self.game.catalog().tables() {
            tables.push((format!("{}.csv", items.name), csv::items(&context, items, tally)));
        }
        if !self.game.round_metrics().is_empty() {
            tables.push((
                "rounds.csv".to_owned(),
                csv::rounds(&context, self.game.round_metrics(), &tally.round_metrics),
            ));
        }
        let steps = opening_steps(self.progress.setup.question.opening_depth);
        tables.push(("health.csv".to_owned(), health::health(&context, tally)));
        tables.push(("never.csv".to_owned(), health::never(&context, self.game, tally)));
        tables.push(("openings.csv".to_owned(), csv::openings(&context, self.game, steps, tally)));
        tables.push((
            study_page::FILE.to_owned(),
            page::render_run_page(self.game, context, self.progress, &self.command().to_string()),
        ));
        tables
    }
}
