//! Products of matrices, and the functions of a transformer.

/// Numbers in rows.
#[derive(Clone, Copy)]
pub(crate) struct Matrix<'a> {
    pub(crate) numbers: &'a [f32],
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// From a row to the next, and from a column to the next.
    pub(crate) steps: (usize, usize),
}

impl<'a> Matrix<'a> {
    /// So many rows and columns of a larger matrix, whose rows are `step` numbers apart, from a number on.
    pub(crate) fn part(
        all: &'a [f32],
        from: usize,
        (rows, columns): (usize, usize),
        step: usize,
    ) -> Self {
        Self {
            numbers: all.get(from..).unwrap_or_default(),
            rows,
            columns,
            steps: (step, 1),
        }
    }

    pub(crate) fn transposed(self) -> Self {
        Self {
            rows: self.columns,
            columns: self.rows,
            steps: (self.steps.1, self.steps.0),
            ..self
        }
    }
}

/// The numbers from the first to the last of a matrix.
fn reach(rows: usize, columns: usize, steps: (usize, usize)) -> Option<usize> {
    let down = rows.checked_sub(1)?.checked_mul(steps.0)?;
    let across = columns.checked_sub(1)?.checked_mul(steps.1)?;
    down.checked_add(across)?.checked_add(1)
}

/// Adds `scale · a · b` to a part of `sum`, whose rows are `step` numbers apart.
#[allow(unsafe_code)]
pub(crate) fn add_product(a: Matrix<'_>, b: Matrix<'_>, scale: f32, sum: &mut [f32], step: usize) {
    let fits = |matrix: Matrix<'_>| {
        reach(matrix.rows, matrix.columns, matrix.steps)
            .is_some_and(|reach| reach <= matrix.numbers.len())
    };
    let sum_fits = reach(a.rows, b.columns, (step, 1)).is_some_and(|reach| reach <= sum.len());
    assert!(
        fits(a) && fits(b) && sum_fits && a.columns == b.rows && step >= b.columns,
        "matrices that do not fit together"
    );
    // No slice is longer than `isize::MAX`.
    let (a_steps, b_steps) = (a.steps, b.steps);
    // SAFETY: all three matrices lie within their slices, as was just checked, and no two elements of `sum` are the same.
    unsafe {
        matrixmultiply::sgemm(
            a.rows,
            a.columns,
            b.columns,
            scale,
            a.numbers.as_ptr(),
            a_steps.0.cast_signed(),
            a_steps.1.cast_signed(),
            b.numbers.as_ptr(),
            b_steps.0.cast_signed(),
            b_steps.1.cast_signed(),
            1.0,
            sum.as_mut_ptr(),
            step.cast_signed(),
            1,
        );
    }
}

/// The sum of `f` of all numbers, in eight parts that a processor adds at once.
fn sum(numbers: &[f32], f: impl Fn(f32) -> f32) -> f32 {
    let (blocks, rest) = numbers.as_chunks::<8>();
    let mut parts = [0.0; 8];
    for block in blocks {
        for (part, number) in parts.iter_mut().zip(block) {
            *part += f(*number);
        }
    }
    parts
        .into_iter()
        .chain(rest.iter().map(|number| f(*number)))
        .sum()
}

/// Scales each row to mean 0 and variance 1, and then by weight and bias.
pub(crate) fn normalize_rows(rows: &mut [f32], weight: &[f32], bias: &[f32], epsilon: f32) {
    for row in rows.chunks_exact_mut(weight.len()) {
        let count = weight.len() as f32;
        let mean = sum(row, |number| number) / count;
        let variance = sum(row, |number| (number - mean) * (number - mean)) / count;
        let scale = 1.0 / (variance + epsilon).sqrt();
        for ((number, weight), bias) in row.iter_mut().zip(weight).zip(bias) {
            *number = (*number - mean) * scale * weight + bias;
        }
    }
}

/// Makes a row of scores one of shares.
pub(crate) fn softmax(row: &mut [f32]) {
    let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for number in row.iter_mut() {
        *number = exp(*number - most);
    }
    let all = sum(row, |number| number);
    for number in row {
        *number /= all;
    }
}

/// `x · Φ(x)`, where Φ is the normal distribution.
pub(crate) fn gelu(x: f32) -> f32 {
    // The error function by Abramowitz and Stegun, 7.1.26: at most 1.5e-7 off.
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let tail = t
        * (0.254_829_6
            + t * (-0.284_496_72 + t * (1.421_413_8 + t * (-1.453_152_1 + t * 1.061_405_4))))
        * exp(-z * z);
    0.5 * (x + x.abs() * (1.0 - tail))
}

/// The exponential function for numbers up to 0, without a call, so that a processor makes several at once.
fn exp(x: f32) -> f32 {
    /// Adding it rounds to a whole number, which is in the low bits then.
    const ROUND: f32 = 12_582_912.0;
    let power = x.max(-87.0) * std::f32::consts::LOG2_E + ROUND;
    let rest = x.max(-87.0) - (power - ROUND) * std::f32::consts::LN_2;
    let near =
        1.0 + rest * (1.0 + rest * (0.5 + rest * (1.0 / 6.0 + rest * (1.0 / 24.0 + rest / 120.0))));
    near * f32::from_bits(power.to_bits().wrapping_add(127) << 23)
}

#[cfg(test)]
mod tests {
    use super::{Matrix, add_product, exp, gelu, normalize_rows, softmax};

    #[test]
    fn exp_and_gelu_are_near() {
        for step in -2000..=0_i16 {
            let x = f32::from(step) / 25.0;
            assert!((exp(x) - x.exp()).abs() <= 1e-5 * x.exp(), "{x}");
        }
        // By the function itself, in more digits.
        for (x, y) in [
            (-3.0, -0.004_049_7),
            (-0.5, -0.154_268_77),
            (0.0, 0.0),
            (1.0, 0.841_344_7),
            (4.0, 3.999_873_3),
        ] {
            assert!((gelu(x) - y).abs() < 2e-6, "{x}: {}", gelu(x));
        }
    }

    #[test]
    fn products_of_parts_are_added() {
        let a = [1.0, 2.0, 9.0, 3.0, 4.0, 9.0];
        let b = [5.0, 6.0, 7.0, 8.0];
        let mut sum = [1.0; 6];
        let (a, b) = (
            Matrix::part(&a, 0, (2, 2), 3),
            Matrix::part(&b, 0, (2, 2), 2),
        );
        add_product(a, b, 2.0, &mut sum, 4);
        assert_eq!(sum, [39.0, 45.0, 1.0, 1.0, 87.0, 101.0]);
        let mut sum = [0.0; 4];
        add_product(a, b.transposed(), 1.0, &mut sum, 2);
        assert_eq!(sum, [17.0, 23.0, 39.0, 53.0]);
    }

    #[test]
    #[should_panic(expected = "do not fit")]
    fn matrix_beyond_its_numbers_is_refused() {
        let a = [0.0; 5];
        let matrix = Matrix::part(&a, 0, (2, 3), 3);
        add_product(matrix, matrix.transposed(), 1.0, &mut [0.0; 4], 2);
    }

    #[test]
    fn rows_are_normalized() {
        let mut rows = [1.0, 3.0, 5.0, 5.0];
        normalize_rows(&mut rows, &[1.0, 2.0], &[0.0, 1.0], 0.0);
        assert_eq!(rows[..2], [-1.0, 3.0]);
        let mut row = [0.0, 0.0, f32::NEG_INFINITY];
        softmax(&mut row);
        assert_eq!(row[..2], [0.5, 0.5]);
        assert!(row[2] < 1e-30);
    }
}
