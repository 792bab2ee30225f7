//! Tables of keys: each key of a TOML file is declared once, with the type of its value.

use std::collections::BTreeMap;

use toml::{Table, Value};

use super::{
    BoundedInteger, ConfigError, Document, join_key,
    message::{unexpected_value, unknown_key},
};

/// Text with keys, which errors name.
pub trait KeySource {
    /// Returns an error at a key with list entries counted from 0, as in `tile[0].copies`.
    fn key_error(&self, key: &str, message: String) -> ConfigError;
}

impl KeySource for Document {
    fn key_error(&self, key: &str, message: String) -> ConfigError {
        self.error(key, message)
    }
}

/// KeyPlace of a value in a file.
#[derive(Clone, Copy)]
pub struct KeyPlace<'a> {
    source: &'a dyn KeySource,
    /// KeyPlace of the table or list that has the value; `None` for the whole file.
    parent: Option<&'a KeyPlace<'a>>,
    part: Part<'a>,
    /// Keys of the table at this place, if it is one.
    known: &'a [&'a str],
}

/// Last part of a key.
#[derive(Clone, Copy)]
enum Part<'a> {
    Key(&'a str),
    Index(usize),
}

impl<'a> KeyPlace<'a> {
    pub(super) fn root(source: &'a dyn KeySource) -> Self {
        Self { source, parent: None, part: Part::Key(""), known: &[] }
    }

    fn part(&'a self, part: Part<'a>) -> Self {
        Self { source: self.source, parent: Some(self), part, known: &[] }
    }

    fn key(&self) -> String {
        let parent = self.parent.map(KeyPlace::key).unwrap_or_default();
        match self.part {
            Part::Key(key) => join_key(&parent, key),
            Part::Index(index) => format!("{parent}[{index}]"),
        }
    }

    /// Returns an error about the value.
    pub fn error(&self, message: impl Into<String>) -> ConfigError {
        self.source.key_error(&self.key(), message.into())
    }

    /// Returns the error about a value that is not accepted.
    pub fn unexpected(&self, accepted: &str, value: &Value) -> ConfigError {
        self.error(unexpected_value(accepted, value))
    }

    /// Returns the table at this place.
    ///
    /// # Errors
    /// Returns an error if the value is not a table.
    pub fn section(self, value: &'a Value) -> Result<KeySection<'a>, ConfigError> {
        let table = value.as_table().ok_or_else(|| self.unexpected("a table", value))?;
        Ok(KeySection { place: self, table })
    }

    /// Returns the table at this place.
    ///
    /// # Errors
    /// Returns an error if the value is not a table, or has another key than these.
    pub fn table(
        self,
        value: &'a Value,
        known: &'a [&'a str],
    ) -> Result<KeySection<'a>, ConfigError> {
        let section = Self { known, ..self }.section(value)?;
        section.check_keys(known)?;
        Ok(section)
    }

    /// Returns the list at this place.
    fn list(&self, value: &'a Value) -> Result<&'a [Value], ConfigError> {
        value.as_array().map(Vec::as_slice).ok_or_else(|| self.unexpected("a list", value))
    }
}

/// Table of a file.
pub struct KeySection<'a> {
    place: KeyPlace<'a>,
    table: &'a Table,
}

impl<'a> KeySection<'a> {
    /// Returns the whole text as a table.
    pub fn root(source: &'a dyn KeySource, table: &'a Table) -> Self {
        Self { place: KeyPlace::root(source), table }
    }

    /// Returns an error about a key of the table.
    pub fn error(&self, key: &str, message: impl Into<String>) -> ConfigError {
        self.place.part(Part::Key(key)).error(message)
    }

    /// Checks that the table has no other key than these.
    ///
    /// # Errors
    /// Returns an error about the first other key.
    pub fn check_keys(&self, known: &[&str]) -> Result<(), ConfigError> {
        let Some(key) = self.table.keys().find(|key| !known.contains(&key.as_str())) else {
            return Ok(());
        };
        // In TOML, all keys below the heading of a table are its own.
        let file = self.place.parent.filter(|parent| parent.parent.is_none());
        let message = if file.is_some_and(|file| file.known.contains(&key.as_str())) {
            let table = self.place.key();
            format!(
                "expected `{key}` above `[{table}]`, because it is a key of the whole file; \
                 `[{table}]` must stand below `{key}`"
            )
        } else {
            unknown_key(key, known)
        };
        Err(self.error(key, message))
    }

    /// Reads the value of a key, if there is one.
    ///
    /// # Errors
    /// Returns an error if the value is not accepted.
    pub fn option<T: KeyType>(&self, key: &str) -> Result<Option<T>, ConfigError> {
        let read = |value| T::read(self.place.part(Part::Key(key)), value);
        self.table.get(key).map(read).transpose()
    }

    /// Reads the value of a key.
    ///
    /// # Errors
    /// Returns an error if the value is not accepted, or is missing and not optional.
    pub fn required<T: KeyType>(&self, key: &str) -> Result<T, ConfigError> {
        self.present(key, self.option(key)?)
    }

    /// Returns the value that was read for a key, or that of a missing key of the type.
    ///
    /// # Errors
    /// Returns an error if the key is missing and not optional.
    pub fn present<T: KeyType>(&self, key: &str, value: Option<T>) -> Result<T, ConfigError> {
        let missing = || self.place.error(format!("missing key `{key}`"));
        value.or_else(T::missing).ok_or_else(missing)
    }
}

/// Key of a file, for lists and documents.
#[derive(Clone, Debug, Default)]
pub struct KeyInfo {
    /// Key, in which `<players>` stands for a number of players or another name of a table, and
    /// `<entry>` for an entry of a list.
    pub key: String,
    /// Meaning.
    pub help: &'static str,
    /// Accepted values.
    pub accepted: String,
    /// True if the key may be missing.
    pub is_optional: bool,
    /// True if the value is a list.
    pub is_list: bool,
    /// Returns true for a value, or an entry of the list, that is accepted; none for a table.
    pub test: Option<fn(&Value) -> bool>,
}

impl KeyInfo {
    /// Returns true if a value with this key is that of the key, or is an entry of its list.
    pub fn matches(&self, key: &str) -> bool {
        let mut parts = key.split('.');
        let mut pattern = self.key.split('.');
        pattern.all(|own| parts.next().is_some_and(|part| own == part || own.starts_with('<')))
            && parts.all(|part| part.parse::<usize>().is_ok())
    }

    /// Returns true if the key, or an entry of its list, accepts a value.
    pub fn accepts(&self, value: &Value) -> bool {
        self.test.is_some_and(|accepts| accepts(value))
    }

    /// Returns true if the value may be 0.
    pub fn accepts_zero(&self) -> bool {
        !self.is_list && self.accepts(&Value::Integer(0))
    }

    /// Describes a key of a table, of which the accepted values are not known yet.
    #[must_use]
    pub fn child(&self, key: &str, help: &'static str, is_optional: bool) -> Self {
        let is_optional = self.is_optional || is_optional;
        Self { key: join_key(&self.key, key), help, is_optional, ..Self::default() }
    }
}

/// Type of the value of a key.
pub trait KeyType: Sized {
    /// Returns a description of the accepted values.
    fn accepted() -> String {
        "a table".to_owned()
    }

    /// Returns the value, if it is accepted. For types that are read as a whole.
    fn from_value(_value: &Value) -> Option<Self> {
        None
    }

    /// Reads the value at a place.
    ///
    /// # Errors
    /// Returns an error if the value, or a part of it, is not accepted.
    fn read(place: KeyPlace<'_>, value: &Value) -> Result<Self, ConfigError> {
        Self::from_value(value).ok_or_else(|| place.unexpected(&Self::accepted(), value))
    }

    /// Returns the value of a missing key, if the type makes a key optional.
    fn missing() -> Option<Self> {
        None
    }

    /// Adds the key, or the keys of its table.
    fn add_keys(key: KeyInfo, keys: &mut Vec<KeyInfo>) {
        let test: fn(&Value) -> bool =
            |value| Self::read(KeyPlace::root(&Document::embedded("", "")), value).is_ok();
        keys.push(KeyInfo { accepted: Self::accepted(), test: Some(test), ..key });
    }

    /// Returns all keys of a file.
    fn keys() -> Vec<KeyInfo> {
        let mut keys = Vec::new();
        Self::add_keys(KeyInfo::default(), &mut keys);
        keys
    }
}

/// Implements [`KeyType`] for types that are read as a whole.
macro_rules! plain_types {
    ($($type:ty: $accepted:literal, $value:ident => $read:expr;)+) => {$(
        impl KeyType for $type {
            fn accepted() -> String {
                $accepted.to_owned()
            }

            fn from_value($value: &Value) -> Option<Self> {
                $read
            }
        }
    )+};
}

plain_types! {
    bool: "true or false", value => value.as_bool();
    String: "a string", value => value.as_str().map(str::to_owned);
    f64: "a number", value => value.as_float().or_else(|| Some(value.as_integer()? as Self));
    u64: "a whole number from 0", value => value.as_integer()?.try_into().ok();
    usize: "a whole number from 0", value => value.as_integer()?.try_into().ok();
}

impl<const MIN: i64, const MAX: i64> KeyType for BoundedInteger<MIN, MAX> {
    fn accepted() -> String {
        format!("an integer from {MIN} to {MAX}")
    }

    fn from_value(value: &Value) -> Option<Self> {
        value.as_integer().filter(|value| (MIN..=MAX).contains(value)).map(Self)
    }
}

impl<T: KeyType> KeyType for Option<T> {
    fn accepted() -> String {
        T::accepted()
    }

    fn read(place: KeyPlace<'_>, value: &Value) -> Result<Self, ConfigError> {
        T::read(place, value).map(Some)
    }

    fn missing() -> Option<Self> {
        Some(None)
    }

    fn add_keys(key: KeyInfo, keys: &mut Vec<KeyInfo>) {
        T::add_keys(KeyInfo { is_optional: true, ..key }, keys);
    }
}

impl<T: KeyType> KeyType for Box<T> {
    fn accepted() -> String {
        T::accepted()
    }

    fn read(place: KeyPlace<'_>, value: &Value) -> Result<Self, ConfigError> {
        T::read(place, value).map(Self::new)
    }
}

impl<T: KeyType> KeyType for Vec<T> {
    fn accepted() -> String {
        "a list".to_owned()
    }

    fn read(place: KeyPlace<'_>, value: &Value) -> Result<Self, ConfigError> {
        let entries = place.list(value)?.iter().enumerate();
        entries.map(|(index, entry)| T::read(place.part(Part::Index(index)), entry)).collect()
    }

    fn add_keys(key: KeyInfo, keys: &mut Vec<KeyInfo>) {
        let first = keys.len();
        let entry = key.child("<entry>", key.help, false);
        T::add_keys(entry.clone(), keys);
        // Values that are no tables have no keys.
        if let [value] = &mut keys[first..]
            && value.key == entry.key
        {
            let accepted = format!("a list, each {}", value.accepted);
            *value = KeyInfo { accepted, is_list: true, test: value.test, ..key };
        }
    }
}

impl<T: KeyType, U: KeyType> KeyType for (T, U) {
    fn accepted() -> String {
        "a list of 2 entries".to_owned()
    }

    fn read(place: KeyPlace<'_>, value: &Value) -> Result<Self, ConfigError> {
        match place.list(value)? {
            [one, other] => Ok((
                T::read(place.part(Part::Index(0)), one)?,
                U::read(place.part(Part::Index(1)), other)?,
            )),
            _ => Err(place.unexpected(&Self::accepted(), value)),
        }
    }
}

impl<K: KeyType + Ord, T: KeyType> KeyType for BTreeMap<K, T> {
    fn read(place: KeyPlace<'_>, value: &Value) -> Result<Self, ConfigError> {
        let section = place.section(value)?;
        let read = |(key, value): (&String, &Value)| {
            let place = section.place.part(Part::Key(key));
            let number = key.parse().ok().and_then(|key| K::from_value(&Value::Integer(key)));
            let name = || K::from_value(&Value::String(key.clone()));
            let unexpected = || place.error(format!("expected {}, found {key}", K::accepted()));
            Ok((number.or_else(name).ok_or_else(unexpected)?, T::read(place, value)?))
        };
        section.table.iter().map(read).collect()
    }

    fn add_keys(key: KeyInfo, keys: &mut Vec<KeyInfo>) {
        T::add_keys(key.child("<players>", key.help, false), keys);
    }
}

/// Defines the keys of a table as a struct: the name and type of each key, and its value if it is
/// missing. A table has no other keys.
///
/// ```
/// use watershed_engine::{config::{BoundedInteger, Document}, keys};
///
/// keys! {
///     /// The values of a card.
///     pub struct Card {
///         /// The points.
///         pub points: BoundedInteger<1, 9>,
///         /// The number of copies.
///         pub copies: BoundedInteger<1, 20> = BoundedInteger::new(1),
///     }
/// }
///
/// let read = |text: &str| Document { name: "a.toml".into(), text: text.into() }.parse::<Card>();
/// assert_eq!(read("points = 3").unwrap().copies.get(), 1);
/// assert_eq!(
///     read("points = 10").unwrap_err().to_string(),
///     "a.toml:1: key `points`: expected an integer from 1 to 9, found 10"
/// );
/// ```
#[macro_export]
macro_rules! keys {
    ($(
        $(#[$meta:meta])*
        $vis:vis struct $name:ident $(<$generic:ident>)? {
            $(
                $(#[doc = $help:literal])*
                $(#[serde($($serde:tt)+)])?
                $key_vis:vis $key:ident: $type:ty $(= $default:expr)?,
            )*
        }
    )+) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug)]
        $vis struct $name $(<$generic>)? {
            $($(#[doc = $help])* $(#[serde($($serde)+)])? $key_vis $key: $type,)*
        }

        impl $(<$generic: $crate::config::KeyType + Default>)? $crate::config::KeyType
            for $name $(<$generic>)?
        {
            fn read(
                place: $crate::config::KeyPlace<'_>,
                value: &$crate::config::Value,
            ) -> Result<Self, $crate::config::ConfigError> {
                let section = place.table(value, &[$(stringify!($key)),*])?;
                // A key can be missing here because it stands below a wrong heading.
                $(let $key = section.option(stringify!($key))?;)*
                Ok(Self { $($key: $crate::keys!(@present section, $key $(, $default)?),)* })
            }

            fn add_keys(
                key: $crate::config::KeyInfo,
                keys: &mut Vec<$crate::config::KeyInfo>,
            ) {
                $(<$type as $crate::config::KeyType>::add_keys(
                    key.child(
                        stringify!($key),
                        concat!($($help),*).trim_ascii(),
                        $crate::keys!(@is_optional $($default)?),
                    ),
                    keys,
                );)*
            }
        }
    )+};
    (@present $section:ident, $key:ident) => { $section.present(stringify!($key), $key)? };
    (@present $section:ident, $key:ident, $default:expr) => { $key.unwrap_or_else(|| $default) };
    (@is_optional) => { false };
    (@is_optional $default:expr) => { true };
}

/// Defines enums whose values have names, as in tables: `ALL`, `NAMES` and `name`. Values and names
/// are in the order of the enum.
#[macro_export]
macro_rules! named {
    ($(
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $($(#[$variant_meta:meta])* $variant:ident = $text:literal,)*
        }
    )+) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        $vis enum $name {
            $($(#[$variant_meta])* $variant,)*
        }

        impl $name {
            /// All values.
            pub const ALL: [Self; [$($text),*].len()] = [$(Self::$variant),*];
            /// The names of all values.
            pub const NAMES: [&'static str; Self::ALL.len()] = [$($text),*];

            /// Returns the name.
            pub const fn name(self) -> &'static str {
                Self::NAMES[self as usize]
            }
        }
    )+};
}

/// Defines enums as [`named!`](crate::named) whose names are read, as in files and notations.
#[macro_export]
macro_rules! names {
    ($(
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $($variants:tt)*
        }
    )+) => {$(
        $crate::named! {
            $(#[$meta])*
            $vis enum $name {
                $($variants)*
            }
        }

        impl $name {
            /// Returns the value with this name.
            pub fn from_name(name: &str) -> Option<Self> {
                Some(Self::ALL[Self::NAMES.iter().position(|&other| other == name)?])
            }
        }

        impl From<$name> for &'static str {
            fn from(value: $name) -> Self {
                value.name()
            }
        }

        impl $crate::config::KeyType for $name {
            fn accepted() -> String {
                $crate::config::any_of(&Self::NAMES)
            }

            fn from_value(value: &$crate::config::Value) -> Option<Self> {
                Self::from_name(value.as_str()?)
            }
        }
    )+};
}

/// Defines an enum whose values are tables: a key has the name of the variant, and the others are
/// the keys of the variant. The enum of the names is defined too.
#[macro_export]
macro_rules! kinds {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident by $tag:ident: $kind:ident {
            $($text:literal => $variant:ident { $($key:ident: $type:ty),* $(,)? },)*
        }
    ) => {
        $crate::names! {
            #[doc = concat!("The kind of [`", stringify!($name), "`].")]
            #[expect(missing_docs, reason = "the names are those of the rules")]
            $vis enum $kind { $($variant = $text,)* }
        }

        $(#[$meta])*
        #[derive(Clone, Debug)]
        $vis enum $name {
            $($variant { $($key: $type),* },)*
        }

        impl $name {
            /// Returns the kind.
            pub const fn kind(&self) -> $kind {
                match self {
                    $(Self::$variant { .. } => $kind::$variant,)*
                }
            }
        }

        impl $crate::config::KeyType for $name {
            fn read(
                place: $crate::config::KeyPlace<'_>,
                value: &$crate::config::Value,
            ) -> Result<Self, $crate::config::ConfigError> {
                match place.section(value)?.required(stringify!($tag))? {
                    $($kind::$variant => {
                        let known = &[stringify!($tag), $(stringify!($key)),*];
                        let section = place.table(value, known)?;
                        Ok(Self::$variant { $($key: section.required(stringify!($key))?),* })
                    })*
                }
            }

            fn add_keys(
                key: $crate::config::KeyInfo,
                keys: &mut Vec<$crate::config::KeyInfo>,
            ) {
                <$kind as $crate::config::KeyType>::add_keys(
                    key.child(stringify!($tag), key.help, false),
                    keys,
                );
                $($(<$type as $crate::config::KeyType>::add_keys(
                    $crate::config::KeyInfo {
                        // Each kind needs all its keys.
                        is_optional: false,
                        ..key.child(stringify!($key), $text, false)
                    },
                    keys,
                );)*)*
            }
        }
    };
}
