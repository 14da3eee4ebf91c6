//! A document, and the parts of it that can be checked.

use std::ops::Range;

use myao_tests::{project_file, read_project_file};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// One file of the documentation.
pub(crate) struct Document {
    /// From the top of the project: `docs/slack.md`.
    pub(crate) path: String,
    pub(crate) blocks: Vec<Block>,
    pub(crate) links: Vec<Link>,
    /// `code` within lines.
    pub(crate) spans: Vec<Span>,
    /// The anchors that links can use.
    pub(crate) anchors: Vec<String>,
}

/// A fenced block, or an indented one without a language.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    /// `docs/slack.md:12`, its first line.
    pub(crate) place: String,
    /// The first word behind the fence: `sh`, `rust`, …
    pub(crate) language: String,
    /// The other words behind the fence, which say how it is checked.
    pub(crate) words: Vec<String>,
    /// The file that a comment before it names: `<!-- from wit/world.wit -->`.
    pub(crate) from: Option<String>,
    pub(crate) text: String,
}

impl Block {
    /// Whether a word is behind the fence.
    pub(crate) fn has(&self, word: &str) -> bool {
        self.words.iter().any(|own| own == word)
    }
}

pub(crate) struct Link {
    pub(crate) place: String,
    /// As it is written.
    pub(crate) to: String,
}

pub(crate) struct Span {
    pub(crate) place: String,
    pub(crate) text: String,
    /// The anchor of the heading above it.
    pub(crate) under: String,
    /// Whether it is in the first cell of a table's row.
    pub(crate) begins_row: bool,
}

/// The documents beside `docs/`.
const AT_THE_TOP: [&str; 3] = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"];

/// The documents at the top of the project and all of `docs/`.
pub(crate) fn documents() -> Vec<Document> {
    let mut paths: Vec<String> = std::fs::read_dir(project_file("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".md"))
        .map(|name| format!("docs/{name}"))
        .collect();
    paths.sort();
    paths.splice(0..0, AT_THE_TOP.map(str::to_owned));
    paths
        .into_iter()
        .map(|path| Document::parse(path.clone(), &read_project_file(&path)))
        .collect()
}

impl Document {
    pub(crate) fn parse(path: String, source: &str) -> Self {
        let mut reader = Reader {
            source,
            under: String::new(),
            heading: None,
            block: None,
            cell: None,
            from: None,
            document: Self {
                path,
                blocks: Vec::new(),
                links: Vec::new(),
                spans: Vec::new(),
                anchors: Vec::new(),
            },
        };
        let events = Parser::new_ext(source, Options::ENABLE_TABLES).into_offset_iter();
        for (event, range) in events {
            reader.read(event, &range);
        }
        reader.document
    }
}

struct Reader<'a> {
    source: &'a str,
    under: String,
    /// The text of the heading that is being read.
    heading: Option<String>,
    block: Option<Block>,
    /// The number of the cell that is being read.
    cell: Option<u32>,
    /// The file that the last comment named, unless something other than a block follows.
    from: Option<String>,
    document: Document,
}

impl Reader<'_> {
    fn read(&mut self, event: Event<'_>, range: &Range<usize>) {
        if matches!(event, Event::Start(Tag::Paragraph | Tag::Heading { .. })) {
            self.from = None;
        }
        match event {
            Event::Html(html) | Event::InlineHtml(html) => self.read_html(&html),
            Event::Start(Tag::Heading { .. }) => self.heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => self.end_heading(),
            Event::Start(Tag::CodeBlock(kind)) => self.begin_block(&kind, range),
            Event::End(TagEnd::CodeBlock) => self.document.blocks.extend(self.block.take()),
            Event::Start(Tag::TableRow) => self.cell = Some(0),
            Event::End(TagEnd::TableRow) => self.cell = None,
            Event::End(TagEnd::TableCell) => self.cell = self.cell.map(|cell| cell + 1),
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                let (place, to) = (self.place(range.start), dest_url.into_string());
                self.document.links.push(Link { place, to });
            }
            Event::Text(text) => {
                if let Some(heading) = &mut self.heading {
                    heading.push_str(&text);
                } else if let Some(block) = &mut self.block {
                    block.text.push_str(&text);
                }
            }
            Event::Code(text) => {
                if let Some(heading) = &mut self.heading {
                    heading.push_str(&text);
                }
                self.document.spans.push(Span {
                    place: self.place(range.start),
                    text: text.into_string(),
                    under: self.under.clone(),
                    begins_row: self.cell == Some(0),
                });
            }
            _ => {}
        }
    }

    fn end_heading(&mut self) {
        let anchor = anchor(&self.heading.take().unwrap());
        let same = |known: &&String| {
            **known == anchor
                || known
                    .strip_prefix(&format!("{anchor}-"))
                    .is_some_and(is_number)
        };
        let earlier = self.document.anchors.iter().filter(same).count();
        self.under = match earlier {
            0 => anchor,
            n => format!("{anchor}-{n}"),
        };
        self.document.anchors.push(self.under.clone());
    }

    /// A comment that says where a block is from, or an anchor.
    fn read_html(&mut self, html: &str) {
        let comment = html.trim().strip_prefix("<!-- from ");
        if let Some(file) = comment.and_then(|rest| rest.strip_suffix(" -->")) {
            self.from = Some(file.to_owned());
        }
        let id = html
            .split_once("id=\"")
            .and_then(|(_, rest)| rest.split_once('"'));
        self.document
            .anchors
            .extend(id.map(|(id, _)| id.to_owned()));
    }

    fn begin_block(&mut self, kind: &CodeBlockKind<'_>, range: &Range<usize>) {
        let info = match kind {
            CodeBlockKind::Indented => "",
            CodeBlockKind::Fenced(info) => info,
        };
        let mut words = info
            .split([' ', ','])
            .filter(|word| !word.is_empty())
            .map(str::to_owned);
        self.block = Some(Block {
            place: self.place(range.start),
            language: words.next().unwrap_or_default(),
            words: words.collect(),
            from: self.from.take(),
            text: String::new(),
        });
    }

    fn place(&self, offset: usize) -> String {
        let line = self.source[..offset].matches('\n').count() + 1;
        format!("{}:{line}", self.document.path)
    }
}

fn is_number(text: &str) -> bool {
    text.parse::<u32>().is_ok()
}

/// The anchor that GitHub gives a heading.
fn anchor(heading: &str) -> String {
    let kept = heading
        .trim()
        .chars()
        .filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.flat_map(char::to_lowercase)
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

#[test]
fn blocks_links_and_headings_are_read_with_their_places() {
    let source = "# A b\n\n1. one:\n\n   <!-- from x -->\n   ```sh not-run\n   a\n   ```\n\n## A `b`\n\n[x](y.md#z) <a id=\"here\"></a>\n\n| a |\n|-|\n| `k`, `l` |\n\n    indented\n";
    let document = Document::parse("d.md".to_owned(), source);
    let block = &document.blocks[0];
    assert_eq!(
        (block.place.as_str(), block.text.as_str()),
        ("d.md:6", "a\n")
    );
    assert_eq!(
        (block.has("not-run"), block.from.as_deref()),
        (true, Some("x"))
    );
    assert_eq!(
        (
            document.blocks[1].language.as_str(),
            &document.blocks[1].from
        ),
        ("", &None)
    );
    assert_eq!(document.anchors, ["a-b", "a-b-1", "here"]);
    assert_eq!(document.links[0].to, "y.md#z");
    let row: Vec<&str> = document
        .spans
        .iter()
        .filter(|span| span.begins_row)
        .map(|span| span.text.as_str())
        .collect();
    assert_eq!(row, ["k", "l"]);
    assert_eq!(document.spans[1].under, "a-b-1");
}
