#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::time::Instant;

use proptest::prelude::*;

use super::features::WINDOW;
use super::*;

fn reference(at: usize) -> MessageRef {
    MessageRef {
        channel_id: "C1".to_owned(),
        ts: format!("1709287200.{at:06}"),
    }
}

fn source<'a>(at: usize, author: &'a str, text: &'a str) -> Source<'a> {
    Source {
        text,
        author: Some(author),
        time: Some(Timestamp {
            unix_seconds: 1_709_287_200,
            utc_offset_seconds: 0,
        }),
        messages: vec![reference(at)],
        is_own: false,
    }
}

/// The messages that each line cites, by number.
fn cited(text: &str, sources: &[Source<'_>]) -> Vec<Vec<usize>> {
    let number = |m: &MessageRef| m.ts.split_once('.').unwrap().1.parse().unwrap();
    cite(text, sources)
        .iter()
        .map(|line| line.messages.iter().map(number).collect())
        .collect()
}

/// What a line cites of messages by alice.
fn of(line: &str, said: &[&str]) -> Vec<usize> {
    let said: Vec<&str> = said.iter().copied().chain(FILLER.iter().copied()).collect();
    let sources: Vec<_> = said
        .iter()
        .enumerate()
        .map(|(at, text)| source(at, "alice", text))
        .collect();
    let all = cited(line, &sources);
    assert_eq!(all.len(), 1, "{line}");
    all[0].clone()
}

/// Messages about other things.
const FILLER: &[&str] = &[
    "昼ごはんはカレーにします",
    "電車が混んでいて大変でした",
    "The coffee machine is broken again",
    "Morning everyone, nice weather outside",
];

/// Messages of the conversations in `tests/fixtures`, with their authors.
fn conversation(file: &str) -> Vec<(String, String)> {
    let lines = file
        .lines()
        .filter(|l| l.starts_with(|c: char| c.is_ascii_digit()));
    lines
        .filter_map(|line| {
            let (head, text) = line.split_once(": ")?;
            let author = head.rsplit(' ').next()?;
            Some((author.to_owned(), text.to_owned()))
        })
        .collect()
}

const ENGLISH: &str = include_str!("../../tests/fixtures/conversations/english.txt");
const JAPANESE: &str = include_str!("../../tests/fixtures/conversations/japanese.txt");
const MIXED: &str = include_str!("../../tests/fixtures/conversations/mixed.txt");

fn sources_of(messages: &[(String, String)]) -> Vec<Source<'_>> {
    messages
        .iter()
        .enumerate()
        .map(|(at, (author, text))| source(at, author, text))
        .collect()
}

#[test]
fn a_line_copied_from_a_message_cites_it_and_nothing_else() {
    for said in [
        "The root cause is a missing index on events.account_id",
        "公開日は3月22日に決まりました。",
        "よろしくおねがいいたします",
    ] {
        for line in [
            said.to_owned(),
            format!("- 2024-03-01 alice: {said}"),
            format!("**{said}**"),
        ] {
            assert_eq!(of(&line, &["nothing here", said]), [1], "{line}");
        }
    }
}

#[test]
fn a_paraphrase_with_the_same_value_cites_the_message() {
    for (line, said) in [
        ("They agreed on $1,200.", "ok 1200 dollars then"),
        ("予算は三つの案のうち３００万円", "300万円でいきます"),
        ("The budget is 3 million yen", "300万円でいきます"),
        ("The release is on March 5th", "3月5日でお願いします"),
        ("- 公開は2026-03-05の予定", "3/5に出します"),
        ("開始は25日", "starting the 25th"),
        ("打ち合わせは午後3時から", "15:00に会議室で"),
        ("See INC-204", "inc-204 is fixed"),
        ("Call 09012345678", "my number: +81 90-1234-5678"),
        (
            "The page is example.com/a/b2",
            "https://www.example.com/a/b2/ を見て",
        ),
        ("Mail to bob@corp.example", "bob@corp.example is right"),
        ("Version v1.2.3 went out", "v1.2.3を出した"),
    ] {
        assert!(
            of(line, &["nothing here", said]).contains(&1),
            "{line}: {said}"
        );
    }
}

#[test]
fn a_paraphrase_with_the_same_rare_word_cites_the_message() {
    for (line, said) in [
        (
            "The code name is swordfish.",
            "it's Swordfish, keep it quiet",
        ),
        ("ファルコン計画の話が出た", "プロジェクトファルコンの件です"),
        ("合言葉が共有された", "合言葉を決めました"),
        ("呼び名はたんぽぽになった", "たんぽぽって呼ぼう"),
        ("Several swordfishes", "swordfish"),
        ("A falcon", "fal\u{200b}con"),
        ("비밀번호를 정했다", "비밀번호는 나중에"),
    ] {
        assert!(
            of(line, &["nothing here", said]).contains(&1),
            "{line}: {said}"
        );
    }
}

#[test]
fn lines_about_other_things_do_not_cite_a_message() {
    let said = [
        "予算は300万円に決まりました",
        "The login page is slow since Monday",
    ];
    for line in [
        "- 2024-03-01 alice: 来週の旅行は京都です",
        "- 2024-03-01 alice: We hired two designers",
        "新しい椅子が届いた",
        "- 2024-03-01",
        "(Excerpts; made without an LLM)",
        "…",
        "🎉🎉",
    ] {
        assert_eq!(of(line, &said), [0; 0], "{line}");
    }
}

#[test]
fn a_name_and_a_day_do_not_cite_what_the_author_wrote() {
    let sources = [
        source(0, "alice", "The cat is asleep"),
        source(1, "alice", "Deploy is done"),
        source(2, "bob", "thanks alice"),
        source(3, "bob", "the deploy log is long"),
    ];
    assert_eq!(
        cited("- 2024-03-01 alice: Deploy is done", &sources),
        [[1, 3]]
    );
    assert_eq!(cited("- 2024-03-01 bob: Cat", &sources), [[0]]);
    let lines = ["- 2024-03-01 alice: The cat", "- 2024-03-01 alice: Deploys"];
    let of_memory: Vec<_> = lines
        .iter()
        .enumerate()
        .map(|(at, text)| Source {
            author: None,
            time: None,
            ..source(at, "", text)
        })
        .collect();
    assert_eq!(cited("- 2024-03-01 alice: cat and dog", &of_memory), [[0]]);
}

#[test]
fn a_word_of_many_messages_goes_with_the_last_of_them() {
    let texts: Vec<String> = (0..200)
        .map(|at| {
            if at % 4 == 0 {
                format!("the swordfish item{at}")
            } else {
                format!("other matter{at}")
            }
        })
        .collect();
    let mut sources: Vec<_> = texts
        .iter()
        .enumerate()
        .map(|(at, t)| source(at, "a", t))
        .collect();
    while let Some(found) = cited("Swordfish is the plan", &sources)
        .pop()
        .filter(|f| !f.is_empty())
    {
        assert!(found.len() <= 10, "{found:?}");
        sources.retain(|s| !found.iter().any(|at| s.messages[0] == reference(*at)));
    }
    assert!(sources.iter().all(|s| !s.text.contains("swordfish")));
    assert_eq!(sources.len(), 150);
}

#[test]
fn lines_of_a_memory_pass_on_their_messages_sorted_and_once() {
    let mut of_memory = Source {
        author: None,
        time: None,
        ..source(0, "", "- 2024-03-01 alice: swordfish")
    };
    of_memory.messages = vec![reference(9), reference(2), reference(9)];
    let mut other = source(2, "bob", "swordfish again");
    other.messages.push(MessageRef {
        channel_id: "B".to_owned(),
        ts: "10.000000".to_owned(),
    });
    let found = cite("Swordfish", &[of_memory, other]);
    let ids: Vec<_> = found[0]
        .messages
        .iter()
        .map(|m| (m.channel_id.as_str(), m.ts.as_str()))
        .collect();
    assert_eq!(
        ids,
        [
            ("B", "10.000000"),
            ("C1", "1709287200.000002"),
            ("C1", "1709287200.000009")
        ]
    );
}

#[test]
fn nothing_is_cited_if_nothing_is_found() {
    assert_eq!(cite("", &[source(0, "a", "b")]), []);
    assert_eq!(cited("A line. Another one.", &[]), [[0; 0], [0; 0]]);
    assert_eq!(cited("A line", &[source(0, "alice", "")]), [[0; 0]]);
    let no_messages = Source {
        messages: Vec::new(),
        ..source(0, "alice", "A line")
    };
    assert_eq!(cited("A line", &[no_messages]), [[0; 0]]);
}

#[test]
fn lines_are_bullets_and_sentences() {
    let text = "# 要約\n一つ目です。二つ目です。 Third one. v1.2 is out!\n\n\
                - a. b. c\n  and more\n\tmore\n  - child\n・予算\n① 円\n１．一\n2) two\nnot indented\n\n- last\n\n  apart\u{2028}end";
    let all: Vec<&str> = lines(text).into_iter().map(|range| &text[range]).collect();
    let expected = [
        "# 要約",
        "一つ目です。",
        "二つ目です。",
        "Third one.",
        "v1.2 is out!",
        "- a. b. c\n  and more\n\tmore",
        "- child",
        "・予算",
        "① 円",
        "１．一",
        "2) two",
        "not indented",
        "- last",
        "apart",
        "end",
    ];
    assert_eq!(all, expected);
}

#[test]
fn a_line_of_the_example_conversations_cites_few_messages() {
    for file in [
        ENGLISH,
        JAPANESE,
        MIXED,
        &[ENGLISH, JAPANESE, MIXED].concat(),
    ] {
        let messages = conversation(file);
        let sources = sources_of(&messages);
        let (mut count, mut sum) = (0, 0);
        for (at, (author, text)) in messages
            .iter()
            .enumerate()
            .filter(|(_, m)| m.1.chars().count() > 15)
        {
            let found = cited(&format!("- 2024-03-01 {author}: {text}"), &sources);
            assert!(found.iter().all(|f| f.contains(&at)), "{text}");
            count += 1;
            sum += found.iter().map(Vec::len).sum::<usize>();
        }
        let mean = f64::from(sum as u32) / f64::from(count);
        assert!(
            mean < 0.05 * messages.len() as f64,
            "{mean} of {}",
            messages.len()
        );
    }
}

#[test]
#[ignore = "measures the time"]
fn a_thousand_messages_are_searched_in_milliseconds() {
    let messages = conversation(&[ENGLISH, JAPANESE].concat());
    let text_of = |at: usize| -> String {
        let said = messages.iter().cycle().skip(at * 7).take(40);
        let said: Vec<&str> = said.map(|(_, said)| said.as_str()).collect();
        format!("x{at} {}", said.join(" "))
            .chars()
            .take(200)
            .collect()
    };
    let texts: Vec<String> = (0..1000).map(text_of).collect();
    let sources: Vec<_> = texts
        .iter()
        .enumerate()
        .map(|(at, text)| source(at, "alice", text))
        .collect();
    let lines = texts.iter().step_by(50);
    let text: String = lines
        .map(|text| format!("- {}\n", text.chars().take(80).collect::<String>()))
        .collect();
    let measure = |_| {
        let start = Instant::now();
        assert_eq!(cite(&text, &sources).len(), 20);
        start.elapsed()
    };
    let best = (0..20).map(measure).min().unwrap();
    eprintln!("{best:?} for 1000 sources and 20 lines");
}

#[test]
fn huge_and_odd_input_is_cited_without_a_panic() {
    for odd in [
        "あ".repeat(100_000),
        "a".repeat(100_000),
        "1,".repeat(50_000),
        "1-".repeat(50_000),
        "3月".repeat(20_000),
        "1 (".repeat(20_000),
        "- \n".repeat(5_000),
        "a. ".repeat(20_000),
        "\u{200b}\u{202e}".repeat(10_000),
        "```\n|\n> -\n＃１．\n".repeat(2_000),
    ] {
        let sources = [source(0, &odd, &odd), source(1, "", "1")];
        assert_eq!(cite(&odd, &sources).len(), lines(&odd).len());
    }
}

fn message(words: &'static [&'static str], joint: &'static str) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(words), 4..14)
        .prop_map(move |words| words.join(joint))
}

const ENGLISH_WORDS: &[&str] = &[
    "the", "team", "moved", "a", "release", "to", "Friday", "because", "login", "is", "slow",
    "again", "and", "I", "we", "need", "12", "more", "servers", "in", "Osaka,", "ask", "Tom",
    "about", "it.", "budget", "$300", "v1.2",
];
const JAPANESE_WORDS: &[&str] = &[
    "予算",
    "は",
    "を",
    "に",
    "来週",
    "まで",
    "決めました。",
    "リリース",
    "サーバー",
    "が",
    "遅い",
    "ので",
    "調べて",
    "ください",
    "よろしく",
    "おねがいします",
    "田中さん",
    "12",
    "台",
    "、",
    "です",
    "大阪",
    "も",
    "たぶん",
    "あした",
];

fn letters(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphanumeric()).count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_fragment_of_a_message_always_cites_it(
        said in prop::collection::vec(
            prop_oneof![message(ENGLISH_WORDS, " "), message(JAPANESE_WORDS, "")], 1..40),
        picks in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..60, 6_usize..30), 1..8),
        prefix in prop::sample::select(vec!["", "- ", "- 2024-03-01 ", "- 2024-03-01 alice: ", "- #general alice: "]),
    ) {
        let sources: Vec<_> = said.iter().enumerate().map(|(at, t)| source(at, "alice", t)).collect();
        for (which, start, length) in picks {
            let at = which.index(said.len());
            let count = said[at].chars().count();
            let start = start.min(count.saturating_sub(length));
            let fragment: String = said[at].chars().skip(start).take(length).collect();
            if letters(&fragment) < WINDOW || fragment.chars().count() < 6 {
                continue;
            }
            let text = format!("{prefix}{fragment}");
            for (range, found) in lines(&text).into_iter().zip(cited(&text, &sources)) {
                let said_enough = letters(&text[range.clone()]) >= WINDOW || !prefix.is_empty();
                prop_assert!(!said_enough || found.contains(&at), "{text:?} {range:?} of {:?}", said[at]);
            }
        }
    }

    #[test]
    fn a_secret_word_cites_the_message_that_said_it(
        said in prop::collection::vec(
            prop_oneof![message(ENGLISH_WORDS, " "), message(JAPANESE_WORDS, "")], 1..40),
        which in any::<prop::sample::Index>(),
        secret in prop::sample::select(vec![
            "swordfish", "Xq7Lk2", "漆黒計画", "ファルコン", "ひまわり", "hunter2", "4711", "секрет"]),
        around in prop_oneof![message(ENGLISH_WORDS, " "), message(JAPANESE_WORDS, "")],
    ) {
        let at = which.index(said.len());
        let mut said = said;
        said[at] = format!("{} {secret} {}", said[at], "です");
        let sources: Vec<_> = said.iter().enumerate().map(|(at, t)| source(at, "alice", t)).collect();
        let text = format!("- {around}「{secret}」だという");
        prop_assert!(cited(&text, &sources)[0].contains(&at), "{text:?} {:?}", said[at]);
    }

    #[test]
    fn lines_cover_everything_and_do_not_overlap(
        text in "([-*+・#>|①1１ .)。！a予か\t\n\r\u{2028}\u{3000}]|\\PC){0,60}",
    ) {
        let ranges = lines(&text);
        let mut end = 0;
        for range in &ranges {
            prop_assert!(end <= range.start && range.start < range.end && range.end <= text.len());
            prop_assert!(text.is_char_boundary(range.start) && text.is_char_boundary(range.end));
            prop_assert!(text[end..range.start].trim().is_empty());
            end = range.end;
        }
        prop_assert!(text[end..].trim().is_empty());
    }

    #[test]
    fn any_input_is_cited_without_a_panic(
        text in "\\PC{0,80}", said in prop::collection::vec("\\PC{0,40}|[0-9/:月日時,. -]{0,20}", 0..5),
        seconds in any::<i64>(),
    ) {
        let mut sources: Vec<_> = said.iter().enumerate().map(|(at, t)| source(at, t, t)).collect();
        for source in &mut sources {
            source.time = Some(Timestamp { unix_seconds: seconds, utc_offset_seconds: -1 });
            source.author = source.author.filter(|_| seconds % 2 == 0);
        }
        let found = cite(&text, &sources);
        prop_assert_eq!(&found, &cite(&text, &sources));
        prop_assert_eq!(found.into_iter().map(|c| c.range).collect::<Vec<_>>(), lines(&text));
        for line in &said {
            prop_assert_eq!(cite(line, &sources).len(), lines(line).len());
        }
    }
}

#[test]
fn the_bots_own_post_is_cited_only_for_what_nobody_else_said() {
    let own = Source {
        is_own: true,
        ..source(
            1,
            "myao",
            "The launch is on March 22, said alice about Swordfish",
        )
    };
    let said = source(0, "alice", "The launch is on March 22");
    assert_eq!(
        cited("- The launch is on March 22", &[said.clone(), own.clone()]),
        [[0]]
    );
    assert_eq!(cited("- The code name is swordfish", &[said, own]), [[1]]);
}

#[test]
fn a_merged_line_cites_those_of_its_messages_that_it_says_something_of() {
    let said = [
        "予算は300万円に決まりました",
        "会場は熱海です",
        "300万円の内訳を送ります",
        "We moved the offsite to June",
        "The invoice is over 4,500 dollars",
        "お昼はカレーでした",
    ];
    let sources = said.iter().enumerate();
    let sources: Vec<_> = sources
        .into_iter()
        .map(|(at, text)| source(at, "alice", text))
        .collect();
    let all: Vec<MessageRef> = (0..=said.len()).map(reference).collect();
    let narrowed = |line: &str| -> Vec<usize> {
        let of = narrowed(&[(line, &all)], &sources).remove(0);
        let number = |of: &MessageRef| all.iter().position(|other| other == of).unwrap();
        of.iter().map(number).collect()
    };
    // A citation of an unknown message stays: the last one is not among the messages.
    assert_eq!(
        narrowed("- 2024-03-01 alice: 予算は300万円に決まりました"),
        [0, 2, 6]
    );
    assert_eq!(narrowed("- The budget is 3 million yen"), [0, 2, 6]);
    // Words of another language are not compared.
    assert_eq!(narrowed("- 会場は熱海に決まった"), [0, 1, 3, 4, 6]);
    // Where nothing is shared, nothing is taken away.
    assert_eq!(narrowed("- すべて順調"), [0, 1, 2, 3, 4, 5, 6]);
}
