//! What questions ask about, on Friday, 6 March 2026.

use chrono::NaiveDate;

use super::{AskedTime, Days, read};

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap_or_else(|_| unreachable!("{text}"))
}

fn asked(question: &str) -> AskedTime {
    read(question, day("2026-03-06"))
}

fn likely(question: &str) -> Option<(String, String)> {
    let days = asked(question).likely;
    days.map(|Days { first, end }| (first.to_string(), end.to_string()))
}

fn bounds(question: &str) -> (String, String) {
    let asked = asked(question);
    let text = |day: Option<NaiveDate>| day.map(|day| day.to_string()).unwrap_or_default();
    (text(asked.widest.0), text(asked.widest.1))
}

fn assert_days(cases: &[(&str, &str, &str)]) {
    for (question, first, end) in cases {
        let expected = Some(((*first).to_owned(), (*end).to_owned()));
        assert_eq!(likely(question), expected, "{question}");
    }
}

fn assert_bounds(cases: &[(&str, &str, &str)]) {
    for (question, since, end) in cases {
        let expected = ((*since).to_owned(), (*end).to_owned());
        assert_eq!(bounds(question), expected, "{question}");
    }
}

#[test]
fn days_weeks_and_months_are_understood_in_english() {
    assert_days(&[
        ("What happened yesterday?", "2026-03-05", "2026-03-06"),
        ("the day before yesterday", "2026-03-04", "2026-03-05"),
        ("who was on call today", "2026-03-06", "2026-03-07"),
        ("what did we decide last week", "2026-02-23", "2026-03-02"),
        ("this week", "2026-03-02", "2026-03-09"),
        ("last month's budget", "2026-02-01", "2026-03-01"),
        ("What did Bob say on Tuesday?", "2026-03-03", "2026-03-04"),
        ("on Friday", "2026-03-06", "2026-03-07"),
        ("last Friday", "2026-02-27", "2026-02-28"),
        ("3 days ago", "2026-03-03", "2026-03-04"),
        ("two weeks ago", "2026-02-16", "2026-02-23"),
        ("the last 3 days", "2026-03-03", "2026-03-07"),
    ]);
}

#[test]
fn dates_are_the_newest_that_are_over() {
    assert_days(&[
        ("what was said on 26 December?", "2025-12-26", "2025-12-27"),
        ("on December 26th", "2025-12-26", "2025-12-27"),
        ("on the 3rd of March", "2026-03-03", "2026-03-04"),
        ("Mar 3, 2024", "2024-03-03", "2024-03-04"),
        ("on 2026-02-28", "2026-02-28", "2026-03-01"),
        ("on 2/28", "2026-02-28", "2026-03-01"),
        ("in January", "2026-01-01", "2026-02-01"),
        ("in June", "2025-06-01", "2025-07-01"),
        ("June 2024", "2024-06-01", "2024-07-01"),
        ("in 2024", "2024-01-01", "2025-01-01"),
        ("2月29日", "2024-02-29", "2024-03-01"),
    ]);
}

#[test]
fn date_without_a_year_may_be_ahead_if_it_comes_sooner_than_it_was() {
    for question in ["the deadline on 24 July", "7月24日の締切", "in June"] {
        assert!(asked(question).may_be_ahead, "{question}");
    }
    for question in [
        "on 26 December",
        "on 24 July 2025",
        "2025年7月24日",
        "on Friday",
        "3日前",
    ] {
        assert!(!asked(question).may_be_ahead, "{question}");
    }
    assert_eq!(asked("the price as of 1 July").end, None);
    assert_eq!(
        asked("the price as of 26 December").end,
        Some(day("2025-12-27"))
    );
}

#[test]
fn bounds_are_understood_in_english() {
    assert_bounds(&[
        ("What did I miss since Friday?", "2026-03-06", ""),
        ("since last Friday", "2026-02-27", ""),
        ("after 1 March", "2026-03-02", ""),
        ("before March 1", "", "2026-03-01"),
        ("until yesterday", "", "2026-03-06"),
        ("the budget as of 3 March", "", "2026-03-04"),
        ("from Monday to Wednesday", "2026-03-02", "2026-03-05"),
        ("between 1 March and 3 March", "2026-03-01", "2026-03-04"),
    ]);
}

#[test]
fn times_are_understood_in_japanese() {
    assert_days(&[
        ("昨日の障害", "2026-03-05", "2026-03-06"),
        ("おとといの件", "2026-03-04", "2026-03-05"),
        ("先週の火曜に何を決めた？", "2026-02-24", "2026-02-25"),
        ("先週の#general", "2026-02-23", "2026-03-02"),
        ("今週の月曜日", "2026-03-02", "2026-03-03"),
        ("水曜の会議", "2026-03-04", "2026-03-05"),
        ("3月3日の決定", "2026-03-03", "2026-03-04"),
        ("2024年3月3日", "2024-03-03", "2024-03-04"),
        ("2024年の売上", "2024-01-01", "2025-01-01"),
        ("12月の売上", "2025-12-01", "2026-01-01"),
        ("3日前", "2026-03-03", "2026-03-04"),
        ("2週間前", "2026-02-16", "2026-02-23"),
        ("過去7日間", "2026-02-27", "2026-03-07"),
        ("先月の予算", "2026-02-01", "2026-03-01"),
    ]);
    assert_bounds(&[
        ("月曜から何があった？", "2026-03-02", ""),
        ("3月1日以降の変更", "2026-03-01", ""),
        ("2026-03-01以降の変更", "2026-03-01", ""),
        ("2026-02-24から2026-02-27まで", "2026-02-24", "2026-02-28"),
        ("3/1から何があった？", "2026-03-01", ""),
        ("3月3日時点の予算", "", "2026-03-04"),
        ("3月3日の時点では、予算は", "", "2026-03-04"),
        ("昨日までの話", "", "2026-03-06"),
        ("月曜から水曜まで", "2026-03-02", "2026-03-05"),
    ]);
}

#[test]
fn what_names_no_time_is_left_alone() {
    for question in [
        "May I march on?",
        "It may rain, may it not?",
        "the last budget",
        "this plan",
        "A-1234",
        "version 1.2.3",
        "3年の保証",
        "2025年度の予算",
        "in 3000 steps",
        "二月堂の日程",
        "月の売上",
        "前回の会議",
        "the sun sat down",
    ] {
        let asked = asked(question);
        let expected = AskedTime {
            rest: question.to_owned(),
            subject: question.to_owned(),
            ..AskedTime::default()
        };
        assert_eq!(asked, expected, "{question}");
    }
}

#[test]
fn words_that_name_a_time_are_not_looked_for_and_dates_are() {
    assert_eq!(
        asked("crane since Friday?").rest.trim(),
        "crane             ?"
    );
    assert_eq!(asked("先週の火曜の障害").rest.trim(), "の障害");
    assert_eq!(asked("crane on 26 December").rest, "crane on 26 December");
    assert_eq!(asked("3月3日の決定").rest, "3月3日の決定");
    assert_eq!(asked("moved to Friday?").rest, "moved to Friday?");
    assert_eq!(asked("moved to Friday?").subject.trim(), "moved to       ?");
    assert_eq!(asked("crane as of 3 March").rest.trim(), "crane");
}

#[test]
fn bound_that_may_be_part_of_what_is_asked_is_none_by_itself() {
    for question in [
        "the plan after Friday's scan",
        "the deadline before March 1",
        "open until Wednesday",
        "from Monday to Wednesday",
        "月曜からの担当",
        "3月5日までに提出",
    ] {
        let asked = asked(question);
        assert_eq!((asked.since, asked.end), (None, None), "{question}");
        assert_ne!(asked.widest, (None, None), "{question}");
    }
    for question in ["since Monday", "as of Monday", "月曜以降", "月曜時点"] {
        let asked = asked(question);
        assert_eq!((asked.since, asked.end), asked.widest, "{question}");
        assert_ne!(asked.widest, (None, None), "{question}");
    }
}
