//! Texts that try to notify people whom they may not. The texts come from memories, messages and models.

use super::*;

/// Texts that notify nobody.
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

/// Every `<` that does not begin a link, up to the next `>`. Does not use the code under test.
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
            "@akari @here (<https://a.example>)",
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

#[test]
fn no_label_hides_where_a_link_leads() {
    assert_all(&[
        ("<http://evil|safe>", "safe (<http://evil>)"),
        ("[safe](http://evil)", "safe (<http://evil>)"),
        (
            "[https://bank.example](http://evil.example)",
            "https://bank.example (<http://evil.example>)",
        ),
        (
            "<http://evil.example|https://bank.example>",
            "https://bank.example (<http://evil.example>)",
        ),
        (
            "<http://evil.example|bank.example/>です",
            "bank.example/ (<http://evil.example>)です",
        ),
        (
            "![図](http://evil.example/a.png)",
            "図 (<http://evil.example/a.png>)",
        ),
        (
            "**[安全](http://evil.example)**です",
            "*安全 (<http://evil.example>)*¦です",
        ),
        (
            "# [安全](http://evil.example)",
            "*安全 (<http://evil.example>)*",
        ),
        (
            "| [a](http://evil.example) |\n|---|",
            "*a (<http://evil.example>)*",
        ),
        (
            "[<http://evil.example|safe>](https://a.example)",
            "http://evil.example｜safe (<https://a.example>)",
        ),
        (
            "[safe]\n\n[safe]: http://evil.example",
            "safe (<http://evil.example>)",
        ),
        ("`<http://evil|safe>`", "`&lt;http://evil|safe&gt;`"),
        (
            "[s](https://evil.example/x.slack.com/archives/C1)",
            "s (<https://evil.example/x.slack.com/archives/C1>)",
        ),
        (
            "[bank.example](https://a.slack.com/archives/C1/p1)",
            "bank.example (<https://a.slack.com/archives/C1/p1>)",
        ),
    ]);
}

#[test]
fn a_label_that_is_the_address_and_one_of_slacks_own_messages_stay() {
    assert_all(&[
        (
            "[https://a.example/b](https://a.example/b)",
            "<https://a.example/b>",
        ),
        (
            "[a.example/b](https://a.example/b/)",
            "<https://a.example/b/|a.example/b>",
        ),
        (
            "<https://a.example/b|a.example/b>",
            "<https://a.example/b|a.example/b>",
        ),
        (
            "[a@b.example](mailto:a@b.example)",
            "<mailto:a@b.example|a@b.example>",
        ),
        (
            "[元の発言](https://a.slack.com/archives/C1/p1?thread_ts=1&cid=C1)",
            "<https://a.slack.com/archives/C1/p1?thread_ts=1&amp;cid=C1|元の発言>",
        ),
    ]);
}

/// Every link shows its address, or leads to a message in Slack. Does not use the code under test.
#[test]
fn no_attack_leaves_a_masked_link() {
    for attack in ATTACKS {
        for around in [
            "{}",
            "[{}](http://evil.example)",
            "<http://evil.example|{}>",
        ] {
            let mrkdwn = to_mrkdwn(&around.replace("{}", attack), &people());
            for (at, _) in mrkdwn.match_indices("<http") {
                let entity = mrkdwn.get(at + 1..).unwrap().split('>').next().unwrap();
                let masked = entity.split_once('|');
                assert_eq!(masked, None, "{attack:?} in {around:?} became {mrkdwn:?}");
            }
        }
    }
}
