//! `watershed tune`: better numbers for a profile, found by self-play and confirmed on fresh deals.

use std::{fs, ops::Range, path::PathBuf, sync::atomic::AtomicBool, time::Instant};

use anyhow::{Context as _, bail};
use clap::Args;
use indicatif::ProgressBar;
use rand::RngExt;
use serde::Serialize;
use serde_json::Value;

use super::{
    Ending, note, print,
    progress::{progress_bar, stop_on_interrupt},
    selection::{DEFAULT_SEED, GameArguments, Selection},
};
use crate::{
    arena::{run::Experiment, tally::ALL_SEATS},
    bots::profile::{Library, Profile},
    game::{FullGame, WIN},
    games::Task,
    report::{
        manifest::{self, Bot},
        output::{OutputError, RunFolder},
    },
    rng::{Purpose, stream},
    stats::ratio::{Estimate, Ratio},
    tuning::{
        evolution::Evolution,
        log::{self, Found, Log},
        space::Space,
    },
};

const EVALUATIONS: &str = "evaluations.csv";
const PLAY_OFF: &str = "playoff.csv";
const BEST: &str = "best.toml";
/// The name and version of the manifest's format.
const FORMAT: &str = "watershed.tune/1";

#[derive(Args, Debug)]
#[command(
    after_help = "Each of several independent runs is an evolution strategy (separable CMA-ES). A candidate's worth is its share of wins in one seat against
the opponents in the others, over blocks; all candidates of a generation play the same blocks, and each generation fresh ones. A run ends with the
middle of its last distribution. These and the profile as it was meet in a play-off on fresh blocks against the same opponents. The first of them
must then beat the profile as it was, in all other seats, on fresh blocks again: with the lower end of the 95 % interval of its win rate above one
in the number of players. If it does not, no profile is written, and the exit code is 1.

Without a range, a weight may change by its own size, but at least by the mean size of all weights; another number may become anything from half to
twice what it is, or to 1 where that is its limit.

Examples:
  watershed tune --profile balanced --out results/tuned
  watershed tune --profile balanced --keys weights.tokens,weights.production=0..2 --games 1000 --out results/tuned
  watershed tune --profile mcts:iterations=200 --keys exploration=0.05..1,margin_weight --games 100 --evaluations 60 --out results/search
  watershed simulate --bots results/tuned/best.toml,balanced"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// The bot to begin with: a profile's name, a path, or kind:key=value:key=value
    #[arg(long, value_name = "NAME|PATH")]
    profile: String,
    /// The numbers to tune, with or without limits [default: all weights of a heuristic]
    #[arg(long, value_name = "KEY[=LOW..HIGH],…", value_delimiter = ',')]
    keys: Vec<String>,
    /// The bots in the other seats; `name*` fills them all [default: the profile as it was]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    against: Vec<String>,
    /// Games per candidate, rounded up to whole blocks
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u64).range(1..=MOST))]
    games: u64,
    /// Candidates per run, rounded up to whole generations
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    evaluations: u64,
    /// Independent runs
    #[arg(long, value_name = "R", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=1000))]
    runs: u64,
    /// Games of each bot in the play-off, and of the confirmation, rounded up to whole blocks
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=MOST))]
    playoff_games: u64,
    /// The master seed; with the same seed everything is the same
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    seed: u64,
    /// The folder to write to
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Overwrite a finished run
    #[arg(long, conflicts_with = "resume")]
    force: bool,
    /// Go on with an interrupted run
    #[arg(long)]
    resume: bool,
    /// How many threads [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// No progress and no messages
    #[arg(long)]
    quiet: bool,
}

/// More games than anyone waits for, so that those of all candidates can be counted.
const MOST: u64 = 1_000_000_000;

/// What decides the result: two tunings with equal setups find the same.
#[derive(Serialize)]
struct Setup<'a> {
    version: &'static str,
    game: &'a str,
    config: &'a str,
    config_sha256: &'a str,
    provenance: &'a str,
    players: usize,
    profile: Bot,
    keys: Vec<Limits<'a>>,
    opponents: Vec<Bot>,
    games_per_candidate: u64,
    candidates_per_generation: usize,
    generations: u64,
    runs: u64,
    playoff_games: u64,
    seed: u64,
}

#[derive(Serialize)]
struct Limits<'a> {
    key: &'a str,
    start: Option<f64>,
    low: f64,
    high: f64,
}

/// `run.json`.
#[derive(Serialize)]
struct Manifest<'a> {
    format: &'static str,
    /// The command that makes the run again.
    command: &'a str,
    #[serde(flatten)]
    setup: &'a Setup<'a>,
    /// Whether all of it was done.
    complete: bool,
    /// Whether a better profile was found.
    improved: bool,
    files: Vec<&'static str>,
    /// What differs between two equal runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    timing: Option<Timing>,
}

#[derive(Serialize)]
struct Timing {
    threads: usize,
    /// Wall time in seconds since the run began or went on.
    wall_seconds: f64,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let selection = arguments.game.resolve()?;
    selection.run(arguments.threads, Tune { arguments, selection: &selection })
}

struct Tune<'a> {
    arguments: &'a Arguments,
    selection: &'a Selection,
}

impl Task for Tune<'_> {
    type Output = anyhow::Result<Ending>;

    fn run<G: FullGame>(self, game: &G, library: &Library<'_>) -> anyhow::Result<Ending> {
        let Self { arguments, selection } = self;
        let profile = library.read(&arguments.profile).context("--profile")?;
        let space = Space::new(library, &arguments.profile, &arguments.keys)?;
        let rivals = selection.players - 1;
        let opponents = opponents(library, &arguments.against, &profile, rivals)?;
        let sha256 = selection.document.sha256();
        let population = Evolution::population(space.keys.len());
        let setup = Setup {
            version: env!("CARGO_PKG_VERSION"),
            game: library.game,
            config: &selection.document.name,
            config_sha256: &sha256,
            provenance: &selection.provenance,
            players: selection.players,
            profile: (&profile).into(),
            keys: space.keys.iter().map(|key| Limits { key: &key.name, start: key.start, low: key.low, high: key.high }).collect(),
            opponents: opponents.iter().map(Into::into).collect(),
            games_per_candidate: arguments.games,
            candidates_per_generation: population,
            generations: arguments.evaluations.div_ceil(population as u64),
            runs: arguments.runs,
            playoff_games: arguments.playoff_games,
            seed: arguments.seed,
        };
        let command = command(selection, arguments);
        let mut manifest = Manifest {
            format: FORMAT,
            command: &command,
            setup: &setup,
            complete: false,
            improved: false,
            // What a run that is begun anew must not leave behind.
            files: vec![EVALUATIONS, PLAY_OFF, BEST],
            timing: None,
        };

        let before = if arguments.resume { earlier(arguments, &setup)? } else { None };
        if let Some(before) = before.as_ref().filter(|before| before["complete"] == true) {
            if !arguments.quiet {
                note(&format!("{}: is finished", arguments.out.display()));
            }
            return Ok(if before["improved"] == true { Ending::Done } else { Ending::No });
        }
        let folder = RunFolder::create(&arguments.out, arguments.force)?;
        if before.is_none() {
            folder.remove_run()?;
        }
        let path = folder.path().join(EVALUATIONS);
        let heading = heading(&["run", "generation", "candidate"], &space);
        let log = Log::open(&path, &heading, before.is_some()).map_err(|error| OutputError::Unwritable(path, error))?;
        folder.write(manifest::FILE, &json(&manifest)?)?;

        let started = Instant::now();
        let table = Table { game, stop: stop_on_interrupt()?, bar: progress_bar(0, arguments.quiet) };
        let mut tuning = Tuning { arguments, library, space: &space, setup: &setup, opponents: &opponents, table: &table, log, best: 0.0 };
        let finalists = tuning.finalists()?;
        let play_off = finalists.map(|finalists| tuning.play_off(&profile, &finalists)).transpose()?.flatten();
        let Some(play_off) = play_off else {
            table.bar.finish_and_clear();
            note("interrupted: what was evaluated is written; --resume goes on");
            return Ok(Ending::No);
        };
        table.bar.finish_and_clear();

        folder.write(PLAY_OFF, &play_off.table)?;
        manifest.files = vec![EVALUATIONS, PLAY_OFF];
        let evidence = play_off.evidence(&profile.name, selection.players);
        if let Some(values) = play_off.improvement(selection.players) {
            let description = format!("{}, tuned by self-play: {evidence}; made by: {command}", profile.name);
            folder.write(BEST, space.text(values, &description).as_bytes())?;
            manifest.files.push(BEST);
            manifest.improved = true;
        }
        manifest.complete = true;
        manifest.timing = Some(Timing { threads: rayon::current_num_threads(), wall_seconds: started.elapsed().as_secs_f64() });
        folder.write(manifest::FILE, &json(&manifest)?)?;

        print(&format!("{command}\n\n{}\n{evidence}\n", play_off.summary));
        if manifest.improved {
            print(&format!("written to {}\n", folder.path().join(BEST).display()));
            return Ok(Ending::Done);
        }
        print("no profile written: nothing was found that beats the profile as it was\n");
        Ok(Ending::No)
    }
}

/// Reads the bots in the other seats.
fn opponents(library: &Library<'_>, names: &[String], profile: &Profile, seats: usize) -> anyhow::Result<Vec<Profile>> {
    match names {
        [] => Ok(vec![profile.clone(); seats]),
        [name] if name.ends_with('*') => Ok(vec![library.read(name.trim_end_matches('*')).context("--against")?; seats]),
        names if names.len() != seats => bail!(
            "--against: expected {seats} bots for the other seats of {} players, found {} (one name with `*`, as in `balanced*`, fills them all)",
            seats + 1,
            names.len()
        ),
        names => names.iter().map(|name| library.read(name).context("--against")).collect(),
    }
}

/// The manifest of the run to go on with, if there is one.
fn earlier(arguments: &Arguments, setup: &Setup<'_>) -> anyhow::Result<Option<Value>> {
    let path = arguments.out.join(manifest::FILE);
    let Some(before) = fs::read(&path).ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok()) else { return Ok(None) };
    // Read back like the manifest, so that equal numbers are equal.
    let setup: Value = serde_json::from_slice(&serde_json::to_vec(setup)?)?;
    let different = setup.as_object().into_iter().flatten().find(|(key, value)| before.get(key.as_str()) != Some(value));
    if let Some((key, value)) = different {
        let found = before.get(key).unwrap_or(&Value::Null);
        bail!("{}: holds another run: its `{key}` is {found}, not {value}; expected another folder, or no --resume", path.display());
    }
    Ok(Some(before))
}

/// The command that makes the run again, whatever its threads and folders were.
fn command(selection: &Selection, arguments: &Arguments) -> String {
    let list = |flag: &str, names: &[String]| if names.is_empty() { String::new() } else { format!(" {flag} {}", names.join(",")) };
    format!(
        "watershed tune {} --profile {}{}{} --games {} --evaluations {} --runs {} --playoff-games {} --seed {}",
        selection.flags(),
        arguments.profile,
        list("--keys", &arguments.keys),
        list("--against", &arguments.against),
        arguments.games,
        arguments.evaluations,
        arguments.runs,
        arguments.playoff_games,
        arguments.seed
    )
}

fn json(manifest: &Manifest<'_>) -> serde_json::Result<Vec<u8>> {
    let mut json = serde_json::to_vec_pretty(manifest)?;
    json.push(b'\n');
    Ok(json)
}

fn heading(begins: &[&str], space: &Space) -> Vec<String> {
    let names = begins.iter().copied().chain(space.keys.iter().map(|key| key.name.as_str()));
    names.chain(["games", "wins", "win_rate", "ci_low", "ci_high", "provenance"]).map(str::to_owned).collect()
}

/// The fields of a row that say how a bot did.
fn result(wins: &Ratio, provenance: &str) -> Vec<String> {
    let Estimate { n, value, low, high } = wins.rate(WIN);
    let mut fields = vec![n.to_string(), format!("{:.4}", wins.x as f64 / WIN as f64)];
    fields.extend([value, low, high].map(|share| format!("{share:.6}")));
    fields.push(provenance.to_owned());
    fields
}

/// The win share in a row, the very number it was written with.
fn win_share(fields: &[String]) -> Option<f64> {
    let [games, wins, ..] = fields else { return None };
    let (games, wins) = (games.parse::<u64>().ok()?, wins.parse::<f64>().ok()?);
    Some((wins * WIN as f64).round() / (games as f64 * WIN as f64))
}

fn percent(Estimate { n, value, low, high }: Estimate) -> String {
    format!("{:.1} % [{:.1}, {:.1}] of {n} games", 100.0 * value, 100.0 * low, 100.0 * high)
}

/// Where a bot meets others.
struct Table<'a, G> {
    game: &'a G,
    stop: &'a AtomicBool,
    bar: ProgressBar,
}

impl<G: FullGame> Table<'_, G> {
    /// The wins of a bot in one seat, against others in the other seats; nothing if interrupted.
    fn wins(&self, bot: Profile, opponents: &[Profile], seed: u64, blocks: Range<u64>) -> Option<Ratio> {
        let bots: Vec<_> = std::iter::once(bot).chain(opponents.iter().cloned()).collect();
        let total = Experiment::new(self.game, &bots, seed, blocks.clone()).tally(self.stop, &|games| self.bar.inc(games));
        (total.blocks == blocks.end - blocks.start).then(|| total.bots[0][ALL_SEATS].wins)
    }
}

/// The bot in the candidate's seat; no profile has this name.
const CANDIDATE: &str = "the candidate";

struct Tuning<'a, G> {
    arguments: &'a Arguments,
    library: &'a Library<'a>,
    space: &'a Space,
    setup: &'a Setup<'a>,
    opponents: &'a [Profile],
    table: &'a Table<'a, G>,
    log: Log,
    /// The best win share of a candidate so far.
    best: f64,
}

impl<G: FullGame> Tuning<'_, G> {
    /// The blocks that make at least this many games: the candidate is like no other bot and so sits once in every seat.
    fn blocks(&self, games: u64) -> u64 {
        games.div_ceil(self.setup.players as u64)
    }

    /// The master seed of the games of a part: a run, or after all runs the play-off and the confirmation.
    fn game_seed(&self, part: u64) -> u64 {
        stream(self.arguments.seed, part, 0, Purpose::GameSeed).random()
    }

    /// What each run ends with; nothing if interrupted.
    fn finalists(&mut self) -> anyhow::Result<Option<Vec<Vec<f64>>>> {
        let Setup { runs, generations, candidates_per_generation, .. } = *self.setup;
        let blocks = self.blocks(self.arguments.games);
        let games = blocks * self.setup.players as u64;
        let playoff_games = self.blocks(self.arguments.playoff_games) * self.setup.players as u64;
        self.table.bar.set_length(runs * generations * candidates_per_generation as u64 * games + (runs + 2) * playoff_games);
        let mut finalists = Vec::new();
        for run in 0..runs {
            let mut evolution = Evolution::new(self.space.start(), stream(self.arguments.seed, run, 0, Purpose::Candidates));
            for generation in 0..generations {
                let candidates = evolution.ask();
                let mut shares = Vec::new();
                for (index, candidate) in candidates.iter().enumerate() {
                    let begins = [run, generation, index as u64];
                    let fresh = generation * blocks..(generation + 1) * blocks;
                    let Some(share) = self.evaluate(begins, candidate, games, fresh)? else { return Ok(None) };
                    shares.push(share);
                }
                evolution.tell(&candidates, &shares);
            }
            finalists.push(self.space.values(evolution.mean()));
        }
        Ok(Some(finalists))
    }

    /// The win share of a candidate, from the log if it has it; nothing if interrupted.
    fn evaluate(&mut self, begins: [u64; 3], place: &[f64], games: u64, blocks: Range<u64>) -> anyhow::Result<Option<f64>> {
        let values = self.space.values(place);
        let mut fields: Vec<String> = begins.iter().map(u64::to_string).chain(values.iter().map(f64::to_string)).collect();
        let share = match self.log.next(&fields) {
            Found::Line(result) => {
                self.table.bar.inc(games);
                self.table.bar.reset_eta();
                win_share(&result)
            }
            Found::Other => None,
            Found::End => {
                let candidate = self.space.profile(self.library, CANDIDATE, &values)?;
                let Some(wins) = self.table.wins(candidate, self.opponents, self.game_seed(begins[0]), blocks) else { return Ok(None) };
                let result = result(&wins, self.setup.provenance);
                let share = win_share(&result);
                fields.extend(result);
                self.log.push(&fields).map_err(|error| OutputError::Unwritable(self.arguments.out.join(EVALUATIONS), error))?;
                share
            }
        };
        let Some(share) = share else {
            let file = self.arguments.out.join(EVALUATIONS);
            bail!(
                "{}:{}: expected an evaluation of {}; expected the log of this run, or no --resume",
                file.display(),
                self.log.line(),
                fields.join(",")
            );
        };
        self.best = self.best.max(share);
        let best = 100.0 * self.best;
        let [run, generation, _] = begins.map(|number| number + 1);
        let Setup { runs, generations, .. } = self.setup;
        self.table.bar.set_message(format!("run {run} of {runs}, generation {generation} of {generations}, best so far {best:.1} %"));
        Ok(Some(share))
    }
}

/// What the last stages brought.
struct PlayOff {
    /// `playoff.csv`.
    table: Vec<u8>,
    /// The same for the terminal.
    summary: String,
    /// The values that came first and their wins against the profile as it was; none if that came first itself.
    winner: Option<(Vec<f64>, Ratio)>,
}

impl PlayOff {
    /// The values of a profile that is better beyond doubt.
    fn improvement(&self, players: usize) -> Option<&[f64]> {
        let (values, wins) = self.winner.as_ref()?;
        (wins.rate(WIN).low > 1.0 / players as f64).then_some(values)
    }

    /// What speaks for the winner, or against it, in words.
    fn evidence(&self, profile: &str, players: usize) -> String {
        match &self.winner {
            None => format!("{profile} as it was came first in the play-off"),
            Some((_, wins)) => {
                let fair = 100.0 / players as f64;
                format!(
                    "won {} on fresh deals with {profile} as it was in all other seats, where {fair:.1} % is even",
                    percent(wins.rate(WIN))
                )
            }
        }
    }
}

impl<G: FullGame> Tuning<'_, G> {
    /// Lets the finalists and the profile as it was meet the opponents, and the first of them the profile as it was, each on fresh deals;
    /// nothing if interrupted.
    fn play_off(&self, profile: &Profile, finalists: &[Vec<f64>]) -> anyhow::Result<Option<PlayOff>> {
        let runs = self.setup.runs;
        let provenance = self.setup.provenance;
        let heading = heading(&["stage", "bot"], self.space);
        let mut play_off = PlayOff { table: log::line(&heading), summary: String::new(), winner: None };
        let texts = |values: &[f64]| values.iter().map(f64::to_string).collect::<Vec<_>>();
        let mut row = |stage: &str, bot: &str, values: Vec<String>, wins: &Ratio| {
            let mut fields = vec![stage.to_owned(), bot.to_owned()];
            fields.extend(values);
            fields.extend(result(wins, provenance));
            play_off.table.extend(log::line(&fields));
            play_off.summary += &format!("{stage:12}  {bot:8}  {}\n", percent(wins.rate(WIN)));
        };

        self.table.bar.set_message("play-off");
        let blocks = self.blocks(self.arguments.playoff_games);
        let as_it_was = Profile { name: CANDIDATE.to_owned(), ..profile.clone() };
        let start = self.space.keys.iter().map(|key| key.start.map(|value| value.to_string()).unwrap_or_default()).collect();
        let Some(wins) = self.table.wins(as_it_was, self.opponents, self.game_seed(runs), 0..blocks) else { return Ok(None) };
        row("play-off", "start", start, &wins);
        let mut first = (None, wins.rate(WIN).value);
        for (run, values) in finalists.iter().enumerate() {
            let finalist = self.space.profile(self.library, CANDIDATE, values)?;
            let Some(wins) = self.table.wins(finalist, self.opponents, self.game_seed(runs), 0..blocks) else { return Ok(None) };
            row("play-off", &format!("run {run}"), texts(values), &wins);
            let share = wins.rate(WIN).value;
            if share > first.1 {
                first = (Some((run, values)), share);
            }
        }

        if let (Some((run, values)), _) = first {
            self.table.bar.set_message("confirmation");
            let rivals = vec![profile.clone(); self.opponents.len()];
            let winner = self.space.profile(self.library, CANDIDATE, values)?;
            let Some(wins) = self.table.wins(winner, &rivals, self.game_seed(runs + 1), 0..blocks) else { return Ok(None) };
            row("confirmation", &format!("run {run}"), texts(values), &wins);
            play_off.winner = Some((values.clone(), wins));
        }
        Ok(Some(play_off))
    }
}
