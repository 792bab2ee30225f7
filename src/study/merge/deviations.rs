//! Tests of whether the shards of a run agree. If a machine computes incorrectly, or a bot plays
//! differently there, the rates and means of its shard differ.

use serde::Deserialize as _;
use serde_json::Value;

use super::shards::SavedShard;
use crate::{
    run::study_checkpoint::StudyCheckpoint,
    stats::heterogeneity::{adjusted_p_value, deviation_of_part},
    study::shared::prelude::*,
};

/// Largest probability with which shards of a sound run are refused, by the normal distribution.
const ALPHA: f64 = 1e-6;

/// Checks that the rates and means of each shard are those of the others, up to chance. `whole`
/// has the sums of all shards, in their order.
///
/// # Errors
/// If those of a shard are not. The error names the shard and the figure with the largest
/// deviation.
pub(super) fn ensure_agreement(
    shards: &[SavedShard],
    whole: &StudyCheckpoint,
) -> anyhow::Result<()> {
    let mut tested = 0;
    let mut largest: Option<Deviation> = None;
    for (index, part) in whole.parts.iter().enumerate() {
        let mut figures: BTreeMap<String, Vec<(usize, Ratio)>> = BTreeMap::new();
        for (shard, tally) in part.tallies.iter().enumerate() {
            let tally: Value = serde_json::from_str(tally.get())?;
            collect_ratios(&tally, &format!("parts.{index}"), &mut |name, ratio| {
                figures.entry(name).or_default().push((shard, ratio));
            });
        }
        for (name, by_shard) in figures {
            let mut all = Ratio::default();
            for (_, ratio) in &by_shard {
                all.merge(ratio);
            }
            for (shard, own) in by_shard {
                let Some(z) = deviation_of_part(&own, &all) else { continue };
                tested += 1;
                if largest.as_ref().is_none_or(|largest| z.abs() > largest.z.abs()) {
                    largest = Some(Deviation { z, shard, name: name.clone(), own, all });
                }
            }
        }
    }
    match largest {
        Some(largest) if adjusted_p_value(largest.z, tested) < ALPHA => {
            bail!(largest.message(shards, tested))
        }
        _ => Ok(()),
    }
}

/// A figure of a shard and of all shards.
struct Deviation {
    /// Difference in standard errors.
    z: f64,
    /// Index of the shard.
    shard: usize,
    /// Path to the figure in the sums of a shard.
    name: String,
    own: Ratio,
    all: Ratio,
}

impl Deviation {
    fn message(&self, shards: &[SavedShard], tested: usize) -> String {
        let Self { z, shard, name, own, all } = self;
        let folder = shards[*shard].folder.display();
        let advice = match shards {
            [one, other] => format!(
                "play {} and {} again on one machine",
                one.folder.display(),
                other.folder.display()
            ),
            _ => "play it again on another machine".to_owned(),
        };
        format!(
            "{folder}: deviates from the other shards: {name}, with n = {} of {}, lies {:.1} \
             standard errors from that of all shards, the largest of {tested} differences; \
             {advice}, or merge with --allow-deviations",
            own.n,
            all.n,
            z.abs(),
        )
    }
}

/// Passes all ratios in the sums of a shard to `receive`, with their paths. The entries of a map,
/// a list of pairs, have their keys in the path: not all shards have the same entries.
fn collect_ratios(value: &Value, path: &str, receive: &mut impl FnMut(String, Ratio)) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                collect_ratios(value, &format!("{path}.{key}"), receive);
            }
        }
        Value::Array(values) => {
            if let Ok(ratio) = Ratio::deserialize(value) {
                receive(path.to_owned(), ratio);
                return;
            }
            for (index, value) in values.iter().enumerate() {
                match value.as_array().map(Vec::as_slice) {
                    Some([key, value]) if value.is_object() && !key.is_object() => {
                        collect_ratios(value, &format!("{path}.{key}"), receive);
                    }
                    _ => collect_ratios(value, &format!("{path}.{index}"), receive),
                }
            }
        }
        _ => (),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The key of an opening has the shape of a ratio, and shards have different openings.
    #[test]
    fn entries_of_maps_have_their_keys_in_the_path() {
        let wins = json!([40, [40, 20, 40, 20, 20]]);
        let tally = json!({
            "wins": wins,
            "bots": [[{ "wins": wins }, { "wins": wins }]],
            "openings": [[[1, [5, 0, 0, 0, 0]], { "wins": wins }]],
        });
        let mut names = Vec::new();
        collect_ratios(&tally, "parts.0", &mut |name, ratio| {
            assert_eq!((ratio.blocks, ratio.x), (40, 20));
            names.push(name);
        });
        names.sort();
        assert_eq!(
            names,
            [
                "parts.0.bots.0.0.wins",
                "parts.0.bots.0.1.wins",
                "parts.0.openings.[1,[5,0,0,0,0]].wins",
                "parts.0.wins",
            ]
        );
    }
}
