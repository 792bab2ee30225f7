//! The tests of item effects and the flags that follow from them.

use crate::{
    stats::{
        flags::Flag,
        holm::{SIGNIFICANCE_LEVEL, holm_adjust, sign_differs_by_bot},
        paired::Effect,
    },
    study::ablate::experiment::ItemEffects,
};

/// The effects of an item on a metric, with their tests.
#[derive(Clone, PartialEq, Debug)]
pub struct TestedItem {
    /// The effects.
    pub effects: ItemEffects,
    /// Holm-adjusted p-values over the items of the table: association, adjusted, forced now.
    pub p_holm: [f64; 3],
    /// Holm-adjusted p-value of the difference between the association and the effect of a forced
    /// pick.
    pub disagree_p_holm: f64,
    /// The flags that follow from the tests.
    pub flags: Vec<Flag>,
}

/// Tests the effects of all items of a table on one metric. The p-values of each kind of effect are
/// adjusted over the items.
pub fn test_table(items: &[ItemEffects]) -> Vec<TestedItem> {
    let kinds: [fn(&ItemEffects) -> Effect; 4] = [
        |effects| effects.association,
        |effects| effects.adjusted,
        |effects| effects.forced_now,
        |effects| effects.disagreement,
    ];
    let adjust =
        |effects: &[Effect]| holm_adjust(&effects.iter().map(Effect::p_value).collect::<Vec<_>>());
    let [association, adjusted, forced_now, disagreement] =
        kinds.map(|effect| adjust(&items.iter().map(effect).collect::<Vec<_>>()));
    let differences: Vec<_> =
        (0..items.len()).map(|item| difference_from_others(items, item)).collect();
    let p_differences = adjust(&differences);
    let tested = |(item, &effects): (usize, &ItemEffects)| {
        let p_holm = [association[item], adjusted[item], forced_now[item]];
        let disagree_p_holm = disagreement[item];
        let mut flags = Vec::new();
        // Without a test the p-value is not a number, and every comparison is false.
        if disagree_p_holm < SIGNIFICANCE_LEVEL {
            flags.push(Flag::Disagree);
        }
        if association[item] < SIGNIFICANCE_LEVEL
            && forced_now[item] < SIGNIFICANCE_LEVEL
            && effects.association.value * effects.forced_now.value < 0.0
        {
            flags.push(Flag::Opposite);
        }
        if p_differences[item] < SIGNIFICANCE_LEVEL {
            flags.push(if differences[item].value > 0.0 { Flag::Strong } else { Flag::Weak });
        }
        if kinds[..3].iter().any(|effect| effect(&effects).is_constant()) {
            flags.push(Flag::Constant);
        }
        TestedItem { effects, p_holm, disagree_p_holm, flags }
    };
    items.iter().enumerate().map(tested).collect()
}

/// Adds [`Flag::Flips`] to items. The items of all bots follow each other bot by bot, in the same
/// order.
pub fn flag_sign_flips<'a>(items: impl Iterator<Item = &'a mut TestedItem>, bots: usize) {
    let items: Vec<_> = items.collect();
    let effects: Vec<_> =
        items.iter().map(|tested| (tested.effects.forced_now.value, tested.p_holm[2])).collect();
    for (tested, flips) in items.into_iter().zip(sign_differs_by_bot(&effects, bots)) {
        if flips {
            tested.flags.push(Flag::Flips);
            tested.flags.sort_unstable();
        }
    }
}

/// Returns the effect of a forced pick of an item minus the mean of the other items of its table.
/// The effects of different items come from separate assignments and are taken as independent.
fn difference_from_others(items: &[ItemEffects], item: usize) -> Effect {
    let own = items[item].forced_now;
    let others = items.iter().enumerate().filter(|(other, _)| *other != item);
    let others: Vec<_> =
        others.map(|(_, other)| other.forced_now).filter(Effect::is_testable).collect();
    let n = others.len() as f64;
    if !own.is_testable() || others.is_empty() {
        return Effect::unknown(own.n);
    }
    let mean = others.iter().map(|other| other.value).sum::<f64>() / n;
    let variance = others.iter().map(|other| other.standard_error.powi(2)).sum::<f64>() / (n * n);
    Effect::new(
        own.n,
        own.value - mean,
        own.standard_error.hypot(variance.sqrt()),
        own.degrees_of_freedom,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effects(association: f64, forced_now: Effect) -> ItemEffects {
        let association = Effect::new(1000, association, 0.1, 99.0);
        ItemEffects {
            association,
            adjusted: association,
            forced_now,
            disagreement: Effect::unknown(0),
        }
    }

    #[test]
    fn item_without_test_of_forced_picks_is_not_opposite() {
        let few = Effect { value: -1.0, ..Effect::unknown(20) };
        let [tested] = &test_table(&[effects(2.0, few)])[..] else { panic!("one item") };
        assert!(
            tested.p_holm[0] < 1e-9 && tested.p_holm[2].is_nan() && tested.flags.is_empty(),
            "{tested:?}"
        );
        let [tested] = &test_table(&[effects(2.0, Effect::new(1000, -1.0, 0.1, 99.0))])[..] else {
            panic!("one item")
        };
        assert_eq!(tested.flags, [Flag::Opposite]);
    }

    /// The unadjusted p-value is 0.04: significant for 1 item, not significant for 2.
    #[test]
    fn flags_use_p_values_adjusted_over_the_table() {
        let effect = |sign: f64| Effect::new(1000, sign * 2.082, 1.0, 99.0);
        let flags = |items: usize| -> Vec<Vec<Flag>> {
            let items_of_bot = |sign: f64| {
                vec![
                    ItemEffects { disagreement: effect(sign), ..effects(sign * 2.0, effect(sign)) };
                    items
                ]
            };
            let mut rows: Vec<_> =
                [1.0, -1.0].iter().flat_map(|&sign| test_table(&items_of_bot(sign))).collect();
            flag_sign_flips(rows.iter_mut(), 2);
            rows.into_iter().map(|row| row.flags).collect()
        };
        assert_eq!(flags(1), vec![vec![Flag::Disagree, Flag::Flips]; 2]);
        assert_eq!(flags(2), vec![vec![]; 4]);
    }

    #[test]
    fn constant_effect_is_flagged_and_not_tested() {
        let constant = Effect { limits: [-1.0, 1.0], ..Effect::new(1000, 0.0, 0.0, 99.0) };
        let rows =
            test_table(&[effects(2.0, constant), effects(2.0, Effect::new(1000, 1.0, 0.1, 99.0))]);
        assert_eq!(rows[0].flags, [Flag::Constant]);
        assert!(
            rows[0].p_holm[2].is_nan() && !rows[1].flags.contains(&Flag::Strong),
            "the other item has no test: {rows:?}"
        );
    }
}
