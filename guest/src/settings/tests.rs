#![allow(clippy::unwrap_used)]

use super::*;

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    pairs.iter().map(owned).collect()
}

/// The key's fault, if it is refused.
fn fault(key: &str, value: &str) -> Option<SettingFault> {
    check(pairs(&[(key, value)])).pop()
}

#[test]
fn without_pairs_everything_has_its_default() {
    assert_eq!(Settings::read(Vec::new()), Ok(Settings::default()));
}

#[test]
fn an_agents_own_system_prompt_follows_the_personas() {
    let given = [
        ("agents.response.system_prompt", "Reply."),
        ("agents.judgment.system_prompt", ""),
        ("persona.system_prompt", "A cat."),
        ("persona.name", "mew"),
    ];
    let settings = Settings::read(pairs(&given)).unwrap();
    let prompts = [
        &settings.persona,
        &settings.response_persona,
        &settings.judgment_persona,
    ];
    let prompts = prompts.map(|persona| (persona.name.as_str(), persona.system_prompt.as_str()));
    assert_eq!(
        prompts,
        [
            ("mew", "A cat."),
            ("mew", "A cat.\n\nReply."),
            ("mew", "A cat.")
        ]
    );
}

#[test]
fn every_number_has_a_range() {
    let ranges = [
        ("agents.response.params.max_tokens", 1, MANY),
        ("agents.judgment.params.max_tokens", 1, MANY),
        ("memory.short_term_window_hours", 1, 87_600),
        ("memory.long_term_summary_max_tokens", 1, MANY),
        ("memory.short_term_summary_max_tokens", 1, MANY),
        ("memory.records_max_tokens", 0, MANY),
        ("memory.context_margin_tokens", 0, MANY),
        ("memory.short_term_history.max_history_count", 0, 1000),
        (
            "memory.short_term_history.conversation_idle_seconds",
            0,
            31_536_000,
        ),
        ("memory.short_term_history.message_threshold", 1, MANY),
        ("memory.generation_message_limit", 1, MANY),
        ("response.channel_messages_limit", 0, MANY),
        ("context.surroundings_max_tokens", 0, MANY),
    ];
    let contract = include_str!("../../../wit/settings.wit");
    for (key, first, last) in ranges {
        let row = format!("| `{key}` | {first} to {last} |");
        assert!(contract.contains(&row), "{row} is not in the contract");
        for good in [first, last] {
            assert!(fault(key, &good.to_string()).is_none(), "{key}: {good}");
        }
        let below = i64::from(first) - 1;
        let above = i64::from(last) + 1;
        for bad in [below, above, 99_999_999_999] {
            let fault = fault(key, &bad.to_string()).unwrap();
            let range = format!("a whole number from {first} to {last}");
            assert_eq!(fault.key, key);
            assert_eq!(fault.detail, format!("`{bad}` is not {range}"));
            assert_eq!(fault.range, Some(range));
        }
        for bad in ["", "+5", " 5", "5.0", "five", "0x5"] {
            assert!(fault(key, bad).is_some(), "{key}: {bad}");
        }
    }
}

#[test]
fn every_bad_setting_is_named() {
    let given = [
        ("memory.short_term_windw_hours", "3"),
        ("memory.language", "jp"),
        ("memory.thread_memories", "never"),
        ("engines.memory", "imported"),
        ("memory.extractive_stand_in", "yes"),
        ("persona.name", "one"),
        ("persona.name", "two"),
        ("templates.", "empty"),
    ];
    let faults = check(pairs(&given));
    let told: Vec<(&str, &str)> = faults
        .iter()
        .map(|fault| (fault.key.as_str(), fault.detail.as_str()))
        .collect();
    let unknown = "there is no such setting";
    assert_eq!(
        told,
        [
            ("memory.short_term_windw_hours", unknown),
            (
                "memory.language",
                "`jp` is not one of `auto`, `any`, `ja`, `en`, `zh`, `ko`, `ru`"
            ),
            (
                "memory.thread_memories",
                "`never` is not one of `on_demand`, `always`"
            ),
            (
                "engines.memory",
                "`imported` is not one of `llm`, `extractive`"
            ),
            (
                "memory.extractive_stand_in",
                "`yes` is not one of `true`, `false`"
            ),
            ("persona.name", "it is given twice"),
            ("templates.", unknown),
        ]
    );
}

#[test]
fn templates_are_named_by_their_keys() {
    let settings = Settings::read(pairs(&[("templates.memory_prompt.j2", "{{ a }}")]));
    let template = Template {
        name: "memory_prompt.j2".to_owned(),
        source: "{{ a }}".to_owned(),
    };
    assert_eq!(settings.unwrap().templates, [template]);
}
