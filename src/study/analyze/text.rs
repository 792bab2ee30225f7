//! The analysis as terminal text.

use std::fmt::Write as _;

use super::{super::shared::fitted_games::fitted_games, AnalysisReport, Reason};
use crate::{
    analysis::{
        judge::{ActionVerdict, JudgedAction, MIN_VISITS},
        named::NamedAction,
        reason::ScoreReason,
        successors::{SuccessorCheck, SuccessorVerdict},
    },
    game::Seat,
    report::{
        html::{Unit, format_count, group_digits, join_with_and},
        study_page::effect_estimate,
        text::{action_words, escape_name, paragraph, provenance_line},
    },
};

/// Width of the columns of visits and chances.
const NUMBER_WIDTH: usize = 9;
/// Maximum number of score parts of a reason.
const MAX_REASONS: usize = 4;
/// Maximum number of gains, and of costs, of a reason.
const MAX_EFFECTS: usize = 2;
/// Maximum number of actions of the expected line.
const MAX_LINE: usize = 8;

impl AnalysisReport<'_> {
    /// Returns the text: the answer, the seats, the actions, the reasons, and the expected line.
    pub(super) fn text(&self) -> String {
        let Self { title, analysis, round, players, .. } = self;
        let mut text = paragraph(&format!(
            "{title}, {}, round {round}: {} decides among {}.",
            format_count(*players as u64, "player"),
            player(analysis.seat),
            format_count(analysis.legal as u64, "action"),
        ));
        text += &paragraph(&self.answer());
        text += &provenance_line(self.provenance);
        text.push('\n');
        text += &self.seats_text();
        text.push('\n');
        text += &self.actions_text();
        for (index, reason) in self.reasons.iter().enumerate() {
            text += &Self::reason_text(index, reason);
        }
        text.push('\n');
        text += &self.line_text();
        text += &paragraph(&self.method());
        text
    }

    /// Returns the sentence with the best action and what is known of the others.
    fn answer(&self) -> String {
        let best = &self.analysis.actions[0];
        let seat = self.analysis.seat;
        let check = self.analysis.check.as_ref();
        let mut sentence = match check {
            Some(check) if check.verdict() == SuccessorVerdict::Close => {
                let [first, other] = &check.actions;
                format!("Not sure: {} or {}.", words(first), quoted(other))
            }
            _ => format!("Best: {}.", words(&best.action)),
        };
        if let Some(chances) = best.chances.filter(|_| !self.is_corrected()) {
            let _ = write!(
                sentence,
                " {} wins {:.0} % with it, by the {}search.",
                capitalized_player(seat),
                100.0 * chances[seat.index()],
                if self.analysis.is_calibrated { "calibrated " } else { "" },
            );
        }
        sentence += &self.check_sentence();
        let with = |verdict| -> Vec<&JudgedAction<_>> {
            let compared = self.analysis.actions[1..].iter();
            compared.filter(|one| one.difference.is_some() && one.verdict == verdict).collect()
        };
        let names = |actions: &[&JudgedAction<_>]| {
            let names: Vec<_> = actions.iter().map(|judged| quoted(&judged.action)).collect();
            join_with_and(&names)
        };
        let (worse, open, better) =
            (with(ActionVerdict::Worse), with(ActionVerdict::Open), with(ActionVerdict::Better));
        if !worse.is_empty() {
            let others = format_count(worse.len() as u64, "other candidate");
            let verb = if worse.len() == 1 { "is" } else { "are" };
            let _ = write!(sentence, " {others} {verb} significantly worse.");
        }
        if !open.is_empty() {
            let _ = write!(sentence, " {} cannot be told apart from it.", names(&open));
        }
        if !better.is_empty() && check.is_none() {
            let verb = if better.len() == 1 { "wins" } else { "win" };
            let _ = write!(
                sentence,
                " In games of {}, which is weaker than the search, {} {verb} more.",
                self.policy.name(),
                names(&better)
            );
        }
        if let Some(played) = &self.played {
            let text = quoted(played);
            let found = self.analysis.actions.iter().find(|judged| judged.action == *played);
            let difference = found.and_then(|judged| judged.difference);
            let _ = match difference {
                _ if *played == best.action => write!(sentence, " It was played."),
                Some(difference) => write!(
                    sentence,
                    " Played was {text}: {} in games of {}.",
                    Unit::PercentagePoints.format_estimate(effect_estimate(difference)),
                    self.policy.name()
                ),
                None => write!(sentence, " Played was {text}."),
            };
        }
        sentence
    }

    /// Returns true if searches after two actions prefer another action than the first search.
    /// Chance and line of the first search are then not shown.
    fn is_corrected(&self) -> bool {
        let check = self.analysis.check.as_ref();
        check.is_some_and(|check| check.verdict() == SuccessorVerdict::Corrected)
    }

    /// Returns the sentences on the searches after two actions; empty without them.
    fn check_sentence(&self) -> String {
        let Some(check) = &self.analysis.check else { return String::new() };
        let SuccessorCheck { actions: [first, other], chances } = check;
        let [first_chance, other_chance] = chances.map(|chance| 100.0 * chance);
        let answer = match check.verdict() {
            SuccessorVerdict::Confirmed => "the first is better",
            SuccessorVerdict::Close => "neither is clearly better",
            SuccessorVerdict::Corrected => "the second is better",
        };
        format!(
            " The search prefers {}, but in games of {} {} wins more. Searches after each, of \
             equal budget, give {first_chance:.0} % and {other_chance:.0} %: {answer}.",
            quoted(first),
            self.policy.name(),
            quoted(other),
        )
    }

    /// Returns the table of the seats.
    fn seats_text(&self) -> String {
        let best = &self.analysis.actions[0];
        let mut text =
            format!("{:<12}{:>10}  {:<24}{}\n", "", "chance", "wins in rollouts", "final score");
        for seat in (0..self.players).map(Seat::new) {
            let chance = best.chances.map_or_else(
                || "-".to_owned(),
                |chances| format!("{:.1} %", 100.0 * chances[seat.index()]),
            );
            let rollouts = best.rollouts.as_ref();
            let wins =
                rollouts.map(|rollouts| Unit::Percent.format_estimate(rollouts.win_share(seat)));
            let score =
                rollouts.map(|rollouts| Unit::Decimals(1).format_estimate(rollouts.score(seat)));
            let line = format!(
                "{:<12}{chance:>10}  {:<24}{}",
                player(seat),
                wins.as_deref().unwrap_or("-"),
                score.as_deref().unwrap_or("-"),
            );
            text += line.trim_end();
            text.push('\n');
        }
        text
    }

    /// Returns the table of the actions.
    fn actions_text(&self) -> String {
        let has_rollouts = self.analysis.actions[0].rollouts.is_some();
        let mut text = format!("{:>NUMBER_WIDTH$}{:>NUMBER_WIDTH$}", "visits", "chance");
        if has_rollouts {
            text += "  difference to the best, pp";
        }
        text.push('\n');
        let is_shown =
            |judged: &&JudgedAction<_>| judged.rollouts.is_some() || judged.visits >= MIN_VISITS;
        let (shown, others): (Vec<_>, Vec<_>) = self.analysis.actions.iter().partition(is_shown);
        for (index, judged) in shown.iter().enumerate() {
            text += &paragraph(&words(&judged.action));
            let chance = judged.chances.map_or_else(
                || "-".to_owned(),
                |chances| format!("{:.1} %", 100.0 * chances[self.analysis.seat.index()]),
            );
            let visits = group_digits(judged.visits);
            let mut line = format!("{visits:>NUMBER_WIDTH$}{chance:>NUMBER_WIDTH$}");
            match judged.difference {
                Some(difference) => {
                    let shown = Unit::PercentagePoints.format_estimate(effect_estimate(difference));
                    let mark = if judged.verdict == ActionVerdict::Open { "" } else { "  *" };
                    let _ = write!(line, "  {}{mark}", shown.replace(" pp", ""));
                }
                None if has_rollouts && index == 0 => line += "  the best",
                None => {}
            }
            if self.played.as_ref() == Some(&judged.action) {
                line += "  played";
            }
            text += &line;
            text.push('\n');
        }
        let untried =
            others.len() + self.analysis.legal.saturating_sub(self.analysis.actions.len());
        if untried > 0 {
            let _ = writeln!(
                text,
                "{} with fewer than {MIN_VISITS} visits: tried too little to rank",
                format_count(untried as u64, "other action")
            );
        }
        if has_rollouts {
            text += "[95 % CI]; * significant (Holm, 5 %)\n";
        }
        text
    }

    /// Returns the reasons for an action, the best one first.
    fn reason_text(index: usize, reason: &Reason) -> String {
        let Reason { action, effects, scores, .. } = reason;
        // Costs alone are no reason for the best action.
        let effects =
            effects.summary(MAX_EFFECTS).filter(|_| index > 0 || !effects.gains.is_empty());
        let mut parts = Vec::from_iter(effects);
        let scores: Vec<_> = scores.iter().take(MAX_REASONS).map(score_text).collect();
        if !scores.is_empty() {
            parts.push(format!("final points, less those after the best: {}", scores.join(", ")));
        }
        if parts.is_empty() {
            return String::new();
        }
        let name = quoted(action);
        let lead = if index == 0 { format!("Why {name}") } else { format!("{name} instead") };
        format!("\n{}", paragraph(&format!("{lead}: {}.", parts.join("; "))))
    }

    /// Returns the expected line of the search.
    fn line_text(&self) -> String {
        let search = self.analysis.search.as_ref().filter(|_| !self.is_corrected());
        let Some(search) = search else { return String::new() };
        let seat = self.analysis.seat;
        let line = &search.principal_variation;
        let is_own = line.iter().all(|(other, _)| *other == seat);
        let action = |(other, action): &(Seat, NamedAction)| {
            let text = quoted(action);
            if is_own { text } else { format!("{} {text}", player(*other)) }
        };
        let actions: Vec<_> = line.iter().take(MAX_LINE).map(action).collect();
        let kind = if is_own {
            format!("Expected actions of {}", player(seat))
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
                self.search.name(),
                if self.analysis.is_calibrated {
                    let fitted = self.search.calibration().nearest(search.iterations);
                    format!(", chances calibrated on {}", fitted_games(fitted))
                } else {
                    ", chances not calibrated".to_owned()
                }
            ),
            None => "Only one action is legal, so nothing was searched.".to_owned(),
        };
        if let Some(rollouts) = &self.analysis.actions[0].rollouts {
            let _ = write!(
                sentence,
                " {} of each candidate, played by {} on the same chance.",
                format_count(rollouts.blocks(), "rollout"),
                self.policy.name()
            );
        }
        let _ = write!(sentence, " Seed {}.", self.seed);
        sentence
    }
}

/// Returns an action in words, with its notation.
fn words(action: &NamedAction) -> String {
    escape_name(&action_words(&action.label, &action.notation)).into_owned()
}

/// Returns an action in words, as a part of a sentence.
fn quoted(action: &NamedAction) -> String {
    format!("“{}”", escape_name(&action.label))
}

/// Returns a part of the score with its difference.
fn score_text(reason: &ScoreReason) -> String {
    let difference = Unit::Signed(1).format_estimate(effect_estimate(reason.difference));
    format!("{} {} {difference}", player(reason.seat), reason.part)
}

/// Returns a seat as people count them.
fn player(seat: Seat) -> String {
    format!("player {}", seat.index() + 1)
}

fn capitalized_player(seat: Seat) -> String {
    format!("Player {}", seat.index() + 1)
}
