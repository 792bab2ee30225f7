//! `watershed verify`: runs the commands of a certificate again and compares their files.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process,
    sync::atomic::Ordering,
    time::SystemTime,
};

use anyhow::Context as _;
use clap::Args;

use crate::{
    games::GameList,
    report::{
        terminal::{print, print_info, without_output},
        text::escape_name,
    },
    run::{ExitStatus, count::count, paths::resolve_path, progress_bar::stop_on_interrupt},
    study::shared::certificate::{Certificate, CertifiedRun},
};

#[derive(Args, Debug)]
#[command(after_help = "\
The certificate is a file of `watershed report --certificate`. Each of its commands runs in a new \
folder with the files that the certificate holds and writes to that folder only. One line for each \
command says that all files have the same bytes, or names those that differ. Of run.json, `timing` \
and the build are not compared; the first finding of the report is.

The exit code is 0 if everything agrees and 1 if not. Another build of the program may play \
differently: a note then says so.

Examples:
  watershed verify results/fair.json
  watershed verify results/fair.json --threads 4 --out results/again")]
pub(crate) struct VerifyArguments {
    /// Read this certificate
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Set the number of threads [default: RAYON_NUM_THREADS of the environment, else all cores]
    #[arg(long, value_name = "N", value_parser = count::<usize>(1..=usize::MAX))]
    threads: Option<usize>,
    /// Keep the runs in this new folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print no progress and no messages
    #[arg(long)]
    quiet: bool,
}

/// Runs the command of a study. Its arguments are without the name of the program, and the first
/// list has those of the certificate.
pub(crate) type RepeatStudy<'a> = &'a dyn Fn(&[String], &[String]) -> anyhow::Result<ExitStatus>;

/// Runs the commands again.
pub(crate) fn run(
    games: GameList,
    arguments: &VerifyArguments,
    repeat_study: RepeatStudy<'_>,
) -> anyhow::Result<ExitStatus> {
    let VerifyArguments { file, threads, out, quiet } = arguments;
    let certificate = Certificate::read(file)?;
    let folder = RepetitionFolder::create(out.as_deref())?;
    let threads = threads.iter().flat_map(|threads| ["--threads".to_owned(), threads.to_string()]);
    let flags: Vec<_> = threads.chain(quiet.then(|| "--quiet".to_owned())).collect();
    let (mut is_equal, mut is_same_build) = (true, true);
    for (index, run) in certificate.runs.iter().enumerate() {
        if !quiet {
            print_info(&format!("run {} of {}", index + 1, certificate.runs.len()));
        }
        let in_run = || format!("{}: runs[{index}]", file.display());
        let folder = folder.path.join((index + 1).to_string());
        let [inputs, out] = ["inputs", "run"].map(|name| folder.join(name));
        let flags = [&["--out".to_owned(), out.display().to_string()], &flags[..]].concat();
        fs::create_dir_all(&inputs).with_context(in_run)?;
        run.write_inputs(&inputs).with_context(in_run)?;
        let repeated = in_folder(&inputs, || {
            let result = without_output(|| repeat_study(&run.arguments()?, &flags));
            // First, because an interrupted study advises to resume it.
            if stop_on_interrupt()?.load(Ordering::Relaxed) {
                return Ok(None);
            }
            result?;
            CertifiedRun::read(games, &out).map(Some)
        });
        let Some(repeated) = repeated.with_context(in_run)? else {
            print_info("interrupted: the other runs are not verified");
            return Ok(ExitStatus::Negative);
        };
        let differences = run.differences(&repeated);
        let answer = match &differences[..] {
            [] => format!("all {} files equal", run.file_count()),
            names => format!("differs in {}", names.join(", ")),
        };
        // The end of a line in a name must not begin another answer.
        print(&format!("{}\n", escape_name(&format!("{}: {answer}", repeated.command()))));
        is_equal &= differences.is_empty();
        is_same_build &= run.is_of_same_build(&repeated);
    }
    if !is_same_build {
        print(
            "The certificate is of another build of the program; differences may be due to it.\n",
        );
    }
    Ok(if is_equal { ExitStatus::Success } else { ExitStatus::Negative })
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

/// Calls a function with another current folder.
fn in_folder<T>(folder: &Path, call: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    let before = env::current_dir()?;
    env::set_current_dir(folder)?;
    let result = call();
    env::set_current_dir(before)?;
    result
}
