//! Reads memories line by line: this engine's own, and other Markdown.

use chrono::{Datelike, NaiveDate};

use crate::text::sentences;
use crate::text::{flatten, is_alphanumeric, is_line_break, strip_markers, width};

/// A parent bullet no wider than this is the heading of the bullets below it.
const MAX_PARENT_WIDTH: usize = 40;
/// Wider text before a colon is not a speaker.
const MAX_SPEAKER_WIDTH: usize = 40;

/// One remembered thing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Item {
    /// The channel it belongs to: `#general`.
    pub(crate) label: Option<String>,
    /// Its day as `YYYY-MM-DD`, if the text began with it.
    pub(crate) date: Option<String>,
    /// The day to order by, counted from the year 1; also of dates in other forms, which stay in the text.
    pub(crate) day: Option<i32>,
    /// The rest of its text.
    pub(crate) text: String,
}

impl Item {
    /// The beginning of its line.
    pub(super) fn prefix(&self) -> String {
        let parts = [self.date.as_deref(), self.label.as_deref()];
        parts
            .into_iter()
            .flatten()
            .fold("- ".to_owned(), |line, part| line + part + " ")
    }
}

/// The speaker or subject of an item's text, and the rest.
pub(super) fn speaker(text: &str) -> (&str, &str) {
    text.split_once(": ")
        .filter(|(speaker, _)| width(speaker) <= MAX_SPEAKER_WIDTH)
        .unwrap_or(("", text))
}

/// The day, label and heading that the lines above give those below them.
#[derive(Default)]
struct Above {
    date: Option<String>,
    day: Option<i32>,
    label: Option<String>,
    /// Parents of nested bullets: their indentation and text.
    parents: Vec<(usize, String)>,
}

/// The items of a memory. Every one gets `label`, if given.
pub(crate) fn parse(memory: &str, label: Option<&str>) -> Vec<Item> {
    let lines: Vec<&str> = memory.split(is_line_break).collect();
    let mut above = Above::default();
    let mut items = Vec::new();
    for (at, raw) in lines.iter().enumerate() {
        let flat = flatten(&raw.replace("**", ""));
        let (body, markers) = strip_markers(&flat);
        if body.is_empty() || super::is_note(body) {
            continue;
        }
        let bold = raw.trim().starts_with("**") && raw.trim().ends_with("**");
        if markers.heading || (bold && !markers.list) {
            above = heading(body);
            continue;
        }
        let indent = raw.chars().take_while(|c| c.is_whitespace()).count();
        above
            .parents
            .retain(|(parent, _)| markers.list && *parent < indent);
        if markers.list
            && width(body) <= MAX_PARENT_WIDTH
            && has_children(lines.get(at + 1..), indent)
        {
            let parent = body.trim_end_matches([':', '：']).to_owned();
            above.parents.push((indent, parent));
            continue;
        }
        if markers.list {
            let context: String = above
                .parents
                .iter()
                .map(|(_, parent)| format!("{parent}: "))
                .collect();
            items.extend(item(&format!("{context}{body}"), label, &above));
        } else {
            items.extend(
                sentences::split(body)
                    .iter()
                    .filter_map(|s| item(&s.text, label, &above)),
            );
        }
    }
    items
}

/// Returns true if the next line with text is a bullet with more indentation.
fn has_children(lines: Option<&[&str]>, indent: usize) -> bool {
    let next = lines
        .into_iter()
        .flatten()
        .find(|line| !line.trim().is_empty());
    next.is_some_and(|line| {
        let deeper = line.chars().take_while(|c| c.is_whitespace()).count() > indent;
        deeper && strip_markers(&flatten(line)).1.list
    })
}

/// A heading gives its date or channel to the lines below it.
fn heading(body: &str) -> Above {
    let read = read(body);
    Above {
        date: read.date,
        day: read.day,
        label: read.label,
        parents: Vec::new(),
    }
}

fn item(body: &str, label: Option<&str>, above: &Above) -> Option<Item> {
    let mut item = read(body);
    if !item.text.chars().any(is_alphanumeric) {
        return None;
    }
    if item.day.is_none() {
        item.day = above.day;
        item.date.clone_from(&above.date);
    }
    match (label, &item.label) {
        (Some(given), Some(own)) if given != own => {
            // If the channel itself uses another channel's name, that stays part of the text.
            item.text = format!("{} {}", own.trim_start_matches('#'), item.text);
            item.label = Some(given.to_owned());
        }
        (Some(given), _) => item.label = Some(given.to_owned()),
        (None, None) => item.label.clone_from(&above.label),
        (None, Some(_)) => {}
    }
    Some(item)
}

/// Removes the date and the label from the beginning of a line.
fn read(body: &str) -> Item {
    let mut item = Item {
        text: body.trim().to_owned(),
        ..Item::default()
    };
    for _ in 0..2 {
        if item.day.is_none()
            && let Some((day, rest)) = date(&item.text)
        {
            item.day = Some(day.num_days_from_ce());
            if let Some(rest) = rest {
                item.date = Some(day.to_string());
                item.text = rest;
            }
        }
        if item.label.is_none()
            && let Some((label, rest)) = channel_label(&item.text)
        {
            (item.label, item.text) = (Some(label), rest);
        }
    }
    item
}

/// A leading `#name`, not `#42`, which is an id.
fn channel_label(text: &str) -> Option<(String, String)> {
    let (label, rest) = text.split_once(' ').unwrap_or((text, ""));
    let name = label.strip_prefix('#')?.trim_end_matches([':', '：']);
    let is_name = name.chars().any(char::is_alphabetic) && !name.contains('#');
    is_name.then(|| (format!("#{name}"), rest.trim_start().to_owned()))
}

/// A leading date, and the rest if the date is separate from the text.
///
/// Dates are `2024-03-01`, `2024/3/1`, `[2024-03-01]`, `2024年3月1日` and `2024年3月`.
fn date(text: &str) -> Option<(NaiveDate, Option<String>)> {
    let open = text.trim_start_matches(['[', '(', '（', '【']);
    let bracketed = open.len() < text.len();
    let (year, rest) = number(open, 4..=4)?;
    let separator = rest.chars().next()?;
    let (month, rest) = number(rest.strip_prefix(['-', '/', '年'])?, 1..=2)?;
    if separator == '年' {
        let rest = rest.strip_prefix('月')?;
        let day = number(rest, 1..=2)
            .filter(|(_, after)| after.starts_with('日'))
            .map_or(1, |(day, _)| day);
        return Some((
            NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)?,
            None,
        ));
    }
    let (day, rest) = number(rest.strip_prefix(separator)?, 1..=2)?;
    let date = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)?;
    let rest = if bracketed {
        rest.strip_prefix([']', ')', '）', '】']).unwrap_or(rest)
    } else {
        rest
    };
    let apart = rest.is_empty() || rest.starts_with([' ', ':', '：', ',', '、']);
    let rest = rest.trim_start_matches([' ', ':', '：', ',', '、']);
    let rest = rest
        .strip_prefix("- ")
        .or_else(|| rest.strip_prefix("— "))
        .unwrap_or(rest);
    Some((date, (apart || bracketed).then(|| rest.to_owned())))
}

fn number(text: &str, digits: std::ops::RangeInclusive<usize>) -> Option<(u32, &str)> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, rest) = text.split_at_checked(end)?;
    digits.contains(&end).then_some(())?;
    Some((number.parse().ok()?, rest))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    fn lines(memory: &str, label: Option<&str>) -> Vec<String> {
        parse(memory, label)
            .iter()
            .map(|i| i.prefix() + &i.text)
            .collect()
    }

    #[test]
    fn own_lines_are_read_back_as_they_were_written() {
        let line = "- 2024-03-01 #general alice: 10:30 に開始";
        assert_eq!(lines(line, None), [line]);
        assert_eq!(lines(line, Some("#general")), [line]);
        assert_eq!(
            lines("- 2024-03-01 alice: hi there", Some("#dev")),
            ["- 2024-03-01 #dev alice: hi there"]
        );
        assert_eq!(
            lines("- 2024-03-01 #42 is fixed", None),
            ["- 2024-03-01 #42 is fixed"]
        );
    }

    #[test]
    fn markdown_of_other_engines_is_read() {
        let memory = "# まとめ\n（LLMを使わず、発言から抜粋した記憶です）\n\n## 2024-03-01\n* **予算**は300万円\n・担当は田中\n### #dev\n1. v1.2 を公開\n\
                      - 決定事項:\n  - 期限は3月\n  - 予算は未定\n- 2024年1月: 開始した\n## その他\nふつうの段落も読まれます。文ごとに分かれます。\n---\n- [2024/3/5] 終了";
        let expected = [
            "- 2024-03-01 予算は300万円",
            "- 2024-03-01 担当は田中",
            "- #dev v1.2 を公開",
            "- #dev 決定事項: 期限は3月",
            "- #dev 決定事項: 予算は未定",
            "- #dev 2024年1月: 開始した",
            "- ふつうの段落も読まれます。",
            "- 文ごとに分かれます。",
            "- 2024-03-05 終了",
        ];
        assert_eq!(lines(memory, None), expected);
        assert_eq!(
            parse("- 2024年1月: 開始", None)[0].day,
            parse("- 2024-01-01 x", None)[0].day
        );
    }

    #[test]
    fn what_is_no_date_is_text() {
        for text in [
            "- 2024-13-01 x",
            "- 2024-02-30 x",
            "- 20240301 x",
            "- 2024-03 x",
            "- 99999-01-01 x",
        ] {
            assert_eq!(parse(text, None)[0].day, None, "{text}");
        }
        assert_eq!(lines("- 2024-03-01に決定", None), ["- 2024-03-01に決定"]);
    }
}
