//! What the bot posts: as mrkdwn, in parts, ringing nobody who is not there, and once whatever goes wrong.

use std::time::Duration;

use myao_fake_slack::{BOT_USER, Fault};
use myao_tests::llm_server::{LlmServer, answer};
use myao_tests::program::Program;
use myao_tests::team::{page_keys, signed_in};

use crate::bot::support::{
    AKARI, AKARI_NAME, ANSWER, CAMP, EMIKO, EMIKO_NAME, asked, connect, connect_as, held_model,
    model, number, posts, replies_of, settled, workspace,
};

/// A model that answers everything with one text.
fn model_saying(text: &str) -> LlmServer {
    let text = text.to_owned();
    LlmServer::start(move |_| answer(&text))
}

/// Paragraphs that no check takes for repetition, and without a value that would need a source.
fn long_answer(paragraphs: usize) -> Vec<String> {
    const PLACES: [&str; 7] = ["箱根", "熱海", "軽井沢", "日光", "草津", "伊東", "那須"];
    const THINGS: [&str; 5] = ["朝食", "会議室", "送迎バス", "懇親会", "機材の搬入"];
    const IROHA: &str = "いろはにほへとちりぬるをわかよたれそつねならむうゐのおくやまけふこえてあさきゆめみしゑひもせす";
    const WORDS: [&str; 3] = [
        "を手配し、費用は参加者で等分します",
        "については田中さんが確認中で、返事は週末になります",
        "は前回と同じ業者に頼み、見積もりを二通もらいます",
    ];
    let paragraph = |n: usize| {
        let sentence = |k: usize| {
            let place = PLACES[(n + k) % PLACES.len()];
            let thing = THINGS[(n * 2 + k) % THINGS.len()];
            let words = WORDS[(n + k * 2) % WORDS.len()];
            let name = [n / 47 * 5 + k, n % 47].map(|at| IROHA.chars().nth(at).unwrap());
            format!(
                "{place}の{}案では、{thing}{words}。",
                String::from_iter(name)
            )
        };
        (0..5).map(sentence).collect::<String>()
    };
    (0..paragraphs).map(paragraph).collect()
}

#[test]
fn markdown_is_posted_as_mrkdwn() {
    let slack = workspace();
    let llm = model_saying(
        "会場は **箱根** です。[案内](https://example.com/a?b=1&c=2) を見てください。\n\n- 1 < 2\n- *大事*な点\n\n```\nlet a = 1;\n```",
    );
    let mut bot = connect(&slack, &replies_of(&llm));
    let told = "案内は https://example.com/a?b=1&amp;c=2 です。1 &lt; 2 なので a = 1 です。";
    slack.post(AKARI, CAMP, told, None);
    slack.mention(EMIKO, CAMP, "会場は？", None);
    let text = posts(&slack, &mut bot, 1)[0].text.replace('\u{200b}', "");
    bot.stop();
    for part in [
        "*箱根*",
        "案内 (<https://example.com/a?b=1&amp;c=2>)",
        "• 1 &lt; 2",
        "_大事_な点",
        "```\nlet a = 1;\n```",
    ] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    assert!(!text.contains("**") && !text.contains("]("), "{text}");
}

#[test]
fn a_long_answer_is_split_at_paragraphs_into_posts_in_order_in_one_thread() {
    let slack = workspace();
    let paragraphs = long_answer(50);
    let llm = model_saying(&paragraphs.join("\n\n"));
    let mut bot = connect(&slack, &replies_of(&llm));
    let thread = slack.post(AKARI, CAMP, "案を全部並べてください。", None);
    slack.mention(EMIKO, CAMP, "お願いします。", Some(&thread));
    posts(&slack, &mut bot, 2);
    bot.stop();
    let posts = slack.posts();
    assert!(posts.len() > 1, "{posts:?}");
    let mut posted = Vec::new();
    for post in &posts {
        assert_eq!(
            (post.channel.as_str(), post.thread_ts.as_ref()),
            (CAMP, Some(&thread))
        );
        assert!(post.text.chars().count() <= 4000, "{post:?}");
        posted.extend(post.text.split("\n\n").map(str::to_owned));
    }
    assert_eq!(posted, paragraphs);
    assert!(posts.is_sorted_by_key(|post| &post.ts));
}

#[test]
fn an_answer_that_nobody_would_read_ends_after_five_posts_with_a_note() {
    let slack = workspace();
    let llm = model_saying(&long_answer(250).join("\n\n"));
    let mut bot = connect(&slack, &replies_of(&llm));
    slack.mention(EMIKO, CAMP, "案を全部並べてください。", None);
    posts(&slack, &mut bot, 5);
    settled(&slack, &mut bot);
    bot.stop();
    let posts = slack.posts();
    assert_eq!(posts.len(), 5);
    for (number, post) in posts.iter().enumerate() {
        assert!(post.text.chars().count() <= 4000, "{post:?}");
        assert_eq!(post.text.contains("続きは省きました"), number == 4);
        assert!(!post.text.contains("|ページで聞く>"), "{post:?}");
    }
}

#[test]
fn what_is_too_long_for_slack_is_answered_whole_on_the_page_of_a_team() {
    let slack = workspace();
    slack.add_member(CAMP, EMIKO);
    let paragraphs = long_answer(250);
    let llm = model_saying(&paragraphs.join("\n\n"));
    let (address, keys, more) = page_keys();
    let more = format!("{more}{}", replies_of(&llm));
    let mut bot = connect_as(&slack, Program::of_bot(), &keys, &more);
    slack.mention(
        EMIKO,
        CAMP,
        "<案>を全部、|並べて|ください & よろしく。",
        None,
    );
    let text = posts(&slack, &mut bot, 5)[4].text.clone();
    assert!(text.chars().count() <= 4000, "{text}");
    let (_, link) = text.split_once("続きは省きました。<").unwrap();
    let (link, _) = link.split_once("|ページで聞く>").unwrap();
    let path = link.strip_prefix(&format!("http://{address}")).unwrap();
    let shown = signed_in(&slack, address, EMIKO).get(path).body;
    bot.stop();
    assert!(
        shown.contains("&lt;案&gt;を全部、|並べて|ください &amp; よろしく。"),
        "{shown}"
    );
    assert!(shown.contains(paragraphs.last().unwrap()), "{shown}");
}

#[test]
fn an_answer_rings_only_people_of_the_thread() {
    let slack = workspace();
    let all = format!("@{EMIKO_NAME} さん、@channel、@here");
    let llm = model_saying(&format!(
        "@{AKARI_NAME} さんに伝えます。\n{all} に伝えます。\n<!channel> <!here|here> に伝えます。"
    ));
    let mut bot = connect(&slack, &replies_of(&llm));
    slack.post(EMIKO, CAMP, "別の話です。", None);
    let thread = slack.post(AKARI, CAMP, &format!("会場は箱根です。{all}"), None);
    slack.add_user("U0MIO", "水野 澪");
    slack.mention("U0MIO", CAMP, "みんなに伝えて。", Some(&thread));
    let text = posts(&slack, &mut bot, 1)[0].text.clone();
    bot.stop();
    let entities: Vec<&str> = text
        .match_indices('<')
        .map(|(at, _)| text[at..].split_inclusive('>').next().unwrap())
        .collect();
    assert_eq!(entities, [format!("<@{AKARI}>")], "{text}");
    assert!(text.contains(EMIKO_NAME), "{text}");
    let request = slack.requests_of("chat.postMessage").remove(0);
    // Otherwise plain words would ring.
    assert_eq!(request.params.get("link_names"), None);
    assert_eq!(request.params["parse"], "none");
}

#[test]
fn a_rate_limit_is_waited_out_and_the_answer_posted_once() {
    let (slack, llm) = (workspace(), model());
    let mut bot = connect(&slack, &replies_of(&llm));
    slack
        .faults()
        .next("chat.postMessage", Fault::RateLimited(1));
    slack.mention(EMIKO, CAMP, "会場は？", None);
    posts(&slack, &mut bot, 1);
    bot.stop();
    let requests = slack.requests_of("chat.postMessage");
    assert_eq!((requests.len(), slack.posts().len()), (2, 1));
    let waited = requests[1].at - requests[0].at;
    assert!(waited >= Duration::from_secs(1), "{waited:?}");
    assert_eq!(llm.calls().len(), 1);
}

/// The answer stands in the channel, and the bot does not know it: it looks before it posts again.
#[test]
fn an_answer_whose_posting_was_not_confirmed_is_posted_once() {
    let slack = workspace();
    let paragraphs = long_answer(50);
    let llm = model_saying(&paragraphs.join("\n\n"));
    let mut bot = connect(&slack, &replies_of(&llm));
    slack.faults().next("chat.postMessage", Fault::LoseAnswer);
    slack.mention(EMIKO, CAMP, "案を全部並べてください。", None);
    bot.until("the end of the answer", |program| {
        let posted = number(program, "SELECT COUNT(*) FROM replies WHERE state = 1");
        (posted == 1).then_some(())
    });
    bot.stop();
    let posts = slack.posts();
    let posted: Vec<&str> = posts
        .iter()
        .flat_map(|post| post.text.split("\n\n"))
        .collect();
    assert_eq!(posted, paragraphs);
    assert_eq!(slack.requests_of("chat.postMessage").len(), posts.len());
}

#[test]
fn an_answer_to_a_channel_that_the_bot_was_removed_from_is_given_up_and_others_go_on() {
    let slack = workspace();
    slack.add_channel("C0TEA", "お茶");
    let (llm, gate) = held_model();
    let mut bot = connect(&slack, &replies_of(&llm));
    slack.mention(EMIKO, CAMP, "会場は？", None);
    slack.mention(EMIKO, "C0TEA", "お茶は？", None);
    asked(&llm, &mut bot, 2);
    slack.leave(BOT_USER, CAMP);
    gate.open();
    posts(&slack, &mut bot, 1);
    bot.until("the end of the other", |program| {
        let given_up = number(program, "SELECT COUNT(*) FROM replies WHERE state = 2");
        (given_up == 1).then_some(())
    });
    let log = bot.log();
    bot.stop();
    let told = log.lines().find(|line| line.contains("cannot be answered"));
    let told = told.unwrap_or_else(|| panic!("not told: {log}"));
    assert!(
        told.contains(CAMP) && told.contains("not_in_channel"),
        "{told}"
    );
    let posts = slack.posts();
    assert_eq!(posts.len(), 1, "{posts:?}");
    assert_eq!(
        (posts[0].channel.as_str(), posts[0].text.as_str()),
        ("C0TEA", ANSWER)
    );
}
