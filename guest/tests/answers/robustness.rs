//! Any answer of a model gets a verdict.

use std::cell::Cell;

use myao_memory::answer::{Expectation, ReplyExpectation, Sources, judge, judge_reply};
use myao_memory::prompt::harmless;
use myao_memory::text::language::{Language, languages_of};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % u64::try_from(end).unwrap()).unwrap()
    }
}

/// Text that some rule of the judgement looks for.
const MARKS: &[&str] = &[
    "\n",
    "\r\n",
    "\u{2028}",
    "\n\n",
    "```",
    "~~~\n",
    "<think>",
    "</think>",
    "- ",
    "  - ",
    "・",
    "1. ",
    "１．",
    "①",
    "## ",
    "**",
    "---\n",
    "| ",
    "：",
    ": ",
    "。",
    ". ",
    "`",
    "://",
    "申し訳ありませんが",
    "できません",
    "I'm sorry, ",
    "I can't ",
    "要約",
    "ください",
    "Here is the summary:",
    "Let me know",
    "以下は要約です：",
    "なし",
    "2024-03-01",
    "120万円",
    "**2024-03-01 10:00:00** bob:",
    "箇条書きで書いてください。",
    "們",
    "한국어",
    "русский",
    "\u{301}",
    "\u{202e}",
    "\0",
    "👩‍👩‍👧",
    "İ",
    "ẞ",
    "ﬃ",
    "①",
];

fn noise(random: &mut Random, most: usize) -> String {
    let mut text = String::new();
    for _ in 0..random.below(most) {
        if random.below(3) > 0 {
            text.push_str(MARKS[random.below(MARKS.len())]);
        } else {
            let ceiling = [0x80, 0x800, 0x1_0000, 0x11_0000][random.below(4)];
            text.extend(
                u32::try_from(random.below(ceiling))
                    .ok()
                    .and_then(char::from_u32),
            );
        }
    }
    text
}

fn count_tokens(texts: &[String]) -> Vec<u32> {
    texts
        .iter()
        .map(|text| u32::try_from(text.chars().count()).unwrap())
        .collect()
}

#[test]
fn anything_that_unicode_has_is_judged() {
    let mut random = Random(11);
    let mut accepted = 0;
    for round in 0..3_000 {
        let answer = noise(&mut random, 40);
        let texts: Vec<String> = (0..random.below(4))
            .map(|_| noise(&mut random, 20))
            .collect();
        let new: Vec<&str> = texts.iter().map(String::as_str).collect();
        let existing = noise(&mut random, 20);
        let prompt = format!(
            "{existing}\n{}\n---\n{}",
            texts.join("\n"),
            noise(&mut random, 10)
        );
        let sources = if random.below(2) == 0 {
            Sources::Messages(&new)
        } else {
            Sources::Memories {
                existing: Some(&existing),
                new: &new,
            }
        };
        let expectation = Expectation {
            prompt: &prompt,
            sources,
            languages: [
                &[][..],
                &[Language::Japanese],
                &[Language::Korean, Language::English],
            ][random.below(3)],
            max_tokens: [0, 10, 500, u32::MAX][random.below(4)],
            cut_off: random.below(2) == 0,
            counted: None,
        };
        let calls = Cell::new(0);
        let count = |texts: &[String]| {
            calls.set(calls.get() + 1);
            count_tokens(texts)
        };
        if let Ok(judged) = judge(&answer, &expectation, &count) {
            accepted += 1;
            assert_eq!(judged.text, judged.text.trim(), "{round}: {answer:?}");
            assert!(
                judged.text.chars().any(char::is_alphanumeric),
                "{round}: {answer:?}"
            );
            assert!(
                !judged
                    .text
                    .contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t')),
                "{round}"
            );
            assert_eq!(judged.truncated, expectation.cut_off);
        }
        assert!(calls.get() <= 1, "{round}");
    }
    assert!(
        (500..2_500).contains(&accepted),
        "{accepted}: the noise reaches every rule"
    );
}

#[test]
fn counter_that_answers_nothing_refuses_nothing() {
    let sources = Sources::Memories {
        existing: Some("- a 120万円\n- b"),
        new: &["- c"],
    };
    let expectation = Expectation {
        prompt: "",
        sources,
        languages: &[],
        max_tokens: 0,
        cut_off: false,
        counted: None,
    };
    assert!(judge("- 予算", &expectation, &|_| Vec::new()).is_ok());
}

/// The repeated part of an endless answer.
const PIECES: [&str; 44] = [
    "a",
    " ",
    "\n",
    "- ",
    "-",
    "#",
    "# \n",
    "## a\n",
    "**",
    "**a**\n",
    "`",
    "```\n",
    "- a\n",
    "\n- ",
    "予算",
    "予算\n",
    "- 予算は120万円。\n",
    "1. ",
    "<think>",
    "</think>",
    "> ",
    ">",
    "> > - ",
    "---\n",
    "- a:\n",
    "Sure. ",
    "できません。",
    "a. ",
    "| a ",
    "/",
    "1,",
    "abcdefghijklmnopqrstuvwxyz0123456789",
    "「",
    "「a」",
    "[",
    "[]",
    "({[",
    "\"'",
    "{\"a\":",
    "\\",
    "\r",
    "ab\nab ab. ",
    "\u{200b}",
    "**2024-03-01 10:00:00** bob:\n",
];

/// The longest answer that the program accepts.
const LONGEST: usize = 1 << 20;

/// Endless answers: one piece repeated, and pieces that are all different.
fn endless_answers() -> impl Iterator<Item = String> {
    let repeated = PIECES
        .iter()
        .map(|piece| piece.repeat(LONGEST / piece.len()));
    let listed = [
        "## N\n",
        "- 予算Nは N 万円。\n",
        "N. ",
        "{\"N\":",
        "- aN bN cN\n",
    ]
    .map(|item| {
        let items = (0..LONGEST / 32).map(|number| item.replace('N', &number.to_string()));
        items.collect()
    });
    repeated.chain(listed)
}

/// A rule with quadratic time would take hours.
#[test]
fn endless_answers_are_judged_in_time_whatever_they_repeat() {
    let source = "- 予算は120万円\n- 公開は3月22日";
    for (number, text) in endless_answers().enumerate() {
        let beginning: String = text.chars().take(20).collect();
        let sources = if number % 2 == 0 {
            Sources::Messages(&[source])
        } else {
            Sources::Memories {
                existing: Some(source),
                new: &[source],
            }
        };
        let languages = languages_of([text.as_str()]);
        let prompt =
            format!("# 要約\n{source}\n---\n要約は箇条書きで、簡潔かつ具体的に記述してください。");
        let start = std::time::Instant::now();
        for cut_off in [false, true] {
            let expectation = Expectation {
                prompt: &prompt,
                sources,
                languages: &languages,
                max_tokens: 500,
                cut_off,
                counted: None,
            };
            let _ = judge(&text, &expectation, &|texts| vec![1; texts.len()]);
            let expectation = ReplyExpectation {
                prompt: &prompt,
                texts: &[source],
                answered: "公開はいつ？",
                name: "みゃお",
                cut_off,
            };
            let _ = judge_reply(&text, &expectation);
        }
        let restored = harmless::restore(&harmless::text(&text)) == text;
        assert!(restored, "{beginning}");
        let time = start.elapsed();
        assert!(time.as_secs() < 60, "{beginning:?} takes {time:?}");
    }
}

/// With a rule that takes quadratic time, this test would run for minutes.
#[test]
fn long_answers_are_judged_whatever_they_repeat() {
    let pieces = [
        "a",
        " ",
        "\n",
        "- ",
        "-",
        "#",
        "**",
        "`",
        "```\n",
        "- a\n",
        "\n- ",
        "予算",
        "予算\n",
        "- 予算は120万円。\n",
        "1. ",
        "<think>",
        "</think>",
        "> ",
        "---\n",
        "- a:\n",
        "Sure. ",
        "できません。",
        "a. ",
        "| a ",
        "/",
        "1,",
        "abcdefghijklmnopqrstuvwxyz0123456789",
    ];
    for (number, piece) in pieces.iter().enumerate() {
        let text = piece.repeat(48_000 / piece.len());
        let other = format!("{text}x");
        let sources = if number % 2 == 0 {
            Sources::Messages(&[&other])
        } else {
            Sources::Memories {
                existing: Some(&other),
                new: &[&other],
            }
        };
        let languages = languages_of([text.as_str()]);
        let prompt = format!("{other}\n---\n{other}");
        let expectation = Expectation {
            prompt: &prompt,
            sources,
            languages: &languages,
            max_tokens: 500,
            cut_off: number % 4 < 2,
            counted: None,
        };
        if let Ok(accepted) = judge(&text, &expectation, &|texts| vec![1; texts.len()]) {
            assert!(
                accepted.text.chars().any(char::is_alphanumeric),
                "{piece:?}"
            );
        }
    }
}
