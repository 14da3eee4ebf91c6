//! Control tokens of models: texts by which a runtime marks where a turn begins and ends, and whose it is. A runtime
//! that also accepts them in a message would let its author speak as the system.
//!
//! They are shown with a backslash after the first character, as in `<\|im_start|>`.

/// Tokens of Gemma, Llama, Mistral, Qwen, DeepSeek, ChatGLM, InternLM and Seed, as they are written, except `<|…|>`,
/// which [`opens_token`] recognises by its marks.
const TOKENS: &[&str] = &[
    "<start_of_turn>",
    "<end_of_turn>",
    "<start_of_image>",
    "<end_of_image>",
    "<start_of_audio>",
    "<end_of_audio>",
    "<image_soft_token>",
    "<audio_soft_token>",
    "<start_function_declaration>",
    "<end_function_declaration>",
    "<start_function_call>",
    "<end_function_call>",
    "<start_function_response>",
    "<end_function_response>",
    "<bos>",
    "<eos>",
    "<eot>",
    "<eod>",
    "<eoh>",
    "<eoa>",
    "<sop>",
    "<eop>",
    "<pad>",
    "<unk>",
    "<mask>",
    "<s>",
    "</s>",
    "<<SYS>>",
    "<</SYS>>",
    "<seed:bos>",
    "<seed:eos>",
    "<fim_prefix>",
    "<fim_middle>",
    "<fim_suffix>",
    "<think>",
    "</think>",
    "<tool_call>",
    "</tool_call>",
    "<tool_response>",
    "</tool_response>",
    "[INST]",
    "[/INST]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_CALLS]",
    "[TOOL_CONTENT]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[ARGS]",
    "[CALL_ID]",
    "[IMG]",
    "[IMG_BREAK]",
    "[IMG_END]",
    "[PREFIX]",
    "[MIDDLE]",
    "[SUFFIX]",
    "[AUDIO]",
    "[BEGIN_AUDIO]",
    "[MODEL_SETTINGS]",
    "[/MODEL_SETTINGS]",
    "[THINK]",
    "[/THINK]",
    "[gMASK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
];
/// Reserved tokens: each of these is followed by a number and `>`.
const NUMBERED: &[&str] = &["<unused", "<reserved_", "<extra_id_", "<SPECIAL_"];
/// The longest name of a token.
const MAX_NAME: usize = 32;

/// Appends a line, with a backslash in openings of tokens.
pub(super) fn push_without_tokens(shown: &mut String, line: &str) {
    push_with_openers(shown, line, |shown, opener, tail| {
        shown.push(opener);
        shown.push('\\');
        tail
    });
}

/// Appends a quoted name, with openings of tokens escaped: a backslash alone could form an escape with the next
/// character.
pub(super) fn push_name_without_tokens(shown: &mut String, name: &str) {
    push_with_openers(shown, name, |shown, opener, tail| {
        shown.extend(opener.escape_unicode());
        tail
    });
}

/// Appends a line, without the backslash in openings of tokens.
pub(super) fn push_with_tokens(mut text: String, line: &str) -> String {
    push_with_openers(&mut text, line, |text, opener, tail| {
        text.push(opener);
        tail.strip_prefix('\\').unwrap_or(tail)
    });
    text
}

/// Appends a line. `push` gets each opening of a token and the rest of the line, and returns what is left.
fn push_with_openers<'l>(
    out: &mut String,
    line: &'l str,
    push: impl Fn(&mut String, char, &'l str) -> &'l str,
) {
    let mut rest = line;
    while let Some(at) = rest.find(['<', '[', '＜', '［']) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let mut chars = from.chars();
        let opener = chars.next().unwrap_or_default();
        rest = chars.as_str();
        out.push_str(before);
        if opens_token(opener, rest) {
            rest = push(out, opener, rest);
        } else {
            out.push(opener);
        }
    }
    out.push_str(rest);
}

/// Whether a character and the text after it, ignoring backslashes between them, are a control token: one of
/// [`TOKENS`], `<|name`, `<name|>`, or `[|name|]`. Full-width marks count as plain ones.
pub(super) fn opens_token(c: char, rest: &str) -> bool {
    let opener = plain(c);
    if !matches!(opener, '<' | '[') {
        return false;
    }
    let rest = rest.trim_start_matches('\\');
    let follows = || rest.chars().map(plain);
    let is_token = |token: &&&str| {
        let mut token = token.chars();
        token.next() == Some(opener) && starts_with(follows(), token)
    };
    if TOKENS.iter().any(|token| is_token(&token)) {
        return true;
    }
    if let Some(prefix) = NUMBERED.iter().find(is_token) {
        let number = follows().skip(prefix.len() - 1).take(MAX_NAME);
        let mut number = number.skip_while(char::is_ascii_digit);
        return number.next() == Some('>');
    }
    let mut name = follows();
    let is_barred = name.next() == Some('|');
    let is_name = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if opener == '<' {
        // `a <| b` is an operator in some languages.
        let opens = is_barred && name.next().is_some_and(|c| !c.is_whitespace());
        let mut behind = follows().take(MAX_NAME).skip_while(is_name);
        opens || !is_barred && behind.next() == Some('|') && behind.next() == Some('>')
    } else {
        let mut behind = name.take(MAX_NAME).skip_while(is_name);
        is_barred && behind.next() == Some('|') && behind.next() == Some(']')
    }
}

fn starts_with(
    mut text: impl Iterator<Item = char>,
    mut beginning: impl Iterator<Item = char>,
) -> bool {
    beginning.all(|c| text.next() == Some(c))
}

/// The plain form of a full-width character.
fn plain(c: char) -> char {
    crate::text::fold_char(c)
}
