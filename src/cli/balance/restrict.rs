//! `watershed balance restrict`: what a bot loses by keeping a rule.

use std::time::Instant;

use anyhow::{Context as _, bail};
use clap::Args;
use serde::Serialize;

use super::{
    names::subject,
    study::{Findings, MOST_GAMES, RunArguments, Study},
};
use crate::{
    arena::{intervention::Rule, restricted::RestrictedPlay, run::Experiment, schedule::Rotations},
    bots::profile::Library,
    cli::{
        Ending,
        progress::{progress_bar, stop_on_interrupt},
        selection::{GameArguments, Selection, thread_pool},
    },
    game::FullGame,
    games::Task,
    report::plans::PlansReport,
};

#[derive(Args, Debug)]
#[command(
    after_help = "Each deal is played with the bot in all seats, and again for each rule and each seat with that seat keeping the rule. So a loss is that of \
the same seat on the same deals. Several rules are asked about one by one, and then all together. What a seat must never do it does only where nothing else is legal.

X is an item by its name, alone or as in building:w2c1, a kind of action, as in swap, or the beginning of a notation, as in claim:meadow.

Examples:
  watershed balance restrict --never swap --never food
  watershed balance restrict --bot balanced --always build --players 3 --games 30000
  watershed balance restrict --bot mcts:iterations=100 --never claim:meadow --games 1000"
)]
pub(in crate::cli) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// The bot: a profile's name, a path, or kind:key=value:key=value
    #[arg(long, value_name = "BOT", default_value = "balanced")]
    bot: String,
    /// It may never do this
    #[arg(long, value_name = "X")]
    never: Vec<String>,
    /// It must do this whenever it can
    #[arg(long, value_name = "X")]
    always: Vec<String>,
    /// How many games each rule has, rounded up to whole blocks, and as many without
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..=MOST_GAMES))]
    games: u64,
    #[command(flatten)]
    run: RunArguments,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    if arguments.never.is_empty() && arguments.always.is_empty() {
        bail!("expected --never X or --always X; see --help");
    }
    let selection = arguments.game.resolve()?;
    let pool = thread_pool(arguments.run.threads)?;
    pool.install(|| selection.game.with(&selection.document, selection.players, Restrict { arguments, selection: &selection }))?
}

struct Restrict<'a> {
    arguments: &'a Arguments,
    selection: &'a Selection,
}

impl Task for Restrict<'_> {
    type Output = anyhow::Result<Ending>;

    fn run<G: FullGame>(self, game: &G, library: &Library<'_>) -> anyhow::Result<Ending> {
        let Self { arguments, selection } = self;
        let bot = library.read(&arguments.bot).context("--bot")?;
        let (names, plans) = read_plans(game, arguments)?;
        let bots = vec![bot; selection.players];
        let seats: Vec<_> = (0..selection.players).collect();
        let blocks = 0..Rotations::new(&seats).blocks_for(arguments.games);
        let experiment = Experiment { blocks, ..arguments.run.experiment(game, &bots, arguments.games) };
        let folder = arguments.run.folder()?;
        let play = RestrictedPlay { experiment: &experiment, plans: &plans };
        let games_planned = experiment.blocks.end * play.games_per_block();
        let started = Instant::now();
        let stop = stop_on_interrupt()?;
        let bar = progress_bar(games_planned, arguments.run.quiet);
        let tally = play.run(stop, &|games| bar.inc(games));
        bar.finish_and_clear();

        let report = PlansReport { bot: &bots[0], names: &names, tally: &tally, provenance: &selection.provenance };
        let findings = Findings {
            command: command(arguments, selection),
            games_planned,
            games: tally.games,
            tables: vec![("restricted.csv".to_owned(), report.csv())],
            text: report.text(),
            started,
        };
        let question = Question { plans: &names };
        let study = Study {
            selection,
            bots: vec![(&bots[0]).into()],
            question,
            blocks: tally.blocks,
            capped: tally.capped,
            page: report.findings(),
        };
        arguments.run.finish_study(&folder, findings, study)
    }
}

#[derive(Serialize)]
struct Question<'a> {
    plans: &'a [String],
}

/// Each rule as a plan of its own, and of several also all together, with their names.
fn read_plans<G: FullGame>(game: &G, arguments: &Arguments) -> anyhow::Result<(Vec<String>, Vec<Vec<Rule>>)> {
    let mut names = Vec::new();
    let mut rules = Vec::new();
    for name in &arguments.never {
        names.push(format!("never {name}"));
        rules.push(Rule::Never(subject(game, name).context("--never")?));
    }
    for name in &arguments.always {
        names.push(format!("always {name}"));
        rules.push(Rule::Always(subject(game, name).context("--always")?));
    }
    let mut plans: Vec<_> = rules.iter().map(|rule| vec![rule.clone()]).collect();
    if rules.len() > 1 {
        names.push("all together".to_owned());
        plans.push(rules);
    }
    Ok((names, plans))
}

/// The command that makes the run again, whatever its threads and folders were.
fn command(arguments: &Arguments, selection: &Selection) -> String {
    let Arguments { bot, games, run: RunArguments { seed, .. }, .. } = arguments;
    let flag = |flag: &str, names: &[String]| names.iter().map(|name| format!(" --{flag} {name}")).collect::<String>();
    let rules = flag("never", &arguments.never) + &flag("always", &arguments.always);
    format!("watershed balance restrict {} --bot {bot}{rules} --games {games} --seed {seed}", selection.flags())
}
