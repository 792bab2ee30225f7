//! Modules know only those below them, as the table says; `stats` is plain numbers and lies below
//! `arena`, which sums them.

use std::{fs, path::Path};

/// What each module may use. `games` names `bots` only to hand a task its profiles.
const MAY_USE: [(&str, &[&str]); 14] = [
    ("bits", &[]),
    ("rng", &[]),
    ("config", &[]),
    ("identity", &[]),
    ("game", &["rng"]),
    ("games", &["bits", "bots", "config", "game", "rng"]),
    ("search", &["bits", "game", "rng"]),
    ("bots", &["config", "game", "rng", "search"]),
    ("stats", &[]),
    ("arena", &["bits", "bots", "config", "game", "rng", "search", "stats"]),
    ("training", &["arena", "game", "rng", "search", "stats"]),
    ("report", &["arena", "bots", "config", "game", "identity", "stats"]),
    ("tuning", &["bots", "config", "rng"]),
    (
        "cli",
        &[
            "arena", "bots", "config", "game", "games", "identity", "report", "rng", "search",
            "stats", "training", "tuning",
        ],
    ),
];

fn sources(path: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else {
            let name = path.strip_prefix("src").unwrap().to_str().unwrap().to_owned();
            found.push((name, fs::read_to_string(&path).unwrap()));
        }
    }
}

/// The modules of the crate that a source file names.
fn used(source: &str) -> Vec<String> {
    let mut used = Vec::new();
    for (start, _) in source.match_indices("crate::") {
        let rest = &source[start + "crate::".len()..];
        let group =
            rest.strip_prefix('{').map(|group| &group[..group.find("};").unwrap_or(group.len())]);
        match group {
            None => used.push(rest),
            // Only the first name of each entry at the top level of the group is a module.
            Some(group) => {
                let mut depth = 0;
                let mut entry_begins = true;
                for (index, letter) in group.char_indices() {
                    match letter {
                        '{' => depth += 1,
                        '}' => depth -= 1,
                        ',' if depth == 0 => entry_begins = true,
                        _ if letter.is_alphabetic() && entry_begins && depth == 0 => {
                            used.push(&group[index..]);
                            entry_begins = false;
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    let word = |text: &str| {
        text.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
    };
    used.into_iter().map(word).collect()
}

#[test]
fn no_module_looks_to_its_right() {
    let mut found = Vec::new();
    sources(Path::new("src"), &mut found);
    let mut imports = 0;
    for (file, source) in found {
        let module = file.split(['/', '.']).next().unwrap();
        let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| *name == module) else {
            assert!(["lib", "main", "cpu"].contains(&module), "{file} is in no layer");
            continue;
        };
        for target in used(&source) {
            imports += 1;
            assert!(target == module || allowed.contains(&target.as_str()), "{file} uses {target}");
        }
    }
    assert!(imports > 30, "the test still finds imports");
}
