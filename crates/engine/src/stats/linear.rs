//! Linear algebra with small dense matrices.

/// A square matrix, row by row.
pub(super) type Matrix = Vec<Vec<f64>>;

/// Creates a matrix of zeros.
pub(super) fn zeros(size: usize) -> Matrix {
    vec![vec![0.0; size]; size]
}

/// Adds `weight` times the outer product of a vector with itself.
pub(super) fn add_square(matrix: &mut Matrix, vector: &[f64], weight: f64) {
    for (row, one) in matrix.iter_mut().zip(vector) {
        row.iter_mut().zip(vector).for_each(|(entry, other)| *entry += weight * one * other);
    }
}

/// Returns the product of two matrices.
pub(super) fn product(one: &Matrix, other: &Matrix) -> Matrix {
    let entry = |row: &[f64], column: usize| {
        row.iter().zip(other).map(|(entry, other)| entry * other[column]).sum()
    };
    one.iter().map(|row| (0..other.len()).map(|column| entry(row, column)).collect()).collect()
}

/// Returns the inverse of a symmetric positive definite matrix.
pub(super) fn inverse(matrix: &Matrix) -> Matrix {
    let unit =
        |one: usize| (0..matrix.len()).map(|other| f64::from(u8::from(one == other))).collect();
    (0..matrix.len()).map(|row| solve(matrix.concat(), unit(row))).collect()
}

/// Solves a symmetric positive definite system, given by the entries of its matrix row by row, by
/// Cholesky decomposition.
pub(super) fn solve(mut matrix: Vec<f64>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for row in 0..size {
        for column in 0..=row {
            let dot: f64 = (0..column)
                .map(|inner| matrix[row * size + inner] * matrix[column * size + inner])
                .sum();
            let rest = matrix[row * size + column] - dot;
            matrix[row * size + column] = if row == column {
                rest.max(1e-12).sqrt()
            } else {
                rest / matrix[column * size + column]
            };
        }
    }
    for row in 0..size {
        let dot: f64 = (0..row).map(|inner| matrix[row * size + inner] * right[inner]).sum();
        right[row] = (right[row] - dot) / matrix[row * size + row];
    }
    for row in (0..size).rev() {
        let dot: f64 = (row + 1..size).map(|inner| matrix[inner * size + row] * right[inner]).sum();
        right[row] = (right[row] - dot) / matrix[row * size + row];
    }
    right
}
