//! The ids of messages without one, and the threads that they are in.

use super::*;

#[test]
fn a_random_id_becomes_the_second_and_a_free_sequence() {
    let (sink, report) = read_all();
    let ids: Vec<_> = sink
        .messages
        .iter()
        .map(|m| (m.channel_id.as_str(), m.ts.to_string(), m.text.as_str()))
        .collect();
    assert!(
        ids.contains(&("C1", "1709287500.000201".to_owned(), "I am a random id")),
        "{ids:?}"
    );
    assert!(
        ids.contains(&("C1", "1709287500.000202".to_owned(), "so am I")),
        "{ids:?}"
    );
    assert!(
        ids.contains(&("C9", "1709287500.000000".to_owned(), "no fraction")),
        "{ids:?}"
    );
    assert_eq!(
        report.warnings[0],
        "messages without a Slack id, which got one from their replies or from the time they were stored: 3"
    );
}

#[test]
fn made_ids_are_the_same_on_every_import() {
    assert_eq!(read_all(), read_all());
    let vacuumed = database(&[SCHEMA, ROWS, "UPDATE messages SET id = 100 - id", "VACUUM"]);
    assert_eq!(read_from(&vacuumed), read_all());
}

#[test]
fn made_ids_go_round_within_their_second() {
    let (mut ids, mut budget) = (ids::ChannelIds::default(), budget());
    let last = time("2024-03-01 10:05:00.999999").unwrap();
    for name in ["a", "b"] {
        ids.add_without_id(name.to_owned(), last, false, &mut budget)
            .unwrap();
    }
    ids.make();
    assert_eq!(ids.find("a").unwrap().to_string(), "1709287500.999999");
    assert_eq!(ids.find("b").unwrap().to_string(), "1709287500.000000");
}

#[test]
fn threads_are_found_also_where_they_begin_on_a_random_id() {
    let (sink, report) = read_all();
    let thread_of = |text: &str| {
        let message = sink
            .messages
            .iter()
            .find(|m| m.text.contains(text))
            .unwrap();
        message.thread_ts.map(|ts| ts.to_string())
    };
    assert_eq!(
        thread_of("I am a random id").as_deref(),
        Some("1709287500.000201")
    );
    assert_eq!(thread_of("a reply").as_deref(), Some("1709287500.000201"));
    assert_eq!(
        thread_of("see #general").as_deref(),
        Some("1709287500.000200")
    );
    assert_eq!(
        thread_of("another reply").as_deref(),
        Some("1709287500.000200")
    );
    assert_eq!(thread_of("so am I"), None);
    assert_eq!(thread_of("of a lost thread"), None);
    assert_eq!(
        report.warnings[1],
        "replies to a message that does not exist, which are now outside of threads: 1"
    );
}

#[test]
fn a_post_gets_its_right_id_back_from_the_replies_to_it() {
    let (mut ids, mut budget) = (ids::ChannelIds::default(), budget());
    let stored = |seconds: &str| time(&format!("2024-03-01 10:05:{seconds}")).unwrap();
    ids.add_without_id("early".to_owned(), stored("00.000000"), false, &mut budget)
        .unwrap();
    ids.add_without_id("answer".to_owned(), stored("02.500000"), true, &mut budget)
        .unwrap();
    ids.add_without_id("post".to_owned(), stored("03.000000"), false, &mut budget)
        .unwrap();
    ids.add_without_id("late".to_owned(), stored("30.000000"), false, &mut budget)
        .unwrap();
    ids.add(TsKey::parse("1709287530.000000").unwrap(), &mut budget)
        .unwrap();
    for thread in [
        "1709287502.400000",
        "1709287520.000000",
        "1709287530.000000",
    ] {
        ids.name_thread(thread.to_owned(), &mut budget).unwrap();
    }
    ids.make();
    let made = |id| ids.find(id).unwrap().to_string();
    assert_eq!(made("post"), "1709287502.400000");
    assert!(ids.is_thread(ids.find("post").unwrap()));
    assert_eq!(made("early"), "1709287500.000000");
    assert_eq!(made("answer"), "1709287502.500000");
    assert_eq!(made("late"), "1709287530.000001");
}

/// Searching for a free id from the start of the second took a second for each message.
#[test]
fn many_messages_of_one_second_get_ids_in_order() {
    let (mut ids, mut budget) = (ids::ChannelIds::default(), budget());
    let noon = time("2024-03-01 12:00:00").unwrap();
    let second = noon.timestamp();
    for taken in 0..200_000 {
        let ts = TsKey::from_database(TsKey::first_of(second).to_database() + taken);
        ids.add(ts, &mut budget).unwrap();
    }
    for post in 0..100_000 {
        ids.add_without_id(format!("p{post}"), noon, false, &mut budget)
            .unwrap();
        ids.name_thread(format!("{second}.{}", 200_000 + post), &mut budget)
            .unwrap();
    }
    ids.make();
    assert_eq!(ids.made(), 100_000);
    assert_eq!(
        ids.find("p0").unwrap().to_string(),
        format!("{second}.200000")
    );
    assert_eq!(
        ids.find("p99999").unwrap().to_string(),
        format!("{second}.299999")
    );
}

#[test]
fn a_second_without_a_free_id_leaves_messages_without_one() {
    let (mut ids, mut budget) = (ids::ChannelIds::default(), budget());
    let noon = time("2024-03-01 12:00:00.5").unwrap();
    let first = TsKey::first_of(noon.timestamp()).to_database();
    for taken in (0..1_000_000).filter(|step| *step != 7) {
        let ts = TsKey::from_database(first + taken);
        ids.add(ts, &mut budget).unwrap();
    }
    for name in ["a", "b", "c"] {
        ids.add_without_id(name.to_owned(), noon, false, &mut budget)
            .unwrap();
    }
    ids.make();
    assert_eq!(ids.find("a"), Some(TsKey::from_database(first + 7)));
    assert_eq!((ids.find("b"), ids.find("c")), (None, None));
}
