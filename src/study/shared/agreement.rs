//! Agreement of the bots of a panel: the same questions, answered by each bot on the same deals.

use super::convergence::{Convergence, PanelFigure};
use crate::{run::lineups::is_mixed, study::shared::prelude::*};

/// Maximum number of questions that the sentence names.
const MAX_NAMED: usize = 2;

/// The questions of a study, with the lineups that answer them.
#[derive(Clone, Debug)]
pub(crate) struct Agreement {
    lineups: Vec<String>,
    questions: Vec<PanelFigure>,
}

impl Agreement {
    /// Collects the answers of lineups.
    pub(crate) fn new<T>(results: &[LineupResult<T>], questions: Vec<PanelFigure>) -> Self {
        Self { lineups: results.iter().map(|result| result.lineup.clone()).collect(), questions }
    }

    /// Says on how many questions the bots agree.
    fn sentence(&self) -> LabelledSentence {
        if let [lineup] = &self.lineups[..] {
            return LabelledSentence::of_one_lineup(lineup);
        }
        let (bots, questions) = (self.lineups.len(), self.questions.len());
        let agreed = self.questions.iter().filter(|question| question.is_agreed()).count();
        let differing: Vec<_> = self
            .questions
            .iter()
            .filter(|question| question.has_sign(1) && question.has_sign(-1))
            .map(|question| question.name.as_str())
            .collect();
        let of = format!("{agreed} of {}", format_count(questions, "difference"));
        if !differing.is_empty() {
            let named = join_with_and(differing.iter().take(MAX_NAMED));
            let rest = format!(" on the direction of {named}; all {bots} agree on {of}.");
            LabelledSentence { label: "The bots differ", rest }
        } else if agreed == questions {
            LabelledSentence { label: "All bots agree", rest: format!(": {bots} on {of}.") }
        } else {
            LabelledSentence { label: "Open", rest: format!(": all {bots} bots agree on {of}.") }
        }
    }

    /// Adds how far the bots agree, and the trends of budgets of one search.
    pub(crate) fn add_to(&self, report: &mut StudyReport, provenance: &Claim) {
        if self.lineups.len() < 2 || !self.questions.is_empty() {
            report.terminal("\n");
            report.labels(ReportPlace::Everywhere, [self.sentence()]);
        }
        self.add_trends(report, provenance);
    }

    /// Adds the trends of the differences, if the bots are budgets of one search.
    pub(crate) fn add_trends(&self, report: &mut StudyReport, provenance: &Claim) {
        let lineups = self.lineups.iter().map(String::as_str);
        if let Some(trends) = Convergence::new(lineups, true, self.questions.iter().cloned()) {
            trends.add_to(report, provenance);
        }
    }
}

impl LabelledSentence {
    /// Returns the sentence of an answer that rests on the bots of one lineup.
    pub(crate) fn of_one_lineup(lineup: &str) -> Self {
        let (label, rest) = if is_mixed(lineup) {
            ("One lineup only", "; not checked with stronger bots.")
        } else {
            ("One bot only", "; not checked with a stronger one.")
        };
        Self { label, rest: rest.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the sentence of two bots on differences with these t statistics.
    fn sentence(t: &[[f64; 2]]) -> String {
        let effect = |t: f64| Effect::new(1000, t / 100.0, 0.01, 999.0);
        let of_bot = |bot: usize| t.iter().map(|t| effect(t[bot])).collect();
        let names = (0..t.len()).map(|index| format!("q{index}"));
        let questions = PanelFigure::of_family(Metric::WinShare, names, (0..2).map(of_bot));
        let lineups = ["one", "two"].map(str::to_owned).to_vec();
        Agreement { lineups, questions }.sentence().plain()
    }

    #[test]
    fn the_sentence_counts_the_questions_on_which_all_bots_agree() {
        for (t, expected) in [
            (&[[9.0, 8.0], [-9.0, -5.0]][..], "All bots agree: 2 on 2 of 2 differences."),
            (&[[9.0, 8.0], [9.0, 0.1]], "Open: all 2 bots agree on 1 of 2 differences."),
            (
                &[[9.0, 8.0], [9.0, -8.0]],
                "The bots differ on the direction of q1; all 2 agree on 1 of 2 differences.",
            ),
        ] {
            assert_eq!(sentence(t), expected);
        }
    }
}
