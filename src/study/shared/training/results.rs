//! Results of the generations of a training.

use std::iter;

use super::test_match::TestResult;
use crate::study::shared::prelude::*;

/// Results of a generation, kept in its folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct NetworkGeneration {
    pub(crate) generation: u32,
    /// Games that were learned from, those of earlier generations in the window included.
    pub(crate) games: u64,
    pub(crate) samples: usize,
    /// Mean losses of held-out samples before and after: win shares, policy, scores.
    pub(crate) losses_before: [f64; 3],
    pub(crate) losses_after: [f64; 3],
    /// Test against the best generation before, if there was one.
    pub(crate) test: Option<TestResult>,
    /// True if this generation plays the games of the next one.
    pub(crate) is_promoted: bool,
    /// Best generation so far.
    pub(crate) best: u32,
}

impl NetworkGeneration {
    /// Returns lines of at most 80 columns with the losses and the test.
    pub(crate) fn messages(&self, seconds: f64) -> Vec<String> {
        let Self { generation, losses_before, losses_after, .. } = self;
        let [[win_before, policy_before, _], [win, policy, _]] = [losses_before, losses_after];
        let losses = format!(
            "generation {generation}: loss {win_before:.4} to {win:.4} nats, policy \
             {policy_before:.4} to {policy:.4}, {seconds:.0} s"
        );
        let tests = self.test.iter().flat_map(TestResult::messages);
        iter::once(losses).chain(tests.map(|test| format!("  {test}"))).collect()
    }
}

/// Returns the text of the profile of a network that `command` has trained. `weights` is the name
/// of the file beside it.
pub(crate) fn network_profile(
    selection: &GameSelection,
    command: &str,
    description: &str,
    weights: &str,
) -> String {
    format!(
        "{}kind = \"network\"\ndescription = {description:?}\nweights = {weights:?}\n\
         data = \"{}\"\n",
        selection.profile_header(command),
        selection.document.values_sha256().unwrap_or_default(),
    )
}

/// Results of a training, generation by generation.
#[derive(Clone, Default, Debug)]
pub(crate) struct TrainingResults {
    pub(crate) generations: Vec<NetworkGeneration>,
}

impl TrainingResults {
    /// Returns the best generation; 0 if there is none, which is then the first network.
    pub(crate) fn best(&self) -> u32 {
        self.generations.last().map_or(0, |result| result.best)
    }

    /// Returns the generation that was the best one before this result.
    pub(crate) fn best_before(&self, index: usize) -> u32 {
        index.checked_sub(1).map_or(0, |index| self.generations[index].best)
    }

    /// Returns the generation with the highest win rate in its test against a frozen bot, of these
    /// and a further one; the last one without tests.
    pub(crate) fn best_in_test(&self, further: &NetworkGeneration) -> u32 {
        let strength = |result: &NetworkGeneration| {
            let rates = result.test.iter().flat_map(TestResult::win_rates);
            rates.map(|rates| rates.candidate.value * rates.players as f64).sum::<f64>()
        };
        let all = self.generations.iter().chain([further]);
        let best = all.max_by(|one, other| strength(one).total_cmp(&strength(other)));
        best.map_or(further.generation, |best| best.generation)
    }

    /// States how many generations there are, which is the best, and how it won its test.
    pub(crate) fn summary(&self) -> String {
        let count = format_count(self.generations.len(), "generation");
        let best = self.best();
        let find = |(_, result): &(usize, &NetworkGeneration)| result.generation == best;
        let Some((index, result)) = self.generations.iter().enumerate().find(find) else {
            return format!(
                "After {count}, none has won its test, so the network of --start is the best one."
            );
        };
        let Some(test) = &result.test else {
            return format!("After {count}, generation {best} is the best one. It was not tested.");
        };
        let rates = test.win_rates().map(|rates| {
            let games = format_count(rates.candidate.n.unsigned_abs(), "game");
            format!("{} of {games} with {}", format_percent(rates.candidate), rates.players)
        });
        let opponent = match &test.against {
            Some(bot) => bot.clone(),
            None => format!("generation {}", self.best_before(index)),
        };
        format!(
            "After {count}, generation {best} is the best one. In its test against {opponent} it \
             won {} players.",
            join_with_and(rates)
        )
    }
}
