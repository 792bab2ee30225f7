//! Convergence: whether the answers of one search still change with its number of iterations.

use crate::{
    run::panel::search_budgets,
    stats::convergence::{BudgetTrend, ConvergenceVerdict, EXTRAPOLATED_DOUBLINGS},
    study::shared::prelude::*,
};

/// Smallest change of a rate, and of the number of rounds, after which a figure still changes with
/// the iterations of a search.
const RATE_MARGIN: f64 = 0.01;
const ROUNDS_MARGIN: f64 = 0.25;
/// Maximum number of figures with a sentence of their own.
const MAX_SENTENCES: usize = 4;

/// A figure that each bot of a panel is asked for.
#[derive(Clone, Debug)]
pub(crate) struct PanelFigure {
    pub(crate) name: String,
    pub(crate) metric: Metric,
    /// The figure with each bot, in the order of the panel, as the study tests it.
    pub(crate) figures: Vec<TestedEffect>,
}

impl PanelFigure {
    /// Tests differences in a metric, given with their names, as one family. `effects` has those of
    /// each bot of the panel.
    pub(crate) fn of_family(
        metric: Metric,
        names: impl Iterator<Item = String>,
        effects: impl Iterator<Item = Vec<Effect>>,
    ) -> Vec<Self> {
        let effects: Vec<_> = effects.collect();
        let (tested, size) = (test_effects(&effects), effects.first().map_or(1, Vec::len));
        let figures = |index| tested.iter().skip(index).step_by(size).copied().collect();
        let named = names.enumerate();
        named.map(|(index, name)| Self { name, metric, figures: figures(index) }).collect()
    }

    /// Returns the smallest change that matters, if the metric has one.
    fn margin(&self) -> Option<f64> {
        match self.metric {
            Metric::Rounds => Some(ROUNDS_MARGIN),
            Metric::TakenPerGame => Some(RATE_MARGIN),
            metric if metric.is_rate() => Some(RATE_MARGIN),
            _ => None,
        }
    }

    /// Returns true if some bot has a significant figure of this sign.
    pub(super) fn has_sign(&self, sign: i8) -> bool {
        self.figures.iter().any(|tested| tested.sign() == sign)
    }

    /// Returns true if the figures of all bots are significant, with one sign.
    pub(super) fn is_agreed(&self) -> bool {
        let is_one_sign = |sign: i8| self.figures.iter().all(|tested| tested.sign() == sign);
        is_one_sign(1) || is_one_sign(-1)
    }
}

/// A figure with its trend.
#[derive(Clone, Debug)]
struct ConvergingFigure {
    figure: PanelFigure,
    trend: BudgetTrend,
}

/// The trends of several figures.
#[derive(Clone, Debug)]
pub(crate) struct Convergence {
    budgets: Vec<u32>,
    /// True if the figures are differences.
    are_differences: bool,
    figures: Vec<ConvergingFigure>,
}

/// A row of `convergence.csv`: the trends and one of their figures.
type FigureRow<'a> = (&'a Convergence, &'a ConvergingFigure);

/// Returns the columns of `convergence.csv`.
fn columns<'a>(are_differences: bool) -> Columns<FigureRow<'a>> {
    let title = "A figure with several budgets of one search. Only with such a panel.";
    let slope = "Change of the figure per doubling of the iterations.";
    let extrapolated = "The figure, with an interval for all budgets up to 16 times the largest.";
    let verdict = "`converged`: two more doublings change the figure by less than the margin.";
    let factor = "Games that decide an open trend, as a multiple of those played.";
    let columns = Columns::<FigureRow<'_>>::new("convergence", title)
        .text(("question", "figure"), "Metric, item or restriction.", |(_, one)| &one.figure.name)
        .integer("iterations", "The largest budget.", |(all, _)| all.largest());
    let figure = "The figure with that budget.";
    let heading = ("figure", "with the largest budget");
    let columns = if are_differences {
        columns.difference(heading, figure, |(_, one)| one.with_metric(one.trend.top))
    } else {
        columns.mean(heading, figure, |(_, one)| one.with_metric(one.trend.top))
    };
    columns
        .n_after(("figure_n", "n"))
        .integer(("from_iterations", "from"), "Smallest budget of the trend.", |(all, one)| {
            i64::from(all.budgets[one.trend.first])
        })
        .difference(("slope", "per doubling"), slope, |(_, one)| one.with_metric(one.trend.slope))
        .p_value(("p_line", "p (line)"), "Test that the figures lie on a line.", |(_, one)| {
            one.trend.p_line
        })
        .word("verdict", &ConvergenceVerdict::NAMES, verdict, |(_, one)| one.verdict().name())
        .difference(("extrapolated", "up to 4 doublings more"), extrapolated, |(_, one)| {
            (one.trend.extrapolation(), one.figure.metric)
        })
        .number(("games_factor", "games needed"), 1, factor, |(_, one)| one.games_factor())
        .provenance()
}

/// Describes `convergence.csv`.
pub(crate) fn schema() -> Schema {
    columns(true).schema()
}

impl ConvergingFigure {
    fn with_metric(&self, effect: Effect) -> (Estimate, Metric) {
        (effect_estimate(effect), self.figure.metric)
    }

    fn verdict(&self) -> ConvergenceVerdict {
        self.trend.verdict(self.figure.margin())
    }

    fn games_factor(&self) -> Option<f64> {
        let factor = self.trend.games_factor(self.figure.margin());
        (self.verdict() == ConvergenceVerdict::Open && factor.is_finite()).then_some(factor)
    }
}

impl Convergence {
    /// Fits the trends of figures, which may be differences. None unless the bots are budgets of
    /// one search.
    pub(crate) fn new<'a>(
        bots: impl Iterator<Item = &'a str>,
        are_differences: bool,
        figures: impl IntoIterator<Item = PanelFigure>,
    ) -> Option<Self> {
        let budgets = search_budgets(bots)?;
        let fit = |figure: PanelFigure| {
            let effects: Vec<_> = figure.figures.iter().map(|tested| tested.effect).collect();
            let trend = BudgetTrend::fit(&budgets, &effects)?;
            Some(ConvergingFigure { figure, trend })
        };
        let figures = figures.into_iter().filter_map(fit).collect();
        Some(Self { budgets, are_differences, figures })
    }

    fn largest(&self) -> i64 {
        self.budgets.last().copied().unwrap_or(0).into()
    }

    /// Returns the unit of a figure.
    const fn unit(&self, figure: &PanelFigure) -> Unit {
        if self.are_differences {
            difference_unit(figure.metric)
        } else {
            metric_unit(figure.metric)
        }
    }

    /// Returns `convergence.csv`.
    pub(crate) fn table(&self, provenance: &Claim) -> DataTable {
        columns(self.are_differences)
            .table(provenance, self.figures.iter().map(|figure| (self, figure)))
    }

    /// Returns a sentence for each figure, or one for each verdict if there are many.
    pub(crate) fn sentences(&self) -> Vec<LabelledSentence> {
        if self.figures.len() <= MAX_SENTENCES {
            return self.figures.iter().map(|figure| self.sentence(figure)).collect();
        }
        let sentence = |verdict| {
            let count = self.figures.iter().filter(|figure| figure.verdict() == verdict).count();
            let of = format_count(self.figures.len(), "figure");
            let rest = format!(": {count} of {of}.");
            (count > 0).then(|| LabelledSentence { label: label(verdict), rest })
        };
        ConvergenceVerdict::ALL.into_iter().filter_map(sentence).collect()
    }

    fn sentence(&self, row: &ConvergingFigure) -> LabelledSentence {
        let ConvergingFigure { figure, trend } = row;
        let unit = self.unit(figure);
        let slope = difference_unit(figure.metric).format_estimate(effect_estimate(trend.slope));
        let range = unit.format_interval(trend.extrapolation()).unwrap_or_default();
        let mut rest = format!(
            ": {} {} with {}, and {slope} per doubling from {} on; {range} with up to \
             {EXTRAPOLATED_DOUBLINGS} more doublings",
            figure.name,
            unit.format_estimate(effect_estimate(trend.top)),
            format_count(self.largest(), "iteration"),
            self.budgets[trend.first],
        );
        if !trend.is_line() {
            rest += &format!("; the figures do not lie on a line (p {:.3})", trend.p_line);
        }
        if let Some(factor) = row.games_factor() {
            rest += &format!("; about {:.0} times as many games decide it", factor.ceil());
        }
        LabelledSentence { label: label(row.verdict()), rest: rest + "." }
    }

    /// Adds a sentence for each figure, and the section.
    pub(crate) fn add_to(&self, report: &mut StudyReport, provenance: &Claim) {
        report.labels(ReportPlace::Everywhere, self.sentences());
        self.add_section(report, self.table(provenance));
    }

    /// Adds the picture of the first figure by budget, and the table.
    pub(crate) fn add_section(&self, report: &mut StudyReport, table: DataTable) {
        report.section("Convergence");
        if let Some(row) = self.figures.first() {
            let estimates = self.budgets.iter().zip(&row.figure.figures);
            let row_of =
                |(&budget, &TestedEffect { effect: figure, .. }): (&u32, &TestedEffect)| {
                    let label = format_count(budget, "iteration");
                    IntervalRow::new((label, effect_estimate(figure)))
                };
            let (sentence, unit) = (self.sentence(row).plain(), self.unit(&row.figure));
            let rows = estimates.map(row_of);
            report.page(IntervalChart::new(sentence, unit, &[&row.figure.name], rows));
        }
        report.explanation(&format!(
            "**{}**: two more doublings of the iterations change the figure by less than the \
             margin. **{}**, **{}**: the change per doubling differs significantly from 0. \
             **{}**: more games are needed.",
            label(ConvergenceVerdict::Converged),
            label(ConvergenceVerdict::Rising),
            label(ConvergenceVerdict::Falling),
            label(ConvergenceVerdict::Open),
        ));
        let keys = ["question", "figure", "slope", "extrapolated", "verdict"];
        report
            .page_table(&table.view().with_first(&keys), "Figures by the iterations of the search");
        report.file(table, "");
    }
}

/// Returns the label of a verdict.
const fn label(verdict: ConvergenceVerdict) -> &'static str {
    match verdict {
        ConvergenceVerdict::Converged => "Converged",
        ConvergenceVerdict::Rising => "Still rising",
        ConvergenceVerdict::Falling => "Still falling",
        ConvergenceVerdict::Open => "Convergence open",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_has_the_figure_the_slope_and_the_verdict() {
        let bots = [50, 200, 800].map(|budget| format!("mcts:iterations={budget}"));
        let figure = PanelFigure {
            name: "the first player".to_owned(),
            metric: Metric::WinShare,
            figures: [0.52, 0.56, 0.60]
                .map(|rate| TestedEffect::untested(Effect::new(1000, rate, 0.005, 999.0)))
                .into(),
        };
        let sentences = |count: usize| {
            let figures = std::iter::repeat_n(figure.clone(), count);
            let bots = bots.iter().map(String::as_str);
            Convergence::new(bots, false, figures).expect("one search").sentences()
        };
        let text = sentences(1)[0].plain();
        assert!(text.starts_with("Still rising: the first player"), "{text}");
        assert!(text.contains("60.0 % [59.0, 61.0] with 800 iterations, and +2.0 pp ["), "{text}");
        assert!(text.contains(" with up to 4 more doublings."), "{text}");
        assert!(!text.contains("games decide"), "{text}");
        assert_eq!(sentences(5)[0].plain(), "Still rising: 5 of 5 figures.");
    }
}
