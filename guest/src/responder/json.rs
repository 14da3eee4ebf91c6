//! The JSON objects in a text that models wrote: in prose, in fences, as Python prints them.

use std::iter::Peekable;
use std::str::Chars;

/// Deeper values are not read.
const MAX_DEPTH: u32 = 16;

/// An object: keys and values in their order.
pub(super) type Object = Vec<(String, Value)>;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// Text.
    String(String),
    /// A number as it was written, which may be a percentage.
    Number(String),
    /// `true` or `false`, in any case.
    Bool(bool),
    /// An object.
    Object(Object),
    /// An array, or nothing.
    Other,
}

/// Every object in a text, in order of their ends for nested ones' sake: the objects within an object come before it.
pub(super) fn objects(text: &str) -> Vec<Object> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let from = rest.get(at..).unwrap_or_default();
        let mut reader = Reader {
            chars: from.chars().peekable(),
        };
        match reader.value(0) {
            Some(Value::Object(object)) => {
                collect(object, &mut found);
                let read = from.len() - reader.chars.map(char::len_utf8).sum::<usize>();
                rest = from.get(read..).unwrap_or_default();
            }
            _ => rest = from.get(1..).unwrap_or_default(),
        }
    }
    found
}

fn collect(object: Object, found: &mut Vec<Object>) {
    for (_, value) in &object {
        if let Value::Object(inner) = value {
            collect(inner.clone(), found);
        }
    }
    found.push(object);
}

struct Reader<'t> {
    chars: Peekable<Chars<'t>>,
}

impl Reader<'_> {
    fn value(&mut self, depth: u32) -> Option<Value> {
        self.skip_space();
        match *self.chars.peek()? {
            _ if depth > MAX_DEPTH => None,
            '{' => self.object(depth).map(Value::Object),
            '[' => self.array(depth),
            quote @ ('"' | '\'') => self.string(quote).map(Value::String),
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: u32) -> Option<Object> {
        let mut object = Object::new();
        self.chars.next();
        loop {
            self.skip_space();
            let key = match *self.chars.peek()? {
                '}' => {
                    self.chars.next();
                    return Some(object);
                }
                quote @ ('"' | '\'') => self.string(quote)?,
                _ => return None,
            };
            self.skip_space();
            self.chars.next_if_eq(&':')?;
            object.push((key, self.value(depth + 1)?));
            self.comma('}')?;
        }
    }

    fn array(&mut self, depth: u32) -> Option<Value> {
        self.chars.next();
        loop {
            self.skip_space();
            if self.chars.next_if_eq(&']').is_some() {
                return Some(Value::Other);
            }
            self.value(depth + 1)?;
            self.comma(']')?;
        }
    }

    /// A comma, or the end in sight.
    fn comma(&mut self, end: char) -> Option<()> {
        self.skip_space();
        match *self.chars.peek()? {
            ',' => self.chars.next().map(|_| ()),
            next => (next == end).then_some(()),
        }
    }

    fn string(&mut self, quote: char) -> Option<String> {
        self.chars.next();
        let mut text = String::new();
        loop {
            match self.chars.next()? {
                '\\' => text.push(self.escaped()?),
                c if c == quote => return Some(text),
                c => text.push(c),
            }
        }
    }

    fn escaped(&mut self) -> Option<char> {
        Some(match self.chars.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' | 'f' => ' ',
            'u' => {
                let high = self.unit()?;
                let low = if (0xd800..0xdc00).contains(&high) {
                    self.chars.next_if_eq(&'\\')?;
                    self.chars.next_if_eq(&'u')?;
                    self.unit()?
                } else {
                    return Some(char::from_u32(u32::from(high)).unwrap_or('\u{fffd}'));
                };
                char::decode_utf16([high, low])
                    .next()?
                    .unwrap_or('\u{fffd}')
            }
            c => c,
        })
    }

    fn unit(&mut self) -> Option<u16> {
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.chars.next()?.to_digit(16)?;
            unit = unit << 4 | u16::try_from(digit).ok()?;
        }
        Some(unit)
    }

    /// What stands there without quotes.
    fn word(&mut self) -> Option<Value> {
        let mut word = String::new();
        while let Some(c) = self
            .chars
            .next_if(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-' | '%'))
        {
            word.push(c);
        }
        match word.to_ascii_lowercase().as_str() {
            "" => None,
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            "null" | "none" => Some(Value::Other),
            _ => Some(Value::Number(word)),
        }
    }

    fn skip_space(&mut self) {
        while self.chars.next_if(|c| c.is_whitespace()).is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read() {
        let object = objects(r#"{"a": "\u3042\ud83d\ude00\n\"\/", "b": "\ud800x"}"#);
        assert_eq!(object, Vec::<Object>::new(), "half a character is none");
        let object = objects(r#"{"a": "\u3042\ud83d\ude00\n\"\/"}"#);
        let text = Value::String("あ😀\n\"/".to_owned());
        assert_eq!(object, [vec![("a".to_owned(), text)]]);
    }

    #[test]
    fn depth_is_bounded() {
        assert!(objects(&"{\"a\":".repeat(10_000)).is_empty());
        assert!(objects(&format!("{{\"a\":{}", "[".repeat(10_000))).is_empty());
    }
}
