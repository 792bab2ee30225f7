//! Notes of the user on a page, written in Markdown.

use std::fs;

use maud::PreEscaped;
use pulldown_cmark::{
    Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, html::push_html,
};

use super::{html::Section, terminal::print_info};

/// A note.
#[derive(Clone, Debug)]
pub(crate) struct Note {
    markdown: String,
    /// The note as HTML without any of its own.
    html: String,
}

impl Note {
    /// Reads a file in Markdown. HTML in it is shown as text. A warning says that images are not
    /// shown.
    ///
    /// # Errors
    /// If the file can't be read as UTF-8.
    pub(crate) fn read(path: &str) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("can't be read: {error}"))?;
        if has_images(&text) {
            print_info(&format!("warning: {path}: images are not shown, only their descriptions"));
        }
        Ok(Self::parse(text))
    }

    /// Reads a text in Markdown. HTML in it is shown as text.
    pub(crate) fn parse(markdown: String) -> Self {
        let mut is_link = false;
        let events = Parser::new_ext(&markdown, OPTIONS).filter_map(|event| {
            Some(match event {
                Event::Html(html) | Event::InlineHtml(html) => Event::Text(html),
                Event::Start(Tag::Link { link_type, ref dest_url, .. }) => {
                    is_link = link_type == LinkType::Email || is_allowed(dest_url);
                    return is_link.then_some(event);
                }
                Event::End(TagEnd::Link) if !is_link => return None,
                Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => return None,
                Event::Start(Tag::Heading { level, id, classes, attrs }) => {
                    Event::Start(Tag::Heading { level: below_section(level), id, classes, attrs })
                }
                Event::End(TagEnd::Heading(level)) => {
                    Event::End(TagEnd::Heading(below_section(level)))
                }
                event => event,
            })
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

/// Extensions of Markdown.
const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH);

/// Returns true if a text in Markdown has images.
fn has_images(markdown: &str) -> bool {
    let mut events = Parser::new_ext(markdown, OPTIONS);
    events.any(|event| matches!(event, Event::Start(Tag::Image { .. })))
}

/// Returns true if a link to this address is written as a link.
fn is_allowed(address: &str) -> bool {
    let scheme = address.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    address.starts_with('#')
        || scheme.is_some_and(|scheme| ["http", "https", "mailto"].contains(&&*scheme))
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
#[allow(clippy::unwrap_used, reason = "a failed step ends the test")]
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

    #[test]
    fn only_links_to_pages_mail_and_sections_are_links() {
        let text = "[a](https://x.org) [b](HTTP://x.org) <c@x.org> [d](#e) \
                    ![f](https://x.org/f)\n\n\
                    [s](javascript:x) [t](data:x) [u](file:///x) [v](v.html) [*w*](//x) <ftp:x>";
        let html = Note::parse(text.to_owned()).html;
        let (links, texts) = html.split_once("</p>").unwrap();
        assert_eq!(links.matches("<a href=").count(), 4, "{html}");
        assert!(links.ends_with("</a> f") && !html.contains("<img"), "{html}");
        assert_eq!(texts.trim(), "<p>s t u v <em>w</em> ftp:x</p>");
        assert!(has_images(text) && !has_images("`![f](f)`"));
    }
}
