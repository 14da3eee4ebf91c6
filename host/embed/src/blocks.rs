//! Numbers as files keep them: whole, in half the bits, or in blocks of few bits each with a common scale.

use super::fault::{Fault, unfit};

/// Numbers in a block.
const BLOCK: usize = 32;

/// How a tensor keeps its numbers.
#[derive(Clone, Copy)]
pub(crate) enum Blocks {
    F32,
    F16,
    /// A scale, then 16 bytes with two numbers each: one of the first half of the block, one of the second.
    Q4,
    /// A scale, then a byte for each number.
    Q8,
}

impl Blocks {
    /// By llama.cpp's number.
    pub(crate) fn of_code(code: u32, tensor: &str) -> Result<Self, Fault> {
        match code {
            0 => Ok(Self::F32),
            1 => Ok(Self::F16),
            2 => Ok(Self::Q4),
            8 => Ok(Self::Q8),
            _ => unfit(format!(
                "{tensor} is in a form that is not known ({code}); take a file in F16, Q8_0 or Q4_0"
            )),
        }
    }

    /// The bytes of a row.
    pub(crate) fn bytes(self, columns: usize) -> usize {
        let blocks = columns.div_ceil(BLOCK);
        match self {
            Self::F32 => columns.saturating_mul(4),
            Self::F16 => columns.saturating_mul(2),
            Self::Q4 => blocks.saturating_mul(2 + BLOCK / 2),
            Self::Q8 => blocks.saturating_mul(2 + BLOCK),
        }
    }

    /// Appends the numbers.
    pub(crate) fn read(self, bytes: &[u8], numbers: &mut Vec<f32>) {
        match self {
            Self::F32 => {
                let (all, _) = bytes.as_chunks();
                numbers.extend(all.iter().map(|bytes| f32::from_le_bytes(*bytes)));
            }
            Self::F16 => {
                let (all, _) = bytes.as_chunks();
                numbers.extend(all.iter().map(|bytes| half(*bytes)));
            }
            Self::Q4 => {
                let (blocks, _) = bytes.as_chunks::<{ 2 + BLOCK / 2 }>();
                let start = numbers.len();
                numbers.resize(start + blocks.len() * BLOCK, 0.0);
                let (made, _) = numbers
                    .get_mut(start..)
                    .unwrap_or_default()
                    .as_chunks_mut::<BLOCK>();
                for (made, [low, high, pairs @ ..]) in made.iter_mut().zip(blocks) {
                    let scale = half([*low, *high]);
                    let (first, second) = made.split_at_mut(BLOCK / 2);
                    for ((first, second), pair) in first.iter_mut().zip(second).zip(pairs) {
                        *first = (f32::from(pair & 15) - 8.0) * scale;
                        *second = (f32::from(pair >> 4) - 8.0) * scale;
                    }
                }
            }
            Self::Q8 => {
                let (blocks, _) = bytes.as_chunks::<{ 2 + BLOCK }>();
                for [low, high, all @ ..] in blocks {
                    let scale = half([*low, *high]);
                    numbers.extend(all.map(|byte| f32::from(byte.cast_signed()) * scale));
                }
            }
        }
    }
}

/// A number of 16 bits. Weights are finite.
fn half(bytes: [u8; 2]) -> f32 {
    let bits = u32::from(u16::from_le_bytes(bytes));
    // The exponent's zero is 15 in the one form and 127 in the other.
    let magnitude = f32::from_bits((bits & 0x7fff) << 13) * f32::from_bits((127 + 112) << 23);
    f32::from_bits(magnitude.to_bits() | (bits & 0x8000) << 16)
}

#[cfg(test)]
mod tests {
    use super::{Blocks, half};

    #[test]
    fn halves_are_read() {
        for (bits, number) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_95),
            (0x7bff, 65504.0),
            (0x0001, 5.960_464_5e-8),
            (0x8000, -0.0),
        ] {
            assert_eq!(half(u16::to_le_bytes(bits)).to_bits(), f32::to_bits(number));
        }
    }

    #[test]
    fn blocks_are_read_in_their_order() {
        let mut numbers = Vec::new();
        let pairs = (0..16).map(|at| at | ((15 - at) << 4));
        let block: Vec<u8> = [0x00, 0x38].into_iter().chain(pairs).collect();
        Blocks::Q4.read(&block, &mut numbers);
        let up = (0..16_i8).map(|bits| f32::from(bits - 8) / 2.0);
        assert!(up.clone().chain(up.rev()).eq(numbers.drain(..)));

        let block: Vec<u8> = [0x00, 0x40]
            .into_iter()
            .chain(240..=255)
            .chain(0..16)
            .collect();
        Blocks::Q8.read(&block, &mut numbers);
        assert!((-16..16_i8).map(|byte| f32::from(byte) * 2.0).eq(numbers));
    }
}
