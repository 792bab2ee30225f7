//! Playing a run, with progress shown, until it is done or interrupted.

use std::sync::atomic::Ordering;

use crate::{
    arena::{run::Experiment, tally::ALL_SEATS},
    game::{FullGame, WIN},
    report::terminal::note,
    run::{
        checkpoint::Progress,
        files::OutputError,
        outputs::Outputs,
        progress_bar::{progress_bar, show_message, stop_on_interrupt},
    },
    stats::anytime::FIRST_LOOK,
};

/// Plays the experiment, showing progress, until it is done or interrupted.
pub(crate) fn play<G: FullGame>(experiment: &mut Experiment<'_, G>, quiet: bool, outputs: &mut Outputs) -> anyhow::Result<()> {
    let bar = progress_bar(outputs.progress().setup.games(), quiet).with_position(outputs.progress().tally.games);
    bar.reset_eta();
    let stop = stop_on_interrupt()?;
    while !outputs.progress().is_complete() && !stop.load(Ordering::Relaxed) {
        experiment.blocks = outputs.progress().next_blocks();
        experiment.run(stop, &|games| bar.inc(games), |batch| {
            outputs.add(&batch)?;
            show_message(&bar, || running_win_rates(outputs.progress()));
            Ok::<_, OutputError>(())
        })?;
        if let (Some(goal), FIRST_LOOK) = (outputs.progress().setup.goal, outputs.progress().tally.blocks) {
            let expected = goal.expected_blocks(&outputs.progress().win_rates(), outputs.progress().setup.blocks().end);
            bar.set_length(expected.unwrap_or(outputs.progress().setup.blocks().end) * outputs.progress().setup.games_per_block);
            if !quiet {
                bar.suspend(|| note(&expectation(outputs, expected)));
            }
        }
    }
    bar.finish_and_clear();
    Ok(())
}

/// How long a run to a goal will take, as far as its first blocks can tell.
fn expectation(outputs: &Outputs, expected: Option<u64>) -> String {
    let Progress { setup, tally, .. } = outputs.progress();
    let games_per_second = tally.games as f64 / outputs.seconds().max(1e-9);
    let seconds = |games: u64| games as f64 / games_per_second;
    match expected {
        Some(blocks) => {
            let games = blocks * setup.games_per_block;
            format!("some {games} games are expected to be needed, {:.0} s at {games_per_second:.0} a second", seconds(games))
        }
        None => format!(
            "more than --games {} are expected to be needed, {:.0} s at {games_per_second:.0} a second",
            setup.games_planned,
            seconds(setup.games_planned)
        ),
    }
}

fn running_win_rates(progress: &Progress) -> String {
    let Progress { setup, tally, .. } = progress;
    let intervals = progress.intervals();
    let rates = setup.different_bots().into_iter().zip(&tally.bots).map(|(bot, cells)| {
        let wins = &cells[ALL_SEATS].wins;
        let wins = intervals.map_or_else(|| wins.rate(WIN), |intervals| intervals.rate(wins, WIN));
        format!("{} {:.1} ± {:.1} %", setup.bots[bot].name, 100.0 * wins.value, 50.0 * (wins.high - wins.low))
    });
    rates.collect::<Vec<_>>().join(", ")
}
