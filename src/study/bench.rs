//! `watershed bench`: measures speed, and prints a signature of behaviour that is equal on every
//! machine.

use std::{
    collections::BTreeMap,
    hash::{Hash, Hasher},
    time::{Duration, Instant},
};

use clap::Args;
use rustc_stable_hash::StableSipHasher128;
use serde::Serialize;

use crate::{
    bots::profile::BotLibrary,
    game::{FullGame, Game, Turn},
    games::{GameName, GameTask},
    report::terminal::print,
    rng::{Purpose, stream},
    run::ExitStatus,
    search::{
        mcts::{Search, SearchModel, Settings},
        playout::{Policy, Uniform, UniformKind, play_out},
    },
};

#[derive(Args, Debug)]
#[command(
    after_help = "The workload uses one thread, uniform playouts and the minimum number of players. \
The signature changes if and only if behaviour changes.

Example:
  watershed bench --json"
)]
pub(crate) struct Arguments {
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

/// Playouts of each policy whose positions are hashed.
const SIGNATURE_PLAYOUTS: u64 = 200;
/// Duration of each measurement, after a warm-up of the same duration.
const MEASUREMENT: Duration = Duration::from_secs(1);
const MCTS_ITERATIONS: u32 = 10_000;

#[derive(Serialize)]
struct Report {
    signature: String,
    games: BTreeMap<&'static str, GameReport>,
}

/// Signature and speeds of one game.
#[derive(Serialize)]
struct GameReport {
    signature: String,
    playout_ns_per_event: f64,
    playouts_per_s: f64,
    events_per_playout: f64,
    events_per_s: f64,
    kind_playout_ns_per_event: f64,
    kind_playouts_per_s: f64,
    mcts_iterations_per_s: f64,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitStatus> {
    let mut hasher = StableSipHasher128::new();
    let mut games = BTreeMap::new();
    for game in GameName::ALL {
        let document = game.default_document();
        let report = game.bind_and_run(&document, game.min_players(), Bench(&mut hasher))?;
        games.insert(game.as_str(), report);
    }
    let report = Report { signature: format_signature(&hasher), games };
    if arguments.json {
        print(&format!("{}\n", serde_json::to_string_pretty(&report)?));
        return Ok(ExitStatus::Success);
    }
    print(&format!("signature {}\n", report.signature));
    for (game, report) in &report.games {
        print(&format!(
            "{game}: signature {}, {:.1} ns/event, {:.2} million events/s, {:.0} playouts/s of \
             {:.1} events (by kind {:.1} ns/event, {:.0} playouts/s), {:.0} MCTS iterations/s\n",
            report.signature,
            report.playout_ns_per_event,
            report.events_per_s / 1e6,
            report.playouts_per_s,
            report.events_per_playout,
            report.kind_playout_ns_per_event,
            report.kind_playouts_per_s,
            report.mcts_iterations_per_s,
        ));
    }
    Ok(ExitStatus::Success)
}

fn format_signature(hasher: &StableSipHasher128) -> String {
    format!("{:016x}", Hasher::finish(hasher))
}

struct Bench<'a>(&'a mut StableSipHasher128);

impl GameTask for Bench<'_> {
    type Output = GameReport;

    fn run<G: FullGame>(self, game: &G, _library: &BotLibrary<'_>) -> GameReport {
        let mut own = StableSipHasher128::new();
        for hasher in [&mut own, self.0] {
            hash_playouts(game, &Uniform, hasher);
            hash_playouts(game, &UniformKind, hasher);
        }
        let (events, playouts, seconds) = time_playouts(game, &Uniform);
        let (kind_events, kind_playouts, kind_seconds) = time_playouts(game, &UniformKind);
        GameReport {
            signature: format_signature(&own),
            playout_ns_per_event: seconds * 1e9 / events,
            playouts_per_s: playouts / seconds,
            events_per_playout: events / playouts,
            events_per_s: events / seconds,
            kind_playout_ns_per_event: kind_seconds * 1e9 / kind_events,
            kind_playouts_per_s: kind_playouts / kind_seconds,
            mcts_iterations_per_s: time_search(game),
        }
    }
}

/// Hashes the text of every position of some playouts. Text does not depend on how a state is
/// packed.
fn hash_playouts<G: FullGame>(game: &G, policy: &impl Policy<G>, hasher: &mut StableSipHasher128) {
    let mut rng = stream(1, 0, 0, Purpose::Playout);
    for _ in 0..SIGNATURE_PLAYOUTS {
        let mut state = game.initial();
        loop {
            game.position_text(&state).hash(hasher);
            let action = match game.turn(&state) {
                Turn::Chance(_) => game.sample_chance(&state, &mut rng),
                Turn::Seat(seat) => {
                    policy.choose(game, &state, seat, &game.legal_actions(&state), &mut rng)
                }
                Turn::Over => break,
            };
            game.apply(&mut state, action);
        }
        game.outcome(&state).scores.hash(hasher);
    }
}

/// Returns the numbers of events and playouts from the initial state, and the seconds they took.
fn time_playouts<G: Game>(game: &G, policy: &impl Policy<G>) -> (f64, f64, f64) {
    let mut rng = stream(2, 0, 0, Purpose::Playout);
    let mut measure = || {
        let started = Instant::now();
        let (mut events, mut playouts) = (0, 0_u32);
        while started.elapsed() < MEASUREMENT {
            for _ in 0..100 {
                events += play_out(game, &mut game.initial(), policy, &mut rng);
                playouts += 1;
            }
        }
        (events as f64, f64::from(playouts), started.elapsed().as_secs_f64())
    };
    measure();
    measure()
}

/// Returns the iterations per second of UCT with uniform playouts at the first decision.
fn time_search<G: Game>(game: &G) -> f64 {
    let mut rng = stream(3, 0, 0, Purpose::Playout);
    let mut state = game.initial();
    while let Turn::Chance(_) = game.turn(&state) {
        let outcome = game.sample_chance(&state, &mut rng);
        game.apply(&mut state, outcome);
    }
    let mut search = Search::new(Settings::uct(MCTS_ITERATIONS, 1.0));
    let mut measure = || {
        let started = Instant::now();
        let mut iterations = 0.0;
        while started.elapsed() < MEASUREMENT {
            search.run(game, &SearchModel::playouts_only(&Uniform), &mut rng, |_| state);
            iterations += f64::from(MCTS_ITERATIONS);
        }
        iterations / started.elapsed().as_secs_f64()
    };
    measure();
    measure()
}
