//! Decides whether a reply would help although nobody asked for one.

use serde_json::{Deserializer, Map, Value};

use super::Responder;
use super::asker::PromptInput;
use super::situation::Wanted;
use crate::answer::AnswerKind;
use crate::ask::{Judged, Question};
use crate::bindings::errors::{BadAnswer, Error};
use crate::bindings::exports::myao::memory::responder::{Judgment, Target};
use crate::bindings::llm::Completion;
use crate::bindings::types::Engine;
use crate::prompt::instruction_language;
use crate::text::language::Language;

/// The JSON schema of a judgment, in the strict subset that providers enforce.
const SCHEMA: &str = include_str!("judgment.schema.json");
/// A longer reason is cut, in characters.
const MAX_REASON: usize = 300;
/// Give up on an answer after trying so many opening braces.
const MAX_TRIES: usize = 200;

impl Responder<'_> {
    pub(super) fn decide(&self, target: &Target) -> Result<Judgment, Error> {
        let settings = &self.ports.settings;
        if settings.reply_engine == Engine::Extractive {
            return Ok(Judgment {
                should_respond: false,
                reason: "without a language model, only mentions are answered".to_owned(),
                confidence: 1.0,
            });
        }
        let situation = self.situation(target, Wanted::Judgment)?;
        let input = PromptInput {
            context: &situation.context,
            occasion: None,
            answered: Some(&situation.answered),
            after: "",
        };
        let question = JudgmentQuestion {
            language: instruction_language(settings.prompt_language, &situation.context),
        };
        let said = self.asker.ask(input, Some(SCHEMA), question)?;
        Ok(said.answer)
    }
}

/// Reads the answer as a judgment.
#[derive(Clone, Copy)]
struct JudgmentQuestion {
    /// The language of the prompt's instruction.
    language: Language,
}

impl Question for JudgmentQuestion {
    type Answer = Judgment;
    const KIND: AnswerKind = AnswerKind::Judgment;

    fn judge(&self, _: &str, completion: &Completion) -> Judged<Judgment> {
        read(&completion.text).map_err(BadAnswer::Malformed).into()
    }

    fn language(&self) -> Language {
        self.language
    }
}

/// The last JSON object in an answer that is a judgment, whatever is around it.
fn read(answer: &str) -> Result<Judgment, String> {
    let mut fault = None;
    for (at, _) in answer.rmatch_indices('{').take(MAX_TRIES) {
        let tail = answer.get(at..).unwrap_or_default();
        let Some(Ok(object)) = Deserializer::from_str(tail).into_iter().next() else {
            continue;
        };
        match judgment(&object) {
            Ok(judgment) => return Ok(judgment),
            Err(error) => fault = fault.or(Some(error)),
        }
    }
    Err(fault.unwrap_or_else(|| "there is no JSON object".to_owned()))
}

fn judgment(object: &Map<String, Value>) -> Result<Judgment, String> {
    let field = |name: &str| object.get(name).ok_or_else(|| format!("{name} is missing"));
    let should_respond = match field("should_respond")? {
        Value::Bool(bool) => *bool,
        Value::String(text) if text.eq_ignore_ascii_case("true") => true,
        Value::String(text) if text.eq_ignore_ascii_case("false") => false,
        _ => return Err("should_respond is neither true nor false".to_owned()),
    };
    let Value::String(reason) = field("reason")? else {
        return Err("reason is not a string".to_owned());
    };
    let confidence = match field("confidence")? {
        Value::Number(confidence) => confidence.as_f64(),
        Value::String(text) => number(text),
        _ => None,
    };
    let confidence = confidence.ok_or("confidence is not a number")?;
    if !(0.0..=1.0).contains(&confidence) {
        return Err(format!("confidence is {confidence}, not between 0 and 1"));
    }
    Ok(Judgment {
        should_respond,
        reason: reason.trim().chars().take(MAX_REASON).collect(),
        confidence,
    })
}

/// `0.8`, or `80%`.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    match text.strip_suffix(['%', '％']) {
        Some(percent) => Some(percent.trim().parse::<f64>().ok()? / 100.0),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn of(should_respond: bool, reason: &str, confidence: f64) -> Result<Judgment, String> {
        Ok(Judgment {
            should_respond,
            reason: reason.to_owned(),
            confidence,
        })
    }

    #[test]
    fn judgments_are_read_whatever_stands_around_them() {
        for (answer, expected) in [
            (
                r#"{"should_respond": true, "reason": "未回答", "confidence": 0.85}"#,
                of(true, "未回答", 0.85),
            ),
            (
                "```json\n{\"should_respond\": false,\n \"reason\": \"chat\",\n \"confidence\": 1}\n```",
                of(false, "chat", 1.0),
            ),
            (
                r#"Here it is: {"confidence": "80%", "reason": "a {b} \"c\"", "should_respond": "True", "x": [1, {"y": null}]} I hope it helps."#,
                of(true, "a {b} \"c\"", 0.8),
            ),
            (
                r#"<think>{"should_respond": true, "reason": "?", "confidence": 0.1}</think>{"should_respond": false, "reason": "答え済み", "confidence": 0.9}"#,
                of(false, "答え済み", 0.9),
            ),
            (
                r#"{"judgment": {"should_respond": true, "reason": "", "confidence": 0}}"#,
                of(true, "", 0.0),
            ),
        ] {
            assert_eq!(read(answer), expected, "{answer}");
        }
    }

    #[test]
    fn what_is_no_judgment_is_refused_with_its_fault() {
        for (answer, fault) in [
            ("はい、返信すべきです。", "there is no JSON object"),
            ("{", "there is no JSON object"),
            (
                "{'should_respond': False, 'reason': 'done', 'confidence': 0.8}",
                "there is no JSON object",
            ),
            (
                r#"{"should_respond": true, "reason": "cut of"#,
                "there is no JSON object",
            ),
            (
                r#"{"should_respond": 1, "reason": "", "confidence": 1}"#,
                "should_respond is neither true nor false",
            ),
            (
                r#"{"should_respond": true, "confidence": 1}"#,
                "reason is missing",
            ),
            (
                r#"{"should_respond": true, "reason": null, "confidence": 1}"#,
                "reason is not a string",
            ),
            (
                r#"{"should_respond": true, "reason": "", "confidence": "high"}"#,
                "confidence is not a number",
            ),
            (
                r#"{"should_respond": true, "reason": "", "confidence": 80}"#,
                "confidence is 80, not between 0 and 1",
            ),
            (
                r#"{"should_respond": true, "reason": "", "confidence": -0.1}"#,
                "confidence is -0.1, not between 0 and 1",
            ),
            (
                r#"{"should_respond": true, "reason": "", "confidence": "NaN"}"#,
                "confidence is NaN, not between 0 and 1",
            ),
            (
                r#"{"返信すべき": true, "理由": "", "確信度": 1}"#,
                "should_respond is missing",
            ),
        ] {
            assert_eq!(read(answer).unwrap_err(), fault, "{answer}");
        }
    }

    #[test]
    fn a_long_reason_is_cut_at_300_characters() {
        let answer = format!(
            r#"{{"should_respond": true, "reason": "{}", "confidence": 1}}"#,
            "理".repeat(400)
        );
        assert_eq!(read(&answer).unwrap().reason.chars().count(), 300);
    }
}
