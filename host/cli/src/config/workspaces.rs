//! `workspaces`: several workspaces of one database, each with keys of its own over those of the top level.

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::tree::{Entry, Item, Node, Place};
use super::{Check, Config, ConfigError, faults, given, retired};

/// The key of the list.
const LIST: &str = "workspaces";

/// What an entry calls itself, and what that key is at the top level.
const NAME: &str = "name";
const WORKSPACE: &str = "workspace";

/// What the process has once, whatever its workspaces are.
const OF_THE_PROCESS: [&str; 6] = [
    "memory.database_path",
    "memory.database_url",
    "memory.lease_seconds",
    "health_check",
    "logging",
    LIST,
];

impl Config {
    /// The configuration of a workspace: of the one with this name, or of the only one.
    ///
    /// # Errors
    /// [`ConfigError::NoSuchWorkspace`], [`ConfigError::SeveralWorkspaces`].
    pub fn of_workspace(&self, name: Option<&str>) -> Result<Self, ConfigError> {
        let all = match self.workspaces.as_slice() {
            [] => std::slice::from_ref(self),
            listed => listed,
        };
        let names = || {
            let names = all.iter().map(|config| config.workspace.clone());
            names.collect()
        };
        match (name, all) {
            (None, [only]) => Ok(only.clone()),
            (None, _) => Err(ConfigError::SeveralWorkspaces(names())),
            (Some(name), _) => {
                let found = all.iter().find(|config| config.workspace == name);
                found.cloned().ok_or_else(|| ConfigError::NoSuchWorkspace {
                    name: name.to_owned(),
                    names: names(),
                })
            }
        }
    }
}

/// Leaves the list to [`with_workspaces`]: what an entry lacks is only known with the rest of the file.
pub(super) fn read_later<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<Config>, D::Error> {
    IgnoredAny::deserialize(deserializer).map(|_| Vec::new())
}

/// Adds the configuration of each workspace that the file lists to that of the process.
pub(super) fn with_workspaces(
    mut config: Config,
    text: &str,
    check: Check<'_>,
) -> Result<Config, String> {
    let Some(mut tree) = Node::read(text) else {
        return Ok(config);
    };
    let Some(list) = tree.take(LIST, |_| true) else {
        return Ok(config);
    };
    if let Some(place) = tree.place(WORKSPACE) {
        return Err(format!(
            "{place}: there is `{LIST}` as well ({}), whose entries have a `{NAME}` each: take one of the keys out",
            list.key_at
        ));
    }
    // They are named already.
    retired::take(&mut tree);
    let shared = tree.json();
    let at = list.value_at;
    let items = match list.value {
        Node::List(items) if !items.is_empty() => items,
        _ => {
            return Err(format!(
                "{at}, `{LIST}`: expected a list with an entry for each workspace, as in `- {NAME}: acme`"
            ));
        }
    };
    let mut found = Vec::new();
    for item in items {
        match read(item, &shared, check) {
            Ok(mut workspace) => {
                config.retired.append(&mut workspace.retired);
                workspace.given = given::over(&config.given, workspace.given);
                config.workspaces.push(workspace);
            }
            Err(faults) => found.extend(faults),
        }
    }
    found.extend(conflicts(&config.workspaces, at));
    match found.is_empty() {
        true => Ok(config),
        false => Err(found.join("\n")),
    }
}

/// Reads an entry over what is shared, except the component's settings. The error is a line for each fault.
fn read(item: Item, shared: &Value, check: Check<'_>) -> Result<Config, Vec<String>> {
    let Item { at, mut value } = item;
    let name = name_of(&mut value).ok_or_else(|| {
        vec![format!(
            "{at}, `{LIST}`: expected an entry with a `{NAME}`, as in `- {NAME}: acme`"
        )]
    })?;
    let of_entry = |text: String| format!("{text} (workspace `{name}`)");
    let mut found: Vec<String> = OF_THE_PROCESS
        .into_iter()
        .filter_map(|path| {
            let place = value.place(path)?;
            Some(format!(
                "{place}: `{path}` is of the whole process, not of one workspace: put it at the top level"
            ))
        })
        .collect();
    let retired = retired::take(&mut value);
    let read = |text: &str| serde_saphyr::from_str::<Config>(text).map(drop);
    let (given, mut wrong) = given::read(&value, check).map_err(|error| vec![error])?;
    wrong.extend(faults::faults(&value, read));
    let wrong = faults::lines(wrong).into_iter();
    // The entry has the key by its other name.
    found.extend(wrong.map(|fault| fault.replace(&format!("`{WORKSPACE}`"), &format!("`{NAME}`"))));
    if !found.is_empty() {
        return Err(found.into_iter().map(of_entry).collect());
    }
    let config = over(shared.clone(), value.json());
    let config: Config = serde_saphyr::from_str(&config.to_string())
        .map_err(|error| vec![of_entry(format!("{at}: {}", super::error::detail(&error)))])?;
    Ok(Config {
        given,
        retired: retired.into_iter().map(of_entry).collect(),
        ..config
    })
}

/// The name of an entry, whose key becomes that of the top level. `None` if there is none, or if the entry has that key, too.
fn name_of(entry: &mut Node) -> Option<String> {
    let Node::Keys(keys) = entry else {
        return None;
    };
    if keys.iter().any(|key| key.key == WORKSPACE) {
        return None;
    }
    let Entry { key, value, .. } = keys.iter_mut().find(|key| key.key == NAME)?;
    WORKSPACE.clone_into(key);
    match value {
        Node::Value(Value::String(name)) => Some(name.clone()),
        Node::Value(other) => Some(other.to_string()),
        _ => None,
    }
}

/// What `upper` says, and where it says nothing, what `lower` says. Only keys are merged: a list takes the place of a list.
fn over(lower: Value, upper: Value) -> Value {
    match (lower, upper) {
        (Value::Object(mut lower), Value::Object(upper)) => {
            for (key, value) in upper {
                let below = lower.remove(&key).unwrap_or(Value::Null);
                lower.insert(key, over(below, value));
            }
            Value::Object(lower)
        }
        (_, upper) => upper,
    }
}

/// What two workspaces have that only one can have, each in one line.
fn conflicts(workspaces: &[Config], at: Place) -> Vec<String> {
    let mut found = Vec::new();
    for (number, second) in workspaces.iter().enumerate() {
        for first in workspaces.iter().take(number) {
            let (one, other) = (&first.workspace, &second.workspace);
            if one == other {
                found.push(format!("{at}, `{LIST}`: two entries have the name `{one}`"));
                continue;
            }
            for key in in_both(first, second) {
                found.push(format!(
                    "{at}, `{LIST}`: `{one}` and `{other}` have the same `{key}`: each workspace needs one of its own"
                ));
            }
        }
    }
    found
}

/// The keys whose values two workspaces cannot share.
fn in_both(first: &Config, second: &Config) -> Vec<&'static str> {
    let same = |one: &Option<String>, other: &Option<String>| one.is_some() && one == other;
    let (one, other) = (&first.slack, &second.slack);
    let is_one_slack = one.api_url == other.api_url;
    // A port 0 is another one each time.
    let listens = |address: std::net::SocketAddr| address.port() != 0;
    let ports = |config: &Config| {
        [config.slack.listen, config.page.listen].map(|at| at.filter(|at| listens(*at)))
    };
    let (ports, others) = (ports(first), ports(second));
    let taken = |at: Option<std::net::SocketAddr>| at.is_some() && others.contains(&at);
    // Slack delivers each event over one of the sockets of an app: half of them would come to the other workspace.
    let sockets = one.listen.is_none() && other.listen.is_none();
    let checks = [
        (
            "slack.bot_token",
            is_one_slack && same(&one.bot_token, &other.bot_token),
        ),
        (
            "slack.app_token",
            is_one_slack && sockets && same(&one.app_token, &other.app_token),
        ),
        ("slack.listen", taken(ports[0])),
        ("page.listen", taken(ports[1])),
    ];
    checks
        .into_iter()
        .filter(|(_, is_same)| *is_same)
        .map(|(key, _)| key)
        .collect()
}

/// Describes the entries in the JSON schema, for editors: they have the keys of the top level without those of the process.
pub(super) fn describe_entries(schema: &mut Map<String, Value>) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else {
        return;
    };
    let mut keys = properties.clone();
    keys.retain(|key, _| !OF_THE_PROCESS.contains(&key.as_str()));
    if let Some(name) = keys.remove(WORKSPACE) {
        keys.insert(NAME.to_owned(), name);
    }
    if let Some(Value::Object(list)) = properties.get_mut(LIST) {
        let entry = serde_json::json!({
            "type": "object", "properties": keys, "required": [NAME], "additionalProperties": false,
        });
        list.insert("items".to_owned(), entry);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

    use serde_json::Value;

    use super::super::tests::parse;
    use super::super::{ConfigError, schema};

    const TWO: &str = "\
timezone: Asia/Tokyo
memory: { database_path: team.db, short_term_window_hours: 12 }
budget: { tokens_per_day: 1000 }
slack: { pin_emoji: pin }
workspaces:
  - name: acme
    slack: { bot_token: xoxb-acme, listen: '127.0.0.1:3000' }
    memory: { language: en }
  - name: beta
    slack: { bot_token: xoxb-beta, listen: '127.0.0.1:3001' }
    budget: { tokens_per_day: 5 }
    timezone: UTC
";

    #[test]
    fn an_entry_goes_before_the_top_level_and_takes_the_rest_from_it() {
        let config = parse(TWO).unwrap();
        let acme = config.of_workspace(Some("acme")).unwrap();
        let beta = config.of_workspace(Some("beta")).unwrap();
        assert_eq!(
            (acme.workspace.as_str(), beta.workspace.as_str()),
            ("acme", "beta")
        );
        assert_eq!(acme.slack.bot_token.as_deref(), Some("xoxb-acme"));
        assert_eq!(acme.slack.pin_emoji, "pin");
        assert_eq!(acme.setting("memory.short_term_window_hours"), Some("12"));
        assert_eq!(acme.setting("memory.language"), Some("en"));
        assert_eq!(beta.setting("memory.language"), None);
        assert_eq!(acme.timezone, chrono_tz::Asia::Tokyo);
        assert_eq!(beta.timezone, chrono_tz::UTC);
        assert_ne!(acme.budget, beta.budget);
        for workspace in [acme, beta] {
            assert_eq!(workspace.memory.database_path.to_str(), Some("team.db"));
        }
    }

    #[test]
    fn one_of_several_is_to_be_chosen() {
        let config = parse(TWO).unwrap();
        let error = config.of_workspace(None).unwrap_err();
        assert!(
            matches!(&error, ConfigError::SeveralWorkspaces(names) if names == &["acme", "beta"])
        );
        assert!(error.to_string().contains("`acme`, `beta`"), "{error}");
        let error = config.of_workspace(Some("gamma")).unwrap_err();
        assert!(
            error.to_string().contains("`gamma`: it has `acme`, `beta`"),
            "{error}"
        );
        let only = parse("workspaces: [{ name: acme }]").unwrap();
        assert_eq!(only.of_workspace(None).unwrap().workspace, "acme");
        let alone = parse("workspace: acme").unwrap();
        assert!(alone.of_workspace(Some("acme")).is_ok());
        assert!(alone.of_workspace(Some("default")).is_err());
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place_and_the_workspace() {
        for (text, told) in [
            (
                "workspaces:\n  - name: acme\n    logging: { level: DEBUG }\n",
                &["line 3, column 5", "`logging`", "top level", "`acme`"][..],
            ),
            (
                "workspaces:\n  - name: acme\n    memory: { database_path: a.db }\n",
                &["line 3, column 15", "`memory.database_path`", "`acme`"],
            ),
            (
                "workspaces:\n  - name: acme\n    workspaces: []\n",
                &["line 3", "`workspaces`", "`acme`"],
            ),
            (
                "workspaces:\n  - name: acme\n    budget: { tokens_per_day: many }\n",
                &["line 3", "`tokens_per_day`", "`acme`"],
            ),
            (
                "workspaces:\n  - name: acme\n    bugdet: {}\n",
                &["line 3, column 5", "`bugdet`", "`acme`"],
            ),
            (
                "workspaces:\n  - name: ' '\n",
                &["line 2", "`name`", "not empty"],
            ),
            ("workspaces:\n  - slack: {}\n", &["line 2", "`name`"]),
            ("workspaces: []\n", &["line 1", "`workspaces`"]),
            ("workspaces: acme\n", &["line 1", "`workspaces`"]),
            (
                "workspace: acme\nworkspaces:\n  - name: beta\n",
                &["line 1, column 1", "line 2, column 1", "take one"],
            ),
            (
                "workspaces: [{ name: acme }, { name: acme }]",
                &["two entries", "`acme`"],
            ),
            (
                "slack: { bot_token: xoxb-1 }\nworkspaces: [{ name: acme }, { name: beta }]",
                &["`acme` and `beta`", "`slack.bot_token`"],
            ),
            (
                "slack: { app_token: xapp-1 }\nworkspaces: [{ name: acme }, { name: beta }]",
                &["`acme` and `beta`", "`slack.app_token`"],
            ),
            (
                "workspaces: [{ name: acme, page: { listen: '127.0.0.1:1' } }, { name: beta, slack: { listen: '127.0.0.1:1' } }]",
                &["`acme` and `beta`", "listen"],
            ),
        ] {
            let error = parse(text).unwrap_err();
            for part in told {
                assert!(error.contains(part), "{text} gives {error}, without {part}");
            }
            assert!(
                !error.contains("xoxb-1") && !error.contains("xapp-1"),
                "{error}"
            );
        }
        let both = "workspaces:\n  - name: acme\n    bugdet: {}\n  - name: beta\n    slcak: {}\n";
        let error = parse(both).unwrap_err();
        assert!(
            error.contains("line 3") && error.contains("line 5"),
            "{error}"
        );
    }

    #[test]
    fn retired_keys_of_an_entry_are_named_and_the_rest_is_read() {
        let config =
            parse("workspaces:\n  - name: acme\n    timezone: Asia/Tokyo\n    tools: {}\n")
                .unwrap();
        assert_eq!(config.retired.len(), 1, "{:?}", config.retired);
        assert!(config.retired[0].contains("line 4") && config.retired[0].contains("`acme`"));
        assert_eq!(config.workspaces[0].timezone, chrono_tz::Asia::Tokyo);
    }

    #[test]
    fn editors_know_the_keys_of_an_entry() {
        let schema = schema(&[]).to_value();
        let keys = &schema["properties"]["workspaces"]["items"]["properties"];
        for (key, is_there) in [
            ("name", true),
            ("slack", true),
            ("logging", false),
            ("workspace", false),
        ] {
            assert_eq!(keys[key] != Value::Null, is_there, "{key}");
        }
    }
}
