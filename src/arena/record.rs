//! Records: whole games as text, one JSON object a line, and checking them.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufRead, BufReader, Read as _, Write},
    path::Path,
};

use flate2::{Compression, read::MultiGzDecoder, write::GzEncoder};
use serde::{Deserialize, Serialize};

use super::play::Observer;
use crate::{
    config::{ConfigError, plain_message},
    game::{ActionSet, ChanceSource, Notation, Outcome, Seat, Turn},
};

/// The name and version of the format.
pub const FORMAT: &str = "watershed.record/1";

/// A whole game, every chance outcome included.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// [`FORMAT`].
    pub format: String,
    /// The game's name.
    pub game: String,
    /// SHA-256 of the data file's bytes.
    pub config_sha256: String,
    /// Number of players.
    pub players: usize,
    /// The bot in each seat.
    pub bots: Vec<String>,
    /// The run's master seed.
    pub seed: u64,
    /// The game's number in the run.
    pub index: u64,
    /// Who decided and what, in order.
    pub events: Vec<(Decider, String)>,
    /// For each event the legal actions of the seat that decided, in byte order; none for chance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legal: Option<Vec<Option<Vec<String>>>>,
    /// Final score of each seat.
    pub scores: Vec<i32>,
    /// The winners, ascending.
    pub winners: Vec<usize>,
    /// Rounds played, the last one included.
    pub rounds: u32,
    /// Whether the round limit ended the game.
    pub capped: bool,
    /// For each seat the parts of its score by name.
    pub breakdown: Vec<BTreeMap<String, i32>>,
}

/// Who decided an event.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Decider {
    /// A seat.
    Seat(usize),
    /// The word `chance`.
    Chance(Chance),
}

/// The word `chance`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Chance {
    /// Chance decided.
    Chance,
}

/// The texts of the legal actions, in byte order.
pub fn legal_action_texts<G: Notation>(game: &G, legal: &G::Actions) -> Vec<String> {
    let mut texts: Vec<_> = legal.iter().map(|action| game.action_text(action)).collect();
    texts.sort_unstable();
    texts
}

/// Writes down the events of a game.
#[derive(Clone, Debug)]
pub struct Recorder {
    record: Record,
}

impl Recorder {
    /// A recorder for one game. `heading` gives what is known before the game; its events and
    /// results are replaced.
    pub fn new(heading: Record, with_legal: bool) -> Self {
        let legal = with_legal.then(Vec::new);
        Self { record: Record { events: Vec::new(), legal, ..heading } }
    }

    /// The record of the game that has ended.
    pub fn into_record(self) -> Record {
        self.record
    }

    fn push<G: Notation>(
        &mut self,
        game: &G,
        decider: Decider,
        action: G::Action,
        legal: Option<&G::Actions>,
    ) {
        self.record.events.push((decider, game.action_text(action)));
        if let Some(lists) = &mut self.record.legal {
            lists.push(legal.map(|legal| legal_action_texts(game, legal)));
        }
    }
}

impl<G: Notation> Observer<G> for Recorder {
    fn on_chance(
        &mut self,
        game: &G,
        _state: &G::State,
        _source: ChanceSource,
        outcome: G::Action,
    ) {
        self.push(game, Decider::Chance(Chance::Chance), outcome, None);
    }

    fn on_decision(
        &mut self,
        game: &G,
        _state: &G::State,
        seat: Seat,
        legal: &G::Actions,
        action: G::Action,
    ) {
        self.push(game, Decider::Seat(seat.index()), action, Some(legal));
    }

    fn on_end(&mut self, game: &G, state: &G::State) {
        let outcome = game.outcome(state);
        let seats = game.seats();
        self.record.scores = outcome.scores[..seats].to_vec();
        self.record.winners = winners(&outcome, seats);
        self.record.rounds = outcome.rounds;
        self.record.capped = outcome.hit_round_limit;
        self.record.breakdown =
            (0..seats).map(|seat| breakdown(game, state, Seat::new(seat))).collect();
    }
}

fn winners(outcome: &Outcome, seats: usize) -> Vec<usize> {
    (0..seats).filter(|&seat| outcome.winners >> seat & 1 == 1).collect()
}

fn breakdown<G: Notation>(game: &G, state: &G::State, seat: Seat) -> BTreeMap<String, i32> {
    game.score_breakdown(state, seat)
        .into_iter()
        .map(|(part, points)| (part.to_owned(), points))
        .collect()
}

/// Plays a record's events and compares everything it says with the rules. `step` sees the position
/// before each event, and the event's number.
///
/// # Errors
/// The first thing that does not agree, in one line.
pub fn replay<G: Notation>(
    game: &G,
    record: &Record,
    mut step: impl FnMut(usize, &G::State, G::Action),
) -> Result<G::State, String> {
    if record.players != game.seats() || record.bots.len() != record.players {
        return Err(format!("expected {} players, each with a bot", game.seats()));
    }
    if record.legal.as_ref().is_some_and(|lists| lists.len() != record.events.len()) {
        return Err("`legal` is not as long as `events`".to_owned());
    }
    let mut state = game.initial();
    for (number, (decider, text)) in record.events.iter().enumerate() {
        let wrong = |what: String| format!("event {number} ({text}): {what}");
        let action = game.parse_action(text).map_err(|error| wrong(error.to_string()))?;
        let listed = record.legal.as_ref().and_then(|lists| lists[number].as_ref());
        match (game.turn(&state), decider) {
            (Turn::Chance(_), Decider::Chance(_)) => {
                if !game.chance_outcomes(&state).iter().any(|&(outcome, _)| outcome == action) {
                    return Err(wrong("chance can't bring this here".to_owned()));
                }
                if listed.is_some() {
                    return Err(wrong("`legal` lists actions of chance; expected null".to_owned()));
                }
            }
            (Turn::Seat(seat), &Decider::Seat(decider)) if seat.index() == decider => {
                let legal = game.legal_actions(&state);
                if !legal.contains(action) {
                    return Err(wrong(format!(
                        "not legal here; legal are {}",
                        legal_action_texts(game, &legal).join(" ")
                    )));
                }
                if record.legal.is_some() && listed != Some(&legal_action_texts(game, &legal)) {
                    return Err(wrong(format!(
                        "`legal` differs; legal are {}",
                        legal_action_texts(game, &legal).join(" ")
                    )));
                }
            }
            (turn, _) => return Err(wrong(format!("the turn is {}", turn_text(turn)))),
        }
        step(number, &state, action);
        game.apply(&mut state, action);
    }
    if game.turn(&state) != Turn::Over {
        return Err(format!(
            "the events end before the game does: the turn is {}",
            turn_text(game.turn(&state))
        ));
    }
    let outcome = game.outcome(&state);
    let seats = game.seats();
    let told = (&record.scores, &record.winners, record.rounds, record.capped);
    let found = (
        &outcome.scores[..seats].to_vec(),
        &winners(&outcome, seats),
        outcome.rounds,
        outcome.hit_round_limit,
    );
    if told != found {
        return Err(format!("scores, winners, rounds and capped are {found:?}, not {told:?}"));
    }
    let parts: Vec<_> = (0..seats).map(|seat| breakdown(game, &state, Seat::new(seat))).collect();
    if record.breakdown != parts {
        return Err(format!("breakdown is {parts:?}, not {:?}", record.breakdown));
    }
    Ok(state)
}

fn turn_text(turn: Turn) -> String {
    match turn {
        Turn::Chance(_) => "chance's".to_owned(),
        Turn::Seat(seat) => format!("seat {seat}'s"),
        Turn::Over => "nobody's, the game is over".to_owned(),
    }
}

/// Reads the records of a `.jsonl` file, or a compressed `.jsonl.gz`, one by one.
///
/// # Errors
/// If the file can't be opened; each record that can't be read is an error of its own. A line that
/// can't be read is the last.
pub fn read_records(
    path: &Path,
) -> Result<impl Iterator<Item = Result<Record, ConfigError>>, ConfigError> {
    let name = path.display().to_string();
    let error = move |line: Option<usize>, message: String| ConfigError {
        file: name.clone(),
        line,
        key: String::new(),
        message,
    };
    let unreadable = |cause: io::Error| error(None, format!("can't be read: {cause}"));
    let file = File::open(path).map_err(unreadable)?;
    let mut reader: Box<dyn BufRead> = if is_compressed(path) {
        Box::new(BufReader::new(MultiGzDecoder::new(file)))
    } else {
        Box::new(BufReader::new(file))
    };
    let mut is_readable = true;
    let lines = std::iter::from_fn(move || {
        let line = is_readable.then(|| next_line(&mut reader))?;
        is_readable = line.is_ok();
        line.transpose()
    });
    Ok(lines.enumerate().map(move |(index, line)| {
        let wrong = |message: String| error(Some(index + 1), message);
        let line = line.map_err(|cause| wrong(format!("can't be read: {cause}")))?;
        let record: Record = serde_json::from_slice(&line).map_err(|cause| {
            wrong(format!(
                "expected a whole record in the format {FORMAT}: {}",
                json_message(&cause)
            ))
        })?;
        if record.format == FORMAT {
            Ok(record)
        } else {
            Err(wrong(format!("expected the format {FORMAT}, found {:?}", record.format)))
        }
    }))
}

/// The longest line of a file of records, in bytes, so that no file can fill the memory. Lines of
/// real games have some 50 kB at most.
const LONGEST_LINE: u64 = 64 << 20;

/// Reads the next line; nothing at the end.
fn next_line(reader: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    reader.take(LONGEST_LINE + 1).read_until(b'\n', &mut line)?;
    if line.len() as u64 > LONGEST_LINE {
        let message = format!("expected a line of at most {} MiB", LONGEST_LINE >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok((!line.is_empty()).then_some(line))
}

/// Returns the problem of a line of JSON, and its column. The line within a record is always the
/// first.
fn json_message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line 1 column ") {
        Some((message, column)) => format!("{} at column {column}", plain_message(message)),
        None => text,
    }
}

fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "gz")
}

/// Turns the records of consecutive blocks into the bytes of a file, compressed if its name ends in
/// `.gz`.
///
/// A compressed file is a sequence of gzip members, each of the same blocks whenever and however
/// often the run was interrupted, so that its bytes are the same too. Lines whose member is not
/// full yet are kept here.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RecordEncoder {
    compressed: bool,
    waiting: String,
}

/// Blocks of a gzip member: enough that files are only a few percent larger than with one member
/// for all.
const BLOCKS_OF_MEMBER: u64 = 32;

impl RecordEncoder {
    /// An encoder for a file of this name.
    pub fn new(path: &Path) -> Self {
        Self { compressed: is_compressed(path), waiting: String::new() }
    }

    /// Takes the records of the next block, and gives the bytes that the file grows by.
    ///
    /// # Errors
    /// If they can't be compressed.
    pub fn add(&mut self, block: u64, lines: &str) -> io::Result<Vec<u8>> {
        self.waiting += lines;
        if self.compressed && !(block + 1).is_multiple_of(BLOCKS_OF_MEMBER) {
            return Ok(Vec::new());
        }
        self.finish()
    }

    /// The bytes that the file ends with.
    ///
    /// # Errors
    /// If they can't be compressed.
    pub fn finish(&mut self) -> io::Result<Vec<u8>> {
        let lines = std::mem::take(&mut self.waiting).into_bytes();
        if !self.compressed || lines.is_empty() {
            return Ok(lines);
        }
        // The header holds no time and no file name, so that equal records are equal bytes.
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&lines)?;
        encoder.finish()
    }
}
