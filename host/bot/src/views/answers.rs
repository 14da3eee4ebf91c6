//! Recent conversation and decisions.

use std::collections::BTreeSet;

use futures::StreamExt as _;
use myao_plugin::{Citation, MessageRef, Place, Response, Source, Timestamp};
use myao_slack::blocks::{AnswerLine, AnswerView};

use super::{CALLS_IN_FLIGHT, Views};

impl Views {
    /// The answer to a question about the channel where it was asked, or about everything that this person may see. It
    /// quotes what was said: Slack waits three seconds, and a model takes longer. `None` if this person may not see the
    /// channel, or nothing of it is stored.
    ///
    /// # Errors
    /// The words of an error of the store or the component.
    pub async fn answer(
        &self,
        user_id: String,
        channel_id: Option<&str>,
        question: &str,
    ) -> Result<Option<AnswerView>, String> {
        let place = Place::Person(user_id);
        let question = match channel_id {
            None => question.to_owned(),
            Some(id) => {
                // Slack does not tell the name of a private channel.
                let Some(name) = self.name_of(&place, id).await? else {
                    return Ok(None);
                };
                format!("#{name} {question}")
            }
        };
        let now = self.clock.now();
        let answered = self.ask(place, &question, None, now).await?;
        Ok(Some(self.view_of(&answered).await))
    }

    /// The answer to a question in a channel about what was from one time to another, with what it cites; `None` if it finds
    /// nothing.
    pub(crate) async fn quoted(
        &self,
        channel_id: &str,
        question: &str,
        (since, until): (Timestamp, Timestamp),
    ) -> Result<Option<(AnswerView, Vec<Citation>)>, String> {
        let place = Place::Channel(channel_id.to_owned());
        let response = self.ask(place, question, Some(since), until).await?;
        if response.found_nothing {
            return Ok(None);
        }
        let view = self.view_of(&response).await;
        Ok(Some((view, response.citations)))
    }

    async fn ask(
        &self,
        place: Place,
        question: &str,
        since: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Response, String> {
        let plugin = self.current.plugin().quoting();
        let answered = plugin.ask_since(place, question, since, now).await;
        answered.map_err(|error| error.to_string())
    }

    async fn view_of(&self, response: &Response) -> AnswerView {
        let sources = response.sources.iter();
        let messages: Vec<_> = sources.map(|of| of.messages.first().cloned()).collect();
        let links = futures::stream::iter(messages).map(|message| self.link(message));
        let links: Vec<_> = links.buffered(CALLS_IN_FLIGHT).collect().await;
        let mut lines = lines(&response.text, &response.citations, &response.sources).into_iter();
        let heading = lines.next().map(|(text, _)| text).unwrap_or_default();
        let line = |(text, numbers): (String, Vec<usize>)| {
            let link = |number: usize| links.get(number - 1).cloned().flatten();
            AnswerLine {
                text: text.trim_start_matches("- ").to_owned(),
                sources: numbers.into_iter().map(|of| (of, link(of))).collect(),
            }
        };
        AnswerView {
            heading,
            lines: lines.map(line).collect(),
        }
    }

    pub(super) async fn link(&self, message: Option<MessageRef>) -> Option<String> {
        let message = message?;
        let link = self.chat.permalink(message.channel_id, message.ts);
        link.await.ok()
    }
}

/// The lines of an answer without the numbers of their sources, and these numbers, from 1.
fn lines(text: &str, citations: &[Citation], sources: &[Source]) -> Vec<(String, Vec<usize>)> {
    let mut start = 0;
    let mut lines = Vec::new();
    for line in text.lines() {
        let end = start + line.chars().count();
        let covers = |citation: &&Citation| {
            usize::try_from(citation.start).is_ok_and(|at| (start..end).contains(&at))
        };
        let cited = citations.iter().filter(covers);
        let cited: BTreeSet<(&str, &str)> = cited
            .flat_map(|citation| &citation.messages)
            .map(key)
            .collect();
        lines.push(without_numbers(line, &cited, sources));
        start = end + 1;
    }
    lines
}

/// A line without the numbers at its end that stand for messages which it cites. A text that somebody wrote may end with
/// another number.
fn without_numbers(
    line: &str,
    cited: &BTreeSet<(&str, &str)>,
    sources: &[Source],
) -> (String, Vec<usize>) {
    let mut rest = line.trim_end();
    let mut numbers = Vec::new();
    while let Some((before, number)) = rest
        .strip_suffix(']')
        .and_then(|rest| rest.rsplit_once('['))
        && let Ok(number) = number.parse::<usize>()
        && let Some(source) = number.checked_sub(1).and_then(|at| sources.get(at))
        && source
            .messages
            .iter()
            .any(|message| cited.contains(&key(message)))
        && !numbers.contains(&number)
    {
        numbers.insert(0, number);
        rest = before.trim_end();
    }
    (rest.to_owned(), numbers)
}

fn key(message: &MessageRef) -> (&str, &str) {
    (&message.channel_id, &message.ts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_at_the_end_of_a_line_are_its_sources() {
        let message = |ts: &str| MessageRef {
            channel_id: "C1".to_owned(),
            ts: ts.to_owned(),
        };
        let source = |ts: &str| Source {
            channel_name: "general".to_owned(),
            user: None,
            timestamp: None,
            text: String::new(),
            messages: vec![message(ts)],
        };
        let text = "決まったこと:\n- 監視は [2] [1]\n- 会場 [2]";
        let citation = |start: u32, length: u32, ts: &str| Citation {
            start,
            length,
            messages: vec![message(ts)],
            by_program: false,
        };
        let sources = [source("1.000001"), source("2.000001")];
        let citations = [citation(8, 13, "1.000001"), citation(22, 8, "2.000001")];
        let expected = [
            ("決まったこと:".to_owned(), Vec::new()),
            ("- 監視は [2]".to_owned(), vec![1]),
            ("- 会場".to_owned(), vec![2]),
        ];
        assert_eq!(lines(text, &citations, &sources), expected);
    }
}
