//! The facts of positions.

use super::{
    super::{
        Glassworks,
        components::MAX_SHAPES,
        data::EndVariant,
        state::{EndStage, Phase, State},
    },
    Facts,
    context::{Bag, Context, Shapes},
    gains::{Glass, PieceGains},
    groups::{GAIN, PHASES, SHARE_UNITS, lead_level, standing},
};
use watershed_engine::game::{
    MAX_SEATS, Seat,
    facts::{FactList, PositionFacts},
};

/// Results for a seat that views refer to.
#[derive(Clone, Copy, Default)]
struct Summary {
    points: i32,
    inventory: u32,
    missing: u32,
    turns: usize,
    best: i32,
    second: i32,
    /// The place of the best tile, or [`MAX_SHAPES`] if none gains points.
    best_place: usize,
    /// The places of the tiles that one piece reaches, and those that a pair reaches.
    reach: [u32; 2],
}

impl Summary {
    /// Returns the index in [`REACH`](super::groups::REACH) of the tile at a place.
    #[inline]
    const fn reach_of(&self, place: usize) -> usize {
        if self.reach[0] >> place & 1 == 1 { 2 } else { (self.reach[1] >> place & 1) as usize }
    }
}

impl Facts {
    /// Lists the facts of a position.
    pub(in super::super) fn list_position(
        &self,
        game: &Glassworks,
        state: &State,
        facts: &mut PositionFacts,
    ) {
        let context = Context::new(game, state);
        let bag = self.count_bag(state);
        let mut summaries = [Summary::default(); MAX_SEATS];
        for seat in game.all_seats() {
            let list = &mut facts.seats[seat.index()];
            summaries[seat.index()] = context.list_seat(&bag, seat, list);
        }
        for seat in game.all_seats() {
            context.list_view(&summaries, seat, &mut facts.views[seat.index()]);
        }
        context.list_shared(&bag, &summaries, &mut facts.shared);
    }
}

impl Context<'_> {
    fn list_seat(&self, bag: &Bag, seat: Seat, list: &mut FactList) -> Summary {
        let Self { game, state, .. } = *self;
        let groups = &self.groups.seat;
        let columns = state.columns(seat);
        let score = game.score(columns);
        let glass = Glass::with_points(game, columns, score.total());
        let turns = self.turns(seat);

        let satchel = state.satchel(seat);
        let limit = game.data.play.satchel_limit.get() as usize;
        let overflows = state.phase == Phase::Overflow && state.decider == seat;
        let surplus = if overflows { satchel.len().saturating_sub(limit) } else { 0 };
        let points = score.total() + game.start_points(state, seat) - game.loss(surplus);
        let inventory = columns.inventory();
        let missing = game.data.glassworks.end_trigger.get().saturating_sub(inventory);

        groups.points(list, points);
        groups.row_points(list, score.rows);
        groups.column_points(list, score.columns);
        groups.overflow(list, columns.overflow() + surplus as u32);
        groups.missing(list, missing);
        let status: usize = match state.phase {
            _ if state.decider != seat => 0,
            Phase::Turn => 1,
            Phase::Collect => 2,
            Phase::Columns => 3,
            Phase::Overflow => 4,
            _ => 0,
        };
        groups.status(list, status, turns);

        let mut summary =
            Summary { points, inventory, missing, turns, best_place: MAX_SHAPES, ..<_>::default() };
        self.list_columns(&glass, bag, list);
        if turns == 0 {
            return summary;
        }

        let shapes = Shapes::new(game, satchel);
        groups.satchel(list, turns, satchel.len() - surplus);
        groups.shapes(list, turns, shapes.present().count_ones());
        groups.pairs(list, turns, shapes.paired().count_ones());

        summary.reach = self.reach(seat, shapes);
        self.list_tiles(&glass, self.is_collecting(seat), &mut summary, list);
        summary
    }

    /// Lists the gains from the tiles, and adds the best ones in reach to the results.
    #[inline]
    fn list_tiles(
        &self,
        glass: &Glass<'_>,
        is_collecting: bool,
        summary: &mut Summary,
        list: &mut FactList,
    ) {
        let (state, groups) = (self.state, &self.groups.seat);
        // A seat that need not collect can gain nothing instead.
        let is_forced = is_collecting && state.phase != Phase::Turn;
        let floor = if is_forced { GAIN.value(0) } else { 0 };
        let (mut best, mut second, mut reachable) = (floor, floor, 0);
        for (place, shape) in state.river.iter().enumerate() {
            let pieces = state.tile(shape);
            let reach = summary.reach_of(place);
            let mut gain = 0;
            if pieces != 0 {
                let after;
                (gain, after) = glass.gain(pieces);
                groups.tile(list, reach, glass.spill(after), gain);
            }
            if reach == 0 {
                continue;
            }
            reachable += u32::from(pieces != 0 && gain >= 0);
            if gain > best {
                second = best;
                best = gain;
                summary.best_place = place;
            } else {
                second = second.max(gain);
            }
        }
        let when = 2 * usize::from(is_collecting) + usize::from(summary.turns == 1);
        groups.best(list, when, best);
        groups.second(list, when, second);
        groups.reachable(list, reachable);
        summary.best = best;
        summary.second = second;
    }

    fn list_view(&self, summaries: &[Summary; MAX_SEATS], seat: Seat, list: &mut FactList) {
        let Self { game, state, progress, .. } = *self;
        let groups = &self.groups.view;
        let own = &summaries[seat.index()];
        let projected =
            |summary: &Summary| summary.points + if summary.turns > 0 { summary.best } else { 0 };
        let wait = self.wait(seat);
        let (mut points, mut projection, mut inventory) = (i32::MIN, i32::MIN, 0);
        let (mut ahead, mut contested) = (0, false);
        for other in game.all_seats().filter(|&other| other != seat) {
            let summary = &summaries[other.index()];
            points = points.max(summary.points);
            projection = projection.max(projected(summary));
            inventory = inventory.max(summary.inventory);
            ahead += u32::from(summary.points > own.points);
            contested |= summary.best_place == own.best_place && self.wait(other) < wait;
        }
        let projected_lead = projected(own) - projection;
        groups.lead(list, progress, lead_level(own.points - points));
        groups.projected_lead(list, progress, lead_level(projected_lead));
        groups.inventory_lead(list, progress, own.inventory as i32 - inventory as i32);
        groups.standing(list, standing(projected_lead), own.missing);
        groups.wait(list, self.stage as usize, wait);
        groups.order(list, self.steps(state.first_player, seat));
        groups.behind(list, ahead);
        if contested && own.best_place < MAX_SHAPES {
            groups.contest(list, own.best - own.second);
        }
        let next = &summaries[seat.clockwise(1, game.players).index()];
        if next.best_place < MAX_SHAPES {
            groups.next_best(list, own.reach_of(next.best_place), next.best);
        }
    }

    fn list_shared(&self, bag: &Bag, summaries: &[Summary; MAX_SEATS], list: &mut FactList) {
        let Self { game, state, .. } = *self;
        let groups = &self.groups.shared;
        groups.players(list, game.players);
        groups.phase(list, (state.phase as usize).min(PHASES - 1));
        groups.progress(list, self.progress);
        groups.round(list, state.round());
        groups.bag(list, bag.total);
        let missing = game.all_seats().map(|seat| summaries[seat.index()].missing).min();
        groups.missing(list, missing.unwrap_or(0));
        let lake = state.lake();
        let shapes = Shapes::new(game, lake);
        groups.lake(list, lake.len());
        groups.lake_shapes(list, shapes.present().count_ones());
        groups.lake_pairs(list, shapes.paired().count_ones());
        if game.data.play.end_variant == EndVariant::Bga && self.stage != EndStage::NotTriggered {
            groups.lake_closed(list);
        }
        groups.due(list, state.pieces_due);
        for (place, shape) in state.river.iter().enumerate() {
            let (mut pieces, mut same) = (0, 0);
            for (_, count) in game.colour_counts(state.tile(shape)) {
                pieces += count;
                same = same.max(count);
            }
            groups.tile(list, place + 1, game.stones[shape.index()], pieces);
            if same > 1 {
                groups.same_colour(list, same);
            }
        }
    }

    /// Lists the facts of the columns of a seat.
    #[inline]
    fn list_columns(&self, glass: &Glass<'_>, bag: &Bag, list: &mut FactList) {
        let groups = &self.groups.seat;
        let Glass { game, columns, .. } = *glass;
        let gains = PieceGains::new(game, columns);
        let open = columns.len();
        let mut with_column = 0;
        for column in 0..open {
            let colour = columns.colour(column);
            let count = bag.counts[usize::from(colour.0)];
            with_column += count;
            let share = bag.share_of(count);
            let height = gains.heights[column];
            groups.height(list, column + 1, height, share);
            if height < game.rows {
                groups.growth(list, gains.gain(game, column), share);
            } else {
                groups.full(list, column + 1, share);
            }
        }
        let new_share = bag.share_of(bag.total - with_column) * 10 / SHARE_UNITS as i32;
        if open < game.columns {
            groups.opening(list, gains.gain(game, open), new_share);
        } else {
            groups.closed_share(list, new_share);
        }
        for row in 0..gains.heights[0] {
            groups.row(list, row + 1, gains.filled(game, row));
        }
    }
}
