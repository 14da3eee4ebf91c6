//! Python's Jinja2 in a process of its own, which renders on command.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use myao_tests::project_file;

use crate::native::Variables;

const SCRIPT: &str = "tests/bench/src/jinja_time.py";
const VERSIONS: &str = "import jinja2, platform; print('Python', platform.python_version() + ', Jinja2', jinja2.__version__)";

/// A Python that has loaded the template and a context.
pub struct Jinja {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Jinja {
    /// Starts it, and returns it with its prompt.
    ///
    /// # Errors
    /// Where there is no Python with Jinja2.
    pub fn start(variables: &Variables<'_>) -> Result<(Self, String)> {
        let python = interpreter()?;
        let mut child = Command::new(&python)
            .arg(project_file(SCRIPT))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("{} does not start", python.display()))?;
        let input = child.stdin.take().context("no standard input")?;
        let output = child.stdout.take().context("no standard output")?;
        let mut jinja = Self {
            child,
            input,
            output: BufReader::new(output).lines(),
        };
        let prompt = jinja.ask(&serde_json::to_string(variables)?)?;
        Ok((jinja, serde_json::from_str(&prompt)?))
    }

    /// Renders so many times; the time that one took.
    ///
    /// # Errors
    /// Where Python ends.
    pub fn render(&mut self, times: u32) -> Result<Duration> {
        let all = self.ask(&times.to_string())?.parse()?;
        Ok(Duration::from_nanos(all) / times)
    }

    fn ask(&mut self, line: &str) -> Result<String> {
        writeln!(self.input, "{line}")?;
        self.output
            .next()
            .with_context(|| format!("{SCRIPT} ended early"))?
            .context("cannot read from Python")
    }
}

impl Drop for Jinja {
    fn drop(&mut self) {
        // It has ended by itself where its input was closed before.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The versions of Python and Jinja2.
///
/// # Errors
/// Where there is no Python with Jinja2.
pub fn versions() -> Result<String> {
    let output = Command::new(interpreter()?)
        .args(["-c", VERSIONS])
        .output()?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn interpreter() -> Result<PathBuf> {
    let python = std::env::var_os("MYAO_TEST_PYTHON")
        .map_or_else(|| project_file("target/python/bin/python"), PathBuf::from);
    if !python.exists() {
        bail!(
            "there is no Python at {}: `make bench` sets it up, or set MYAO_TEST_PYTHON to one with Jinja2 (tests/jinja/requirements.txt)",
            python.display()
        );
    }
    Ok(python)
}
