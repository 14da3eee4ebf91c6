//! Finds the characters that need a closer look. Every byte of a prompt passes here, and most texts have none.

/// The first bytes of relevant characters: line breaks, openings of tokens, direction overrides. No other byte of a
/// character has these values.
fn matters(byte: u8) -> bool {
    matches!(byte, 0x0a..=0x0d | 0x1c..=0x1e | b'<' | b'[' | 0xc2 | 0xe2 | 0xef)
}

/// The position of the first such byte. Checks eight bytes at once.
pub(super) fn first_mattering(bytes: &[u8]) -> Option<usize> {
    let (words, _) = bytes.as_chunks();
    let passed = words
        .iter()
        .take_while(|word| !may_matter(u64::from_le_bytes(**word)))
        .count()
        * size_of::<u64>();
    let rest = bytes.get(passed..)?;
    let at = rest.iter().position(|byte| matters(*byte))?;
    Some(passed + at)
}

/// Whether one of eight bytes is a control character or one of those in [`matters`].
fn may_matter(word: u64) -> bool {
    const EACH: u64 = u64::from_le_bytes([1; 8]);
    // The highest bit of each byte says whether it is below `limit`; a borrow can only follow such a byte.
    let below = |word: u64, limit: u8| word.wrapping_sub(EACH * u64::from(limit)) & !word;
    let equal = |byte: u8| below(word ^ (EACH * u64::from(byte)), 1);
    let found =
        below(word, b' ') | equal(b'<') | equal(b'[') | equal(0xc2) | equal(0xe2) | equal(0xef);
    found & (EACH << 7) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_found_wherever_it_stands_and_whatever_stands_before_it() {
        for byte in 0..=u8::MAX {
            for before in [b'a', b'\t', 0, 0x1f, 0x7f, 0x80, 0xe3, 0xff] {
                for at in 0..20 {
                    let mut bytes = vec![before; at];
                    bytes.push(byte);
                    bytes.extend([b'z'; 9]);
                    let expected = bytes.iter().position(|byte| matters(*byte));
                    assert_eq!(first_mattering(&bytes), expected, "{bytes:?}");
                }
            }
        }
    }
}
