#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use super::*;

/// Returns a few bytes at a time, and may have no end.
struct Drops<I>(I);

impl<I: Iterator<Item = u8>> Read for Drops<I> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(70_000);
        let mut read = 0;
        for (place, byte) in buffer[..most].iter_mut().zip(&mut self.0) {
            *place = byte;
            read += 1;
        }
        Ok(read)
    }
}

#[derive(Debug, PartialEq)]
enum Seen {
    Text(String),
    Invalid(usize, usize, String),
    Json(usize, usize, String),
    TooLarge,
    TooMany,
}

fn read(json: impl Iterator<Item = u8>, of_file: u64) -> Vec<Seen> {
    let mut buffer = b"of before".to_vec();
    let of_all = &mut { u64::MAX };
    let bytes = Bytes { of_file, of_all };
    let mut array = JsonArray::new(Drops(json), bytes, &mut buffer);
    let mut seen = Vec::new();
    loop {
        let next = match array.next::<String>() {
            Ok(None) => break,
            Ok(Some(Element::Value(text, json))) => {
                assert!(json.len() >= text.len());
                seen.push(Seen::Text(text));
                continue;
            }
            Ok(Some(Element::Invalid(place, detail))) => {
                seen.push(Seen::Invalid(place.line, place.column, detail));
                continue;
            }
            Err(Fault::Json(place, detail)) => Seen::Json(place.line, place.column, detail),
            Err(Fault::TooLarge) => Seen::TooLarge,
            Err(Fault::TooMany) => Seen::TooMany,
            Err(fault) => panic!("{fault:?}"),
        };
        seen.push(next);
        break;
    }
    assert!(array.buffer.capacity() <= 2 * WINDOW);
    seen
}

fn read_text(json: &str) -> Vec<Seen> {
    read(json.bytes(), u64::MAX)
}

fn text(text: &str) -> Seen {
    Seen::Text(text.to_owned())
}

#[test]
fn elements_come_in_order_whatever_stands_between_them() {
    assert_eq!(read_text("[]"), []);
    assert_eq!(read_text("\u{feff} [ ]\n"), []);
    assert_eq!(read_text(r#"["a"]"#), [text("a")]);
    assert_eq!(
        read_text("\r\n[ \"a\"\n,\t\"b\\u00e9\" ,\"],[\"]  "),
        [text("a"), text("bé"), text("],[")]
    );
}

#[test]
fn an_odd_element_is_told_with_its_place_and_the_next_one_follows() {
    let odd = |line, column, detail: &str| Seen::Invalid(line, column, detail.to_owned());
    assert_eq!(
        read_text("[\"a\",\n  5, \"\\ud83d\",\n [{\"x\": [\"]\"]}], null, \"b\"]"),
        [
            text("a"),
            odd(2, 3, "invalid type: integer `5`, expected a string"),
            odd(2, 13, "unexpected end of hex escape"),
            odd(3, 2, "invalid type: sequence, expected a string"),
            odd(3, 21, "invalid type: null, expected a string"),
            text("b")
        ]
    );
    let not_utf8 = b"[\"a\xff\", \"b\"]".to_vec();
    assert_eq!(
        read(not_utf8.into_iter(), u64::MAX),
        [odd(1, 4, "invalid unicode code point"), text("b")]
    );
}

#[test]
fn what_is_no_json_ends_the_reading_with_its_place() {
    for (json, line, column) in [
        ("", 1, 1),
        ("{}", 1, 1),
        ("[", 1, 2),
        ("[\"a\"", 1, 5),
        ("[\"a\",", 1, 6),
        ("[\n\"a\"\n\"b\"]", 3, 1),
        ("[\n\"a\", }", 2, 6),
        ("[\"a\",]", 1, 6),
        ("[,]", 1, 2),
        ("[] x", 1, 4),
        ("[\n {\"x\": }]", 2, 8),
        ("[\"a", 1, 3),
    ] {
        let seen = read_text(json);
        assert!(
            matches!(seen.last(), Some(Seen::Json(l, c, _)) if (*l, *c) == (line, column)),
            "{json:?}: {seen:?}"
        );
    }
}

#[test]
fn text_of_the_file_is_in_no_error() {
    let mut buffer = Vec::new();
    let bytes = Bytes {
        of_file: 100,
        of_all: &mut 100,
    };
    let mut array = JsonArray::new(&br#"["root:x:0"]"#[..], bytes, &mut buffer);
    match array.next::<u32>().unwrap().unwrap() {
        Element::Invalid(_, detail) => assert_eq!(detail, "invalid type: string, expected u32"),
        Element::Value(..) => panic!("it is no number"),
    }
}

#[test]
fn elements_lie_across_the_ends_of_the_buffer() {
    let long = "x".repeat(MAX_ELEMENT_BYTES - 2);
    let json =
        format!("[\"{long}\",\n\n\"y\",\"{long}\",\"{long}\",  \"{long}\",\"{long}\",\"z\",7]");
    let seen = read_text(&json);
    let lengths: Vec<usize> = seen
        .iter()
        .map(|seen| match seen {
            Seen::Text(text) => text.len(),
            _ => 0,
        })
        .collect();
    assert_eq!(
        lengths,
        [
            long.len(),
            1,
            long.len(),
            long.len(),
            long.len(),
            long.len(),
            1,
            0
        ]
    );
    let column = 4 + 4 * (long.len() + 3) + 2 + 4 + 1;
    assert!(
        matches!(seen.last(), Some(Seen::Invalid(3, found, _)) if *found == column),
        "{:?}, expected {column}",
        seen.last()
    );
}

#[test]
fn an_element_that_is_too_large_is_passed_over() {
    let large = "x\\\"[".repeat(3 * MAX_ELEMENT_BYTES);
    let number = "1".repeat(3 * MAX_ELEMENT_BYTES);
    let json = format!(
        "[\"a\", \"{large}\", [{{\"{large}\": 1}}], {number}, -{number}.5e7 , \"b\", {number}]"
    );
    let seen = read_text(&json);
    assert_eq!(seen.len(), 7);
    assert_eq!((&seen[0], &seen[5]), (&text("a"), &text("b")));
    for odd in seen[1..5].iter().chain(&seen[6..]) {
        assert!(
            matches!(odd, Seen::Invalid(1, _, detail) if detail == "larger than 1048576 bytes"),
            "{odd:?}"
        );
    }
}

#[test]
fn deep_nesting_is_odd_and_takes_no_memory() {
    let deep = |depth: usize| format!("[{}{}, \"b\"]", "[".repeat(depth), "]".repeat(depth));
    for depth in [200, 10 * MAX_ELEMENT_BYTES] {
        let seen = read_text(&deep(depth));
        assert!(
            matches!(seen.as_slice(), [Seen::Invalid(1, 2, _), Seen::Text(_)]),
            "{seen:?}"
        );
    }
}

#[test]
fn a_file_that_does_not_end_is_left_at_its_limit() {
    let blanks = std::iter::repeat(b' ');
    assert_eq!(read(blanks, 9_000_000), [Seen::TooLarge]);
    let text = b"[\"".iter().copied().chain(std::iter::repeat(b'x'));
    let seen = read(text, 9_000_000);
    assert_eq!(seen.last(), Some(&Seen::TooLarge));
    let numbers = b"[0".iter().copied().chain(b",0".iter().copied().cycle());
    let seen = read(numbers, 100_000_000);
    assert_eq!(seen.len() as u64, MAX_ELEMENTS + 1);
    assert_eq!(seen.last(), Some(&Seen::TooMany));
}
