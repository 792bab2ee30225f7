//! `watershed perft --suite`: counts compared with known ones.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};

use super::{
    SequenceCounts,
    arguments::{ChanceArguments, DEFAULT_MAX_POSITIONS, MAX_DEPTH, PerftArguments},
    print_speed,
};
use crate::{
    config::Document,
    games::{GameEntry, GameList},
    report::{
        data_table::{Column, DataTable, Schema},
        terminal::print,
    },
    run::{
        ExitStatus,
        arguments::{DEFAULT_SEED, find_game},
    },
};

/// The built-in suite: games and the texts of their files.
const BUILT_IN: [(&str, &str); 3] = [
    ("the_river", include_str!("../../../tests/perft/the_river.toml")),
    ("glassworks", include_str!("../../../tests/perft/glassworks.toml")),
    ("common_river", include_str!("../../../tests/perft/common_river.toml")),
];

/// A file of known counts.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SuiteFile {
    /// Name of the game.
    game: String,
    case: Vec<Case>,
}

/// Known counts from the start of a game.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    players: usize,
    #[serde(default)]
    seed: Option<u64>,
    #[serde(default)]
    all_chance: bool,
    #[serde(default)]
    sample_setup: bool,
    /// Numbers of sequences of 1, 2, 3, … decisions.
    sequences: Vec<u64>,
}

/// A case that is ready to be counted.
struct BoundCase {
    file: String,
    game: &'static GameEntry,
    data: Document,
    case: Case,
}

/// Known counts, and those that were found.
#[derive(Serialize)]
struct CheckedCase {
    file: String,
    expected: Vec<u64>,
    agrees: bool,
    #[serde(flatten)]
    found: SequenceCounts,
}

/// Results of a suite.
#[derive(Serialize)]
struct SuiteReport {
    agrees: bool,
    nodes: u64,
    seconds: f64,
    nodes_per_s: f64,
    cases: Vec<CheckedCase>,
}

/// Compares the counts of all cases of these files and folders, or of the built-in suite.
pub(super) fn run(
    games: GameList,
    paths: &[PathBuf],
    arguments: &PerftArguments,
) -> anyhow::Result<ExitStatus> {
    // All files are checked before the first count.
    let mut suite = Vec::new();
    for document in read_files(games, paths)? {
        suite.extend(bind_cases(games, &document)?);
    }
    let cases: Vec<_> = suite.into_iter().map(BoundCase::compare).collect::<Result<_, _>>()?;
    let nodes = cases.iter().map(|case| case.found.nodes).sum();
    let seconds = cases.iter().map(|case| case.found.seconds).sum();
    let agrees = cases.iter().all(|case| case.agrees);
    if arguments.json {
        let nodes_per_s = nodes as f64 / seconds;
        let report = SuiteReport { agrees, nodes, seconds, nodes_per_s, cases };
        print(&format!("{}\n", serde_json::to_string_pretty(&report)?));
    } else {
        print(&text(&cases));
        if !arguments.quiet {
            print_speed(nodes, seconds);
        }
    }
    Ok(if agrees { ExitStatus::Success } else { ExitStatus::Negative })
}

/// Reads the files, and the TOML files of the folders, in the order of their names.
fn read_files(games: GameList, paths: &[PathBuf]) -> anyhow::Result<Vec<Document>> {
    if paths.is_empty() {
        // A program with other games has no counts of those that it lacks.
        let known = BUILT_IN.iter().filter(|(game, _)| games.find(game).is_some());
        let document = |(game, text): &(&str, &str)| {
            Document::embedded(&format!("tests/perft/{game}.toml"), text)
        };
        let documents: Vec<_> = known.map(document).collect();
        if documents.is_empty() {
            bail!("--suite: expected files of known counts; none are built in for these games");
        }
        return Ok(documents);
    }
    let mut documents = Vec::new();
    for path in paths {
        let files = if path.is_dir() { toml_files(path)? } else { vec![path.clone()] };
        for file in files {
            documents.push(Document::read(&file)?);
        }
    }
    Ok(documents)
}

fn toml_files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let name = folder.display();
    let entries = fs::read_dir(folder).with_context(|| format!("{name}: can't be read"))?;
    let paths: Result<Vec<_>, _> = entries.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut paths = paths.with_context(|| format!("{name}: can't be read"))?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    if paths.is_empty() {
        bail!("--suite: expected .toml files in the folder {name}, found none");
    }
    paths.sort();
    Ok(paths)
}

/// Checks a file and returns its cases.
fn bind_cases(games: GameList, document: &Document) -> anyhow::Result<Vec<BoundCase>> {
    let SuiteFile { game: name, case: cases } = document.parse()?;
    let game =
        find_game(games, &name).map_err(|error| document.error("game", error.to_string()))?;
    if cases.is_empty() {
        return Err(document.error("case", "expected at least one case, found none").into());
    }
    let mut bound = Vec::new();
    for (index, case) in cases.into_iter().enumerate() {
        let error =
            |key: &str, message: String| document.error(&format!("case[{index}].{key}"), message);
        let range = game.min_players..=game.max_players;
        if !range.contains(&case.players) {
            let message = format!(
                "expected {} to {} for {name}, found {}",
                range.start(),
                range.end(),
                case.players
            );
            return Err(error("players", message).into());
        }
        let depth = case.sequences.len();
        if !(1..=MAX_DEPTH as usize).contains(&depth) {
            let message = format!("expected 1 to {MAX_DEPTH} counts, found {depth}");
            return Err(error("sequences", message).into());
        }
        if case.sample_setup && !case.all_chance {
            let message = "expected `all_chance = true` beside it".to_owned();
            return Err(error("sample_setup", message).into());
        }
        let (file, data) = (document.name.clone(), game.default_document());
        bound.push(BoundCase { file, game, data, case });
    }
    Ok(bound)
}

impl BoundCase {
    fn compare(self) -> anyhow::Result<CheckedCase> {
        let Self { file, game, data, case } = self;
        let Case { players, seed, all_chance, sample_setup, sequences: expected } = case;
        let chance = ChanceArguments {
            seed: seed.unwrap_or(DEFAULT_SEED),
            all_chance,
            sample_setup,
            max_positions: DEFAULT_MAX_POSITIONS,
        };
        let depth = expected.len() as u32;
        let found = SequenceCounts::new(&*game.open(&data, players)?, &chance, depth);
        let found = found.with_context(|| format!("{file}: {players} players"))?;
        let agrees = found.sequences == expected && found.wrong_probability().is_none();
        Ok(CheckedCase { file, expected, agrees, found })
    }
}

/// Returns the comparisons for the terminal.
fn text(cases: &[CheckedCase]) -> String {
    let schema = Schema::new("perft", "Known counts and those that were found.")
        .column(Column::text("game", "game", "Game."))
        .column(Column::integer("players", "players", "Number of players."))
        .column(Column::integer("seed", "seed", "Seed of the chance streams."))
        .column(Column::text("chance", "chance", "Treatment of chance."))
        .column(Column::integer("depth", "depth", "Number of decisions."))
        .column(Column::integer("sequences", "sequences", "Sequences of the greatest length."))
        .column(Column::text("result", "result", "Result of the comparison."));
    let mut table = DataTable::new(schema, "");
    for CheckedCase { expected, found, agrees, .. } in cases {
        let SequenceCounts { game, players, chance, .. } = found;
        let seed = (!chance.all_chance || chance.sample_setup).then_some(chance.seed);
        let treatment = match chance {
            ChanceArguments { all_chance: false, .. } => "sampled",
            ChanceArguments { sample_setup: true, .. } => "all after setup",
            ChanceArguments { .. } => "all",
        };
        table.push([
            game.into(),
            (*players).into(),
            seed.into(),
            treatment.into(),
            expected.len().into(),
            found.nodes.into(),
            if *agrees { "agrees" } else { "differs" }.into(),
        ]);
    }
    let agreeing = cases.iter().filter(|case| case.agrees).count();
    let mut text = format!("{agreeing} of {} cases agree with the known counts.\n\n", cases.len());
    text += &table.view().text();
    for CheckedCase { file, expected, found, agrees } in cases {
        if !agrees {
            let SequenceCounts { game, players, sequences, .. } = found;
            text += &format!(
                "\n{file}: {game}, {players} players\n  expected {expected:?}\n  found    \
                 {sequences:?}\n"
            );
        }
    }
    text
}
