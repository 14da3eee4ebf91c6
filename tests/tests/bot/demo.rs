//! The demo's week in a running bot: its digests, and what somebody gets who was away.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use myao_fake_slack::FakeSlack;
use myao_tests::noon;
use myao_tests::program::{Program, demo_export};
use serde_json::Value;

use crate::bot::commands::ask_as;
use crate::bot::support::{connect_as, posts, settled};

const DAY: u64 = 24 * 3600;
const GENERAL: &str = "C07GENERAL1";
const HARBOUR: &str = "C07HARBOUR1";
const SOMEBODY: &str = "U07FUMI0006";

/// The demo's messages, put to the week that ended yesterday.
struct Week {
    slack: FakeSlack,
    /// The new ids of messages.
    ids: BTreeMap<String, String>,
}

impl Week {
    fn new() -> Self {
        let slack = FakeSlack::start_on_own_thread();
        slack.follow_system_clock();
        let export = demo_export();
        let folder = Path::new(&export);
        for user in list(&folder.join("users.json")) {
            let (id, name) = (text(&user["id"]), name_of(&user));
            if id == "USLACKBOT" {
                continue;
            }
            if user["is_bot"] == true {
                slack.add_bot(id, &name);
            } else {
                slack.add_user(id, &name);
            }
        }
        let mut week = Self {
            slack,
            ids: BTreeMap::new(),
        };
        for (id, name) in [(GENERAL, "general"), (HARBOUR, "project-harbour")] {
            week.slack.add_channel(id, name);
            week.say(id, &folder.join(name));
        }
        week
    }

    /// Says what people said in a channel.
    fn say(&mut self, channel: &str, folder: &Path) {
        let mut days: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|day| day.unwrap().path())
            .collect();
        days.sort();
        for message in days.iter().flat_map(|day| list(day)) {
            let is_said = ["", "thread_broadcast"].contains(&text(&message["subtype"]));
            if !is_said || text(&message["text"]).trim().is_empty() {
                continue;
            }
            let ts = text(&message["ts"]);
            let new = moved(ts);
            let thread = message["thread_ts"].as_str().filter(|thread| *thread != ts);
            let thread = thread.and_then(|thread| self.ids.get(thread).cloned());
            let user = text(&message["user"]);
            self.slack.post_at(
                &new,
                user,
                channel,
                text(&message["text"]),
                thread.as_deref(),
            );
            for reaction in message["reactions"].as_array().into_iter().flatten() {
                for user in reaction["users"].as_array().unwrap() {
                    self.slack
                        .react(text(user), channel, &new, text(&reaction["name"]));
                }
            }
            self.ids.insert(ts.to_owned(), new);
        }
    }
}

fn list(path: &Path) -> Vec<Value> {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn name_of(user: &Value) -> String {
    let shown = text(&user["profile"]["display_name"]);
    let real = text(&user["real_name"]);
    [shown, real, text(&user["name"])]
        .into_iter()
        .find(|name| !name.is_empty())
        .unwrap()
        .to_owned()
}

/// The id of a message as many whole days later as the newest of the demo needs to be of yesterday.
fn moved(ts: &str) -> String {
    const NEWEST: u64 = 1_772_785_840;
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let days = (now - NEWEST) / DAY - 1;
    let (seconds, sequence) = ts.split_once('.').unwrap();
    let seconds: u64 = seconds.parse().unwrap();
    format!("{}.{sequence}", seconds + days * DAY)
}

/// The decisions of the demo that the phrases know, by words of theirs.
const DECISIONS: [(&str, &[&str]); 2] = [
    (
        GENERAL,
        &[
            "→ fumi: それで承認します。",
            "新しいインターンの面接は 3月11日(水) 15:00 に決まりました。",
            "監視ツールは Beacon に決めます。",
            "オフサイトは箱根に決定です!",
            "判断: 2.4.1 を 11:00 にリリースします。",
            "移行は4月からにします。",
        ],
    ),
    (
        HARBOUR,
        &[
            "Decision: roll back to v2.3.6, fix properly tomorrow.",
            "Agreed, let's keep the v4 palette.",
        ],
    ),
];
/// What is to do at the end of its week.
const OPEN: [(&str, &[&str]); 2] = [
    (
        GENERAL,
        &[
            "年払い 税込 750,200円、契約は @emiko (経理) が 3月13日(金) までに。",
            "4月16日(木) 9:00 新宿発のロマンスカー、宿は 3月20日(金) までに予約します。",
            "検知が5分遅れた → Beacon 移行 (@Diego Ramírez, 4月30日まで)",
            "試験環境に追加 (@ben, 3月18日まで)",
        ],
    ),
    (
        HARBOUR,
        &["I'll show it after the first booking, not at launch."],
    ),
];
/// What has a check mark.
const DONE: [(&str, &[&str]); 2] = [
    (GENERAL, &["返金は今日 15:00 までに実行してください。"]),
    (HARBOUR, &["HBR-228 は 4月10日までに。 担当は @ben。"]),
];

/// The only line with these words, which has a link to a message of the channel.
#[track_caller]
fn only_line<'t>(words: &str, told: &'t str, channel: &str) -> &'t str {
    let lines: Vec<&str> = told.lines().filter(|line| line.contains(words)).collect();
    assert_eq!(lines.len(), 1, "{words}: {told}");
    assert_eq!(lines[0].matches(words).count(), 1, "{words}: {told}");
    let link = format!("https://fake.slack.com/archives/{channel}/p");
    assert!(lines[0].contains(&link), "{words}: {told}");
    lines[0]
}

#[test]
fn digests_and_catching_up_name_what_was_decided_and_is_to_do_once_and_what_is_done_as_such() {
    let week = Week::new();
    let day = noon::weekday();
    let digest = |channel: &str| format!("{{ channel: {channel}, at: '12:00', days: [{day}] }}");
    let digests = format!("digests: [{}, {}]", digest(GENERAL), digest(HARBOUR));
    let mut bot = connect_as(&week.slack, Program::of_bot(), &digests, &noon::timezone());
    let posts = posts(&week.slack, &mut bot, 2);
    settled(&week.slack, &mut bot);
    for number in 0..2 {
        let (channel, decisions) = DECISIONS[number];
        let digest = posts.iter().find(|post| post.channel == channel).unwrap();
        let caught_up = ask_as(&week.slack, SOMEBODY, channel, "since 1 week ago");
        // The first lines of a command's answer are its plain words.
        let (_, caught_up) = caught_up.split_once("\n*").unwrap();
        for (told, open, done) in [
            (digest.text.as_str(), " (作業) ", " (作業、完了) "),
            (caught_up, " (task) ", " (task, done) "),
        ] {
            for words in decisions {
                only_line(words, told, channel);
            }
            for words in OPEN[number].1 {
                let line = only_line(words, told, channel);
                assert!(line.contains(open), "{line}");
            }
            for words in DONE[number].1 {
                let line = only_line(words, told, channel);
                assert!(line.contains(done), "{line}");
            }
        }
    }
    bot.stop();
}
