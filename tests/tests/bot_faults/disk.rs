//! A disk that fails under the bot at any call on the database's files: the database stays sound, no event that was acknowledged
//! is lost, and every mention is answered once, after a restart at the latest.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use myao_tests::disk::{ALL, Disk, DiskCall, Strike, Trouble, assert_sound, strikes};
use myao_tests::program::Program;

use super::minute::Minute;

fn calls_of_a_minute() -> Vec<DiskCall> {
    let minute = Minute::new(Arc::new(|_| {}));
    let mut program = Program::default();
    let disk = Disk::default();
    disk.watch(&mut program);
    minute.play();
    let program = minute.run(program);
    disk.lose_what_was_not_synced(&program);
    minute.assert_whole(&program, &"power loss when all is over");
    disk.calls()
}

/// Whether it came so far: a bot's calls are not the same in every minute.
fn is_survived(strike: &Strike) -> bool {
    let minute = Minute::new(Arc::new(|_| {}));
    let mut program = Program::default();
    let disk = Disk::default();
    disk.strike(&mut program, strike.call.number, strike.trouble);
    minute.play();
    let mut bot = minute.launch(program);
    if strike.trouble == Trouble::Full {
        // It cannot come to the end; somebody makes room and starts it again.
        bot.until_over("the disk is full", |program| {
            disk.has_struck() || minute.is_over(program)
        });
    } else {
        bot.until_over(&strike.to_string(), |program| {
            if disk.has_struck() {
                // What the disk did not keep was not acknowledged.
                minute.slack.retry_unacknowledged();
            }
            minute.is_over(program)
        });
    }
    let mut program = bot.kill();
    program.unset_all();
    if strike.trouble.is_power_loss() && disk.has_struck() {
        disk.lose_what_was_not_synced(&program);
    }
    assert_sound(&program.path("myao.db"), strike);
    minute.assert_keeps_what_it_acknowledged(&program, strike);
    let program = minute.run(program);
    minute.assert_whole(&program, strike);
    disk.has_struck()
}

#[test]
fn a_bot_survives_a_disk_that_fails_at_any_call() {
    let calls = calls_of_a_minute();
    for kind in ["open", "write", "sync", "truncate", "unlink"] {
        assert!(
            calls.iter().any(|call| call.kind == kind),
            "no {kind} was seen"
        );
    }
    let mut strikes = strikes(&calls, 1);
    if std::env::var_os(ALL).is_none() {
        // What the commands' tests strike at the start of a database is left to them.
        strikes.retain(|strike| strike.call.file == "-wal" && strike.call.kind != "open");
    }
    let (next, struck) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let differing = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while let Some(strike) = strikes.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match std::panic::catch_unwind(|| is_survived(strike)) {
                        Ok(has_struck) => struck.fetch_add(has_struck.into(), Ordering::Relaxed),
                        Err(_) => {
                            differing.lock().unwrap().push(strike.to_string());
                            0
                        }
                    };
                }
            });
        }
    });
    let differing = differing.into_inner().unwrap();
    assert!(differing.is_empty(), "not survived: {differing:#?}");
    let struck = struck.into_inner();
    println!(
        "{} calls on the database's files, {struck} struck",
        calls.len()
    );
    assert!(2 * struck > strikes.len(), "{struck} of {}", strikes.len());
}
