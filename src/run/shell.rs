//! Quoting for a POSIX shell, so that a printed command can be run.

/// Quotes a word for a POSIX shell.
pub fn shell_quote(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "@%+=:,./-_".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    // Quotes end before a quote and begin again after it.
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::shell_quote;

    #[test]
    fn plain_words_are_not_quoted() {
        assert_eq!(
            shell_quote("mcts:iterations=100,./a-b_c.toml"),
            "mcts:iterations=100,./a-b_c.toml"
        );
        assert_eq!(shell_quote("balanced*"), "'balanced*'");
        assert_eq!(shell_quote("it's"), r"'it'\''s'");
    }
}
