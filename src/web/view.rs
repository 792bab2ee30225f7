//! A session as a page shows it.

use std::collections::BTreeSet;

use super::{
    answer::{ActionView, DecidingPart, GameView, LogEntry, ResultsView, SeatView},
    names::PlayerNames,
};
use crate::{
    analysis::named::NamedAction,
    bound::GameSession,
    game::{Seat, Turn},
    protocol::words::join_with_and,
    scene::{Scene, SvgSheet, capitalize},
    session::{Next, Player, Results},
};

/// Describes a session: the present position with its actions, or that of `past`, an earlier
/// state of the session, without actions. `own` is the seat of the person in a shared game.
pub(super) fn of_session(
    session: &GameSession,
    past: Option<&GameSession>,
    log_from: usize,
    own: Option<Seat>,
) -> GameView {
    let shown = past.unwrap_or(session);
    let viewer = viewer(session, own);
    let person = own.or_else(|| only_person(session));
    let names = &PlayerNames::new(session.setup(), person);
    let scene = shown.scene(viewer);
    let turn = names.insert_into(&address(&scene.turn, person));
    let scene = names.insert_into_scene(scene);
    let cells: BTreeSet<&str> = scene.ids().collect();
    let next = match session.next() {
        Next::Person(seat) if own.is_some_and(|own| own != seat) => "other_person",
        Next::Person(_) => "person",
        Next::EnteredChance => "entered_chance",
        Next::Bot(_) => "bot",
        Next::DrawnChance => "drawn_chance",
        Next::Over => "over",
    };
    let is_chosen = past.is_none() && matches!(next, "person" | "entered_chance");
    let actions = if is_chosen { session.actions() } else { Vec::new() };
    let action_cells = if is_chosen { session.action_cells() } else { Vec::new() };
    let actions = actions.into_iter().zip(action_cells).map(|(action, mut of_action)| {
        of_action.retain(|cell| cells.contains(&**cell));
        let NamedAction { notation, label } = action;
        ActionView { action: notation, label: names.insert_into(&label), cells: of_action }
    });
    let events = session.events();
    let first = log_from.min(events);
    let pending = if is_chosen { session.pending() } else { Vec::new() };
    let is_over = next == "over";
    let turn = match &pending[..] {
        [] => turn,
        chosen => format!("{turn} Chosen: {}. Choose the rest.", chosen.join(", ")),
    };
    GameView {
        game: session.setup().game.clone(),
        seed: if own.is_some() && !is_over {
            String::new()
        } else {
            session.setup().seed.to_string()
        },
        is_set_up: session.is_set_up(),
        is_shared: own.is_some(),
        enters_chance: session.setup().chance == crate::session::ChanceOrigin::Entered,
        seats: seats(session, names),
        heading: scene.title.clone(),
        turn,
        events,
        pending: pending.len(),
        next,
        decider: match shown.turn() {
            Turn::Seat(seat) => Some(seat.index()),
            Turn::Chance(_) | Turn::Over => None,
        },
        viewer: viewer.map(Seat::index),
        rules: if log_from == 0 { session.rules_in_short() } else { Vec::new() },
        board: draw(&scene),
        actions: actions.collect(),
        log_from: first,
        log: (first..events).map(|event| log_entry(session, event, viewer, names)).collect(),
        can_undo: if own.is_some() { !pending.is_empty() } else { session.can_undo() },
        can_redo: own.is_none() && session.can_redo(),
        results: session.results().map(|results| ResultsView {
            sentence: results_sentence(&results, names),
            decided: DecidingPart::of(&results, names.person),
            results,
        }),
        ..GameView::default()
    }
}

/// Returns the seat from whose view a session is shown; `None` if nothing is hidden.
pub(super) fn viewer(session: &GameSession, own: Option<Seat>) -> Option<Seat> {
    if session.next() == Next::Over { None } else { own.or_else(|| session.viewer()) }
}

/// Draws a position as HTML.
pub(super) fn draw(scene: &Scene) -> String {
    let mut sheet = SvgSheet::interactive();
    let figure = sheet.figure(scene);
    sheet.definitions() + &figure
}

fn seats(session: &GameSession, names: &PlayerNames) -> Vec<SeatView> {
    let players = session.setup().players.iter().enumerate();
    let seat = |(index, player): (usize, &Player)| SeatView {
        player: player.name().to_owned(),
        name: names.of(index).to_owned(),
        is_open: false,
    };
    players.map(seat).collect()
}

/// Returns the seat of the only person, whom texts address; `None` if there are several or none.
pub(crate) fn only_person(session: &GameSession) -> Option<Seat> {
    let players = session.setup().players.iter().enumerate();
    let mut people = players.filter(|(_, player)| matches!(player, Player::Person));
    let (seat, _) = people.next()?;
    people.next().is_none().then(|| Seat::new(seat))
}

/// Addresses a sentence on the turn of a person to that person: `Player 1 places a pioneer.`
/// becomes `Your turn: place a pioneer.`
fn address(sentence: &str, person: Option<Seat>) -> String {
    let name = person.map(|seat| format!("Player {} ", seat.index() + 1));
    let Some(deed) = name.and_then(|name| sentence.strip_prefix(&*name)) else {
        return sentence.to_owned();
    };
    let mut is_verb = true;
    let words = deed.split(' ').map(|word| {
        let addressed = match word {
            "may" if is_verb => "you may".to_owned(),
            "its" => "your".to_owned(),
            "it" => "you".to_owned(),
            verb if is_verb => imperative(verb),
            other => other.to_owned(),
        };
        is_verb = word == "or";
        addressed
    });
    format!("Your turn: {}", words.collect::<Vec<_>>().join(" "))
}

/// Returns the imperative of a verb in the third person, with the punctuation that follows it.
fn imperative(verb: &str) -> String {
    let letters = verb.trim_end_matches(|letter: char| !letter.is_alphabetic());
    let end = &verb[letters.len()..];
    let hisses = |stem: &&str| stem.ends_with("ss") || stem.ends_with("ch");
    let stem = letters.strip_suffix("es").filter(hisses);
    let stem = stem.or_else(|| letters.strip_suffix('s')).unwrap_or(letters);
    format!("{stem}{end}")
}

fn log_entry(
    session: &GameSession,
    index: usize,
    viewer: Option<Seat>,
    names: &PlayerNames,
) -> LogEntry {
    let mut steps = session.rule_steps(index, names.person);
    names.insert_into_all(&mut steps);
    LogEntry {
        seat: session.event(index).0.map(Seat::index),
        text: event_text(session, index, viewer, names),
        steps,
        hidden: is_hidden(session, index, viewer),
    }
}

fn is_hidden(session: &GameSession, index: usize, viewer: Option<Seat>) -> bool {
    viewer.is_some_and(|viewer| session.is_secret(index, viewer))
}

/// Returns an event in words, as a seat sees it, with who made it.
pub(crate) fn event_text(
    session: &GameSession,
    index: usize,
    viewer: Option<Seat>,
    names: &PlayerNames,
) -> String {
    let (seat, label) = session.event(index);
    let label = if is_hidden(session, index, viewer) { "hidden" } else { &label };
    let who = seat.map_or("chance", |seat| names.of(seat.index()));
    format!("{}: {}", capitalize(who), names.insert_into(label))
}

/// Returns the sentence on the winners of a finished game.
pub(crate) fn results_sentence(results: &Results, names: &PlayerNames) -> String {
    let Results { scores, winners, shortfall, are_scores_progress, .. } = results;
    let list = |seats: &[usize]| {
        join_with_and(seats.iter().map(|&seat| names.of(seat)).collect::<Vec<_>>())
    };
    let own = names.person.map(Seat::index).filter(|_| scores.len() > 1);
    match (&winners[..], shortfall, own) {
        ([], Some(missing), _) => format!("Nobody wins. Not enough: {missing}."),
        ([], None, _) => "Nobody wins.".to_owned(),
        (_, _, Some(own)) => {
            let is_won = winners.contains(&own);
            let is_alone = is_won && winners.len() == 1;
            let others = (0..scores.len()).filter(|seat| is_alone || winners.contains(seat));
            let others: Vec<_> = others.filter(|&seat| seat != own).collect();
            let unit = if *are_scores_progress { " %" } else { "" };
            let points =
                std::iter::once(&own).chain(&others).map(|&seat| format!("{}{unit}", scores[seat]));
            let points = points.collect::<Vec<_>>().join(" : ");
            let (deed, relation) = match (is_won, is_alone) {
                (true, true) => ("won", "against"),
                (true, false) => ("won", "with"),
                _ => ("lost", "to"),
            };
            format!("You {deed} {points} {relation} {}.", list(&others))
        }
        ([one], ..) if names.of(*one) == "you" => "You win.".to_owned(),
        ([one], ..) => format!("The winner is {}.", names.of(*one)),
        (several, ..) => format!("The winners are {}.", list(several)),
    }
}

impl DecidingPart {
    /// Returns the part of the scores that separates a person most from the winner, or from the
    /// next one; `None` without one.
    pub(crate) fn of(results: &Results, person: Option<Seat>) -> Option<Self> {
        let Results { scores, winners, breakdown, are_scores_progress, .. } = results;
        let own = person?.index();
        let is_won = winners.contains(&own);
        let rivals = (0..scores.len()).filter(|seat| *seat != own);
        let rivals = rivals.filter(|seat| is_won || winners.contains(seat));
        let rival = rivals.max_by_key(|&seat| scores[seat])?;
        let points = |part: &str| [own, rival].map(|seat| breakdown[seat].get(part).unwrap_or(&0));
        let lead = |part: &str| {
            let [own, rival] = points(part);
            if is_won { own - rival } else { rival - own }
        };
        let parts = breakdown[own].keys().rev();
        let part = parts.max_by_key(|part| lead(part)).filter(|_| breakdown[own].len() > 1)?;
        let is_told = !are_scores_progress && scores[own] != scores[rival];
        is_told.then(|| Self {
            part: part.clone(),
            points: points(part).map(i32::to_string).join(" : "),
        })
    }
}
