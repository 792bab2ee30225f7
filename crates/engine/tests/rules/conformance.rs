//! The comparison of a game with a second implementation of its rules.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
    ops::Range,
    rc::Rc,
};

use rayon::prelude::*;
use watershed_engine::{
    game::{
        ActionSet, FullGame, Game, ItemEvent, ItemId, MAX_SEATS, Notation, Seat, Statistics, Turn,
        conformance::Contract,
    },
    games::GameDefinition,
    rng::{Purpose, Rng, stream},
    search::playout::{Policy, Uniform, UniformKind},
};

use super::data_variant::DataVariant;

/// The next decider according to a reference model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Decider {
    /// The chance source of this name.
    Chance(&'static str),
    /// The seat of this index.
    Seat(usize),
    /// None: the game is over.
    Nobody,
}

/// The result of a finished game according to a reference model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ModelOutcome {
    /// The parts of each seat's score by name.
    pub(crate) breakdowns: Vec<Vec<(&'static str, i32)>>,
    /// The seats that win.
    pub(crate) winners: Vec<usize>,
    /// The rounds played.
    pub(crate) rounds: usize,
    /// True if the round limit ended the game.
    pub(crate) hit_round_limit: bool,
}

/// Returns the seats with the highest total score.
pub(crate) fn highest_totals(breakdowns: &[Vec<(&'static str, i32)>]) -> Vec<usize> {
    let total = |seat: &usize| breakdowns[*seat].iter().map(|(_, points)| points).sum::<i32>();
    let best = (0..breakdowns.len()).map(|seat| total(&seat)).max();
    (0..breakdowns.len()).filter(|seat| Some(total(seat)) == best).collect()
}

/// The number of occurrences of each rare situation of a game.
pub(crate) struct Situations(BTreeMap<&'static str, usize>);

impl Situations {
    pub(crate) fn new<R: ReferenceGame>() -> Self {
        Self(R::SITUATIONS.split(", ").map(|situation| (situation, 0)).collect())
    }

    /// Counts a situation of the list if it occurred.
    pub(crate) fn note(&mut self, situation: &'static str, occurred: bool) {
        *self.0.get_mut(situation).unwrap() += usize::from(occurred);
    }

    /// Adds the numbers of other games.
    fn merge(mut self, other: Self) -> Self {
        for (situation, times) in other.0 {
            *self.0.get_mut(situation).unwrap() += times;
        }
        self
    }

    /// Returns the situations that have not occurred.
    fn missing(&self) -> Vec<&'static str> {
        let missing = self.0.iter().filter(|&(_, &times)| times == 0);
        missing.map(|(&situation, _)| situation).collect()
    }

    #[track_caller]
    pub(crate) fn assert_all_occurred(&self) {
        let missing = self.missing();
        assert!(missing.is_empty(), "situations that never occurred: {missing:?} of {:#?}", self.0);
    }
}

/// A second implementation of a game, written from the text of the rules, slow and simple. It reads
/// the data file itself and follows a game by the notation of its events.
pub(crate) trait ReferenceGame: Sized {
    /// The game that it is compared with.
    type Game: FullGame + GameDefinition;
    /// A data file as the model reads it.
    type Data;
    /// Rare situations, separated by commas. Random games must reach all of them for a meaningful
    /// comparison.
    const SITUATIONS: &'static str;

    /// Reads a data file.
    fn read_data(file: &str) -> Self::Data;

    /// Starts a game.
    fn begin(game: &Self::Game, data: &Rc<Self::Data>) -> Self;

    /// Returns the next decider.
    fn decider(&self) -> Decider;

    /// Returns the outcomes of the next chance event with their weights, sorted.
    fn outcomes(&self) -> Vec<(String, u32)>;

    /// Returns the legal actions, sorted.
    fn legal(&self) -> Vec<String>;

    /// Applies an event.
    fn apply(&mut self, event: &str);

    /// Returns the result of a finished game.
    fn outcome(&self) -> ModelOutcome;

    /// Compares the model with a position of the game. `context` describes the path to the
    /// position.
    fn compare_position(
        &self,
        game: &Self::Game,
        state: &<Self::Game as Game>::State,
        context: &dyn Fn() -> String,
    );

    /// Compares the items that the last event took.
    fn compare_taken(&self, _game: &Self::Game, _taken: &[ItemId], _context: &dyn Fn() -> String) {}

    /// Counts the situations that an event shows, before it is applied.
    fn note_event(&self, event: &str, situations: &mut Situations);

    /// Counts the situations of the current position.
    fn note_position(&self, _situations: &mut Situations) {}

    /// Counts the situations at the end of the game.
    fn note_end(&self, situations: &mut Situations);
}

/// Implements the methods of [`ReferenceGame`] that a model has under the same names.
macro_rules! model_methods {
    ($self:ident, $model:expr, $data:ty) => {
        fn read_data(file: &str) -> $data {
            <$data>::read(file)
        }

        fn decider(&$self) -> Decider {
            $model.decider()
        }

        fn outcomes(&$self) -> Vec<(String, u32)> {
            $model.outcomes()
        }

        fn legal(&$self) -> Vec<String> {
            $model.legal()
        }
    };
}

/// Declares the tests that compare random games with a reference model: `$games` games with the
/// default data, and in `.ci/full` up to `$many`, and up to `$many_altered` with each altered data
/// file. `$policies` are those besides the uniform ones.
macro_rules! reference_tests {
    ($model:ty, $games:expr, $many:expr, $many_altered:expr, $policies:expr) => {
        #[test]
        fn default_data_agrees_with_the_reference_model() {
            play_and_compare::<$model>(&variants::default_data(), 0..$games, $policies);
        }

        #[test]
        #[ignore = "minutes: many more games; .ci/full runs it"]
        fn many_games_agree_with_the_reference_model() {
            play_and_compare::<$model>(&variants::default_data(), $games..$many, $policies);
            play_and_compare::<$model>(&variants::all(), 1..$many_altered, $policies);
        }

        #[test]
        fn altered_data_agrees_with_the_reference_model_in_every_rare_situation() {
            let variants: Vec<_> =
                variants::default_data().into_iter().chain(variants::all()).collect();
            compare_rare_situations::<$model>(&variants, $many_altered, $policies);
        }
    };
}
/// Checks a value of the game against that of the model.
macro_rules! assert_same {
    ($found:expr, $expected:expr, $context:expr) => {
        assert_eq!($found, $expected, "{}", $context())
    };
}

pub(crate) use {assert_same, model_methods, reference_tests};

/// Plays random games of each variant, number of players and policy on all cores, and checks every
/// position. The policies are uniform policies and `further`.
pub(crate) fn play_and_compare<R: ReferenceGame>(
    variants: &[DataVariant],
    games: Range<u64>,
    further: &[&dyn Policy<R::Game>],
) -> Situations {
    let policies = [&[&Uniform as &dyn Policy<R::Game>, &UniformKind][..], further].concat();
    let bound: Vec<_> = variants.iter().flat_map(bind_all::<R>).collect();
    for (variant, game) in &bound {
        let is_same = inputs(game) == inputs(&bound[0].1);
        assert!(is_same, "{}: other inputs of facts than {}", variant.name, bound[0].0.name);
    }
    let found = bound.par_iter().map(|(variant, game)| {
        let data = Rc::new(R::read_data(&variant.file));
        let conformance = Conformance::<R>::new(&variant.name, game, &data);
        let mut situations = Situations::new::<R>();
        for number in games.clone() {
            let mut rng = stream(number * 10 + game.seats() as u64, 0, 0, Purpose::Playout);
            for policy in &policies {
                conformance.check_game(*policy, &mut rng, &mut situations);
            }
        }
        conformance.contract.into_inner().check_tables().unwrap();
        situations
    });
    found.reduce(Situations::new::<R>, Situations::merge)
}

/// Returns the names of the inputs that describe the facts of a game.
fn inputs<G: FullGame>(game: &G) -> [Vec<String>; 4] {
    game.fact_table().blocks().map(|(_, block)| block.inputs().to_vec())
}

/// Returns a variant bound to each number of players.
fn bind_all<R: ReferenceGame>(variant: &DataVariant) -> Vec<(&DataVariant, R::Game)> {
    let document = variant.document();
    let bound: Vec<_> =
        (1..=MAX_SEATS).filter_map(|players| R::Game::bind(&document, players).ok()).collect();
    assert!(bound.len() >= 2, "{}: {:?}", variant.name, R::Game::bind(&document, 2).err());
    bound.into_iter().map(|game| (variant, game)).collect()
}

/// Plays one game of each variant, number of players and policy, then up to `most` further ones
/// until every rare situation has occurred.
pub(crate) fn compare_rare_situations<R: ReferenceGame>(
    variants: &[DataVariant],
    most: u64,
    further: &[&dyn Policy<R::Game>],
) {
    let mut situations = play_and_compare::<R>(variants, 0..1, further);
    for number in 1..=most {
        if situations.missing().is_empty() {
            return;
        }
        let further_games = play_and_compare::<R>(variants, number..number + 1, further);
        situations = situations.merge(further_games);
    }
    situations.assert_all_occurred();
}

/// A bound game and the data of its reference model.
pub(crate) struct Conformance<'a, R: ReferenceGame> {
    data_name: &'a str,
    game: &'a R::Game,
    data: &'a Rc<R::Data>,
    contract: RefCell<Contract<'a, R::Game>>,
}

impl<'a, R: ReferenceGame> Conformance<'a, R> {
    pub(crate) fn new(data_name: &'a str, game: &'a R::Game, data: &'a Rc<R::Data>) -> Self {
        let contract = Contract::new(game);
        let contract = contract.unwrap_or_else(|violation| panic!("{data_name}: {violation}"));
        Self { data_name, game, data, contract: RefCell::new(contract) }
    }

    /// Plays a game to its end and checks every position.
    pub(crate) fn check_game(
        &self,
        policy: &dyn Policy<R::Game>,
        rng: &mut Rng,
        situations: &mut Situations,
    ) {
        let mut followed = FollowedGame {
            rules: self,
            state: self.game.initial(),
            model: R::begin(self.game, self.data),
            history: Vec::new(),
            texts: HashMap::new(),
        };
        followed.play(policy, rng, situations);
    }
}

/// A game that the library plays and the reference model follows.
struct FollowedGame<'r, 'a, R: ReferenceGame> {
    rules: &'r Conformance<'a, R>,
    state: <R::Game as Game>::State,
    model: R,
    history: Vec<String>,
    /// The notation of all actions so far.
    texts: HashMap<<R::Game as Game>::Action, String>,
}

impl<R: ReferenceGame> FollowedGame<'_, '_, R> {
    fn play(&mut self, policy: &dyn Policy<R::Game>, rng: &mut Rng, situations: &mut Situations) {
        let game = self.rules.game;
        loop {
            self.check_position(rng);
            let action = match game.turn(&self.state) {
                Turn::Chance(source) => {
                    let name = game.chance_sources()[usize::from(source.0)];
                    assert_eq!(self.model.decider(), Decider::Chance(name), "{}", self.context());
                    self.check_chance(rng)
                }
                Turn::Seat(seat) => {
                    let decider = Decider::Seat(seat.index());
                    assert_eq!(self.model.decider(), decider, "{}", self.context());
                    let legal = game.legal_actions(&self.state);
                    self.check_legal(&legal);
                    policy.choose(game, &self.state, seat, &legal, rng)
                }
                Turn::Over => {
                    assert_eq!(self.model.decider(), Decider::Nobody, "{}", self.context());
                    self.check_outcome();
                    return self.model.note_end(situations);
                }
            };
            self.apply(action, situations);
        }
    }

    /// Describes the path to the position, so that the game can be repeated.
    fn context(&self) -> String {
        let (name, seats) = (self.rules.data_name, self.rules.game.seats());
        format!("data {name:?}, {seats} players, after {}", self.history.join(" "))
    }

    /// Returns the notation of an action, and checks it at the first occurrence of the action.
    fn text(&mut self, action: <R::Game as Game>::Action) -> String {
        let game = self.rules.game;
        let text = self.texts.entry(action).or_insert_with(|| {
            let text = game.action_text(action);
            assert_eq!(game.parse_action(&text), Ok(action));
            text
        });
        text.clone()
    }

    /// Fails with the path to the position if the game breaks its contract.
    fn expect<T>(&self, result: Result<T, String>) -> T {
        result.unwrap_or_else(|violation| panic!("{violation}\n{}", self.context()))
    }

    /// Checks a position by itself and against the reference model.
    fn check_position(&self, rng: &mut Rng) {
        self.expect(self.rules.contract.borrow().check_position(&self.state, rng));
        self.model.compare_position(self.rules.game, &self.state, &|| self.context());
    }

    /// Compares the chance outcomes, and returns a sample.
    fn check_chance(&mut self, rng: &mut Rng) -> <R::Game as Game>::Action {
        let game = self.rules.game;
        let outcomes = game.chance_outcomes(&self.state);
        let mut texts: Vec<_> =
            outcomes.iter().map(|&(action, weight)| (self.text(action), weight)).collect();
        texts.sort();
        assert_eq!(texts, self.model.outcomes(), "{}", self.context());
        self.expect(self.rules.contract.borrow().check_chance(&self.state, rng))
    }

    /// Compares the legal actions, and checks that notations begin with the kind of the action.
    fn check_legal(&mut self, legal: &<R::Game as Game>::Actions) {
        let game = self.rules.game;
        let mut texts: Vec<_> = legal.iter().map(|action| self.text(action)).collect();
        texts.sort_unstable();
        assert_eq!(texts, self.model.legal(), "{}", self.context());
        self.expect(self.rules.contract.borrow_mut().check_legal(&self.state, legal));
        for (kind, &name) in game.action_kinds().iter().enumerate() {
            for action in legal.subset_of_kind(kind as u32).iter() {
                let text = self.text(action);
                assert_eq!(text.split(':').next(), Some(name), "{}", self.context());
            }
        }
    }

    /// Applies an action to the position and to the model.
    fn apply(&mut self, action: <R::Game as Game>::Action, situations: &mut Situations) {
        let (game, before) = (self.rules.game, self.state);
        let event = self.text(action);
        self.model.note_event(&event, situations);
        let taken = self.taken_items(action);
        if let Some(step) = game.opening_step(&before, action) {
            let text = game.opening_step_text(step);
            let same_verb = text.split([':', '@']).next() == event.split(':').next();
            assert!(same_verb, "{text} for {event}");
        }
        game.apply(&mut self.state, action);
        self.expect(self.rules.contract.borrow().check_event(&before, action, &self.state));
        self.model.apply(&event);
        self.history.push(event);
        self.model.compare_taken(game, &taken, &|| self.context());
        self.model.note_position(situations);
    }

    /// Returns the items that an action takes.
    fn taken_items(&self, action: <R::Game as Game>::Action) -> Vec<ItemId> {
        let (game, state) = (self.rules.game, &self.state);
        let mut taken = Vec::new();
        let mut note = |event| {
            if let ItemEvent::Taken(_, item) = event {
                taken.push(item);
            }
        };
        match game.turn(state) {
            Turn::Seat(seat) => {
                let legal = game.legal_actions(state);
                game.decision_events(state, seat, &legal, action, &mut note);
            }
            _ => game.item_events(state, action, &mut note),
        }
        taken
    }

    fn check_outcome(&self) {
        let (game, model) = (self.rules.game, self.model.outcome());
        let outcome = game.outcome(&self.state);
        for (index, expected) in model.breakdowns.iter().enumerate() {
            let breakdown = game.score_breakdown(&self.state, Seat::new(index));
            assert_eq!(&breakdown, expected, "seat {index}\n{}", self.context());
            let score: i32 = breakdown.iter().map(|(_, points)| points).sum();
            assert_eq!(outcome.scores[index], score, "seat {index}\n{}", self.context());
        }
        let winners: Vec<usize> = (0..8).filter(|seat| outcome.winners >> seat & 1 == 1).collect();
        assert_eq!(winners, model.winners, "{}", self.context());
        let ending = (outcome.rounds as usize, outcome.hit_round_limit);
        assert_eq!(ending, (model.rounds, model.hit_round_limit), "{}", self.context());

        self.expect(self.rules.contract.borrow().check_outcome(&self.state));
    }
}
