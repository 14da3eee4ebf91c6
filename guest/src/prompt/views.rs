//! The values of the variables of templates. Texts and names are made [`harmless`] when they are shown.

use std::borrow::Cow;

use super::harmless;
use super::selection::newest_short_term_memory;
use crate::bindings::types::{
    ChannelMemory, Item, KeptText, Message, Persona, Source, Thread, ThreadMemory, Timestamp, User,
};
use crate::describe::item_kind;

/// A message's text or a memory.
#[derive(Clone, Copy)]
pub(super) struct Text<'a>(pub(super) &'a str);

impl<'a> Text<'a> {
    pub(super) fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn harmless(self) -> Cow<'a, str> {
        harmless::text(self.0)
    }
}

/// A part of a message that is shown within a line.
#[derive(Clone, Copy)]
pub(super) struct Line<'a>(pub(super) &'a str);

impl Line<'_> {
    pub(super) fn harmless(self) -> String {
        harmless::line(self.0)
    }
}

/// The name of a person or a channel, or an id.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Name<'a>(pub(super) &'a str);

impl<'a> Name<'a> {
    pub(super) fn harmless(self) -> Cow<'a, str> {
        harmless::name(self.0)
    }
}

impl<'a> PartialEq<Option<Self>> for Name<'a> {
    fn eq(&self, other: &Option<Self>) -> bool {
        Some(*self) == *other
    }
}

/// A point in time.
#[derive(Clone, Copy)]
pub(super) struct Time(pub(super) Timestamp);

/// Several texts.
#[derive(Clone, Copy)]
pub(super) struct Texts<'a>(pub(super) &'a [String]);

impl<'a> Texts<'a> {
    pub(super) fn length(self) -> usize {
        self.0.len()
    }

    pub(super) fn into_iter(self) -> impl Iterator<Item = Text<'a>> {
        self.0.iter().map(|text| Text(text))
    }
}

/// Messages, oldest first.
#[derive(Clone, Copy)]
pub(super) struct Messages<'a>(pub(super) &'a [Message]);

impl<'a> Messages<'a> {
    pub(super) fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn into_iter(self) -> impl Iterator<Item = View<'a, Message>> {
        self.0.iter().map(View)
    }
}

/// Channels by their id.
#[derive(Clone, Copy)]
pub(super) struct Channels<'v>(pub(super) &'v [&'v ChannelMemory]);

impl<'v> Channels<'v> {
    pub(super) fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn values(self) -> impl Iterator<Item = View<'v, ChannelMemory>> {
        self.0.iter().copied().map(View)
    }
}

/// Threads by their id.
#[derive(Clone, Copy)]
pub(super) struct Threads<'v>(pub(super) &'v [&'v Thread]);

impl<'v> Threads<'v> {
    pub(super) fn items(self) -> impl Iterator<Item = (Name<'v>, Messages<'v>)> {
        let item = |thread: &&'v Thread| (Name(&thread.thread_ts), Messages(&thread.messages));
        self.0.iter().map(item)
    }
}

/// A value with attributes for templates.
pub(super) struct View<'a, T>(pub(super) &'a T);

impl<T> Clone for View<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for View<'_, T> {}

impl<'a> View<'a, Persona> {
    pub(super) fn name(self) -> &'a str {
        &self.0.name
    }

    pub(super) fn system_prompt(self) -> &'a str {
        &self.0.system_prompt
    }
}

impl<'a> View<'a, ChannelMemory> {
    pub(super) fn channel_id(self) -> Name<'a> {
        Name(&self.0.channel_id)
    }

    pub(super) fn channel_name(self) -> Name<'a> {
        Name(&self.0.channel_name)
    }

    pub(super) fn long_term_memory(self) -> Option<Text<'a>> {
        self.0.long_term_memory.as_deref().map(Text)
    }

    pub(super) fn short_term_memory(self) -> Option<Text<'a>> {
        newest_short_term_memory(self.0).map(Text)
    }

    pub(super) fn short_term_memory_history(self) -> Texts<'a> {
        Texts(&self.0.short_term_memory_history)
    }
}

impl<'a> View<'a, ThreadMemory> {
    pub(super) fn thread_ts(self) -> Name<'a> {
        Name(&self.0.thread_ts)
    }

    pub(super) fn content(self) -> Text<'a> {
        Text(&self.0.content)
    }
}

impl<'a> View<'a, KeptText> {
    pub(super) fn user(self) -> View<'a, User> {
        View(&self.0.user)
    }

    pub(super) fn timestamp(self) -> Time {
        Time(self.0.timestamp)
    }

    pub(super) fn text(self) -> Line<'a> {
        Line(&self.0.text)
    }
}

/// A source with its number.
#[derive(Clone, Copy)]
pub(super) struct Numbered<'a> {
    pub(super) number: usize,
    pub(super) source: &'a Source,
}

impl<'a> Numbered<'a> {
    pub(super) fn number(self) -> usize {
        self.number
    }

    pub(super) fn timestamp(self) -> Option<Time> {
        self.source.timestamp.map(Time)
    }

    /// `None` for the workspace.
    pub(super) fn channel_name(self) -> Option<Name<'a>> {
        let name = self.source.channel_name.as_str();
        (!name.is_empty()).then_some(Name(name))
    }

    pub(super) fn user_name(self) -> Option<Name<'a>> {
        self.source.user.as_ref().map(|user| Name(&user.name))
    }

    pub(super) fn text(self) -> Text<'a> {
        Text(&self.source.text)
    }
}

/// An item with its number.
#[derive(Clone, Copy)]
pub(super) struct NumberedItem<'a> {
    pub(super) number: usize,
    pub(super) item: &'a Item,
}

impl<'a> NumberedItem<'a> {
    pub(super) fn number(self) -> usize {
        self.number
    }

    pub(super) fn kind(self) -> &'static str {
        item_kind(self.item.kind)
    }

    pub(super) fn title(self) -> Line<'a> {
        Line(&self.item.title.text)
    }

    pub(super) fn owner(self) -> Option<Name<'a>> {
        self.item.owner.as_ref().map(|owner| Name(&owner.name))
    }

    pub(super) fn due(self) -> Option<Name<'a>> {
        self.item.due.as_deref().map(Name)
    }
}

impl<'a> View<'a, Message> {
    pub(super) fn ts(self) -> Name<'a> {
        Name(&self.0.ts)
    }

    pub(super) fn user(self) -> View<'a, User> {
        View(&self.0.user)
    }

    pub(super) fn text(self) -> Text<'a> {
        Text(&self.0.text)
    }

    pub(super) fn timestamp(self) -> Time {
        Time(self.0.timestamp)
    }

    pub(super) fn thread_ts(self) -> Option<Name<'a>> {
        self.0.thread_ts.as_deref().map(Name)
    }

    pub(super) fn edited_at(self) -> Option<Time> {
        self.0.edited_at.map(Time)
    }
}

impl<'a> View<'a, User> {
    pub(super) fn id(self) -> Name<'a> {
        Name(&self.0.id)
    }

    pub(super) fn name(self) -> Name<'a> {
        Name(&self.0.name)
    }

    pub(super) fn is_bot(self) -> bool {
        self.0.is_bot
    }
}
