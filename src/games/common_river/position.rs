//! The notation of whole positions of We All Take from the River: one line of `key:value` words in a fixed order.
//!
//! First what all share, then for each seat the words from `seat` on. Lists are separated by commas, `x*3` stands for three of a kind,
//! `-` for nothing. A tile's slots stand in their order, as in `L3=tree+-+pollution`; one that the City covers has none. A structure that
//! acts stands with its tile and status, as in `L3/fresh*2`.

use super::{
    CommonRiver,
    action::{MODES, mode_name},
    components::{MAX_LAND, MAX_PIECES, MAX_ROWS, MAX_TOKENS, MAX_WEATHER, Structure, Tile, Token, Tokens},
    data::{MAX_DIE, MAX_MODIFIER},
    state::{Actor, Boats, Layer, Mode, Order, Owners, Phase, Policy, Stage, State, Status, Window},
};
use crate::{
    bits::ones,
    game::{ActionSet, Game, NotationError, Seat, Turn},
    games::words::{Words, counted, list, split_count},
};

const PHASES: [(&str, Phase); 24] = [
    ("mode", Phase::Mode),
    ("first", Phase::FirstPlayer),
    ("almanac", Phase::Almanac),
    ("roles", Phase::Roles),
    ("camps", Phase::Camps),
    ("die", Phase::Die),
    ("offer", Phase::Offer),
    ("give", Phase::Give),
    ("get", Phase::Get),
    ("answer", Phase::Answer),
    ("choose", Phase::Choose),
    ("act", Phase::Act),
    ("take", Phase::Take),
    ("net", Phase::Net),
    ("sell", Phase::Sell),
    ("propose", Phase::Propose),
    ("place", Phase::Place),
    ("vote", Phase::Vote),
    ("bid", Phase::Bid),
    ("salvage", Phase::Salvage),
    ("site", Phase::Site),
    ("buy", Phase::Buy),
    ("night", Phase::Night),
    ("over", Phase::Over),
];
const WINDOWS: [(&str, Window); 3] = [("dawn", Window::Dawn), ("row", Window::Row), ("dusk", Window::Dusk)];
const STATUSES: [(&str, Status); 3] = [("fresh", Status::Fresh), ("closed", Status::Closed), ("turned", Status::Turned)];
const STAGES: [(&str, Stage); 4] =
    [("start", Stage::Start), ("harvested", Stage::Harvested), ("building", Stage::Building), ("built", Stage::Built)];
const ACTING: [Structure; 4] = [Structure::Boat, Structure::Camp, Structure::Excavator, Structure::Mill];
const PASSIVE: [(&str, Structure, Layer); 3] =
    [("farms", Structure::Farm, Layer::Farm), ("canals", Structure::Canal, Layer::Canal), ("levees", Structure::Levee, Layer::Levee)];
const MILLS: [Layer; 3] = [Layer::FreshMill, Layer::SpentMill, Layer::SpentMill];
const EXCAVATORS: [Layer; 3] = [Layer::FreshExcavator, Layer::ClosedExcavator, Layer::TurnedExcavator];

fn name_of<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> &'static str {
    table.iter().find(|(_, other)| other == value).map_or("", |(name, _)| name)
}

fn find_in<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    table.iter().find(|(other, _)| *other == name).map(|&(_, value)| value)
}

pub(super) fn text(game: &CommonRiver, state: &State) -> String {
    let tile = |tile: Tile| game.names.tile(tile).to_owned();
    let tiles = |set: u16| list(ones(set.into()).map(|index| tile(Tile(index as u8))));
    let seats = |set: u8| list(ones(set.into()).map(|seat| seat.to_string()));
    let flag = |value: bool| u8::from(value).to_string();
    let owned = |owners: Owners, place: &dyn Fn(usize) -> Tile| {
        list((0..MAX_LAND).filter_map(|index| owners.get(index).map(|seat| format!("{}={seat}", game.names.tile(place(index))))))
    };
    let order = if state.day == 0 {
        list(std::iter::empty())
    } else {
        list(game.all_seats().map(|seat| state.order.get(seat.index()).to_string()))
    };
    let cards = (0..state.almanac_len()).filter_map(|place| state.almanac(place)).map(|card| game.names.weather(card).to_owned());
    let unseen = (0..game.weather.len()).filter(|&card| state.unseen(card) > 0);
    let actor = state.actor.map_or("-".to_owned(), |actor| {
        let how = if actor.sole { "sole" } else { "chosen" };
        format!("{}@{}/{}/{how}", actor.kind.name(), game.names.tile(actor.tile), name_of(&STAGES, &actor.stage))
    });
    let proposal = state.proposal.map_or("-".to_owned(), |(policy, about)| match about {
        Some(about) => format!("{}@{}", policy.name(), game.names.tile(about)),
        None => policy.name().to_owned(),
    });
    let city = state
        .city
        .map_or("-".to_owned(), |site| format!("{}/{}", game.names.tile(site), if state.city_complete { "complete" } else { "site" }));
    let mut words = vec![
        format!("{}/{}", CommonRiver::NAME, game.players),
        format!("phase:{}", name_of(&PHASES, &state.phase)),
        format!("mode:{}", mode_name(state.mode)),
        format!("day:{}", state.day),
        format!("row:{}", state.row + 1),
        format!("turn:{}", state.decider),
        format!("first:{}", state.first),
        format!("water:{}", state.water),
        format!("carry:{}", state.carry),
        format!("window:{}", name_of(&WINDOWS, &state.window)),
        format!("order:{order}"),
        format!("cursor:{}", state.cursor),
        format!("last:{}", state.last),
        format!("count:{}", state.count),
        format!("round:{}", state.round),
        format!("offered:{}", flag(state.offered)),
        format!("place:{}", state.place),
        format!("group:{}", flag(state.group)),
        format!("privileged:{}", flag(state.privileged)),
        format!("closing:{}", flag(state.closing)),
        format!("actor:{actor}"),
        format!("other:{}", state.other),
        format!("given:{}", tokens_text(&state.given)),
        format!("asked:{}", tokens_text(&state.asked)),
        format!("proposal:{proposal}"),
        format!("for:{}", state.votes[0]),
        format!("against:{}", state.votes[1]),
        format!("yes:{}", seats(state.yes)),
        format!("settled:{}", seats(state.settled)),
        format!("failed_tiles:{}", tiles(state.failed_tiles)),
        format!("failed_sites:{}", tiles(state.failed_sites)),
        format!("subsidy_failed:{}", flag(state.subsidy_failed)),
        format!("subsidized:{}", flag(state.subsidized)),
        format!("almanac:{}", list(cards)),
        format!("unseen:{}", list(unseen.map(|card| counted(game.names.weather(card), state.unseen(card))))),
        format!("slots:{}", slots_text(game, state)),
        format!("loose:{}", loose_text(game, state)),
        format!("flooded:{}", tiles(state.flooded)),
        format!("protected:{}", tiles(state.protected)),
        format!("bridges:{}", owned(state.bridges, &Tile::river)),
        format!("nets:{}", owned(state.nets, &|index| Tile(index as u8))),
        format!("city:{city}"),
        format!("site:{}", tokens_text(&state.site)),
    ];
    game.all_seats().for_each(|seat| words.extend(seat_words(game, state, seat)));
    words.join(" ")
}

fn tokens_text(tokens: &Tokens) -> String {
    list(Token::ALL.iter().filter(|&&token| tokens.get(token) > 0).map(|&token| counted(token.name(), tokens.get(token))))
}

/// All tiles of the map with slots, in their order.
fn tiles_with_slots(game: &CommonRiver) -> impl Iterator<Item = Tile> {
    (0..Tile::COUNT).map(|index| Tile(index as u8)).filter(|tile| game.map.slots[tile.index()] != 0)
}

/// The kind of token that belongs into a slot.
fn slot_kind(game: &CommonRiver, slot: u32) -> Token {
    match slot {
        slot if game.map.trees >> slot & 1 == 1 => Token::Tree,
        slot if game.map.gravel >> slot & 1 == 1 => Token::Gravel,
        _ => Token::Fish,
    }
}

fn slots_text(game: &CommonRiver, state: &State) -> String {
    list(tiles_with_slots(game).filter(|&tile| state.city != Some(tile)).map(|tile| {
        let slots = ones(game.map.slots[tile.index()]).map(|slot| match (state.filled >> slot & 1, state.polluted >> slot & 1) {
            (1, _) => slot_kind(game, slot).name(),
            (_, 1) => Token::Pollution.name(),
            _ => "-",
        });
        format!("{}={}", game.names.tile(tile), slots.collect::<Vec<_>>().join("+"))
    }))
}

fn loose_text(game: &CommonRiver, state: &State) -> String {
    let rows = (0..game.map.rows).filter(|&row| !state.loose[row].is_empty());
    list(rows.map(|row| format!("{}={}", game.names.tile(Tile::river(row)), tokens_text(&state.loose[row]).replace(',', "+"))))
}

fn seat_words(game: &CommonRiver, state: &State, seat: Seat) -> Vec<String> {
    let camp = state.camp(seat);
    let tiles = || ones(game.map.land.into()).map(|tile| Tile(tile as u8));
    let named = |tile: Tile, count: u32| counted(game.names.tile(tile), count);
    let acting = |tile: Tile, status: Status, count: u32| {
        let name = format!("{}/{}", game.names.tile(tile), name_of(&STATUSES, &status));
        (count > 0).then(|| counted(&name, count))
    };
    let excavators = tiles().flat_map(|tile| {
        Status::ALL.into_iter().filter_map(move |status| acting(tile, status, state.stack(seat, tile).excavators(status)))
    });
    let mills = tiles().flat_map(|tile| {
        let stack = state.stack(seat, tile);
        let spent = stack.count(Structure::Mill) - stack.fresh_mills();
        [acting(tile, Status::Fresh, stack.fresh_mills()), acting(tile, Status::Closed, spent)].into_iter().flatten()
    });
    let boats = (0..game.map.rows).flat_map(|row| {
        let (tile, boats) = (Tile::river(row), state.boats(seat, row));
        [acting(tile, Status::Fresh, boats.fresh()), acting(tile, Status::Turned, boats.turned())].into_iter().flatten()
    });
    let camp_text = camp.tile.map_or("-".to_owned(), |tile| format!("{}/{}", game.names.tile(tile), name_of(&STATUSES, &camp.status)));
    let mut words = vec![
        format!("seat:{seat}"),
        format!("role:{}", state.role(seat).map_or("-", |role| game.names.role(role))),
        format!("stock:{}", tokens_text(state.stock(seat))),
        format!("proposals:{}", state.proposals[seat.index()]),
        format!("camp:{camp_text}"),
        format!("boats:{}", list(boats)),
        format!("excavators:{}", list(excavators)),
        format!("mills:{}", list(mills)),
    ];
    for (key, kind, _) in PASSIVE {
        let counts = tiles().map(|tile| (tile, state.stack(seat, tile).count(kind))).filter(|&(_, count)| count > 0);
        words.push(format!("{key}:{}", list(counts.map(|(tile, count)| named(tile, count)))));
    }
    words
}

pub(super) fn parse(game: &CommonRiver, text: &str) -> Result<State, NotationError> {
    let mut reader = Reader { game, words: Words::new(text, "position of We All Take from the River", CommonRiver::NAME, game.players)? };
    let state = reader.read()?;
    reader.check(&state)?;
    Ok(state)
}

struct Reader<'a> {
    game: &'a CommonRiver,
    words: Words<'a>,
}

impl Reader<'_> {
    fn read(&mut self) -> Result<State, NotationError> {
        let (game, words) = (self.game, &mut self.words);
        let players = game.players as u32;
        let mut state = State::new();
        state.phase = words.find("phase", |name| find_in(&PHASES, name))?;
        state.mode = words.find("mode", |name| find_in(&MODES, name).filter(|mode| game.modes.contains(mode)))?;
        state.day = words.number("day", u8::MAX.into())? as u8;
        state.row = words.find("row", |text| text.parse::<u8>().ok()?.checked_sub(1).filter(|&row| usize::from(row) < game.map.rows))?;
        state.decider = words.seat("turn")?;
        state.first = words.seat("first")?;
        let level = |text: &str| text.parse().ok().filter(|level| (-MOST_WATER..=MOST_WATER).contains(level));
        state.water = words.find("water", level)?;
        state.carry = words.find("carry", level)?;
        state.window = words.find("window", |name| find_in(&WINDOWS, name))?;
        state.order = self.read_order()?;
        let words = &mut self.words;
        state.cursor = words.number("cursor", players)? as u8;
        state.last = words.number("last", 63)? as u8;
        state.count = words.number("count", 99)? as u8;
        state.round = words.number("round", 99)? as u8;
        state.offered = words.number("offered", 1)? == 1;
        state.place = words.number("place", 2)? as u8;
        state.group = words.number("group", 1)? == 1;
        state.privileged = words.number("privileged", 1)? == 1;
        state.closing = words.number("closing", 1)? == 1;
        state.actor = words.find("actor", |text| or_none(text, |text| parse_actor(game, text)))?;
        state.other = words.number("other", players - 1)? as u8;
        state.given = self.read_tokens("given")?;
        state.asked = self.read_tokens("asked")?;
        let words = &mut self.words;
        state.proposal = words.find("proposal", |text| or_none(text, |text| parse_proposal(game, text)))?;
        state.votes = [words.number("for", MAX_TOKENS as u32)? as u16, words.number("against", MAX_TOKENS as u32)? as u16];
        state.yes = self.read_seats("yes")?;
        state.settled = self.read_seats("settled")?;
        state.failed_tiles = self.read_tiles("failed_tiles", game.map.whole)?;
        state.failed_sites = self.read_tiles("failed_sites", game.map.land)?;
        let words = &mut self.words;
        state.subsidy_failed = words.number("subsidy_failed", 1)? == 1;
        state.subsidized = words.number("subsidized", 1)? == 1;
        self.read_weather(&mut state)?;
        let (filled, polluted) = self.read_slots()?;
        (state.filled, state.polluted) = (filled, polluted);
        self.read_loose(&mut state)?;
        state.flooded = self.read_tiles("flooded", game.map.land)?;
        state.protected = self.read_tiles("protected", game.map.whole)?;
        state.bridges = self.read_owners("bridges", &|tile| Some(tile.row()).filter(|&row| tile == Tile::river(row)))?;
        state.nets = self.read_owners("nets", &|tile| Some(tile.index()).filter(|_| tile.is_land()))?;
        (state.city, state.city_complete) = self.words.find("city", |text| parse_city(game, text))?;
        state.site = self.read_tokens("site")?;
        for seat in game.all_seats() {
            self.read_seat(&mut state, seat)?;
        }
        self.words.end()?;
        Ok(state)
    }

    fn error<T>(&self, expected: impl Into<String>) -> Result<T, NotationError> {
        Err(self.words.error(expected))
    }

    fn read_order(&mut self) -> Result<Order, NotationError> {
        let players = self.game.players;
        let value = self.words.value("order")?;
        let mut order = Order::default();
        if value == "-" {
            return Ok(order);
        }
        let seats: Vec<usize> = value.split(',').filter_map(|seat| (0..players).find(|index| index.to_string() == seat)).collect();
        let different = (0..players).all(|seat| seats.contains(&seat));
        if !different || seats.len() != players || value.split(',').count() != players {
            return self.error("`order:` with every seat once");
        }
        seats.into_iter().enumerate().for_each(|(place, seat)| order.set(place, Seat::new(seat)));
        Ok(order)
    }

    fn read_tokens(&mut self, key: &str) -> Result<Tokens, NotationError> {
        let counts = self.words.counts(key)?;
        let mut tokens = Tokens::NONE;
        for (name, count) in counts {
            match Token::from_name(&name) {
                Some(token) if tokens.get(token) == 0 && u64::from(count) <= MAX_TOKENS => tokens.add(token, count),
                _ => return self.error(format!("`{key}:` with tokens such as `fish*2`, each kind once and at most {MAX_TOKENS} of it")),
            }
        }
        Ok(tokens)
    }

    fn read_seats(&mut self, key: &str) -> Result<u8, NotationError> {
        let players = self.game.players;
        let value = self.words.value(key)?;
        let mut set = 0;
        for text in value.split(',').filter(|_| value != "-") {
            match (0..players).find(|index| index.to_string() == text) {
                Some(index) => set |= 1 << index,
                None => return self.error(format!("`{key}:` with seats")),
            }
        }
        Ok(set)
    }

    fn read_tiles(&mut self, key: &str, among: u32) -> Result<u16, NotationError> {
        let value = self.words.value(key)?;
        let mut set = 0;
        for name in value.split(',').filter(|_| value != "-") {
            match self.game.names.find_tile(name).filter(|tile| among & tile.bit() != 0) {
                Some(tile) => set |= tile.bit() as u16,
                None => return self.error(format!("`{key}:` with tiles that can be so, not {name:?}")),
            }
        }
        Ok(set)
    }

    fn read_owners(&mut self, key: &str, place: &dyn Fn(Tile) -> Option<usize>) -> Result<Owners, NotationError> {
        let value = self.words.value(key)?;
        let mut owners = Owners::default();
        for entry in value.split(',').filter(|_| value != "-") {
            let found = entry.split_once('=').and_then(|(tile, seat)| {
                let place = place(self.game.names.find_tile(tile)?)?;
                Some((place, (0..self.game.players).find(|index| index.to_string() == seat)?))
            });
            match found {
                Some((place, seat)) if owners.get(place).is_none() => owners.set(place, Some(Seat::new(seat))),
                _ => return self.error(format!("`{key}:` with places and seats such as `{entry}`, each place once and of the map")),
            }
        }
        Ok(owners)
    }

    fn read_weather(&mut self, state: &mut State) -> Result<(), NotationError> {
        let game = self.game;
        let value = self.words.value("almanac")?;
        let mut almanac = Vec::new();
        for name in value.split(',').filter(|_| value != "-") {
            match game.names.find_weather(name) {
                Some(card) if almanac.len() < game.almanac => almanac.push(card),
                _ => return self.error(format!("`almanac:` with at most {} weather cards", game.almanac)),
            }
        }
        for (name, count) in self.words.counts("unseen")? {
            match game.names.find_weather(&name) {
                Some(card) if state.unseen(card) == 0 && count <= game.weather[card].count => {
                    state.unseen |= u64::from(count) << (card * 4);
                }
                _ => return self.error("`unseen:` with weather cards, each once and no more than there are"),
            }
        }
        for (card, weather) in game.weather.iter().enumerate() {
            let shown = almanac.iter().filter(|&&other| other == card).count() as u32;
            if state.unseen(card) + shown > weather.count {
                return self.error(format!("at most {} of weather {}", weather.count, game.names.weather(card)));
            }
            state.unseen += u64::from(shown) << (card * 4);
        }
        for card in almanac {
            state.reveal(card);
        }
        Ok(())
    }

    fn read_slots(&mut self) -> Result<(u64, u64), NotationError> {
        let game = self.game;
        let value = self.words.value("slots")?;
        let (mut filled, mut polluted, mut seen) = (0, 0, 0_u32);
        for entry in value.split(',').filter(|_| value != "-") {
            let expected = format!("`slots:` with tiles such as `L1=tree+-+pollution`, not {entry:?}");
            let Some((tile, contents)) = entry.split_once('=').and_then(|(tile, rest)| Some((game.names.find_tile(tile)?, rest))) else {
                return self.error(expected);
            };
            let slots = game.map.slots[tile.index()];
            if contents.split('+').count() != slots.count_ones() as usize || seen & tile.bit() != 0 {
                return self.error(expected);
            }
            seen |= tile.bit();
            for (slot, content) in ones(slots).zip(contents.split('+')) {
                match content {
                    "-" => {}
                    "pollution" if tile.index() < Tile::WHOLE => polluted |= 1 << slot,
                    name if name == slot_kind(game, slot).name() => filled |= 1 << slot,
                    _ => return self.error(expected),
                }
            }
        }
        Ok((filled, polluted))
    }

    fn read_loose(&mut self, state: &mut State) -> Result<(), NotationError> {
        let game = self.game;
        let value = self.words.value("loose")?;
        for entry in value.split(',').filter(|_| value != "-") {
            let expected = format!("`loose:` with river tiles such as `W1=fish+gravel*2`, not {entry:?}");
            let tile = entry.split_once('=').and_then(|(tile, rest)| Some((game.names.find_tile(tile)?, rest)));
            let Some((tile, contents)) = tile.filter(|(tile, _)| *tile == Tile::river(tile.row()) && state.loose[tile.row()].is_empty())
            else {
                return self.error(expected);
            };
            for (token, count) in contents.split('+').map(|token| split_count(token).unwrap_or(("", 0))) {
                match Token::from_name(token).filter(|&token| token != Token::Gold && state.loose[tile.row()].get(token) == 0) {
                    Some(token) if u64::from(count) <= MAX_TOKENS => state.loose[tile.row()].add(token, count),
                    _ => return self.error(expected),
                }
            }
        }
        Ok(())
    }

    fn read_seat(&mut self, state: &mut State, seat: Seat) -> Result<(), NotationError> {
        let (game, index) = (self.game, seat.index());
        if self.words.seat("seat")? != seat {
            return self.error(format!("`seat:{seat}` next"));
        }
        let role = self.words.find("role", |name| match name {
            "-" => Some(0),
            name => game.names.find_role(name).map(|role| role as u8 + 1),
        })?;
        state.roles[index] = role;
        state.stock[index] = self.read_tokens("stock")?;
        state.proposals[index] = self.words.number("proposals", game.proposals_per_day)? as u8;
        let camp = self.words.find("camp", |text| or_none(text, |text| parse_placed(game, text)))?;
        if let Some((tile, status)) = camp {
            if !tile.is_land() {
                return self.error("`camp:` with a land tile");
            }
            state.camps[index].tile = Some(tile);
            state.camps[index].status = status;
        }
        for (tile, status, count) in self.read_placed("boats", false)? {
            let boats = &mut state.boats[index][tile.row()];
            for _ in 0..count {
                boats.arrive();
            }
            if status == Status::Fresh {
                *boats = Boats::of(boats.fresh() + count, boats.turned() - count);
            }
        }
        for (tile, status, count) in self.read_placed("excavators", true)? {
            (0..count).for_each(|_| state.land[index][tile.index()].insert(EXCAVATORS[status as usize]));
        }
        for (tile, status, count) in self.read_placed("mills", true)? {
            (0..count).for_each(|_| state.land[index][tile.index()].insert(MILLS[status as usize]));
        }
        for (key, kind, layer) in PASSIVE {
            for (name, count) in self.words.counts(key)? {
                let tile = game.names.find_tile(&name).filter(|tile| tile.is_land() && state.stack(seat, *tile).count(kind) == 0);
                match tile.filter(|_| count <= MAX_PIECES as u32) {
                    Some(tile) => (0..count).for_each(|_| state.land[index][tile.index()].insert(layer)),
                    None => return self.error(format!("`{key}:` with land tiles, each once")),
                }
            }
        }
        Ok(())
    }

    /// Structures with their tile and status, all statuses of a tile together no more than fit.
    fn read_placed(&mut self, key: &str, land: bool) -> Result<Vec<(Tile, Status, u32)>, NotationError> {
        let mut placed: Vec<(Tile, Status, u32)> = Vec::new();
        for (name, count) in self.words.counts(key)? {
            let there = parse_placed(self.game, &name).filter(|(tile, _)| tile.is_land() == land && tile.index() < Tile::WHOLE);
            let Some((tile, status)) = there else {
                return self.error(format!("`{key}:` with entries such as `{}`", if land { "L1/fresh*2" } else { "W1/fresh*2" }));
            };
            placed.push((tile, status, count));
            if placed.iter().map(|(_, _, count)| u64::from(*count)).sum::<u64>() > MAX_PIECES as u64 {
                return self.error(format!("at most {MAX_PIECES} in `{key}:`"));
            }
        }
        Ok(placed)
    }

    fn check(&self, state: &State) -> Result<(), NotationError> {
        let checked = self.check_components(state).and_then(|()| self.check_camps(state)).and_then(|()| self.check_course(state));
        let checked = checked.and_then(|()| Self::check_progress(state)).and_then(|()| self.check_phase(state));
        checked.map_err(|expected| self.words.error(expected))
    }

    fn check_components(&self, state: &State) -> Result<(), String> {
        let game = self.game;
        for seat in game.all_seats() {
            let sticks = [Structure::Bridge, Structure::Canal, Structure::Levee].map(|kind| state.built(seat, kind)).iter().sum::<u32>();
            for kind in [Structure::Boat, Structure::Excavator, Structure::Mill, Structure::Net, Structure::Farm, Structure::Canal] {
                let built = if kind == Structure::Canal { sticks } else { state.built(seat, kind) };
                let owned = game.pieces[kind as usize];
                if built > owned {
                    let what = if kind == Structure::Canal { "stick" } else { kind.name() };
                    return Err(format!("at most {owned} of `{what}` for each seat"));
                }
            }
        }
        let held = state.stock.iter().chain(&state.loose).map(|tokens| u64::from(tokens.total())).sum::<u64>();
        expect(held <= MAX_TOKENS, format!("at most {MAX_TOKENS} tokens in all"))?;
        let within = game.city_cost.cover(&state.site) && (state.city.is_some() || state.site.is_empty());
        let needed = !state.city_complete && state.site != game.city_cost || state.city_complete && state.site.is_empty();
        expect(within && needed, "on the City's site only tokens that it still needs")?;
        let covered = state.city.map_or(0, |tile| game.map.slots[tile.index()]);
        expect((state.filled | state.polluted) & covered == 0, "no slots where the City is")
    }

    fn check_camps(&self, state: &State) -> Result<(), String> {
        let game = self.game;
        let tiles: Vec<_> = game.all_seats().filter_map(|seat| state.camp(seat).tile).collect();
        let pitched = tiles.len();
        let fitting = tiles.iter().all(|tile| game.map.camp_slots & tile.bit() != 0);
        let different = state.camp_tiles().count_ones() as usize == pitched;
        expect(fitting && different, "camps on different tiles with camp slots")?;
        let in_turn = (0..game.players).take_while(|&steps| state.camp(state.first.clockwise(steps, game.players)).tile.is_some()).count();
        let expected = match state.phase {
            Phase::Camps => {
                pitched == in_turn && state.decider == state.first.clockwise(pitched % game.players, game.players) && pitched < game.players
            }
            _ if state.day == 0 => pitched == 0,
            _ => pitched == game.players,
        };
        expect(expected, "the camps that this phase asks for")?;
        // Only while structures act may a camp stand elsewhere than when the order was taken.
        let mut taken = *state;
        game.take_camp_order(&mut taken);
        let acting = matches!(state.phase, Phase::Choose | Phase::Act | Phase::Take | Phase::Over);
        expect(
            state.day == 0 && state.order == Order::default() || state.day > 0 && (acting || state.order == taken.order),
            "the camp order",
        )
    }

    fn check_course(&self, state: &State) -> Result<(), String> {
        let game = self.game;
        let setup = matches!(state.phase, Phase::Mode | Phase::FirstPlayer | Phase::Almanac | Phase::Roles | Phase::Camps);
        expect(setup == (state.day == 0), "setup on day 0, and nothing else")?;
        let roles: Vec<_> = game.all_seats().map(|seat| state.role(seat)).collect();
        let dealt = roles.iter().flatten().count();
        let different = roles.iter().flatten().collect::<std::collections::BTreeSet<_>>().len() == dealt;
        let expected = match state.phase {
            _ if state.mode != Mode::Roles => dealt == 0,
            Phase::FirstPlayer | Phase::Almanac => dealt == 0,
            Phase::Roles => state.decider.index() == dealt && roles[..dealt].iter().all(Option::is_some),
            _ => dealt == game.players,
        };
        expect(different && expected, "the roles that this phase asks for, each once")?;
        let unseen: u32 = (0..game.weather.len()).map(|card| state.unseen(card)).sum();
        let shown = state.almanac_len();
        let expected = match state.phase {
            Phase::Mode | Phase::FirstPlayer => shown == 0,
            Phase::Almanac => shown < game.almanac,
            Phase::Night => shown + 1 == game.almanac && unseen > 0,
            _ => shown == game.almanac || shown > 0 && unseen == 0,
        };
        let discarded = game.weather.iter().map(|card| card.count).sum::<u32>() - unseen - shown as u32;
        let days_over = if state.phase == Phase::Night { state.day() } else { state.day().saturating_sub(1) };
        expect(expected && discarded == days_over, "the weather cards that this day asks for")
    }

    /// What is under way only in some phases is not there in others. A dying river stops everything where it is.
    fn check_progress(state: &State) -> Result<(), String> {
        let phase = state.phase;
        if phase == Phase::Over {
            return Ok(());
        }
        let offering = matches!(phase, Phase::Give | Phase::Get | Phase::Answer);
        let trading = offering || phase == Phase::Offer;
        let acting = matches!(phase, Phase::Act | Phase::Take);
        let voting = matches!(phase, Phase::Vote | Phase::Bid);
        let choosing = acting || phase == Phase::Choose;
        let counting = trading || matches!(phase, Phase::Take | Phase::Sell | Phase::Propose);
        let succession = acting || matches!(phase, Phase::Give | Phase::Get | Phase::Sell | Phase::Salvage | Phase::Site | Phase::Buy);
        let checks = [
            (offering || state.given.is_empty() && state.asked.is_empty(), "no offer in this phase"),
            (offering || voting || state.other == 0, "`other:0` in this phase"),
            (trading || state.round == 0 && !state.offered, "no round of offers in this phase"),
            (acting == state.actor.is_some(), "`actor:` where a structure has its turn, and nowhere else"),
            (choosing || state.place == 0 && !state.privileged, "`place:0` in this phase"),
            (choosing == state.group, "`group:` where structures act, and nowhere else"),
            (voting || phase == Phase::Place || state.proposal.is_none(), "no proposal in this phase"),
            (voting || state.votes == [0; 2] && state.yes == 0, "no votes in this phase"),
            (phase == Phase::Bid || state.settled == 0, "nobody settled in this phase"),
            (counting || state.count == 0, "`count:0` in this phase"),
            (succession || state.last == 0, "`last:0` in this phase"),
            (phase == Phase::Sell || !state.closing, "`closing:0` in this phase"),
        ];
        checks.iter().find(|(holds, _)| !holds).map_or(Ok(()), |(_, expected)| Err((*expected).to_owned()))
    }

    /// What the moves of each phase take for granted.
    fn check_phase(&self, state: &State) -> Result<(), String> {
        let game = self.game;
        let by_seats = !matches!(state.phase, Phase::Net | Phase::Over) && state.day > 0;
        expect(!by_seats || usize::from(state.cursor) < game.players, "`cursor:` with a place of the order")?;
        let order = |place: u8| state.order.get(place.into());
        match state.phase {
            Phase::Offer | Phase::Give | Phase::Get | Phase::Answer => {
                let (seat, partner) = (order(state.cursor), Seat::new(state.other.into()));
                let held = state.stock(seat).cover(&state.given) && state.stock(partner).cover(&state.asked);
                let few = state.given.total().max(state.asked.total()) <= game.offer_max_tokens;
                let apart = state.given.kinds() & state.asked.kinds() == 0;
                expect(held && few && apart && game.windows[state.window as usize], "an offer that can be made")?;
                expect(state.phase == Phase::Offer || seat != partner, "an offer to another seat")?;
            }
            Phase::Act | Phase::Take => {
                let there = state.actor.is_some_and(|actor| {
                    let tile = actor.tile;
                    let fresh = match actor.kind {
                        Structure::Camp => {
                            state.camp(state.decider).tile == Some(tile) && state.camp(state.decider).status == Status::Fresh
                        }
                        Structure::Boat => !tile.is_land() && state.boats(state.decider, tile.row()).fresh() > 0,
                        Structure::Mill => tile.is_land() && state.stack(state.decider, tile).fresh_mills() > 0,
                        _ => tile.is_land() && state.stack(state.decider, tile).excavators(Status::Fresh) > 0,
                    };
                    fresh
                        && tile.row() == state.row()
                        && (state.phase == Phase::Act || matches!(actor.kind, Structure::Excavator | Structure::Mill))
                });
                expect(there, "`actor:` with a fresh structure of the seat in this row")?;
                expect(usize::from(state.last) < Tile::COUNT || state.phase == Phase::Act, "`last:` with a tile")?;
            }
            Phase::Sell => expect(u32::from(state.count) < game.tokens_per_gold, "`count:` below the price of gold")?,
            Phase::Place | Phase::Vote | Phase::Bid => {
                let about = state.proposal.is_some_and(|(policy, tile)| {
                    tile.is_some() == (policy.has_tile() && state.phase != Phase::Place)
                        && tile.is_none_or(|tile| policy != Policy::City || tile.is_land() && state.city.is_none())
                });
                expect(about, "`proposal:` with what is voted on")?;
                let votes =
                    u64::from(state.votes[0].max(state.votes[1])) + u64::from(state.stock.iter().map(Tokens::total).max().unwrap_or(0));
                expect(votes <= MAX_TOKENS, "fewer votes")?;
            }
            _ => {}
        }
        let counted = matches!(state.phase, Phase::Site | Phase::Buy | Phase::Give | Phase::Get | Phase::Sell);
        expect(!counted || usize::from(state.last) < Token::ALL.len(), "`last:` with a kind of token")?;
        expect(state.phase != Phase::Propose || usize::from(state.count) < game.players, "`count:` with seats that passed")?;
        let mut rested = *state;
        game.proceed(&mut rested);
        let decides = !matches!(game.turn(state), Turn::Seat(_)) || !game.legal_actions(state).is_empty();
        expect(rested == *state && decides, "a position in which what this phase asks for is due")
    }
}

/// More than the water of any day: a Storm's is carried on, and there are no more Storms than cards.
const MOST_WATER: i16 = 15_000;
const _: () = assert!((MAX_WEATHER * 15) as i64 * (MAX_DIE as i64 + MAX_MODIFIER + MAX_ROWS as i64) < MOST_WATER as i64);
const _: () = assert!(2 * MOST_WATER as i64 <= i16::MAX as i64);

fn expect(holds: bool, expected: impl Into<String>) -> Result<(), String> {
    if holds { Ok(()) } else { Err(expected.into()) }
}

/// Nothing, where the word says so, or what `parse` finds in it.
#[expect(clippy::option_option, reason = "the outer one is for what can't be read")]
fn or_none<T>(text: &str, parse: impl Fn(&str) -> Option<T>) -> Option<Option<T>> {
    if text == "-" { Some(None) } else { parse(text).map(Some) }
}

/// A tile and a status.
fn parse_placed(game: &CommonRiver, text: &str) -> Option<(Tile, Status)> {
    let (tile, status) = text.split_once('/')?;
    Some((game.names.find_tile(tile)?, find_in(&STATUSES, status)?))
}

fn parse_actor(game: &CommonRiver, text: &str) -> Option<Actor> {
    let (kind, rest) = text.split_once('@')?;
    let mut parts = rest.split('/');
    let actor = Actor {
        kind: Structure::from_name(kind).filter(|kind| ACTING.contains(kind))?,
        tile: game.names.find_tile(parts.next()?).filter(|tile| tile.index() < Tile::WHOLE)?,
        stage: find_in(&STAGES, parts.next()?)?,
        sole: find_in(&[("sole", true), ("chosen", false)], parts.next()?)?,
    };
    parts.next().is_none().then_some(actor)
}

fn parse_proposal(game: &CommonRiver, text: &str) -> Option<(Policy, Option<Tile>)> {
    let (name, tile) = text.split_once('@').map_or((text, None), |(name, tile)| (name, Some(tile)));
    let policy = Policy::ALL.into_iter().find(|policy| policy.name() == name)?;
    let tile = match tile {
        Some(tile) => Some(game.names.find_tile(tile).filter(|tile| tile.index() < Tile::WHOLE)?),
        None => None,
    };
    Some((policy, tile))
}

fn parse_city(game: &CommonRiver, text: &str) -> Option<(Option<Tile>, bool)> {
    if text == "-" {
        return Some((None, false));
    }
    let (tile, how) = text.split_once('/')?;
    let tile = game.names.find_tile(tile).filter(|tile| tile.is_land())?;
    Some((Some(tile), find_in(&[("site", false), ("complete", true)], how)?))
}
