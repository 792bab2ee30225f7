//! The screen on a game: its figures, its items and the commands to try, from its verdict.

use super::verdict::{
    GameFigure, GameVerdict, ItemWord, RatedGame, RatedItem, VerdictWord,
    words::{COARSE, NAME_WIDTH, percent, signed, whole, with_half_width},
};
use crate::report::{
    html::format_count,
    screen::{Screen, ScreenFigure, ScreenItem},
};

/// Maximum number of findings after the first one.
const MAX_FURTHER: usize = 2;
/// Maximum numbers of items: of all, of the best, of the best and of the strong ones of a table, of
/// the weak ones and of those that are hardly used.
const MAX_ITEMS: usize = 5;
const MAX_BEST: usize = 4;
const MAX_BEST_OF_TABLE: usize = 2;
const MAX_STRONG_OF_TABLE: usize = 3;
const MAX_WEAK: usize = 2;
const MAX_UNUSED: usize = 2;
/// Maximum number of commands.
const MAX_NEXT: usize = 3;
/// Percentage of games without a winner from which the screen shows it.
const MIN_NOBODY_WON: f64 = 3.0;
/// Worth of a full bar.
const FULL_BAR: f64 = 40.0;

/// The parts of a screen that the verdict does not have.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScreenContext {
    pub(crate) title: String,
    /// Rounds that 8 of 10 games last, from and to.
    pub(crate) central_rounds: Option<[f64; 2]>,
    /// The flags that select the game, its data file and its players in commands.
    pub(crate) flags: String,
    /// The data file in commands, if it is not built in.
    pub(crate) config: Option<String>,
    /// The edits of the built-in data.
    pub(crate) edits: String,
    /// How sure the answer is.
    pub(crate) sure: String,
    /// Items that are always shown.
    pub(crate) named: Vec<usize>,
}

/// Returns the screen on a game.
pub(crate) fn game_screen(
    game: &RatedGame,
    verdict: &GameVerdict,
    context: ScreenContext,
) -> Screen {
    let mut answer = vec![verdict.first_sentence(game)];
    answer.extend(verdict.blind_sentence(game));
    if game.is_edited && game.before.is_some() {
        answer.extend(verdict.further_changes().into_iter().take(MAX_FURTHER));
    }
    let mut shown = shown_items(game, verdict);
    let is_new = |item: &&usize| shown.iter().all(|(_, other)| other != *item);
    let named: Vec<_> = context.named.iter().filter(is_new).copied().collect();
    shown.splice(0..0, named.into_iter().map(|item| (verdict.word(item), item)));
    let has_worth = verdict.ratings.iter().any(Option::is_some);
    let more = verdict.unused.len().saturating_sub(MAX_UNUSED);
    let more = match more {
        0 => String::new(),
        1 => "and 1 more that is hardly used".to_owned(),
        count => format!("and {count} more that are hardly used"),
    };
    Screen {
        games: format_count(game.games, "game"),
        answer,
        figures: figures(game, verdict, &context),
        headings: if shown.is_empty() { Vec::new() } else { headings(game, verdict, has_worth) },
        items: shown
            .into_iter()
            .map(|(word, index)| item_line(game, verdict, word, index, has_worth))
            .collect(),
        more,
        next: next_commands(game, verdict, &context),
        title: context.title,
        has_own_items: true,
        edits: context.edits,
        sure: context.sure,
    }
}

/// Returns the figures of the game.
fn figures(game: &RatedGame, verdict: &GameVerdict, context: &ScreenContext) -> Vec<ScreenFigure> {
    let mut rows = Vec::new();
    let mut add = |name, word: VerdictWord, text| {
        rows.push(ScreenFigure { name, word: word.name(), text });
    };
    let was = |figure: GameFigure| {
        let before = game.shown_before(figure).map(|before| figure.format(before));
        before.map_or_else(String::new, |before| format!(", was {before}"))
    };
    let of_100 = |figure| Some(whole(game.figure(figure)?.value));
    if let Some(word) = game.fairness() {
        let seats: Vec<_> = game.seats.iter().map(|seat| whole(seat.value)).collect();
        let was = was(GameFigure::FirstPlayer);
        add("FAIR", word, format!("Turn order {} of 100{was}", seats.join(" : ")));
    }
    if let Some(won) = of_100(GameFigure::GamesWon) {
        let was = was(GameFigure::GamesWon);
        add("WON", VerdictWord::Unjudged, format!("{won} of 100 games{was}"));
    }
    if let Some(text) = roles_text(game) {
        add("ROLES", game.roles(), text);
    }
    if let Some(leader) = of_100(GameFigure::LeaderAtHalf) {
        let (word, chance) = game.tension();
        let was = was(GameFigure::LeaderAtHalf);
        let chance =
            chance.map_or_else(String::new, |chance| format!(" (by luck alone {})", whole(chance)));
        add("TENSE", word, format!("Leader at half time wins {leader} of 100{was}{chance}"));
    }
    if let Some(rounds) = game.figure(GameFigure::Rounds) {
        let mut text = format!("{} rounds", GameFigure::Rounds.format(rounds.value));
        if let Some([low, high]) = context.central_rounds {
            text += &format!(" (8 of 10: {} to {})", whole(low), whole(high));
        }
        text += &was(GameFigure::Rounds);
        if let Some(decisions) = of_100(GameFigure::Decisions) {
            text += &format!("; {decisions} decisions");
        }
        add("LENGTH", game.length(verdict), text);
    }
    let nobody = game.figure(GameFigure::NobodyWon).filter(|share| share.value > MIN_NOBODY_WON);
    if let (Some(nobody), false) = (nobody, game.seats.is_empty()) {
        let was = was(GameFigure::NobodyWon);
        let text = format!("Nobody wins {} of 100 games{was}", whole(nobody.value));
        add("NOBODY", VerdictWord::Unjudged, text);
    }
    let is_card = |(item, rating): (&RatedItem, &Option<_>)| {
        (item.now.taken.is_some() && !item.is_dealt) || rating.is_some()
    };
    let cards = game.items.iter().zip(&verdict.ratings).filter(|&card| is_card(card)).count();
    if cards > 0 {
        let count = |word| verdict.rated(word).len();
        let (strong, weak) = (count(ItemWord::Strong), count(ItemWord::Weak));
        let has_worth = verdict.ratings.iter().any(Option::is_some);
        let mut parts = Vec::new();
        if has_worth {
            parts.push(format!("{strong} too strong"));
        }
        if weak > 0 {
            parts.push(format!("{weak} too weak"));
        }
        parts.push(format!("{} hardly used", verdict.unused.len()));
        let unknown = if has_worth { "" } else { "; worth was not measured" };
        add("CARDS", verdict.cards(), format!("of {cards}: {}{unknown}", parts.join(", ")));
    }
    rows
}

/// Names the dealt items whose owners win most and least; `None` without such items.
fn roles_text(game: &RatedGame) -> Option<String> {
    let dealt = game.items.iter().filter(|item| item.is_dealt);
    let mut roles: Vec<_> = dealt.filter_map(|item| Some((item, item.now.owners?.value))).collect();
    roles.sort_by(|one, other| other.1.total_cmp(&one.1));
    let [(best, most), .., (worst, least)] = roles[..] else { return None };
    Some(format!(
        "{} wins {}, {} {} of 100; mean {}",
        best.name,
        whole(most),
        worst.name,
        whole(least),
        whole(game.fair_share())
    ))
}

/// Returns the items that the screen shows with their words: those that the bot may not see, the
/// strong ones, the best ones, the weak ones and those that are hardly used.
fn shown_items(game: &RatedGame, verdict: &GameVerdict) -> Vec<(ItemWord, usize)> {
    let strong = verdict.rated(ItemWord::Strong);
    let is_blind = |item: &usize| verdict.blind.contains(item);
    let word_of_blind = |item: usize| {
        if strong.contains(&item) { ItemWord::Strong } else { ItemWord::Blind }
    };
    let mut shown: Vec<_> = verdict.blind.iter().map(|&item| (word_of_blind(item), item)).collect();
    let mut counts = vec![[0, 0]; game.tables.len()];
    let mut add = |word, item: usize, max| {
        let count = &mut counts[game.items[item].table][usize::from(word == ItemWord::Best)];
        *count += 1;
        (*count <= max && !is_blind(&item)).then_some((word, item))
    };
    shown
        .extend(strong.iter().filter_map(|&item| add(ItemWord::Strong, item, MAX_STRONG_OF_TABLE)));
    let mut best: Vec<_> = (0..game.items.len())
        .filter(|&item| {
            verdict.ratings[item].is_some_and(|rating| {
                let is_known = rating.worth.half_width() <= COARSE && rating.distance > 0.0;
                is_known && rating.word != ItemWord::Strong
            })
        })
        .collect();
    let lower_end = |item: &usize| verdict.ratings[*item].map_or(0.0, |rating| rating.lower_end());
    best.sort_by(|one, other| lower_end(other).total_cmp(&lower_end(one)));
    let best = best.into_iter().filter_map(|item| add(ItemWord::Best, item, MAX_BEST_OF_TABLE));
    let best: Vec<_> = best.take(MAX_BEST.saturating_sub(shown.len())).collect();
    shown.extend(best);
    let weak = verdict.rated(ItemWord::Weak).into_iter().rev().take(MAX_WEAK);
    shown.extend(weak.map(|item| (ItemWord::Weak, item)));
    shown.truncate(MAX_ITEMS);
    let unused = verdict.unused.iter().copied().filter(|item| !is_blind(item)).take(MAX_UNUSED);
    shown.extend(unused.map(|item| (ItemWord::Unused, item)));
    shown
}

/// Returns the lines above the items.
fn headings(game: &RatedGame, verdict: &GameVerdict, has_worth: bool) -> Vec<String> {
    let column = NAME_WIDTH + 8;
    if !has_worth {
        return vec![format!("{:column$}          taken", "")];
    }
    let typical = game.tables.iter().zip(&verdict.typical);
    let typical = typical
        .filter_map(|(table, worth)| Some(format!("{} {}", table.singular, signed((*worth)?))));
    // The table with the highest worth may be any of them; two fit the line.
    let typical = typical.take(2).collect::<Vec<_>>().join(", ");
    vec![
        format!("worth: wins of 100 lost if you may not take it (typical {typical})"),
        format!("{:column$}worth     taken", ""),
    ]
}

fn item_line(
    game: &RatedGame,
    verdict: &GameVerdict,
    word: ItemWord,
    index: usize,
    has_worth: bool,
) -> ScreenItem {
    let item = &game.items[index];
    let rating = verdict.ratings[index];
    let known = rating.filter(|rating| {
        rating.word != ItemWord::Unsure && word == ItemWord::Strong
            || rating.worth.half_width() <= COARSE
    });
    let worth = match known {
        Some(rating) => with_half_width(rating.worth.value, rating.worth.half_width()),
        None if has_worth => "unsure".to_owned(),
        None => String::new(),
    };
    let taken = item.now.taken.map_or_else(|| "–".to_owned(), |taken| percent(taken.value));
    let owners = item.now.owners.filter(|_| word == ItemWord::Blind);
    let owners =
        owners.map_or_else(String::new, |wins| format!("   owners win {}", whole(wins.value)));
    ScreenItem {
        word: word.name(),
        text: format!("{:<NAME_WIDTH$}{worth:<10} {taken:>6}{owners}", item.name),
        size: known.map_or(0.0, |rating| rating.worth.value / FULL_BAR),
    }
}

/// Returns the commands to try.
fn next_commands(
    game: &RatedGame,
    verdict: &GameVerdict,
    context: &ScreenContext,
) -> Vec<(String, &'static str)> {
    let mut next = Vec::new();
    let flags = &context.flags;
    if let (Some(config), false) = (&context.config, verdict.blind.is_empty()) {
        let command = format!("watershed balance compare {config} --adapt");
        next.push((command, "train the bot on this file"));
    }
    if let Some(&item) = verdict.rated(ItemWord::Strong).first() {
        let id = &game.items[item].id;
        let command = format!("watershed balance ablate{flags} --item {id}");
        next.push((command, "more games, other values"));
    }
    if matches!(game.fairness(), Some(VerdictWord::Bad | VerdictWord::Look)) {
        let command = format!("watershed balance turn-order{flags}");
        next.push((command, "points that even it out"));
    }
    next.truncate(MAX_NEXT);
    next
}
