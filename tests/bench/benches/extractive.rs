//! The engine without a model, natively.
#![allow(missing_docs)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use myao_bench::contexts::{channel_context, for_the_logic};
use myao_memory::bindings::types::Message;
use myao_memory::extractive::{Input, summarize};

/// Four bytes are a token.
fn tokens(texts: &[String]) -> Vec<u32> {
    texts
        .iter()
        .map(|text| u32::try_from(text.len() / 4).unwrap_or(u32::MAX))
        .collect()
}

fn summaries(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("extractive");
    for messages in [60, 1000] {
        let history = for_the_logic(channel_context(messages)).conversation_history;
        let messages: Vec<&Message> = history.top_level_messages.iter().collect();
        group.throughput(Throughput::Elements(messages.len() as u64));
        group.bench_function(format!("{} messages", messages.len()), |b| {
            b.iter(|| summarize(Input::Messages(&messages), 300, &tokens));
        });
    }
}

criterion_group!(benches, summaries);
criterion_main!(benches);
