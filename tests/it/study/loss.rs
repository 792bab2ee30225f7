//! `watershed loss`: weak bots lose, and the judge does not.

use crate::support::{Folder, find_row, number};

#[test]
fn weak_bots_lose_and_the_judge_does_not() {
    let folder = Folder::new();
    let printed = folder.succeeds(
        "loss --bots random,mcts:iterations=100 --played-by expert --judge mcts:iterations=100 \
         --games 60 --decisions 2 --samples 2 --out one",
    );
    let rows = folder.rows("one/decision_loss.csv");
    let [random, search, floor] = ["random", "mcts:iterations=100", "noise floor"]
        .map(|bot| find_row(&rows, &[("bot", bot)]));
    for row in [random, search, floor] {
        assert_eq!(row["n"], "120");
        assert!(number(row, "loss_ci_low") < number(row, "loss"));
    }
    // Random actions of The River lose some 10 points each.
    assert!(number(random, "loss_ci_low") > 0.04, "{random:?}");
    assert!(number(random, "same") < 0.5 && number(search, "same") > 0.5, "{rows:?}");
    // The search is the judge, so its loss is noise like that of the judge with another seed.
    for row in [search, floor] {
        assert!(number(row, "loss").abs() < 0.02, "{row:?}");
    }
    let answer = printed.split("\n\n").nth(1).unwrap().replace('\n', " ");
    assert!(answer.contains("that a decision loses: mcts:iterations=100 "), "{printed}");

    let stakes = folder.rows("one/stakes.csv");
    let all = find_row(&stakes, &[("scope", "overall")]);
    assert!(number(all, "loss_ci_low") > 0.04 && number(all, "matters") > 0.5, "{all:?}");
    assert!(printed.contains("decisions matter") && !printed.contains("Kingmaking"), "{printed}");
}

/// With two players nobody can give the win to a third; with three, the last can.
#[test]
fn players_without_a_chance_move_wins_between_the_others() {
    let folder = Folder::new();
    let printed = folder.succeeds(
        "loss --players 3 --bots random --played-by builder --judge mcts:iterations=60 --games 40 \
         --decisions 12 --samples 2",
    );
    let (_, moved) = printed.split_once("Kingmaking: a player who wins less than").unwrap();
    assert!(moved.replace('\n', " ").contains("of win share between the others"), "{printed}");
}
