//! The first screen of `simulate`: the answers of the panel, and the targets of the data file.

use crate::support::{Folder, Row, find_row, number};

const DATA: &str = "configs/the_river.toml";

/// Runs `simulate` and returns the text of its page without tags, and the printed text.
fn first_screen(folder: &Folder, arguments: &str) -> (String, String) {
    let printed = folder.succeeds(&format!("simulate {arguments} --quiet --force --out run"));
    let page = folder.read("run/report.html");
    let (_, body) = page.split_once("<header>").unwrap();
    let text = body.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    (text.collect(), printed.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[test]
fn the_first_screen_says_how_far_the_bots_agree() {
    let folder = Folder::new();
    let spots = "[setup.4]";
    let start = format!("{spots}\nstart = [{{}}, {{ wood = 1 }}, {{ wood = 1 }}, {{ wood = 1 }}]");
    folder.copy_with("configs/the_river.toml", "start.toml", spots, &start);
    for (arguments, sure) in [
        ("--bots balanced --games 1000", "one quick bot only"),
        ("--panel expert,balanced --games 1000", "turn order: 2 bots agree"),
        ("--panel balanced,meadow --games 60", "few games: only large differences show"),
        ("--panel random,random-kind --games 1000", "find no first-player edge"),
        (
            // A wood more for the others is too much with one bot only.
            "--config start.toml --players 4 --panel balanced,expert@1500 --games 3000",
            "turn order: 2 bots differ, ",
        ),
    ] {
        let (text, printed) = first_screen(&folder, &format!("{arguments} --forks 0"));
        let players = if arguments.contains("--players 4") { "4 players" } else { "2 players" };
        for part in [sure, players, "Turn order "] {
            // A sentence of the page begins with a capital.
            let [page, part] = [&*text, part].map(str::to_lowercase);
            assert!(page.contains(&part), "{part}: {text}");
            assert!(printed.to_lowercase().contains(&part), "{part}: {printed}");
        }
    }
}

#[test]
fn the_default_panel_plays_the_first_games_of_the_run() {
    let folder = Folder::new();
    first_screen(&folder, "--games 60 --players 3 --forks 8");
    let rows = folder.rows("run/panel.csv");
    let bots: Vec<_> = rows.iter().map(|row| row["bot"].as_str()).collect();
    assert_eq!(bots, ["expert", "second", "mcts:iterations=50"]);
    let wins = rows.iter().map(|row| number(row, "wins_against_search")).collect::<Vec<_>>();
    assert!(wins.iter().all(|&wins| wins > 0.01 && wins < 0.4), "shares of the games: {wins:?}");
    // The manifest names the bots and their games.
    let manifest = folder.manifest("run");
    let members = manifest["panel"].as_array().unwrap().iter();
    let members: Vec<_> =
        members.map(|one| (one["name"].as_str(), one["max_games"].as_u64())).collect();
    // The other bots play the same shares of the games as in a run of 20,000.
    let games = [60, 30, 5].map(Some);
    let names = bots.into_iter().map(Some).zip(games);
    assert_eq!(members, names.collect::<Vec<_>>());

    first_screen(&folder, "--games 60 --players 3 --forks 8 --panel expert,builder@40");
    let rows = folder.rows("run/panel.csv");
    let builder = find_row(&rows, &[("bot", "builder")]).clone();
    assert_eq!(builder["games"], "40");
    let whole = folder.rows("run/turn_order.csv");
    folder.succeeds("simulate --games 40 --players 3 --bots builder --quiet --out alone");
    let alone = folder.rows("alone/turn_order.csv");
    assert_eq!(builder["rate"], alone[0]["win_rate"], "the same deals");
    folder.succeeds("simulate --games 60 --players 3 --bots expert --quiet --out main");
    assert_eq!(whole, folder.rows("main/turn_order.csv"), "all other tables are of the first bot");
}

/// Nobody wins most games of bots that play at random; the default bot wins some. The conditions
/// have the shares that failed.
#[test]
fn games_without_a_winner_follow_the_difficulty_with_the_conditions_that_failed() {
    let folder = Folder::new();
    let (text, printed) =
        first_screen(&folder, "--game common_river --players 1 --games 60 --bots random-kind");
    for text in [text, printed] {
        let first = text.find("The player wins 0 of 100 games.");
        let nobody_won = text.find("Nobody won ").expect("the second sentence");
        assert!(first.expect("the first sentence") < nobody_won, "{text}");
        assert!(text.contains("conditions that failed most often: "), "{text}");
        let conditions = ["conservation", "agriculture", "development"];
        assert!(
            conditions.iter().any(|name| text.contains(&format!("{name} 100.0 % ["))),
            "{text}"
        );
    }
}

#[test]
fn missed_targets_are_named_and_do_not_change_the_games() {
    let folder = Folder::new();
    let run = "--bots balanced --games 400 --config mine.toml";
    folder.copy(DATA, "mine.toml");
    first_screen(&folder, run);
    let [wins, hash] = ["run/win_rates.csv", "run/run.json"].map(|name| folder.read(name));
    let hash_of = |manifest: &str| {
        let manifest: serde_json::Value = serde_json::from_str(manifest).unwrap();
        manifest["data_sha256"].as_str().unwrap().to_owned()
    };
    for (target, sentence) in [
        ("first_player = [0.2, 0.3]", "; the target is 20 to 30."),
        ("lead_changes = [50, 100]", " times a game; the target is 50 to 100."),
        ("dead_items = [50, 60]", " cards; the target is 50 to 60."),
        ("rounds = [1, 99]", ""),
    ] {
        let data = std::fs::read_to_string(DATA).unwrap();
        folder.write("mine.toml", format!("{data}\n[targets]\n{target}\n"));
        let (text, printed) = first_screen(&folder, run);
        for text in [text, printed] {
            assert!(text.contains(sentence), "{target}: {text}");
            assert_eq!(text.contains("the target is"), !sentence.is_empty(), "{target}: {text}");
        }
        assert_eq!(folder.read("run/win_rates.csv"), wins, "targets do not affect play");
        assert_eq!(hash_of(&folder.read("run/run.json")), hash_of(&hash));
    }
}

/// Only another version of the data file is compared, and only in the terminal.
#[test]
fn a_run_is_compared_with_the_last_one_in_its_folder() {
    let folder = Folder::new();
    let run = "--bots balanced --games 1000 --forks 0 --config mine.toml";
    folder.copy(DATA, "mine.toml");
    let (_, printed) = first_screen(&folder, run);
    assert!(!printed.contains("the last run"), "{printed}");
    folder.copy_with(DATA, "mine.toml", "bonus_spots = 4 ", "bonus_spots = 7 ");
    let (page, printed) = first_screen(&folder, run);
    assert!(printed.contains("Since the last run: Games now last "), "{printed}");
    assert!(!page.contains("the last run"), "{page}");
    let (_, printed) = first_screen(&folder, run);
    assert!(!printed.contains("the last run"), "the same file: {printed}");
}

/// Forks of a planted building of 16 points name it, whether or not the bot takes it.
#[test]
fn a_planted_building_is_named_first() {
    let folder = Folder::new();
    let building = "id = \"w3c2s2\"\ncost = { wood = 3, clay = 2, stone = 2 }\npoints = ";
    let [old, new] = ["9", "16"].map(|points| format!("{building}{points}"));
    folder.copy_with(DATA, "strong.toml", &old, &new);
    let run = "--bots expert --games 1500 --forks 400 --config strong.toml";
    let (page, printed) = first_screen(&folder, run);
    for text in [&page, &printed] {
        assert!(text.contains("3 wood 2 clay 2 stone → 16"), "{text}");
        assert!(text.contains("building.w3c2s2.points: 9 → 16"), "{text}");
    }
    let verdict = folder.rows("run/verdict.csv");
    assert_eq!(verdict[0]["part"], "answer");
    assert!(verdict[0]["text"].contains("→ 16"), "{verdict:?}");
    let figures = folder.rows("run/figures.csv");
    let worth = find_row(&figures, &[("item", "w3c2s2"), ("figure", "worth")]);
    assert!(number(worth, "value") > 40.0 && number(worth, "standard_error") > 0.0, "{worth:?}");
}

#[test]
fn studies_say_how_far_the_panel_agrees() {
    let folder = Folder::new();
    // A bot that swaps without purpose wins more often if it may not swap.
    for (study, expected) in [
        ("restrict --never swap --panel random,balanced", "The bots differ on the direction of "),
        ("turn-order --panel expert,balanced", "All bots agree: 2 on 1 of 1 difference."),
    ] {
        let text = folder.balance("run", &format!("{study} --games 2k --force"));
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn a_study_of_one_lineup_says_so() {
    let folder = Folder::new();
    let text = folder.balance("run", "turn-order --bots balanced --games 40 --force");
    assert!(text.contains("One bot only; not checked with a stronger one."), "{text}");
    let text = folder.balance("run", "turn-order --bots balanced,random --games 40 --force");
    assert!(text.contains("One lineup only; not checked with stronger bots."), "{text}");
    let text = folder.balance("run", "turn-order --panel balanced,random --games 40 --force");
    assert!(!text.contains(" only; "), "{text}");
}

#[test]
fn studies_ask_the_default_panel() {
    let folder = Folder::new();
    folder.copy(DATA, "a.toml");
    folder.copy_with(DATA, "b.toml", "trade_in = 3", "trade_in = 2");
    let bots = ["expert", "second", "mcts:iterations=50"];
    for study in [
        "compare a.toml b.toml --games 100",
        "restrict --never swap --games 12",
        "turn-order --games 12",
    ] {
        folder.balance("run", &format!("{study} --force"));
        let command = folder.manifest("run")["command"].as_str().unwrap().to_owned();
        assert!(command.contains("--panel default"), "{command}");
        let panel = folder.manifest("run")["bots"].clone();
        let names = panel.as_array().unwrap().iter().map(|bot| bot["name"].as_str().unwrap());
        assert!(names.eq(bots), "{study}: {panel}");
    }
}

#[test]
fn a_run_shows_the_items_of_a_family_only() {
    let folder = Folder::new();
    let run = "simulate --bots random --games 300 --quiet";
    folder.succeeds(&format!("{run} --out all"));
    let printed = folder.succeeds(&format!("{run} --only meadow --out run"));
    let name = |row: &Row| row["tile"].clone();
    let tiles: Vec<_> = folder.rows("run/tiles.csv").iter().map(name).collect();
    assert!(tiles.iter().all(|tile| tile.starts_with("meadow_")), "{tiles:?}");
    assert_eq!(tiles.len(), 17);
    let rows = folder.rows("all/tiles.csv");
    let same: Vec<_> = rows.iter().filter(|row| tiles.contains(&row["tile"])).cloned().collect();
    assert_eq!(folder.rows("run/tiles.csv"), same);
    assert!(!folder.path("run/buildings.csv").exists());
    let has_table = |name: &str| printed.contains(&format!("\n{name}\n"));
    assert!(!has_table("buildings") && has_table("tiles"), "{printed}");
    assert!(folder.manifest("run")["command"].as_str().unwrap().contains("--only meadow"));
}
