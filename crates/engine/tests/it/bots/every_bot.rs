//! All kinds of bots in all games: the information they use and the actions they choose.

use crate::task::{GameTask, bind_and_run};

use watershed::BuiltInGame;
use watershed::{
    arena::{run::Experiment, tally::ALL_SEATS},
    bots::{View, profile::BotLibrary, spec::BotSpec},
    games::{
        GameDefinition as _, built_in_games, common_river::CommonRiver, glassworks::Glassworks,
        the_river::TheRiver,
    },
    rng::{Purpose, random_below, stream},
    search::playout::{Policy, Uniform},
};

use crate::games::play_game;

/// Bots with every option of the search, and with options that interact; `PROFILE` stands for a
/// heuristic of the game.
pub(crate) const BOTS: [&str; 28] = [
    "random",
    "random-kind",
    "PROFILE",
    "flat:iterations=15",
    "mcts:iterations=15",
    "mcts:iterations=15:trees=3",
    "mcts:iterations=15:trees=3:worlds=true",
    "mcts:steps=1000:trees=3:nodes=64",
    "mcts:iterations=15:reuse=1",
    "mcts:iterations=15:reuse=0.5:trees=2",
    "mcts:iterations=15:reuse=1:chance_nodes=3",
    "mcts:iterations=15:reuse=1:nodes=64:selection=puct:prior=PROFILE",
    "mcts:steps=1000:reuse=1",
    "mcts:iterations=15:chance_nodes=2",
    "mcts:iterations=15:branching=per-seat",
    "mcts:iterations=15:branching=own-moves",
    "mcts:iterations=15:opponents=paranoid",
    "mcts:iterations=15:final_choice=value",
    "mcts:iterations=15:final_choice=halving",
    "mcts:steps=1000:final_choice=halving:nodes=64",
    "mcts:iterations=15:selection=ucb1-tuned",
    "mcts:iterations=15:selection=puct:prior=PROFILE:first_play_reduction=0.1",
    "mcts:iterations=15:widening=2:prior=PROFILE:opponents=paranoid",
    "mcts:iterations=15:bias=1:prior=PROFILE:nodes=64",
    "mcts:iterations=15:cut_off=1:value=PROFILE",
    "mcts:iterations=15:cut_off=1:value=PROFILE:chance_nodes=2",
    "mcts:iterations=15:playout=mast:playout_epsilon=0.2",
    "mcts:iterations=15:playout=PROFILE:margin_weight=0.3:rank_weight=0.3",
];

/// Bots with a network in each of its uses; `NETWORK` stands for a network of the game.
const NETWORK_BOTS: [&str; 6] = [
    "NETWORK",
    "mcts:iterations=15:value=NETWORK:prior=NETWORK",
    "mcts:iterations=15:value=NETWORK:prior=NETWORK:branching=shared:reuse=1:chance_nodes=2",
    "mcts:iterations=15:value=NETWORK:prior=NETWORK:branching=own-moves",
    "mcts:iterations=15:value=NETWORK:prior=NETWORK:branching=per-seat",
    "mcts:iterations=5:playout=NETWORK:worlds=true:trees=2",
];

/// Returns [`BOTS`] with a heuristic of the game.
pub(crate) fn bot_names(library: &BotLibrary) -> Vec<String> {
    BOTS.map(|line| line.replace("PROFILE", library.profiles.profiles[0].0)).into()
}

/// A task that gives each bot pairs of positions that its seat cannot distinguish.
struct Leaks;

impl GameTask for Leaks {
    type Output = usize;

    fn run<G: BuiltInGame>(self, game: &G, library: &BotLibrary) -> usize {
        let mut names = library.profiles.profiles.iter().map(|(name, _)| *name);
        let network = names.find(|name| name.starts_with("expert")).unwrap();
        let with_network = NETWORK_BOTS.map(|line| line.replace("NETWORK", network));
        let lines = bot_names(library).into_iter().chain(with_network);
        let bots: Vec<_> = lines.map(|line| library.read(&line).unwrap()).collect();
        let mut positions = 0;
        let mut check = |seed, state: &G::State, seat| {
            let other = game.determinize(state, seat, &mut stream(seed, 0, 0, Purpose::Tree));
            for bot in &bots {
                let choice = |state| {
                    let rng = &mut stream(seed, 1, 0, Purpose::Bot(0));
                    bot.build().choose(
                        &View::new(game, state, seat),
                        &game.legal_actions(state),
                        rng,
                    )
                };
                assert_eq!(choice(state), choice(&other), "{}: {state:?} {other:?}", bot.name());
            }
            positions += 1;
        };
        for seed in 0..3 {
            play_game(game, &mut stream(seed, 0, 0, Purpose::Playout), |state, seat, rng| {
                if random_below(rng, 40) == 0 {
                    check(seed, state, seat);
                }
                Uniform.choose(game, state, seat, &game.legal_actions(state), rng)
            });
        }
        positions
    }
}

/// In a game without hidden information the two positions are equal, so that the choice depends on
/// nothing else.
#[test]
fn a_choice_depends_only_on_the_information_of_the_seat() {
    for game in built_in_games().all() {
        // Roles of We All Take from the River are hidden with 3 players and more.
        for players in [2, game.max_players] {
            let document = game.default_document();
            let positions = bind_and_run(game.id, &document, players, Leaks).unwrap();
            assert!(positions >= 5, "{positions} positions");
        }
    }
}

/// A task that plays some games with the default bot in all seats and returns the wins, in units of
/// `UNITS_PER_WIN`.
struct Defaults;

impl GameTask for Defaults {
    type Output = (String, i64);

    fn run<G: BuiltInGame>(self, game: &G, library: &BotLibrary) -> (String, i64) {
        let heuristic = library.profiles.default_heuristic.unwrap();
        let heuristic = library.profiles.read(heuristic).unwrap().spec;
        assert!(matches!(heuristic, BotSpec::Heuristic(_)), "{heuristic:?}");
        let bots = vec![library.read(library.default_bot()).unwrap(); game.seats()];
        let tally = Experiment::new(&bots, 1, 0..30).play(game);
        (library.default_bot().to_owned(), tally.bots[0][ALL_SEATS].wins.x)
    }
}

/// The default bot is the network of the game, or a heuristic for the number of players.
/// It wins some games. The default heuristic is a heuristic.
#[test]
fn default_bots_win() {
    for game in built_in_games().all() {
        for players in game.min_players..=game.max_players {
            let document = game.default_document();
            let (bot, wins) = bind_and_run(game.id, &document, players, Defaults).unwrap();
            let expected = match (game.id, players) {
                (TheRiver::ID, _) | (Glassworks::ID, 2) => "expert".to_owned(),
                (CommonRiver::ID, 1) => "expert1".to_owned(),
                _ => format!("learned{players}"),
            };
            assert_eq!(bot, expected);
            assert!(wins > 0, "{bot} in {}", game.id);
        }
    }
}
