//! `watershed balance turn-order`: tests whether all turn positions win equally often.

pub mod points;

use clap::builder::ArgPredicate;
use points::EvenPoints;

use crate::{
    experiments::turn_order::TurnOrderTally,
    report::html::{format_p, format_rounded},
    run::panel::{GAMES_WITH_BUDGETS, search_budgets},
    stats::{equal_rates::EqualRates, equivalence::Equivalence},
    study::shared::{
        agreement::Agreement,
        convergence::{self, PanelFigure},
        planned_study::{OpenedStudy, StudyAnswer},
        prelude::*,
        verdict::{SmallestEffects, VerdictWord, words::whole},
    },
};

#[derive(Args, Debug)]
#[command(after_help = "\
The win rates of all turn positions are tested for equality (Wald's test over \
blocks) and for equivalence within --margin (two one-sided tests of each pair). Verdicts:
  fair    all win rates are equal within the margin
  unfair  the win rates differ significantly, and may differ by more than the margin
  open    neither is shown; `games_needed` in verdicts.csv is the number of games that show \
`fair` with a probability of 90 % if all win rates are equal

Win rates are compared with their mean, which is below 1/players if nobody wins some games. \
Points that would make the game even are computed from the final scores of the games and not \
played. `balance search --keys 'setup.2.start.1.*=0..2'` searches resources or points at the start \
with which the turn positions win equally often.

Tables: turn_positions.csv (win rate and score of each turn position), verdicts.csv (tests and \
verdict of each lineup) and added_points.csv (win rates with points for turn positions).

Examples:
  watershed balance turn-order
  watershed balance turn-order --players 4 --games 100k --margin 2pp
  watershed balance turn-order --budgets 50,200,800,3200
  watershed balance turn-order --panel expert,balanced,random \\
      --games 10k --out results/turn_order")]
pub(crate) struct TurnOrderArguments {
    #[command(flatten)]
    pub(crate) lineups: LineupArguments,
    /// Set the number of games of each lineup, rounded up to whole blocks
    #[arg(long, value_name = "N", default_value_t = 20_000,
          default_value_if("budgets", ArgPredicate::IsPresent, GAMES_WITH_BUDGETS),
          value_parser = count(1..=MAX_GAMES))]
    games: u64,
    /// Set the largest difference between two win rates that counts as fair, in percentage points
    #[arg(long, value_name = "POINTS", default_value = "1pp")]
    margin: Margin,
}

/// Describes all tables that the command can write.
pub(crate) fn schemas() -> Vec<Schema> {
    let own = [positions_columns().schema(), verdicts_columns().schema()];
    own.into_iter().chain([points::columns().schema(), convergence::schema()]).collect()
}

/// Runs the command.
pub(crate) fn run(opened: &OpenedStudy<'_, TurnOrderArguments>) -> anyhow::Result<ExitStatus> {
    let OpenedStudy { arguments, selection, game, .. } = opened;
    let TurnOrderArguments { lineups: named, games, margin } = &arguments.own;
    let seats = game.seats();
    ensure!(seats > 1, "--players: expected at least 2 players for a turn order, found {seats}");
    ensure!(
        !game.is_cooperative(),
        "--game: expected a game in which one player can win more than another; in this one all \
         win or lose together"
    );
    let library = &game.library().with_data([&selection.document])?;
    let lineups = &named.read_lineups(library, seats)?;
    let games = arguments.experiments(lineups, &named.simulated_games(library, *games));
    opened.plan_lineups(&games).growing().run(|study| {
        let experiments = games.into_iter().map(|games| game.turn_order(&[game], games));
        let results = study.play_lineups(experiments)?.into_iter();
        let mut orders: Vec<_> = results
            .filter_map(|mut result| {
                let games = result.tally.files.pop()?;
                Some(result.map(|_| TurnOrder::new(games, seats, margin.share())))
            })
            .collect();
        EqualRates::adjust(orders.iter_mut().map(|one| &mut one.tally.rates));
        let played = |one: &TurnOrder| [one.games.blocks, one.games.games, one.games.capped];
        let counts = count_games_of(study.games_planned(), &orders, played);
        let report = report(&orders, seats, margin.share(), &selection.provenance);
        Ok(StudyAnswer { own: (), counts, report, is_negative: false })
    })
}

/// Results of a lineup.
pub(crate) struct TurnOrder {
    games: TurnOrderTally,
    /// The win rates by turn position, tested.
    rates: EqualRates,
    points: Option<EvenPoints>,
}

/// The results with the lineup.
type Order = LineupResult<TurnOrder>;

impl TurnOrder {
    fn new(games: TurnOrderTally, players: usize, margin: f64) -> Self {
        let (all, halves) = (games.joint_wins(), &games.halves);
        let rates = EqualRates::new(&all, halves, players, UNITS_PER_WIN, margin);
        Self { rates, points: EvenPoints::find(&games, players), games }
    }

    /// States the points that would make the game even, unless it is fair without.
    fn points_sentence(&self) -> Option<String> {
        let is_unfair = self.rates.verdict == Equivalence::Different;
        self.points.as_ref().filter(|_| is_unfair)?.sentence()
    }

    /// Returns the number of games that shows with a probability of 90 % that the order is fair, if
    /// it is; none unless the verdict is open.
    fn games_needed(&self) -> Option<u64> {
        let games_per_block = self.games.games as f64 / self.games.blocks.max(1) as f64;
        Some((self.rates.blocks_needed()? * games_per_block).ceil() as u64)
    }
}

/// Returns the answers of the bots on the win rates of the turn positions.
fn agreement(orders: &[Order], players: usize) -> Agreement {
    // The win rates of two players are opposite.
    let positions = if players == 2 { 1 } else { players };
    let effects = orders.iter().map(|one| &one.tally.rates.differences_from_mean);
    let effects = effects.map(|effects| effects[..positions].to_vec());
    let names = TURN_POSITION_NAMES[..positions].iter();
    let names = names.map(|name| format!("win rate of the {name} minus the mean"));
    let questions = PanelFigure::of_family(Metric::WinShare, names, effects);
    Agreement::new(orders, questions)
}

fn report(orders: &[Order], players: usize, margin: f64, provenance: &Claim) -> StudyReport {
    let mut report = StudyReport::new(format!("Is the turn order fair for {players}?"));
    // The largest budget of one search answers first.
    let is_one_search = search_budgets(orders.iter().map(|one| &*one.lineup)).is_some();
    let first = if is_one_search { orders.last() } else { orders.first() };
    let points = first.and_then(|one| one.tally.points_sentence()).unwrap_or_default();
    report.answer(&first.map(|one| lead(one, players)).unwrap_or_default());
    report.answer(&points);
    if let Some(one) = first.filter(|one| one.tally.games.games > 0) {
        let rate = |place| whole(100.0 * one.tally.games.win_rate(place).value);
        let rates = (0..players).map(rate).collect::<Vec<_>>().join(" : ");
        let word = fairness(&one.tally, players).name();
        report.figure("FAIR", word, format!("Turn order {rates} of 100"));
    }
    agreement(orders, players).add_to(&mut report, provenance);
    let rows = || orders.iter().flat_map(|one| (0..players).map(move |place| (one, place)));
    let charted = rows().map(|(LineupResult { lineup, tally: order, .. }, place)| {
        let (name, by) = (TURN_POSITION_NAMES[place], lineup_suffix(lineup, orders.len()));
        IntervalRow::new((capitalize(&format!("{name}{by}")), order.games.win_rate(place)))
    });
    let sentence = "Win rate by turn position, with 95 % confidence intervals.";
    let mut chart = IntervalChart::new(sentence, Unit::Percent, &["win rate"], charted);
    if let [only] = orders {
        let mean = only.tally.games.mean_win_rate().value;
        chart = chart.with_reference(mean, "mean of all turn positions");
    }
    report.section("Win rates");
    report.page(chart);
    // A single lineup leaves its column to that of the scores.
    let single = usize::from(orders.len() < 2);
    let keys = ["lineup", "turn_position", "win_rate", "difference", "mean_score"];
    let table = positions_columns().table(provenance, rows());
    let remark = ", with turn position 0 for the first player";
    report.data(table, &keys[single..4 + single], "All turn positions", remark);
    let added = orders.iter().filter_map(|one| Some((&*one.lineup, one.tally.points.as_ref()?)));
    points::add_to(&mut report, added, &points, provenance);
    report.section("Tests");
    report.explanation(&format!(
        "The order is unfair if the test that all win rates are equal is significant, and fair if \
         all differences lie within {}, which two one-sided tests of each pair must show.",
        margin_words(margin)
    ));
    let keys = ["lineup", "sd_of_turn_positions", "largest_difference", "verdict"];
    report.data(verdicts_columns().table(provenance, orders), &keys[single..], "Tests", "");
    report
}

/// Returns the word for the turn order with a lineup: `no` from the distance on at which the screen
/// of a simulation says so.
fn fairness(order: &TurnOrder, players: usize) -> VerdictWord {
    let limit = SmallestEffects::new(players, 10.0).seat / 100.0;
    let mut distances = order.rates.differences_from_mean.iter().map(|one| one.value.abs());
    match order.rates.verdict {
        Equivalence::Equal => VerdictWord::Good,
        Equivalence::Different if distances.any(|distance| distance > limit) => VerdictWord::Bad,
        Equivalence::Different => VerdictWord::Look,
        Equivalence::Open => VerdictWord::Unsure,
    }
}

/// States the answer of a lineup, and its limits. The labels of a panel have the others.
fn lead(LineupResult { lineup, tally: order, .. }: &Order, players: usize) -> String {
    let TurnOrder { games, rates, .. } = order;
    if games.games == 0 {
        return "No block of games was finished.".to_owned();
    }
    let margin = margin_words(rates.margin);
    let is_tested = rates.verdict == Equivalence::Different && rates.p_holm.is_finite();
    let p = if is_tested { format!(" ({})", format_p(rates.p_holm)) } else { String::new() };
    let verdict = match rates.verdict {
        Equivalence::Equal => format!("Fair within {margin}"),
        unfair_or_open => capitalize(VERDICTS[unfair_or_open as usize]),
    };
    let others = (1..players).map(|position| {
        let ordinal = TURN_POSITION_NAMES[position].trim_end_matches(" player");
        format!("the {ordinal} {}", format_percent(games.win_rate(position)))
    });
    let mut lead = format!(
        "{verdict}: the first of {players} players wins {} of {}, {}, with {} in the seats{p}.",
        format_percent(games.win_rate(0)),
        format_count(games.games, "game"),
        join_with_and(others),
        player_text(lineup)
    );
    if let Some(needed) = order.games_needed() {
        lead += &format!(
            " Neither a difference nor equality within {margin} is shown; if the win rates are \
             equal, about {} games show it with a probability of 90 %.",
            format_rounded(needed)
        );
    }
    if games.without_winner > 0 {
        lead += &format!(
            " Nobody wins {} of these games, so the mean win rate is {}.",
            group_digits(games.without_winner),
            format_percent(games.mean_win_rate())
        );
    }
    lead
}

/// Returns the columns of `turn_positions.csv`, of a lineup with a turn position.
fn positions_columns<'a>() -> Columns<(&'a Order, usize)> {
    let difference = "Win rate minus the mean of all turn positions.";
    let columns = Columns::<(&Order, usize)>::new("turn_positions", "Results at a turn position.")
        .text("lineup", "Bots in the seats.", |(one, _)| &one.lineup)
        .turn_position(|(_, place)| *place)
        .percent("win rate", "Share of games won.", |(one, p)| one.tally.games.win_rate(*p))
        .n(("n", "games"))
        .percentage_points(("difference", "from mean"), difference, |(one, place)| {
            one.tally.rates.differences_from_mean[*place].estimate()
        })
        .estimate("mean score", Unit::Decimals(2), "Final score.", |(one, place)| {
            one.tally.games.scores[*place].mean()
        })
        .measured_in("points");
    let best = |(one, place): &(&Order, usize)| Some(one.tally.points.as_ref()?.at(*place));
    points::with_best(columns, best).provenance()
}

/// The names of the verdicts: fair within the margin, significantly unfair, and neither.
const VERDICTS: [&str; 3] = ["fair", "unfair", "open"];

/// Returns the columns of `verdicts.csv`.
fn verdicts_columns<'a>() -> Columns<&'a Order> {
    let mean_win_rate = "Mean win rate of all turn positions. It has no interval if every game is \
                         won.";
    let nobody = "Games without a winner.";
    let sd = "Standard deviation of the true win rates of the turn positions; negative if they \
              differ less than expected by chance.";
    let largest = "Largest difference between the win rates of two turn positions. Empty with more \
                   than 2 players unless both halves of the blocks have the same pair. The \
                   interval is that of the range of all win rates.";
    let q = "Wald's statistic of the test that all win rates are equal.";
    let df = "Its degrees of freedom.";
    let p_holm = "`p` adjusted by Holm's method for all lineups.";
    let margin = "Largest difference between two win rates that counts as fair.";
    let equal = "Test that all win rates are equal within the margin.";
    let verdict = "`fair`: equal within the margin (`equivalence_p` < 0.05). `unfair`: different \
                   (`p_holm` < 0.05) and not `fair`. `open`: neither.";
    let games_needed = "Games that show `fair` with a probability of 90 % if all win rates are \
                        equal; empty unless the verdict is `open`.";
    Columns::<&Order>::new("verdicts", "Tests of the turn order with a lineup.")
        .text("lineup", "Bots in the seats.", |row| &row.lineup)
        .integer("blocks", "Whole blocks played.", |row| row.tally.games.blocks)
        .integer("games", "Games played.", |row| row.tally.games.games)
        .integer(("without_winner", "nobody won"), nobody, |row| row.tally.games.without_winner)
        .percent("mean win rate", mean_win_rate, |row| row.tally.games.mean_win_rate())
        .percentage_points(("sd_of_turn_positions", "spread"), sd, |row| row.tally.rates.sd)
        .percentage_points("largest difference", largest, |row| row.tally.rates.largest_difference)
        .number(("q", "Q"), 4, q, |row| row.tally.rates.equality.q)
        .integer(("degrees_of_freedom", "df"), df, |row| {
            row.tally.rates.equality.degrees_of_freedom
        })
        .p_value("p", "Test that all win rates are equal.", |row| row.tally.rates.equality.p)
        .p_value(("p_holm", "p (Holm)"), p_holm, |row| row.tally.rates.p_holm)
        .number("margin", 6, margin, |row| row.tally.rates.margin)
        .p_value(("equivalence_p", "p of equivalence"), equal, |row| row.tally.rates.p_equivalence)
        .word("verdict", &VERDICTS, verdict, |row| VERDICTS[row.tally.rates.verdict as usize])
        .integer("games needed", games_needed, |row| row.tally.games_needed())
        .provenance()
}
