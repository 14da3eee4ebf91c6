//! Who mentions the bot is answered, once, where it was asked.

use myao_fake_slack::{BOT_USER, FakeSlack, Order};
use myao_tests::bot::{Bot, said};

use crate::bot::support::{
    AKARI, AKARI_NAME, ANSWER, CAMP, DAY, EMIKO, EMIKO_NAME, asked, block_on, connect,
    connect_again, connect_out_of_time, held_model, model, number, posts, prompts,
    prompts_in_thread, replies_of, settled, shown_under, workspace, workspace_ahead,
};

const GROUP: &str = "C0GROUP";

#[test]
fn a_mention_at_the_top_level_is_answered_there() {
    let (slack, llm) = (workspace(), model());
    let mut bot = connect(&slack, &replies_of(&llm));
    slack.post(AKARI, CAMP, "会場は箱根です。", None);
    slack.mention(EMIKO, CAMP, "会場はどこですか？", None);
    let posts = posts(&slack, &mut bot, 1);
    assert_eq!(
        (posts[0].channel.as_str(), &posts[0].thread_ts),
        (CAMP, &None)
    );
    assert_eq!(posts[0].text, ANSWER);
    bot.stop();
    let prompts = prompts(&llm);
    let shown = shown_under(&prompts[0], "### 返信対象: トップレベル");
    let last = shown.last().unwrap();
    assert_eq!(
        (last.author.as_str(), last.text.as_str()),
        (EMIKO_NAME, "@myao 会場はどこですか？")
    );
    assert_eq!((slack.posts().len(), prompts.len()), (1, 1));
}

#[test]
fn a_mention_in_a_thread_is_answered_in_that_thread() {
    let (slack, llm) = (workspace(), model());
    let mut bot = connect(&slack, &replies_of(&llm));
    let first = slack.post(AKARI, CAMP, "会場は箱根です。", None);
    let second = slack.post(AKARI, CAMP, "予算は45,000円です。", None);
    for (count, thread) in [(1, &second), (2, &first)] {
        slack.mention(EMIKO, CAMP, "もう一度教えて。", Some(thread));
        posts(&slack, &mut bot, count);
    }
    bot.stop();
    let threads: Vec<_> = slack
        .posts()
        .into_iter()
        .map(|post| post.thread_ts)
        .collect();
    assert_eq!(threads, [Some(second), Some(first)]);
}

/// Slack marks a mention in a group message in no way, and says of it only that a scope is missing, or what it is.
#[test]
fn a_mention_in_a_group_message_is_neither_stored_nor_answered() {
    for may_look in [true, false] {
        let (slack, llm) = (workspace(), model());
        if !may_look {
            slack.remove_scope("mpim:read");
        }
        slack.add_group_message(GROUP, &[AKARI, EMIKO]);
        let mut bot = connect(&slack, &replies_of(&llm));
        for text in ["暗証番号は 4711 です。", "暗証番号は 4712 です。"] {
            slack.mention(AKARI, GROUP, text, None);
        }
        slack.mention(EMIKO, CAMP, "会場はどこですか？", None);
        posts(&slack, &mut bot, 1);
        settled(&slack, &mut bot);
        let program = bot.stop();
        assert_eq!(slack.posts().len(), 1);
        let stored = "SELECT COUNT(*) FROM messages WHERE text LIKE '%471%'";
        assert_eq!(number(&program, stored), 0);
        let channels = format!("SELECT COUNT(*) FROM channels WHERE id = '{GROUP}'");
        assert_eq!(number(&program, &channels), 0);
    }
}

/// Without a model it quotes what it knows.
#[test]
fn a_mention_is_answered_without_a_model() {
    let slack = workspace();
    let mut bot = connect(&slack, "");
    slack.post(AKARI, CAMP, "合宿の予算は45,000円に決まりました。", None);
    slack.mention(EMIKO, CAMP, "合宿の予算はいくらですか？", None);
    let posts = posts(&slack, &mut bot, 1);
    assert!(posts[0].text.contains("45,000円"), "{posts:?}");
    bot.stop();
    assert_eq!(slack.posts().len(), 1);
}

#[test]
fn a_mention_in_a_thread_of_a_busy_channel_is_answered_with_the_whole_thread_in_the_prompt() {
    let (slack, llm) = (workspace(), model());
    let mut bot = connect(&slack, &replies_of(&llm));
    let parent = slack.post(AKARI, CAMP, "会場の候補を挙げてください。", None);
    let mut expected = vec![(
        AKARI_NAME.to_owned(),
        "会場の候補を挙げてください。".to_owned(),
    )];
    for number in 1..=12 {
        let text = format!("候補{number}は第{number}会館です。");
        slack.post(EMIKO, CAMP, &text, Some(&parent));
        expected.push((EMIKO_NAME.to_owned(), text));
    }
    for number in 1..=1000 {
        slack.post(AKARI, CAMP, &format!("別の話、その{number}。"), None);
    }
    bot.messages(CAMP, 1013);
    slack.mention(AKARI, CAMP, "候補をまとめて。", Some(&parent));
    expected.push((AKARI_NAME.to_owned(), "@myao 候補をまとめて。".to_owned()));
    let posts = posts(&slack, &mut bot, 1);
    assert_eq!(posts[0].thread_ts.as_deref(), Some(parent.as_str()));
    bot.stop();

    let prompts = prompts_in_thread(&llm, &parent);
    assert_eq!((prompts.len(), llm.calls().len()), (1, 1));
    let shown = shown_under(&prompts[0], &format!("### 返信対象スレッド: {parent}"));
    let shown: Vec<_> = shown
        .into_iter()
        .map(|message| (message.author, message.text))
        .collect();
    assert_eq!(shown, expected);
    assert!(prompts[0].contains("別の話、その1000。"), "{}", prompts[0]);
}

#[test]
fn a_mention_that_comes_as_two_events_twice_and_out_of_order_is_answered_once() {
    let (slack, llm) = (workspace(), model());
    let mut bot = connect(&slack, &replies_of(&llm));
    slack.faults().duplicate_every(1);
    slack.faults().hold_events();
    let parent = slack.post(AKARI, CAMP, "会場は箱根です。", None);
    for number in 0..3 {
        slack.mention(
            EMIKO,
            CAMP,
            &format!("会場は？ その{number}"),
            Some(&parent),
        );
    }
    slack.faults().release_events(Order::Reversed);
    posts(&slack, &mut bot, 3);
    settled(&slack, &mut bot);
    // Late duplicates.
    slack.retry_unacknowledged();
    let last = slack.mention(EMIKO, CAMP, "予算は？", None);
    slack.faults().release_events(Order::Kept);
    let posts = posts(&slack, &mut bot, 4);
    settled(&slack, &mut bot);
    bot.stop();
    let answered: Vec<_> = posts
        .iter()
        .map(|post| post.metadata.as_ref().unwrap()["event_payload"]["answers"].clone())
        .collect();
    let distinct: std::collections::BTreeSet<_> =
        answered.iter().map(ToString::to_string).collect();
    assert_eq!(
        (slack.posts().len(), distinct.len()),
        (4, 4),
        "{answered:?}"
    );
    assert!(answered.contains(&last.into()), "{answered:?}");
}

#[test]
fn mentions_by_programs_and_by_itself_are_not_answered() {
    let (slack, llm) = (workspace(), model());
    slack.add_bot("U0ROBOT", "robot");
    let mut bot = connect(&slack, &replies_of(&llm));
    let text = format!("<@{BOT_USER}> 会場は？");
    slack.post_as_app("U0ROBOT", CAMP, &text, None);
    slack.post_as_integration("deploy", CAMP, &text, None);
    slack.post_as_app(BOT_USER, CAMP, &text, None);
    settled(&slack, &mut bot);
    bot.messages(CAMP, 3);
    let by_a_person = slack.mention(EMIKO, CAMP, "予算は？", None);
    posts(&slack, &mut bot, 1);
    bot.stop();
    let posts = slack.posts();
    assert_eq!((posts.len(), llm.calls().len()), (1, 1), "{posts:?}");
    let metadata = posts[0].metadata.as_ref().unwrap();
    assert_eq!(metadata["event_payload"]["answers"], by_a_person);
}

#[test]
fn a_mention_that_was_deleted_before_the_answer_gets_none() {
    let slack = workspace();
    let (llm, gate) = held_model();
    let mut bot = connect(&slack, &replies_of(&llm));
    let deleted = slack.mention(EMIKO, CAMP, "会場は？", None);
    asked(&llm, &mut bot, 1);
    slack.delete(CAMP, &deleted);
    bot.until("the deletion", |program| {
        said(program, CAMP).is_empty().then_some(())
    });
    gate.open();
    let kept = slack.mention(EMIKO, CAMP, "予算は？", None);
    posts(&slack, &mut bot, 1);
    bot.stop();
    let posts = slack.posts();
    assert_eq!(posts.len(), 1, "{posts:?}");
    let metadata = posts[0].metadata.as_ref().unwrap();
    assert_eq!(metadata["event_payload"]["answers"], kept);
}

#[test]
fn a_mention_has_a_sign_until_it_is_answered_and_is_answered_without_one() {
    for may_react in [true, false] {
        let slack = workspace();
        if !may_react {
            slack.remove_scope("reactions:write");
        }
        let (llm, gate) = held_model();
        let mut bot = connect(&slack, &replies_of(&llm));
        let mention = slack.mention(EMIKO, CAMP, "会場は？", None);
        let signs = || {
            let adds = slack.requests_of("reactions.add").len();
            (adds, slack.requests_of("reactions.remove").len())
        };
        bot.until("the sign", |_| (signs() == (1, 0)).then_some(()));
        let shown = || slack.reactions(CAMP, &mention);
        let expected: &[(&str, &str)] = if may_react {
            &[(BOT_USER, "eyes")]
        } else {
            &[]
        };
        bot.until("what is shown", |_| {
            let found = shown();
            let mut found = found.iter().map(|(who, name)| (&**who, &**name));
            expected
                .iter()
                .all(|one| found.next() == Some(*one))
                .then_some(())
        });
        gate.open();
        posts(&slack, &mut bot, 1);
        bot.until("the sign is off", |_| (signs() == (1, 1)).then_some(()));
        bot.until("nothing is shown", |_| shown().is_empty().then_some(()));
        // It is quicker now.
        slack.mention(AKARI, CAMP, "予算は？", None);
        posts(&slack, &mut bot, 2);
        bot.stop();
    }
}

/// The answer to what it said before is not posted.
#[test]
fn a_mention_that_was_edited_before_the_answer_is_answered_once_as_it_reads_now() {
    let slack = workspace();
    let (llm, gate) = held_model();
    let mut bot = connect(&slack, &replies_of(&llm));
    let edited = slack.mention(EMIKO, CAMP, "会場は？", None);
    asked(&llm, &mut bot, 1);
    slack.edit(CAMP, &edited, &format!("<@{BOT_USER}> 会場と予算は？"));
    bot.until("the edit", |program| {
        (said(program, CAMP)[0].text == "@myao 会場と予算は？").then_some(())
    });
    gate.open();
    posts(&slack, &mut bot, 1);
    slack.mention(AKARI, CAMP, "日程は？", None);
    posts(&slack, &mut bot, 2);
    bot.stop();
    assert_eq!((slack.posts().len(), llm.calls().len()), (2, 3));
    assert!(prompts(&llm)[1].contains("@myao 会場と予算は？"));
}

/// Regression 2.
#[test]
fn an_answer_is_stored_under_the_ts_that_slack_gave_it_and_is_in_the_next_prompt() {
    let (slack, llm) = (workspace(), model());
    let mut bot = connect(&slack, &replies_of(&llm));
    slack.mention(EMIKO, CAMP, "会場は？", None);
    let post = posts(&slack, &mut bot, 1).remove(0);
    let stored = bot.messages(CAMP, 2);
    assert_eq!((&stored[1].ts, stored[1].text.as_str()), (&post.ts, ANSWER));
    assert_eq!(stored[1].author, "myao");
    settled(&slack, &mut bot);
    slack.mention(EMIKO, CAMP, "予算は？", None);
    posts(&slack, &mut bot, 2);
    bot.stop();
    let prompts = prompts(&llm);
    let shown = shown_under(&prompts[1], "### 返信対象: トップレベル");
    let answers: Vec<_> = shown
        .iter()
        .filter(|message| message.text == ANSWER)
        .collect();
    assert_eq!(answers.len(), 1, "{shown:?}");
    assert_eq!(answers[0].author, "myao");
}

#[test]
fn a_mention_is_answered_although_the_clock_is_days_ahead_of_slacks() {
    let (slack, llm) = (workspace_ahead(-2 * DAY), model());
    let mut bot = connect_out_of_time(&slack, &replies_of(&llm));
    slack.mention(EMIKO, CAMP, "会場は？", None);
    let posts = posts(&slack, &mut bot, 1);
    assert_eq!(posts[0].text, ANSWER);
    bot.stop();
}

/// What the bot has said to a mention that was one too many.
fn notices(slack: &FakeSlack) -> Vec<String> {
    let texts = slack.posts().into_iter().map(|post| post.text);
    texts.filter(|text| text != ANSWER).collect()
}

/// Waits until no mention waits.
#[track_caller]
fn all_decided(bot: &mut Bot, mentions: i64) {
    bot.until("every mention decided", |program| {
        let decided = number(program, "SELECT COUNT(*) FROM replies WHERE state <> 0");
        (decided == mentions).then_some(())
    });
}

#[test]
fn a_person_gets_so_many_answers_and_is_told_once_over_restarts_too() {
    let (slack, llm) = (workspace(), model());
    let config = format!(
        "{}response: {{ mention_limits: {{ per_person: 2 }} }}\n",
        replies_of(&llm)
    );
    let mut bot = connect(&slack, &config);
    let thread = slack.post(AKARI, CAMP, "Where do we go?", None);
    for _ in 0..6 {
        slack.mention(EMIKO, CAMP, "where?", Some(&thread));
    }
    all_decided(&mut bot, 6);
    let said = notices(&slack);
    assert_eq!((said.len(), slack.posts().len()), (1, 3), "{said:?}");
    assert!(said[0].contains("2 mentions within 60 minutes"), "{said:?}");
    let in_thread = slack
        .posts()
        .iter()
        .all(|post| post.thread_ts.as_ref() == Some(&thread));
    assert!(in_thread, "{:?}", slack.posts());
    // Others are answered.
    slack.mention(AKARI, CAMP, "where?", None);
    posts(&slack, &mut bot, 4);
    bot.caught_up();
    let program = bot.stop();
    let mut bot = connect_again(&slack, program, &config);
    slack.mention(EMIKO, CAMP, "and now?", None);
    all_decided(&mut bot, 8);
    bot.stop();
    // Mentions with the same prompt share the model's answer, so there may be fewer calls than answers.
    assert_eq!(slack.posts().len(), 4);
    assert!(llm.calls().len() <= 3, "{}", llm.calls().len());
}

#[test]
fn a_channel_gets_so_many_answers_and_is_told_once_in_its_language() {
    let (slack, llm) = (workspace(), model());
    let config = format!(
        "{}response: {{ mention_limits: {{ per_person: 0, per_channel: 3 }} }}\n",
        replies_of(&llm)
    );
    let mut bot = connect(&slack, &config);
    slack.add_channel("C1DEV", "dev");
    for user in [AKARI, EMIKO, AKARI, EMIKO, AKARI] {
        slack.mention(user, CAMP, "会場は？", None);
    }
    all_decided(&mut bot, 5);
    let said = notices(&slack);
    assert_eq!((said.len(), slack.posts().len()), (1, 4), "{said:?}");
    assert!(said[0].contains("60分のあいだに3回"), "{said:?}");
    slack.mention(AKARI, "C1DEV", "会場は？", None);
    posts(&slack, &mut bot, 5);
    bot.stop();
}

#[test]
fn a_question_that_is_too_long_is_refused_to_its_author_alone() {
    let (slack, llm) = (workspace(), model());
    let mut bot = connect(&slack, &replies_of(&llm));
    let long = "会場はどこですか？".repeat(500);
    slack.mention(EMIKO, CAMP, &long, None);
    bot.until("the refusal", |program| {
        let given_up = "SELECT COUNT(*) FROM replies WHERE state = 2";
        (number(program, given_up) == 1).then_some(())
    });
    let told = slack.requests_of("chat.postEphemeral");
    assert_eq!(told.len(), 1);
    assert_eq!(
        (told[0].text("user"), told[0].text("channel")),
        (Some(EMIKO), Some(CAMP))
    );
    let words = told[0].text("text").unwrap();
    assert!(words.contains("4000文字まで"), "{words}");
    let search = format!("search {long}");
    let command = format!(
        "{:?}",
        block_on(slack.slash_command(EMIKO, CAMP, "/memory", &search))
    );
    assert!(command.contains("4000文字まで"), "{command}");
    bot.stop();
    assert_eq!((slack.posts().len(), llm.calls().len()), (0, 0));
}
