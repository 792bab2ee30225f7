//! Metrics of We All Take from the River by round.

use watershed_common_river::{CommonRiver, state::State};
use watershed_engine::{
    arena::{
        play::{Event, Observer},
        rounds::RoundsCounter,
    },
    game::{ActionSet, Game, Notation, Seat, Statistics, Turn},
    games::GameDefinition,
    rng::{Purpose, random_below, stream},
};

use crate::bots::FILES;

/// Returns the same position with this pollution.
fn polluted(game: &CommonRiver, state: &State, pollution: u32) -> State {
    let loose = match pollution {
        0 => "loose:-".to_owned(),
        1 => "loose:W2=pollution".to_owned(),
        _ => format!("loose:W2=pollution*{pollution}"),
    };
    let text = game.position_text(state);
    let words: Vec<_> = text
        .split(' ')
        .map(|word| if word.starts_with("loose:") { &loose } else { word })
        .collect();
    game.parse_position(&words.join(" ")).unwrap()
}

/// In 3 days the pollution changes at every decision. A day is measured at its last decision, and
/// the last day at the end of the game.
#[test]
fn round_metrics_are_read_after_the_last_decision_of_a_day() {
    let game = CommonRiver::bind(&FILES.default_document(), 1).unwrap();
    let mut state = game.initial();
    let mut rng = stream(1, 0, 0, Purpose::Playout);
    let mut counter = RoundsCounter::new(game.round_metrics().len()).unwrap();
    let pollution = |day: u32, decisions: u32| 10 * day + decisions;
    let mut decisions = [0; 4];
    loop {
        let day = game.round(&state);
        if let Turn::Chance(_) = game.turn(&state) {
            let outcome = game.sample_chance(&state, &mut rng);
            game.apply(&mut state, outcome);
            continue;
        }
        let legal = game.legal_actions(&state);
        if day > 0 {
            decisions[day as usize] += 1;
            let seen = polluted(&game, &state, pollution(day, decisions[day as usize]));
            let seat = Seat::new(0);
            let decision = Event::Decision { seat, legal: &legal, action: legal.nth(0) };
            Observer::<CommonRiver>::on_event(&mut counter, &game, &seen, &decision);
        }
        if day == 3 {
            break;
        }
        game.apply(&mut state, legal.nth(random_below(&mut rng, legal.len() as u32) as usize));
    }
    Observer::<CommonRiver>::on_end(&mut counter, &game, &polluted(&game, &state, 1));
    counter.end_block();
    let tally = counter.into_tally();
    let curve: Vec<_> =
        tally.rounds.iter().map(|ratios| (ratios[0].ratio.n, ratios[0].ratio.x)).collect();
    let last = |day: u32| i64::from(pollution(day, decisions[day as usize]));
    assert_eq!(game.round_metrics()[0].name, "pollution");
    assert_eq!(
        (curve, (tally.end[0].ratio.n, tally.end[0].ratio.x)),
        (vec![(1, last(1)), (1, last(2)), (1, 1)], (1, 1))
    );
}
