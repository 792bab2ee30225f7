//! Altered positions of all games: a position that is accepted can be played to its end, and its
//! text is the text that was read.

use crate::task::{GameTask, bind_and_run};
use std::collections::BTreeMap;

use watershed::BuiltInGame;
use watershed::{
    bots::profile::BotLibrary,
    game::{FullGame, Turn},
    games::built_in_games,
    rng::{Purpose, Rng, random_below, stream},
    search::playout::{Uniform, play_out},
};

/// Altered positions of each game and number of players.
const MUTANTS: usize = 1000;
/// Altered positions of the long run.
const MANY_MUTANTS: usize = 50_000;

#[test]
fn mutated_positions_are_refused_or_played_to_their_end() {
    check_all_games(MUTANTS);
}

#[test]
#[ignore = "minutes: many more positions; .ci/full runs it"]
fn many_mutated_positions_are_refused_or_played_to_their_end() {
    check_all_games(MANY_MUTANTS);
}

#[expect(clippy::print_stdout, reason = "the counts of a long run are worth reading")]
fn check_all_games(mutants: usize) {
    for game in built_in_games().all() {
        let mut counts = Counts::default();
        for players in 1..=5 {
            let Ok(found) =
                bind_and_run(game.id, &game.default_document(), players, Mutate { mutants })
            else {
                continue;
            };
            counts.changed += found.changed;
            counts.accepted += found.accepted;
        }
        println!("{}: {} changed positions, {} accepted", game.id, counts.changed, counts.accepted);
        assert!(
            counts.accepted > 0 && counts.accepted < counts.changed,
            "{} of {} accepted",
            counts.accepted,
            counts.changed
        );
    }
}

#[derive(Default)]
struct Counts {
    changed: usize,
    accepted: usize,
}

/// A task that alters positions of random games and reads them.
struct Mutate {
    mutants: usize,
}

impl GameTask for Mutate {
    type Output = Counts;

    fn run<G: BuiltInGame>(self, game: &G, _library: &BotLibrary) -> Counts {
        let mut rng = stream(game.seats() as u64, 0, 0, Purpose::Playout);
        let texts = positions(game, &mut rng);
        let pool = Pool::new(&texts);
        let mut counts = Counts::default();
        for _ in 0..self.mutants {
            let original = &texts[pick(&mut rng, texts.len())];
            let mutant = pool.mutate(original, &mut rng);
            if sorted(&mutant) == sorted(original) {
                continue;
            }
            counts.changed += 1;
            if let Ok(mut state) = game.parse_position(&mutant) {
                counts.accepted += 1;
                let own = game.position_text(&state);
                assert_eq!(sorted(&own), sorted(&mutant), "{original}");
                assert_eq!(game.parse_position(&own).as_ref(), Ok(&state), "{mutant}");
                check_play(game, &mut state, &mutant, &mut rng);
            }
        }
        counts
    }
}

/// Plays at random to the end. A seat without legal actions is an error of the position.
fn check_play<G: FullGame>(game: &G, state: &mut G::State, text: &str, rng: &mut Rng) {
    let begun = *state;
    let played = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        play_out(game, state, &Uniform, rng)
    }));
    assert!(played.is_ok(), "can't be played on: {text}\nread as {begun:?}");
    assert_eq!(game.turn(state), Turn::Over, "{text}");
}

/// Returns the texts of positions of random games.
fn positions<G: FullGame>(game: &G, rng: &mut Rng) -> Vec<String> {
    let mut texts = Vec::new();
    while texts.len() < 200 {
        let mut state = game.initial();
        while game.turn(&state) != Turn::Over {
            if random_below(rng, 9) == 0 {
                texts.push(game.position_text(&state));
            }
            play_one(game, &mut state, rng);
        }
        texts.push(game.position_text(&state));
    }
    texts
}

fn play_one<G: FullGame>(game: &G, state: &mut G::State, rng: &mut Rng) {
    use watershed::game::ActionSet;
    let action = match game.turn(state) {
        Turn::Seat(_) => {
            let legal = game.legal_actions(state);
            legal.nth(random_below(rng, legal.len() as u32) as usize)
        }
        _ => game.sample_chance(state, rng),
    };
    game.apply(state, action);
}

fn pick(rng: &mut Rng, count: usize) -> usize {
    random_below(rng, count as u32) as usize
}

/// Returns the words of a text with the entries of their lists sorted.
fn sorted(text: &str) -> Vec<Vec<&str>> {
    let words = text.split(' ').map(|word| {
        let mut entries: Vec<_> = word.split([':', ',']).collect();
        entries[1..].sort_unstable();
        entries
    });
    words.collect()
}

/// All values of words in real positions, by key.
struct Pool {
    values: BTreeMap<String, Vec<String>>,
}

impl Pool {
    fn new(texts: &[String]) -> Self {
        let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (key, value) in texts
            .iter()
            .flat_map(|text| text.split(' ').skip(1))
            .filter_map(|word| word.split_once(':'))
        {
            values.entry(key.to_owned()).or_default().push(value.to_owned());
        }
        for values in values.values_mut() {
            values.sort();
            values.dedup();
        }
        Self { values }
    }

    /// Edits 1 to 3 words.
    fn mutate(&self, text: &str, rng: &mut Rng) -> String {
        let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        for _ in 0..=random_below(rng, 3) {
            let place = 1 + pick(rng, words.len() - 1);
            let (key, value) = words[place].split_once(':').unwrap();
            let value = self.edit(key, value, rng);
            words[place] = format!("{key}:{value}");
        }
        words.join(" ")
    }

    fn edit(&self, key: &str, value: &str, rng: &mut Rng) -> String {
        let pool = &self.values[key];
        let mut entries: Vec<String> = value.split(',').map(str::to_owned).collect();
        let place = pick(rng, entries.len());
        match random_below(rng, 8) {
            0 | 1 => return pool[pick(rng, pool.len())].clone(),
            2 => return "-".to_owned(),
            3 | 4 => return change_number(value, rng),
            5 => entries.push(entries[place].clone()),
            6 if entries.len() > 1 => {
                entries.remove(place);
            }
            _ => {
                let other = &pool[pick(rng, pool.len())];
                let others: Vec<_> = other.split(',').collect();
                others[pick(rng, others.len())].clone_into(&mut entries[place]);
            }
        }
        entries.join(",")
    }
}

/// Replaces one of the numbers in a value, or adds a number of copies.
fn change_number(value: &str, rng: &mut Rng) -> String {
    let starts: Vec<_> = value
        .char_indices()
        .filter(|(_, letter)| letter.is_ascii_digit())
        .map(|(start, _)| start)
        .collect();
    let Some(&start) = starts.get(pick(rng, starts.len().max(1))) else {
        return format!("{value}*{}", random_below(rng, 20));
    };
    let end = value[start..]
        .find(|letter: char| !letter.is_ascii_digit())
        .map_or(value.len(), |length| start + length);
    let number = match random_below(rng, 4) {
        0 => value[start..end].parse::<u64>().unwrap() + 1,
        1 => value[start..end].parse::<u64>().unwrap().saturating_sub(1),
        2 => random_below(rng, 20).into(),
        _ => [7, 12, 60, 127, 255, 32_767, 4_294_967_295][pick(rng, 7)],
    };
    format!("{}{number}{}", &value[..start], &value[end..])
}
