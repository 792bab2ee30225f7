//! `watershed balance turn-order`: tests whether all turn positions win equally often.

pub mod analysis;
pub mod arguments;
mod compensation;
mod compensation_page;
pub mod page;
pub mod points;
pub mod tables;

use anyhow::ensure;
use serde::Serialize;

use crate::{
    arena::schedule::Rotations,
    bots::BotFactory,
    bound::BoundGame,
    config::Document,
    experiments::turn_order::TurnOrderTallies,
    games::{GameEntry, GameList},
    report::{
        data_table::{DataTable, Schema},
        provenance::Claim,
        study_page::ReportBody,
        text::provenance_line,
    },
    run::{
        ExitStatus,
        arguments::{Deals, GameSelection, RunArguments},
        command::RepeatCommand,
        lineups::LineupResult,
        manifest::GameCounts,
        study_run::StudyRun,
    },
    study::shared::{
        agreement,
        planned_study::{StudyAnswer, StudyArguments, max_blocks},
    },
};
use analysis::TurnOrderAnalysis;
use arguments::TurnOrderArguments;
use compensation::{Compensation, LineupCompensation};

/// Describes all tables that the command can write.
pub fn schemas() -> Vec<Schema> {
    let positions = tables::positions_columns().schema();
    let verdicts = tables::verdicts_columns().schema();
    vec![positions, verdicts, compensation_page::columns().schema(), agreement::columns().schema()]
}

/// The part of the manifest that only this study has.
#[derive(Serialize)]
struct TurnOrderQuestion<'a> {
    margin: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    compensate: Option<&'a str>,
}

/// Runs the command.
pub(crate) fn run(
    games: GameList,
    arguments: &StudyArguments<TurnOrderArguments>,
) -> anyhow::Result<ExitStatus> {
    let selection = &arguments.game.resolve(games)?;
    let game = &*selection.open()?;
    let TurnOrderArguments { lineups: named, games, margin, compensate } = &arguments.own;
    ensure_seats_compete(game)?;
    let (file, players) = (&selection.document, selection.players);
    let read = |text: &String| Compensation::read(text, selection);
    let compensation = compensate.as_ref().map(read).transpose()?;
    let compensation = compensation.as_ref();
    let values = compensation.map_or(&[][..], |compensation| &compensation.values);
    let documents = match compensation {
        Some(compensation) => compensation.documents(file, values)?,
        None => vec![file.clone()],
    };
    let library = &game.library().with_data(&documents)?;
    let lineups = &named.read_lineups(library, players)?;
    let games = &named.simulated_games(library, *games);
    let command = arguments.own.repeat_command(selection, lineups);
    let plan = TurnOrderPlan {
        game: selection.game,
        lineups,
        players,
        games,
        run: &arguments.output.run,
        margin: margin.share(),
    };
    let max_blocks = max_blocks(lineups, games);
    let bots = lineups.iter().flatten();
    arguments.plan(selection, game, command, bots, max_blocks).run(|study| {
        let documents = vec![documents; lineups.len()];
        let mut games_planned = plan.count_games(&documents);
        let results = plan.play(&mut study.run, &documents, Deals::First)?;
        let mut compensated = Vec::new();
        let mut tallies: Vec<_> = results.iter().map(|result| result.tally.clone()).collect();
        if let Some(compensation) = compensation {
            let analysed = results.iter().map(|LineupResult { lineup, tally, .. }| {
                LineupCompensation::new(lineup, values, tally, players, plan.margin)
            });
            compensated.extend(analysed);
            if study.run.is_complete() {
                let confirmation = Confirmation { plan: &plan, compensation, file };
                let (planned, fresh) = confirmation.play(&mut study.run, &mut compensated)?;
                games_planned += planned;
                tallies.extend(fresh);
            }
        }
        let index = compensation.and_then(Compensation::file_index).unwrap_or(0);
        let analysis = TurnOrderAnalysis::new(&results, index, players, plan.margin);
        let key = compensation.map(|compensation| &*compensation.key);
        let (text, body, tables) = report(&analysis, key, &compensated, &selection.provenance);
        let counts = GameCounts::sum(games_planned, [count_games(&tallies)].into_iter());
        let compensate = compensate.as_deref();
        let question =
            study.question(TurnOrderQuestion { margin: plan.margin, compensate }, counts);
        Ok(StudyAnswer { question, counts, text, body: Some(body), tables, is_negative: false })
    })
}

impl TurnOrderArguments {
    /// Returns the command that repeats the study.
    fn repeat_command(
        &self,
        selection: &GameSelection,
        lineups: &[Vec<BotFactory>],
    ) -> RepeatCommand {
        RepeatCommand::new("balance turn-order")
            .game(selection)
            .flag_and_value(self.lineups.flag_and_value(lineups))
            .option("--games", self.games)
            .option("--margin", self.margin)
            .option_if("--compensate", self.compensate.as_ref())
    }
}

/// Returns the text for the terminal, the page and the tables. `key` is that of the compensation.
fn report(
    analysis: &TurnOrderAnalysis<'_>,
    key: Option<&str>,
    compensated: &[LineupCompensation],
    provenance: &Claim,
) -> (String, ReportBody, Vec<DataTable>) {
    let positions = analysis.positions_table(provenance);
    let verdicts = analysis.verdicts_table(provenance);
    let mut text = provenance_line(provenance) + &analysis.text(&positions, &verdicts);
    let mut body = analysis.report_body(&positions, &verdicts);
    let mut tables = vec![positions, verdicts];
    tables.extend(analysis.agreement().report(&mut body, provenance));
    if let Some(key) = key {
        let table = compensation_page::table(key, compensated, provenance);
        text += &compensation_page::text(key, compensated, &table);
        body.sections.insert(0, compensation_page::section(key, compensated, &table));
        tables.push(table);
    }
    (text, body, tables)
}

/// Ensures that a seat can win more often than another.
fn ensure_seats_compete(game: &dyn BoundGame) -> anyhow::Result<()> {
    let seats = game.seats();
    ensure!(seats > 1, "--players: expected at least 2 players for a turn order, found {seats}");
    ensure!(
        !game.is_cooperative(),
        "--game: expected a game in which one player can win more than another; in this one all \
         win or lose together"
    );
    Ok(())
}

/// The games of each lineup under each of its data files.
struct TurnOrderPlan<'a> {
    game: &'a GameEntry,
    lineups: &'a [Vec<BotFactory>],
    players: usize,
    games: &'a [u64],
    run: &'a RunArguments,
    /// The largest difference that counts as fair, as a share.
    margin: f64,
}

impl TurnOrderPlan<'_> {
    /// Returns the number of games of all lineups under their data files.
    fn count_games(&self, documents: &[Vec<Document>]) -> u64 {
        let lineups = self.lineups.iter().zip(self.games).zip(documents);
        let games = lineups.map(|((lineup, games), documents)| {
            let rotations = Rotations::new(lineup);
            let blocks = rotations.blocks_for_games(*games);
            blocks * rotations.games_per_block() * documents.len() as u64
        });
        games.sum()
    }

    /// Plays each lineup under its data files.
    fn play(
        &self,
        study: &mut StudyRun<'_>,
        documents: &[Vec<Document>],
        deals: Deals,
    ) -> anyhow::Result<Vec<LineupResult<TurnOrderTallies>>> {
        let bind = |documents: &Vec<Document>| {
            documents.iter().map(|document| self.game.open(document, self.players)).collect()
        };
        let games = documents.iter().map(bind).collect::<Result<Vec<Vec<_>>, _>>()?;
        let lineups = self.lineups.iter().zip(self.games).zip(&games);
        let experiments = lineups.map(|((lineup, &count), games)| {
            let games: Vec<&dyn BoundGame> = games.iter().map(|game| &**game).collect();
            let experiment = deals.of(self.run.new_experiment(lineup, count));
            games[0].turn_order(&games, experiment)
        });
        study.play_lineups(self.lineups, &experiments.collect::<Vec<_>>())
    }
}

/// The confirmation of compensations on fresh deals.
struct Confirmation<'a> {
    plan: &'a TurnOrderPlan<'a>,
    compensation: &'a Compensation,
    file: &'a Document,
}

impl Confirmation<'_> {
    /// Plays each lineup under the values to confirm, and adds the results to the lineups. Returns
    /// the number of planned games and the results.
    fn play(
        &self,
        study: &mut StudyRun<'_>,
        compensated: &mut [LineupCompensation],
    ) -> anyhow::Result<(u64, Vec<TurnOrderTallies>)> {
        let Self { plan, compensation, file } = *self;
        let confirmed = compensated.iter().map(LineupCompensation::values_to_confirm);
        let confirmed: Vec<_> = confirmed.collect();
        let documents = confirmed.iter().map(|values| compensation.documents(file, values));
        let documents = documents.collect::<Result<Vec<_>, _>>()?;
        let games_planned = plan.count_games(&documents);
        let fresh = plan.play(study, &documents, Deals::Fresh)?;
        let mut tallies = Vec::new();
        for ((lineup, values), result) in compensated.iter_mut().zip(&confirmed).zip(fresh) {
            lineup.confirm(values, &result.tally, plan.players, plan.margin);
            tallies.push(result.tally);
        }
        Ok((games_planned, tallies))
    }
}

/// Returns the numbers of blocks, games, and games that the round limit ended.
fn count_games(tallies: &[TurnOrderTallies]) -> [u64; 3] {
    let files = tallies.iter().flat_map(|tallies| &tallies.files);
    files.fold([0; 3], |[blocks, games, capped], tally| {
        [blocks + tally.blocks, games + tally.games, capped + tally.capped]
    })
}
