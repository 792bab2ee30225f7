//! `watershed train-heuristic`.

use crate::support::Folder;

#[test]
fn a_trained_profile_beats_random_and_does_not_depend_on_threads() {
    let folder = Folder::new();
    let train = |threads: &str, out: &str| {
        let plan = "train-heuristic --games 300 --generations 3 --start heuristic:tokens=0 \
         --check-games 0 --quiet";
        folder.succeeds(&format!("{plan} --threads {threads} --out {out}"));
        folder.read(out)
    };
    assert_eq!(train("1", "one.toml"), train("2", "two.toml"));
    folder.succeeds("match --bots one.toml,random --sprt 0,100,0.05,0.05 --games 400 --quiet");

    let layers = |threads: &str, out: &str| {
        let plan = "train-heuristic --start one.toml --generations 0 --hidden 8 \
         --hidden-generations 2 --games 100";
        let run = format!("{plan} --check-games 0 --threads {threads} --out {out}");
        let (_, messages) = folder.exits_with(0, &run);
        assert!(messages.contains("hidden layer 2 of 2"), "{messages}");
        folder.read(out)
    };
    let layered = layers("1", "three.toml");
    assert_eq!(layered, layers("2", "four.toml"));
    assert_eq!(layered.matches("[[hidden]]").count(), 8);
    // The linear part is unchanged.
    let linear = |text: &str| {
        let linear = text.split("[[hidden]]").next().unwrap().split("[weights]").nth(1).unwrap();
        linear.trim().to_owned()
    };
    assert_eq!(linear(&layered), linear(&folder.read("one.toml")));
    folder.succeeds(
        "simulate --bots mcts:iterations=5:value=three.toml,three.toml --games 4 --quiet",
    );

    folder.refuses("train-heuristic --out one.toml", &["one.toml", "exists", "--force"]);
    folder.refuses(
        "train-heuristic --out new.toml --generations 0",
        &["--generations", "at least 1"],
    );
    folder.refuses("train-heuristic --out new.toml --hidden 33", &["--hidden", "32"]);
    folder.refuses("train-heuristic --out learned", &["--out", ".toml"]);
    folder.refuses("train-heuristic --out new.toml --start random", &["--start", "a heuristic"]);
    folder.refuses("train-heuristic --out new.toml --lambda 2", &["--lambda", "from 0 to 1"]);
}

#[test]
fn training_reports_the_share_of_equal_bots_in_games_without_winner() {
    let folder = Folder::new();
    let plan = "train-heuristic --game common_river --players 3 --games 20 --generations 1 \
     --check-games 30 --quiet";
    let printed = folder.succeeds(&format!("{plan} --out new.toml"));
    let even: f64 = printed
        .split_once("mean of all seats ")
        .unwrap()
        .1
        .split_once(" %")
        .unwrap()
        .0
        .parse()
        .unwrap();
    assert!(even < 33.0, "{printed}");
}
