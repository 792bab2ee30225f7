//! `watershed replay`.

use serde_json::Value;

use crate::support::Folder;

#[test]
fn annotated_games_are_the_same_for_any_number_of_threads_and_add_up() {
    let folder = Folder::new();
    folder.succeeds(
        "simulate --game common_river --players 1 --bots random --games 2 --records g.jsonl \
         --quiet --out out",
    );
    let arguments = "replay g.jsonl --game-index 1 --annotate --iterations 20 --quiet";
    let text = folder.succeeds(&format!("{arguments} --threads 1 --html one.html"));
    assert!(text.starts_with("We All Take from the River, game 1: player 1 (random) "), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let again = folder.succeeds(&format!("{arguments} --threads 2 --html two.html"));
    assert_eq!(again, text);
    let page = folder.read("one.html");
    assert_eq!(folder.read("two.html"), page);
    let json = folder.succeeds(&format!("{arguments} --json"));
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["format"], "watershed.review/2");
    let number = |value: &Value| value.as_f64().unwrap();
    let changes = json["ledger"].as_array().unwrap().iter().map(|row| number(&row["changes"][0]));
    let total = number(&json["start"][0]) + changes.sum::<f64>();
    assert!((total - number(&json["end"][0])).abs() < 1e-9, "{total}");
    let events = json["events"].as_array().unwrap().len();
    // All positions, and the final one.
    assert_eq!(page.matches("<article").count(), events + 1);
    assert!(page.contains("id=\"end\"") && page.contains("href=\"#end\""));
    assert!(page.contains(&format!("id=\"event{}\"", events - 1)));
    assert_eq!(page.matches("<div class=\"scene scene-low\">").count(), events + 1);
    assert!(page.contains("aria-label=\"Open to all\"") && page.contains("role=\"img\""));
    folder.refuses(&format!("{arguments} --html one.html"), &["one.html", "--force"]);
    folder.succeeds("replay g.jsonl --quiet");
}

#[test]
fn all_games_of_a_file_are_explained_together() {
    let folder = Folder::new();
    let run = "simulate --game glassworks --bots balanced,random --games 2 --quiet --out out";
    folder.succeeds(&format!("{run} --records g.jsonl"));
    let arguments = "replay g.jsonl --annotate --summary --iterations 8 --quiet";
    let text = folder.succeeds(&format!("{arguments} --html one.html --csv evening"));
    assert!(text.starts_with("River Valley Glassworks, 2 games explained. balanced: "), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(folder.read("one.html").contains("Loss by kind of decision"));
    // The player who decides at random loses more by each decision.
    for name in ["balanced", "random"] {
        let row = text.lines().find(|line| line.starts_with(&format!("{name} "))).unwrap();
        assert_eq!(row.split_whitespace().nth(1), Some("2"), "{text}");
    }
    let loss = |name: &str| {
        let (_, rest) = text.split_once(&format!("{name}: skill")).unwrap();
        let (_, rest) = rest.split_once("of 100,").unwrap();
        rest.split_whitespace().next().unwrap().parse::<f64>().unwrap()
    };
    assert!(loss("random") > loss("balanced") + 0.5, "{text}");
    let rows = folder.rows("evening/players.csv");
    assert_eq!(rows.iter().map(|row| &row["player"]).collect::<Vec<_>>(), ["balanced", "random"]);
    assert!(folder.read("evening/kinds.csv").starts_with("player,kind,"));
    folder.refuses(&format!("{arguments} --csv evening"), &["players.csv", "--force"]);
    folder.succeeds("simulate --bots random --games 1 --records r.jsonl --quiet --out out2");
    folder.write("mixed.jsonl", folder.read("g.jsonl") + &folder.read("r.jsonl"));
    folder.refuses("replay mixed.jsonl --annotate --summary", &["of one kind"]);
}

#[test]
fn finished_games_become_a_log_of_play_tests() {
    let folder = Folder::new();
    for game in ["the_river", "glassworks", "common_river"] {
        let run =
            format!("simulate --game {game} --players 2 --bots balanced --quiet --force --out out");
        folder.succeeds(&format!("{run} --games 3 --games-csv --records g.jsonl"));
        let log = format!("{game}.csv");
        folder.succeeds(&format!("replay g.jsonl --playtests {log}"));
        folder.succeeds(&format!("replay g.jsonl --playtests {log}"));
        let rows = folder.rows(&log);
        assert_eq!(rows.len(), 6);
        for (row, game) in rows.iter().zip(folder.rows("out/games.csv")) {
            let first = if game["turn_position_0"] == "0" { [0, 1] } else { [1, 0] };
            let scores = first.map(|seat| game[&format!("score_{seat}")].clone());
            assert_eq!(row["scores"], scores.join(";"));
            assert_eq!(row["items"].matches(';').count(), 1);
        }
        folder.succeeds(&format!("{run} --games 40 --playtests {log}"));
        assert!(
            folder.rows("out/playtests.csv").iter().any(|row| !row["item"].is_empty()),
            "{game}"
        );
    }
    folder.write("notes.csv", "a,b\n");
    folder.exits_with(2, "replay g.jsonl --playtests notes.csv");
}

#[test]
fn games_are_stepped_through_by_piped_commands() {
    let folder = Folder::new();
    folder.succeeds("simulate --bots random --games 2 --records g.jsonl --quiet --out out");
    let step = |input: &str| {
        let output = folder.run_with_input("replay g.jsonl --game-index 1 --step", input);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        text
    };
    let events = |text: &str| -> Vec<String> {
        text.lines()
            .filter_map(|line| line.strip_prefix("Event "))
            .map(|line| line.split(':').next().unwrap().to_owned())
            .collect()
    };
    // The end of the input ends the command.
    assert_eq!(events(&step("")), ["0"]);
    assert_eq!(events(&step("\n\nu\n")), ["0", "1", "2", "1"]);
    assert_eq!(events(&step("u\n17\nq\n\n")), ["0", "17"]);
    let text = step("17\nb\n100000\nx\n");
    assert_eq!(events(&text), ["0", "17", "17"]);
    assert!(!text.contains("This is"), "{text}");
    assert_eq!(
        text.matches("Expected Enter, u, b, q, or an event from 0 to ").count(),
        2,
        "{text}"
    );
    // One board and what is open to all fit a terminal of 24 lines.
    let screen = text.split("\n\nThe River, ").nth(2).unwrap();
    let screen = screen.split("\nEvent 17: player ").next().unwrap();
    assert!(screen.lines().count() <= 24 && screen.contains("(decides)"), "{screen}");
    let record = folder.read("g.jsonl");
    let record: Value = serde_json::from_str(record.lines().nth(1).unwrap()).unwrap();
    let last = record["events"].as_array().unwrap().len();
    let text = step(&format!("{last}\n\nu\n"));
    let end = format!("End: player 1 (random) {} and player 2 (random)", record["scores"][0]);
    assert!(text.contains(&end), "{text}");
    assert!(text.contains("This is the end of the game."), "{text}");
    assert_eq!(events(&text), ["0".to_owned(), (last - 1).to_string()]);
    // Without --game-index, the first game.
    let first = folder.run_with_input("replay g.jsonl --step", "q\n");
    assert!(String::from_utf8(first.stdout).unwrap().starts_with("The River, game 0, "));
    folder.write("wrong.jsonl", folder.read("g.jsonl").replacen("\"first:", "\"fist:", 1));
    let wrong = folder.run_with_input("replay wrong.jsonl --step", "\n");
    assert_eq!(wrong.status.code(), Some(1), "{wrong:?}");
}
