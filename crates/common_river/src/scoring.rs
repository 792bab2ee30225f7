//! Objectives, winners and the score of We All Take from the River (rules §9).

use super::{
    CommonRiver,
    components::{Objective, Token},
    phases::Mode,
    state::State,
};
use watershed_engine::{
    bits::ones,
    game::{MAX_SEATS, PerSeat, Seat},
};

impl CommonRiver {
    /// Returns true if all slots of the estuary hold pollution.
    #[inline]
    pub(super) fn is_river_dead(&self, state: &State) -> bool {
        state.polluted & self.map.estuary == self.map.estuary
    }

    /// Returns the objectives of a seat, bit `o` for objective `o`; none before roles are dealt.
    #[inline]
    pub(super) fn objectives(&self, state: &State, seat: Seat) -> u8 {
        match state.mode {
            Mode::Solo | Mode::Coop => self.settler,
            Mode::Competitive => self.competitor,
            Mode::Roles => state.role(seat).map_or(0, |role| self.roles[role]),
        }
    }

    /// Returns the highest amount of gold of the other seats.
    #[inline]
    pub(super) fn max_gold_of_others(&self, state: &State, seat: Seat) -> Option<u32> {
        self.all_seats()
            .filter(|&other| other != seat)
            .map(|other| state.stock(other).get(Token::Gold))
            .max()
    }

    /// Returns the objectives that each seat has completed, including those that are not its own.
    pub(super) fn completed_objectives(&self, state: &State) -> PerSeat<u8> {
        let conserved = if state.pollution() == 0 { Objective::Conservation.bit() } else { 0 };
        let developed = if state.city_stands() { Objective::Development.bit() } else { 0 };
        let gold = |seat: Seat| state.stock(seat).get(Token::Gold);
        let most_gold = self.all_seats().map(gold).max().unwrap_or(0);
        let one_has_most = self.all_seats().filter(|&seat| gold(seat) == most_gold).count() == 1;
        let mut completed = [0; MAX_SEATS];
        for seat in self.all_seats() {
            let fish = state.stock(seat).get(Token::Fish);
            let fed = fish >= self.data.rules.agriculture_fish.get();
            let richest = one_has_most && gold(seat) == most_gold;
            completed[seat.index()] = conserved
                | developed
                | if fed { Objective::Agriculture.bit() } else { 0 }
                | if richest { Objective::Capital.bit() } else { 0 };
        }
        // The charity of one seat can depend on that of another. The rules require the least fixed
        // point, so the loop starts without charity.
        loop {
            let before = completed;
            let successful = self.successful_seats(state, before);
            for seat in self.all_seats() {
                if seats_helped(successful, seat) == self.players as u32 - 1 {
                    completed[seat.index()] |= Objective::Charity.bit();
                }
            }
            if completed == before {
                return completed;
            }
        }
    }

    /// Returns the seats that have completed at least one of their objectives, bit s for seat s.
    #[inline]
    pub(super) fn successful_seats(&self, state: &State, completed: PerSeat<u8>) -> u8 {
        self.all_seats().fold(0, |seats, seat| {
            let own = completed[seat.index()] & self.objectives(state, seat);
            seats | u8::from(own != 0) << seat.index()
        })
    }

    /// Returns the parts of the score of a seat. `completed` has the objectives that each seat has
    /// completed. The parts of other objectives are 0.
    pub(super) fn breakdown(
        &self,
        state: &State,
        seat: Seat,
        completed: PerSeat<u8>,
    ) -> [(&'static str, i32); Objective::ALL.len()] {
        let objectives = if self.is_river_dead(state) { 0 } else { self.objectives(state, seat) };
        Objective::ALL.map(|objective| {
            let points = if objectives & objective.bit() == 0 {
                0
            } else {
                self.objective_points(state, seat, objective, completed)
            };
            (objective.name(), points as i32)
        })
    }

    /// Returns the progress of a seat towards all its objectives together.
    pub(super) fn total_progress(&self, state: &State, seat: Seat, completed: PerSeat<u8>) -> u32 {
        ones(self.objectives(state, seat).into())
            .map(|index| Objective::ALL[index as usize])
            .map(|objective| self.objective_points(state, seat, objective, completed))
            .sum()
    }

    /// Returns the progress of a seat towards an objective, from 0 to `full`. `completed` has the
    /// objectives that each seat has completed.
    pub(super) fn objective_points(
        &self,
        state: &State,
        seat: Seat,
        objective: Objective,
        completed: PerSeat<u8>,
    ) -> u32 {
        let numbers = &self.data.progress;
        let full = numbers.full.get();
        match objective {
            Objective::Conservation => {
                full.saturating_sub(numbers.per_pollution.get() * state.pollution())
            }
            Objective::Agriculture => {
                let caught = |seat: Seat| {
                    state.stock(seat).get(Token::Fish).min(self.data.rules.agriculture_fish.get())
                };
                if state.mode == Mode::Coop {
                    full * self.all_seats().map(caught).sum::<u32>()
                        / (2 * self.data.rules.agriculture_fish.get())
                } else {
                    full * caught(seat) / self.data.rules.agriculture_fish.get()
                }
            }
            Objective::Development => match (state.city, state.city_complete) {
                (None, _) => 0,
                (Some(_), false) => {
                    numbers.city_site.get() + numbers.city_token.get() * state.site.total()
                }
                (Some(_), true) if state.city_stands() => full,
                (Some(_), true) => numbers.city_flooded.get(),
            },
            Objective::Capital => {
                let own = state.stock(seat).get(Token::Gold);
                match self.max_gold_of_others(state, seat) {
                    Some(most) if own <= most => full * own / (own + most + 1),
                    _ => full,
                }
            }
            Objective::Charity if self.players == 1 => full,
            Objective::Charity => {
                full * seats_helped(self.successful_seats(state, completed), seat)
                    / (self.players as u32 - 1)
            }
        }
    }
}

/// Returns the number of seats other than `seat` in a set, bit s for seat s.
#[inline]
pub(super) const fn seats_helped(successful: u8, seat: Seat) -> u32 {
    (successful & !(1 << seat.index())).count_ones()
}
