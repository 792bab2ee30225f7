//! Lists in words.

/// Joins names with commas, and the last one with `and`.
pub fn join_with_and(names: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    join_with(names, "and")
}

/// Joins names with commas, and the last one with a conjunction.
pub fn join_with(names: impl IntoIterator<Item = impl AsRef<str>>, conjunction: &str) -> String {
    let names: Vec<_> = names.into_iter().map(|name| name.as_ref().to_owned()).collect();
    match &names[..] {
        [] => String::new(),
        [name] => name.clone(),
        [names @ .., last] => format!("{} {conjunction} {last}", names.join(", ")),
    }
}
