//! A bot of one's own: it plays in matches and studies of The River like any other bot.
//!
//! ```console
//! $ cargo run --release --example own_bot -- match --bots greedy,balanced,random --games 400
//! $ cargo run --release --example own_bot -- balance turn-order --bots greedy --games 2000
//! ```

use std::process::ExitCode;

use watershed::{
    bots::{Bot, BotFactory, View},
    cli,
    game::{ActionSet as _, Game},
    games::{BuiltInGame as _, GameEntry, GameList, the_river::TheRiver},
    rng::Rng,
};

/// Takes the action after which its own score, if the game ended there, is highest; the last of
/// equals.
#[derive(Clone)]
struct Greedy;

impl<G: Game> Bot<G> for Greedy {
    fn choose(&mut self, view: &View<'_, G>, legal: &G::Actions, rng: &mut Rng) -> G::Action {
        let position = view.determinize(rng);
        let score = |&action: &G::Action| {
            let mut after = position;
            view.game().apply(&mut after, action);
            view.game().outcome(&after).scores[view.seat().index()]
        };
        legal.iter().max_by_key(score).unwrap_or_else(|| legal.nth(0))
    }
}

/// Returns The River with the bot `greedy`.
fn games() -> GameList {
    let bots = || vec![BotFactory::new::<TheRiver, _>("greedy", || Greedy)];
    GameList::new(vec![GameEntry::new::<TheRiver>(TheRiver::FILES).with_bots(bots)])
}

fn main() -> ExitCode {
    cli::run_games("own_bot", games(), std::env::args_os().collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step ends the test")]
mod tests {
    use std::fs;

    use watershed::run::ExitStatus;

    use super::*;

    #[test]
    fn the_bot_plays_in_a_match_and_in_a_study() {
        let folder = tempfile::tempdir().unwrap();
        let run = |line: &str, name: &str| {
            let out = folder.path().join(name);
            let line = format!("{line} --quiet --out {}", out.display());
            let status = cli::run_command(games(), line.split(' '));
            assert_eq!(status.map_err(|error| format!("{error:#}")), Ok(ExitStatus::Success));
            move |file: &str| fs::read_to_string(out.join(file)).unwrap()
        };
        let read = run("match --bots greedy,random --games 200", "match");
        let table = read("crosstable.csv");
        let row = table.lines().find(|line| line.starts_with("greedy,random,")).unwrap();
        let column = table.lines().next().unwrap().split(',').position(|name| name == "ci_low");
        let ci_low: f64 = row.split(',').nth(column.unwrap()).unwrap().parse().unwrap();
        assert!(ci_low > 0.5, "{table}");

        let read = run("balance turn-order --bots greedy,random --games 40", "order");
        let table = read("verdicts.csv");
        assert!(table.lines().nth(1).unwrap().starts_with("\"greedy,random\""), "{table}");
        assert!(read("run.json").contains("--bots greedy,random"));

        let unknown = ["simulate", "--bots", "gredy"];
        let error = cli::run_command(games(), unknown).unwrap_err();
        assert!(format!("{error:#}").ends_with("did you mean `greedy`?"), "{error:#}");
    }
}
