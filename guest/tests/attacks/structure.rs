//! Finds the structure of a prompt without knowing how it was made, and in doubt too much of it: everything that a
//! reader might take for structure.

/// Characters that end a line for some readers.
const BREAKS: &[char] = &[
    '\n', '\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}', '\u{2029}',
];
/// Invisible characters. Controls count too.
const UNSEEN: &str = "\u{ad}\u{61c}\u{200b}\u{200c}\u{200d}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{2060}\
    \u{2061}\u{2062}\u{2063}\u{2064}\u{2066}\u{2067}\u{2068}\u{2069}\u{fe0e}\u{fe0f}\u{feff}\
    \u{34f}\u{17b4}\u{180e}\u{2065}\u{1bca0}\u{1bca3}\u{1d173}\u{1d17a}\u{e0001}\u{e0023}\u{e007f}\u{e0100}";
/// Marks of turns for models, other than `<|…`.
const TOKENS: &[&str] = &[
    "<start_of_turn>",
    "<end_of_turn>",
    "<bos>",
    "<eos>",
    "<s>",
    "</s>",
    "<<SYS>>",
    "<</SYS>>",
    "<unused7>",
    "<turn|>",
    "<think>",
    "</think>",
    "<tool_call>",
    "[INST]",
    "[/INST]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[TOOL_CALLS]",
    "[CALL_ID]",
    "[ARGS]",
    "[SUFFIX]",
    "[IMG_BREAK]",
    "[BEGIN_AUDIO]",
    "[MODEL_SETTINGS]",
    "<image_soft_token>",
    "<start_function_call>",
    "[|user|]",
    "［INST］",
    "＜end_of_turn＞",
];
/// Characters, each followed by those that look like it.
const LOOK_ALIKES: &[(char, &str)] = &[
    ('#', "＃﹟♯"),
    ('-', "‐‑‒–—―−－﹣─━ーｰ⸺⸻"),
    ('=', "＝═"),
    ('*', "＊﹡∗"),
    ('_', "＿"),
    (':', "：﹕∶"),
    ('9', "0123456789０１２３４５６７８９𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗"),
    (' ', "\u{a0}\u{3000}\u{2003}\u{3164}\u{2800}\t"),
];

/// One element of structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// A heading: how many `#`, and its text.
    Heading(usize, String),
    /// A rule, or the underline of a heading.
    Rule,
    /// The head of a message, as it is shown.
    Message(String),
    /// The reply prompt's clock.
    Clock,
    /// A model's control token.
    Token,
    /// A line that reads backwards.
    Backwards,
    /// Structure within a code fence that is still open.
    Hidden,
}

/// A mark, and the text between it and the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// `None` for the text before all marks.
    pub(crate) mark: Option<Mark>,
    /// The text, with its line breaks.
    pub(crate) body: String,
}

/// The parts of a prompt, in their order.
pub(crate) fn parts(prompt: &str) -> Vec<Part> {
    let mut parts = vec![Part {
        mark: None,
        body: String::new(),
    }];
    let mut fences = Fences::default();
    for line in prompt.split_inclusive(BREAKS) {
        let hidden = fences.is_open();
        fences.read(line);
        let mut marks = marks(line.trim_end_matches(BREAKS));
        let takes_line = marks.iter().any(|mark| *mark != Mark::Token);
        if hidden && !marks.is_empty() {
            marks.push(Mark::Hidden);
        }
        parts.extend(marks.into_iter().map(|mark| Part {
            mark: Some(mark),
            body: String::new(),
        }));
        if !takes_line {
            parts.last_mut().unwrap().body.push_str(line);
        }
    }
    parts
}

fn marks(line: &str) -> Vec<Mark> {
    let look: String = line.chars().filter_map(look_of).collect();
    let look = without_markers(look.trim());
    let mut marks = vec![Mark::Token; tokens(line)];
    if line.contains(['\u{202d}', '\u{202e}']) && !line.starts_with('\\') {
        marks.push(Mark::Backwards);
    }
    let text = look.trim_start_matches('#');
    let level = look.len() - text.len();
    if level > 1 || (level == 1 && (text.is_empty() || text.starts_with(' '))) {
        marks.push(Mark::Heading(
            level,
            line.trim_start().trim_start_matches('#').to_owned(),
        ));
    } else if is_rule(look, line) {
        marks.push(Mark::Rule);
    } else if is_message_head(look) {
        marks.push(Mark::Message(line.to_owned()));
    } else if look
        .strip_prefix("現在時刻")
        .is_some_and(|rest| rest.trim_start().starts_with(':'))
    {
        marks.push(Mark::Clock);
    }
    marks
}

/// The character that it looks like; `None` if it is invisible.
fn look_of(c: char) -> Option<char> {
    // Most are letters, and looking them up is slow.
    let is_letter =
        c.is_ascii_alphabetic() || matches!(c, '\u{3041}'..='\u{30fa}' | '\u{4e00}'..='\u{9fff}');
    if is_letter {
        return Some(c);
    }
    if c != '\t' && (c.is_control() || UNSEEN.contains(c)) {
        return None;
    }
    let like = LOOK_ALIKES.iter().find(|(_, alike)| alike.contains(c));
    Some(like.map_or(c, |(plain, _)| *plain))
}

/// The number of control tokens in a line.
fn tokens(line: &str) -> usize {
    // Most lines have none.
    if !line.contains(['<', '[', '＜', '［']) {
        return 0;
    }
    let named = TOKENS.iter().map(|token| line.matches(token).count());
    let barred = ["<|", "<｜"].into_iter().map(|token| {
        let behind = line.split(token).skip(1);
        behind
            .filter(|rest| rest.starts_with(|c: char| !c.is_whitespace()))
            .count()
    });
    named.chain(barred).sum()
}

/// The text after list and quotation marks.
fn without_markers(look: &str) -> &str {
    let mut rest = look;
    loop {
        let number = rest.trim_start_matches('9');
        let is_number = (1..10).contains(&(rest.len() - number.len()));
        let behind = rest
            .strip_prefix(['>', '•', '・'])
            .or_else(|| rest.strip_prefix("- "))
            .or_else(|| rest.strip_prefix("* "))
            .or_else(|| rest.strip_prefix("+ "))
            .or_else(|| number.strip_prefix(". ").filter(|_| is_number))
            .or_else(|| number.strip_prefix(") ").filter(|_| is_number));
        match behind {
            Some(behind) if !is_rule(rest, rest) => rest = behind.trim_start(),
            _ => return rest,
        }
    }
}

fn is_rule(look: &str, line: &str) -> bool {
    let dense = look.replace(' ', "");
    let is_one_of = |mark: char| !dense.is_empty() && dense.chars().all(|c| c == mark);
    let is_underline = line.is_ascii() && (is_one_of('-') || is_one_of('='));
    let is_line = ['-', '=', '*', '_'].into_iter().any(is_one_of) && dense.len() > 2;
    is_underline || is_line || (is_one_of('-') && line.contains(['⸺', '⸻']))
}

fn is_message_head(look: &str) -> bool {
    let rest = look.trim_start_matches(['*', '_']);
    let bold = look.len() - rest.len();
    if bold == 1 && rest.starts_with(' ') {
        return false;
    }
    let rest = rest.trim_start_matches(|c| bold > 1 && " [(".contains(c));
    let end = rest
        .find(|c: char| c.is_alphabetic() && !"T年月日時分".contains(c) || "*_]".contains(c))
        .unwrap_or(rest.len());
    let (time, name) = rest.split_at(end);
    let numbers: Vec<usize> = time
        .split(|c| c != '9')
        .map(str::len)
        .filter(|digits| *digits > 0)
        .collect();
    let is_time = matches!(numbers.as_slice(), [4, 1..=2, 1..=2, 1..=2, 2, ..]);
    let has_seconds = numbers.len() > 5;
    is_time
        && rest.starts_with('9')
        && if bold > 0 {
            has_seconds || name.contains(':')
        } else {
            // `- TIME NAME: text` is a line of a list, even if the text ends with a colon.
            let name = name.trim_end().strip_suffix(':');
            name.is_some_and(|name| !name.contains(": "))
        }
}

/// The code fences that are open.
#[derive(Default)]
struct Fences {
    open: Option<&'static str>,
}

impl Fences {
    fn is_open(&self) -> bool {
        self.open.is_some()
    }

    fn read(&mut self, line: &str) {
        let bare = line.trim_start_matches(|c: char| c.is_whitespace() || UNSEEN.contains(c));
        let opener = ["```", "~~~"]
            .into_iter()
            .find(|fence| bare.starts_with(fence));
        let fence = self.open.or(opener);
        if let Some(fence) = fence
            && line.matches(fence).count() % 2 == 1
        {
            self.open = if self.open.is_some() {
                None
            } else {
                Some(fence)
            };
        }
    }
}
