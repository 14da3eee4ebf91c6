//! True if to reply without being asked.

use super::*;
use crate::bindings::errors::BadAnswer;
use crate::settings::PromptLanguage;

fn judge(host: &TestHost) -> Result<Judgment, Error> {
    host.say("C1", -600, "公開はいつでしたっけ？");
    Responder::new(&host.ports(), &host.chat, at(0)).judge(&target(None, -600))
}

#[test]
fn the_model_of_the_judgment_agent_is_asked_with_a_schema() {
    let host = host_that_says(r#"{"should_respond": true, "reason": "未回答", "confidence": 0.9}"#);
    let expected = Judgment {
        should_respond: true,
        reason: "未回答".to_owned(),
        confidence: 0.9,
    };
    assert_eq!(judge(&host), Ok(expected));
    let request = host.llm.requests().remove(0);
    assert_eq!(request.max_tokens, 500);
    assert_eq!(request.purpose.agent, Agent::Judgment);
    assert_eq!(
        (request.purpose.scope, request.purpose.scope_id.as_str()),
        (Scope::Channel, "C1")
    );
    let schema: serde_json::Value = serde_json::from_str(&request.answer_schema.unwrap()).unwrap();
    assert_eq!(schema["additionalProperties"], false);
    let required: Vec<&str> = schema["required"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    let properties = schema["properties"].as_object().unwrap();
    assert_eq!(properties.keys().collect::<Vec<_>>(), required);
    assert!(host.chat.posts().is_empty(), "nothing is posted");
}

#[test]
fn an_answer_that_is_no_judgment_is_asked_for_once_more_with_the_reason() {
    let host = host_that_says(r#"{"should_respond": false, "reason": "", "confidence": 1}"#);
    let first = r#"{"should_respond": false, "reason": ""}"#;
    host.llm
        .script(0, Ok(completion(first, FinishReason::Stop)));
    assert!(!judge(&host).unwrap().should_respond);
    assert!(host.llm.prompts()[1].contains("confidence is missing"));
    assert_eq!(
        *host.log.0.borrow(),
        [
            "asked once more for the judgment in channel C1: the answer was malformed: confidence is missing"
        ]
    );
}

#[test]
fn the_second_ask_is_in_the_language_of_the_prompt() {
    for (language, said) in [
        (PromptLanguage::Japanese, "前後に何も付けず"),
        (PromptLanguage::English, "Write nothing but JSON"),
    ] {
        let mut host = host_that_says("no");
        host.settings.prompt_language = language;
        assert!(judge(&host).is_err());
        let prompts = host.llm.prompts();
        assert!(prompts[1].contains(said), "{}", prompts[1]);
    }
}

#[test]
fn a_second_answer_that_is_no_judgment_is_an_error_that_says_why() {
    let host = host_that_says("はい");
    let fault = BadAnswer::Malformed("there is no JSON object".to_owned());
    assert_eq!(judge(&host), Err(Error::BadAnswer(fault)));
    assert_eq!(host.llm.calls(), 2);
}

#[test]
fn without_a_model_the_answer_is_no_and_nothing_is_read() {
    let mut host = host();
    host.settings.reply_engine = Engine::Extractive;
    let judgment = judge(&host).unwrap();
    assert_eq!((judgment.should_respond, judgment.confidence), (false, 1.0));
    assert!(judgment.reason.contains("without a language model"));
    assert_eq!(host.llm.calls(), 0);
    assert!(host.storage.take_calls().is_empty());
}
