//! Prompts of any texts and names, and of any template.

use myao_memory::bindings::errors::Error;
use myao_memory::bindings::types::{MemoryType, Scope};
use myao_memory::prompt::{Renderer, harmless};
use myao_memory::settings::Template;

// The same proofs as for hand-written attacks.
#[path = "../../../guest/tests/attacks/comparing.rs"]
mod comparing;
#[path = "../../../guest/tests/attacks/places.rs"]
mod places;
#[path = "../../../guest/tests/attacks/structure.rs"]
mod structure;

use comparing::{NAME, TEXT, assert_same_structure};
use places::{NAME_PLACES, Place, TEXT_PLACES, prompt, prompts as all_prompts};
use structure::parts;

/// Any text and name leaves the structure of prompts as it is, can be restored from what is shown, and is rendered alike
/// whether the templates are compiled or read.
pub fn prompts(data: &[u8]) {
    let text = super::text(data);
    let text = if text.trim().is_empty() { "x" } else { &*text };
    let shown = harmless::text(text);
    assert_eq!(parts(&shown).len(), 1, "shown as {shown:?}");
    assert_eq!(harmless::restore(&shown), text, "shown as {shown:?}");
    let renderer = Renderer::new(&[]).unwrap();
    // One that is replaced by itself has minijinja read them all.
    let reading = Renderer::new(&[Template {
        name: "_messages.j2".to_owned(),
        source: include_str!("../../../templates/_messages.j2").to_owned(),
    }])
    .unwrap();
    // One place of each kind for an input, so that an input costs little.
    let turn = data.len();
    let text_place = TEXT_PLACES[turn % TEXT_PLACES.len()];
    let name_place = NAME_PLACES[turn % NAME_PLACES.len()];
    for (place, placeholder) in [(text_place, TEXT), (name_place, NAME)] {
        for (kind, plain) in all_prompts(&renderer, place, placeholder) {
            let attacked = prompt(&renderer, kind, place, text);
            let label = format!("{place:?} in {kind:?}");
            assert_same_structure(&label, &attacked, &parts(&plain), text);
            assert_eq!(prompt(&reading, kind, place, text), attacked, "{label}");
        }
    }
}

/// Any template renders, or is refused with its name and a line that it has.
pub fn templates(data: &[u8]) {
    let source = super::text(data).into_owned();
    // Loops within loops are the owner's own time.
    if source.matches("for").count() > 2 || source.contains("range") {
        return;
    }
    let lines = source
        .replace("\r\n", "\n")
        .replace('\r', "\n")
        .split('\n')
        .count();
    let template = Template {
        name: "_messages.j2".to_owned(),
        source,
    };
    let context = places::context(Place::EveryMessage, TEXT);
    let rendered = Renderer::new(&[template]).and_then(|renderer| {
        renderer.render(&context, Scope::Channel, MemoryType::ShortTerm, None, false)
    });
    match rendered {
        Ok(_) => {}
        Err(Error::Template(fault)) => {
            let is_named = fault.name.ends_with(".j2") && !fault.detail.is_empty();
            let is_there = fault.name != "_messages.j2" || fault.line as usize <= lines;
            assert!(is_named && is_there, "{fault:?}");
        }
        Err(error) => panic!("{error:?}"),
    }
}
