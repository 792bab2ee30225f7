//! Counts on the command line: `20000`, `20_000`, `20k` or `1e6`.

use std::{fmt::Display, ops::RangeInclusive};

/// Maximum number of games of a study: no sum of squares overflows.
pub(crate) const MAX_GAMES: u64 = 1_000_000_000;

/// Returns a parser of counts in a range, for clap.
pub(crate) fn count<T>(
    range: RangeInclusive<T>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: TryFrom<u64> + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text| {
        let count = parse_count(text).ok_or("expected a number such as 20000, 20k or 1e6")?;
        match T::try_from(count) {
            Ok(count) if count < *range.start() => {
                Err(format!("expected at least {}, found {count}", range.start()))
            }
            Ok(count) if count <= *range.end() => Ok(count),
            _ => Err(format!("expected at most {}, found {count}", range.end())),
        }
    }
}

/// Parses a whole number: digits with underscores, a fraction, and a power of ten (`k`, `M` or
/// `e6`).
pub(crate) fn parse_count(text: &str) -> Option<u64> {
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
#[allow(clippy::unwrap_used, reason = "a test that can't go on should stop where it is")]
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

    #[test]
    fn counts_out_of_range_are_rejected() {
        let message = |text: &str| count(1_u32..=1000)(text).unwrap_err();
        assert_eq!(message("0"), "expected at least 1, found 0");
        assert_eq!(message("1e6"), "expected at most 1000, found 1000000");
        assert_eq!(message("1e12"), "expected at most 1000, found 1000000000000");
        assert_eq!(message("many"), "expected a number such as 20000, 20k or 1e6");
        assert_eq!(count(1_u32..=1000)("1k"), Ok(1000));
    }
}
