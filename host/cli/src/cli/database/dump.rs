//! A copy of a server's database, by PostgreSQL's own program: it copies one moment while others write.

use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Context as _;
use myao::config::DatabaseUrl;

/// The program, which comes with PostgreSQL.
const PROGRAM: &str = "pg_dump";
/// Where it reads a password, which everybody on the machine could see among its arguments.
const PASSWORD: &str = "PGPASSWORD";

/// A setting of no meaning. PgBouncer refuses a connection with one, and must: `pg_dump` would leave others on its connections.
const OPTIONS: [&str; 2] = ["PGOPTIONS", "-c myao.backup=1"];
/// The message with which PgBouncer refuses it.
const REFUSED: &str = "unsupported startup parameter";

/// The system's certificates, which vouch for the server as they do for every other command.
const SYSTEM_ROOTS: &str = "/etc/ssl/certs/ca-certificates.crt";

/// Writes a database into a file that exists and is empty.
pub(super) fn dump(url: &DatabaseUrl, to: &Path) -> anyhow::Result<()> {
    let (address, password) = url.without_password();
    let mut command = Command::new(PROGRAM);
    command
        .args(["--format=custom", "--no-password", "--file"])
        .arg(to)
        .arg("--dbname")
        .arg(&address)
        .stdin(Stdio::null());
    command.env(OPTIONS[0], OPTIONS[1]);
    // The program's libpq knows the system's certificates by their file only, and checks each server with a file that it has.
    let is_for_them = address.contains("sslmode=verify-full") && !address.contains("sslrootcert=");
    if is_for_them && Path::new(SYSTEM_ROOTS).exists() {
        command.env("PGSSLROOTCERT", SYSTEM_ROOTS);
    }
    if let Some(password) = password {
        command.env(PASSWORD, password);
    }
    let ran = match command.output() {
        Err(error) if error.kind() == ErrorKind::NotFound => anyhow::bail!(
            "the program {PROGRAM} is not here: install PostgreSQL's client programs, or run this where they are: \
             {PROGRAM} --format=custom --file=FILE --dbname='{address}'"
        ),
        ran => ran.with_context(|| format!("{PROGRAM} cannot be started"))?,
    };
    let said = String::from_utf8_lossy(&ran.stderr);
    anyhow::ensure!(
        !said.contains(REFUSED),
        "nothing was copied: {PROGRAM} must reach the server itself, not PgBouncer; name the server's own address in another \
         configuration, and give that with --config ({})",
        said.trim()
    );
    anyhow::ensure!(ran.status.success(), "nothing was copied: {}", said.trim());
    Ok(())
}
