//! The notation of whole positions of We All Take from the River: one line of `key:value` words in a fixed order.
//!
//! First what all share, then for each seat the words from `seat` on. Lists are separated by commas, `x*3` stands for three of a kind,
//! `-` for nothing. A tile's slots stand in their order, as in `L3=tree+-+pollution`; one that the City covers has none. A structure that
//! acts stands with its tile and status, as in `L3/fresh*2`.

mod checks;
mod reader;

pub(super) use reader::parse;

use super::{
    CommonRiver,
    action::mode_name,
    components::{MAX_LAND, Structure, Tile, Token, Tokens},
    phases::{Phase, Stage, Window},
    pieces::{Layer, Owners, Status},
    state::State,
};
use crate::{
    bits::ones,
    game::Seat,
    games::words::{counted, list},
};

const PHASES: [(&str, Phase); 24] = [
    ("mode", Phase::Mode),
    ("first", Phase::FirstPlayer),
    ("almanac", Phase::Almanac),
    ("roles", Phase::Roles),
    ("camps", Phase::Camps),
    ("die", Phase::Die),
    ("offer", Phase::Offer),
    ("give", Phase::Give),
    ("get", Phase::Get),
    ("answer", Phase::Answer),
    ("choose", Phase::Choose),
    ("act", Phase::Act),
    ("take", Phase::Take),
    ("net", Phase::Net),
    ("sell", Phase::Sell),
    ("propose", Phase::Propose),
    ("place", Phase::Place),
    ("vote", Phase::Vote),
    ("bid", Phase::Bid),
    ("salvage", Phase::Salvage),
    ("site", Phase::Site),
    ("buy", Phase::Buy),
    ("night", Phase::Night),
    ("over", Phase::Over),
];
const WINDOWS: [(&str, Window); 3] = [("dawn", Window::Dawn), ("row", Window::Row), ("dusk", Window::Dusk)];
const STATUSES: [(&str, Status); 3] = [("fresh", Status::Fresh), ("closed", Status::Closed), ("turned", Status::Turned)];
const STAGES: [(&str, Stage); 4] =
    [("start", Stage::Start), ("harvested", Stage::Harvested), ("building", Stage::Building), ("built", Stage::Built)];
const PASSIVE: [(&str, Structure, Layer); 3] =
    [("farms", Structure::Farm, Layer::Farm), ("canals", Structure::Canal, Layer::Canal), ("levees", Structure::Levee, Layer::Levee)];
fn name_of<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> &'static str {
    table.iter().find(|(_, other)| other == value).map_or("", |(name, _)| name)
}

pub(super) fn text(game: &CommonRiver, state: &State) -> String {
    let tile = |tile: Tile| game.names.tile(tile).to_owned();
    let tiles = |set: u16| list(ones(set.into()).map(|index| tile(Tile(index as u8))));
    let seats = |set: u8| list(ones(set.into()).map(|seat| seat.to_string()));
    let flag = |value: bool| u8::from(value).to_string();
    let owned = |owners: Owners, place: &dyn Fn(usize) -> Tile| {
        list((0..MAX_LAND).filter_map(|index| owners.get(index).map(|seat| format!("{}={seat}", game.names.tile(place(index))))))
    };
    let order = if state.day == 0 {
        list(std::iter::empty())
    } else {
        list(game.all_seats().map(|seat| state.order.get(seat.index()).to_string()))
    };
    let cards = (0..state.almanac_len()).filter_map(|place| state.almanac(place)).map(|card| game.names.weather(card).to_owned());
    let unseen = (0..game.weather.len()).filter(|&card| state.unseen(card) > 0);
    let actor = state.actor.map_or("-".to_owned(), |actor| {
        let how = if actor.sole { "sole" } else { "chosen" };
        format!("{}@{}/{}/{how}", actor.kind.name(), game.names.tile(actor.tile), name_of(&STAGES, &actor.stage))
    });
    let proposal = state.proposal.map_or("-".to_owned(), |(policy, about)| match about {
        Some(about) => format!("{}@{}", policy.name(), game.names.tile(about)),
        None => policy.name().to_owned(),
    });
    let city = state
        .city
        .map_or("-".to_owned(), |site| format!("{}/{}", game.names.tile(site), if state.city_complete { "complete" } else { "site" }));
    let mut words = vec![
        format!("{}/{}", CommonRiver::NAME, game.players),
        format!("phase:{}", name_of(&PHASES, &state.phase)),
        format!("mode:{}", mode_name(state.mode)),
        format!("day:{}", state.day),
        format!("row:{}", state.row + 1),
        format!("turn:{}", state.decider),
        format!("first:{}", state.first),
        format!("water:{}", state.water),
        format!("carry:{}", state.carry),
        format!("window:{}", name_of(&WINDOWS, &state.window)),
        format!("order:{order}"),
        format!("cursor:{}", state.cursor),
        format!("last:{}", state.last),
        format!("count:{}", state.count),
        format!("round:{}", state.round),
        format!("offered:{}", flag(state.offered)),
        format!("place:{}", state.place),
        format!("group:{}", flag(state.group)),
        format!("privileged:{}", flag(state.privileged)),
        format!("second_sale:{}", flag(state.second_sale)),
        format!("actor:{actor}"),
        format!("other:{}", state.other),
        format!("given:{}", tokens_text(&state.given)),
        format!("asked:{}", tokens_text(&state.asked)),
        format!("proposal:{proposal}"),
        format!("for:{}", state.votes[0]),
        format!("against:{}", state.votes[1]),
        format!("yes:{}", seats(state.yes)),
        format!("settled:{}", seats(state.settled)),
        format!("failed_tiles:{}", tiles(state.failed_tiles)),
        format!("failed_sites:{}", tiles(state.failed_sites)),
        format!("subsidy_failed:{}", flag(state.subsidy_failed)),
        format!("subsidized:{}", flag(state.subsidized)),
        format!("almanac:{}", list(cards)),
        format!("unseen:{}", list(unseen.map(|card| counted(game.names.weather(card), state.unseen(card))))),
        format!("slots:{}", slots_text(game, state)),
        format!("loose:{}", loose_text(game, state)),
        format!("flooded:{}", tiles(state.flooded)),
        format!("protected:{}", tiles(state.protected)),
        format!("bridges:{}", owned(state.bridges, &Tile::river)),
        format!("nets:{}", owned(state.nets, &|index| Tile(index as u8))),
        format!("city:{city}"),
        format!("site:{}", tokens_text(&state.site)),
    ];
    game.all_seats().for_each(|seat| words.extend(seat_words(game, state, seat)));
    words.join(" ")
}

fn tokens_text(tokens: &Tokens) -> String {
    list(Token::ALL.iter().filter(|&&token| tokens.get(token) > 0).map(|&token| counted(token.name(), tokens.get(token))))
}

/// All tiles of the map with slots, in their order.
fn tiles_with_slots(game: &CommonRiver) -> impl Iterator<Item = Tile> {
    (0..Tile::COUNT).map(|index| Tile(index as u8)).filter(|tile| game.map.slots[tile.index()] != 0)
}

/// The kind of token that belongs into a slot.
fn slot_kind(game: &CommonRiver, slot: u32) -> Token {
    match slot {
        slot if game.map.trees >> slot & 1 == 1 => Token::Tree,
        slot if game.map.gravel >> slot & 1 == 1 => Token::Gravel,
        _ => Token::Fish,
    }
}

fn slots_text(game: &CommonRiver, state: &State) -> String {
    list(tiles_with_slots(game).filter(|&tile| state.city != Some(tile)).map(|tile| {
        let slots = ones(game.map.slots[tile.index()]).map(|slot| match (state.filled >> slot & 1, state.polluted >> slot & 1) {
            (1, _) => slot_kind(game, slot).name(),
            (_, 1) => Token::Pollution.name(),
            _ => "-",
        });
        format!("{}={}", game.names.tile(tile), slots.collect::<Vec<_>>().join("+"))
    }))
}

fn loose_text(game: &CommonRiver, state: &State) -> String {
    let rows = (0..game.map.rows).filter(|&row| !state.loose[row].is_empty());
    list(rows.map(|row| format!("{}={}", game.names.tile(Tile::river(row)), tokens_text(&state.loose(row).tokens()).replace(',', "+"))))
}

fn seat_words(game: &CommonRiver, state: &State, seat: Seat) -> Vec<String> {
    let camp = state.camp(seat);
    let tiles = || ones(game.map.land.into()).map(|tile| Tile(tile as u8));
    let named = |tile: Tile, count: u32| counted(game.names.tile(tile), count);
    let acting = |tile: Tile, status: Status, count: u32| {
        let name = format!("{}/{}", game.names.tile(tile), name_of(&STATUSES, &status));
        (count > 0).then(|| counted(&name, count))
    };
    let excavators = tiles().flat_map(|tile| {
        Status::ALL.into_iter().filter_map(move |status| acting(tile, status, state.stack(seat, tile).excavators(status)))
    });
    let mills = tiles().flat_map(|tile| {
        let stack = state.stack(seat, tile);
        let spent = stack.count(Structure::Mill) - stack.fresh_mills();
        [acting(tile, Status::Fresh, stack.fresh_mills()), acting(tile, Status::Closed, spent)].into_iter().flatten()
    });
    let boats = (0..game.map.rows).flat_map(|row| {
        let (tile, boats) = (Tile::river(row), state.boats(seat, row));
        [acting(tile, Status::Fresh, boats.fresh()), acting(tile, Status::Turned, boats.turned())].into_iter().flatten()
    });
    let camp_text = camp.tile().map_or("-".to_owned(), |tile| format!("{}/{}", game.names.tile(tile), name_of(&STATUSES, &camp.status())));
    let mut words = vec![
        format!("seat:{seat}"),
        format!("role:{}", state.role(seat).map_or("-", |role| game.names.role(role))),
        format!("stock:{}", tokens_text(state.stock(seat))),
        format!("proposals:{}", state.proposals[seat.index()]),
        format!("camp:{camp_text}"),
        format!("boats:{}", list(boats)),
        format!("excavators:{}", list(excavators)),
        format!("mills:{}", list(mills)),
    ];
    for (key, kind, _) in PASSIVE {
        let counts = tiles().map(|tile| (tile, state.stack(seat, tile).count(kind))).filter(|&(_, count)| count > 0);
        words.push(format!("{key}:{}", list(counts.map(|(tile, count)| named(tile, count)))));
    }
    words
}
