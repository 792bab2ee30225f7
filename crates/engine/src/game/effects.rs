//! Consequences of an action in words.

/// Consequences of an action by the rules alone, the most important first.
///
/// A phrase continues a sentence that begins with "it", as in `scores 6 points for columns`: a verb
/// in the third person, lower case, no full stop, at most [`ActionEffects::MAX_PHRASE`] characters.
/// A game states only what is certain and open to the seat that decides.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ActionEffects {
    /// Consequences for which the seat that decides may choose the action.
    pub gains: Vec<String>,
    /// Consequences for which it may not. Each begins with a regular verb, whose infinitive has one
    /// letter less, as in `loses`.
    pub costs: Vec<String>,
}

impl ActionEffects {
    /// Maximum number of characters of a phrase.
    pub const MAX_PHRASE: usize = 90;

    /// Adds a reason to choose the action.
    pub fn gain(&mut self, phrase: impl Into<String>) {
        self.gains.push(phrase.into());
    }

    /// Adds a reason not to choose it.
    pub fn cost(&mut self, phrase: impl Into<String>) {
        self.costs.push(phrase.into());
    }

    /// Adds a change of the score of the seat that decides, with its source; none if it is 0.
    pub fn points(&mut self, points: i32, source: &str) {
        let noun = if points.abs() == 1 { "point" } else { "points" };
        match points {
            0 => {}
            1.. => self.gain(format!("scores {points} {noun} for {source}")),
            _ => self.cost(format!("loses {} {noun} for {source}", -points)),
        }
    }

    /// Returns the first `most` gains, as in `because it scores 6 points for columns and takes the
    /// last wood`; `None` if there are none.
    pub fn because(&self, most: usize) -> Option<String> {
        let reasons = enumerate(self.gains.iter().take(most).cloned());
        (!reasons.is_empty()).then(|| format!("because it {reasons}"))
    }

    /// Returns the first gains and costs, `most` of each, as in `it brings 3 wood, but costs 1
    /// pioneer`; `None` if there are none.
    pub fn summary(&self, most: usize) -> Option<String> {
        let [gains, costs] =
            [&self.gains, &self.costs].map(|all| enumerate(all.iter().take(most).cloned()));
        match (gains.is_empty(), costs.is_empty()) {
            (true, true) => None,
            (false, false) => Some(format!("it {gains}, but {costs}")),
            _ => Some(format!("it {gains}{costs}")),
        }
    }
}

/// Returns texts as an enumeration, as in `wood, clay and stone`.
pub fn enumerate(texts: impl Iterator<Item = String>) -> String {
    let texts: Vec<_> = texts.collect();
    match texts.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => texts.concat(),
    }
}
