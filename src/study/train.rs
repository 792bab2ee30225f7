//! `train`: learns a value function from self-play and writes it as a profile.

pub mod hidden;
pub mod learning;
mod profile;

use std::{
    io::Write as _,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
};

use anyhow::{Context as _, bail};
use clap::Args;
use hidden::LayerFit;
use indicatif::ProgressBar;
use learning::{
    GenerationResult, TrainingCallbacks, TrainingParameters, fit_hidden_layer,
    normalized_linear_part,
};
use profile::TrainedValue;

use crate::{
    arena::{run::Experiment, tally::ALL_SEATS},
    bots::profile::{BotLibrary, BotSpec, Profile},
    game::{FullGame, UNITS_PER_WIN},
    games::GameTask,
    report::terminal::{print, print_info},
    run::{
        ExitStatus,
        append_file::PartialFile,
        arguments::{GameArguments, GameSelection, RunArguments, number},
        command::RepeatCommand,
        count::count,
        files::resolve_path,
        progress_bar::{progress_bar, stop_on_interrupt},
    },
    search::hidden::{HiddenLayer, MAX_UNITS},
};

#[derive(Args, Debug)]
#[command(after_help = "\
The profile is a heuristic. Searches use it as their `value` or `prior`.

Examples:
  watershed train --players 2 --out learned.toml
  watershed match --bots learned.toml,learned2 --games 10k
  watershed match --bots mcts:value=learned.toml:prior=learned.toml,learned2 \\
      --games 200
  watershed train --players 2 --start learned.toml --generations 0 \\
      --hidden 32 --out network.toml")]
pub(crate) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// Write the profile to this file
    #[arg(long, value_name = "FILE.toml")]
    out: PathBuf,
    /// Overwrite the profile
    #[arg(long)]
    force: bool,
    /// Start from this heuristic, and compare the result with it [default: the default bot of the
    /// game, its strongest profile without search]
    #[arg(long, value_name = "BOT")]
    start: Option<String>,
    /// Set the number of games per generation
    #[arg(long, value_name = "N", default_value_t = 10_000,
        value_parser = count::<u64>(1..=10_000_000))]
    games: u64,
    /// Set the number of generations; 0 trains only a hidden layer
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = count::<u32>(0..=10_000))]
    generations: u32,
    /// Set the number of units of the hidden layer, fitted after the generations; 0 for none
    #[arg(long, value_name = "N", default_value_t = 0,
        value_parser = count::<u32>(0..=MAX_UNITS as u32))]
    hidden: u32,
    /// Fit the hidden layer N times, each time to new games played with the previous layer
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = count::<u32>(1..=1000))]
    hidden_generations: u32,
    /// Set the TD(lambda) parameter, from 0 (next prediction) to 1 (outcome of the game)
    #[arg(long, value_name = "L", default_value_t = 0.8, value_parser = share)]
    lambda: f64,
    /// Set the probability of a random choice in training games
    #[arg(long, value_name = "E", default_value_t = 0.25, value_parser = share)]
    epsilon: f64,
    /// Set the share of positions that become training samples
    #[arg(long, value_name = "S", default_value_t = 0.05, value_parser = share)]
    sample: f64,
    /// Set the replay window: train on the positions of the last N generations
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = count::<u32>(1..=1000))]
    memory: u32,
    /// Set the ridge penalty on the weights
    #[arg(long, value_name = "R", default_value_t = 1e-4, value_parser = penalty)]
    ridge: f64,
    /// Set the number of games against `--start` at the end, on new deals; 0 for none
    #[arg(long, value_name = "N", default_value_t = 4000,
        value_parser = count::<u64>(0..=1_000_000_000))]
    check_games: u64,
    #[command(flatten)]
    run: RunArguments,
}

fn share(text: &str) -> Result<f64, String> {
    number(text, 0.0..=1.0)
}

fn penalty(text: &str) -> Result<f64, String> {
    number(text, 1e-9..=1e3)
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitStatus> {
    let selection = arguments.game.resolve()?;
    let out = &arguments.out;
    if out.extension().is_none_or(|extension| extension != "toml") {
        bail!("--out: expected a name that ends in .toml, found {}", out.display());
    }
    if arguments.generations == 0 && arguments.hidden == 0 {
        bail!("--generations: expected at least 1 without --hidden, found 0");
    }
    let config = selection.config.as_ref();
    if config.is_some_and(|config| resolve_path(config) == resolve_path(out)) {
        bail!("--out: {} is also the file of --config; expected another file", out.display());
    }
    let RunArguments { threads, quiet, .. } = arguments.run;
    selection.run_on_threads(threads, quiet, Train { arguments, selection: &selection })
}

struct Train<'a> {
    arguments: &'a Arguments,
    selection: &'a GameSelection,
}

impl GameTask for Train<'_> {
    type Output = anyhow::Result<ExitStatus>;

    fn run<G: FullGame>(self, game: &G, library: &BotLibrary<'_>) -> anyhow::Result<ExitStatus> {
        let Self { arguments, selection } = self;
        let start = arguments.start.as_deref().unwrap_or(library.default_bot);
        let start = library.read(start).context("--start")?;
        let BotSpec::Heuristic(initial) = &start.spec else {
            bail!("--start: expected a heuristic, found {}", start.name)
        };
        let parameters = self.parameters();
        let mut file = PartialFile::create_for_user(&arguments.out, arguments.force)?;
        let stop = stop_on_interrupt()?;
        let hidden_games = u64::from(self.hidden_generations()) * parameters.replayed_games();
        let bar = progress_bar(
            parameters.games * u64::from(parameters.generations) + hidden_games,
            arguments.run.quiet,
        );
        let callbacks = TrainingCallbacks {
            should_continue: &|| !stop.load(Ordering::Relaxed),
            on_games_finished: &|games| bar.inc(games),
        };
        let mut trained = TrainedValue::new(normalized_linear_part(game, initial));
        learning::train(game, initial, &parameters, callbacks, |result, value| {
            let GenerationResult { generation, positions, loss } = *result;
            self.print_progress(&bar, || {
                format!(
                    "generation {generation} of {}: loss {loss:.4} nats, {positions} positions",
                    parameters.generations
                )
            });
            trained = TrainedValue { generations: generation, ..TrainedValue::new(value.clone()) };
        });
        if trained.generations == parameters.generations {
            self.fit_hidden_layers(game, &parameters, &mut trained, callbacks, &bar);
        }
        bar.finish_and_clear();
        if trained.all_generations() == 0 {
            print_info("interrupted before the first generation; no profile written");
            return Ok(ExitStatus::Negative);
        }
        let command = self.repeat_command(&parameters, &trained, &start);
        let text = trained.profile_text(game.feature_names(), selection, &command.to_string());
        file.file().write_all(text.as_bytes()).map_err(|error| file.unwritable(error))?;
        file.finish()?;
        if arguments.check_games > 0 && !stop.load(Ordering::Relaxed) {
            let trained = library.read(&arguments.out.display().to_string())?;
            print(&self.compare_with_start(game, stop, trained, start));
        }
        let requested = parameters.generations + self.hidden_generations();
        let finished = trained.all_generations();
        if finished < requested {
            print_info(&format!(
                "interrupted: the profile is that of generation {finished} of {requested}"
            ));
            return Ok(ExitStatus::Negative);
        }
        Ok(ExitStatus::Success)
    }
}

impl Train<'_> {
    fn parameters(&self) -> TrainingParameters {
        let Arguments { games, generations, lambda, epsilon, sample, memory, ridge, .. } =
            *self.arguments;
        TrainingParameters {
            games,
            generations,
            lambda,
            epsilon,
            sample,
            replay_window: memory as usize,
            ridge,
            seed: self.arguments.run.seed(),
        }
    }

    /// Returns how many times the hidden layer is fitted.
    fn hidden_generations(&self) -> u32 {
        if self.arguments.hidden > 0 { self.arguments.hidden_generations } else { 0 }
    }

    fn print_progress(&self, bar: &ProgressBar, message: impl FnOnce() -> String) {
        if !self.arguments.run.quiet {
            bar.suspend(|| print_info(&message()));
        }
    }

    /// Fits hidden layers until all are done or the run is interrupted.
    fn fit_hidden_layers<G: FullGame>(
        &self,
        game: &G,
        parameters: &TrainingParameters,
        trained: &mut TrainedValue,
        callbacks: TrainingCallbacks<'_>,
        bar: &ProgressBar,
    ) {
        let features = game.feature_names().len();
        for generation in 0..self.hidden_generations() {
            let layer = (self.arguments.hidden as usize, generation);
            let fitted = fit_hidden_layer(game, &trained.value, parameters, layer, callbacks);
            let Some((units, fit)) = fitted else { return };
            self.print_progress(bar, || {
                let LayerFit { positions, held_out, loss_without, loss_with } = fit;
                format!(
                    "hidden layer {} of {}: {positions} positions; loss in {held_out} held-out \
                     positions: {loss_without:.4} nats without the layer, {loss_with:.4} with it",
                    generation + 1,
                    self.hidden_generations()
                )
            });
            trained.value.hidden = Some(Box::new(HiddenLayer::new(&units, features)));
            (trained.units, trained.hidden_generations) = (units, generation + 1);
        }
    }

    /// Returns the command that trains the same profile; after an interrupt, it has fewer
    /// generations than requested.
    fn repeat_command(
        &self,
        parameters: &TrainingParameters,
        trained: &TrainedValue,
        start: &Profile,
    ) -> RepeatCommand {
        let TrainedValue { generations, hidden_generations, .. } = *trained;
        let has_layer = hidden_generations > 0;
        RepeatCommand::new("train")
            .game(self.selection)
            .option("--start", &start.name)
            .option("--games", parameters.games)
            .option("--generations", generations)
            .option_if("--hidden", has_layer.then_some(self.arguments.hidden))
            .option_if("--hidden-generations", has_layer.then_some(hidden_generations))
            .option("--lambda", parameters.lambda)
            .option("--epsilon", parameters.epsilon)
            .option("--sample", parameters.sample)
            .option("--memory", parameters.replay_window)
            .option("--ridge", parameters.ridge)
            .option("--seed", parameters.seed)
    }

    /// Plays the trained profile in one seat against the initial one in all others, on deals that
    /// were not used for training, and returns a line with its win rate.
    fn compare_with_start<G: FullGame>(
        &self,
        game: &G,
        stop: &AtomicBool,
        trained: Profile,
        start: Profile,
    ) -> String {
        let players = self.selection.players;
        let names = format!("{} against {}", trained.name, start.name);
        let mut lineup = vec![start; players];
        lineup[0] = trained;
        let blocks = 0..self.arguments.check_games.div_ceil(players as u64);
        let seed = self.arguments.run.seed().wrapping_add(1);
        let tally = Experiment::new(game, &lineup, seed, blocks).tally(stop, &|_| {});
        let wins = tally.bots[0][ALL_SEATS].wins.rate(UNITS_PER_WIN);
        let won = tally.games as f64 - tally.health.nobody_won.x as f64;
        let table_mean = won / (tally.games as f64 * players as f64);
        format!(
            "{names}: wins {:.1} % [{:.1}, {:.1}] of {} games; table mean {:.1} %\n",
            100.0 * wins.value,
            100.0 * wins.low,
            100.0 * wins.high,
            tally.games,
            100.0 * table_mean
        )
    }
}
