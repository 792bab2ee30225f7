//! The question of a run, asked of every bot of the panel on the same deals, and the answer.

use super::setup::RunSetup;
use crate::{
    bots::defaults::MeasuredElo,
    stats::{elo::expected_score, paired::MIN_BLOCKS},
    study::shared::{
        convergence::Convergence,
        panel_verdict::{AskedBot, Margins, PanelFigure, PanelJudgement, PanelVerdict},
        prelude::*,
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

    /// Returns true if the rate has a fair value, so that the panel has a verdict. How often people
    /// win together is a difficulty, and depends on the bot by its nature.
    const fn has_fair_rate(self) -> bool {
        matches!(self, Self::FirstPlayer)
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
    bots: Vec<AskedBot>,
    judgement: PanelJudgement,
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
        let bots: Vec<_> = played
            .iter()
            .map(|&(bot, elo, tally)| AskedBot {
                name: bot.to_owned(),
                games: tally.games,
                elo: elo.map(|elo| elo.value),
            })
            .collect();
        let untested =
            played.iter().map(|(.., tally)| TestedEffect::untested(question.rate(tally)));
        let figure = PanelFigure::new(question.rate_name(), Metric::WinShare, untested);
        let convergence = Convergence::new(&bots, false, [figure.clone()]);
        // A question of its own: all bots must answer it, so that none is a choice among several.
        let figures = test_effects(&differences.iter().map(|one| vec![*one]).collect::<Vec<_>>());
        let judgement = PanelJudgement::new(&bots, PanelFigure { figures, ..figure });
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
        Some(Self { setup, question, rows, bots, judgement, convergence })
    }

    /// Returns the strongest bot, if the strength of all bots was measured or they are budgets of
    /// one search, else the first.
    pub(crate) fn headline(&self) -> (&PanelRow<'a>, bool) {
        if self.convergence.is_some() {
            return (&self.rows[self.rows.len() - 1], true);
        }
        let elo = |row: &PanelRow<'_>| row.elo.map(|elo| elo.value);
        let is_measured = self.rows.len() > 1 && self.rows.iter().all(|row| row.elo.is_some());
        let by_elo = |one: &&PanelRow<'_>, other: &&PanelRow<'_>| {
            elo(one).partial_cmp(&elo(other)).unwrap_or(std::cmp::Ordering::Equal)
        };
        let strongest = self.rows.iter().max_by(by_elo).filter(|_| is_measured);
        (strongest.unwrap_or(&self.rows[0]), is_measured)
    }

    /// Returns true if a bot searches longest, or if its strength lies above that of all others of
    /// the panel by more than chance.
    fn is_shown_to_be_strongest(&self, row: &PanelRow<'_>) -> bool {
        let ends = |row: &PanelRow<'_>| row.elo.map(|elo| [elo.ci_low, elo.ci_high]);
        let is_above = |other: &PanelRow<'_>| {
            std::ptr::eq(row, other)
                || ends(row).zip(ends(other)).is_some_and(|([low, _], [_, high])| high < low)
        };
        self.convergence.is_some() || self.rows.iter().all(is_above)
    }

    /// Returns the bot that confirms what the first one found: the last search of the panel or, if
    /// there is none, the strongest bot, unless it is the first.
    pub(crate) fn confirming(&self) -> Option<&PanelRow<'a>> {
        let others = &self.rows[1..];
        let search = others.iter().rev().find(|row| row.bot.starts_with("mcts"));
        search.or_else(|| others.iter().find(|row| std::ptr::eq(*row, self.headline().0)))
    }

    /// Returns the sentence with the rate of the strongest bot.
    pub(crate) fn headline_sentence(&self) -> String {
        let players = self.setup.identity.players;
        let (row, is_strongest) = self.headline();
        let rate = format_percent(row.rate);
        let games = format_count(row.tally.games, "game");
        let of_players = format_count(players, "player");
        let strongest = match is_strongest {
            true if self.is_shown_to_be_strongest(row) => ", the strongest bot of the panel",
            true => ", the bot of the panel with the highest rating",
            false => "",
        };
        match self.question {
            PanelQuestion::FirstPlayer => {
                let wins_all = row.tally.health.nobody_won.x == 0;
                let fair = if wins_all {
                    format!("a fair share is {}", fair_share(players))
                } else {
                    let mean = row.rate.value - row.difference.effect.value;
                    let mean = if mean.is_finite() { mean } else { row.rate.value };
                    let mean = Unit::Percent.format_number(mean, 1);
                    format!("the mean of all turn positions is {mean} %")
                };
                format!(
                    "The first player wins {rate} of {games} with {of_players} and {} in all \
                     seats{strongest}; {fair}.",
                    player_text(row.bot)
                )
            }
            PanelQuestion::GamesWon => {
                let strongest = if is_strongest { format!("{strongest},") } else { String::new() };
                let together = if players == 1 { "" } else { " together" };
                format!(
                    "{}{strongest} wins {rate} of {games} with {of_players}{together}.",
                    row.bot
                )
            }
        }
    }

    /// Returns the verdict; `None` if the question has none.
    pub(crate) fn verdict(&self) -> Option<PanelVerdict> {
        self.question.has_fair_rate().then_some(self.judgement.verdict)
    }

    /// Returns the reason for the verdict of several bots.
    fn verdict_reason(&self) -> String {
        const MEAN: &str = "than the mean of all turn positions";
        let usable = self.rows.iter().zip(&self.judgement.is_usable);
        let usable: Vec<_> = usable.filter(|(_, usable)| **usable).map(|(row, _)| row).collect();
        let bots = |is_of_side: &dyn Fn(f64) -> bool| {
            let rows = usable.iter().filter(|row| is_of_side(row.difference.effect.value));
            join_with_and(rows.map(|row| row.bot.to_owned()))
        };
        let (more, less) = (bots(&|value| value > 0.0), bots(&|value| value <= 0.0));
        let count = usable.len();
        match self.judgement.verdict {
            PanelVerdict::OneBot => String::new(),
            PanelVerdict::Robust | PanelVerdict::RobustWithoutStrongest => {
                let side = if less.is_empty() { "more" } else { "less" };
                format!("significantly {side} {MEAN} with {} bots", all_of(count))
            }
            PanelVerdict::DependsOnBot => {
                format!("the bots differ: more {MEAN} with {more}, and less with {less}")
            }
            PanelVerdict::NoChange => {
                let margin = Margins::default().rate;
                format!("within {} of the mean with {} bots", margin_words(margin), all_of(count))
            }
            PanelVerdict::Open if count < 2 => "fewer than 2 bots have enough games".to_owned(),
            PanelVerdict::Open => format!("no common answer of {count} bots"),
        }
    }

    /// Returns the sentence with the label of the verdict.
    pub(crate) fn verdict_sentence(&self) -> LabelledSentence {
        match &self.rows[..] {
            [only] => LabelledSentence::of_one_lineup(only.bot),
            _ => LabelledSentence {
                label: self.judgement.verdict.label(),
                rest: format!(": {}{}.", self.verdict_reason(), self.judgement.details(&self.bots)),
            },
        }
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

/// Returns the number of bots after `with`.
fn all_of(count: usize) -> String {
    if count == 2 { "both".to_owned() } else { format!("all {count}") }
}

/// Returns the win rate of each of this many equal players as text.
fn fair_share(players: usize) -> String {
    let share = 1.0 / players as f64;
    let is_whole = 100 % players == 0;
    format!("{} %", Unit::Percent.format_number(share, usize::from(!is_whole)))
}
