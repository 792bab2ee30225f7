//! Text for the terminal: escaping and truncation.

use std::borrow::Cow;

use super::provenance::Claim;
pub(crate) use crate::scene::wrap::{pad, text_width, wrap_paragraph as wrap};
use crate::{config::is_unprintable, scene::wrap::letter_width};

/// Maximum number of characters of a message.
const MAX_LENGTH: usize = 1000;
/// Numbers of characters shown of the beginning and the end of a longer message.
const SHOWN: [usize; 2] = [700, 200];

fn escaped(text: &str, is_unsafe: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_unsafe) {
        return Cow::Borrowed(text);
    }
    let escape = |letter: char| {
        if is_unsafe(letter) { letter.escape_default().to_string() } else { letter.to_string() }
    };
    Cow::Owned(text.chars().map(escape).collect())
}

/// Escapes all characters that a terminal does not show, except line ends and tabs.
pub(crate) fn escape_text(text: &str) -> Cow<'_, str> {
    escaped(text, |letter| is_unprintable(letter) && !['\n', '\t'].contains(&letter))
}

/// Escapes a name so that a terminal shows it on one line.
pub(crate) fn escape_name(name: &str) -> Cow<'_, str> {
    escaped(name, is_unprintable)
}

/// Escapes a message so that a terminal shows it on one line, of at most 1,000 characters.
pub(crate) fn escape_message(message: &str) -> Cow<'_, str> {
    let message = escape_name(message);
    let length = message.chars().count();
    if length <= MAX_LENGTH {
        return message;
    }
    let [begin, end] = SHOWN;
    let begin: String = message.chars().take(begin).collect();
    let end: String = message.chars().skip(length - end).collect();
    Cow::Owned(format!("{begin} … {end}"))
}

/// Escapes a name and truncates it to `width` columns.
pub(crate) fn truncate(name: &str, width: usize) -> String {
    let name = escape_name(name);
    if text_width(&name) <= width {
        return name.into_owned();
    }
    let mut end = 0;
    let fits = |letter: &char| {
        end += letter_width(*letter);
        end < width
    };
    name.chars().take_while(fits).chain(['…']).collect()
}

/// Returns an action in words with its notation, as in `Produce wood (produce:wood)`, or the
/// notation alone if the game has no other words for it.
pub(crate) fn action_words(label: &str, notation: &str) -> String {
    if label == notation { notation.to_owned() } else { format!("{label} ({notation})") }
}

/// Maximum number of columns of a line of terminal text.
pub(crate) const TEXT_WIDTH: usize = 80;

/// Returns a paragraph of terminal text, which ends with a line end.
pub(crate) fn paragraph(text: &str) -> String {
    wrap(text, TEXT_WIDTH).join("\n") + "\n"
}

/// Maximum width of a provenance in terminal text.
const PROVENANCE_WIDTH: usize = 44;

/// Returns the line of terminal text that states the provenance of the data.
pub(crate) fn provenance_line(provenance: &Claim) -> String {
    let provenance = truncate(provenance.first_line(), PROVENANCE_WIDTH);
    format!("data: {provenance} (the data file marks its values)\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(
            escape_message("a\x1b[31m\nb\u{202e}c\u{9b}d\u{7f}"),
            "a\\u{1b}[31m\\nb\\u{202e}c\\u{9b}d\\u{7f}"
        );
        assert_eq!(escape_text("a\tb\n\r\x07"), "a\tb\n\\r\\u{7}");
        let plain = "größer ± 5 % – “so”…\n";
        assert!(matches!(escape_text(plain), Cow::Borrowed(same) if same == plain));
    }

    #[test]
    fn names_are_truncated_to_columns() {
        for (width, shown) in [(9, "草地水 ab"), (8, "草地水 …"), (7, "草地水…"), (6, "草地…")]
        {
            assert_eq!(truncate("草地水 ab", width), shown);
        }
    }

    #[test]
    fn long_messages_are_shortened() {
        assert_eq!(escape_message(&"é".repeat(1000)), "é".repeat(1000));
        let text = format!("{}{}{}", "a".repeat(700), "b".repeat(10_000_000), "c".repeat(200));
        assert_eq!(escape_message(&text), format!("{} … {}", "a".repeat(700), "c".repeat(200)));
    }
}
