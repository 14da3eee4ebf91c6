//! The types of values, and how each is read.

use std::ops::RangeInclusive;

use super::{Language, PromptLanguage, ThreadMemories};
use crate::bindings::errors::SettingFault;
use crate::bindings::exports::myao::memory::about::{NumberRange, SettingValues};
use crate::bindings::types::Engine;

/// The longest value that is quoted in an error.
const MAX_QUOTED_CHARS: usize = 40;

/// A type of values.
pub(super) trait Value: Sized {
    /// The numbers that are accepted; `()` for what is no number.
    type Range;

    fn accepts(range: Self::Range) -> SettingValues;

    fn read(text: &str, range: &Self::Range) -> Option<Self>;

    fn show(&self) -> String;
}

impl Value for String {
    type Range = ();

    fn accepts((): ()) -> SettingValues {
        SettingValues::Text
    }

    fn read(text: &str, (): &()) -> Option<Self> {
        Some(text.to_owned())
    }

    fn show(&self) -> String {
        self.clone()
    }
}

impl Value for bool {
    type Range = ();

    fn accepts((): ()) -> SettingValues {
        SettingValues::Switch
    }

    fn read(text: &str, (): &()) -> Option<Self> {
        text.parse().ok()
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

/// Whole numbers, in digits alone.
impl Value for u32 {
    type Range = RangeInclusive<Self>;

    fn accepts(range: Self::Range) -> SettingValues {
        let (min, max) = range.into_inner();
        SettingValues::Number(NumberRange { min, max })
    }

    fn read(text: &str, range: &Self::Range) -> Option<Self> {
        let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|_| is_digits)?;
        range.contains(&number).then_some(number)
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

/// A value that is one of a few, each with its name.
macro_rules! choice {
    ($type:ty: $($name:literal $value:ident),+) => {
        impl Value for $type {
            type Range = ();

            fn accepts((): ()) -> SettingValues {
                SettingValues::Choice(vec![$($name.to_owned()),+])
            }

            fn read(text: &str, (): &()) -> Option<Self> {
                match text {
                    $($name => Some(Self::$value),)+
                    _ => None,
                }
            }

            fn show(&self) -> String {
                let mut names = [$(($name, Self::$value)),+].into_iter();
                let found = names.find(|(_, value)| value == self);
                found.map(|(name, _)| name.to_owned()).unwrap_or_default()
            }
        }
    };
}

choice!(Engine: "llm" Llm, "extractive" Extractive);
choice!(ThreadMemories: "on_demand" OnDemand, "always" Always);
choice!(PromptLanguage: "ja" Japanese, "en" English, "auto" AsConversation);
choice!(Language: "auto" AsInput, "any" Any, "ja" Japanese, "en" English, "zh" Chinese, "ko" Korean, "ru" Russian);

/// Reads the value of a key.
pub(super) fn read<T: Value>(key: &str, value: String, range: T::Range) -> Result<T, SettingFault> {
    T::read(&value, &range).ok_or_else(|| {
        let range = described(&T::accepts(range));
        let quoted: String = value.chars().take(MAX_QUOTED_CHARS).collect();
        fault(key, &format!("`{quoted}` is not {range}"), Some(range))
    })
}

fn described(values: &SettingValues) -> String {
    match values {
        SettingValues::Text => "a text".to_owned(),
        SettingValues::Switch => "one of `true`, `false`".to_owned(),
        SettingValues::Number(range) => {
            format!("a whole number from {} to {}", range.min, range.max)
        }
        SettingValues::Choice(names) => format!("one of `{}`", names.join("`, `")),
    }
}

pub(super) fn fault(key: &str, detail: &str, range: Option<String>) -> SettingFault {
    SettingFault {
        key: key.to_owned(),
        detail: detail.to_owned(),
        range,
    }
}
