//! The folder of a training: games and networks, each written as a whole.

use std::io::Read as _;

use super::results::NetworkGeneration;
use crate::{identity::SOURCE_SHA256, study::shared::prelude::*, training::self_play::GameRecord};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};

/// Number of letters of a SHA-256 hash in hexadecimal.
const HASH_LENGTH: usize = 64;
/// Name of the file with the hashes of the profile and its network.
const OUTPUTS: &str = "outputs.sha256";

/// Folder of a training, which its study has locked.
pub(crate) struct Storage {
    folder: PathBuf,
}

impl Storage {
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Removes the games and generations of an earlier training.
    pub(crate) fn clear(&self) -> anyhow::Result<()> {
        for file in fs::read_dir(&self.folder)?.collect::<Result<Vec<_>, _>>()? {
            let name = file.file_name().to_string_lossy().into_owned();
            if name.starts_with("games-") || name.starts_with("generation-") || name == OUTPUTS {
                fs::remove_file(file.path()).with_context(|| file.path().display().to_string())?;
            }
        }
        Ok(())
    }

    /// Notes the contents of the profile and of its network. Before they are written, the earlier
    /// contents are kept in the note, since a kill may leave one of them.
    pub(crate) fn write_outputs(
        &self,
        contents: [&[u8]; 2],
        are_written: bool,
    ) -> anyhow::Result<()> {
        let earlier = fs::read_to_string(self.folder.join(OUTPUTS)).unwrap_or_default();
        let mut hashes = contents.map(sha256).join("\n");
        if !are_written && earlier.starts_with(&hashes) {
            return Ok(());
        } else if !are_written {
            hashes += &format!("\n{earlier}");
        }
        write(&self.folder.join(OUTPUTS), hashes.as_bytes()).context("--work")
    }

    /// Returns true if the training has written this file as its profile or its network.
    pub(crate) fn has_written(&self, file: &Path) -> bool {
        let hashes = fs::read_to_string(self.folder.join(OUTPUTS)).unwrap_or_default();
        let hash = fs::read(file).map(|content| sha256(&content));
        hash.is_ok_and(|hash| hashes.lines().any(|line| line == hash))
    }

    /// Returns the path of the folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the path of the games of a chunk.
    pub(crate) fn games_file(&self, generation: u32, chunk: u64) -> PathBuf {
        self.folder.join(format!("games-{generation:04}-{chunk:04}.gz"))
    }

    /// Returns the file of the network of a generation.
    fn network_file(&self, generation: u32) -> PathBuf {
        self.folder.join(format!("generation-{generation:04}.network"))
    }

    /// Returns the file with the results of a generation.
    fn result_file(&self, generation: u32) -> PathBuf {
        self.folder.join(format!("generation-{generation:04}.json"))
    }

    /// Returns true if a generation is complete.
    pub(crate) fn has_generation(&self, generation: u32) -> bool {
        self.result_file(generation).exists() && self.network_file(generation).exists()
    }

    /// Reads the games of a chunk; `None` if they have not been played. The file may be from
    /// another machine: its head has the hashes of the sources that played the games and of the
    /// games.
    pub(crate) fn read_games(
        &self,
        generation: u32,
        chunk: u64,
    ) -> anyhow::Result<Option<Vec<GameRecord>>> {
        let path = self.games_file(generation, chunk);
        let Ok(bytes) = fs::read(&path) else { return Ok(None) };
        let damaged = || format!("{}: expected games of a training", path.display());
        let mut content = Vec::new();
        GzDecoder::new(&bytes[..]).read_to_end(&mut content).with_context(damaged)?;
        let (build, rest) = content.split_at_checked(HASH_LENGTH).with_context(damaged)?;
        let (hash, mut rest) = rest.split_at_checked(HASH_LENGTH).with_context(damaged)?;
        ensure!(hash == sha256(rest).as_bytes(), "{}, found changed bytes", damaged());
        ensure!(
            build == SOURCE_SHA256.as_bytes(),
            "{}: was written by another build of the program; expected the build with the sources \
             {}",
            path.display(),
            &SOURCE_SHA256[..16]
        );
        let mut games = Vec::new();
        while let Some((head, after)) = rest.split_first_chunk::<12>() {
            let block = u64::from_le_bytes(head[..8].try_into().unwrap_or_default());
            let length = u32::from_le_bytes(head[8..].try_into().unwrap_or_default()) as usize;
            let (words, after) = after.split_at_checked(2 * length).with_context(damaged)?;
            let words = words.as_chunks().0.iter().map(|&pair| u16::from_le_bytes(pair)).collect();
            games.push(GameRecord { block, words });
            rest = after;
        }
        ensure!(rest.is_empty(), damaged());
        Ok(Some(games))
    }

    /// Writes the games of a chunk.
    pub(crate) fn write_games(
        &self,
        generation: u32,
        chunk: u64,
        games: &[GameRecord],
    ) -> anyhow::Result<()> {
        let path = self.games_file(generation, chunk);
        let mut content = Vec::new();
        for GameRecord { block, words } in games {
            content.extend(block.to_le_bytes());
            content.extend((words.len() as u32).to_le_bytes());
            content.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        }
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(SOURCE_SHA256.as_bytes())?;
        encoder.write_all(sha256(&content).as_bytes())?;
        encoder.write_all(&content)?;
        write(&path, &encoder.finish()?)
    }

    /// Reads the network of a generation; `None` if it has not been trained.
    pub(crate) fn read_network(&self, generation: u32) -> Result<Option<Network>, ConfigError> {
        let path = self.network_file(generation);
        let Ok(bytes) = fs::read(&path) else { return Ok(None) };
        Network::from_bytes(&path.display().to_string(), &bytes).map(Some)
    }

    /// Writes the network of a generation.
    pub(crate) fn write_network(&self, generation: u32, network: &Network) -> anyhow::Result<()> {
        write(&self.network_file(generation), &network.to_bytes())
    }

    /// Reads the results of a generation; `None` if it is not complete.
    pub(crate) fn read_result(&self, generation: u32) -> anyhow::Result<Option<NetworkGeneration>> {
        let path = self.result_file(generation);
        let Ok(text) = fs::read_to_string(&path) else { return Ok(None) };
        let result = serde_json::from_str(&text);
        Ok(Some(result.with_context(|| path.display().to_string())?))
    }

    /// Writes the results of a generation, which completes it.
    pub(crate) fn write_result(&self, result: &NetworkGeneration) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(result)?;
        write(&self.result_file(result.generation), text.as_bytes())
    }
}

fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    Ok(PartialFile::create(path)?.finish_with(bytes)?)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step ends the test")]
mod tests {
    use super::*;

    #[test]
    fn games_survive_storage() {
        let folder = tempfile::tempdir().unwrap();
        let storage = Storage::new(folder.path());
        let game = |block, words: &[u16]| GameRecord { block, words: words.to_vec() };
        let games = vec![game(3 << 32, &[1, 60_000, 0, u16::MAX]), game((3 << 32) + 1, &[])];
        assert_eq!(storage.read_games(3, 7).unwrap(), None);
        storage.write_games(3, 7, &games).unwrap();
        assert_eq!(storage.read_games(3, 7).unwrap(), Some(games));
        assert_eq!(storage.read_games(3, 8).unwrap(), None);

        let path = storage.games_file(3, 7);
        let bytes = fs::read(&path).unwrap();
        let refused = |part: &str| {
            let error = format!("{:#}", storage.read_games(3, 7).unwrap_err());
            assert!(error.contains(&format!("games-0003-0007.gz: {part}")), "{error}");
        };
        fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        refused("expected games of a training");
        let mut content = Vec::new();
        GzDecoder::new(&bytes[..]).read_to_end(&mut content).unwrap();
        for (place, part) in [(0, "was written by another build"), (140, "expected games")] {
            let mut changed = content.clone();
            changed[place] ^= 1;
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(&changed).unwrap();
            fs::write(&path, encoder.finish().unwrap()).unwrap();
            refused(part);
        }
    }

    #[test]
    fn files_of_a_killed_training_are_its_own_until_new_ones_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let storage = Storage::new(folder.path());
        let profile = folder.path().join("profile");
        fs::write(&profile, "old").unwrap();
        let note = |contents: [&str; 2], are_written| {
            storage.write_outputs(contents.map(str::as_bytes), are_written).unwrap();
            storage.has_written(&profile)
        };
        assert!(note(["old weights", "old"], true));
        assert!(note(["new weights", "new"], false));
        assert!(note(["new weights", "new"], false));
        assert!(!note(["new weights", "new"], true));
    }
}
