//! Every answer of `tests/fixtures/answers` gets its verdict. The README beside them describes the format.

use std::collections::{BTreeMap, BTreeSet};

use myao_memory::answer::{Accepted, AnswerKind, Complaint, Expectation, feedback, judge};
use myao_memory::bindings::errors::BadAnswer;
use myao_memory::text::language::{Language, languages_of};

use crate::scenes::{self, Scene};

const FILES: &[(&str, &str)] = &[
    ("good.txt", include_str!("../fixtures/answers/good.txt")),
    (
        "wrapping.txt",
        include_str!("../fixtures/answers/wrapping.txt"),
    ),
    ("empty.txt", include_str!("../fixtures/answers/empty.txt")),
    (
        "refusals.txt",
        include_str!("../fixtures/answers/refusals.txt"),
    ),
    (
        "questions.txt",
        include_str!("../fixtures/answers/questions.txt"),
    ),
    (
        "repetition.txt",
        include_str!("../fixtures/answers/repetition.txt"),
    ),
    (
        "languages.txt",
        include_str!("../fixtures/answers/languages.txt"),
    ),
    ("length.txt", include_str!("../fixtures/answers/length.txt")),
    ("cut.txt", include_str!("../fixtures/answers/cut.txt")),
];

/// One answer with its verdict.
struct Case<'a> {
    name: String,
    settings: BTreeMap<&'a str, &'a str>,
    answer: String,
    kept: Option<&'a str>,
}

fn cases<'a>(file: &str, text: &'a str) -> Vec<Case<'a>> {
    let cases = text.split("== ").filter(|case| !case.is_empty());
    cases.map(|case| read(file, case)).collect()
}

fn read<'a>(file: &str, case: &'a str) -> Case<'a> {
    let (name, rest) = case.split_once('\n').expect("lines below the name");
    let (settings, answer) = rest
        .split_once("--- answer\n")
        .unwrap_or_else(|| panic!("{file}, {name}: no answer"));
    let (answer, kept) = match answer.split_once("--- kept\n") {
        Some((answer, kept)) => (answer, Some(kept.trim_end())),
        None => (answer, None),
    };
    Case {
        name: format!("{file}, {name}"),
        settings: settings
            .lines()
            .filter_map(|line| line.split_once(": "))
            .collect(),
        // The blank line before the next case belongs to the file; an answer that was cut off has no line break at its
        // end.
        answer: answer.trim_end_matches('\n').to_owned(),
        kept,
    }
}

fn language(code: &str) -> Language {
    match code {
        "ja" => Language::Japanese,
        "en" => Language::English,
        "zh" => Language::Chinese,
        "ko" => Language::Korean,
        "ru" => Language::Russian,
        other => panic!("no language {other}"),
    }
}

/// About as a model's tokenizer counts: four ASCII characters, or one other, are a token.
fn count_tokens(texts: &[String]) -> Vec<u32> {
    let count = |text: &String| {
        let ascii = text.chars().filter(char::is_ascii).count();
        u32::try_from(ascii.div_ceil(4) + text.chars().count() - ascii).expect("a short text")
    };
    texts.iter().map(count).collect()
}

impl Case<'_> {
    fn is_cut(&self) -> bool {
        self.settings.contains_key("cut")
    }

    /// The answer, with the scene's lines in it.
    fn answer(&self, scene: &Scene) -> String {
        let instruction = scene.prompt.rsplit_once("---\n").expect("a rule").1;
        let headings: Vec<&str> = scene
            .prompt
            .lines()
            .filter(|line| line.starts_with('#'))
            .collect();
        self.answer
            .replace("{instruction}", instruction.trim_end())
            .replace("{prompt}", &scene.prompt)
            .replace("{headings}", &headings.join("\n"))
            .replace("{messages}", &scene.texts.join("\n"))
            .replace("{new}", &scene.texts.join("\n"))
            .replace("{existing}", scene.existing.as_deref().unwrap_or_default())
    }

    fn judge(&self, scene: &Scene) -> Result<Accepted, BadAnswer> {
        let sources = scene
            .texts
            .iter()
            .chain(&scene.existing)
            .map(String::as_str);
        let languages = match self.settings.get("languages") {
            Some(&"any") => Vec::new(),
            Some(codes) => codes.split(' ').map(language).collect(),
            None => languages_of(sources),
        };
        let default = if scene.is_conversation { 300 } else { 500 };
        let max_tokens = self
            .settings
            .get("max")
            .map_or(default, |max| max.parse().expect("a number"));
        scene.with_sources(|sources| {
            let expectation = Expectation {
                prompt: &scene.prompt,
                sources,
                languages: &languages,
                max_tokens,
                cut_off: self.is_cut(),
                counted: None,
            };
            judge(&self.answer(scene), &expectation, &count_tokens)
        })
    }

    /// What is wrong with a verdict.
    fn complaint(&self, scene: &Scene) -> Option<String> {
        let judged = self.judge(scene);
        let verdict = self.settings["verdict"];
        let kept = self
            .kept
            .map_or_else(|| self.answer(scene).trim().to_owned(), str::to_owned);
        let as_expected = match (&judged, verdict) {
            (Ok(accepted), "accepted") => {
                *accepted
                    == Accepted {
                        text: kept,
                        truncated: self.is_cut(),
                        unfounded: 0,
                        doubtful: 0,
                        reports: Vec::new(),
                    }
            }
            (Err(BadAnswer::Empty), "empty")
            | (Err(BadAnswer::Refusal), "refusal")
            | (Err(BadAnswer::Question), "question")
            | (Err(BadAnswer::PromptRepeated), "prompt-repeated")
            | (Err(BadAnswer::TooLong(_)), "too-long")
            | (Err(BadAnswer::Shrunk(_)), "shrunk") => true,
            (Err(BadAnswer::WrongLanguage(languages)), verdict) => {
                let codes = verdict
                    .strip_prefix("wrong-language ")
                    .and_then(|codes| codes.split_once('>'));
                codes.is_some_and(|(wanted, got)| {
                    (language(wanted).to_string(), language(got).to_string())
                        == (languages.expected.clone(), languages.found.clone())
                })
            }
            _ => false,
        };
        (!as_expected).then(|| format!("{}: wanted {verdict}, got {judged:?}", self.name))
    }
}

fn with_all(mut act: impl FnMut(&Case<'_>, &Scene)) {
    let scenes = scenes::all();
    for (file, text) in FILES {
        for case in cases(file, text) {
            let name = case.settings["scene"];
            act(
                &case,
                scenes
                    .get(name)
                    .unwrap_or_else(|| panic!("{}: no scene {name}", case.name)),
            );
        }
    }
}

#[test]
fn every_answer_of_the_corpus_gets_its_verdict() {
    let mut complaints = Vec::new();
    let mut count = 0;
    with_all(|case, scene| {
        count += 1;
        complaints.extend(case.complaint(scene));
    });
    assert!(count >= 100, "{count} answers");
    assert!(
        complaints.is_empty(),
        "{} of {count}:\n{}",
        complaints.len(),
        complaints.join("\n")
    );
}

#[test]
fn every_verdict_is_in_the_corpus_in_both_languages() {
    let mut seen = BTreeSet::new();
    with_all(|case, _| {
        let language = case.settings["scene"]
            .split('-')
            .next()
            .expect("a language")
            .to_owned();
        let verdict = case.settings["verdict"]
            .split(' ')
            .next()
            .expect("a verdict");
        seen.insert((verdict.to_owned(), language));
    });
    let verdicts = [
        "accepted",
        "empty",
        "refusal",
        "question",
        "prompt-repeated",
        "wrong-language",
        "shrunk",
    ];
    for verdict in verdicts {
        for language in ["ja", "en"] {
            assert!(
                seen.contains(&(verdict.to_owned(), language.to_owned())),
                "{verdict} {language}"
            );
        }
    }
}

#[test]
fn accepted_text_is_accepted_again_unchanged() {
    with_all(|case, scene| {
        let Ok(accepted) = case.judge(scene) else {
            return;
        };
        let again = Case {
            name: case.name.clone(),
            settings: case
                .settings
                .iter()
                .filter(|(key, _)| **key != "cut")
                .map(|(k, v)| (*k, *v))
                .collect(),
            answer: accepted.text.clone(),
            kept: None,
        };
        let expected = Accepted {
            text: accepted.text,
            truncated: false,
            unfounded: 0,
            doubtful: 0,
            reports: Vec::new(),
        };
        assert_eq!(again.judge(scene), Ok(expected), "{}", case.name);
    });
}

#[test]
fn model_that_repeats_the_feedback_is_refused() {
    let scenes = scenes::all();
    let scene = &scenes["ja-channel"];
    for bad in [
        BadAnswer::Empty,
        BadAnswer::Refusal,
        BadAnswer::Question,
        BadAnswer::PromptRepeated,
    ] {
        let told = feedback(&Complaint::Bad(bad), AnswerKind::Memory, Language::Japanese);
        let prompt = format!("{}\n{told}", scene.prompt);
        let judged = scene.with_sources(|sources| {
            let expectation = Expectation {
                prompt: &prompt,
                sources,
                languages: &[],
                max_tokens: 300,
                cut_off: false,
                counted: None,
            };
            judge(
                &format!("{told}\n- 公開日は3月22日"),
                &expectation,
                &count_tokens,
            )
        });
        assert_eq!(judged, Err(BadAnswer::PromptRepeated), "{told}");
    }
}
