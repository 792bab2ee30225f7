//! What a heuristic can see of a position of We All Take from the River: named numbers, all from
//! one seat's point of view.
//!
//! Many choices are parts of one: tokens of a bundle that is being sold, a proposal that is being
//! voted on, a harvest that will pollute. So that a position in the middle can be compared with one
//! after it, what is under way counts in part, and an offer as if it were accepted.

use super::{
    CommonRiver,
    components::{Objective, Structure, Tile, Token},
    phases::{Mode, Phase, PolicyKind},
    state::State,
};
use crate::game::{FeatureVector, Features, MAX_FEATURES, Seat};

/// Names of the features, in the order of [`feature_names`].
const NAMES: [&str; 32] = [
    "role_points",
    "role_complete",
    "role_pollution",
    "role_fish",
    "role_city",
    "role_gold_lead",
    "role_helped",
    "pollution",
    "estuary",
    "fish",
    "fish_wanted",
    "trees",
    "gravel",
    "dirt",
    "gold",
    "city_site",
    "city_progress",
    "city_stands",
    "city_height",
    "helped",
    "others_points",
    "farms",
    "more_objectives",
    "nets",
    "boats",
    "machines",
    "spawning",
    "machine_funds",
    "camp_reach",
    "turn_open",
    "offering",
    "role_city_means",
];

impl Features for CommonRiver {
    fn feature_names(&self) -> &'static [&'static str] {
        &NAMES
    }

    /// The features of a position for a seat. Structures, which only pay off in days to come, are
    /// multiplied by the share of the game that is left. Features that begin with `role_` are those of
    /// the seat's own objectives, 0 where it does not have the objective.
    fn features(&self, state: &State, seat: Seat) -> FeatureVector {
        let offering = matches!(state.phase, Phase::Give | Phase::Get | Phase::Answer)
            && state.camp_order.get(state.cursor.into()) == seat;
        let mut accepted;
        let state = if offering {
            accepted = *state;
            CommonRiver::exchange_tokens(&mut accepted);
            &accepted
        } else {
            state
        };
        let own = self.objectives(state, seat);
        let has = |objective: Objective| if own & objective.bit() == 0 { 0.0 } else { 1.0 };
        let left = 1.0 - self.progress(state);
        let completed = self.completed_objectives(state);
        let stock = state.stock(seat);
        let deciding = state.decider == seat && state.day > 0;

        let to_pollute = u32::from(state.phase == Phase::Take);
        let pollution = f64::from(state.pollution() + to_pollute);
        let estuary = f64::from((state.polluted & self.map.estuary).count_ones())
            / f64::from(self.map.estuary.count_ones());
        let fish = f64::from(stock.get(Token::Fish));
        let wanted = f64::from(self.agriculture_fish);
        let bundle = if deciding && state.phase == Phase::Sell {
            f64::from(state.step_count) / f64::from(self.tokens_per_gold)
        } else {
            0.0
        };
        let gold = f64::from(stock.get(Token::Gold)) + bundle;
        let lead = gold - f64::from(self.max_gold_of_others(state, seat).unwrap_or(0));
        let (site, tile) = city_site(self, state, gold);
        let city = if state.city_complete {
            1.0
        } else {
            f64::from(state.site.total()) / f64::from(self.city_cost.total())
        };
        let stands = if state.city_stands() { 1.0 } else { 0.0 };
        let height = tile.map_or(0.0, |tile| f64::from(self.effective_elevation(state, tile)));
        let others = || self.all_seats().filter(|&other| other != seat);
        let helped = others()
            .filter(|other| completed[other.index()] & self.objectives(state, *other) != 0)
            .count() as f64;
        let points = |seat: Seat| {
            let objectives = Objective::ALL
                .into_iter()
                .filter(|objective| self.objectives(state, seat) & objective.bit() != 0);
            objectives.map(|objective| self.objective_points(state, seat, objective)).sum::<u32>()
        };
        let full = f64::from(self.data.progress.full.get());
        let built = |kind| f64::from(state.structure_count(seat, kind)) * left;
        let mine = completed[seat.index()] & own;
        let winning = mine == own && !self.is_river_dead(state);
        let acting =
            deciding && matches!(state.phase, Phase::ChooseStructure | Phase::Act | Phase::Take);

        let values = [
            f64::from(points(seat)) / full,
            f64::from(mine.count_ones()) + if winning { 1.0 } else { 0.0 },
            has(Objective::Conservation) * pollution,
            has(Objective::Agriculture) * fish.min(wanted) / wanted,
            has(Objective::Development) * (site + city + stands),
            has(Objective::Capital) * lead.clamp(-10.0, 10.0),
            has(Objective::Charity) * helped,
            pollution,
            estuary * estuary,
            fish,
            fish.min(wanted) / wanted,
            f64::from(stock.get(Token::Tree).min(8)),
            f64::from(stock.get(Token::Gravel).min(8)),
            f64::from(stock.get(Token::Pollution)),
            gold,
            site,
            city,
            stands,
            height,
            helped,
            others().map(|other| f64::from(points(other)) / full).sum::<f64>(),
            built(Structure::Farm),
            f64::from(own.count_ones().saturating_sub(1)),
            built(Structure::Net),
            built(Structure::Boat),
            built(Structure::Excavator) + built(Structure::Mill),
            spawning(self, state) * left,
            [Structure::Boat, Structure::Excavator, Structure::Mill]
                .map(|kind| funds(self, state, seat, kind))
                .into_iter()
                .fold(0.0, f64::max)
                * left,
            camp_reach(self, state, seat) * left,
            if acting { 1.0 } else { 0.0 },
            if offering { 1.0 } else { 0.0 },
            has(Objective::Development) * city_means(self, state, seat),
        ];
        let mut features = [0.0; MAX_FEATURES];
        features[..values.len()].copy_from_slice(&values);
        features
    }

    /// How near the end the game is, from 0 to 1: the share of the days' row turns that are over.
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
            Phase::Sell
            | Phase::Propose
            | Phase::ChooseTile
            | Phase::Vote
            | Phase::Bid
            | Phase::Salvage
            | Phase::Contribute
            | Phase::Buy
            | Phase::Night => 1.0,
            _ => row / rows,
        };
        let days =
            f64::from(state.day().saturating_sub(1)) + if state.day == 0 { 0.0 } else { today };
        // The whole 1 is for the end: after a Storm on the last day there is another.
        0.99 * (days / f64::from(self.days)).min(1.0)
    }
}

/// Whether there is a City or its site, or how likely one is by the votes so far or the gold to
/// propose it, and its tile if it is known.
fn city_site(game: &CommonRiver, state: &State, gold: f64) -> (f64, Option<Tile>) {
    match state.proposal {
        _ if state.city.is_some() => (1.0, state.city),
        Some((PolicyKind::City, tile)) => {
            let votes = f64::from(state.votes[0]) - f64::from(state.votes[1]);
            ((0.6 + 0.1 * votes).clamp(0.4, 0.9), tile)
        }
        _ => (0.3 * (gold / f64::from(game.proposal_gold.max(1))).min(1.0), None),
    }
}

/// The share of the City's cost that lies at the site or that a seat can still bring, with its
/// partner's help in a game for two together. Fish that they want to keep do not count.
fn city_means(game: &CommonRiver, state: &State, seat: Seat) -> f64 {
    if state.city_complete {
        return 1.0;
    }
    let mut held = *state.site();
    for other in game.all_seats().filter(|&other| other == seat || state.mode() == Mode::Coop) {
        let kept = if game.objectives(state, other) & Objective::Agriculture.bit() == 0 {
            0
        } else {
            game.agriculture_fish
        };
        let stock = state.stock(other);
        held.add_all(stock);
        held.take(Token::Fish, stock.get(Token::Fish).min(kept));
    }
    let covered: u32 =
        Token::ALL.into_iter().map(|token| held.get(token).min(game.city_cost.get(token))).sum();
    f64::from(covered) / f64::from(game.city_cost.total().max(1))
}

/// The share of the river tiles in which there are fish, so that more will come.
fn spawning(game: &CommonRiver, state: &State) -> f64 {
    let tiles = (0..game.map.rows)
        .filter(|&row| game.has_token(state, Tile::river(row), Token::Fish))
        .count();
    tiles as f64 / game.map.rows as f64
}

/// The share of its price, the fish of the build action included, that a seat has of what it could
/// build.
fn funds(game: &CommonRiver, state: &State, seat: Seat, kind: Structure) -> f64 {
    let price = game.costs[kind as usize].with(Token::Fish, game.build_fish);
    let stock = state.stock(seat);
    let held: u32 =
        Token::ALL.into_iter().map(|token| stock.get(token).min(price.get(token))).sum();
    f64::from(held) / f64::from(price.total().max(1))
}

/// How many kinds of token a seat's camp can harvest where it is.
fn camp_reach(game: &CommonRiver, state: &State, seat: Seat) -> f64 {
    let Some(tile) = state.camp(seat).tile() else { return 0.0 };
    let kinds = [Token::Tree, Token::Gravel]
        .into_iter()
        .filter(|&token| game.has_token(state, tile, token))
        .count();
    let fish = game.has_token(state, Tile::river(tile.row()), Token::Fish);
    (kinds + usize::from(fish)) as f64
}
