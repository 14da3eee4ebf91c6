//! The encoder: BERT with mean pooling (<https://arxiv.org/abs/1810.04805>), over the tokens of several texts at once.
//!
//! Weights stay in memory as the file has them, in a few bits each, and are unpacked for each product. Of the table of
//! words, by far the largest, only the rows of a text's tokens are read.

use super::fault::{Fault, unfit};
use super::gguf::{Gguf, Table, Tensor};
use super::numeric::{Matrix, add_product, gelu, normalize_rows, softmax};

/// The pooling that is known: the mean of all tokens.
const MEAN: u64 = 1;

/// A model's weights.
pub(crate) struct Model {
    gguf: Gguf,
    pub(crate) name: String,
    width: usize,
    heads: usize,
    /// The most tokens of a text.
    pub(crate) positions: usize,
    words: Tensor,
    /// What is added to a token by its position, the type of its text included.
    places: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    output: Linear,
    attention_norm: Norm,
    up: Linear,
    down: Linear,
    norm: Norm,
}

struct Norm {
    weight: Vec<f32>,
    bias: Vec<f32>,
    epsilon: f32,
}

struct Linear {
    weight: Table,
    bias: Vec<f32>,
}

impl Model {
    pub(crate) fn read(gguf: Gguf) -> Result<Self, Fault> {
        let kind = gguf.text("general.architecture")?;
        if kind != "bert" {
            return unfit(format!("its model is a `{kind}`; `bert` is known"));
        }
        if gguf.whole("bert.pooling_type")? != MEAN {
            return unfit("its vectors are not the means of tokens");
        }
        let width = gguf.size("bert.embedding_length")?;
        let heads = gguf.size("bert.attention.head_count")?;
        if heads == 0 || !width.is_multiple_of(heads) {
            return unfit(format!("{width} numbers do not go into {heads} heads"));
        }
        let inner = gguf.size("bert.feed_forward_length")?;
        let positions = gguf.size("bert.context_length")?;
        let epsilon = gguf.real("bert.attention.layer_norm_epsilon")?;
        let words = gguf.tensor("token_embd.weight")?;
        if words.columns != width || positions < 3 {
            return unfit("its sizes do not fit together");
        }
        let mut places = gguf.numbers_of("position_embd.weight", positions, width)?;
        let types = gguf.tensor("token_types.weight")?.rows;
        let types = gguf.numbers_of("token_types.weight", types, width)?;
        for place in places.chunks_exact_mut(width) {
            add(place, &types);
        }
        let norm = Norm::read(&gguf, "token_embd_norm", width, epsilon)?;
        let layers = (0..gguf.whole("bert.block_count")?)
            .map(|layer| {
                let part = |name: &str| format!("blk.{layer}.{name}");
                let linear = |name: &str, to, from| Linear::read(&gguf, &part(name), to, from);
                let norm = |name: &str| Norm::read(&gguf, &part(name), width, epsilon);
                Ok(Layer {
                    query: linear("attn_q", width, width)?,
                    key: linear("attn_k", width, width)?,
                    value: linear("attn_v", width, width)?,
                    output: linear("attn_output", width, width)?,
                    attention_norm: norm("attn_output_norm")?,
                    up: linear("ffn_up", inner, width)?,
                    down: linear("ffn_down", width, inner)?,
                    norm: norm("layer_output_norm")?,
                })
            })
            .collect::<Result<_, Fault>>()?;
        Ok(Self {
            name: gguf.text("general.name")?,
            gguf,
            width,
            heads,
            positions,
            words,
            places,
            norm,
            layers,
        })
    }

    /// The bytes of weights by which two files can be told apart.
    pub(crate) fn sample(&self) -> &[u8] {
        let last = self.layers.last();
        last.map_or(&[], |layer| &layer.down.weight.bytes)
    }

    /// The sums of the tokens' vectors, one for each text. No text has more tokens than there are positions.
    pub(crate) fn sums(&self, texts: &[&[u32]]) -> std::io::Result<Vec<Vec<f32>>> {
        let lengths: Vec<usize> = texts.iter().map(|text| text.len()).collect();
        let mut state = self.first_state(texts)?;
        let mut work = Work::default();
        for layer in &self.layers {
            let mixed = self.attention(layer, &state, &lengths, &mut work);
            layer.output.apply(&mixed, &mut work.weights, &mut work.out);
            add(&mut state, &work.out);
            layer.attention_norm.apply(&mut state);
            layer.up.apply(&state, &mut work.weights, &mut work.inner);
            for number in &mut work.inner {
                *number = gelu(*number);
            }
            layer
                .down
                .apply(&work.inner, &mut work.weights, &mut work.out);
            add(&mut state, &work.out);
            layer.norm.apply(&mut state);
        }
        let mut rows = state.chunks_exact(self.width);
        Ok(lengths
            .iter()
            .map(|length| {
                let mut sum = vec![0.0; self.width];
                for row in rows.by_ref().take(*length) {
                    add(&mut sum, row);
                }
                sum
            })
            .collect())
    }

    /// The vectors of the tokens by themselves and their places.
    fn first_state(&self, texts: &[&[u32]]) -> std::io::Result<Vec<f32>> {
        let mut state = Vec::new();
        for text in texts {
            for (token, place) in text.iter().zip(self.places.chunks_exact(self.width)) {
                let start = state.len();
                self.gguf
                    .read_row(&self.words, u64::from(*token), &mut state)?;
                add(state.get_mut(start..).unwrap_or_default(), place);
            }
        }
        self.norm.apply(&mut state);
        Ok(state)
    }

    /// Each token's mixture of the tokens of its own text.
    fn attention(
        &self,
        layer: &Layer,
        state: &[f32],
        lengths: &[usize],
        work: &mut Work,
    ) -> Vec<f32> {
        let (width, size) = (self.width, self.width / self.heads);
        let [query, key, value] = &mut work.parts;
        layer.query.apply(state, &mut work.weights, query);
        layer.key.apply(state, &mut work.weights, key);
        layer.value.apply(state, &mut work.weights, value);
        let scale = (size as f32).sqrt().recip();
        let mut mixed = vec![0.0; state.len()];
        let mut first = 0;
        for length in lengths {
            for head in 0..self.heads {
                let from = first * width + head * size;
                let part = |all| Matrix::part(all, from, (*length, size), width);
                work.scores.clear();
                work.scores.resize(length * length, 0.0);
                let keys = part(key).transposed();
                add_product(part(query), keys, scale, &mut work.scores, *length);
                work.scores.chunks_exact_mut(*length).for_each(softmax);
                let shares = Matrix::part(&work.scores, 0, (*length, *length), *length);
                let sum = mixed.get_mut(from..).unwrap_or_default();
                add_product(shares, part(value), 1.0, sum, width);
            }
            first += length;
        }
        mixed
    }
}

/// Memory that the layers use one after the other.
#[derive(Default)]
struct Work {
    weights: Vec<f32>,
    parts: [Vec<f32>; 3],
    scores: Vec<f32>,
    inner: Vec<f32>,
    out: Vec<f32>,
}

impl Linear {
    fn read(gguf: &Gguf, name: &str, to: usize, from: usize) -> Result<Self, Fault> {
        Ok(Self {
            weight: gguf.table(&format!("{name}.weight"), to, from)?,
            bias: gguf.numbers_of(&format!("{name}.bias"), 1, to)?,
        })
    }

    /// The rows of `from`, each times the weights.
    fn apply(&self, from: &[f32], weights: &mut Vec<f32>, to: &mut Vec<f32>) {
        let Table { rows, columns, .. } = self.weight;
        let count = from.len() / columns;
        self.weight.numbers(weights);
        to.clear();
        for _ in 0..count {
            to.extend_from_slice(&self.bias);
        }
        if count > 0 {
            let weights = Matrix::part(weights, 0, (rows, columns), columns).transposed();
            let from = Matrix::part(from, 0, (count, columns), columns);
            add_product(from, weights, 1.0, to, rows);
        }
    }
}

impl Norm {
    fn read(gguf: &Gguf, name: &str, width: usize, epsilon: f32) -> Result<Self, Fault> {
        Ok(Self {
            weight: gguf.numbers_of(&format!("{name}.weight"), 1, width)?,
            bias: gguf.numbers_of(&format!("{name}.bias"), 1, width)?,
            epsilon,
        })
    }

    fn apply(&self, rows: &mut [f32]) {
        normalize_rows(rows, &self.weight, &self.bias, self.epsilon);
    }
}

pub(crate) fn add(sum: &mut [f32], numbers: &[f32]) {
    for (sum, number) in sum.iter_mut().zip(numbers) {
        *sum += number;
    }
}
