//! Where the commands of a document run: a folder like the project's, with a Slack, a model and an export.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use myao_fake_slack::{APP_TOKEN, BOT_TOKEN, FakeSlack};
use myao_tests::llm_server::{API_KEY, LlmServer};
use myao_tests::peer::free_address;
use myao_tests::program::{Program, Ran, demo_export};
use myao_tests::project_file;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::model;

/// What commands may name.
const FOLDERS: [&str; 7] = [
    "docs",
    "guest",
    "host",
    "scripts",
    "templates",
    "tests",
    "wit",
];
/// The secret of events over HTTP.
const SIGNING_SECRET: &str = "a-signing-secret-for-tests";

/// One document's folder. Its commands run in it one after the other.
pub(crate) struct Place {
    program: Program,
    slack: FakeSlack,
    llm: LlmServer,
}

impl Place {
    pub(crate) fn new() -> Self {
        let slack = FakeSlack::start_on_own_thread();
        slack.follow_system_clock();
        // Not one of the export's.
        slack.add_channel("C0LOBBY", "lobby");
        let place = Self {
            program: Program::default(),
            slack,
            llm: model::server(),
        };
        for folder in FOLDERS {
            symlink(project_file(folder), place.program.path(folder)).unwrap();
        }
        fs::create_dir_all(place.program.path("target")).unwrap();
        let components = place.program.path("target/component");
        symlink(project_file("target/component"), components).unwrap();
        zip_export(&place.program.path("export.zip"));
        place.program.write("tools/myao", include_str!("myao.sh"));
        let may_run = fs::Permissions::from_mode(0o755);
        fs::set_permissions(place.program.path("tools/myao"), may_run).unwrap();
        place
    }

    /// Writes a configuration of the document. Its servers become those of this folder, and so does its port.
    pub(crate) fn configure(&self, name: &str, config: &str) {
        self.program.write(name, self.with_own_servers(config));
    }

    fn with_own_servers(&self, config: &str) -> String {
        let (slack, llm) = (self.slack.api_url(), self.llm.base_url());
        let mut own = String::new();
        for line in config.lines() {
            own += &line.replace(
                "client_args: {",
                &format!("client_args: {{ base_url: '{llm}',"),
            );
            own += "\n";
            if line.starts_with("slack:") {
                own += &format!("  api_url: '{slack}'\n");
            }
        }
        let health = free_address();
        if !config.contains("health_check:") {
            own += &format!("health_check: {{ port: {} }}\n", health.port());
        }
        own
    }

    /// Runs commands up to the first that fails; what they print on either output is in one text.
    pub(crate) fn run(&self, commands: &str) -> Ran {
        let said = "trap 'echo \"line $LINENO fails\"' ERR; exec 2>&1";
        // In one line with the first command, so that lines keep their numbers.
        let script = format!("{said}; {commands}");
        let mut command = self.program.bash(&script, &self.program.path("tools"));
        command
            .env("OPENAI_API_KEY", API_KEY)
            .env("DATABASE_PASSWORD", "secret")
            .env("ANTHROPIC_API_KEY", API_KEY)
            .env("SLACK_BOT_TOKEN", BOT_TOKEN)
            .env("ACME_BOT_TOKEN", "xoxb-acme")
            .env("ACME_APP_TOKEN", "xapp-acme")
            .env("BETA_BOT_TOKEN", "xoxb-beta")
            .env("BETA_APP_TOKEN", "xapp-beta")
            .env("SLACK_APP_TOKEN", APP_TOKEN)
            .env("SLACK_SIGNING_SECRET", SIGNING_SECRET);
        Ran::of(&mut command)
    }

    /// Makes the memories of the demo in a language, as `make demo` does.
    pub(crate) fn run_demo(&self, language: &str) {
        let ran = self.run(&format!(
            "DEMO_LANGUAGE={language} MYAO=tools/myao scripts/demo"
        ));
        assert_eq!(ran.code, Some(0), "{ran:#?}");
    }
}

/// The demo's export as a zip file.
fn zip_export(path: &Path) {
    let mut zip = ZipWriter::new(File::create(path).unwrap());
    let export = demo_export();
    add(&mut zip, Path::new(&export), "");
    zip.finish().unwrap();
}

fn add(zip: &mut ZipWriter<File>, folder: &Path, prefix: &str) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{prefix}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            add(zip, &path, &format!("{name}/"));
        } else {
            zip.start_file(name, SimpleFileOptions::default()).unwrap();
            zip.write_all(&fs::read(path).unwrap()).unwrap();
        }
    }
}
