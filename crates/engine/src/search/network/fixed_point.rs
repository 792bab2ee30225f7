//! Exponentials in integers, which are the same on every machine.

/// Number that represents 1 in logits.
pub(super) const LOGIT_ONE: i32 = 1 << 16;

/// Number that represents 1 in the results of [`exp`].
const EXP_ONE: u32 = 1 << 30;

/// Entries per power of two.
const ENTRIES: usize = 256;

/// 2^(i / 256), with [`EXP_ONE`] as 1.
static POWERS: [u32; ENTRIES + 1] = powers();

const fn powers() -> [u32; ENTRIES + 1] {
    let mut table = [0; ENTRIES + 1];
    let mut entry = 0;
    while entry <= ENTRIES {
        // The series of e^x, whose terms are below 1e-17 after 20 of them.
        let x = entry as f64 / ENTRIES as f64 * std::f64::consts::LN_2;
        let (mut sum, mut term, mut n) = (1.0, 1.0, 1);
        while n < 20 {
            term *= x / n as f64;
            sum += term;
            n += 1;
        }
        table[entry] = (sum * EXP_ONE as f64 + 0.5) as u32;
        entry += 1;
    }
    table
}

/// Returns e^x of a logit of at most 0, in units of 2^-30. The relative error is below 2^-16 as
/// long as the result is large.
#[inline]
pub(super) fn exp(logit: i32) -> u32 {
    const LOG2_E: i64 = (std::f64::consts::LOG2_E * (1_i64 << 30) as f64) as i64;
    let exponent = (i64::from(logit) * LOG2_E) >> 30;
    let shift = -(exponent >> 16);
    if shift > 30 {
        return 0;
    }
    let fraction = (exponent & 0xffff) as usize;
    let (entry, rest) = (fraction >> 8, (fraction & 0xff) as u64);
    let (low, high) = (u64::from(POWERS[entry]), u64::from(POWERS[entry + 1]));
    ((low + (((high - low) * rest) >> 8)) >> shift) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_near_the_exact_value() {
        for logit in (-20 * LOGIT_ONE..=0).step_by(997) {
            let exact = (f64::from(logit) / f64::from(LOGIT_ONE)).exp();
            let found = f64::from(exp(logit)) / f64::from(EXP_ONE);
            assert!((found - exact).abs() < 2e-5 * exact + 2e-9, "{logit}: {found}, {exact}");
        }
        assert_eq!(exp(0), EXP_ONE);
        assert_eq!(exp(i32::MIN), 0);
    }
}
