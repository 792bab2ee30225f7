//! The sentences with which the page and the terminal text begin.

use crate::study::shared::{
    comparison::{
        analysis::{
            ComparisonLayout, ComparisonResult, DataComparison, DifferenceRow, GAME_METRICS,
            ITEM_METRICS, MAX_ITEMS, metric_title,
        },
        blind::LineupUse,
        edits::Edit,
        tables::sort_order,
        verdict::DifferenceVerdict,
    },
    prelude::*,
};

impl<'a> DataComparison<'a> {
    /// States the edited keys with their old and new values.
    pub(crate) fn edits_sentence(&self) -> Option<String> {
        let catalog = &self.metrics.catalog;
        if let ComparisonLayout::ByValue { key: None, values } = self.layout {
            let changes = self.edits.iter().zip(&values[1..]);
            let changes = changes.map(|(edits, file)| {
                format!("{file}: {}", Edit::list(edits, catalog).unwrap_or("no change".to_owned()))
            });
            let changes = changes.collect::<Vec<_>>().join(". ");
            return Some(format!("Compared with {}. {changes}.", values[0]));
        }
        if let ComparisonLayout::ByValue { key: Some(key), values } = self.layout {
            let label = self.edited_items().first().map(|&item| &catalog.item(item).label);
            let label = label.map(|label| format!(" ({label})")).unwrap_or_default();
            let order = sort_order(values).into_iter();
            let shown = order.map(|index| {
                let file = if index == 0 { " (the data file)" } else { "" };
                format!("{}{file}", values[index])
            });
            return Some(format!("{key}{label} at {}.", join_with_and(shown)));
        }
        let edits = self.edits.first()?;
        let texts = Edit::list(edits, catalog)?;
        Some(format!("{}: {texts}.", format_count(edits.len(), "change")))
    }

    /// States the results of a lineup: the edited items, the game, and the other items.
    pub(crate) fn answer(&self, result: &ComparisonResult) -> Vec<String> {
        let (mut sentences, is_blind) = self.blind_sentences(result);
        if is_blind {
            return sentences;
        }
        let items = self.edited_items();
        for &item in items.iter().take(MAX_ITEMS) {
            sentences.extend(self.item_sentence(result, item));
        }
        sentences.extend(self.game_sentence(result, GAME_METRICS.len()));
        sentences
    }

    /// States the main figure of the first edited item and of the game with a lineup.
    pub(super) fn main_answer(&self, result: &ComparisonResult) -> Vec<String> {
        let (mut sentences, is_blind) = self.blind_sentences(result);
        if is_blind {
            return sentences;
        }
        let items = self.edited_items();
        let item = items.first().and_then(|&item| self.item_figures(result, item, 1));
        // The sentence on the edits names the item.
        sentences.extend(item.map(|figures| format!("{figures}.")));
        sentences.extend(self.game_sentence(result, 1));
        sentences
    }

    /// Returns the differences of a lineup that the answer states, as far as they are observed.
    pub(crate) fn answered_rows(&self, result: &ComparisonResult) -> Vec<&DifferenceRow<'a>> {
        let items = self.edited_items().into_iter();
        let of_items = items.flat_map(|item| self.rows_of_item(result, item));
        let of_game = self.families.first().map(|game| game.rows_of(result)).unwrap_or_default();
        let is_shown = |row: &&DifferenceRow<'_>| {
            row.is_answered && row.estimates.iter().all(|estimate| estimate.n > 0)
        };
        of_items.chain(of_game).filter(is_shown).collect()
    }

    /// States the results that the answer leaves out: other figures of the game, and other items.
    pub(crate) fn notes(&self, result: &ComparisonResult) -> Vec<String> {
        if self.blind_sentences(result).1 {
            return Vec::new();
        }
        let others = self.other_items_sentence(result, &self.edited_items());
        self.other_figures_sentence(result).into_iter().chain(others).collect()
    }

    /// States the variants that the bots make no use of, and returns true if these are all.
    fn blind_sentences(&self, result: &ComparisonResult) -> (Vec<String>, bool) {
        let lineup = self.results.iter().position(|other| std::ptr::eq(other, result));
        let uses = lineup.and_then(|lineup| self.uses.get(lineup)).map_or(&[][..], |uses| uses);
        let sentences = uses.iter().enumerate().filter(|(_, lineup_use)| lineup_use.is_blind());
        let sentences = sentences.map(|(variant, lineup_use)| {
            let edit = match self.layout {
                ComparisonLayout::SideBySide => "this edit".to_owned(),
                ComparisonLayout::ByValue { key: Some(key), values } => {
                    format!("{key} = {}", values[variant + 1])
                }
                ComparisonLayout::ByValue { key: None, values } => {
                    format!("the edit of {}", values[variant + 1])
                }
            };
            lineup_use.sentence(&result.lineup, &edit)
        });
        let is_blind = !uses.is_empty() && uses.iter().all(LineupUse::is_blind);
        (sentences.collect(), is_blind)
    }

    /// Returns the label of an item with its name.
    pub(crate) fn item_label(&self, item: ItemId) -> String {
        let item = self.metrics.catalog.item(item);
        if item.label == item.name {
            item.label.clone()
        } else {
            format!("{} ({})", item.label, item.name)
        }
    }

    /// Returns the rows of an item with a lineup, by metric and variant.
    pub(crate) fn rows_of_item(
        &self,
        result: &ComparisonResult,
        item: ItemId,
    ) -> Vec<&DifferenceRow<'a>> {
        let rows = self.families.iter().flat_map(|family| family.rows_of(result));
        rows.filter(|row| row.metric.item() == Some(item)).collect()
    }

    fn item_sentence(&self, result: &ComparisonResult, item: ItemId) -> Option<String> {
        let figures = self.item_figures(result, item, ITEM_METRICS.len())?;
        Some(format!("{}: {figures}.", self.item_label(item)))
    }

    /// States at most `max_figures` figures of an item.
    fn item_figures(
        &self,
        result: &ComparisonResult,
        item: ItemId,
        max_figures: usize,
    ) -> Option<String> {
        let rows = self.rows_of_item(result, item);
        let parts: Vec<_> = ITEM_METRICS
            .into_iter()
            .filter_map(|metric| {
                let rows = rows.iter().copied().filter(|row| row.metric.metric == metric);
                self.describe_metric(&rows.collect::<Vec<_>>())
            })
            .take(max_figures)
            .collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// States at most `max_figures` figures of the game.
    fn game_sentence(&self, result: &ComparisonResult, max_figures: usize) -> Option<String> {
        let rows = self.families.first()?.rows_of(result);
        let of = |metric: ComparedMetric| -> Vec<_> {
            rows.iter().copied().filter(|row| row.metric == metric).collect()
        };
        let parts: Vec<_> = GAME_METRICS
            .into_iter()
            .filter_map(|metric| self.describe_metric(&of(metric)))
            .take(max_figures)
            .collect();
        if parts.is_empty() {
            return Some("There are too few deals for a test.".to_owned());
        }
        let deals = group_digits(result.tally.blocks);
        Some(format!("The game: {} ({deals} deals).", parts.join("; ")))
    }

    fn other_figures_sentence(&self, result: &ComparisonResult) -> Option<String> {
        let rows = self.families.first()?.rows_of(result);
        let others = rows.iter().filter(|row| !GAME_METRICS.contains(&row.metric));
        let tested: Vec<_> = others.filter(|row| !row.difference.p_holm.is_nan()).collect();
        let significant = tested.iter().filter(|row| row.difference.is_significant()).count();
        (!tested.is_empty()).then(|| {
            format!(
                "Of {} of other figures of the game, {} significant (Holm, 5 %).",
                format_count(tested.len(), "difference"),
                is_or_are(significant),
            )
        })
    }

    fn other_items_sentence(&self, result: &ComparisonResult, edited: &[ItemId]) -> Option<String> {
        let families = self.families.iter().skip(1).flat_map(|family| family.rows_of(result));
        let is_other = |row: &&DifferenceRow<'_>| {
            row.metric.item().is_some_and(|item| !edited.contains(&item))
                && !row.difference.p_holm.is_nan()
        };
        let rows: Vec<_> = families.filter(is_other).collect();
        let significant: Vec<_> =
            rows.iter().filter(|row| row.difference.is_significant()).collect();
        let matters =
            significant.iter().filter(|row| row.verdict == Some(DifferenceVerdict::Matters));
        let (significant, matters) = (significant.len(), matters.count());
        (!rows.is_empty()).then(|| {
            format!(
                "Of {} of {}items, {} significant, and {matters} of them matter{}.",
                format_count(rows.len(), "difference"),
                if edited.is_empty() { "" } else { "other " },
                is_or_are(significant),
                if matters == 1 { "s" } else { "" }
            )
        })
    }

    /// States a metric under both files, or at all values; `None` if nothing was observed.
    fn describe_metric(&self, rows: &[&DifferenceRow<'_>]) -> Option<String> {
        let first = rows.first()?;
        let unit = metric_unit(first.metric.metric);
        let title = metric_title(first.metric, first.result);
        if let ComparisonLayout::ByValue { key, values } = self.layout {
            let order = sort_order(values).into_iter();
            let cells = order.filter_map(|index| {
                let row = rows.iter().find(|row| row.variant + 1 == index);
                let estimate = row.map_or(first.estimates[0], |row| row.estimates[1]);
                let mark =
                    if row.is_some_and(|row| row.difference.is_significant()) { "*" } else { "" };
                let mean = format!("{}{mark}", unit.format_value(estimate));
                let shown = match key {
                    Some(_) => format!("{mean} at {}", values[index]),
                    None => format!("{mean} ({})", values[index]),
                };
                (!estimate.value.is_nan()).then_some(shown)
            });
            let cells: Vec<_> = cells.collect();
            let is_any = rows.iter().any(|row| row.difference.is_significant());
            let [file, _] = self.layout.side_titles();
            let note = if is_any {
                format!("; * differs from the {file}")
            } else {
                "; no significant difference".to_owned()
            };
            return (!cells.is_empty()).then(|| format!("{title} {}{note}", cells.join(", ")));
        }
        let [baseline, variant] = first.estimates;
        match first.flag {
            Some(Flag::Added) if variant.n > 0 => {
                Some(format!("{title} {} (only in the variant)", unit.format_estimate(variant)))
            }
            Some(Flag::Removed) if baseline.n > 0 => {
                Some(format!("{title} {} (only in the baseline)", unit.format_estimate(baseline)))
            }
            _ if baseline.value.is_nan() || variant.value.is_nan() => None,
            flag => {
                let difference = difference_unit(first.metric.metric);
                let verdict = match (flag, first.verdict) {
                    (Some(Flag::Flips), _) => " (opposite sign with another bot)".to_owned(),
                    (_, Some(verdict)) => format!(" ({})", verdict.title()),
                    (Some(Flag::Constant), None) => " (the same in every deal)".to_owned(),
                    _ => " (too few deals)".to_owned(),
                };
                let shown = if first.verdict.is_some() {
                    difference.format_estimate(first.shown_difference())
                } else {
                    difference.format_value(first.shown_difference())
                };
                Some(format!(
                    "{title} {} → {}, {shown}{verdict}",
                    unit.format_value(baseline),
                    unit.format_value(variant)
                ))
            }
        }
    }
}
