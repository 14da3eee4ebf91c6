//! The figures of a run.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::asked::{Asked, Found};
use crate::judge::Fault;
use crate::program::{Calls, HITS};
use crate::replay::Replayed;
use crate::table::{NOT_RUN, Table, count, number, percentile, share};

/// How many results are looked at.
const KS: [usize; 5] = [1, 3, 5, 10, HITS];
/// In the order of the table.
const FAULTS: [Fault; 5] = [
    Fault::Incomplete,
    Fault::Outdated,
    Fault::Invented,
    Fault::Forbidden,
    Fault::Leak,
];
/// Where something may be shown that may not be; `None` if nothing was asked there.
const SHOWN: [(&str, Measured<bool>); 4] = [
    ("memories that the place may see", |asked| {
        Some(asked.leaks_in_memories)
    }),
    ("results of the search", |asked| {
        Some(asked.search.as_ref()?.leaks)
    }),
    ("prompts of answers", |asked| {
        Some(asked.answer.as_ref()?.prompt.as_ref()?.leaks)
    }),
    ("answers", |asked| Some(asked.answer.as_ref()?.leaks)),
];

/// A measurement of a question; `None` if it was not asked.
type Measured<T> = fn(&Asked) -> Option<T>;
/// The hits for a question; `None` if nothing was searched.
type Finder = fn(&Asked) -> Option<&Found>;

/// All workspaces of a data set together.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    workspaces: usize,
    messages: usize,
    pub(crate) asked: Vec<Asked>,
    usage: BTreeMap<String, Calls>,
    failed: usize,
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
        self.failed += replayed.failed;
        self.importing += replayed.importing;
        self.remembering += replayed.remembering;
    }

    /// For how many questions something was shown that may not be shown.
    pub(crate) fn leaks(&self) -> usize {
        let leaks = |asked: &&Asked| SHOWN.iter().any(|(_, leaks)| leaks(asked) == Some(true));
        self.asked.iter().filter(leaks).count()
    }

    /// The tables.
    pub(crate) fn tables(&self) -> String {
        let workspaces = count(self.workspaces, "workspace");
        let questions = count(self.asked.len(), "question");
        [
            format!("{} messages in {workspaces}, {questions}\n", self.messages),
            self.evidence(),
            self.answers(),
            self.faults(),
            self.leak_table(),
            self.costs(),
            self.times(),
        ]
        .join("\n")
    }

    fn judged(&self) -> impl Iterator<Item = &Asked> {
        self.asked.iter().filter(|asked| asked.is_judged)
    }

    fn evidence(&self) -> String {
        let heads = ["found among the best".to_owned()].into_iter();
        let mut table = Table::new(heads.chain(KS.map(|k| k.to_string())));
        let finders: [(&str, Finder); 2] = [
            ("myao", |asked| Some(&asked.search.as_ref()?.found)),
            ("plain BM25", |asked| Some(&asked.bm25.found)),
        ];
        for (what, of_evidence) in [("evidence", true), ("all that is required", false)] {
            for (who, found) in finders {
                let cells = KS.map(|k| self.recall(k, of_evidence, found));
                table.row([format!("{what}, {who}")].into_iter().chain(cells));
            }
        }
        table.text()
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
        let mut table = Table::new(["right answers", "questions", "myao", "plain BM25"]);
        let mut kinds: Vec<&str> = self.judged().map(|asked| asked.kind.as_str()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        for kind in kinds {
            let of_kind: Vec<&Asked> = self.judged().filter(|asked| asked.kind == kind).collect();
            table.row(answer_row(kind, &of_kind));
        }
        for (what, expects) in [
            ("**can be answered**", true),
            ("**nothing to find**", false),
        ] {
            let all = self
                .judged()
                .filter(|asked| asked.expects_answer == expects);
            table.row(answer_row(what, &all.collect::<Vec<_>>()));
        }
        table.text()
    }

    fn faults(&self) -> String {
        let mut table = Table::new(["wrong answers: why", "myao", "plain BM25"]);
        let own: Option<Vec<Option<Fault>>> = self
            .judged()
            .map(|asked| asked.answer.as_ref().map(|answer| answer.fault))
            .collect();
        let bm25: Vec<Option<Fault>> = self.judged().map(|asked| asked.bm25.fault).collect();
        for fault in FAULTS {
            let of = |faults: &Vec<Option<Fault>>| {
                let of_kind = faults.iter().filter(|found| **found == Some(fault));
                of_kind.count().to_string()
            };
            let own = own.as_ref().map_or_else(|| NOT_RUN.to_owned(), of);
            table.row([fault.words().to_owned(), own, of(&bm25)]);
        }
        table.text()
    }

    fn leak_table(&self) -> String {
        let mut table = Table::new(["leaks in", "questions"]);
        for (place, leaks) in SHOWN {
            let found: Vec<bool> = self.asked.iter().filter_map(leaks).collect();
            let leaks = found.iter().filter(|leaks| **leaks).count();
            let cell = match found.is_empty() {
                true => NOT_RUN.to_owned(),
                false => format!("{leaks} of {}", found.len()),
            };
            table.pair(place, cell);
        }
        table.text()
    }

    fn costs(&self) -> String {
        let mut table = Table::new(["memories and cost", ""]);
        let held = self.asked.iter().map(|asked| asked.remembered).sum();
        let all = self.asked.iter().map(|asked| asked.required).sum();
        table.pair("required, held by the newest memories", share(held, all));
        let sizes: Vec<f64> = self
            .asked
            .iter()
            .map(|asked| number(asked.memory_size))
            .collect();
        let size = percentile(&sizes, 50);
        table.pair("characters of these memories, median", format!("{size:.0}"));
        if self.failed > 0 {
            table.pair(
                "**memories that the model failed to make**",
                self.failed.to_string(),
            );
        }
        self.prompts(&mut table);
        let messages = u64::try_from(self.messages).unwrap_or(u64::MAX).max(1);
        for (layer, calls) in &self.usage {
            let [asked, input, output] =
                [calls.calls, calls.input(), calls.output()].map(|n| n * 1000 / messages);
            let sums = format!("{asked} calls, {input} tokens in, {output} out");
            table.pair(&format!("{layer}, per 1,000 messages"), sums);
        }
        table.text()
    }

    /// The content and length of prompts of answers: with a configured model only the length is known.
    fn prompts(&self, table: &mut Table) {
        let answers = || {
            self.asked
                .iter()
                .filter_map(|asked| Some((asked, asked.answer.as_ref()?)))
        };
        let kept =
            || answers().filter_map(|(asked, answer)| Some((asked, answer.prompt.as_ref()?)));
        let held = kept().map(|(_, prompt)| prompt.held).sum();
        let all = kept().map(|(asked, _)| asked.required).sum();
        table.pair("required, held by the prompts of answers", share(held, all));
        let counted = answers().filter_map(|(_, answer)| answer.prompt_tokens);
        let counted: Vec<f64> = counted.map(number).collect();
        let about: Vec<f64> = kept().map(|(_, prompt)| number(prompt.tokens)).collect();
        let (word, tokens) = if counted.is_empty() {
            ("about ", about)
        } else {
            ("", counted)
        };
        let cell = match tokens.is_empty() {
            true => NOT_RUN.to_owned(),
            false => {
                let [half, most] = [50, 100].map(|percent| percentile(&tokens, percent));
                format!("{word}{half:.0}, at most {most:.0}")
            }
        };
        table.pair("tokens of the prompts of an answer, median", cell);
    }

    fn times(&self) -> String {
        let mut table = Table::new(["time", ""]);
        for (what, time) in [("imports", self.importing), ("memories", self.remembering)] {
            table.pair(
                &format!("all {what}"),
                format!("{:.1} s", time.as_secs_f64()),
            );
        }
        let seconds: [(&str, Measured<f64>); 2] = [
            ("search", |asked| Some(asked.search.as_ref()?.seconds)),
            ("answer", |asked| Some(asked.answer.as_ref()?.seconds)),
        ];
        for (command, seconds) in seconds {
            let all: Vec<f64> = self.asked.iter().filter_map(seconds).collect();
            let [half, most] = [50, 95].map(|percent| 1000.0 * percentile(&all, percent));
            let cell = match all.is_empty() {
                true => NOT_RUN.to_owned(),
                false => format!("{half:.0} ms, 95 % within {most:.0} ms"),
            };
            table.pair(&format!("{command}, median of a process each"), cell);
        }
        table.text()
    }
}

fn answer_row(what: &str, asked: &[&Asked]) -> [String; 4] {
    let right = |faults: &Vec<Option<Fault>>| {
        let right = faults.iter().filter(|fault| fault.is_none());
        share(right.count(), faults.len())
    };
    let own: Option<Vec<Option<Fault>>> = asked
        .iter()
        .map(|asked| asked.answer.as_ref().map(|answer| answer.fault))
        .collect();
    let own = own.as_ref().map_or_else(|| NOT_RUN.to_owned(), right);
    let bm25 = asked.iter().map(|asked| asked.bm25.fault).collect();
    [what.to_owned(), asked.len().to_string(), own, right(&bm25)]
}
