//! `watershed openings grow`: plays the games of a book.

use super::{
    arguments::GrowArguments,
    file::{BookSettings, EXAMPLES, FILE, OpeningBook, joined},
    show::summary,
};
use crate::{
    analysis::book::{self, ActionName, Allocation, BookPlan, BookTally, JudgePlan},
    report::origin::game_title,
    study::shared::{
        planned_study::{OpenedStudy, StudyAnswer, StudyArguments},
        prelude::*,
    },
};

/// Name of the command.
pub(super) const KIND: &str = "openings grow";

/// The search that judges games after a round.
const JUDGE: &str = "mcts:iterations=200";

/// Maximum number of games with a judge: no sum of squares of chances overflows.
const MAX_JUDGED_GAMES: u64 = 1_000_000;

/// Smallest prior of a plausible action.
const MIN_PRIOR: f64 = 0.01;

/// The part of the manifest that only a book has.
#[derive(Serialize)]
pub(super) struct BookQuestion {
    forks: u64,
    continuations: u64,
}

impl BookQuestion {
    /// Describes a book, with the numbers of its games.
    pub(super) fn of(book: &OpeningBook, games_planned: u64) -> (Self, GameCounts) {
        let BookTally { games, capped, forks, continuations, .. } = book.tally;
        let counts = GameCounts { games_planned, blocks: games, games, capped_games: capped };
        (Self { forks, continuations }, counts)
    }
}

impl GrowArguments {
    /// Returns everything that decides the content of the book.
    fn settings(
        &self,
        selection: &GameSelection,
        identity: RunIdentity,
        policy: &BotFactory,
        judge: Option<&BotFactory>,
        command: &RepeatCommand,
    ) -> BookSettings {
        BookSettings {
            // The command that grows the whole book.
            command: command.with_identity(&identity).with("--after", None::<&str>).to_string(),
            identity,
            title: game_title(&selection.document, selection.game.title),
            data: DataSource::new(&selection.document, &selection.provenance),
            policy: policy.into(),
            games: self.games,
            epochs: self.epochs,
            steps: self.steps,
            actions: self.actions,
            thin: self.thin,
            after_round: self.after_round,
            judge: judge.map(Into::into),
        }
    }

    /// Checks the flags that depend on each other.
    fn check(&self, game: &BoundGame, name: &str) -> anyhow::Result<()> {
        ensure!(!game.book_step_name(0).is_empty(), "--game: {name} has no opening situations");
        ensure!(
            self.epochs <= self.games,
            "--epochs: expected at most one epoch for each game, found {} epochs of {} games",
            self.epochs,
            self.games
        );
        ensure!(
            self.after_round.is_none() || self.games <= MAX_JUDGED_GAMES,
            "--games: expected at most {MAX_JUDGED_GAMES} with --after-round, found {}",
            self.games
        );
        Ok(())
    }

    /// Reads the book that is continued, and returns it with its number of complete epochs.
    fn read_base(&self, settings: &BookSettings) -> anyhow::Result<Option<(OpeningBook, u64)>> {
        let Some(path) = &self.after else { return Ok(None) };
        let name = format!("--after: {}", path.display());
        let base = OpeningBook::read(path).context("--after")?;
        if let Some(difference) = settings.first_difference(&base.settings) {
            bail!("{name}: is a book of another run: its {difference}");
        }
        let epochs = base.complete_epochs().context(name.clone())?;
        ensure!(epochs < self.epochs, "{name}: holds all {epochs} epochs of the book");
        Ok(Some((base, epochs)))
    }
}

/// Runs the command.
pub(super) fn run(opened: &OpenedStudy<'_, GrowArguments>) -> anyhow::Result<ExitStatus> {
    let OpenedStudy { arguments, selection, game, command } = opened;
    let library = game.library();
    let StudyArguments { own, parts, output, .. } = arguments;
    own.check(game, selection.game.id)?;
    let policy = own.policy.as_deref().unwrap_or(library.default_bot());
    let policy = &library.read(policy).context("--policy")?;
    let judge = &own.after_round.map(|_| library.read(JUDGE)).transpose()?;
    let identity = RunIdentity::new(selection.game.id, selection.players, output.run.seed);
    let settings = own.settings(selection, identity, policy, judge.as_ref(), command);
    let base = own.read_base(&settings)?;
    let first = base.as_ref().map_or(0, |(_, epochs)| *epochs);
    let last = if parts.shard.is_some() { first + 1 } else { own.epochs };
    let blocks = (first..last).map(|epoch| settings.epoch(epoch));
    let max_blocks = blocks.map(|games| games.end - games.start).max().unwrap_or(0);
    let bots = [policy].into_iter().chain(judge);
    opened.plan(bots, max_blocks).run(|study| {
        let whole = base.as_ref().map_or_else(BookTally::default, |(base, _)| base.tally.clone());
        let mut grown = GrownBook { whole, ..GrownBook::default() };
        let judge = judge.as_ref().zip(own.after_round);
        let judge = judge.map(|(search, round)| JudgePlan { search, round });
        let growth = Growth { arguments, selection, game, policy, judge, settings: &settings };
        growth.play(study, first..last, &mut grown)?;
        let GrownBook { mut tally, mut played, mut games_planned, whole } = grown;
        // A shard holds its own games; a whole run also those of the book that it continues.
        if parts.shard.is_none()
            && let Some((base, _)) = base
        {
            played.extend(&base.played);
            games_planned += base.tally.games;
            tally = whole;
        }
        let step_names = (0..own.steps).map(|step| game.book_step_name(step)).collect();
        let action_name = |code| ActionName {
            id: game.book_action_text(code),
            label: game.book_action_label(code),
        };
        let book = book::Book::new(settings, step_names, action_name, joined(played), tally);
        let book = OpeningBook(book);
        if parts.shard.is_some() && own.epochs > 1 && !output.run.quiet {
            print_info(&format!(
                "a shard plays one epoch, here epoch {} of {}; `openings merge` joins the shards, \
                 and --after continues the book",
                first + 1,
                own.epochs
            ));
        }
        study.write_file(FILE, &book.to_json())?;
        study.write_file(EXAMPLES, &book.examples())?;
        let (own, counts) = BookQuestion::of(&book, games_planned);
        let mut report = StudyReport::without_page();
        let summary = summary(&book);
        report.terminal(&summary);
        report.screen_lines(&summary);
        book.tables().into_iter().for_each(|table| report.file(table, ""));
        Ok(StudyAnswer { own, counts, report, is_negative: false })
    })
}

/// What an epoch needs besides the sums of those before it.
struct Growth<'a> {
    arguments: &'a StudyArguments<GrowArguments>,
    selection: &'a GameSelection,
    game: &'a BoundGame,
    policy: &'a BotFactory,
    judge: Option<JudgePlan<'a>>,
    settings: &'a BookSettings,
}

/// The games of a book so far.
#[derive(Default)]
struct GrownBook {
    /// Sums over all games, with those of the book that is continued.
    whole: BookTally,
    /// Sums over the games of this run.
    tally: BookTally,
    /// Ranges of the games of this run.
    played: Vec<[u64; 2]>,
    games_planned: u64,
}

impl Growth<'_> {
    /// Plays epochs, each with the decisions that those before it have settled, and adds them to
    /// the book. Ends after an epoch that was interrupted.
    fn play(
        &self,
        study: &mut StudyRun<'_>,
        epochs: Range<u64>,
        grown: &mut GrownBook,
    ) -> anyhow::Result<()> {
        let Self { arguments, selection, game, policy, judge, settings } = *self;
        let own = &arguments.own;
        let sha256 = selection.document.sha256();
        let lineup = vec![policy.clone(); selection.players];
        for epoch in epochs {
            let allocation =
                if epoch == 0 { Allocation::default() } else { Allocation::after(&grown.whole) };
            let blocks = settings.epoch(epoch);
            let plan = BookPlan {
                experiment: Experiment {
                    game_name: selection.game.id,
                    config_sha256: &sha256,
                    ..Experiment::new(&lineup, arguments.output.run.seed, blocks.clone())
                },
                steps: own.steps,
                max_actions: own.actions,
                min_prior: MIN_PRIOR,
                thin: own.thin,
                allocation: &allocation,
                judge,
            };
            let message = |_, _: &BookTally| {
                let settled = allocation.settled_groups();
                format!("epoch {} of {}, {settled} settled", epoch + 1, own.epochs)
            };
            let of_epoch = study.play(&[game.book(plan)], message)?.swap_remove(0);
            let games = blocks.end - blocks.start;
            let within = arguments.parts.shard.map_or(0..games, |shard| shard.blocks(games));
            let start = blocks.start + within.start;
            grown.games_planned += within.end - within.start;
            grown.played.push([start, start + of_epoch.games]);
            grown.whole.merge(&of_epoch);
            grown.tally.merge(&of_epoch);
            if !study.is_complete() {
                break;
            }
        }
        Ok(())
    }
}
