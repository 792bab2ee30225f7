//! The page of `balance ablate`.

mod effects;
mod removed_items;
