//! `watershed train`: a value function learned from self-play, as a profile.

pub mod hidden;
pub mod learning;

use std::{
    io::Write as _,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
};

use anyhow::{Context as _, bail};
use clap::Args;
use indicatif::ProgressBar;

use crate::{
    arena::{run::Experiment, tally::ALL_SEATS},
    bots::profile::{BotLibrary, BotSpec, Profile},
    game::{FullGame, UNITS_PER_WIN},
    games::GameTask,
    report::terminal::{print, print_info},
    run::{
        ExitStatus,
        arguments::{DEFAULT_SEED, GameArguments, GameSelection, number},
        count::count,
        files::{PartialFile, resolve_path},
        progress_bar::{progress_bar, stop_on_interrupt},
        shell::shell_quote,
    },
    search::{
        heuristic::Heuristic,
        hidden::{HiddenLayer, HiddenUnit, MAX_UNITS},
    },
    study::train::{
        hidden::LayerFit,
        learning::{
            GenerationResult, TrainingCallbacks, TrainingParameters, fit_hidden_layer,
            normalized_linear_part, train,
        },
    },
};

#[derive(Args, Debug)]
#[command(after_help = "The profile plays as a heuristic and serves a search as its `value`.

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
    /// The profile to write
    #[arg(long, value_name = "FILE.toml")]
    out: PathBuf,
    /// Overwrite the profile
    #[arg(long)]
    force: bool,
    /// The heuristic to start from, and to compare with in the end [default: networkN for N players
    /// if the game has it, else learnedN]
    #[arg(long, value_name = "BOT")]
    start: Option<String>,
    /// Games per generation
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = count::<u64>(1..=10_000_000))]
    games: u64,
    /// Generations; 0 to learn a hidden layer alone
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = count::<u32>(0..=10_000))]
    generations: u32,
    /// Units of a hidden layer, learned in the end; 0 for none
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = count::<u32>(0..=MAX_UNITS as u32))]
    hidden: u32,
    /// How often the hidden layer is learned, each time from as many games more as are learned from
    /// at once, played with the layer before
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = count::<u32>(1..=1000))]
    hidden_generations: u32,
    /// How much the end of the game counts against what was thought in between, from 0 to 1
    #[arg(long, value_name = "L", default_value_t = 0.8, value_parser = share)]
    lambda: f64,
    /// The chance of a random choice in the games to learn from
    #[arg(long, value_name = "E", default_value_t = 0.25, value_parser = share)]
    epsilon: f64,
    /// The share of the positions to learn from
    #[arg(long, value_name = "S", default_value_t = 0.05, value_parser = share)]
    sample: f64,
    /// How many generations' positions are learned from at once
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = count::<u32>(1..=1000))]
    memory: u32,
    /// The penalty on large weights
    #[arg(long, value_name = "R", default_value_t = 1e-4, value_parser = penalty)]
    ridge: f64,
    /// Games against `start` in the end, on other deals
    #[arg(long, value_name = "N", default_value_t = 4000, value_parser = count::<u64>(0..=1_000_000_000))]
    check_games: u64,
    /// The master seed
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    seed: u64,
    /// How many threads [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// No progress and no messages
    #[arg(long)]
    quiet: bool,
}

fn share(text: &str) -> Result<f64, String> {
    number(text, 0.0..=1.0)
}

fn penalty(text: &str) -> Result<f64, String> {
    number(text, 1e-9..=1e3)
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitStatus> {
    let selection = arguments.game.resolve()?;
    if arguments.out.extension().is_none_or(|ending| ending != "toml") {
        bail!(
            "--out: expected a name that ends in .toml, by which bots are read, found {}",
            arguments.out.display()
        );
    }
    if arguments.generations == 0 && arguments.hidden == 0 {
        bail!("--generations: expected at least 1 where no hidden layer is asked for, found 0");
    }
    if selection
        .config
        .as_ref()
        .is_some_and(|config| resolve_path(config) == resolve_path(&arguments.out))
    {
        bail!(
            "--out: {} is also the file of --config; expected another file",
            arguments.out.display()
        );
    }
    selection.run_on_threads(
        arguments.threads,
        arguments.quiet,
        Train { arguments, selection: &selection },
    )
}

struct Train<'a> {
    arguments: &'a Arguments,
    selection: &'a GameSelection,
}

impl GameTask for Train<'_> {
    type Output = anyhow::Result<ExitStatus>;

    fn run<G: FullGame>(self, game: &G, library: &BotLibrary<'_>) -> anyhow::Result<ExitStatus> {
        let Self { arguments, selection } = self;
        let start = library
            .read(arguments.start.as_deref().unwrap_or(library.default_bot))
            .context("--start")?;
        let BotSpec::Heuristic(first) = &start.spec else {
            bail!("--start: expected a heuristic, found {}", start.name)
        };
        let plan = TrainingParameters {
            games: arguments.games,
            generations: arguments.generations,
            lambda: arguments.lambda,
            epsilon: arguments.epsilon,
            sample: arguments.sample,
            replay_window: arguments.memory as usize,
            ridge: arguments.ridge,
            seed: arguments.seed,
        };
        let mut file = PartialFile::create_for_user(&arguments.out, arguments.force)?;
        let stop = stop_on_interrupt()?;
        let games_of_layers = u64::from(self.layers()) * plan.games * plan.replay_window as u64;
        let bar = progress_bar(
            plan.games * u64::from(plan.generations) + games_of_layers,
            arguments.quiet,
        );
        let watch = TrainingCallbacks {
            should_continue: &|| !stop.load(Ordering::Relaxed),
            on_games_finished: &|games| bar.inc(games),
        };
        let mut learned = Learned {
            value: normalized_linear_part(game, first),
            units: Vec::new(),
            generations: 0,
            layers: 0,
        };
        train(game, first, &plan, watch, |progress, value| {
            if !arguments.quiet {
                let GenerationResult { generation, positions, loss } = progress;
                bar.suspend(|| {
                    print_info(&format!(
                        "generation {generation} of {}: loss {loss:.4} nats, {positions} positions",
                        plan.generations
                    ));
                });
            }
            learned = Learned {
                value: value.clone(),
                units: Vec::new(),
                generations: progress.generation,
                layers: 0,
            };
        });
        if learned.generations == plan.generations {
            self.learn_layers(game, &plan, &mut learned, watch, &bar);
        }
        bar.finish_and_clear();
        if learned.generations == 0 && learned.layers == 0 {
            print_info("interrupted before anything was learned");
            return Ok(ExitStatus::Negative);
        }
        let text = learned.profile(
            game.feature_names(),
            selection,
            &self.command(&plan, &learned, &start),
        );
        file.file().write_all(text.as_bytes()).map_err(|error| file.unwritable(error))?;
        file.finish()?;
        if arguments.check_games > 0 && !stop.load(Ordering::Relaxed) {
            let learned = library.read(&arguments.out.display().to_string())?;
            print(&self.check(game, stop, learned, start));
        }
        let (asked, layers) =
            (plan.generations + self.layers(), learned.generations + learned.layers);
        if layers < asked {
            print_info(&format!(
                "interrupted: {layers} of {asked} generations are done and written"
            ));
            return Ok(ExitStatus::Negative);
        }
        Ok(ExitStatus::Success)
    }
}

impl Train<'_> {
    /// How often a hidden layer is learned.
    fn layers(&self) -> u32 {
        if self.arguments.hidden > 0 { self.arguments.hidden_generations } else { 0 }
    }

    fn learn_layers<G: FullGame>(
        &self,
        game: &G,
        plan: &TrainingParameters,
        learned: &mut Learned,
        watch: TrainingCallbacks<'_>,
        bar: &ProgressBar,
    ) {
        let features = game.feature_names().len();
        for generation in 0..self.layers() {
            let asked = (self.arguments.hidden as usize, generation);
            let Some((units, fit)) = fit_hidden_layer(game, &learned.value, plan, asked, watch)
            else {
                return;
            };
            if !self.arguments.quiet {
                let LayerFit { positions, held_out, loss_without: before, loss_with: after } = fit;
                bar.suspend(|| {
                    print_info(&format!(
                        "hidden layer {} of {}: {positions} positions; in {held_out} others loss \
                            {before:.4} nats without it, {after:.4} with it",
                        generation + 1,
                        self.layers()
                    ));
                });
            }
            learned.value.hidden = Some(Box::new(HiddenLayer::new(&units, features)));
            (learned.units, learned.layers) = (units, generation + 1);
        }
    }

    /// The command that learns this much, which is less than was asked for after an interrupt.
    fn command(
        &self,
        plan: &TrainingParameters,
        Learned { generations, layers, .. }: &Learned,
        start: &Profile,
    ) -> String {
        let layer = if *layers > 0 {
            format!(" --hidden {} --hidden-generations {layers}", self.arguments.hidden)
        } else {
            String::new()
        };
        format!(
            "watershed train {} --start {} --games {} --generations {generations}{layer} --lambda \
                {} --epsilon {} --sample {} --memory {} --ridge {} --seed {}",
            self.selection.flags(),
            shell_quote(&start.name),
            plan.games,
            plan.lambda,
            plan.epsilon,
            plan.sample,
            plan.replay_window,
            plan.ridge,
            plan.seed
        )
    }

    /// The win rate of the learned profile in one seat against the one it started from in the
    /// others, on deals it has not seen.
    fn check<G: FullGame>(
        &self,
        game: &G,
        stop: &AtomicBool,
        learned: Profile,
        start: Profile,
    ) -> String {
        let start_name = start.name.clone();
        let mut bots = vec![start; self.selection.players];
        bots[0] = learned;
        let blocks = 0..self.arguments.check_games.div_ceil(self.selection.players as u64);
        let total = Experiment::new(game, &bots, self.arguments.seed.wrapping_add(1), blocks)
            .tally(stop, &|_| {});
        let wins = total.bots[0][ALL_SEATS].wins.rate(UNITS_PER_WIN);
        let won = total.games as f64 - total.health.nobody_won.x as f64;
        let even = won / (total.games as f64 * bots.len() as f64);
        format!(
            "{} against {}: {:.1} % [{:.1}, {:.1}] of {} games are won; mean of all seats {:.1} \
                %\n",
            bots[0].name,
            start_name,
            100.0 * wins.value,
            100.0 * wins.low,
            100.0 * wins.high,
            total.games,
            100.0 * even
        )
    }
}

/// What was learned so far.
struct Learned {
    value: Heuristic,
    units: Vec<HiddenUnit>,
    generations: u32,
    layers: u32,
}

impl Learned {
    /// The text of the profile.
    fn profile(&self, names: &[&str], selection: &GameSelection, command: &str) -> String {
        let Self { value, units, generations, layers } = self;
        let players = selection.players;
        let layer = if units.is_empty() {
            String::new()
        } else {
            format!(", {layers} of them with {} hidden units", units.len())
        };
        let generations = generations + layers;
        let mut text = selection.profile_header(command);
        text += &format!(
            "kind = \"heuristic\"\ndescription = \"The chance to win with {players} players, \
                learned from {generations} generations of self-play{layer}.\"\nrivals = \
                true\ntemperature = 1.0\n"
        );
        let drift = value.drift.unwrap_or_default();
        let at_end: Vec<f64> =
            value.weights.iter().zip(drift).map(|(weight, drift)| weight + drift).collect();
        for (table, weights) in [("weights", &value.weights[..]), ("weights_at_end", &at_end)] {
            text += &format!("\n[{table}]\n");
            for (name, weight) in names.iter().zip(weights) {
                text += &format!("{name} = {weight:.5}\n");
            }
        }
        for HiddenUnit { output, bias, progress, weights } in units {
            let weights: Vec<_> = names
                .iter()
                .zip(weights)
                .map(|(name, weight)| format!("{name} = {weight:.5}"))
                .collect();
            text += &format!(
                "\n[[hidden]]\noutput = {output:.5}\nbias = {bias:.5}\nprogress = \
                    {progress:.5}\nweights = {{ {} }}\n",
                weights.join(", ")
            );
        }
        text
    }
}
