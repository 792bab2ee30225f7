//! Whole runs: games with all statistics, on one thread and on two, and the same games without
//! statistics.

#![expect(missing_docs, reason = "public functions made by criterion_group!")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
#[path = "../crates/engine/tests/it/task.rs"]
mod task;

use task::{GameTask, bind_and_run};
use watershed::BuiltInGame;
use watershed::{
    arena::{counter::Counter, play::play_game, run::Experiment},
    bots::{View, profile::BotLibrary},
    games::built_in_games,
    rng::{ChanceStreams, Purpose, Rng, stream},
};

struct ArenaBenchmark<'a> {
    criterion: &'a mut Criterion,
    bot: &'static str,
    blocks: u64,
}

impl GameTask for ArenaBenchmark<'_> {
    type Output = ();

    fn run<G: BuiltInGame>(self, game: &G, library: &BotLibrary) {
        let bot = library.read(self.bot).expect("an embedded profile");
        let bots = vec![bot.clone(); game.seats()];
        let experiment =
            Experiment { opening_steps: 3, ..Experiment::new(&bots, 1, 0..self.blocks) };
        let play = || {
            assert_eq!(experiment.play(game).games, self.blocks);
        };
        let mut group = self.criterion.benchmark_group("arena");
        group.sample_size(10).throughput(Throughput::Elements(self.blocks));
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("a thread pool");
            group.bench_function(
                format!("{}/{}/{threads}_threads", library.profiles.game, self.bot),
                |bencher| {
                    bencher.iter(|| pool.install(play));
                },
            );
        }
        group.bench_function(
            format!("{}/{}/no_statistics", library.profiles.game, self.bot),
            |bencher| {
                let mut bot = bot.build();
                bencher.iter(|| {
                    for block in 0..self.blocks {
                        let mut chance = ChanceStreams::new(1, block, game.chance_sources().len());
                        let mut streams: Vec<Rng> = (0..game.seats())
                            .map(|seat| stream(1, block, 0, Purpose::Bot(seat as u8)))
                            .collect();
                        bot.reset();
                        let choose = |view: &View<'_, G>, legal: &G::Actions| {
                            black_box(bot.choose(view, legal, &mut streams[view.seat().index()]))
                        };
                        play_game(game, &mut chance, choose, None::<&mut Counter>);
                    }
                });
            },
        );
        group.finish();
    }
}

fn arena(criterion: &mut Criterion) {
    for game in built_in_games().all() {
        for (bot, blocks) in [("random", 5000), ("balanced", 500)] {
            let benchmark = ArenaBenchmark { criterion, bot, blocks };
            let document = game.default_document();
            bind_and_run(game.id, &document, game.min_players, benchmark)
                .expect("embedded data for this number of players");
        }
    }
}

criterion_group!(benches, arena);
criterion_main!(benches);
