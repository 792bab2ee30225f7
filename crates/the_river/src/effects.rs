//! Consequences of actions of The River in words.

use super::{
    TheRiver,
    action::Action,
    components::{Bag, Building, Resource, SPOTS, TileKind},
    labels::building_phrase,
    state::{Phase, Place, State},
    words::amounts,
};
use watershed_engine::{
    bits::ones,
    game::{ActionEffects, Game as _, Seat},
    games::labels::{count, player},
};

/// Most missing resources of a building that is mentioned.
const MAX_MISSING: u32 = 2;

impl TheRiver {
    /// Returns the consequences of a legal action.
    pub(super) fn effects(&self, state: &State, action: Action) -> ActionEffects {
        let (mut effects, after) = (ActionEffects::default(), self.after(state, action));
        self.add_points(&mut effects, state, &after, action);
        self.add_denial(&mut effects, state, &after, action);
        self.add_tempo(&mut effects, state, &after, action);
        self.add_buildings(&mut effects, state, &after, action);
        Self::add_resources(&mut effects, state, &after);
        effects
    }

    /// Returns the position after an action, before a cleanup.
    fn after(&self, state: &State, action: Action) -> State {
        let (mut after, seat) = (*state, state.decider());
        if let Action::Discard(resource) = action {
            after.set_bag(seat, after.bag(seat).minus(Bag::single(resource, 1)));
            return after;
        }
        // With a pioneer left, the round goes on.
        after.set_boat_pioneers(seat, state.boat_pioneers(seat).max(2));
        self.apply(&mut after, action);
        after
    }

    /// Returns the points of tiles if the game ended: those for columns and for meadows.
    fn tile_points(&self, state: &State, seat: Seat) -> [i32; 2] {
        let score = self.score(state, seat);
        [score.columns, score.meadows]
    }

    fn add_points(
        &self,
        effects: &mut ActionEffects,
        state: &State,
        after: &State,
        action: Action,
    ) {
        let seat = state.decider();
        if let Action::Build(card) = action {
            let points = count(self.building_rules(card).points, "point");
            let token = self.next_token(state, seat).filter(|&token| token > 0);
            let token = token.map_or(String::new(), |token| format!(" and {token} for its token"));
            effects.gain(format!("scores {points} for the building{token}"));
        }
        let [was, is] = [state, after].map(|state| self.tile_points(state, seat));
        effects.points(is[0] - was[0], "columns");
        effects.points(is[1] - was[1], "meadows");
        if after.is_end_triggered() {
            let [was, is] = [state, after].map(|state| self.resource_points(state.bag(seat)));
            effects.points(is - was, "resources");
        }
    }

    /// Adds what the opponents lose. Only those with a pioneer on their boat can act this round.
    fn add_denial(
        &self,
        effects: &mut ActionEffects,
        state: &State,
        after: &State,
        action: Action,
    ) {
        let seat = state.decider();
        let clockwise = (1..self.players).map(|steps| seat.clockwise(steps, self.players));
        let opponents: Vec<_> = clockwise.filter(|&other| state.boat_pioneers(other) > 0).collect();
        let most = |amount: &dyn Fn(Seat) -> i32| {
            let amounts = opponents.iter().map(|&other| (amount(other), other));
            amounts.max_by_key(|&(amount, _)| amount).filter(|&(amount, _)| amount > 0)
        };
        match action {
            Action::Reserve(card) | Action::Build(card)
                if state.face_up_buildings() >> card.0 & 1 == 1 =>
            {
                let pays = |other: &&Seat| self.missing(state, **other, card) == 0;
                if let Some(&other) = opponents.iter().find(pays) {
                    effects.gain(format!("takes a building that {} can pay for", player(other)));
                }
            }
            Action::Produce(resource) => {
                let place = Place::production(resource);
                let is_full = after.pioneers_on(place) >= self.place_limits[place as usize];
                let (supply, name) = (self.supply(state).get(resource), resource.name());
                let amount = |other| self.production(state, other, resource).min(supply) as i32;
                if let Some((amount, other)) = most(&amount).filter(|_| is_full) {
                    let other = player(other);
                    effects
                        .gain(format!("keeps {other} from producing {amount} {name} this round"));
                }
            }
            Action::Claim(kind) => {
                let is_last = after.face_up_tiles().kinds() >> kind.0 & 1 == 0;
                let best = most(&|other| self.points_of_claim(state, other, kind));
                if let Some((points, other)) = best.filter(|_| is_last) {
                    let (points, other) = (count(points as u32, "point"), player(other));
                    effects.gain(format!("takes a tile that would score {points} for {other}"));
                }
            }
            _ => {}
        }
        for resource in Resource::ALL {
            let [left, before] = [after, state].map(|state| self.supply(state).get(resource));
            if left == 0 && before > 0 && !opponents.is_empty() {
                effects.gain(format!("takes the last {} of the supply", resource.name()));
            }
        }
    }

    /// Returns the points that a seat would score at once for columns and meadows with a tile that
    /// lies face up; 0 if it cannot claim it.
    fn points_of_claim(&self, state: &State, seat: Seat, kind: TileKind) -> i32 {
        let (tiles, claims) =
            (state.tiles(seat).len(), self.data.rules.claim_tile_per_player.get());
        let may_claim = if state.round() == 0 { tiles == 0 } else { state.claims(seat) < claims };
        if !may_claim || tiles == SPOTS {
            return 0;
        }
        let mut claiming = *state;
        claiming.set_decider(seat);
        let after = self.after(&claiming, Action::Claim(kind));
        let points = |state| self.tile_points(state, seat).iter().sum::<i32>();
        points(&after) - points(state)
    }

    fn add_tempo(&self, effects: &mut ActionEffects, state: &State, after: &State, action: Action) {
        let seat = state.decider();
        let token = self.next_token(state, seat).filter(|_| matches!(action, Action::Build(_)));
        let tokens = state.tokens(seat) + u32::from(token.is_some());
        if token.is_some() && tokens == self.data.rules.extra_pioneer_on_bonus_spot.get() {
            effects.gain("brings another pioneer at once");
        }
        let ends = after.is_end_triggered() || token.is_some() && tokens == self.bonus_spots;
        if ends && !state.is_end_triggered() {
            effects.gain("makes this round the last one");
        }
        if action == Action::TakePawn && !ends {
            let verb = if state.pawn_holder() == seat { "keeps" } else { "brings" };
            effects.gain(format!("{verb} the first turn of the next round"));
        }
        let framed = |state: &State| self.framed_spots(state.tiles(seat).len() as u32);
        if framed(after) > framed(state) && !ends {
            effects.cost("costs a pioneer from the next round on");
        }
    }

    /// Returns the number of resources that a seat lacks for an open building.
    fn missing(&self, state: &State, seat: Seat, card: Building) -> u32 {
        let bag = state.bag(seat);
        let cost = self.building_rules(card).cost;
        let paid = Resource::PRODUCED.map(|one| cost[one as usize].min(bag.get(one)));
        let paid = paid.iter().sum::<u32>() + bag.get(Resource::Food);
        self.price(state, seat, card).saturating_sub(paid)
    }

    /// Adds the buildings for which the seat has, lacks or loses the resources.
    fn add_buildings(
        &self,
        effects: &mut ActionEffects,
        state: &State,
        after: &State,
        action: Action,
    ) {
        let seat = state.decider();
        let points = |card: Building| self.building_rules(card).points;
        if let Action::Reserve(card) = action {
            let value = count(points(card), "point");
            let missing = match self.missing(after, seat, card) {
                0 => "all resources are there".to_owned(),
                1 => "1 resource is missing".to_owned(),
                missing => format!("{missing} resources are missing"),
            };
            effects.gain(format!("secures a building of {value}, for which {missing}"));
            return;
        }
        let built = if let Action::Build(card) = action { 1 << card.0 } else { 0 };
        let open = (after.face_up_buildings() | after.reserved_buildings(seat)) & !built;
        // Points, resources missing before and after, and the card.
        let open = ones(open).map(|card| {
            let card = Building(card as u8);
            let [was, is] = [state, after].map(|state| self.missing(state, seat, card));
            (points(card), was, is, card)
        });
        let open: Vec<_> = open.collect();
        let phrase = |card: Building| building_phrase(&self.data.building[usize::from(card.0)]);
        let best = |fits: fn(u32, u32) -> bool| {
            let cards = open.iter().filter(|&&(_, was, is, _)| fits(was, is));
            cards.max_by_key(|card| card.0).map(|&(.., card)| phrase(card))
        };
        let returns = matches!(action, Action::Pay(_) | Action::Discard(_) | Action::Trade(_));
        if let Some(card) = best(|was, is| was > 0 && is == 0) {
            effects.gain(format!("completes the resources for {card}"));
        } else if let Some(card) = best(|was, is| was == 0 && is == 0).filter(|_| returns) {
            effects.gain(format!("keeps the resources for {card}"));
        } else {
            let near = open.iter().filter(|&&(_, was, is, _)| {
                (1..=MAX_MISSING).contains(&is) && (is < was || returns && is == was)
            });
            if let Some(&(_, _, is, card)) = near.max_by_key(|card| (MAX_MISSING - card.2, card.0))
            {
                let missing = count(is, "resource");
                effects.gain(format!("leaves only {missing} missing for {}", phrase(card)));
            }
        }
        if let Some(card) = best(|was, is| was == 0 && is > 0) {
            effects.cost(format!("costs the resources for {card}"));
        }
        if returns {
            effects.gain(format!("keeps {}", amounts(after.bag(seat))));
        }
    }

    fn add_resources(effects: &mut ActionEffects, state: &State, after: &State) {
        let seat = state.decider();
        let (is, was) = (after.symbols(seat), state.symbols(seat));
        if after.phase() == Phase::Overflow && state.phase() != Phase::Overflow {
            let overflow = count(after.bag(seat).total() - is.storage(), "resource");
            effects.cost(format!("overfills the warehouses by {overflow}"));
        }
        for resource in Resource::ALL {
            let [is, was] = [after, state].map(|state| state.bag(seat).get(resource));
            if is > was && resource == Resource::Food {
                effects.gain("brings a food, which replaces any resource");
            } else if is > was {
                effects.gain(format!("brings {} {} at once", is - was, resource.name()));
            }
        }
        for resource in Resource::PRODUCED {
            let [is, was] = [is, was].map(|symbols| symbols.production(resource));
            let phrase = |verb| format!("{verb} the {} production to {is}", resource.name());
            if is > was {
                effects.gain(phrase("raises"));
            } else if is < was {
                effects.cost(phrase("lowers"));
            }
        }
        let (is, was) = (is.storage(), was.storage());
        if is > was {
            effects.gain(format!("makes room for {}", count(is - was, "more resource")));
        } else if is < was {
            effects.cost(format!("costs {}", count(was - is, "warehouse")));
        }
    }
}
