//! The models of the agents and the embedder: configured, with a key, and reachable, or not.

use std::collections::HashMap;
use std::time::Duration;

use myao::config::Config;
use myao_embed::LocalEmbedder;
use myao_llm::config;
use myao_llm::{
    Embeddings, ModelEndpoint, configured_embedder, configured_model, embedder_endpoint,
    model_endpoint,
};
use myao_plugin::embedder::{Embedder as _, TextKind};
use myao_plugin::explain::explain_llm;
use myao_plugin::llm::{Agent, LlmError, Purpose, Request};
use myao_plugin::{Scope, WORKSPACE_SCOPE_ID};

use super::{Finding, State};
use crate::cli::app::model_file;
use crate::cli::in_one_line;
use crate::cli::server_words::ServerWords;

/// How long to wait for a server's answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long to wait for a model's answer, retries included.
const CALL_PATIENCE: Duration = Duration::from_secs(60);
/// The question to a model with --call-models.
const QUESTION: &str = "Answer with the one word: ready";
/// The longest answer to it, in tokens; some models reason before they answer.
const ANSWER_TOKENS: u32 = 1000;

/// One agent.
struct Checked {
    check: &'static str,
    /// Its key in `agents`.
    key: &'static str,
    agent: Agent,
    config: config::Agent,
    /// The functions that still work without a model.
    without: &'static str,
}

/// A finding for each agent, and one for the embedder. Without `call`, the models are not asked: a server that answers
/// anything passes the check.
pub(super) async fn check(config: &Config, call: bool) -> Vec<Finding> {
    let (agents, embeddings) = (&config.agents, &config.recall.embeddings);
    let checked = [
        Checked {
            check: "model for memories",
            key: "memory",
            agent: Agent::Memory,
            config: agents.memory.clone(),
            without: "none: memories are picked from what was said",
        },
        Checked {
            check: "model for replies",
            key: "response",
            agent: Agent::Response,
            config: agents.for_replies(),
            without: "none: mentions are answered by quoting what is remembered",
        },
        Checked {
            check: "model for judgments",
            key: "judgment",
            agent: Agent::Judgment,
            config: agents.for_judgments(),
            without: "none: the bot answers only where it is mentioned",
        },
    ];
    let mut reached = HashMap::new();
    let mut findings = Vec::new();
    for checked in checked {
        findings.push(check_one(&checked, call, &mut reached).await);
    }
    findings.push(check_embedder(embeddings, call, &mut reached).await);
    tell_once(&mut findings);
    findings
}

/// Agents often share a model: its fault is reported for the first of them only.
fn tell_once(findings: &mut [Finding]) {
    let mut told: HashMap<String, &'static str> = HashMap::new();
    for finding in findings {
        if finding.state != State::Bad {
            continue;
        }
        if let Some(first) = told.get(&finding.found) {
            finding.found = format!("the same as the {first}");
            finding.advice = None;
        } else {
            told.insert(finding.found.clone(), finding.check);
        }
    }
}

/// The servers that were already checked, by address.
type Reached = HashMap<String, Result<(), String>>;

async fn check_one(checked: &Checked, call: bool, reached: &mut Reached) -> Finding {
    let (check, key) = (checked.check, checked.key);
    let endpoint = match model_endpoint(key, &checked.config) {
        Ok(Some(endpoint)) => endpoint,
        Ok(None) => {
            let finding = Finding::unset(check, checked.without);
            // The other agents use its model.
            return match checked.agent {
                Agent::Memory => {
                    finding.with_advice("agents.memory.model_id names a model for everything")
                }
                Agent::Response | Agent::Judgment => finding,
            };
        }
        Err(error) => return Finding::bad(check, error.to_string()),
    };
    let section = format!("agents.{key}");
    let asked = call.then(|| ask(checked));
    check_endpoint(check, &section, endpoint, asked, reached).await
}

async fn check_embedder(embeddings: &Embeddings, call: bool, reached: &mut Reached) -> Finding {
    let check = "model for embeddings";
    match embedder_endpoint(embeddings) {
        Ok(Some(endpoint)) => {
            let asked = call.then(|| embed(embeddings));
            check_endpoint(check, "recall.embeddings", endpoint, asked, reached).await
        }
        Ok(None) => check_local(check, embeddings),
        Err(error) => Finding::bad(check, error.to_string()),
    }
}

/// Checks the model in the process.
fn check_local(check: &'static str, embeddings: &Embeddings) -> Finding {
    let Some(file) = model_file(embeddings) else {
        let finding = Finding::unset(check, "none: messages are found by their words");
        return match embeddings.local {
            true => finding.with_advice(
                "packages of myao have one; recall.embeddings.file names another place",
            ),
            false => finding,
        };
    };
    match LocalEmbedder::open(&file) {
        Ok(_) => Finding::good(check, format!("{} in this process", file.display())),
        Err(error) => Finding::bad(check, error.to_string())
            .with_advice("install the package again, or fetch the file again"),
    }
}

/// Checks a model by asking it, if `asked` does, or else by whether its server can be reached. `section` is its section of
/// the configuration.
async fn check_endpoint(
    check: &'static str,
    section: &str,
    endpoint: ModelEndpoint,
    asked: Option<impl Future<Output = Result<(), String>>>,
    reached: &mut Reached,
) -> Finding {
    let ModelEndpoint {
        model,
        origin,
        missing_key,
        ..
    } = endpoint;
    if let Some(variable) = missing_key {
        return Finding::bad(check, format!("{model} has no key")).with_advice(format!(
            "set {section}.client_args.api_key, or the variable {variable}"
        ));
    }
    if let Some(asked) = asked {
        return match asked.await {
            Ok(()) => Finding::good(check, format!("{model} at {origin} answers")),
            Err(why) => Finding::bad(check, format!("{model} at {origin}: {why}")),
        };
    }
    if !reached.contains_key(&origin) {
        reached.insert(origin.clone(), reach(&origin).await);
    }
    match reached.get(&origin) {
        Some(Err(why)) => {
            Finding::bad(check, format!("{model}: {origin} cannot be reached: {why}")).with_advice(
                format!("check the network, and {section}.client_args.base_url"),
            )
        }
        _ => Finding::good(
            check,
            format!("{model}: {origin} can be reached; --call-models checks whether it answers"),
        ),
    }
}

/// Checks that a server answers HTTP at all, over TLS if its address says so.
async fn reach(origin: &str) -> Result<(), String> {
    let client = reqwest::Client::builder()
        .timeout(PATIENCE)
        .redirect(reqwest::redirect::Policy::none())
        .build();
    let answered = match client {
        Ok(client) => client.head(origin).send().await.map(drop),
        Err(error) => Err(error),
    };
    answered.map_err(|error| in_one_line(&anyhow::Error::new(error.without_url())))
}

/// Makes a small real call.
async fn ask(checked: &Checked) -> Result<(), String> {
    let llm = configured_model(checked.key, &checked.config).map_err(|error| error.to_string())?;
    let request = Request {
        system_prompt: QUESTION.to_owned(),
        max_tokens: ANSWER_TOKENS,
        answer_schema: None,
        purpose: Purpose {
            agent: checked.agent,
            scope: Scope::Workspace,
            scope_id: WORKSPACE_SCOPE_ID.to_owned(),
            memory_type: None,
        },
    };
    let words = ServerWords::default();
    let completion = in_time(llm.complete(request, &words), &words).await?;
    match completion.text.trim() {
        "" => Err("its answer has no text; try again, or name another model".to_owned()),
        _ => Ok(()),
    }
}

/// Asks for a small vector.
async fn embed(embeddings: &Embeddings) -> Result<(), String> {
    let configured = configured_embedder(embeddings).map_err(|error| error.to_string())?;
    let Some(embedder) = configured else {
        return Ok(());
    };
    let (words, texts) = (ServerWords::default(), [QUESTION.to_owned()]);
    let made = embedder.embed(&texts, TextKind::Question, &words);
    in_time(made, &words).await.map(drop)
}

async fn in_time<T>(
    answered: impl Future<Output = Result<T, LlmError>>,
    words: &ServerWords,
) -> Result<T, String> {
    match tokio::time::timeout(CALL_PATIENCE, answered).await {
        Ok(answered) => answered.map_err(|error| words.beside(&explain_llm(&error))),
        Err(_) => Err(format!("no answer within {} s", CALL_PATIENCE.as_secs())),
    }
}
