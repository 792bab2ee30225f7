//! Charts of items as dots by two figures.

use maud::{Markup, Render, html};

use super::{
    SERIES,
    scale::{Scale, vertical},
};
use crate::report::html::Unit;

/// An item of a [`DotChart`].
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Dot {
    pub x: f64,
    pub y: f64,
    /// Index of its series.
    pub series: usize,
    /// The name with all numbers, for the hint.
    pub tip: String,
    /// True if the dot is drawn as a ring, because a verdict names the item.
    pub is_named: bool,
}

/// A chart of items by two figures.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct DotChart {
    pub sentence: String,
    pub x_label: String,
    pub y_label: String,
    /// Names of the series; those without dots are left out.
    pub series: Vec<String>,
    pub dots: Vec<Dot>,
}

impl Render for DotChart {
    fn render(&self) -> Markup {
        const WIDTH: f64 = 640.0;
        const HEIGHT: f64 = 320.0;
        const LEFT: f64 = 44.0;
        const TOP: f64 = 24.0;
        const BOTTOM: f64 = 36.0;
        let x_scale = Scale::covering(self.dots.iter().map(|dot| dot.x).chain([0.0]));
        let y_scale = Scale::covering(self.dots.iter().map(|dot| dot.y).chain([0.0, 100.0]));
        let x = |value| LEFT + (WIDTH - LEFT) * x_scale.position(value);
        let y = |value| TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - y_scale.position(value));
        let number = |value: f64| format!("{value:.1}");
        let unit = Unit::Decimals(0);
        let has_dots = |series: &usize| self.dots.iter().any(|dot| dot.series == *series);
        let shown: Vec<_> = (0..self.series.len()).filter(has_dots).collect();
        let class = |series: usize| {
            let index = shown.iter().position(|one| *one == series).unwrap_or_default();
            SERIES[index % SERIES.len()]
        };
        html! {
            figure.curve.dots {
                figcaption { (self.sentence) }
                p.key {
                    @for &series in &shown {
                        span class=(class(series)) { "● " (self.series[series]) }
                    }
                    span { "○ named by the verdict" }
                }
                svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(self.sentence) {
                    @for &tick in &y_scale.ticks {
                        line.grid x1=(LEFT) x2=(WIDTH) y1=(number(y(tick))) y2=(number(y(tick))) {}
                        text x=(LEFT - 6.0) y=(number(y(tick) + 4.0)) text-anchor="end" {
                            (y_scale.label(tick, unit))
                        }
                    }
                    @for &tick in &x_scale.ticks {
                        text x=(number(x(tick))) y=(HEIGHT - BOTTOM + 16.0) text-anchor="middle" {
                            (x_scale.label(tick, unit))
                        }
                    }
                    (vertical("reference", &number(x(0.0))))
                    text x=(WIDTH) y=(HEIGHT - 4.0) text-anchor="end" { (self.x_label) }
                    text x="0" y="12" { (self.y_label) }
                    @for dot in &self.dots {
                        g class=(class(dot.series)) {
                            circle.named[dot.is_named] cx=(number(x(dot.x))) cy=(number(y(dot.y)))
                                r="4.5" data-tip=(dot.tip) { title { (dot.tip) } }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_item_is_a_dot_in_the_class_of_its_series() {
        let dot = |series, is_named| Dot { x: 3.0, y: 50.0, series, tip: "a".to_owned(), is_named };
        let chart = DotChart {
            sentence: "Result.".to_owned(),
            x_label: "worth".to_owned(),
            y_label: "taken".to_owned(),
            series: ["tiles", "empty", "buildings"].map(str::to_owned).to_vec(),
            dots: vec![dot(0, false), dot(2, true), dot(2, false)],
        };
        let html = chart.render().into_string();
        assert_eq!(html.matches("<circle").count(), 3);
        assert_eq!(html.matches("class=\"named\"").count(), 1);
        assert!(html.contains("● buildings") && !html.contains("empty"), "{html}");
    }
}
