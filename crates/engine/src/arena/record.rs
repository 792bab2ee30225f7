//! Game records: games as text, one JSON object per line, and their verification.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufRead, BufReader, Read as _, Write},
    path::Path,
};

use flate2::{Compression, bufread::MultiGzDecoder, write::GzEncoder};
use serde::{Deserialize, Serialize};

use super::{
    forfeit::ForfeitedSeats,
    play::{Event, Observer},
};
use crate::{
    config::{ConfigError, plain_message},
    game::{ActionSet, Notation, Seat, Turn},
};

/// The name and version of the format.
pub const FORMAT: &str = "watershed.record/1";

/// The fields of a record.
pub(super) const FIELDS: &str = "bots breakdown capped config_sha256 events forfeits format game \
                                 index legal players rounds scores seed undo unfinished winners";

/// Name of a person in [`Record::bots`].
pub const HUMAN: &str = "human";

/// A game with every chance outcome, up to its end or to the event after which it was left.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Record {
    /// [`FORMAT`].
    pub format: String,
    /// Name of the game.
    pub game: String,
    /// SHA-256 of the data file.
    pub config_sha256: String,
    /// Number of players.
    pub players: usize,
    /// The bot in each seat, or [`HUMAN`]. A game of people does not follow from its seed.
    pub bots: Vec<String>,
    /// Master seed of the run.
    pub seed: u64,
    /// Index of the game in the run.
    pub index: u64,
    /// True if the events end before the game. Then there are no scores, winners and breakdown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unfinished: bool,
    /// Number of decisions that people took back.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub undo: u32,
    /// The seats that forfeited the game, ascending: they do not win, whatever their scores are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forfeits: Vec<usize>,
    /// The decider and the notation of each event, in order.
    pub events: Vec<(Decider, String)>,
    /// For each event, the legal actions of the seat in byte order; none for chance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legal: Option<Vec<Option<Vec<String>>>>,
    /// Final score of each seat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<Vec<i32>>,
    /// The winning seats, ascending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winners: Option<Vec<usize>>,
    /// Rounds played, including the last one.
    pub rounds: u32,
    /// True if the round limit ended the game.
    pub capped: bool,
    /// For each seat, the parts of its score by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breakdown: Option<Vec<BTreeMap<String, i32>>>,
    /// Names of fields that were read and ignored.
    #[serde(skip)]
    pub unknown_fields: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Record {
    /// Sets the results: those of the game if it is over, and otherwise the rounds so far.
    pub fn set_results<G: Notation>(&mut self, game: &G, state: &G::State) {
        self.unfinished = game.turn(state) != Turn::Over;
        if self.unfinished {
            (self.scores, self.winners, self.breakdown) = (None, None, None);
            (self.rounds, self.capped) = (game.round(state), false);
            return;
        }
        let seats = game.seats();
        let forfeits: ForfeitedSeats = self.forfeits.iter().copied().map(Seat::new).collect();
        let outcome = forfeits.apply(game.outcome(state), seats);
        self.scores = Some(outcome.scores[..seats].to_vec());
        self.winners = Some((0..seats).filter(|&seat| outcome.winners >> seat & 1 == 1).collect());
        self.rounds = outcome.rounds;
        self.capped = outcome.hit_round_limit;
        let breakdown = |seat| {
            let parts = game.score_breakdown(state, Seat::new(seat)).into_iter();
            parts.map(|(part, points)| (part.to_owned(), points)).collect()
        };
        self.breakdown = Some((0..seats).map(breakdown).collect());
    }

    /// Parses a record, one JSON object. It is not compared with the rules, and fields that a
    /// record does not have are ignored.
    ///
    /// # Errors
    /// Returns an error if the text is no record in the format [`FORMAT`].
    pub fn parse(line: &[u8]) -> Result<Self, String> {
        let mut record: Self = serde_json::from_slice(line).map_err(|cause| {
            let cause = json_message(&cause);
            format!("expected a whole record in the format {FORMAT}: {cause}")
        })?;
        if record.format != FORMAT {
            return Err(format!("expected the format {FORMAT}, found {:?}", record.format));
        }
        if !record.is_complete_or_unfinished() {
            let results = "`scores`, `winners` and `breakdown`";
            return Err(format!("expected {results}, or `\"unfinished\": true` without them"));
        }
        let fields: serde_json::Map<_, _> = serde_json::from_slice(line).unwrap_or_default();
        let is_unknown = |field: &String| FIELDS.split(' ').all(|known| known != field);
        record.unknown_fields =
            fields.into_iter().map(|(field, _)| field).filter(is_unknown).collect();
        Ok(record)
    }

    /// Returns true if the record has the results of a finished game, or none of them.
    fn is_complete_or_unfinished(&self) -> bool {
        let results = [self.scores.is_some(), self.winners.is_some(), self.breakdown.is_some()];
        results == [!self.unfinished; 3]
    }
}

/// The decider of an event.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Decider {
    /// A seat.
    Seat(usize),
    /// The word `chance`.
    Chance(ChanceWord),
}

/// The word `chance`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ChanceWord {
    /// The only value.
    Chance,
}

/// Returns the notations of the legal actions in byte order.
pub fn legal_action_texts<G: Notation>(game: &G, legal: &G::Actions) -> Vec<String> {
    let mut texts: Vec<_> = legal.iter().map(|action| game.action_text(action)).collect();
    texts.sort_unstable();
    texts
}

/// Records the events and the results of a game. `legal` lists the legal actions if it is an empty
/// list at first.
impl<G: Notation> Observer<G> for Record {
    fn on_event(&mut self, game: &G, _state: &G::State, event: &Event<'_, G>) {
        let (decider, action, legal) = match *event {
            Event::Chance(outcome) => (Decider::Chance(ChanceWord::Chance), outcome, None),
            Event::Decision { seat, legal, action } => {
                (Decider::Seat(seat.index()), action, Some(legal))
            }
        };
        self.events.push((decider, game.action_text(action)));
        if let Some(lists) = &mut self.legal {
            lists.push(legal.map(|legal| legal_action_texts(game, legal)));
        }
    }

    fn on_forfeit(&mut self, seat: Seat) {
        self.forfeits.push(seat.index());
    }

    fn on_end(&mut self, game: &G, state: &G::State) {
        self.set_results(game, state);
    }
}

/// Replays a record and verifies all its fields against the rules. `step` receives the index of
/// each event, the position before it, and the action. Returns the final position.
///
/// ```
/// use watershed::{
///     Experiment, Game as _, BuiltInGame as _, GameDefinition as _,
///     arena::record::{Record, replay},
///     games::the_river::TheRiver,
/// };
///
/// let game = TheRiver::bind(&TheRiver::default_document(), 2)?;
/// let lineup = vec![game.bot_library().read("random")?; 2];
/// let experiment = Experiment { records: true, ..Experiment::new(&lineup, 1, 0..1) };
/// let mut lines = String::new();
/// experiment.run(&game, &false.into(), &|_| (), |batch| {
///     lines += &batch.records.concat();
///     Ok::<_, watershed::ConfigError>(())
/// })?;
///
/// let mut record: Record = serde_json::from_str(&lines).expect("one line");
/// let end = replay(&game, &record, |_, _, _| ()).expect("a record of these rules");
/// assert_eq!(Some(game.outcome(&end).scores[..2].to_vec()), record.scores);
///
/// record.scores = Some(vec![-1, -1]);
/// assert!(replay(&game, &record, |_, _, _| ()).unwrap_err().starts_with("scores, winners"));
/// # Ok::<(), watershed::ConfigError>(())
/// ```
///
/// # Errors
/// Returns the first difference, on one line.
pub fn replay<G: Notation>(
    game: &G,
    record: &Record,
    mut step: impl FnMut(usize, &G::State, G::Action),
) -> Result<G::State, String> {
    let state = replay_events(game, record, record.events.len(), &mut step)?;
    if game.turn(&state) != Turn::Over && !record.unfinished {
        let expected = turn_text(game.turn(&state));
        return Err(format!("the events end before the game; expected {expected}"));
    }
    let mut replayed = Record { forfeits: record.forfeits.clone(), ..Record::default() };
    replayed.set_results(game, &state);
    if replayed.unfinished != record.unfinished {
        return Err("unfinished: expected false, because the game is over".to_owned());
    }
    let (found, expected) = (results(record), results(&replayed));
    if found != expected {
        let fields = "scores, winners, rounds, capped";
        return Err(format!("{fields}: expected {expected:?}, found {found:?}"));
    }
    let (found, expected) = (&record.breakdown, &replayed.breakdown);
    if found != expected {
        return Err(format!("breakdown: expected {expected:?}, found {found:?}"));
    }
    Ok(state)
}

/// Replays the first `count` events of a record, or all of them, and verifies them against the
/// rules, as [`replay`]. Returns the position after them.
///
/// # Errors
/// Returns the first difference, on one line.
pub fn replay_events<G: Notation>(
    game: &G,
    record: &Record,
    count: usize,
    mut step: impl FnMut(usize, &G::State, G::Action),
) -> Result<G::State, String> {
    if record.players != game.seats() || record.bots.len() != record.players {
        return Err(format!("expected {} players, each with a bot", game.seats()));
    }
    let are_seats = record.forfeits.iter().all(|&seat| seat < record.players);
    if !are_seats || !record.forfeits.is_sorted_by(|one, other| one < other) {
        return Err(format!("forfeits: expected seats in ascending order, below {}", game.seats()));
    }
    if record.legal.as_ref().is_some_and(|lists| lists.len() != record.events.len()) {
        return Err("`legal` and `events` differ in length".to_owned());
    }
    let mut state = game.initial();
    for (number, (decider, text)) in record.events.iter().enumerate().take(count) {
        let wrong = |problem: &str| format!("event {number} ({text}): {problem}");
        let action = game.parse_action(text).map_err(|error| wrong(&error.to_string()))?;
        let listed = record.legal.as_ref().and_then(|lists| lists[number].as_ref());
        match (game.turn(&state), decider) {
            (Turn::Chance(_), Decider::Chance(_)) => {
                if !game.chance_outcomes(&state).iter().any(|&(outcome, _)| outcome == action) {
                    return Err(wrong("not a chance outcome of this position"));
                }
                if listed.is_some() {
                    return Err(wrong("`legal` lists actions of a chance event; expected null"));
                }
            }
            (Turn::Seat(seat), &Decider::Seat(decider)) if seat.index() == decider => {
                let legal = game.legal_actions(&state);
                let texts = || legal_action_texts(game, &legal);
                let expected = |problem: &str| wrong(&format!("{problem} {}", texts().join(" ")));
                if !legal.contains(action) {
                    return Err(expected("not a legal action; expected one of"));
                }
                if record.legal.is_some() && listed != Some(&texts()) {
                    return Err(expected("`legal` differs from the rules; expected"));
                }
            }
            (turn, _) => return Err(wrong(&format!("expected {}", turn_text(turn)))),
        }
        step(number, &state, action);
        game.apply(&mut state, action);
    }
    Ok(state)
}

/// The results of a record without the parts of the scores.
fn results(record: &Record) -> impl PartialEq + std::fmt::Debug {
    let scores = record.scores.clone().unwrap_or_default();
    let winners = record.winners.clone().unwrap_or_default();
    (scores, winners, record.rounds, record.capped)
}

fn turn_text(turn: Turn) -> String {
    match turn {
        Turn::Chance(_) => "a chance event".to_owned(),
        Turn::Seat(seat) => format!("a decision of seat {seat}"),
        Turn::Over => "no event after the end of the game".to_owned(),
    }
}

/// Reads the records of a file, as [`read_lines`].
///
/// # Errors
/// As [`read_lines`].
pub fn read_records(
    path: &Path,
) -> Result<impl Iterator<Item = Result<Record, ConfigError>>, ConfigError> {
    read_lines(path, Record::parse)
}

/// Parses the lines of a file one by one. The file may be compressed, whatever its name is. Empty
/// lines and byte-order marks are skipped.
///
/// # Errors
/// Returns an error if the file cannot be opened. Each invalid line is an item with an error. The
/// iterator ends after a line that cannot be read.
pub fn read_lines<T>(
    path: &Path,
    mut parse: impl FnMut(&[u8]) -> Result<T, String>,
) -> Result<impl Iterator<Item = Result<T, ConfigError>>, ConfigError> {
    let name = path.display().to_string();
    let error = move |line: Option<usize>, message: String| ConfigError {
        file: name.clone(),
        line,
        key: String::new(),
        message,
    };
    let unreadable = |cause: io::Error| error(None, format!("can't be read: {cause}"));
    let mut file = BufReader::new(File::open(path).map_err(&unreadable)?);
    let is_compressed = file.fill_buf().map_err(&unreadable)?.starts_with(&GZIP);
    let mut reader: Box<dyn BufRead> = if is_compressed {
        Box::new(BufReader::new(MultiGzDecoder::new(file)))
    } else {
        Box::new(file)
    };
    let mut is_readable = true;
    let lines = std::iter::from_fn(move || {
        let line = is_readable.then(|| next_line(&mut reader))?;
        is_readable = line.is_ok();
        line.transpose()
    });
    Ok(lines.enumerate().filter_map(move |(index, line)| {
        let wrong = |message: String| error(Some(index + 1), message);
        match line.as_deref().map(line_text) {
            Ok([]) => None,
            Ok(text) => Some(parse(text).map_err(wrong)),
            Err(cause) => Some(Err(wrong(format!("can't be read: {cause}")))),
        }
    }))
}

/// The first bytes of a compressed file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Returns a line without a byte-order mark and white space around it.
fn line_text(line: &[u8]) -> &[u8] {
    line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line).trim_ascii()
}

/// Largest length of a line in bytes, so that no file can exhaust the memory. Lines of real games
/// have at most about 50 kB.
const MAX_LINE_BYTES: u64 = 64 << 20;

/// Reads the next line; none at the end.
fn next_line(reader: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    reader.take(MAX_LINE_BYTES + 1).read_until(b'\n', &mut line)?;
    if line.len() as u64 > MAX_LINE_BYTES {
        let message = format!("expected a line of at most {} MiB", MAX_LINE_BYTES >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok((!line.is_empty()).then_some(line))
}

/// Returns the problem of a line of JSON and its column. A record has one line, so the line number
/// of the error is omitted.
fn json_message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line 1 column ") {
        Some((message, column)) => format!("{} at column {column}", plain_message(message)),
        None => text,
    }
}

/// Returns true if the name of the file ends in `.gz`.
fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "gz")
}

/// Encodes the records of consecutive blocks as the bytes of a file, compressed if its name ends in
/// `.gz`.
///
/// A compressed file is a sequence of gzip members. Their boundaries depend on block numbers only,
/// so an interrupted and resumed run writes the same bytes. Lines of an incomplete member are kept
/// in the encoder.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RecordEncoder {
    compressed: bool,
    pending: String,
}

/// Blocks of a gzip member. With 32 blocks, files are only a few percent larger than with one
/// member for the whole file.
const BLOCKS_PER_MEMBER: u64 = 32;

impl RecordEncoder {
    /// Creates an encoder for a file with this name.
    pub fn new(path: &Path) -> Self {
        Self { compressed: is_compressed(path), pending: String::new() }
    }

    /// Adds the records of the next block and returns the bytes to append to the file.
    ///
    /// # Errors
    /// Returns an error if compression fails.
    pub fn add(&mut self, block: u64, lines: &str) -> io::Result<Vec<u8>> {
        self.pending += lines;
        if self.compressed && !(block + 1).is_multiple_of(BLOCKS_PER_MEMBER) {
            return Ok(Vec::new());
        }
        self.finish()
    }

    /// Returns the last bytes of the file.
    ///
    /// # Errors
    /// Returns an error if compression fails.
    pub fn finish(&mut self) -> io::Result<Vec<u8>> {
        let lines = std::mem::take(&mut self.pending).into_bytes();
        if !self.compressed || lines.is_empty() {
            return Ok(lines);
        }
        // The header has neither time nor file name, so equal records give equal bytes.
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&lines)?;
        encoder.finish()
    }
}
