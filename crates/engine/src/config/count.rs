//! Whole numbers as people write them: `20000`, `20_000`, `20k` or `1e6`.

/// Parses a whole number: digits with underscores, a fraction, and a power of ten (`k`, `M` or
/// `e6`).
pub fn parse_count(text: &str) -> Option<u64> {
    let (number, power) = match text
        .strip_suffix('k')
        .map(|number| (number, 3))
        .or(text.strip_suffix('M').map(|number| (number, 6)))
    {
        Some(scaled) => scaled,
        None => match text.split_once(['e', 'E']) {
            Some((number, power)) => (number, power.parse().ok()?),
            None => (text, 0_u32),
        },
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let fraction = fraction.trim_end_matches('0');
    let is_digits = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
    let groups = whole.split('_').all(|digits| !digits.is_empty() && is_digits(digits));
    if !groups || !is_digits(fraction) {
        return None;
    }
    let zeros = power.checked_sub(fraction.len() as u32)?;
    let digits: u64 = format!("{}{fraction}", whole.replace('_', "")).parse().ok()?;
    if digits == 0 { Some(0) } else { digits.checked_mul(10_u64.checked_pow(zeros)?) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_forms_of_counts_are_parsed() {
        for (text, expected) in [
            ("20000", 20_000),
            ("20_000", 20_000),
            ("20k", 20_000),
            ("2e4", 20_000),
            ("1.5k", 1_500),
            ("2M", 2_000_000),
            ("1e6", 1_000_000),
            ("1.25e3", 1_250),
            ("20.0", 20),
            ("0", 0),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(parse_count(text), Some(expected), "{text}");
        }
        let malformed =
            " k e6 1.5 -1 +1 1e 1e-3 _1 1_ 1__0 1kk many 1e20 18446744073709551616 0x10";
        for text in malformed.split(' ').chain(["20 k", "1._5"]) {
            assert_eq!(parse_count(text), None, "{text}");
        }
    }
}
