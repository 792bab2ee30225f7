//! Selection of children: upper confidence bounds.

crate::names! {
    /// Formula of the upper confidence bound.
    #[derive(serde::Serialize)]
    #[serde(into = "&'static str")]
    pub enum SelectionRule {
        /// Mean + c √(ln N / n) (Auer, Cesa-Bianchi and Fischer 2002), where N is the number of
        /// iterations in which the child was available.
        Ucb1 = "ucb1",
        /// UCB1-Tuned of the same paper: the term is multiplied by the root of a bound on the
        /// variance.
        Ucb1Tuned = "ucb1-tuned",
        /// Mean + c P √N / (1 + n) with a prior P (Rosin 2011, in the form of Silver et al. 2017).
        Puct = "puct",
    }
}

/// Rule for selecting a child, with its constants.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ChildSelection {
    /// Formula.
    pub rule: SelectionRule,
    /// Exploration constant c: larger values explore more.
    pub exploration: f32,
    /// Weight of the term P / (1 + n), which fades with visits: progressive bias (Chaslot et al.
    /// 2008).
    pub bias: f32,
}

/// Statistics of a child, as needed for its bound.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Arm {
    /// Number of visits.
    pub visits: u32,
    /// Number of iterations in which it was available.
    pub available: u32,
    /// Mean reward, from 0 to 1; without visits, the assumed value.
    pub mean: f32,
    /// Mean of the squared rewards.
    pub mean_square: f32,
    /// Prior probability among the available children, from 0 to 1.
    pub prior: f32,
}

impl ChildSelection {
    /// Returns true if bounds depend on the prior.
    pub fn uses_prior(&self) -> bool {
        self.rule == SelectionRule::Puct || self.bias > 0.0
    }

    /// Returns the UCB1 bound of a child with this mean, 1 / √n, and availability.
    #[inline]
    pub fn ucb1(&self, mean: f32, inv_sqrt_visits: f32, available: u32) -> f32 {
        mean + self.exploration * inv_sqrt_visits * sqrt_ln(available)
    }

    /// Returns true if the bound is that of [`Self::puct`] and no more.
    pub fn is_plain_puct(&self) -> bool {
        self.rule == SelectionRule::Puct && self.bias == 0.0
    }

    /// Returns the PUCT bound of a child with this mean, prior probability, visits and
    /// availability.
    #[inline]
    pub fn puct(&self, mean: f32, prior: f32, visits: u32, available: u32) -> f32 {
        mean + self.exploration * prior * (available as f32).sqrt() / (1.0 + visits as f32)
    }

    /// Returns the bound. Unvisited children come first, except with PUCT, where the prior decides.
    #[inline]
    pub fn score(&self, arm: &Arm) -> f32 {
        if arm.visits == 0 && self.rule != SelectionRule::Puct {
            return f32::INFINITY;
        }
        let visits = arm.visits as f32;
        let bound = match self.rule {
            SelectionRule::Ucb1 => self.ucb1(arm.mean, 1.0 / visits.sqrt(), arm.available),
            SelectionRule::Ucb1Tuned => {
                let ln_per_visit = sqrt_ln(arm.available).powi(2) / visits;
                let variance =
                    (arm.mean_square - arm.mean * arm.mean).max(0.0) + (2.0 * ln_per_visit).sqrt();
                arm.mean + self.exploration * (ln_per_visit * variance.min(0.25)).sqrt()
            }
            SelectionRule::Puct => self.puct(arm.mean, arm.prior, arm.visits, arm.available),
        };
        if self.bias > 0.0 { bound + self.bias * arm.prior / (1.0 + visits) } else { bound }
    }
}

/// Shift that maps the bits of an `f32` to its table entry: the exponent and the first 6 bits of
/// the mantissa.
const ENTRY_SHIFT: u32 = f32::MANTISSA_DIGITS - 1 - 6;
const FIRST_ENTRY: u32 = 1_f32.to_bits() >> ENTRY_SHIFT;
const ENTRIES: usize =
    ((u32::MAX as f32).to_bits() >> ENTRY_SHIFT) as usize - FIRST_ENTRY as usize + 1;

/// Returns √ln of a positive number, with a relative error below 0.2 %. A table is the same on
/// every machine and faster than the exact function, which would be called for every child of every
/// visited node.
#[inline]
pub fn sqrt_ln(number: u32) -> f32 {
    static TABLE: [f32; ENTRIES] = sqrt_ln_table();
    TABLE[((number as f32).to_bits() >> ENTRY_SHIFT) as usize - FIRST_ENTRY as usize]
}

/// Returns √ln of the middle of each entry's range.
const fn sqrt_ln_table() -> [f32; ENTRIES] {
    let mut table = [0.0; ENTRIES];
    let mut entry = 1;
    while entry < ENTRIES as u32 {
        let first = f32::from_bits((FIRST_ENTRY + entry) << ENTRY_SHIFT) as f64;
        let next = f32::from_bits((FIRST_ENTRY + entry + 1) << ENTRY_SHIFT) as f64;
        let middle = if next - first > 1.0 { f64::midpoint(first, next) } else { first };
        table[entry as usize] = const_sqrt(const_ln(middle)) as f32;
        entry += 1;
    }
    table
}

/// Returns the natural logarithm of a number of at least 1, by the series of the inverse hyperbolic
/// tangent. The function of the standard library is not `const`.
const fn const_ln(mut number: f64) -> f64 {
    let mut sum = 0.0;
    while number >= 2.0 {
        number /= 2.0;
        sum += std::f64::consts::LN_2;
    }
    let ratio = (number - 1.0) / (number + 1.0);
    let (mut power, mut term) = (ratio, 0);
    while term < 20 {
        sum += 2.0 * power / (2 * term + 1) as f64;
        power *= ratio * ratio;
        term += 1;
    }
    sum
}

/// Returns the square root of a positive number of moderate size, by Heron's method.
const fn const_sqrt(number: f64) -> f64 {
    let (mut root, mut step) = (1.0, 0);
    while step < 10 {
        root = f64::midpoint(root, number / root);
        step += 1;
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sqrt_ln_is_within_its_error_bound() {
        for number in (2..5000).chain([1 << 20, (1 << 22) - 1, 1 << 22, u32::MAX]) {
            let exact = f64::from(number).ln().sqrt();
            let relative = f64::from(sqrt_ln(number)) / exact - 1.0;
            assert!(
                relative.abs() < if number < 128 { 1e-6 } else { 0.002 },
                "{number}: {} is not {exact}",
                sqrt_ln(number)
            );
        }
        assert!(sqrt_ln(1).abs() < f32::EPSILON);
    }

    #[test]
    fn unvisited_children_come_first_except_with_puct() {
        let tried = Arm { visits: 10, available: 20, mean: 1.0, mean_square: 1.0, prior: 0.9 };
        let untried = Arm { visits: 0, available: 20, mean: 0.5, mean_square: 0.25, prior: 0.1 };
        for selection in [SelectionRule::Ucb1, SelectionRule::Ucb1Tuned] {
            let bound = ChildSelection { rule: selection, exploration: 1.0, bias: 0.0 };
            assert!(bound.score(&untried) > bound.score(&tried));
        }
        let puct = ChildSelection { rule: SelectionRule::Puct, exploration: 1.0, bias: 0.0 };
        assert!(puct.score(&untried) < puct.score(&tried));
        let small = 0.1 * 20_f32.sqrt();
        assert!((puct.score(&untried) - (0.5 + small)).abs() < 1e-6);
    }

    #[test]
    fn ucb1_tuned_explores_less_with_low_variance() {
        let bound = ChildSelection { rule: SelectionRule::Ucb1Tuned, exploration: 1.0, bias: 0.0 };
        let constant =
            Arm { visits: 10_000, available: 20_000, mean: 0.5, mean_square: 0.25, prior: 0.0 };
        let varied = Arm { mean_square: 0.5, ..constant };
        assert!(bound.score(&constant) < bound.score(&varied));
        let exact = 0.5 + (f64::from(20_000).ln() / 10_000.0 * 0.25).sqrt();
        assert!((f64::from(bound.score(&varied)) - exact).abs() < 1e-3);
    }
}
