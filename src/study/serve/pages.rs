//! The pages of results below a folder.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

use anyhow::Context as _;
use maud::{DOCTYPE, html};

/// Maximum depth of folders.
const MAX_DEPTH: usize = 8;
/// Maximum number of pages in the list.
const MAX_PAGES: usize = 2000;
/// Maximum size of a page in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// A folder with pages.
#[derive(Clone, Debug)]
pub(super) struct Pages {
    /// The folder, without symbolic links.
    root: PathBuf,
}

impl Pages {
    /// Opens a folder.
    pub(super) fn open(folder: &Path) -> anyhow::Result<Self> {
        let root =
            fs::canonicalize(folder).with_context(|| format!("--results: {}", folder.display()))?;
        anyhow::ensure!(root.is_dir(), "--results: {} is not a folder", folder.display());
        Ok(Self { root })
    }

    /// Returns the page with this path below the folder; `None` if there is none.
    pub(super) fn read(&self, path: &str) -> Option<Vec<u8>> {
        let relative = Path::new(path);
        let is_below = relative.components().all(|part| matches!(part, Component::Normal(_)));
        if !is_below || !is_page(relative) || path.contains(['\\', '\0']) {
            return None;
        }
        // A symbolic link must not lead out of the folder.
        let path = fs::canonicalize(self.root.join(relative)).ok()?;
        let metadata = fs::metadata(&path).ok()?;
        let is_page = path.starts_with(&self.root) && is_page(&path) && metadata.is_file();
        (is_page && metadata.len() <= MAX_BYTES).then(|| fs::read(&path).ok())?
    }

    /// Returns the paths of all pages, sorted.
    fn paths(&self) -> Vec<String> {
        let mut pages = Vec::new();
        // A folder that cannot be read has no pages.
        let _ = self.collect(&self.root, 0, &mut pages);
        pages.sort();
        pages
    }

    /// Adds the paths of the pages of a folder.
    fn collect(&self, folder: &Path, depth: usize, pages: &mut Vec<String>) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let path = entry.path();
            if pages.len() >= MAX_PAGES {
                break;
            }
            // Symbolic links are not followed, so there are no circles.
            let kind = entry.file_type()?;
            if kind.is_dir() && depth < MAX_DEPTH {
                let _ = self.collect(&path, depth + 1, pages);
            } else if kind.is_file()
                && is_page(&path)
                && let Some(name) = path.strip_prefix(&self.root).ok().and_then(Path::to_str)
            {
                pages.push(name.replace(std::path::MAIN_SEPARATOR, "/"));
            }
        }
        Ok(())
    }
}

/// Returns the list of all pages as HTML; without a folder, it says how to name one.
pub(super) fn list(pages: Option<&Pages>) -> String {
    let paths = pages.map(Pages::paths).unwrap_or_default();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Results – Watershed" }
                link rel="icon" href="data:,";
                link rel="stylesheet" href="/page.css";
            }
            body {
                header { h1 { "Results" } nav { a href="/" { "Play" } } }
                main {
                    @if pages.is_none() {
                        p {
                            "Start " code { "watershed serve --results DIR" }
                            " to see the reports, books, annotated games and puzzles below a folder."
                        }
                    } @else if paths.is_empty() {
                        p { "The folder has no pages." }
                    }
                    ul.pages {
                        @for path in &paths {
                            li { a href=(format!("/results/{}", encode(path))) { (path) } }
                        }
                    }
                }
            }
        }
    };
    page.into_string()
}

fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "html")
}

/// Encodes a path for an address.
fn encode(path: &str) -> String {
    path.bytes().fold(String::new(), |mut encoded, byte| {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => {
                encoded.push(char::from(byte));
            }
            _ => encoded += &format!("%{byte:02X}"),
        }
        encoded
    })
}
