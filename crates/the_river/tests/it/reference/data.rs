//! The data file of The River as plain values.

use std::collections::HashMap;

use toml::{Table, Value};

use super::RESOURCES;

/// A data file as plain values.
#[derive(Debug)]
pub(crate) struct ModelData {
    pub(super) file: Value,
    pub(super) path: Vec<(usize, usize)>,
    pub(super) framed: Vec<usize>,
    pub(super) boards: Vec<Board>,
    pub(crate) tiles: Vec<Tile>,
    pub(super) cards: HashMap<String, Card>,
}

impl ModelData {
    pub(crate) fn read(file: &str) -> Self {
        let file = Value::Table(file.parse().unwrap());
        let path: Vec<_> = list(&file["river"]["path"])
            .iter()
            .map(|place| (number(&place[0]), number(&place[1])))
            .collect();
        let boards = list(&file["board"]).iter().map(|board| {
            let spots = (1..=path.len()).map(|spot| {
                let printed = |key: &str| {
                    board.get(key).and_then(|symbols| symbols.get(spot.to_string())).cloned()
                };
                let resource = printed("production").map(|resource| text(&resource));
                let production = [0, 1, 2]
                    .map(|index| usize::from(resource.as_deref() == Some(RESOURCES[index])));
                (production, printed("storage").map_or(0, |storage| number(&storage)))
            });
            Board { id: text(&board["id"]), spots: spots.collect() }
        });
        let tiles = list(&file["tile"]).iter().map(|tile| Tile {
            id: text(&tile["id"]),
            copies: number(&tile["copies"]),
            terrain: list(&tile["terrain"]).iter().map(text).collect(),
            production: produced(tile, "production"),
            storage: number_or_0(tile, "storage"),
            effect: tile
                .get("effect")
                .map_or(Table::new(), |effect| effect.as_table().unwrap().clone()),
        });
        let buildings = file.get("building").map_or(&[][..], list).iter();
        let cards = buildings.map(|card| {
            (
                text(&card["id"]),
                Card { cost: produced(card, "cost"), points: number(&card["points"]) },
            )
        });
        // Positions list tiles by `id`.
        let mut tiles: Vec<_> = tiles.collect();
        tiles.sort_unstable_by(|one, other| one.id.cmp(&other.id));
        Self {
            framed: list(&file["river"]["framed"]).iter().map(number).collect(),
            boards: boards.collect(),
            tiles,
            cards: cards.collect(),
            path,
            file,
        }
    }

    pub(super) fn rule(&self, key: &str) -> usize {
        number(&self.file["rules"][key])
    }

    pub(super) fn tile(&self, id: &str) -> &Tile {
        self.tiles.iter().find(|tile| tile.id == id).unwrap()
    }
}

#[derive(Debug)]
pub(super) struct Board {
    pub(super) id: String,
    /// For each spot, the production symbols and warehouses printed there.
    pub(super) spots: Vec<([usize; 3], usize)>,
}

/// A kind of tile.
#[derive(Debug)]
pub(crate) struct Tile {
    pub(crate) id: String,
    pub(crate) copies: usize,
    pub(super) terrain: Vec<String>,
    pub(super) production: [usize; 3],
    pub(super) storage: usize,
    pub(super) effect: Table,
}

#[derive(Debug)]
pub(super) struct Card {
    pub(super) cost: [usize; 3],
    pub(super) points: usize,
}

pub(super) fn number(value: &Value) -> usize {
    usize::try_from(value.as_integer().unwrap()).unwrap()
}

pub(super) fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

pub(super) fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

/// Returns a number, or 0 if the key is missing.
fn number_or_0(table: &Value, key: &str) -> usize {
    table.get(key).map_or(0, number)
}

/// Returns wood, clay and stone of a table that may be missing.
fn produced(table: &Value, key: &str) -> [usize; 3] {
    let amounts = table.get(key).cloned().unwrap_or(Value::Table(Table::new()));
    [0, 1, 2].map(|resource| number_or_0(&amounts, RESOURCES[resource]))
}
