//! The facts of positions.

use super::{
    super::{
        Glassworks,
        components::{MAX_COLUMNS, MAX_ROWS, MAX_SATCHEL, MAX_SHAPES},
        data::EndVariant,
        state::{EndStage, Phase, State},
    },
    Facts, GROUPS,
    context::{Bag, Context, Shapes, steps},
    gains::{Glass, PieceGains},
    groups::{
        BAG, GAIN, INVENTORY_LEAD, LEAD, MAX_ON_TILE, MAX_SPILL, MAX_STONES, MISSING, NEW_SHARE,
        PART, PHASES, POINTS, SHARE, SHARE_UNITS, TURNS, push_count, standing,
    },
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
            summaries[seat.index()] =
                self.list_seat(game, state, &context, &bag, seat, &mut facts.seats[seat.index()]);
        }
        for seat in game.all_seats() {
            let list = &mut facts.views[seat.index()];
            self.list_view(game, state, &context, &summaries, seat, list);
        }
        self.list_shared(game, state, &context, &bag, &summaries, &mut facts.shared);
    }

    fn list_seat(
        &self,
        game: &Glassworks,
        state: &State,
        context: &Context,
        bag: &Bag,
        seat: Seat,
        list: &mut FactList,
    ) -> Summary {
        let groups = &GROUPS.0.seat;
        let columns = state.columns(seat);
        let score = game.score(columns);
        let glass = Glass { game, columns, points: score.total() };
        let turns = context.turns(game, state, seat);
        let is_collecting = context.is_collecting(state, seat);

        let satchel = state.satchel(seat);
        let limit = game.data.play.satchel_limit.get() as usize;
        let overflows = state.phase == Phase::Overflow && state.decider == seat;
        let surplus = if overflows { satchel.len().saturating_sub(limit) } else { 0 };
        let penalty = game.data.glassworks.overflow_penalty.get();
        let points = score.total() - (surplus as u32 * penalty) as i32;
        let inventory = columns.inventory();
        let missing = game.data.glassworks.end_trigger.get().saturating_sub(inventory);

        list.push_choice(groups.points, POINTS.level(points));
        list.push_choice(groups.row_points, PART.level(score.rows));
        list.push_choice(groups.column_points, PART.level(score.columns));
        list.push_number(groups.overflow, columns.overflow() + surplus as u32);
        list.push_choice(groups.missing, MISSING.level(missing as i32));
        let status = if state.decider == seat {
            match state.phase {
                Phase::Turn => 1,
                Phase::Collect => 2,
                Phase::Columns => 3,
                Phase::Overflow => 4,
                _ => 0,
            }
        } else {
            0
        };
        list.push_choice(groups.status, status * TURNS.len() + turns);

        let mut summary =
            Summary { points, inventory, missing, turns, best_place: MAX_SHAPES, ..<_>::default() };
        self.list_columns(game, &glass, bag, list);
        if turns == 0 {
            return summary;
        }

        let shapes = Shapes::new(game, satchel);
        let held = (satchel.len() - surplus) as u32;
        push_count(list, groups.satchel, MAX_SATCHEL, turns, held);
        push_count(list, groups.shapes, MAX_SHAPES, turns, shapes.present().count_ones());
        push_count(list, groups.pairs, MAX_SATCHEL / 2, turns, shapes.paired().count_ones());

        summary.reach = context.reach(state, seat, shapes);
        self.list_tiles(state, &glass, is_collecting, &mut summary, list);
        summary
    }

    /// Lists the gains from the tiles, and adds the best ones in reach to the results.
    #[inline]
    #[expect(clippy::unused_self, reason = "all lists of a block have the same form")]
    fn list_tiles(
        &self,
        state: &State,
        glass: &Glass<'_>,
        is_collecting: bool,
        summary: &mut Summary,
        list: &mut FactList,
    ) {
        let groups = &GROUPS.0.seat;
        // A seat that need not collect can gain nothing instead.
        let is_forced = is_collecting && state.phase != Phase::Turn;
        let floor = if is_forced { GAIN.min } else { 0 };
        let (mut best, mut second, mut reachable) = (floor, floor, 0);
        for (place, shape) in state.river.iter().enumerate() {
            let pieces = state.tile(shape);
            let reach = summary.reach_of(place);
            let mut gain = 0;
            if pieces != 0 {
                let after;
                (gain, after) = glass.gain(pieces);
                let spill = (glass.spill(after) as usize).min(MAX_SPILL);
                let index = (reach * (MAX_SPILL + 1) + spill) * GAIN.levels() + GAIN.level(gain);
                list.push_choice(groups.tile, index);
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
        list.push_choice(groups.best, when * GAIN.levels() + GAIN.level(best));
        list.push_choice(groups.second, when * GAIN.levels() + GAIN.level(second));
        list.push_number(groups.reachable, reachable);
        summary.best = best;
        summary.second = second;
    }

    #[inline]
    #[expect(clippy::unused_self, reason = "all lists of a block have the same form")]
    fn list_columns(&self, game: &Glassworks, glass: &Glass<'_>, bag: &Bag, list: &mut FactList) {
        let groups = &GROUPS.0.seat;
        let columns = glass.columns;
        let gains = PieceGains::new(game, columns);
        let open = columns.len();
        let mut with_column = 0;
        for column in 0..open {
            let colour = columns.colour(column);
            let count = bag.counts[usize::from(colour.0)];
            with_column += count;
            let share = SHARE.level(bag.share_of(count));
            let height = gains.heights[column];
            let index = (column * (MAX_ROWS + 1) + height) * SHARE.levels() + share;
            list.push_choice(groups.height, index);
            if height < game.rows {
                let gain = GAIN.level(gains.gain(game, column));
                list.push_choice(groups.growth, gain * SHARE.levels() + share);
            } else {
                list.push_choice(groups.full, column * SHARE.levels() + share);
            }
        }
        let new_share = bag.share_of(bag.total - with_column) * 10 / SHARE_UNITS as i32;
        let new_share = NEW_SHARE.level(new_share);
        if open < game.columns {
            let gain = GAIN.level(gains.gain(game, open));
            list.push_choice(groups.opening, gain * NEW_SHARE.levels() + new_share);
        } else {
            list.push_choice(groups.closed_share, new_share);
        }
        for row in 0..gains.heights[0] {
            let filled = gains.filled(game, row);
            list.push_choice(groups.row, row * (MAX_COLUMNS + 1) + filled);
        }
    }

    #[expect(clippy::unused_self, reason = "all lists of a block have the same form")]
    fn list_view(
        &self,
        game: &Glassworks,
        state: &State,
        context: &Context,
        summaries: &[Summary; MAX_SEATS],
        seat: Seat,
        list: &mut FactList,
    ) {
        let groups = &GROUPS.0.view;
        let own = &summaries[seat.index()];
        let projected =
            |summary: &Summary| summary.points + if summary.turns > 0 { summary.best } else { 0 };
        let wait = context.wait(game, state, seat);
        let (mut points, mut projection, mut inventory) = (i32::MIN, i32::MIN, 0);
        let (mut ahead, mut contested) = (0, false);
        for other in game.all_seats().filter(|&other| other != seat) {
            let summary = &summaries[other.index()];
            points = points.max(summary.points);
            projection = projection.max(projected(summary));
            inventory = inventory.max(summary.inventory);
            ahead += u32::from(summary.points > own.points);
            contested |=
                summary.best_place == own.best_place && context.wait(game, state, other) < wait;
        }
        let lead = own.points - points;
        let projected_lead = projected(own) - projection;
        let inventory_lead = own.inventory as i32 - inventory as i32;
        for (group, scale, value) in [
            (groups.lead, LEAD, lead),
            (groups.projected_lead, LEAD, projected_lead),
            (groups.inventory_lead, INVENTORY_LEAD, inventory_lead),
        ] {
            list.push_choice(group, context.progress * scale.levels() + scale.level(value));
        }
        let missing = MISSING.level(own.missing as i32);
        list.push_choice(groups.standing, standing(projected_lead) * MISSING.levels() + missing);
        let stage = context.stage as usize;
        push_count(list, groups.wait, MAX_SEATS, stage, wait as u32);
        list.push_choice(groups.order, steps(game, state.first_player, seat));
        list.push_number(groups.behind, ahead);
        if contested && own.best_place < MAX_SHAPES {
            let loss = (own.best - own.second).clamp(0, 12);
            list.push_choice(groups.contest, loss as usize);
        }
        let next = &summaries[seat.clockwise(1, game.players).index()];
        if next.best_place < MAX_SHAPES {
            let reach = own.reach_of(next.best_place);
            list.push_choice(groups.next_best, reach * GAIN.levels() + GAIN.level(next.best));
        }
    }

    #[expect(clippy::unused_self, reason = "all lists of a block have the same form")]
    fn list_shared(
        &self,
        game: &Glassworks,
        state: &State,
        context: &Context,
        bag: &Bag,
        summaries: &[Summary; MAX_SEATS],
        list: &mut FactList,
    ) {
        let groups = &GROUPS.0.shared;
        list.push_choice(groups.players, game.players - 2);
        list.push_choice(groups.phase, (state.phase as usize).min(PHASES.len() - 1));
        list.push_choice(groups.progress, context.progress);
        list.push_number(groups.round, state.round());
        list.push_choice(groups.bag, BAG.level(bag.total as i32));
        let missing = game.all_seats().map(|seat| summaries[seat.index()].missing).min();
        list.push_choice(groups.missing, MISSING.level(missing.unwrap_or(0) as i32));
        let lake = state.lake();
        let shapes = Shapes::new(game, lake);
        list.push_number(groups.lake, lake.len() as u32);
        list.push_number(groups.lake_shapes, shapes.present().count_ones());
        list.push_number(groups.lake_pairs, shapes.paired().count_ones());
        if game.data.play.end_variant == EndVariant::Bga && context.stage != EndStage::NotTriggered
        {
            list.push(groups.lake_closed);
        }
        list.push_number(groups.due, state.pieces_due.into());
        for (place, shape) in state.river.iter().enumerate() {
            let (mut pieces, mut same) = (0, 0);
            for (_, count) in game.colour_counts(state.tile(shape)) {
                pieces += count;
                same = same.max(count);
            }
            let stones = game.stones[shape.index()].min(MAX_STONES);
            let index = (place * (MAX_STONES + 1) + stones) * (MAX_ON_TILE + 1);
            list.push_choice(groups.tile, index + pieces.min(MAX_ON_TILE));
            if same > 1 {
                list.push_number(groups.same_colour, same as u32);
            }
        }
    }
}
