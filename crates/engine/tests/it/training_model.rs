//! The model that is trained agrees with the network that plays, and its gradient is right.

use rand::RngExt as _;
use watershed::{
    arena::play::{Event, Observer, play_game},
    game::{
        ActionSet as _, Features as _, Game, MAX_SEATS, PerSeat, Seat,
        facts::{FactBlock, FactList, FactTable, FactUnion, PositionFacts},
    },
    games::{BuiltInGame, common_river::CommonRiver, glassworks::Glassworks, the_river::TheRiver},
    rng::{ChanceStreams, Purpose, stream},
    search::network::{BoundNetwork, Network},
    training::{
        model::{Losses, Model, SCORE_LOSS_WEIGHT, Trainer},
        samples::{NewSample, SampleSet},
    },
};

/// Decisions with several actions in a random game.
struct Positions<G: Game>(Vec<(G::State, Seat, G::Actions)>);

impl<G: Game> Observer<G> for &mut Positions<G> {
    fn on_event(&mut self, game: &G, state: &G::State, event: &Event<'_, G>) {
        let _ = game;
        if let &Event::Decision { seat, legal, .. } = event
            && legal.len() > 1
        {
            self.0.push((*state, seat, *legal));
        }
    }
}

fn bind<G: BuiltInGame>(players: usize) -> G {
    G::bind(&G::default_document(), players).unwrap()
}

fn random_positions<G: BuiltInGame>(game: &G) -> Positions<G> {
    let mut positions = Positions(Vec::new());
    let mut chance = ChanceStreams::new(1, 0, game.chance_sources().len());
    let mut rng = stream(1, 0, 0, Purpose::Bot(0));
    let choose = |_: &watershed::bots::View<'_, G>, legal: &G::Actions| {
        legal.nth(rng.random_range(0..legal.len()))
    };
    play_game(game, &mut chance, choose, &mut positions);
    assert!(positions.0.len() > 10);
    positions
}

/// Returns a network with random weights in all parts.
fn random_network<G: BuiltInGame>(game: &G) -> Network {
    let mut rng = stream(1, 0, 0, Purpose::Training);
    let mut model = Model::new(G::ID, &game.fact_table(), &mut rng);
    let layout = model.layout;
    for (part, size) in [
        (layout.own, 0.04),
        (layout.other, 0.04),
        (layout.view, 0.04),
        (layout.shared, 0.04),
        (layout.hidden, 0.2),
        (layout.win, 0.5),
        (layout.score, 0.5),
        (layout.output_bias, 0.2),
        (layout.policy, 0.1),
        (layout.policy_bias, 0.2),
        (layout.embedding, 0.2),
    ] {
        for weight in &mut model.weights[part.range()] {
            *weight = size * (2.0 * rng.random::<f32>() - 1.0);
        }
    }
    model.quantized()
}

/// The network with integer weights agrees with the model: the losses of targets that it predicts
/// with certainty are the logarithms of its own shares.
fn check_agreement<G: BuiltInGame>(players: usize) {
    const TOLERANCE: f64 = 0.01;
    let game = bind::<G>(players);
    let table = game.fact_table();
    let mut union = FactUnion::new(&table);
    let facts = union.add(&table).unwrap();
    let network = random_network(&game);
    let model = Model::from_network(&network);
    assert_eq!(model.quantized().weights, network.weights);
    let bound = BoundNetwork::new("test", network.clone(), G::ID, &table).unwrap();
    let mut trainer = Trainer::new(union.table(), model.layout());
    model.fold(&mut trainer);
    let (mut smallest_share, mut largest_share) = (1.0_f32, 0.0_f32);
    for (index, (state, seat, legal)) in random_positions(&game).0.iter().enumerate() {
        let winner = index % players;
        let chosen = index % legal.len();
        let mut wins: PerSeat<f32> = [0.0; MAX_SEATS];
        wins[winner] = 1.0;
        let scores = bound.expected_scores(&game, state);
        let policy = [(chosen as u16, 1)];
        let policy = Some((*seat, legal, &policy[..]));
        let mut samples = SampleSet::default();
        samples.push(&NewSample {
            game: &game,
            facts: &facts,
            state,
            wins,
            scores: Some(scores),
            policy,
        });
        let Losses { win, policy, score, .. } =
            model.forward(&trainer.rows, &samples.get(0)).losses;

        let shares = bound.win_shares(&game, state);
        let share = shares[winner];
        // The chance of this result: independent seats also lose by themselves.
        let result: f64 = (0..players)
            .filter(|&seat| seat == winner || game.wins_are_independent())
            .map(|seat| f64::from(if seat == winner { share } else { 1.0 - shares[seat] }))
            .product();
        assert!(((-win).exp() - result).abs() < TOLERANCE, "{index}: {win} {result}");
        smallest_share = smallest_share.min(share);
        largest_share = largest_share.max(share);
        let mut priors = Vec::new();
        bound.policy(&game, state, *seat, legal, |_, prior| priors.push(f64::from(prior)));
        let prior = priors[chosen];
        assert!(((-policy).exp() - prior).abs() < TOLERANCE, "{index}: {policy} {prior}");
        // Half of the squared errors of all seats.
        assert!((2.0 * score).sqrt() < TOLERANCE * players as f64, "{index}: {score}");
    }
    // The outputs differ between positions and seats.
    assert!(largest_share > 1.2 * smallest_share, "{smallest_share} {largest_share}");
}

#[test]
fn integer_network_agrees_with_the_model() {
    check_agreement::<TheRiver>(2);
    check_agreement::<TheRiver>(4);
    check_agreement::<Glassworks>(3);
    check_agreement::<CommonRiver>(3);
}

/// For the weights with the largest gradients of each part, the gradient is the slope of the loss.
fn check_gradient<G: BuiltInGame>(players: usize) {
    const STEP: f32 = 2e-3;
    let game = bind::<G>(players);
    let table = game.fact_table();
    let mut union = FactUnion::new(&table);
    let facts = union.add(&table).unwrap();
    let mut model = Model::from_network(&random_network(&game));
    let mut trainer = Trainer::new(union.table(), model.layout());
    let mut samples = SampleSet::default();
    for (index, (state, seat, legal)) in random_positions(&game).0.iter().enumerate() {
        let mut wins: PerSeat<f32> = [0.0; MAX_SEATS];
        wins[index % players] = 0.8;
        // Nobody has the rest where a game can end without a winner.
        wins[(index + 1) % players] = if game.wins_are_independent() { 0.1 } else { 0.2 };
        let scores = std::array::from_fn(|seat| (index % 5) as f32 * 0.3 - seat as f32 * 0.4);
        let policy = [(0, 2), (legal.len() as u16 - 1, 1)];
        let policy = (index % 3 > 0).then_some((*seat, legal, &policy[..]));
        samples.push(&NewSample {
            game: &game,
            facts: &facts,
            state,
            wins,
            scores: Some(scores),
            policy,
        });
    }
    let all: Vec<u32> = (0..samples.len() as u32).collect();
    model.compute_gradient(&mut trainer, &samples, &all);
    let gradient = trainer.gradients[0].dense.clone();
    let mut loss = |model: &Model| {
        let losses = model.losses(&mut trainer, &samples, &all);
        losses.win + losses.policy + f64::from(SCORE_LOSS_WEIGHT) * losses.score + losses.penalty
    };
    for (number, part) in model.layout.parts().into_iter().enumerate() {
        let mut indices: Vec<usize> = part.range().collect();
        indices.sort_by(|&one, &other| gradient[other].abs().total_cmp(&gradient[one].abs()));
        for &index in indices.iter().take(3) {
            let weight = model.weights[index];
            let mut loss_at = |weight| {
                model.weights[index] = weight;
                loss(&model)
            };
            let slope = (loss_at(weight + STEP) - loss_at(weight - STEP)) / f64::from(2.0 * STEP);
            model.weights[index] = weight;
            let expected = f64::from(gradient[index]);
            let limit = 0.05 * expected.abs() + 0.005;
            assert!(
                (slope - expected).abs() < limit,
                "part {number}: slope {slope}, gradient {expected}"
            );
            assert!(expected.abs() > 0.02, "part {number}: no gradient");
        }
    }
}

#[test]
fn gradient_is_the_slope_of_the_loss() {
    check_gradient::<TheRiver>(3);
    check_gradient::<CommonRiver>(2);
}

#[test]
fn samples_keep_facts_and_targets() {
    let game = bind::<Glassworks>(2);
    let positions = random_positions(&game).0;
    let table = game.fact_table();
    let mut union = FactUnion::new(&table);
    let numbers = union.add(&table).unwrap();
    // Facts with the same inputs are one.
    let inputs = |block: &FactBlock, facts: &[u16]| -> Vec<Vec<u16>> {
        facts.iter().map(|&fact| block.facts()[usize::from(fact)].clone()).collect()
    };
    let mut samples = SampleSet::default();
    for (state, seat, legal) in &positions {
        let mut set = SampleSet::default();
        let (mut wins, mut scores) = ([0.0; MAX_SEATS], [0.0; MAX_SEATS]);
        (wins[0], wins[1]) = (0.25, 0.75);
        (scores[0], scores[1]) = (-3.5, 70.0);
        let policy = [(1, 3), (0, 1)];
        let policy = Some((*seat, legal, &policy[..]));
        set.push(&NewSample {
            game: &game,
            facts: &numbers,
            state,
            wins,
            scores: Some(scores),
            policy,
        });
        samples.append(&set);
    }
    assert_eq!(samples.len(), positions.len());
    for (index, (state, seat, legal)) in positions.iter().enumerate() {
        let sample = samples.get(index as u32);
        assert_eq!((sample.seats(), sample.mover), (2, seat.index()));
        assert_eq!(
            (sample.wins[..2].to_vec(), sample.scores.unwrap()[..2].to_vec()),
            (vec![0.25, 0.75], vec![-3.5, 70.0])
        );
        let mut facts = PositionFacts::default();
        game.position_facts(state, &mut facts);
        let is_kept = |block: fn(&FactTable) -> &FactBlock, sample: &[u16], list: &FactList| {
            let expected = inputs(block(&table), list.as_slice());
            assert_eq!(inputs(block(union.table()), sample), expected);
        };
        is_kept(|table| &table.shared, sample.shared, &facts.shared);
        for seat in 0..2 {
            is_kept(|table| &table.seat, sample.seat_facts[seat], &facts.seats[seat]);
            is_kept(|table| &table.view, sample.view_facts[seat], &facts.views[seat]);
        }
        let targets: Vec<f32> = sample.actions.iter().map(|&(target, _)| target).collect();
        assert_eq!(targets.len(), legal.len());
        assert_eq!(targets[..2], [0.25, 0.75]);
        assert!(targets[2..].iter().all(|&target| target == 0.0));
    }
}
