//! Rivers, floods and the weather (rules §1 and §5).

use watershed::game::{Game, Turn};

use super::{apply_all, bind, first_day, loose, slots, with, word};

// §1 and §5.

#[test]
fn the_river_dies_with_the_last_slot_of_the_estuary() {
    let game = bind("", 1);
    let state = first_day(&game, "drought", &["R5"]);
    let slots = slots(&game, &state, &["W5=pollution+pollution+fish", "L5=tree+pollution"]);
    let state = with(&game, &state, &[&slots, "loose:W4=pollution", "0.stock:fish*20,gold*9"]);
    assert!(game.outcome(&state).scores[0] > 0);
    // The arriving pollution fills an empty slot on land, or else displaces the last fish to the
    // sea.
    for (land, dies) in [("R5=tree+gravel", true), ("R5=tree+-", false)] {
        let slots = self::slots(&game, &state, &[land]);
        let mut state = with(&game, &state, &[&slots]);
        apply_all(&game, &mut state, &["d6:1"]);
        assert_eq!(game.turn(&state) == Turn::Over, dies, "{land}");
        if dies {
            let outcome = game.outcome(&state);
            assert_eq!((outcome.winners, outcome.scores[0], outcome.rounds), (0, 0, 1));
        }
    }
}

#[test]
fn loose_pollution_flows_past_the_slots_of_its_row() {
    let game = bind("", 1);
    let state = first_day(&game, "drought", &["R3"]);
    // The slot of R2 is filled before that of L2, which is lower, and both before that of W2.
    for (land, expected) in [
        (["L2=tree+-", "R2=-+tree", "W2=fish+-"], ["L2=tree+-", "R2=pollution+tree", "W2=fish+-"]),
        (
            ["L2=tree+-", "R2=tree+tree", "W2=fish+-"],
            ["L2=tree+pollution", "R2=tree+tree", "W2=fish+-"],
        ),
        (
            ["L2=tree+tree", "R2=tree+tree", "W2=fish+-"],
            ["L2=tree+tree", "R2=tree+tree", "W2=fish+pollution"],
        ),
    ] {
        let slots = slots(&game, &state, &["W1=fish+-", land[0], land[1], land[2]]);
        let mut state = with(&game, &state, &[&slots, "loose:W1=pollution", "0.stock:-"]);
        apply_all(&game, &mut state, &["d6:1"]);
        let slots = word(&game, &state, "slots");
        assert!(slots.contains("W1=fish+-,"), "{slots}");
        assert!(
            expected.iter().all(|tile| slots.contains(&format!("{tile},"))),
            "{expected:?}: {slots}"
        );
        assert_eq!(word(&game, &state, "loose"), "-");
    }
}

#[test]
fn loose_fish_fill_slots_of_their_row_and_pollution_fills_the_next_row_first() {
    let game = bind("", 1);
    let state = first_day(&game, "drought", &["R3"]);
    let slots = slots(&game, &state, &["W1=-+-", "W2=fish+-"]);
    let mut state = with(&game, &state, &[&slots, "loose:W1=fish*3+pollution", "0.stock:-"]);
    apply_all(&game, &mut state, &["d6:1"]);
    let slots = word(&game, &state, "slots");
    assert!(slots.contains("W1=fish+fish,W2=fish+pollution,"), "{slots}");
    assert_eq!(word(&game, &state, "loose"), "W3=fish");
}

#[test]
fn on_a_storm_day_loose_pollution_flows_up_and_returns_the_next_day() {
    let game = bind(DRY_STORM, 1);
    let state = first_day(&game, "storm", &["R1"]);
    let slots = slots(&game, &state, &["W1=fish+-", "W2=fish+-", "L2=tree+-"]);
    let mut state = with(&game, &state, &[&slots, "loose:W2=pollution*2", "0.stock:-"]);
    // The land of row 1 is full: the first pollution enters W1, and the second is loose there.
    apply_all(&game, &mut state, &["d6:1", "stop"]);
    let after = word(&game, &state, "slots");
    assert!(
        after.contains("W1=fish+pollution,W2=fish+-,") && after.contains("L2=tree+-,"),
        "{after}"
    );
    assert_eq!(
        (word(&game, &state, "loose"), word(&game, &state, "phase")),
        ("W1=pollution".to_owned(), "night".to_owned())
    );
    // W1 has an empty slot when the next day begins; the loose pollution flows past it to L2.
    let slots = self::slots(&game, &state, &["W1=fish+-"]);
    let mut state = with(&game, &state, &[&slots]);
    apply_all(&game, &mut state, &["weather:sun", "d6:1", "stop"]);
    let after = word(&game, &state, "slots");
    assert!(
        after.contains("W1=fish+-,W2=fish+-,") && after.contains("L2=tree+pollution,"),
        "{after}"
    );
    assert_eq!(word(&game, &state, "loose"), "-");
}

/// A Storm without rain, so that nothing grows on its day or the next.
const DRY_STORM: &str = r#"weather = [
    { id = "storm", modifier = -9, count = 1, storm = true },
    { id = "sun", modifier = -1, count = 10 },
    { id = "rain", modifier = 1, count = 1 },
]"#;

#[test]
fn the_city_pollutes_a_dry_row_if_the_data_file_says_so() {
    for (switch, eyes, pollution) in [
        ("rules.city_pollutes_dry = false", "d6:4", ""),
        ("rules.city_pollutes_dry = true", "d6:4", "pollution"),
        ("rules.city_pollutes_dry = true", "d6:1", "pollution"),
    ] {
        // The water in row 3 is 0 or -3.
        let game = bind(switch, 1);
        let state = first_day(&game, "drought", &["R3"]);
        let slots = slots(&game, &state, &["L3="]);
        let mut state = with(&game, &state, &[&slots, "city:L3/complete", "0.farms:R3"]);
        apply_all(&game, &mut state, &[eyes]);
        assert_eq!(
            (loose(&game, &state, "W3"), state.row()),
            (pollution.to_owned(), 2),
            "{switch}, {eyes}"
        );
        assert_eq!(
            word(&game, &state, "0.stock"),
            "fish,gravel,tree",
            "the farm needs water whatever the switch says"
        );
    }
    for switch in ["rules.city_pollutes_dry = false", "rules.city_pollutes_dry = true"] {
        let game = bind(switch, 1);
        let state = first_day(&game, "overcast", &["R3"]);
        let slots = slots(&game, &state, &["L3=", "W3=-+-"]);
        let mut state = with(&game, &state, &[&slots, "city:L3/complete"]);
        apply_all(&game, &mut state, &["d6:1"]);
        assert_eq!(state.pollution(), 1, "once a day where there is water: {switch}");
    }
}

#[test]
fn the_net_nearer_the_top_collects_first() {
    let game = bind("", 2);
    let state = first_day(&game, "drought", &["R5", "L5"]);
    let mut state = with(
        &game,
        &state,
        &["loose:W1=gravel*2+tree", "nets:L1=0,R1=1", "0.stock:-", "1.stock:-"],
    );
    apply_all(&game, &mut state, &["d6:1", "net:tree"]);
    assert_eq!(
        (word(&game, &state, "0.stock"), word(&game, &state, "1.stock")),
        ("-".to_owned(), "tree".to_owned())
    );
    assert_eq!(game.chance_outcomes(&state).len(), 1, "a sure draw is recorded too");
    let protected = with(
        &game,
        &first_day(&game, "drought", &["R5", "L5"]),
        &["loose:W1=gravel*2", "nets:L1=0,R1=1", "protected:W1"],
    );
    let mut state = protected;
    apply_all(&game, &mut state, &["d6:1"]);
    assert_eq!(state.row(), 4, "nets on a line below a protected tile catch nothing");
}
