//! The rules on changes against another game: of figures, of items, of families of edited items.
//! The sentences on figures are here, too.

use std::collections::BTreeSet;

use super::{
    Finding, FindingSubject, GameFigure, ItemRating, MIN_COMPARED, MIN_FAMILY, MIN_KNOWN,
    MeasuredValue, RatedGame, RatedItem, Z_FIGURE, Z_TABLE,
    words::{one_decimal, percent, rounded, shorten, whole, with_half_width},
};
use crate::games::targets::TargetRange;

/// Number of edited items up to which they are few questions.
const FEW_EDITS: usize = 5;
/// Score of a figure, as a share of the highest, from which the order is fixed, so that the seed
/// does not choose.
const NEAR_TIE: f64 = 0.6;

impl RatedGame {
    /// Finds the changes of figures, items and families of edited items.
    pub(super) fn changes(&self, ratings: &[Option<ItemRating>]) -> Vec<Finding> {
        let figures = GameFigure::ALL.into_iter().filter_map(|figure| {
            let [before, now] = self.compared(figure)?;
            let smallest = self.smallest.of(figure, before.value);
            Some(Finding {
                score: now.distance(before, Z_FIGURE) / smallest,
                sentence: figure.change(before.value, now.value),
                subject: FindingSubject::Figure(figure),
            })
            .filter(|_| smallest > 0.0)
        });
        let items = self.items.iter().enumerate();
        let items = items.zip(ratings);
        let items = items
            .flat_map(|((index, item), rating)| self.item_changes(index, item, rating.as_ref()));
        let mut findings: Vec<_> =
            figures.chain(items).filter(|finding| finding.score > 1.0).collect();
        let families = (0..self.tables.len()).filter_map(|table| self.family(table, &findings));
        let families: Vec<_> = families.collect();
        findings.extend(families);
        findings
    }

    /// Returns the quantile of the changes of an item: few edited items are few questions.
    fn z_of(&self, item: &RatedItem) -> f64 {
        let edited = self.items.iter().filter(|item| item.is_edited).count();
        if item.is_edited && edited <= FEW_EDITS { Z_FIGURE } else { Z_TABLE }
    }

    /// Returns the score of the change of the owners' win rate; `None` with few owners.
    pub(super) fn owners_score(&self, item: &RatedItem) -> Option<f64> {
        let (before, now) = item.before.owners.zip(item.now.owners)?;
        let low = now.distance(before, self.z_of(item));
        (before.n.min(now.n) >= MIN_COMPARED).then_some(low / self.smallest.worth)
    }

    /// Returns all changes of an item.
    fn item_changes(
        &self,
        index: usize,
        item: &RatedItem,
        rating: Option<&ItemRating>,
    ) -> Vec<Finding> {
        let RatedItem { name, now, before, .. } = item;
        let z = self.z_of(item);
        let mut found = Vec::new();
        let mut add = |score, sentence| {
            found.push(Finding { score, sentence, subject: FindingSubject::Item(index) });
        };
        if let (Some(old), Some(new), Some(score)) =
            (before.owners, now.owners, self.owners_score(item))
        {
            let [to, from] = [new, old].map(|one| rounded(one.value, new.half_width()));
            add(score, format!("{name}: owners now win {to} of 100, not {from}."));
        }
        if let Some((old, new)) = before.taken.zip(now.taken) {
            let [to, from] = [new, old].map(|one| percent(one.value));
            let score = new.distance(old, z) / self.smallest.taken;
            add(score, format!("{name}: now taken at {to} of offers, not {from}."));
        }
        if let Some((old, new)) = before.worth.zip(rating.map(|rating| rating.worth))
            && old.n.min(new.n) >= MIN_KNOWN
        {
            let size = with_half_width(new.value, new.half_width()).replace('+', "");
            let (score, from) =
                (new.distance(old, Z_TABLE) / self.smallest.worth, whole(old.value));
            add(score, format!("{name}: now worth {size} wins of 100, not {from}."));
        }
        if let Some((old, new)) = before.points.zip(now.points)
            && item.is_edited
            && now.owners.is_none()
            && old.value > 0.0
        {
            let [to, from] = [new, old].map(|one| one_decimal(one.value));
            let score = new.distance(old, Z_FIGURE) / (self.smallest.points * old.value);
            add(score, format!("{name} scores {to} points where it is owned, not {from}."));
        }
        found
    }

    /// Finds the change of the edited items of a table together. It goes before its members unless
    /// one has twice its score. A family without names for its members is a table.
    fn family(&self, table: usize, findings: &[Finding]) -> Option<Finding> {
        let edited = self.items.iter().enumerate();
        let edited = edited.filter(|(_, item)| item.is_edited && item.table == table);
        let members: Vec<_> = edited
            .filter_map(|(index, item)| Some((index, item.before.taken?, item.now.taken?)))
            .collect();
        if members.len() < MIN_FAMILY {
            return None;
        }
        let pool = |of: fn(&(usize, MeasuredValue, MeasuredValue)) -> MeasuredValue| {
            let values = || members.iter().map(of);
            let n: f64 = values().map(|one| one.n as f64).sum();
            let value = values().map(|one| one.value * one.n as f64).sum::<f64>() / n;
            let variance: f64 = values().map(|one| (one.error * one.n as f64).powi(2)).sum();
            MeasuredValue { value, error: variance.sqrt() / n, n: n as i64 }
        };
        let (old, new) = (pool(|member| member.1), pool(|member| member.2));
        let own = new.distance(MeasuredValue { error: 0.0, ..old }, Z_FIGURE)
            / self.smallest.taken_of_family;
        let is_member = |finding: &&Finding| {
            members.iter().any(|(index, ..)| finding.subject == FindingSubject::Item(*index))
        };
        let scores = findings.iter().filter(is_member).map(|finding| finding.score);
        let top = scores.fold(0.0, f64::max);
        let score = if top > 2.0 * own { own.max(0.9 * top) } else { own.max(top + 0.01) };
        let prefix = |id: &str| id.split('_').next().unwrap_or_default().to_owned();
        let prefixes: BTreeSet<_> =
            members.iter().map(|(index, ..)| prefix(&self.items[*index].id)).collect();
        let kind = match &prefixes.into_iter().collect::<Vec<_>>()[..] {
            [one] => format!("{one}s"),
            _ => self.tables[table].plural.clone(),
        };
        let (count, [to, from]) = (members.len(), [new, old].map(|one| percent(one.value)));
        (own > 1.0).then(|| Finding {
            score,
            sentence: format!(
                "The {count} edited {} are taken at {to} of offers, not {from}.",
                shorten(&kind, 20)
            ),
            subject: FindingSubject::Family(table),
        })
    }

    /// Sorts changes, the largest first. Items that no edit touches count half; near ties among
    /// figures have a fixed order, so that the seed does not choose.
    pub(super) fn sort_changes(&self, changes: &mut [Finding]) {
        let has_edited = self.items.iter().any(|item| item.is_edited);
        let weight = |finding: &Finding| match finding.subject {
            FindingSubject::Item(item) if has_edited && !self.items[item].is_edited => {
                0.5 * finding.score
            }
            _ => finding.score,
        };
        changes.sort_by(|one, other| weight(other).total_cmp(&weight(one)));
        let Some(Finding { score: top, subject: FindingSubject::Figure(_), .. }) = changes.first()
        else {
            return;
        };
        let limit = NEAR_TIE * top;
        // A stable sort: the other changes keep their places after the near ties.
        changes.sort_by_key(|finding| match finding.subject {
            FindingSubject::Figure(figure) if finding.score >= limit => figure as usize,
            _ => GameFigure::ALL.len(),
        });
    }
}

impl GameFigure {
    /// Returns the subject, the verb and the end of sentences on the figure.
    const fn words(self) -> [&'static str; 3] {
        match self {
            Self::Capped => ["The round limit", "ends", "of 100 games"],
            Self::Rounds => ["Games", "last", "rounds"],
            Self::Decisions => ["Games", "take", "decisions"],
            Self::LeaderAtHalf => ["The leader at half time", "wins", "of 100"],
            Self::FirstPlayer => ["The first player", "wins", "of 100 games"],
            Self::GamesWon => ["Players", "win", "of 100 games"],
            Self::NobodyWon => ["Nobody", "wins", "of 100 games"],
            Self::WinningScore => ["Winners", "score", "points"],
            Self::LeadChanges => ["The lead", "changes", "times a game"],
            Self::SharedWins => ["Several players", "win", "of 100 games"],
            Self::DeadItems => ["The bot", "hardly uses", "cards"],
            Self::MustTakeItems => ["The bot", "nearly always takes", "cards"],
        }
    }

    /// States the change of the figure.
    pub(super) fn change(self, before: f64, after: f64) -> String {
        let [old, new] = [before, after].map(|value| self.format(value));
        let [subject, verb, end] = self.words();
        match self {
            Self::Capped => format!("{new} of 100 games never end by themselves."),
            _ => format!("{subject} now {verb} {new} {end}, not {old}."),
        }
    }

    /// Compares the figure with its target.
    pub(super) fn missed(self, value: f64, target: TargetRange) -> String {
        let scale = if self.is_share() { 100.0 } else { 1.0 };
        let [low, high] = [target.low, target.high].map(|end| (scale * end * 1e6).round() / 1e6);
        let ([subject, verb, end], value) = (self.words(), self.format(value));
        format!("{subject} {verb} {value} {end}; the target is {low} to {high}.")
    }
}
