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
        data::Effect,
        state::{Phase, Place, State},
    },
    PLACES,
};
use watershed_engine::game::{ActionSet, Game, Seat};

/// Checks a position.
///
/// # Errors
/// Returns what is expected by the first condition that does not hold.
pub(super) fn check(game: &TheRiver, state: &State) -> Result<(), String> {
    let position = Position {
        game,
        state,
        phase: state.phase(),
        round: state.round(),
        decider: state.decider(),
    };
    position.check_boards()?;
    if matches!(position.phase, Phase::FirstPlayer | Phase::Boards) {
        return expect(
            position.is_reachable_setup(),
            "nothing laid out yet except the boards of the seats before `turn:`",
        );
    }
    position.check_course()?;
    position.check_tiles()?;
    position.check_pioneers()?;
    position.check_buildings()?;
    position.check_tokens()?;
    position.check_resources()?;
    position.check_phase()
}

fn expect(holds: bool, expected: impl Into<String>) -> Result<(), String> {
    if holds { Ok(()) } else { Err(expected.into()) }
}

fn expect_all<const N: usize>(conditions: [(bool, &str); N]) -> Result<(), String> {
    conditions.into_iter().try_for_each(|(holds, expected)| expect(holds, expected))
}

/// A position with the values that are used often.
struct Position<'a> {
    game: &'a TheRiver,
    state: &'a State,
    phase: Phase,
    round: u32,
    decider: Seat,
}

impl Position<'_> {
    /// Checks that the boards of the seats differ.
    fn check_boards(&self) -> Result<(), String> {
        let given = match self.phase {
            Phase::FirstPlayer => 0,
            Phase::Boards => self.decider.index(),
            _ => self.game.players,
        };
        let boards: BTreeSet<_> =
            (0..given).map(|seat| self.state.board(Seat::new(seat))).collect();
        expect(boards.len() == given, "`board:` with a different board for each seat")
    }

    /// Returns true if setup reaches this position before all seats have boards.
    fn is_reachable_setup(&self) -> bool {
        let (game, state) = (self.game, self.state);
        let mut reached = game.initial();
        if self.phase == Phase::Boards {
            game.apply(&mut reached, Action::FirstPlayer(state.pawn_holder()));
            for seat in (0..self.decider.index()).map(Seat::new) {
                game.apply(&mut reached, Action::Board(state.board(seat) as u8));
            }
        }
        reached == *state
    }

    /// True from the return of the pioneers until the next round begins, and after the end.
    fn is_settled(&self) -> bool {
        matches!(self.phase, Phase::IncomeOverflow | Phase::Over)
    }

    /// True while tiles and buildings are laid out after a round.
    fn is_cleanup(&self) -> bool {
        self.round > 0 && matches!(self.phase, Phase::Tiles | Phase::Buildings)
    }

    /// True during a seat's turn in a round.
    fn is_in_turn(&self) -> bool {
        self.round > 0
            && matches!(self.phase, Phase::Place | Phase::Pay | Phase::Swaps | Phase::Overflow)
    }

    /// Returns the turn position of a seat in the draft, which goes counterclockwise and ends with
    /// the holder of the pawn.
    fn draft_position(&self, seat: Seat) -> usize {
        let players = self.game.players;
        (self.state.pawn_holder().index() + 2 * players - 1 - seat.index()) % players
    }

    /// The number of seats that have claimed their first tile.
    fn seats_drafted(&self) -> usize {
        match self.phase {
            Phase::DraftTiles => 0,
            Phase::Buildings if self.round == 0 => 0,
            Phase::Draft => self.draft_position(self.decider),
            Phase::Overflow if self.round == 0 => self.draft_position(self.decider) + 1,
            _ => self.game.players,
        }
    }

    /// The number of tiles claimed in this round.
    fn claims(&self) -> u32 {
        self.game.all_seats().map(|seat| self.state.claims(seat)).sum()
    }

    fn has_tile_to_draw(&self) -> bool {
        self.state.unseen_tiles != 0 || self.game.has_discarded_tiles(self.state)
    }

    fn has_building_to_draw(&self) -> bool {
        self.state.unseen_buildings(self.game.building_pile) != 0
    }

    /// Checks that phase, round, end and the rest of a decision agree.
    fn check_course(&self) -> Result<(), String> {
        let (game, state) = (self.game, self.state);
        let round_fits = match self.phase {
            Phase::DraftTiles | Phase::Draft => self.round == 0,
            Phase::Place | Phase::Pay | Phase::Swaps | Phase::IncomeOverflow | Phase::Over => {
                self.round > 0
            }
            _ => true,
        };
        let ends =
            |seat| state.tokens(seat) == game.bonus_spots || state.tiles(seat).len() == SPOTS;
        let end_fits = state.is_end_triggered() == game.all_seats().any(ends);
        let is_end_cleanup = state.is_end_triggered() && self.is_cleanup();
        let is_over = self.phase != Phase::Over || game.is_last_round(state);
        let has_cursor = matches!(self.phase, Phase::Pay | Phase::Swaps | Phase::IncomeOverflow);
        let returns = matches!(self.phase, Phase::Overflow | Phase::IncomeOverflow);
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
    fn check_tiles(&self) -> Result<(), String> {
        let (game, state) = (self.game, self.state);
        let max_claims = game.data.rules.claim_tile_per_player.get();
        let rounds_over = if self.is_settled() { self.round } else { self.round.saturating_sub(1) };
        let drafted = self.seats_drafted();
        for seat in game.all_seats() {
            let (tiles, claims) = (state.tiles(seat).len() as u32, state.claims(seat));
            let drafted = u32::from(self.draft_position(seat) < drafted);
            let before = tiles.checked_sub(drafted + claims);
            let claims_fit =
                claims == 0 || !self.is_settled() && self.round > 0 && claims <= max_claims;
            let tiles_fit = before.is_some_and(|before| before <= rounds_over * max_claims);
            expect_all([
                (claims_fit, "`claims:` within the limit of a round, and 0 outside one"),
                (tiles_fit, "as many tiles on boards as the draft and the rounds allow"),
            ])?;
        }
        let face_up = state.face_up_tiles().len();
        let is_draft = self.round == 0 && self.phase != Phase::Tiles;
        let full = if is_draft { game.draft_tiles - drafted } else { game.face_up_tiles };
        let taken = if self.is_in_turn() { self.claims() as usize } else { 0 };
        let row_fits = match self.phase {
            Phase::DraftTiles => face_up < full,
            Phase::Tiles => face_up < full && self.has_tile_to_draw(),
            _ if self.is_settled() && state.is_end_triggered() => face_up <= full,
            _ => {
                face_up + taken == full
                    || self.round > 0 && face_up + taken < full && !self.has_tile_to_draw()
            }
        };
        let removes_none = is_draft || game.draft_tiles == game.players;
        let removed_fits = (state.removed_tile().0 == 0) == removes_none;
        let before_cleanup = self.round == 0 || self.round == 1 && self.is_in_turn();
        let discards_fit = !before_cleanup || !game.has_discarded_tiles(state);
        expect_all([
            (row_fits, "`tiles:` with the number of tiles of this phase"),
            (removed_fits, "`removed:` with the tile left over from the draft, after the draft"),
            (discards_fit, "no discarded tiles before the first cleanup"),
        ])
    }

    /// Checks the pioneers of each seat, on boats and on places.
    fn check_pioneers(&self) -> Result<(), String> {
        let (game, state) = (self.game, self.state);
        let rules = &game.data.rules;
        let (start, spot) = (rules.start_pioneers.get(), rules.extra_pioneer_on_bonus_spot.get());
        let (mut spent, mut max) = (0, 0);
        for seat in game.all_seats() {
            let (pioneers, boat) = (state.pioneers(seat), state.boat_pioneers(seat));
            let extra = u32::from((1..=state.tokens(seat)).contains(&spot));
            let settled = game.framed_spots(state.tiles(seat).len() as u32)
                - game.framed_covered(state, seat);
            // A pioneer gained after all others have settled stays.
            let range =
                (start + extra).saturating_sub(settled)..=start.saturating_sub(settled) + extra;
            let boat_fits = if self.round == 0 || self.is_settled() {
                boat == pioneers
            } else {
                boat <= pioneers && (boat == 0 || !self.is_cleanup())
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
            .all(|&(_, place)| state.pioneers_on(place) <= game.place_limits[place as usize]);
        let [on_food, on_swap] = [Place::Food, Place::Swap].map(|place| state.pioneers_on(place));
        let fits = |limit: u32, of_seats: u32, on_place: u32| {
            limit == 0 || of_seats == if self.is_settled() { 0 } else { on_place }
        };
        let food: u32 = game.all_seats().map(|seat| state.food_pioneers(seat)).sum();
        let swap: u32 = game.all_seats().map(|seat| state.swap_pioneers(seat)).sum();
        let own_fits = fits(game.data.spots.food_per_player.get(), food, on_food)
            && fits(game.data.spots.swap_per_player.get(), swap, on_swap);
        // A pioneer that passed is on no place. After cleanup the places still show the last round.
        let placeable = if self.is_settled() { max } else { spent };
        let boat = state.boat_pioneers(self.decider);
        let decides = self.phase == Phase::Place;
        let acted = decides || !self.is_in_turn() || boat < state.pioneers(self.decider);
        let placeable_fits = on_places + self.claims() <= placeable;
        expect_all([
            (within_limits, "no more pioneers on a place than its limit"),
            (placeable_fits, "no more pioneers on places than seats have spent"),
            (own_fits, "the pioneers of the seats on the food island and on the swap place"),
            (acted, "a pioneer spent by the seat whose turn it is"),
            (!decides || boat > 0, "a pioneer on the deciding seat's boat"),
        ])
    }

    /// Checks the buildings face up, reserved and built.
    fn check_buildings(&self) -> Result<(), String> {
        let (game, state) = (self.game, self.state);
        let hand_limit = game.data.rules.reserve_hand_limit.get();
        let reserved = |seat| state.reserved_buildings(seat).count_ones();
        let built = |seat| state.built_buildings(seat).count_ones();
        let [on_reserve, on_build] =
            [Place::Reserve, Place::Build].map(|place| state.pioneers_on(place));
        let (face_up, full) = (state.face_up_buildings().count_ones(), game.face_up_buildings);
        let row_fits = match self.phase {
            Phase::DraftTiles => face_up == 0,
            Phase::Buildings => face_up < full && self.has_building_to_draw(),
            _ if self.is_settled() && state.is_end_triggered() => face_up <= full,
            // A building taken in a round leaves a gap until cleanup. A building that was built may
            // have been reserved before.
            _ if self.is_in_turn() || self.is_cleanup() => {
                let all_counted = on_reserve.max(on_build) < Place::MAX_COUNTED_PIONEERS;
                let min = face_up + on_reserve;
                min <= full
                    && (!self.has_building_to_draw() || !all_counted || full <= min + on_build)
            }
            _ => face_up == full || face_up < full && !self.has_building_to_draw(),
        };
        let hands_fit = game.all_seats().all(|seat| reserved(seat) <= hand_limit);
        let none_taken = game.all_seats().all(|seat| reserved(seat) + built(seat) == 0);
        expect_all([
            (row_fits, "`buildings:` with the number of buildings of this phase"),
            (hands_fit, "no more reserved buildings than the hand limit"),
            (self.round > 0 || none_taken, "no buildings taken in setup"),
        ])
    }

    /// Checks that the bonus tokens of each seat can be among those taken so far.
    fn check_tokens(&self) -> Result<(), String> {
        let (game, state) = (self.game, self.state);
        let taken: usize = game.all_seats().map(|seat| state.tokens(seat) as usize).sum();
        let Some(values) = game.tokens.get(..taken) else {
            return Err(format!("at most {} bonus tokens in all", game.tokens.len()));
        };
        let points: u32 = game.all_seats().map(|seat| state.token_points(seat)).sum();
        expect(
            points == values.iter().sum::<u32>(),
            "`token_points:` with the values of the tokens taken so far",
        )?;
        for seat in game.all_seats() {
            let tokens = state.tokens(seat) as usize;
            let built = state.built_buildings(seat).count_ones();
            // The values descend.
            let max: u32 = values[..tokens].iter().sum();
            let min: u32 = values[taken - tokens..].iter().sum();
            let points_fit = (min..=max).contains(&state.token_points(seat));
            let due = built.min(game.bonus_spots) as usize;
            let tokens_fit = tokens == due || tokens < due && taken == game.tokens.len();
            expect_all([
                (points_fit, "`token_points:` with a possible value of the seat's tokens"),
                (tokens_fit, "`tokens:` with one for each building, while tokens are left"),
            ])?;
        }
        Ok(())
    }

    /// Checks that the stock has all held resources, and that the seats can store theirs.
    fn check_resources(&self) -> Result<(), String> {
        let (game, state) = (self.game, self.state);
        for resource in Resource::ALL {
            let held: u32 = game.all_seats().map(|seat| state.bag(seat).get(resource)).sum();
            let stock = game.stock.get(resource);
            expect(held <= stock, format!("at most {stock} {} in all", resource.name()))?;
        }
        let may_overflow =
            matches!(self.phase, Phase::Overflow | Phase::IncomeOverflow | Phase::Swaps);
        let mut others = game.all_seats().filter(|&seat| !may_overflow || seat != self.decider);
        expect(
            others.all(|seat| state.bag(seat).total() <= state.symbols(seat).storage()),
            "no more resources than the seat can store",
        )
    }

    /// Checks the conditions that the rules of each phase rely on.
    fn check_phase(&self) -> Result<(), String> {
        let (game, state, seat) = (self.game, self.state, self.decider);
        let cursor = u32::from(state.cursor());
        let (holds, expected) = match self.phase {
            Phase::Pay => {
                let available = state.face_up_buildings() | state.reserved_buildings(seat);
                let is_available = cursor < u64::BITS && available >> cursor & 1 == 1;
                let can_pay = is_available
                    && state.pioneers_on(Place::Build) > 0
                    && !game.legal_actions(state).is_empty();
                (can_pay, "`cursor:` with the index of a building that the seat can pay")
            }
            Phase::Swaps => {
                let tiles = state.tiles(seat);
                let swaps = tiles.iter().filter_map(|kind| match game.tile_rules(kind).effect {
                    Some(Effect::Swap { times }) => Some(times.get()),
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
                let is_due = self.phase == Phase::Overflow || self.is_income_due(cursor);
                expect(is_due, "`cursor:` after the income that the seat took last")?;
                let overflows = bag.total() > storage && returnable >= bag.total() - storage;
                (overflows, "more resources than the seat can store")
            }
            _ => return Ok(()),
        };
        expect(holds, format!("{expected} in this phase"))
    }

    /// Returns true if the seat that must return resources took the income before this cursor.
    fn is_income_due(&self, cursor: u32) -> bool {
        let (game, state) = (self.game, self.state);
        let Some(last) = cursor.checked_sub(1) else { return false };
        let steps = (last / INCOME_SEAT_STEP) as usize;
        let resource = (last % INCOME_SEAT_STEP / INCOME_RESOURCE_STEP) as usize;
        let spot = (last % INCOME_RESOURCE_STEP) as usize;
        let tiles = state.tiles(self.decider);
        steps < game.players
            && state.pawn_holder().clockwise(steps, game.players) == self.decider
            && spot < tiles.len()
            && Resource::PRODUCED
                .get(resource)
                .is_some_and(|&resource| game.income(tiles.get(spot)).get(resource) > 0)
    }
}
