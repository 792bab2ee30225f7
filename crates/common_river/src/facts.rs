//! The facts of positions and actions of We All Take from the River, for networks.
//!
//! The facts are the same for all data files: tiles, cards and roles are described by what the
//! data file says about them, with numbers capped. Rows are counted from the mouth of the river, so
//! that the estuary has the same number on all maps.
//!
//! | file | content |
//! |---|---|
//! | `facts/groups.rs` | the values that distinguish facts |
//! | `facts/position_inputs.rs` | the groups of facts of positions, with their inputs |
//! | `facts/action_inputs.rs` | the groups of facts of actions, with their inputs |
//! | `facts/context.rs` | the numbers of a position that facts are made of |
//! | `facts/position.rs` | the facts of a position |
//! | `facts/actions.rs` | the facts of an action |

mod action_inputs;
mod actions;
mod context;
mod groups;
mod position;
mod position_inputs;
#[cfg(test)]
mod tests;

use std::sync::{Arc, LazyLock};

use action_inputs::ActionFacts;
pub(super) use actions::Choice;
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

static FACTS: LazyLock<(Facts, Arc<FactTable>)> = LazyLock::new(|| {
    let mut table = FactTable::default();
    let facts = Facts {
        seat: SeatFacts::new(&mut table.seat),
        view: ViewFacts::new(&mut table.view),
        shared: SharedFacts::new(&mut table.shared),
        action: ActionFacts::new(&mut table.action),
    };
    (facts, Arc::new(table))
});

/// Returns the table of all facts.
pub(super) fn table() -> Arc<FactTable> {
    Arc::clone(&FACTS.1)
}
