//! Random edits of data files: which keys vary, and how.

use rand::{
    RngExt as _,
    seq::{IndexedRandom as _, SliceRandom as _},
};
use toml::{Table, Value};

use super::{BoundedInteger, ConfigError, Document, KeyPlace, KeyType, difference::Difference};
use crate::{keys, rng::Rng};

/// A part of a key that stands for any name or number.
const ANY: &str = "*";

/// An integer of a data file.
type Limit = BoundedInteger<-1_000_000, 1_000_000>;

keys! {
    /// The edits that files vary by.
    pub struct EditRanges {
        /// The numbers of edits of a file, all as probable.
        pub edits: Vec<BoundedInteger<1, 100>>,
        /// The edits.
        pub edit: Vec<EditRange>,
    }

    /// An edit: keys that vary together. It has one of `add`, `uniform`, `log`, `scale`, `shuffle`
    /// and `choice`.
    pub struct EditRange {
        /// The keys, in which `*` stands for any name or number.
        pub keys: Vec<String>,
        /// The weight of the edit in the draw, relative to the others.
        pub weight: BoundedInteger<0, 1000> = BoundedInteger::new(1),
        /// True if all keys vary, false if few or many do.
        pub all: bool = false,
        /// True if tables without the last part of a key get it, with the value 0.
        pub create: bool = false,
        /// Adds a number between these two, but not 0. Values from 0 do not become negative.
        pub add: Option<(Limit, Limit)>,
        /// Draws a number between these two.
        pub uniform: Option<(Limit, Limit)>,
        /// Draws a number between these two, of which the logarithm is uniform.
        pub log: Option<(BoundedInteger<1, 1_000_000>, BoundedInteger<1, 1_000_000>)>,
        /// Multiplies all values by one number between these two, of which the logarithm is
        /// uniform.
        pub scale: Option<(f64, f64)>,
        /// Exchanges the values of the keys.
        pub shuffle: bool = false,
        /// Draws one of these values. The values of a table replace those of the same name.
        pub choice: Option<Vec<AnyValue>>,
    }
}

/// Any value of a data file.
#[derive(Clone, Debug)]
pub struct AnyValue(Value);

impl KeyType for AnyValue {
    fn accepted() -> String {
        "a value".to_owned()
    }

    fn read(_: KeyPlace<'_>, value: &Value) -> Result<Self, ConfigError> {
        Ok(Self(value.clone()))
    }
}

impl EditRanges {
    /// Reads the edits of a file.
    ///
    /// # Errors
    /// Returns an error if a key is wrong, or if an edit does not say how its keys vary.
    pub fn read(document: &Document) -> Result<Self, ConfigError> {
        let ranges: Self = document.parse()?;
        if ranges.edits.is_empty() {
            return Err(document.error("edits", "expected numbers of edits"));
        }
        for (index, edit) in ranges.edit.iter().enumerate() {
            let error = |message| Err(document.error(&format!("edit[{index}]"), message));
            let EditRange { add, uniform, log, scale, shuffle, choice, .. } = edit;
            let numbers = [add.is_some(), uniform.is_some(), log.is_some(), scale.is_some()];
            let ways = [*shuffle, choice.as_ref().is_some_and(|values| !values.is_empty())];
            if numbers.into_iter().chain(ways).filter(|&is_given| is_given).count() != 1 {
                return error("expected one of add, uniform, log, scale, shuffle and choice");
            }
            let bounds = [add, uniform].into_iter().flatten();
            let bounds = bounds.map(|(low, high)| low.signed() <= high.signed());
            let log = log.iter().map(|(low, high)| low.signed() <= high.signed());
            let scale = scale.iter().map(|&(low, high)| 0.0 < low && low <= high);
            if !bounds.chain(log).chain(scale).all(|is_ordered| is_ordered) {
                return error("expected a lower number and a higher one");
            }
        }
        if ranges.edit.iter().all(|edit| edit.weight.get() == 0) {
            return Err(document.error("edit", "expected edits with a weight"));
        }
        Ok(ranges)
    }

    /// Returns a data file with a random number of random edits. The game may refuse it.
    ///
    /// # Errors
    /// Returns an error if the file is not TOML.
    pub fn draw(&self, file: &Document, rng: &mut Rng) -> Result<Document, ConfigError> {
        let mut table = file.table()?;
        let count = self.edits.choose(rng).map_or(1, |count| count.get());
        for _ in 0..count {
            // There is a weight.
            if let Ok(edit) = self.edit.choose_weighted(rng, |edit| edit.weight.get()) {
                edit.apply(&mut table, rng);
            }
        }
        Ok(Document { name: format!("{} with random edits", file.name), text: table.to_string() })
    }

    /// Returns true if an edit of a file can make this difference.
    pub fn cover(&self, difference: &Difference) -> bool {
        self.edit.iter().any(|edit| edit.covers(difference))
    }

    /// Returns the keys of edits that a data file does not have.
    ///
    /// # Errors
    /// Returns an error if the file is not TOML.
    pub fn unknown_keys(&self, file: &Document) -> Result<Vec<&str>, ConfigError> {
        let table = file.table()?;
        let mut keys = Vec::new();
        for edit in &self.edit {
            for key in &edit.keys {
                if edit.places(key, &mut Value::Table(table.clone())).is_empty() {
                    keys.push(key.as_str());
                }
            }
        }
        Ok(keys)
    }
}

impl EditRange {
    /// Returns true if the edit can make this difference.
    fn covers(&self, Difference { key, old, new }: &Difference) -> bool {
        let Some(new) = new else { return false };
        let matches = |pattern: &String| rest_of_key(pattern, key);
        let mut rests = self.keys.iter().filter_map(matches);
        if let Some(values) = &self.choice {
            let has = |rest: &str, AnyValue(value): &AnyValue| {
                let mut parts = rest.split('.').filter(|part| !part.is_empty());
                let value = parts.try_fold(value, |value, part| value.get(part));
                value.is_some_and(|value| value.to_string() == *new)
            };
            return rests.any(|rest| values.iter().any(|value| has(rest, value)));
        }
        let is_created = old.is_none() && self.create;
        if !rests.any(str::is_empty) || (old.is_none() && !is_created) {
            return false;
        }
        // A table whose new key was not drawn has 0, as before.
        if is_created && new == "0" {
            return true;
        }
        let [old, new] = [old.as_deref().unwrap_or("0"), new].map(str::parse::<f64>);
        let (Ok(old), Ok(new)) = (old, new) else { return self.shuffle };
        let limits = |(low, high): (Limit, Limit)| [low.signed() as f64, high.signed() as f64];
        let range = match self {
            Self { add: Some(range), .. } => limits(*range).map(|change| (old + change).max(0.0)),
            Self { uniform: Some(range), .. } => limits(*range),
            Self { log: Some((low, high)), .. } => [low, high].map(|limit| limit.get().into()),
            Self { scale: Some((low, high)), .. } => {
                [low, high].map(|factor| (old * factor).round())
            }
            _ => return self.shuffle,
        };
        range[0] <= new && new <= range[1]
    }

    /// Returns the values of a key.
    fn places<'a>(&self, key: &str, file: &'a mut Value) -> Vec<&'a mut Value> {
        let parts: Vec<_> = key.split('.').collect();
        let mut places = Vec::new();
        add_places(file, &parts, self.create, &mut places);
        places
    }

    /// Draws the values of the keys.
    fn apply(&self, file: &mut Table, rng: &mut Rng) {
        let mut root = Value::Table(std::mem::take(file));
        for key in &self.keys {
            let mut places = self.places(key, &mut root);
            if !self.all {
                places.shuffle(rng);
                // One key is as probable as the half of them.
                let count = (places.len() as f64).powf(rng.random::<f64>()).round() as usize;
                places.truncate(count);
            }
            self.draw_values(places, rng);
        }
        if let Value::Table(table) = root {
            *file = table;
        }
    }

    fn draw_values(&self, mut places: Vec<&mut Value>, rng: &mut Rng) {
        if self.shuffle {
            let mut values: Vec<_> = places.iter().map(|place| (*place).clone()).collect();
            values.shuffle(rng);
            places.into_iter().zip(values).for_each(|(place, value)| *place = value);
            return;
        }
        if let Some(values) = &self.choice {
            for place in places {
                match (place, values.choose(rng)) {
                    (Value::Table(table), Some(AnyValue(Value::Table(values)))) => {
                        table.extend(values.clone());
                    }
                    (place, Some(AnyValue(value))) => *place = value.clone(),
                    (_, None) => {}
                }
            }
            return;
        }
        let factor = self.scale.map(|(low, high)| logarithmic(low, high, rng));
        for place in &mut places {
            let Value::Integer(value) = place else { continue };
            if let Some((low, high)) = self.add {
                let (low, high) = (low.signed(), high.signed());
                let skips_zero = low <= 0 && high > 0;
                let change = rng.random_range(low..=high - i64::from(skips_zero));
                let change = change + i64::from(skips_zero && change >= 0);
                *value = (*value + change).max((*value).min(0));
            } else if let Some((low, high)) = self.uniform {
                *value = rng.random_range(low.signed()..=high.signed());
            } else if let Some((low, high)) = self.log {
                let [low, high] = [low, high].map(|limit| f64::from(limit.get()));
                *value = logarithmic(low, high, rng).round() as i64;
            } else if let Some(factor) = factor {
                *value = (*value as f64 * factor).round() as i64;
            }
        }
    }
}

/// Returns the parts of a key after those of a pattern; `None` if it does not match.
fn rest_of_key<'a>(pattern: &str, mut key: &'a str) -> Option<&'a str> {
    for part in pattern.split('.') {
        let (first, rest) = key.split_once('.').unwrap_or((key, ""));
        if first.is_empty() || (part != ANY && part != first) {
            return None;
        }
        key = rest;
    }
    Some(key)
}

/// Draws a number whose logarithm is uniform.
fn logarithmic(low: f64, high: f64, rng: &mut Rng) -> f64 {
    low * (high / low).powf(rng.random::<f64>())
}

/// Adds the values with these parts of a key below a value.
fn add_places<'a>(
    value: &'a mut Value,
    parts: &[&str],
    create: bool,
    places: &mut Vec<&'a mut Value>,
) {
    let Some((&part, rest)) = parts.split_first() else { return places.push(value) };
    match value {
        Value::Table(table) => {
            if create && rest.is_empty() && part != ANY && !table.contains_key(part) {
                table.insert(part.to_owned(), Value::Integer(0));
            }
            for (key, value) in table.iter_mut() {
                if part == ANY || key == part {
                    add_places(value, rest, create, places);
                }
            }
        }
        Value::Array(entries) => {
            for (index, value) in entries.iter_mut().enumerate() {
                let id = value.get("id").and_then(Value::as_str);
                let is_named = || id.map_or_else(|| index.to_string() == part, |id| id == part);
                if part == ANY || is_named() {
                    add_places(value, rest, create, places);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step ends the test")]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};

    const FILE: &str = "tokens = [5, 3, 1]\ncard = [{ id = \"a\", points = 4 }, \
                        { id = \"b\", points = 9, food = 2 }]\n";

    /// Draws 100 files with one edit, and returns the values of a key.
    fn drawn(edit: &str, key: &str) -> Vec<i64> {
        let document = |text: &str| Document::embedded("file", text);
        let ranges = EditRanges::read(&document(&format!("edits = [1]\n[[edit]]\n{edit}")));
        let ranges = ranges.unwrap();
        let mut file = (0..100).map(|number| {
            let mut rng = stream(1, 0, number, Purpose::Edits);
            let file = ranges.draw(&document(FILE), &mut rng).unwrap();
            file.scalar(key).unwrap().value.parse().unwrap()
        });
        let mut values: Vec<i64> = file.by_ref().collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    #[test]
    fn values_are_within_their_ranges() {
        let points = "keys = [\"card.*.points\"]\nall = true\n";
        assert_eq!(drawn(&format!("{points}add = [-2, 1]"), "card.b.points"), [7, 8, 10]);
        assert_eq!(drawn(&format!("{points}add = [-9, -3]"), "card.a.points"), [0, 1]);
        assert_eq!(drawn(&format!("{points}uniform = [2, 4]"), "card.a.points"), [2, 3, 4]);
        let log = drawn(&format!("{points}log = [8, 64]"), "card.a.points");
        assert!(log.len() > 20 && log[0] >= 8 && *log.last().unwrap() <= 64, "{log:?}");
        assert_eq!(drawn(&format!("{points}scale = [3, 3]"), "card.b.points"), [27]);
        assert_eq!(drawn(&format!("{points}shuffle = true"), "card.b.points"), [4, 9]);
        assert_eq!(drawn(&format!("{points}choice = [1, 7]"), "card.a.points"), [1, 7]);
        assert_eq!(drawn("keys = [\"card.b.points\"]\nuniform = [1, 1]", "card.a.points"), [4]);
        assert_eq!(drawn("keys = [\"tokens.*\"]\nscale = [2, 2]", "tokens.0"), [5, 10]);
        let table = "keys = [\"card.a\"]\nchoice = [{ points = 2, food = 1 }]";
        assert_eq!(drawn(table, "card.a.food"), [1]);
        let created = "keys = [\"card.*.food\"]\nall = true\ncreate = true\nadd = [1, 1]";
        assert_eq!(drawn(created, "card.a.food"), [1]);
        assert_eq!(drawn(created, "card.b.food"), [3]);
    }

    #[test]
    fn drawn_differences_are_covered_and_others_are_not() {
        let file = |text: &str| Document::embedded("file", text);
        let edits = "edits = [1]\n\
            [[edit]]\nkeys = [\"card.*.points\"]\nadd = [-2, 1]\n\
            [[edit]]\nkeys = [\"card.*.points\"]\nlog = [8, 64]\n\
            [[edit]]\nkeys = [\"card.*.food\"]\ncreate = true\nuniform = [1, 3]\n\
            [[edit]]\nkeys = [\"tokens.*\"]\nscale = [2.0, 3.0]\n\
            [[edit]]\nkeys = [\"card.*\"]\nchoice = [{ gain = { wood = 2 } }, { points = 99 }]\n";
        let ranges = EditRanges::read(&file(edits)).unwrap();
        let old = file(FILE);
        let covered = |text: &str| {
            let differences = file(text).differences_from(&old).unwrap();
            differences.iter().map(|difference| ranges.cover(difference)).collect::<Vec<_>>()
        };
        for number in 0..100 {
            let drawn = ranges.draw(&old, &mut stream(1, 0, number, Purpose::Edits)).unwrap();
            assert!(covered(&drawn.text).into_iter().all(|is_covered| is_covered), "{drawn:?}");
        }
        for (from, to, expected) in [
            ("points = 4", "points = 5", true),
            ("points = 4", "points = 6", false),
            ("points = 4", "points = 64", true),
            ("points = 4", "points = 65", false),
            ("points = 4", "points = 99", true),
            ("points = 4", "points = 4, food = 3", true),
            ("points = 4", "points = 4, food = 4", false),
            ("points = 4", "points = 4, gain = { wood = 2 }", true),
            ("food = 2", "gain = 2", false),
            ("tokens = [5", "tokens = [12", true),
            ("tokens = [5", "tokens = [7, 5", false),
        ] {
            let all = covered(&FILE.replacen(from, to, 1));
            let is_covered = !all.is_empty() && all.iter().all(|&is_covered| is_covered);
            assert_eq!(is_covered, expected, "{to}: {all:?}");
        }
    }

    #[test]
    fn edits_that_say_nothing_or_two_things_are_refused() {
        let error = |edit: &str| {
            let text = format!("edits = [1]\n[[edit]]\nkeys = [\"card.*.points\"]\n{edit}");
            EditRanges::read(&Document::embedded("file", &text)).unwrap_err().to_string()
        };
        let one_of = "expected one of add, uniform, log, scale, shuffle and choice";
        assert!(error("").contains(one_of));
        assert!(error("add = [1, 2]\nscale = [1, 2]").contains(one_of));
        assert!(error("uniform = [3, 2]").contains("expected a lower number and a higher one"));
        assert!(error("weight = 0\nadd = [1, 2]").contains("expected edits with a weight"));
    }
}
