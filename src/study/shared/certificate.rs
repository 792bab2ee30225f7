//! Certificates: finished runs with the files that they read and the hashes of those that they
//! wrote, so that anyone can run them again.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Component, Path, PathBuf},
};

use anyhow::{Context as _, ensure};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::joint_page::saved_run::SavedRun;
use crate::{
    config::{Document, MAX_FILE_BYTES, read_at_most, read_regular_file, sha256},
    games::GameList,
    report::{csv_format::plain_csv, html::first_finding},
    run::file_names::{MANIFEST, PAGE},
};

/// Name and version of the format.
const FORMAT: &str = "watershed.certificate/1";

/// Maximum size of a certificate, in bytes.
pub(crate) const MAX_BYTES: u64 = 32 << 20;
/// Maximum length of the path of an input in bytes.
const MAX_NAME: usize = 255;

/// The parts of a manifest that differ between builds.
const BUILD: [&str; 2] = ["version", "build"];

/// Some finished runs.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Certificate {
    format: String,
    pub(crate) runs: Vec<CertifiedRun>,
}

/// A finished run.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CertifiedRun {
    /// The first finding of the report; `None` if the run has no report.
    finding: Option<String>,
    /// The manifest without `timing`.
    manifest: Value,
    /// The files that the run reads.
    inputs: Vec<InputFile>,
    /// SHA-256 of the other files of the run except the page, by name.
    outputs: BTreeMap<String, String>,
}

/// A file that a run reads.
#[derive(PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct InputFile {
    /// Path in the folder where the command runs, or the name of the built-in data file.
    name: String,
    sha256: String,
    /// Differences of a data file from the built-in one.
    edits: Vec<String>,
    /// The content, in Base64 if it is not text.
    content: String,
    is_base64: bool,
}

impl Certificate {
    /// Creates the certificate of the runs of some folders.
    ///
    /// # Errors
    /// As [`CertifiedRun::read`].
    pub(crate) fn new(games: GameList, folders: &[PathBuf]) -> anyhow::Result<Self> {
        let runs = folders.iter().map(|folder| CertifiedRun::read(games, folder));
        Ok(Self { format: FORMAT.to_owned(), runs: runs.collect::<Result<_, _>>()? })
    }

    /// Reads a certificate.
    ///
    /// # Errors
    /// If a content has another hash, or if a run reads or writes files outside of its folder.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let name = path.display();
        let bytes = read_regular_file(path, MAX_BYTES);
        let bytes = bytes.with_context(|| format!("{name}: can't be read"))?;
        let certificate: Self = serde_json::from_slice(&bytes)
            .with_context(|| format!("{name}: expected a file of `report --certificate`"))?;
        let format = &certificate.format;
        ensure!(format == FORMAT, "{name}: format: expected {FORMAT:?}, found {format:?}");
        for (index, run) in certificate.runs.iter().enumerate() {
            let arguments = run.arguments().map(drop);
            let mut inputs = run.inputs.iter();
            arguments
                .and_then(|()| inputs.try_for_each(|input| input.bytes().map(drop)))
                .with_context(|| format!("{name}: runs[{index}]"))?;
        }
        Ok(certificate)
    }

    /// Returns the file.
    pub(crate) fn to_json(&self) -> Vec<u8> {
        // All keys are text, which is all that JSON demands.
        let mut json = serde_json::to_vec_pretty(self).unwrap_or_default();
        json.push(b'\n');
        json
    }
}

impl CertifiedRun {
    /// Reads the run of a folder. The files that it read are relative to the current folder.
    ///
    /// # Errors
    /// If the folder holds no finished run, or if the run read a file that was changed or that lies
    /// outside of the current folder.
    pub(crate) fn read(games: GameList, folder: &Path) -> anyhow::Result<Self> {
        let SavedRun { mut manifest, answer, .. } = SavedRun::read(games, folder)?;
        let shown = folder.display();
        if let Some(parts) = manifest.as_object_mut() {
            parts.remove("timing");
        }
        let names = manifest["files"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let mut outputs = BTreeMap::new();
        for name in names.filter(|name| *name != PAGE) {
            let path = folder.join(name);
            let is_name = path.file_name().is_some_and(|last| last == name);
            ensure!(is_name, "{shown}: {MANIFEST}: files: expected names, found {name:?}");
            let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
            outputs.insert(name.to_owned(), sha256(&plain_csv(&bytes)));
        }
        let finding = answer.map(|answer| first_finding(&answer).to_owned());
        let mut run = Self { finding, manifest, inputs: Vec::new(), outputs };
        run.read_inputs(games).with_context(|| shown.to_string())?;
        Ok(run)
    }

    /// Reads the data files that the manifest names, and the other files in TOML and the tables
    /// that the arguments name.
    fn read_inputs(&mut self, games: GameList) -> anyhow::Result<()> {
        let arguments = self.arguments()?;
        let game = self.manifest["game"].as_str().and_then(|game| games.find(game));
        let built_in = game.context("expected a run of a game of this program")?.default_document();
        for (config, stated) in data_sources(&self.manifest) {
            let mut file = if config == built_in.name {
                InputFile::new(config, built_in.text.clone().into())
            } else if arguments.contains(&config) {
                InputFile::read(&config)?
            } else {
                // An edit that the command makes.
                continue;
            };
            let InputFile { name, sha256, content, .. } = &file;
            ensure!(*sha256 == stated, "{name}: was changed since the run, when it had {stated}");
            let document = Document { name: name.clone(), text: content.clone() };
            let edits = document.differences_from(&built_in)?;
            file.edits = edits.iter().map(ToString::to_string).collect();
            self.add(file);
        }
        let named = || arguments.iter().flat_map(|argument| words(argument));
        for playtests in named().filter(|word| ends_with(word, "csv")) {
            self.add(InputFile::read(&playtests)?);
        }
        let mut profiles: Vec<_> = named().filter(|word| ends_with(word, "toml")).collect();
        while let Some(profile) = profiles.pop() {
            if self.inputs.iter().any(|file| file.name == profile) {
                continue;
            }
            let file = InputFile::read(&profile)?;
            for word in file.content.split(['"', '\'']).flat_map(words) {
                if ends_with(&word, "toml") && Path::new(&word).is_file() {
                    profiles.push(word);
                } else if ends_with(&word, "network") {
                    for name in sibling_files(&profile).filter(|name| is_network(name, &word)) {
                        let path = Path::new(&profile).with_file_name(name);
                        self.add(InputFile::read(&path.display().to_string())?);
                    }
                }
            }
            self.add(file);
        }
        Ok(())
    }

    /// Adds a file unless it is known.
    fn add(&mut self, file: InputFile) {
        if self.inputs.iter().all(|known| known.name != file.name) {
            self.inputs.push(file);
        }
    }

    /// Returns the arguments of the command.
    ///
    /// # Errors
    /// If they name files outside of the current folder.
    pub(crate) fn arguments(&self) -> anyhow::Result<Vec<String>> {
        let arguments = Vec::<String>::deserialize(&self.manifest["arguments"])
            .context("manifest: arguments: expected a list of words")?;
        for argument in &arguments {
            let mut paths = words(argument).chain([argument.clone()]);
            ensure!(
                argument != "--" && paths.all(|path| is_inside(&path)),
                "arguments: found {argument:?}; a command can be repeated elsewhere only if its \
                 paths are relative and without `..`"
            );
        }
        Ok(arguments)
    }

    /// Returns the command, quoted for a shell.
    pub(crate) fn command(&self) -> &str {
        self.manifest["command"].as_str().unwrap_or_default()
    }

    /// Writes the files that the run reads to an empty folder.
    ///
    /// # Errors
    /// If one can't be written.
    pub(crate) fn write_inputs(&self, folder: &Path) -> anyhow::Result<()> {
        for input in self.inputs.iter().filter(|input| !input.is_built_in()) {
            let path = folder.join(&input.name);
            let unwritable = || format!("{}: can't be written", path.display());
            fs::create_dir_all(path.parent().unwrap_or(folder)).with_context(unwritable)?;
            fs::write(&path, input.bytes()?).with_context(unwritable)?;
        }
        Ok(())
    }

    /// Returns the number of files that are compared.
    pub(crate) fn file_count(&self) -> u64 {
        self.outputs.len() as u64 + 1
    }

    /// Returns true if both runs were played by the same build.
    pub(crate) fn is_of_same_build(&self, other: &Self) -> bool {
        BUILD.iter().all(|part| self.manifest[*part] == other.manifest[*part])
    }

    /// Returns the names of the files that differ in a repetition of the run.
    pub(crate) fn differences(&self, repeated: &Self) -> Vec<String> {
        let comparable = |run: &Self| {
            let mut manifest = run.manifest.clone();
            for part in BUILD {
                manifest[part].take();
            }
            manifest
        };
        let names: BTreeSet<_> = self.outputs.keys().chain(repeated.outputs.keys()).collect();
        let is_other = |name: &&String| self.outputs.get(*name) != repeated.outputs.get(*name);
        let outputs = names.into_iter().filter(is_other).map(|name| {
            let is_missing = !repeated.outputs.contains_key(name);
            if is_missing { format!("{name} (missing)") } else { name.clone() }
        });
        let others = [
            (MANIFEST, comparable(self) != comparable(repeated)),
            ("the first finding", self.finding != repeated.finding),
            ("the files that the command reads", self.inputs != repeated.inputs),
        ];
        let others = others.into_iter().filter(|(_, is_other)| *is_other);
        outputs.chain(others.map(|(name, _)| name.to_owned())).collect()
    }
}

impl InputFile {
    fn new(name: String, bytes: Vec<u8>) -> Self {
        let (sha256, edits) = (sha256(&bytes), Vec::new());
        let (content, is_base64) = match String::from_utf8(bytes) {
            Ok(text) => (text, false),
            Err(error) => (STANDARD.encode(error.as_bytes()), true),
        };
        Self { name, sha256, edits, content, is_base64 }
    }

    fn read(path: &str) -> anyhow::Result<Self> {
        ensure!(is_inside(path), "{path}: lies outside of the folder in which the command runs");
        let bytes = read_at_most(Path::new(path), MAX_FILE_BYTES);
        Ok(Self::new(path.to_owned(), bytes.with_context(|| format!("{path}: can't be read"))?))
    }

    fn is_built_in(&self) -> bool {
        self.name.starts_with('<')
    }

    /// Returns the content.
    ///
    /// # Errors
    /// If it has another hash, or if the file lies outside of its folder.
    fn bytes(&self) -> anyhow::Result<Vec<u8>> {
        let Self { name, sha256: stated, content, .. } = self;
        // Deeper folders could not be removed.
        ensure!(
            name.len() <= MAX_NAME,
            "inputs: expected paths of at most {MAX_NAME} bytes, found one of {}",
            name.len()
        );
        ensure!(
            !name.is_empty() && is_inside(name),
            "inputs: {name:?}: expected a relative path without `..`"
        );
        let bytes = if self.is_base64 {
            STANDARD.decode(content).unwrap_or_default()
        } else {
            content.clone().into_bytes()
        };
        let found = sha256(&bytes);
        ensure!(
            found == *stated,
            "inputs: {name}: expected a content with the SHA-256 {stated}, found {found}"
        );
        Ok(bytes)
    }
}

/// Returns the parts of an argument that may be paths.
fn words(argument: &str) -> impl Iterator<Item = String> + use<'_> {
    argument.split([',', ':', '=', '@']).map(str::to_owned)
}

/// Returns true if a path has this extension.
fn ends_with(path: &str, extension: &str) -> bool {
    Path::new(path).extension().is_some_and(|end| end == extension)
}

/// Returns true for a relative path without `..`.
fn is_inside(path: &str) -> bool {
    let is_inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    Path::new(path).components().all(is_inside)
}

/// Returns the names of the files beside a file, sorted.
fn sibling_files(path: &str) -> impl Iterator<Item = String> {
    let folder = Path::new(".").join(path);
    let entries = folder.parent().map(fs::read_dir).into_iter().flatten().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.collect::<BTreeSet<_>>().into_iter()
}

/// Returns true if the name of a network in a profile is that of a file: the same, or one for a
/// mode.
fn is_network(file: &str, name: &str) -> bool {
    match name.split_once("{mode}") {
        Some((start, end)) => file.starts_with(start) && file.ends_with(end),
        None => file == name,
    }
}

/// Returns the data files of a manifest with their hashes.
fn data_sources(manifest: &Value) -> Vec<(String, String)> {
    let text = |key: &str| manifest[key].as_str().map(str::to_owned);
    let own = text("config").zip(text("config_sha256"));
    let parts: Vec<_> = match manifest {
        Value::Array(parts) => parts.iter().collect(),
        Value::Object(parts) => parts.values().collect(),
        _ => Vec::new(),
    };
    own.into_iter().chain(parts.into_iter().flat_map(data_sources)).collect()
}
