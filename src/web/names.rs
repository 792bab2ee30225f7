//! Names of the players of a game in texts for people.
//!
//! Games count players from 1, as in `player 2`. Where an opponent has a name, texts have it.

use crate::{
    game::Seat,
    scene::{Scene, capitalize},
    session::{Player, Setup},
};

/// The names of the players.
#[derive(Clone, Debug)]
pub(crate) struct PlayerNames {
    /// The names, by seat.
    names: Vec<String>,
    /// The person who is addressed.
    pub(crate) person: Option<Seat>,
}

impl PlayerNames {
    /// Returns the names of the players of a game: `you` for a person who is addressed, names of
    /// opponents, and `player 2` and the like for all others.
    pub(crate) fn new(setup: &Setup, person: Option<Seat>) -> Self {
        let titles: Vec<_> = setup.players.iter().map(Player::title).collect();
        let name = |(seat, title): (usize, Option<&'static str>)| match title {
            _ if person == Some(Seat::new(seat)) => "you".to_owned(),
            None => format!("player {}", seat + 1),
            Some(title) => {
                // Equal opponents are told apart by letters, which nobody takes for ratings.
                let equal = |titles: &[Option<&str>]| {
                    titles.iter().filter(|&&other| other == Some(title)).count()
                };
                match equal(&titles) {
                    1 => title.to_owned(),
                    _ => format!("{title} {}", char::from(b'A' + equal(&titles[..seat]) as u8)),
                }
            }
        };
        Self { names: titles.iter().copied().enumerate().map(name).collect(), person }
    }

    /// Returns the name of a player within a sentence.
    pub(crate) fn of(&self, seat: usize) -> &str {
        &self.names[seat]
    }

    /// Returns a text with the names in place of `player 2` and `Player 2`.
    pub(crate) fn insert_into(&self, text: &str) -> String {
        // `player 12` before the `player 1` that it contains.
        self.names.iter().enumerate().rev().fold(text.to_owned(), |text, (seat, name)| {
            let number = format!("layer {}", seat + 1);
            let text = text.replace(&format!("p{number}"), name);
            text.replace(&format!("P{number}"), &capitalize(name))
        })
    }

    /// Inserts the names into texts.
    pub(crate) fn insert_into_all<'a>(&self, texts: impl IntoIterator<Item = &'a mut String>) {
        for text in texts {
            *text = self.insert_into(text);
        }
    }

    /// Inserts the names into the sentence and the facts of a scene, and into the titles of its
    /// areas.
    pub(crate) fn insert_into_scene(&self, mut scene: Scene) -> Scene {
        scene.turn = self.insert_into(&scene.turn);
        for area in &mut scene.areas {
            area.title = self.insert_into(&area.title);
            let chips = area.facts.iter_mut().flat_map(|fact| &mut fact.chips);
            self.insert_into_all(chips.map(|chip| &mut chip.name));
        }
        scene
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_take_the_place_of_numbers() {
        let names = ["you", "Otter", "player 3"].map(str::to_owned).into();
        let names = PlayerNames { names, person: Some(Seat::new(0)) };
        let inserted = names.insert_into("Player 3 asks player 2 and player 1.");
        assert_eq!(inserted, "Player 3 asks Otter and you.");
        assert_eq!(names.insert_into("Player 2, blue board"), "Otter, blue board");
        assert_eq!(names.insert_into("2 players"), "2 players");
    }
}
