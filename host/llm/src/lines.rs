//! The bytes of an answer, line by line. Each byte is looked at once, however long the lines are and wherever the network
//! cuts them.

use super::fault::Fault;

/// The longest answer, with all of its events. It includes a model's reasoning.
const MAX_ANSWER_BYTES: usize = 16 << 20;
/// How much is kept of an answer without events, for the error.
const MAX_BEGINNING_BYTES: usize = 64 << 10;

/// The bytes of a stream, line by line.
#[derive(Default)]
pub(super) struct Lines {
    /// The bytes received, without the lines of earlier pieces.
    pending: Vec<u8>,
    /// Where the next line begins.
    next: usize,
    /// There is no line break between `next` and here.
    searched: usize,
    /// Bytes received so far.
    total: usize,
    /// The first lines that are not events, for the error if no event comes.
    beginning: String,
    has_events: bool,
}

impl Lines {
    /// Adds the next piece.
    ///
    /// # Errors
    /// If the answer is too long.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.total += bytes.len();
        if self.total > MAX_ANSWER_BYTES {
            return Err(Fault::oversized("stream", MAX_ANSWER_BYTES));
        }
        // Cheap: what is left after a line break is shorter than the piece that had the break.
        self.pending.drain(..self.next);
        self.searched -= self.next;
        self.next = 0;
        self.pending.extend_from_slice(bytes);
        Ok(())
    }

    /// Ends the stream: what is left is a line, too.
    pub(super) fn end(&mut self) {
        self.pending.push(b'\n');
    }

    /// The next whole event; comments, empty lines and other fields are skipped.
    ///
    /// # Errors
    /// If it is not UTF-8.
    pub(super) fn next_event(&mut self, is_server_sent: bool) -> Result<Option<String>, Fault> {
        while let Some(length) = self.length_of_next() {
            let begin = self.next;
            self.searched += length;
            self.next = self.searched;
            let line = self.pending.get(begin..self.next).unwrap_or_default();
            let line = str::from_utf8(line)
                .map_err(|_| Fault::unreadable("the answer holds bytes that are not UTF-8", ""))?;
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

    /// Returns true if there was an event.
    pub(super) fn has_events(&self) -> bool {
        self.has_events
    }

    /// The first lines that are not events.
    pub(super) fn beginning(&self) -> &str {
        &self.beginning
    }

    /// How many bytes lie between `searched` and the end of the next line.
    fn length_of_next(&self) -> Option<usize> {
        let unread = self.pending.get(self.searched..)?;
        let length = unread.iter().position(|byte| *byte == b'\n')?;
        Some(length + 1)
    }
}
