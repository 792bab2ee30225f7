//! Advice of `analyze` against deep searches, and against advice with another seed.

use watershed::BuiltInGame;
use watershed::{
    Seat,
    analysis::{
        judge::{Analyst, PositionAnalysis},
        searched_position::SearchedPosition,
        successors::Successors,
    },
    bots::BotFactory,
    game::Game,
    games::{GameDefinition as _, the_river::TheRiver},
    rng::{Purpose, random_below, stream},
    stats::ratio::Ratio,
};

use crate::{Fallible, decisions, mean, percent, records};

/// Iterations of the deep searches: ten times those of `analyze`.
const DEEP: u32 = 20_000;
/// Iterations of the searches of stable analyses: twenty times those of `analyze`.
const DEEPEST: u32 = 40_000;
/// Samples of deep searches after an action.
const SAMPLES: u64 = 2;
/// Loss against the most visited action that is too large, and the share of the decisions without
/// it.
const LARGE: f64 = 0.03;
const GOOD: f64 = 0.98;
/// Share of the positions in which two stable analyses agree, and their largest mean loss.
const AGREED: f64 = 0.97;
const LOSS: f64 = 0.005;

type River = TheRiver;
type State = <River as Game>::State;
type Action = <River as Game>::Action;

/// Returns one random decision of each of several games of `expert`.
fn positions(game: &River, count: u64, seed: u64) -> Fallible<Vec<(State, Seat)>> {
    let records = records(game, "expert", seed, count)?;
    let position = |record| {
        let decisions = decisions(game, record)?;
        let mut rng = stream(seed, record.index, 0, Purpose::Playout);
        let (_, state, seat, _) =
            decisions[random_below(&mut rng, decisions.len() as u32) as usize];
        Ok((state, seat))
    };
    records.iter().map(position).collect()
}

/// Returns the win chance after one action less that after another, by deep searches.
fn gain(game: &River, bot: &BotFactory, at: &(State, Seat), actions: [Action; 2]) -> f64 {
    let (state, seat) = at;
    if actions[0] == actions[1] {
        return 0.0;
    }
    let successors = Successors { game, state, seat: *seat, bot, seed: 903 };
    let after = successors.search(&actions, 0..SAMPLES);
    after[0].of(*seat) - after[1].of(*seat)
}

fn analyst(search: &BotFactory, seed: u64) -> Analyst<'_> {
    Analyst { search, after: Some(search), policy: search, rollouts: 0, candidates: 5, seed }
}

/// Compares the best action of the default analysis with the action that its first search visits
/// most. Returns true if it is much worse seldom enough.
pub(crate) fn check_headlines(count: u64, seed: u64) -> Fallible<bool> {
    let game = River::bind(&River::default_document(), 2)?;
    let library = game.bot_library();
    let search = library.read("mcts:iterations=2000")?;
    let deep = library.read(&format!("mcts:iterations={DEEP}"))?;
    let (mut good, mut few, mut gains) = (Ratio::default(), 0, Vec::new());
    for (number, at) in (1..).zip(&positions(&game, count, seed)?) {
        let analysis = analyst(&search, number).analyse(&game, &at.0, at.1, &[]);
        let best = &analysis.actions[0];
        let Some(most) = analysis.actions.iter().max_by_key(|one| one.visits) else { continue };
        few += u64::from(best.visits < 10);
        let gain = gain(&game, &deep, at, [best.action, most.action]);
        good.add_block(1, (gain >= -LARGE).into());
        if best.action != most.action {
            gains.push(gain);
        }
    }
    let rate = good.rate(1);
    println!(
        "{} % of {} best actions are at most 3 points worse than the most visited one; {few} have \
         fewer than 10 visits; {} are not the most visited one and gain {} points",
        percent(rate),
        rate.n,
        gains.len(),
        percent(mean(&gains).estimate())
    );
    Ok(rate.value >= GOOD && few == 0)
}

/// Analyses positions until the answer is stable, with two seeds. Returns true if the answers agree
/// often enough, and lose little against a search that is twenty times larger.
pub(crate) fn check_stable(count: u64, seed: u64) -> Fallible<bool> {
    let game = River::bind(&River::default_document(), 2)?;
    let library = game.bot_library();
    let read = |iterations: u32| library.read(&format!("mcts:iterations={iterations}"));
    let searches = (0..=5).map(|doublings| read(2000 << doublings));
    let searches = searches.collect::<Result<Vec<_>, _>>()?;
    let deepest = read(DEEPEST)?;
    let (mut same, mut agreed, mut losses) = (Ratio::default(), Ratio::default(), Vec::new());
    for (number, at) in (1..).zip(&positions(&game, count, seed)?) {
        let of_seed = |seed| {
            let analyst = analyst(&searches[0], seed);
            analyst.analyse_until_stable(&searches, &game, &at.0, at.1, &[], &|_| {}).0
        };
        let [one, other] = [2 * number, 2 * number + 1].map(of_seed);
        same.add_block(1, (one.actions[0].action == other.actions[0].action).into());
        agreed.add_block(1, agree(&one, &other).into());
        let best = SearchedPosition::search(&deepest, &game, &at.0, at.1, 904).chosen();
        losses.push(gain(&game, &deepest, at, [best, one.actions[0].action]));
    }
    let [same, agreed] = [same, agreed].map(|ratio| ratio.rate(1));
    let loss = mean(&losses).estimate();
    println!(
        "{} % of {} pairs name the same action first, {} % name the same or both name both; the \
         first action loses {} points against {DEEPEST} iterations",
        percent(same),
        same.n,
        percent(agreed),
        percent(loss)
    );
    Ok(agreed.value >= AGREED && loss.value <= LOSS)
}

/// Returns true if two analyses have the same best action, or if both name both best actions.
fn agree(one: &PositionAnalysis<Action>, other: &PositionAnalysis<Action>) -> bool {
    let names = |analysis: &PositionAnalysis<Action>, action: Action| {
        analysis.leaders().iter().any(|judged| judged.action == action)
    };
    let bests = [one.actions[0].action, other.actions[0].action];
    bests[0] == bests[1] || names(one, bests[1]) && names(other, bests[0])
}
