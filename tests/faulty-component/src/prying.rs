//! Looks for what WASI might tell of the machine, or take from it.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::time::{Duration, Instant, SystemTime};

use crate::wasi::cli::stdout::get_stdout;
use crate::wasi::random::random::get_random_bytes;

/// `None` if it is told something else.
pub(crate) fn misbehave(what: &str) -> Option<String> {
    match what {
        "tell time and chance" => Some(time_and_chance()),
        "tell of the machine" => Some(of_the_machine()),
        "sleep" => {
            std::thread::sleep(Duration::from_millis(1));
            Some("slept".to_owned())
        }
        "take much randomness" => Some(get_random_bytes(1 << 30).len().to_string()),
        "hold streams without end" => loop {
            core::mem::forget(get_stdout());
        },
        _ => None,
    }
}

fn time_and_chance() -> String {
    let begun = Instant::now();
    let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let seed = RandomState::new().hash_one("");
    let bytes = get_random_bytes(16);
    // Long enough for every clock that moves.
    for number in 0..1_000_000_u32 {
        core::hint::black_box(number);
    }
    let worked = begun.elapsed();
    format!("{time:?} {worked:?} {seed} {bytes:?}")
}

fn of_the_machine() -> String {
    let environment = std::env::vars_os().count();
    let arguments = std::env::args_os().count();
    let files = ["/", ".", "/etc/passwd", "/proc/self/environ"];
    let files = files.iter().filter(|path| std::fs::metadata(path).is_ok());
    let sockets = [
        TcpListener::bind("127.0.0.1:0").is_ok(),
        TcpStream::connect("127.0.0.1:1").is_ok(),
        UdpSocket::bind("127.0.0.1:0").is_ok(),
    ];
    let sockets = sockets.iter().filter(|is_open| **is_open);
    format!(
        "environment {environment}, arguments {arguments}, files {}, sockets {}",
        files.count(),
        sockets.count()
    )
}
