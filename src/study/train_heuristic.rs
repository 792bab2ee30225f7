//! `train-heuristic`: learns a value function from self-play and writes it as a profile.

pub(crate) mod arguments;
mod profile;

use std::{
    io::Write as _,
    sync::atomic::{AtomicBool, Ordering},
};

use anyhow::{Context as _, bail};
use arguments::TrainHeuristicArguments;
use indicatif::ProgressBar;
use profile::TrainedValue;

use crate::{
    arena::{run::Experiment, tally::ALL_SEATS},
    bots::{BotFactory, profile::Profile, spec::BotSpec},
    bound::BoundGame,
    game::UNITS_PER_WIN,
    games::GameList,
    report::terminal::{print, print_info},
    run::{
        ExitStatus,
        append_file::PartialFile,
        arguments::{GameSelection, RunArguments, build_thread_pool},
        command::RepeatCommand,
        paths::resolve_path,
        progress_bar::{progress_bar, stop_on_interrupt},
    },
    search::hidden::HiddenLayer,
    training::{
        heuristic::{HeuristicGeneration, TrainHeuristic, normalized_linear_part},
        hidden::LayerFit,
    },
};

pub(crate) fn run(
    games: GameList,
    arguments: &TrainHeuristicArguments,
) -> anyhow::Result<ExitStatus> {
    let selection = arguments.game.resolve(games)?;
    let out = &arguments.out;
    if out.extension().is_none_or(|extension| extension != "toml") {
        bail!("--out: expected a name that ends in .toml, found {}", out.display());
    }
    if arguments.parameters.generations == 0 && arguments.hidden == 0 {
        bail!("--generations: expected at least 1 without --hidden, found 0");
    }
    let config = selection.config.as_ref();
    if config.is_some_and(|config| resolve_path(config) == resolve_path(out)) {
        bail!("--out: {} is also the file of --config; expected another file", out.display());
    }
    let RunArguments { threads, quiet, .. } = arguments.run;
    let training = HeuristicTraining { arguments, selection: &selection };
    build_thread_pool(threads, u64::MAX, quiet)?.install(|| training.run())
}

/// A command with the game that its flags select.
struct HeuristicTraining<'a> {
    arguments: &'a TrainHeuristicArguments,
    selection: &'a GameSelection,
}

impl HeuristicTraining<'_> {
    /// Trains in the current pool of threads.
    fn run(&self) -> anyhow::Result<ExitStatus> {
        let Self { arguments, selection } = *self;
        let game = &*selection.open()?;
        let library = game.library();
        let start = arguments.start.as_deref().or(library.profiles.default_heuristic);
        let start = start.with_context(|| {
            format!("--start: expected a heuristic; {} has no default one", selection.game.title)
        })?;
        let start = library.profiles.read(start).context("--start")?;
        let BotSpec::Heuristic(initial) = &start.spec else {
            bail!("--start: expected a heuristic, found {}", start.name)
        };
        let parameters = arguments.parameters.parameters();
        let generations = parameters.generations;
        let mut file = PartialFile::create_for_user(&arguments.out, arguments.force)?;
        let stop = stop_on_interrupt()?;
        let hidden_games = u64::from(self.hidden_generations()) * parameters.replayed_games();
        let games = parameters.games * u64::from(generations) + hidden_games;
        let bar = progress_bar(games, "games", arguments.run.quiet);
        let on_game = || bar.inc(1);
        let training = game.heuristic_training(parameters, arguments.run.seed(), stop, &on_game);
        let features = game.feature_names().len();
        let mut trained = TrainedValue::new(normalized_linear_part(features, initial));
        training.train(initial, &mut |result, value| {
            let HeuristicGeneration { generation, positions, loss } = *result;
            let message = format!(
                "generation {generation} of {generations}: loss {loss:.4} nats, {positions} \
                 positions"
            );
            self.print_progress(&bar, &message);
            trained = TrainedValue { generations: generation, ..TrainedValue::new(value) };
        });
        if trained.generations == generations {
            self.fit_hidden_layers(&*training, &bar, features, &mut trained);
        }
        bar.finish_and_clear();
        if trained.all_generations() == 0 {
            print_info("interrupted before the first generation; no profile written");
            return Ok(ExitStatus::Negative);
        }
        let command = self.repeat_command(&trained, &start).to_string();
        let text = trained.profile_text(game.feature_names(), selection, &command);
        file.file().write_all(text.as_bytes()).map_err(|error| file.unwritable(error))?;
        file.finish()?;
        if arguments.check_games > 0 && !stop.load(Ordering::Relaxed) {
            let trained = library.profiles.read(&arguments.out.display().to_string())?;
            print(&self.compare_with_start(game, stop, trained, start));
        }
        let requested = generations + self.hidden_generations();
        let finished = trained.all_generations();
        if finished < requested {
            print_info(&format!(
                "interrupted: the profile is that of generation {finished} of {requested}"
            ));
            return Ok(ExitStatus::Negative);
        }
        Ok(ExitStatus::Success)
    }

    /// Returns the number of times that the hidden layer is fitted.
    fn hidden_generations(&self) -> u32 {
        if self.arguments.hidden > 0 { self.arguments.hidden_generations } else { 0 }
    }

    fn print_progress(&self, bar: &ProgressBar, message: &str) {
        if !self.arguments.run.quiet {
            bar.suspend(|| print_info(message));
        }
    }

    /// Fits hidden layers until all are done or the run is interrupted.
    fn fit_hidden_layers(
        &self,
        training: &dyn TrainHeuristic,
        bar: &ProgressBar,
        features: usize,
        trained: &mut TrainedValue,
    ) {
        let units = self.arguments.hidden as usize;
        for generation in 0..self.hidden_generations() {
            let fitted = training.fit_hidden_layer(&trained.value, units, generation);
            let Some((units, fit)) = fitted else { return };
            let LayerFit { positions, held_out, loss_without, loss_with } = fit;
            let message = format!(
                "hidden layer {} of {}: {positions} positions; loss in {held_out} held-out \
                 positions: {loss_without:.4} nats without the layer, {loss_with:.4} with it",
                generation + 1,
                self.hidden_generations()
            );
            self.print_progress(bar, &message);
            trained.value.hidden = Some(Box::new(HiddenLayer::new(&units, features)));
            (trained.units, trained.hidden_generations) = (units, generation + 1);
        }
    }

    /// Returns the command that trains the same profile; after an interrupt, it has fewer
    /// generations than requested.
    fn repeat_command(&self, trained: &TrainedValue, start: &Profile) -> RepeatCommand {
        let TrainHeuristicArguments { parameters, hidden, run, .. } = self.arguments;
        let TrainedValue { generations, hidden_generations, .. } = *trained;
        let has_layer = hidden_generations > 0;
        RepeatCommand::new("train-heuristic")
            .game(self.selection)
            .option("--start", &start.name)
            .option("--games", parameters.games)
            .option("--generations", generations)
            .option_if("--hidden", has_layer.then_some(hidden))
            .option_if("--hidden-generations", has_layer.then_some(hidden_generations))
            .option("--lambda", parameters.lambda)
            .option("--epsilon", parameters.epsilon)
            .option("--sample", parameters.sample)
            .option("--memory", parameters.memory)
            .option("--ridge", parameters.ridge)
            .option("--seed", run.seed())
    }

    /// Plays the trained profile in one seat against the initial one in all others, on deals that
    /// were not used for training, and returns a line with its win rate.
    fn compare_with_start(
        &self,
        game: &dyn BoundGame,
        stop: &AtomicBool,
        trained: Profile,
        start: Profile,
    ) -> String {
        let players = self.selection.players;
        let names = format!("{} against {}", trained.name, start.name);
        let mut lineup = vec![BotFactory::from(start); players];
        lineup[0] = trained.into();
        let blocks = 0..self.arguments.check_games.div_ceil(players as u64);
        let seed = self.arguments.run.seed().wrapping_add(1);
        let tally = game.tally(&Experiment::new(&lineup, seed, blocks), stop, &|_| {});
        let wins = tally.bots[0][ALL_SEATS].wins.rate(UNITS_PER_WIN);
        let won = tally.games as f64 - tally.health.nobody_won.x as f64;
        let mean_of_seats = won / (tally.games as f64 * players as f64);
        format!(
            "{names}: wins {:.1} % [{:.1}, {:.1}] of {} games; mean of all seats {:.1} %\n",
            100.0 * wins.value,
            100.0 * wins.low,
            100.0 * wins.high,
            tally.games,
            100.0 * mean_of_seats
        )
    }
}
