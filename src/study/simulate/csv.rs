//! CSV helpers of the studies that are not yet described by schemas.

use crate::stats::ratio::Estimate;

/// A table as bytes.
pub(crate) struct CsvTable(csv::Writer<Vec<u8>>);

impl CsvTable {
    pub(crate) fn new(heading: &[String]) -> Self {
        let mut table = Self(csv::Writer::from_writer(Vec::new()));
        table.row(heading);
        table
    }

    pub(crate) fn row<T: AsRef<[u8]>>(&mut self, fields: &[T]) {
        self.0
            .write_record(fields)
            .expect("memory takes every record, and all rows of a table have the same length");
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0.into_inner().expect("memory can always be flushed")
    }
}

pub(crate) fn number(value: f64, decimals: usize) -> String {
    if value.is_finite() { format!("{value:.decimals$}") } else { String::new() }
}

/// A p-value with four significant digits, as in `2.171e-10`; nothing if there is no test.
pub(crate) fn format_p_value(p: f64) -> String {
    let rounded = format!("{p:.3e}").parse().unwrap_or(p);
    if p.is_nan() { String::new() } else { format!("{rounded:e}") }
}

pub(crate) fn rate(estimate: Estimate) -> [String; 3] {
    if estimate.n == 0 {
        Default::default()
    } else {
        [estimate.value, estimate.low, estimate.high].map(|value| number(value, 6))
    }
}

pub(crate) fn words(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}
