//! Agreement of the default searches with exact values, in small versions of the games.
//!
//! A search agrees with the exact values in a position if no other action has a higher exact win
//! share for the seat than the action that it chooses.
#![allow(clippy::print_stdout, reason = "results/strength quotes the printed figures")]

use watershed::BuiltInGame;
use watershed::{
    bots::View,
    game::{ActionSet, Game, Seat},
    games::{GameDefinition, common_river::CommonRiver},
    rng::{Purpose, random_below, stream},
    search::playout::{Policy, Uniform},
};

use super::expectimax::{EQUAL, Oracle, small_glassworks, small_river};
use crate::games::{altered, play_game};

/// The maximum number of solved positions of a game.
const MAX_POSITIONS: usize = 4000;
/// The maximum number of games in which decisions are searched.
const MAX_GAMES: u64 = 400;

/// Iterations of a decision.
const BUDGETS: [u32; 3] = [50, 200, 800];
/// The default search, and the textbook one, which needs no network.
const SEARCHES: [&str; 2] = ["mcts", "uct"];

/// A decision between actions of different value.
struct Decision<G: Game> {
    state: G::State,
    seat: Seat,
    /// Actions with their exact win shares.
    actions: Vec<(G::Action, f64)>,
}

/// Results of a search with one budget.
#[derive(Clone, Copy, Default)]
struct Agreement {
    decisions: u32,
    agreed: u32,
    /// Sum of the differences between the highest win share and that of the chosen action.
    loss: f64,
}

impl Agreement {
    fn add(&mut self, other: Self) {
        self.decisions += other.decisions;
        self.agreed += other.agreed;
        self.loss += other.loss;
    }

    fn text(&self) -> String {
        let n = f64::from(self.decisions);
        format!("{:.1} % ({:.4})", 100.0 * f64::from(self.agreed) / n, self.loss / n)
    }
}

/// Results of all searches with all budgets.
type Agreements = [[Agreement; BUDGETS.len()]; SEARCHES.len()];

/// Returns decisions of random games, one from each game in which a decision can be solved.
fn decisions<G: Game>(game: &G, wanted: usize) -> Vec<Decision<G>> {
    let mut found = Vec::new();
    for seed in 0..MAX_GAMES {
        let mut rng = stream(seed, 0, 0, Purpose::Playout);
        let mut path = Vec::new();
        play_game(game, &mut rng, |state, seat, rng| {
            path.push((*state, seat));
            Uniform.choose(game, state, seat, &game.legal_actions(state), rng)
        });
        let mut oracle = Oracle::new(game, MAX_POSITIONS);
        // The later a position, the smaller its tree.
        let solved = path.iter().rev().map_while(|(state, seat)| {
            let legal = game.legal_actions(state);
            let actions = legal
                .iter()
                .map(|action| Some((action, oracle.after(state, action)?.shares[seat.index()])));
            Some(Decision { state: *state, seat: *seat, actions: actions.collect::<Option<_>>()? })
        });
        let mut different: Vec<_> = solved.filter(|decision| decision.spread() > EQUAL).collect();
        if !different.is_empty() {
            let index = random_below(&mut rng, different.len() as u32);
            found.push(different.swap_remove(index as usize));
        }
        if found.len() == wanted {
            break;
        }
    }
    found
}

impl<G: Game> Decision<G> {
    fn best(&self) -> f64 {
        self.actions.iter().map(|(_, share)| *share).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Returns the difference between the best and the worst action.
    fn spread(&self) -> f64 {
        self.best() - self.actions.iter().map(|(_, share)| *share).fold(f64::INFINITY, f64::min)
    }
}

/// Compares the searches with the exact values, and prints the results.
fn compare<G: BuiltInGame>(name: &str, game: &G, wanted: usize, totals: &mut Agreements) {
    let library = game.bot_library();
    let decisions = decisions(game, wanted);
    println!("{name}: {} decisions", decisions.len());
    for (search, totals) in SEARCHES.iter().zip(totals) {
        for (budget, total) in BUDGETS.iter().zip(totals) {
            let bot = library.read(&format!("{search}:iterations={budget}")).unwrap();
            let mut sum = Agreement::default();
            for (index, decision) in (0..).zip(&decisions) {
                let Decision { state, seat, actions } = decision;
                let view = View::new(game, state, *seat);
                let mut rng = stream(1, index, 0, Purpose::Bot(0));
                let chosen = bot.build().choose(&view, &game.legal_actions(state), &mut rng);
                let (_, share) = actions.iter().find(|(action, _)| *action == chosen).unwrap();
                let loss = decision.best() - share;
                sum.add(Agreement { decisions: 1, agreed: (loss < EQUAL).into(), loss });
            }
            println!("{name}, {}, {budget} iterations: {}", bot.name(), sum.text());
            total.add(sum);
        }
    }
}

fn small_common_river(players: usize, overlay: &str) -> CommonRiver {
    let overlay = format!("players.max = 2\n{overlay}{SMALL_COMMON_RIVER}");
    CommonRiver::bind(&altered::<CommonRiver>("small", &overlay), players).unwrap()
}

/// A game of one day on one row, without trade and policies.
const SMALL_COMMON_RIVER: &str = r#"
rules.days = 1
rules.almanac = 1
negotiation.trade_windows = []
negotiation.proposals_per_day = 0
[[row]]
dot_above = true
fish_slots = 1
left = { elevation = 2, slots = ["tree"], camp = true }
right = { elevation = 3, slots = ["gravel"], camp = true }
half = { id = "H", slot = "tree", adjacent = ["L1"] }
net_first = "R"
"#;

/// Decisions of each small game.
const WANTED: usize = 60;

#[test]
#[ignore = "strength of the searches; .ci/full runs it"]
fn default_searches_agree_with_exact_values() {
    let mut river = Agreements::default();
    let rounds = [
        "rules = { max_rounds = 1, start_pioneers = 2, extra_pioneer_on_bonus_spot = 0 }\n",
        "rules = { max_rounds = 2, start_pioneers = 1, extra_pioneer_on_bonus_spot = 0 }\n",
    ];
    for (players, rules) in [(2, rounds[0]), (3, rounds[0]), (4, rounds[0]), (2, rounds[1])] {
        let name = format!("The River, {players} players, {}", &rules[10..24]);
        compare(&name, &small_river(players, rules), WANTED, &mut river);
    }
    let mut glassworks = Agreements::default();
    for (players, rounds) in [(2, 1), (2, 2), (3, 1), (4, 1)] {
        let play = format!(
            "play = {{ max_rounds = {rounds}, lake_size = 2, lake_take = 1, satchel_start = 1 }}\n"
        );
        let name = format!("Glassworks, {players} players, {rounds} rounds");
        compare(&name, &small_glassworks(players, &play), WANTED, &mut glassworks);
    }
    let mut common_river = Agreements::default();
    let alone =
        "objectives.settler = [\"conservation\", \"agriculture\"]\nrules.agriculture_fish = 2\n";
    let coop = "modes_for_two = [\"coop\"]\n";
    let against = "modes_for_two = [\"competitive\"]\n";
    for (name, players, overlay) in [
        ("alone", 1, alone.to_owned()),
        ("together", 2, format!("{coop}{alone}")),
        ("against each other", 2, against.to_owned()),
    ] {
        let name = format!("We All Take from the River, {name}");
        compare(&name, &small_common_river(players, &overlay), WANTED, &mut common_river);
    }
    for (name, totals) in
        [("The River", river), ("Glassworks", glassworks), ("We All Take", common_river)]
    {
        for (search, totals) in SEARCHES.iter().zip(&totals) {
            for (budget, total) in BUDGETS.iter().zip(totals) {
                println!("{name}, all, {search}, {budget} iterations: {}", total.text());
            }
        }
    }
    // Such small games are far from those on which the networks were trained, and the search must
    // correct their values by its visits.
    for [default, textbook] in [river, glassworks] {
        let deepest = [default, textbook].map(|totals| totals[BUDGETS.len() - 1]);
        for agreement in deepest {
            assert!(agreement.decisions > 200);
            assert!(agreement.agreed * 10 >= agreement.decisions * 9, "{}", agreement.text());
        }
    }
    // The networks of We All Take from the River were learned with other objectives than those of
    // this test, and value some of the best actions near 0.
    let [default, textbook] = common_river.map(|totals| totals[BUDGETS.len() - 1]);
    assert!(default.decisions > 150 && textbook.agreed * 10 >= textbook.decisions * 9);
    assert!(default.agreed * 4 >= default.decisions * 3, "{}", default.text());
}
