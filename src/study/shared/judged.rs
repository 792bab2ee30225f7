//! The figures of games of one bot that their verdict judges, and the screen on them.

use super::{
    comparison::edits::Edit,
    reference::ReferenceFigures,
    screen::{ScreenContext, game_screen},
    verdict::{
        GameFigure, GameVerdict, ItemFigures, MeasuredValue, RatedGame, RatedItem, RatedTable,
        SmallestEffects, words::short_names,
    },
};
use crate::{
    arena::play_statistics::OWNER_CLASSES,
    games::targets::{TargetRange, Targets},
    report::{origin::game_title, screen::Screen},
    run::shell::shell_quote,
    stats::stratified::StratifiedDifference,
    study::shared::prelude::*,
};

/// Smallest number of owners whose win rate needs no more than its own variance.
const MIN_OWNERS: i64 = 100;

/// Everything that a verdict on a run needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JudgedRun<'a> {
    pub(crate) game: &'a BoundGame,
    pub(crate) selection: &'a GameSelection,
    /// The results of the bot in all seats.
    pub(crate) tally: &'a Tally,
    pub(crate) bot: &'a str,
    /// The results of the second bot of the panel.
    pub(crate) second: Option<&'a Tally>,
    pub(crate) forks: Option<&'a ItemEffectsTally>,
    pub(crate) edits: &'a [Edit],
}

/// Returns a share in points of 100; `None` without observations.
fn of_100(ratio: &Ratio, unit: i64) -> Option<MeasuredValue> {
    let effect = Effect::of_rate(ratio, unit);
    let (value, error) = (100.0 * effect.value, 100.0 * effect.standard_error);
    (effect.n > 0 && value.is_finite()).then_some(MeasuredValue { value, error, n: effect.n })
}

/// Returns a mean; `None` without observations.
fn mean(sums: &MeanSums) -> Option<MeasuredValue> {
    let Effect { n, value, standard_error: error, .. } = Effect::of_mean(&sums.ratio, 1);
    (n > 0 && value.is_finite()).then_some(MeasuredValue { value, error, n })
}

impl JudgedRun<'_> {
    /// Returns the figures that the verdict judges.
    pub(crate) fn rated_game(&self) -> RatedGame {
        let Self { game, selection, tally, bot, edits, .. } = *self;
        let players = game.seats();
        let is_edited = !edits.is_empty();
        let reference = ReferenceFigures::built_in(game.id(), players, bot).unwrap_or_default();
        let is_known = is_edited && !reference.figures.is_empty();
        let competes = self.competes();
        let seats = tally.turn_positions.iter().take(players);
        let seats = seats.filter_map(win_rate).filter(|_| competes);
        let (items, targets) = (self.items(&reference, is_known), targets(&selection.document));
        let counts = [
            (GameFigure::DeadItems, RatedItem::is_hardly_used as fn(&RatedItem) -> bool),
            (GameFigure::MustTakeItems, RatedItem::is_nearly_always_taken),
        ];
        let counts =
            counts.into_iter().filter(|(figure, _)| targets.iter().any(|(of, _)| of == figure));
        let counts = counts.map(|(figure, is_counted)| {
            let value = items.iter().filter(|item| is_counted(item)).count() as f64;
            (figure, MeasuredValue { value, error: 0.0, n: items.len() as i64 })
        });
        RatedGame {
            players,
            games: tally.games,
            smallest: SmallestEffects::new(players, 10.0),
            is_edited,
            compared_with: "the built-in game".to_owned(),
            figures: self.figures().into_iter().chain(counts).collect(),
            before: is_known.then(|| reference.figures.clone()),
            seats: seats.collect(),
            targets,
            tables: (game.catalog().tables().iter())
                .map(|table| RatedTable {
                    plural: table.name.to_owned(),
                    singular: table.singular.to_owned(),
                })
                .collect(),
            items,
        }
    }

    /// Returns true if seats win against each other.
    fn competes(&self) -> bool {
        self.game.seats() > 1 && !self.game.is_cooperative()
    }

    fn figures(&self) -> BTreeMap<GameFigure, MeasuredValue> {
        let Tally { health, turn_positions, .. } = self.tally;
        let nobody = of_100(&health.nobody_won, 1);
        let competes = self.competes();
        let won = nobody.map(|nobody| MeasuredValue { value: 100.0 - nobody.value, ..nobody });
        let first = turn_positions.first().and_then(win_rate);
        let leader = win_rate(&health.leaders_at_half);
        let figures = [
            (GameFigure::Capped, of_100(&health.capped, 1)),
            (GameFigure::Rounds, mean(&health.rounds)),
            (GameFigure::Decisions, mean(&health.decisions)),
            (GameFigure::LeaderAtHalf, leader.filter(|_| competes)),
            (GameFigure::FirstPlayer, first.filter(|_| competes)),
            (GameFigure::GamesWon, won.filter(|_| !competes)),
            (GameFigure::NobodyWon, nobody.filter(|_| competes)),
            (GameFigure::WinningScore, mean(&health.winning_scores)),
            (GameFigure::LeadChanges, mean(&health.lead_changes).filter(|_| competes)),
            (GameFigure::SharedWins, of_100(&health.shared_wins, 1).filter(|_| competes)),
        ];
        figures.into_iter().filter_map(|(figure, value)| Some((figure, value?))).collect()
    }

    /// Returns the components of the data file. Groups of components are left out, which would
    /// count twice.
    fn items(&self, reference: &ReferenceFigures, is_compared: bool) -> Vec<RatedItem> {
        let Self { game, tally: all, second, forks, edits, .. } = *self;
        let catalog = game.catalog();
        let tables = catalog.tables().iter().filter(|table| table.data_key.is_some());
        let labels = tables.clone().flat_map(|table| &table.items);
        let labels: Vec<_> = labels.map(|item| item.label.as_str()).collect();
        let mut names = short_names(&labels).into_iter();
        let mut rated = Vec::new();
        for table in tables {
            let comparisons = compare_owners(all, table, game.seats());
            let tallies = &all.items[table.ids().range()];
            let of_second = second.map(|tally| &tally.items[table.ids().range()]);
            let has_owners = table.reported_seats != ReportedSeats::None;
            for (index, (item, tally)) in table.items.iter().zip(tallies).enumerate() {
                let id = table.ids().get(index);
                let taken = |tally: &ItemTally| of_100(&tally.taken, 1).filter(|_| table.offered);
                let worth = forks.and_then(|forks| forks.forks.get(&(id, Stratum::All)));
                let worth = worth.map(|sums| {
                    let effect =
                        sums.effect_with_few_changes(Estimand::Access, SeatMetric::WinShare);
                    let Effect { n, value, standard_error, .. } = effect;
                    let value = 100.0 * value;
                    MeasuredValue { value, error: 100.0 * standard_error, n }
                });
                let above = comparisons.get(index).map(|owners| owners.difference);
                let above = above.filter(|above| above.value.is_finite());
                let usual = reference.item(table.name, &item.name);
                rated.push(RatedItem {
                    table: table.index(),
                    id: item.name.clone(),
                    name: names.next().unwrap_or_default(),
                    is_dealt: is_dealt(table),
                    is_edited: edits.iter().any(|edit| edit.item == Some(id)),
                    now: ItemFigures {
                        owners: win_rate(&tally.wins_with).filter(|_| has_owners),
                        taken: taken(tally),
                        worth: worth.filter(|worth| worth.value.is_finite()),
                        points: mean(&tally.points).filter(|_| !has_owners),
                    },
                    before: if is_compared { usual } else { ItemFigures::default() },
                    usual_worth: usual.worth,
                    above_others: above.map(|above| MeasuredValue {
                        value: 100.0 * above.value,
                        error: 100.0 * above.standard_error,
                        n: above.n,
                    }),
                    taken_by_second: of_second.and_then(|tallies| taken(&tallies[index])),
                });
            }
        }
        rated
    }

    /// Returns the screen of the run. The `named` items are always shown.
    pub(crate) fn screen(
        &self,
        rated: &RatedGame,
        verdict: &GameVerdict,
        sure: String,
        named: Vec<usize>,
    ) -> Screen {
        let rounds = &self.tally.health.games_by_rounds;
        let central = percentile(rounds, 10).zip(percentile(rounds, 90));
        let Self { selection, .. } = self;
        let context = ScreenContext {
            title: format!(
                "{}, {}: {}",
                game_title(&selection.document, selection.game.id),
                format_count(rated.players, "player"),
                self.data_text()
            ),
            central_rounds: central.map(|(low, high)| [*low as f64, *high as f64]),
            flags: selection.flags(),
            config: selection.config.as_ref().map(|path| shell_quote(&path.display().to_string())),
            edits: Edit::list(self.edits, self.game.catalog()).unwrap_or_default(),
            sure,
            named,
        };
        game_screen(rated, verdict, context)
    }

    fn data_text(&self) -> String {
        let edits = self.edits.len();
        match &self.selection.config {
            _ if edits == 0 => "built-in data".to_owned(),
            Some(path) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                format!("{name}, {}", format_count(edits, "edit"))
            }
            None => format_count(edits, "edit"),
        }
    }
}

/// Returns a win rate. The variance of few games over blocks is chance.
fn win_rate(wins: &Ratio) -> Option<MeasuredValue> {
    let owners = of_100(wins, UNITS_PER_WIN)?;
    let of_share = (owners.value * (100.0 - owners.value)).max(1.0) / owners.n as f64;
    let is_rare = owners.n < MIN_OWNERS;
    let least = if is_rare { of_share.sqrt() } else { 0.0 };
    let error = if owners.error.is_finite() { owners.error.max(least) } else { of_share.sqrt() };
    Some(MeasuredValue { error, ..owners })
}

/// Returns the targets of a data file on figures that the verdict judges.
fn targets(data: &Document) -> Vec<(GameFigure, TargetRange)> {
    let targets = Targets::of(data);
    let found = [
        (GameFigure::FirstPlayer, targets.first_player.map(|share| share.0)),
        (GameFigure::GamesWon, targets.games_won.map(|share| share.0)),
        (GameFigure::Rounds, targets.rounds),
        (GameFigure::LeaderAtHalf, targets.leader_at_half_wins.map(|share| share.0)),
        (GameFigure::NobodyWon, targets.nobody_won.map(|share| share.0)),
        (GameFigure::LeadChanges, targets.lead_changes),
        (GameFigure::SharedWins, targets.shared_wins.map(|share| share.0)),
        (GameFigure::DeadItems, targets.dead_items),
        (GameFigure::MustTakeItems, targets.must_take_items),
    ];
    found.into_iter().filter_map(|(figure, target)| Some((figure, target?))).collect()
}

/// Compares the owners of each item of a table with the seats that took as many items of the table,
/// but not this one; empty for a single player, and if the game does not report seats.
pub(crate) fn compare_owners(
    tally: &Tally,
    table: &ItemTable,
    players: usize,
) -> Vec<StratifiedDifference> {
    let owners = &tally.play.owners;
    let groups = owners.items.get(table.ids().range());
    let (Some(all), Some(groups)) = (owners.tables.get(table.index()), groups) else {
        return Vec::new();
    };
    if table.reported_seats == ReportedSeats::None || players == 1 {
        return Vec::new();
    }
    let compare = |(group, tally): (&[_; OWNER_CLASSES], &ItemTally)| {
        StratifiedDifference::new(group, all, &tally.wins_with, UNITS_PER_WIN)
    };
    groups.iter().zip(&tally.items[table.ids().range()]).map(compare).collect()
}

/// Returns true if the items of a table are dealt to the seats, which do not choose them.
pub(crate) fn is_dealt(table: &ItemTable) -> bool {
    table.data_key.is_some() && table.reported_seats == ReportedSeats::Takers && !table.offered
}

/// Returns the smallest value that this percentage of a distribution, or more, does not exceed;
/// `None` if it is empty.
pub(crate) fn percentile<T>(counts: &BTreeMap<T, u64>, percent: u64) -> Option<&T> {
    let total: u64 = counts.values().sum();
    let mut below = 0;
    let reached = counts.iter().find(|(_, n)| {
        below += **n;
        below * 100 >= percent * total
    });
    reached.map(|(value, _)| value)
}
