//! Effects in any order, and repeated any number of times.

use myao_plugin::storage::effects::{Effect, PinnedBy};
use myao_plugin::storage::records::{DoneMark, MessageRecord, UserRecord};
use myao_plugin::ts::TsKey;
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

use super::{recount_all, stored};
use myao_sql::SqlWorkspace;
use myao_sql::parts::Application;

/// How many sequences are tried.
const CASES: u32 = 400;

/// Few ids and times, so that effects concern the same rows.
fn id(prefix: &'static str) -> impl Strategy<Value = String> {
    (1..3_u8).prop_map(move |number| format!("{prefix}{number}"))
}

fn ts() -> impl Strategy<Value = TsKey> {
    (1..7_i64).prop_map(TsKey::first_of)
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("a".into()),
        Just("b".into()),
        Just("@a 訂正: b".into())
    ]
}

fn message() -> impl Strategy<Value = Effect> {
    let author = proptest::option::of(text());
    let thread = proptest::option::of(ts());
    let edited = proptest::option::of(6..12_i64);
    (
        id("C"),
        ts(),
        id("U"),
        author,
        any::<bool>(),
        text(),
        thread,
        edited,
    )
        .prop_map(
            |(channel_id, ts, user_id, author_name, is_bot, text, thread_ts, edited_at)| {
                let record = MessageRecord {
                    channel_id,
                    ts,
                    user_id,
                    author_name,
                    is_bot,
                    text,
                    thread_ts,
                    edited_at,
                };
                let changed = edited_at.map_or(ts, TsKey::first_of);
                Effect::Message { record, changed }
            },
        )
}

fn audience() -> impl Strategy<Value = Effect> {
    let maybe = || proptest::option::of(any::<bool>());
    let members = proptest::option::of(vec(id("U"), 0..4));
    prop_oneof![
        (id("C"), maybe(), ts()).prop_map(|(id, is_shared, at)| Effect::ChannelShared {
            id,
            is_shared,
            at
        }),
        (id("C"), members, ts()).prop_map(|(id, members, at)| Effect::ChannelMembers {
            id,
            members,
            at
        }),
        (id("C"), id("U"), any::<bool>(), ts()).prop_map(|(channel_id, user_id, is_member, at)| {
            Effect::Membership {
                channel_id,
                user_id,
                is_member,
                at,
            }
        }),
        (id("U"), any::<bool>(), ts()).prop_map(|(user_id, is_guest, at)| Effect::Guest {
            user_id,
            is_guest,
            at
        }),
    ]
}

fn pin() -> impl Strategy<Value = Effect> {
    let by = prop_oneof![
        id("U").prop_map(|user_id| PinnedBy::Platform { user_id }),
        id("U").prop_map(|user_id| PinnedBy::Emoji {
            user_id,
            name: "pushpin".to_owned()
        }),
        Just(PinnedBy::Operator),
    ];
    (id("C"), ts(), by, any::<bool>(), ts()).prop_map(|(channel_id, ts, by, is_pinned, at)| {
        Effect::Pin {
            channel_id,
            ts,
            by,
            is_pinned,
            at,
        }
    })
}

fn done() -> impl Strategy<Value = Effect> {
    let mark =
        (id("C"), ts(), id("U"), text()).prop_map(|(channel_id, ts, user_id, emoji)| DoneMark {
            channel_id,
            ts,
            user_id,
            emoji,
        });
    (mark, any::<bool>(), ts()).prop_map(|(mark, is_given, at)| Effect::Done { mark, is_given, at })
}

fn effect() -> impl Strategy<Value = Effect> {
    let user = (id("U"), text(), any::<bool>(), 1..4_i64);
    let name = (id("C"), text(), proptest::option::of(any::<bool>()), ts());
    prop_oneof![
        4 => message(),
        2 => (id("C"), ts(), ts()).prop_map(|(channel_id, ts, at)| Effect::MessageDeleted { channel_id, ts, at }),
        1 => user.prop_map(|(id, name, is_bot, changed_at)| Effect::User {
            record: UserRecord { id, name, is_bot },
            changed_at,
        }),
        1 => name.prop_map(|(id, name, is_private, at)| Effect::ChannelName { id, name, is_private, at }),
        3 => audience(),
        2 => pin(),
        2 => done(),
        1 => (id("C"), any::<bool>(), ts()).prop_map(|(id, present, at)| Effect::ChannelPresence { id, present, at }),
        1 => (id("C"), ts(), proptest::option::of(ts()), 1..4_i64).prop_map(
            |(channel_id, ts, thread_ts, asked_at)| Effect::Mention { channel_id, ts, thread_ts, asked_at },
        ),
    ]
}

/// Effects, the same effects in another order with some of them twice, and the number of effects in one transaction.
fn orders() -> impl Strategy<Value = (Vec<Effect>, Vec<Effect>, usize)> {
    let drawn = vec((effect(), any::<bool>()), 0..30);
    drawn.prop_flat_map(|drawn| {
        let clean: Vec<Effect> = drawn.iter().map(|(effect, _)| effect.clone()).collect();
        let twice = drawn.iter().filter(|(_, twice)| *twice);
        let mut delivered = clean.clone();
        delivered.extend(twice.map(|(effect, _)| effect.clone()));
        (Just(clean), Just(delivered).prop_shuffle(), 1..9_usize)
    })
}

fn apply(workspace: &SqlWorkspace, effects: &[Effect], together: usize) {
    for effects in effects.chunks(together) {
        let applied = workspace.write(|connection, place| {
            let mut application = Application::new(connection, place, 1);
            application.apply(effects)?;
            application.finish()
        });
        applied.unwrap();
    }
}

/// Fails with both if they differ.
fn same(clean: &str, delivered: &str) -> Result<(), TestCaseError> {
    if clean == delivered {
        return Ok(());
    }
    Err(TestCaseError::fail(format!(
        "clean:\n{clean}\ndelivered:\n{delivered}"
    )))
}

#[test]
fn any_order_of_effects_with_any_duplicates_gives_the_same() {
    let stored = stored();
    stored.store.pool.with_writer(|connection| {
        connection
            .pragma_update(None, "synchronous", "OFF")
            .unwrap();
    });
    let config = Config {
        cases: CASES,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let new_workspace = |case: i32, name: &str| {
        let id = format!("{name}{case}");
        stored
            .store
            .workspace(&id, chrono_tz::UTC, "default")
            .unwrap()
    };
    let case = std::cell::Cell::new(0);
    let result =
        TestRunner::new_with_rng(config, rng).run(&orders(), |(clean, delivered, together)| {
            case.set(case.get() + 1);
            let first = new_workspace(case.get(), "clean");
            apply(&first, &clean, clean.len().max(1));
            let second = new_workspace(case.get(), "delivered");
            apply(&second, &delivered, together);
            let dumps = (first.dump_conversations(), second.dump_conversations());
            same(&dumps.0.unwrap(), &dumps.1.unwrap())
        });
    assert!(result.is_ok(), "{}", result.unwrap_err());
    // The backlog must also equal a full count.
    let all = || -> Vec<String> {
        let dumps =
            (1..=case.get()).map(|case| new_workspace(case, "delivered").dump_conversations());
        dumps.map(Result::unwrap).collect()
    };
    let kept = all();
    stored
        .store
        .pool
        .with_writer(|connection| recount_all(connection));
    assert_eq!(all(), kept);
}
