//! Estimates of the widths of texts in pictures, whose font is not known.

use super::wrap::wrap_measured;

/// Font size of all texts but titles, in pixels.
pub(super) const TEXT: usize = 12;
/// Font size of titles.
pub(super) const TITLE: usize = 15;
/// Factor between a normal and a bold letter, in percent.
const BOLD_PERCENT: usize = 108;

/// Returns the width of a letter of Helvetica, in thousandths of the font size.
fn letter_width(letter: char) -> usize {
    match letter {
        'i' | 'j' | 'l' | '\'' | '|' => 230,
        ' ' | 't' | 'f' | 'I' | '.' | ',' | ':' | ';' | '!' | '/' => 290,
        'r' | '(' | ')' | '-' => 340,
        'm' | 'M' => 850,
        'v' | 'c' | 'k' | 's' | 'x' | 'y' | 'z' | 'J' => 510,
        'w' => 730,
        'W' => 950,
        'A'..='Z' => 710,
        letter if letter.is_ascii() => 560,
        letter if letter.len_utf8() < 3 => 620,
        // Ideographs are as wide as high.
        _ => 1000,
    }
}

/// Estimates the width of a text of a font size, in pixels.
pub(super) fn text_width(text: &str, size: usize) -> usize {
    let units: usize = text.chars().map(letter_width).sum();
    (units * size).div_ceil(1000)
}

/// Returns true if a text may be wider than this width in pixels.
pub(super) fn is_wider(text: &str, width: usize, is_bold: bool) -> bool {
    let percent = if is_bold { BOLD_PERCENT } else { 100 };
    text_width(text, TEXT) * percent > width * 100
}

/// Breaks text into lines that fit into a width in pixels, the first one into the first width.
pub(super) fn fit_lines(text: &str, widths: [usize; 2], size: usize, is_bold: bool) -> Vec<String> {
    let factor = size * if is_bold { BOLD_PERCENT } else { 100 };
    wrap_measured(text, widths.map(|width| width * 100_000), |letter| letter_width(letter) * factor)
}
