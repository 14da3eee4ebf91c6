//! The component's settings in the file: what four sections have beside the program's own keys. The component checks them.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use myao_llm::expand::expand;
use myao_plugin::{LoadedComponent, SettingFault};
use serde_json::Value;

use super::tree::{Entry, Node, Place};
use super::{Config, Fault};

/// Asks the component which of these settings it refuses.
pub type Check<'c> = &'c dyn Fn(&[(String, String)]) -> Result<Vec<SettingFault>, String>;

/// Asks a component. A key that it does not know comes with the nearest one.
///
/// # Errors
/// A text if the component cannot be called.
pub fn checked(
    component: &LoadedComponent,
    settings: &[(String, String)],
) -> Result<Vec<SettingFault>, String> {
    let faults = component.check(settings);
    let mut faults = faults.map_err(|error| error.to_string())?;
    for fault in faults.iter_mut().filter(|fault| fault.range.is_none()) {
        let table = component.about().settings.iter();
        let keys = table.map(|setting| &setting.key).chain(&*OWN);
        let likeness = |key: &str| similar::TextDiff::from_chars(fault.key.as_str(), key).ratio();
        let near = keys.max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        if let Some(near) = near {
            fault.detail = format!("the nearest is `{near}`");
        }
    }
    Ok(faults)
}

/// The sections that hold settings of the component.
pub(super) const SECTIONS: [&str; 4] = ["persona", "memory", "response", "context"];

/// The keys of the program itself in these sections.
static OWN: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let schema = schemars::schema_for!(Config).to_value();
    let mut own = BTreeSet::new();
    for section in SECTIONS {
        let definition = schema.pointer(&format!("/properties/{section}/$ref"));
        let path = definition.and_then(|path| path.as_str()?.strip_prefix('#'));
        let keys = path.and_then(|path| schema.pointer(&format!("{path}/properties"))?.as_object());
        own.extend(
            keys.into_iter()
                .flatten()
                .map(|(key, _)| format!("{section}.{key}")),
        );
    }
    own
});

/// A setting that the file has.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// Its key, with full stops.
    pub key: String,
    /// Its value, as the component reads it.
    pub value: String,
    key_at: Place,
    value_at: Place,
}

/// The component's settings in a configuration, with what is wrong with them.
pub(super) fn read(tree: &Node, check: Check<'_>) -> Result<(Vec<Given>, Vec<Fault>), String> {
    let mut given = Vec::new();
    let mut faults = Vec::new();
    let Node::Keys(sections) = tree else {
        return Ok((given, faults));
    };
    for section in sections {
        if SECTIONS.contains(&section.key.as_str()) {
            collect(&section.key, &section.value, &mut given, &mut faults);
        }
    }
    if given.is_empty() {
        return Ok((given, faults));
    }
    let pair = |given: &Given| (given.key.clone(), given.value.clone());
    let pairs: Vec<_> = given.iter().map(pair).collect();
    for refused in check(&pairs)? {
        let setting = given.iter().find(|given| given.key == refused.key);
        faults.extend(setting.map(|setting| setting.fault(&refused)));
    }
    Ok((given, faults))
}

/// The settings of `upper`, and those of `lower` that it lacks.
pub(super) fn over(lower: &[Given], upper: Vec<Given>) -> Vec<Given> {
    let is_left = |given: &&Given| !upper.iter().any(|other| other.key == given.key);
    let left: Vec<Given> = lower.iter().filter(is_left).cloned().collect();
    [left, upper].concat()
}

impl Given {
    /// A setting that no file has.
    pub(super) fn new(key: &str, value: &str) -> Self {
        Self {
            key: key.to_owned(),
            value: value.to_owned(),
            key_at: Place::default(),
            value_at: Place::default(),
        }
    }

    fn fault(&self, refused: &SettingFault) -> Fault {
        match refused.range {
            None => {
                let what = format!(": unknown key `{}`, {}", self.key, refused.detail);
                (self.key_at, what)
            }
            Some(_) => (
                self.value_at,
                format!(", `{}`: {}", self.key, refused.detail),
            ),
        }
    }
}

/// All settings of a section.
fn collect(path: &str, node: &Node, given: &mut Vec<Given>, faults: &mut Vec<Fault>) {
    let Node::Keys(entries) = node else {
        return;
    };
    for entry in entries {
        let key = format!("{path}.{}", entry.key);
        match &entry.value {
            _ if OWN.contains(&key) => {}
            Node::Keys(keys) if !keys.is_empty() => collect(&key, &entry.value, given, faults),
            Node::Value(Value::Null) => {}
            value => match text_of(value) {
                Ok(value) => given.push(setting(key, value, entry)),
                Err(error) => faults.push((entry.value_at, format!(", `{key}`: {error}"))),
            },
        }
    }
}

fn setting(key: String, value: String, entry: &Entry) -> Given {
    // A key may go over several lines.
    let key = key.replace(char::is_control, " ");
    Given {
        key,
        value,
        key_at: entry.key_at,
        value_at: entry.value_at,
    }
}

fn text_of(value: &Node) -> Result<String, String> {
    match value.json() {
        Value::String(text) => expand(&text),
        value => Ok(value.to_string()),
    }
}
