//! `watershed match`: bots against each other, with ratings and a sequential test.

mod analysis;
mod arguments;
mod page;
mod tables;

use serde::Serialize;

use self::analysis::{SequentialTest, Standings};
pub(crate) use self::arguments::MatchArguments;
use crate::{
    games::GameList,
    report::{
        data_table::{DataTable, Schema},
        origin::BotDescription,
        provenance::Claim,
        study_page::ReportBody,
    },
    run::{
        ExitStatus,
        arguments::GameSelection,
        finish::FinishedStudy,
        manifest::{DataSource, GameCounts, MeanEstimate, RunIdentity},
        page::StudyPage,
        study_run::NewStudy,
    },
    stats::sprt::{Sprt, SprtVerdict},
    study::shared::{
        margins::{self, MarginVerdicts},
        pairing::schedule::{Schedule, ensure_competitive, sequential_test},
    },
};

/// Describes the tables that a match writes.
pub(crate) fn schemas() -> Vec<Schema> {
    tables::schemas().into_iter().chain([margins::schema()]).collect()
}

/// The part of `run.json` that only a match has.
#[derive(Serialize)]
struct MatchQuestion {
    #[serde(flatten)]
    data: DataSource,
    mode: &'static str,
    bots: Vec<BotDescription>,
    games_per_block: u64,
    #[serde(flatten)]
    counts: GameCounts,
    shared_wins: u64,
    nobody_won: u64,
    rounds_per_game: MeanEstimate,
    events: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    sprt: Option<SequentialTest>,
}

pub(crate) fn run(games: GameList, arguments: &MatchArguments) -> anyhow::Result<ExitStatus> {
    let selection = &arguments.game.resolve(games)?;
    let game = &*selection.open()?;
    let library = game.library();
    let bots = arguments.read_bots(library)?;
    ensure_competitive(game, selection)?;
    let GameSelection { players, document, provenance, .. } = selection;
    let (mode, run) = (arguments.mode(), &arguments.output.run);
    let pairings = mode.pairings(bots.len(), *players).into_iter();
    let pairings: Vec<_> = pairings.map(|pairing| (pairing, None)).collect();
    let schedule = Schedule::new(&pairings, *players, arguments.games_per_pairing())?;
    let games_planned = schedule.games;
    let pool = run.thread_pool(schedule.blocks_per_pairing, &bots)?;
    let folder = arguments.parts.lock_folder(
        &arguments.output,
        game,
        &[("--config", selection.config.as_deref())],
    )?;

    let described: Vec<BotDescription> = bots.iter().map(Into::into).collect();
    let study = NewStudy {
        command: arguments.repeat_command(selection, &bots),
        identity: RunIdentity::new(selection.game.id, *players, run.seed()),
        documents: &[document],
        bots: &described,
        max_blocks: schedule.blocks_per_pairing,
    };
    let study = study.open(&arguments.output, &arguments.parts, &folder, &pool)?;
    let Some(mut study) = study else { return Ok(ExitStatus::Success) };
    let tally = schedule.play(&mut study, game, &bots, run.seed(), arguments.sprt)?;
    let sprt = sequential_test(arguments.sprt.as_ref(), &tally);
    let verdict = sprt.as_ref().and_then(Sprt::verdict);
    let standings = Standings::new(&bots, &tally);
    let sprt = arguments.sprt.zip(sprt.as_ref());
    let sprt = sprt.map(|(hypotheses, sprt)| SequentialTest::new(hypotheses, sprt, verdict));
    let h1_rejected_or_undecided = sprt.is_some() && verdict != Some(SprtVerdict::H1);
    let counts = GameCounts {
        games_planned,
        blocks: tally.blocks,
        games: tally.games,
        capped_games: tally.capped,
    };
    let question = MatchQuestion {
        data: DataSource::new(document, provenance),
        mode: mode.as_str(),
        bots: described.clone(),
        games_per_block: schedule.games_per_block,
        counts,
        shared_wins: tally.shared_wins,
        nobody_won: tally.nobody_won,
        rounds_per_game: (&tally.rounds).into(),
        events: tally.events,
        sprt,
    };
    let margins = arguments.margin.map(|margin| standings.margin_verdicts(margin.share()));
    let (text, body, tables) =
        report(&standings, question.sprt.as_ref(), margins.as_ref(), provenance);
    let status = study.finish(FinishedStudy {
        question,
        counts,
        tables,
        text,
        page: Some(StudyPage { body, bots: &described, data: &[("", document)], provenance }),
    })?;
    Ok(if h1_rejected_or_undecided { ExitStatus::Negative } else { status })
}

/// Returns the text for the terminal, the page and the tables.
fn report(
    standings: &Standings<'_>,
    sprt: Option<&SequentialTest>,
    margins: Option<&MarginVerdicts>,
    provenance: &Claim,
) -> (String, ReportBody, Vec<DataTable>) {
    let mut text = match sprt {
        Some(test) => tables::test_text(standings, test, provenance),
        None => tables::match_text(standings, provenance),
    };
    let mut tables = tables::data_tables(standings, provenance);
    let mut body = standings.report_body(sprt, &tables);
    if let Some(margins) = margins {
        text += &margins.text();
        let table = margins.table(provenance);
        body.sections.push(margins.section(&table));
        tables.push(table);
    }
    (text, body, tables)
}
