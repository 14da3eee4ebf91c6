//! Texts in pieces of words, as XLM-RoBERTa's models were trained with them: the most likely pieces of a vocabulary, by
//! SentencePiece's unigram model (<https://arxiv.org/abs/1808.06226>).

use icu_normalizer::ComposingNormalizerBorrowed;

use super::fault::{Fault, unfit};
use super::gguf::{Gguf, Texts};

/// Stands for a space.
const SPACE: char = '▁';
/// Kinds of pieces that a text may contain; the others mark its beginning or end, or stand for nothing.
const IN_TEXTS: [u32; 2] = [1, 4];
/// A character that no piece has is so much less likely than the rarest piece.
const UNKNOWN: f32 = 10.0;

/// A vocabulary.
pub(crate) struct Pieces {
    texts: Texts,
    scores: Vec<f32>,
    /// A hash table of piece numbers and one; 0 is an empty place.
    table: Vec<u32>,
    /// The bytes of the longest piece.
    longest: usize,
    unknown: u32,
    unknown_score: f32,
    /// The pieces before and after every text.
    pub(crate) first: u32,
    pub(crate) last: u32,
}

impl Pieces {
    pub(crate) fn read(gguf: &mut Gguf) -> Result<Self, Fault> {
        let model = gguf.text("tokenizer.ggml.model")?;
        if model != "t5" {
            return unfit(format!(
                "its tokenizer is `{model}`; `t5` is known, which models of the family multilingual-e5 have"
            ));
        }
        let id = |name: &str| {
            let id = gguf.whole(&format!("tokenizer.ggml.{name}_token_id"))?;
            u32::try_from(id).or_else(|_| unfit(format!("its token {name} is not one")))
        };
        let (first, last, unknown) = (id("bos")?, id("eos")?, id("unknown")?);
        let scores = gguf.numbers("tokenizer.ggml.scores")?;
        let scores: Vec<f32> = scores.map(f32::from_le_bytes).collect();
        let kinds = gguf.numbers("tokenizer.ggml.token_type")?;
        let kinds: Vec<u32> = kinds.map(u32::from_le_bytes).collect();
        let texts = gguf.take_texts("tokenizer.ggml.tokens")?;
        if texts.len() != scores.len() || texts.len() != kinds.len() {
            return unfit("its tokens have no scores");
        }
        let mut pieces = Self {
            table: vec![0; (texts.len() * 2).next_power_of_two()],
            texts,
            scores,
            longest: 0,
            unknown,
            unknown_score: 0.0,
            first,
            last,
        };
        for (id, kind) in (0..).zip(kinds) {
            if IN_TEXTS.contains(&kind) {
                pieces.insert(id);
            }
        }
        pieces.unknown_score -= UNKNOWN;
        Ok(pieces)
    }

    /// Makes a piece one that is found.
    fn insert(&mut self, id: u32) {
        let Some((piece, score)) = self.piece(id) else {
            return;
        };
        let hash = piece
            .iter()
            .fold(Hash::default(), |hash, byte| hash.with(*byte));
        self.longest = self.longest.max(piece.len());
        self.unknown_score = self.unknown_score.min(score);
        let mut at = hash.place(self.table.len());
        while let Some(taken) = self.table.get_mut(at) {
            if *taken == 0 {
                *taken = id + 1;
                return;
            }
            at = (at + 1) % self.table.len();
        }
    }

    fn find(&self, text: &[u8], hash: Hash) -> Option<(u32, f32)> {
        let mut at = hash.place(self.table.len());
        loop {
            let id = self.table.get(at)?.checked_sub(1)?;
            match self.piece(id)? {
                (piece, score) if piece == text => return Some((id, score)),
                _ => at = (at + 1) % self.table.len(),
            }
        }
    }

    fn piece(&self, id: u32) -> Option<(&[u8], f32)> {
        let at = usize::try_from(id).ok()?;
        Some((self.texts.get(at)?, *self.scores.get(at)?))
    }

    /// The numbers of a text's pieces.
    pub(crate) fn of(&self, text: &str) -> Vec<u32> {
        let text = normal(text);
        let mut ways = vec![Way::default(); text.len() + 1];
        if let Some(way) = ways.first_mut() {
            way.score = 0.0;
        }
        for (start, c) in text.char_indices() {
            let score = ways.get(start).map_or(0.0, |way| way.score);
            let mut go = |end: usize, piece: u32, more: f32| {
                if let Some(way) = ways.get_mut(start + end)
                    && way.score < score + more
                {
                    *way = Way {
                        score: score + more,
                        piece,
                        start,
                    };
                }
            };
            go(c.len_utf8(), self.unknown, self.unknown_score);
            let rest = text.as_bytes().get(start..).unwrap_or_default();
            let mut hash = Hash::default();
            for (at, byte) in rest.iter().enumerate().take(self.longest) {
                hash = hash.with(*byte);
                let end = at + 1;
                if text.is_char_boundary(start + end)
                    && let Some((piece, more)) =
                        self.find(rest.get(..end).unwrap_or_default(), hash)
                {
                    go(end, piece, more);
                }
            }
        }
        let mut pieces = Vec::new();
        let mut end = text.len();
        while let Some(way) = ways.get(end).filter(|_| end > 0) {
            // What is not known counts once.
            if way.piece != self.unknown || pieces.last() != Some(&self.unknown) {
                pieces.push(way.piece);
            }
            end = way.start;
        }
        pieces.reverse();
        pieces
    }
}

/// The best way to a place of a text.
#[derive(Clone)]
struct Way {
    score: f32,
    /// The piece that ends there.
    piece: u32,
    start: usize,
}

impl Default for Way {
    fn default() -> Self {
        Self {
            score: f32::NEG_INFINITY,
            piece: 0,
            start: 0,
        }
    }
}

/// FNV-1a, byte by byte.
#[derive(Clone, Copy)]
struct Hash(u64);

impl Default for Hash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    fn with(self, byte: u8) -> Self {
        Self((self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }

    fn place(self, places: usize) -> usize {
        // The low bits of FNV-1a are the poorest.
        let mixed = self.0 ^ (self.0 >> 32);
        usize::try_from(mixed).unwrap_or(0) & (places - 1)
    }
}

/// The normal form `nmt_nfkc` of SentencePiece: NFKC without control characters, and one space where there are several.
fn normal(text: &str) -> String {
    let is_space = |c: char| {
        matches!(
            c,
            '\t' | '\n' | '\x0c' | '\r' | '\u{1680}' | '\u{200b}'
                ..='\u{200f}' | '\u{2028}' | '\u{2029}' | SPACE | '\u{feff}' | '\u{fffd}'
        )
    };
    let is_removed = |c: &char| !matches!(c, '\0'..='\x08' | '\x0b' | '\x0e'..='\x1f' | '\x7f' | '\u{8f}' | '\u{9f}');
    let plain: String = text
        .chars()
        .filter(is_removed)
        .map(|c| if is_space(c) { ' ' } else { c })
        .collect();
    let nfkc = ComposingNormalizerBorrowed::new_nfkc();
    // The wide tilde stays: it is a wave dash.
    let parts: Vec<_> = plain.split('～').map(|part| nfkc.normalize(part)).collect();
    let mut normal = String::with_capacity(text.len() + 16);
    for word in parts.join("～").split(' ').filter(|word| !word.is_empty()) {
        normal.push(SPACE);
        normal.push_str(word);
    }
    normal
}
