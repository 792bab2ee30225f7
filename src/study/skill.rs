//! `watershed balance skill`: a ladder of bots from weak to strong.

mod analysis;
pub(crate) mod arguments;
mod ladder;
mod page;
mod tables;

use serde::Serialize;

use crate::{
    games::GameList,
    report::{data_table::Schema, origin::BotDescription, text::provenance_line},
    run::{
        ExitStatus,
        command::RepeatCommand,
        finish::FinishedStudy,
        lineups::distinct_bots,
        manifest::{DataSource, GameCounts, RunIdentity},
        page::StudyPage,
        study_run::NewStudy,
    },
    study::shared::pairing::schedule::{Schedule, ensure_competitive},
};
use analysis::{SkillAnalysis, Step};
use arguments::SkillArguments;
use ladder::Ladder;

/// Describes all tables that the command can write.
pub(crate) fn schemas() -> Vec<Schema> {
    vec![tables::schema()]
}

/// The part of the manifest that only this study has.
#[derive(Serialize)]
struct SkillQuestion<'a> {
    #[serde(flatten)]
    data: DataSource,
    bots: &'a [BotDescription],
    games_per_block: u64,
    #[serde(flatten)]
    counts: GameCounts,
    /// Number of clear steps.
    depth: usize,
}

/// Runs the command.
pub(crate) fn run(games: GameList, arguments: &SkillArguments) -> anyhow::Result<ExitStatus> {
    let selection = &arguments.game.resolve(games)?;
    let game = &*selection.open()?;
    let library = game.library();
    ensure_competitive(game, selection)?;
    let (run, players) = (&arguments.output.run, selection.players);
    let ladder = Ladder::read(arguments, library, players)?;
    let pairings: Vec<_> =
        ladder.pairings().into_iter().map(|(pairing, _, limit)| (pairing, limit)).collect();
    let schedule = Schedule::new(&pairings, players, arguments.games)?;
    let pool = run.thread_pool(schedule.blocks_per_pairing, &ladder.bots)?;
    let inputs = [("--config", selection.config.as_deref())];
    let folder = arguments.parts.lock_folder(&arguments.output, game, &inputs)?;

    let bots = distinct_bots(&ladder.bots);
    let names: Vec<_> = ladder.entries.iter().map(ToString::to_string).collect();
    let study = NewStudy {
        command: RepeatCommand::new("balance skill")
            .game(selection)
            .option("--rungs", names.join(","))
            .option("--games", arguments.games)
            .option("--seed", run.seed()),
        identity: RunIdentity::new(selection.game.id, players, run.seed()),
        documents: &[&selection.document],
        bots: &bots,
        max_blocks: schedule.blocks_per_pairing,
    };
    let study = study.open(&arguments.output, &arguments.parts, &folder, &pool)?;
    let Some(mut study) = study else { return Ok(ExitStatus::Success) };
    let tally = schedule.play(&mut study, game, &ladder.bots, run.seed(), None)?;

    let analysis = SkillAnalysis::new(&ladder, &tally);
    let table = tables::table(&analysis, &selection.provenance);
    let counts = GameCounts {
        games_planned: schedule.games,
        blocks: tally.blocks,
        games: tally.games,
        capped_games: tally.capped,
    };
    study.finish(FinishedStudy {
        question: SkillQuestion {
            data: DataSource::new(&selection.document, &selection.provenance),
            bots: &bots,
            games_per_block: schedule.games_per_block,
            counts,
            depth: analysis.count(Step::Clear),
        },
        counts,
        text: provenance_line(&selection.provenance) + &tables::text(&analysis, &table),
        page: Some(StudyPage {
            body: analysis.report_body(&table),
            bots: &bots,
            data: &[("", &selection.document)],
            provenance: &selection.provenance,
        }),
        tables: vec![table],
    })
}
