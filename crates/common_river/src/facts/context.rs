//! Numbers of a position of We All Take from the River on which several facts depend.

use super::super::{
    CommonRiver,
    components::{MAX_LAND_TILES, MAX_ROWS, Objective, Structure, Tile, Token, tiles_in},
    phases::{Mode, Phase, TradeWindow},
    pieces::{Stack, Status},
    state::State,
};
use watershed_engine::game::{MAX_SEATS, Seat};

impl CommonRiver {
    /// Returns true if the structures have had their turns today.
    #[inline]
    pub(super) fn is_evening(state: &State) -> bool {
        match state.phase {
            Phase::Offer | Phase::Give | Phase::Get | Phase::Answer => {
                state.window == TradeWindow::Dusk
            }
            phase => phase.is_evening(),
        }
    }

    /// Returns the number of days on which structures can still act, today included before the
    /// evening.
    #[inline]
    pub(super) fn days_to_act(&self, state: &State) -> u32 {
        let days = self.data.rules.days.get();
        if state.day == 0 {
            return days;
        }
        let later = days.saturating_sub(state.day());
        let later = later.max(u32::from(self.is_storm(state)));
        later + u32::from(!Self::is_evening(state))
    }

    /// Returns the rows whose structures can still act today, bit `r` for row `r`.
    #[inline]
    pub(super) fn rows_to_act(&self, state: &State) -> u32 {
        let all = (1 << self.map.rows) - 1;
        let from_row = |row: u32| {
            if self.is_storm(state) { all & ((2 << row) - 1) } else { all & u32::MAX << row }
        };
        let row = u32::from(state.row);
        match (state.phase, state.window) {
            (Phase::Offer | Phase::Give | Phase::Get | Phase::Answer, TradeWindow::Dawn) => all,
            (Phase::Offer | Phase::Give | Phase::Get | Phase::Answer, TradeWindow::Dusk) => 0,
            (
                Phase::Offer
                | Phase::Give
                | Phase::Get
                | Phase::Answer
                | Phase::ChooseStructure
                | Phase::Act
                | Phase::Take,
                _,
            ) => from_row(row),
            (Phase::Net, _) => from_row(row) & !(1 << row),
            _ if Self::is_evening(state) => 0,
            _ => all,
        }
    }

    /// Returns the number of a row from the mouth of the river.
    #[inline]
    pub(super) fn row_from_mouth(&self, row: usize) -> usize {
        self.map.rows - 1 - row
    }

    /// Returns the number of tokens of a kind on a river tile.
    #[inline]
    pub(super) fn tokens_in_river(&self, state: &State, row: usize, token: Token) -> u32 {
        let slots = self.map.slots[Tile::river(row).index()];
        let held = match token {
            Token::Fish => state.filled,
            Token::Pollution => state.polluted,
            _ => 0,
        };
        (held & slots).count_ones() + state.loose_tokens[row].get(token)
    }

    /// Returns the slots of the tiles from which an excavator or mill on this tile takes tokens.
    #[inline]
    pub(super) fn slots_in_reach(&self, state: &State, tile: Tile) -> u64 {
        let mut reach = self.map.reach[tile.index()];
        if state.bridge_owner(tile.row()).is_some() {
            reach |= tile.opposite_bank().bit();
        }
        tiles_in(reach & !u32::from(state.protected))
            .fold(0, |slots, tile| slots | self.slots(state, tile))
    }

    /// Returns the slots that hold the token that an excavator or a mill takes.
    #[inline]
    pub(super) fn slots_for(&self, state: &State, kind: Structure) -> u64 {
        state.filled & if kind == Structure::Mill { self.map.trees } else { self.map.gravel }
    }

    /// Returns the number of tokens that the City lacks, by kind.
    #[inline]
    pub(super) fn city_missing(&self, state: &State) -> [u32; Token::ALL.len()] {
        if state.city_complete {
            return [0; Token::ALL.len()];
        }
        Token::ALL.map(|token| self.city_cost.get(token).saturating_sub(state.site.get(token)))
    }

    /// Returns the objectives of a seat that all seats know.
    #[inline]
    pub(super) fn public_objectives(&self, state: &State) -> u8 {
        match state.mode {
            Mode::Solo | Mode::Coop => self.settler,
            Mode::Competitive => self.competitor,
            Mode::Roles => 0,
        }
    }

    /// Returns the gold of a seat if it sold all that can be sold.
    #[inline]
    pub(super) fn wealth(&self, state: &State, seat: Seat) -> u32 {
        let stock = state.stock(seat);
        let dirt = if state.subsidized { stock.get(Token::Pollution) } else { 0 };
        let goods =
            stock.get(Token::Fish) + stock.get(Token::Gravel) + stock.get(Token::Tree) + dirt;
        // Most data files sell bundles of two, and a division by a known number is fast.
        let bundles = match self.data.rules.tokens_per_gold.get() {
            2 => goods / 2,
            size => goods / size,
        };
        stock.get(Token::Gold) + bundles
    }

    /// Returns the number of tokens that a seat with these objectives still needs for the
    /// objectives Agriculture and Development.
    #[inline]
    pub(super) fn need(&self, state: &State, seat: Seat, objectives: u8) -> u32 {
        let stock = state.stock(seat);
        let mut fish = 0;
        if objectives & Objective::Agriculture.bit() != 0 {
            fish += self.data.rules.agriculture_fish.get();
        }
        let mut need = 0;
        if objectives & Objective::Development.bit() != 0 {
            let missing = self.city_missing(state);
            fish += missing[Token::Fish as usize];
            for token in [Token::Gold, Token::Gravel, Token::Pollution, Token::Tree] {
                need += missing[token as usize].saturating_sub(stock.get(token));
            }
            if state.city.is_none() {
                need += self.proposal_tokens(state, seat);
            }
        }
        need + fish.saturating_sub(stock.get(Token::Fish))
    }

    /// Returns the number of tokens that a seat has to sell before it can propose a policy.
    #[inline]
    pub(super) fn proposal_tokens(&self, state: &State, seat: Seat) -> u32 {
        let gold = self.data.rules.proposal_gold.get();
        gold.saturating_sub(state.stock(seat).get(Token::Gold))
            * self.data.rules.tokens_per_gold.get()
    }
}

/// A position, and numbers on which several facts depend.
pub(super) struct Context<'a> {
    pub(super) game: &'a CommonRiver,
    pub(super) state: &'a State,
    /// The index of the days to act among [`TIME`](super::groups::TIME).
    pub(super) time: usize,
    /// The index of the days to act among [`SPAN`](super::groups::SPAN).
    pub(super) span: usize,
    pub(super) days: u32,
    pub(super) mode: usize,
    pub(super) rows_to_act: u32,
    pub(super) pollution: u32,
    pub(super) fish: [u32; MAX_ROWS],
    pub(super) river_pollution: [u32; MAX_ROWS],
    pub(super) city_missing: [u32; Token::ALL.len()],
    /// The state of the City, as an index of [`CITY_STATE`](super::groups::CITY_STATE), except that
    /// a seat may lack the gold to propose it.
    pub(super) city: usize,
    /// The objectives that all seats know.
    pub(super) public: u8,
    pub(super) gold: [i32; MAX_SEATS],
    pub(super) wealth: [i32; MAX_SEATS],
}

/// Returns the index of a number of days to act among [`TIME`](super::groups::TIME).
#[inline]
pub(super) const fn time_of(days: u32) -> usize {
    match days {
        0..=2 => days as usize,
        3..=4 => 3,
        5..=7 => 4,
        _ => 5,
    }
}

/// Returns the index of a number of days to act among [`SPAN`](super::groups::SPAN).
#[inline]
pub(super) const fn span_of(days: u32) -> usize {
    match days {
        0 => 0,
        1 => 1,
        2..=4 => 2,
        _ => 3,
    }
}

impl<'a> Context<'a> {
    pub(super) fn new(game: &'a CommonRiver, state: &'a State) -> Self {
        let days = game.days_to_act(state);
        let mut fish = [0; MAX_ROWS];
        let mut river_pollution = [0; MAX_ROWS];
        let mut loose = 0;
        for row in 0..game.map.rows {
            fish[row] = game.tokens_in_river(state, row, Token::Fish);
            river_pollution[row] = game.tokens_in_river(state, row, Token::Pollution);
            loose += state.loose_tokens[row].get(Token::Pollution);
        }
        let mut gold = [0; MAX_SEATS];
        let mut wealth = [0; MAX_SEATS];
        for seat in game.all_seats() {
            gold[seat.index()] = state.stock(seat).get(Token::Gold) as i32;
            wealth[seat.index()] = game.wealth(state, seat) as i32;
        }
        Self {
            game,
            state,
            time: time_of(days),
            span: span_of(days),
            days,
            mode: state.mode as usize,
            rows_to_act: game.rows_to_act(state),
            pollution: state.polluted.count_ones() + loose,
            fish,
            river_pollution,
            city_missing: game.city_missing(state),
            city: match (state.city, state.city_complete) {
                (None, _) => 0,
                (Some(_), false) => 2,
                (Some(_), true) if state.city_stands() => 3,
                (Some(_), true) => 4,
            },
            public: game.public_objectives(state),
            gold,
            wealth,
        }
    }

    /// Returns the difference between a number of a seat and the highest of the other seats, or
    /// the maximum if there is no other seat.
    #[inline]
    pub(super) fn lead(&self, values: &[i32; MAX_SEATS], seat: usize) -> i32 {
        let mut most = i32::MIN;
        for (other, &value) in values[..self.game.players].iter().enumerate() {
            if other != seat {
                most = most.max(value);
            }
        }
        values[seat].saturating_sub(most)
    }

    /// Returns true if structures in a row can still act today.
    #[inline]
    pub(super) fn can_act(&self, row: usize) -> bool {
        self.rows_to_act >> row & 1 == 1
    }

    /// Returns true if the camp of a seat can still act today.
    #[inline]
    pub(super) fn camp_can_act(&self, seat: Seat) -> bool {
        let camp = self.state.camp(seat);
        camp.status() == Status::Fresh && camp.tile().is_some_and(|tile| self.can_act(tile.row()))
    }

    /// Returns the number of tokens that the structures of a seat bring on a day at best.
    #[inline]
    pub(super) fn income(&self, seat: Seat, land: Stack) -> u32 {
        let machines = land.count(Structure::Mill) + land.count(Structure::Excavator);
        1 + self.boats(seat) + 2 * machines + land.count(Structure::Farm)
    }

    /// Returns the numbers of fish, gravel and trees that a seat can still take at best: those in
    /// reach of its machines and its camp, as far as the days last, and fish by boats, farms and
    /// the camp.
    pub(super) fn supply(&self, seat: Seat, land: Stack) -> [u32; 3] {
        let Self { game, state, days, .. } = *self;
        let camp = state.camp(seat).tile();
        let camp_slots = camp.map_or(0, |tile| game.slots(state, tile));
        let of_machines = |kind: Structure| {
            let machines = land.count(kind);
            let mut reach = camp_slots;
            if machines > 0 {
                let stacks = &state.stacks[seat.index()];
                for (tile, stack) in stacks.iter().enumerate().take(MAX_LAND_TILES) {
                    if stack.count(kind) > 0 {
                        reach |= game.slots_in_reach(state, Tile(tile as u8));
                    }
                }
            }
            let in_reach = (reach & game.slots_for(state, kind)).count_ones();
            in_reach.min(days * (1 + machines * game.data.rules.take_max.get()))
        };
        [
            days * (1 + self.boats(seat) + land.count(Structure::Farm)),
            of_machines(Structure::Excavator),
            of_machines(Structure::Mill),
        ]
    }

    /// Returns the numbers of fish, gravel and trees that a seat with these objectives needs beside
    /// what it holds, negative for those that it can spare.
    pub(super) fn lack(&self, seat: Seat, objectives: u8) -> [i32; 3] {
        let has = |objective: Objective| objectives & objective.bit() != 0;
        Token::NATURAL.map(|token| {
            let mut wanted = 0;
            if token == Token::Fish && has(Objective::Agriculture) {
                wanted += self.game.data.rules.agriculture_fish.get();
            }
            if has(Objective::Development) {
                wanted += self.city_missing[token as usize];
            }
            wanted as i32 - self.state.stock(seat).get(token) as i32
        })
    }

    /// Returns the number of boats of a seat.
    #[inline]
    pub(super) fn boats(&self, seat: Seat) -> u32 {
        self.state.boats[seat.index()].iter().map(|boats| boats.count()).sum()
    }
}
