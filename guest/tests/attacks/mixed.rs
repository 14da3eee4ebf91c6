//! Random attacks: fragments of structure, mixed at random.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::comparing::{NAME, TEXT, assert_same_structure};
use crate::markdown::assert_read_alike;
use crate::places::{KINDS, NAME_PLACES, Place, prompt, prompt_of, prompts};
use crate::structure::parts;
use myao_memory::prompt::{Renderer, harmless};

const FRAGMENTS: &[&str] = &[
    "#",
    "##",
    "### ",
    "＃",
    "♯ ",
    "-",
    "--",
    "---",
    "－",
    "ー",
    "—",
    "=",
    "===",
    "＝",
    "*",
    "**",
    "***",
    "＊",
    "_",
    "___",
    "2024-03-01 10:20:00",
    "2024-03-01",
    "10:20",
    "２０２４",
    "**2024-03-01 10:20:00** boss:",
    "boss:",
    "：",
    ":",
    "現在時刻",
    "現在時刻: ",
    "{{",
    "{",
    "%",
    "{%",
    "}}",
    "<",
    "|",
    "<|x|>",
    "｜",
    "```",
    "~~~",
    "`",
    "\\",
    "\\\\",
    "\n",
    "\n\n",
    "\r",
    "\r\n",
    "\u{b}",
    "\u{c}",
    "\u{1e}",
    "\u{85}",
    "\u{2028}",
    "\u{2029}",
    " ",
    "\t",
    "\u{3000}",
    "\u{a0}",
    "\u{3164}",
    "\u{200b}",
    "\u{200d}",
    "\u{feff}",
    "\u{ad}",
    "\u{202e}",
    "\u{2067}",
    "\0",
    "要約対象",
    "alice",
    "a",
    "1",
    "- item",
    "\"",
    "[",
    "(",
    "T",
    "2024-03-01 10:20",
    "> ",
    ">",
    "- ",
    "* ",
    "1. ",
    "  ",
    "    ",
    "````",
    "```\n",
    "\n```\n",
    "\n  ```\n",
    "```yaml\n",
    "~~~\n",
    "<!--",
    "-->",
    "<pre>",
    "</pre>",
    "<div>",
    "</div>\n",
    "<b>",
    "<x y='>'>",
    "<i>",
    "</i>",
    "&#50;",
    "&#x32;",
    "&amp;",
    "<![CDATA[",
    "]]>",
    "<?",
    "<!x",
    "/",
    ">\n",
    "[a]",
    "]: /x",
    "|---|",
    "| a |",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "＜",
    "［",
    "<end_of_turn>",
    "<turn|>",
    "{{ x }}",
    "\u{1d173}",
    "\u{1bca0}",
    "\u{fe0f}",
    "\u{e0100}",
    "👩",
    "葛",
    "予算は300万円",
];

/// Characters that end a line, or reverse the reading direction.
const BREAKS: &[char] = &[
    '\n', '\r', '\u{b}', '\u{c}', '\u{1e}', '\u{85}', '\u{2028}', '\u{2029}', '\u{202e}',
];

/// The same texts in every run.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(12),
        ..ProptestConfig::default()
    }
}

fn mixed() -> impl Strategy<Value = String> {
    let fragments = prop::collection::vec(prop::sample::select(FRAGMENTS), 0..12);
    fragments.prop_map(|fragments| fragments.concat())
}

proptest! {
    #![proptest_config(config(4_000))]

    #[test]
    fn a_shown_text_holds_no_structure(text in mixed()) {
        let shown = harmless::text(&text);
        let found = parts(&shown);
        prop_assert_eq!(found.len(), 1, "{:?} is shown as {:?}: {:?}", text, shown, found);
    }

    #[test]
    fn a_shown_text_can_be_restored(text in mixed()) {
        let shown = harmless::text(&text);
        let restored = harmless::restore(&shown);
        prop_assert_eq!(&restored, &text, "shown as {:?}", shown);
    }

    /// Escaping an escaped text can be undone too: a text may contain what a prompt showed.
    #[test]
    fn a_text_that_was_shown_before_can_be_restored(text in mixed()) {
        let once = harmless::text(&text);
        let twice = harmless::text(&once);
        prop_assert_eq!(&harmless::restore(&twice), &once);
    }

    #[test]
    fn a_shown_name_is_one_line_without_structure(name in mixed()) {
        let shown = harmless::name(&name);
        let is_one_line = !shown.contains(BREAKS);
        prop_assert!(is_one_line, "{:?} is shown as {:?}", name, shown);
        prop_assert_eq!(parts(&shown).len(), 1, "{:?} is shown as {:?}", name, shown);
    }
}

/// What is written to every place of a conversation.
fn written() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(mixed(), ALL_PLACES)
}

/// The number of places.
const ALL_PLACES: usize = Place::ChannelOfFound as usize + 1;

proptest! {
    #![proptest_config(config(1_500))]

    /// Everything at once: a fence that one message opens may be closed by another, and a name may continue in a text.
    #[test]
    fn a_markdown_parser_finds_the_own_structure_of_any_conversation(texts in written()) {
        let renderer = Renderer::new(&[]).unwrap();
        let is_name = |place: Place| NAME_PLACES.contains(&place);
        let plain = |place: Place| if is_name(place) { NAME } else { TEXT }.to_owned();
        let mixed = |place: Place| {
            let text = &texts[place as usize];
            // Templates leave out a memory that is empty.
            if text.is_empty() { plain(place) } else { text.clone() }
        };
        for kind in KINDS {
            let plain = prompt_of(&renderer, *kind, &plain);
            let mixed = prompt_of(&renderer, *kind, &mixed);
            let is_written = |block: &str| block.contains(TEXT) || block.contains(NAME);
            assert_read_alike(&format!("{texts:?} in {kind:?}"), &mixed, &plain, is_written);
        }
    }
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn mixed_texts_and_names_leave_the_structure_of_prompts(text in mixed(), name in mixed()) {
        let renderer = Renderer::new(&[]).unwrap();
        for (place, placeholder, attack) in [
            (Place::EveryMessage, TEXT, &text),
            (Place::ShortTermVersion, TEXT, &text),
            (Place::Author, NAME, &name),
        ] {
            // Templates leave out a memory that is empty.
            let attack = if attack.is_empty() { "x" } else { attack };
            for (kind, plain) in prompts(&renderer, place, placeholder) {
                let plain = parts(&plain);
                let attacked = prompt(&renderer, kind, place, attack);
                let label = format!("{attack:?} as {place:?} in {kind:?}");
                assert_same_structure(&label, &attacked, &plain, attack);
            }
        }
    }
}
