//! Parts of the names of components for people.

pub use crate::game::enumerate;
use crate::{
    config::{DisplayName, Id},
    game::Seat,
    scene::capitalize,
};

/// Returns a number with its noun, as in `1 point` and `2 points`.
pub fn count(number: u32, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Returns the name of the player of a seat, who is counted from 1.
pub fn player(seat: Seat) -> String {
    format!("player {}", seat.index() + 1)
}

/// Returns a player with a verb of which the third person ends with `s`, as in `Player 2 takes`, or
/// `You take` for the person who is addressed.
pub fn verb_of(seat: Seat, person: Option<Seat>, verb: &str) -> String {
    if Some(seat) == person {
        return format!("You {verb}");
    }
    format!("{} {verb}s", capitalize(&player(seat)))
}

/// Returns an identifier as words, as in `Light blue` for `light_blue`.
pub fn words_of(id: &str) -> String {
    capitalize(&id.replace('_', " "))
}

/// Returns short names that differ, such as `LB` for `Light blue`: the first letters of the words
/// of each name, or more letters of a name that would not differ from the ones before it.
pub fn codes(names: &[String]) -> Vec<String> {
    let mut codes: Vec<String> = Vec::new();
    for name in names {
        let initials = name.split_whitespace().filter_map(|word| word.chars().next());
        let longer = (2..=name.chars().count()).map(|length| name.chars().take(length).collect());
        let mut candidates =
            [initials.collect::<String>().to_uppercase()].into_iter().chain(longer);
        let code = candidates.find(|code| !codes.contains(code));
        codes.push(code.unwrap_or_else(|| (codes.len() + 1).to_string()));
    }
    codes
}

/// Returns the name in the data file, or else the identifier as words.
pub fn name_or_id(name: Option<&DisplayName>, id: &Id) -> String {
    name.map_or_else(|| words_of(id.as_str()), |name| name.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_differ() {
        let names = ["White", "Light blue", "Light brown", "Water", "White"].map(str::to_owned);
        assert_eq!(codes(&names), ["W", "LB", "Li", "Wa", "Wh"]);
    }
}
