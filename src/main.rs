//! The command line of Watershed.

fn main() {}
