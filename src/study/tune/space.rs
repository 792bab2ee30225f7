//! Parameters of a profile that are tuned, and their ranges.

use serde::Serialize;
use toml::{Table, Value};

use crate::{
    bots::{
        definition::BotDefinition,
        profile::{Profile, ProfileLibrary},
    },
    config::ConfigError,
};

#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct Parameter {
    /// Key, as in `exploration` or `weights.tokens`.
    #[serde(rename = "key")]
    pub(super) name: String,
    /// Value in the profile; `None` if the profile has none.
    pub(super) start: Option<f64>,
    pub(super) low: f64,
    pub(super) high: f64,
    /// True if the value is an integer.
    #[serde(skip)]
    pub(super) is_integer: bool,
}

impl Parameter {
    /// Returns the value at a coordinate from 0 (lower limit) to 1 (upper limit), rounded to about
    /// a thousandth of the range so that profiles are readable.
    pub(super) fn value_at(&self, coordinate: f64) -> f64 {
        let exact = self.low + coordinate * (self.high - self.low);
        let rounded =
            if self.is_integer { exact.round() } else { round(exact, self.high - self.low) };
        // Adding 0 turns -0 into 0.
        rounded.clamp(self.low, self.high) + 0.0
    }

    /// Returns the coordinate of the profile's value, from 0 to 1; 0.5 if it has none.
    pub(super) fn start_coordinate(&self) -> f64 {
        self.start.map_or(0.5, |start| (start - self.low) / (self.high - self.low))
    }

    fn toml(&self, value: f64) -> Value {
        if self.is_integer { Value::Integer(value as i64) } else { Value::Float(value) }
    }
}

/// Profile with parameters to tune.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct ParameterSpace {
    base: Table,
    pub(super) parameters: Vec<Parameter>,
}

impl ParameterSpace {
    /// Returns a space with one parameter, for descriptions of tables.
    pub(super) fn example() -> Self {
        let (name, is_integer) = ("weights.FEATURE".to_owned(), false);
        let parameter = Parameter { name, start: None, low: 0.0, high: 1.0, is_integer };
        Self { base: Table::new(), parameters: vec![parameter] }
    }

    /// Creates the space of a profile with parameters given as `key` or `key=low..high`; without
    /// any, all weights in the profile. `weights.*` and `weights_at_end.*` stand for the weights of
    /// all features; if the profile has no `weights_at_end`, they start as its weights.
    ///
    /// A weight without a range can change by its own size, but at least by the mean size of all
    /// weights in its table. Another parameter can become half to twice its value, or up to 1 if
    /// that is its upper limit.
    ///
    /// # Errors
    /// Returns an error if there is no such profile or key, or if the key does not accept the
    /// range.
    pub(super) fn new(
        library: &ProfileLibrary,
        profile: &str,
        requested: &[String],
    ) -> Result<Self, ConfigError> {
        let mut base: Table = library.find(profile)?.options;
        let requested: Vec<_> = if requested.is_empty() {
            weights_in_profile(&base)
        } else {
            requested.iter().flat_map(|requested| expand_wildcard(library, requested)).collect()
        };
        if requested.is_empty() {
            let message =
                "expected parameters to tune, as in `exploration`; the profile has no weights";
            return Err(key_error("", message));
        }
        // Constant weights are equal at the end.
        if requested.iter().any(|key| key.starts_with(AT_END))
            && !base.contains_key(AT_END)
            && let Some(weights) = base.get(WEIGHTS).cloned()
        {
            base.insert(AT_END.to_owned(), weights);
        }
        let parameters = read(library, profile, &base)?.parameters;
        let mut space = Self { base, parameters: Vec::new() };
        for requested in &requested {
            let parameter = space.parameter(library, &parameters, requested)?;
            if space.parameters.iter().any(|other| other.name == parameter.name) {
                return Err(key_error(&parameter.name, "expected each key once"));
            }
            space.parameters.push(parameter);
        }
        Ok(space)
    }

    fn parameter(
        &self,
        library: &ProfileLibrary,
        parameters: &serde_json::Value,
        requested: &str,
    ) -> Result<Parameter, ConfigError> {
        let mut parts = requested.splitn(2, '=');
        let (name, range) = (parts.next().unwrap_or_default(), parts.next());
        let check = |value: Value| read(library, name, &self.table([(name, value)])).map(|_| ());
        let current = match name.split_once('.') {
            // Missing weights are 0.
            Some((table, weight)) if parameters[table].is_object() => {
                Some(parameters[table][weight].as_f64().unwrap_or(0.0))
            }
            _ => parameters[name].as_f64(),
        };
        let (low, high) = match range {
            Some(range) => parse_range(name, range)?,
            None if name.contains('.') => {
                let weight = current.unwrap_or(0.0);
                let width = self.weight_width(name, weight);
                (round(weight - width, width), round(weight + width, width))
            }
            None => {
                let Some(value) = current.filter(|&value| value > 0.0) else {
                    // Reports unknown keys as such.
                    check(Value::Integer(1))?;
                    let message = format!(
                        "expected a range, as in `{name}=0..1`, because the profile has no \
                         positive number"
                    );
                    return Err(key_error(name, message));
                };
                let twice = 2.0 * value;
                let is_share = value <= 1.0 && twice > 1.0 && check(Value::Float(twice)).is_err();
                (value / 2.0, if is_share { 1.0 } else { twice })
            }
        };
        let inner = low + (high - low) / std::f64::consts::E;
        let is_integer = check(Value::Float(inner)).is_err();
        if is_integer {
            check(Value::Integer(inner.round() as i64))?;
        }
        if let Some(value) = current.filter(|value| !(low..=high).contains(value)) {
            let message = format!(
                "expected a range that contains the profile's own value {value}, found \
                 {low}..{high}"
            );
            return Err(key_error(name, message));
        }
        // Half of an odd integer is not an integer.
        let low = if is_integer && range.is_none() { low.ceil() } else { low };
        let parameter = Parameter { name: name.to_owned(), start: current, low, high, is_integer };
        for end in [low, high] {
            if is_integer && end.fract() != 0.0 {
                let message = format!("expected a range of integers, found {low}..{high}");
                return Err(key_error(name, message));
            }
            check(parameter.toml(end))?;
        }
        Ok(parameter)
    }

    fn weight_width(&self, name: &str, weight: f64) -> f64 {
        let table = name.split_once('.').and_then(|(table, _)| self.base.get(table)?.as_table());
        let sizes: Vec<f64> =
            table.into_iter().flat_map(Table::values).filter_map(number).map(f64::abs).collect();
        let mean = sizes.iter().sum::<f64>() / sizes.len().max(1) as f64;
        let width = weight.abs().max(mean);
        if width > 0.0 { width } else { 1.0 }
    }

    /// Returns the values at a point, one coordinate per parameter.
    pub(super) fn values(&self, point: &[f64]) -> Vec<f64> {
        self.parameters.iter().zip(point).map(|(parameter, &x)| parameter.value_at(x)).collect()
    }

    /// Returns the point of the profile.
    pub(super) fn start_point(&self) -> Vec<f64> {
        self.parameters.iter().map(Parameter::start_coordinate).collect()
    }

    /// Returns the bot with these values.
    ///
    /// # Errors
    /// Returns an error if the values contradict each other.
    pub(super) fn profile(
        &self,
        library: &ProfileLibrary,
        name: &str,
        values: &[f64],
    ) -> Result<Profile, ConfigError> {
        read(library, name, &self.table_with(values))
    }

    /// Returns the text of the profile with these values and another description.
    pub(super) fn profile_text(&self, values: &[f64], description: &str) -> String {
        let mut table = self.table_with(values);
        table.insert("description".to_owned(), Value::String(description.to_owned()));
        table.to_string()
    }

    fn table_with(&self, values: &[f64]) -> Table {
        let values = self.parameters.iter().zip(values);
        self.table(values.map(|(parameter, &value)| (&*parameter.name, parameter.toml(value))))
    }

    fn table<'a>(&self, values: impl IntoIterator<Item = (&'a str, Value)>) -> Table {
        let mut table = self.base.clone();
        for (name, value) in values {
            match name.split_once('.') {
                None => table.insert(name.to_owned(), value),
                Some((outer, inner)) => {
                    let entry = table.entry(outer).or_insert_with(|| Value::Table(Table::new()));
                    entry.as_table_mut().and_then(|table| table.insert(inner.to_owned(), value))
                }
            };
        }
        table
    }
}

/// File name in error messages about keys.
const FLAG: &str = "--keys";
const WEIGHTS: &str = "weights";
const AT_END: &str = "weights_at_end";

/// Returns the names of all weights in a profile.
fn weights_in_profile(base: &Table) -> Vec<String> {
    let tables = [WEIGHTS, AT_END].into_iter().filter_map(|name| Some((name, base.get(name)?)));
    let names = |(name, table): (&str, &Value)| {
        let weights = table.as_table().into_iter().flat_map(Table::keys);
        weights.map(|weight| format!("{name}.{weight}")).collect::<Vec<_>>()
    };
    tables.flat_map(names).collect()
}

/// Expands `weights.*` to all features.
fn expand_wildcard(library: &ProfileLibrary, requested: &str) -> Vec<String> {
    match requested.split_once(".*") {
        Some((table @ (WEIGHTS | AT_END), range)) => {
            let features = library.feature_names.iter();
            features.map(|feature| format!("{table}.{feature}{range}")).collect()
        }
        _ => vec![requested.to_owned()],
    }
}

fn read(library: &ProfileLibrary, name: &str, table: &Table) -> Result<Profile, ConfigError> {
    library.parse(name, &BotDefinition::from_options(FLAG, table.clone())?)
}

fn key_error(key: &str, message: impl Into<String>) -> ConfigError {
    ConfigError::new(FLAG, key, message)
}

fn parse_range(name: &str, range: &str) -> Result<(f64, f64), ConfigError> {
    let ends = range
        .split_once("..")
        .and_then(|(low, high)| Some((low.parse::<f64>().ok()?, high.parse::<f64>().ok()?)));
    ends.filter(|(low, high)| low < high && (high - low).is_finite()).ok_or_else(|| {
        let message = format!(
            "expected a range of two numbers, the lower first, as in `{name}=0..1`, found {range:?}"
        );
        key_error(name, message)
    })
}

/// Rounds a number to about a thousandth of a range.
fn round(number: f64, range: f64) -> f64 {
    let digits = (3.0 - range.log10().floor()).clamp(0.0, 15.0) as usize;
    format!("{number:.digits$}").parse().unwrap_or(number)
}

fn number(value: &Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|integer| integer as f64))
}
