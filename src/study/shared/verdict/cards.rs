//! The rules on the levels of items: too strong, too weak, hardly used, not seen by the bot.

use super::{
    Finding, FindingSubject, ItemRating, ItemWord, MIN_COMPARED, MIN_FAMILY, MIN_KNOWN,
    MeasuredValue, RatedGame, RatedItem, Z_FIGURE, Z_TABLE, words::whole,
};

/// Standard deviation of the access of a fork, in a table without enough forks to estimate it.
const DEVIATION_OF_FORK: f64 = 60.0;
/// Quantile of items with so few forks that their error is that of the table.
const Z_FEW_FORKS: f64 = 3.0;
/// Share of the standard deviation of forks below which that of an item is chance.
const MIN_DEVIATION: f64 = 0.2;
/// Share of the offers below which an item is hardly used.
const HARDLY_USED: f64 = 15.0;
/// Share of the offers from which an item is taken nearly always.
const MUST_TAKE: f64 = 99.0;
/// Share of the offers below which a bot may not see a good item.
const BLIND_BELOW: f64 = 50.0;
/// Advantage of the owners of an item that the bot would see, with the whole interval.
const BLIND_ADVANTAGE: f64 = 15.0;
/// The same if a second bot takes it more often by [`SECOND_TAKES_MORE`].
const BLIND_ADVANTAGE_WITH_SECOND: f64 = 5.0;
const SECOND_TAKES_MORE: f64 = 10.0;

impl RatedItem {
    /// Returns how often it is taken, of enough offers.
    fn known_taken(&self) -> Option<MeasuredValue> {
        self.now.taken.filter(|taken| taken.n >= MIN_COMPARED)
    }

    /// Returns true if it is taken at few of its offers.
    pub(crate) fn is_hardly_used(&self) -> bool {
        let high = |taken: MeasuredValue| taken.value + taken.half_width();
        self.known_taken().is_some_and(|taken| high(taken) < HARDLY_USED)
    }

    /// Returns true if it is taken at nearly all of its offers.
    pub(crate) fn is_nearly_always_taken(&self) -> bool {
        let low = |taken: MeasuredValue| taken.value - taken.half_width();
        self.known_taken().is_some_and(|taken| low(taken) >= MUST_TAKE)
    }
}

impl RatedGame {
    /// Rates the items of each table by their worth, and returns the median of each. The median is
    /// that of all items with enough forks: items with narrow intervals are those with little
    /// worth.
    pub(super) fn rate_items(&self) -> (Vec<Option<ItemRating>>, Vec<Option<f64>>) {
        let mut ratings = vec![None; self.items.len()];
        let mut typical = vec![None; self.tables.len()];
        for (table, typical) in typical.iter_mut().enumerate() {
            let items = || self.items.iter().enumerate().filter(|(_, item)| item.table == table);
            let known = items().filter_map(|(index, item)| Some((index, item.now.worth?)));
            let known: Vec<_> = known.filter(|(_, worth)| worth.n > 0).collect();
            let values = items().filter_map(|(_, item)| item.now.worth.or(item.usual_worth));
            let values = values.filter(|worth| worth.n >= MIN_KNOWN).map(|worth| worth.value);
            let values: Vec<_> = values.collect();
            if known.is_empty() || values.len() < MIN_FAMILY {
                continue;
            }
            let Some(typical_worth) = median(values) else { continue };
            *typical = Some(typical_worth);
            let deviation = |worth: &MeasuredValue| worth.error * (worth.n as f64).sqrt();
            let sure = known.iter().map(|(_, worth)| worth);
            let sure = sure.filter(|worth| worth.n >= MIN_COMPARED && worth.error.is_finite());
            let of_table = median(sure.map(deviation).collect());
            let of_table = of_table.unwrap_or(DEVIATION_OF_FORK);
            for (index, worth) in known {
                let is_sure = worth.n >= MIN_COMPARED && worth.error.is_finite();
                let own = if is_sure { deviation(&worth) } else { of_table };
                let error = own.max(MIN_DEVIATION * of_table) / (worth.n as f64).sqrt();
                let worth = MeasuredValue { error, ..worth };
                ratings[index] = Some(self.rate_item(worth, typical_worth));
            }
        }
        (ratings, typical)
    }

    /// Rates an item by its distance from the median of its table.
    fn rate_item(&self, worth: MeasuredValue, median: f64) -> ItemRating {
        let distance = worth.value - median;
        let z = if worth.n < MIN_COMPARED { Z_FEW_FORKS } else { Z_TABLE };
        let low = distance.abs() - z * worth.error;
        let limit = self.smallest.worth;
        let word = if worth.n < MIN_KNOWN {
            ItemWord::Unsure
        } else if low > limit {
            if distance > 0.0 { ItemWord::Strong } else { ItemWord::Weak }
        } else if distance.abs() + Z_FIGURE * worth.error < limit {
            ItemWord::Fine
        } else {
            ItemWord::Unsure
        };
        ItemRating { word, distance, worth }
    }

    /// Returns the items that the bot may not see, the one whose owners win most first: it takes
    /// them at fewer than half of the offers, and
    ///
    /// - (a) their owners win far more than seats with as many items, or
    /// - (b) they are edited, and their owners win more than before, or
    /// - (c) another bot takes them more often, and their owners win more than others, or
    /// - (d) forks show that they are too strong.
    pub(super) fn blind_items(&self, ratings: &[Option<ItemRating>]) -> Vec<usize> {
        let is_blind = |&index: &usize| {
            let item = &self.items[index];
            let RatedItem { now, above_others, taken_by_second, .. } = item;
            let (Some(taken), Some(owners)) = (now.taken, now.owners) else { return false };
            if item.is_dealt || taken.value >= BLIND_BELOW || owners.n < MIN_KNOWN {
                return false;
            }
            let low = above_others.map_or(f64::NEG_INFINITY, |one| one.value - one.half_width());
            let is_above = above_others.is_some_and(|above| above.value > 0.0);
            let grows = item.before.owners.is_some_and(|before| owners.value > before.value);
            let is_changed = item.is_edited
                && grows
                && is_above
                && self.owners_score(item).is_some_and(|score| score > 1.0);
            let second_takes_more = taken_by_second.is_some_and(|second| {
                second.value > taken.value
                    && second.distance(taken, Z_TABLE) >= SECOND_TAKES_MORE
                    && low >= BLIND_ADVANTAGE_WITH_SECOND
            });
            let is_strong = ratings[index].is_some_and(|rating| rating.word == ItemWord::Strong);
            low >= BLIND_ADVANTAGE || is_changed || second_takes_more || is_strong
        };
        let mut blind: Vec<_> = (0..self.items.len()).filter(is_blind).collect();
        let advantage =
            |index: &usize| self.items[*index].above_others.map_or(0.0, |above| above.value);
        blind.sort_by(|one, other| advantage(other).total_cmp(&advantage(one)));
        blind
    }

    /// Returns the items that are hardly used, the least used first.
    pub(super) fn unused_items(&self) -> Vec<usize> {
        let is_unused = |index: &usize| self.items[*index].is_hardly_used();
        let mut unused: Vec<_> = (0..self.items.len()).filter(is_unused).collect();
        let share =
            |index: &usize| self.items[*index].now.taken.map_or(f64::NAN, |taken| taken.value);
        unused.sort_by(|one, other| share(one).total_cmp(&share(other)));
        unused
    }

    /// Finds the items that are too strong or too weak.
    pub(super) fn card_levels<'a>(
        &'a self,
        ratings: &'a [Option<ItemRating>],
    ) -> impl Iterator<Item = Finding> + 'a {
        let rated =
            ratings.iter().enumerate().filter_map(|(item, rating)| Some((item, (*rating)?)));
        rated.filter_map(|(item, ItemRating { word, distance, worth })| {
            let (side, place) = match word {
                ItemWord::Strong => ("strong", "above"),
                ItemWord::Weak => ("weak", "below"),
                _ => return None,
            };
            let (name, size) = (&self.items[item].name, whole(distance.abs()));
            Some(Finding {
                score: (distance.abs() - Z_TABLE * worth.error) / self.smallest.worth,
                sentence: format!("{name} is too {side}: {size} {place} the typical one."),
                subject: FindingSubject::Item(item),
            })
        })
    }

    /// Finds the dealt items whose owners win far more or less than the mean of all seats.
    pub(super) fn role_levels(&self) -> impl Iterator<Item = Finding> {
        let fair = self.fair_share();
        let dealt = self.items.iter().enumerate().filter(|(_, item)| item.is_dealt);
        dealt.filter_map(move |(index, item)| {
            let owners = item.now.owners?;
            let low = (owners.value - fair).abs() - Z_FIGURE * owners.error;
            let score = low / self.smallest.worth;
            let (name, wins, fair) = (&item.name, whole(owners.value), whole(fair));
            (score > 1.0).then(|| Finding {
                score,
                sentence: format!("{name} wins {wins} of 100, the mean role {fair}."),
                subject: FindingSubject::Item(index),
            })
        })
    }
}

/// Returns the median; `None` without a value.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let count = values.len();
    (count > 0).then(|| f64::midpoint(values[(count - 1) / 2], values[count / 2]))
}
