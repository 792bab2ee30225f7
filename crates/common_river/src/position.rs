//! The notation of whole positions of We All Take from the River: one line of `key:value` words in
//! a fixed order.
//!
//! The words of the table come first, then for each seat the words from `seat` on. Commas separate
//! list entries, `x*3` stands for three of a kind, `-` for nothing. The slots of a tile have their
//! order, as in `L3=tree+-+pollution`; a tile that the City covers has none. An acting structure
//! has its tile and status, as in `L3/fresh*2`.

mod checks;
mod reader;

pub(super) use reader::parse;

use super::{
    CommonRiver,
    components::{MAX_LAND_TILES, Structure, Tile, Token, Tokens, tiles_in},
    notation::MODES,
    phases::{Phase, Stage, TradeWindow},
    pieces::{Lane, Owners, Status},
    state::State,
};
use watershed_engine::{
    bits::ones,
    game::{Game as _, NotationError, Seat, Turn},
    games::{
        GameDefinition,
        position_parser::{format_count, format_list, name_of},
    },
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
    ("choose", Phase::ChooseStructure),
    ("act", Phase::Act),
    ("take", Phase::Take),
    ("net", Phase::Net),
    ("sell", Phase::Sell),
    ("propose", Phase::Propose),
    ("place", Phase::ChooseTile),
    ("vote", Phase::Vote),
    ("bid", Phase::Bid),
    ("salvage", Phase::Salvage),
    ("site", Phase::Contribute),
    ("buy", Phase::Buy),
    ("night", Phase::Night),
    ("over", Phase::Over),
];
const WINDOWS: [(&str, TradeWindow); 3] =
    [("dawn", TradeWindow::Dawn), ("row", TradeWindow::Row), ("dusk", TradeWindow::Dusk)];
const STATUSES: [(&str, Status); 3] =
    [("fresh", Status::Fresh), ("closed", Status::Closed), ("turned", Status::Turned)];
const STAGES: [(&str, Stage); 4] = [
    ("start", Stage::Start),
    ("harvested", Stage::Harvested),
    ("building", Stage::Building),
    ("built", Stage::Built),
];
const PASSIVE: [(&str, Structure, Lane); 3] = [
    ("farms", Structure::Farm, Lane::Farm),
    ("canals", Structure::Canal, Lane::Canal),
    ("levees", Structure::Levee, Lane::Levee),
];

pub(super) fn text(game: &CommonRiver, state: &State) -> String {
    let name = |tile| game.tile_names.get(tile);
    let tiles = |set: u16| format_list(tiles_in(set).map(|tile| name(tile).to_owned()));
    let seats = |set: u8| format_list(ones(set.into()).map(|seat| seat.to_string()));
    let flag = u8::from;
    let owned = |owners: Owners, place: &dyn Fn(usize) -> Tile| {
        format_list((0..MAX_LAND_TILES).filter_map(|index| {
            owners.get(index).map(|seat| format!("{}={seat}", name(place(index))))
        }))
    };
    let order = if state.day == 0 {
        format_list(std::iter::empty())
    } else {
        format_list(game.all_seats().map(|seat| state.camp_order.get(seat.index()).to_string()))
    };
    let weather = |card| game.data.weather_name(card);
    let cards = (0..state.almanac_len())
        .filter_map(|index| state.almanac_card(index))
        .map(|card| weather(card).to_owned());
    let unseen = (0..game.data.weather.len()).filter(|&card| state.unseen_count(card) > 0);
    let unseen = unseen.map(|card| format_count(weather(card), state.unseen_count(card)));
    let actor = state.actor.map_or("-".to_owned(), |actor| {
        let how = if actor.only_candidate { "sole" } else { "chosen" };
        format!(
            "{}@{}/{}/{how}",
            actor.kind.name(),
            name(actor.tile),
            name_of(&STAGES, &actor.stage)
        )
    });
    let proposal = state.proposal.map_or("-".to_owned(), |(policy, tile)| match tile {
        Some(tile) => format!("{}@{}", policy.name(), name(tile)),
        None => policy.name().to_owned(),
    });
    let progress = if state.city_complete { "complete" } else { "site" };
    let city = state.city.map_or("-".to_owned(), |tile| format!("{}/{progress}", name(tile)));
    let mut words = vec![
        format!("{}/{}", CommonRiver::ID, game.players),
        format!("phase:{}", name_of(&PHASES, &state.phase)),
        format!("mode:{}", name_of(&MODES, &state.mode)),
        format!("day:{}", state.day),
        format!("row:{}", state.row + 1),
        format!("turn:{}", state.decider),
        format!("first:{}", state.first_player),
        format!("water:{}", state.water),
        format!("carry:{}", state.carried_water),
        format!("window:{}", name_of(&WINDOWS, &state.window)),
        format!("order:{order}"),
        format!("cursor:{}", state.cursor),
        format!("last:{}", state.last_choice),
        format!("count:{}", state.step_count),
        format!("round:{}", state.offer_round),
        format!("offered:{}", flag(state.offer_made)),
        format!("place:{}", state.place),
        format!("group:{}", flag(state.group_begun)),
        format!("privileged:{}", flag(state.privileged)),
        format!("second_sale:{}", flag(state.second_sale)),
        format!("actor:{actor}"),
        format!("other:{}", state.partner_or_voter),
        format!("given:{}", tokens_text(&state.offered_tokens)),
        format!("asked:{}", tokens_text(&state.requested_tokens)),
        format!("proposal:{proposal}"),
        format!("for:{}", state.votes[0]),
        format!("against:{}", state.votes[1]),
        format!("yes:{}", seats(state.yes_voters)),
        format!("settled:{}", seats(state.settled_seats)),
        format!("failed_tiles:{}", tiles(state.failed_tiles)),
        format!("failed_sites:{}", tiles(state.failed_sites)),
        format!("subsidy_failed:{}", flag(state.subsidy_failed)),
        format!("subsidized:{}", flag(state.subsidized)),
        format!("almanac:{}", format_list(cards)),
        format!("unseen:{}", format_list(unseen)),
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
    format_list(
        Token::ALL
            .iter()
            .filter(|&&token| tokens.get(token) > 0)
            .map(|&token| format_count(token.name(), tokens.get(token))),
    )
}

/// Returns all tiles of the map with slots, in their order.
fn tiles_with_slots(game: &CommonRiver) -> impl Iterator<Item = Tile> {
    (0..Tile::COUNT).map(|index| Tile(index as u8)).filter(|tile| game.map.slots[tile.index()] != 0)
}

/// Returns the kind of token that fills a slot.
pub(super) fn slot_kind(game: &CommonRiver, slot: u32) -> Token {
    match slot {
        slot if game.map.trees >> slot & 1 == 1 => Token::Tree,
        slot if game.map.gravel >> slot & 1 == 1 => Token::Gravel,
        _ => Token::Fish,
    }
}

fn slots_text(game: &CommonRiver, state: &State) -> String {
    format_list(tiles_with_slots(game).filter(|&tile| state.city != Some(tile)).map(|tile| {
        let slots = ones(game.map.slots[tile.index()]).map(|slot| {
            match (state.filled >> slot & 1, state.polluted >> slot & 1) {
                (1, _) => slot_kind(game, slot).name(),
                (_, 1) => Token::Pollution.name(),
                _ => "-",
            }
        });
        format!("{}={}", game.tile_names.get(tile), slots.collect::<Vec<_>>().join("+"))
    }))
}

fn loose_text(game: &CommonRiver, state: &State) -> String {
    let rows = (0..game.map.rows).filter(|&row| !state.loose_tokens[row].is_empty());
    format_list(rows.map(|row| {
        format!(
            "{}={}",
            game.tile_names.get(Tile::river(row)),
            tokens_text(&state.loose_tokens[row].tokens()).replace(',', "+")
        )
    }))
}

/// Word of a role that is hidden.
const HIDDEN_ROLE: &str = "role:?";

/// Returns the text of a position without the roles of the other seats.
pub(super) fn view_text(game: &CommonRiver, state: &State, viewer: Seat) -> String {
    let mut seat = None;
    let text = text(game, state);
    let words = text.split(' ').map(|word| match word.split_once(':') {
        Some(("seat", number)) => {
            seat = number.parse().ok();
            word
        }
        Some(("role", role)) if role != "-" && seat != Some(viewer.index()) => HIDDEN_ROLE,
        _ => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Parses a position in which the roles of other seats may be hidden. They get roles that no seat
/// has, in the order of the data file.
pub(super) fn parse_view(game: &CommonRiver, text: &str) -> Result<State, NotationError> {
    let is_known = |role: &str| text.split_ascii_whitespace().any(|word| word == role);
    let roles = (0..game.roles.len()).map(|role| format!("role:{}", game.data.role_name(role)));
    let mut unused = roles.filter(|role| !is_known(role));
    let mut seat = 0;
    let mut hidden = Vec::new();
    let words = text.split_ascii_whitespace().map(|word| {
        if let Some(number) = word.strip_prefix("seat:") {
            seat = number.parse().unwrap_or(seat);
        }
        if word == HIDDEN_ROLE {
            hidden.push(seat);
            return unused.next().unwrap_or_else(|| word.to_owned());
        }
        word.to_owned()
    });
    let state = parse(game, &words.collect::<Vec<_>>().join(" "))?;
    match game.turn(&state) {
        Turn::Seat(seat) if hidden.contains(&seat.index()) => Err(NotationError::new(
            text,
            "position of We All Take from the River",
            format!("the role of seat {seat}, which decides"),
        )),
        _ => Ok(state),
    }
}

fn seat_words(game: &CommonRiver, state: &State, seat: Seat) -> Vec<String> {
    let camp = state.camp(seat);
    let land = || tiles_in(game.map.land);
    let counted = |tile: Tile, status: Status, count: u32| {
        let name = format!("{}/{}", game.tile_names.get(tile), name_of(&STATUSES, &status));
        (count > 0).then(|| format_count(&name, count))
    };
    let excavators = land().flat_map(|tile| {
        let stack = state.stack(seat, tile);
        Status::ALL.map(|status| counted(tile, status, stack.excavators(status)))
    });
    let mills = land().flat_map(|tile| {
        let stack = state.stack(seat, tile);
        let spent = stack.count(Structure::Mill) - stack.fresh_mills();
        [counted(tile, Status::Fresh, stack.fresh_mills()), counted(tile, Status::Closed, spent)]
    });
    let boats = (0..game.map.rows).flat_map(|row| {
        let (tile, boats) = (Tile::river(row), state.boats(seat, row));
        [counted(tile, Status::Fresh, boats.fresh()), counted(tile, Status::Turned, boats.turned())]
    });
    let camp_text = camp.tile().and_then(|tile| counted(tile, camp.status(), 1));
    let mut words = vec![
        format!("seat:{seat}"),
        format!("role:{}", state.role(seat).map_or("-", |role| game.data.role_name(role))),
        format!("stock:{}", tokens_text(state.stock(seat))),
        format!("proposals:{}", state.proposals_made[seat.index()]),
        format!("camp:{}", camp_text.unwrap_or("-".to_owned())),
        format!("boats:{}", format_list(boats.flatten())),
        format!("excavators:{}", format_list(excavators.flatten())),
        format!("mills:{}", format_list(mills.flatten())),
    ];
    words.extend(PASSIVE.map(|(key, kind, _)| {
        let counts = land().map(|tile| (tile, state.stack(seat, tile).count(kind)));
        let counts = counts.filter(|&(_, count)| count > 0);
        let counts = counts.map(|(tile, count)| format_count(game.tile_names.get(tile), count));
        format!("{key}:{}", format_list(counts))
    }));
    words
}
