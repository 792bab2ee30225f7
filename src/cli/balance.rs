//! `watershed balance`: questions of game designers, one file each.

use clap::Subcommand;

use crate::{
    run::ExitStatus,
    study::{ablate, compare, luck, restrict, sweep},
};

#[derive(Subcommand, Debug)]
pub(super) enum Command {
    /// Play two data files on the same deals and say what differs
    Compare(compare::arguments::Arguments),
    /// Say how much of who wins, and of the scores, each source of chance decides
    Luck(luck::arguments::Arguments),
    /// Play a data file with several values of one of its keys on the same deals and say what
    /// differs
    Sweep(sweep::arguments::Arguments),
    /// Measure for every tile, building, …: association, regression and the effect of a forced pick
    Ablate(ablate::Arguments),
    /// Ask what a bot loses by never using something, or by always using it when it can
    Restrict(restrict::arguments::Arguments),
}

pub(super) fn run(command: &Command) -> anyhow::Result<ExitStatus> {
    match command {
        Command::Compare(arguments) => compare::run(arguments),
        Command::Luck(arguments) => luck::run(arguments),
        Command::Sweep(arguments) => sweep::run(arguments),
        Command::Ablate(arguments) => ablate::run(arguments),
        Command::Restrict(arguments) => restrict::run(arguments),
    }
}
