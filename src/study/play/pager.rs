//! Output of one screen at a time.

use std::io::BufRead;

use crate::run::lines::read_entered;

/// The question at the end of a screen.
const MORE: &str = "-- Enter: more; or answer now -- ";

/// Input, and output that waits at the end of each screen.
pub(super) struct Pager<I, O> {
    input: I,
    output: O,
    /// Number of lines of a screen; `None` if the output does not wait.
    rows: Option<usize>,
    /// Number of lines since the last line of input.
    shown: usize,
}

impl<I: BufRead, O: FnMut(&str)> Pager<I, O> {
    pub(super) fn new(input: I, output: O) -> Self {
        Self { input, output, rows: None, shown: 0 }
    }

    /// Sets the number of lines of a screen; `None` for output that does not wait.
    pub(super) fn set_rows(&mut self, rows: Option<usize>) {
        self.rows = rows;
    }

    /// Writes text. Returns the line that was entered before its end, which is then not written.
    ///
    /// # Errors
    /// If the input can't be read.
    pub(super) fn print(&mut self, text: &str) -> anyhow::Result<Option<String>> {
        for line in text.split_inclusive('\n') {
            // The last line of the screen is for the question.
            if self.rows.is_some_and(|rows| self.shown + 1 >= rows) {
                (self.output)(MORE);
                match self.read_line()? {
                    Some(line) if line.is_empty() => {}
                    answer => return Ok(answer),
                }
            }
            (self.output)(line);
            self.shown += 1;
        }
        Ok(None)
    }

    /// Asks for a line. Returns it without space around it, or `None` at the end of the input.
    ///
    /// # Errors
    /// If the input can't be read.
    pub(super) fn ask(&mut self, prompt: &str) -> anyhow::Result<Option<String>> {
        (self.output)(prompt);
        self.read_line()
    }

    fn read_line(&mut self) -> anyhow::Result<Option<String>> {
        self.shown = 0;
        read_entered(&mut self.input)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step ends the test")]
mod tests {
    use super::*;

    /// Returns what three lines of a number of rows write with this input, and the answer.
    fn written(rows: Option<usize>, input: &str) -> (String, Option<String>) {
        let mut text = String::new();
        let mut pager = Pager::new(input.as_bytes(), |part: &str| text += part);
        pager.set_rows(rows);
        let answer = pager.print("1\n2\n3\n").unwrap();
        (text, answer)
    }

    #[test]
    fn waits_at_the_end_of_each_screen() {
        assert_eq!(written(None, ""), ("1\n2\n3\n".to_owned(), None));
        assert_eq!(written(Some(24), ""), ("1\n2\n3\n".to_owned(), None));
        assert_eq!(written(Some(3), "\n"), (format!("1\n2\n{MORE}3\n"), None));
        assert_eq!(written(Some(3), "7\n"), (format!("1\n2\n{MORE}"), Some("7".to_owned())));
        assert_eq!(written(Some(2), "\n"), (format!("1\n{MORE}2\n{MORE}"), None));
    }

    #[test]
    fn the_end_of_the_input_is_no_line() {
        let mut pager = Pager::new("a \n".as_bytes(), |_: &str| {});
        assert_eq!(pager.ask("> ").unwrap(), Some("a".to_owned()));
        assert_eq!(pager.ask("> ").unwrap(), None);
    }
}
