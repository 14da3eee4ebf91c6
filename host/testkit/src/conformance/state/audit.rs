//! The audit log notes what was done, once, by whom and how.

use myao_plugin::state::audit::{Action, Actor, AuditEntry, Door, Gone, Target};
use myao_plugin::state::forgetting::{Forget, Mode};
use myao_plugin::state::off_record::Speaker;
use myao_plugin::storage::effects::{Effect, PinnedBy};
use myao_plugin::storage::marks::OPERATOR_ID;
use myao_plugin::storage::records::MessageRecord;
use myao_plugin::{MemoryType, Scope};

use super::{New, Stored, deleted, edited, message, record, said, user};
use crate::conformance::{Records, imported, key};

/// The acts, without their times and counts.
async fn acts(stored: &Stored) -> Vec<(Option<String>, Door, Action, Target)> {
    let entries = stored.audit(0).await.unwrap().into_iter();
    let act = |entry: AuditEntry| {
        let AuditEntry {
            actor: Actor { id, door },
            action,
            target,
            ..
        } = entry;
        (id, door, action, target)
    };
    entries.map(act).collect()
}

fn act(
    actor: &str,
    door: Door,
    action: Action,
    target: Target,
) -> (Option<String>, Door, Action, Target) {
    let id = (!actor.is_empty()).then(|| actor.to_owned());
    (id, door, action, target)
}

fn token_of(user_id: &str, id: i64) -> Target {
    Target {
        token: Some(id),
        ..Target::user(user_id)
    }
}

fn pin(ts: &str, by: PinnedBy, is_pinned: bool, at: &str) -> Effect {
    Effect::Pin {
        channel_id: "C1".into(),
        ts: key(ts),
        by,
        is_pinned,
        at: key(at),
    }
}

pub async fn erasure_is_noted_with_who_asked_and_how_much_went(new: New<'_>) {
    let stored = Stored::of(new);
    stored
        .apply(&[
            user("U1", "Akari", 1),
            said("1.0", None, "a"),
            said("2.0", None, "b"),
        ])
        .await;
    let forget = async |actor: Actor, what: Forget, now| {
        let receipt = stored.by(actor).forget(what, now, Mode::Erase).await;
        receipt.unwrap()
    };
    let (channel_id, ts) = ("C1".to_owned(), key("1.0"));
    let message = Forget::Message { channel_id, ts };
    forget(Actor::person("U1", Door::Slack), message, 50).await;
    forget(Actor::operator(Door::Cli), Forget::User("U1".into()), 51).await;
    forget(
        Actor::operator(Door::Page),
        Forget::Channel("C1".into()),
        52,
    )
    .await;
    forget(Actor::operator(Door::Cli), Forget::Before(key("9.0")), 53).await;
    forget(Actor::operator(Door::Cli), Forget::Credentials, 54).await;
    let operator = |door, action, target| act(OPERATOR_ID, door, action, target);
    assert_eq!(
        acts(&stored).await,
        [
            act("U1", Door::Slack, Action::Forget, Target::message("C1", ts)),
            operator(Door::Cli, Action::Forget, Target::user("U1")),
            operator(Door::Page, Action::Forget, Target::channel("C1")),
            operator(Door::Cli, Action::Forget, Target::before(key("9.0"))),
            operator(Door::Cli, Action::Redact, Target::default()),
        ]
    );
    let entries = stored.audit(0).await.unwrap();
    let times: Vec<i64> = entries.iter().map(|entry| entry.at).collect();
    assert_eq!(times, [50, 51, 52, 53, 54]);
    let one = Gone {
        messages: 1,
        ..Gone::default()
    };
    assert_eq!(entries[0].erased, Some(one));
    assert_eq!(entries[1].erased, Some(one));
    assert_eq!(entries[2].erased, Some(Gone::default()));
}

pub async fn what_was_not_done_is_not_noted(new: New<'_>) {
    let stored = Stored::of(new);
    stored.apply(&[user("U1", "Akari", 1)]).await;
    let akari = || Forget::User("U1".into());
    stored.forget(akari(), 50, Mode::DryRun).await.unwrap();
    let nobody = Forget::User("U9".into());
    assert!(stored.forget(nobody, 50, Mode::Erase).await.is_err());
    let on = stored.set_off_record(Speaker::User("U1".into()), false, key("9.0"), 50);
    assert!(!on.await.unwrap());
    assert!(!stored.remove_agent_token("U1", 7, 50).await.unwrap());
    assert_eq!(stored.accept_memories(None, 50).await, Ok(0));
    assert_eq!(stored.audit(0).await, Ok(Vec::new()));
}

pub async fn corrections_are_noted_as_they_are_given_changed_and_taken_back(new: New<'_>) {
    let stored = Stored::of(new);
    let chat = stored.by(Actor::in_chat());
    let apply = async |effect: Effect| chat.apply_effects(vec![effect], 50).await.unwrap();
    let correction = || said("1.0", None, "@myao correction: it is on Friday");
    // What comes again, and what comes late, is nothing new.
    apply(correction()).await;
    apply(correction()).await;
    apply(edited("1.0", None, "3.0", "@myao correction: on Monday")).await;
    apply(edited("1.0", None, "2.0", "@myao correction: on Sunday")).await;
    apply(deleted("1.0", "4.0")).await;
    apply(deleted("1.0", "4.0")).await;
    apply(correction()).await;
    // No corrections: another's, a program's, and one that is not said to the bot.
    let by_program = MessageRecord {
        is_bot: true,
        ..record("5.0", None, "@myao correction: x")
    };
    apply(message(by_program)).await;
    apply(said("6.0", None, "@emiko correction: x")).await;
    apply(edited("6.0", None, "7.0", "correction: y")).await;
    // The operator's, who takes it back by having it forgotten.
    let by_operator = MessageRecord {
        user_id: OPERATOR_ID.into(),
        ..record("8.0", None, "@myao 訂正: 土曜日")
    };
    let effects = vec![message(by_operator)];
    stored.apply_effects(effects, 51).await.unwrap();
    let (channel_id, ts) = ("C1".to_owned(), key("8.0"));
    let forget = Forget::Message { channel_id, ts };
    stored.forget(forget, 52, Mode::Erase).await.unwrap();
    let of = |ts: &str| Target::message("C1", key(ts));
    let operator = |action| act(OPERATOR_ID, Door::Cli, action, of("8.0"));
    assert_eq!(
        acts(&stored).await,
        [
            act("U1", Door::Slack, Action::Correct, of("1.0")),
            act("U1", Door::Slack, Action::Correct, of("1.0")),
            act("", Door::Slack, Action::UndoCorrection, of("1.0")),
            operator(Action::Correct),
            operator(Action::Forget),
            operator(Action::UndoCorrection),
        ]
    );
}

pub async fn pins_are_noted_where_they_change_something(new: New<'_>) {
    let stored = Stored::of(new);
    let chat = stored.by(Actor::in_chat());
    let platform = |user_id: &str| PinnedBy::Platform {
        user_id: user_id.into(),
    };
    let emoji = || PinnedBy::Emoji {
        user_id: "U2".into(),
        name: "pushpin".into(),
    };
    for effect in [
        pin("1.0", platform("U1"), true, "2.0"),
        pin("1.0", platform("U1"), true, "2.0"),
        // The same, as it is read from the history.
        pin("1.0", platform("U1"), true, "3.0"),
        pin("1.0", emoji(), true, "3.0"),
        pin("1.0", platform(""), false, "4.0"),
        pin("1.0", platform("U1"), true, "3.5"),
        pin("1.0", emoji(), false, "5.0"),
    ] {
        chat.apply_effects(vec![effect], 50).await.unwrap();
    }
    let page = stored.by(Actor::operator(Door::Page));
    let own = pin("1.0", PinnedBy::Operator, true, "6.0");
    page.apply_effects(vec![own], 50).await.unwrap();
    let of = || Target::message("C1", key("1.0"));
    assert_eq!(
        acts(&stored).await,
        [
            act("U1", Door::Slack, Action::Pin, of()),
            act("U2", Door::Slack, Action::Pin, of()),
            act("", Door::Slack, Action::Unpin, of()),
            act("U2", Door::Slack, Action::Unpin, of()),
            act(OPERATOR_ID, Door::Page, Action::Pin, of()),
        ]
    );
}

pub async fn settings_sign_ins_and_tokens_are_noted(new: New<'_>) {
    let stored = Stored::of(new);
    let slack = stored.by(Actor::person("U1", Door::Slack));
    let page = stored.by(Actor::person("U1", Door::Page));
    for (of, is_off, at) in [
        (Speaker::User("U1".into()), true, "10.0"),
        (Speaker::User("U1".into()), true, "11.0"),
        (Speaker::User("U1".into()), false, "12.0"),
        (Speaker::Channel("C1".into()), true, "13.0"),
    ] {
        slack.set_off_record(of, is_off, key(at), 50).await.unwrap();
    }
    page.note_sign_in(51).await.unwrap();
    let mut tokens = Vec::new();
    for hash in 1..=3 {
        let added = page.add_agent_token("U1", "Akari's laptop", [hash; 32], 52);
        tokens.push(added.await.unwrap().id);
    }
    page.remove_agent_token("U1", tokens[0], 53).await.unwrap();
    // A closed account loses the others.
    let closed = Effect::AccountClosed {
        user_id: "U1".into(),
        at: key("50.0"),
    };
    let chat = stored.by(Actor::in_chat());
    chat.apply_effects(vec![closed], 54).await.unwrap();
    let by_akari = |door, action, target| act("U1", door, action, target);
    let of_token = |at: usize| token_of("U1", tokens[at]);
    assert_eq!(
        acts(&stored).await,
        [
            by_akari(Door::Slack, Action::OffRecord, Target::user("U1")),
            by_akari(Door::Slack, Action::OnRecord, Target::user("U1")),
            by_akari(Door::Slack, Action::OffRecord, Target::channel("C1")),
            by_akari(Door::Page, Action::SignIn, Target::default()),
            by_akari(Door::Page, Action::MakeToken, of_token(0)),
            by_akari(Door::Page, Action::MakeToken, of_token(1)),
            by_akari(Door::Page, Action::MakeToken, of_token(2)),
            by_akari(Door::Page, Action::RemoveToken, of_token(0)),
            act("", Door::Slack, Action::RemoveToken, of_token(1)),
            act("", Door::Slack, Action::RemoveToken, of_token(2)),
        ]
    );
}

pub async fn each_memory_that_is_accepted_is_noted(new: New<'_>) {
    let stored = Stored::of(new);
    stored.apply(&[said("1.0", None, "a")]).await;
    let memory = imported(Scope::Channel, "C1", MemoryType::ShortTerm);
    stored.import(Records::default().memory(memory)).await;
    assert_eq!(stored.accept_memories(Some("C1".into()), 50).await, Ok(1));
    let accepted = acts(&stored).await;
    let [(id, door, Action::AcceptMemory, target)] = &accepted[..] else {
        panic!("{accepted:?}");
    };
    assert_eq!((id.as_deref(), *door), (Some(OPERATOR_ID), Door::Cli));
    assert_eq!(target.channel_id.as_deref(), Some("C1"));
    let memories = stored.all().memories(Default::default()).await.unwrap();
    assert_eq!(target.memory, Some(memories[0].memory.id));
}

pub async fn entries_about_somebody_who_is_forgotten_stay(new: New<'_>) {
    let stored = Stored::of(new);
    stored
        .apply(&[user("U1", "Akari", 1), said("1.0", None, "a secret")])
        .await;
    let page = stored.by(Actor::person("U1", Door::Page));
    let token = page.add_agent_token("U1", "laptop", [1; 32], 50);
    let token = token.await.unwrap().id;
    let forget = stored.forget(Forget::User("U1".into()), 51, Mode::EraseAndSearch);
    let search = forget.await.unwrap().search.unwrap();
    assert_eq!(search.found, []);
    let operator = |action, target| act(OPERATOR_ID, Door::Cli, action, target);
    assert_eq!(
        acts(&stored).await,
        [
            act("U1", Door::Page, Action::MakeToken, token_of("U1", token)),
            operator(Action::RemoveToken, token_of("U1", token)),
            operator(Action::Forget, Target::user("U1")),
        ]
    );
}

pub async fn entries_are_listed_since_a_time_and_expire(new: New<'_>) {
    let stored = Stored::of(new);
    for now in [50, 60, 70] {
        stored.note_sign_in(now).await.unwrap();
    }
    let times = async |since| -> Vec<i64> {
        let entries = stored.audit(since).await.unwrap();
        entries.iter().map(|entry| entry.at).collect()
    };
    assert_eq!(times(0).await, [50, 60, 70]);
    assert_eq!(times(60).await, [60, 70]);
    assert_eq!(stored.expire_audit(60).await, Ok(1));
    assert_eq!(stored.expire_audit(60).await, Ok(0));
    assert_eq!(times(0).await, [60, 70]);
}
