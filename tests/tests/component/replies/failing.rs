//! Where a call fails or an answer is none: the error that is handed on, and that nobody is answered.

use std::time::Duration;

use myao_plugin::llm::LlmError;
use myao_plugin::storage::StorageError;
use myao_plugin::ts::TsKey;
use myao_plugin::{BadAnswer, CallError, Error, Target};
use myao_testkit::{Asked, Calls, Reply as Answer, ScriptedLlm, Strike};

use super::{ANSWER, CALLS, JUDGMENT, answering, asked, mention, question};
use crate::component::host::{NOW, START, llm_errors, now, refused, storage_errors};

#[tokio::test]
async fn each_error_of_the_store_at_each_call_is_handed_on_and_nobody_is_asked_or_answered() {
    for at in 0..6 {
        for error in storage_errors() {
            let host = answering().await;
            host.faults
                .before(Calls::of("storage").nth(at), error.clone());
            let failed = mention(&host, &question()).await;
            assert_eq!(refused(failed), Error::Storage(error.clone()), "call {at}");
            assert_eq!(host.take_calls(), CALLS[..=at]);

            let host = answering().await;
            host.faults
                .before(Calls::of("storage").nth(at), error.clone());
            let failed = host.plugin().judge(&question(), now()).await;
            assert_eq!(refused(failed), Error::Storage(error), "call {at}");
            assert_eq!(host.take_calls(), CALLS[..=at]);
        }
    }
}

#[tokio::test]
async fn each_error_of_the_model_is_handed_on_and_nothing_is_posted() {
    for error in llm_errors() {
        let host = asked(ScriptedLlm::answering(error.clone())).await;
        let failed = mention(&host, &question()).await;
        assert_eq!(refused(failed), Error::Llm(error.clone()));
        assert_eq!(host.take_calls(), CALLS[..8]);
        let failed = host.plugin().judge(&question(), now()).await;
        assert_eq!(refused(failed), Error::Llm(error));
        assert_eq!(host.take_calls(), CALLS[..8]);
    }
}

#[tokio::test]
async fn what_was_deleted_is_not_answered() {
    let host = answering().await;
    host.storage.delete("C1", TsKey::first_of(NOW));
    let gone = mention(&host, &question()).await;
    let Error::Storage(StorageError::NotFound(what)) = refused(gone) else {
        panic!("another error")
    };
    assert!(what.contains(&question().message_ts), "{what}");
    assert!(host.llm.requests().is_empty() && host.chat.posts().is_empty());
}

#[tokio::test]
async fn ids_that_are_none_and_unknown_channels_are_named() {
    let host = answering().await;
    let noon = Target {
        message_ts: "noon".to_owned(),
        ..question()
    };
    assert_eq!(
        refused(mention(&host, &noon).await),
        Error::InvalidTs("noon".to_owned())
    );
    let unknown = Target {
        channel_id: "C9".to_owned(),
        ..question()
    };
    assert!(matches!(
        refused(mention(&host, &unknown).await),
        Error::Storage(StorageError::NotFound(what)) if what.contains("C9")
    ));
    assert!(host.llm.requests().is_empty());
}

#[tokio::test]
async fn a_bad_answer_is_asked_for_once_more_and_then_an_error() {
    let echo = "@myao When does the crane come?";
    let refusal = "I'm sorry, but I can't help with that.";
    for (bad, expected) in [
        (" ", BadAnswer::Empty),
        (refusal, BadAnswer::Refusal),
        (echo, BadAnswer::PromptRepeated),
    ] {
        let host = asked(ScriptedLlm::answering(ANSWER).on(Asked::call(0), bad)).await;
        assert_eq!(mention(&host, &question()).await.unwrap().text, ANSWER);
        let [first, second] = host.llm.prompts().try_into().unwrap();
        assert!(
            second
                .strip_prefix(&first)
                .is_some_and(|feedback| feedback.len() > 20)
        );

        let host = asked(ScriptedLlm::answering(bad)).await;
        let failed = mention(&host, &question()).await;
        assert_eq!(refused(failed), Error::BadAnswer(expected));
        assert_eq!(host.llm.requests().len(), 2);
        assert!(host.chat.posts().is_empty());
    }
}

#[tokio::test]
async fn an_answer_that_is_no_judgment_is_asked_for_once_more_and_then_an_error() {
    let host = asked(ScriptedLlm::answering(JUDGMENT).on(Asked::call(0), "Yes, please.")).await;
    assert!(
        host.plugin()
            .judge(&question(), now())
            .await
            .unwrap()
            .should_respond
    );
    assert_eq!(host.llm.requests().len(), 2);
    let host = asked(ScriptedLlm::answering("Yes, please.")).await;
    let failed = host.plugin().judge(&question(), now()).await;
    assert!(matches!(
        refused(failed),
        Error::BadAnswer(BadAnswer::Malformed(_))
    ));
}

#[tokio::test]
async fn an_answer_that_was_cut_off_or_held_back_is_treated_so() {
    let cut = Answer::cut_off("It comes on March 3. It costs");
    let host = asked(ScriptedLlm::answering(cut)).await;
    let reply = mention(&host, &question()).await.unwrap();
    assert_eq!(
        (reply.text.as_str(), reply.truncated),
        ("It comes on March 3.", true)
    );
    let host = asked(ScriptedLlm::answering(Answer::filtered())).await;
    let failed = mention(&host, &question()).await;
    assert!(matches!(refused(failed), Error::Llm(LlmError::Refused(_))));
    assert!(host.chat.posts().is_empty());
}

#[tokio::test]
async fn a_prompt_that_is_too_long_is_cut_and_at_last_given_up() {
    let too_long = LlmError::ContextTooLong(None);
    let host = asked(ScriptedLlm::answering(ANSWER).on(Asked::call(0), too_long.clone())).await;
    for n in 0..40 {
        let crate_n = format!(
            "Crate {n} goes to bay {}, and nobody may open it before.",
            n * 3
        );
        host.storage.say("C1", START + 300 + n, "dave", &crate_n);
    }
    let reply = mention(&host, &question()).await.unwrap();
    assert_eq!(reply.text, ANSWER);
    let prompts = host.llm.prompts();
    assert!(prompts[1].len() < prompts[0].len());
    let left_out = reply.left_out;
    assert!(
        left_out.other_channels + left_out.workspace + left_out.messages + left_out.channel > 0
    );

    let host = asked(ScriptedLlm::answering(too_long)).await;
    assert!(matches!(
        refused(mention(&host, &question()).await),
        Error::PromptTooLong(_)
    ));
    assert!(host.llm.requests().len() < 20 && host.chat.posts().is_empty());

    let tiny = ScriptedLlm::answering(ANSWER).with_context_window(100);
    let host = asked(tiny).await;
    let failed = host.plugin().judge(&question(), now()).await;
    assert!(matches!(refused(failed), Error::PromptTooLong(_)));
    assert!(host.llm.requests().is_empty());
}

#[tokio::test]
async fn a_template_that_is_wrong_is_named_and_nobody_is_asked() {
    for name in ["reply_prompt.j2", "judgment_prompt.j2"] {
        let host = answering().await.with(|settings| {
            settings.set(format!("templates.{name}"), "{{ nothing.of.that_name }}");
        });
        let plugin = host.plugin();
        let failed = match name {
            "reply_prompt.j2" => refused(plugin.reply_to_mention(&question(), now()).await),
            _ => refused(plugin.judge(&question(), now()).await),
        };
        assert!(
            matches!(&failed, Error::Template(fault) if fault.name == name),
            "{failed:?}"
        );
        assert!(host.llm.requests().is_empty());
    }
}

/// The clock stands still but for the deadline.
#[tokio::test(start_paused = true)]
async fn a_call_that_never_ends_is_given_up_at_the_deadline_wherever_it_is() {
    for at in 0..CALLS.len() {
        let host = answering().await;
        host.faults.before(Calls::all().nth(at), Strike::Stall);
        let plugin = host.plugin_until(Duration::from_secs(20));
        let stalled = plugin.reply_to_mention(&question(), now()).await;
        assert!(
            matches!(stalled, Err(CallError::TimedOut { .. })),
            "call {at}"
        );
        assert!(host.chat.posts().is_empty());
        // The next call works.
        assert_eq!(mention(&host, &question()).await.unwrap().text, ANSWER);
    }
}
