//! Which child a search goes down to: bounds on what a child may be worth.

/// How visits and means make a bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Selection {
    /// Mean + c √(ln N / n) (Auer, Cesa-Bianchi and Fischer 2002), N being how often the child was available.
    Ucb1,
    /// The same times the root of a bound on the variance, as in their UCB1-Tuned.
    Ucb1Tuned,
    /// Mean + c P √N / (1 + n) with a prior P (Rosin 2011, in the form of Silver et al. 2017).
    Puct,
}

/// The constants of a bound.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bound {
    /// Its form.
    pub selection: Selection,
    /// The constant c: greater explores more.
    pub exploration: f32,
    /// The weight of the term P / (1 + n), which fades with visits: progressive bias (Chaslot et al. 2008).
    pub bias: f32,
}

/// What is known of a child when its bound is taken.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Arm {
    /// How often it was chosen.
    pub visits: u32,
    /// How often it could have been.
    pub available: u32,
    /// The mean reward, from 0 to 1; without visits, what is expected of it.
    pub mean: f32,
    /// The mean of the squared rewards.
    pub mean_square: f32,
    /// Its share of the prior of all that could be chosen, from 0 to 1.
    pub share: f32,
}

impl Bound {
    /// Whether bounds need the share of the prior.
    pub fn uses_prior(&self) -> bool {
        self.selection == Selection::Puct || self.bias > 0.0
    }

    /// Whether this is UCB1 and nothing else.
    pub fn is_plain(&self) -> bool {
        self.selection == Selection::Ucb1 && self.bias == 0.0
    }

    /// The bound by UCB1 of what was chosen so often out of so many times, with this sum of rewards.
    #[inline]
    pub fn plain(&self, sum: f32, visits: u32, available: u32) -> f32 {
        if visits == 0 {
            return f32::INFINITY;
        }
        let per_visit = 1.0 / visits as f32;
        sum * per_visit + self.exploration * (ln(available) * per_visit).sqrt()
    }

    /// The bound; greatest for what was never chosen, unless a prior says better.
    #[inline]
    pub fn of(&self, arm: &Arm) -> f32 {
        if arm.visits == 0 && self.selection != Selection::Puct {
            return f32::INFINITY;
        }
        let visits = arm.visits as f32;
        let bound = match self.selection {
            Selection::Ucb1 => self.plain(arm.mean * visits, arm.visits, arm.available),
            Selection::Ucb1Tuned => {
                let spread = ln(arm.available) / visits;
                let variance = (arm.mean_square - arm.mean * arm.mean).max(0.0) + (2.0 * spread).sqrt();
                arm.mean + self.exploration * (spread * variance.min(0.25)).sqrt()
            }
            Selection::Puct => arm.mean + self.exploration * arm.share * (arm.available as f32).sqrt() / (1.0 + visits),
        };
        if self.bias > 0.0 { bound + self.bias * arm.share / (1.0 + visits) } else { bound }
    }
}

/// The natural logarithm of a positive number, to 0.004: the same on every machine, and quicker than the exact one, which is taken for
/// every child on the way down.
#[inline]
pub fn ln(number: u32) -> f32 {
    const STEPS: u32 = 8;
    static OF_MANTISSA: [f32; 1 << STEPS] = logarithms();
    let bits = (number as f32).to_bits();
    let exponent = (bits >> (f32::MANTISSA_DIGITS - 1)) as i32 - (f32::MAX_EXP - 1);
    let mantissa = bits >> (f32::MANTISSA_DIGITS - 1 - STEPS) & ((1 << STEPS) - 1);
    exponent as f32 * std::f32::consts::LN_2 + OF_MANTISSA[mantissa as usize]
}

/// ln(1 + k / 256) for k from 0, by the series of the area tangent.
const fn logarithms<const N: usize>() -> [f32; N] {
    let mut table = [0.0; N];
    let mut index = 0;
    while index < N {
        let number = 1.0 + index as f64 / N as f64;
        let ratio = (number - 1.0) / (number + 1.0);
        let (mut power, mut sum, mut term) = (ratio, 0.0, 1);
        while term < 40 {
            sum += 2.0 * power / term as f64;
            power *= ratio * ratio;
            term += 2;
        }
        table[index] = sum as f32;
        index += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_near_enough() {
        for number in (1..5000).chain([1 << 20, (1 << 22) - 1, 1 << 22]) {
            let exact = f64::from(number).ln();
            assert!((f64::from(ln(number)) - exact).abs() < 0.004, "{number}: {} is not {exact}", ln(number));
        }
        assert!(ln(1).abs() < f32::EPSILON);
    }

    #[test]
    fn what_was_never_chosen_comes_first_unless_a_prior_says_better() {
        let tried = Arm { visits: 10, available: 20, mean: 1.0, mean_square: 1.0, share: 0.9 };
        let untried = Arm { visits: 0, available: 20, mean: 0.5, mean_square: 0.25, share: 0.1 };
        for selection in [Selection::Ucb1, Selection::Ucb1Tuned] {
            let bound = Bound { selection, exploration: 1.0, bias: 0.0 };
            assert!(bound.of(&untried) > bound.of(&tried));
        }
        let puct = Bound { selection: Selection::Puct, exploration: 1.0, bias: 0.0 };
        assert!(puct.of(&untried) < puct.of(&tried));
        let small = 0.1 * 20_f32.sqrt();
        assert!((puct.of(&untried) - (0.5 + small)).abs() < 1e-6);
    }

    #[test]
    fn a_tuned_bound_explores_less_where_rewards_hardly_vary() {
        let bound = Bound { selection: Selection::Ucb1Tuned, exploration: 1.0, bias: 0.0 };
        let steady = Arm { visits: 10_000, available: 20_000, mean: 0.5, mean_square: 0.25, share: 0.0 };
        let varied = Arm { mean_square: 0.5, ..steady };
        assert!(bound.of(&steady) < bound.of(&varied));
        let exact = 0.5 + (f64::from(20_000).ln() / 10_000.0 * 0.25).sqrt();
        assert!((f64::from(bound.of(&varied)) - exact).abs() < 1e-3);
    }
}
