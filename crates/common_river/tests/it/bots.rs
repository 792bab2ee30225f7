//! The bots of the game in this repository.

use std::{fs, sync::LazyLock};

use watershed_engine::games::GameFiles;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bots/common_river");

/// The files of the game with its profiles and networks.
pub(crate) static FILES: LazyLock<GameFiles> = LazyLock::new(|| {
    let bytes = |file: &str| &*fs::read(format!("{FOLDER}/{file}")).unwrap().leak();
    let text = |file: &str| str::from_utf8(bytes(file)).unwrap();
    let entries = fs::read_dir(FOLDER).unwrap();
    let mut files: Vec<&str> =
        entries.map(|entry| &*entry.unwrap().file_name().into_string().unwrap().leak()).collect();
    files.sort_unstable();
    let profiles = files.iter().filter_map(|file| {
        let name = file.strip_suffix(".toml")?;
        (!["defaults", "calibration", "opponents"].contains(&name)).then(|| (name, text(file)))
    });
    let networks = files.iter().filter(|file| file.ends_with(".network"));
    GameFiles {
        profiles: profiles.collect::<Vec<_>>().leak(),
        networks: networks.map(|&file| (file, bytes(file))).collect::<Vec<_>>().leak(),
        bot_defaults: text("defaults.toml"),
        calibration: text("calibration.toml"),
        ..crate::FILES
    }
});
