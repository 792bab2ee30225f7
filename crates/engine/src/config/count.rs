//! Whole numbers as people write them: `20000`, `20_000`, `20k` or `1e6`.

/// Parses a whole number: digits with underscores, a fraction, and a power of ten (`k`, `M` or
/// `e6`). Thousands have no other separator, see [`count_readings`].
///
/// # Errors
/// Returns what is expected.
pub fn parse_count(text: &str) -> Result<u64, String> {
    if let Some(readings) = count_readings(text) {
        return Err(format!("expected {readings}"));
    }
    parse_digits(text).ok_or_else(|| "expected a number such as 20000, 20k or 1e6".to_owned())
}

/// Returns the counts that digits in groups of three can mean: a `.` or `,` before the only group
/// separates thousands in some countries, and decimals in others.
pub fn count_readings(text: &str) -> Option<String> {
    let groups: Vec<_> = text.split(['.', ',', ' ', '\'', '’', '\u{a0}', '\u{202f}']).collect();
    let (first, thousands) = groups.split_first()?;
    let are_digits = groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_digit()));
    let is_begin = (1..=3).contains(&first.len()) && !first.starts_with('0');
    let is_grouped = !thousands.is_empty() && thousands.iter().all(|group| group.len() == 3);
    (is_begin && are_digits && is_grouped).then(|| {
        let whole = groups.concat();
        match thousands {
            [zeros] if text.contains(['.', ',']) => match zeros.trim_end_matches('0') {
                "" => format!("{whole} or {first}"),
                fraction => format!("{whole} or {first}.{fraction}k"),
            },
            _ => whole,
        }
    })
}

/// Parses a number with one reading.
fn parse_digits(text: &str) -> Option<u64> {
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
            assert_eq!(parse_count(text), Ok(expected), "{text}");
        }
        let malformed =
            " k e6 1.5 -1 +1 1e 1e-3 _1 1_ 1__0 1kk many 1e20 18446744073709551616 0x10";
        for text in malformed.split(' ').chain(["20 k", "1._5", "1 00", "0.500"]) {
            let message = "expected a number such as 20000, 20k or 1e6";
            assert_eq!(parse_count(text), Err(message.to_owned()), "{text}");
        }
        for (text, readings) in [
            ("10.000", "10000 or 10"),
            ("12,500", "12500 or 12.5k"),
            ("10 000", "10000"),
            ("1'000", "1000"),
            ("1.000.000", "1000000"),
            ("1,234,567", "1234567"),
        ] {
            assert_eq!(parse_count(text), Err(format!("expected {readings}")));
        }
    }
}
