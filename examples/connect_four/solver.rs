//! Exact values of positions, by alpha-beta search with a transposition table.
//!
//! The search uses the usual techniques for this game (Allis 1988; Tromp 1995): bitboards, forced
//! moves, moves in the order of the threats they make, and a table of solved positions.

use watershed::bits::ones;

use super::{BOARD, BOTTOM, Board, COLUMNS, HEIGHT, four_in_a_line, winning_squares};

/// Result for the seat that moves next if both seats play perfectly.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Value {
    Loss,
    Draw,
    Win,
}

impl Value {
    /// Returns the value for the other seat.
    fn negated(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }
}

/// Number of entries of the table. A prime, so that all bits of a key decide its entry.
const ENTRIES: usize = 1_048_573;
/// Bits of the bounds in an entry, below those of the key.
const BOUND_BITS: u32 = 4;

/// Solver with a table of positions that it has solved.
pub(crate) struct Solver {
    /// A key, and below it the lowest and the highest possible value, 2 bits each.
    table: Vec<u64>,
}

impl Solver {
    pub(crate) fn new() -> Self {
        Self { table: vec![0; ENTRIES] }
    }

    /// Returns the value of a position that is not over.
    pub(crate) fn value(&mut self, board: &Board) -> Value {
        if winning_squares(board.own, board.all) & board.open_squares() != 0 {
            return Value::Win;
        }
        self.search(board.own, board.all, Value::Loss, Value::Win)
    }

    /// Returns the legal squares and their values for the seat that moves.
    pub(crate) fn square_values(&mut self, board: &Board) -> Vec<(u8, Value)> {
        let value = |square: u8| {
            let mut after = *board;
            after.put_disc(square);
            match after.over {
                false => self.value(&after).negated(),
                true if four_in_a_line(after.others()) => Value::Win,
                true => Value::Draw,
            }
        };
        let squares: Vec<u8> = ones(board.open_squares()).map(|square| square as u8).collect();
        squares.iter().copied().zip(squares.iter().copied().map(value)).collect()
    }

    /// Returns the value of a position in which the seat that moves cannot win at once, or a bound
    /// of it outside the open interval from `low` to `high`.
    fn search(&mut self, own: u64, all: u64, mut low: Value, mut high: Value) -> Value {
        let open = (BOTTOM + all) & BOARD;
        if open == 0 {
            return Value::Draw;
        }
        let threats = winning_squares(own ^ all, all);
        let mut squares = open;
        let forced = open & threats;
        if forced != 0 {
            squares = forced;
            if forced & (forced - 1) != 0 {
                return Value::Loss;
            }
        }
        // A disc below a threat lets the other seat win above it.
        squares &= !(threats >> 1);
        if squares == 0 {
            return Value::Loss;
        }
        // The sum is different for all positions: it marks the height of each column.
        let key = own + all + BOTTOM;
        let index = (key % ENTRIES as u64) as usize;
        let mut bounds = (Value::Loss, Value::Win);
        if self.table[index] >> BOUND_BITS == key {
            bounds = unpack(self.table[index]);
            low = low.max(bounds.0);
            high = high.min(bounds.1);
            if low >= high {
                return if bounds.0 >= high { bounds.0 } else { bounds.1 };
            }
        }
        let window_low = low;
        let mut best = Value::Loss;
        for disc in ordered(squares, own, all) {
            let value = self.search(own ^ all, all | disc, high.negated(), low.negated()).negated();
            best = best.max(value);
            low = low.max(value);
            if low >= high {
                break;
            }
        }
        // The result is exact within the window, and a bound at or beyond its ends.
        if best < high {
            bounds.1 = best;
        }
        if best > window_low {
            bounds.0 = best;
        }
        self.table[index] = key << BOUND_BITS | (bounds.0 as u64) << 2 | bounds.1 as u64;
        best
    }
}

/// Returns the bounds of an entry.
fn unpack(entry: u64) -> (Value, Value) {
    let value = |bits: u64| match bits & 3 {
        0 => Value::Loss,
        1 => Value::Draw,
        _ => Value::Win,
    };
    (value(entry >> 2), value(entry))
}

/// Returns squares as sets of one bit, those that make most threats first, and the middle columns
/// first among equals.
fn ordered(squares: u64, own: u64, all: u64) -> impl Iterator<Item = u64> {
    let mut ranked = [(0, 0_u64); COLUMNS as usize];
    let mut count = 0;
    for square in ones(squares) {
        let disc = 1 << square;
        let threats = winning_squares(own | disc, all | disc).count_ones();
        let from_middle = (square / HEIGHT).abs_diff(COLUMNS / 2);
        ranked[count] = (8 * threats + COLUMNS - from_middle, disc);
        count += 1;
    }
    ranked[..count].sort_unstable_by_key(|&(rank, _)| std::cmp::Reverse(rank));
    ranked.into_iter().take(count).map(|(_, disc)| disc)
}

#[cfg(test)]
mod tests {
    use watershed::rng::{Purpose, stream};

    use super::*;
    use crate::{best_moves::random_board, tests::after};

    /// Returns the value by trying all moves, with the rules of the game.
    fn value_by_rules(board: &Board) -> Value {
        let mut best = Value::Loss;
        for square in ones(board.open_squares()) {
            let mut after = *board;
            after.put_disc(square as u8);
            best = best.max(match after.over {
                false => value_by_rules(&after).negated(),
                true if four_in_a_line(after.others()) => Value::Win,
                true => Value::Draw,
            });
            if best == Value::Win {
                break;
            }
        }
        best
    }

    #[test]
    fn values_are_those_of_a_search_without_shortcuts() {
        let mut solver = Solver::new();
        let mut rng = stream(1, 0, 0, Purpose::Playout);
        let mut found = [0; 3];
        for index in 0..4000 {
            let Some(board) = random_board(28 + index % 12, &mut rng) else { continue };
            let value = value_by_rules(&board);
            assert_eq!(solver.value(&board), value, "{board:?}");
            found[value as usize] += 1;
        }
        assert!(found.iter().all(|&count| count > 10), "{found:?}");
    }

    /// Test positions of Pascal Pons, Solving Connect Four (blog.gamesolver.org), as columns from 1
    /// in the order of the moves.
    #[test]
    fn values_are_those_published() {
        let published = [
            ("44455554221", Value::Loss),
            ("43745416472735", Value::Loss),
            ("51756773145177", Value::Loss),
            ("12514726155174536522772517671", Value::Loss),
            ("3575316255751336464276636772271112", Value::Loss),
            ("2252576253462244111563365343671351441", Value::Loss),
            ("74425337641465475671176741236615215533", Value::Draw),
            ("34441157374153736716346556774311552222", Value::Draw),
            ("23163416124767223154467471272416755633", Value::Draw),
            ("7172212567451542223676134464437761515", Value::Draw),
            ("17516442226766", Value::Win),
            ("42434653771434", Value::Win),
            ("43623536647361", Value::Win),
            ("27534134362633", Value::Win),
            ("24617524315172127", Value::Win),
            ("326615663752621323655335514271", Value::Win),
            ("7422341735647741166133573473242566", Value::Win),
        ];
        let mut solver = Solver::new();
        for (columns, value) in published {
            let columns: Vec<u32> = columns.bytes().map(|digit| u32::from(digit - b'1')).collect();
            assert_eq!(solver.value(&after(&columns)), value, "{columns:?}");
        }
    }
}
