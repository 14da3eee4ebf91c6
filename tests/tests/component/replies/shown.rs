//! What an answer is made from: what its prompt shows, and what it leaves out.

use myao_plugin::audience::ChannelFacts;
use myao_plugin::llm::Agent;
use myao_plugin::ts::TsKey;
use myao_plugin::{Scope, Target};
use myao_testkit::{Asked, ScriptedLlm};
use myao_tests::telling::telling_llm;

use super::{ANSWER, answering, mention, question, target};
use crate::component::host::{Host, NOW, START, now};

/// The part of a prompt that shows what is answered, and what was said before.
fn target_of(prompt: &str) -> &str {
    let (_, target) = prompt.rsplit_once("### 返信対象").unwrap();
    target
}

#[tokio::test]
async fn what_private_channels_remember_is_told_only_within_them() {
    let host = Host::telling();
    host.storage
        .put_channel("C3", "secret", ChannelFacts::PRIVATE);
    host.storage
        .say("C3", START, "erin", "We buy the shipyard.");
    host.generate(NOW).await;
    host.storage.say("C1", NOW, "bob", "@myao What is new?");
    let secret = host.storage.memories();
    let secret = secret
        .iter()
        .find(|memory| memory.scope_id == "C3")
        .unwrap();
    let host = host.with_llm(ScriptedLlm::answering(ANSWER));
    mention(&host, &question()).await.unwrap();
    assert!(
        !host.llm.prompts()[0].contains(&secret.content),
        "told elsewhere"
    );
    let asked = host.storage.say("C3", NOW, "erin", "@myao What is new?");
    let within = Target {
        channel_id: "C3".to_owned(),
        message_ts: asked.to_string(),
        ..question()
    };
    mention(&host, &within).await.unwrap();
    assert!(
        host.llm.prompts()[1].contains(&secret.content),
        "not told within"
    );
}

#[tokio::test]
async fn what_is_remembered_of_a_private_channel_is_told_only_within_it() {
    let of_secret = Asked::about(Scope::Channel, "C3");
    let host = Host::with_conversation(telling_llm().on(of_secret, "- erin buys the shipyard."));
    host.storage
        .put_channel("C3", "secret", ChannelFacts::PRIVATE);
    let asked = host
        .storage
        .say("C3", START, "erin", "@myao When does the crane come?");
    host.generate(NOW).await;
    host.storage.say("C1", NOW, "bob", "@myao What is new?");
    let host = host.with_llm(ScriptedLlm::answering(ANSWER));
    mention(&host, &question()).await.unwrap();
    let within = Target {
        channel_id: "C3".to_owned(),
        message_ts: asked.to_string(),
        ..question()
    };
    mention(&host, &within).await.unwrap();
    let [elsewhere, within] = host.llm.prompts().try_into().unwrap();
    for hidden in ["erin buys", "secret"] {
        assert!(!elsewhere.contains(hidden), "told: {elsewhere}");
    }
    assert!(within.contains("erin buys"), "not told: {within}");
    assert!(within.contains("harbour"), "not told: {within}");
}

#[tokio::test]
async fn an_answer_and_a_judgment_have_each_their_persona_and_their_template() {
    let host = answering().await.with(|settings| {
        settings.set("persona.system_prompt", "You are myao.");
        settings.set("agents.memory.system_prompt", "You remember.");
        settings.set("agents.response.system_prompt", "You answer.");
        settings.set("agents.judgment.system_prompt", "You judge.");
        for name in ["reply_prompt.j2", "judgment_prompt.j2"] {
            let source = format!("{name}: {{{{ persona.system_prompt }}}}");
            settings.set(format!("templates.{name}"), source);
        }
    });
    mention(&host, &question()).await.unwrap();
    host.plugin().judge(&question(), now()).await.unwrap();
    let [reply, judgment] = host.llm.prompts().try_into().unwrap();
    // Behind it, the model may search.
    let own = "reply_prompt.j2: You are myao.\n\nYou answer.\n";
    assert!(reply.starts_with(own), "{reply}");
    assert_eq!(judgment, "judgment_prompt.j2: You are myao.\n\nYou judge.");
}

#[tokio::test]
async fn what_was_said_after_the_time_of_the_answer_is_not_shown() {
    let host = answering().await;
    host.storage.say("C1", NOW + 1, "bob", "Never mind.");
    mention(&host, &question()).await.unwrap();
    let [prompt] = host.llm.prompts().try_into().unwrap();
    assert!(!prompt.contains("Never mind."), "shown: {prompt}");
}

#[tokio::test]
async fn a_message_is_answered_however_many_came_after_it() {
    let host = answering()
        .await
        .with(|settings| settings.set("response.channel_messages_limit", 2));
    let asked = NOW - 100;
    host.storage
        .say("C1", asked, "erin", "@myao Who has the keys?");
    for n in 1..9 {
        host.storage.say("C1", asked + n, "bob", "Well...");
    }
    let reply = mention(&host, &target(None, asked)).await;
    assert_eq!(reply.unwrap().text, ANSWER);
    let [prompt] = host.llm.prompts().try_into().unwrap();
    assert!(
        prompt.contains("@myao Who has the keys?"),
        "not shown: {prompt}"
    );
}

#[tokio::test]
async fn a_message_whose_thread_has_begun_since_stands_in_the_target_all_the_same() {
    let host = answering().await;
    host.storage
        .reply("C1", TsKey::first_of(NOW), NOW, "alice", "Soon.");
    mention(&host, &question()).await.unwrap();
    host.plugin().judge(&question(), now()).await.unwrap();
    let requests = host.llm.requests();
    let agents: Vec<Agent> = requests.iter().map(|r| r.purpose.agent).collect();
    assert_eq!(agents, [Agent::Response, Agent::Judgment]);
    for request in requests {
        let target = target_of(&request.system_prompt);
        let shown = target.contains("When does the crane come?");
        assert!(shown, "not what is answered: {target}");
    }
}
