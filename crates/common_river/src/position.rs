//! The fields of the text of a position of We All Take from the River: those of the table, then for
//! each seat those from `seat` on. The slots of a tile have their order, as in
//! `L3=tree+-+pollution`; a tile that the City covers has none. An acting structure has its tile
//! and status, as in `L3/fresh*2`.

mod checks;

use std::fmt;

use super::{
    CommonRiver,
    components::{
        MAX_FISH_SLOTS, MAX_LAND_TILES, MAX_PIECES, MAX_ROLES, MAX_ROWS, MAX_TOKENS,
        MAX_WEATHER_KINDS, Structure, Tile, Token, Tokens, tiles_in,
    },
    data::{MAX_DIE, MAX_MODIFIER},
    phases::{Actor, Mode, Phase, PolicyKind, Stage, TradeWindow},
    pieces::{Boats, Camp, Lane, Owners, Status},
    state::State,
};
use watershed_engine::{
    bits::ones,
    game::{Game as _, NotationError, Seat, Turn},
    games::position_text::{
        Expect, PositionFields, Words, expect, name_of, read_position, write_position,
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
/// The lists of the structures of a seat on land: the key, and the counts with what follows the
/// name of the tile.
const STACKS: [(&str, &[(&str, Lane)]); 5] = [
    (
        "excavators",
        &[
            ("/fresh", Lane::FreshExcavator),
            ("/closed", Lane::ClosedExcavator),
            ("/turned", Lane::TurnedExcavator),
        ],
    ),
    ("mills", &[("/fresh", Lane::FreshMill), ("/closed", Lane::SpentMill)]),
    ("farms", &[("", Lane::Farm)]),
    ("canals", &[("", Lane::Canal)]),
    ("levees", &[("", Lane::Levee)]),
];
const ACTING: [Structure; 4] =
    [Structure::Boat, Structure::Camp, Structure::Excavator, Structure::Mill];
/// A hidden role among the roles of a position that is written or read.
const HIDDEN: u8 = MAX_ROLES as u8 + 1;

impl PositionFields for CommonRiver {
    const NOTATION: &'static str = "position of We All Take from the River";

    fn fields(&self, words: &mut Words, state: &mut State) -> Expect {
        self.day_fields(words, state)?;
        self.choice_fields(words, state)?;
        self.weather_fields(words, state)?;
        self.slots_field(words, state)?;
        self.map_fields(words, state)?;
        self.all_seats().try_for_each(|seat| self.seat_fields(words, state, seat))
    }

    fn complete(&self, state: &mut State) -> Expect {
        // Seats with hidden roles get roles that no seat has, in the order of the data file.
        let known = state.roles;
        let mut unused = (1..=self.roles.len() as u8).filter(|role| !known.contains(role));
        for role in state.roles.iter_mut().filter(|role| **role == HIDDEN) {
            *role = unused.next().unwrap_or(0);
        }
        checks::check(self, state)
    }
}

impl CommonRiver {
    fn day_fields(&self, words: &mut Words, state: &mut State) -> Expect {
        let modes: Vec<_> = Mode::ALL
            .into_iter()
            .filter(|mode| self.modes.contains(mode))
            .map(|mode| (mode.name(), mode))
            .collect();
        let seats: Vec<_> = self.all_seats().map(|seat| (seat.to_string(), seat)).collect();
        state.phase = words.named("phase", state.phase, &PHASES)?;
        state.mode = words.named("mode", state.mode, &modes)?;
        state.day = words.number("day", state.day, 0..=u8::MAX)?;
        state.row = words.number("row", state.row + 1, 1..=self.map.rows as u8)? - 1;
        state.decider = words.seat("turn", state.decider)?;
        state.first_player = words.seat("first", state.first_player)?;
        state.water = words.number("water", state.water, -MAX_WATER..=MAX_WATER)?;
        state.carried_water = words.number("carry", state.carried_water, -MAX_WATER..=MAX_WATER)?;
        state.window = words.named("window", state.window, &WINDOWS)?;
        let places = if state.day == 0 { 0 } else { self.players };
        let order = (0..places).map(|place| (state.camp_order.get(place), 1));
        let order = words.list("order", order, &seats, self.players as u32)?;
        let is_complete = self.all_seats().all(|seat| order.contains(&(seat, 1)));
        expect(order.is_empty() || is_complete, "`order:` with every seat once")?;
        for (place, (seat, _)) in order.into_iter().enumerate() {
            state.camp_order.set(place, seat);
        }
        state.cursor = words.number("cursor", state.cursor, 0..=self.players as u8)?;
        state.last_choice = words.number("last", state.last_choice, 0..=63)?;
        state.step_count = words.number("count", state.step_count, 0..=99)?;
        state.offer_round = words.number("round", state.offer_round, 0..=99)?;
        state.offer_made = words.flag("offered", state.offer_made)?;
        state.place = words.number("place", state.place, 0..=2)?;
        state.group_begun = words.flag("group", state.group_begun)?;
        state.privileged = words.flag("privileged", state.privileged)?;
        state.second_sale = words.flag("second_sale", state.second_sale)?;
        Ok(())
    }

    /// The turn of a structure, an offer or a vote.
    fn choice_fields(&self, words: &mut Words, state: &mut State) -> Expect {
        let (land, full) = (self.map.land, self.map.land_and_river);
        let name = |tile| self.tile_names.get(tile);
        let actors = ACTING.into_iter().flat_map(|kind| {
            tiles_in(full).flat_map(move |tile| {
                STAGES.into_iter().flat_map(move |(_, stage)| {
                    [true, false].map(|only_candidate| Actor { kind, tile, stage, only_candidate })
                })
            })
        });
        state.actor = words.optional("actor", state.actor, actors, |actor| {
            let how = if actor.only_candidate { "sole" } else { "chosen" };
            let stage = name_of(&STAGES, &actor.stage);
            format!("{}@{}/{stage}/{how}", actor.kind.name(), name(actor.tile))
        })?;
        let last_seat = self.players as u8 - 1;
        state.partner_or_voter = words.number("other", state.partner_or_voter, 0..=last_seat)?;
        tokens_field(words, "given", &mut state.offered_tokens)?;
        tokens_field(words, "asked", &mut state.requested_tokens)?;
        let proposals = PolicyKind::ALL.into_iter().flat_map(|policy| {
            [None].into_iter().chain(tiles_in(full).map(Some)).map(move |tile| (policy, tile))
        });
        let proposal_name = |&(policy, tile): &(PolicyKind, Option<Tile>)| {
            policy.name().to_owned()
                + &tile.map_or(String::new(), |tile| format!("@{}", name(tile)))
        };
        state.proposal = words.optional("proposal", state.proposal, proposals, proposal_name)?;
        state.votes[0] = words.number("for", state.votes[0], 0..=MAX_TOKENS as u16)?;
        state.votes[1] = words.number("against", state.votes[1], 0..=MAX_TOKENS as u16)?;
        let seats = || self.all_seats().map(|seat| (seat, seat.index()));
        state.yes_voters = words.set("yes", state.yes_voters, seats())?;
        state.settled_seats = words.set("settled", state.settled_seats, seats())?;
        let tiles = |set: u32| tiles_in(set).map(|tile| (name(tile), tile.index()));
        state.failed_tiles = words.set("failed_tiles", state.failed_tiles, tiles(full))?;
        state.failed_sites = words.set("failed_sites", state.failed_sites, tiles(land))?;
        state.subsidy_failed = words.flag("subsidy_failed", state.subsidy_failed)?;
        state.subsidized = words.flag("subsidized", state.subsidized)?;
        Ok(())
    }

    fn weather_fields(&self, words: &mut Words, state: &mut State) -> Expect {
        let cards = &self.data.weather;
        let names: Vec<_> = cards.iter().map(|card| card.id.as_str()).zip(0..).collect();
        let shown = (0..state.almanac_len()).filter_map(|index| state.almanac_card(index));
        let shown = shown.map(|card| (card, 1));
        let shown = words.list("almanac", shown, &names, self.data.rules.almanac.get())?;
        let unseen = names.iter().map(|&(name, card)| (name, card, state.unseen_count(card)));
        for (card, count) in words.counts("unseen", unseen, u32::MAX)? {
            let (copies, name) = (cards[card].count.get(), names[card].0);
            expect(count <= copies, format!("at most {copies} of weather {name}"))?;
            state.unseen |= u64::from(count) << (card * 4);
        }
        for (card, _) in shown {
            state.unseen += 1 << (card * 4);
            state.reveal(card);
        }
        Ok(())
    }

    /// The contents of the slots of each tile, in their order.
    fn slots_field(&self, words: &mut Words, state: &mut State) -> Expect {
        let slots = |tile: Tile| self.map.slots[tile.index()];
        let tiles = (0..Tile::COUNT as u8).map(Tile).filter(|&tile| slots(tile) != 0);
        let tiles: Vec<_> = tiles.map(|tile| (self.tile_names.get(tile), tile)).collect();
        let mut contents = vec![("-", None)];
        contents.extend(Token::ALL.map(|token| (token.name(), Some(token))));
        let content = |slot| match (state.filled >> slot & 1, state.polluted >> slot & 1) {
            (1, _) => Some(slot_kind(self, slot)),
            (_, 1) => Some(Token::Pollution),
            _ => None,
        };
        let open = tiles.iter().map(|&(_, tile)| tile).filter(|&tile| state.city != Some(tile));
        let open =
            open.map(|tile| (tile, ones(slots(tile)).map(|slot| (content(slot), 1)).collect()));
        let read = words.contents("slots", open, &tiles, &contents, MAX_FISH_SLOTS as u32)?;
        for (tile, contents) in read {
            for (slot, (content, _)) in ones(slots(tile)).zip(contents) {
                let (slots, fits) = match content {
                    None => continue,
                    Some(Token::Pollution) => {
                        (&mut state.polluted, tile.index() < Tile::FULL_COUNT)
                    }
                    Some(token) => (&mut state.filled, token == slot_kind(self, slot)),
                };
                let name = self.tile_names.get(tile);
                expect(fits, format!("`slots:` with tokens that fit into the slots of {name}"))?;
                *slots |= 1 << slot;
            }
        }
        Ok(())
    }

    fn map_fields(&self, words: &mut Words, state: &mut State) -> Expect {
        let (land, full) = (self.map.land, self.map.land_and_river);
        let name = |tile| self.tile_names.get(tile);
        let rivers: Vec<_> = (0..self.map.rows).map(|row| (name(Tile::river(row)), row)).collect();
        let kinds = Token::ALL.into_iter().filter(|&token| token != Token::Gold);
        let kinds: Vec<_> = kinds.map(|token| (token.name(), token)).collect();
        let flows = (0..self.map.rows).map(|row| (row, state.loose_tokens[row]));
        let flows = flows.filter(|(_, flow)| !flow.is_empty());
        let flows = flows
            .map(|(row, flow)| (row, Token::ALL.map(|token| (token, flow.get(token))).to_vec()));
        for (row, tokens) in words.contents("loose", flows, &rivers, &kinds, MAX_TOKENS as u32)? {
            for (token, count) in tokens {
                state.loose_tokens[row].add(token, count);
            }
        }
        let tiles = |set: u32| tiles_in(set).map(|tile| (name(tile), tile.index()));
        state.flooded = words.set("flooded", state.flooded, tiles(land))?;
        state.protected = words.set("protected", state.protected, tiles(full))?;
        self.owners_field(words, "bridges", &mut state.bridges, &rivers)?;
        self.owners_field(words, "nets", &mut state.nets, &tiles(land).collect::<Vec<_>>())?;
        let cities = tiles_in(land).flat_map(|tile| [(tile, false), (tile, true)]);
        let city = state.city.map(|tile| (tile, state.city_complete));
        let city = words.optional("city", city, cities, |&(tile, is_complete)| {
            format!("{}/{}", name(tile), if is_complete { "complete" } else { "site" })
        })?;
        state.city = city.map(|(tile, _)| tile);
        state.city_complete = city.is_some_and(|(_, is_complete)| is_complete);
        tokens_field(words, "site", &mut state.site)
    }

    fn seat_fields(&self, words: &mut Words, state: &mut State, seat: Seat) -> Expect {
        let (index, land) = (seat.index(), self.map.land);
        let name = |tile| self.tile_names.get(tile);
        let placed = |tile, status| {
            fmt::from_fn(move |f| write!(f, "{}/{}", name(tile), name_of(&STATUSES, &status)))
        };
        words.begin_seat(seat)?;
        let role = Some(state.roles[index]).filter(|&role| role > 0);
        let roles = (1..=self.roles.len() as u8).chain([HIDDEN]);
        let role_name = |&role: &u8| match role {
            HIDDEN => "?".to_owned(),
            _ => self.data.role_name(usize::from(role) - 1).to_owned(),
        };
        state.roles[index] = words.optional("role", role, roles, role_name)?.unwrap_or(0);
        tokens_field(words, "stock", &mut state.stock[index])?;
        let max_proposals = self.data.negotiation.proposals_per_day.get() as u8;
        let proposals = &mut state.proposals_made[index];
        *proposals = words.number("proposals", *proposals, 0..=max_proposals)?;
        let camp = state.camp(seat);
        let camp = camp.tile().map(|tile| (tile, camp.status()));
        let camps = tiles_in(land).flat_map(|tile| Status::ALL.map(|status| (tile, status)));
        let camp = words
            .optional("camp", camp, camps, |&(tile, status)| placed(tile, status).to_string())?;
        state.camps[index] = camp.map_or(Camp::default(), |(tile, status)| Camp::new(tile, status));
        let boats = (0..self.map.rows).flat_map(|row| {
            let (tile, boats) = (Tile::river(row), state.boats(seat, row));
            [(Status::Fresh, boats.fresh()), (Status::Turned, boats.turned())]
                .map(|(status, count)| (placed(tile, status), (row, status), count))
        });
        for ((row, status), count) in words.counts("boats", boats, MAX_PIECES as u32)? {
            let boats = &mut state.boats[index][row];
            let fresh = if status == Status::Fresh { count } else { 0 };
            *boats = Boats::new(boats.fresh() + fresh, boats.turned() + count - fresh);
        }
        for (key, lanes) in STACKS {
            let stacks = &mut state.stacks[index];
            let counts = tiles_in(land).flat_map(|tile| {
                let stack = stacks[tile.index()];
                lanes.iter().map(move |&(status, lane)| {
                    let name = fmt::from_fn(move |f| write!(f, "{}{status}", name(tile)));
                    (name, (tile, lane), stack.lane_count(lane))
                })
            });
            for ((tile, lane), count) in words.counts(key, counts, MAX_PIECES as u32)? {
                (0..count).for_each(|_| stacks[tile.index()].insert(lane));
            }
        }
        Ok(())
    }

    fn owners_field(
        &self,
        words: &mut Words,
        key: &str,
        owners: &mut Owners,
        places: &[(&str, usize)],
    ) -> Expect {
        let owned = places.iter().flat_map(|&(place, index)| {
            let owner = owners.get(index);
            self.all_seats().map(move |seat| {
                let name = fmt::from_fn(move |f| write!(f, "{place}={seat}"));
                (name, (index, seat), u32::from(owner == Some(seat)))
            })
        });
        for ((index, seat), _) in words.counts(key, owned, MAX_LAND_TILES as u32)? {
            owners.set(index, Some(seat));
        }
        Ok(())
    }
}

fn tokens_field(words: &mut Words, key: &str, tokens: &mut Tokens) -> Expect {
    let counts = Token::ALL.map(|token| (token.name(), token, tokens.get(token)));
    for (token, count) in words.counts(key, counts, MAX_TOKENS as u32)? {
        tokens.add(token, count);
    }
    Ok(())
}

/// Returns the kind of token that fills a slot.
pub(super) fn slot_kind(game: &CommonRiver, slot: u32) -> Token {
    match slot {
        slot if game.map.trees >> slot & 1 == 1 => Token::Tree,
        slot if game.map.gravel >> slot & 1 == 1 => Token::Gravel,
        _ => Token::Fish,
    }
}

/// Returns the text of a position without the roles of the other seats.
pub(super) fn view_text(game: &CommonRiver, state: &State, viewer: Seat) -> String {
    let mut view = *state;
    for seat in game.all_seats().filter(|&seat| seat != viewer && state.role(seat).is_some()) {
        view.roles[seat.index()] = HIDDEN;
    }
    write_position(game, &view)
}

/// Parses a position. In a view, the roles of seats that do not decide may be hidden.
pub(super) fn parse(game: &CommonRiver, text: &str, is_view: bool) -> Result<State, NotationError> {
    let state = read_position(game, text, State::default())?;
    let roles = text.split_ascii_whitespace().filter(|word| word.starts_with("role:"));
    let mut hidden = game.all_seats().zip(roles).filter(|(_, role)| *role == "role:?");
    match hidden.find(|&(seat, _)| !is_view || game.turn(&state) == Turn::Seat(seat)) {
        Some((seat, _)) => {
            let expected = format!("the role of seat {seat}");
            Err(NotationError::new(text, CommonRiver::NOTATION, expected))
        }
        None => Ok(state),
    }
}

/// An upper bound of the absolute water level. The water of Storms accumulates, and there are at
/// most as many Storms as weather cards.
const MAX_WATER: i16 = 15_000;
const _: () = assert!(
    (MAX_WEATHER_KINDS * 15) as i64 * (MAX_DIE as i64 + MAX_MODIFIER + MAX_ROWS as i64)
        < MAX_WATER as i64
);
const _: () = assert!(2 * MAX_WATER as i64 <= i16::MAX as i64);
