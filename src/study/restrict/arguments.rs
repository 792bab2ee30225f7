//! Flags of `watershed balance restrict`.

use crate::{
    arena::{intervention::Restriction, restrict::RestrictionPair},
    run::{lineups::BotArguments, names::find_restriction_target},
    study::shared::prelude::*,
};

#[derive(Args, Debug)]
#[command(after_help = "\
Each deal is played with the bot in all seats, and again for each restriction \
and each seat with the bot of that seat restricted. The difference is that of the same seat on the \
same deals. Several restrictions are tested one by one, and then all together. A seat takes a \
forbidden action only where nothing else is legal.

With --pairs, each two items or actions are also forbidden together. Two work together if the \
seat loses less by losing both than by losing each, added up: without the other, each is worth \
less. They replace each other if it loses more. The answer is in points, because a seat that \
cannot win any more has no wins to lose.

X is an item (w2c1 or building:w2c1), a kind of action (swap), or the beginning of a notation \
(claim:meadow).

pairs.csv has a row for each lineup, pair and metric, if --pairs is given. The verdicts of a panel \
are on single restrictions; a pair that works together with one bot and not with another one \
`flips`.

restricted.csv has a row for each lineup, restriction and metric (win share, score, rounds). Flags:
  flips     significant with opposite signs for two bots of the panel (Holm-adjusted p < 0.05, \
over the restrictions)
  constant  the difference does not vary between blocks, so it has no test

Examples:
  watershed balance restrict --never swap --never food
  watershed balance restrict --bot balanced --always build --players 3
  watershed balance restrict --bot mcts:iterations=100 \\
      --never claim:meadow --games 1k
  watershed balance restrict --panel random,balanced,mcts:iterations=100 \\
      --never swap --games 1k
  watershed balance restrict --bot expert --pairs --never claim:meadow \\
      --never claim:forest --never build")]
pub(crate) struct RestrictArguments {
    #[command(flatten)]
    pub(super) bots: BotArguments,
    /// Forbid an item or action; may be repeated
    #[arg(long, value_name = "X")]
    pub(super) never: Vec<String>,
    /// Require an item or action wherever it is legal; may be repeated
    #[arg(long, value_name = "X")]
    pub(super) always: Vec<String>,
    /// Also test each two of the forbidden items or actions: whether they work together
    #[arg(long, conflicts_with = "always")]
    pub(super) pairs: bool,
    /// Set the number of games of each bot with each restriction, and as many without, rounded up
    /// to whole blocks
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = count(1..=MAX_GAMES))]
    pub(super) games: u64,
}

/// The sets of restrictions of a study.
pub(super) struct RestrictionSets {
    /// Names for the tables, without those of the pairs.
    pub(super) names: Vec<String>,
    /// The sets with these names, then those of the pairs.
    pub(super) sets: Vec<Vec<Restriction>>,
    /// The pairs, if they are asked for.
    pub(super) pairs: Vec<RestrictionPair>,
}

impl RestrictArguments {
    /// Reads each restriction, each pair of them if it is asked for, and of several also all
    /// together.
    pub(super) fn read_restrictions(&self, game: &BoundGame) -> anyhow::Result<RestrictionSets> {
        ensure!(!self.pairs || self.never.len() > 1, "expected --pairs with several --never X");
        let (mut names, mut sets) = (Vec::new(), Vec::new());
        for name in &self.never {
            let target = find_restriction_target(game, name).context("--never")?;
            names.push(format!("never {name}"));
            sets.push(vec![Restriction::Never(target)]);
        }
        for name in &self.always {
            let target = find_restriction_target(game, name).context("--always")?;
            names.push(format!("always {name}"));
            sets.push(vec![Restriction::Always(target)]);
        }
        let single = sets.len();
        if single > 1 {
            names.push("all together".to_owned());
            sets.push(sets[..single].concat());
        }
        let mut pairs = Vec::new();
        if self.pairs && single == 2 {
            pairs.push(RestrictionPair { each: [0, 1], both: single });
        } else if self.pairs {
            for (one, other) in
                (0..single).flat_map(|other| (0..other).map(move |one| (one, other)))
            {
                pairs.push(RestrictionPair { each: [one, other], both: sets.len() });
                sets.push([&*sets[one], &*sets[other]].concat());
            }
        }
        Ok(RestrictionSets { names, sets, pairs })
    }
}
