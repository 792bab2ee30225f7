//! Counting what happens in games: who wins, what is offered and taken and what came of it, and how
//! games open.

use std::{
    collections::BTreeMap,
    hash::{Hash, Hasher},
    ops::AddAssign,
};

use rustc_stable_hash::StableSipHasher128;
use serde::{Deserialize, Serialize};

use super::{
    block_sum::BlockSum,
    health::{Health, HealthCounter},
    play::Observer,
    rounds::RoundsTally,
};
use crate::{
    game::{
        ActionSet, ChanceSource, ItemEvent, ItemTable, MAX_SEATS, Outcome, PerSeat, Seat,
        Statistics, UNITS_PER_WIN,
    },
    stats::{
        ratio::{Estimate, MeanSums, Ratio},
        subset::{self, SubsetProducts},
    },
};

/// The most opening steps that are told apart, the starter included.
pub const MAX_OPENING_STEPS: usize = 5;

/// The most openings that are told apart; of more, those with the smallest hashes are, and the
/// others are counted together.
const MAX_OPENINGS: usize = 500_000;

/// The first steps of a seat: as many as are told apart, then zeros.
pub type Steps = [u8; MAX_OPENING_STEPS];

/// An opening: a turn position, counted from 0 for the first player, and the first steps of the
/// seat that had it. Openings are ordered by a hash: those that find room in a [`Tally`] are then
/// the same in whatever order and grouping games are counted, because what is among the smallest of
/// all is among the smallest of every part.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(from = "(u8, Steps)", into = "(u8, Steps)")]
pub struct Opening {
    hash: u64,
    turn_position: u8,
    steps: Steps,
}

impl Opening {
    /// The opening of a turn position.
    pub fn new(turn_position: u8, steps: Steps) -> Self {
        let mut hasher = StableSipHasher128::new();
        (turn_position, steps).hash(&mut hasher);
        Self { hash: Hasher::finish(&hasher), turn_position, steps }
    }

    /// The turn position, 0 for the first player.
    pub fn turn_position(&self) -> usize {
        self.turn_position.into()
    }

    /// The first steps.
    pub fn steps(&self) -> &Steps {
        &self.steps
    }
}

impl From<(u8, Steps)> for Opening {
    fn from((turn_position, steps): (u8, Steps)) -> Self {
        Self::new(turn_position, steps)
    }
}

impl From<Opening> for (u8, Steps) {
    fn from(opening: Opening) -> Self {
        (opening.turn_position, opening.steps)
    }
}

/// Results of a bot, in one seat or in all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct BotTally {
    /// Win shares.
    pub wins: Ratio,
    /// Win shares, with a game that nobody won split among all seats: equal bots have 1 / players
    /// of these in every game.
    pub split_wins: Ratio,
    /// Final scores.
    pub scores: MeanSums,
    /// Sum of the squares of the final scores.
    pub squared_scores: i64,
    /// Ranks from 1, equal scores sharing the mean of theirs, in halves.
    pub ranks: MeanSums,
    /// Score less the best score of the others.
    pub margins: MeanSums,
}

impl AddAssign for BotTally {
    fn add_assign(&mut self, other: Self) {
        self.wins += other.wins;
        self.split_wins += other.split_wins;
        self.scores += other.scores;
        self.squared_scores += other.squared_scores;
        self.ranks += other.ranks;
        self.margins += other.margins;
    }
}

/// What happened to an item, and how those did who took it or did not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ItemTally {
    /// Times it was taken.
    pub times_taken: i64,
    /// Taken among offered, of those that are offered at all.
    pub taken: Ratio,
    /// Times it was reserved.
    pub reserved: i64,
    /// Rounds in which it was taken.
    pub rounds: MeanSums,
    /// How many of its table were taken in the same round up to it.
    pub positions: MeanSums,
    /// Win shares of the seats that took it.
    pub wins_with: Ratio,
    /// Win shares of the seats that could have taken it and did not.
    pub wins_without: Ratio,
    /// Final scores of the seats that took it.
    pub scores_with: MeanSums,
    /// Points it scored itself.
    pub points: MeanSums,
}

impl AddAssign for ItemTally {
    fn add_assign(&mut self, other: Self) {
        self.times_taken += other.times_taken;
        self.taken += other.taken;
        self.reserved += other.reserved;
        self.rounds += other.rounds;
        self.positions += other.positions;
        self.wins_with += other.wins_with;
        self.wins_without += other.wins_without;
        self.scores_with += other.scores_with;
        self.points += other.points;
    }
}

/// Win shares and final scores at a place in the turn order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ResultTally {
    /// Win shares.
    pub wins: Ratio,
    /// Final scores.
    pub scores: MeanSums,
}

impl AddAssign for ResultTally {
    fn add_assign(&mut self, other: Self) {
        self.wins += other.wins;
        self.scores += other.scores;
    }
}

/// Results of an opening.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct OpeningTally {
    /// Win shares.
    pub wins: Ratio,
    /// Final scores.
    pub scores: MeanSums,
    /// Products of the win shares with those of all games of the turn position.
    pub products: SubsetProducts,
}

impl AddAssign for OpeningTally {
    fn add_assign(&mut self, other: Self) {
        self.wins += other.wins;
        self.scores += other.scores;
        self.products += other.products;
    }
}

/// Everything a run counts. Tallies of parts of a run add up to that of the whole.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Whole blocks.
    pub blocks: u64,
    /// Games.
    pub games: u64,
    /// Events, chance and decisions together.
    pub events: u64,
    /// How the games went, apart from who won.
    pub health: Health,
    /// Results per bot in the order of its first seat: for each seat, and overall.
    pub bots: Vec<[BotTally; MAX_SEATS + 1]>,
    /// Results per bot by its place in the turn order, the first player's first.
    pub turn_order: Vec<[ResultTally; MAX_SEATS]>,
    /// What happened to each item.
    pub items: Vec<ItemTally>,
    /// Results per opening.
    #[serde(with = "pairs")]
    pub openings: BTreeMap<Opening, OpeningTally>,
    /// Results per turn position of all openings beyond the limit.
    pub other_openings: PerSeat<OpeningTally>,
    /// Win shares per turn position of all openings and bots; empty if openings are not counted.
    pub turn_positions: PerSeat<Ratio>,
    /// How games stood round by round; empty for a game without gauges.
    pub round_metrics: RoundsTally,
}

/// The index of [`BotTally`] for a bot in all seats together.
pub const ALL_SEATS: usize = MAX_SEATS;

impl Tally {
    /// A tally of nothing.
    pub fn new(bots: usize, items: usize) -> Self {
        let (bots, turn_order) = (vec![Default::default(); bots], vec![Default::default(); bots]);
        Self { bots, turn_order, items: vec![ItemTally::default(); items], ..Self::default() }
    }

    /// A tally of nothing of this game, between this many different bots.
    pub fn for_game<G: Statistics>(game: &G, bots: usize) -> Self {
        Self::new(bots, game.tables().iter().map(|table| table.items.len()).sum())
    }

    /// Whether this counts the same bots and items as the other.
    pub fn has_same_shape(&self, other: &Self) -> bool {
        (self.bots.len(), self.turn_order.len(), self.items.len())
            == (other.bots.len(), other.turn_order.len(), other.items.len())
    }

    /// Adds the tally of other blocks of the same run.
    pub fn add(&mut self, other: &Self) {
        for (&opening, &results) in &other.openings {
            self.add_opening(opening, results);
        }
        self.blocks += other.blocks;
        self.games += other.games;
        self.events += other.events;
        self.health += &other.health;
        for (mine, theirs) in self.bots.iter_mut().zip(&other.bots) {
            mine.iter_mut().zip(theirs).for_each(|(mine, &theirs)| *mine += theirs);
        }
        for (mine, theirs) in self.turn_order.iter_mut().zip(&other.turn_order) {
            mine.iter_mut().zip(theirs).for_each(|(mine, &theirs)| *mine += theirs);
        }
        self.items.iter_mut().zip(&other.items).for_each(|(mine, &theirs)| *mine += theirs);
        self.other_openings
            .iter_mut()
            .zip(other.other_openings)
            .for_each(|(mine, theirs)| *mine += theirs);
        self.turn_positions
            .iter_mut()
            .zip(other.turn_positions)
            .for_each(|(mine, theirs)| *mine += theirs);
        self.round_metrics.add(&other.round_metrics);
    }

    /// Returns the win rate of an opening less that of its turn position.
    pub fn opening_difference(&self, turn_position: usize, opening: &OpeningTally) -> Estimate {
        subset::difference_from_whole(
            &opening.wins,
            &self.turn_positions[turn_position],
            &opening.products,
            UNITS_PER_WIN,
        )
    }

    fn add_opening(&mut self, opening: Opening, results: OpeningTally) {
        *self.openings.entry(opening).or_default() += results;
        if self.openings.len() > MAX_OPENINGS
            && let Some((last, results)) = self.openings.pop_last()
        {
            self.other_openings[last.turn_position()] += results;
        }
    }
}

/// A map as a list of pairs: keys in JSON are texts.
mod pairs {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serializer};

    use super::{Opening, OpeningTally};

    pub(crate) fn serialize<S: Serializer>(
        map: &BTreeMap<Opening, OpeningTally>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(map)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<Opening, OpeningTally>, D::Error> {
        Vec::deserialize(deserializer).map(|pairs| pairs.into_iter().collect())
    }
}

#[derive(Clone, Copy, Default)]
struct BotSums {
    wins: BlockSum,
    split_wins: BlockSum,
    scores: BlockSum,
    ranks: BlockSum,
    margins: BlockSum,
}

#[derive(Clone, Copy, Default)]
struct ResultSums {
    wins: BlockSum,
    scores: BlockSum,
}

#[derive(Clone, Copy, Default)]
struct ItemSums {
    taken: BlockSum,
    rounds: BlockSum,
    positions: BlockSum,
    wins_with: BlockSum,
    wins_without: BlockSum,
    scores_with: BlockSum,
    points: BlockSum,
}

/// What is known of a seat while a game goes on.
#[derive(Clone, Copy, Default)]
struct SeatGame {
    opening: Steps,
    opening_steps: usize,
}

/// Counts the games of whole blocks into a [`Tally`].
pub struct Counter {
    tally: Tally,
    /// How many opening steps are told apart.
    opening_steps: usize,
    /// For each item, the table it belongs to.
    table_of: Vec<u8>,
    /// For the game being played: the bot in each seat, and for each item the seats that took it
    /// and those that could have.
    bot_in: [usize; MAX_SEATS],
    took: Vec<u8>,
    could: Vec<u8>,
    first_player: Seat,
    round: u32,
    taken_this_round: Vec<i64>,
    seats: [SeatGame; MAX_SEATS],
    /// For the block being played.
    bots: Vec<[BotSums; MAX_SEATS + 1]>,
    turn_order: Vec<[ResultSums; MAX_SEATS]>,
    items: Vec<ItemSums>,
    health: HealthCounter,
    /// For each seat of each game of the block: its turn position, first steps, win share and
    /// score.
    openings: Vec<(u8, Steps, i64, i64)>,
    last_outcome: Option<Outcome>,
    last_events: u64,
}

impl Counter {
    /// A counter for games of these tables between this many different bots.
    pub fn new(tables: &[ItemTable], bots: usize, opening_steps: usize) -> Self {
        let table_of: Vec<u8> = tables
            .iter()
            .enumerate()
            .flat_map(|(table, items)| std::iter::repeat_n(table as u8, items.items.len()))
            .collect();
        let items = table_of.len();
        Self {
            tally: Tally::new(bots, items),
            opening_steps: opening_steps.min(MAX_OPENING_STEPS),
            table_of,
            bot_in: [0; MAX_SEATS],
            took: vec![0; items],
            could: vec![0; items],
            first_player: Seat::new(0),
            round: 0,
            taken_this_round: vec![0; tables.len()],
            seats: Default::default(),
            bots: vec![Default::default(); bots],
            turn_order: vec![Default::default(); bots],
            items: vec![ItemSums::default(); items],
            health: HealthCounter::default(),
            openings: Vec::new(),
            last_outcome: None,
            last_events: 0,
        }
    }

    /// Prepares for a game with these bots in the seats, given by their index among the different
    /// ones.
    pub fn begin_game(&mut self, bot_in: [usize; MAX_SEATS]) {
        self.bot_in = bot_in;
        self.took.fill(0);
        self.could.fill(0);
        self.round = 0;
        self.taken_this_round.fill(0);
        self.seats = Default::default();
        self.health.begin_game();
        self.last_outcome = None;
        self.last_events = 0;
    }

    /// The outcome and number of events of the game that has just ended.
    pub fn last_game(&self) -> Option<(Outcome, u64)> {
        self.last_outcome.map(|outcome| (outcome, self.last_events))
    }

    /// Closes a block: its sums become one observation each.
    pub fn end_block(&mut self) {
        self.tally.blocks += 1;
        self.health.end_block(&mut self.tally.health);
        for (sums, tally) in
            self.bots.iter_mut().flatten().zip(self.tally.bots.iter_mut().flatten())
        {
            sums.wins.flush_into(&mut tally.wins);
            sums.split_wins.flush_into(&mut tally.split_wins);
            sums.scores.flush_into(&mut tally.scores);
            sums.ranks.flush_into(&mut tally.ranks);
            sums.margins.flush_into(&mut tally.margins);
        }
        for (sums, tally) in
            self.turn_order.iter_mut().flatten().zip(self.tally.turn_order.iter_mut().flatten())
        {
            sums.wins.flush_into(&mut tally.wins);
            sums.scores.flush_into(&mut tally.scores);
        }
        for (sums, tally) in self.items.iter_mut().zip(&mut self.tally.items) {
            sums.taken.flush_into(&mut tally.taken);
            sums.rounds.flush_into(&mut tally.rounds);
            sums.positions.flush_into(&mut tally.positions);
            sums.wins_with.flush_into(&mut tally.wins_with);
            sums.wins_without.flush_into(&mut tally.wins_without);
            sums.scores_with.flush_into(&mut tally.scores_with);
            sums.points.flush_into(&mut tally.points);
        }
        let mut positions: PerSeat<BlockSum> = PerSeat::default();
        for &(position, _, wins, _) in &self.openings {
            positions[usize::from(position)].add(1, wins);
        }
        self.openings.sort_unstable();
        for same in self.openings.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
            let (position, steps, ..) = same[0];
            let (n, wins, scores) = same.iter().fold((0, 0, 0), |(n, wins, scores), entry| {
                (n + 1, wins + entry.2, scores + entry.3)
            });
            let mut results = OpeningTally::default();
            results.wins.add_block(n, wins);
            results.scores.add_block(n, scores);
            results.products.add_block((n, wins), positions[usize::from(position)].totals());
            self.tally.add_opening(Opening::new(position, steps), results);
        }
        positions
            .iter_mut()
            .zip(&mut self.tally.turn_positions)
            .for_each(|(sum, ratio)| sum.flush_into(ratio));
        self.openings.clear();
    }

    /// What was counted in the blocks that were closed.
    pub fn into_tally(self) -> Tally {
        self.tally
    }

    fn item_event(&mut self, event: ItemEvent) {
        match event {
            ItemEvent::Offered(item) => self.items[usize::from(item.0)].taken.add(1, 0),
            ItemEvent::Available(seat, item) => {
                self.could[usize::from(item.0)] |= 1 << seat.index()
            }
            ItemEvent::Reserved(_, item) => self.tally.items[usize::from(item.0)].reserved += 1,
            ItemEvent::Taken(seat, item) => {
                let position =
                    self.taken_this_round[usize::from(self.table_of[usize::from(item.0)])] + 1;
                let sums = &mut self.items[usize::from(item.0)];
                sums.taken.add(0, 1);
                self.tally.items[usize::from(item.0)].times_taken += 1;
                sums.rounds.add(1, self.round.into());
                sums.positions.add(1, position);
                self.took[usize::from(item.0)] |= 1 << seat.index();
            }
            ItemEvent::Scored(_, item, points) => {
                self.items[usize::from(item.0)].points.add(1, points.into())
            }
        }
    }

    fn action<G: Statistics>(&mut self, game: &G, state: &G::State, action: G::Action) {
        self.last_events += 1;
        let round = game.round(state);
        if round != self.round {
            if self.round > 0 && game.seats() > 1 {
                self.health.end_round(&game.outcome(state), game.seats());
            }
            self.round = round;
            self.taken_this_round.fill(0);
        }
        let mut tables_taken_from = 0_u32;
        game.action_events(state, action, |event| {
            self.item_event(event);
            if let ItemEvent::Taken(_, item) = event {
                tables_taken_from |= 1 << self.table_of[usize::from(item.0)];
            }
        });
        for table in crate::bits::ones(tables_taken_from.into()) {
            self.taken_this_round[table as usize] += 1;
        }
    }

    fn end_seat(&mut self, outcome: &Outcome, seats: usize, seat: Seat) {
        let index = seat.index();
        let scores = &outcome.scores[..seats];
        let score = i64::from(scores[index]);
        let wins = outcome.win_share(seat);
        let split_wins = if outcome.winners == 0 { UNITS_PER_WIN / seats as i64 } else { wins };
        let better = scores.iter().filter(|&&other| i64::from(other) > score).count() as i64;
        let equal = scores.iter().filter(|&&other| i64::from(other) == score).count() as i64;
        let rank_in_halves = 2 + 2 * better + (equal - 1);
        let others = scores.iter().enumerate().filter(|&(other, _)| other != index);
        let margin = others.map(|(_, &other)| score - i64::from(other)).min().unwrap_or(0);
        let bot = self.bot_in[index];
        for cell in [index, ALL_SEATS] {
            let sums = &mut self.bots[bot][cell];
            sums.wins.add(1, wins);
            sums.split_wins.add(1, split_wins);
            sums.scores.add(1, score);
            sums.ranks.add(1, rank_in_halves);
            sums.margins.add(1, margin);
            self.tally.bots[bot][cell].squared_scores += score * score;
        }
        let place = (index + seats - self.first_player.index()) % seats;
        self.turn_order[bot][place].wins.add(1, wins);
        self.turn_order[bot][place].scores.add(1, score);
        self.health.end_seat(index, place, wins, score, margin);
        for (item, sums) in self.items.iter_mut().enumerate() {
            if self.took[item] >> index & 1 == 1 {
                sums.wins_with.add(1, wins);
                sums.scores_with.add(1, score);
            } else if self.could[item] >> index & 1 == 1 {
                sums.wins_without.add(1, wins);
            }
        }
        if self.opening_steps > 0 {
            self.openings.push((place as u8, self.seats[index].opening, wins, score));
        }
    }
}

impl<G: Statistics> Observer<G> for Counter {
    fn on_chance(&mut self, game: &G, state: &G::State, _source: ChanceSource, outcome: G::Action) {
        if let Some(seat) = game.first_player(outcome) {
            self.first_player = seat;
        }
        self.action(game, state, outcome);
    }

    fn on_decision(
        &mut self,
        game: &G,
        state: &G::State,
        seat: Seat,
        legal: &G::Actions,
        action: G::Action,
    ) {
        self.health.decision(legal.len());
        self.tally.health.legal_kinds |= legal.kinds();
        game.available_items(seat, legal, |event| self.item_event(event));
        let known = &mut self.seats[seat.index()];
        if known.opening_steps < self.opening_steps
            && let Some(step) = game.opening_step(state, action)
        {
            known.opening[known.opening_steps] = step;
            known.opening_steps += 1;
        }
        self.action(game, state, action);
    }

    fn on_end(&mut self, game: &G, state: &G::State) {
        let outcome = game.outcome(state);
        game.final_events(state, |event| self.item_event(event));
        self.tally.games += 1;
        self.tally.events += self.last_events;
        self.health.end_game(&mut self.tally.health, &outcome, game.seats());
        for seat in (0..game.seats()).map(Seat::new) {
            self.end_seat(&outcome, game.seats(), seat);
        }
        self.last_outcome = Some(outcome);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that can't go on should stop where it is")]
mod tests {
    use super::*;

    /// A tally of one block with games in which the first player opened so.
    fn block(openings: impl IntoIterator<Item = u32>) -> Tally {
        let mut counter = Counter::new(&[], 0, MAX_OPENING_STEPS);
        for opening in openings {
            let [a, b, c, d] = opening.to_be_bytes();
            counter.openings.push((0, [a, b, c, d, 0], 0, 1));
        }
        counter.end_block();
        counter.into_tally()
    }

    fn sum<'a>(tallies: impl IntoIterator<Item = &'a Tally>) -> Tally {
        let mut sum = Tally::new(0, 0);
        tallies.into_iter().for_each(|tally| sum.add(tally));
        sum
    }

    #[test]
    fn which_openings_find_room_depends_neither_on_grouping_nor_on_order() {
        let most = MAX_OPENINGS as u32;
        let blocks = [
            block(10..most),
            block([most + 8, 0]),
            block((1..10).chain([most + 8, most + 9])),
            block([most, 9, 20]),
        ];
        let one_by_one = sum(&blocks);
        assert_eq!(one_by_one.openings.len(), MAX_OPENINGS);
        let told_apart: i64 = one_by_one.openings.values().map(|results| results.wins.n).sum();
        assert_eq!(
            told_apart + one_by_one.other_openings[0].wins.n,
            i64::from(most) - 10 + 2 + 11 + 3
        );
        assert!(one_by_one.other_openings[0].wins.n >= 3, "of most + 3 openings, 3 found no room");
        for cut in 1..blocks.len() {
            let (early, late) = blocks.split_at(cut);
            assert!(sum(&[sum(late), sum(early)]) == one_by_one);
        }
    }

    #[test]
    fn a_tally_survives_being_written_and_read() {
        let tally = block([7, 3, 500]);
        let json = serde_json::to_string(&tally).unwrap();
        assert_eq!(serde_json::from_str::<Tally>(&json).unwrap(), tally);
    }
}
