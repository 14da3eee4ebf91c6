//! Models' Markdown as people see it. A zero-width space is shown as `¦`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::*;

mod attacks;
mod japanese;

/// The text for a reader of tests.
fn shown(markdown: &str) -> String {
    to_mrkdwn(markdown, &people()).replace('\u{200b}', "¦")
}

fn people() -> Vec<Person> {
    let person = |id: &str, name: &str| Person {
        id: id.to_owned(),
        name: name.to_owned(),
    };
    vec![
        person("U1", "akari"),
        person("U2", "田中"),
        person("U3", "Ken Sato"),
    ]
}

/// Asserts that each Markdown becomes its mrkdwn.
fn assert_all(cases: &[(&str, &str)]) {
    for (markdown, expected) in cases {
        assert_eq!(&shown(markdown), expected, "of {markdown:?}");
    }
}

#[test]
fn formatting_becomes_slacks() {
    assert_all(&[
        ("**bold** and __bold__", "*bold* and *bold*"),
        ("*italic* and _italic_", "_italic_ and _italic_"),
        ("~~gone~~", "~gone~"),
        ("***both***", "_*both*_"),
        ("**a *b* c**", "*a _b_ c*"),
        ("**a **b** c**", "*a b c*"),
        ("`let x = 1;`", "`let x = 1;`"),
        ("`` a`b ``", "`aˋb`"),
        ("**bold\nover lines**", "*bold*\n*over lines*"),
        (
            "(**in brackets**), **and** then",
            "(*in brackets*), *and* then",
        ),
        ("un**believ**able", "un¦*believ*¦able"),
        ("**a**`b`", "*a*¦`b`"),
        ("**[](<>)** nothing", "nothing"),
        ("one<br>two<BR/>three", "one\ntwo\nthree"),
    ]);
}

#[test]
fn headings_become_bold_lines() {
    assert_all(&[
        ("# Title\nText", "*Title*\nText"),
        ("## **Bold** already\n\nText", "*Bold already*\n\nText"),
        ("### With `code` ###", "*With `code`*"),
        ("Title\n=====\nText", "*Title*\nText"),
    ]);
}

#[test]
fn lists_keep_their_levels_numbers_and_tasks() {
    assert_all(&[
        (
            "- a\n- b\n  - c\n    - d\n- e",
            "• a\n• b\n    • c\n        • d\n• e",
        ),
        (
            "3. three\n4. four\n   - deep",
            "3. three\n4. four\n    • deep",
        ),
        ("1) one\n1) two", "1. one\n2. two"),
        ("- [x] done\n- [ ] open", "☑ done\n☐ open"),
        ("- a\n\n- b", "• a\n\n• b"),
        ("- a\n  more\n- b", "• a\n  more\n• b"),
        ("Text:\n- a", "Text:\n• a"),
        ("- a\n-\n- c", "• a\n•\n• c"),
        ("- [x] **done** by @akari", "☑ *done* by <@U1>"),
    ]);
}

#[test]
fn quotes_stand_before_each_line() {
    assert_all(&[
        ("> a\n> b", "> a\n> b"),
        ("> a\n>\n> b\n\nc", "> a\n>\n> b\n\nc"),
        ("> a\n> > b", "> a\n> b"),
        ("> - a\n> - b", "> • a\n> • b"),
        ("- a\n  > b", "• a\n>   b"),
        ("> a\n\nb\n\n> c", "> a\n\nb\n\n> c"),
    ]);
}

#[test]
fn code_blocks_stay_verbatim_without_a_language() {
    assert_all(&[
        (
            "```rust\nlet a = \"<b>\" && *c*;\n\n  x\n```",
            "```\nlet a = \"&lt;b&gt;\" &amp;&amp; *c*;\n\n  x\n```",
        ),
        ("Text:\n```\na\n```\nmore", "Text:\n```\na\n```\nmore"),
        ("    indented\n      more", "```\nindented\n  more\n```"),
        ("~~~\n```\n~~~", "```\n``¦`\n```"),
        ("- a\n  ```\n  b\n  ```\n- c", "• a\n```\nb\n```\n• c"),
        (
            "```\n**「a」**です <!b>\n```",
            "```\n**「a」**です &lt;!b&gt;\n```",
        ),
        ("```\n```\nx", "x"),
        ("```\nnever closed", "```\nnever closed\n```"),
    ]);
}

#[test]
fn links_and_images_become_slacks() {
    assert_all(&[
        (
            "[label](https://a.example/b)",
            "label (<https://a.example/b>)",
        ),
        (
            "[l](https://a.example/?x=1&y=2)",
            "l (<https://a.example/?x=1&amp;y=2>)",
        ),
        (
            "[a|b>c](https://a.example)",
            "a｜b&gt;c (<https://a.example>)",
        ),
        (
            "[**a** `b`](https://a.example)",
            "a b (<https://a.example>)",
        ),
        ("[](https://a.example)", "<https://a.example>"),
        (
            "[https://a.example](https://a.example)",
            "<https://a.example>",
        ),
        ("<https://a.example>", "<https://a.example>"),
        ("<a@b.example>", "<mailto:a@b.example|a@b.example>"),
        (
            "[x](<https://a.example/b c|d>)",
            "x (<https://a.example/b%20c%7Cd>)",
        ),
        (
            "![plan](https://a.example/p.png)",
            "plan (<https://a.example/p.png>)",
        ),
        (
            "[![i](https://a.example/i)](https://a.example)",
            "i (<https://a.example>)",
        ),
        (
            "[run](javascript:alert(1)) [f](file:///etc) [d](docs/a.md)",
            "run f d",
        ),
        (
            "see https://a.example/x_y_z.",
            "see <https://a.example/x_y_z>.",
        ),
        ("(https://a.example/w_(x))", "(<https://a.example/w_(x)>)"),
        ("https://a.example/@akari", "<https://a.example/@akari>"),
        ("[r]\n\n[r]: https://a.example", "r (<https://a.example>)"),
        ("xhttps://a.example http://", "xhttps://a.example http://"),
    ]);
}

#[test]
fn an_address_that_is_too_long_is_text() {
    let url = format!("https://a.example/{}", "x".repeat(1_500));
    assert_all(&[
        (&url, &url),
        (&format!("[label]({url})"), "label"),
        (&format!("<{url}>"), &url),
    ]);
    // The time is linear in the length, however an address is written.
    let hostile = "http://".repeat(30_000) + &"(*".repeat(30_000) + &")".repeat(30_000);
    assert!(shown(&hostile).len() > hostile.len());
}

#[test]
fn tables_become_rows_of_text() {
    assert_all(&[
        (
            "| A | **B** |\n|---|:-:|\n| 1 | `x` |\n| | [l](https://a.example) |",
            "*A — B*\n• 1 — `x`\n• – — l (<https://a.example>)",
        ),
        ("| | |\n|-|-|\n| a<br>b | c |", "• a b — c"),
    ]);
}

#[test]
fn html_is_text_and_characters_are_escaped_once() {
    assert_all(&[
        ("<b>x</b> & y", "&lt;b&gt;x&lt;/b&gt; &amp; y"),
        ("<div>\n*x*\n</div>", "&lt;div&gt;\n*¦x*\n&lt;/div&gt;"),
        ("&amp; &lt; &copy; &amp;amp;", "&amp; &lt; © &amp;amp;"),
        ("1 < 2 > 0", "1 &lt; 2 &gt; 0"),
        ("a\n\n---\n\nb", "a\n\n———\n\nb"),
    ]);
}

#[test]
fn marks_that_are_meant_as_they_stand_do_not_format() {
    assert_all(&[
        (r"\*not bold\*", "*¦not bold*"),
        ("*.rs", "*.rs"),
        ("snake_case_name, 2 * 3 * 4", "snake_case_name, 2 * 3 * 4"),
        (r"\~a\~ \_b\_", "~¦a~ _¦b_"),
    ]);
}

#[test]
fn slacks_own_writing_comes_out_sensibly() {
    assert_all(&[
        ("*bold*", "_bold_"),
        ("<https://a.example|label>", "label (<https://a.example>)"),
        (
            "<https://a.example|a label>",
            "a label (<https://a.example>)",
        ),
        ("<mailto:a@b.example|mail>", "mail (<mailto:a@b.example>)"),
        ("• a\n• b", "• a\n• b"),
        ("<javascript:x|y>", "y"),
        ("<!date^1772465400^{date}|2 March>", "2 March"),
    ]);
}

#[test]
fn empty_lines_are_the_authors_and_one_at_most() {
    assert_all(&[
        ("a\n\n\n\nb", "a\n\nb"),
        ("# A\n- b\n\n\n# C", "*A*\n• b\n\n*C*"),
        ("", ""),
        (" \n\n", ""),
    ]);
}
