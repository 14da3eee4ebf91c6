#![allow(clippy::unwrap_used, clippy::panic)]

use super::*;
use crate::markdown::to_mrkdwn;

/// The smallest limit, so that the texts are short.
const LIMIT: usize = 64;

fn filled(unit: &str, chars: usize) -> String {
    unit.chars().cycle().take(chars).collect()
}

/// A text without white space and fences, which a split may add or remove.
fn said(text: &str) -> String {
    text.replace(FENCE, "")
        .chars()
        .filter(|c| !c.is_whitespace())
        .collect()
}

#[test]
fn a_text_that_fits_is_one_part() {
    assert_eq!(split("a *b*\n\nc", LIMIT), ["a *b*\n\nc"]);
    let full = filled("あ", MAX_POST_CHARS);
    assert_eq!(split(&full, MAX_POST_CHARS), [full.as_str()]);
    assert_eq!(split(" \n", LIMIT), [""; 0]);
}

#[test]
fn a_limit_counts_characters_not_bytes() {
    let parts = split(&filled("あ", MAX_POST_CHARS + 1), MAX_POST_CHARS);
    let lengths: Vec<_> = parts.iter().map(|part| part.chars().count()).collect();
    assert_eq!(lengths, [MAX_POST_CHARS, 1]);
}

#[test]
fn paragraphs_come_before_lines_sentences_and_words() {
    let (a, b, c) = (filled("a", 20), filled("b", 20), filled("c", 40));
    for between in ["\n\n", "\n", ". ", " ", "。", "、"] {
        // Worse places after it are not used, though they would fill the part better.
        let text = format!("{a}{between}{b}{c}");
        let first = split(&text, LIMIT).first().unwrap().clone();
        assert_eq!(first, format!("{a}{between}").trim_end(), "{between:?}");
    }
    let text = format!("{a}\n\n{b}\n{}. b, {c}", filled("d", 10));
    assert_eq!(split(&text, LIMIT).first(), Some(&a));
    let text = format!("{a}\n{b} b. b {c}");
    assert_eq!(split(&text, LIMIT).first(), Some(&a));
    let text = format!("{a}。{b} {c}");
    assert_eq!(split(&text, LIMIT).first(), Some(&format!("{a}。")));
}

#[test]
fn a_short_first_paragraph_is_no_post_of_its_own() {
    let text = format!("短い。\n\n{}", filled("あいう。", 100));
    let parts = split(&text, LIMIT);
    assert!(
        parts.first().unwrap().chars().count() > LIMIT / 2,
        "{parts:?}"
    );
}

#[test]
fn sentences_end_after_their_brackets() {
    let text = format!("「{}。」{}", filled("あ", 30), filled("い", 40));
    assert_eq!(
        split(&text, LIMIT),
        [format!("「{}。」", filled("あ", 30)), filled("い", 40)]
    );
    // A full stop within a word does not end a sentence.
    let text = format!(
        "{} {}1.5{}",
        filled("a", 20),
        filled("a", 20),
        filled("b", 40)
    );
    assert_eq!(split(&text, LIMIT).first(), Some(&filled("a", 20)));
}

#[test]
fn items_stay_whole_where_they_can() {
    let item = |mark: &str| format!("{mark} {} and more", filled("a", 12));
    let list = format!(
        "{}\n    {}\n{}\n    {}",
        item("•"),
        item("•"),
        item("•"),
        item("1.")
    );
    let parts = split(&list, 100);
    assert_eq!(
        parts,
        [
            format!("{}\n    {}", item("•"), item("•")),
            format!("{}\n    {}", item("•"), item("1.")),
        ]
    );
    let hanging = format!("• one\n  {}\n• two\n  {}", filled("b", 20), filled("c", 40));
    assert!(
        split(&hanging, LIMIT)
            .last()
            .unwrap()
            .starts_with("• two\n")
    );
    let nested = format!(
        "• {}\n    • {}\n      {}",
        filled("a", 20),
        filled("b", 20),
        filled("c", 20)
    );
    assert_eq!(
        split(&nested, LIMIT).last().unwrap(),
        &format!("    • {}\n      {}", filled("b", 20), filled("c", 20)),
    );
}

#[test]
fn code_that_is_cut_is_closed_and_opened_again() {
    let text = format!(
        "Text:\n```\n{}\n```\nafter",
        ["    let a = 1;"; 8].join("\n")
    );
    let parts = split(&text, LIMIT);
    assert!(parts.len() > 2, "{parts:?}");
    for part in &parts {
        assert_eq!(part.matches(FENCE).count() % 2, 0, "{part:?}");
        assert!(!part.contains("```\n```"), "{part:?}");
    }
    assert!(
        parts.get(1).unwrap().starts_with("```\n    let a"),
        "{parts:?}"
    );
    assert_eq!(said(&parts.concat()), said(&text));
}

#[test]
fn code_that_was_never_closed_is() {
    assert_eq!(split("```\na", LIMIT), ["```\na\n```"]);
}

#[test]
fn entities_escapes_and_code_in_a_line_are_not_cut() {
    for whole in [
        "<https://a.example/b|a label>",
        "<@U12345678>",
        "&amp;",
        "&lt;",
        "`a code`",
        "👩‍👩‍👧",
        "🇯🇵",
        "が",
        "👍🏽",
    ] {
        for lead in 50..70 {
            let text = format!("{}{whole}{}", filled("あ", lead), filled("い", 30));
            let parts = split(&text, LIMIT);
            assert!(
                parts.iter().any(|part| part.contains(whole)),
                "{whole} in {parts:?}"
            );
        }
    }
}

#[test]
fn formatting_is_not_cut_where_it_need_not_be() {
    let text = format!(
        "{} *bold words. here* and {}",
        filled("a", 40),
        filled("b", 30)
    );
    assert_eq!(
        split(&text, LIMIT).first().unwrap(),
        &format!("{} *bold words. here* and", filled("a", 40))
    );
    let text = format!(
        "{} *bold words. that go on* {}",
        filled("a", 40),
        filled("b", 30)
    );
    assert_eq!(split(&text, LIMIT).first().unwrap(), &filled("a", 40));
}

#[test]
fn what_is_too_long_to_stay_whole_is_cut_like_text() {
    let text = format!("<https://a.example/{}>", filled("x", 300));
    let parts = split(&text, LIMIT);
    assert_eq!(parts.concat(), text);
}

#[test]
fn nothing_is_lost_empty_or_too_long() {
    let scraps = [
        "あいう",
        "word ",
        "。",
        "、",
        ". ",
        "\n",
        "\n\n",
        "```",
        "```\n",
        "`",
        "*",
        "_",
        "• item\n",
        "    • deep\n",
        "1. one\n",
        "<https://a.example/b|label>",
        "<@U1>",
        "&amp;",
        "&lt;",
        "<",
        ">",
        "|",
        "     ",
        "👩‍👩‍👧",
        "🇯🇵",
        "\u{301}",
        "\u{200b}",
        "> quote\n",
        "a_very_long_word_without_any_end_to_it_that_goes_on_and_on",
        "\r\n",
        "」",
        "\t",
    ];
    let mut random = fastrand::Rng::with_seed(8);
    for _ in 0..5_000 {
        let length = random.usize(1..60);
        let text: String = (0..length).filter_map(|_| random.choice(scraps)).collect();
        let limit = random.usize(LIMIT..160);
        let parts = split(&text, limit);
        for part in &parts {
            assert!(
                part.chars().count() <= limit,
                "{limit}: {part:?} of {text:?}"
            );
            assert!(!part.trim().is_empty(), "of {text:?}");
        }
        assert_eq!(
            said(&parts.concat()),
            said(&text),
            "{text:?} became {parts:?}"
        );
    }
}

#[test]
fn the_parts_of_what_models_write_are_whole() {
    let section = "## 見出し\nこれは**「重要」**です。[手順](https://a.example/?a=1&b=2)を見て。\n\n- 一つ目 <@U1> & `code`\n  - 二つ目\n\n```rust\nlet x = 1 < 2;\n```\n\n";
    let mrkdwn = to_mrkdwn(&section.repeat(60), &[]);
    let parts = split(&mrkdwn, 500);
    assert!(parts.len() > 5);
    for part in &parts {
        assert!(part.starts_with(['*', '•', '`', 'こ']), "{part:?}");
        assert_eq!(
            part.matches('<').count(),
            part.matches('>').count(),
            "{part:?}"
        );
        assert_eq!(part.matches(FENCE).count() % 2, 0, "{part:?}");
        assert!(
            part.chars().count() > 200 || Some(part) == parts.last(),
            "{part:?}"
        );
    }
}
