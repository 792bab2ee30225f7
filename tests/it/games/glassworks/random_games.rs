//! Random games of River Valley Glassworks, in every position of which the library must agree with
//! the naive model and with itself.

use std::collections::{BTreeMap, HashMap};

use watershed::{
    game::{ActionSet, Features, Game, ItemEvent, Notation, Seat, Statistics, Turn},
    games::glassworks::{
        Glassworks,
        action::{Action, Piece},
        state::{Pieces, State},
    },
    rng::{Purpose, Rng, stream},
    search::playout::{Policy, Uniform, UniformKind},
};

use super::{
    reference::{After, Decider, NaiveData, NaiveGlass, Place, Step},
    variants::{self, Variant},
};

const GAMES_WITH_DEFAULT_DATA: u64 = 12;
const GAMES_WITH_ALTERED_DATA: u64 = 5;

/// Rare situations. Random games must meet all of them, or the comparison proves little.
const SITUATIONS: [&str; 31] = [
    "turn with an empty bag",
    "bag empty in setup",
    "bag empty in a refill of the lake",
    "bag empty in a refill of a tile",
    "bag empty in a top-up",
    "pass",
    "pass with a satchel to fill",
    "draw:all",
    "draw with a piece left behind",
    "draw with pieces in the satchel",
    "draw closed by the end",
    "pair of equal pieces",
    "pair onto its own tile",
    "collect from a tile without pieces",
    "a piece on a full column",
    "a choice of columns",
    "a second choice of columns",
    "new colours without a column after choices",
    "a choice of what overflows",
    "overflow of an old piece",
    "overflow of the same piece again",
    "overflow of the last pieces in order",
    "top-up",
    "top-up of the seat that triggered",
    "trigger by the last seat of a round",
    "end by an extra round",
    "end by passing",
    "end by the round limit",
    "end by the round limit in the round of the trigger",
    "extra round as the last allowed",
    "shared win",
];

/// How often each of [`SITUATIONS`] occurred.
type Seen = BTreeMap<&'static str, usize>;

#[test]
fn default_data_agrees_with_the_naive_model() {
    let mut seen = SITUATIONS.map(|situation| (situation, 0)).into();
    for variant in variants::default_data() {
        Games::new(&variant).play(GAMES_WITH_DEFAULT_DATA, &mut seen);
    }
}

#[test]
fn altered_data_agrees_with_the_naive_model_in_every_rare_situation() {
    let mut seen = SITUATIONS.map(|situation| (situation, 0)).into();
    for variant in variants::all() {
        Games::new(&variant).play(GAMES_WITH_ALTERED_DATA, &mut seen);
    }
    assert!(seen.values().all(|&times| times > 0), "a situation never occurred: {seen:#?}");
}

/// Games with one data file.
struct Games {
    name: &'static str,
    data: NaiveData,
    tables: Vec<Glassworks>,
}

impl Games {
    fn new(variant: &Variant) -> Self {
        let tables = (2..=5).map(|players| Glassworks::new(&variant.document(), players).unwrap());
        Self { name: variant.name, data: NaiveData::read(&variant.file), tables: tables.collect() }
    }

    /// This many games for each number of players with each policy.
    fn play(&self, games: u64, seen: &mut Seen) {
        for number in 0..games {
            for game in &self.tables {
                let mut rng = stream(number * 10 + game.seats() as u64, 0, 0, Purpose::Playout);
                Followed::new(self.name, game, &self.data).play(&Uniform, &mut rng, seen);
                Followed::new(self.name, game, &self.data).play(&UniformKind, &mut rng, seen);
            }
        }
    }
}

/// A game played by the library and followed by the naive model.
struct Followed<'a> {
    data_name: &'a str,
    game: &'a Glassworks,
    data: &'a NaiveData,
    state: State,
    naive: NaiveGlass<'a>,
    history: Vec<String>,
    /// The notation of every action met so far.
    texts: HashMap<Action, String>,
    /// Names of the pieces, by number.
    pieces: Vec<String>,
    colours: Vec<String>,
}

impl<'a> Followed<'a> {
    fn new(data_name: &'a str, game: &'a Glassworks, data: &'a NaiveData) -> Self {
        let name = |piece: Piece| game.action_text(Action::Glass(piece)).replace("glass:", "");
        Self {
            data_name,
            game,
            data,
            state: game.initial(),
            naive: NaiveGlass::new(data, game.seats()),
            history: Vec::new(),
            texts: HashMap::new(),
            pieces: std::iter::once("-".to_owned()).chain(game.all_pieces().map(name)).collect(),
            colours: game
                .data()
                .colors(game.seats())
                .map(|colour| colour.id.as_str().to_owned())
                .collect(),
        }
    }

    /// Plays to the end, comparing all the way.
    fn play(&mut self, policy: &impl Policy<Glassworks>, rng: &mut Rng, seen: &mut Seen) {
        loop {
            self.check_components();
            self.check_position_notation();
            self.check_features();
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
                    return note_end(self.data, &self.naive, seen);
                }
            };
            let event = self.text(action);
            note_event(self.data, &self.naive, &event, seen);
            self.check_opened(action, &event);
            self.game.apply(&mut self.state, action);
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

    fn names(&self, pieces: Pieces) -> Vec<String> {
        pieces.iter().map(|piece| self.pieces[usize::from(piece.0)].clone()).collect()
    }

    /// Everything both models hold, and the conservation of each piece in the naive one, which
    /// knows where all are.
    fn check_components(&self) {
        let (game, state, naive) = (self.game, &self.state, &self.naive);
        assert_eq!(
            (state.round() as usize, state.first_player().index()),
            (naive.round, naive.first),
            "{}",
            self.place()
        );
        assert_eq!(self.names(state.lake()), sorted(&naive.lake), "{}", self.place());
        for piece in game.all_pieces() {
            let name = &self.pieces[usize::from(piece.0)];
            assert_eq!(
                game.in_bag(state, piece) as usize,
                naive.bag[name],
                "{name} {}",
                self.place()
            );
        }
        let river: Vec<_> = state
            .river()
            .iter()
            .map(|shape| self.data.shapes[usize::from(shape.0)].0.clone())
            .collect();
        assert_eq!(
            river,
            naive.river.iter().map(|(shape, _)| shape.clone()).collect::<Vec<_>>(),
            "{}",
            self.place()
        );
        for (shape, (_, pieces)) in state.river().iter().zip(&naive.river) {
            let mut colours: Vec<_> = pieces.iter().map(|piece| naive.colour(piece)).collect();
            colours.sort();
            let counts = game.tile_colors(state, shape);
            let mut found: Vec<_> = counts
                .flat_map(|(colour, count)| {
                    std::iter::repeat_n(self.colours[usize::from(colour.0)].clone(), count)
                })
                .collect();
            found.sort();
            assert_eq!(found, colours, "{}", self.place());
        }
        for (index, own) in naive.seats.iter().enumerate() {
            let seat = Seat::new(index);
            assert_eq!(self.names(state.satchel(seat)), sorted(&own.satchel), "{}", self.place());
            let columns = state.columns(seat);
            let found: Vec<_> = (0..columns.len())
                .map(|column| {
                    (
                        self.colours[usize::from(columns.color(column).0)].clone(),
                        columns.height(column),
                    )
                })
                .collect();
            let expected: Vec<_> =
                own.columns.iter().map(|(colour, pieces)| (colour.clone(), pieces.len())).collect();
            assert_eq!(found, expected, "{}", self.place());
            let numbers = [columns.overflow() as usize, columns.inventory() as usize];
            assert_eq!(numbers, [own.overflow.len(), own.inventory()], "{}", self.place());
        }
        let mut somewhere = naive.bag.clone();
        let on_tiles = naive.river.iter().flat_map(|(_, pieces)| pieces);
        let in_seats = naive.seats.iter().flat_map(|seat| {
            seat.satchel
                .iter()
                .chain(&seat.overflow)
                .chain(seat.columns.iter().flat_map(|(_, pieces)| pieces))
        });
        for piece in on_tiles.chain(in_seats).chain(&naive.lake) {
            *somewhere.get_mut(piece).unwrap() += 1;
        }
        assert_eq!(somewhere, naive.counts, "{}", self.place());
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

    fn check_features(&self) {
        for seat in (0..self.game.seats()).map(Seat::new) {
            let features = self.game.features(&self.state, seat);
            assert!(
                features.iter().all(|value| value.is_finite()),
                "{features:?}\n{}",
                self.place()
            );
            let names = self.game.feature_names().len();
            assert!(features[names..].iter().all(|&value| value == 0.0), "{}", self.place());
        }
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
    fn check_legal(&mut self, legal: <Glassworks as Game>::Actions) {
        let actions: Vec<_> = legal.iter().collect();
        let listed: Vec<_> = actions.iter().map(|&action| (self.text(action), action)).collect();
        let mut texts: Vec<_> = listed.iter().map(|(text, _)| text.as_str()).collect();
        texts.sort_unstable();
        let expected = self.naive.legal();
        assert_eq!(texts, expected, "{}", self.place());
        assert!(!legal.is_empty() && legal.len() == actions.len(), "{}", self.place());
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

    /// Lets the naive model carry the event out, and compares the columns that it opens with those
    /// that statistics hear of.
    fn check_opened(&mut self, action: Action, event: &str) {
        let catalog = self.game.catalog();
        let mut opened = Vec::new();
        self.game.item_events(&self.state, action, |event| {
            if let ItemEvent::Taken(_, item) = event
                && catalog.table(item).name == "columns"
            {
                opened.push(catalog.item(item).name.clone());
            }
        });
        let seat = self.naive.seat;
        let before = self.naive.seats[seat].columns.len();
        self.naive.apply(event);
        let after = self.naive.seats[seat].columns.iter().enumerate().skip(before);
        assert_eq!(
            opened,
            after.map(|(index, (colour, _))| format!("{}_{colour}", index + 1)).collect::<Vec<_>>(),
            "{}",
            self.place()
        );
        if let Some(step) = self.game.opening_step(&self.state, action) {
            let text = self.game.opening_step_text(step);
            assert!(
                step > 0 && text.split([':', '@']).next() == event.split(':').next(),
                "{text} for {event}"
            );
        }
    }

    fn check_outcome(&self) {
        let (game, naive) = (self.game, &self.naive);
        let outcome = game.outcome(&self.state);
        let scores = naive.scores();
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
            (naive.round, naive.capped),
            "{}",
            self.place()
        );
    }
}

fn sorted(names: &[String]) -> Vec<String> {
    let mut names = names.to_vec();
    names.sort();
    names
}

/// Counts the situations that an event in this position shows.
fn note_event(data: &NaiveData, naive: &NaiveGlass<'_>, event: &str, seen: &mut Seen) {
    let mut note = |situation, holds: bool| *seen.get_mut(situation).unwrap() += usize::from(holds);
    let own = &naive.seats[naive.seat];
    let (verb, object) = event.split_once(':').unwrap_or((event, ""));
    match &naive.step {
        Step::Glass(after) => {
            let runs_out = naive.in_bag() == 1 && naive.due.len() > 1;
            let place = &naive.due[0];
            note("bag empty in setup", runs_out && *after == After::Setup);
            note(
                "bag empty in a refill of the lake",
                runs_out && *after == After::Refill && *place == Place::Lake,
            );
            note(
                "bag empty in a refill of a tile",
                runs_out && matches!((after, place), (After::Refill, Place::Tile(_))),
            );
            note("bag empty in a top-up", runs_out && *after == After::TopUp);
            note("top-up", *after == After::TopUp);
            note(
                "top-up of the seat that triggered",
                *after == After::TopUp && *place == Place::Satchel(naive.seat),
            );
        }
        Step::Turn => {
            note("turn with an empty bag", naive.in_bag() == 0);
            note("pass", verb == "pass");
            note(
                "pass with a satchel to fill",
                verb == "pass" && naive.draws_closed() && !naive.lake.is_empty(),
            );
            note("draw:all", event == "draw:all");
            note("draw with a piece left behind", verb == "draw" && object != "all");
            note("draw with pieces in the satchel", verb == "draw" && !own.satchel.is_empty());
            note("draw closed by the end", naive.draws_closed() && !naive.lake.is_empty());
            if let Some((pieces, shape)) = object.split_once('@') {
                let (first, second) = pieces.split_once('+').unwrap();
                note("pair of equal pieces", first == second);
                note("pair onto its own tile", naive.shape(first) == shape);
            }
        }
        Step::Collect(_) => {
            let pieces = &naive.river[naive.index_of(object)].1;
            note("collect from a tile without pieces", pieces.is_empty());
            let full = |piece: &String| {
                let column = own.columns.iter().find(|(colour, _)| *colour == naive.colour(piece));
                column.is_some_and(|(_, pieces)| pieces.len() == data.glassworks("rows"))
            };
            note("a piece on a full column", pieces.iter().any(full));
        }
        Step::Column(shape) => {
            let left = naive.legal().len() - 1;
            let free = data.glassworks("columns") - own.columns.len() - 1;
            note("a choice of columns", true);
            note("a second choice of columns", left >= 2 && free >= 1);
            note("new colours without a column after choices", left >= 1 && free == 0);
            assert!(naive.index_of(shape) < naive.river.len());
        }
        Step::Overflow(last) => {
            let legal = naive.legal();
            note("a choice of what overflows", legal.len() > 1);
            note("overflow of the same piece again", last.as_deref() == Some(object));
            let mut later: Vec<_> = own
                .satchel
                .iter()
                .filter(|piece| last.as_ref().is_none_or(|last| *piece >= last))
                .collect();
            later.dedup();
            note("overflow of the last pieces in order", legal.len() < later.len());
            note(
                "overflow of an old piece",
                own.satchel.iter().position(|piece| piece == object) == Some(0),
            );
        }
        _ => {}
    }
}

/// Counts the situation in which the game ended.
fn note_end(data: &NaiveData, naive: &NaiveGlass<'_>, seen: &mut Seen) {
    let mut note = |situation, holds: bool| *seen.get_mut(situation).unwrap() += usize::from(holds);
    let last = data.play("max_rounds") == naive.round;
    let extra = naive.triggered_in.is_some_and(|round| round < naive.round);
    note(
        "trigger by the last seat of a round",
        extra && naive.triggered_by == Some((naive.first + naive.players - 1) % naive.players),
    );
    note("end by an extra round", extra);
    note("end by passing", !extra && !naive.capped);
    note("end by the round limit", naive.capped);
    note(
        "end by the round limit in the round of the trigger",
        naive.capped && naive.triggered_in.is_some(),
    );
    note("extra round as the last allowed", extra && last);
    let scores = naive.scores();
    note(
        "shared win",
        scores.iter().filter(|score| Some(*score) == scores.iter().max()).count() > 1,
    );
}
