//! What was edited, deleted, told twice or told late is in the database and in prompts as it is now, and readable.

use myao_fake_slack::Order;
use myao_tests::bot::{now, said};
use myao_tests::llm_server::LlmServer;

use crate::bot::support::{
    AKARI, AKARI_NAME, CAMP, EMIKO, EMIKO_NAME, connect, model, number, posts, prompts,
    prompts_in_thread, replies_of, settled, shown_under, workspace,
};

/// Authors and texts of the target thread in the one prompt about it.
#[track_caller]
fn thread_in_prompt(llm: &LlmServer, thread: &str) -> Vec<(String, String)> {
    let prompts = prompts_in_thread(llm, thread);
    assert_eq!(prompts.len(), 1, "{prompts:?}");
    shown_under(&prompts[0], &format!("### 返信対象スレッド: {thread}"))
        .into_iter()
        .map(|message| (message.author, message.text))
        .collect()
}

fn pair(author: &str, text: &str) -> (String, String) {
    (author.to_owned(), text.to_owned())
}

/// Regression 10.
#[test]
fn a_deleted_message_does_not_come_back_with_a_late_event() {
    let (slack, llm) = (workspace(), model());
    let mut bot = connect(&slack, &replies_of(&llm));
    slack.faults().duplicate_every(1);
    // Told as a message and as a mention: of these, too, the last comes after the deletion.
    slack.faults().hold_events();
    let deleted = slack.mention(AKARI, CAMP, "間違えました。", None);
    let edited = slack.post(AKARI, CAMP, "予算は…", None);
    slack.edit(CAMP, &edited, "予算は45,000円です。");
    slack.delete(CAMP, &edited);
    slack.delete(CAMP, &deleted);
    slack.faults().release_events(Order::Reversed);
    settled(&slack, &mut bot);
    let asked = slack.mention(EMIKO, CAMP, "予算は？", None);
    slack.faults().release_events(Order::Kept);
    posts(&slack, &mut bot, 1);
    settled(&slack, &mut bot);
    let program = bot.stop();
    assert_eq!(said(&program, CAMP)[0].ts, asked);
    let tombstones = "SELECT COUNT(*) FROM messages WHERE deleted_at IS NOT NULL AND text = ''";
    assert_eq!(number(&program, tombstones), 2);
    assert_eq!((slack.posts().len(), llm.calls().len()), (1, 1));
    assert!(!prompts(&llm)[0].contains("間違えました"));
}

#[test]
fn an_edit_is_what_the_next_prompt_shows_whichever_event_comes_last() {
    let (slack, llm) = (workspace(), model());
    let mut bot = connect(&slack, &replies_of(&llm));
    let plain = slack.post(AKARI, CAMP, "会場は熱海です。", None);
    bot.messages(CAMP, 1);
    slack.edit(CAMP, &plain, "会場は箱根です。");
    slack.faults().hold_events();
    let twice = slack.post(AKARI, CAMP, "予算は30,000円です。", None);
    slack.edit(CAMP, &twice, "予算は40,000円です。");
    slack.edit(CAMP, &twice, "予算は45,000円です。");
    slack.faults().release_events(Order::Reversed);
    settled(&slack, &mut bot);
    slack.mention(EMIKO, CAMP, "まとめて。", None);
    slack.faults().release_events(Order::Kept);
    posts(&slack, &mut bot, 1);
    bot.stop();
    let prompt = prompts(&llm).remove(0);
    for text in ["会場は箱根です。", "予算は45,000円です。"] {
        assert!(prompt.contains(text), "no {text} in {prompt}");
    }
    for text in ["熱海", "30,000", "40,000"] {
        assert!(!prompt.contains(text), "{text} in {prompt}");
    }
}

/// Regression 16.
#[test]
fn no_prompt_shows_slack_markup() {
    let (slack, llm) = (workspace(), model());
    let config = llm.config()
        + "memory: { long_term_update_interval_seconds: 1, short_term_history: { message_threshold: 1 } }\n";
    slack.add_channel("C0TEA", "お茶");
    let mut bot = connect(&slack, &config);
    let text = "<@U0AKARI> と <@U0EMIKO|emiko> へ: <#C0TEA> <#C0CAMP|合宿> <https://example.com/a?b=1&amp;c=2|資料> \
        <https://example.com/plain> R&amp;D &lt;仮&gt; <!here> <!date^1767225600^{date}|1月1日> :tada:";
    let thread = slack.post(AKARI, CAMP, text, None);
    slack.post(EMIKO, CAMP, text, Some(&thread));
    slack.post(EMIKO, CAMP, text, None);
    slack.mention(EMIKO, CAMP, "資料は？", Some(&thread));
    posts(&slack, &mut bot, 1);
    slack.mention(EMIKO, CAMP, text, None);
    posts(&slack, &mut bot, 2);
    bot.until("a memory's prompt", |_| {
        let is_of_memory = |prompt: &String| !prompt.contains("### 返信対象");
        let mut prompts = prompts(&llm).into_iter().filter(is_of_memory);
        prompts.any(|prompt| prompt.contains("R&D")).then_some(())
    });
    bot.stop();
    for prompt in prompts(&llm) {
        for markup in ["<@", "<#", "<http", "<!", "&amp;", "&lt;", "|資料"] {
            assert!(!prompt.contains(markup), "{markup} in {prompt}");
        }
        if !prompt.contains("R&D") {
            // It is made from memories alone.
            continue;
        }
        for readable in ["#お茶", "R&D <仮>", "https://example.com/plain"] {
            assert!(prompt.contains(readable), "no {readable} in {prompt}");
        }
        assert!(
            prompt.contains(&format!("@{AKARI_NAME} と @{EMIKO_NAME} へ")),
            "{prompt}"
        );
    }
}

/// Regression 8.
#[test]
fn times_in_prompts_are_in_the_configured_zone() {
    let (slack, llm) = (workspace(), model());
    let config = format!("timezone: Asia/Tokyo\n{}", replies_of(&llm));
    let mut bot = connect(&slack, &config);
    let said_at = now() - 3600;
    slack.post_at(
        &format!("{said_at}.000100"),
        AKARI,
        CAMP,
        "会場は箱根です。",
        None,
    );
    bot.messages(CAMP, 1);
    slack.mention(EMIKO, CAMP, "会場は？", None);
    posts(&slack, &mut bot, 1);
    bot.stop();
    let prompt = prompts(&llm).remove(0);
    let shown = shown_under(&prompt, "### 返信対象: トップレベル");
    let local = i64::try_from(said_at).unwrap() + 9 * 3600;
    let local = chrono::DateTime::from_timestamp(local, 0).unwrap();
    assert_eq!(shown[0].time, local.format("%Y-%m-%d %H:%M:%S").to_string());
    let told = prompt.lines().find(|line| line.starts_with("現在時刻: "));
    assert!(told.unwrap().ends_with("(UTC+09:00)"), "{told:?}");
}

/// Regression 5.
#[test]
fn the_first_message_of_a_thread_stands_first_also_when_a_program_wrote_it() {
    let (slack, llm) = (workspace(), model());
    let mut bot = connect(&slack, &replies_of(&llm));
    let thread = slack.post_as_integration("deploy", CAMP, "本番に配置しました。", None);
    slack.post(AKARI, CAMP, "確認しました。", Some(&thread));
    slack.mention(EMIKO, CAMP, "何を？", Some(&thread));
    posts(&slack, &mut bot, 1);
    bot.stop();
    assert_eq!(
        thread_in_prompt(&llm, &thread),
        [
            pair("deploy", "本番に配置しました。"),
            pair(AKARI_NAME, "確認しました。"),
            pair(EMIKO_NAME, "@myao 何を？"),
        ]
    );
}

/// A thread of an hour with 60 replies, and what else was said since.
fn old_thread(slack: &myao_fake_slack::FakeSlack, since: usize) -> (String, Vec<(String, String)>) {
    let began = now() - 5 * 3600;
    let thread = format!("{began}.000000");
    slack.post_at(&thread, AKARI, CAMP, "候補を挙げてください。", None);
    let mut expected = vec![pair(AKARI_NAME, "候補を挙げてください。")];
    for number in 1..=60 {
        let text = format!("候補{number}は第{number}会館です。");
        let ts = format!("{}.000000", began + number * 60);
        slack.post_at(&ts, EMIKO, CAMP, &text, Some(&thread));
        expected.push(pair(EMIKO_NAME, &text));
    }
    for number in 0..since {
        slack.post(AKARI, CAMP, &format!("別の話、その{number}。"), None);
    }
    expected.push(pair(AKARI_NAME, "@myao まとめて。"));
    (thread, expected)
}

/// Regression 6.
#[test]
fn an_old_thread_of_60_replies_is_whole_in_the_prompt() {
    let (slack, llm) = (workspace(), model());
    let mut bot = connect(&slack, &replies_of(&llm));
    let (thread, expected) = old_thread(&slack, 100);
    bot.messages(CAMP, 161);
    slack.mention(AKARI, CAMP, "まとめて。", Some(&thread));
    posts(&slack, &mut bot, 1);
    bot.stop();
    assert_eq!(thread_in_prompt(&llm, &thread), expected);
}

/// Regression 6, in a channel that the bot came to later: Slack is asked for the thread.
#[test]
fn an_old_thread_from_before_the_bot_came_is_whole_in_the_prompt() {
    let (slack, llm) = (workspace(), model());
    let (thread, expected) = old_thread(&slack, 100);
    let mut bot = connect(&slack, &replies_of(&llm));
    bot.caught_up();
    slack.mention(AKARI, CAMP, "まとめて。", Some(&thread));
    posts(&slack, &mut bot, 1);
    bot.stop();
    assert_eq!(thread_in_prompt(&llm, &thread), expected);
}

/// Regression 15.
#[test]
fn events_that_come_twice_and_in_any_order_make_one_row_for_each_message() {
    let slack = workspace();
    let mut bot = connect(&slack, "");
    bot.caught_up();
    slack.faults().duplicate_every(1);
    slack.faults().reorder(8, 7);
    let thread = slack.post(AKARI, CAMP, "会場は？", None);
    for number in 0..20 {
        slack.post(EMIKO, CAMP, &format!("返事{number}"), Some(&thread));
        slack.post(EMIKO, CAMP, &format!("別の話{number}"), None);
    }
    slack.broadcast(EMIKO, CAMP, "皆さんへ。", &thread);
    slack.faults().release_events(Order::Reversed);
    bot.messages(CAMP, 42);
    settled(&slack, &mut bot);
    let program = bot.stop();
    let texts: std::collections::BTreeSet<_> = said(&program, CAMP)
        .into_iter()
        .map(|message| message.text)
        .collect();
    assert_eq!((said(&program, CAMP).len(), texts.len()), (42, 42));
    assert_eq!(number(&program, "SELECT COUNT(*) FROM messages"), 42);
    assert_eq!(number(&program, "SELECT COUNT(*) FROM events"), 42);
}

#[test]
fn a_preview_of_a_link_is_no_edit_and_an_edit_after_it_is_one() {
    let (slack, llm) = (workspace(), model());
    let mut bot = connect(&slack, &replies_of(&llm));
    let url = "https://example.com/plan";
    let linked = slack.post(AKARI, CAMP, &format!("計画は <{url}> です。"), None);
    slack.unfurl(CAMP, &linked, url, "5月3日に出発");
    settled(&slack, &mut bot);
    let state = |edited: &str| format!("SELECT COUNT(*) FROM messages WHERE edited_at IS {edited}");
    assert_eq!(number(bot.program(), &state("NULL")), 1);
    slack.edit(CAMP, &linked, &format!("計画は <{url}> でした。"));
    slack.unfurl(CAMP, &linked, url, "5月4日に出発");
    settled(&slack, &mut bot);
    let program = bot.stop();
    assert_eq!(number(&program, &state("NOT NULL")), 1);
    assert_eq!(
        said(&program, CAMP)[0].text,
        format!("計画は {url} でした。")
    );
}
