//! Reads the messages of day files.

use std::sync::mpsc::SyncSender;

use myao_plugin::storage::effects::{Effect, PinnedBy};
use myao_plugin::storage::records::{DoneMark, MessageRecord, PinRecord};
use myao_plugin::ts::InvalidTs;
use myao_slack::message::raw::RawMessage;
use myao_slack::message::{MessageReader, Outcome};
use myao_slack::{done, pins};
use serde_json::Value;

use super::{
    archive::{Archive, FileNumber},
    directory::Directory,
    json_array::Element,
    survey::Survey,
};
use crate::limits::MAX_TEXT_BYTES;
use crate::{ImportError, ImportReport};

/// The messages of one batch, and their bytes.
const BATCH: usize = 1_000;
const BATCH_BYTES: usize = 1 << 20;

/// The context of reading all day files.
pub(super) struct Days<'d> {
    pub(super) archive: Archive,
    pub(super) directory: &'d Directory,
    /// One for each conversation of the directory.
    pub(super) surveys: &'d [Survey],
}

/// Messages of a day file.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// The messages to store.
    pub(super) messages: Vec<MessageRecord>,
    /// Which of them are pinned.
    pub(super) pins: Vec<PinRecord>,
    /// Which of them are marked as done.
    pub(super) done: Vec<DoneMark>,
    /// Messages left out since the last batch.
    pub(super) left_out: ImportReport,
    /// True for the last batch of a file.
    pub(super) is_last: bool,
    bytes: usize,
}

/// Sends batches. Fails once the receiver is gone.
type Batches = SyncSender<Result<Batch, ImportError>>;

/// Why a day file was not read to the end.
enum Stop {
    /// It cannot be read.
    Error(ImportError),
    /// The receiver of the batches is gone.
    Unwanted,
}

impl From<ImportError> for Stop {
    fn from(error: ImportError) -> Self {
        Self::Error(error)
    }
}

impl Days<'_> {
    /// Reads channel by channel, day by day, until an error, or until the receiver is gone.
    pub(super) fn decode(mut self, batches: Batches) {
        for (conversation, survey) in self.directory.conversations.iter().zip(self.surveys) {
            let reader = MessageReader {
                channel_id: &conversation.record.id,
                people: self.directory,
                threads: survey.threads.as_slice(),
                deleted: survey.deleted.as_slice(),
            };
            for day in &conversation.days {
                let file = (day.name(&conversation.folder), day.number);
                match read_day(&mut self.archive, &file, &reader, &batches) {
                    Ok(()) => {}
                    Err(Stop::Unwanted) => return,
                    Err(Stop::Error(error)) => {
                        // If the receiver is gone, the import has failed already.
                        let _ = batches.send(Err(error));
                        return;
                    }
                }
            }
        }
    }
}

/// Reads the messages of one day file.
fn read_day(
    archive: &mut Archive,
    (name, number): &(String, FileNumber),
    reader: &MessageReader<'_>,
    batches: &Batches,
) -> Result<(), Stop> {
    let mut list = archive.list(name, *number)?;
    let mut batch = Batch::default();
    let mut index = 0_u64;
    while let Some(element) = list.next::<RawMessage<'_>>()? {
        index += 1;
        match element {
            Element::Value(raw, json) => match read_message(&raw, json, reader) {
                Ok(Outcome::Keep(message)) => {
                    batch.add_marks(&raw, json, reader.channel_id);
                    batch.add(message);
                }
                Ok(Outcome::LeaveOut(reason)) => batch.left_out.leave_out(reason),
                Err(Unreadable(detail)) => batch
                    .left_out
                    .leave_out_unreadable(|| format!("{name}, message {index}: {detail}")),
            },
            Element::Invalid(place, detail) => batch
                .left_out
                .leave_out_unreadable(|| format!("{name}, {place}: {detail}")),
        }
        if batch.messages.len() >= BATCH || batch.bytes >= BATCH_BYTES {
            let full = std::mem::take(&mut batch);
            batches.send(Ok(full)).map_err(|_| Stop::Unwanted)?;
        }
    }
    batch.is_last = true;
    batches.send(Ok(batch)).map_err(|_| Stop::Unwanted)
}

/// The platform's pin of a message. Which reactions pin is not known here.
fn pin(message: &Value, channel_id: &str) -> Option<PinRecord> {
    let of_platform = |effect: Effect| match effect {
        Effect::Pin {
            channel_id,
            ts,
            by: PinnedBy::Platform { user_id },
            is_pinned: true,
            at,
        } => Some(PinRecord {
            channel_id,
            ts,
            user_id,
            at,
        }),
        _ => None,
    };
    pins::of_message(message, channel_id)
        .into_iter()
        .find_map(of_platform)
}

/// Why a message cannot be read.
struct Unreadable(String);

impl From<InvalidTs> for Unreadable {
    fn from(error: InvalidTs) -> Self {
        Self(error.to_string())
    }
}

/// Reads a message, with its blocks and attachments if it needs them.
fn read_message(
    raw: &RawMessage<'_>,
    json: &[u8],
    reader: &MessageReader<'_>,
) -> Result<Outcome, Unreadable> {
    let rich = || {
        serde_json::from_slice(json).map_err(|_| Unreadable("its blocks cannot be read".to_owned()))
    };
    match reader.read(raw, rich)? {
        Outcome::Keep(message) if bytes_of(&message) > MAX_TEXT_BYTES => Err(Unreadable(format!(
            "its text has more than {MAX_TEXT_BYTES} bytes"
        ))),
        outcome => Ok(outcome),
    }
}

impl Batch {
    fn add_marks(&mut self, raw: &RawMessage<'_>, json: &[u8], channel_id: &str) {
        if raw.may_be_marked()
            && let Ok(message) = serde_json::from_slice(json)
        {
            self.pins.extend(pin(&message, channel_id));
            self.done.extend(done::of_message(&message, channel_id));
        }
    }

    fn add(&mut self, message: MessageRecord) {
        self.bytes += bytes_of(&message);
        self.messages.push(message);
    }
}

fn bytes_of(message: &MessageRecord) -> usize {
    let name = message.author_name.as_ref().map_or(0, String::len);
    message.text.len() + message.user_id.len() + name
}
