//! The rules: listing actions, applying them, and whole playouts.

#![expect(missing_docs, reason = "public functions made by criterion_group!")]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
#[path = "../crates/engine/tests/it/task.rs"]
mod task;

use task::{GameTask, bind_and_run};
use watershed::BuiltInGame;
use watershed::{
    bots::profile::BotLibrary,
    game::{ActionSet, Game, Turn},
    games::built_in_games,
    rng::{Purpose, Rng, random_below, stream},
    search::playout::{Policy, Uniform, UniformKind, play_out},
};

/// Plays random games and returns each position in which a seat decides, with the chosen action.
fn sample_decisions<G: Game>(game: &G, rng: &mut Rng) -> Vec<(G::State, G::Action)> {
    let mut decisions = Vec::new();
    for _ in 0..20 {
        let mut state = game.initial();
        loop {
            let action = match game.turn(&state) {
                Turn::Chance(_) => game.sample_chance(&state, rng),
                Turn::Seat(_) => {
                    let legal = game.legal_actions(&state);
                    let action = legal.nth(random_below(rng, legal.len() as u32) as usize);
                    decisions.push((state, action));
                    action
                }
                Turn::Over => break,
            };
            game.apply(&mut state, action);
        }
    }
    decisions
}

fn playouts<G: Game>(criterion: &mut Criterion, game: &G, name: String, policy: &impl Policy<G>) {
    let play = |rng: &mut Rng| play_out(game, &mut game.initial(), policy, rng);
    let mut group = criterion.benchmark_group("playout");
    let events: u64 = (0..100).map(|seed| play(&mut stream(seed, 0, 0, Purpose::Playout))).sum();
    assert!(events > 0, "a playout has no event");
    group.throughput(Throughput::Elements(events / 100));
    let mut rng = stream(1, 0, 0, Purpose::Playout);
    group.bench_function(name, |bencher| bencher.iter(|| play(&mut rng)));
    group.finish();
}

struct RulesBenchmark<'a> {
    criterion: &'a mut Criterion,
    players: usize,
}

impl GameTask for RulesBenchmark<'_> {
    type Output = ();

    fn run<G: BuiltInGame>(self, game: &G, library: &BotLibrary) {
        let Self { criterion, players } = self;
        let name = format!("{}/{players}", library.profiles.game);
        let decisions = sample_decisions(game, &mut stream(1, 0, 0, Purpose::Playout));
        let count = Throughput::Elements(decisions.len() as u64);

        let mut group = criterion.benchmark_group("legal_actions");
        group.throughput(count.clone());
        group.bench_function(&name, |bencher| {
            bencher.iter(|| {
                decisions
                    .iter()
                    .map(|(state, _)| black_box(game.legal_actions(black_box(state))).len())
                    .sum::<usize>()
            });
        });
        group.finish();

        let mut group = criterion.benchmark_group("apply");
        group.throughput(count);
        group.bench_function(&name, |bencher| {
            let apply_all = |mut decisions: Vec<(G::State, G::Action)>| {
                for (state, action) in &mut decisions {
                    game.apply(state, *action);
                }
                decisions
            };
            bencher.iter_batched(|| decisions.clone(), apply_all, BatchSize::LargeInput);
        });
        group.finish();

        playouts(criterion, game, format!("{name}/uniform"), &Uniform);
        playouts(criterion, game, format!("{name}/by_kind"), &UniformKind);
    }
}

fn rules(criterion: &mut Criterion) {
    for game in built_in_games().all() {
        for players in game.min_players..=game.max_players {
            let task = RulesBenchmark { criterion, players };
            bind_and_run(game.id, &game.default_document(), players, task)
                .expect("embedded data for this number of players");
        }
    }
}

criterion_group!(benches, rules);
criterion_main!(benches);
