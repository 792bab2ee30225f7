//! A process that answers lines.

use std::{
    io::{self, BufReader, Write as _},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crate::{
    bots::program::ProgramFailure,
    run::{
        lines::{InputLine, LineReader},
        process_groups::{kill_group, running_groups},
    },
};

/// Maximum length of an answer, in bytes.
const MAX_ANSWER: usize = 1 << 16;
/// Number of answers that are read before they are asked for.
const MAX_WAITING: usize = 4;
/// Time for a process to end by itself when its input ends.
const END_TIME: Duration = Duration::from_millis(500);

/// A running process. When it is dropped, its input ends, and soon afterwards it is killed, with
/// the processes that it has started.
pub(super) struct Process {
    child: Child,
    /// The lines for its input; `None` after the end.
    requests: Option<Sender<String>>,
    answers: Receiver<ProcessLine>,
    /// The last line of its stderr.
    last_message: Arc<Mutex<String>>,
    /// The thread that keeps it.
    message_reader: JoinHandle<()>,
    /// True if the process has answered.
    pub(super) has_answered: bool,
    /// The first of the lines before the first answer.
    pub(super) greeting: Option<Vec<u8>>,
}

/// A line of the output of a process.
enum ProcessLine {
    Text(Vec<u8>),
    TooLong,
}

impl Process {
    /// Starts a command.
    pub(super) fn start(command: &[String]) -> io::Result<Self> {
        let mut process = Command::new(&command[0]);
        process.args(&command[1..]);
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // An interrupt in the terminal is for this program, which finishes its games.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut process, 0);
        let mut groups = running_groups();
        let mut child = process.spawn()?;
        groups.insert(child.id());
        drop(groups);
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = streams else {
            return Err(io::Error::other("its streams are not connected"));
        };
        let (requests, lines) = channel();
        let (output, answers) = sync_channel(MAX_WAITING);
        let last_message = Arc::default();
        let message = Arc::clone(&last_message);
        // Each stream has a thread, so that neither a process that does not read nor one that does
        // not write can block this program. The threads end with the process.
        thread::Builder::new().spawn(move || write_lines(stdin, &lines))?;
        thread::Builder::new().spawn(move || read_lines(stdout, &output))?;
        let message_reader =
            thread::Builder::new().spawn(move || keep_last_line(stderr, &message))?;
        Ok(Self {
            child,
            requests: Some(requests),
            answers,
            last_message,
            message_reader,
            has_answered: false,
            greeting: None,
        })
    }

    /// Returns the answer to a line; `None` if there is none within this time. Before the first
    /// answer, lines of a greeting are skipped.
    ///
    /// # Errors
    /// If the process ends, or if its answer is too long.
    pub(super) fn ask(
        &mut self,
        line: String,
        time: Duration,
    ) -> Result<Option<Vec<u8>>, ProgramFailure> {
        if let Some(requests) = &self.requests {
            // If the thread has ended, so has the process, which has no answer.
            let _ = requests.send(line);
        }
        let end = Instant::now() + time;
        loop {
            match self.answers.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(ProcessLine::Text(line)) if !self.has_answered && is_greeting(&line) => {
                    self.greeting.get_or_insert(line);
                }
                Ok(ProcessLine::Text(answer)) => {
                    self.has_answered = true;
                    return Ok(Some(answer));
                }
                Ok(ProcessLine::TooLong) => {
                    let problem = format!("a line of more than {MAX_ANSWER} bytes");
                    return Err(ProgramFailure::Unreadable(problem));
                }
                Err(RecvTimeoutError::Timeout) => return Ok(None),
                Err(RecvTimeoutError::Disconnected) => return Err(self.end()),
            }
        }
    }

    /// Describes the end of a process that has closed its output.
    fn end(&mut self) -> ProgramFailure {
        self.requests = None;
        let status = self.wait();
        // Its last line may not have been read yet; a child of the process can hold stderr open.
        let started = Instant::now();
        while status.is_some() && !self.message_reader.is_finished() && started.elapsed() < END_TIME
        {
            thread::sleep(Duration::from_millis(2));
        }
        let status =
            status.map_or_else(|| "it closed its output".to_owned(), |status| status.to_string());
        let message = self.last_message.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let message = if message.is_empty() { message } else { format!(": {message}") };
        ProgramFailure::Ended(status + &message)
    }

    /// Waits for the end of the process, but not long.
    fn wait(&mut self) -> Option<std::process::ExitStatus> {
        let started = Instant::now();
        loop {
            match self.child.try_wait() {
                Ok(None) if started.elapsed() < END_TIME => {
                    thread::sleep(Duration::from_millis(2));
                }
                status => return status.ok().flatten(),
            }
        }
    }

    /// Ends the process at once.
    pub(super) fn kill(mut self) {
        // It may have ended.
        let _ = self.child.kill();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.requests = None;
        let has_ended = self.wait().is_some();
        // Its children may run on.
        if running_groups().remove(&self.child.id()) {
            kill_group(self.child.id());
        }
        if !has_ended {
            // It may have ended in the meantime.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Returns true for a line that is no object in JSON, or one with other fields than an answer.
fn is_greeting(line: &[u8]) -> bool {
    match serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(line) {
        Ok(fields) => {
            !fields.is_empty() && !["id", "action"].iter().any(|key| fields.contains_key(*key))
        }
        Err(_) => !line.starts_with(b"{"),
    }
}

/// Writes lines until there are no more, or until the process does not read any more.
fn write_lines(mut stdin: ChildStdin, lines: &Receiver<String>) {
    for line in lines {
        let written = writeln!(stdin, "{line}").and_then(|()| stdin.flush());
        if written.is_err() {
            return;
        }
    }
}

/// Passes the lines of an output on.
fn read_lines(stdout: ChildStdout, output: &SyncSender<ProcessLine>) {
    let mut lines = LineReader::new(BufReader::new(stdout), MAX_ANSWER);
    while let Ok(Some(line)) = lines.next_line() {
        let line = match line {
            InputLine::Blank => continue,
            InputLine::Text(line) => ProcessLine::Text(line.to_vec()),
            InputLine::TooLong => ProcessLine::TooLong,
        };
        if output.send(line).is_err() {
            return;
        }
    }
}

/// Keeps the last line of the messages of a process.
fn keep_last_line(stderr: ChildStderr, last: &Mutex<String>) {
    let mut lines = LineReader::new(BufReader::new(stderr), MAX_ANSWER);
    while let Ok(Some(line)) = lines.next_line() {
        if let InputLine::Text(line) = line {
            let line = String::from_utf8_lossy(line).into_owned();
            *last.lock().unwrap_or_else(PoisonError::into_inner) = line;
        }
    }
}
