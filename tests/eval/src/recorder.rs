//! A model that keeps the prompts it is sent: what a reply's prompt shows, and how long it is, needs no real model.
//!
//! It speaks as much of OpenAI's chat completions as the program needs, on an address of this machine.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde_json::json;

/// Its answer to every prompt. Words are left without the number of the source: else the program would ask again.
const ANSWER: &str = "As somebody wrote. [1]";

/// The model, as long as the process lives.
#[derive(Debug, Clone)]
pub(crate) struct Recorder {
    address: SocketAddr,
    prompts: Arc<Mutex<Vec<String>>>,
}

#[derive(Deserialize)]
struct Request {
    messages: Vec<Message>,
}

#[derive(Deserialize)]
struct Message {
    content: String,
}

impl Recorder {
    /// Starts to listen.
    pub(crate) fn start() -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).context("cannot listen")?;
        let recorder = Self {
            address: listener.local_addr()?,
            prompts: Arc::default(),
        };
        let prompts = Arc::clone(&recorder.prompts);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A caller that goes away is no matter of the model's.
                let _ = serve(stream, &prompts);
            }
        });
        Ok(recorder)
    }

    /// The configuration that lets this model write the answers.
    pub(crate) fn config(&self) -> String {
        let client =
            json!({ "base_url": format!("http://{}/v1", self.address), "api_key": "none" });
        let agent = json!({ "model_id": "openai/recorder", "client_args": client });
        format!("agents: {}\n", json!({ "response": agent }))
    }

    /// The prompts since the last call.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.prompts.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Keeps the prompt of one request, and answers it.
fn serve(mut stream: TcpStream, prompts: &Mutex<Vec<String>>) -> Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.split_once(':') else {
            // The request's first line has a colon only in an absolute address, which nobody sends here.
            if line.trim().is_empty() {
                break;
            }
            continue;
        };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let request: Request = serde_json::from_slice(&body)?;
    let contents = request.messages.into_iter().map(|message| message.content);
    let prompt = contents.collect::<Vec<_>>().join("\n");
    prompts
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(prompt);
    let choice = json!({ "index": 0, "delta": { "content": ANSWER }, "finish_reason": "stop" });
    let usage = json!({ "prompt_tokens": 1, "completion_tokens": 1 });
    let event = json!({ "model": "recorder", "choices": [choice], "usage": usage });
    let body = format!("data: {event}\n\ndata: [DONE]\n\n");
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )?;
    Ok(())
}

/// About how many tokens a text has: four ASCII characters are one, any other character is one.
pub(crate) fn tokens(text: &str) -> usize {
    let ascii = text.chars().filter(char::is_ascii).count();
    let other = text.chars().count() - ascii;
    ascii.div_ceil(4) + other
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpStream;

    use super::{Recorder, tokens};

    #[test]
    fn a_prompt_is_kept_and_answered() {
        let recorder = Recorder::start().unwrap();
        let mut stream = TcpStream::connect(recorder.address).unwrap();
        let body = r#"{"messages":[{"role":"system","content":"who?"}]}"#;
        let length = body.len();
        write!(
            stream,
            "POST /v1/x HTTP/1.1\r\nHost: a:1\r\nContent-Length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(
            answer.starts_with("HTTP/1.1 200") && answer.contains("[1]"),
            "{answer}"
        );
        assert!(answer.ends_with("data: [DONE]\n\n"));
        assert_eq!(recorder.take(), ["who?"]);
        assert!(recorder.take().is_empty());
        assert!(recorder.config().contains("recorder"));
    }

    #[test]
    fn characters_are_counted_as_tokens() {
        assert_eq!(tokens("abcd e 会議"), 4);
    }
}
