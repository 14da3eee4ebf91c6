//! `myao prompt`: the exact prompt, and nothing else.

use myao_tests::export::{Post, post, program_with, time, ts};
use myao_tests::program::{Program, golden_context};
use myao_tests::read_project_file;
use serde_json::{Value, json};

const CHANNEL_LONG_TERM: &str = "- チーム全体の連絡に使用\n- 週次報告が行われる";
const WORKSPACE_LONG_TERM: &str =
    "- 2024年1月: プロジェクトAが開始された\n- 2024年2月: 新メンバーが参加した";

/// The five worked prompts with the arguments that make them.
fn goldens() -> [(&'static str, Vec<&'static str>); 5] {
    let legacy = "--legacy-workspace-short-term";
    [
        (
            "thread-short-term",
            vec!["--scope=thread", "--memory-type=short-term", legacy],
        ),
        (
            "channel-short-term",
            vec!["--scope=channel", "--memory-type=short-term"],
        ),
        (
            "channel-long-term",
            vec![
                "--scope=channel",
                "--memory-type=long-term",
                "--existing-memory",
                CHANNEL_LONG_TERM,
            ],
        ),
        (
            "workspace-short-term",
            vec!["--scope=workspace", "--memory-type=short-term", legacy],
        ),
        (
            "workspace-long-term",
            vec![
                "--scope=workspace",
                "--memory-type=long-term",
                "--existing-memory",
                WORKSPACE_LONG_TERM,
            ],
        ),
    ]
}

fn golden(name: &str) -> String {
    read_project_file(&format!("tests/goldens/{name}.txt"))
}

#[test]
fn the_goldens_come_out_to_the_byte_from_a_file() {
    let program = Program::default();
    for (name, arguments) in goldens() {
        let context = golden_context();
        let prompt = program.run(&[&["prompt", "--context", &context], &arguments[..]].concat());
        assert_eq!(prompt.output(), golden(name), "{name}");
    }
    assert!(
        !program.path("myao.db").exists(),
        "a prompt from a context needs no database"
    );
}

#[test]
fn the_goldens_come_out_to_the_byte_from_standard_input() {
    let program = Program::default();
    let context = read_project_file("tests/goldens/context.json");
    for (name, arguments) in goldens() {
        let arguments = [&["prompt", "--context", "-"], &arguments[..]].concat();
        assert_eq!(
            program.run_with_input(&arguments, &context).output(),
            golden(name),
            "{name}"
        );
    }
}

#[test]
fn the_setting_does_what_the_flag_does() {
    let program = Program::with_config("memory: { legacy_workspace_short_term: true }\n");
    for name in ["thread-short-term", "workspace-short-term"] {
        let scope = name.split('-').next().unwrap();
        let context = golden_context();
        let scope = [
            "prompt",
            "--scope",
            scope,
            "--memory-type=short-term",
            "--context",
            &context,
        ];
        assert_eq!(program.run(&scope).output(), golden(name));
    }
}

#[test]
fn the_retired_combination_is_refused() {
    let program = Program::default();
    let arguments = ["--scope=workspace", "--memory-type=short-term", "--context"];
    for command in ["prompt", "summarize"] {
        let context = golden_context();
        let ran = program.run(&[&[command], &arguments[..], &[context.as_str()]].concat());
        ran.is_refused_with(&["short-term", "`memory.legacy_workspace_short_term`"]);
    }
}

#[test]
fn the_retired_section_is_not_shown_without_the_flag() {
    let program = Program::default();
    let arguments = [
        "prompt",
        "--scope=thread",
        "--memory-type=short-term",
        "--context",
    ];
    let prompt = program
        .run(&[&arguments[..], &[golden_context().as_str()]].concat())
        .output();
    assert!(
        !prompt.contains("### ワークスペースの最近の出来事"),
        "{prompt}"
    );
}

#[test]
fn json_holds_the_same_prompt() {
    let program = Program::default();
    for (name, arguments) in goldens() {
        let context = golden_context();
        let arguments = [&["--json", "prompt", "--context", &context], &arguments[..]].concat();
        assert_eq!(
            program.run(&arguments).json(),
            json!({ "prompt": golden(name) }),
            "{name}"
        );
    }
}

fn posts() -> Vec<Post> {
    vec![
        post("general", 0, "ann", "We release Harbour on 4 March."),
        post("general", 5, "bob", "The venue is Hakone."),
        post("general", 7, "bob", "I will write the notes.").in_thread(0),
        post("lunch", 8, "ann", "Lunch is at the pier."),
    ]
}

fn prompt(program: &Program, arguments: &[&str]) -> String {
    program.run(&[&["prompt"], arguments].concat()).output()
}

#[test]
fn a_channel_of_the_store_is_found_by_name_id_and_hash() {
    let program = program_with("", &posts());
    let now = format!("--now={}", time(60));
    let by = |name| {
        let channel = [
            "--scope=channel",
            "--memory-type=short-term",
            "--channel",
            name,
            &now,
        ];
        prompt(&program, &channel)
    };
    let by_name = by("general");
    assert!(
        by_name.contains(
            "## 要約対象: チャンネル会話履歴\n\n以下は #general チャンネルの直近の会話です。\n\n### トップレベル\n\n\
             **2026-03-02 00:05:00** bob:\nThe venue is Hakone.\n\n"
        ),
        "{by_name}"
    );
    // Regressions 1 and 5: the thread is there, its first message first.
    assert!(
        by_name.contains(&format!(
            "### スレッド: {}\n\n**2026-03-02 00:00:00** ann:\nWe release Harbour on 4 March.\n\n\
             **2026-03-02 00:07:00** bob:\nI will write the notes.\n\n",
            ts(0)
        )),
        "{by_name}"
    );
    assert_eq!(by("#general"), by_name);
    assert_eq!(by("CGENERAL"), by_name);
}

#[test]
fn a_thread_of_the_store_is_the_target() {
    let program = program_with("", &posts());
    let now = format!("--now={}", time(60));
    let thread = ts(0);
    let prompt = prompt(
        &program,
        &[
            "--scope=thread",
            "--memory-type=short-term",
            "--channel=general",
            "--thread",
            &thread,
            &now,
        ],
    );
    let target = format!("## 要約対象スレッド: {thread}\n\n**2026-03-02 00:00:00** ann:\n");
    assert!(prompt.contains(&target), "{prompt}");
}

#[test]
fn a_long_term_prompt_from_the_store_merges_into_what_is_stored() {
    let program = program_with("", &posts());
    program.run(&["generate", "--now", &time(300)]).succeeded();
    let list: Value = program.run(&["--json", "memory", "list"]).json();
    let content = |scope_id: &str| {
        let is_it = |memory: &&Value| {
            (&memory["scope_id"], &memory["memory_type"]) == (&json!(scope_id), &json!("long-term"))
        };
        let memory = list.as_array().unwrap().iter().find(is_it);
        memory.unwrap()["content"].as_str().unwrap().to_owned()
    };
    let channel = [
        "--scope=channel",
        "--memory-type=long-term",
        "--channel=general",
    ];
    let stored = prompt(&program, &channel);
    let existing = content("CGENERAL");
    assert!(
        stored.contains(&format!("## 既存のチャンネル長期記憶\n{existing}\n\n")),
        "{stored}"
    );

    let workspace = prompt(&program, &["--scope=workspace", "--memory-type=long-term"]);
    let existing = content("default");
    assert!(
        workspace.contains(&format!("### 既存のワークスペース長期記憶\n{existing}\n\n")),
        "{workspace}"
    );

    let given = prompt(
        &program,
        &[
            &channel[..],
            &["--existing-memory=- mine {{ 1 }}\n## yours"],
        ]
        .concat(),
    );
    assert!(
        given.contains("## 既存のチャンネル長期記憶\n- mine {{ 1 }}\n\\## yours\n\n"),
        "{given}"
    );
}

#[test]
fn times_are_shown_in_the_configured_time_zone() {
    let program = program_with("timezone: Asia/Tokyo\n", &posts());
    let now = format!("--now={}", time(60));
    let channel = [
        "--scope=channel",
        "--memory-type=short-term",
        "--channel=general",
        &now,
    ];
    assert!(prompt(&program, &channel).contains("**2026-03-02 09:05:00** bob:"));
}

#[test]
fn the_persona_opens_the_prompt_with_the_agents_addition() {
    let config = "persona: { name: neko, system_prompt: '${GREETING}' }\n\
                  agents: { memory: { system_prompt: Write briefly. } }\n";
    let program = program_with("", &posts());
    program.write("myao.yaml", config);
    let now = format!("--now={}", time(60));
    let mut command = program.command(&[
        "prompt",
        "--scope=channel",
        "--memory-type=short-term",
        "--channel=lunch",
        &now,
    ]);
    let ran = myao_tests::program::Ran::of(command.env("GREETING", "You are a {{ cat }}."));
    assert!(
        ran.output()
            .starts_with("You are a {{ cat }}.\n\nWrite briefly.\n\n")
    );
}

#[test]
fn a_template_folder_replaces_templates_by_name() {
    let program = program_with("memory: { templates_path: templates }\n", &posts());
    program.write(
        "templates/_messages.j2",
        "{% macro render_messages(messages) %}\n<{{ messages | length }}>\n{% endmacro %}\n",
    );
    let now = format!("--now={}", time(60));
    let channel = [
        "--scope=channel",
        "--memory-type=short-term",
        "--channel=general",
        &now,
    ];
    let prompt = prompt(&program, &channel);
    assert!(prompt.contains("### トップレベル\n\n<1>\n"), "{prompt}");
    assert!(!prompt.contains("Hakone"), "{prompt}");
}

#[test]
fn an_empty_channel_prompt_says_on_standard_error_how_to_get_another() {
    let program = program_with("", &posts());
    let now = format!("--now={}", time(60 * 24 * 30));
    let channel = [
        "prompt",
        "--scope=channel",
        "--memory-type=short-term",
        "--channel=general",
        &now,
    ];
    let ran = program.run(&channel);
    assert_eq!(ran.code, Some(0));
    assert!(
        ran.stderr
            .contains("#general has no messages in the 24 hours before"),
        "{ran:#?}"
    );
    assert!(ran.stderr.contains("--now"), "{ran:#?}");
}
