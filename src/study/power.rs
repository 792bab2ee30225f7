//! `watershed balance power`: the number of games that a question needs, from a pilot.

pub(crate) mod arguments;
mod experiment;
mod tables;

use arguments::{PlannedQuestion, PowerArguments};
use experiment::{MatchPilot, Pilot};

use crate::{
    arena::block_experiment::BoxedExperiment,
    run::names::find_item,
    study::shared::{
        planned_study::{PlannedStudy, StudyAnswer, StudyArguments},
        prelude::*,
    },
};

/// Describes all tables that the command can write.
pub(crate) fn schemas() -> Vec<Schema> {
    vec![tables::columns().schema()]
}

/// The part of the manifest that only this study has.
#[derive(Serialize)]
struct PowerQuestion {
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<DataSource>,
}

/// Runs the command.
pub(crate) fn run(
    games: GameList,
    arguments: &StudyArguments<PowerArguments>,
    command: &RepeatCommand,
) -> anyhow::Result<ExitStatus> {
    let own = &arguments.own;
    let [config, variant] = own.data_files(arguments.game.config.as_deref());
    own.ensure_consistent(variant)?;
    let config = config.map(Path::to_owned);
    let selection = &GameArguments { config, ..arguments.game.clone() }.resolve(games)?;
    let variant = resolve_variant(games, variant, selection)?;
    let variant = variant.as_ref();
    let selections: Vec<_> = std::iter::once(selection).chain(variant).collect();
    let documents: Vec<_> = selections.iter().map(|one| &one.document).collect();
    let games = documents.iter().map(|document| selection.game.open(document, selection.players));
    let opened = games.collect::<Result<Vec<_>, _>>()?;
    let games: Vec<&BoundGame> = opened.iter().collect();
    let library = &games[0].library().with_data(documents.iter().copied())?;
    let lineups = &own.lineups.read_lineups(library, selection.players)?;
    ensure_question_fits(own.question, games[0], lineups)?;
    let blocks = own.blocks;
    let planned = |lineup| blocks * Rotations::new(lineup).games_per_block() * games.len() as u64;
    let games_planned = lineups.iter().map(|lineup| planned(lineup)).sum();
    let provenance = &Claim::join(selections.iter().map(|selection| &selection.provenance));
    let mut plan = arguments.plan(selection, games[0], command, lineups.iter().flatten(), blocks);
    plan.inputs.extend(variant.map(|variant| ("--variant", variant.config.as_deref())));
    PlannedStudy { documents, provenance, ..plan }.run(|study| {
        let pilots = Pilots { own, seed: arguments.seed(), games: &games, lineups };
        let results = pilots.play(study)?;
        let played = |pilot: &Pilot| [pilot.blocks, pilot.all_games, pilot.capped];
        let counts = count_games_of(games_planned, &results, played);
        if !arguments.output.run.quiet {
            print_duration(own, &results, study.seconds_of_parts());
        }
        Ok(StudyAnswer {
            own: PowerQuestion {
                variant: variant.map(|one| DataSource::new(&one.document, &one.provenance)),
            },
            counts,
            report: tables::report(own, &results, provenance),
            is_negative: false,
        })
    })
}

/// Reads the second data file, which has the game and players of the first one.
fn resolve_variant(
    games: GameList,
    variant: Option<&Path>,
    selection: &GameSelection,
) -> anyhow::Result<Option<GameSelection>> {
    let variant = variant.map(|variant| {
        let game = Some(selection.game.id.to_owned());
        let players = Some(selection.players.into());
        GameArguments { game, config: Some(variant.to_owned()), players }.resolve(games)
    });
    variant.transpose()
}

impl PowerArguments {
    /// Returns an error if a flag is not of the question.
    fn ensure_consistent(&self, variant: Option<&Path>) -> anyhow::Result<()> {
        ensure!(
            variant.is_some() == (self.question == PlannedQuestion::Compare),
            "--question: expected two data files with `compare`, and only with it, as in \
             `--question compare A.toml B.toml`"
        );
        ensure!(
            self.item.is_empty() || self.question == PlannedQuestion::Ablate,
            "--item: expected --question ablate with it"
        );
        Ok(())
    }
}

/// Returns an error if the question has no answer for the seats and bots.
fn ensure_question_fits(
    question: PlannedQuestion,
    game: &BoundGame,
    lineups: &[Vec<BotFactory>],
) -> anyhow::Result<()> {
    let is_match = question == PlannedQuestion::Match;
    ensure!(game.seats() > 1, "--players: expected at least 2 players, found 1");
    ensure!(
        !is_match || lineups.iter().all(|lineup| Rotations::new(lineup).games_per_block() > 1),
        "--bots: expected different bots for --question match"
    );
    Ok(())
}

/// The pilots of all lineups.
struct Pilots<'a> {
    own: &'a PowerArguments,
    seed: u64,
    /// The game with the data file, and with the variant if there is one.
    games: &'a [&'a BoundGame],
    lineups: &'a [Vec<BotFactory>],
}

impl Pilots<'_> {
    /// Plays the pilot of each lineup.
    fn play(&self, study: &mut StudyRun<'_>) -> anyhow::Result<Vec<LineupResult<Pilot>>> {
        match self.own.question {
            PlannedQuestion::Ablate => self.play_items(study),
            PlannedQuestion::Match => self.play_matches(study),
            PlannedQuestion::TurnOrder | PlannedQuestion::Compare => self.play_turn_order(study),
        }
    }

    /// Returns the games of each lineup.
    fn experiments(&self) -> impl Iterator<Item = Experiment<'_>> {
        let (seed, blocks) = (self.seed, self.own.blocks);
        self.lineups.iter().map(move |lineup| Experiment::new(lineup, seed, 0..blocks))
    }

    /// Plays pilots of the access to items.
    fn play_items(&self, study: &mut StudyRun<'_>) -> anyhow::Result<Vec<LineupResult<Pilot>>> {
        let (own, game) = (self.own, self.games[0]);
        let catalog = game.catalog();
        let mut is_selected = vec![own.item.is_empty(); catalog.len()];
        for name in &own.item {
            is_selected[find_item(catalog, name).context("--item")?.index()] = true;
        }
        let experiments = self.experiments();
        let experiments =
            experiments.map(|games| game.item_effects(games, &is_selected, ForkArms::All));
        let pilot = |tally: &_| Pilot::of_items(catalog, &is_selected, tally);
        Ok(pilots(study.play_lineups(experiments)?, pilot))
    }

    /// Plays pilots of matches between the bots of each lineup.
    fn play_matches(&self, study: &mut StudyRun<'_>) -> anyhow::Result<Vec<LineupResult<Pilot>>> {
        let game = self.games[0];
        let experiments = self.experiments();
        let experiments = experiments
            .map(|experiment| Box::new(MatchPilot { game, experiment }) as BoxedExperiment<'_, _>);
        Ok(pilots(study.play_lineups(experiments)?, Pilot::of_match))
    }

    /// Plays pilots of the turn positions under one data file, or under both of a comparison.
    fn play_turn_order(
        &self,
        study: &mut StudyRun<'_>,
    ) -> anyhow::Result<Vec<LineupResult<Pilot>>> {
        let game = self.games[0];
        let is_comparison = self.own.question == PlannedQuestion::Compare;
        let experiments = self.experiments().map(|one| game.turn_order(self.games, one));
        let pilot = |tally: &_| Pilot::of_turn_order(tally, is_comparison, game.seats());
        Ok(pilots(study.play_lineups(experiments)?, pilot))
    }
}

/// Analyses the results of each lineup.
fn pilots<T>(
    results: Vec<LineupResult<T>>,
    pilot: impl Fn(&T) -> Pilot,
) -> Vec<LineupResult<Pilot>> {
    results.into_iter().map(|result| result.map(|tally| pilot(&tally))).collect()
}

/// Prints how long the games of each lineup take on this machine. `seconds` are those of the
/// pilots.
fn print_duration(
    arguments: &PowerArguments,
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
