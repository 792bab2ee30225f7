//! Changed bytes and words in everything that strangers can send: no input makes the program panic,
//! and what it accepts can be used.
//!
//! Each test changes a small corpus and reads the result. Without variables that is a short run,
//! the same every time. With `FUZZ_SECONDS=20` each runs for 20 seconds with other inputs every
//! time, and needs `--test-threads 1`. A failure names the number with which `FUZZ_SEED` repeats
//! it.

use std::{
    cell::Cell,
    env,
    ffi::OsString,
    fs,
    ops::Range,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
    time::{Duration, Instant, SystemTime},
};

use proptest::{
    collection::vec,
    prelude::*,
    sample::Index,
    test_runner::{Config, RngSeed, TestError, TestRunner},
};
use serde_json::{Value, json};
use watershed::{
    Document, Experiment, GameEntry, Turn,
    arena::record::{Record, replay},
    bots::profile::BotLibrary,
    cli::run_command_inside,
    config::sha256,
    games::{BuiltInGame, built_in_games},
    rng::{Purpose, stream},
    run::ExitStatus,
    search::playout::{Uniform, play_out},
    web::Application,
};

use crate::{
    support::Folder,
    task::{GameTask, bind_and_run},
};

/// The values that replace numbers.
const EXTREMES: [&str; 16] = [
    "0",
    "-1",
    "1",
    "2",
    "63",
    "255",
    "65536",
    "2147483648",
    "4294967295",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "1e308",
    "0.5",
    "nan",
    "\"\"",
];

/// A change: its kind, two places and a value.
type Change = (u8, Index, Index, u8);

/// The words and numbers of a text, and its other bytes.
fn tokens(bytes: &[u8]) -> Vec<Range<usize>> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    let mut found: Vec<Range<usize>> = Vec::new();
    for (index, &byte) in bytes.iter().enumerate() {
        match found.last_mut() {
            Some(last) if index > 0 && is_word(byte) && is_word(bytes[index - 1]) => {
                last.end += 1;
            }
            _ => found.push(index..index + 1),
        }
    }
    found
}

/// Makes a change. `other` is another text of the corpus.
fn change(bytes: &mut Vec<u8>, other: &[u8], &(kind, at, to, value): &Change) {
    if bytes.is_empty() {
        bytes.extend(other);
    }
    let start = at.index(bytes.len());
    let range = start..(start + usize::from(value) % 16).min(bytes.len());
    let list = tokens(bytes);
    let token = list[at.index(list.len())].clone();
    match kind {
        0 => bytes[start] ^= 1 << (value % 8),
        1 => bytes.insert(start, value),
        2 => drop(bytes.drain(range)),
        3 => drop(bytes.splice(start..start, bytes[range].to_vec())),
        4 => {
            bytes.truncate(start);
            bytes.extend(&other[to.index(other.len())..]);
        }
        5 => drop(bytes.drain(token)),
        6 => drop(bytes.splice(token.start..token.start, bytes[token].to_vec())),
        7 => {
            let list = tokens(other);
            let new = list[to.index(list.len())].clone();
            bytes.splice(token, other[new].to_vec());
        }
        8 => {
            // A word such as `key:value` has the value that it has in the other text.
            let mut words: Vec<_> = bytes.split(|&byte| byte == b' ').collect();
            let place = at.index(words.len());
            let key = words[place].split_inclusive(|&byte| byte == b':').next().unwrap_or_default();
            let others = other.split(|&byte| byte == b' ').filter(|word| word.starts_with(key));
            let others: Vec<_> = others.collect();
            if !others.is_empty() {
                words[place] = others[to.index(others.len())];
            }
            *bytes = words.join(&b' ');
        }
        _ => {
            let is_number = |token: &Range<usize>| bytes[token.start].is_ascii_digit();
            let numbers: Vec<_> = list.into_iter().filter(is_number).collect();
            let extreme = EXTREMES[usize::from(value) % EXTREMES.len()];
            if !numbers.is_empty() {
                bytes.splice(numbers[at.index(numbers.len())].clone(), extreme.bytes());
            }
        }
    }
}

/// Gives changed texts of a corpus to a function, which returns true if it accepts the input.
fn fuzz(target: &str, inputs: u32, corpus: &[Vec<u8>], accepts: impl Fn(&[u8]) -> bool) {
    for (index, text) in corpus.iter().enumerate() {
        assert!(accepts(text), "{target}: text {index} of the corpus is refused");
    }
    let variable = |name| env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let limit = variable("FUZZ_SECONDS").map(Duration::from_secs);
    let time = || limit.map(|_| SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis() as u64);
    let mut seed = variable("FUZZ_SEED").or_else(time).unwrap_or(1);
    let changes = vec((0..11_u8, any::<Index>(), any::<Index>(), any::<u8>()), 1..4);
    let strategy = (any::<Index>(), any::<Index>(), changes);
    let changed = |(one, other, changes): &(Index, Index, Vec<Change>)| {
        let (mut bytes, other) = (one.get(corpus).clone(), other.get(corpus));
        for step in changes {
            change(&mut bytes, other, step);
        }
        bytes
    };
    let (begin, tried, accepted) = (Instant::now(), Cell::new(0_u64), Cell::new(0_u64));
    loop {
        let mut runner = TestRunner::new(Config {
            cases: inputs,
            rng_seed: RngSeed::Fixed(seed),
            failure_persistence: None,
            ..Config::default()
        });
        let result = runner.run(&strategy, |input| {
            tried.set(tried.get() + 1);
            accepted.set(accepted.get() + u64::from(accepts(&changed(&input))));
            Ok(())
        });
        if let Err(TestError::Fail(reason, input)) = result {
            let text = String::from_utf8_lossy(&changed(&input)).into_owned();
            panic!("{target}: FUZZ_SEED={seed} repeats this: {reason}; smallest input {text:?}");
        }
        seed += 1;
        if begin.elapsed() >= limit.unwrap_or_default() {
            break;
        }
    }
    let (tried, accepted, seconds) = (tried.get(), accepted.get(), begin.elapsed().as_secs_f64());
    let rate = tried as f64 / seconds;
    #[allow(clippy::print_stdout, reason = "the speed, which `--nocapture` shows")]
    {
        println!("{target}: {tried} inputs, {accepted} accepted, {rate:.0} per second");
    }
}

/// The contents of the files in a folder of the crate, or of one file.
fn corpus(path: &str) -> Vec<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if path.is_file() {
        return vec![fs::read(path).unwrap()];
    }
    let mut files: Vec<PathBuf> =
        fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.retain(|file| file.is_file());
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

/// The first record of each file in `tests/golden`.
fn records() -> Vec<Vec<u8>> {
    let first = |text: Vec<u8>| text.split(|&byte| byte == b'\n').next().unwrap().to_vec();
    let texts = corpus("tests/golden").into_iter();
    texts.filter(|text| text.starts_with(b"{")).map(first).collect()
}

fn entry(game: &str, players: usize) -> Option<&'static GameEntry> {
    let entry = built_in_games().find(game)?;
    (entry.min_players..=entry.max_players).contains(&players).then_some(entry)
}

/// Runs a task for the built-in data of a game.
fn with_game<T: GameTask>(game: &str, players: usize, task: T) -> Option<T::Output> {
    let document = entry(game, players)?.default_document();
    Some(bind_and_run(game, &document, players, task).unwrap())
}

/// Plays one game of a bot in all seats.
struct PlayGame<'a>(&'a str);

impl GameTask for PlayGame<'_> {
    type Output = bool;

    fn run<G: BuiltInGame>(self, game: &G, library: &BotLibrary) -> bool {
        let Ok(bot) = library.read(self.0) else { return false };
        let searches = |key: &&str| !bot.parameters()[key].is_null();
        let bot = if ["iterations", "time_ms"].iter().any(searches) {
            let Ok(bot) = library.read(&format!("{}:iterations=4", self.0)) else { return true };
            bot
        } else {
            bot
        };
        let lineup = vec![bot; game.seats()];
        Experiment::new(&lineup, 1, 0..1).play(game).games > 0
    }
}

#[test]
fn data_files() {
    fuzz("data files", 60, &corpus("configs"), |bytes| {
        let Ok(text) = String::from_utf8(bytes.to_vec()) else { return false };
        let document = Document { name: "changed.toml".to_owned(), text };
        let valid = built_in_games().all().iter().filter_map(|game| {
            let players = *game.validate_all(&document).ok()?.last()?;
            document.differences_from(&game.default_document()).unwrap();
            Some(bind_and_run(game.id, &document, players, PlayGame("random")).unwrap())
        });
        valid.filter(|played| *played).count() > 0
    });
}

struct ReplayGame<'a>(&'a Record);

impl GameTask for ReplayGame<'_> {
    type Output = bool;

    fn run<G: BuiltInGame>(self, game: &G, _: &BotLibrary) -> bool {
        replay(game, self.0, |_, _, _| ()).is_ok()
    }
}

#[test]
fn game_records() {
    fuzz("records", 60, &records(), |bytes| {
        let Ok(record) = Record::parse(bytes) else { return false };
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(Record::parse(text.as_bytes()).as_ref(), Ok(&record));
        let is_true = with_game(&record.game, record.players, ReplayGame(&record)) == Some(true);
        let application = Application::new(built_in_games(), b"fuzz");
        application.call(&json!({"request": "load", "record": text}).to_string());
        is_true
    });
}

/// Some positions of a record.
struct ListPositions<'a>(&'a Record);

impl GameTask for ListPositions<'_> {
    type Output = Vec<Vec<u8>>;

    fn run<G: BuiltInGame>(self, game: &G, _: &BotLibrary) -> Vec<Vec<u8>> {
        let mut found = Vec::new();
        replay(game, self.0, |index, state, _| {
            if index % 58 == 20 {
                found.push(game.position_text(state).into_bytes());
            }
        })
        .unwrap();
        found
    }
}

/// Returns the positions of each record.
fn positions() -> impl Iterator<Item = Vec<Vec<u8>>> {
    records().into_iter().map(|line| {
        let record = Record::parse(&line).unwrap();
        with_game(&record.game, record.players, ListPositions(&record)).unwrap()
    })
}

/// Reads a position, writes it, reads it again, shows it and plays it to its end.
struct ReadPosition<'a>(&'a str);

impl GameTask for ReadPosition<'_> {
    type Output = bool;

    fn run<G: BuiltInGame>(self, game: &G, _: &BotLibrary) -> bool {
        // A position of which something is hidden may be accepted as a view only.
        let _ = game.parse_view(self.0);
        let Ok(state) = game.parse_position(self.0) else { return false };
        let again = game.parse_position(&game.position_text(&state));
        assert!(again.is_ok_and(|again| again == state), "another position is read again");
        game.scene(&state, None);
        if let Turn::Seat(seat) = game.turn(&state) {
            game.scene(&state, Some(seat));
            game.parse_view(&game.view_text(&state, seat)).unwrap();
        }
        let mut state = state;
        play_out(game, &mut state, &Uniform, &mut stream(1, 0, 0, Purpose::Playout));
        assert_eq!(game.turn(&state), Turn::Over);
        true
    }
}

#[test]
fn position_texts() {
    let accepts = |bytes: &[u8]| {
        let Ok(text) = str::from_utf8(bytes) else { return false };
        let Some((game, players)) = text.split(' ').next().unwrap().split_once('/') else {
            return false;
        };
        let players = players.parse().unwrap_or(0);
        let is_read = with_game(game, players, ReadPosition(text)) == Some(true);
        if is_read {
            let begin = json!({"request": "set_up", "position": text, "bot": "random"});
            let step = json!({"request": "step", "id": "ID", "events": "EVENTS"}).to_string();
            let step = step.replace("\"EVENTS\"", "EVENTS");
            talk(&[&begin.to_string(), &step, &step, &step, &step].map(String::as_str).join("\n"));
        }
        is_read
    };
    // Words are exchanged between positions of the same game and number of players.
    positions().for_each(|of_record| fuzz("positions", 60, &of_record, accepts));
}

#[test]
fn bot_profiles() {
    let folder = Folder::new();
    for file in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("bots/the_river")).unwrap()
    {
        let path = file.unwrap().path();
        fs::copy(&path, folder.path(path.file_name().unwrap())).unwrap();
    }
    let mut profiles = corpus("bots/the_river");
    profiles.retain(|text| text.starts_with(b"#") && text.windows(5).any(|part| part == b"kind "));
    let path = folder.path("changed.toml");
    let name = path.to_str().unwrap();
    fuzz("bot profiles", 20, &profiles, |bytes| {
        fs::write(&path, bytes).unwrap();
        with_game("the_river", 2, PlayGame(name)).unwrap()
    });
}

/// Runs a command in this process, one at a time, for at most 2 seconds.
fn run(arguments: &[&str]) -> anyhow::Result<ExitStatus> {
    static STOP: AtomicBool = AtomicBool::new(false);
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _lock = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    STOP.store(false, Ordering::Relaxed);
    let arguments: Vec<_> = arguments.iter().map(OsString::from).collect();
    let (done, waiting) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let result = waiting.recv_timeout(Duration::from_secs(2));
            STOP.store(result == Err(RecvTimeoutError::Timeout), Ordering::Relaxed);
        });
        let result = run_command_inside(built_in_games(), &arguments, &STOP);
        drop(done);
        Ok(result?.0)
    })
}

#[test]
fn checkpoints() {
    const SHARD: &str = "simulate --bots random --games 40 --threads 1 --quiet --shard 2/2 --out";
    const SEAL: &str = ",\"sha256\":\"";
    let folder = Folder::new();
    folder.succeeds(&format!("{SHARD} part"));
    let saved = folder.read("part/tally.json");
    let text = saved.as_bytes()[..saved.rfind(SEAL).unwrap()].to_vec();
    let out = folder.path("resumed");
    let command: Vec<_> = SHARD.split(' ').chain([out.to_str().unwrap(), "--resume"]).collect();
    fuzz("checkpoints", 8, &[text], |bytes| {
        let _ = fs::remove_dir_all(&out);
        fs::create_dir(&out).unwrap();
        let end = format!("{SEAL}{}\"}}", sha256(bytes));
        folder.write("resumed/tally.json", [bytes, end.as_bytes()].concat());
        run(&command).is_ok()
    });
}

#[test]
fn manifests() {
    let folder = Folder::new();
    folder.succeeds("simulate --bots random --games 4 --quiet --out run");
    let out = folder.path("run");
    let command = ["verify", out.to_str().unwrap(), "--threads", "1", "--quiet"];
    fuzz("manifests", 20, &[folder.read("run/run.json").into_bytes()], |bytes| {
        folder.write("run/run.json", bytes);
        run(&command).is_ok()
    });
}

/// Replaces the names of a position and of a record in files of requests.
fn requests(path: &str) -> Vec<Vec<u8>> {
    let record = String::from_utf8(records().pop().unwrap()).unwrap();
    let position = positions().last().unwrap().pop().unwrap();
    let position = String::from_utf8(position).unwrap();
    let fill = |text: Vec<u8>| {
        let text = String::from_utf8(text).unwrap();
        let text = text.replace("RECORD_TEXT", &json!(record).to_string());
        text.replace("RECORD", &record).replace("POSITION", &position).into_bytes()
    };
    corpus(path).into_iter().map(fill).collect()
}

/// Sends lines to an application. `ID` and `EVENTS` in them are those of the last view. Returns
/// true if a game was shown.
fn talk(lines: &str) -> bool {
    let application = Application::new(built_in_games(), b"fuzz");
    let mut view = Value::Null;
    for line in lines.lines() {
        let line = line.replace("ID", view["id"].as_str().unwrap_or_default());
        let answer = application.call(&line.replace("EVENTS", &view["events"].to_string()));
        let mut answer: Value = serde_json::from_str(&answer).unwrap();
        if answer["view"].is_object() {
            view = answer["view"].take();
        }
    }
    let ask = |request: Value| -> Value {
        serde_json::from_str(&application.call(&request.to_string())).unwrap()
    };
    let saved = ask(json!({"request": "save", "id": view["id"]}));
    // The record of a game on edited data is loaded with the edits.
    if saved["record"].is_string() && view["is_edited"] == false {
        let loaded = ask(json!({"request": "load", "record": saved["record"]}));
        assert!(loaded["view"].is_object(), "a saved game is not continued: {loaded}");
    }
    !view.is_null()
}

#[test]
fn web_requests() {
    fuzz("web requests", 20, &requests("tests/fuzz/web"), |bytes| {
        str::from_utf8(bytes).is_ok_and(talk)
    });
}

/// The engine reads its standard input, so that this is a process. It goes on after a panic of an
/// analysis, which its answer tells.
#[test]
fn engine_requests() {
    let folder = Folder::new();
    fuzz("engine requests", 8, &requests("tests/fuzz/requests"), |bytes| {
        folder.write("input", bytes);
        let mut command = folder.command("engine --max-iterations 4 --threads 1 --quiet");
        let input = fs::File::open(folder.path("input")).unwrap();
        let output = command.stdin(input).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let answers = String::from_utf8(output.stdout).unwrap();
        assert!(!answers.contains("error of the program"), "{answers}");
        answers.contains("watershed.analysis/")
    });
}

#[test]
fn playtest_logs() {
    let folder = Folder::new();
    let [path, out] = ["games.csv", "run"].map(|name| folder.path(name));
    let files = format!("--playtests {} --force --out {}", path.display(), out.display());
    let command = "simulate --bots random --games 20 --threads 1 --quiet --opening-depth 0";
    let command: Vec<_> = command.split(' ').chain(files.split(' ')).collect();
    fuzz("play-test logs", 8, &corpus("tests/fuzz/playtests"), |bytes| {
        fs::write(&path, bytes).unwrap();
        run(&command).is_ok()
    });
}
