//! The decision to analyse: a position as text, or a position of a record.

use crate::{
    arena::record::Decider, bound::GamePosition, config::nearest_name, game::Turn,
    study::shared::prelude::*,
};

/// The origin of a position.
pub(crate) struct PositionSource {
    /// The flag, field or file, for errors.
    pub(crate) name: String,
    content: PositionContent,
}

/// The content of the origin of a position.
enum PositionContent {
    /// A line of text.
    Text(String),
    /// A game, the number of events before the position, and the name of the flag or field with
    /// this number.
    Record(Arc<Record>, usize, &'static str),
}

/// A position in which a seat decides.
pub(crate) struct DecisionPosition<'a> {
    pub(crate) position: GamePosition<'a>,
    pub(crate) seat: Seat,
    /// The action that was played, in a record.
    pub(crate) played: Option<AnyAction>,
}

impl PositionSource {
    /// Takes the position of a record before the event with a number. `index_name` is the flag or
    /// key with the number.
    pub(crate) fn from_record(
        name: String,
        record: Arc<Record>,
        events: usize,
        index_name: &'static str,
    ) -> anyhow::Result<Self> {
        // A game that was left has a position after its last event, too.
        let is_finished = record.winners.is_some();
        let last = record.events.len().saturating_sub(usize::from(is_finished));
        ensure!(events <= last, "{index_name}: expected 0 to {last} ({name}), found {events}");
        Ok(Self { name, content: PositionContent::Record(record, events, index_name) })
    }

    /// Takes a line of text.
    pub(crate) fn from_text(name: &str, text: String) -> Self {
        Self { name: name.to_owned(), content: PositionContent::Text(text) }
    }

    /// Returns the rules of the game.
    pub(crate) fn rules(&self) -> anyhow::Result<RecordedRules<'_>> {
        match &self.content {
            PositionContent::Text(text) => RecordedRules::of_position(text)
                .map_err(|problem| anyhow!("{}: {problem}", self.name)),
            PositionContent::Record(record, ..) => Ok(RecordedRules::from(&**record)),
        }
    }

    /// Returns the hint to the next decision of a record; empty if there is none.
    fn next_decision(&self) -> String {
        let PositionContent::Record(record, events, index_name) = &self.content else {
            return String::new();
        };
        let is_decision = |event: &usize| matches!(record.events[*event].0, Decider::Seat(_));
        let next = (*events..record.events.len()).find(is_decision);
        next.map(|next| format!("; the next decision is {index_name} {next}")).unwrap_or_default()
    }

    /// Returns the position.
    ///
    /// # Errors
    /// If the text is no position, the record does not follow the rules, or no seat decides.
    pub(crate) fn position<'a>(&self, game: &'a BoundGame) -> anyhow::Result<DecisionPosition<'a>> {
        let name = &self.name;
        let (position, played) = match &self.content {
            PositionContent::Text(text) => {
                (game.parse_view(text.trim()).with_context(|| name.clone())?, None)
            }
            PositionContent::Record(record, events, _) => {
                game.recorded_position(record, *events)
                    .map_err(|disagreement| anyhow!("{name}: {disagreement}"))?
            }
        };
        match position.turn() {
            Turn::Seat(seat) => Ok(DecisionPosition { position, seat, played }),
            Turn::Over => bail!("{name}: expected a decision, but the game is over"),
            Turn::Chance(source) => bail!(
                "{name}: expected a decision, but chance is next ({}){}",
                game.chance_sources()[usize::from(source.0)],
                self.next_decision(),
            ),
        }
    }
}

impl DecisionPosition<'_> {
    /// Returns the actions that are analysed besides those that a search prefers: these, and the
    /// one that was played.
    pub(crate) fn named_actions(&self, texts: &[String]) -> anyhow::Result<Vec<AnyAction>> {
        let named = texts.iter().map(|text| self.read_legal_action(text));
        named.chain(self.played.map(Ok)).collect()
    }

    /// Reads a legal action. An error suggests the most similar one.
    fn read_legal_action(&self, text: &str) -> anyhow::Result<AnyAction> {
        let Self { position, .. } = self;
        let legal = position.legal_actions();
        let hint = || {
            let names: Vec<_> = legal.iter().map(|&one| position.name(one).notation).collect();
            let nearest = nearest_name(text, names.iter().map(String::as_str));
            nearest.map(|nearest| format!("; did you mean `{nearest}`?")).unwrap_or_default()
        };
        let action = position.parse_action(text).map_err(|error| anyhow!("{error}{}", hint()))?;
        ensure!(legal.contains(&action), "{text} is not legal in this position{}", hint());
        Ok(action)
    }
}
