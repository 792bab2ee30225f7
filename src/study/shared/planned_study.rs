//! The skeleton of a study: its flags, its folder, its games, its answer.

use super::several_players::SeveralPlayers;
use crate::{
    report::origin::game_title,
    run::{
        arguments::OutputArguments,
        files::ensure_distinct_outputs,
        finish::{StudyResults, finished_status},
        lineups::distinct_bots,
        new_study::{NewStudy, StudyExtras},
        page::StudyPage,
    },
    study::shared::prelude::*,
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

    /// Opens the game of the study.
    ///
    /// # Errors
    /// If there is no such game, or its data file is invalid.
    pub(crate) fn open<'a>(
        &'a self,
        games: GameList,
        command: &'a RepeatCommand,
    ) -> anyhow::Result<OpenedStudy<'a, O>> {
        let selection = self.game.resolve(games)?;
        let game = selection.open()?;
        Ok(OpenedStudy { arguments: self, selection, game, command })
    }

    /// Returns the games of each lineup, given with their number, rounded up to whole blocks.
    pub(crate) fn experiments<'a>(
        &self,
        lineups: &'a [Vec<BotFactory>],
        games: &[u64],
    ) -> Vec<Experiment<'a>> {
        let games = lineups.iter().zip(games);
        games.map(|(lineup, &games)| self.output.run.new_experiment(lineup, games)).collect()
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
            players: game.seats(),
            command,
            documents: vec![&selection.document],
            shown: vec![("", &selection.document)],
            provenance: &selection.provenance,
            inputs: vec![("--config", selection.config.as_deref())],
            outputs: Vec::new(),
            extras: StudyExtras::default(),
            folder: None,
            bots: bots.into_iter().collect(),
            max_blocks,
            grows: false,
        }
    }
}

/// The flags of a study with its game and the command that repeats it, as it was given.
pub(crate) struct OpenedStudy<'a, O: Args> {
    pub(crate) arguments: &'a StudyArguments<O>,
    pub(crate) selection: GameSelection,
    pub(crate) game: BoundGame,
    pub(crate) command: &'a RepeatCommand,
}

impl<O: Args> OpenedStudy<'_, O> {
    /// Plans the study. `max_blocks` is the largest number of blocks of a lineup.
    pub(crate) fn plan<'a>(
        &'a self,
        bots: impl IntoIterator<Item = &'a BotFactory>,
        max_blocks: u64,
    ) -> PlannedStudy<'a> {
        self.arguments.plan(&self.selection, &self.game, self.command, bots, max_blocks)
    }

    /// Plans the study of these games, each of a lineup.
    pub(crate) fn plan_lineups<'a>(&'a self, games: &[Experiment<'a>]) -> PlannedStudy<'a> {
        let bots = games.iter().flat_map(|experiment| experiment.lineup);
        let max_blocks = games.iter().map(|experiment| experiment.blocks.end).max();
        self.plan(bots, max_blocks.unwrap_or(0))
    }
}

/// A study before its games.
pub(crate) struct PlannedStudy<'a> {
    pub(crate) parts: &'a PartArguments,
    pub(crate) output: &'a OutputArguments,
    pub(crate) game: &'a BoundGame,
    /// Number of players; 0 for all numbers of the game.
    pub(crate) players: usize,
    /// The command that repeats it, as it was given.
    pub(crate) command: &'a RepeatCommand,
    /// The data files that it reads, the first one is that of the manifest.
    pub(crate) documents: Vec<&'a Document>,
    /// The data files that the page describes, with labels if there are several.
    pub(crate) shown: Vec<(&'a str, &'a Document)>,
    pub(crate) provenance: &'a Claim,
    /// The files that it reads, with the flags that name them.
    pub(crate) inputs: Vec<(&'a str, Option<&'a Path>)>,
    /// The files that users name for its output, with their flags.
    pub(crate) outputs: Vec<(&'a str, Option<&'a Path>)>,
    pub(crate) extras: StudyExtras<'a>,
    /// The output folder, if work before the games has locked it.
    pub(crate) folder: Option<RunFolder>,
    pub(crate) bots: Vec<&'a BotFactory>,
    /// Largest number of blocks of a lineup.
    pub(crate) max_blocks: u64,
    /// True if the blocks of fewer games are the first ones of more games.
    pub(crate) grows: bool,
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

impl<Q> StudyAnswer<Option<Q>> {
    /// Returns the answer of a study that is interrupted before its games. `title` is that of the
    /// page.
    pub(crate) fn interrupted(title: &str) -> Self {
        let mut report = StudyReport::new(title);
        report.answer("Interrupted; --resume continues.");
        Self { own: None, counts: GameCounts::sum(0, []), report, is_negative: false }
    }
}

impl PlannedStudy<'_> {
    /// Lets a finished study grow: the blocks of fewer games are the first ones of more games.
    #[must_use]
    pub(crate) fn growing(self) -> Self {
        Self { grows: true, ..self }
    }

    /// Opens the output folder, plays the games that were not played before, and writes the answer.
    /// A study that is finished is not played again.
    ///
    /// # Errors
    /// If the folder holds something else, or if `play` fails.
    pub(crate) fn run<Q: Serialize>(
        mut self,
        play: impl FnOnce(&mut StudyRun<'_>) -> anyhow::Result<StudyAnswer<Q>>,
    ) -> anyhow::Result<ExitStatus> {
        let (provenance, shown) = (self.provenance, std::mem::take(&mut self.shown));
        let data = DataSource::new(self.documents[0], provenance);
        let title = format!(
            "{}, {}: {}",
            game_title(self.documents[0], self.game.id()),
            format_count(self.game.seats(), "player"),
            Some(&self.documents[0].name)
                .filter(|name| !name.starts_with('<'))
                .map_or("built-in data", String::as_str)
        );
        self.begin(|mut study, bots| {
            let StudyAnswer { own, counts, mut report, is_negative } = play(&mut study)?;
            let bots = &[study.made_bots(), bots].concat();
            if is_negative {
                study.mark_negative();
            }
            if let Some(sentence) = study.invalid_sentence(counts.games) {
                report.replace_answer(&sentence);
            }
            let RenderedReport { text, page: body, tables, mut screen } = report.render(provenance);
            if !screen.is_own() {
                screen.title = title;
                screen.games = format_count(counts.games, "game");
            }
            let page = body.map(|body| {
                StudyPage { body, bots, data: &shown, provenance }.render(&study, counts)
            });
            let question = StudyQuestion { data, bots, own, counts };
            let games = counts.games;
            study.finish(StudyResults { question, games, tables, text, page, screen })
        })
    }

    /// Opens the output folder and lets `play` play and finish the study, with the descriptions of
    /// its bots. A study that is finished is not played again.
    ///
    /// # Errors
    /// As [`PlannedStudy::run`], or if two outputs have the same name.
    pub(crate) fn begin(
        self,
        play: impl FnOnce(StudyRun<'_>, &[BotDescription]) -> anyhow::Result<ExitStatus>,
    ) -> anyhow::Result<ExitStatus> {
        let Self { parts, output, game, players, command, documents, .. } = self;
        let Self { bots, inputs, outputs, .. } = self;
        let pool = output.run.thread_pool(self.max_blocks, bots.iter().copied())?;
        let folder = match self.folder {
            Some(folder) => folder,
            None => parts.lock_folder(output, game, &inputs)?,
        };
        ensure_distinct_outputs(&folder, &inputs, &outputs)?;
        let bots = distinct_bots(bots);
        let data = self.extras.data.map_or_else(|| documents.clone(), |data| vec![data]);
        let study = NewStudy {
            command,
            identity: RunIdentity::new(game.id(), players, output.run.seed)
                .with_data(&data, game.library().profiles.built_in),
            documents: &documents,
            bots: &bots,
            max_blocks: self.max_blocks,
            grows: self.grows,
            extras: self.extras,
        };
        match study.open(output, parts, &folder, &pool)? {
            Some(study) => play(study, &bots),
            None => Ok(finished_status(&folder, players, output)),
        }
    }
}

/// Returns the largest number of blocks of a lineup. `games` has the games of each.
pub(crate) fn max_blocks(lineups: &[Vec<BotFactory>], games: &[u64]) -> u64 {
    let blocks = lineups.iter().zip(games);
    let blocks = blocks.map(|(lineup, games)| Rotations::new(lineup).blocks_for_games(*games));
    blocks.max().unwrap_or(0)
}
