//! Profiles of trained value functions.

use crate::{
    run::arguments::GameSelection,
    search::{heuristic::Heuristic, hidden::HiddenUnit},
};

/// Trained value function and its progress.
pub(super) struct TrainedValue {
    /// Value function, with the hidden layer if there is one.
    pub(super) value: Heuristic,
    /// Units of the hidden layer.
    pub(super) units: Vec<HiddenUnit>,
    /// Finished generations of the linear part.
    pub(super) generations: u32,
    /// Finished generations of the hidden layer.
    pub(super) hidden_generations: u32,
}

impl TrainedValue {
    /// Creates a value function without finished generations.
    pub(super) fn new(value: Heuristic) -> Self {
        Self { value, units: Vec::new(), generations: 0, hidden_generations: 0 }
    }

    /// Returns the number of finished generations, those of the hidden layer included.
    pub(super) fn all_generations(&self) -> u32 {
        self.generations + self.hidden_generations
    }

    /// Returns the text of the profile. `command` is the command that repeats the training.
    pub(super) fn profile_text(
        &self,
        feature_names: &[&str],
        selection: &GameSelection,
        command: &str,
    ) -> String {
        let Self { value, units, hidden_generations, .. } = self;
        let layer = match units.len() {
            0 => String::new(),
            count => format!(", {hidden_generations} of them with {count} hidden units"),
        };
        let mut text = selection.profile_header(command);
        text += &format!(
            "kind = \"heuristic\"\ndescription = \"Win probability with {} players, trained in {} \
             generations of self-play{layer}.\"\nrivals = true\ntemperature = 1.0\ndata = \"{}\"\n",
            selection.players,
            self.all_generations(),
            selection.document.values_sha256().unwrap_or_default(),
        );
        let drift = value.drift.unwrap_or_default();
        let at_end = std::array::from_fn(|index| value.weights[index] + drift[index]);
        for (table, weights) in [("weights", value.weights), ("weights_at_end", at_end)] {
            let lines = assignments(feature_names, &weights).join("\n");
            text += &format!("\n[{table}]\n{lines}\n");
        }
        for HiddenUnit { output, bias, progress, weights } in units {
            let weights = assignments(feature_names, weights).join(", ");
            text += &format!(
                "\n[[hidden]]\noutput = {output:.5}\nbias = {bias:.5}\nprogress = \
                 {progress:.5}\nweights = {{ {weights} }}\n",
            );
        }
        text
    }
}

/// Returns `feature = weight` for each feature, with 5 decimals.
fn assignments(feature_names: &[&str], weights: &[f64]) -> Vec<String> {
    let lines = feature_names.iter().zip(weights);
    lines.map(|(name, weight)| format!("{name} = {weight:.5}")).collect()
}
