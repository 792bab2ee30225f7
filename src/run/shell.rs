//! Quoting for a POSIX shell, so that a printed command can be run.

/// Quotes a word for a POSIX shell.
pub(crate) fn shell_quote(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "@%+=:,./-_".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    // Quotes end before a quote and begin again after it.
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

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

    #[cfg(unix)]
    #[test]
    fn a_shell_reads_quoted_words() -> std::io::Result<()> {
        let words = ["", "a b", "balanced*", "it's", "$HOME", "`date`", "a\"b\\c", "line\nline"];
        for word in words.into_iter().chain(["~", "#", "a;b", "é"]) {
            let output = Command::new("sh")
                .args(["-c", &format!("printf %s {}", shell_quote(word))])
                .output()?;
            assert_eq!(String::from_utf8_lossy(&output.stdout), word);
        }
        Ok(())
    }
}
