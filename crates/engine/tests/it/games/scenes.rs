//! Positions for people: scenes of recorded games, as text and as SVG.

use crate::task::{GameTask, bind_and_run};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use watershed::BuiltInGame;
use watershed::{
    arena::record::{read_records, replay_events},
    bots::profile::BotLibrary,
    game::{FullGame, Notation as _, Seat},
    games::{
        GameDefinition, built_in_games, common_river::CommonRiver, glassworks::Glassworks,
        the_river::TheRiver,
    },
    rng::{Purpose, stream},
    scene::{Area, Art, Cell, Chip, Fact, Grid, GridKind, Hue, Icon, STYLE, Scene, SvgSheet},
};

/// Maximum width of the text.
const WIDTH: usize = 80;

/// Passes the positions of a recorded game.
fn for_each_position<G: FullGame>(game: &G, id: &str, mut check: impl FnMut(&G::State)) {
    let path = format!("../../tests/golden/{id}-{}.jsonl", game.seats());
    let record = read_records(Path::new(&path)).unwrap().next().unwrap().unwrap();
    let end = replay_events(game, &record, record.events.len(), |_, state, _| check(state));
    check(&end.unwrap());
}

/// Runs a check for every game and number of players.
fn check_games<T: GameTask + Clone>(task: &T, mut check: impl FnMut(T::Output)) {
    for game in built_in_games().all() {
        for players in game.min_players..=game.max_players {
            let document = game.default_document();
            let output = bind_and_run(game.id, &document, players, task.clone());
            check(output.unwrap());
        }
    }
}

/// Checks the text and the drawings of all positions.
#[derive(Clone)]
struct Render;

impl GameTask for Render {
    type Output = ();

    fn run<G: BuiltInGame>(self, game: &G, _library: &BotLibrary) {
        let mut sheet = SvgSheet::default();
        let mut figures = String::new();
        let mut count = 0;
        for_each_position(game, G::ID, |state| {
            let viewer = [None, Some(Seat::new(0))][count % 2];
            let scene = game.scene(state, viewer);
            let text = scene.text(WIDTH);
            for line in text.lines() {
                assert!(line.chars().count() <= WIDTH, "{line}\n{text}");
            }
            assert!(text.starts_with(G::TITLE), "{text}");
            assert!(scene.cells().all(|cell| !cell.label().is_empty()), "{scene:?}");
            let active = scene.areas.iter().filter(|area| area.is_active).count();
            let decides = matches!(game.turn(state), watershed::Turn::Seat(_));
            assert_eq!(active, usize::from(decides), "{text}");
            // Boards of seats keep their places, whatever is on them.
            let figure = SvgSheet::default().figure(&scene);
            let heights = figure.split("viewBox=\"0 0 340 ").skip(1);
            let heights: Vec<u32> =
                heights.map(|part| part.split('"').next().unwrap().parse().unwrap()).collect();
            for (area, height) in scene.areas.iter().zip(heights) {
                if area.seat.is_some() {
                    assert_eq!(height as usize, area.min_height, "{text}");
                }
            }
            if count % 16 == 0 {
                let images = image_count(&scene);
                assert_eq!(check_document(&scene.svg(360)), images);
                assert_eq!(check_document(&scene.svg(720)), images);
                figures += &sheet.figure(&scene);
            }
            count += 1;
        });
        let page = format!("<div>{figures}{}</div>", sheet.definitions());
        assert!(check_document(&page) > 10);
    }
}

/// Returns the number of drawings with an alternative text of their own: cells, and chips that are
/// in no cell.
fn image_count(scene: &Scene) -> usize {
    let chips = scene.areas.iter().flat_map(|area| &area.facts).flat_map(|fact| {
        let is_drawn = |chip: &Chip| chip.look.is_some() || chip.icon.is_some();
        // Plain texts in a row have none.
        fact.chips.iter().filter(move |chip| is_drawn(chip))
    });
    scene.cells().count() + chips.count()
}

#[test]
fn every_drawing_of_an_icon_and_a_landscape_exists() {
    let icon = |icon| Chip { icon: Some(icon), ..Chip::default() };
    let cell = |art| Cell { art: Some(art), ..Cell::default() };
    let area = Area {
        facts: Icon::ALL.iter().map(|&name| Fact::new("", [icon(name)])).collect(),
        grids: vec![Grid {
            cells: Art::ALL.iter().map(|&art| cell(art)).collect(),
            ..Grid::default()
        }],
        ..Area::default()
    };
    let scene = Scene { areas: vec![area], ..Scene::default() };
    let svg = scene.svg(360);
    for name in Icon::ALL.iter().map(|icon| format!("icon-{}", icon.name())) {
        assert_eq!(svg.matches(&format!("<symbol id=\"{name}\"")).count(), 1, "{name}");
    }
    for name in Art::ALL.iter().map(|art| format!("art-{}", art.name())) {
        assert_eq!(svg.matches(&format!("<symbol id=\"{name}\"")).count(), 1, "{name}");
    }
}

#[test]
fn every_position_is_drawn() {
    check_games(&Render, |()| {});
}

/// Returns the value of an attribute of a tag.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    rest.split('"').next()
}

/// Checks that tags are balanced, attributes and text are escaped, images have alternative texts,
/// and references have targets. Returns the number of images.
#[track_caller]
fn check_document(document: &str) -> usize {
    let mut open = Vec::new();
    let mut ids = BTreeSet::new();
    let mut references = BTreeSet::new();
    let mut images = 0;
    let mut rest = document.trim_end();
    while let Some((text, after)) = rest.split_once('<') {
        for entity in text.split('&').skip(1) {
            let known = ["lt;", "gt;", "amp;", "quot;"];
            assert!(known.iter().any(|name| entity.starts_with(name)), "{text}");
        }
        let (tag, after) = after.split_once('>').unwrap();
        assert!(!tag.contains('<') && tag.matches('"').count() % 2 == 0, "<{tag}>");
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{document}");
            continue;
        }
        let name = tag.split([' ', '/']).next().unwrap();
        assert!(!name.is_empty() && name.chars().all(char::is_alphanumeric), "<{tag}>");
        if !tag.ends_with('/') {
            open.push(name);
        }
        if attribute(tag, "role") == Some("img") {
            images += 1;
            assert!(attribute(tag, "aria-label").is_some_and(|text| !text.is_empty()), "<{tag}>");
        }
        if let Some(id) = attribute(tag, "id") {
            assert!(ids.insert(id), "{id} occurs twice");
        }
        references.extend(attribute(tag, "href").and_then(|link| link.strip_prefix('#')));
        let fill = attribute(tag, "fill").and_then(|fill| fill.strip_prefix("url(#"));
        references.extend(fill.and_then(|fill| fill.strip_suffix(')')));
    }
    assert!(rest.is_empty() && open.is_empty(), "{open:?} are open at the end");
    assert!(references.is_subset(&ids), "{:?}", references.difference(&ids));
    images
}

/// Checks that a seat sees the same scene whatever is hidden from it, and returns the number of
/// positions in which somebody who knows everything sees a difference.
#[derive(Clone)]
struct Hide;

impl GameTask for Hide {
    type Output = (&'static str, usize);

    fn run<G: BuiltInGame>(self, game: &G, _library: &BotLibrary) -> Self::Output {
        let mut rng = stream(1, 0, 0, Purpose::Playout);
        let mut differences = 0;
        for_each_position(game, G::ID, |state| {
            for seat in (0..game.seats()).map(Seat::new) {
                let other = game.determinize(state, seat, &mut rng);
                let seen = game.scene(state, Some(seat));
                assert_eq!(game.scene(&other, Some(seat)), seen);
                let all_known = [state, &other].map(|state| game.scene(state, None));
                differences += usize::from(all_known[0] != all_known[1]);
            }
        });
        (G::ID, differences)
    }
}

#[test]
fn scenes_have_no_hidden_information() {
    let mut differences = 0;
    check_games(&Hide, |(id, found)| {
        assert!(found == 0 || id == CommonRiver::ID, "{id}");
        differences += found;
    });
    // The roles of other seats are hidden.
    assert!(differences > 100, "{differences}");
}

fn seat_area(scene: &Scene, seat: Seat) -> &Area {
    let own = |area: &&Area| area.seat == Some(seat.index());
    scene.areas.iter().find(own).unwrap()
}

fn grids(areas: &[Area], kind: GridKind) -> impl Iterator<Item = &Grid> {
    areas.iter().flat_map(|area| &area.grids).filter(move |grid| grid.kind == kind)
}

#[test]
fn every_tile_and_building_of_the_river_occurs() {
    for players in 2..=4 {
        let game = TheRiver::bind(&TheRiver::default_document(), players).unwrap();
        for_each_position(&game, TheRiver::ID, |state| {
            let scene = game.scene(state, None);
            let text = game.position_text(state);
            let open: Vec<_> = scene.areas[0].grids[1].cells.iter().collect();
            let copies = |cell: &&Cell| cell.mark.trim_end_matches(" ×").parse().unwrap_or(1);
            let open: usize = open.iter().map(copies).sum();
            assert_eq!(open, state.face_up_tiles().len(), "{text}");
            let cards = scene.areas[0].grids[2].cells.len();
            assert_eq!(cards, state.face_up_buildings().count_ones() as usize, "{text}");
            for seat in (0..players).map(Seat::new) {
                let area = seat_area(&scene, seat);
                let board = area.grids.iter().find(|grid| grid.kind == GridKind::Board);
                let tiles = state.tiles(seat);
                for spot in 0..tiles.len() {
                    let mark = (spot + 1).to_string();
                    let cell = board.unwrap().cells.iter().find(|cell| cell.mark == mark).unwrap();
                    let tile = &game.data().tile[usize::from(tiles.get(spot).0) - 1];
                    for terrain in &tile.terrain {
                        let name = format!("{terrain:?}").to_lowercase();
                        assert!(cell.label().to_lowercase().contains(&name), "{cell:?}");
                    }
                    assert_eq!(cell.looks.len(), tile.terrain.len());
                }
                let built = state.built_buildings(seat) | state.reserved_buildings(seat);
                let cards: usize = area
                    .grids
                    .iter()
                    .filter(|grid| grid.kind == GridKind::List)
                    .map(|grid| grid.cells.len())
                    .sum();
                assert_eq!(cards, built.count_ones() as usize, "{text}");
            }
        });
    }
}

#[test]
fn every_piece_of_glass_occurs() {
    for players in 2..=5 {
        let game = Glassworks::bind(&Glassworks::default_document(), players).unwrap();
        for_each_position(&game, Glassworks::ID, |state| {
            let scene = game.scene(state, None);
            let river = &scene.areas[0].grids[0].cells;
            let pieces = river.iter().flat_map(|cell| &cell.chips).filter_map(|chip| chip.count);
            let expected = state.river().iter().flat_map(|shape| game.tile_colours(state, shape));
            let expected: usize = expected.map(|(_, count)| count).sum();
            assert_eq!(pieces.sum::<u32>() as usize, expected);
            let chips = |area: &Area, name: &str| {
                area.facts.iter().find(|fact| fact.name == name).unwrap().chips.len()
            };
            assert_eq!(chips(&scene.areas[0], "Lake"), state.lake().len());
            for seat in (0..players).map(Seat::new) {
                let area = seat_area(&scene, seat);
                assert_eq!(chips(area, "Satchel"), state.satchel(seat).len());
                let filled = area.grids[0].cells.iter().filter(|cell| !cell.looks.is_empty());
                assert_eq!(filled.count(), state.columns(seat).inventory() as usize);
            }
        });
    }
}

#[test]
fn every_slot_and_camp_of_the_map_occurs() {
    for players in 1..=5 {
        let game = CommonRiver::bind(&CommonRiver::default_document(), players).unwrap();
        for_each_position(&game, CommonRiver::ID, |state| {
            let scene = game.scene(state, None);
            let text = game.position_text(state);
            let word = |key: &str| {
                let found = text.split(' ').find_map(|word| word.strip_prefix(key));
                found.unwrap().to_owned()
            };
            for entry in word("slots:").split(',') {
                let (tile, slots) = entry.split_once('=').unwrap();
                let cell = scene.cells().find(|cell| cell.heading == tile).unwrap();
                let shown = |chip: &Chip| {
                    if chip.is_vacant { "-".to_owned() } else { chip.name.clone() }
                };
                // The pieces of seats follow the slots.
                let in_slots = cell.chips.iter().filter(|chip| !chip.name.starts_with('P'));
                let chips: Vec<_> = in_slots.map(shown).collect();
                assert_eq!(chips.join("+"), slots, "{text}");
            }
            let map = grids(&scene.areas, GridKind::Board).next().unwrap();
            for seat in 0..players {
                let own = text.split(" seat:").nth(seat + 1).unwrap();
                let camp = own.split(" camp:").nth(1).unwrap();
                let Some((tile, _)) = camp.split(' ').next().unwrap().split_once('/') else {
                    continue;
                };
                let cell = map.cells.iter().find(|cell| cell.heading == tile).unwrap();
                let name = format!("P{}: camp", seat + 1);
                assert!(cell.chips.iter().any(|chip| chip.name.starts_with(&name)), "{cell:?}");
            }
        });
    }
}

#[test]
fn other_games_show_the_words_of_a_position() {
    let scene = Scene::of_words("a_game/2 turn:1 held:axe,bow free");
    let text = "a_game/2\n\nPosition\n  turn: 1; held: axe, bow; free\n";
    assert_eq!(scene.text(WIDTH), text);
    let svg = scene.svg(360);
    assert!(svg.contains("axe, bow") && svg.ends_with("</svg>\n"), "{svg}");
}

/// Returns the colours that a part of the style sheet names.
fn colours(style: &str) -> BTreeMap<String, [u8; 3]> {
    let declarations = style.split(['{', '}', ';']).filter_map(|part| part.split_once(':'));
    let colours = declarations.filter_map(|(name, value)| {
        let digits = value.trim().strip_prefix('#')?;
        let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
        Some((name.trim().strip_prefix("--")?.to_owned(), [byte(0), byte(2), byte(4)]))
    });
    colours.collect()
}

/// Returns the contrast of two colours as the Web Content Accessibility Guidelines define it.
fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
    let luminance = |colour: [u8; 3]| {
        let linear = colour.map(|byte| {
            let part = f64::from(byte) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05
    };
    let [one, other] = [luminance(one), luminance(other)];
    one.max(other) / one.min(other)
}

#[test]
fn text_has_enough_contrast() {
    let (light, dark) = STYLE.split_once("@media screen and (prefers-color-scheme: dark)").unwrap();
    let light = colours(light);
    let mut both = light.clone();
    both.extend(colours(dark.split_once(".scene").unwrap().0));
    assert!(both != light);
    for variant in [light, both] {
        let mut pairs: Vec<_> = ["scene-ink", "scene-soft"]
            .iter()
            .flat_map(|text| ["scene-area", "scene-paper"].map(|ground| (*text, ground.to_owned())))
            .collect();
        pairs.push(("scene-turn", "scene-area".to_owned()));
        pairs.extend(Hue::ALL.iter().map(|hue| {
            let text = match hue {
                Hue::Black => "scene-on-black",
                Hue::White => "scene-on-white",
                _ => "scene-on",
            };
            (text, format!("hue-{}", hue.name()))
        }));
        for (text, ground) in pairs {
            let contrast = contrast(variant[text], variant[&ground]);
            assert!(contrast >= 4.5, "{text} on {ground}: {contrast:.2}");
        }
    }
}

/// Checks the rules in short, and returns the automatic steps of the rules in a recorded game.
#[derive(Clone)]
struct RuleSteps;

impl GameTask for RuleSteps {
    type Output = (&'static str, usize, Vec<String>);

    fn run<G: BuiltInGame>(self, game: &G, _library: &BotLibrary) -> Self::Output {
        let rules = game.rules_in_short();
        assert_eq!(rules.len(), 10, "{rules:?}");
        assert!(rules.iter().all(|rule| rule.ends_with('.')), "{rules:?}");
        let mut last: Option<G::State> = None;
        let mut steps = Vec::new();
        for_each_position(game, G::ID, |state| {
            if let Some(before) = last {
                steps.extend(game.rule_steps(&before, state, None));
                let addressed = game.rule_steps(&before, state, Some(Seat::new(0)));
                assert!(!addressed.join(" ").contains("Player 1 "), "{addressed:?}");
            }
            last = Some(*state);
        });
        (G::ID, game.seats(), steps)
    }
}

#[test]
fn automatic_steps_of_the_rules_are_told() {
    check_games(&RuleSteps, |(id, seats, steps)| {
        let number = |part: &str| steps.iter().filter(|step| step.contains(part)).count();
        let begins = match id {
            CommonRiver::ID => number("Day "),
            _ => number("Round "),
        };
        assert!(begins >= 4, "{id}, {seats}: {steps:?}");
        match id {
            TheRiver::ID => assert!(number("a bonus token of ") > 3, "{steps:?}"),
            Glassworks::ID => assert!(number(" adds ") > 5 * seats, "{steps:?}"),
            _ => assert!(number("The water stands at ") > 5, "{steps:?}"),
        }
    });
}
