//! Reading a bot from a profile in `bots/<game>/`, a file, or a line such as `mcts:iterations=2000`.

use std::{collections::BTreeMap, path::Path};

use serde::{Deserialize, Serialize};

use crate::{
    config::{ConfigError, Document, Ranged},
    game::MAX_FEATURES,
    search::{heuristic::Heuristic, mcts, reward::Reward},
};

/// A bot with all its parameters, ready to be built.
#[derive(Clone, PartialEq, Debug)]
pub enum Spec {
    /// Uniform over the legal actions.
    Random,
    /// Uniform over the kinds of legal action, then over the actions of that kind.
    RandomKind,
    /// One-ply choice by weighted features.
    Heuristic(Box<Heuristic>),
    /// Flat Monte Carlo or Monte Carlo tree search.
    Search {
        /// What the search does.
        settings: mcts::Settings,
        /// How its playouts choose.
        playout: PlayoutKind,
    },
}

/// How playouts choose.
#[derive(Clone, PartialEq, Debug)]
pub enum PlayoutKind {
    /// Uniform over the legal actions.
    Random,
    /// Uniform over the kinds of legal action, then over the actions of that kind.
    RandomKind,
    /// By weighted features.
    Heuristic(Box<Heuristic>),
}

/// A bot as a run names and describes it.
#[derive(Clone, PartialEq, Debug)]
pub struct Profile {
    /// The name as given.
    pub name: String,
    /// What to build.
    pub spec: Spec,
    /// All parameters, those left to their defaults included, for manifests.
    pub parameters: serde_json::Value,
}

/// A share or a chance.
#[derive(Clone, Copy, PartialEq, Debug, Default, Deserialize, Serialize)]
#[serde(try_from = "f64")]
struct Share(f64);

impl TryFrom<f64> for Share {
    type Error = String;

    fn try_from(value: f64) -> Result<Self, String> {
        if (0.0..=1.0).contains(&value) { Ok(Self(value)) } else { Err(format!("expected a number from 0 to 1, found {value}")) }
    }
}

/// A finite number that is not negative.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize, Serialize)]
#[serde(try_from = "f64")]
struct Positive(f64);

impl TryFrom<f64> for Positive {
    type Error = String;

    fn try_from(value: f64) -> Result<Self, String> {
        if value.is_finite() && value >= 0.0 { Ok(Self(value)) } else { Err(format!("expected a number of at least 0, found {value}")) }
    }
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct PlainFile {
    kind: String,
    #[serde(default)]
    description: String,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct HeuristicFile {
    kind: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    epsilon: Share,
    weights: BTreeMap<String, f64>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
struct SearchFile {
    kind: String,
    description: String,
    iterations: Ranged<1, 10_000_000>,
    exploration: Positive,
    playout: String,
    playout_epsilon: Share,
    margin_weight: Share,
    margin_scale: Positive,
}

impl Default for SearchFile {
    fn default() -> Self {
        Self {
            kind: String::new(),
            description: String::new(),
            iterations: Ranged::new(1000),
            exploration: Positive(0.3),
            playout: String::new(),
            playout_epsilon: Share(0.0),
            margin_weight: Share(0.5),
            margin_scale: Positive(30.0),
        }
    }
}

/// The profiles and features of one game, by which bots are read.
#[derive(Clone, Copy, Debug)]
pub struct Library<'a> {
    /// The game's name.
    pub game: &'a str,
    /// Names of the game's features.
    pub features: &'a [&'a str],
    /// The embedded profiles, name and text.
    pub profiles: &'a [(&'a str, &'a str)],
    /// The bot that playouts follow where a search names none.
    pub default_playout: &'a str,
}

impl Library<'_> {
    /// Reads a bot: the name of an embedded profile, the path of a profile, or `kind:key=value:key=value`.
    ///
    /// # Errors
    /// If there is no such bot, or its description has a mistake.
    pub fn read(&self, name: &str) -> Result<Profile, ConfigError> {
        let (document, inline) = self.find(name)?;
        self.parse(name, &document).map_err(|error| if inline { ConfigError { line: None, ..error } } else { error })
    }

    fn find(&self, name: &str) -> Result<(Document, bool), ConfigError> {
        if let Some((_, text)) = self.profiles.iter().find(|(profile, _)| *profile == name) {
            return Ok((Document::embedded(&format!("bots/{}/{name}.toml", self.game), text), false));
        }
        let (kind, parameters) = name.split_once(':').unwrap_or((name, ""));
        if KINDS.contains(&kind) {
            return Ok((Document { name: format!("bot `{name}`"), text: inline_toml(kind, parameters) }, true));
        }
        if Path::new(name).extension().is_some_and(|ending| ending == "toml") {
            return Ok((Document::read(Path::new(name))?, false));
        }
        let profiles: Vec<_> = self.profiles.iter().map(|(profile, _)| *profile).collect();
        Err(ConfigError {
            file: format!("bot `{name}`"),
            line: None,
            key: String::new(),
            message: format!(
                "expected a profile of {} ({}), the path of a .toml file, or one of the kinds {} with parameters as in `mcts:iterations=2000`",
                self.game,
                profiles.join(", "),
                KINDS.join(", "),
            ),
        })
    }

    fn parse(&self, name: &str, document: &Document) -> Result<Profile, ConfigError> {
        let kind = kind_of(document)?;
        let (spec, parameters) = match kind.as_str() {
            "random" => (Spec::Random, parameters(&document.parse::<PlainFile>()?)),
            "random-kind" => (Spec::RandomKind, parameters(&document.parse::<PlainFile>()?)),
            "heuristic" => {
                let file: HeuristicFile = document.parse()?;
                (Spec::Heuristic(Box::new(self.heuristic(document, &file)?)), parameters(&file))
            }
            "flat" | "mcts" => {
                let mut file: SearchFile = document.parse()?;
                if file.playout.is_empty() {
                    self.default_playout.clone_into(&mut file.playout);
                }
                let settings = mcts::Settings {
                    iterations: file.iterations.get(),
                    exploration: file.exploration.0 as f32,
                    depth: if kind == "flat" { 1 } else { u32::MAX },
                    reward: Reward { margin_weight: file.margin_weight.0 as f32, margin_scale: (file.margin_scale.0 as f32).max(1.0) },
                };
                (Spec::Search { settings, playout: self.playout(document, &file)? }, parameters(&file))
            }
            _ => return Err(document.error("kind", format!("expected one of {}", KINDS.join(", ")))),
        };
        Ok(Profile { name: name.to_owned(), spec, parameters })
    }

    fn heuristic(&self, document: &Document, file: &HeuristicFile) -> Result<Heuristic, ConfigError> {
        let mut weights = [0.0; MAX_FEATURES];
        for (name, &weight) in &file.weights {
            let key = format!("weights.{name}");
            let Some(index) = self.features.iter().position(|feature| feature == name) else {
                return Err(document.error(&key, format!("expected a feature of {}: {}", self.game, self.features.join(", "))));
            };
            if !(-MAX_WEIGHT..=MAX_WEIGHT).contains(&weight) {
                return Err(document.error(&key, format!("expected a number from -{MAX_WEIGHT} to {MAX_WEIGHT}, found {weight}")));
            }
            weights[index] = weight;
        }
        Ok(Heuristic::new(weights, file.epsilon.0))
    }

    fn playout(&self, document: &Document, file: &SearchFile) -> Result<PlayoutKind, ConfigError> {
        let searches = || document.error("playout", "expected a bot that does not search");
        // A bot that searches is not read any further: it might be this very one.
        if SEARCH_KINDS.contains(&kind_of(&self.find(&file.playout)?.0)?.as_str()) {
            return Err(searches());
        }
        match self.read(&file.playout)?.spec {
            Spec::Random => Ok(PlayoutKind::Random),
            Spec::RandomKind => Ok(PlayoutKind::RandomKind),
            Spec::Heuristic(heuristic) => Ok(PlayoutKind::Heuristic(Box::new(heuristic.with_epsilon(file.playout_epsilon.0)))),
            Spec::Search { .. } => Err(searches()),
        }
    }
}

/// All parameters of a profile, for manifests.
fn parameters(file: &impl Serialize) -> serde_json::Value {
    serde_json::to_value(file).unwrap_or_default()
}

/// What a profile says its kind is; empty if it does not say.
fn kind_of(document: &Document) -> Result<String, ConfigError> {
    let table: toml::Table = document.parse()?;
    Ok(table.get("kind").and_then(toml::Value::as_str).unwrap_or_default().to_owned())
}

/// Greater weights could add up to something that is no number.
const MAX_WEIGHT: f64 = 1e9;

/// The kinds that search.
const SEARCH_KINDS: [&str; 2] = ["flat", "mcts"];
const KINDS: [&str; 5] = ["random", "random-kind", "heuristic", "flat", "mcts"];

/// Writes the parameters of a line as a profile; those of a heuristic are weights, but for `epsilon`.
fn inline_toml(kind: &str, parameters: &str) -> String {
    let mut text = format!("kind = \"{kind}\"\n");
    let mut weights = String::new();
    for parameter in parameters.split(':').filter(|parameter| !parameter.is_empty()) {
        let (key, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let quoted = toml::Value::String(value.to_owned()).to_string();
        let value = if value.parse::<f64>().is_ok() { value } else { &quoted };
        let is_weight = kind == "heuristic" && key != "epsilon";
        let section = if is_weight { &mut weights } else { &mut text };
        *section += &format!("{} = {value}\n", toml::Value::String(key.to_owned()));
    }
    if kind == "heuristic" { text + "[weights]\n" + &weights } else { text }
}
