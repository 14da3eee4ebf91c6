//! The texts of SQL as PostgreSQL takes them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use myao_sql::session::for_postgres;

/// More than there are statements. A few contain lists that are never the same, so there must be a bound.
const MOST: usize = 1000;

/// The rewritten statements.
#[derive(Default)]
pub(crate) struct Texts(Mutex<HashMap<Box<str>, Arc<str>>>);

impl Texts {
    /// A statement as PostgreSQL takes it.
    pub(crate) fn rewritten(&self, sql: &str) -> Arc<str> {
        let mut texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = texts.get(sql) {
            return text.clone();
        }
        if texts.len() >= MOST {
            texts.clear();
        }
        let text: Arc<str> = for_postgres(sql).into();
        texts.insert(sql.into(), text.clone());
        text
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, Texts};

    #[test]
    fn rewritten_texts_are_kept_up_to_a_bound() {
        let texts = Texts::default();
        for number in 0..MOST * 2 {
            let sql = format!("SELECT {number} WHERE ?1 = 1");
            assert_eq!(&*texts.rewritten(&sql), sql.replace('?', "$"));
            assert_eq!(&*texts.rewritten(&sql), sql.replace('?', "$"));
        }
        assert!(texts.0.lock().unwrap_or_else(|e| e.into_inner()).len() <= MOST);
    }
}
