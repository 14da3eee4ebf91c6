//! The configuration keys, taken from the types of the configuration and the component's table of settings: as a JSON
//! schema for editors, and as a list for people.

use myao_plugin::{Setting, SettingValues};
use schemars::Schema;
use serde_json::{Map, Value, json};

use super::Config;
use super::given::SECTIONS;
use super::workspaces::describe_entries;

/// How a description marks the default at its end.
const DEFAULT: &str = "Default";

/// The JSON schema of the configuration file, for editors that check the file while it is edited; with the component's
/// `settings`.
#[must_use]
pub fn schema(settings: &[Setting]) -> Schema {
    let mut schema = schemars::schema_for!(Config);
    let object = schema.ensure_object();
    for setting in settings {
        add(object, setting);
    }
    describe_entries(object);
    schema
}

/// Adds a setting of the component to where the file has it.
fn add(root: &mut Map<String, Value>, setting: &Setting) {
    let mut parts = setting.key.split('.');
    let Some(section) = parts.next().filter(|section| SECTIONS.contains(section)) else {
        return;
    };
    let sections = root.get("properties");
    let definition = sections.and_then(|all| all.pointer(&format!("/{section}/$ref")));
    let name = definition.and_then(|path| path.as_str()?.strip_prefix("#/$defs/"));
    let mut at = match name.map(str::to_owned) {
        Some(name) => root.get_mut("$defs").and_then(|all| all.get_mut(&name)),
        None => root
            .get_mut("properties")
            .and_then(Value::as_object_mut)
            .map(|all| all.entry(section).or_insert_with(|| json!({}))),
    };
    let parts: Vec<&str> = parts.collect();
    for (number, part) in parts.iter().enumerate() {
        let Some(Value::Object(object)) = at else {
            return;
        };
        object.insert("type".to_owned(), "object".into());
        object.insert("additionalProperties".to_owned(), false.into());
        let keys = object.entry("properties").or_insert_with(|| json!({}));
        let Some(keys) = keys.as_object_mut() else {
            return;
        };
        let is_last = number + 1 == parts.len();
        // Keys of the program itself stay as they are.
        let entry = keys.entry(*part);
        at = Some(entry.or_insert_with(|| {
            if is_last {
                described(setting)
            } else {
                json!({})
            }
        }));
    }
}

/// A setting as a schema.
fn described(setting: &Setting) -> Value {
    let mut text = setting.meaning.clone();
    if let SettingValues::Number(range) = &setting.accepts {
        text += &format!(" From {} to {}.", range.min, range.max);
    }
    if let Some(default) = &setting.default {
        text += &format!(" {DEFAULT} `{default}`.");
    }
    match &setting.accepts {
        SettingValues::Text => json!({ "type": "string", "description": text }),
        SettingValues::Switch => json!({ "type": "boolean", "description": text }),
        SettingValues::Choice(names) => {
            json!({ "type": "string", "enum": names, "description": text })
        }
        SettingValues::Number(range) => json!({
            "type": "integer", "minimum": range.min, "maximum": range.max, "description": text
        }),
    }
}

/// A key of the configuration file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// With full stops, as in `memory.database_path`.
    pub path: String,
    /// The default: YAML in backquotes, or words; empty for none.
    pub default: String,
    /// What it does, in Markdown.
    pub description: String,
}

/// All keys, in the order of the types; with the component's `settings`.
#[must_use]
pub fn keys(settings: &[Setting]) -> Vec<Key> {
    let schema = schema(settings).to_value();
    let mut keys = Vec::new();
    let mut described = Vec::new();
    collect(&schema, &schema, "", &mut described, &mut keys);
    keys
}

/// The keys of an object. A type that is used in several places is listed at the first.
fn collect<'s>(
    root: &'s Value,
    object: &'s Value,
    path: &str,
    described: &mut Vec<&'s Value>,
    keys: &mut Vec<Key>,
) {
    let properties = object.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let path = format!("{path}{name}");
        let target = resolve(root, property);
        let has_keys =
            target.get("properties").is_some() && !target["additionalProperties"].is_object();
        if has_keys && !described.contains(&target) {
            described.push(target);
            collect(root, target, &format!("{path}."), described, keys);
        } else {
            keys.push(key(path, property, target));
        }
    }
}

fn key(path: String, property: &Value, target: &Value) -> Key {
    let text = property["description"].as_str().unwrap_or_default();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (description, default) = match text.rsplit_once(DEFAULT) {
        Some((description, default)) => (description.trim_end(), default),
        None => (text.as_str(), ""),
    };
    let default = default.trim_start_matches(':').trim();
    let mut description = description.trim_end_matches('.').to_owned();
    let values: Vec<String> = choices(target)
        .map(|(value, meaning)| format!("`{value}`{meaning}"))
        .collect();
    if !values.is_empty() {
        description = format!("{description}. One of {}", values.join("; "));
    }
    Key {
        path,
        default: default.strip_suffix('.').unwrap_or(default).to_owned(),
        description,
    }
}

/// The values of an enumeration, each with its meaning.
fn choices(target: &Value) -> impl Iterator<Item = (&str, String)> {
    let plain = target["enum"].as_array().into_iter().flatten();
    let plain = plain.filter_map(|value| Some((value.as_str()?, String::new())));
    let described = target["oneOf"].as_array().into_iter().flatten();
    let described = described.filter_map(|choice| {
        let meaning = choice["description"].as_str().unwrap_or_default();
        let meaning = meaning.trim_end_matches('.');
        Some((choice["const"].as_str()?, format!(": {meaning}")))
    });
    plain.chain(described)
}

/// What a reference within the schema points to.
fn resolve<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    let pointer = schema["$ref"]
        .as_str()
        .and_then(|path| path.strip_prefix('#'));
    pointer
        .and_then(|path| root.pointer(path))
        .unwrap_or(schema)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

    use std::fmt::Write as _;
    use std::path::Path;

    use super::super::tests::{COMPONENT, parse};
    use super::*;

    const BEGIN: &str =
        "<!-- keys: begin. Made from the types and the component: `make docs` -->\n";
    const END: &str = "<!-- keys: end -->\n";

    fn table() -> Vec<Setting> {
        COMPONENT.about().settings.clone()
    }

    /// A list, one sentence a line: in a table the lines would be too wide.
    fn list() -> String {
        let mut list = String::new();
        for key in keys(&table()) {
            let default = if key.default.is_empty() {
                "none"
            } else {
                &key.default
            };
            let (path, description) = (&key.path, &key.description);
            writeln!(list, "- `{path}`: {default}.").unwrap();
            for sentence in description.split(". ") {
                writeln!(list, "  {sentence}.").unwrap();
            }
        }
        list
    }

    #[test]
    fn the_document_lists_the_keys_as_they_are() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md");
        let document = std::fs::read_to_string(&path).unwrap();
        let (before, rest) = document.split_once(BEGIN).unwrap();
        let (found, after) = rest.split_once(END).unwrap();
        let made = list();
        if std::env::var_os("MYAO_WRITE_DOCS").is_some() {
            std::fs::write(&path, format!("{before}{BEGIN}{made}{END}{after}")).unwrap();
            return;
        }
        assert_eq!(found, made, "the keys changed: run `make docs`");
    }

    #[test]
    fn the_listed_defaults_are_those_of_the_code() {
        let mut document = serde_json::Map::new();
        for key in keys(&[]) {
            let Some(default) = key.default.strip_prefix('`') else {
                continue;
            };
            let default = default.strip_suffix('`').unwrap();
            let value: Value = serde_saphyr::from_str(default).unwrap();
            let mut place = &mut document;
            let (parents, name) = key.path.rsplit_once('.').unwrap_or(("", &key.path));
            for parent in parents.split_terminator('.') {
                let entry = place.entry(parent).or_insert_with(|| serde_json::json!({}));
                place = entry.as_object_mut().unwrap();
            }
            place.insert(name.to_owned(), value);
        }
        // Every kind of section is included.
        assert!(document.len() > 5, "{document:?}");
        let parsed = parse(&Value::Object(document).to_string()).unwrap();
        assert_eq!(parsed, Config::default());
    }

    #[test]
    fn every_key_is_described() {
        let keys = keys(&table());
        assert!(
            keys.iter()
                .any(|key| key.path == "memory.short_term_history.enabled")
        );
        for key in keys {
            assert!(!key.description.is_empty(), "{}", key.path);
        }
    }
}
