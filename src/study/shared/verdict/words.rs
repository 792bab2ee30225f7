//! The words of a verdict: short names of items, and numbers rounded to what their intervals
//! support.

use std::collections::BTreeMap;

/// Maximum number of characters of the name of an item.
pub(crate) const NAME_WIDTH: usize = 28;
/// Half-width of an interval from which numbers are multiples of [`COARSE_STEP`].
pub(crate) const COARSE: f64 = 10.0;
const COARSE_STEP: f64 = 5.0;

/// Returns the short names of the items of a run: the first form of at most [`NAME_WIDTH`]
/// characters that no other item has, else the beginning of the label.
pub(crate) fn short_names(labels: &[&str]) -> Vec<String> {
    let forms: Vec<_> = labels.iter().map(|label| forms(label)).collect();
    let mut uses = BTreeMap::new();
    for forms in &forms {
        let mut own = forms.clone();
        own.sort();
        own.dedup();
        for form in own {
            *uses.entry(form).or_insert(0) += 1;
        }
    }
    let name = |forms: &Vec<String>| {
        let fits = |form: &&String| form.chars().count() <= NAME_WIDTH && uses[*form] == 1;
        forms.iter().find(fits).cloned().unwrap_or_else(|| shorten(&forms[0], NAME_WIDTH))
    };
    forms.iter().map(name).collect()
}

/// Returns the beginning of a text that is longer than `width` characters.
pub(crate) fn shorten(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let begin: String = text.chars().take(width - 1).collect();
    format!("{}…", begin.trim_end_matches([' ', ',']))
}

/// Returns the forms of a label, the longest first: without a last part in parentheses, words that
/// all labels share and a last number; then without what follows the last comma; then without what
/// follows the colon.
fn forms(label: &str) -> Vec<String> {
    let label = label.trim_end();
    let bare = label.strip_suffix(')').and_then(|label| label.rsplit_once('('));
    let bare = bare.map_or(label, |(name, _)| name.trim_end());
    let bare = if bare.is_empty() { label } else { bare };
    let mut name = bare.to_owned();
    for (long, short) in [("produces ", ""), (" points", ""), (" point ", " "), (" + ", " ")] {
        name = name.replace(long, short);
    }
    if let Some((rest, number)) = name.rsplit_once(", ")
        && number.chars().all(|letter| letter.is_ascii_digit())
    {
        name = rest.to_owned();
    }
    let mut forms = vec![name.clone()];
    forms.extend(name.rsplit_once(',').map(|(rest, _)| rest.to_owned()));
    forms.extend(name.split_once(':').map(|(rest, _)| rest.to_owned()));
    forms
}

/// Returns a whole number.
pub(crate) fn whole(value: f64) -> String {
    signless_zero(&format!("{value:.0}"))
}

/// Returns a number with one decimal.
pub(crate) fn one_decimal(value: f64) -> String {
    signless_zero(&format!("{value:.1}"))
}

/// Returns a number that an interval with this half-width supports.
pub(crate) fn rounded(value: f64, half_width: f64) -> String {
    if half_width < COARSE { whole(value) } else { whole(to_step(value)) }
}

/// Returns a signed number with its half-width.
pub(crate) fn with_half_width(value: f64, half_width: f64) -> String {
    let (value, half_width) = if half_width < COARSE {
        (value.round(), (half_width - 0.5).ceil().max(1.0))
    } else {
        (to_step(value), COARSE_STEP * (half_width / COARSE_STEP - 0.3).ceil())
    };
    format!("{} ± {half_width:.0}", signed(value))
}

/// Returns a whole number with its sign, which 0 does not have.
pub(crate) fn signed(value: f64) -> String {
    match value.round() {
        value if value > 0.0 => format!("+{value:.0}"),
        value => whole(value),
    }
}

/// Returns a percentage.
pub(crate) fn percent(value: f64) -> String {
    if value >= 0.5 || value == 0.0 { format!("{value:.0} %") } else { "under 1 %".to_owned() }
}

fn to_step(value: f64) -> f64 {
    COARSE_STEP * (value / COARSE_STEP).round()
}

fn signless_zero(number: &str) -> String {
    let is_zero = number.chars().all(|letter| "-0.".contains(letter));
    if is_zero { number.trim_start_matches('-').to_owned() } else { number.replace('-', "−") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_differ() {
        let labels = [
            "3 wood + 2 clay + 2 stone → 16 points (w3c2s2)",
            "Meadow: produces 1 wood a round, 2 points (meadow_income_wood)",
            "Meadow: 1 point per desert, 1",
            "Outfitter: pays less for all tools that others have, and more",
            "Farmer: sows",
            "Farmer: reaps",
        ];
        assert_eq!(
            short_names(&labels),
            [
                "3 wood 2 clay 2 stone → 16",
                "Meadow: 1 wood a round",
                "Meadow: 1 per desert",
                "Outfitter",
                "Farmer: sows",
                "Farmer: reaps",
            ]
        );
        let long = ["A very long name of a tile in the south: x", "A very long name of a tile in"];
        assert_eq!(short_names(&long)[0], "A very long name of a tile…");
    }

    #[test]
    fn numbers_have_the_precision_of_their_intervals() {
        for (value, half_width, shown) in [
            (11.2, 3.6, "+11 ± 4"),
            (0.3, 0.4, "0 ± 1"),
            (-1.4, 1.6, "−1 ± 2"),
            (71.0, 10.4, "+70 ± 10"),
            (68.0, 13.0, "+70 ± 15"),
        ] {
            assert_eq!(with_half_width(value, half_width), shown);
        }
        assert_eq!([percent(0.2), percent(0.0), percent(12.6)], ["under 1 %", "0 %", "13 %"]);
        assert_eq!([whole(-0.2), whole(-3.0), signed(2.2)], ["0", "−3", "+2"]);
    }
}
