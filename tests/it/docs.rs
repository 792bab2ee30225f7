//! The pages for readers agree with the program and with each other.

mod commands;
mod links;
mod page;
mod rules;
