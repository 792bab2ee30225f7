//! Convergence of a figure with the budget of the search that plays.

use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::{
    paired::Effect,
    ratio::Estimate,
    student::{self, LEVEL},
};

/// Smallest number of budgets of a trend: with two, every trend is a line.
pub const MIN_BUDGETS: usize = 3;

/// Level of the test that the figures lie on a line.
const LINE_LEVEL: f64 = 0.05;
/// Level of the interval of the change that is compared with the margin.
const EQUIVALENCE_LEVEL: f64 = 0.9;
/// Doublings of the budget over which a converged figure changes by less than the margin.
const CONVERGED_DOUBLINGS: f64 = 2.0;
/// Doublings beyond the largest budget of the extrapolation.
pub const EXTRAPOLATED_DOUBLINGS: u32 = 4;

crate::named! {
    /// Answer to the question whether a figure still changes with the budget.
    pub enum ConvergenceVerdict {
        /// Two further doublings change the figure by less than the margin.
        Converged = "converged",
        /// The figure rises significantly.
        Rising = "rising",
        /// The figure falls significantly.
        Falling = "falling",
        /// None of these is shown.
        Open = "open",
    }
}

/// Linear trend of a figure over the doublings of a budget: weighted least squares with the known
/// variances of the figures, which are taken as independent.
///
/// The trend is that of all budgets if the figures lie on a line (χ² test at 5 %), else that of the
/// largest budgets that do, of at least [`MIN_BUDGETS`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BudgetTrend {
    /// Index of the smallest budget of the trend.
    pub first: usize,
    /// Change of the figure per doubling.
    pub slope: Effect,
    /// P-value of the test that the figures lie on a line.
    pub p_line: f64,
    /// The figure with the largest budget.
    pub top: Effect,
    /// Covariance of the slope and the figure with the largest budget.
    covariance: f64,
}

impl BudgetTrend {
    /// Fits the trend of figures with increasing budgets. None if there are fewer than
    /// [`MIN_BUDGETS`] or if a figure has no standard error.
    pub fn fit(budgets: &[u32], figures: &[Effect]) -> Option<Self> {
        let last = budgets.len().checked_sub(MIN_BUDGETS)?;
        if !figures.iter().all(Effect::is_testable) {
            return None;
        }
        let fit_from = |first: usize| Self::fit_all(first, &budgets[first..], &figures[first..]);
        (0..last).map(fit_from).find(Self::is_line).or_else(|| Some(fit_from(last)))
    }

    fn fit_all(first: usize, budgets: &[u32], figures: &[Effect]) -> Self {
        let points: Vec<_> = budgets
            .iter()
            .zip(figures)
            .map(|(&budget, figure)| {
                (f64::from(budget).log2(), figure.value, figure.standard_error.powi(-2))
            })
            .collect();
        let sum = |term: &dyn Fn(f64, f64) -> f64| -> f64 {
            points.iter().map(|&(x, y, weight)| weight * term(x, y)).sum()
        };
        let weight = sum(&|_, _| 1.0);
        let (centre, mean) = (sum(&|x, _| x) / weight, sum(&|_, y| y) / weight);
        let spread = sum(&|x, _| (x - centre).powi(2));
        let slope = sum(&|x, y| (x - centre) * y) / spread;
        let misfit = sum(&|x, y| (y - mean - slope * (x - centre)).powi(2));
        let freedom = figures.iter().map(|figure| figure.degrees_of_freedom);
        let (top, (x, ..)) = (figures[figures.len() - 1], points[points.len() - 1]);
        Self {
            first,
            slope: Effect::new(
                figures.iter().map(|figure| figure.n).sum(),
                slope,
                spread.sqrt().recip(),
                freedom.fold(f64::INFINITY, f64::min),
            ),
            p_line: ChiSquared::new((points.len() - 2) as f64)
                .map_or(f64::NAN, |chi_squared| chi_squared.sf(misfit)),
            top,
            covariance: (x - centre) / spread,
        }
    }

    /// Returns true if the figures of the trend may lie on a line.
    pub fn is_line(&self) -> bool {
        self.p_line > LINE_LEVEL
    }

    /// Returns the verdict. Changes below `margin` do not matter; `None` if all matter.
    pub fn verdict(&self, margin: Option<f64>) -> ConvergenceVerdict {
        let change = self.change_of_converged().estimate_at(EQUIVALENCE_LEVEL);
        let is_small = |margin: f64| -margin <= change.low && change.high <= margin;
        if margin.is_some_and(is_small) && self.is_line() {
            ConvergenceVerdict::Converged
        } else if self.slope.p_value() >= 1.0 - LEVEL {
            ConvergenceVerdict::Open
        } else if self.slope.value > 0.0 {
            ConvergenceVerdict::Rising
        } else {
            ConvergenceVerdict::Falling
        }
    }

    fn change_of_converged(&self) -> Effect {
        self.slope.in_units_of(1.0 / CONVERGED_DOUBLINGS)
    }

    /// Returns how many times as many games decide an open question, if the slope is the true one.
    pub fn games_factor(&self, margin: Option<f64>) -> f64 {
        let Effect { value, standard_error, degrees_of_freedom, .. } = self.slope;
        let quantile = |level: f64| student::quantile(0.5 + level / 2.0, degrees_of_freedom);
        let factor = |level: f64, room: f64| (quantile(level) * standard_error / room).powi(2);
        let to_rise = factor(LEVEL, value.abs());
        let room = margin.map_or(0.0, |margin| margin / CONVERGED_DOUBLINGS - value.abs());
        if room > 0.0 { to_rise.min(factor(EQUIVALENCE_LEVEL, room)) } else { to_rise }
    }

    /// Returns the figure with the largest budget and an interval for all budgets from there to
    /// [`EXTRAPOLATED_DOUBLINGS`] doublings of it, whether the trend goes on or not.
    pub fn extrapolation(&self) -> Estimate {
        let Effect { value, standard_error, degrees_of_freedom, limits, n, .. } = self.top;
        let doublings = f64::from(EXTRAPOLATED_DOUBLINGS);
        let variance = standard_error.powi(2)
            + doublings.powi(2) * self.slope.standard_error.powi(2)
            + 2.0 * doublings * self.covariance;
        let far = value + doublings * self.slope.value;
        let far = Effect::new(n, far, variance.sqrt(), degrees_of_freedom).estimate();
        let near = self.top.estimate();
        let [low, high] = [near.low.min(far.low), near.high.max(far.high)];
        Estimate { low: low.max(limits[0]), high: high.min(limits[1]), ..near }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::assert_close, *};
    use crate::rng::{Purpose, stream};

    const BUDGETS: [u32; 4] = [50, 200, 800, 3200];

    fn trend(values: [f64; 4], standard_error: f64) -> BudgetTrend {
        let figure = |value| Effect::new(1000, value, standard_error, 1e6);
        BudgetTrend::fit(&BUDGETS, &values.map(figure)).expect("a trend")
    }

    #[test]
    fn slope_and_its_error_are_those_of_weighted_least_squares() {
        let figure = |value, error| Effect::new(10, value, error, 1e6);
        // Weights 1, 4, 1 at 0, 1, 2: centre 1, spread 2, slope (y2 − y0) / 2.
        let figures = [figure(1.0, 1.0), figure(2.0, 0.5), figure(5.0, 1.0)];
        let trend = BudgetTrend::fit(&[1, 2, 4], &figures).expect("a trend");
        assert_close(trend.slope.value, 2.0, 1e-12);
        assert_close(trend.slope.standard_error, 0.5_f64.sqrt(), 1e-12);
        // Mean 7/3; residuals 2/3, −1/3, 2/3: 4/9 + 4 · 1/9 + 4/9 = 4/3.
        assert_close(trend.p_line, 0.248_213, 1e-5);
        assert_eq!(BudgetTrend::fit(&[1, 2], &figures[..2]), None);
        let constant = [figure(1.0, 0.0); 3];
        assert_eq!(BudgetTrend::fit(&[1, 2, 4], &constant), None);
    }

    #[test]
    fn verdict_follows_the_trend() {
        let verdict = |values, error| trend(values, error).verdict(Some(0.01));
        assert_eq!(verdict([0.5, 0.5, 0.5, 0.5], 0.002), ConvergenceVerdict::Converged);
        assert_eq!(verdict([0.5, 0.52, 0.54, 0.56], 0.002), ConvergenceVerdict::Rising);
        assert_eq!(verdict([0.5, 0.48, 0.46, 0.44], 0.002), ConvergenceVerdict::Falling);
        assert_eq!(verdict([0.5, 0.5, 0.5, 0.5], 0.05), ConvergenceVerdict::Open);
        let no_margin = trend([0.5; 4], 0.002).verdict(None);
        assert_eq!(no_margin, ConvergenceVerdict::Open);
        assert!(trend([0.5; 4], 0.05).games_factor(Some(0.01)) > 10.0);
    }

    #[test]
    fn a_figure_that_rises_at_first_only_is_judged_by_the_largest_budgets() {
        let trend = trend([0.3, 0.5, 0.5, 0.5], 0.002);
        assert_eq!(trend.first, 1);
        assert_eq!(trend.verdict(Some(0.01)), ConvergenceVerdict::Converged);
    }

    #[test]
    fn extrapolation_contains_the_largest_budget_and_four_doublings() {
        let range = trend([0.5, 0.52, 0.54, 0.56], 0.002).extrapolation();
        assert!(range.low < 0.56 && range.low > 0.55, "{range:?}");
        assert!(range.high > 0.60 && range.high < 0.61, "{range:?}");
    }

    /// Of figures that do not change, at most 5 % rise or fall and most are converged; of figures
    /// that rise by a margin per doubling none is.
    #[test]
    fn planted_trends_are_found() {
        let mut rng = stream(1, 0, 0, Purpose::Training);
        let mut counts = |slope: f64| {
            let mut counts = [0; 4];
            for _ in 0..1000 {
                let mut doublings = -2.0;
                let values = [0.0; 4].map(|_| {
                    doublings += 2.0;
                    0.5 + slope * doublings + 0.005 * standard_normal(&mut rng)
                });
                counts[trend(values, 0.005).verdict(Some(0.01)) as usize] += 1;
            }
            counts
        };
        let [converged, rising, falling, _] = counts(0.0);
        assert!(rising + falling < 70, "{rising} {falling}");
        assert!(converged > 500, "{converged}");
        let [converged, rising, falling, _] = counts(0.01);
        assert!(converged == 0 && falling == 0 && rising > 900, "{converged} {rising}");
    }

    fn standard_normal(rng: &mut crate::rng::Rng) -> f64 {
        use rand::RngExt as _;
        (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
    }
}
