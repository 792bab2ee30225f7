//! Files of puzzles.

use crate::{
    analysis::puzzle::line::{Posed, PuzzleLine},
    run::paths::partial_name,
    study::shared::prelude::*,
};

/// Reads the puzzles of a file, of which there is at least one, all of one game.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<PuzzleLine>> {
    let name = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("{name}: can't be read"))?;
    let puzzles = parse(&text, path)?;
    ensure!(!puzzles.is_empty(), "{name}: has no puzzle");
    Ok(puzzles)
}

/// Reads the puzzles of an interrupted command: of the unfinished file if there is one. It may end
/// within a line.
pub(super) fn read_interrupted(path: &Path) -> anyhow::Result<Vec<PuzzleLine>> {
    let partial = partial_name(path);
    let path = if partial.exists() { partial.as_path() } else { path };
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text =
        fs::read_to_string(path).with_context(|| format!("{}: can't be read", path.display()))?;
    parse(text.rfind('\n').map_or("", |end| &text[..end]), path)
}

/// Parses puzzles, all of one game.
fn parse(text: &str, path: &Path) -> anyhow::Result<Vec<PuzzleLine>> {
    let name = path.display();
    let mut puzzles: Vec<PuzzleLine> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let puzzle =
            PuzzleLine::parse(line).map_err(|problem| anyhow!("{name}:{number}: {problem}"))?;
        let rules = |puzzle: &PuzzleLine| {
            (puzzle.game.clone(), puzzle.players, puzzle.config_sha256.clone())
        };
        if puzzles.first().is_some_and(|first| rules(first) != rules(&puzzle)) {
            bail!("{name}:{number}: expected the game, players and data of the first puzzle");
        }
        puzzles.push(puzzle);
    }
    Ok(puzzles)
}

/// Reads the data file of the game of puzzles.
pub(super) fn select_game(
    games: GameList,
    puzzle: &PuzzleLine,
    config: Option<&Path>,
    path: &Path,
) -> anyhow::Result<GameSelection> {
    RecordedRules::from(puzzle).select(games, config, &path.display().to_string())
}

/// Reads the positions and actions of puzzles.
pub(super) fn pose<'a>(
    game: &BoundGame,
    puzzles: &'a [PuzzleLine],
) -> anyhow::Result<Vec<Posed<'a>>> {
    let posed = puzzles.iter().map(|line| game.pose(line).map_err(anyhow::Error::msg));
    posed.collect()
}
