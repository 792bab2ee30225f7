//! Finding puzzles.

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::{arguments::FindArguments, file};
use crate::{
    analysis::puzzle::{
        PuzzleFinder,
        line::{FORMAT, PuzzleLine, ReasonLine, WrongLine},
    },
    bound::{FoundPuzzle, PuzzleSearch},
    game::Notation as _,
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
        let bots = FinderBots::read(arguments, game.library())?;
        let finder = PuzzleFinder {
            search: &bots.search,
            policy: &bots.policy,
            second: &bots.second,
            obvious: &bots.obvious,
            margin: arguments.margin.share(),
            rollouts: arguments.rollouts,
            seed: arguments.seed,
        };
        let examined = self.restore(&finder)?;
        let stop = stop_on_interrupt()?;
        // Before the work, so that a file that cannot be written is reported at once.
        let overwrite = arguments.force || arguments.resume;
        let mut output = PartialFile::create_for_user(&arguments.out, overwrite)?;
        for puzzle in &self.kept {
            write(&mut output, puzzle)?;
        }
        let mut found = FoundPuzzles { output, puzzles: self.kept.clone(), examined };
        let bar = progress_bar(self.records.len() as u64, "games", arguments.quiet);
        bar.set_position(examined as u64);
        while found.examined < self.records.len() && found.puzzles.len() < arguments.count {
            let end = self.records.len().min(found.examined + BATCH);
            let batch = &self.records[found.examined..end];
            let searches: Vec<_> = batch
                .par_iter()
                .map(|record| {
                    let search = game.find_puzzle(&finder, record, stop);
                    bar.inc(1);
                    search
                })
                .collect();
            if self.add_batch(game, batch, searches, &finder, &mut found)?.is_break() {
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
        game: &BoundGame,
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
                    let puzzle = self.line(game, record, *puzzle, finder);
                    write(&mut found.output, &puzzle)?;
                    found.puzzles.push(puzzle);
                }
            }
            found.examined += 1;
        }
        Ok(ControlFlow::Continue(()))
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
    policy: BotFactory,
    second: BotFactory,
    obvious: BotFactory,
}

impl FinderBots {
    /// Reads the bots that the flags name.
    fn read(arguments: &FindArguments, library: &BotLibrary) -> anyhow::Result<Self> {
        let policy = arguments.policy.as_deref().unwrap_or(library.default_bot());
        let other = library.profiles.default_heuristic.filter(|&name| name != policy);
        let second = arguments.second.as_deref().or(other).unwrap_or("balanced");
        let search = library.read(&format!("mcts:iterations={}", arguments.iterations))?;
        let policy = library.read(policy).context("--policy")?;
        let second = library.read(second).context("--second")?;
        let obvious = library.read(&arguments.obvious).context("--obvious")?;
        if policy.name() == second.name() {
            bail!("--second: expected a bot other than the policy, found {}", second.name());
        }
        Ok(Self { search, policy, second, obvious })
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
    let mut themes: Vec<(&str, usize)> = Vec::new();
    for puzzle in puzzles {
        match themes.iter_mut().find(|(theme, _)| *theme == puzzle.theme) {
            Some((_, count)) => *count += 1,
            None => themes.push((&puzzle.theme, 1)),
        }
    }
    themes.sort_by_key(|&(theme, count)| (std::cmp::Reverse(count), theme));
    let themes: Vec<_> = themes.iter().map(|(theme, count)| format!("{theme} {count}")).collect();
    paragraph(&format!(
        "{} in {}, written to {}. Solutions: {}.",
        format_count(puzzles.len(), "puzzle"),
        format_count(examined, "game"),
        path.display(),
        themes.join(", ")
    ))
}

impl FindTask<'_> {
    /// Returns the number of games up to that of the last puzzle of the interrupted command.
    fn restore(&self, finder: &PuzzleFinder<'_>) -> anyhow::Result<usize> {
        let policies = [finder.policy, finder.second].map(|bot| bot.name().to_owned());
        let mut examined = 0;
        for puzzle in &self.kept {
            let mut games = self.records.iter().skip(examined);
            let game = games.position(|record| record.index == puzzle.index);
            let is_same = game.is_some_and(|game| {
                let record = &self.records[examined + game];
                record.config_sha256 == puzzle.config_sha256 && record.game == puzzle.game
            });
            ensure!(
                is_same && puzzle.policies == policies,
                "{}: expected puzzles of {} with the flags of this command; use --force to \
                 overwrite them",
                self.arguments.out.display(),
                self.name
            );
            examined += game.map_or(0, |game| game + 1);
        }
        Ok(examined)
    }

    fn line(
        &self,
        game: &BoundGame,
        record: &Record,
        found: FoundPuzzle,
        finder: &PuzzleFinder<'_>,
    ) -> PuzzleLine {
        let FoundPuzzle { event, position, puzzle } = found;
        let texts = |actions: &[AnyAction]| -> Vec<_> {
            actions.iter().map(|&action| game.rules().action_text(action)).collect()
        };
        let solution = texts(&puzzle.solution);
        let wrong = puzzle.wrong.iter().map(|answer| WrongLine {
            actions: texts(&answer.actions),
            difference: answer.difference.estimate().into(),
            reasons: answer
                .reasons
                .iter()
                .map(|reason| ReasonLine {
                    seat: reason.seat.index(),
                    part: reason.part.to_owned(),
                    difference: reason.difference.estimate().into(),
                })
                .collect(),
        });
        let theme = solution[0].split(':').next().unwrap_or_default().to_owned();
        PuzzleLine {
            format: FORMAT.to_owned(),
            game: record.game.clone(),
            config_sha256: record.config_sha256.clone(),
            provenance: self.selection.provenance.to_string(),
            players: record.players,
            index: record.index,
            event,
            theme,
            position,
            seat: puzzle.seat.index(),
            wrong: wrong.collect(),
            solution,
            win: puzzle.win.into(),
            policies: [finder.policy, finder.second].map(|bot| bot.name().to_owned()),
        }
    }
}
