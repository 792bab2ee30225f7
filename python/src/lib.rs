//! The compiled part of the Python package `watershed`.

mod batch;
mod bots;
mod command;
#[cfg(target_arch = "x86_64")]
#[path = "../../src/cpu.rs"]
mod cpu;
mod errors;
mod game;
mod playouts;
mod rules;
mod state;

use pyo3::prelude::*;

/// The compiled part of the package.
#[pymodule]
mod _watershed {
    #[pymodule_export]
    use crate::{
        batch::Batch, bots::Bot, command::run_command, errors::WatershedError, game::Game,
        state::State,
    };
    use pyo3::{exceptions::PyImportError, prelude::*};
    use watershed::{games::built_in_games, identity};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        #[cfg(target_arch = "x86_64")]
        if !crate::cpu::check_instruction_sets() {
            let message = "this processor lacks instructions that the package was compiled for";
            return Err(PyImportError::new_err(message));
        }
        let games: Vec<_> = built_in_games().all().iter().map(|game| game.id).collect();
        module.add("GAMES", games)?;
        module.add("VERSION", identity::VERSION)
    }
}
