//! How questions at the terminal are answered.
use crate::terminal::Terminal;

/// How questions are answered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asker {
    pub(super) terminal: Terminal,
    /// Whether the defaults answer.
    pub(super) yes: bool,
}

impl Asker {
    /// Yes or no.
    pub(super) async fn confirm(self, question: &str, default: bool) -> Option<bool> {
        if self.yes {
            let word = if default { "yes" } else { "no" };
            self.terminal.line(&format!("{question} {word}"));
            return Some(default);
        }
        self.terminal.confirm(question, default).await
    }

    /// One of several, from 1; an empty line takes the default.
    pub(super) async fn choose(
        self,
        question: &str,
        count: usize,
        default: usize,
    ) -> Option<usize> {
        if self.yes {
            self.terminal.line(&format!("{question} {default}"));
            return Some(default);
        }
        loop {
            let answer = self.terminal.ask_line(&format!("{question} [{default}]")).await?;
            match answer.parse::<usize>() {
                _ if answer.is_empty() => return Some(default),
                Ok(number) if (1..=count).contains(&number) => return Some(number),
                _ => self.terminal.line(&format!("a number from 1 to {count}, please")),
            }
        }
    }
}
