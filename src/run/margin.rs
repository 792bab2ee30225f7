//! Differences between rates on the command line: `1pp` or `0.5`, in percentage points.

use std::str::FromStr;

/// A difference between two rates: the largest that counts as none, or the smallest that matters.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Margin {
    points: f64,
}

impl Margin {
    /// Returns the margin as a share, 0.01 for 1 percentage point.
    pub(crate) fn share(self) -> f64 {
        self.points / 100.0
    }
}

/// Returns a margin, which is a share, in words, as in `1 percentage point`.
pub(crate) fn margin_words(share: f64) -> String {
    let points = (share * 1e8).round() / 1e6;
    let number = points.to_string();
    format!("{number} percentage point{}", if number == "1" { "" } else { "s" })
}

/// 1 percentage point.
impl Default for Margin {
    fn default() -> Self {
        Self { points: 1.0 }
    }
}

impl FromStr for Margin {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = text.strip_suffix("pp").unwrap_or(text).parse().ok();
        let points = number.filter(|points: &f64| *points > 0.0 && *points <= 100.0);
        let points = points.ok_or("expected percentage points above 0 and up to 100, as in 1pp")?;
        Ok(Self { points })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_are_percentage_points() {
        for (text, words) in [
            ("1pp", "1 percentage point"),
            ("0.5", "0.5 percentage points"),
            ("2.0pp", "2 percentage points"),
        ] {
            let margin: Margin = text.parse().expect(text);
            assert_eq!(margin_words(margin.share()), words);
        }
        assert!("1pp".parse().is_ok_and(|margin: Margin| (margin.share() - 0.01).abs() < 1e-12));
        for wrong in ["", "0", "-1", "1 %", "101", "nan", "inf"] {
            assert!(wrong.parse::<Margin>().is_err(), "{wrong}");
        }
    }
}
