//! `watershed balance power`: the number of games that a question needs, from a pilot.

pub(crate) mod arguments;
mod experiment;
mod tables;

use anyhow::{Context as _, ensure};
use serde::Serialize;

use super::{
    ablate::experiment::{ItemEffectsExperiment, ItemEffectsTally},
    turn_order::experiment::TurnOrderExperiment,
};
use crate::{
    arena::{run::Experiment, schedule::Rotations},
    bots::{BotFactory, profile::BotLibrary},
    game::FullGame,
    games::{GameDefinition, GameList, GameTask},
    report::{
        data_table::Schema,
        html::{group_digits, join_with_and},
        origin::BotDescription,
        provenance::Claim,
        terminal::print_info,
        text::provenance_line,
    },
    run::{
        ExitStatus,
        arguments::{GameArguments, GameSelection},
        command::RepeatCommand,
        finish::FinishedStudy,
        lineups::{LineupResult, distinct_bots},
        manifest::{DataSource, GameCounts, RunIdentity},
        names::find_item,
        study_run::{NewStudy, StudyRun},
    },
};
use arguments::{Arguments, Question};
use experiment::{Pilot, PilotExperiment};

/// Describes all tables that the command can write.
pub(crate) fn schemas() -> Vec<Schema> {
    vec![tables::schema()]
}

/// Runs the command.
pub(crate) fn run<L: GameList>(arguments: &Arguments) -> anyhow::Result<ExitStatus> {
    let selection = arguments.game.resolve::<L>()?;
    let is_comparison = arguments.question == Question::Compare;
    ensure!(
        arguments.variant.is_some() == is_comparison,
        "--variant: expected a data file with --question compare, and only with it"
    );
    ensure!(
        arguments.item.is_empty() || arguments.question == Question::Ablate,
        "--item: expected --question ablate with it"
    );
    let variant = arguments.variant.as_ref().map(|variant| {
        let game = Some(selection.game.id.to_owned());
        let players = Some(selection.players.into());
        GameArguments { game, config: Some(variant.clone()), players }.resolve::<L>()
    });
    let variant = variant.transpose()?;
    let task = PowerTask { arguments, selection: &selection, variant: variant.as_ref() };
    selection.run_on_this_thread::<L, _>(task)
}

struct PowerTask<'a> {
    arguments: &'a Arguments,
    selection: &'a GameSelection,
    variant: Option<&'a GameSelection>,
}

/// The part of the manifest that only this study has.
#[derive(Serialize)]
struct Plan<'a> {
    #[serde(flatten)]
    data: DataSource,
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<DataSource>,
    bots: &'a [BotDescription],
    question: &'a str,
    #[serde(flatten)]
    counts: GameCounts,
}

impl GameTask for PowerTask<'_> {
    type Output = anyhow::Result<ExitStatus>;

    fn run<G: GameDefinition>(
        self,
        game: &G,
        library: &BotLibrary<G>,
    ) -> anyhow::Result<ExitStatus> {
        let Self { arguments, selection, variant } = self;
        let Arguments { question, blocks, output, .. } = arguments;
        let selections: Vec<_> = std::iter::once(selection).chain(variant).collect();
        let documents: Vec<_> = selections.iter().map(|selection| &selection.document).collect();
        let games = documents.iter().map(|document| G::bind(document, selection.players));
        let games = games.collect::<Result<Vec<_>, _>>()?;
        let library = &library.with_data(documents.iter().copied())?;
        let lineups = arguments.lineups.read_lineups(library, selection.players)?;
        let is_match = *question == Question::Match;
        ensure!(game.seats() > 1, "--players: expected at least 2 players, found 1");
        ensure!(
            !is_match || lineups.iter().all(|lineup| Rotations::new(lineup).games_per_block() > 1),
            "--bots: expected different bots for --question match"
        );
        let pool = output.run.thread_pool(*blocks, lineups.iter().flatten())?;
        let inputs: Vec<_> = [("--config", selection.config.as_deref())]
            .into_iter()
            .chain(variant.map(|variant| ("--variant", variant.config.as_deref())))
            .collect();
        let folder = arguments.parts.lock_folder(output, game, &inputs)?;
        let planned = lineups
            .iter()
            .map(|lineup| blocks * Rotations::new(lineup).games_per_block() * games.len() as u64);
        let games_planned = planned.sum();

        let bots = distinct_bots(lineups.iter().flatten());
        let seed = output.run.seed();
        let (goal, size, _) = arguments.goal();
        let study = NewStudy {
            command: RepeatCommand::new("balance power")
                .game(selection)
                .flag_and_value(arguments.lineups.flag_and_value(&lineups))
                .option("--question", question.as_str())
                .option(&format!("--{goal}"), size)
                .option("--power", arguments.power)
                .option_if("--variant", arguments.variant.as_ref().map(|path| path.display()))
                .options("--item", &arguments.item)
                .option("--blocks", blocks)
                .option("--seed", seed),
            identity: RunIdentity::new(selection.game.id, selection.players, seed),
            documents: &documents,
            bots: &bots,
            max_blocks: *blocks,
        };
        let study = study.open(output, &arguments.parts, &folder, &pool)?;
        let Some(mut study) = study else { return Ok(ExitStatus::Success) };
        let results = if *question == Question::Ablate {
            let played = PilotOfItems { arguments, game: &games[0], library, lineups: &lineups };
            played.play(&mut study)?
        } else {
            let experiments = lineups.iter().map(|lineup| {
                let experiment = |game| Experiment::new(game, lineup, seed, 0..*blocks);
                let experiments = games.iter().map(experiment).collect();
                PilotExperiment { question: *question, games: TurnOrderExperiment { experiments } }
            });
            let results = study.play_lineups(&lineups, &experiments.collect::<Vec<_>>())?;
            let seats = game.seats();
            let pilot = |LineupResult { lineup, bots, tally }| LineupResult {
                lineup,
                bots,
                tally: Pilot::new(*question, seats, &tally),
            };
            results.into_iter().map(pilot).collect::<Vec<_>>()
        };

        let provenance = Claim::join(selections.iter().map(|selection| &selection.provenance));
        let table = tables::table(arguments, &results, &provenance);
        let played = results.iter().map(|LineupResult { tally, .. }| tally);
        let played = played.map(|pilot| [pilot.blocks, pilot.all_games, pilot.capped]);
        let counts = GameCounts::sum(games_planned, played);
        if !output.run.quiet {
            print_duration(arguments, &results, study.seconds_of_parts());
        }
        study.finish(FinishedStudy {
            question: Plan {
                data: DataSource::new(&selection.document, &provenance),
                variant: variant
                    .map(|variant| DataSource::new(&variant.document, &variant.provenance)),
                bots: &bots,
                question: question.as_str(),
                counts,
            },
            counts,
            text: provenance_line(&provenance) + &tables::text(arguments, &results),
            page: None,
            tables: vec![table],
        })
    }
}

/// A pilot of the access to items.
struct PilotOfItems<'a, G> {
    arguments: &'a Arguments,
    game: &'a G,
    library: &'a BotLibrary<'a, G>,
    lineups: &'a [Vec<BotFactory<G>>],
}

impl<G: FullGame> PilotOfItems<'_, G> {
    fn play(&self, study: &mut StudyRun<'_>) -> anyhow::Result<Vec<LineupResult<Pilot>>> {
        let Self { arguments, game, library, lineups } = *self;
        let catalog = game.catalog();
        let mut is_selected = vec![arguments.item.is_empty(); catalog.len()];
        for name in &arguments.item {
            is_selected[find_item(catalog, name).context("--item")?.index()] = true;
        }
        let profiles = &library.profiles;
        let evaluator = profiles.read(profiles.search.prior.unwrap_or("balanced"))?;
        let evaluator = evaluator.spec.into_evaluator(None);
        let evaluator =
            evaluator.context("the default search has no prior that values positions")?;
        let seed = arguments.output.run.seed();
        let experiments = lineups.iter().map(|lineup| ItemEffectsExperiment {
            experiment: Experiment::new(game, lineup, seed, 0..arguments.blocks),
            evaluator: &evaluator,
            is_selected: &is_selected,
        });
        let results = study.play_lineups(lineups, &experiments.collect::<Vec<_>>())?;
        let pilot = |result: LineupResult<ItemEffectsTally>| LineupResult {
            tally: Pilot::of_items(catalog, &is_selected, &result),
            lineup: result.lineup,
            bots: result.bots,
        };
        Ok(results.into_iter().map(pilot).collect())
    }
}

/// Prints how long the games of each lineup take on this machine. `seconds` are those of the pilots.
fn print_duration(
    arguments: &Arguments,
    results: &[LineupResult<Pilot>],
    seconds: impl Iterator<Item = f64>,
) {
    let duration = |(result, seconds): (&LineupResult<Pilot>, f64)| {
        let LineupResult { lineup, tally: pilot, .. } = result;
        let games = tables::games_needed(arguments, pilot);
        let minutes = games.value * seconds / pilot.games.max(1) as f64 / 60.0;
        let minutes = group_digits(minutes.ceil() as i64);
        (games.n > 0).then(|| format!("{minutes} min with {lineup}"))
    };
    let durations: Vec<_> = results.iter().zip(seconds).filter_map(duration).collect();
    if !durations.is_empty() {
        print_info(&format!("on this machine about {}", join_with_and(&durations)));
    }
}
