//! Blunders that were planted, games without one, and the gain from better actions.

use rayon::prelude::*;
use watershed::BuiltInGame;
use watershed::{
    analysis::{
        judge::Analyst,
        ledger::{Annotator, Mistake},
        rollout::{Rollouts, difference},
    },
    arena::{
        play::{Decision, play_from},
        record::{Decider, Record},
    },
    bots::{BotFactory, View},
    game::{ActionSet as _, Game as _, Notation as _, Seat},
    games::{GameDefinition as _, the_river::TheRiver},
    rng::{ChanceStreams, Purpose, random_below, stream},
    stats::ratio::Ratio,
};

use crate::{Decisions, Fallible, decisions, mean, percent, records};

/// Loss of a planted blunder.
const LOSS: f64 = 0.1;
/// Fresh rollouts that prove a planted blunder.
const PROOF: u64 = 2000;
/// Rollouts that choose the worst action of a decision.
const SCREENING: u64 = 100;
/// Decisions of a game that are tried.
const TRIES: usize = 8;
/// Share of planted blunders that are found, and of other games without one.
const MARK: f64 = 0.95;
/// Rollouts of an annotation: the default of `replay --annotate`, and fewer for bots with many
/// blunders.
const ROLLOUTS: u64 = 1000;
const FEWER_ROLLOUTS: u64 = 300;
/// Continuations of a position after each of two actions.
const CONTINUATIONS: u64 = 20;

type River = TheRiver;

/// Bots of an annotator with the default iterations of `replay --annotate`.
struct Bots {
    search: BotFactory,
    evaluator: BotFactory,
    policy: BotFactory,
}

impl Bots {
    fn read(game: &River) -> Fallible<Self> {
        let library = game.bot_library();
        Ok(Self {
            search: library.read("mcts:iterations=500")?,
            evaluator: library.read("mcts:iterations=200")?,
            policy: library.read("expert")?,
        })
    }

    /// Returns an annotator with this number of rollouts, and a tenth of it for the screening.
    fn annotator(&self, rollouts: u64) -> Annotator<'_> {
        let Self { search, evaluator, policy } = self;
        let analyst = Analyst { search, policy, rollouts: rollouts / 10, candidates: 3, seed: 1 };
        Annotator { evaluator, analyst, confirmation: rollouts }
    }
}

/// Plants a blunder in games of the search against itself, plays them to their ends, and counts the
/// blunders that are found. Counts the games of the search in which a blunder is named, except
/// those in which fresh rollouts prove it. Returns true if both shares reach the mark.
pub(crate) fn check_planted(games: u64) -> Fallible<bool> {
    let game = River::bind(&River::default_document(), 2)?;
    let bots = Bots::read(&game)?;
    let annotator = bots.annotator(ROLLOUTS);
    let records = records(&game, "mcts:iterations=500", 2804, games)?;
    let results = records.par_iter().map(|record| {
        let blunders = Blunders::count(&game, &bots, &annotator, record)?;
        let Some((event, altered)) = plant(&game, &bots, record)? else {
            return Ok((blunders, None));
        };
        let costs = annotator.costs(&game, &altered)?;
        let found = costs.iter().find(|(index, _)| *index == event);
        Ok((blunders, Some(found.and_then(|(_, cost)| cost.mistake))))
    });
    let results: Vec<_> = results.collect::<Fallible<_>>()?;
    let rate = |outcomes: Vec<bool>| {
        let mut ratio = Ratio::default();
        for outcome in outcomes {
            ratio.add_block(1, outcome.into());
        }
        ratio.rate(1)
    };
    let named = rate(results.iter().map(|result| result.0.named == 0).collect());
    println!("{} % of {} games of the search have no blunder", percent(named), named.n);
    let without = results.iter().filter(|result| !result.0.are_proven());
    let clean = rate(without.map(|result| result.0.named == 0).collect());
    println!(
        "{} % of the {} games without a blunder that fresh rollouts prove",
        percent(clean),
        clean.n
    );
    let planted: Vec<_> = results.iter().filter_map(|result| result.1).collect();
    let sizes = [Mistake::Inaccuracy, Mistake::Mistake, Mistake::Blunder];
    let mut found = 0.0;
    for (index, size) in sizes.iter().enumerate() {
        let rate = rate(planted.iter().map(|mistake| *mistake >= Some(*size)).collect());
        if index == 0 {
            found = rate.value;
        }
        let larger = if index < 2 { " or larger" } else { "" };
        println!(
            "{} % of {} planted blunders are named {}{larger}",
            percent(rate),
            rate.n,
            size.as_str()
        );
    }
    Ok(clean.value >= MARK && found >= MARK)
}

/// The blunders that an annotation names in a game.
struct Blunders {
    named: usize,
    /// Those that lose enough in fresh rollouts.
    proven: usize,
}

impl Blunders {
    fn count(
        game: &River,
        bots: &Bots,
        annotator: &Annotator<'_>,
        record: &Record,
    ) -> Fallible<Self> {
        let decisions = decisions(game, record)?;
        let mut blunders = Self { named: 0, proven: 0 };
        for (event, cost) in annotator.costs(game, record)? {
            if cost.mistake == Some(Mistake::Blunder) {
                let decision = decisions.iter().find(|decision| decision.0 == event);
                let (_, state, seat, played) = *decision.ok_or("a cost without a decision")?;
                let seed = 50_000 + record.index;
                let rollouts = Rollouts { game, state: &state, seat, policy: &bots.policy, seed };
                blunders.named += 1;
                blunders.proven += usize::from(is_proven(&rollouts, cost.best, played));
            }
        }
        Ok(blunders)
    }

    /// Returns true if there are blunders and all of them are proven.
    const fn are_proven(&self) -> bool {
        self.named > 0 && self.proven == self.named
    }
}

/// Returns true if an action loses enough against another one, in blocks that the screening does
/// not use.
fn is_proven(
    rollouts: &Rollouts<'_, River>,
    better: <River as watershed::game::Game>::Action,
    worse: <River as watershed::game::Game>::Action,
) -> bool {
    let results = rollouts.play(&[better, worse], SCREENING..SCREENING + PROOF);
    difference(&results[0], &results[1], rollouts.seat).value >= LOSS
}

/// Returns the game of a record with the worst action at one of its decisions, played to its end by
/// the search, and the index of the event; `None` if no action loses enough.
fn plant(game: &River, bots: &Bots, record: &Record) -> Fallible<Option<(usize, Record)>> {
    let decisions: Decisions<River> = decisions(game, record)?;
    let mut rng = stream(2805, record.index, 0, Purpose::Playout);
    for _ in 0..TRIES {
        let (event, state, seat, played) =
            decisions[random_below(&mut rng, decisions.len() as u32) as usize];
        let seed = 30_000 + record.index;
        let rollouts = Rollouts { game, state: &state, seat, policy: &bots.policy, seed };
        let legal: Vec<_> = game.legal_actions(&state).iter().collect();
        let screened = rollouts.play(&legal, 0..SCREENING);
        let share = |&index: &usize| screened[index].win_share(seat).value;
        let worst = (0..legal.len()).min_by(|one, other| share(one).total_cmp(&share(other)));
        let worst = legal[worst.ok_or("a decision without actions")?];
        if !is_proven(&rollouts, played, worst) {
            continue;
        }
        let mut altered = Record { events: record.events[..event].to_vec(), ..record.clone() };
        altered.events.push((Decider::Seat(seat.index()), game.action_text(worst)));
        let mut after = state;
        game.apply(&mut after, worst);
        let mut players: Vec<_> = (0..game.seats()).map(|_| bots.search.build()).collect();
        for player in &mut players {
            player.reset();
        }
        let mut streams: [_; 2] =
            std::array::from_fn(|seat| stream(seed, 0, 0, Purpose::Bot(seat as u8)));
        let choose = |decision: &Decision<'_, River>| {
            let seat = decision.seat.index();
            let view = View::new(game, decision.state, decision.seat);
            players[seat].choose(&view, decision.legal, &mut streams[seat])
        };
        let mut chance = ChanceStreams::new(seed, 0, game.chance_sources().len());
        play_from(game, after, &mut chance, choose, Some(&mut altered));
        return Ok(Some((event, altered)));
    }
    Ok(None)
}

/// Continues games of heuristic bots after each marked blunder and after the analyst's action
/// instead, on the same chance and by the same bots. Returns true if the analyst's action gains.
pub(crate) fn check_gain(games: u64) -> Fallible<bool> {
    let game = River::bind(&River::default_document(), 2)?;
    let bots = Bots::read(&game)?;
    let annotator = bots.annotator(FEWER_ROLLOUTS);
    let name = "balanced";
    let heuristic = game.bot_library().read(name)?;
    let records = records(&game, name, 2806, games)?;
    let gains = records.par_iter().map(|record| {
        let costs = annotator.costs(&game, record)?;
        let decisions = decisions(&game, record)?;
        let blunders = costs.iter().filter(|(_, cost)| cost.mistake == Some(Mistake::Blunder));
        let gains = blunders.filter_map(|&(event, cost)| {
            let decision = decisions.iter().find(|decision| decision.0 == event)?;
            let (_, state, seat, played) = *decision;
            Some(gain(&game, &heuristic, &state, seat, [cost.best, played], record.index))
        });
        Ok(gains.collect::<Vec<f64>>())
    });
    let gains: Vec<_> = gains.collect::<Fallible<_>>()?;
    let blunders: usize = gains.iter().map(Vec::len).sum();
    let of_games = gains.iter().filter(|gains| !gains.is_empty());
    let of_games = of_games.map(|gains| gains.iter().sum::<f64>() / gains.len() as f64);
    let effect = mean(&of_games.collect::<Vec<_>>()).estimate();
    println!(
        "{name}: {blunders} blunders in {} of {games} games; the better action gains {} \
         percentage points of win share (mean over games)",
        effect.n,
        percent(effect)
    );
    Ok(effect.low > 0.0)
}

/// Returns the win share after one action minus that after another, in continuations by a bot.
fn gain(
    game: &River,
    bot: &BotFactory,
    state: &<River as watershed::game::Game>::State,
    seat: Seat,
    actions: [<River as watershed::game::Game>::Action; 2],
    index: u64,
) -> f64 {
    let rollouts = Rollouts { game, state, seat, policy: bot, seed: 40_000 + index };
    let results = rollouts.play(&actions, 0..CONTINUATIONS);
    difference(&results[0], &results[1], seat).value
}
