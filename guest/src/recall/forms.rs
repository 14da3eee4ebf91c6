//! The forms of English words: endings, related words, and words that differ by one letter.

use std::collections::BTreeSet;

use crate::phrases::{Phrases, phrases};

/// The forms of a word that differ by more than an ending, a line for each word.
const IRREGULAR: Phrases = phrases!("english/irregular-words.txt");

/// A shorter word keeps its ending.
const MIN_LETTERS: usize = 3;
/// A stem has at least so many letters.
const MIN_STEM: usize = 3;
const ENDINGS: [&str; 7] = ["", "e", "s", "es", "ed", "ing", "ings"];
/// Endings that make another word of a word.
const DERIVING: [&str; 13] = [
    "ation", "ion", "ment", "er", "or", "ly", "al", "ness", "ity", "ive", "able", "ance", "ence",
];
/// A shorter word gets none of these, and what is left without one has at least so many letters: `sign` and `signal` have
/// nothing in common.
const MIN_ROOT: usize = 5;

/// Returns true if a term is a word in English letters.
pub(super) fn is_english(term: &str) -> bool {
    !term.is_empty() && term.bytes().all(|b| b.is_ascii_lowercase())
}

/// The forms in which messages may have a word, itself included.
pub(super) fn forms(term: &str) -> BTreeSet<String> {
    let mut forms = regular(term);
    for line in IRREGULAR.iter() {
        let words = line.split(' ');
        let basic = line.split(' ').take(1);
        let is_meant = words.clone().any(|word| word == term);
        if is_meant || basic.clone().any(|word| forms.contains(word)) {
            forms.extend(words.map(str::to_owned));
            forms.extend(basic.flat_map(regular));
        }
    }
    forms
}

/// The forms that differ by an ending.
fn regular(term: &str) -> BTreeSet<String> {
    let mut forms = BTreeSet::from([term.to_owned()]);
    if !is_english(term) || term.len() < MIN_LETTERS {
        return forms;
    }
    let stem = stem(term);
    let doubled = stem.chars().next_back().map(|last| format!("{stem}{last}"));
    let with_i = stem.strip_suffix('y').map(|head| format!("{head}i"));
    for head in [Some(stem.clone()), doubled, with_i].into_iter().flatten() {
        for ending in ENDINGS {
            forms.insert(format!("{head}{ending}"));
        }
    }
    forms.retain(|form| form == term || self::stem(form) == stem);
    forms
}

/// Words of the same root, which say nearly the same: `adopt` and `adoption`. Not all of them are words.
pub(super) fn related(term: &str) -> BTreeSet<String> {
    if !is_english(term) || term.len() < MIN_ROOT {
        return BTreeSet::new();
    }
    let stem = stem(term);
    let heads = DERIVING
        .iter()
        .filter_map(|ending| stem.strip_suffix(ending));
    let root = heads.clone().find(|head| head.len() >= MIN_ROOT);
    let root = root.unwrap_or(&stem);
    let plurals = DERIVING.iter().map(|ending| format!("{ending}s"));
    let derived = DERIVING.iter().map(|ending| (*ending).to_owned());
    let endings = ENDINGS.iter().map(|ending| (*ending).to_owned());
    endings
        .chain(derived)
        .chain(plurals)
        .map(|ending| format!("{root}{ending}"))
        .collect()
}

/// A word without its ending: the same for all its forms, and not always a word.
fn stem(word: &str) -> String {
    let singular = without_plural(word);
    let ending = ["ing", "ed"]
        .iter()
        .find_map(|ending| singular.strip_suffix(ending));
    let Some(head) = ending.filter(|head| head.len() >= MIN_STEM) else {
        return without_e(&singular);
    };
    if let Some(head) = head.strip_suffix('i') {
        return format!("{head}y");
    }
    let mut letters = head.chars().rev();
    match (letters.next(), letters.next()) {
        (Some(last), Some(before)) if last == before && !matches!(last, 'l' | 's' | 'z' | 'e') => {
            head.get(..head.len() - 1).unwrap_or(head).to_owned()
        }
        _ => without_e(head),
    }
}

fn without_plural(word: &str) -> String {
    let head = |ending: &str, least: usize| {
        let head = word.strip_suffix(ending);
        head.filter(|head| head.len() >= least)
    };
    if let Some(head) = head("ies", MIN_STEM) {
        return format!("{head}y");
    }
    let hisses = ["s", "x", "z", "ch", "sh"];
    if let Some(head) = head("es", MIN_STEM - 1)
        && hisses.iter().any(|ending| head.ends_with(ending))
    {
        return head.to_owned();
    }
    let is_plural = !word.ends_with("ss") && !word.ends_with("us");
    let head = head("s", MIN_STEM).filter(|_| is_plural);
    head.unwrap_or(word).to_owned()
}

fn without_e(word: &str) -> String {
    let head = word.strip_suffix('e').filter(|head| head.len() >= MIN_STEM);
    head.unwrap_or(word).to_owned()
}

/// The words that differ from this one by one letter: one too many, one missing, another, or two that changed places.
pub(super) fn one_letter_off(word: &str) -> impl Iterator<Item = String> {
    let letters: Vec<char> = word.chars().collect();
    (0..=letters.len()).flat_map(move |at| {
        let (head, tail) = letters.split_at_checked(at).unwrap_or_default();
        let joined = |parts: &[&[char]]| parts.concat().into_iter().collect::<String>();
        let mut found: Vec<String> = ('a'..='z').map(|c| joined(&[head, &[c], tail])).collect();
        if let [first, rest @ ..] = tail {
            found.push(joined(&[head, rest]));
            let others = ('a'..='z').filter(|c| c != first);
            found.extend(others.map(|c| joined(&[head, &[c], rest])));
            if let [second, rest @ ..] = rest
                && second != first
            {
                found.push(joined(&[head, &[*second, *first], rest]));
            }
        }
        found
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_find_each_other() {
        for words in [
            &["crane", "cranes"][..],
            &["decide", "decides", "decided", "deciding"],
            &["policy", "policies"],
            &["plan", "plans", "planned", "planning"],
            &["install", "installs", "installed", "installing"],
            &["meeting", "meetings", "meet"],
            &["box", "boxes", "boxed"],
            &["class", "classes"],
            &["carry", "carried", "carries", "carrying"],
        ] {
            for word in words {
                let forms = forms(word);
                for other in words {
                    assert!(forms.contains(*other), "{word} {other}: {forms:?}");
                }
            }
        }
    }

    #[test]
    fn forms_of_an_irregular_word_find_each_other() {
        for (word, other) in [
            ("buy", "bought"),
            ("bought", "buying"),
            ("went", "gone"),
            ("child", "children"),
            ("children", "child"),
        ] {
            assert!(forms(word).contains(other), "{word} {other}");
        }
    }

    #[test]
    fn words_of_the_same_root_are_related() {
        for (word, other) in [
            ("adopt", "adoption"),
            ("adoptions", "adopted"),
            ("installation", "install"),
            ("painted", "painters"),
            ("motivate", "motivation"),
        ] {
            assert!(related(word).contains(other), "{word} {other}");
        }
        for (word, other) in [("signal", "sign"), ("number", "numb"), ("障害", "障害")] {
            assert!(!related(word).contains(other), "{word} {other}");
        }
    }

    #[test]
    fn words_that_only_look_alike_are_no_forms() {
        for (word, other) in [
            ("bus", "bu"),
            ("class", "clas"),
            ("a-1234", "a-123"),
            ("ring", "r"),
        ] {
            assert!(!forms(word).contains(other), "{word} {other}");
        }
        assert_eq!(forms("障害").len(), 1);
    }

    #[test]
    fn one_letter_is_wrong_missing_too_many_or_changed() {
        let near: BTreeSet<String> = one_letter_off("budget").collect();
        for word in ["bugdet", "budgt", "budgett", "bidget", "abudget", "udget"] {
            assert!(near.contains(word), "{word}");
        }
        for word in ["budget", "bugdte", "bud"] {
            assert!(!near.contains(word), "{word}");
        }
    }
}
