//! The verdict on edited data files: what is planted is named first, with every seed, and edits
//! that change nothing name nothing.

use std::fs;

use crate::support::Folder;

const RIVER: &str = "the_river";
const GLASSWORKS: &str = "glassworks";
const COMMON_RIVER: &str = "common_river";
const NULL: &str = "No change that matters against the built-in game.";

/// Texts of a data file and their replacements.
type Edits = &'static [(&'static str, &'static str)];

/// Numbers of players with the bot of each.
type Bots = &'static [(usize, &'static str)];

const W3C2S2: &str = "{ wood = 3, clay = 2, stone = 2 }\npoints = 9";
const TOKENS: &str = "bonus_tokens = [6, 5, 4, 3, 2, 1, 0, 0] ";
const ROWS: &str = "row_points = [0, 1, 2, 4, 7, 11, 16, 22]";

/// Edits for 2 players: the game, the edits, and a part of the first sentence.
const PLANTED: &[(&str, Edits, &str)] = &[
    (
        RIVER,
        &[(W3C2S2, "{ wood = 3, clay = 2, stone = 2 }\npoints = 16")],
        "3 wood 2 clay 2 stone → 16",
    ),
    (
        RIVER,
        &[(W3C2S2, "{ wood = 3, clay = 2, stone = 2 }\npoints = 60")],
        "3 wood 2 clay 2 stone → 60",
    ),
    (
        RIVER,
        &[(
            "{ wood = 1, clay = 3, stone = 2 }\npoints = 8",
            "{ wood = 1, clay = 3, stone = 2 }\npoints = 18",
        )],
        "1 wood 3 clay 2 stone → 18",
    ),
    (
        RIVER,
        &[("{ wood = 3, clay = 2, stone = 2 }", "{ wood = 2, clay = 0, stone = 1 }")],
        "now taken at ",
    ),
    (
        RIVER,
        &[("terrain = \"mountain\", points = 1", "terrain = \"mountain\", points = 6")],
        "6 per mountain",
    ),
    (
        RIVER,
        &[(
            "[\"forest\", \"mountain\"]\ncopies = 1",
            "[\"forest\", \"mountain\"]\ncopies = 1\nproduction = { clay = 2, stone = 2 }",
        )],
        "Forest and mountain: owners now win 7",
    ),
    (
        RIVER,
        &[(
            "{ kind = \"income\", resource = \"stone\", amount = 1, points = 2 }",
            "{ kind = \"take\", resource = \"stone\", amount = 1 }",
        )],
        "now taken at ",
    ),
    (RIVER, &[("copies = 12\nstorage = 2", "copies = 12")], "Desert: now taken at "),
    (RIVER, &[("\"points_per_token\", points = 1", "\"points_per_token\", points = 3")], "3 per "),
    (
        RIVER,
        &[(TOKENS, "start = [{}, { points = 4 }]\nbonus_tokens = [6, 5, 4, 3, 2, 1, 0, 0] ")],
        "The first player now wins 3",
    ),
    (RIVER, &[("bonus_spots = 4 ", "bonus_spots = 7 ")], "rounds, not 5.0."),
    (
        RIVER,
        &[(TOKENS, "bonus_tokens = [3, 3, 3, 3, 3, 3, 3, 3] ")],
        "The leader at half time now wins 6",
    ),
    (
        RIVER,
        &[
            ("amount = 1, points = 2 }", "amount = 1, points = 3 }"),
            (", points = 1, cap", ", points = 2, cap"),
            (", points = 1 }", ", points = 2 }"),
        ],
        "The 13 edited meadows are taken at 8",
    ),
    (RIVER, &[("resource = \"wood\", amount = 4", "resource = \"wood\", amount = 7")], NULL),
    (
        RIVER,
        &[(
            "terrain = [\"desert\"]\ncopies = 12\nstorage = 2\n",
            "terrain = [\"desert\"]\ncopies = 6\nstorage = 2\n\
             [[tile]]\nid = \"other\"\nterrain = [\"desert\"]\ncopies = 6\nstorage = 2\n",
        )],
        NULL,
    ),
    (GLASSWORKS, &[(ROWS, "row_points = [0, 2, 4, 8, 14, 22, 32, 44]")], "Winners now score 1"),
    (GLASSWORKS, &[(ROWS, "row_points = [0, 2, 6, 12, 24, 38, 60, 88]")], "Winners now score 1"),
    (
        GLASSWORKS,
        &[("pieces = [2, 2, 2, 1, 1, 1]", "pieces = [1, 1, 1, 0, 0, 0]")],
        "Yellow scores 0.0 points where it is owned, not 1.0.",
    ),
];

/// Edits that change nothing in play: the game, the edit, and the bots by number of players.
const EQUAL: &[(&str, Edits, Bots)] = &[
    (
        RIVER,
        &[("max_rounds = 60", "max_rounds = 59")],
        &[(2, "expert"), (3, "expert"), (4, "expert")],
    ),
    (
        GLASSWORKS,
        &[("bga_topup = 3", "bga_topup = 2")],
        &[(2, "expert"), (3, "learned3"), (4, "learned4")],
    ),
    (
        COMMON_RIVER,
        &[("sticks = 10", "sticks = 12")],
        &[(1, "expert1"), (2, "learned2"), (3, "learned3")],
    ),
];

/// Returns the first sentence on an edited file with a seed.
fn first_sentence(game: &str, edits: Edits, (players, bot): (usize, &str), seed: u64) -> String {
    let (folder, file) = (Folder::new(), format!("configs/{game}.toml"));
    let mut text = fs::read_to_string(&file).unwrap();
    for (old, new) in edits {
        assert!(text.contains(old), "{old:?} is not in {file}");
        text = text.replace(old, new);
    }
    folder.write("mine.toml", text);
    let forks = if players > 2 { 80 } else { 400 };
    folder.succeeds(&format!(
        "simulate --game {game} --config mine.toml --players {players} --bots {bot} --games 4k \
         --forks {forks} --seed {seed} --quiet --out run"
    ));
    folder.rows("run/verdict.csv")[0]["text"].clone()
}

#[test]
#[ignore = "ten minutes: 54 runs of 4,000 games; .ci/full runs it"]
fn planted_edits_are_named_first_with_every_seed() {
    let mut wrong = Vec::new();
    for seed in [1, 2] {
        for (game, edits, expected) in PLANTED {
            let sentence = first_sentence(game, edits, (2, "expert"), seed);
            if !sentence.contains(expected) {
                wrong.push(format!("{game} with {edits:?}, seed {seed}: {sentence}"));
            }
        }
        for (game, edits, bots) in EQUAL {
            for &bot in *bots {
                let sentence = first_sentence(game, edits, bot, seed);
                if sentence != NULL {
                    wrong.push(format!("{game}, {bot:?}, seed {seed}: {sentence}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
