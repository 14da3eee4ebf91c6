//! Text that comes in pieces.
//!
//! A server whose strings are UTF-16, as in JavaScript, may cut an answer within a character. Each of the two pieces then
//! holds half of a surrogate pair: valid JSON, but not a Rust string. So pieces are bytes (WTF-8), in which such a half
//! has three bytes, until the other half arrives.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// One piece.
#[derive(Default)]
pub(super) struct Piece(Vec<u8>);

impl<'de> Deserialize<'de> for Piece {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_byte_buf(PieceVisitor)
    }
}

struct PieceVisitor;

impl Visitor<'_> for PieceVisitor {
    type Value = Piece;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Piece, E> {
        Ok(Piece(bytes.to_owned()))
    }
}

/// The pieces so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Text(Vec<u8>);

impl Text {
    /// Adds a piece.
    pub(super) fn push(&mut self, piece: &Piece) {
        let Piece(bytes) = piece;
        let halves = self.0.last_chunk().zip(bytes.split_first_chunk());
        let joined = halves.and_then(|(high, (low, rest))| Some((joined(*high, *low)?, rest)));
        match joined {
            Some((character, rest)) => {
                self.0.truncate(self.0.len() - HALF_BYTES);
                self.0.extend_from_slice(character.to_string().as_bytes());
                self.0.extend_from_slice(rest);
            }
            None => self.0.extend_from_slice(bytes),
        }
    }

    /// The length in bytes.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The whole text; half a character without its other half becomes `�`.
    pub(crate) fn into_string(self) -> String {
        String::from_utf8(self.0)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(text.into_bytes())
    }
}

/// The length of half a surrogate pair.
const HALF_BYTES: usize = 3;

/// The character that two halves make; `None` if they are not the halves of one.
fn joined(high: [u8; HALF_BYTES], low: [u8; HALF_BYTES]) -> Option<char> {
    let unit = |[first, second, third]: [u8; HALF_BYTES]| {
        let is_half = first == 0xED && second >= 0xA0;
        let bits = 0xD000 | u16::from(second & 0x3F) << 6 | u16::from(third & 0x3F);
        is_half.then_some(bits)
    };
    let units = [unit(high)?, unit(low)?];
    char::decode_utf16(units).next()?.ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn text(pieces: &[&str]) -> String {
        let mut text = Text::default();
        for piece in pieces {
            text.push(&serde_json::from_str(piece).unwrap());
        }
        text.into_string()
    }

    #[test]
    fn a_character_cut_in_two_is_put_together() {
        assert_eq!(
            text(&[r#""城\ud83c""#, r#""\udfeFで""#, r#""す""#]),
            "城🏯です"
        );
        assert_eq!(text(&[r#""\ud83c""#, r#""\udfef""#]), "🏯");
        assert_eq!(text(&[r#""\ud83c\udfef""#, r#""""#, r#""🎉""#]), "🏯🎉");
    }

    #[test]
    fn half_a_character_alone_is_marked() {
        for pieces in [
            &[r#""a\ud83c""#, r#""b""#][..],
            &[r#""a\ud83cb""#],
            &[r#""a""#, r#""\udfefb""#],
            &[r#""a\udfef""#, r#""\ud83cb""#],
        ] {
            let text = text(pieces);
            let around = text.trim_matches(['a', 'b']);
            assert!(around.chars().all(|c| c == '\u{FFFD}'), "{text}");
            assert!(text.starts_with('a') && text.ends_with('b'), "{text}");
        }
    }

    /// U+D7FF is the last character before the halves; its bytes begin with ED as well.
    #[test]
    fn characters_beside_the_halves_stay() {
        assert_eq!(text(&["\"\u{D7FF}\"", "\"\u{E000}\""]), "\u{D7FF}\u{E000}");
    }
}
