//! Who is signed in, as long as the program runs.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use myao_plugin::ts::TsKey;

use crate::secret::Secret;

/// How long somebody stays signed in, in seconds.
pub(super) const LENGTH: i64 = 12 * 3600;
/// The maximum number of sessions: beyond it, the oldest ends.
const MOST: usize = 10_000;

/// By the secret of the cookie.
#[derive(Default)]
pub(super) struct Sessions(Mutex<HashMap<String, Session>>);

/// Somebody who is signed in.
#[derive(Clone)]
pub(super) struct Session {
    pub(super) user_id: String,
    /// When their account had last been closed as it began: a session does not outlive the account.
    pub(super) closed_at: Option<TsKey>,
    /// Their forms have it, so that another site cannot send them.
    pub(super) form: Secret,
    /// In Unix seconds.
    until: i64,
}

impl Sessions {
    /// Begins a session, and returns its secret, which nobody had before.
    pub(super) fn begin(
        &self,
        user_id: String,
        closed_at: Option<TsKey>,
        now: i64,
    ) -> Result<Secret, getrandom::Error> {
        let (secret, form) = (Secret::random()?, Secret::random()?);
        let session = Session {
            user_id,
            closed_at,
            form,
            until: now + LENGTH,
        };
        let mut sessions = self.sessions();
        sessions.retain(|_, session| session.until > now);
        if sessions.len() >= MOST {
            let oldest = sessions.iter().min_by_key(|(_, session)| session.until);
            if let Some(oldest) = oldest.map(|(secret, _)| secret.clone()) {
                sessions.remove(&oldest);
            }
        }
        sessions.insert(secret.text().to_owned(), session);
        Ok(secret)
    }

    pub(super) fn find(&self, secret: &str, now: i64) -> Option<Session> {
        let sessions = self.sessions();
        let found = sessions.get(secret);
        found.filter(|session| session.until > now).cloned()
    }

    /// Ends a session.
    pub(super) fn end(&self, secret: &str) {
        self.sessions().remove(secret);
    }

    /// Ends all sessions of somebody.
    pub(super) fn end_all_of(&self, user_id: &str) {
        self.sessions()
            .retain(|_, session| session.user_id != user_id);
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<String, Session>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{LENGTH, MOST, Sessions};

    #[test]
    fn a_session_ends_by_itself_and_when_asked() {
        let sessions = Sessions::default();
        let first = sessions.begin("U1".to_owned(), None, 1000).unwrap();
        let second = sessions.begin("U1".to_owned(), None, 1001).unwrap();
        let other = sessions.begin("U2".to_owned(), None, 1001).unwrap();
        let user = |secret: &str, now| sessions.find(secret, now).map(|session| session.user_id);
        assert_eq!(user(first.text(), 1000), Some("U1".to_owned()));
        assert_eq!(user(first.text(), 999 + LENGTH), Some("U1".to_owned()));
        assert_eq!(user(first.text(), 1000 + LENGTH), None);
        assert_eq!(user("", 1000), None);
        let forms = [&first, &second].map(|secret| sessions.find(secret.text(), 1001).unwrap());
        assert_ne!(forms[0].form.text(), forms[1].form.text());
        sessions.end(first.text());
        assert_eq!(user(first.text(), 1000), None);
        assert!(user(second.text(), 1001).is_some());
        sessions.end_all_of("U1");
        assert_eq!(user(second.text(), 1001), None);
        assert!(user(other.text(), 1001).is_some());
    }

    #[test]
    fn beyond_the_maximum_the_oldest_ends() {
        let sessions = Sessions::default();
        let oldest = sessions.begin("U0".to_owned(), None, 1).unwrap();
        for _ in 1..MOST {
            sessions.begin("U1".to_owned(), None, 2).unwrap();
        }
        assert!(sessions.find(oldest.text(), 3).is_some());
        let newest = sessions.begin("U2".to_owned(), None, 3).unwrap();
        assert!(sessions.find(oldest.text(), 3).is_none());
        assert!(sessions.find(newest.text(), 3).is_some());
    }
}
