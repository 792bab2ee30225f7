//! The bots that a page offers and accepts.

use super::answer::{BotOffer, PlayersOffer};
use crate::{
    arena::record::HUMAN,
    bots::{kind::BotKind, opponents::Opponent, profile::BotLibrary},
    bound::BoundGame,
    protocol::problem::Problem,
    session::Player,
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

/// Returns the bots and modes of a game for its number of players: opponents with names first, if
/// the game has some.
pub(super) fn offers(game: &BoundGame) -> PlayersOffer {
    let library = game.library();
    let profiles = &library.profiles;
    let opponents: Vec<_> = profiles.opponents.iter().map(BotOffer::from).collect();
    let of_profile = |name: &str| {
        let definition = profiles.find(name).ok()?;
        // Some descriptions are sentences, others are phrases.
        let description = definition.description().trim_end_matches('.');
        Some(BotOffer::new(name, name, format!("{description}.")))
    };
    let searches = SEARCHES.map(|iterations| {
        let title = format!("Search with {iterations} iterations");
        let description =
            "Tries continuations before each decision. More iterations are stronger and slower.";
        BotOffer::new(search_name(iterations), title, description)
    });
    let added = library.added_bots.iter().map(|bot| {
        BotOffer::new(bot.name(), format!("Bot {}", bot.name()), "A bot of this program.")
    });
    let kinds = [BotKind::Random, BotKind::RandomKind, BotKind::Flat, BotKind::Uct]
        .map(|kind| BotOffer::new(kind.name(), kind.name(), kind.description()));
    let all =
        searches.into_iter().chain(added).chain(profiles.profile_names().filter_map(of_profile));
    let mut others: Vec<_> = all.chain(kinds).collect();
    others.retain(|bot| opponents.iter().all(|opponent| opponent.name != bot.name));
    let (bots, more_bots) =
        if opponents.is_empty() { (others, Vec::new()) } else { (opponents, others) };
    let proposed = profiles.first_opponent().map(|opponent| opponent.bot.clone());
    let proposed = proposed.unwrap_or_else(|| search_name(PROPOSED_SEARCH));
    let proposed_bot = bots.iter().position(|bot| bot.name == proposed).unwrap_or_default();
    PlayersOffer { players: profiles.players, bots, more_bots, proposed_bot, modes: game.modes() }
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

impl From<&Opponent> for BotOffer {
    fn from(Opponent { title, bot, character, rating, games, .. }: &Opponent) -> Self {
        let text = rating.as_ref().map(|rating| {
            let half = ((rating.high - rating.low) / 2.0).round();
            let half = if half > 0.0 { format!(" ± {half}") } else { String::new() };
            format!(" Rating {}{half}, measured in {games} games.", rating.value)
        });
        let description = format!("{character}{}", text.unwrap_or_default());
        Self { rating: *rating, ..Self::new(bot, *title, description) }
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
    // Opponents of former versions, whose games browsers keep, were profiles with these options.
    let mut options = name.split(':');
    let head = options.next().unwrap_or_default();
    let is_former =
        options.all(|option| option.starts_with("noise=") || option.starts_with("candidates="));
    KINDS.iter().any(|kind| kind.name() == name)
        || library.profiles.profiles.iter().any(|(profile, _)| *profile == head) && is_former
        || library.profiles.opponent(name).is_some()
        || library.added_bots.iter().any(|bot| bot.name() == name)
        || iterations.is_some_and(|number| number.is_ok_and(|number| number <= MAX_ITERATIONS))
}
