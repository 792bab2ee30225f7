//! Tests of the estimates about items, and the flags that follow from them.

use crate::{
    stats::{
        flags::Flag,
        holm::{SIGNIFICANCE_LEVEL, holm_adjust, sign_differs_by_bot},
        paired::Effect,
    },
    study::ablate::experiment::ItemEffects,
};

/// The estimates about an item with their tests.
#[derive(Clone, PartialEq, Debug)]
pub struct TestedItem {
    /// The estimates.
    pub effects: ItemEffects,
    /// p-values by Holm's method, over the items of the table: association, adjusted, forced now.
    pub p_holm: [f64; 3],
    /// The p-value of the difference between association and the effect of a forced pick, by Holm's
    /// method over the items of the table.
    pub disagree_p_holm: f64,
    /// The flags that follow from these.
    pub flags: Vec<Flag>,
}

/// Tests the estimates of one measure about all items of a table; p-values are adjusted for the
/// number of items.
pub fn test_table(values: &[ItemEffects]) -> Vec<TestedItem> {
    let effects: [fn(&ItemEffects) -> Effect; 4] = [
        |value| value.association,
        |value| value.adjusted,
        |value| value.forced_now,
        |value| value.disagreement,
    ];
    let [association, regression, forced_now, disagreement] = effects.map(|effect| {
        holm_adjust(&values.iter().map(|value| effect(value).p_value()).collect::<Vec<_>>())
    });
    let against_others: Vec<_> =
        (0..values.len()).map(|item| against_others(values, item)).collect();
    let p_against_others =
        holm_adjust(&against_others.iter().map(Effect::p_value).collect::<Vec<_>>());
    let tested = |(item, &value): (usize, &ItemEffects)| {
        let p_holm = [association[item], regression[item], forced_now[item]];
        let disagree_p_holm = disagreement[item];
        let mut flags = Vec::new();
        // Comparisons with a p-value that is not a number are false: what is not tested is not
        // significant.
        if disagree_p_holm < SIGNIFICANCE_LEVEL {
            flags.push(Flag::Disagree);
        }
        if association[item] < SIGNIFICANCE_LEVEL
            && forced_now[item] < SIGNIFICANCE_LEVEL
            && value.association.value * value.forced_now.value < 0.0
        {
            flags.push(Flag::Opposite);
        }
        if p_against_others[item] < SIGNIFICANCE_LEVEL {
            flags.push(if against_others[item].value > 0.0 { Flag::Strong } else { Flag::Weak });
        }
        if [value.association, value.adjusted, value.forced_now].iter().any(Effect::is_constant) {
            flags.push(Flag::Constant);
        }
        TestedItem { effects: value, p_holm, disagree_p_holm, flags }
    };
    values.iter().enumerate().map(tested).collect()
}

/// Flags the items whose effect of a forced pick has opposite signs for different bots. The values
/// of each bot follow those of the bot before, of the same items and measures in the same order.
pub fn flag_sign_flips<'a>(values: impl Iterator<Item = &'a mut TestedItem>, bots: usize) {
    let values: Vec<_> = values.collect();
    let effects: Vec<_> =
        values.iter().map(|tested| (tested.effects.forced_now.value, tested.p_holm[2])).collect();
    for (tested, flips) in values.into_iter().zip(sign_differs_by_bot(&effects, bots)) {
        if flips {
            tested.flags.push(Flag::Flips);
            tested.flags.sort_unstable();
        }
    }
}

/// Returns the effect of a forced pick of an item minus the mean of the others of its table. The
/// effects of different items come from assignments of their own and are taken to be independent.
fn against_others(values: &[ItemEffects], item: usize) -> Effect {
    let own = values[item].forced_now;
    let others = values.iter().enumerate().filter(|(other, _)| *other != item);
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

    fn value(association: f64, forced_now: Effect) -> ItemEffects {
        let association = Effect::new(1000, association, 0.1, 99.0);
        ItemEffects {
            association,
            adjusted: association,
            forced_now,
            disagreement: Effect::unknown(0),
        }
    }

    #[test]
    fn an_item_that_was_not_assigned_often_enough_is_not_opposite() {
        let few = Effect { value: -1.0, ..Effect::unknown(20) };
        let [tested] = &test_table(&[value(2.0, few)])[..] else { panic!("one item") };
        assert!(
            tested.p_holm[0] < 1e-9 && tested.p_holm[2].is_nan() && tested.flags.is_empty(),
            "{tested:?}"
        );
        let [tested] = &test_table(&[value(2.0, Effect::new(1000, -1.0, 0.1, 99.0))])[..] else {
            panic!("one item")
        };
        assert_eq!(tested.flags, [Flag::Opposite]);
    }

    /// 0.04 each: significant for one item, and not for one of two.
    #[test]
    fn flips_and_disagreements_are_those_of_the_whole_table() {
        let effect = |sign: f64| Effect::new(1000, sign * 2.082, 1.0, 99.0);
        let flags = |items: usize| -> Vec<Vec<Flag>> {
            let of_bot = |sign: f64| {
                vec![
                    ItemEffects { disagreement: effect(sign), ..value(sign * 2.0, effect(sign)) };
                    items
                ]
            };
            let mut rows: Vec<_> =
                [1.0, -1.0].iter().flat_map(|&sign| test_table(&of_bot(sign))).collect();
            flag_sign_flips(rows.iter_mut(), 2);
            rows.into_iter().map(|row| row.flags).collect()
        };
        assert_eq!(flags(1), vec![vec![Flag::Disagree, Flag::Flips]; 2]);
        assert_eq!(flags(2), vec![vec![]; 4]);
    }

    #[test]
    fn what_does_not_vary_is_flagged_and_not_tested() {
        let constant = Effect { limits: [-1.0, 1.0], ..Effect::new(1000, 0.0, 0.0, 99.0) };
        let rows =
            test_table(&[value(2.0, constant), value(2.0, Effect::new(1000, 1.0, 0.1, 99.0))]);
        assert_eq!(rows[0].flags, [Flag::Constant]);
        assert!(
            rows[0].p_holm[2].is_nan() && !rows[1].flags.contains(&Flag::Strong),
            "there is nothing to compare it with: {rows:?}"
        );
    }
}
