//! The rungs of a ladder, and the pairings that are played.

use anyhow::{Context as _, bail};

use super::arguments::SkillArguments;
use crate::{
    bots::{BotFactory, profile::BotLibrary},
    run::panel::{PanelEntry, default_panel},
    study::shared::pairing::Pairing,
};

/// Names of the searches of the default ladder, by iterations.
const SEARCHES: [(&str, u64); 2] = [("mcts:iterations=100", 100), ("mcts:iterations=1000", 1000)];

/// Name of the weakest bot.
const RANDOM: &str = "random";

/// Games of a search with 50 iterations in all seats, where the panel of the game has none.
const DEFAULT_SEARCH_GAMES: u64 = 400;
const DEFAULT_ITERATIONS: u64 = 50;

/// The bots of a ladder from weak to strong.
#[derive(Clone, Debug)]
pub(super) struct Ladder {
    pub(super) bots: Vec<BotFactory>,
    /// The names with the maximum numbers of games.
    pub(super) entries: Vec<PanelEntry>,
}

/// The reason why a rung plays another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RungComparison {
    /// True if the other is the rung below.
    pub(super) is_below: bool,
    /// True if both are the same search, the other with a tenth of the iterations.
    pub(super) is_tenth: bool,
}

impl RungComparison {
    /// The words in tables.
    pub(super) const WORDS: [&str; 2] = ["below", "tenth"];

    /// Returns the words in tables, joined by `+`.
    pub(super) fn words(self) -> String {
        let words = Self::WORDS.into_iter().zip([self.is_below, self.is_tenth]);
        words.filter_map(|(word, holds)| holds.then_some(word)).collect::<Vec<_>>().join("+")
    }
}

impl Ladder {
    /// Reads the rungs of the command line, or the default ladder of the game.
    pub(super) fn read(
        arguments: &SkillArguments,
        library: &BotLibrary,
        players: usize,
    ) -> anyhow::Result<Self> {
        let entries = arguments.rungs.clone().unwrap_or_else(|| default_rungs(library, players));
        if entries.len() < 2 {
            bail!("--rungs: expected at least two bots, found {}", entries.len());
        }
        let is_repeated = |&(index, entry): &(usize, &PanelEntry)| {
            entries[..index].iter().any(|other| other.bot == entry.bot)
        };
        if let Some((_, entry)) = entries.iter().enumerate().find(is_repeated) {
            bail!("--rungs: expected different bots, found `{}` twice", entry.bot);
        }
        let read = |entry: &PanelEntry| library.read(&entry.bot).context("--rungs");
        let bots = entries.iter().map(read).collect::<Result<_, _>>()?;
        Ok(Self { bots, entries })
    }
}

impl Ladder {
    /// Returns the pairings by rung, with the reason and the maximum number of games.
    pub(super) fn pairings(&self) -> Vec<(Pairing, RungComparison, Option<u64>)> {
        let mut pairings = Vec::new();
        for bot in 0..self.bots.len() {
            for opponent in (0..bot).rev() {
                let comparison = RungComparison {
                    is_below: opponent + 1 == bot,
                    is_tenth: is_tenth(&self.bots[opponent], &self.bots[bot]),
                };
                if comparison.is_below || comparison.is_tenth {
                    let limits = [bot, opponent].map(|rung| self.entries[rung].games);
                    let limit = limits.into_iter().flatten().min();
                    pairings.push((Pairing { bot, opponent }, comparison, limit));
                }
            }
        }
        pairings
    }
}

/// Returns the number of iterations of a search.
fn iterations(bot: &BotFactory) -> Option<u64> {
    bot.parameters().get("iterations")?.as_u64()
}

/// Returns true if `other` is the same search as `bot` with a tenth of the iterations.
fn is_tenth(other: &BotFactory, bot: &BotFactory) -> bool {
    let without_iterations = |bot: &BotFactory| {
        let mut parameters = bot.parameters().clone();
        parameters.as_object_mut().map(|parameters| parameters.remove("iterations"));
        (parameters, bot.parts().to_vec())
    };
    let [few, many] = [other, bot].map(iterations);
    few.zip(many).is_some_and(|(few, many)| few * 10 == many)
        && without_iterations(other) == without_iterations(bot)
}

/// Returns the default ladder: random choices, the bots of the panel that do not search, and two
/// searches. Each search plays about as many iterations as that of the panel in a simulation.
fn default_rungs(library: &BotLibrary, players: usize) -> Vec<PanelEntry> {
    let panel = default_panel(library);
    let searched = |entry: &PanelEntry| {
        let bot = library.read(&entry.bot).ok()?;
        Some((iterations(&bot)?, entry.games?))
    };
    let (iterations, games) =
        panel.iter().find_map(searched).unwrap_or((DEFAULT_ITERATIONS, DEFAULT_SEARCH_GAMES));
    let all_iterations = iterations * games * players as u64;
    let is_search = |entry: &&PanelEntry| searched(entry).is_some();
    // The panel starts with the strongest, unless the strengths were measured.
    let mut bots: Vec<_> = panel.iter().rev().filter(|entry| !is_search(entry)).collect();
    let elo = |entry: &&PanelEntry| {
        let measured = library.profiles.panel.iter().find(|measured| measured.bot == entry.bot);
        measured.and_then(|measured| measured.elo).map(|[elo, ..]| elo)
    };
    if bots.iter().all(|entry| elo(entry).is_some()) {
        bots.sort_by(|one, other| elo(one).partial_cmp(&elo(other)).unwrap_or_else(|| 0.cmp(&0)));
    }
    let bots = bots.into_iter().map(|entry| entry.bot.as_str()).filter(|bot| *bot != RANDOM);
    let unlimited = |bot: &str| PanelEntry { bot: bot.to_owned(), games: None };
    let mut rungs: Vec<_> = std::iter::once(RANDOM).chain(bots).map(unlimited).collect();
    let mut below = 0;
    for (bot, iterations) in SEARCHES {
        let per_game = iterations + below * (players as u64 - 1);
        let games = (all_iterations / per_game / 2).max(players as u64);
        let games = if below == 0 { games } else { 2 * games };
        rungs.push(PanelEntry { bot: bot.to_owned(), games: Some(games) });
        below = iterations;
    }
    rungs
}
