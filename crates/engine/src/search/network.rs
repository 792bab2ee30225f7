//! Networks: win shares, expected scores and a policy from the facts of a position.
//!
//! The view of each seat is summed from the rows of its facts (see [`facts`](crate::game::facts)),
//! in the manner of an efficiently updatable network (Nasu 2018). All seats share the weights:
//!
//! | layer | units | activation |
//! |---|---|---|
//! | first, of each seat's view | [`UNITS`] | clipped to 0..1; the last two units are linear |
//! | hidden | [`HIDDEN`] | clipped to 0..1 |
//! | win logit, expected score | 1 each | linear, plus one of the linear units of the first layer |
//! | policy, from the first layer | [`POLICY`] | linear; the last unit is the constant 1 |
//!
//! The win shares are the softmax of the logits of all seats, or the logistic function of each
//! logit if wins are independent. The logit of an action is the scalar product of the policy units
//! of the seat to move and the embedding of the action, the sum of the rows of its facts.
//!
//! Weights are 16-bit integers and all sums are exact, so that results are the same on every
//! machine and for every order of additions.

mod by_mode;
mod evaluation;
mod file;
mod fixed_point;

pub use by_mode::NetworksByMode;
pub use evaluation::{BoundNetwork, MAX_CANDIDATES, NetworkBot, NetworkEvaluator};
pub use file::{Network, NetworkHeader};

/// Units of the first layer. The last two are linear: one is added to the win logit, one to the
/// expected score.
pub const UNITS: usize = 64;
/// Index of the linear unit that is added to the win logit.
pub const WIN_UNIT: usize = UNITS - 2;
/// Index of the linear unit that is added to the expected score.
pub const SCORE_UNIT: usize = UNITS - 1;
/// Units of the hidden layer.
pub const HIDDEN: usize = 32;
/// Units of the policy, and length of the embedding of an action.
pub const POLICY: usize = 32;

/// Numbers of inputs of the blocks of a [`FactTable`](crate::game::facts::FactTable).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InputCounts {
    /// Inputs of a seat.
    pub seat: usize,
    /// Inputs of a view.
    pub view: usize,
    /// Shared inputs.
    pub shared: usize,
    /// Inputs of an action.
    pub action: usize,
}

/// A part of the weights: a matrix, stored by rows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WeightPart {
    /// Index of the first weight.
    pub start: usize,
    /// Number of weights.
    pub len: usize,
    /// Integer that represents the weight 1.
    pub scale: f32,
}

impl WeightPart {
    /// Returns the range of indices.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start..self.start + self.len
    }
}

/// Integer that represents 1 in the first layer, in activations, in biases and in embeddings.
pub const ACTIVATION_SCALE: f32 = 256.0;
/// Integer that represents the weight 1 after the first layer.
pub const WEIGHT_SCALE: f32 = 1024.0;

/// Order of the weights in one array.
#[derive(Clone, Copy, PartialEq, Debug)]
#[expect(missing_docs, reason = "the names are those of the table of layers")]
pub struct WeightLayout {
    pub own: WeightPart,
    pub other: WeightPart,
    pub view: WeightPart,
    pub shared: WeightPart,
    pub first_bias: WeightPart,
    pub hidden: WeightPart,
    pub hidden_bias: WeightPart,
    pub win: WeightPart,
    pub score: WeightPart,
    pub output_bias: WeightPart,
    pub policy: WeightPart,
    pub policy_bias: WeightPart,
    pub embedding: WeightPart,
}

impl WeightLayout {
    /// For each part that has a row for each input, the block of the inputs and the width of a row.
    const ROWS: [Option<(usize, usize)>; 13] = {
        let mut rows = [None; 13];
        rows[0] = Some((0, UNITS));
        rows[1] = Some((0, UNITS));
        rows[2] = Some((1, UNITS));
        rows[3] = Some((2, UNITS));
        rows[12] = Some((3, POLICY));
        rows
    };

    /// Returns the layout of a network with these numbers of inputs.
    pub fn new(inputs: InputCounts) -> Self {
        let mut end = 0;
        let mut part = |len, scale| {
            end += len;
            WeightPart { start: end - len, len, scale }
        };
        Self {
            own: part(inputs.seat * UNITS, ACTIVATION_SCALE),
            other: part(inputs.seat * UNITS, ACTIVATION_SCALE),
            view: part(inputs.view * UNITS, ACTIVATION_SCALE),
            shared: part(inputs.shared * UNITS, ACTIVATION_SCALE),
            first_bias: part(UNITS, ACTIVATION_SCALE),
            hidden: part(HIDDEN * UNITS, WEIGHT_SCALE),
            hidden_bias: part(HIDDEN, ACTIVATION_SCALE),
            win: part(HIDDEN, WEIGHT_SCALE),
            score: part(HIDDEN, WEIGHT_SCALE),
            output_bias: part(2, ACTIVATION_SCALE),
            policy: part(POLICY * UNITS, WEIGHT_SCALE),
            policy_bias: part(POLICY, ACTIVATION_SCALE),
            embedding: part(inputs.action * POLICY, ACTIVATION_SCALE),
        }
    }

    /// Returns all parts in order.
    pub fn parts(&self) -> [WeightPart; 13] {
        [
            self.own,
            self.other,
            self.view,
            self.shared,
            self.first_bias,
            self.hidden,
            self.hidden_bias,
            self.win,
            self.score,
            self.output_bias,
            self.policy,
            self.policy_bias,
            self.embedding,
        ]
    }

    /// Returns the number of weights.
    pub fn weight_count(&self) -> usize {
        self.embedding.range().end
    }
}
