//! The tables of a match, as data and for the terminal.

use std::fmt::Write;

use super::{
    analysis::{PairingResult, RatedBot, SequentialTest, Standings},
    ladder,
};
use crate::{
    report::data_table::terminal_estimate,
    stats::{Fixed, rating::POOR_FIT_Z},
    study::shared::{
        pairing::{MatchMode, MatchTally},
        prelude::*,
    },
};

const NAME_WIDTH: usize = 18;
const CELL_WIDTH: usize = 14;
/// Maximum number of bots whose win rates have intervals in the terminal, and the width of a cell
/// with more.
const MAX_WITH_INTERVALS: usize = 4;
const NARROW_WIDTH: usize = 7;
const POINTS_WIDTH: usize = 25;

/// Standings with a part of them.
type Of<'a, T> = (&'a Standings<'a>, T);

/// Describes all tables of a match.
pub(super) fn schemas() -> [Schema; 3] {
    [crosstable_columns().schema(), rating_columns().schema(), ladder::columns().schema()]
}

fn crosstable_columns<'a>() -> Columns<Of<'a, PairingResult<'a>>> {
    let mean_win_rate = "Mean win rate of all seats, which is that of equal bots.";
    let difference = "Win rate of the bot minus the mean of the other seats.";
    let elo_wins = "Elo difference by the games that somebody won.";
    let predicted_win_rate = "Win rate by the Plackett-Luce strengths.";
    Columns::<Of<'_, PairingResult<'_>>>::new(
        "crosstable",
        "One row for each bot in one seat and opponent in the others.",
    )
    .text("bot", "Bot in one seat.", |(all, row)| all.bots[row.bot])
    .text("opponent", "Bot in all other seats.", |(all, row)| all.bots[row.opponent])
    .integer("games", "Games of the pairing.", |(_, row)| row.win_shares.n)
    .number("wins", 4, "Sum of the bot's win shares.", |(_, row)| {
        row.win_shares.x as f64 / UNITS_PER_WIN as f64
    })
    .percent("win rate", "Win share per game.", |(_, row)| row.win_rate)
    .ci("ci")
    .number(("mean_win_rate", "mean of all seats"), 6, mean_win_rate, |(_, row)| row.mean_win_rate)
    .unit(Unit::Percent)
    .percentage_points("difference", difference, |(_, row)| row.difference)
    .estimate(("elo_wins", "Elo"), Unit::Signed(1), elo_wins, |(_, row)| row.elo_wins)
    .decimals(2)
    .measured_in("Elo points")
    .number("predicted win rate", 6, predicted_win_rate, |(_, row)| row.predicted_win_rate)
    .unit(Unit::Percent)
    .number("z", 2, "Standardised deviation of the win rate from the prediction.", |(_, row)| row.z)
    .provenance()
}

fn rating_columns<'a>() -> Columns<Of<'a, RatedBot>> {
    let elo_wins = "Elo difference from the first bot, by win shares.";
    let pl_strength = "Plackett-Luce strength minus that of the first bot.";
    let pl_gap = "Plackett-Luce strength of the next stronger bot minus that of this bot.";
    Columns::<Of<'_, RatedBot>>::new("ratings", "One row for each bot, strongest first.")
        .text("bot", "Bot.", |(all, row)| all.bots[row.bot])
        .integer("games", "Games of the bot.", |(_, row)| row.pl_strength.n)
        .estimate(("elo_wins", "Elo"), Unit::Signed(1), elo_wins, |(_, row)| row.elo_wins)
        .decimals(2)
        .measured_in("Elo points")
        .estimate(("pl_strength", "strength"), Unit::Signed(1), pl_strength, |(_, row)| {
            row.pl_strength
        })
        .decimals(2)
        .measured_in("Elo points")
        .text("next better", "Next stronger bot.", |(all, row)| {
            row.next_better.map(|(better, _)| all.bots[better])
        })
        .estimate(("pl_gap", "gap"), Unit::Signed(1), pl_gap, |(_, row)| {
            row.next_better.map(|(_, gap)| gap)
        })
        .decimals(2)
        .measured_in("Elo points")
        .provenance()
}

/// Returns `crosstable.csv` and `ratings.csv`, and `ladder.csv` of a ladder.
pub(super) fn data_tables(standings: &Standings<'_>, provenance: &Claim) -> Vec<DataTable> {
    let pairings = standings.pairings().into_iter().map(|pairing| (standings, pairing));
    let bots = standings.rated_bots().into_iter().map(|bot| (standings, bot));
    let ladder = standings.mode == MatchMode::Ladder;
    let ladder = ladder.then(|| ladder::table(&standings.steps(), provenance));
    let pairings = crosstable_columns().table(provenance, pairings);
    [pairings, rating_columns().table(provenance, bots)].into_iter().chain(ladder).collect()
}

/// Returns the results of a match for the terminal, at most 80 columns wide with up to 4 bots.
/// `tables` are those of [`data_tables`].
pub(super) fn texts(
    standings: &Standings<'_>,
    sprt: Option<&SequentialTest>,
    tables: &[DataTable],
) -> (String, String) {
    let header = header(standings.tally);
    if let Some(test) = sprt {
        let text = test_text(standings, test);
        return (header + &text, text);
    }
    if standings.mode == MatchMode::Ladder {
        let text = ladder::text(&tables[2]);
        return (header + &text, text);
    }
    let kind = match standings.sequence {
        Some(_) => "The 95 % intervals are those of a confidence sequence, valid at every look.\n",
        None => "",
    };
    let (crosstable, fit) = (crosstable_text(standings), fit_text(standings));
    let ratings = ratings_text(standings);
    (format!("{header}\n{crosstable}\n{ratings}{kind}{fit}"), ratings)
}

/// Returns the state of a sequential test for the terminal.
fn test_text(standings: &Standings<'_>, sequential_test: &SequentialTest) -> String {
    let mut text = String::new();
    let Some(pairing) = standings.pairing(0, 1) else { return text };
    let SequentialTest { hypotheses, llr, lower_bound, upper_bound, verdict } = sequential_test;
    let Hypotheses { elo0, elo1, alpha, beta } = hypotheses;
    let [bot, opponent] = [0, 1].map(|bot| standings.bots[bot]);
    let mean_win_rate = match standings.tally.nobody_won {
        0 => String::new(),
        _ => format!("; mean of all seats {:.2}", 100.0 * pairing.mean_win_rate),
    };
    let _ = write!(
        text,
        "\n{bot} against {opponent}\n\
         win %  {}, n = {}{mean_win_rate}\n\
         diff   {} pp from the mean of the other seats\n\
         Elo    {}\n\
         The 95 % intervals are not adjusted for early stopping.\n\
         H0     Elo {elo0}, rejected wrongly with probability {alpha}\n\
         H1     Elo {elo1}, rejected wrongly with probability {beta}\n\
         LLR    {llr:+.2}, bounds {lower_bound:+.2} and {upper_bound:+.2}: {verdict}\n",
        terminal_estimate(pairing.win_rate, Unit::Percent),
        pairing.win_rate.n,
        terminal_estimate(pairing.difference, Unit::PercentagePoints),
        points_with_interval(pairing.elo_wins),
    );
    text
}

/// Returns the number of games, after an empty line.
fn header(tally: &MatchTally) -> String {
    let MatchTally { games, blocks, capped, shared_wins, nobody_won, .. } = tally;
    let nobody_won =
        if *nobody_won > 0 { format!("; {nobody_won} without a winner") } else { String::new() };
    format!(
        "\n{games} games in {blocks} blocks; {capped} ended by the round limit\n{shared_wins} \
         shared wins{nobody_won}\n"
    )
}

fn crosstable_text(standings: &Standings<'_>) -> String {
    let MatchTally { players: Fixed(players), nobody_won, .. } = standings.tally;
    let bots = 0..standings.bots.len();
    let games = || standings.tally.results.values().map(|result| result.win_shares().n);
    let games = match (games().min(), games().max()) {
        (Some(min), Some(max)) if min != max => format!("{min} to {max} games each"),
        (_, max) => format!("{} games each", max.unwrap_or(0)),
    };
    // More bots have room without their intervals.
    let has_intervals = standings.bots.len() <= MAX_WITH_INTERVALS || *nobody_won > 0;
    let (width, intervals) = match (has_intervals, players) {
        (true, 2) => (CELL_WIDTH, " [95 % interval]"),
        (true, _) => (CELL_WIDTH, " [95 %]"),
        (false, _) => (NARROW_WIDTH, "\n(crosstable.csv has the intervals)"),
    };
    let mut text = if *players == 2 {
        format!("win % of the row against the column, {games}{intervals}\n")
    } else {
        format!("win % of a row bot against {} column bots, {games}{intervals}\n", players - 1)
    };
    text += &match (*nobody_won > 0, players) {
        (true, _) => {
            "mean: mean of all seats, the win % of equal bots (some games had no winner)\n"
                .to_owned()
        }
        (false, 2) => String::new(),
        (false, _) => format!("win % of equal bots: {:.1}\n", 100.0 / *players as f64),
    };
    let columns: String = bots.clone().map(|bot| format!("{:>width$}", bot + 1)).collect();
    let _ = writeln!(text, "{:1$}{columns}", "", NAME_WIDTH + 3);
    for (row, bot) in standings.bots.iter().enumerate() {
        let cells: Vec<_> = bots.clone().map(|column| standings.pairing(row, column)).collect();
        if cells.iter().all(Option::is_none) {
            continue;
        }
        let line = |format: &dyn Fn(&PairingResult<'_>) -> String, missing: &str| -> String {
            let text = |cell: &Option<_>| cell.as_ref().map_or(missing.to_owned(), format);
            cells.iter().map(|cell| format!("{:>width$}", text(cell))).collect()
        };
        let percent = |rate: f64| format!("{:.1}", 100.0 * rate);
        let rates = line(&|cell| percent(cell.win_rate.value), "-");
        let name = truncate(bot, NAME_WIDTH);
        let _ = writeln!(text, "{:>2} {name:<NAME_WIDTH$}{rates}", row + 1);
        let interval = |rate: Estimate| format!("[{}, {}]", percent(rate.low), percent(rate.high));
        let mut details = Vec::new();
        if has_intervals {
            details.push(line(&|cell| interval(cell.win_rate), ""));
        }
        if *nobody_won > 0 {
            details.push(line(&|cell| format!("mean {}", percent(cell.mean_win_rate)), ""));
        }
        for line in details {
            let _ = writeln!(text, "{:2$}{}", "", line.trim_end(), NAME_WIDTH + 3);
        }
    }
    text
}

fn ratings_text(standings: &Standings<'_>) -> String {
    let mut text = "points relative to bot 1: Elo by win shares, and strength by the \
        Plackett-Luce\nfit to all rankings\n"
        .to_owned();
    let titles =
        ["Elo [95 %]", "strength [95 %]"].map(|title| format!("{title:>POINTS_WIDTH$}")).concat();
    let _ = writeln!(text, "   {:<NAME_WIDTH$}{:>8}{titles}", "", "games");
    for RatedBot { bot, elo_wins, pl_strength, .. } in standings.rated_bots() {
        let format = |points: Option<Estimate>| match points {
            Some(_) if bot == 0 => "0".to_owned(),
            Some(points) => points_with_interval(points),
            None => "-".to_owned(),
        };
        let name = truncate(standings.bots[bot], NAME_WIDTH);
        let _ = writeln!(
            text,
            "{:>2} {name:<NAME_WIDTH$}{:>8}{:>POINTS_WIDTH$}{:>POINTS_WIDTH$}",
            bot + 1,
            pl_strength.n,
            format(elo_wins),
            format(Some(pl_strength))
        );
    }
    text
}

/// Returns the worst deviation from the Plackett-Luce model, with a warning if the model does not
/// fit.
pub(super) fn fit_text(standings: &Standings<'_>) -> String {
    let mut text = String::new();
    if standings.ratings.has_added_draws() {
        text += "A bot won or lost all its games; the fit adds a draw with bot 1 for each bot.\n";
    }
    let Some(worst) = standings.worst_fit() else { return text };
    text += if worst.z.abs() > POOR_FIT_Z {
        "warning: Plackett-Luce does not fit; compare bots by Elo. Largest deviation:\n"
    } else {
        "Plackett-Luce fits. Largest deviation:\n"
    };
    let [bot, opponent] =
        [worst.bot, worst.opponent].map(|bot| truncate(standings.bots[bot], NAME_WIDTH));
    let (won, predicted) = (100.0 * worst.win_rate.value, 100.0 * worst.predicted_win_rate);
    let _ = writeln!(
        text,
        "{bot} against {opponent}:\n{won:.1} % won, {predicted:.1} % predicted (z = {:+.1})",
        worst.z
    );
    text
}

/// Formats Elo points with their interval, whose ends may be infinite.
fn points_with_interval(points: Estimate) -> String {
    if points.value.is_nan() {
        return "-".to_owned();
    }
    let format = |value: f64| match value {
        f64::INFINITY => "∞".to_owned(),
        f64::NEG_INFINITY => "-∞".to_owned(),
        value => format!("{value:+.*}", usize::from(value.abs() < 1000.0)),
    };
    format!("{} [{}, {}]", format(points.value), format(points.low), format(points.high))
}
