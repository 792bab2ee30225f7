//! The question of a run, asked of every bot of the panel on the same deals, and the answer.

use super::setup::RunSetup;
use crate::{
    bots::defaults::MeasuredElo,
    stats::{elo::expected_score, paired::MIN_BLOCKS},
    study::shared::{
        convergence::{Convergence, PanelFigure},
        prelude::*,
        verdict::{
            FEW_GAMES, GameVerdict, RatedGame,
            words::{signed, whole},
        },
    },
};

watershed_engine::named! {
    /// The question that every bot of a panel is asked.
    pub(crate) enum PanelQuestion {
        /// Does the first player win more or less often than the mean of all turn positions?
        FirstPlayer = "first_player",
        /// Are more or less than half of the games won? For a single player, and for seats that win
        /// or lose together.
        GamesWon = "games_won",
    }
}

impl PanelQuestion {
    /// Returns the name of the rate.
    const fn rate_name(self) -> &'static str {
        ["the first player wins", "games won"][self as usize]
    }

    /// Returns the question for a game.
    pub(crate) fn of(game: &BoundGame) -> Self {
        if game.seats() > 1 && !game.is_cooperative() { Self::FirstPlayer } else { Self::GamesWon }
    }

    /// Returns the rate of the question, and its difference from the rate of a fair game.
    fn answer(self, tally: &Tally, players: usize) -> (Estimate, Effect) {
        match self {
            Self::FirstPlayer => (
                tally.turn_order[0][0].wins.rate(UNITS_PER_WIN),
                tally.health.turn_positions.deviation_from_mean(0, players, UNITS_PER_WIN),
            ),
            Self::GamesWon => {
                let won = tally.health.nobody_won.rate(1).complement();
                let blocks = tally.blocks as f64;
                let difference = if tally.blocks < MIN_BLOCKS {
                    Effect::unknown(won.n)
                } else {
                    // The standard error of a share of one half.
                    Effect::new(won.n, won.value - 0.5, 0.5 / blocks.sqrt(), blocks - 1.0)
                };
                (won, difference)
            }
        }
    }

    /// Returns the rate of the question with its standard error.
    fn rate(self, tally: &Tally) -> Effect {
        match self {
            Self::FirstPlayer => Effect::of_rate(&tally.turn_order[0][0].wins, UNITS_PER_WIN),
            Self::GamesWon => {
                let lost = Effect::of_rate(&tally.health.nobody_won, 1);
                Effect { value: 1.0 - lost.value, ..lost }
            }
        }
    }
}

/// The answer of a bot of the panel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PanelRow<'a> {
    pub(crate) bot: &'a str,
    pub(crate) tally: &'a Tally,
    pub(crate) rate: Estimate,
    /// The rate minus that of a fair game. The bots of the panel are one family of tests.
    pub(crate) difference: TestedEffect,
    pub(crate) elo: Option<MeasuredElo>,
}

impl PanelRow<'_> {
    /// Returns the share of the games that the bot wins in one seat if the search has the others.
    fn wins_against_search(&self, players: usize) -> Option<Estimate> {
        let MeasuredElo { value, ci_low, ci_high, n } = self.elo?;
        let [value, low, high] = [value, ci_low, ci_high].map(|elo| expected_score(elo, players));
        // The search itself is the reference of all others, without an interval.
        let [low, high] = if low < high { [low, high] } else { [f64::NEG_INFINITY, f64::INFINITY] };
        Some(Estimate { n: n as i64, value, low, high })
    }
}

/// The answers of the bots of a panel.
#[derive(Clone, Debug)]
pub(crate) struct PanelAnalysis<'a> {
    pub(super) setup: &'a RunSetup,
    pub(crate) question: PanelQuestion,
    /// The bots in the order of the panel.
    pub(crate) rows: Vec<PanelRow<'a>>,
    /// The trend of the rate, if the bots are budgets of one search.
    pub(crate) convergence: Option<Convergence>,
}

impl<'a> PanelAnalysis<'a> {
    /// Analyses the games of the panel, or of the only bot; `None` if different bots have the
    /// seats, or if no game was played. `tallies` are those of the lineup and of the further bots.
    pub(crate) fn new(
        setup: &'a RunSetup,
        tallies: &'a [Tally],
        question: PanelQuestion,
    ) -> Option<Self> {
        let tally = tallies.first()?;
        if tally.bots.len() > 1 || tally.games == 0 {
            return None;
        }
        let members = &setup.question.panel;
        let played: Vec<_> = match members.as_slice() {
            [] => vec![(setup.question.bots[0].name.as_str(), None, tally)],
            members => {
                let members = members.iter().map(|member| (member.bot.name.as_str(), member.elo));
                let rows = members.zip(tallies).filter(|(_, tally)| tally.games > 0);
                rows.map(|((bot, elo), tally)| (bot, elo, tally)).collect()
            }
        };
        let answers =
            played.iter().map(|(.., tally)| question.answer(tally, setup.identity.players));
        let (rates, differences): (Vec<_>, Vec<_>) = answers.unzip();
        let untested =
            played.iter().map(|(.., tally)| TestedEffect::untested(question.rate(tally)));
        let figure = PanelFigure {
            name: question.rate_name().to_owned(),
            metric: Metric::WinShare,
            figures: untested.collect(),
        };
        let bots = played.iter().map(|(bot, ..)| *bot);
        let convergence = Convergence::new(bots, false, [figure]);
        let tested = test_effects(&[differences]);
        let rows = played.into_iter().zip(rates).zip(tested);
        let row = |(((bot, elo, tally), rate), difference)| PanelRow {
            bot,
            tally,
            rate,
            difference,
            elo,
        };
        let rows = rows.map(row).collect();
        Some(Self { setup, question, rows, convergence })
    }

    /// Says how sure the answer is: what the bots agree on.
    pub(crate) fn sure(&self, rated: &RatedGame, verdict: &GameVerdict) -> String {
        if rated.games < FEW_GAMES {
            return "few games: only large differences show; more --games tell.".to_owned();
        }
        let rows = &self.rows;
        if rows.len() < 2 {
            return "one quick bot only; a stronger one may differ.".to_owned();
        }
        let bots = rows.len();
        let range = |values: &dyn Fn(usize) -> f64, text: fn(f64) -> String| {
            let values = (0..bots).map(values);
            let (low, high) = values
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), one| {
                    (low.min(one), high.max(one))
                });
            (high - low, format!("{} to {}", text(low), text(high)))
        };
        let (spread, rates) = range(&|bot| 100.0 * rows[bot].rate.value, whole);
        if rated.seats.is_empty() {
            return format!("{bots} bots win {rates} of 100 games.");
        }
        let side = |bot: usize| {
            let Estimate { low, high, .. } = rows[bot].difference.effect.estimate();
            i32::from(low > 0.0) - i32::from(high < 0.0)
        };
        let is_fair_known = rated.seats.len() as f64 * rated.fair_share() > 98.0;
        let agree = (1..bots).all(|bot| side(bot) == side(0));
        let (_, differences) = range(&|bot| 100.0 * rows[bot].difference.effect.value, signed);
        let text = if (0..bots).all(|bot| side(bot) == 0) {
            format!("turn order: {bots} bots find no first-player edge.")
        } else if !is_fair_known {
            let verb = if agree { "agree" } else { "differ" };
            format!("turn order: {bots} bots {verb}, first player {differences} of 100.")
        } else if agree && spread > 2.0 * rated.smallest.seat {
            format!("turn order: {bots} bots agree on the side, not the size ({rates}).")
        } else {
            let verb = if agree { "agree" } else { "differ" };
            format!("turn order: {bots} bots {verb}, {rates} of 100.")
        };
        let has_cards = verdict.ratings.iter().any(Option::is_some);
        let cards = if has_cards && text.len() < 50 { " Cards: one bot." } else { "" };
        text + cards
    }

    /// Returns the sentence on the trend of the rate, if the bots are budgets of one search.
    pub(crate) fn trends(&self) -> Vec<LabelledSentence> {
        self.convergence.as_ref().map(Convergence::sentences).unwrap_or_default()
    }

    /// Returns the difference of the rate of a bot from a fair share, if there is one.
    pub(super) fn tested_difference<'r>(&self, row: &'r PanelRow<'_>) -> Option<&'r TestedEffect> {
        (self.question == PanelQuestion::FirstPlayer).then_some(&row.difference)
    }

    /// Returns the measured strength of a bot; `None` also if games are won without opponents.
    pub(super) fn wins_against_search(&self, row: &PanelRow<'_>) -> Option<Estimate> {
        let has_opponents = self.question == PanelQuestion::FirstPlayer;
        has_opponents.then(|| row.wins_against_search(self.setup.identity.players))?
    }

    /// Returns the note on the strength of the bots; `None` if none was measured.
    fn strength_note(&self) -> Option<String> {
        let n = self.rows.iter().find_map(|row| self.wins_against_search(row))?.n;
        Some(format!(
            "Wins against the search: of the bot in one seat with the search of the default panel \
             in all others, measured once on the default data in {} of each bot. Equal bots win \
             {}.",
            format_count(n, "game"),
            fair_share(self.setup.identity.players)
        ))
    }

    /// Adds the answers of all bots, with their strength.
    pub(crate) fn add_to(&self, report: &mut StudyReport) {
        let row = |row: &PanelRow<'_>| {
            let wins = self.wins_against_search(row).filter(|wins| wins.low.is_finite());
            let note = wins.map(|wins| {
                let wins = Unit::Percent.format_number(wins.value, 0);
                format!("wins {wins} of 100 against the search")
            });
            IntervalRow::new((row.bot.to_owned(), row.rate)).with_note(&note.unwrap_or_default())
        };
        let name = self.question.rate_name();
        let sentence = format!("{}, with each bot in all seats.", capitalize(name));
        let mut chart =
            IntervalChart::new(sentence, Unit::Percent, &[name], self.rows.iter().map(row));
        if self.question == PanelQuestion::FirstPlayer {
            chart = chart.with_reference(1.0 / self.setup.identity.players as f64, "equal players");
        }
        report.page(chart);
        let table = self.data_table();
        // The terminal has no room for the strength beside the differences from unequal shares.
        let (note, is_unequal) = (self.strength_note(), self.has_unequal_shares());
        let strength = note.as_ref().filter(|_| !is_unequal).map(|_| "wins_against_search");
        let last = strength.or(is_unequal.then_some("difference"));
        let columns: Vec<_> = ["bot", "games", "rate"].into_iter().chain(last).collect();
        report.terminal_table(&table.view().select(&columns));
        let mut columns = vec!["bot", "rate", "difference", "p_holm", "games"];
        columns.extend(note.as_ref().map(|_| "wins_against_search"));
        report.page_table(&table.view().select(&columns), "The same question with each bot");
        if let Some(note) = note {
            report.paragraph(&note);
        }
        report.file(table, "");
    }

    /// Returns true if a fair share depends on the bot: nobody won some games.
    fn has_unequal_shares(&self) -> bool {
        self.question == PanelQuestion::FirstPlayer
            && self.rows.iter().any(|row| row.tally.health.nobody_won.x > 0)
    }
}

/// Returns the win rate of each of this many equal players as text.
fn fair_share(players: usize) -> String {
    let share = 1.0 / players as f64;
    let is_whole = 100 % players == 0;
    format!("{} %", Unit::Percent.format_number(share, usize::from(!is_whole)))
}
