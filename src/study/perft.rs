//! `watershed perft`: counts the sequences of decisions per depth, a fingerprint of the rules.

mod arguments;

use anyhow::anyhow;
use serde::Serialize;

use self::arguments::ChanceArguments;
pub(crate) use self::arguments::PerftArguments;
use crate::{
    analysis::perft::{SequenceCount, Sequences, TooMany},
    bound::BoundGame,
    games::GameList,
    report::{
        data_table::Columns,
        html::Unit,
        terminal::{print, print_error, print_info},
    },
    run::{ExitStatus, arguments::build_thread_pool},
};

/// Counts of sequences from the start of a game.
#[derive(Serialize)]
struct SequenceCounts {
    game: String,
    players: usize,
    #[serde(flatten)]
    chance: ChanceArguments,
    /// Numbers of sequences of 1, 2, 3, … decisions.
    sequences: Vec<u64>,
    /// Expected numbers of sequences of decisions, if chance is enumerated.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected_sequences: Option<Vec<f64>>,
    /// Sums of the probabilities of all sequences, if chance is enumerated.
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<Vec<f64>>,
    /// Sequences of the greatest length that begin with each action.
    first_actions: Vec<FirstAction>,
    /// Sequences of the greatest length.
    nodes: u64,
    /// Time in which these were counted, in seconds.
    seconds: f64,
    nodes_per_s: f64,
}

#[derive(Serialize)]
struct FirstAction {
    action: String,
    sequences: u64,
}

pub(crate) fn run(games: GameList, arguments: &PerftArguments) -> anyhow::Result<ExitStatus> {
    let pool = build_thread_pool(arguments.threads, u64::MAX, arguments.quiet)?;
    let selection = arguments.game.resolve(games)?;
    let game = selection.open()?;
    let counts = pool.install(|| SequenceCounts::new(&game, &arguments.chance, arguments.depth))?;
    if arguments.json {
        print(&format!("{}\n", serde_json::to_string_pretty(&counts)?));
    } else {
        print(&counts.text());
        if !arguments.quiet {
            print_speed(counts.nodes, counts.seconds);
        }
    }
    Ok(match counts.wrong_probability() {
        None => ExitStatus::Success,
        Some((depth, probability)) => {
            print_error(&format!(
                "the probabilities of the sequences of {depth} decisions add up to \
                 {probability}; expected 1: the chance outcomes or the legal actions of {} are not \
                 complete",
                counts.game
            ));
            ExitStatus::Negative
        }
    })
}

/// Writes the speed to stderr, so that stdout does not depend on the machine.
fn print_speed(nodes: u64, seconds: f64) {
    let rate = nodes as f64 / seconds / 1e6;
    print_info(&format!("{nodes} sequences in {seconds:.3} s, {rate:.2} million/s"));
}

impl SequenceCounts {
    /// Counts the sequences of up to `depth` decisions, at least 1.
    fn new(game: &BoundGame, chance: &ChanceArguments, depth: u32) -> anyhow::Result<Self> {
        let counted = game.count_sequences(&chance.treatment(), depth).map_err(|error| {
            let max = chance.max_positions;
            match error {
                TooMany::Positions => anyhow!(
                    "--max-positions: more than {max} positions; choose a smaller --depth, sample \
                     the setup with --sample-setup, or allow more positions"
                ),
                TooMany::Sequences => {
                    anyhow!("--depth: expected fewer than 2^64 sequences; choose a smaller depth")
                }
            }
        })?;
        let Sequences { by_depth: totals, first_actions, duration } = counted;
        let seconds = duration.as_secs_f64().max(f64::MIN_POSITIVE);
        let nodes = totals.last().map_or(0, |deepest| deepest.sequences);
        let list = |value: fn(&SequenceCount) -> f64| {
            chance.all_chance.then(|| totals.iter().map(value).collect())
        };
        let first_action = |(action, sequences)| FirstAction { action, sequences };
        Ok(Self {
            game: game.id().to_owned(),
            players: game.seats(),
            chance: *chance,
            sequences: totals.iter().map(|total| total.sequences).collect(),
            expected_sequences: list(|total| total.expected),
            probability: list(|total| total.probability),
            first_actions: first_actions.into_iter().map(first_action).collect(),
            nodes,
            seconds,
            nodes_per_s: nodes as f64 / seconds,
        })
    }

    /// Returns the counts for the terminal.
    fn text(&self) -> String {
        let mut text = match self.expected_sequences {
            Some(_) => self.enumerated_text(),
            None => (1..)
                .zip(&self.sequences)
                .map(|(depth, sequences)| format!("depth {depth}: {sequences}\n"))
                .collect(),
        };
        if !self.first_actions.is_empty() {
            text += &format!("\ndepth {} by first action:\n", self.sequences.len());
        }
        for FirstAction { action, sequences } in &self.first_actions {
            text += &format!("{action}: {sequences}\n");
        }
        text
    }

    fn enumerated_text(&self) -> String {
        type Depth<'a> = (u64, &'a u64, &'a f64, &'a f64);
        let expected = self.expected_sequences.iter().flatten();
        let expected = expected.zip(self.probability.iter().flatten());
        let rows = (1..).zip(&self.sequences).zip(expected);
        let rows = rows.map(|((depth, sequences), (expected, probability))| {
            (depth, sequences, expected, probability)
        });
        Columns::<Depth<'_>>::new("", "")
            .integer("depth", "depth", "", |(depth, ..)| *depth)
            .integer("sequences", "sequences", "", |(_, sequences, ..)| **sequences)
            .number(
                "expected_sequences",
                "mean number of sequences of decisions",
                3,
                "",
                |(.., expected, _)| **expected,
            )
            .unit(Unit::Decimals(3))
            .number("probability", "probability", 6, "", |(.., probability)| **probability)
            .unit(Unit::Decimals(6))
            .table("", rows)
            .view()
            .text()
    }

    /// Returns the first depth at which the probabilities do not add up to 1, and their sum.
    fn wrong_probability(&self) -> Option<(usize, f64)> {
        /// Rounding errors of billions of additions stay below this.
        const TOLERANCE: f64 = 1e-6;
        let sums = self.probability.as_deref().unwrap_or_default();
        (1..)
            .zip(sums.iter().copied())
            .find(|(_, sum)| sum.is_nan() || (sum - 1.0).abs() > TOLERANCE)
    }
}
