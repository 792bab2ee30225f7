//! `watershed balance turn-order`: tests whether all turn positions win equally often.

pub mod analysis;
pub mod arguments;
pub mod page;
pub mod points;
pub mod tables;

use analysis::TurnOrderAnalysis;
use arguments::TurnOrderArguments;

use crate::{
    experiments::turn_order::TurnOrderTallies,
    study::shared::{
        agreement,
        planned_study::{StudyAnswer, StudyArguments, max_blocks},
        prelude::*,
    },
};

/// Describes all tables that the command can write.
pub fn schemas() -> Vec<Schema> {
    let positions = tables::positions_columns().schema();
    let verdicts = tables::verdicts_columns().schema();
    let points = tables::points_columns().schema();
    [positions, verdicts, points].into_iter().chain(agreement::schemas()).collect()
}

/// Runs the command.
pub(crate) fn run(
    games: GameList,
    arguments: &StudyArguments<TurnOrderArguments>,
    command: &RepeatCommand,
) -> anyhow::Result<ExitStatus> {
    let selection = &arguments.game.resolve(games)?;
    let game = &selection.open()?;
    let TurnOrderArguments { lineups: named, games, margin } = &arguments.own;
    ensure_seats_compete(game)?;
    let library = &game.library().with_data([&selection.document])?;
    let lineups = &named.read_lineups(library, selection.players)?;
    let lineup_games = &named.simulated_games(library, *games);
    let max_blocks = max_blocks(lineups, lineup_games);
    let bots = lineups.iter().flatten();
    arguments.plan(selection, game, command, bots, max_blocks).growing().run(|study| {
        let played = lineups.iter().zip(lineup_games);
        let experiments = played.map(|(lineup, &count)| {
            game.turn_order(&[game], arguments.output.run.new_experiment(lineup, count))
        });
        let experiments: Vec<_> = experiments.collect();
        let results = study.play_lineups(lineups, &experiments)?;
        let analysis = TurnOrderAnalysis::new(&results, selection.players, margin.share());
        let report = analysis.report(&selection.provenance);
        let counts = GameCounts::sum(study.games_planned(), [count_games(&results)]);
        Ok(StudyAnswer { own: (), counts, report, is_negative: false })
    })
}

/// Ensures that a seat can win more often than another.
fn ensure_seats_compete(game: &BoundGame) -> anyhow::Result<()> {
    let seats = game.seats();
    ensure!(seats > 1, "--players: expected at least 2 players for a turn order, found {seats}");
    ensure!(
        !game.is_cooperative(),
        "--game: expected a game in which one player can win more than another; in this one all \
         win or lose together"
    );
    Ok(())
}

/// Returns the numbers of blocks, games, and games that the round limit ended.
fn count_games(results: &[LineupResult<TurnOrderTallies>]) -> [u64; 3] {
    let files = results.iter().flat_map(|result| &result.tally.files);
    files.fold([0; 3], |[blocks, games, capped], tally| {
        [blocks + tally.blocks, games + tally.games, capped + tally.capped]
    })
}
