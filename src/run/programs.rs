//! Bots that are programs of their own: `exec:COMMAND`.
//!
//! Each bot of a thread has a process, which it takes from those that no bot uses, or starts. A
//! process gets one request at a time on its stdin and answers it on its stdout; both are lines in
//! JSON. A process that fails is killed, and the next game gets a new one.

mod process;

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
    time::Duration,
};

use anyhow::{anyhow, bail, ensure};
use serde_json::{Value, json};

use self::process::Process;
use super::{ExitStatus, arguments::number, progress_bar::stop_on_interrupt};
use crate::{
    bots::program::{
        BotProgram, DecisionAnswer, DecisionRequest, PREFIX, ProgramConnection, ProgramFailure,
    },
    config::{nearest_name, sha256},
    report::{html::format_count, terminal::print_info},
};

/// Seconds for a decision, if the name of the bot has none.
const DEFAULT_SECONDS: f64 = 10.0;
/// Seconds for a decision that a name can have.
const SECONDS: std::ops::RangeInclusive<f64> = 0.001..=86_400.0;
/// Number of decisions without an answer, one after the other, after which a program is not asked
/// any more: it loses its other games at once.
const MAX_TIMEOUTS: u32 = 3;
/// Number of failures of any kind after which a program is not started again.
const MAX_FAILURES: u32 = 20;
/// Forfeited games of a hundred, above which the results have no verdict.
const MAX_FORFEITED_PERCENT: u64 = 5;
/// Largest file of a command whose hash is recorded.
const MAX_HASHED: u64 = 1 << 26;
/// Statement on the results of runs with such bots, in manifests.
const REPRODUCIBILITY: &str =
    "equal seeds give identical results only if the program gives equal answers to equal requests";

/// Number of games that programs have lost by failures, until a study counts them.
static FORFEITED_GAMES: AtomicU64 = AtomicU64::new(0);

/// Numbers of games that each program of the command has begun and lost by failures.
static GAMES: Mutex<BTreeMap<String, [u64; 2]>> = Mutex::new(BTreeMap::new());

/// The message on a program that could not be started, until a command ends with it.
static NOT_STARTED: Mutex<Option<String>> = Mutex::new(None);

/// Returns an error if a program could not be started, which is no fault of the bot.
///
/// # Errors
/// As described.
pub(crate) fn ensure_started() -> anyhow::Result<()> {
    let message = lock(&NOT_STARTED).take();
    let Some(message) = message else { return Ok(()) };
    // The next command of this process is not stopped.
    stop_on_interrupt()?.store(false, Ordering::Relaxed);
    bail!(message)
}

/// Forgets the games of an earlier command.
pub(crate) fn forget_games() {
    take_forfeits();
    lock(&GAMES).clear();
}

/// Returns the number of games that programs have lost by failures since the last call.
pub(crate) fn take_forfeits() -> u64 {
    FORFEITED_GAMES.swap(0, Ordering::Relaxed)
}

/// Returns an error if programs have lost games by failures that no study has counted.
///
/// # Errors
/// As described.
pub(crate) fn ensure_no_forfeits() -> anyhow::Result<()> {
    let games = take_forfeits();
    ensure!(
        games == 0,
        "bots: a program failed in {}, which only studies count as lost; this command has no valid \
         results",
        format_count(games, "game")
    );
    Ok(())
}

/// Returns the sentence on the games that bots lost by failures; `None` if there are none. The
/// numbers are those of games, by the names of the bots.
pub(crate) fn forfeits_sentence<'a>(
    forfeits: impl IntoIterator<Item = (&'a str, u64)>,
) -> Option<String> {
    let counts = forfeits.into_iter().filter(|&(_, games)| games > 0);
    let counts: Vec<_> =
        counts.map(|(bot, games)| format!("{bot} {}", format_count(games, "game"))).collect();
    (!counts.is_empty())
        .then(|| format!("Lost by a failure of the program: {}.", counts.join(", ")))
}

/// Returns the sentence that replaces the answer of a study if a program failed in all its games,
/// or programs failed in too many of the games, with the exit status; `None` if they did not.
pub(super) fn invalid_sentence(forfeited: u64, games: u64) -> Option<(String, ExitStatus)> {
    let failed_always =
        |(_, [begun, failed]): &(&String, &[u64; 2])| *failed > 0 && failed >= begun;
    if let Some((program, [_, failed])) = lock(&GAMES).iter().find(failed_always) {
        let sentence = format!(
            "{PREFIX}{program} did not play: {failed} of {} failed.",
            format_count(*failed, "game")
        );
        return Some((sentence, ExitStatus::ProgramFailed));
    }
    (100 * forfeited > MAX_FORFEITED_PERCENT * games).then(|| {
        let sentence = format!(
            "No valid result: programs failed {forfeited} times in {}, in more than \
             {MAX_FORFEITED_PERCENT} % of them.",
            format_count(games, "game")
        );
        (sentence, ExitStatus::Negative)
    })
}

/// Locks a value that is right even if a thread ended while it had it.
fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns an error if the name of a bot in a file is a program, which somebody else may have
/// written there.
///
/// # Errors
/// As described.
pub(crate) fn ensure_no_program(name: &str) -> anyhow::Result<()> {
    ensure!(!name.contains(PREFIX), "expected no bot that is a program, found {name}");
    Ok(())
}

/// Reads the command after `exec:`: options `time=SECONDS:` and `start=SECONDS:`, then the program
/// with its arguments, quoted as for a shell.
///
/// # Errors
/// If the command has no program, or none that exists.
pub(crate) fn read(text: &str) -> Result<Arc<dyn BotProgram>, String> {
    let program = Program::parse(text).map_err(|error| format!("{error:#}"))?;
    Ok(Arc::new(program))
}

/// A program with its processes.
struct Program {
    shared: Arc<ProgramState>,
    parameters: Value,
}

/// The parts of a program that its connections use.
struct ProgramState {
    /// The command as entered, which messages show.
    text: String,
    command: Vec<String>,
    /// Time for a decision.
    time: Duration,
    /// Time that the first decision of a process may take in addition.
    start: Duration,
    /// Processes that no bot uses.
    idle: Mutex<Vec<Process>>,
    /// Decisions without an answer since the last answer.
    timeouts: AtomicU32,
    /// Failures of any kind.
    failures: AtomicU32,
    /// The kinds of failures that were reported.
    reported: Mutex<BTreeSet<&'static str>>,
}

impl Program {
    fn parse(text: &str) -> anyhow::Result<Self> {
        let (mut time, mut start, mut rest) = (DEFAULT_SECONDS, DEFAULT_SECONDS, text);
        while let Some((option, after)) = rest.split_once(':') {
            let Some((key, value)) = option.split_once('=') else { break };
            let seconds = match key {
                "time" => &mut time,
                "start" => &mut start,
                // The command itself.
                _ if key.contains([' ', '/', '\\', '.']) => break,
                _ => {
                    let nearest = nearest_name(key, ["time", "start"]);
                    let hint = nearest.map(|nearest| format!("; did you mean `{nearest}`?"));
                    bail!("expected `time=SECONDS` or `start=SECONDS`{}", hint.unwrap_or_default())
                }
            };
            *seconds = number(value, SECONDS).map_err(|problem| anyhow!("{key}: {problem}"))?;
            rest = after;
        }
        let command = shlex::split(rest).unwrap_or_default();
        let example = "as in `exec:time=5:python3 bot.py`";
        ensure!(!rest.trim().is_empty(), "expected a command, {example}");
        ensure!(!command.is_empty(), "expected a command with closed quotation marks, {example}");
        ensure!(is_found(&command[0]), "the program `{}` is not found", command[0]);
        let parameters = json!({
            "kind": "exec",
            "command": command,
            "time_seconds": time,
            "start_seconds": start,
            "sha256": hashes(&command),
            "reproducibility": REPRODUCIBILITY,
        });
        let state = ProgramState {
            text: text.to_owned(),
            command,
            time: Duration::from_secs_f64(time),
            start: Duration::from_secs_f64(start),
            idle: Mutex::default(),
            timeouts: AtomicU32::new(0),
            failures: AtomicU32::new(0),
            reported: Mutex::default(),
        };
        Ok(Self { shared: Arc::new(state), parameters })
    }
}

/// Returns true if a program is a file, or one of the search path.
fn is_found(program: &str) -> bool {
    if cfg!(windows) || Path::new(program).components().count() > 1 {
        return cfg!(windows) || Path::new(program).is_file();
    }
    let folders = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}

/// Returns the SHA-256 hashes of the files that a command names, by which a manifest identifies
/// them.
fn hashes(command: &[String]) -> Value {
    let hash = |name: &String| {
        let path = PathBuf::from(name);
        let is_small = path.metadata().is_ok_and(|data| data.is_file() && data.len() <= MAX_HASHED);
        let content = is_small.then(|| std::fs::read(path).ok()).flatten()?;
        Some((name.clone(), Value::from(sha256(&content))))
    };
    Value::Object(command.iter().filter_map(hash).collect())
}

impl BotProgram for Program {
    fn connect(&self) -> Box<dyn ProgramConnection> {
        Box::new(BotConnection { program: Arc::clone(&self.shared), process: None })
    }

    fn parameters(&self) -> Value {
        self.parameters.clone()
    }

    fn seconds(&self) -> f64 {
        self.shared.time.as_secs_f64()
    }

    fn report(&self, failure: &ProgramFailure) {
        FORFEITED_GAMES.fetch_add(1, Ordering::Relaxed);
        let ProgramState { text, reported, .. } = &*self.shared;
        if let ProgramFailure::NotStarted(_) = failure {
            let message = format!("{PREFIX}{text}: the program {failure}");
            *lock(&NOT_STARTED) = Some(message);
            // Without the flag the command ends with the same error, only later.
            let _ = stop_on_interrupt().map(|stop| stop.store(true, Ordering::Relaxed));
            return;
        }
        lock(&GAMES).entry(text.clone()).or_default()[1] += 1;
        let kind = match failure {
            ProgramFailure::NotStarted(_) | ProgramFailure::Ended(_) => "ended",
            ProgramFailure::TimedOut(_) => "timed out",
            ProgramFailure::Unreadable(_) => "unreadable",
            ProgramFailure::Illegal(_) => "illegal",
        };
        if lock(reported).insert(kind) {
            print_info(&format!(
                "warning: {PREFIX}{text}: the program {failure}; it loses the game (further \
                 failures of this kind are counted, not shown)"
            ));
        }
    }
}

/// A connection with the process that it uses.
struct BotConnection {
    program: Arc<ProgramState>,
    process: Option<Process>,
}

impl ProgramConnection for BotConnection {
    fn ask(&mut self, request: &DecisionRequest) -> Result<DecisionAnswer, ProgramFailure> {
        if request.new_game {
            lock(&GAMES).entry(self.program.text.clone()).or_default()[0] += 1;
        }
        let answer = self.ask_process(request);
        if answer.is_err() {
            self.end();
        }
        answer
    }

    fn end(&mut self) {
        self.program.failures.fetch_add(1, Ordering::Relaxed);
        if let Some(process) = self.process.take() {
            process.kill();
        }
    }
}

impl BotConnection {
    fn ask_process(&mut self, request: &DecisionRequest) -> Result<DecisionAnswer, ProgramFailure> {
        let ProgramState { text, command, time, start, idle, timeouts, reported, .. } =
            &*self.program;
        let timed_out = || ProgramFailure::TimedOut(time.as_secs_f64());
        if timeouts.load(Ordering::Relaxed) >= MAX_TIMEOUTS {
            return Err(timed_out());
        }
        let process = match &mut self.process {
            Some(process) => process,
            none => {
                let waiting = lock(idle).pop();
                if waiting.is_none()
                    && self.program.failures.load(Ordering::Relaxed) >= MAX_FAILURES
                {
                    let message =
                        format!("it failed {MAX_FAILURES} times and is not started again");
                    return Err(ProgramFailure::Ended(message));
                }
                let started = waiting.map_or_else(|| Process::start(command), Ok);
                none.insert(started.map_err(|error| ProgramFailure::NotStarted(error.to_string()))?)
            }
        };
        let time = if process.has_answered { *time } else { *time + *start };
        // Text and numbers, which JSON can hold.
        let line = serde_json::to_string(request).unwrap_or_default();
        let answer = process.ask(line, time)?;
        let greeting = process.greeting.take();
        let Some(answer) = answer else {
            timeouts.fetch_add(1, Ordering::Relaxed);
            // The line was the answer.
            return Err(
                greeting.map_or_else(timed_out, |line| ProgramFailure::Unreadable(shown(&line)))
            );
        };
        if let Some(line) = greeting.filter(|_| lock(reported).insert("greeting")) {
            print_info(&format!(
                "warning: {PREFIX}{text}: lines before the first answer are skipped: {:?}",
                shown(&line)
            ));
        }
        timeouts.store(0, Ordering::Relaxed);
        let read = serde_json::from_slice(&answer).ok();
        let read = read.filter(|answer: &DecisionAnswer| answer.id == request.id);
        read.ok_or_else(|| ProgramFailure::Unreadable(shown(&answer)))
    }
}

/// Gives the process back.
impl Drop for BotConnection {
    fn drop(&mut self) {
        if let Some(process) = self.process.take() {
            lock(&self.program.idle).push(process);
        }
    }
}

/// Returns the beginning of an answer.
fn shown(answer: &[u8]) -> String {
    const MAX_SHOWN: usize = 80;
    let text = String::from_utf8_lossy(answer);
    let shown: String = text.chars().take(MAX_SHOWN).collect();
    if shown.len() < text.len() { shown + "…" } else { shown }
}
