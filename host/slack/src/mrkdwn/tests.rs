#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use super::*;

struct Known;

impl Names for Known {
    fn user(&self, id: &str) -> Option<&str> {
        match id {
            "U1" => Some("田中"),
            "U2" => Some("<@U1> &amp; co"),
            "U3" => Some(""),
            _ => None,
        }
    }

    fn channel(&self, id: &str) -> Option<&str> {
        (id == "C1").then_some("general")
    }
}

fn reads(text: &str) -> String {
    readable(text, &Known).into_owned()
}

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(reads(text), *expected, "{text}");
    }
}

#[test]
fn users_are_named() {
    check(&[
        ("<@U1> さん", "@田中 さん"),
        ("<@U1|old name>", "@田中"),
        ("<@U9|bob>", "@bob"),
        ("<@U9|@bob>", "@bob"),
        ("<@U1><@U1>", "@田中@田中"),
    ]);
}

#[test]
fn unknown_ids_never_show() {
    check(&[
        ("<@U9>", UNKNOWN_USER),
        ("<@U9|>", UNKNOWN_USER),
        ("<@U9|U9>", UNKNOWN_USER),
        ("<@U3>", UNKNOWN_USER),
        ("<#C9>", UNKNOWN_CHANNEL),
        ("<#C9|>", UNKNOWN_CHANNEL),
        ("<!subteam^S9>", UNKNOWN_GROUP),
        ("<!subteam^S9|S9>", UNKNOWN_GROUP),
    ]);
}

#[test]
fn channels_are_named() {
    check(&[
        ("<#C1>", "#general"),
        ("<#C1|was>", "#general"),
        ("<#C9|random>", "#random"),
    ]);
}

#[test]
fn broadcasts_groups_and_dates_are_spelled_out() {
    check(&[
        (
            "<!here> <!channel> <!everyone> <!here|here>",
            "@here @channel @everyone @here",
        ),
        ("<!subteam^S1|@team>", "@team"),
        ("<!subteam^S1|team>", "@team"),
        (
            "<!date^1709287200^{date_num}|2024-03-01 10:00>",
            "2024-03-01 10:00",
        ),
        ("<!date^1709287200^{date}^https://e.org|1 March>", "1 March"),
        ("<!date^1709287200^{date_num}>", "2024-03-01 10:00 UTC"),
        ("<!future^x|a label>", "a label"),
    ]);
}

#[test]
fn links_show_label_and_address() {
    check(&[
        (
            "<https://e.org/a?x=1&amp;y=2|the &amp; report>",
            "the & report (https://e.org/a?x=1&y=2)",
        ),
        ("<https://e.org>", "https://e.org"),
        ("<https://e.org|https://e.org>", "https://e.org"),
        ("<https://e.org/|e.org>", "https://e.org/"),
        ("<http://e.org/a|e.org/a>", "http://e.org/a"),
        ("<https://e.org|>", "https://e.org"),
        ("<vscode://file/a|open>", "open (vscode://file/a)"),
    ]);
}

#[test]
fn mail_and_telephone_links_show_no_scheme() {
    check(&[
        ("<mailto:a@b.org|a@b.org>", "a@b.org"),
        ("<mailto:a@b.org>", "a@b.org"),
        ("<mailto:a@b.org|Bob>", "Bob (a@b.org)"),
        (
            "<tel:+81312345678|03-1234-5678>",
            "03-1234-5678 (+81312345678)",
        ),
        ("<tel:110|110>", "110"),
    ]);
}

#[test]
fn escapes_are_decoded_once() {
    check(&[
        ("a &lt; b &amp;&amp; c &gt; d", "a < b && c > d"),
        ("&amp;lt;", "&lt;"),
        ("&amp;amp;amp;", "&amp;amp;"),
        ("&nbsp; &quot; & &", "&nbsp; &quot; & &"),
        ("&am", "&am"),
    ]);
    assert_eq!(unescaped("R&amp;D <@U1>"), "R&D <@U1>");
}

#[test]
fn an_escaped_entity_stays_text() {
    check(&[
        ("&lt;@U1&gt;", "<@U1>"),
        ("&lt;https://e.org|x&gt;", "<https://e.org|x>"),
        ("&amp;lt;@U1&amp;gt;", "&lt;@U1&gt;"),
    ]);
}

#[test]
fn a_name_that_looks_like_an_entity_is_not_read_again() {
    assert_eq!(reads("<@U2>"), "@<@U1> &amp; co");
}

#[test]
fn entities_and_escapes_in_code_are_replaced_too() {
    check(&[
        ("`<@U1> &lt;b&gt;`", "`@田中 <b>`"),
        (
            "```\nif a &lt; b {\n  <https://e.org>\n}\n```",
            "```\nif a < b {\n  https://e.org\n}\n```",
        ),
    ]);
}

#[test]
fn formatting_marks_stay() {
    check(&[(
        "*bold* _it_ ~no~ &gt; quote :smile:",
        "*bold* _it_ ~no~ > quote :smile:",
    )]);
}

#[test]
fn what_is_no_entity_stays_as_it_is() {
    for text in [
        "<",
        ">",
        "<>",
        "<@>",
        "<#>",
        "<!>",
        "<|>",
        "<@U1",
        "a < b > c",
        "<b>",
        "<std::vec>",
        "<https://>",
        "<mailto:>",
        "<https://e.org a>",
        "<@U1 and U2>",
        "<!date^x^y>",
        "<!date^99999999999999^y>",
        "<!future>",
        "<://x>",
        "1 <2> 3",
        "<@田中>",
    ] {
        assert_eq!(reads(text), text);
    }
    check(&[
        ("<<@U1>>", "<@田中>"),
        ("<@U1 <@U1>", "<@U1 @田中"),
        ("<b &amp; c>", "<b & c>"),
    ]);
}

#[test]
fn plain_text_is_not_copied() {
    assert!(matches!(
        readable("plain: テキスト", &Known),
        Cow::Borrowed(_)
    ));
}

#[test]
fn long_malformed_text_takes_linear_time() {
    // Quadratic time would take hours here.
    for piece in ["<", "<@", "<a>", "&", "<&", "&<a", "<https://", "<a|"] {
        let text = piece.repeat(4_000_000 / piece.len());
        assert_eq!(reads(&text), text);
    }
}

/// A small random generator, the same on every machine.
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

#[test]
fn random_mixtures_never_panic_and_never_show_a_known_id() {
    const PIECES: [&str; 24] = [
        "<",
        ">",
        "|",
        "&",
        "amp;",
        "&lt;",
        "&gt;",
        "&amp;",
        "@",
        "#",
        "!",
        "^",
        "date^",
        "subteam^",
        "1709287200",
        "https://",
        "mailto:",
        "e.org",
        "語",
        "\u{1f469}\u{200d}\u{1f4bb}",
        "\u{301}",
        "`",
        "\n",
        "<@U1>",
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15;
    for _ in 0..200_000 {
        let length = next(&mut state) % 12;
        let text: String = (0..length)
            .map(|_| PIECES[(next(&mut state) % PIECES.len() as u64) as usize])
            .collect();
        let shown = reads(&text);
        // Every other spelling of the mention has an escape.
        if !text.contains("lt;") {
            assert!(!shown.contains("<@U1>"), "{text:?} reads {shown:?}");
        }
        assert_eq!(shown, reads(&text));
    }
}

#[test]
fn every_unicode_character_is_kept() {
    for c in ('\0'..=char::MAX).filter(|c| !['<', '>', '&'].contains(c)) {
        let text = format!("&amp;{c}<{c}");
        assert_eq!(reads(&text), format!("&{c}<{c}"));
    }
}
