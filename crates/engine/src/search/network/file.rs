//! Files of networks: the names of the inputs, and the weights.

use std::io::{Read as _, Write as _};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::{HIDDEN, InputCounts, POLICY, UNITS, WeightLayout};
use crate::{
    config::ConfigError,
    game::facts::{FactBlock, FactTable},
};

/// First bytes of the content.
const MAGIC: &[u8; 8] = b"WSNET001";

/// Maximum size of the content, in bytes, so that a damaged file cannot fill the memory.
const MAX_SIZE: u64 = 1 << 26;

/// Description of a network at the head of its file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkHeader {
    /// Name of the game.
    pub game: String,
    /// Units of the first layer, of the hidden layer and of the policy.
    pub units: [usize; 3],
    /// Score, in points, that is 1 in the output of the network.
    pub score_scale: f32,
    /// Names of the inputs of each block.
    pub inputs: Vec<(String, Vec<String>)>,
}

/// A network as in its file.
#[derive(Clone, PartialEq, Debug)]
pub struct Network {
    /// Description.
    pub header: NetworkHeader,
    /// Weights in the order of [`WeightLayout`].
    pub weights: Vec<i16>,
}

impl NetworkHeader {
    /// Describes a network for the inputs of a game.
    pub fn new(game: &str, table: &FactTable, score_scale: f32) -> Self {
        let names = |(name, block): (&str, &FactBlock)| (name.to_owned(), block.inputs().to_vec());
        Self {
            game: game.to_owned(),
            units: [UNITS, HIDDEN, POLICY],
            score_scale,
            inputs: table.blocks().map(names).to_vec(),
        }
    }

    /// Returns the order of the weights.
    pub fn layout(&self) -> WeightLayout {
        let count = |block: usize| self.inputs.get(block).map_or(0, |(_, names)| names.len());
        WeightLayout::new(InputCounts {
            seat: count(0),
            view: count(1),
            shared: count(2),
            action: count(3),
        })
    }

    /// Checks that the network is for a game, and has no other inputs than these.
    ///
    /// # Errors
    /// Returns an error that names the first difference.
    pub fn check(&self, file: &str, game: &str, table: &FactTable) -> Result<(), ConfigError> {
        let error = |key: &str, message: String| Err(ConfigError::new(file, key, message));
        if self.game != game {
            return error(
                "game",
                format!("expected a network of {game}, found one of {}", self.game),
            );
        }
        let units = [UNITS, HIDDEN, POLICY];
        if self.units != units {
            return error("units", format!("expected {units:?}, found {:?}", self.units));
        }
        let blocks = table.blocks();
        if self.inputs.len() != blocks.len() {
            return error("inputs", format!("expected {} blocks", blocks.len()));
        }
        for ((name, found), (_, block)) in self.inputs.iter().zip(blocks) {
            let mut known: FxHashSet<&String> = block.inputs().iter().collect();
            if let Some(index) = found.iter().position(|input| !known.remove(input)) {
                let message = format!(
                    "expected inputs of this version of {game}, each once; found `{}`: the network \
                     was made by another version",
                    found[index]
                );
                return error(&format!("inputs.{name}[{index}]"), message);
            }
        }
        Ok(())
    }
}

impl Network {
    /// Returns the network for the inputs of a table. Those that the network does not have, such as
    /// inputs of a later version, have no weight.
    #[must_use]
    pub fn with_inputs(self, table: &FactTable) -> Self {
        let header = NetworkHeader::new(&self.header.game, table, self.header.score_scale);
        if header.inputs == self.header.inputs {
            return self;
        }
        let (old, layout) = (self.header.layout(), header.layout());
        let mut weights = Vec::with_capacity(layout.weight_count());
        for (part, rows) in old.parts().into_iter().zip(WeightLayout::ROWS) {
            let part = &self.weights[part.range()];
            let Some((block, width)) = rows else {
                weights.extend_from_slice(part);
                continue;
            };
            let names = self.header.inputs[block].1.iter();
            let rows: FxHashMap<_, _> = names.zip(part.chunks_exact(width)).collect();
            for name in &header.inputs[block].1 {
                match rows.get(name) {
                    Some(row) => weights.extend_from_slice(row),
                    None => weights.resize(weights.len() + width, 0),
                }
            }
        }
        Self { header, weights }
    }

    /// Reads the content of a file.
    ///
    /// # Errors
    /// Returns an error if it is not a network.
    pub fn from_bytes(file: &str, bytes: &[u8]) -> Result<Self, ConfigError> {
        Self::read(bytes).map_err(|message| ConfigError::new(file, "", message))
    }

    fn read(bytes: &[u8]) -> Result<Self, String> {
        let not_a_network = || "expected a network that `watershed train` has written".to_owned();
        let mut content = Vec::new();
        let read = GzDecoder::new(bytes).take(MAX_SIZE).read_to_end(&mut content);
        read.map_err(|error| format!("{}: {error}", not_a_network()))?;
        let content = content.strip_prefix(MAGIC).ok_or_else(not_a_network)?;
        let (length, content) = content.split_first_chunk::<4>().ok_or_else(not_a_network)?;
        let length = u32::from_le_bytes(*length) as usize;
        let (header, weights) = content.split_at_checked(length).ok_or_else(not_a_network)?;
        let header: NetworkHeader = serde_json::from_slice(header)
            .map_err(|error| format!("{}: {error}", not_a_network()))?;
        let expected = header.layout().weight_count();
        if weights.len() != 2 * expected {
            return Err(format!("expected {expected} weights, found {}", weights.len() / 2));
        }
        if !(header.score_scale.is_finite() && header.score_scale > 0.0) {
            return Err("score_scale: expected a positive number".to_owned());
        }
        let (low, high) = weights.split_at(expected);
        let pairs = low.iter().zip(high);
        let weights = pairs.map(|(&low, &high)| i16::from_le_bytes([low, high])).collect();
        Ok(Self { header, weights })
    }

    /// Returns the content of a file.
    ///
    /// # Panics
    /// If there is no memory.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = serde_json::to_vec(&self.header).expect("names are text");
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        let mut write = |bytes: &[u8]| encoder.write_all(bytes).expect("memory can be written");
        write(MAGIC);
        write(&(header.len() as u32).to_le_bytes());
        write(&header);
        // The low bytes of all weights, then the high ones, which are similar and compress well.
        for byte in 0..2 {
            let bytes: Vec<u8> =
                self.weights.iter().map(|weight| weight.to_le_bytes()[byte]).collect();
            write(&bytes);
        }
        encoder.finish().expect("memory can be written")
    }
}
