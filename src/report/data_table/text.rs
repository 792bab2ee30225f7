//! Data tables as text for the terminal.

use std::fmt::Write as _;

use super::{Column, ColumnKind, Field, TableView, Value, ValuePart};
use crate::{
    report::{
        html::{MAX_EXTRA_DECIMALS, MIN_P, Unit},
        text::{TEXT_WIDTH, escape_name, pad, text_width, truncate},
    },
    stats::ratio::Estimate,
};

/// Minimum width to which the first column shrinks.
const MIN_NAME_WIDTH: usize = 12;
/// Minimum width of a shortened label before the name of an item.
const MIN_LABEL_WIDTH: usize = 8;

impl TableView<'_> {
    /// Returns the view as aligned text of at most 80 columns, with a line of headings.
    ///
    /// The labels of items in the first column are shortened as far as needed. A name that is
    /// longer than its column has a line of its own before its row; nothing is cut off.
    pub fn text(&self) -> String {
        let fields = || self.fields.iter().map(|field| (self.column(field), field));
        let heading = |(column, field): (&Column, &&Field)| {
            let is_value = column.kind == ColumnKind::Estimate && field.part == ValuePart::Value;
            let unit = if is_value { column.unit.suffix() } else { "" };
            format!("{}{unit}", column.heading(field.part))
        };
        let mut lines: Vec<Vec<String>> = vec![fields().map(heading).collect()];
        lines.extend(self.rows.iter().map(|row| {
            let text =
                |(column, field): (&Column, &&Field)| text(column, field.part, &row[field.column]);
            fields().map(text).collect()
        }));
        let width = |index: usize| lines.iter().map(|line| text_width(&line[index])).max();
        let mut widths: Vec<_> =
            (0..self.fields.len()).map(|index| width(index).unwrap_or(0)).collect();
        let others: usize = widths.iter().skip(1).map(|width| width + 2).sum();
        let first_values = self.rows.iter().map(|row| row.get(self.fields.first()?.column));
        let first_values: Vec<_> = first_values.collect();
        if let Some(first) = widths.first_mut() {
            *first =
                (*first).min(TEXT_WIDTH.saturating_sub(others)).max(MIN_NAME_WIDTH.min(*first));
            let cells = lines.iter_mut().skip(1).filter_map(|line| line.first_mut());
            for (cell, value) in cells.zip(first_values) {
                if let Some(Value::Item(name, label)) = value {
                    *cell = item_text(name, label, *first);
                }
            }
        }
        let mut text = String::new();
        for line in &lines {
            let mut shown = String::new();
            let mut line = line.clone();
            if let (Some(name), Some(&width)) = (line.first_mut(), widths.first())
                && text_width(name) > width
            {
                let _ = writeln!(text, "{}", escape_name(&std::mem::take(name)));
            }
            for ((cell, &width), (column, _)) in line.iter().zip(&widths).zip(fields()) {
                let is_text = matches!(
                    column.kind,
                    ColumnKind::Text | ColumnKind::Label | ColumnKind::Word(_)
                );
                let gap = if shown.is_empty() && width > 0 { "" } else { "  " };
                let cell = escape_name(cell);
                shown += gap;
                shown += &if is_text { pad(&cell, width) } else { format!("{cell:>width$}") };
            }
            let _ = writeln!(text, "{}", shown.trim_end());
        }
        text
    }
}

fn text(column: &Column, part: ValuePart, value: &Value) -> String {
    if let Some((estimate, unit)) = value.estimate(column) {
        let suffix = if unit == column.unit { "" } else { unit.suffix() };
        return match part {
            ValuePart::N => estimate.n.to_string(),
            _ => format!("{}{suffix}", terminal_estimate(estimate, unit)),
        };
    }
    if let Some(number) = column.number_from_1(value) {
        return number.to_string();
    }
    match value {
        Value::Text(text) => text.clone(),
        Value::Item(name, label) => item_text(name, label, usize::MAX),
        Value::Integer(value) => value.to_string(),
        &Value::P(p) if p < MIN_P => format!("<{MIN_P}"),
        Value::P(p) if !p.is_nan() => format!("{p:.4}"),
        _ => String::new(),
    }
}

/// Returns the label of an item with its name, as in `2 clay → 2 points (c2)`, in at most `width`
/// columns: a shortened label, or the name alone if there is no room.
fn item_text(name: &str, label: &str, width: usize) -> String {
    if name == label {
        return name.to_owned();
    }
    // A name that has a line of its own has its label there.
    let width = if text_width(name) > width { TEXT_WIDTH } else { width };
    let room = width.saturating_sub(text_width(name) + " ()".len());
    if room < MIN_LABEL_WIDTH.min(text_width(label)) {
        return name.to_owned();
    }
    format!("{} ({name})", truncate(label, room))
}

/// Formats an estimate for the terminal as `value [low, high]`, without the suffix of its unit.
///
/// More decimals are shown if the ends would be equal. Without an interval only the value is shown,
/// and without a value a hyphen.
pub(crate) fn terminal_estimate(estimate: Estimate, unit: Unit) -> String {
    let (scale, decimals, signed) = match unit {
        Unit::Percent => (100.0, 2, false),
        Unit::PercentagePoints => (100.0, 2, true),
        Unit::Decimals(decimals) => (1.0, decimals, false),
        Unit::Signed(decimals) => (1.0, decimals, true),
    };
    let format = |value: f64, decimals: usize| {
        let value = scale * value;
        if signed { format!("{value:+.decimals$}") } else { format!("{value:.decimals$}") }
    };
    let Estimate { value, low, high, .. } = estimate;
    if !value.is_finite() {
        return "-".to_owned();
    }
    if !low.is_finite() || !high.is_finite() {
        return format(value, decimals);
    }
    let differ = |more: &usize| format(low, decimals + more) != format(high, decimals + more);
    let more = (0..MAX_EXTRA_DECIMALS).find(differ).unwrap_or(MAX_EXTRA_DECIMALS);
    let [value, low, high] = [value, low, high].map(|value| format(value, decimals + more));
    format!("{value} [{low}, {high}]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_shown_with_label_and_name() {
        let shown = |width| item_text("w2c1", "2 wood + 1 clay → 4 points", width);
        assert_eq!(shown(33), "2 wood + 1 clay → 4 points (w2c1)");
        assert_eq!(shown(20), "2 wood + 1 c… (w2c1)");
        assert_eq!(shown(12), "w2c1");
        assert_eq!(shown(3), "2 wood + 1 clay → 4 points (w2c1)");
        assert_eq!(item_text("boat", "boat", 80), "boat");
        assert_eq!(item_text("L3", "Pier", 80), "Pier (L3)");
    }

    #[test]
    fn intervals_have_two_different_ends_or_are_left_out() {
        let shown = |value: f64, half_width: f64| {
            let (low, high) = (value - half_width, value + half_width);
            terminal_estimate(Estimate { n: 7, value, low, high }, Unit::Signed(1))
        };
        assert_eq!(shown(1.5, 2.0), "+1.5 [-0.5, +3.5]");
        assert_eq!(shown(1.5, 0.002), "+1.500 [+1.498, +1.502]");
        assert_eq!(shown(1.5, f64::INFINITY), "+1.5");
        assert_eq!(shown(f64::NAN, f64::INFINITY), "-");
    }
}
