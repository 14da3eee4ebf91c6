//! The language of a page: Japanese or English, as the browser asks.

/// A language that the page speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Japanese,
    English,
}

impl Language {
    /// The language that an `Accept-Language` header prefers; English if it names neither.
    pub(crate) fn preferred(accepted: Option<&str>) -> Self {
        let mut best = (Self::English, 0.0);
        for choice in accepted.unwrap_or_default().split(',') {
            let mut parts = choice.split(';').map(str::trim);
            let tag = parts.next().unwrap_or_default().to_ascii_lowercase();
            let language = match tag.split('-').next() {
                Some("ja") => Self::Japanese,
                Some("en") => Self::English,
                _ => continue,
            };
            let quality = parts.find_map(|part| part.strip_prefix("q="));
            let quality: f32 = quality.map_or(1.0, |quality| quality.parse().unwrap_or(0.0));
            if quality > best.1 {
                best = (language, quality);
            }
        }
        best.0
    }

    /// As HTML and HTTP name it.
    pub(crate) fn tag(self) -> &'static str {
        match self {
            Self::Japanese => "ja",
            Self::English => "en",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Language::{self, English, Japanese};

    #[test]
    fn the_browsers_first_choice_counts() {
        for (accepted, expected) in [
            ("ja", Japanese),
            ("ja-JP,en;q=0.9", Japanese),
            ("en-GB, ja;q=0.8", English),
            ("en;q=0.3, ja;q=0.7", Japanese),
            ("de-DE, de;q=0.9, ja;q=0.2", Japanese),
            ("fr", English),
            ("ja;q=0", English),
            ("ja;q=x", English),
            ("", English),
        ] {
            assert_eq!(Language::preferred(Some(accepted)), expected, "{accepted}");
        }
        assert_eq!(Language::preferred(None), English);
    }
}
