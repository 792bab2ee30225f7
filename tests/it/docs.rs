//! The pages for readers agree with the program and with each other.

mod commands;
mod data_files;
mod links;
mod page;
mod results;
mod rules;
