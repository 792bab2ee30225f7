//! The answer of the search, its tables, its terminal text and its page.

use super::{
    NEAREST, PROPOSAL,
    edits::EditSet,
    goals::{Goal, GoalVerdict, Goals},
    race::{Found, Stage, Trial},
};
use crate::{
    report::{data_table::Value, study_page::estimate_if_finite},
    study::shared::{
        adaptation::Adaptation, key_values::KeyValues, prelude::*, verdict::VerdictWord,
    },
};

/// Number of figures that a sentence states.
const MAX_STATED: usize = 3;
/// Number of charts of the page.
const MAX_CHARTS: usize = 6;
/// Maximum widths in terminal text.
const EDITS_WIDTH: usize = 58;
const GOAL_WIDTH: usize = 24;
const BOTS_WIDTH: usize = 12;

/// The answer of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SearchVerdict {
    /// The search was interrupted.
    Incomplete,
    /// No figure of the data file lies outside of its range by more than chance.
    NothingToChange,
    /// On sealed deals all figures lie in their ranges with their whole intervals.
    Confirmed,
    /// On sealed deals all estimates lie in their ranges, a part of an interval outside.
    Inside,
    /// Estimates of a set lay in all ranges on fresh deals, but of none on sealed ones.
    NotConfirmed,
    /// No set of edits had all estimates in their ranges on fresh deals.
    NotFound,
}

/// What was found, with the keys and the goals.
pub(super) struct SearchAnalysis<'a> {
    pub(super) keys: &'a [KeyValues],
    pub(super) goals: &'a Goals,
    pub(super) found: &'a Found,
    pub(super) max_edits: usize,
    is_complete: bool,
}

/// A figure of the games of a set of edits.
pub(super) struct GoalRow<'a> {
    analysis: &'a SearchAnalysis<'a>,
    trial: &'a Trial,
    pub(super) goal: &'a Goal,
    pub(super) estimate: Estimate,
}

/// The meanings of the verdicts on goals.
const VERDICTS: &str = "`met`: the whole interval lies in the range. `near`: the estimate does. \
                        `open`: a part of the interval does. `missed`: none of it.";

/// Returns the columns of `goals.csv`.
pub(super) fn goals_columns<'a>() -> Columns<GoalRow<'a>> {
    Columns::<GoalRow<'_>>::new(
        "goals",
        "A figure of the game with a set of edits. Intervals hold for all goals and sets together.",
    )
    .text("edits", "Edits of the data file.", GoalRow::edits_text)
    .integer(("edit_count", "number"), "Number of edits.", |row| row.trial.edits.len() as u64)
    .word("deals", &Stage::NAMES, STAGES, |row| row.trial.stage.name())
    .text("lineup", "Bots in the seats.", |row| &row.trial.lineup)
    .text("goal", "Name of the goal.", |row| &row.goal.name)
    .estimate("figure", Unit::Decimals(4), "The figure; shares are from 0 to 1.", |row| {
        Value::EstimateIn(row.estimate, row.goal.unit)
    })
    .n("n")
    .number(("goal_low", "low"), 4, "Minimum of the range.", |row| row.goal.range.low)
    .number(("goal_high", "high"), 4, "Maximum of the range.", |row| row.goal.range.high)
    .word("verdict", &GoalVerdict::NAMES, VERDICTS, |row| row.goal.verdict(row.estimate).name())
    .provenance()
}

/// What the parts of the search play.
const STAGES: &str = "`race`: the common deals of all sets. `fresh`: other deals. `sealed`: deals \
                      after those, played last.";

/// The games of a set of edits, with the analysis.
type TriedEdits<'a> = (&'a SearchAnalysis<'a>, &'a Trial);

/// Returns the columns of `edits.csv`.
pub(super) fn edits_columns<'a>() -> Columns<TriedEdits<'a>> {
    let distance = "Distance from the goals; 0 if all estimates meet them.";
    let steps = "Sum of the sizes of the edits, in steps of the values of `--keys`.";
    Columns::<TriedEdits<'_>>::new("edits", "A set of edits that was tried, on one kind of deals.")
        .text("edits", "Edits of the data file.", |(analysis, trial)| {
            trial.edits.text(analysis.keys)
        })
        .integer(("edit_count", "number"), "Number of edits.", |(_, trial)| {
            trial.edits.len() as u64
        })
        .integer("steps", steps, |(analysis, trial)| trial.edits.steps(analysis.keys) as u64)
        .word("deals", &Stage::NAMES, STAGES, |(_, trial)| trial.stage.name())
        .text("lineup", "Bots in the seats.", |(_, trial)| &trial.lineup)
        .integer("games", "Number of games.", |(_, trial)| trial.measured.tally.games)
        .number("distance", 3, distance, |(analysis, trial)| analysis.goals.distance(&trial.values))
        .provenance()
}

impl GoalRow<'_> {
    /// Returns the figure of the data file on the same deals.
    pub(super) fn value_of_file(&self) -> String {
        let Self { analysis, trial, goal, .. } = self;
        let index = analysis.goals.0.iter().position(|other| other.name == goal.name);
        let value = analysis.values_of_file(&trial.lineup).zip(index);
        value.map_or_else(String::new, |(values, index)| goal.value_text(values[index]))
    }

    fn edits_text(&self) -> String {
        self.trial.edits.text(self.analysis.keys)
    }
}

impl<'a> SearchAnalysis<'a> {
    pub(super) const fn new(
        keys: &'a [KeyValues],
        goals: &'a Goals,
        found: &'a Found,
        max_edits: usize,
        is_complete: bool,
    ) -> Self {
        Self { keys, goals, found, max_edits, is_complete }
    }

    /// Returns the sealed games of the sets of edits by the first lineup.
    pub(super) fn sealed(&self) -> impl Iterator<Item = &Trial> {
        let first = self.found.file.as_ref().map(|file| &file.lineup);
        let sealed = self.found.sealed.iter();
        sealed.filter(move |trial| Some(&trial.lineup) == first && !trial.edits.0.is_empty())
    }

    /// Returns the sealed games of the first set that met all goals on fresh and on sealed deals.
    fn proposed(&self) -> Option<&Trial> {
        self.sealed().find(|trial| self.is_met(trial))
    }

    /// Returns true if all estimates of sealed games lay in their ranges, also on fresh deals.
    pub(super) fn is_met(&self, trial: &Trial) -> bool {
        trial.is_inside && self.is_inside_on_fresh_deals(&trial.edits)
    }

    /// Returns the number of data files whose intervals are stated together.
    fn files(&self) -> usize {
        let edited = self.found.sealed.iter().filter(|trial| !trial.edits.0.is_empty());
        let mut sets: Vec<_> = edited.map(|trial| &trial.edits).collect();
        sets.dedup();
        sets.len().max(1)
    }

    /// Returns true if all estimates lay in their ranges on fresh deals.
    fn is_inside_on_fresh_deals(&self, edits: &EditSet) -> bool {
        let is_fresh = |trial: &Trial| trial.stage == Stage::Fresh && trial.edits == *edits;
        self.found.trials.iter().any(|trial| is_fresh(trial) && trial.is_inside)
    }

    /// Returns the answer.
    pub(super) fn verdict(&self) -> SearchVerdict {
        if !self.is_complete {
            return SearchVerdict::Incomplete;
        }
        match self.proposed() {
            _ if self.sealed().next().is_none() => SearchVerdict::NothingToChange,
            Some(trial) if self.goals.is_met(&trial.measured, self.files()) => {
                SearchVerdict::Confirmed
            }
            Some(_) => SearchVerdict::Inside,
            None if self.sealed().any(|trial| self.is_inside_on_fresh_deals(&trial.edits)) => {
                SearchVerdict::NotConfirmed
            }
            None => SearchVerdict::NotFound,
        }
    }

    /// Returns the edits that are proposed.
    pub(super) fn proposal(&self) -> Option<&EditSet> {
        let trial = self.proposed().filter(|_| self.is_complete);
        trial.map(|trial| &trial.edits)
    }

    /// Returns the edited data file to write: its name, and the edits that are proposed or, if
    /// there are none, those that come nearest to the goals.
    pub(super) fn written_edits(&self) -> Option<(&'static str, &EditSet)> {
        let proposal = self.proposal().map(|edits| (PROPOSAL, edits));
        let nearest = self.nearest().filter(|trial| self.is_complete && self.is_nearer(trial));
        proposal.or_else(|| nearest.map(|trial| (NEAREST, &trial.edits)))
    }

    /// Returns the numbers of blocks, games, and games that the round limit ended.
    pub(super) fn count_games(&self) -> [u64; 3] {
        let Found { file, trials, sealed, .. } = self.found;
        let played = file.iter().chain(trials).chain(sealed);
        played.fold([0; 3], |[blocks, games, capped], Trial { measured, .. }| {
            let (tally, forks) = (&measured.tally, &measured.forks);
            let limited = tally.health.capped.x.unsigned_abs();
            [blocks + tally.blocks, games + tally.games + forks.games, capped + limited]
        })
    }

    /// Returns the figures of games of a set of edits.
    pub(super) fn goal_rows<'b>(&'b self, trial: &'b Trial) -> impl Iterator<Item = GoalRow<'b>> {
        let level = self.goals.level(self.files());
        self.goals.0.iter().map(move |goal| {
            let estimate = estimate_if_finite(goal.estimate(&trial.measured, level));
            GoalRow { analysis: self, trial, goal, estimate }
        })
    }

    /// Returns the games on which the answer rests: the sealed ones or, without any, those of the
    /// data file.
    fn answering_trials(&self) -> impl Iterator<Item = &Trial> {
        let file = self.found.file.as_ref().filter(|_| self.found.sealed.is_empty());
        file.into_iter().chain(&self.found.sealed)
    }

    /// Returns the rows of `goals.csv`.
    pub(super) fn goals_table(&self, provenance: &Claim) -> DataTable {
        let rows = self.answering_trials().flat_map(|trial| self.goal_rows(trial));
        goals_columns().table(provenance, rows)
    }

    /// Returns the rows of `edits.csv`, the nearest to the goals first.
    pub(super) fn edits_table(&self, provenance: &Claim) -> DataTable {
        let Found { file, trials, sealed, .. } = self.found;
        let mut rows: Vec<_> = file.iter().chain(trials).chain(sealed).collect();
        rows.sort_by_key(|trial| {
            let distance = self.goals.distance(&trial.values).to_bits();
            (std::cmp::Reverse(trial.stage), distance, trial.edits.steps(self.keys))
        });
        edits_columns().table(provenance, rows.into_iter().map(|trial| (self, trial)))
    }

    /// Returns the values of the data file by a lineup, on sealed deals if they were played.
    fn values_of_file(&self, lineup: &str) -> Option<&Vec<f64>> {
        let mut files = self.found.sealed.iter().chain(&self.found.file);
        let file = files.find(|other| other.lineup == lineup && other.edits.0.is_empty());
        file.map(|file| &file.values)
    }

    /// States the figures of a set of edits, those that were farthest from their ranges in the data
    /// file first, with the values there.
    fn figures(&self, trial: &Trial, max_stated: usize) -> String {
        let before = self.values_of_file(&trial.lineup);
        let mut rows: Vec<_> = self.goal_rows(trial).enumerate().collect();
        if let Some(before) = before {
            let distance = |index: usize| {
                Goals(vec![self.goals.0[index].clone()]).distance(&before[index..=index])
            };
            rows.sort_by(|(one, _), (other, _)| distance(*other).total_cmp(&distance(*one)));
        }
        let more = rows.len().saturating_sub(max_stated);
        let figure = |(index, GoalRow { goal, estimate, .. }): &(usize, GoalRow<'_>)| {
            let from = before
                .filter(|_| !trial.edits.0.is_empty())
                .map(|before| format!("{} → ", goal.value_text(before[*index])));
            format!(
                "{} {}{} (goal {})",
                goal.title,
                from.unwrap_or_default(),
                goal.unit.format_estimate(*estimate),
                goal.range_text()
            )
        };
        let stated: Vec<_> = rows.iter().take(max_stated).map(figure).collect();
        let more = if more > 0 { format!("; {more} more in goals.csv") } else { String::new() };
        stated.join("; ") + &more
    }

    /// States the answer, at most `max_figures` figures, and the results with the other bots.
    pub(super) fn sentences(&self, max_figures: usize) -> Vec<String> {
        let goals = &match self.goals.0.len() {
            1 => "the goal".to_owned(),
            2 => "both goals".to_owned(),
            count => format!("all {count} goals"),
        };
        let (Some(file), trial) = (&self.found.file, self.shown()) else {
            return vec!["Interrupted before the first answer.".to_owned()];
        };
        let first = match (self.verdict(), trial) {
            (SearchVerdict::Incomplete, _) => {
                return vec!["Interrupted; --resume continues.".to_owned()];
            }
            (SearchVerdict::NothingToChange, _) | (_, None) => {
                return vec![
                    "Nothing to change: no figure lies outside of its range by more than chance."
                        .to_owned(),
                    format!(
                        "{}, in {} by {}.",
                        self.figures(file, max_figures),
                        format_count(file.measured.tally.games, "game"),
                        player_text(&file.lineup)
                    ),
                ];
            }
            (SearchVerdict::Confirmed, Some(trial)) => {
                format!("{} {goals} in {}.", self.edits_that_meet(trial), games_text(trial))
            }
            (SearchVerdict::Inside, Some(trial)) => format!(
                "{} {goals} by the estimates of {}; more games would tell it from chance.",
                self.edits_that_meet(trial),
                games_text(trial)
            ),
            (verdict, Some(nearest)) => self.negative_sentence(verdict, nearest, goals),
        };
        let shown = self.shown();
        let mut sentences = vec![first];
        sentences.extend(shown.map(|trial| self.figures(trial, max_figures) + "."));
        sentences.extend(shown.map(|trial| self.panel_sentence(trial)));
        if let Some((name, _)) = self.written_edits() {
            sentences.push(format!("{name} is the data file with these edits."));
        }
        sentences
    }

    /// States that no set of edits meets the goals, and which is nearest.
    fn negative_sentence(&self, verdict: SearchVerdict, nearest: &Trial, goals: &str) -> String {
        let answer = if verdict == SearchVerdict::NotConfirmed {
            let met = self.sealed().filter(|trial| self.is_inside_on_fresh_deals(&trial.edits));
            let sets = format_count(met.count(), "set");
            format!("Not confirmed: {sets} of edits met {goals} on fresh deals, not on sealed ones")
        } else {
            let tried = self.found.trials.iter().filter(|trial| trial.stage == Stage::Race).count();
            let limit = format_count(self.max_edits.min(self.keys.len()), "edit");
            let tried = format_count(tried, "set");
            format!("None of {tried} of at most {limit} that the search tried meets {goals}")
        };
        let games = games_text(nearest);
        if self.is_nearer(nearest) {
            format!("{answer}. The nearest in {games}: {}.", self.edits_text(nearest))
        } else {
            format!("{answer}. None is nearer than the file as it is, in {games}.")
        }
    }

    /// States the edits of a set with their number.
    fn edits_text(&self, trial: &Trial) -> String {
        let count = format_count(trial.edits.len(), "edit");
        format!("{count} ({})", trial.edits.text(self.keys))
    }

    /// States the edits of a set with their number and a verb.
    fn edits_that_meet(&self, trial: &Trial) -> String {
        let verb = if trial.edits.len() == 1 { "meets" } else { "meet" };
        format!("{} {verb}", self.edits_text(trial))
    }

    /// Returns the sealed games of the set that the answer names.
    fn shown(&self) -> Option<&Trial> {
        self.proposed().or_else(|| self.nearest())
    }

    /// Returns the sealed games by the first lineup that are nearest to the goals.
    fn nearest(&self) -> Option<&Trial> {
        self.sealed().min_by(|one, other| {
            let distance = |trial: &Trial| self.goals.distance(&trial.values);
            distance(one).total_cmp(&distance(other))
        })
    }

    /// Returns true if a set of edits is nearer to the goals than the data file as it is.
    fn is_nearer(&self, trial: &Trial) -> bool {
        let of_file = self.values_of_file(&trial.lineup);
        of_file.is_some_and(|of_file| {
            self.goals.distance(&trial.values) < self.goals.distance(of_file)
        })
    }

    /// States how many goals each other lineup sees met with the same edits.
    fn panel_sentence(&self, trial: &Trial) -> String {
        let others = self
            .found
            .sealed
            .iter()
            .filter(|other| other.edits == trial.edits && other.lineup != trial.lineup);
        let others: Vec<_> = others
            .map(|other| {
                let count = |verdicts: &[GoalVerdict]| {
                    let rows = self.goal_rows(other);
                    rows.filter(|row| verdicts.contains(&row.goal.verdict(row.estimate))).count()
                };
                let inside = count(&[GoalVerdict::Met, GoalVerdict::Near]);
                let missed = count(&[GoalVerdict::Missed]);
                let missed = if missed > 0 { format!(", {missed} missed") } else { String::new() };
                let games = format_count(other.measured.tally.games, "game");
                format!(
                    "{} {inside} of {} inside{missed} ({games})",
                    other.lineup,
                    self.goals.0.len()
                )
            })
            .collect();
        if others.is_empty() {
            return "One bot only; not checked with a stronger one.".to_owned();
        }
        format!("By the other bots: {}.", others.join("; "))
    }

    /// Returns the answer and the tables for the terminal.
    fn text(&self) -> String {
        let sentences = self.sentences(MAX_STATED).into_iter();
        let sentences: String = sentences.map(|sentence| paragraph(&sentence)).collect();
        let Some(figures) = self.figures_text() else { return format!("\n{sentences}") };
        let verdicts = paragraph(&VERDICTS.replace('`', ""));
        format!("\n{sentences}\n{figures}{verdicts}{}", self.front_text())
    }

    /// Returns the figures of the edits that the answer names; `None` before the first games.
    fn figures_text(&self) -> Option<String> {
        let file = self.found.file.as_ref()?;
        let shown = self.shown().map_or(&file.edits, |trial| &trial.edits);
        let trials: Vec<_> =
            self.answering_trials().filter(|trial| trial.edits == *shown).collect();
        let several_bots = trials.len() > 1;
        let is_edited = !shown.0.is_empty();
        let mut columns = Columns::<GoalRow<'_>>::new("", "")
            .text("goal", "", |row| truncate(&row.goal.name, GOAL_WIDTH));
        if several_bots {
            columns = columns.text("bots", "", |row| truncate(&row.trial.lineup, BOTS_WIDTH));
        }
        columns = columns.text("range", "", |row| row.goal.range_text());
        if is_edited {
            columns = columns.text("as it is", "", GoalRow::value_of_file);
        }
        let figure = if is_edited { "edited" } else { "figure" };
        let columns = columns
            .estimate(("", figure), Unit::Decimals(2), "", |row| {
                Value::EstimateIn(row.estimate, row.goal.unit)
            })
            .text("", "", |row| row.goal.verdict(row.estimate).name());
        let mut rows: Vec<_> = trials.iter().flat_map(|trial| self.goal_rows(trial)).collect();
        rows.sort_by_key(|row| self.goals.0.iter().position(|goal| goal.name == row.goal.name));
        Some(columns.table("", rows).view().text())
    }

    /// Returns the distances of the data file and of all sets that played sealed deals, if there
    /// are several.
    fn front_text(&self) -> String {
        let first = self.found.file.as_ref().map(|file| &file.lineup);
        let sealed = self.found.sealed.iter().filter(|trial| Some(&trial.lineup) == first);
        let front: Vec<_> = sealed.collect();
        if front.len() < 3 {
            return String::new();
        }
        let table = Columns::<TriedEdits<'_>>::new("", "")
            .integer("edits", "", |(_, trial)| trial.edits.len() as u64)
            .number("distance", 2, "", |(analysis, trial)| analysis.goals.distance(&trial.values))
            .text("", "", |(analysis, trial)| {
                truncate(&trial.edits.text(analysis.keys), EDITS_WIDTH)
            })
            .table("", front.into_iter().map(|trial| (self, trial)));
        format!("\nsets of edits on sealed deals\n{}", table.view().text())
    }

    /// Adds how many goals the games of the set that the answer names meet.
    fn add_goals(&self, report: &mut StudyReport) {
        let trial = self.shown().or_else(|| self.answering_trials().next());
        let Some(trial) = trial else { return };
        let verdicts: Vec<_> =
            self.goal_rows(trial).map(|row| row.goal.verdict(row.estimate)).collect();
        let count = |verdict| verdicts.iter().filter(|one| **one == verdict).count();
        let counts = GoalVerdict::ALL.map(count);
        let word = match counts {
            [_, 0, 0, 0] => VerdictWord::Good,
            [_, _, 0, 0] => VerdictWord::Look,
            [.., 0] => VerdictWord::Unsure,
            _ => VerdictWord::Bad,
        };
        let parts = GoalVerdict::NAMES.iter().zip(counts).filter(|(_, count)| *count > 0);
        let parts: Vec<_> = parts.map(|(name, count)| format!("{count} {name}")).collect();
        report.figure("GOALS", word.name(), format!("of {}: {}", verdicts.len(), parts.join(", ")));
    }

    /// Returns the report.
    pub(super) fn report(&self, provenance: &Claim) -> StudyReport {
        let mut report = StudyReport::new("Which edits meet the goals?");
        let adaptation = self.found.adaptation.as_ref();
        report.terminal(&adaptation.map(Adaptation::text).unwrap_or_default());
        report.terminal(&self.text());
        let sentences = self.sentences(1);
        let (answer, labels) = sentences.split_at(sentences.len().min(2));
        report.screen_answer(answer, labels.first().map_or("", String::as_str));
        report.screen_lines(&self.figures_text().unwrap_or_default());
        self.add_goals(&mut report);
        report.page_answer(&answer.join(" "));
        report.page_remark(&labels.join(" "));
        let (goals, edits) = (self.goals_table(provenance), self.edits_table(provenance));
        report.section("Figures");
        for (index, goal) in self.goals.0.iter().enumerate().take(MAX_CHARTS) {
            report.page(self.chart(index, goal));
        }
        if self.goals.0.len() > MAX_CHARTS {
            report.explanation("The table has the other figures.");
        }
        report.page_table(&goals.view(), "All figures");
        report.explanation(
            "Intervals hold for all goals and sets of edits together (Bonferroni). Sealed deals \
             were played last, and nothing before has seen them.",
        );
        report.file(goals, "");
        report.section("Edits tried");
        report.explanation(
            "Of each number of edits, sets of edits race on common deals; after each stage the \
             half that is farther from the goals is left out. The distance is in half-widths of \
             the ranges.",
        );
        report.data(edits, &[], "All sets of edits", "");
        if let Some(adaptation) = adaptation {
            adaptation.add_section(&mut report);
        }
        report
    }

    /// Draws a figure of all sets of edits.
    fn chart(&self, index: usize, goal: &Goal) -> IntervalChart {
        let several_bots = self
            .answering_trials()
            .any(|trial| Some(&trial.lineup) != self.found.file.as_ref().map(|file| &file.lineup));
        let row = |trial: &Trial| {
            let estimate = self.goal_rows(trial).nth(index).map(|row| row.estimate);
            let by = if several_bots { format!(", by {}", trial.lineup) } else { String::new() };
            let label = trial.edits.text(self.keys) + &by;
            IntervalRow::of_series(label, estimate.into_iter().collect())
        };
        let sentence = format!("{} (goal {})", goal.title, goal.range_text());
        let (value, name) = goal.reference();
        IntervalChart::new(sentence, goal.unit, &["figure"], self.answering_trials().map(row))
            .with_reference(value, name)
    }
}

/// States the number of sealed games and who played them.
fn games_text(trial: &Trial) -> String {
    let games = group_digits(trial.measured.tally.games);
    format!("{games} sealed games by {}", player_text(&trial.lineup))
}
