//! The judgement of a model's answer, natively.
#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{Criterion, criterion_group, criterion_main};
use myao_bench::contexts::{channel_context, for_the_logic};
use myao_memory::answer::{Expectation, Sources, judge};
use myao_memory::bindings::types::{MemoryType, Scope};

use myao_memory::prompt::{Renderer, conversation_messages};
use myao_memory::text::language::languages_of;

const ANSWER: &str = include_str!("../fixtures/answer.txt");

/// Four bytes are a token.
fn tokens(texts: &[String]) -> Vec<u32> {
    texts
        .iter()
        .map(|text| u32::try_from(text.len() / 4).unwrap_or(u32::MAX))
        .collect()
}

fn judgements(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("judge");
    for messages in [60, 1000] {
        let context = for_the_logic(channel_context(messages));
        let prompt = Renderer::new(&[])
            .unwrap()
            .render(&context, Scope::Channel, MemoryType::ShortTerm, None, false)
            .unwrap();
        let texts: Vec<&str> = conversation_messages(&context)
            .map(|message| message.text.as_str())
            .collect();
        let languages = languages_of(texts.iter().copied());
        let expectation = Expectation {
            prompt: &prompt,
            sources: Sources::Messages(&texts),
            languages: &languages,
            max_tokens: 300,
            cut_off: false,
            counted: None,
        };
        assert!(judge(ANSWER, &expectation, &tokens).is_ok());
        group.bench_function(format!("an answer about {messages} messages"), |b| {
            b.iter(|| judge(ANSWER, &expectation, &tokens));
        });
    }
}

criterion_group!(benches, judgements);
criterion_main!(benches);
