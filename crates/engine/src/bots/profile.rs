//! Reading bots: from a profile in `bots/<game>/`, from a file, or from `kind:key=value`.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use serde::Serialize;
use serde_json::Value;
use toml::Table;

use super::{
    BotFactory,
    calibration::{BUDGET, CalibrationFile, evaluators_sha256},
    defaults::{PanelBot, SearchDefaults},
    definition::{BotDefinition, without_file},
    inline::canonical_name,
    kind::BotKind,
    network::{LoadedNetwork, NetworkLibrary},
    opponents::Opponent,
    options::{
        HeuristicOptions, NetworkOptions, NonNegative, RandomOptions, Scale, SearchOptions, Weights,
    },
    played_data::{Learned, PlayedData},
    program::{PREFIX, ProgramBots},
    search_settings::MAST,
    spec::{BotSpec, SearchSpec},
};
use crate::{
    config::{ConfigError, Document, nearest_name, shown_name, vary::EditRanges},
    game::{FeatureVector, MAX_FEATURES},
    search::{
        calibration::{Calibration, FittedMaps},
        heuristic::Heuristic,
        network::{NetworkBot, NetworksByMode},
    },
};

/// End of the note on a network that was learned on other data.
const ADVICE: &str = "adapt it with `train --start`, or with --adapt in a comparison";

/// Keys that a note names.
const MAX_SHOWN_KEYS: usize = 3;

/// Bot with its name and parameters, as recorded in manifests.
#[derive(Clone, PartialEq, Debug)]
pub struct Profile {
    /// Name as given by the user.
    pub name: String,
    /// Bot to build.
    pub spec: BotSpec,
    /// All parameters, including defaults.
    pub parameters: Value,
    /// Parameters of the bots that the parameters name.
    pub parts: Vec<Value>,
    /// Notes for the user: parts of the bot that were learned on other data.
    pub notes: Vec<String>,
    /// Maps from the mean rewards of the searches to win chances.
    pub calibration: Calibration,
}

/// Profiles, features, networks and defaults of a game: all that reading a profile needs.
#[derive(Clone, Debug)]
pub struct ProfileLibrary {
    /// Name of the game.
    pub game: &'static str,
    /// Number of players.
    pub players: usize,
    /// Names of the modes that a game can have; empty if the game has no modes.
    pub modes: Vec<&'static str>,
    /// Names of the game's features.
    pub feature_names: &'static [&'static str],
    /// Embedded profiles: name and text.
    pub profiles: &'static [(&'static str, &'static str)],
    /// Networks, bound to the data file of the game.
    pub networks: Arc<NetworkLibrary>,
    /// Bot in all seats if a command names none.
    pub default_bot: &'static str,
    /// Bots of the default panel, the default bot first; empty if there is none.
    pub panel: Vec<PanelBot>,
    /// Opponents with names, the weakest first.
    pub opponents: Vec<Opponent>,
    /// Heuristic from which training starts if a command names none; `None` if there is none.
    pub default_heuristic: Option<&'static str>,
    /// Defaults of searches.
    pub search: SearchDefaults,
    /// Maps from the mean rewards of searches to win chances.
    pub calibration: CalibrationFile,
    /// Text of the built-in data file; empty if there is none.
    pub built_in: &'static str,
    /// Text of the edits that data files vary by; empty if there are none.
    pub edits: &'static str,
    /// Data files that the bots will play on; a bot that was learned on other data gets a note.
    pub data: Vec<PlayedData>,
    /// Contents of networks that replace others, by the hashes of the files of the others.
    pub adapted_networks: Arc<BTreeMap<String, Vec<u8>>>,
}

impl ProfileLibrary {
    /// Returns the library for bots that will play on these data files.
    ///
    /// # Errors
    /// Returns an error if a file is not TOML.
    pub fn with_data<'d>(
        &self,
        documents: impl IntoIterator<Item = &'d Document>,
    ) -> Result<ProfileLibrary, ConfigError> {
        let built_in = Document::embedded(self.game, self.built_in);
        let edits = Document::embedded("edits", self.edits);
        let ranges = (!self.edits.is_empty()).then(|| EditRanges::read(&edits)).transpose()?;
        let data = documents.into_iter();
        let data = data.map(|document| PlayedData::new(document, &built_in, ranges.as_ref()));
        let data = data.collect::<Result<_, _>>()?;
        Ok(ProfileLibrary { data, ..self.clone() })
    }

    /// Returns a note if a bot will play on a file with values that it has not learned.
    fn note_on_data(&self, name: &str, learned: Option<Learned<'_>>) -> Option<String> {
        let learned = learned?;
        let unknown = self.data.iter().filter_map(|data| Some((data, data.unknown_to(learned)?)));
        let file = |(data, keys): (&PlayedData, &[String])| {
            let mut shown = keys.iter().take(MAX_SHOWN_KEYS).cloned().collect::<Vec<_>>();
            shown.extend((keys.len() > MAX_SHOWN_KEYS).then(|| "…".to_owned()));
            let keys =
                if keys.is_empty() { String::new() } else { format!(" ({})", shown.join(", ")) };
            format!("{}{keys}", shown_name(&data.name))
        };
        let mut files: Vec<_> = unknown.map(file).collect();
        files.dedup();
        let files = files.join(", ");
        (!files.is_empty()).then(|| {
            format!("{name} was learned on other data than {files}, where it may play worse")
        })
    }

    /// Reads a bot: the name of an embedded profile, the path of a profile, or a kind, each
    /// optionally with options as in `name:key=value:key=value`.
    ///
    /// # Errors
    /// Returns an error if there is no such bot, or if its description is invalid.
    pub fn read(&self, name: &str) -> Result<Profile, ConfigError> {
        let name = canonical_name(name);
        self.parse(&name, &self.find(&name)?)
    }

    /// Returns the maps of a search: those of the bot that differs from it in the budget only.
    fn calibration(&self, parameters: &Value, parts: &[Value]) -> Result<Calibration, ConfigError> {
        let mut fitted: BTreeMap<Option<&str>, Vec<FittedMaps>> = BTreeMap::new();
        let budget = |key: &str| Some((key.to_owned(), parameters[key].as_i64()?.into()));
        let budget: Table = BUDGET.into_iter().filter_map(budget).collect();
        for search in self.calibration.for_players(self.players) {
            let definition = self.find(&search.bot)?;
            let definition = definition.with_overrides(without_file(&search.bot), budget.clone());
            let bot = self.parse_uncalibrated(&search.bot, &definition)?;
            if bot.parameters == *parameters
                && bot.parts == parts
                && search.evaluators_sha256 == evaluators_sha256(parts)
            {
                fitted.entry(search.mode.as_deref()).or_default().push(search.fitted_maps());
            }
        }
        let all = Calibration::new(fitted.remove(&None).unwrap_or_default());
        let modes = fitted.into_iter().filter_map(|(mode, fitted)| Some((mode?, fitted)));
        Ok(modes.fold(all, |all, (mode, fitted)| all.with_mode(mode, Calibration::new(fitted))))
    }

    /// Returns the description of a bot.
    ///
    /// # Errors
    /// Returns an error if there is no such bot, or if its file cannot be read.
    pub fn find(&self, name: &str) -> Result<BotDefinition, ConfigError> {
        self.find_with(name, &[])
    }

    /// Returns the description of a bot. A message about an unknown bot also names `added_bots`.
    fn find_with(&self, name: &str, added_bots: &[&str]) -> Result<BotDefinition, ConfigError> {
        Ok(self.describe(name, added_bots)?.for_players(self.players))
    }

    fn describe(&self, name: &str, added_bots: &[&str]) -> Result<BotDefinition, ConfigError> {
        let source = format!("bot `{name}`");
        let (kind, options) = name.split_once(':').unwrap_or((name, ""));
        if let Some((profile, text)) = self.profiles.iter().find(|(profile, _)| *profile == kind) {
            let path = format!("bots/{}/{profile}.toml", self.game);
            let resolve = |file: &str| NetworkLibrary::embedded_name(self.game, file);
            return BotDefinition::from_profile(Document::embedded(&path, text), resolve)?
                .with_options(&source, options);
        }
        if let Some(kind) = BotKind::from_name(kind) {
            return BotDefinition::parse_inline(&source, kind, options);
        }
        let (path, options) = split_path(name);
        if path.extension().is_some_and(|extension| extension == "toml") {
            let resolve = |file: &str| path.with_file_name(file).display().to_string();
            return BotDefinition::from_profile(Document::read(path)?, resolve)?
                .with_options(&source, options);
        }
        let profiles = self.profiles.iter().map(|(profile, _)| *profile);
        let bots: Vec<_> = profiles.chain(added_bots.iter().copied()).collect();
        let kinds = BotKind::NAMES;
        let nearest = nearest_name(kind, bots.iter().chain(&kinds).copied());
        let hint = nearest.map(|nearest| format!("; did you mean `{nearest}`?"));
        let bots = if bots.is_empty() {
            String::new()
        } else {
            format!("a bot of {} ({}), ", self.game, bots.join(", "))
        };
        let message = format!(
            "expected {bots}the path of a .toml file, or one of the kinds {}, each with options as \
             in `mcts:iterations=2000`{}",
            kinds.join(", "),
            hint.unwrap_or_default(),
        );
        Err(ConfigError::new(&source, "", message))
    }

    /// Returns the opponent with this name, in any case, or with this bot.
    pub fn opponent(&self, name: &str) -> Option<&Opponent> {
        let is_named = |one: &&Opponent| one.title.eq_ignore_ascii_case(name) || one.bot == name;
        self.opponents.iter().find(is_named)
    }

    /// Returns the opponent of a first game: a beginner can beat it, and has one below it. `None`
    /// if the game has no opponents.
    pub fn first_opponent(&self) -> Option<&Opponent> {
        self.opponents.get(1).or(self.opponents.first())
    }

    /// Returns the opponent whose skill is the nearest to this one; `None` if none was measured.
    pub fn opponent_of_skill(&self, skill: f64) -> Option<&Opponent> {
        let measured =
            self.opponents.iter().filter_map(|one| Some(((one.skill? - skill).abs(), one)));
        measured.min_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, one)| one)
    }

    /// Returns the names of the embedded profiles, without those whose name ends in another number
    /// of players.
    pub fn profile_names(&self) -> impl Iterator<Item = &'static str> {
        let names = self.profiles.iter().map(|(name, _)| *name);
        names.filter(|name| {
            let number = name.trim_start_matches(|character: char| !character.is_ascii_digit());
            number.parse().map_or(true, |players: usize| players == self.players)
        })
    }

    /// Reads the first embedded profile of a network; `None` if the game has none. A profile whose
    /// name ends in another number of players is ignored.
    ///
    /// # Errors
    /// Returns an error if the profile is invalid.
    pub fn first_network(&self) -> Result<Option<(&'static str, NetworkBot)>, ConfigError> {
        for name in self.profile_names() {
            let definition = self.find(name)?;
            if definition.kind() == BotKind::Network
                && let BotSpec::Network(bot) = self.parse(name, &definition)?.spec
            {
                return Ok(Some((name, bot)));
            }
        }
        Ok(None)
    }

    /// Reads a bot from its description. `name` becomes the name of the bot.
    ///
    /// # Errors
    /// Returns an error if the description is invalid.
    pub fn parse(&self, name: &str, definition: &BotDefinition) -> Result<Profile, ConfigError> {
        let profile = self.parse_uncalibrated(name, definition)?;
        let calibration = if profile.spec.searches() {
            self.calibration(&profile.parameters, &profile.parts)?
        } else {
            Calibration::default()
        };
        Ok(Profile { calibration, ..profile })
    }

    /// Reads a bot from its description, without calibration.
    fn parse_uncalibrated(
        &self,
        name: &str,
        definition: &BotDefinition,
    ) -> Result<Profile, ConfigError> {
        let reader = Reader { library: self, definition };
        let random = || RandomOptions::read(definition, &self.search).map(to_json);
        let (mut parts, mut notes) = (Vec::new(), Vec::new());
        let (spec, parameters) = match definition.kind() {
            BotKind::Random => (BotSpec::Random, random()?),
            BotKind::RandomKind => (BotSpec::RandomKind, random()?),
            BotKind::Heuristic => {
                let options = HeuristicOptions::read(definition, &self.search)?;
                let learned = options.data.as_deref();
                let learned =
                    learned.map(|values_sha256| Learned { values_sha256, with_edits: false });
                notes.extend(self.note_on_data(name, learned));
                (BotSpec::Heuristic(Box::new(reader.heuristic(&options)?)), to_json(options))
            }
            BotKind::Network => {
                let options = NetworkOptions::read(definition, &self.search)?;
                let ReadNetworks { networks, sha256, adapted_from } =
                    reader.networks(name, &options)?;
                if adapted_from.is_empty() {
                    let learned = options
                        .data
                        .as_deref()
                        .map(|values_sha256| Learned { values_sha256, with_edits: options.edits });
                    let note = self.note_on_data(name, learned);
                    notes.extend(note.map(|note| format!("{note}; {ADVICE}")));
                }
                let bot = NetworkBot {
                    networks,
                    candidates: options.candidates.get() as usize,
                    value_weight: options.value_weight.get(),
                    noise: options.noise.map_or(0.0, NonNegative::get),
                    epsilon: options.epsilon.get(),
                };
                let mut parameters = to_json(options);
                parameters["weights_sha256"] = sha256.join(" ").into();
                if !adapted_from.is_empty() {
                    parameters["adapted_from_sha256"] = adapted_from.join(" ").into();
                }
                (BotSpec::Network(bot), parameters)
            }
            BotKind::Flat | BotKind::Uct | BotKind::Mcts => {
                let options = SearchOptions::read(definition, &self.search)?;
                let search = reader.search(&options)?;
                let playout = Some(&options.playout).filter(|&name| name != MAST);
                for name in playout.into_iter().chain(&options.prior).chain(&options.value) {
                    let part = self.read(name)?;
                    parts.push(part.parameters);
                    let new = part.notes.into_iter().filter(|note| !notes.contains(note));
                    notes.extend(new.collect::<Vec<_>>());
                }
                (BotSpec::Search(Box::new(search)), to_json(options))
            }
        };
        let (name, calibration) = (name.to_owned(), Calibration::default());
        Ok(Profile { name, spec, parameters, parts, notes, calibration })
    }
}

/// The bots of a game: its profiles, and the bots that a program adds.
///
/// ```
/// use watershed::{BuiltInGame as _, GameDefinition as _, games::the_river::TheRiver};
///
/// let game = TheRiver::bind(&TheRiver::default_document(), 2)?;
/// let bots = game.bot_library();
/// let search = bots.read("mcts:iterations=200:exploration=0.5")?;
/// assert_eq!(search.parameters()["iterations"], 200);
/// assert_eq!(search.parameters()["value"], "expert", "a default of the game");
///
/// let error = bots.read("mcts:iteration=200").unwrap_err();
/// assert!(error.to_string().contains("did you mean `iterations`?"), "{error}");
/// # Ok::<(), watershed::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct BotLibrary {
    /// Profiles, features and defaults.
    pub profiles: ProfileLibrary,
    /// Bots that a program adds by `GameEntry::added_bots`.
    pub added_bots: Vec<BotFactory>,
    /// Bots that are programs of their own; `None` if no program can be started.
    pub programs: Option<ProgramBots>,
}

impl BotLibrary {
    /// Reads a bot: the name of an added bot or of an opponent, a program as in `exec:COMMAND`, or
    /// a bot as in [`ProfileLibrary::read`].
    ///
    /// # Errors
    /// Returns an error if there is no such bot, or if its description is invalid.
    pub fn read(&self, name: &str) -> Result<BotFactory, ConfigError> {
        if let Some(bot) = self.added_bots.iter().find(|bot| bot.name() == name) {
            return Ok(bot.clone());
        }
        if let Some(command) = name.strip_prefix(PREFIX) {
            let no_programs = || "programs cannot be started here".to_owned();
            let programs = self.programs.ok_or_else(no_programs);
            let bot = programs.and_then(|programs| programs.read(name, command));
            return bot.map_err(|problem| ConfigError::new(&format!("bot `{name}`"), "", problem));
        }
        let opponent = self.profiles.opponent(name);
        let titles = self.profiles.opponents.iter().map(|opponent| opponent.title);
        let added_bots: Vec<_> =
            self.added_bots.iter().map(BotFactory::name).chain(titles).collect();
        let name = opponent.map_or_else(|| canonical_name(name), |opponent| opponent.bot.clone());
        let definition = self.profiles.find_with(&name, &added_bots)?;
        let bot = BotFactory::from(self.profiles.parse(&name, &definition)?);
        let measured = self.profiles.panel.iter().find(|measured| measured.bot == name);
        let title = opponent.map(|opponent| opponent.title);
        Ok(bot.with_title(title).with_measured_elo(measured.and_then(PanelBot::measured_elo)))
    }

    /// Returns the library for bots that will play on these data files.
    ///
    /// # Errors
    /// Returns an error if a file is not TOML.
    pub fn with_data<'d>(
        &self,
        documents: impl IntoIterator<Item = &'d Document>,
    ) -> Result<Self, ConfigError> {
        let profiles = self.profiles.with_data(documents)?;
        Ok(BotLibrary { profiles, ..self.clone() })
    }

    /// Returns the bot in all seats if a command names none.
    pub fn default_bot(&self) -> &'static str {
        self.profiles.default_bot
    }
}

/// Splits the path of a profile from the options after it.
fn split_path(name: &str) -> (&Path, &str) {
    const END: &str = ".toml";
    match name.split_once(".toml:") {
        Some((stem, options)) => (Path::new(&name[..stem.len() + END.len()]), options),
        None => (Path::new(name), ""),
    }
}

/// Description of a bot with the library that it refers to.
struct Reader<'a> {
    library: &'a ProfileLibrary,
    definition: &'a BotDefinition,
}

impl Reader<'_> {
    fn heuristic(&self, options: &HeuristicOptions) -> Result<Heuristic, ConfigError> {
        let missing = || self.definition.error("", "missing key `weights`");
        let weights = self.weights("weights", options.weights.as_ref().ok_or_else(missing)?)?;
        let at_end = self.weights("weights_at_end", &options.weights_at_end)?;
        let drift = (!options.weights_at_end.is_empty())
            .then(|| std::array::from_fn(|index| at_end[index] - weights[index]));
        Ok(Heuristic {
            weights,
            drift,
            considers_opponents: options.rivals,
            temperature: options.temperature.get(),
            epsilon: options.epsilon.get(),
        })
    }

    /// Reads the networks of a bot with this name: one, or one for each mode if the name of the
    /// file contains `{mode}`.
    fn networks(&self, name: &str, options: &NetworkOptions) -> Result<ReadNetworks, ConfigError> {
        let Self { library, definition } = self;
        let missing = || definition.error("", "missing key `weights`");
        let file = options.weights.as_ref().ok_or_else(missing)?;
        let unusable = |error: ConfigError| definition.error("weights", error.to_string());
        let (mut hashes, mut adapted_from) = (Vec::new(), Vec::new());
        let mut read = |file: &str| {
            let LoadedNetwork { network, sha256 } =
                library.networks.read(file).map_err(unusable)?;
            let Some(content) = library.adapted_networks.get(&sha256) else {
                hashes.push(sha256);
                return Ok(network);
            };
            let adapted = library.networks.bind(name, content)?;
            hashes.push(adapted.sha256);
            adapted_from.push(sha256);
            Ok(adapted.network)
        };
        let networks = if file.contains("{mode}") {
            let of_mode = |&mode: &&'static str| Ok((mode, read(&file.replace("{mode}", mode))?));
            let networks = library.modes.iter().map(of_mode).collect::<Result<_, ConfigError>>()?;
            let no_modes = || definition.error("weights", "expected no `{mode}`: there are none");
            NetworksByMode::new(networks).ok_or_else(no_modes)?
        } else {
            read(file)?.into()
        };
        Ok(ReadNetworks { networks, sha256: hashes, adapted_from })
    }

    /// Returns the weights of the table at `key`, in the order of the game's features.
    fn weights(&self, key: &str, by_name: &Weights) -> Result<FeatureVector, ConfigError> {
        let ProfileLibrary { game, feature_names, .. } = self.library;
        let mut weights = [0.0; MAX_FEATURES];
        for (name, weight) in by_name {
            let index = feature_names.iter().position(|feature| feature == name);
            let index = index.ok_or_else(|| {
                let features = feature_names.join(", ");
                let nearest = nearest_name(name, feature_names.iter().copied());
                let hint = nearest.map(|nearest| format!("; did you mean `{nearest}`?"));
                let hint = hint.unwrap_or_default();
                let message = format!("expected a feature of {game}: {features}{hint}");
                self.definition.error(&format!("{key}.{name}"), message)
            })?;
            weights[index] = weight.get();
        }
        Ok(weights)
    }

    fn search(&self, options: &SearchOptions) -> Result<SearchSpec, ConfigError> {
        if let Some((key, message)) = options.contradiction() {
            return Err(self.definition.error(key, message));
        }
        let evaluator = |key: &str, name: &Option<String>, temperature: Option<Scale>| {
            let Some(name) = name else { return Ok(None) };
            let evaluator = self.part(key, name)?.into_evaluator(temperature.map(Scale::get));
            let missing = || self.definition.error(key, "expected a heuristic or a network");
            evaluator.ok_or_else(missing).map(Some)
        };
        let reuse = options.reuse.get() as f32;
        Ok(SearchSpec {
            settings: options.settings(),
            trees: options.trees.get(),
            determinize_once: options.worlds,
            playout: self.playout_policy(options)?,
            prior: evaluator("prior", &options.prior, options.prior_temperature)?,
            value: evaluator("value", &options.value, options.value_temperature)?,
            reuse: (reuse > 0.0).then_some(reuse),
        })
    }

    fn playout_policy(&self, options: &SearchOptions) -> Result<BotSpec, ConfigError> {
        // The search itself chooses by MAST; the policy is not used.
        if options.playout == MAST {
            return Ok(BotSpec::Random);
        }
        let mut policy = self.part("playout", &options.playout)?;
        match &mut policy {
            BotSpec::Heuristic(heuristic) => heuristic.epsilon = options.playout_epsilon.get(),
            BotSpec::Network(network) => network.epsilon = options.playout_epsilon.get(),
            _ => {}
        }
        Ok(policy)
    }

    /// Reads a bot that is part of a search.
    fn part(&self, key: &str, name: &str) -> Result<BotSpec, ConfigError> {
        let part = self.library.find(name)?;
        // Checked before the bot is read, because a search that names itself would never end.
        if part.kind().searches() {
            return Err(self.definition.error(key, "expected a bot that does not search"));
        }
        Ok(self.library.parse(name, &part)?.spec)
    }
}

/// Networks of a bot, with hashes in hexadecimal.
struct ReadNetworks {
    networks: NetworksByMode,
    /// SHA-256 hashes of the files.
    sha256: Vec<String>,
    /// The same of the networks that adapted ones replace.
    adapted_from: Vec<String>,
}

fn to_json(options: impl Serialize) -> Value {
    serde_json::to_value(options).unwrap_or_default()
}
