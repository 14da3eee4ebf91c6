//! What became of decisions, questions and tasks.

use super::asking::{ask, ask_since, quoting_host, say_by};
use super::*;
use crate::ts::Ts;

fn mark_done(host: &TestHost, seconds: i64, at_seconds: i64) {
    let id = |seconds| Ts::parse(&ts(seconds)).unwrap();
    host.storage.mark_done("C1", id(seconds), id(at_seconds));
}

#[test]
fn what_is_marked_as_done_is_not_open_and_is_told_as_done() {
    let host = quoting_host();
    host.say("C1", -9 * DAY, "Which printer does the Osaka office use?");
    say_by(
        &host,
        "bob",
        None,
        -8 * DAY,
        "I'll order new labels for the Harbour warehouse.",
    );
    host.say(
        "C1",
        -7 * DAY,
        "Could you send the invoice to Tanaka Foods by Friday?",
    );
    mark_done(&host, -9 * DAY, -5 * DAY);
    mark_done(&host, -8 * DAY, -2 * DAY);
    let open = ask(&host, None, "What is still open in #general?");
    assert_eq!(
        open.text,
        "What is still open in #general:\n\
         - 2024-02-23 alice: Could you send the invoice to Tanaka Foods by Friday? (task) [1]"
    );
    let done = ask(&host, None, "What was done in #general?");
    assert_eq!(
        done.text,
        "What was done in #general:\n\
         - 2024-02-21 alice: Which printer does the Osaka office use? (question, done) [1]\n\
         - 2024-02-22 bob: I'll order new labels for the Harbour warehouse. (task, done) [2]"
    );
    // Of a time, what was done then, whenever it was to do.
    let done = ask(&host, None, "#general what was done since 2024-02-27");
    assert_eq!(
        done.text,
        "What was done in #general since 2024-02-27:\n\
         - 2024-02-22 bob: I'll order new labels for the Harbour warehouse. (task, done) [1]"
    );
}

#[test]
fn what_a_later_message_says_is_done_is_told_with_that_message() {
    let host = quoting_host();
    say_by(
        &host,
        "bob",
        None,
        -9 * DAY,
        "I'll send the contract to Hatake Farm by Friday.",
    );
    say_by(
        &host,
        "bob",
        None,
        -8 * DAY,
        "I'll order new labels for the Harbour warehouse.",
    );
    say_by(
        &host,
        "bob",
        None,
        -3 * DAY,
        "The contract with Hatake Farm is sent.",
    );
    host.say(
        "C1",
        -2 * DAY,
        "The new labels for the Harbour warehouse are cancelled.",
    );
    let done = ask(&host, None, "What was done in #general?");
    assert_eq!(
        done.text,
        "What was done in #general:\n\
         - 2024-02-21 bob: I'll send the contract to Hatake Farm by Friday. (task, done) [1] [2]\n\
         - 2024-02-22 bob: I'll order new labels for the Harbour warehouse. (task, changed) [3] [4]"
    );
    let nothing = ask(&host, None, "#general what was done since 2024-02-29");
    assert!(nothing.found_nothing, "{}", nothing.text);
}

#[test]
fn a_decision_that_was_overruled_stands_with_what_overrules_it() {
    let host = quoting_host();
    host.say("C1", -9 * DAY, "We decided to use Crane for monitoring.");
    host.say("C1", -8 * DAY, "We agreed to sell the old printer.");
    say_by(
        &host,
        "bob",
        None,
        -2 * DAY,
        "We switch to Heron for monitoring instead of Crane.",
    );
    // Another channel overrules nothing here.
    host.say(
        "C2",
        -DAY,
        "The old printer is sold no longer: selling the old printer is cancelled.",
    );
    let response = ask(&host, None, "#general what was decided");
    assert_eq!(
        response.text,
        "What was decided in #general:\n\
         - 2024-02-22 alice: We agreed to sell the old printer. [1]\n\
         - 2024-02-28 bob: We switch to Heron for monitoring instead of Crane. \
         (overruled by this: 2024-02-21 alice: We decided to use Crane for monitoring.) [2] [3]"
    );
    assert_eq!(response.citations[1].messages.len(), 2);
    // Also if it was overruled after the time.
    let response = ask(&host, None, "#general what was decided until 2024-02-21");
    assert!(
        response.text.contains("We switch to Heron"),
        "{}",
        response.text
    );
}

#[test]
fn a_decision_that_was_overruled_in_the_time_is_told_also_if_it_is_older() {
    let host = quoting_host();
    host.say("C1", -9 * DAY, "監視は Crane に決まりました。");
    host.say("C1", -8 * DAY, "合宿の会場は箱根に決まりました。");
    say_by(
        &host,
        "健人",
        None,
        -2 * DAY,
        "監視は Heron に変更しました。",
    );
    let response = ask(&host, None, "#general 決まったこと 2024年2月25日から");
    assert_eq!(
        response.text,
        "#general、2024-02-25 からの決まったことです。\n\
         - 2024-02-28 健人: 監視は Heron に変更しました。 \
         (これで覆った決定: 2024-02-21 alice: 監視は Crane に決まりました。) [1] [2]"
    );
    let later = ask(&host, None, "#general 決まったこと 2024年2月29日から");
    assert!(later.found_nothing, "{}", later.text);
}

#[test]
fn a_correction_overrules_a_decision() {
    let host = quoting_host();
    let bot = host.settings.bot_name.clone();
    host.say("C1", -9 * DAY, "合宿の会場は箱根に決まりました。");
    say_by(
        &host,
        "健人",
        None,
        -2 * DAY,
        &format!("@{bot} 訂正: 合宿の会場は熱海です。"),
    );
    let response = ask(&host, None, "#general 決まったこと");
    assert_eq!(
        response.text,
        format!(
            "#general の決まったことです。\n\
             - 2024-02-28 健人: 合宿の会場は熱海です。 \
             (これで覆った決定: 2024-02-21 alice: 合宿の会場は箱根に決まりました。) [1] [2]"
        )
    );
}

#[test]
fn a_correction_stands_in_place_of_the_decision_that_it_strikes() {
    let host = quoting_host();
    let bot = host.settings.bot_name.clone();
    host.say("C1", -9 * DAY, "Decided: we launch in eu-west-1.");
    host.say("C1", -9 * DAY + 1, "Decided: the budget is 5000 euros.");
    let correction = format!("@{bot} correction: we launch in us-east-1");
    say_by(&host, "健人", None, -2 * DAY, &correction);
    let told = |host: &TestHost, question: &str| ask(host, None, question).text;
    let decisions = "#general what was decided";
    assert!(told(&host, decisions).contains("eu-west-1"));
    host.storage.strike("C1", &ts(-2 * DAY), &ts(-9 * DAY));
    let text = told(&host, decisions);
    assert!(
        text.contains("健人: we launch in us-east-1 [") && text.contains("5000 euros"),
        "{text}"
    );
    for question in [decisions, "#general since 2024-02-01"] {
        let text = told(&host, question);
        assert!(!text.contains("eu-west-1"), "{text}");
    }
}

#[test]
fn a_time_tells_everything_once_with_what_became_of_it() {
    let host = quoting_host();
    host.say("C1", -6 * DAY, "We decided to use Crane for monitoring.");
    host.say("C1", -5 * DAY, "Which printer does the Osaka office use?");
    say_by(
        &host,
        "bob",
        None,
        -5 * DAY + HOUR,
        "I'll send the contract to Hatake Farm by Friday.",
    );
    say_by(
        &host,
        "bob",
        None,
        -4 * DAY,
        "The budget of Harbour is 20,000 euros.",
    );
    say_by(
        &host,
        "bob",
        None,
        -3 * DAY,
        "The contract with Hatake Farm is sent.",
    );
    host.say(
        "C1",
        -2 * DAY,
        "We switch to Heron for monitoring instead of Crane.",
    );
    let response = ask(&host, None, "What was said in #general since 2024-02-20?");
    let expected = "What was said in #general since 2024-02-20:\n\
         - 2024-02-25 alice: Which printer does the Osaka office use? (question) [1]\n\
         - 2024-02-25 bob: I'll send the contract to Hatake Farm by Friday. (task, done) [2] [3]\n\
         - 2024-02-26 bob: The budget of Harbour is 20,000 euros. [4]\n\
         - 2024-02-28 alice: We switch to Heron for monitoring instead of Crane. (decision) \
         (overruled by this: 2024-02-24 alice: We decided to use Crane for monitoring.) [5] [6]";
    assert_eq!(response.text, expected);
}

#[test]
fn a_host_asks_from_a_time_on() {
    let host = quoting_host();
    host.say("C1", -9 * DAY, "We decided to sell the printer.");
    host.say(
        "C1",
        -8 * DAY,
        "I'll order new labels for the Harbour warehouse.",
    );
    host.say("C1", -4 * DAY, "We decided to use Crane for monitoring.");
    mark_done(&host, -8 * DAY, -3 * DAY);
    let since = at(-4 * DAY - 60);
    let cites = |question: &str| ask_since(&host, question, since).sources;
    for (question, text) in [
        (
            "#general what was decided",
            "We decided to use Crane for monitoring.",
        ),
        (
            "#general 終わったこと",
            "I'll order new labels for the Harbour warehouse.",
        ),
    ] {
        let found = cites(question);
        assert_eq!(found.len(), 1, "{question}: {found:?}");
        assert_eq!(found[0].text, text);
    }
    assert!(cites("#general what is still open").is_empty());
}

#[test]
fn a_message_that_decides_and_orders_is_told_as_both_and_its_tasks_as_one() {
    let host = quoting_host();
    host.say("C1", -3 * DAY, "返金の一覧は31件です。");
    say_by(
        &host,
        "文",
        None,
        -3 * DAY + 60,
        "承認します。返金は今日の15時までに実行してください。",
    );
    say_by(
        &host,
        "文",
        None,
        -2 * DAY,
        "HBR-228 の試験は4月10日までに。HBR-228 の担当は健人さん。",
    );
    let response = ask(&host, None, "#general 2024年2月20日から何があった？");
    assert_eq!(
        response.text,
        "#general、2024-02-20 からの主な発言です。\n\
         - 2024-02-27 alice: 返金の一覧は31件です。 [1]\n\
         - 2024-02-27 文: 承認します。 (決定) [2]\n\
         - 2024-02-27 文: 返金は今日の15時までに実行してください。 (作業) [2]\n\
         - 2024-02-28 文: HBR-228 の試験は4月10日までに。 HBR-228 の担当は健人さん。 (作業) [3]"
    );
}
