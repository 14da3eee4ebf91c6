//! An OpenAI-compatible server on this machine that answers as a test tells it to.

#![allow(clippy::panic, clippy::unwrap_used)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use serde_json::{Value, json};

/// The key that [`LlmServer::config`] configures.
pub const API_KEY: &str = "sk-test-0123456789-never-to-be-seen";

/// One call, as it came in.
#[derive(Debug, Clone)]
pub struct Call {
    /// Method and path: `POST /v1/chat/completions`.
    pub target: String,
    /// `name: value`, the name in lower case.
    pub headers: Vec<String>,
    /// The body.
    pub body: Value,
}

impl Call {
    /// The one message's text.
    #[must_use]
    pub fn prompt(&self) -> &str {
        self.body
            .pointer("/messages/0/content")
            .and_then(Value::as_str)
            .unwrap_or_default()
    }
}

/// The server's reply to a call.
#[derive(Debug, Clone)]
pub enum Reply {
    /// Answers with a status, one more header and a body.
    Http(u16, &'static str, String),
    /// Streams so many copies of a piece, each as a chunk of its own, as `text/event-stream`.
    Chunks(Vec<u8>, usize),
    /// Closes the connection without an answer.
    Close,
    /// Keeps the connection open and never answers.
    Hang,
}

/// A whole answer.
#[must_use]
pub fn answer(text: &str) -> Reply {
    completion(text, "stop")
}

/// An answer that was cut off at the limit.
#[must_use]
pub fn cut_off(text: &str) -> Reply {
    completion(text, "length")
}

/// An answer with an error status.
#[must_use]
pub fn error(status: u16, body: &str) -> Reply {
    Reply::Http(status, "content-type: application/json", body.to_owned())
}

/// An answer with these events, as OpenAI's wire streams them.
#[must_use]
pub fn events(events: &[Value]) -> Reply {
    let data = events.iter().map(|event| format!("data: {event}\n\n"));
    let body = data.collect::<String>() + "data: [DONE]\n\n";
    Reply::Http(200, "content-type: text/event-stream", body)
}

/// A whole answer that took these tokens: of the prompt, of it cached, of the answer.
#[must_use]
pub fn answer_with_usage(text: &str, (input, cached, output): (u32, Option<u32>, u32)) -> Reply {
    let details = cached.map(|cached| json!({ "cached_tokens": cached }));
    let usage = json!({
        "prompt_tokens": input, "completion_tokens": output, "prompt_tokens_details": details,
    });
    completion_with_usage(text, "stop", &usage)
}

fn completion(text: &str, finish_reason: &str) -> Reply {
    let usage = json!({ "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15 });
    completion_with_usage(text, finish_reason, &usage)
}

fn completion_with_usage(text: &str, finish_reason: &str, usage: &Value) -> Reply {
    let chunk = |delta: Value, finish_reason: Option<&str>| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish_reason });
        json!({ "model": "test-model-1", "choices": [choice] })
    };
    events(&[
        chunk(json!({ "role": "assistant", "content": text }), None),
        chunk(json!({}), Some(finish_reason)),
        json!({ "model": "test-model-1", "choices": [], "usage": usage }),
    ])
}

/// The server. It runs until the test program ends.
pub struct LlmServer {
    address: SocketAddr,
    calls: Arc<Mutex<Vec<Call>>>,
}

type Script = dyn Fn(&Call) -> Reply + Send + Sync;

impl LlmServer {
    /// A server that does with each call what `script` says.
    #[must_use]
    pub fn start(script: impl Fn(&Call) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let calls = Arc::new(Mutex::new(Vec::new()));
        let script: Arc<Script> = Arc::new(script);
        let seen = calls.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (script, seen) = (script.clone(), seen.clone());
                thread::spawn(move || serve(stream.unwrap(), &*script, &seen));
            }
        });
        Self { address, calls }
    }

    /// Where it listens.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// A configuration that asks this server, with a key, and once for each call.
    #[must_use]
    pub fn config(&self) -> String {
        self.config_with("")
    }

    /// The same with more keys under `agents.memory`, as in `params: { temperature: 0.2 }`.
    #[must_use]
    pub fn config_with(&self, more: &str) -> String {
        let url = self.base_url();
        format!(
            "agents:\n  memory:\n    model_id: openai/test-model\n    \
             client_args: {{ base_url: '{url}', api_key: {API_KEY}, timeout: 20, max_retries: 0 }}\n    {more}\n"
        )
    }

    /// The calls so far.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        self.calls
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The prompts so far.
    #[must_use]
    pub fn prompts(&self) -> Vec<String> {
        self.calls()
            .iter()
            .map(|call| call.prompt().to_owned())
            .collect()
    }
}

fn serve(mut stream: TcpStream, script: &Script, seen: &Mutex<Vec<Call>>) {
    // A caller that was killed sends no whole call.
    let Some(call) = read_call(&stream) else {
        return;
    };
    seen.lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(call.clone());
    match script(&call) {
        Reply::Http(status, header, body) => {
            let length = body.len();
            let head = format!(
                "HTTP/1.1 {status} Status\r\n{header}\r\n\
                 content-length: {length}\r\nconnection: close\r\n\r\n"
            );
            // A caller that gave up is its own test's business.
            let _ = stream.write_all((head + &body).as_bytes());
        }
        Reply::Chunks(piece, count) => {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
                        transfer-encoding: chunked\r\nconnection: close\r\n\r\n";
            let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
            chunk.extend(piece);
            chunk.extend(b"\r\n");
            let chunks = std::iter::repeat_n(chunk.as_slice(), count);
            let mut all = std::iter::once(head.as_bytes())
                .chain(chunks)
                .chain([b"0\r\n\r\n".as_slice()]);
            // As above.
            let _ = all.try_for_each(|bytes| stream.write_all(bytes));
        }
        Reply::Close => {}
        Reply::Hang => {
            // Until the caller gives up.
            let _ = stream.read(&mut [0]);
        }
    }
}

/// A call; `None` if the connection ends before its end.
fn read_call(stream: &TcpStream) -> Option<Call> {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let target = lines.remove(0).trim_end_matches(" HTTP/1.1").to_owned();
    let headers: Vec<String> = lines
        .iter()
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| format!("{}: {value}", name.to_lowercase()))
        .collect();
    let length = headers
        .iter()
        .find_map(|header| header.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    reader.read_exact(&mut body).ok()?;
    Some(Call {
        target,
        headers,
        body: serde_json::from_slice(&body).unwrap_or(Value::Null),
    })
}
