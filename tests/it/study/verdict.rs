//! The verdict on edited data files: what is planted is named first, with every seed, and edits
//! that change nothing name nothing.

use crate::support::Folder;

const RIVER: &str = "configs/the_river.toml";
const NULL: &str = "No change that matters against the built-in game.";

/// Edits of The River for 2 players: a text, its replacement, and a part of the first sentence.
const PLANTED: &[(&str, &str, &str)] = &[
    (
        "id = \"w3c2s2\"\ncost = { wood = 3, clay = 2, stone = 2 }\npoints = 9",
        "id = \"w3c2s2\"\ncost = { wood = 3, clay = 2, stone = 2 }\npoints = 16",
        "3 wood 2 clay 2 stone → 16",
    ),
    (
        "id = \"w3c2s2\"\ncost = { wood = 3, clay = 2, stone = 2 }\npoints = 9",
        "id = \"w3c2s2\"\ncost = { wood = 3, clay = 2, stone = 2 }\npoints = 60",
        "3 wood 2 clay 2 stone → 60",
    ),
    (
        "id = \"w1c3s2\"\ncost = { wood = 1, clay = 3, stone = 2 }\npoints = 8",
        "id = \"w1c3s2\"\ncost = { wood = 1, clay = 3, stone = 2 }\npoints = 18",
        "1 wood 3 clay 2 stone → 18",
    ),
    (
        "cost = { wood = 3, clay = 2, stone = 2 }",
        "cost = { wood = 2, clay = 0, stone = 1 }",
        "now taken at ",
    ),
    ("terrain = \"mountain\", points = 1", "terrain = \"mountain\", points = 6", "6 per mountain"),
    (
        "{ kind = \"income\", resource = \"stone\", amount = 1, points = 2 }",
        "{ kind = \"take\", resource = \"stone\", amount = 1 }",
        "now taken at ",
    ),
    ("copies = 12\nstorage = 2", "copies = 12", "Desert: now taken at "),
    (
        "{ kind = \"points_per_token\", points = 1 }",
        "{ kind = \"points_per_token\", points = 3 }",
        "3 per ",
    ),
    (
        "bonus_tokens = [6, 5, 4, 3, 2, 1, 0, 0] ",
        "start = [{}, { points = 4 }]\nbonus_tokens = [6, 5, 4, 3, 2, 1, 0, 0] ",
        "The first player now wins 3",
    ),
    ("bonus_spots = 4 ", "bonus_spots = 7 ", "rounds, not 5.0."),
    (
        "bonus_tokens = [6, 5, 4, 3, 2, 1, 0, 0]",
        "bonus_tokens = [3, 3, 3, 3, 3, 3, 3, 3]",
        "The leader at half time now wins 6",
    ),
];

/// Edits that change nothing that matters.
const EQUAL: &[(&str, &str)] = &[
    (
        "id = \"desert_store2\"\nterrain = [\"desert\"]\ncopies = 12\nstorage = 2\n",
        "id = \"desert_store2\"\nterrain = [\"desert\"]\ncopies = 6\nstorage = 2\n\
         [[tile]]\nid = \"desert_store_2\"\nterrain = [\"desert\"]\ncopies = 6\nstorage = 2\n",
    ),
    ("max_rounds = 60", "max_rounds = 59"),
];

/// Returns the first sentence on an edited file with a seed.
fn first_sentence(folder: &Folder, seed: u64) -> String {
    let run = "simulate --config mine.toml --bots expert --games 4k --forks 400 --quiet --force";
    folder.succeeds(&format!("{run} --seed {seed} --out run"));
    folder.rows("run/verdict.csv")[0]["text"].clone()
}

#[test]
#[ignore = "ten minutes: 26 runs of 4,000 games; .ci/full runs it"]
fn planted_edits_are_named_first_with_every_seed() {
    let folder = Folder::new();
    let mut wrong = Vec::new();
    for seed in [1, 2] {
        for (old, new, expected) in PLANTED {
            folder.copy_with(RIVER, "mine.toml", old, new);
            let sentence = first_sentence(&folder, seed);
            if !sentence.contains(expected) {
                wrong.push(format!("{new}, seed {seed}: {sentence}"));
            }
        }
        for (old, new) in EQUAL {
            folder.copy_with(RIVER, "mine.toml", old, new);
            let sentence = first_sentence(&folder, seed);
            if sentence != NULL {
                wrong.push(format!("{new}, seed {seed}: {sentence}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
