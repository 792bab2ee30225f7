//! Commands quoted for a shell. The test starts processes, so it does not run beside the unit tests
//! of folder locks: a process inherits a lock until it executes its program.

use std::process::Command;

use watershed::run::shell::shell_quote;

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
