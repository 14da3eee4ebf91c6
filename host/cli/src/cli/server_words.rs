//! Replies of the models' servers that were no answer, shown to the user at the terminal. The bot does not collect
//! them, so its log never contains a server's text, which may quote the prompt.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use myao_plugin::llm::{CallObserver, CallRecord};

use super::output;

/// Replies that were not shown yet, each once.
#[derive(Default)]
pub(crate) struct ServerWords(Mutex<BTreeSet<String>>);

impl CallObserver for ServerWords {
    fn observe(&self, _: CallRecord) {}

    fn said(&self, words: &str) {
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        said.insert(words.to_owned());
    }
}

impl ServerWords {
    /// Returns an error together with the collected replies.
    pub(crate) fn beside(&self, error: &str) -> String {
        let said = self.take();
        match said.is_empty() {
            true => error.to_owned(),
            false => format!("{error}; the model's server says: {}", said.join("; ")),
        }
    }

    /// Prints the collected replies on standard error.
    pub(crate) fn tell(&self) {
        for words in self.take() {
            output::complain(&format!("the model's server says: {words}"));
        }
    }

    fn take(&self) -> Vec<String> {
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *said).into_iter().collect()
    }
}
