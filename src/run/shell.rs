//! Quoting words for a shell, so that a command that is printed can be run again.

/// Returns a word as a POSIX shell reads it back.
pub(crate) fn shell_quote(word: &str) -> String {
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

    use super::shell_quote;

    #[test]
    fn words_that_need_no_quotes_have_none() {
        assert_eq!(
            shell_quote("mcts:iterations=100,./a-b_c.toml"),
            "mcts:iterations=100,./a-b_c.toml"
        );
        assert_eq!(shell_quote("balanced*"), "'balanced*'");
        assert_eq!(shell_quote("it's"), r"'it'\''s'");
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_reads_words_back() -> std::io::Result<()> {
        for word in [
            "",
            "a b",
            "balanced*",
            "it's",
            "$HOME",
            "`date`",
            "a\"b\\c",
            "line\nline",
            "~",
            "#",
            "a;b",
            "é",
        ] {
            let output = Command::new("sh")
                .args(["-c", &format!("printf %s {}", shell_quote(word))])
                .output()?;
            assert_eq!(String::from_utf8_lossy(&output.stdout), word);
        }
        Ok(())
    }
}
