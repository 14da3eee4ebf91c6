//! The export `memory-summarizer`.

mod fitting;

use MemoryType::{LongTerm, ShortTerm};
use Scope::{Channel, Thread, Workspace};
use myao_plugin::llm::{Agent, LlmError, Purpose};
use myao_plugin::{
    BadAnswer, Combination, Context, Engine, Error, MemoryType, Scope, Settings, context_json,
};
use myao_testkit::{Asked, Reply, ScriptedLlm};
use myao_tests::read_project_file;

use crate::component::host::{Host, llm_errors, refused};

const SUMMARY: &str = "- タスク確認: bob がリストを共有する\n- 報告のミーティングは14時から";

/// The specification's context: it has messages, a thread and memories of everything.
fn context() -> Context {
    context_json::parse(&read_project_file("tests/goldens/context.json")).unwrap()
}

/// A host without a store: all that a summary needs is in its context.
fn host(llm: ScriptedLlm) -> Host {
    Host::new(llm).with(|settings| {
        settings.set("memory.long_term_summary_max_tokens", 500);
        settings.set("memory.legacy_workspace_short_term", true);
    })
}

fn answering(reply: impl Into<Reply>) -> Host {
    host(ScriptedLlm::answering(reply))
}

#[tokio::test]
async fn each_memory_is_asked_for_with_its_rendered_prompt_and_no_other_import_is_called() {
    let context = context();
    let thread = context.target_thread_ts.clone().unwrap();
    let channel = context.conversation_history.channel_id.clone();
    let of_thread = format!("{channel}:{thread}");
    for (scope, memory_type, scope_id) in [
        (Thread, ShortTerm, of_thread.as_str()),
        (Channel, ShortTerm, &channel),
        (Channel, LongTerm, &channel),
        (Workspace, LongTerm, "default"),
        (Workspace, ShortTerm, "default"),
    ] {
        let host = answering(SUMMARY);
        let plugin = host.plugin();
        let summary = plugin.summarize(&context, scope, memory_type, None).await;
        let summary = summary.unwrap();
        assert_eq!(summary.text, SUMMARY);
        assert_eq!(summary.engine, Some(Engine::Llm));
        assert_eq!((summary.coverage.chunks, summary.coverage.calls), (1, 1));
        assert!(!summary.truncated);
        assert_eq!(
            host.take_calls(),
            ["llm.complete"],
            "{scope:?} {memory_type:?}"
        );

        let prompt = plugin
            .render_prompt(&context, scope, memory_type, None)
            .await;
        let request = host.llm.requests().pop().unwrap();
        assert_eq!(request.system_prompt, prompt.unwrap());
        assert_eq!(request.answer_schema, None);
        let limits = [
            500,
            host.plugin()
                .settings()
                .number("memory.short_term_summary_max_tokens"),
        ];
        assert_eq!(
            request.max_tokens,
            limits[usize::from(memory_type == ShortTerm)]
        );
        let purpose = Purpose {
            agent: Agent::Memory,
            scope,
            scope_id: scope_id.to_owned(),
            memory_type: Some(memory_type),
        };
        assert_eq!(request.purpose, purpose);
        assert_eq!(host.take_calls(), [""; 0], "rendering asks nobody");
    }
}

#[tokio::test]
async fn with_nothing_to_summarise_the_existing_memory_comes_back_and_no_import_is_called() {
    let mut empty = context();
    empty.conversation_history.top_level_messages.clear();
    empty.conversation_history.threads.clear();
    empty.channel_memories.clear();
    for (scope, memory_type, text) in [
        (Thread, ShortTerm, ""),
        (Channel, ShortTerm, "so far"),
        (Channel, LongTerm, "so far"),
        (Workspace, LongTerm, "so far"),
    ] {
        let host = answering(SUMMARY);
        let summary = host
            .plugin()
            .summarize(&empty, scope, memory_type, Some("so far"))
            .await
            .unwrap();
        assert_eq!((summary.text.as_str(), summary.engine), (text, None));
        assert_eq!(host.recorder.imports(), [""; 0]);
    }
}

#[tokio::test]
async fn the_engine_without_a_model_calls_no_import() {
    let host = answering(SUMMARY).with(|settings| settings.set("engines.memory", "extractive"));
    let summary = host
        .plugin()
        .summarize(&context(), Channel, ShortTerm, None)
        .await
        .unwrap();
    assert_eq!(summary.engine, Some(Engine::Extractive));
    assert!(!summary.text.is_empty());
    assert_eq!(host.take_calls(), [""; 0]);
}

#[tokio::test]
async fn memories_that_do_not_exist_are_refused_by_both_exports() {
    let host = answering(SUMMARY)
        .with(|settings| settings.set("memory.legacy_workspace_short_term", false));
    let plugin = host.plugin();
    for (scope, memory_type) in [(Thread, LongTerm), (Workspace, ShortTerm)] {
        let expected = Error::UnsupportedCombination(Combination { scope, memory_type });
        let summary = plugin.summarize(&context(), scope, memory_type, None).await;
        assert_eq!(refused(summary), expected);
        let prompt = plugin
            .render_prompt(&context(), scope, memory_type, None)
            .await;
        assert_eq!(refused(prompt), expected);
    }
    assert_eq!(host.take_calls(), [""; 0]);
}

#[tokio::test]
async fn a_thread_without_a_target_has_no_prompt_and_an_empty_summary() {
    let host = answering(SUMMARY);
    let mut context = context();
    context.target_thread_ts = None;
    let plugin = host.plugin();
    let prompt = plugin
        .render_prompt(&context, Thread, ShortTerm, None)
        .await;
    assert_eq!(refused(prompt), Error::MissingTargetThread);
    let summary = plugin.summarize(&context, Thread, ShortTerm, None).await;
    assert_eq!(summary.unwrap().text, "");
    assert_eq!(host.take_calls(), [""; 0]);
}

fn with_template(name: &str, source: &str) -> impl FnOnce(&mut Settings) {
    move |settings| settings.set(format!("templates.{name}"), source)
}

#[tokio::test]
async fn a_template_and_the_persona_of_the_settings_are_in_the_prompt_that_is_sent() {
    let template = with_template("memory_prompt.j2", "Mind: {{ persona.system_prompt }}");
    let host = answering(SUMMARY).with(template);
    let mut context = context();
    context.persona.system_prompt = "You remember.".to_owned();
    let plugin = host.plugin();
    let summary = plugin.summarize(&context, Channel, ShortTerm, None).await;
    assert_eq!(summary.unwrap().text, SUMMARY);
    assert_eq!(host.llm.prompts(), ["Mind: You remember."]);
}

#[tokio::test]
async fn a_template_that_is_wrong_is_named_with_its_line_and_asks_no_model() {
    for (name, source, line) in [
        ("memory_prompt.j2", "one\n{% if %}", 2),
        (
            "memory_prompt.j2",
            "one\ntwo\n{{ nothing.of.that_name }}",
            3,
        ),
        ("no_such.j2", "", 0),
    ] {
        let host = answering(SUMMARY).with(with_template(name, source));
        let plugin = host.plugin();
        let summary = plugin.summarize(&context(), Channel, ShortTerm, None).await;
        let prompt = plugin
            .render_prompt(&context(), Channel, ShortTerm, None)
            .await;
        for error in [refused(summary), refused(prompt)] {
            let Error::Template(fault) = error else {
                panic!("{error:?}")
            };
            assert_eq!((fault.name.as_str(), fault.line), (name, line), "{fault:?}");
        }
        assert_eq!(host.take_calls(), [""; 0]);
    }
}

#[tokio::test]
async fn each_error_of_the_model_is_handed_on_and_nothing_is_asked_again() {
    for error in llm_errors() {
        let host = answering(error.clone());
        let failed = host
            .plugin()
            .summarize(&context(), Channel, ShortTerm, None)
            .await;
        assert_eq!(refused(failed), Error::Llm(error));
        assert_eq!(host.take_calls(), ["llm.complete"]);
    }
}

#[tokio::test]
async fn an_answer_that_a_filter_held_back_is_a_refusal() {
    let host = answering(Reply::filtered());
    let failed = host
        .plugin()
        .summarize(&context(), Channel, ShortTerm, None)
        .await;
    assert!(matches!(refused(failed), Error::Llm(LlmError::Refused(_))));
    assert_eq!(host.take_calls(), ["llm.complete"]);
}

#[tokio::test]
async fn an_answer_that_was_cut_off_ends_at_its_last_whole_bullet() {
    let host = answering(Reply::cut_off(&format!("{SUMMARY}\n- 次回の予定は")));
    let summary = host
        .plugin()
        .summarize(&context(), Channel, ShortTerm, None)
        .await;
    let summary = summary.unwrap();
    assert_eq!((summary.text.as_str(), summary.truncated), (SUMMARY, true));
}

/// An answer that is no memory, and what it is refused as.
type Refused = (&'static str, fn(&BadAnswer) -> bool);

fn bad_answers() -> Vec<Refused> {
    vec![
        ("", |bad| matches!(bad, BadAnswer::Empty)),
        (
            "申し訳ありませんが、お手伝いできません。",
            |bad| matches!(bad, BadAnswer::Refusal),
        ),
        ("要約する会話を提供してください。", |bad| {
            matches!(bad, BadAnswer::Question)
        }),
        (
            "上記のチャンネルの会話を要約してください。\n要約は箇条書きで、簡潔かつ具体的に記述してください。",
            |bad| matches!(bad, BadAnswer::PromptRepeated),
        ),
        (
            "- Bob will share the list of tasks with the whole team later today\n- The meeting was moved to two in the afternoon as Carol asked",
            |bad| {
                matches!(bad, BadAnswer::WrongLanguage(languages)
                    if (languages.expected.as_str(), languages.found.as_str()) == ("Japanese", "English"))
            },
        ),
    ]
}

#[tokio::test]
async fn each_bad_answer_is_asked_for_once_more_with_the_reason() {
    for (bad, _) in bad_answers() {
        let host = host(ScriptedLlm::answering(SUMMARY).on(Asked::call(0), bad));
        let summary = host
            .plugin()
            .summarize(&context(), Channel, ShortTerm, None)
            .await;
        let summary = summary.unwrap();
        assert_eq!(
            (summary.text.as_str(), summary.coverage.calls),
            (SUMMARY, 2)
        );
        let [first, second] = host.llm.prompts().try_into().unwrap();
        let feedback = second.strip_prefix(&first).unwrap();
        assert!(feedback.trim().len() > 20, "{feedback}");
    }
}

#[tokio::test]
async fn a_second_bad_answer_is_an_error_with_its_reason() {
    for (bad, is_it) in bad_answers() {
        let host = answering(bad);
        let failed = host
            .plugin()
            .summarize(&context(), Channel, ShortTerm, None)
            .await;
        let error = refused(failed);
        assert!(
            matches!(&error, Error::BadAnswer(bad) if is_it(bad)),
            "{bad}: {error:?}"
        );
        assert_eq!(host.take_calls(), ["llm.complete"; 2]);
    }
}

#[tokio::test]
async fn an_answer_far_over_its_limit_is_refused_with_its_length() {
    let long = (0..400).fold(String::new(), |text, n| {
        format!("{text}- {n}番の荷物は倉庫{}へ運ぶ\n", n * 7)
    });
    let host = answering(long);
    let failed = host
        .plugin()
        .summarize(&context(), Channel, ShortTerm, None)
        .await;
    let Error::BadAnswer(BadAnswer::TooLong(excess)) = refused(failed) else {
        panic!("another error")
    };
    assert_eq!(
        excess.limit,
        host.plugin()
            .settings()
            .number("memory.short_term_summary_max_tokens")
    );
    assert!(excess.tokens > 2 * excess.limit, "{excess:?}");
}

#[tokio::test]
async fn an_answer_that_loses_the_existing_memory_is_refused_with_what_it_lost() {
    let existing = (1..30).fold(String::new(), |text, day| {
        format!(
            "{text}- 2024-02-{day:02}: 会議{day}号で{}万円の予算を承認\n",
            day * 11
        )
    });
    let host = answering("- 会議がありました");
    let merged = host
        .plugin()
        .summarize(&context(), Channel, LongTerm, Some(&existing))
        .await;
    let Error::BadAnswer(BadAnswer::Shrunk(lost)) = refused(merged) else {
        panic!("another error")
    };
    assert!(lost.tokens < lost.tokens_before / 2, "{lost:?}");
    assert!(lost.facts_kept < lost.facts_before / 2, "{lost:?}");
}
