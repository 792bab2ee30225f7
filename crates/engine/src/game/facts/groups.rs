//! Groups of facts that are declared once, with the values that list them and the inputs that
//! describe them.

use rustc_hash::FxHashMap;

use super::{FactBlock, axis::Axis};

/// Declares a struct of groups of facts of a [`FactBlock`].
///
/// ```
/// use watershed::game::facts::{
///     FactBlock, FactList,
///     axis::{Axis, FLAG, count, names, range},
///     fact_groups,
/// };
///
/// const TERRAIN: Axis = names(&["forest", "meadow"]);
///
/// fact_groups! {
///     /// Facts about a seat.
///     struct SeatFacts(block) {
///         points[points: range(-2, 2)]: "points>={points}";
///         /// Wood from a tile.
///         wood[terrain: TERRAIN, wood: count(3), is_last: FLAG]:
///             "wood([terrain={terrain}])>={wood}" "is_last? last_wood";
///     }
/// }
///
/// let mut block = FactBlock::default();
/// let facts = SeatFacts::new(&mut block);
/// let mut list = FactList::new();
/// facts.points(&mut list, -1);
/// facts.wood(&mut list, 1_usize, 2_u32, true);
/// facts.wood(&mut list, 0_usize, 0_u32, true);
/// let inputs = list.as_slice().iter().flat_map(|&fact| &block.facts()[usize::from(fact)]);
/// let inputs: Vec<_> = inputs.map(|&input| &*block.inputs()[usize::from(input)]).collect();
/// let wood = ["wood>=1", "wood>=2", "wood[terrain=meadow]>=1", "wood[terrain=meadow]>=2"];
/// assert_eq!(inputs, [&["points>=-1"], &wood[..], &["last_wood"]].concat());
/// ```
///
/// A group has a fact for each combination of the values of its [axes](Axis). The method of its
/// name appends the fact with these values to a list. It allocates nothing, and the sizes of the
/// axes are constants in its code. The patterns are the inputs that describe a fact:
///
/// | part of a pattern | meaning |
/// |---|---|
/// | `{x}` | the name of the value on the axis `x` |
/// | `>={x}` | an input for each value up to that on the axis; the lowest only with `count` |
/// | `<={x}` | an input for each value from that on the axis, but not for the highest one |
/// | `<=>{x}` | inputs `>=1`, `>=2`, … or `<=-1`, `<=-2`, … up to the value |
/// | `(part)` | inputs without the part, then inputs with it |
/// | `x? …` | only for facts whose value on the axis `x` is not the first one |
/// | `!x? …` | only for facts whose value on the axis `x` is the first one |
/// | `one other` | two inputs, for each threshold one after the other |
///
/// `=> function` in place of the patterns calls a function with the indices of the values and
/// [`Inputs`], and `= facts` takes the inputs of all facts.
///
/// Networks depend on the order of the inputs. An input is added with the first fact that it
/// describes. Axes after a semicolon, as in `[a: A; b: B]`, are an exception: for each combination
/// of the values before it, the inputs of each pattern are added for all facts. The inputs of a
/// group that is marked `early`, as in `name[a: A] early: …`, come before those of all others.
#[macro_export]
macro_rules! fact_groups {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident($block:ident $(, $argument:ident: $type:ty)*) {
            $(
                $(#[$group_meta:meta])*
                $group:ident $([
                    $($outer:ident: $outer_axis:expr),* $(; $($inner:ident: $inner_axis:expr),+)?
                ])? $($early:ident)?
                $(: $($pattern:literal)+)? $(=> $describe:ident)? $(= $facts:expr)?;
            )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        $visibility struct $name {
            $($visibility $group: $crate::game::facts::FactGroup,)*
        }

        impl $name {
            $visibility fn new(
                $block: &mut $crate::game::facts::FactBlock $(, $argument: $type)*
            ) -> Self {
                $(let $group = $crate::fact_groups!(@early [$($early)?] [
                    $block
                    [$($($outer: $outer_axis),*; $($($inner: $inner_axis),+)?)?]
                    $(: $($pattern)+)? $(=> $describe)? $(= $facts)?
                ]);)*
                $(let $group = $group.unwrap_or_else(|| $crate::fact_groups!(@facts
                    $block
                    [$($($outer: $outer_axis),*; $($($inner: $inner_axis),+)?)?]
                    $(: $($pattern)+)? $(=> $describe)? $(= $facts)?
                ));
                let $group = $block.group($group);)*
                Self { $($group),* }
            }

            $($crate::fact_groups!(@method
                [$(#[$group_meta])*] [$visibility] $group
                $([$($outer: $outer_axis,)* $($($inner: $inner_axis,)+)?])?
            );)*
        }
    };
    (@early [] [$($group:tt)*]) => { None::<Vec<Vec<u16>>> };
    (@early [early] [$($group:tt)*]) => { Some($crate::fact_groups!(@facts $($group)*)) };
    (@facts $block:ident [$($axes:tt)*] = $facts:expr) => { $facts };
    (@facts $block:ident [$($name:ident: $axis:expr),*;] => $describe:ident) => {
        $block.describe([$($axis),*], $describe)
    };
    (
        @facts $block:ident
        [$($outer:ident: $outer_axis:expr),*; $($inner:ident: $inner_axis:expr),*]
        : $($pattern:literal)+
    ) => {
        $block.cross(
            &[$((stringify!($outer), $outer_axis)),*],
            &[$((stringify!($inner), $inner_axis)),*],
            &[$($pattern),+],
        )
    };
    (@method [$($meta:tt)*] [$visibility:vis] $group:ident) => {};
    (
        @method [$($meta:tt)*] [$visibility:vis] $group:ident
        [$($name:ident: $axis:expr,)*]
    ) => {
        $($meta)*
        #[inline]
        $visibility fn $group(
            &self,
            list: &mut $crate::game::facts::FactList
            $(, $name: impl $crate::game::facts::axis::Number)*
        ) {
            let place = $crate::game::facts::axis::FactPlace::ONLY$(.on(const { $axis }, $name))*;
            list.push_at(self.$group, place);
        }
    };
}

/// The inputs of a fact that is being described.
#[derive(Debug)]
pub struct Inputs<'a> {
    block: &'a mut FactBlock,
    inputs: Vec<u16>,
}

impl Inputs<'_> {
    /// Adds an input.
    pub fn add(&mut self, name: &str) {
        self.add_if(true, name);
    }

    /// Adds an input if it describes the fact. The block gets it in any case.
    pub fn add_if(&mut self, describes: bool, name: &str) {
        let input = self.block.input(name);
        self.inputs.extend(describes.then_some(input));
    }

    /// Adds the inputs `name>=1` to `name>=value`. The block gets all up to `max`.
    pub fn number(&mut self, name: &str, max: u32, value: u32) {
        let inputs = self.block.number_inputs(name, max);
        self.inputs.extend(&inputs[..value.min(max) as usize]);
    }
}

/// Returns the indices of all combinations of values, those of the last axis first.
fn combinations(axes: &[Axis]) -> Vec<Vec<usize>> {
    let combination = |mut number: usize| {
        let mut at = vec![0; axes.len()];
        for (at, axis) in at.iter_mut().zip(axes).rev() {
            (*at, number) = (number % axis.len(), number / axis.len());
        }
        at
    };
    (0..axes.iter().map(|axis| axis.len()).product()).map(combination).collect()
}

impl FactBlock {
    /// Describes each item by a function. Returns the inputs of each fact.
    pub fn describe_each<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        describe: impl Fn(T, &mut Inputs<'_>),
    ) -> Vec<Vec<u16>> {
        let describe = |item| {
            let mut inputs = Inputs { block: self, inputs: Vec::new() };
            describe(item, &mut inputs);
            inputs.inputs
        };
        items.into_iter().map(describe).collect()
    }

    /// Describes each combination of values by a function. Returns the inputs of each fact.
    pub fn describe<const N: usize>(
        &mut self,
        axes: [Axis; N],
        describe: impl Fn([usize; N], &mut Inputs<'_>),
    ) -> Vec<Vec<u16>> {
        self.describe_each(combinations(&axes), |at, inputs| {
            describe(std::array::from_fn(|axis| at[axis]), inputs);
        })
    }

    /// Describes each combination of values by patterns, as [`fact_groups!`] explains. Returns the
    /// inputs of each fact.
    ///
    /// # Panics
    /// Panics if a pattern names an axis that does not exist.
    pub fn cross(
        &mut self,
        outer: &[(&str, Axis)],
        inner: &[(&str, Axis)],
        patterns: &[&str],
    ) -> Vec<Vec<u16>> {
        let axes = [outer, inner].concat();
        let parse = |pattern: &&str| GroupPattern::parse(pattern, &axes);
        let mut patterns: Vec<_> = patterns.iter().flat_map(parse).collect();
        let axes: Vec<_> = axes.iter().map(|&(_, axis)| axis).collect();
        let all = combinations(&axes);
        let inner_len = axes[outer.len()..].iter().map(|axis| axis.len()).product();
        let mut facts = vec![Vec::new(); all.len()];
        for (facts, all) in facts.chunks_mut(inner_len).zip(all.chunks(inner_len)) {
            for pattern in &mut patterns {
                if !inner.is_empty() {
                    pattern.declare(self, &axes, &all[0], outer.len());
                }
                for (inputs, at) in facts.iter_mut().zip(all) {
                    if pattern.applies(at, axes.len()) {
                        pattern.add_inputs(self, &axes, at, inputs);
                    }
                }
            }
        }
        facts
    }

    /// Adds all inputs of patterns without a fact.
    ///
    /// # Panics
    /// Panics if a pattern names an axis that does not exist.
    pub fn declare(&mut self, axes: &[(&str, Axis)], patterns: impl IntoIterator<Item = String>) {
        let values: Vec<_> = axes.iter().map(|&(_, axis)| axis).collect();
        for pattern in patterns {
            for mut pattern in GroupPattern::parse(&pattern, axes) {
                pattern.declare(self, &values, &vec![0; axes.len()], 0);
            }
        }
    }
}

/// A pattern of inputs.
#[derive(Debug)]
struct GroupPattern {
    /// Axes whose values decide whether the pattern applies: true if the first value is excluded,
    /// false if it is demanded.
    conditions: Vec<(usize, bool)>,
    /// Texts of the inputs, each followed by a value.
    words: Vec<Vec<(String, Option<usize>)>>,
    /// Axes whose values the words name.
    names: Vec<usize>,
    /// The axis of the thresholds, with the sign.
    threshold: Option<(usize, &'static str)>,
    /// Inputs by the values of `names`, and in order of the threshold and of the words.
    inputs: FxHashMap<usize, Vec<Option<u16>>>,
}

impl GroupPattern {
    /// Parses a pattern, which is two patterns if it has an optional part.
    fn parse(pattern: &str, axes: &[(&str, Axis)]) -> Vec<Self> {
        let with = pattern.replace(['(', ')'], "");
        let without = pattern.split_once('(').map(|(start, rest)| {
            let (_, end) = rest.split_once(')').unwrap_or_default();
            format!("{start}{end}")
        });
        without.iter().chain([&with]).map(|pattern| Self::new(pattern, axes)).collect()
    }

    fn new(pattern: &str, axes: &[(&str, Axis)]) -> Self {
        let axis = |name: &str| {
            let axis = axes.iter().position(|&(axis, _)| axis == name);
            axis.unwrap_or_else(|| panic!("{pattern}: no axis {name}"))
        };
        let (conditions, words): (Vec<_>, Vec<_>) =
            pattern.split_whitespace().partition(|word| word.ends_with('?'));
        let conditions = conditions.iter().map(|condition| {
            (axis(condition.trim_matches(['!', '?'])), !condition.starts_with('!'))
        });
        let (mut names, mut threshold) = (Vec::new(), None);
        let mut part = |part: &str| {
            let Some((text, name)) = part.split_once('{') else { return (part.to_owned(), None) };
            let axis = axis(name);
            match ["<=>", ">=", "<="].into_iter().find(|sign| text.ends_with(sign)) {
                Some(sign) => threshold = Some((axis, sign)),
                None => names.push(axis),
            }
            (text.trim_end_matches("<=>").to_owned(), Some(axis))
        };
        let words = words.iter().map(|word| word.split('}').map(&mut part).collect()).collect();
        Self { conditions: conditions.collect(), words, names, threshold, inputs: <_>::default() }
    }

    /// Returns true if the conditions on the axes before `end` hold.
    fn applies(&self, at: &[usize], end: usize) -> bool {
        let mut conditions = self.conditions.iter().filter(|(axis, _)| *axis < end);
        conditions.all(|&(axis, is_excluded)| (at[axis] > 0) == is_excluded)
    }

    /// Adds the inputs for all values on the axes from `first` on to the block.
    fn declare(&mut self, block: &mut FactBlock, axes: &[Axis], at: &[usize], first: usize) {
        if !self.applies(at, first) {
            return;
        }
        let threshold = self.threshold.map(|(axis, _)| axis).filter(|&axis| axis >= first);
        let mut varied: Vec<_> = self.names.iter().copied().filter(|&axis| axis >= first).collect();
        varied.sort_unstable();
        varied.dedup();
        let mut at = at.to_vec();
        for values in combinations(&varied.iter().map(|&axis| axes[axis]).collect::<Vec<_>>()) {
            varied.iter().zip(values).for_each(|(&axis, value)| at[axis] = value);
            // The facts at the ends of the axis have all thresholds.
            let len = threshold.map_or(1, |axis| axes[axis].len());
            for end in [0, len - 1].into_iter().take(len) {
                if let Some(axis) = threshold {
                    at[axis] = end;
                }
                self.add_inputs(block, axes, &at, &mut Vec::new());
            }
        }
    }

    /// Adds the inputs of a fact.
    fn add_inputs(
        &mut self,
        block: &mut FactBlock,
        axes: &[Axis],
        at: &[usize],
        inputs: &mut Vec<u16>,
    ) {
        let add_value = |values, &axis: &usize| values * axes[axis].len() + at[axis];
        let values = self.names.iter().fold(0, add_value);
        let levels = self.levels(axes, at);
        let level_count = self.threshold.map_or(1, |(axis, _)| axes[axis].len());
        let Self { words, threshold, inputs: known, .. } = self;
        let known = known.entry(values).or_insert_with(|| vec![None; level_count * words.len()]);
        inputs.reserve(levels.len() * words.len());
        for level in levels {
            for (word, known) in words.iter().zip(&mut known[level * words.len()..]) {
                let add = || block.input(&name(word, *threshold, axes, at, level));
                inputs.push(*known.get_or_insert_with(add));
            }
        }
    }

    /// Returns the indices of the thresholds that a fact reaches, or one index if the pattern has
    /// no thresholds.
    fn levels(&self, axes: &[Axis], at: &[usize]) -> impl ExactSizeIterator<Item = usize> + use<> {
        let (start, step, len) = self.threshold.map_or((0, 1, 1), |(axis, sign)| {
            let (axis, index) = (axes[axis], at[axis]);
            let (first, zero) = (axis.first_threshold(), axis.index(0));
            match sign {
                ">=" => (first, 1, (index + 1).saturating_sub(first)),
                "<=" => (index, 1, axis.len() - 1 - index),
                _ if index < zero => (zero - 1, -1, zero - index),
                _ => (zero + 1, 1, index - zero),
            }
        });
        (0..len as u16).map(move |number| start.wrapping_add_signed(step * number as isize))
    }
}

/// Returns the name of an input: the text of a word, with the values of a fact and the threshold.
fn name(
    word: &[(String, Option<usize>)],
    threshold: Option<(usize, &str)>,
    axes: &[Axis],
    at: &[usize],
    level: usize,
) -> String {
    let mut name = String::with_capacity(64);
    for (text, axis) in word {
        name += text;
        let Some(axis) = *axis else { continue };
        let Some((_, sign)) = threshold.filter(|&(threshold, _)| threshold == axis) else {
            name += &axes[axis].name(at[axis]);
            continue;
        };
        let value = axes[axis].value(level);
        if sign == "<=>" {
            name += if value < 0 { "<=" } else { ">=" };
        }
        name += &value.to_string();
    }
    name
}
