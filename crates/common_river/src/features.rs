//! The features of positions of We All Take from the River, from the point of view of one seat.
//!
//! Many choices have several steps: the sale of a bundle of tokens, the vote on a proposal, a
//! harvest that pollutes. So that positions in the middle can be compared with those after it,
//! unfinished choices count in part, and an offer counts as accepted.

use std::sync::Arc;

use super::{
    CommonRiver,
    action::Action,
    components::{Objective, Structure, Tile, Token},
    facts::{self, Choice},
    phases::{Mode, Phase, PolicyKind},
    scoring::seats_helped,
    state::State,
};
use watershed_engine::game::{
    FeatureVector, Features, Seat,
    facts::{FactList, FactTable, PositionFacts},
    named_features,
};

named_features! {
    /// The features of a position for a seat.
    struct Values {
        role_points role_complete role_pollution role_fish role_city role_gold_lead role_helped
        pollution estuary fish fish_wanted trees gravel dirt gold city_site city_progress
        city_stands city_height helped others_points farms more_objectives nets boats machines
        spawning machine_funds camp_reach turn_open offering role_city_means
    }
}

impl Features for CommonRiver {
    fn feature_names(&self) -> &'static [&'static str] {
        Values::NAMES
    }

    /// Returns the features of a position for a seat. Structures pay off only on later days, so
    /// they are multiplied by the share of the game that is left. Features that begin with `role_`
    /// are those of the objectives of the seat, and 0 if it does not have the objective.
    fn features(&self, state: &State, seat: Seat) -> FeatureVector {
        let offering = matches!(state.phase, Phase::Give | Phase::Get | Phase::Answer)
            && Self::seat_at_cursor(state) == seat;
        if offering {
            let mut accepted = *state;
            Self::exchange_tokens(&mut accepted);
            features_of_seat(self, &accepted, seat, true)
        } else {
            features_of_seat(self, state, seat, false)
        }
    }

    /// Returns the share of the row turns of all days that are over.
    fn progress(&self, state: &State) -> f64 {
        if state.phase == Phase::Over {
            return 1.0;
        }
        let rows = self.map.rows as f64;
        let row = if self.is_storm(state) {
            rows - 1.0 - f64::from(state.row)
        } else {
            f64::from(state.row)
        };
        let today = match state.phase {
            Phase::Die => 0.0,
            phase if phase.is_evening() => 1.0,
            _ => row / rows,
        };
        let days =
            f64::from(state.day().saturating_sub(1)) + if state.day == 0 { 0.0 } else { today };
        // A Storm on the last day adds another day, so 1 is reserved for the end.
        0.99 * (days / f64::from(self.data.rules.days.get())).min(1.0)
    }

    fn fact_table(&self) -> Arc<FactTable> {
        facts::table()
    }

    fn position_facts(&self, state: &State, facts: &mut PositionFacts) {
        self.list_position_facts(state, facts);
    }

    fn action_lister<'a>(
        &'a self,
        state: &'a State,
        seat: Seat,
    ) -> impl FnMut(Action, &mut FactList) {
        let choice = Choice::new(self, state, seat);
        move |action, list| choice.list(action, list)
    }
}

/// Returns the features of a position for a seat. If the seat is `offering`, its offer counts as
/// accepted in `state`.
fn features_of_seat(
    game: &CommonRiver,
    state: &State,
    seat: Seat,
    offering: bool,
) -> FeatureVector {
    let own = game.objectives(state, seat);
    let has = |objective: Objective| f64::from(own >> objective as u8 & 1);
    let left = 1.0 - game.progress(state);
    let completed = game.completed_objectives(state);
    let stock = state.stock(seat);
    let deciding = state.decider == seat && state.day > 0;

    let to_pollute = u32::from(state.phase == Phase::Take);
    let pollution = f64::from(state.pollution() + to_pollute);
    let estuary = f64::from((state.polluted & game.map.estuary).count_ones())
        / f64::from(game.map.estuary.count_ones());
    let fish = f64::from(stock.get(Token::Fish));
    let wanted = f64::from(game.data.rules.agriculture_fish.get());
    let gold = f64::from(stock.get(Token::Gold)) + bundle(game, state, seat);
    let lead = gold - f64::from(game.max_gold_of_others(state, seat).unwrap_or(0));
    let (site, tile) = city_site(game, state, gold);
    let city = city_progress(game, state);
    let stands = f64::from(u8::from(state.city_stands()));
    let height = tile.map_or(0.0, |tile| f64::from(game.effective_elevation(state, tile)));
    let helped = f64::from(seats_helped(game.successful_seats(state, completed), seat));
    let others = game.all_seats().filter(|&other| other != seat);
    let points = |seat: Seat| game.total_progress(state, seat, completed);
    let full = f64::from(game.data.progress.full.get());
    let one_if = |holds: bool| f64::from(u8::from(holds));
    let stack = state.total_stack(seat);
    let stacked = |kind| f64::from(stack.count(kind)) * left;
    let built = |kind| f64::from(state.structure_count(seat, kind)) * left;
    let mine = completed[seat.index()] & own;
    let winning = mine == own && !game.is_river_dead(state);
    let acting =
        deciding && matches!(state.phase, Phase::ChooseStructure | Phase::Act | Phase::Take);

    Values {
        role_points: f64::from(points(seat)) / full,
        role_complete: f64::from(mine.count_ones()) + one_if(winning),
        role_pollution: has(Objective::Conservation) * pollution,
        role_fish: has(Objective::Agriculture) * fish.min(wanted) / wanted,
        role_city: has(Objective::Development) * (site + city + stands),
        role_gold_lead: has(Objective::Capital) * lead.clamp(-10.0, 10.0),
        role_helped: has(Objective::Charity) * helped,
        pollution,
        estuary: estuary * estuary,
        fish,
        fish_wanted: fish.min(wanted) / wanted,
        trees: f64::from(stock.get(Token::Tree).min(8)),
        gravel: f64::from(stock.get(Token::Gravel).min(8)),
        dirt: f64::from(stock.get(Token::Pollution)),
        gold,
        city_site: site,
        city_progress: city,
        city_stands: stands,
        city_height: height,
        helped,
        others_points: others.map(|other| f64::from(points(other)) / full).sum::<f64>(),
        farms: stacked(Structure::Farm),
        more_objectives: f64::from(own.count_ones().saturating_sub(1)),
        nets: built(Structure::Net),
        boats: built(Structure::Boat),
        machines: stacked(Structure::Excavator) + stacked(Structure::Mill),
        spawning: spawning(game, state) * left,
        machine_funds: machine_funds(game, state, seat) * left,
        camp_reach: camp_reach(game, state, seat) * left,
        turn_open: one_if(acting),
        offering: one_if(offering),
        role_city_means: has(Objective::Development) * city_means(game, state, seat),
    }
    .vector()
}

/// Returns the share of a gold that the tokens sold so far pay for.
#[inline]
fn bundle(game: &CommonRiver, state: &State, seat: Seat) -> f64 {
    if state.decider == seat && state.day > 0 && state.phase == Phase::Sell {
        f64::from(state.step_count) / f64::from(game.data.rules.tokens_per_gold.get())
    } else {
        0.0
    }
}

/// Returns 1 if the City or its site is on the map, otherwise a likelihood by the votes so far or
/// the gold for a proposal; and its tile if it is known.
fn city_site(game: &CommonRiver, state: &State, gold: f64) -> (f64, Option<Tile>) {
    match state.proposal {
        _ if state.city.is_some() => (1.0, state.city),
        Some((PolicyKind::City, tile)) => {
            let votes = f64::from(state.votes[0]) - f64::from(state.votes[1]);
            ((0.6 + 0.1 * votes).clamp(0.4, 0.9), tile)
        }
        _ => (0.3 * (gold / f64::from(game.data.rules.proposal_gold.get().max(1))).min(1.0), None),
    }
}

/// Returns the share of the cost of the City that is at the site, 1 once it is completed.
#[inline]
fn city_progress(game: &CommonRiver, state: &State) -> f64 {
    if state.city_complete {
        1.0
    } else {
        f64::from(state.site.total()) / f64::from(game.city_cost.total())
    }
}

/// Returns the share of the cost of the City that is at the site or that the seat can add, in a
/// cooperative game with its partner. Fish for the objective Agriculture do not count.
fn city_means(game: &CommonRiver, state: &State, seat: Seat) -> f64 {
    if state.city_complete {
        return 1.0;
    }
    let mut held = state.site;
    for other in game.all_seats().filter(|&other| other == seat || state.mode == Mode::Coop) {
        let kept = if game.objectives(state, other) & Objective::Agriculture.bit() == 0 {
            0
        } else {
            game.data.rules.agriculture_fish.get()
        };
        let stock = state.stock(other);
        held.add_all(stock);
        held.take(Token::Fish, stock.get(Token::Fish).min(kept));
    }
    let covered: u32 =
        Token::ALL.into_iter().map(|token| held.get(token).min(game.city_cost.get(token))).sum();
    f64::from(covered) / f64::from(game.city_cost.total().max(1))
}

/// Returns the share of river tiles with fish, where more fish spawn.
fn spawning(game: &CommonRiver, state: &State) -> f64 {
    let tiles = (0..game.map.rows)
        .filter(|&row| game.has_token(state, Tile::river(row), Token::Fish))
        .count();
    tiles as f64 / game.map.rows as f64
}

/// Returns the share of the cost of a structure that a seat has, including the fish of the build
/// action.
fn funds(game: &CommonRiver, state: &State, seat: Seat, kind: Structure) -> f64 {
    let price = game.costs[kind as usize].with(Token::Fish, game.data.rules.build_fish.get());
    let stock = state.stock(seat);
    let held: u32 =
        Token::ALL.into_iter().map(|token| stock.get(token).min(price.get(token))).sum();
    f64::from(held) / f64::from(price.total().max(1))
}

/// Returns the largest share of the cost of a boat, an excavator or a mill that a seat has.
#[inline]
fn machine_funds(game: &CommonRiver, state: &State, seat: Seat) -> f64 {
    [Structure::Boat, Structure::Excavator, Structure::Mill]
        .map(|kind| funds(game, state, seat, kind))
        .into_iter()
        .fold(0.0, f64::max)
}

/// Returns the number of kinds of token that the camp of a seat can harvest on its tile.
fn camp_reach(game: &CommonRiver, state: &State, seat: Seat) -> f64 {
    let Some(tile) = state.camp(seat).tile() else { return 0.0 };
    let kinds = [Token::Tree, Token::Gravel]
        .into_iter()
        .filter(|&token| game.has_token(state, tile, token))
        .count();
    let fish = game.has_token(state, Tile::river(tile.row()), Token::Fish);
    (kinds + usize::from(fish)) as f64
}
