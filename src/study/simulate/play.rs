//! Playing a run, with progress shown, until it is done or interrupted.

use std::sync::atomic::Ordering;

use crate::{
    arena::{run::Experiment, tally::ALL_SEATS},
    game::{FullGame, UNITS_PER_WIN},
    report::terminal::print_info,
    run::{
        checkpoint::Checkpoint,
        files::OutputError,
        outputs::RunWriter,
        progress_bar::{progress_bar, show_message, stop_on_interrupt},
    },
    stats::confidence_sequence::FIRST_LOOK,
};

/// Plays the experiment, showing progress, until it is done or interrupted.
pub(crate) fn play<G: FullGame>(
    experiment: &mut Experiment<'_, G>,
    quiet: bool,
    outputs: &mut RunWriter,
) -> anyhow::Result<()> {
    let bar = progress_bar(outputs.checkpoint().setup.games(), quiet)
        .with_position(outputs.checkpoint().tally.games);
    bar.reset_eta();
    let stop = stop_on_interrupt()?;
    while !outputs.checkpoint().is_complete() && !stop.load(Ordering::Relaxed) {
        experiment.blocks = outputs.checkpoint().next_blocks();
        experiment.run(stop, &|games| bar.inc(games), |batch| {
            outputs.add_batch(&batch)?;
            show_message(&bar, || running_win_rates(outputs.checkpoint()));
            Ok::<_, OutputError>(())
        })?;
        if let (Some(goal), FIRST_LOOK) =
            (outputs.checkpoint().setup.question.goal, outputs.checkpoint().tally.blocks)
        {
            let expected = goal.expected_blocks(
                &outputs.checkpoint().win_rates(),
                outputs.checkpoint().setup.blocks().end,
            );
            bar.set_length(
                expected.unwrap_or(outputs.checkpoint().setup.blocks().end)
                    * outputs.checkpoint().setup.question.games_per_block,
            );
            if !quiet {
                bar.suspend(|| print_info(&expectation(outputs, expected)));
            }
        }
    }
    bar.finish_and_clear();
    Ok(())
}

/// How long a run to a goal will take, as far as its first blocks can tell.
fn expectation(outputs: &RunWriter, expected: Option<u64>) -> String {
    let Checkpoint { setup, tally, .. } = outputs.checkpoint();
    let games_per_second = tally.games as f64 / outputs.elapsed_seconds().max(1e-9);
    let seconds = |games: u64| games as f64 / games_per_second;
    match expected {
        Some(blocks) => {
            let games = blocks * setup.question.games_per_block;
            format!(
                "some {games} games are expected to be needed, {:.0} s at {games_per_second:.0} a \
                    second",
                seconds(games)
            )
        }
        None => format!(
            "more than --games {} are expected to be needed, {:.0} s at {games_per_second:.0} a \
                second",
            setup.question.games_planned,
            seconds(setup.question.games_planned)
        ),
    }
}

fn running_win_rates(progress: &Checkpoint) -> String {
    let Checkpoint { setup, tally, .. } = progress;
    let intervals = progress.confidence_sequence();
    let rates = setup.distinct_bots().into_iter().zip(&tally.bots).map(|(bot, cells)| {
        let wins = &cells[ALL_SEATS].wins;
        let wins = intervals.map_or_else(
            || wins.rate(UNITS_PER_WIN),
            |intervals| intervals.rate(wins, UNITS_PER_WIN),
        );
        format!(
            "{} {:.1} ± {:.1} %",
            setup.question.bots[bot].name,
            100.0 * wins.value,
            50.0 * (wins.high - wins.low)
        )
    });
    rates.collect::<Vec<_>>().join(", ")
}
