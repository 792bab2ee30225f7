//! Files of puzzles.

use crate::{
    analysis::puzzle::line::PuzzleLine, arena::record::read_lines, run::paths::partial_name,
    study::shared::prelude::*,
};

/// Reads the puzzles of a file, of which there is at least one, all of one game.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<PuzzleLine>> {
    let mut parse = parser();
    let puzzles = read_lines(path, |line| parse(&String::from_utf8_lossy(line)))?;
    let puzzles = puzzles.collect::<Result<Vec<_>, _>>()?;
    ensure!(!puzzles.is_empty(), "{}: has no puzzle", path.display());
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
    let name = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("{name}: can't be read"))?;
    let lines = text.rfind('\n').map_or("", |end| &text[..end]).lines();
    let mut parse = parser();
    lines
        .enumerate()
        .map(|(index, line)| {
            parse(line).map_err(|problem| anyhow!("{name}:{}: {problem}", index + 1))
        })
        .collect()
}

/// Returns a parser of puzzles, all of one game.
fn parser() -> impl FnMut(&str) -> Result<PuzzleLine, String> {
    let mut first = None;
    move |line| {
        let puzzle = PuzzleLine::parse(line)?;
        let rules = (puzzle.game.clone(), puzzle.config_sha256.clone());
        if *first.get_or_insert_with(|| rules.clone()) != rules {
            return Err("expected the game and data of the first puzzle".to_owned());
        }
        Ok(puzzle)
    }
}
