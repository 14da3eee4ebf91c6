//! Token counts without a vocabulary: an upper estimate.

/// An upper estimate of the tokens of a text, for any of the usual vocabularies.
///
/// ASCII letters, digits and spaces count a third of a token each, other ASCII characters one, and all
/// others one and a half, those outside the Basic Multilingual Plane (emoji) three. The vocabularies in use
/// have about four ASCII letters, and 0.7 to 1.4 Japanese characters, per token, so the
/// estimate is 10 % to 100 % above the true count.
#[must_use]
pub fn estimate_tokens(text: &str) -> u32 {
    let mut thirds = 0_u64;
    let mut halves = 0_u64;
    for character in text.chars() {
        match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | ' ' => thirds += 1,
            '\0'..='\x7f' => halves += 2,
            '\u{80}'..='\u{ffff}' => halves += 3,
            _ => halves += 6,
        }
    }
    let tokens = thirds.div_ceil(3) + halves.div_ceil(2);
    u32::try_from(tokens).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::estimate_tokens;

    #[test]
    fn the_estimate_is_not_below_known_counts() {
        // Counted with OpenAI's cl100k_base, the least kind to Japanese of the vocabularies in use.
        for (text, tokens) in [
            ("Hello, world!", 4),
            ("The quick brown fox jumps over the lazy dog.", 10),
            ("おはようございます", 4),
            ("次のリリースは3月5日に決定しました。", 18),
            ("https://example.com/a/b?c=d", 9),
            ("🎉🎉🎉", 9),
        ] {
            assert!(
                estimate_tokens(text) >= tokens,
                "{text}: {}",
                estimate_tokens(text)
            );
        }
        assert_eq!(estimate_tokens(""), 0);
    }
}
