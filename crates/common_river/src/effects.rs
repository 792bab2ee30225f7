//! Consequences of actions of We All Take from the River in words.

use super::{
    CommonRiver,
    action::{Action, Actions},
    components::{Objective, Structure, Token, Tokens, tiles_in},
    phases::{Actor, Phase, PolicyKind},
    state::State,
};
use watershed_engine::{
    game::{ActionEffects, ActionSet as _, Seat},
    games::labels::{count, enumerate, player},
};

impl CommonRiver {
    /// Returns the consequences of a legal action, without those of the steps that follow it.
    pub(super) fn effects(&self, state: &State, action: Action) -> ActionEffects {
        let (mut effects, mut after) = (ActionEffects::default(), *state);
        self.carry_out(&mut after, action);
        if state.phase == Phase::Act && matches!(action, Action::Take(_)) {
            // The harvest pollutes at its end.
            self.pollute(&mut after, state.row(), 1);
        }
        self.add_objectives(&mut effects, state, &after);
        self.add_map(&mut effects, state, &after);
        self.add_talk(&mut effects, state, action);
        self.add_work(&mut effects, state, &after, action);
        self.add_stock(&mut effects, state, &after, action);
        effects
    }

    /// Adds the progress of the own objectives. Charity depends on hidden objectives.
    fn add_objectives(&self, effects: &mut ActionEffects, state: &State, after: &State) {
        let seat = state.decider;
        let own = self.objectives(state, seat) & !Objective::Charity.bit();
        let [was, is] =
            [state, after].map(|state| own & self.completed_objectives(state)[seat.index()]);
        for objective in Objective::ALL {
            if is & !was & objective.bit() != 0 {
                effects.gain(format!("completes the objective of {}", objective.name()));
            } else if was & !is & objective.bit() != 0 {
                effects.cost(format!("costs the objective of {}", objective.name()));
            }
        }
        let mut change = |name: &str, value: &dyn Fn(&State) -> u32, of: String| {
            let [was, is] = [state, after].map(value);
            if is > was {
                effects.gain(format!("raises {name} to {is}{of}"));
            } else if is < was {
                effects.cost(format!("lowers {name} to {is}{of}"));
            }
        };
        if self.counts(state, Token::Fish) {
            let of = format!(" of {}", self.data.rules.agriculture_fish.get());
            change("the fish", &|state| state.stock(seat).get(Token::Fish), of);
        }
        let gold = |state: &State, seat| state.stock(seat).get(Token::Gold);
        let others = self.all_seats().filter(|&other| other != seat);
        let rival = others.max_by_key(|&other| gold(after, other));
        if let Some(rival) = rival.filter(|_| self.counts(state, Token::Gold)) {
            let of = format!(" against {} of {}", gold(after, rival), player(rival));
            change("the gold", &|state| gold(state, seat), of);
        }
        if !after.city_complete {
            let of = format!(" of {} tokens", self.city_cost.total());
            change("the City", &|state| state.site.total(), of);
        }
    }

    /// Returns true if an own objective of the seat that decides counts this kind of token, and it
    /// has no more than it needs.
    fn counts(&self, state: &State, token: Token) -> bool {
        let objective = match token {
            Token::Fish => Objective::Agriculture,
            Token::Gold => Objective::Capital,
            _ => return false,
        };
        let fish = state.stock(state.decider).get(Token::Fish);
        let has_enough = token == Token::Fish && fish > self.data.rules.agriculture_fish.get();
        self.objectives(state, state.decider) & objective.bit() != 0 && !has_enough
    }

    /// Adds changes of the river and of the trees on its banks.
    fn add_map(&self, effects: &mut ActionEffects, state: &State, after: &State) {
        if self.is_river_dead(after) {
            effects.cost("kills the river, so that everybody loses");
        }
        let row = state.row() + 1;
        if after.pollution() > state.pollution() {
            effects.cost(format!("pollutes row {row}"));
        } else if after.pollution() < state.pollution() {
            effects.gain("removes a pollution from the map");
        }
        for tile in tiles_in(self.map.land_and_river) {
            let name = self.tile_names.get(tile);
            let token = if tile.is_land() { Token::Tree } else { Token::Fish };
            match [state, after].map(|state| self.has_token(state, tile, token)) {
                [true, false] if tile.is_land() => {
                    effects.cost(format!("leaves {name} without a tree against floods"));
                }
                [true, false] => effects.cost(format!("leaves no fish to breed in {name}")),
                [false, true] if tile.is_land() => {
                    effects.gain(format!("gives {name} a tree against floods"));
                }
                [false, true] => effects.gain(format!("lets fish breed in {name} again")),
                _ => {}
            }
        }
    }

    /// Adds the consequences of actions among the seats: offers, proposals and votes.
    fn add_talk(&self, effects: &mut ActionEffects, state: &State, action: Action) {
        let seat = state.decider;
        let partner = Seat::new(state.partner_or_voter.into());
        let one_of = |seat: Seat, token: Token| match state.stock(seat).get(token) {
            1 => format!("the only {}", token.name()),
            number => format!("1 of {}", tokens(&Tokens::NONE.with(token, number))),
        };
        if let Action::Get(token) = action
            && self.counts(state, token)
        {
            let held = state.stock(seat).get(token) + state.requested_tokens.get(token);
            effects.gain(format!("can raise the {} to {}", token.name(), held + 1));
        }
        effects.gain(match action {
            Action::Pass if state.phase == Phase::Offer => {
                "leaves the tokens of all players where they are".to_owned()
            }
            Action::Offer(other) => {
                format!("asks {}, who holds {}", player(other), tokens(state.stock(other)))
            }
            Action::Give(token) => format!("offers {}", one_of(seat, token)),
            Action::Get(token) => {
                format!("asks {} for {}", player(partner), one_of(partner, token))
            }
            Action::EndGive => format!("gives {}", tokens(&state.offered_tokens)),
            Action::Send => format!(
                "asks for {} in return for {}",
                tokens(&state.requested_tokens),
                tokens(&state.offered_tokens)
            ),
            Action::Refuse if !state.requested_tokens.is_empty() => {
                format!("keeps {}", tokens(&state.requested_tokens))
            }
            Action::Propose(policy) => match policy {
                PolicyKind::City => "starts the City",
                PolicyKind::Protect => "closes a tile for harvests and builds",
                PolicyKind::Subsidy => "lets every player sell pollution",
                PolicyKind::Unprotect => "opens a protected tile again",
                PolicyKind::Unsubsidy => "ends the sale of pollution",
            }
            .to_owned(),
            Action::Tile(tile) if tile.is_land() => {
                let filled = (state.filled & self.slots(state, tile)).count_ones();
                let elevation = self.map.elevation[tile.index()];
                format!("chooses elevation {elevation} with {}", count(filled, "token"))
            }
            Action::Vote(yes) => {
                let verb = if yes { "supports" } else { "opposes" };
                let [votes_for, votes_against] = state.votes;
                format!("{verb} a proposal with {votes_for} to {votes_against} votes so far")
            }
            _ => return,
        });
    }

    /// Adds the consequences for structures.
    fn add_work(&self, effects: &mut ActionEffects, state: &State, after: &State, action: Action) {
        let row = state.row() + 1;
        let (kind, tile) = match (action, state.actor) {
            (Action::Camp(tile), _) => (Structure::Camp, tile),
            (Action::Use(kind, tile), _) => (kind, tile),
            (Action::Ferry(kind, tile), _) => (kind, tile.opposite_bank()),
            (Action::Move(tile), Some(actor)) => (actor.kind, tile),
            (Action::Stop, Some(actor)) => (actor.kind, actor.tile),
            (Action::Done, _) if state.phase == Phase::ChooseStructure => {
                let idle = self.candidates(state, state.decider).count_ones();
                effects.cost(format!("leaves {} without a turn", count(idle, "structure")));
                return;
            }
            (Action::Build(kind), _) => {
                effects.gain(match kind {
                    Structure::Farm => {
                        format!("brings a fish on each day with water in row {row}, and pollutes")
                    }
                    Structure::Canal => format!("lowers the water of row {row} by 1 on each day"),
                    Structure::Levee => "raises its tile by 1 against floods".to_owned(),
                    Structure::Mill => "fells up to 2 trees a day from tomorrow on".to_owned(),
                    Structure::Excavator => "digs up to 2 gravel a day from tomorrow on".to_owned(),
                    Structure::Boat => format!("fishes in row {row} from tomorrow on"),
                    _ => format!("joins the banks of row {row}"),
                });
                return;
            }
            (Action::BuildNet(slot), _) => {
                let row = slot.row() + 1;
                effects.gain(format!("catches a token of the flow below row {row}"));
                return;
            }
            _ => return,
        };
        let mut actions = Actions::default();
        self.list_turn_actions(after, state.decider, Actor::new(kind, tile, false), &mut actions);
        let harvests = actions.iter().filter_map(|action| match action {
            Action::Harvest(Token::Tree) => Some("trees"),
            Action::Harvest(token) => Some(token.name()),
            Action::Take(_) if kind == Structure::Mill => Some("trees"),
            Action::Take(_) => Some("gravel"),
            _ => None,
        });
        let mut harvests: Vec<_> = harvests.collect();
        harvests.dedup();
        if !harvests.is_empty() {
            let name = self.tile_names.get(tile);
            let harvests = enumerate(harvests.into_iter().map(str::to_owned));
            effects.gain(format!("finds {harvests} at {name}"));
        }
        if kind == Structure::Camp {
            let elevation = self.map.elevation[tile.index()];
            effects.gain(format!("stands at elevation {elevation}"));
            if after.camp_tiles() & tile.opposite_bank().bit() == 0 {
                effects.gain(format!("makes this the only camp of row {}", tile.row() + 1));
            }
        }
    }

    /// Adds the tokens that the seat gains, spends and keeps.
    fn add_stock(&self, effects: &mut ActionEffects, state: &State, after: &State, action: Action) {
        let seat = state.decider;
        let [was, is] = [state, after].map(|state| *state.stock(seat));
        let fish = self.data.rules.build_fish.get();
        let pays = |stock: &Tokens, kind: Structure| {
            stock.covers(&self.costs[kind as usize].with(Token::Fish, fish))
        };
        let kinds = Structure::ALL.into_iter().filter(|&kind| kind != Structure::Camp);
        let new = kinds.filter(|&kind| pays(&is, kind) && !pays(&was, kind));
        if let Some(kind) = new.max_by_key(|&kind| self.costs[kind as usize].total()) {
            effects.gain(format!("completes the tokens for one more {}", kind.name()));
        }
        let [mut gained, mut spent] = [Tokens::NONE; 2];
        for token in Token::ALL.into_iter().filter(|&token| !self.counts(state, token)) {
            gained.add(token, is.get(token).saturating_sub(was.get(token)));
            spent.add(token, was.get(token).saturating_sub(is.get(token)));
        }
        if !gained.is_empty() {
            effects.gain(format!("brings {}", tokens(&gained)));
        }
        if matches!(action, Action::Sell(_)) && state.step_count == 0 {
            let tokens = self.data.rules.tokens_per_gold.get();
            effects.gain(format!("begins a sale of {tokens} tokens for 1 gold"));
        }
        match action {
            Action::Sell(_) | Action::City(_) => effects.gain(format!("keeps {}", tokens(&is))),
            Action::Done if state.phase != Phase::ChooseStructure => {
                effects.gain(format!("keeps {}", tokens(&was)));
            }
            Action::Pass if state.phase == Phase::Propose => {
                effects.gain(format!("keeps {} gold", was.get(Token::Gold)));
            }
            _ if !spent.is_empty() => effects.cost(format!("costs {}", tokens(&spent))),
            _ => {}
        }
    }
}

/// Returns tokens in words, as in `1 fish and 2 trees`.
fn tokens(tokens: &Tokens) -> String {
    let held = Token::ALL.into_iter().filter(|&token| tokens.get(token) > 0);
    let parts = held.map(|token| match (token, tokens.get(token)) {
        (Token::Tree, number) => count(number, "tree"),
        (_, number) => format!("{number} {}", token.name()),
    });
    let text = enumerate(parts);
    if text.is_empty() { "nothing".to_owned() } else { text }
}
