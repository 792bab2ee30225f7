//! The rules of the verdict with which a study ends. One rule orders everything: the lower bound of
//! an effect, divided by the smallest effect that matters.
//!
//! The smallest effects are fixed, so that more games or another seed do not change what is named:
//! a test against 0, or against the spread of the items, names more items with more games. Win
//! rates, shares and worth are in points of 100 games.

mod cards;
mod changes;
pub(crate) mod words;

use std::collections::BTreeMap;

use self::words::{one_decimal, percent, whole};
pub(crate) use crate::protocol::smallest_effects::{SmallestEffects, Z_FIGURE, Z_SHOWN, Z_TABLE};
use crate::{
    game::TURN_POSITION_NAMES, games::targets::TargetRange, study::shared::prelude::format_count,
};

/// Smallest number of owners, or of offers, whose share is compared.
const MIN_COMPARED: i64 = 30;
/// Smallest number of forks or owners that say anything.
const MIN_KNOWN: i64 = 10;
/// Smallest number of items with which others are compared, or that are a family.
const MIN_FAMILY: usize = 3;
/// Percentage of games that the round limit ends from which games do not end.
const MAX_CAPPED: f64 = 1.0;
/// Difference of a leader's wins from those of pure chance from which the game is looked at.
const TENSION: f64 = 10.0;
/// Wins of 100 games of the leader at half time if the game is pure chance with equal steps in both
/// halves, with 2 to 5 players.
const CHANCE_OF_LEADER: [f64; 4] = [75.0, 64.0, 58.0, 54.0];
/// Number of games below which nothing is judged.
const MIN_GAMES: u64 = 20;
/// Number of games with which nothing but large differences show.
pub(crate) const FEW_GAMES: u64 = 1000;

watershed_engine::names! {
    /// A figure of the game, in the order of near ties.
    pub(crate) enum GameFigure {
        Capped = "capped",
        Rounds = "rounds",
        Decisions = "decisions",
        LeaderAtHalf = "leader_at_half_wins",
        FirstPlayer = "first_player",
        GamesWon = "games_won",
        NobodyWon = "nobody_won",
        WinningScore = "winning_score",
        LeadChanges = "lead_changes",
        SharedWins = "shared_wins",
        /// Number of items that are hardly used, if the data file has a target for it.
        DeadItems = "dead_items",
        /// Number of items that are taken at nearly all offers, if there is a target for it.
        MustTakeItems = "must_take_items",
    }
}

watershed_engine::named! {
    /// The word for a figure or for the cards.
    pub(crate) enum VerdictWord {
        Good = "ok",
        Look = "look",
        Bad = "no",
        Unsure = "unsure",
        Unjudged = "–",
    }

    /// The word for an item.
    pub(crate) enum ItemWord {
        Strong = "strong",
        Weak = "weak",
        Blind = "blind?",
        Best = "best",
        Unused = "unused",
        Fine = "fine",
        Unsure = "unsure",
    }
}

impl GameFigure {
    /// Returns true if the figure is a share of the games.
    pub(crate) const fn is_share(self) -> bool {
        !matches!(
            self,
            Self::Rounds
                | Self::Decisions
                | Self::WinningScore
                | Self::LeadChanges
                | Self::DeadItems
                | Self::MustTakeItems
        )
    }

    /// Returns the figure as text.
    pub(crate) fn format(self, value: f64) -> String {
        match self {
            Self::Rounds | Self::LeadChanges => one_decimal(value),
            _ => whole(value),
        }
    }
}

impl SmallestEffects {
    /// Returns that of a figure with this value before.
    fn of(self, figure: GameFigure, before: f64) -> f64 {
        match figure {
            GameFigure::Capped => MAX_CAPPED,
            GameFigure::Rounds => self.rounds * before.abs(),
            GameFigure::Decisions => self.decisions * before.abs(),
            GameFigure::WinningScore | GameFigure::LeadChanges => self.score * before.abs(),
            GameFigure::DeadItems | GameFigure::MustTakeItems => MIN_FAMILY as f64,
            _ => self.share,
        }
    }
}

/// A value with its standard error.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct MeasuredValue {
    pub(crate) value: f64,
    /// Standard error; not finite if it is unknown.
    pub(crate) error: f64,
    /// Number of observations.
    pub(crate) n: i64,
}

impl MeasuredValue {
    /// Returns the half-width of the 95 % interval.
    pub(crate) fn half_width(self) -> f64 {
        Z_SHOWN * self.error
    }

    /// Returns the lower bound of the distance from another value. The errors are independent; of
    /// paired games, that of the difference is the error of one, and the other has none.
    fn distance(self, other: Self, z: f64) -> f64 {
        let low = (self.value - other.value).abs() - z * self.error.hypot(other.error);
        if low.is_finite() { low } else { f64::NEG_INFINITY }
    }
}

/// The figures of an item.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub(crate) struct ItemFigures {
    /// Win rate of the seats that took it.
    pub(crate) owners: Option<MeasuredValue>,
    /// Percentage of the offers at which it is taken.
    pub(crate) taken: Option<MeasuredValue>,
    /// Wins lost if a seat may not take it, by forks.
    pub(crate) worth: Option<MeasuredValue>,
    /// Points of the seats that own it, for items that all seats own.
    pub(crate) points: Option<MeasuredValue>,
}

/// An item of the game that is judged.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) struct RatedItem {
    /// Index of its table.
    pub(crate) table: usize,
    /// Name in data files.
    pub(crate) id: String,
    /// Short name for people.
    pub(crate) name: String,
    /// True if it is dealt to seats, which do not choose it.
    pub(crate) is_dealt: bool,
    pub(crate) is_edited: bool,
    pub(crate) now: ItemFigures,
    /// The figures with which it is compared.
    pub(crate) before: ItemFigures,
    /// Owners' win rate minus that of seats with as many items of the table.
    pub(crate) above_others: Option<MeasuredValue>,
    /// Worth in the built-in game, for the median of a table of which few items are measured.
    pub(crate) usual_worth: Option<MeasuredValue>,
    /// Percentage of the offers at which another bot takes it.
    pub(crate) taken_by_second: Option<MeasuredValue>,
}

/// A table of items.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct RatedTable {
    /// Name of its items, as in `buildings`.
    pub(crate) plural: String,
    pub(crate) singular: String,
}

/// Everything that is known of a game.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct RatedGame {
    pub(crate) players: usize,
    pub(crate) games: u64,
    pub(crate) smallest: SmallestEffects,
    /// True if the data file has other values than the built-in one.
    pub(crate) is_edited: bool,
    /// The game with which it is compared, for sentences: `the built-in game`.
    pub(crate) compared_with: String,
    pub(crate) figures: BTreeMap<GameFigure, MeasuredValue>,
    /// The figures with which they are compared; `None` if there is no reference.
    pub(crate) before: Option<BTreeMap<GameFigure, MeasuredValue>>,
    /// Win rates of the turn positions; empty if nobody competes.
    pub(crate) seats: Vec<MeasuredValue>,
    pub(crate) targets: Vec<(GameFigure, TargetRange)>,
    pub(crate) tables: Vec<RatedTable>,
    pub(crate) items: Vec<RatedItem>,
}

/// The thing that a finding is on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FindingSubject {
    Figure(GameFigure),
    Target(GameFigure),
    Seat(usize),
    /// Index of the item.
    Item(usize),
    /// Edited items of the table with this index.
    Family(usize),
}

/// Something that is larger than the smallest effect that matters.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Finding {
    /// Lower bound of the effect over the smallest effect that matters.
    pub(crate) score: f64,
    pub(crate) sentence: String,
    pub(crate) subject: FindingSubject,
}

/// The rating of an item by its distance from the median worth of its table.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct ItemRating {
    pub(crate) word: ItemWord,
    /// Worth minus the median of the table.
    pub(crate) distance: f64,
    pub(crate) worth: MeasuredValue,
}

impl ItemRating {
    /// Returns the lower bound of the distance above the median.
    pub(crate) fn lower_end(&self) -> f64 {
        self.distance - Z_TABLE * self.worth.error
    }
}

/// The verdict on a game.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct GameVerdict {
    /// Changes that matter, the largest first.
    pub(crate) changes: Vec<Finding>,
    /// Levels that matter, the largest first.
    pub(crate) levels: Vec<Finding>,
    /// Items that the bot may not see.
    pub(crate) blind: Vec<usize>,
    /// Rating of each item with forks.
    pub(crate) ratings: Vec<Option<ItemRating>>,
    /// Median worth of each table.
    pub(crate) typical: Vec<Option<f64>>,
    /// Items that are hardly used, the least used first.
    pub(crate) unused: Vec<usize>,
}

impl RatedGame {
    /// Judges the game.
    pub(crate) fn verdict(&self) -> GameVerdict {
        let (ratings, typical) = self.rate_items();
        let blind = self.blind_items(&ratings);
        let mut levels: Vec<_> = self.card_levels(&ratings).chain(self.role_levels()).collect();
        levels.extend(self.seat_level());
        for &item in &blind {
            let RatedItem { name, now, above_others, .. } = &self.items[item];
            let is_named = |finding: &Finding| finding.subject == FindingSubject::Item(item);
            if levels.iter().any(is_named) {
                continue;
            }
            let low = above_others.map_or(0.0, |above| above.value - above.half_width());
            let owners = now.owners.map_or(f64::NAN, |owners| owners.value);
            levels.push(Finding {
                score: (low / self.smallest.worth).max(1.01),
                sentence: format!("{name}: owners win {} of 100.", whole(owners)),
                subject: FindingSubject::Item(item),
            });
        }
        let mut changes = self.changes(&ratings);
        for target in self.missed_targets() {
            changes.push(target.clone());
            levels.push(target);
        }
        levels.sort_by(|one, other| other.score.total_cmp(&one.score));
        self.sort_changes(&mut changes);
        GameVerdict { changes, levels, blind, ratings, typical, unused: self.unused_items() }
    }

    /// Returns a value of the game.
    pub(crate) fn figure(&self, figure: GameFigure) -> Option<MeasuredValue> {
        self.figures.get(&figure).copied().filter(|figure| figure.value.is_finite())
    }

    /// Returns a value with that before.
    fn compared(&self, figure: GameFigure) -> Option<[MeasuredValue; 2]> {
        let before = self.before.as_ref()?.get(&figure)?;
        Some([*before, self.figure(figure)?]).filter(|[before, _]| before.value.is_finite())
    }

    /// Returns the value before if the change is shown: it is printed with other digits, and is
    /// more than chance.
    pub(crate) fn shown_before(&self, figure: GameFigure) -> Option<f64> {
        let [before, now] = self.compared(figure)?;
        let [old, new] = [before, now].map(|one| figure.format(one.value));
        let error = Z_FIGURE * before.error.hypot(now.error);
        let is_chance = error.is_finite() && (now.value - before.value).abs() <= error;
        (self.is_edited && old != new && !is_chance).then_some(before.value)
    }

    /// Returns the mean win rate of the turn positions: the fair share of this bot, also in games
    /// with several winners or none.
    pub(crate) fn fair_share(&self) -> f64 {
        self.seats.iter().map(|seat| seat.value).sum::<f64>() / self.seats.len() as f64
    }

    /// Returns true if each game has one winner, so that half-time leads have a natural reference.
    fn has_one_winner(&self) -> bool {
        (self.fair_share() * self.players as f64 - 100.0).abs() < 2.0
    }

    /// Returns the turn position that the verdict on fairness names: the first of two, else the one
    /// that is farthest from the mean.
    fn named_seat(&self) -> Option<(usize, MeasuredValue)> {
        let fair = self.fair_share();
        let distance = |seat: &MeasuredValue| (seat.value - fair).abs();
        let seats = self.seats.iter().enumerate();
        let seat = match self.seats.len() {
            2 => seats.into_iter().next(),
            _ => seats.rev().max_by(|one, other| distance(one.1).total_cmp(&distance(other.1))),
        };
        seat.map(|(index, seat)| (index, MeasuredValue { value: seat.value - fair, ..*seat }))
    }

    /// Judges the turn order; `None` if nobody competes.
    pub(crate) fn fairness(&self) -> Option<VerdictWord> {
        let (_, named) = self.named_seat()?;
        let (limit, fair) = (self.smallest.seat, self.fair_share());
        let upper = |seat: &MeasuredValue| (seat.value - fair).abs() + Z_FIGURE * seat.error;
        Some(if named.value.abs() - Z_FIGURE * named.error > limit {
            VerdictWord::Bad
        } else if self.seats.iter().all(|seat| upper(seat) < limit) {
            VerdictWord::Good
        } else if named.value.abs() > limit / 2.0 {
            VerdictWord::Look
        } else {
            VerdictWord::Unsure
        })
    }

    /// Judges the wins of the leader at half time. Returns those of pure chance too, if they are
    /// known.
    pub(crate) fn tension(&self) -> (VerdictWord, Option<f64>) {
        let leader = self.figure(GameFigure::LeaderAtHalf);
        let chance = CHANCE_OF_LEADER.get(self.players.wrapping_sub(2)).copied();
        let Some((leader, chance)) = leader.zip(chance).filter(|_| self.has_one_winner()) else {
            return (VerdictWord::Unjudged, None);
        };
        let distance = (leader.value - chance).abs();
        let width = Z_FIGURE * leader.error;
        let word = if distance - width > TENSION {
            VerdictWord::Look
        } else if distance + width <= TENSION {
            VerdictWord::Good
        } else {
            VerdictWord::Unsure
        };
        (word, Some(chance))
    }

    /// Judges the length.
    pub(crate) fn length(&self, verdict: &GameVerdict) -> VerdictWord {
        let target = FindingSubject::Target(GameFigure::Rounds);
        let is_capped =
            self.figure(GameFigure::Capped).is_some_and(|share| share.value > MAX_CAPPED);
        if is_capped || verdict.names(target) {
            VerdictWord::Bad
        } else if verdict.names(FindingSubject::Figure(GameFigure::Rounds)) {
            VerdictWord::Look
        } else if self.targets.iter().any(|(figure, _)| *figure == GameFigure::Rounds) {
            VerdictWord::Good
        } else {
            VerdictWord::Unjudged
        }
    }

    /// Judges the items that are dealt.
    pub(crate) fn roles(&self) -> VerdictWord {
        if self.role_levels().next().is_some() { VerdictWord::Bad } else { VerdictWord::Good }
    }

    /// Finds a turn position that wins more or less, from half of the smallest effect on: it is the
    /// question that is asked first.
    fn seat_level(&self) -> Option<Finding> {
        let (seat, distance) = self.named_seat()?;
        let score = (distance.value.abs() - Z_FIGURE * distance.error) / self.smallest.seat;
        let (wins, fair) = (whole(self.seats[seat].value), whole(self.fair_share()));
        let name = TURN_POSITION_NAMES[seat];
        (score > 0.5).then(|| Finding {
            score,
            sentence: format!("The {name} wins {wins} of 100 games; {fair} is fair."),
            subject: FindingSubject::Seat(seat),
        })
    }

    /// Finds the targets that are missed.
    fn missed_targets(&self) -> Vec<Finding> {
        let missed = self.targets.iter().filter_map(|&(figure, target)| {
            let value = self.figure(figure)?;
            let scale = if figure.is_share() { 100.0 } else { 1.0 };
            let [below, above] =
                [scale * target.low - value.value, value.value - scale * target.high];
            let gap = below.max(above) - Z_FIGURE * value.error;
            let smallest = self.smallest.of(figure, value.value);
            (gap > 0.0).then(|| Finding {
                score: 1.0 + gap / smallest,
                sentence: figure.missed(value.value, target),
                subject: FindingSubject::Target(figure),
            })
        });
        missed.collect()
    }
}

impl GameVerdict {
    /// Judges the cards.
    pub(crate) fn cards(&self) -> VerdictWord {
        let known: Vec<_> = self.ratings.iter().flatten().collect();
        let count = |word| known.iter().filter(|rating| rating.word == word).count();
        if count(ItemWord::Strong) + count(ItemWord::Weak) > 0 {
            VerdictWord::Bad
        } else if !self.blind.is_empty() {
            VerdictWord::Look
        } else if known.is_empty() {
            VerdictWord::Unjudged
        } else if 2 * count(ItemWord::Unsure) > known.len() {
            VerdictWord::Unsure
        } else {
            VerdictWord::Good
        }
    }

    /// Returns true if something is named.
    pub(crate) fn names(&self, subject: FindingSubject) -> bool {
        self.changes.iter().chain(&self.levels).any(|finding| finding.subject == subject)
    }

    /// Returns the findings of the first sentence and those after it: changes if the game is
    /// compared with another one, else levels.
    pub(crate) fn findings(&self, game: &RatedGame) -> &[Finding] {
        if game.is_edited && game.before.is_some() { &self.changes } else { &self.levels }
    }

    /// Returns the items with this rating, the highest worth above the median first.
    pub(crate) fn rated(&self, word: ItemWord) -> Vec<usize> {
        let lower_end = |item: &usize| self.ratings[*item].map_or(0.0, |one| one.lower_end());
        let has_word = |item: &usize| self.ratings[*item].is_some_and(|one| one.word == word);
        let mut items: Vec<_> = (0..self.ratings.len()).filter(has_word).collect();
        items.sort_by(|one, other| lower_end(other).total_cmp(&lower_end(one)));
        items
    }

    /// Returns the word for an item.
    pub(crate) fn word(&self, item: usize) -> ItemWord {
        match self.ratings[item] {
            Some(rating) if matches!(rating.word, ItemWord::Strong | ItemWord::Weak) => rating.word,
            _ if self.blind.contains(&item) => ItemWord::Blind,
            _ if self.unused.contains(&item) => ItemWord::Unused,
            Some(rating) => rating.word,
            None => ItemWord::Unsure,
        }
    }

    /// States the most important truth.
    pub(crate) fn first_sentence(&self, game: &RatedGame) -> String {
        if game.games < MIN_GAMES {
            return format!("{} are too few to judge.", format_count(game.games, "game"));
        }
        if let Some(finding) = self.findings(game).first() {
            return finding.sentence.clone();
        }
        let won = game.figure(GameFigure::GamesWon);
        if game.is_edited && game.before.is_some() {
            format!("No change that matters against {}.", game.compared_with)
        } else if let Some(won) = won {
            let players = if game.players == 1 { "The player wins" } else { "The players win" };
            format!("{players} {} of 100 games.", whole(won.value))
        } else if game.games < FEW_GAMES {
            format!("{} games are too few to judge; nothing stands out so far.", game.games)
        } else {
            "Nothing stands out: turn positions and cards are within the limits.".to_owned()
        }
    }

    /// States the changes after the first one, one for each subject. Decisions follow from rounds.
    pub(crate) fn further_changes(&self) -> Vec<String> {
        let [rounds, decisions] =
            [GameFigure::Rounds, GameFigure::Decisions].map(FindingSubject::Figure);
        let is_new = |index: &usize| {
            let subject = self.changes[*index].subject;
            let mut before = self.changes[..*index].iter().map(|finding| finding.subject);
            !before.any(|other| other == subject || (subject, other) == (decisions, rounds))
        };
        let new = (1..self.changes.len()).filter(is_new);
        new.map(|index| self.changes[index].sentence.clone()).collect()
    }

    /// Says that the bot may not see an item; `None` if it seems to see all.
    pub(crate) fn blind_sentence(&self, game: &RatedGame) -> Option<String> {
        let &[first, ref others @ ..] = &self.blind[..] else { return None };
        if !others.is_empty() {
            let count = self.blind.len();
            return Some(format!(
                "{count} items win often but are rarely taken: the bot may not see them."
            ));
        }
        let lead = self.findings(game).first().map(|finding| finding.subject);
        let item = &game.items[first];
        let name = if lead == Some(FindingSubject::Item(first)) { "It" } else { &item.name };
        let taken = percent(item.now.taken.map_or(f64::NAN, |taken| taken.value));
        Some(format!("{name} is taken at {taken} of offers: the bot may not see it."))
    }
}

#[cfg(test)]
mod tests;
