//! The model that finds messages by their meaning in this process.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use myao_embed::{LocalEmbedder, ModelError};
use myao_llm::Embeddings;

/// Where packages have it, seen from the program's folder.
const PACKAGED: &str = "../share/myao/multilingual-e5-small.gguf";

/// The model that was loaded, which the workspaces share.
#[derive(Clone, Default)]
pub(crate) struct LocalModel(Arc<Mutex<Option<Loaded>>>);

/// A file, and its model.
type Loaded = (PathBuf, Arc<LocalEmbedder>);

impl LocalModel {
    /// The model of a configuration, loaded once; `None` if it is not to be used, or is not there.
    ///
    /// # Errors
    /// The configured file cannot be read, or holds no such model. Without the packaged one everything else works.
    pub(crate) fn of(
        &self,
        embeddings: &Embeddings,
    ) -> Result<Option<Arc<LocalEmbedder>>, ModelError> {
        let Some(path) = model_file(embeddings) else {
            return Ok(None);
        };
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((same, model)) = &*kept
            && *same == path
        {
            return Ok(Some(model.clone()));
        }
        let model = match LocalEmbedder::open(&path) {
            Ok(model) => Arc::new(model),
            Err(error) if embeddings.file.is_none() => {
                tracing::warn!("messages are found by their words alone: {error}");
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        *kept = Some((path, model.clone()));
        Ok(Some(model))
    }
}

/// The file that is to be used: the configured one, or the packaged one if it is there.
pub(crate) fn model_file(embeddings: &Embeddings) -> Option<PathBuf> {
    if !embeddings.local || embeddings.model_id.is_some() {
        return None;
    }
    embeddings.file.clone().or_else(|| {
        let program = std::env::current_exe().ok()?;
        let packaged = program.parent().map(|folder| folder.join(PACKAGED));
        packaged.filter(|file| Path::is_file(file))
    })
}
