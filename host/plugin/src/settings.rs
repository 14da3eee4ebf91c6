//! Defaults for the component's settings.

use crate::bindings::settings::{Language, ShortTermHistory, Values};
use crate::bindings::types::{Engine, Persona};

/// The scope id of workspace memories (specification, `README.md`).
pub const WORKSPACE_SCOPE_ID: &str = "default";
/// The text at the start of every prompt.
const SYSTEM_PROMPT: &str = "あなたは「myao」という名前の、チームの会話を覚えておくアシスタントです。\
    事実に忠実に、会話で使われている言語で書いてください。";

/// Memories and replies without a model, with the limits of the specification.
impl Default for Values {
    fn default() -> Self {
        let persona = Persona {
            name: "myao".to_owned(),
            system_prompt: SYSTEM_PROMPT.to_owned(),
        };
        Self {
            persona: persona.clone(),
            engine: Engine::Extractive,
            reply_engine: Engine::Extractive,
            response_persona: persona.clone(),
            judgment_persona: persona,
            // As much as fits in one post.
            reply_max_tokens: 1000,
            // One sentence, with some reserve.
            judgment_max_tokens: 500,
            short_term_window_hours: 24,
            long_term_summary_max_tokens: 500,
            short_term_summary_max_tokens: 300,
            language: Language::AsInput,
            context_margin_tokens: 300,
            extractive_stand_in: false,
            short_term_history: ShortTermHistory {
                enabled: true,
                max_history_count: 5,
                conversation_idle_seconds: 7200,
                message_threshold: 50,
            },
            generation_message_limit: 1000,
            reply_message_limit: 50,
            legacy_workspace_short_term: false,
            workspace_merge_per_channel: false,
            workspace_scope_id: WORKSPACE_SCOPE_ID.to_owned(),
            templates: Vec::new(),
        }
    }
}
