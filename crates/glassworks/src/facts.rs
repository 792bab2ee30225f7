//! The facts of positions and actions of River Valley Glassworks, for networks.
//!
//! Colours, shapes and tiles are described by their effects only: the points that pieces are worth
//! to a seat, the share of their colour in the bag, and the places of tiles in the river. All data
//! files have the same facts, and the same inputs. Inputs of values of the data file, such as the
//! points of a column, belong to facts that are listed anyway.

mod actions;
mod context;
mod gains;
mod groups;
mod position;

use std::sync::{Arc, OnceLock};

use super::{
    Glassworks, PieceValues,
    components::{BAG_WORDS, Columns, MAX_COLOURS},
};
use groups::{ActionGroups, SeatGroups, SharedGroups, ViewGroups};
use watershed_engine::{
    game::facts::FactTable,
    games::table::{PerThread, ResultTable},
};

/// The groups of facts.
#[derive(Debug)]
pub(super) struct Groups {
    seat: SeatGroups,
    view: ViewGroups,
    shared: SharedGroups,
    action: ActionGroups,
}

impl Groups {
    /// Creates the groups and the table of their facts and inputs.
    fn new(game: &Glassworks) -> (Self, Arc<FactTable>) {
        let mut table = FactTable::default();
        let groups = Self {
            seat: SeatGroups::new(&mut table.seat, game),
            view: ViewGroups::new(&mut table.view),
            shared: SharedGroups::new(&mut table.shared, game),
            action: ActionGroups::new(&mut table.action, game),
        };
        (groups, Arc::new(table))
    }
}

impl Glassworks {
    /// Returns the groups of facts and their table, which are made when they are first needed.
    pub(super) fn groups_and_table(&self) -> &(Groups, Arc<FactTable>) {
        self.facts.groups.get_or_init(|| Groups::new(self))
    }
}

/// The groups of facts of a data file, and the bits of each colour in the bag.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    groups: Arc<OnceLock<(Groups, Arc<FactTable>)>>,
    bag_masks: [[u64; BAG_WORDS]; MAX_COLOURS],
    colours: usize,
    /// The gain of columns from pieces, and the columns with them.
    gains: PerThread<Gains>,
}

/// A gain in points from pieces, and the columns with them.
type ColumnGain = (i32, Columns);

/// Gains by the columns before and the pieces.
type Gains = ResultTable<(Columns, u64), ColumnGain, 4096>;

impl Facts {
    /// Creates the masks for these pieces.
    pub(super) fn new(pieces: &[PieceValues]) -> Self {
        let mut bag_masks = [[0; BAG_WORDS]; MAX_COLOURS];
        let mut colours = 0;
        for piece in pieces {
            let colour = usize::from(piece.colour.0);
            bag_masks[colour][piece.word] |= piece.group;
            colours = colours.max(colour + 1);
        }
        Self { groups: Arc::default(), bag_masks, colours, gains: PerThread::default() }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step ends the test")]
mod tests {
    use super::{
        super::{
            Glassworks,
            components::{Colour, Columns, MAX_SHAPES, Piece, Pieces},
            state::{Phase, State},
        },
        Groups,
        gains::PieceGains,
        groups::{GAIN, LEAD, MISSING, POINTS},
    };
    use watershed_engine::{
        config::Document,
        game::{
            ActionSet as _, Features as _, Game as _, Seat, Turn,
            facts::{
                FactBlock, FactList, PositionFacts,
                axis::{Axis, up_to},
            },
        },
        games::GameDefinition as _,
        rng::{Rng, random_below},
    };

    /// Returns the data file of the program.
    fn document() -> Document {
        Document::embedded("glassworks", include_str!("../../../configs/glassworks.toml"))
    }

    /// Returns the default data file with each text replaced by the one after it.
    fn edited(edits: &[(&str, &str)]) -> Document {
        let mut document = document();
        for (from, to) in edits {
            assert!(document.text.contains(from), "{from}");
            document.text = document.text.replacen(from, to, 1);
        }
        document
    }

    /// Returns data files with other numbers of columns, rows, shapes and colours, and other
    /// points.
    fn documents() -> [Document; 4] {
        let rows = "rows = 5 ";
        [
            document(),
            edited(&[
                ("columns = 7", "columns = 3"),
                (rows, "rows = 2"),
                ("scored_columns = 2", "scored_columns = 0"),
                ("overflow_penalty = 3", "overflow_penalty = 9"),
                ("end_trigger = 17", "end_trigger = 5"),
                ("lake_size = 5", "lake_size = 0"),
            ]),
            edited(&[
                ("[0, 7, 14, 21, 28, 35] ]", "[0, 7, 14, 21, 28, 35], [99, 7, 0, 999, 28, 35] ]"),
                ("[0, 1, 2, 4, 7, 11, 16, 22]", "[5, 0, 2, 4, 7, 11, 16, 22, 999]"),
                ("columns = 7", "columns = 8"),
                ("scored_columns = 2", "scored_columns = 8"),
                ("end_trigger = 17", "end_trigger = 255"),
                ("satchel_limit = 5", "satchel_limit = 2"),
                ("max_rounds = 60", "max_rounds = 255"),
                ("stones = 2", "stones = 15"),
            ]),
            edited(&[
                ("end_variant = \"rulebook\"", "end_variant = \"bga\""),
                ("lake_size = 5", "lake_size = 8"),
                ("lake_take = 4", "lake_take = 7"),
                ("stones = 1", "stones = 0"),
                ("id = \"orange\"", "id = \"amber\""),
            ]),
        ]
    }

    /// Plays a random game and calls a function for each position.
    fn play(game: &Glassworks, seed: u64, mut visit: impl FnMut(&State)) {
        let mut rng = Rng::new(u128::from(seed) << 1 | 1);
        let mut state = game.initial();
        loop {
            let action = match game.turn(&state) {
                Turn::Over => return,
                Turn::Chance(_) => game.sample_chance(&state, &mut rng),
                Turn::Seat(_) => {
                    let actions = game.legal_actions(&state);
                    actions.nth(random_below(&mut rng, actions.len() as u32) as usize)
                }
            };
            visit(&state);
            game.apply(&mut state, action);
        }
    }

    /// Returns the names of the inputs of a list.
    fn inputs_of<'a>(list: &FactList, block: &'a FactBlock) -> Vec<&'a str> {
        let facts = list.as_slice().iter().flat_map(|&fact| &block.facts()[usize::from(fact)]);
        facts.map(|&input| block.inputs()[usize::from(input)].as_str()).collect()
    }

    /// Returns true if the thresholds `name>=…` among the inputs are those of the value.
    fn has_level(inputs: &[&str], name: &str, axis: Axis, value: i32) -> bool {
        let holds = |level: usize| {
            let input = format!("{name}>={}", axis.value(level));
            inputs.contains(&input.as_str())
        };
        (1..axis.len()).all(|level| holds(level) == (level <= axis.index(value)))
    }

    #[test]
    fn gains_of_actions_are_differences_of_scores() {
        for document in documents() {
            let game = Glassworks::bind(&document, 3).unwrap();
            let table = game.fact_table();
            let mut cases = 0;
            for seed in 0..4 {
                play(&game, seed, |state| {
                    if !matches!(state.phase, Phase::Collect | Phase::Columns) {
                        return;
                    }
                    let seat = state.decider;
                    let points = |state: &State| game.score(state.columns(seat)).total();
                    let legal = game.legal_actions(state);
                    game.action_facts(state, seat, &legal, &mut |action, list| {
                        let mut after = *state;
                        game.apply(&mut after, action);
                        // The last new colour is added with the one before it, and a collect
                        // is not finished while columns are chosen.
                        if (after.phase == Phase::Columns) == (state.phase == Phase::Columns) {
                            let inputs = inputs_of(list, &table.action);
                            let gain = points(&after) - points(state);
                            let is_listed = has_level(&inputs, "gain", GAIN, gain);
                            assert!(is_listed, "{action:?} {inputs:?}");
                            cases += 1;
                        }
                    });
                });
            }
            assert!(cases > 20, "{cases} actions");
        }
    }

    /// Values beyond those of the printed game have inputs of their own, and all data files have
    /// the same inputs.
    #[test]
    fn inputs_describe_values_of_the_data_file() {
        let levels = |document: &Document| {
            let game = Glassworks::bind(document, 2).unwrap();
            let (Groups { seat, shared, action, .. }, table) = game.groups_and_table();
            let level = |block: &FactBlock, name: &str, list: &dyn Fn(&mut FactList)| {
                let mut facts = FactList::new();
                list(&mut facts);
                let name = format!("{name}>=");
                inputs_of(&facts, block).iter().filter(|input| input.starts_with(&name)).count()
            };
            let column = |list: &mut FactList| seat.height(list, 3_usize, 2_usize, 4);
            let row = |list: &mut FactList| seat.row(list, 1_usize, 3_usize);
            let tile = |list: &mut FactList| seat.tile(list, 0_usize, 1_u32, 60);
            let data = |list: &mut FactList| shared.players(list, 2_usize);
            let taken = |list: &mut FactList| action.column_count(list, 1_usize, 1_u8, 1_usize);
            [
                level(&table.seat, "height.points", &column),
                level(&table.seat, "height.step", &column),
                level(&table.seat, "filled.points", &row),
                level(&table.seat, "filled.step", &row),
                level(&table.seat, "tile.loss", &tile),
                level(&table.seat, "tile.gain", &tile),
                level(&table.shared, "data.end_trigger", &data),
                level(&table.shared, "data.colour1", &data),
                level(&table.action, "new_column.in_game", &taken),
            ]
        };
        // Dark green, the second colour in order, has 12 pieces; white and purple have 22. A gain
        // of 60 points has a level for each point from −8 to 24, and then one for about 1/7 more.
        assert_eq!(levels(&document()), [6, 3, 4, 3, 3, 41, 17, 22, 12]);
        let edits = [
            ("[0, 3, 6, 9, 12, 15]", "[0, 3, 30, 20, 12, 15]"),
            ("[0, 1, 2, 4, 7, 11, 16, 22]", "[0, 1, 2, 40, 99, 99, 99, 99]"),
            ("overflow_penalty = 3", "overflow_penalty = 9"),
            ("end_trigger = 17", "end_trigger = 20"),
            ("[2, 2, 2, 2, 2, 2]", "[0, 0, 0, 0, 0, 1]"),
            ("[2, 2, 2, 2, 2, 2]", "[7, 7, 7, 7, 7, 7]"),
        ];
        assert_eq!(levels(&edited(&edits)), [20, 0, 22, 24, 9, 41, 20, 29, 29]);
        let inputs = |document: &Document, players| {
            let table = Glassworks::bind(document, players).unwrap().fact_table();
            table.blocks().map(|(_, block)| block.inputs().to_vec())
        };
        let expected = inputs(&document(), 2);
        for document in documents() {
            for players in 2..=5 {
                assert!(inputs(&document, players) == expected, "{players} players");
            }
        }
    }

    /// Results that are kept belong to a data file: games of two of them in turn have the facts
    /// that each has alone.
    #[test]
    fn facts_do_not_depend_on_games_of_other_data() {
        let other = edited(&[("[0, 1, 2, 4, 7, 11, 16, 22]", "[5, 0, 2, 9, 7, 11, 16, 22]")]);
        let games = [document(), other].map(|data| Glassworks::bind(&data, 2).unwrap());
        let mut facts = [(); 2].map(|()| PositionFacts::default());
        for seed in 0..3 {
            play(&games[0], seed, |state| {
                for game in &games {
                    for (facts, game) in facts.iter_mut().zip([game, &game.clone()]) {
                        facts.clear();
                        game.position_facts(state, facts);
                    }
                    assert_eq!(facts[0].seats, facts[1].seats);
                }
            });
        }
    }

    #[test]
    fn gains_of_single_pieces_are_differences_of_scores() {
        for document in documents() {
            let game = Glassworks::bind(&document, 3).unwrap();
            let mut cases = 0;
            for seed in 0..4 {
                play(&game, seed, |state| {
                    let columns = state.columns(Seat::new(0));
                    let gains = PieceGains::new(&game, columns);
                    for column in 0..columns.len() {
                        if columns.height(column) < game.rows {
                            let mut after = columns;
                            after.grow(column, 1);
                            let gain = game.score(after).total() - game.score(columns).total();
                            assert_eq!(gains.gain(&game, column), gain, "{columns:?} {column}");
                            cases += 1;
                        }
                    }
                });
            }
            assert!(cases > 50, "{cases} columns");
        }
    }

    #[test]
    fn facts_of_seats_describe_columns_and_tiles_in_reach() {
        let game = Glassworks::bind(&document(), 2).unwrap();
        let mut positions = Vec::new();
        play(&game, 0, |state| {
            if state.phase == Phase::Turn {
                positions.push(*state);
            }
        });
        let mut state = positions[0];
        let (own, other) = (Seat::new(0), Seat::new(1));
        state.decider = own;
        let mut columns = Columns::default();
        columns.open(Colour(0), 3);
        columns.open(Colour(1), 1);
        state.columns[own.index()] = columns;
        state.tiles = [0; MAX_SHAPES];
        state.tiles[state.river.get(1).index()] = 2 << game.lane(Colour(1)).shift;
        let mut satchel = Pieces::default();
        let first = |&piece: &Piece| game.piece(piece).shape == state.river.get(0);
        satchel.insert(game.all_pieces().find(first).unwrap());
        state.set_satchel(own, satchel);
        state.set_satchel(other, Pieces::default());

        let table = game.fact_table();
        let mut facts = PositionFacts::default();
        game.position_facts(&state, &mut facts);
        let inputs = facts.seats.map(|list| inputs_of(&list, &table.seat));
        // Rows with 2, 1 and 1 spaces and columns of heights 3 and 1 score 2 + 1 + 1 + 3 + 2.
        assert!(has_level(&inputs[0], "points", POINTS, 9));
        assert!(has_level(&inputs[0], "missing", MISSING, 17 - 4));
        // With the tile, 3 rows of 2 spaces and 2 columns of height 3 score 6 + 3 + 6.
        assert!(has_level(&inputs[0], "best[when=now]", GAIN, 6));
        assert!(has_level(&inputs[0], "tile[reach=single].gain", GAIN, 6));
        for (name, count) in
            [("height[column=1]", 3), ("height[column=2]", 1), ("filled[row=1]", 2)]
        {
            assert!(has_level(&inputs[0], name, up_to(8), count), "{name}");
        }
        // The two pieces of a new colour would score 1 + 1 + 2 for the other seat.
        assert!(has_level(&inputs[1], "tile[reach=none].gain", GAIN, 4));
        assert!(has_level(&inputs[1], "best[when=later]", GAIN, 0));
        assert!(inputs[1].contains(&"status=waits"));
        let views = facts.views.map(|list| inputs_of(&list, &table.view));
        assert!(has_level(&views[0], "lead", LEAD, 9) && has_level(&views[1], "lead", LEAD, -9));
    }
}
