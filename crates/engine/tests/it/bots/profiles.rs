//! The bots play as their descriptions state.

use crate::task::{GameTask, bind_and_run};

use watershed::BuiltInGame;
use watershed::{
    arena::{
        run::Experiment,
        tally::{ALL_SEATS, Tally},
    },
    bots::profile::BotLibrary,
    config::Document,
    game::UNITS_PER_WIN,
    games::{
        GameDefinition as _, built_in_games, common_river::CommonRiver, glassworks::Glassworks,
        the_river::TheRiver,
    },
};

use crate::games::altered;

struct Play<'a> {
    bots: &'a [&'a str],
    blocks: u64,
}

impl GameTask for Play<'_> {
    type Output = (Tally, Vec<String>);

    fn run<G: BuiltInGame>(self, game: &G, library: &BotLibrary) -> Self::Output {
        let bots: Vec<_> = self.bots.iter().map(|bot| library.read(bot).unwrap()).collect();
        let total = Experiment::new(&bots, 11, 0..self.blocks).play(game);
        let items: Vec<String> =
            game.catalog().ids().map(|item| game.catalog().item(item).name.clone()).collect();
        (total, items)
    }
}

fn play(game: &str, bots: &[&str], blocks: u64) -> (Tally, Vec<String>) {
    play_on(game, &built_in_games().find(game).unwrap().default_document(), bots, blocks)
}

fn play_on(game: &str, document: &Document, bots: &[&str], blocks: u64) -> (Tally, Vec<String>) {
    bind_and_run(game, document, bots.len(), Play { bots, blocks }).unwrap()
}

/// Returns We All Take from the River in the competitive mode of 2 players.
fn competitive() -> Document {
    altered::<CommonRiver>("competitive", "modes_for_two = [\"competitive\"]")
}

/// Returns the win rate of the first bot.
fn win_rate(tally: &Tally) -> f64 {
    tally.bots[0][ALL_SEATS].wins.rate(UNITS_PER_WIN).value
}

#[test]
#[ignore = "strength of the profiles; .ci/full runs it"]
fn every_profile_beats_random() {
    for (game, profiles) in
        [(TheRiver::ID, TheRiver::FILES.profiles), (Glassworks::ID, Glassworks::FILES.profiles)]
    {
        assert!(profiles.len() > 1, "{game}: {profiles:?}");
        for (name, _) in profiles {
            let (tally, _) = play(game, &[name, "random"], 200);
            assert_eq!(tally.games, 400);
            assert!(win_rate(&tally) >= 0.95, "{name}: {}", win_rate(&tally));
        }
    }
}

/// In games in which one objective counts, the profile for this objective is best.
#[test]
#[ignore = "strength of the profiles; .ci/full runs it"]
fn every_profile_of_the_common_river_beats_random_at_its_objective() {
    for name in ["balanced", "hoarder"] {
        let (tally, _) = play_on(CommonRiver::ID, &competitive(), &[name, "random"], 100);
        assert!(win_rate(&tally) >= 0.9, "{name}: {}", win_rate(&tally));
    }
    let score = |tally: &Tally| tally.bots[0][ALL_SEATS].scores.mean().value;
    let asking = |objective: &str| {
        let overlay = format!("modes_for_two = [\"coop\"]\nobjectives.settler = [\"{objective}\"]");
        altered::<CommonRiver>(objective, &overlay)
    };
    for (name, objective, least) in
        [("farmer", "agriculture", 90.0), ("mason", "development", 55.0)]
    {
        let document = asking(objective);
        let [own, balanced, random] = [name, "balanced", "random"]
            .map(|bot| score(&play_on(CommonRiver::ID, &document, &[bot], 100).0));
        assert!(
            own >= least && balanced > 2.0 * random,
            "{name}: {own}, balanced: {balanced}, random: {random}"
        );
    }
    let document = asking("conservation");
    let [own, random] = ["warden", "random"]
        .map(|bot| score(&play_on(CommonRiver::ID, &document, &[bot, "mason"], 100).0));
    assert!(own >= 99.0 && random < 97.0, "warden: {own}, random: {random}");
    // With roles, a bot that plays its own role or helps does better than one that does neither.
    for (name, lead) in [("balanced", 40.0), ("helper", 10.0)] {
        let (tally, _) = play(CommonRiver::ID, &[name, "random", "random"], 200);
        let random = &tally.bots[1][ALL_SEATS];
        let (own, random_score) = (score(&tally), random.scores.mean().value);
        assert!(
            own > random_score + lead && win_rate(&tally) > random.wins.rate(UNITS_PER_WIN).value,
            "{name}: {own} to {random_score}"
        );
    }
}

/// If all seats follow a plan of The River, the boards and the length of the game show it.
#[test]
#[ignore = "strength of the profiles; .ci/full runs it"]
fn profiles_of_the_river_follow_different_strategies() {
    let plans = ["balanced", "builder", "settler", "meadow"].map(|plan| {
        let (tally, items) = play(TheRiver::ID, &[plan, plan], 400);
        let seats = 2.0 * tally.games as f64;
        let taken = |wanted: &dyn Fn(&str) -> bool| {
            let counts = items
                .iter()
                .zip(&tally.items)
                .filter(|(name, _)| wanted(name))
                .map(|(_, tally)| tally.times_taken);
            counts.sum::<i64>() as f64 / seats
        };
        let meadows = taken(&|name| name.starts_with("meadow_"));
        let tiles = meadows
            + taken(&|name| {
                ["desert_", "badlands_", "forest_", "mountain_", "mixed_"]
                    .iter()
                    .any(|kind| name.starts_with(kind))
            });
        (tiles, meadows, tally.health.rounds.mean().value)
    });
    let [balanced, builder, settler, meadow] = plans;
    assert!(
        builder.0 < balanced.0 && builder.2 <= balanced.2 + 0.5,
        "the builder claims less: {plans:?}"
    );
    assert!(settler.0 > balanced.0 + 1.0, "the settler claims more: {plans:?}");
    assert!(
        meadow.1 > balanced.1 && meadow.1 > settler.1 && meadow.1 > builder.1,
        "the collector claims most meadows: {plans:?}"
    );
}

/// A game of one player needs a plan for the City, which `steward` has and `balanced` lacks. The
/// default search uses learned weights for one player.
#[test]
#[ignore = "strength of the profiles; .ci/full runs it"]
fn a_profile_with_a_strategy_for_the_city_wins_alone() {
    let wins = |bot: &str, games: u64| win_rate(&play(CommonRiver::ID, &[bot], games).0);
    assert!(wins("balanced", 300) < 0.02);
    assert!(wins("steward", 300) > 0.25);
    assert!(wins("mcts:iterations=200", 15) > 0.2);
}

#[test]
fn bots_have_a_note_on_data_that_they_were_not_learned_on() {
    let document = TheRiver::default_document();
    let game = TheRiver::bind(&document, 2).unwrap();
    let notes = |documents: &[&Document], bot: &str| {
        let library = game.bot_library().with_data(documents.iter().copied()).unwrap();
        library.read(bot).unwrap().notes().to_vec()
    };
    let replace = |key: &str, value: &str| {
        let text = document.with_value(&document.scalar(key).unwrap(), value).text;
        Document { name: format!("{key}.toml"), text }
    };
    let (changed, renamed) = (replace("rules.trade_in", "9"), replace("name", "\"A name\""));
    // The random edits of the game have this value.
    let known = replace("rules.trade_in", "4");
    let on = |bot: &str| {
        format!(
            "{bot} was learned on other data than rules.trade_in.toml (rules.trade_in), where it \
             may play worse"
        )
    };
    for bot in ["second", "expert", "mcts:iterations=10", "balanced"] {
        assert!(notes(&[&document, &renamed, &known], bot).is_empty(), "{bot}");
    }
    let [note] = &notes(&[&renamed, &changed], "expert")[..] else { panic!("one note") };
    assert!(note.starts_with(&on("expert")) && note.ends_with("--adapt in a comparison"), "{note}");
    let searching = notes(&[&changed], "mcts:iterations=10:value=second:prior=expert");
    assert_eq!(searching.len(), 2, "{searching:?}");
    assert!(notes(&[&changed], "balanced").is_empty());
}
