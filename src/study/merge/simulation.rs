//! Merging the shards of `simulate`.

use std::{
    fs::File,
    io::{Seek as _, SeekFrom},
};

use anyhow::{Context as _, ensure};

use super::{
    super::simulate::{results::write_results, tables::games_header},
    MergeArguments,
    shards::SavedShard,
};
use crate::{
    arena::tally::Tally,
    config::Document,
    games::GameList,
    report::terminal::print_info,
    run::{
        ExitStatus,
        arguments::find_game,
        checkpoint::{Checkpoint, GAMES},
        files::lock_folder,
        manifest::RunIdentity,
        sealed,
        writer::RunWriter,
    },
};

/// Merges the shards of a simulation.
pub(super) fn merge(
    games: GameList,
    arguments: &MergeArguments,
    shards: &[SavedShard<Checkpoint>],
) -> anyhow::Result<ExitStatus> {
    let Checkpoint { setup, data, .. } = shards[0].checkpoint.clone();
    let RunIdentity { game: name, players, .. } = setup.identity;
    let folder = shards[0].folder.display();
    let entry = find_game(games, &name).with_context(|| format!("{folder}: game"))?;
    let document = Document { name: setup.question.data.config, text: data };
    let game = &*entry.open(&document, players)?;
    let mut whole = shards[0].checkpoint.whole_run();
    whole.tally = Tally::for_game(game.catalog(), whole.setup.distinct_bots().len());
    whole.panel.fill(Tally::for_game(game.catalog(), 1));
    whole.threads = shards.iter().map(|saved| saved.checkpoint.threads).max().unwrap_or(0);
    whole.seconds = shards.iter().map(|saved| saved.checkpoint.seconds).sum();
    for SavedShard { folder, checkpoint, .. } in shards {
        ensure!(
            checkpoint.has_same_shape(&whole),
            "{}: {} was changed: it is of another game",
            folder.display(),
            sealed::FILE
        );
    }
    let folder = lock_folder(&arguments.out, game.catalog(), &[])?;
    folder.ensure_writable(arguments.force)?;
    let header = games_header(whole.setup.identity.players);
    let mut writer = RunWriter::create(folder, whole, &header, None, arguments.force)?;
    for SavedShard { folder, checkpoint, .. } in shards {
        let path = folder.join(GAMES);
        let open = |_| {
            let mut file = File::open(&path)?;
            file.seek(SeekFrom::Start(header.len() as u64)).map(|_| file)
        };
        let games = checkpoint.games_csv.as_ref().map(open).transpose();
        let games = games.with_context(|| path.display().to_string())?;
        writer.add_shard(&checkpoint.tally, &checkpoint.panel, games)?;
    }
    let (folder, whole) = writer.finish()?;
    write_results(game, &folder, &whole, arguments.json)?;
    if !arguments.quiet {
        print_info(&format!(
            "{} games of {} shards, written to {}; see report.html",
            whole.tally.games,
            shards.len(),
            arguments.out.display()
        ));
    }
    Ok(ExitStatus::Success)
}
