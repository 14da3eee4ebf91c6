//! `/memory`, the App Home, and who gets to see what is remembered.

use myao_fake_slack::{FakeSlack, SlashAnswer};
use myao_tests::bot::Bot;
use myao_tests::llm_server::{LlmServer, answer};
use serde_json::Value;

use crate::bot::support::{
    AKARI, CAMP, EMIKO, block_on, connect, model, number, posts, prompts_in_thread, replies_of,
    settled, workspace,
};

/// Memories as soon as there is a message.
pub(crate) const EAGER: &str = "memory: { long_term_update_interval_seconds: 1, short_term_history: { message_threshold: 1 } }\n";

pub(crate) fn ask(slack: &FakeSlack, channel: &str, text: &str) -> String {
    ask_as(slack, AKARI, channel, text)
}

/// What the command tells somebody.
pub(crate) fn ask_as(slack: &FakeSlack, user: &str, channel: &str, text: &str) -> String {
    let answer: SlashAnswer = block_on(slack.slash_command(user, channel, "/memory", text));
    let payload = answer.payload.expect("an answer in the acknowledgement");
    assert_ne!(payload["response_type"], "in_channel", "{payload}");
    words(&payload)
}

/// Everything that a message or a view shows.
pub(crate) fn words(value: &Value) -> String {
    match value {
        Value::Object(fields) => fields
            .iter()
            .filter(|(key, _)| *key != "type")
            .map(|(_, value)| words(value))
            .collect(),
        Value::Array(values) => values.iter().map(words).collect(),
        Value::String(text) => format!("{text}\n"),
        _ => String::new(),
    }
}

/// Waits until a channel has so many versions.
#[track_caller]
pub(crate) fn remembered(bot: &mut Bot, channel: &str, versions: i64) {
    let query = format!(
        "SELECT COUNT(*) FROM memories \
         WHERE scope = 1 AND memory_type = 1 AND scope_id = '{channel}' AND superseded_at IS NULL"
    );
    bot.until(&format!("{versions} memories of {channel}"), |program| {
        (number(program, &query) >= versions).then_some(())
    });
}

#[test]
fn the_command_shows_memory_history_sources_and_help_in_two_languages() {
    let slack = workspace();
    let mut bot = connect(&slack, EAGER);
    let nothing = ask(&slack, CAMP, "");
    assert!(nothing.contains("まだありません"), "{nothing}");
    bot.caught_up();
    slack.add_channel("C0NEW", "まだ知らない");
    for text in ["", "履歴"] {
        let nothing = ask(&slack, "C0NEW", text);
        assert!(nothing.contains("まだありません"), "{nothing}");
    }
    for (version, text) in [
        (1, "合宿の会場は箱根に決まりました。"),
        (2, "合宿の予算は45,000円に決まりました。"),
        (3, "合宿の日程は3月4日に決まりました。"),
    ] {
        slack.post(AKARI, CAMP, text, None);
        remembered(&mut bot, CAMP, version);
    }
    for text in ["", "表示"] {
        let memory = ask(&slack, CAMP, text);
        assert!(
            memory.contains("#合宿 の記憶") && memory.contains("3月4日"),
            "{memory}"
        );
    }
    for text in ["history 2", "履歴 ２"] {
        let history = ask(&slack, CAMP, text);
        assert!(
            history.contains("記憶 3") && history.contains("記憶 2"),
            "{history}"
        );
        assert!(!history.contains("記憶 1"), "{history}");
    }
    for text in ["sources", "出典", "sources so far"] {
        let sources = ask(&slack, CAMP, text);
        assert!(sources.contains("日程は3月4日"), "{sources}");
        assert!(
            sources.contains("https://fake.slack.com/archives/C0CAMP/p"),
            "{sources}"
        );
    }
    for text in ["help", "ヘルプ", "踊って"] {
        let help = ask(&slack, CAMP, text);
        assert!(help.contains("/memory 履歴"), "{help}");
    }
    for text in ["", "history", "sources so far"] {
        let direct = ask(&slack, "D0AKARI", text);
        assert!(direct.contains("ダイレクトメッセージ"), "{direct}");
        assert!(!direct.contains("/invite"), "{direct}");
    }
    // With the bot itself, it is a channel like any other.
    slack.add_direct_channel("D0AKARI001", AKARI);
    slack.post(AKARI, "D0AKARI001", "伊東の希望は内緒です。", None);
    posts(&slack, &mut bot, 1);
    remembered(&mut bot, "D0AKARI001", 1);
    let none = ask(&slack, "D0AKARI001", "sources so far");
    assert!(!none.contains("/invite"), "{none}");
    let direct = ask(&slack, "D0AKARI001", "");
    assert!(
        direct.contains("伊東") && direct.contains("#dm-"),
        "{direct}"
    );
    bot.stop();
    assert_eq!(slack.posts().len(), 1);
}

#[test]
fn the_command_finds_what_the_person_may_see_and_nothing_else() {
    let slack = workspace();
    slack.add_private_channel("C0BOARD", "役員会");
    let mut bot = connect(&slack, EAGER);
    bot.caught_up();
    slack.post(EMIKO, CAMP, "合宿の会場は箱根の <山荘> です。", None);
    slack.post(AKARI, "C0BOARD", "買収の会場は熱海に決まりました。", None);
    remembered(&mut bot, CAMP, 1);
    remembered(&mut bot, "C0BOARD", 1);
    // In a direct message, too: what is found is the person's, not the channel's.
    for channel in [CAMP, "D0AKARI"] {
        let found = ask(&slack, channel, "検索 会場");
        assert!(found.contains("箱根の &lt;山荘&gt;"), "{found}");
        assert!(
            found.contains("https://fake.slack.com/archives/C0CAMP/p"),
            "{found}"
        );
        assert!(!found.contains("熱海"), "{found}");
    }
    let nothing = ask(&slack, CAMP, "search dinosaurs");
    assert!(nothing.contains("見つかりませんでした"), "{nothing}");
    let how = ask(&slack, CAMP, "search");
    assert!(how.contains("/memory 検索 言葉"), "{how}");
    let answer = block_on(slack.slash_command(EMIKO, CAMP, "/memory", "検索 会場"));
    let others = words(&answer.payload.unwrap());
    assert!(
        others.contains("箱根") && !others.contains("熱海"),
        "{others}"
    );
    bot.stop();
}

#[test]
fn the_command_tells_what_was_said_since_a_time_and_what_was_decided() {
    let slack = workspace();
    slack.add_private_channel("C0BOARD", "役員会");
    slack.add_member("C0BOARD", EMIKO);
    let mut bot = connect(&slack, EAGER);
    bot.caught_up();
    slack.post(
        AKARI,
        CAMP,
        "決定: 合宿の会場は箱根\n予約は A-1234 です。",
        None,
    );
    slack.post(EMIKO, "C0BOARD", "decision: 買収する。期限は3月9日。", None);
    remembered(&mut bot, CAMP, 1);
    remembered(&mut bot, "C0BOARD", 1);
    for channel in [CAMP, "D0AKARI"] {
        let decided = ask(&slack, channel, "決定");
        assert!(
            decided.contains("合宿の会場は箱根")
                && decided.contains("<https://fake.slack.com/archives/C0CAMP/p"),
            "{decided} {}",
            bot.log()
        );
        assert!(!decided.contains("A-1234"), "{decided}");
        let said = ask(&slack, channel, "昨日から");
        assert!(
            said.contains("主な発言です。") && said.contains("箱根"),
            "{said}"
        );
        for shown in [decided, said] {
            assert!(!shown.contains("買収"), "{shown}");
        }
    }
    let here = ask(&slack, "C0BOARD", "decisions");
    assert!(here.contains("まだありません"), "{here}");
    let answer = block_on(slack.slash_command(EMIKO, "C0BOARD", "/memory", "decisions"));
    let members = words(&answer.payload.unwrap());
    assert!(
        members.contains("#役員会") && members.contains("買収"),
        "{members}"
    );
    // What waits, and nothing of a channel that the person is not in.
    slack.post(
        EMIKO,
        CAMP,
        "タスク: バスの見積書を金曜までに田中観光へ送る",
        None,
    );
    slack.post(
        EMIKO,
        "C0BOARD",
        "タスク: 買収の契約書を金曜までに弁護士へ送る",
        None,
    );
    settled(&slack, &mut bot);
    for channel in [CAMP, "D0AKARI"] {
        let open = ask(&slack, channel, "未解決");
        assert!(
            open.contains("見積書") && !open.contains("契約書"),
            "{open}"
        );
        let about = ask(&slack, channel, "未解決 田中観光の見積書");
        assert!(
            about.contains("その件で") && about.contains("金曜までに"),
            "{about}"
        );
        let none = ask(&slack, channel, "open プリンター");
        assert!(!none.contains("その件で"), "{none}");
        let since = ask(&slack, channel, "未解決 昨日から");
        assert!(
            since.contains("見積書") && !since.contains("その件"),
            "{since}"
        );
    }
    let how = ask(&slack, CAMP, "since");
    assert!(how.contains("/memory 金曜日から"), "{how}");
    bot.stop();
}

#[test]
fn the_command_tells_the_main_points_of_a_thread() {
    let slack = workspace();
    slack.add_private_channel("C0BOARD", "役員会");
    let mut bot = connect(&slack, EAGER);
    bot.caught_up();
    let first = slack.post(AKARI, CAMP, "合宿の会場を決めましょう。", None);
    let reply = "会場は箱根の山荘に決まりました。予算は45,000円です。";
    let reply = slack.post(EMIKO, CAMP, reply, Some(&first));
    let secret = slack.post(EMIKO, "C0BOARD", "買収の金額は9億円です。", None);
    slack.post(EMIKO, "C0BOARD", "期限は3月9日です。", Some(&secret));
    slack.post(AKARI, CAMP, "別件です。昼食は十二時です。", None);
    remembered(&mut bot, CAMP, 1);
    remembered(&mut bot, "C0BOARD", 1);
    let link = |channel: &str, ts: &str| {
        let id = ts.replace('.', "");
        format!("https://fake.slack.com/archives/{channel}/p{id}")
    };
    for text in [
        format!("thread {}", link(CAMP, &first)),
        format!("thread {}", link(CAMP, &reply)),
        format!("スレッド <{}?thread_ts={first}>", link(CAMP, "1.000001")),
    ] {
        let said = ask(&slack, "D0AKARI", &text);
        assert!(said.contains("#合宿 のスレッドの要点"), "{said}");
        assert!(said.contains("45,000円"), "{said}");
        assert!(
            said.contains("<https://fake.slack.com/archives/C0CAMP/p"),
            "{said}"
        );
        assert!(!said.contains("昼食"), "{said}");
    }
    for unknown in [
        link("C0BOARD", &secret),
        link("C0NONE", &first),
        link(CAMP, "5.000001"),
    ] {
        let nothing = ask(&slack, CAMP, &format!("thread {unknown}"));
        assert!(
            nothing.contains("見つかりませんでした"),
            "{unknown}: {nothing}"
        );
    }
    for text in ["thread", "スレッド あれ"] {
        let how = ask(&slack, CAMP, text);
        assert!(how.contains("リンクをコピーして"), "{how}");
    }
    bot.stop();
}

#[test]
fn the_command_shows_what_a_model_made_of_a_thread_with_its_sources() {
    let slack = workspace();
    let llm = LlmServer::start(|_| answer("- 会場は箱根の山荘に決まり、予算は45,000円になった"));
    let memory = "memory: { long_term_update_interval_seconds: 1, thread_memories: always }\n";
    let mut bot = connect(&slack, &(llm.config() + memory));
    bot.caught_up();
    let first = slack.post(AKARI, CAMP, "合宿の会場を決めましょう。", None);
    let text = "会場は箱根の山荘に決まりました。予算は45,000円です。";
    slack.post(EMIKO, CAMP, text, Some(&first));
    let made = "SELECT COUNT(*) FROM memories WHERE scope = 2 AND superseded_at IS NULL";
    bot.until("the thread's memory", |program| {
        (number(program, made) == 1).then_some(())
    });
    let link = format!(
        "https://fake.slack.com/archives/{CAMP}/p{}",
        first.replace('.', "")
    );
    let shown = ask(&slack, "D0AKARI", &format!("thread {link}"));
    for words in [
        "覚えていること",
        "45,000円になった",
        "出典: <https://fake.slack.com/archives/C0CAMP/p",
        "おもな発言",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    bot.stop();
}

#[test]
fn what_the_bot_was_asked_in_a_direct_message_is_no_point_of_a_time() {
    let (slack, llm) = (workspace(), model());
    slack.add_direct_channel("D0AKARI001", AKARI);
    let mut bot = connect(&slack, &replies_of(&llm));
    bot.caught_up();
    let nothing = ask(&slack, "D0AKARI001", "");
    assert!(!nothing.contains("/invite"), "{nothing}");
    slack.post(EMIKO, CAMP, "合宿の会場は箱根に決まりました。", None);
    slack.post(
        AKARI,
        "D0AKARI001",
        "合宿の会場はどこに決まりましたか？",
        None,
    );
    posts(&slack, &mut bot, 1);
    settled(&slack, &mut bot);
    let nothing = ask(&slack, "D0AKARI001", "");
    assert!(
        nothing.contains("ここでの会話の記憶はまだありません") && !nothing.contains("/invite"),
        "{nothing}"
    );
    let said = ask(&slack, "D0AKARI001", "昨日から");
    assert!(
        said.contains("箱根に決まりました") && !said.contains("どこに"),
        "{said}"
    );
    bot.stop();
}

#[test]
fn a_shortcut_on_a_message_opens_the_main_points_of_its_thread() {
    let slack = workspace();
    slack.add_private_channel("C0BOARD", "役員会");
    slack.add_member("C0BOARD", EMIKO);
    let mut bot = connect(&slack, EAGER);
    bot.caught_up();
    let first = slack.post(AKARI, CAMP, "合宿の会場を決めましょう。", None);
    let text = "会場は箱根の山荘に決まりました。予算は45,000円です。";
    let reply = slack.post(EMIKO, CAMP, text, Some(&first));
    let secret = slack.post(EMIKO, "C0BOARD", "買収の金額は9億円です。", None);
    remembered(&mut bot, CAMP, 1);
    remembered(&mut bot, "C0BOARD", 1);
    let mut opened = 0;
    let mut choose = |bot: &mut Bot, user: &str, channel: &str, message| {
        block_on(slack.message_shortcut(user, channel, message, "thread_in_short"));
        opened += 1;
        let modals = bot.until("a window", |_| {
            Some(slack.modals()).filter(|modals| modals.len() == opened)
        });
        let (seen_by, view) = modals.last().unwrap();
        assert_eq!(seen_by, user);
        words(view)
    };
    let shown = choose(&mut bot, AKARI, CAMP, (&*reply, Some(&*first)));
    assert!(
        shown.contains("#合宿") && shown.contains("45,000円"),
        "{shown}"
    );
    let others = choose(&mut bot, AKARI, "C0BOARD", (&*secret, None));
    assert!(others.contains("見つかりませんでした"), "{others}");
    assert!(!others.contains("買収"), "{others}");
    let own = choose(&mut bot, EMIKO, "C0BOARD", (&*secret, None));
    assert!(own.contains("9億円"), "{own}");
    block_on(slack.message_shortcut(AKARI, CAMP, (&reply, None), "of_another_version"));
    bot.stop();
    assert_eq!(slack.modals().len(), 3);
    assert!(slack.posts().is_empty());
}

#[test]
fn the_app_home_shows_public_channels_only() {
    let slack = workspace();
    slack.add_private_channel("C0BOARD", "役員会");
    let mut bot = connect(&slack, EAGER);
    bot.caught_up();
    slack.open_home(AKARI);
    let empty = bot.until("a home", |_| slack.home(AKARI));
    assert!(words(&empty).contains("まだ何も覚えていません"), "{empty}");
    slack.post(AKARI, CAMP, "合宿の会場は箱根に決まりました。", None);
    slack.post(AKARI, "C0BOARD", "買収の金額は9億円に決まりました。", None);
    remembered(&mut bot, CAMP, 1);
    remembered(&mut bot, "C0BOARD", 1);
    slack.open_home(EMIKO);
    let home = words(&bot.until("a home", |_| slack.home(EMIKO)));
    let off = "今は覚えていません";
    assert!(!home.contains(off), "{home}");
    block_on(slack.slash_command(EMIKO, CAMP, "/memory", "モード オフ"));
    slack.open_home(EMIKO);
    bot.until("a home that says so", |_| {
        let home = words(&slack.home(EMIKO)?);
        home.contains(off).then_some(())
    });
    bot.stop();
    assert!(home.contains("#合宿") && home.contains("箱根"), "{home}");
    assert!(
        !home.contains("役員会") && !home.contains("9億円"),
        "{home}"
    );
}

#[test]
fn the_memory_of_a_private_channel_is_in_no_prompt_of_another_channel() {
    let (slack, llm) = (workspace(), model());
    slack.add_private_channel("C0BOARD", "役員会");
    let config = format!("{EAGER}{}", replies_of(&llm));
    let mut bot = connect(&slack, &config);
    bot.caught_up();
    slack.post(AKARI, "C0BOARD", "買収の金額は9億円に決まりました。", None);
    let public = slack.post(AKARI, CAMP, "合宿の会場は箱根に決まりました。", None);
    let private = slack.post(EMIKO, "C0BOARD", "別件です。", None);
    remembered(&mut bot, CAMP, 1);
    remembered(&mut bot, "C0BOARD", 1);
    bot.until("the workspace's memory", |program| {
        (number(program, "SELECT COUNT(*) FROM memories WHERE scope = 0") > 0).then_some(())
    });
    slack.mention(EMIKO, CAMP, "買収の金額は？", Some(&public));
    posts(&slack, &mut bot, 1);
    slack.mention(
        EMIKO,
        "C0BOARD",
        "買収の金額と合宿の会場は？",
        Some(&private),
    );
    posts(&slack, &mut bot, 2);
    bot.stop();
    let elsewhere = prompts_in_thread(&llm, &public).remove(0);
    assert!(
        !elsewhere.contains("9億円") && !elsewhere.contains("役員会"),
        "{elsewhere}"
    );
    let there = prompts_in_thread(&llm, &private).remove(0);
    assert!(there.contains("9億円") && there.contains("箱根"), "{there}");
}
