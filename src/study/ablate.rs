//! `watershed balance ablate`: the effect of a forced pick of every item of a game, beside
//! association and regression.

pub mod analysis;
pub mod experiment;
pub mod removed_items;
pub mod removed_items_page;
pub mod values;
pub mod values_page;

use std::time::Instant;

use anyhow::{Context as _, anyhow, bail};
use clap::Args;
use serde::Serialize;

use crate::{
    arena::{
        compared_metrics::{ComparedMetric, ComparedMetrics},
        comparison::{ComparisonExperiment, ComparisonTally},
        metric::Metric,
    },
    bots::profile::{BotLibrary, BotSpec, Profile},
    config::Document,
    game::{ItemCatalog, ItemId},
    games::{GameDefinition, GameTask},
    report::provenance::Provenance,
    run::{
        ExitStatus,
        arguments::{GameArguments, GameSelection},
        count::count,
        lineups::{
            LineupArguments, LineupResult, bot_names, distinct_bot_names, distinct_bots,
            lineup_label,
        },
        names::find_item,
        progress_bar::{progress_bar, show_message, stop_on_interrupt},
        shell::shell_quote,
        study::{MAX_GAMES, RunArguments, StudyOutput, StudySummary},
        validation::validate_changed_data,
    },
    search::heuristic::Heuristic,
    study::ablate::{
        experiment::{ItemEffectsExperiment, ItemEffectsTally},
        removed_items::{RemovedItem, RemovedItemsReport},
        values::{ItemEffectsReport, LineupEffects},
    },
};

#[derive(Args, Debug)]
#[command(
    after_help = "Each deal is played twice. First as the bots like it: `association` compares \
seats that took an item with those that could have and did not; `adjusted` is the coefficient of \
taking it at the first offer in a linear regression on seat, place in the turn order, bot, round \
and the value of the position. Then with a random assignment: when an item is first offered to a \
seat, the seat is enrolled with the probability --rate, and a fair coin forces it to take the item \
at once or forbids it the item for the rest of the game; `forced_now` compares these two. It is \
the effect of a forced pick, not what the item is worth to a player who may choose whether and \
when to take it: a forced pick at a bad moment costs, and much of what an item is worth is \
choosing the moment. The bots' searches know nothing of the assignment beyond the decision at hand.

values.csv has a row per item and measure (win share, score, rounds) with all three, their \
intervals over blocks, their p-values, and those by Holm's method for all items of the table \
(_p_holm). Flags, all by Holm-adjusted p < 0.05: `disagree`, association and forced_now differ \
(disagree_p_holm); `opposite`, both differ from 0 with opposite signs; `strong` and `weak`, \
forced_now is above or below the mean of the other items of the table; `flips`, it is significant \
with opposite signs for two bots of the ladder. `constant`: an estimate does not vary between \
blocks, so it has no test. A group of items (`effect:`) has a row if it has at least two.

With --item the same deals are also played without the item, or with what --baseline does in its \
place: neutralised.csv has the paired differences of whole games (length, decisions, scores, \
margin, win rates of seats).

Examples:
  watershed balance ablate
  watershed balance ablate --players 3 --bots balanced --games 200k
  watershed balance ablate --item w2c1 --item meadow_swap --games 20k
  watershed balance ablate --item meadow_take_wood --baseline meadow_swap
  watershed balance ablate --ladder random,balanced,mcts:iterations=100 \\
      --games 2k --out results/values"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    #[command(flatten)]
    bots: LineupArguments,
    /// How many games without assignment, rounded up to whole blocks, and as many with it
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = count::<u64>(1..=MAX_GAMES))]
    games: u64,
    /// The chance with which a seat is enrolled when an item comes up, above 0 and at most 1
    #[arg(long, value_name = "X", default_value_t = 0.1, value_parser = rate)]
    rate: f64,
    /// Also play the same deals without this item; may be repeated, and `all` is every item that
    /// the data lists
    #[arg(long, value_name = "NAME")]
    item: Vec<String>,
    /// Give the items named what this one does instead of taking them out
    #[arg(long, value_name = "NAME", requires = "item")]
    baseline: Option<String>,
    /// The heuristic that values positions [default: what was learned for so many players, or
    /// balanced]
    #[arg(long, value_name = "BOT")]
    value: Option<String>,
    #[command(flatten)]
    run: RunArguments,
}

const DEFAULT_VALUE: &str = "balanced";

fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|&rate: &f64| rate > 0.0 && rate <= 1.0);
    rate.ok_or_else(|| "expected a chance above 0 and at most 1, as in 0.1".to_owned())
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitStatus> {
    let selection = arguments.game.resolve()?;
    selection.run_on_this_thread(Ablate { arguments, selection: &selection })
}

struct Ablate<'a> {
    arguments: &'a Arguments,
    selection: &'a GameSelection,
}

impl GameTask for Ablate<'_> {
    type Output = anyhow::Result<ExitStatus>;

    fn run<G: GameDefinition>(
        self,
        game: &G,
        library: &BotLibrary<'_>,
    ) -> anyhow::Result<ExitStatus> {
        let Self { arguments, selection } = self;
        let rungs = arguments.bots.read_lineups(library, selection.players)?;
        let (value_name, value) = read_value(arguments, library)?;
        let edits = read_edits(arguments, selection, game.catalog())?;
        let folder =
            arguments.run.lock_folder(game, &[("--config", selection.config.as_deref())])?;
        let experiments: Vec<_> = rungs
            .iter()
            .map(|bots| arguments.run.new_experiment(game, bots, arguments.games))
            .collect();
        // Without and with assignment; for items that are taken out, as they are and once for each.
        let times = 2 + if edits.is_empty() { 0 } else { 1 + edits.len() as u64 };
        let games_planned = experiments
            .iter()
            .map(|experiment| {
                times * experiment.blocks.end * experiment.rotations().games_per_block()
            })
            .sum();
        let started = Instant::now();
        let stop = stop_on_interrupt()?;
        let bar = progress_bar(games_planned, arguments.run.quiet);
        let figures =
            ComparedMetrics::for_game(selection.players, distinct_bot_names(&rungs[0]).len());
        let mut appraisals: Vec<ItemEffectsTally> = Vec::new();
        let mut retold = Vec::new();
        let blocks = experiments.iter().map(|experiment| experiment.blocks.end).max().unwrap_or(0);
        let pool = arguments.run.thread_pool(blocks, rungs.iter().flatten())?;
        for (bots, experiment) in rungs.iter().zip(&experiments) {
            show_message(&bar, || bot_names(bots));
            let appraiser =
                ItemEffectsExperiment { experiment, evaluator: &value, rate: arguments.rate };
            appraisals.push(pool.install(|| appraiser.run(stop, &|games| bar.inc(games))));
            if !edits.is_empty() {
                let documents = edits.iter().map(|edit| &edit.document);
                let games = documents.map(|document| G::bind(document, selection.players));
                let games = games.collect::<Result<Vec<_>, _>>()?;
                let games = std::iter::once(game).chain(&games);
                let experiments = games
                    .map(|game| arguments.run.new_experiment(game, bots, arguments.games))
                    .collect();
                let comparison = ComparisonExperiment { experiments, metrics: &figures };
                let tally = pool.install(|| comparison.run(stop, &|games| bar.inc(games)));
                retold.push(LineupResult::new(bots, tally));
            }
        }
        bar.finish_and_clear();

        let appraised = rungs
            .iter()
            .zip(&appraisals)
            .map(|(bots, appraisal)| LineupEffects { lineup: lineup_label(bots), appraisal });
        let report = ItemEffectsReport::new(
            game.catalog(),
            appraised.collect(),
            selection.provenance.as_str(),
        );
        let mut tables = vec![("values.csv".to_owned(), report.csv())];
        let mut text = report.text();
        let changes: Vec<_> =
            edits.iter().map(|Edit { item, change, .. }| RemovedItem { item, change }).collect();
        let neutralised = RemovedItemsReport {
            figures: &figures,
            items: &changes,
            lineups: &retold,
            provenance: selection.provenance.as_str(),
        };
        let neutralised = (!edits.is_empty()).then_some(neutralised);
        if let Some(report) = &neutralised {
            tables.push(("neutralised.csv".to_owned(), report.csv()));
            text += &report.text();
        }
        let retold_games =
            retold.iter().map(|rung| rung.tally.games * (1 + edits.len() as u64)).sum::<u64>();
        let retold_capped = retold.iter().map(|rung| capped(&figures, &rung.tally)).sum::<u64>();
        let sum = |count: fn(&ItemEffectsTally) -> u64| appraisals.iter().map(count).sum::<u64>();
        let findings = StudyOutput {
            kind: "balance ablate",
            command: command(arguments, selection, &rungs, &value_name),
            games_planned,
            games: retold_games + sum(|appraisal| appraisal.games),
            threads: pool.current_num_threads(),
            tables,
            text,
            started,
        };
        let question = Question {
            rate: arguments.rate,
            value: &value_name,
            item: &arguments.item,
            baseline: arguments.baseline.as_deref(),
        };
        let blocks = sum(|appraisal| appraisal.blocks);
        let capped = retold_capped + sum(|appraisal| appraisal.capped);
        let page =
            report.report_body(neutralised.as_ref(), &Provenance::read(&selection.document.text));
        let study = StudySummary {
            selection,
            bots: distinct_bots(rungs.iter().flatten()),
            question,
            blocks,
            capped,
            page,
        };
        arguments.run.finish_study(&folder, findings, study)
    }
}

#[derive(Serialize)]
struct Question<'a> {
    rate: f64,
    value: &'a str,
    item: &'a [String],
    baseline: Option<&'a str>,
}

/// A change of the data.
struct Edit {
    /// The item, by its name.
    item: String,
    /// What becomes of it, in words.
    change: String,
    /// The data with it.
    document: Document,
}

/// The changes of the data that are asked for, all of them valid.
fn read_edits(
    arguments: &Arguments,
    selection: &GameSelection,
    catalog: &ItemCatalog,
) -> anyhow::Result<Vec<Edit>> {
    let document = &selection.document;
    let baseline = arguments
        .baseline
        .as_ref()
        .map(|name| find_item(catalog, name).context("--baseline"))
        .transpose()?;
    let mut items = Vec::new();
    for name in &arguments.item {
        if name == "all" {
            let listed = |item: ItemId| {
                let (list, id) = (catalog.table(item).list_key(), &catalog.item(item).name);
                document.has_entry(list, id)
            };
            items.extend(catalog.ids().filter(|&item| Some(item) != baseline && listed(item)));
        } else {
            items.push(find_item(catalog, name).context("--item")?);
        }
    }
    let read = |item: ItemId| -> anyhow::Result<Edit> {
        let (list, id) = (catalog.table(item).list_key(), &catalog.item(item).name);
        let (document, change) = if let Some(baseline) = baseline {
            let other = &catalog.item(baseline).name;
            (
                document.with_entry_replaced(list, id, other).context("--item, --baseline")?,
                format!("as {other}"),
            )
        } else {
            (document.without_entry(list, id).context("--item")?, "removed".to_owned())
        };
        let refused =
            |reason| anyhow!("--item: the data is not valid with `{id}` {change}: {reason}");
        validate_changed_data(selection, &document).map_err(refused)?;
        Ok(Edit { item: id.to_owned(), change, document })
    };
    items.into_iter().map(read).collect()
}

/// Games that the round limit ended, with and without changes.
fn capped(figures: &ComparedMetrics, tally: &ComparisonTally) -> u64 {
    let place = figures
        .metrics
        .iter()
        .position(|&figure| figure == ComparedMetric::of_game(Metric::HitRoundLimit));
    let capped: Vec<_> =
        tally.differences.iter().filter_map(|differences| Some(&differences[place?])).collect();
    let before = capped.first().map_or(0, |capped| capped.control.x);
    (before + capped.iter().map(|capped| capped.treatment.x).sum::<i64>()) as u64
}

/// The name of the heuristic that values positions, and the heuristic.
fn read_value(
    arguments: &Arguments,
    library: &BotLibrary<'_>,
) -> anyhow::Result<(String, Heuristic)> {
    // Every decision of every game is valued, for which a weighted sum is fast enough.
    let name = arguments.value.as_deref().or(library.search.prior).unwrap_or(DEFAULT_VALUE);
    match library.read(name).context("--value")?.spec {
        BotSpec::Heuristic(heuristic) => Ok((name.to_owned(), *heuristic)),
        _ => bail!("--value: expected a bot of the kind `heuristic`, found `{name}`"),
    }
}

/// The command that makes the run again, whatever its threads and folders were.
fn command(
    arguments: &Arguments,
    selection: &GameSelection,
    rungs: &[Vec<Profile>],
    value: &str,
) -> String {
    let Arguments { bots, games, rate, run: RunArguments { seed, .. }, .. } = arguments;
    let (flags, bots, value) = (selection.flags(), bots.to_flag(rungs), shell_quote(value));
    let mut items: String =
        arguments.item.iter().map(|name| format!(" --item {}", shell_quote(name))).collect();
    items += &arguments
        .baseline
        .as_ref()
        .map(|name| format!(" --baseline {}", shell_quote(name)))
        .unwrap_or_default();
    format!(
        "watershed balance ablate {flags} {bots}{items} --games {games} --rate {rate} --value \
            {value} --seed {seed}"
    )
}
