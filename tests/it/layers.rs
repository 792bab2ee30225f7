//! The order of the modules: each uses only modules of layers to its left.

use std::{fs, path::Path};

/// The layers from left to right. Modules of one layer do not use each other.
const LAYERS: [&[&str]; 14] = [
    &["bits", "identity", "rng", "scene"],
    &["config", "stats"],
    &["game"],
    &["search"],
    &["bots"],
    &["games"],
    &["arena"],
    &["analysis"],
    &["session"],
    &["web"],
    &["report"],
    &["run"],
    &["study"],
    &["cli"],
];

/// Uses to the left that would make a module depend on more than it needs.
const FORBIDDEN: [(&str, &str, &str); 3] = [
    ("games", "search", "a game has rules and no opponents"),
    ("report", "search", "reports render results and do not know how they were found"),
    ("report", "games", "reports are the same for all games"),
];

/// Modules outside the layers.
const ROOTS: [&str; 3] = ["lib", "main", "cpu"];

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|modules| modules.contains(&module))
}

fn sources(path: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix("src").unwrap().to_str().unwrap().to_owned();
            found.push((name, fs::read_to_string(&path).unwrap()));
        }
    }
}

/// Returns the modules of the crate that a source file names.
fn used_modules(source: &str) -> Vec<String> {
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
fn modules_use_only_layers_to_their_left() {
    let mut found = Vec::new();
    sources(Path::new("src"), &mut found);
    let mut problems = Vec::new();
    let mut imports = 0;
    for (file, source) in found {
        let module = file.split(['/', '.']).next().unwrap();
        let Some(own) = layer(module) else {
            assert!(ROOTS.contains(&module), "{file} is in no layer");
            continue;
        };
        for target in used_modules(&source) {
            imports += 1;
            if target == module {
                continue;
            }
            if layer(&target).is_none_or(|layer| layer >= own) {
                problems.push(format!("{file} uses {target}"));
            }
            let forbidden =
                FORBIDDEN.iter().find(|(user, used, _)| (*user, *used) == (module, &target));
            problems.extend(forbidden.map(|(.., why)| format!("{file} uses {target}: {why}")));
        }
    }
    problems.sort();
    problems.dedup();
    assert!(problems.is_empty(), "{problems:#?}");
    assert!(imports > 30, "the test found only {imports} imports");
}

#[test]
fn used_modules_are_found_in_groups() {
    let source =
        "use crate::{\n    game::{Game, Seat},\n    rng::Rng,\n};\nlet x = crate::bits::low(3);";
    assert_eq!(used_modules(source), ["game", "rng", "bits"]);
}
