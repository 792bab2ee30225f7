//! `watershed engine`: analyses positions for other programs, by requests and answers in JSON
//! lines on stdin and stdout, in the manner of KataGo's analysis engine.

mod answer;
mod arguments;
mod open_games;
mod queue;
mod refusal;
mod request;
#[cfg(test)]
mod schemas;
mod worker;

use std::{
    io::{self, BufReader},
    thread,
};

use anyhow::Context as _;

pub(crate) use self::arguments::EngineArguments;
use self::{
    answer::{GamesAnswer, ListedGame, TerminationAnswer, VersionAnswer, send},
    open_games::OpenGames,
    queue::RequestQueue,
    refusal::Refusal,
    request::{EngineAction, EngineRequest},
    worker::RequestWorker,
};
use crate::{
    games::GameList,
    report::terminal::is_stdout_closed,
    run::{
        ExitStatus,
        arguments::build_thread_pool,
        lines::{InputLine, LineReader},
    },
};

/// Maximum length of a line, in bytes: that of the longest records.
const MAX_LINE: usize = 1 << 20;

pub(crate) fn run(games: GameList, arguments: &EngineArguments) -> anyhow::Result<ExitStatus> {
    let open_games = OpenGames::new(games, arguments.game.as_deref(), arguments.config.clone())?;
    let queue = RequestQueue::new(arguments.queue);
    let threads = build_thread_pool(arguments.threads, u64::MAX, arguments.quiet)?;
    let threads = threads.current_num_threads();
    let reader = RequestReader { games, queue: &queue };
    let worker = RequestWorker { games: &open_games, queue: &queue, arguments };
    // Each request has one thread, so that no request waits for parts of another one.
    let pools = (0..threads).map(|_| build_thread_pool(Some(1), u64::MAX, true));
    let pools = pools.collect::<anyhow::Result<Vec<_>>>()?;
    thread::scope(|scope| {
        for pool in &pools {
            scope.spawn(|| pool.install(|| worker.work()));
        }
        let result = reader.read(io::stdin().lock());
        queue.close(is_stdout_closed());
        result
    })
}

/// The part that reads requests.
struct RequestReader<'a> {
    games: GameList,
    queue: &'a RequestQueue,
}

impl RequestReader<'_> {
    /// Reads requests up to the end of the input, or until nobody reads the answers.
    fn read(&self, input: impl io::Read) -> anyhow::Result<ExitStatus> {
        let mut lines = LineReader::new(BufReader::new(input), MAX_LINE);
        while let Some(line) = lines.next_line().context("stdin: cannot be read")? {
            match line {
                InputLine::Blank => {}
                InputLine::TooLong => {
                    send(&Refusal::new(format!("expected a line of at most {MAX_LINE} bytes")));
                }
                InputLine::Text(line) => match EngineRequest::parse(line) {
                    Ok(request) => self.receive(request, line.len()),
                    Err(refusal) => send(&refusal),
                },
            }
            if is_stdout_closed() {
                break;
            }
        }
        Ok(ExitStatus::Success)
    }

    /// Answers a request, or puts it into the queue.
    fn receive(&self, request: EngineRequest, bytes: usize) {
        match request.action {
            EngineAction::Analyze => self.queue.push(request, bytes),
            EngineAction::Terminate | EngineAction::TerminateAll => self.terminate(&request),
            EngineAction::QueryVersion => send(&VersionAnswer::new(&request.id)),
            EngineAction::ListGames => {
                let games = self.games.all().iter().map(ListedGame::new).collect();
                send(&GamesAnswer { id: &request.id, action: request.action, games });
            }
        }
    }

    /// Ends the requests with an identifier, or all of them.
    fn terminate(&self, request: &EngineRequest) {
        let (waiting, running) = self.queue.terminate(request.terminate_id.as_ref());
        let terminated = waiting.len() + running;
        for id in &waiting {
            send(&TerminationAnswer::of_request(id));
        }
        send(&TerminationAnswer::to(request, terminated));
    }
}
