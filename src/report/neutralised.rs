//! What games become without an item: `neutralised.csv` and its short table.

use std::fmt::Write;

use super::{
    csv::{Table, number, words},
    table::shortened,
    values::probability,
};
use crate::{
    arena::retold::{FIGURE_COUNT, figures},
    stats::{
        difference::{Difference, Effect},
        holm::holm,
    },
};

/// The same deals with a change of the data and without.
#[derive(Clone, Debug)]
pub struct Comparison<'a> {
    /// The bots in short.
    pub bots: String,
    /// The item.
    pub item: &'a str,
    /// What became of it.
    pub change: &'a str,
    /// For each of [`figures`], with the change less without.
    pub differences: [Difference; FIGURE_COUNT],
}

/// Comparisons as tables show them.
#[derive(Clone, Copy, Debug)]
pub struct NeutralisedReport<'a> {
    /// The comparisons.
    pub comparisons: &'a [Comparison<'a>],
    /// Number of players.
    pub players: usize,
    /// The provenance mark of the data.
    pub provenance: &'a str,
}

const NAME_WIDTH: usize = 26;
/// The figures that the terminal shows, by their places: rounds, mean score.
const SHOWN: [usize; 2] = [0, 2];

impl NeutralisedReport<'_> {
    /// `neutralised.csv`: a row per bots, item and figure. p-values are also given by Holm's method, over the rows of a figure.
    pub fn csv(&self) -> Vec<u8> {
        let heading =
            ["bots", "item", "change", "figure", "n", "before", "after", "difference", "ci_low", "ci_high", "p", "p_holm", "provenance"];
        let mut table = Table::new(&words(&heading));
        for (figure, &(name, unit)) in figures(self.players).iter().enumerate() {
            let effects: Vec<_> = self.comparisons.iter().map(|comparison| effect(comparison, figure, unit)).collect();
            let corrected = holm(&effects.iter().map(Effect::p).collect::<Vec<_>>());
            for ((comparison, effect), p_holm) in self.comparisons.iter().zip(effects).zip(corrected) {
                let difference = &comparison.differences[figure];
                let [after, before] = difference.ratios().map(|mean| number(mean / unit, 6));
                let [low, high] = effect.interval().map(|end| number(end, 6));
                let first = [&comparison.bots, comparison.item, comparison.change, name].map(str::to_owned);
                let p = [effect.p(), p_holm].map(probability);
                let means = [difference.n()[0].to_string(), before, after, number(effect.value, 6), low, high];
                table.row(&[&first[..], &means, &p, &[self.provenance.to_owned()]].concat());
            }
        }
        table.into_bytes()
    }

    /// What becomes of the length and the scores, for the terminal.
    pub fn text(&self) -> String {
        let mut text = format!("\n{:<NAME_WIDTH$} {:<26} {}\n", "item, what becomes of it", "rounds [95 %]", "mean score [95 %]");
        for comparison in self.comparisons {
            let cells = SHOWN.map(|figure| {
                let Effect { value, .. } = effect(comparison, figure, figures(self.players)[figure].1);
                let [low, high] = effect(comparison, figure, figures(self.players)[figure].1).interval();
                format!("{value:+.3} [{low:+.3}, {high:+.3}]")
            });
            let name = shortened(&format!("{} {}", comparison.item, comparison.change), NAME_WIDTH);
            let _ = writeln!(text, "{name:<NAME_WIDTH$} {:<26} {}", cells[0], cells[1]);
        }
        text
    }
}

fn effect(comparison: &Comparison<'_>, figure: usize, unit: f64) -> Effect {
    comparison.differences[figure].effect().in_units_of(unit)
}
