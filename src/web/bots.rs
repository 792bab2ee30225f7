//! The bots that a page offers and accepts.

use super::answer::{BotOffer, Problem};
use crate::{
    arena::record::HUMAN,
    bots::{BotFactory, kind::BotKind, profile::BotLibrary},
    game::Features,
    session::Player,
};

/// The bot that gives hints and searches for the best action.
pub(super) const HINT_BOT: &str = "mcts:iterations=2000";
/// Iterations of the searches that are offered, ascending.
const SEARCHES: [u32; 4] = [50, 250, 1000, 4000];
/// The search that a new game proposes.
const PROPOSED_SEARCH: u32 = 250;
/// Maximum number of iterations of a search, so that no decision takes long.
const MAX_ITERATIONS: u32 = 20_000;

/// Returns the bots of a game and the index of the one that a new game proposes.
pub(super) fn offers<G: Features>(library: &BotLibrary<G>) -> (Vec<BotOffer>, usize) {
    let profiles = &library.profiles;
    let strength = |name: &str| {
        let measured = profiles.panel.iter().find(|entry| entry.bot == name);
        let reference = profiles.panel.iter().find(|entry| entry.elo == Some([0.0; 3]));
        let (Some(entry), Some(reference)) = (measured, reference) else { return String::new() };
        match entry.elo {
            Some([elo, low, high]) if entry.bot != reference.bot => format!(
                " {} Elo against the search {} (95 % CI {} to {}, {} games).",
                signed(elo),
                reference.bot,
                signed(low),
                signed(high),
                entry.elo_games
            ),
            _ => String::new(),
        }
    };
    let mut bots = vec![BotOffer {
        name: BotKind::Random.as_str().to_owned(),
        title: "Random actions".to_owned(),
        description: "Chooses every legal action with the same chance. For first games.".to_owned(),
    }];
    let heuristic = profiles.default_heuristic;
    bots.extend(heuristic.map(|name| BotOffer {
        name: name.to_owned(),
        title: "Rules of thumb".to_owned(),
        description: format!(
            "Weighs features of the position after each action, and does not look further ahead.{}",
            strength(name)
        ),
    }));
    let default = library.default_bot();
    if ![Some(BotKind::Random.as_str()), heuristic].contains(&Some(default)) {
        bots.push(BotOffer {
            name: default.to_owned(),
            title: "Trained bot without a search".to_owned(),
            description: format!(
                "Judges each action by what it learned in games against itself. Answers at once.{}",
                strength(default)
            ),
        });
    }
    for iterations in SEARCHES {
        bots.push(BotOffer {
            name: search_name(iterations),
            title: format!("Search with {iterations} iterations"),
            description: "Tries continuations before each decision. More iterations are stronger \
                          and slower."
                .to_owned(),
        });
    }
    bots.extend(library.added_bots.iter().map(|bot| BotOffer {
        name: bot.name().to_owned(),
        title: format!("Bot {}", bot.name()),
        description: "A bot of this program.".to_owned(),
    }));
    let proposed = search_name(PROPOSED_SEARCH);
    let proposed = bots.iter().position(|bot| bot.name == proposed).unwrap_or_default();
    (bots, proposed)
}

fn search_name(iterations: u32) -> String {
    format!("mcts:iterations={iterations}")
}

/// Returns a number with its sign, rounded.
fn signed(number: f64) -> String {
    format!("{number:+.0}").replace('-', "\u{2212}")
}

/// Reads the player of a seat. Accepted are the bots of the game and searches with a number of
/// iterations, but no files.
pub(super) fn read_player<G: Features>(
    library: &BotLibrary<G>,
    name: &str,
) -> Result<Player<G>, Problem> {
    if name == HUMAN {
        return Ok(Player::Person);
    }
    if !is_accepted(library, name) {
        return Err(Problem::invalid(format!(
            "the bot {name:?} cannot play here; expected {HUMAN}, a bot of the game, or \
             mcts:iterations=N with N up to {MAX_ITERATIONS}"
        )));
    }
    read_bot(library, name).map(Player::Bot)
}

pub(super) fn read_bot<G: Features>(
    library: &BotLibrary<G>,
    name: &str,
) -> Result<BotFactory<G>, Problem> {
    library.read(name).map_err(|error| Problem::invalid(error.to_string()))
}

fn is_accepted<G: Features>(library: &BotLibrary<G>, name: &str) -> bool {
    let iterations = name.strip_prefix("mcts:iterations=").map(str::parse::<u32>);
    let kinds = [BotKind::Random, BotKind::RandomKind, BotKind::Mcts];
    kinds.iter().any(|kind| kind.as_str() == name)
        || library.profiles.profiles.iter().any(|(profile, _)| *profile == name)
        || library.added_bots.iter().any(|bot| bot.name() == name)
        || iterations.is_some_and(|number| number.is_ok_and(|number| number <= MAX_ITERATIONS))
}
