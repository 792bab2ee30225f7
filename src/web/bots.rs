//! The bots that a page offers and accepts.

use super::answer::PlayersOffer;
use crate::{
    arena::record::HUMAN,
    bots::{kind::BotKind, profile::BotLibrary},
    bound::BoundGame,
    protocol::{
        opponents::{self, BotOffer},
        problem::Problem,
    },
    session::Player,
    stats::elo::expected_score,
};

/// Iterations of the searches that are offered, ascending.
const SEARCHES: [u32; 4] = [50, 250, 1000, 4000];
/// The search that a new game proposes.
const PROPOSED_SEARCH: u32 = 250;
/// The kinds of bots that need no options.
const KINDS: [BotKind; 5] =
    [BotKind::Random, BotKind::RandomKind, BotKind::Flat, BotKind::Uct, BotKind::Mcts];
/// Maximum number of iterations of a search, so that no decision takes long.
const MAX_ITERATIONS: u32 = 20_000;

/// Returns the bots and modes of a game for its number of players.
pub(super) fn offers(game: &BoundGame) -> PlayersOffer {
    let library = game.library();
    let profiles = &library.profiles;
    let opponents = opponents::offers(game.id(), profiles.players);
    let mut bots = vec![BotOffer::new(
        BotKind::Random.name(),
        "Random actions",
        "Chooses every legal action with the same chance. For first games.",
    )];
    let heuristic = profiles.default_heuristic;
    bots.extend(heuristic.map(|name| {
        let description =
            "Weighs features of the position after each action, and does not look further ahead.";
        BotOffer::new(name, "Rules of thumb", description.to_owned() + &strength(library, name))
    }));
    let default = library.default_bot();
    if ![Some(BotKind::Random.name()), heuristic].contains(&Some(default)) {
        let description =
            "Judges each action by what it learned in games against itself. Answers at once.";
        let description = description.to_owned() + &strength(library, default);
        bots.push(BotOffer::new(default, "Trained bot without a search", description));
    }
    bots.extend(SEARCHES.map(|iterations| {
        let title = format!("Search with {iterations} iterations");
        let description =
            "Tries continuations before each decision. More iterations are stronger and slower.";
        BotOffer::new(search_name(iterations), title, description)
    }));
    bots.extend(library.added_bots.iter().map(|bot| {
        let title = format!("Bot {}", bot.name());
        BotOffer::new(bot.name(), title, "A bot of this program.")
    }));
    bots.retain(|bot| opponents.iter().all(|opponent| opponent.name != bot.name));
    let proposed = search_name(PROPOSED_SEARCH);
    let modes = game.modes();
    if !opponents.is_empty() {
        let known: Vec<_> = opponents.iter().chain(&bots).cloned().collect();
        // A beginner can beat it, and has one below it.
        let proposed_bot = 1.min(opponents.len() - 1);
        let more_bots = bots.into_iter().chain(more_offers(library, &known)).collect();
        let players = profiles.players;
        return PlayersOffer { players, bots: opponents, more_bots, proposed_bot, modes };
    }
    let proposed_bot = bots.iter().position(|bot| bot.name == proposed).unwrap_or_default();
    let more_bots = more_offers(library, &bots);
    PlayersOffer { players: profiles.players, bots, more_bots, proposed_bot, modes }
}

impl BotOffer {
    /// Offers a bot without a rating.
    fn new(
        name: impl Into<String>,
        title: impl Into<String>,
        description: impl Into<String>,
    ) -> Self {
        let (name, title, description) = (name.into(), title.into(), description.into());
        Self { name, title, description, rating: None }
    }
}

/// Returns the profiles of the game and the kinds of bots that are not among the bots so far.
fn more_offers(library: &BotLibrary, bots: &[BotOffer]) -> Vec<BotOffer> {
    let of_profile = |name: &str| {
        let definition = library.profiles.find(name).ok()?;
        // Some descriptions are sentences, others are phrases.
        let description = definition.description().trim_end_matches('.');
        Some(BotOffer::new(name, name, format!("{description}.{}", strength(library, name))))
    };
    let names = library.profiles.profile_names();
    let names = names.filter(|name| bots.iter().all(|bot| bot.name != *name));
    // Random bots and the default search are among the bots so far.
    let kinds = [BotKind::RandomKind, BotKind::Flat, BotKind::Uct]
        .map(|kind| BotOffer::new(kind.name(), kind.name(), kind.description()));
    names.filter_map(of_profile).chain(kinds).collect()
}

/// Returns a sentence with the measured strength of a bot; empty if it was not measured.
fn strength(library: &BotLibrary, name: &str) -> String {
    let panel = &library.profiles.panel;
    let measured = panel.iter().find(|entry| entry.bot == name);
    let reference = panel.iter().find(|entry| entry.elo == Some([0.0; 3]));
    let (Some(entry), Some(reference)) = (measured, reference) else { return String::new() };
    let players = library.profiles.players;
    match entry.elo {
        // Alone, nobody plays against the search.
        Some(elo) if entry.bot != reference.bot && players > 1 => {
            let [wins, low, high] = elo.map(|elo| 100.0 * expected_score(elo, players));
            format!(
                " Wins {wins:.0} of 100 games if the search {} has the other seats (95 % CI \
                 {low:.0} to {high:.0}, {} games); equal bots win {:.0}.",
                reference.bot,
                entry.elo_games,
                100.0 / players as f64,
            )
        }
        _ => String::new(),
    }
}

fn search_name(iterations: u32) -> String {
    format!("mcts:iterations={iterations}")
}

/// Reads the player of a seat. Accepted are the bots of the game and searches with a number of
/// iterations, but no files.
pub(super) fn read_player(library: &BotLibrary, name: &str) -> Result<Player, Problem> {
    if name == HUMAN {
        return Ok(Player::Person);
    }
    if !is_accepted(library, name) {
        return Err(format!(
            "the bot {name:?} cannot play here; expected {HUMAN}, a bot of the game, or \
             mcts:iterations=N with N up to {MAX_ITERATIONS}"
        )
        .into());
    }
    Ok(Player::Bot(library.read(name)?))
}

fn is_accepted(library: &BotLibrary, name: &str) -> bool {
    let iterations = name.strip_prefix("mcts:iterations=").map(str::parse::<u32>);
    KINDS.iter().any(|kind| kind.name() == name)
        || library.profiles.profiles.iter().any(|(profile, _)| *profile == name)
        || opponents::name_of(library.profiles.game, library.profiles.players, name).is_some()
        || library.added_bots.iter().any(|bot| bot.name() == name)
        || iterations.is_some_and(|number| number.is_ok_and(|number| number <= MAX_ITERATIONS))
}
