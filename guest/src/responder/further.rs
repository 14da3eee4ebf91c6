//! Further searches: before the model replies, it may look for what the question's own words did not find.

use serde_json::Value;

use super::question::Question;
use super::situation::{Situation, Wanted};
use super::{Responder, found};
use crate::bindings::errors::{BadAnswer, Error};
use crate::bindings::log::Level;
use crate::prompt::harmless;
use crate::text::flatten;
use crate::text::language::Language;

/// The model may ask for searches so many times,
const ROUNDS: usize = 2;
/// for so many each time,
const MOST_SEARCHES: usize = 3;
/// of so many characters each,
const MOST_CHARACTERS: usize = 200;
/// each of which adds so many messages.
const MOST_ADDED: usize = 6;

/// The searches so far, round by round.
#[derive(Default)]
pub(super) struct Searches {
    done: Vec<Vec<String>>,
}

impl Searches {
    /// Returns true if the model may ask for more.
    pub(super) fn may_go_on(&self) -> bool {
        self.done.len() < ROUNDS
    }

    /// The text that is added to the prompt: the searches so far, and whether there may be more.
    pub(super) fn told(&self, language: Language) -> String {
        let is_japanese = language == Language::Japanese;
        let done: Vec<String> = self
            .done
            .iter()
            .flatten()
            .map(|text| harmless::text(text).into_owned())
            .collect();
        let mut told = match (&done[..], is_japanese) {
            ([], _) => String::new(),
            (done, true) => format!(
                "検索したこと：{}。見つかったものは上にあります。",
                done.join("、")
            ),
            (done, false) => format!(
                "You have searched for: {}. What was found is above. ",
                done.join("; ")
            ),
        };
        told.push_str(match (self.may_go_on(), is_japanese) {
            (true, true) => {
                "上の内容だけでは答えられないときは、さらに検索できます。その場合は返信を書かずに、{\"search\": [\"…\"]} の形の JSON だけを書いてください。\
                 検索は3件までで、答えの発言に出てきそうな言葉を、どの言語でも書けます。人やチャンネルの名前、日付も使えます。"
            }
            (true, false) => {
                "If what is above does not answer the message, you may search for more: then write no reply, but only JSON of the form {\"search\": [\"…\"]}, \
                 with at most 3 searches. Each has words that the message with the answer may have, in any language; names of people and channels and dates may be among them."
            }
            (false, true) => "これ以上は検索できません。返信を書き、見つからなかったことは見つからなかったと書いてください。",
            (false, false) => "You cannot search again: write the reply, and say of what was not found that it was not found.",
        });
        told
    }
}

/// An answer of the model: the text before a request for searches, and those.
pub(super) fn read(answer: &str) -> Result<(&str, Vec<String>), BadAnswer> {
    let end = answer.trim_end().trim_end_matches('`').trim_end();
    let at = end.rfind('{').unwrap_or(end.len());
    let (before, json) = end.split_at(at);
    if let Some(searches) = request(json) {
        let before = before.trim_end();
        let before = before.strip_suffix("json").unwrap_or(before);
        return Ok((before.trim_end_matches('`'), searches));
    }
    if before
        .trim_matches(['`', ' ', '\n'])
        .trim_start_matches("json")
        .trim()
        .is_empty()
        && json.contains("\"search\"")
    {
        let fault = "the searches are not JSON of the form {\"search\": [\"…\"]}";
        return Err(BadAnswer::Malformed(fault.to_owned()));
    }
    Ok((answer, Vec::new()))
}

/// The searches of a request; `None` if it is none.
fn request(json: &str) -> Option<Vec<String>> {
    let value: Value = serde_json::from_str(json).ok()?;
    let searches = value.as_object()?.get("search")?.as_array()?;
    let searches = searches
        .iter()
        .map(|search| search.as_str())
        .collect::<Option<Vec<_>>>()?;
    let searches = searches
        .into_iter()
        .map(|search| flatten(search).chars().take(MOST_CHARACTERS).collect());
    let searches: Vec<String> = searches
        .filter(|search: &String| !search.trim().is_empty())
        .take(MOST_SEARCHES)
        .collect();
    (!searches.is_empty()).then_some(searches)
}

impl Responder<'_> {
    /// Searches, and shows what is found before what was shown.
    pub(super) fn search_further(
        &self,
        situation: &mut Situation,
        searches: &mut Searches,
        asked: Vec<String>,
    ) -> Result<(), Error> {
        let Situation {
            context,
            answered,
            found,
            ..
        } = situation;
        let known = found.hits.len();
        for text in &asked {
            let question = Question::read(text, "", std::iter::empty());
            let hits = self.hits(&question, context, answered, false)?;
            let hits = hits
                .into_iter()
                .filter(|hit| found.hits.iter().all(|known| known.at != hit.at));
            let hits: Vec<_> = hits.take(MOST_ADDED).collect();
            found.hits.extend(hits);
        }
        let added = found.hits.len() - known;
        found.hits.rotate_left(known);
        found::without_hits(&mut found.lines, &found.hits);
        let line = format!(
            "the model asked for {} further searches, which found {added} messages",
            asked.len()
        );
        self.ports.log.write(Level::Info, &line);
        searches.done.push(asked);
        self.bound(context, answered, found, Wanted::Reply);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn searches(answer: &str) -> Vec<String> {
        read(answer)
            .map(|(_, searches)| searches)
            .unwrap_or_default()
    }

    #[test]
    fn searches_are_read_whatever_stands_around_them() {
        for (answer, before) in [
            (r#"{"search": ["a", "b"]}"#, ""),
            ("```json\n{ \"search\":\n[\"a\", \"b\"] }\n```", ""),
            (
                "I look that up.\n{\"search\": [\"a\", \"b\", \" \"]}\n",
                "I look that up.",
            ),
        ] {
            let read = read(answer);
            assert_eq!(
                read,
                Ok((before, vec!["a".to_owned(), "b".to_owned()])),
                "{answer}"
            );
        }
        let many = r#"{"search": ["a", "b", "c", "d"]}"#;
        assert_eq!(searches(many), ["a", "b", "c"]);
        let long = format!("{{\"search\": [\"{}\"]}}", "あ".repeat(300));
        assert_eq!(searches(&long), ["あ".repeat(200)]);
    }

    #[test]
    fn replies_are_no_searches_and_a_broken_request_is_refused() {
        for reply in [
            "On Friday [1].",
            "Use `{\"search\": [\"a\"]}` in the body.",
            "",
            "{\"find\": []}",
        ] {
            assert_eq!(read(reply), Ok((reply, Vec::new())));
        }
        for broken in [
            r#"{"search": ["a""#,
            r#"{"search": "a"}"#,
            r#"{"search": []}"#,
            "```json\n{\"search\": [1]}\n```",
        ] {
            assert!(
                matches!(read(broken), Err(BadAnswer::Malformed(_))),
                "{broken}"
            );
        }
    }
}
