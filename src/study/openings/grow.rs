//! `watershed openings grow`: plays the games of a book.

use super::{
    arguments::GrowArguments,
    file::{self, BookSettings, EXAMPLES, FILE},
    show::summary,
    tables,
};
use crate::{
    analysis::book::{ActionName, Allocation, Book, BookPlan, BookTally},
    report::origin::game_title,
    study::shared::{
        planned_study::{OpenedStudy, StudyAnswer, StudyArguments},
        prelude::*,
    },
};

/// Smallest prior of a plausible action.
const MIN_PRIOR: f64 = 0.01;

/// The part of the manifest that only a book has.
#[derive(Serialize)]
struct BookQuestion {
    forks: u64,
    continuations: u64,
}

impl GrowArguments {
    /// Returns everything that decides the content of the book.
    fn settings(
        &self,
        selection: &GameSelection,
        identity: RunIdentity,
        policy: &BotFactory,
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
        Ok(())
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
    let identity = RunIdentity::new(selection.game.id, selection.players, output.run.seed);
    let settings = own.settings(selection, identity, policy, command);
    let (mut whole, mut first) = (BookTally::default(), 0);
    if let Some(path) = &own.after {
        let base = file::read(path).context("--after")?;
        let epochs = settings.count_epochs(&base);
        first = epochs.with_context(|| format!("--after: {}", path.display()))?;
        whole = base.tally;
    }
    // The next epoch depends on all shards of this one.
    let is_one_epoch = parts.shard.is_some() || parts.merged.is_some();
    let last = if is_one_epoch { first + 1 } else { own.epochs };
    let blocks = (first..last).map(|epoch| settings.epoch(epoch));
    let max_blocks = blocks.map(|games| games.end - games.start).max().unwrap_or(0);
    opened.plan([policy], max_blocks).run(|study| {
        let growth = Growth { opened, policy, settings: &settings };
        let mut games_planned = whole.games;
        let mut start = 0;
        for epoch in first..last {
            let (games, tally) = growth.play(study, epoch, &whole)?;
            games_planned += games.end - games.start;
            if parts.shard.is_some() {
                (start, games_planned, whole) = (games.start, games.end - games.start, tally);
            } else {
                whole.merge(&tally);
            }
            if !study.is_complete() {
                break;
            }
        }
        let BookTally { games, capped, forks, continuations, .. } = whole;
        let played = (games > 0).then_some([start, start + games]).into_iter().collect();
        let step_names = (0..own.steps).map(|step| game.book_step_name(step)).collect();
        let action_name = |code| ActionName {
            id: game.book_action_text(code),
            label: game.book_action_label(code),
        };
        let book = Book::new(settings, step_names, action_name, played, whole);
        if is_one_epoch && last < own.epochs && !output.run.quiet {
            print_info(&format!(
                "epoch {last} of {}; `merge` joins the shards of an epoch, and --after continues \
                 the book",
                own.epochs
            ));
        }
        study.write_file(FILE, &book.to_json())?;
        study.write_file(EXAMPLES, &book.examples())?;
        let counts = GameCounts { games_planned, blocks: games, games, capped_games: capped };
        let mut report = StudyReport::without_page();
        let summary = summary(&book);
        report.terminal(&summary);
        report.screen_lines(&summary);
        for table in tables::of_book(&book) {
            report.file(table, "");
        }
        let own = BookQuestion { forks, continuations };
        Ok(StudyAnswer { own, counts, report, is_negative: false })
    })
}

/// What an epoch needs besides the sums of those before it.
struct Growth<'a> {
    opened: &'a OpenedStudy<'a, GrowArguments>,
    policy: &'a BotFactory,
    settings: &'a BookSettings,
}

impl Growth<'_> {
    /// Plays an epoch with the decisions that those before it have settled. Returns the games that
    /// are planned here, and the sums over them.
    fn play(
        &self,
        study: &mut StudyRun<'_>,
        epoch: u64,
        before: &BookTally,
    ) -> anyhow::Result<(Range<u64>, BookTally)> {
        let Self { opened, policy, settings } = *self;
        let OpenedStudy { arguments, selection, game, .. } = opened;
        let own = &arguments.own;
        let sha256 = selection.document.sha256();
        let lineup = vec![policy.clone(); selection.players];
        let allocation = if epoch == 0 { Allocation::default() } else { Allocation::after(before) };
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
        };
        let message = |_, _: &BookTally| {
            let settled = allocation.settled_groups();
            format!("epoch {} of {}, {settled} settled", epoch + 1, own.epochs)
        };
        let tally = study.play(&[game.book(plan)], message)?.swap_remove(0);
        let games = blocks.end - blocks.start;
        let here = arguments.parts.shard.map_or(0..games, |shard| shard.blocks(games));
        Ok((blocks.start + here.start..blocks.start + here.end, tally))
    }
}
