//! Renders the same templates and contexts here and with Python's Jinja2, and compares the bytes. The built-in
//! templates, which are compiled into the component, are also compared with minijinja's rendering.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod contexts;
mod python;

use std::ops::Range;

use contexts::{Random, random_context, random_text};
use myao_memory::bindings::errors::Error;
use myao_memory::bindings::exports::myao::memory::reply_prompt::Occasion;
use myao_memory::bindings::types::{
    Context,
    MemoryType::{self, LongTerm, ShortTerm},
    Scope::{self, Channel, Thread, Workspace},
};
use myao_memory::prompt::Renderer;
use myao_memory::settings::{PromptLanguage, Template};

const COMBINATIONS: [(Scope, MemoryType); 5] = [
    (Thread, ShortTerm),
    (Channel, ShortTerm),
    (Channel, LongTerm),
    (Workspace, ShortTerm),
    (Workspace, LongTerm),
];

/// One prompt to render on both sides.
struct Case {
    /// Names the case in a failure.
    label: String,
    context: Context,
    scope: Scope,
    memory_type: MemoryType,
    existing_memory: Option<String>,
    legacy_workspace_short_term: bool,
    templates: Vec<Template>,
}

/// All combinations of the context that `seed` makes.
fn cases(seed: u64, templates: Vec<Template>) -> impl Iterator<Item = Case> {
    let mut random = Random::new(seed);
    let context = random_context(&mut random);
    COMBINATIONS
        .into_iter()
        .map(move |(scope, memory_type)| Case {
            label: format!("seed {seed}, {scope:?}, {memory_type:?}"),
            context: context.clone(),
            scope,
            memory_type,
            existing_memory: random.chance(2).then(|| random_text(&mut random)),
            legacy_workspace_short_term: scope == Workspace || random.chance(2),
            templates: templates.clone(),
        })
}

fn render_here(case: &Case) -> Result<String, Error> {
    Renderer::new(&case.templates)?.render(
        &case.context,
        case.scope,
        case.memory_type,
        case.existing_memory.as_deref(),
        case.legacy_workspace_short_term,
    )
}

/// The position where two prompts differ, with some characters around it.
fn difference(ours: &str, theirs: &str) -> String {
    let common = ours
        .chars()
        .zip(theirs.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let around = |prompt: &str| {
        prompt
            .chars()
            .skip(common.saturating_sub(40))
            .take(80)
            .collect::<String>()
    };
    format!(
        "they part at character {common}\n  ours:   {:?}\n  theirs: {:?}",
        around(ours),
        around(theirs)
    )
}

fn assert_all_alike(cases: &[Case]) {
    let theirs = python::render(cases);
    assert_eq!(theirs.len(), cases.len());
    let unlike: Vec<String> = cases
        .iter()
        .zip(&theirs)
        .filter_map(|(case, theirs)| match (render_here(case), theirs) {
            (Ok(ours), Ok(theirs)) if ours == *theirs => None,
            (Ok(ours), Ok(theirs)) => {
                Some(format!("{}: {}", case.label, difference(&ours, theirs)))
            }
            (ours, theirs) => Some(format!("{}: {ours:?}, Jinja2: {theirs:?}", case.label)),
        })
        .collect();
    let shown = unlike.len().min(5);
    assert!(
        unlike.is_empty(),
        "{} differ:\n{}",
        unlike.len(),
        unlike[..shown].join("\n")
    );
}

fn replaced(source: &str) -> Vec<Template> {
    vec![Template {
        name: "memory_prompt.j2".to_owned(),
        source: source.to_owned(),
    }]
}

#[test]
fn built_in_templates_render_random_contexts_as_jinja2_does() {
    let cases: Vec<Case> = (0..600).flat_map(|seed| cases(seed, Vec::new())).collect();
    assert_all_alike(&cases);
}

/// Every prompt of a context, by any name.
fn all_prompts(renderer: &Renderer, case: &Case, random: &mut Random) -> Vec<String> {
    let Case { context, scope, .. } = case;
    let messages = &context.conversation_history.top_level_messages;
    let (now, legacy) = (random.timestamp(), case.legacy_workspace_short_term);
    let summaries = [random_text(random), random_text(random)];
    let memory = renderer.render(
        context,
        *scope,
        case.memory_type,
        case.existing_memory.as_deref(),
        legacy,
    );
    let merge = renderer.render_merge(context, *scope, &summaries);
    let occasions = [None, Some(Occasion::Mention), Some(Occasion::Unasked)];
    let replies = occasions.map(|occasion| {
        let answered = messages.first().filter(|_| random.chance(2));
        renderer.render_reply(context, occasion, now, answered, legacy)
    });
    let all = [memory, merge].into_iter().chain(replies);
    all.collect::<Result<_, _>>().unwrap()
}

#[test]
fn built_in_templates_render_alike_whether_compiled_or_read() {
    for (language, seeds) in [
        (PromptLanguage::Japanese, 3000..3300),
        (PromptLanguage::English, 3300..3400),
    ] {
        assert_alike_whether_compiled_or_read(language, seeds);
    }
}

fn assert_alike_whether_compiled_or_read(language: PromptLanguage, seeds: Range<u64>) {
    // A template that is replaced by itself makes minijinja render all of them. Both languages have this one.
    let itself = Template {
        name: "_messages.j2".to_owned(),
        source: include_str!("../../../templates/_messages.j2").to_owned(),
    };
    let read = Renderer::in_language(&[itself], language).unwrap();
    let compiled = Renderer::in_language(&[], language).unwrap();
    for seed in seeds {
        for mut case in cases(seed, Vec::new()) {
            let mut random = Random::new(seed);
            if random.chance(2) {
                list_twice(&mut case.context);
            }
            if random.chance(3) && case.scope != Thread {
                case.context.target_thread_ts = None;
            }
            let ours = all_prompts(&compiled, &case, &mut Random::new(seed));
            let theirs = all_prompts(&read, &case, &mut Random::new(seed));
            for (ours, theirs) in ours.iter().zip(&theirs) {
                assert!(
                    ours == theirs,
                    "{}: {}",
                    case.label,
                    difference(ours, theirs)
                );
            }
        }
    }
}

/// Adds the first channel and the first thread again, with other content.
fn list_twice(context: &mut Context) {
    if let Some(mut again) = context.channel_memories.first().cloned() {
        again.channel_name.push_str(" again");
        context.channel_memories.push(again);
    }
    let threads = &mut context.conversation_history.threads;
    if let Some(mut again) = threads.first().cloned() {
        again.messages.reverse();
        threads.push(again);
    }
}

#[test]
fn the_python_bots_template_renders_random_contexts_as_jinja2_does() {
    let template = replaced(include_str!("../../../tests/jinja/python_bot_prompt.j2"));
    let cases: Vec<Case> = (1000..1200)
        .flat_map(|seed| cases(seed, template.clone()))
        .collect();
    assert_all_alike(&cases);
}

/// Syntax of replaced templates, above all white space around tags.
#[test]
fn the_corners_of_the_syntax_render_as_jinja2_renders_them() {
    let corners = [
        "",
        "\n",
        "\n\n",
        "no newline at the end",
        "a\n  {% if scope %}\n  b\n  {% endif %}\n c\n",
        "a {% if scope %} b {% endif %} c\n",
        "a {% if scope %}\n b\n {% endif %}\n\n c",
        "a\n \t {%- if scope -%} \n b \n {%- endif -%} \n c\n",
        "a\n  {%+ if scope +%}\n  b\n  {%+ endif +%}\n c\n",
        "a\n  {# one #}\n  {#- two -#}\n  {#+ three +#}\n  b {# four #}\n",
        "a\n  {# more\n  lines #}\n  b\n",
        "a\n  {{ scope }}\n  {{- scope -}}\n  b\n",
        "a\n  {% raw %}  {{ scope }} {% if %}\n  {% endraw %}\nb\n",
        "  {% raw -%}  {{ scope }}  {%- endraw %}  b",
        "a\r\n  {% if scope %}\r\n  b\r\n  {% endif %}\r\nc\r{# d #}\re\n",
        "\u{3000}{% if scope %}\u{3000}a{% endif %}\n\u{3000}{# b #}\nc",
        "{% set a = 'x' %}\n{% set b %}\n y {{ a }}\n{% endset %}\n{{ a ~ b }}\n",
        "{% for m in top_level_messages %}\n{{ loop.index }}/{{ loop.length }} {{ loop.first }}\
         {{ m.user.is_bot }} {{ m.thread_ts }}\n{% else %}\nnone\n{% endfor %}\n",
        "{% for id, channel in channel_memories.items() %}{{ id }}={{ channel.channel_id }};{% endfor %}",
        "{% for id in channel_memories %}{{ id }};{% endfor %}{{ channel_memories | length }}",
        "{% for id in thread_messages.keys() %}{{ thread_messages[id] | length }};{% endfor %}",
        "{{ thread_messages.get('none', []) | length }}{{ channel_memories.get('none') }}",
        "{% macro m(x, y='z') %}\n [{{ x }}{{ y }}]\n{% endmacro %}\n{{ m(1) }}{{ m(2, y=3) }}\n",
        "{{ channel_short_term_memory }} {{ target_thread_messages | length }} {{ memory_type }}\n",
        "{{ existing_memory }} {{ workspace_short_term_memory }} {{ target_thread_ts }}\n",
        "{{ existing_memory or 'nothing' }} {{ existing_memory is none }} {{ nope is defined }}\n",
        "{{ nope | default('absent') }} {{ 'a' if scope == 'thread' else 'b' }} {{ 7 // 2 }}\n",
        "{% include '_workspace_overview.j2' %}\nafter\n",
        "{% with a = persona.name %}\n{{ a | length }} {{ a.strip() == a | trim }}\n{% endwith %}\n",
        "{% for m in top_level_messages %}{{ m.timestamp }} {{ m.timestamp | format_timestamp }}\n{% endfor %}",
    ];
    let mut all = Vec::new();
    for corner in corners {
        for seed in 2000..2010 {
            all.extend(cases(seed, replaced(corner)).map(|case| Case {
                label: format!("{corner:?}, {}", case.label),
                ..case
            }));
        }
    }
    assert_all_alike(&all);
}

#[test]
fn undefined_variables_are_errors_on_both_sides() {
    let sources = [
        "{{ nope }}",
        "{{ persona.nope }}",
        "{{ nope.nope }}",
        "{% if nope %}{% endif %}",
        "{% for x in nope %}{% endfor %}",
        "{{ nope | format_timestamp }}",
        "{{ nope.strip() }}",
        "{{ nope() }}",
        "{{ scope | nope }}",
        "{% include 'nope.j2' %}",
        "{{ scope ~ nope }}",
        "{% endif %}",
        "{{ scope ",
    ];
    let cases: Vec<Case> = sources
        .into_iter()
        .flat_map(|source| cases(0, replaced(source)).take(1))
        .collect();
    for (case, theirs) in cases.iter().zip(python::render(&cases)) {
        let (ours, source) = (render_here(case), &case.templates[0].source);
        assert!(
            matches!(ours, Err(Error::Template(_))),
            "{source}: {ours:?}"
        );
        assert!(theirs.is_err(), "{source}: Jinja2 renders {theirs:?}");
    }
}
