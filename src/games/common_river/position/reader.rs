//! Parsing of positions. Each word is checked as it is read; `checks` checks the whole.

use super::{
    super::{
        CommonRiver,
        action::MODES,
        components::{
            MAX_PIECES, MAX_ROWS, MAX_TOKENS, MAX_WEATHER_KINDS, Structure, Tile, Token, Tokens,
        },
        data::{MAX_DIE, MAX_MODIFIER},
        phases::{Actor, PolicyKind, SeatOrder},
        pieces::{Boats, Camp, Lane, Owners, Status},
        state::State,
    },
    PASSIVE, PHASES, STAGES, STATUSES, WINDOWS,
    checks::check,
    slot_kind,
};
use crate::{
    bits::ones,
    game::{NotationError, Seat},
    games::{
        GameDefinition,
        position_parser::{PositionParser, parse_count},
    },
};

const ACTING: [Structure; 4] =
    [Structure::Boat, Structure::Camp, Structure::Excavator, Structure::Mill];
const MILLS: [Lane; 3] = [Lane::FreshMill, Lane::SpentMill, Lane::SpentMill];
const EXCAVATORS: [Lane; 3] = [Lane::FreshExcavator, Lane::ClosedExcavator, Lane::TurnedExcavator];

pub(in super::super) fn parse(game: &CommonRiver, text: &str) -> Result<State, NotationError> {
    let mut reader = Reader {
        game,
        words: PositionParser::new(
            text,
            "position of We All Take from the River",
            CommonRiver::ID,
            game.players,
        )?,
    };
    let state = reader.read()?;
    check(game, &state).map_err(|expected| reader.words.error(expected))?;
    reader.words.check_canonical(&super::text(game, &state))?;
    Ok(state)
}

struct Reader<'a> {
    game: &'a CommonRiver,
    words: PositionParser<'a>,
}

impl Reader<'_> {
    fn read(&mut self) -> Result<State, NotationError> {
        let (game, words) = (self.game, &mut self.words);
        let players = game.players as u32;
        let mut state = State::new();
        state.phase = words.parse_value("phase", |name| find_in(&PHASES, name))?;
        state.mode = words.parse_value("mode", |name| {
            find_in(&MODES, name).filter(|mode| game.modes.contains(mode))
        })?;
        state.day = words.parse_number("day", u8::MAX.into())? as u8;
        state.row = words.parse_value("row", |text| {
            text.parse::<u8>().ok()?.checked_sub(1).filter(|&row| usize::from(row) < game.map.rows)
        })?;
        state.decider = words.parse_seat("turn")?;
        state.first_player = words.parse_seat("first")?;
        let level =
            |text: &str| text.parse().ok().filter(|level| (-MAX_WATER..=MAX_WATER).contains(level));
        state.water = words.parse_value("water", level)?;
        state.carried_water = words.parse_value("carry", level)?;
        state.window = words.parse_value("window", |name| find_in(&WINDOWS, name))?;
        state.camp_order = self.read_order()?;
        let words = &mut self.words;
        state.cursor = words.parse_number("cursor", players)? as u8;
        state.last_choice = words.parse_number("last", 63)? as u8;
        state.step_count = words.parse_number("count", 99)? as u8;
        state.offer_round = words.parse_number("round", 99)? as u8;
        state.offer_made = words.parse_number("offered", 1)? == 1;
        state.place = words.parse_number("place", 2)? as u8;
        state.group_begun = words.parse_number("group", 1)? == 1;
        state.privileged = words.parse_number("privileged", 1)? == 1;
        state.second_sale = words.parse_number("second_sale", 1)? == 1;
        state.actor = words
            .parse_value("actor", |text| parse_optional(text, |text| parse_actor(game, text)))?;
        state.partner_or_voter = words.parse_number("other", players - 1)? as u8;
        state.offered_tokens = self.read_tokens("given")?;
        state.requested_tokens = self.read_tokens("asked")?;
        let words = &mut self.words;
        state.proposal = words.parse_value("proposal", |text| {
            parse_optional(text, |text| parse_proposal(game, text))
        })?;
        state.votes = [
            words.parse_number("for", MAX_TOKENS as u32)? as u16,
            words.parse_number("against", MAX_TOKENS as u32)? as u16,
        ];
        state.yes_voters = self.read_seats("yes")?;
        state.settled_seats = self.read_seats("settled")?;
        state.failed_tiles = self.read_tiles("failed_tiles", game.map.land_and_river)?;
        state.failed_sites = self.read_tiles("failed_sites", game.map.land)?;
        let words = &mut self.words;
        state.subsidy_failed = words.parse_number("subsidy_failed", 1)? == 1;
        state.subsidized = words.parse_number("subsidized", 1)? == 1;
        self.read_weather(&mut state)?;
        let (filled, polluted) = self.read_slots()?;
        (state.filled, state.polluted) = (filled, polluted);
        self.read_loose(&mut state)?;
        state.flooded = self.read_tiles("flooded", game.map.land)?;
        state.protected = self.read_tiles("protected", game.map.land_and_river)?;
        state.bridges = self.read_owners("bridges", &|tile| {
            Some(tile.row()).filter(|&row| tile == Tile::river(row))
        })?;
        state.nets =
            self.read_owners("nets", &|tile| Some(tile.index()).filter(|_| tile.is_land()))?;
        (state.city, state.city_complete) =
            self.words.parse_value("city", |text| parse_city(game, text))?;
        state.site = self.read_tokens("site")?;
        for seat in game.all_seats() {
            self.read_seat(&mut state, seat)?;
        }
        self.words.expect_end()?;
        Ok(state)
    }

    fn error<T>(&self, expected: impl Into<String>) -> Result<T, NotationError> {
        Err(self.words.error(expected))
    }

    fn read_order(&mut self) -> Result<SeatOrder, NotationError> {
        let players = self.game.players;
        let value = self.words.next_value("order")?;
        let mut order = SeatOrder::default();
        if value == "-" {
            return Ok(order);
        }
        let seats: Vec<usize> = value
            .split(',')
            .filter_map(|seat| (0..players).find(|index| index.to_string() == seat))
            .collect();
        let different = (0..players).all(|seat| seats.contains(&seat));
        if !different || seats.len() != players || value.split(',').count() != players {
            return self.error("`order:` with every seat once");
        }
        seats.into_iter().enumerate().for_each(|(place, seat)| order.set(place, Seat::new(seat)));
        Ok(order)
    }

    fn read_tokens(&mut self, key: &str) -> Result<Tokens, NotationError> {
        let counts = self.words.parse_counts(key)?;
        let mut tokens = Tokens::NONE;
        for (name, count) in counts {
            match Token::from_name(name) {
                Some(token) if tokens.get(token) == 0 && u64::from(count) <= MAX_TOKENS => {
                    tokens.add(token, count)
                }
                _ => {
                    return self.error(format!(
                        "`{key}:` with tokens such as `fish*2`, each kind \
                         once and at most {MAX_TOKENS} of it"
                    ));
                }
            }
        }
        Ok(tokens)
    }

    fn read_seats(&mut self, key: &str) -> Result<u8, NotationError> {
        let players = self.game.players;
        let value = self.words.next_value(key)?;
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
        let value = self.words.next_value(key)?;
        let mut set = 0;
        for name in value.split(',').filter(|_| value != "-") {
            match self.game.names.find_tile(name).filter(|tile| among & tile.bit() != 0) {
                Some(tile) => set |= tile.bit() as u16,
                None => {
                    return self.error(format!("`{key}:` with tiles of this kind, not {name:?}"));
                }
            }
        }
        Ok(set)
    }

    fn read_owners(
        &mut self,
        key: &str,
        place: &dyn Fn(Tile) -> Option<usize>,
    ) -> Result<Owners, NotationError> {
        let value = self.words.next_value(key)?;
        let mut owners = Owners::default();
        for entry in value.split(',').filter(|_| value != "-") {
            let found = entry.split_once('=').and_then(|(tile, seat)| {
                let place = place(self.game.names.find_tile(tile)?)?;
                Some((place, (0..self.game.players).find(|index| index.to_string() == seat)?))
            });
            match found {
                Some((place, seat)) if owners.get(place).is_none() => {
                    owners.set(place, Some(Seat::new(seat)))
                }
                _ => {
                    return self.error(format!(
                        "`{key}:` with tiles of the map and seats such as `{entry}`, \
                         each tile once"
                    ));
                }
            }
        }
        Ok(owners)
    }

    fn read_weather(&mut self, state: &mut State) -> Result<(), NotationError> {
        let game = self.game;
        let value = self.words.next_value("almanac")?;
        let mut almanac = Vec::new();
        for name in value.split(',').filter(|_| value != "-") {
            match game.names.find_weather(name) {
                Some(card) if almanac.len() < game.almanac => almanac.push(card),
                _ => {
                    return self
                        .error(format!("`almanac:` with at most {} weather cards", game.almanac));
                }
            }
        }
        for (name, count) in self.words.parse_counts("unseen")? {
            match game.names.find_weather(name) {
                Some(card)
                    if state.unseen_count(card) == 0 && count <= game.weather[card].count =>
                {
                    state.unseen |= u64::from(count) << (card * 4);
                }
                _ => {
                    return self.error(
                        "`unseen:` with weather cards, each once and no more than there are",
                    );
                }
            }
        }
        for (card, weather) in game.weather.iter().enumerate() {
            let shown = almanac.iter().filter(|&&other| other == card).count() as u32;
            if state.unseen_count(card) + shown > weather.count {
                return self.error(format!(
                    "at most {} of weather {}",
                    weather.count,
                    game.names.weather(card)
                ));
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
        let value = self.words.next_value("slots")?;
        let (mut filled, mut polluted, mut seen) = (0, 0, 0_u32);
        for entry in value.split(',').filter(|_| value != "-") {
            let expected =
                format!("`slots:` with tiles such as `L1=tree+-+pollution`, not {entry:?}");
            let Some((tile, contents)) = entry
                .split_once('=')
                .and_then(|(tile, rest)| Some((game.names.find_tile(tile)?, rest)))
            else {
                return self.error(expected);
            };
            let slots = game.map.slots[tile.index()];
            if contents.split('+').count() != slots.count_ones() as usize || seen & tile.bit() != 0
            {
                return self.error(expected);
            }
            seen |= tile.bit();
            for (slot, content) in ones(slots).zip(contents.split('+')) {
                match content {
                    "-" => {}
                    "pollution" if tile.index() < Tile::FULL_COUNT => polluted |= 1 << slot,
                    name if name == slot_kind(game, slot).name() => filled |= 1 << slot,
                    _ => return self.error(expected),
                }
            }
        }
        Ok((filled, polluted))
    }

    fn read_loose(&mut self, state: &mut State) -> Result<(), NotationError> {
        let game = self.game;
        let value = self.words.next_value("loose")?;
        for entry in value.split(',').filter(|_| value != "-") {
            let expected =
                format!("`loose:` with river tiles such as `W1=fish+gravel*2`, not {entry:?}");
            let tile = entry
                .split_once('=')
                .and_then(|(tile, rest)| Some((game.names.find_tile(tile)?, rest)));
            let Some((tile, contents)) = tile.filter(|(tile, _)| {
                *tile == Tile::river(tile.row()) && state.loose_tokens[tile.row()].is_empty()
            }) else {
                return self.error(expected);
            };
            for (token, count) in
                contents.split('+').map(|token| parse_count(token).unwrap_or(("", 0)))
            {
                match Token::from_name(token).filter(|&token| {
                    token != Token::Gold && state.loose_tokens[tile.row()].get(token) == 0
                }) {
                    Some(token) if u64::from(count) <= MAX_TOKENS => {
                        state.loose_tokens[tile.row()].add(token, count)
                    }
                    _ => return self.error(expected),
                }
            }
        }
        Ok(())
    }

    fn read_seat(&mut self, state: &mut State, seat: Seat) -> Result<(), NotationError> {
        let (game, index) = (self.game, seat.index());
        if self.words.parse_seat("seat")? != seat {
            return self.error(format!("`seat:{seat}` next"));
        }
        let role = self.words.parse_value("role", |name| match name {
            "-" => Some(0),
            name => game.names.find_role(name).map(|role| role as u8 + 1),
        })?;
        state.roles[index] = role;
        state.stock[index] = self.read_tokens("stock")?;
        state.proposals_made[index] =
            self.words.parse_number("proposals", game.proposals_per_day)? as u8;
        let camp = self
            .words
            .parse_value("camp", |text| parse_optional(text, |text| parse_placed(game, text)))?;
        if let Some((tile, status)) = camp {
            if !tile.is_land() {
                return self.error("`camp:` with a land tile");
            }
            state.camps[index] = Camp::new(tile, status);
        }
        for (tile, status, count) in self.read_placed("boats", false)? {
            let boats = &mut state.boats[index][tile.row()];
            for _ in 0..count {
                boats.add_turned();
            }
            if status == Status::Fresh {
                *boats = Boats::new(boats.fresh() + count, boats.turned() - count);
            }
        }
        for (tile, status, count) in self.read_placed("excavators", true)? {
            (0..count).for_each(|_| {
                state.stacks[index][tile.index()].insert(EXCAVATORS[status as usize])
            });
        }
        for (tile, status, count) in self.read_placed("mills", true)? {
            (0..count)
                .for_each(|_| state.stacks[index][tile.index()].insert(MILLS[status as usize]));
        }
        for (key, kind, layer) in PASSIVE {
            let mut left = MAX_PIECES as u32;
            for (name, count) in self.words.parse_counts(key)? {
                let tile = game
                    .names
                    .find_tile(name)
                    .filter(|tile| tile.is_land() && state.stack(seat, *tile).count(kind) == 0);
                let Some(tile) = tile else {
                    return self.error(format!("`{key}:` with land tiles, each once"));
                };
                let Some(rest) = left.checked_sub(count) else {
                    return self.error(format!("at most {MAX_PIECES} in `{key}:`"));
                };
                left = rest;
                (0..count).for_each(|_| state.stacks[index][tile.index()].insert(layer));
            }
        }
        Ok(())
    }

    /// Reads acting structures with their tile and status, at most as many as the counts can hold.
    fn read_placed(
        &mut self,
        key: &str,
        land: bool,
    ) -> Result<Vec<(Tile, Status, u32)>, NotationError> {
        let mut placed: Vec<(Tile, Status, u32)> = Vec::new();
        for (name, count) in self.words.parse_counts(key)? {
            let parsed = parse_placed(self.game, name)
                .filter(|(tile, _)| tile.is_land() == land && tile.index() < Tile::FULL_COUNT);
            let Some((tile, status)) = parsed else {
                return self.error(format!(
                    "`{key}:` with entries such as `{}`",
                    if land { "L1/fresh*2" } else { "W1/fresh*2" }
                ));
            };
            placed.push((tile, status, count));
            if placed.iter().map(|(_, _, count)| u64::from(*count)).sum::<u64>() > MAX_PIECES as u64
            {
                return self.error(format!("at most {MAX_PIECES} in `{key}:`"));
            }
        }
        Ok(placed)
    }
}

/// An upper bound of the absolute water level. The water of Storms accumulates, and there are at
/// most as many Storms as weather cards.
const MAX_WATER: i16 = 15_000;
const _: () = assert!(
    (MAX_WEATHER_KINDS * 15) as i64 * (MAX_DIE as i64 + MAX_MODIFIER + MAX_ROWS as i64)
        < MAX_WATER as i64
);
const _: () = assert!(2 * MAX_WATER as i64 <= i16::MAX as i64);

/// Parses a word that may be `-` for none.
#[expect(clippy::option_option, reason = "the outer option is an error, the inner one the value")]
fn parse_optional<T>(text: &str, parse: impl Fn(&str) -> Option<T>) -> Option<Option<T>> {
    if text == "-" { Some(None) } else { parse(text).map(Some) }
}

/// Parses a tile and a status, as in `L3/fresh`.
fn parse_placed(game: &CommonRiver, text: &str) -> Option<(Tile, Status)> {
    let (tile, status) = text.split_once('/')?;
    Some((game.names.find_tile(tile)?, find_in(&STATUSES, status)?))
}

fn parse_actor(game: &CommonRiver, text: &str) -> Option<Actor> {
    let (kind, rest) = text.split_once('@')?;
    let mut parts = rest.split('/');
    let actor = Actor {
        kind: Structure::from_name(kind).filter(|kind| ACTING.contains(kind))?,
        tile: game.names.find_tile(parts.next()?).filter(|tile| tile.index() < Tile::FULL_COUNT)?,
        stage: find_in(&STAGES, parts.next()?)?,
        only_candidate: find_in(&[("sole", true), ("chosen", false)], parts.next()?)?,
    };
    parts.next().is_none().then_some(actor)
}

fn parse_proposal(game: &CommonRiver, text: &str) -> Option<(PolicyKind, Option<Tile>)> {
    let (name, tile) = text.split_once('@').map_or((text, None), |(name, tile)| (name, Some(tile)));
    let policy = PolicyKind::ALL.into_iter().find(|policy| policy.name() == name)?;
    let tile = match tile {
        Some(tile) => {
            Some(game.names.find_tile(tile).filter(|tile| tile.index() < Tile::FULL_COUNT)?)
        }
        None => None,
    };
    Some((policy, tile))
}

fn parse_city(game: &CommonRiver, text: &str) -> Option<(Option<Tile>, bool)> {
    if text == "-" {
        return Some((None, false));
    }
    let (tile, stage) = text.split_once('/')?;
    let tile = game.names.find_tile(tile).filter(|tile| tile.is_land())?;
    Some((Some(tile), find_in(&[("site", false), ("complete", true)], stage)?))
}

fn find_in<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    table.iter().find(|(other, _)| *other == name).map(|&(_, value)| value)
}
