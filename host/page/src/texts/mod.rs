//! All texts of the page, in Japanese and English. A text without one of the languages does not compile.

mod labels;
mod phrases;

use super::language::Language;

pub(crate) use labels::*;
pub(crate) use phrases::*;

/// A text in each language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Text {
    ja: &'static str,
    en: &'static str,
}

impl Text {
    pub(crate) fn of(self, language: Language) -> &'static str {
        match language {
            Language::Japanese => self.ja,
            Language::English => self.en,
        }
    }
}

const fn text(ja: &'static str, en: &'static str) -> Text {
    Text { ja, en }
}
