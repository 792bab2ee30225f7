//! The opponent with a name whose games are the most like those of people.

use super::{playtest_file::PlaytestFile, playtests::figures};
use crate::{
    bots::opponents::Opponent,
    rng::{Purpose, stream},
    run::command::RepeatCommand,
    study::shared::prelude::*,
};

/// Resamples of the games of people, from which the certainty of the nearest opponent is found.
const RESAMPLES: u64 = 200;
/// Iterations beyond which the games of a search take too long.
const MAX_ITERATIONS: u64 = 200;
/// Shares of resamples below this one are not named, and no more than this number of others.
const MIN_SHARE: f64 = 0.05;
const MAX_OTHERS: usize = 2;

/// Returns the opponents with which people are compared, with their bots: all but long searches.
pub(super) fn levels(game: &BoundGame) -> Result<Vec<(&Opponent, BotFactory)>, ConfigError> {
    let opponents = game.library().profiles.opponents.iter();
    let levels = opponents.map(|opponent| Ok((opponent, game.library().read(&opponent.bot)?)));
    let iterations = |bot: &BotFactory| bot.parameters()["iterations"].as_u64().unwrap_or_default();
    let is_compared = |level: &Result<(_, BotFactory), _>| {
        level.as_ref().map_or(true, |(_, bot)| iterations(bot) <= MAX_ITERATIONS)
    };
    levels.filter(is_compared).collect()
}

/// Names the opponent under which the points and the items of people are the likeliest, as if these
/// were independent, with the share of bootstrap samples of their games in which it is. The second
/// sentence has the command that asks the same question with it. `tallies` are of [`levels`].
pub(super) fn level_sentences(
    game: &BoundGame,
    file: &PlaytestFile,
    tallies: &[Tally],
    command: &RepeatCommand,
) -> Result<[String; 2], ConfigError> {
    let levels = levels(game)?;
    let nearest = |file: &PlaytestFile| {
        let misfits = tallies.iter().map(|tally| misfit(game, file, tally)).enumerate();
        misfits.min_by(|one, other| one.1.total_cmp(&other.1)).map_or(0, |(level, _)| level)
    };
    let mut counts = vec![0_u64; tallies.len()];
    for sample in 0..RESAMPLES {
        counts[nearest(&file.resample(&mut stream(1, sample, 0, Purpose::Playout)))] += 1;
    }
    let share = |level: usize| counts[level] as f64 / RESAMPLES as f64;
    let text = |level: usize| {
        let Opponent { title, rating, .. } = levels[level].0;
        let rating = rating.map(|rating| format!(" ({:.0})", rating.value));
        format!("{title}{}", rating.unwrap_or_default())
    };
    let best = nearest(file);
    let mut others: Vec<_> =
        (0..tallies.len()).filter(|&one| one != best && share(one) >= MIN_SHARE).collect();
    others.sort_by(|&one, &other| share(other).total_cmp(&share(one)));
    let others = others.iter().take(MAX_OTHERS);
    let others = others.map(|&one| format!(", {} in {:.0} %", text(one), 100.0 * share(one)));
    let title = levels[best].0.title;
    let sentence = format!(
        "Of the opponents, {} plays most like these people by points and items, in {:.0} % of \
         {RESAMPLES} bootstrap samples of their games{}. --bots {title} asks at this level.",
        text(best),
        100.0 * share(best),
        others.collect::<String>(),
    );
    Ok([sentence, format!("At this level: {}", command.with("--bots", Some(title)))])
}

/// Returns -2 times the logarithm of the likelihood of the points and the items of people under the
/// distribution of a bot, up to a constant.
fn misfit(game: &BoundGame, file: &PlaytestFile, bot: &Tally) -> f64 {
    let figures = figures(game, file, bot);
    let compared = figures.iter().filter(|figure| ["mean_score", "taken"].contains(&figure.key));
    let terms = compared.map(|figure| {
        let difference = figure.people.estimate().value - figure.bot.estimate().value;
        // That of the bot has both: its games vary as those of people would.
        let of_bot = figure.bot.variance().max(f64::MIN_POSITIVE);
        let games = figure.bot.blocks() as f64 / figure.people.blocks() as f64;
        let variance = of_bot * (1.0 + games);
        difference.powi(2) / variance + variance.ln()
    });
    terms.sum()
}
