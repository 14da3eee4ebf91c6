//! Credentials in what a host hands over: nothing is made from them.

use myao_plugin::{Occasion, Place, SearchRequest, Target, context_json, erasure};
use myao_testkit::ScriptedLlm;
use myao_tests::read_project_file;

use crate::component::host::{Host, NOW, START, fill, now, thread_ts};

/// A token of no account.
fn token() -> String {
    format!("ghp_{}", "aB3dE6gH9jKm".repeat(3))
}

/// A sentence with a token, of which a record is kept.
fn said() -> String {
    format!("We decided to deploy Beacon with {} on March 5.", token())
}

/// A host whose store keeps tokens.
fn keeping(llm: ScriptedLlm) -> Host {
    let host = Host::new(llm);
    fill(&host.storage);
    host.storage.say("C1", START + 300, "bob", &said());
    let thread = thread_ts();
    host.storage
        .reply("C1", thread, START + 310, "dave", &said());
    host.storage
        .say("C1", NOW, "bob", &format!("@myao who has {}?", token()));
    host
}

/// Fails if the component called an import with the token, or with nothing but that.
#[track_caller]
fn assert_masked(host: &Host) {
    let calls = host.recorder.take();
    let mut masked = 0;
    for made in calls {
        assert!(!made.call.mentions(&token()), "{}", made.call);
        masked += usize::from(made.call.mentions("[redacted: GitHub token"));
    }
    assert!(masked > 0);
}

#[tokio::test]
async fn credentials_in_the_store_are_in_no_prompt_memory_record_or_answer() {
    let host = keeping(ScriptedLlm::answering("- They talked about the crane."));
    let records = host.generate(NOW).await;
    assert!(records.entries.iter().all(|entry| !entry.made.is_empty()));
    assert_masked(&host);
    // A mask is as long as what it hides: a record is the same words in the host's store.
    let drafts = host.storage.drafts();
    let records = drafts.iter().flat_map(|draft| &draft.records);
    let kept: Vec<String> = records
        .map(|span| erasure::part(&said(), span.start, span.length))
        .collect();
    assert!(kept.contains(&said()), "{kept:?}");

    let target = Target {
        channel_id: "C1".to_owned(),
        thread_ts: None,
        message_ts: format!("{NOW}.000000"),
    };
    let plugin = host.plugin();
    plugin.reply_to_mention(&target, now()).await.unwrap();
    assert_masked(&host);
    let question = format!("who deploys Beacon with {}?", token());
    plugin.ask(Place::Operator, &question, now()).await.unwrap();
    assert_masked(&host);
    let request = SearchRequest {
        text: question,
        since: None,
        until: None,
        limit: 9,
    };
    let found = plugin.search(Place::Operator, &request, now()).await;
    let found = format!("{found:?}");
    assert!(found.contains("[redacted: GitHub token") && !found.contains(&token()));

    let host = host.with(|settings| settings.set("engines.memory", "extractive"));
    host.storage.say("C2", NOW, "bob", &said());
    host.generate(3 * NOW - 2 * START).await;
    assert_masked(&host);
    let remembered = format!("{:?}", host.remembered());
    assert!(remembered.contains("[redacted: GitHub token"));
}

#[tokio::test]
async fn credentials_in_a_context_are_in_no_prompt() {
    let context = read_project_file("tests/goldens/context.json");
    let texts = ["ミーティング", "リスト"];
    let context = texts.iter().fold(context, |context, text| {
        context.replace(text, &format!("{} ", token()))
    });
    let context = context_json::parse(&context).unwrap();
    let host = Host::new(ScriptedLlm::answering("- bob がリストを共有する"));
    let prompts = async |host: &Host| {
        let plugin = host.plugin();
        let memory = plugin.render_prompt(
            &context,
            myao_plugin::Scope::Channel,
            myao_plugin::MemoryType::ShortTerm,
            None,
        );
        let reply = plugin.render_reply(&context, Occasion::Mention, now());
        let judgment = plugin.render_judgment(&context, now());
        [
            memory.await.unwrap(),
            reply.await.unwrap(),
            judgment.await.unwrap(),
        ]
    };
    for prompt in prompts(&host).await {
        assert!(prompt.contains("[redacted: GitHub token"), "{prompt}");
        assert!(!prompt.contains(&token()), "{prompt}");
    }
    let host = host.with(|settings| settings.set("redact_secrets", false));
    for prompt in prompts(&host).await {
        assert!(prompt.contains(&token()), "{prompt}");
    }
}
