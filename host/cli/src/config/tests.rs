#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::net::Ipv4Addr;

use myao_plugin::{Language, PromptLanguage};

use super::*;

#[test]
fn an_empty_file_is_all_defaults() {
    for text in ["", "# nothing\n", "---\n"] {
        assert_eq!(Config::parse(text).unwrap(), Config::default());
    }
    let settings = Config::default().settings().unwrap();
    assert_eq!(settings.short_term_window_hours, 24);
    assert_eq!(settings.long_term_summary_max_tokens, 500);
    assert_eq!(settings.short_term_summary_max_tokens, 300);
    assert_eq!(settings.short_term_history.conversation_idle_seconds, 7200);
    assert_eq!(settings.short_term_history.message_threshold, 50);
    assert_eq!(settings.short_term_history.max_history_count, 5);
    assert_eq!(
        (
            settings.generation_message_limit,
            settings.reply_message_limit
        ),
        (1000, 50)
    );
    assert_eq!(
        settings.engine,
        Engine::Extractive,
        "no model is configured"
    );
    assert_eq!(
        settings,
        Settings::default(),
        "a host without a configuration file has the same defaults"
    );
}

#[test]
fn the_python_bots_keys_are_all_known() {
    let config = Config::parse(
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
    assert_eq!(settings.persona.system_prompt, "猫です。");
    assert_eq!(settings.memory_system_prompt.as_deref(), Some("記憶"));
    assert_eq!(settings.response_system_prompt.as_deref(), Some("返事"));
    assert_eq!(settings.engine, Engine::Llm);
    assert!(!settings.short_term_history.enabled);
    assert_eq!(settings.reply_message_limit, 20);
    assert_eq!(config.agents.memory.model_id.unwrap().model, "org/model");
    assert_eq!(config.memory.database_path, Path::new("./data/memory.db"));
}

#[test]
fn english_prompts_come_with_an_english_persona() {
    let settings = |text: &str| Config::parse(text).unwrap().settings().unwrap();
    let english = settings("memory: { prompt_language: en }");
    assert_eq!(english.prompt_language, PromptLanguage::English);
    assert!(english.persona.system_prompt.starts_with("You are"));
    for (text, language) in [
        ("{}", PromptLanguage::Japanese),
        (
            "memory: { prompt_language: auto }",
            PromptLanguage::AsConversation,
        ),
    ] {
        let settings = settings(text);
        assert_eq!(settings.prompt_language, language);
        assert!(settings.persona.system_prompt.starts_with("あなたは"));
    }
    let own = settings("memory: { prompt_language: en }\npersona: { system_prompt: Be brief. }");
    assert_eq!(own.persona.system_prompt, "Be brief.");
}

#[test]
fn every_language_has_its_code() {
    for (code, language) in [
        ("auto", Language::AsInput),
        ("any", Language::Any),
        ("ja", Language::Japanese),
        ("en", Language::English),
        ("zh", Language::Chinese),
        ("ko", Language::Korean),
        ("ru", Language::Russian),
    ] {
        let config = Config::parse(&format!("memory: {{ language: {code} }}")).unwrap();
        assert_eq!(config.settings().unwrap().language, language);
    }
    let error = Config::parse("memory:\n  language: jp\n").unwrap_err();
    assert!(
        error.contains("jp") && error.contains("line 2") && error.contains("ja"),
        "{error}"
    );
}

#[test]
fn what_is_done_with_a_models_answers_is_configured() {
    let settings = Config::default().settings().unwrap();
    assert_eq!(
        (settings.language, settings.context_margin_tokens),
        (Language::AsInput, 300)
    );
    assert!(!settings.extractive_stand_in);
    let config = "memory: { context_margin_tokens: 50, extractive_stand_in: true }";
    let settings = Config::parse(config).unwrap().settings().unwrap();
    assert_eq!(
        (settings.context_margin_tokens, settings.extractive_stand_in),
        (50, true)
    );
}

#[test]
fn an_unknown_key_is_named_with_its_line() {
    let error = Config::parse("memory:\n  short_term_windw_hours: 3\n").unwrap_err();
    assert!(
        error.contains("short_term_windw_hours") && error.contains("line 2"),
        "{error}"
    );
}

#[test]
fn an_error_is_one_line_also_where_a_key_goes_over_several() {
    let error = Config::parse("memory: {short\n  term\n\n  window: 1}").unwrap_err();
    assert!(
        error.starts_with("line 1, ") && !error.contains('\n'),
        "{error:?}"
    );
}

#[test]
fn a_value_of_the_wrong_kind_is_named_with_its_line() {
    let error = Config::parse("persona:\n  name: a\nmemory:\n  short_term_window_hours: soon\n");
    assert!(error.unwrap_err().contains("line 4"));
    let error = Config::parse("timezone: Asia/Tokio\n").unwrap_err();
    assert!(
        error.contains("Asia/Tokio") || error.contains("line 1"),
        "{error}"
    );
}

#[test]
fn all_faults_are_told_at_once_in_the_order_of_the_file() {
    let error = Config::parse(
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
        ("line 4, column 13, `language`: ", "jp"),
        ("line 6, column 14, `enabled`: ", "true or false"),
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
    let config = Config::parse(text).unwrap();
    assert_eq!(config.persona.name, "みゃお");
    assert_eq!(config.memory.short_term_window_hours, 12);
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
    let error = Config::parse(&format!("{text}timezone: Asia/Tokio\n")).unwrap_err();
    assert!(
        error.contains("Asia/Tokio") && error.contains("`llm` is retired"),
        "{error}"
    );
}

#[test]
fn variables_are_read_from_the_environment_and_an_unset_one_is_an_error() {
    let manifest = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let config = Config::parse(
        "persona: { name: 'at ${CARGO_MANIFEST_DIR}!' }\n\
         agents: { memory: { client_args: { api_key: '${CARGO_MANIFEST_DIR}' } } }",
    )
    .unwrap();
    assert_eq!(config.persona.name, format!("at {manifest}!"));
    assert_eq!(
        config.agents.memory.client_args["api_key"],
        manifest.as_str()
    );

    let error = Config::parse("slack:\n  bot_token: ${MYAO_NO_SUCH_VARIABLE}\n").unwrap_err();
    assert!(
        error.contains("MYAO_NO_SUCH_VARIABLE is not set"),
        "{error}"
    );
}

#[test]
fn keys_are_not_printed() {
    let config = Config::parse("agents: { memory: { client_args: { api_key: secret-key } } }");
    assert!(!format!("{:?}", config.unwrap().agents).contains("secret-key"));
}

#[test]
fn prices_are_by_model_and_exact() {
    let config = Config::parse(
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
        let error = Config::parse(text).unwrap_err();
        assert!(error.contains(line) && error.contains(word), "{error}");
    }
}

#[test]
fn localhost_and_levels_in_small_letters_are_understood() {
    let config = Config::parse(
        "logging: { level: info }\nhealth_check: { address: localhost }\nslack: { listen: 'localhost:3000' }\n",
    );
    let config = config.unwrap();
    assert_eq!(config.logging.level, LogLevel::Info);
    assert_eq!(config.health_check.address, Ipv4Addr::LOCALHOST);
    assert_eq!(config.slack.listen, "127.0.0.1:3000".parse().ok());
    let ipv6 = Config::parse("slack: { listen: '[::1]:3000' }").unwrap();
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
        let error = Config::parse(text).unwrap_err();
        let place = format!("`{key}`");
        for word in ["line 2", place.as_str(), range] {
            assert!(error.contains(word), "{word}: {error}");
        }
    }
}

#[test]
fn one_database_is_named_and_never_shown() {
    let url = "postgres://ann:wrong-secret@db.example.org:5433/myao?sslmode=verify-full";
    let config = Config::parse(&format!("memory:\n  database_url: {url}\n")).unwrap();
    assert_eq!(config.memory.database_url.as_ref().unwrap().secret(), url);
    assert!(!format!("{config:?}").contains("wrong-secret"));
    let text =
        format!("memory:\n  database_path: a.db\n  channels_in_flight: 1\n  database_url: {url}\n");
    let error = Config::parse(&text).unwrap_err();
    for part in ["line 4", "`database_url`", "`database_path`", "line 2"] {
        assert!(error.contains(part), "no {part} in {error}");
    }
    assert!(!error.contains("wrong-secret"), "{error}");
    let none = "memory: { database_path: a.db, database_url: null }";
    assert!(Config::parse(none).is_ok());
}

#[test]
fn an_address_of_a_server_has_its_scheme_and_one_at_sign() {
    for (url, part) in [
        ("mysql://ann:wrong-secret@host/db", "postgres://"),
        ("host=db password=wrong-secret", "postgres://"),
        ("postgres://ann:wrong-secret@1@host/db", "`%40`"),
        ("${MYAO_NO_SUCH_VARIABLE}", "MYAO_NO_SUCH_VARIABLE"),
    ] {
        let error = Config::parse(&format!("memory:\n  database_url: {url:?}\n")).unwrap_err();
        assert!(error.contains("line 2") && error.contains(part), "{error}");
        assert!(!error.contains("wrong-secret"), "{error}");
    }
}
