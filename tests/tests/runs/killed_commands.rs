//! `myao import`, `generate` and `backfill` are killed (-9) again and again, and run to their end afterwards: the end is that of
//! an undisturbed run, and no answer of the model that was stored is paid twice. `myao run` is killed in
//! `tests/bot_faults/kills.rs`. `MYAO_TEST_KILLS=500` makes 500 kills of all four together.

use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use myao_tests::conversation::Random;
use myao_tests::disk::{Disk, Trouble, assert_sound};
use myao_tests::export::{Post, post, program_with, time};
use myao_tests::kills::{kills, paid_answers, paid_twice};
use myao_tests::llm_server::{LlmServer, answer};
use myao_tests::program::{Program, demo_export};
use myao_tests::telling;

/// How often one database is killed over.
const KILLS_EACH: u32 = 5;

/// When a process is killed.
#[derive(Debug)]
enum Moment {
    /// Before a call on the files of the database.
    DiskCall(usize),
    /// When the model has the prompt of its nth call.
    ModelCall(u32),
    /// After so many calls on the files, while it works on.
    Outside(usize),
}

/// A model that tells, and that kills who asks it.
struct Model {
    server: LlmServer,
    /// Who is killed, after how many more calls.
    victim: Arc<Mutex<Option<Child>>>,
    calls_left: Arc<AtomicU32>,
}

impl Model {
    fn new() -> Self {
        let victim: Arc<Mutex<Option<Child>>> = Arc::default();
        let calls_left = Arc::new(AtomicU32::new(u32::MAX));
        let (to_kill, left) = (victim.clone(), calls_left.clone());
        let server = LlmServer::start(move |call| {
            if left.fetch_sub(1, Ordering::SeqCst) == 1
                && let Some(child) = &mut *to_kill.lock().unwrap()
            {
                child.kill().unwrap();
            }
            answer(&telling::answer(call.prompt()))
        });
        Self {
            server,
            victim,
            calls_left,
        }
    }
}

/// What a command does when nobody kills it.
struct Undisturbed {
    disk_calls: usize,
    paid: usize,
    state: String,
}

/// A command that is killed.
struct Command {
    arguments: Vec<String>,
    before: Option<Program>,
    state: fn(&Program) -> String,
}

impl Command {
    fn program(&self, model: &Model) -> Program {
        let program = Program::with_config(&model.server.config());
        if let Some(before) = &self.before {
            std::fs::copy(before.path("myao.db"), program.path("myao.db")).unwrap();
        }
        program
    }

    fn undisturbed(&self) -> Undisturbed {
        let model = Model::new();
        let mut program = self.program(&model);
        let disk = Disk::default();
        disk.watch(&mut program);
        assert_eq!(self.run(&program), Some(0));
        program.unset_all();
        assert_eq!(paid_answers(&program), model.server.calls().len());
        Undisturbed {
            disk_calls: disk.calls().len(),
            paid: paid_answers(&program),
            state: (self.state)(&program),
        }
    }

    fn spawn(&self, program: &Program) -> Child {
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        let mut command = program.command(&arguments);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    }

    /// The exit code.
    fn run(&self, program: &Program) -> Option<i32> {
        self.spawn(program).wait().unwrap().code()
    }

    /// Whether it was killed: it may have ended before.
    fn killed(&self, program: &mut Program, model: &Model, moment: &Moment) -> bool {
        let disk = Disk::default();
        match moment {
            Moment::DiskCall(at) => {
                disk.strike(program, *at, Trouble::Kill);
                self.run(program).is_none()
            }
            Moment::ModelCall(nth) => {
                model.calls_left.store(*nth, Ordering::SeqCst);
                *model.victim.lock().unwrap() = Some(self.spawn(program));
                loop {
                    std::thread::yield_now();
                    let mut victim = model.victim.lock().unwrap();
                    if let Some(ended) = victim.as_mut().unwrap().try_wait().unwrap() {
                        *victim = None;
                        model.calls_left.store(u32::MAX, Ordering::SeqCst);
                        return ended.code().is_none();
                    }
                }
            }
            Moment::Outside(calls) => {
                disk.watch(program);
                let mut child = self.spawn(program);
                while disk.count() < *calls && child.try_wait().unwrap().is_none() {
                    std::thread::yield_now();
                }
                // It may have ended.
                let _ = child.kill();
                child.wait().unwrap().code().is_none()
            }
        }
    }

    /// One database, killed over up to five times; how often it was.
    fn is_continued(&self, undisturbed: &Undisturbed, seed: u64) -> u32 {
        let model = Model::new();
        let mut program = self.program(&model);
        let mut random = Random(seed);
        let mut moments = Vec::new();
        let mut kills = 0;
        for _ in 0..KILLS_EACH {
            let moment = moment(&mut random, undisturbed);
            kills += u32::from(self.killed(&mut program, &model, &moment));
            moments.push(moment);
            program.unset_all();
            assert_sound(&program.path("myao.db"), &seed);
        }
        assert_eq!(self.run(&program), Some(0), "{seed}: {moments:?}");
        assert_eq!(
            (self.state)(&program),
            undisturbed.state,
            "{seed}: {moments:?}"
        );
        // Each prompt's answer was stored once; only what was on its way at a kill was asked for again.
        let (paid, asked) = (paid_answers(&program), model.server.calls().len());
        assert_eq!(paid, undisturbed.paid, "{seed}: {moments:?}");
        assert!(asked >= paid, "{seed}: {moments:?}");
        assert_eq!(paid_twice(&program), Vec::<String>::new());
        kills
    }

    fn survives_kills(&self, name: &str, wanted: u32) {
        let undisturbed = self.undisturbed();
        let (seed, killed) = (AtomicUsize::new(1), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while killed.load(Ordering::SeqCst) < wanted {
                        let seed = seed.fetch_add(1, Ordering::SeqCst) as u64;
                        let kills = self.is_continued(&undisturbed, seed);
                        killed.fetch_add(kills, Ordering::SeqCst);
                        assert!(seed < 10 * u64::from(wanted), "it is hardly ever killed");
                    }
                });
            }
        });
        eprintln!(
            "{name}: killed {} times in {} databases",
            killed.into_inner(),
            seed.into_inner() - 1
        );
    }
}

fn moment(random: &mut Random, undisturbed: &Undisturbed) -> Moment {
    let calls = |random: &mut Random| {
        let number = random.below(undisturbed.disk_calls as u64);
        1 + usize::try_from(number).unwrap()
    };
    match random.below(4) {
        0 if undisturbed.paid > 0 => {
            let nth = 1 + random.below(undisturbed.paid as u64);
            Moment::ModelCall(u32::try_from(nth).unwrap())
        }
        1 => Moment::Outside(calls(random)),
        _ => Moment::DiskCall(calls(random)),
    }
}

#[test]
fn an_import_killed_again_and_again_ends_as_an_undisturbed_one() {
    let import = Command {
        arguments: vec!["import".to_owned(), demo_export()],
        before: None,
        state: |program| program.rows().join("\n"),
    };
    import.survives_kills("import", kills(20, 10));
}

fn posts() -> Vec<Post> {
    vec![
        post("alpha", 10, "ann", "We release Harbour on 4 March."),
        post("alpha", 13, "bob", "I will write the notes.").in_thread(10),
        post("beta", 11, "ann", "The crane costs 300 euros."),
        post("beta", 12, "bob", "Too much."),
        post("gamma", 14, "cat", "The budget is 45,000 yen."),
        post("gamma", 400, "cat", "It was raised."),
        post("alpha", 420, "ann", "The notes are written."),
    ]
}

fn making(arguments: &[&str]) -> Command {
    Command {
        arguments: arguments
            .iter()
            .map(|&argument| argument.to_owned())
            .collect(),
        before: Some(program_with("", &posts())),
        state: Program::memories,
    }
}

#[test]
fn a_generation_run_killed_again_and_again_ends_as_an_undisturbed_one() {
    let generate = making(&["generate", "--now", &time(300)]);
    generate.survives_kills("generate", kills(30, 10));
}

#[test]
fn a_backfill_killed_again_and_again_ends_as_an_undisturbed_one() {
    let backfill = making(&["backfill", "--until", &time(700)]);
    backfill.survives_kills("backfill", kills(30, 10));
}
