#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use myao_plugin::embedder::{TextKind, Vector};

use super::gguf::Gguf;
use super::pieces::Pieces;
use super::{Encoder, LocalEmbedder};

/// Pieces with their scores and kinds: marks, one that is unknown, and words.
const PIECES: [(&str, f32, u32); 12] = [
    ("<s>", 0.0, 3),
    ("<pad>", 0.0, 3),
    ("</s>", 0.0, 3),
    ("<unk>", 0.0, 2),
    ("▁", -3.0, 1),
    ("a", -2.0, 1),
    ("b", -2.0, 1),
    ("ab", -5.0, 1),
    ("▁ab", -4.0, 1),
    ("▁query:", -1.0, 1),
    ("▁passage:", -1.0, 1),
    ("本番", -6.0, 1),
];
const WIDTH: usize = 32;
const POSITIONS: usize = 8;
/// Random weights make similar vectors of all texts.
const DIFFERENT: f32 = 0.999_98;
const SAME: f32 = 0.999_999;

/// A small file with random weights.
struct File {
    fields: Vec<Vec<u8>>,
    tensors: Vec<u8>,
    count: u64,
    numbers: Vec<u8>,
    seed: u32,
}

impl File {
    fn new(architecture: &str, tokenizer: &str, pooling: u32) -> Self {
        let mut file = Self {
            fields: Vec::new(),
            tensors: Vec::new(),
            count: 0,
            numbers: Vec::new(),
            seed: 1,
        };
        file.text("general.architecture", architecture);
        file.text("general.name", "small");
        file.text("tokenizer.ggml.model", tokenizer);
        for (name, number) in [
            ("bert.pooling_type", pooling),
            ("bert.block_count", 2),
            ("bert.context_length", 8),
            ("bert.embedding_length", 32),
            ("bert.feed_forward_length", 64),
            ("bert.attention.head_count", 2),
            ("bert.attention.layer_norm_epsilon", 1e-5_f32.to_bits()),
            ("tokenizer.ggml.bos_token_id", 0),
            ("tokenizer.ggml.eos_token_id", 2),
            ("tokenizer.ggml.unknown_token_id", 3),
        ] {
            file.field(name, 4, &number.to_le_bytes());
        }
        let texts: Vec<u8> = PIECES
            .iter()
            .flat_map(|(text, ..)| text_bytes(text))
            .collect();
        file.list("tokenizer.ggml.tokens", 8, &texts);
        let scores: Vec<u8> = PIECES
            .iter()
            .flat_map(|piece| piece.1.to_le_bytes())
            .collect();
        file.list("tokenizer.ggml.scores", 6, &scores);
        let kinds: Vec<u8> = PIECES
            .iter()
            .flat_map(|piece| piece.2.to_le_bytes())
            .collect();
        file.list("tokenizer.ggml.token_type", 5, &kinds);
        for (name, rows, columns) in [
            ("token_embd.weight", PIECES.len(), WIDTH),
            ("position_embd.weight", POSITIONS, WIDTH),
            ("token_types.weight", 2, WIDTH),
            ("token_embd_norm.weight", 1, WIDTH),
            ("token_embd_norm.bias", 1, WIDTH),
        ] {
            file.tensor(name, rows, columns);
        }
        for layer in 0..2 {
            for (part, to, from) in [
                ("attn_q", WIDTH, WIDTH),
                ("attn_k", WIDTH, WIDTH),
                ("attn_v", WIDTH, WIDTH),
                ("attn_output", WIDTH, WIDTH),
                ("attn_output_norm", 1, WIDTH),
                ("ffn_up", 64, WIDTH),
                ("ffn_down", WIDTH, 64),
                ("layer_output_norm", 1, WIDTH),
            ] {
                file.tensor(&format!("blk.{layer}.{part}.weight"), to, from);
                file.tensor(
                    &format!("blk.{layer}.{part}.bias"),
                    1,
                    if to == 1 { from } else { to },
                );
            }
        }
        file
    }

    fn field(&mut self, name: &str, kind: u32, value: &[u8]) {
        let head = [&text_bytes(name)[..], &kind.to_le_bytes()].concat();
        self.fields.push([&head, value].concat());
    }

    fn text(&mut self, name: &str, text: &str) {
        self.field(name, 8, &text_bytes(text));
    }

    fn list(&mut self, name: &str, kind: u32, items: &[u8]) {
        let count = (PIECES.len() as u64).to_le_bytes();
        self.field(name, 9, &[&kind.to_le_bytes()[..], &count, items].concat());
    }

    fn tensor(&mut self, name: &str, rows: usize, columns: usize) {
        self.count += 1;
        self.tensors.extend(text_bytes(name));
        self.tensors.extend(2_u32.to_le_bytes());
        self.tensors.extend((columns as u64).to_le_bytes());
        self.tensors.extend((rows as u64).to_le_bytes());
        self.tensors.extend(0_u32.to_le_bytes());
        self.tensors
            .extend((self.numbers.len() as u64).to_le_bytes());
        // Words weigh more than their places.
        let scale = if name == "token_embd.weight" {
            8.0
        } else {
            1.0
        };
        for _ in 0..rows * columns {
            self.seed = self
                .seed
                .wrapping_mul(1_664_525)
                .wrapping_add(1_013_904_223);
            let number = ((self.seed >> 16) as f32 / 32768.0 - 1.0) * scale;
            self.numbers.extend(number.to_le_bytes());
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = b"GGUF\x03\0\0\0".to_vec();
        bytes.extend(self.count.to_le_bytes());
        bytes.extend((self.fields.len() as u64).to_le_bytes());
        bytes.extend(self.fields.concat());
        bytes.extend(&self.tensors);
        bytes.resize(bytes.len().next_multiple_of(32), 0);
        bytes.extend(&self.numbers);
        bytes
    }
}

fn text_bytes(text: &str) -> Vec<u8> {
    [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat()
}

fn written(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.gguf");
    fs::write(&path, bytes).unwrap();
    (folder, path)
}

fn encoder() -> Encoder {
    let (_folder, path) = written(&File::new("bert", "t5", 1).bytes());
    Encoder::read(&path).unwrap()
}

fn vectors(encoder: &Encoder, texts: &[&str], kind: TextKind) -> Vec<Vector> {
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    encoder
        .vectors(&texts, kind, &AtomicBool::new(false))
        .unwrap()
}

/// The pieces of a text.
fn pieces(text: &str) -> Vec<&'static str> {
    let (_folder, path) = written(&File::new("bert", "t5", 1).bytes());
    let pieces = Pieces::read(&mut Gguf::open(&path).unwrap()).unwrap();
    let found = pieces.of(text);
    found.iter().map(|id| PIECES[*id as usize].0).collect()
}

#[test]
fn text_falls_into_its_most_likely_pieces() {
    for (text, expected) in [
        ("", &[] as &[_]),
        ("ab", &["▁ab"]),
        ("b ab", &["▁", "b", "▁ab"]),
        // Both letters are likelier than the pair.
        ("bab", &["▁", "b", "a", "b"]),
        (" \t　ab\u{200b}\n", &["▁ab"]),
        ("ａ\x07ｂ", &["▁ab"]),
        ("本番", &["▁", "本番"]),
        // What is not known counts once, and nobody ends a text by its mark.
        ("ab\u{1f600}\u{1f600}", &["▁ab", "<unk>"]),
        ("～", &["▁", "<unk>"]),
        ("</s>", &["▁", "<unk>"]),
    ] {
        assert_eq!(pieces(text), expected, "{text:?}");
    }
}

#[test]
fn text_has_the_same_vector_alone_and_among_others() {
    let encoder = encoder();
    // One is longer than the model takes at once, and together they are more than go through it at once.
    let long = "ab b a ".repeat(40);
    let texts: Vec<&str> = ["a", "", &long, "ab ab b", "b"].repeat(20);
    let all = vectors(&encoder, &texts, TextKind::Message);
    assert_eq!(all.len(), texts.len());
    for (text, vector) in texts.iter().zip(&all).take(5) {
        let alone = &vectors(&encoder, &[text], TextKind::Message)[0];
        assert!(cosine(alone, vector) > SAME, "{text:?}");
    }
    for (one, other) in [(0, 1), (0, 2), (0, 3), (0, 4), (3, 4)] {
        assert!(cosine(&all[one], &all[other]) < DIFFERENT, "{one} {other}");
    }
}

#[test]
fn question_differs_from_the_message_of_the_same_words() {
    let encoder = encoder();
    let question = &vectors(&encoder, &["ab"], TextKind::Question)[0];
    let message = &vectors(&encoder, &["ab"], TextKind::Message)[0];
    assert!(cosine(question, message) < DIFFERENT);
}

#[test]
fn nothing_is_made_for_a_caller_that_has_gone() {
    let gone = AtomicBool::new(true);
    let made = encoder().vectors(&["a".to_owned()], TextKind::Message, &gone);
    assert!(made.is_err());
}

#[test]
fn file_that_does_not_fit_is_named_with_the_reason() {
    let whole = File::new("bert", "t5", 1).bytes();
    for (bytes, reason) in [
        (b"no model".to_vec(), "it is no GGUF file"),
        (Vec::new(), "it is cut off"),
        (
            File::new("llama", "t5", 1).bytes(),
            "`llama`; `bert` is known",
        ),
        (File::new("bert", "bert", 1).bytes(), "tokenizer is `bert`"),
        (File::new("bert", "t5", 2).bytes(), "not the means"),
        (whole[..whole.len() - 1].to_vec(), "it is cut off"),
    ] {
        let (_folder, path) = written(&bytes);
        let error = LocalEmbedder::open(&path).err().unwrap().to_string();
        assert!(
            error.contains("small.gguf: ") && error.contains(reason),
            "{error}"
        );
    }
    for length in (0..whole.len()).step_by(97) {
        let (_folder, path) = written(&whole[..length]);
        assert!(LocalEmbedder::open(&path).is_err(), "{length}");
    }
}

fn cosine(one: &Vector, other: &Vector) -> f32 {
    let pairs = one.numbers().iter().zip(other.numbers());
    pairs.map(|(one, other)| one * other).sum()
}
