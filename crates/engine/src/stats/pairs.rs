//! Serialisation of maps as lists of pairs, because keys in JSON are strings.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Serialises a map.
///
/// # Errors
/// If the serializer fails.
pub fn serialize<K: Serialize, T: Serialize, S: Serializer>(
    map: &BTreeMap<K, T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(map)
}

/// Reads a map back.
///
/// # Errors
/// If the input is not a list of pairs.
pub fn deserialize<'de, K, T, D>(deserializer: D) -> Result<BTreeMap<K, T>, D::Error>
where
    K: Deserialize<'de> + Ord,
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    Vec::deserialize(deserializer).map(|pairs| pairs.into_iter().collect())
}
