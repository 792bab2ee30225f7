//! Computes the identity of the build: a hash of the sources, and the commit if the sources are a
//! checkout.

#[path = "build/sha256.rs"]
mod sha256;

use std::{
    env,
    error::Error,
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use sha256::sha256;

/// The files and folders that determine the behaviour of the program.
const SOURCES: [&str; 6] = ["src", "crates", "bots", "configs", "Cargo.toml", "Cargo.lock"];

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let mut files = Vec::new();
    for source in SOURCES.map(|source| root.join(source)) {
        if source.exists() {
            println!("cargo:rerun-if-changed={}", source.display());
            collect_files(&source, &mut files)?;
        }
    }
    // `--resume` and `merge` compare this hash. A commit would be less precise: it is unknown
    // outside a checkout (for example in a crate package), it changes with every edit of a
    // document, and it does not change while sources are edited.
    let sha256 = hash_files(&root, files)?;
    let (commit, modified) = commit(&root).unwrap_or_default();
    let commit_text = match (commit.get(..12), modified) {
        (Some(commit), false) => format!("commit {commit}, "),
        (Some(commit), true) => format!("commit {commit} modified, "),
        (None, _) => String::new(),
    };
    let version =
        format!("{} ({commit_text}sources {})", env::var("CARGO_PKG_VERSION")?, &sha256[..12]);
    let target_features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    for (name, value) in [
        ("SOURCE_SHA256", sha256.as_str()),
        ("COMMIT", commit.as_str()),
        ("MODIFIED", if modified { "true" } else { "false" }),
        ("VERSION", version.as_str()),
        ("TARGET", &env::var("TARGET")?),
        ("PROFILE", &profile()?),
        ("RUSTC", &rustc_version().unwrap_or_default()),
        ("TARGET_FEATURES", &target_features.replace(',', " ")),
    ] {
        println!("cargo:rustc-env=WATERSHED_{name}={value}");
    }
    Ok(())
}

/// Returns the name of the cargo profile. `PROFILE` has only `release` and `debug`, so it is read
/// from the output folder: `target/<profile>/build/<package>/out`.
fn profile() -> Result<String, Box<dyn Error>> {
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let folder = out.ancestors().nth(3).and_then(Path::file_name);
    let profile = folder.map(|name| name.to_string_lossy().into_owned());
    Ok(profile.map_or_else(|| env::var("PROFILE"), Ok)?)
}

/// Returns the version of the compiler.
fn rustc_version() -> Option<String> {
    let output = Command::new(env::var_os("RUSTC")?).arg("--version").output().ok()?;
    String::from_utf8(output.stdout).ok().map(|text| text.trim().to_owned())
}

/// Adds all files in a folder and its subfolders, except hidden files and backups of editors.
fn collect_files(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name.starts_with('.') || name.ends_with('~') {
        return Ok(());
    }
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        collect_files(&entry?.path(), files)?;
    }
    Ok(())
}

/// Returns the SHA-256 hash of the names and contents of `files`.
fn hash_files(root: &Path, files: Vec<PathBuf>) -> Result<String, Box<dyn Error>> {
    let mut named = Vec::new();
    for file in files {
        let name: Vec<_> =
            file.strip_prefix(root)?.iter().map(|part| part.to_string_lossy()).collect();
        named.push((name.join("/"), file));
    }
    named.sort();
    let mut content = Vec::new();
    for (name, file) in named {
        // In a crate package, cargo has rewritten Cargo.toml and kept the original under this name.
        let original = root.join("Cargo.toml.orig");
        let bytes =
            fs::read(if name == "Cargo.toml" && original.exists() { original } else { file })?;
        for part in [name.into_bytes(), bytes] {
            content.extend((part.len() as u64).to_le_bytes());
            content.extend(part);
        }
    }
    Ok(sha256(&content))
}

/// Returns the commit that is checked out, and true if the sources differ from it.
fn commit(root: &Path) -> Option<(String, bool)> {
    // The commit of another repository that contains a copy of the sources does not identify them.
    let top = fs::canonicalize(git(root, &["rev-parse", "--show-toplevel"])?).ok()?;
    if top != fs::canonicalize(root).ok()? {
        return None;
    }
    let commit = git(root, &["rev-parse", "HEAD"])?;
    let status = git(
        root,
        &[&["--no-optional-locks", "status", "--porcelain", "--"], &SOURCES[..]].concat(),
    )?;
    Some((commit, !status.is_empty()))
}

fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .current_dir(root)
        .args(arguments)
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok().map(|text| text.trim().to_owned())
}
