//! Lists in words.

/// Joins names with commas, and the last one with `and`.
pub fn join_with_and(names: &[String]) -> String {
    join_with(names, "and")
}

/// Joins names with commas, and the last one with a conjunction.
pub fn join_with(names: &[String], conjunction: &str) -> String {
    match names {
        [] => String::new(),
        [name] => name.clone(),
        [names @ .., last] => format!("{} {conjunction} {last}", names.join(", ")),
    }
}
