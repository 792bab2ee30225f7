//! `watershed data vary`: data files with random edits.

use super::read_source;
use crate::{
    config::vary::EditRanges,
    rng::{Purpose, stream},
    study::shared::{prelude::*, training::edited::read_ranges},
};

#[derive(Args, Debug)]
pub(super) struct VaryArguments {
    /// Read this data file, or the built-in one of this game
    #[arg(value_name = "SOURCE", value_hint = ValueHint::FilePath)]
    source: String,
    /// Write the files to this folder
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Set the number of files
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = count::<u64>(1..=100_000))]
    count: u64,
    /// Set the seed of the edits
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = count::<u64>(0..=u64::MAX))]
    seed: u64,
    /// Read the keys that vary and their ranges from this file [default: those of the game]
    #[arg(long, value_name = "FILE")]
    ranges: Option<PathBuf>,
    /// Overwrite existing files
    #[arg(long)]
    force: bool,
}

/// Writes data files with random edits.
pub(super) fn run(games: GameList, arguments: &VaryArguments) -> anyhow::Result<ExitStatus> {
    let VaryArguments { source, out, count, seed, ranges, force } = arguments;
    let (game, file) = read_source(games, source)?;
    game.validate_all(&file)?;
    let ranges = EditRanges::read(&read_ranges(game, ranges.as_deref(), &file)?)?;
    fs::create_dir_all(out).with_context(|| out.display().to_string())?;
    for number in 0..*count {
        let mut rng = stream(*seed, 0, number, Purpose::Edits);
        let edited = game.draw_edits(&ranges, &file, &mut rng)?;
        let differences = edited.differences_from(&file)?;
        let comments = differences.iter().map(|difference| format!("# {difference}\n"));
        let head = format!("# Random edits of {}, seed {seed}:\n", file.shown_name());
        let text = format!("{head}{}\n{}", comments.collect::<String>(), edited.text);
        let path = out.join(format!("{}-{:04}.toml", game.id, number + 1));
        PartialFile::write_for_user(&path, text.as_bytes(), *force)?;
    }
    print_info(&format!("written to {}: {}", out.display(), format_count(*count, "data file")));
    Ok(ExitStatus::Success)
}
