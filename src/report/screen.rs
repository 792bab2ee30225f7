//! The screen with which a study ends: the answer, the figures of the game with a word each, the
//! items that are named, what to try, and how sure the answer is. The terminal shows it in colours;
//! the page has the same as tiles, and the table `verdict` as rows.

use maud::{Markup, html};

use super::{
    data_table::{Columns, DataTable, Schema},
    provenance::Claim,
    text::{TEXT_WIDTH, escape_text, pad, truncate, wrap},
};

/// Maximum number of rows: a terminal of 24 rows also shows the message on the output and a prompt.
const MAX_ROWS: usize = 22;
/// Width of the names of figures, and of the words for them.
const NAME_WIDTH: usize = 9;
const WORD_WIDTH: usize = 7;
/// Width of the commands to try.
const COMMAND_WIDTH: usize = 44;
/// Width of the bar of a line in colours.
const BAR_WIDTH: f64 = 12.0;

/// The parts of a screen in the table `verdict`.
const PARTS: [&str; 5] = ["answer", "figure", "item", "try", "sure"];

/// A screen.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) struct Screen {
    /// The game, its players and its data file.
    pub(crate) title: String,
    /// The number of games.
    pub(crate) games: String,
    /// The edits of the built-in data; may be empty.
    pub(crate) edits: String,
    /// The first sentence, and those that follow it.
    pub(crate) answer: Vec<String>,
    pub(crate) figures: Vec<ScreenFigure>,
    /// Lines above those of items.
    pub(crate) headings: Vec<String>,
    pub(crate) items: Vec<ScreenItem>,
    /// The line on what is left out of the items; may be empty.
    pub(crate) more: String,
    /// Commands, each with its purpose.
    pub(crate) next: Vec<(String, &'static str)>,
    /// How sure the answer is.
    pub(crate) sure: String,
    /// True if the first table of the study does not become its items.
    pub(crate) has_own_items: bool,
}

/// A figure of a screen.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ScreenFigure {
    pub(crate) name: &'static str,
    /// The verdict on it.
    pub(crate) word: &'static str,
    pub(crate) text: String,
}

/// An item of a screen.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) struct ScreenItem {
    /// The verdict on it; may be empty.
    pub(crate) word: &'static str,
    pub(crate) text: String,
    /// Its size from 0 to 1 for a bar.
    pub(crate) size: f64,
}

impl Screen {
    /// Returns true if a study has made the screen itself; others get theirs from their reports.
    pub(crate) fn is_own(&self) -> bool {
        !self.title.is_empty()
    }

    /// Sets the lines of items to a table of terminal text, whose first line is its heading.
    pub(crate) fn set_lines(&mut self, table: &str) {
        let mut lines = table.lines().map(str::to_owned);
        self.headings = lines.next().into_iter().collect();
        self.items = lines.map(|text| ScreenItem { text, ..ScreenItem::default() }).collect();
    }

    /// Returns the terminal text, with the path of the page. It has at most [`MAX_ROWS`] rows of
    /// [`TEXT_WIDTH`] columns.
    pub(crate) fn text(&self, page: Option<&str>, has_colours: bool) -> String {
        let paint = Paint { has_colours };
        let mut parts = vec![self.head(paint), self.figure_lines(paint), self.item_lines(paint)];
        parts.push(self.last_lines(page));
        parts.retain(|part| !part.is_empty());
        let rows = |parts: &[Vec<String>]| parts.iter().map(Vec::len).sum::<usize>();
        let gap = if rows(&parts) + parts.len() <= MAX_ROWS + 1 { "\n" } else { "" };
        while rows(&parts) > MAX_ROWS
            && let Some(longest) = parts.iter_mut().max_by_key(|part| part.len())
        {
            longest.pop();
        }
        let lines = |part: &Vec<String>| part.iter().map(|line| format!("{line}\n")).collect();
        parts.iter().map(lines).collect::<Vec<String>>().join(gap)
    }

    fn head(&self, paint: Paint) -> Vec<String> {
        let width = TEXT_WIDTH - self.games.chars().count() - 2;
        let title = pad(&truncate(&self.title, width), width);
        let mut lines = vec![format!("{title}  {}", self.games)];
        if !self.edits.is_empty() {
            lines.push(truncate(&format!("edited: {}", self.edits), TEXT_WIDTH));
        }
        for (index, sentence) in self.answer.iter().enumerate() {
            let indent = if index == 0 { "" } else { "  " };
            for line in wrap(&escape_text(sentence), TEXT_WIDTH - indent.len()) {
                lines.push(
                    paint.with(if index == 0 { BOLD } else { "" }, &(indent.to_owned() + &line)),
                );
            }
        }
        lines
    }

    fn figure_lines(&self, paint: Paint) -> Vec<String> {
        let line = |ScreenFigure { name, word, text }: &ScreenFigure| {
            let text = truncate(text, TEXT_WIDTH - NAME_WIDTH - WORD_WIDTH);
            format!("{name:<NAME_WIDTH$}{}{text}", paint.word(word))
        };
        self.figures.iter().map(line).collect()
    }

    fn item_lines(&self, paint: Paint) -> Vec<String> {
        let has_words = self.items.iter().any(|item| !item.word.is_empty());
        let mut texts = self.headings.iter().chain(self.items.iter().map(|item| &item.text));
        // A wide table of a study has no room for an indentation.
        let is_wide = !has_words && texts.any(|text| text.chars().count() > TEXT_WIDTH - 2);
        let indent = if is_wide { "" } else { "  " };
        let heading = |line: &String| truncate(&format!("{indent}{line}"), TEXT_WIDTH);
        let item = |item: &ScreenItem| {
            if !has_words {
                return heading(&item.text);
            }
            let text = truncate(&item.text, TEXT_WIDTH - 3 - WORD_WIDTH);
            let line = format!("  {} {text}", paint.word(item.word));
            let bar = "▇".repeat((BAR_WIDTH * item.size.clamp(0.0, 1.0)).round() as usize);
            let room = TEXT_WIDTH.saturating_sub(text.chars().count() + 5 + WORD_WIDTH);
            let is_drawn = paint.has_colours && bar.chars().count() <= room;
            if is_drawn { format!("{line}  {}", paint.with(CYAN, &bar)) } else { line }
        };
        let more = Some(format!("  {}", self.more)).filter(|_| !self.more.is_empty());
        self.headings.iter().map(heading).chain(self.items.iter().map(item)).chain(more).collect()
    }

    fn last_lines(&self, page: Option<&str>) -> Vec<String> {
        let mut lines = Vec::new();
        for (index, (command, purpose)) in self.next.iter().enumerate() {
            let name = if index == 0 { "TRY" } else { "" };
            let line = format!("{name:<NAME_WIDTH$}{}", pad(command, COMMAND_WIDTH));
            let is_short = line.chars().count() + 1 + purpose.len() <= TEXT_WIDTH;
            let line = if is_short { format!("{line} {purpose}") } else { line };
            lines.push(truncate(line.trim_end(), TEXT_WIDTH));
        }
        let mut add = |name: &str, text: &str| {
            lines.push(format!("{name:<NAME_WIDTH$}{}", truncate(text, TEXT_WIDTH - NAME_WIDTH)));
        };
        let mut sure = wrap(&escape_text(&self.sure), TEXT_WIDTH - NAME_WIDTH);
        if sure.len() > 2 {
            sure[1] += " …";
        }
        for (name, line) in ["SURE?", ""].into_iter().zip(&sure) {
            add(name, line);
        }
        if let Some(page) = page {
            add("PAGE", &format!("{page}      all tables: --full"));
        }
        lines
    }

    /// Returns the figures as tiles of the page.
    pub(crate) fn tiles(&self) -> Markup {
        html! {
            div.tiles {
                @for ScreenFigure { name, word, text } in &self.figures {
                    div.tile {
                        strong { (name) } " " span class={ "verdict " (class(word)) } { (word) }
                        p { (text) }
                    }
                }
            }
        }
    }

    /// Returns the rows of `verdict.csv`.
    pub(crate) fn table(&self, provenance: &Claim) -> DataTable {
        let mut rows: Vec<ScreenLine> = Vec::new();
        let mut add = |part: &'static str, name: &str, word: &str, text: &str| {
            rows.push([part, name, word, text].map(str::to_owned));
        };
        self.answer.iter().for_each(|sentence| add("answer", "", "", sentence));
        for ScreenFigure { name, word, text } in &self.figures {
            add("figure", &name.to_lowercase(), word, text);
        }
        for ScreenItem { word, text, .. } in &self.items {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            add("item", "", word, &text);
        }
        self.next.iter().for_each(|(command, purpose)| add("try", purpose, "", command));
        add("sure", "", "", &self.sure);
        columns().table(provenance, &rows)
    }
}

/// Part, name, verdict and text.
type ScreenLine = [String; 4];

fn columns<'a>() -> Columns<&'a ScreenLine> {
    Columns::<&ScreenLine>::new("verdict", "One row for each line of the screen.")
        .word("part", &PARTS, "Part of the screen.", |row| row[0].as_str())
        .text("name", "Name of the figure, or the purpose of the command.", |row| row[1].as_str())
        .text("verdict", "Word for the figure or item.", |row| row[2].as_str())
        .text("text", "The line without its name.", |row| row[3].as_str())
        .provenance()
}

/// Returns the description of `verdict.csv`.
pub(crate) fn schema() -> Schema {
    columns().schema()
}

const BOLD: &str = "1";
const CYAN: &str = "36";

/// The colours of a terminal, or none.
#[derive(Clone, Copy)]
struct Paint {
    has_colours: bool,
}

impl Paint {
    /// Returns a text in a style, as a code of ECMA-48.
    fn with(self, style: &str, text: &str) -> String {
        if self.has_colours && !style.is_empty() {
            format!("\x1b[{style}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }

    /// Returns the word of a verdict, padded.
    fn word(self, word: &str) -> String {
        let style = match class(word) {
            "good" => "32",
            "bad" => "1;31",
            "look" => "33",
            "best" => CYAN,
            _ => "",
        };
        self.with(style, &pad(word, WORD_WIDTH))
    }
}

/// Returns the class of a word, which decides its colour.
fn class(word: &str) -> &'static str {
    match word {
        "ok" => "good",
        "no" | "strong" | "weak" => "bad",
        "look" | "blind?" => "look",
        "best" => "best",
        _ => "open",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screen(items: usize) -> Screen {
        let figure = |name| ScreenFigure { name, word: "ok", text: "x".repeat(100) };
        let item = ScreenItem { word: "best", text: "Meadow".to_owned(), size: 0.5 };
        Screen {
            title: "The River, 2 players: a data file with a long name that does not end".repeat(2),
            games: "20,000 games".to_owned(),
            answer: vec!["The first player wins 61 of 100 games; 50 is fair.".to_owned()],
            figures: ["FAIR", "TENSE", "LENGTH", "CARDS"].map(figure).to_vec(),
            headings: vec!["worth".to_owned()],
            items: vec![item; items],
            next: vec![("watershed balance turn-order".to_owned(), "points that even it out")],
            sure: "Cards: one bot. ".repeat(10),
            ..Screen::default()
        }
    }

    #[test]
    fn screens_fit_a_terminal() {
        for items in [0, 3, 12, 40] {
            let text = screen(items).text(Some("results/latest/report.html"), false);
            assert!(text.lines().count() <= MAX_ROWS, "{text}");
            assert!(text.lines().all(|line| line.chars().count() <= TEXT_WIDTH), "{text}");
            assert!(!text.contains('\x1b'), "{text}");
            assert!(text.contains("\nSURE?    Cards: one bot."), "{text}");
        }
        let coloured = screen(3).text(None, true);
        assert!(coloured.contains("\x1b[32mok     \x1b[0m") && coloured.contains("▇▇▇▇▇▇"));
    }
}
