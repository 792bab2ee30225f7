//! Networks as bots and as evaluators of searches, in a small game with facts.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    fs,
    path::Path,
    sync::Arc,
};

use rand::RngExt as _;
use tempfile::TempDir;
use watershed::{
    bots::{
        BotFactory, View,
        calibration::CalibrationFile,
        defaults::SearchDefaults,
        network::NetworkLibrary,
        profile::{Profile, ProfileLibrary},
    },
    game::{
        Features as _, Game as _, MAX_SEATS, Seat, Turn,
        facts::{FactBlock, FactList, FactTable, PositionFacts},
    },
    rng::{Purpose, Rng, stream},
    search::{
        Evaluator as _,
        network::{
            BoundNetwork, HIDDEN, Network, NetworkEvaluator, NetworkHeader, POLICY, SCORE_UNIT,
            UNITS, WIN_UNIT, WeightLayout, WeightPart,
        },
    },
};

use super::heap::{Heap, Position, table_and_groups};

fn rng(seed: u64) -> Rng {
    stream(seed, 0, 0, Purpose::Playout)
}

/// Returns a network with random weights of at most this size.
fn random_network(seed: u64, limit: i16) -> Network {
    let header = NetworkHeader::new("heap", &table_and_groups().0, 10.0);
    let rng = &mut rng(seed);
    let len = header.layout().weight_count();
    Network { header, weights: (0..len).map(|_| rng.random_range(-limit..=limit)).collect() }
}

fn bound(network: &Network) -> BoundNetwork {
    BoundNetwork::new("x.network", network.clone(), "heap", &table_and_groups().0).unwrap()
}

/// Passes the positions of some random games in which a seat decides.
fn for_each_position(game: &Heap, mut visit: impl FnMut(&Position, Seat)) {
    let rng = &mut rng(5);
    for _ in 0..200 {
        let mut state = game.initial();
        while let Turn::Seat(seat) = game.turn(&state) {
            visit(&state, seat);
            let taken = rng.random_range(1..=state.left.min(3));
            game.apply(&mut state, taken);
        }
    }
}

fn heap(seats: usize) -> Heap {
    Heap { seats, stones: 20, bonus: 4, wins_are_independent: false }
}

fn games() -> impl Iterator<Item = Heap> {
    let sizes = (1..=MAX_SEATS).flat_map(|seats| [(seats, false), (seats, true)]);
    sizes.map(|(seats, wins_are_independent)| Heap { wins_are_independent, ..heap(seats) })
}

/// The network in plain 64-bit arithmetic, from the inputs of each fact.
struct Plain<'a> {
    network: &'a Network,
    layout: WeightLayout,
    table: FactTable,
}

impl Plain<'_> {
    fn weight(&self, part: WeightPart, columns: usize, row: usize, column: usize) -> i64 {
        self.network.weights[part.range()][row * columns + column].into()
    }

    /// Returns the sum of the rows of all inputs of these facts.
    fn sums(
        &self,
        block: &FactBlock,
        part: WeightPart,
        columns: usize,
        facts: &FactList,
    ) -> Vec<i64> {
        let inputs = facts.as_slice().iter().flat_map(|&fact| &block.facts()[usize::from(fact)]);
        let mut sums = vec![0; columns];
        for &input in inputs {
            for (column, sum) in sums.iter_mut().enumerate() {
                *sum += self.weight(part, columns, input.into(), column);
            }
        }
        sums
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "as in the trait")]
    fn view(&self, game: &Heap, state: &Position, seat: usize) -> Vec<i64> {
        let mut facts = PositionFacts::default();
        game.position_facts(state, &mut facts);
        let (table, layout) = (&self.table, &self.layout);
        let mut parts = vec![
            (0..UNITS).map(|unit| self.weight(layout.first_bias, UNITS, 0, unit)).collect(),
            self.sums(&table.shared, layout.shared, UNITS, &facts.shared),
            self.sums(&table.view, layout.view, UNITS, &facts.views[seat]),
            self.sums(&table.seat, layout.own, UNITS, &facts.seats[seat]),
        ];
        for other in (0..game.seats).filter(|&other| other != seat) {
            parts.push(self.sums(&table.seat, layout.other, UNITS, &facts.seats[other]));
        }
        (0..UNITS).map(|unit| parts.iter().map(|part: &Vec<i64>| part[unit]).sum()).collect()
    }

    /// Returns a layer after the clipped units of the first one.
    fn layer(&self, view: &[i64], part: WeightPart, bias: WeightPart, units: usize) -> Vec<i64> {
        let clipped = |(unit, &sum): (usize, &i64)| {
            if unit == WIN_UNIT || unit == SCORE_UNIT { 0 } else { sum.clamp(0, 256) }
        };
        let inputs: Vec<i64> = view.iter().enumerate().map(clipped).collect();
        let sum = |unit| -> i64 {
            (0..UNITS).map(|input| inputs[input] * self.weight(part, UNITS, unit, input)).sum()
        };
        let rounded = |sum: i64| (sum + 512).div_euclid(1024);
        (0..units).map(|unit| rounded(sum(unit)) + self.weight(bias, units, 0, unit)).collect()
    }

    fn output(&self, view: &[i64], part: WeightPart) -> i64 {
        let hidden = self.layer(view, self.layout.hidden, self.layout.hidden_bias, HIDDEN);
        let units = hidden.iter().enumerate();
        units.map(|(unit, sum)| sum.clamp(&0, &256) * self.weight(part, HIDDEN, 0, unit)).sum()
    }

    /// Returns the win logit in units of 2^-16.
    fn logit(&self, view: &[i64]) -> i64 {
        let linear = view[WIN_UNIT] + self.weight(self.layout.output_bias, 2, 0, 0);
        self.output(view, self.layout.win) / 4 + linear.clamp(-8191, 8191) * 256
    }

    fn score(&self, view: &[i64]) -> f64 {
        let linear = view[SCORE_UNIT] + self.weight(self.layout.output_bias, 2, 0, 1);
        let hidden = self.output(view, self.layout.score) as f64 / 1024.0;
        (hidden + linear as f64) / 256.0 * f64::from(self.network.header.score_scale)
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "as in the trait")]
    fn action_logit(&self, game: &Heap, state: &Position, seat: Seat, action: u8) -> i64 {
        let view = self.view(game, state, seat.index());
        let layout = &self.layout;
        let mut policy = self.layer(&view, layout.policy, layout.policy_bias, POLICY);
        policy[POLICY - 1] = 256;
        let legal = [action].into_iter().collect();
        let mut embedding = Vec::new();
        game.action_facts(state, seat, &legal, &mut |_, facts| {
            embedding = self.sums(&self.table.action, layout.embedding, POLICY, facts);
        });
        let limited = |sum: i64| sum.clamp(-8191, 8191);
        policy.iter().zip(embedding).map(|(&unit, sum)| limited(unit) * limited(sum)).sum()
    }
}

/// Returns the softmax of logits in units of 2^-16.
fn softmax(logits: &[i64], temperature: f64) -> Vec<f64> {
    let max = *logits.iter().max().unwrap();
    let weight = |logit: &i64| ((logit - max) as f64 / 65536.0 / temperature).exp();
    let total: f64 = logits.iter().map(weight).sum();
    logits.iter().map(|logit| weight(logit) / total).collect()
}

#[test]
fn a_network_computes_what_its_plain_definition_computes() {
    let mut largest = 0.0_f64;
    for (seed, limit) in [(1, 60), (2, 300), (3, 2000)] {
        let network = random_network(seed, limit);
        let plain = Plain {
            network: &network,
            layout: network.header.layout(),
            table: table_and_groups().0,
        };
        let bound = Arc::new(bound(&network));
        for game in games() {
            for_each_position(&game, |state, seat| {
                let views: Vec<_> =
                    (0..game.seats).map(|seat| plain.view(&game, state, seat)).collect();
                let logits: Vec<_> = views.iter().map(|view| plain.logit(view)).collect();
                let shares = |temperature| {
                    if game.wins_are_independent {
                        let one = |&logit: &i64| softmax(&[logit, 0], temperature)[0];
                        logits.iter().map(one).collect()
                    } else {
                        softmax(&logits, temperature)
                    }
                };
                for temperature in [1.0, 2.5] {
                    let evaluator = NetworkEvaluator::new(Arc::clone(&bound), temperature);
                    let found = evaluator.win_probabilities(&game, state);
                    let expected = shares(temperature);
                    for (found, expected) in found.iter().zip(&expected).take(game.seats) {
                        let error = (f64::from(*found) - expected).abs();
                        assert!(error < 5e-5, "{found}, {expected}, {state:?}");
                    }
                }
                let found = bound.win_shares(&game, state);
                assert!(found_equals(&found[..game.seats], &shares(1.0)));
                let scores = bound.expected_scores(&game, state);
                for (found, view) in scores.iter().zip(&views) {
                    let expected = plain.score(view);
                    let error = (f64::from(*found) - expected).abs();
                    assert!(error <= 1e-5 * (1.0 + expected.abs()), "{found}, {expected}");
                }
                let legal = game.legal_actions(state);
                let (mut actions, mut priors) = (Vec::new(), Vec::new());
                bound.policy(&game, state, seat, &legal, |action, prior| {
                    actions.push(action);
                    priors.push(prior);
                });
                let logits = actions.iter().map(|&a| plain.action_logit(&game, state, seat, a));
                let expected = softmax(&logits.collect::<Vec<_>>(), 1.0);
                assert!(found_equals(&priors, &expected), "{priors:?}, {expected:?}");
                largest = largest.max(expected.iter().fold(0.0, |max, &prior| max.max(prior)));
            });
        }
    }
    assert!(largest > 0.9, "the policies are nearly uniform");
}

fn found_equals(found: &[f32], expected: &[f64]) -> bool {
    found.iter().zip(expected).all(|(&found, expected)| (f64::from(found) - expected).abs() < 5e-5)
}

thread_local!(static ALLOCATIONS: Cell<u64> = const { Cell::new(0) });

/// Counts the allocations of each thread.
struct CountingAllocator;

#[expect(unsafe_code, reason = "the allocator of the system, with a counter")]
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn an_evaluation_does_not_allocate() {
    let game = heap(3);
    let network = bound(&random_network(1, 100));
    let mut bot = library(&[("x.network", &random_network(1, 100).to_bytes())])
        .read("network:weights=<bots/heap/x.network>")
        .map(BotFactory::from)
        .unwrap()
        .build();
    let rng = &mut rng(1);
    let mut total = 0.0;
    let mut evaluate = |state: &Position, seat| {
        let legal = game.legal_actions(state);
        total += network.win_shares(&game, state)[0];
        network.policy(&game, state, seat, &legal, |_, prior| total += prior);
        total += f32::from(bot.choose(&View::new(&game, state, seat), &legal, rng));
    };
    // The groups of facts are computed once a thread.
    evaluate(&game.initial(), Seat::new(0));
    let before = ALLOCATIONS.get();
    assert!(before > 0);
    evaluate(&game.initial(), Seat::new(0));
    assert_eq!(ALLOCATIONS.get(), before);
    assert!(total > 0.0);
}

/// Returns a library with embedded networks, which live as long as the test.
pub(super) fn library(embedded: &[(&'static str, &[u8])]) -> ProfileLibrary {
    let leak = |&(name, content): &(&'static str, &[u8])| -> (&'static str, &'static [u8]) {
        (name, content.to_vec().leak())
    };
    let embedded = embedded.iter().map(leak).collect::<Vec<_>>().leak();
    ProfileLibrary {
        game: "heap",
        players: 2,
        modes: Vec::new(),
        built_in: "",
        edits: "",
        feature_names: &[],
        profiles: &[("expert", "kind = \"network\"\nweights = \"expert{players}.network\"\n")],
        networks: Arc::new(NetworkLibrary::new("heap", embedded, || table_and_groups().0.into())),
        default_bot: "expert",
        panel: Vec::new(),
        default_heuristic: None,
        search: SearchDefaults {
            playout: "random",
            value: None,
            prior: None,
            own_moves: false,
            halving: false,
            prior_temperature: None,
        },
        calibration: CalibrationFile::default(),
        data: Vec::new(),
        opponents: Vec::new(),
        adapted_networks: Arc::default(),
    }
}

/// A folder with a network and profiles.
struct Files(TempDir);

impl Files {
    fn new() -> Self {
        let files = Self(TempDir::new().unwrap());
        files.write("mine.network", &random_network(4, 200).to_bytes());
        files.write("mine.toml", b"kind = \"network\"\nweights = \"mine.network\"\n");
        files
    }

    fn write(&self, name: &str, content: &[u8]) {
        fs::write(self.0.path().join(name), content).unwrap();
    }

    /// Returns the name of a bot with `DIR` replaced by the folder.
    fn bot(&self, name: &str) -> String {
        name.replace("DIR", self.0.path().to_str().unwrap())
    }

    fn read(&self, name: &str) -> Profile {
        library(&[]).read(&self.bot(name)).unwrap()
    }

    /// Asserts that a bot is refused on one line with these parts.
    #[track_caller]
    fn refuses(&self, name: &str, parts: &[&str]) {
        let message = library(&[]).read(&self.bot(name)).unwrap_err().to_string();
        assert_eq!(message.lines().count(), 1, "{message}");
        for part in parts {
            assert!(message.contains(part), "{part}: {message}");
        }
    }
}

/// Returns the actions of a game between copies of a bot.
fn play(profile: &Profile) -> Vec<u8> {
    let game = heap(2);
    let factory = BotFactory::from(profile.clone());
    let mut bots = [factory.build(), factory.build()];
    let rng = &mut rng(7);
    let mut state = game.initial();
    let mut actions = Vec::new();
    while let Turn::Seat(seat) = game.turn(&state) {
        let legal = game.legal_actions(&state);
        let action = bots[seat.index()].choose(&View::new(&game, &state, seat), &legal, rng);
        game.apply(&mut state, action);
        actions.push(action);
    }
    actions
}

#[test]
fn a_network_is_read_from_a_profile_and_from_options() {
    let files = Files::new();
    let bytes = random_network(4, 200).to_bytes();
    let profile = files.read("DIR/mine.toml");
    let inline = files.read("network:weights=DIR/mine.network");
    assert_eq!(profile.spec, inline.spec);
    assert_eq!(profile.parameters, inline.parameters);
    assert_eq!(profile.parameters["weights_sha256"], watershed::config::sha256(&bytes));
    assert_eq!(play(&profile), play(&inline));

    let embedded = [("expert2.network", &bytes[..])];
    let embedded = library(&embedded).read("expert").unwrap();
    assert_eq!(embedded.spec, profile.spec);
    assert_eq!(embedded.parameters["weights"], "<bots/heap/expert2.network>");

    files.write("mine.network", &random_network(5, 200).to_bytes());
    let other = files.read("DIR/mine.toml");
    assert_ne!(other.spec, profile.spec);
    assert_ne!(other.parameters["weights_sha256"], profile.parameters["weights_sha256"]);
}

#[test]
fn bots_share_the_memory_of_a_network() {
    let files = Files::new();
    let library = library(&[]);
    let read = |name: &str| library.networks.read(&files.bot(name)).unwrap().network;
    let first = read("DIR/mine.network");
    files.write("copy.network", &random_network(4, 200).to_bytes());
    assert!(Arc::ptr_eq(&first, &read("DIR/copy.network")));
}

/// The choice is the action with the highest ln(prior) + weight · win share among the candidates
/// with the highest priors, without those far below the highest one.
#[test]
fn a_network_plays_one_ply_ahead() {
    let files = Files::new();
    let game = heap(2);
    let network = random_network(4, 600);
    files.write("mine.network", &network.to_bytes());
    let network = bound(&network);
    let value = |state: &Position, seat: Seat, action| {
        let mut after = *state;
        game.apply(&mut after, action);
        if after.left > 0 {
            return network.win_shares(&game, &after)[seat.index()];
        }
        let winners = game.outcome(&after).winners;
        let share = 1.0 / winners.count_ones() as f32;
        if winners >> seat.index() & 1 == 1 { share } else { 0.0 }
    };
    let rules = [
        ("", 6, 30.0),
        (":candidates=1", 1, 30.0),
        (":candidates=2:value_weight=5", 2, 5.0),
        (":value_weight=0", 6, 0.0),
        (":candidates=32:value_weight=1000000", 32, 1e6),
    ];
    let mut bots = rules.map(|(options, ..)| {
        let name = format!("network:weights=DIR/mine.network{options}");
        BotFactory::from(files.read(&name)).build()
    });
    let (mut differing, mut improbable) = (0, 0);
    for_each_position(&game, |state, seat| {
        let legal = game.legal_actions(state);
        let mut ranked = Vec::new();
        network.policy(&game, state, seat, &legal, |action, prior| ranked.push((prior, action)));
        ranked.sort_by(|one, other| other.0.total_cmp(&one.0));
        let view = View::new(&game, state, seat);
        let mut chosen = Vec::new();
        for (bot, (options, candidates, weight)) in bots.iter_mut().zip(rules) {
            let score = |&(prior, action): &(f32, _)| {
                f64::from(prior).ln() + weight * f64::from(value(state, seat, action))
            };
            let is_probable = |&&(prior, _): &&(f32, _)| prior / ranked[0].0 >= (-4.0_f32).exp();
            let probable = ranked.iter().take(candidates).take_while(is_probable);
            improbable += candidates.min(ranked.len()) - probable.clone().count();
            let best = probable.map(score).fold(f64::NEG_INFINITY, f64::max);
            let action = bot.choose(&view, &legal, &mut rng(1));
            let found = score(ranked.iter().find(|(_, other)| *other == action).unwrap());
            // The bot adds numbers with 16 binary digits after the point.
            assert!((found - best).abs() < 1e-3 + 1e-6 * weight, "{options}: {state:?}");
            chosen.push(action);
        }
        differing += usize::from(chosen[3] != chosen[4]);
    });
    assert!(differing > 0 && improbable > 0);
}

/// The trees of a search can run on different threads.
#[test]
fn a_search_with_a_network_is_the_same_on_one_and_two_threads() {
    let files = Files::new();
    let network = "network:weights=mine.network";
    let text = format!(
        "kind = \"mcts\"\niterations = 120\ntrees = 3\nselection = \"puct\"\ncut_off = 0\n\
         value = \"{network}\"\nprior = \"{network}\"\nvalue_temperature = 2.0\n"
    );
    files.write("search.toml", text.as_bytes());
    let profile = files.read("DIR/search.toml");
    assert_eq!(profile.parts.len(), 3, "playout, prior and value");
    assert_eq!(profile.parts[1]["weights_sha256"], profile.parts[2]["weights_sha256"]);
    let games = [1, 2].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| play(&profile))
    });
    assert_eq!(games[0], games[1]);
    let playouts = "mcts:iterations=50:playout=DIR/mine.toml:playout_epsilon=0.5";
    assert_eq!(play(&files.read(playouts)).iter().map(|&taken| u32::from(taken)).sum::<u32>(), 20);
}

#[test]
fn invalid_networks_are_refused() {
    let files = Files::new();
    let write = |change: &dyn Fn(&mut Network)| {
        let mut network = random_network(4, 200);
        change(&mut network);
        files.write("mine.network", &network.to_bytes());
    };
    let head = ["mine.toml:2: key `weights`: ", "mine.network: "];
    let refuses = |message: &str| files.refuses("DIR/mine.toml", &[head[0], head[1], message]);

    write(&|network| "river".clone_into(&mut network.header.game));
    refuses("key `game`: expected a network of heap, found one of river");
    write(&|network| "points>=99".clone_into(&mut network.header.inputs[0].1[2]));
    refuses("key `inputs.seat[2]`: expected inputs of this version of heap");
    write(&|network| network.header.units[0] = 65);
    refuses("key `units`: expected [64, 32, 32], found [65, 32, 32]");
    write(&|network| network.weights.truncate(100));
    refuses("weights, found 100");
    write(&|network| network.header.score_scale = 0.0);
    refuses("score_scale: expected a positive number");
    write(&|network| {
        let points = network.header.layout().own;
        network.weights[points.range()].fill(i16::MAX);
    });
    refuses("the weights of a fact exceed 16 bits");
    files.write("mine.network", b"no network");
    refuses("expected a network that `watershed train` has written");
    let mut damaged = random_network(4, 200).to_bytes();
    let middle = damaged.len() / 2;
    damaged.truncate(middle);
    files.write("mine.network", &damaged);
    refuses("expected a network that `watershed train` has written");
    fs::remove_file(files.0.path().join("mine.network")).unwrap();
    refuses("can't be read: ");

    for name in ["/dev/stdin", "../mine.network", "a\\mine.network", "c:mine.network", "..", ""] {
        files.write("far.toml", format!("kind = 'network'\nweights = '{name}'\n").as_bytes());
        files.refuses("DIR/far.toml", &["far.toml:2: key `weights`", "without folders, found"]);
    }
    for value in ["network:weights=../mine.network", "../mine.toml", "/mine.toml:epsilon=0.1"] {
        files.write("far.toml", format!("kind = 'mcts'\nvalue = '{value}'\n").as_bytes());
        files.refuses("DIR/far.toml", &["far.toml:2: key `value`", "without folders, found"]);
    }
    files.refuses("network:weights=DIR", &["key `weights`: ", "expected a regular file"]);

    files.refuses("network", &["missing key `weights`"]);
    files.refuses("network:weights=5", &["key `weights`: expected a string, found 5"]);
    files.refuses("network:weights=x:candidates=0", &["an integer from 1 to 32, found 0"]);
    files.refuses("DIR/mine.toml:epsilon=2", &["bot `", "key `epsilon`", "from 0 to 1"]);
    files.refuses("DIR/mine.toml:epsilom=0.1", &["did you mean `epsilon`?"]);
}

/// A library of a game without facts has no networks.
#[test]
fn a_game_without_facts_has_no_networks() {
    let files = Files::new();
    let networks = NetworkLibrary::new("heap", &[], Arc::default);
    let path = files.0.path().join("mine.network");
    let error = networks.read(Path::new(&path).to_str().unwrap()).unwrap_err();
    assert!(error.to_string().ends_with("heap has no networks"), "{error}");
}
