//! `myao doctor`: checks everything that the bot needs, one after the other, and says how to fix what is wrong.

mod budget;
mod health;
mod models;
mod server;
mod slack;
mod store;
mod wait_line;
mod work;

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use myao_plugin::printable::line;
use serde_json::{Value, json};

use crate::cli::app::App;
use crate::cli::args::DoctorArgs;
use crate::cli::database::Where;
use crate::cli::{in_lines, output};

/// The usual name of the configuration file, which the documentation uses. It is read only if --config names it.
const USUAL_CONFIGURATION: &str = "myao.yaml";
/// How much of the component's digest is shown in text.
const DIGEST_SHOWN: usize = 12;

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Everything is fine.
    Good,
    /// It works, but there is something to know.
    Warning,
    /// It does not work.
    Bad,
    /// It is not configured, which is allowed.
    Unset,
}

impl State {
    fn mark(self) -> &'static str {
        match self {
            Self::Good => "✓",
            Self::Warning => "!",
            Self::Bad => "✗",
            Self::Unset => "-",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Good => "ok",
            Self::Warning => "warning",
            Self::Bad => "failed",
            Self::Unset => "not-configured",
        }
    }
}

/// The result of a check.
#[derive(Debug)]
struct Finding {
    check: &'static str,
    state: State,
    found: String,
    /// The remedy; `None` if there is none, or if the finding says it already.
    advice: Option<String>,
}

impl Finding {
    fn new(check: &'static str, state: State, found: impl Into<String>) -> Self {
        Self {
            check,
            state,
            found: found.into(),
            advice: None,
        }
    }

    fn good(check: &'static str, found: impl Into<String>) -> Self {
        Self::new(check, State::Good, found)
    }

    fn warning(check: &'static str, found: impl Into<String>) -> Self {
        Self::new(check, State::Warning, found)
    }

    fn bad(check: &'static str, found: impl Into<String>) -> Self {
        Self::new(check, State::Bad, found)
    }

    fn unset(check: &'static str, found: impl Into<String>) -> Self {
        Self::new(check, State::Unset, found)
    }

    fn with_advice(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }
}

/// Runs all checks. The exit code is a failure if something does not work.
pub(crate) async fn run(app: &App, arguments: &DoctorArgs) -> anyhow::Result<ExitCode> {
    let waiting = output::waiting("checking…");
    let mut findings = vec![configuration(app)];
    let (database, has_tables) = match app.database().place {
        Where::File(path) => store::check(path),
        Where::Server(server) => server::check(server),
    };
    findings.push(database);
    findings.push(component(app));
    findings.extend(models::check(&app.config, arguments.call_models).await);
    let (health, bot) = health::check(app.config.health_check, &app.config.workspace).await;
    findings.extend(slack::check(&app.config.slack, bot.is_some()).await);
    findings.push(health);
    let unsigned = bot.as_ref().map_or(0, |bot| bot.unsigned);
    if unsigned > 0 {
        let found = format!("{unsigned} deliveries were refused, as they are not signed by Slack");
        let advice = "if they are Slack's, slack.signing_secret or the clock is wrong";
        findings.push(Finding::warning("deliveries", found).with_advice(advice));
    }
    if has_tables {
        findings.extend(work::check(app, bot).await);
    }
    drop(waiting);
    report(app.json, &findings)
}

/// The report if the configuration cannot be read: without it, nothing else can be checked.
pub(crate) fn without_configuration(json: bool, error: &anyhow::Error) -> anyhow::Result<ExitCode> {
    let mut findings: Vec<Finding> = in_lines(error)
        .into_iter()
        .map(|fault| Finding::bad("configuration", fault))
        .collect();
    if let Some(last) = findings.pop() {
        findings.push(last.with_advice("everything else is checked once it can be read"));
    }
    report(json, &findings)
}

fn configuration(app: &App) -> Finding {
    const CHECK: &str = "configuration";
    let settings = app.config.settings().map(|_| ());
    if let Err(error) = settings.and_then(|()| app.config.budget_terms().map(|_| ())) {
        return Finding::bad(CHECK, error.to_string());
    }
    match &app.config_path {
        Some(path) if !app.config.retired.is_empty() => Finding::warning(
            CHECK,
            format!("{} holds keys that nothing reads: {}", path.display(), app.config.retired.join("; ")),
        )
        .with_advice("take them out; docs/migration.md says more"),
        Some(path) if !app.config.redact_secrets => Finding::warning(
            CHECK,
            format!("{}: with `redact_secrets: false`, keys and passwords in messages are stored and go to models", path.display()),
        ),
        Some(path) => Finding::good(CHECK, path.display().to_string()),
        None if Path::new(USUAL_CONFIGURATION).exists() => Finding::warning(
            CHECK,
            format!("no file is given, so that every key has its default; there is a {USUAL_CONFIGURATION} here"),
        )
        .with_advice(format!("give it: --config {USUAL_CONFIGURATION}")),
        None => Finding::good(CHECK, "no file is given (--config): every key has its default"),
    }
}

fn component(app: &App) -> Finding {
    const CHECK: &str = "component";
    match app.load_component() {
        Ok(component) => {
            let digest = component.digest();
            let shown = digest.get(..DIGEST_SHOWN).unwrap_or(digest);
            let name = match &app.component {
                Some(path) => path.display().to_string(),
                None => "the built-in one".to_owned(),
            };
            let contract = myao_plugin::CONTRACT_VERSION;
            let found = format!("{name}, for myao:memory {contract}, sha256 {shown}…");
            Finding::good(CHECK, found)
        }
        Err(error) => Finding::bad(CHECK, error.to_string()),
    }
}

fn report(json: bool, findings: &[Finding]) -> anyhow::Result<ExitCode> {
    let bad = findings
        .iter()
        .filter(|finding| finding.state == State::Bad)
        .count();
    if json {
        output::print_json(&json!({
            "ok": bad == 0,
            "checks": findings.iter().map(as_json).collect::<Vec<_>>(),
        }))?;
    } else {
        let mut table = output::table(&["", "check", "found"]);
        for finding in findings {
            let mut text = line(&finding.found).into_owned();
            if let Some(advice) = &finding.advice {
                text = text + "\n→ " + &line(advice);
            }
            table.add_row_of_lines([finding.state.mark(), finding.check, &text]);
        }
        output::print_table(&table)?;
        let mut out = output::stdout();
        match bad {
            0 => writeln!(out, "No problem was found.")?,
            1 => writeln!(out, "1 thing does not work (✗).")?,
            n => writeln!(out, "{n} things do not work (✗).")?,
        }
    }
    Ok(if bad == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn as_json(finding: &Finding) -> Value {
    json!({
        "check": finding.check,
        "state": finding.state.name(),
        "found": finding.found,
        "advice": finding.advice,
    })
}
