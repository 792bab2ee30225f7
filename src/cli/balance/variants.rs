//! Playing several data files of one game on the same deals, for `compare` and `sweep`.

use std::{path::PathBuf, time::Instant};

use anyhow::{Context as _, bail};
use clap::Args;

use crate::{
    arena::{
        figures::Figures,
        run::Experiment,
        schedule::{Rotations, different},
        variants::Variants,
    },
    bots::profile::{Library, Profile},
    cli::{
        Ending, note, print,
        progress::{progress_bar, stop_on_interrupt},
        selection::{DEFAULT_OUT, DEFAULT_SEED, Selection, read_bots, thread_pool},
    },
    config::Document,
    game::FullGame,
    games::{GameName, VariantsTask},
    report::{
        comparison::{Comparison, Layout, Rung},
        manifest::{self, ComparisonManifest, RungOfComparison, Timing},
        output::RunFolder,
    },
};

const DEFAULT_GAMES: u64 = 10_000;

/// How data files are to be played.
#[derive(Args, Debug)]
pub(in crate::cli) struct PlayArguments {
    /// One bot per seat: names of profiles, paths, or kind:key=value:key=value; `name*` fills all seats [default: the game's first, in all seats]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', conflicts_with = "ladder")]
    bots: Option<Vec<String>>,
    /// Bots of rising skill; each plays in all seats, and every figure is given for each
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    ladder: Option<Vec<String>>,
    /// How many games under each data file, by each bot of a ladder, rounded up to whole blocks
    #[arg(long, value_name = "N", default_value_t = DEFAULT_GAMES, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// The master seed; with the same seed everything is the same
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    seed: u64,
    /// The folder to write to [default: results/latest, which is overwritten]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Overwrite a finished run
    #[arg(long)]
    force: bool,
    /// How many threads [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// No progress and no messages
    #[arg(long)]
    quiet: bool,
}

/// Which data files are compared; the others are compared to the first.
pub(super) struct Plan {
    pub(super) game: GameName,
    pub(super) players: usize,
    /// The command without the flags of [`PlayArguments`].
    pub(super) command: String,
    pub(super) labels: Labels,
    pub(super) variants: Vec<Variant>,
}

/// How the data files are called.
pub(super) enum Labels {
    /// A and B.
    SideBySide,
    /// By the value of a key.
    ByValue(Vec<String>),
}

/// A data file.
pub(super) struct Variant {
    pub(super) document: Document,
    pub(super) provenance: String,
}

impl From<Selection> for Variant {
    fn from(selection: Selection) -> Self {
        Self { document: selection.document, provenance: selection.provenance }
    }
}

/// Plays all data files and writes how they differ.
pub(super) fn play(plan: &Plan, wishes: &PlayArguments) -> anyhow::Result<Ending> {
    let pool = thread_pool(wishes.threads)?;
    let documents: Vec<_> = plan.variants.iter().map(|variant| variant.document.clone()).collect();
    pool.install(|| plan.game.with_each(&documents, plan.players, Compare { plan, wishes }))?
}

struct Compare<'a> {
    plan: &'a Plan,
    wishes: &'a PlayArguments,
}

impl VariantsTask for Compare<'_> {
    type Output = anyhow::Result<Ending>;

    fn run<G: FullGame>(self, games: &[G], library: &Library<'_>) -> anyhow::Result<Ending> {
        let Self { plan, wishes } = self;
        let tables = self.bots(library)?;
        let figures = Figures::new(games, tables.first().map_or(0, |bots| different_bots(bots).len()));
        let rotations: Vec<_> = tables.iter().map(|bots| rotations(bots)).collect();
        let games_planned = self.games_planned(&rotations, games.len())?;
        let folder = RunFolder::create(&wishes.out.clone().unwrap_or_else(|| DEFAULT_OUT.into()), wishes.force || wishes.out.is_none())?;

        let started = Instant::now();
        let bar = progress_bar(games_planned, wishes.quiet);
        let stop = stop_on_interrupt()?;
        let mut rungs = Vec::new();
        for (bots, rotations) in tables.iter().zip(&rotations) {
            let names: Vec<_> = bots.iter().map(|bot| bot.name.as_str()).collect();
            bar.set_message(names.join(","));
            let experiment = |game, config_sha256| Experiment {
                game,
                game_name: plan.game.as_str(),
                config_sha256,
                bots,
                seed: wishes.seed,
                blocks: 0..rotations.blocks_for(wishes.games),
                opening_steps: 0,
                records: false,
                legal: false,
                games: false,
                trace: false,
            };
            // Nothing that is counted names the data file.
            let experiments = games.iter().map(|game| experiment(game, "")).collect();
            let tally = Variants { experiments, figures: &figures }.run(stop, &|games| bar.inc(games));
            rungs.push(Rung { bots: bots_text(&names), different: different_bots(bots), tally });
        }
        bar.finish_and_clear();
        let provenance = self.provenance();
        let layout = match &plan.labels {
            Labels::SideBySide => Layout::SideBySide,
            Labels::ByValue(values) => Layout::ByValue(values),
        };
        let comparison = Comparison { figures: &figures, layout, rungs: &rungs, provenance: &provenance };
        let tables_written = comparison.tables();
        let wall_seconds = started.elapsed().as_secs_f64();
        let games_played = games.len() as u64 * rungs.iter().map(|rung| rung.tally.games).sum::<u64>();
        let complete = games_played == games_planned;
        let manifest = ComparisonManifest {
            format: manifest::FORMAT,
            command: self.command(&tables),
            version: env!("CARGO_PKG_VERSION"),
            game: plan.game.as_str(),
            variants: self.variants(),
            players: plan.players,
            rungs: tables
                .iter()
                .zip(&rotations)
                .zip(&rungs)
                .map(|((bots, rotations), rung)| RungOfComparison {
                    bots: bots.iter().map(Into::into).collect(),
                    games_per_block: rotations.len(),
                    blocks: rung.tally.blocks,
                    games: rung.tally.games,
                })
                .collect(),
            seed: wishes.seed,
            games_planned,
            complete,
            files: tables_written.iter().map(|(name, _)| name.clone()).collect(),
            timing: Timing {
                threads: rayon::current_num_threads(),
                wall_seconds,
                games_per_second: games_played as f64 / wall_seconds.max(1e-9),
            },
        };
        // The manifest goes first and comes last: beside it, every file is of its run.
        folder.remove_run()?;
        for (name, contents) in &tables_written {
            folder.write(name, contents)?;
        }
        folder.write(manifest::FILE, &manifest.to_json())?;

        print(&format!("{}\n{}{}", manifest.command, self.heading(&provenance), comparison.text()));
        if !wishes.quiet {
            let games_per_second = manifest.timing.games_per_second;
            let folder = folder.path().display();
            note(&format!("{games_played} games in {wall_seconds:.1} s ({games_per_second:.0} a second), written to {folder}"));
        }
        if !complete {
            note(&format!("interrupted: {games_played} of {games_planned} games are done and written, marked as incomplete"));
        }
        Ok(if complete { Ending::Done } else { Ending::No })
    }
}

/// The names of the different bots.
fn different_bots(bots: &[Profile]) -> Vec<String> {
    let names: Vec<_> = bots.iter().map(|bot| bot.name.clone()).collect();
    different(&names).0.into_iter().map(|bot| names[bot].clone()).collect()
}

/// What bots are called together: the one that is in all seats, or all of them.
fn bots_text(names: &[&str]) -> String {
    if names.iter().all(|name| *name == names[0]) { names[0].to_owned() } else { names.join(",") }
}

fn rotations(bots: &[Profile]) -> Rotations {
    let parameters: Vec<_> = bots.iter().map(|bot| (&bot.name, &bot.spec)).collect();
    Rotations::new(&parameters)
}

impl Compare<'_> {
    /// The bots in the seats, for each set of bots that is to play.
    fn bots(&self, library: &Library<'_>) -> anyhow::Result<Vec<Vec<Profile>>> {
        let players = self.plan.players;
        if let Some(ladder) = &self.wishes.ladder {
            if let Some((_, twice)) = ladder.iter().enumerate().find(|(index, name)| ladder[..*index].contains(name)) {
                bail!("--ladder: expected different bots, found `{twice}` twice");
            }
            return ladder.iter().map(|name| Ok(vec![library.read(name).context("--ladder")?; players])).collect();
        }
        let first = || library.profiles.iter().take(1).map(|(name, _)| format!("{name}*")).collect();
        let names = self.wishes.bots.clone().unwrap_or_else(first);
        Ok(vec![read_bots(library, players, &names)?])
    }

    fn games_planned(&self, rotations: &[Rotations], variants: usize) -> anyhow::Result<u64> {
        let games = rotations.iter().try_fold(0_u64, |sum, rotations| {
            let games = rotations.blocks_for(self.wishes.games).checked_mul(rotations.len())?.checked_mul(variants as u64)?;
            sum.checked_add(games)
        });
        games.with_context(|| format!("--games: expected fewer, found {}", self.wishes.games))
    }

    /// The provenance marks of all data files, each once.
    fn provenance(&self) -> String {
        let mut marks: Vec<&str> = Vec::new();
        for variant in &self.plan.variants {
            if !marks.contains(&variant.provenance.as_str()) {
                marks.push(&variant.provenance);
            }
        }
        marks.join(" / ")
    }

    fn variants(&self) -> Vec<manifest::Variant<'_>> {
        let Plan { labels, variants, .. } = self.plan;
        let label = |index: usize| match labels {
            Labels::SideBySide => ["A", "B"][index],
            Labels::ByValue(values) => &values[index],
        };
        let named = variants.iter().enumerate().map(|(index, variant)| (label(index), variant));
        named
            .map(|(label, Variant { document, provenance })| manifest::Variant {
                label,
                config: &document.name,
                config_sha256: document.sha256(),
                provenance,
            })
            .collect()
    }

    fn heading(&self, provenance: &str) -> String {
        let files: String = match &self.plan.labels {
            Labels::SideBySide => self.variants().iter().map(|variant| format!("{}: {}\n", variant.label, variant.config)).collect(),
            Labels::ByValue(_) => String::new(),
        };
        format!("{files}data: {} (the data files mark their values)\n", provenance.lines().next().unwrap_or_default())
    }

    /// The command that makes the comparison again, whatever its threads and folders were.
    fn command(&self, tables: &[Vec<Profile>]) -> String {
        let names = |bots: &[&Profile]| bots.iter().map(|bot| bot.name.clone()).collect::<Vec<_>>().join(",");
        let bots = if self.wishes.ladder.is_some() {
            format!("--ladder {}", names(&tables.iter().map(|bots| &bots[0]).collect::<Vec<_>>()))
        } else {
            format!("--bots {}", names(&tables[0].iter().collect::<Vec<_>>()))
        };
        format!("watershed balance {} {bots} --games {} --seed {}", self.plan.command, self.wishes.games, self.wishes.seed)
    }
}
