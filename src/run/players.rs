//! `--players`: one number of players, or several.

use std::{fmt, ops::RangeInclusive, str::FromStr};

use anyhow::bail;

/// Numbers of players, each once: `2`, `2..4` or `2,4`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PlayerNumbers {
    numbers: Vec<usize>,
    text: String,
}

/// Largest number in a range; no game has as many players.
const MAX: usize = 99;

impl PlayerNumbers {
    /// Returns the only number.
    ///
    /// # Errors
    /// If there are several.
    pub(crate) fn one(&self) -> anyhow::Result<usize> {
        match self.numbers[..] {
            [number] => Ok(number),
            _ => bail!(
                "--players: expected one number, found {self}; several numbers are for \
                 `simulate`, `match`, `train` and the `balance` commands"
            ),
        }
    }

    /// Returns the numbers.
    pub(crate) fn all(&self) -> &[usize] {
        &self.numbers
    }

    /// Returns the numbers, if there are several.
    pub(crate) fn several(&self) -> Option<&[usize]> {
        (self.numbers.len() > 1).then_some(&self.numbers)
    }
}

impl From<usize> for PlayerNumbers {
    fn from(number: usize) -> Self {
        Self { numbers: vec![number], text: number.to_string() }
    }
}

impl FromStr for PlayerNumbers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || "expected a number, as in 2, or several, as in 2..4 or 2,4".to_owned();
        let number = |text: &str| text.trim().parse::<usize>().map_err(|_| expected());
        let numbers: Vec<usize> = match text.split_once("..") {
            Some((first, last)) => {
                let range: RangeInclusive<usize> = number(first)?..=number(last)?;
                if range.is_empty() || *range.end() > MAX {
                    return Err(expected());
                }
                range.collect()
            }
            None => text.split(',').map(number).collect::<Result<_, _>>()?,
        };
        let is_repeated =
            numbers.iter().enumerate().any(|(index, number)| numbers[..index].contains(number));
        if is_repeated { Err(expected()) } else { Ok(Self { numbers, text: text.to_owned() }) }
    }
}

impl fmt::Display for PlayerNumbers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_players_are_listed_or_a_range() {
        for (text, expected) in [
            ("2", Some(&[2][..])),
            ("2..4", Some(&[2, 3, 4])),
            ("2,4", Some(&[2, 4])),
            ("4..2", None),
            ("2,2", None),
            ("2..", None),
            ("two", None),
            ("1..100000000", None),
        ] {
            let numbers = text.parse::<PlayerNumbers>().ok().map(|players| players.numbers);
            assert_eq!(numbers.as_deref(), expected, "{text}");
        }
    }
}
