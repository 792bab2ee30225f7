//! Random games of We All Take from the River, in every position of which the library must agree
//! with the naive model and with itself.

use std::collections::{BTreeMap, HashMap};

use watershed::{
    game::{ActionSet, Features, Game, Notation, Seat, Statistics, Turn},
    games::common_river::{
        CommonRiver,
        action::{Action, Actions},
        state::State,
    },
    rng::{Purpose, Rng, random_below, stream},
    search::playout::{Policy, Uniform, UniformKind, play_out},
};

use super::{
    reference::{Decider, NaiveCommon, NaiveData, Piece, Status, Step, row_of},
    variants::{self, Variant},
};

const GAMES_WITH_DEFAULT_DATA: u64 = 80;
const GAMES_WITH_ALTERED_DATA: u64 = 4;

/// Rare situations. Random games must meet all of them, or the comparison proves little.
const SITUATIONS: [&str; 69] = [
    "solo",
    "competitive",
    "coop",
    "roles",
    "win of one",
    "win of several",
    "win of all in coop",
    "win of nobody",
    "death of the river",
    "charity for charity",
    "Storm",
    "carry",
    "negative water",
    "Storm on the last day",
    "almanac that shrinks",
    "tile that floods",
    "tile that erodes and floods",
    "City's tile that floods",
    "pollution on land",
    "pollution loose at night",
    "loose pollution that passes an empty slot",
    "City that pollutes a dry row",
    "canal that feeds a farm",
    "net in a Storm",
    "two nets on a line",
    "net that collects pollution",
    "choice of a structure",
    "structure used with privilege",
    "privileged structure before the camp",
    "sole structure that stops at once",
    "done with structures left",
    "harvest of loose tokens",
    "harvest on a protected tile",
    "harvest of pollution on land",
    "dredge",
    "second take",
    "enough",
    "take from a half tile",
    "take across a bridge",
    "plant on land",
    "plant of a fish",
    "second build",
    "net on the line above",
    "last piece built",
    "canal dug by an excavator",
    "removal of a bridge",
    "removal of a stick",
    "camp that jumps over a tile",
    "camp that crosses a bridge",
    "ferry of a camp",
    "ferry of a closed excavator",
    "move off a flooded tile",
    "sale of pollution",
    "unfinished bundle",
    "second sale before the last day",
    "policy revoked",
    "City proposed",
    "policy that failed before",
    "vote turned by a bid",
    "seat asked again after it settled",
    "vote lost in spite of bids",
    "salvage of a net",
    "salvage of a mill",
    "salvage of a canal",
    "City completed",
    "purchase",
    "offer refused",
    "gift",
    "second round of offers",
];

/// How often each of [`SITUATIONS`] occurred.
type Seen = BTreeMap<&'static str, usize>;

#[test]
fn default_data_agrees_with_the_naive_model() {
    let mut seen = SITUATIONS.map(|situation| (situation, 0)).into();
    Games::new(&variants::default_data()).play(GAMES_WITH_DEFAULT_DATA, &mut seen);
}

#[test]
fn altered_data_agrees_with_the_naive_model_in_every_rare_situation() {
    let mut seen = SITUATIONS.map(|situation| (situation, 0)).into();
    for variant in variants::all() {
        Games::new(&variant).play(GAMES_WITH_ALTERED_DATA, &mut seen);
    }
    let missing: Vec<_> =
        seen.iter().filter(|&(_, &times)| times == 0).map(|(situation, _)| situation).collect();
    assert!(missing.is_empty(), "situations that never occurred: {missing:?} of {seen:#?}");
}

/// Ends turns and passes less often than at random, so that structures get built and tokens change
/// hands.
struct Busy;

impl Policy<CommonRiver> for Busy {
    fn choose(
        &self,
        game: &CommonRiver,
        state: &State,
        seat: Seat,
        legal: &Actions,
        rng: &mut Rng,
    ) -> Action {
        let mut busy = *legal;
        for closing in [Action::Done, Action::Stop, Action::Pass, Action::Settle, Action::Enough] {
            if random_below(rng, 6) > 0 {
                busy.remove(closing);
            }
        }
        Uniform.choose(game, state, seat, if busy.is_empty() { legal } else { &busy }, rng)
    }
}

/// Positions put together from the words of others are refused, or can be played to the end.
#[test]
fn mixed_positions_are_read_or_refused() {
    let (mut read, mut refused) = (0, 0);
    for players in 1..=5 {
        let game = CommonRiver::new(
            &Variant { name: "mixed", file: variants::altered(MIXED) }.document(),
            players,
        )
        .unwrap();
        let mut rng = stream(players as u64, 0, 0, Purpose::Playout);
        let mut texts: Vec<Vec<String>> = Vec::new();
        while texts.len() < 300 {
            let mut state = game.initial();
            while game.turn(&state) != Turn::Over {
                let action = match game.turn(&state) {
                    Turn::Seat(seat) => {
                        Busy.choose(&game, &state, seat, &game.legal_actions(&state), &mut rng)
                    }
                    _ => game.sample_chance(&state, &mut rng),
                };
                game.apply(&mut state, action);
                if random_below(&mut rng, 7) == 0 {
                    texts.push(game.position_text(&state).split(' ').map(str::to_owned).collect());
                }
            }
        }
        for _ in 0..3000 {
            let pick = |rng: &mut Rng| random_below(rng, texts.len() as u32) as usize;
            let (mut mixed, other) = (texts[pick(&mut rng)].clone(), &texts[pick(&mut rng)]);
            for _ in 0..=random_below(&mut rng, 3) {
                let place = random_below(&mut rng, mixed.len() as u32) as usize;
                mixed[place].clone_from(&other[place]);
            }
            match game.parse_position(&mixed.join(" ")) {
                Ok(mut state) => {
                    read += 1;
                    play_out(&game, &mut state, &Busy, &mut rng);
                }
                Err(_) => refused += 1,
            }
        }
    }
    assert!(read > 1000 && refused > 1000, "{read} read, {refused} refused");
}

const MIXED: &str = "rules.start = { fish = 9, gold = 4, gravel = 9, tree = 9 \
    }\nnegotiation.trade_windows = [\"dawn\", \"row\", \"dusk\"]";

/// Games with one data file.
struct Games {
    name: &'static str,
    data: NaiveData,
    tables: Vec<CommonRiver>,
}

impl Games {
    fn new(variant: &Variant) -> Self {
        let document = variant.document();
        let tables = (1..=5).filter_map(|players| CommonRiver::new(&document, players).ok());
        let tables: Vec<_> = tables.collect();
        assert!(tables.len() >= 2, "{}: {:?}", variant.name, CommonRiver::new(&document, 1).err());
        Self { name: variant.name, data: NaiveData::read(&variant.file), tables }
    }

    /// This many games for each number of players with each policy.
    fn play(&self, games: u64, seen: &mut Seen) {
        for number in 0..games {
            for game in &self.tables {
                let mut rng = stream(number * 10 + game.seats() as u64, 0, 0, Purpose::Playout);
                Followed::new(self.name, game, &self.data).play(&Uniform, &mut rng, seen);
                Followed::new(self.name, game, &self.data).play(&UniformKind, &mut rng, seen);
                Followed::new(self.name, game, &self.data).play(&Busy, &mut rng, seen);
            }
        }
    }
}

/// A game played by the library and followed by the naive model.
struct Followed<'a> {
    data_name: &'a str,
    game: &'a CommonRiver,
    state: State,
    naive: NaiveCommon<'a>,
    history: Vec<String>,
    /// The notation of every action met so far.
    texts: HashMap<Action, String>,
}

impl<'a> Followed<'a> {
    fn new(data_name: &'a str, game: &'a CommonRiver, data: &'a NaiveData) -> Self {
        Self {
            data_name,
            game,
            state: game.initial(),
            naive: NaiveCommon::new(data, game.seats()),
            history: Vec::new(),
            texts: HashMap::new(),
        }
    }

    /// Plays to the end, comparing all the way.
    fn play(&mut self, policy: &impl Policy<CommonRiver>, rng: &mut Rng, seen: &mut Seen) {
        loop {
            self.check_position();
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
                    return note_end(&self.naive, seen);
                }
            };
            let event = self.text(action);
            note_event(&self.naive, &event, seen);
            if let Some(step) = self.game.opening_step(&self.state, action) {
                assert!(
                    step > 0 && event.starts_with(&self.game.opening_step_text(step)),
                    "{event}"
                );
            }
            let flooded = self.naive.flooded.len();
            self.game.apply(&mut self.state, action);
            self.history.push(event.clone());
            self.naive.apply(&event);
            note_position(&self.naive, flooded, seen);
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

    /// Everything both models hold, by the notation of positions, which is read back; and the
    /// conservation of each token.
    fn check_position(&self) {
        let text = self.game.position_text(&self.state);
        assert_eq!(
            self.game.parse_position(&text).as_ref(),
            Ok(&self.state),
            "{text}\n{}",
            self.place()
        );
        let words = text.split(' ').skip(1).filter_map(|word| word.split_once(':'));
        let mut found: Vec<(&str, String)> =
            words.map(|(key, value)| (key, value.to_owned())).collect();
        let expected = expected_words(&self.naive);
        found.retain(|(key, _)| expected.iter().any(|(other, _)| other == key));
        assert_eq!(found, expected, "{}", self.place());
        assert!(
            self.naive.all_tokens().values().all(|&sum| sum == 0),
            "{:?}\n{}",
            self.naive.all_tokens(),
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
        let mut texts: Vec<_> = outcomes
            .iter()
            .map(|&(action, weight)| (self.text(action), i64::from(weight)))
            .collect();
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
    fn check_legal(&mut self, legal: Actions) {
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

    fn check_outcome(&self) {
        let (game, naive) = (self.game, &self.naive);
        let outcome = game.outcome(&self.state);
        for seat in 0..game.seats() {
            let breakdown = naive.breakdown(seat);
            assert_eq!(
                game.score_breakdown(&self.state, Seat::new(seat)),
                breakdown,
                "seat {seat}\n{}",
                self.place()
            );
            let score: i32 = breakdown.iter().map(|(_, points)| points).sum();
            assert_eq!(outcome.scores[seat], score, "seat {seat}\n{}", self.place());
        }
        let winners: Vec<usize> = (0..8).filter(|seat| outcome.winners >> seat & 1 == 1).collect();
        assert_eq!(winners, naive.winners(), "{}", self.place());
        assert_eq!(
            (i64::from(outcome.rounds), outcome.hit_round_limit),
            (naive.day, false),
            "{}",
            self.place()
        );
    }
}

fn list(entries: impl IntoIterator<Item = String>) -> String {
    let entries: Vec<_> = entries.into_iter().collect();
    if entries.is_empty() { "-".to_owned() } else { entries.join(",") }
}

fn counted(name: &str, count: i64) -> String {
    if count == 1 { name.to_owned() } else { format!("{name}*{count}") }
}

fn tokens(pile: &BTreeMap<String, i64>) -> String {
    list(pile.iter().filter(|&(_, &count)| count > 0).map(|(token, &count)| counted(token, count)))
}

/// The words of a position that follow from what the naive model holds.
fn expected_words(naive: &NaiveCommon<'_>) -> Vec<(&'static str, String)> {
    let rows = naive.data.rows();
    let land: Vec<String> = ["L", "R"]
        .iter()
        .flat_map(|bank| (1..=rows).map(move |row| format!("{bank}{row}")))
        .collect();
    let rivers: Vec<String> = (1..=rows).map(|row| format!("W{row}")).collect();
    let halves = naive.slots.keys().filter(|tile| !land.contains(tile) && !rivers.contains(tile));
    let mut halves: Vec<String> = halves.cloned().collect();
    halves.sort_by_key(|half| naive.half_row(half));
    let whole: Vec<&String> = land.iter().chain(&rivers).collect();
    let on = |set: &std::collections::BTreeSet<String>| {
        list(whole.iter().filter(|tile| set.contains(**tile)).map(|tile| (*tile).clone()))
    };
    let cards = naive.weather_cards();
    let unseen = cards
        .iter()
        .filter(|card| naive.unseen[*card] > 0)
        .map(|card| counted(card, naive.unseen[card]));
    let city_tile = naive.city.as_ref().map(|city| city.tile.clone());
    let with_slots = whole
        .iter()
        .copied()
        .chain(&halves)
        .filter(|tile| Some(*tile) != city_tile.as_ref() && !naive.slots[*tile].is_empty());
    let slots = with_slots.map(|tile| {
        let contents: Vec<_> = naive.slots[tile]
            .iter()
            .map(|slot| slot.holds.clone().unwrap_or("-".to_owned()))
            .collect();
        format!("{tile}={}", contents.join("+"))
    });
    let loose = rivers.iter().filter(|tile| naive.loose[*tile].values().any(|&count| count > 0));
    let loose =
        loose.map(|tile| format!("{tile}={}", tokens(&naive.loose[tile]).replace(',', "+")));
    let city = naive.city.as_ref().map_or("-".to_owned(), |city| {
        format!("{}/{}", city.tile, if city.complete { "complete" } else { "site" })
    });
    let mut words = vec![
        ("day", naive.day.to_string()),
        ("first", naive.first.to_string()),
        ("water", naive.water.to_string()),
        ("carry", naive.carry.to_string()),
        ("subsidized", u8::from(naive.subsidized).to_string()),
        ("almanac", list(naive.almanac.iter().cloned())),
        ("unseen", list(unseen)),
        ("slots", list(slots)),
        ("loose", list(loose)),
        ("flooded", on(&naive.flooded)),
        ("protected", on(&naive.protected)),
        ("bridges", list(naive.bridges.iter().map(|(row, seat)| format!("W{row}={seat}")))),
        (
            "nets",
            list(
                land.iter()
                    .filter_map(|slot| naive.nets.get(slot).map(|seat| format!("{slot}={seat}"))),
            ),
        ),
        ("city", city),
        ("site", naive.city.as_ref().map_or("-".to_owned(), |city| tokens(&city.tokens))),
    ];
    for (index, seat) in naive.seats.iter().enumerate() {
        let status = |piece: &Piece| match (piece.kind.as_str(), piece.status) {
            (_, Status::Fresh) => "fresh",
            ("boat", _) => "turned",
            ("mill", _) | (_, Status::Closed) => "closed",
            (_, Status::Turned) => "turned",
        };
        let placed = |kind: &str| {
            let mut entries = Vec::new();
            for tile in &whole {
                for wanted in ["fresh", "closed", "turned"] {
                    let there = seat.pieces.iter().filter(|piece| {
                        piece.kind == kind && piece.place == **tile && status(piece) == wanted
                    });
                    let count = there.count() as i64;
                    if count > 0 {
                        entries.push(counted(&format!("{tile}/{wanted}"), count));
                    }
                }
            }
            list(entries)
        };
        let passive = |kind: &str| {
            let there = land
                .iter()
                .map(|tile| (tile, seat.count(kind, tile)))
                .filter(|&(_, count)| count > 0);
            list(there.map(|(tile, count)| counted(tile, count)))
        };
        words.extend([
            ("seat", index.to_string()),
            ("role", seat.role.clone().unwrap_or("-".to_owned())),
            ("stock", tokens(&seat.stock)),
            ("proposals", seat.proposals.to_string()),
            ("camp", placed("camp")),
            ("boats", placed("boat")),
            ("excavators", placed("excavator")),
            ("mills", placed("mill")),
            ("farms", passive("farm")),
            ("canals", passive("canal")),
            ("levees", passive("levee")),
        ]);
    }
    words
}

/// Counts the situations that an event in this position shows.
fn note_event(naive: &NaiveCommon<'_>, event: &str, seen: &mut Seen) {
    let mut note = |situation, holds: bool| *seen.get_mut(situation).unwrap() += usize::from(holds);
    let (verb, object) = event.split_once(':').unwrap_or((event, ""));
    match naive.step().unwrap() {
        Step::Die => {
            note("Storm", naive.is_storm());
            note("carry", naive.carry != 0);
            note("almanac that shrinks", (naive.almanac.len() as i64) < naive.data.rule("almanac"));
            note("Storm on the last day", naive.is_storm() && naive.day >= naive.data.rule("days"));
            note(
                "pollution loose at night",
                naive
                    .loose
                    .values()
                    .any(|loose| loose.get("pollution").is_some_and(|&count| count > 0)),
            );
        }
        Step::Nets(slots) => {
            note("net in a Storm", naive.is_storm());
            note("two nets on a line", slots.len() == 2);
            note("net that collects pollution", object == "pollution");
        }
        Step::Group(seat, place, _, privileged) => {
            note("choice of a structure", true);
            note("done with structures left", verb == "done");
            let elsewhere = verb == "use" && object.split('@').nth(1) != Some(place);
            note("structure used with privilege", elsewhere && *privileged == Some(true));
            note("privileged structure before the camp", elsewhere && naive.camp(*seat) == *place);
        }
        Step::Turn(turn) => {
            let began = turn.harvested || turn.built || turn.building.is_some();
            let seat = &naive.seats[turn.seat];
            let on_river = turn.place.starts_with('W');
            note("sole structure that stops at once", verb == "stop" && !began);
            let loose = |token: &str| {
                naive.loose[&format!("W{}", naive.row)].get(token).is_some_and(|&count| count > 0)
            };
            note("harvest of loose tokens", verb == "harvest" && on_river && loose(object));
            note(
                "harvest on a protected tile",
                verb == "harvest" && naive.protected.contains(&turn.place),
            );
            note("harvest of pollution on land", event == "harvest:pollution" && !on_river);
            note("dredge", verb == "dredge");
            note("plant on land", verb == "plant" && !on_river);
            note("plant of a fish", event == "plant:fish");
            note("second build", verb == "build" && turn.building.is_some());
            note(
                "net on the line above",
                object.starts_with("net@") && row_of(&object[4..]) < naive.row,
            );
            let built = seat.pieces.iter().filter(|piece| piece.kind == object).count() as i64;
            let owned = ["boat", "excavator", "mill", "farm"].contains(&object) && verb == "build";
            note("last piece built", owned && built + 1 == naive.data.pieces(object));
            note("canal dug by an excavator", event == "build:canal" && turn.kind == "excavator");
            note("removal of a bridge", event.starts_with("remove:bridge"));
            note("removal of a stick", verb == "remove" && !object.starts_with("bridge"));
            let camp_moves = verb == "move" && turn.kind == "camp";
            note(
                "camp that jumps over a tile",
                camp_moves && row_of(&turn.place).abs_diff(row_of(object)) > 1,
            );
            note("camp that crosses a bridge", camp_moves && row_of(&turn.place) == row_of(object));
            note("ferry of a camp", event.starts_with("ferry:camp"));
            let closed = seat.pieces.iter().any(|piece| {
                piece.kind == "excavator"
                    && piece.status == Status::Closed
                    && object.ends_with(&piece.place)
            });
            note("ferry of a closed excavator", event.starts_with("ferry:excavator") && closed);
            note("move off a flooded tile", verb == "move" && naive.flooded.contains(&turn.place));
            note_take(naive, &turn.place, verb, object, &mut note);
        }
        Step::Take(..) => {
            note("second take", verb == "take");
            note("enough", verb == "enough");
        }
        Step::Sell(seat, sold, _) => {
            note("sale of pollution", object == "pollution");
            let left: i64 =
                ["fish", "gravel", "tree"].iter().map(|token| naive.seats[*seat].has(token)).sum();
            let second = !naive.agenda.iter().any(|step| matches!(step, Step::Policies(..)));
            note(
                "second sale before the last day",
                verb == "sell" && second && !naive.is_last_day(),
            );
            note("unfinished bundle", verb == "done" && *sold == 0 && left > 0);
        }
        Step::Policies(..) => {
            note("policy revoked", object.starts_with("un"));
            note("City proposed", object == "city");
            note("policy that failed before", verb == "propose" && !naive.failed.is_empty());
        }
        Step::Bid(bid) => {
            let turned =
                verb == "bid" && (bid.yes - bid.no == 0 && !bid.passes() || bid.yes - bid.no == 1);
            note("vote turned by a bid", turned && !bid.settled.is_empty());
            let bids = bid.yes + bid.no > naive.players as i64;
            note(
                "seat asked again after it settled",
                verb == "settle" && bids && bid.settled.is_empty() && bid.sides.len() > 2,
            );
            note("vote lost in spite of bids", verb == "settle" && bids);
        }
        Step::Salvage(..) => {
            note("salvage of a net", object.starts_with("net"));
            note("salvage of a mill", object.starts_with("mill"));
            note("salvage of a canal", object.starts_with("canal"));
        }
        Step::Site(_, _) => {
            let city = naive.city.as_ref().unwrap();
            let cost: i64 = naive.data.city_cost().iter().map(|(_, count)| count).sum();
            note("City completed", verb == "city" && city.tokens.values().sum::<i64>() + 1 == cost);
        }
        Step::Buy(..) => note("purchase", verb == "buy"),
        Step::Answer(_, _, given, got) => {
            note("offer refused", verb == "refuse");
            note("gift", verb == "accept" && (got.is_empty() || given.is_empty()));
        }
        Step::Offers(..) => {
            let round = naive.agenda.iter().rev().find_map(|step| {
                if let Step::Round(round, _) = step { Some(*round) } else { None }
            });
            note("second round of offers", round == Some(2));
        }
        _ => {}
    }
}

fn note_take(
    naive: &NaiveCommon<'_>,
    place: &str,
    verb: &str,
    object: &str,
    note: &mut impl FnMut(&'static str, bool),
) {
    let is_half = verb == "take" && naive.half_row(object).is_some();
    note("take from a half tile", is_half);
    note("take across a bridge", verb == "take" && !is_half && place[..1] != object[..1]);
}

/// Counts the situations that a position shows which was reached just now.
fn note_position(naive: &NaiveCommon<'_>, flooded_before: usize, seen: &mut Seen) {
    let mut note = |situation, holds: bool| *seen.get_mut(situation).unwrap() += usize::from(holds);
    note("negative water", naive.water < 0);
    note("tile that floods", naive.flooded.len() > flooded_before);
    note("tile that erodes and floods", naive.eroded.intersection(&naive.flooded).next().is_some());
    note(
        "City's tile that floods",
        naive.city.as_ref().is_some_and(|city| city.complete && naive.flooded.contains(&city.tile)),
    );
    let land = naive.slots.iter().filter(|(tile, _)| tile.starts_with(['L', 'R']));
    note(
        "pollution on land",
        land.flat_map(|(_, slots)| slots).any(|slot| slot.holds.as_deref() == Some("pollution")),
    );
    let feeds = |seat: &super::reference::NaiveSeat| {
        seat.pieces
            .iter()
            .any(|piece| piece.kind == "farm" && seat.count("canal", &piece.place) > 0)
    };
    note("canal that feeds a farm", naive.water >= 0 && naive.seats.iter().any(feeds));
}

/// Counts the situation in which the game ended.
fn note_end(naive: &NaiveCommon<'_>, seen: &mut Seen) {
    let mut note = |situation, holds: bool| *seen.get_mut(situation).unwrap() += usize::from(holds);
    for mode in ["solo", "competitive", "coop", "roles"] {
        note(mode, naive.mode == mode);
    }
    let winners = naive.winners();
    note("win of one", winners.len() == 1);
    note("win of several", winners.len() > 1 && naive.mode == "roles");
    note("win of all in coop", winners.len() == 2 && naive.mode == "coop");
    note("win of nobody", winners.is_empty());
    note("death of the river", naive.died);
    note("loose pollution that passes an empty slot", naive.slots_passed_by_pollution > 0);
    note("City that pollutes a dry row", naive.dry_rows_polluted > 0);
    // A seat whose only completed objective is charity counts for another's charity.
    let completed = naive.completed();
    let only_charity = |seat: usize| {
        let own = naive.objectives(seat);
        let mut done = own.iter().filter(|objective| completed[seat].contains(*objective));
        done.next().is_some_and(|objective| objective == "charity") && done.next().is_none()
    };
    let charities = (0..naive.players).filter(|&seat| {
        completed[seat].contains("charity")
            && naive.objectives(seat).contains(&"charity".to_owned())
    });
    note(
        "charity for charity",
        naive.players > 1 && charities.count() > 1 && (0..naive.players).any(only_charity),
    );
}
