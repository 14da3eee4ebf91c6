//! A Markdown parser of another origin finds the same headings and rules.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use crate::comparing::TEXT;
use crate::corpus;
use crate::places::{TEXT_PLACES, prompt, prompts};
use myao_memory::prompt::Renderer;

/// The headings and rules of a prompt that stand in nothing else, such as a list or a quotation.
fn outline(prompt: &str) -> Vec<String> {
    let (mut outline, mut depth) = (Vec::new(), 0);
    let mut heading: Option<String> = None;
    for event in Parser::new(prompt) {
        match event {
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                heading = Some(format!("{level} "))
            }
            Event::End(TagEnd::Heading(_)) => outline.extend(heading.take()),
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            Event::Text(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
            }
            Event::Rule if depth == 0 => outline.push("rule".to_owned()),
            _ => {}
        }
    }
    outline
}

#[test]
fn a_markdown_parser_finds_the_same_outline() {
    let renderer = Renderer::new(&[]).unwrap();
    let attacks = corpus::read().texts;
    for place in TEXT_PLACES {
        for (kind, plain) in prompts(&renderer, *place, TEXT) {
            for attack in &attacks {
                let attacked = prompt(&renderer, kind, *place, &attack.text);
                let label = format!("{} as {place:?} in {kind:?}", attack.name);
                assert_eq!(outline(&attacked), outline(&plain), "{label}:\n{attacked}");
            }
        }
    }
}
