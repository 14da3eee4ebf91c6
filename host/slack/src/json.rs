//! Reads Slack's JSON in parts, so that one bad part does not make the whole unreadable: half a surrogate pair
//! (`"\ud83d"`), or nesting that is too deep.

use serde::de::IgnoredAny;
use serde_json::{Error, Map, Value, error::Category};

/// Marks an object that could be read only in part.
const UNREADABLE: &str = "\u{FDD0}unreadable";

/// Reads an object. If it cannot be read as a whole, its members are read one by one, and lists element by element: what
/// cannot be read becomes null, and an element that is an object keeps the members that can be read
/// ([`take_unreadable`]).
///
/// # Errors
/// If it is not a JSON object.
pub(crate) fn read(text: &str) -> Result<Value, Error> {
    serde_json::from_str(text).or_else(|error| {
        let whole = members(text, |raw| match raw.strip_prefix('[') {
            Some(_) => elements(raw).unwrap_or(Value::Null),
            None => serde_json::from_str(raw).unwrap_or(Value::Null),
        });
        whole.map(Value::Object).ok_or(error)
    })
}

/// Returns true if an element could be read only in part. Removes its mark.
pub(crate) fn take_unreadable(element: &mut Value) -> bool {
    let fields = element.as_object_mut();
    fields.is_some_and(|fields| fields.shift_remove(UNREADABLE).is_some())
}

/// The text of a member of an object, byte for byte: parsing and writing it again would change numbers.
pub(crate) fn member<'a>(object: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = object.trim_start().strip_prefix('{')?;
    loop {
        let (key, value, after) = next_member(rest)?;
        if key == name {
            return Some(value);
        }
        rest = after.trim_start().strip_prefix(',')?;
    }
}

/// The fault of a text, without the text: serde's own error would quote it.
pub(crate) fn describe(error: &Error) -> String {
    let what = match error.classify() {
        Category::Syntax | Category::Eof | Category::Io => "it is not JSON",
        Category::Data => "it does not have the shape that Slack documents",
    };
    match error.line() {
        // Of a value that was parsed before.
        0 => what.to_owned(),
        line => format!("{what} (line {line}, column {})", error.column()),
    }
}

fn elements(array: &str) -> Option<Value> {
    let mut values = Vec::new();
    let mut rest = array.strip_prefix('[')?.trim_start();
    while !rest.starts_with(']') {
        let (raw, after) = next(rest)?;
        values.push(serde_json::from_str(raw).unwrap_or_else(|_| remains(raw)));
        rest = after_comma(after, ']')?;
    }
    Some(Value::Array(values))
}

/// The readable part of an element.
fn remains(raw: &str) -> Value {
    let fields = members(raw, |raw| serde_json::from_str(raw).unwrap_or(Value::Null));
    let mut fields = fields.unwrap_or_default();
    fields.insert(UNREADABLE.to_owned(), Value::Bool(true));
    Value::Object(fields)
}

/// The members of an object, each read separately.
fn members(object: &str, read: impl Fn(&str) -> Value) -> Option<Map<String, Value>> {
    let mut fields = Map::new();
    let mut rest = object.trim_start().strip_prefix('{')?.trim_start();
    while !rest.starts_with('}') {
        let (key, value, after) = next_member(rest)?;
        fields.insert(key, read(value));
        rest = after_comma(after, '}')?;
    }
    Some(fields)
}

/// The text after a comma, or the end without one.
fn after_comma(text: &str, end: char) -> Option<&str> {
    let text = text.trim_start();
    match text.strip_prefix(',') {
        Some(rest) => Some(rest.trim_start()),
        None => text.starts_with(end).then_some(text),
    }
}

/// The first member of a text, and the rest.
fn next_member(text: &str) -> Option<(String, &str, &str)> {
    let (key, after) = next(text)?;
    let value = after.trim_start().strip_prefix(':')?.trim_start();
    let (value, after) = next(value)?;
    Some((serde_json::from_str(key).ok()?, value, after))
}

/// The first JSON value of a text, and the rest. Neither its strings nor its depth are checked.
fn next(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    text.split_at_checked(values.byte_offset())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

    use serde_json::json;

    use super::*;

    #[test]
    fn a_bad_element_costs_that_element_alone() {
        let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
        for odd in [r#""\ud83d""#, r#""a \udc00 b""#, &deep] {
            let text = format!(
                r#"{{"ok":true,"messages":[{{"ts":"1.1","text":"a"}}, {{"ts":"1.2","text":{odd},"n":1}} ,{odd},{{"ts":"1.3"}}],"has_more":false}}"#
            );
            let mut read = read(&text).unwrap();
            assert_eq!(
                (&read["ok"], &read["has_more"]),
                (&json!(true), &json!(false))
            );
            let messages = read["messages"].as_array_mut().unwrap();
            let unreadable: Vec<bool> = messages.iter_mut().map(take_unreadable).collect();
            assert_eq!(unreadable, [false, true, true, false]);
            assert_eq!(messages[0], json!({"ts": "1.1", "text": "a"}));
            assert_eq!(messages[1], json!({"ts": "1.2", "text": null, "n": 1}));
            assert_eq!(messages[3], json!({"ts": "1.3"}));
        }
    }

    #[test]
    fn what_is_no_object_is_an_error_that_quotes_nothing() {
        for text in [
            "",
            "{",
            r#"{"a":"\ud83d""#,
            r#"["\ud83d"]"#,
            r#"{"\ud83d":1}"#,
            r#"{"a":"\ud83d" "b":1}"#,
        ] {
            let error = read(text).unwrap_err();
            assert!(!describe(&error).contains("ud83d"), "{text}");
        }
        let error = serde_json::from_str::<u8>(r#""secret""#).unwrap_err();
        assert!(!describe(&error).contains("secret"), "{error}");
    }
}
