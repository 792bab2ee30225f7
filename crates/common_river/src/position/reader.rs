//! Parsing of positions. Each word is checked as it is read; `checks` checks the whole.

use super::{
    super::{
        CommonRiver,
        components::{
            MAX_PIECES, MAX_ROWS, MAX_TOKENS, MAX_WEATHER_KINDS, Structure, Tile, Token, Tokens,
        },
        data::{MAX_DIE, MAX_MODIFIER},
        notation::MODES,
        phases::{Actor, PolicyKind, SeatOrder},
        pieces::{Boats, Camp, Lane, Owners, Status},
        state::State,
    },
    PASSIVE, PHASES, STAGES, STATUSES, WINDOWS,
    checks::check,
    slot_kind,
};
use watershed_engine::{
    bits::ones,
    game::{NotationError, Seat},
    games::{
        GameDefinition,
        position_parser::{PositionParser, parse_count, value_named},
    },
};

const ACTING: [Structure; 4] =
    [Structure::Boat, Structure::Camp, Structure::Excavator, Structure::Mill];
const MILLS: [Lane; 3] = [Lane::FreshMill, Lane::SpentMill, Lane::SpentMill];
const EXCAVATORS: [Lane; 3] = [Lane::FreshExcavator, Lane::ClosedExcavator, Lane::TurnedExcavator];

pub(in super::super) fn parse(game: &CommonRiver, text: &str) -> Result<State, NotationError> {
    let notation = "position of We All Take from the River";
    let words = PositionParser::new(text, notation, CommonRiver::ID, game.players)?;
    let mut reader = Reader { game, words };
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
        let game = self.game;
        let players = game.players as u32;
        let level =
            |text: &str| text.parse().ok().filter(|level| (-MAX_WATER..=MAX_WATER).contains(level));
        let row = |text: &str| {
            text.parse::<u8>().ok()?.checked_sub(1).filter(|&row| usize::from(row) < game.map.rows)
        };
        let mode = |text: &str| value_named(&MODES, text).filter(|mode| game.modes.contains(mode));
        let mut state = State {
            phase: self.words.parse_named("phase", &PHASES)?,
            mode: self.words.parse_value("mode", mode)?,
            day: self.read_u8("day", u8::MAX)?,
            row: self.words.parse_value("row", row)?,
            decider: self.words.parse_seat("turn")?,
            first_player: self.words.parse_seat("first")?,
            water: self.words.parse_value("water", level)?,
            carried_water: self.words.parse_value("carry", level)?,
            window: self.words.parse_named("window", &WINDOWS)?,
            camp_order: self.read_order()?,
            cursor: self.read_u8("cursor", players as u8)?,
            last_choice: self.read_u8("last", 63)?,
            step_count: self.read_u8("count", 99)?,
            offer_round: self.read_u8("round", 99)?,
            offer_made: self.words.parse_flag("offered")?,
            place: self.read_u8("place", 2)?,
            group_begun: self.words.parse_flag("group")?,
            privileged: self.words.parse_flag("privileged")?,
            second_sale: self.words.parse_flag("second_sale")?,
            actor: self.read_optional("actor", |text| parse_actor(game, text))?,
            partner_or_voter: self.read_u8("other", players as u8 - 1)?,
            offered_tokens: self.read_tokens("given")?,
            requested_tokens: self.read_tokens("asked")?,
            proposal: self.read_optional("proposal", |text| parse_proposal(game, text))?,
            votes: [
                self.words.parse_number("for", MAX_TOKENS as u32)? as u16,
                self.words.parse_number("against", MAX_TOKENS as u32)? as u16,
            ],
            yes_voters: self.read_seats("yes")?,
            settled_seats: self.read_seats("settled")?,
            failed_tiles: self.read_tiles("failed_tiles", game.map.land_and_river)?,
            failed_sites: self.read_tiles("failed_sites", game.map.land)?,
            subsidy_failed: self.words.parse_flag("subsidy_failed")?,
            subsidized: self.words.parse_flag("subsidized")?,
            ..State::default()
        };
        self.read_weather(&mut state)?;
        self.read_slots(&mut state)?;
        self.read_loose(&mut state)?;
        state.flooded = self.read_tiles("flooded", game.map.land)?;
        state.protected = self.read_tiles("protected", game.map.land_and_river)?;
        state.bridges = self
            .read_owners("bridges", |tile| (tile == Tile::river(tile.row())).then(|| tile.row()))?;
        state.nets = self.read_owners("nets", |tile| tile.is_land().then(|| tile.index()))?;
        let city = self.read_optional("city", |text| parse_city(game, text))?;
        (state.city, state.city_complete) =
            city.map_or((None, false), |(tile, complete)| (Some(tile), complete));
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

    fn read_u8(&mut self, key: &str, max: u8) -> Result<u8, NotationError> {
        Ok(self.words.parse_number(key, max.into())? as u8)
    }

    /// Reads a word that may be `-` for none.
    fn read_optional<T>(
        &mut self,
        key: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, NotationError> {
        self.words
            .parse_value(key, |text| if text == "-" { Some(None) } else { parse(text).map(Some) })
    }

    fn parse_seat(&self, text: &str) -> Option<Seat> {
        self.game.all_seats().find(|seat| seat.to_string() == text)
    }

    fn parse_tile(&self, name: &str) -> Option<Tile> {
        self.game.tile_names.find(name)
    }

    /// Parses an entry with the contents or the owner of a tile, as in `W1=fish`.
    fn parse_entry<'t>(&self, entry: &'t str) -> Option<(Tile, &'t str)> {
        let (tile, rest) = entry.split_once('=')?;
        Some((self.parse_tile(tile)?, rest))
    }

    fn read_order(&mut self) -> Result<SeatOrder, NotationError> {
        let players = self.game.players;
        let mut order = SeatOrder::default();
        let seats: Vec<_> =
            self.words.next_list("order")?.map(|text| self.parse_seat(text)).collect();
        let is_complete = self.game.all_seats().all(|seat| seats.contains(&Some(seat)));
        self.words.check(
            seats.is_empty() || is_complete && seats.len() == players,
            "`order:` with every seat once",
        )?;
        seats.into_iter().flatten().enumerate().for_each(|(index, seat)| order.set(index, seat));
        Ok(order)
    }

    fn read_tokens(&mut self, key: &str) -> Result<Tokens, NotationError> {
        let mut tokens = Tokens::NONE;
        for (name, count) in self.words.parse_counts(key)? {
            match Token::from_name(name) {
                Some(token) if tokens.get(token) == 0 && u64::from(count) <= MAX_TOKENS => {
                    tokens.add(token, count);
                }
                _ => {
                    return self.error(format!(
                        "`{key}:` with tokens such as `fish*2`, each kind once and at most \
                            {MAX_TOKENS} of it"
                    ));
                }
            }
        }
        Ok(tokens)
    }

    fn read_seats(&mut self, key: &str) -> Result<u8, NotationError> {
        let mut seats = self.words.next_list(key)?.map(|text| self.parse_seat(text));
        let set = seats.try_fold(0, |set, seat| Some(set | 1 << seat?.index()));
        set.ok_or_else(|| self.words.error(format!("`{key}:` with seats")))
    }

    fn read_tiles(&mut self, key: &str, among: u32) -> Result<u16, NotationError> {
        let mut set = 0;
        for name in self.words.next_list(key)? {
            match self.parse_tile(name).filter(|tile| among & tile.bit() != 0) {
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
        index: impl Fn(Tile) -> Option<usize>,
    ) -> Result<Owners, NotationError> {
        let mut owners = Owners::default();
        for entry in self.words.next_list(key)? {
            let parsed = self
                .parse_entry(entry)
                .and_then(|(tile, seat)| Some((index(tile)?, self.parse_seat(seat)?)));
            match parsed {
                Some((index, seat)) if owners.get(index).is_none() => owners.set(index, Some(seat)),
                _ => {
                    return self.error(format!(
                        "`{key}:` with tiles of the map and seats such as `{entry}`, each tile once"
                    ));
                }
            }
        }
        Ok(owners)
    }

    fn read_weather(&mut self, state: &mut State) -> Result<(), NotationError> {
        let game = self.game;
        let max_cards = game.data.rules.almanac.get() as usize;
        let mut almanac = Vec::new();
        for name in self.words.next_list("almanac")? {
            match game.data.find_weather(name) {
                Some(card) if almanac.len() < max_cards => almanac.push(card),
                _ => {
                    return self
                        .error(format!("`almanac:` with at most {max_cards} weather cards"));
                }
            }
        }
        for (name, count) in self.words.parse_counts("unseen")? {
            match game.data.find_weather(name) {
                Some(card)
                    if state.unseen_count(card) == 0
                        && count <= game.data.weather[card].count.get() =>
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
        for (card, weather) in game.data.weather.iter().enumerate() {
            let shown = almanac.iter().filter(|&&other| other == card).count() as u32;
            let (count, name) = (weather.count.get(), game.data.weather_name(card));
            let fits = state.unseen_count(card) + shown <= count;
            self.words.check(fits, format!("at most {count} of weather {name}"))?;
            state.unseen += u64::from(shown) << (card * 4);
        }
        for card in almanac {
            state.reveal(card);
        }
        Ok(())
    }

    fn read_slots(&mut self, state: &mut State) -> Result<(), NotationError> {
        let game = self.game;
        let mut seen = 0;
        for entry in self.words.next_list("slots")? {
            let error = || {
                let expected =
                    format!("`slots:` with tiles such as `L1=tree+-+pollution`, not {entry:?}");
                self.words.error(expected)
            };
            let (tile, contents) = self.parse_entry(entry).ok_or_else(error)?;
            let slots = game.map.slots[tile.index()];
            if contents.split('+').count() != slots.count_ones() as usize || seen & tile.bit() != 0
            {
                return Err(error());
            }
            seen |= tile.bit();
            for (slot, content) in ones(slots).zip(contents.split('+')) {
                match content {
                    "-" => {}
                    "pollution" if tile.index() < Tile::FULL_COUNT => state.polluted |= 1 << slot,
                    name if name == slot_kind(game, slot).name() => state.filled |= 1 << slot,
                    _ => return Err(error()),
                }
            }
        }
        Ok(())
    }

    fn read_loose(&mut self, state: &mut State) -> Result<(), NotationError> {
        for entry in self.words.next_list("loose")? {
            let error = || {
                let expected =
                    format!("`loose:` with river tiles such as `W1=fish+gravel*2`, not {entry:?}");
                self.words.error(expected)
            };
            let (tile, contents) = self.parse_entry(entry).ok_or_else(error)?;
            let flow = &mut state.loose_tokens[tile.row()];
            if tile != Tile::river(tile.row()) || !flow.is_empty() {
                return Err(error());
            }
            for content in contents.split('+') {
                let (name, count) = parse_count(content).ok_or_else(error)?;
                match Token::from_name(name) {
                    Some(token)
                        if token != Token::Gold
                            && flow.get(token) == 0
                            && u64::from(count) <= MAX_TOKENS =>
                    {
                        flow.add(token, count);
                    }
                    _ => return Err(error()),
                }
            }
        }
        Ok(())
    }

    fn read_seat(&mut self, state: &mut State, seat: Seat) -> Result<(), NotationError> {
        let (game, index) = (self.game, seat.index());
        self.words.expect_seat(seat)?;
        let role = self.read_optional("role", |name| {
            game.data.role.iter().position(|role| role.id.as_str() == name)
        })?;
        state.roles[index] = role.map_or(0, |role| role as u8 + 1);
        state.stock[index] = self.read_tokens("stock")?;
        state.proposals_made[index] =
            self.words.parse_number("proposals", game.data.negotiation.proposals_per_day.get())?
                as u8;
        if let Some((tile, status)) = self.read_optional("camp", |text| parse_placed(game, text))? {
            self.words.check(tile.is_land(), "`camp:` with a land tile")?;
            state.camps[index] = Camp::new(tile, status);
        }
        for (tile, status, count) in self.read_placed("boats", false)? {
            let boats = &mut state.boats[index][tile.row()];
            let fresh = if status == Status::Fresh { count } else { 0 };
            *boats = Boats::new(boats.fresh() + fresh, boats.turned() + count - fresh);
        }
        let stacks = &mut state.stacks[index];
        for (key, lanes) in [("excavators", EXCAVATORS), ("mills", MILLS)] {
            for (tile, status, count) in self.read_placed(key, true)? {
                (0..count).for_each(|_| stacks[tile.index()].insert(lanes[status as usize]));
            }
        }
        for (key, kind, lane) in PASSIVE {
            let mut sum = 0;
            for (name, count) in self.words.parse_counts(key)? {
                let is_new = |tile: &Tile| tile.is_land() && stacks[tile.index()].count(kind) == 0;
                let Some(tile) = self.parse_tile(name).filter(is_new) else {
                    return self.error(format!("`{key}:` with land tiles, each once"));
                };
                sum = self.add_pieces(key, sum, count)?;
                (0..count).for_each(|_| stacks[tile.index()].insert(lane));
            }
        }
        Ok(())
    }

    /// Adds to a count of pieces, which must not exceed the maximum.
    fn add_pieces(&self, key: &str, sum: u32, count: u32) -> Result<u32, NotationError> {
        let sum = sum.saturating_add(count);
        self.words.check(sum <= MAX_PIECES as u32, format!("at most {MAX_PIECES} in `{key}:`"))?;
        Ok(sum)
    }

    /// Reads acting structures with their tile and status, at most as many as the counts can hold.
    fn read_placed(
        &mut self,
        key: &str,
        land: bool,
    ) -> Result<Vec<(Tile, Status, u32)>, NotationError> {
        let mut placed = Vec::new();
        let mut sum = 0;
        for (name, count) in self.words.parse_counts(key)? {
            let parsed = parse_placed(self.game, name)
                .filter(|(tile, _)| tile.is_land() == land && tile.index() < Tile::FULL_COUNT);
            let Some((tile, status)) = parsed else {
                let example = if land { "L1/fresh*2" } else { "W1/fresh*2" };
                return self.error(format!("`{key}:` with entries such as `{example}`"));
            };
            sum = self.add_pieces(key, sum, count)?;
            placed.push((tile, status, count));
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

/// Parses a tile and a status, as in `L3/fresh`.
fn parse_placed(game: &CommonRiver, text: &str) -> Option<(Tile, Status)> {
    let (tile, status) = text.split_once('/')?;
    Some((game.tile_names.find(tile)?, value_named(&STATUSES, status)?))
}

fn parse_actor(game: &CommonRiver, text: &str) -> Option<Actor> {
    let (kind, rest) = text.split_once('@')?;
    let mut parts = rest.split('/');
    let actor = Actor {
        kind: Structure::from_name(kind).filter(|kind| ACTING.contains(kind))?,
        tile: game.tile_names.find(parts.next()?).filter(|tile| tile.index() < Tile::FULL_COUNT)?,
        stage: value_named(&STAGES, parts.next()?)?,
        only_candidate: value_named(&[("sole", true), ("chosen", false)], parts.next()?)?,
    };
    parts.next().is_none().then_some(actor)
}

fn parse_proposal(game: &CommonRiver, text: &str) -> Option<(PolicyKind, Option<Tile>)> {
    let (name, tile) = text.split_once('@').map_or((text, None), |(name, tile)| (name, Some(tile)));
    let policy = PolicyKind::ALL.into_iter().find(|policy| policy.name() == name)?;
    let Some(tile) = tile else { return Some((policy, None)) };
    let tile = game.tile_names.find(tile).filter(|tile| tile.index() < Tile::FULL_COUNT)?;
    Some((policy, Some(tile)))
}

/// Parses the tile of the City, and true if it is complete.
fn parse_city(game: &CommonRiver, text: &str) -> Option<(Tile, bool)> {
    let (tile, stage) = text.split_once('/')?;
    let tile = game.tile_names.find(tile).filter(|tile| tile.is_land())?;
    Some((tile, value_named(&[("site", false), ("complete", true)], stage)?))
}
