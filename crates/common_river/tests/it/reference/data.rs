//! The data file of We All Take from the River as plain values.

use toml::Value;

/// A data file as plain values.
#[derive(Debug)]
pub(crate) struct ModelData {
    pub(super) file: Value,
}

pub(super) const TOKENS: [&str; 5] = ["fish", "gold", "gravel", "pollution", "tree"];
pub(super) const CLOSING: [&str; 7] = ["done", "stop", "enough", "pass", "for", "send", "settle"];

impl ModelData {
    pub(crate) fn read(file: &str) -> Self {
        Self { file: Value::Table(file.parse().unwrap()) }
    }

    pub(super) fn table(&self, section: &str) -> &Value {
        &self.file[section]
    }

    pub(crate) fn rule(&self, key: &str) -> i64 {
        self.file["rules"][key].as_integer().unwrap()
    }

    pub(crate) fn city_pollutes_dry(&self) -> bool {
        self.file["rules"]["city_pollutes_dry"].as_bool().unwrap()
    }

    pub(crate) fn negotiation(&self, key: &str) -> i64 {
        self.file["negotiation"][key].as_integer().unwrap()
    }

    pub(super) fn progress(&self, key: &str) -> i64 {
        self.file["progress"][key].as_integer().unwrap()
    }

    pub(crate) fn pieces(&self, key: &str) -> i64 {
        self.file["pieces"][key].as_integer().unwrap()
    }

    pub(super) fn row(&self, row: usize) -> &Value {
        &self.file["row"][row - 1]
    }

    pub(crate) fn rows(&self) -> usize {
        self.file["row"].as_array().unwrap().len()
    }

    pub(super) fn land(&self, tile: &str) -> &Value {
        &self.row(row_of(tile))[if tile.starts_with('L') { "left" } else { "right" }]
    }

    pub(super) fn elevation(&self, tile: &str) -> i64 {
        self.land(tile)["elevation"].as_integer().unwrap()
    }

    pub(super) fn has_camp_slot(&self, tile: &str) -> bool {
        self.land(tile)["camp"].as_bool().unwrap()
    }

    pub(super) fn half(&self, row: usize) -> String {
        self.row(row)["half"]["id"].as_str().unwrap().to_owned()
    }

    pub(super) fn half_neighbours(&self, row: usize) -> Vec<String> {
        list(&self.row(row)["half"]["adjacent"])
    }

    pub(crate) fn city_cost(&self) -> Vec<(String, i64)> {
        token_counts(&self.file["rules"]["city_cost"])
    }

    pub(super) fn cost(&self, kind: &str) -> Vec<(String, i64)> {
        token_counts(&self.table("cost")[kind])
    }

    pub(super) fn weather(&self, card: &str) -> &Value {
        self.file["weather"]
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["id"].as_str() == Some(card))
            .unwrap()
    }

    pub(super) fn is_storm(&self, card: &str) -> bool {
        self.weather(card).get("storm").is_some_and(|storm| storm.as_bool().unwrap())
    }

    pub(super) fn roles(&self) -> Vec<String> {
        self.file["role"]
            .as_array()
            .unwrap()
            .iter()
            .map(|role| role["id"].as_str().unwrap().to_owned())
            .collect()
    }

    pub(super) fn role_objectives(&self, role: &str) -> Vec<String> {
        let rows = self.file["role"].as_array().unwrap();
        list(&rows.iter().find(|row| row["id"].as_str() == Some(role)).unwrap()["objectives"])
    }

    /// Returns all land tiles, from the top, left before right.
    pub(super) fn land_tiles(&self) -> Vec<String> {
        (1..=self.rows()).flat_map(|row| [format!("L{row}"), format!("R{row}")]).collect()
    }
}

pub(super) fn list(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|entry| entry.as_str().unwrap().to_owned()).collect()
}

pub(super) fn token_counts(table: &Value) -> Vec<(String, i64)> {
    table
        .as_table()
        .unwrap()
        .iter()
        .map(|(token, count)| (token.clone(), count.as_integer().unwrap()))
        .collect()
}

/// Returns the row of a land tile, river tile or net slot.
pub(crate) fn row_of(tile: &str) -> usize {
    tile[1..].parse().unwrap()
}

pub(super) fn other_bank(tile: &str) -> String {
    format!("{}{}", if tile.starts_with('L') { 'R' } else { 'L' }, &tile[1..])
}
