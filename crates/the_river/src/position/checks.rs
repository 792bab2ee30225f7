//! Checks of parsed positions.
//!
//! Each condition has a text of what is expected. All conditions hold in every position that play
//! can reach, but a position that fulfils them need not be reachable.

use std::collections::BTreeSet;

use super::{
    super::{
        TheRiver,
        action::Action,
        cleanup::{INCOME_RESOURCE_STEP, INCOME_SEAT_STEP},
        components::{Resource, SPOTS},
        data::TileEffect,
        state::{Phase, Place, State},
    },
    PLACES,
};
use watershed_engine::{
    game::{ActionSet, Game, Seat},
    games::position_text::{Expect, expect, expect_all},
};

/// True from the return of the pioneers until the next round begins, and after the end.
fn is_settled(state: &State) -> bool {
    matches!(state.phase(), Phase::IncomeOverflow | Phase::Over)
}

/// True while tiles and buildings are laid out after a round.
fn is_cleanup(state: &State) -> bool {
    state.round() > 0 && matches!(state.phase(), Phase::Tiles | Phase::Buildings)
}

/// True during a seat's turn in a round.
fn is_in_turn(state: &State) -> bool {
    state.round() > 0
        && matches!(state.phase(), Phase::Place | Phase::Pay | Phase::Swaps | Phase::Overflow)
}

impl TheRiver {
    /// Checks a position. The error is what is expected by the first condition that does not hold.
    pub(super) fn check_position(&self, state: &State) -> Expect {
        self.check_boards(state)?;
        if matches!(state.phase(), Phase::FirstPlayer | Phase::Boards) {
            let expected = "nothing laid out yet except the boards of the seats before `turn:`";
            return expect(self.is_reachable_setup(state), expected);
        }
        self.check_course(state)?;
        self.check_tiles(state)?;
        self.check_pioneers(state)?;
        self.check_buildings(state)?;
        self.check_tokens(state)?;
        self.check_resources(state)?;
        self.check_phase(state)
    }

    /// Checks that the boards of the seats differ.
    fn check_boards(&self, state: &State) -> Expect {
        let given = match state.phase() {
            Phase::FirstPlayer => 0,
            Phase::Boards => state.decider().index(),
            _ => self.players,
        };
        let boards: BTreeSet<_> = (0..given).map(|seat| state.board(Seat::new(seat))).collect();
        expect(boards.len() == given, "`board:` with a different board for each seat")
    }

    /// Returns true if setup reaches this position before all seats have boards.
    fn is_reachable_setup(&self, state: &State) -> bool {
        let mut reached = self.initial();
        if state.phase() == Phase::Boards {
            self.apply(&mut reached, Action::FirstPlayer(state.pawn_holder()));
            for seat in (0..state.decider().index()).map(Seat::new) {
                self.apply(&mut reached, Action::Board(state.board(seat) as u8));
            }
        }
        reached == *state
    }

    /// Returns the turn position of a seat in the draft, which goes counterclockwise and ends with
    /// the holder of the pawn.
    fn draft_position(&self, state: &State, seat: Seat) -> usize {
        let players = self.players;
        (state.pawn_holder().index() + 2 * players - 1 - seat.index()) % players
    }

    /// The number of seats that have claimed their first tile.
    fn seats_drafted(&self, state: &State) -> usize {
        match state.phase() {
            Phase::DraftTiles => 0,
            Phase::Buildings if state.round() == 0 => 0,
            Phase::Draft => self.draft_position(state, state.decider()),
            Phase::Overflow if state.round() == 0 => {
                self.draft_position(state, state.decider()) + 1
            }
            _ => self.players,
        }
    }

    /// The number of tiles claimed in this round.
    fn claims(&self, state: &State) -> u32 {
        self.all_seats().map(|seat| state.claims(seat)).sum()
    }

    fn has_tile_to_draw(&self, state: &State) -> bool {
        state.unseen_tiles != 0 || self.has_discarded_tiles(state)
    }

    fn has_building_to_draw(&self, state: &State) -> bool {
        state.unseen_buildings(self.building_pile) != 0
    }

    /// Checks that phase, round, end and the rest of a decision agree.
    fn check_course(&self, state: &State) -> Expect {
        let round_fits = match state.phase() {
            Phase::DraftTiles | Phase::Draft => state.round() == 0,
            Phase::Place | Phase::Pay | Phase::Swaps | Phase::IncomeOverflow | Phase::Over => {
                state.round() > 0
            }
            _ => true,
        };
        let ends =
            |seat| state.tokens(seat) == self.bonus_spots || state.tiles(seat).len() == SPOTS;
        let end_fits = state.is_end_triggered() == self.all_seats().any(ends);
        let is_end_cleanup = state.is_end_triggered() && is_cleanup(state);
        let is_over = state.phase() != Phase::Over || self.is_last_round(state);
        let has_cursor = matches!(state.phase(), Phase::Pay | Phase::Swaps | Phase::IncomeOverflow);
        let returns = matches!(state.phase(), Phase::Overflow | Phase::IncomeOverflow);
        let first_discard_fits = returns || state.first_discard() == Resource::Wood;
        expect_all([
            (round_fits, "`round:0` in setup only"),
            (end_fits, "`end:1` if and only if a seat has a full board or all bonus tokens"),
            (!is_end_cleanup, "nothing laid out after the end was triggered"),
            (is_over, "a game that has ended"),
            (has_cursor || state.cursor() == 0, "`cursor:0` in this phase"),
            (first_discard_fits, "`returning:wood` in this phase"),
        ])
    }

    /// Checks the tiles on boards, face up and discarded, and the claims of this round.
    fn check_tiles(&self, state: &State) -> Expect {
        let max_claims = self.data.rules.claim_tile_per_player.get();
        let rounds_over =
            if is_settled(state) { state.round() } else { state.round().saturating_sub(1) };
        let drafted = self.seats_drafted(state);
        for seat in self.all_seats() {
            let (tiles, claims) = (state.tiles(seat).len() as u32, state.claims(seat));
            let drafted = u32::from(self.draft_position(state, seat) < drafted);
            let before = tiles.checked_sub(drafted + claims);
            let claims_fit =
                claims == 0 || !is_settled(state) && state.round() > 0 && claims <= max_claims;
            let tiles_fit = before.is_some_and(|before| before <= rounds_over * max_claims);
            expect_all([
                (claims_fit, "`claims:` within the limit of a round, and 0 outside one"),
                (tiles_fit, "as many tiles on boards as the draft and the rounds allow"),
            ])?;
        }
        let face_up = state.face_up_tiles().len();
        let is_draft = state.round() == 0 && state.phase() != Phase::Tiles;
        let full = if is_draft { self.draft_tiles - drafted } else { self.face_up_tiles };
        let taken = if is_in_turn(state) { self.claims(state) as usize } else { 0 };
        let row_fits = match state.phase() {
            Phase::DraftTiles => face_up < full,
            Phase::Tiles => face_up < full && self.has_tile_to_draw(state),
            _ if is_settled(state) && state.is_end_triggered() => face_up <= full,
            _ => {
                face_up + taken == full
                    || state.round() > 0 && face_up + taken < full && !self.has_tile_to_draw(state)
            }
        };
        let removes_none = is_draft || self.draft_tiles == self.players;
        let removed_fits = (state.removed_tile().0 == 0) == removes_none;
        let before_cleanup = state.round() == 0 || state.round() == 1 && is_in_turn(state);
        let discards_fit = !before_cleanup || !self.has_discarded_tiles(state);
        expect_all([
            (row_fits, "`tiles:` with the number of tiles of this phase"),
            (removed_fits, "`removed:` with the tile left over from the draft, after the draft"),
            (discards_fit, "no discarded tiles before the first cleanup"),
        ])
    }

    /// Checks the pioneers of each seat, on boats and on places.
    fn check_pioneers(&self, state: &State) -> Expect {
        let rules = &self.data.rules;
        let (start, spot) = (rules.start_pioneers.get(), rules.extra_pioneer_on_bonus_spot.get());
        let (mut spent, mut max) = (0, 0);
        for seat in self.all_seats() {
            let (pioneers, boat) = (state.pioneers(seat), state.boat_pioneers(seat));
            let extra = u32::from((1..=state.tokens(seat)).contains(&spot));
            let settled = self.framed_spots(state.tiles(seat).len() as u32)
                - self.framed_covered(state, seat);
            // A pioneer gained after all others have settled stays.
            let range =
                (start + extra).saturating_sub(settled)..=start.saturating_sub(settled) + extra;
            let boat_fits = if state.round() == 0 || is_settled(state) {
                boat == pioneers
            } else {
                boat <= pioneers && (boat == 0 || !is_cleanup(state))
            };
            let claims_fit = state.claims(seat) <= pioneers.saturating_sub(boat);
            expect_all([
                (
                    range.contains(&pioneers),
                    "`pioneers:` with those of the start and the bonus spot, without those that \
                     settled",
                ),
                (boat_fits, "`boat:` with as many pioneers as this phase allows"),
                (claims_fit, "no more claims than pioneers spent"),
            ])?;
            spent += pioneers - boat;
            max += start + extra;
        }
        let on_places: u32 = PLACES.iter().map(|&(_, place)| state.pioneers_on(place)).sum();
        let within_limits = PLACES
            .iter()
            .all(|&(_, place)| state.pioneers_on(place) <= self.place_limits[place as usize]);
        // A pioneer that passed is on no place. After cleanup the places still show the last round.
        let placeable = if is_settled(state) { max } else { spent };
        let boat = state.boat_pioneers(state.decider());
        let decides = state.phase() == Phase::Place;
        let acted = decides || !is_in_turn(state) || boat < state.pioneers(state.decider());
        let placeable_fits = on_places + self.claims(state) <= placeable;
        expect_all([
            (within_limits, "no more pioneers on a place than its limit"),
            (placeable_fits, "no more pioneers on places than seats have spent"),
            (acted, "a pioneer spent by the seat whose turn it is"),
            (!decides || boat > 0, "a pioneer on the deciding seat's boat"),
        ])
    }

    /// Checks the buildings face up, reserved and built.
    fn check_buildings(&self, state: &State) -> Expect {
        let hand_limit = self.data.rules.reserve_hand_limit.get();
        let reserved = |seat| state.reserved_buildings(seat).count_ones();
        let built = |seat| state.built_buildings(seat).count_ones();
        let [on_reserve, on_build] =
            [Place::Reserve, Place::Build].map(|place| state.pioneers_on(place));
        let (face_up, full) = (state.face_up_buildings().count_ones(), self.face_up_buildings);
        let row_fits = match state.phase() {
            Phase::DraftTiles => face_up == 0,
            Phase::Buildings => face_up < full && self.has_building_to_draw(state),
            _ if is_settled(state) && state.is_end_triggered() => face_up <= full,
            // A building taken in a round leaves a gap until cleanup. A building that was built may
            // have been reserved before.
            _ if is_in_turn(state) || is_cleanup(state) => {
                let all_counted = on_reserve.max(on_build) < Place::MAX_COUNTED_PIONEERS;
                let min = face_up + on_reserve;
                min <= full
                    && (!self.has_building_to_draw(state) || !all_counted || full <= min + on_build)
            }
            _ => face_up == full || face_up < full && !self.has_building_to_draw(state),
        };
        let hands_fit = self.all_seats().all(|seat| reserved(seat) <= hand_limit);
        let none_taken = self.all_seats().all(|seat| reserved(seat) + built(seat) == 0);
        expect_all([
            (row_fits, "`buildings:` with the number of buildings of this phase"),
            (hands_fit, "no more reserved buildings than the hand limit"),
            (state.round() > 0 || none_taken, "no buildings taken in setup"),
        ])
    }

    /// Checks that the bonus tokens of each seat can be among those taken so far.
    fn check_tokens(&self, state: &State) -> Expect {
        let taken: usize = self.all_seats().map(|seat| state.tokens(seat) as usize).sum();
        let Some(values) = self.tokens.get(..taken) else {
            return Err(format!("at most {} bonus tokens in all", self.tokens.len()));
        };
        let points: u32 = self.all_seats().map(|seat| state.token_points(seat)).sum();
        let at_start: u32 = self.start_points[..self.players].iter().sum();
        let points_fit = points == at_start + values.iter().sum::<u32>();
        expect(points_fit, "`token_points:` with the values of the tokens taken so far")?;
        for seat in self.all_seats() {
            let tokens = state.tokens(seat) as usize;
            let built = state.built_buildings(seat).count_ones();
            let due = built.min(self.bonus_spots) as usize;
            let tokens_fit = tokens == due || tokens < due && taken == self.tokens.len();
            expect(tokens_fit, "`tokens:` with one for each building, while tokens are left")?;
        }
        let points_fit = self.all_seats().any(|first| self.token_points_fit(state, first, values));
        expect(points_fit, "`token_points:` with a possible value of the seat's tokens")
    }

    /// Returns true if the points of each seat can be those of its tokens, among the values taken
    /// so far, and those at the start if this seat was the first player.
    fn token_points_fit(&self, state: &State, first: Seat, values: &[u32]) -> bool {
        self.all_seats().all(|seat| {
            let tokens = state.tokens(seat) as usize;
            // The values descend.
            let max: u32 = values[..tokens].iter().sum();
            let min: u32 = values[values.len() - tokens..].iter().sum();
            let position = (self.players + seat.index() - first.index()) % self.players;
            let at_start = self.start_points[position];
            (at_start + min..=at_start + max).contains(&state.token_points(seat))
        })
    }

    /// Checks that the stock has all held resources, and that the seats can store theirs.
    fn check_resources(&self, state: &State) -> Expect {
        for resource in Resource::ALL {
            let held: u32 = self.all_seats().map(|seat| state.bag(seat).get(resource)).sum();
            let stock = self.stock.get(resource);
            expect(held <= stock, format!("at most {stock} {} in all", resource.name()))?;
        }
        let may_overflow =
            matches!(state.phase(), Phase::Overflow | Phase::IncomeOverflow | Phase::Swaps);
        let mut others = self.all_seats().filter(|&seat| !may_overflow || seat != state.decider());
        let can_store = others.all(|seat| !Self::overflows(state, seat));
        expect(can_store, "no more resources than the seat can store")
    }

    /// Checks the conditions that the rules of each phase rely on.
    fn check_phase(&self, state: &State) -> Expect {
        let seat = state.decider();
        let cursor = u32::from(state.cursor());
        let (holds, expected) = match state.phase() {
            Phase::Pay => {
                let available = state.face_up_buildings() | state.reserved_buildings(seat);
                let is_available = cursor < u64::BITS && available >> cursor & 1 == 1;
                let can_pay = is_available
                    && state.pioneers_on(Place::Build) > 0
                    && !self.legal_actions(state).is_empty();
                (can_pay, "`cursor:` with the index of a building that the seat can pay")
            }
            Phase::Swaps => {
                let tiles = state.tiles(seat);
                let swaps = tiles.iter().filter_map(|kind| match self.tile_rules(kind).effect {
                    Some(TileEffect::Swap { times }) => Some(times.get()),
                    _ => None,
                });
                let has_swaps = (1..=swaps.max().unwrap_or(0)).contains(&cursor);
                let can_swap = has_swaps && tiles.len() >= 2 && state.claims(seat) > 0;
                (can_swap, "`cursor:` with the swaps left, and two tiles to swap")
            }
            Phase::Overflow | Phase::IncomeOverflow => {
                let bag = state.bag(seat);
                let returnable =
                    Resource::ALL.iter().filter(|&&resource| resource >= state.first_discard());
                let returnable: u32 = returnable.map(|&resource| bag.get(resource)).sum();
                let storage = state.symbols(seat).storage();
                let is_due = state.phase() == Phase::Overflow || self.is_income_due(state, cursor);
                expect(is_due, "`cursor:` after the income that the seat took last")?;
                let overflows = bag.total() > storage && returnable >= bag.total() - storage;
                (overflows, "more resources than the seat can store")
            }
            _ => return Ok(()),
        };
        expect(holds, format!("{expected} in this phase"))
    }

    /// Returns true if the seat that must return resources took the income before this cursor.
    fn is_income_due(&self, state: &State, cursor: u32) -> bool {
        let Some(last) = cursor.checked_sub(1) else { return false };
        let steps = (last / INCOME_SEAT_STEP) as usize;
        let resource = (last % INCOME_SEAT_STEP / INCOME_RESOURCE_STEP) as usize;
        let spot = (last % INCOME_RESOURCE_STEP) as usize;
        let tiles = state.tiles(state.decider());
        steps < self.players
            && state.pawn_holder().clockwise(steps, self.players) == state.decider()
            && spot < tiles.len()
            && Resource::PRODUCED
                .get(resource)
                .is_some_and(|&resource| self.income(tiles.get(spot)).get(resource) > 0)
    }
}
