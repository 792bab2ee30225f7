//! Breaking text into lines.

/// Breaks text into lines of at most `width` characters at spaces. Words that are longer are
/// divided.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines: Vec<String> = Vec::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        let letters: Vec<_> = word.chars().collect();
        for part in letters.chunks(width) {
            match lines.last_mut() {
                Some(line) if length + 1 + part.len() <= width => {
                    line.push(' ');
                    line.extend(part);
                    length += 1 + part.len();
                }
                _ => {
                    lines.push(part.iter().collect());
                    length = part.len();
                }
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_no_longer_than_the_width() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("1 warehouse", 6), ["1", "wareho", "use"]);
        assert!(wrap("  ", 5).is_empty());
    }
}
