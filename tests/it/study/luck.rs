//! `watershed balance luck`: Sobol indices of a game with known shares, and the output of the
//! program.

use std::sync::atomic::AtomicBool;

use watershed::{
    arena::{block_experiment::BlockExperiment as _, metric::SeatMetric},
    bots::{Bot, View},
    experiments::luck::{LuckExperiment, LuckTally},
    game::{ActionSet as _, BitActions, ChanceSource, Game, Outcome, Seat, Turn},
    report::provenance::Claim,
    rng::{Rng, random_below},
    run::lineups::LineupResult,
    stats::ratio::Estimate,
    study::luck::analysis::LuckAnalysis,
};

use crate::support::{Folder, find_row, number};

/// A game with 3 dice, in which seat 0 chooses a number from 0 to 4. It scores the sum of the first
/// 2 dice and its number. Seat 1 scores the distance of the number from 2, with the sign that the
/// third die gives, and its handicap.
struct Dice;

/// Points that seat 1 has from the start, nearly as many as seat 0 scores.
const HANDICAP: i32 = 7;

/// The number of faces of each die, counted from 0.
const FACES: [u32; 3] = [11, 5, 2];

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Thrown {
    thrown: usize,
    values: [u8; 4],
}

impl Game for Dice {
    type State = Thrown;
    type Action = u8;
    type Actions = BitActions;

    fn seats(&self) -> usize {
        2
    }

    fn chance_sources(&self) -> &'static [&'static str] {
        &["great", "small", "sign"]
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

    fn legal_actions(&self, _state: &Thrown) -> BitActions {
        BitActions::new(0b11111)
    }

    fn chance_outcomes(&self, state: &Thrown) -> Vec<(u8, u32)> {
        (0..FACES[state.thrown] as u8).map(|face| (face, 1)).collect()
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
        let scores = [great + small + number, HANDICAP + (2 * sign - 1) * (number - 2), 0, 0, 0];
        Outcome::highest_score_wins(scores, 2, 1)
    }
}

/// A bot that chooses at random.
#[derive(Clone)]
struct RandomNumber;

impl Bot<Dice> for RandomNumber {
    fn choose(&mut self, _view: &View<'_, Dice>, legal: &BitActions, rng: &mut Rng) -> u8 {
        legal.nth(random_below(rng, legal.len() as u32) as usize)
    }
}

fn study(blocks: u64, seed: u64) -> LuckTally {
    let bots = || (0..2).map(|_| Box::new(RandomNumber) as Box<dyn Bot<Dice>>).collect();
    LuckExperiment { game: &Dice, build_bots: bots, has_shares: false, seed, blocks: 0..blocks }
        .run(&AtomicBool::new(false), &|_| {})
}

/// The shares of the variance. Dice with 11, 5 and 5 faces have the variances 10, 2 and 2. The sign
/// and its factor have no effect of the first order.
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
    // Of the variance of all seats, 14 comes from seat 0 and 2 from seat 1.
    let great = tally.sources[0].total_index(SeatMetric::Score, None);
    assert!(
        (great.value - 10.0 / 16.0).abs() < 0.02
            && great.low < 10.0 / 16.0
            && 10.0 / 16.0 < great.high,
        "{great:?}"
    );
    // Seat 0 wins when its sum is large, which depends mostly on the great die.
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

/// A bot that always chooses 0.
#[derive(Clone)]
struct Zero;

impl Bot<Dice> for Zero {
    fn choose(&mut self, _view: &View<'_, Dice>, _legal: &BitActions, _rng: &mut Rng) -> u8 {
        0
    }
}

/// The random choices of the bots have 2 / 14 of the variance of the sum. For bots without random
/// choices the deal has all of it.
#[test]
fn the_deal_and_the_bots_randomness_share_the_variance() {
    let deal = study(20_000, 1).deal().unwrap().first_order_index(SeatMetric::Score, Some(0));
    assert!(
        deal.low < 12.0 / 14.0 && 12.0 / 14.0 < deal.high && deal.high - deal.low < 0.02,
        "{deal:?}"
    );
    let bots = || (0..2).map(|_| Box::new(Zero) as Box<dyn Bot<Dice>>).collect();
    let tally = LuckExperiment {
        game: &Dice,
        build_bots: bots,
        has_shares: false,
        seed: 1,
        blocks: 0..400,
    }
    .run(&AtomicBool::new(false), &|_| {});
    let deal = tally.deal().unwrap().first_order_index(SeatMetric::Score, None);
    assert!(
        (deal.value - 1.0).abs() < 1e-12
            && !deal.low.is_finite()
            && tally.bots_source().unwrap().has_no_effect(SeatMetric::Score)
    );
    assert!(!study(400, 1).bots_source().unwrap().has_no_effect(SeatMetric::Score));
    let results = [LineupResult {
        lineup: "zero".to_owned(),
        bots: vec!["zero".to_owned()],
        elo: None,
        tally,
    }];
    let analysis = LuckAnalysis {
        sources: &["great", "small", "sign", "bots"],
        players: 2,
        has_shares: false,
        results: &results,
    };
    let tables = analysis.tables(&Claim::new("invented"));
    let text = analysis.text(&tables);
    assert!(text.contains("zero: random choices of the bots had no effect"), "{text}");
    let lead = analysis.report_body(&tables).lead.into_string();
    assert!(lead.starts_with("All of the variance of the win share"), "{lead}");
}

/// Returns the mean win shares of both seats after all outcomes and numbers, and adds to
/// `variances` the variance of both seats' shares due to each of them, times `probability`.
fn expected_shares(state: &Thrown, probability: f64, variances: &mut [f64; 4]) -> [f64; 2] {
    let after = |action| {
        let mut after = *state;
        Dice.apply(&mut after, action);
        after
    };
    let actions: Vec<u8> = match Dice.turn(state) {
        Turn::Over => {
            let outcome = Dice.outcome(state);
            return [0, 1].map(|seat| outcome.win_share(Seat::new(seat)) as f64 / 60.0);
        }
        Turn::Chance(_) => Dice.chance_outcomes(state).into_iter().map(|(face, _)| face).collect(),
        Turn::Seat(_) => (0..5).collect(),
    };
    let share = 1.0 / actions.len() as f64;
    let shares: Vec<_> = actions
        .iter()
        .map(|&action| expected_shares(&after(action), probability * share, variances))
        .collect();
    let mean = [0, 1].map(|seat| share * shares.iter().map(|shares| shares[seat]).sum::<f64>());
    let squares =
        shares.iter().flat_map(|shares| [0, 1].map(|seat| (shares[seat] - mean[seat]).powi(2)));
    variances[state.thrown] += probability * share * squares.sum::<f64>() / 2.0;
    mean
}

/// Returns the text and the rows of `shares.csv` of a study.
fn shares(
    build_bots: impl Fn() -> Vec<Box<dyn Bot<Dice>>> + Sync,
    seed: u64,
    blocks: u64,
) -> (String, Vec<(String, Estimate)>) {
    let tally =
        LuckExperiment { game: &Dice, build_bots, has_shares: true, seed, blocks: 0..blocks }
            .run(&AtomicBool::new(false), &|_| {});
    let results =
        [LineupResult { lineup: "bot".to_owned(), bots: vec!["bot".to_owned()], elo: None, tally }];
    let analysis = LuckAnalysis {
        sources: &["great", "small", "sign", "bots"],
        players: 2,
        has_shares: true,
        results: &results,
    };
    let rows = analysis.shares()[0].sources.clone();
    let rows = rows.into_iter().map(|(source, share)| (source.to_owned(), share)).collect();
    (analysis.text(&analysis.tables(&Claim::new("invented"))), rows)
}

fn random_numbers() -> Vec<Box<dyn Bot<Dice>>> {
    (0..2).map(|_| Box::new(RandomNumber) as Box<dyn Bot<Dice>>).collect()
}

/// Returns the shares of the players and of each source by enumeration of all games.
fn enumerated_shares() -> Vec<f64> {
    let mut variances = [0.0; 4];
    let means = expected_shares(&Thrown::default(), 1.0, &mut variances);
    let of_player = ((means[0] - means[1]) / 2.0).powi(2);
    let total = of_player + variances.iter().sum::<f64>();
    std::iter::once(of_player).chain(variances).map(|variance| variance / total).collect()
}

#[test]
fn additive_shares_equal_those_by_enumeration() {
    let truths = enumerated_shares();
    assert!(truths.iter().filter(|share| **share > 0.02).count() >= 3, "{truths:?}");
    let (text, rows) = shares(random_numbers, 3, 8000);
    assert!(text.contains("that add up to 100 %"), "{text}");
    let names: Vec<_> = rows.iter().map(|(source, _)| source.as_str()).collect();
    assert_eq!(names, ["player", "great", "small", "sign", "bots"]);
    for ((source, share), truth) in rows.iter().zip(truths) {
        // 5 intervals: about 2.6 standard errors instead of 2.
        let slack = 0.3 * (share.high - share.low) / 2.0;
        assert!(
            share.low - slack <= truth && truth <= share.high + slack,
            "{source}: {truth}, {share:?}"
        );
        assert!(share.high - share.low < 0.08, "{source}: {share:?}");
    }
    let sum: f64 = rows.iter().map(|(_, share)| share.value).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{sum}");
}

#[test]
fn intervals_of_additive_shares_have_their_nominal_coverage() {
    const STUDIES: u64 = 200;
    let truths = enumerated_shares();
    let (mut held, mut all) = (0, 0);
    for seed in 0..STUDIES {
        let (_, rows) = shares(random_numbers, seed, 200);
        for ((_, share), truth) in rows.iter().zip(&truths) {
            held += u32::from((share.low..=share.high).contains(truth));
            all += 1;
        }
    }
    let coverage = 100.0 * f64::from(held) / f64::from(all);
    assert!((92.5..=97.5).contains(&coverage), "{coverage} %");
}

/// A bot without random choices has no share, and nothing is left over.
#[test]
fn all_of_the_variance_of_determined_choices_is_chance_and_players() {
    let bots = || (0..2).map(|_| Box::new(Zero) as Box<dyn Bot<Dice>>).collect();
    let (_, rows) = shares(bots, 1, 300);
    assert_eq!((rows[4].0.as_str(), rows[4].1.value), ("bots", 0.0));
    let sum: f64 = rows[..4].iter().map(|(_, share)| share.value).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{rows:?}");

    let folder = Folder::new();
    folder.balance("run", "luck --bots balanced,random --games 360 --shares");
    let rows = folder.rows("run/shares.csv");
    let sources: Vec<_> = rows.iter().map(|row| row["source"].as_str()).collect();
    assert_eq!(sources, ["player", "seats", "boards", "tiles", "buildings", "bots"]);
    let sum: f64 = rows.iter().map(|row| number(row, "share")).sum();
    assert!((sum - 1.0).abs() < 1e-5, "{sum}");
    let page = folder.read("run/report.html");
    let lead = page.split_once("<p class=\"lead\">").unwrap().1;
    assert!(lead.contains("of the variance of the win share lies between the players"));
    // `balanced` wins nearly all games.
    assert!(number(&rows[0], "share") > 0.5, "{rows:?}");
    // Few blocks have no intervals, and therefore no shares.
    let printed = folder.balance("few", "luck --bots balanced --games 200 --shares");
    assert!(printed.contains("too few for shares of the variance"), "{printed}");
    assert!(!printed.contains("[no interval]"), "{printed}");
    assert!(folder.rows("few/shares.csv").iter().all(|row| row["share"].is_empty()));
}

#[test]
fn a_panel_equals_separate_runs_of_its_bots() {
    let folder = Folder::new();
    let rows = |out: &str, bots: &str| {
        let run = format!("balance luck --games 600 {bots} --out {out}");
        let printed = folder.succeeds_quietly(&run);
        let wide = printed.lines().skip(1).find(|line| line.chars().count() > 80);
        assert_eq!(wide, None, "{printed}");
        folder.rows(format!("{out}/luck.csv"))
    };
    let panel = rows("panel", "--panel random,balanced");
    let alone = [rows("random", "--bots random*"), rows("balanced", "--bots balanced*")];
    assert!(alone[0] != alone[1] && panel == alone.concat(), "{panel:?}");
    let page = folder.read("panel/report.html");
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
    let folder = Folder::new();
    let run = |out: &str, threads: &str| {
        let bots = "--bots balanced* --games 3000 --seed 5";
        let run = format!("balance luck {bots} --threads {threads} --out {out}");
        let printed = folder.succeeds_quietly(&run);
        let wide = printed.lines().skip(1).find(|line| line.chars().count() > 80);
        assert_eq!(wide, None, "{printed}");
        (printed, folder.read(format!("{out}/luck.csv")))
    };
    let (printed, table) = run("one", "1");
    assert_eq!((printed.clone(), table.clone()), run("two", "2"));
    assert_eq!(folder.files("one"), ["luck.csv", "report.html", "run.json"]);
    let rows = folder.rows("one/luck.csv");
    // 2 metrics, both seats and overall, the deal, its 4 sources and the bots.
    assert_eq!(rows.len(), 2 * 3 * 6);
    let overall = |metric: &str, source: &str| {
        find_row(&rows, &[("metric", metric), ("scope", "overall"), ("source", source)])
    };
    let total = |metric: &str, source: &str| number(overall(metric, source), "sensitivity");
    for outcome in ["win_share", "score"] {
        assert!(total(outcome, "tiles") > total(outcome, "boards"), "{outcome}");
        assert!((0.2..1.2).contains(&total(outcome, "tiles")), "{outcome}");
    }
    let deal = overall("win_share", "deal");
    let fixed = number(deal, "first_order");
    assert!(
        (fixed - (1.0 - total("win_share", "bots"))).abs() < 2e-6 && (0.4..0.9).contains(&fixed),
        "{deal:?}"
    );
    assert!(printed.contains(&format!("\ndeal       {:.2} [", 100.0 * fixed)), "{printed}");
    let page = folder.read("one/report.html");
    let lead = page.split_once("<p class=\"lead\">").unwrap().1;
    assert!(
        lead.starts_with(&format!(
            "The deal, all chance of the game, explains {:.1} % [",
            100.0 * fixed
        )),
        "{lead:.300}"
    );
    // Total indices are sensitivities and not shares.
    assert!(!page.contains("with its interactions") && !printed.contains("interactions"));
    let columns = "lineup,metric,seat,scope,source,blocks,first_order,first_order_ci_low,";
    assert!(table.starts_with(columns), "{table:.200}");
    folder.refuses("balance luck --games 0", &["--games", "0"]);
    folder.refuses("balance luck --bots balanced,random,random", &["--bots", "2 bots for 2 seats"]);
    folder.refuses("balance luck --panel random,random", &["--panel", "`random` twice"]);
    folder.refuses("balance luck --out one", &["one", "--force"]);
}
