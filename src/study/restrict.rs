//! `watershed balance restrict`: what a bot loses by keeping a rule.

pub mod experiment;
pub mod page;
pub mod tables;

use std::time::Instant;

use anyhow::{Context as _, bail};
use clap::Args;
use serde::Serialize;

use crate::{
    arena::{intervention::Restriction, run::Experiment, schedule::Rotations},
    bots::profile::{BotLibrary, Profile},
    game::FullGame,
    games::GameTask,
    run::{
        ExitStatus,
        arguments::{GameArguments, GameSelection},
        count::count,
        lineups::{BotArguments, distinct_bots},
        names::find_subject,
        progress_bar::{progress_bar, show_message, stop_on_interrupt},
        shell::shell_quote,
        study::{MAX_GAMES, RunArguments, StudyOutput, StudySummary},
    },
    study::restrict::{
        experiment::RestrictExperiment,
        tables::{BotRestrictions, RestrictionsReport},
    },
};

#[derive(Args, Debug)]
#[command(
    after_help = "Each deal is played with the bot in all seats, and again for each rule and each \
seat with that seat keeping the rule. So a loss is that of the same seat on the same deals. \
Several rules are asked about one by one, and then all together. What a seat must never do it does \
only where nothing else is legal.

X is an item by its name, alone or as in building:w2c1, a kind of action, as in swap, or the \
beginning of a notation, as in claim:meadow.

restricted.csv has a row per rule and measure (win share, score, rounds). Flags: `flips`, the \
difference is significant with opposite signs for two bots of the ladder (Holm-adjusted p < 0.05, \
over the rules); `constant`, it does not vary between blocks, so it has no test.

Examples:
  watershed balance restrict --never swap --never food
  watershed balance restrict --bot balanced --always build --players 3
  watershed balance restrict --bot mcts:iterations=100 \\
      --never claim:meadow --games 1k
  watershed balance restrict --ladder random,balanced,mcts:iterations=100 \\
      --never swap --games 1k"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    #[command(flatten)]
    bots: BotArguments,
    /// It may never do this
    #[arg(long, value_name = "X")]
    never: Vec<String>,
    /// It must do this whenever it can
    #[arg(long, value_name = "X")]
    always: Vec<String>,
    /// How many games each rule has, with each bot of a ladder, rounded up to whole blocks, and as
    /// many without
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = count::<u64>(1..=MAX_GAMES))]
    games: u64,
    #[command(flatten)]
    run: RunArguments,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitStatus> {
    if arguments.never.is_empty() && arguments.always.is_empty() {
        bail!("expected --never X or --always X; see --help");
    }
    let selection = arguments.game.resolve()?;
    selection.run_on_this_thread(RestrictTask { arguments, selection: &selection })
}

struct RestrictTask<'a> {
    arguments: &'a Arguments,
    selection: &'a GameSelection,
}

impl GameTask for RestrictTask<'_> {
    type Output = anyhow::Result<ExitStatus>;

    fn run<G: FullGame>(self, game: &G, library: &BotLibrary<'_>) -> anyhow::Result<ExitStatus> {
        let Self { arguments, selection } = self;
        let profiles = arguments.bots.read_bots(library)?;
        let (names, plans) = read_restrictions(game, arguments)?;
        let seats: Vec<_> = (0..selection.players).collect();
        let blocks = Rotations::new(&seats).blocks_for_games(arguments.games);
        let pool = arguments.run.thread_pool(blocks, &profiles)?;
        let folder =
            arguments.run.lock_folder(game, &[("--config", selection.config.as_deref())])?;
        let tables: Vec<_> =
            profiles.iter().map(|bot| vec![bot.clone(); selection.players]).collect();
        let experiments = tables.iter().map(|bots| Experiment {
            blocks: 0..blocks,
            ..arguments.run.new_experiment(game, bots, arguments.games)
        });
        let experiments: Vec<_> = experiments.collect();
        let restricted: Vec<_> = experiments
            .iter()
            .map(|experiment| RestrictExperiment { experiment, restrictions: &plans })
            .collect();
        let games_planned = restricted.iter().map(|play| blocks * play.games_per_block()).sum();
        let started = Instant::now();
        let stop = stop_on_interrupt()?;
        let bar = progress_bar(games_planned, arguments.run.quiet);
        let rungs = profiles.iter().zip(&restricted).map(|(bot, play)| {
            show_message(&bar, || bot.name.clone());
            BotRestrictions {
                bot: bot.name.clone(),
                tally: play.run(stop, &|games| bar.inc(games)),
            }
        });
        let rungs: Vec<_> = pool.install(|| rungs.collect());
        bar.finish_and_clear();

        let report = RestrictionsReport {
            names: &names,
            results: &rungs,
            provenance: selection.provenance.as_str(),
        };
        let sum = |count: fn(&BotRestrictions) -> u64| rungs.iter().map(count).sum();
        let findings = StudyOutput {
            kind: "balance restrict",
            command: command(arguments, selection, &profiles),
            games_planned,
            games: sum(|rung| rung.tally.games),
            threads: pool.current_num_threads(),
            tables: vec![("restricted.csv".to_owned(), report.csv())],
            text: report.text(),
            started,
        };
        let study = StudySummary {
            selection,
            bots: distinct_bots(&profiles),
            question: RestrictionQuestion { plans: &names },
            blocks: sum(|rung| rung.tally.blocks),
            capped: sum(|rung| rung.tally.capped),
            page: report.report_body(),
        };
        arguments.run.finish_study(&folder, findings, study)
    }
}

#[derive(Serialize)]
struct RestrictionQuestion<'a> {
    plans: &'a [String],
}

/// Each rule as a plan of its own, and of several also all together, with their names.
fn read_restrictions<G: FullGame>(
    game: &G,
    arguments: &Arguments,
) -> anyhow::Result<(Vec<String>, Vec<Vec<Restriction>>)> {
    let mut names = Vec::new();
    let mut rules = Vec::new();
    for name in &arguments.never {
        names.push(format!("never {name}"));
        rules.push(Restriction::Never(find_subject(game, name).context("--never")?));
    }
    for name in &arguments.always {
        names.push(format!("always {name}"));
        rules.push(Restriction::Always(find_subject(game, name).context("--always")?));
    }
    let mut plans: Vec<_> = rules.iter().map(|rule| vec![rule.clone()]).collect();
    if rules.len() > 1 {
        names.push("all together".to_owned());
        plans.push(rules);
    }
    Ok((names, plans))
}

/// The command that makes the run again, whatever its threads and folders were.
fn command(arguments: &Arguments, selection: &GameSelection, profiles: &[Profile]) -> String {
    let Arguments { bots, games, run: RunArguments { seed, .. }, .. } = arguments;
    let flag = |flag: &str, names: &[String]| {
        names.iter().map(|name| format!(" --{flag} {}", shell_quote(name))).collect::<String>()
    };
    let rules = flag("never", &arguments.never) + &flag("always", &arguments.always);
    let (flags, bots) = (selection.flags(), bots.to_flag(profiles));
    format!("watershed balance restrict {flags} {bots}{rules} --games {games} --seed {seed}")
}
