//! Names of buildings and tiles for people, made of their properties where the data file has none.

use super::{
    components::Resource,
    data::{BuildingCard, EffectKind, Produced, Tile, TileEffect},
};
use watershed_engine::{games::labels::count, scene::capitalize};

/// Returns the label of a building, as in `2 wood + 1 clay → 4 points`.
pub(super) fn building_label(card: &BuildingCard) -> String {
    if let Some(name) = &card.name {
        return name.as_str().to_owned();
    }
    format!("{} → {}", cost_text(card), count(card.points.get(), "point"))
}

/// Returns a building within a sentence, as in `the 4-point building (2 wood + 1 clay)`.
pub(super) fn building_phrase(card: &BuildingCard) -> String {
    match &card.name {
        Some(name) => name.as_str().to_owned(),
        None => format!("the {}-point building ({})", card.points.get(), cost_text(card)),
    }
}

fn cost_text(card: &BuildingCard) -> String {
    let costs = Resource::PRODUCED.iter().zip(card.cost.to_array());
    let costs = costs.filter(|&(_, amount)| amount > 0);
    let costs: Vec<_> =
        costs.map(|(resource, amount)| format!("{amount} {}", resource.name())).collect();
    if costs.is_empty() { "free".to_owned() } else { costs.join(" + ") }
}

/// Returns the label of a tile, as in `Meadow: 1 point per mountain`.
pub(super) fn tile_label(tile: &Tile) -> String {
    if let Some(name) = &tile.name {
        return name.as_str().to_owned();
    }
    let terrains: Vec<_> = tile.terrain.iter().map(|terrain| terrain.name()).collect();
    let terrain = capitalize(&terrains.join(" and "));
    let symbols = Resource::PRODUCED.iter().zip(tile.production.to_array());
    let symbols = symbols.filter(|&(_, amount)| amount > 0);
    let mut parts: Vec<_> = symbols
        .map(|(resource, amount)| format!("produces {amount} {}", resource.name()))
        .collect();
    if tile.storage.get() > 0 {
        parts.push(count(tile.storage.get(), "warehouse"));
    }
    parts.extend(tile.effect.as_ref().map(effect_text));
    if parts.is_empty() { terrain } else { format!("{terrain}: {}", parts.join(", ")) }
}

/// Returns the label of a kind of effect.
pub(super) fn effect_label(kind: EffectKind) -> String {
    format!("All tiles with {}", kind.name().replace('_', " "))
}

fn resource_name(resource: Produced) -> &'static str {
    Resource::from(resource).name()
}

pub(super) fn effect_text(effect: &TileEffect) -> String {
    match effect {
        TileEffect::PointsPerTerrain { terrain, points } => {
            format!("{} per {}", count(points.get(), "point"), terrain.name())
        }
        TileEffect::PointsPerProduction { resource, points, cap } => format!(
            "{} per {} symbol, at most {}",
            count(points.get(), "point"),
            resource_name(*resource),
            cap.get()
        ),
        TileEffect::Income { resource, amount, points } => {
            let income = format!("{} {} a round", amount.get(), resource_name(*resource));
            match points.get() {
                0 => income,
                points => format!("{income}, {}", count(points, "point")),
            }
        }
        TileEffect::Take { resource, amount } => {
            format!("take {} {}", amount.get(), resource_name(*resource))
        }
        TileEffect::Swap { times } => count(times.get(), "swap"),
        TileEffect::PointsPerPioneer { points } => {
            format!("{} per pioneer", count(points.get(), "point"))
        }
        TileEffect::PointsPerToken { points } => {
            format!("{} per bonus token", count(points.get(), "point"))
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test stops here")]
mod tests {
    use super::*;
    use watershed_engine::config::Document;

    fn tile(properties: &str) -> String {
        let text = format!("id = \"t\"\ncopies = 1\n{properties}");
        tile_label(&Document::embedded("text", &text).parse().unwrap())
    }

    fn building(properties: &str) -> String {
        let text = format!("id = \"b\"\n{properties}");
        building_label(&Document::embedded("text", &text).parse().unwrap())
    }

    #[test]
    fn labels_state_the_properties() {
        let w2c1 = "cost = { wood = 2, clay = 1 }\npoints = 4";
        assert_eq!(building(w2c1), "2 wood + 1 clay → 4 points");
        assert_eq!(building("cost = {}\npoints = 1"), "free → 1 point");
        let meadow =
            |effect: &str| tile(&format!("terrain = [\"meadow\"]\neffect = {{ {effect} }}"));
        for (effect, expected) in [
            (
                "kind = \"points_per_terrain\", terrain = \"mountain\", points = 1",
                "1 point per mountain",
            ),
            (
                "kind = \"points_per_production\", resource = \"clay\", points = 1, cap = 3",
                "1 point per clay symbol, at most 3",
            ),
            (
                "kind = \"income\", resource = \"wood\", amount = 1, points = 2",
                "1 wood a round, 2 points",
            ),
            ("kind = \"income\", resource = \"wood\", amount = 1, points = 0", "1 wood a round"),
            ("kind = \"take\", resource = \"stone\", amount = 4", "take 4 stone"),
            ("kind = \"swap\", times = 2", "2 swaps"),
            ("kind = \"points_per_pioneer\", points = 1", "1 point per pioneer"),
            ("kind = \"points_per_token\", points = 2", "2 points per bonus token"),
        ] {
            assert_eq!(meadow(effect), format!("Meadow: {expected}"));
        }
        let mixed = "terrain = [\"forest\", \"mountain\"]";
        assert_eq!(tile(mixed), "Forest and mountain");
        let stocked = format!("{mixed}\nproduction = {{ wood = 1 }}\nstorage = 2");
        assert_eq!(tile(&stocked), "Forest and mountain: produces 1 wood, 2 warehouses");
    }

    #[test]
    fn names_of_the_data_file_are_used() {
        assert_eq!(tile("terrain = [\"meadow\"]\nname = \"Blooming meadow\""), "Blooming meadow");
        assert_eq!(building("cost = {}\npoints = 1\nname = \"Shed\""), "Shed");
    }
}
