//! The bytes of an answer, line by line: each is looked at once, however long the lines are and wherever they are cut.

use super::fault::Fault;

/// The longest answer, events and all. What a model thinks before it speaks is in it.
const MAX_ANSWER_BYTES: usize = 16 << 20;
/// How much is kept of an answer that holds no events.
const MAX_BEGINNING_BYTES: usize = 64 << 10;

/// The bytes of a stream, line by line.
#[derive(Default)]
pub(super) struct Lines {
    /// What came, but for lines of earlier pieces.
    pending: Vec<u8>,
    /// Where the line begins in it that comes next.
    next: usize,
    /// Up to where there is no further break.
    searched: usize,
    /// Bytes taken in so far.
    total: usize,
    /// What came first, for the error if no event did.
    beginning: String,
    has_events: bool,
}

impl Lines {
    /// Takes in the next piece.
    ///
    /// # Errors
    /// The answer is longer than any that can be meant.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.total += bytes.len();
        if self.total > MAX_ANSWER_BYTES {
            return Err(Fault::endless("stream", MAX_ANSWER_BYTES));
        }
        // What is left of a piece that held a break is shorter than that piece.
        self.pending.drain(..self.next);
        self.searched -= self.next;
        self.next = 0;
        self.pending.extend_from_slice(bytes);
        Ok(())
    }

    /// No more bytes come: what is left is a line, too.
    pub(super) fn end(&mut self) {
        self.pending.push(b'\n');
    }

    /// The next whole event; comments, empty lines and other fields are passed over.
    ///
    /// # Errors
    /// It is no text.
    pub(super) fn next_event(&mut self, is_server_sent: bool) -> Result<Option<String>, Fault> {
        while let Some(length) = self.length_of_next() {
            let begin = self.next;
            self.searched += length;
            self.next = self.searched;
            let line = self.pending.get(begin..self.next).unwrap_or_default();
            let line = str::from_utf8(line)
                .map_err(|_| Fault::garbled("the answer holds bytes that are no UTF-8", ""))?;
            let event = if is_server_sent {
                line.strip_prefix("data:").map(str::trim)
            } else {
                Some(line.trim())
            };
            if let Some(event) = event.filter(|event| !event.is_empty()) {
                self.has_events = true;
                return Ok(Some(event.to_owned()));
            }
            if self.beginning.len() < MAX_BEGINNING_BYTES {
                self.beginning += line;
            }
        }
        self.searched = self.pending.len();
        Ok(None)
    }

    /// Whether an event came.
    pub(super) fn has_events(&self) -> bool {
        self.has_events
    }

    /// What came first that is no event.
    pub(super) fn beginning(&self) -> &str {
        &self.beginning
    }

    /// How far it is from what was searched to behind the next break.
    fn length_of_next(&self) -> Option<usize> {
        let unread = self.pending.get(self.searched..)?;
        let length = unread.iter().position(|byte| *byte == b'\n')?;
        Some(length + 1)
    }
}
