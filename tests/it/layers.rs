//! The order of the modules: each uses only modules of layers to its left. The names of the types:
//! each means one thing.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

/// A crate with its layers from left to right. Modules of one layer do not use each other.
struct Layers {
    sources: &'static str,
    order: &'static [&'static [&'static str]],
    /// Modules outside the layers.
    roots: &'static [&'static str],
}

const CRATES: [Layers; 2] = [
    Layers {
        sources: "crates/engine/src",
        order: &[
            &["bits", "rng", "scene"],
            &["config", "stats"],
            &["game"],
            &["search"],
            &["bots"],
            &["arena", "games"],
            &["analysis", "benchmark"],
            &["session"],
            &["experiments", "training"],
            &["bound"],
            &["game_list"],
        ],
        roots: &["lib"],
    },
    Layers {
        sources: "src",
        order: &[&["games", "identity"], &["web"], &["report"], &["run"], &["study"], &["cli"]],
        roots: &["lib", "main", "cpu"],
    },
];

/// Commands whose files use each other in circles. The list may only become shorter.
const COMMANDS_WITH_CIRCLES: [&str; 4] = ["ablate", "bench", "simulate", "train"];

/// A crate with the engine, which it imports: the sources whose types have different names, and a
/// number of types that they exceed. The games have the same layout under the same names.
const NAMED_TOGETHER: [(&[&str], usize); 4] = [
    (&["crates/engine/src", "src"], 700),
    (&["crates/engine/src", "crates/the_river/src"], 400),
    (&["crates/engine/src", "crates/glassworks/src"], 400),
    (&["crates/engine/src", "crates/common_river/src"], 400),
];

fn sources(root: &str, path: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(root, &path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            found.push((name, fs::read_to_string(&path).unwrap()));
        }
    }
}

/// Returns the modules that a source file names after a path, as `crate::`.
fn used_modules(source: &str, path: &str) -> Vec<String> {
    let mut used = Vec::new();
    for (start, _) in source.match_indices(path) {
        let rest = &source[start + path.len()..];
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
                        '}' if depth == 0 => break,
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
    let mut problems = Vec::new();
    for Layers { sources: root, order, roots } in CRATES {
        let layer = |module: &str| order.iter().position(|modules| modules.contains(&module));
        let mut found = Vec::new();
        sources(root, Path::new(root), &mut found);
        let mut imports = 0;
        for (file, source) in found {
            let module = file.split(['/', '.']).next().unwrap();
            let Some(own) = layer(module) else {
                assert!(roots.contains(&module), "{root}/{file} is in no layer");
                continue;
            };
            for target in used_modules(&source, "crate::") {
                // What is in no layer of the program is a module of the engine.
                let Some(used) = layer(&target).filter(|_| target != module) else {
                    continue;
                };
                imports += 1;
                if used >= own {
                    problems.push(format!("{root}/{file} uses {target}"));
                }
            }
        }
        assert!(imports > 30, "the test found only {imports} imports in {root}");
    }
    problems.sort();
    problems.dedup();
    assert!(problems.is_empty(), "{problems:#?}");
}

/// The games use the engine and nothing of each other or of the program.
#[test]
fn games_use_the_engine_only() {
    for game in ["the_river", "glassworks", "common_river"] {
        let root = format!("crates/{game}/src");
        let mut found = Vec::new();
        sources(&root, Path::new(&root), &mut found);
        assert!(found.len() > 10, "{root}");
        for (file, source) in found {
            let others = source.match_indices("watershed").filter(|&(start, _)| {
                let rest = &source[start..];
                rest.starts_with("watershed_") && !rest.starts_with("watershed_engine")
            });
            assert_eq!(others.count(), 0, "{root}/{file}");
            for module in ["search", "arena", "bots", "experiments", "training", "analysis"] {
                let path = format!("watershed_engine::{module}");
                assert!(!source.contains(&path), "{root}/{file} uses {module}: a game has rules");
            }
        }
    }
}

/// Above the boundary, code is compiled once: it has no type parameter for a game and names none.
#[test]
fn the_program_has_no_type_parameter_for_a_game() {
    let mut found = Vec::new();
    sources("src", Path::new("src"), &mut found);
    let mut problems = Vec::new();
    for (file, source) in found {
        let code = source.split("#[cfg(test)]").next().unwrap();
        let code: Vec<_> =
            code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        let code = code.join("\n");
        let names = ["<G>", "<G:", "<G ", "FullGame", "TheRiver", "Glassworks::", "CommonRiver"];
        let is_list = ["games.rs", "lib.rs"].contains(&file.as_str());
        let named = names.iter().filter(|name| !is_list && code.contains(**name));
        problems.extend(named.map(|name| format!("{file}: {name}")));
    }
    assert!(problems.is_empty(), "{problems:#?}");
}

/// A command uses `study::shared`, which uses no command.
#[test]
fn commands_do_not_use_each_other() {
    let mut found = Vec::new();
    sources("src/study", Path::new("src/study"), &mut found);
    let module = |file: &str| file.split(['/', '.']).next().unwrap().to_owned();
    let commands: BTreeSet<_> = found.iter().map(|(file, _)| module(file)).collect();
    let mut uses = BTreeSet::new();
    for (file, source) in &found {
        let own = module(file);
        let mut used = used_modules(source, "study::");
        // In a file of a command, `super` is `study` in the file of the command itself only.
        if file.contains('/') {
            let is_used = |command: &&String| source.contains(&format!("super::{command}::"));
            used.extend(commands.iter().filter(is_used).cloned());
        } else {
            used.extend(used_modules(source, "super::"));
        }
        used.retain(|module| commands.contains(module) && *module != own);
        uses.extend(used.into_iter().map(|used| (own.clone(), used)));
    }
    let to_shared = uses.iter().filter(|(_, used)| used == "shared").count();
    assert!(to_shared > 10, "{uses:?}");
    uses.retain(|(_, used)| used != "shared");
    assert!(uses.is_empty(), "{uses:?}");
}

/// Returns the files of a folder whose names stand in a source file of the folder after `super` or
/// after the name of the folder.
fn used_siblings(source: &str, folder: &str, files: &BTreeSet<String>) -> BTreeSet<String> {
    let code = source.split("#[cfg(test)]").next().unwrap();
    let code: Vec<_> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let mut code = code.join("\n").replace("super::", "crate::");
    for before in [" ", "::"] {
        code = code.replace(&format!("{before}{folder}::"), &format!("{before}crate::"));
    }
    used_modules(&code, "crate::").into_iter().filter(|name| files.contains(name)).collect()
}

/// No file of a folder uses a file that uses it, directly or through others.
#[test]
fn files_do_not_use_each_other_in_circles() {
    let mut folders = vec![("run".to_owned(), "src/run".to_owned())];
    for entry in fs::read_dir("src/study").unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !name.contains('.') && !COMMANDS_WITH_CIRCLES.contains(&name.as_str()) {
            folders.push((name.clone(), format!("src/study/{name}")));
        }
    }
    let mut imports = 0;
    for (name, folder) in folders {
        let mut found = Vec::new();
        sources(&folder, Path::new(&folder), &mut found);
        found.retain(|(file, _)| !file.contains('/'));
        let module = |file: &str| file.trim_end_matches(".rs").to_owned();
        let files: BTreeSet<String> = found.iter().map(|(file, _)| module(file)).collect();
        let mut left: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (file, source) in &found {
            let mut used = used_siblings(source, &name, &files);
            used.remove(&module(file));
            imports += used.len();
            left.insert(module(file), used);
        }
        // Files that use no others are removed until none is left, or only circles.
        loop {
            let done: Vec<_> = left
                .iter()
                .filter(|(_, used)| used.is_empty())
                .map(|(file, _)| file.clone())
                .collect();
            if done.is_empty() {
                break;
            }
            left.retain(|file, _| !done.contains(file));
            for used in left.values_mut() {
                used.retain(|file| !done.contains(file));
            }
        }
        assert!(left.is_empty(), "{folder}: circles, or files that use them: {left:#?}");
    }
    assert!(imports > 100, "the test found only {imports} imports");
}

/// Returns the names of the types that a source file declares, without associated types and tests.
fn declared_types(source: &str) -> Vec<String> {
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let mut declared = Vec::new();
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        if line.trim() == "#[cfg(test)]" {
            // The item of the attribute ends at the same indentation.
            lines.find(|end| {
                indentation(end) == indentation(line) && end.ends_with([';', ',', '}'])
            });
            continue;
        }
        let is_visibility = |word: &&str| word.starts_with("pub") || word.ends_with(')');
        let mut words = line.split_whitespace().skip_while(is_visibility);
        let is_type = match words.next() {
            Some("struct" | "enum" | "union" | "trait") => true,
            Some("type") => indentation(line) == 0,
            _ => false,
        };
        let name = words.next().filter(|_| is_type).unwrap_or_default();
        let name: String = name.chars().take_while(|letter| letter.is_alphanumeric()).collect();
        if name.starts_with(|first: char| first.is_uppercase()) {
            declared.push(name);
        }
    }
    declared
}

#[test]
fn no_two_types_of_a_crate_share_a_name() {
    let mut problems = Vec::new();
    for (roots, expected) in NAMED_TOGETHER {
        let mut files_of: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut types = 0;
        for root in roots {
            let mut found = Vec::new();
            sources(root, Path::new(root), &mut found);
            let is_test = |file: &str| {
                let module = file.trim_end_matches(".rs").rsplit_once('/');
                module.is_some_and(|(parent, module)| {
                    let declaration = format!("#[cfg(test)]\nmod {module};");
                    let parent = format!("{parent}.rs");
                    found
                        .iter()
                        .any(|(file, source)| *file == parent && source.contains(&declaration))
                })
            };
            for (file, source) in found.iter().filter(|(file, _)| !is_test(file)) {
                for name in declared_types(source) {
                    types += 1;
                    files_of.entry(name).or_default().push(format!("{root}/{file}"));
                }
            }
        }
        assert!(types > expected, "the test found only {types} types in {roots:?}");
        problems.extend(files_of.into_iter().filter(|(_, files)| files.len() > 1));
    }
    assert!(problems.is_empty(), "{problems:#?}");
}

/// rustfmt leaves long strings, comments and macros as they are.
#[test]
fn no_line_has_more_than_100_columns() {
    let (mut long, mut lines) = (Vec::new(), 0);
    for root in ["benches", "crates", "examples", "src", "tests", "wasm/src"] {
        let mut found = Vec::new();
        sources(root, Path::new(root), &mut found);
        for (file, source) in found {
            lines += source.lines().count();
            let is_long = |(_, line): &(usize, &str)| line.chars().count() > 100;
            let places = (1..).zip(source.lines()).filter(is_long);
            long.extend(places.map(|(line, _)| format!("{root}/{file}:{line}")));
        }
    }
    assert!(lines > 50_000, "the test found only {lines} lines");
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn types_are_found_outside_of_tests() {
    let source = "\
pub(in crate::run) struct One<'a> {
    two: &'a u8,
}
impl Three for One<'_> {
    type Four = u8;
}
#[cfg(test)]
mod tests {
    struct Five;
}
pub type Six = u8;
// enum Seven
pub(crate) enum Eight {}
trait Nine: Send {}
";
    assert_eq!(declared_types(source), ["One", "Six", "Eight", "Nine"]);
}

#[test]
fn used_modules_are_found_in_groups() {
    let source =
        "use crate::{\n    game::{Game, Seat},\n    rng::Rng,\n};\nlet x = crate::bits::low(3);";
    assert_eq!(used_modules(source, "crate::"), ["game", "rng", "bits"]);
}

#[test]
fn used_siblings_are_found_in_groups() {
    let files = ["a", "b", "c", "d"].map(str::to_owned).into();
    let source = "\
use super::{
    a::{A, d},
};
use crate::{
    run::{
        b::B,
    },
    stats::{d, e},
};
let x = run::c::low(3);
";
    let used = ["a", "b", "c"].map(str::to_owned).into();
    assert_eq!(used_siblings(source, "run", &files), used);
}
