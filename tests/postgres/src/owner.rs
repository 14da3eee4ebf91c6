//! Who the server runs as.

use std::io::Write as _;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Stops and starts the server as standard input says, and stops it when that ends.
const WATCH: &str = "folder=$1; shift
start() { \"$@\" >>\"$folder/log\" 2>&1 & server=$!; }
stop() { kill -QUIT $server; wait $server; }
start \"$@\"
while read -r word; do
  case $word in
    stop) stop ;;
    start) start \"$@\" ;;
  esac
done
stop
rm -rf \"$folder\"";

/// Who the server runs as: it refuses to run as root.
pub(crate) enum Owner {
    Myself,
    Other { uid: u32, gid: u32 },
}

impl Owner {
    pub(crate) fn of_the_server() -> Self {
        let number = |args: &[&str]| {
            let said = Command::new("id").args(args).output().unwrap().stdout;
            String::from_utf8_lossy(&said).trim().parse::<u32>().ok()
        };
        if number(&["-u"]) != Some(0) {
            return Self::Myself;
        }
        for user in ["postgres", "nobody"] {
            if let (Some(uid), Some(gid)) = (number(&["-u", user]), number(&["-g", user])) {
                return Self::Other { uid, gid };
            }
        }
        panic!("PostgreSQL refuses to run as root: add a user `postgres`");
    }

    /// A new folder of this user. It stays.
    pub(crate) fn folder(&self) -> PathBuf {
        let folder = tempfile::Builder::new().prefix("myao-postgres-").tempdir();
        let folder = folder.unwrap().keep();
        self.give(&folder);
        folder
    }

    pub(crate) fn give(&self, path: &Path) {
        if let Self::Other { uid, gid } = *self {
            chown(path, Some(uid), Some(gid)).unwrap();
        }
    }

    /// The words before a command that make it run as this user.
    pub(crate) fn prefix(&self) -> Vec<String> {
        match *self {
            Self::Myself => Vec::new(),
            Self::Other { uid, gid } => vec![
                "setpriv".to_owned(),
                format!("--reuid={uid}"),
                format!("--regid={gid}"),
                "--clear-groups".to_owned(),
            ],
        }
    }

    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut words = self.prefix().into_iter();
        let mut command = match words.next() {
            None => Command::new(program),
            Some(first) => {
                let mut command = Command::new(first);
                command.args(words).arg(program);
                command
            }
        };
        command.current_dir("/");
        command
    }

    pub(crate) fn watch(
        &self,
        folder: &Path,
        program: &Path,
        data: &Path,
        settings: &[String],
    ) -> Child {
        let mut command = Command::new("sh");
        command.args(["-c", WATCH, "sh"]).arg(folder);
        command.args(self.prefix()).arg(program).arg("-D").arg(data);
        for setting in settings {
            command.args(["-c", setting]);
        }
        // Keys that stop the tests do not stop the shell, which cleans up after them.
        command
            .process_group(0)
            .current_dir("/")
            .stdin(Stdio::piped());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        child.stdin.as_mut().unwrap().flush().unwrap();
        child
    }
}
