//! The analysis as terminal text.

use std::fmt::Write as _;

use crate::{
    analysis::{
        hint::percent,
        judge::{CLOSE, JudgedAction, MIN_VISITS},
        named::NamedAction,
    },
    protocol::review::player,
    report::{
        html::join_with,
        text::{action_words, provenance_line},
    },
    study::shared::{analysis_report::AnalysisReport, fitted_games::fitted_games, prelude::*},
};

/// Width of the columns of visits and chances.
const NUMBER_WIDTH: usize = 9;
/// Maximum number of actions that stand beside the best one if the searches do not decide.
const MAX_LEADERS: usize = 3;
/// Win chance below which a game is lost, and above whose complement it is won.
const DECIDED: f64 = 0.02;
/// Maximum number of actions of the expected line.
const MAX_LINE: usize = 8;

impl AnalysisReport<'_> {
    /// Returns the text: the answer, the seats, the actions, the reasons, and the expected line.
    pub(super) fn text(&self, title: &str, provenance: &Claim) -> String {
        let Self { task, analysis, .. } = self;
        let position = &task.decision.position;
        let mut text = paragraph(&format!(
            "{title}, {}, round {}: {} decides among {}.",
            format_count(position.seats(), "player"),
            position.round(),
            player(analysis.seat.index()),
            format_count(analysis.legal, "action"),
        ));
        text += &paragraph(&self.answer());
        text += &provenance_line(provenance);
        text.push('\n');
        text += &self.seats_text();
        text.push('\n');
        text += &self.actions_text();
        for reason in &self.reasons {
            text += &self.reason_text(reason);
        }
        text.push('\n');
        text += &self.line_text();
        text += &paragraph(&self.method());
        text
    }

    /// Returns an action in words, with its notation.
    fn words(&self, action: AnyAction) -> String {
        let NamedAction { notation, label } = self.task.decision.position.name(action);
        escape_name(&action_words(&label, &notation)).into_owned()
    }

    /// Returns an action in words, as a part of a sentence.
    fn quoted(&self, action: AnyAction) -> String {
        format!("“{}”", escape_name(&self.task.decision.position.name(action).label))
    }

    /// Returns the sentence with the best action, or those between which the searches do not
    /// decide.
    fn answer(&self) -> String {
        let Self { analysis, .. } = self;
        let best = &analysis.actions[0];
        let leaders = analysis.leaders();
        let chance = best.best_chances().map(|chances| chances[analysis.seat.index()]);
        let is_decided = chance.is_some_and(|chance| !(DECIDED..=1.0 - DECIDED).contains(&chance));
        let mut sentence = if let [only] = leaders[..] {
            format!("Best: {}.", self.words(only.action))
        } else {
            let others = leaders[1..].iter().take(MAX_LEADERS).map(|one| self.quoted(one.action));
            let others = [self.words(best.action)].into_iter().chain(others).collect::<Vec<_>>();
            let lead = if is_decided { "The game is decided, whichever it is" } else { "Not sure" };
            format!("{lead}: {}.", join_with(&others, "or"))
        };
        if analysis.legal == 1 {
            return sentence + " It is the only legal action.";
        }
        if let Some(chance) = chance {
            let _ = write!(
                sentence,
                " {} wins {} with {}.",
                capitalize(&player(analysis.seat.index())),
                percent(chance, 0),
                match leaders.len() {
                    1 => "it",
                    2 => "the first; the other is within 2 points",
                    _ => "the first; the others are within 2 points",
                },
            );
        }
        sentence += &self.check_sentence();
        if let Some(played) = self.task.decision.played {
            sentence += &self.played_sentence(played);
        }
        sentence
    }

    /// Returns the sentences on what the searches after the candidates decided.
    fn check_sentence(&self) -> String {
        let Self { analysis, .. } = self;
        let mut sentence = String::new();
        if let Some(rejected) = analysis.rejected {
            let _ = write!(
                sentence,
                " The first search chose {}, but searches after both are against it.",
                self.quoted(rejected)
            );
        }
        let worse = analysis.worse();
        if !worse.is_empty() {
            let _ = write!(
                sentence,
                " {} more than 2 points worse.",
                match worse.len() as u64 {
                    1 => "1 other candidate is".to_owned(),
                    count => format!("{count} other candidates are"),
                }
            );
        }
        if analysis.is_stable == Some(false) && analysis.leaders().len() < 2 {
            sentence += " Two analyses with other seeds still differ with the largest budget.";
        }
        sentence
    }

    fn played_sentence(&self, played: AnyAction) -> String {
        let Self { analysis, .. } = self;
        let text = self.quoted(played);
        let found = analysis.actions.iter().find(|judged| judged.action == played);
        match found.and_then(|judged| analysis.difference(judged)) {
            _ if played == analysis.actions[0].action => " It was played.".to_owned(),
            Some(difference) => format!(
                " Played was {text}: {}.",
                Unit::PercentagePoints.format_estimate(effect_estimate(difference))
            ),
            None => format!(" Played was {text}."),
        }
    }

    /// Returns the table of the seats.
    fn seats_text(&self) -> String {
        let best = &self.analysis.actions[0];
        let mut text = format!("{:<12}{:>10}", "", "chance");
        if best.rollouts.is_some() {
            let _ = write!(text, "  final score in games of {}", self.task.policy.name());
        }
        text.push('\n');
        let chances = best.best_chances();
        for seat in (0..self.task.decision.position.seats()).map(Seat::new) {
            let chance =
                chances.map_or_else(|| "-".to_owned(), |chances| percent(chances[seat.index()], 1));
            let _ = write!(text, "{:<12}{chance:>10}", player(seat.index()));
            if let Some(rollouts) = &best.rollouts {
                let score = Unit::Decimals(1).format_estimate(rollouts.score(seat));
                let _ = write!(text, "  {score}");
            }
            text.push('\n');
        }
        text
    }

    /// Returns the table of the actions.
    fn actions_text(&self) -> String {
        let Self { analysis, .. } = self;
        let is_compared = analysis.actions[0].after.is_some();
        let mut text = format!("{:>NUMBER_WIDTH$}{:>NUMBER_WIDTH$}", "visits", "chance");
        if is_compared {
            text += "  difference to the best, points";
        }
        text.push('\n');
        let is_shown = |judged: &&JudgedAction<_>| !is_compared || judged.after.is_some();
        let shown: Vec<_> = analysis.ranked().filter(is_shown).collect();
        for (index, judged) in shown.iter().enumerate() {
            text += &paragraph(&self.words(judged.action));
            let chance = judged.best_chances().map_or_else(
                || "-".to_owned(),
                |chances| percent(chances[analysis.seat.index()], 1),
            );
            let visits = group_digits(judged.visits);
            let mut line = format!("{visits:>NUMBER_WIDTH$}{chance:>NUMBER_WIDTH$}");
            match analysis.difference(judged) {
                Some(_) if index == 0 => line += "  the best",
                Some(difference) => {
                    let shown = Unit::PercentagePoints.format_estimate(effect_estimate(difference));
                    let mark = if difference.value < -CLOSE { "" } else { "  close" };
                    let _ = write!(line, "  {}{mark}", shown.replace(" pp", ""));
                }
                None => {}
            }
            if self.task.decision.played == Some(judged.action) {
                line += "  played";
            }
            text += &line;
            text.push('\n');
        }
        let untried = analysis.legal.saturating_sub(analysis.ranked().count());
        if untried > 0 {
            let _ = writeln!(
                text,
                "{} with fewer than {MIN_VISITS} visits or 1 %: tried too little to rank",
                format_count(untried, "other action")
            );
        }
        if is_compared {
            text += "[95 % interval] by searches after each; close: within 2 points of the best\n";
        }
        text
    }

    /// Returns the reason for the best action, or against another one.
    fn reason_text(&self, (action, reason): &(AnyAction, String)) -> String {
        let is_best = *action == self.analysis.actions[0].action;
        let name = self.quoted(*action);
        let lead = if is_best { format!("Why {name}") } else { format!("{name} instead") };
        format!("\n{}", paragraph(&format!("{lead}: {reason}.")))
    }

    /// Returns the expected line of the search.
    fn line_text(&self) -> String {
        let is_first =
            |_: &_| self.analysis.rejected.is_none() && self.analysis.is_stable.is_none();
        let search = self.analysis.search.as_ref().filter(is_first);
        let Some(search) = search else { return String::new() };
        let seat = self.analysis.seat;
        let line = &search.principal_variation;
        let is_own = line.iter().all(|(other, _)| *other == seat);
        let action = |(other, action): &(Seat, AnyAction)| {
            let text = self.quoted(*action);
            if is_own { text } else { format!("{} {text}", player(other.index())) }
        };
        let actions: Vec<_> = line.iter().take(MAX_LINE).map(action).collect();
        let kind = if is_own {
            format!("Expected actions of {}", player(seat.index()))
        } else {
            "Expected line".to_owned()
        };
        paragraph(&format!("{kind}: {}", actions.join(", ")))
    }

    /// Returns the sentence that says how the numbers were made.
    fn method(&self) -> String {
        let mut sentence = match &self.analysis.search {
            Some(search) => format!(
                "Search: {} by {}{}.",
                format_count(search.iterations, "iteration"),
                self.task.search.name(),
                if self.analysis.is_calibrated {
                    let fitted = self.task.search.calibration().nearest(search.iterations);
                    format!(", chances calibrated on {}", fitted_games(fitted))
                } else {
                    ", chances not calibrated".to_owned()
                }
            ),
            None => "Only one action is legal, so nothing was searched.".to_owned(),
        };
        if let Some(after) = &self.analysis.actions[0].after {
            let _ = write!(
                sentence,
                " Chances: means of {} searches of the same budget after each candidate.",
                after.samples.len()
            );
        }
        if let Some(rollouts) = &self.analysis.actions[0].rollouts {
            let _ = write!(
                sentence,
                " Final scores: {} by {}, a weaker bot.",
                format_count(rollouts.blocks(), "rollout"),
                self.task.policy.name()
            );
        }
        let _ = write!(sentence, " Seed {}.", self.task.seed);
        sentence
    }
}
