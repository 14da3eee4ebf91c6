//! Reads a JSON array element by element.
//!
//! The file passes through a buffer of a few megabytes. An element is parsed within the buffer, so that its strings borrow
//! from it. An element that is JSON of another shape is invalid, and reading continues after it; anything that is not JSON
//! ends the reading.

use std::io::{self, Read};

use serde::{Deserialize, de::IgnoredAny};
use serde_json::Deserializer;

use crate::limits::{MAX_ELEMENT_BYTES, MAX_ELEMENTS};

/// How much of a file is in memory at once.
const WINDOW: usize = 4 * MAX_ELEMENT_BYTES;

/// Some editors write this before a text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// An array that is being read.
pub(super) struct JsonArray<'b, R> {
    reader: R,
    buffer: &'b mut Vec<u8>,
    /// The position of the next byte in the buffer.
    at: usize,
    /// An earlier position in the buffer, and its place in the file.
    known: (usize, Place),
    bytes: Bytes<'b>,
    is_read: bool,
    state: State,
    elements: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the opening bracket.
    Before,
    /// Before the first element.
    First,
    /// After an element.
    Between,
    /// At an element that is too large.
    Oversized,
    /// After the closing bracket.
    After,
}

/// How many bytes may still be read.
#[derive(Debug)]
pub(super) struct Bytes<'b> {
    /// Of this file.
    pub(super) of_file: u64,
    /// Of all files.
    pub(super) of_all: &'b mut u64,
}

/// A place in a text file; both numbers count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) column: usize,
}

/// An element of the array.
#[derive(Debug)]
pub(super) enum Element<'e, T> {
    /// The value, and its JSON.
    Value(T, &'e [u8]),
    /// It has another shape; where and why.
    Invalid(Place, String),
}

/// Why the rest of the array cannot be read.
#[derive(Debug)]
pub(super) enum Fault {
    /// The file cannot be read.
    Io(io::Error),
    /// It is not JSON, or not an array.
    Json(Place, String),
    /// The file has too many bytes.
    TooLarge,
    /// All files together have too many bytes.
    AllTooLarge,
    /// The file has too many elements.
    TooMany,
}

impl<'b, R: Read> JsonArray<'b, R> {
    /// Reads at most so many bytes. The content of `buffer` is overwritten.
    pub(super) fn new(reader: R, bytes: Bytes<'b>, buffer: &'b mut Vec<u8>) -> Self {
        buffer.clear();
        Self {
            reader,
            buffer,
            at: 0,
            known: (0, Place { line: 1, column: 1 }),
            bytes,
            is_read: false,
            state: State::Before,
            elements: 0,
        }
    }

    /// The next element; `None` after the last.
    pub(super) fn next<'e, T: Deserialize<'e>>(
        &'e mut self,
    ) -> Result<Option<Element<'e, T>>, Fault> {
        if !self.find_element()? {
            return Ok(None);
        }
        self.elements += 1;
        if self.elements > MAX_ELEMENTS {
            return Err(Fault::TooMany);
        }
        let Self {
            buffer,
            at,
            known,
            is_read,
            state,
            ..
        } = self;
        let start = *at;
        let rest = buffer.get(start..).unwrap_or_default();
        let json = rest.get(..MAX_ELEMENT_BYTES).unwrap_or(rest);
        let is_whole = json.len() == rest.len() && *is_read;
        if !is_whole && json.iter().all(is_of_number) {
            *state = State::Oversized;
            return Ok(Some(oversized(place_of(buffer, known, start))));
        }
        let error = match parse::<T>(json) {
            Ok((value, length)) => {
                *at += length;
                *state = State::Between;
                let json = json.get(..length).unwrap_or_default();
                return Ok(Some(Element::Value(value, json)));
            }
            Err(error) => error,
        };
        let place = place_of(buffer, known, start);
        match parse::<IgnoredAny>(json) {
            Ok((_, length)) => {
                *at += length;
                *state = State::Between;
                let place = place.within(&error);
                Ok(Some(Element::Invalid(place, detail_of(&error))))
            }
            Err(end) if end.is_eof() && !is_whole => {
                *state = State::Oversized;
                Ok(Some(oversized(place)))
            }
            Err(broken) => Err(Fault::Json(place.within(&broken), detail_of(&broken))),
        }
    }

    /// Goes to the first byte of the next element; false if there is none.
    fn find_element(&mut self) -> Result<bool, Fault> {
        match self.state {
            State::Before => {
                self.refill()?;
                if self.buffer.starts_with(BYTE_ORDER_MARK) {
                    self.at = BYTE_ORDER_MARK.len();
                }
                match self.skip_white_space()? {
                    Some(b'[') => self.at += 1,
                    Some(_) => return Err(self.broken("expected a list: `[`")),
                    None => return Err(self.broken("EOF while parsing a value")),
                }
                self.state = State::First;
            }
            State::Oversized => {
                self.skip_oversized()?;
                self.state = State::Between;
            }
            State::First | State::Between | State::After => self.refill()?,
        }
        if self.state == State::After {
            return Ok(false);
        }
        match (self.skip_white_space()?, self.state) {
            (Some(b']'), _) => {
                self.at += 1;
                self.state = State::After;
                match self.skip_white_space()? {
                    None => Ok(false),
                    Some(_) => Err(self.broken("trailing characters")),
                }
            }
            (Some(b','), State::Between) => {
                self.at += 1;
                match self.skip_white_space()? {
                    Some(_) => self.refill().map(|()| true),
                    None => Err(self.broken("EOF while parsing a value")),
                }
            }
            (Some(_), State::First) => self.refill().map(|()| true),
            (Some(_), _) => Err(self.broken("expected `,` or `]`")),
            (None, _) => Err(self.broken("EOF while parsing a list")),
        }
    }

    /// The next byte that is not white space; `None` at the end of the file.
    fn skip_white_space(&mut self) -> Result<Option<u8>, Fault> {
        loop {
            let rest = self.buffer.get(self.at..).unwrap_or_default();
            let blanks = rest
                .iter()
                .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
                .count();
            self.at += blanks;
            if let Some(byte) = rest.get(blanks) {
                return Ok(Some(*byte));
            }
            if self.is_read {
                return Ok(None);
            }
            self.refill()?;
        }
    }

    /// Skips an element of any size.
    fn skip_oversized(&mut self) -> Result<(), Fault> {
        if self.buffer.get(self.at).is_some_and(is_of_number) {
            return self.skip_number();
        }
        let (mut depth, mut is_text, mut is_escaped) = (0_u64, false, false);
        loop {
            let rest = self.buffer.get(self.at..).unwrap_or_default();
            for (index, byte) in rest.iter().enumerate() {
                match byte {
                    _ if is_escaped => is_escaped = false,
                    b'\\' if is_text => is_escaped = true,
                    b'"' => is_text = !is_text,
                    _ if is_text => {}
                    b'[' | b'{' => depth += 1,
                    b']' | b'}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                if depth == 0 && !is_text {
                    self.at += index + 1;
                    return Ok(());
                }
            }
            self.at = self.buffer.len();
            if self.is_read {
                return Err(self.broken("EOF while parsing a list"));
            }
            self.refill()?;
        }
    }

    /// Skips a number of any size: only the next character ends it.
    fn skip_number(&mut self) -> Result<(), Fault> {
        loop {
            let rest = self.buffer.get(self.at..).unwrap_or_default();
            let length = rest.iter().take_while(|byte| is_of_number(byte)).count();
            let is_over = length < rest.len();
            self.at += length;
            if is_over || self.is_read {
                return Ok(());
            }
            self.refill()?;
        }
    }

    /// Fills the buffer, unless it already holds the longest element or the end of the file.
    fn refill(&mut self) -> Result<(), Fault> {
        if self.is_read || self.buffer.len() - self.at >= MAX_ELEMENT_BYTES {
            return Ok(());
        }
        let place = place_of(self.buffer, &mut self.known, self.at);
        self.known = (0, place);
        self.buffer.drain(..self.at);
        self.at = 0;
        let wanted = (WINDOW - self.buffer.len()) as u64;
        let read = (&mut self.reader)
            .take(wanted)
            .read_to_end(self.buffer)
            .map_err(Fault::Io)? as u64;
        self.is_read = read < wanted;
        let Bytes { of_file, of_all } = &mut self.bytes;
        *of_file = of_file.checked_sub(read).ok_or(Fault::TooLarge)?;
        **of_all = of_all.checked_sub(read).ok_or(Fault::AllTooLarge)?;
        Ok(())
    }

    fn broken(&mut self, detail: &str) -> Fault {
        let place = place_of(self.buffer, &mut self.known, self.at);
        Fault::Json(place, detail.to_owned())
    }
}

/// An element that is too large.
fn oversized<'e, T>(place: Place) -> Element<'e, T> {
    Element::Invalid(place, format!("larger than {MAX_ELEMENT_BYTES} bytes"))
}

/// Returns true if a number may contain this byte. A number that is cut looks like a whole one.
fn is_of_number(byte: &u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')
}

/// The place in the file of a position in the buffer. Counts from the last known one, so that no byte is counted twice.
fn place_of(buffer: &[u8], known: &mut (usize, Place), at: usize) -> Place {
    let place = known.1.after(buffer.get(known.0..at).unwrap_or_default());
    *known = (at, place);
    place
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

impl Place {
    /// The place after some bytes that begin here.
    fn after(self, bytes: &[u8]) -> Self {
        match bytes.iter().rposition(|byte| *byte == b'\n') {
            Some(last) => Self {
                line: self.line + bytes.iter().filter(|byte| **byte == b'\n').count(),
                column: bytes.len() - last,
            },
            None => Self {
                line: self.line,
                column: self.column + bytes.len(),
            },
        }
    }

    /// The place of an error in a text that begins here.
    fn within(self, error: &serde_json::Error) -> Self {
        match error.line() {
            0 | 1 => Self {
                line: self.line,
                column: self.column + error.column().saturating_sub(1),
            },
            line => Self {
                line: self.line + line - 1,
                column: error.column(),
            },
        }
    }
}

/// The value at the beginning of `json`, and its length there.
fn parse<'e, T: Deserialize<'e>>(json: &'e [u8]) -> Result<(T, usize), serde_json::Error> {
    let mut values = Deserializer::from_slice(json).into_iter::<T>();
    match values.next() {
        Some(value) => Ok((value?, values.byte_offset())),
        None => Err(serde::de::Error::custom("EOF while parsing a value")),
    }
}

/// The fault, without the place and without quoting the file.
fn detail_of(error: &serde_json::Error) -> String {
    let detail = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let detail = detail.strip_suffix(&place).unwrap_or(&detail);
    for kind in ["invalid type: string", "invalid value: string"] {
        if detail.starts_with(kind)
            && let Some((_, expected)) = detail.rsplit_once(", expected ")
        {
            return format!("{kind}, expected {expected}");
        }
    }
    detail.to_owned()
}

#[cfg(test)]
#[path = "json_array_tests.rs"]
mod tests;
