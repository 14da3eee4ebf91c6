//! Whole prompts, compared with `guest/tests/fixtures/prompts/`.

use super::*;
use crate::testing::golden_context;

/// The golden context with the thread, or the top level, as its target.
fn context(in_thread: bool) -> Context {
    let mut context = golden_context();
    context.target_thread_ts = context.target_thread_ts.filter(|_| in_thread);
    context
}

fn replied(context: &Context, occasion: Occasion) -> String {
    let host = TestHost::with_prompts();
    let ports = host.ports();
    let rendered = asker(&ports, at(2 * HOUR)).render_reply(context, occasion);
    rendered.unwrap()
}

fn judged(context: &Context) -> String {
    let host = TestHost::with_prompts();
    let ports = host.ports();
    let rendered = asker(&ports, at(2 * HOUR)).render_judgment(context);
    rendered.unwrap()
}

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../../tests/fixtures/prompts/", $name))
    };
}

#[test]
fn prompt_of_a_mention_in_a_thread() {
    let prompt = replied(&context(true), Occasion::Mention);
    assert_eq!(prompt, fixture!("mention-thread.txt"));
}

#[test]
fn prompt_of_a_mention_at_the_top_level() {
    let prompt = replied(&context(false), Occasion::Mention);
    assert_eq!(prompt, fixture!("mention-top-level.txt"));
}

#[test]
fn prompt_of_an_unasked_reply_in_a_thread() {
    let prompt = replied(&context(true), Occasion::Unasked);
    assert_eq!(prompt, fixture!("unasked-thread.txt"));
}

#[test]
fn prompt_of_a_judgment_in_a_thread() {
    assert_eq!(judged(&context(true)), fixture!("judgment-thread.txt"));
}

#[test]
fn prompt_of_a_judgment_at_the_top_level() {
    assert_eq!(judged(&context(false)), fixture!("judgment-top-level.txt"));
}

/// Up to the target a reply's prompt in a thread is the prompt of that thread's memory.
#[test]
fn what_stands_before_the_target_is_what_the_memory_prompt_shows() {
    let golden = include_str!("../../../../tests/goldens/thread-short-term.txt");
    let (before, _) = golden.split_once("## 要約対象スレッド").unwrap();
    let mut host = TestHost::with_prompts();
    host.settings.legacy_workspace_short_term = true;
    let ports = host.ports();
    let prompt = asker(&ports, at(0)).render_reply(&context(true), Occasion::Mention);
    let prompt = prompt.unwrap();
    assert_eq!(prompt.split_once("### 返信対象スレッド").unwrap().0, before);
}

#[test]
fn what_programs_wrote_is_marked_when_somebody_is_answered() {
    let host = host();
    let ci = Message {
        user: User {
            is_bot: true,
            ..by("B1", "ci", message(0, "")).user
        },
        ..message(-60, "Build 4711 failed")
    };
    host.storage.add_message("C1", ci);
    host.say("C1", -10, "@みゃお 何があった？");
    mention(&host, &target(None, -10)).unwrap();
    let marked = section(&prompt(&host), "### プログラムの発言").to_owned();
    assert!(
        marked.contains("\n- ci\n") && !marked.contains("alice"),
        "{marked}"
    );
}

#[test]
fn the_mention_and_the_unasked_reply_differ_in_one_line() {
    let mention = replied(&context(true), Occasion::Mention);
    let unasked = replied(&context(true), Occasion::Unasked);
    let differ = mention
        .lines()
        .zip(unasked.lines())
        .filter(|(a, b)| a != b)
        .count();
    assert_eq!(
        (differ, mention.lines().count()),
        (1, unasked.lines().count())
    );
}

#[test]
fn a_judgment_is_told_the_time_with_its_zone() {
    for (offset, shown) in [
        (32_400, "現在時刻: 2024-03-01 21:00:00 (UTC+09:00)"),
        (-12_600, "現在時刻: 2024-03-01 08:30:00 (UTC-03:30)"),
        (0, "現在時刻: 2024-03-01 12:00:00 (UTC+00:00)"),
    ] {
        let host = TestHost::with_prompts();
        let ports = host.ports();
        let now = Timestamp {
            utc_offset_seconds: offset,
            ..at(2 * HOUR)
        };
        let prompt = asker(&ports, now).render_judgment(&context(true));
        assert!(prompt.unwrap().contains(shown), "{shown}");
    }
}

#[test]
fn a_target_without_messages_names_no_time() {
    let mut context = context(false);
    context.conversation_history.top_level_messages.clear();
    let prompt = replied(&context, Occasion::Mention);
    assert!(prompt.contains("あなたは呼びかけられました。"), "{prompt}");
    assert!(!judged(&context).contains("返信先"));
}
