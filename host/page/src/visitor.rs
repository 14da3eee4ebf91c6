//! Who looks at the page: what they may see, and what they may change.

use myao_bot::people::Person;
use myao_plugin::Place;
use myao_plugin::state::audit::{Actor, Door};
use subtle::ConstantTimeEq as _;

/// Who looks at the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Visitor {
    /// Whoever runs the program, and what they see. They may change everything.
    Owner(Place),
    /// Somebody who signed in with Slack. They see what they may see there, and may have their own messages forgotten; admins
    /// of the workspace all that they see. Pins and corrections are made in Slack, where others see them.
    Person(Person),
}

impl Visitor {
    /// The place whose texts they may see.
    pub(crate) fn place(&self) -> Place {
        match self {
            Self::Owner(place) => place.clone(),
            Self::Person(person) => Place::Person(person.id.clone()),
        }
    }

    /// Returns true if they may pin messages, and correct memories.
    pub(crate) fn may_mark(&self) -> bool {
        matches!(self, Self::Owner(_))
    }

    /// Returns true if they may have this user's messages forgotten.
    pub(crate) fn may_forget(&self, author_id: &str) -> bool {
        match self {
            Self::Owner(_) => true,
            Self::Person(person) => person.is_admin || person.id == author_id,
        }
    }

    /// Returns true if they see the program's work and cost, and how much of the store something concerns. These figures
    /// reveal channels that a person may not see.
    pub(crate) fn sees_upkeep(&self) -> bool {
        matches!(self, Self::Owner(_))
    }

    /// Who acts here, for the audit log.
    pub(crate) fn actor(&self) -> Actor {
        match self {
            Self::Owner(_) => Actor::operator(Door::Page),
            Self::Person(person) => Actor::person(&person.id, Door::Page),
        }
    }

    /// The person who signed in.
    pub(crate) fn person(&self) -> Option<&Person> {
        match self {
            Self::Owner(_) => None,
            Self::Person(person) => Some(person),
        }
    }
}

/// Somebody at the page, and the secret of their forms.
#[derive(Debug, Clone)]
pub(crate) struct Visit {
    pub(crate) visitor: Visitor,
    pub(crate) form_token: String,
}

impl Visit {
    /// Returns true if a form comes from a page of theirs. Compares in constant time, so that an answer's time reveals
    /// nothing.
    pub(crate) fn is_own_form(&self, token: &str) -> bool {
        self.form_token.as_bytes().ct_eq(token.as_bytes()).into()
    }
}

#[cfg(test)]
mod tests {
    use myao_bot::people::Person;
    use myao_plugin::Place;

    use super::{Visit, Visitor};

    fn person(is_admin: bool) -> Visitor {
        Visitor::Person(Person {
            id: "U1".to_owned(),
            name: "Dana".to_owned(),
            is_admin,
            closed_at: None,
        })
    }

    #[test]
    fn people_see_and_change_what_slack_lets_them() {
        let (dana, admin) = (person(false), person(true));
        let owner = Visitor::Owner(Place::Workspace);
        assert_eq!(owner.place(), Place::Workspace);
        assert_eq!(dana.place(), Place::Person("U1".to_owned()));
        assert_eq!(admin.place(), dana.place());
        assert!(dana.may_forget("U1") && !dana.may_forget("U2") && !dana.may_forget(""));
        assert!(admin.may_forget("U2") && owner.may_forget("U2"));
        assert!(owner.may_mark() && !admin.may_mark() && !dana.may_mark());
    }

    #[test]
    fn a_form_of_another_visit_is_told_apart() {
        let visit = |token: &str| Visit {
            visitor: person(false),
            form_token: token.to_owned(),
        };
        assert!(visit("ab").is_own_form("ab"));
        assert!(!visit("ab").is_own_form("abc") && !visit("ab").is_own_form(""));
    }
}
