//! Forgetting: what people want gone, and what has been kept long enough.

use crate::storage::records::UserRecord;
use crate::storage::{Channel, StorageError};
use crate::ts::TsKey;

/// A request to forget: it takes all that is stored, and what arrives later but was said before. Later messages are remembered.
///
/// Exhaustive on purpose: a store must be able to erase each of these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Forget {
    /// One message, which need not be stored.
    Message {
        /// Its channel.
        channel_id: String,
        /// The message.
        ts: TsKey,
    },
    /// All messages of a user, by the user's id.
    User(String),
    /// All messages and memories of a channel, by its id.
    Channel(String),
    /// All messages before this one.
    Before(TsKey),
    /// Credentials in messages that were stored before they were recognised: a placeholder takes their place.
    Credentials,
}

/// The removed and the remaining items.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Receipt {
    /// The removed items.
    pub erased: Erased,
    /// The search afterwards; `None` without [`Mode::EraseAndSearch`].
    pub search: Option<Search>,
}

/// How to forget.
///
/// Exhaustive on purpose: a store must know in each mode whether it may change anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Nothing changes: only the receipt is made.
    DryRun,
    /// Erases.
    Erase,
    /// Erases, then looks for what was erased in everything that is stored, which takes as long as reading it.
    EraseAndSearch,
}

/// How much went in each layer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Erased {
    /// Messages.
    pub messages: usize,
    /// Lines of memories, older texts included.
    pub lines: usize,
    /// Memories that these lines stood in.
    pub memories: usize,
    /// Recordings of calls.
    pub recordings: usize,
    /// Answers of the model that waited for their memory.
    pub model_answers: usize,
    /// Posts of the bot, which the platform is asked to replace by a note.
    pub posts: usize,
    /// Parts of answers to people that were not sent yet.
    pub unsent_parts: usize,
    /// Events that could not be applied.
    pub events: usize,
    /// Other messages that are remembered anew by the next run, because lines that went spoke of them too.
    pub remembered_anew: usize,
}

/// The search for forgotten texts in all that is stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Search {
    /// How many different texts were looked for.
    pub texts: usize,
    /// How many were not looked for, because they have fewer than [`MIN_SEARCHED_CHARS`] characters, or are more than [`MAX_SEARCHED`].
    pub left_out: usize,
    /// Where some were found.
    pub found: Vec<Found>,
    /// Why older pages of the store may still hold texts for a while; `None` if they do not.
    pub kept_pages: Option<String>,
}

/// Texts that were forgotten and still stand somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The table and the column, or what a store has in their place, such as `messages.text`.
    pub place: String,
    /// How many rows hold one of them.
    pub rows: usize,
}

/// A text with fewer characters stands in too many others to be looked for.
pub const MIN_SEARCHED_CHARS: usize = 6;
/// The maximum number of texts that are looked for.
pub const MAX_SEARCHED: usize = 100_000;

/// Until when messages, memories and records of calls are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retention {
    /// Older messages go. What was made from them stays, and goes when one of them is deleted.
    pub messages: Option<TsKey>,
    /// Memories that were made before go, in Unix seconds.
    pub memories: Option<i64>,
    /// Calls of models and embedders that began before go, in Unix seconds, unless a current memory was made by them.
    pub calls: Option<i64>,
}

/// Forgets.
#[async_trait::async_trait]
pub trait Forgetting: Send + Sync {
    /// Forgets at `now`, in Unix seconds.
    ///
    /// # Errors
    /// `StorageError::NotFound` if there is no such user or channel.
    async fn forget(&self, what: Forget, now: i64, mode: Mode) -> Result<Receipt, StorageError>;

    /// The id of the user who wrote a message, deleted or not; `None` if that is not known.
    async fn author(&self, channel_id: &str, ts: TsKey) -> Result<Option<String>, StorageError>;

    /// All channels, ordered by name and then by id, those too that the bot is not in any more.
    async fn all_channels(&self) -> Result<Vec<Channel>, StorageError>;

    /// All people and programs, ordered by name and then by id, those too of whom only a message is known; then the id is
    /// the name.
    async fn users(&self) -> Result<Vec<UserRecord>, StorageError>;

    /// Removes what has been kept long enough, at `now`, in Unix seconds: a bounded part of it. Returns how many of each went; call it again until none does.
    /// Older messages that arrive later are refused until the next call with another time.
    async fn expire(&self, retention: Retention, now: i64) -> Result<Expired, StorageError>;
}

/// Items that were kept long enough.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Expired {
    /// Messages that went.
    pub messages: usize,
    /// Memories that went.
    pub memories: usize,
    /// Calls that went.
    pub calls: usize,
}

impl std::ops::AddAssign for Erased {
    fn add_assign(&mut self, other: Self) {
        self.messages += other.messages;
        self.lines += other.lines;
        self.memories += other.memories;
        self.recordings += other.recordings;
        self.model_answers += other.model_answers;
        self.posts += other.posts;
        self.unsent_parts += other.unsent_parts;
        self.events += other.events;
        self.remembered_anew += other.remembered_anew;
    }
}

impl Expired {
    /// Returns true if nothing went.
    #[must_use]
    pub fn is_nothing(self) -> bool {
        self == Self::default()
    }
}
