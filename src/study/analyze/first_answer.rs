//! The answer of the search, shown before the rollouts are played.

use crate::{
    analysis::judge::{JudgedAction, MIN_VISITS, PositionAnalysis},
    game::FullGame,
    report::text::{escape_name, wrap},
};

/// Maximum width of the text.
const WIDTH: usize = 80;
/// Maximum number of actions.
const MAX_ACTIONS: usize = 5;

/// Returns the ranking of the actions by the search and an empty line; `None` if nothing was
/// searched.
pub(super) fn first_answer<G: FullGame>(
    game: &G,
    analysis: &PositionAnalysis<G::Action>,
) -> Option<String> {
    let search = analysis.search.as_ref()?;
    let ranked = analysis.actions.iter().filter(|judged| judged.visits >= MIN_VISITS);
    let described = |judged: &JudgedAction<G::Action>| {
        let action = game.action_label(judged.action);
        let chance = judged.chances?[analysis.seat.index()];
        Some(format!("“{}” {:.0} %", escape_name(&action), 100.0 * chance))
    };
    let ranked: Vec<_> = ranked.take(MAX_ACTIONS).filter_map(described).collect();
    let kind = if analysis.is_calibrated { "calibrated win chances" } else { "mean rewards" };
    let text = format!(
        "First answer, by {} iterations ({kind}): {}. The complete answer follows.",
        search.iterations,
        ranked.join(", ")
    );
    Some(wrap(&text, WIDTH).join("\n") + "\n\n")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step ends the test")]
mod tests {
    use super::*;
    use crate::{
        analysis::judge::Analyst,
        game::{ActionSet as _, Game as _, Notation as _, Turn},
        games::{GameDefinition as _, the_river::TheRiver},
    };

    #[test]
    fn ranks_the_actions_of_the_search() {
        let game = TheRiver::bind(&TheRiver::default_document(), 2).unwrap();
        let library = game.bot_library();
        let search = library.read("mcts:iterations=200").unwrap();
        let policy = library.read("random").unwrap();
        let mut state = game.initial();
        let seat = loop {
            let legal = game.legal_actions(&state);
            let action = match game.turn(&state) {
                Turn::Seat(seat) if legal.len() > 1 => break seat,
                Turn::Seat(_) => legal.nth(0),
                _ => game.chance_outcomes(&state)[0].0,
            };
            game.apply(&mut state, action);
        };
        let analyst =
            Analyst { search: &search, policy: &policy, rollouts: 4, candidates: 3, seed: 1 };
        let mut text = String::new();
        let analysis = analyst.analyse_in_steps(&game, &state, seat, &[], |found| {
            assert!(found.actions.iter().all(|judged| judged.rollouts.is_none()));
            text = first_answer(&game, found).unwrap();
        });
        assert!(analysis.actions[0].rollouts.is_some());
        let ranked = analysis.actions.iter().filter(|judged| judged.visits >= MIN_VISITS);
        let most_visited = ranked.clone().max_by_key(|judged| judged.visits).unwrap();
        let unwrapped = text.replace('\n', " ");
        let place = |judged: &JudgedAction<_>| unwrapped.find(&game.action_label(judged.action));
        let first = place(most_visited).unwrap();
        assert!(ranked.filter_map(place).all(|place| place >= first), "{text}");
        assert!(text.starts_with("First answer, by 200 iterations ("), "{text}");
        assert!(text.ends_with(" The complete answer follows.\n\n"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
    }
}
