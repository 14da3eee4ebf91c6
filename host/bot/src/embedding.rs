//! Makes the vectors of messages that are missing, so that they are found by their meaning, too.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use myao_plugin::embedder::{Embedder, TextKind, Vector};
use myao_plugin::explain::{explain_llm, explain_storage};
use myao_plugin::llm::{CallObserver, CallRecord, LlmError, ModelIdentity};
use myao_plugin::state::Workspace;
use myao_plugin::state::vectors::WithoutVector;
use myao_plugin::storage::StorageError;

use super::budget::Budget;
use super::current::Current;
use super::metrics::Metrics;
use super::stop::Stop;

/// How many messages one call sends.
const BATCH: u32 = 64;
/// How often to look for messages without a vector.
const LOOK: Duration = Duration::from_secs(30);
/// The longest wait after failures.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// An embedder whose calls the workspace accounts for, and a budget bounds.
pub struct Accounted {
    embedder: Arc<dyn Embedder>,
    workspace: Arc<dyn Workspace>,
    budget: Option<Arc<Budget>>,
}

impl Accounted {
    /// Keeps in `workspace` what calls of `embedder` cost. Those that `budget` does not allow are not made.
    #[must_use]
    pub fn new(
        embedder: Arc<dyn Embedder>,
        workspace: Arc<dyn Workspace>,
        budget: Option<Arc<Budget>>,
    ) -> Self {
        Self {
            embedder,
            workspace,
            budget,
        }
    }
}

#[async_trait::async_trait]
impl Embedder for Accounted {
    fn identity(&self) -> &ModelIdentity {
        self.embedder.identity()
    }

    async fn embed(
        &self,
        texts: &[String],
        kind: TextKind,
        calls: &dyn CallObserver,
    ) -> Result<Vec<Vector>, LlmError> {
        // Until it is dropped, the budget counts the most that the call may cost.
        let admitted = match &self.budget {
            Some(budget) => Some(budget.admit_texts(self.identity(), texts).await?),
            None => None,
        };
        let seen = Seen {
            others: calls,
            records: Mutex::default(),
        };
        let vectors = self.embedder.embed(texts, kind, &seen).await;
        let records = seen.records.into_inner();
        for record in records.unwrap_or_else(PoisonError::into_inner) {
            if let Some(admitted) = &admitted {
                admitted.observe(record.clone());
            }
            if record.error.is_some() {
                continue;
            }
            if let Err(error) = self.workspace.record_embedding(record).await {
                let reason = explain_storage(&error);
                tracing::warn!("a call of the embedder is not accounted for: {reason}");
            }
        }
        vectors
    }

    fn paused_for(&self) -> Option<Duration> {
        self.embedder.paused_for()
    }
}

/// Passes records on, and keeps them.
struct Seen<'a> {
    others: &'a dyn CallObserver,
    records: Mutex<Vec<CallRecord>>,
}

impl CallObserver for Seen<'_> {
    fn observe(&self, record: CallRecord) {
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        records.push(record.clone());
        drop(records);
        self.others.observe(record);
    }

    fn said(&self, words: &str) {
        self.others.said(words);
    }
}

/// Why vectors are missing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbeddingError {
    /// The store failed.
    #[error("{}", explain_storage(.0))]
    Store(StorageError),
    /// The embedder failed.
    #[error("{}", explain_llm(.0))]
    Embedder(LlmError),
}

impl From<StorageError> for EmbeddingError {
    fn from(error: StorageError) -> Self {
        Self::Store(error)
    }
}

/// Makes all vectors that are missing, batch by batch; `progress` hears after each how many messages it had. Returns how many
/// were made.
///
/// # Errors
/// [`EmbeddingError`]. What was made before stays.
pub async fn embed_missing(
    workspace: &dyn Workspace,
    embedder: &dyn Embedder,
    calls: &dyn CallObserver,
    progress: &(dyn Fn(u64) + Send + Sync),
) -> Result<u64, EmbeddingError> {
    let digest = embedder.identity().digest();
    let mut made = 0;
    loop {
        let missing = workspace.without_vector(digest, BATCH).await?;
        if missing.is_empty() {
            return Ok(made);
        }
        if !workspace.has_center(digest).await? {
            let center = center(embedder, calls).await?;
            workspace.save_center(digest, center).await?;
        }
        let seen = u64::try_from(missing.len()).unwrap_or(u64::MAX);
        let vectors = vectors(embedder, missing, calls).await?;
        let new = vectors.iter().filter(|(_, vector)| vector.is_some());
        made += u64::try_from(new.count()).unwrap_or(u64::MAX);
        workspace.save_vectors(digest, vectors).await?;
        progress(seen);
    }
}

/// The mean of the vectors of letters and digits, which say nothing: no message may change what is found elsewhere.
async fn center(
    embedder: &dyn Embedder,
    calls: &dyn CallObserver,
) -> Result<Vec<f32>, EmbeddingError> {
    let letters = ('a'..='z').chain('0'..='9').map(|letter| WithoutVector {
        key: 0,
        author: String::new(),
        text: letter.to_string(),
    });
    let made = vectors(embedder, letters.collect(), calls).await?;
    let mut center: Vec<f32> = Vec::new();
    let mut count = 0.0;
    for vector in made.iter().filter_map(|(_, vector)| vector.as_ref()) {
        center.resize(vector.numbers().len(), 0.0);
        count += 1.0;
        for (mean, number) in center.iter_mut().zip(vector.numbers()) {
            *mean += (number - *mean) / count;
        }
    }
    Ok(center)
}

/// The vectors of these messages; `None` for a text that says nothing, or that the embedder refuses.
async fn vectors(
    embedder: &dyn Embedder,
    messages: Vec<WithoutVector>,
    calls: &dyn CallObserver,
) -> Result<Vec<(WithoutVector, Option<Vector>)>, EmbeddingError> {
    let (telling, blank): (Vec<_>, Vec<_>) = messages
        .into_iter()
        .partition(|message| message.text.chars().any(char::is_alphanumeric));
    let mut made: Vec<_> = blank.into_iter().map(|message| (message, None)).collect();
    if telling.is_empty() {
        return Ok(made);
    }
    let texts: Vec<String> = telling.iter().map(signed).collect();
    match embedder.embed(&texts, TextKind::Message, calls).await {
        Ok(vectors) => {
            made.extend(telling.into_iter().zip(vectors.into_iter().map(Some)));
        }
        Err(LlmError::InvalidRequest(_)) if telling.len() > 1 => {
            made.extend(one_by_one(embedder, telling, calls).await?);
        }
        Err(error) => return Err(EmbeddingError::Embedder(error)),
    }
    Ok(made)
}

/// A message with the name of its author, who is part of what it means.
fn signed(message: &WithoutVector) -> String {
    let WithoutVector { author, text, .. } = message;
    match author.is_empty() {
        true => text.clone(),
        false => format!("{author}: {text}"),
    }
}

/// The vectors of messages one of which may be refused.
async fn one_by_one(
    embedder: &dyn Embedder,
    messages: Vec<WithoutVector>,
    calls: &dyn CallObserver,
) -> Result<Vec<(WithoutVector, Option<Vector>)>, EmbeddingError> {
    let mut made = Vec::with_capacity(messages.len());
    let mut refusal = None;
    for message in messages {
        let texts = [signed(&message)];
        match embedder.embed(&texts, TextKind::Message, calls).await {
            Ok(vectors) => made.push((message, vectors.into_iter().next())),
            Err(error @ LlmError::InvalidRequest(_)) => {
                made.push((message, None));
                refusal = Some(error);
            }
            Err(error) => return Err(EmbeddingError::Embedder(error)),
        }
    }
    match refusal {
        // It is not about a message.
        Some(error) if made.iter().all(|(_, vector)| vector.is_none()) => {
            Err(EmbeddingError::Embedder(error))
        }
        Some(error) => {
            let refused = made.iter().filter(|(_, vector)| vector.is_none()).count();
            let them = match refused {
                1 => "1 message is found by its".to_owned(),
                many => format!("{many} messages are found by their"),
            };
            tracing::warn!("{them} words alone: the embedder: {}", explain_llm(&error));
            Ok(made)
        }
        None => Ok(made),
    }
}

/// Makes vectors beside the bot's other work.
pub(super) struct Embedding {
    pub(super) workspace: Arc<dyn Workspace>,
    pub(super) current: Current,
    pub(super) metrics: Arc<Metrics>,
}

impl Embedding {
    /// Looks again and again, until the bot shuts down; less and less often while the embedder fails.
    pub(super) async fn run(self, mut stop: Stop) {
        let mut wait = LOOK;
        while !stop.is_requested() {
            if let Some(embedder) = self.current.plugin().embedder() {
                let mut stopped = stop.clone();
                let made = tokio::select! {
                    made = embed_missing(&*self.workspace, embedder, &*self.metrics, &|_| ()) => made,
                    () = stopped.requested() => return,
                };
                match made {
                    Ok(_) => wait = LOOK,
                    Err(error) => {
                        tracing::warn!(
                            "new messages are found by their words alone: the embedder: {error}"
                        );
                        wait = LONGEST_WAIT.min(wait * 2);
                    }
                }
            }
            stop.sleep(wait).await;
        }
    }
}
