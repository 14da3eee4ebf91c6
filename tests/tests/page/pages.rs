//! What the pages show, and that their JSON twins say the same.

use myao_plugin::state::sync::SyncState as _;
use myao_testkit::blocking;
use myao_tests::export::{post, program_with};
use myao_tests::kills::workspace;
use myao_tests::page::{Answer, Served};
use serde_json::Value;

use super::{demo, empty, has};

const GENERAL: &str = "/channel/C07GENERAL1";

#[test]
fn the_workspace_lists_its_channels_with_what_is_remembered() {
    let demo = demo();
    let (page, twin) = (demo.page("/workspace"), demo.page("/workspace.json").json());
    let channels = twin["channels"].as_array().unwrap();
    let names: Vec<&str> = channels
        .iter()
        .map(|of| of["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["general", "project-harbour", "zatsudan"]);
    let history = demo
        .program
        .run(&["--json", "memory", "history", "general"])
        .json();
    assert_eq!(channels[0]["versions"], history.as_array().unwrap().len());
    assert_eq!(channels[0]["threads"], 1);
    for channel in channels {
        let id = channel["id"].as_str().unwrap();
        let row = format!(
            "<a href=\"/channel/{id}\"><bdi>#{}</bdi></a>",
            channel["name"].as_str().unwrap()
        );
        let row = page
            .body
            .split("<tr>")
            .find(|part| part.contains(&row))
            .unwrap();
        for count in ["versions", "threads"] {
            let cell = format!("<td class=\"number\">{}</td>", channel[count]);
            assert!(row.contains(&cell), "{cell} in {row}");
        }
    }
    has(&page, twin["memories"][0]["content"].as_str().unwrap());
}

#[test]
fn a_workspace_without_anything_says_what_to_do() {
    let served = Served::opened(empty());
    let page = served.page("/workspace");
    has(&page, "There is nothing yet");
    has(&page, "myao import export.zip");
    has(&page, "myao --config myao.yaml backfill");
    let served = Served::opened(program_with("", &[post("general", 0, "ann", "Hello.")]));
    let page = served.page("/channel/CGENERAL");
    has(&page, "Nothing is remembered of this channel yet");
    has(&page, "myao --config myao.yaml backfill");
}

#[test]
fn a_channel_shows_what_is_remembered_and_how_that_changed() {
    let demo = demo();
    let (page, twin) = (
        demo.page(GENERAL),
        demo.page(&format!("{GENERAL}.json")).json(),
    );
    has(&page, "What is remembered now");
    let records = twin["records"].as_array().unwrap();
    has(&page, &format!("{} sentences", records.len()));
    for record in records {
        has(&page, record["text"].as_str().unwrap());
    }
    let now = twin["memories"].as_array().unwrap();
    let types: Vec<&str> = now
        .iter()
        .map(|of| of["memory_type"].as_str().unwrap())
        .collect();
    assert_eq!(types, ["long-term", "short-term"]);
    for memory in now {
        has(&page, memory["content"].as_str().unwrap());
    }
    let steps = twin["versions"]["shown"].as_array().unwrap();
    let numbers: Vec<u64> = steps
        .iter()
        .map(|step| step["number"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, [8, 7, 6, 5, 4, 3, 2, 1]);
    let (mut gone, mut new) = (0, 0);
    for step in steps {
        has(&page, &format!("version {}", step["number"]));
        for change in step["changes"].as_array().into_iter().flatten() {
            has(&page, change["line"].as_str().unwrap());
            match change["change"].as_str().unwrap() {
                "+" => new += 1,
                _ => gone += 1,
            }
        }
    }
    assert!(gone > 0 && new > 0);
    assert!(page.body.matches("<del ").count() <= gone && page.body.contains("<del "));
    assert!(page.body.matches("<ins ").count() <= new && page.body.contains("<ins "));
    for thread in twin["threads"]["shown"].as_array().unwrap() {
        has(&page, thread["first_words"].as_str().unwrap());
        has(&page, thread["author"].as_str().unwrap());
    }
}

#[test]
fn what_changed_is_what_the_command_line_says() {
    let demo = demo();
    let twin = demo.page(&format!("{GENERAL}.json")).json();
    let changes = &twin["versions"]["shown"][0]["changes"];
    let diff = demo
        .program
        .run(&["--json", "memory", "diff", "general", "7", "8"])
        .json();
    let lines = diff["lines"].as_array().unwrap().iter();
    let changed: Vec<&Value> = lines.filter(|line| line["change"] != " ").collect();
    assert_eq!(
        changed,
        changes.as_array().unwrap().iter().collect::<Vec<_>>()
    );
}

#[test]
fn the_long_term_memory_has_its_own_timeline() {
    let demo = demo();
    let page = demo.page(&format!("{GENERAL}?of=long-term"));
    let twin = demo.page(&format!("{GENERAL}.json?of=long-term")).json();
    let history = ["--json", "memory", "history", "general", "--long-term"];
    let history = demo.program.run(&history).json();
    let texts = history.as_array().unwrap();
    let steps = twin["versions"]["shown"].as_array().unwrap();
    assert_eq!(steps.len(), texts.len());
    for (step, text) in steps.iter().zip(texts.iter().rev()) {
        for key in ["id", "number", "content", "superseded_at"] {
            assert_eq!(step[key], text[key], "{key}");
        }
        assert!(page.links().contains(&format!("/memory/{}", step["id"])));
    }
}

/// The part of a page that is about the memory's text.
fn text_of(page: &Answer) -> &str {
    page.body.split("<h2>Kept word for word").next().unwrap()
}

#[test]
fn each_line_of_a_version_has_its_messages_beside_it() {
    let demo = demo();
    let history = demo
        .program
        .run(&["--json", "memory", "history", "general"])
        .json();
    for text in history.as_array().unwrap() {
        let path = format!("/memory/{}", text["id"]);
        let (page, mut twin) = (demo.page(&path), demo.page(&format!("{path}.json")).json());
        let fields = twin.as_object_mut().unwrap();
        fields.remove("taken");
        fields.remove("permalinks");
        let mut text = text.clone();
        text.as_object_mut().unwrap().remove("number");
        assert_eq!(twin, text);
        let lines = twin["sources"]["lines"].as_array().unwrap();
        assert_eq!(
            text_of(&page).matches("<details>").count(),
            lines
                .iter()
                .filter(|line| line["messages"] != Value::Array(Vec::new()))
                .count()
        );
        for line in lines {
            has(
                &page,
                line["text"].as_str().unwrap().trim_start_matches("- "),
            );
            let messages = line["messages"].as_array().unwrap();
            if messages.len() <= 5 {
                for message in messages {
                    has(&page, message["author"].as_str().unwrap());
                }
            }
        }
        has(&page, "excerpts, without a model");
    }
}

#[test]
fn by_links_alone_one_finds_what_was_decided_by_whom_and_where_it_was_said() {
    let demo = demo();
    let start = demo.page("/workspace");
    let general = start
        .links()
        .into_iter()
        .find(|link| link == GENERAL)
        .unwrap();
    let channel = demo.page(&general);
    let decided = "判断: 2.4.1 を 11:00 にリリースします。";
    has(&channel, decided);
    let says = |part: &str| {
        let summary = part.split("</summary>").next();
        summary.is_some_and(|summary| summary.contains(decided))
    };
    let versions = channel.links().into_iter();
    let versions: Vec<String> = versions
        .filter(|link| link.starts_with("/memory/"))
        .collect();
    let version = versions
        .iter()
        .map(|link| demo.page(link))
        .find(|page| page.body.split("<details>").skip(1).any(says));
    let version = version.unwrap();
    let line = version
        .body
        .split("<details>")
        .skip(1)
        .find(|part| says(part))
        .unwrap();
    // The message that says it is the first beside the line.
    let message = line.split("<li>").nth(1).unwrap();
    assert!(
        message.contains("<strong><bdi>akari</bdi></strong>"),
        "{message}"
    );
    assert!(
        message.contains("<time datetime=\"2026-03-05T10:34:12+09:00\">"),
        "{message}"
    );
    assert!(message.contains("毎分 340 件の負荷試験"), "{message}");
}

#[test]
fn messages_have_links_to_slack_when_its_address_is_known() {
    let program = program_with(
        "",
        &[post(
            "general",
            0,
            "ann",
            "We decided to take Beacon on 4 March.",
        )],
    );
    program
        .run(&["generate", "--now", "2026-03-02T09:00:00Z"])
        .succeeded();
    blocking(workspace(&program).set_address("https://acme.slack.com/")).unwrap();
    let served = Served::opened(program);
    let link = "https://acme.slack.com/archives/CGENERAL/p1772409600000100";
    for path in ["/search?q=Beacon", "/ask?q=Beacon", "/memory/1"] {
        let page = served.page(path);
        assert!(
            page.links().iter().any(|found| found == link),
            "{path}: {}",
            page.body
        );
    }
    let twin = served.page("/memory/1.json").json();
    assert_eq!(twin["permalinks"][0]["permalink"], link);
}

#[test]
fn what_people_marked_is_shown_in_its_channel() {
    let program = program_with(
        "",
        &[
            post("general", 0, "ann", "The code is 4711."),
            post("general", 5, "ann", "@myao remember: the code is 4712."),
            post("general", 6, "ann", "@myao do you remember?"),
        ],
    );
    program
        .run(&["correct", "--in", "general", "The code is 4713."])
        .succeeded();
    program
        .run(&["pin", &format!("CGENERAL:{}", myao_tests::export::ts(0))])
        .succeeded();
    let served = Served::opened(program);
    let twin = served.page("/channel/CGENERAL.json").json();
    let marks = twin["marks"].as_array().unwrap().iter();
    let marks: Vec<(&str, &str)> = marks
        .map(|of| (of["kind"].as_str().unwrap(), of["text"].as_str().unwrap()))
        .collect();
    let expected = [
        ("pinned", "The code is 4711."),
        ("pinned", "the code is 4712."),
        ("correction", "The code is 4713."),
    ];
    assert_eq!(marks, expected);
    let page = served.page("/channel/CGENERAL");
    for (_, text) in expected {
        has(&page, text);
    }
}

#[test]
fn a_channel_off_the_record_says_so() {
    let program = program_with("", &[post("general", 0, "ann", "The code is 4711.")]);
    program.run(&["off", "--channel", "general"]).succeeded();
    let since = program.run(&["--json", "off"]).json()[0]["since"].clone();
    let served = Served::opened(program);
    has(
        &served.page("/channel/CGENERAL"),
        "It is off the record since 20",
    );
    let twin = served.page("/channel/CGENERAL.json").json();
    assert_eq!(twin["off_record_since"], since);
}

#[test]
fn what_is_not_there_is_said_so() {
    let demo = demo();
    for path in [
        "/channel/C404",
        "/memory/404",
        "/memory/x",
        "/nothing",
        "/channel/",
        "/%00",
        "/channel/%2e%2e",
    ] {
        let answer = demo.get(path);
        assert_eq!(answer.status, 404, "{path}");
        has(&answer, "This page does not exist");
        assert!(answer.links().contains(&"/workspace".to_owned()));
    }
    assert_eq!(demo.get("/memory/404.json").json()["error"], "no-such-page");
}
