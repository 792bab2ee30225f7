//! Rankings of items, put to the test: a bot plays by each ranking against itself.

use maud::html;

use super::tallied_games::{GAMES_OF_TEST, TalliedGames};
use crate::{
    arena::{
        run::Experiment,
        tally::{ALL_SEATS, Tally},
    },
    bots::BotFactory,
    bound::BoundGame,
    experiments::ranking::ItemRanking,
    game::{ItemCatalog, ItemId, ItemTable, UNITS_PER_WIN},
    report::{
        data_table::{Columns, DataTable},
        html::{Section, Unit, format_percent, group_digits},
        provenance::Claim,
    },
    run::{lineups::player_text, study_run::StudyRun},
    stats::{
        independent::{IndependentDifference, SampleValue},
        ratio::{Estimate, Ratio},
    },
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

/// A ranking of the items of a table, and the games of a bot that follows it, or the reverse
/// ranking, against the same bot without it.
#[derive(Clone, Debug)]
pub(crate) struct PlayedRanking {
    /// The items, in the plural.
    items: String,
    ranked_by: RankedBy,
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

/// The measure by which a ranking orders items.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RankedBy {
    /// Win rates of the owners of an item, compared with other seats.
    OwnerWins,
    /// Access: what being allowed to take an item is worth.
    Access,
}

impl RankedBy {
    const fn name(self) -> &'static str {
        match self {
            Self::OwnerWins => "the win rates of owners",
            Self::Access => "access",
        }
    }

    /// Returns a sentence on the limits of the measure.
    const fn limit(self) -> &'static str {
        match self {
            Self::OwnerWins => "A win rate of owners is an association.",
            Self::Access => {
                "Access is a mean over all forks; an item may be worth more or less in a position."
            }
        }
    }
}

/// A ranking of the items of a table.
#[derive(Clone, Debug)]
pub(crate) struct RankedTable {
    /// The items, in the plural.
    items: String,
    ranking: ItemRanking,
}

impl RankedTable {
    /// Ranks the items of a table, the highest value first; `None` if a seat can't choose among
    /// them, or fewer than two have a value.
    pub(crate) fn new(
        catalog: &ItemCatalog,
        table: &ItemTable,
        values: impl IntoIterator<Item = (ItemId, f64)>,
    ) -> Option<Self> {
        // Roles are dealt, so nobody can follow a ranking of them.
        let is_chosen = table.data_key.is_some() && table.offered;
        let mut ranking = vec![None; catalog.len()];
        for (item, value) in values {
            ranking[item.index()] = value.is_finite().then_some(value);
        }
        let has_order = ranking.iter().flatten().count() > 1;
        let items = table.name.replace('_', " ");
        (is_chosen && has_order).then_some(Self { items, ranking })
    }
}

/// The games that put rankings to the test: a bot plays by each ranking, and by its reverse,
/// against itself.
pub(crate) struct RankingGames<'a> {
    pub(crate) game: &'a BoundGame,
    pub(crate) bot: &'a BotFactory,
    pub(crate) ranked_by: RankedBy,
    /// Games of the study by the bot, of which the test has a part.
    pub(crate) games: u64,
    pub(crate) seed: u64,
    /// The first block that the study has not played.
    pub(crate) first_block: u64,
}

impl RankingGames<'_> {
    /// Plays the games. None are played if the study is interrupted or has too few games, if no
    /// player can win alone, or if the bot is no quick player. A shard can't know the ranking.
    ///
    /// # Errors
    /// If a checkpoint can't be read or written.
    pub(crate) fn play(
        &self,
        study: &mut StudyRun<'_>,
        rankings: &[RankedTable],
    ) -> anyhow::Result<Vec<PlayedRanking>> {
        let &Self { game, bot, ranked_by, seed, first_block, .. } = self;
        let players = game.seats();
        let games = GAMES_OF_TEST.of_run(self.games);
        let is_competitive = players > 1 && !game.is_cooperative();
        let is_tested = study.is_complete() && bot.is_quick_player();
        if games == 0 || !is_competitive || !is_tested {
            return Ok(Vec::new());
        }
        let both = rankings.iter().flat_map(|RankedTable { items, ranking }| {
            let name = format!("{} by the ranking of {items}", bot.name());
            let reversed = ranking.iter().map(|rank| rank.map(|rank| -rank)).collect();
            [(format!("{name}, reversed"), reversed), (name, ranking.clone())]
        });
        let lineups = both.map(|(name, ranking)| {
            let follower = game.ranking_bot(bot, &name, ranking);
            let others = std::iter::repeat_n(bot.clone(), players - 1);
            [follower].into_iter().chain(others).collect::<Vec<_>>()
        });
        let lineups: Vec<_> = lineups.collect();
        let blocks = games.div_ceil(players as u64);
        let experiments = (0..).zip(&lineups).map(|(place, lineup): (u64, _)| {
            let first = first_block + place * blocks;
            let experiment = Experiment::new(lineup, seed, first..first + blocks);
            TalliedGames { game, experiment }
        });
        let experiments: Vec<_> = experiments.collect();
        let experiments: Vec<_> = experiments.iter().map(TalliedGames::boxed).collect();
        let message = |place: usize, _: &Tally| lineups[place][0].name().to_owned();
        let tallies = study.play(&experiments, message)?;
        let pairs = tallies.chunks_exact(2).map(|pair| [pair[1].clone(), pair[0].clone()]);
        let fair = 1.0 / players as f64;
        let played = rankings.iter().zip(pairs).map(|(table, tallies)| PlayedRanking {
            items: table.items.clone(),
            ranked_by,
            tallies,
            fair,
        });
        Ok(played.filter(|ranking| ranking.tallies.iter().all(|tally| tally.games > 0)).collect())
    }
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
        "Rankings by {}, followed by {} against itself without them ({} % is fair): {results}.",
        first.ranked_by.name(),
        player_text(bot),
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
            (rankings[0].ranked_by.limit())
            " Here one seat takes, wherever the bot takes an item, the one that ranks highest \
             among those to which the bot gives at least a quarter of the chance of its favourite. \
             The ranking is that of this study, the games are of other deals."
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
pub(crate) fn columns<'a>() -> Columns<&'a PlayedRanking> {
    let title = "One row for each table of components: a bot in one seat follows the ranking of \
                 its items, the same bot without it has the other seats.";
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
