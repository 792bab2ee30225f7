//! `watershed calibrate`: compares the win chances of searches with the results of games, and the
//! chosen actions with the prior.

pub mod analysis;
pub(crate) mod arguments;
mod page;
pub(crate) mod tables;

use std::thread;

use analysis::BotCalibration;
use arguments::CalibrateArguments;
use tables::{CalibrationSubject, NamedCalibration};

use crate::{
    bots::calibration::{CalibratedSearch, CalibrationFile, evaluators_sha256},
    experiments::calibration::SearchedGames,
    run::paths::OutputError,
    study::shared::{
        modes::check_mode,
        planned_study::{OpenedStudy, StudyAnswer},
        prelude::*,
    },
};

/// Number of attempts to write a file that another run is writing, and the pause between them.
const ATTEMPTS: u32 = 500;
const PAUSE: Duration = Duration::from_millis(20);

/// Describes all tables that the command writes.
pub(crate) fn schemas() -> Vec<Schema> {
    tables::schemas().into()
}

/// Runs the command.
pub(crate) fn run(opened: &OpenedStudy<'_, CalibrateArguments>) -> anyhow::Result<ExitStatus> {
    let OpenedStudy { arguments, selection, game, .. } = opened;
    let CalibrateArguments { games, write, mode, .. } = &arguments.own;
    if let Some(mode) = mode {
        check_mode(game, mode)?;
    } else if write.is_some() && !game.modes().is_empty() {
        bail!("--write: expected --mode with {}", game.modes().join(" or "));
    }
    let lineup = &arguments.own.read_lineup(game.library(), selection.players)?;
    // A file with mistakes is refused before the games.
    write.as_deref().map(read_maps).transpose()?;
    let experiment = arguments.output.run.new_experiment(lineup, *games);
    let games_per_block = experiment.rotations().games_per_block();
    let max_blocks = experiment.blocks.end;
    let mut plan = opened.plan(lineup, max_blocks);
    plan.inputs.push(("--write", write.as_deref()));
    plan.growing().run(|study| {
        let mut results = study.play_lineups([game.calibration(experiment, mode.as_deref())])?;
        let games = results.pop().map(|result| result.tally).unwrap_or_default();
        let named = study.pool().install(|| analyse_bots(game, lineup, &games));
        if named.is_empty() && !games.0.is_empty() {
            bail!("--bots: expected a bot that searches, as in `mcts:iterations=200`");
        }
        let subject = CalibrationSubject {
            game: game.id(),
            players: selection.players,
            kinds: game.action_kinds(),
        };
        let tables = tables::tables(&subject, &named, &selection.provenance);
        let played = games.0.len() as u64;
        let capped = games.0.iter().filter(|game| game.is_capped).count() as u64;
        let played = [played / games_per_block, played, capped];
        let counts = GameCounts::sum(max_blocks * games_per_block, [played]);
        if let Some(path) = write {
            if study.is_conclusive(counts.games)
                && let [named] = &named[..]
            {
                let (bot, command) = (&lineup[0], study.command());
                let search = calibrated_search(named, bot, selection.players, command);
                write_maps(path, CalibratedSearch { mode: mode.clone(), ..search })?;
            } else {
                print_info(&format!("no complete result: {} is unchanged", path.display()));
            }
        }
        let report = page::report(&named, tables);
        Ok(StudyAnswer { own: (), counts, report, is_negative: false })
    })
}

/// Reads a file of maps; one that does not exist has none.
fn read_maps(path: &Path) -> anyhow::Result<CalibrationFile> {
    Ok(if path.exists() { Document::read(path)?.parse()? } else { CalibrationFile::default() })
}

/// Adds the maps of a search to a file. Other runs and people may have changed it since this run
/// began, so it is read again when no other run writes it.
fn write_maps(path: &Path, search: CalibratedSearch) -> anyhow::Result<()> {
    let mut attempts = 0;
    let output = loop {
        match PartialFile::create_for_user(path, true) {
            Err(OutputError::Busy(_)) if attempts < ATTEMPTS => thread::sleep(PAUSE),
            output => break output?,
        }
        attempts += 1;
    };
    let mut file = read_maps(path)?;
    file.insert(search);
    Ok(output.finish_with(file.to_text().as_bytes())?)
}

/// Analyses the games for each distinct bot that searches.
fn analyse_bots(
    game: &BoundGame,
    lineup: &[BotFactory],
    games: &SearchedGames,
) -> Vec<NamedCalibration> {
    let mut all: Vec<NamedCalibration> = Vec::new();
    for bot in lineup {
        if all.iter().any(|other| other.bot == bot.name()) {
            continue;
        }
        let has_name = |&index: &usize| lineup[index].name() == bot.name();
        let same: Vec<_> = (0..lineup.len()).filter(has_name).collect();
        if let Some(results) =
            BotCalibration::new(games, &same, lineup.len(), game.wins_are_independent())
        {
            // A bot without parameters may have a prior.
            let has_prior = bot.parameters().get("prior").is_none_or(|prior| !prior.is_null());
            all.push(NamedCalibration { bot: bot.name().to_owned(), has_prior, results });
        }
    }
    all
}

/// Returns the maps of a bot for a file.
fn calibrated_search(
    named: &NamedCalibration,
    bot: &BotFactory,
    players: usize,
    command: &RepeatCommand,
) -> CalibratedSearch {
    let maps = named.results.chance_maps();
    CalibratedSearch {
        bot: named.bot.split(':').next().unwrap_or_default().to_owned(),
        players,
        mode: None,
        iterations: named.results.iterations,
        games: named.results.games,
        command: command.to_string(),
        evaluators_sha256: evaluators_sha256(bot.parts()),
        position: maps.position,
        action: maps.action,
    }
}
