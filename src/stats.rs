//! Estimators, intervals and tests: plain numbers in, plain numbers out.

pub mod conditional_logit;
pub mod confidence_sequence;
pub mod flags;
pub mod holm;
pub mod paired;
pub mod rating;
pub mod ratio;
pub mod regression;
pub mod spread;
pub mod sprt;
pub mod student;
pub mod subset;
