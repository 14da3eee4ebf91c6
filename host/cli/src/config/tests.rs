#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::net::Ipv4Addr;
use std::sync::LazyLock;

use myao_plugin::{BUNDLED_COMPONENT, LoadedComponent};

use super::*;

pub(super) static COMPONENT: LazyLock<LoadedComponent> =
    LazyLock::new(|| LoadedComponent::from_bytes("component", BUNDLED_COMPONENT, None).unwrap());

/// Reads a configuration; the component checks its settings.
pub(super) fn parse(text: &str) -> Result<Config, String> {
    Config::parse(text, &|settings| checked(&COMPONENT, settings))
}

/// The settings that the component gets of a configuration.
fn settings(text: &str) -> Settings {
    parse(text).unwrap().settings().unwrap()
}

#[test]
fn an_empty_file_is_all_defaults() {
    for text in ["", "# nothing\n", "---\n"] {
        assert_eq!(parse(text).unwrap(), Config::default());
    }
    let settings = settings("");
    assert_eq!(settings.text("engines.memory"), "extractive", "no model");
    let pairs = settings.pairs();
    assert!(!pairs.iter().any(|(key, _)| key.starts_with("memory.")));
}

#[test]
fn the_python_bots_keys_are_all_known() {
    let config = parse(
        r#"
slack: { bot_token: xoxb-1, app_token: xapp-1 }
persona: { name: みゃお, system_prompt: 猫です。 }
agents:
  response: { model_id: openai/gpt-4o, system_prompt: 返事, params: { temperature: 0.7 }, client_args: { api_key: k } }
  judgment: { model_id: openai/gpt-4o-mini }
  memory: { model_id: openai/org/model, system_prompt: 記憶, params: { max_tokens: 200 } }
memory:
  database_path: ./data/memory.db
  long_term_update_interval_seconds: 1800
  short_term_window_hours: 12
  long_term_summary_max_tokens: 400
  short_term_summary_max_tokens: 200
  short_term_history: { enabled: false, max_history_count: 3, conversation_idle_seconds: 60, message_threshold: 10 }
response:
  check_interval_seconds: 30
  min_wait_seconds: 100
  jitter_ratio: 0.1
  max_message_age_seconds: 1000
  channel_messages_limit: 20
  judgment_skip:
    enabled: true
    thresholds: [{ min_confidence: 0.9, skip_seconds: 1 }]
    default_skip_seconds: 2
logging: { level: DEBUG }
health_check: { port: 9000 }
"#,
    )
    .unwrap();
    let settings = config.settings().unwrap();
    for (key, value) in [
        ("persona.name", "みゃお"),
        ("persona.system_prompt", "猫です。"),
        ("agents.memory.system_prompt", "記憶"),
        ("agents.response.system_prompt", "返事"),
        ("engines.memory", "llm"),
        ("memory.short_term_window_hours", "12"),
        ("memory.short_term_history.enabled", "false"),
        ("memory.short_term_history.message_threshold", "10"),
        ("response.channel_messages_limit", "20"),
    ] {
        assert_eq!(settings.text(key), value, "{key}");
    }
    assert_eq!(config.agents.memory.model_id.unwrap().model, "org/model");
    assert_eq!(config.memory.database_path, Path::new("./data/memory.db"));
}

#[test]
fn the_bot_speaks_the_language_of_its_persona_or_its_prompts() {
    for (text, japanese) in [
        ("{}", false),
        ("timezone: Asia/Tokyo", true),
        (
            "timezone: Asia/Tokyo\nmemory: { prompt_language: en }",
            false,
        ),
        ("memory: { prompt_language: ja }", true),
        ("memory: { prompt_language: ja, language: en }", false),
        ("memory: { prompt_language: en, language: ja }", true),
        ("persona: { system_prompt: 猫です。 }", true),
        (
            "timezone: Asia/Tokyo\npersona: { system_prompt: A cat. }",
            false,
        ),
    ] {
        let language = parse(text).unwrap().bot_settings().language;
        assert_eq!(language == Language::Japanese, japanese, "{text}");
    }
}

#[test]
fn settings_of_the_component_are_handed_on_as_they_are() {
    let config = "memory: { context_margin_tokens: 50, extractive_stand_in: true }\n\
                  context: { surroundings_max_tokens: 100 }\n";
    let settings = settings(config);
    assert_eq!(settings.text("memory.context_margin_tokens"), "50");
    assert_eq!(settings.text("memory.extractive_stand_in"), "true");
    assert_eq!(settings.text("context.surroundings_max_tokens"), "100");
    let error = parse("memory:\n  language: jp\n").unwrap_err();
    assert_eq!(
        error,
        "line 2, column 13, `memory.language`: `jp` is not one of `auto`, `any`, `ja`, `en`, `zh`, `ko`, `ru`"
    );
}

#[test]
fn an_unknown_key_is_named_with_its_line() {
    let error = parse("memory:\n  short_term_windw_hours: 3\n").unwrap_err();
    assert!(
        error.contains("short_term_windw_hours") && error.contains("line 2"),
        "{error}"
    );
}

#[test]
fn an_error_is_one_line_also_where_a_key_goes_over_several() {
    let error = parse("memory: {short\n  term\n\n  window: 1}").unwrap_err();
    assert!(
        error.starts_with("line 1, ") && !error.contains('\n'),
        "{error:?}"
    );
}

#[test]
fn a_value_of_the_wrong_kind_is_named_with_its_line() {
    let error = parse("persona:\n  name: a\nmemory:\n  short_term_window_hours: soon\n");
    assert!(error.unwrap_err().contains("line 4"));
    let error = parse("timezone: Asia/Tokio\n").unwrap_err();
    assert!(
        error.contains("Asia/Tokio") || error.contains("line 1"),
        "{error}"
    );
}

#[test]
fn all_faults_are_told_at_once_in_the_order_of_the_file() {
    let error = parse(
        "\
response: { jitter_ratio: 3, min_wait_seconds: 60 }
memory:
  short_term_windw_hours: 3
  language: jp
  short_term_history:
    enabled: maybe
persona:
  name: ''
logging: { level: INFO }
prices:
  gpt-4o: { input: 1, output: 2 }
  openai/a: { input: 1 }
  openai/b: { input: -1, output: 2 }
moods: { happy: true }
",
    );
    let error = error.unwrap_err();
    let faults: Vec<&str> = error.lines().collect();
    let expected = [
        ("line 1, column 27, `jitter_ratio`: ", "from 0 to 1"),
        ("line 3, column 3: ", "short_term_windw_hours"),
        ("line 4, column 13, `memory.language`: ", "jp"),
        (
            "line 6, column 14, `memory.short_term_history.enabled`: ",
            "`false`",
        ),
        ("line 8, column 9, `name`: ", "not empty"),
        ("line 11, column 11, `gpt-4o`: ", "gpt-4o"),
        ("line 12, column 13, `openai/a`: ", "output"),
        ("line 13, column 22, `input`: ", "from 0 on"),
        ("line 14, column 1: ", "moods"),
    ];
    assert_eq!(faults.len(), expected.len(), "{error}");
    for (fault, (place, word)) in faults.iter().zip(expected) {
        assert!(fault.starts_with(place) && fault.contains(word), "{fault}");
    }
}

#[test]
fn the_python_bots_retired_keys_are_named_and_the_rest_is_read() {
    let text = "\
llm:
  default: { model: gpt-4o, temperature: 0.7 }
persona: { name: みゃお }
memory: { short_term_window_hours: 12, memory_generation_llm: default }
response:
  message_limit: 20
  active_channel_days: 7
  thread_memory_days: 7
  response_interval: { min: 3.0, max: 10.0 }
  min_wait_seconds: 100
logging:
  level: DEBUG
  format: '%(asctime)s - %(message)s'
  debug_llm_messages: false
  loggers:
tools: { web_fetch: { api_endpoint: 'https://fetch.example' } }
external: { web_search: { enabled: false } }
";
    let config = parse(text).unwrap();
    assert_eq!(config.persona.name, "みゃお");
    assert_eq!(config.setting("memory.short_term_window_hours"), Some("12"));
    assert_eq!(config.response.min_wait_seconds, 100);
    assert_eq!(config.logging.level, LogLevel::Debug);
    assert_eq!(config.retired.len(), 11, "{:#?}", config.retired);
    let first = "line 1, column 1: `llm` is retired";
    assert!(
        config.retired[0].starts_with(first),
        "{:#?}",
        config.retired
    );
    let lines = config.retired.join("\n");
    for named in [
        "line 6, column 3: `response.message_limit`",
        "line 13, column 3: `logging.format`",
    ] {
        assert!(lines.contains(named), "{lines}");
    }
    let error = parse(&format!("{text}timezone: Asia/Tokio\n")).unwrap_err();
    assert!(
        error.contains("Asia/Tokio") && error.contains("`llm` is retired"),
        "{error}"
    );
}

#[test]
fn variables_are_read_from_the_environment_and_an_unset_one_is_an_error() {
    let manifest = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let config = parse(
        "persona: { name: 'at ${CARGO_MANIFEST_DIR}!' }\n\
         agents: { memory: { client_args: { api_key: '${CARGO_MANIFEST_DIR}' } } }",
    )
    .unwrap();
    assert_eq!(config.persona.name, format!("at {manifest}!"));
    assert_eq!(
        config.agents.memory.client_args["api_key"],
        manifest.as_str()
    );

    let error = parse("slack:\n  bot_token: ${MYAO_NO_SUCH_VARIABLE}\n").unwrap_err();
    assert!(
        error.contains("MYAO_NO_SUCH_VARIABLE is not set"),
        "{error}"
    );
}

#[test]
fn keys_are_not_printed() {
    let config = parse("agents: { memory: { client_args: { api_key: secret-key } } }");
    assert!(!format!("{:?}", config.unwrap().agents).contains("secret-key"));
}

#[test]
fn prices_are_by_model_and_exact() {
    let config = parse(
        "prices:\n  currency: USD\n  openai/gpt-4o: { input: 2.5, cached: 1.25, output: 10 }\n  \
         ollama/org/m: { input: 0.000001, output: 0 }\n",
    );
    let prices = config.unwrap().prices;
    assert_eq!(prices.currency.as_deref(), Some("USD"));
    let dated = prices.of("openai", "gpt-4o-2024-08-06", "gpt-4o").unwrap();
    assert_eq!(dated.input, PerMillion(2_500_000));
    assert_eq!(dated.cached, Some(PerMillion(1_250_000)));
    assert_eq!(
        prices.of("ollama", "org/m", "org/m").unwrap().input,
        PerMillion(1)
    );
    assert_eq!(prices.of("azure", "gpt-4o", "gpt-4o"), None);
}

#[test]
fn wrong_prices_are_named_with_their_line() {
    for (text, line, word) in [
        (
            "prices:\n  gpt-4o: { input: 1, output: 2 }\n",
            "line 2",
            "gpt-4o",
        ),
        (
            "prices:\n  openai/m: { input: -1, output: 2 }\n",
            "line 2",
            "from 0 on",
        ),
        (
            "prices:\n  openai/m:\n    input: 1\n    outputs: 2\n",
            "line 4",
            "outputs",
        ),
        ("prices:\n  openai/m: { input: 1 }\n", "line 2", "output"),
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.contains(line) && error.contains(word), "{error}");
    }
}

#[test]
fn localhost_and_levels_in_small_letters_are_understood() {
    let config = parse(
        "logging: { level: info }\nhealth_check: { address: localhost }\nslack: { listen: 'localhost:3000' }\n",
    );
    let config = config.unwrap();
    assert_eq!(config.logging.level, LogLevel::Info);
    assert_eq!(config.health_check.address, Ipv4Addr::LOCALHOST);
    assert_eq!(config.slack.listen, "127.0.0.1:3000".parse().ok());
    let ipv6 = parse("slack: { listen: '[::1]:3000' }").unwrap();
    assert_eq!(ipv6.slack.listen, "[::1]:3000".parse().ok());
}

#[test]
fn values_out_of_their_range_are_refused_with_key_and_range() {
    for (text, key, range) in [
        ("response:\n  jitter_ratio: 3\n", "jitter_ratio", "0 to 1"),
        (
            "response:\n  jitter_ratio: .nan\n",
            "jitter_ratio",
            "0 to 1",
        ),
        ("persona:\n  name: ' '\n", "name", "not empty"),
        ("memory: {}\nworkspace: ''\n", "workspace", "not empty"),
        ("logging:\n  level: loud\n", "level", "WARNING"),
        (
            "health_check:\n  address: nowhere\n",
            "address",
            "127.0.0.1",
        ),
        (
            "slack:\n  listen: 'localhost'\n",
            "listen",
            "127.0.0.1:3000",
        ),
    ] {
        let error = parse(text).unwrap_err();
        let place = format!("`{key}`");
        for word in ["line 2", place.as_str(), range] {
            assert!(error.contains(word), "{word}: {error}");
        }
    }
}

#[test]
fn one_database_is_named_and_never_shown() {
    let url = "postgres://ann:wrong-secret@db.example.org:5433/myao?sslmode=verify-full";
    let config = parse(&format!("memory:\n  database_url: {url}\n")).unwrap();
    assert_eq!(config.memory.database_url.as_ref().unwrap().secret(), url);
    assert!(!format!("{config:?}").contains("wrong-secret"));
    let text =
        format!("memory:\n  database_path: a.db\n  channels_in_flight: 1\n  database_url: {url}\n");
    let error = parse(&text).unwrap_err();
    for part in ["line 4", "`database_url`", "`database_path`", "line 2"] {
        assert!(error.contains(part), "no {part} in {error}");
    }
    assert!(!error.contains("wrong-secret"), "{error}");
    let none = "memory: { database_path: a.db, database_url: null }";
    assert!(parse(none).is_ok());
}

#[test]
fn an_address_of_a_server_has_its_scheme_and_one_at_sign() {
    for (url, part) in [
        ("mysql://ann:wrong-secret@host/db", "postgres://"),
        ("host=db password=wrong-secret", "postgres://"),
        ("postgres://ann:wrong-secret@1@host/db", "`%40`"),
        ("${MYAO_NO_SUCH_VARIABLE}", "MYAO_NO_SUCH_VARIABLE"),
    ] {
        let error = parse(&format!("memory:\n  database_url: {url:?}\n")).unwrap_err();
        assert!(error.contains("line 2") && error.contains(part), "{error}");
        assert!(!error.contains("wrong-secret"), "{error}");
    }
}
