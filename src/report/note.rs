//! Notes of the user on a page, written in Markdown.

use std::fs;

use maud::PreEscaped;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, html::push_html};

use super::html::Section;

/// A note.
#[derive(Clone, Debug)]
pub(crate) struct Note {
    markdown: String,
    /// The note as HTML without any of its own.
    html: String,
}

impl Note {
    /// Reads a file in Markdown. HTML in it is shown as text.
    ///
    /// # Errors
    /// If the file can't be read as UTF-8.
    pub(crate) fn read(path: &str) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("can't be read: {error}"))?;
        Ok(Self::parse(text))
    }

    /// Reads a text in Markdown. HTML in it is shown as text.
    pub(crate) fn parse(markdown: String) -> Self {
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
        let events = Parser::new_ext(&markdown, options).map(|event| match event {
            Event::Html(html) | Event::InlineHtml(html) => Event::Text(html),
            Event::Start(Tag::Heading { level, id, classes, attrs }) => {
                Event::Start(Tag::Heading { level: below_section(level), id, classes, attrs })
            }
            Event::End(TagEnd::Heading(level)) => Event::End(TagEnd::Heading(below_section(level))),
            event => event,
        });
        let mut html = String::new();
        push_html(&mut html, events);
        Self { markdown, html }
    }

    /// Returns the text in Markdown.
    pub(crate) fn markdown(&self) -> &str {
        &self.markdown
    }

    /// Returns the section of a page.
    pub(crate) fn section(&self) -> Section {
        Section::new("Notes", PreEscaped(self.html.clone()))
    }
}

/// Returns the level of a heading of a note below the heading of its section, which is the second.
const fn below_section(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H3,
        HeadingLevel::H2 => HeadingLevel::H4,
        HeadingLevel::H3 => HeadingLevel::H5,
        _ => HeadingLevel::H6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_is_rendered_and_html_is_text() {
        let text = "# Test\n\n*two* <b>x</b>\n\n<script>alert(1)</script>\n";
        let Note { markdown, html } = Note::parse(text.to_owned());
        assert_eq!(markdown, text);
        assert!(html.contains("<h3>Test</h3>") && html.contains("<em>two</em>"), "{html}");
        assert!(!html.contains("<script>") && !html.contains("<b>"), "{html}");
    }
}
