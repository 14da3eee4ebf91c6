//! Recognises "the prompt is too long" in the error texts of each server, and the limit that they name.

/// Parts of the texts, in lower case.
const SIGNS: [&str; 14] = [
    "context_length_exceeded",           // OpenAI, Azure
    "maximum context length",            // OpenAI, vLLM, Mistral, OpenRouter
    "context length is only",            // vLLM
    "maximum prompt length",             // xAI
    "reduce the length of the messages", // Groq
    "prompt is too long",                // Anthropic
    "exceed context limit",              // Anthropic
    "request_too_large",                 // Anthropic, over its bytes
    "maximum number of tokens allowed",  // Gemini
    "exceed_context_size",               // llama.cpp, and Ollama, which passes it on
    "available context size",            // llama.cpp
    "exceeds the context length",        // Ollama
    "exceeds maximum context length",    // Ollama
    "exceeds the context window",        // OpenAI
];

/// The words before the limit.
const BEFORE_LIMIT: [&str; 11] = [
    "maximum context length is",
    "maximum context length of",
    "maximum context length",
    "context length is only",
    "maximum prompt length is",
    "tokens >",
    "maximum number of tokens allowed",
    "available context size",
    "\"n_ctx\":",
    "exceeds the context length of",
    "exceeds the context window of",
];

/// A call that is larger than the tokens of a whole minute: a 429, but no wait helps (OpenAI, Groq).
const LARGER_THAN_RATE: &str = "request too large for";

/// The limit in tokens of an error (its body in lower case) which says that the prompt is too long. The outer `None`:
/// it does not say so; the inner: it names no limit.
#[allow(
    clippy::option_option,
    reason = "whether it is that error, and whether it names a limit"
)]
pub(super) fn limit(status: u16, text: &str) -> Option<Option<u32>> {
    if status == 429 {
        let rest = text.split_once(LARGER_THAN_RATE)?.1;
        return Some(number_after(rest, "limit"));
    }
    if !SIGNS.iter().any(|sign| text.contains(sign)) {
        return None;
    }
    // `190000 + 20000 > 200000`: prompt, answer and limit.
    if let Some((_, rest)) = text.split_once("exceed context limit") {
        return Some(number_after(rest, ">"));
    }
    Some(
        BEFORE_LIMIT
            .iter()
            .find_map(|words| number_after(text, words)),
    )
}

/// The number directly after some words; spaces, brackets, colons and quotes may be between them.
fn number_after(text: &str, words: &str) -> Option<u32> {
    let rest = text.split_once(words)?.1;
    let rest = rest.trim_start_matches([' ', '(', ':', '"', '\\', '=']);
    let digits: String = rest
        .chars()
        .take_while(|character| character.is_ascii_digit() || *character == ',')
        .filter(char::is_ascii_digit)
        .collect();
    digits.parse().ok().filter(|limit| *limit > 0)
}

#[cfg(test)]
mod tests {
    use super::limit;

    #[test]
    fn the_limit_is_read_from_the_words_of_every_server() {
        for (status, text, expected) in [
            (
                400,
                "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens. Please reduce the length of the messages.",
                Some(8192),
            ),
            (
                400,
                "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens",
                Some(131_072),
            ),
            (
                400,
                "This model's maximum context length is 16384 tokens. However, you requested 8192 output tokens and your prompt contains at least 8193 input tokens",
                Some(16_384),
            ),
            (
                400,
                "You passed 5000 input tokens and requested 100 output tokens. However, the model's context length is only 4096 tokens, resulting in",
                Some(4096),
            ),
            (
                400,
                "Input length (265330) exceeds model's maximum context length (262144).",
                Some(262_144),
            ),
            (
                400,
                "This model's maximum prompt length is 131072 but the request contains 537812 tokens",
                Some(131_072),
            ),
            (
                400,
                "prompt is too long: 210000 tokens > 200000 maximum",
                Some(200_000),
            ),
            (
                400,
                "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens`",
                Some(200_000),
            ),
            (
                400,
                "The input token count (1300000) exceeds the maximum number of tokens allowed (1048576).",
                Some(1_048_576),
            ),
            (
                400,
                "The input token count exceeds the maximum number of tokens allowed 1,048,576.",
                Some(1_048_576),
            ),
            (
                400,
                "request (9412 tokens) exceeds the available context size (8192 tokens), try increasing it",
                Some(8192),
            ),
            (
                400,
                r#"{"error":"{\"error\":{\"type\":\"exceed_context_size_error\",\"n_prompt_tokens\":351,\"n_ctx\":256}}"}"#,
                None,
            ),
            (
                400,
                r#"{"error":{"type":"exceed_context_size_error","n_prompt_tokens":351,"n_ctx":256}}"#,
                Some(256),
            ),
            (400, "the input length exceeds the context length", None),
            (
                400,
                "Please reduce the length of the messages or completion.",
                None,
            ),
            (
                413,
                "request_too_large: Request exceeds the maximum size",
                None,
            ),
            (
                429,
                "Request too large for model `m` on tokens per minute (TPM): Limit 12000, Requested 15318",
                Some(12_000),
            ),
        ] {
            assert_eq!(
                limit(status, &text.to_lowercase()),
                Some(expected),
                "{text}"
            );
        }
    }

    #[test]
    fn other_errors_are_not_taken_for_it() {
        for (status, text) in [
            (
                400,
                "max_tokens is too large: 5000. this model supports at most 4096 completion tokens",
            ),
            (
                429,
                "rate limit reached for gpt-4o on tokens per min (tpm): limit 30000, used 29000",
            ),
            (500, "internal server error"),
        ] {
            assert_eq!(limit(status, text), None, "{text}");
        }
    }
}
