//! Renders prompts from the templates in `templates/`, which are Jinja2: the specification's, and a set in English.
//!
//! Message texts and memories are values, never parsed as templates, and [`harmless`] keeps them from looking like the
//! prompt's own structure. The wording of prompts is in the templates only; `variables` defines what they can use.
//!
//! The built-in templates are compiled into the component (`built_in`). If a user replaces one of them, minijinja
//! renders the whole prompt, including built-in partials.

mod built_in;
pub mod harmless;
mod program_marks;
mod selection;
mod sets;
#[cfg(test)]
mod tests;
mod time;
mod values;
mod variables;
mod views;

use std::borrow::Cow;
use std::error::Error as _;

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use minijinja_contrib::pycompat::unknown_method_callback;

pub use selection::{
    check_combination, conversation_messages, has_input, is_own, memory_of_type, memory_texts,
    reply_target_messages, target_memories, target_messages, target_thread_messages,
};

use built_in::{english, japanese};
use sets::Set;
pub(crate) use sets::instruction_language;
use variables::{Request, Variables};

use crate::bindings::errors::{Error, OtherReason, TemplateFault};
use crate::bindings::exports::myao::memory::reply_prompt::Occasion;
use crate::bindings::types::{Context, MemoryType, Message, Persona, Scope, Timestamp};
use crate::settings::{ENGLISH_SYSTEM_PROMPT, PromptLanguage, SYSTEM_PROMPT, Settings, Template};

/// The template of a memory's prompt; the others are its partials.
const MEMORY_PROMPT: &str = "memory_prompt.j2";
/// The template of the prompt that merges the summaries of chunks.
const CHUNKS_PROMPT: &str = "chunks_prompt.j2";
/// The template of a reply's prompt.
const REPLY_PROMPT: &str = "reply_prompt.j2";
/// The template of the prompt that asks whether to reply.
const JUDGMENT_PROMPT: &str = "judgment_prompt.j2";

/// Writes the prompt of a built-in template.
type BuiltIn = fn(&Variables<'_>, &mut String) -> Result<(), built_in::NoTime>;

/// Renders prompts. Built once per call of the component.
pub struct Renderer {
    language: PromptLanguage,
    /// minijinja with the users' templates, over each set that may be used; empty if there are no such templates.
    replaced: Vec<(Set, Environment<'static>)>,
}

impl Renderer {
    /// Uses the specification's templates, with `overrides` replacing those of the same name. An undefined variable is an
    /// error, as with Python's `StrictUndefined`.
    ///
    /// # Errors
    /// [`Error::Template`] if an override does not compile, or if no template has its name.
    pub fn new(overrides: &[Template]) -> Result<Self, Error> {
        Self::in_language(overrides, PromptLanguage::Japanese)
    }

    /// The same with the built-in templates in this language.
    ///
    /// # Errors
    /// Those of [`Self::new`].
    pub fn in_language(overrides: &[Template], language: PromptLanguage) -> Result<Self, Error> {
        let mut replaced = Vec::new();
        if !overrides.is_empty() {
            for set in Set::all(language) {
                replaced.push((*set, with_overrides(*set, overrides)?));
            }
        }
        Ok(Self { language, replaced })
    }

    /// The prompt of one memory, even if there is nothing to summarise.
    ///
    /// # Errors
    /// [`Error::UnsupportedCombination`] (see [`check_combination`]), [`Error::MissingTargetThread`] for the thread
    /// scope without a target, and [`Error::Template`] if a template fails.
    pub fn render(
        &self,
        context: &Context,
        scope: Scope,
        memory_type: MemoryType,
        existing_memory: Option<&str>,
        legacy_workspace_short_term: bool,
    ) -> Result<String, Error> {
        check_combination(scope, memory_type, legacy_workspace_short_term)?;
        if scope == Scope::Thread && context.target_thread_ts.is_none() {
            return Err(Error::MissingTargetThread);
        }
        let request = Request::Memory {
            scope,
            memory_type,
            existing: existing_memory,
        };
        self.render_request(&Variables::new(
            context,
            request,
            legacy_workspace_short_term,
        ))
    }

    /// The prompt that merges the summaries of a target's chunks, in order of time.
    ///
    /// # Errors
    /// [`Error::Template`] if the template fails.
    pub fn render_merge(
        &self,
        context: &Context,
        scope: Scope,
        summaries: &[String],
    ) -> Result<String, Error> {
        let request = Request::Merge { scope, summaries };
        self.render_request(&Variables::new(context, request, false))
    }

    /// The prompt of a reply, or without an occasion, of the judgment whether there should be one. `answered` is the
    /// message that is answered.
    ///
    /// # Errors
    /// [`Error::Template`] if a template fails.
    pub fn render_reply(
        &self,
        context: &Context,
        occasion: Option<Occasion>,
        now: Timestamp,
        answered: Option<&Message>,
        legacy_workspace_short_term: bool,
    ) -> Result<String, Error> {
        let request = Request::Reply {
            occasion,
            now,
            answered,
        };
        self.render_request(&Variables::new(
            context,
            request,
            legacy_workspace_short_term,
        ))
    }

    fn render_request(&self, variables: &Variables<'_>) -> Result<String, Error> {
        let (name, japanese, english): (_, BuiltIn, BuiltIn) = match variables.request {
            Request::Memory { .. } => (
                MEMORY_PROMPT,
                japanese::memory_prompt,
                english::memory_prompt,
            ),
            Request::Merge { .. } => (
                CHUNKS_PROMPT,
                japanese::chunks_prompt,
                english::chunks_prompt,
            ),
            Request::Reply {
                occasion: Some(_), ..
            } => (REPLY_PROMPT, japanese::reply_prompt, english::reply_prompt),
            Request::Reply { occasion: None, .. } => (
                JUDGMENT_PROMPT,
                japanese::judgment_prompt,
                english::judgment_prompt,
            ),
        };
        let set = Set::of(self.language, variables.context);
        let mut replaced = self.replaced.iter();
        if let Some((_, environment)) = replaced.find(|(of, _)| *of == set) {
            return render_with(environment, name, variables);
        }
        let built_in = match set {
            Set::Japanese => japanese,
            Set::English => english,
        };
        let mut prompt = String::with_capacity(variables.size());
        match built_in(variables, &mut prompt) {
            Ok(()) => Ok(prompt),
            // minijinja's error names the template and the line.
            Err(built_in::NoTime) => render_with(&environment(set)?, name, variables),
        }
    }
}

/// Who the bot is in prompts from this context; an agent's own system prompt follows that of all.
#[must_use]
pub fn persona_for(settings: &Settings, own: &str, context: &Context) -> Persona {
    let opening = match settings.system_prompt.as_str() {
        "" => match Set::of(settings.prompt_language, context) {
            Set::Japanese => SYSTEM_PROMPT,
            Set::English => ENGLISH_SYSTEM_PROMPT,
        },
        given => given,
    };
    Persona {
        name: settings.bot_name.clone(),
        system_prompt: match own {
            "" => opening.to_owned(),
            own => format!("{opening}\n\n{own}"),
        },
    }
}

/// minijinja with a set of built-in templates, some of which are replaced.
fn with_overrides(set: Set, overrides: &[Template]) -> Result<Environment<'static>, Error> {
    let mut environment = environment(set)?;
    for template in overrides {
        if set.source(&template.name).is_none() {
            return Err(unknown_template(&template.name));
        }
        let source = unix_newlines(&template.source);
        environment
            .add_template_owned(template.name.clone(), source.clone().into_owned())
            .map_err(|error| template_error(&error, |_| Some(source.to_string())))?;
    }
    Ok(environment)
}

fn render_with(
    environment: &Environment<'_>,
    name: &str,
    variables: &Variables<'_>,
) -> Result<String, Error> {
    let source = |name: &str| {
        let template = environment.get_template(name).ok()?;
        Some(template.source().to_owned())
    };
    environment
        .get_template(name)
        .and_then(|template| template.render(values::values(variables)))
        .map_err(|error| template_error(&error, source))
}

/// minijinja, configured to render like Python's Jinja2 with `trim_blocks`, `lstrip_blocks`, `keep_trailing_newline`
/// and `StrictUndefined`. One known difference: Jinja2 keeps a newline right after `{% raw %}`, minijinja trims it.
fn environment(set: Set) -> Result<Environment<'static>, Error> {
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .keep_trailing_newline(true)
        .build()
        .map_err(|error| {
            Error::Other(OtherReason {
                code: "template-syntax".to_owned(),
                text: format!("invalid template syntax: {error}"),
            })
        })?;
    let mut environment = Environment::new();
    environment.set_syntax(syntax);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_unknown_method_callback(unknown_method_callback);
    environment.add_filter("format_timestamp", values::format_timestamp);
    // Loaded on first use: a prompt uses only some of them.
    environment.set_loader(move |name| Ok(set.source(name).map(unix_newlines)));
    Ok(environment)
}

/// Jinja2 reads `\r\n` and `\r` in a template as `\n`; minijinja does not.
fn unix_newlines(source: &str) -> Cow<'_, str> {
    if source.contains('\r') {
        source.replace("\r\n", "\n").replace('\r', "\n").into()
    } else {
        source.into()
    }
}

fn unknown_template(name: &str) -> Error {
    let known = Set::Japanese.templates().iter();
    let known: Vec<&str> = known.map(|(name, _)| *name).collect();
    Error::Template(TemplateFault {
        name: name.to_owned(),
        line: 0,
        detail: format!(
            "unknown template; a template can replace one of {}",
            known.join(", ")
        ),
    })
}

/// Names the template and the line of the original error, and quotes that line.
fn template_error(error: &minijinja::Error, source: impl Fn(&str) -> Option<String>) -> Error {
    // If an include fails, its cause is the failing partial.
    let mut cause = error;
    while let Some(next) = cause
        .source()
        .and_then(|next| next.downcast_ref::<minijinja::Error>())
    {
        cause = next;
    }
    let name = cause.name().unwrap_or(MEMORY_PROMPT);
    let line = cause.line().unwrap_or(0);
    let mut detail = match cause.detail() {
        Some(detail) => format!("{}: {detail}", cause.kind()),
        None => cause.kind().to_string(),
    };
    if let Some(text) = source(name)
        && let Some(text) = line
            .checked_sub(1)
            .and_then(|index| text.lines().nth(index))
    {
        detail.push_str(" at `");
        detail.push_str(text.trim());
        detail.push('`');
    }
    Error::Template(TemplateFault {
        name: name.to_owned(),
        line: u32::try_from(line).unwrap_or(0),
        detail,
    })
}
