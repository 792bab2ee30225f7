//! The score of The River (rules §8), in the reference model.

use toml::Table;

use super::{
    RiverModel,
    data::{number, text},
    index_of,
};

impl RiverModel {
    /// Returns the parts of the score of a seat.
    pub(crate) fn breakdown(&self, seat: usize) -> Vec<(&'static str, i32)> {
        let own = &self.seats[seat];
        let columns = (1..=4).map(|column| {
            let terrains = [1, 2, 3].map(|row| {
                let spot = self.data.path.iter().position(|&place| place == (row, column)).unwrap();
                own.tiles.get(spot).map_or(&[][..], |id| &self.data.tile(id).terrain)
            });
            let common = |rows: &[&[String]]| {
                rows[0].iter().any(|terrain| rows.iter().all(|row| row.contains(terrain)))
            };
            if common(&terrains) {
                self.data.rule("column_all_three")
            } else if common(&terrains[..2]) {
                self.data.rule("column_top_two")
            } else {
                0
            }
        });
        let parts = [
            ("tokens", own.start_points + own.tokens.iter().sum::<usize>()),
            ("buildings", own.built.iter().map(|card| self.data.cards[card].points).sum()),
            ("resources", own.held.iter().sum::<usize>() / self.data.rule("per_resources")),
            ("columns", columns.sum()),
            (
                "meadows",
                own.tiles
                    .iter()
                    .map(|id| self.meadow_points(seat, &self.data.tile(id).effect))
                    .sum(),
            ),
        ];
        parts.map(|(part, points)| (part, points as i32)).to_vec()
    }

    fn meadow_points(&self, seat: usize, effect: &Table) -> usize {
        let own = &self.seats[seat];
        let Some(points) = effect.get("points").map(number) else { return 0 };
        match effect["kind"].as_str().unwrap() {
            "points_per_terrain" => {
                let terrain = text(&effect["terrain"]);
                points
                    * own
                        .tiles
                        .iter()
                        .filter(|id| self.data.tile(id).terrain.contains(&terrain))
                        .count()
            }
            "points_per_production" => {
                let symbols = self.production(seat, index_of(&text(&effect["resource"])));
                (points * symbols).min(number(&effect["cap"]))
            }
            "income" => points,
            "points_per_pioneer" => points * own.pioneers,
            "points_per_token" => points * own.tokens.len(),
            kind => panic!("{kind} scores nothing"),
        }
    }
}
