//! The order of the modules: each uses only modules of layers to its left. The names of the types:
//! each means one thing.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// A crate with its layers from left to right. Modules of one layer do not use each other.
struct Layers {
    sources: &'static str,
    order: &'static [&'static [&'static str]],
    /// Modules outside the layers.
    roots: &'static [&'static str],
}

const CRATES: [Layers; 3] = [
    Layers {
        sources: "crates/engine/src",
        order: &[
            &["bits", "rng", "scene"],
            &["config", "stats"],
            &["game"],
            &["search"],
            &["bots"],
            &["arena", "games"],
            &["benchmark", "training"],
        ],
        roots: &["lib"],
    },
    Layers {
        sources: "crates/cold/src",
        order: &[
            &["analysis"],
            &["states"],
            &["erased"],
            &["experiments", "session"],
            &["bound"],
            &["game_list"],
        ],
        roots: &["lib"],
    },
    Layers {
        sources: "src",
        order: &[
            &["games", "identity"],
            &["protocol"],
            &["web"],
            &["report"],
            &["run"],
            &["study"],
            &["cli"],
        ],
        roots: &["lib", "main", "cpu"],
    },
];

/// A crate with the engine, which it imports: the sources whose types have different names, and a
/// number of types that they exceed. The games have the same layout under the same names.
const NAMED_TOGETHER: [(&[&str], usize); 4] = [
    (&["crates/engine/src", "crates/cold/src", "src"], 700),
    (&["crates/engine/src", "crates/the_river/src"], 350),
    (&["crates/engine/src", "crates/glassworks/src"], 350),
    (&["crates/engine/src", "crates/common_river/src"], 350),
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

/// A module of a crate, and the modules of the crate that it uses outside of its tests.
struct Module {
    /// The names from the root of the crate; empty for the root.
    path: Vec<String>,
    uses: BTreeSet<Vec<String>>,
}

/// Returns the modules of a crate.
fn modules(root: &str) -> Vec<Module> {
    let mut found = Vec::new();
    sources(root, Path::new(root), &mut found);
    let path = |file: &str| -> Vec<String> {
        let names = file.trim_end_matches(".rs").split('/').map(str::to_owned);
        names.filter(|name| name != "lib").collect()
    };
    let paths: BTreeSet<_> = found.iter().map(|(file, _)| path(file)).collect();
    let module = |(file, source): &(String, String)| {
        let path = path(file);
        Module { uses: used_modules(source, &path, &paths), path }
    };
    found.iter().map(module).collect()
}

/// Returns the lines of a source file without comments and tests.
fn code_lines(source: &str) -> Vec<&str> {
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let mut lines = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    let mut code = Vec::new();
    while let Some(line) = lines.next() {
        if line.trim() == "#[cfg(test)]" {
            // The item of the attribute ends at the same indentation.
            lines.find(|end| {
                indentation(end) == indentation(line) && end.ends_with([';', ',', '}'])
            });
        } else {
            code.push(line);
        }
    }
    code
}

/// Returns the modules of a crate that the module at `own` uses: those that paths from `crate`,
/// `super` or `self` name, and those after the name of an imported module that contains it.
fn used_modules(
    source: &str,
    own: &[String],
    modules: &BTreeSet<Vec<String>>,
) -> BTreeSet<Vec<String>> {
    let code = code_lines(source).join("\n");
    // The longest part of a path that is a module; the rest are items.
    let module_of = |mut path: Vec<String>| {
        while !path.is_empty() && !modules.contains(&path) {
            path.pop();
        }
        path
    };
    let from_keywords = ["crate", "super", "self"].map(|word| paths_from(word, &code)).concat();
    let imported: BTreeSet<_> =
        from_keywords.iter().map(|path| module_of(absolute_path(own, path))).collect();
    let enclosing = imported.iter().filter(|module| own.starts_with(module));
    let after_names = enclosing.filter_map(|module| Some((module, module.last()?)));
    let after_names = after_names.flat_map(|(module, name)| {
        let paths = paths_from(name, &code).into_iter();
        paths.map(|path| module_of(absolute_path(module, &path[1..]))).collect::<Vec<_>>()
    });
    let mut used: BTreeSet<_> = after_names.collect();
    used.extend(imported);
    used
}

/// Returns the path from the root of the crate that a path in the module at `own` stands for.
fn absolute_path(own: &[String], path: &[&str]) -> Vec<String> {
    let mut absolute = own.to_vec();
    for &name in path {
        match name {
            "crate" => absolute.clear(),
            "super" => drop(absolute.pop()),
            "self" => {}
            name => absolute.push(name.to_owned()),
        }
    }
    absolute
}

const fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// Returns all paths that begin with a name; a group, as in `a::{b, c::d}`, is several paths.
fn paths_from<'a>(name: &str, code: &'a str) -> Vec<Vec<&'a str>> {
    let mut paths = Vec::new();
    for (start, _) in code.match_indices(&format!("{name}::")) {
        if !code[..start].ends_with(|before: char| is_of_name(before) || before == ':') {
            read_paths(&code[start..], &[], &mut paths);
        }
    }
    paths
}

/// Reads the path or the group of paths after `prefix` and returns the text after it.
fn read_paths<'a>(text: &'a str, prefix: &[&'a str], paths: &mut Vec<Vec<&'a str>>) -> &'a str {
    if let Some(mut rest) = text.strip_prefix('{') {
        loop {
            rest = rest.trim_start_matches(|letter: char| letter.is_whitespace() || letter == ',');
            if rest.is_empty() || rest.starts_with('}') {
                return rest.get(1..).unwrap_or_default();
            }
            rest = read_paths(rest, prefix, paths);
            rest = &rest[rest.find([',', '}']).unwrap_or(rest.len())..];
        }
    }
    let end = text.find(|letter| !is_of_name(letter)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let path = [prefix, &[name]].concat();
    if let Some(rest) = rest.strip_prefix("::") {
        return read_paths(rest, &path, paths);
    }
    paths.push(path);
    rest
}

#[test]
fn modules_use_only_layers_to_their_left() {
    let mut problems = Vec::new();
    for Layers { sources: root, order, roots } in CRATES {
        let layer = |module: &str| order.iter().position(|modules| modules.contains(&module));
        let mut imports = 0;
        for Module { path, uses } in modules(root) {
            let Some(module) = path.first() else { continue };
            let Some(own) = layer(module) else {
                assert!(roots.contains(&&**module), "{root}: {module} is in no layer");
                continue;
            };
            for target in uses.iter().filter_map(|used| used.first()) {
                let Some(used) = layer(target).filter(|_| target != module) else { continue };
                imports += 1;
                if used >= own {
                    problems.push(format!("{root}: {} uses {target}", path.join("::")));
                }
            }
        }
        assert!(imports > 20, "the test found only {imports} imports in {root}");
    }
    problems.sort();
    problems.dedup();
    assert!(problems.is_empty(), "{problems:#?}");
}

/// The games use the engine, enter the list of games, and use nothing of each other or of the
/// program.
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
                let allowed = ["watershed_engine", "watershed_cold::game_list::GameEntry"];
                rest.starts_with("watershed_") && !allowed.iter().any(|part| rest.starts_with(part))
            });
            assert_eq!(others.count(), 0, "{root}/{file}");
            for module in ["search", "arena", "bots", "training"] {
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
    let mut uses = BTreeSet::new();
    for module in modules("src") {
        let [study, command, ..] = &module.path[..] else { continue };
        let used = module.uses.iter().filter_map(|path| match &path[..] {
            [first, used, ..] if first == study && used != command => Some(used.clone()),
            _ => None,
        });
        if study == "study" {
            uses.extend(used.map(|used| (command.clone(), used)));
        }
    }
    let to_shared = uses.iter().filter(|(_, used)| used == "shared").count();
    assert!(to_shared > 10, "{uses:?}");
    uses.retain(|(_, used)| used != "shared");
    assert!(uses.is_empty(), "{uses:?}");
}

/// No file of a folder uses a file that uses it, directly or through others. A file stands for the
/// folder of its submodules, too.
#[test]
fn files_do_not_use_each_other_in_circles() {
    let crates = fs::read_dir("crates").unwrap().map(|entry| entry.unwrap().path().join("src"));
    let mut imports = 0;
    for root in crates.chain([PathBuf::from("src")]) {
        let root = root.to_str().unwrap();
        let mut folders: BTreeMap<Vec<String>, Uses> = BTreeMap::new();
        for Module { path, uses } in modules(root) {
            for used in uses {
                let shared = path.iter().zip(&used).take_while(|(one, other)| one == other).count();
                if let (Some(own), Some(other)) = (path.get(shared), used.get(shared)) {
                    imports += 1;
                    let uses = folders.entry(path[..shared].to_vec()).or_default();
                    uses.entry(own.clone()).or_default().insert(other.clone());
                }
            }
        }
        for (folder, uses) in folders {
            let circles = circles(uses);
            assert!(circles.is_empty(), "{root}/{}: {circles:#?}", folder.join("/"));
        }
    }
    assert!(imports > 1000, "the test found only {imports} imports");
}

/// The files of a folder, with the others that each uses.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// Returns the files that use each other in circles, and those that use them.
fn circles(mut left: Uses) -> Uses {
    loop {
        let files = left.len();
        let remaining: BTreeSet<_> = left.keys().cloned().collect();
        for used in left.values_mut() {
            used.retain(|file| remaining.contains(file));
        }
        left.retain(|_, used| !used.is_empty());
        if left.len() == files {
            return left;
        }
    }
}

/// Returns the names of the types that a source file declares, without associated types and tests.
fn declared_types(source: &str) -> Vec<String> {
    let mut declared = Vec::new();
    for line in code_lines(source) {
        let indentation = line.len() - line.trim_start().len();
        let is_visibility = |word: &&str| word.starts_with("pub") || word.ends_with(')');
        let mut words = line.split_whitespace().skip_while(is_visibility);
        let is_type = match words.next() {
            Some("struct" | "enum" | "union" | "trait") => true,
            Some("type") => indentation == 0,
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
fn used_modules_are_found() {
    let path = |path: &str| path.split("::").map(str::to_owned).collect::<Vec<_>>();
    let paths = ["a", "a::b", "a::b::c", "a::d", "a::e", "a::f", "a::g", "h", "i"];
    let modules = paths.map(path).into();
    let source = "\
use super::{
    super::d::{D, e},
    e::{E as f},
};
use crate::{
    a::{
        self, b::{self, X},
    },
    other::{g, i},
};
// crate::i::Y
let x = a::f::low(crate::h::high(3));
#[cfg(test)]
mod tests {
    use crate::i;
}
";
    let used = used_modules(source, &path("a::b::c"), &modules);
    let expected = ["a", "a::b", "a::d", "a::f", "h"].map(path);
    assert_eq!(used.into_iter().filter(|path| !path.is_empty()).collect::<Vec<_>>(), expected);
}

#[test]
fn circles_are_found_with_the_files_that_use_them() {
    let uses = [("a", "b"), ("b", "c"), ("c", "b"), ("c", "d"), ("e", "d")];
    let mut all = Uses::new();
    for (file, used) in uses {
        all.entry(file.to_owned()).or_default().insert(used.to_owned());
    }
    assert_eq!(circles(all).keys().collect::<Vec<_>>(), ["a", "b", "c"]);
}
