//! Parameters of a profile that are tuned, and their ranges.

use serde_json::Value as Json;
use toml::{Table, Value};

use crate::{
    bots::{
        definition::BotDefinition,
        profile::{Profile, ProfileLibrary},
    },
    config::ConfigError,
};

/// File name in error messages about keys.
const FLAG: &str = "--keys";
const WEIGHTS: &str = "weights";
const AT_END: &str = "weights_at_end";

/// A parameter with its limits.
pub(super) struct Parameter {
    /// Key, as in `exploration` or `weights.tokens`.
    pub(super) name: String,
    /// Value in the profile; `None` if the profile has none.
    pub(super) start: Option<f64>,
    pub(super) low: f64,
    pub(super) high: f64,
    /// True if the value is an integer.
    is_integer: bool,
}

impl Parameter {
    fn toml(&self, value: f64) -> Value {
        if self.is_integer { Value::Integer(value as i64) } else { Value::Float(value) }
    }
}

/// A profile with parameters to tune.
pub(super) struct ParameterSpace<'a> {
    library: &'a ProfileLibrary,
    base: Table,
    pub(super) parameters: Vec<Parameter>,
}

impl<'a> ParameterSpace<'a> {
    /// Creates the space of a profile with parameters given as `key` or `key=low..high`.
    /// `weights.*` and `weights_at_end.*` stand for the weights of all features; if the profile has
    /// no `weights_at_end`, they start as its weights.
    ///
    /// # Errors
    /// If there is no such profile or key, or if the key does not accept the range.
    pub(super) fn new(
        library: &'a ProfileLibrary,
        profile: &str,
        requested: &[String],
    ) -> Result<Self, ConfigError> {
        let mut base = library.find(profile)?.options;
        let expand = |requested: &String| match requested.split_once(".*") {
            Some((table @ (WEIGHTS | AT_END), range)) => {
                let features = library.feature_names.iter();
                features.map(|feature| format!("{table}.{feature}{range}")).collect()
            }
            _ => vec![requested.clone()],
        };
        let requested: Vec<String> = requested.iter().flat_map(expand).collect();
        // Constant weights are equal at the end.
        if requested.iter().any(|key| key.starts_with(AT_END))
            && let Some(weights) = base.get(WEIGHTS).cloned()
        {
            base.entry(AT_END).or_insert(weights);
        }
        let mut space = Self { library, base, parameters: Vec::new() };
        let values = space.read(profile, [])?.parameters;
        for requested in &requested {
            let parameter = space.parameter(&values, requested)?;
            // As with flags, the last one holds.
            space.parameters.retain(|other| other.name != parameter.name);
            space.parameters.push(parameter);
        }
        Ok(space)
    }

    /// Reads a parameter. `values` has those of the profile. Without a range, a weight can change
    /// by its own size, but at least by the mean size of all weights in its table, and another
    /// parameter by half its value.
    fn parameter(&self, values: &Json, requested: &str) -> Result<Parameter, ConfigError> {
        let (name, range) =
            requested.split_once('=').map_or((requested, None), |(name, end)| (name, Some(end)));
        let check = |value: Value| self.read(name, [(name, value)]).map(|_| ());
        let error = || {
            let message = format!("expected a range, as in `{name}=0..1`, the lower limit first");
            ConfigError::new(FLAG, name, message)
        };
        let weights = name.split_once('.');
        let weights = weights.and_then(|(table, key)| Some((values[table].as_object()?, key)));
        let (start, width) = match weights {
            Some((weights, key)) => {
                // Missing weights are 0.
                let weight = weights.get(key).and_then(Json::as_f64).unwrap_or(0.0);
                let sizes = weights.values().filter_map(Json::as_f64).map(f64::abs);
                let width = weight.abs().max(sizes.sum::<f64>() / weights.len() as f64);
                (Some(weight), if width > 0.0 { width } else { 1.0 })
            }
            None => (values[name].as_f64(), values[name].as_f64().map_or(0.0, f64::abs) / 2.0),
        };
        let limits = |range: &str| {
            let (low, high) = range.split_once("..")?;
            Some((low.parse::<f64>().ok()?, high.parse::<f64>().ok()?))
        };
        let (low, high) = match (range, start.unwrap_or(0.0)) {
            (Some(range), _) => limits(range).ok_or_else(error)?,
            (None, start) => (round(start - width, width), round(start + width, width)),
        };
        let is_integer = check(Value::Float(low + (high - low) / std::f64::consts::E)).is_err();
        let (low, high) = if is_integer { (low.ceil(), high.floor()) } else { (low, high) };
        let parameter = Parameter { name: name.to_owned(), start, low, high, is_integer };
        [low, high].into_iter().try_for_each(|end| check(parameter.toml(end)))?;
        if low < high && (high - low).is_finite() { Ok(parameter) } else { Err(error()) }
    }

    /// Returns the point of the profile: for each parameter its value, or the middle, between the
    /// limits 0 and 1.
    pub(super) fn start_point(&self) -> Vec<f64> {
        let coordinate = |&Parameter { start, low, high, .. }: &Parameter| {
            start.map_or(0.5, |start| (start - low) / (high - low)).clamp(0.0, 1.0)
        };
        self.parameters.iter().map(coordinate).collect()
    }

    /// Returns the values at a point, rounded so that profiles are readable.
    pub(super) fn values(&self, point: &[f64]) -> Vec<f64> {
        let value = |(&Parameter { low, high, is_integer, .. }, coordinate): (&Parameter, &f64)| {
            let range = high - low;
            let exact = low + coordinate * range;
            let rounded = if is_integer { exact.round() } else { round(exact, range) };
            // Adding 0 turns -0 into 0.
            rounded.clamp(low, high) + 0.0
        };
        self.parameters.iter().zip(point).map(value).collect()
    }

    /// Returns the values with their keys.
    pub(super) fn named<'b>(&'b self, values: &'b [f64]) -> impl Iterator<Item = (&'b str, Value)> {
        let values = self.parameters.iter().zip(values);
        values.map(|(parameter, &value)| (&*parameter.name, parameter.toml(value)))
    }

    /// Returns the text of the profile with these values and another description.
    pub(super) fn profile_text(&self, values: &[f64], description: &str) -> String {
        let description = ("description", Value::String(description.to_owned()));
        self.table(self.named(values).chain([description])).to_string()
    }

    /// Reads the profile with these values.
    ///
    /// # Errors
    /// If a value is invalid, or if they contradict each other.
    pub(super) fn read<'b>(
        &self,
        name: &str,
        values: impl IntoIterator<Item = (&'b str, Value)>,
    ) -> Result<Profile, ConfigError> {
        self.library.parse(name, &BotDefinition::from_options(FLAG, self.table(values))?)
    }

    fn table<'b>(&self, values: impl IntoIterator<Item = (&'b str, Value)>) -> Table {
        let mut table = self.base.clone();
        for (name, value) in values {
            let Some((outer, inner)) = name.split_once('.') else {
                table.insert(name.to_owned(), value);
                continue;
            };
            let entry = table.entry(outer).or_insert_with(|| Value::Table(Table::new()));
            entry.as_table_mut().and_then(|table| table.insert(inner.to_owned(), value));
        }
        table
    }
}

/// Rounds a number to about a thousandth of a range.
fn round(number: f64, range: f64) -> f64 {
    let digits = (3.0 - range.log10().floor()).clamp(0.0, 15.0) as usize;
    format!("{number:.digits$}").parse().unwrap_or(number)
}
