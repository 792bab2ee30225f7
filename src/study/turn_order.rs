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
use compensation::{CompensationPlan, LineupCompensation};

/// Describes all tables that the command can write.
pub fn schemas() -> Vec<Schema> {
    let positions = tables::positions_columns().schema();
    let verdicts = tables::verdicts_columns().schema();
    let points = tables::points_columns().schema();
    let tables = [positions, verdicts, points, compensation_page::columns().schema()];
    tables.into_iter().chain(agreement::schemas()).collect()
}

/// The part of the manifest that only this study has.
#[derive(Serialize)]
struct TurnOrderQuestion {
    margin: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    compensate: Option<String>,
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
    let compensation = match &compensate[..] {
        [] => None,
        texts => Some(CompensationPlan::read(texts, selection)?),
    };
    let compensation = compensation.as_ref();
    let documents = match compensation {
        Some(compensation) => compensation.documents(file)?,
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
                LineupCompensation::new(lineup, compensation, tally, players, plan.margin)
            });
            compensated.extend(analysed);
            if study.run.is_complete() {
                let confirmation = Confirmation { plan: &plan, compensation, file };
                let (planned, fresh) = confirmation.play(&mut study.run, &mut compensated)?;
                games_planned += planned;
                tallies.extend(fresh);
            }
        }
        // The first data file is the file as it is.
        let mut analysis = TurnOrderAnalysis::new(&results, 0, players, plan.margin);
        analysis.remedy = compensation_page::remedy(&compensated);
        let (text, body, tables) = report(&analysis, &compensated, &selection.provenance);
        let counts = GameCounts::sum(games_planned, [count_games(&tallies)].into_iter());
        let compensate = arguments.own.compensate_text();
        let question = TurnOrderQuestion { margin: plan.margin, compensate };
        let question = study.question(question, counts);
        Ok(StudyAnswer { question, counts, text, body: Some(body), tables, is_negative: false })
    })
}

impl TurnOrderArguments {
    /// Returns the value of `--compensate`, with those of the repeated flag joined by commas.
    fn compensate_text(&self) -> Option<String> {
        (!self.compensate.is_empty()).then(|| self.compensate.join(","))
    }

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
            .option_if("--compensate", self.compensate_text())
    }
}

/// Returns the text for the terminal, the page and the tables.
fn report(
    analysis: &TurnOrderAnalysis<'_>,
    compensated: &[LineupCompensation],
    provenance: &Claim,
) -> (String, ReportBody, Vec<DataTable>) {
    let positions = analysis.positions_table(provenance);
    let verdicts = analysis.verdicts_table(provenance);
    let mut text = provenance_line(provenance) + &analysis.text(&positions, &verdicts);
    let points = analysis.points_table(provenance);
    let mut body = analysis.report_body(&positions, &verdicts, points.as_ref());
    let mut tables = vec![positions, verdicts];
    tables.extend(points);
    tables.extend(analysis.agreement().report(&mut body, provenance));
    if !compensated.is_empty() {
        let table = compensation_page::table(compensated, provenance);
        text += &compensation_page::text(compensated, &table);
        body.sections.insert(0, compensation_page::section(compensated, &table));
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
    compensation: &'a CompensationPlan,
    file: &'a Document,
}

impl Confirmation<'_> {
    /// Plays all lineups under the values to confirm of the first lineup, and adds the results to
    /// the lineups. Returns the number of planned games and the results.
    fn play(
        &self,
        study: &mut StudyRun<'_>,
        compensated: &mut [LineupCompensation],
    ) -> anyhow::Result<(u64, Vec<TurnOrderTallies>)> {
        let Self { plan, compensation, file } = *self;
        let choices = compensated.first().map(LineupCompensation::choices_to_confirm);
        let choices = choices.unwrap_or_default();
        let documents = compensation.documents_with(file, &choices)?;
        let documents = vec![documents; compensated.len()];
        let games_planned = plan.count_games(&documents);
        let fresh = plan.play(study, &documents, Deals::Fresh)?;
        let mut tallies = Vec::new();
        for (lineup, result) in compensated.iter_mut().zip(fresh) {
            lineup.confirm(&choices, &result.tally, plan.players, plan.margin);
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
