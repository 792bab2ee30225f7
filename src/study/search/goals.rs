//! Goals: the ranges that figures of the game are to lie in, from a file or from the targets of the
//! data file.

use super::goal_file::{GoalEntry, GoalFile, ItemGoals};
use crate::{
    games::targets::{TargetRange, Targets},
    run::names::find_item,
    stats::{mean_difference::mean_effect, student, tally},
    study::shared::prelude::*,
};

/// Level of the intervals of all goals together.
const LEVEL: f64 = 0.95;

/// Probability that a normal error exceeds one standard error on one side.
const ONE_SIGMA: f64 = 0.158_655;

tally! {
    /// The statistics of the games of a data file, from which figures are computed.
    pub(super) struct Measured {
        pub(super) tally: Tally,
        pub(super) forks: ItemEffectsTally,
    }
}

/// A figure of the game.
#[derive(Clone, PartialEq, Debug)]
enum Figure {
    /// Win rate of a turn position, from 0.
    TurnPosition(usize),
    GamesWon,
    Rounds,
    LeaderAtHalfWins,
    LeadChanges,
    SharedWins,
    NobodyWon,
    /// Win rate of the seats that take the item.
    WinRate(ItemId),
    /// Share of the offers at which the item is taken.
    Taken(ItemId),
    /// Effect on the win share of being allowed to take the item.
    Access(ItemId),
    /// The access minus the mean of the others of the family.
    AccessDifference(ItemId, Vec<ItemId>),
}

impl Figure {
    /// The figures of the whole game: their names in the file and for people, and their format.
    const OF_GAME: [([&'static str; 2], Unit, Self); 11] = [
        (["first_player", "The first player wins"], Unit::Percent, Self::TurnPosition(0)),
        (["second_player", "The second player wins"], Unit::Percent, Self::TurnPosition(1)),
        (["third_player", "The third player wins"], Unit::Percent, Self::TurnPosition(2)),
        (["fourth_player", "The fourth player wins"], Unit::Percent, Self::TurnPosition(3)),
        (["fifth_player", "The fifth player wins"], Unit::Percent, Self::TurnPosition(4)),
        (["games_won", "Games won"], Unit::Percent, Self::GamesWon),
        (["rounds", "Rounds"], Unit::Decimals(2), Self::Rounds),
        (
            ["leader_at_half_wins", "The leader at half time wins"],
            Unit::Percent,
            Self::LeaderAtHalfWins,
        ),
        (["lead_changes", "Lead changes a game"], Unit::Decimals(2), Self::LeadChanges),
        (["shared_wins", "Games with several winners"], Unit::Percent, Self::SharedWins),
        (["nobody_won", "Games without a winner"], Unit::Percent, Self::NobodyWon),
    ];

    /// Returns true if games of this number of players have the figure.
    fn is_of(&self, game: &BoundGame) -> bool {
        let (seats, is_cooperative) = (game.seats(), game.is_cooperative());
        let is_competitive = seats > 1 && !is_cooperative;
        match self {
            &Self::TurnPosition(position) => is_competitive && position < seats,
            Self::SharedWins | Self::WinRate(_) => is_competitive,
            Self::GamesWon => !is_competitive,
            Self::LeaderAtHalfWins | Self::LeadChanges => seats > 1,
            &Self::Taken(item) => game.catalog().table(item).offered,
            _ => true,
        }
    }
}

/// A figure with the range that it is to lie in.
#[derive(Clone, Debug)]
pub(super) struct Goal {
    /// Name in tables, such as `rounds` or `item.w2.taken`.
    pub(super) name: String,
    /// Name for people.
    pub(super) title: String,
    pub(super) unit: Unit,
    pub(super) range: TargetRange,
    weight: f64,
    figure: Figure,
}

watershed_engine::named! {
    /// The relation of a figure to its range.
    pub(super) enum GoalVerdict {
        /// The whole interval lies inside.
        Met = "met",
        /// The estimate lies inside, a part of the interval outside.
        Near = "near",
        /// The estimate lies outside, a part of the interval inside.
        Open = "open",
        /// The whole interval lies outside.
        Missed = "missed",
    }
}

/// All goals.
#[derive(Clone, Debug)]
pub(super) struct Goals(pub(super) Vec<Goal>);

impl Goals {
    /// Parses a file of goals.
    pub(super) fn parse(document: &Document, game: &BoundGame) -> anyhow::Result<Self> {
        let file: GoalFile = document.parse()?;
        let targets = file.targets.as_deref();
        ensure!(
            !targets.is_some_and(GoalFile::has_others),
            "{}: expected figures of the game only",
            document.key_location("targets")
        );
        let of_targets = targets.map(GoalFile::of_game).unwrap_or_default();
        let of_game = file.of_game().into_iter().zip(of_targets);
        let mut goals = Vec::new();
        for (of, (own, target)) in Figure::OF_GAME.into_iter().zip(of_game) {
            let name = of.0[0];
            let key = format!("targets.{name}");
            ensure!(
                own.is_none() || target.is_none(),
                "{}: expected `{name}` once",
                document.key_location(&key)
            );
            let entry = own.or(target);
            goals.extend(entry.map(|entry| Goal::of_game(of, entry)));
        }
        let catalog = game.catalog();
        for (name, entries) in &file.item {
            let key = format!("item.{name}");
            let item = find_item(catalog, name).with_context(|| document.key_location(&key))?;
            if entries.access_difference.is_some() {
                let key = format!("{key}.access_difference");
                bail!("{}: expected it of a family", document.key_location(&key));
            }
            goals.extend(item_goals(catalog, item, &[], entries));
        }
        for (name, entries) in &file.family {
            let key = format!("family.{name}");
            let family = find_family(catalog, name);
            let family = family.with_context(|| document.key_location(&key))?;
            for &item in &family {
                goals.extend(item_goals(catalog, item, &family, entries));
            }
        }
        let name = document.shown_name();
        ensure!(!goals.is_empty(), "{name}: expected a goal, as in rounds = [4, 6]");
        if let Some(goal) = goals.iter().find(|goal| !goal.figure.is_of(game)) {
            bail!(
                "{}: games with {} players have no such figure",
                document.key_location(&goal.name),
                game.seats()
            );
        }
        if let Some(goal) = goals.iter().find(|goal| !goal.is_possible()) {
            let key = document.key_location(&goal.name);
            bail!("{key}: expected shares, as in 0.55 (0.55, not 55)");
        }
        Ok(Self(goals))
    }

    /// Returns the targets of the data file as goals, without those on numbers of items, which are
    /// not measured.
    pub(super) fn of_data(data: &Document, game: &BoundGame) -> anyhow::Result<Self> {
        let targets = Targets::of(data);
        let of_game = [
            targets.first_player.map(|share| share.0),
            None,
            None,
            None,
            None,
            targets.games_won.map(|share| share.0),
            targets.rounds,
            targets.leader_at_half_wins.map(|share| share.0),
            targets.lead_changes,
            targets.shared_wins.map(|share| share.0),
            targets.nobody_won.map(|share| share.0),
        ];
        let goals = Figure::OF_GAME.into_iter().zip(of_game).filter_map(|(of, range)| {
            let entry = GoalEntry { range: range?, weight: 1.0 };
            let goal = Goal::of_game(of, entry);
            (entry.range.low < entry.range.high && goal.figure.is_of(game)).then_some(goal)
        });
        let goals: Vec<_> = goals.collect();
        ensure!(
            !goals.is_empty(),
            "expected --goal FILE with goals, or [targets] in the data file, as in first_player = \
             [0.48, 0.52]"
        );
        Ok(Self(goals))
    }

    /// Returns for each item true if its forks are played.
    pub(super) fn forked_items(&self, catalog: &ItemCatalog) -> Vec<bool> {
        let mut is_forked = vec![false; catalog.len()];
        for goal in &self.0 {
            match &goal.figure {
                Figure::Access(item) => is_forked[item.index()] = true,
                Figure::AccessDifference(_, family) => {
                    for item in family {
                        is_forked[item.index()] = true;
                    }
                }
                _ => {}
            }
        }
        is_forked
    }

    /// Returns the level of intervals that are all right in 95 % of runs, of these goals with this
    /// number of data files (Bonferroni).
    pub(super) fn level(&self, files: usize) -> f64 {
        1.0 - (1.0 - LEVEL) / (self.0.len() * files.max(1)) as f64
    }

    /// Returns true if some figure lies outside of its range with its whole interval.
    pub(super) fn is_missed(&self, measured: &Measured) -> bool {
        self.compare(measured, 1).any(|verdict| verdict == GoalVerdict::Missed)
    }

    /// Returns true if every figure lies in its range with its whole interval.
    pub(super) fn is_met(&self, measured: &Measured, files: usize) -> bool {
        self.compare(measured, files).all(|verdict| verdict == GoalVerdict::Met)
    }

    /// Returns true if the estimate of every figure lies in its range, and has a standard error.
    pub(super) fn is_inside(&self, measured: &Measured) -> bool {
        let effects = self.effects(measured);
        self.0.iter().zip(effects).all(|(goal, effect)| {
            let range = goal.range.low..=goal.range.high;
            range.contains(&effect.value) && effect.standard_error.is_finite()
        })
    }

    /// Compares each figure with its range.
    fn compare(&self, measured: &Measured, files: usize) -> impl Iterator<Item = GoalVerdict> {
        let level = self.level(files);
        self.0.iter().map(move |goal| goal.verdict(goal.estimate(measured, level)))
    }

    /// Ensures that the games of the data file have observations of each figure.
    pub(super) fn ensure_measured(&self, measured: &Measured) -> anyhow::Result<()> {
        let values = self.values(measured);
        if let Some((goal, _)) = self.0.iter().zip(values).find(|(_, value)| !value.is_finite()) {
            let games = format_count(measured.tally.games, "game");
            bail!("--goal: `{}`: expected a figure that is observed in {games}", goal.name);
        }
        Ok(())
    }

    /// Returns the value of each figure; not a number without observations.
    pub(super) fn values(&self, measured: &Measured) -> Vec<f64> {
        self.0.iter().map(|goal| goal.effect(measured).value).collect()
    }

    /// Returns each figure with its standard error.
    pub(super) fn effects(&self, measured: &Measured) -> Vec<Effect> {
        self.0.iter().map(|goal| goal.effect(measured)).collect()
    }

    /// Returns the distance of figures from the goals beyond their errors: as many standard errors
    /// as all of these figures exceed with a probability of at most 16 %, which is one standard
    /// error of a single figure. A figure that is rarely observed says little.
    pub(super) fn distance_beyond_error(&self, effects: &[Effect]) -> f64 {
        let factor = student::quantile(1.0 - ONE_SIGMA / self.0.len() as f64, f64::INFINITY);
        let values = self.0.iter().zip(effects).map(|(goal, effect)| {
            let middle = goal.range.low.midpoint(goal.range.high);
            let deviation = effect.value - middle;
            middle
                + deviation.signum() * (deviation.abs() - factor * effect.standard_error).max(0.0)
        });
        self.distance(&values.collect::<Vec<_>>())
    }

    /// Returns the distance of values from the goals: the root of the weighted mean square of how
    /// far each value lies outside of its range, in half-widths of the range. 0 if all lie inside.
    pub(super) fn distance(&self, values: &[f64]) -> f64 {
        self.mean_square(values, |deviation| (deviation - 1.0).max(0.0)).sqrt()
    }

    /// Returns the same for the distance from the middle of the ranges.
    pub(super) fn distance_from_middle(&self, values: &[f64]) -> f64 {
        self.mean_square(values, |deviation| deviation).sqrt()
    }

    fn mean_square(&self, values: &[f64], term: impl Fn(f64) -> f64) -> f64 {
        let weights: f64 = self.0.iter().map(|goal| goal.weight).sum();
        let terms = self.0.iter().zip(values).map(|(goal, &value)| {
            let TargetRange { low, high } = goal.range;
            let deviation = (value - low.midpoint(high)).abs() / (0.5 * (high - low));
            // A figure without observations is as far off as can be.
            let deviation = if deviation.is_nan() { f64::MAX.sqrt() } else { deviation };
            goal.weight * term(deviation).powi(2)
        });
        terms.sum::<f64>() / weights
    }
}

/// Returns the goals of an item.
fn item_goals(
    catalog: &ItemCatalog,
    item: ItemId,
    family: &[ItemId],
    entries: &ItemGoals,
) -> Vec<Goal> {
    let label = &catalog.item(item).label;
    let goal = |key: &str, figure: Figure, title: &str, unit: Unit, entry: Option<GoalEntry>| {
        let GoalEntry { range, weight } = entry?;
        let name = format!("item.{}.{key}", catalog.item(item).name);
        Some(Goal { name, title: format!("{label}: {title}"), unit, range, weight, figure })
    };
    let difference = Figure::AccessDifference(item, family.to_vec());
    let points = Unit::PercentagePoints;
    let goals = [
        goal("win_rate", Figure::WinRate(item), "win rate", Unit::Percent, entries.win_rate),
        goal("taken", Figure::Taken(item), "taken at offers", Unit::Percent, entries.taken),
        goal("access", Figure::Access(item), "access", points, entries.access),
        goal(
            "access_difference",
            difference,
            "access minus that of the others",
            points,
            entries.access_difference,
        ),
    ];
    goals.into_iter().flatten().collect()
}

impl Goal {
    fn of_game(
        (names, unit, figure): ([&str; 2], Unit, Figure),
        GoalEntry { range, weight }: GoalEntry,
    ) -> Self {
        let [name, title] = names.map(str::to_owned);
        Self { name, title, unit, range, weight, figure }
    }

    /// Returns true if the figure can have a value in the range.
    fn is_possible(&self) -> bool {
        let TargetRange { low, high } = self.range;
        match self.unit {
            Unit::Percent => high >= 0.0 && low <= 1.0 && high <= 1.5,
            Unit::PercentagePoints => -1.0 <= low && high <= 1.0,
            _ => high >= 0.0,
        }
    }

    /// Returns the rate that the figure is, and the unit of its sums.
    fn rate(&self, measured: &Measured) -> Option<(Ratio, i64)> {
        let tally = &measured.tally;
        let health = &tally.health;
        let item = |item: ItemId| tally.items.get(item.index()).copied().unwrap_or_default();
        Some(match self.figure {
            Figure::LeaderAtHalfWins => (health.leaders_at_half, UNITS_PER_WIN),
            Figure::SharedWins => (health.shared_wins, 1),
            Figure::GamesWon | Figure::NobodyWon => (health.nobody_won, 1),
            Figure::WinRate(id) => (item(id).wins_with, UNITS_PER_WIN),
            Figure::Taken(id) => (item(id).taken, 1),
            _ => return None,
        })
    }

    /// Returns the figure with its standard error.
    fn effect(&self, measured: &Measured) -> Effect {
        if let Some((rate, unit)) = self.rate(measured) {
            let effect = Effect::of_rate(&rate, unit);
            let is_complement = self.figure == Figure::GamesWon;
            return if is_complement {
                Effect { value: 1.0 - effect.value, ..effect }
            } else {
                effect
            };
        }
        let health = &measured.tally.health;
        let access = |item: ItemId| {
            let sums = measured.forks.forks.get(&(item, Stratum::All));
            sums.map_or(Effect::unknown(0), |sums| {
                sums.effect_with_few_changes(Estimand::Access, SeatMetric::WinShare)
            })
        };
        match &self.figure {
            &Figure::TurnPosition(position) => turn_position(measured, position),
            Figure::Rounds => Effect::of_mean(&health.rounds.ratio, 1),
            Figure::LeadChanges => Effect::of_mean(&health.lead_changes.ratio, 1),
            &Figure::Access(item) => access(item),
            Figure::AccessDifference(item, family) => {
                let others = family.iter().filter(|other| *other != item);
                let mean = mean_effect(&others.map(|&item| access(item)).collect::<Vec<_>>());
                let own = access(*item);
                if mean.is_testable() { own.minus(&mean) } else { Effect::unknown(own.n) }
            }
            _ => Effect::unknown(0),
        }
    }

    /// Returns the figure with its interval of this level.
    pub(super) fn estimate(&self, measured: &Measured, level: f64) -> Estimate {
        let Some((rate, unit)) = self.rate(measured) else {
            return self.effect(measured).estimate_at(level);
        };
        let estimate = rate.rate_at(unit, level);
        if self.figure == Figure::GamesWon { estimate.complement() } else { estimate }
    }

    /// Compares an estimate with the range.
    pub(super) fn verdict(&self, Estimate { value, low, high, .. }: Estimate) -> GoalVerdict {
        let TargetRange { low: minimum, high: maximum } = self.range;
        if minimum <= low && high <= maximum {
            GoalVerdict::Met
        } else if (minimum..=maximum).contains(&value) {
            GoalVerdict::Near
        } else if high < minimum || low > maximum {
            GoalVerdict::Missed
        } else {
            GoalVerdict::Open
        }
    }

    /// Returns a value of the figure for people.
    pub(super) fn value_text(&self, value: f64) -> String {
        let is_share = matches!(self.unit, Unit::Percent | Unit::PercentagePoints);
        self.unit.format_number(value, if is_share { 1 } else { 2 })
    }

    /// Returns the range for people.
    pub(super) fn range_text(&self) -> String {
        let TargetRange { low, high } = self.range;
        let scale =
            if matches!(self.unit, Unit::Percent | Unit::PercentagePoints) { 100.0 } else { 1.0 };
        let [low, high] = [low, high].map(|end| (scale * end * 1e6).round() / 1e6);
        let suffix = self.unit.suffix();
        match self.only_limit() {
            Some(_) if low > 0.0 => format!("at least {low}{suffix}"),
            Some(_) => format!("at most {high}{suffix}"),
            None => format!("{low} to {high}{suffix}"),
        }
    }

    /// Returns the end of the range that a share can lie beyond, if there is only one.
    fn only_limit(&self) -> Option<f64> {
        let TargetRange { low, high } = self.range;
        let is_share = matches!(self.unit, Unit::Percent);
        match (is_share && low <= 0.0, is_share && high >= 1.0) {
            (false, true) => Some(low),
            (true, false) => Some(high),
            _ => None,
        }
    }

    /// Returns the value with which a chart compares the figure, and what it is.
    pub(super) fn reference(&self) -> (f64, &'static str) {
        let TargetRange { low, high } = self.range;
        match self.only_limit() {
            Some(limit) => (limit, "limit of the goal"),
            None => (low.midpoint(high), "middle of the range"),
        }
    }
}

/// Returns the win rate of a turn position.
fn turn_position(measured: &Measured, position: usize) -> Effect {
    let rates = measured.tally.health.turn_positions.estimates(position + 1, UNITS_PER_WIN);
    // The number of observations is that of all positions up to this one.
    let n = rates.n / (position as i64 + 1);
    Effect { n, limits: [0.0, 1.0], ..rates.effect(position) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goal(low: f64, high: f64, weight: f64) -> Goal {
        let entry = GoalEntry { range: TargetRange { low, high }, weight };
        Goal::of_game((["rounds", "Rounds"], Unit::Decimals(2), Figure::Rounds), entry)
    }

    #[test]
    fn a_range_up_to_the_end_of_shares_has_one_limit() {
        let text = |low, high| {
            let entry = GoalEntry { range: TargetRange { low, high }, weight: 1.0 };
            let [first, ..] = Figure::OF_GAME;
            let goal = Goal::of_game(first, entry);
            (goal.range_text(), goal.reference().0)
        };
        assert_eq!(text(0.48, 1.0), ("at least 48 %".to_owned(), 0.48));
        assert_eq!(text(0.0, 0.3), ("at most 30 %".to_owned(), 0.3));
        assert_eq!(text(0.4, 0.6), ("40 to 60 %".to_owned(), 0.5));
        assert_eq!(goal(0.0, 1.0, 1.0).range_text(), "0 to 1");
    }

    #[test]
    fn distance_is_in_half_widths_outside_of_the_ranges() {
        let goals = Goals(vec![goal(4.0, 6.0, 1.0), goal(0.0, 1.0, 3.0)]);
        assert!(goals.distance(&[5.9, 0.1]) < 1e-12);
        // One half-width outside of the first range: √(1 · 1² / 4).
        assert!((goals.distance(&[7.0, 0.5]) - 0.5).abs() < 1e-12);
        // Two half-widths outside of the second: √(3 · 2² / 4).
        assert!((goals.distance(&[5.0, 2.0]) - 3_f64.sqrt()).abs() < 1e-12);
        assert!(goals.distance(&[f64::NAN, 0.5]) > 1e100);
        assert!(goals.distance_from_middle(&[5.0, 0.5]).abs() < 1e-12);
        let one = Goals(vec![goal(4.0, 6.0, 1.0)]);
        let beyond = |value, error| one.distance_beyond_error(&[Effect::new(9, value, error, 8.0)]);
        assert!(beyond(7.0, 1.01) < 1e-12);
        assert!((beyond(7.0, 0.5) - 0.5).abs() < 1e-5);
    }
}
