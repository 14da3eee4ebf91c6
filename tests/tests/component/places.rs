//! Each export works in the place of its subject: the store is opened for it, and for no other.

use std::sync::{Arc, Mutex};

use myao_plugin::storage::Storage;
use myao_plugin::{BuildRequest, Place, Places, Target};
use myao_testkit::{Asked, Imports, MemoryStorage, ScriptedLlm};
use myao_tests::plugin_over;

use crate::component::host::{Host, fill, now, thread_ts};

/// Notes for which places a store is opened.
struct Opened {
    storage: Arc<MemoryStorage>,
    places: Arc<Mutex<Vec<Place>>>,
}

impl Places for Opened {
    fn at(&self, place: Place) -> Arc<dyn Storage> {
        self.places.lock().unwrap().push(place.clone());
        self.storage.at(place)
    }
}

#[tokio::test]
async fn each_export_sees_the_store_from_the_place_of_its_subject() {
    let judgment = r#"{"should_respond": true, "reason": "?", "confidence": 0.8}"#;
    let llm = ScriptedLlm::answering("It comes on March 3.")
        .on(Asked::by(myao_plugin::llm::Agent::Judgment), judgment);
    let host = Host::new(llm);
    fill(&host.storage);
    let places = Arc::<Mutex<Vec<Place>>>::default();
    let opened = Opened {
        storage: host.storage.clone(),
        places: places.clone(),
    };
    let imports = Imports::new(Arc::new(opened), host.llm.clone()).with_chat(host.chat.clone());
    let plugin = plugin_over(imports, host.settings.clone());
    let opened_for = || std::mem::take(&mut *places.lock().unwrap());
    let channel = || vec![Place::Channel("C1".to_owned())];
    let thread = thread_ts().to_string();
    let target = |thread_ts| Target {
        channel_id: "C1".to_owned(),
        thread_ts,
        message_ts: thread.clone(),
    };

    plugin.next_steps(&[], now()).await.unwrap();
    assert_eq!(opened_for(), [Place::Schedule]);
    let made = plugin.generate_thread("C1", &thread, now()).await.unwrap();
    assert_eq!((opened_for(), made.made.len()), (channel(), 1));
    let made = plugin.generate_channel("C1", now()).await.unwrap();
    assert_eq!((opened_for(), made.made.len()), (channel(), 2));
    plugin.generate_workspace(now()).await.unwrap();
    assert_eq!(opened_for(), [Place::Workspace]);
    plugin.judge(&target(None), now()).await.unwrap();
    assert_eq!(opened_for(), channel());
    plugin.reply_unasked(&target(None), now()).await.unwrap();
    assert_eq!(opened_for(), channel());
    let in_thread = target(Some(thread.clone()));
    plugin.reply_to_mention(&in_thread, now()).await.unwrap();
    assert_eq!(opened_for(), channel());
    for (channel_id, expected) in [("C1", channel()), ("", vec![Place::Workspace])] {
        let request = BuildRequest {
            channel_id: channel_id.to_owned(),
            target_thread_ts: None,
            since: None,
            message_limit: None,
        };
        plugin.build_context(&request, now()).await.unwrap();
        assert_eq!(opened_for(), expected);
    }
}
