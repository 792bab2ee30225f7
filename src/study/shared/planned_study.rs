//! The skeleton of a study: its flags, its folder, its games, its answer.

use std::path::Path;

use clap::Args;
use rayon::ThreadPool;
use serde::Serialize;

use super::several_players::SeveralPlayers;
use crate::{
    arena::schedule::Rotations,
    bots::BotFactory,
    bound::BoundGame,
    config::Document,
    report::{origin::BotDescription, provenance::Claim, study_report::StudyReport},
    run::{
        ExitStatus,
        arguments::{GameArguments, GameSelection, OutputArguments},
        command::RepeatCommand,
        files::RunFolder,
        finish::{FinishedStudy, finished_status},
        lineups::distinct_bots,
        manifest::{DataSource, GameCounts, RunIdentity},
        page::StudyPage,
        parts::PartArguments,
        study_run::{NewStudy, StudyRun},
    },
};

#[derive(Args, Debug)]
pub(crate) struct StudyArguments<O: Args> {
    #[command(flatten)]
    pub(crate) game: GameArguments,
    /// The flags that only this study has.
    #[command(flatten)]
    pub(crate) own: O,
    #[command(flatten)]
    pub(crate) parts: PartArguments,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
}

impl<O: Args> StudyArguments<O> {
    /// Returns the random seed.
    pub(crate) fn seed(&self) -> u64 {
        self.output.run.seed
    }

    /// Returns the flags of a study of several numbers of players. `bots` returns the number of
    /// bots that are named for the seats.
    pub(crate) fn several_players(&mut self, bots: impl Fn(&O) -> usize) -> SeveralPlayers<'_> {
        SeveralPlayers {
            game: self.game.clone(),
            players: &mut self.game.players,
            output: &mut self.output,
            bots: bots(&self.own),
            parts: &mut self.parts,
            refused: None,
        }
    }

    /// Plans a study of one data file. `max_blocks` is the largest number of blocks of a lineup.
    pub(crate) fn plan<'a>(
        &'a self,
        selection: &'a GameSelection,
        game: &'a BoundGame,
        command: &'a RepeatCommand,
        bots: impl IntoIterator<Item = &'a BotFactory>,
        max_blocks: u64,
    ) -> PlannedStudy<'a> {
        PlannedStudy {
            parts: &self.parts,
            output: &self.output,
            game,
            command,
            documents: vec![&selection.document],
            shown: vec![("", &selection.document)],
            provenance: &selection.provenance,
            inputs: vec![("--config", selection.config.as_deref())],
            folder: None,
            bots: bots.into_iter().collect(),
            max_blocks,
        }
    }
}

/// A study before its games.
pub(crate) struct PlannedStudy<'a> {
    pub(crate) parts: &'a PartArguments,
    pub(crate) output: &'a OutputArguments,
    pub(crate) game: &'a BoundGame,
    /// The command that repeats it, as it was given.
    pub(crate) command: &'a RepeatCommand,
    /// The data files that it reads, the first one is that of the manifest.
    pub(crate) documents: Vec<&'a Document>,
    /// The data files that the page describes, with labels if there are several.
    pub(crate) shown: Vec<(&'a str, &'a Document)>,
    pub(crate) provenance: &'a Claim,
    /// The files that it reads, with the flags that name them.
    pub(crate) inputs: Vec<(&'a str, Option<&'a Path>)>,
    /// The output folder, if work before the games has locked it.
    pub(crate) folder: Option<RunFolder>,
    pub(crate) bots: Vec<&'a BotFactory>,
    /// Largest number of blocks of a lineup.
    pub(crate) max_blocks: u64,
}

/// A study whose folder is open.
pub(crate) struct OpenStudy<'a> {
    pub(crate) run: StudyRun<'a>,
    pub(crate) pool: &'a ThreadPool,
}

/// The results of a study.
pub(crate) struct StudyAnswer<Q> {
    /// The part of the manifest that only this study has.
    pub(crate) own: Q,
    pub(crate) counts: GameCounts,
    pub(crate) report: StudyReport,
    /// True if the exit code of a complete study is 1.
    pub(crate) is_negative: bool,
}

/// The part of the manifest that all these studies have.
#[derive(Serialize)]
pub(crate) struct StudyQuestion<'a, Q> {
    #[serde(flatten)]
    pub(crate) data: DataSource,
    pub(crate) bots: &'a [BotDescription],
    /// The part that only this study has.
    #[serde(flatten)]
    pub(crate) own: Q,
    #[serde(flatten)]
    pub(crate) counts: GameCounts,
}

impl PlannedStudy<'_> {
    /// Opens the output folder, plays the games that were not played before, and writes the answer.
    /// A study that is finished is not played again.
    ///
    /// # Errors
    /// If the folder holds something else, or if `play` fails.
    pub(crate) fn run<Q: Serialize>(
        self,
        play: impl FnOnce(&mut OpenStudy<'_>) -> anyhow::Result<StudyAnswer<Q>>,
    ) -> anyhow::Result<ExitStatus> {
        let Self { parts, output, game, command, documents, provenance, bots, .. } = self;
        let pool = output.run.thread_pool(self.max_blocks, bots.iter().copied())?;
        let folder = match self.folder {
            Some(folder) => folder,
            None => parts.lock_folder(output, game, &self.inputs)?,
        };
        let bots = distinct_bots(bots);
        let study = NewStudy {
            command,
            identity: RunIdentity::new(game.id(), game.seats(), output.run.seed)
                .with_data(&documents, game.library().profiles.built_in),
            documents: &documents,
            bots: &bots,
            max_blocks: self.max_blocks,
        };
        let run = study.open(output, parts, &folder, &pool)?;
        let Some(run) = run else { return Ok(finished_status(&folder, game.seats(), output)) };
        let mut study = OpenStudy { run, pool: &pool };
        let StudyAnswer { own, counts, report, is_negative } = play(&mut study)?;
        let (text, body, tables) = report.render(provenance);
        let page = body.map(|body| StudyPage { body, bots: &bots, data: &self.shown, provenance });
        let data = DataSource::new(documents[0], provenance);
        let question = StudyQuestion { data, bots: &bots, own, counts };
        if is_negative {
            study.run.mark_negative();
        }
        study.run.finish(FinishedStudy { question, counts, tables, text, page })
    }
}

/// Returns the largest number of blocks of a lineup. `games` has the games of each.
pub(crate) fn max_blocks(lineups: &[Vec<BotFactory>], games: &[u64]) -> u64 {
    let blocks = lineups.iter().zip(games);
    let blocks = blocks.map(|(lineup, games)| Rotations::new(lineup).blocks_for_games(*games));
    blocks.max().unwrap_or(0)
}
