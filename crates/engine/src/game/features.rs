/// Declares the features of a game as the fields of a struct, so that each value has its name.
///
/// ```
/// use watershed::game::named_features;
///
/// named_features! {
///     /// The features of a position.
///     struct Values { points cards }
/// }
///
/// assert_eq!(Values::NAMES, ["points", "cards"]);
/// assert_eq!(Values { cards: 2.0, points: 7.0 }.vector()[..3], [7.0, 2.0, 0.0]);
/// ```
#[macro_export]
macro_rules! named_features {
    ($(#[$meta:meta])* struct $values:ident { $($name:ident)* }) => {
        $(#[$meta])*
        struct $values {
            $($name: f64,)*
        }

        impl $values {
            /// The names of the features.
            const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];

            /// Returns the values in the order of the names.
            fn vector(self) -> $crate::game::FeatureVector {
                let mut features = [0.0; $crate::game::MAX_FEATURES];
                features[..Self::NAMES.len()].copy_from_slice(&[$(self.$name),*]);
                features
            }
        }
    };
}
