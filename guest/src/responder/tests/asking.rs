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

/// Asks of what was from a time on.
pub(super) fn ask_since(host: &TestHost, text: &str, since: Timestamp) -> Response {
    let text = text.to_owned();
    put(
        host,
        &Question {
            text,
            channel_id: None,
            since: Some(since),
        },
    )
}

fn put(host: &TestHost, question: &Question) -> Response {
    let ports = host.ports();
    let response = Responder::new(&ports, &host.chat, at(0)).ask(question);
    assert!(host.chat.posts().is_empty());
    response.unwrap()
}

fn cited(response: &Response) -> Vec<&str> {
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
    let expected = format!(
        "What was said in #general since 2024-02-28:\n- 2024-02-28 alice: {decided} (decision) [1]"
    );
    assert_eq!(response.text, expected);
    let [line] = &response.citations[..] else {
        panic!("{response:?}");
    };
    let chars = response.text.chars().skip(line.start as usize);
    let line_text: String = chars.take(line.length as usize).collect();
    assert_eq!(
        line_text,
        format!("- 2024-02-28 alice: {decided} (decision) [1]")
    );
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
        "- 2024-02-28 #general alice: 次のリリースは3月4日の14時に決定しました。 (決定) [1]",
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
fn decisions_are_listed_in_order_of_time() {
    let host = quoting_host();
    host.say(
        "C1",
        -20 * DAY,
        "We decided to use Crane for monitoring. Carol agreed.",
    );
    host.say("C1", -9 * DAY, "Should we go with the old printer?");
    host.say("C1", -5 * DAY, "The date of the camp is not decided yet.");
    host.say(
        "C2",
        -4 * DAY,
        "合宿は箱根にすることにしました。楽しみです。",
    );
    host.say("C1", -2 * DAY, "The deadline is Friday.");
    for question in ["What did we decide?", "decisions", "List of decisions"] {
        let response = ask(&host, None, question);
        let expected = "What was decided:\n\
                        - 2024-02-10 #general alice: We decided to use Crane for monitoring. Carol agreed. [1]\n\
                        - 2024-02-26 #random alice: 合宿は箱根にすることにしました。 [2]";
        assert_eq!(response.text, expected, "{question}");
        assert_eq!(response.citations.len(), 2);
    }
    let response = ask(&host, None, "#random 何が決まりましたか");
    assert_eq!(
        response.text,
        "#random の決まったことです。\n- 2024-02-26 alice: 合宿は箱根にすることにしました。 [1]"
    );
    let response = ask(
        &host,
        None,
        "Which decisions were made in #general since 20 February?",
    );
    assert!(response.found_nothing);
    assert_eq!(
        response.text,
        "I found nothing that was decided there or then."
    );
}

#[test]
fn a_decision_that_says_little_stands_behind_what_it_answers() {
    let host = quoting_host();
    host.say("C1", -3 * DAY, "Beacon costs 40,000 yen a month.");
    host.say("C1", -3 * DAY + 60, "Approved!");
    host.say("C1", -2 * DAY, "来週の定例で決めます。");
    let response = ask(&host, None, "What was decided?");
    assert_eq!(
        response.text,
        "What was decided in #general:\n\
         - 2024-02-27 alice: Beacon costs 40,000 yen a month. → alice: Approved! [1] [2]"
    );
    assert_eq!(response.citations[0].messages.len(), 2);
}

/// A message by somebody else than alice.
pub(super) fn say_by(host: &TestHost, name: &str, thread: Option<i64>, seconds: i64, text: &str) {
    let mut message = message(seconds, text);
    message.user.id = format!("U-{name}");
    message.user.name = name.to_owned();
    message.thread_ts = thread.map(ts);
    host.storage.add_message("C1", message);
}

#[test]
fn what_is_still_open_is_listed_and_what_was_answered_or_done_is_not() {
    let host = quoting_host();
    host.say("C1", -9 * DAY, "Who has the key to the storage room?");
    say_by(&host, "bob", None, -9 * DAY + 60, "I have it.");
    host.say("C1", -8 * DAY, "Which printer does the Osaka office use?");
    say_by(
        &host,
        "bob",
        None,
        -7 * DAY,
        "I'll send the contract to Hatake Farm by Friday.",
    );
    say_by(
        &host,
        "bob",
        None,
        -6 * DAY,
        "I'll order new labels for the Harbour warehouse.",
    );
    say_by(
        &host,
        "bob",
        None,
        -3 * DAY,
        "The contract with Hatake Farm is sent.",
    );
    host.say("C1", -2 * DAY, "Good morning, thanks everybody!");
    host.say("C1", -DAY, "We decided to use Crane for monitoring.");
    for question in ["What is still open in #general?", "#general open questions"] {
        let response = ask(&host, None, question);
        assert_eq!(
            response.text,
            "What is still open in #general:\n\
             - 2024-02-22 alice: Which printer does the Osaka office use? (question) [1]\n\
             - 2024-02-24 bob: I'll order new labels for the Harbour warehouse. (task) [2]",
            "{question}"
        );
        assert_eq!(response.citations.len(), 2);
    }
    let later = ask(&host, None, "What is still open since 28 February?");
    assert_eq!(
        (later.found_nothing, later.text.as_str()),
        (
            true,
            "I found no question without an answer, and nothing to do."
        )
    );
}

#[test]
fn a_task_is_open_until_somebody_says_that_it_is_done() {
    let host = quoting_host();
    host.say(
        "C1",
        -9 * DAY,
        "Could you send the invoice to Tanaka Foods by Friday?",
    );
    say_by(&host, "bob", None, -9 * DAY + 60, "Sure, no problem.");
    say_by(
        &host,
        "bob",
        None,
        -8 * DAY,
        "I'll order new labels for the Harbour warehouse.",
    );
    let open = |question: &str| ask(&host, None, question).text;
    let both = open("What is still open in #general?");
    assert!(
        both.contains("invoice") && both.contains("labels"),
        "{both}"
    );
    say_by(
        &host,
        "bob",
        None,
        -7 * DAY,
        "The new labels for the Harbour warehouse are delivered.",
    );
    let one = open("What is still open in #general?");
    assert!(one.contains("invoice") && !one.contains("labels"), "{one}");
    say_by(
        &host,
        "bob",
        None,
        -6 * DAY,
        "The invoice to Tanaka Foods is sent.",
    );
    let none = open("What is still open in #general?");
    assert!(none.starts_with("I found no question"), "{none}");
}

#[test]
fn what_was_answered_after_the_time_is_not_open() {
    let host = quoting_host();
    host.say("C1", -4 * DAY, "Which printer does the Osaka office use?");
    host.say("C1", -3 * DAY, "Which scanner does the Kyoto office use?");
    say_by(
        &host,
        "bob",
        None,
        -3 * DAY + 60,
        "The Osaka office printer is a P-200.",
    );
    let question = "#general what is still open until 2024-02-26";
    let response = ask(&host, None, question);
    assert!(response.found_nothing, "{}", response.text);
}

#[test]
fn what_the_bot_was_asked_or_answered_is_not_open() {
    let host = quoting_host();
    let bot = host.settings.bot_name.clone();
    host.say("C1", -4 * DAY, "Which printer does the Osaka office use?");
    say_by(&host, &bot, None, -4 * DAY + 60, "A P-200.");
    let question = format!("@{bot} which scanner does the Kyoto office use?");
    host.say("C1", -3 * DAY, &question);
    let response = ask(&host, None, "#general what is still open");
    assert!(response.found_nothing, "{}", response.text);
}

#[test]
fn what_is_open_about_a_subject_is_listed_alone() {
    let host = quoting_host();
    host.say("C1", -9 * DAY, "Which printer does the Osaka office use?");
    host.say("C1", -8 * DAY, "Who moves the desks of the Kyoto office?");
    let labels = "I'll order new labels for the Harbour warehouse.";
    say_by(&host, "bob", None, -7 * DAY, labels);
    let open = |question: &str| ask(&host, None, question);
    let osaka = open("#general what is still open about the Osaka printers");
    assert_eq!(
        osaka.text,
        "What is still open about that in #general:\n\
         - 2024-02-21 alice: Which printer does the Osaka office use? (question) [1]"
    );
    let offices = open("what is still open about office since 2024-02-01");
    assert_eq!(offices.sources.len(), 2, "{}", offices.text);
    assert_eq!(cited(&open("what is still open about bob")), [labels]);
    let regarding = open("what is still open regarding new labels");
    assert_eq!(cited(&regarding), [labels]);
    let all = open("what is still open about since 2024-02-01");
    assert_eq!(all.sources.len(), 3, "{}", all.text);
    let none = open("what is still open about the budget");
    assert!(none.found_nothing);
    assert!(
        none.text.starts_with("I found no question about that"),
        "{}",
        none.text
    );
    // Another use of the words asks for what was said.
    let words = open("Is the printer shop still open?");
    assert!(!words.text.contains("still open"), "{}", words.text);
}

#[test]
fn what_is_open_about_a_subject_is_understood_in_japanese() {
    let host = quoting_host();
    host.say("C1", -8 * DAY, "大阪支店のプリンターの型番は何ですか？");
    let task = "見積書は金曜までに田中商店へ送ります。";
    say_by(&host, "健人", None, -6 * DAY, task);
    let open = |question: &str| ask(&host, None, question);
    let printer = open("#general 大阪のプリンター について未解決のこと");
    assert_eq!(
        printer.text,
        "#general のその件で、まだ終わっていないことです。\n\
         - 2024-02-22 alice: 大阪支店のプリンターの型番は何ですか？ (質問) [1]"
    );
    assert_eq!(cited(&open("見積書 について未解決のこと")), [task]);
    assert_eq!(cited(&open("見積書に関する未解決のこと")), [task]);
    let since = open("2月1日から について未解決のこと");
    assert_eq!(since.sources.len(), 2, "{}", since.text);
    assert!(open("予算 について未解決のこと").found_nothing);
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
    let response = ask(&host, None, "#合宿 what was decided");
    assert!(
        response.text.starts_with("What was decided in #合宿"),
        "{}",
        response.text
    );
    let response = ask(&host, None, "#合宿 で決まったこと");
    assert!(response.text.starts_with("#合宿 の"), "{}", response.text);
}

#[test]
fn what_is_open_is_understood_in_japanese() {
    let host = quoting_host();
    host.say("C1", -9 * DAY, "倉庫の鍵は誰が持っていますか？");
    say_by(&host, "健人", None, -9 * DAY + 60, "私が持っています。");
    host.say("C1", -8 * DAY, "大阪支店のプリンターの型番は何ですか？");
    say_by(
        &host,
        "健人",
        None,
        -6 * DAY,
        "見積書は金曜までに田中商店へ送ります。",
    );
    let response = ask(&host, None, "未解決のこと");
    assert_eq!(
        response.text,
        "#general のまだ終わっていないことです。\n\
         - 2024-02-22 alice: 大阪支店のプリンターの型番は何ですか？ (質問) [1]\n\
         - 2024-02-24 健人: 見積書は金曜までに田中商店へ送ります。 (作業) [2]"
    );
}

/// The questions of a host that makes digests.
#[test]
fn whole_days_of_a_channel_are_asked_for_in_both_languages() {
    let host = quoting_host();
    host.say("C1", -9 * DAY, "We decided to sell the printer.");
    host.say("C1", -5 * DAY, "We decided to use Crane for monitoring.");
    host.say("C1", -4 * DAY, "Which printer does the Osaka office use?");
    host.say("C1", -DAY, "We decided to move the office.");
    for (question, found) in [
        (
            "#general what was decided since 2024-02-24 until 2024-02-28",
            "Crane",
        ),
        (
            "#general 決まったこと 2024年2月24日から2024年2月28日まで",
            "Crane",
        ),
        (
            "#general what is still open since 2024-02-24 until 2024-02-28",
            "Osaka",
        ),
        (
            "#general 未解決のこと 2024年2月24日から2024年2月28日まで",
            "Osaka",
        ),
    ] {
        let response = ask(&host, None, question);
        let cited = cited(&response);
        assert!(
            cited.len() == 1 && cited[0].contains(found),
            "{question}: {response:?}"
        );
    }
}

#[test]
fn decisions_about_something_are_searched_for() {
    let host = quoting_host();
    host.say("C1", -20 * DAY, "We decided to use Crane for monitoring.");
    host.say("C1", -9 * DAY, "We decided to sell the printer.");
    let response = ask(&host, None, "What was decided about the printer?");
    assert_eq!(cited(&response), ["We decided to sell the printer."]);
}

#[test]
fn a_decision_behind_much_talk_is_found() {
    let host = quoting_host();
    host.say("C1", -20 * DAY, "We decided to use Crane for monitoring.");
    for number in 0..1200 {
        host.say(
            "C1",
            -10 * DAY + number,
            &format!("I looked at number {number}."),
        );
    }
    let response = ask(&host, None, "What did we decide?");
    assert_eq!(
        cited(&response),
        ["We decided to use Crane for monitoring."]
    );
}
