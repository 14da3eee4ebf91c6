//! Texts that try to notify people whom they may not. The texts come from memories, messages and models.

use super::*;

/// Texts after which nobody is notified.
const ATTACKS: [&str; 62] = [
    "<!channel>",
    "<!here> and <!everyone>",
    "<!CHANNEL> <!Here>",
    "<!channel|channel>",
    "<!here|@here>",
    "<!subteam^S1>",
    "<!subteam^S1|@developers>",
    "<!group>",
    "<!channel> **お知らせ**です",
    "お知らせ<!channel>です",
    "<@U9>",
    "<@U9|akari>",
    "<@W9ABC>さん、お願いします",
    "<@U9|<@U1>>",
    "<@U9|<!channel>>",
    "<#C1>",
    "<#C1|general>",
    "<#C1|<!here>>",
    "&lt;!channel&gt;",
    "&amp;lt;!channel&amp;gt;",
    "&lt;@U9&gt;",
    "&#60;!channel&#62;",
    "&#x3c;!here&#x3e;",
    "\\<!channel\\>",
    "\\<@U9>",
    "<!chan\u{200b}nel>",
    "<\u{200b}!channel>",
    "<!\u{2060}channel>",
    "<\u{fdd0}!channel>",
    "<\u{fdd0}@U9\u{fdd0}>",
    "<@\u{200d}U9>",
    "<! channel>",
    "< !channel>",
    "<!channel\n>",
    "<!**channel**>",
    "**<!channel>**",
    "*<*!channel>",
    "<*@*U9>",
    "~~<!~~channel>",
    "`<!channel>`",
    "`<@U9>` と `<!here>`",
    "```\n<!channel>\n<@U9>\n```",
    "    <!channel>",
    "~~~\n```\n<!channel>\n~~~",
    "[<!channel>](https://a.example)",
    "[<@U9>](https://a.example)",
    "[x](<https://a.example|<!channel>>)",
    "[x](https://a.example/><!channel>)",
    "[x](https://a.example/%3E%3C!channel%3E)",
    "[x](https://a.example \"<!channel>\")",
    "<https://a.example|<!channel>>",
    "<https://a.example|x><!channel>",
    "<https://a.example|&gt;&lt;!channel&gt;>",
    "![<!here>](https://a.example/i.png)",
    "[![<!channel>](https://a.example/i)](<!channel>)",
    "[x](<!channel>)",
    "<!-- --><!channel>",
    "<b><!channel></b>",
    "<div>\n<!channel>\n<@U9>\n</div>",
    "| <!channel> | <@U9> |\n|---|---|\n| <#C1\\|x> | `<!here>` |",
    "# <!channel>\n> <!here>\n- <!everyone>\n1. <@U9>",
    "@channel @here @everyone 全員へ",
];

/// Every `<` that is no link's, up to the next `>`. Written without the code under test.
fn live_entities(mrkdwn: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in mrkdwn.match_indices('<') {
        let rest = mrkdwn.get(at + 1..).unwrap();
        let inner = rest.split('>').next().unwrap();
        let is_link = ["https://", "http://", "mailto:"]
            .iter()
            .any(|scheme| inner.starts_with(scheme));
        if !is_link || inner.contains('<') || inner.len() == rest.len() {
            found.push(inner.to_owned());
        }
    }
    found
}

#[test]
fn the_scanner_sees_live_entities() {
    for (text, expected) in [
        ("a <!channel> b", vec!["!channel"]),
        ("`<@U9>`", vec!["@U9"]),
        (
            "<https://a.example|<!here>>",
            vec!["https://a.example|<!here", "!here"],
        ),
        ("<https://a.example|x> &lt;!channel&gt;", vec![]),
        ("<unclosed", vec!["unclosed"]),
    ] {
        assert_eq!(live_entities(text), expected, "{text}");
    }
}

#[test]
fn nobody_is_notified_whom_the_caller_did_not_name() {
    for attack in ATTACKS {
        for around in ["{}", "**{}**", "- {}", "> {}", "田中さん{}です", "# {}"] {
            let markdown = around.replace("{}", attack);
            for may_notify in [&[][..], &people()] {
                let mrkdwn = to_mrkdwn(&markdown, may_notify);
                let mut live = live_entities(&mrkdwn);
                live.retain(|entity| entity != "@U1" || may_notify.is_empty());
                assert_eq!(live, [""; 0], "{markdown:?} became {mrkdwn:?}");
            }
        }
    }
}

#[test]
fn entities_become_the_words_that_people_read() {
    assert_all(&[
        ("<!channel> <!HERE> <!everyone>", "@channel @HERE @everyone"),
        ("<!subteam^S1|@dev> <!subteam^S1>", "@dev @group"),
        ("<@U9> <@U9|bob>", "@U9 @bob"),
        ("<#C1|general> <#C1>", "#general #C1"),
        ("@channel @here", "@channel @here"),
        ("<!channel> **news**", "@channel *news*"),
        ("<!unknown>", "&lt;!unknown&gt;"),
        (
            "[<@U1> <!here>](https://a.example)",
            "<https://a.example|@akari @here>",
        ),
    ]);
}

#[test]
fn text_made_of_scraps_of_attacks_notifies_nobody() {
    let scraps = [
        "<",
        ">",
        "!",
        "@",
        "#",
        "channel",
        "here",
        "U9",
        "|",
        "`",
        "```\n",
        "*",
        "**",
        "[",
        "](",
        ")",
        "https://a",
        "&lt;",
        "&gt;",
        "&amp;",
        "\\",
        "\n",
        "\n\n",
        " ",
        "- ",
        "> ",
        "mailto:",
        "\u{200b}",
        "\u{fdd0}",
        "日本",
        "^",
        "subteam",
        "<@U9>",
        "<!channel>",
        "![",
        "|---|",
        "~~",
        "_",
        "<b>",
        "<!--",
    ];
    let mut random = fastrand::Rng::with_seed(4);
    for _ in 0..20_000 {
        let length = random.usize(1..14);
        let markdown: String = (0..length).filter_map(|_| random.choice(scraps)).collect();
        let mrkdwn = to_mrkdwn(&markdown, &[]);
        assert_eq!(
            live_entities(&mrkdwn),
            [""; 0],
            "{markdown:?} became {mrkdwn:?}"
        );
    }
}
