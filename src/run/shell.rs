//! Quoting words for a shell, so that a command that is printed can be run again.

/// Returns a word as a POSIX shell reads it back.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "@%+=:,./-_".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    // A quote can't stand in quotes: they end before it and begin again after it.
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::quoted;

    #[test]
    fn words_that_need_no_quotes_have_none() {
        assert_eq!(quoted("mcts:iterations=100,./a-b_c.toml"), "mcts:iterations=100,./a-b_c.toml");
        assert_eq!(quoted("balanced*"), "'balanced*'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_reads_words_back() -> std::io::Result<()> {
        for word in ["", "a b", "balanced*", "it's", "$HOME", "`date`", "a\"b\\c", "line\nline", "~", "#", "a;b", "é"] {
            let output = Command::new("sh").args(["-c", &format!("printf %s {}", quoted(word))]).output()?;
            assert_eq!(String::from_utf8_lossy(&output.stdout), word);
        }
        Ok(())
    }
}
