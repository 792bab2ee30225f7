//! `watershed train`.

use std::fs;

use crate::support::{Folder, find_row, number};

/// A training of a few seconds.
const SHORT: &str = "train --game glassworks --players 2 --start balanced --start-games 40 \
                     --games 20 --generations 2 --iterations 8 --fast-iterations 4 --passes 1 \
                     --test-games 8 --quiet";

fn bytes(folder: &Folder, name: &str) -> Vec<u8> {
    fs::read(folder.path(name)).unwrap()
}

/// Returns the files of a training that must not depend on threads and interruptions.
fn results(folder: &Folder, name: &str) -> Vec<Vec<u8>> {
    let files = ["training.csv", "training_tests.csv", "report.html", "generation-0002.network"];
    let files = files.iter().map(|file| bytes(folder, &format!("{name}.training/{file}")));
    files.chain([bytes(folder, &format!("{name}.network"))]).collect()
}

#[test]
fn network_does_not_depend_on_threads_or_interruptions() {
    let folder = Folder::new();
    folder.succeeds(&format!("{SHORT} --threads 1 --out one.toml"));
    folder.succeeds(&format!("{SHORT} --threads 2 --out two.toml"));
    let expected = results(&folder, "one");
    assert!(results(&folder, "two") == expected);

    // Interrupted while generation 2 plays, and while it learns.
    for removed in [&["games-0002-0000.gz"][..], &[]] {
        for name in ["two.toml", "two.network"] {
            fs::remove_file(folder.path(name)).unwrap();
        }
        let unfinished = ["generation-0002.json", "generation-0002.network", "training.csv"];
        for name in unfinished.iter().chain(removed) {
            fs::remove_file(folder.path(format!("two.training/{name}"))).unwrap();
        }
        folder.succeeds(&format!("{SHORT} --resume --out two.toml"));
        assert!(results(&folder, "two") == expected);
    }

    // A training that has written its profile goes on, and ends at once if it is complete.
    let unfinished = ["generation-0002.json", "generation-0002.network"];
    for name in unfinished {
        fs::remove_file(folder.path(format!("two.training/{name}"))).unwrap();
    }
    for _ in 0..2 {
        folder.succeeds(&format!("{SHORT} --resume --out two.toml"));
        assert!(results(&folder, "two") == expected);
    }
    fs::write(folder.path("two.toml"), "kind = \"network\"").unwrap();
    folder.refuses(&format!("{SHORT} --resume --out two.toml"), &["two.toml: exists", "--force"]);

    // The command in the head repeats the network.
    let profile = folder.read("one.toml");
    let (_, command) = profile.split_once("`watershed ").unwrap();
    let (command, _) = command.split_once('`').unwrap();
    folder.succeeds(&format!("{command} --quiet --out again.toml"));
    assert!(bytes(&folder, "again.network") == expected[4]);
}

/// Edited files are drawn, so that one run of two threads and an interrupted one of one thread have
/// the same network.
#[test]
fn trainings_on_edited_files_do_not_depend_on_threads_or_interruptions() {
    let folder = Folder::new();
    let edited = format!("{SHORT} --edits 3 --edit-share 0.5");
    let (_, messages) =
        folder.exits_with(0, &edited.replace("--quiet", "--threads 2 --out one.toml"));
    assert!(messages.contains(" % with edited data\n"), "{messages}");
    assert!(messages.contains("generation 1: loss ") && messages.contains("  wins "), "{messages}");
    assert!(messages.lines().all(|line| line.chars().count() <= 80), "{messages}");
    folder.succeeds(&format!("{edited} --generations 1 --threads 1 --out two.toml"));
    folder.succeeds(&format!("{edited} --resume --force --out two.toml"));
    assert!(results(&folder, "two") == results(&folder, "one"));
    folder.succeeds(&format!("{SHORT} --out other.toml"));
    let last = |name: &str| bytes(&folder, &format!("{name}.training/generation-0002.network"));
    assert!(last("other") != last("one"));
    let tests = folder.rows("one.training/training_tests.csv");
    for data in ["file", "edited"] {
        let test = find_row(&tests, &[("generation", "2"), ("data", data)]);
        assert!(number(test, "games") > 3.0, "{data}");
    }
    assert!(folder.read("one.toml").contains("--edits 3 --edit-share 0.5"));
    folder.write("wrong.toml", "edits = [1]\n[[edit]]\nkeys = [\"lake.size\"]\nadd = [1, 2]\n");
    let wrong = format!("{SHORT} --edits 3 --ranges wrong.toml --out wrong_network.toml");
    folder.refuses(&wrong, &["wrong.toml: expected keys of", "found `lake.size`"]);
}

#[test]
fn networks_play_and_continue() {
    let folder = Folder::new();
    folder.succeeds(&format!("{SHORT} --generations 0 --out one.toml"));
    let game = "--game glassworks --players 2 --quiet";
    folder.succeeds(&format!("simulate {game} --bots one.toml,balanced --games 4"));
    let search = "mcts:iterations=5:value=one.toml:prior=one.toml";
    folder.succeeds(&format!("simulate {game} --bots {search},one.toml --games 4"));

    folder.copy_with("configs/glassworks.toml", "changed.toml", "11, 16, 22]", "11, 17, 24]");
    let adapt = SHORT.replace("--start balanced", "--start one.toml --config changed.toml");
    folder.succeeds(&format!("{adapt} --generations 1 --out adapted.toml"));
    let rows = folder.rows("adapted.training/training.csv");
    assert_eq!(rows.len(), 1, "the network plays no games before the first generation");
    find_row(&rows, &[("generation", "1"), ("opponent", "0")]);
    let first = bytes(&folder, "one.network");
    assert!(bytes(&folder, "adapted.training/generation-0001.network") != first);
    assert!(folder.read("adapted.toml").contains("--start one.toml"));
}

#[test]
fn shards_play_the_games_of_one_machine() {
    let folder = Folder::new();
    let plan = SHORT.replace("--start-games 40", "--start-games 1100");
    let plan = format!("{plan} --generations 0 --sample 0.1");
    folder.succeeds(&format!("{plan} --out whole.toml"));
    for shard in 1..=2 {
        folder.succeeds(&format!("{plan} --shard {shard}/2 --resume --out {shard}.toml"));
        assert!(!folder.path(format!("{shard}.toml")).exists());
    }
    let games = |shard: u32| {
        let mut names = folder.files(&format!("{shard}.training"));
        names.retain(|name| name.starts_with("games-"));
        names
    };
    assert_eq!(games(1), ["games-0000-0000.gz"]);
    assert_eq!(games(2), ["games-0000-0001.gz", "games-0000-0002.gz"]);
    for name in games(2) {
        let from = folder.path(format!("2.training/{name}"));
        fs::rename(from, folder.path(format!("1.training/{name}"))).unwrap();
    }
    folder.succeeds(&format!("{plan} --resume --out 1.toml"));
    assert!(bytes(&folder, "1.network") == bytes(&folder, "whole.network"));
}

#[test]
fn trainings_against_a_bot_do_not_depend_on_threads_or_shards() {
    let folder = Folder::new();
    let plan = SHORT.replace("--players 2 --start balanced", "--against mcts:iterations=4");
    let plan = plan.replace("--games 20 --generations 2", "--games 520 --generations 1");
    let plan = format!("{plan} --full-share 0.1 --sample 0.1 --players 3");
    let printed = folder.succeeds(&format!("{plan} --threads 1 --out whole.toml"));
    let words = printed.replace('\n', " ");
    assert!(words.contains("In its test against mcts:iterations=4 it won"), "{printed}");
    for shard in 1..=2 {
        let threads = 3 - shard;
        let shard = format!("--shard {shard}/2 --threads {threads} --work shards");
        folder.succeeds(&format!("{plan} {shard} --resume --out shards.toml"));
    }
    folder.succeeds(&format!("{plan} --work shards --resume --out shards.toml"));
    assert!(bytes(&folder, "shards.network") == bytes(&folder, "whole.network"));
    for name in ["training.csv", "training_tests.csv"] {
        assert_eq!(
            folder.read(format!("shards/{name}")),
            folder.read(format!("whole.training/{name}"))
        );
    }
    // The network of the bot is the start, and the bot plays the other seats of the test.
    let tests = folder.rows("shards/training_tests.csv");
    let test = find_row(&tests, &[("generation", "1"), ("opponent", ""), ("players", "3")]);
    assert_eq!(test["games"], "24", "three games of 8 deals");
    assert_eq!(folder.rows("shards/training.csv").len(), 1);

    let profile = folder.read("whole.toml");
    assert!(profile.contains("1 generation of games against mcts:iterations=4 by search"));
}
