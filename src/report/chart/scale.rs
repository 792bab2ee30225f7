//! Scales of charts, with round ticks.

use maud::{Markup, html};

use crate::report::html::Unit;

/// A range of numbers with round ticks.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    step: f64,
    pub(super) ticks: Vec<f64>,
}

impl Scale {
    /// Creates a scale that covers all finite values.
    pub(super) fn covering(values: impl Iterator<Item = f64>) -> Self {
        let finite = values.filter(|value| value.is_finite());
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        let room = if high > low { 0.04 * (high - low) } else { 0.05 * high.abs().max(1.0) };
        let (low, high) = (low - room, high + room);
        let step = round_step((high - low) / 6.0);
        let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
        let ticks = (first..=last).map(|tick| tick as f64 * step).collect();
        Self { low, high, step, ticks }
    }

    /// Returns the position of a number on the scale, from 0 to 1.
    pub(super) fn position(&self, value: f64) -> f64 {
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// Returns the position of a number on the scale as a percentage.
    pub(super) fn percent(&self, value: f64) -> String {
        percent(self.position(value))
    }

    /// Returns the number of decimals that the ticks need.
    fn decimals(&self, unit: Unit) -> usize {
        let is_rate = matches!(unit, Unit::Percent | Unit::PercentagePoints);
        let step = if is_rate { 100.0 * self.step } else { self.step };
        let is_enough = |&decimals: &i32| {
            let scaled = step * 10_f64.powi(decimals);
            (scaled - scaled.round()).abs() < 1e-6
        };
        (0..6).find(is_enough).unwrap_or(6) as usize
    }

    pub(super) fn label(&self, tick: f64, unit: Unit) -> String {
        unit.format_number(tick, self.decimals(unit))
    }

    pub(super) fn grid(&self) -> Markup {
        html! { @for &tick in &self.ticks { (vertical("grid", &self.percent(tick))) } }
    }

    pub(super) fn axis(&self, unit: Unit) -> Markup {
        html! {
            li.axis aria-hidden="true" {
                span.label {}
                svg height="20" {
                    @for &tick in &self.ticks {
                        text x=(self.percent(tick)) y="14" text-anchor="middle" {
                            (self.label(tick, unit)) (unit.suffix())
                        }
                    }
                }
            }
        }
    }
}

/// Returns the smallest 1, 2, 2.5 or 5 times a power of ten that is at least `min`.
fn round_step(min: f64) -> f64 {
    let power = 10_f64.powf(min.log10().floor());
    let mut steps = [1.0, 2.0, 2.5, 5.0].into_iter().map(|factor| factor * power);
    steps.find(|&step| step >= min * (1.0 - 1e-9)).unwrap_or(10.0 * power)
}

/// Draws a vertical line.
pub(super) fn vertical(class: &str, x: &str) -> Markup {
    html! { line class=(class) x1=(x) x2=(x) y1="0" y2="100%" {} }
}

/// Returns a position from 0 to 1 as a percentage.
pub(super) fn percent(position: f64) -> String {
    format!("{:.2}%", 100.0 * position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_have_round_ticks_and_cover_all_values() {
        for (low, high) in [(0.31, 0.37), (-3.0, 12.0), (0.5, 0.5), (1000.0, 250_000.0)] {
            let scale = Scale::covering([low, high, f64::INFINITY, f64::NAN].into_iter());
            assert!((3..=7).contains(&scale.ticks.len()), "{scale:?}");
            assert!(scale.low < low && high < scale.high, "{scale:?}");
            let is_round = |tick: &f64| (tick / scale.step).fract().abs() < 1e-9;
            assert!(scale.ticks.iter().all(is_round), "{scale:?}");
        }
        assert_eq!(Scale::covering([0.31, 0.37].into_iter()).decimals(Unit::Percent), 0);
    }
}
