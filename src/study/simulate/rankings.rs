//! Rankings of items, put to the test: the bot of the run plays by each ranking against itself.

use maud::html;

use super::{analysis::RunAnalysis, plans::GAMES_OF_TEST, setup::RunSetup};
use crate::{
    arena::{
        run::Experiment,
        tally::{ALL_SEATS, Tally},
    },
    bots::BotFactory,
    bound::BoundGame,
    experiments::ranking::ItemRanking,
    game::{ItemTable, UNITS_PER_WIN},
    report::{
        chart::MIN_OBSERVATIONS,
        data_table::{Columns, DataTable},
        html::{Section, Unit, format_percent, group_digits},
        provenance::Claim,
    },
    run::study_run::StudyRun,
    stats::{
        independent::{IndependentDifference, SampleValue},
        ratio::{Estimate, Ratio},
    },
    study::shared::tallied_games::TalliedGames,
};

/// The worth of a ranking to a bot that follows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Worth {
    /// The bot wins more than a fair share.
    Wins,
    /// It wins less, but more than with the reverse ranking.
    Informs,
    /// It is not shown to win more than with the reverse ranking.
    Nothing,
}

impl Worth {
    /// The names in tables.
    const KEYS: [&'static str; 3] = ["wins", "informs", "nothing"];

    const fn key(self) -> &'static str {
        Self::KEYS[self as usize]
    }
}

/// A ranking of the items of a table by the win rates of their owners, and the games of a bot that
/// follows it, or the reverse ranking, against the same bot without it.
#[derive(Clone, Debug)]
pub(crate) struct PlayedRanking {
    /// The items, in the plural.
    items: String,
    /// The games with the ranking, and with its reverse, of other deals.
    tallies: [Tally; 2],
    fair: f64,
}

impl PlayedRanking {
    /// Returns the win rates of the bot that follows the ranking and its reverse.
    fn rates(&self) -> [Estimate; 2] {
        self.tallies.each_ref().map(|tally| wins(tally).rate(UNITS_PER_WIN))
    }

    fn worth(&self) -> Worth {
        let [followed, reverse] =
            self.tallies.each_ref().map(|tally| SampleValue::Rate(wins(tally), UNITS_PER_WIN));
        let difference = IndependentDifference::new(&reverse, &followed).estimate;
        match self.rates()[0] {
            rate if rate.low > self.fair => Worth::Wins,
            _ if difference.low > 0.0 => Worth::Informs,
            _ => Worth::Nothing,
        }
    }

    /// Returns the number of games.
    pub(crate) fn games(&self) -> u64 {
        self.tallies.iter().map(|tally| tally.games).sum()
    }
}

/// Returns the wins of the bot that follows a ranking.
fn wins(tally: &Tally) -> Ratio {
    tally.bots[0][ALL_SEATS].split_wins
}

/// Plays the bot of the run by the ranking of each table of components against itself, on deals
/// that the run has not played. If the run has too few games, nothing is played.
///
/// # Errors
/// If a checkpoint can't be read or written.
pub(super) fn play(
    study: &mut StudyRun<'_>,
    setup: &RunSetup,
    game: &dyn BoundGame,
    bot: &BotFactory,
    tally: &Tally,
) -> anyhow::Result<Vec<PlayedRanking>> {
    let players = game.seats();
    let games = GAMES_OF_TEST.of_run(tally.games);
    let analysis = RunAnalysis::new(setup, tally);
    if games == 0 || players < 2 || game.is_cooperative() || !analysis.has_equal_bots() {
        return Ok(Vec::new());
    }
    // Roles are dealt, so nobody can follow a ranking of them.
    let is_chosen = |table: &&ItemTable| table.data_key.is_some() && table.offered;
    let tables = game.catalog().tables().iter().filter(is_chosen);
    let rankings: Vec<_> =
        tables.filter_map(|table| Some((table, ranking_of(&analysis, game, table)?))).collect();
    let reversed = |ranking: &ItemRanking| -> ItemRanking {
        ranking.iter().map(|rank| rank.map(|rank| -rank)).collect()
    };
    let both = rankings.iter().flat_map(|(table, ranking)| {
        let name = format!("{} by the ranking of {}", bot.name(), plural(table));
        [(format!("{name}, reversed"), reversed(ranking)), (name, ranking.clone())]
    });
    let lineups = both.map(|(name, ranking)| {
        let follower = game.ranking_bot(bot, &name, ranking);
        let others = std::iter::repeat_n(bot.clone(), players - 1);
        [follower].into_iter().chain(others).collect::<Vec<_>>()
    });
    let lineups: Vec<_> = lineups.collect();
    let blocks = games.div_ceil(players as u64);
    let experiments = (0..).zip(&lineups).map(|(place, lineup): (u64, _)| {
        let first = setup.blocks() + place * blocks;
        let experiment = Experiment::new(lineup, setup.identity.seed, first..first + blocks);
        TalliedGames { game, experiment }
    });
    let experiments: Vec<_> = experiments.collect();
    let experiments: Vec<_> = experiments.iter().map(TalliedGames::boxed).collect();
    let message = |place: usize, _: &Tally| lineups[place][0].name().to_owned();
    let tallies = study.play(&experiments, message)?;
    let pairs = tallies.chunks_exact(2);
    let pairs = pairs.map(|pair| [pair[1].clone(), pair[0].clone()]);
    let played =
        rankings.iter().zip(pairs).filter(|(_, pair)| pair.iter().all(|one| one.games > 0));
    let fair = 1.0 / players as f64;
    let played =
        played.map(|((table, _), tallies)| PlayedRanking { items: plural(table), tallies, fair });
    Ok(played.collect())
}

fn plural(table: &ItemTable) -> String {
    table.name.replace('_', " ")
}

/// Ranks the items of a table by the win rates of their owners; `None` if fewer than two have
/// enough owners.
fn ranking_of(
    analysis: &RunAnalysis<'_>,
    game: &dyn BoundGame,
    table: &ItemTable,
) -> Option<ItemRanking> {
    let mut ranking = vec![None; game.catalog().family_bits().len()];
    let comparisons = analysis.compare_owners(table);
    for (index, comparison) in comparisons.iter().enumerate() {
        let difference = comparison.rates.difference.estimate();
        if difference.n >= MIN_OBSERVATIONS && difference.value.is_finite() {
            ranking[table.ids().get(index).index()] = Some(difference.value);
        }
    }
    (ranking.iter().flatten().count() > 1).then_some(ranking)
}

/// Returns a sentence on the worth of each ranking; `None` without one.
pub(crate) fn sentence(rankings: &[PlayedRanking], bot: &str) -> Option<String> {
    let first = rankings.first()?;
    let result = |ranking: &PlayedRanking| {
        let [rate, reverse] = ranking.rates();
        let verdict = match ranking.worth() {
            Worth::Wins => "worth following",
            Worth::Informs if rate.high < ranking.fair => {
                "better than the reverse, worse than the own judgement of the bot"
            }
            Worth::Informs => "better than the reverse",
            Worth::Nothing => "not shown to be better than the reverse",
        };
        format!(
            "{} {}, reversed {} (n {} each): {verdict}",
            ranking.items,
            format_percent(rate),
            format_percent(reverse),
            group_digits(rate.n)
        )
    };
    let results = rankings.iter().map(result).collect::<Vec<_>>().join("; ");
    Some(format!(
        "Rankings by the win rates of owners, followed by {bot} against itself without them \
         ({} % is fair): {results}.",
        Unit::Percent.format_number(first.fair, 0)
    ))
}

/// Returns the section on rankings; `None` without one.
pub(crate) fn section(rankings: &[PlayedRanking], table: &DataTable, bot: &str) -> Option<Section> {
    let sentence = sentence(rankings, bot)?;
    let body = html! {
        p { (sentence) }
        (table.view().html("Bots that follow a ranking"))
        p.note {
            "A win rate of owners is an association. Here one seat takes, wherever the bot takes \
             an item, the one that ranks highest among those to which the bot gives at least a \
             quarter of the chance of its favourite. The ranking is that of this run, the games \
             are of other deals."
        }
    };
    Some(Section::new("Rankings put to the test", body))
}

/// Tabulates the results; `None` without one.
pub(crate) fn table(rankings: &[PlayedRanking], provenance: &Claim) -> Option<DataTable> {
    let rows = rankings.iter();
    (!rankings.is_empty()).then(|| columns().table(provenance, rows))
}

/// Describes the table.
pub(super) fn columns<'a>() -> Columns<&'a PlayedRanking> {
    let title = "One row for each table of components: the bot of the run in one seat follows the \
                 ranking of its items by the win rates of their owners, the same bot without it \
                 has the other seats.";
    let rate = "Win rate of the seat; games that nobody wins, or several do, are divided among all \
                seats.";
    let reverse = "Win rate of a seat that follows the reverse ranking.";
    let worth = "`wins` if the whole interval lies above a fair share; `informs` if the bot wins \
                 more than with the reverse ranking, by an interval of their difference; else \
                 `nothing`.";
    Columns::<&PlayedRanking>::new("rankings", title)
        .text("items", "ranking of", "Table of components.", |ranking| ranking.items.clone())
        .percent("win_rate", "win rate", rate, |ranking| ranking.rates()[0])
        .n("n", "n")
        .ci("ci")
        .percent("reverse_win_rate", "win rate, reversed", reverse, |ranking| ranking.rates()[1])
        .n("reverse_n", "n, reversed")
        .ci("reverse_ci")
        .word("worth", "worth", &Worth::KEYS, worth, |ranking| ranking.worth().key())
        .provenance()
}
