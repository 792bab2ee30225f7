//! `watershed match --mode ladder`: the output of the program.

use crate::support::{Folder, find_row, number};

#[test]
fn each_bot_plays_the_one_before_it() {
    let folder = Folder::new();
    let bots = "random,mcts:iterations=5@20,mcts:iterations=20,mcts:iterations=50@12";
    let arguments = format!("match --game glassworks --mode ladder --bots {bots} --games 30");
    folder.succeeds_quietly(&format!("{arguments} --out ladder"));
    let rows = folder.rows("ladder/ladder.csv");
    let pairings: Vec<_> =
        rows.iter().map(|row| ["bot", "opponent", "games"].map(|key| row[key].as_str())).collect();
    let [five, twenty, fifty] = ["mcts:iterations=5", "mcts:iterations=20", "mcts:iterations=50"];
    assert_eq!(pairings, [[five, "random", "20"], [twenty, five, "20"], [fifty, twenty, "12"]]);
    // The first pairing equals that of another match, which plays the same deals.
    let cell = |run: &str| {
        let rows = folder.rows(format!("{run}/crosstable.csv"));
        find_row(&rows, &[("bot", five), ("opponent", "random")])["win_rate"].clone()
    };
    let run = format!("match --game glassworks --bots {five},random --games 20 --out match");
    folder.succeeds_quietly(&run);
    assert_eq!(cell("ladder"), cell("match"));
    let wins = cell("match").parse::<f64>().unwrap();
    assert!((number(&rows[0], "upset_share") + wins - 1.0).abs() < 2e-6, "{rows:?}");

    // The wrong order is reported, and no number of games shows that the second bot is better.
    let wrong = "match --mode ladder --bots balanced,random --games 40 --out wrong";
    folder.succeeds_quietly(wrong);
    assert_eq!(folder.rows("wrong/ladder.csv")[0]["games_to_know_95"], "");
    let page = folder.read("wrong/report.html");
    assert!(page.contains("The ladder is not in order: random is weaker than balanced"), "{page}");
}

#[test]
#[ignore = "half a minute: games of all default ladders; .ci/full runs it"]
fn default_ladders_are_in_the_order_of_the_strengths() {
    let folder = Folder::new();
    for (game, players, rungs, first) in [
        ("the_river", 2, 8, "random,heuristic:token_points=1:"),
        ("glassworks", 4, 8, "random,heuristic:tallest=1,"),
        ("common_river", 3, 7, "random,mason,farmer,"),
    ] {
        let run = format!("match --mode ladder --game {game} --players {players} --games 1");
        let printed = folder.succeeds_quietly(&format!("{run} --force --out run"));
        assert!(printed.contains(&format!("--bots {first}")), "{printed}");
        assert_eq!(folder.rows("run/ladder.csv").len(), rungs);
    }
}
