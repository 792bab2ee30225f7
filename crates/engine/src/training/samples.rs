//! Training samples: the facts of positions and the targets of the network.

use crate::{
    game::MAX_SEATS,
    game::{
        ActionSet as _, Features, Game, PerSeat, Seat,
        facts::{BlockIndex, FactList, FactNumbers, PositionFacts},
    },
};

/// Number that represents the share 1.
const SHARE_ONE: f32 = 60_000.0;
/// Number that represents the scaled score 0; a unit is [`SCORE_ONE`].
const SCORE_ZERO: f32 = 32_768.0;
const SCORE_ONE: f32 = 256.0;

/// Samples in compact form.
#[derive(Clone, Default)]
pub struct SampleSet {
    words: Vec<u16>,
    starts: Vec<usize>,
}

/// A sample.
pub struct Sample<'a> {
    /// True if each seat wins or loses by itself.
    pub wins_are_independent: bool,
    /// Seat to move; its policy is learned.
    pub mover: usize,
    /// Facts that all seats share.
    pub shared: &'a [u16],
    /// Public facts of each seat.
    pub seat_facts: Vec<&'a [u16]>,
    /// Facts that only the seat sees, of each seat.
    pub view_facts: Vec<&'a [u16]>,
    /// Target of the win share of each seat.
    pub wins: PerSeat<f32>,
    /// Target of the score of each seat, in units of the scale of the network; `None` if scores are
    /// not learned.
    pub scores: Option<PerSeat<f32>>,
    /// Target probability and facts of each legal action; empty if the policy is not learned.
    pub actions: Vec<(f32, &'a [u16])>,
}

impl Sample<'_> {
    /// Returns the number of seats.
    pub fn seats(&self) -> usize {
        self.seat_facts.len()
    }
}

/// Seat to move, legal actions, and the weights of some of them by index.
type PolicyTarget<'a, G> = (Seat, &'a <G as Game>::Actions, &'a [(u16, u16)]);

/// Position with its targets, before it is stored.
pub struct NewSample<'a, G: Features> {
    /// The game.
    pub game: &'a G,
    /// The numbers of its facts in the samples.
    pub facts: &'a FactNumbers,
    /// The position.
    pub state: &'a G::State,
    /// Target of the win share of each seat.
    pub wins: PerSeat<f32>,
    /// Final scores in units of the scale of the network; `None` if they are not learned.
    pub scores: Option<PerSeat<f32>>,
    /// Seat to move, legal actions, and the targets of some of them by index.
    pub policy: Option<PolicyTarget<'a, G>>,
}

impl SampleSet {
    /// Returns true if the set has no sample.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Returns the number of samples.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Appends the samples of another set.
    pub fn append(&mut self, other: &Self) {
        let offset = self.words.len();
        self.words.extend_from_slice(&other.words);
        self.starts.extend(other.starts.iter().map(|start| start + offset));
    }

    /// Appends a sample.
    pub fn push<G: Features>(&mut self, sample: &NewSample<'_, G>) {
        let NewSample { game, facts: numbers, state, wins, scores, policy } = sample;
        let seats = game.seats();
        self.starts.push(self.words.len());
        let mover = policy.map_or(0, |(seat, ..)| seat.index());
        let flags = u16::from(game.wins_are_independent()) | u16::from(scores.is_some()) << 1;
        self.words.extend([seats as u16, flags, mover as u16]);
        let share = |share: &f32| (share.clamp(0.0, 1.0) * SHARE_ONE).round() as u16;
        self.words.extend(wins[..seats].iter().map(share));
        let score = |score: &f32| (score * SCORE_ONE + SCORE_ZERO).round() as u16;
        self.words.extend(scores.unwrap_or_default()[..seats].iter().map(score));
        let mut facts = PositionFacts::default();
        game.position_facts(state, &mut facts);
        let list = |words: &mut Vec<u16>, block, list: &FactList| {
            let facts = list.as_slice();
            words.push(facts.len() as u16);
            words.extend(facts.iter().map(|&fact| numbers.number(block, fact)));
        };
        let words = &mut self.words;
        list(words, BlockIndex::Shared, &facts.shared);
        facts.seats[..seats].iter().for_each(|facts| list(words, BlockIndex::Seat, facts));
        facts.views[..seats].iter().for_each(|facts| list(words, BlockIndex::View, facts));
        let Some((seat, legal, targets)) = policy else { return words.push(0) };
        let total: u32 = targets.iter().map(|&(_, weight)| u32::from(weight)).sum();
        words.push(legal.len() as u16);
        let mut index = 0;
        game.action_facts(state, *seat, legal, &mut |_, facts| {
            let weight = targets.iter().find(|&&(target, _)| usize::from(target) == index);
            let weight = weight.map_or(0.0, |&(_, weight)| f32::from(weight) / total.max(1) as f32);
            words.push(share(&weight));
            list(words, BlockIndex::Action, facts);
            index += 1;
        });
    }

    /// Returns a sample by index.
    pub fn get(&self, index: u32) -> Sample<'_> {
        let mut words = &self.words[self.starts[index as usize]..];
        let [seats, flags, mover] = std::array::from_fn(|_| word(&mut words));
        let seats = usize::from(seats);
        let mut wins = [0.0; MAX_SEATS];
        let mut scores = [0.0; MAX_SEATS];
        for share in &mut wins[..seats] {
            *share = f32::from(word(&mut words)) / SHARE_ONE;
        }
        for score in &mut scores[..seats] {
            *score = (f32::from(word(&mut words)) - SCORE_ZERO) / SCORE_ONE;
        }
        let shared = list(&mut words);
        let seat_facts = (0..seats).map(|_| list(&mut words)).collect();
        let view_facts = (0..seats).map(|_| list(&mut words)).collect();
        let actions = (0..word(&mut words))
            .map(|_| (f32::from(word(&mut words)) / SHARE_ONE, list(&mut words)))
            .collect();
        Sample {
            wins_are_independent: flags & 1 != 0,
            mover: mover.into(),
            shared,
            seat_facts,
            view_facts,
            wins,
            scores: (flags & 2 != 0).then_some(scores),
            actions,
        }
    }
}

fn word(words: &mut &[u16]) -> u16 {
    let (&first, rest) = words.split_first().expect("a sample is complete");
    *words = rest;
    first
}

fn list<'a>(words: &mut &'a [u16]) -> &'a [u16] {
    let length = word(words);
    let (list, rest) = words.split_at(length.into());
    *words = rest;
    list
}
