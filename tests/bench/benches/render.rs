//! The renderer of prompts, natively: templates compiled anew, as each call of the component does, and not.
#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use myao_bench::contexts::{channel_context, for_the_logic};
use myao_memory::bindings::types::{Context, MemoryType, Scope};
use myao_memory::prompt::Renderer;

fn render(renderer: &Renderer, context: &Context) -> String {
    renderer
        .render(context, Scope::Channel, MemoryType::ShortTerm, None, false)
        .unwrap()
}

fn prompts(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("render");
    for messages in [10, 1000] {
        let context = for_the_logic(channel_context(messages));
        group.throughput(Throughput::Elements(messages as u64));
        group.bench_function(format!("{messages} messages, new templates"), |b| {
            b.iter(|| render(&Renderer::new(&[]).unwrap(), &context));
        });
        let renderer = Renderer::new(&[]).unwrap();
        group.bench_function(format!("{messages} messages"), |b| {
            b.iter(|| render(&renderer, &context));
        });
    }
}

criterion_group!(benches, prompts);
criterion_main!(benches);
