//! Data files with random edits, on which a training plays games, so that the network sees what an
//! edit changes.

use rayon::prelude::*;

use super::NetworkTraining;
use crate::{
    config::vary::EditRanges,
    game::facts::{FactNumbers, FactTable, FactUnion},
    rng::{Purpose, stream},
    search::network::BoundNetwork,
    study::shared::prelude::*,
};

/// Blocks of a generation: the numbers of blocks of different generations do not overlap.
pub(super) const BLOCKS_PER_GENERATION: u64 = 1 << 32;
/// Edited files of the test of a generation. Those of all generations are the same.
const TEST_FILES: u64 = 12;

/// The edited files of a training.
pub(crate) struct EditedFiles {
    pub(crate) game: &'static GameEntry,
    pub(crate) ranges: EditRanges,
    /// The file of the ranges.
    pub(crate) file: Document,
    /// Files that each generation draws.
    pub(crate) count: u64,
    /// Share of the games of a generation that are on these files.
    pub(crate) share: f64,
}

/// A data file, opened for each number of players.
pub(super) struct OpenedFile {
    games: Vec<BoundGame>,
    /// Different tables of facts, and the index of the table of each game.
    tables: Vec<Arc<FactTable>>,
    table_of: Vec<usize>,
}

/// The games of some blocks of a generation.
pub(super) struct OpenedGames<'a> {
    training: &'a NetworkTraining<'a>,
    /// The data file of the training, and edited files.
    files: Vec<OpenedFile>,
    /// Number of the first edited file in its generation.
    first: u64,
}

/// A value for each table of facts of the games of some blocks.
pub(super) struct ByTable<'a, T> {
    games: &'a OpenedGames<'a>,
    values: Vec<Vec<T>>,
}

/// Reads the keys of a data file that vary, from a file or from that of the game.
pub(crate) fn read_ranges(
    game: &GameEntry,
    path: Option<&Path>,
    data: &Document,
) -> anyhow::Result<Document> {
    let Some(path) = path else {
        let none = || format!("{} has no edits of its own; expected --ranges", game.id);
        return game.default_edits().with_context(none);
    };
    let file = Document::read(path).context("--ranges")?;
    let unknown = EditRanges::read(&file)?.unknown_keys(data)?.join("`, `");
    ensure!(
        unknown.is_empty(),
        "{}: expected keys of {}, found `{unknown}`",
        file.shown_name(),
        data.shown_name()
    );
    Ok(file)
}

impl EditedFiles {
    /// Draws a file of a series, of which each generation is one.
    fn draw(
        &self,
        file: &Document,
        seed: u64,
        series: u64,
        number: u64,
    ) -> Result<Document, ConfigError> {
        let mut rng = stream(seed, series, number, Purpose::Edits);
        self.game.draw_edits(&self.ranges, file, &mut rng)
    }
}

impl OpenedFile {
    fn new(games: Vec<BoundGame>) -> Self {
        let mut tables: Vec<Arc<FactTable>> = Vec::new();
        let table_of = games.iter().map(|game| {
            let table = game.fact_table();
            let known = tables.iter().position(|other| *other == table);
            known.unwrap_or_else(|| {
                tables.push(table);
                tables.len() - 1
            })
        });
        let table_of = table_of.collect();
        Self { games, tables, table_of }
    }
}

impl NetworkTraining<'_> {
    /// Returns the number of the edited file of a block in its generation; `None` for the data file
    /// of the training. Blocks in order have files in order.
    fn edited_file(&self, block: u64) -> Option<u64> {
        let edited = self.plan.edited.as_ref()?;
        // The first games are those of a bot that learns nothing.
        let generation = (block / BLOCKS_PER_GENERATION) as u32;
        let games = self.plan.new_games(generation).filter(|_| generation > 0)?;
        let turns = |index: u64| index / self.plan.games.len() as u64;
        let edited_before = |turn: u64| (turn as f64 * edited.share) as u64;
        let turn = turns(block % BLOCKS_PER_GENERATION);
        let number = edited_before(turn);
        let total = edited_before(turns(games) + 1).max(1);
        (edited_before(turn + 1) > number).then(|| number * edited.count / total)
    }

    /// Opens the games of some blocks of a generation.
    pub(super) fn open(&self, blocks: Range<u64>) -> anyhow::Result<OpenedGames<'_>> {
        let generation = blocks.start / BLOCKS_PER_GENERATION;
        let mut files = blocks.filter_map(|block| self.edited_file(block));
        let first = files.next();
        let numbers = first.map_or(0..0, |first| first..files.next_back().unwrap_or(first) + 1);
        let default = OpenedFile::new(self.plan.games.iter().copied().cloned().collect());
        let opened = numbers.into_par_iter().map(|number| {
            let players = self.plan.games.iter().map(|game| game.seats());
            self.open_edited(self.plan.seed, generation, number, players)
        });
        let mut files = opened.collect::<anyhow::Result<Vec<_>>>()?;
        files.insert(0, default);
        Ok(OpenedGames { training: self, files, first: first.unwrap_or(0) })
    }

    /// Opens an edited file for numbers of players.
    fn open_edited(
        &self,
        seed: u64,
        series: u64,
        number: u64,
        players: impl Iterator<Item = usize>,
    ) -> anyhow::Result<OpenedFile> {
        let edited = self.plan.edited.as_ref().context("no edited files")?;
        let document = edited.draw(self.plan.data, seed, series, number)?;
        let games = players.map(|players| edited.game.open(&document, players));
        Ok(OpenedFile::new(games.collect::<Result<Vec<_>, _>>()?))
    }

    /// Opens the games of the test of a generation on edited files, for each file one number of
    /// players in turn.
    pub(super) fn open_edited_test(&self) -> anyhow::Result<Vec<BoundGame>> {
        let open = |number| {
            let game = self.plan.games[number as usize % self.plan.games.len()];
            self.open_edited(0, 0, number, std::iter::once(game.seats()))
        };
        let files =
            (0..TEST_FILES).into_par_iter().map(open).collect::<anyhow::Result<Vec<_>>>()?;
        Ok(files.into_iter().flat_map(|file| file.games).collect())
    }
}

impl OpenedGames<'_> {
    /// Returns the index of the file of a block.
    fn file(&self, block: u64) -> usize {
        self.training.edited_file(block).map_or(0, |file| (file - self.first) as usize + 1)
    }

    /// Returns true if the game of a block is on the data file of the training.
    pub(super) fn is_default(&self, block: u64) -> bool {
        self.file(block) == 0
    }

    /// Returns the game of a block.
    pub(super) fn game(&self, block: u64) -> &BoundGame {
        &self.files[self.file(block)].games[self.training.players_of(block)]
    }

    /// Binds a network to all games.
    pub(super) fn bind(&self, network: &Network) -> anyhow::Result<ByTable<'_, Arc<BoundNetwork>>> {
        let id = self.training.plan.games[0].id();
        let bind = |table: &Arc<FactTable>| {
            Ok(Arc::new(BoundNetwork::new("network", network.clone(), id, table)?))
        };
        let values = self.files.par_iter().map(|file| file.tables.iter().map(bind).collect());
        Ok(ByTable { games: self, values: values.collect::<anyhow::Result<_>>()? })
    }

    /// Adds the facts of all games to a union, and returns their numbers there.
    pub(super) fn add_facts(
        &self,
        union: &mut FactUnion,
    ) -> anyhow::Result<ByTable<'_, FactNumbers>> {
        let mut add = |table: &Arc<FactTable>| {
            let too_many = "--edits: the files of --window generations have more than 65,536 \
                            different facts; expected fewer files";
            union.add(&self.training.plan.learned_facts(table)).context(too_many)
        };
        let mut values = Vec::new();
        for file in &self.files {
            values.push(file.tables.iter().map(&mut add).collect::<anyhow::Result<Vec<_>>>()?);
        }
        Ok(ByTable { games: self, values })
    }
}

impl<T> ByTable<'_, T> {
    /// Returns the value for the table of the game of a block.
    pub(super) fn get(&self, block: u64) -> &T {
        let (file, players) = (self.games.file(block), self.games.training.players_of(block));
        &self.values[file][self.games.files[file].table_of[players]]
    }
}
