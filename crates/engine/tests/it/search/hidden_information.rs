//! Search with hidden information: a choice does not depend on information hidden from the seat,
//! and known weaknesses of some search variants.

use std::sync::Arc;

use watershed::{
    bots::{BotFactory, View, network::NetworkLibrary, profile::ProfileLibrary},
    game::{
        ActionList, ChanceSource, FeatureVector, Features, Game, MAX_FEATURES, MAX_SEATS, Outcome,
        Seat, Turn,
    },
    rng::{Purpose, Rng, random_below, stream},
    search::{
        ensemble::Ensemble,
        mcts::{Branching, SearchModel, Settings},
        playout::Uniform,
    },
};

use super::network::library;

/// Seat 1 holds a card that is hidden from seat 0. Seat 0 either stays out and wins by chance, or
/// dares. Then one seat names the card and wins if it is right.
struct Dare {
    cards: u8,
    /// The number of wins of seat 0 in 4 chance outcomes if it stays out.
    chances: u32,
    /// The seat that names the card.
    asked: Seat,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Position {
    card: u8,
    step: Step,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Step {
    Deal,
    Decide,
    Out,
    Name,
    Over { winner: Seat },
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
enum Action {
    Dealt(u8),
    #[default]
    Out,
    Dare,
    Name(u8),
    Wins(Seat),
}

const HOLDER: Seat = Seat::new(1);
const OTHER: Seat = Seat::new(0);

impl Game for Dare {
    type State = Position;
    type Action = Action;
    type Actions = ActionList<Action, 32>;

    fn seats(&self) -> usize {
        2
    }

    fn chance_sources(&self) -> &'static [&'static str] {
        &["cards"]
    }

    fn initial(&self) -> Position {
        Position { card: 0, step: Step::Deal }
    }

    fn turn(&self, state: &Position) -> Turn {
        match state.step {
            Step::Deal | Step::Out => Turn::Chance(ChanceSource(0)),
            Step::Decide => Turn::Seat(OTHER),
            Step::Name => Turn::Seat(self.asked),
            Step::Over { .. } => Turn::Over,
        }
    }

    fn legal_actions(&self, state: &Position) -> Self::Actions {
        if state.step == Step::Decide {
            [Action::Out, Action::Dare].into_iter().collect()
        } else {
            (0..self.cards).map(Action::Name).collect()
        }
    }

    fn chance_outcomes(&self, state: &Position) -> Vec<(Action, u32)> {
        match state.step {
            Step::Deal => (0..self.cards).map(|card| (Action::Dealt(card), 1)).collect(),
            _ => {
                vec![(Action::Wins(OTHER), self.chances), (Action::Wins(HOLDER), 4 - self.chances)]
            }
        }
    }

    fn apply(&self, state: &mut Position, action: Action) {
        let rival = self.asked.clockwise(1, 2);
        state.step = match action {
            Action::Dealt(card) => {
                state.card = card;
                Step::Decide
            }
            Action::Out => Step::Out,
            Action::Dare => Step::Name,
            Action::Name(card) => {
                Step::Over { winner: if card == state.card { self.asked } else { rival } }
            }
            Action::Wins(winner) => Step::Over { winner },
        };
    }

    fn round(&self, _state: &Position) -> u32 {
        1
    }

    fn outcome(&self, state: &Position) -> Outcome {
        let mut scores = [0; MAX_SEATS];
        let mut winners = 0;
        if let Step::Over { winner } = state.step {
            scores[winner.index()] = 1;
            winners = 1 << winner.index();
        }
        Outcome { scores, winners, wins_are_independent: false, rounds: 1, hit_round_limit: false }
    }

    fn determinize(&self, state: &Position, seat: Seat, rng: &mut Rng) -> Position {
        let card =
            if seat == HOLDER { state.card } else { random_below(rng, self.cards.into()) as u8 };
        Position { card, ..*state }
    }

    fn private_info_key(&self, state: &Position, seat: Seat) -> u32 {
        if seat == HOLDER { state.card.into() } else { 0 }
    }
}

impl Features for Dare {
    fn feature_names(&self) -> &'static [&'static str] {
        &["win"]
    }

    fn features(&self, state: &Position, seat: Seat) -> FeatureVector {
        let mut features = [0.0; MAX_FEATURES];
        features[0] = f64::from(u8::from(state.step == Step::Over { winner: seat }));
        features
    }
}

fn bot(line: &str) -> BotFactory {
    let library = ProfileLibrary {
        game: "dare",
        feature_names: &["win"],
        profiles: &[("seer", "kind = \"heuristic\"\nweights = { win = 1 }\n")],
        networks: Arc::new(NetworkLibrary::new("dare", &[], Arc::default)),
        default_bot: "seer",
        default_heuristic: Some("seer"),
        ..library(&[])
    };
    library.read(line).unwrap().into()
}

fn decide(game: &Dare, settings: Settings, trees: u32, worlds: bool) -> Option<Action> {
    let state = Position { card: 1, step: Step::Decide };
    let mut ensemble = Ensemble::new(settings, trees, worlds);
    let mut rng = stream(5, 0, 0, Purpose::Playout);
    ensemble.run(
        game,
        &SearchModel::playouts_only(&Uniform),
        &mut rng,
        |rng| game.determinize(&state, OTHER, rng),
        None,
    );
    ensemble.best_action()
}

fn uct() -> Settings {
    Settings::uct(4000, 0.7)
}

/// Staying out wins 3 times in 4; daring is a guess between 2 cards. In each determinization the
/// card is known and daring wins: this is strategy fusion (Frank and Basin 1998).
#[test]
fn determinized_worlds_fuse_strategies_and_information_sets_do_not() {
    let game = Dare { cards: 2, chances: 3, asked: OTHER };
    assert_eq!(decide(&game, uct(), 20, true), Some(Action::Dare));
    assert_eq!(decide(&game, uct(), 1, false), Some(Action::Out));
    assert_eq!(decide(&game, uct(), 20, false), Some(Action::Out));
    assert_eq!(
        decide(&game, Settings { branching: Branching::PerSeat, ..uct() }, 1, false),
        Some(Action::Out)
    );
}

/// Seat 1 knows its card and names it: daring always loses, staying out wins 1 time in 4. In a
/// shared tree seat 1 does not know its card and seems to be right half the time.
#[test]
fn a_tree_per_seat_models_the_private_information_of_others() {
    let game = Dare { cards: 2, chances: 1, asked: HOLDER };
    assert_eq!(decide(&game, uct(), 1, false), Some(Action::Dare));
    assert_eq!(
        decide(&game, Settings { branching: Branching::PerSeat, ..uct() }, 1, false),
        Some(Action::Out)
    );
}

/// Trees for all hidden states need memory. If it is exhausted, the search continues in the
/// existing trees.
#[test]
fn trees_of_many_private_keys_stay_within_their_memory() {
    let game = Dare { cards: 29, chances: 1, asked: HOLDER };
    let state = Position { card: 1, step: Step::Decide };
    let mut ensemble =
        Ensemble::new(Settings { branching: Branching::PerSeat, max_nodes: 16, ..uct() }, 1, false);
    let mut rng = stream(5, 0, 0, Purpose::Playout);
    ensemble.run(
        &game,
        &SearchModel::playouts_only(&Uniform),
        &mut rng,
        |rng| game.determinize(&state, OTHER, rng),
        None,
    );
    let result = ensemble.result();
    assert!(result.nodes <= 16, "{result:?}");
    assert_eq!(result.iterations, 4000);
}

/// The choice of seat 0 does not depend on the card of seat 1, although playouts, priors and values
/// use complete positions.
#[test]
fn hidden_information_does_not_change_a_choice() {
    const CARDS: u8 = 5;
    let bots = [
        "random",
        "random-kind",
        "seer",
        "flat:iterations=50",
        "mcts:iterations=50",
        "mcts:iterations=50:trees=3",
        "mcts:iterations=50:trees=3:worlds=true",
        "mcts:iterations=50:trees=1:worlds=true",
        "mcts:iterations=50:branching=per-seat",
        "mcts:iterations=50:branching=own-moves",
        "mcts:iterations=50:opponents=paranoid",
        "mcts:iterations=50:playout=seer",
        "mcts:iterations=50:playout=mast",
        "mcts:iterations=50:final_choice=halving",
        "mcts:iterations=50:selection=puct:prior=seer",
        "mcts:iterations=50:cut_off=0:value=seer",
        "mcts:iterations=50:reuse=1",
    ];
    for line in bots {
        let profile = bot(line);
        let mut different = Vec::new();
        for seed in 0..20 {
            let game = Dare { cards: CARDS, chances: 1, asked: OTHER };
            // Both decisions of one game, so that tree reuse is tested too.
            let choices = (0..CARDS).map(|card| {
                let mut bot = profile.build();
                bot.reset();
                let mut rng = stream(seed, 0, 0, Purpose::Bot(0));
                [Step::Decide, Step::Name].map(|step| {
                    let state = Position { card, step };
                    let choice = bot.choose(
                        &View::new(&game, &state, OTHER),
                        &game.legal_actions(&state),
                        &mut rng,
                    );
                    bot.observe(OTHER, if step == Step::Decide { Action::Dare } else { choice });
                    choice
                })
            });
            let choices: Vec<_> = choices.collect();
            assert!(choices.iter().all(|choice| *choice == choices[0]), "{line}: {choices:?}");
            different.push(choices[0][1]);
        }
        different.dedup();
        assert!(different.len() > 1, "{line} guesses {different:?} whatever its seed");
    }
}

/// The seat that holds the card uses it.
#[test]
fn a_seat_uses_its_private_information() {
    let game = Dare { cards: 5, chances: 1, asked: HOLDER };
    for line in [
        "seer",
        "mcts:iterations=200",
        "mcts:iterations=200:branching=per-seat",
        "mcts:iterations=200:trees=2:worlds=true",
    ] {
        for card in 0..5 {
            let state = Position { card, step: Step::Name };
            let mut bot = bot(line).build();
            let mut rng = stream(1, 0, 0, Purpose::Bot(1));
            let choice = bot.choose(
                &View::new(&game, &state, HOLDER),
                &game.legal_actions(&state),
                &mut rng,
            );
            assert_eq!(choice, Action::Name(card), "{line}");
        }
    }
}
