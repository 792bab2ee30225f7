//! `watershed balance skill`: a ladder of bots from weak to strong.

mod analysis;
pub(crate) mod arguments;
mod ladder;
mod page;
mod tables;

use serde::Serialize;

use crate::{
    games::GameList,
    report::{data_table::Schema, text::provenance_line},
    run::{ExitStatus, command::RepeatCommand},
    study::shared::{
        pairing::schedule::{PairingEnd, Schedule, ensure_competitive},
        planned_study::{GamesPerBlock, StudyAnswer, StudyArguments, StudyQuestion},
    },
};
use analysis::{SkillAnalysis, Step};
use arguments::SkillArguments;
use ladder::Ladder;

/// Describes all tables that the command can write.
pub(crate) fn schemas() -> Vec<Schema> {
    vec![tables::columns().schema()]
}

/// The part of the manifest that only this study has.
#[derive(Serialize)]
struct SkillQuestion {
    #[serde(flatten)]
    study: StudyQuestion<GamesPerBlock>,
    /// Number of clear steps.
    depth: usize,
}

/// Runs the command.
pub(crate) fn run(
    games: GameList,
    arguments: &StudyArguments<SkillArguments>,
) -> anyhow::Result<ExitStatus> {
    let selection = &arguments.game.resolve(games)?;
    let game = &selection.open()?;
    ensure_competitive(game, selection)?;
    let (players, games) = (selection.players, arguments.own.games);
    let ladder = Ladder::read(&arguments.own, game.library(), players)?;
    let pairings: Vec<_> =
        ladder.pairings().into_iter().map(|(pairing, _, limit)| (pairing, limit)).collect();
    let schedule = Schedule::new(&pairings, players, games)?;
    let names: Vec<_> = ladder.entries.iter().map(ToString::to_string).collect();
    let command = RepeatCommand::new("balance skill")
        .game(selection)
        .option("--rungs", names.join(","))
        .option("--games", games);
    let max_blocks = schedule.blocks_per_pairing;
    arguments.plan(selection, game, command, &ladder.bots, max_blocks).run(|study| {
        let (bots, seed, end) = (&ladder.bots, arguments.seed(), PairingEnd::AllGames);
        let tally = schedule.play(&mut study.run, game, bots, seed, end)?;
        let analysis = SkillAnalysis::new(&ladder, &tally);
        let table = tables::table(&analysis, &selection.provenance);
        let counts = tally.counts(schedule.games);
        let games_per_block = GamesPerBlock { games_per_block: schedule.games_per_block };
        Ok(StudyAnswer {
            question: SkillQuestion {
                study: study.question(games_per_block, counts),
                depth: analysis.count(Step::Clear),
            },
            counts,
            text: provenance_line(&selection.provenance) + &tables::text(&analysis, &table),
            body: Some(analysis.report_body(&table)),
            tables: vec![table],
            is_negative: false,
        })
    })
}
