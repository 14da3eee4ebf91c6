//! All state of a workspace in memory.
//!
//! It is written to be read: plain maps behind one lock, one file for each trait of [`myao_plugin::state`] and each
//! part of `wit/storage.wit` (`messages` holds what people wrote, `memories` what the component saved, `due` what waits
//! to be processed; `merging` and `writing` have the rules that give the same result for messages in any order). It
//! scans everything, so that no counts have to be stored. If you write a store for a platform, this shows what each
//! call has to do, and your store must pass the same suites: [`crate::storage_conformance!`], and for a whole workspace
//! [`crate::workspace_conformance!`].
//!
//! ```
//! use myao_plugin::storage::{Keep, MessageQuery};
//! use myao_plugin::{Place, Places as _};
//! use myao_testkit::MemoryStorage;
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let storage = MemoryStorage::new();
//! storage.add_channel("C1", "general");
//! let question = storage.say("C1", 1_709_287_200, "alice", "When does the crane come?");
//! storage.reply("C1", question, 1_709_287_260, "bob", "On March 3.");
//!
//! let seen = storage.at(Place::Channel("C1".to_owned()));
//! let messages = seen.list_messages(MessageQuery {
//!     channel_id: "C1".to_owned(),
//!     since: None,
//!     until: "1709290000.000000".to_owned(),
//!     limit: 100,
//!     keep: Keep::Newest,
//!     whole_thread: None,
//!     thread_limit: 0,
//!     only_new: false,
//! });
//! let messages = messages.await.unwrap();
//! assert_eq!(messages[1].text, "On March 3.");
//! // The first message of a thread names itself, once there is a reply.
//! assert_eq!(messages[0].thread_ts.as_deref(), Some("1709287200.000000"));
//! # });
//! ```

mod agent_tokens;
mod audience;
mod backfill;
mod catch_up;
mod done;
mod due;
mod effects;
mod erase;
mod feedback;
mod filling;
mod forgetting;
mod import;
mod inbox;
mod journal;
mod judgments;
mod members;
mod memories;
mod mentions;
mod merging;
mod messages;
mod newest;
mod off_record;
mod outbox;
mod pins;
mod places;
mod progress;
mod recordings;
mod replies;
mod retraction;
mod saving;
mod search;
mod sync;
mod upkeep;
mod view;
mod writing;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_tokens::Issued;
use catch_up::{Missing, Unread};
use done::DoneMarks;
use erase::Revisions;
use feedback::Feedback;
use forgetting::Tombstones;
use inbox::StoredEvent;
use journal::Call;
use memories::{Series, StoredText};
use messages::{Conversation, StoredUser};
use myao_plugin::state::Workspace;
use myao_plugin::state::catch_up::Gap;
use myao_plugin::state::judgments::StoredJudgment;
use myao_plugin::state::view::View;
use myao_plugin::storage::{Deferral, Memory, MemoryDraft, StorageError};
use myao_plugin::ts::{InvalidTs, TsKey};
use myao_plugin::{Place, Timestamp, WORKSPACE_SCOPE_ID};
use off_record::OffRecordTimes;
use recordings::StoredRecording;
use replies::Reply;

/// One workspace in memory. See the [module](self).
///
/// People and importers fill it with [`add_channel`](Self::add_channel), [`say`](Self::say),
/// [`reply`](Self::reply), [`edit`](Self::edit), [`delete`](Self::delete) and [`import`](Self::import); tests look into it
/// with [`memories`](Self::memories) and [`drafts`](Self::drafts).
///
/// A clone is the same workspace.
#[derive(Clone)]
pub struct MemoryStorage {
    state: Arc<Mutex<State>>,
}

/// Everything that is stored. No call sees or leaves it half written.
#[derive(Clone, Default)]
struct State {
    /// The scope id of the workspace's own memories.
    workspace_scope_id: String,
    /// The offset in which times are shown.
    utc_offset_seconds: i32,
    /// People and programs, by id.
    users: BTreeMap<String, StoredUser>,
    /// What was said, by channel id.
    channels: BTreeMap<String, Conversation>,
    /// All texts of memories, by id.
    texts: BTreeMap<u64, StoredText>,
    /// The ids of those that the component sees.
    current: BTreeMap<Series, Vec<u64>>,
    /// What is deferred.
    deferrals: BTreeMap<Series, Deferral>,
    /// Every draft that was saved, in order.
    drafts: Vec<MemoryDraft>,
    /// In order of arrival.
    events: Vec<StoredEvent>,
    /// The id of the newest event, even if that event was deleted.
    last_event: i64,
    /// By channel and the message that is answered.
    replies: BTreeMap<(String, TsKey), Reply>,
    /// Threads whose memories lost lines in the transaction that is being written: channel id and thread.
    threads_to_make_anew: BTreeSet<(String, TsKey)>,
    /// Retracted posts, and whether the platform still shows them.
    retracted: BTreeMap<(String, TsKey), bool>,
    /// By channel and thread; `None` for the top level.
    judgments: BTreeMap<(String, Option<TsKey>), StoredJudgment>,
    /// In Unix seconds, like `backfill_tick`.
    connected_through: Option<i64>,
    /// The workspace's address on its platform.
    address: Option<String>,
    gap: Option<Gap>,
    unread_channels: BTreeMap<String, Unread>,
    /// By channel and message.
    missing_messages: BTreeMap<(String, TsKey), Missing>,
    backfill_tick: Option<i64>,
    calls: Vec<Call>,
    /// The digest of the newest run's model.
    run_model: Option<String>,
    recordings: Vec<StoredRecording>,
    revisions: Revisions,
    tombstones: Tombstones,
    off_record: OffRecordTimes,
    agent_tokens: Issued,
    feedback: Feedback,
    done: DoneMarks,
}

impl Default for MemoryStorage {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryStorage {
    /// An empty workspace with the scope id `default`, whose times are shown in UTC.
    #[must_use]
    pub fn new() -> Self {
        let state = State {
            workspace_scope_id: WORKSPACE_SCOPE_ID.to_owned(),
            ..State::default()
        };
        Self {
            state: Arc::new(Mutex::new(state)),
        }
    }

    /// Sets another scope id for the workspace's memories; it is the setting `workspace-scope-id`.
    #[must_use]
    pub fn with_workspace_scope_id(self, scope_id: &str) -> Self {
        scope_id.clone_into(&mut self.state().workspace_scope_id);
        self
    }

    /// Sets another offset in which times are shown: 32400 seconds for Japan.
    #[must_use]
    pub fn with_utc_offset(self, seconds: i32) -> Self {
        self.state().utc_offset_seconds = seconds;
        self
    }

    /// Every memory that the component can see, stand-ins included, ordered by scope, scope id, type and version.
    #[must_use]
    pub fn memories(&self) -> Vec<Memory> {
        let state = self.state();
        let current = state.current.keys();
        let current = current.flat_map(|series| state.current(series));
        current.cloned().collect()
    }

    /// Every draft that was saved, in order, including those whose texts were replaced.
    #[must_use]
    pub fn drafts(&self) -> Vec<MemoryDraft> {
        self.state().drafts.clone()
    }

    /// The state, even after a panic in another test's thread: no call leaves it half written.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Workspace for MemoryStorage {
    fn view(&self, place: Place) -> Arc<dyn View> {
        Arc::new(view::Seen {
            storage: self.clone(),
            place,
        })
    }
}

impl State {
    fn conversation(&self, channel_id: &str) -> Result<&Conversation, StorageError> {
        let conversation = self.channels.get(channel_id);
        conversation.ok_or_else(|| {
            StorageError::NotFound(format!(
                "channel `{channel_id}` is not stored: add it first"
            ))
        })
    }

    /// A time with the offset in which it is shown.
    fn timestamp(&self, unix_seconds: i64) -> Timestamp {
        Timestamp {
            unix_seconds,
            utc_offset_seconds: self.utc_offset_seconds,
        }
    }
}

/// A message id as a number, which is the only way to compare ids.
fn key(ts: &str) -> Result<TsKey, StorageError> {
    TsKey::parse(ts).map_err(|error: InvalidTs| StorageError::Invalid(error.to_string()))
}

/// A limit of a list.
fn most(limit: u32) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}
