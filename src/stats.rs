//! Estimators, intervals and tests: plain numbers in, plain numbers out.

pub mod adjusted;
pub mod anytime;
pub mod choice;
pub mod holm;
pub mod paired;
pub mod rating;
pub mod ratio;
pub mod spread;
pub mod sprt;
pub mod student;
pub mod subset;
