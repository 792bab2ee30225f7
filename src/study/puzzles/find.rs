//! Finding puzzles.

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::{arguments::FindArguments, file};
use crate::{
    analysis::puzzle::{
        PuzzleFinder,
        line::{FORMAT, PuzzleLine},
    },
    bound::{FoundPuzzle, PuzzleSearch},
    run::records::read_records,
    study::shared::prelude::*,
};

/// Number of games that are examined at the same time. Puzzles of games after the last puzzle are
/// dropped, so it does not reach the result.
const BATCH: usize = 16;

pub(super) fn run(games: GameList, arguments: &FindArguments) -> anyhow::Result<ExitStatus> {
    let name = arguments.records.display().to_string();
    let records = read_records(&arguments.records)?.collect::<Result<Vec<_>, _>>()?;
    let first = records.first().ok_or_else(|| anyhow!("{name}: has no game"))?;
    let rules = RecordedRules::from(first);
    let first_name = format!("{name}: game {}", first.index);
    let selection = rules.select(games, arguments.config.as_deref(), &first_name)?;
    for record in &records {
        ensure!(
            (&record.game, record.players) == (&first.game, first.players),
            "{name}: game {}: expected {} with {} players, as in the first record",
            record.index,
            first.game,
            first.players
        );
        ensure!(
            record.config_sha256 == first.config_sha256,
            "{name}: game {}: expected the data file of the first record",
            record.index
        );
    }
    let kept = if arguments.resume { file::read_interrupted(&arguments.out)? } else { Vec::new() };
    let pool = build_thread_pool(arguments.threads, u64::MAX, arguments.quiet)?;
    let (records, name) = (records.as_slice(), name.as_str());
    let task = FindTask { arguments, selection: &selection, records, name, kept };
    let game = selection.open()?;
    pool.install(|| task.run(&game))
}

struct FindTask<'a> {
    arguments: &'a FindArguments,
    selection: &'a GameSelection,
    records: &'a [Record],
    name: &'a str,
    /// The puzzles of the interrupted command.
    kept: Vec<PuzzleLine>,
}

impl FindTask<'_> {
    fn run(self, game: &BoundGame) -> anyhow::Result<ExitStatus> {
        let arguments = self.arguments;
        let bots = FinderBots::read(arguments, game)?;
        let finder = PuzzleFinder {
            search: &bots.search,
            judge: &bots.judge,
            obvious: &bots.obvious,
            panel: &bots.panel,
            margin: arguments.margin.share(),
            seed: arguments.seed,
        };
        let (kept, examined) = self.restore(&finder)?;
        let stop = stop_on_interrupt()?;
        // Before the work, so that a file that cannot be written is reported at once.
        let overwrite = arguments.force || arguments.resume;
        let mut output = PartialFile::create_for_user(&arguments.out, overwrite)?;
        for puzzle in &kept {
            write(&mut output, puzzle)?;
        }
        let mut found = FoundPuzzles { output, puzzles: kept, examined };
        let bar = progress_bar(self.records.len() as u64, "games", arguments.quiet);
        bar.set_position(examined as u64);
        while found.examined < self.records.len() && found.puzzles.len() < arguments.count {
            let end = self.records.len().min(found.examined + BATCH);
            let batch = &self.records[found.examined..end];
            let puzzles = &found.puzzles;
            let is_wanted = |round, kind: Option<&str>| self.is_wanted(puzzles, round, kind);
            let searches: Vec<_> = batch
                .par_iter()
                .map(|record| {
                    let search = game.find_puzzle(&finder, record, &is_wanted, stop);
                    bar.inc(1);
                    search
                })
                .collect();
            if self.add_batch(batch, searches, &finder, &mut found)?.is_break() {
                break;
            }
            bar.set_message(format!("{} puzzles", found.puzzles.len()));
        }
        bar.finish_and_clear();
        self.finish(found)
    }

    /// Adds the puzzles of a batch to the file until there are enough. Breaks at a game whose
    /// search was interrupted.
    fn add_batch(
        &self,
        batch: &[Record],
        searches: Vec<Result<PuzzleSearch, String>>,
        finder: &PuzzleFinder<'_>,
        found: &mut FoundPuzzles,
    ) -> anyhow::Result<ControlFlow<()>> {
        for (record, search) in batch.iter().zip(searches) {
            if found.puzzles.len() == self.arguments.count {
                break;
            }
            let search = search.map_err(|difference| {
                anyhow!("{}: game {}: {difference}", self.name, record.index)
            })?;
            match search {
                // Puzzles of later games would hide that this game is not examined.
                PuzzleSearch::Interrupted => return Ok(ControlFlow::Break(())),
                PuzzleSearch::NoPuzzle => {}
                PuzzleSearch::Found(puzzle) => {
                    let puzzle = self.line(record, *puzzle, finder);
                    let is_near = found.puzzles.iter().any(|other| other.is_near(&puzzle));
                    let kind = Some(&*puzzle.steps[0].kind);
                    if !is_near && self.is_wanted(&found.puzzles, puzzle.round, kind) {
                        write(&mut found.output, &puzzle)?;
                        found.puzzles.push(puzzle);
                    }
                }
            }
            found.examined += 1;
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Returns true if the limits leave room for a puzzle of a round, and of a kind if it is known.
    fn is_wanted(&self, puzzles: &[PuzzleLine], round: u32, kind: Option<&str>) -> bool {
        let FindArguments { per_round, per_kind, .. } = self.arguments;
        let has_room = |limit: Option<usize>, is_same: &dyn Fn(&PuzzleLine) -> bool| {
            limit.is_none_or(|limit| puzzles.iter().filter(|one| is_same(one)).count() < limit)
        };
        has_room(*per_round, &|puzzle| puzzle.round == round)
            && kind.is_none_or(|kind| has_room(*per_kind, &|puzzle| puzzle.steps[0].kind == kind))
    }

    /// Completes the file, and says what was found and how to go on.
    fn finish(&self, found: FoundPuzzles) -> anyhow::Result<ExitStatus> {
        let FoundPuzzles { output, puzzles, examined } = found;
        let arguments = self.arguments;
        let is_complete = puzzles.len() >= arguments.count || examined == self.records.len();
        if is_complete && puzzles.is_empty() {
            print_info(&format!(
                "{}: has no puzzle in {examined} games; --margin can be lower",
                self.name
            ));
            return Ok(ExitStatus::Negative);
        }
        output.finish()?;
        if !puzzles.is_empty() {
            print(&summary(&puzzles, examined, &arguments.out));
        }
        if !is_complete {
            let games = self.records.len();
            print_info(&format!(
                "interrupted: {examined} of {games} games were examined; continue with --resume"
            ));
            return Ok(ExitStatus::Negative);
        }
        if !arguments.quiet && puzzles.len() < arguments.count {
            print_info("more games have more puzzles; see simulate --records");
        }
        Ok(ExitStatus::Success)
    }
}

/// The bots that find puzzles.
struct FinderBots {
    search: BotFactory,
    judge: BotFactory,
    obvious: BotFactory,
    panel: Vec<(BotFactory, f64)>,
}

impl FinderBots {
    /// Reads the bots that the flags name, and the opponents with ratings.
    fn read(arguments: &FindArguments, game: &BoundGame) -> anyhow::Result<Self> {
        let library = game.library();
        let search = |iterations| library.read(&format!("mcts:iterations={iterations}"));
        let opponents = library.profiles.opponents.iter();
        let rated = opponents.filter_map(|one| Some((&one.bot, one.rating?.value)));
        let panel = rated.map(|(bot, rating)| Ok((library.read(bot)?, rating)));
        Ok(Self {
            search: search(arguments.iterations)?,
            judge: search(arguments.judge_iterations)?,
            obvious: library.read(&arguments.obvious).context("--obvious")?,
            panel: panel.collect::<anyhow::Result<_>>()?,
        })
    }
}

/// The puzzles that were found so far.
struct FoundPuzzles {
    output: PartialFile,
    puzzles: Vec<PuzzleLine>,
    /// Number of games that were examined.
    examined: usize,
}

/// Appends a puzzle to the file.
fn write(output: &mut PartialFile, puzzle: &PuzzleLine) -> anyhow::Result<()> {
    let line = serde_json::to_string(puzzle)?;
    let written = writeln!(output.file(), "{line}");
    Ok(written.map_err(|error| output.unwritable(error))?)
}

fn summary(puzzles: &[PuzzleLine], examined: usize, path: &Path) -> String {
    let shares = |name: &dyn Fn(&PuzzleLine) -> String| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for puzzle in puzzles {
            *counts.entry(name(puzzle)).or_default() += 1;
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let counts: Vec<_> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
        counts.join(", ")
    };
    paragraph(&format!(
        "{} in {}, written to {}. Solutions: {}. Rounds: {}. Decisions: {}.",
        format_count(puzzles.len(), "puzzle"),
        format_count(examined, "game"),
        path.display(),
        shares(&|puzzle| puzzle.steps[0].kind.clone()),
        shares(&|puzzle| format!("round {}:", puzzle.round)),
        shares(&|puzzle| format!("{} in", puzzle.steps.len())),
    ))
}

impl FindTask<'_> {
    /// Returns the puzzles of the interrupted command in whole batches of games, and the number of
    /// these games: the limits hold for a batch as they were before it.
    fn restore(&self, finder: &PuzzleFinder<'_>) -> anyhow::Result<(Vec<PuzzleLine>, usize)> {
        let mut places = Vec::new();
        for puzzle in &self.kept {
            let from = places.last().map_or(0, |last| last + 1);
            let mut games = self.records.iter().skip(from);
            let game = games.position(|record| record.index == puzzle.index);
            let is_same = game.is_some_and(|game| {
                let record = &self.records[from + game];
                record.config_sha256 == puzzle.config_sha256 && record.game == puzzle.game
            });
            ensure!(
                is_same && puzzle.judge == finder.judge.name(),
                "{}: expected puzzles of {} with the flags of this command; use --force to \
                 overwrite them",
                self.arguments.out.display(),
                self.name
            );
            places.extend(game.map(|game| from + game));
        }
        let examined = places.last().map_or(0, |last| last / BATCH * BATCH);
        let whole = places.iter().take_while(|&&place| place < examined).count();
        Ok((self.kept[..whole].to_vec(), examined))
    }

    fn line(&self, record: &Record, found: FoundPuzzle, finder: &PuzzleFinder<'_>) -> PuzzleLine {
        let FoundPuzzle { event, round, seat, rating, steps } = found;
        PuzzleLine {
            format: FORMAT.to_owned(),
            game: record.game.clone(),
            config_sha256: record.config_sha256.clone(),
            provenance: self.selection.provenance.to_string(),
            players: record.players,
            index: record.index,
            event,
            round,
            seat,
            rating,
            steps,
            judge: finder.judge.name().to_owned(),
        }
    }
}
