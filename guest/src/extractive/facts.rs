//! The facts of a sentence: dates, times, amounts, versions, ids, addresses, files and names.

use std::collections::BTreeSet;

use super::text::{fold, is_kana, is_kanji, is_katakana};

/// One fact.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fact {
    /// What it is, lower case; the same fact in another sentence has the same key.
    pub(super) key: String,
    /// What it is worth to a reader, about 1.
    pub(super) weight: f64,
}

/// The names of the people who take part, lower case.
#[derive(Default)]
pub(super) struct Names(BTreeSet<String>);

impl Names {
    /// From the names as they are shown; the parts of a name count too.
    pub(super) fn new<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let mut all = BTreeSet::new();
        for name in names {
            let name = fold(name).to_lowercase();
            let parts =
                name.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '.' | '_' | '/'));
            all.extend(
                parts
                    .chain([name.trim()])
                    .filter(|n| n.chars().count() > 1)
                    .map(str::to_owned),
            );
        }
        Self(all)
    }

    /// The text behind the name of the person it is said to: `alice: yes` says `yes`.
    pub(super) fn without_addressee<'a>(&self, text: &'a str) -> &'a str {
        let Some((name, rest)) = text.split_once([':', ',', ' ', '、']) else {
            return text;
        };
        let name = name.trim_start_matches('@').to_lowercase();
        if self.0.contains(&name) && !rest.trim().is_empty() {
            rest.trim_start()
        } else {
            text
        }
    }
}

const CURRENCIES: &[char] = &['$', '€', '£', '¥', '￥'];
/// What follows a number in Japanese, and what the two then are worth.
const COUNTERS: &[(&str, f64)] = &[
    ("月", 0.9),
    ("日", 0.9),
    ("時", 0.7),
    ("年", 0.6),
    ("円", 1.2),
    ("万", 1.1),
    ("億", 1.1),
    ("割", 0.8),
    ("人", 0.9),
    ("名", 0.9),
    ("件", 0.9),
    ("個", 0.8),
    ("台", 0.9),
    ("回", 0.6),
    ("本", 0.7),
    ("枚", 0.7),
    ("社", 0.8),
    ("倍", 0.9),
    ("秒", 0.8),
    ("分", 0.7),
    ("週", 0.7),
    ("ヶ月", 0.8),
    ("か月", 0.8),
    ("ポイント", 0.8),
    ("ドル", 1.1),
    ("ギガ", 0.8),
    ("階", 0.6),
    ("歳", 0.5),
    ("行", 0.5),
];
const CALENDAR: &[&str] = &[
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "january",
    "february",
    "march",
    "april",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "mon",
    "tue",
    "tues",
    "wed",
    "thu",
    "thurs",
    "fri",
    "jan",
    "feb",
    "mar",
    "apr",
    "jun",
    "jul",
    "aug",
    "sep",
    "sept",
    "oct",
    "nov",
    "dec",
    "tomorrow",
    "tonight",
    "eod",
    "eow",
];
const JAPANESE_CALENDAR: &[&str] = &[
    "月曜",
    "火曜",
    "水曜",
    "木曜",
    "金曜",
    "土曜",
    "日曜",
    "明日",
    "明後日",
    "今週",
    "来週",
    "再来週",
    "今月",
    "来月",
    "月末",
    "月初",
    "年内",
    "年度",
    "四半期",
    "午前",
    "午後",
    "正午",
];

/// The facts of a sentence, sorted by key, each once.
pub(super) fn facts(text: &str, names: &Names) -> Vec<Fact> {
    let text = fold(text);
    let mut facts = Vec::new();
    let mut first = true;
    let mut rest = text.as_str();
    while let Some(c) = rest.chars().next() {
        let is_ascii_word = |c: char| {
            c.is_ascii_graphic() && !"\"'`()<>[]{},;|*".contains(c) || CURRENCIES.contains(&c)
        };
        let is_grouping = |head: &str, tail: &str| {
            // `1,200` is one number.
            head.ends_with(|c: char| c.is_ascii_digit())
                && tail.len() > 1
                && tail
                    .get(1..2)
                    .is_some_and(|d| d.as_bytes().iter().all(u8::is_ascii_digit))
        };
        if is_ascii_word(c) {
            let mut end = rest.find(|c| !is_ascii_word(c)).unwrap_or(rest.len());
            while let (Some(head), Some(tail)) = (rest.get(..end), rest.get(end..)) {
                if !tail.starts_with(',') || !is_grouping(head, tail) {
                    break;
                }
                let more = tail.get(1..).unwrap_or_default();
                end += 1 + more.find(|c| !is_ascii_word(c)).unwrap_or(more.len());
            }
            let (chunk, tail) = rest.split_at_checked(end).unwrap_or((rest, ""));
            let sentence_end = chunk.ends_with(['.', '!', '?', ':']);
            let chunk = chunk.trim_end_matches(['.', '!', '?', ':', '~', '&', '=', '-']);
            facts.extend(ascii_fact(chunk, tail, first, names));
            (rest, first) = (tail, sentence_end);
        } else if is_kanji(c) || is_katakana(c) {
            let same = |d: char| {
                if is_kanji(c) {
                    is_kanji(d)
                } else {
                    is_katakana(d)
                }
            };
            let (run, tail) = rest
                .split_at_checked(rest.find(|d| !same(d)).unwrap_or(rest.len()))
                .unwrap_or((rest, ""));
            japanese_facts(run, tail, names, &mut facts);
            rest = tail;
        } else {
            let mut chars = rest.chars();
            chars.next();
            rest = chars.as_str();
        }
    }
    facts.sort_by(|a, b| a.key.cmp(&b.key).then(b.weight.total_cmp(&a.weight)));
    facts.dedup_by(|later, kept| later.key == kept.key);
    facts
}

fn fact(key: &str, weight: f64) -> Option<Fact> {
    Some(Fact {
        key: key.to_lowercase(),
        weight,
    })
}

/// The fact in a chunk of ASCII without spaces, `tail` being what follows it.
fn ascii_fact(chunk: &str, tail: &str, first: bool, names: &Names) -> Option<Fact> {
    let lower = chunk.to_lowercase();
    if chunk.contains("://") || lower.starts_with("www.") {
        return fact(chunk, 1.0);
    }
    let name = lower.trim_start_matches('@').trim_end_matches("'s");
    if names.0.contains(name) || (chunk.starts_with('@') && name.len() > 1) {
        return fact(name, 0.4);
    }
    if chunk.contains(|c: char| c.is_ascii_digit()) {
        return number_fact(chunk, &lower, tail);
    }
    word_fact(chunk, &lower, first)
}

/// A fact with a digit in it.
fn number_fact(chunk: &str, lower: &str, tail: &str) -> Option<Fact> {
    let digits = chunk.chars().filter(char::is_ascii_digit).count();
    let parts: Vec<&str> = chunk.split(['-', '/']).collect();
    let all_numbers = |parts: &[&str]| {
        parts
            .iter()
            .all(|p| (1..=4).contains(&p.len()) && p.bytes().all(|b| b.is_ascii_digit()))
    };
    if chunk.contains(['-', '/']) && (2..=3).contains(&parts.len()) && all_numbers(&parts) {
        return fact(chunk, 1.0);
    }
    let clock: Vec<&str> = lower
        .trim_end_matches("am")
        .trim_end_matches("pm")
        .split([':', '-'])
        .collect();
    let minutes = clock.get(1).is_none_or(|minutes| minutes.len() == 2);
    if minutes
        && (lower.contains(':') || lower.ends_with("am") || lower.ends_with("pm"))
        && all_numbers(&clock)
    {
        return fact(chunk, 0.7);
    }
    let number = chunk.trim_start_matches(CURRENCIES).trim_end_matches('%');
    let plain = number
        .bytes()
        .all(|b| b.is_ascii_digit() || b == b'.' || b == b',');
    if plain && number.len() < chunk.len() {
        return fact(chunk, if digits > 1 { 1.2 } else { 0.7 });
    }
    if plain {
        return Some(counted(number, digits, tail));
    }
    let unit =
        number.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '~'));
    let is_version = number
        .trim_start_matches(['v', 'V'])
        .starts_with(|c: char| c.is_ascii_digit())
        && chunk.contains('.');
    let is_amount = unit.len() <= 4
        && unit
            .chars()
            .all(|c| c.is_ascii_alphabetic() || matches!(c, '%' | '/'));
    if is_version || is_amount || chunk.starts_with('#') {
        return fact(chunk, 1.0);
    }
    if !chunk.contains(|c: char| c.is_ascii_alphabetic()) {
        return fact(chunk, 0.3);
    }
    // Ids and codes: `INC-204`, `E0502`, `3fa9c1d`. Long ones are rather hashes and dumps.
    fact(chunk, if chunk.len() <= 24 { 0.9 } else { 0.4 })
}

/// A number with what it counts: `300万円`, `3月15日`, `200 GB`, or alone.
fn counted(number: &str, digits: usize, tail: &str) -> Fact {
    if let Some((counter, weight)) = COUNTERS
        .iter()
        .find(|(counter, _)| tail.starts_with(counter))
    {
        let unit: String = tail.chars().take_while(|c| is_kanji(*c)).take(2).collect();
        let unit = if unit.is_empty() {
            (*counter).to_owned()
        } else {
            unit
        };
        return Fact {
            key: format!("{number}{unit}"),
            weight: *weight,
        };
    }
    let unit = tail
        .trim_start()
        .split(|c: char| !c.is_ascii_alphabetic() && c != '%')
        .next()
        .unwrap_or_default();
    let units = [
        "%", "percent", "ms", "s", "sec", "seconds", "minutes", "min", "hours", "days", "weeks",
        "months", "years", "kb", "mb", "gb", "tb", "users", "people", "seats", "dollars", "euros",
        "usd", "eur", "k", "m", "rows", "requests",
    ];
    let lower = unit.to_lowercase();
    if units.contains(&lower.as_str()) {
        return Fact {
            key: format!("{number} {lower}"),
            weight: 0.9,
        };
    }
    let weight = match digits {
        1 => 0.15,
        2 => 0.4,
        _ => 0.6,
    };
    Fact {
        key: number.to_owned(),
        weight,
    }
}

/// A fact without a digit.
fn word_fact(chunk: &str, lower: &str, first: bool) -> Option<Fact> {
    let letters = chunk.chars().filter(char::is_ascii_alphabetic).count();
    if letters < 2 {
        return None;
    }
    if CALENDAR.contains(&lower)
        && (lower.len() > 3 || chunk.starts_with(|c: char| c.is_ascii_uppercase()))
    {
        return fact(lower, 0.7);
    }
    let extension = chunk
        .rsplit_once('.')
        .filter(|(stem, _)| stem.len() > 1)
        .map_or("", |(_, e)| e);
    if (2..=5).contains(&extension.len()) && extension.bytes().all(|b| b.is_ascii_lowercase()) {
        return fact(chunk, 0.6);
    }
    let is_path = chunk.starts_with(['/', '~']) || chunk.matches('/').count() > 1;
    let is_code =
        chunk.contains('_') || chunk.contains("::") || (chunk.starts_with('#') && letters > 2);
    if (is_path || is_code) && letters > 2 {
        return fact(chunk, 0.5);
    }
    let upper = chunk.chars().filter(char::is_ascii_uppercase).count();
    let starts_upper = chunk.starts_with(|c: char| c.is_ascii_uppercase());
    if letters > 2
        && (upper > 1 || (upper == 1 && !starts_upper))
        && chunk.chars().all(|c| c.is_ascii_alphabetic() || c == '-')
    {
        return fact(chunk, if upper == letters { 0.35 } else { 0.45 });
    }
    (starts_upper && !first && letters > 2 && !lower.starts_with("i'"))
        .then(|| fact(chunk, 0.4))
        .flatten()
}

/// Names and dates in a run of kanji or katakana.
fn japanese_facts(run: &str, tail: &str, names: &Names, facts: &mut Vec<Fact>) {
    for word in JAPANESE_CALENDAR.iter().filter(|word| run.contains(**word)) {
        facts.extend(fact(word, 0.5));
    }
    let addressed = ["さん", "くん", "ちゃん"]
        .iter()
        .any(|title| tail.starts_with(title));
    let titled = run
        .strip_suffix(['様', '氏', '君'])
        .filter(|name| name.chars().count() > 1);
    let known = (2..=6).rev().find_map(|length| {
        let head: String = run.chars().take(length).collect();
        names.0.contains(&head).then_some(head)
    });
    if let Some(name) = known
        .as_deref()
        .or(titled)
        .or_else(|| (addressed && run.chars().count() < 7).then_some(run))
    {
        facts.extend(fact(name, 0.7));
    } else if run.starts_with(is_katakana) && tail.starts_with('社') {
        facts.extend(fact(run, 0.7));
    } else if run.starts_with(is_katakana) && run.chars().count() > 3 {
        // A long loan word is a subject or a product more often than not.
        facts.extend(fact(run, 0.2));
    }
    debug_assert!(
        !run.contains(|c| is_kana(c) && !is_katakana(c)),
        "runs hold no hiragana"
    );
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<String> {
        let names = Names::new(["田中 太郎", "alice"].into_iter());
        facts(text, &names)
            .into_iter()
            .filter(|f| f.weight >= 0.3)
            .map(|f| f.key)
            .collect()
    }

    #[test]
    fn facts_of_both_languages_are_found() {
        assert_eq!(
            keys("３月１５日に田中さんが300万円で発注"),
            ["15日", "300万円", "3月", "田中"]
        );
        assert_eq!(
            keys("Alice moved it to 2024-03-15 at 10:30 for $1,200."),
            ["$1,200", "10:30", "2024-03-15", "alice"]
        );
        assert_eq!(
            keys("See https://example.com/a?b=1 and INC-204 in v1.2.3"),
            ["https://example.com/a?b=1", "inc-204", "v1.2.3"]
        );
        assert_eq!(
            keys("p95 is 180 ms, down 12%, see deploy.yaml"),
            ["12%", "180 ms", "deploy.yaml", "p95"]
        );
        assert_eq!(keys("the plan is for us to talk"), [""; 0]);
    }
}
