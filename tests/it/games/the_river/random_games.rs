//! Random games of The River, in every position of which the library must agree with the naive
//! model and with itself.

use std::collections::{BTreeMap, HashMap};

use watershed::{
    game::{ActionSet, Game, Notation, Seat, Turn},
    games::the_river::{
        TheRiver,
        action::Action,
        components::{Bag, Resource, TileKind, TileRow},
        state::State,
    },
    rng::{Purpose, Rng, stream},
    search::playout::{Policy, Uniform, UniformKind},
};

use super::{
    reference::{Amounts, Decider, NaiveData, NaiveRiver, Step},
    variants::{self, Variant},
};

const GAMES_WITH_DEFAULT_DATA: u64 = 150;
const GAMES_WITH_ALTERED_DATA: u64 = 20;

/// Rare situations. Random games must meet all of them, or the comparison proves little.
const SITUATIONS: [&str; 33] = [
    "reshuffle",
    "fewer tiles than places",
    "no tiles at all",
    "fewer buildings than places",
    "pass",
    "pass with a trade at hand",
    "food:wood",
    "own pawn taken",
    "trade-in of 1",
    "trade-in of 2",
    "trade-in of 3",
    "trade-in of 4",
    "trade-in of 7",
    "pay:-",
    "payment of 6",
    "payment with a discount",
    "second token with the last pioneer",
    "no token left",
    "no bonus spot left",
    "swap with too much to store",
    "skip",
    "last swap of an effect",
    "overflow in the draft",
    "overflow in a round",
    "overflow of income",
    "overflow with more income to come",
    "a choice of what to return",
    "clay returned after clay",
    "end by the round limit",
    "end without pioneers",
    "end by bonus tokens",
    "end by twelve tiles",
    "shared win",
];

/// How often each of [`SITUATIONS`] occurred.
type Seen = BTreeMap<&'static str, usize>;

pub(crate) fn nothing_seen() -> Seen {
    SITUATIONS.map(|situation| (situation, 0)).into()
}

#[test]
fn default_data_agrees_with_the_naive_model() {
    let games = Games::new(&variants::default_data());
    let mut seen = nothing_seen();
    for game in 0..GAMES_WITH_DEFAULT_DATA {
        games.play_each_way(game, &mut seen);
    }
}

#[test]
fn altered_data_agrees_with_the_naive_model_in_every_rare_situation() {
    let mut seen = nothing_seen();
    for variant in variants::all() {
        let games = Games::new(&variant);
        for game in 0..GAMES_WITH_ALTERED_DATA {
            games.play_each_way(game, &mut seen);
        }
    }
    assert!(seen.values().all(|&times| times > 0), "a situation never occurred: {seen:#?}");
}

/// Games with one data file.
struct Games {
    name: &'static str,
    data: NaiveData,
    tables: Vec<TheRiver>,
}

impl Games {
    fn new(variant: &Variant) -> Self {
        let tables = (2..=4).map(|players| TheRiver::new(&variant.document(), players).unwrap());
        Self { name: variant.name, data: NaiveData::read(&variant.file), tables: tables.collect() }
    }

    /// A game for each number of players with each policy.
    fn play_each_way(&self, number: u64, seen: &mut Seen) {
        for game in &self.tables {
            let mut rng = stream(game.seats() as u64, 0, number, Purpose::Playout);
            Followed::new(self.name, game, &self.data).play(&Uniform, &mut rng, seen);
            Followed::new(self.name, game, &self.data).play(&UniformKind, &mut rng, seen);
        }
    }
}

/// A game played by the library and followed by the naive model.
pub(crate) struct Followed<'a> {
    data_name: &'a str,
    game: &'a TheRiver,
    data: &'a NaiveData,
    state: State,
    naive: NaiveRiver<'a>,
    history: Vec<String>,
    /// The notation of every action met so far.
    texts: HashMap<Action, String>,
}

impl<'a> Followed<'a> {
    pub(crate) fn new(data_name: &'a str, game: &'a TheRiver, data: &'a NaiveData) -> Self {
        let naive = NaiveRiver::new(data, game.seats());
        Self {
            data_name,
            game,
            data,
            state: game.initial(),
            naive,
            history: Vec::new(),
            texts: HashMap::new(),
        }
    }

    /// Plays to the end, comparing all the way.
    pub(crate) fn play(&mut self, policy: &impl Policy<TheRiver>, rng: &mut Rng, seen: &mut Seen) {
        loop {
            self.check_components();
            self.check_position_notation();
            let action = match self.game.turn(&self.state) {
                Turn::Chance(source) => {
                    assert_eq!(
                        Decider::Chance(self.game.chance_sources()[usize::from(source.0)]),
                        self.naive.decider(),
                        "{}",
                        self.place()
                    );
                    self.check_chance(rng)
                }
                Turn::Seat(seat) => {
                    assert_eq!(
                        Decider::Seat(seat.index()),
                        self.naive.decider(),
                        "{}",
                        self.place()
                    );
                    let legal = self.game.legal_actions(&self.state);
                    self.check_legal(legal);
                    policy.choose(self.game, &self.state, seat, &legal, rng)
                }
                Turn::Over => {
                    assert_eq!(Decider::Nobody, self.naive.decider(), "{}", self.place());
                    self.check_outcome();
                    return note_end(&self.naive, seen);
                }
            };
            let event = self.text(action);
            note_event(&self.naive, &event, seen);
            self.game.apply(&mut self.state, action);
            self.naive.apply(&event);
            self.history.push(event);
        }
    }

    /// Where a comparison failed: enough to play the game again.
    fn place(&self) -> String {
        format!(
            "data {:?}, {} players, after {}",
            self.data_name,
            self.game.seats(),
            self.history.join(" ")
        )
    }

    /// The notation of an action; the first time it is met, it is read back.
    fn text(&mut self, action: Action) -> String {
        let game = self.game;
        let text = self.texts.entry(action).or_insert_with(|| {
            let text = game.action_text(action);
            assert_eq!(game.parse_action(&text), Ok(action));
            text
        });
        text.clone()
    }

    /// Everything both models hold, and the conservation of each component in the naive one, which
    /// counts them all.
    fn check_components(&self) {
        let (game, state, naive) = (self.game, &self.state, &self.naive);
        let in_setup = naive.seats.len() < game.seats();
        assert_eq!(amounts(game.supply(state)), naive.supply, "{}", self.place());
        assert_eq!(state.round() as usize, naive.round, "{}", self.place());
        assert_eq!(self.names(state.face_up_tiles()), naive.face_up, "{}", self.place());
        assert_eq!(
            self.cards(state.face_up_buildings()),
            sorted(&naive.cards_face_up),
            "{}",
            self.place()
        );
        for (index, own) in naive.seats.iter().enumerate() {
            let seat = Seat::new(index);
            assert_eq!(amounts(state.bag(seat)), own.held, "{}", self.place());
            assert_eq!(self.names(state.tiles(seat)), own.tiles, "{}", self.place());
            assert_eq!(
                self.cards(state.built_buildings(seat)),
                sorted(&own.built),
                "{}",
                self.place()
            );
            assert_eq!(
                self.cards(state.reserved_buildings(seat)),
                sorted(&own.reserved),
                "{}",
                self.place()
            );
            let numbers = [
                state.tokens(seat),
                state.token_points(seat),
                state.boat_pioneers(seat),
                state.pioneers(seat),
                state.claims(seat),
            ];
            let expected =
                [own.tokens.len(), own.tokens.iter().sum(), own.boat, own.pioneers, own.claims];
            assert_eq!(numbers.map(|number| number as usize), expected, "{}", self.place());
        }
        for (index, stocked) in self.stock().into_iter().enumerate() {
            let held: usize = naive.seats.iter().map(|seat| seat.held[index]).sum();
            assert_eq!(naive.supply[index] + held, stocked, "{}", self.place());
        }
        for (index, tile) in self.data.tiles.iter().enumerate() {
            let count = |names: &[String]| names.iter().filter(|name| **name == tile.id).count();
            let on_boards: usize = naive.seats.iter().map(|seat| count(&seat.tiles)).sum();
            let (unseen, discarded) = (count(&naive.unseen), count(&naive.discarded));
            assert_eq!(
                on_boards + count(&naive.face_up) + unseen + discarded + count(&naive.removed),
                tile.copies,
                "{}",
                self.place()
            );
            let kind = TileKind(index as u8 + 1);
            let piles =
                [game.unseen_tiles(state, kind), game.discarded_tiles(state)[usize::from(kind.0)]];
            assert_eq!(piles.map(|count| count as usize), [unseen, discarded], "{}", self.place());
        }
        let cards: usize =
            naive.seats.iter().map(|seat| seat.built.len() + seat.reserved.len()).sum();
        assert_eq!(
            cards + naive.cards_face_up.len() + naive.cards_unseen.len(),
            game.data().building.len(),
            "{}",
            self.place()
        );
        let tokens: usize = naive.seats.iter().map(|seat| seat.tokens.len()).sum();
        assert_eq!(
            tokens + naive.tokens_left.len(),
            game.data().setup(game.seats()).unwrap().bonus_tokens.len(),
            "{}",
            self.place()
        );
        assert!(in_setup || naive.pawn == state.pawn_holder().index(), "{}", self.place());
    }

    fn stock(&self) -> Amounts {
        let stock = &self.game.data().setup(self.game.seats()).unwrap().stock;
        [stock.wood.get(), stock.clay.get(), stock.stone.get(), stock.food.get()]
            .map(|amount| amount as usize)
    }

    fn names(&self, tiles: TileRow) -> Vec<String> {
        tiles.iter().map(|kind| self.data.tiles[usize::from(kind.0) - 1].id.clone()).collect()
    }

    /// The names of a set of buildings, sorted.
    fn cards(&self, set: u64) -> Vec<String> {
        let cards = self
            .game
            .data()
            .building
            .iter()
            .enumerate()
            .filter(|&(index, _)| set >> index & 1 == 1);
        let mut names: Vec<_> = cards.map(|(_, card)| card.id.as_str().to_owned()).collect();
        names.sort();
        names
    }

    fn check_position_notation(&self) {
        let text = self.game.position_text(&self.state);
        assert_eq!(
            self.game.parse_position(&text).as_ref(),
            Ok(&self.state),
            "{text}\n{}",
            self.place()
        );
    }

    /// Compares the outcomes of chance and draws a few, of which it returns the last.
    fn check_chance(&mut self, rng: &mut Rng) -> Action {
        let outcomes = self.game.chance_outcomes(&self.state);
        let mut texts: Vec<_> =
            outcomes.iter().map(|&(action, weight)| (self.text(action), weight)).collect();
        texts.sort();
        assert_eq!(texts, self.naive.outcomes(), "{}", self.place());
        let draws = [(); 3].map(|()| self.game.sample_chance(&self.state, rng));
        for draw in draws {
            assert!(
                outcomes.iter().any(|&(action, _)| action == draw),
                "{draw:?} drawn of {outcomes:?}\n{}",
                self.place()
            );
        }
        draws[2]
    }

    /// Compares the legal actions, and checks that the set answers all questions alike.
    fn check_legal(&mut self, legal: <TheRiver as Game>::Actions) {
        let actions: Vec<_> = legal.iter().collect();
        let listed: Vec<_> = actions.iter().map(|&action| (self.text(action), action)).collect();
        let mut texts: Vec<_> = listed.iter().map(|(text, _)| text.as_str()).collect();
        texts.sort_unstable();
        let expected = self.naive.legal();
        assert_eq!(texts, expected, "{}", self.place());
        assert!(!legal.is_empty(), "{}", self.place());
        assert_eq!(legal.len(), actions.len(), "{}", self.place());
        let unlisted = self.texts.iter().filter(|(_, text)| expected.binary_search(text).is_err());
        for (action, text) in unlisted {
            assert!(!legal.contains(*action), "{text} unlisted\n{}", self.place());
        }
        let mut kinds = 0;
        for (kind, &name) in self.game.action_kinds().iter().enumerate() {
            let of_kind: Vec<_> = legal.subset_of_kind(kind as u32).iter().collect();
            let expected = listed.iter().filter(|(text, _)| text.split(':').next() == Some(name));
            assert_eq!(
                of_kind,
                expected.map(|&(_, action)| action).collect::<Vec<_>>(),
                "{name}\n{}",
                self.place()
            );
            kinds |= u32::from(!of_kind.is_empty()) << kind;
        }
        assert_eq!(legal.kinds(), kinds, "{}", self.place());
        let mut rest = legal;
        for (index, &(ref text, action)) in listed.iter().enumerate() {
            assert!(
                legal.nth(index) == action && rest.contains(action),
                "{text}\n{}",
                self.place()
            );
            rest.remove(action);
            assert!(
                !rest.contains(action) && rest.len() == actions.len() - index - 1,
                "{text} removed\n{}",
                self.place()
            );
        }
    }

    fn check_outcome(&self) {
        let (game, naive) = (self.game, &self.naive);
        let outcome = game.outcome(&self.state);
        let scores = scores(naive);
        for (index, &score) in scores.iter().enumerate() {
            assert_eq!(
                game.score_breakdown(&self.state, Seat::new(index)),
                naive.breakdown(index),
                "seat {index}\n{}",
                self.place()
            );
            assert_eq!(outcome.scores[index], score, "seat {index}\n{}", self.place());
            assert_eq!(
                outcome.winners >> index & 1 == 1,
                Some(&score) == scores.iter().max(),
                "seat {index}\n{}",
                self.place()
            );
        }
        assert_eq!(outcome.winners >> scores.len(), 0, "{}", self.place());
        assert_eq!(
            (outcome.rounds as usize, outcome.hit_round_limit),
            (naive.round, naive.capped()),
            "{}",
            self.place()
        );
    }
}

fn amounts(bag: Bag) -> Amounts {
    Resource::ALL.map(|resource| bag.get(resource) as usize)
}

fn sorted(names: &[String]) -> Vec<String> {
    let mut names = names.to_vec();
    names.sort();
    names
}

fn scores(naive: &NaiveRiver<'_>) -> Vec<i32> {
    (0..naive.seats.len())
        .map(|seat| naive.breakdown(seat).iter().map(|(_, points)| points).sum())
        .collect()
}

/// Counts the situations that an event in this position shows.
fn note_event(naive: &NaiveRiver<'_>, event: &str, seen: &mut Seen) {
    let mut note = |situation, holds: bool| *seen.get_mut(situation).unwrap() += usize::from(holds);
    note("reshuffle", event == "reshuffle");
    match &naive.step {
        Step::Turn(seat) => {
            let begins = naive.seats.iter().all(|seat| seat.boat == seat.pioneers);
            let missing_tiles = naive.setup("face_up_tiles") - naive.face_up.len();
            note("fewer tiles than places", begins && missing_tiles > 0);
            note("no tiles at all", begins && naive.face_up.is_empty());
            note(
                "fewer buildings than places",
                begins && naive.cards_face_up.len() < naive.setup("face_up_buildings"),
            );
            note("pass", event == "pass");
            note("pass with a trade at hand", event == "pass" && naive.legal().len() > 1);
            note("food:wood", event == "food:wood");
            note("own pawn taken", event == "first" && naive.pawn == *seat);
            let traded = event
                .strip_prefix("trade:")
                .map(|paid| paid.chars().filter_map(|letter| letter.to_digit(10)).sum::<u32>());
            note("trade-in of 1", traded == Some(1));
            note("trade-in of 2", traded == Some(2));
            note("trade-in of 3", traded == Some(3));
            note("trade-in of 4", traded == Some(4));
            note("trade-in of 7", traded == Some(7));
        }
        Step::Pay(seat, building) => {
            let own = &naive.seats[*seat];
            let has_spot = own.tokens.len() < naive.setup("bonus_spots");
            note("pay:-", event == "pay:-");
            note("payment of 6", event.contains('6'));
            note("payment with a discount", own.reserved.contains(building));
            note(
                "second token with the last pioneer",
                own.boat == 0 && own.tokens.len() == 1 && !naive.tokens_left.is_empty(),
            );
            note("no token left", has_spot && naive.tokens_left.is_empty());
            note("no bonus spot left", !has_spot);
        }
        Step::Swaps(seat, left) => {
            note("swap with too much to store", naive.overflow(*seat) > 0);
            note("skip", event == "skip");
            note("last swap of an effect", event != "skip" && *left == 1);
        }
        Step::Discard { seat, first, income } => {
            note("overflow in the draft", naive.round == 0);
            note("overflow in a round", naive.round > 0 && !income);
            note("overflow of income", *income);
            note(
                "overflow with more income to come",
                *income && naive.incomes.iter().any(|(receiver, ..)| receiver == seat),
            );
            note("a choice of what to return", naive.legal().len() > 1);
            note("clay returned after clay", *first == 1 && event == "discard:clay");
        }
        _ => {}
    }
}

/// Counts the situation in which the game ended.
fn note_end(naive: &NaiveRiver<'_>, seen: &mut Seen) {
    let mut note = |situation, holds: bool| *seen.get_mut(situation).unwrap() += usize::from(holds);
    note("end by the round limit", naive.capped());
    note("end without pioneers", naive.no_pioneers() && !naive.capped() && !naive.end_triggered());
    note(
        "end by bonus tokens",
        naive.seats.iter().any(|seat| seat.tokens.len() == naive.setup("bonus_spots")),
    );
    note("end by twelve tiles", naive.seats.iter().any(|seat| seat.tiles.len() == 12));
    let scores = scores(naive);
    note(
        "shared win",
        scores.iter().filter(|score| Some(*score) == scores.iter().max()).count() > 1,
    );
}
