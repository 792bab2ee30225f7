//! The notation of a position as the reference model expects it.

use std::collections::{BTreeMap, BTreeSet};

use super::reference::{CommonRiverModel, ModelSeat, Piece, Status};

fn list(entries: impl IntoIterator<Item = String>) -> String {
    let entries: Vec<_> = entries.into_iter().collect();
    if entries.is_empty() { "-".to_owned() } else { entries.join(",") }
}

fn counted(name: &str, count: i64) -> String {
    if count == 1 { name.to_owned() } else { format!("{name}*{count}") }
}

fn tokens(pile: &BTreeMap<String, i64>) -> String {
    list(pile.iter().filter(|&(_, &count)| count > 0).map(|(token, &count)| counted(token, count)))
}

/// Returns the words of a position that follow from the reference model.
pub(super) fn expected_words(model: &CommonRiverModel) -> Vec<(&'static str, String)> {
    let rows = model.data.rows();
    let land: Vec<String> = ["L", "R"]
        .iter()
        .flat_map(|bank| (1..=rows).map(move |row| format!("{bank}{row}")))
        .collect();
    let rivers: Vec<String> = (1..=rows).map(|row| format!("W{row}")).collect();
    let halves = model.slots.keys().filter(|tile| !land.contains(tile) && !rivers.contains(tile));
    let mut halves: Vec<String> = halves.cloned().collect();
    halves.sort_by_key(|half| model.half_row(half));
    let whole: Vec<&String> = land.iter().chain(&rivers).collect();
    let on = |set: &BTreeSet<String>| {
        list(whole.iter().filter(|tile| set.contains(**tile)).map(|tile| (*tile).clone()))
    };
    let mut cards = model.weather_cards();
    cards.sort_unstable();
    let unseen = cards
        .iter()
        .filter(|card| model.unseen[*card] > 0)
        .map(|card| counted(card, model.unseen[card]));
    let with_slots = whole.iter().copied().chain(&halves);
    let slots = slots_word(model, with_slots);
    let loose = rivers.iter().filter(|tile| model.loose[*tile].values().any(|&count| count > 0));
    let loose =
        loose.map(|tile| format!("{tile}={}", tokens(&model.loose[tile]).replace(',', "+")));
    let city = model.city.as_ref().map_or("-".to_owned(), |city| {
        format!("{}/{}", city.tile, if city.complete { "complete" } else { "site" })
    });
    let mut words = vec![
        ("day", model.day.to_string()),
        ("first", model.first.to_string()),
        ("water", model.water.to_string()),
        ("carry", model.carry.to_string()),
        ("subsidized", u8::from(model.subsidized).to_string()),
        ("almanac", list(model.almanac.iter().cloned())),
        ("unseen", list(unseen)),
        ("slots", slots),
        ("loose", list(loose)),
        ("flooded", on(&model.flooded)),
        ("protected", on(&model.protected)),
        ("bridges", list(model.bridges.iter().map(|(row, seat)| format!("W{row}={seat}")))),
        (
            "nets",
            list(
                land.iter()
                    .filter_map(|slot| model.nets.get(slot).map(|seat| format!("{slot}={seat}"))),
            ),
        ),
        ("city", city),
        ("site", model.city.as_ref().map_or("-".to_owned(), |city| tokens(&city.tokens))),
    ];
    for (index, seat) in model.seats.iter().enumerate() {
        words.extend(seat_words(index, seat, &land, &whole));
    }
    words
}

/// Returns what the slots of the tiles hold, apart from the tile of the City.
fn slots_word<'a>(model: &CommonRiverModel, tiles: impl Iterator<Item = &'a String>) -> String {
    let city_tile = model.city.as_ref().map(|city| &city.tile);
    let with_slots =
        tiles.filter(|tile| Some(*tile) != city_tile && !model.slots[*tile].is_empty());
    list(with_slots.map(|tile| {
        let contents: Vec<_> = model.slots[tile]
            .iter()
            .map(|slot| slot.holds.clone().unwrap_or("-".to_owned()))
            .collect();
        format!("{tile}={}", contents.join("+"))
    }))
}

/// Returns the words of a seat.
fn seat_words(
    index: usize,
    seat: &ModelSeat,
    land: &[String],
    whole: &[&String],
) -> [(&'static str, String); 11] {
    let status = |piece: &Piece| match (piece.kind.as_str(), piece.status) {
        (_, Status::Fresh) => "fresh",
        ("boat", _) => "turned",
        ("mill", _) | (_, Status::Closed) => "closed",
        (_, Status::Turned) => "turned",
    };
    let placed = |kind: &str| {
        let mut entries = Vec::new();
        for tile in whole {
            for wanted in ["fresh", "closed", "turned"] {
                let there = seat.pieces.iter().filter(|piece| {
                    piece.kind == kind && piece.place == **tile && status(piece) == wanted
                });
                let count = there.count() as i64;
                if count > 0 {
                    entries.push(counted(&format!("{tile}/{wanted}"), count));
                }
            }
        }
        list(entries)
    };
    let passive = |kind: &str| {
        let there =
            land.iter().map(|tile| (tile, seat.count(kind, tile))).filter(|&(_, count)| count > 0);
        list(there.map(|(tile, count)| counted(tile, count)))
    };
    [
        ("seat", index.to_string()),
        ("role", seat.role.clone().unwrap_or("-".to_owned())),
        ("stock", tokens(&seat.stock)),
        ("proposals", seat.proposals.to_string()),
        ("camp", placed("camp")),
        ("boats", placed("boat")),
        ("excavators", placed("excavator")),
        ("mills", placed("mill")),
        ("farms", passive("farm")),
        ("canals", passive("canal")),
        ("levees", passive("levee")),
    ]
}
