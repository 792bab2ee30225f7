//! `watershed perft`: counts the sequences of decisions per depth, a fingerprint of the rules.

mod arguments;

use crate::study::shared::prelude::*;

pub(crate) use self::arguments::PerftArguments;

/// Counts of sequences from the start of a game.
#[derive(Serialize)]
struct SequenceCounts {
    game: String,
    players: usize,
    seed: u64,
    /// Numbers of sequences of 1, 2, 3, … decisions.
    sequences: Vec<u64>,
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
    let counts = pool.install(|| SequenceCounts::new(&game, arguments))?;
    if arguments.json {
        print(&format!("{}\n", serde_json::to_string_pretty(&counts)?));
        return Ok(ExitStatus::Success);
    }
    print(&counts.text());
    if !arguments.quiet {
        // On stderr, so that stdout does not depend on the machine.
        let SequenceCounts { nodes, seconds, .. } = counts;
        print_info(&format!("{nodes} sequences in {seconds:.3} s, {}", counts.rate()));
    }
    Ok(ExitStatus::Success)
}

impl SequenceCounts {
    /// Counts the sequences of all depths, with a progress bar.
    fn new(game: &BoundGame, arguments: &PerftArguments) -> anyhow::Result<Self> {
        let &PerftArguments { depth, seed, quiet, .. } = arguments;
        let bar = progress_bar(u64::from(depth), "depths", quiet);
        let mut counts = Self {
            game: game.id().to_owned(),
            players: game.seats(),
            seed,
            sequences: Vec::new(),
            first_actions: Vec::new(),
            nodes: 0,
            seconds: 0.0,
            nodes_per_s: 0.0,
        };
        for depth in 1..=depth {
            let started = Instant::now();
            let counted = game.count_sequences(seed, depth);
            let seconds = started.elapsed().as_secs_f64().max(f64::MIN_POSITIVE);
            ensure!(
                counted.total < u64::MAX,
                "--depth: expected fewer than 2^64 sequences; choose a smaller depth"
            );
            counts.sequences.push(counted.total);
            let first_action = |(action, sequences)| FirstAction { action, sequences };
            counts.first_actions = counted.by_first_action.into_iter().map(first_action).collect();
            (counts.nodes, counts.seconds) = (counted.total, seconds);
            counts.nodes_per_s = counted.total as f64 / seconds;
            bar.set_message(format!("depth {depth}: {}, {}", counted.total, counts.rate()));
            bar.inc(1);
        }
        bar.finish_and_clear();
        Ok(counts)
    }

    /// Returns the number of sequences per second.
    fn rate(&self) -> String {
        format!("{:.2} million/s", self.nodes_per_s / 1e6)
    }

    /// Returns the counts for the terminal.
    fn text(&self) -> String {
        let depths = (1..).zip(&self.sequences);
        let mut text: String =
            depths.map(|(depth, sequences)| format!("depth {depth}: {sequences}\n")).collect();
        if !self.first_actions.is_empty() {
            text += &format!("\ndepth {} by first action:\n", self.sequences.len());
        }
        for FirstAction { action, sequences } in &self.first_actions {
            text += &format!("{action}: {sequences}\n");
        }
        text
    }
}
