//! `watershed balance sweep`: what other values of a key of the data file change.

use anyhow::{anyhow, bail};
use clap::Args;

use crate::{
    run::{ExitStatus, arguments::GameArguments, shell::shell_quote},
    study::compare::play::{
        ComparisonArguments, ComparisonSpec, Labels, ValidateOnly, VariantData, run_comparison,
        validate_changed_data,
    },
};

/// More values than anybody compares.
const MOST_VALUES: usize = 100;

#[derive(Args, Debug)]
#[command(
    after_help = "A key is made of parts with dots between them: names of tables and keys, and for \
an entry of a list its id or name if it has one and its number from 0 if not, as in \
building.w2c1.cost.wood, rules.trade_in, setup.2.bonus_tokens.0. It names a number, a boolean or a \
text that stands in the data file. Values are listed with commas, or given as a range of integers \
with both ends included.

All values are played on the same deals, and compared to the value of the data file, as by \
`balance compare`. Tables: sweep.csv, and one for each kind of item.

Examples:
  watershed balance sweep --key building.w2c1.cost.wood --values 0..4
  watershed balance sweep --key rules.trade_in --values 2,3,4 \\
      --players 4 --games 20k --out results/trade_in
  watershed balance sweep --game glassworks --key play.end_variant \\
      --values bga --ladder random,balanced"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// The key of the data file
    #[arg(long, value_name = "KEY")]
    key: String,
    /// Its values, as a,b,c or a..b
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    values: String,
    #[command(flatten)]
    play: ComparisonArguments,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitStatus> {
    let Arguments { game, key, values: text, play: wishes } = arguments;
    let selection = game.resolve()?;
    let scalar = selection.document.scalar(key)?;
    let mut values = scalar
        .parse_values(text, MOST_VALUES)
        .map_err(|message| anyhow::anyhow!("--values: {message}"))?;
    values.retain(|value| *value != scalar.value);
    if values.is_empty() {
        bail!("--values: expected another value than that of the file, found {text:?}");
    }
    if let Some((_, twice)) =
        values.iter().enumerate().find(|(index, value)| values[..*index].contains(value))
    {
        bail!("--values: expected each value once, found {twice} twice");
    }
    let command = format!(
        "sweep {} --key {} --values {}",
        selection.flags(),
        shell_quote(key),
        shell_quote(text)
    );
    // A mistake of the file itself is one of the file, not of a value.
    selection.game.bind_and_run(&selection.document, selection.players, ValidateOnly)?;
    let others: Vec<_> =
        values.iter().map(|value| selection.document.with_value(&scalar, value)).collect();
    for (value, document) in values.iter().zip(&others) {
        validate_changed_data(&selection, document)
            .map_err(|reason| anyhow!("--values: {value}: {reason}"))?;
    }
    let documents = std::iter::once(selection.document.clone()).chain(others);
    let (provenance, config) = (&selection.provenance, &selection.config);
    let variants = documents
        .map(|document| VariantData {
            document,
            config: config.clone(),
            provenance: provenance.clone(),
        })
        .collect();
    let labels = Labels::ByValue {
        key: key.clone(),
        values: std::iter::once(scalar.value.clone()).chain(values).collect(),
    };
    run_comparison(
        &ComparisonSpec {
            game: selection.game,
            players: selection.players,
            command,
            labels,
            variants,
        },
        wishes,
    )
}
