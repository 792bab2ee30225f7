//! Reviews of games against deep searches of every decision.

use std::sync::atomic::AtomicBool;

use rayon::prelude::*;
use watershed::BuiltInGame;
use watershed::{
    Seat,
    analysis::{
        ledger::{Annotator, LedgerSource},
        pair_search::PairedSearches,
        reason::Reasoner,
        searched_position::SearchedPosition,
    },
    arena::record::Record,
    bots::BotFactory,
    game::{Game as _, Turn},
    games::{GameDefinition as _, the_river::TheRiver},
    stats::{Merge as _, ratio::Ratio},
};

use crate::{Decisions, Fallible, decisions, percent, records};

/// Iterations of the deep searches, of which each position gets two.
const DEEP: u32 = 20_000;
/// Loss of a decision that a review must label.
const LARGE: f64 = 0.1;
/// Loss of a decision that a label promises.
const SMALL: f64 = 0.02;
/// Share of the large losses that are labelled.
const FOUND: f64 = 0.9;
/// Share of the labels whose decisions lose at least [`SMALL`].
const CONFIRMED: f64 = 0.95;

type River = TheRiver;

/// Counts of the decisions of several games that no chance follows.
#[derive(Default)]
struct Counts {
    large: Ratio,
    labels: Ratio,
    /// The largest revision and the largest absolute sum of the decisions of a seat, of all games.
    revision: f64,
    row: f64,
}

/// Reviews games of each of two bots with the default budgets. Returns true if enough of the large
/// losses are labelled, and enough of the labels are confirmed.
pub(crate) fn check(games: u64, seed: u64) -> Fallible<bool> {
    let game = River::bind(&River::default_document(), 2)?;
    let library = game.bot_library();
    let read = |iterations: u32| library.read(&format!("mcts:iterations={iterations}"));
    let searches = (0..=4).map(|doublings| read(1000 << doublings));
    let searches = searches.collect::<Result<Vec<_>, _>>()?;
    let (luck_search, deep) = (read(200)?, read(DEEP)?);
    let searches = PairedSearches { bots: &searches };
    let annotator = Annotator {
        searches,
        luck_search: &luck_search,
        seed: 1,
        hinted: &[],
        reasoner: &Reasoner::read(&library)?,
        stop: &AtomicBool::new(false),
    };
    let mut all = Counts::default();
    for bot in ["expert", "balanced"] {
        let mut counts = Counts::default();
        for record in records(&game, bot, seed, games)? {
            counts.review(&game, &annotator, &deep, &record)?;
        }
        counts.print(bot);
        all.add(&counts);
    }
    all.print("both");
    Ok(all.large.rate(1).value >= FOUND && all.labels.rate(1).value >= CONFIRMED)
}

/// Returns the loss of each decision that no chance follows, with its event.
fn deep_losses(game: &River, deep: &BotFactory, decisions: &Decisions<River>) -> Vec<(usize, f64)> {
    let chances = decisions.par_iter().map(|(_, state, seat, _)| {
        let of_seed = |seed| SearchedPosition::search(deep, game, state, *seat, seed).chances();
        let [one, other] = [901, 902].map(of_seed);
        [0, 1].map(|seat| f64::midpoint(one[seat], other[seat]))
    });
    let chances: Vec<_> = chances.collect();
    let loss = |(index, (event, state, seat, action)): (usize, &(_, _, Seat, _))| {
        let mut after = *state;
        game.apply(&mut after, *action);
        let next = match game.turn(&after) {
            Turn::Over => {
                let outcome = game.outcome(&after);
                outcome.win_share(*seat) as f64 / watershed::game::UNITS_PER_WIN as f64
            }
            Turn::Seat(_) if decisions.get(index + 1).is_some_and(|next| next.1 == after) => {
                chances[index + 1][seat.index()]
            }
            // Chance or a forced decision follows.
            _ => return None,
        };
        Some((*event, chances[index][seat.index()] - next))
    };
    decisions.iter().enumerate().filter_map(loss).collect()
}

impl Counts {
    fn review(
        &mut self,
        game: &River,
        annotator: &Annotator<'_>,
        deep: &BotFactory,
        record: &Record,
    ) -> Fallible<()> {
        let annotation = annotator.annotate(game, record, || ())?;
        for (event, loss) in deep_losses(game, deep, &decisions(game, record)?) {
            let cost = annotation.events[event].cost;
            let is_labelled = cost.is_some_and(|cost| cost.mistake.is_some());
            if loss >= LARGE {
                self.large.add_block(1, is_labelled.into());
            }
            if is_labelled {
                self.labels.add_block(1, (loss >= SMALL).into());
            }
        }
        self.revision = self.revision.max(annotation.largest_revision());
        for row in annotation.ledger() {
            if matches!(row.source, LedgerSource::Decisions(_)) {
                self.row = row.changes.iter().fold(self.row, |max, change| max.max(change.abs()));
            }
        }
        Ok(())
    }

    fn add(&mut self, other: &Self) {
        self.large.merge(&other.large);
        self.labels.merge(&other.labels);
        self.revision = self.revision.max(other.revision);
        self.row = self.row.max(other.row);
    }

    fn print(&self, name: &str) {
        let [large, labels] = [self.large, self.labels].map(|ratio| ratio.rate(1));
        println!(
            "{name}: {} % of {} decisions that cost 10 points or more are labelled; {} % of {} \
             labels cost 2 points or more; revisions at most {:.1} points, decisions of a player \
             at most {:.1}",
            percent(large),
            large.n,
            percent(labels),
            labels.n,
            100.0 * self.revision,
            100.0 * self.row
        );
    }
}
