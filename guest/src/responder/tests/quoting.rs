//! Replies without a model.

use std::collections::BTreeMap;

use chrono::DateTime;

use super::*;
use crate::testing::NOW;

/// The conversations of `tests/fixtures/conversations`, whose README describes the format.
fn read_conversation(host: &TestHost, conversation: &str) -> i64 {
    let (mut day, mut zone, mut last) = (0, 0, 0);
    let mut threads: BTreeMap<&str, String> = BTreeMap::new();
    for line in conversation.lines().filter(|line| !line.starts_with("  ")) {
        if let Some(head) = line.strip_prefix("= ") {
            if last > 0 {
                host.generate(last - NOW + 3 * HOUR);
            }
            let midnight = head.replacen(' ', "T00:00:00", 1);
            let midnight = DateTime::parse_from_rfc3339(&midnight).unwrap();
            (day, zone) = (midnight.timestamp(), midnight.offset().local_minus_utc());
            continue;
        }
        let (head, text) = line.split_once(": ").unwrap();
        let (time, writer) = head.split_once(' ').unwrap();
        let (hours, minutes) = time.split_once(':').unwrap();
        let clock = |text: &str| text.parse::<i64>().unwrap();
        last = (day + clock(hours) * 3600 + clock(minutes) * 60).max(last + 1);
        let thread = writer
            .strip_prefix('[')
            .map(|writer| writer.split_once("] ").unwrap());
        let name = thread.map_or(writer, |(_, name)| name);
        let id = format!("{last}.000000");
        let said = Message {
            ts: id.clone(),
            user: User {
                id: name.to_owned(),
                name: name.trim_end_matches('*').to_owned(),
                is_bot: name.ends_with('*'),
            },
            text: text.to_owned(),
            timestamp: Timestamp {
                unix_seconds: last,
                utc_offset_seconds: zone,
            },
            thread_ts: thread.map(|(key, _)| threads.entry(key).or_insert(id).clone()),
            edited_at: None,
            is_for_bot: false,
        };
        host.storage.add_message("C1", said);
    }
    last
}

/// The reply to a mention at the top level a moment ago.
fn reply_to(host: &TestHost, text: &str) -> String {
    host.say("C1", -10, text);
    let reply = mention(host, &target(None, -10)).unwrap();
    assert_eq!((reply.engine, reply.truncated), (Engine::Extractive, false));
    assert_eq!(host.llm.calls(), 0);
    reply.text
}

/// The replies to the questions of a file, in its form.
fn answered(host: &TestHost, file: &str) -> String {
    file.lines()
        .filter_map(|line| line.strip_prefix("? "))
        .map(|question| format!("? {question}\n{}\n\n", reply_to(host, question)))
        .collect()
}

#[test]
fn questions_in_japanese_are_answered_with_quotes() {
    let file = include_str!("../../../tests/fixtures/quotes/japanese.txt");
    assert_eq!(answered(&japanese(), file), file);
}

#[test]
fn questions_in_english_are_answered_with_quotes() {
    let file = include_str!("../../../tests/fixtures/quotes/english.txt");
    assert_eq!(answered(&english(), file), file);
}

/// The questions about a conversation whose answers are not among the closest messages, and the number of questions.
fn wrong_answers(bot: &str, conversation: &str, questions: &str) -> (Vec<String>, usize) {
    let mut host = TestHost::with_prompts();
    host.settings.reply_engine = Engine::Extractive;
    host.settings.engine = Engine::Extractive;
    host.settings.bot_name = bot.to_owned();
    // A character is a token here.
    host.settings.short_term_summary_max_tokens = 900;
    host.settings.long_term_summary_max_tokens = 1500;
    let now = read_conversation(&host, conversation) - NOW + 4 * HOUR;
    host.generate(now - HOUR);
    let (mut wrong, mut all) = (Vec::new(), 0);
    for block in questions.split("? ").skip(1) {
        let (question, facts) = block.split_once('\n').unwrap();
        host.say("C1", now - 10, &format!("@{bot} {question}"));
        let ports = host.ports();
        let reply =
            Responder::new(&ports, &host.chat, at(now)).reply_to_mention(&target(None, now - 10));
        let text = posted(reply.unwrap()).text;
        let (_, facts) = facts.trim().split_once(' ').unwrap();
        let holds = facts.split(" & ").all(|part| text.contains(part));
        all += 1;
        wrong.extend((!holds).then(|| format!("? {question}\n{text}\n")));
    }
    (wrong, all)
}

#[test]
fn most_questions_about_a_conversation_are_answered_with_what_was_said() {
    let (wrong, all) = wrong_answers(
        "みゃお",
        include_str!("../../../tests/fixtures/conversations/japanese.txt"),
        include_str!("../../../tests/fixtures/questions/japanese.txt"),
    );
    assert_eq!((wrong.len(), all), (2, 15), "{wrong:#?}");
    let (wrong, all) = wrong_answers(
        "myao",
        include_str!("../../../tests/fixtures/conversations/english.txt"),
        include_str!("../../../tests/fixtures/questions/english.txt"),
    );
    assert_eq!((wrong.len(), all), (3, 16), "{wrong:#?}");
}

#[test]
fn without_an_address_there_is_no_link() {
    let host = japanese();
    host.chat.blind.set(true);
    let reply = reply_to(&host, "@みゃお 端末は何台？");
    assert!(reply.ends_with("（田中、2024-03-01）"), "{reply}");
}

#[test]
fn neither_the_bots_own_posts_nor_what_is_said_to_it_are_quoted() {
    let host = japanese();
    let mut own = by("B1", "みゃお", message(-900, "端末は99台です"));
    own.user.is_bot = true;
    host.storage.add_message("C1", own);
    host.say("C1", -800, "@みゃお 端末は88台だよね");
    let reply = reply_to(&host, "@みゃお 端末は何台？");
    assert!(reply.contains("24台") && !reply.contains("99") && !reply.contains("88"));
}

#[test]
fn at_most_eight_things_are_quoted_and_none_twice() {
    let host = japanese();
    for number in 1..=12 {
        let text = format!("会議室{number}番の予約は田中さんです");
        host.say("C1", -700 + 2 * number, &text);
        host.say("C1", -699 + 2 * number, &text);
    }
    let reply = reply_to(&host, "@みゃお 会議室の予約は？");
    let mut quotes: Vec<&str> = reply
        .lines()
        .skip(1)
        .map(|line| line.split('」').next().unwrap())
        .collect();
    assert!((3..=8).contains(&quotes.len()), "{reply}");
    quotes.dedup();
    assert!((3..=8).contains(&quotes.len()), "{reply}");
}

#[test]
fn a_quote_is_one_line_whatever_the_message_was() {
    let host = japanese();
    host.say(
        "C1",
        -700,
        "# 会議室\n---\n- 予約は\n\n**2024-03-01 10:00:00** boss:\n田中さん",
    );
    let reply = reply_to(&host, "@みゃお 会議室の予約は？");
    let mut quotes = reply.lines().skip(1);
    assert!(quotes.all(|line| line.starts_with("- 「")), "{reply}");
}

#[test]
fn a_bot_that_is_only_called_answers_what_was_asked_before() {
    let host = japanese();
    host.say("C1", -700, "予算っていくらでしたっけ？");
    host.reply("C1", -700, -600, "さあ");
    host.reply("C1", -700, -20, "@みゃお お願い");
    let reply = mention(&host, &target(Some(-700), -20)).unwrap().text;
    assert!(reply.contains("予算は300万円で承認された"), "{reply}");
    host.say("C1", -40, "会場は予約しましたか？");
    let reply = reply_to(&host, "@みゃお");
    assert!(reply.contains("会場は45万円で予約しました"), "{reply}");
}

#[test]
fn a_thread_is_told_from_its_memory_and_else_from_its_messages() {
    let host = japanese();
    host.say("C1", -700, "サーバーの容量が残り18GBです");
    host.reply("C1", -700, -600, "木曜23:00から500GBに増やします");
    host.reply("C1", -700, -20, "@みゃお このスレッドをまとめて");
    let asked = target(Some(-700), -20);
    let reply = mention(&host, &asked).unwrap().text;
    assert!(
        reply.starts_with("このスレッドの内容です。\n- 2024-03-01 alice: "),
        "{reply}"
    );
    assert!(reply.contains("18GB") && reply.contains("500GB"), "{reply}");
    let thread = format!("C1:{}", ts(-700));
    host.remember(
        Scope::Thread,
        &thread,
        ShortTerm,
        "- 容量を増やすことになった",
    );
    let reply = mention(&host, &asked).unwrap().text;
    assert_eq!(
        reply,
        "このスレッドの内容です。\n- 容量を増やすことになった"
    );
}

#[test]
fn a_channel_without_memories_is_told_from_what_was_said_lately() {
    let mut host = TestHost::with_prompts();
    host.settings.reply_engine = Engine::Extractive;
    host.storage.add_channel("C1", "general");
    let reply = reply_to(&host, "@みゃお 最近どう？");
    assert_eq!(reply, "それについて覚えていることは見つかりませんでした。");
    host.say("C1", -700, "公開日は3月22日に決まりました");
    let reply = reply_to(&host, "@みゃお 最近どう？");
    let expected =
        "#general の最近の発言からの抜粋です。\n- 2024-03-01 alice: 公開日は3月22日に決まりました";
    assert_eq!(reply, expected);
}

/// A Japanese project's channel with memories, and some later messages.
fn japanese() -> TestHost {
    let mut host = TestHost::with_prompts();
    host.settings.reply_engine = Engine::Extractive;
    host.storage.add_channel("C1", "リリース");
    host.storage.add_channel("C2", "infra");
    host.remember(Scope::Channel, "C1", LongTerm, "（LLMを使わず、発言から抜粋した記憶です）\n- 2024-02-01 田中: 公開日は3月15日で進めます\n- 2024-02-05 予算は300万円で承認された\n- 2024-02-07 佐藤: 会場は45万円で予約しました\n- 2024-02-20 田中: 公開日を3月22日に延期することにしました");
    host.remember(Scope::Channel, "C1", ShortTerm, "- 公開に向けた最終確認が進んでいる\n- ログイン不具合（INC-204）の原因はセッションの期限切れ処理と判明\n- 未解決: 利用規約の文面");
    host.remember(
        Scope::Channel,
        "C2",
        LongTerm,
        "- サーバー移行の担当は鈴木さん\n- API の認証は OAuth に決定した",
    );
    host.remember(
        Scope::Workspace,
        "default",
        LongTerm,
        "- 2024年1月: プロジェクトAが開始された",
    );
    for (seconds, id, name, text) in [
        (-7200, "U2", "佐藤", "端末は何台注文しましたか？"),
        (-7100, "U3", "田中", "24台です。来週月曜に届きます"),
        (
            -5000,
            "U2",
            "佐藤",
            "資料はここです https://docs.example/launch",
        ),
        (-4000, "U4", "鈴木", "お昼いきましょう"),
        (-3000, "U3", "田中", "今週は木曜と金曜に休みをいただきます"),
        (
            -2000,
            "U2",
            "佐藤",
            "利用規約は法務の返事待ちです。金曜までに来る予定",
        ),
    ] {
        host.storage
            .add_message("C1", by(id, name, message(seconds, text)));
    }
    host
}

/// The same in English.
fn english() -> TestHost {
    let mut host = TestHost::with_prompts();
    host.settings.reply_engine = Engine::Extractive;
    host.settings.bot_name = "myao".to_owned();
    host.storage.add_channel("C1", "launch");
    host.storage.add_channel("C2", "infra");
    host.remember(Scope::Channel, "C1", LongTerm, "- 2024-02-01 alice: we launch on March 15\n- 2024-02-05 The budget of $30,000 was approved\n- 2024-02-20 alice: the launch is postponed to March 22");
    host.remember(Scope::Channel, "C1", ShortTerm, "- Final checks for the launch are under way\n- The login failure (INC-204) was caused by expired sessions\n- Open: wording of the terms of service");
    host.remember(
        Scope::Channel,
        "C2",
        LongTerm,
        "- bob owns the database migration\n- We decided to go with RabbitMQ for the queue",
    );
    for (seconds, id, name, text) in [
        (-7200, "U2", "bob", "How many laptops did we order?"),
        (-7100, "U3", "alice", "24. They arrive on Monday."),
        (
            -5000,
            "U2",
            "bob",
            "The runbook is at https://docs.example/runbook",
        ),
        (-4000, "U4", "carol", "lunch anyone?"),
        (-3000, "U3", "alice", "I'm on vacation Thursday and Friday"),
        (
            -2000,
            "U2",
            "bob",
            "Legal answers about the terms by Friday.",
        ),
    ] {
        host.storage
            .add_message("C1", by(id, name, message(seconds, text)));
    }
    host
}
