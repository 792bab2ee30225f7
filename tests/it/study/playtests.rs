//! The games of people beside those of the bot, `simulate --playtests`.

use crate::{
    run::resume::same_files,
    support::{Folder, Row, find_row, interrupt, number},
};

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

/// Each log has a number of games, the share of those with a known order that the first player
/// wins, their number, and a part of the messages.
/// Games of an opponent, as a log of people, are recognised as its games.
#[test]
fn the_opponent_most_like_people_is_named() {
    let folder = Folder::new();
    for name in ["Reed", "Beaver"] {
        let own = format!("--bots {name} --games 40 --seed 9");
        folder.succeeds_quietly(&format!("simulate {own} --records {name}.jsonl --out {name}"));
        folder.succeeds_quietly(&format!("replay {name}.jsonl --playtests {name}.csv"));
        let run = format!("simulate --bots balanced --games 100 --playtests {name}.csv");
        let text = folder.succeeds(&format!("{run} --out of-{name}"));
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(&format!("Of the opponents, {name} (")), "{text}");
        assert!(text.contains(&format!("--bots {name} ")), "{text}");
    }
}

#[test]
fn logs_are_read_as_people_keep_them() {
    let folder = Folder::new();
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<_>>();
    let first_wins = "seats,scores\n".to_owned() + &"Ann;Ben,3;1\n".repeat(5);
    let players = "game,player,score,winner,start\n1,Anna,41,yes,1\n1,Ben,30,no,2\n\
                   2,Ben,20.0,no,1\n2,Anna,31,yes,2\n";
    let remarks = "seats,scores\nAnna;Ben,41;30\nAnna;Ben,49-46ish;36\nBen;Anna,30;n/a\n\
                   Ben;Anna,28;36\n";
    let numbered = "Date,Player1,Score1,Player2,Score2,Player3,Score3\n\
                    2026-01-01,Anna,41,Ben,30,,\n2026-01-02,Ben,20,Anna,31,,\n";
    let unread = "left out: 2 games that cannot be read: line 3 and line 4";
    let unknown = "turn order: not known in 2 games";
    let utf16_log = utf16("\u{feff}seats,scores\nJ\u{f6}rg;Ann,41;30\n");
    let logs = [
        (&b"seats\tscores\nAnn;Ben\t41;30\nBen;Ann\t20;31\n"[..], 2, Some((0.5, "2")), ""),
        (b"sep=;\r\nseats;scores\r\n\"Ann;Ben\";\"41;30\"\r\n", 1, Some((1.0, "1")), ""),
        (players.as_bytes(), 2, Some((0.5, "2")), ""),
        (numbered.as_bytes(), 2, None, unknown),
        (remarks.as_bytes(), 2, Some((0.5, "2")), unread),
        (remarks.as_bytes(), 2, Some((0.5, "2")), "log.csv:3: column `scores`: expected whole"),
        (b"seats,scores\nGuest;Guest,41;30\n?;Ann,3;4\n", 2, Some((0.5, "2")), ""),
        (&utf16_log, 1, Some((1.0, "1")), "as UTF-16"),
        (b"seats,scores,winner\nAnn;Ren\xe9,3;3,ren\xc9\n", 1, Some((0.0, "1")), "Windows-1252"),
        (b"seats,scores,start\nA;B,4;3,?\nA;B,2;3,B\n", 2, Some((1.0, "1")), "known in 1 game"),
        (b"players,winner\nAnn;Ben,ann\nAnn;Ben,Ben\n", 2, None, unknown),
        (first_wins.as_bytes(), 5, Some((1.0, "5")), "the first seat wins all games"),
        (b"SEATS|SCORES|\nA/B|41/30|\n", 1, Some((1.0, "1")), ""),
        (b"\"SEP=,\"\r\nseats,scores\r\n\"A\nB\",\"41\n30\"\r\n", 1, Some((1.0, "1")), ""),
        (b"Our games, 2026\r\rscores,seats\r41-30,A & B\r20:31;B vs A\r", 1, Some((1.0, "1")), ""),
        (b"seats,scores,winner\nA;B;,41;30;,A;\n", 1, Some((1.0, "1")), ""),
        (b"seats,scores,winner\nGuest;Guest,41;30,Guest\n,3;4,\n", 2, Some((0.5, "2")), ""),
        (b"start;points;player;game\n1,0;41,0;A;1\n2,0;30,0;B;1\n", 1, Some((1.0, "1")), ""),
        (b"P1\tP1 score\tP2\tP2 score\nA\t41\tB\t30\n", 1, None, "known in 1 game"),
        ("seats,scores\n王小明;José,41;30\n".as_bytes(), 1, Some((1.0, "1")), ""),
    ];
    let run = "simulate --bots random --games 20 --opening-depth 0 --force --out run --playtests";
    for (log, games, first, message) in logs {
        folder.write("log.csv", log);
        let (_, messages) = folder.exits_with(0, &format!("{run} log.csv"));
        let text = String::from_utf8_lossy(log);
        assert!(messages.contains(message), "{text}: {messages}");
        assert_eq!(folder.manifest("run")["playtests"]["games"], games, "{text}");
        let rows = folder.rows("run/playtests.csv");
        let row = rows.iter().find(|row| row["figure"] == "first_player");
        let found = row.map(|row| (number(row, "people"), row["people_n"].as_str()));
        assert_eq!(found, first, "{text}");
        let has_scores = rows.iter().any(|row| row["figure"] == "mean_score");
        assert_eq!(has_scores, !text.starts_with("players,"), "{text}");
    }
}

/// A log that cannot be read is refused with the way out.
#[test]
fn other_logs_are_refused_with_what_is_expected() {
    let folder = Folder::new();
    for (name, log, message) in [
        ("dates.csv", "date,player,score\nMay,A,4\nMay,B,3\n", "or a column `game` with a row"),
        ("german.csv", "Spiel;Spieler;Punkte\n1;A;41\n", "found `Spiel, Spieler, Punkte`"),
        ("log.json", "[{\"seats\": 2}]", "expected a table in CSV, found JSON"),
    ] {
        folder.write(name, log);
        folder.refuses(&format!("simulate --bots random --games 4 --playtests {name}"), &[message]);
    }
}

/// A score alone does not show who reached the goal of We All Take from the River.
#[test]
fn wins_that_scores_do_not_show_need_winners() {
    let folder = Folder::new();
    let run = "simulate --game common_river --players 1 --bots random --games 40 --playtests";
    for (name, text, figures) in [
        ("scores.csv", "seats,scores\nAnn,30\nAnn,25\n", &["mean_score"][..]),
        ("outcomes.csv", "game,player,winner\n1,Ann,yes\n2,Ann,no\n", &["games_won"]),
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
    same_files(&folder, "whole", "part");
}
