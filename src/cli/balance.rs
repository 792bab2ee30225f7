//! `watershed balance`: studies of a game's balance.

use clap::Subcommand;

use crate::{
    games::GameList,
    run::{ExitStatus, command::RepeatCommand},
    study::{
        ablate, compare, power, restrict, search,
        shared::{planned_study::StudyArguments, several_players::SeveralPlayers},
        sweep, turn_order,
    },
};

#[derive(Subcommand, Debug)]
pub(super) enum BalanceCommand {
    /// Compare two data files on the same deals
    Compare(compare::arguments::CompareArguments),
    /// Compare several values of a key of the data file on the same deals
    Sweep(StudyArguments<sweep::arguments::SweepArguments>),
    /// Estimate the effects of items by continuing the same game with and without them
    Ablate(StudyArguments<ablate::arguments::AblateArguments>),
    /// Search for the fewest and smallest edits of the data file that meet goals
    Search(StudyArguments<search::arguments::BalanceSearchArguments>),
    /// Measure the cost of never or always taking an item or action
    Restrict(StudyArguments<restrict::arguments::RestrictArguments>),
    /// Plan the number of games that a question needs
    Power(StudyArguments<power::arguments::PowerArguments>),
    /// Test whether all turn positions win equally often
    TurnOrder(StudyArguments<turn_order::TurnOrderArguments>),
}

impl BalanceCommand {
    /// Returns the flags of a study of several numbers of players.
    pub(super) fn several_players(&mut self) -> SeveralPlayers<'_> {
        match self {
            Self::Compare(arguments) => arguments.several_players(),
            Self::Sweep(arguments) => {
                arguments.several_players(|own| own.comparison.lineups.named_bots())
            }
            Self::Ablate(arguments) => arguments.several_players(|own| own.lineups.named_bots()),
            Self::Search(arguments) => arguments.several_players(|own| own.lineups.named_bots()),
            Self::Restrict(arguments) => arguments.several_players(|_| 0),
            Self::Power(arguments) => arguments.several_players(|own| own.lineups.named_bots()),
            Self::TurnOrder(arguments) => arguments.several_players(|own| own.lineups.named_bots()),
        }
    }
}

pub(super) fn run(
    games: GameList,
    command: &BalanceCommand,
    repeat: &RepeatCommand,
) -> anyhow::Result<ExitStatus> {
    match command {
        BalanceCommand::Compare(arguments) => compare::run(games, arguments, repeat),
        BalanceCommand::Sweep(arguments) => sweep::run(games, arguments, repeat),
        BalanceCommand::Ablate(arguments) => ablate::run(&arguments.open(games, repeat)?),
        BalanceCommand::Search(arguments) => search::run(&arguments.open(games, repeat)?),
        BalanceCommand::Restrict(arguments) => restrict::run(&arguments.open(games, repeat)?),
        BalanceCommand::Power(arguments) => power::run(games, arguments, repeat),
        BalanceCommand::TurnOrder(arguments) => turn_order::run(&arguments.open(games, repeat)?),
    }
}
