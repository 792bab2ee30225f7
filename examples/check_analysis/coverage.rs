//! Coverage of the intervals of differences between actions.

use rayon::prelude::*;
use watershed::BuiltInGame;
use watershed::{
    analysis::{
        judge::Analyst,
        rollout::{Rollouts, difference},
    },
    game::{ActionSet as _, Game as _},
    games::{GameDefinition as _, the_river::TheRiver},
    rng::{Purpose, random_below, stream},
    stats::ratio::Ratio,
};

use crate::{Fallible, decisions, percent, records};

/// Rollouts of an analysis.
const FEW: u64 = 400;
/// Rollouts to which it is compared.
const MANY: u64 = 4000;
/// Coverage to reach.
const MARK: std::ops::RangeInclusive<f64> = 0.93..=0.97;

/// Analyses a position of each of `positions` games of `expert` and compares one difference to the
/// best action with that of many rollouts. The interval is widened by their variance. Returns true
/// if its coverage reaches the mark.
pub(crate) fn check(positions: u64) -> Fallible<bool> {
    let game = TheRiver::bind(&TheRiver::default_document(), 2)?;
    let library = game.bot_library();
    let [search, policy] = [library.read("mcts:iterations=500")?, library.read("expert")?];
    let records = records(&game, "expert", 2801, positions)?;
    let contained = records.par_iter().map(|record| {
        let mut rng = stream(2802, record.index, 0, Purpose::Playout);
        let decisions = decisions(&game, record)?;
        let pick = |rng: &mut _, count: usize| random_below(rng, count as u32) as usize;
        let (_, state, seat, played) = decisions[pick(&mut rng, decisions.len())];
        let legal = game.legal_actions(&state);
        let any = legal.nth(pick(&mut rng, legal.len()));
        let analyst = Analyst {
            search: &search,
            policy: &policy,
            rollouts: FEW,
            candidates: 5,
            seed: 10_000 + record.index,
        };
        let analysis = analyst.analyse(&game, &state, seat, &[played, any]);
        let compared = analysis
            .actions
            .iter()
            .filter_map(|judged| Some((judged.action, judged.difference?.estimate())));
        let compared: Vec<_> = compared.collect();
        if compared.is_empty() {
            return Ok(None);
        }
        let (action, few) = compared[pick(&mut rng, compared.len())];
        let seed = 20_000 + record.index;
        let rollouts = Rollouts { game: &game, state: &state, seat, policy: &policy, seed };
        let results = rollouts.play(&[action, analysis.actions[0].action], 0..MANY);
        let many = difference(&results[0], &results[1], seat).estimate();
        let half_widths = [few, many].map(|estimate| (estimate.high - estimate.low) / 2.0);
        let half_width = half_widths[0].hypot(half_widths[1]);
        Ok(Some((few.value - many.value).abs() <= half_width))
    });
    let contained: Vec<_> = contained.collect::<Fallible<_>>()?;
    let mut coverage = Ratio::default();
    for &contained in contained.iter().flatten() {
        coverage.add_block(1, contained.into());
    }
    let rate = coverage.rate(1);
    println!(
        "{} of {} intervals of {FEW} rollouts contain the difference of {MANY} others: {} %; {} \
         positions without a comparison",
        coverage.x,
        rate.n,
        percent(rate),
        contained.iter().flatten().count().abs_diff(contained.len()),
    );
    Ok(MARK.contains(&rate.value))
}
