//! Parts of the names of components for people.

use crate::{
    config::{DisplayName, Id},
    game::Seat,
};

/// Returns a number with its noun, as in `1 point` and `2 points`.
pub(super) fn count(number: u32, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Returns the name of the player of a seat, who is counted from 1.
pub(super) fn player(seat: Seat) -> String {
    format!("player {}", seat.index() + 1)
}

/// Capitalizes the first letter.
pub(super) fn capitalize(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Returns an identifier as words, as in `Light blue` for `light_blue`.
pub(super) fn words_of(id: &str) -> String {
    capitalize(&id.replace('_', " "))
}

/// Returns the name in the data file, or else the identifier as words.
pub(super) fn name_or_id(name: Option<&DisplayName>, id: &Id) -> String {
    name.map_or_else(|| words_of(id.as_str()), |name| name.as_str().to_owned())
}
