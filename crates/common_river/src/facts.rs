//! The facts of positions and actions of We All Take from the River, for networks.
//!
//! The facts are the same for all data files: tiles, cards and roles are described by what the
//! data file says about them, with numbers capped. Rows are counted from the mouth of the river, so
//! that the estuary has the same number on all maps.
//!
//! | file | content |
//! |---|---|
//! | `facts/groups.rs` | numbers and choices that are crossed, and the names of inputs |
//! | `facts/position_inputs.rs` | the inputs of the facts of positions |
//! | `facts/action_inputs.rs` | the inputs of the facts of actions |
//! | `facts/situation.rs` | the numbers of a position that facts are made of |
//! | `facts/position.rs` | the facts of a position |
//! | `facts/actions.rs` | the facts of an action |

mod action_inputs;
mod actions;
mod groups;
mod position;
mod position_inputs;
mod situation;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use action_inputs::ActionFacts;
use position_inputs::{SeatFacts, SharedFacts, ViewFacts};

use watershed_engine::game::facts::FactTable;

/// All facts of the game.
#[derive(Debug)]
struct Facts {
    seat: SeatFacts,
    view: ViewFacts,
    shared: SharedFacts,
    action: ActionFacts,
}

static FACTS: LazyLock<(Facts, FactTable)> = LazyLock::new(|| {
    let mut table = FactTable::default();
    let facts = Facts {
        seat: SeatFacts::new(&mut table.seat),
        view: ViewFacts::new(&mut table.view),
        shared: SharedFacts::new(&mut table.shared),
        action: ActionFacts::new(&mut table.action),
    };
    (facts, table)
});

/// Returns the table of all facts.
pub(super) fn table() -> FactTable {
    FACTS.1.clone()
}
