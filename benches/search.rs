//! Tree search from the first decision of a game.

#![expect(missing_docs, reason = "public functions made by criterion_group!")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
#[path = "../crates/engine/tests/it/task.rs"]
mod task;

use task::{GameTask, bind_and_run};
use watershed::BuiltInGame;
use watershed::{
    bots::profile::BotLibrary,
    game::Turn,
    games::built_in_games,
    rng::{Purpose, stream},
    search::{
        mcts::{Search, SearchModel, Settings},
        playout::{Uniform, UniformKind},
    },
};

const ITERATIONS: u32 = 1000;

struct SearchBenchmark<'a>(&'a mut Criterion);

impl GameTask for SearchBenchmark<'_> {
    type Output = ();

    fn run<G: BuiltInGame>(self, game: &G, library: &BotLibrary) {
        let mut rng = stream(1, 0, 0, Purpose::Playout);
        let mut state = game.initial();
        while let Turn::Chance(_) = game.turn(&state) {
            let outcome = game.sample_chance(&state, &mut rng);
            game.apply(&mut state, outcome);
        }
        let mut search = Search::new(Settings::uct(ITERATIONS, 1.0));
        search.run(game, &SearchModel::playouts_only(&Uniform), &mut rng, |_| state);
        assert_eq!(search.root().map(|root| root.visits), Some(ITERATIONS));

        let mut group = self.0.benchmark_group("mcts");
        group.throughput(Throughput::Elements(ITERATIONS.into()));
        group.bench_function(format!("{}/uniform", library.profiles.game), |bencher| {
            bencher.iter(|| {
                search.run(game, &SearchModel::playouts_only(&Uniform), &mut rng, |_| state);
            });
        });
        group.bench_function(format!("{}/by_kind", library.profiles.game), |bencher| {
            bencher.iter(|| {
                search.run(game, &SearchModel::playouts_only(&UniformKind), &mut rng, |_| state);
            });
        });
        group.finish();
    }
}

fn mcts(criterion: &mut Criterion) {
    for game in built_in_games().all() {
        let (document, task) = (game.default_document(), SearchBenchmark(criterion));
        bind_and_run(game.id, &document, game.min_players, task)
            .expect("embedded data for this number of players");
    }
}

criterion_group!(benches, mcts);
criterion_main!(benches);
