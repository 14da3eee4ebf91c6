//! A bot that is killed (-9) again and again while people talk to it ends as if nothing had been. The other commands are killed
//! in `tests/runs/killed_commands.rs`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use myao_tests::conversation::Random;
use myao_tests::disk::{Disk, Trouble, assert_sound};
use myao_tests::kills::{kills, workspace};
use myao_tests::merges::{assert_long_term_tells_of_each_version, assert_merged_once_in_order};
use myao_tests::program::Program;

use super::minute::Minute;

/// How often one database is killed over.
const KILLS_EACH: u32 = 4;
/// About how many calls on the database's files the bot makes before all is over.
const DISK_CALLS: u64 = 400;
/// About how often the model is asked.
const MODEL_CALLS: u64 = 8;

/// A minute in which the bot is killed up to four times; how often it was.
fn is_continued(seed: u64) -> u32 {
    let asked = Arc::new(AtomicUsize::new(0));
    let seen = asked.clone();
    let minute = Minute::new(Arc::new(move |_| {
        seen.fetch_add(1, Ordering::SeqCst);
    }));
    minute.play();
    let mut random = Random(seed);
    let mut program = Program::default();
    let mut kills = 0;
    for _ in 0..KILLS_EACH {
        let by_the_disk = random.below(2) == 0;
        let disk = Disk::default();
        let wanted = if by_the_disk {
            let at = 1 + random.below(DISK_CALLS);
            disk.strike(&mut program, usize::try_from(at).unwrap(), Trouble::Kill);
            usize::MAX
        } else {
            // While the model has a question, and at any point of what the bot does beside it.
            let more = usize::try_from(random.below(MODEL_CALLS)).unwrap();
            asked.load(Ordering::SeqCst) + more
        };
        let mut bot = minute.launch(program);
        bot.until_over("the moment to die", |program| {
            asked.load(Ordering::SeqCst) >= wanted
                || (program.path("myao.db").exists() && minute.is_over(program))
        });
        program = bot.kill();
        kills += 1;
        program.unset_all();
        assert_sound(&program.path("myao.db"), &seed);
        minute.assert_keeps_what_it_acknowledged(&program, &seed);
    }
    let program = minute.run(program);
    // The end of the bot may have cut off a run between a version and its merge.
    program.run(&["generate"]).succeeded();
    minute.assert_whole(&program, &seed);
    let workspace = workspace(&program);
    assert!(assert_merged_once_in_order(&workspace) > 0);
    assert_long_term_tells_of_each_version(&workspace);
    kills
}

#[test]
fn a_bot_killed_again_and_again_ends_as_if_nothing_had_been() {
    let wanted = kills(20, 8);
    let (seed, killed) = (AtomicU32::new(1), AtomicU32::new(0));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while killed.load(Ordering::SeqCst) < wanted {
                    let seed = seed.fetch_add(1, Ordering::SeqCst);
                    killed.fetch_add(is_continued(seed.into()), Ordering::SeqCst);
                }
            });
        }
    });
    println!(
        "run: killed {} times in {} databases",
        killed.into_inner(),
        seed.into_inner() - 1
    );
}
