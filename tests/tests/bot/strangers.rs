//! People who do not belong to the workspace: they see and give the talk of the channels that they are in, and no more.

use myao_fake_slack::{BOT_USER, FakeSlack, Fault, SISTER_TEAM, TEAM_ID};
use myao_tests::bot::{Bot, now};
use myao_tests::program::Program;
use myao_tests::team::{Browser, page_keys, signed_in};

use crate::bot::commands::ask_as;
use crate::bot::support::{AKARI, CAMP, EMIKO, connect_as, posts, settled, workspace};

/// Memories as soon as there is a message.
const EAGER: &str = "memory:\n  long_term_update_interval_seconds: 1\n  short_term_history: { message_threshold: 1 }\n";
const JOINT: &str = "C0JOINT";
const OUTSIDER: &str = "U0OUTSIDE";
const COLLEAGUE: &str = "U0SISTER";
const DIRECT: &str = "D0OUTSIDE";
/// The values of the column.
const EVERYBODY: i64 = 0;
const OUTSIDERS: i64 = 2;

/// A bot in its surroundings.
pub(crate) struct Stage {
    pub(crate) slack: FakeSlack,
    pub(crate) bot: Bot,
}

impl Stage {
    pub(crate) fn set(slack: FakeSlack, keys: &str, more: &str) -> Self {
        Self::of(slack, Program::of_bot(), keys, more)
    }

    fn of(slack: FakeSlack, program: Program, keys: &str, more: &str) -> Self {
        let mut bot = connect_as(&slack, program, keys, more);
        bot.caught_up();
        Self { slack, bot }
    }

    /// The bot of the same database, started again.
    fn restarted(self, keys: &str, more: &str) -> Self {
        self.restarted_after(keys, more, |_| ())
    }

    /// The same after something has happened. What Slack returned counts from the second of the request.
    fn restarted_after(self, keys: &str, more: &str, happens: impl Fn(&FakeSlack)) -> Self {
        let Self { slack, bot } = self;
        let (program, second) = (bot.stop(), now());
        happens(&slack);
        while now() == second {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        Self::of(slack, program, keys, more)
    }

    pub(crate) fn number(&self, query: &str) -> i64 {
        self.bot.program().number(query)
    }

    /// Waits until a query gives a number.
    #[track_caller]
    pub(crate) fn becomes(&mut self, what: &str, query: &str, expected: i64) {
        self.bot.until(what, |program| {
            (program.number(query) == expected).then_some(())
        });
    }

    /// Waits until a query gives at least a number.
    #[track_caller]
    fn becomes_more(&mut self, what: &str, query: &str, least: i64) {
        self.bot.until(what, |program| {
            (program.number(query) >= least).then_some(())
        });
    }

    /// Waits until everything that was sent so far has taken effect.
    #[track_caller]
    pub(crate) fn settled(&mut self) {
        settled(&self.slack, &mut self.bot);
    }

    fn audience_is(&mut self, what: &str, expected: i64) {
        let query = format!("SELECT audience FROM channels WHERE id = '{JOINT}'");
        self.becomes(what, &query, expected);
    }

    /// What somebody learns by a command in the joint channel.
    pub(crate) fn asks(&self, user: &str, text: &str) -> String {
        ask_as(&self.slack, user, JOINT, text)
    }
}

/// The joint channel of the workspace with somebody from elsewhere; everybody of the workspace is in both channels.
fn joint(add: impl Fn(&FakeSlack)) -> FakeSlack {
    let slack = workspace();
    slack.add_channel(JOINT, "共同");
    add(&slack);
    for user in [AKARI, EMIKO] {
        slack.add_member(CAMP, user);
        slack.add_member(JOINT, user);
    }
    slack
}

fn said(stage: &mut Stage, user: &str) {
    let slack = &stage.slack;
    slack.post(EMIKO, CAMP, "合宿の会場は箱根に決まりました。", None);
    slack.post(user, JOINT, "共同の会場は伊東に決まりました。", None);
    stage.settled();
}

/// Whether somebody is a stranger; -1 if that is not known.
fn standing(user: &str) -> String {
    format!("SELECT COALESCE(MAX(is_guest), -1) FROM users WHERE id = '{user}'")
}

#[test]
fn people_of_another_organisation_see_and_give_their_channels_alone() {
    let slack = joint(|slack| slack.add_outsider(OUTSIDER, "Ito"));
    slack.share_unheard(JOINT);
    slack.add_member(JOINT, OUTSIDER);
    slack.add_direct_channel(DIRECT, OUTSIDER);
    let (address, keys, more) = page_keys();
    let mut stage = Stage::set(slack, &keys, &format!("{more}{EAGER}"));
    said(&mut stage, OUTSIDER);
    stage.audience_is("a shared channel", OUTSIDERS);
    stage.becomes("a stranger", &standing(OUTSIDER), 1);
    for command in ["search 会場", "since 2020-01-01", "decisions"] {
        let seen = stage.asks(OUTSIDER, command);
        assert!(!seen.contains("箱根"), "{command}: {seen}");
    }
    assert!(stage.asks(OUTSIDER, "search 会場").contains("伊東"));
    assert!(stage.asks(AKARI, "search 会場").contains("箱根"));
    // A direct message has its own talk.
    stage
        .slack
        .post(OUTSIDER, DIRECT, "会場はどこに決まりましたか？", None);
    let posts = posts(&stage.slack, &mut stage.bot, 1);
    assert!(!posts[0].text.contains("箱根"), "{}", posts[0].text);
    // Their marks are none.
    stage
        .slack
        .mention(OUTSIDER, JOINT, "覚えて: 合言葉は海", None);
    let posts = crate::bot::support::posts(&stage.slack, &mut stage.bot, 2);
    assert!(
        posts[1].text.contains("メンバーだけです"),
        "{}",
        posts[1].text
    );
    let page = Browser::new(address).sign_in(&stage.slack, OUTSIDER);
    assert_eq!(page.status, 403, "{page:?}");
    stage.bot.stop();
}

#[test]
fn a_channel_whose_sharing_no_event_told_is_closed_by_what_is_said_there() {
    let slack = joint(|slack| slack.add_outsider(OUTSIDER, "Ito"));
    let mut stage = Stage::set(slack, "", EAGER);
    stage.audience_is("an open channel", EVERYBODY);
    stage
        .slack
        .post(EMIKO, JOINT, "共同の予算は12万円に決まりました。", None);
    let versions = format!("SELECT COUNT(*) FROM memories WHERE scope_id = '{JOINT}'");
    stage.becomes_more("a memory", &versions, 1);
    // The events that say who comes are lost: what is said tells it.
    stage.slack.share_unheard(JOINT);
    stage.slack.add_member(JOINT, OUTSIDER);
    assert!(stage.asks(AKARI, "").contains("12万円"));
    assert!(!stage.asks(OUTSIDER, "").contains("12万円"));
    said(&mut stage, OUTSIDER);
    stage.audience_is("a shared channel", OUTSIDERS);
    assert!(!stage.asks(OUTSIDER, "search 会場").contains("箱根"));
    stage.bot.stop();
}

#[test]
fn somebody_of_the_organisation_is_a_member_while_slack_lists_this_workspace() {
    let slack = joint(|slack| slack.add_colleague(COLLEAGUE, "Ueda"));
    slack.add_member(JOINT, COLLEAGUE);
    // Slack does not say who it is.
    let unknown = Fault::Error("user_not_visible");
    slack.faults().times(99, "users.info", &unknown);
    let mut stage = Stage::set(slack, "", EAGER);
    said(&mut stage, COLLEAGUE);
    stage.audience_is("a channel of somebody unknown", OUTSIDERS);
    assert!(!stage.asks(COLLEAGUE, "search 会場").contains("箱根"));
    stage.slack.faults().clear();
    for (teams, is_guest, audience) in [
        (vec![SISTER_TEAM, TEAM_ID], 0, EVERYBODY),
        (vec![SISTER_TEAM], 1, OUTSIDERS),
    ] {
        stage.slack.set_teams(COLLEAGUE, &teams);
        stage.becomes("who it is", &standing(COLLEAGUE), is_guest);
        stage.audience_is("who reads the channel", audience);
        let seen = stage.asks(COLLEAGUE, "search 会場");
        assert_eq!(seen.contains("箱根"), is_guest == 0, "{seen}");
        assert!(seen.contains("伊東"), "{seen}");
    }
    stage.bot.stop();
}

const BOARD: &str = "C0BOARD";

/// A message with this text is stored.
fn kept(text: &str) -> String {
    format!("SELECT COUNT(*) FROM messages WHERE text LIKE '%{text}%'")
}

#[test]
fn channels_that_are_shared_with_others_may_be_ignored() {
    let slack = joint(|slack| slack.add_outsider(OUTSIDER, "Ito"));
    slack.share_unheard(JOINT);
    slack.add_member(JOINT, OUTSIDER);
    slack.add_channel(BOARD, "役員会");
    slack.post(OUTSIDER, JOINT, "共同の予算は12万円です。", None);
    let keys = "external_channels: ignore";
    let mut stage = Stage::set(slack, keys, EAGER);
    said(&mut stage, OUTSIDER);
    stage.slack.mention(AKARI, JOINT, "伊東の会場は?", None);
    stage
        .slack
        .post(AKARI, BOARD, "役員会の会場は熱海です。", None);
    stage.settled();
    // It becomes shared while the bot listens.
    stage.slack.share_channel(BOARD);
    stage
        .slack
        .post(AKARI, BOARD, "役員会の会場は鎌倉になりました。", None);
    stage.settled();
    let posts = posts(&stage.slack, &mut stage.bot, 2);
    let mut told: Vec<&str> = posts.iter().map(|post| post.channel.as_str()).collect();
    told.sort_unstable();
    assert_eq!(told, [BOARD, JOINT]);
    assert!(
        posts
            .iter()
            .all(|post| post.text.contains("共有されている")),
        "{posts:?}"
    );
    for (text, expected) in [
        ("伊東", 0),
        ("12万円", 0),
        ("鎌倉", 0),
        ("熱海", 1),
        ("箱根", 1),
    ] {
        assert_eq!(stage.number(&kept(text)), expected, "{text}");
    }
    // It is said once.
    let mut stage = stage.restarted(keys, EAGER);
    stage
        .slack
        .post(OUTSIDER, JOINT, "伊東の会場は広いです。", None);
    stage.settled();
    assert_eq!(stage.number(&kept("伊東")), 0);
    assert_eq!(stage.slack.posts().len(), 2);
    stage.bot.stop();
}

#[test]
fn a_private_channel_that_the_bot_left_is_shown_to_nobody_until_it_was_read_again() {
    let slack = joint(|slack| slack.add_private_channel(BOARD, "役員会"));
    slack.add_member(BOARD, AKARI);
    let mut stage = Stage::set(slack, "", EAGER);
    // What is a few seconds old when it is read again may be missing from the answer.
    let earlier = format!("{}.000100", now() - 30);
    let gone = "買収の会場は熱海に決まりました。";
    let gone = stage.slack.post_at(&earlier, AKARI, BOARD, gone, None);
    stage
        .slack
        .post(AKARI, BOARD, "買収の予算は45,000円に決まりました。", None);
    stage.settled();
    let versions = format!("SELECT COUNT(*) FROM memories WHERE scope_id = '{BOARD}'");
    stage.becomes_more("a memory", &versions, 1);
    let seen = |stage: &Stage| {
        let own = ask_as(&stage.slack, AKARI, BOARD, "");
        let found = stage.asks(AKARI, "search 買収");
        (own + &found).contains("45,000")
    };
    assert!(seen(&stage));
    // Of what is deleted now no event tells.
    stage.slack.leave(BOT_USER, BOARD);
    stage.settled();
    assert!(!seen(&stage));
    stage.slack.delete(BOARD, &gone);
    // The operator still sees it, and it is not there again before what was missed is read.
    stage
        .slack
        .faults()
        .times(99, "conversations.history", &Fault::Error("access_denied"));
    stage.slack.join(BOT_USER, BOARD);
    stage.settled();
    assert!(!seen(&stage));
    assert_eq!(stage.number(&kept("45,000")), 1);
    let stage = stage.restarted("", EAGER);
    assert!(!seen(&stage), "Slack did not return it");
    stage.slack.faults().clear();
    let mut again = stage.restarted("", EAGER);
    assert!(seen(&again));
    again.becomes("the deletion", &kept("熱海"), 0);
    // It is removed while it is away.
    let stage = again.restarted_after("", EAGER, |slack| slack.remove_member(BOARD, BOT_USER));
    assert!(!seen(&stage));
    stage.bot.stop();
}

#[test]
fn sessions_and_tokens_end_with_the_account_though_it_is_opened_again() {
    let (address, keys, more) = page_keys();
    let slack = joint(|_| ());
    let mut stage = Stage::set(slack, &keys, &format!("{more}{EAGER}"));
    let mut akari = signed_in(&stage.slack, address, AKARI);
    akari.agent_token();
    let tokens = "SELECT COUNT(*) FROM agent_tokens";
    assert_eq!(
        (akari.get("/workspace").status, stage.number(tokens)),
        (200, 1)
    );
    for is_closed in [true, false] {
        stage.slack.set_closed(AKARI, is_closed);
        stage.settled();
        assert_eq!(stage.number(tokens), 0, "{is_closed}");
        if is_closed {
            assert!(!stage.asks(AKARI, "search 会場").contains("箱根"));
        }
    }
    assert_eq!(akari.get("/workspace").status, 401);
    let mut again = signed_in(&stage.slack, address, AKARI);
    assert_eq!(again.get("/workspace").status, 200);
    stage.bot.stop();
}
