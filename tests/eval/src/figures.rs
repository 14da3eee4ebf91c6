//! The figures of a run, as tables in Markdown.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use crate::asked::{Asked, Found};
use crate::judge::Fault;
use crate::program::{Calls, HITS};
use crate::replay::Replayed;

/// How many results are looked at.
const KS: [usize; 5] = [1, 3, 5, 10, HITS];
/// What stands for a figure that was not measured.
const NOT_RUN: &str = "not run";

/// What was found for a question; `None` if it was not looked for.
type Finder = fn(&Asked) -> Option<&Found>;

/// All workspaces of a data set together.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    workspaces: usize,
    messages: usize,
    pub(crate) asked: Vec<Asked>,
    usage: BTreeMap<String, Calls>,
    importing: Duration,
    remembering: Duration,
}

impl Figures {
    pub(crate) fn add(&mut self, replayed: Replayed) {
        self.workspaces += 1;
        self.messages += replayed.messages;
        self.asked.extend(replayed.asked);
        for (layer, calls) in replayed.usage {
            self.usage.entry(layer).or_default().add(calls);
        }
        self.importing += replayed.importing;
        self.remembering += replayed.remembering;
    }

    /// How many questions something was shown for that may not be shown.
    pub(crate) fn leaks(&self) -> usize {
        let leaks = |asked: &&Asked| {
            asked.leaks_in_memories
                || asked.search.as_ref().is_some_and(|search| search.leaks)
                || asked.answer.as_ref().is_some_and(|answer| answer.leaks)
        };
        self.asked.iter().filter(leaks).count()
    }

    /// The tables.
    pub(crate) fn tables(&self) -> String {
        let size = format!(
            "{} messages in {}, {} questions\n",
            self.messages,
            count(self.workspaces, "workspace"),
            self.asked.len()
        );
        [
            size,
            self.evidence(),
            self.answers(),
            self.faults(),
            self.leak_table(),
            self.costs(),
            self.times(),
        ]
        .join("\n")
    }

    fn evidence(&self) -> String {
        let mut text =
            "| found among the best | 1 | 3 | 5 | 10 | 20 |\n|---|---|---|---|---|---|\n"
                .to_owned();
        let finders: [(&str, Finder); 2] = [
            ("myao", |asked| {
                asked.search.as_ref().map(|search| &search.found)
            }),
            ("plain BM25", |asked| Some(&asked.bm25.found)),
        ];
        for (what, is_evidence) in [("evidence", true), ("all that is required", false)] {
            for (who, found) in finders {
                let cells = KS.map(|k| self.recall(k, is_evidence, found)).join(" | ");
                line(&mut text, &format!("| {what}, {who} | {cells} |"));
            }
        }
        text
    }

    /// The share of groups of evidence of which a message is among the `k` best, or of questions for which all that is
    /// required stands there.
    fn recall(&self, k: usize, of_evidence: bool, found: Finder) -> String {
        let (mut hits, mut all) = (0, 0);
        for asked in &self.asked {
            let Some(found) = found(asked) else {
                return NOT_RUN.to_owned();
            };
            let is_among = |place: &Option<usize>| place.is_some_and(|place| place <= k);
            if of_evidence {
                hits += found
                    .evidence
                    .iter()
                    .filter(|place| is_among(place))
                    .count();
                all += asked.evidence;
            } else if asked.required > 0 {
                hits += usize::from(is_among(&found.required));
                all += 1;
            }
        }
        share(hits, all)
    }

    fn answers(&self) -> String {
        let mut text =
            "| right answers | questions | myao | plain BM25 |\n|---|---|---|---|\n".to_owned();
        let judged = || self.asked.iter().filter(|asked| asked.is_judged);
        let mut kinds: Vec<&str> = Vec::new();
        for asked in judged() {
            if !kinds.contains(&asked.kind.as_str()) {
                kinds.push(&asked.kind);
            }
        }
        kinds.sort_unstable();
        for kind in kinds {
            let of_kind: Vec<&Asked> = judged().filter(|asked| asked.kind == kind).collect();
            answer_row(&mut text, kind, &of_kind);
        }
        for (what, expects_answer) in [
            ("**can be answered**", true),
            ("**nothing to find**", false),
        ] {
            let of_sort = judged().filter(|asked| asked.expects_answer == expects_answer);
            answer_row(&mut text, what, &of_sort.collect::<Vec<_>>());
        }
        text
    }

    fn faults(&self) -> String {
        let mut text = "| wrong answers: why | myao | plain BM25 |\n|---|---|---|\n".to_owned();
        let judged = || self.asked.iter().filter(|asked| asked.is_judged);
        for fault in [
            Fault::Incomplete,
            Fault::Outdated,
            Fault::Invented,
            Fault::Forbidden,
            Fault::Leak,
        ] {
            let is_asked = judged().all(|asked| asked.answer.is_some());
            let own = judged().filter(|asked| {
                let answer = asked.answer.as_ref();
                answer.is_some_and(|answer| answer.fault == Some(fault))
            });
            let own = if is_asked {
                own.count().to_string()
            } else {
                NOT_RUN.to_owned()
            };
            let bm25 = judged()
                .filter(|asked| asked.bm25.fault == Some(fault))
                .count();
            line(
                &mut text,
                &format!("| {} | {own} | {bm25} |", fault.words()),
            );
        }
        text
    }

    fn leak_table(&self) -> String {
        let mut text = "| leaks in | questions |\n|---|---|\n".to_owned();
        let places: [(&str, fn(&Asked) -> Option<bool>); 3] = [
            ("memories that the place may see", |asked| {
                Some(asked.leaks_in_memories)
            }),
            ("results of the search", |asked| {
                asked.search.as_ref().map(|search| search.leaks)
            }),
            ("answers", |asked| {
                asked.answer.as_ref().map(|answer| answer.leaks)
            }),
        ];
        for (place, leaks) in places {
            let found: Option<Vec<bool>> = self.asked.iter().map(leaks).collect();
            let found = found.map(|found| found.into_iter().filter(|leaks| *leaks).count());
            let found = found.map_or_else(|| NOT_RUN.to_owned(), |found| found.to_string());
            line(&mut text, &format!("| {place} | {found} |"));
        }
        text
    }

    fn costs(&self) -> String {
        let mut text = "| memories and cost | |\n|---|---|\n".to_owned();
        let held = self.asked.iter().map(|asked| asked.remembered).sum();
        let all = self.asked.iter().map(|asked| asked.required).sum();
        let held = share(held, all);
        line(
            &mut text,
            &format!("| required, held by the newest memories | {held} |"),
        );
        let sizes = self.asked.iter().map(|asked| number(asked.memory_size));
        let size = percentile(sizes.collect(), 50);
        line(
            &mut text,
            &format!("| characters of these memories, median | {size:.0} |"),
        );
        let prompts = self
            .asked
            .iter()
            .filter_map(|asked| asked.answer.as_ref()?.prompt_tokens);
        let prompts: Vec<f64> = prompts
            .map(|tokens| number(usize::try_from(tokens).unwrap_or(usize::MAX)))
            .collect();
        let tokens = match prompts.is_empty() {
            true => "no model was asked".to_owned(),
            false => {
                let (half, most) = (percentile(prompts.clone(), 50), percentile(prompts, 100));
                format!("{half:.0}, at most {most:.0}")
            }
        };
        line(
            &mut text,
            &format!("| prompt tokens of a question, median | {tokens} |"),
        );
        for (layer, calls) in &self.usage {
            let of = |n: u64| n * 1000 / u64::try_from(self.messages).unwrap_or(u64::MAX).max(1);
            let (asked, input, output) = (of(calls.calls), of(calls.input()), of(calls.output()));
            let sums = format!("{asked} calls, {input} tokens in, {output} out");
            line(
                &mut text,
                &format!("| {layer}, per 1,000 messages | {sums} |"),
            );
        }
        text
    }

    fn times(&self) -> String {
        let mut text = "| time | |\n|---|---|\n".to_owned();
        let search = self
            .asked
            .iter()
            .map(|asked| asked.search.as_ref().map(|search| search.seconds));
        let answer = self
            .asked
            .iter()
            .map(|asked| asked.answer.as_ref().map(|answer| answer.seconds));
        for (what, time) in [("imports", self.importing), ("memories", self.remembering)] {
            let seconds = time.as_secs_f64();
            line(&mut text, &format!("| all {what} | {seconds:.1} s |"));
        }
        for (command, seconds) in [
            ("search", search.collect::<Option<Vec<f64>>>()),
            ("answer", answer.collect()),
        ] {
            let cell = seconds.map_or_else(
                || NOT_RUN.to_owned(),
                |all| {
                    let (half, most) = (percentile(all.clone(), 50), percentile(all, 95));
                    format!(
                        "{:.0} ms, 95 % within {:.0} ms",
                        half * 1000.0,
                        most * 1000.0
                    )
                },
            );
            line(
                &mut text,
                &format!("| {command}, median of a process each | {cell} |"),
            );
        }
        text
    }
}

fn answer_row(text: &mut String, what: &str, asked: &[&Asked]) {
    let own: Option<Vec<bool>> = asked
        .iter()
        .map(|asked| asked.answer.as_ref().map(|answer| answer.fault.is_none()))
        .collect();
    let own = own.map(|right| share(right.iter().filter(|right| **right).count(), asked.len()));
    let own = own.unwrap_or_else(|| NOT_RUN.to_owned());
    let bm25 = asked
        .iter()
        .filter(|asked| asked.bm25.fault.is_none())
        .count();
    let bm25 = share(bm25, asked.len());
    line(
        text,
        &format!("| {what} | {} | {own} | {bm25} |", asked.len()),
    );
}

fn line(text: &mut String, line: &str) {
    // Writing into a string cannot fail.
    let _ = writeln!(text, "{line}");
}

fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

fn share(part: usize, all: usize) -> String {
    match all {
        0 => "–".to_owned(),
        all => format!("{:.0} % ({part}/{all})", 100.0 * number(part) / number(all)),
    }
}

/// The value that so many percent of all values do not exceed.
fn percentile(mut values: Vec<f64>, percent: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = (values.len() * percent).div_ceil(100).saturating_sub(1);
    values.get(place).copied().unwrap_or_default()
}

fn number(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}
