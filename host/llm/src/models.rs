//! Facts about well-known models.

/// Tokens of prompt and answer together, by the beginning of the model's name: the whole name, or the part before a
/// `-`, `@` or `:`. From the providers' model pages, 2026; `agents.NAME.context_window` overrides it.
const CONTEXT_WINDOWS: [(&str, u32); 20] = [
    ("gpt-5", 400_000),
    ("gpt-5-chat", 128_000),
    ("gpt-4.1", 1_047_576),
    ("gpt-4o", 128_000),
    ("chatgpt-4o", 128_000),
    ("gpt-4-turbo", 128_000),
    ("gpt-4-1106", 128_000),
    ("gpt-4-0125", 128_000),
    ("gpt-4-32k", 32_768),
    ("gpt-4", 8192),
    ("gpt-3.5-turbo", 16_385),
    ("o1", 200_000),
    ("o1-mini", 128_000),
    ("o3", 200_000),
    ("o4-mini", 200_000),
    ("claude", 200_000),
    ("gemini-1.5-pro", 2_097_152),
    ("gemini-1.5-flash", 1_048_576),
    ("gemini-2.0-flash", 1_048_576),
    ("gemini-2.5", 1_048_576),
];

/// The context window of a well-known model; the longest matching name counts. Only the part after the last slash is
/// looked at, as in `openrouter/anthropic/claude-…`.
pub(super) fn known_context_window(model: &str) -> Option<u32> {
    let name = last_part(model);
    CONTEXT_WINDOWS
        .iter()
        .filter(|(known, _)| {
            name.strip_prefix(known)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '@', ':']))
        })
        .max_by_key(|(known, _)| known.len())
        .map(|(_, window)| *window)
}

/// A model's own name: the part after the last slash.
pub(super) fn last_part(model: &str) -> &str {
    model.rsplit('/').next().unwrap_or(model)
}

#[cfg(test)]
mod tests {
    use super::known_context_window;

    #[test]
    fn well_known_models_are_found_by_their_longest_name_and_others_are_not() {
        for (model, window) in [
            ("gpt-4", Some(8192)),
            ("gpt-4-0613", Some(8192)),
            ("gpt-4-32k-0613", Some(32_768)),
            ("gpt-4o-mini", Some(128_000)),
            ("openai/gpt-4o", Some(128_000)),
            ("gpt-4.5-preview", None),
            ("gpt-40", None),
            ("o1-mini", Some(128_000)),
            ("claude-sonnet-4-5", Some(200_000)),
            ("gemini-2.5-flash", Some(1_048_576)),
            ("llama3.2:3b", None),
        ] {
            assert_eq!(known_context_window(model), window, "{model}");
        }
    }
}
