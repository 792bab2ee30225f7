//! Breaking text into lines.

/// Breaks text into lines of at most `width` characters at spaces. Words that are longer are
/// divided.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    wrap_measured(text, [width, width], |_| 1)
}

/// Breaks text into lines at spaces. The first line has the first width, the others the second
/// one; `measure` returns the width of a letter. Words that are longer than a line are divided.
pub(super) fn wrap_measured(
    text: &str,
    widths: [usize; 2],
    measure: impl Fn(char) -> usize,
) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split_whitespace() {
        let length: usize = word.chars().map(&measure).sum();
        let space = if used > 0 { measure(' ') } else { 0 };
        let overflows = used + space + length > widths[usize::from(lines.len() > 1)];
        // A short first line can stay empty.
        let is_short = lines.len() == 1 && widths[0] < widths[1];
        if overflows && (used > 0 || is_short) {
            lines.push(String::new());
            used = 0;
        } else if used > 0 {
            lines.last_mut().expect("there is a line").push(' ');
            used += space;
        }
        for letter in word.chars() {
            let width = measure(letter);
            if used > 0 && used + width > widths[usize::from(lines.len() > 1)] {
                lines.push(String::new());
                used = 0;
            }
            lines.last_mut().expect("there is a line").push(letter);
            used += width;
        }
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
        assert!(wrap("  ", 5).is_empty());
    }

    #[test]
    fn the_first_line_can_be_shorter() {
        assert_eq!(wrap_measured("one two", [2, 7], |_| 1), ["", "one two"]);
        assert_eq!(wrap_measured("one two six", [3, 7], |_| 1), ["one", "two six"]);
    }
}
