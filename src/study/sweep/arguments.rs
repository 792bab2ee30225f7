//! Flags of `watershed balance sweep`.

use clap::Args;

use crate::study::shared::comparison::arguments::ComparisonArguments;

#[derive(Args, Debug)]
#[command(after_help = "\
A key is a path of names joined by dots. An entry of a list is named by its id \
or name, else by its index from 0, as in building.w2c1.cost.wood, rules.trade_in, \
setup.2.bonus_tokens.0. The data file must have the key, with a number, a boolean or a text.
`*` in a key stands for any name, and keys joined by `+` are edited together; values after += are \
added to those of the file.

All values are played on the same deals and compared to the value of the data file, as in `balance \
compare`. Tables: sweep.csv and one for each item table.

Examples:
  watershed balance sweep --key building.w2c1.cost.wood --values 0..4
  watershed balance sweep --key 'building.*.points' --values +=-1..1
  watershed balance sweep --key rules.trade_in --values 2,3,4 \\
      --players 4 --games 20k --out results/trade_in
  watershed balance sweep --game glassworks --key play.end_variant \\
      --values bga --panel random,balanced")]
pub(crate) struct SweepArguments {
    /// Select the key of the data file, or the keys of a family
    #[arg(long, value_name = "KEY")]
    pub(super) key: String,
    /// Set the values, as a,b,c or as a range of integers a..b with both ends; after += they are
    /// added to those of the file
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    pub(super) values: String,
    #[command(flatten)]
    pub(crate) comparison: ComparisonArguments,
}
