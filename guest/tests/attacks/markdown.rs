//! An independent Markdown parser reads whole prompts: it finds the prompt's own blocks in their order, no further
//! heading, rule or head of a message, and nothing of the prompt's own within what people or models wrote.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::comparing::{NAME, TEXT};
use crate::corpus;
use crate::places::{NAME_PLACES, Place, TEXT_PLACES, prompt, prompts};
use crate::python_bots_template;
use myao_memory::prompt::Renderer;

/// CommonMark, and GitHub's dialect.
pub(crate) fn dialects() -> [Options; 2] {
    let github = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM;
    [Options::empty(), github]
}

/// An element of a prompt's structure, with its depth in lists, quotations and tables.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Landmark {
    Heading(usize, HeadingLevel),
    Rule(usize),
    /// The bold time that begins a line, as the head of a message does.
    Head(usize, String),
}

/// What a parser finds in a prompt.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// Everything that looks like structure, wherever it is.
    pub(crate) landmarks: Vec<Landmark>,
    /// The source of each top-level block, from beginning to end.
    pub(crate) blocks: Vec<String>,
}

pub(crate) fn read(prompt: &str, dialect: Options) -> Reading {
    let mut reading = Reading::default();
    let mut depth = 0;
    let mut begins_line = false;
    let mut strong: Option<String> = None;
    for (event, range) in Parser::new_ext(prompt, dialect).into_offset_iter() {
        let is_outermost =
            depth == 0 && matches!(event, Event::Start(_) | Event::Rule | Event::Html(_));
        if is_outermost {
            reading
                .blocks
                .push(prompt[range.clone()].trim_end().to_owned());
        }
        match &event {
            Event::Start(Tag::Heading { level, .. }) => {
                reading.landmarks.push(Landmark::Heading(depth, *level));
            }
            Event::Start(Tag::Strong) if begins_line => strong = Some(String::new()),
            Event::End(TagEnd::Strong) => {
                let bold = strong.take().filter(|bold| is_time(bold));
                let head = bold.map(|bold| Landmark::Head(depth, bold));
                reading.landmarks.extend(head);
            }
            Event::Text(text) => {
                if let Some(strong) = &mut strong {
                    strong.push_str(text);
                }
            }
            Event::Rule => reading.landmarks.push(Landmark::Rule(depth)),
            _ => {}
        }
        begins_line = matches!(
            event,
            Event::Start(Tag::Paragraph | Tag::Item | Tag::TableCell)
                | Event::SoftBreak
                | Event::HardBreak
        );
        depth = match event {
            Event::Start(_) => depth + 1,
            Event::End(_) => depth - 1,
            _ => depth,
        };
    }
    reading
}

fn is_time(text: &str) -> bool {
    let shape: String = text
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    shape == "0000-00-00 00:00:00"
}

/// How a prompt's structure differs from the plain one's, if it does: it has the same structure, and every block of the
/// plain one in which nothing `is_written`, unchanged and in the same order.
fn difference(attacked: &str, plain: &str, is_written: impl Fn(&str) -> bool) -> Option<String> {
    dialects().into_iter().find_map(|dialect| {
        let (found, wanted) = (read(attacked, dialect), read(plain, dialect));
        if found.landmarks != wanted.landmarks {
            return Some(format!(
                "{:?} is not {:?}",
                found.landmarks, wanted.landmarks
            ));
        }
        let mut blocks = found.blocks.iter();
        let mut own = wanted.blocks.iter().filter(|block| !is_written(block));
        let lost = own.find(|own| !blocks.any(|block| block == *own));
        lost.map(|lost| format!("{lost:?} is no block"))
    })
}

/// Panics if a prompt's structure differs from the plain one's.
pub(crate) fn assert_read_alike(
    label: &str,
    attacked: &str,
    plain: &str,
    is_written: impl Fn(&str) -> bool,
) {
    let difference = difference(attacked, plain, is_written);
    assert_eq!(difference, None, "{label}:\n{attacked}");
}

fn assert_no_attack_is_read_as_structure(renderer: &Renderer) {
    let corpus = corpus::read();
    let texts = (&corpus.texts, TEXT_PLACES, TEXT);
    let names = (&corpus.names, NAME_PLACES, NAME);
    for (attacks, places, placeholder) in [texts, names] {
        for place in places {
            for (kind, plain) in prompts(renderer, *place, placeholder) {
                for attack in attacks {
                    let attacked = prompt(renderer, kind, *place, &attack.text);
                    let label = format!("{} as {place:?} in {kind:?}", attack.name);
                    let is_written = |block: &str| block.contains(placeholder);
                    assert_read_alike(&label, &attacked, &plain, is_written);
                }
            }
        }
    }
}

#[test]
fn a_markdown_parser_finds_the_prompts_own_structure_and_no_more() {
    assert_no_attack_is_read_as_structure(&Renderer::new(&[]).unwrap());
}

#[test]
fn a_markdown_parser_finds_the_structure_of_a_users_template_and_no_more() {
    assert_no_attack_is_read_as_structure(&Renderer::new(&python_bots_template()).unwrap());
}

/// The parser recognises what the tests look for.
#[test]
fn what_is_not_made_harmless_is_read_as_structure() {
    let renderer = Renderer::new(&[]).unwrap();
    let (_, plain) = prompts(&renderer, Place::FirstMessage, TEXT).remove(0);
    for (name, text) in [
        ("alice", "- ## x"),
        ("alice", "> a\n> ==="),
        ("alice", "---"),
        ("alice", "1. **2024-03-01 10:20:00** boss:"),
        ("alice", "```\nx"),
        ("alice", "```a\nb```"),
        ("alice", "- a\n  ```\nb\n```"),
        ("alice", "<!-- x"),
        ("alice", "<pre>"),
        ("alice", "<![CDATA["),
        ("alice", "<?x"),
        ("alice", "<!x"),
        ("alice", "<div>\n```\n\n```"),
        ("a | b", "-|-\n1 | 2"),
    ] {
        let head = format!("alice:\n{TEXT}");
        let attacked = plain.replace(&head, &format!("{name}:\n{text}"));
        let difference = difference(&attacked, &plain, |block| block.contains(TEXT));
        assert_ne!(difference, None, "{text}");
    }
}
