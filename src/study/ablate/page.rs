//! The page of `balance ablate`.

mod answer;
mod effects;
mod removed_items;
