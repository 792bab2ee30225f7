//! Rules for every position of every game, and the comparison of a game with a second
//! implementation of its rules.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap, HashSet},
    rc::Rc,
};

use watershed::{
    game::{
        ActionSet, Features, FullGame, Game, ItemEvent, ItemId, MAX_SEATS, Notation, Seat,
        Statistics, Turn, UNITS_PER_WIN,
    },
    games::GameDefinition,
    rng::{Purpose, Rng, random_below, stream},
    search::playout::{Policy, Uniform, UniformKind},
};

use super::{data_variant::DataVariant, items::ItemChecks};

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
        Self(R::SITUATIONS.iter().map(|&situation| (situation, 0)).collect())
    }

    /// Counts a situation of the list if it occurred.
    pub(crate) fn note(&mut self, situation: &'static str, occurred: bool) {
        *self.0.get_mut(situation).unwrap() += usize::from(occurred);
    }

    #[track_caller]
    pub(crate) fn assert_all_occurred(&self) {
        let missing = self.0.iter().filter(|&(_, &times)| times == 0);
        let missing: Vec<_> = missing.map(|(situation, _)| situation).collect();
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
    /// Rare situations. Random games must reach all of them for a meaningful comparison.
    const SITUATIONS: &'static [&'static str];

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

/// Plays this number of random games of each variant, number of players and policy, and checks
/// every position. The policies are uniform policies and `further`.
#[track_caller]
pub(crate) fn play_and_compare<R: ReferenceGame>(
    variants: &[DataVariant],
    games: u64,
    further: &[&dyn Policy<R::Game>],
) -> Situations {
    let mut situations = Situations::new::<R>();
    let policies = [&[&Uniform as &dyn Policy<R::Game>, &UniformKind][..], further].concat();
    for variant in variants {
        let document = variant.document();
        let data = Rc::new(R::read_data(&variant.file));
        let bound: Vec<_> =
            (1..=MAX_SEATS).filter_map(|players| R::Game::bind(&document, players).ok()).collect();
        assert!(bound.len() >= 2, "{}: {:?}", variant.name, R::Game::bind(&document, 2).err());
        for game in bound {
            let conformance = Conformance::<R>::new(&variant.name, &game, &data);
            for number in 0..games {
                let mut rng = stream(number * 10 + game.seats() as u64, 0, 0, Purpose::Playout);
                for policy in &policies {
                    conformance.check_game(*policy, &mut rng, &mut situations);
                }
            }
            conformance.items.borrow().check_tables(&game);
        }
    }
    situations
}

/// A bound game and the data of its reference model.
pub(crate) struct Conformance<'a, R: ReferenceGame> {
    data_name: &'a str,
    game: &'a R::Game,
    data: &'a Rc<R::Data>,
    decisions: HashSet<<R::Game as Game>::Action>,
    items: RefCell<ItemChecks>,
}

impl<'a, R: ReferenceGame> Conformance<'a, R> {
    pub(crate) fn new(data_name: &'a str, game: &'a R::Game, data: &'a Rc<R::Data>) -> Self {
        let decisions = game.all_decisions();
        let found = Self {
            data_name,
            game,
            data,
            decisions: decisions.iter().copied().collect(),
            items: RefCell::default(),
        };
        assert_eq!(found.decisions.len(), decisions.len(), "{data_name}: a decision is repeated");
        let texts: HashSet<_> = decisions.iter().map(|&action| game.action_text(action)).collect();
        assert_eq!(texts.len(), decisions.len(), "{data_name}: a notation is ambiguous");
        for action in decisions {
            assert_eq!(game.parse_action(&game.action_text(action)), Ok(action), "{data_name}");
        }
        found
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
struct FollowedGame<'a, R: ReferenceGame> {
    rules: &'a Conformance<'a, R>,
    state: <R::Game as Game>::State,
    model: R,
    history: Vec<String>,
    /// The notation of all actions so far.
    texts: HashMap<<R::Game as Game>::Action, String>,
}

impl<R: ReferenceGame> FollowedGame<'_, R> {
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
                    self.rules.items.borrow_mut().check_decision(game, &self.state, &legal);
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

    /// Checks a position by itself and against the reference model.
    fn check_position(&self, rng: &mut Rng) {
        let (game, state) = (self.rules.game, &self.state);
        let text = game.position_text(state);
        assert_eq!(game.parse_position(&text).as_ref(), Ok(state), "{text}\n{}", self.context());
        let progress = game.progress(state);
        assert!((0.0..=1.0).contains(&progress), "{progress}\n{}", self.context());
        for seat in (0..game.seats()).map(Seat::new) {
            let features = game.features(state, seat);
            let (named, others) = features.split_at(game.feature_names().len());
            assert!(named.iter().all(|value| value.is_finite()), "{named:?}\n{}", self.context());
            assert!(others.iter().all(|&value| value == 0.0), "{others:?}\n{}", self.context());
        }
        let metrics = game.round_metrics();
        game.observe_round_metrics(state, |metric, count, sum| {
            let share = metrics[metric].is_share;
            let possible = count >= 0 && (!share || (0..=count).contains(&sum));
            assert!(possible, "{:?}: {sum} of {count}\n{}", metrics[metric], self.context());
        });
        self.check_determinization(Seat::new(random_below(rng, game.seats() as u32) as usize), rng);
        self.model.compare_position(game, state, &|| self.context());
    }

    /// Checks that a determinization keeps all information of a seat.
    fn check_determinization(&self, seat: Seat, rng: &mut Rng) {
        let (game, state) = (self.rules.game, &self.state);
        let other = game.determinize(state, seat, rng);
        let context = || format!("{state:?}\nas {other:?}\nfor seat {seat}, {}", self.context());
        assert_eq!(game.turn(&other), game.turn(state), "{}", context());
        assert_eq!(game.round(&other), game.round(state), "{}", context());
        let [key, kept] = [state, &other].map(|state| game.private_info_key(state, seat));
        assert_eq!(kept, key, "{}", context());
        let text = game.position_text(&other);
        assert_eq!(game.parse_position(&text).as_ref(), Ok(&other), "{text}\n{}", context());
        if game.turn(state) == Turn::Seat(seat) {
            let [legal, kept] =
                [state, &other].map(|state| game.legal_actions(state).iter().collect::<Vec<_>>());
            assert_eq!(kept, legal, "{}", context());
        }
    }

    /// Compares the chance outcomes, samples some, and returns the last sample.
    fn check_chance(&mut self, rng: &mut Rng) -> <R::Game as Game>::Action {
        let game = self.rules.game;
        let outcomes = game.chance_outcomes(&self.state);
        let mut texts: Vec<_> =
            outcomes.iter().map(|&(action, weight)| (self.text(action), weight)).collect();
        texts.sort();
        assert_eq!(texts, self.model.outcomes(), "{}", self.context());
        let draws = [(); 3].map(|()| game.sample_chance(&self.state, rng));
        for draw in draws {
            let possible = outcomes.iter().any(|&(action, _)| action == draw);
            assert!(possible, "{draw:?} drawn of {outcomes:?}\n{}", self.context());
        }
        draws[2]
    }

    /// Compares the legal actions and checks that the methods of the set agree.
    fn check_legal(&mut self, legal: &<R::Game as Game>::Actions) {
        let game = self.rules.game;
        let actions: Vec<_> = legal.iter().collect();
        let listed: Vec<_> = actions.iter().map(|&action| (self.text(action), action)).collect();
        let mut texts: Vec<_> = listed.iter().map(|(text, _)| text.as_str()).collect();
        texts.sort_unstable();
        let expected = self.model.legal();
        assert_eq!(texts, expected, "{}", self.context());
        assert!(!legal.is_empty() && legal.len() == actions.len(), "{}", self.context());
        for (text, action) in &listed {
            let possible = self.rules.decisions.contains(action);
            assert!(possible, "{text} is not among all decisions\n{}", self.context());
        }
        let unlisted = self.texts.iter().filter(|(_, text)| expected.binary_search(text).is_err());
        for (action, text) in unlisted {
            assert!(!legal.contains(*action), "{text} is not listed\n{}", self.context());
        }
        let mut kinds = 0;
        for (kind, &name) in game.action_kinds().iter().enumerate() {
            let of_kind: Vec<_> = legal.subset_of_kind(kind as u32).iter().collect();
            let expected = listed.iter().filter(|(text, _)| text.split(':').next() == Some(name));
            let expected: Vec<_> = expected.map(|&(_, action)| action).collect();
            assert_eq!(of_kind, expected, "{name}\n{}", self.context());
            kinds |= u32::from(!of_kind.is_empty()) << kind;
        }
        assert_eq!(legal.kinds(), kinds, "{}", self.context());
        let mut rest = *legal;
        for (index, &(ref text, action)) in listed.iter().enumerate() {
            let contained = legal.nth(index) == action && rest.contains(action);
            assert!(contained, "{text}\n{}", self.context());
            rest.remove(action);
            let removed = !rest.contains(action) && rest.len() == actions.len() - index - 1;
            assert!(removed, "{text} was not removed\n{}", self.context());
        }
    }

    /// Applies an action to the position and to the model, and checks its item events.
    fn apply(&mut self, action: <R::Game as Game>::Action, situations: &mut Situations) {
        let game = self.rules.game;
        let event = self.text(action);
        self.model.note_event(&event, situations);
        let taken = self.check_item_events(action);
        if let Some(step) = game.opening_step(&self.state, action) {
            let text = game.opening_step_text(step);
            let same_verb = text.split([':', '@']).next() == event.split(':').next();
            assert!(step > 0 && same_verb, "{text} for {event}");
        }
        let round = game.round(&self.state);
        game.apply(&mut self.state, action);
        self.model.apply(&event);
        self.history.push(event);
        assert!(game.round(&self.state) >= round, "{}", self.context());
        self.model.compare_taken(game, &taken, &|| self.context());
        self.model.note_position(situations);
    }

    /// Checks the item events of an action and returns the taken items.
    fn check_item_events(&self, action: <R::Game as Game>::Action) -> Vec<ItemId> {
        let (game, state) = (self.rules.game, &self.state);
        let mut taken = Vec::new();
        let mut check = |event| {
            ItemChecks::check_event(game, event);
            if let ItemEvent::Taken(_, item) = event {
                taken.push(item);
            }
        };
        match game.turn(state) {
            Turn::Seat(seat) => {
                let legal = game.legal_actions(state);
                ItemChecks::check_decision_events(game, state, seat, &legal, action);
                game.decision_events(state, seat, &legal, action, &mut check);
            }
            _ => game.item_events(state, action, &mut check),
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

        let credits = (0..game.seats()).map(|seat| outcome.win_share(Seat::new(seat)));
        let credited: i64 = credits.sum();
        let expected = if winners.is_empty() { 0 } else { UNITS_PER_WIN };
        assert_eq!(credited, expected, "{}", self.context());
        let possible = !winners.is_empty() || game.can_end_without_winner();
        assert!(possible, "a game without a winner\n{}", self.context());
        let together = winners.is_empty() || winners.len() == game.seats();
        assert!(together || !game.is_cooperative(), "{winners:?}\n{}", self.context());
        game.final_events(&self.state, |event| ItemChecks::check_event(game, event));
    }
}
