//! What plans cost: `restricted.csv` and its short table.

use std::fmt::Write;

use super::{
    csv::{Table, number, words},
    table::shortened,
    values::probability,
};
use crate::{
    arena::{appraisal::Measure, restricted::PlansTally},
    bots::profile::Profile,
    stats::{
        holm::holm,
        paired::{Effect, Paired},
        ratio::Estimate,
    },
};

/// Plans as tables show them.
#[derive(Clone, Copy, Debug)]
pub struct PlansReport<'a> {
    /// The bot that keeps them.
    pub bot: &'a Profile,
    /// Their names.
    pub names: &'a [String],
    /// What was counted.
    pub tally: &'a PlansTally,
    /// The provenance mark of the data.
    pub provenance: &'a str,
}

const NAME_WIDTH: usize = 22;

impl PlansReport<'_> {
    /// `restricted.csv`: a row per plan and measure. p-values are also given by Holm's method, over the plans.
    pub fn csv(&self) -> Vec<u8> {
        let heading = [
            "bot",
            "plan",
            "applied",
            "measure",
            "n",
            "free",
            "restricted",
            "difference",
            "ci_low",
            "ci_high",
            "p",
            "p_holm",
            "provenance",
        ];
        let mut table = Table::new(&words(&heading));
        for (index, measure) in Measure::ALL.into_iter().enumerate() {
            let effects: Vec<_> = self.tally.plans.iter().map(|plan| plan.differences[index].difference(measure.unit())).collect();
            let corrected = holm(&effects.iter().map(Effect::p).collect::<Vec<_>>());
            for (((name, plan), effect), p_holm) in self.names.iter().zip(&self.tally.plans).zip(effects).zip(corrected) {
                let Paired { a: free, b: restricted, .. } = &plan.differences[index];
                let n = restricted.n;
                let [free, restricted] = [free, restricted].map(|side| number(side.value(measure.unit()), 6));
                let Estimate { low, high, .. } = effect.estimate();
                let [low, high] = [low, high].map(|end| number(end, 6));
                let first = [self.bot.name.clone(), name.clone(), plan.applied.to_string(), measure.as_str().to_owned(), n.to_string()];
                let last = [number(effect.value, 6), low, high, probability(effect.p()), probability(p_holm), self.provenance.to_owned()];
                table.row(&[&first[..], &[free, restricted], &last].concat());
            }
        }
        table.into_bytes()
    }

    /// What each plan costs in win share and score, for the terminal.
    pub fn text(&self) -> String {
        let PlansTally { games, blocks, capped, .. } = self.tally;
        let mut text = format!("{games} games in {blocks} blocks; {capped} capped by the round limit\n");
        let provenance = shortened(self.provenance.lines().next().unwrap_or_default(), NAME_WIDTH);
        let _ = writeln!(text, "data: {provenance} (the data file marks its values)\n");
        let _ = writeln!(text, "{:<NAME_WIDTH$} {:>9}   {:<23} more score [95 %]", "plan", "applied", "more wins, in % [95 %]");
        for (name, plan) in self.names.iter().zip(&self.tally.plans) {
            let [wins, score] = [(0, 100.0), (1, 1.0)].map(|(index, factor)| {
                let effect = plan.differences[index].difference(Measure::ALL[index].unit()).in_units_of(1.0 / factor);
                let Estimate { value, low, high, .. } = effect.estimate();
                format!("{value:+.2} [{low:+.2}, {high:+.2}]")
            });
            let _ = writeln!(text, "{:<NAME_WIDTH$} {:>9}   {wins:<23} {score}", shortened(name, NAME_WIDTH), plan.applied);
        }
        for (name, _) in self.names.iter().zip(&self.tally.plans).filter(|(_, plan)| plan.applied == 0) {
            let _ = writeln!(text, "{name}: never made a difference to what could be chosen");
        }
        text
    }
}
