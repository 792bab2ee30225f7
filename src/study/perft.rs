//! `watershed perft`: counts the sequences of decisions per depth, a fingerprint of the rules.

use clap::Args;

use crate::{
    bots::profile::BotLibrary,
    game::{ActionSet, FullGame, Game, Turn},
    games::GameTask,
    report::terminal::print,
    rng::ChanceStreams,
    run::{
        ExitStatus,
        arguments::{DEFAULT_SEED, GameArguments},
    },
};

#[derive(Args, Debug)]
#[command(
    after_help = "Chance is drawn from the streams of the seed along each line of play, so the \
counts are equal on every machine.

Example:
  watershed perft --players 2 --seed 1 --depth 6"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// Set the seed of the chance streams
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    seed: u64,
    /// Set the number of decisions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    depth: u32,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitStatus> {
    let selection = arguments.game.resolve()?;
    selection.game.bind_and_run(&selection.document, selection.players, PerftTask(arguments))?;
    Ok(ExitStatus::Success)
}

struct PerftTask<'a>(&'a Arguments);

impl GameTask for PerftTask<'_> {
    type Output = ();

    fn run<G: FullGame>(self, game: &G, _library: &BotLibrary<'_>) {
        let Arguments { seed, depth, .. } = *self.0;
        let mut state = game.initial();
        let mut chance = ChanceStreams::new(seed, 0, game.chance_sources().len());
        let turn = skip_chance(game, &mut state, &mut chance);
        for depth in 1..=depth {
            let count = count_decision_sequences(game, &state, &chance, depth);
            print(&format!("depth {depth}: {count}\n"));
        }
        if turn == Turn::Over {
            return;
        }
        print(&format!("\ndepth {depth} by first action:\n"));
        for action in game.legal_actions(&state).iter() {
            let mut after = state;
            game.apply(&mut after, action);
            let count = count_decision_sequences(game, &after, &chance, depth - 1);
            print(&format!("{}: {count}\n", game.action_text(action)));
        }
    }
}

/// Draws chance events until a seat decides or the game ends.
fn skip_chance<G: Game>(game: &G, state: &mut G::State, chance: &mut ChanceStreams) -> Turn {
    loop {
        match game.turn(state) {
            Turn::Chance(source) => {
                let outcome = game.sample_chance(state, chance.source_stream(source.0));
                game.apply(state, outcome);
            }
            turn => return turn,
        }
    }
}

/// Returns the number of sequences of `depth` decisions from a state. A sequence that ends the game
/// earlier counts once.
pub(crate) fn count_decision_sequences<G: Game>(
    game: &G,
    state: &G::State,
    chance: &ChanceStreams,
    depth: u32,
) -> u64 {
    if depth == 0 {
        return 1;
    }
    let (mut state, mut chance) = (*state, chance.clone());
    if skip_chance(game, &mut state, &mut chance) == Turn::Over {
        return 1;
    }
    let legal = game.legal_actions(&state);
    if depth == 1 {
        return legal.len() as u64;
    }
    let after = |action| {
        let mut after = state;
        game.apply(&mut after, action);
        count_decision_sequences(game, &after, &chance, depth - 1)
    };
    legal.iter().map(after).sum()
}
