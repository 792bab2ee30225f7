//! Flags of `watershed train`.

use clap::builder::ArgPredicate;

use crate::{
    config::vary::EditRanges,
    run::arguments::{OutputArguments, number},
    study::shared::{
        prelude::*,
        training::{
            Start, TrainingPlan,
            edited::{EditedFiles, read_ranges},
            opponent::FrozenBot,
            parameters::{ADAPTED_GAMES, ADAPTED_GENERATIONS, NetworkTrainingParameters},
        },
    },
};

#[derive(Args, Debug)]
#[command(after_help = "\
The network plays games against itself by search, learns from them what the searches found out, and
plays the next generation of games. A generation replaces the last one if it wins a sequential test.
One network serves all numbers of players, unless --players names one.

Each generation is kept in the folder --work, with its report. `--resume` continues an interrupted
training there. With --shard, machines play the games of one generation together: copy the files
games-* of all shards into one folder, and `--resume` learns from them.

With --edits, most games are on data files with random edits, as `data vary` writes them. The test
then plays half of its games on such files, and the new generation must not be weaker on either.

With --against, one seat is that of the network, in turn, and the bot plays the others. Each
generation plays the next one and --test-games games against the bot, as the same search with its
network or, against a bot without a search, one ply ahead. The profile is that of the generation
with the highest win rate there. `exploit` does this and measures that generation on fresh deals.

Examples:
  watershed train --out river.toml
  watershed train --out river.toml --resume
  watershed train --out river.toml --resume --shard 3/8
  watershed train --start expert --config cheaper.toml --out adapted.toml
  watershed train --start expert --edits 200 --generations 30 --out wide.toml
  watershed train --players 2 --against mcts:iterations=100 --out beats.toml
  watershed match --bots mcts:value=river.toml:prior=river.toml,mcts --games 200")]
pub(crate) struct TrainArguments {
    #[command(flatten)]
    pub(super) game: GameArguments,
    /// Write the profile to this file, and the weights beside it
    #[arg(long, value_name = "FILE.toml")]
    pub(super) out: PathBuf,
    /// Keep the games and the network of each generation in this folder [default: the name of --out
    /// with the extension .training]
    #[arg(long, value_name = "DIR")]
    pub(super) work: Option<PathBuf>,
    /// Continue the training in --work, or begin one if there is none
    #[arg(long)]
    pub(super) resume: bool,
    /// Play shard I of N, from 1 to N, of the games of the next generation into --work, and stop
    #[arg(long, value_name = "I/N")]
    pub(super) shard: Option<Shard>,
    /// Overwrite an existing profile and, without --resume, the training in --work
    #[arg(long)]
    pub(super) force: bool,
    /// Begin with games of this bot, a heuristic or a network; `none` begins without knowledge
    /// [default: the strongest heuristic of the game for each number of players, or `none`]
    #[arg(long, value_name = "BOT")]
    pub(super) start: Option<String>,
    /// Train against this bot, which plays all other seats and does not learn; --start is then by
    /// default its network
    #[arg(long, value_name = "BOT")]
    pub(super) against: Option<String>,
    #[command(flatten)]
    edits: EditArguments,
    /// Set the number of generations of games by search [default: 6, or 3 if --start is a network]
    #[arg(long, value_name = "N", value_parser = count::<u32>(0..=1000))]
    generations: Option<u32>,
    /// Set the number of games per generation [default: 6000, or 1000 if --start is a network]
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..=10_000_000))]
    games: Option<u64>,
    #[command(flatten)]
    parameters: NetworkTrainingParameters,
    #[command(flatten)]
    pub(super) run: RunArguments,
}

/// Flags of the data files with random edits.
#[derive(Args, Debug)]
struct EditArguments {
    /// Play games on N data files with random edits, which are drawn anew in each generation, so
    /// that the network sees what an edit changes
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..=100_000))]
    edits: Option<u64>,
    /// Set the share of the games on these files, from 0 to 1 [default: 0.75]
    #[arg(long, value_name = "S", default_value_if("edits", ArgPredicate::IsPresent, "0.75"),
        requires = "edits", value_parser = |text: &str| number(text, 0.0..=1.0))]
    edit_share: Option<f64>,
    /// Read the keys that vary and their ranges from this file [default: those of the game]
    #[arg(long, value_name = "FILE", requires = "edits")]
    ranges: Option<PathBuf>,
}

impl TrainArguments {
    /// Returns the flags of a study that writes to the folder of the training.
    pub(super) fn output(&self) -> OutputArguments {
        let work = self.work.clone().unwrap_or_else(|| self.out.with_extension("training"));
        OutputArguments {
            run: self.run.clone(),
            out: Some(work),
            force: self.force,
            json: false,
            full: true,
            only_answer: false,
            note: None,
            csv: CsvFormat::Plain,
        }
    }

    /// Plans the training of a game for each number of players.
    pub(super) fn plan<'a>(
        &self,
        selection: &'a GameSelection,
        games: Vec<&'a BoundGame>,
    ) -> anyhow::Result<TrainingPlan<'a>> {
        let against = match &self.against {
            Some(name) => FrozenBot::read_all(&games, name).context("--against")?,
            None => Vec::new(),
        };
        let start_name = FrozenBot::start_name(self.start.as_deref(), &against);
        let start = match Start::read(&games, start_name.as_deref())? {
            Start::Heuristics(_) if self.parameters.start_games == 0 => Start::Nothing,
            start => start,
        };
        Ok(TrainingPlan {
            data: &selection.document,
            games,
            start_name,
            parameters: self.parameters(&start),
            start,
            against,
            edited: self.edited(selection)?,
            seed: self.run.seed,
            is_quiet: self.run.quiet,
        })
    }

    /// Returns the edited files of the training, if there are some.
    fn edited(&self, selection: &GameSelection) -> anyhow::Result<Option<EditedFiles>> {
        let EditArguments { edits, edit_share, ranges } = &self.edits;
        let &Some((count, share)) = &edits.zip(*edit_share) else { return Ok(None) };
        let file = read_ranges(selection.game, ranges.as_deref(), &selection.document)?;
        let ranges = EditRanges::read(&file)?;
        Ok(Some(EditedFiles { game: selection.game, ranges, file, count, share }))
    }

    /// Returns the parameters of a training from this start.
    fn parameters(&self, start: &Start) -> NetworkTrainingParameters {
        let (generations, games) = match start {
            Start::Network(_) => (ADAPTED_GENERATIONS, ADAPTED_GAMES),
            Start::Nothing | Start::Heuristics(_) => (6, 6000),
        };
        NetworkTrainingParameters {
            generations: self.generations.unwrap_or(generations),
            games: self.games.unwrap_or(games),
            ..self.parameters
        }
    }
}
