//! The main results in sentences.

use maud::{Markup, html};

use super::RunPage;
use crate::{
    arena::tally::Tally,
    bound::BoundGame,
    report::{
        chart::ReferenceLine,
        data_table::DataTable,
        html::{Unit, format_count, format_percent, group_digits, join_with_and},
        study_report::LabelledSentence,
    },
    run::lineups::player_kind,
    stats::ratio::Estimate,
    study::simulate::{
        analysis::{ExpectedShare, RunAnalysis},
        panel::{PanelAnalysis, PanelQuestion},
    },
};

/// Maximum number of conditions of winning that a sentence names.
const MAX_CONDITIONS: usize = 2;
/// More rates than this are counted in a sentence instead of named.
const MAX_NAMED: usize = 5;

impl ExpectedShare {
    /// Returns the value as text.
    fn percent(self) -> String {
        let is_whole = (100.0 * self.value).fract() == 0.0;
        format!("{} %", Unit::Percent.format_number(self.value, usize::from(!is_whole)))
    }

    /// Returns the line of charts at this value.
    pub(super) fn reference_line(self) -> ReferenceLine {
        ReferenceLine { value: self.value, name: format!("expected share, {}", self.percent()) }
    }

    /// Returns the sentence that compares win rates with this value by their intervals.
    fn compare_rates(self, rates: &[(String, Estimate)]) -> String {
        let percent = self.percent();
        let names = |is_chosen: &dyn Fn(Estimate) -> bool| {
            let chosen = rates.iter().filter(|(_, rate)| is_chosen(*rate));
            chosen.map(|(name, _)| name.clone()).collect::<Vec<_>>()
        };
        let above = names(&|rate| rate.low > self.value);
        let below = names(&|rate| rate.high < self.value);
        let included = rates.len() - above.len() - below.len();
        if above.is_empty() && below.is_empty() {
            let intervals = match rates.len() {
                1 => "the 95 % interval includes",
                _ => "all 95 % intervals include",
            };
            return format!(
                "No significant difference from the expected share: {intervals} {percent}."
            );
        }
        if rates.len() > MAX_NAMED {
            return format!(
                "Of {} 95 % intervals, {} lie above the expected share of {percent}, {} below, and \
                 {included} include it; about 1 in 20 would exclude it by chance.",
                rates.len(),
                above.len(),
                below.len(),
            );
        }
        let side = |(names, side): (&[String], &str)| {
            let verb = if names.len() == 1 { "wins" } else { "win" };
            (!names.is_empty()).then(|| format!("{} {verb} {side}", join_with_and(names)))
        };
        let sides: Vec<_> =
            [(&above[..], "more"), (&below, "less")].into_iter().filter_map(side).collect();
        format!(
            "Compared with the expected share of {percent}, {} (95 % intervals exclude it).",
            join_with_and(&sides)
        )
    }
}

/// Returns the sentence on the win rate of equal bots and, if nobody won some games, on these.
pub(crate) fn share_text(analysis: &RunAnalysis<'_>) -> String {
    let share = analysis.expected_share;
    let nobody_won = if share.always_won {
        String::new()
    } else {
        format!("; nobody won {} of the games", format_percent(analysis.share_nobody_won()))
    };
    format!("The expected share of equal bots is {}{nobody_won}.", share.percent())
}

/// Returns the sentence on the games that each bot of a panel wins, the weakest first.
fn difficulty_sentence(panel: &PanelAnalysis<'_>, players: usize) -> String {
    let mut rows: Vec<_> = panel.rows.iter().collect();
    rows.sort_by(|one, other| one.rate.value.total_cmp(&other.rate.value));
    let [article, plural, verb] =
        if players == 1 { ["a ", "", " wins"] } else { ["", "s", " win"] };
    let shown = rows.into_iter().enumerate().map(|(index, row)| {
        let skill = player_kind(row.bot).unwrap_or("quick");
        let Estimate { n, value, low, high } = row.rate;
        let [value, low, high] =
            [value, low, high].map(|rate| Unit::Decimals(0).format_number(100.0 * rate, 0));
        let (bot, n) = (row.bot, group_digits(n));
        let verb = if index == 0 { verb } else { "" };
        format!("{article}{skill} player{plural} ({bot}, n {n}){verb} {value} [{low}, {high}]")
    });
    format!("Of 100 games, {}.", join_with_and(&shown.collect::<Vec<_>>()))
}

/// Returns a clause such as `name won 51.2 % [50.5, 51.9] of 20,000 games`.
pub(super) fn win_rate_clause(name: &str, rate: Estimate, of: &str) -> String {
    format!("{name} won {} of {}", format_percent(rate), format_count(rate.n as u64, of))
}

impl RunPage<'_> {
    /// Returns the sentence that compares win rates with the expected share, after a space; empty
    /// for a single player.
    pub(super) fn comparison(&self, rates: &[(String, Estimate)]) -> String {
        if !self.is_competitive() {
            return String::new();
        }
        format!(" {}", self.analysis.expected_share.compare_rates(rates))
    }

    /// Returns the main result of the run.
    pub(crate) fn conclusion(&self, game: &BoundGame) -> String {
        if self.analysis.tally.games == 0 {
            return "No game was finished.".to_owned();
        }
        if let Some(sentence) = self.invalid {
            return sentence.to_owned();
        }
        let mut sentences = Vec::new();
        match self.panel {
            Some(panel) if panel.question == PanelQuestion::GamesWon => {
                sentences.extend([
                    difficulty_sentence(panel, self.analysis.players()),
                    self.nobody_won_sentence(game),
                ]);
            }
            Some(panel) => {
                sentences.extend([self.nobody_won_sentence(game), panel.headline_sentence()]);
                let first_player = panel.headline().0.difference.effect.value.abs();
                let mean = self.analysis.expected_share.value;
                let largest = self.outliers.map_or(0.0, |found| found.largest_distance(mean));
                let is_larger = largest > first_player;
                sentences.insert(if is_larger { 1 } else { 2 }, self.outlier_sentence());
            }
            None => {
                let nobody_won = self.nobody_won_sentence(game);
                let is_short = !nobody_won.is_empty();
                sentences.extend([nobody_won, self.ranking(is_short), self.outlier_sentence()]);
            }
        }
        sentences.retain(|sentence| !sentence.is_empty());
        sentences.join(" ")
    }

    /// Returns the label of the panel; `None` if a difficulty is reported, which has no fair value.
    pub(crate) fn verdict(&self) -> Option<LabelledSentence> {
        let panel = self
            .panel
            .filter(|panel| panel.question == PanelQuestion::FirstPlayer && self.invalid.is_none());
        panel.map(PanelAnalysis::verdict_sentence)
    }

    /// Renders the answers of the bots of a panel.
    pub(super) fn panel_table(panel: &PanelAnalysis<'_>, table: &DataTable) -> Markup {
        match panel.question {
            PanelQuestion::FirstPlayer => panel.table(table),
            PanelQuestion::GamesWon => {
                let columns = ["bot", "rate", "games"];
                let mut shown = table.view().select(&columns).html("Difficulty by bot");
                "games won".clone_into(&mut shown.headings[1]);
                html! { (shown) }
            }
        }
    }

    /// Returns the outliers that the search of the panel does not confirm.
    pub(crate) fn unconfirmed_outliers(&self) -> Option<LabelledSentence> {
        self.outliers.and_then(|outliers| outliers.unconfirmed(&self.bots()))
    }

    fn outlier_sentence(&self) -> String {
        self.outliers.map_or_else(String::new, |outliers| outliers.sentence(&self.bots()))
    }

    /// Returns the sentence on the share of the games that nobody won, if that is most of them, and
    /// on the conditions of winning that failed.
    fn nobody_won_sentence(&self, game: &BoundGame) -> String {
        let Tally { games, health, round_metrics, .. } = self.analysis.tally;
        if health.nobody_won.x * 2 <= *games as i64 {
            return String::new();
        }
        let share = format_percent(self.analysis.share_nobody_won());
        let metrics = game.round_metrics().iter().zip(&round_metrics.end);
        let conditions = metrics.filter(|(metric, end)| metric.is_condition && end.ratio.n > 0);
        let mut conditions: Vec<_> = conditions.collect();
        conditions.sort_by(|(_, one), (_, other)| one.value().total_cmp(&other.value()));
        let shown = conditions.iter().take(MAX_CONDITIONS).map(|(metric, end)| {
            let failed = format_percent(end.ratio.rate(1).complement());
            format!("{} {failed}", metric.name.replace('_', " "))
        });
        let shown: Vec<_> = shown.collect();
        let reason = match shown.as_slice() {
            [] => String::new(),
            [one] => {
                format!(" The condition that failed: {one} of those who needed it.")
            }
            [..] => format!(
                " The conditions that failed most often: {} of those who needed it.",
                join_with_and(&shown)
            ),
        };
        format!(
            "Nobody won {share} of {} with {}.{reason}",
            format_count(*games, "game"),
            join_with_and(&self.analysis.bot_names()),
        )
    }

    /// Returns the sentence on the differences between each bot's win rate and the mean of the
    /// other seats, if nobody won some games.
    pub(super) fn difference_sentence(&self) -> Option<String> {
        let differences = self.analysis.differences_from_others();
        if self.analysis.expected_share.always_won || differences.is_empty() {
            return None;
        }
        let shown = differences.into_iter().map(|(bot, difference)| {
            format!("{bot} {}", Unit::PercentagePoints.format_estimate(difference))
        });
        let shown = join_with_and(&shown.collect::<Vec<_>>());
        Some(format!("Difference from the mean of the other seats: {shown}."))
    }

    /// Returns the win rates of the bots, highest first, in short without a comparison of the best.
    fn ranking(&self, is_short: bool) -> String {
        let rates =
            self.analysis.bots().map(|(bot, cell)| (bot, self.analysis.win_rate(&cell.wins)));
        let mut rates: Vec<_> = rates.collect();
        rates.sort_by(|one, other| other.1.value.total_cmp(&one.1.value));
        let games = format_count(self.analysis.tally.games, "game");
        let shown = rates.iter().map(|(bot, rate)| format!("{bot} {}", format_percent(*rate)));
        let ranking = join_with_and(&shown.collect::<Vec<_>>());
        if is_short {
            return format!("Win rates: {ranking}.");
        }
        let [(first, best), (second, next), ..] = rates.as_slice() else {
            return format!("Win rate over {games}: {ranking}.");
        };
        let verdict = if best.low > next.high {
            format!("The 95 % interval of {first} lies above that of {second}.")
        } else {
            format!("The 95 % intervals of {first} and {second} overlap.")
        };
        format!("Win rates over {games}: {ranking}. {verdict}")
    }

    /// Returns the numbers of the run other than win rates.
    pub(super) fn facts(&self) -> Markup {
        let Tally { games, blocks, health, .. } = self.analysis.tally;
        let without_winner = health.nobody_won.x;
        let rounds = health.rounds.mean();
        let decisions = health.decisions.ratio.x as f64 / (*games).max(1) as f64;
        let of_games = [format!("of {}", format_count(*games, "game"))];
        let fact = |name: &str, value: String, notes: &[String]| {
            html! {
                div { dt { (name) } dd { (value) @for note in notes { small { (note) } } } }
            }
        };
        let n = |n: String| format!("n {n}");
        html! {
            dl.facts {
                @let in_blocks = format!("in {}", format_count(*blocks, "block"));
                (fact("games", group_digits(*games), &[in_blocks]))
                @if rounds.n > 0 {
                    @let unit = Unit::Decimals(2);
                    (fact("rounds a game", unit.format_value(rounds), &[
                        unit.format_interval(rounds).unwrap_or_default(),
                        n(group_digits(rounds.n)),
                    ]))
                }
                (fact("decisions a game", Unit::Decimals(1).format_number(decisions, 1), &[
                    "of all seats together".to_owned(),
                    n(group_digits(*games)),
                ]))
                @if self.is_competitive() {
                    (fact("shared wins", group_digits(health.shared_wins.x), &of_games))
                }
                @if without_winner > 0 {
                    (fact("without a winner", group_digits(without_winner), &of_games))
                }
                (fact("ended by the round limit", group_digits(health.capped.x), &of_games))
                @for (bot, games) in self.analysis.forfeits().filter(|&(_, games)| games > 0) {
                    @let name = format!("lost by a failure of {bot}");
                    (fact(&name, group_digits(games as i64), &of_games))
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HALF: ExpectedShare = ExpectedShare { value: 0.5, always_won: true };

    fn rate(name: &str, low: f64, high: f64) -> (String, Estimate) {
        (name.to_owned(), Estimate { n: 100, value: f64::midpoint(low, high), low, high })
    }

    #[test]
    fn claims_only_differences_whose_intervals_exclude_the_expected_share() {
        assert_eq!(
            HALF.compare_rates(&[rate("a", 0.49, 0.60)]),
            "No significant difference from the expected share: the 95 % interval includes 50 %."
        );
        assert_eq!(
            HALF.compare_rates(&[rate("a", 0.49, 0.60), rate("b", 0.40, 0.51)]),
            "No significant difference from the expected share: all 95 % intervals include 50 %."
        );
        assert_eq!(
            HALF.compare_rates(&[
                rate("a", 0.51, 0.60),
                rate("b", 0.40, 0.49),
                rate("c", 0.3, 0.7)
            ]),
            "Compared with the expected share of 50 %, a wins more and b wins less (95 % intervals \
             exclude it)."
        );
    }

    #[test]
    fn counts_many_rates() {
        let rates: Vec<_> =
            (0..8).map(|index| rate("x", 0.45 + f64::from(index) / 100.0, 0.55)).collect();
        let text = HALF.compare_rates(&rates);
        let expected = "Of 8 95 % intervals, 2 lie above the expected share of 50 %, 0 below, and \
                        6 include it";
        assert!(text.starts_with(expected), "{text}");
    }
}
