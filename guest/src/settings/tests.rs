#![allow(clippy::unwrap_used)]

use super::*;
use crate::bindings::exports::myao::memory::about::{NumberRange, SettingValues};

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
fn the_defaults_are_those_of_the_specification() {
    let table = settings();
    for (key, default) in [
        ("memory.short_term_window_hours", "24"),
        ("memory.long_term_summary_max_tokens", "500"),
        ("memory.short_term_summary_max_tokens", "300"),
        ("memory.short_term_history.enabled", "true"),
        ("memory.short_term_history.max_history_count", "5"),
        (
            "memory.short_term_history.conversation_idle_seconds",
            "7200",
        ),
        ("memory.short_term_history.message_threshold", "50"),
        ("memory.prompt_language", "auto"),
        ("workspace_scope_id", "default"),
    ] {
        let setting = table.iter().find(|setting| setting.key == key).unwrap();
        assert_eq!(setting.default.as_deref(), Some(default), "{key}");
    }
    let given = table
        .into_iter()
        .filter_map(|row| Some((row.key, row.default?)));
    assert_eq!(Settings::read(given.collect()), Ok(Settings::default()));
}

#[test]
fn every_number_has_a_range() {
    for setting in settings() {
        let SettingValues::Number(NumberRange { min, max }) = setting.accepts else {
            continue;
        };
        let key = setting.key.as_str();
        for good in [min, max] {
            assert!(fault(key, &good.to_string()).is_none(), "{key}: {good}");
        }
        for bad in [i64::from(min) - 1, i64::from(max) + 1, 99_999_999_999] {
            let fault = fault(key, &bad.to_string()).unwrap();
            let range = format!("a whole number from {min} to {max}");
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
