//! The results below a folder: pages, and files that the page opens.

use std::{fs::File, path::Component};

use crate::{report::study_report::LinkedSentence, study::shared::prelude::*};

/// Maximum depth of folders.
const MAX_DEPTH: usize = 8;
/// Maximum number of files in the list.
const MAX_FILES: usize = 2000;
/// Maximum size of a file in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// The folder that is shown if no other one is named.
const DEFAULT_FOLDER: &str = "results";

/// A folder with results, which need not exist yet.
#[derive(Clone, Debug)]
pub(super) struct ResultsFolder {
    folder: PathBuf,
}

/// A kind of file that is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FileKind {
    /// A page of its own.
    Page,
    /// Records, puzzles or a book of openings, which the page of the server opens.
    Data,
}

impl ResultsFolder {
    /// Opens a folder.
    pub(super) fn open(folder: Option<&Path>) -> anyhow::Result<Self> {
        let Some(folder) = folder else { return Ok(Self { folder: DEFAULT_FOLDER.into() }) };
        let root =
            fs::canonicalize(folder).with_context(|| format!("--results: {}", folder.display()))?;
        anyhow::ensure!(root.is_dir(), "--results: {} is not a folder", folder.display());
        Ok(Self { folder: root })
    }

    /// Returns the folder without symbolic links.
    fn root(&self) -> Option<PathBuf> {
        fs::canonicalize(&self.folder).ok().filter(|root| root.is_dir())
    }

    /// Opens the file with this path below the folder, and returns its length in bytes; `None` if
    /// there is none.
    pub(super) fn open_file(&self, path: &str) -> Option<(FileKind, File, u64)> {
        let relative = Path::new(path);
        let is_below = relative.components().all(|part| matches!(part, Component::Normal(_)));
        if !is_below
            || is_hidden(relative)
            || kind(relative).is_none()
            || path.contains(['\\', '\0'])
        {
            return None;
        }
        // A symbolic link must not lead out of the folder.
        let root = self.root()?;
        let path = fs::canonicalize(root.join(relative)).ok()?;
        let kind = kind(&path)?;
        // Opening a pipe would wait for a writer.
        if !path.starts_with(&root) || !fs::metadata(&path).ok()?.is_file() {
            return None;
        }
        let file = File::open(&path).ok()?;
        let length = file.metadata().ok()?.len();
        (length <= MAX_BYTES).then_some((kind, file, length))
    }

    /// Returns the paths of all files with their kinds, sorted; `None` without the folder.
    fn paths(&self) -> Option<Vec<(String, FileKind)>> {
        let root = self.root()?;
        let mut files = Vec::new();
        // A folder that cannot be read has no files.
        let _ = collect(&root, &root, 0, &mut files);
        files.sort_by(|(one, _), (other, _)| one.cmp(other));
        Some(files)
    }
}

/// Returns true if a part of a path begins with a dot, such as the folder of a version control.
fn is_hidden(path: &Path) -> bool {
    path.iter().any(|part| part.as_encoded_bytes().starts_with(b"."))
}

/// Adds the files of a folder below a root.
fn collect(
    root: &Path,
    folder: &Path,
    depth: usize,
    files: &mut Vec<(String, FileKind)>,
) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if is_hidden(Path::new(&entry.file_name())) {
            continue;
        }
        if files.len() >= MAX_FILES {
            break;
        }
        // Symbolic links are not followed, so there are no circles.
        let of_file = entry.file_type()?;
        if of_file.is_dir() && depth < MAX_DEPTH {
            let _ = collect(root, &path, depth + 1, files);
        } else if of_file.is_file()
            && let Some(kind) = kind(&path)
            && let Some(name) = path.strip_prefix(root).ok().and_then(Path::to_str)
        {
            files.push((name.replace(std::path::MAIN_SEPARATOR, "/"), kind));
        }
    }
    Ok(())
}

/// Returns the page with all results; without a folder, it says how to name one.
pub(super) fn list(results: &ResultsFolder) -> Vec<u8> {
    let files = results.paths();
    let note = match &files {
        None => format!(
            "There is no folder `{}`, in which runs write their results by default. Start \
             `watershed serve --results DIR` to see the reports, books, annotated games and \
             puzzles below another one.",
            results.folder.display()
        ),
        Some(files) if files.is_empty() => {
            "The folder has no reports, books, annotated games or puzzles.".to_owned()
        }
        Some(files) => format!("{} in the folder.", format_count(files.len(), "file")),
    };
    let link = |name: String, address| LinkedSentence { name, address, rest: String::new() };
    let links = files.into_iter().flatten().map(|(path, kind)| {
        let folder = match kind {
            FileKind::Page => "/",
            FileKind::Data => "/?open=",
        };
        let address = format!("{folder}results/{}", encode(&path));
        link(path, address)
    });
    let play = link("Play".to_owned(), "/".to_owned());
    let mut report = StudyReport::new("Results");
    report.links(&[play].into_iter().chain(links).collect::<Vec<_>>());
    report.render_alone("games and studies", &note).1
}

/// Returns the kind of a file by its name; `None` if it is not shown.
fn kind(path: &Path) -> Option<FileKind> {
    let extension = path.extension()?;
    if extension == "html" {
        return Some(FileKind::Page);
    }
    let is_data = extension == "jsonl" || path.file_name()? == "book.json";
    is_data.then_some(FileKind::Data)
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
