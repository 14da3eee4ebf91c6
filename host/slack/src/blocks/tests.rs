//! Whole views and messages, compared with `tests/fixtures/blocks/`. After an intended change:
//! `MYAO_UPDATE_EXPECTATIONS=1 cargo test -p myao-slack blocks`, and look at the difference.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod answers;
mod home;
mod items;
mod notices;

use std::path::Path;

use super::*;
use crate::command::{Mode, SourcesOf};
use Language::{English, Japanese};

/// Tokyo.
const UTC_OFFSET: i32 = 9 * 3600;

fn at(hours: i64) -> Moment {
    Moment {
        unix_seconds: 1_772_755_200 + hours * 3600,
        utc_offset_seconds: UTC_OFFSET,
    }
}

fn memory(version: u32, text: &str) -> MemoryText {
    MemoryText {
        text: text.to_owned(),
        version,
        made_at: at(version.into()),
        messages: version * 21,
        newest_sources: Vec::new(),
        corrections: Vec::new(),
    }
}

fn channel(name: &str, text: &str) -> HomeChannel {
    HomeChannel {
        name: name.to_owned(),
        memory: memory(3, text),
        versions: 3,
        mode: Mode::Answer,
        id: "C1".to_owned(),
        may_choose: false,
    }
}

fn source(minutes: i64, author: &str, text: &str, permalink: Option<&str>) -> Source {
    Source {
        at: Moment {
            unix_seconds: at(0).unix_seconds + minutes * 60,
            ..at(0)
        },
        author: author.to_owned(),
        text: text.to_owned(),
        permalink: permalink.map(str::to_owned),
    }
}

/// Asserts that values are the same as in their files.
fn assert_are(values: &[(&str, Value)]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/blocks");
    let is_update = std::env::var_os("MYAO_UPDATE_EXPECTATIONS").is_some();
    for (file, value) in values {
        assert_within_limits(value);
        let path = folder.join(file);
        let json = serde_json::to_string_pretty(value).unwrap() + "\n";
        if is_update {
            std::fs::write(&path, &json).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap();
        assert!(
            json == expected,
            "{file} is no longer what is shown:\n{json}"
        );
    }
    assert!(
        !is_update,
        "the files are written; run the test again without MYAO_UPDATE_EXPECTATIONS"
    );
}

/// Slack's limits: blocks of a view or a message, characters of texts, and the size of a view.
fn assert_within_limits(value: &Value) {
    let blocks = value["blocks"].as_array().unwrap();
    let most = if value["type"] == "home" { 100 } else { 50 };
    assert!(blocks.len() <= most, "{} blocks", blocks.len());
    for block in blocks {
        let (text, limit) = match block["type"].as_str().unwrap() {
            "section" => (&block["text"], 3_000),
            "header" => (&block["text"], 150),
            "context" => (&block["elements"][0], 2_000),
            // <https://docs.slack.dev/reference/block-kit/blocks/input-block>
            "input" => (&block["label"], 2_000),
            "divider" => continue,
            other => panic!("{other} is not checked"),
        };
        let chars = text["text"].as_str().unwrap().chars().count();
        assert!(
            (1..=limit).contains(&chars),
            "{chars} characters in {block}"
        );
        assert!(
            text["type"] == "plain_text" || text["verbatim"] == true,
            "{block}"
        );
    }
    assert!(value.to_string().len() < 250_000, "the view is too large");
}

#[test]
fn a_channels_memories_are_shown_with_versions_times_and_counts() {
    let view = MemoryView {
        is_off_record: false,
        channel: "general".to_owned(),
        is_direct: false,
        short_term: Some(memory(3, "- 発表会の**日程**を決めた\n- @akari さんが担当")),
        versions: 3,
        long_term: Some(memory(1, "- 製品は `myao` という")),
    };
    let taken_back = MemoryView {
        short_term: Some(memory(3, NOTHING_LEFT)),
        long_term: None,
        ..view.clone()
    };
    for (language, words) in [
        (Japanese, "何も残っていません"),
        (English, "nothing left of it"),
    ] {
        let shown = memory_message(&taken_back, language).to_string();
        assert!(shown.contains(words), "{shown}");
        let home = HomeContent {
            asks_again: None,
            tasks: Vec::new(),
            workspace: Some(memory(1, NOTHING_LEFT)),
            channels: vec![channel("general", NOTHING_LEFT)],
        };
        let shown = home_view(&home, language).to_string();
        assert_eq!(shown.matches(words).count(), 2, "{shown}");
    }
    for (language, words) in [
        (Japanese, "今は覚えていません"),
        (English, "do not remember what is said"),
    ] {
        let off = MemoryView {
            is_off_record: true,
            ..view.clone()
        };
        let shown = memory_message(&off, language).to_string();
        assert!(shown.contains(words) && shown.contains("myao"), "{shown}");
    }
    let nothing = MemoryView {
        short_term: None,
        long_term: None,
        versions: 0,
        ..view.clone()
    };
    assert_are(&[
        ("memory-ja.json", memory_message(&view, Japanese)),
        ("memory-en.json", memory_message(&view, English)),
        ("memory-nothing-en.json", memory_message(&nothing, English)),
    ]);
    let long = MemoryView {
        short_term: Some(memory(3, &"長い記憶。".repeat(1_000))),
        ..view
    };
    let message = memory_message(&long, English);
    assert_within_limits(&message);
    assert!(
        message
            .to_string()
            .contains("2300 more characters: `myao memory show general`")
    );
}

#[test]
fn a_history_shows_versions_and_how_to_see_the_others() {
    let versions = |count: u32| (1..=count).rev().map(|n| memory(n, "- 決めた")).collect();
    let mut view = HistoryView {
        channel: "general".to_owned(),
        is_direct: false,
        versions: versions(2),
        total: 3,
    };
    assert_are(&[
        ("history-ja.json", history_message(&view, Japanese)),
        ("history-en.json", history_message(&view, English)),
    ]);
    view.versions = versions(30);
    view.total = 57;
    let message = history_message(&view, English);
    assert_within_limits(&message);
    assert!(
        message
            .to_string()
            .contains("37 more versions: `myao memory history general`")
    );
    view.versions.clear();
    view.total = 0;
    assert!(
        history_message(&view, English)
            .to_string()
            .contains("no memory of this channel yet")
    );
}

#[test]
fn sources_are_links_with_time_author_and_first_words() {
    let mut view = SourcesView {
        channel: "general".to_owned(),
        is_direct: false,
        asked: SourcesOf::Newest,
        found: Some(MemorySources {
            version: Some(3),
            made_at: at(3),
            lines: Vec::new(),
            lines_total: 0,
            records: Vec::new(),
            messages: vec![
                source(
                    0,
                    "akari",
                    "発表会は\n3月20日にしましょう",
                    Some("https://a.slack.com/archives/C1/p1?thread_ts=1&cid=C1"),
                ),
                source(5, "<!channel>", "``` <!here> & <@U9>", None),
                source(
                    9,
                    "ken",
                    &"とても長い話です、".repeat(20),
                    Some("javascript:x"),
                ),
            ],
            total: 4,
        }),
    };
    assert_are(&[
        ("sources-ja.json", sources_message(&view, Japanese)),
        ("sources-en.json", sources_message(&view, English)),
    ]);
    if let Some(found) = &mut view.found {
        found.messages = (0..200)
            .map(|n| source(n, "akari", &"<&>".repeat(90), Some("https://a.example/p")))
            .collect();
        found.total = 1_000;
    }
    let message = sources_message(&view, Japanese);
    assert_within_limits(&message);
    assert!(message.to_string().contains("ほかに 970 件"));
}

#[test]
fn each_line_is_shown_above_links_to_its_messages() {
    let link = Some("https://a.slack.com/archives/C1/p1");
    let line = |text: &str, messages: Vec<Source>, total| SourcedLine {
        text: text.to_owned(),
        messages,
        total,
    };
    let found = MemorySources {
        version: None,
        made_at: at(3),
        lines: vec![
            line(
                "- 発表会は **3月20日** です",
                vec![
                    source(0, "akari", "発表会は3月20日にしましょう", link),
                    source(5, "<!here>", "いいですね", None),
                ],
                7,
            ),
            line("- ほかに何もない", Vec::new(), 0),
        ],
        lines_total: 3,
        records: vec![source(9, "ken", "予算は120万円です", link)],
        messages: Vec::new(),
        total: 7,
    };
    let view = SourcesView {
        channel: "general".to_owned(),
        is_direct: false,
        asked: SourcesOf::LongTerm,
        found: Some(found),
    };
    assert_are(&[
        ("sources-by-line-ja.json", sources_message(&view, Japanese)),
        ("sources-by-line-en.json", sources_message(&view, English)),
    ]);
}

#[test]
fn the_newest_sources_are_named_below_a_text() {
    let link = Some("https://a.slack.com/archives/C1/p1");
    let mut memory = memory(3, "- 予算は120万円");
    memory.newest_sources = vec![source(9, "ken", "予算は120万円です", link)];
    let view = MemoryView {
        is_off_record: false,
        channel: "general".to_owned(),
        is_direct: false,
        short_term: Some(memory.clone()),
        versions: 3,
        long_term: None,
    };
    let home = HomeContent {
        asks_again: None,
        tasks: Vec::new(),
        workspace: Some(memory),
        channels: Vec::new(),
    };
    for shown in [memory_message(&view, English), home_view(&home, English)] {
        let link = "sources: <https://a.slack.com/archives/C1/p1|";
        assert!(shown.to_string().contains(link), "{shown}");
    }
}

#[test]
fn corrections_are_quoted_below_a_text_with_what_they_replace_struck_out() {
    let link = Some("https://a.slack.com/archives/C1/p1");
    let mut memory = memory(3, "- ~~予算は120万円~~");
    memory.corrections = vec![source(9, "ken", "予算は130万円", link)];
    let view = MemoryView {
        is_off_record: false,
        channel: "general".to_owned(),
        is_direct: false,
        short_term: Some(memory),
        versions: 3,
        long_term: None,
    };
    let shown = memory_message(&view, Japanese).to_string();
    assert!(shown.contains("~予算は120万円~"), "{shown}");
    assert!(
        shown.contains("訂正: <https://a.slack.com/archives/C1/p1|")
            && shown.contains("ken “予算は130万円”"),
        "{shown}"
    );
}

#[test]
fn a_version_that_is_not_there_is_named() {
    let view = |asked| SourcesView {
        channel: "general".to_owned(),
        is_direct: false,
        asked,
        found: None,
    };
    let message = |asked| sources_message(&view(asked), English).to_string();
    assert!(message(SourcesOf::Version(9)).contains("This channel has no memory 9."));
    assert!(message(SourcesOf::Newest).contains("There is no memory of this channel yet."));
}
