//! The files of the page. They load nothing from other hosts and are used as they are.
//!
//! `assets/static` has the files of the page without a server: there, the application is a module
//! for WebAssembly in a worker, and another `transport.js` sends requests to it.

use super::answer::FileOffer;
use crate::scene;

/// A file of the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asset {
    /// Name beside the page; that of the page itself is empty.
    pub name: &'static str,
    /// Media type.
    pub kind: &'static str,
    /// Content.
    pub content: &'static [u8],
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JSON: &str = "application/json";
const GZIP: &str = "application/gzip";
const SCRIPT: &str = "text/javascript; charset=utf-8";

const fn asset(name: &'static str, kind: &'static str, content: &'static str) -> Asset {
    Asset { name, kind, content: content.as_bytes() }
}

/// Returns a file that the page unpacks.
const fn packed(name: &'static str, content: &'static [u8]) -> Asset {
    Asset { name, kind: GZIP, content }
}

/// Title of the lessons of a game.
const LESSONS: &str = "First steps in six positions";

/// The lessons, puzzles and books that come with the page, with the name of their game. Their
/// contents are in [`FILES`]; `.ci/library` and `.ci/lessons` make them.
pub const LIBRARY: [(&str, FileOffer); 7] = [
    offer("the_river", "library/the_river-openings.json", "Openings for 2 players"),
    offer("the_river", "library/the_river-puzzles.jsonl.gz", "Puzzles"),
    offer("glassworks", "library/glassworks-puzzles.jsonl.gz", "Puzzles"),
    offer("common_river", "library/common_river-puzzles.jsonl.gz", "Puzzles"),
    offer("the_river", "library/the_river-lessons.jsonl", LESSONS),
    offer("glassworks", "library/glassworks-lessons.jsonl", LESSONS),
    offer("common_river", "library/common_river-lessons.jsonl", LESSONS),
];

const fn offer(
    game: &'static str,
    path: &'static str,
    title: &'static str,
) -> (&'static str, FileOffer) {
    (game, FileOffer { path, title })
}

/// All files of the page for a server.
pub const FILES: [Asset; 34] = [
    asset("", HTML, include_str!("assets/index.html")),
    asset("page.css", CSS, include_str!("assets/page.css")),
    asset("scene.css", CSS, scene::STYLE),
    asset("page.js", SCRIPT, include_str!("assets/page.js")),
    asset("analysis.js", SCRIPT, include_str!("assets/analysis.js")),
    asset("application.js", SCRIPT, include_str!("assets/application.js")),
    asset("balance.html", HTML, include_str!("assets/balance.html")),
    asset("balance.css", CSS, include_str!("assets/balance.css")),
    asset("balance.js", SCRIPT, include_str!("assets/balance.js")),
    asset("balance-prices.js", SCRIPT, include_str!("assets/balance-prices.js")),
    asset("balance-versions.js", SCRIPT, include_str!("assets/balance-versions.js")),
    asset("book.js", SCRIPT, include_str!("assets/book.js")),
    asset("choice.js", SCRIPT, include_str!("assets/choice.js")),
    asset("daily.js", SCRIPT, include_str!("assets/daily.js")),
    asset("dom.js", SCRIPT, include_str!("assets/dom.js")),
    asset("fix.js", SCRIPT, include_str!("assets/fix.js")),
    asset("lesson.js", SCRIPT, include_str!("assets/lesson.js")),
    asset("numbers.js", SCRIPT, include_str!("assets/numbers.js")),
    asset("position.js", SCRIPT, include_str!("assets/position.js")),
    asset("puzzle.js", SCRIPT, include_str!("assets/puzzle.js")),
    asset("rating.js", SCRIPT, include_str!("assets/rating.js")),
    asset("repeat.js", SCRIPT, include_str!("assets/repeat.js")),
    asset("review.js", SCRIPT, include_str!("assets/review.js")),
    asset("start.js", SCRIPT, include_str!("assets/start.js")),
    asset("store.js", SCRIPT, include_str!("assets/store.js")),
    asset("trainer.js", SCRIPT, include_str!("assets/trainer.js")),
    asset("transport.js", SCRIPT, include_str!("assets/transport.js")),
    asset(LIBRARY[0].1.path, JSON, include_str!("assets/library/the_river-openings.json")),
    packed(LIBRARY[1].1.path, include_bytes!("assets/library/the_river-puzzles.jsonl.gz")),
    packed(LIBRARY[2].1.path, include_bytes!("assets/library/glassworks-puzzles.jsonl.gz")),
    packed(LIBRARY[3].1.path, include_bytes!("assets/library/common_river-puzzles.jsonl.gz")),
    asset(LIBRARY[4].1.path, JSON, include_str!("assets/library/the_river-lessons.jsonl")),
    asset(LIBRARY[5].1.path, JSON, include_str!("assets/library/glassworks-lessons.jsonl")),
    asset(LIBRARY[6].1.path, JSON, include_str!("assets/library/common_river-lessons.jsonl")),
];
