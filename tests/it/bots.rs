//! The bots play as their descriptions say.

use std::sync::atomic::AtomicBool;

use watershed::{
    arena::{
        run::Experiment,
        tally::{ALL_SEATS, Tally},
    },
    bots::profile::Library,
    game::{FullGame, WIN},
    games::{GameName, Task},
};

struct Play<'a> {
    bots: &'a [&'a str],
    blocks: u64,
}

impl Task for Play<'_> {
    type Output = (Tally, Vec<String>);

    fn run<G: FullGame>(self, game: &G, library: &Library<'_>) -> Self::Output {
        let bots: Vec<_> = self.bots.iter().map(|bot| library.read(bot).unwrap()).collect();
        let experiment = Experiment {
            game,
            game_name: library.game,
            config_sha256: "",
            bots: &bots,
            seed: 11,
            blocks: 0..self.blocks,
            opening_steps: 1,
            records: false,
            legal: false,
            games: false,
        };
        let items: Vec<String> = game.tables().into_iter().flat_map(|table| table.items).map(|(name, _)| name).collect();
        let (different, _) = experiment.different_bots();
        let mut total = Tally::new(different.len(), items.len());
        experiment
            .run(&AtomicBool::new(false), &|_| {}, |batch| {
                total.add(&batch.tally);
                Ok::<_, std::convert::Infallible>(())
            })
            .unwrap();
        (total, items)
    }
}

fn play(game: GameName, bots: &[&str], blocks: u64) -> (Tally, Vec<String>) {
    game.with(&game.default_document(), bots.len(), Play { bots, blocks }).unwrap()
}

/// The win rate of the first bot.
fn win_rate(tally: &Tally) -> f64 {
    tally.bots[0][ALL_SEATS].wins.rate(WIN).value
}

#[test]
fn every_profile_beats_random() {
    for game in GameName::ALL {
        for (name, _) in game.profiles() {
            let (tally, _) = play(game, &[name, "random"], 200);
            assert_eq!(tally.games, 400);
            assert!(win_rate(&tally) >= 0.95, "{name}: {}", win_rate(&tally));
        }
    }
}

#[test]
fn search_beats_what_does_not_search() {
    for game in GameName::ALL {
        let (tally, _) = play(game, &["mcts:iterations=100", "random-kind"], 10);
        assert!(win_rate(&tally) > 0.8, "{}", win_rate(&tally));
    }
}

/// Each plan of The River, played by both seats, shows in what lies on the boards and when the game ends.
#[test]
fn plans_differ_in_what_they_do() {
    let plans = ["balanced", "builder", "settler", "meadow"].map(|plan| {
        let (tally, items) = play(GameName::TheRiver, &[plan, plan], 400);
        let seats = 2.0 * tally.games as f64;
        let taken = |wanted: &dyn Fn(&str) -> bool| {
            let counts = items.iter().zip(&tally.items).filter(|(name, _)| wanted(name)).map(|(_, tally)| tally.times_taken);
            counts.sum::<i64>() as f64 / seats
        };
        let meadows = taken(&|name| name.starts_with("meadow_"));
        let tiles =
            meadows + taken(&|name| ["desert_", "badlands_", "forest_", "mountain_", "mixed_"].iter().any(|kind| name.starts_with(kind)));
        (tiles, meadows, tally.rounds.mean().value)
    });
    let [balanced, builder, settler, meadow] = plans;
    assert!(builder.0 < balanced.0 && builder.2 <= balanced.2 + 0.5, "the builder claims less: {plans:?}");
    assert!(settler.0 > balanced.0 + 1.0, "the settler claims more: {plans:?}");
    assert!(meadow.1 > balanced.1 && meadow.1 > settler.1 && meadow.1 > builder.1, "the collector claims most meadows: {plans:?}");
}
