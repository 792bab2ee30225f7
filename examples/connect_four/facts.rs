//! Facts for networks: lines and threats of both seats.
//!
//! A threat of a seat is an empty square where its disc would complete a line. Once few columns are
//! left, the seats fill them in turn, and the seat that moves first gets the odd rows. Facts about
//! threats therefore differ for the first and the second seat.

use std::sync::{Arc, LazyLock};

use watershed::{
    bits::ones,
    game::facts::{FactBlock, FactGroup, FactList, FactTable, PositionFacts},
};

use super::{
    ALL_LINES, BOARD, BOTTOM, Board, COLUMNS, HEIGHT, LINES, ROWS, SQUARES, square_name,
    winning_squares,
};

/// Facts of all positions and actions.
pub(crate) static FACTS: LazyLock<Facts> = LazyLock::new(Facts::new);

/// Squares of the odd rows, counted from 1.
const ODD_ROWS: u64 = BOTTOM | BOTTOM << 2 | BOTTOM << 4;
/// Number of heights of the lowest threat in a column, with one for no threat.
const THREAT_ROWS: usize = ROWS as usize + 1;

/// The table of facts, and the groups that it consists of.
pub(crate) struct Facts {
    pub(crate) table: Arc<FactTable>,
    /// Squares of the discs of the viewing seat, then of the other.
    discs: [FactGroup; 2],
    /// Lines with 1, 2 and 3 discs of the viewing seat and none of the other, then the reverse.
    lines: [[FactGroup; 3]; 2],
    /// Groups about threats if the viewing seat moves first, and if it moves second.
    threats: [ThreatFacts; 2],
    to_move: u16,
    moves_first: u16,
    moves: FactGroup,
    action: ActionFacts,
}

/// Facts about threats, for a viewing seat that moves first or second in the game.
struct ThreatFacts {
    /// Threats of the viewing seat, then of the other.
    squares: [FactGroup; 2],
    /// Lowest threats of both seats in the same column.
    columns: FactGroup,
    /// Numbers of threats where a disc can be put now.
    open: [FactGroup; 2],
}

/// Facts of an action.
struct ActionFacts {
    square: FactGroup,
    wins: u16,
    prevents_loss: u16,
    lets_other_win_above: u16,
    gives_up_threat_above: u16,
    /// New threats of the seat.
    new_threats: FactGroup,
    /// New threats in the rows that the seat gets at the end: odd for the first, even for the
    /// second.
    new_threats_in_own_rows: FactGroup,
    /// New threats where a disc can be put at once.
    new_open_threats: FactGroup,
    /// A win with the next disc cannot be prevented.
    wins_next: u16,
    /// New threats that the other seat would have with a disc there.
    prevented_threats: FactGroup,
    prevents_win_next: u16,
}

impl Facts {
    fn new() -> Self {
        let mut table = FactTable::default();
        let squares: Vec<_> = (0..SQUARES as u8).map(square_name).collect();
        let view = &mut table.view;
        let owners = ["own", "other"];
        let discs = owners.map(|owner| view.choice(&format!("{owner}_disc"), &squares));
        let lines = owners.map(|owner| {
            [1, 2, 3].map(|discs| view.choice(&format!("{owner}_line_of_{discs}"), 0..LINES))
        });
        let threats = ["first", "second"].map(|order| ThreatFacts {
            squares: owners.map(|owner| view.choice(&format!("{order}_{owner}_threat"), &squares)),
            columns: column_threats(view, order),
            open: owners.map(|owner| view.number(&format!("{order}_{owner}_open_threats"), 3)),
        });
        let (to_move, moves_first) = (view.flag("to_move"), view.flag("moves_first"));
        let moves = table.shared.number("moves", COLUMNS * ROWS);
        let block = &mut table.action;
        let action = ActionFacts {
            square: block.choice("square", &squares),
            wins: block.flag("wins"),
            prevents_loss: block.flag("prevents_loss"),
            lets_other_win_above: block.flag("lets_other_win_above"),
            gives_up_threat_above: block.flag("gives_up_threat_above"),
            new_threats: block.number("new_threats", 3),
            new_threats_in_own_rows: block.number("new_threats_in_own_rows", 3),
            new_open_threats: block.number("new_open_threats", 2),
            wins_next: block.flag("wins_next"),
            prevented_threats: block.number("prevented_threats", 3),
            prevents_win_next: block.flag("prevents_win_next"),
        };
        Self { table: table.into(), discs, lines, threats, to_move, moves_first, moves, action }
    }

    /// Lists the facts of a position.
    pub(crate) fn of_position(&self, board: &Board, facts: &mut PositionFacts) {
        let mover = usize::from(board.moves % 2);
        let discs = [board.own, board.others()];
        let threats = discs.map(|discs| winning_squares(discs, board.all));
        for (seat, view) in facts.views.iter_mut().enumerate().take(2) {
            let is_mover = seat == mover;
            let in_view = |[of_mover, of_other]: [u64; 2]| {
                if is_mover { [of_mover, of_other] } else { [of_other, of_mover] }
            };
            self.push_discs(in_view(discs), view);
            self.threats[seat].push(in_view(threats), board.open_squares(), view);
            if is_mover {
                view.push(self.to_move);
            }
            if seat == 0 {
                view.push(self.moves_first);
            }
        }
        facts.shared.push_number(self.moves, board.moves.into());
    }

    fn push_discs(&self, owned: [u64; 2], view: &mut FactList) {
        for (group, discs) in self.discs.into_iter().zip(owned) {
            ones(discs).for_each(|square| view.push_choice(group, square as usize));
        }
        for (line, &squares) in ALL_LINES.iter().enumerate() {
            let counts = owned.map(|discs| (discs & squares).count_ones() as usize);
            let (owner, count) = match counts {
                [0, 0] => continue,
                [own, 0] => (0, own),
                [0, other] => (1, other),
                _ => continue,
            };
            view.push_choice(self.lines[owner][count.min(3) - 1], line);
        }
    }

    /// Lists the facts of putting a disc on a square.
    pub(crate) fn of_action(&self, board: &Board, square: u8, facts: &mut FactList) {
        let groups = &self.action;
        let disc = 1_u64 << square;
        let above = disc << 1 & BOARD;
        let [own, other] = [board.own, board.others()];
        let threats = [own, other].map(|discs| winning_squares(discs, board.all));
        let new_threats = [own, other]
            .map(|discs| winning_squares(discs | disc, board.all | disc))
            .map(|threats| (threats, threats & (board.open_squares() & !disc | above)));
        let [(own_after, own_open), (other_after, other_open)] = new_threats;
        // Two threats at once, or one below another.
        let wins_next = |open: u64, all: u64| open & (open - 1) != 0 || open << 1 & all != 0;
        let flags = [
            (groups.wins, threats[0] & disc != 0),
            (groups.prevents_loss, threats[1] & disc != 0),
            (groups.lets_other_win_above, threats[1] & above != 0),
            (groups.gives_up_threat_above, threats[0] & above != 0),
            (groups.wins_next, own_open != 0 && wins_next(own_open, own_after)),
            (groups.prevents_win_next, other_open != 0 && wins_next(other_open, other_after)),
        ];
        facts.push_choice(groups.square, square.into());
        flags.iter().filter(|(_, holds)| *holds).for_each(|&(fact, _)| facts.push(fact));
        let own_rows = if board.moves.is_multiple_of(2) { ODD_ROWS } else { !ODD_ROWS };
        let added = own_after & !threats[0];
        facts.push_number(groups.new_threats, added.count_ones());
        facts.push_number(groups.new_threats_in_own_rows, (added & own_rows).count_ones());
        facts.push_number(groups.new_open_threats, (added & own_open).count_ones());
        facts.push_number(groups.prevented_threats, (other_after & !threats[1]).count_ones());
    }
}

impl ThreatFacts {
    fn push(&self, threats: [u64; 2], open: u64, view: &mut FactList) {
        for (group, threats) in self.squares.into_iter().zip(threats) {
            ones(threats).for_each(|square| view.push_choice(group, square as usize));
        }
        for (group, threats) in self.open.into_iter().zip(threats) {
            view.push_number(group, (threats & open).count_ones());
        }
        for column in 0..COLUMNS {
            let rows = threats.map(|threats| {
                let in_column = threats >> (column * HEIGHT) & ((1 << ROWS) - 1);
                // Without a threat, the number of rows.
                (in_column | 1 << ROWS).trailing_zeros() as usize
            });
            if rows != [ROWS as usize; 2] {
                view.push_choice(self.columns, THREAT_ROWS * rows[0] + rows[1]);
            }
        }
    }
}

/// Adds the facts about the lowest threats of both seats in a column, the same for all columns.
fn column_threats(view: &mut FactBlock, order: &str) -> FactGroup {
    let row = |row: usize| match row {
        0..6 => (row + 1).to_string(),
        _ => "none".to_owned(),
    };
    let rows = (0..THREAT_ROWS).flat_map(|own| (0..THREAT_ROWS).map(move |other| (own, other)));
    let rows = rows.map(|(own, other)| format!("{}/{}", row(own), row(other)));
    view.choice(&format!("{order}_column_threats"), rows)
}
