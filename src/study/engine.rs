//! `watershed engine`: analyses positions for other programs, by requests and answers in JSON
//! lines on stdin and stdout, in the manner of KataGo's analysis engine.

mod answer;
mod arguments;
mod queue;
mod request;
#[cfg(test)]
mod schemas;
mod worker;

use std::{io::BufReader, thread};

use self::{
    answer::{AnswerContent, AnsweredPosition, ListedGame},
    queue::RequestQueue,
    request::{EngineAction, EngineRequest},
    worker::RequestWorker,
};
use crate::{
    games::open_games::OpenGames,
    report::terminal::is_stdout_closed,
    run::lines::{InputLine, LineReader},
    study::shared::prelude::*,
};

pub(crate) use self::arguments::EngineArguments;

/// Maximum length of a line, in bytes: that of the longest records.
const MAX_LINE: usize = 1 << 20;

pub(crate) fn run(games: GameList, arguments: &EngineArguments) -> anyhow::Result<ExitStatus> {
    let open_games = open_games(games, arguments)?;
    let queue = RequestQueue::new(arguments.queue);
    let threads = build_thread_pool(arguments.threads, u64::MAX, arguments.quiet)?;
    let threads = threads.current_num_threads();
    let worker = RequestWorker { games: &open_games, queue: &queue, arguments };
    // Each request has one thread, so that no request waits for parts of another one.
    let pools = (0..threads).map(|_| build_thread_pool(Some(1), u64::MAX, true));
    let pools = pools.collect::<anyhow::Result<Vec<_>>>()?;
    thread::scope(|scope| {
        for pool in &pools {
            scope.spawn(|| pool.install(|| worker.work()));
        }
        let result = read(io::stdin().lock(), games, &queue);
        queue.close(is_stdout_closed());
        result
    })
}

/// Returns the games on their data files. That of `--config` is refused at once if it is not valid.
fn open_games(games: GameList, arguments: &EngineArguments) -> anyhow::Result<OpenGames> {
    let mut open_games = OpenGames::new(games);
    if arguments.config.is_some() {
        let EngineArguments { game, config, .. } = arguments;
        let flags = GameArguments { game: game.clone(), config: config.clone(), players: None };
        let selection = flags.resolve(games)?;
        selection.open()?;
        let provenance = selection.provenance.as_str().to_owned();
        open_games.replace(selection.game, selection.document, provenance);
    }
    Ok(open_games)
}

/// Reads requests up to the end of the input, or until nobody reads the answers.
fn read(input: impl io::Read, games: GameList, queue: &RequestQueue) -> anyhow::Result<ExitStatus> {
    let mut lines = LineReader::new(BufReader::new(input), MAX_LINE);
    while let Some(line) = lines.next_line().context("stdin: cannot be read")? {
        match line {
            InputLine::Blank => {}
            InputLine::TooLong => {
                let problem = format!("expected a line of at most {MAX_LINE} bytes").into();
                AnswerContent::Problem(problem).send(&AnsweredPosition::from(None));
            }
            InputLine::Text(line) => match EngineRequest::parse(line) {
                Ok(request) => receive(request, line.len(), games, queue),
                Err((id, problem)) => AnswerContent::Problem(problem).send(&id.into()),
            },
        }
        if is_stdout_closed() {
            break;
        }
    }
    Ok(ExitStatus::Success)
}

/// Answers a request, or puts it into the queue.
fn receive(request: EngineRequest, bytes: usize, games: GameList, queue: &RequestQueue) {
    let action = request.action;
    let content = match action {
        EngineAction::Analyze => return queue.push(request, bytes),
        EngineAction::Terminate | EngineAction::TerminateAll => {
            let (waiting, running) = queue.terminate(request.terminate_id.as_ref());
            let requests = Some(waiting.len() + running);
            for of in &waiting {
                AnswerContent::TERMINATED.send(of);
            }
            AnswerContent::Termination { action, terminated: false, requests }
        }
        EngineAction::QueryVersion => AnswerContent::version(),
        EngineAction::ListGames => {
            let games = games.all().iter().map(ListedGame::new).collect();
            AnswerContent::Games { action, games }
        }
    };
    content.send(&AnsweredPosition::from(Some(request.id)));
}
