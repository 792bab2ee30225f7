//! `watershed replay --annotate`.

use serde_json::Value;

use crate::support::Folder;

#[test]
fn annotated_games_are_the_same_for_any_number_of_threads_and_add_up() {
    let folder = Folder::new();
    folder.succeeds(
        "simulate --game common_river --players 1 --bots random --games 2 --records g.jsonl \
         --quiet --out out",
    );
    let arguments = "replay g.jsonl --game-index 1 --annotate --iterations 20 --rollouts 100 \
                     --policy random --quiet";
    let text = folder.succeeds(&format!("{arguments} --threads 1 --html one.html"));
    assert!(text.starts_with("We All Take from the River, game 1: player 1 (random) "), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let again = folder.succeeds(&format!("{arguments} --threads 2 --html two.html"));
    assert_eq!(again, text);
    let page = folder.read("one.html");
    assert_eq!(folder.read("two.html"), page);
    let json = folder.succeeds(&format!("{arguments} --json"));
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["format"], "watershed.annotation/1");
    let number = |value: &Value| value.as_f64().unwrap();
    let changes = json["ledger"].as_array().unwrap().iter().map(|row| number(&row["changes"][0]));
    let total = number(&json["start"][0]) + changes.sum::<f64>();
    assert!((total - number(&json["end"][0])).abs() < 1e-9, "{total}");
    let events = json["events"].as_array().unwrap().len();
    assert_eq!(page.matches("<article").count(), events);
    assert!(page.contains(&format!("id=\"event{}\"", events - 1)));
    folder.refuses(&format!("{arguments} --html one.html"), &["one.html", "--force"]);
    folder.refuses("replay g.jsonl --game-index 9 --annotate", &["--game-index", "no game 9"]);
    folder.refuses("replay g.jsonl --html page.html", &["--annotate"]);
    folder.refuses("replay g.jsonl --annotate --policy nothing --quiet", &["--policy", "nothing"]);
}
