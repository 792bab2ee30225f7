//! The screen of `compare` and `sweep`: the change that matters most, then the figures of the game
//! before and after with each bot, or with each file or value.

use super::{
    analysis::{ComparisonLayout, ComparisonResult, DataComparison, DifferenceRow},
    edits::Edit,
    tables::sort_order,
};
use crate::{
    arena::compared_metrics::Subject,
    report::{
        screen::{Screen, ScreenItem},
        text::pad,
    },
    study::shared::{
        prelude::*,
        verdict::{
            GameFigure, GameVerdict, ItemFigures, MeasuredValue, RatedGame, RatedItem, RatedTable,
            SmallestEffects, words::short_names,
        },
    },
};

/// Maximum number of changes after the first one.
const MAX_FURTHER: usize = 5;
/// Widths of the columns of figures, and of the name before them.
const COLUMN_WIDTH: usize = 13;
const LINE_NAME_WIDTH: usize = 16;
/// The figures of the lines, with their headings.
const SHOWN_FIGURES: [(GameFigure, &str); 5] = [
    (GameFigure::FirstPlayer, "first"),
    (GameFigure::GamesWon, "won"),
    (GameFigure::LeaderAtHalf, "leader"),
    (GameFigure::Rounds, "rounds"),
    (GameFigure::WinningScore, "score"),
];

/// A variant with a lineup, judged.
struct JudgedVariant {
    game: RatedGame,
    verdict: GameVerdict,
}

impl DataComparison<'_> {
    /// Judges a variant with a lineup.
    fn judge(&self, result: &ComparisonResult, variant: usize, players: usize) -> JudgedVariant {
        let rows = self.families.iter().flat_map(|family| &family.rows);
        let rows: Vec<_> =
            rows.filter(|row| std::ptr::eq(row.result, result) && row.variant == variant).collect();
        let has_first =
            (rows.iter()).any(|row| matches!(row.metric.subject, Subject::TurnPosition(_)));
        let [mut before, mut now] = [BTreeMap::new(), BTreeMap::new()];
        for row in &rows {
            if let Some(figure) = figure_of(row, players, has_first) {
                let scale = if figure.is_share() { 100.0 } else { 1.0 };
                if let Some([old, new]) = sides(row, scale) {
                    before.insert(figure, old);
                    now.insert(figure, new);
                }
            }
        }
        let catalog = &self.metrics.catalog;
        let tables = catalog.tables().iter();
        let ids = tables.clone().filter(|table| table.data_key.is_some());
        let ids: Vec<_> = ids.flat_map(|table| table.ids().iter().collect::<Vec<_>>()).collect();
        // An edited item has the label of the variant, unless only the baseline has it.
        let changed = &self.labels[variant];
        let labels = ids.iter().map(|id| {
            let label = changed.get(id).unwrap_or(&catalog.item(*id).label);
            label.as_str()
        });
        let labels: Vec<_> = labels.collect();
        let fair = 100.0 / players as f64;
        let items = ids.iter().zip(short_names(&labels)).map(|(&id, name)| {
            let of_item: Vec<_> =
                rows.iter().filter(|row| row.metric.item() == Some(id)).copied().collect();
            let [before, now] = item_figures(&of_item);
            RatedItem {
                table: catalog.table_index(id),
                id: catalog.item(id).name.clone(),
                name,
                is_edited: self.edits[variant].iter().any(|edit| edit.item == Some(id)),
                before,
                now,
                // The seats with as many items are not known; those of all seats are.
                above_others: now.owners.map(|owners| MeasuredValue {
                    value: owners.value - fair,
                    error: f64::INFINITY,
                    ..owners
                }),
                ..RatedItem::default()
            }
        });
        let game = RatedGame {
            players,
            games: result.tally.games,
            smallest: SmallestEffects::new(players, 10.0),
            is_edited: true,
            compared_with: self.layout.baseline_name(),
            figures: now,
            before: Some(before),
            seats: Vec::new(),
            targets: Vec::new(),
            items: items.collect(),
            tables: tables
                .map(|table| RatedTable {
                    plural: table.name.to_owned(),
                    singular: table.singular.to_owned(),
                })
                .collect(),
        };
        let verdict = game.verdict();
        JudgedVariant { game, verdict }
    }

    /// Returns the screen. `players` is the number of players, `files` the data files in commands.
    pub(super) fn screen(&self, title: String, players: usize, files: &str) -> Screen {
        let Some(main) = self.results.first() else { return Screen::default() };
        let judged: Vec<_> =
            (0..self.edits.len()).map(|variant| self.judge(main, variant, players)).collect();
        let score = |one: &JudgedVariant| one.verdict.changes.first().map_or(0.0, |top| top.score);
        let best = (0..judged.len())
            .rev()
            .max_by(|one, other| score(&judged[*one]).total_cmp(&score(&judged[*other])));
        let Some(best) = best else { return Screen::default() };
        let JudgedVariant { game, verdict } = &judged[best];
        let mut answer = vec![verdict.first_sentence(game)];
        if judged.len() > 1 && !verdict.changes.is_empty() {
            answer[0] = format!("{}: {}", self.variant_name(best), answer[0]);
        } else if judged.len() > 1 {
            answer[0] = format!("No change that matters against {}.", game.compared_with);
        }
        answer.extend(verdict.blind_sentence(game));
        if judged.len() == 1 {
            let mut further = verdict.further_changes();
            let left = further.len().saturating_sub(MAX_FURTHER);
            further.truncate(MAX_FURTHER);
            answer.extend(further);
            if left > 0 {
                answer.push(format!("and {} that matter", format_count(left, "more change")));
            }
        }
        let (headings, items) = if judged.len() == 1 {
            self.lines_of_bots(players)
        } else {
            self.lines_of_variants(&judged)
        };
        let adapt = (format!("watershed balance compare {files} --adapt"), "train the bot on them");
        let is_blind = judged.iter().any(|one| !one.verdict.blind.is_empty());
        let edits = self.edits.first().filter(|_| judged.len() == 1);
        let edits = edits.and_then(|edits| Edit::list(edits, &self.metrics.catalog));
        Screen {
            title,
            games: format!("{} a file", format_count(main.tally.games, "game")),
            edits: edits.unwrap_or_default(),
            answer,
            headings,
            items,
            next: if is_blind && !files.is_empty() { vec![adapt] } else { Vec::new() },
            sure: self.sure(players, best, &judged[best]),
            ..Screen::default()
        }
    }

    /// Returns the name of a variant in sentences.
    fn variant_name(&self, variant: usize) -> String {
        match self.layout {
            ComparisonLayout::SideBySide => "the variant".to_owned(),
            ComparisonLayout::ByValue { key: Some(_), values } => {
                format!("At {}", values[variant + 1])
            }
            ComparisonLayout::ByValue { key: None, values } => values[variant + 1].clone(),
        }
    }

    /// Returns a line for each bot: figures before and after.
    fn lines_of_bots(&self, players: usize) -> (Vec<String>, Vec<ScreenItem>) {
        let lines = self.results.iter().map(|result| {
            let game = self.judge(result, 0, players).game;
            line(&result.lineup, &game, true)
        });
        (vec![heading("", players)], lines.collect())
    }

    /// Returns a line for each file or value, the baseline first, and one on its largest change.
    fn lines_of_variants(&self, judged: &[JudgedVariant]) -> (Vec<String>, Vec<ScreenItem>) {
        let ComparisonLayout::ByValue { key, values } = self.layout else {
            return (Vec::new(), Vec::new());
        };
        let mut lines = Vec::new();
        for index in sort_order(values) {
            let Some(variant) = index.checked_sub(1) else {
                let RatedGame { before, .. } = &judged[0].game;
                let game = RatedGame {
                    figures: before.clone().unwrap_or_default(),
                    ..judged[0].game.clone()
                };
                let file = if key.is_some() { " (file)" } else { "" };
                lines.push(line(&format!("{}{file}", values[0]), &game, false));
                continue;
            };
            let JudgedVariant { game, verdict } = &judged[variant];
            lines.push(line(&values[index], game, false));
            let change = verdict.changes.first().map(|finding| finding.sentence.clone());
            let change = change.filter(|_| key.is_none() || values.len() <= 4);
            if let Some(change) = change {
                lines.push(ScreenItem { text: format!("    {change}"), ..ScreenItem::default() });
            }
        }
        let name = if key.is_some() { "value" } else { "file" };
        (vec![heading(name, judged[0].game.players)], lines)
    }

    /// Says how many other bots find the same change.
    fn sure(&self, players: usize, variant: usize, main: &JudgedVariant) -> String {
        let others = &self.results[1..];
        if main.game.before.as_ref() == Some(&main.game.figures) {
            return "the bot plays the same games with the edit: it may not see it.".to_owned();
        }
        let count = others.len();
        if count == 0 {
            return "one bot only; another one may use the edit differently.".to_owned();
        }
        let subject = main.verdict.changes.first().map(|finding| finding.subject);
        let agrees = |result: &&ComparisonResult| {
            let changes = self.judge(result, variant, players).verdict.changes;
            match subject {
                Some(subject) => changes.iter().any(|finding| finding.subject == subject),
                None => changes.is_empty(),
            }
        };
        let agreeing = others.iter().filter(agrees).count();
        match subject {
            Some(_) => format!("{agreeing} of {count} other bots find this change too."),
            None => format!("{agreeing} of {count} other bots find no change that matters either."),
        }
    }
}

impl ComparisonLayout {
    /// Returns the name of the baseline in sentences.
    fn baseline_name(&self) -> String {
        match self {
            Self::SideBySide => "the baseline".to_owned(),
            Self::ByValue { key: Some(_), .. } => "the value of the file".to_owned(),
            Self::ByValue { key: None, values } => values[0].clone(),
        }
    }
}

/// Returns the figure of the game that a row compares.
fn figure_of(row: &DifferenceRow<'_>, players: usize, has_first: bool) -> Option<GameFigure> {
    let competes = players > 1 && has_first;
    match (row.metric.subject, row.metric.metric) {
        (Subject::TurnPosition(0), Metric::WinShare) if competes => Some(GameFigure::FirstPlayer),
        (Subject::TurnPosition(0), Metric::WinShare) => Some(GameFigure::GamesWon),
        (Subject::Game, Metric::HitRoundLimit) => Some(GameFigure::Capped),
        (Subject::Game, Metric::Rounds) => Some(GameFigure::Rounds),
        (Subject::Game, Metric::Decisions) => Some(GameFigure::Decisions),
        (Subject::Game, Metric::LeaderAtHalfWins) => Some(GameFigure::LeaderAtHalf),
        (Subject::Game, Metric::NobodyWon) if competes => Some(GameFigure::NobodyWon),
        (Subject::Game, Metric::WinningScore) => Some(GameFigure::WinningScore),
        _ => None,
    }
}

/// Returns both sides of a row. The games are paired: the error of the difference is that of the
/// variant.
fn sides(row: &DifferenceRow<'_>, scale: f64) -> Option<[MeasuredValue; 2]> {
    let [old, new] = row.estimates;
    let error = scale * row.difference.effect.standard_error;
    let is_known = old.value.is_finite() && new.value.is_finite() && !error.is_nan();
    let side = |one: Estimate, error| MeasuredValue { value: scale * one.value, error, n: one.n };
    is_known.then_some([side(old, 0.0), side(new, error)])
}

/// Returns the figures of an item before and after.
fn item_figures(rows: &[&DifferenceRow<'_>]) -> [ItemFigures; 2] {
    let of = |metric: Metric, scale: f64| {
        let row = rows.iter().find(|row| row.metric.metric == metric);
        row.and_then(|row| sides(row, scale)).map_or([None, None], |sides| sides.map(Some))
    };
    let owners = of(Metric::TakersWinShare, 100.0);
    let taken = of(Metric::TakenPerOffer, 100.0);
    let points = of(Metric::Points, 1.0);
    [0, 1].map(|side| ItemFigures {
        owners: owners[side],
        taken: taken[side],
        worth: None,
        points: points[side],
    })
}

/// Returns the figures that lines show with this number of players.
fn shown_figures(players: usize) -> impl Iterator<Item = (GameFigure, &'static str)> {
    let left_out = if players == 1 { GameFigure::FirstPlayer } else { GameFigure::GamesWon };
    SHOWN_FIGURES.into_iter().filter(move |(figure, _)| *figure != left_out)
}

fn heading(name: &str, players: usize) -> String {
    let figures = shown_figures(players).map(|(_, name)| format!("{name:<COLUMN_WIDTH$}"));
    let figures: String = figures.collect();
    format!("{name:<LINE_NAME_WIDTH$}{}", figures.trim_end())
}

/// Returns the line of a bot, a file or a value.
fn line(name: &str, game: &RatedGame, has_before: bool) -> ScreenItem {
    let before = game.before.as_ref();
    let figures = shown_figures(game.players).map(|(figure, _)| {
        let now = game.figure(figure).map(|one| figure.format(one.value));
        let before = before.and_then(|before| before.get(&figure));
        let before = before.map(|one| figure.format(one.value)).filter(|_| has_before);
        let text = match (before, now) {
            (Some(before), Some(now)) => format!("{before} → {now}"),
            (None, Some(now)) => now,
            _ => "–".to_owned(),
        };
        format!("{text:<COLUMN_WIDTH$}")
    });
    let name = pad(&truncate(name, LINE_NAME_WIDTH - 1), LINE_NAME_WIDTH);
    let text = name + figures.collect::<String>().trim_end();
    ScreenItem { text, ..ScreenItem::default() }
}
