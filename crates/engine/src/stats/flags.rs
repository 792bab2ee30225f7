//! Tests of families of effects, and the flags that report their results.

use super::{
    holm::{SIGNIFICANCE_LEVEL, holm_adjust},
    paired::Effect,
};

crate::named! {
    /// A property of an effect or an item, shown in the `flag` column of a table. Flags that follow
    /// from a test use p-values adjusted by Holm's method and the level [`SIGNIFICANCE_LEVEL`]; a
    /// p-value that is not a number is never significant.
    pub enum Flag {
        /// The effect is significant.
        Significant = "significant",
        /// The effect is significant for two bots, with opposite signs.
        Flips = "flips",
        /// The effect does not vary between blocks, so it has no test.
        Constant = "constant",
        /// The effect is the opposite of another one of the family, so it is not tested again.
        Complement = "complement",
        /// Only the baseline has the item.
        Removed = "removed",
        /// Only the variant has the item.
        Added = "added",
    }
}

/// An effect with the result of its test in a family of effects.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TestedEffect {
    /// The effect.
    pub effect: Effect,
    /// The p-value, adjusted for the family; not a number if there is no test.
    pub p_holm: f64,
    /// True if the same effect is significant for another bot with the opposite sign, and
    /// significant here.
    pub sign_differs: bool,
}

impl TestedEffect {
    /// Returns an effect without a test.
    pub const fn untested(effect: Effect) -> Self {
        Self { effect, p_holm: f64::NAN, sign_differs: false }
    }

    /// Returns true if the adjusted p-value is below [`SIGNIFICANCE_LEVEL`].
    pub fn is_significant(&self) -> bool {
        self.p_holm < SIGNIFICANCE_LEVEL
    }

    /// Returns the sign of the effect if it is significant, else 0.
    pub fn sign(&self) -> i8 {
        match self.is_significant() {
            true if self.effect.value > 0.0 => 1,
            true => -1,
            false => 0,
        }
    }

    /// Returns the strongest statement about the effect: [`Flag::Flips`], [`Flag::Significant`],
    /// [`Flag::Constant`] or none.
    pub fn flag(&self) -> Option<Flag> {
        if self.sign_differs {
            Some(Flag::Flips)
        } else if self.is_significant() {
            Some(Flag::Significant)
        } else {
            self.effect.is_constant().then_some(Flag::Constant)
        }
    }
}

/// Tests the effects of each bot, or of each lineup, as one family. The effects of all bots are the
/// same effects in the same order; the results follow bot by bot.
pub fn test_effects(effects_by_bot: &[Vec<Effect>]) -> Vec<TestedEffect> {
    let test_family = |effects: &Vec<Effect>| -> Vec<TestedEffect> {
        let p_values = holm_adjust(&effects.iter().map(Effect::p_value).collect::<Vec<_>>());
        let adjusted = effects.iter().zip(p_values);
        let new = |(&effect, p_holm)| TestedEffect { effect, p_holm, sign_differs: false };
        adjusted.map(new).collect()
    };
    let mut tested: Vec<_> = effects_by_bot.iter().flat_map(test_family).collect();
    let signs: Vec<_> = tested.iter().map(TestedEffect::sign).collect();
    let effects = (signs.len() / effects_by_bot.len().max(1)).max(1);
    for (index, one) in tested.iter_mut().enumerate() {
        let mut same_effect = signs.iter().skip(index % effects).step_by(effects);
        one.sign_differs = same_effect.any(|other| other * signs[index] < 0);
    }
    tested
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns an effect with this t statistic; t = 2.08 has p = 0.04, t = 0.5 has p = 0.6.
    fn effect(t: f64) -> Effect {
        Effect::new(1000, t, 1.0, 99.0)
    }

    #[test]
    fn effects_of_one_bot_are_a_family() {
        let flags = |effects: &[Vec<Effect>]| -> Vec<Option<Flag>> {
            test_effects(effects).iter().map(TestedEffect::flag).collect()
        };
        assert_eq!(flags(&[vec![effect(2.08)]]), [Some(Flag::Significant)]);
        assert_eq!(flags(&[vec![effect(2.08), effect(0.5)]]), [None, None], "0.04 twice is 0.08");
        assert_eq!(flags(&[vec![effect(2.08)], vec![effect(-2.08)]]), [Some(Flag::Flips); 2]);
        let constant = Effect::new(1000, 0.0, 0.0, 99.0);
        assert_eq!(
            flags(&[vec![effect(2.08), constant], vec![Effect::unknown(0), constant]]),
            [Some(Flag::Significant), Some(Flag::Constant), None, Some(Flag::Constant)]
        );
    }
}
