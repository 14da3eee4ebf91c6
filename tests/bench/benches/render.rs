//! The renderer of prompts, natively: with the built-in templates, and with one of a user's, which is read anew as each call
//! of the component does.
#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use myao_bench::contexts::{channel_context, for_the_logic};
use myao_memory::bindings::types::{Context, MemoryType, Scope};
use myao_memory::prompt::Renderer;
use myao_memory::settings::Template;

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
        let own = Template {
            name: "_messages.j2".to_owned(),
            source: include_str!("../../../templates/_messages.j2").to_owned(),
        };
        for (templates, of) in [(vec![], ""), (vec![own], ", a user's template")] {
            group.bench_function(format!("{messages} messages{of}"), |b| {
                b.iter(|| render(&Renderer::new(&templates).unwrap(), &context));
            });
        }
    }
}

criterion_group!(benches, prompts);
criterion_main!(benches);
