//! Questions outside the chat.

use super::*;
use crate::bindings::exports::myao::memory::responder::{Question, Response};

pub(super) fn quoting_host() -> TestHost {
    let mut host = TestHost::with_prompts();
    host.settings.reply_engine = Engine::Extractive;
    host.storage.add_channel("C1", "general");
    host.storage.add_channel("C2", "random");
    host
}

pub(super) fn ask(host: &TestHost, channel_id: Option<&str>, text: &str) -> Response {
    let channel_id = channel_id.map(str::to_owned);
    let text = text.to_owned();
    put(
        host,
        &Question {
            text,
            channel_id,
            since: None,
        },
    )
}

pub(super) fn put(host: &TestHost, question: &Question) -> Response {
    let ports = host.ports();
    let response = Responder::new(&ports, &host.chat, at(0)).ask(question);
    assert!(host.chat.posts().is_empty());
    response.unwrap()
}

pub(super) fn cited(response: &Response) -> Vec<&str> {
    let sources = response.sources.iter();
    sources.map(|source| source.text.as_str()).collect()
}

#[test]
fn time_and_a_channel_get_the_main_sentences_of_then_and_there() {
    let host = quoting_host();
    let decided = "We decided to release Harbour on 4 March at 14:00.";
    host.say("C1", -5 * DAY, "The budget of Harbour is 20,000 euros.");
    host.say("C1", -2 * DAY, decided);
    host.say("C1", -DAY, "ok");
    host.say("C2", -DAY, "The printer is broken until Monday, 9:00.");
    let response = ask(&host, None, "What did I miss since Wednesday in #general?");
    assert!(!response.found_nothing);
    assert_eq!(cited(&response), [decided]);
    let expected =
        format!("What was said in #general since 2024-02-28:\n- 2024-02-28 alice: {decided} [1]");
    assert_eq!(response.text, expected);
    let [line] = &response.citations[..] else {
        panic!("{response:?}");
    };
    let chars = response.text.chars().skip(line.start as usize);
    let line_text: String = chars.take(line.length as usize).collect();
    assert_eq!(line_text, format!("- 2024-02-28 alice: {decided} [1]"));
    assert_eq!(line.messages.len(), 1);
}

#[test]
fn lines_of_several_channels_name_theirs() {
    let host = quoting_host();
    host.say("C1", -2 * DAY, "次のリリースは3月4日の14時に決定しました。");
    host.say("C2", -DAY, "プリンタの修理は3月5日の9時に来ます。");
    let response = ask(&host, None, "今週何があった？");
    assert_eq!(cited(&response).len(), 2, "{}", response.text);
    for line in [
        "2024-02-26 からの主な発言です。",
        "- 2024-02-28 #general alice: 次のリリースは3月4日の14時に決定しました。 [1]",
        "- 2024-02-29 #random alice: プリンタの修理は3月5日の9時に来ます。 [2]",
    ] {
        assert!(response.text.contains(line), "{}", response.text);
    }
}

#[test]
fn silence_is_nothing_found() {
    let host = quoting_host();
    host.say("C1", -5 * DAY, "The budget of Harbour is 20,000 euros.");
    let response = ask(&host, Some("C1"), "What did I miss since Wednesday?");
    assert!(response.found_nothing && response.sources.is_empty());
    assert_eq!(
        response.text,
        "I found nothing that was said there or then."
    );
}

#[test]
fn small_talk_is_shown_if_there_is_nothing_else() {
    let host = quoting_host();
    host.say("C1", -HOUR, "ok");
    let response = ask(&host, None, "What was said today?");
    assert_eq!(cited(&response), ["ok"], "{}", response.text);
}

#[test]
fn a_question_that_the_bot_answered_next_is_no_point_of_a_time() {
    let host = quoting_host();
    let bot = host.settings.bot_name.clone();
    host.say("C1", -5 * DAY, "Harbour goes out on 4 March at 14:00.");
    host.say("C1", -4 * DAY, "Where do we meet on 4 March?");
    host.say("C1", -4 * DAY + 60, "And at what time do we meet?");
    let mut answer = message(-4 * DAY + 90, "In Hakone at 9:00.");
    answer.user.name = bot;
    answer.user.is_bot = true;
    host.storage.add_message("C1", answer);
    host.say("C1", -3 * DAY, "Who brings the projector to Hakone?");
    let response = ask(&host, None, "#general since 2024-02-20");
    let cited = cited(&response);
    assert!(
        cited.iter().all(|said| !said.contains("do we meet")),
        "{cited:?}"
    );
    assert!(
        cited.iter().any(|said| said.contains("Harbour")),
        "{cited:?}"
    );
}

#[test]
fn the_name_of_a_channel_does_not_choose_the_language() {
    let host = quoting_host();
    host.storage.add_channel("C3", "合宿");
    host.say("C3", -4 * DAY, "We decided to go to Hakone.");
    let response = ask(&host, None, "#合宿 since 2024-02-01");
    assert!(
        response.text.starts_with("What was said in #合宿"),
        "{}",
        response.text
    );
    let response = ask(&host, None, "#合宿 で2024年2月1日から何があった？");
    assert!(response.text.starts_with("#合宿、"), "{}", response.text);
}
