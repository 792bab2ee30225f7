//! The width of text on a terminal, and breaking text into lines.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Returns the number of columns of a text on a terminal: two for each Chinese letter, none for an
/// accent.
pub fn text_width(text: &str) -> usize {
    text.width()
}

/// Returns the number of columns of a letter.
pub fn letter_width(letter: char) -> usize {
    letter.width().unwrap_or(0)
}

/// Adds spaces to a text up to a number of columns.
pub fn pad(text: &str, width: usize) -> String {
    text.to_owned() + &" ".repeat(width.saturating_sub(text_width(text)))
}

/// Breaks text into lines of at most `width` columns at single spaces. A longer word has its own
/// line.
pub fn wrap_paragraph(text: &str, width: usize) -> Vec<String> {
    wrap_words(text.split(' '), [width, width], letter_width, false)
}

/// Breaks text into lines of at most `width` columns at white space. Words that are longer are
/// divided.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    wrap_measured(text, [width, width], letter_width)
}

/// Breaks text into lines at white space. The first line has the first width, the others the second
/// one; `measure` returns the width of a letter. Words that are longer than a line are divided.
pub(super) fn wrap_measured(
    text: &str,
    widths: [usize; 2],
    measure: impl Fn(char) -> usize,
) -> Vec<String> {
    wrap_words(text.split_whitespace(), widths, measure, true)
}

fn wrap_words<'a>(
    words: impl Iterator<Item = &'a str>,
    widths: [usize; 2],
    measure: impl Fn(char) -> usize,
    are_divided: bool,
) -> Vec<String> {
    let mut lines = vec![String::new()];
    // The width of the last line; `None` before its first word.
    let mut used = None;
    for word in words {
        let length: usize = word.chars().map(&measure).sum();
        let needed = used.map_or(0, |used| used + measure(' ')) + length;
        // A short first line can stay empty.
        let is_short = lines.len() == 1 && widths[0] < widths[1];
        if needed > widths[usize::from(lines.len() > 1)] && (used.is_some() || is_short) {
            lines.push(String::new());
            used = None;
        } else if used.is_some() {
            lines.last_mut().expect("there is a line").push(' ');
        }
        let mut end = used.map_or(0, |used| used + measure(' '));
        for letter in word.chars() {
            let width = measure(letter);
            if are_divided && end > 0 && end + width > widths[usize::from(lines.len() > 1)] {
                lines.push(String::new());
                end = 0;
            }
            lines.last_mut().expect("there is a line").push(letter);
            end += width;
        }
        used = Some(end);
    }
    if lines == [""] { Vec::new() } else { lines }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_no_longer_than_the_width() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("one two three", 5), ["one", "two", "three"]);
        assert_eq!(wrap("1 warehouse", 6), ["1", "wareho", "use"]);
        assert_eq!(wrap("extraordinary", 6), ["extrao", "rdinar", "y"]);
        assert_eq!(wrap("草地：换 水", 6), ["草地：", "换 水"]);
        assert!(wrap("  ", 5).is_empty());
        assert_eq!(pad("草地", 6), "草地  ");
    }

    #[test]
    fn paragraphs_keep_words_and_spaces() {
        let broken = wrap_paragraph("  1  two three, 123456789 x", 9);
        assert_eq!(broken, ["  1  two", "three,", "123456789", "x"]);
        assert_eq!(wrap_paragraph("a 123456789 x", 5), ["a", "123456789", "x"]);
    }

    #[test]
    fn the_first_line_can_be_shorter() {
        assert_eq!(wrap_measured("one two", [2, 7], |_| 1), ["", "one two"]);
        assert_eq!(wrap_measured("one two six", [3, 7], |_| 1), ["one", "two six"]);
    }
}
