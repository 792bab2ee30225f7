//! Links between the pages, and the table of contents of the site.

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

use super::page::{Page, markdown_files};

const TABLE_OF_CONTENTS: &str = "docs/SUMMARY.md";

/// Returns the pages of the repository.
fn pages() -> Vec<Page> {
    let mut paths: Vec<_> = [
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "README.md",
        "results/README.md",
        "results/analysis/README.md",
        "results/balance/README.md",
        "results/openings/README.md",
        "results/strength/README.md",
        "results/tasks/README.md",
        "workflow/README.md",
    ]
    .map(str::to_owned)
    .to_vec();
    paths.extend(markdown_files("docs"));
    paths.iter().map(|path| Page::read(path)).collect()
}

/// Returns a path relative to the folder of a page, without `..`.
fn resolve(page: &str, target: &str) -> PathBuf {
    let mut path = Path::new(page).parent().unwrap().to_owned();
    for component in Path::new(target).components() {
        match component {
            Component::ParentDir => assert!(path.pop(), "{page}: {target} leaves the repository"),
            component => path.push(component),
        }
    }
    path
}

/// Returns the problem of a link.
fn problem(page: &Page, target: &str) -> Option<String> {
    if target.starts_with("https://") {
        return None;
    }
    let (file, anchor) = target.split_once('#').map_or((target, None), |(a, b)| (a, Some(b)));
    let path = if file.is_empty() { page.path.clone().into() } else { resolve(&page.path, file) };
    if !path.exists() {
        return Some(format!("expected the file {}", path.display()));
    }
    // The site consists of this folder. It has no page for a file outside.
    if page.path.starts_with("docs/") && !path.starts_with("docs") {
        return Some("expected a target in docs; name other files without a link".to_owned());
    }
    let anchor = anchor?;
    let anchors = Page::read(path.to_str().unwrap()).anchors();
    let is_missing = !anchors.contains(anchor);
    is_missing.then(|| format!("expected a heading `{anchor}` in {}", path.display()))
}

#[test]
fn links_lead_to_files_and_headings() {
    let mut problems = Vec::new();
    let mut count = 0;
    for page in pages() {
        for (line, target) in page.links() {
            count += 1;
            if let Some(problem) = problem(&page, &target) {
                problems.push(format!("{}:{line}: {target}: {problem}", page.path));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(count > 50, "{count} links");
}

#[test]
fn broken_links_are_found() {
    let page = Page::from_text("docs/page.md", "# One\n\n[a](#one) [b](#two)\n");
    let targets: Vec<_> = page.links().into_iter().map(|(_, target)| target).collect();
    assert_eq!(targets, ["#one", "#two"]);
    for (target, is_broken) in [
        ("glossary.md", false),
        ("glossary.md#glossary", false),
        ("glossary.md#glosary", true),
        ("glosary.md", true),
        ("../README.md", true),
        ("https://example.org", false),
    ] {
        assert_eq!(problem(&page, target).is_some(), is_broken, "{target}");
    }
}

/// Returns the path in the sources that a text names; `None` if it names none, or a pattern such as
/// `tests/golden/GAME-N.jsonl`.
fn named_source(text: &str) -> Option<&str> {
    let text = text.trim_end_matches(['.', ',', ';', ':', '"', '\'']);
    let is_pattern = text.contains(|letter: char| " <>*…$".contains(letter) || letter == '-');
    let begins = |folder| text.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    let is_source = ["src", "crates", "tests", "benches"].into_iter().any(begins);
    (is_source && !is_pattern).then_some(text)
}

/// Pages and scripts name files that a move of the sources can make wrong.
#[test]
fn named_sources_exist() {
    let mut named = Vec::new();
    // The changelog also names what older versions had.
    for page in pages().into_iter().filter(|page| page.path != "CHANGELOG.md") {
        let spans = page.code_spans().into_iter();
        named.extend(spans.map(|(line, text)| (format!("{}:{line}", page.path), text)));
    }
    for folder in [".ci", "release"] {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let Ok(script) = fs::read_to_string(&path) else { continue };
            for (line, text) in (1..).zip(script.lines()) {
                let words = text.split_whitespace().map(str::to_owned);
                named.extend(words.map(|word| (format!("{}:{line}", path.display()), word)));
            }
        }
    }
    let named = named.iter().filter_map(|(place, text)| Some((place, named_source(text)?)));
    let named: Vec<_> = named.collect();
    let missing: Vec<_> = named.iter().filter(|(_, path)| !Path::new(path).exists()).collect();
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(named.len() > 50, "{} names", named.len());
}

#[test]
fn the_table_of_contents_has_every_page_once() {
    let summary = Page::read(TABLE_OF_CONTENTS);
    let mut listed: Vec<_> = summary
        .links()
        .into_iter()
        .map(|(_, target)| resolve(TABLE_OF_CONTENTS, &target).to_str().unwrap().to_owned())
        .collect();
    listed.sort();
    let mut pages = markdown_files("docs");
    pages.retain(|path| path != TABLE_OF_CONTENTS);
    assert_eq!(listed, pages);
}
