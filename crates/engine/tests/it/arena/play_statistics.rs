//! Items by round, and leads, counted again from records.

use std::collections::{BTreeMap, BTreeSet};

use watershed::BuiltInGame;
use watershed::{
    Experiment, Seat,
    arena::{
        play_statistics::{LEADS, PlayStatistics, lead_limits},
        record::{Record, replay},
    },
    game::{ItemEvent, ItemId, Outcome, ReportedSeats, Turn, UNITS_PER_WIN},
    games::{
        GameDefinition, common_river::CommonRiver, glassworks::Glassworks, the_river::TheRiver,
    },
};

/// Number of observations, those with the item, and the win shares of these.
type Counts = [i64; 3];

/// What the statistics count, in plain maps.
#[derive(PartialEq, Eq, Debug, Default)]
struct Counted {
    /// By item and round.
    items: BTreeMap<(usize, usize), Counts>,
    /// By round and class of the lead: seats and win shares.
    leads: BTreeMap<(usize, usize), [i64; 2]>,
}

fn play<G: BuiltInGame>(game: &G, bot: &str) -> (Vec<Record>, PlayStatistics) {
    let lineup = vec![game.bot_library().read(bot).unwrap(); game.seats()];
    let experiment =
        Experiment { records: true, play_statistics: true, ..Experiment::new(&lineup, 3, 0..30) };
    let (mut lines, mut statistics) = (String::new(), PlayStatistics::default());
    let add = |batch: watershed::arena::run::BlockBatch| {
        lines += &batch.records.concat();
        watershed::stats::Merge::merge(&mut statistics, &batch.tally.play);
        Ok::<_, watershed::ConfigError>(())
    };
    experiment.run(game, &false.into(), &|_| (), add).unwrap();
    let records = lines.lines().map(|line| serde_json::from_str(line).unwrap());
    (records.collect(), statistics)
}

fn lead_of(outcome: &Outcome, seats: usize, seat: usize) -> i32 {
    let others = (0..seats).filter(|&other| other != seat);
    outcome.scores[seat] - others.map(|other| outcome.scores[other]).max().unwrap()
}

/// Counts a record event by event.
fn count<G: BuiltInGame>(game: &G, record: &Record, counted: &mut Counted) {
    let catalog = game.catalog();
    let is_compared =
        |item: &ItemId| catalog.table(*item).reported_seats == ReportedSeats::TakersAndNonTakers;
    let mut available = BTreeSet::new();
    let mut taken = BTreeSet::new();
    let mut leads = Vec::new();
    let mut last_round = 0;
    let step = |_, state: &G::State, action| {
        let round = game.round(state);
        if round != last_round && last_round > 0 && game.seats() > 1 {
            let standing = game.outcome(state);
            let seats = 0..game.seats();
            leads.extend(
                seats.map(|seat| (last_round, seat, lead_of(&standing, game.seats(), seat))),
            );
        }
        last_round = round;
        let mut take = |event| {
            if let ItemEvent::Taken(seat, item) = event {
                taken.insert((item, round, seat));
            }
        };
        match game.turn(state) {
            Turn::Chance(_) => game.item_events(state, action, take),
            Turn::Seat(seat) => {
                let legal = game.legal_actions(state);
                let mut offered = BTreeSet::new();
                game.items_available(&legal, |item| _ = offered.insert(item));
                offered.retain(is_compared);
                available.extend(offered.iter().map(|&item| (item, round, seat)));
                game.decision_events(state, seat, &legal, action, &mut take);
            }
            Turn::Over => {}
        }
    };
    let end = replay(game, record, step).unwrap();
    let outcome = game.outcome(&end);
    let wins = |seat: Seat| outcome.win_share(seat);
    let add = |counts: &mut Counts, is_taken: bool, seat: Seat| {
        counts[0] += 1;
        counts[1] += i64::from(is_taken);
        counts[2] += if is_taken { wins(seat) } else { 0 };
    };
    for (item, round, seat) in available {
        let counts = counted.items.entry((item.index(), round as usize)).or_default();
        add(counts, taken.contains(&(item, round, seat)), seat);
    }
    count_leads(&leads, &outcome, counted);
}

/// Counts the leads of a game: round, seat and lead of each.
fn count_leads(leads: &[(u32, usize, i32)], outcome: &Outcome, counted: &mut Counted) {
    for &(round, seat, lead) in leads {
        let class = (0..LEADS).find(|&class| {
            let [low, high] = lead_limits(class);
            low.is_none_or(|low| low <= lead) && high.is_none_or(|high| lead <= high)
        });
        let sums = counted.leads.entry((round as usize, class.unwrap())).or_default();
        sums[0] += 1;
        sums[1] += outcome.win_share(Seat::new(seat));
    }
}

fn counted_by_run(statistics: &PlayStatistics) -> Counted {
    let counts = |tally: &watershed::arena::play_statistics::TakenTally| {
        assert_eq!(tally.taken.x, tally.wins.treatment.n);
        assert_eq!(tally.taken.n, tally.wins.treatment.n + tally.wins.control.n);
        [tally.taken.n, tally.taken.x, tally.wins.treatment.x]
    };
    let mut items = BTreeMap::new();
    for (round, tallies) in statistics.items.iter().enumerate() {
        let seen = tallies.iter().enumerate().filter(|(_, tally)| tally.taken.n > 0);
        items.extend(seen.map(|(item, tally)| ((item, round), counts(tally))));
    }
    let mut leads = BTreeMap::new();
    for (classes, round) in statistics.leads.iter().zip(1..) {
        let seen = classes.iter().enumerate().filter(|(_, wins)| wins.n > 0);
        leads.extend(seen.map(|(class, wins)| ((round, class), [wins.n, wins.x])));
    }
    Counted { items, leads }
}

fn check<G: BuiltInGame>(game: &G, bot: &str) {
    let (records, statistics) = play(game, bot);
    let mut counted = Counted::default();
    for record in &records {
        count(game, record, &mut counted);
    }
    let found = counted_by_run(&statistics);
    assert_eq!(found.items, counted.items, "{}", G::ID);
    assert_eq!(found.leads, counted.leads, "{}", G::ID);
    assert!(found.items.len() > 10, "{}", G::ID);
    let wins: i64 = found.items.values().map(|counts| counts[2]).sum();
    // A single player of We All Take from the River rarely wins.
    assert!(wins > UNITS_PER_WIN || game.seats() == 1, "{}", G::ID);
    assert_eq!(found.leads.is_empty(), game.seats() == 1);
    let text = serde_json::to_string(&statistics).unwrap();
    assert_eq!(serde_json::from_str::<PlayStatistics>(&text).unwrap(), statistics);
}

#[test]
fn statistics_for_players_are_those_of_the_records() {
    check(&TheRiver::bind(&TheRiver::default_document(), 3).unwrap(), "balanced");
    check(&Glassworks::bind(&Glassworks::default_document(), 2).unwrap(), "balanced");
    check(&CommonRiver::bind(&CommonRiver::default_document(), 1).unwrap(), "balanced");
    check(&CommonRiver::bind(&CommonRiver::default_document(), 2).unwrap(), "balanced");
}
