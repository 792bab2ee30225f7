//! The frozen bot that a training is against, and the bot of the learner.

use serde_json::json;

use crate::{
    bots::{
        profile::Profile,
        spec::{BotSpec, EvaluatorSpec},
    },
    search::{
        calibration::Calibration,
        network::{BoundNetwork, NetworkBot, NetworkEvaluator, NetworksByMode},
    },
    study::shared::prelude::*,
};

/// Options of a search that limit its work.
const BUDGET: [&str; 4] = ["iterations", "steps", "time_ms", "cpu_ms"];

/// A bot that does not learn, in all seats except that of the learner.
pub(crate) struct FrozenBot {
    pub(crate) bot: BotFactory,
    /// The search by which the learner plays against it, with another network; `None` if the bot
    /// does not search.
    search: Option<Profile>,
}

impl FrozenBot {
    fn read(library: &BotLibrary, name: &str) -> Result<Self, ConfigError> {
        let bot = library.read(name)?;
        // A bot that a program adds has no profile.
        let profile = library.profiles.read(name).ok().filter(|profile| profile.spec.searches());
        let has_value = |profile: &Profile| {
            let BotSpec::Search(search) = &profile.spec else { return false };
            search.value.is_some()
        };
        let search = match profile {
            // The default search with the same budget has a value to replace.
            Some(profile) if !has_value(&profile) => {
                let limit = |key| Some(format!(":{key}={}", profile.parameters[key].as_u64()?));
                let budget: String = BUDGET.into_iter().filter_map(limit).collect();
                Some(library.profiles.read(&format!("mcts{budget}"))?).filter(has_value)
            }
            profile => profile,
        };
        Ok(Self { bot, search })
    }

    /// Reads a bot for each number of players.
    ///
    /// # Errors
    /// If there is no such bot, or if the seats do not play against each other.
    pub(crate) fn read_all(games: &[&BoundGame], name: &str) -> anyhow::Result<Vec<Self>> {
        let read = |game: &&BoundGame| {
            ensure!(
                game.seats() > 1 && !game.is_cooperative(),
                "expected a game between 2 or more seats, found {} with {}, where they do not \
                 play against each other; --players names the number",
                game.id(),
                format_count(game.seats(), "player")
            );
            Ok(Self::read(game.library(), name)?)
        };
        games.iter().map(read).collect()
    }

    /// Returns the bot with which the training begins: the one that is named, or the network or the
    /// heuristic of these bots for several numbers of players, if it is the same.
    pub(crate) fn start_name(named: Option<&str>, all: &[Self]) -> Option<String> {
        let mut evaluators = all.iter().map(|frozen| {
            let parameters = frozen.bot.parameters();
            let is_network = parameters["kind"] == "network";
            if is_network { Some(frozen.bot.name()) } else { parameters["value"].as_str() }
        });
        let first = named.or_else(|| {
            evaluators.next()?.filter(|&first| evaluators.all(|other| other == Some(first)))
        });
        first.map(str::to_owned)
    }

    /// Returns the bot that plays with a network against the frozen one: the same search, or one
    /// ply ahead if the frozen bot does not search.
    pub(crate) fn learner(&self, name: &str, network: &Arc<BoundNetwork>) -> BotFactory {
        let networks = NetworksByMode::from(network.clone());
        let weights = sha256(&network.source().to_bytes());
        let network = json!({ "kind": "network", "weights_sha256": weights });
        let mut profile = self.search.clone().unwrap_or_else(|| Profile {
            name: name.to_owned(),
            spec: BotSpec::Network(NetworkBot::new(networks.clone())),
            parameters: network.clone(),
            parts: Vec::new(),
            notes: Vec::new(),
            calibration: Calibration::default(),
        });
        if let BotSpec::Search(search) = &mut profile.spec {
            let evaluator = EvaluatorSpec::Network(NetworkEvaluator::new(networks, 1.0));
            (search.value, search.prior) = (Some(evaluator.clone()), Some(evaluator));
            for key in ["value", "prior"] {
                profile.parameters[key] = name.into();
            }
            profile.parts = vec![network];
            profile.notes.clear();
        }
        BotFactory::from(profile).with_name(name)
    }

    /// Returns the name by which commands seat the bot of the learner, whose network is in this
    /// profile.
    pub(crate) fn learner_name(&self, file: &str) -> String {
        let Some(search) = &self.search else { return file.to_owned() };
        let is_kept =
            |option: &&str| !option.starts_with("value=") && !option.starts_with("prior=");
        let kept: Vec<_> = search.name.split(':').filter(is_kept).collect();
        format!("{}:value={file}:prior={file}", kept.join(":"))
    }
}
