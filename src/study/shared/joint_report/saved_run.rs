//! A finished run, as its folder describes it.

use csv::ReaderBuilder;
use serde_json::Value;

use super::distinct;
use crate::{
    config::{MAX_FILE_BYTES, read_at_most},
    report::{
        csv_format::plain_csv,
        html::{answer_of_page, screen_of_page, title_of_page},
        note::Note,
        screen,
    },
    run::{
        files::{lock_to_read, read_finished_run},
        manifest, page,
    },
    study::shared::{
        prelude::*,
        reference::{self, ReferenceFigures},
    },
};

/// A finished run.
#[derive(Clone, Debug)]
pub(super) struct SavedRun {
    manifest: Value,
    pub(super) folder: PathBuf,
    pub(super) identity: RunIdentity,
    /// Title of the game.
    pub(super) game: String,
    /// The title of the page of the run.
    pub(super) title: Option<String>,
    /// The answer of the page of the run.
    pub(super) answer: Option<String>,
    /// The notes of the user on its page.
    pub(super) note: Option<Note>,
    /// The markup of the tiles and the picture of its page.
    pub(super) picture: String,
}

impl SavedRun {
    /// Reads the run of a folder.
    ///
    /// # Errors
    /// If the folder holds no finished run, or a table of it can't be read.
    pub(super) fn read(games: GameList, folder: &Path) -> anyhow::Result<Self> {
        let _lock = lock_to_read(folder)?;
        let manifest = read_finished_run(folder)?;
        let identity: RunIdentity = serde_json::from_value(manifest.clone())
            .with_context(|| format!("{}: {} was changed", folder.display(), manifest::FILE))?;
        let report = fs::read_to_string(folder.join(page::FILE)).unwrap_or_default();
        let game = games.find(&identity.game).map_or(identity.game.as_str(), |game| game.title);
        Ok(Self {
            folder: folder.to_owned(),
            game: game.to_owned(),
            title: title_of_page(&report),
            answer: answer_of_page(&report),
            note: manifest["note"].as_str().map(|note| Note::parse(note.to_owned())),
            picture: screen_of_page(&report).unwrap_or_default(),
            identity,
            manifest,
        })
    }

    /// Returns a text of the manifest; empty if it has none.
    pub(super) fn text(&self, key: &str) -> &str {
        self.manifest[key].as_str().unwrap_or_default()
    }

    /// Returns the names of a list of bots of the manifest, each once.
    fn names(&self, list: &str) -> Vec<String> {
        let bots = self.manifest[list].as_array().into_iter().flatten();
        distinct(bots.filter_map(|bot| bot["name"].as_str().map(str::to_owned)))
    }

    /// Returns the names of the bots.
    pub(super) fn bots(&self) -> Vec<String> {
        self.names("bots")
    }

    /// Returns the rows of a table of the run by their columns; none if it has no such table.
    fn rows(&self, file: &str) -> Vec<BTreeMap<String, String>> {
        let bytes = read_at_most(&self.folder.join(file), MAX_FILE_BYTES).unwrap_or_default();
        let plain = plain_csv(&bytes);
        ReaderBuilder::new().from_reader(&*plain).deserialize().filter_map(Result::ok).collect()
    }

    /// Returns the lines of a part of the screen.
    pub(super) fn screen_lines(&self, part: &str) -> Vec<String> {
        let rows = self.rows(&screen::schema().file_name()).into_iter();
        let rows = rows.filter(|row| row.get("part").is_some_and(|name| name == part));
        let text = |row: BTreeMap<String, String>| {
            format!("{:<8}{}", row.get("verdict")?, row.get("text")?).trim_start().to_owned().into()
        };
        rows.filter_map(text).collect()
    }

    /// Returns the win rate of the first player, if the run estimates it.
    pub(super) fn first_player_rate(&self) -> Option<Estimate> {
        let rows = ["turn_order.csv", "turn_positions.csv"].into_iter();
        let mut rows = rows.flat_map(|file| self.rows(file));
        let row = rows.find(|row| row.get("turn_position").is_some_and(|place| place == "0"))?;
        let number = |keys: [&str; 2]| {
            let value = keys.into_iter().find_map(|key| row.get(key))?;
            value.parse::<f64>().ok()
        };
        let end = |end: &str| number([&format!("ci_{end}"), &format!("win_rate_ci_{end}")]);
        let [n, value] = [number(["n", "n"])?, number(["win_rate"; 2])?];
        Some(Estimate { n: n as i64, value, low: end("low")?, high: end("high")? })
    }

    /// Returns the figures that its verdict judges, if it has them.
    pub(super) fn figures(&self) -> Option<ReferenceFigures> {
        let file = self.folder.join(reference::schema().file_name());
        ReferenceFigures::from_csv(&fs::read_to_string(file).ok()?)
    }

    /// Returns the label of the answer if it rests on one bot.
    pub(super) fn one_bot_label(&self) -> Option<LabelledSentence> {
        match &distinct([self.bots(), self.names("panel")].concat())[..] {
            [only] if self.answer.is_some() => Some(LabelledSentence::of_one_lineup(only)),
            _ => None,
        }
    }

    /// Returns the game, the players, the bots and the seed.
    pub(super) fn facts(&self) -> String {
        let bots = join_with_and(distinct([self.bots(), self.names("panel")].concat()));
        let players = self.identity.players_text();
        format!("{}, {players}, {bots}, seed {}", self.game, self.identity.seed)
    }
}
