//! Playing a run until it is complete or interrupted.

use std::{ops::ControlFlow, sync::atomic::Ordering};

use super::{analysis::RunAnalysis, tables::games_lines};
use crate::{
    arena::run::Experiment,
    bots::BotFactory,
    bound::BoundGame,
    report::terminal::print_info,
    run::{
        checkpoint::Checkpoint,
        progress_bar::{progress_bar, show_message, stop_on_interrupt},
        writer::RunWriter,
    },
    stats::confidence_sequence::FIRST_LOOK,
};

/// Plays an experiment until it is complete or interrupted, and then the first of its games with
/// each bot of the panel after the first. Shows the progress.
pub(crate) fn play(
    game: &dyn BoundGame,
    experiment: &mut Experiment<'_>,
    panel: &[BotFactory],
    quiet: bool,
    writer: &mut RunWriter,
) -> anyhow::Result<()> {
    let checkpoint = writer.checkpoint();
    let (setup, max_blocks) = (checkpoint.setup.clone(), checkpoint.setup.blocks().end);
    let bar = progress_bar(checkpoint.games_planned(), "games", quiet);
    bar.set_position(checkpoint.games_played());
    bar.reset_eta();
    let stop = stop_on_interrupt()?;
    while !writer.checkpoint().is_lineup_complete() && !stop.load(Ordering::Relaxed) {
        experiment.blocks = writer.checkpoint().next_blocks();
        let mut failure = None;
        game.run(experiment, stop, &|games| bar.inc(games), &mut |batch| {
            failure = writer.add_batch(&batch, games_lines).err();
            show_message(&bar, || win_rates(writer.checkpoint()));
            if failure.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        failure.map_or(Ok(()), Err)?;
        let checkpoint = writer.checkpoint();
        if let (Some(goal), FIRST_LOOK) = (setup.question.goal, checkpoint.tally.blocks) {
            let expected = goal.expected_blocks(&checkpoint.win_rates(), max_blocks);
            let games = expected.unwrap_or(max_blocks) * setup.question.games_per_block;
            bar.set_length(games);
            if !quiet {
                let games_per_second =
                    checkpoint.tally.games as f64 / writer.elapsed_seconds().max(1e-9);
                let games = match expected {
                    Some(_) => format!("about {games} games"),
                    None => format!("more than --games {}", setup.question.games_planned),
                };
                let seconds = bar.length().unwrap_or(0) as f64 / games_per_second;
                bar.suspend(|| {
                    print_info(&format!(
                        "expected to need {games}, {seconds:.0} s at {games_per_second:.0} a second"
                    ));
                });
            }
        }
    }
    for (index, bot) in panel.iter().enumerate().skip(1) {
        let (stopped, index) = (stop.load(Ordering::Relaxed), index - 1);
        if stopped || !writer.checkpoint().is_lineup_complete() {
            break;
        }
        show_message(&bar, || bot.name().to_owned());
        let lineup = vec![bot.clone(); experiment.lineup.len()];
        let blocks = writer.checkpoint().next_panel_blocks(index);
        let panel = Experiment::new(&lineup, experiment.seed, blocks);
        let mut failure = None;
        game.run(&panel, stop, &|games| bar.inc(games), &mut |batch| {
            failure = writer.add_panel_batch(index, &batch).err();
            if failure.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        failure.map_or(Ok(()), Err)?;
    }
    bar.finish_and_clear();
    Ok(())
}

/// Returns the win rates so far, for the progress bar.
fn win_rates(checkpoint: &Checkpoint) -> String {
    let analysis = RunAnalysis::new(checkpoint);
    let rates = analysis.bots().map(|(bot, cell)| {
        let rate = analysis.win_rate(&cell.wins);
        format!("{bot} {:.1} ± {:.1} %", 100.0 * rate.value, 50.0 * (rate.high - rate.low))
    });
    rates.collect::<Vec<_>>().join(", ")
}
