//! The fields of the text of a position of The River: those of the table, then for each seat those
//! from `seat` on. Values that can be derived (unseen tiles and buildings, supply, symbols) are not
//! written.

mod checks;

use super::{
    TheRiver,
    components::{Bag, Building, MAX_FACE_UP_TILES, Resource, SPOTS, TileKind, TileRow},
    data::TileEffect,
    state::{BuildingLocation, Phase, Place, State},
};
use watershed_engine::{
    bits::ones,
    game::Seat,
    games::position_text::{Expect, PositionFields, Words, expect},
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

/// The number of pioneers that the counts of all places can hold.
const MAX_PIONEERS: u32 = Place::COUNT as u32 * Place::MAX_COUNTED_PIONEERS;

impl PositionFields for TheRiver {
    const NOTATION: &'static str = "position of The River";

    fn fields(&self, words: &mut Words, state: &mut State) -> Expect {
        let data = &self.data;
        state.set_phase(words.named("phase", state.phase(), &PHASES)?);
        state.set_round(words.number("round", state.round(), 0..=data.rules.max_rounds.get())?);
        state.set_decider(words.seat("turn", state.decider())?);
        state.set_pawn_holder(words.seat("pawn", state.pawn_holder())?);
        state.set_end_triggered(words.flag("end", state.is_end_triggered())?);
        state.set_cursor(words.number("cursor", state.cursor(), 0..=u8::MAX)?);
        let resources = Resource::ALL.map(|resource| (resource.name(), resource));
        state.set_first_discard(words.named("returning", state.first_discard(), &resources)?);
        let places = PLACES.map(|(name, place)| (name, place, state.pioneers_on(place)));
        for (place, pioneers) in words.counts("places", places, MAX_PIONEERS)? {
            state.set_pioneers_on(place, pioneers);
        }
        state.face_up_tiles =
            self.tile_row(words, "tiles", state.face_up_tiles, MAX_FACE_UP_TILES)?;
        let discarded = self.discarded_tiles(state);
        let discarded = self
            .tile_kinds()
            .map(|kind| (data.tile_name(kind), kind, discarded[usize::from(kind.0)]));
        for (kind, count) in words.counts("discarded", discarded, u32::MAX)? {
            self.take_unseen(state, kind, count)?;
        }
        let mut removed = TileRow::default();
        removed.push(state.removed_tile());
        state.set_removed_tile(self.tile_row(words, "removed", removed, 1)?.get(0));
        self.buildings(words, "buildings", state, BuildingLocation::FaceUp)?;
        self.all_seats().try_for_each(|seat| self.seat_fields(words, state, seat))
    }

    fn complete(&self, state: &mut State) -> Expect {
        let visible: Vec<_> = self.visible_tiles(state).collect();
        for kind in visible.into_iter().filter(|&kind| kind != TileKind::NONE) {
            self.take_unseen(state, kind, 1)?;
        }
        self.all_seats().for_each(|seat| self.derive_symbols(seat, state));
        self.check_position(state)
    }
}

impl TheRiver {
    fn seat_fields(&self, words: &mut Words, state: &mut State, seat: Seat) -> Expect {
        let data = &self.data;
        words.begin_seat(seat)?;
        let boards: Vec<_> = data.board.iter().map(|board| board.id.as_str()).zip(0..).collect();
        state.set_board(seat, words.named("board", state.board(seat), &boards)?);
        state.set_tiles(seat, self.tile_row(words, "spots", state.tiles(seat), SPOTS)?);
        let bag = words.value(
            "held",
            state.bag(seat),
            |bag| bag.text(),
            |text| Bag::parse(text, |resource| self.stock.get(resource)).ok_or(text),
            "resources of the game such as `w2f1`",
        )?;
        state.set_bag(seat, bag);
        state.set_tokens(seat, words.number("tokens", state.tokens(seat), 0..=self.bonus_spots)?);
        let token_points = words.number("token_points", state.token_points(seat), 0..=127)?;
        state.set_token_points(seat, token_points);
        state.set_boat_pioneers(seat, words.number("boat", state.boat_pioneers(seat), 0..=7)?);
        state.set_pioneers(seat, words.number("pioneers", state.pioneers(seat), 0..=7)?);
        state.set_claims(seat, words.number("claims", state.claims(seat), 0..=7)?);
        let framed = self.framed_covered(state, seat);
        let framed_fits = words.number("framed", framed, 0..=7)? == framed;
        expect(framed_fits, "`framed:` with the framed spots covered in this round")?;
        self.buildings(words, "built", state, BuildingLocation::Built(seat))?;
        self.buildings(words, "reserved", state, BuildingLocation::Reserved(seat))
    }

    fn tile_row(
        &self,
        words: &mut Words,
        key: &str,
        mut row: TileRow,
        max: usize,
    ) -> Expect<TileRow> {
        let names: Vec<_> =
            self.tile_kinds().map(|kind| (self.data.tile_name(kind), kind)).collect();
        for (kind, count) in
            words.list(key, row.iter().map(|kind| (kind, 1)), &names, max as u32)?
        {
            (0..count).for_each(|_| _ = row.push(kind));
        }
        Ok(row)
    }

    /// Removes tiles from the unseen ones.
    fn take_unseen(&self, state: &mut State, kind: TileKind, count: u32) -> Expect {
        let (rules, name) = (self.tile_rules(kind), self.data.tile_name(kind));
        let left = self.unseen_tiles(state, kind).checked_sub(count);
        let left = left.ok_or_else(|| format!("at most {} of tile {name}", rules.copies))?;
        state.unseen_tiles = state.unseen_tiles & !rules.group | self.pile_of(kind, left);
        Ok(())
    }

    /// The buildings in one place. Those that are read must not be in another place.
    fn buildings(
        &self,
        words: &mut Words,
        key: &str,
        state: &mut State,
        location: BuildingLocation,
    ) -> Expect {
        let found = match location {
            BuildingLocation::FaceUp => state.face_up_buildings(),
            BuildingLocation::Reserved(seat) => state.reserved_buildings(seat),
            BuildingLocation::Built(seat) => state.built_buildings(seat),
        };
        let names = ones(found | state.unseen_buildings(self.building_pile))
            .map(|building| (self.data.building_name(Building(building as u8)), building as usize));
        for building in ones(words.set(key, found, names)?) {
            state.set_building_location(Building(building as u8), location);
        }
        Ok(())
    }

    /// Derives the symbols and the income of a seat.
    fn derive_symbols(&self, seat: Seat, state: &mut State) {
        let tiles = state.tiles(seat);
        let gives_income =
            |kind| matches!(self.tile_rules(kind).effect, Some(TileEffect::Income { .. }));
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
            let board = &self.boards[state.board(seat)];
            let symbols =
                tiles.iter().zip(&board.spots).fold(board.all, |symbols, (kind, &covered)| {
                    symbols.minus(covered).plus(self.tile_rules(kind).symbols)
                });
            state.set_symbols(seat, symbols);
        }
    }
}
