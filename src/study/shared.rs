//! Parts that several studies have in common. A command uses these and no other command.

pub(crate) mod adaptation;
pub(crate) mod agreement;
pub(crate) mod analysis_report;
pub mod comparison;
pub(crate) mod convergence;
pub(crate) mod decision;
pub(crate) mod fitted_games;
pub(crate) mod joint_report;
pub(crate) mod judged;
pub(crate) mod key_values;
pub(crate) mod modes;
pub(crate) mod pairing;
pub(crate) mod planned_study;
pub(crate) mod playtest_writer;
pub(crate) mod prelude;
pub(crate) mod reference;
pub(crate) mod screen;
pub(crate) mod search_names;
pub(crate) mod several_players;
pub(crate) mod tallied_games;
pub(crate) mod training;
pub(crate) mod verdict;
pub(crate) mod verdict_page;
