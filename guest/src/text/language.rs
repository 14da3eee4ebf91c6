//! Detects the language of a text by its letters.

use std::fmt;

use crate::text::{fold, is_kana, is_kanji, is_mark};

/// A language that can be told by its letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// Kana, and Chinese characters mixed with kana or without signs of Chinese.
    Japanese,
    /// Latin letters: English, and languages that cannot be told apart from it.
    English,
    /// Chinese characters without kana, some of them not used in Japanese.
    Chinese,
    /// Hangul.
    Korean,
    /// Cyrillic letters.
    Russian,
    /// Letters of any other script.
    Other,
}

impl fmt::Display for Language {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Japanese => "Japanese",
            Self::English => "English",
            Self::Chinese => "Chinese",
            Self::Korean => "Korean",
            Self::Russian => "Russian",
            Self::Other => "another language",
        })
    }
}

/// A Japanese, Chinese or Korean character says about as much as two and a half letters.
const LETTER: usize = 2;
const CHARACTER: usize = 5;
/// A text lighter than 60 letters, or 24 characters, is too short to judge, if any of it is in an expected language.
const LEAST_WEIGHT: usize = 60 * LETTER;
/// A text lighter than 20 letters, or 8 characters, is too short to tell its language at all.
const LEAST_SENTENCE_WEIGHT: usize = 20 * LETTER;
/// Sources are written in every language that makes up at least a fifth of their weight.
const SOURCE_SHARE: usize = 5;
/// A text is Japanese if at least one in so many of its characters is kana.
const KANA_SHARE: usize = 20;
/// A text without kana is Chinese if at least one in so many characters is not used in Japanese.
const MARK_SHARE: usize = 30;
/// Characters and forms that are common in Chinese and not used in Japanese, sorted.
const CHINESE_MARKS: &[char] = &[
    '东', '个', '买', '们', '你', '們', '关', '决', '划', '务', '动', '单', '卖', '发', '吗', '吧',
    '呢', '哪', '啊', '啦', '嗎', '团', '她', '它', '实', '對', '应', '开', '您', '时', '沒', '没',
    '為', '现', '确', '经', '给', '與', '见', '计', '认', '讨', '让', '议', '讲', '论', '识', '话',
    '该', '说', '请', '谁', '谢', '贝', '负', '责', '车', '过', '还', '这', '进', '這', '长', '门',
    '问', '间', '队', '际', '页', '项', '预', '题', '风', '飞', '马', '鱼', '鸟',
];
/// The weight of each script in a text.
#[derive(Debug, Default)]
struct Weights {
    kana: usize,
    han: usize,
    chinese_marks: usize,
    latin: usize,
    hangul: usize,
    cyrillic: usize,
    other: usize,
}

impl Weights {
    /// Adds a text. URLs, paths, ids and code do not count, nor do capitalised words, which are names in any language.
    fn read(&mut self, text: &str) {
        let mut in_code = false;
        for line in text.split('\n') {
            if line.trim_start().starts_with("```") {
                in_code = !in_code;
            } else if !in_code {
                self.read_line(line);
            }
        }
    }

    fn read_line(&mut self, line: &str) {
        if !line.contains('`') {
            return self.read_part(line);
        }
        let balanced = line.matches('`').count().is_multiple_of(2);
        let parts = line
            .split('`')
            .enumerate()
            .filter(|(at, _)| !balanced || at % 2 == 0);
        parts.for_each(|(_, part)| self.read_part(part));
    }

    fn read_part(&mut self, part: &str) {
        let mut ascii = None;
        for (at, c) in part.char_indices() {
            if c.is_ascii_graphic() {
                ascii.get_or_insert(at);
                continue;
            }
            if let Some(begin) = ascii.take() {
                self.latin += ascii_weight(part.get(begin..at).unwrap_or_default());
            }
            self.read_char(c);
        }
        if let Some(begin) = ascii {
            self.latin += ascii_weight(part.get(begin..).unwrap_or_default());
        }
    }

    fn read_char(&mut self, c: char) {
        if is_kana(c) {
            self.kana += CHARACTER;
        } else if is_kanji(c) {
            self.han += CHARACTER;
            self.chinese_marks += if CHINESE_MARKS.binary_search(&c).is_ok() {
                CHARACTER
            } else {
                0
            };
        } else if matches!(c, '\u{ac00}'..='\u{d7a3}' | '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}')
        {
            self.hangul += CHARACTER;
        } else if matches!(c, '\u{400}'..='\u{52f}') {
            self.cyrillic += LETTER;
        } else if matches!(c, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}') {
            self.latin += if c.is_lowercase() { LETTER } else { 0 };
        } else if !is_mark(c) && c.is_alphabetic() {
            self.other += LETTER;
        }
    }

    /// The weight of each language. Chinese characters without a sign of either language count as Chinese only if that
    /// is expected.
    fn languages(&self, expects_chinese: bool) -> Vec<(Language, usize)> {
        let han_and_kana = self.kana + self.han;
        let is_japanese = self.kana > 0 && self.kana * KANA_SHARE >= han_and_kana;
        let is_marked = self.chinese_marks > 0 && self.chinese_marks * MARK_SHARE >= self.han;
        let is_chinese = !is_japanese && (is_marked || expects_chinese);
        let (japanese, chinese) = if is_chinese {
            (self.kana, self.han)
        } else {
            (han_and_kana, 0)
        };
        let mut languages = vec![
            (Language::Japanese, japanese),
            (Language::English, self.latin),
            (Language::Chinese, chinese),
            (Language::Korean, self.hangul),
            (Language::Russian, self.cyrillic),
            (Language::Other, self.other),
        ];
        languages.sort_by_key(|(_, weight)| std::cmp::Reverse(*weight));
        languages
    }
}

/// The weight of a run of ASCII: its lower-case words, unless it is a URL or an id.
fn ascii_weight(run: &str) -> usize {
    let (mut weight, mut word) = (0, 0);
    let mut in_word = false;
    // True if there was a letter so far, and a full stop after it.
    let (mut has_letter, mut has_stop) = (false, false);
    for byte in run.bytes() {
        if byte.is_ascii_alphabetic() {
            if has_stop {
                return 0;
            }
            has_letter = true;
            word += usize::from(word > 0 || !in_word && byte.is_ascii_lowercase());
            in_word = true;
            continue;
        }
        weight += word * LETTER;
        (word, in_word) = (0, false);
        match byte {
            b'0'..=b'9' | b'@' | b'_' | b'/' | b'\\' | b'#' | b'=' | b'<' | b'>' => return 0,
            b'.' => has_stop |= has_letter,
            _ => {}
        }
    }
    weight + word * LETTER
}

/// The languages of texts: each that makes up at least a fifth, the strongest first. Empty if the texts are too short
/// to tell.
#[must_use]
pub fn languages_of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<Language> {
    let mut weights = Weights::default();
    texts.into_iter().for_each(|text| weights.read(&fold(text)));
    let languages = weights.languages(false);
    let all: usize = languages.iter().map(|(_, weight)| weight).sum();
    let strong = |(_, weight): &(Language, usize)| weight * SOURCE_SHARE >= all && *weight > 0;
    let strong = languages
        .into_iter()
        .filter(strong)
        .map(|(language, _)| language);
    if all < LEAST_SENTENCE_WEIGHT {
        Vec::new()
    } else {
        strong.collect()
    }
}

/// The language that has the most weight in texts, however short they are; `None` if no letter tells one.
#[must_use]
pub fn main_language_of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Option<Language> {
    let mut weights = Weights::default();
    texts.into_iter().for_each(|text| weights.read(&fold(text)));
    let heaviest = weights.languages(false).into_iter().next();
    heaviest
        .filter(|(_, weight)| *weight > 0)
        .map(|(language, _)| language)
}

/// The wanted language and the language of a text, if they clearly differ: at least three quarters of its weight are in
/// a language that is not expected, and less than 15 % in expected ones. A short text is judged only if nothing of it is
/// in an expected language, and a sentence is not too short for that.
///
/// If Japanese is expected, Chinese characters count only in proportion to kana: without kana they are names in a text
/// of another language.
pub fn wrong_language(text: &str, expected: &[Language]) -> Option<(Language, Language)> {
    let wanted = expected.first()?;
    let mut weights = Weights::default();
    weights.read(&fold(text));
    let languages = weights.languages(expected.contains(&Language::Chinese));
    let all: usize = languages.iter().map(|(_, weight)| weight).sum();
    let (found, most) = languages.first()?;
    let expected_weight: usize = languages
        .iter()
        .filter(|(language, _)| expected.contains(language))
        .map(|(language, weight)| match language {
            Language::Japanese => (*weight).min(2 * weights.kana),
            _ => *weight,
        })
        .sum();
    let least = if expected_weight == 0 {
        LEAST_SENTENCE_WEIGHT
    } else {
        LEAST_WEIGHT
    };
    let is_wrong = !expected.contains(found)
        && all >= least
        && most * 4 >= all * 3
        && expected_weight * 100 < all * 15;
    is_wrong.then_some((*wanted, *found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Language::{Chinese, English, Japanese, Korean, Other, Russian};

    #[test]
    fn chinese_marks_are_sorted() {
        assert!(CHINESE_MARKS.is_sorted());
    }

    const TEXTS: &[(Language, &str)] = &[
        (
            Japanese,
            "- 公開日は3月22日に決まり、予算は120万円まで承認された\n- 端末は予算の中で買う",
        ),
        (
            Japanese,
            "- Kubernetes の Pod を再起動し、Datadog のアラートが止まったことを鈴木が確認した（INC-204）",
        ),
        (
            English,
            "- The team agreed to ship the importer by June 14, and priya owns it from now until the launch",
        ),
        (
            English,
            "- 田中 asked for the new budget, and 佐藤 will send the numbers to everybody as soon as they are there",
        ),
        (
            Chinese,
            "- 团队决定在三月二十二日发布新版本，预算为一百二十万日元，由田中负责这个项目",
        ),
        (
            Korean,
            "- 팀은 3월 22일에 새 버전을 출시하기로 했고 예산은 120만 엔으로 승인되었다",
        ),
        (
            Russian,
            "- Команда решила выпустить новую версию двадцать второго марта, бюджет утверждён",
        ),
        (
            Other,
            "- قرر الفريق إصدار النسخة الجديدة في الثاني والعشرين من مارس وتمت الموافقة على الميزانية",
        ),
    ];

    #[test]
    fn texts_are_wrong_in_every_language_but_their_own() {
        for (language, text) in TEXTS {
            assert_eq!(languages_of([*text]).first(), Some(language), "{text}");
            for (expected, _) in TEXTS {
                let wrong_text = wrong_language(text, &[*expected]);
                let found = (expected != language).then_some((*expected, *language));
                assert_eq!(wrong_text, found, "{expected}: {text}");
            }
        }
    }

    #[test]
    fn a_sentence_tells_the_language_that_is_wanted_and_a_word_does_not() {
        let sentences = [
            ("The budget is 45,000 yen. 25 people can come.", English),
            ("予算は4万5千円です。", Japanese),
        ];
        for (sentence, language) in sentences {
            assert_eq!(languages_of([sentence]), [language], "{sentence}");
        }
        for words in ["v2.4 is out", "了解です"] {
            assert_eq!(languages_of([words]), [], "{words}");
        }
    }

    #[test]
    fn mixed_sources_have_both_languages() {
        let texts = [
            "予算は120万円まで承認された。端末も買う",
            "we agreed to ship the importer by June, tom is on call",
        ];
        let languages = languages_of(texts);
        assert_eq!(languages, [Japanese, English]);
        for (_, text) in TEXTS.iter().take(4) {
            assert_eq!(wrong_language(text, &languages), None, "{text}");
        }
        assert!(
            wrong_language(
                "- 팀은 3월 22일에 새 버전을 출시하기로 했고 예산은 120만 엔으로 승인되었다",
                &languages
            )
            .is_some()
        );
    }

    #[test]
    fn addresses_code_and_names_have_no_language() {
        let text = "- https://example.com/a/long/path/that/is/english を参照\n- `select all from the table where it is slow` が遅い\n\
                    ```\nlet the code be english and long enough to matter for the result\n```\n- Alice, Bob, Charlie, API Gateway, GitHub Actions";
        assert_eq!(wrong_language(text, &[Japanese]), None);
        assert_eq!(
            wrong_language(text, &[Korean]),
            None,
            "what is left is short"
        );
        let files = "- deploy.production.yaml, settings.staging.json, docker.compose.override.yml, package.lock.json";
        assert_eq!(wrong_language(files, &[Japanese]), None);
    }

    #[test]
    fn kanji_names_make_no_japanese_text() {
        let text = "- 田中一郎 asked for the new budget and 佐藤花子 will send all the numbers to everybody very soon";
        assert_eq!(wrong_language(text, &[Japanese]), Some((Japanese, English)));
        let text = "- 田中一郎 が budget を要求、佐藤花子 が numbers を全員に send する予定、deploy は後日、review は来週";
        assert_eq!(wrong_language(text, &[Japanese]), None);
    }

    #[test]
    fn japanese_sentence_of_english_terms_is_japanese_enough() {
        let text = "- the webhook retry queue and the deploy script timeout of the importer を変更し staging に反映";
        assert_eq!(wrong_language(text, &[Japanese]), None);
    }

    #[test]
    fn text_in_no_clear_language_is_not_wrong() {
        let text = "- the importer goes live in the middle of the summer and priya owns it\n- 予約アプリの公開日は来月に決まり、予算も承認された";
        assert_eq!(wrong_language(text, &[Korean]), None);
    }

    #[test]
    fn sentence_of_which_nothing_is_in_the_expected_language_is_wrong() {
        let sentences = [
            ("チャンネルの会話です。", Japanese, English),
            (
                "- the budget is approved and all is done",
                English,
                Japanese,
            ),
        ];
        for (sentence, found, expected) in sentences {
            let wrong = wrong_language(sentence, &[expected]);
            assert_eq!(wrong, Some((expected, found)), "{sentence}");
            assert_eq!(wrong_language(sentence, &[expected, found]), None);
        }
    }

    #[test]
    fn short_texts_and_kanji_without_kana_get_the_benefit_of_the_doubt() {
        assert_eq!(wrong_language("- all done by friday", &[Japanese]), None);
        assert_eq!(wrong_language("- 了解です", &[English]), None);
        let half = "- 予算承認済、公開日 is set";
        assert_eq!(wrong_language(half, &[English]), None);
        let terse = "- 予算承認済、公開日三月二十二日決定\n- 端末二十四台発注済、担当鈴木氏、納期来週金曜日";
        assert_eq!(wrong_language(terse, &[Japanese]), None);
        assert_eq!(wrong_language(terse, &[Chinese]), None);
        assert_eq!(wrong_language(terse, &[English]), Some((English, Japanese)));
        assert_eq!(wrong_language(terse, &[]), None);
    }
}
