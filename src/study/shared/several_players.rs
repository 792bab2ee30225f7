//! Studies of several numbers of players: one run for each, and a page with all.

use crate::{
    run::{
        arguments::{OutputArguments, find_game},
        files::{read_manifest, run_file_names},
        manifest, page,
        paths::OutputError,
        players::PlayerNumbers,
    },
    study::shared::{joint_report::write_page, prelude::*},
};

/// The flags of a command that plays a study for each of several numbers of players.
pub(crate) struct SeveralPlayers<'a> {
    pub(crate) players: &'a mut Option<PlayerNumbers>,
    pub(crate) output: &'a mut OutputArguments,
    /// The flags that select the game and its data file.
    pub(crate) game: GameArguments,
    /// Number of bots that are named for the seats.
    pub(crate) bots: usize,
    pub(crate) parts: &'a mut PartArguments,
    /// A flag that is for one number of players only, if it is set.
    pub(crate) refused: Option<&'static str>,
}

/// The runs of a study, one for each number of players.
pub(crate) struct StudyPlan {
    numbers: Vec<usize>,
    /// The folder of the page.
    folder: RunFolder,
    force: bool,
    quiet: bool,
    is_shard: bool,
}

impl SeveralPlayers<'_> {
    /// Checks the flags and clears the folder of the page. Returns `None` if a single number is
    /// selected.
    ///
    /// # Errors
    /// If a number of players is not allowed, a flag is for one number only, or a folder holds a
    /// finished run that may not be overwritten.
    pub(crate) fn plan(self, games: GameList) -> anyhow::Result<Option<StudyPlan>> {
        let Some(numbers) = self.players.as_ref().and_then(PlayerNumbers::several) else {
            return Ok(None);
        };
        let text = self.players.as_ref().map(ToString::to_string).unwrap_or_default();
        if let Some(flag) = self.refused.or(self.output.json.then_some("--json")) {
            anyhow::bail!("{flag}: expected one number of players, found --players {text}");
        }
        ensure!(
            self.bots < 2,
            "--bots: expected one bot for all seats with --players {text}, found {} bots",
            self.bots
        );
        let game = match &self.game.game {
            Some(name) => find_game(games, name).context("--game")?,
            None => games.default_game(),
        };
        let document = match &self.game.config {
            Some(path) => Document::read(path)?,
            None => game.default_document(),
        };
        let allowed = game.player_range(&document)?;
        let (min, max) = (allowed.start(), allowed.end());
        for number in numbers {
            ensure!(
                allowed.contains(number),
                "--players: expected {min} to {max} players ({}), found {number}",
                document.shown_name()
            );
        }
        // The default folder is always overwritten.
        let force = self.output.force || (self.output.out.is_none() && !self.parts.resume);
        let out = self.output.folder().to_owned();
        let folder = RunFolder::lock(&out, run_file_names(&ItemCatalog::new()))?;
        for number in numbers {
            let run = run_folder(&out, *number);
            let saved: serde_json::Value =
                read_manifest(&run.join(manifest::FILE)).unwrap_or_default();
            if saved["complete"] == true && !force && !self.parts.resume {
                return Err(OutputError::Finished(run).into());
            }
        }
        folder.ensure_writable(force || self.parts.resume)?;
        folder.remove_run()?;
        folder.remove(page::FILE)?;
        Ok(Some(StudyPlan {
            numbers: numbers.to_vec(),
            folder,
            force,
            quiet: self.output.run.quiet,
            is_shard: self.parts.shard.is_some(),
        }))
    }

    /// Selects the run of one number of players.
    fn select(self, plan: &StudyPlan, number: usize) {
        *self.players = Some(number.into());
        self.output.out = Some(run_folder(plan.folder.path(), number));
        self.output.force = plan.force;
        self.output.only_answer = true;
    }
}

impl StudyPlan {
    /// Plays the study for each number of players and writes the page. `flags` returns the flags of
    /// the command, and `run` runs it.
    ///
    /// # Errors
    /// If a run fails or the page can't be written.
    pub(crate) fn run<C>(
        &self,
        games: GameList,
        command: &mut C,
        flags: impl Fn(&mut C) -> Option<SeveralPlayers<'_>>,
        run: impl Fn(&C) -> anyhow::Result<ExitStatus>,
    ) -> anyhow::Result<ExitStatus> {
        let mut status = ExitStatus::Success;
        let mut folders = Vec::new();
        for &number in &self.numbers {
            if let Some(flags) = flags(command) {
                flags.select(self, number);
            }
            let folder = run_folder(self.folder.path(), number);
            if run(command).with_context(|| format!("with {number} players"))?
                != ExitStatus::Success
            {
                status = ExitStatus::Negative;
            }
            let saved: serde_json::Value =
                read_manifest(&folder.join(manifest::FILE)).unwrap_or_default();
            if saved["complete"] != true {
                return Ok(ExitStatus::Negative);
            }
            folders.push(folder);
        }
        if self.is_shard {
            return Ok(status);
        }
        let out = self.folder.path().join(page::FILE);
        let summary = write_page(games, &folders, &out, false, None, true)?;
        if !summary.is_empty() {
            print(&format!("\n{}", paragraph(&summary)));
        }
        if !self.quiet {
            print_info(&format!("all numbers of players side by side: {}", out.display()));
        }
        Ok(status)
    }
}

/// Returns the folder of the run of a number of players.
fn run_folder(out: &Path, players: usize) -> PathBuf {
    out.join(format!("players_{players}"))
}
