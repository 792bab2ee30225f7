//! Advice for a decision: the few actions that a search finds best, with one number each.
//!
//! The actions are those that the search of the position visits most, and the best by brief
//! searches after all. The number is the calibrated win chance by searches after the action. Where
//! chances cannot tell the actions apart, because the game is decided or because the seats are far
//! from a common success, it is the expected number of points, by a search that maximises them.

use super::{
    judge::{self, Analyst, JudgedAction, PositionAnalysis, is_visited_enough},
    ledger::Mistake,
    reason::Reasoner,
    successors::Successors,
    watch::AnalysisWatch,
};
use crate::{
    bots::{BotFactory, profile::BotLibrary},
    config::ConfigError,
    game::{ActionSet as _, FullGame, PerSeat, Seat},
    scene::capitalize,
    search::tree::MAX_VISITS,
};

/// The bot whose searches give hints, unless another one is named.
pub const HINT_BOT: &str = "mcts:iterations=2000";
/// Number of actions that the search proposes: as many as in an analysis, so that a review does not
/// find a better one that the hint did not judge.
const CANDIDATES: usize = 5;
/// Iterations of the bot for each iteration of the searches that look at all actions: a search
/// looks little at those whose prior is low, and one of them can win the game.
const BRIEFER: u64 = 8;
/// Samples after each action of these searches.
const BRIEF_SAMPLES: u64 = 2;
/// Maximum number of actions that these searches propose.
const PROPOSALS: usize = 3;
/// Iterations of the search that compares the best actions, for each iteration of the bot: with as
/// few, what an opponent does after an action is often overlooked.
const DEEPER: u64 = 4;
/// Maximum number of actions of a hint.
pub const MAX_ROWS: usize = 3;
/// Chances above this and below its complement say that a game is decided.
const DECIDED: f64 = 0.98;
/// Chances of shared success that differ by no more look equal.
const EQUAL: f64 = 0.005;
/// Differences up to which actions are about equally good: of a chance, and in points.
const CLOSE: [f64; 2] = [judge::CLOSE, 1.0];
/// Differences from which the best action is clearly best.
const CLEAR: [f64; 2] = [0.05, 3.0];
/// Points at which the reward of the searches for points is 0 or 1: of the margin, and of a shared
/// score.
const SCALES: [u32; 2] = [100, 400];

/// The searches that give hints.
#[derive(Clone, Debug)]
pub struct Advisor {
    search: BotFactory,
    /// The search that looks briefly at all actions; `search` if that has no number of iterations.
    brief: BotFactory,
    /// The search that compares the best actions; `search` if that has no number of iterations.
    deeper: BotFactory,
    /// The searches that maximise the margin and the shared score, in the order of [`SCALES`];
    /// `None` if the bot has no network that expects scores.
    by_points: Option<[BotFactory; 2]>,
    reasoner: Reasoner,
}

/// The meaning of the numbers of a hint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// Win chance of the seat that decides.
    WinChance,
    /// Chance that all seats win together.
    SharedChance,
    /// Expected points of the seat that decides, less those of the best opponent.
    Margin,
    /// Expected points of the seat that decides in a game that all win or lose together.
    SharedPoints,
}

/// Advice for a decision.
#[derive(Clone, PartialEq, Debug)]
pub struct Hint<A> {
    /// Number of legal actions.
    pub legal: usize,
    /// Win chance of each seat, or of all together, with the best action; empty if nothing was
    /// searched.
    pub chances: Vec<f64>,
    /// True if the chances are calibrated: mapped to the results of games of this search.
    pub is_calibrated: bool,
    /// The meaning of the numbers.
    pub measure: Measure,
    /// The actions in descending order of their numbers.
    pub rows: Vec<HintRow<A>>,
    /// The action that was asked for, with its win chance.
    pub asked: Option<HintRow<A>>,
    /// The highest win chance of an action; `None` if nothing was searched.
    pub chance: Option<f64>,
}

/// The judgement of an action by a hint.
#[derive(Clone, PartialEq, Debug)]
pub struct Judgement {
    /// Win chance that it loses against the best action, at least 0.
    pub loss: f64,
    /// True if it is the best action or about equally good.
    pub is_good: bool,
    /// A sentence about it.
    pub text: String,
    /// A sentence about the best action, if it is another one.
    pub better: Option<String>,
}

/// A suggested action.
#[derive(Clone, PartialEq, Debug)]
pub struct HintRow<A> {
    /// The action.
    pub action: A,
    /// A chance or a number of points; `None` if nothing was searched.
    pub number: Option<f64>,
    /// A sentence on what distinguishes the action from the others, as in `it brings 3 wood, but
    /// costs 1 pioneer`.
    pub reason: Option<String>,
}

impl Advisor {
    /// Reads the bot that searches.
    ///
    /// # Errors
    /// Returns an error if there is no such bot.
    pub fn read(library: &BotLibrary, name: &str) -> Result<Self, ConfigError> {
        // Only the bot of an opponent has options.
        let name = library.profiles.opponent(name).map_or(name, |opponent| &opponent.bot);
        let search = library.read(name)?;
        let has_network = search.parts().iter().any(|part| part.get("weights_sha256").is_some());
        let options = |scale| format!("{name}:margin_weight=1:margin_scale={scale}");
        let by_points = SCALES.map(|scale| library.read(&options(scale)).ok());
        let by_points = match by_points {
            [Some(margin), Some(shared)] if has_network => Some([margin, shared]),
            _ => None,
        };
        let with = |budget: &dyn Fn(u64) -> u64| {
            let Some(own) = search.parameters()["iterations"].as_u64() else {
                return Ok(search.clone());
            };
            let without = name.replace(&format!(":iterations={own}"), "");
            let iterations = budget(own).min(MAX_VISITS.into());
            library.read(&format!("{without}:iterations={iterations}"))
        };
        let (brief, deeper) = (with(&|own| own.div_ceil(BRIEFER))?, with(&|own| own * DEEPER)?);
        Ok(Self { search, brief, deeper, by_points, reasoner: Reasoner::read(library)? })
    }

    /// Returns the name of the bot from which numbers of this meaning are.
    pub fn name(&self, measure: Measure) -> &str {
        match measure {
            Measure::WinChance | Measure::SharedChance => self.deeper.name(),
            Measure::Margin | Measure::SharedPoints => self.search.name(),
        }
    }

    /// Returns a hint for the decision of a seat; `None` if the watch stops the searches. An action
    /// that is asked for is judged with the others.
    ///
    /// # Panics
    /// If no seat decides.
    pub fn hint<G: FullGame>(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        asked: Option<G::Action>,
        (seed, watch): (u64, &AnalysisWatch),
    ) -> Option<Hint<G::Action>> {
        let named = self.proposed(game, state, seat, asked, (seed, watch));
        let search = |bot, after| {
            let analyst = Analyst {
                search: bot,
                after,
                policy: bot,
                rollouts: 0,
                candidates: CANDIDATES,
                seed,
            };
            analyst.analyse_watched(game, state, seat, &named, watch, &|_| ())
        };
        let mut analysis =
            search(&self.search, (game.legal_actions(state).len() > 1).then_some(&self.deeper))?;
        let mut is_new = is_new_position(game, state);
        analysis.actions.retain(|judged| is_new(judged.action) || Some(judged.action) == asked);
        let is_shared = game.is_shared(state);
        let mut hint = Hint::by_chances(&analysis, game.seats(), is_shared, asked);
        if let Some(by_points) = self.by_points.as_ref().filter(|_| hint.needs_points()) {
            let (bot, scale) = (&by_points[usize::from(is_shared)], SCALES[usize::from(is_shared)]);
            hint = hint.by_points(&analysis, &search(bot, None)?, scale.into());
        }
        self.explain(game, state, seat, &mut hint, (seed, watch));
        (!watch.is_stopped()).then_some(hint)
    }

    /// Returns the action that was asked for and those that are best by brief searches after all.
    fn proposed<G: FullGame>(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        asked: Option<G::Action>,
        (seed, watch): (u64, &AnalysisWatch),
    ) -> Vec<G::Action> {
        let mut is_new = is_new_position(game, state);
        let legal = game.legal_actions(state);
        let legal: Vec<_> = legal.iter().filter(|&action| is_new(action)).collect();
        let mut named: Vec<_> = asked.into_iter().collect();
        if legal.len() > 1 {
            let successors = Successors { game, state, seat, bot: &self.brief, seed };
            let chances = successors.search_until(&legal, 0..BRIEF_SAMPLES, watch.flag());
            let chances = chances.iter().map(|after| after.of(seat));
            let mut ranked: Vec<_> = legal.into_iter().zip(chances).collect();
            ranked.sort_by(|(_, one), (_, other)| other.total_cmp(one));
            let best = ranked.into_iter().map(|(action, _)| action).take(PROPOSALS);
            named.extend(best.filter(|&action| Some(action) != asked));
        }
        named
    }

    /// Adds the reasons: those of the best action against the one that was asked for, or else
    /// against the first worse one, and those of worse ones against the best.
    fn explain<G: FullGame>(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        hint: &mut Hint<G::Action>,
        (seed, watch): (u64, &AnalysisWatch),
    ) {
        let Some(best) = hint.rows.first().cloned() else { return };
        let close = CLOSE[usize::from(!hint.is_chance())];
        let is_worse = |row: &HintRow<G::Action>| match (best.number, row.number) {
            (Some(best), Some(number)) => number < best - close,
            _ => false,
        };
        let mut worse: Vec<_> = hint.rows.iter().filter(|row| is_worse(row)).collect();
        let asked = hint.asked.iter().filter(|asked| asked.action != best.action);
        worse.splice(0..0, asked);
        let worse: Vec<_> = worse.iter().map(|row| row.action).collect();
        let actions = (best.action, &*worse);
        let reasons = self.reasoner.explain(game, state, seat, actions, (seed, watch.flag()));
        let explained: Vec<_> = [best.action].into_iter().chain(worse).zip(reasons).collect();
        for row in &mut hint.rows {
            let own = explained.iter().find(|(action, _)| *action == row.action);
            row.reason = own.and_then(|(_, reason)| reason.clone());
        }
    }
}

/// Returns a function that is true for the first of the actions that lead to the same position.
fn is_new_position<G: FullGame>(game: &G, state: &G::State) -> impl FnMut(G::Action) -> bool {
    let mut positions = Vec::new();
    move |action| {
        let mut after = *state;
        game.apply(&mut after, action);
        let is_new = !positions.contains(&after);
        positions.push(after);
        is_new
    }
}

impl<A: Copy + PartialEq> Hint<A> {
    /// Returns the hint with the win chances of the candidates, by searches of equal budget after
    /// each.
    fn by_chances(
        analysis: &PositionAnalysis<A>,
        seats: usize,
        is_shared: bool,
        asked: Option<A>,
    ) -> Self {
        let of_seats = |chances: &PerSeat<f64>| {
            let (chances, seat) = (&chances[..seats], analysis.seat.index());
            if is_shared { vec![chances[seat]] } else { chances.to_vec() }
        };
        let seat = if is_shared { 0 } else { analysis.seat.index() };
        let row = |judged: &JudgedAction<A>| {
            let number = judged.after.as_ref().map(|after| of_seats(&after.mean())[seat]);
            HintRow { action: judged.action, number, reason: None }
        };
        let candidates = analysis.actions.iter().filter(|judged| judged.after.is_some());
        let rows = if analysis.search.is_some() {
            candidates.map(row).collect()
        } else {
            let action = analysis.actions[0].action;
            vec![HintRow { action, number: None, reason: None }]
        };
        Self {
            legal: analysis.legal,
            chances: analysis
                .chances()
                .iter()
                .filter(|_| analysis.search.is_some())
                .flat_map(of_seats)
                .collect(),
            is_calibrated: analysis.is_calibrated,
            measure: if is_shared { Measure::SharedChance } else { Measure::WinChance },
            asked: rows.iter().find(|row| Some(row.action) == asked).cloned(),
            chance: rows.iter().filter_map(|row| row.number).reduce(f64::max),
            rows: in_order(rows),
        }
    }

    /// Returns true if the chances do not tell the actions apart.
    fn needs_points(&self) -> bool {
        let chances: Vec<_> = self.rows.iter().filter_map(|row| row.number).collect();
        let [first, .., last] = chances[..] else { return false };
        last > DECIDED
            || first < 1.0 - DECIDED
            || self.measure == Measure::SharedChance && first - last < EQUAL
    }

    /// Returns the hint with the expected points of a search for points, of the actions that the
    /// searches for wins after each candidate show as good as the best one.
    fn by_points(
        self,
        by_chances: &PositionAnalysis<A>,
        by_points: &PositionAnalysis<A>,
        scale: f64,
    ) -> Self {
        let seat = by_points.seat.index();
        let best = by_chances.chances().map_or(0.0, |chances| chances[seat]);
        // The search of the position alone hardly tells chances near 0 or 1 apart.
        let holds = |action: &A| {
            let candidate = by_chances.actions.iter().find(|other| other.action == *action);
            let after = candidate.and_then(|judged| judged.after.as_ref());
            after.is_some_and(|after| after.mean()[seat] >= best - CLOSE[0])
        };
        let Some(search) = &by_points.search else { return self };
        let is_shown = |one: &&crate::search::ensemble::ActionResult<A>| {
            is_visited_enough(one.visits, search.iterations) && holds(&one.action)
        };
        let shown = search.actions.iter().filter(is_shown);
        let row = |one: &crate::search::ensemble::ActionResult<A>| HintRow {
            action: one.action,
            number: Some((2.0 * one.values[seat] - 1.0) * scale),
            reason: None,
        };
        let rows = in_order(shown.map(row).collect());
        let measure = match self.measure {
            Measure::SharedChance => Measure::SharedPoints,
            _ => Measure::Margin,
        };
        if rows.is_empty() { self } else { Self { measure, rows, ..self } }
    }
}

/// Formats a chance with this number of decimals. Only certain outcomes are 0 % or 100 %.
pub fn percent(chance: f64, decimals: usize) -> String {
    let smallest = 0.1_f64.powi(2 + decimals as i32);
    let is_certain = chance <= 0.0 || chance >= 1.0;
    let shown = if is_certain { chance } else { chance.clamp(smallest, 1.0 - smallest) };
    format!("{:.decimals$} %", 100.0 * shown)
}

/// Returns the first rows in descending order of their numbers.
fn in_order<A>(mut rows: Vec<HintRow<A>>) -> Vec<HintRow<A>> {
    let number = |row: &HintRow<A>| row.number.unwrap_or_default();
    rows.sort_by(|one, other| number(other).total_cmp(&number(one)));
    rows.truncate(MAX_ROWS);
    rows
}

impl<A: Copy + PartialEq> Hint<A> {
    /// Judges the action that was asked for by its label and those of others; `None` if none was.
    pub fn judgement(&self, label: impl Fn(A) -> String) -> Option<Judgement> {
        let asked = self.asked.as_ref()?;
        let best = self.rows.first()?;
        let of_chance = self.chance.unwrap_or_default() - asked.number.unwrap_or_default();
        // Its number is a chance beside points if the search for points leaves it out.
        let ranked = self.rows.iter().find(|row| row.action == asked.action);
        let own = ranked.unwrap_or(asked);
        let is_chance = self.is_chance() || ranked.is_none();
        let best_number = if is_chance && !self.is_chance() { self.chance } else { best.number };
        let loss = best_number.unwrap_or_default() - own.number.unwrap_or_default();
        let loss = if own.action == best.action { 0.0 } else { loss.max(0.0) };
        let is_good = loss <= CLOSE[usize::from(!is_chance)];
        let (name, better) = (label(own.action), label(best.action));
        let number = |row| match self.number(row) {
            number if number.is_empty() || is_chance != self.is_chance() => String::new(),
            number => format!(" ({number})"),
        };
        let is_best = own.action == best.action;
        let size = match Mistake::of_loss(loss).filter(|_| is_chance) {
            _ if is_best && self.verdict() == "Clearly best" => "The only good action".to_owned(),
            _ if is_best => "Best".to_owned(),
            _ if is_good => "Good".to_owned(),
            Some(size) => capitalize(size.as_str()),
            None => "Not the best".to_owned(),
        };
        let cost = match (is_good, is_chance) {
            (true, _) => String::new(),
            (_, true) => format!(" costs {:.1} points of the chance to win", 100.0 * loss),
            (_, false) => format!(" costs {loss:.1} points at the end"),
        };
        let of_best = || {
            let reason = best.reason.as_ref().filter(|_| !is_good);
            let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
            let other = if is_good { "About as good:" } else { "Better:" };
            format!("{other} {better}{}{reason}.", number(best))
        };
        Some(Judgement {
            loss: if is_best { 0.0 } else { of_chance.max(0.0) },
            is_good,
            text: format!("{size}: {name}{}{cost}.", number(own)),
            better: (!is_best).then(of_best),
        })
    }
}

impl<A> Hint<A> {
    const fn is_chance(&self) -> bool {
        matches!(self.measure, Measure::WinChance | Measure::SharedChance)
    }

    /// Returns the verdict on the first actions, compared with each other.
    pub fn verdict(&self) -> &'static str {
        let [close, clear] = [CLOSE, CLEAR].map(|limits| limits[usize::from(!self.is_chance())]);
        let best = self.rows.first().and_then(|row| row.number).unwrap_or_default();
        let loss = |row: &HintRow<A>| best - row.number.unwrap_or_default();
        let good = self.rows.iter().filter(|row| loss(row) <= close).count();
        match (self.legal, good) {
            (1, _) => "The only legal action",
            (2, 2) => "It hardly matters",
            (_, 2) => "The first two are good",
            (_, 3..) => "All three are good",
            _ if self.rows.get(1).is_none_or(|row| loss(row) >= clear) => "Clearly best",
            _ => "Best",
        }
    }

    /// Returns the chances of the players, or the one that they share, in a sentence; `None` if
    /// nothing was searched.
    pub fn chance_text(&self) -> Option<String> {
        let percent = |chance: &f64| percent(*chance, 0);
        let chances: Vec<_> = match &self.chances[..] {
            [] => return None,
            [one] => vec![percent(one)],
            several => {
                let seats = several.iter().enumerate();
                seats.map(|(seat, one)| format!("player {} {}", seat + 1, percent(one))).collect()
            }
        };
        let what = if self.chances.len() == 1 { "Chance of success" } else { "Win chances" };
        Some(format!("{what}: {}.", chances.join(", ")))
    }

    /// Returns the origin of the numbers of the actions, by the bot of this name; `None` if nothing
    /// was searched.
    pub fn method(&self, bot: &str) -> Option<String> {
        let calibrated = if self.is_calibrated { "calibrated" } else { "not calibrated" };
        let points = match self.measure {
            _ if self.chances.is_empty() => return None,
            Measure::WinChance | Measure::SharedChance => {
                return Some(format!("Chances by {bot}, {calibrated}."));
            }
            Measure::Margin => "the points of the lead at the end",
            Measure::SharedPoints => "the points at the end",
        };
        let ranked = format!("The chances do not tell the actions apart; ranked by {points}");
        Some(format!("{ranked} that {bot} expects."))
    }

    /// Returns the number of a row in words; empty if nothing was searched.
    pub fn number(&self, row: &HintRow<A>) -> String {
        match (row.number, self.measure) {
            (None, _) => String::new(),
            (Some(chance), Measure::WinChance | Measure::SharedChance) => percent(chance, 1),
            (Some(points), Measure::Margin) => format!("{points:+.1} points"),
            (Some(points), Measure::SharedPoints) => format!("{points:.1} points"),
        }
    }
}
