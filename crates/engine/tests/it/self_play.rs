//! Games of one seat against a frozen bot: their records replay, and only the decisions of the
//! learner give samples.

use std::sync::{Arc, Mutex};

use watershed::{
    arena::play::play_game,
    bots::{Bot, BotFactory, View},
    game::{ActionSet as _, Features as _, Game as _, Seat, facts::FactUnion},
    games::{BuiltInGame as _, GameDefinition as _, glassworks::Glassworks},
    rng::{ChanceStreams, Purpose, Rng, stream},
    search::{
        mcts::Settings,
        network::{BoundNetwork, NetworkEvaluator},
    },
    training::{
        model::Model,
        samples::SampleSet,
        self_play::{
            FrozenOpponents, Sampling, SelfPlaySearch, Teacher, add_samples, final_scores, play,
        },
    },
};

type Action = <Glassworks as watershed::Game>::Action;
type Actions = <Glassworks as watershed::Game>::Actions;
type Observed = Arc<Mutex<Vec<(Seat, Action)>>>;

/// Plays the last legal action, and keeps all decisions that it observes.
#[derive(Clone)]
struct Last(Observed);

impl Bot<Glassworks> for Last {
    fn choose(&mut self, _: &View<'_, Glassworks>, legal: &Actions, _: &mut Rng) -> Action {
        legal.nth(legal.len() - 1)
    }

    fn observe(&mut self, seat: Seat, action: Action) {
        self.0.lock().unwrap().push((seat, action));
    }
}

const SEED: u64 = 5;
const SEATS: usize = 3;

fn search() -> SelfPlaySearch {
    SelfPlaySearch {
        settings: Settings::uct(8, 0.3),
        iterations: 8,
        fast_iterations: 8,
        full_share: 1.0,
        root_noise: 0.25,
        temperature: 0.5,
        random_moves: 3,
        explored_share: 0.2,
        siblings: 0,
    }
}

#[test]
fn only_the_learner_teaches_and_records_replay() {
    let game = Glassworks::bind(&Glassworks::default_document(), SEATS).unwrap();
    let table = game.fact_table();
    let mut rng = stream(1, 0, 0, Purpose::Training);
    let network = Model::new(Glassworks::ID, &table, &mut rng).quantized();
    let network = BoundNetwork::new("test", network, Glassworks::ID, &table).unwrap();
    let network = NetworkEvaluator::new(Arc::new(network), 1.0);
    let search = search();
    for block in 0..6 {
        let learner = Seat::new(block as usize % SEATS);
        let observed = Observed::default();
        let observer = observed.clone();
        let bot = BotFactory::new::<Glassworks, _>("last", move || Last(observer.clone()));
        let opponents = Some(FrozenOpponents { bot: &bot, learner });
        let teacher = Teacher::Search { network: &network, search: &search, opponents };
        let record = play(&game, &teacher, SEED, block);

        // Every bot observes every decision.
        let observed = observed.lock().unwrap();
        let mut actions = observed.chunks(SEATS).map(|copies| {
            assert!(copies.iter().all(|copy| *copy == copies[0]));
            copies[0]
        });
        let (mut of_learner, mut others) = (0, 0);
        let mut chance = ChanceStreams::new(SEED, block, game.chance_sources().len());
        let choose = |view: &View<'_, Glassworks>, legal: &Actions| {
            let (seat, action) = actions.next().unwrap();
            assert_eq!(seat, view.seat());
            if legal.len() > 1 {
                *(if seat == learner { &mut of_learner } else { &mut others }) += 1;
            }
            action
        };
        let end = play_game(&game, &mut chance, choose, ());
        assert!(actions.next().is_none() && of_learner > 5 && others > 10);
        assert_eq!(final_scores(&game, &record, SEED), Some(game.outcome(&end).scores));
        let mut changed = record.clone();
        changed.words.pop();
        assert_eq!(final_scores(&game, &changed, SEED), None, "too few words");
        changed.words.extend([0, 0]);
        assert_eq!(final_scores(&game, &changed, SEED), None, "too many words");
        changed.words = record.words.clone();
        changed.words[0] = 0x3fff;
        assert_eq!(final_scores(&game, &changed, SEED), None, "an illegal action");

        let sampling = Sampling {
            lambda: 0.9,
            value_share: 0.0,
            policy_share: 1.0,
            score_scale: 10.0,
            seed: SEED,
        };
        let facts = FactUnion::new(&table).add(&table).unwrap();
        let mut samples = SampleSet::default();
        add_samples(&game, &facts, &record, &sampling, &mut samples);
        // Up to three decisions at the beginning are random ones.
        assert!((of_learner - 3..=of_learner).contains(&samples.len()), "{of_learner}");
        let movers = (0..samples.len() as u32).map(|index| samples.get(index).mover);
        assert!(movers.eq(std::iter::repeat_n(learner.index(), samples.len())));
    }
}
