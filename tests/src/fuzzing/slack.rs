//! Input from Slack: events, signatures and commands.

use myao_plugin::storage::effects::Effect;
use myao_slack::command::{Command, MAX_HISTORY, parse_command};
use myao_slack::events::{BotIdentity, SlackEvent};
use myao_slack::message::People;
use myao_slack::mrkdwn::Names;
use myao_slack::named::Named;
use myao_slack::signature::verify;
use myao_slack::token::Token;
use serde_json::Value;

/// People whose names look like entities.
struct Few;

impl Names for Few {
    fn user(&self, id: &str) -> Option<&str> {
        (id == "U1").then_some("alice")
    }

    fn channel(&self, id: &str) -> Option<&str> {
        (id == "C1").then_some("general")
    }
}

impl People for Few {
    fn is_bot(&self, id: &str) -> Option<bool> {
        (id == "U1").then_some(false)
    }
}

/// Any payload has effects, the same each time and few, or is refused; whom it names can be told before.
pub fn events(data: &[u8]) {
    let payload = super::text(data);
    let bot = BotIdentity {
        user_id: "UBOT".to_owned(),
        bot_id: Some("BBOT".to_owned()),
        team_id: "T1".to_owned(),
    };
    let Ok(event) = SlackEvent::parse(&payload) else {
        return;
    };
    let Ok(effects) = event.effects(&Few, &bot) else {
        return;
    };
    assert_eq!(event.effects(&Few, &bot).unwrap(), effects);
    assert!(effects.len() <= 2);
    let messages = || {
        effects.iter().filter_map(|effect| match effect {
            Effect::Message { record, changed } => Some((record, changed)),
            _ => None,
        })
    };
    for (record, changed) in messages() {
        assert!(
            *changed >= record.ts,
            "a text is as of its message, or later"
        );
        assert!(!record.channel_id.is_empty());
    }
    let mut named = Named::default();
    event.add_named(&mut named);
    let programs = bot_ids(&serde_json::from_str(&payload).unwrap());
    for (record, _) in messages() {
        // Whoever wrote it was looked up before; a program may have no user.
        let id = &record.user_id;
        let is_id = id.starts_with('U') && id.chars().all(|c| c.is_ascii_alphanumeric());
        let is_looked_up =
            named.users.contains(id) || programs.contains(id) || !is_id || id.len() > 32;
        assert!(is_looked_up, "{record:?} is not in {named:?}");
    }
}

/// The ids of programs in a payload, wherever they stand in it.
fn bot_ids(value: &Value) -> Vec<String> {
    match value {
        Value::Object(fields) => {
            let own = fields.get("bot_id").and_then(Value::as_str);
            let own = own.map(str::to_owned).into_iter();
            own.chain(fields.values().flat_map(bot_ids)).collect()
        }
        Value::Array(values) => values.iter().flat_map(bot_ids).collect(),
        _ => Vec::new(),
    }
}

/// No request is signed by chance, and any command is understood or answered with help.
pub fn requests(data: &[u8]) {
    let text = super::text(data);
    let mut lines = text.splitn(3, '\n');
    let mut next = || lines.next().unwrap_or_default();
    let (time, signature, body) = (next(), next(), next());
    let secret = Token::new("8f742231b10e8888abcd99yyyzzz85a5").unwrap();
    assert!(verify(&secret, time, body.as_bytes(), signature, 1_700_000_000).is_err());
    match parse_command(&text) {
        Command::History { count } => assert!((1..=MAX_HISTORY).contains(&count)),
        Command::Help {
            unknown: Some(unknown),
        } => assert_eq!(unknown, text.trim()),
        Command::Search { words: typed }
        | Command::Decisions { about: typed }
        | Command::Open { about: typed }
        | Command::Since { when: typed }
        | Command::Thread { link: typed } => assert!(text.trim().ends_with(&typed)),
        Command::Help { unknown: None }
        | Command::Show
        | Command::Sources { .. }
        | Command::Mode { .. }
        | Command::OffRecord { .. } => {}
    }
}
