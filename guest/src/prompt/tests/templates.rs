//! Times, replaced templates and template errors.

use super::*;

// -- timestamps --

fn shown_time(unix_seconds: i64, utc_offset_seconds: i32) -> Result<String, Error> {
    let mut context = golden_context();
    context.conversation_history.top_level_messages.truncate(1);
    context.conversation_history.top_level_messages[0].timestamp = Timestamp {
        unix_seconds,
        utc_offset_seconds,
    };
    let template = "{{ top_level_messages[0].timestamp | format_timestamp }}";
    let renderer = replaced(MEMORY_PROMPT, template).unwrap();
    renderer.render(&context, Channel, ShortTerm, None, false)
}

#[test]
fn times_are_shown_in_their_own_offset() {
    for (seconds, offset, shown) in [
        (1_709_254_800, 32_400, "2024-03-01 10:00:00"),
        (1_709_254_800, 0, "2024-03-01 01:00:00"),
        (1_709_254_800, -12_600, "2024-02-29 21:30:00"),
        (-1, 0, "1969-12-31 23:59:59"),
        (-62_135_596_800, 0, "0001-01-01 00:00:00"),
        (253_402_300_799, 1, "+10000-01-01 00:00:00"),
        (0, i32::MIN, "1901-12-13 20:45:52"),
    ] {
        assert_eq!(shown_time(seconds, offset).as_deref(), Ok(shown));
    }
}

#[test]
fn a_time_outside_the_calendar_is_an_error_that_names_it() {
    for seconds in [i64::MAX, i64::MIN, 10_i64.pow(15)] {
        let fault = fault(shown_time(seconds, 1));
        assert!(fault.detail.contains(&seconds.to_string()), "{fault:?}");
    }
}

#[test]
fn a_time_outside_the_calendar_names_the_built_in_template_and_its_line() {
    let mut context = golden_context();
    let message = &mut context.conversation_history.top_level_messages[0];
    message.timestamp.unix_seconds = i64::MAX;
    let renderer = Renderer::new(&[]).unwrap();
    let fault = fault(renderer.render(&context, Channel, ShortTerm, None, false));
    assert_eq!((fault.name.as_str(), fault.line), ("_messages.j2", 4));
    assert!(fault.detail.contains("calendar"), "{fault:?}");
}

// -- replaced templates --

#[test]
fn a_replaced_partial_is_used_by_the_others() {
    let source = "{% macro render_messages(messages) %}\n\
                  {% for m in messages %}\n- {{ m.user.name }}: {{ m.text }}\n{% endfor %}\n\n{% endmacro %}\n";
    let renderer = replaced("_messages.j2", source).unwrap();
    let prompt = renderer
        .render(&golden_context(), Channel, ShortTerm, None, false)
        .unwrap();
    position(
        &prompt,
        "### トップレベル\n\n- alice: おはよう！\n- bob: おはよう〜\n\n### スレッド",
    );
}

/// The document's printed template leaves more blank lines than its own examples.
#[test]
fn the_python_bots_template_renders_unchanged() {
    let renderer = replaced(
        MEMORY_PROMPT,
        include_str!("../../../../tests/jinja/python_bot_prompt.j2"),
    )
    .unwrap();
    let prompt = renderer
        .render(&golden_context(), Thread, ShortTerm, None, true)
        .unwrap();
    position(
        &prompt,
        "10:05:00** bob:\nおはよう〜\n\n\n### スレッド: 1709280000.000002\n",
    );
    let mut lines: Vec<&str> = prompt.trim_end().split('\n').collect();
    lines.dedup_by(|line, before| line.is_empty() && before.is_empty());
    let golden = include_str!("../../../../tests/goldens/thread-short-term.txt");
    assert_eq!(lines.join("\n") + "\n", golden);
}

#[test]
fn a_template_with_windows_newlines_renders_as_with_unix_newlines() {
    let crlf = |name: &str| Template {
        name: name.to_owned(),
        source: Set::Japanese.source(name).unwrap().replace('\n', "\r\n"),
    };
    let all: Vec<Template> = Set::Japanese
        .templates()
        .iter()
        .map(|(name, _)| crlf(name))
        .collect();
    let renderer = Renderer::new(&all).unwrap();
    let prompt = renderer
        .render(&golden_context(), Channel, ShortTerm, None, false)
        .unwrap();
    assert_eq!(
        prompt,
        include_str!("../../../../tests/goldens/channel-short-term.txt")
    );
}

#[test]
fn every_built_in_template_compiles() {
    let overrides: Vec<Template> = Set::Japanese
        .templates()
        .iter()
        .map(|&(name, source)| Template {
            name: name.to_owned(),
            source: source.to_owned(),
        })
        .collect();
    assert!(Renderer::new(&overrides).is_ok());
}

#[test]
fn a_syntax_error_names_template_and_line() {
    let fault = fault(replaced(
        "_messages.j2",
        "one\ntwo {{ three\n{% endfor %}\n",
    ));
    assert_eq!(
        (fault.name.as_str(), fault.line),
        ("_messages.j2", 3),
        "{fault:?}"
    );
    assert!(fault.detail.starts_with("syntax error: "), "{fault:?}");
}

#[test]
fn an_unknown_template_name_is_refused_with_the_known_ones() {
    let fault = fault(replaced("memory.j2", ""));
    assert_eq!(fault.name, "memory.j2");
    assert!(fault.detail.contains("memory_prompt.j2") && fault.detail.contains("_messages.j2"));
}

#[test]
fn a_misspelt_variable_names_template_line_and_text() {
    for source in [
        "\n{{ persona.sytem_prompt }}",
        "\n{% if exiting_memory %}{% endif %}",
    ] {
        let renderer = replaced("_workspace_overview.j2", source).unwrap();
        let fault = fault(renderer.render(&golden_context(), Channel, ShortTerm, None, false));
        assert_eq!(
            (fault.name.as_str(), fault.line),
            ("_workspace_overview.j2", 2)
        );
        assert_eq!(
            fault.detail,
            format!("undefined value at `{}`", source.trim())
        );
    }
}

#[test]
fn an_unknown_filter_or_partial_names_template_and_line() {
    for source in ["\n{{ scope | shout }}", "\n{% include '_none.j2' %}"] {
        let renderer = replaced(MEMORY_PROMPT, source).unwrap();
        let fault = fault(renderer.render(&golden_context(), Channel, ShortTerm, None, false));
        assert_eq!(
            (fault.name.as_str(), fault.line),
            (MEMORY_PROMPT, 2),
            "{fault:?}"
        );
    }
}

#[test]
fn ids_in_a_users_template_break_out_of_no_line() {
    let mut context = golden_context();
    let message = &mut context.conversation_history.top_level_messages[0];
    message.user.id = "U1\n## x".to_owned();
    message.ts = "1.1\n---".to_owned();
    message.thread_ts = Some("1.1\n# y".to_owned());
    let renderer = replaced(
        "memory_prompt.j2",
        "{% set m = top_level_messages[0] %}{{ m.user.id }} {{ m.ts }} {{ m.thread_ts }}",
    );
    let prompt = renderer
        .unwrap()
        .render(&context, Channel, ShortTerm, None, false);
    assert_eq!(prompt.unwrap(), r###""U1\n## x" "1.1\n---" "1.1\n# y""###);
}
