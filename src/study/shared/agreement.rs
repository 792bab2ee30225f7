//! Agreement of the bots of a panel: the same questions, answered by each bot on the same deals.

use super::{
    convergence::{self, Convergence},
    panel_verdict::{AskedBot, PanelFigure, PanelJudgement, PanelVerdict, too_few_games},
};
use crate::study::shared::prelude::*;

/// Maximum number of questions with a sentence of their own.
const MAX_SENTENCES: usize = 6;
/// Maximum number of questions that are named for each verdict, if there are more.
const MAX_NAMED: usize = 4;
/// Maximum numbers of rows and of series of a picture.
const MAX_ROWS: usize = 12;
const MAX_SERIES: usize = 3;

/// The answers of a panel, or of the only lineup, to several questions.
#[derive(Clone, Debug)]
pub(crate) struct Agreement {
    bots: Vec<AskedBot>,
    /// Empty without a panel.
    answers: Vec<PanelJudgement>,
    /// The trends of the answers, if the bots are budgets of one search.
    convergence: Option<Convergence>,
}

/// An answer of the panel for a bot with its games.
type AnswerOfBot<'a> = (&'a PanelJudgement, usize, &'a AskedBot);

/// Describes `agreement.csv` and `convergence.csv`.
pub(crate) fn schemas() -> [Schema; 2] {
    [columns().schema(), convergence::schema()]
}

/// Returns the columns of `agreement.csv`.
fn columns<'a>() -> Columns<AnswerOfBot<'a>> {
    let p_holm = "Test of no difference, adjusted by Holm's method as in the table of the study.";
    let usable = "`no`: the interval includes 0 and is too wide for an answer of this bot.";
    let verdict = "Answer of the panel, the same in all rows of a question; docs/statistics.md has \
                   the definitions.";
    Columns::<AnswerOfBot<'_>>::new(
        "agreement",
        "A difference with each bot of the panel. Only with a panel.",
    )
    .text(("question", "difference of"), "Metric, item or restriction.", |(answer, ..)| {
        &answer.figure.name
    })
    .text("bot", "Bot in all seats.", |(.., bot)| &bot.name)
    .integer("games", "Games of the bot under each condition.", |(.., bot)| bot.games)
    .difference("difference", "As in the table of the study.", |&(answer, bot, _)| {
        (answer.figure.figures[bot].effect.estimate(), answer.figure.metric)
    })
    .n_after(("difference_n", "n"))
    .p_value(("p_holm", "p (Holm)"), p_holm, |&(answer, bot, _)| answer.figure.figures[bot].p_holm)
    .word(
        "usable",
        &["yes", "no"],
        usable,
        |&(answer, bot, _)| {
            if answer.is_usable[bot] { "yes" } else { "no" }
        },
    )
    .word("verdict", &PanelVerdict::NAMES[1..], verdict, |(answer, ..)| answer.verdict.name())
    .provenance()
}

impl Agreement {
    /// Collects the answers of the bots, given with their numbers of games, to differences.
    fn new(bots: Vec<AskedBot>, questions: Vec<PanelFigure>) -> Self {
        if bots.len() < 2 {
            return Self { bots, answers: Vec::new(), convergence: None };
        }
        let convergence = Convergence::new(&bots, true, questions.iter().cloned());
        let answers = PanelJudgement::of_questions(&bots, questions);
        Self { bots, answers, convergence }
    }

    /// Collects the answers of the bots of lineups, each with its number of games.
    pub(crate) fn of_lineups<T>(
        results: &[LineupResult<T>],
        games: impl Fn(&T) -> u64,
        questions: Vec<PanelFigure>,
    ) -> Self {
        let bot = |result: &LineupResult<T>| AskedBot {
            name: result.lineup.clone(),
            games: games(&result.tally),
            elo: result.elo,
        };
        Self::new(results.iter().map(bot).collect(), questions)
    }

    /// Returns `agreement.csv`.
    pub(crate) fn table(&self, provenance: &Claim) -> DataTable {
        let rows = self.answers.iter().flat_map(|answer| {
            let bots = self.bots.iter().enumerate();
            bots.map(move |(index, bot)| (answer, index, bot))
        });
        columns().table(provenance, rows)
    }

    /// Names the bots and their games.
    fn panel_words(&self) -> String {
        let bots = self.bots.iter().map(|AskedBot { name, games, .. }| {
            format!("{}, {}", player_text(name), format_count(*games, "game"))
        });
        bots.collect::<Vec<_>>().join("; ")
    }

    /// Returns the label of the only lineup, or those of a panel: one for each question with the
    /// differences, or one for each verdict if there are many.
    fn labels_with_differences(&self) -> Vec<LabelledSentence> {
        if self.answers.len() > MAX_SENTENCES || self.bots.len() < 2 {
            return self.labels();
        }
        let label = |answer: &PanelJudgement| {
            let unit = difference_unit(answer.figure.metric);
            let effects = self.bots.iter().zip(&answer.figure.figures);
            let effects = effects.map(|(AskedBot { name, .. }, tested)| {
                format!("{} ({name})", unit.format_estimate(effect_estimate(tested.effect)))
            });
            let effects = effects.collect::<Vec<_>>().join(", ");
            let details = answer.details(&self.bots);
            let text = format!("{} {effects}{details}", answer.figure.name);
            LabelledSentence::of_verdict(answer.verdict, &text)
        };
        self.answers.iter().map(label).collect()
    }

    /// Returns the label of the only lineup, or those of a panel: one for each verdict, with the
    /// names of its questions.
    fn labels(&self) -> Vec<LabelledSentence> {
        if let [AskedBot { name, .. }] = &self.bots[..] {
            return vec![LabelledSentence::of_one_lineup(name)];
        }
        let label = |verdict: PanelVerdict| {
            let names = self.names(|answer| answer.verdict == verdict)?;
            let rest = format!(" ({}): {names}.", verdict.meaning());
            Some(LabelledSentence { label: verdict.label(), rest })
        };
        let labels = PanelVerdict::ALL.into_iter().skip(1).filter_map(label);
        labels.chain(self.unusable_bots()).collect()
    }

    /// Names the bots that have too few games for all questions, with those that the last question
    /// to become answerable needs.
    fn unusable_bots(&self) -> Option<LabelledSentence> {
        let bots = self.bots.iter().enumerate().filter(|&(bot, _)| {
            !self.answers.is_empty() && self.answers.iter().all(|answer| !answer.is_usable[bot])
        });
        let sentences: Vec<_> = bots
            .map(|(index, bot)| {
                let games = |answer: &PanelJudgement| answer.games_needed(index);
                too_few_games(bot, self.answers.iter().filter_map(games).max())
            })
            .collect();
        let rest = format!(": {}.", sentences.join("; "));
        (!sentences.is_empty()).then_some(LabelledSentence { label: "Not counted", rest })
    }

    /// Names some of the questions, of many those with the smallest p-values of the first bot;
    /// `None` if there is none.
    fn names(&self, is_included: impl Fn(&PanelJudgement) -> bool) -> Option<String> {
        let mut found: Vec<_> = self.answers.iter().filter(|answer| is_included(answer)).collect();
        let others = found.len().saturating_sub(MAX_NAMED);
        if others > 0 {
            let p = |answer: &PanelJudgement| answer.figure.figures[0].effect.p_value();
            found.sort_by(|one, other| p(one).total_cmp(&p(other)));
        }
        let names: Vec<_> =
            found.iter().take(MAX_NAMED).map(|answer| answer.figure.name.as_str()).collect();
        let named = names.join("; ");
        match others {
            0 => (!found.is_empty()).then_some(named),
            _ => Some(format!("{named}; and {}", format_count(others, "other"))),
        }
    }

    /// Returns the labels that a list with votes does not have.
    fn labels_beside_votes(&self) -> Vec<LabelledSentence> {
        if self.bots.len() < 2 { self.labels() } else { self.unusable_bots().into_iter().collect() }
    }

    /// Adds the labels after the answer of the first bot, and those of a panel as sections.
    pub(crate) fn add_to(&self, report: &mut StudyReport, provenance: &Claim) {
        let chart = self.chart().filter(|_| !report.has_picture());
        let labels = match chart {
            Some(_) if self.answers.len() > 1 => self.unusable_bots().into_iter().collect(),
            _ => self.labels(),
        };
        if let Some(chart) = chart {
            report.page(chart);
        }
        self.add(report, self.labels_with_differences(), labels, provenance);
    }

    /// Does the same as [`Agreement::add_to`] for an answer with a list of the votes of the bots.
    pub(crate) fn add_beside_votes(&self, report: &mut StudyReport, provenance: &Claim) {
        let labels = self.labels_beside_votes();
        self.add(report, labels.clone(), labels, provenance);
    }

    fn add(
        &self,
        report: &mut StudyReport,
        in_terminal: Vec<LabelledSentence>,
        on_page: Vec<LabelledSentence>,
        provenance: &Claim,
    ) {
        if !in_terminal.is_empty() || !self.answers.is_empty() {
            report.terminal("\n");
        }
        if !self.answers.is_empty() {
            let panel = self.panel_words();
            let panel = format!("The same deals with each bot of the panel ({panel}).");
            report.terminal(&paragraph(&panel));
        }
        report.labels(ReportPlace::Terminal, in_terminal);
        report.labels(ReportPlace::Page, on_page);
        if let Some(convergence) = &self.convergence {
            convergence.add_to(report, provenance);
        }
        if !self.answers.is_empty() {
            self.add_section(report, provenance);
        }
    }

    /// Draws the differences of rates with each bot, beside the labels of the questions; `None` if
    /// there are too many for a picture.
    fn chart(&self) -> Option<IntervalChart> {
        let charted = || self.answers.iter().filter(|answer| answer.figure.metric.is_rate());
        let has_room = (1..=MAX_ROWS).contains(&charted().count());
        if !has_room || !(2..=MAX_SERIES).contains(&self.bots.len()) {
            return None;
        }
        let row = |answer: &PanelJudgement| {
            let figures = answer.figure.figures.iter();
            let estimates = figures.map(|tested| effect_estimate(tested.effect));
            let row = IntervalRow::of_series(&answer.figure.name, estimates.collect());
            row.with_note(answer.verdict.label())
        };
        let games = |bot: &AskedBot| format!("{}, {}", bot.name, format_count(bot.games, "game"));
        let series = self.bots.iter().map(games).collect();
        let sentence = "The differences with each bot, in percentage points.";
        let chart = difference_chart(sentence, Unit::PercentagePoints, &[], charted().map(row));
        Some(IntervalChart { series, ..chart })
    }

    fn add_section(&self, report: &mut StudyReport, provenance: &Claim) {
        // The answer has the verdicts, and one question has no others.
        report.section("The bots of the panel").is_folded = self.answers.len() > 1;
        report.explanation(
            "**Robust**: every bot with enough games shows a difference, all in the same \
             direction. **Depends on the bot**: the bots differ, and not all in one direction. \
             **No change that matters**: a change beyond the margin is excluded with every bot. \
             **Open**: more games are needed. All bots play the same deals, the later ones fewer \
             of them.",
        );
        // The label before names the only question.
        let of_many = &["question", "bot", "difference", "verdict", "games"][..];
        let keys = if self.answers.len() == 1 { &of_many[1..] } else { of_many };
        let table = self.table(provenance);
        report.page_table(&table.view().with_first(keys), "The same questions with each bot");
        report.file(table, "");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{arena::metric::Metric, report::text::TEXT_WIDTH, stats::paired::Effect};

    /// Returns the agreement of two bots on differences with these t statistics.
    fn agreement(t: &[[f64; 2]]) -> Agreement {
        let effect = |t: f64| Effect::new(1000, t / 100.0, 0.01, 999.0);
        let of_bot = |bot: usize| t.iter().map(|t| effect(t[bot])).collect();
        let names = (0..t.len()).map(|index| format!("q{index}"));
        let questions = PanelFigure::of_family(Metric::WinShare, names, (0..2).map(of_bot));
        let bot = |name: &str, games| AskedBot { name: name.to_owned(), games, elo: None };
        let bots = vec![bot("one", 1000), bot("two", 50)];
        Agreement::new(bots, questions)
    }

    /// Returns the text of the terminal, the labels of the page, and the number of tables.
    fn shown(agreement: &Agreement) -> (String, String, usize) {
        let mut report = StudyReport::new("Title");
        agreement.add_to(&mut report, &Claim::default());
        let RenderedReport { text, page, tables, .. } = report.render(&Claim::default());
        let (_, text) = text.split_once('\n').expect("the provenance has a line");
        let labels = page.expect("the report has a page").labels;
        (text.to_owned(), labels.into_string(), tables.len())
    }

    #[test]
    fn one_lineup_has_a_label_and_no_table() {
        let label = |lineup: &str| {
            let bot = AskedBot { name: lineup.to_owned(), games: 1000, elo: None };
            shown(&Agreement::new(vec![bot], Vec::new()))
        };
        let expected = "<strong>One bot only</strong>; not checked with a stronger one.";
        let text = "\nOne bot only; not checked with a stronger one.\n";
        assert_eq!(label("one"), (text.to_owned(), expected.to_owned(), 0));
        let text = "\nOne lineup only; not checked with stronger bots.\n";
        assert_eq!(label("one,two").0, text);
    }

    #[test]
    fn few_questions_have_a_sentence_each_and_many_are_grouped() {
        let few = agreement(&[[9.0, 8.0], [9.0, -8.0], [9.0, 0.1]]);
        let few = shown(&few).0;
        for expected in ["Robust: q0 +9.0 pp [", "Depends on the bot: q1", "Open: q2", "(two);"] {
            assert!(few.contains(expected), "{expected}: {few}");
        }
        let mut many = vec![[9.0, 8.0]; 6];
        many.push([0.0, 0.0]);
        let many = shown(&agreement(&many)).0;
        assert!(
            many.contains("Robust (same direction with every bot): q0; q1; q2; q3; and 2 others."),
            "{many}"
        );
        assert!(!many.contains("Depends on"), "{many}");
        assert!(many.contains("Open (more games are needed): q6."), "{many}");
        assert!(many.lines().all(|line| line.chars().count() <= TEXT_WIDTH), "{many}");
    }
}
