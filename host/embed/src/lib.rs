//! Vectors of texts, made in the process: multilingual-e5-small, or another model of its family
//! (<https://arxiv.org/abs/2402.05672>), from a file as llama.cpp writes it (GGUF, `bert` with the tokenizer `t5`).
//!
//! Nothing is sent anywhere. Messages are embedded one batch at a time and at low priority, on all processors; a question
//! waits for none of them.

mod blocks;
mod fault;
mod gguf;
mod model;
mod numeric;
mod pieces;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use myao_plugin::digest::sha256_hex;
use myao_plugin::embedder::{Embedder, TextKind, Vector};
use myao_plugin::llm::{CallObserver, LlmError, ModelIdentity};
use serde_json::json;

use fault::Fault;
pub use fault::ModelError;
use gguf::Gguf;
use model::Model;
use pieces::Pieces;

/// The name of the provider in a [`ModelIdentity`].
pub const PROVIDER: &str = "local";
/// Counts up if the vectors of the same file change.
const VERSION: u32 = 1;
/// Of a longer text, only so many characters are read.
const MOST_CHARS: usize = 6_000;
/// So many tokens go through the model at once: more take more memory, and no less time.
const GROUP: usize = 256;
/// How much lower the priority of messages is.
const NICE: i32 = 10;

/// An embedder in the process.
pub struct LocalEmbedder {
    identity: ModelIdentity,
    encoder: Arc<Encoder>,
    /// One batch of messages at a time.
    turn: tokio::sync::Mutex<()>,
}

impl LocalEmbedder {
    /// Loads a model's file.
    ///
    /// # Errors
    /// [`ModelError`].
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        let encoder = Encoder::read(path).map_err(|fault| ModelError {
            path: path.to_owned(),
            fault,
        })?;
        let model = &encoder.model;
        let digest = sha256_hex(model.sample());
        Ok(Self {
            identity: ModelIdentity::new(PROVIDER, &model.name, &digest, &json!(VERSION)),
            encoder: Arc::new(encoder),
            turn: tokio::sync::Mutex::default(),
        })
    }
}

#[async_trait::async_trait]
impl Embedder for LocalEmbedder {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    /// Costs nothing, so `calls` hears nothing.
    async fn embed(
        &self,
        texts: &[String],
        kind: TextKind,
        _calls: &dyn CallObserver,
    ) -> Result<Vec<Vector>, LlmError> {
        let _turn = match kind {
            TextKind::Message => Some(self.turn.lock().await),
            TextKind::Question => None,
        };
        let (encoder, texts) = (self.encoder.clone(), texts.to_vec());
        let stop = Stop::default();
        let stopped = stop.0.clone();
        let work = move || encoder.vectors(&texts, kind, &stopped);
        let made = tokio::task::spawn_blocking(work).await;
        made.unwrap_or_else(|error| Err(error.to_string()))
            .map_err(LlmError::Unavailable)
    }
}

/// Ends the work for a caller that has gone.
#[derive(Default)]
struct Stop(Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The vocabulary and the model.
struct Encoder {
    pieces: Pieces,
    model: Model,
}

/// A part of a text with as many tokens as the model takes.
struct Part {
    text: usize,
    tokens: Vec<u32>,
}

impl Encoder {
    fn read(path: &Path) -> Result<Self, Fault> {
        let mut gguf = Gguf::open(path)?;
        Ok(Self {
            pieces: Pieces::read(&mut gguf)?,
            model: Model::read(gguf)?,
        })
    }

    fn vectors(
        &self,
        texts: &[String],
        kind: TextKind,
        stopped: &AtomicBool,
    ) -> Result<Vec<Vector>, String> {
        let parts: Vec<Part> = texts
            .iter()
            .enumerate()
            .flat_map(|(text, words)| self.parts(text, words, kind))
            .collect();
        let groups = groups(&parts);
        let sums: Mutex<Vec<Vec<f32>>> = Mutex::new(vec![Vec::new(); texts.len()]);
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
                if stopped.load(Ordering::Relaxed) {
                    return Err("nobody waits for the vectors".to_owned());
                }
                let tokens: Vec<&[u32]> = group.iter().map(|part| &*part.tokens).collect();
                let made = self
                    .model
                    .sums(&tokens)
                    .map_err(|error| error.to_string())?;
                let mut sums = sums.lock().unwrap_or_else(PoisonError::into_inner);
                for (part, made) in group.iter().zip(made) {
                    if let Some(sum) = sums.get_mut(part.text) {
                        sum.resize(made.len(), 0.0);
                        model::add(sum, &made);
                    }
                }
            }
            Ok(())
        };
        match kind {
            TextKind::Question => work()?,
            TextKind::Message => in_background(groups.len(), &work)?,
        }
        let sums = sums.into_inner().unwrap_or_else(PoisonError::into_inner);
        let vectors: Option<Vec<Vector>> = sums.into_iter().map(Vector::new).collect();
        vectors.ok_or_else(|| "a vector has no direction".to_owned())
    }

    /// The parts of a text, with the word before it by which the model knows its role.
    fn parts(&self, text: usize, words: &str, kind: TextKind) -> Vec<Part> {
        let role = match kind {
            TextKind::Question => "query: ",
            TextKind::Message => "passage: ",
        };
        let words: String = role.chars().chain(words.chars().take(MOST_CHARS)).collect();
        let pieces = self.pieces.of(&words);
        let parts = pieces.chunks(self.model.positions - 2).map(|part| Part {
            text,
            tokens: [&[self.pieces.first], part, &[self.pieces.last]].concat(),
        });
        parts.collect()
    }
}

/// The parts that go through the model together.
fn groups(parts: &[Part]) -> Vec<&[Part]> {
    let mut groups = Vec::new();
    let mut rest = parts;
    while !rest.is_empty() {
        let mut tokens = 0;
        let fit = rest.iter().take_while(|part| {
            tokens += part.tokens.len();
            tokens <= GROUP
        });
        let (group, others) = rest.split_at(fit.count().max(1));
        groups.push(group);
        rest = others;
    }
    groups
}

/// Works on all processors, at low priority.
fn in_background(
    groups: usize,
    work: &(impl Fn() -> Result<(), String> + Sync),
) -> Result<(), String> {
    let processors = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..processors.min(groups))
            .map(|_| {
                scope.spawn(|| {
                    // On Linux it is the thread's alone.
                    #[cfg(target_os = "linux")]
                    let _ = rustix::process::nice(NICE);
                    work()
                })
            })
            .collect();
        let mut done = workers.into_iter().map(|worker| worker.join());
        done.try_for_each(|done| done.unwrap_or_else(|_| Err("it stopped".to_owned())))
    })
}
