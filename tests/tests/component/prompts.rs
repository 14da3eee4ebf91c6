//! The export `reply-prompt`: prompts from a context alone.

use myao_plugin::llm::Agent;
use myao_plugin::{BuildRequest, Context, Error, Occasion, Target};
use myao_testkit::{Asked, ScriptedLlm};
use myao_tests::store::utc;

use crate::component::host::{Host, NOW, now, refused};

const JUDGMENT: &str = r#"{"should_respond": false, "reason": "chat", "confidence": 1}"#;

/// A host in which bob asks something, and the context of an answer.
async fn asked(llm: ScriptedLlm) -> (Host, Context) {
    let host = Host::telling();
    host.generate(NOW).await;
    host.storage
        .say("C1", NOW, "bob", "@myao When does the crane come?");
    let request = BuildRequest {
        channel_id: "C1".to_owned(),
        target_thread_ts: None,
        since: None,
        message_limit: None,
    };
    let context = host.plugin().build_context(&request, now()).await.unwrap();
    host.take_calls();
    (host.with_llm(llm), context)
}

#[tokio::test]
async fn rendered_prompts_end_as_those_that_are_sent_and_call_nothing_that_can_fail() {
    let llm = ScriptedLlm::answering("On March 3.").on(Asked::by(Agent::Judgment), JUDGMENT);
    let (host, context) = asked(llm).await;
    let plugin = host.plugin();
    let target = Target {
        channel_id: "C1".to_owned(),
        thread_ts: None,
        message_ts: format!("{NOW}.000000"),
    };
    let mut rendered = Vec::new();
    for occasion in [Occasion::Mention, Occasion::Unasked] {
        let prompt = plugin.render_reply(&context, occasion, now()).await;
        rendered.push(prompt.unwrap());
    }
    rendered.push(plugin.render_judgment(&context, now()).await.unwrap());
    assert_eq!(host.take_calls(), [""; 0]);
    assert!(host.llm.requests().is_empty());

    plugin.reply_to_mention(&target, now()).await.unwrap();
    plugin.reply_unasked(&target, now()).await.unwrap();
    plugin.judge(&target, now()).await.unwrap();
    // Before the conversation stands what bears on the question. A caller's context has no notes, which give the date.
    let end = |prompt: &str| prompt.split_once("## 現在の会話").unwrap().1.to_owned();
    let today = "今日は 2024-03-01 (金, Fri) です。\n";
    let numbers = "質問に関わる発言と記憶から述べたことには、そのあとに番号を [1] のように付けてください。\
                   そこにない番号は書かないでください。\n\
                   食い違いがあれば、後に言われたことが今の内容です。それを先に書き、前の内容は聞かれたときだけ、日付とともに以前のものとして書いてください。\n";
    // The responder alone adds this.
    let offer = "\n上の内容だけでは答えられないとき";
    let sent = host.llm.prompts().into_iter().map(|prompt| {
        assert!(prompt.contains(today), "{prompt}");
        let prompt = prompt.split(offer).next().unwrap_or_default();
        end(&prompt.replace(today, "").replace(numbers, ""))
    });
    let rendered: Vec<String> = rendered.iter().map(|prompt| end(prompt)).collect();
    assert_eq!(rendered, sent.collect::<Vec<_>>());
}

#[tokio::test]
async fn prompts_tell_the_time() {
    let (host, context) = asked(ScriptedLlm::answering("")).await;
    let plugin = host.plugin();
    let later = utc(NOW + 60);
    let render = async |now| {
        let reply = plugin.render_reply(&context, Occasion::Mention, now).await;
        let judgment = plugin.render_judgment(&context, now).await;
        (reply.unwrap(), judgment.unwrap())
    };
    let (early, late) = (render(now()).await, render(later).await);
    for (early, late) in [(early.0, late.0), (early.1, late.1)] {
        assert!(early.contains("2024-03-01 13:00:00 (UTC+00:00)"), "{early}");
        assert_eq!(early.replace("13:00:00 (", "13:01:00 ("), late);
    }
}

#[tokio::test]
async fn what_does_not_fit_the_agents_model_is_left_out_and_at_last_an_error() {
    let (host, context) = asked(ScriptedLlm::answering("")).await;
    let plugin = host.plugin();
    let whole = plugin.render_reply(&context, Occasion::Mention, now());
    let whole = whole.await.unwrap();
    let window = myao_plugin::llm::estimate_tokens(&whole)
        + 1000
        + host
            .plugin()
            .settings()
            .number("memory.context_margin_tokens");
    let host = host.with_llm(ScriptedLlm::answering("").with_context_window(window - 60));
    let plugin = host.plugin();
    let cut = plugin.render_reply(&context, Occasion::Mention, now());
    assert!(cut.await.unwrap().len() < whole.len());
    let host = host.with_llm(ScriptedLlm::answering("").with_context_window(100));
    let plugin = host.plugin();
    for failed in [
        plugin
            .render_reply(&context, Occasion::Unasked, now())
            .await,
        plugin.render_judgment(&context, now()).await,
    ] {
        assert!(matches!(refused(failed), Error::PromptTooLong(_)));
    }
    assert!(host.llm.requests().is_empty());
}

#[tokio::test]
async fn a_template_that_is_wrong_is_named_with_its_line() {
    let (host, context) = asked(ScriptedLlm::answering("")).await;
    let host = host.with(|settings| {
        for name in ["reply_prompt.j2", "judgment_prompt.j2"] {
            let source = "one\n{{ nothing.of.that_name }}";
            settings.set(format!("templates.{name}"), source);
        }
    });
    let plugin = host.plugin();
    let reply = plugin
        .render_reply(&context, Occasion::Mention, now())
        .await;
    let judgment = plugin.render_judgment(&context, now()).await;
    for (failed, name) in [(reply, "reply_prompt.j2"), (judgment, "judgment_prompt.j2")] {
        let Error::Template(fault) = refused(failed) else {
            panic!("another error")
        };
        assert_eq!((fault.name.as_str(), fault.line), (name, 2));
    }
}
