//! The answer so far, shown before the analysis is complete.

use crate::{
    analysis::{
        hint::percent,
        judge::{JudgedAction, PositionAnalysis},
    },
    bound::GamePosition,
    report::text::wrap,
    study::shared::prelude::*,
};

/// Maximum number of actions.
const MAX_ACTIONS: usize = 5;

/// Returns the ranking of the actions by the search and an empty line; `None` if nothing was
/// searched.
pub(super) fn first_answer(
    position: &GamePosition<'_>,
    analysis: &PositionAnalysis<AnyAction>,
) -> Option<String> {
    let search = analysis.search.as_ref()?;
    let described = |judged: &JudgedAction<AnyAction>| {
        let action = position.name(judged.action).label;
        let chance = judged.chances?[analysis.seat.index()];
        Some(format!("“{}” {}", escape_name(&action), percent(chance, 0)))
    };
    let ranked: Vec<_> = analysis.ranked().take(MAX_ACTIONS).filter_map(described).collect();
    let kind = if analysis.is_calibrated { "calibrated win chances" } else { "mean rewards" };
    let text = format!(
        "First answer, by {} iterations ({kind}): {}. The complete answer follows.",
        search.iterations,
        ranked.join(", ")
    );
    Some(wrap(&text, TEXT_WIDTH).join("\n") + "\n\n")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step ends the test")]
mod tests {
    use super::*;
    use crate::{
        analysis::{judge::Analyst, watch::AnalysisWatch},
        games::{BuiltInGame as _, the_river::TheRiver},
        session::{ChanceOrigin, Next, Player, Setup},
    };

    #[test]
    fn ranks_the_actions_of_the_search() {
        let files = TheRiver::FILES;
        let game = crate::games::built_in_games().find("the_river").unwrap();
        let game = game.open(&files.default_document(), 2).unwrap();
        let search = game.library().read("mcts:iterations=200").unwrap();
        let policy = game.library().read("random").unwrap();
        let mut session = game.new_session(Setup {
            game: game.id().to_owned(),
            config_sha256: String::new(),
            players: vec![Player::Person; 2],
            seed: 1,
            chance: ChanceOrigin::Drawn,
        });
        session.advance();
        let Next::Person(seat) = session.next() else { panic!("a person decides") };
        let analyst = Analyst {
            search: &search,
            after: None,
            policy: &policy,
            rollouts: 0,
            candidates: 3,
            seed: 1,
        };
        let position = game.parse_view(&session.position_text(Some(seat))).unwrap();
        let watch = AnalysisWatch::new(None);
        let analysis = position.analyse_watched(&analyst, seat, &[], &watch, &|_| ()).unwrap();
        let text = first_answer(&position, &analysis).unwrap();
        let chosen = &analysis.actions[0];
        assert!(analysis.ranked().all(|judged| judged.visits / 5 <= chosen.visits));
        let unwrapped = text.replace('\n', " ");
        let label = |action| position.name(action).label;
        let place = |judged: &JudgedAction<AnyAction>| unwrapped.find(&label(judged.action));
        let first = place(chosen).unwrap();
        assert!(analysis.ranked().filter_map(place).all(|place| place >= first), "{text}");
        assert!(text.starts_with("First answer, by 200 iterations ("), "{text}");
        assert!(unwrapped.ends_with(". The complete answer follows.  "), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= TEXT_WIDTH), "{text}");
    }
}
