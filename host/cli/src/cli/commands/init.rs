//! `myao init`: writes a first configuration.

use std::fmt::Display;
use std::fs::{self, OpenOptions};
use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::Context as _;
use chrono_tz::Tz;
use myao::config::Config;
use myao_llm::config::ModelId;
use myao_llm::model_endpoint;
use serde_json::json;

use crate::cli::app::App;
use crate::cli::args::InitArgs;
use crate::cli::output;

/// The file if `--config` names none.
const USUAL_FILE: &str = "myao.yaml";
/// Typed where there is to be no model.
const NO_MODEL: &str = "none";
/// Where the tokens of Slack's app are looked for.
const TOKENS: [&str; 2] = ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"];
/// The link that names the time zone of this machine.
const LOCAL_TIME: &str = "/etc/localtime";

pub(crate) fn run(app: &App, arguments: &InitArgs) -> anyhow::Result<ExitCode> {
    let file = app.config_path.as_deref();
    let file = file.unwrap_or(Path::new(USUAL_FILE));
    let shown = file.display();
    anyhow::ensure!(
        file.symlink_metadata().is_err(),
        "{shown} exists already, and nothing is overwritten: `myao --config {shown} doctor` checks it"
    );
    let zone: Tz = answer(
        "Time zone in which times are shown",
        arguments.timezone.as_deref(),
        local_zone().unwrap_or(Tz::UTC),
        "a time zone is an IANA name, as in Asia/Tokyo or UTC",
    )?;
    let model: Model = answer(
        "Model for memories and answers, as in openai/gpt-4o",
        arguments.model.as_deref(),
        Model(None),
        "a model has its provider in front, as in openai/gpt-4o, anthropic/claude-sonnet-4-5 or ollama/llama3.2",
    )?;
    let has_tokens = TOKENS.iter().all(|name| std::env::var_os(name).is_some());
    let text = configuration(zone, &model, arguments.base_url.as_deref(), has_tokens);
    let config = Config::parse(&text, &|_| Ok(Vec::new())).map_err(anyhow::Error::msg)?;
    let endpoint = model_endpoint("memory", &config.agents.memory)?;
    write(file, &text)?;
    if app.json {
        output::print_json(&json!({ "file": shown.to_string() }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = output::stdout();
    writeln!(out, "Wrote {shown}.")?;
    if let Some(variable) = endpoint.and_then(|endpoint| endpoint.missing_key) {
        writeln!(
            out,
            "The model's key is read from {variable}, which is not set yet."
        )?;
    }
    if !has_tokens {
        writeln!(
            out,
            "For Slack, make an app from `myao slack manifest`; {shown} says where its tokens go."
        )?;
    }
    writeln!(out, "Next: myao --config {shown} doctor")?;
    Ok(ExitCode::SUCCESS)
}

/// A model, or none.
#[derive(Clone)]
struct Model(Option<String>);

impl FromStr for Model {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        if text == NO_MODEL {
            return Ok(Self(None));
        }
        let is_model = text.parse::<ModelId>().is_ok();
        is_model.then(|| Self(Some(text.to_owned()))).ok_or(())
    }
}

impl Display for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.as_deref().unwrap_or(NO_MODEL))
    }
}

/// The answer that an option gives, or a person in a terminal; otherwise the one that is likely.
fn answer<T: FromStr + Display>(
    question: &str,
    given: Option<&str>,
    likely: T,
    expected: &str,
) -> anyhow::Result<T> {
    if let Some(given) = given {
        return given
            .parse()
            .map_err(|_| anyhow::anyhow!("`{given}`: {expected}"));
    }
    if !(std::io::stdin().is_terminal() && output::in_terminal()) {
        return Ok(likely);
    }
    loop {
        let mut out = output::stdout();
        write!(out, "{question} [{likely}]> ")?;
        out.flush()?;
        drop(out);
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line);
        anyhow::ensure!(
            read.context("cannot read from the terminal")? > 0,
            "nothing is written, as not every question was answered"
        );
        match line.trim() {
            "" => return Ok(likely),
            text => match text.parse() {
                Ok(answer) => return Ok(answer),
                Err(_) => writeln!(output::stdout(), "{expected}")?,
            },
        }
    }
}

/// The time zone of this machine, if it has a name.
pub(super) fn local_zone() -> Option<Tz> {
    let from_environment = || {
        std::env::var("TZ")
            .ok()?
            .trim_start_matches(':')
            .parse()
            .ok()
    };
    let from_link = || {
        let link = fs::read_link(LOCAL_TIME).ok()?;
        link.to_str()?.split_once("zoneinfo/")?.1.parse().ok()
    };
    from_environment().or_else(from_link)
}

/// The text of the file. Words of others are quoted: JSON's strings are YAML's, too.
fn configuration(zone: Tz, model: &Model, base_url: Option<&str>, has_tokens: bool) -> String {
    let mut text = format!(
        "# `myao config keys` lists all keys; those that are not here have their defaults.\ntimezone: {zone}\n"
    );
    match &model.0 {
        Some(model) => {
            text += &format!("agents:\n  memory:\n    model_id: {}\n", json!(model));
            if let Some(url) = base_url {
                text += &format!("    client_args: {{ base_url: {} }}\n", json!(url));
            }
        }
        None => {
            text += "# Without a model, memories and answers are quotes of what was said.\n\
                     # agents: { memory: { model_id: openai/gpt-4o } }\n";
        }
    }
    let [bot, app] = TOKENS;
    let comment = if has_tokens { "" } else { "# " };
    text + &format!(
        "# The app that `myao run` uses; `myao slack manifest` prints what to make it from.\n\
         {comment}slack: {{ bot_token: \"${{{bot}}}\", app_token: \"${{{app}}}\" }}\n"
    )
}

/// Writes the file for its owner alone: keys may be added to it.
fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options
        .open(file)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .with_context(|| format!("cannot write {}", file.display()))
}
