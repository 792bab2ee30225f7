//! The verdict of a panel on one question; `docs/statistics.md` has the definitions.

use crate::{
    run::{lineups::is_mixed, panel::search_budgets},
    stats::mean_difference::p_of_equality,
    study::shared::prelude::*,
};

/// Level of the tests of a verdict.
const LEVEL: f64 = 0.05;
/// A bot whose interval includes 0 says something only if the half-width of the interval is at most
/// this many margins.
const MAX_HALF_WIDTHS: f64 = 5.0;
/// Quantile of the normal distribution for one-sided tests at [`LEVEL`].
const ONE_SIDED: f64 = 1.645;

watershed_engine::named! {
    /// The answer of a panel.
    pub(crate) enum PanelVerdict {
        /// The panel has one bot.
        OneBot = "one_bot_only",
        /// All usable bots, the strongest of the panel among them, differ from 0 with one sign.
        Robust = "robust",
        /// All usable bots differ from 0 with one sign; the strongest of the panel is not usable.
        RobustWithoutStrongest = "robust_without_strongest",
        /// The bots differ from each other, at least one from 0, and their differences have both
        /// signs.
        DependsOnBot = "depends_on_bot",
        /// With every usable bot, the whole interval lies within the margin.
        NoChange = "no_change_that_matters",
        /// None of these.
        Open = "open",
    }
}

impl PanelVerdict {
    /// Returns the label.
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::OneBot => "One bot only",
            Self::Robust => "Robust",
            Self::RobustWithoutStrongest => "Robust without the strongest bot",
            Self::DependsOnBot => "Depends on the bot",
            Self::NoChange => "No change that matters",
            Self::Open => "Open",
        }
    }

    /// Returns what the label says of the questions in a list.
    pub(crate) const fn meaning(self) -> &'static str {
        match self {
            Self::OneBot => "not checked with a stronger one",
            Self::Robust => "same direction with every bot",
            Self::RobustWithoutStrongest => "same direction with the others",
            Self::DependsOnBot => "the bots differ",
            Self::NoChange => "with any bot",
            Self::Open => "more games are needed",
        }
    }
}

impl LabelledSentence {
    pub(super) fn of_verdict(verdict: PanelVerdict, text: &str) -> Self {
        Self { label: verdict.label(), rest: format!(": {text}.") }
    }

    /// Returns the sentence of an answer that rests on the bots of one lineup.
    pub(crate) fn of_one_lineup(lineup: &str) -> Self {
        let (label, rest) = if is_mixed(lineup) {
            ("One lineup only", "; not checked with stronger bots.")
        } else {
            (PanelVerdict::OneBot.label(), "; not checked with a stronger one.")
        };
        Self { label, rest: rest.to_owned() }
    }

    /// Returns the sentence of a study of these lineups if there is only one.
    pub(crate) fn of_only_lineup<T>(results: &[LineupResult<T>]) -> Option<Self> {
        match results {
            [only] => Some(Self::of_one_lineup(&only.lineup)),
            _ => None,
        }
    }
}

/// A bot of a panel that was asked a question.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct AskedBot {
    pub(crate) name: String,
    /// Number of games.
    pub(crate) games: u64,
    /// Strength relative to the search of the default panel, if it was measured.
    pub(crate) elo: Option<f64>,
}

/// The smallest changes that matter.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Margins {
    /// Of rates and of the times that an item is taken in a game.
    pub(crate) rate: f64,
    /// Of the number of rounds.
    pub(crate) rounds: f64,
}

impl Default for Margins {
    fn default() -> Self {
        Self { rate: 0.01, rounds: 0.25 }
    }
}

impl Margins {
    /// Returns the margin of a metric, if it has one.
    pub(crate) fn of(self, metric: Metric) -> Option<f64> {
        match metric {
            Metric::Rounds => Some(self.rounds),
            Metric::TakenPerGame => Some(self.rate),
            _ if metric.is_rate() => Some(self.rate),
            _ => None,
        }
    }

    /// Returns the margins as words.
    pub(crate) fn text(self) -> String {
        format!("{}, {} rounds", margin_words(self.rate), self.rounds)
    }
}

/// A figure that each bot of a panel is asked for.
#[derive(Clone, Debug)]
pub(crate) struct PanelFigure {
    pub(crate) name: String,
    pub(crate) metric: Metric,
    /// The smallest change that matters, if the metric has one.
    pub(crate) margin: Option<f64>,
    /// The figure with each bot, in the order of the panel, as the study tests it.
    pub(crate) figures: Vec<TestedEffect>,
}

impl PanelFigure {
    /// Tests differences in a metric, given with their names, as one family. `effects` has those of
    /// each bot of the panel.
    pub(crate) fn of_family(
        metric: Metric,
        names: impl Iterator<Item = String>,
        effects: impl Iterator<Item = Vec<Effect>>,
    ) -> Vec<Self> {
        let effects: Vec<_> = effects.collect();
        let (tested, size) = (test_effects(&effects), effects.first().map_or(1, Vec::len));
        let figures = |index| tested.iter().skip(index).step_by(size).copied();
        let named = names.enumerate();
        named.map(|(index, name)| Self::new(name, metric, figures(index))).collect()
    }

    /// Creates a figure with the usual margin of its metric.
    pub(crate) fn new(
        name: impl Into<String>,
        metric: Metric,
        figures: impl Iterator<Item = TestedEffect>,
    ) -> Self {
        let margin = Margins::default().of(metric);
        Self { name: name.into(), metric, margin, figures: figures.collect() }
    }
}

/// The verdict on a figure, with its reasons.
#[derive(Clone, Debug)]
pub(crate) struct PanelJudgement {
    pub(crate) figure: PanelFigure,
    pub(crate) verdict: PanelVerdict,
    /// For each bot: true if its interval is narrow, or excludes 0.
    pub(crate) is_usable: Vec<bool>,
    /// For each bot that is not usable, the number of games that it needs, if that is known.
    games_needed: Vec<Option<u64>>,
    /// Number of games of a bot after which the answer is not open, if that is known.
    games_to_decide: Option<u64>,
    /// True if the differences of the usable bots are equal within the margin, false if they
    /// differ significantly.
    is_same_size: Option<bool>,
}

impl PanelJudgement {
    /// Judges the differences of the bots in each question. The tests that the bots are equal are
    /// one family.
    pub(crate) fn of_questions(bots: &[AskedBot], questions: Vec<PanelFigure>) -> Vec<Self> {
        let p_values = questions.iter().map(|question| p_of_equality(&usable_effects(question)));
        let p_values = holm_adjust(&p_values.collect::<Vec<_>>());
        let judged = questions.into_iter().zip(p_values);
        judged.map(|(question, p_equality)| Self::judge(bots, question, p_equality)).collect()
    }

    /// Judges the differences of the bots in a single question.
    pub(crate) fn new(bots: &[AskedBot], question: PanelFigure) -> Self {
        let p_equality = p_of_equality(&usable_effects(&question));
        Self::judge(bots, question, p_equality)
    }

    fn judge(bots: &[AskedBot], figure: PanelFigure, p_equality: f64) -> Self {
        let PanelFigure { margin, ref figures, .. } = figure;
        let is_usable: Vec<_> = figures.iter().map(|one| is_usable(&one.effect, margin)).collect();
        let effects = figures.iter().map(|tested| &tested.effect);
        let limit = max_half_width(margin);
        let needed = |(bot, effect): (&AskedBot, &Effect), half_width_needed: f64| {
            let ratio = half_width(effect) / half_width_needed;
            let games = bot.games as f64 * ratio * ratio;
            (games.is_finite() && games > 0.0).then(|| round_up(games))
        };
        let asked = || bots.iter().zip(effects.clone()).zip(&is_usable);
        let usable: Vec<_> = asked().filter(|(_, usable)| **usable).map(|(one, _)| one).collect();
        let to_decide = usable.iter().filter_map(|&one| needed(one, margin?)).max();
        let strongest = strongest(bots);
        let has_strongest = strongest.is_none_or(|bot| is_usable[bot]);
        let verdict = if bots.len() < 2 {
            PanelVerdict::OneBot
        } else {
            let usable = figures.iter().zip(&is_usable).filter(|(_, usable)| **usable);
            let usable: Vec<_> = usable.map(|(tested, _)| *tested).collect();
            verdict_of_usable(&usable, margin, p_equality, has_strongest)
        };
        Self {
            verdict,
            games_needed: asked()
                .map(|(one, usable)| if *usable { None } else { needed(one, limit) })
                .collect(),
            games_to_decide: to_decide.filter(|_| verdict == PanelVerdict::Open),
            is_same_size: margin
                .and_then(|margin| same_size(&usable_effects(&figure), margin, p_equality)),
            is_usable,
            figure,
        }
    }

    /// Returns the end of a sentence with the verdict: the comparison of the sizes, and the games
    /// that are missing.
    pub(crate) fn details(&self, bots: &[AskedBot]) -> String {
        let is_robust =
            matches!(self.verdict, PanelVerdict::Robust | PanelVerdict::RobustWithoutStrongest);
        let mut text = match self.is_same_size.filter(|_| is_robust) {
            Some(true) => "; the same size with all".to_owned(),
            Some(false) => "; the size differs".to_owned(),
            None => String::new(),
        };
        for ((bot, is_usable), needed) in bots.iter().zip(&self.is_usable).zip(&self.games_needed) {
            if !is_usable {
                text += &format!("; {}", too_few_games(bot, *needed));
            }
        }
        if let Some(games) = self.games_to_decide {
            text += &format!("; about {} of each bot decide it", format_count(games, "game"));
        }
        text
    }

    /// Returns the number of games that a bot needs if it is not usable.
    pub(crate) fn games_needed(&self, bot: usize) -> Option<u64> {
        self.games_needed[bot]
    }
}

/// Says that a bot has too few games for an answer.
pub(crate) fn too_few_games(bot: &AskedBot, needed: Option<u64>) -> String {
    let needed = needed.map(|games| format!(", about {} needed", format_count(games, "game")));
    format!("{} has too few games to tell ({}{})", bot.name, bot.games, needed.unwrap_or_default())
}

/// Returns the bot with the highest strength, if that of all was measured, or the largest budget of
/// one search.
fn strongest(bots: &[AskedBot]) -> Option<usize> {
    if search_budgets(bots.iter().map(|bot| bot.name.as_str())).is_some() {
        return Some(bots.len() - 1);
    }
    let elo: Option<Vec<f64>> = bots.iter().map(|bot| bot.elo).collect();
    let elo = elo?;
    (0..elo.len()).max_by(|&one, &other| elo[one].total_cmp(&elo[other]))
}

/// Returns the half-width of the interval; infinite without an interval.
fn half_width(effect: &Effect) -> f64 {
    let estimate = effect.estimate();
    if effect.is_testable() { (estimate.high - estimate.low) / 2.0 } else { f64::INFINITY }
}

/// Returns the largest half-width of an interval that includes 0 and says something.
fn max_half_width(margin: Option<f64>) -> f64 {
    margin.map_or(f64::INFINITY, |margin| MAX_HALF_WIDTHS * margin)
}

fn is_usable(effect: &Effect, margin: Option<f64>) -> bool {
    let is_narrow = half_width(effect) <= max_half_width(margin);
    effect.is_testable() && (is_narrow || effect.p_value() < LEVEL)
}

/// Returns the differences of the usable bots.
fn usable_effects(question: &PanelFigure) -> Vec<Effect> {
    let effects = question.figures.iter().map(|tested| tested.effect);
    effects.filter(|effect| is_usable(effect, question.margin)).collect()
}

/// Returns the verdict from the differences of the usable bots.
fn verdict_of_usable(
    effects: &[TestedEffect],
    margin: Option<f64>,
    p_equality: f64,
    has_strongest: bool,
) -> PanelVerdict {
    if effects.len() < 2 {
        return PanelVerdict::Open;
    }
    let is_within = |margin: f64| {
        let mut estimates = effects.iter().map(|tested| tested.effect.estimate());
        estimates.all(|it| -margin <= it.low && it.high <= margin)
    };
    let has_sign = |sign: f64| effects.iter().all(|tested| tested.effect.value * sign > 0.0);
    let has_one_sign = has_sign(1.0) || has_sign(-1.0);
    if margin.is_some_and(is_within) {
        PanelVerdict::NoChange
    } else if !has_one_sign
        && p_equality < LEVEL
        && effects.iter().any(TestedEffect::is_significant)
    {
        PanelVerdict::DependsOnBot
    } else if has_one_sign && effects.iter().all(TestedEffect::is_significant) {
        if has_strongest { PanelVerdict::Robust } else { PanelVerdict::RobustWithoutStrongest }
    } else {
        PanelVerdict::Open
    }
}

/// Returns true if all pairs of differences are equal within the margin (two one-sided tests), and
/// false if the differences are significantly different.
fn same_size(effects: &[Effect], margin: f64, p_equality: f64) -> Option<bool> {
    let is_near = |(one, other): (&Effect, &Effect)| {
        let error = one.standard_error.hypot(other.standard_error);
        (one.value - other.value).abs() + ONE_SIDED * error < margin
    };
    let pairs = || {
        let firsts = effects.iter().enumerate();
        firsts.flat_map(|(index, one)| effects[..index].iter().map(move |other| (one, other)))
    };
    if effects.len() > 1 && pairs().all(is_near) {
        Some(true)
    } else {
        (p_equality < LEVEL).then_some(false)
    }
}

/// Rounds a number of games up to two digits.
fn round_up(games: f64) -> u64 {
    let unit = 10_f64.powf((games.log10().floor() - 1.0).max(0.0));
    ((games / unit).ceil() * unit) as u64
}

#[cfg(test)]
mod tests {
    use super::{PanelVerdict::*, *};

    fn bots(count: usize) -> Vec<AskedBot> {
        let bot = |index: usize| AskedBot {
            name: format!("bot{index}"),
            games: 1000,
            // The last one is the strongest.
            elo: Some(index as f64),
        };
        (0..count).map(bot).collect()
    }

    /// Judges differences in percentage points with their standard errors.
    fn judge(differences: &[(f64, f64)]) -> PanelJudgement {
        PanelJudgement::new(&bots(differences.len()), questions(&[differences]).remove(0))
    }

    /// Returns questions with the differences of each bot.
    fn questions(differences: &[&[(f64, f64)]]) -> Vec<PanelFigure> {
        let effect =
            |(value, error): (f64, f64)| Effect::new(1000, value / 100.0, error / 100.0, 999.0);
        let of_bot = |bot: usize| differences.iter().map(|one| effect(one[bot])).collect();
        let names = (0..differences.len()).map(|index| format!("q{index}"));
        let bots = 0..differences[0].len();
        PanelFigure::of_family(Metric::WinShare, names, bots.map(of_bot))
    }

    #[test]
    fn questions_are_one_family_of_tests() {
        // p of 0.02 and 0.03 are significant alone, and not among three.
        let (weak, differing) = (&[(2.4, 1.0), (2.2, 1.0)][..], &[(2.2, 1.0), (-0.9, 1.0)][..]);
        assert_eq!(judge(weak).verdict, Robust);
        assert_eq!(judge(differing).verdict, DependsOnBot);
        let judged = PanelJudgement::of_questions(&bots(2), questions(&[weak, weak, differing]));
        assert!(judged.iter().all(|one| one.verdict == Open), "{judged:?}");
    }

    #[test]
    fn verdict_follows_the_definitions() {
        for (differences, expected) in [
            (&[(5.0, 1.0)][..], OneBot),
            (&[(5.0, 1.0), (9.0, 1.0)], Robust),
            (&[(-5.0, 1.0), (-9.0, 1.0), (-4.0, 1.5)], Robust),
            (&[(8.3, 0.7), (3.4, 0.5), (4.7, 3.9)], RobustWithoutStrongest),
            (&[(4.7, 3.9), (8.3, 0.7), (3.4, 0.5)], Robust),
            (&[(0.2, 0.2), (-1.3, 0.2), (1.8, 1.4)], DependsOnBot),
            (&[(-0.4, 0.1), (-0.3, 0.1)], NoChange),
            (&[(5.0, 1.0), (1.0, 1.0)], Open),
            (&[(0.5, 1.0), (-0.5, 1.0)], Open),
            (&[(5.0, 4.0), (9.0, 0.5)], Open),
            (&[(5.0, f64::INFINITY), (9.0, 0.5)], Open),
            (&[(40.0, 4.0), (30.0, 5.0)], Robust),
        ] {
            assert_eq!(judge(differences).verdict, expected, "{differences:?}");
        }
    }

    #[test]
    fn sentences_name_the_games_that_are_missing() {
        let details =
            |differences: &[(f64, f64)]| judge(differences).details(&bots(differences.len()));
        assert_eq!(details(&[(5.0, 0.1), (5.1, 0.1)]), "; the same size with all");
        assert_eq!(details(&[(5.0, 0.5), (9.0, 0.5)]), "; the size differs");
        assert_eq!(details(&[(5.0, 1.0), (6.0, 1.0)]), "");
        let unusable = details(&[(5.0, 1.0), (6.0, 1.0), (5.0, 5.0)]);
        assert_eq!(unusable, "; bot2 has too few games to tell (1000, about 3,900 games needed)");
        let open = details(&[(5.0, 1.0), (1.0, 1.0)]);
        assert_eq!(open, "; about 3,900 games of each bot decide it");
    }
}
