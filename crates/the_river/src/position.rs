//! The notation of positions of The River: one line of `key:value` words in a fixed order.
//!
//! The words for the whole table come first, then those of each seat, from `seat` on. Commas
//! separate the entries of a list, `x*3` stands for three of a kind, and `-` for an empty list.
//! Values that can be derived (unseen tiles and buildings, supply, symbols) are not written.

mod checks;

use std::fmt::Write;

use checks::check;

use super::{
    TheRiver,
    components::{Bag, Building, MAX_FACE_UP_TILES, MAX_TILE_KINDS, Resource, SPOTS, TileRow},
    data::Effect,
    state::{BuildingLocation, Phase, Place, State},
};
use watershed_engine::{
    bits::ones,
    game::{NotationError, Seat},
    games::{
        GameDefinition,
        position_parser::{PositionParser, format_count, format_list},
    },
};

const PHASES: [(&str, Phase); 12] = [
    ("first", Phase::FirstPlayer),
    ("boards", Phase::Boards),
    ("draft_tiles", Phase::DraftTiles),
    ("buildings", Phase::Buildings),
    ("draft", Phase::Draft),
    ("tiles", Phase::Tiles),
    ("place", Phase::Place),
    ("pay", Phase::Pay),
    ("swaps", Phase::Swaps),
    ("overflow", Phase::Overflow),
    ("income", Phase::IncomeOverflow),
    ("over", Phase::Over),
];

const PLACES: [(&str, Place); Place::COUNT] = [
    ("wood", Place::Wood),
    ("clay", Place::Clay),
    ("stone", Place::Stone),
    ("food", Place::Food),
    ("reserve", Place::Reserve),
    ("build", Place::Build),
    ("first", Place::First),
    ("swap", Place::Swap),
];

pub(super) fn text(game: &TheRiver, state: &State) -> String {
    let tile_list =
        |tiles: TileRow| format_list(tiles.iter().map(|kind| game.data.tile_name(kind).to_owned()));
    let building_list = |buildings: u64| {
        let names = ones(buildings)
            .map(|building| game.data.building_name(Building(building as u8)).to_owned());
        format_list(names)
    };
    let phase = PHASES.iter().find(|(_, phase)| *phase == state.phase());
    let places = PLACES.map(|(name, place)| (name, state.pioneers_on(place)));
    let places = places.into_iter().filter(|&(_, pioneers)| pioneers > 0);
    let counts = game.discarded_tiles(state);
    let discarded = game.tile_kinds().map(|kind| (kind, counts[usize::from(kind.0)]));
    let discarded = discarded.filter(|&(_, count)| count > 0);
    let mut removed = TileRow::default();
    removed.push(state.removed_tile());
    let mut text = format!(
        "{}/{} phase:{} round:{} turn:{} pawn:{} end:{} cursor:{} returning:{} places:{} tiles:{} \
            discarded:{} removed:{} buildings:{}",
        TheRiver::ID,
        game.players,
        phase.map_or("", |(name, _)| name),
        state.round(),
        state.decider(),
        state.pawn_holder(),
        u8::from(state.is_end_triggered()),
        state.cursor(),
        state.first_discard().name(),
        format_list(places.map(|(name, pioneers)| format_count(name, pioneers))),
        tile_list(state.face_up_tiles()),
        format_list(discarded.map(|(kind, count)| format_count(game.data.tile_name(kind), count))),
        tile_list(removed),
        building_list(state.face_up_buildings()),
    );
    for seat in game.all_seats() {
        let _ = write!(
            text,
            " seat:{seat} board:{} spots:{} held:{} tokens:{} token_points:{} boat:{} pioneers:{} \
                claims:{} framed:{} built:{} reserved:{}",
            game.data.board[state.board(seat)].id.as_str(),
            tile_list(state.tiles(seat)),
            state.bag(seat).text(),
            state.tokens(seat),
            state.token_points(seat),
            state.boat_pioneers(seat),
            state.pioneers(seat),
            state.claims(seat),
            game.framed_covered(state, seat),
            building_list(state.built_buildings(seat)),
            building_list(state.reserved_buildings(seat)),
        );
        // Words of rules that the built-in data does not have.
        if game.data.spots.food_per_player.get() > 0 {
            let _ = write!(text, " food_pioneers:{}", state.food_pioneers(seat));
        }
        if game.data.spots.swap_per_player.get() > 0 {
            let _ = write!(text, " swap_pioneers:{}", state.swap_pioneers(seat));
        }
    }
    text
}

pub(super) fn parse(game: &TheRiver, text: &str) -> Result<State, NotationError> {
    let words = PositionParser::new(text, "position of The River", TheRiver::ID, game.players)?;
    let mut reader = Reader { game, words, state: State::new(0) };
    let discarded = reader.read_table()?;
    for seat in game.all_seats() {
        reader.read_seat(seat)?;
    }
    reader.words.expect_end()?;
    reader.derive(&discarded)?;
    let Reader { words, state, .. } = reader;
    check(game, &state).map_err(|expected| words.error(expected))?;
    words.check_canonical(&self::text(game, &state))?;
    Ok(state)
}

struct Reader<'a> {
    game: &'a TheRiver,
    words: PositionParser<'a>,
    state: State,
}

impl Reader<'_> {
    /// Reads the words before those of the seats. Returns the number of discarded tiles by kind.
    fn read_table(&mut self) -> Result<[u32; MAX_TILE_KINDS + 1], NotationError> {
        let (game, words, state) = (self.game, &mut self.words, &mut self.state);
        let phase = words.parse_value("phase", |name| {
            PHASES.iter().find(|(phase, _)| *phase == name).map(|&(_, phase)| phase)
        })?;
        state.set_phase(phase);
        state.set_round(words.parse_number("round", game.data.rules.max_rounds.get())?);
        state.set_decider(words.parse_seat("turn")?);
        state.set_pawn_holder(words.parse_seat("pawn")?);
        state.set_end_triggered(words.parse_number("end", 1)? == 1);
        state.set_cursor(words.parse_number("cursor", u8::MAX.into())? as u8);
        state.set_first_discard(words.parse_value("returning", Resource::from_name)?);
        words.parse_entries("places", "places and pioneers", |name, count| {
            let (_, place) = PLACES.iter().find(|(place, _)| *place == name)?;
            state.set_pioneers_on(*place, count);
            (count <= Place::MAX_COUNTED_PIONEERS).then_some(())
        })?;
        self.state.face_up_tiles = self.read_tiles("tiles", MAX_FACE_UP_TILES)?;
        let mut discarded = [0; MAX_TILE_KINDS + 1];
        self.words.parse_entries("discarded", "names of tiles", |name, count| {
            discarded[usize::from(game.data.find_tile(name)?.0)] = count;
            Some(())
        })?;
        let removed = self.read_tiles("removed", 1)?;
        self.state.set_removed_tile(removed.get(0));
        self.read_buildings("buildings", BuildingLocation::FaceUp)?;
        Ok(discarded)
    }

    fn read_seat(&mut self, seat: Seat) -> Result<(), NotationError> {
        let game = self.game;
        if self.words.parse_seat("seat")? != seat {
            return Err(self.words.error(format!("`seat:{seat}` next")));
        }
        let board = self.words.parse_value("board", |name| game.data.find_board(name))?;
        self.state.set_board(seat, board.into());
        let tiles = self.read_tiles("spots", SPOTS)?;
        let (words, state) = (&mut self.words, &mut self.state);
        state.set_tiles(seat, tiles);
        let max = |resource| game.stock.get(resource);
        state.set_bag(seat, words.parse_value("held", |held| Bag::parse(held, max))?);
        state.set_tokens(seat, words.parse_number("tokens", game.bonus_spots)?);
        state.set_token_points(seat, words.parse_number("token_points", 127)?);
        state.set_boat_pioneers(seat, words.parse_number("boat", 7)?);
        state.set_pioneers(seat, words.parse_number("pioneers", 7)?);
        state.set_claims(seat, words.parse_number("claims", 7)?);
        let framed = words.parse_number("framed", 7)?;
        if framed != game.framed_covered(state, seat) {
            let expected = "`framed:` with the framed spots covered in this round";
            return Err(words.error(expected.to_owned()));
        }
        self.read_buildings("built", BuildingLocation::Built(seat))?;
        self.read_buildings("reserved", BuildingLocation::Reserved(seat))?;
        let (words, state) = (&mut self.words, &mut self.state);
        let (food, swap) = (&game.data.spots.food_per_player, &game.data.spots.swap_per_player);
        if food.get() > 0 {
            state.set_food_pioneers(seat, words.parse_number("food_pioneers", food.get())?);
        }
        if swap.get() > 0 {
            state.set_swap_pioneers(seat, words.parse_number("swap_pioneers", swap.get())?);
        }
        Ok(())
    }

    fn read_tiles(&mut self, key: &str, max: usize) -> Result<TileRow, NotationError> {
        let mut row = TileRow::default();
        let expected = format!("up to {max} names of tiles");
        self.words.parse_entries(key, &expected, |name, count| {
            let kind = self.game.data.find_tile(name)?;
            (count == 1 && row.len() < max).then(|| _ = row.push(kind))
        })?;
        Ok(row)
    }

    fn read_buildings(
        &mut self,
        key: &str,
        location: BuildingLocation,
    ) -> Result<(), NotationError> {
        let (game, state) = (self.game, &mut self.state);
        self.words.parse_entries(key, "names of buildings, each in one place", |name, _| {
            let building = game.data.find_building(name)?;
            let is_unseen = state.unseen_buildings(game.building_pile) >> building.0 & 1 == 1;
            is_unseen.then(|| state.set_building_location(building, location))
        })
    }

    /// Derives the unseen tiles, and the symbols and income of the seats.
    fn derive(&mut self, discarded: &[u32]) -> Result<(), NotationError> {
        let (game, state) = (self.game, &mut self.state);
        for kind in game.tile_kinds() {
            let visible = game.visible_tiles(state).filter(|&tile| tile == kind).count() as u32;
            let copies = game.tile_rules(kind).copies;
            let seen = visible.saturating_add(discarded[usize::from(kind.0)]);
            let unseen = copies.checked_sub(seen).ok_or_else(|| {
                self.words.error(format!("at most {copies} of tile {}", game.data.tile_name(kind)))
            })?;
            state.unseen_tiles |= game.pile_of(kind, unseen);
        }
        // The check above ensures that the symbols of each board fit.
        for seat in game.all_seats() {
            let tiles = state.tiles(seat);
            let gives_income =
                |kind| matches!(game.tile_rules(kind).effect, Some(Effect::Income { .. }));
            if tiles.iter().any(gives_income) {
                state.set_has_income(seat);
            }
            // In setup a seat without a board has no symbols.
            let has_board = match state.phase() {
                Phase::FirstPlayer => false,
                Phase::Boards => seat < state.decider(),
                _ => true,
            };
            if has_board {
                let board = &game.boards[state.board(seat)];
                let symbols =
                    tiles.iter().zip(&board.spots).fold(board.all, |symbols, (kind, &covered)| {
                        symbols.minus(covered).plus(game.tile_rules(kind).symbols)
                    });
                state.set_symbols(seat, symbols);
            }
        }
        Ok(())
    }
}
