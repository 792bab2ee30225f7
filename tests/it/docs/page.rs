//! A page in Markdown: its links, headings and blocks of commands.

use std::{collections::HashSet, fs, ops::Range, path::Path};

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// A page in Markdown.
pub(crate) struct Page {
    /// The path from the root of the repository.
    pub(crate) path: String,
    text: String,
}

/// A fenced block of commands and their output.
pub(crate) struct CommandBlock {
    /// The position of its lines in the text.
    range: Range<usize>,
    /// The line of its first command.
    pub(crate) line: usize,
    pub(crate) mark: BlockMark,
    /// The commands, each with the lines of output that the page shows.
    pub(crate) commands: Vec<(String, Vec<String>)>,
}

/// The word after `console` in the info string of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BlockMark {
    /// None: every run of the tests runs the commands.
    None,
    /// `slow`: only `.ci/full` runs the commands, the other tests parse them.
    Slow,
    /// `no_run`: the commands are only parsed.
    NoRun,
}

impl Page {
    /// Reads a page.
    pub(crate) fn read(path: &str) -> Self {
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
        Self { path: path.to_owned(), text }
    }

    /// Returns the page with this text.
    pub(crate) fn from_text(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    /// Returns the text with other commands and output in these blocks.
    pub(crate) fn text_with(&self, blocks: &[CommandBlock]) -> String {
        let mut text = self.text.clone();
        for block in blocks.iter().rev() {
            let commands = block.commands.iter();
            let lines = commands.flat_map(|(command, output)| {
                std::iter::once(format!("$ {command}")).chain(output.iter().cloned())
            });
            let lines: String = lines.map(|line| line + "\n").collect();
            text.replace_range(block.range.clone(), &lines);
        }
        text
    }

    fn events(&self) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
        Parser::new_ext(&self.text, Options::ENABLE_TABLES).into_offset_iter()
    }

    fn line(&self, offset: usize) -> usize {
        self.text[..offset].matches('\n').count() + 1
    }

    /// Returns the line and the target of each link and image.
    pub(crate) fn links(&self) -> Vec<(usize, String)> {
        let mut links = Vec::new();
        for (event, range) in self.events() {
            if let Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) = event {
                links.push((self.line(range.start), dest_url.into_string()));
            }
        }
        links
    }

    /// Returns the line and the text of each code span.
    pub(crate) fn code_spans(&self) -> Vec<(usize, String)> {
        let spans = self.events().filter_map(|(event, range)| match event {
            Event::Code(text) => Some((self.line(range.start), text.into_string())),
            _ => None,
        });
        spans.collect()
    }

    /// Returns the anchors: those of the headings and those written as `<a id="…">`.
    pub(crate) fn anchors(&self) -> HashSet<String> {
        let mut anchors = HashSet::new();
        let mut heading: Option<String> = None;
        for (event, _) in self.events() {
            match event {
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    let anchor = anchor(&heading.take().unwrap());
                    let repetitions = (1..).map(|count| format!("{anchor}-{count}"));
                    let mut candidates = std::iter::once(anchor.clone()).chain(repetitions);
                    let free = candidates.find(|candidate| !anchors.contains(candidate)).unwrap();
                    anchors.insert(free);
                }
                Event::Html(html) | Event::InlineHtml(html) => {
                    let ids = html.split("id=\"").skip(1).filter_map(|rest| rest.split('"').next());
                    anchors.extend(ids.map(str::to_owned));
                }
                Event::Text(text) | Event::Code(text) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&text);
                    }
                }
                _ => {}
            }
        }
        anchors
    }

    /// Returns the blocks of the language `console`.
    pub(crate) fn command_blocks(&self) -> Vec<CommandBlock> {
        let mut blocks = Vec::new();
        let mut events = self.events();
        while let Some((event, range)) = events.next() {
            let Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) = event else { continue };
            let mut words = info.split(' ');
            if words.next() != Some("console") {
                continue;
            }
            let line = self.line(range.start) + 1;
            let mark = match words.collect::<Vec<_>>()[..] {
                [] => BlockMark::None,
                ["slow"] => BlockMark::Slow,
                ["no_run"] => BlockMark::NoRun,
                _ => panic!("{}:{line}: expected ```console, `slow` or `no_run`", self.path),
            };
            let mut text = String::new();
            let mut lines = None;
            for (event, part_range) in events.by_ref() {
                let Event::Text(part) = event else { break };
                text.push_str(&part);
                let start = lines.map_or(part_range.start, |lines: Range<usize>| lines.start);
                lines = Some(start..part_range.end);
            }
            let range = lines.unwrap_or(range.end..range.end);
            let commands = split_commands(&text)
                .unwrap_or_else(|| panic!("{}:{line}: expected `$ ` first", self.path));
            blocks.push(CommandBlock { range, line, mark, commands });
        }
        blocks
    }
}

/// Returns the anchor of a heading, as repository pages and mdBook derive it.
fn anchor(heading: &str) -> String {
    let is_kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    heading.to_lowercase().chars().filter(is_kept).collect::<String>().replace(' ', "-")
}

/// Divides a block into commands, which begin with `$ ` and continue after a backslash, and their
/// output.
fn split_commands(text: &str) -> Option<Vec<(String, Vec<String>)>> {
    let mut commands: Vec<(String, Vec<String>)> = Vec::new();
    let mut is_continued = false;
    for line in text.lines() {
        if is_continued {
            let command = &mut commands.last_mut()?.0;
            command.push('\n');
            command.push_str(line);
            is_continued = line.ends_with('\\');
        } else if let Some(command) = line.strip_prefix("$ ") {
            commands.push((command.to_owned(), Vec::new()));
            is_continued = line.ends_with('\\');
        } else {
            commands.last_mut()?.1.push(line.to_owned());
        }
    }
    Some(commands)
}

/// Returns the paths of the files in a folder and its subfolders that end in `.md`, sorted.
pub(crate) fn markdown_files(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.to_str().unwrap();
        if path.is_dir() {
            found.extend(markdown_files(name));
        } else if Path::new(name).extension().is_some_and(|extension| extension == "md") {
            found.push(name.to_owned());
        }
    }
    found.sort();
    found
}

#[test]
fn blocks_are_divided_into_commands_and_output() {
    let text =
        "# A `b-c` d, e\n\n```console no_run\n$ one \\\n    two\n$ three\nfour\n\nfive\n```\n";
    let page = Page::from_text("page.md", text);
    let [block] = &page.command_blocks()[..] else { panic!("expected one block") };
    assert_eq!(block.mark, BlockMark::NoRun);
    assert_eq!(page.text_with(&page.command_blocks()), text);
    assert_eq!(block.line, 4);
    let output = ["four", "", "five"].map(str::to_owned).to_vec();
    let expected = [("one \\\n    two".to_owned(), Vec::new()), ("three".to_owned(), output)];
    assert_eq!(block.commands, expected);
    assert!(page.anchors().contains("a-b-c-d-e"));
    assert!(Page::from_text("page.md", "<a id=\"s1\"></a>\n## 1 One").anchors().contains("s1"));
}
