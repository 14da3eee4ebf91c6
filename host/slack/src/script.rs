//! Which characters belong to scripts without spaces between words, and which are punctuation.

/// A letter of Chinese, Japanese or Korean.
pub(crate) fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{11ff}' // Hangul Jamo
        | '々' | '〆' | '〇'
        | '\u{3041}'..='\u{30fa}' | 'ー' | 'ヽ' | 'ヾ' | '\u{30ff}' // kana
        | '\u{3105}'..='\u{318e}' | '\u{31a0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff10}'..='\u{ff19}' | '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' // full width
        | '\u{ff66}'..='\u{ff9f}'
        | '\u{20000}'..='\u{3ffff}')
}

/// Punctuation or a symbol outside ASCII that is common in chats: `「」`, `。`, `“”`, `→`, emoji.
pub(crate) fn is_wide_punctuation(c: char) -> bool {
    matches!(c,
        '\u{a1}'..='\u{bf}' | '×' | '÷'
        | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}'
        | '\u{20a0}'..='\u{20bf}' | '\u{2190}'..='\u{2bff}'
        | '\u{3001}'..='\u{3004}' | '\u{3008}'..='\u{3020}' | '〰' | '・'
        | '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}'
        | '\u{ff3b}'..='\u{ff40}' | '\u{ff5b}'..='\u{ff65}' | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f000}'..='\u{1faff}')
}
