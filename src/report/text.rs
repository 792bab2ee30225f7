//! Making text from outside, such as names of files, safe to show on a terminal.

use std::borrow::Cow;

/// The most characters of a message.
const LONGEST: usize = 1000;
/// Number of characters shown of the beginning and of the end of a longer one.
const SHOWN: [usize; 2] = [700, 200];

/// Returns true if a character moves the cursor, changes the terminal or turns the direction of
/// writing.
fn is_unsafe(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escaped(text: &str, is_unsafe: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_unsafe) {
        return Cow::Borrowed(text);
    }
    let escape = |letter: char| {
        if is_unsafe(letter) { letter.escape_default().to_string() } else { letter.to_string() }
    };
    Cow::Owned(text.chars().map(escape).collect())
}

/// Returns a text with all characters escaped that a terminal does not show, except the ends of
/// lines and tabs.
pub fn escape_text(text: &str) -> Cow<'_, str> {
    escaped(text, |letter| is_unsafe(letter) && !['\n', '\t'].contains(&letter))
}

/// Returns a name as one line that a terminal shows.
pub fn escape_name(name: &str) -> Cow<'_, str> {
    escaped(name, is_unsafe)
}

/// Returns a message as one line of at most 1,000 characters.
pub fn escape_message(message: &str) -> Cow<'_, str> {
    let message = escape_name(message);
    let length = message.chars().count();
    if length <= LONGEST {
        return message;
    }
    let [begin, end] = SHOWN;
    let begin: String = message.chars().take(begin).collect();
    let end: String = message.chars().skip(length - end).collect();
    Cow::Owned(format!("{begin} … {end}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_escaped() {
        assert_eq!(
            escape_message("a\x1b[31m\nb\u{202e}c\u{9b}d\u{7f}"),
            "a\\u{1b}[31m\\nb\\u{202e}c\\u{9b}d\\u{7f}"
        );
        assert_eq!(escape_text("a\tb\n\r\x07"), "a\tb\n\\r\\u{7}");
        let plain = "größer ± 5 % – “so”…\n";
        assert!(matches!(escape_text(plain), Cow::Borrowed(same) if same == plain));
    }

    #[test]
    fn long_messages_are_shortened() {
        assert_eq!(escape_message(&"é".repeat(1000)), "é".repeat(1000));
        let text = format!("{}{}{}", "a".repeat(700), "b".repeat(10_000_000), "c".repeat(200));
        assert_eq!(escape_message(&text), format!("{} … {}", "a".repeat(700), "c".repeat(200)));
    }
}
