//! Reading a bot from a profile in `bots/<game>/`, a file, or a line such as
//! `mcts:iterations=2000`.

use std::{collections::BTreeMap, path::Path, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{
    config::{BoundedInteger, ConfigError, Document},
    game::{FeatureVector, MAX_FEATURES},
    search::{
        heuristic::Heuristic,
        hidden::{HiddenLayer, HiddenUnit, MAX_UNITS},
        mcts::{self, Branching, Budget, FinalChoice, Opponents, Widening},
        reward::RewardFunction,
        select::{ChildSelection, SelectionRule},
        tree::MAX_VISITS,
    },
};

/// A bot with all its parameters, ready to be built.
#[derive(Clone, PartialEq, Debug)]
pub enum BotSpec {
    /// Uniform over the legal actions.
    Random,
    /// Uniform over the kinds of legal action, then over the actions of that kind.
    RandomKind,
    /// One-ply choice by weighted features.
    Heuristic(Box<Heuristic>),
    /// Flat Monte Carlo or Monte Carlo tree search.
    Search(Box<SearchSpec>),
}

/// A bot that searches.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchSpec {
    /// What each search does, with the budget of all together.
    pub settings: mcts::Settings,
    /// How many trees search side by side.
    pub trees: u32,
    /// Whether each tree keeps to one determinization.
    pub determinize_once: bool,
    /// How playouts choose.
    pub playout: PlayoutPolicy,
    /// What actions are expected to be good.
    pub prior: Option<Heuristic>,
    /// What positions are worth.
    pub value: Option<Heuristic>,
    /// The share of their weight that visits keep from one decision to the next; none if each
    /// search begins anew.
    pub reuse: Option<f32>,
}

/// How playouts choose.
#[derive(Clone, PartialEq, Debug)]
pub enum PlayoutPolicy {
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
    pub spec: BotSpec,
    /// All parameters, those left to their defaults included, for manifests.
    pub parameters: serde_json::Value,
}

/// A positive finite number.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize, Serialize)]
#[serde(try_from = "f64")]
struct Scale(f64);

impl TryFrom<f64> for Scale {
    type Error = String;

    fn try_from(value: f64) -> Result<Self, String> {
        if value.is_finite() && value >= MIN_SCALE {
            Ok(Self(value))
        } else {
            Err(format!("expected a number of at least {MIN_SCALE}, found {value}"))
        }
    }
}

/// A share or a chance.
#[derive(Clone, Copy, PartialEq, Debug, Default, Deserialize, Serialize)]
#[serde(try_from = "f64")]
struct Share(f64);

impl TryFrom<f64> for Share {
    type Error = String;

    fn try_from(value: f64) -> Result<Self, String> {
        if (0.0..=1.0).contains(&value) {
            Ok(Self(value))
        } else {
            Err(format!("expected a number from 0 to 1, found {value}"))
        }
    }
}

/// A number that is not negative, nor so great that products of it are no numbers.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize, Serialize)]
#[serde(try_from = "f64")]
struct Positive(f64);

impl TryFrom<f64> for Positive {
    type Error = String;

    fn try_from(value: f64) -> Result<Self, String> {
        if (0.0..=MAX_WEIGHT).contains(&value) {
            Ok(Self(value))
        } else {
            Err(format!("expected a number from 0 to {MAX_WEIGHT}, found {value}"))
        }
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
    #[serde(default)]
    rivals: bool,
    #[serde(default = "HeuristicFile::default_temperature")]
    temperature: Scale,
    weights: BTreeMap<String, f64>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    weights_at_end: BTreeMap<String, f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    hidden: Vec<UnitFile>,
}

/// A unit of a hidden layer.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct UnitFile {
    output: f64,
    #[serde(default)]
    bias: f64,
    #[serde(default)]
    progress: f64,
    weights: BTreeMap<String, f64>,
}

impl HeuristicFile {
    /// About the margin at which hand-made weights, whose unit is a point, begin to tell who wins.
    fn default_temperature() -> Scale {
        Scale(8.0)
    }
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
struct SearchFile {
    kind: String,
    description: String,
    iterations: Option<BoundedInteger<1, { MAX_VISITS as i64 }>>,
    steps: Option<BoundedInteger<1, { u32::MAX as i64 }>>,
    time_ms: Option<BoundedInteger<1, 3_600_000>>,
    trees: BoundedInteger<1, 1024>,
    worlds: bool,
    nodes: BoundedInteger<64, 100_000_000>,
    selection: Option<SelectionRule>,
    exploration: Option<Positive>,
    prior: Option<String>,
    prior_temperature: Option<Scale>,
    bias: Positive,
    first_play_reduction: Option<Share>,
    widening: Option<Positive>,
    widening_exponent: Share,
    chance_nodes: Option<Positive>,
    chance_exponent: Share,
    branching: Option<Branching>,
    opponents: Opponents,
    playout: Option<String>,
    playout_epsilon: Share,
    cut_off: Option<BoundedInteger<0, 1000>>,
    value: Option<String>,
    value_temperature: Option<Scale>,
    implicit_minimax: Share,
    margin_weight: Option<Share>,
    margin_scale: Scale,
    rank_weight: Share,
    final_choice: FinalChoice,
    reuse: Share,
}
impl Default for SearchFile {
    fn default() -> Self {
        Self {
            kind: String::new(),
            description: String::new(),
            iterations: None,
            steps: None,
            time_ms: None,
            trees: BoundedInteger::new(1),
            worlds: false,
            nodes: BoundedInteger::new(i64::from(MAX_VISITS)),
            selection: None,
            exploration: None,
            prior: None,
            prior_temperature: None,
            bias: Positive(0.0),
            first_play_reduction: None,
            widening: None,
            widening_exponent: Share(0.5),
            chance_nodes: None,
            chance_exponent: Share(0.5),
            branching: None,
            opponents: Opponents::MaxN,
            playout: None,
            playout_epsilon: Share(0.0),
            cut_off: None,
            value: None,
            value_temperature: None,
            implicit_minimax: Share(0.0),
            margin_weight: None,
            margin_scale: Scale(30.0),
            rank_weight: Share(0.0),
            final_choice: FinalChoice::Visits,
            reuse: Share(0.0),
        }
    }
}

impl SearchFile {
    /// Gives every key that is not there the value that its kind has.
    ///
    /// `uct` is the textbook's: UCB1, uniform playouts, the win alone. `flat` and `mcts` look at
    /// the score as well; `mcts` goes where a learned value leads, if the game has one and no
    /// playouts are asked for, in the trees that suit the game unless something is asked for that
    /// needs one tree.
    fn fill_in(&mut self, library: &BotLibrary<'_>) {
        let learned = (self.kind == "mcts" && self.playout.is_none())
            .then_some(library.default_value.zip(library.default_prior))
            .flatten();
        if let Some((value, prior)) = learned {
            self.value.get_or_insert_with(|| value.to_owned());
            self.cut_off.get_or_insert(BoundedInteger::new(0));
            if *self.selection.get_or_insert(SelectionRule::Puct) == SelectionRule::Puct {
                self.prior.get_or_insert_with(|| prior.to_owned());
            }
        }
        let one_tree =
            self.implicit_minimax.0 > 0.0 || self.chance_nodes.is_some() || self.reuse.0 > 0.0;
        let own_trees = library.own_trees && learned.is_some() && !one_tree;
        self.branching.get_or_insert(if own_trees {
            Branching::OwnMoves
        } else {
            Branching::Shared
        });
        self.first_play_reduction.get_or_insert(Share(if learned.is_some() { 0.2 } else { 0.0 }));
        let uct = self.kind == "uct";
        self.selection.get_or_insert(SelectionRule::Ucb1);
        self.exploration.get_or_insert(Positive(if uct { std::f64::consts::SQRT_2 } else { 0.3 }));
        self.playout
            .get_or_insert_with(|| if uct { "random" } else { library.default_playout }.to_owned());
        self.margin_weight.get_or_insert(Share(if uct || self.cut_off.is_some() {
            0.0
        } else {
            0.5
        }));
    }

    fn selection(&self) -> SelectionRule {
        self.selection.unwrap_or(SelectionRule::Ucb1)
    }

    fn branching(&self) -> Branching {
        self.branching.unwrap_or(Branching::Shared)
    }

    fn playout(&self) -> &str {
        self.playout.as_deref().unwrap_or_default()
    }

    /// The limits that are given; without any, 1000 iterations.
    fn budget(&self) -> Budget {
        let unlimited =
            if self.steps.is_some() || self.time_ms.is_some() { MAX_VISITS } else { 1000 };
        Budget {
            iterations: self.iterations.map_or(unlimited, BoundedInteger::get),
            steps: self.steps.map_or(u64::MAX, |steps| steps.get().into()),
            time: self.time_ms.map(|milliseconds| Duration::from_millis(milliseconds.get().into())),
        }
    }

    fn settings(&self) -> mcts::Settings {
        let widening = |factor: Option<Positive>, exponent: Share| {
            factor.map(|factor| Widening { factor: factor.0 as f32, exponent: exponent.0 as f32 })
        };
        mcts::Settings {
            budget: self.budget(),
            max_nodes: self.nodes.get(),
            max_depth: if self.kind == "flat" { 1 } else { u32::MAX },
            reward: RewardFunction {
                margin_weight: self.margin_weight.unwrap_or_default().0 as f32,
                margin_scale: self.margin_scale.0 as f32,
                rank_weight: self.rank_weight.0 as f32,
            },
            selection: ChildSelection {
                rule: self.selection(),
                exploration: self.exploration.map_or(0.0, |exploration| exploration.0) as f32,
                bias: self.bias.0 as f32,
            },
            first_play_reduction: self.first_play_reduction.unwrap_or_default().0 as f32,
            widening: widening(self.widening, self.widening_exponent),
            chance_nodes: widening(self.chance_nodes, self.chance_exponent),
            branching: self.branching(),
            opponents: self.opponents,
            cut_off: self.cut_off.map(BoundedInteger::get),
            implicit_minimax: self.implicit_minimax.0 as f32,
            mast_epsilon: (self.playout() == MAST).then_some(self.playout_epsilon.0 as f32),
            final_choice: self.final_choice,
        }
    }

    /// The first key that asks for another one that is missing, or can't go with it.
    fn contradiction(&self) -> Option<(&'static str, &'static str)> {
        let shared = self.branching() == Branching::Shared;
        let contradictions = [
            (
                self.selection() == SelectionRule::Puct && self.prior.is_none(),
                "selection",
                "expected a `prior` with `puct`",
            ),
            (self.bias.0 > 0.0 && self.prior.is_none(), "bias", "expected a `prior` with it"),
            (
                self.widening.is_some() && self.prior.is_none(),
                "widening",
                "expected a `prior` with it",
            ),
            (
                self.cut_off.is_some() && self.value.is_none(),
                "cut_off",
                "expected a `value` with it",
            ),
            (
                self.implicit_minimax.0 > 0.0 && self.value.is_none(),
                "implicit_minimax",
                "expected a `value` with it",
            ),
            (
                self.implicit_minimax.0 > 0.0 && !shared,
                "implicit_minimax",
                "expected `branching` to be `shared` with it",
            ),
            (
                self.chance_nodes.is_some() && !shared,
                "chance_nodes",
                "expected `branching` to be `shared` with it",
            ),
            (self.reuse.0 > 0.0 && !shared, "reuse", "expected `branching` to be `shared` with it"),
            // Halving counts on visits being equal before it begins.
            (
                self.reuse.0 > 0.0 && self.final_choice == FinalChoice::Halving,
                "reuse",
                "expected `final_choice` not to be `halving` with it",
            ),
            (
                self.prior_temperature.is_some() && self.prior.is_none(),
                "prior_temperature",
                "expected a `prior` with it",
            ),
            (
                self.value_temperature.is_some() && self.value.is_none(),
                "value_temperature",
                "expected a `value` with it",
            ),
        ];
        contradictions
            .into_iter()
            .find(|&(wrong, ..)| wrong)
            .map(|(_, key, message)| (key, message))
    }
}

/// The profiles and features of one game, by which bots are read.
#[derive(Clone, Copy, Debug)]
pub struct BotLibrary<'a> {
    /// The game's name.
    pub game: &'a str,
    /// Names of the game's features.
    pub feature_names: &'a [&'a str],
    /// The embedded profiles, name and text.
    pub profiles: &'a [(&'a str, &'a str)],
    /// The bot in all seats where a command names none.
    pub default_bot: &'a str,
    /// The bot that playouts follow where a search names none.
    pub default_playout: &'a str,
    /// The heuristic by which a search values positions where it names none; none if it is to play
    /// them out.
    pub default_value: Option<&'a str>,
    /// The heuristic by which a search by that value expects actions to be good where it names
    /// none.
    pub default_prior: Option<&'a str>,
    /// Whether a search by that value has a tree for each seat of its own moves where it names no
    /// trees.
    pub own_trees: bool,
}

impl BotLibrary<'_> {
    /// Reads a bot: the name of an embedded profile, the path of a profile, or
    /// `kind:key=value:key=value`.
    ///
    /// # Errors
    /// If there is no such bot, or its description has a mistake.
    pub fn read(&self, name: &str) -> Result<Profile, ConfigError> {
        let (document, inline) = self.find(name)?;
        self.parse(name, &document)
            .map_err(|error| if inline { ConfigError { line: None, ..error } } else { error })
    }

    /// The text of a bot by any of its names, and whether it was written for a line that has none.
    ///
    /// # Errors
    /// If there is no such bot, or its file can't be read.
    pub fn find(&self, name: &str) -> Result<(Document, bool), ConfigError> {
        if let Some((_, text)) = self.profiles.iter().find(|(profile, _)| *profile == name) {
            return Ok((
                Document::embedded(&format!("bots/{}/{name}.toml", self.game), text),
                false,
            ));
        }
        let (kind, parameters) = name.split_once(':').unwrap_or((name, ""));
        if KINDS.contains(&kind) {
            let text = inline_toml(kind, parameters).map_err(|(key, message)| ConfigError {
                file: format!("bot `{name}`"),
                line: None,
                key,
                message,
            })?;
            return Ok((Document { name: format!("bot `{name}`"), text }, true));
        }
        if Path::new(name).extension().is_some_and(|ending| ending == "toml") {
            return Ok((Document::read(Path::new(name))?, false));
        }
        let profiles: Vec<_> = self.profiles.iter().map(|(profile, _)| *profile).collect();
        let likeness = |known: &&&str| strsim::jaro_winkler(known, kind);
        let nearest = profiles
            .iter()
            .chain(&KINDS)
            .max_by(|one, other| likeness(one).total_cmp(&likeness(other)));
        let hint = nearest
            .filter(|nearest| likeness(nearest) >= LEAST_LIKENESS)
            .map(|nearest| format!("; did you mean `{nearest}`?"));
        Err(ConfigError {
            file: format!("bot `{name}`"),
            line: None,
            key: String::new(),
            message: format!(
                "expected a profile of {} ({}), the path of a .toml file, or one of the kinds {} \
                    with parameters as in `mcts:iterations=2000`{}",
                self.game,
                profiles.join(", "),
                KINDS.join(", "),
                hint.unwrap_or_default(),
            ),
        })
    }

    /// Reads a bot from the text of a profile, and gives it this name.
    ///
    /// # Errors
    /// If the text has a mistake.
    pub fn parse(&self, name: &str, document: &Document) -> Result<Profile, ConfigError> {
        let kind = kind_of(document)?;
        let (spec, parameters) = match kind.as_str() {
            "random" => (BotSpec::Random, parameters(&document.parse::<PlainFile>()?)),
            "random-kind" => (BotSpec::RandomKind, parameters(&document.parse::<PlainFile>()?)),
            "heuristic" => {
                let file: HeuristicFile = document.parse()?;
                (BotSpec::Heuristic(Box::new(self.heuristic(document, &file)?)), parameters(&file))
            }
            "flat" | "uct" | "mcts" => {
                let mut file: SearchFile = document.parse()?;
                file.fill_in(self);
                (BotSpec::Search(Box::new(self.search(document, &file)?)), parameters(&file))
            }
            _ => {
                return Err(document.error("kind", format!("expected one of {}", KINDS.join(", "))));
            }
        };
        Ok(Profile { name: name.to_owned(), spec, parameters })
    }

    fn heuristic(
        &self,
        document: &Document,
        file: &HeuristicFile,
    ) -> Result<Heuristic, ConfigError> {
        let weights = self.weights(document, "weights", &file.weights)?;
        let at_end = self.weights(document, "weights_at_end", &file.weights_at_end)?;
        let drift = (!file.weights_at_end.is_empty())
            .then(|| std::array::from_fn(|index| at_end[index] - weights[index]));
        let hidden = self.hidden(document, &file.hidden)?;
        Ok(Heuristic {
            weights,
            drift,
            hidden,
            considers_opponents: file.rivals,
            temperature: file.temperature.0,
            epsilon: file.epsilon.0,
        })
    }

    fn hidden(
        &self,
        document: &Document,
        units: &[UnitFile],
    ) -> Result<Option<Box<HiddenLayer>>, ConfigError> {
        if units.len() > MAX_UNITS {
            return Err(document.error(
                "hidden",
                format!("expected at most {MAX_UNITS} units, found {}", units.len()),
            ));
        }
        let unit = |(index, unit): (usize, &UnitFile)| {
            let number = |name: &str, value: f64| {
                weight_of(document, &format!("hidden[{index}].{name}"), value)
            };
            Ok(HiddenUnit {
                output: number("output", unit.output)?,
                bias: number("bias", unit.bias)?,
                progress: number("progress", unit.progress)?,
                weights: self.weights(
                    document,
                    &format!("hidden[{index}].weights"),
                    &unit.weights,
                )?,
            })
        };
        let units = units.iter().enumerate().map(unit).collect::<Result<Vec<_>, ConfigError>>()?;
        Ok((!units.is_empty())
            .then(|| Box::new(HiddenLayer::new(&units, self.feature_names.len()))))
    }

    fn weights(
        &self,
        document: &Document,
        table: &str,
        named: &BTreeMap<String, f64>,
    ) -> Result<FeatureVector, ConfigError> {
        let mut weights = [0.0; MAX_FEATURES];
        for (name, &weight) in named {
            let key = format!("{table}.{name}");
            let Some(index) = self.feature_names.iter().position(|feature| feature == name) else {
                return Err(document.error(
                    &key,
                    format!(
                        "expected a feature of {}: {}",
                        self.game,
                        self.feature_names.join(", ")
                    ),
                ));
            };
            weights[index] = weight_of(document, &key, weight)?;
        }
        Ok(weights)
    }

    fn search(&self, document: &Document, file: &SearchFile) -> Result<SearchSpec, ConfigError> {
        if let Some((key, message)) = file.contradiction() {
            return Err(document.error(key, message));
        }
        let evaluator = |key: &str, name: &Option<String>, temperature: Option<Scale>| {
            let heuristic =
                name.as_ref().map(|name| self.evaluator(document, key, name)).transpose()?;
            Ok(heuristic.map(|heuristic| Heuristic {
                temperature: temperature.map_or(heuristic.temperature, |value| value.0),
                ..heuristic
            }))
        };
        Ok(SearchSpec {
            settings: file.settings(),
            trees: file.trees.get(),
            determinize_once: file.worlds,
            playout: self.playout(document, file)?,
            prior: evaluator("prior", &file.prior, file.prior_temperature)?,
            value: evaluator("value", &file.value, file.value_temperature)?,
            reuse: (file.reuse.0 > 0.0).then_some(file.reuse.0 as f32),
        })
    }

    fn playout(
        &self,
        document: &Document,
        file: &SearchFile,
    ) -> Result<PlayoutPolicy, ConfigError> {
        // Playouts that learn as they go follow no bot.
        if file.playout() == MAST {
            return Ok(PlayoutPolicy::Random);
        }
        match self.simple(document, "playout", file.playout())? {
            BotSpec::Random => Ok(PlayoutPolicy::Random),
            BotSpec::Heuristic(heuristic) => Ok(PlayoutPolicy::Heuristic(Box::new(Heuristic {
                epsilon: file.playout_epsilon.0,
                ..*heuristic
            }))),
            _ => Ok(PlayoutPolicy::RandomKind),
        }
    }

    fn evaluator(
        &self,
        document: &Document,
        key: &str,
        name: &str,
    ) -> Result<Heuristic, ConfigError> {
        match self.simple(document, key, name)? {
            BotSpec::Heuristic(heuristic) => Ok(*heuristic),
            _ => Err(document.error(key, "expected a heuristic")),
        }
    }

    /// A bot that does not search, as part of one that does.
    fn simple(&self, document: &Document, key: &str, name: &str) -> Result<BotSpec, ConfigError> {
        // A bot that searches is not read any further: it might be this very one.
        if SEARCH_KINDS.contains(&kind_of(&self.find(name)?.0)?.as_str()) {
            return Err(document.error(key, "expected a bot that does not search"));
        }
        Ok(self.read(name)?.spec)
    }
}

/// A weight, if it is a number that products of it may be.
fn weight_of(document: &Document, key: &str, weight: f64) -> Result<f64, ConfigError> {
    if (-MAX_WEIGHT..=MAX_WEIGHT).contains(&weight) {
        Ok(weight)
    } else {
        Err(document.error(
            key,
            format!("expected a number from -{MAX_WEIGHT} to {MAX_WEIGHT}, found {weight}"),
        ))
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

/// Smaller differences of value or score would make certainties of everything.
const MIN_SCALE: f64 = 1e-3;

/// Below this likeness a name is not suggested for another one.
const LEAST_LIKENESS: f64 = 0.85;

/// The name of playouts that learn as they go.
const MAST: &str = "mast";

/// The kinds that search.
const SEARCH_KINDS: [&str; 3] = ["flat", "uct", "mcts"];
const KINDS: [&str; 6] = ["random", "random-kind", "heuristic", "flat", "uct", "mcts"];

/// Writes a value as TOML, which is stricter about numbers.
fn inline_value(text: &str) -> toml::Value {
    let integer = text.parse().map(toml::Value::Integer).ok();
    let float = || text.parse().map(toml::Value::Float).ok();
    let boolean = || text.parse().map(toml::Value::Boolean).ok();
    integer.or_else(float).or_else(boolean).unwrap_or_else(|| toml::Value::String(text.to_owned()))
}

/// Writes the parameters of a line as a profile; those of a heuristic are weights, but for
/// `epsilon`, `rivals` and `temperature`.
///
/// # Errors
/// If a parameter is not `key=value`, or a key is given twice: the key, and what was expected.
fn inline_toml(kind: &str, parameters: &str) -> Result<String, (String, String)> {
    let mut text = format!("kind = \"{kind}\"\n");
    let mut weights = String::new();
    let mut keys = vec!["kind"];
    for parameter in parameters.split(':').filter(|parameter| !parameter.is_empty()) {
        let is_name = |key: &str| {
            !key.is_empty()
                && key.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter))
        };
        let Some((key, value)) = parameter.split_once('=').filter(|(key, _)| is_name(key)) else {
            return Err((
                String::new(),
                format!("expected `key=value`, as in `iterations=2000`, found {parameter:?}"),
            ));
        };
        if keys.contains(&key) {
            return Err((key.to_owned(), "expected each key once, found it again".to_owned()));
        }
        keys.push(key);
        let value = inline_value(value);
        let is_weight = kind == "heuristic" && !["epsilon", "rivals", "temperature"].contains(&key);
        let section = if is_weight { &mut weights } else { &mut text };
        *section += &format!("{key} = {value}\n");
    }
    Ok(if kind == "heuristic" { text + "[weights]\n" + &weights } else { text })
}
