//! The page of a match.

use super::{
    analysis::{PairingResult, SequentialTest, Standings},
    ladder::{self, Step},
    tables::fit_text,
};
use crate::{
    report::{chart::elide_middle, study_page::estimate_if_finite},
    study::shared::{pairing::MatchMode, prelude::*},
};

impl Standings<'_> {
    /// Adds the sections of the page and the tables, which are those of
    /// [`super::tables::data_tables`].
    pub(super) fn add_sections(
        &self,
        test: Option<&SequentialTest>,
        tables: Vec<DataTable>,
        report: &mut StudyReport,
    ) {
        if let Some(test) = test {
            report.explanation(&test_sentence(test));
        }
        let interval_note = match (test, self.sequence) {
            (Some(_), _) => Some("The intervals are not adjusted for early stopping."),
            (None, Some(_)) => Some(
                "The intervals of this page are those of a confidence sequence, which is valid at \
                 every look at which the match could have stopped.",
            ),
            (None, None) => None,
        };
        let mut tables = tables.into_iter();
        let (crosstable, ratings, ladder) = (tables.next(), tables.next(), tables.next());
        if let Some(table) = ladder {
            ladder::add_section(table, report);
        }
        if let Some(table) = crosstable {
            self.add_win_rates(table, interval_note, report);
        }
        if let Some(table) = ratings {
            self.add_ratings(table, test.is_none(), report);
        }
    }

    /// States which bot is the strongest.
    pub(super) fn answer(&self) -> String {
        match (self.mode, self.bots.len()) {
            (MatchMode::Ladder, _) => self.ladder_sentences(),
            (_, 2) => self.pairing_sentence(0, 1),
            _ => self.ranking_sentence(),
        }
    }

    /// States the results of the highest step of a ladder, and which bots are in the wrong order.
    fn ladder_sentences(&self) -> String {
        let steps = self.steps();
        let Some(top) = steps.last() else { return "No game was played.".to_owned() };
        let mut sentences = top.sentence(self.tally.players.0);
        let disorder: Vec<_> = steps.iter().filter_map(Step::disorder).collect();
        if !disorder.is_empty() {
            sentences += &format!(" The ladder is not in order: {}.", join_with_and(&disorder));
        }
        sentences
    }

    /// States which of two bots is stronger.
    fn pairing_sentence(&self, bot: usize, opponent: usize) -> String {
        let Some(pairing) = self.pairing(bot, opponent) else {
            return "No game was played.".to_owned();
        };
        let [name, other] = [bot, opponent].map(|bot| self.bots[bot]);
        let Estimate { low, high, .. } = pairing.difference;
        let answer = match (pairing.missing_games(), low > 0.0, high < 0.0) {
            (Some(missing), ..) => format!("{missing} of {name} and {other} is stronger"),
            (_, true, _) => format!("{name} is stronger than {other}"),
            (_, _, true) => format!("{other} is stronger than {name}"),
            _ => format!("The games do not show which of {name} and {other} is stronger"),
        };
        let ending = match self.max_games {
            Some(max) if pairing.win_rate.n.unsigned_abs() < max => {
                format!("; the games stopped when this was decided (at most {})", group_digits(max))
            }
            Some(_) if low <= 0.0 && high >= 0.0 => "; --games plays more".to_owned(),
            _ => String::new(),
        };
        format!("{answer}: {}{ending}.", self.wins_of_pairing(&pairing))
    }

    /// States how often a bot of a pairing wins.
    fn wins_of_pairing(&self, pairing: &PairingResult<'_>) -> String {
        let [name, other] = [pairing.bot, pairing.opponent].map(|bot| self.bots[bot]);
        let others = match self.tally.players.0 {
            2 => format!("against {other}"),
            players => format!("against {} copies of {other}", players - 1),
        };
        // With 2 players and a winner of each game, the win rate says it all.
        let compared = match (self.tally.players.0, self.tally.nobody_won) {
            (2, 0) => String::new(),
            _ => format!(
                " (equal bots: {}), {} compared with the mean of the other seats",
                Unit::Percent.format_value(Estimate::unbounded(1, pairing.mean_win_rate)),
                Unit::PercentagePoints.format_estimate(pairing.difference),
            ),
        };
        format!(
            "{name} wins {} of {} {others}{compared}",
            format_percent(pairing.win_rate),
            format_count(pairing.win_rate.n.unsigned_abs(), "game"),
        )
    }

    /// States which of several bots has the highest rating, and its games against the next.
    fn ranking_sentence(&self) -> String {
        let rated = self.rated_bots();
        let [first, second, ..] = &rated[..] else {
            return "No game was played.".to_owned();
        };
        let [best, next] = [first.bot, second.bot].map(|bot| self.bots[bot]);
        let gap = second.next_better.map(|(_, gap)| estimate_if_finite(gap));
        let Some(gap) = gap.filter(|gap| gap.n > 0) else {
            return format!("{best} has the highest rating of {} bots.", rated.len());
        };
        let answer = if gap.low > 0.0 {
            format!("{best} is the strongest of {} bots", rated.len())
        } else {
            format!("The games do not show which of {best} and {next} is the strongest")
        };
        match self.pairing(first.bot, second.bot) {
            Some(pairing) => format!("{answer}: {}.", self.wins_of_pairing(&pairing)),
            None => format!("{answer}."),
        }
    }

    fn add_win_rates(
        &self,
        table: DataTable,
        interval_note: Option<&str>,
        report: &mut StudyReport,
    ) {
        let row = |pairing: PairingResult<'_>| {
            let [bot, opponent] = [pairing.bot, pairing.opponent].map(|bot| self.bots[bot]);
            let label = format!("{bot} against {opponent}");
            IntervalRow::new((label, estimate_if_finite(pairing.difference)))
        };
        let mut rows: Vec<_> = self.played().into_iter().map(row).collect();
        let elided = elide_middle(&mut rows);
        let sentence = format!(
            "Win rate of a bot minus the mean win rate of the other seats, in percentage points.\
             {elided}"
        );
        let series = ["difference from the other seats"];
        let keys = ["bot", "opponent", "win_rate", "difference", "elo_wins", "games"];
        report.section("Win rates");
        report.page(difference_chart(sentence, Unit::PercentagePoints, &series, rows));
        report.page_table(&table.view().with_first(&keys), "All pairings");
        if let Some(note) = interval_note {
            report.explanation(note);
        }
        report.file(table, "");
    }

    /// Adds the ratings. Those of a sequential test are in the file only.
    fn add_ratings(&self, table: DataTable, is_shown: bool, report: &mut StudyReport) {
        if is_shown {
            report.section("Ratings");
            report.page_table(&table.view(), "Ratings relative to the first bot, in Elo points");
            report.explanation(&format!(
                "Elo follows from the win shares against the first bot, strength from a \
                 Plackett-Luce fit to all rankings. {}",
                fit_text(self)
            ));
        }
        report.file(table, "");
    }
}

fn test_sentence(test: &SequentialTest) -> String {
    let SequentialTest { hypotheses: Hypotheses { elo0, elo1, alpha, beta }, verdict, .. } = test;
    format!(
        "Sequential test of H1, {elo1} Elo points, against H0, {elo0} points: **{verdict}** (error \
         probabilities {alpha} and {beta})."
    )
}
