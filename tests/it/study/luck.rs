//! Sobol indices: on a game whose shares are known, and as the program shows them.

use std::{fs, sync::atomic::AtomicBool};

use tempfile::TempDir;
use watershed::{
    arena::metric::SeatMetric,
    bots::{Bot, View},
    game::{ActionSet, ChanceSource, Game, MAX_SEATS, Outcome, Seat, Turn, highest_scoring_seats},
    report::provenance::Claim,
    rng::{Rng, random_below},
    run::lineups::LineupResult,
    stats::ratio::Estimate,
    study::luck::{
        analysis::LuckAnalysis,
        experiment::{LuckExperiment, LuckTally},
    },
};

use crate::support::{files, refuses, succeeds};

/// Three dice are thrown and seat 0 chooses a number from 0 to 4. It scores the sum of the first
/// two dice and its number; seat 1 scores its number's distance from the middle, above it or below
/// as the third die says.
struct Dice;

/// How many faces each die has, from 0 on.
const FACES: [u32; 3] = [11, 5, 2];

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Thrown {
    thrown: usize,
    values: [u8; 4],
}

#[derive(Clone, Copy, Debug)]
struct Numbers(u32);

impl ActionSet for Numbers {
    type Action = u8;

    fn len(&self) -> usize {
        self.0.count_ones() as usize
    }

    fn nth(&self, index: usize) -> u8 {
        (0..32).filter(|&number| self.contains(number)).nth(index).unwrap()
    }

    fn contains(&self, number: u8) -> bool {
        self.0 >> number & 1 == 1
    }

    fn remove(&mut self, number: u8) {
        self.0 &= !(1 << number);
    }

    fn kinds(&self) -> u32 {
        1
    }

    fn subset_of_kind(&self, _kind: u32) -> Self {
        *self
    }
}

impl Game for Dice {
    type State = Thrown;
    type Action = u8;
    type Actions = Numbers;

    fn seats(&self) -> usize {
        2
    }

    fn chance_sources(&self) -> &'static [&'static str] {
        &["great", "small", "sign"]
    }

    fn action_kinds(&self) -> &'static [&'static str] {
        &["number"]
    }

    fn initial(&self) -> Thrown {
        Thrown::default()
    }

    fn turn(&self, state: &Thrown) -> Turn {
        match state.thrown {
            die @ 0..3 => Turn::Chance(ChanceSource(die as u8)),
            3 => Turn::Seat(Seat::new(0)),
            _ => Turn::Over,
        }
    }

    fn legal_actions(&self, _state: &Thrown) -> Numbers {
        Numbers(0b11111)
    }

    fn chance_outcomes(&self, state: &Thrown) -> Vec<(u8, u32)> {
        (0..FACES[state.thrown] as u8).map(|face| (face, 1)).collect()
    }

    fn sample_chance(&self, state: &Thrown, rng: &mut Rng) -> u8 {
        random_below(rng, FACES[state.thrown]) as u8
    }

    fn apply(&self, state: &mut Thrown, action: u8) {
        state.values[state.thrown] = action;
        state.thrown += 1;
    }

    fn round(&self, _state: &Thrown) -> u32 {
        1
    }

    fn outcome(&self, state: &Thrown) -> Outcome {
        let [great, small, sign, number] = state.values.map(i32::from);
        let mut scores = [0; MAX_SEATS];
        scores[0] = great + small + number;
        scores[1] = (2 * sign - 1) * (number - 2);
        Outcome {
            scores,
            winners: highest_scoring_seats(&scores, 2),
            rounds: 1,
            hit_round_limit: false,
        }
    }

    fn determinize(&self, state: &Thrown, _seat: Seat, _rng: &mut Rng) -> Thrown {
        *state
    }
}

/// Chooses any number.
struct Anything;

impl Bot<Dice> for Anything {
    fn choose(&mut self, _view: &View<'_, Dice>, legal: &Numbers, rng: &mut Rng) -> u8 {
        legal.nth(random_below(rng, legal.len() as u32) as usize)
    }
}

fn study(blocks: u64, seed: u64) -> LuckTally {
    let bots = || (0..2).map(|_| Box::new(Anything) as Box<dyn Bot<Dice>>).collect();
    LuckExperiment { game: &Dice, seed, blocks: 0..blocks }.run(
        &AtomicBool::new(false),
        bots,
        &|_| {},
    )
}

/// The variances of dice with 11, 5 and 5 faces are 10, 2 and 2. A sign by itself says nothing of a
/// product, nor does its factor.
const FIRST_ORDER: [[f64; 4]; 2] = [[10.0 / 14.0, 2.0 / 14.0, 0.0, 2.0 / 14.0], [0.0; 4]];
const TOTAL: [[f64; 4]; 2] = [FIRST_ORDER[0], [0.0, 0.0, 1.0, 1.0]];

#[test]
fn known_shares_are_estimated() {
    let tally = study(20_000, 1);
    assert_eq!((tally.blocks, tally.games, tally.sources.len()), (20_000, 200_000, 4));
    for seat in 0..2 {
        for (number, source) in tally.sources.iter().enumerate() {
            let first = source.first_order_index(SeatMetric::Score, Some(seat)).value;
            let total = source.total_index(SeatMetric::Score, Some(seat)).value;
            assert!(
                (first - FIRST_ORDER[seat][number]).abs() < 0.03,
                "seat {seat}, source {number}: {first}"
            );
            assert!(
                (total - TOTAL[seat][number]).abs() < 0.03,
                "seat {seat}, source {number}: {total}"
            );
        }
    }
    // All seats together: 14 of the variance is seat 0's, 2 seat 1's.
    let great = tally.sources[0].total_index(SeatMetric::Score, None);
    assert!(
        (great.value - 10.0 / 16.0).abs() < 0.02
            && great.low < 10.0 / 16.0
            && 10.0 / 16.0 < great.high,
        "{great:?}"
    );
    // Nobody but seat 0 wins when its sum is great, which the great die decides most.
    let wins = tally
        .sources
        .iter()
        .map(|source| source.total_index(SeatMetric::WinShare, None).value)
        .collect::<Vec<_>>();
    assert!(wins[0] > wins[1], "{wins:?}");
}

#[test]
fn intervals_have_their_nominal_coverage() {
    const STUDIES: u64 = 400;
    let (mut held, mut all) = (0, 0);
    for seed in 0..STUDIES {
        let tally = study(300, seed);
        for (number, source) in tally.sources.iter().enumerate().filter(|(number, _)| *number != 2)
        {
            let holds = |estimate: Estimate, truth: f64| {
                u32::from((estimate.low..=estimate.high).contains(&truth))
            };
            held +=
                holds(source.first_order_index(SeatMetric::Score, Some(0)), FIRST_ORDER[0][number]);
            held += holds(source.total_index(SeatMetric::Score, Some(0)), TOTAL[0][number]);
            all += 2;
        }
    }
    let coverage = 100.0 * f64::from(held) / f64::from(all);
    assert!((93.0..=97.0).contains(&coverage), "{coverage} %");
}

/// Chooses 0 always.
struct Zero;

impl Bot<Dice> for Zero {
    fn choose(&mut self, _view: &View<'_, Dice>, _legal: &Numbers, _rng: &mut Rng) -> u8 {
        0
    }
}

/// The numbers of bots that use dice have 2 of the 14 of the variance of the sum; bots without dice
/// leave all of it to the deal.
#[test]
fn the_deal_and_the_bots_randomness_share_the_variance() {
    let deal = study(20_000, 1).deal_first_order_index(SeatMetric::Score, Some(0)).unwrap();
    assert!(
        deal.low < 12.0 / 14.0 && 12.0 / 14.0 < deal.high && deal.high - deal.low < 0.02,
        "{deal:?}"
    );
    let bots = || (0..2).map(|_| Box::new(Zero) as Box<dyn Bot<Dice>>).collect();
    let tally = LuckExperiment { game: &Dice, seed: 1, blocks: 0..400 }.run(
        &AtomicBool::new(false),
        bots,
        &|_| {},
    );
    let deal = tally.deal_first_order_index(SeatMetric::Score, None).unwrap();
    assert!(
        (deal.value - 1.0).abs() < 1e-12
            && !deal.low.is_finite()
            && tally.bots_source().unwrap().has_no_effect(SeatMetric::Score)
    );
    assert!(!study(400, 1).bots_source().unwrap().has_no_effect(SeatMetric::Score));
    let results =
        [LineupResult { lineup: "zero".to_owned(), bots: vec!["zero".to_owned()], tally }];
    let analysis = LuckAnalysis {
        sources: &["great", "small", "sign", "bots"],
        players: 2,
        results: &results,
    };
    let table = analysis.table(&Claim::new("invented"));
    let text = analysis.text(&table);
    assert!(text.contains("zero: random choices of the bots had no effect"), "{text}");
    let lead = analysis.report_body(&table).lead.into_string();
    assert!(lead.starts_with("The deal determines the win share"), "{lead}");
}

/// Every rung of a ladder is the study of its bot alone.
#[test]
fn a_ladder_equals_separate_runs_of_its_bots() {
    let folder = TempDir::new().unwrap();
    let rows = |out: &str, bots: [&str; 2]| {
        let arguments =
            ["balance", "luck", "--games", "600", bots[0], bots[1], "--quiet", "--out", out];
        let printed = succeeds(folder.path(), &arguments);
        assert_eq!(
            printed.lines().skip(1).find(|line| line.chars().count() > 80),
            None,
            "{printed}"
        );
        let table = fs::read_to_string(folder.path().join(out).join("luck.csv")).unwrap();
        table.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    let ladder = rows("ladder", ["--ladder", "random,balanced"]);
    let alone = [rows("random", ["--bots", "random*"]), rows("balanced", ["--bots", "balanced*"])];
    assert!(alone[0] != alone[1] && ladder == alone.concat(), "{ladder:?}");
    let page = fs::read_to_string(folder.path().join("ladder/report.html")).unwrap();
    for bot in ["random", "balanced"] {
        assert_eq!(
            page.matches(&format!("aria-label=\"tiles, by {bot}: explained alone ")).count(),
            2,
            "for both metrics: {bot}"
        );
    }
}

#[test]
fn the_program_reports_the_chance_sources_of_the_river() {
    let folder = TempDir::new().unwrap();
    let run = |out: &str, threads: &str| {
        let arguments = [
            "balance",
            "luck",
            "--bots",
            "balanced*",
            "--games",
            "3000",
            "--seed",
            "5",
            "--threads",
            threads,
            "--quiet",
            "--out",
            out,
        ];
        let printed = succeeds(folder.path(), &arguments);
        assert_eq!(
            printed.lines().skip(1).find(|line| line.chars().count() > 80),
            None,
            "{printed}"
        );
        (printed, fs::read_to_string(folder.path().join(out).join("luck.csv")).unwrap())
    };
    let (printed, table) = run("one", "1");
    assert_eq!((printed.clone(), table.clone()), run("two", "2"));
    assert_eq!(files(&folder.path().join("one")), ["luck.csv", "report.html", "run.json"]);
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    // Two outcomes, of both seats and all together, by the whole deal, its four sources and the
    // bots' dice.
    assert_eq!(rows.len(), 2 * 3 * 6);
    let total = |outcome: &str, source: &str| -> f64 {
        rows.iter()
            .find(|row| (&row[1], &row[2], &row[3], &row[4]) == (outcome, "all", "overall", source))
            .unwrap()[9]
            .parse()
            .unwrap()
    };
    for outcome in ["win_share", "score"] {
        assert!(total(outcome, "tiles") > total(outcome, "boards"), "{outcome}");
        assert!((0.2..1.2).contains(&total(outcome, "tiles")), "{outcome}");
    }
    let deal = rows
        .iter()
        .find(|row| {
            (&row[0], &row[1], &row[3], &row[4]) == ("balanced", "win_share", "overall", "deal")
        })
        .unwrap();
    let fixed: f64 = deal[6].parse().unwrap();
    assert!(
        (fixed - (1.0 - total("win_share", "bots"))).abs() < 2e-6 && (0.4..0.9).contains(&fixed),
        "{deal:?}"
    );
    assert!(printed.contains(&format!("\ndeal       {:.2} [", 100.0 * fixed)), "{printed}");
    let page = fs::read_to_string(folder.path().join("one/report.html")).unwrap();
    let lead = page.split_once("<p class=\"lead\">").unwrap().1;
    assert!(
        lead.starts_with(&format!("{:.1} % [", 100.0 * fixed))
            && lead.contains("is explained by the deal"),
        "{lead:.300}"
    );
    // Totals are no shares; they are in the table as what they are.
    assert!(!page.contains("with its interactions") && !printed.contains("interactions"));
    assert!(table.starts_with("lineup,metric,seat,scope,source,blocks,first_order,first_order_ci_low,first_order_ci_high,sensitivity,"));
    refuses(&folder, &["balance", "luck", "--games", "0"], &["--games", "0"]);
    refuses(
        &folder,
        &["balance", "luck", "--bots", "balanced,random,random"],
        &["--bots", "2 bots for 2 seats"],
    );
    refuses(
        &folder,
        &["balance", "luck", "--ladder", "random,random"],
        &["--ladder", "`random` twice"],
    );
    refuses(&folder, &["balance", "luck", "--out", "one"], &["one", "--force"]);
}
