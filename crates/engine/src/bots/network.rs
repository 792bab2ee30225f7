//! Reading networks: from a file, or from a file that is part of the program.

use std::{
    collections::BTreeMap,
    fmt,
    path::Path,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use crate::{
    config::{ConfigError, MAX_FILE_BYTES, read_regular_file, sha256},
    game::facts::FactTable,
    search::network::{BoundNetwork, Network},
};

/// Network with the hash of its file.
#[derive(Clone, PartialEq, Debug)]
pub struct LoadedNetwork {
    /// Network for the game and its data file.
    pub network: Arc<BoundNetwork>,
    /// SHA-256 hash of the file in hexadecimal.
    pub sha256: String,
}

/// Networks for a game with its data file, each read once.
pub struct NetworkLibrary {
    game: &'static str,
    /// Files that are part of the program: name and content.
    embedded: &'static [(&'static str, &'static [u8])],
    /// Computes the facts of the game, which takes about as long as reading its data file.
    compute_facts: Box<dyn Fn() -> Arc<FactTable> + Send + Sync + 'static>,
    facts: OnceLock<Arc<FactTable>>,
    /// Networks by the hashes of their files.
    loaded: Mutex<BTreeMap<String, Arc<BoundNetwork>>>,
}

impl fmt::Debug for NetworkLibrary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("NetworkLibrary").field("game", &self.game).finish_non_exhaustive()
    }
}

impl NetworkLibrary {
    /// Creates the library of a game. `compute_facts` is called when the first network is read.
    pub fn new(
        game: &'static str,
        embedded: &'static [(&'static str, &'static [u8])],
        compute_facts: impl Fn() -> Arc<FactTable> + Send + Sync + 'static,
    ) -> Self {
        Self {
            game,
            embedded,
            compute_facts: Box::new(compute_facts),
            facts: OnceLock::new(),
            loaded: Mutex::default(),
        }
    }

    /// Returns the name of an embedded file, which no file outside the program has.
    pub(super) fn embedded_name(game: &str, name: &str) -> String {
        format!("<bots/{game}/{name}>")
    }

    /// Reads a file, or the embedded file with this name.
    ///
    /// # Errors
    /// Returns an error if there is no such file, if it is not a network of the game, or if the
    /// game has no networks.
    pub fn read(&self, file: &str) -> Result<LoadedNetwork, ConfigError> {
        let is_file = |(name, _): &&(&str, &[u8])| Self::embedded_name(self.game, name) == file;
        if let Some((_, content)) = self.embedded.iter().find(is_file) {
            self.bind(file, content)
        } else {
            let unreadable = |error| ConfigError::new(file, "", format!("can't be read: {error}"));
            let content = read_regular_file(Path::new(file), MAX_FILE_BYTES);
            self.bind(file, &content.map_err(unreadable)?)
        }
    }

    /// Returns the networks that were read, with the hashes of their files.
    pub fn loaded(&self) -> Vec<LoadedNetwork> {
        let loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let networks = loaded.iter().map(|(sha256, network)| (sha256.clone(), Arc::clone(network)));
        networks.map(|(sha256, network)| LoadedNetwork { network, sha256 }).collect()
    }

    /// Binds a network with this content. Errors name `file`.
    pub(super) fn bind(&self, file: &str, content: &[u8]) -> Result<LoadedNetwork, ConfigError> {
        let facts = self.facts.get_or_init(&self.compute_facts);
        if facts.is_empty() {
            let message = format!("expected another kind of bot; {} has no networks", self.game);
            return Err(ConfigError::new(file, "", message));
        }
        let sha256 = sha256(content);
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let network = if let Some(network) = loaded.get(&sha256) {
            Arc::clone(network)
        } else {
            let network = Network::from_bytes(file, content)?;
            let network = Arc::new(BoundNetwork::new(file, network, self.game, facts)?);
            loaded.insert(sha256.clone(), Arc::clone(&network));
            network
        };
        Ok(LoadedNetwork { network, sha256 })
    }
}
