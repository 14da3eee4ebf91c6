//! What people wrote stays out of the log, of health and metrics, and of stored errors, whatever a model's server echoes.
//! Credentials are not even stored.

use std::sync::atomic::{AtomicUsize, Ordering};

use myao_tests::llm_server::{API_KEY, Call, LlmServer, Reply, error, events};
use myao_tests::peer::exchange;
use serde_json::json;

use crate::bot::strangers::Stage;
use crate::bot::support::{AKARI, CAMP, EMIKO, connect, number, workspace};

/// What somebody says.
const SAID: &str = "geheimnis-4711";

/// A server that fails in every way, each with the prompt in its words.
fn echoing_model() -> LlmServer {
    let calls = AtomicUsize::new(0);
    LlmServer::start(move |call: &Call| {
        let prompt = call.prompt();
        let typed = json!({ "error": { "message": prompt, "code": prompt, "type": SAID } });
        let refusal =
            json!({ "choices": [{ "delta": { "refusal": prompt }, "finish_reason": "stop" }] });
        match calls.fetch_add(1, Ordering::SeqCst) % 8 {
            0 => error(400, &typed.to_string()),
            1 => error(401, prompt),
            2 => error(500, &typed.to_string()),
            3 => Reply::Http(200, "content-type: text/plain", prompt.to_owned()),
            4 => events(&[json!({ "error": { "message": prompt, "code": 400 } })]),
            5 => events(&[json!({ "choices": prompt })]),
            6 => error(
                400,
                &json!({ "error": { "message": prompt, "code": "content_filter" } }).to_string(),
            ),
            _ => events(&[refusal]),
        }
    })
}

#[test]
fn nothing_that_people_wrote_is_in_the_log_or_in_stored_errors() {
    let (slack, llm) = (workspace(), echoing_model());
    let url = llm.base_url();
    let config = format!(
        "agents:\n  memory:\n    model_id: openai/test-model\n    \
         client_args: {{ base_url: '{url}', api_key: {API_KEY}, max_retries: 0 }}\n\
         memory: {{ long_term_update_interval_seconds: 1 }}\nlogging: {{ level: INFO }}\n"
    );
    let mut bot = connect(&slack, &config);
    slack.post(AKARI, CAMP, &format!("The word is {SAID}."), None);
    for _ in 0..8 {
        slack.mention(EMIKO, CAMP, &format!("What is {SAID}?"), None);
    }
    bot.until("failed answers and runs", |program| {
        let failed = number(
            program,
            "SELECT COUNT(*) FROM replies WHERE error IS NOT NULL",
        );
        (failed >= 8 && llm.calls().len() >= 16).then_some(())
    });
    let echoed = llm
        .prompts()
        .iter()
        .filter(|prompt| prompt.contains(SAID))
        .count();
    assert!(echoed >= 16, "{echoed}");
    for page in ["/ready", "/metrics", "/live"] {
        let answer = exchange(bot.health(), &format!("GET {page}"), &[], "").unwrap();
        assert!(!answer.body.contains(SAID), "{}", answer.body);
    }
    let log = bot.log();
    let program = bot.stop();
    assert!(
        log.contains("status 400") && log.contains("is not answered yet"),
        "{log}"
    );
    assert!(!log.contains(SAID), "{log}");
    for query in [
        "SELECT error FROM replies WHERE error IS NOT NULL",
        "SELECT error FROM events WHERE error IS NOT NULL",
        "SELECT reason FROM deferrals",
        "SELECT error FROM llm_calls WHERE error IS NOT NULL",
    ] {
        let errors = program.texts(query);
        assert!(!errors.concat().contains(SAID), "{query}: {errors:#?}");
    }
    let shown = program.run(&["doctor"]).stdout;
    assert!(
        shown.contains("answers") && !shown.contains(SAID),
        "{shown}"
    );
}

#[test]
fn a_credential_that_somebody_posts_is_stored_as_a_placeholder_unless_all_are_kept() {
    for (config, stored) in [
        ("", "トークンは [redacted: GitHub token] です。"),
        ("redact_secrets: false\n", "トークンは ghp_aB3d%9jKm です。"),
    ] {
        let mut stage = Stage::set(workspace(), "", config);
        let token = format!("ghp_{}", "aB3dE6gH9jKm".repeat(3));
        let said = format!("トークンは {token} です。");
        stage.slack.post(AKARI, CAMP, &said, None);
        stage.settled();
        let query = format!("SELECT COUNT(*) FROM messages WHERE text LIKE '{stored}'");
        assert_eq!(stage.number(&query), 1, "{config}");
    }
}
