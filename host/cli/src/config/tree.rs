//! A configuration as a tree of keys, each with its place in the file.

use std::fmt;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use serde_saphyr::{Location, Spanned};

/// A value of the file.
#[derive(Debug)]
pub(super) enum Node {
    /// What has keys.
    Keys(Vec<Entry>),
    /// A list.
    List(Vec<Item>),
    /// Anything else.
    Value(Value),
}

/// A key with its value.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) key_at: Place,
    pub(super) value: Node,
    pub(super) value_at: Place,
}

/// A value in a list.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) at: Place,
    pub(super) value: Node,
}

/// Line and column, from 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    line: u64,
    column: u64,
}

impl Node {
    /// Reads a text; `None` if it is no YAML.
    pub(super) fn read(text: &str) -> Option<Self> {
        serde_saphyr::from_str(text).ok()
    }

    /// Without the places.
    pub(super) fn json(&self) -> Value {
        match self {
            Self::Value(value) => value.clone(),
            Self::List(items) => items.iter().map(|item| item.value.json()).collect(),
            Self::Keys(entries) => {
                let entry = |entry: &Entry| (entry.key.clone(), entry.value.json());
                Value::Object(entries.iter().map(entry).collect::<Map<_, _>>())
            }
        }
    }

    /// Where the key is that a path leads to.
    pub(super) fn place(&self, path: &str) -> Option<Place> {
        let Self::Keys(entries) = self else {
            return None;
        };
        let (key, rest) = match path.split_once('.') {
            Some((key, rest)) => (key, Some(rest)),
            None => (path, None),
        };
        let entry = entries.iter().find(|entry| entry.key == key)?;
        match rest {
            Some(rest) => entry.value.place(rest),
            None => Some(entry.key_at),
        }
    }

    /// Takes out the key that a path leads to, if it is there and its value is one of those that are meant.
    pub(super) fn take(&mut self, path: &str, is_meant: fn(&Node) -> bool) -> Option<Entry> {
        let Self::Keys(entries) = self else {
            return None;
        };
        let (key, rest) = match path.split_once('.') {
            Some((key, rest)) => (key, Some(rest)),
            None => (path, None),
        };
        let at = entries.iter().position(|entry| entry.key == key)?;
        match rest {
            Some(rest) => entries.get_mut(at)?.value.take(rest, is_meant),
            None if is_meant(&entries.get(at)?.value) => Some(entries.remove(at)),
            None => None,
        }
    }
}

impl From<&Location> for Place {
    fn from(location: &Location) -> Self {
        Self {
            line: location.line(),
            column: location.column(),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = map.next_key::<Spanned<String>>()? {
            let value: Spanned<Node> = map.next_value()?;
            entries.push(Entry {
                key_at: Place::from(&key.referenced),
                key: key.value,
                value_at: Place::from(&value.referenced),
                value: value.value,
            });
        }
        Ok(Node::Keys(entries))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element::<Spanned<Node>>()? {
            items.push(Item {
                at: Place::from(&item.referenced),
                value: item.value,
            });
        }
        Ok(Node::List(items))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Value(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Value(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Value(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Value(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Value(value.into()))
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Value(Value::Null))
    }

    fn visit_none<E>(self) -> Result<Node, E> {
        Ok(Node::Value(Value::Null))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        Node::deserialize(deserializer)
    }
}
