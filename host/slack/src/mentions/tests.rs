#![allow(clippy::unwrap_used)]

use super::*;
use crate::markdown::to_mrkdwn;

fn person(id: &str, name: &str) -> Person {
    Person {
        id: id.to_owned(),
        name: name.to_owned(),
    }
}

/// Asserts the mrkdwn of texts that may notify these people.
fn assert_all(cases: &[(&str, &str)]) {
    let people = [
        person("U1", "akari"),
        person("U2", "田中"),
        person("U3", "田中太郎"),
        person("U4", "Ken Sato"),
        person("U5", "@あかり"),
        person("U6", "ken"),
        person("U7", "akari mori"),
    ];
    for (text, expected) in cases {
        assert_eq!(&to_mrkdwn(text, &people), expected, "of {text:?}");
    }
}

#[test]
fn a_person_is_notified_by_name() {
    assert_all(&[
        ("@akari", "<@U1>"),
        (
            "@akari, @akari: @akari. @akari's",
            "<@U1>, <@U1>: <@U1>. <@U1>'s",
        ),
        ("(@akari)", "(<@U1>)"),
        ("**@akari**", "*<@U1>*"),
        ("thanks @Ken Sato!", "thanks <@U4>!"),
        ("@ken Sato2", "<@U6> Sato2"),
        ("<@U1> <@U1|x>", "<@U1> <@U1>"),
        ("@akari mori and @akari", "<@U7> and <@U1>"),
    ]);
}

#[test]
fn honorifics_and_particles_may_follow_a_name() {
    assert_all(&[
        ("@akariさん、お願いします", "<@U1>さん、お願いします"),
        ("これは@akariに聞いて", "これは<@U1>に聞いて"),
        ("@田中さんと@田中太郎様", "<@U2>さんと<@U3>様"),
        (
            "@田中は休み、@田中も、@田中。",
            "<@U2>は休み、<@U2>も、<@U2>。",
        ),
        ("@田中先生", "<@U2>先生"),
        ("@あかりちゃん", "<@U5>ちゃん"),
    ]);
}

#[test]
fn a_longer_name_is_somebody_else() {
    assert_all(&[
        (
            "@akariko @akari2 @akari-chan @akari.b @akari_x",
            "@akariko @akari2 @akari-chan @akari.b @akari_x",
        ),
        ("@田中次郎さん @田中A", "@田中次郎さん @田中A"),
        ("@あかりんご", "@あかりんご"),
        ("@Akari", "@Akari"),
        ("@kenn", "@kenn"),
        ("@akari\u{301}", "@akari\u{301}"),
    ]);
}

#[test]
fn addresses_and_code_name_nobody() {
    assert_all(&[
        ("a@akari b.c@akari x_@akari", "a@akari b.c@akari x_@akari"),
        ("@akari@example.com @@akari", "@akari@example.com @@akari"),
        ("https://a.example/@akari", "<https://a.example/@akari>"),
        ("a.example/@akari", "a.example/@akari"),
        ("`@akari`", "`@akari`"),
        ("```\n@akari <@U1>\n```", "```\n@akari &lt;@U1&gt;\n```"),
        (
            "[@akari](https://a.example)",
            "@akari (<https://a.example>)",
        ),
        ("@**akari**", "@*akari*"),
    ]);
}

#[test]
fn a_name_that_two_people_share_is_nobodys() {
    let people = [person("U1", "sato"), person("U2", "sato")];
    assert_eq!(to_mrkdwn("@sato <@U2>", &people), "@sato <@U2>");
    let twice = [person("U1", "sato"), person("U1", "sato")];
    assert_eq!(to_mrkdwn("@sato", &twice), "<@U1>");
}

#[test]
fn an_id_that_is_none_of_slacks_is_nobodys() {
    for id in ["", "!channel", "U1>", "U1|x", "here><!channel"] {
        let people = [person(id, "akari")];
        let text = format!("@akari <@{id}>");
        assert!(!to_mrkdwn(&text, &people).contains('<'), "{id}");
    }
}
