//! A channel that becomes private, or gets readers from outside, while an answer is made from it elsewhere: the answer is not
//! posted, but made anew from what may still be shown.

use std::sync::Arc;

use myao_plugin::storage::records::MessageRecord;
use myao_plugin::{Answer, CallError, Error, MemoryPlugin, Settings, Target, Timestamp};
use myao_sql::SqlWorkspace;
use myao_testkit::{Calls, Faults, Imports, MemoryChat, Recorder};
use myao_tests::conversation::{channel_id, message, ts};
use myao_tests::store::{TestStore, import, utc};

use crate::runs::conversions::{
    NOW, NewestThen, SECRET, calls, copying, extracting, history, imports, moments, plugin_on,
    remembering, strike, ways,
};

/// A question in the first channel that the second one's talk answers.
fn question() -> (MessageRecord, Target) {
    let (id, at) = (channel_id(0), ts(NOW - 60, 1));
    let target = Target {
        channel_id: id.clone(),
        thread_ts: None,
        message_ts: at.to_string(),
    };
    (
        message(
            &id,
            at,
            "What is the budget of the zoo, and who pays for the zoo?",
        ),
        target,
    )
}

async fn reply(
    plugin: &MemoryPlugin,
    is_unasked: bool,
    now: Timestamp,
) -> Result<Answer, CallError> {
    let (_, target) = question();
    match is_unasked {
        true => plugin.reply_unasked(&target, now).await,
        false => plugin.reply_to_mention(&target, now).await,
    }
}

fn with_chat(workspace: &SqlWorkspace, chat: &Arc<MemoryChat>) -> Imports {
    imports(workspace).with_chat(chat.clone())
}

fn is_in_a_post(chat: &MemoryChat) -> bool {
    chat.posts().iter().any(|post| post.text.contains(SECRET))
}

#[tokio::test]
async fn an_answer_that_was_made_from_a_channel_before_it_changed_is_not_posted_but_made_anew() {
    for (change, is_unasked) in [
        (copying as fn(&mut Settings), false),
        (copying, true),
        (extracting, false),
        (extracting, true),
    ] {
        let base = remembering(change).await;
        import(&base.open(), &history(vec![question().0]));
        let (_file, workspace) = TestStore::copy_of(&base).into_workspace();
        let (chat, recorder) = (Arc::<MemoryChat>::default(), Arc::new(Recorder::default()));
        let tapped = with_chat(&workspace, &chat).tapped(recorder.clone());
        reply(&plugin_on(tapped, change), is_unasked, utc(NOW))
            .await
            .unwrap();
        assert!(is_in_a_post(&chat), "{:?}", chat.posts());
        let calls = calls(&recorder);
        assert_eq!(calls.last(), Some(&"chat.post"), "{calls:?}");
        let mut refused = 0;
        for (way, effects) in ways() {
            for (when, moment) in moments(way) {
                // From the post's call on, the platform may show it at once.
                for at in 0..calls.len() - 1 {
                    let what = format!("{way} {when} call {at} of {calls:?}");
                    let (_file, workspace) = TestStore::copy_of(&base).into_workspace();
                    let (faults, newest) = (Arc::new(Faults::default()), NewestThen::default());
                    let chat = Arc::<MemoryChat>::default();
                    let strike = strike(&workspace, &effects, &newest);
                    moment(&faults, Calls::all().nth(at), strike);
                    let plugin = plugin_on(with_chat(&workspace, &chat).tapped(faults), change);
                    if let Err(error) = reply(&plugin, is_unasked, utc(NOW)).await {
                        let CallError::Refused(Error::Chat(_)) = error else {
                            panic!("{what}: {error:?}");
                        };
                        refused += 1;
                        assert_eq!(chat.posts().len(), 0, "{what}");
                    }
                    let plugin = plugin_on(with_chat(&workspace, &chat), change);
                    reply(&plugin, is_unasked, utc(NOW + 60)).await.unwrap();
                    // Unasked nothing is posted that says nothing.
                    let posts = chat.posts().len();
                    assert!(posts == 1 || is_unasked && posts == 0, "{what}: {posts}");
                    assert!(!is_in_a_post(&chat), "{what}: {:?}", chat.posts());
                }
            }
        }
        assert!(refused >= 6, "{refused}");
    }
}
