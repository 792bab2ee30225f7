//! `watershed verify`: plays finished runs again and compares their files.

use std::{collections::BTreeSet, env, process, sync::atomic::Ordering, time::SystemTime};

use serde::Deserialize as _;
use serde_json::Value;

use crate::{
    report::{csv_format::plain_csv, terminal::without_output},
    run::{
        file_names::{MANIFEST, PAGE},
        files::{lock_to_read, named_files, read_finished_run},
        paths::resolve_path,
    },
    study::shared::prelude::*,
};

/// The parts of a manifest that equal runs may have differently, and those that differ between
/// builds.
const NOT_COMPARED: [&str; 4] = ["timing", "note", "version", "build"];

#[derive(Args, Debug)]
#[command(after_help = "\
A run is verified by its folder: the command that its run.json records is played again and its \
files are compared. The command reads its data files and bots again, so give `verify` the current \
folder of the run; it writes to a folder of its own only. One line for each run says that all \
files have the same bytes, or names those that differ. Of run.json, `timing`, `note` and the build \
are not compared, and the page of a run with a note is not.

The command must be a study, such as `simulate`, `match` or a `balance` command, and name no \
output. Without --allow-programs, one with a bot `exec:COMMAND` is refused, so that runs of \
strangers can be verified.

The exit code is 0 if everything agrees and 1 if not. Another build of the program may play \
differently: a note then says so.

Examples:
  watershed verify results/fair
  watershed verify results/two results/three --threads 4 --out results/again")]
pub(crate) struct VerifyArguments {
    /// Verify the runs of these folders
    #[arg(value_name = "DIR", required = true)]
    runs: Vec<PathBuf>,
    /// Set the number of threads [default: RAYON_NUM_THREADS of the environment, else all cores]
    #[arg(long, value_name = "N", value_parser = count::<usize>(1..=usize::MAX))]
    threads: Option<usize>,
    /// Keep the repeated runs in this new folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Let the commands start programs (`exec:`)
    #[arg(long)]
    allow_programs: bool,
    /// Print no progress and no messages
    #[arg(long)]
    quiet: bool,
}

/// Runs the command of a study. Its arguments are without the name of the program: those of the
/// manifest and further flags. The last value is true if it may start programs.
pub(crate) type RepeatStudy<'a> =
    &'a dyn Fn(&[String], &[String], bool) -> anyhow::Result<ExitStatus>;

/// Plays the runs again.
pub(crate) fn run(
    arguments: &VerifyArguments,
    repeat_study: RepeatStudy<'_>,
) -> anyhow::Result<ExitStatus> {
    let VerifyArguments { runs: folders, threads, out, allow_programs, quiet } = arguments;
    let runs = folders.iter().map(|folder| FinishedRun::read(folder));
    let runs = runs.collect::<anyhow::Result<Vec<_>>>()?;
    let scratch = RepetitionFolder::create(out.as_deref())?;
    let threads = threads.iter().flat_map(|threads| ["--threads".to_owned(), threads.to_string()]);
    let flags: Vec<_> = threads.chain(quiet.then(|| "--quiet".to_owned())).collect();
    let (mut is_equal, mut is_same_build) = (true, true);
    for (index, (folder, run)) in folders.iter().zip(&runs).enumerate() {
        if !quiet {
            print_info(&format!("run {} of {}", index + 1, runs.len()));
        }
        let out = scratch.path.join((index + 1).to_string());
        let flags = [&["--out".to_owned(), out.display().to_string()], &flags[..]].concat();
        let in_run = || folder.display().to_string();
        let words = run.arguments().with_context(in_run)?;
        let result = without_output(|| repeat_study(&words, &flags, *allow_programs));
        // First, because an interrupted study advises to resume it.
        if stop_on_interrupt()?.load(Ordering::Relaxed) {
            print_info("interrupted: the other runs are not verified");
            return Ok(ExitStatus::Negative);
        }
        result.with_context(in_run)?;
        let repeated = FinishedRun::read(&out).with_context(in_run)?;
        let differences = run.differences(&repeated);
        let answer = match &differences[..] {
            [] => format!("all {} files equal", run.files.len() + 1),
            names => format!("differs in {}", names.join(", ")),
        };
        // The end of a line in a name must not begin another answer.
        print(&format!("{}\n", escape_name(&format!("{}: {answer}", folder.display()))));
        is_equal &= differences.is_empty();
        is_same_build &= run.manifest["build"] == repeated.manifest["build"];
    }
    if !is_same_build {
        print("A run is of another build of the program; differences may be due to it.\n");
    }
    Ok(if is_equal { ExitStatus::Success } else { ExitStatus::Negative })
}

/// A finished run with the hashes of its files.
struct FinishedRun {
    manifest: Value,
    /// SHA-256 of the files that the manifest names.
    files: BTreeMap<String, String>,
}

impl FinishedRun {
    /// Reads the run of a folder.
    ///
    /// # Errors
    /// If the folder holds no finished run, or lacks one of its files.
    fn read(folder: &Path) -> anyhow::Result<Self> {
        let name = folder.display();
        ensure!(
            !folder.is_file(),
            "{name}: expected the folder of a run, found a file; folders of runs have replaced \
             certificates"
        );
        let _lock = lock_to_read(folder)?;
        let manifest = read_finished_run(folder)?;
        let mut files = BTreeMap::new();
        for name in named_files(&manifest) {
            let path = folder.join(name);
            ensure!(path.is_file(), "{}: is missing or no regular file", path.display());
            let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
            files.insert(name.to_owned(), sha256(&plain_csv(&bytes)));
        }
        Ok(Self { manifest, files })
    }

    /// Returns the arguments of the command.
    fn arguments(&self) -> anyhow::Result<Vec<String>> {
        let words = Vec::deserialize(&self.manifest["arguments"]);
        words.with_context(|| format!("{MANIFEST}: arguments: expected a list of words"))
    }

    /// Returns the names of the files that differ in a repetition of the run.
    fn differences(&self, repeated: &Self) -> Vec<String> {
        let is_compared = |name: &&String| *name != PAGE || self.manifest["note"].is_null();
        let names: BTreeSet<_> = self.files.keys().chain(repeated.files.keys()).collect();
        let is_other = |name: &&String| self.files.get(*name) != repeated.files.get(*name);
        let files = names.into_iter().filter(is_compared).filter(is_other).map(|name| {
            let is_missing = !repeated.files.contains_key(name);
            if is_missing { format!("{name} (missing)") } else { name.clone() }
        });
        let both = [self, repeated].map(|run| run.manifest.as_object());
        let keys: BTreeSet<_> =
            both.into_iter().flatten().flat_map(|values| values.keys()).collect();
        let is_other = |key: &&String| {
            !NOT_COMPARED.contains(&key.as_str())
                && self.manifest.get(*key) != repeated.manifest.get(*key)
        };
        let keys = keys.into_iter().filter(is_other);
        files.chain(keys.map(|key| format!("{MANIFEST} (`{key}`)"))).collect()
    }
}

/// The folder of all repeated runs. A temporary one is removed when this value is dropped.
struct RepetitionFolder {
    path: PathBuf,
    is_temporary: bool,
}

impl RepetitionFolder {
    /// Creates the folder, which must not exist.
    fn create(out: Option<&Path>) -> anyhow::Result<Self> {
        // A killed process leaves its folder, and another may have the same number.
        let time = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos();
        let name = format!("watershed-verify-{}-{time}", process::id());
        let path = out.map_or_else(|| env::temp_dir().join(name), Path::to_owned);
        let parent = path.parent().map_or(Ok(()), fs::create_dir_all);
        // A folder that exists may be prepared to lead elsewhere.
        let created = parent.and_then(|()| fs::create_dir(&path));
        created.with_context(|| format!("{}: expected a new folder", path.display()))?;
        Ok(Self { path: resolve_path(&path), is_temporary: out.is_none() })
    }
}

impl Drop for RepetitionFolder {
    fn drop(&mut self) {
        if self.is_temporary {
            // A file that can't be removed is kept.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}
