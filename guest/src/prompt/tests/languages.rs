//! The Japanese and the English set.

use super::*;
use crate::bindings::types::Message;
use crate::settings::PromptLanguage::{self, AsConversation, English, Japanese};

/// The tags of each line of a template, without the words between them.
fn tags(source: &str) -> Vec<Vec<&str>> {
    source.lines().map(tags_of_line).collect()
}

fn tags_of_line(line: &str) -> Vec<&str> {
    let mut tags = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.find("{{").into_iter().chain(rest.find("{%")).min() {
        let end = rest[start..]
            .find("}}")
            .into_iter()
            .chain(rest[start..].find("%}"))
            .min();
        let end = start + end.unwrap() + 2;
        tags.push(&rest[start..end]);
        rest = &rest[end..];
    }
    tags
}

#[test]
fn both_sets_show_the_same_at_the_same_places() {
    for (name, japanese) in Set::Japanese.templates() {
        let english = Set::English.source(name).unwrap();
        assert_eq!(tags(english), tags(japanese), "{name}");
        let is_japanese = |c: char| ('\u{3000}'..'\u{a000}').contains(&c) || c > '\u{ff00}';
        assert!(!english.contains(is_japanese), "{name}");
    }
}

/// A context in which this was said.
fn saying(texts: &[&str]) -> Context {
    let mut context = golden_context();
    let history = &mut context.conversation_history;
    let message = history.top_level_messages[0].clone();
    history.threads.clear();
    let said = texts.iter().map(|text| Message {
        text: (*text).to_owned(),
        ..message.clone()
    });
    history.top_level_messages = said.collect();
    context
}

fn is_english(language: PromptLanguage, context: &Context) -> bool {
    let renderer = Renderer::in_language(&[], language).unwrap();
    let prompt = renderer
        .render(context, Channel, ShortTerm, None, false)
        .unwrap();
    let is_english = prompt.contains("Summarise the conversation");
    assert_ne!(is_english, prompt.contains("要約してください"), "{prompt}");
    is_english
}

#[test]
fn prompts_are_in_the_language_that_is_set() {
    for context in [saying(&["we ship on Friday"]), saying(&["金曜に出します"])] {
        assert!(is_english(English, &context));
        assert!(!is_english(Japanese, &context));
    }
}

#[test]
fn automatic_prompts_are_in_the_language_of_most_of_what_was_said() {
    for (texts, english) in [
        (&["ok, ship it"][..], true),
        (&["了解"], false),
        (
            &["金曜に出します", "予算は120万円です", "LGTM, thanks"],
            false,
        ),
        (
            &[
                "we ship the importer on Friday, then we look at the logs",
                "了解",
            ],
            true,
        ),
        (&["금요일에 출시합니다"], true),
    ] {
        assert_eq!(
            is_english(AsConversation, &saying(texts)),
            english,
            "{texts:?}"
        );
    }
}

#[test]
fn without_messages_what_is_remembered_decides() {
    let mut context = saying(&[]);
    let merged = |context: &Context| {
        let renderer = Renderer::in_language(&[], AsConversation).unwrap();
        renderer
            .render(context, Workspace, LongTerm, None, false)
            .unwrap()
    };
    assert!(merged(&context).contains("統合"));
    context.workspace_long_term_memory = None;
    for channel in &mut context.channel_memories {
        channel.long_term_memory = Some("- the importer ships on Friday".to_owned());
        channel.short_term_memory = None;
        channel.short_term_memory_history.clear();
    }
    assert!(merged(&context).contains("Merge all memories"));
}

#[test]
fn a_users_template_uses_the_parts_of_the_language() {
    let template = Template {
        name: "_messages.j2".to_owned(),
        source: "{% macro render_messages(messages) %}\nMINE\n{% endmacro %}\n".to_owned(),
    };
    let renderer = Renderer::in_language(&[template], AsConversation).unwrap();
    for (said, words) in [
        ("we ship on Friday", "Top level"),
        ("金曜に出します", "トップレベル"),
    ] {
        let prompt = renderer
            .render(&saying(&[said]), Channel, ShortTerm, None, false)
            .unwrap();
        assert!(
            prompt.contains("MINE") && prompt.contains(words),
            "{prompt}"
        );
    }
}

#[test]
fn the_default_system_prompt_is_in_the_language_of_the_prompt() {
    let (japanese, english) = (saying(&["金曜に出します"]), saying(&["we ship on Friday"]));
    let opening = |pairs: &[(&str, &str)], context: &Context| {
        let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        let settings = Settings::read(pairs.iter().map(owned).collect()).unwrap();
        persona_for(&settings, &settings.response_prompt, context).system_prompt
    };
    let set = |language| [("memory.prompt_language", language)];
    assert_eq!(opening(&[], &english), ENGLISH_SYSTEM_PROMPT);
    assert_eq!(opening(&[], &japanese), SYSTEM_PROMPT);
    assert_eq!(opening(&set("ja"), &english), SYSTEM_PROMPT);
    assert_eq!(opening(&set("en"), &japanese), ENGLISH_SYSTEM_PROMPT);
    let of_agent = [("agents.response.system_prompt", "Reply.")];
    assert_eq!(
        opening(&of_agent, &english),
        format!("{ENGLISH_SYSTEM_PROMPT}\n\nReply.")
    );
    let own = [("persona.system_prompt", SYSTEM_PROMPT)];
    assert_eq!(opening(&own, &english), SYSTEM_PROMPT);
}
