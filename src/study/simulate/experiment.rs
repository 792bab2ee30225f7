//! The games of a run: those of the lineup, and those of each further bot of the panel.

use super::{
    analysis::RunAnalysis, game_rows::games_lines, levels::levels, settings::GAMES, setup::RunSetup,
};
use crate::{
    arena::run::BlockBatch,
    run::{growing_files::GrowingFiles, paths::OutputError, study_run::FinishedBlocks},
    stats::confidence_sequence::FIRST_LOOK,
    study::shared::{
        prelude::*,
        tallied_games::{RunGoal, TalliedBlocks, TalliedGames},
    },
};

/// The results of the games of a run.
pub(super) struct PlayedRun {
    /// The tallies of the lineup, and of each bot of the panel after the first.
    pub(super) tallies: Vec<Tally>,
    /// The tallies of the opponents with names in all seats; empty with few games of people.
    pub(super) levels: Vec<Tally>,
    /// The forks of the first games; `None` if none are played.
    pub(super) forks: Option<ItemEffectsTally>,
}

/// Games of each opponent with which games of people are compared; fewer if it searches.
const LEVEL_GAMES: u64 = 400;
const SEARCHED_LEVEL_GAMES: u64 = 20;
/// Games of people without which no opponent is named: fewer could be those of any.
const MIN_GAMES_OF_PEOPLE: usize = 10;

/// Plays the lineup until the run is complete or interrupted, then the first of its games with each
/// bot of the panel after the first, the opponents to compare people with, then the forks of the
/// first games of the lineup.
///
/// # Errors
/// If a file of the study can't be read or written.
pub(super) fn play(
    study: &mut StudyRun<'_>,
    setup: &RunSetup,
    game: &BoundGame,
    experiment: Experiment<'_>,
    panel: &[BotFactory],
    quiet: bool,
) -> anyhow::Result<PlayedRun> {
    let Experiment { seed, position, .. } = experiment;
    let forked = Experiment::new(experiment.lineup, seed, 0..0);
    let players = experiment.lineup.len();
    // A shard can't know whether those before it reach the goal: `merge` looks.
    let is_shard = setup.question.shard.is_some();
    let goal = setup.question.goal.map(|_| setup as &dyn RunGoal).filter(|_| !is_shard);
    let lineup = TalliedGames { game, experiment, goal };
    let mut on_blocks = |blocks: &FinishedBlocks<'_, TalliedBlocks>, files: &mut GrowingFiles| {
        let grows = goal.is_some() && setup.question.looks.is_none();
        if grows && blocks.sum.tally.blocks == FIRST_LOOK && !quiet {
            report_expected_games(setup, blocks);
        }
        append_output(setup, blocks, files)
    };
    let message = |_, sum: &TalliedBlocks| win_rates(setup, &sum.tally);
    let sums = study.play_with_files(&[lineup.boxed()], message, &mut on_blocks)?;
    let mut tallies: Vec<_> = sums.into_iter().map(|sum| sum.tally).collect();
    let has_panel = match setup.question.goal {
        Some(_) => !is_shard && study.is_complete(),
        None => true,
    };
    let blocks = if goal.is_some() { tallies[0].blocks } else { setup.blocks() };
    if has_panel {
        let others = panel.iter().zip(&setup.question.panel).skip(1);
        let lineups: Vec<_> = others
            .map(|(bot, member)| (vec![bot.clone(); players], 0..member.max_games.min(blocks)))
            .collect();
        let games = lineups.iter().map(|(lineup, blocks)| {
            // What the second bot takes tells if the first one is blind.
            let experiment = Experiment {
                play_statistics: true,
                position,
                ..Experiment::new(lineup, seed, blocks.clone())
            };
            TalliedGames::new(game, experiment)
        });
        let name = |index: usize| panel[index + 1].name().to_owned();
        tallies.extend(TalliedGames::play(study, games, name)?);
    }
    let of_people = setup.question.playtests.as_ref().map_or(0, |file| file.games);
    let levels: Vec<_> = if has_panel && of_people >= MIN_GAMES_OF_PEOPLE {
        let levels = levels(game)?;
        let lineups: Vec<_> = levels.into_iter().map(|(_, bot)| vec![bot; players]).collect();
        let games = lineups.iter().map(|lineup| {
            let games = if lineup[0].is_quick() { LEVEL_GAMES } else { SEARCHED_LEVEL_GAMES };
            TalliedGames::new(game, Experiment::new(lineup, seed, 0..games))
        });
        TalliedGames::play(study, games, |index| lineups[index][0].name().to_owned())?
    } else {
        Vec::new()
    };
    let fork_blocks = setup.question.fork_games.div_ceil(setup.question.games_per_block);
    let forks = if has_panel && fork_blocks > 0 {
        // Components only: their groups would count twice.
        let tables = game.catalog().tables().iter();
        let is_selected = tables.flat_map(|table| {
            table.ids().iter().map(|_| table.data_key.is_some()).collect::<Vec<_>>()
        });
        let is_selected: Vec<_> = is_selected.collect();
        let forked = Experiment { blocks: 0..fork_blocks.min(blocks), ..forked };
        let forks = game.item_effects(forked, &is_selected, ForkArms::Never);
        study.play(&[forks], |_, _| "worth of items".to_owned())?.pop()
    } else {
        None
    };
    Ok(PlayedRun { tallies, levels, forks })
}

/// Appends the records, rows and searches of blocks to the files of the run.
fn append_output(
    setup: &RunSetup,
    blocks: &FinishedBlocks<'_, TalliedBlocks>,
    files: &mut GrowingFiles,
) -> Result<(), OutputError> {
    let Some(BlockBatch { blocks, records, game_rows, traces, .. }) = &blocks.next.output else {
        return Ok(());
    };
    files.append_blocks("--records", blocks.clone(), records)?;
    files.append_blocks("--trace", blocks.clone(), traces)?;
    files.append(GAMES, &games_lines(setup, game_rows))
}

/// Says how many games a run with a goal is expected to need.
fn report_expected_games(setup: &RunSetup, blocks: &FinishedBlocks<'_, TalliedBlocks>) {
    let &FinishedBlocks { sum: TalliedBlocks { tally, .. }, bar, seconds, .. } = blocks;
    let Some(goal) = setup.question.goal else { return };
    let expected = goal.expected_blocks(&setup.win_rates(tally), setup.blocks());
    let games = expected.unwrap_or(setup.blocks()) * setup.question.games_per_block;
    bar.set_length(games);
    let games_per_second = tally.games as f64 / seconds.max(1e-9);
    let needed = match expected {
        Some(_) => format!("about {games} games"),
        None => format!("more than --games {}", setup.question.games_planned),
    };
    let seconds = games as f64 / games_per_second;
    bar.suspend(|| {
        print_info(&format!(
            "expected to need {needed}, {seconds:.0} s at {games_per_second:.0} a second"
        ));
    });
}

/// Returns the win rates so far, for the progress bar.
fn win_rates(setup: &RunSetup, tally: &Tally) -> String {
    let analysis = RunAnalysis::new(setup, tally);
    let rates = analysis.bots().map(|(bot, cell)| {
        let rate = analysis.win_rate(&cell.wins);
        format!("{bot} {:.1} ± {:.1} %", 100.0 * rate.value, 50.0 * (rate.high - rate.low))
    });
    rates.collect::<Vec<_>>().join(", ")
}
