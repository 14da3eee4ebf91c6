//! Through PgBouncer in transaction mode, where consecutive transactions of one client run on different connections of the server.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use myao_sql::backend::Backend as _;
use myao_sql::params;
use myao_sql::session::Error;
use tempfile::TempDir;

use super::{TestDatabase, options};
use crate::{PostgresOptions, PostgresStore};
use myao_test_postgres::{PASSWORD, SUPERUSER, free_port};

/// A running PgBouncer before the server. It is stopped with its test.
struct Bouncer {
    port: u16,
    process: Child,
    _folder: TempDir,
}

impl Bouncer {
    /// Starts one with fewer connections to the server than any test has clients.
    fn start(server: u16) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (settings, users) = (folder.path().join("ini"), folder.path().join("users"));
        let port = free_port();
        fs::write(&users, format!("\"{SUPERUSER}\" \"{PASSWORD}\"\n")).unwrap();
        let text = format!(
            "[databases]\n* = host=127.0.0.1 port={server}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n\
            unix_socket_dir =\npool_mode = transaction\ndefault_pool_size = 2\nauth_type = plain\nauth_file = {}\n",
            users.display()
        );
        fs::write(&settings, text).unwrap();
        // It refuses to run as root.
        let is_root = fs::metadata(folder.path())
            .map(|data| std::os::unix::fs::MetadataExt::uid(&data) == 0)
            .unwrap();
        let mut command = if is_root {
            let mut command = Command::new("setpriv");
            for path in [folder.path(), &settings, &users] {
                std::os::unix::fs::chown(path, Some(65534), Some(65534)).unwrap();
            }
            command.args([
                "--reuid=65534",
                "--regid=65534",
                "--clear-groups",
                "pgbouncer",
            ]);
            command
        } else {
            Command::new("pgbouncer")
        };
        let process = command
            .arg(&settings)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("this test needs PgBouncer: install it with `apt-get install pgbouncer`");
        let begun = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begun.elapsed().as_secs() < 30, "PgBouncer does not start");
            sleep(Duration::from_millis(20));
        }
        Self {
            port,
            process,
            _folder: folder,
        }
    }

    fn options(&self, test: &TestDatabase) -> PostgresOptions {
        let url = test.server.url(&test.name);
        let server = format!(":{}/", test.server.port());
        options(&url.replace(&server, &format!(":{}/", self.port)))
    }
}

impl Drop for Bouncer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
#[ignore = "needs the program `pgbouncer`"]
fn transactions_hop_between_connections() {
    let test = TestDatabase::empty();
    let bouncer = Bouncer::start(test.server.port());
    let store = PostgresStore::open(&bouncer.options(&test)).unwrap();
    store.workspace("W1", chrono_tz::UTC, "default").unwrap();
    let database = crate::database::Database::new(&bouncer.options(&test)).unwrap();
    test.run("CREATE TABLE t (n BIGINT, who BIGINT)");
    std::thread::scope(|threads| {
        for thread in 0_i64..8 {
            let database = &database;
            threads.spawn(move || {
                for number in 0_i64..25 {
                    let insert = "INSERT INTO t (n, who) VALUES (?1, ?2)";
                    database
                        .write(thread % 3, &mut |connection| {
                            connection.execute(insert, params![number, thread])?;
                            Ok(())
                        })
                        .unwrap();
                    let mut sum = 0;
                    let mine = "SELECT n FROM t WHERE who = ?1";
                    database
                        .read(&mut |connection| {
                            connection.each(mine, [thread], |row| -> Result<(), Error> {
                                let same = "SELECT CAST(?1 AS BIGINT)";
                                let n: i64 = row.get(0)?;
                                sum += connection.query_row(same, [n], |row| row.get::<i64>(0))?;
                                Ok(())
                            })?;
                            Ok(())
                        })
                        .unwrap();
                    assert_eq!(sum, number * (number + 1) / 2);
                }
            });
        }
    });
    assert_eq!(test.run("SELECT count(*) FROM t"), "200");
    assert!(database.discard_erased().unwrap().is_some());
}
