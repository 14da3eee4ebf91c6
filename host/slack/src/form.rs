//! The format `application/x-www-form-urlencoded`, which Slack takes and sends.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// An object's fields as a form. Lists and objects become JSON, as Slack expects; nulls are left out.
pub(crate) fn encode(params: &Map<String, Value>) -> String {
    let mut form = String::new();
    for (name, value) in params {
        let text = match value {
            Value::Null => continue,
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        if !form.is_empty() {
            form.push('&');
        }
        escape(name, &mut form);
        form.push('=');
        escape(&text, &mut form);
    }
    form
}

fn escape(text: &str, form: &mut String) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.*".contains(&byte) {
            form.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(form, "%{byte:02X}");
        }
    }
}

/// A form's fields, in order.
///
/// # Errors
/// If a name or value is not UTF-8.
pub(crate) fn decode(form: &[u8]) -> Result<Vec<(String, String)>, std::string::FromUtf8Error> {
    form.split(|byte| *byte == b'&')
        .filter(|field| !field.is_empty())
        .map(|field| {
            let mut halves = field.splitn(2, |byte| *byte == b'=');
            let mut half = || unescape(halves.next().unwrap_or_default());
            Ok((half()?, half()?))
        })
        .collect()
}

fn unescape(text: &[u8]) -> Result<String, std::string::FromUtf8Error> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, after @ ..] = rest {
        rest = after;
        match (first, after) {
            (b'+', _) => bytes.push(b' '),
            (b'%', [high, low, after @ ..]) => match (hex_digit(*high), hex_digit(*low)) {
                (Some(high), Some(low)) => {
                    bytes.push(high << 4 | low);
                    rest = after;
                }
                _ => bytes.push(b'%'),
            },
            _ => bytes.push(*first),
        }
    }
    String::from_utf8(bytes)
}

/// The value of a hexadecimal digit.
pub(crate) fn hex_digit(digit: u8) -> Option<u8> {
    let value = char::from(digit).to_digit(16)?;
    u8::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )]

    use serde_json::json;

    use super::*;

    fn fields(form: &str) -> Vec<(String, String)> {
        decode(form.as_bytes()).unwrap()
    }

    #[test]
    fn a_form_carries_every_kind_of_value() {
        let params = json!({"text": "a b&c=日", "limit": 200, "all": true, "none": null, "view": {"type": "home"}});
        let form = encode(params.as_object().unwrap());
        assert_eq!(
            form,
            "text=a%20b%26c%3D%E6%97%A5&limit=200&all=true&view=%7B%22type%22%3A%22home%22%7D"
        );
        assert_eq!(fields(&form)[0], ("text".into(), "a b&c=日".into()));
    }

    #[test]
    fn a_form_is_read_as_browsers_write_it() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            fields("a=1+2%2b3&&b&c=50%&d=%zz&e=x=y"),
            [
                pair("a", "1 2+3"),
                pair("b", ""),
                pair("c", "50%"),
                pair("d", "%zz"),
                pair("e", "x=y")
            ]
        );
        assert!(decode(b"a=%ff").is_err());
    }
}
