//! The program `myao`, driven as an operator would: one process for each command, over a database of its own.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context as _, Result, bail, ensure};
use chrono::{DateTime, FixedOffset};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use tempfile::TempDir;

use crate::export;
use crate::recorder::Recorder;
use crate::state::State;

/// How many messages a search returns: the largest `k` of evidence recall.
pub(crate) const HITS: usize = 20;
/// Keys that the harness sets, so that each workspace has a database of its own, and the time zone of its data.
const OWN_KEYS: [&str; 2] = ["timezone:", "database_path:"];

/// The program and settings to measure.
#[derive(Debug, Clone)]
pub(crate) struct Setup {
    /// The program.
    pub(crate) program: PathBuf,
    /// The operator's configuration of models, in YAML.
    pub(crate) config: String,
    /// The search by meaning, in YAML; empty for search by words alone.
    pub(crate) recall: String,
    /// Keeps the prompts of answers, if no model is configured.
    pub(crate) recorder: Option<Recorder>,
}

impl Setup {
    /// Reads the configuration and checks that it leaves to the harness what is its own.
    pub(crate) fn new(
        program: &Path,
        config: Option<&Path>,
        recall: Option<&Path>,
    ) -> Result<Self> {
        let program = fs::canonicalize(program)
            .with_context(|| format!("there is no program {}", program.display()))?;
        let read = |path: &Path| {
            fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
        };
        let config = config.map(read).transpose()?.unwrap_or_default();
        let recall = recall.map(read).transpose()?.unwrap_or_default();
        for key in OWN_KEYS {
            ensure!(
                !config.contains(key),
                "the configuration has `{key}`, which this program sets itself: remove it"
            );
        }
        let recorder = if config.is_empty() {
            Some(Recorder::start()?)
        } else {
            None
        };
        Ok(Self {
            program,
            config,
            recall,
            recorder,
        })
    }

    /// Which of the measured commands the program has.
    pub(crate) fn parts(&self) -> Result<Parts> {
        let has = |command| -> Result<bool> {
            let output = Command::new(&self.program)
                .args([command, "--help"])
                .output()
                .with_context(|| format!("cannot run {}", self.program.display()))?;
            Ok(output.status.success())
        };
        Ok(Parts {
            search: has("search")?,
            ask: has("ask")?,
        })
    }
}

/// Which of the measured commands a program has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) search: bool,
    pub(crate) ask: bool,
}

impl Parts {
    /// The commands that it lacks.
    pub(crate) fn missing(self) -> impl Iterator<Item = &'static str> {
        let parts = [("search", self.search), ("ask", self.ask)];
        parts
            .into_iter()
            .filter(|(_, has)| !has)
            .map(|(name, _)| name)
    }
}

/// The program over the database of one workspace, which goes away with it.
pub(crate) struct Program {
    path: PathBuf,
    folder: TempDir,
    recorder: Option<Recorder>,
    embeds: bool,
}

/// Files of the configuration: as it is measured, and with the recorder as the model that answers.
const CONFIG: &str = "myao.yaml";
const RECORDED: &str = "recorded.yaml";

/// Sums of calls of models.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct Calls {
    pub(crate) calls: u64,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

impl Calls {
    pub(crate) fn input(self) -> u64 {
        self.input_tokens.unwrap_or_default()
    }

    pub(crate) fn output(self) -> u64 {
        self.output_tokens.unwrap_or_default()
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.input_tokens = Some(self.input() + other.input());
        self.output_tokens = Some(self.output() + other.output());
    }
}

#[derive(Deserialize)]
struct Usage {
    groups: Vec<Layer>,
}

#[derive(Deserialize)]
struct Layer {
    layer: String,
    #[serde(flatten)]
    calls: Calls,
}

#[derive(Deserialize)]
struct Backfill {
    failed: Vec<IgnoredAny>,
}

#[derive(Deserialize)]
struct Memory {
    content: String,
}

impl Program {
    /// An empty workspace in the time zone of `at`.
    pub(crate) fn new(setup: &Setup, at: DateTime<FixedOffset>) -> Result<Self> {
        let folder = tempfile::tempdir().context("cannot make a folder")?;
        let zone = format!("timezone: {}\n", zone(at)?);
        let common = zone + "\n" + &setup.recall + "\n";
        let write =
            |name, models: &str| fs::write(folder.path().join(name), common.clone() + models);
        write(CONFIG, &setup.config)?;
        if let Some(recorder) = &setup.recorder {
            write(RECORDED, &recorder.config())?;
        }
        Ok(Self {
            path: setup.program.clone(),
            folder,
            recorder: setup.recorder.clone(),
            embeds: !setup.recall.is_empty(),
        })
    }

    /// Stores the workspace as it is now, by an export.
    pub(crate) fn import(&self, state: &State) -> Result<()> {
        let export = self.folder.path().join("export");
        export::write(&export, state)?;
        self.run(&["import", "export", "--include-private"])?;
        if self.embeds {
            self.run(&["embed"])?;
        }
        Ok(())
    }

    /// Makes the memories that a running bot would have made until then, and returns how often the model failed at one.
    pub(crate) fn remember(&self, until: DateTime<FixedOffset>) -> Result<usize> {
        let until = until.to_rfc3339();
        let arguments = ["backfill", "--keep-going", "--until", &until];
        let output = self.output(CONFIG, &arguments)?;
        // It reports what failed and goes on, and so does the evaluation.
        match serde_json::from_slice::<Backfill>(&output.stdout) {
            Ok(backfill) => Ok(backfill.failed.len()),
            Err(_) => bail!("{}", failure(&arguments, &output)),
        }
    }

    /// Removes a message and what was made from it.
    pub(crate) fn forget(&self, channel: &str, ts: &str) -> Result<()> {
        self.run(&["forget", "--message", &format!("{channel}:{ts}")])?;
        Ok(())
    }

    /// The hits of the search for a channel, as of a time.
    pub(crate) fn search(
        &self,
        words: &str,
        channel: &str,
        at: DateTime<FixedOffset>,
    ) -> Result<Value> {
        let (at, limit) = (at.to_rfc3339(), HITS.to_string());
        let options = [
            "search", "--in", channel, "--as-of", &at, "--limit", &limit, "--", words,
        ];
        self.run(&options)
    }

    /// The answer to a question in a channel, as of a time.
    pub(crate) fn ask(
        &self,
        question: &str,
        channel: &str,
        at: DateTime<FixedOffset>,
    ) -> Result<Value> {
        self.ask_with(CONFIG, question, channel, at)
    }

    /// The prompt that a model would answer the question from; `None` if a model is configured, which keeps none, or nothing
    /// was asked of the model.
    pub(crate) fn prompt(
        &self,
        question: &str,
        channel: &str,
        at: DateTime<FixedOffset>,
    ) -> Result<Option<String>> {
        let Some(recorder) = &self.recorder else {
            return Ok(None);
        };
        self.ask_with(RECORDED, question, channel, at)?;
        Ok(Some(recorder.take().join("\n")).filter(|prompt| !prompt.is_empty()))
    }

    fn ask_with(
        &self,
        config: &str,
        question: &str,
        channel: &str,
        at: DateTime<FixedOffset>,
    ) -> Result<Value> {
        let at = at.to_rfc3339();
        self.run_with(
            config,
            &["ask", "--in", channel, "--as-of", &at, "--", question],
        )
    }

    /// The texts of the newest memories that a channel may see.
    pub(crate) fn memories(&self, channel: &str) -> Result<Vec<String>> {
        let listed = self.run(&["memory", "--in", channel, "list"])?;
        let memories: Vec<Memory> = serde_json::from_value(listed)?;
        Ok(memories.into_iter().map(|memory| memory.content).collect())
    }

    /// The calls of models so far, by layer; none if no model is configured: those are the recorder's.
    pub(crate) fn usage(&self) -> Result<BTreeMap<String, Calls>> {
        if self.recorder.is_some() {
            return Ok(BTreeMap::new());
        }
        let usage: Usage = serde_json::from_value(self.run(&["usage", "--by", "layer"])?)?;
        let layers = usage.groups.into_iter();
        Ok(layers.map(|group| (group.layer, group.calls)).collect())
    }

    fn run(&self, arguments: &[&str]) -> Result<Value> {
        self.run_with(CONFIG, arguments)
    }

    fn run_with(&self, config: &str, arguments: &[&str]) -> Result<Value> {
        let output = self.output(config, arguments)?;
        ensure!(output.status.success(), failure(arguments, &output));
        serde_json::from_slice(&output.stdout)
            .with_context(|| format!("myao {}: no JSON", arguments.join(" ")))
    }

    fn output(&self, config: &str, arguments: &[&str]) -> Result<Output> {
        Command::new(&self.path)
            .args(["--config", config, "--json"])
            .args(arguments)
            .current_dir(self.folder.path())
            .output()
            .with_context(|| format!("cannot run {}", self.path.display()))
    }
}

fn failure(arguments: &[&str], output: &Output) -> String {
    let error = String::from_utf8_lossy(&output.stderr);
    format!(
        "myao {}: {}, {}",
        arguments.join(" "),
        output.status,
        error.trim()
    )
}

/// The time zone with the offset of a time. Its name counts hours to the west.
fn zone(at: DateTime<FixedOffset>) -> Result<String> {
    let seconds = at.offset().local_minus_utc();
    ensure!(
        seconds % 3600 == 0,
        "{at} has an offset of half an hour, for which there is no time zone without summer time"
    );
    Ok(match seconds / 3600 {
        0 => "UTC".to_owned(),
        hours => format!("Etc/GMT{:+}", -hours),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use chrono::DateTime;

    use super::zone;

    #[test]
    fn the_time_zone_has_the_offset_of_the_data() {
        let of = |text: &str| zone(DateTime::parse_from_rfc3339(text).unwrap()).ok();
        assert_eq!(of("2026-05-11T08:00:00+09:00").unwrap(), "Etc/GMT-9");
        assert_eq!(of("2026-05-11T08:00:00-05:00").unwrap(), "Etc/GMT+5");
        assert_eq!(of("2026-05-11T08:00:00Z").unwrap(), "UTC");
        assert_eq!(of("2026-05-11T08:00:00+05:30"), None);
    }
}
