//! The games of people beside those of the bot, `simulate --playtests`.

use crate::support::{Folder, Row, find_row, interrupt, number};

/// Six games of people, with the byte-order mark and the line ends of a spreadsheet. The fourth has
/// a tie that a rule broke, the last one no items.
const GAMES: &str = "\u{feff}Date,seats,scores,winner,items,minutes\r\n\
    2026-03-01,Ann;Ben,40;30,,w2c1 w3;w2\r\n\
    2026-03-02,Ben; Ann,20;35,,;building:w2c1 w2c1,50\r\n\
    ,,,,,\r\n\
    May,Cat;Ann,33;33,,w3;\r\n\
    May,Cat;Ann,28;28,Ann,;\r\n\
    May,Ann;Ben;Cat,1;2;3,,\r\n\
    June,Ann;Ben,50;45,Ann,\r\n";

const RUN: &str = "simulate --bots balanced --games 400 --playtests";

/// Returns the rows of a run by figure and item.
fn play(folder: &Folder, out: &str, run: &str) -> Vec<Row> {
    folder.succeeds(&format!("{run} --force --out {out}"));
    folder.rows(format!("{out}/playtests.csv"))
}

/// Writes the games of a run as play-tests, with points added to each score.
fn write_games(folder: &Folder, name: &str, games: &[Row], more: i64) {
    let mut text = String::from("date;seats;scores;winner\n");
    for (index, game) in games.iter().enumerate() {
        let mut seats = [0, 1];
        seats.sort_by_key(|seat| game[&format!("turn_position_{seat}")].clone());
        let score = |seat| game[&format!("score_{seat}")].parse::<i64>().unwrap() + more;
        let won = seats.iter().filter(|seat| number(game, &format!("win_share_{seat}")) > 0.0);
        let won: Vec<_> = won.map(|seat| format!("p{seat}")).collect();
        let [one, other] = seats;
        text += &format!(
            "{index};\"p{one};p{other}\";\"{};{}\";\"{}\"\n",
            score(one),
            score(other),
            won.join(";")
        );
    }
    folder.write(name, text);
}

#[test]
fn figures_of_people_and_of_the_bot_are_those_of_their_games() {
    let folder = Folder::new();
    folder.write("mine.csv", GAMES);
    let (printed, messages) = folder.exits_with(0, &format!("{RUN} mine.csv --out run"));
    assert!(messages.contains("mine.csv: left out: 1 game with 3 (--players 3)"), "{messages}");
    assert!(messages.contains("mine.csv: not read: `minutes`"), "{messages}");
    assert!(printed.contains("In 5 games of people the win rate of the first player is 50.0 %"));
    let rows = folder.rows("run/playtests.csv");
    // Of the 5 games the first players win 1, 0, a half, 0 and 1. Winners: 40, 35, 33, 33, 28, 50.
    for (figure, item, n, expected) in [
        ("first_player", "", "5", 2.5 / 5.0),
        ("mean_score", "", "10", 342.0 / 10.0),
        ("winning_score", "", "6", 219.0 / 6.0),
        ("winning_margin", "", "6", 30.0 / 6.0),
        ("shared_wins", "", "5", 1.0 / 5.0),
        ("taken", "w2c1", "8", 2.0 / 8.0),
        ("takers_win_rate", "w2c1", "2", 1.0),
        ("taken", "w3", "8", 2.0 / 8.0),
        ("takers_win_rate", "w3", "2", 0.75),
        ("taken", "w2", "8", 1.0 / 8.0),
        ("takers_win_rate", "w2", "1", 0.0),
    ] {
        let row = find_row(&rows, &[("figure", figure), ("item", item)]);
        assert!((number(row, "people") - expected).abs() < 1e-4, "{row:?}");
        assert_eq!(row["people_n"], n, "{row:?}");
    }
    assert_eq!(rows.len(), 11);
    let item = find_row(&rows, &[("figure", "taken"), ("item", "w2c1")]);
    assert_eq!(item["label"], "2 wood + 1 clay → 4 points");
    let buildings = folder.rows("run/buildings.csv");
    let building = find_row(&buildings, &[("building", "w2c1")]);
    assert!((number(item, "bot") - number(building, "with_n") / 800.0).abs() < 1e-6, "{item:?}");
    let first = folder.rows("run/turn_order.csv").remove(0);
    let row = find_row(&rows, &[("figure", "first_player")]);
    for (own, key) in [("bot", "win_rate"), ("bot_ci_low", "ci_low"), ("bot_n", "n")] {
        assert_eq!(row[own], first[key], "{own}");
    }
    let manifest = folder.manifest("run");
    let (games, dates) = (&manifest["playtests"]["games"], &manifest["playtests"]["dates"]);
    assert_eq!((games.as_u64(), dates[1].as_str()), (Some(5), Some("June")));
    let page = folder.read("run/report.html");
    assert!(page.contains("People and bots") && !page.contains("NaN"));
}

/// Games of the bot itself do not differ from others of it; with 20 points more they do.
#[test]
fn a_planted_difference_is_found_and_no_other() {
    let folder = Folder::new();
    let other_deals = "simulate --bots balanced --games 300 --seed 9 --games-csv --quiet";
    folder.succeeds(&format!("{other_deals} --out own"));
    let games = folder.rows("own/games.csv");
    write_games(&folder, "own.csv", &games, 0);
    write_games(&folder, "more.csv", &games, 20);
    write_games(&folder, "few.csv", &games[..24], 20);
    let own = play(&folder, "run", &format!("{RUN} own.csv"));
    assert!(own.iter().all(|row| row["verdict"] != "differ"), "{own:?}");
    assert!(own.iter().any(|row| row["verdict"] == "agree"), "{own:?}");
    let scores = ["mean_score", "winning_score"];
    for (file, is_few) in [("more.csv", false), ("few.csv", true)] {
        for row in play(&folder, "run", &format!("{RUN} {file}")) {
            let is_planted = scores.contains(&row["figure"].as_str());
            assert_eq!(row["verdict"] == "differ", is_planted, "{file} {row:?}");
            if is_planted {
                let ends = ["difference_ci_low", "difference_ci_high"].map(|end| number(&row, end));
                assert!(ends[0] < 20.0 && 20.0 < ends[1] && number(&row, "p_holm") < 1e-6);
            } else if is_few && row["figure"] == "first_player" {
                let needed = number(&row, "games_needed");
                assert!((200.0..1000.0).contains(&needed), "{row:?}");
            }
        }
    }
}

/// A score alone does not show who reached the goal of We All Take from the River.
#[test]
fn wins_that_scores_do_not_show_need_winners() {
    let folder = Folder::new();
    let run = "simulate --game common_river --players 1 --bots random --games 40 --playtests";
    for (name, text, figures) in [
        ("scores.csv", "seats,scores\nAnn,30\nAnn,25\n", &["mean_score"][..]),
        ("won.csv", "seats;scores;winner\nAnn;30;Ann\nAnn;25;\n", &["games_won", "mean_score"]),
    ] {
        folder.write(name, text);
        let rows = play(&folder, "run", &format!("{run} {name}"));
        let found: Vec<_> = rows.iter().map(|row| row["figure"].as_str()).collect();
        assert_eq!(found, figures);
    }
    assert_eq!(folder.rows("run/playtests.csv")[0]["people"], "0.500000");
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_its_play_tests() {
    let folder = Folder::new();
    folder.write("mine.csv", GAMES);
    let run = |out: &str| {
        format!("simulate --bots balanced --games 3000 --playtests mine.csv --quiet --out {out}")
    };
    folder.succeeds(&run("whole"));
    let running = folder.start_and_wait(&format!("{} --threads 1", run("part")), "part", 1);
    interrupt(running, "INT");
    assert!(!folder.read("part/report.html").contains("NaN"));
    folder.write("mine.csv", GAMES.replace("40;30", "41;30"));
    folder
        .refuses(&format!("{} --resume", run("part")), &["part: holds another run", "data_sha256"]);
    folder.write("mine.csv", GAMES);
    folder.succeeds(&format!("{} --resume", run("part")));
    for name in ["playtests.csv", "report.html"] {
        assert_eq!(folder.read(format!("whole/{name}")), folder.read(format!("part/{name}")));
    }
}
