//! Which hits of the search are quoted: the best few that do not say the same, a newer value before an older one.

use super::says_the_same;
use super::sources::{MAX_QUOTE, Quotable, of_message};
use crate::bindings::exports::myao::memory::searcher::Hit;
use crate::bindings::types::{Context, MessageRef};
use crate::prompt::is_own;
use crate::recall::only_asks;
use crate::records::values;
use crate::responder::question::{Question, plain};
use crate::text::cues::{is_chatter, is_question};
use crate::text::sentences;
use crate::text::{flatten, width};
use crate::ts::Ts;

/// The most hits in a reply.
pub(super) const MAX_HITS: usize = 8;
/// A hit that fits less than this part of what the best one does is left out.
const LEAST_SHARE: f64 = 0.3;
/// Hits are quoted if one of them fits so well,
const SURE_FIT: f64 = 0.3;
/// or fits so well and has a word of the question's subject.
const LEAST_FIT: f64 = 0.1;
/// So many hits are looked at for newer values.
const LOOKED_AT: usize = 12;
/// A newer message replaces the value of an older one if it shares this part of what the older one has of the question.
const SAME_SUBJECT: f64 = 0.5;
/// How a message begins that corrects one before it.
const CORRECTING: [&str; 2] = ["correction", "訂正"];
const DAY_SECONDS: u64 = 24 * 3600;
/// A message without a word of the question is quoted if its meaning is so similar, in standard deviations above the mean.
const LEAST_SIMILARITY: f32 = 2.5;
/// How much more a hit counts that has the kind of information that is asked for.
const SIGNED: f64 = 1.3;

/// The hits to quote, in order.
pub(super) fn chosen(asked: &Question, context: &Context, hits: &[Hit]) -> Vec<Quotable> {
    let tells = |hit: &&Hit| {
        let text = plain(&hit.message.text);
        let is_found = !hit.terms.is_empty() || hit.score <= 0.0 || is_similar(hit);
        !text.is_empty()
            && !only_asks(&text)
            && !is_by_address(hit, asked)
            && (is_found || !is_chatter(&text) && answers(hit, hits))
    };
    let telling: Vec<&Hit> = hits.iter().filter(tells).collect();
    let is_of_time = hits.iter().all(|hit| hit.score <= 0.0);
    let ordered = if is_of_time {
        telling
    } else {
        ranked(asked, telling)
    };
    let mut chosen: Vec<Quotable> = Vec::new();
    for hit in ordered {
        let part = |text: &str| part(asked, text);
        let quote = of_message(&hit.message, &hit.channel_name, hit.at.clone(), &part);
        if chosen.len() < MAX_HITS && !chosen.iter().any(|other| says_the_same(&quote, other)) {
            chosen.push(quote);
        }
    }
    for quote in in_threads(asked, context, &chosen) {
        if chosen.len() < MAX_HITS && !chosen.iter().any(|other| says_the_same(&quote, other)) {
            chosen.push(quote);
        }
    }
    chosen
}

/// The replies behind the quotes, in threads of the conversation, that have the kind of information that is asked for.
fn in_threads(asked: &Question, context: &Context, quotes: &[Quotable]) -> Vec<Quotable> {
    let history = &context.conversation_history;
    let mut found = Vec::new();
    for at in quotes.iter().flat_map(|quote| &quote.source.messages) {
        let threads = history.threads.iter();
        let mut threads = threads.filter(|_| at.channel_id == history.channel_id);
        let place = threads.find_map(|thread| {
            let place = thread.messages.iter().position(|said| said.ts == at.ts)?;
            thread.messages.get(place + 1..)
        });
        for reply in place.unwrap_or_default() {
            let text = plain(&reply.text);
            if !is_own(reply, &context.persona) && !only_asks(&text) && asked.has_sign(&text) {
                let at = MessageRef {
                    ts: reply.ts.clone(),
                    ..at.clone()
                };
                let part = |text: &str| part(asked, text);
                found.push(of_message(reply, &history.channel_name, at, &part));
            }
        }
    }
    found
}

fn is_similar(hit: &Hit) -> bool {
    hit.similarity
        .is_some_and(|similarity| similarity >= LEAST_SIMILARITY)
}

/// Returns true if a message stands beside one that was found, in its thread or as the answer to a question.
fn answers(hit: &Hit, hits: &[Hit]) -> bool {
    let ts = |hit: &Hit| Ts::parse(&hit.at.ts).ok();
    hits.iter().any(|other| {
        let thread = other.message.thread_ts.as_deref();
        let begins = thread.unwrap_or(&other.at.ts);
        other.at.channel_id == hit.at.channel_id
            && !other.terms.is_empty()
            && ts(other) < ts(hit)
            && (hit.message.thread_ts.as_deref() == Some(begins)
                || thread.is_none() && is_question(&plain(&other.message.text)))
    })
}

/// Returns true if a message has what was looked for in an address alone.
fn is_by_address(hit: &Hit, asked: &Question) -> bool {
    let text = plain(&hit.message.text);
    if hit.terms.is_empty() || !text.contains("://") || asked.text.contains("://") {
        return false;
    }
    let words: Vec<&str> = text
        .split_whitespace()
        .filter(|word| !word.contains("://"))
        .collect();
    let said = words.join(" ");
    !hit.terms.iter().any(|term| said.contains(term.as_str()))
}

/// The hits that answer the question, the best first; of those that contradict, the newer first.
fn ranked<'h>(asked: &Question, hits: Vec<&'h Hit>) -> Vec<&'h Hit> {
    let fit = |hit: &Hit| {
        let is_signed = asked.has_sign(&plain(&hit.message.text));
        hit.score * if is_signed { SIGNED } else { 1.0 }
    };
    let mut fitting: Vec<(f64, &Hit)> = hits.into_iter().map(|hit| (fit(hit), hit)).collect();
    fitting.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let is_about_it = |fit: f64, hit: &Hit| {
        fit >= SURE_FIT
            || is_similar(hit)
            || fit >= LEAST_FIT && asked.has_subject(&plain(&hit.message.text))
    };
    if !fitting.iter().any(|(fit, hit)| is_about_it(*fit, hit)) {
        return Vec::new();
    }
    let best = fitting.first().map_or(0.0, |(fit, _)| *fit);
    fitting.retain(|(fit, _)| *fit >= best * LEAST_SHARE);
    fitting.truncate(LOOKED_AT);
    let mut ordered: Vec<&Hit> = Vec::with_capacity(fitting.len());
    for (_, hit) in fitting {
        let older = ordered.iter().position(|older| replaces(hit, older));
        ordered.insert(older.unwrap_or(ordered.len()), hit);
    }
    ordered
}

/// Returns true if a newer message gives another value for what an older one says: it has most of the older one's terms of the
/// question, corrects it, or gives the value of the same word.
fn replaces(newer: &Hit, older: &Hit) -> bool {
    let time = |hit: &Hit| Ts::parse(&hit.at.ts).ok();
    let shared = older.terms.iter().filter(|term| newer.terms.contains(term));
    let shared: Vec<&String> = shared.collect();
    let is_same_subject = float(shared.len()) >= SAME_SUBJECT * float(older.terms.len())
        || corrects(newer, older)
        || shared.iter().any(|word| is_changed(word, newer, older));
    let (new, old) = (values(&newer.message.text), values(&older.message.text));
    time(newer) > time(older)
        && !shared.is_empty()
        && is_same_subject
        && new.iter().any(|value| !old.contains(value))
}

/// Returns true if a message in the same channel says of itself that it corrects something, within a day.
fn corrects(newer: &Hit, older: &Hit) -> bool {
    let seconds = |hit: &Hit| Ts::parse(&hit.at.ts).map_or(0, |ts| ts.seconds);
    let text = plain(&newer.message.text);
    newer.at.channel_id == older.at.channel_id
        && seconds(newer).saturating_sub(seconds(older)) <= DAY_SECONDS
        && CORRECTING.iter().any(|word| text.starts_with(word))
}

/// Returns true if both messages have a number behind a word, and not the same one.
fn is_changed(word: &str, newer: &Hit, older: &Hit) -> bool {
    let number = |hit: &Hit| {
        let text = plain(&hit.message.text);
        let mut behind = text
            .split_whitespace()
            .skip_while(|said| *said != word)
            .skip(1);
        let number = behind
            .next()?
            .trim_end_matches(|c: char| !c.is_alphanumeric())
            .to_owned();
        number
            .starts_with(|c: char| c.is_ascii_digit())
            .then_some(number)
    };
    matches!((number(newer), number(older)), (Some(new), Some(old)) if new != old)
}

/// A message, or the sentences of a long one that have most of the question.
fn part(asked: &Question, text: &str) -> String {
    if width(&flatten(text)) <= MAX_QUOTE {
        return text.to_owned();
    }
    let said: Vec<String> = sentences::split(text)
        .into_iter()
        .filter(|sentence| !sentence.code)
        .map(|sentence| sentence.text)
        .collect();
    let worth = |sentence: &String| -> f64 {
        let folded = plain(sentence);
        let sign = if asked.has_sign(&folded) { 0.5 } else { 0.0 };
        asked.matches(&folded).iter().sum::<f64>() + sign
    };
    let mut best = (0, f64::MIN);
    for (at, sentence) in said.iter().enumerate() {
        let worth = worth(sentence);
        if worth > best.1 {
            best = (at, worth);
        }
    }
    let mut part = String::new();
    for sentence in said.iter().skip(best.0) {
        if !part.is_empty() && width(&part) + width(sentence) >= MAX_QUOTE {
            break;
        }
        if !part.is_empty() {
            part.push(' ');
        }
        part.push_str(sentence);
    }
    part
}

#[allow(clippy::cast_precision_loss, reason = "there are few terms")]
fn float(number: usize) -> f64 {
    number as f64
}
