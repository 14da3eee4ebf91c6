//! The built-in templates as Rust, which `guest/build/` makes of them: a function for each.

use super::time;
use super::variables::{Channels, Messages, Name, Text, Time};

pub(super) use templates::{chunks_prompt, judgment_prompt, memory_prompt, reply_prompt};

#[allow(
    clippy::all,
    unused_parens,
    unused_variables,
    reason = "written by guest/build/, which keeps it simple"
)]
mod templates {
    use super::super::variables::Variables;
    use super::{FormatTimestamp as _, NoTime, Show, Truth};

    include!(concat!(env!("OUT_DIR"), "/built_in.rs"));
}

/// A time lies outside the calendar. minijinja tells where the template shows it.
pub(super) struct NoTime;

/// What is true to an `if` of Jinja2: not none, and not empty.
trait Truth {
    fn is_true(&self) -> bool;
}

impl Truth for Text<'_> {
    fn is_true(&self) -> bool {
        !self.is_empty()
    }
}

impl<T: Truth> Truth for Option<T> {
    fn is_true(&self) -> bool {
        self.as_ref().is_some_and(T::is_true)
    }
}

impl Truth for Messages<'_> {
    fn is_true(&self) -> bool {
        !self.is_empty()
    }
}

impl Truth for Channels<'_> {
    fn is_true(&self) -> bool {
        !self.is_empty()
    }
}

/// What can stand between `{{` and `}}`.
trait Show {
    fn show(&self, prompt: &mut String) -> Result<(), NoTime>;
}

impl Show for &str {
    fn show(&self, prompt: &mut String) -> Result<(), NoTime> {
        prompt.push_str(self);
        Ok(())
    }
}

impl Show for String {
    fn show(&self, prompt: &mut String) -> Result<(), NoTime> {
        self.as_str().show(prompt)
    }
}

impl Show for usize {
    fn show(&self, prompt: &mut String) -> Result<(), NoTime> {
        self.to_string().show(prompt)
    }
}

impl Show for Text<'_> {
    fn show(&self, prompt: &mut String) -> Result<(), NoTime> {
        prompt.push_str(&self.harmless());
        Ok(())
    }
}

impl Show for Name<'_> {
    fn show(&self, prompt: &mut String) -> Result<(), NoTime> {
        prompt.push_str(&self.harmless());
        Ok(())
    }
}

/// None is shown as Jinja2 shows it.
impl<T: Show> Show for Option<T> {
    fn show(&self, prompt: &mut String) -> Result<(), NoTime> {
        match self {
            Some(value) => value.show(prompt),
            None => "None".show(prompt),
        }
    }
}

/// The filter of this name.
trait FormatTimestamp {
    fn format_timestamp(self) -> Formatted;
}

impl FormatTimestamp for Time {
    fn format_timestamp(self) -> Formatted {
        Formatted(Some(self))
    }
}

impl FormatTimestamp for Option<Time> {
    fn format_timestamp(self) -> Formatted {
        Formatted(self)
    }
}

/// A time that is shown as `2024-03-01 10:00:00`.
struct Formatted(Option<Time>);

impl Show for Formatted {
    fn show(&self, prompt: &mut String) -> Result<(), NoTime> {
        let local = self.0.and_then(|Time(timestamp)| time::local(timestamp));
        time::push(prompt, local.ok_or(NoTime)?);
        Ok(())
    }
}
