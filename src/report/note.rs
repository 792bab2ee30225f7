//! Notes of the user on a page, written in Markdown.

use std::fs;

use maud::PreEscaped;
use pulldown_cmark::{Event, Options, Parser, html::push_html};

use super::html::Section;

/// A note, as HTML without any of its own.
#[derive(Clone, Debug)]
pub(crate) struct Note(String);

impl Note {
    /// Reads a file in Markdown. HTML in it is shown as text.
    ///
    /// # Errors
    /// If the file can't be read as UTF-8.
    pub(crate) fn read(path: &str) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("can't be read: {error}"))?;
        Ok(Self::parse(&text))
    }

    fn parse(text: &str) -> Self {
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
        let events = Parser::new_ext(text, options).map(|event| match event {
            Event::Html(html) | Event::InlineHtml(html) => Event::Text(html),
            event => event,
        });
        let mut html = String::new();
        push_html(&mut html, events);
        Self(html)
    }

    /// Returns the section of a page.
    pub(crate) fn section(&self) -> Section {
        Section::new("Notes", PreEscaped(self.0.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_is_rendered_and_html_is_text() {
        let Note(html) = Note::parse("# Test\n\n*two* <b>x</b>\n\n<script>alert(1)</script>\n");
        assert!(html.contains("<h1>Test</h1>") && html.contains("<em>two</em>"), "{html}");
        assert!(!html.contains("<script>") && !html.contains("<b>"), "{html}");
    }
}
