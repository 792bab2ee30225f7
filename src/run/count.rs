//! Counts on the command line: `20000`, `20_000`, `20k` or `1e6`.

use std::{fmt::Display, ops::RangeInclusive};

use crate::config::parse_count;

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
        let count = parse_count(text)?;
        match T::try_from(count) {
            Ok(count) if count < *range.start() => {
                Err(format!("expected at least {}, found {count}", range.start()))
            }
            Ok(count) if count <= *range.end() => Ok(count),
            _ => Err(format!("expected at most {}, found {count}", range.end())),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that can't go on should stop where it is")]
mod tests {
    use super::*;

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
