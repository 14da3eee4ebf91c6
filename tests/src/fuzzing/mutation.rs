//! Inputs without a fuzzer: seeds, changed at random. The same number gives the same input.

use fastrand::Rng;

/// Tokens that many readers cannot handle.
const TOKENS: &[&str] = &[
    "<",
    ">",
    "&",
    "&amp;",
    "&lt;",
    "<@U1>",
    "<@U1|x>",
    "<#C1|y>",
    "<!here>",
    "<!date^0^{date}|x>",
    "<https://example.com|z>",
    "|",
    "\"",
    "\\",
    "\\u0000",
    "\\ud800",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "true",
    "-1",
    "0",
    "1e999",
    "99999999999999999999",
    "1.000001",
    "2024-03-01T10:00:00Z",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "\0",
    "\u{2028}",
    "\u{85}",
    "\u{3000}",
    "\u{200b}",
    "\u{202e}",
    "😀",
    "が",
    "か\u{3099}",
    "*",
    "**",
    "_",
    "~",
    "`",
    "```",
    "> ",
    "- ",
    "1. ",
    "# ",
    "## ",
    "---",
    "===",
    "| a | b |\n|---|---|\n",
    "[x](https://example.com)",
    "![",
    "](",
    "<!--",
    "{{",
    "{%",
    "%}",
    "}}",
    "{#",
    "<|x|>",
    "**2024-03-01 10:00:00** bob:",
    "${HOME}",
    "${",
    "&a",
    "*a",
    "!!str ",
    "  ",
    "=== ",
    "%",
    "+",
    "v0=",
];
/// The longest input.
const MAX_LEN: usize = 4_096;
/// How often a token is repeated where nesting is tried.
const NESTED: usize = 300;

/// Input number `number` from these seeds.
///
/// # Panics
/// Without seeds.
#[must_use]
pub fn input(seeds: &[Vec<u8>], number: u64) -> Vec<u8> {
    let mut rng = Rng::with_seed(number);
    let mut data = pick(&mut rng, seeds).clone();
    // The seeds themselves come first.
    if let Some(seed) = usize::try_from(number).ok().and_then(|at| seeds.get(at)) {
        return seed.clone();
    }
    for _ in 0..rng.usize(1..8) {
        change(&mut rng, &mut data, seeds);
    }
    data.truncate(MAX_LEN);
    data
}

fn pick<'t, T>(rng: &mut Rng, from: &'t [T]) -> &'t T {
    &from[rng.usize(..from.len())]
}

fn change(rng: &mut Rng, data: &mut Vec<u8>, seeds: &[Vec<u8>]) {
    let start = rng.usize(..=data.len());
    let end = data.len().min(start + rng.usize(..24));
    match rng.u8(..8) {
        0 => drop(data.drain(start..end)),
        1 => {
            let part = data[start..end].to_vec();
            let at = rng.usize(..=data.len());
            insert(data, at, &part);
        }
        2 => {
            if let Some(byte) = data.get_mut(start) {
                *byte ^= 1 << rng.u8(..8);
            }
        }
        3 => {
            if let Some(byte) = data.get_mut(start) {
                *byte = rng.u8(..);
            }
        }
        4 => {
            let other = pick(rng, seeds);
            let from = rng.usize(..=other.len());
            let to = other.len().min(from + rng.usize(..200));
            insert(data, start, &other[from..to]);
        }
        5 if rng.u8(..8) == 0 => {
            let nested = pick(rng, TOKENS).repeat(rng.usize(1..NESTED));
            insert(data, start, nested.as_bytes());
        }
        6 => drop(data.splice(start..end, pick(rng, TOKENS).bytes())),
        _ => insert(data, start, pick(rng, TOKENS).as_bytes()),
    }
}

fn insert(data: &mut Vec<u8>, at: usize, part: &[u8]) {
    data.splice(at..at, part.iter().copied());
}
