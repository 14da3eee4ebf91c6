//! The component's settings: keys of its own table ([`LoadedComponent::about`](crate::LoadedComponent::about)) with values.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::bindings::exports::myao::memory::about::Component as About;

/// The scope id of workspace memories (specification, `README.md`).
pub const WORKSPACE_SCOPE_ID: &str = "default";

/// Settings of a component that differ from its defaults. It knows the keys and their ranges, and refuses what it does not
/// accept ([`LoadedComponent::check`](crate::LoadedComponent::check)).
///
/// ```
/// use myao_plugin::Settings;
///
/// let settings = Settings::default().with(|settings| {
///     settings.set("engines.memory", "llm");
///     settings.set("memory.short_term_window_hours", 48);
/// });
/// assert_eq!(settings.pairs().len(), 2);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    given: BTreeMap<String, String>,
    /// The component that they are for, as soon as that is known.
    component: Option<Arc<About>>,
}

impl Settings {
    /// Returns these settings with some of them changed.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// Sets a key. A template is set by `templates.NAME`.
    pub fn set(&mut self, key: impl Into<String>, value: impl ToString) {
        self.given.insert(key.into(), value.to_string());
    }

    /// The pairs that the component gets.
    #[must_use]
    pub fn pairs(&self) -> Vec<(String, String)> {
        let given = self.given.iter();
        given
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    }

    /// The value of a key, or its default in the component; empty without either.
    #[must_use]
    pub fn text(&self, key: &str) -> &str {
        let default = || {
            let mut table = self.component.as_ref()?.settings.iter();
            table.find(|setting| setting.key == key)?.default.as_ref()
        };
        let value = self.given.get(key).or_else(default);
        value.map_or("", String::as_str)
    }

    /// The same as a number; 0 if it is none.
    #[must_use]
    pub fn number(&self, key: &str) -> u32 {
        self.text(key).parse().unwrap_or_default()
    }

    /// Returns true if a switch is on.
    #[must_use]
    pub fn is_on(&self, key: &str) -> bool {
        self.text(key) == "true"
    }

    /// How far back a short-term memory looks.
    #[must_use]
    pub fn window_seconds(&self) -> i64 {
        i64::from(self.number("memory.short_term_window_hours")) * 3600
    }

    /// Returns true if a model makes replies.
    #[must_use]
    pub fn replies_by_model(&self) -> bool {
        self.text("engines.response") == "llm"
    }

    /// The scope id of workspace memories.
    #[must_use]
    pub fn workspace_scope_id(&self) -> &str {
        match self.text("workspace_scope_id") {
            "" => WORKSPACE_SCOPE_ID,
            id => id,
        }
    }

    /// The same for a component, which has the defaults.
    pub(crate) fn of(mut self, component: Arc<About>) -> Self {
        self.component = Some(component);
        self
    }
}
