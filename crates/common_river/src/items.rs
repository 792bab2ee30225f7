//! The items of We All Take from the River: roles, objectives, structures, policies, camps, trades
//! and pairs of roles; its opening steps, and the metrics at the end of each day.

use super::{
    CommonRiver,
    action::{Action, Actions},
    components::{Objective, Structure, Tile, Token, tiles_in},
    phases::{Mode, Phase, PolicyKind},
    state::State,
};
use watershed_engine::{
    game::{
        ActionSet, Game, Item, ItemCatalog, ItemEvent, ItemId, ItemIds, ItemTable, ReportedSeats,
        ResourceAmounts, ResourceFlow, RoundMetric, Seat, Situation, Statistics,
    },
    games::labels::words_of,
    names,
};

// The first code of each kind of opening step: camps by tile, builds by structure.
pub(super) const CAMP: u8 = 1;
pub(super) const BUILD: u8 = CAMP + Tile::COUNT as u8;

names! {
    /// A source of changes of tokens. The second one is the farms.
    enum FlowSource {
        Start = "start",
        Farms = "farms",
        Harvest = "harvest",
        Planting = "planting",
        Nets = "nets",
        Building = "building",
        Sale = "sale",
        Purchase = "purchase",
        Policies = "policies",
        City = "city",
        TradedFor = "traded_for",
        TradedAway = "traded_away",
    }
}

/// The metrics at the end of each day: those of the game, those of all seats, and those of the
/// seats that have an objective.
const METRICS: [RoundMetric; 14] = [
    RoundMetric::number("pollution"),
    RoundMetric::number("estuary_pollution"),
    RoundMetric::number("flooded_tiles"),
    RoundMetric::number("protected_tiles"),
    RoundMetric::share("city_stands"),
    RoundMetric::share("river_died"),
    RoundMetric::share("nobody_wins"),
    RoundMetric::number("fish"),
    RoundMetric::number("gold"),
    RoundMetric::condition("conservation"),
    RoundMetric::condition("agriculture"),
    RoundMetric::condition("development"),
    RoundMetric::condition("capital"),
    RoundMetric::condition("charity"),
];
/// The index of the first metric of all seats.
const FISH: usize = 7;

/// The items of We All Take from the River.
#[derive(Clone, Debug, Default)]
pub(super) struct Items {
    catalog: ItemCatalog,
    roles: ItemIds,
    objectives: ItemIds,
    structures: ItemIds,
    policies: ItemIds,
    camps: ItemIds,
    /// All trades, then those with each kind of token.
    trades: ItemIds,
    /// The other roles for the first role, then for the second one, and so on.
    role_pairs: ItemIds,
}

impl Items {
    pub(super) fn new(game: &CommonRiver) -> Self {
        let mut catalog = ItemCatalog::new();
        Self {
            roles: catalog.add(role_table(game)),
            objectives: catalog.add(
                name_table(
                    ["objectives", "objective", "completed"],
                    Objective::ALL.map(Objective::name),
                )
                .offered()
                .reporting(ReportedSeats::Takers)
                .scoring(),
            ),
            structures: catalog.add(structure_table(game)),
            policies: catalog.add(
                name_table(["policies", "policy", "passed"], PolicyKind::ALL.map(PolicyKind::name))
                    .offered(),
            ),
            camps: catalog.add(camp_table(game)),
            trades: catalog.add(
                name_table(
                    ["trades", "trade", "accepted"],
                    ["any"].into_iter().chain(Token::ALL.map(Token::name)),
                )
                .offered()
                .reporting(ReportedSeats::Takers),
            ),
            role_pairs: catalog.add(role_pair_table(game)),
            catalog,
        }
    }
}

fn role_table(game: &CommonRiver) -> ItemTable {
    let roles = (0..game.roles.len()).map(|role| {
        let objectives = objective_names(game.roles[role]);
        let label = format!("{}: {}", game.data.role_label(role), objectives.replace('+', " + "));
        Item::new(game.data.role_name(role), [objectives]).labelled(label)
    });
    ItemTable::new(["roles", "role", "dealt"], &["objectives"], roles)
        .listed_as("role")
        .reporting(ReportedSeats::Takers)
        .scoring()
}

fn structure_table(game: &CommonRiver) -> ItemTable {
    let structures = buildable_structures().map(|kind| {
        let cost = &game.costs[kind as usize];
        let tokens = Token::ALL.into_iter().filter(|&token| cost.get(token) > 0);
        let cost: Vec<_> =
            tokens.map(|token| format!("{}{}", token.name(), cost.get(token))).collect();
        Item::new(kind.name(), [cost.join("+")]).labelled(words_of(kind.name()))
    });
    ItemTable::new(["structures", "structure", "built"], &["cost"], structures)
}

fn camp_table(game: &CommonRiver) -> ItemTable {
    let camps = tiles_in(game.map.camp_slots).map(|tile| {
        let slots = game.map.slots[tile.index()];
        let count = |kind: u64| (slots & kind).count_ones().to_string();
        let elevation = game.map.elevation[tile.index()].to_string();
        Item::new(
            game.tile_names.get(tile),
            [elevation, count(game.map.trees), count(game.map.gravel)],
        )
        .labelled(format!("Camp on {}", game.tile_names.get(tile)))
    });
    ItemTable::new(["camps", "tile", "pitched"], &["elevation", "trees", "gravel"], camps)
}

fn role_pair_table(game: &CommonRiver) -> ItemTable {
    let roles = if game.modes.contains(&Mode::Roles) { game.roles.len() } else { 0 };
    let pairs = (0..roles).flat_map(|role| {
        (0..roles).filter(move |&other| other != role).map(move |other| (role, other))
    });
    let pairs = pairs.map(|(role, other)| {
        let names = [role, other].map(|role| game.data.role_name(role).to_owned());
        let label = [role, other].map(|role| game.data.role_label(role)).join(" with ");
        Item::new(names.join("+"), names).labelled(label)
    });
    ItemTable::new(["role_pairs", "pair", "dealt"], &["role", "other"], pairs)
        .reporting(ReportedSeats::Takers)
}

/// Returns a table of items without properties.
fn name_table(
    labels: [&'static str; 3],
    names: impl IntoIterator<Item = &'static str>,
) -> ItemTable {
    let items = names.into_iter().map(|name| Item::new(name, []).labelled(words_of(name)));
    ItemTable::new(labels, &[], items)
}

fn objective_names(set: u8) -> String {
    let names: Vec<_> = Objective::ALL
        .into_iter()
        .filter(|objective| set & objective.bit() != 0)
        .map(Objective::name)
        .collect();
    names.join("+")
}

/// Returns all structures except the camp, which cannot be built.
fn buildable_structures() -> impl Iterator<Item = Structure> {
    Structure::ALL.into_iter().filter(|&kind| kind != Structure::Camp)
}

/// Returns the structure that an action builds, if it builds one.
fn structure_built(action: Action) -> Option<Structure> {
    match action {
        Action::Build(kind) => Some(kind),
        Action::BuildNet(_) => Some(Structure::Net),
        _ => None,
    }
}

impl CommonRiver {
    fn structure_item(&self, kind: Structure) -> ItemId {
        let index = buildable_structures().position(|other| other == kind);
        self.items.structures.get(index.unwrap_or(0))
    }

    fn camp_item(&self, tile: Tile) -> ItemId {
        let index = tiles_in(self.map.camp_slots).position(|other| other == tile);
        self.items.camps.get(index.unwrap_or(0))
    }

    /// Returns the item of a seat with `role` in a game with a seat with the role `other`.
    fn role_pair_item(&self, role: usize, other: usize) -> ItemId {
        let index_of_other = if other > role { other - 1 } else { other };
        self.items.role_pairs.get(role * (self.roles.len() - 1) + index_of_other)
    }

    /// Returns the policy on which this action decides, and true if the policy passes.
    fn decided_policy(&self, state: &State, action: Action) -> Option<(PolicyKind, bool)> {
        let policy = match action {
            Action::Propose(policy) if !policy.has_tile() => policy,
            Action::Tile(_) | Action::Vote(_) | Action::Bid | Action::Settle => state.proposal?.0,
            _ => return None,
        };
        let mut after = *state;
        self.apply(&mut after, action);
        let policies = |state: &State| (state.city.is_some(), state.protected, state.subsidized);
        let passed = policies(&after) != policies(state);
        (passed || !matches!(after.phase, Phase::Vote | Phase::Bid)).then_some((policy, passed))
    }

    /// Reports an offer as a trade of any kind and as one of each kind of token in it.
    fn trade_events(&self, state: &State, accepted: bool, mut report: impl FnMut(ItemEvent)) {
        let seat = Self::seat_at_cursor(state);
        let kinds = state.offered_tokens.kinds() | state.requested_tokens.kinds();
        let tokens = Token::ALL.into_iter().filter(|&token| kinds >> token as u8 & 1 == 1);
        for index in tokens.map(|token| 1 + token as usize).chain([0]) {
            let item = self.items.trades.get(index);
            report(ItemEvent::Offered(item));
            if accepted {
                report(ItemEvent::Taken(seat, item));
            }
        }
    }
}

impl Statistics for CommonRiver {
    fn catalog(&self) -> &ItemCatalog {
        &self.items.catalog
    }

    fn items_taken(&self, _legal: &Actions, action: Action, report: impl FnMut(ItemId)) {
        let item = match action {
            Action::Camp(tile) => Some(self.camp_item(tile)),
            _ => structure_built(action).map(|kind| self.structure_item(kind)),
        };
        item.into_iter().for_each(report);
    }

    /// Reports a policy when it is proposed. It is taken when the vote passes it.
    fn items_chosen(&self, legal: &Actions, action: Action, mut report: impl FnMut(ItemId)) {
        match action {
            Action::Propose(policy) => report(self.items.policies.get(policy as usize)),
            _ => self.items_taken(legal, action, report),
        }
    }

    fn items_available(&self, legal: &Actions, mut report: impl FnMut(ItemId)) {
        for action in legal.item_actions().iter() {
            self.items_chosen(legal, action, &mut report);
        }
    }

    fn item_events(&self, state: &State, action: Action, mut report: impl FnMut(ItemEvent)) {
        match action {
            Action::Role(role) => {
                let (seat, role) = (state.decider, usize::from(role));
                report(ItemEvent::Taken(seat, self.items.roles.get(role)));
                for (other, of_other) in
                    self.all_seats().filter_map(|other| Some((other, state.role(other)?)))
                {
                    report(ItemEvent::Taken(seat, self.role_pair_item(role, of_other)));
                    report(ItemEvent::Taken(other, self.role_pair_item(of_other, role)));
                }
            }
            Action::Accept | Action::Refuse => {
                self.trade_events(state, action == Action::Accept, report);
            }
            _ => {
                let Some((policy, passed)) = self.decided_policy(state, action) else { return };
                let item = self.items.policies.get(policy as usize);
                report(ItemEvent::Offered(item));
                if passed {
                    report(ItemEvent::Taken(Self::seat_at_cursor(state), item));
                }
            }
        }
    }

    /// Reports objectives as offered to each seat that has them, and taken by the seats that
    /// completed them.
    fn final_events(&self, state: &State, mut report: impl FnMut(ItemEvent)) {
        let completed = self.completed_objectives(state);
        for seat in self.all_seats() {
            let breakdown = self.breakdown(state, seat, completed);
            let objectives = self.objectives(state, seat);
            for objective in
                Objective::ALL.into_iter().filter(|objective| objectives & objective.bit() != 0)
            {
                let item = self.items.objectives.get(objective as usize);
                report(ItemEvent::Offered(item));
                if completed[seat.index()] & objective.bit() != 0 && !self.is_river_dead(state) {
                    report(ItemEvent::Taken(seat, item));
                }
                report(ItemEvent::Scored(seat, item, breakdown[objective as usize].1));
            }
            if let Some(role) = state.role(seat) {
                let points = breakdown.iter().map(|(_, points)| points).sum();
                report(ItemEvent::Scored(seat, self.items.roles.get(role), points));
            }
        }
    }

    fn round_metrics(&self) -> &'static [RoundMetric] {
        &METRICS
    }

    fn observe_round_metrics(&self, state: &State, mut report: impl FnMut(usize, i64, i64)) {
        let completed = self.completed_objectives(state);
        let outcome = self.outcome(state);
        let seats = self.players as i64;
        let held =
            |token| self.all_seats().map(|seat| i64::from(state.stock(seat).get(token))).sum();
        let of_game = [
            i64::from(state.pollution()),
            i64::from((state.polluted & self.map.estuary).count_ones()),
            i64::from(state.flooded.count_ones()),
            i64::from(state.protected.count_ones()),
            i64::from(state.city_stands()),
            i64::from(self.is_river_dead(state)),
            i64::from(outcome.winners == 0),
        ];
        for (metric, value) in of_game.into_iter().enumerate() {
            report(metric, 1, value);
        }
        report(FISH, seats, held(Token::Fish));
        report(FISH + 1, seats, held(Token::Gold));
        for (objective, metric) in Objective::ALL.into_iter().zip(FISH + 2..) {
            for seat in
                self.all_seats().filter(|&seat| self.objectives(state, seat) & objective.bit() != 0)
            {
                report(metric, 1, i64::from(completed[seat.index()] & objective.bit() != 0));
            }
        }
    }

    fn resource_flow(&self) -> ResourceFlow {
        let kinds = Token::NAMES.map(str::to_owned).into();
        ResourceFlow { kinds, sources: &FlowSource::NAMES, loss: "" }
    }

    fn held_resources(&self, state: &State, seat: Seat) -> ResourceAmounts {
        let mut held = ResourceAmounts::default();
        for (held, token) in held.iter_mut().zip(Token::ALL) {
            *held = state.stock(seat).get(token) as i32;
        }
        held
    }

    fn resource_changes(
        &self,
        state: &State,
        action: Action,
        mut report: impl FnMut(Seat, usize, usize, i32),
    ) {
        let source = match action {
            Action::Harvest(_) | Action::Dredge | Action::Take(_) => FlowSource::Harvest,
            Action::Plant(_) => FlowSource::Planting,
            Action::Net(_) => FlowSource::Nets,
            Action::Build(_) | Action::BuildNet(_) | Action::Remove(..) | Action::Salvage(..) => {
                FlowSource::Building
            }
            Action::Sell(_) => FlowSource::Sale,
            Action::Buy(_) => FlowSource::Purchase,
            Action::Propose(_) | Action::Bid => FlowSource::Policies,
            Action::City(_) => FlowSource::City,
            Action::Accept => FlowSource::TradedFor,
            _ => return,
        };
        let mut after = *state;
        self.carry_out(&mut after, action);
        for seat in self.all_seats() {
            let [was, is] = [state, &after].map(|state| self.held_resources(state, seat));
            let changes = is.iter().zip(was).map(|(is, was)| is - was).enumerate();
            for (kind, amount) in changes.filter(|&(_, amount)| amount != 0) {
                let is_price = source == FlowSource::TradedFor && amount < 0;
                let source = if is_price { FlowSource::TradedAway } else { source };
                report(seat, kind, source as usize, amount);
            }
        }
    }

    fn first_player(&self, outcome: Action) -> Option<Seat> {
        match outcome {
            Action::FirstPlayer(seat) => Some(seat),
            _ => None,
        }
    }

    fn opening_step(&self, state: &State, action: Action) -> Option<u8> {
        match action {
            Action::Camp(tile) if state.phase == Phase::Camps => Some(CAMP + tile.0),
            _ => structure_built(action).map(|kind| BUILD + kind as u8),
        }
    }

    fn opening_step_text(&self, step: u8) -> String {
        if let CAMP..BUILD = step {
            format!("camp:{}", self.tile_names.get(Tile(step - CAMP)))
        } else {
            let kind = usize::from(step - BUILD) % Structure::ALL.len();
            format!("build:{}", Structure::ALL[kind].name())
        }
    }

    fn book_action_label(&self, code: u8) -> String {
        self.opening_label(code)
    }

    fn book_step_name(&self, index: usize) -> String {
        let names = ["camp", "first structure", "second structure", "third structure"];
        names.get(index).copied().unwrap_or_default().to_owned()
    }

    fn situation(&self, state: &State, seat: Seat) -> Situation {
        self.opening_situation(state, seat)
    }
}
